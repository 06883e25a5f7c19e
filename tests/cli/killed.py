# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Migrators of embedded stores that are killed while tables are shut. Speaks TAP.

    killed.py TALLORDER SOURCE_ROOT TALLORDER_KILLED

The last one is the program that kills itself at a certain write (kill-at.c). So each moment comes
in each run, however fast the machine is.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading

from support import (DONE, FAILED, NORTHWIND, SECONDS, Server, equal, main, new_store, run, test)

KILLED = sys.argv[3]
NEW = {"customer_number": "VINET", "order_number": "new"}
WRITERS = 3
MOST_WRITES = 100  # from the seal to the end, and of an abort
# What is left before each write of a migration from the seal on: its phase, how many tables of the
# source are shut, and the access of the orders. With one table that has root rows, and with two.
LEFT = ([("copying", 0, "open"), ("sealing", 0, "open"), ("sealing", 1, "sealed"),
         ("closing", 1, "sealed"), ("closing", 1, "closed"), ("closing", 2, "closed")],
        [("copying", 0, "open"), ("sealing", 0, "open"), ("sealing", 1, "sealed"),
         ("sealing", 2, "sealed"), ("closing", 2, "sealed"), ("closing", 2, "closed"),
         ("closing", 2, "closed"), ("closing", 3, "closed")])
MOVES = (("record-type", "blob", "hashed", LEFT[0]), ("blob", "normalized", "numeric", LEFT[1]))
SEALED, CLOSED = "0  closing ", "0 2 none "  # before these writes of the record
# The same before each write of an abort: of what is sealed, and of what is closed. A seal is taken
# away before a table is opened; what was made is dropped last.
LEFT_BY_ABORT = (
    (SEALED, [("sealing", 2, "sealed"), ("aborting", 2, "sealed"), ("aborting", 1, "open")]
     + [("aborting", 0, "open")] * 2 + [("none", 0, "open")] * 2),
    (CLOSED, [("closing", 3, "closed")] + [("aborting", 3, "closed")] * 4
     + [("aborting", n, "open") for n in (2, 1, 0)] + [("none", 0, "open")] * 2))


def at(moment):
    return {**os.environ, "TALL_KILL_AT": moment}


