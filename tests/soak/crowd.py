# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Clients that nobody wants: each kind comes from a loopback address of its own."""

import contextlib
import multiprocessing
import os
import random
import socket
import ssl
import struct
import threading
import time

SECONDS = 20  # of one step of theirs
HELD = 40  # connections that a kind keeps open
ANNOUNCED = 16 * 1024 * 1024
FED = 72 * 1024  # in each turn of a slow request: just above the pace that a server asks for
HTTP = b"GET /metrics HTTP/1.0\r\n\r\n"
NICE = 10  # such clients are elsewhere: their own work is not to take the processors from the server
FORBIDDEN = 14  # in the IDL


def text(value):
    return struct.pack(">i", len(value)) + value.encode()


def frame(name, arguments=b""):
    """A framed call in the binary protocol."""
    message = struct.pack(">I", 0x80010001) + text(name) + struct.pack(">i", 1) + arguments + b"\0"
    return struct.pack(">i", len(message)) + message


def get_order(customer, order):
    return frame("getOrder", b"\x0b\0\1" + text(customer) + b"\x0b\0\2" + text(order))


class Kind:
    """One kind of client, in a thread: again and again while the crowd is let loose."""

    def __init__(self, crowd, number):
        self.crowd, self.source, self.done = crowd, f"127.0.0.{number}", 0
        self.held = []

    def connect(self, port=None):
        connection = socket.create_connection(("127.0.0.1", port or self.crowd.port), timeout=SECONDS,
                                              source_address=(self.source, 0))
        return connection

    def secure(self, name):
        """A connection with TLS and the certificate NAME; None: without one."""
        return self.crowd.context(name).wrap_socket(self.connect(), server_hostname="localhost")

    def run(self):
        while not self.crowd.ended.is_set():
            if not self.crowd.loose.wait(0.2):
                self.let_go()
                continue
            with contextlib.suppress(OSError):
                self.turn()
            self.done += 1
            self.crowd.counts[type(self).__name__.lower()] = self.done
            time.sleep(self.pause)
        self.let_go()

    def let_go(self):
        for connection in self.held:
            connection.close()
        self.held = []

    def hold(self, make):
        """Opens one more of HELD; each that the server has closed goes."""
        self.held = [one for one in self.held if not self.is_over(one)]
        if len(self.held) < HELD:
            self.held.append(make())

    @staticmethod
    def is_over(connection):
        connection.settimeout(0)
        try:
            over = not connection.recv(1)
        except (BlockingIOError, ssl.SSLWantReadError):
            over = False
        except OSError:
            over = True
        if over:
            connection.close()
        else:
            connection.settimeout(SECONDS)
        return over


class Churn(Kind):
    """Comes and goes: closed, reset, or after a handshake or a call."""
    pause = 0.02

    def turn(self):
        what = random.randrange(4)
        connection = self.connect() if what < 2 else self.secure("web")
        if what == 1:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if what == 3:
            connection.sendall(frame("ping"))
            connection.recv(100)
        connection.close()


class Garbage(Kind):
    """What is not TLS, and what is not a call."""
    pause = 0.05

    def turn(self):
        plain = (os.urandom(300), HTTP, frame("ping"), b"\x16\x03\x01\2\0" + os.urandom(512), b"\x80" * 9000)
        inside = (os.urandom(300), HTTP, struct.pack(">i", -1), frame("ping")[:-1], frame("getOrder", os.urandom(60)),
                  struct.pack(">i", ANNOUNCED) + os.urandom(100))
        data = random.choice(plain + inside)
        with (self.connect() if data in plain else self.secure("web")) as connection:
            connection.sendall(data)
            connection.settimeout(1)
            connection.recv(100)


class Hello(Kind):
    """Handshakes that go on byte by byte, and end nowhere."""
    pause = 0.1

    def turn(self):
        def begin():
            connection = self.connect()
            connection.sendall(b"\x16\x03\x01\2\0\1\0\1\xfc\3\3")
            return connection

        self.hold(begin)
        for connection in self.held:
            connection.send(b"\0")


