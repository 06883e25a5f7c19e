# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Certificates and roles of a soak, good ones and bad ones."""

import json
import subprocess
import sys

from faults import PROGRAM, SOURCE

sys.path.append(str(SOURCE / "tests" / "cli"))

from authority import Ca  # noqa: E402

ROLES = "[roles]\nreader = cn:web;cn:revoked\nwriter = cn:loader\nadmin = cn:operator\n[revoked]\nfingerprints = "
LINES = 2000  # of the large order


class Papers:
    def __init__(self, folder):
        self._ca, self._other = Ca(folder), Ca(folder, "other")
        self._ca.certify("server", names="DNS:localhost,IP:127.0.0.1")
        for name in ("web", "loader", "operator", "stranger", "revoked"):
            self._ca.certify(name)
        self._ca.certify("late", days=-1)
        self._other.certify("unknown")
        self.ca, self.access = self._ca.file, f"{folder}/roles"
        with open(self.access, "w", encoding="utf-8") as file:
            file.write(ROLES + self._ca.fingerprint("revoked") + "\n")

    def of(self, name):
        return self._ca.files(name)

    def client(self, name):
        """Options of the workload."""
        return {"tls_ca": self.ca, "tls_certificate": self._ca.path(name, "crt"), "tls_key": self._ca.path(name, "key")}

    def crowd(self):
        """Of each name the certificate and its key; of None neither."""
        names = ("web", "stranger", "revoked", "late", "unknown")
        return {None: (), **{name: (self._ca.path(name, "crt"), self._ca.path(name, "key")) for name in names}}

    def put_large(self, address):
        """The order that is asked for by those who take no answer."""
        lines = [{"number": i, "item_number": f"item {i}", "description": "x" * 100} for i in range(1, LINES + 1)]
        order = {"customer_number": "LARGE", "order_number": "1",
                 "shipping_locations": [{"number": 1, "line_items": lines}]}
        subprocess.run([PROGRAM, "put", "--server", f"tls://{address}", "--tls-ca", self.ca, *self.of("loader"), "-"],
                       input=json.dumps(order), text=True, check=True, stdout=subprocess.DEVNULL)
