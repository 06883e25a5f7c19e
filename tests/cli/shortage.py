# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Gives the program too little memory: it says so in one line, whatever it was doing, and what is
stored stays sound. Speaks TAP.

    shortage.py TALLORDER SOURCE_ROOT FAIL_CALL

FAIL_CALL is the library of tests/syscalls/fail-call.c.
"""

import itertools
import os
import resource
import sys

from support import DONE, FAILED, NORTHWIND, ORDER, equal, main, new_store, run, test

MIB = 1 << 20
SOME = range(60, 540, 60)  # MiB: from too little for the first thread to enough for all
SAID = "tallorder: Too little memory"


def run_within(mebibytes, *arguments, **options):
    """Runs the program with so much address space."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (mebibytes * MIB, mebibytes * MIB))
    return run(*arguments, preexec_fn=limit, **options)


def ends_plainly(result):
    """Returns whether it had enough."""
    if result.code == FAILED:
        equal((result.err.startswith(SAID), result.err.count("\n")), (True, 1))
    else:
        result.ends(DONE)
    return result.code == DONE


@test
def commands_on_a_store(folder):
    store = new_store(folder)
    orders = NORTHWIND / "orders.csv"
    run("load", "--store", store, "--map", "northwind", orders).ends(DONE)
    for command in (("verify", "--store", store), ("get", "--store", store, "VINET", "10248"),
                    ("export", "--store", store), ("status", "--store", store),
                    ("load", "--store", store, "--map", "northwind", orders)):
        enough = [ends_plainly(run_within(mebibytes, *command)) for mebibytes in SOME]
        equal(enough[0], False)
    run_within(60, "serve", "--store", store, "--listen", "127.0.0.1:0").ends(FAILED, "Too little")
    run("verify", "--store", store).ends(DONE, "Verified 830 orders", "sound")


@test
def a_client(_):
    """Without RocksDB: GLib ends the process when it gets no memory."""
    line = '"' + "x" * (40 * MIB) + '"'
    equal(ends_plainly(run_within(50, "put", "--server", "127.0.0.1:1", "-", stdin=line)), False)


@test
def no_pages(_):
    """GSlice of GLib asks for memory in a way of its own, and aborts where it gets none."""
    def run_without(n):
        return run("get", "--server", "127.0.0.1:1", "C", "1",
                   env={**os.environ, "LD_PRELOAD": sys.argv[3], "TALL_CALLS_NO_PAGES": str(n)})
    for n in itertools.count(1):
        result = run_without(n)
        if not result.err.startswith(SAID):
            break
        result.ends(FAILED)
    result.ends(FAILED, "no tallorder server answers")
    equal(n > 5, True)


@test
def no_maps(folder):
    """A load asks the kernel for its largest piece itself."""
    result = run("load", "--store", new_store(folder), "--map", "northwind", NORTHWIND / "orders.csv",
                 env={**os.environ, "LD_PRELOAD": sys.argv[3], "TALL_CALLS_NO_MAPS": "1"})
    equal(ends_plainly(result), False)


@test
def enough(folder):
    """What ends for another reason says that."""
    store = new_store(folder)
    run_within(4096, "put", "--store", store, "-", stdin=ORDER).ends(DONE)
    run_within(4096, "get", "--store", f"{store}x", "C1", "O1").ends(FAILED, "There is no")


main()