class Feeder(Kind):
    """Large requests that come as slowly as they may."""
    pause = 0.5

    def turn(self):
        def begin():
            connection = self.secure("web")
            connection.sendall(struct.pack(">i", ANNOUNCED))
            return connection

        self.hold(begin)
        for connection in self.held:
            connection.settimeout(0)
            with contextlib.suppress(ssl.SSLWantWriteError, BlockingIOError):
                connection.send(bytes(FED))


class Silent(Kind):
    """Asks for a large order again and again, and takes no answer."""
    pause = 0.2

    def turn(self):
        def begin():
            connection = self.secure("web")
            connection.sendall(get_order("LARGE", "1") * 50)
            return connection

        if len(self.held) < HELD // 2:
            self.held.append(begin())
        elif random.randrange(10) == 0:
            self.let_go()


class Idle(Kind):
    """Comes in and says nothing."""
    pause = 0.1

    def turn(self):
        self.hold(lambda: self.secure("web"))


class Stranger(Kind):
    """Certificates that are not good, and calls that are not allowed; these are counted."""
    pause = 0.1

    def turn(self):
        name = random.choice((None, "late", "unknown", "revoked", "stranger", "web"))
        with self.secure(name) as connection:
            connection.sendall(frame("deleteOrder", b"\x0b\0\1" + text("LARGE") + b"\x0b\0\2" + text("1")))
            answer = connection.recv(4096)
            if answer and struct.pack(">hi", 1, FORBIDDEN) not in answer:
                self.crowd.counts["let in by mistake"] = self.crowd.counts.get("let in by mistake", 0) + 1
            if answer:
                self.crowd.counts["forbidden"] = self.crowd.counts.get("forbidden", 0) + 1


class Scraper(Kind):
    """At the metrics: garbage, silence, requests that are half there."""
    pause = 0.1

    def turn(self):
        self.hold(lambda: self.connect(self.crowd.metrics))
        with self.connect(self.crowd.metrics) as connection:
            connection.sendall(random.choice((HTTP, os.urandom(200), b"GET /metr", b"GET / HTTP/1.1\r\n" * 600)))
            connection.settimeout(1)
            connection.recv(100)


KINDS = (Churn, Churn, Garbage, Hello, Feeder, Silent, Idle, Stranger, Scraper)


class Crowd:
    """All of them, in a process of their own."""

    def __init__(self, port, metrics, files):
        """FILES: of each name (None: no certificate) the certificate and its key."""
        spawn = multiprocessing.get_context("spawn")
        self._manager = spawn.Manager()
        self.port, self.metrics, self._files = port, metrics, files
        self.loose, self.ended = spawn.Event(), spawn.Event()
        self.counts = self._manager.dict()
        shared = (port, metrics, files, self.loose, self.ended, self.counts)
        self._process = spawn.Process(target=_work, args=shared, daemon=True)
        self._process.start()

    def end(self):
        self.ended.set()
        self._process.join(60)
        counts = dict(self.counts)
        self._manager.shutdown()
        return counts


class _Loose:
    """What the kinds see of their crowd."""

    def __init__(self, port, metrics, files, loose, ended, counts):
        self.port, self.metrics, self.loose, self.ended, self.counts = port, metrics, loose, ended, counts
        self._contexts = {name: self._make(*pair) for name, pair in files.items()}

    @staticmethod
    def _make(certificate=None, key=None):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        if certificate:
            context.load_cert_chain(certificate, key)
        return context

    def context(self, name):
        return self._contexts[name]


def _work(*shared):
    os.nice(NICE)
    crowd = _Loose(*shared)
    threads = [threading.Thread(target=kind(crowd, number).run) for number, kind in enumerate(KINDS, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
