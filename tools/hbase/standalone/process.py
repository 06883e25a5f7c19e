# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""The processes of an instance, never anybody else's, and free ports for them."""

import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import time

LOOPBACK = "127.0.0.1"
POLL_SECONDS = 0.05
EXEC_SECONDS = 1.0
PR_SET_PDEATHSIG = 1


def is_port_free(port):
    """Whether nobody listens there; ports of connections that just closed count as free."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def pick_port(preferred, taken):
    """PREFERRED if it is free, so that restarts keep addresses; else one the kernel chooses."""
    if preferred and preferred not in taken and is_port_free(preferred):
        return preferred
    while True:
        with socket.socket() as probe:
            probe.bind((LOOPBACK, 0))
            port = probe.getsockname()[1]
        if port not in taken:
            return port


def spawn(command, log, directory, die_with_parent=False):
    """Starts COMMAND in a session of its own, writing to the new file LOG. Returns its pid."""
    environment = {k: v for k, v in os.environ.items() if k not in ("LD_PRELOAD", "CLASSPATH")}
    prctl = ctypes.CDLL(None).prctl if die_with_parent else None
    with open(log, "wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=directory,
            env=environment,
            start_new_session=True,
            preexec_fn=(lambda: prctl(PR_SET_PDEATHSIG, signal.SIGKILL)) if prctl else None,
        )
    # This object does not wait for the process, which may outlive this command.
    process.returncode = 0
    return process.pid


def is_alive(pid, mark):
    """Whether PID runs with MARK among its arguments: the kernel reuses process ids."""
    if not pid:
        return False
    alive = mark.encode() in _arguments(pid)
    if not alive:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
    return alive


def _arguments(pid):
    """The arguments of process PID; none if it has ended."""
    deadline = time.monotonic() + EXEC_SECONDS
    with contextlib.suppress(OSError):
        while time.monotonic() < deadline:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                arguments = file.read()
            if arguments or _is_zombie(pid):
                return arguments.split(b"\0")
            # It has just been started, and the kernel has not noted its arguments yet.
            time.sleep(0.001)
    return []


def _is_zombie(pid):
    with open(f"/proc/{pid}/stat", "rb") as file:
        return file.read().rpartition(b")")[2].split()[0] in (b"Z", b"X")


def end(processes, grace):
    """Ends (pid, mark) pairs: SIGTERM together, after GRACE seconds SIGKILL. All are gone then."""
    if grace > 0:
        _signal_all(processes, signal.SIGTERM)
        _wait_gone(processes, grace)
    _signal_all(processes, signal.SIGKILL)
    _wait_gone(processes, 30)


def _signal_all(processes, number):
    for pid, mark in processes:
        if is_alive(pid, mark):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)


def _wait_gone(processes, seconds):
    deadline = time.monotonic() + seconds
    while any(is_alive(*process) for process in processes) and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
