# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Verifies like a user. Speaks TAP.

    verify.py TALLORDER SOURCE_ROOT
"""

import json
import pathlib
import random
import subprocess
import time

from support import (
    DONE, FAILED, LAYOUTS, NO, NORTHWIND, PROGRAM, USAGE, equal, main, new_store, on_terminal, run,
    test,
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
        run("verify", "--store", store).ends(DONE, "Verified 830 orders, 0 customers, 829 hints",
                                             "sound")
        summary = lines(run("verify", "--store", store, "--json").ends(DONE))[-1]["summary"]
        equal((summary["orders"], summary["findings"], summary["whole"]), (830, 0, True))


@test
def parts_of_a_store(folder):
    store = filled(folder, "record-type")
    summary = lines(run("verify", "--store", store, "--json", "--customer", "VINET").ends(
        DONE))[-1]["summary"]
    equal((summary["orders"], summary["hints"]), (5, 4))
    summary = lines(run("verify", "--store", store, "--json", "--sample", 20).ends(
        DONE))[-1]["summary"]
    equal(0 < summary["orders"] < 830, True)
    run("verify", "--store", store, "--rate", 100000).ends(DONE, "sound")
    run("verify", "--store", store, "--customer", "nobody").ends(
        DONE, "Verified 0 orders", "Nothing of customer nobody is stored")
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
    store = new_store(folder, "record-type")
    for _attempt in range(100):
        load_and_kill(store, folder)
        if run("verify", "--store", store).code == NO:
            return store
    raise AssertionError("no load was killed in the middle of an order")


@test
def a_repair(folder):
    store = killed_loads(folder)
    found = lines(run("verify", "--store", store, "--json").ends(NO))
    equal([line["finding"]["mended"] for line in found[:-1]], [False] * (len(found) - 1))
    mended = lines(run("verify", "--store", store, "--repair", "--json").ends(NO))
    equal([line["finding"]["mended"] for line in mended[:-1]], [True] * (len(found) - 1))
    equal(mended[-1]["summary"]["mended"], len(found) - 1)
    run("verify", "--store", store, "--repair").ends(DONE, "sound")
    run("load", "--store", store, "--map", "northwind", NORTHWIND / "orders.csv").ends(DONE)
    run("verify", "--store", store).ends(DONE, "Verified 830 orders", "sound")


@test
def a_repair_in_words(folder):
    run("verify", "--store", killed_loads(folder), "--repair").ends(NO, "(mended)", "are mended")


@test
def wrong_calls(folder):
    store = new_store(folder)
    run("verify", "--store", store, "VINET").ends(USAGE, "takes no argument")
    for sample in (0, 100, -1):
        run("verify", "--store", store, "--sample", sample).ends(USAGE, "1 to 99")
    run("verify", "--store", store, "--rate", 0).ends(USAGE, "above 0")
    run("verify", "--store", store, "--customer", "").ends(USAGE, "customer_number")
    run("verify", "--server", "127.0.0.1:1").ends(USAGE, "--store")
    run("verify", "--store", f"rocksdb:{folder}/nothing").ends(FAILED)


@test
def progress_on_a_terminal(folder):
    said = on_terminal("verify", "--store", filled(folder, "wide"))
    equal("sound" in said, True)


main()
