# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""What the fault tests share: the workload, the checker of its histories, the fault proxy."""

import contextlib
import ctypes
import fcntl
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

from support import BUILD, PROGRAM, SOURCE, TAKES_ALL, Checks, choices, names_of  # noqa: E402,F401

LAYOUTS = names_of("layouts")
MULTI_ROW_LAYOUTS = tuple(one["name"] for one in choices("layouts") if not one["single_row"])
TOOLS = BUILD / "tests" / "faults" / "go"
RIGHT, WRONG, UNDECIDED = 0, 1, 3  # exit codes of the checker
SHOWN_LINES = 60
PR_SET_PDEATHSIG = 1


def go(*arguments, timeout=600):
    """Runs the go command on our module. Its caches are the user's, as with Maven's."""
    command = shutil.which("go") or "/usr/lib/go/bin/go"
    if not os.path.exists(command):
        raise AssertionError("Go is needed for the fault tests: apt-get install golang-go")
    environment = dict(os.environ, GOFLAGS="-mod=readonly")
    environment.setdefault("HOME", str(BUILD))
    result = subprocess.run([command, *arguments], cwd=SOURCE / "tests" / "faults", text=True,
                            env=environment, capture_output=True, timeout=timeout)
    if result.returncode != 0:
        raise AssertionError(f"go {' '.join(arguments)}:\n{result.stdout}{result.stderr}")
    return result.stdout


def build_tools():
    """Builds the programs that are written in Go, one test at a time."""
    TOOLS.mkdir(parents=True, exist_ok=True)
    with open(TOOLS / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        go("build", "-o", str(TOOLS) + "/", "./...")


def workload_command(store, history, **options):
    """The command line; an option is given as often as its list has values."""
    where = ["--store", store] if store else []  # else a server, by OPTIONS
    command = [str(BUILD / "tests" / "faults" / "workload"), *where, "--history", str(history)]
    for name, value in options.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            command.append(f"--{name.replace('_', '-')}={one}")
    return command


def run_workload(store, history, timeout=900, **options):
    """Runs a workload to its end. Returns what it has said."""
    command = workload_command(store, history, **options)
    result = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: {result.returncode}\n{result.stderr}")
    return result.stdout


def start_workload(store, history, **options):
    """Starts a workload that dies with this test, however that ends."""
    prctl = ctypes.CDLL(None).prctl
    return subprocess.Popen(workload_command(store, history, **options),
                            preexec_fn=lambda: prctl(PR_SET_PDEATHSIG, signal.SIGKILL))


@contextlib.contextmanager
def workload(store, history, **options):
    """A workload beside the test; killed at the end if it still runs."""
    process = start_workload(store, history, **options)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


class Verdict:
    """What the checker says of some histories."""

    def __init__(self, *histories, timeout="900s", garbled=False, first=False):
        """FIRST: one order that is wrong is enough, and the others may stay unknown."""
        result = subprocess.run(
            [str(TOOLS / "check"), "-json", "-timeout", timeout, f"-garbled={garbled}",
             f"-first={first}", *map(str, histories)],
            capture_output=True, text=True, timeout=3000,
        )
        self.code = result.returncode
        self.found = json.loads(result.stdout) if result.stdout else {}
        self.problems = (self.found.get("wrong") or []) + (self.found.get("undecided") or [])
        self._error = result.stderr

    def count(self, outcome, *calls):
        """How many calls ended so."""
        return sum(number for name, number in self.found.get("counts", {}).items()
                   if name.split()[1] == outcome and (not calls or name.split()[0] in calls))

    @property
    def longest(self):
        return self.found["longest"]["seconds"]

    def __str__(self):
        counts = ", ".join(f"{name} {number}"
                           for name, number in sorted(self.found.get("counts", {}).items()))
        lines = "\n".join(self.problems + [self._error]).splitlines()
        shown = "\n".join(lines[:SHOWN_LINES])
        return f"{self.found.get('calls')} calls: {counts}\n{shown}".rstrip()

    def is_right(self, acknowledged):
        """Whether all answers fit together, and enough was asked that this says something."""
        return (self.code == RIGHT and self.count("ok", "put") >= acknowledged
                and self.count("ok", "patch") >= acknowledged // 40
                and self.found["concurrent"] >= acknowledged // 4)
