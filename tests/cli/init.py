# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Makes deployments like a user: every option of init, what status and explain report about it, and
what is refused. Speaks TAP.

    init.py TALLORDER SOURCE_ROOT
"""

import base64
import hashlib
import json
import os
import pathlib
import sys

from support import (
    DONE, FAILED, KEYS, LAYOUTS, NO, ORDER, USAGE, Server, equal, free_port, main, new_store, parse,
    run, test,
)

PAGE_VERSIONS = 2  # of page tokens, that this version reads

TABLES = {
    "blob": {"customers", "orders"}, "wide": {"customers", "orders"}, "record-type": {"orders"},
    "denormalized": {"customers", "orders"},
    "normalized": {"customers", "orders", "shipping", "lines"},
}


def order(customer, number, **more):
    return {"order": {"customer_number": customer, "order_number": number, **more}}


def lines_of(*objects):
    return "".join(json.dumps(o) + "\n" for o in objects)


def status_of(*place):
    return json.loads(run("status", *place, "--json").ends(DONE).out)


@test
def others_see_nothing(folder):
    store = f"rocksdb:{folder}/private"
    before = os.umask(0o022)
    try:
        run("init", "--store", store).ends(DONE)
        run("put", "--store", store, "-", stdin=ORDER).ends(DONE)
    finally:
        os.umask(before)
    directory = pathlib.Path(folder, "private")
    equal(directory.stat().st_mode & 0o777, 0o700)
    equal({f.name for f in directory.iterdir() if f.stat().st_mode & 0o077}, set())


@test
def what_there_is(_):
    """--list names what --help, the messages and the README name, and tables as status does."""
    told = json.loads(run("init", "--list", "--json").ends(DONE).out)
    help_text = run("init", "--help").ends(DONE).out
    equal("Layouts: blob (default), " + ", ".join(LAYOUTS[1:]) + "." in help_text, True)
    equal("Key strategies: hashed (default), " + ", ".join(KEYS[1:]) + "." in help_text, True)
    run("init", "--layout", "x").ends(USAGE, "choose one of: " + ", ".join(LAYOUTS))
    run("init", "--key", "x").ends(USAGE, "choose one of: " + ", ".join(KEYS))
    known = [one for one in told["layouts"] if one["name"] in TABLES]
    equal({one["name"]: set(one["tables"]) for one in known}, TABLES)
    equal({one["name"] for one in known if one["single_row"]}, {"blob", "wide"})
    equal([one["name"] for one in told["stores"]][:2], ["rocksdb", "hbase"])
    for place in told["stores"]:
        run("help").ends(DONE, f"  --store {place['address']}\n")
        run("status", "--store", "x:").ends(USAGE, place["address"])

    table = run("init", "--list").ends(DONE).out
    for one in [*told["layouts"], *told["key_strategies"]]:
        equal(any(line.startswith(one["name"] + " ") and line.endswith("  " + one["summary"])
                  for line in table.splitlines()), True)
    run("init", "--json").ends(USAGE, "--json goes with --list")
    run("init", "--list", "x").ends(USAGE, "takes no argument")


@test
def settings_are_kept(folder):
    """Status reports all options of init, by --json and in the table for people."""
    store = f"rocksdb:{folder}/store"
    run("init", "--store", store, "--layout", "normalized", "--key", "salted", "--ttl", 86400,
        "--compression", "zstd", "--bloom", "row", "--block-encoding", "prefix").ends(
            DONE, "layout normalized, key strategy salted")
    status = status_of("--store", store)
    equal((status["layout"], status["key_strategy"]), ("normalized", "salted"))
    tables = {table.pop("name"): table for table in status["tables"]}
    equal(set(tables), TABLES["normalized"] | {"entries", "index", "meta"})
    equal(tables["orders"], {"access": "open", "max_versions": 0, "ttl": 86400, "compression": "zstd",
                             "bloom_filter": "row", "block_encoding": "prefix", "regions": 1})
    equal((tables["customers"]["ttl"], tables["lines"]["ttl"], tables["meta"]["ttl"]),
          (0, 86400, 0))
    run("status", "--store", store).ends(DONE, "zstd", "86400", "REGIONS", "never")


@test
def no_index(folder):
    """Without an index there is no listing by date, and no table for it; all else works."""
    store = f"rocksdb:{folder}/store"
    run("init", "--store", store, "--index", "none").ends(DONE)
    status = status_of("--store", store)
    equal([t["name"] for t in status["tables"]], ["customers", "meta", "orders"])
    equal((status["index"], status["format"], status["indexes"]), ("none", 1, []))
    run("put", "--store", store, "-", stdin=ORDER).ends(DONE)
    run("list", "--store", store, "C1").ends(
        FAILED, "made without an index by date", "--to-index date", "tallorder customer get --orders C1")
    run("find", "--store", store, "order_number=O1").ends(FAILED, "this deployment has no index; `tallorder migrate")
    run("customer", "get", "--orders", "C1", "--store", store).ends(DONE, "Order O1 of C1")
    run("customer", "list", "--store", store).ends(DONE, "only orders")

    with_index = f"rocksdb:{folder}/other"
    run("init", "--store", with_index, "--index", "date").ends(DONE)
    run("put", "--store", with_index, "-", stdin=ORDER).ends(DONE)
    run("list", "--store", with_index, "C1").ends(DONE, "O1")
    run("get", "--store", with_index, "--order", "O1").ends(FAILED, "number=order_number")


@test
def usual_indexes(folder):
    """What is given comes beside them, or is all, if it says `date` or `none`."""
    city, own = "city=location.address.city", "number=md5(order_number)"
    usual = "number=order_number"
    cases = [([], "date", [usual]), ([city], "date", [usual, city]), ([own], "date", [own]),
             ([city, own], "date", [city, own]), (["date"], "date", []), (["date", city], "date", [city]),
             (["none", city], "none", [city])]
    for place, (given, index, indexes) in enumerate(cases):
        where = ["--store", f"rocksdb:{folder}/store?name=n{place}"]
        run("init", *where, *[f"--index={one}" for one in given]).ends(DONE)
        status = status_of(*where)
        equal((given, status["index"], status["indexes"], status["format"]),
              (given, index, indexes, 3 if indexes else 1))
        run("put", *where, "-", stdin=ORDER).ends(DONE)
        run("get", *where, "--order", "O1").ends(DONE if usual in indexes or own in indexes else FAILED)
    run("migrate", *where, f"--to-index={city}").ends(DONE)
    equal(status_of(*where)["indexes"], [usual, city])
    run("get", *where, "--order", "O1").ends(DONE, "Order O1 of C1")


@test
def print_ddl(folder):
    """The statements for HBase's shell: a line a table, with splits and settings, and no store made."""
    for layout, tables in TABLES.items():
        said = run("init", "--store", "hbase://h:1?name=shop", "--layout", layout,
                   "--print-ddl").ends(DONE).out.splitlines()
        equal({line.split("'")[1] for line in said}, {f"shop.{t}" for t in tables | {"entries", "index", "meta"}})
        equal([line for line in said if not line.startswith("create '") or "SPLITS" in line], [])
    said = run("init", "--print-ddl", "--key", "salted", "--regions", 4, "--compression", "snappy",
               "--bloom", "rowcol", "--block-encoding", "fast_diff", "--ttl", 60).ends(DONE).out
    orders = [line for line in said.splitlines() if line.startswith("create 'tallorder.orders'")][0]
    for part in ["SPLITS => [\"\\x40\", \"\\x80\", \"\\xC0\"]", "COMPRESSION => 'SNAPPY'",
                 "BLOOMFILTER => 'ROWCOL'", "DATA_BLOCK_ENCODING => 'FAST_DIFF'", "TTL => 60"]:
        equal((part, part in orders), (part, True))
    sample = f"{folder}/sample"
    pathlib.Path(sample).write_text("B\nA\nC\nD\n")
    run("init", "--print-ddl", "--key", "raw", "--regions", 2, "--sample", sample).ends(
        DONE, 'SPLITS => ["C\\x00"]')
    equal(os.listdir(folder), ["sample"])


