#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Kills loads at random moments, and starts them again: the store has what an undisturbed load gives.

    load_killed.py rocksdb [MOMENTS [SEED]]     5 moments unless told
    load_killed.py hbase [MOMENTS [SEED]]       on the HBase that $TALLORDER_HBASE_BINARY names
"""

import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time

from support import PROGRAM, Checks, names_of, run

MOMENTS, N_ORDERS, N_LINES = 5, 3000, 3
LAYOUTS, KEYS = names_of("layouts"), names_of("key_strategies")
MAP = """[order]
customer_number = C
order_number = O
sales_date = D
[location]
name = S
[line]
item_number = I
quantity = Q
price = P
"""
QUERY = """SELECT C AS customer_number, O AS order_number, date_of(D, 'iso') AS sales_date, S AS "location.name",
       I AS "line.item_number", number(Q) AS "line.quantity", number(P) AS "line.price", line FROM csv
"""


def write_orders(folder, dice):
    """Most orders have their lines together; those of every tenth lie apart, and come last."""
    rows, apart = [], []
    for order in range(N_ORDERS):
        for line in range(N_LINES):
            row = (f"c{order % 97},{order},2024-{order % 12 + 1:02}-{order % 28 + 1:02},\"Street {order % 7}\","
                   f"i{dice.randrange(500)},{line + 1},{dice.randrange(10000) / 100}\n")
            (apart if order % 10 == 0 and line == 1 else rows).append(row)
    with open(f"{folder}/orders.csv", "w", encoding="utf-8") as file:
        file.writelines(["C,O,D,S,I,Q,P\n", *rows, *apart])
    with open(f"{folder}/orders.map", "w", encoding="utf-8") as file:
        file.write(MAP)
    with open(f"{folder}/orders.sql", "w", encoding="utf-8") as file:
        file.write(QUERY)


def load_command(store, folder, mapping="orders.map"):
    return ["load", "--store", store, "--map", f"{folder}/{mapping}", "--quiet", f"{folder}/orders.csv"]


def export(store):
    """What is stored, without the revisions, which say how often a load was begun."""
    stored = [json.loads(line) for line in run("export", "--store", store).splitlines()]
    for line in stored:
        for value in (line, *line.values()):
            if isinstance(value, dict):
                value.pop("revision", None)
    return stored


def kill_a_load(command, seconds):
    """Returns whether it was still running."""
    with subprocess.Popen([PROGRAM, *command]) as process:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        process.kill()
        return process.wait() == -9


@contextlib.contextmanager
def new_store(kind, folder, name, layout, key):
    store = (f"rocksdb:{folder}/{name}" if kind == "rocksdb" else
             f"hbase://{os.environ['TALLORDER_HBASE_BINARY']}?name=killed-{name}-{os.getpid()}")
    run("init", "--store", store, "--layout", layout, "--key", key)
    yield store
    if kind == "hbase":
        name = store.rpartition("=")[2]
        run("drop", "--store", store, "--name", name, "--yes", name)


def check_moment(checks, kind, folder, dice, wanted, seconds, i):
    layout, key = LAYOUTS[i % len(LAYOUTS)], KEYS[i % len(KEYS)]
    mapping = ("orders.map", "orders.sql")[i % 2]
    with new_store(kind, folder, f"moment-{i}", layout, key) as store:
        command = load_command(store, folder, mapping)
        moments = [round(dice.uniform(0, seconds), 3) for _ in range(dice.randint(1, 3))]
        killed = sum(kill_a_load(command, moment) for moment in moments)
        while not killed:
            seconds /= 2  # the machine has been slower when it was measured
            moments.append(round(dice.uniform(0, seconds), 3))
            killed += kill_a_load(command, moments[-1])
        run(*command)
        name = f"{mapping}, {layout}, {key}: killed {killed} times, after {moments} s"
        found = export(store)
        in_order = lambda orders: sorted(json.dumps(order, sort_keys=True) for order in orders)
        checks.check(in_order(found) == in_order(wanted), name,
                     f"{len(found)} stored, {len(wanted)} wanted")


def main(kind, moments=MOMENTS, seed=None):
    checks = Checks()
    if kind == "hbase" and "TALLORDER_HBASE_BINARY" not in os.environ:
        checks.skip("TALLORDER_HBASE_BINARY names no HBase")
        return checks.finish()
    seed = int(seed) if seed is not None else random.randrange(1 << 32)
    print(f"# seed {seed}", flush=True)
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        write_orders(folder, dice)
        with new_store(kind, folder, "undisturbed", LAYOUTS[0], KEYS[0]) as store:
            begun = time.monotonic()
            run(*load_command(store, folder))
            seconds = time.monotonic() - begun
            wanted = export(store)
        checks.check(len(wanted) == N_ORDERS, "an undisturbed load stores all orders", len(wanted))
        for i in range(int(moments)):
            check_moment(checks, kind, folder, dice, wanted, seconds, i)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
