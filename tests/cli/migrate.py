# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Moves deployments like a user. Speaks TAP.

    migrate.py TALLORDER SOURCE_ROOT
"""

import json
import signal
import subprocess
import sys
import threading

from support import (DONE, FAILED, NO, NORTHWIND, PROGRAM, SECONDS, USAGE, Server, equal, main,
                     new_store, run, test)

NOT_EMBEDDED = (("--to-regions", "5", "no regions"), ("--to-compression", "odd", "odd"),
                ("--to-bloom", "rowcol", "rowcol"), ("--to-block-encoding", "diff", "diff"))


def lines(result):
    return [json.loads(line) for line in result.out.splitlines()]


def filled(folder, layout, key="hashed"):
    store = new_store(folder, layout, key)
    run("load", "--store", store, "--map", "northwind", NORTHWIND / "orders.csv").ends(DONE)
    run("delete", "--store", store, "VINET", "10248").ends(DONE)
    return store


def export(store):
    return sorted(run("export", "--store", store).ends(DONE).out.splitlines())


def describe(store):
    return json.loads(run("status", "--store", store, "--json").ends(DONE).out)


@test
def there_and_back(folder):
    """Everything stays, and the old tables go when they are told to."""
    store = filled(folder, "blob")
    before = export(store)
    run("migrate", "--store", store, "--to-layout", "normalized", "--to-key", "numeric").ends(
        DONE, "from layout blob, key hashed", "to layout normalized, key numeric", "830 orders",
        "there is room for", "Generation 2 counts", "--drop-source")
    equal(export(store), before)
    run("verify", "--store", store).ends(DONE, "sound")
    run("migrate", "--store", store, "--to-layout", "blob", "--to-key", "hashed").ends(
        DONE, "Generation 3 counts")
    equal(export(store), before)
    run("verify", "--store", store).ends(DONE, "sound")
    run("migrate", "--store", store, "--drop-source").ends(DONE, "tables are removed")
    equal(export(store), before)


@test
def in_two_calls(folder):
    """Copying and the switch can be two calls; the second one goes on with what has begun."""
    store = filled(folder, "record-type")
    before = export(store)
    first, second = lines(run("migrate", "--store", store, "--to-layout", "wide", "--pass-only",
                              "--json").ends(DONE))
    equal((first["plan"]["orders"], first["plan"]["resumed"]), (830, False))
    equal((second["summary"]["outcome"], second["summary"]["copied"]), ("passed", 830))
    run("put", "--store", store, "-", stdin='{"order": {"customer_number": "VINET", '
        '"order_number": "new", "shipping_locations": []}}').ends(DONE)
    run("migrate", "--store", store, "--to-layout", "blob").ends(NO, "layout wide", "not to blob")
    run("migrate", "--store", store, "--drop-source").ends(NO, "going on", "--abort")
    plan, summary = lines(run("migrate", "--store", store, "--json").ends(DONE))
    equal(plan["plan"]["resumed"], True)
    equal((summary["summary"]["outcome"], summary["summary"]["copied"]), ("switched", 1))
    equal(len(export(store)), len(before) + 1)
    equal(describe(store)["layout"], "wide")


@test
def stopped_by_a_signal(folder):
    """The plan is seen before anything is copied. What was copied stays."""
    store = filled(folder, "blob")
    with subprocess.Popen([PROGRAM, "migrate", "--store", store, "--to-layout", "wide", "--rate",
                           "1", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        watchdog = threading.Timer(SECONDS, process.kill)
        watchdog.start()
        equal(json.loads(process.stdout.readline())["plan"]["orders"], 830)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
        watchdog.cancel()
    equal((process.returncode, json.loads(out)["summary"]["outcome"]),
          (128 + signal.SIGINT, "stopped"))
    equal("what was copied stays" in err, True)
    run("put", "--store", store, "-", stdin='{"order": {"customer_number": "VINET", '
        '"order_number": "new", "shipping_locations": []}}').ends(DONE)


@test
def a_pause_that_is_too_long(folder):
    """Nothing is sealed, and the message says how long it would be; giving up leaves no trace."""
    store = filled(folder, "blob")
    before = export(store)
    run("migrate", "--store", store, "--to-layout", "wide", "--pause", "0").ends(
        NO, "writes would wait for about", "--pause", "stays begun", "nothing waits", "it goes on",
        "--abort")
    run("put", "--store", store, "-", stdin='{"order": {"customer_number": "VINET", '
        '"order_number": "10248", "shipping_locations": []}}').ends(DONE)
    run("delete", "--store", store, "VINET", "10248").ends(DONE)
    run("migrate", "--store", store, "--abort").ends(DONE, "The migration is given up")
    run("migrate", "--store", store, "--abort").ends(DONE, "No migration is going on")
    equal(lines(run("migrate", "--store", store, "--abort", "--json").ends(DONE)),
          [{"summary": {"outcome": "nothing"}}])
    equal(lines(run("migrate", "--store", store, "--drop-source", "--json").ends(DONE)),
          [{"summary": {"outcome": "dropped", "tables": 0}}])
    equal(export(store), before)
    equal(describe(store)["layout"], "blob")
    equal(run("migrate", "--store", store).ends(FAILED, "No migration has begun").out, "")
    run("migrate", "--store", store, "--to-layout", "blob").ends(DONE, "nothing to change")
    with open("/dev/full", "w", encoding="ascii") as full:
        unsaid = subprocess.run([PROGRAM, "migrate", "--store", store, "--to-layout", "wide"], stdout=full,
                                stderr=subprocess.PIPE, text=True, timeout=SECONDS, check=False)
    equal((unsaid.returncode, "It has switched" in unsaid.stderr, describe(store)["layout"]), (FAILED, True, "wide"))
    run("migrate", "--store", store, "--to-layout", "blob").ends(DONE)
    equal(lines(run("migrate", "--store", store, "--to-layout", "blob", "--json").ends(DONE))[0]
          ["summary"]["outcome"], "unchanged")


@test
def colliding_orders(folder):
    """They are named, and nothing is sealed; without one of them it goes on."""
    store = new_store(folder, "blob", "raw")
    one, other = (f"TEXTCOLLBYfGiJUETHQ4h{c}cKSMd5zYpgqf1YRDhkmxHkhPWptrkoyz28wnI9V0aHeAuaKnak"
                  for c in "AE")
    for number in (one, other):
        order = {"customer_number": "C", "order_number": number, "shipping_locations": []}
        run("put", "--store", store, "-", stdin=json.dumps({"order": order})).ends(DONE)
    result = run("migrate", "--store", store, "--to-key", "hashed").ends(
        NO, "does not fit", "that row belongs to", "1 cannot be copied", "--abort")
    equal(one in result.out and other in result.out, True)
    run("get", "--store", store, "C", one).ends(DONE)
    unfit = [line["unfit"] for line in lines(run("migrate", "--store", store, "--json").ends(NO))
             if "unfit" in line]
    equal([item["customer_number"] for item in unfit], ["C"])
    run("migrate", "--store", store, "--abort").ends(DONE)
    run("get", "--store", store, "C", other).ends(DONE)


@test
def tables_that_cannot_be(folder):
    """The embedded store refuses them before anything is copied, and nothing goes on."""
    store = new_store(folder, "blob", "hashed")
    for number in range(3):
        order = {"customer_number": f"C{number}", "order_number": "1", "shipping_locations": []}
        run("put", "--store", store, "-", stdin=json.dumps({"order": order})).ends(DONE)
    run("migrate", "--store", store, "--to-key", "raw", "--to-regions", "2").ends(
        USAGE, "no regions")
    with Server(store) as server:
        for option, value, said in NOT_EMBEDDED:
            run("migrate", "--server", server.address, option, value).ends(USAGE, said)
    for option, value, said in NOT_EMBEDDED:
        refused = run("migrate", "--store", store, "--to-layout", "wide", option, value)
        equal(refused.ends(USAGE, said).out, "")
    status = run("status", "--store", store, "--json").ends(DONE)
    equal('"phase"' in status.out and '"copying"' in status.out, False)
    plan = run("migrate", "--store", store, "--to-key", "raw", "--to-regions", "1").ends(DONE)
    heads = [line.index("layout") for line in plan.out.splitlines()
             if line.lstrip().startswith(("from layout", "to layout"))]
    equal(len(heads) == 2 and heads[0] == heads[1], True)


@test
def wrong_calls(folder):
    store = new_store(folder, "blob", "hashed")
    for options, said in ((["--to-layout", "flat"], "no layout “flat”"),
                          (["--to-key", "odd"], "odd"),
                          (["--to-index", "name"], "no index “name”"),
                          (["--pause", "-1"], "--pause takes"),
                          (["--pause", "nan"], "--pause takes"),
                          (["--rate", "0"], "--rate takes"),
                          (["--to-regions", "0"], "--to-regions takes"),
                          (["--abort", "--drop-source"], "not both"),
                          (["--abort", "--to-layout", "wide"], "none of the options"),
                          (["--abort", "--pause", "0"], "none of the options"),
                          (["--abort", "--settled"], "none of the options"),
                          (["--drop-source", "--rate", "1"], "none of the options"),
                          (["now"], "takes no argument")):
        run("migrate", "--store", store, *options).ends(USAGE, said)
    run("migrate", "--store", f"{store}-none", "--to-layout", "wide").ends(FAILED)


if __name__ == "__main__":
    sys.exit(main())