@test
def regions(folder):
    """As many as asked for, in every table that has rows of customers; not in an embedded store."""
    for key in ["hashed", "salted", "reversed", "numeric"]:
        for n in [1, 2, 16]:
            said = run("init", "--print-ddl", "--key", key, "--regions", n).ends(DONE).out
            line = [row for row in said.splitlines() if ".orders'" in row][0]
            splits = line.partition("SPLITS => [")[2].count('"') // 2
            equal((key, n, splits), (key, n, n - 1))
    store = f"rocksdb:{folder}/store"
    run("init", "--store", store, "--regions", 4).ends(USAGE, "--regions", "has no regions")
    equal(os.listdir(folder), [])
    run("init", "--store", store, "--regions", 1).ends(DONE)
    run("put", "--store", store, "-", stdin=ORDER).ends(DONE)
    run("explain", "--store", store, "C1", "O1").ends(DONE, "1 row, 1 table")
    only = json.loads(run("explain", "--store", store, "C1", "O1", "--json").ends(DONE).out)
    equal([(r["region"], r["regions"]) for r in only["explanations"][0]["rows"]], [(0, 1)])


@test
def wrong_settings(folder):
    """Each is refused with a message of its own, before anything is made."""
    sample = f"{folder}/sample"
    pathlib.Path(sample).write_text("A\nA\nB\n")
    store = f"rocksdb:{folder}/none"
    cases = [
        (["--layout", "tall"], "no layout “tall”", "blob, record-type"),
        (["--layout", ""], "no layout “”"),
        (["--key", "tall"], "no key strategy “tall”", "hashed, raw"),
        (["--index", "tall"], "no index “tall”", "date, none"),
        (["--regions", "0"], "--regions takes a number from 1 to 4096"),
        (["--regions=-1"], "--regions takes a number from 1 to 4096"),
        (["--regions", "4097"], "--regions takes a number from 1 to 4096"),
        (["--regions", "99999999999"], "--regions", "out of range"),
        (["--regions", "four"], "--regions", "four"),
        (["--ttl=-1"], "--ttl takes seconds"),
        (["--key", "raw", "--regions", "4"], "give a sample"),
        (["--key", "raw", "--regions", "4"], "--sample"),
        (["--key", "raw", "--regions", "4", "--sample", sample], "2 different customers"),
        (["--key", "salted", "--regions", "257", "--print-ddl"], "256 buckets"),
        (["--print-ddl"], "an embedded store makes its tables itself"),
    ]
    for options, *texts in cases:
        where = [] if "257" in options else ["--store", store]
        run("init", *where, *options).ends(USAGE, *texts)
    for option in (["--compression", "foo"], ["--bloom", "foo"], ["--block-encoding", "foo"],
                   ["--ttl", "2147483647"]):
        said = run("init", *option, "--print-ddl").ends(USAGE, "HBase").out
        equal(said, "")
        run("init", "--store", f"hbase://127.0.0.1:{free_port()}", *option).ends(USAGE, "HBase")
    run("init", "--store", "hbase://h:1?name=a/b", "--print-ddl").ends(USAGE, "letters, digits")
    run("init", "--store", store, "--key", "raw", "--sample", f"{folder}/no").ends(
        FAILED, f"--sample: {folder}/no cannot be opened: No such file")
    equal(os.path.exists(f"{folder}/none"), False)

    for option, value in [("--compression", "rar"), ("--bloom", "big"), ("--block-encoding", "x")]:
        run("init", "--store", store, option, value).ends(USAGE, f'"{value}"', "embedded store")
        equal(os.path.exists(f"{folder}/none"), False)
    run("init", "--store", store).ends(DONE)


