# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""What the tests of the program share: they drive it like a user and speak TAP. Each is called as

    NAME.py TALLORDER SOURCE_ROOT
"""

import fcntl
import json
import os
import pathlib
import pty
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading

PROGRAM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
NORTHWIND = SOURCE / "tests" / "data" / "northwind"
RETAIL = SOURCE / "tests" / "data" / "online-retail" / "online_retail_10k.csv"
SECONDS = 600  # what takes so long hangs, also on a busy machine
DONE, NO, USAGE, FAILED = 0, 1, 2, 3
ORDER = {
    "customer_number": "C1", "order_number": "O1", "sales_date": "2020-02-29T00:00:00.000Z",
    "currency": "EUR",
    "shipping_locations": [
        {"number": 1, "name": "Ann", "address": {"line1": "1 Road", "city": "Reims"},
         "line_items": [{"number": 1, "item_number": "A", "quantity": "2", "price": "1.50"},
                        {"number": 2, "item_number": "B", "quantity": "-1", "price": "0.25"}]},
        {"number": 2},
    ],
    "attributes": {"note": "x"},
}

TESTS = []

# What this was started with, by nohup for example, is not what the program is to be tested with.
for _number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
    if signal.getsignal(_number) == signal.SIG_IGN:
        signal.signal(_number, signal.SIG_DFL)


def names_of(kind):
    """What the program has of a kind: `layouts`, `key_strategies`, `stores`; the default first."""
    told = subprocess.run([PROGRAM, "init", "--list", "--json"], capture_output=True, text=True,
                          timeout=SECONDS, check=True)
    return [one["name"] for one in json.loads(told.stdout)[kind]]


LAYOUTS, KEYS = names_of("layouts"), names_of("key_strategies")


def test(function):
    TESTS.append(function)
    return function


def test_in_full(function):
    """One that takes long, and is only run if everything is: tools/run-tests --all."""
    return test(function) if "TALL_TEST_ALL" in os.environ else function


class Result:
    def __init__(self, arguments, completed):
        self.arguments = arguments
        self.code, self.out, self.err = completed.returncode, completed.stdout, completed.stderr

    def ends(self, code, *texts):
        """Fails unless the program ended with `code` and said all of `texts`."""
        said = self.out + self.err
        missing = [text for text in texts if text not in said]
        if self.code != code or missing:
            raise AssertionError(
                f"tallorder {' '.join(self.arguments)}\nended with {self.code}, not {code}\n"
                f"missing: {missing}\n--- out\n{self.out}\n--- err\n{self.err}")
        if code in (USAGE, FAILED) and not re.match("tallorder(-[a-z-]+)?: ", self.err):
            raise AssertionError(f"tallorder {' '.join(self.arguments)}: no message: {self.err!r}")
        return self


def run(*arguments, stdin="", **options):
    arguments = [str(argument) for argument in arguments]
    stdin = stdin if isinstance(stdin, str) else json.dumps(stdin)
    return Result(arguments, subprocess.run(
        [PROGRAM, *arguments], input=stdin, stdout=options.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE, text=True, timeout=SECONDS, **options))


def equal(got, wanted):
    if got != wanted:
        raise AssertionError(f"got    {got!r}\nwanted {wanted!r}")


class Server:
    def __init__(self, store, *options, program=PROGRAM, **process_options):
        self.process = subprocess.Popen(
            [program, "serve", "--store", store, "--listen", "127.0.0.1:0", *options],
            stdout=subprocess.PIPE, text=True, **process_options)
        line = self.process.stdout.readline()
        if not line.startswith("listening on 127.0.0.1:"):
            self.process.kill()
            raise AssertionError(f"serve said {line!r}")
        self.address = line.split()[2]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def stop(self, by="terminate"):
        if by == "terminate":
            self.process.terminate()
        else:
            self.process.send_signal(by)
        return self.process.wait(timeout=SECONDS)


# How a getOrders of no orders ends: a client asks it first, to find out whether this is a server.
NO_ORDERS = b"\x0f\0\1\x0c\0\0\0\0\0\0"


class FakeServer:
    """Answers the calls of each connection, but for getOrder, as told: a function from the call's
    name and its bytes to those of the answer's struct, or to None, which hangs up."""

    STORED = b"\x0c\0\0" + b"\x0a\0\1" + struct.pack(">q", 4) + b"\0\0"

    def __init__(self, answer):
        self.answer = answer
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.serve)

    @staticmethod
    def failure(code, message):
        text = message.encode()
        return (b"\x0c\0\1" + b"\x08\0\1" + struct.pack(">i", code)
                + b"\x0b\0\2" + struct.pack(">i", len(text)) + text + b"\0\0")

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()

    def serve(self):
        threads = []
        try:
            while True:
                connection = self.listener.accept()[0]
                threads.append(threading.Thread(target=self.serve_one, args=(connection,)))
                threads[-1].start()
        except OSError:
            pass
        for thread in threads:
            thread.join()

    def serve_one(self, connection):
        with connection:
            try:
                while self.serve_call(connection):
                    pass
            except OSError:
                pass

    def serve_call(self, connection):
        def receive(n):
            data = connection.recv(n, socket.MSG_WAITALL)
            return data if len(data) == n else None
        header = receive(4)
        call = receive(struct.unpack(">i", header)[0]) if header else None
        if call is None:
            return False
        end = 8 + struct.unpack(">i", call[4:8])[0]
        name = call[8:end].decode()
        answer = self.failure(3, "no") if call.endswith(NO_ORDERS) else self.answer(name, call)
        if answer is None:
            return False
        reply = b"\x80\1\0\2" + call[4:end + 4] + answer
        connection.sendall(struct.pack(">i", len(reply)) + reply)
        return True


def parse(text):
    """What a get printed as JSON, without the revision, which has to be there."""
    value = json.loads(text)
    revision = value.pop("revision", None)
    if type(revision) is not int or revision < 1:
        raise AssertionError(f"no revision: {text}")
    return value


def new_store(folder, layout="blob", key="hashed", more=()):
    store = f"rocksdb:{folder}/store"
    run("init", "--store", store, "--layout", layout, "--key", key, *more).ends(
        DONE, f"layout {layout}", f"key strategy {key}")
    return store


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def on_terminal(*arguments, columns=0, **environment):
    """Runs the program with a terminal as output; returns what it wrote. @columns: 0: not known."""
    leader, follower = pty.openpty()
    fcntl.ioctl(leader, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdout=follower, stderr=follower,
                               env={**os.environ, **environment})
    os.close(follower)
    chunks = []
    with open(leader, "rb", buffering=0) as terminal:
        while True:
            try:
                chunk = terminal.read(65536)
            except OSError:  # the other end is closed
                break
            if not chunk:
                break
            chunks.append(chunk)
    process.wait(timeout=SECONDS)
    return b"".join(chunks).decode()


def main():
    failed = 0
    print(f"1..{len(TESTS)}", flush=True)
    for number, function in enumerate(TESTS, 1):
        try:
            with tempfile.TemporaryDirectory() as folder:
                function(folder)
            print(f"ok {number} {function.__name__}", flush=True)
        except Exception as error:  # a failed check, or a program that hangs
            failed += 1
            print(f"not ok {number} {function.__name__}", flush=True)
            for line in f"{type(error).__name__}: {error}".splitlines():
                print(f"# {line}", flush=True)
    return 1 if failed else 0
