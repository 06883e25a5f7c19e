# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""The unit of systemd, and what `serve` reports to a service manager. Speaks TAP.

    service.py TALLORDER SOURCE_ROOT UNIT
"""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time

from support import DONE, PROGRAM, SECONDS, equal, main, new_store, run, test

UNIT = sys.argv[3]
MOST_EXPOSURE = 2.0  # of 10


class Manager:
    """A service manager that starts `serve`, and hears what it reports."""

    def __init__(self, folder, name=None, **environment):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.settimeout(SECONDS)
        name = name or f"{folder}/notify"
        self.socket.bind(name.replace("@", "\0", 1) if name.startswith("@") else name)
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--store", new_store(folder), "--listen", "127.0.0.1:0"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "NOTIFY_SOCKET": name, **environment})
        self.address = self.process.stdout.readline().split()[2]

    def hear(self):
        return self.socket.recv(4096).decode()

    def stop(self):
        """What it reports while it stops; it ends well."""
        self.process.send_signal(signal.SIGTERM)
        _, errors = self.process.communicate(timeout=SECONDS)
        equal((self.process.returncode, "CRITICAL" in errors), (DONE, False))
        heard = self.drain()
        self.socket.close()
        return heard

    def drain(self):
        """What has arrived already."""
        self.socket.setblocking(False)
        heard = []
        with contextlib.suppress(BlockingIOError):
            while True:
                heard.append(self.hear())
        return heard


@test
def ready_and_stopping(folder):
    for name in (None, f"@tallorder-test-{os.getpid()}"):
        os.mkdir(f"{folder}/{name is None}")
        manager = Manager(f"{folder}/{name is None}", name)
        equal(manager.hear(), f"READY=1\nSTATUS=Listening on {manager.address}")
        equal(manager.stop(), ["STOPPING=1"])


@test
def reload(folder):
    """SIGHUP ends no service, though there is nothing to read again."""
    manager = Manager(folder)
    equal(manager.hear().startswith("READY=1\n"), True)
    manager.process.send_signal(signal.SIGHUP)
    began, at = manager.hear().split("\nMONOTONIC_USEC=")
    equal((began, 0 < int(at) <= time.monotonic_ns() // 1000, manager.hear()), ("RELOADING=1", True, "READY=1"))
    run("status", "--server", manager.address).ends(DONE)
    equal(manager.stop(), ["STOPPING=1"])


@test
def watchdog(folder):
    manager = Manager(folder, WATCHDOG_USEC="200000")
    equal(manager.hear().startswith("READY=1\n"), True)
    equal([manager.hear() for _ in range(3)], ["WATCHDOG=1"] * 3)
    manager.process.send_signal(signal.SIGSTOP)
    os.waitpid(manager.process.pid, os.WUNTRACED)
    manager.drain()
    manager.socket.settimeout(0.6)
    with contextlib.suppress(TimeoutError):
        raise AssertionError(f"a sign of life of what stands still: {manager.hear()}")
    manager.process.send_signal(signal.SIGCONT)
    manager.socket.settimeout(SECONDS)
    equal(manager.hear(), "WATCHDOG=1")
    equal(manager.stop()[-1], "STOPPING=1")


@test
def no_watchdog(folder):
    """Where none is asked for: of another process, of no time, or wrongly."""
    for number, environment in enumerate(({"WATCHDOG_PID": "1", "WATCHDOG_USEC": "2000"},
                                          {"WATCHDOG_USEC": "0"}, {"WATCHDOG_USEC": "soon"})):
        os.mkdir(f"{folder}/{number}")
        manager = Manager(f"{folder}/{number}", **environment)
        equal(manager.hear().startswith("READY=1\n"), True)
        run("status", "--server", manager.address).ends(DONE)
        equal(manager.stop(), ["STOPPING=1"])


@test
def nobody_listens(folder):
    for number, name in enumerate((f"{folder}/nobody", "@", "nonsense", "/" + "x" * 200)):
        os.mkdir(f"{folder}/{number}")
        manager = Manager(f"{folder}/{number}", f"{folder}/{number}/other", NOTIFY_SOCKET=name)
        run("status", "--server", manager.address).ends(DONE)
        equal(manager.stop(), [])


@test
def exposure(_):
    said = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", UNIT],
                          stdout=subprocess.PIPE, text=True, timeout=SECONDS, check=True).stdout
    level = float(re.search(r"Overall exposure level for .*: ([0-9.]+)", said).group(1))
    equal((level, level <= MOST_EXPOSURE), (level, True))


@test
def unit_is_understood(folder):
    """With the program of the tests, since the one that it names need not be installed."""
    with open(UNIT, encoding="utf-8") as file:
        text = file.read()
    command = re.search(r"^ExecStart=(\S+)", text, re.M).group(1)
    equal(os.path.basename(command), "tallorder")
    path = f"{folder}/tallorder.service"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(command, os.path.abspath(PROGRAM)))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", path],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=SECONDS, check=False)
    equal((done.returncode, [line for line in done.stdout.splitlines() if "tallorder" in line]), (0, []))


def calls_of(group):
    """The system calls of a group, as systemd has them."""
    said = subprocess.run(["systemd-analyze", "syscall-filter", "--no-pager", group],
                          stdout=subprocess.PIPE, text=True, timeout=SECONDS, check=True).stdout
    names = re.findall(r"^    (@?\w[\w-]*)$", said, re.M)
    return {one for name in names for one in (calls_of(name) if name[0] == "@" else [name])}


@test
def system_calls(folder):
    """What `serve` does while it starts, works and stops is allowed by the unit."""
    with open(UNIT, encoding="utf-8") as file:
        allowed, denied = re.findall(r"^SystemCallFilter=~?(.*)$", file.read(), re.M)
    allowed, denied = calls_of(allowed), set().union(*map(calls_of, denied.split()))
    store, trace = new_store(folder), f"{folder}/trace"
    with subprocess.Popen(["strace", "-f", "-qq", "-o", trace, PROGRAM, "serve", "--store", store,
                           "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True) as tracer:
        address = tracer.stdout.readline().split()[2]
        run("put", "--server", address, "-", stdin='{"customer_number":"C","order_number":"O"}').ends(DONE)
        run("list", "--server", address, "C").ends(DONE)
        with open(trace, encoding="utf-8", errors="replace") as file:
            lines = file.read()
        os.kill(int(lines.split()[0]), signal.SIGTERM)
    with open(trace, encoding="utf-8", errors="replace") as file:
        called = set(re.findall(r"^\d+ +(\w+)\(", file.read(), re.M))
    equal("bind" in called and "fdatasync" in called, True)
    equal(sorted(called - allowed | called & denied), [])


if __name__ == "__main__":
    sys.exit(main())
