# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""What commands say about deployments that are moving, or have moved, to other tables. Speaks TAP.

    migrating.py TALLORDER SOURCE_ROOT PLANT_RECORD
"""

import json
import os
import subprocess
import sys

from support import DONE, FAILED, NO, SECONDS, USAGE, Server, equal, main, new_store, run, test

PLANT_RECORD = sys.argv[3]
STEPS = ("begin", "seal", "close")
ADVICE = {"copying": ("everybody goes on", "tallorder migrate", "--abort"),
          "sealing": ("Writes wait", "tallorder migrate", "--abort"),
          "closing": ("Reads and writes wait", "tallorder migrate", "--abort"),
          "aborting": ("given up", "--abort")}


def plant(folder, *steps):
    subprocess.run([PLANT_RECORD, f"{folder}/store", *steps], check=True, timeout=SECONDS)


def status_of(*place):
    return json.loads(run("status", *place, "--json").ends(DONE).out)


def says(status):
    return [status.get(k) for k in ("generation", "phase", "next_layout", "next_key_strategy",
                                    "next_index", "layout", "format")]


def expect(store, status, *texts):
    """What status shows as text and as JSON, also among all deployments."""
    equal(says(status_of("--store", store)), status)
    out = run("status", "--store", store).ends(DONE, *texts).out
    one, = status_of("--store", store, "--all")["deployments"]
    equal(says(one)[:-1], status[:-1])
    grid = run("status", "--store", store, "--all").ends(DONE).out.splitlines()
    equal(grid[1].split()[-2:], [str(status[0]), status[1]])
    return out


def verified(*place):
    """The notes of a verification, which change nothing of what it finds."""
    summary = json.loads(run("verify", *place, "--json").ends(DONE).out)["summary"]
    equal((summary["findings"], summary["whole"]), (0, True))
    return [(note["kind"], note["message"]) for note in summary["notes"]]


def dated_store(folder):
    """It has no index but that by date, and so format 1 until it has moved."""
    return new_store(folder, "record-type", more=["--index=date"])


@test
def verify_says_what_is_left(folder):
    """By the store itself, and by a server of it."""
    store = dated_store(folder)
    equal(verified("--store", store), [])
    for step, phase in (("begin", "copying"), ("seal", "sealing"), ("abort", "aborting")):
        plant(folder, step)
        wanted = [("unfinished-migration",
                   f"{phase}, to layout wide, key strategy numeric, index date")]
        equal(verified("--store", store), wanted)
        with Server(store) as server:
            equal(verified("--server", server.address), wanted)
            run("verify", "--server", server.address).ends(DONE, "unfinished-migration", "--abort")
    plant(folder, "give-up")
    wanted = [("unused-tables", "4 tables of a generation other than 1")]
    equal(verified("--store", store), wanted)
    with Server(store) as server:
        equal(verified("--server", server.address), wanted)
        run("status", "--server", server.address).ends(DONE, "4 tables are of another generation", "--drop-source")
    run("migrate", "--store", store, "--drop-source").ends(DONE)
    equal(verified("--store", store), [])


@test
def status_says_each_phase(folder):
    store = dated_store(folder)
    said = expect(store, [1, "none", None, None, None, "record-type", 1])
    equal("migrat" in said, False)
    for step, phase in zip((*STEPS, "abort"), ADVICE, strict=True):
        plant(folder, step)
        expect(store, [1, phase, "wide", "numeric", "date", "record-type", 1],
               f"{phase}, to layout wide, key strategy numeric, index date", *ADVICE[phase])
    plant(folder, "give-up")
    expect(store, [1, "none", None, None, None, "record-type", 1], "4 tables are of another generation than 1, and do not count",
           "--drop-source")


@test
def server_that_begins_under_the_seal(folder):
    """As one leaves it that was killed there: the next one reads, and ends it, or gives it up."""
    order = json.dumps({"order": {"customer_number": "VINET", "order_number": "1"}}) + "\n"
    for name, options, said, generation in (("end", (), "Generation 2 counts", 2),
                                            ("abort", ("--abort",), "all tables are open", 1)):
        os.mkdir(f"{folder}/{name}")
        store = dated_store(f"{folder}/{name}")
        run("put", "--store", store, "-", stdin=order).ends(DONE)
        plant(f"{folder}/{name}", "begin", "seal", "shut")
        with Server(store) as server:
            place = ("--server", server.address)
            equal(status_of(*place)["phase"], "sealing")
            run("get", *place, "VINET", "1").ends(DONE)
            run("migrate", *place, *options).ends(DONE, said)
            equal(status_of(*place)["generation"], generation)
            run("put", *place, "-", stdin=order).ends(DONE)
        run("verify", "--store", store).ends(DONE, "sound")


@test
def status_of_what_has_moved(folder):
    store = dated_store(folder)
    plant(folder, *STEPS, "switch")
    said = expect(store, [2, "none", None, None, None, "wide", 2], "2 tables are of another generation than 2, and do not count",
                  "--drop-source")
    equal([w for w in ("orders-2", "ids-2", "index") if w not in said], [])
    tables = {t["name"]: t["access"] for t in status_of("--store", store)["tables"]}
    equal(tables, {name: "open" for name in ("customers-2", "ids-2", "index", "index-2", "meta",
                                             "orders", "orders-2")})
    with Server(store) as server:
        equal(says(status_of("--server", server.address)),
              [2, "none", None, None, None, "wide", 2])
        order = {"order": {"customer_number": "VINET", "order_number": "1"}}
        run("put", "--server", server.address, "-", stdin=json.dumps(order) + "\n").ends(DONE)
        run("get", "--server", server.address, "VINET", "1").ends(DONE)
        run("explain", "VINET", "1", "--store", store).ends(FAILED)  # it is open elsewhere
    run("explain", "VINET", "1", "--store", store).ends(DONE, "wide", "orders")
    run("drop", "--store", store, "--name", "tallorder", "--yes", "tallorder").ends(DONE)
    equal(status_of("--store", store, "--all"), {"deployments": []})


@test
def status_of_a_table_that_a_late_call_has_shut(folder):
    store = dated_store(folder)
    plant(folder, "shut")
    run("status", "--store", store).ends(DONE, "Table orders is sealed", "migrate --abort")
    tables = {t["name"]: t["access"] for t in status_of("--store", store)["tables"]}
    equal(tables["orders"], "sealed")
    plant(folder, "begin")
    equal("late" in run("status", "--store", store).ends(DONE).out, False)


@test
def drop_in_any_phase(folder):
    for step in STEPS:
        store = dated_store(folder)
        plant(folder, *STEPS[:STEPS.index(step) + 1], "shut")
        run("drop", "--store", store, "--name", "tallorder", "--yes", "tallorder").ends(DONE)
        equal(status_of("--store", store, "--all"), {"deployments": []})


@test
def drop_takes_no_bad_name(folder):
    store = dated_store(folder)
    for name in ("../x", "a/b", "a b"):
        run("drop", "--store", store, "--name", name, "--yes", name).ends(USAGE, name)
    run("drop", "--store", store, "--name", "other", "--yes", "other").ends(NO, "other")
    run("status", "--store", store).ends(DONE)


@test
def status_where_loads_cannot_be_read(folder):
    """The rest is shown, and the loads are said to be missing."""
    store = dated_store(folder)
    equal(status_of("--store", store)["unfinished_loads"], [])
    plant(folder, "spoil-load")
    result = run("status", "--store", store).ends(FAILED, "Unfinished loads cannot be listed")
    equal([w for w in ("record-type", "TABLE") if w not in result.out], [])
    status = json.loads(run("status", "--store", store, "--json").ends(FAILED).out)
    equal((status["layout"], "unfinished_loads" in status), ("record-type", False))
    equal("Listing loads" in status["unfinished_loads_error"], True)


main()
