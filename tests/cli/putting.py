# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Objects that `put` stores at once. Speaks TAP.

    putting.py TALLORDER SOURCE_ROOT
"""

import collections
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import threading

from support import (
    PROGRAM, SECONDS, DONE, NO, USAGE, FAILED, test, run, equal, FakeServer, Server, new_store,
    main, parse,
)

JOBS = 8  # if nothing is said


def order(number, **attributes):
    return json.dumps({"customer_number": "C", "order_number": str(number),
                       "attributes": attributes})


def orders(*numbers):
    return "".join(order(number) + "\n" for number in numbers)


def get_number(call):
    """Of the order that a putOrder of orders() or order() is about."""
    return re.search(rb"\x0b\x00\x02\x00\x00\x00.([0-9]+)", call, re.DOTALL)[1].decode()


@test
def jobs_have_bounds(folder):
    store = new_store(folder)
    for wrong in ("0", "17", "-1", "many"):
        run("put", "--store", store, "--jobs", wrong, "-", stdin=orders(1)).ends(USAGE, "jobs")
    for right in (1, 16):
        run("put", "--store", store, "--jobs", right, "-", stdin=orders(1)).ends(DONE)


@test
def money(folder):
    """Adjustments and a billing address go in, are shown, count in totals, and can be changed."""
    place = {"number": 1, "line_items": [{"number": 1, "quantity": "12", "price": "14.00", "discount": "0.05"}]}
    whole = {"customer_number": "C", "order_number": "1", "currency": "EUR", "shipping_locations": [place],
             "adjustments": [{"kind": "shipping", "amount": "4.95"},
                             {"kind": "discount", "amount": "-1.00", "description": "SPRING", "line": 1}],
             "billing_address": {"line1": "1 place Royale", "city": "Reims"}}
    for layout in ("blob", "wide", "record-type", "denormalized", "normalized"):
        store = f"rocksdb:{folder}/{layout}"
        run("init", "--store", store, "--layout", layout).ends(DONE)
        run("put", "--store", store, "-", stdin=json.dumps(whole)).ends(DONE)
        shown = run("get", "--store", store, "C", "1").ends(DONE).out
        for words in ("billing address 1 place Royale, Reims", "  KIND      AMOUNT  DESCRIPTION  LINE\n",
                      "  shipping    4.95\n", "  discount   -1.00  SPRING          1\n",
                      "1 line, subtotal 159.60, total 163.55 EUR\n"):
            equal((layout, words, words in shown), (layout, words, True))
        listed = json.loads(run("list", "--store", store, "C", "--json").ends(DONE).out)
        equal(listed["orders"][0]["total"], "163.55")
        summary = run("get", "--store", store, "C", "1", "--part", "summary").ends(DONE).out
        equal(("total 163.55 EUR" in summary, "subtotal" in summary, "billing" in summary), (True, False, False))
        exported = json.loads(run("export", "--store", store).ends(DONE).out)
        equal(exported["order"], whole)
        changes = ("-line[1]", "-adjustments", "billing_address.city=Paris")
        run("patch", "--store", store, "C", "1", *changes).ends(DONE)
        left = json.loads(run("export", "--store", store).ends(DONE).out)["order"]
        equal((left.get("adjustments"), left["billing_address"]["city"]), (None, "Paris"))
        run("verify", "--store", store).ends(DONE)


def make_lines(chance):
    """Lines of few orders and customers, some of them wrong, and what is to be said of each."""
    lines, due, last = [], [], {}
    for line in range(1, 81):
        number = str(chance.randrange(6))
        kind = chance.choice(["order"] * 6 + ["customer"] * 2 + ["wrong"])
        if kind == "order":
            lines.append(order(number, line=str(line)))
        elif kind == "customer":
            lines.append(json.dumps({"customer": {"number": number, "name": str(line)}}))
        else:
            lines.append('{"customer_number": "C"}')
        due.append((line, kind, number))
        if kind != "wrong":
            last[kind, number] = str(line)
    return lines, due, last


def check_file(place, jobs, made, before):
    """`before`: of each order and customer its revision."""
    lines, due, last = made
    said = run("put", *place, "--jobs", jobs, "--json", "-", stdin="\n".join(lines))
    refused = sum(kind == "wrong" for _, kind, _ in due)
    equal(said.code, NO if refused > 0 else DONE)
    entries = [json.loads(line) for line in said.out.splitlines()]
    equal([entry["line"] for entry in entries], [line for line, _, _ in due])
    for entry, (line, kind, number) in zip(entries, due):
        if kind == "wrong":
            equal((entry["error"], said.err.count(f"standard input:{line}: ")), ("invalid", 1))
        else:
            equal(entry["number" if kind == "customer" else "order_number"], number)
            equal(entry["revision"] > before[kind, number], True)
            before[kind, number] = entry["revision"]
    for (kind, number), line in last.items():
        what = ["get", "C", number] if kind == "order" else ["customer", "get", number]
        got = parse(run(*what, *place, "--json").ends(DONE).out)
        equal(got["attributes"]["line"] if kind == "order" else got["name"], line)
    said = run("put", *place, "--jobs", jobs, "-", stdin="\n".join(lines))
    equal(said.out.splitlines()[-1], f"{len(lines) - refused} stored, {refused} refused")


@test
def lines_of_one_order_keep_their_order(folder):
    """Whatever is stored at once, the last line of an order counts, and all is said in order."""
    store = new_store(folder)
    revisions = collections.Counter()
    with Server(store) as server:
        for seed in range(3):
            for jobs in (1, 2, JOBS, 16):
                check_file(["--server", server.address], jobs, make_lines(random.Random(seed)),
                           revisions)
    for seed in range(2):
        check_file(["--store", store], 16, make_lines(random.Random(seed)), collections.Counter())


@test
def as_many_at_once_as_asked_for(folder):
    """Each call waits for as many as there may be; none is about the order of another one."""
    for options, jobs in (([], JOBS), (["--jobs", 1], 1), (["--jobs", 16], 16)):
        barrier = threading.Barrier(jobs, timeout=SECONDS / 4)
        mutex, running, wrong = threading.Lock(), collections.Counter(), []

        def answer(_, call):
            number = get_number(call)
            with mutex:
                running[number] += 1
                if running[number] > 1 or running.total() > jobs:
                    wrong.append(dict(running))
            barrier.wait()
            with mutex:
                running[number] -= 1
            return FakeServer.STORED

        with FakeServer(answer) as server:
            run("put", "--server", server.address, *options, "-",
                stdin=orders(*range(2 * jobs))).ends(DONE, f"{2 * jobs} stored, 0 refused")
        equal(wrong, [])


@test
def condition_holds_for_the_first_line(folder):
    store = new_store(folder)
    said = run("put", "--store", store, "--if-absent", "--json", "-",
               stdin=orders(*[1, 2, 3] * 4)).ends(
                   NO, *(f"tallorder: standard input:{line}: Storing order {(line - 1) % 3 + 1} of C: "
                         for line in range(4, 13)))
    equal([json.loads(line).get("error") for line in said.out.splitlines()],
          [None] * 3 + ["conflict"] * 9)


@test
def stop_names_each_line_that_is_not_stored(folder):
    fates = {"1": 8, "2": None, "3": 3}

    def answer(_, call):
        code = fates.get(get_number(call)[0], 0)
        if code is None:
            return None
        return FakeServer.failure(code, "as told") if code else FakeServer.STORED

    def stops(numbers, *texts):
        with FakeServer(answer) as server:
            return run("put", "--server", server.address, "-", stdin=orders(*numbers)).ends(
                FAILED, *texts)

    stops([40, 10, 41, 30, 11, 12], "Stopped at line 2 of standard input: 2 stored, 1 refused, the "
          "rest not tried. To go on, put line 2 and the lines from 5 on")
    stops([10, 40, 11, 41, 12, 42, 43, 44, 45], "Stopped at line 1 of standard input: 5 stored, 0 "
          "refused, the rest not tried. To go on, put lines 1, 3 and 5 and the lines from 9 on")
    stops([10, 11, 12], "Stopped at line 1 of standard input: 0 stored", "To go on, put the lines "
          "from 1 on", "standard input:2: ")
    stops([42, 20, 40, 21, 10, 41, 11, 12], "Stopped at line 2 of standard input: 3 stored, 0 refused",
          "What lines 2 and 4 hold may be stored: look at it, and put it again if it is not. Then "
          "go on with line 5 and the lines from 7 on")
    # what waits for an earlier line of its order is not tried
    stops([40, 10, 40, 41], "Stopped at line 2 of standard input: 1 stored, 0 refused",
          "To go on, put the lines from 2 on")
    stops([10, 40, 40, 41], "Stopped at line 1 of standard input: 1 stored, 0 refused",
          "To go on, put line 1 and the lines from 3 on")


@test
def signal_stops_what_waits(folder):
    processes = []

    def answer(*_):
        processes[0].send_signal(signal.SIGINT)
        return FakeServer.STORED

    path = pathlib.Path(folder, "orders.json")
    path.write_text(orders(*[1] * 5))
    with FakeServer(answer) as server:
        processes.append(subprocess.Popen(
            [PROGRAM, "put", "--server", server.address, path], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True))
        err = processes[0].communicate(timeout=SECONDS)[1]
    equal(processes[0].returncode, 128 + signal.SIGINT)
    equal(f"Stopped at line 2 of {path}: 1 stored, 0 refused, the rest not tried. To go on, put the "
          "lines from 2 on" in err, True)


@test
def what_has_come_does_not_wait(folder):
    """Neither for half a line, nor behind an empty one."""
    store = new_store(folder)
    with Server(store) as server:
        place = ["--server", server.address]
        for number, rest in ((1, '{"customer_number"'), (2, "\n"), (3, " \n\n{"), (4, "")):
            process = subprocess.Popen([PROGRAM, "put", *place, "-"], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            process.stdin.write(orders(10 * number, 10 * number + 1) + rest)
            process.stdin.flush()
            while run("get", *place, "C", 10 * number + 1).code != DONE:
                equal(process.poll(), None)
            process.kill()
            process.communicate()


@test
def endless_input_does_not_add_up(folder):
    """Whatever has come, no more is held of it than what is stored at once."""
    path = pathlib.Path(folder, "orders.json")
    n_lines = 160
    with path.open("w") as file:
        for number in range(n_lines):
            file.write(order(number, **{str(i): "x" * 4000 for i in range(250)}) + "\n")
    # a build with sanitizers must not keep what was freed
    environment = {**os.environ, "ASAN_OPTIONS": ":".join(
        [*filter(None, [os.environ.get("ASAN_OPTIONS")]), "quarantine_size_mb=1"])}
    with FakeServer(lambda *_: FakeServer.STORED) as server:
        process = subprocess.Popen(
            [PROGRAM, "put", "--server", server.address, "--jobs", "16", path],
            stdout=subprocess.DEVNULL, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        equal(process.returncode, DONE)
    print(f"# kilobytes at most: {usage.ru_maxrss}")
    equal(usage.ru_maxrss * 1024 < n_lines * 1000000 * 3 / 4, True)


if __name__ == "__main__":
    sys.exit(main())
