# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""What the end-to-end tests share: the built program, a server, and a client in another language.

The client is Python's Thrift library with code generated from idl/tallorder.thrift: it knows
nothing of our C code, so it sees what any user's program sees.
"""

import contextlib
import importlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TALL_BUILD_ROOT") or os.environ.get("BUILD") or SOURCE / "build").absolute()
PROGRAM = BUILD / "src" / "cli" / "tallorder"
NORTHWIND = SOURCE / "tests" / "data" / "northwind"
START_SECONDS = 300
TAKES_ALL = "TALL_TEST_ALL" in os.environ  # set by tools/run-tests --all


def run(*arguments, code=0, **options):
    """Runs the program; fails unless it exits with `code`, if that is not None. Returns what it
    printed."""
    result = subprocess.run(
        [str(PROGRAM), *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=600, **options,
    )
    if code is not None and result.returncode != code:
        raise AssertionError(
            f"tallorder {' '.join(map(str, arguments))}: exit code {result.returncode}, not {code}\n"
            f"{result.stdout}{result.stderr}"
        )
    return result.stdout


def choices(kind):
    """What the program has of a kind: `layouts`, `key_strategies`, `stores`; the default first."""
    return json.loads(run("init", "--list", "--json"))[kind]


def names_of(kind):
    return tuple(choice["name"] for choice in choices(kind))


class Server:
    """`tallorder serve` on a port that the kernel chose; ended by its own process id."""

    def __init__(self, store, **options):
        self.process = subprocess.Popen(
            [str(PROGRAM), "serve", "--store", store, "--listen", "127.0.0.1:0"],
            stdout=subprocess.PIPE, text=True, **options,
        )
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            self.process.kill()
            raise AssertionError(f"tallorder serve --store {store} did not start: {line!r}")
        self.address = line.split()[2]

    def stop(self):
        """Ends it as an operator would. It must end well, and by itself."""
        self.process.terminate()
        code = self.process.wait(timeout=60)
        if code != 0:
            raise AssertionError(f"tallorder serve ended with {code}")

    def kill(self):
        """Ends it as a power cut would."""
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def serving(store):
    server = Server(store)
    try:
        yield server
        server.stop()
    finally:
        if server.process.poll() is None:
            server.kill()


def generate(idl, folder):
    """Generates Python for a Thrift file and makes it importable."""
    subprocess.run(["thrift", "--gen", "py", "-out", str(folder), str(idl)], check=True)
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    importlib.invalidate_caches()


@contextlib.contextmanager
def generated(*names):
    """The modules that Thrift makes of idl/NAME.thrift, in a folder that goes away."""
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            generate(SOURCE / "idl" / f"{name}.thrift", folder)
        yield


@contextlib.contextmanager
def connected(address, service, framed=True, compact=False, seconds=30):
    """A client of a generated service module."""
    from thrift.protocol import TBinaryProtocol, TCompactProtocol
    from thrift.transport import TSocket, TTransport

    host, port = address.rsplit(":", 1)
    socket = TSocket.TSocket(host, int(port))
    socket.setTimeout(seconds * 1000)
    wrap = TTransport.TFramedTransport if framed else TTransport.TBufferedTransport
    transport = wrap(socket)
    protocol = (TCompactProtocol.TCompactProtocol if compact
                else TBinaryProtocol.TBinaryProtocolAccelerated)(transport)
    transport.open()
    try:
        yield service.Client(protocol)
    finally:
        transport.close()


def pages(call, request):
    """All pages of a listing."""
    while True:
        page = call(request)
        yield page
        request.page = page.next_page
        if request.page is None:
            return


class Checks:
    """Speaks TAP: one line a check, and the plan at the end."""

    def __init__(self):
        self.count = self.failed = 0

    def check(self, good, what, detail=""):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} {what}", flush=True)
        if not good and detail:
            print("\n".join(f"# {line}" for line in str(detail).splitlines()), flush=True)

    def skip(self, why):
        self.count += 1
        print(f"ok {self.count} # SKIP {why}", flush=True)

    def finish(self):
        print(f"1..{self.count}", flush=True)
        return 1 if self.failed else 0
