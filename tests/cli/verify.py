# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Verifies like a user. Speaks TAP.

    verify.py TALLORDER SOURCE_ROOT
"""

import contextlib
import datetime
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import time

from support import (
    DONE, FAILED, LAYOUTS, NO, NORTHWIND, PROGRAM, USAGE, FakeServer, Server, equal, main, new_store,
    on_terminal, run, test,
)


def lines(result):
    return [json.loads(line) for line in result.out.splitlines()]


def filled(folder, layout, key="hashed"):
    store = new_store(folder, layout, key)
    run("load", "--store", store, "--map", "northwind", NORTHWIND / "orders.csv").ends(DONE)
    run("delete", "--store", store, "VINET", "10248").ends(DONE)
    return store


@test
def a_sound_store(folder):
    for layout in LAYOUTS:
        pathlib.Path(folder, layout).mkdir()
        store = filled(f"{folder}/{layout}", layout, "numeric")
        run("verify", "--store", store).ends(DONE, "Verified 830 orders, 0 customers, 1658 hints",
                                             "(deleted orders: 1): sound")
        summary = lines(run("verify", "--store", store, "--json").ends(DONE))[-1]["summary"]
        equal((summary["orders"], summary["marks"], summary["findings"], summary["whole"]),
              (830, 1, 0, True))


@test
def parts_of_a_store(folder):
    store = filled(folder, "record-type")
    summary = lines(run("verify", "--store", store, "--json", "--customer", "VINET").ends(
        DONE))[-1]["summary"]
    equal((summary["orders"], summary["hints"]), (5, 4))
    summary = lines(run("verify", "--store", store, "--json", "--sample", 20).ends(
        DONE))[-1]["summary"]
    equal((0 < summary["orders"] < 830, summary["sample"], summary["whole"]), (True, 20, False))
    said = run("verify", "--store", store, "--sample", 20).ends(
        DONE, "of a sample of 20 %: nothing found")
    equal("sound" in said.out, False)
    run("verify", "--store", store, "--rate", 100000).ends(DONE, "sound")
    said = run("verify", "--store", store, "--customer", "nobody").ends(
        NO, "Verified 0 orders", ": nothing found", "Nothing of customer nobody is stored")
    equal("sound" in said.out, False)
    run("verify", "--store", store, "--customer", "VINET", "--sample", 20).ends(
        USAGE, "--sample or --customer, not both")


def written(folder):
    return sum(file.stat().st_size for file in pathlib.Path(folder).rglob("*.log"))


def load_and_kill(store, folder):
    """Kills a load in the middle of its writes: when it has written some kilobytes."""
    end = written(folder) + random.randrange(20_000, 200_000)
    arguments = [PROGRAM, "load", "--store", store, "--map", "northwind", NORTHWIND / "orders.csv"]
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as load:
        while written(folder) < end and load.poll() is None:
            time.sleep(0.001)
        load.kill()


def killed_loads(folder):
    """A store in which something is wrong, as loads were killed."""
    for _attempt in range(100):
        store = new_store(folder, "record-type")  # a load that was not killed in time leaves nothing to load
        load_and_kill(store, folder)
        if run("verify", "--store", store).code == NO:
            return store
        shutil.rmtree(f"{folder}/store")
    raise AssertionError("no load was killed in the middle of an order")


def unfinished_loads(store):
    """The status names what was killed, and says what to do."""
    source = str(NORTHWIND / "orders.csv")
    loads = json.loads(run("status", "--store", store, "--json").ends(DONE).out)["unfinished_loads"]
    equal({load["name"] for load in loads}, {source})
    for load in loads:
        begun = datetime.datetime.fromisoformat(load["begun"].replace("Z", "+00:00"))
        equal(abs(time.time() - begun.timestamp()) < 600, True)
        equal(load["stored"] <= 830, True)
    run("status", "--store", store).ends(DONE, source, "LOAD", "BEGUN", "Start it again", "--repair")
    with Server(store) as server:
        served = run("status", "--server", server.address, "--json").ends(DONE)
        equal(json.loads(served.out)["unfinished_loads"], loads)
        run("status", "--server", server.address).ends(DONE, source, "LOAD", "Start it again")
    with Server(store, "--trusted-proxies", "127.0.0.1") as server:
        served = run("status", "--server", server.address, "--json").ends(DONE)
        equal("unfinished_loads" in json.loads(served.out), False)
    return loads


def noted_loads(store, loads):
    """They are notes of a verification, which change no exit code, and of no single customer."""
    for place in (("--store", store), None):
        with contextlib.ExitStack() as stack:
            place = place or ("--server", stack.enter_context(Server(store)).address)
            notes = lines(run("verify", *place, "--json").ends(DONE))[-1]["summary"]["notes"]
            equal([{key: note[key] for key in ("name", "begun", "stored")} for note in notes], loads)
            equal({note["kind"] for note in notes}, {"unfinished-load"})
            run("verify", *place).ends(DONE, "unfinished-load", "orders.csv, begun 20", "sound",
                                       "Start it again".lower())
            run("verify", *place, "--repair").ends(DONE, "unfinished-load", "sound")
            one = lines(run("verify", *place, "--json", "--customer", "VINET"))[-1]["summary"]
            equal(one["notes"], [])


@test
def a_repair(folder):
    store = killed_loads(folder)
    loads = unfinished_loads(store)
    found = lines(run("verify", "--store", store, "--json").ends(NO))
    equal([line["finding"]["mended"] for line in found[:-1]], [False] * (len(found) - 1))
    mended = lines(run("verify", "--store", store, "--repair", "--json").ends(NO))
    equal([line["finding"]["mended"] for line in mended[:-1]], [True] * (len(found) - 1))
    equal(mended[-1]["summary"]["mended"], len(found) - 1)
    run("verify", "--store", store, "--repair").ends(DONE, "sound")
    noted_loads(store, loads)
    run("load", "--store", store, "--map", "northwind", NORTHWIND / "orders.csv").ends(DONE)
    run("verify", "--store", store).ends(DONE, "Verified 830 orders", "sound")
    equal(json.loads(run("status", "--store", store, "--json").ends(DONE).out)["unfinished_loads"], [])
    equal("LOAD" in run("status", "--store", store).ends(DONE).out, False)


@test
def a_repair_in_words(folder):
    run("verify", "--store", killed_loads(folder), "--repair").ends(NO, "(mended)", "are mended")


def of_both(folder, *options):
    """The same verification of a store, and of a server of it: exit codes and what they print."""
    store = f"rocksdb:{folder}/store"
    alone = run("verify", "--store", store, *options)
    with Server(store) as server:
        served = run("verify", "--server", server.address, *options)
    return alone, served


@test
def over_a_server(folder):
    store = filled(folder, "record-type", "numeric")
    for options in ((), ("--json",), ("--customer", "VINET"), ("--rate", 2000)):
        alone, served = of_both(folder, *options)
        alone.ends(DONE)
        equal((served.code, served.out), (alone.code, alone.out))
    with Server(store) as server:
        run("verify", "--server", server.address, "--sample", 20).ends(DONE, "nothing found")
        run("verify", "--server", server.address, "--customer", "nobody").ends(NO, "no such customer")
        run("verify", "--server", server.address, "--store", store).ends(USAGE, "not both")
    with Server(store, "--trusted-proxies", "127.0.0.1") as server:
        run("verify", "--server", server.address).ends(FAILED, "its own machine")


def damage_a_file(store, which=0):
    """Flips a byte of the largest file, or of one of the next. Returns its name."""
    files = sorted(pathlib.Path(store.removeprefix("rocksdb:")).glob("*.sst"),
                   key=lambda file: -file.stat().st_size)
    content = bytearray(files[which].read_bytes())
    content[len(content) // 2] ^= 0xff
    files[which].write_bytes(content)
    return files[which].name


@test
def a_damaged_file(folder):
    """It is named to the owner of the store, and to clients of a server only in its log."""
    store = filled(folder, "record-type")
    run("status", "--store", store).ends(DONE)  # opening moves the log to a file
    name = damage_a_file(store)
    found = run("verify", "--store", store).ends(FAILED, "unreadable-table", name)
    equal(found.out.count("table orders, row"), 1)
    equal("Table orders" in found.out, False)
    first = lines(run("verify", "--store", store, "--json").ends(FAILED))[0]["finding"]
    equal((name in first["detail"], "Table" in first["message"]), (True, False))
    with Server(store, stderr=subprocess.PIPE) as server:
        served = run("verify", "--server", server.address).ends(FAILED, "unreadable-table")
        equal(name in served.out + served.err, False)
        server.process.terminate()
        equal(name in server.process.communicate(timeout=60)[1], True)


@test
def a_damaged_block(folder):
    """It hides the rows in it, and no others: neither from verify, nor from an export, nor from a list."""
    for layout in LAYOUTS:
        os.mkdir(f"{folder}/{layout}")
        store = filled(f"{folder}/{layout}", layout)
        before = set(run("export", "--store", store).ends(DONE).out.splitlines())
        listed = run("customer", "list", "--store", store, "--all").ends(DONE).out.splitlines()
        damage_a_file(store)
        exported = run("export", "--store", store).ends(FAILED, "Not exported", "The export is not complete")
        after = set(exported.out.splitlines())
        equal(after - before, set())
        shown = run("customer", "list", "--store", store, "--all").out.splitlines()
        found = run("verify", "--store", store).ends(FAILED, "unreadable-table")
        n_orders = int(re.search(r"Verified (\d+) orders", found.out + found.err)[1])
        if not (0.8 * len(before) < len(after) < len(before) and len(shown) > 0.8 * len(listed)
                and n_orders > 0.9 * len(before)):
            raise AssertionError(f"{layout}: {len(after)} of {len(before)}, {len(shown)} of {len(listed)}, {n_orders}")


@test
def a_damaged_index(folder):
    """Migrations without it and back write it anew, as the finding says."""
    store = filled(folder, "record-type")
    before = run("export", "--store", store).ends(DONE).out
    run("status", "--store", store).ends(DONE)
    damage_a_file(store, 1)
    found = run("verify", "--store", store).ends(
        FAILED, "migrate --to-index none, then --to-index date", "unreadable-table table index")
    equal(("table orders" in found.out, "row :" in found.out), (False, False))
    for index in ("none", "date"):
        run("migrate", "--store", store, "--to-index", index).ends(DONE)
        run("migrate", "--store", store, "--drop-source").ends(DONE)
    run("verify", "--store", store).ends(DONE, "829 hints", ": sound")
    equal(sorted(run("export", "--store", store).ends(DONE).out.splitlines()),
          sorted(before.splitlines()))


@test
def a_repair_over_a_server(folder):
    store = killed_loads(folder)
    alone, served = of_both(folder, "--json")
    equal((served.code, served.out), (alone.code, alone.out))
    served.ends(NO)
    with Server(store) as server:
        mended = lines(run("verify", "--server", server.address, "--repair", "--json").ends(NO))
        equal(mended[-1]["summary"]["mended"], len(lines(served)) - 1)
        run("verify", "--server", server.address, "--repair").ends(DONE, "sound")


def text(number, value):
    return struct.pack(">bhi", 11, number, len(value.encode())) + value.encode()


def finding(kind, mended):
    return (text(1, kind) + text(2, "orders") + text(3, "row") + b"\x08\0\4\0\0\0\1"
            + b"\x0a\0\7" + bytes(8) + text(8, "as it is") + b"\x02\0\x09" + bytes([mended]) + b"\0")


def part(findings=(), busy=0, broken=False, looked=(0, 0, 0, 0), cursor=""):
    """What a server answers that has found these: in the only part, unless there is a cursor.
    @looked: at customers, orders, hints and rows of ids"""
    counts = b"".join(struct.pack(">bhq", 10, 4 + i, count) for i, count in enumerate(looked))
    return (b"\x0c\0\0" + b"\x0f\0\1\x0c" + struct.pack(">i", len(findings)) + b"".join(findings)
            + b"\x0f\0\2\x0c\0\0\0\0" + (text(3, cursor) if cursor else b"") + counts
            + struct.pack(">bhq", 10, 8, busy) + b"\x02\0\x09" + bytes([broken]) + b"\0\0")


def counted(**counts):
    """The summary in JSON of what was counted."""
    nothing = dict.fromkeys(("orders", "customers", "hints", "ids", "findings", "for_person",
                             "mended", "busy"), 0)
    return {"summary": {**nothing, "whole": True, "notes": [], **counts}}


@test
def json_says_all(_):
    """Each figure and each text is where programs look for it."""
    whole = (text(1, "missing-rows") + text(2, "lines") + text(3, "a\x01") + b"\x08\0\4\0\0\0\5"
             + text(5, "C 1") + text(6, "O 1") + b"\x0a\0\7" + struct.pack(">q", 44)
             + text(8, "as it is") + b"\x02\0\x09\0\0")
    found = {"kind": "missing-rows", "table": "lines", "row": "6101", "rows": 5,
             "customer_number": "C 1", "order_number": "O 1", "revision": 44,
             "message": "as it is", "needs_person": True, "mended": False}
    unknown = {"kind": "leftover", "table": "orders", "row": "726f77", "rows": 1,
               "message": "as it is", "needs_person": False, "mended": True}
    answer = part([whole, *2 * [finding("leftover", True)]], busy=4, looked=(3, 14, 15, 9))
    with FakeServer(lambda _name, _call: answer) as server:
        said = lines(run("verify", "--server", server.address, "--json", "--repair").ends(FAILED))
    equal(said, [{"finding": found}, {"finding": unknown}, {"finding": unknown},
                 counted(orders=14, customers=3, hints=15, ids=9, findings=3, for_person=1,
                         mended=2, busy=4, whole=False)])
    with FakeServer(lambda _name, _call: part(looked=(1, 2, 3, 4))) as server:
        said = lines(run("verify", "--server", server.address, "--json").ends(DONE))
    equal(said, [counted(orders=2, customers=1, hints=3, ids=4)])


@test
def exit_codes(_):
    """Of what a repair cannot mend, and of what nobody could judge, too."""
    mended, left = finding("stale-claim", True), finding("half-id", False)
    for answer, options, code, said in (
            (part(), [], DONE, "sound"),
            (part([left]), [], NO, "1 found, of which 0 need a person"),
            (part([mended]), ["--repair"], NO, "1 is mended"),
            (part([mended, left]), ["--repair"], FAILED, "could be mended"),
            (part([finding("missing-rows", False)]), [], FAILED, "found needs a person"),
            (part(busy=1), [], FAILED, "Not everything could be verified"),
            (part([left], busy=1), [], FAILED, "Not everything"),
            (part(broken=True), [], FAILED, "Not everything")):
        with FakeServer(lambda _name, _call, answer=answer: answer) as server:
            for output in ([], ["--json"]):
                result = run("verify", "--server", server.address, *options, *output)
                result.ends(code, *([said] if code == FAILED or not output else []))
    with FakeServer(lambda _name, _call: part([finding("missing-rows", False)])) as server:
        run("verify", "--server", server.address).ends(FAILED, "1 found, of which 1 needs a person")


@test
def an_older_server(_):
    """It sends back what it has to be asked for again, or why it ended early: nobody takes that for sound."""
    suspect = b"\x0f\0\2\x0c\0\0\0\1" + text(1, "it") + b"\x02\0\2\0\0"
    failure = b"\x0c\0\x0a" + b"\x08\0\1\0\0\0\1" + text(2, "away") + b"\0"
    for field in (suspect, failure):
        answer = b"\x0c\0\0" + field + b"\0\0"
        with FakeServer(lambda _name, _call, answer=answer: answer) as server:
            run("verify", "--server", server.address).ends(FAILED, "the server is older than this client")


@test
def many_of_a_kind(_):
    """So many that nobody reads them: a few of each kind, but all that is left to a person."""
    for kind, mended, options, shown in (("leftover", False, [], 20), ("leftover", True, ["--repair"], 20),
                                         ("half-id", False, ["--repair"], 25), ("missing-rows", False, [], 25)):
        answer = part([finding(kind, mended)] * 25)
        with FakeServer(lambda _name, _call, answer=answer: answer) as server:
            told = run("verify", "--server", server.address, *options).out
            all_of_them = run("verify", "--server", server.address, *options, "--json")
        equal((kind, told.count("as it is")), (kind, shown))
        equal((kind, f"{kind} (25, of which 20 are shown; --json shows all): " in told), (kind, shown == 20))
        equal((kind, f"{kind} (25): " in told), (kind, shown == 25))
        equal(len(lines(all_of_them)), 26)


@test
def hostile_answers(_):
    """What a server, or a row, says is shown without the bytes that move a terminal."""
    bad = "a\x1b[2Jb\x07\x9bc\rd"
    answer = part([text(1, "leftover") + text(2, bad) + text(3, bad) + b"\x08\0\4\0\0\0\1"
                   + text(5, bad) + text(6, bad) + b"\x0a\0\7" + bytes(8) + text(8, bad)
                   + b"\x02\0\x09\0\0"])
    with FakeServer(lambda _name, _call: answer) as server:
        for options in ([], ["--json"]):
            out = run("verify", "--server", server.address, *options).ends(NO).out
            equal([c for c in out if c != "\n" and not c.isprintable()], [])


@test
def wrong_calls(folder):
    store = new_store(folder)
    run("verify", "--store", store, "VINET").ends(USAGE, "takes no argument")
    for sample in (0, 100, -1):
        run("verify", "--store", store, "--sample", sample).ends(USAGE, "1 to 99")
    run("verify", "--store", store, "--rate", 0).ends(USAGE, "above 0")
    run("verify", "--store", store, "--customer", "").ends(USAGE, "customer_number")
    run("verify", "--server", "127.0.0.1:1").ends(FAILED, "no tallorder server answers")
    run("verify", "--server", "nowhere").ends(USAGE)
    run("verify", "--store", f"rocksdb:{folder}/nothing").ends(FAILED)
    run("verify", "--store", f"{store}?name=other").ends(FAILED, "no such deployment", "status --all")


@test
def progress_on_a_terminal(_):
    """It says how far it has come: what was looked at in all parts so far."""
    found = [finding("leftover", False)]  # a line that begins anew is always shown
    parts = [part(found, looked=(3, 14, 15, 9), cursor="here"),
             part(2 * found, looked=(2, 6, 5, 3), cursor="there"),
             part(found, looked=(1, 1, 1, 1))]
    with FakeServer(lambda _name, _call: parts.pop(0)) as server:
        said = on_terminal("verify", "--server", server.address, "--rate", 600, columns=120)
    shown = [re.findall(r"\d+", line) for line in re.findall(
        r"\r(\d+ orders, \d+ customers, \d+ hints, \d+ findings)\x1b", said)]
    equal([figures for figures, before in zip(shown, [None, *shown]) if figures != before],
          [["0", "0", "0", "0"], ["14", "3", "15", "1"], ["20", "5", "20", "3"],
           ["21", "6", "21", "4"]])
    equal("Verified 21 orders, 6 customers, 21 hints and 13 rows of ids: " in said, True)


main()
