# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Reaches for all the memory of a server, from every side at once. Speaks TAP.

    greed.py [LAYOUT...] [--seconds N] [--memory MIB] [--answers N] [--hogs N] [--hog-memory MIB]

Readers ask again and again for 64 orders of 1 MiB in one call; others ask the same and never read;
others send small requests that are large when they are decoded. The server runs in a memory cgroup
of what src/service/README.md states as its most, where one can be made; else its peak is held
against that. It must live, and a good client's single gets must go on to get answers.

After that many clients put and get orders that are as large as an order and its rows may be, with
the least memory that a server takes, until the time is over and so many calls were answered (100;
a machine that is busy otherwise does fewer in two minutes).
The peak of the process must be within its bound: what was freed is given back. The peaks of the
last third of the time and of the one before show whether it grows.

Without layouts: blob and denormalized, for 3 s each. The long run takes an hour for each layout:

    greed.py --seconds 3600 blob wide normalized record-type denormalized
"""

import argparse
import contextlib
import os
import pathlib
import socket
import struct
import subprocess
import tempfile
import threading
import time

from support import PROGRAM, Checks, run

MIB = 1024 * 1024
ORDERS = 64
READERS = 40
SILENT = 64
SWOLLEN = 16
HOGS = 40
HOG_SECONDS = 120
LEAST_MEMORY = 192

# One address alone gets half of the memory: these two try to have all of it.
ATTACKERS = ("127.0.0.1", "127.0.0.3")
GOOD = "127.0.0.2"

# What src/service/README.md states, in MiB.
SLOT = {"denormalized": 60}
USUAL_SLOT = 12
CONNECTION = 0.75
MAX_CONNECTIONS = 256
WRITE_BUFFERS = 256
PROGRAM_ITSELF = 64
CGROUPS = pathlib.Path("/sys/fs/cgroup")

# ---- The binary and the compact protocol, as far as they are needed ------------------------------

BOOL, I32, I64, TEXT, STRUCT, MAP, LIST = 2, 8, 10, 11, 12, 13, 15


def field(kind, number, content):
    return struct.pack(">bh", kind, number) + content


def text(value):
    data = value.encode() if isinstance(value, str) else value
    return struct.pack(">i", len(data)) + data


def structs(items):
    return struct.pack(">bi", STRUCT, len(items)) + b"".join(items)


def call(name, *fields):
    """A framed call in the binary protocol."""
    body = struct.pack(">I", 0x80010001) + text(name) + struct.pack(">i", 0) + b"".join(fields)
    body += b"\0"
    return struct.pack(">I", len(body)) + body


def put_order(number, lines, description, ship_to=b""):
    items = [field(I32, 1, struct.pack(">i", i + 1)) + field(TEXT, 3, text(description)) + b"\0"
             for i in range(lines)]
    location = (field(I32, 1, struct.pack(">i", 1)) + ship_to + field(LIST, 5, structs(items))
                + b"\0")
    order = (field(TEXT, 1, text("GREED")) + field(TEXT, 2, text(number))
             + field(LIST, 5, structs([location])) + b"\0")
    return call("putOrder", field(STRUCT, 1, order))


def put_large(kind, number):
    """The largest orders: by their text, and by what the denormalized layout writes beside each line."""
    if kind == "lines":
        return put_order(number, 9000, "x" * 106)
    if kind == "name":
        return put_order(number, 100, "", field(TEXT, 2, text("x" * 480 * 1024)))
    return put_order(number, 9999, "", field(STRUCT, 3, field(TEXT, 1, text("x" * 4000)) + b"\0"))


def get_order(number):
    return call("getOrder", field(TEXT, 1, text("GREED")), field(TEXT, 2, text(number)))


def get_orders(numbers):
    ids = [field(TEXT, 1, text("GREED")) + field(TEXT, 2, text(n)) + b"\0" for n in numbers]
    return call("getOrders", field(STRUCT, 1, field(LIST, 1, structs(ids)) + b"\0"))


def get_customer_orders():
    return call("getCustomerOrders", field(STRUCT, 1, field(TEXT, 1, text("GREED"))
                                           + field(I32, 2, struct.pack(">i", 1000)) + b"\0"))


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def swollen(lines):
    """putOrders in the compact protocol with one order of so many empty lines, a byte each."""
    location = b"\x15\x02" + b"\x49" + b"\xfc" + varint(lines) + bytes(lines) + b"\0"
    order = (b"\x18" + varint(5) + b"GREED" + b"\x18" + varint(1) + b"1"
             + b"\x39" + b"\x1c" + location + b"\0")
    request = b"\x19" + b"\x1c" + b"\x1c" + order + b"\0" + b"\0"
    body = b"\x82\x21\x00" + varint(9) + b"putOrders" + b"\x1c" + request + b"\0"
    return struct.pack(">I", len(body)) + body


# ---- Clients ------------------------------------------------------------------------------------


def connect(address, source):
    host, port = address.rsplit(":", 1)
    connection = socket.create_connection((host, int(port)), timeout=30, source_address=(source, 0))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def receive(connection, buffer):
    """The first bytes of a reply; the rest is thrown away."""
    head = b""
    while len(head) < 4:
        piece = connection.recv(4 - len(head))
        if not piece:
            raise OSError("closed")
        head += piece
    left, = struct.unpack(">I", head)
    start = b""
    while left > 0:
        got = connection.recv_into(buffer, min(left, len(buffer)))
        if got == 0:
            raise OSError("closed within a reply")
        start = start or bytes(buffer[:min(got, 64)])
        left -= got
    return start


def is_result(reply, name):
    """Whether it is a result, and not the TallError of the call."""
    rest = reply[4 + 4 + len(name) + 4:]
    return rest[:3] == b"\x0c\0\0"


class Crowd:
    """Threads that attack until they are told to stop."""

    def __init__(self, address):
        self.address = address
        self.stopping = threading.Event()
        self.threads = []
        self.counts = {}
        self.lock = threading.Lock()

    def count(self, what):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + 1

    def add(self, n, work, *arguments):
        for i in range(n):
            source = ATTACKERS[len(self.threads) % len(ATTACKERS)]
            thread = threading.Thread(target=self.repeat, args=(source, work, *arguments),
                                      daemon=True)
            self.threads.append(thread)
            thread.start()

    def repeat(self, source, work, *arguments):
        while not self.stopping.is_set():
            try:
                with contextlib.closing(connect(self.address, source)) as connection:
                    work(self, connection, *arguments)
            except OSError:
                self.count("connections lost")
                self.stopping.wait(0.1)

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join(60)


def read_on(crowd, connection, request, name):
    buffer = bytearray(256 * 1024)
    while not crowd.stopping.is_set():
        connection.sendall(request)
        good = is_result(receive(connection, buffer), name)
        crowd.count(f"{name} answered" if good else f"{name} refused")


def never_read(crowd, connection, request):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.sendall(request)
    crowd.stopping.wait(1000)


def send_swollen(crowd, connection, request):
    buffer = bytearray(4096)
    while not crowd.stopping.is_set():
        connection.sendall(request)
        receive(connection, buffer)
        crowd.count("swollen answered")


def put_and_get(crowd, connection, requests):
    """Its own order, again and again."""
    buffer = bytearray(256 * 1024)
    while not crowd.stopping.is_set():
        for name, request in requests.items():
            connection.sendall(request)
            good = is_result(receive(connection, buffer), name)
            crowd.count("answered" if good else "refused")


class GoodClient(threading.Thread):
    """Gets one small order after the other, and counts the answers."""

    def __init__(self, address):
        super().__init__(daemon=True)
        self.address = address
        self.stopping = threading.Event()
        self.times = []
        self.refused = self.lost = 0

    def run(self):
        request, buffer = get_order("small"), bytearray(4096)
        while not self.stopping.is_set():
            try:
                with contextlib.closing(connect(self.address, GOOD)) as connection:
                    while not self.stopping.is_set():
                        begun = time.monotonic()
                        connection.sendall(request)
                        if is_result(receive(connection, buffer), "getOrder"):
                            self.times.append(time.monotonic() - begun)
                        else:
                            self.refused += 1
                        time.sleep(0.01)
            except OSError:
                self.lost += 1
                time.sleep(0.05)

    def stop(self):
        self.stopping.set()
        self.join(60)


# ---- The server ---------------------------------------------------------------------------------


@contextlib.contextmanager
def memory_group(limit):
    """A cgroup with that many bytes; None where none can be made."""
    for base, file, own in ((CGROUPS / "memory", "memory.limit_in_bytes", "memory:"),
                            (CGROUPS, "memory.max", "0::")):
        folder = base / f"tallorder-greed-{os.getpid()}"
        try:
            folder.mkdir()
            (folder / file).write_text(str(limit))
        except OSError:
            with contextlib.suppress(OSError):
                folder.rmdir()
            continue
        try:
            yield folder
        finally:
            with contextlib.suppress(OSError):
                folder.rmdir()
        return
    yield None


def enter(group):
    if group is not None:
        (group / "cgroup.procs").write_text(str(os.getpid()))


def stated_most(layout, memory):
    """MiB that a server takes at most."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // MIB
    return int(memory + SLOT.get(layout, USUAL_SLOT) + MAX_CONNECTIONS * CONNECTION
               + min(512, machine // 4) + WRITE_BUFFERS + PROGRAM_ITSELF)


def peak(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def resident(pid):
    """MiB in memory now; 0: it has ended."""
    with contextlib.suppress(OSError, ValueError):
        pages = pathlib.Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE") // MIB
    return 0


def peaks_of_thirds(samples):
    """Of (time, MiB): the peaks of the second and of the last third of the time."""
    end = samples[-1][0]
    return [max((size for time_, size in samples if end * i <= 3 * time_ <= end * (i + 1)), default=0)
            for i in (1, 2)]


def store_orders(address, lines, description):
    with contextlib.closing(connect(address, GOOD)) as connection:
        buffer = bytearray(4096)
        connection.sendall(put_order("small", 3, "a line"))
        if not is_result(receive(connection, buffer), "putOrder"):
            raise AssertionError("the small order was not stored")
        for i in range(ORDERS):
            connection.sendall(put_order(f"large-{i}", lines, description))
            if not is_result(receive(connection, buffer), "putOrder"):
                raise AssertionError("a large order was not stored")


@contextlib.contextmanager
def serving(folder, layout, memory, group=None):
    """A server over a new store: its process and its address."""
    store = f"rocksdb:{folder}/store?sync=0"
    run("init", "--store", store, "--layout", layout)
    server = subprocess.Popen(
        [str(PROGRAM), "serve", "--store", store, "--listen", "127.0.0.1:0",
         "--memory", str(memory)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        preexec_fn=lambda: enter(group))
    try:
        yield server, server.stdout.readline().split()[2]
    finally:
        if server.poll() is None:
            server.kill()
        server.wait()


def attack(checks, layout, options):
    limit = stated_most(layout, options.memory)
    with tempfile.TemporaryDirectory() as folder, memory_group(limit * MIB) as group, \
            serving(folder, layout, options.memory, group) as (server, address):
        store_orders(address, 9000, "x" * 106)
        before = peak(server.pid)
        crowd, good = Crowd(address), GoodClient(address)
        numbers = [f"large-{i}" for i in range(ORDERS)]
        begun = time.monotonic()
        good.start()
        crowd.add(READERS, read_on, get_orders(numbers), "getOrders")
        crowd.add(READERS // 4, read_on, get_customer_orders(), "getCustomerOrders")
        crowd.add(SILENT, never_read, get_orders(numbers))
        crowd.add(SWOLLEN // 2, send_swollen, swollen(199_000))
        crowd.add(SWOLLEN // 2, send_swollen, swollen(60_000))
        highest = before
        while time.monotonic() - begun < options.seconds and server.poll() is None:
            highest = max(highest, peak(server.pid))
            time.sleep(0.02)
        alive = server.poll() is None
        lived = time.monotonic() - begun
        crowd.stop() if alive else crowd.stopping.set()
        good.stop()
        checks.check(alive, f"{layout}: the server lives",
                     f"it ended with {server.poll()} after {lived:.1f} s")
        times = sorted(good.times) or [0]
        print(f"# {layout}: peak {highest // MIB} MiB, {before // MIB} before; cgroup "
              f"{'of ' + str(limit) + ' MiB' if group else 'none'}; good client: "
              f"{len(good.times)} answers, {good.refused} refused, {good.lost} lost, p50 "
              f"{times[len(times) // 2] * 1000:.1f} ms, p99 "
              f"{times[len(times) * 99 // 100] * 1000:.0f} ms; {crowd.counts}", flush=True)
        checks.check(highest <= limit * MIB, f"{layout}: within the stated bound")
        checks.check(len(good.times) > 10 * (good.refused + good.lost),
                     f"{layout}: a good client gets its answers")
        if alive:
            server.terminate()
            checks.check(server.wait(timeout=60) == 0, f"{layout}: the server stops")


def hog(checks, layout, options):
    """In no cgroup: the files of the store would count there, if they lie in memory, too."""
    limit = stated_most(layout, options.hog_memory)
    with tempfile.TemporaryDirectory() as folder, \
            serving(folder, layout, options.hog_memory) as (server, address):
        crowd, begun, samples = Crowd(address), time.monotonic(), [(0, 0)]
        for i in range(options.hogs):
            kind = ("name", "address", "name", "lines")[i % 4]
            crowd.add(1, put_and_get, {"putOrder": put_large(kind, f"{i}"),
                                       "getOrder": get_order(f"{i}")})
        end, latest = begun + options.seconds, begun + max(options.seconds, HOG_SECONDS)
        while server.poll() is None and time.monotonic() < (
                end if crowd.counts.get("answered", 0) >= options.answers else latest):
            samples.append((time.monotonic() - begun, resident(server.pid)))
            time.sleep(0.02)
        highest = peak(server.pid)
        checks.check(server.poll() is None, f"{layout}: the server lives beside large orders",
                     f"it ended with {server.poll()}")
        crowd.stop()
        print(f"# {layout}: peak {highest // MIB} of {limit} MiB, of the last two thirds "
              f"{peaks_of_thirds(samples)}; {crowd.counts} in {time.monotonic() - begun:.0f} s",
              flush=True)
        checks.check(0 < highest <= limit * MIB, f"{layout}: within the bound with large orders")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("layouts", nargs="*", default=["blob", "denormalized"])
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--memory", type=int, default=512)
    parser.add_argument("--answers", type=int, default=100)
    parser.add_argument("--hogs", type=int, default=HOGS)
    parser.add_argument("--hog-memory", type=int, default=LEAST_MEMORY)
    options = parser.parse_args()
    checks = Checks()
    for layout in options.layouts or ["blob", "denormalized"]:
        attack(checks, layout, options)
        hog(checks, layout, options)
    return checks.finish()


if __name__ == "__main__":
    raise SystemExit(main())
