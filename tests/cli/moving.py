# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Moves deployments through a running server, like a user. Speaks TAP.

    moving.py TALLORDER SOURCE_ROOT
"""

import json
import signal
import struct
import subprocess
import sys
import tempfile
import time

from support import (DONE, FAILED, NO, NORTHWIND, PROGRAM, SECONDS, USAGE, FakeServer, Server, equal,
                     main, new_store, run, test)

SLOW = ("--rate", "1")  # 830 orders last longer than any test


def filled(folder, layout="blob"):
    store = new_store(folder, layout)
    run("load", "--store", store, "--map", "northwind", NORTHWIND / "orders.csv").ends(DONE)
    return store


def export(*place):
    return sorted(run("export", *place).ends(DONE).out.splitlines())


def status(server):
    return json.loads(run("status", "--server", server.address, "--json").ends(DONE).out)


def lines(result):
    return [json.loads(line) for line in result.out.splitlines()]


class Following:
    """A `migrate` of a server that is still running."""

    def __init__(self, server, *options):
        self.server = server
        self.process = subprocess.Popen(
            [PROGRAM, "migrate", "--server", server.address, *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def until_copying(self):
        deadline = time.monotonic() + SECONDS
        while True:
            said = status(self.server)
            if said.get("migration", {}).get("copied"):
                return said
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise AssertionError(f"it does not copy: {said}")

    def ends(self, code, *texts):
        out, err = self.process.communicate(timeout=SECONDS)
        missing = [text for text in texts if text not in out + err]
        if self.process.returncode != code or missing:
            raise AssertionError(f"ended with {self.process.returncode}, not {code}; missing: "
                                 f"{missing}\n--- out\n{out}\n--- err\n{err}")

    def signal(self, number):
        self.process.send_signal(number)
        return self


@test
def there_and_back(folder):
    store = filled(folder)
    before = export("--store", store)
    with Server(store) as server:
        place = ("--server", server.address)
        run("migrate", *place, "--to-layout", "normalized", "--to-key", "numeric").ends(
            DONE, "from layout blob, key hashed", "to layout normalized, key numeric", "830 orders",
            "there is room for", "Generation 2 counts", "--drop-source")
        equal(export(*place), before)
        plan, summary = lines(run("migrate", *place, "--to-layout", "blob", "--to-key", "hashed",
                                  "--json").ends(DONE))
        equal([plan["plan"][k] for k in ("resumed", "from_layout", "to_layout", "generation",
                                         "target", "orders")],
              [False, "normalized", "blob", 2, 3, 830])
        equal([summary["summary"][k] for k in ("outcome", "generation", "looked_at", "copied")],
              ["switched", 3, 830, 830])
        run("migrate", *place, "--to-layout", "blob").ends(DONE, "nothing to change")
        run("migrate", *place, "--drop-source").ends(DONE, "tables are removed")
        run("migrate", *place, "--abort").ends(DONE, "No migration is going on")
        run("verify", *place).ends(DONE, "sound")
        equal("migration" in status(server), False)
        equal(server.stop(), 0)
    equal(export("--store", store), before)


@test
def in_two_calls(folder):
    """Copying and the switch, by a server and by a store."""
    store = filled(folder)
    with Server(store) as server:
        place = ("--server", server.address)
        run("migrate", *place, "--to-layout", "wide", "--pass-only").ends(DONE, "All is copied")
        run("migrate", *place, "--to-layout", "blob").ends(NO, "layout wide", "not to blob")
        run("migrate", *place, "--drop-source").ends(NO, "going on", "--abort")
        run("migrate", *place, "--pause", "0").ends(NO, "writes would wait", "0.0 s are allowed")
        run("status", *place).ends(DONE, "copying, to layout wide", "everybody goes on")
    run("migrate", "--store", store).ends(DONE, "Goes on", "Generation 2 counts")


@test
def client_that_goes_away(folder):
    """The server goes on. Others see how far it is, join it, and give it up."""
    store = filled(folder)
    with Server(store) as server:
        place = ("--server", server.address)
        one = Following(server, "--to-layout", "wide", *SLOW)
        said = one.until_copying()["migration"]
        equal([said[k] for k in ("task", "stage", "pass", "all")], ["move", "copying", 1, 830])
        run("status", *place).ends(DONE, "copying, to layout wide", "The server works on that",
                                   "copying, pass 1", "migrate --server")
        one.signal(signal.SIGKILL).ends(-signal.SIGKILL)
        Following(server).signal(0)
        two = Following(server, "--to-layout", "wide", *SLOW)
        two.until_copying()
        run("migrate", *place, "--to-layout", "normalized").ends(
            NO, "its layout is wide, not normalized", "leave that option out", "--abort")
        run("migrate", *place, "--rate", 2).ends(NO, "its rate is 1 a second")
        run("migrate", *place, "--drop-source").ends(NO, "going on here")
        three = Following(server)
        out = run("migrate", *place, "--abort").ends(DONE, "The migration is given up").out
        equal([said for said in ("runs in the server already", "to layout wide") if said in out], [])
        two.ends(NO, "runs in the server already", "asked to give the migration up")
        three.process.wait(timeout=SECONDS)
        run("status", *place).ends(DONE, "layout       blob")
        run("migrate", *place, "--to-layout", "wide").ends(DONE, "Generation 3 counts")
        equal(server.stop(), 0)


@test
def client_that_is_stopped(folder):
    with Server(filled(folder)) as server:
        one = Following(server, "--to-layout", "wide", *SLOW)
        one.until_copying()
        one.signal(signal.SIGINT).ends(128 + signal.SIGINT, "the server goes on with it", "--abort")
        equal(status(server)["migration"]["stage"], "copying")


@test
def server_that_is_killed(folder):
    """The next one goes on, of a store or of a server."""
    store = filled(folder)
    before = export("--store", store)
    for place, generation in (("--store", 2), ("--server", 3)):
        layout = "wide" if place == "--store" else "record-type"
        with Server(store) as server:
            one = Following(server, "--to-layout", layout, *SLOW)
            one.until_copying()
            server.stop(signal.SIGKILL)
            one.ends(FAILED, "does not answer any more", "migrate again")
        run("status", "--store", store).ends(DONE, f"copying, to layout {layout}",
                                             "tallorder migrate")
        if place == "--store":
            run("migrate", place, store).ends(DONE, "Goes on", f"Generation {generation} counts")
        else:
            with tempfile.TemporaryFile("a+") as log, Server(store, stderr=log) as server:
                run("migrate", place, server.address).ends(DONE, "Goes on",
                                                           f"Generation {generation} counts")
                log.seek(0)
                equal("nobody works on here (phase copying)" in log.read(), True)
    run("verify", "--store", store).ends(DONE, "sound")
    equal(export("--store", store), before)


@test
def server_that_is_stopped(folder):
    """It ends well and at once, says what is to be done, and the next one goes on."""
    store = filled(folder)
    with tempfile.TemporaryFile("a+") as log, Server(store, stderr=log) as server:
        one = Following(server, "--to-layout", "denormalized", *SLOW)
        one.until_copying()
        begin = time.monotonic()
        equal(server.stop(), 0)
        equal(time.monotonic() - begin < 60, True)
        one.ends(FAILED, "migrate again")
        log.seek(0)
        said = log.read()
        equal([text for text in ("stopped with the server", "`tallorder migrate` goes on", "--abort")
               if text not in said], [])
    run("migrate", "--store", store).ends(DONE, "Goes on", "Generation 2 counts")
    run("verify", "--store", store).ends(DONE, "sound")


def text(number, said):
    return b"\x0b" + struct.pack(">hi", number, len(said)) + said.encode()


def integer(number, value):
    return b"\x0a" + struct.pack(">hq", number, value)


def short(number, value):
    return b"\x08" + struct.pack(">hi", number, value)


def a_state(task, running, outcome=None, generation=0, more=b""):
    """A MigrationState as an answer."""
    body = text(1, "its-id") + text(2, task) + b"\x02\0\3" + bytes([running]) + text(5, "copying")
    if outcome is not None:
        body += text(14, outcome) + integer(15, generation)
    return b"\x0c\0\0" + body + more + b"\0\0"


@test
def each_figure_and_each_end(_):
    """What a server says is shown where it belongs, and the exit code is right."""
    texts = [f"{way}_{what}" for way in ("from", "to") for what in ("layout", "key_strategy",
                                                                  "index")]
    numbers = ("generation", "target", "orders", "customers", "lines", "bytes", "needed", "room",
               "copy_ms", "pause_ms", "pause_limit_ms")
    plan = {"resumed": False, **{name: f"a {name}" for name in texts},
            **{name: 1000 + i for i, name in enumerate(numbers)}, "loads": 7}
    sent = (b"\x0c\0\x0c" + b"".join(text(2 + i, plan[name]) for i, name in enumerate(texts))
            + b"".join(integer(8 + i, plan[name]) for i, name in enumerate(numbers))
            + short(19, 7) + b"\0" + integer(7, 20) + short(16, 3) + integer(17, 21)
            + integer(18, 22) + integer(19, 23999))
    for outcome, code in (("switched", DONE), ("passed", DONE), ("too-long", NO), ("unfit", NO),
                          ("stopped", NO), ("overtaken", NO), ("unchanged", DONE)):
        with FakeServer(lambda *_, end=outcome: a_state("move", False, end, 2, sent)) as server:
            shown = lines(run("migrate", "--server", server.address, "--json").ends(code))
        equal(shown, [{"plan": plan},
                      {"summary": {"outcome": outcome, "generation": 2, "passes": 3,
                                   "looked_at": 20, "copied": 21, "unfit": 22, "pause_ms": 23}}])


@test
def hostile_times(_):
    """More milliseconds than microseconds can be counted, and less than none."""
    names = ("copy_ms", "pause_ms", "pause_limit_ms")
    for said, shown in ((2 ** 63 - 1, (2 ** 63 - 1) // 1000), (-2 ** 63, 0)):
        plan = (b"\x0c\0\x0c" + b"".join(text(2 + i, "x") for i in range(6))
                + b"".join(integer(16 + i, said) for i in range(3)) + b"\0" + integer(11, said))
        with FakeServer(lambda *_, plan=plan: a_state("move", False, "switched", 2, plan)) as server:
            out = lines(run("migrate", "--server", server.address, "--json").ends(DONE))
        equal([out[0]["plan"][name] for name in names], [shown] * 3)


@test
def abort_that_is_too_late(_):
    """The migration has switched, and both callers learn it."""
    def answer(name, _call):
        return a_state("move", True) if name == "startMigration" else a_state(
            "abort", False, "switched", 2)

    with FakeServer(answer) as server:
        place = ("--server", server.address)
        run("migrate", *place, "--to-layout", "wide").ends(DONE, "Generation 2 counts")
        equal(lines(run("migrate", *place, "--json").ends(DONE))[0]["summary"]["outcome"],
              "switched")
        run("migrate", *place, "--abort").ends(NO, "Generation 2 counts", "had switched before",
                                               "migrate back")


@test
def task_that_is_forgotten(_):
    """Nobody knows how it has ended: that is neither done nor a no."""
    def answer(name, _call):
        return a_state("move", True) if name == "startMigration" else FakeServer.failure(
            1, "the server knows nothing of it")

    with FakeServer(answer) as server:
        for options in (["--to-layout", "wide"], ["--abort"], ["--drop-source"]):
            run("migrate", "--server", server.address, *options).ends(FAILED, "knows nothing")


@test
def colliding_orders(folder):
    """What cannot be copied is named by the server, too."""
    store = new_store(folder, "blob", "raw")
    one, other = (f"TEXTCOLLBYfGiJUETHQ4h{c}cKSMd5zYpgqf1YRDhkmxHkhPWptrkoyz28wnI9V0aHeAuaKnak"
                  for c in "AE")
    for number in (one, other):
        order = {"customer_number": "C", "order_number": number, "shipping_locations": []}
        run("put", "--store", store, "-", stdin=json.dumps({"order": order})).ends(DONE)
    with Server(store) as server:
        place = ("--server", server.address)
        result = run("migrate", *place, "--to-key", "hashed").ends(
            NO, "does not fit", "that row belongs to", "1 cannot be copied", "--abort")
        equal(one in result.out and other in result.out, True)
        unfit = [line["unfit"] for line in lines(run("migrate", *place, "--json").ends(NO))
                 if "unfit" in line]
        equal([item["customer_number"] for item in unfit], ["C"])


@test
def refused(folder):
    store = new_store(folder, "blob", "hashed")
    with Server(store) as server:
        place = ("--server", server.address)
        for options, said in ((["--to-layout", "flat"], "no layout “flat”"),
                              (["--pause", "-1"], "--pause takes"),
                              (["--abort", "--drop-source"], "not both"),
                              (["--abort", "--pass-only"], "none of the options"),
                              (["--settled"], "--store"),
                              (["--store", store], "not both")):
            run("migrate", *place, *options).ends(USAGE, said)
    with Server(store, "--trusted-proxies", "127.0.0.1") as server:
        place = ("--server", server.address)
        for options in (["--to-layout", "wide"], ["--abort"], ["--drop-source"]):
            run("migrate", *place, *options).ends(FAILED, "its own machine")
        run("status", *place).ends(DONE, "layout       blob")
    run("migrate", "--server", "127.0.0.1:1", "--abort").ends(FAILED, "no tallorder server answers")
    run("status", "--store", store).ends(DONE, "generation   1")


if __name__ == "__main__":
    sys.exit(main())
