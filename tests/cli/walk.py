# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""One walk through all commands, each with a few of its options. Sanitizers run this alone of all tests in
Python. Speaks TAP.

    walk.py TALLORDER SOURCE_ROOT
"""

import json
import os
import re
import sys

from support import DONE, KEYS, LAYOUTS, NO, NORTHWIND, ORDER, Server, equal, main, run, test

INDEX = ["--index", "number=order_number", "--index", "item=md5(line.item_number) rtime(sales_date)?"]
CUSTOMER = {"number": "C1", "name": "Ann", "phones": ["1"], "attributes": {"a": "b"}}
USED = set()


def do(command, *arguments, code=DONE, says="", **options):
    out = run(command, *arguments, **options).ends(code, says).out
    USED.add(command)
    return out


def exported(*where):
    return sorted(do("export", *where).splitlines())


def walk_orders(*where):
    """The commands that work on a server as well as on a store."""
    do("put", *where, "-", stdin=ORDER)
    do("customer", "put", *where, "-", stdin=CUSTOMER)
    equal(json.loads(do("get", *where, "--json", "C1", "O1"))["currency"], "EUR")
    do("patch", *where, "C1", "O1", "line[1].quantity+=1", "-line[2]", "+location[1].line[3]={}", "-attribute.note")
    do("edit", *where, "C1", "O1", says="Stored order", env={**os.environ, "VISUAL": "sed -i s/Reims/Paris/"})
    do("get", *where, "C1", "none", code=NO)
    do("list", *where, "C1", "--limit", 1, says="O1")
    do("customer", "get", *where, "C1", says="Ann")
    do("delete", *where, "C1", "O1")
    do("customer", "delete", *where, "C1")
    do("load", *where, "--map", "northwind", NORTHWIND / "orders.csv")
    do("find", *where, "order_number=10248", says="VINET")
    do("find", *where, "item", 42, "--from", "1998-01-01", "--all", "--json", says='"index":"item"')
    do("get", *where, "--order", 10248, says="VINET")
    do("patch", *where, "--order", 10248, '+adjustment={"kind":"refund","amount":"1"}', "adjustment[refund].amount+=1",
       says="stored all the same: its refund of 2 adds to the total")
    do("status", *where)
    do("customer", "list", *where, says="only orders")
    do("verify", *where)


def walk_store(folder, layout, key):
    where = ["--store", f"rocksdb:{folder}/{layout}"]
    do("init", *where, "--layout", layout, "--key", key, *INDEX)
    walk_orders(*where)
    do("explain", *where, "--order", "10248")
    before = exported(*where)
    do("backup", *where, f"{folder}/{layout}-backup")
    do("restore", f"{folder}/{layout}-backup", "--store", f"rocksdb:{folder}/{layout}-restored")
    equal(exported("--store", f"rocksdb:{folder}/{layout}-restored"), before)
    other = LAYOUTS[(LAYOUTS.index(layout) + 1) % len(LAYOUTS)]
    do("migrate", *where, "--to-layout", other)
    equal(exported(*where), before)
    do("verify", *where, "--repair")
    do("drop", *where, "--name", "tallorder", "--yes", "tallorder")


@test
def each_layout_and_key(folder):
    for layout, key in zip(LAYOUTS, KEYS):
        walk_store(folder, layout, key)


@test
def on_a_server(folder):
    store = f"rocksdb:{folder}/store"
    do("init", "--store", store, *INDEX)
    with Server(store) as server:
        walk_orders("--server", server.address)
        equal(server.stop(), 0)
    USED.add("serve")


@test
def measuring(folder):
    do("bench", "--store", f"rocksdb:{folder}/bench", "--layout", "blob,wide", "--count", 20,
       "--operations", 20, "--turns", 1, "--json")
    do("advise", "--orders", NORTHWIND / "orders.csv", "--map", "northwind", "--mix", "get=90,store=10",
       "--count", 20, "--turns", 1, "--seconds", 0.01)


@test
def no_command_is_left_out(_folder):
    told = run("--help").ends(DONE).out
    equal(USED, set(re.findall(r"^  ([a-z]+) +(?:\* )?[A-Z]", told, re.M)))


if __name__ == "__main__":
    sys.exit(main())
