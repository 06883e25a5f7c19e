# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""A verification goes on when its server goes away and comes back. Speaks TAP.

    outage.py TALLORDER SOURCE_ROOT
"""

import json
import signal
import socket
import struct
import subprocess
import threading

from support import (
    DONE, FAILED, NORTHWIND, PROGRAM, FakeServer, Server, equal, main, new_store, run, test,
)

REFUSED = 3  # connections, before the server is started again


class Relay:
    """Stands for a server that is killed after some answers, and started again later."""

    def __init__(self, store, answers, comes_back=True):
        self.store, self.answers, self.comes_back = store, answers, comes_back
        self.server = Server(store)
        self.refused = 0
        self.waits = threading.Event()  # nothing answers
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.serve)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()
        self.server.__exit__()

    def serve(self):
        """The client has one connection at a time."""
        try:
            while True:
                with self.listener.accept()[0] as connection:
                    if self.is_up():
                        self.pass_on(connection)
        except OSError:
            pass

    def is_up(self):
        if self.server.process.poll() is None:
            return True
        self.refused += 1
        if self.refused == REFUSED:
            self.waits.set()
        if not self.comes_back or self.refused < REFUSED:
            return False
        self.server = Server(self.store)
        return True

    def pass_on(self, client):
        host, port = self.server.address.split(":")
        with socket.create_connection((host, int(port))) as server:
            while (call := receive(client)) is not None:
                server.sendall(call)
                answer = receive(server)
                self.answers -= 1
                if self.answers == 0:  # which is lost
                    self.server.stop(signal.SIGKILL)
                    return
                client.sendall(answer)


def receive(connection):
    """A frame; None: it has hung up."""
    header = connection.recv(4, socket.MSG_WAITALL)
    if len(header) < 4:
        return None
    return header + connection.recv(struct.unpack(">i", header)[0], socket.MSG_WAITALL)


def filled(folder):
    store = new_store(folder, "record-type", "numeric")
    run("load", "--store", store, "--map", "northwind", NORTHWIND / "orders.csv").ends(DONE)
    return store


@test
def a_server_that_is_killed_and_started(folder):
    store = filled(folder)
    undisturbed = run("verify", "--store", store, "--json")
    for answers in (2, 5, 9):
        with Relay(store, answers) as relay:
            result = run("verify", "--server", relay.address, "--rate", 2000, "--json").ends(
                DONE, "no tallorder server answers", "waiting for it")
            equal((result.out, relay.refused), (undisturbed.out, REFUSED))


def verify_until_it_waits(relay, *options):
    """Stops it when it waits. Returns its exit code, and what it has printed."""
    arguments = [PROGRAM, "verify", "--server", relay.address, "--rate", "2000", *options]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        relay.waits.wait(60)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err


@test
def stopped_while_nothing_answers(folder):
    """It ends at once, and says how far it came."""
    store = filled(folder)
    with Relay(store, 4, comes_back=False) as relay:
        code, out, err = verify_until_it_waits(relay, "--json")
        equal(code, 128 + signal.SIGINT)
        equal("Stopped by a signal" in err, True)
        summary = json.loads(out)["summary"]
        equal((summary["whole"], 0 < summary["orders"] < 830), (False, True))


def a_part(cursor, orders):
    """An answer with so many orders; there is more."""
    counts = b"".join(struct.pack(">bhq", 10, number, orders if number == 5 else 0)
                      for number in (4, 5, 6, 7, 8))
    return (b"\x0c\0\0" + b"\x0f\0\1\x0c\0\0\0\0" + b"\x0f\0\2\x0c\0\0\0\0"
            + b"\x0b\0\3" + struct.pack(">i", len(cursor)) + cursor + counts + b"\x02\0\x09\0\0\0")


@test
def a_server_that_fails_for_good(_):
    """What was verified before is summed up, and it is not a success."""
    for begun in (True, False):
        answers = [a_part(b"there", 17)] if begun else []

        def answer(_name, _call, answers=answers):
            return answers.pop() if answers else FakeServer.failure(13, "a defect")

        with FakeServer(answer) as server:
            result = run("verify", "--server", server.address).ends(FAILED, "a defect")
            equal("Verified 17 orders" in result.out, begun)
            equal("sound" in result.out, False)
            equal(result.out == "", not begun)


main()