@test
def wrong_pages(folder):
    """A page's token is good for one listing of one deployment; each misuse has its own error."""
    store, other = new_store(folder), f"rocksdb:{folder}/other"
    run("init", "--store", other).ends(DONE)
    items = [order(c, f"O{i}", sales_date="2020-01-01") for c in "CD" for i in range(3)]
    for place in (store, other):
        run("put", "--store", place, "-", stdin=lines_of(*items)).ends(DONE)

    def check(place, foreign):
        said = json.loads(run("list", "C", *place, "--limit", 1, "--json").ends(DONE).out)
        token = said["next_page"]
        equal(len(run("list", "C", *place, "--page", token).ends(DONE).out.splitlines()), 3)
        page = ["--page", token]
        run("list", "D", *place, *page).ends(USAGE, "--page", "another customer or other dates")
        run("list", "C", *place, *page, "--from", "2019-01-01").ends(USAGE, "other dates")
        run("customer", "list", *place, *page).ends(USAGE, "another kind of listing")
        run("customer", "get", "C", "--orders", *place, *page).ends(USAGE, "another kind of listing")
        run("list", "C", *foreign, *page).ends(USAGE, "another deployment")
        run("list", "C", *place, "--page", "abc").ends(USAGE, "this is not a page token")
        run("list", "C", *place, "--page", newer(token)).ends(USAGE, "newer version")

    check(["--store", store], ["--store", other])
    with Server(store) as server, Server(other) as foreign:
        check(["--server", server.address], ["--server", foreign.address])


def newer(token):
    """The token as a newer version would write it: its number, and a checksum that fits."""
    data = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))[:-4]
    data = bytes([PAGE_VERSIONS + 1]) + data[1:]
    checksum = hashlib.md5(data, usedforsecurity=False).digest()[:4]
    return base64.urlsafe_b64encode(data + checksum).decode().rstrip("=")


@test
def dates_the_wrong_way_round(folder):
    store = new_store(folder)
    for start, end in [("2020-01-02", "2020-01-01"), ("2020-01-01", "2020-01-01"),
                       ("2020-01-01T00:00:00Z", "2020-01-01T01:00:00+02:00")]:
        run("list", "C", "--store", store, "--from", start, "--to", end).ends(
            USAGE, f"--to {end} must be later than --from {start}")


@test
def customer_delete(folder):
    store = new_store(folder, "record-type")
    with Server(store) as server:
        check_customer_delete("--server", server.address)
        equal(server.stop(), 0)
    check_customer_delete("--store", store)


def check_customer_delete(*place):
    customer = {"number": "X", "name": "Bob"}
    said = run("customer", "put", *place, "-", stdin=customer).ends(DONE).out
    revision = int(said.split()[-1])
    run("put", *place, "-", stdin=order("X", "O1")).ends(DONE)
    run("customer", "delete", *place, "X").ends(NO, "X", "has orders")
    equal(parse(run("customer", "get", *place, "X", "--json").ends(DONE).out), customer)
    run("delete", *place, "X", "O1").ends(DONE)
    run("customer", "delete", *place, "X", "--if-revision", revision + 2).ends(NO, str(revision))
    run("customer", "delete", *place, "X", "--if-revision", revision).ends(
        DONE, "Deleted customer X")
    run("customer", "delete", *place, "X").ends(NO, "X")
    run("customer", "get", *place, "X").ends(NO, "X")
    equal(json.loads(run("customer", "list", *place, "--all", "--json").ends(DONE).out),
          {"customers": []})


if __name__ == "__main__":
    sys.exit(main())
