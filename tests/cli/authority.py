# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Certificates of a CA of our own."""

import subprocess

SECONDS = 120


def openssl(*arguments):
    return subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, text=True,
                          timeout=SECONDS).stdout


class Ca:
    """Certificates of one CA, in a folder."""

    def __init__(self, folder, name="ca", above=None):
        """With a CA above it, that one has signed it."""
        self.folder, self.name, self.above = folder, name, above
        if above is not None:
            above.certify(name, is_ca=True)
            self.file = above.file
            return
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", 2,
                "-subj", f"/CN={name}", "-keyout", self.path(name, "key"), "-out", self.path(name, "crt"))
        self.file = self.path(name, "crt")

    def path(self, name, kind):
        return f"{self.folder}/{name}.{kind}"

    def certify(self, name, subject=None, names=None, days=2, is_ca=False):
        more = ["-addext", f"subjectAltName={names}"] if names else []
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-subj",
                subject or f"/CN={name}", "-addext", f"basicConstraints=CA:{'TRUE' if is_ca else 'FALSE'}", *more,
                "-keyout", self.path(name, "key"), "-out", self.path(name, "csr"))
        openssl("x509", "-req", "-in", self.path(name, "csr"), "-copy_extensions", "copy", "-CA", self.path(self.name, "crt"),
                "-CAkey", self.path(self.name, "key"), "-CAcreateserial", "-days", days,
                "-out", self.path(name, "crt"))
        if self.above is not None:
            with open(self.path(name, "crt"), "ab") as chain, open(self.path(self.name, "crt"), "rb") as own:
                chain.write(own.read())
        return name

    def files(self, name):
        return ["--tls-certificate", self.path(name, "crt"), "--tls-key", self.path(name, "key")]

    def fingerprint(self, name):
        return openssl("x509", "-in", self.path(name, "crt"), "-noout", "-fingerprint",
                       "-sha256").split("=")[1].strip()
