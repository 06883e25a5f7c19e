#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Histories on embedded stores are linearizable, and the checker would notice if they were not.

Two writers whose clocks are an hour apart, each with its own store, work on the same few orders:
in memory and on RocksDB, in every layout, with and without calls that fail, come late or lie. On
RocksDB, where several rows change in one step, none lies.

    linear.py [PART...]         these, or all: see PARTS
    linear.py repair SECONDS    repairs beside writers, one call in 25 fails; SECONDS in all
    linear.py report SECONDS    verifications that wait as for users report nothing false

A run ends after a number of operations, so that a busy machine takes longer and does the same.
"""

import json
import pathlib
import signal
import sys
import tempfile
import time

import moves
from faults import (LAYOUTS, MULTI_ROW_LAYOUTS, RIGHT, TAKES_ALL, WRONG, Checks, Verdict, build_tools,
                    go, run_workload, workload)

CLOCKS = [0, 3600]
TTL, TTL_CLOCKS = 1200, [-300, 300]  # ten minutes apart, and orders do not live much longer
OPERATIONS = 20000 if TAKES_ALL else 2000  # of each thread
BESIDE_OPERATIONS = OPERATIONS // 4  # beside others, which go on as long as they do
SECONDS = 200  # for them, at most
ACKNOWLEDGED = 400  # puts, or a history says nothing
LOADS = (["report"], ["skip"], ["replace"], ["report", "skip"])  # what each does with what exists
SWITCHED = 2  # times, or a history says nothing about that
HASTY_ATTEMPTS = 15
LOADED = 20  # orders, without any condition


def run_and_check(history, store, how=None, **options):
    settings = dict(clock=CLOCKS, threads=2, operations=OPERATIONS, seconds=SECONDS, period=50,
                    patience=30, read_back=120) | options
    run_workload(store, history, **settings)
    return Verdict(history, **(how or {}))


def persist(attempt, operations=OPERATIONS):
    """Tries again for longer where all is right but too little happened.

    @attempt: gets the operations; returns the verdict, whether that is enough, and words about it.
    Returns whether it is enough, and the words."""
    for times in (1, 5, 20):
        verdict, is_enough, words = attempt(operations * times)
        if is_enough or verdict.code != RIGHT:
            break
    return is_enough, words


def check_history(checks, said, path, store, acknowledged=ACKNOWLEDGED, loaded=0,
                  operations=OPERATIONS, **options):
    """A history of so many puts, and orders loaded, that has to be linearizable."""

    def attempt(operations):
        verdict = run_and_check(path.with_name(f"{path.name}-{operations}.history"),
                                f"{store}-{operations}?sync=0" if store != "memory" else store,
                                operations=operations, **options)
        is_enough = verdict.is_right(acknowledged) and verdict.count("plain", "load") >= loaded
        return verdict, is_enough, verdict

    right, verdict = persist(attempt, operations)
    checks.check(right, f"{said}: linearizable", verdict)


def describe(failures):
    return f"one call in {failures} fails" if failures else "no failures"


def check_right(checks, folder):
    for layout in LAYOUTS:
        for kind in ("memory", "rocksdb"):
            for failures in (0, 25):
                path = folder / f"{layout}-{kind}-{failures}"
                check_history(checks, f"{layout} on {kind}, {describe(failures)}", path,
                              kind if kind == "memory" else f"rocksdb:{path}",
                              create=layout, failures=failures)


def check_ttl(checks, folder):
    """Nothing ends within the test; a clock that is fast or slow must not make it seem so."""
    for layout in LAYOUTS:
        check_history(checks, f"{layout}, a TTL and clocks ten minutes apart",
                      folder / f"{layout}-ttl", "memory", acknowledged=ACKNOWLEDGED // 4,
                      create=layout, failures=25, ttl=TTL, clock=TTL_CLOCKS)


def check_omissions(checks, folder):
    """What a store leaves out, a TallOmission, is noticed where it shows."""
    for what, number, layouts in (("claim", 1, MULTI_ROW_LAYOUTS), ("token", 2, ("blob", "wide"))):
        for layout in layouts:
            verdict = run_and_check(folder / f"{what}-{layout}.history", "memory",
                                    how=dict(timeout="10s", first=True),
                                    create=layout, failures=0, omit=number)
            checks.check(verdict.code == WRONG, f"{layout}, without {what}: the checker notices",
                         verdict)


def mend(history, store, how, **options):
    """Beside the mix somebody verifies everything all the while. Returns the verdict and the words
    about it; the workload fails if something is wrong at the end."""
    # A writer that is overtaken leaves rows, and to report them is right. With the patience of users
    # that is rare, and the workload knows by the time that a write took whether it can have been so.
    patience = 30 if how == "repair" else 1000
    said = run_workload(store, history, clock=CLOCKS, threads=2, period=50, patience=patience,
                        read_back=120, mender=how, **options)
    counts = json.loads(said)
    words = (f"{counts['runs']} runs, {counts['findings']} findings, {counts['mended']} mended, "
             f"{counts['explained']} of {counts['late']} late writes")
    return Verdict(history), counts, words


def check_repair(checks, folder):
    """Repairs that do not wait whether somebody is writing what looks wrong."""
    mended = 0
    for layout in LAYOUTS:

        def attempt(operations, layout=layout):
            verdict, counts, _words = mend(folder / f"{layout}-repair-{operations}.history", "memory",
                                           "repair", create=layout, failures=25, seconds=SECONDS,
                                           operations=operations)
            is_enough = verdict.is_right(ACKNOWLEDGED // 2) and counts["runs"] > 3
            return verdict, is_enough, (counts, verdict)

        right, (counts, verdict) = persist(attempt, 2 * BESIDE_OPERATIONS)
        mended += counts["mended"]
        checks.check(right, f"{layout}, repairs beside it, one call in 25 fails: linearizable",
                     verdict)
    checks.check(mended > 0, "something was mended")


def find_hastily(history, layout):
    """What the workload says of verifications that do not wait."""
    try:
        mend(history, "memory", "hasty", create=layout, failures=0, seconds=SECONDS,
             operations=OPERATIONS)
    except AssertionError as error:
        return str(error)
    return "nothing"


def check_hasty(checks, folder):
    """What is found without waiting is false, and no late write explains it. One run in three finds
    nothing."""
    for layout in MULTI_ROW_LAYOUTS:
        for attempt in range(HASTY_ATTEMPTS):
            said = find_hastily(folder / f"{layout}-hasty-{attempt}.history", layout)
            if said != "nothing":
                break
        checks.check("workload: Verifying: " in said, f"{layout}, hasty: false findings are noticed",
                     said)


def check_long(checks, folder, how, seconds):
    """By name: each layout in turn, for so many seconds in all."""
    for layout in LAYOUTS:
        failures = 25 if how == "repair" else 0
        store = f"rocksdb:{folder}/{layout}-{how}?sync=0"
        verdict, _counts, words = mend(folder / f"{layout}-{how}.history", store, how,
                                       create=layout, failures=failures, timeout=seconds + 300,
                                       seconds=seconds / len(LAYOUTS))
        checks.check(verdict.is_right(ACKNOWLEDGED), f"{layout}, {how}: {words}", verdict)


def check_loads(checks, folder):
    """Loads beside the mix: of what is new, most is met by writers at once."""
    for i, layout in enumerate(LAYOUTS):
        for failures in (0, 25):
            loads = LOADS[(i + (failures > 0)) % len(LOADS)]
            path = folder / f"{layout}-loads-{failures}"
            check_history(
                checks, f"{layout}, loads ({', '.join(loads)}) beside it, {describe(failures)}",
                path, "memory" if failures else f"rocksdb:{path}", acknowledged=ACKNOWLEDGED // 4,
                loaded=LOADED, operations=BESIDE_OPERATIONS, create=layout, failures=failures, load=loads,
                orders=12)


def move(folder, name, **options):
    """Moves the deployment beside the mix. Returns whether all is right, and the words about it."""

    def attempt(operations):
        history = folder / f"{name}-{operations}.history"
        store = "memory" if options["failures"] else f"rocksdb:{folder}/{name}-{operations}?sync=0"
        said = run_workload(store, history, clock=CLOCKS, threads=2, operations=operations,
                            seconds=SECONDS, switches=SWITCHED, period=50, patience=30,
                            read_back=120, **options)
        counts = [json.loads(line) for line in said.splitlines()]
        switched = sum(count["switched"] for count in counts)
        verdict = Verdict(history)
        is_enough = verdict.is_right(ACKNOWLEDGED // 4) and switched >= SWITCHED
        return verdict, is_enough, f"{said}{verdict}"

    return persist(attempt, BESIDE_OPERATIONS)


def check_moves(checks, folder):
    """Everybody follows a deployment that moves from layout to layout and key to key."""
    for layout in LAYOUTS:
        for failures, movers in ((0, 1), (25, 2)):
            right, words = move(folder, f"{layout}-moves-{failures}", create=layout,
                                failures=failures, movers=movers)
            checks.check(right, f"{layout}, moved beside it, {describe(failures)}: linearizable",
                         words)


def check_kill(checks, folder):
    """A process is killed in the middle of its writes; another goes on with what it left."""
    for layout in ("blob", "record-type"):
        store = f"rocksdb:{folder}/kill-{layout}"
        histories = []
        epoch = time.monotonic_ns()
        for attempt in range(4):
            histories.append(folder / f"kill-{layout}-{attempt}.history")
            options = dict(process=f"p{attempt}", epoch=epoch, period=2000, patience=100,
                           threads=4, clock=[3600 * (attempt % 2)], failures=0)
            if attempt == 0:
                options["create"] = layout
            if attempt == 3:
                run_workload(store, histories[-1], seconds=0.5, read_back=60, **options)
                continue
            with workload(store, histories[-1], seconds=60, **options) as process:
                wait_for_answers(histories[-1], ACKNOWLEDGED)
                process.send_signal(signal.SIGKILL)
        verdict = Verdict(*histories)
        checks.check(verdict.is_right(ACKNOWLEDGED) and verdict.count("killed") > 0,
                     f"{layout} on RocksDB, three processes killed: linearizable", verdict)


def wait_for_answers(history, number):
    """Until so many puts and gets are answered well in a history."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if history.exists() and history.read_text().count('"outcome":"ok","revision"') >= number:
            return
        time.sleep(0.02)
    raise AssertionError(f"{history}: no {number} answers within a minute")


PARTS = {
    "right": (check_right, check_ttl, check_omissions),
    "loads": (check_loads,),
    "moves": (check_moves,),
    "kills": (check_kill,),
    "repairs": (check_repair, check_hasty),
    "tour": (moves.check_tour,),
    "movers": (moves.check_kills,),
}


def main(arguments):
    checks = Checks()
    build_tools()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if len(arguments) == 2 and arguments[0] in ("repair", "report"):
            check_long(checks, folder, arguments[0], float(arguments[1]))
            return checks.finish()
        checks.check("ok" in go("test", "./..."), "histories by hand: the right and the wrong ones")
        for part in arguments or PARTS:
            for check in PARTS[part]:
                check(checks, folder)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
