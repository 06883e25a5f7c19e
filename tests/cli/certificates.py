# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Servers that use certificates."""

import signal
import subprocess
import tempfile
import time

from support import PROGRAM, SECONDS, equal


class TlsServer:
    """A server whose log is kept."""

    def __init__(self, store, *options):
        self.log = tempfile.TemporaryFile("a+")
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
