#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Loads Northwind again and again, and kills a load in the middle: the store stays sound.

    loads.py rocksdb     through a server on an embedded store
    loads.py hbase       on the HBase that $TALLORDER_HBASE_BINARY names
"""

import contextlib
import csv
import json
import os
import subprocess
import sys
import tempfile
import time

from support import NORTHWIND, PROGRAM, Checks, names_of, run, serving

LAYOUTS, KEYS = names_of("layouts"), names_of("key_strategies")
ORDERS = NORTHWIND / "orders.csv"
N_ORDERS = 830
BEFORE_KILL = 20  # orders that are there when a load is killed
SECONDS = 600


def load(place, file, *options, code=0):
    return json.loads(run("load", *place, "--map", "northwind", "--json", "--quiet", *options, file,
                          code=code))


def tally(summary):
    return {kind: summary[kind]["orders"] for kind in ("stored", "unchanged", "skipped", "overtaken")
            if summary[kind]["orders"] > 0}


def change_quantities(file):
    """A file with the orders of Northwind, in which every line has one more."""
    with open(ORDERS, newline="", encoding="utf-8") as source:
        rows = list(csv.DictReader(source))
    with open(file, "w", newline="", encoding="utf-8") as changed:
        writer = csv.DictWriter(changed, rows[0].keys())
        writer.writeheader()
        writer.writerows({**row, "Quantity": int(row["Quantity"]) + 1} for row in rows)
    return file


def order_names():
    """The customer and number of each order, in the order of the file."""
    with open(ORDERS, newline="", encoding="utf-8") as source:
        return list(dict.fromkeys((row["CustomerID"], row["OrderID"])
                                  for row in csv.DictReader(source)))


def is_there(place, name):
    got = subprocess.run([PROGRAM, "get", *place, *name], stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, timeout=SECONDS, check=False)
    return got.returncode == 0


def kill_in_the_middle(place):
    """Returns the exit code of a load, which is killed when some orders are there, but not all."""
    names = order_names()
    process = subprocess.Popen(
        [PROGRAM, "load", *place, "--map", "northwind", "--quiet", "--rate", "50", ORDERS])
    end = time.monotonic() + SECONDS
    while not is_there(place, names[BEFORE_KILL]) and process.poll() is None:
        if time.monotonic() > end:
            break
    process.kill()
    return process.wait()


def check_again(checks, what, place, folder):
    stored = load(place, ORDERS)
    checks.check(tally(stored) == {"stored": N_ORDERS}, f"{what}: all orders are new", stored)
    print(f"# {what}: {N_ORDERS / stored['seconds']:.0f} orders/s", flush=True)
    again = load(place, ORDERS)
    checks.check(tally(again) == {"unchanged": N_ORDERS}, f"{what}: then they are unchanged", again)
    changed = change_quantities(f"{folder}/changed.csv")
    reported = load(place, changed, "--rejects", f"{folder}/rejects.csv", code=1)
    checks.check(tally(reported) == {} and reported["rejected_rows"] == 2155,
                 f"{what}: changed ones are reported", reported)
    replaced = load(place, changed, "--on-existing", "replace")
    checks.check(tally(replaced) == {"stored": N_ORDERS}, f"{what}: or replaced", replaced)
    again = load(place, changed)
    checks.check(tally(again) == {"unchanged": N_ORDERS}, f"{what}: with what the file says", again)
    check_sound(checks, what, place)


def check_assume_new(checks, what, place):
    stored = load(place, ORDERS, "--assume-new")
    checks.check(tally(stored) == {"stored": N_ORDERS}, f"{what}: as promised, all are new", stored)
    print(f"# {what}, --assume-new: {N_ORDERS / stored['seconds']:.0f} orders/s", flush=True)
    check_sound(checks, what, place)


def check_killed(checks, what, place):
    code = kill_in_the_middle(place)
    checks.check(code == -9, f"{what}: a load is killed", f"exit code {code}")
    rest = tally(load(place, ORDERS))
    checks.check(sum(rest.values()) == N_ORDERS and rest.keys() == {"stored", "unchanged"},
                 f"{what}: the next one goes on", rest)
    run("verify", *place, "--repair", code=None)
    check_sound(checks, what, place)


def check_sound(checks, what, place):
    said = run("verify", *place)
    checks.check(f"Verified {N_ORDERS} orders" in said and "sound" in said, f"{what}: sound", said)


@contextlib.contextmanager
def deployment(kind, folder, layout, key, name):
    """The options that lead to a new one."""
    name = f"loads-{name}-{layout}"
    store = (f"rocksdb:{folder}/{name}?sync=0" if kind == "rocksdb" else
             f"hbase://{os.environ['TALLORDER_HBASE_BINARY']}?name={name}-{os.getpid()}")
    run("init", "--store", store, "--layout", layout, "--key", key)
    if kind == "hbase":
        yield ("--store", store)
        return
    with serving(store) as server:
        yield ("--server", server.address)


def main(kind):
    checks = Checks()
    if kind == "hbase" and "TALLORDER_HBASE_BINARY" not in os.environ:
        checks.skip("TALLORDER_HBASE_BINARY names no HBase")
        return checks.finish()

    with tempfile.TemporaryDirectory() as folder:
        # A server puts one order after the other, whatever the layout.
        for layout, key in list(zip(LAYOUTS, KEYS))[:None if kind == "hbase" else 2]:
            with deployment(kind, folder, layout, key, "again") as place:
                check_again(checks, f"{layout}, {key}", place, folder)
            with deployment(kind, folder, layout, key, "new") as place:
                check_assume_new(checks, f"{layout}, {key}", place)
            with deployment(kind, folder, layout, key, "killed") as place:
                check_killed(checks, f"{layout}, {key}", place)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
