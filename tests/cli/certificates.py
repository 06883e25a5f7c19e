# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Certificates, and servers that use them."""

import signal
import subprocess
import tempfile
import time

from support import PROGRAM, SECONDS, equal


def openssl(*arguments):
    return subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, text=True,
                          timeout=SECONDS).stdout


class Ca:
    """Certificates of one CA, in a folder."""

    def __init__(self, folder, name="ca"):
        self.folder, self.name = folder, name
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", 2,
                "-subj", f"/CN={name}", "-keyout", self.path(name, "key"), "-out", self.path(name, "crt"))
        self.file = self.path(name, "crt")

    def path(self, name, kind):
        return f"{self.folder}/{name}.{kind}"

    def certify(self, name, subject=None, names=None, days=2):
        more = ["-addext", f"subjectAltName={names}"] if names else []
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-subj",
                subject or f"/CN={name}", "-addext", "basicConstraints=CA:FALSE", *more,
                "-keyout", self.path(name, "key"), "-out", self.path(name, "csr"))
        openssl("x509", "-req", "-in", self.path(name, "csr"), "-copy_extensions", "copy", "-CA", self.file,
                "-CAkey", self.path(self.name, "key"), "-CAcreateserial", "-days", days,
                "-out", self.path(name, "crt"))
        return name

    def files(self, name):
        return ["--tls-certificate", self.path(name, "crt"), "--tls-key", self.path(name, "key")]

    def fingerprint(self, name):
        return openssl("x509", "-in", self.path(name, "crt"), "-noout", "-fingerprint",
                       "-sha256").split("=")[1].strip()


class TlsServer:
    """A server whose log is kept."""

    def __init__(self, store, *options):
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--store", store, "--listen", "localhost:0", *map(str, options)],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("listening on tls://localhost:"):
            self.process.kill()
            raise AssertionError(f"serve said {line!r}, {self.said()}")
        self.address = line.split()[2]
        self.port = int(self.address.rsplit(":", 1)[1])

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def wait_for(self, text, count=1):
        """Until the log has a line."""
        until = time.monotonic() + SECONDS
        while self.said().count(text) < count:
            if time.monotonic() > until:
                raise AssertionError(f"{text!r} is not in the log:\n{self.said()}")
            time.sleep(0.02)

    def reload(self):
        before = self.said()
        n = before.count("TLS: certificate of") + before.count("stay as they were")
        self.process.send_signal(signal.SIGHUP)
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            now = self.said()
            if now.count("TLS: certificate of") + now.count("stay as they were") > n:
                return now[len(before):]
            time.sleep(0.02)
        raise AssertionError(f"nothing is read again: {self.said()}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate(timeout=SECONDS)
        self.log.close()
        equal(self.process.returncode, 0)