def is_killed(moment, *arguments):
    """Whether it came to that write; else it has ended well."""
    done = subprocess.run([KILLED, *arguments], env=at(moment), capture_output=True, text=True,
                          timeout=SECONDS, check=False)
    if done.returncode not in (DONE, -signal.SIGKILL):
        raise AssertionError(f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.returncode != DONE


def export(*place):
    return sorted(run("export", *place).ends(DONE).out.splitlines())


def look(store):
    """The phase, how many tables of the first generation are shut, and how the orders are."""
    status = json.loads(run("status", "--store", store, "--json").ends(DONE).out)
    tables = {t["name"]: t["access"] for t in status["tables"] if not t["name"].endswith("-2")}
    return status["phase"], sum(a != "open" for a in tables.values()), tables["orders"]


def put(order, *place):
    return run("put", *place, "-", stdin=json.dumps({"order": order}) + "\n")


def works(store, kept):
    """Nothing is lost, changed or doubled, nothing is wrong, and writers get on."""
    place = ("--store", store)
    equal(export(*place), kept)
    run("verify", *place).ends(DONE, "sound")
    put(NEW, *place).ends(DONE)
    run("get", *place, "VINET", "new").ends(DONE)
    run("delete", *place, "VINET", "new").ends(DONE)
    equal(export(*place), kept)


def copied(folder, name, to):
    """The same store once more, as it lies there."""
    shutil.rmtree(f"{folder}/{to}", ignore_errors=True)
    shutil.copytree(f"{folder}/{name}", f"{folder}/{to}")
    return f"rocksdb:{folder}/{to}"


def ready(folder, layout, *move):
    """A store of which everything is copied. Returns what it holds."""
    store = new_store(folder, layout, more=["--index=date"])
    run("load", "--store", store, "--map", "northwind", NORTHWIND / "orders.csv").ends(DONE)
    run("delete", "--store", store, "VINET", "10248").ends(DONE)
    run("migrate", "--store", store, *move, "--pass-only").ends(DONE, "All is copied")
    return export("--store", store)


def resume(store, kept):
    run("migrate", "--store", store).ends(DONE, "Goes on", "Generation 2 counts")
    works(store, kept)


def give_up(store, kept):
    """A migration after that is as any other."""
    run("migrate", "--store", store, "--abort").ends(DONE, "The migration is given up")
    works(store, kept)
    run("migrate", "--store", store, "--to-layout", "wide", "--to-key", "raw").ends(
        DONE, "Generation 3 counts")
    works(store, kept)


def backed_up(folder, name):
    """The same as a backup has it that is made now."""
    for made in ("backup", "restored"):
        shutil.rmtree(f"{folder}/{made}", ignore_errors=True)
    run("backup", "--store", f"rocksdb:{folder}/{name}", f"{folder}/backup").ends(DONE)
    store = f"rocksdb:{folder}/restored"
    run("restore", f"{folder}/backup", "--store", store).ends(DONE)
    return store


def each_kill(folder, name, word, *options):
    """Migrates store @name, and is killed before each write from that with @word on. Yields the store
    then."""
    for n in range(MOST_WRITES):
        store = copied(folder, name, "killed")
        if not is_killed(f"{n} {word}", "migrate", "--store", store, *options):
            return
        yield store
    raise AssertionError("it never ends")


def add_kills(layout, to_layout, to_key, expected):
    def kills(folder):
        kept = ready(folder, layout, "--to-layout", to_layout, "--to-key", to_key)
        left = []
        for store in each_kill(folder, "store", " sealing "):
            left.append(look(store))
            for end in (resume, give_up):
                end(copied(folder, "killed", end.__name__), kept)
                end(backed_up(folder, "killed"), kept)
        equal(left, expected)
    kills.__name__ = f"killed_from_the_seal_on_{layout}"
    test(kills)


for _move in MOVES:
    add_kills(*_move)


@test
def abort_that_is_killed(folder):
    """Before each of its writes, where tables are sealed and where they are closed."""
    kept = ready(folder, "blob", "--to-layout", "record-type")
    for moment, expected in LEFT_BY_ABORT:
        store = copied(folder, "store", "shut")
        equal(is_killed(moment, "migrate", "--store", store), True)
        left = []
        for killed in each_kill(folder, "shut", " aborting ", "--abort"):
            left.append(look(killed))
            for place in (backed_up(folder, "killed"), killed):
                run("migrate", "--store", place, "--abort").ends(DONE)
                works(place, kept)
        equal(left, expected)


class Writer(threading.Thread):
    """Replaces one order of its own, each time with the next number, until nobody answers."""

    def __init__(self, place, number, first=1):
        super().__init__()
        self.place, self.number = place, number
        self.sent, self.done = first - 1, first - 1
        self.begun = threading.Event()

    def run(self):
        while self.write():
            self.begun.set()
        self.begun.set()

    def write(self):
        self.sent += 1
        order = {"customer_number": "WRITER", "order_number": self.number,
                 "attributes": {"n": str(self.sent)}}
        if put(order, *self.place).code == DONE:
            self.done = self.sent
        return self.done == self.sent

    def check(self, *place):
        """What was acknowledged is there, or what was sent after it."""
        order = json.loads(run("get", *place, "WRITER", self.number, "--json").ends(DONE).out)
        n = int(order["attributes"]["n"])
        equal(self.done <= n <= self.sent, True)


def add_server_that_is_killed(moment, state, end, generation):
    def kills(folder):
        store = new_store(folder, "record-type", more=["--index=date"])
        with Server(store, program=KILLED, env=at(moment)) as server:
            place = ("--server", server.address)
            writers = [Writer(place, str(i)) for i in range(WRITERS)]
            for writer in writers:
                writer.start()
            for writer in writers:
                writer.begun.wait()
            run("migrate", *place, "--to-layout", "blob").ends(FAILED, "migrate again")
            equal(server.process.wait(timeout=SECONDS), -signal.SIGKILL)
            for writer in writers:
                writer.join()
        equal(look(store), state)
        with Server(store) as server:
            place = ("--server", server.address)
            run("migrate", *place, *end).ends(DONE, "given up" if end else "Goes on")
            for writer in writers:
                writer.check(*place)
                writer.place = place
                equal(writer.write(), True)
                writer.check(*place)
            run("verify", *place).ends(DONE, "sound")
            equal(len(export(*place)), WRITERS)
            status = json.loads(run("status", *place, "--json").ends(DONE).out)
            equal((status["generation"], status["phase"]), (generation, "none"))
    kills.__name__ = f"server_killed_while_{state[2]}_generation_{generation}"
    test(kills)


for _moment, _state in ((SEALED, LEFT[0][2]), (CLOSED, LEFT[0][5])):
    add_server_that_is_killed(_moment, _state, (), 2)
    add_server_that_is_killed(_moment, _state, ("--abort",), 1)


main()
