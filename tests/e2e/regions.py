#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Regions, settings of tables and ids on a real HBase, as an administrator meets them.

    regions.py hbase    needs $TALLORDER_HBASE_BINARY; the framed case $TALLORDER_HBASE_COMPACT_FRAMED
"""

import bisect
import csv
import functools
import json
import os
import re
import subprocess
import sys
import tempfile

from support import NORTHWIND, PROGRAM, Checks, connected, generated, names_of, run

REGIONS = 8
ORDERS = 10_000
SPREADING = tuple(key for key in names_of("key_strategies") if key != "raw")
SETTINGS = ["--ttl", "86400000", "--compression", "gz", "--bloom", "rowcol",
            "--block-encoding", "fast_diff"]
SPLIT_TABLES = {"orders", "customers", "index"}


def url(address, name, query=""):
    return f"hbase://{address}?name={name}-{os.getpid()}{query}"


def status(store):
    return {table["name"]: table
            for table in json.loads(run("status", "--store", store, "--json"))["tables"]}


def failure(*arguments):
    """What a command that must fail says."""
    result = subprocess.run([str(PROGRAM), *arguments], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, timeout=300)
    return result.stderr if result.returncode not in (0, -6, -11) else ""


def unescape(text):
    """Bytes of a byte string of the hbase shell."""
    return re.sub(rb"\\x(..)", lambda match: bytes([int(match[1], 16)]), text.encode())


def parse_ddl(ddl):
    """What `--print-ddl` says, as an administrator's shell would understand it."""
    statements = []
    for line in ddl.splitlines():
        name, options, splits = re.fullmatch(
            r"create '([^']+)', \{([^}]*)\}(?:, SPLITS => \[(.*)\])?", line).groups()
        settings = dict(re.findall(r"(\w+) => '?([^',]+)'?", options))
        keys = [unescape(key) for key in re.findall(r'"([^"]*)"', splits or "")]
        statements.append((name, settings, keys))
    return statements


def create_as_administrator(gateway, ddl, change=None):
    """Makes the tables through the gateway's own interface, without our program."""
    from hbase import ttypes

    for name, settings, splits in parse_ddl(ddl):
        if change:
            settings, splits = change(name, dict(settings), list(splits))
        algorithms = ttypes.TCompressionAlgorithm._NAMES_TO_VALUES
        family = ttypes.TColumnFamilyDescriptor(
            name=settings["NAME"].encode(), maxVersions=int(settings["VERSIONS"]),
            timeToLive=int(settings.get("TTL", 2**31 - 1)))
        if "COMPRESSION" in settings:
            family.compressionType = algorithms[settings["COMPRESSION"]]
        if "BLOOMFILTER" in settings:
            family.bloomnFilterType = \
                ttypes.TBloomFilterType._NAMES_TO_VALUES[settings["BLOOMFILTER"]]
        if "DATA_BLOCK_ENCODING" in settings:
            family.dataBlockEncoding = \
                ttypes.TDataBlockEncoding._NAMES_TO_VALUES[settings["DATA_BLOCK_ENCODING"]]
        table = ttypes.TTableName(qualifier=name.encode())
        gateway.createTable(ttypes.TTableDescriptor(tableName=table, columns=[family]), splits)


def region_starts(gateway, table):
    locations = gateway.getAllRegionLocations(table.encode())
    return sorted(location.regionInfo.startKey or b"" for location in locations)


def check_init(checks, gateway, address, keys):
    for key in keys:
        store = url(address, f"regions-{key}")
        run("init", "--store", store, "--key", key, "--regions", REGIONS, *SETTINGS)
        ddl = run("init", "--store", store, "--key", key, "--regions", REGIONS, *SETTINGS,
                  "--print-ddl")
        wanted = {name: [b"", *splits] for name, _, splits in parse_ddl(ddl)}
        found = {name: region_starts(gateway, name) for name in wanted}
        checks.check(found == wanted, f"{key}: regions are as printed", f"{found}\n{wanted}")
        tables = status(store)
        counts = {name: table["regions"] for name, table in tables.items()}
        checks.check(all(count == (REGIONS if name in SPLIT_TABLES else 1)
                         for name, count in counts.items()), f"{key}: status counts regions", counts)
        orders = tables["orders"]
        checks.check((orders["ttl"], orders["compression"], orders["bloom_filter"],
                      orders["block_encoding"], tables["customers"]["ttl"]) ==
                     (86400000, "gz", "rowcol", "fast_diff", 0), f"{key}: settings are kept", tables)


def check_adoption(checks, gateway, address, framed_address):
    options = ["--regions", str(REGIONS), *SETTINGS]
    store = url(address, "adopted")
    ddl = run("init", "--store", store, *options, "--print-ddl")
    create_as_administrator(gateway, ddl)
    run("init", "--store", store, *options)
    checks.check(status(store)["orders"]["regions"] == REGIONS, "an administrator's tables are taken")

    def spoil(**changes):
        def change(name, settings, splits):
            if name.endswith(".orders"):
                settings.update(changes)
                splits = splits[:-1] + [b"\xfe"] if not changes else splits
            return settings, splits
        return change

    for what, changes, words in [
            ("family", {"NAME": "x"}, ["orders", 'family "d"']),
            ("versions", {"VERSIONS": "3"}, ["orders", "versions", "3", "all"]),
            ("ttl", {"TTL": "77"}, ["orders", "TTL", "77", "86400000"]),
            ("compression", {"COMPRESSION": "NONE"}, ["orders", "compression", "none", "gz"]),
            ("splits", {}, ["orders", "region", "\\xFE"])]:
        store = url(address, f"refused-{what}")
        create_as_administrator(gateway, run("init", "--store", store, *options, "--print-ddl"),
                                spoil(**changes))
        said = failure("init", "--store", store, *options)
        checks.check(all(word in said for word in words), f"other {what} is refused", said)

    if framed_address is None:
        checks.skip("TALLORDER_HBASE_COMPACT_FRAMED is not set")
        return
    framed = url(framed_address, "framed", "&framed=1&protocol=compact")
    said = failure("init", "--store", framed, *options)
    statement = re.search(r"create '[^']*\.(?:orders|customers)', \{.*\]", said)
    checks.check("framed" in said and statement is not None,
                 "a framed gateway is refused, with the statement", said)
    ddl = run("init", "--store", framed, *options, "--print-ddl")
    missing = "\n".join(line for line in ddl.splitlines() if not line.startswith(
        f"create 'framed-{os.getpid()}.meta'"))
    create_as_administrator(gateway, missing)
    run("init", "--store", framed, *options)
    checks.check(status(framed)["orders"]["regions"] == REGIONS,
                 "what was made by hand is taken by the framed gateway")


def order_lines(first, n, prefix="", per_customer=5):
    return "".join(json.dumps({"order": {"customer_number": f"{100000 + i // per_customer}",
                                         "order_number": f"{prefix}{i}"}}) + "\n"
                   for i in range(first, first + n))


def put(store, text):
    return subprocess.Popen([str(PROGRAM), "put", "-", "--store", store], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True), text


def finish(started):
    process, text = started
    out, err = process.communicate(text, timeout=600)
    if process.returncode != 0:
        raise AssertionError(f"put ended with {process.returncode}: {out}{err}")


def count_rows(gateway, table):
    """Rows in each region of a table."""
    from hbase import ttypes

    starts, row = region_starts(gateway, table), b""
    counts = [0] * len(starts)
    while True:
        rows = gateway.getScannerResults(table.encode(), ttypes.TScan(startRow=row, limit=2000), 2000)
        for found in rows:
            counts[bisect.bisect_right(starts, found.row) - 1] += 1
        if len(rows) < 2000:
            return counts
        row = rows[-1].row + b"\0"


def check_spread(checks, connect, address, keys):
    """Sequential customers: no region is out of reach, and none holds more than twice its share."""
    for key in keys:
        store = url(address, f"regions-{key}")
        started = [put(store, order_lines(i * ORDERS // 4, ORDERS // 4)) for i in range(4)]
        for one in started:
            finish(one)
        with connect() as gateway:  # only now: a gateway closes what is idle for a minute
            for table in ("orders", "index"):
                counts = count_rows(gateway, f"regions-{key}-{os.getpid()}.{table}")
                checks.check(len(counts) == REGIONS and sum(counts) == ORDERS and
                             min(counts) > 0 and max(counts) <= 2 * ORDERS / REGIONS,
                             f"{key}: 10,000 rows of {table} are spread", counts)


def check_explain(checks, gateway, address):
    """explain tells the region of a row as HBase does."""
    store = url(address, "regions-hashed")
    starts, seen = region_starts(gateway, f"regions-hashed-{os.getpid()}.orders"), set()
    for i in range(0, 100, 5):
        where = [f"{100000 + i // 5}", f"{i}"]
        row = json.loads(run("explain", "--store", store, *where, "--json"))["explanations"][0][
            "rows"][0]
        wanted = bisect.bisect_right(starts, bytes.fromhex(row["key"])) - 1
        said = run("explain", "--store", store, *where)
        if (row["region"], row["regions"]) != (wanted, REGIONS) or (
                f"(region {wanted + 1} of {REGIONS})" not in said):
            checks.check(False, "explain tells the region of a row", f"{wanted}: {row}\n{said}")
            return
        seen.add(wanted)
    checks.check(len(seen) > 2, "explain tells the region of a row", f"{seen}")


def check_sample(checks, gateway, address):
    """Raw keys, split by the customer numbers of the orders that will be loaded."""
    with open(NORTHWIND / "orders.csv", newline="", encoding="utf-8") as file:
        orders = {row["OrderID"]: row["CustomerID"] for row in csv.DictReader(file)}
    store, regions = url(address, "regions-raw"), 6
    said = failure("init", "--store", store, "--key", "raw", "--regions", str(regions))
    checks.check("--sample" in said or "sample" in said, "raw keys without a sample are refused", said)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as sample:
        sample.write("".join(f"{customer}\n" for customer in orders.values()))
        sample.flush()
        options = ["--store", store, "--layout", "normalized", "--key", "raw", "--regions", regions,
                   "--sample", sample.name]
        ddl = run("init", *options, "--print-ddl")
        run("init", *options)
    wanted = {name: [b"", *splits] for name, _, splits in parse_ddl(ddl)}
    found = {name: region_starts(gateway, name) for name in wanted}
    counts = {name: table["regions"] for name, table in status(store).items()}
    checks.check(found == wanted and counts["lines"] == regions,
                 "raw, with a sample: regions are as printed", f"{found}\n{wanted}\n{counts}")
    run("load", "--store", store, NORTHWIND / "orders.csv", "--map", "northwind")
    for table, rows in (("orders", 830), ("lines", 2155), ("index", 830)):
        counts = count_rows(gateway, f"regions-raw-{os.getpid()}.{table}")
        checks.check(len(counts) == regions and sum(counts) == rows and min(counts) > 0 and
                     max(counts) <= 2 * rows / regions, f"raw: {table} are spread", counts)


def check_ids(checks, gateway, address):
    """Two processes number the same new customers at once, and agree."""
    from hbase import ttypes

    store = url(address, "regions-ids")
    run("init", "--store", store, "--key", "numeric")
    customers = 60
    started = [put(store, order_lines(0, customers, prefix, 1)) for prefix in ("a", "b")]
    for one in started:
        finish(one)
    table = f"regions-ids-{os.getpid()}.ids".encode()
    rows = gateway.getScannerResults(table, ttypes.TScan(limit=2000), 2000)
    values = {row.row: row.columnValues[0].value for row in rows}
    numbers = {row[1:]: value for row, value in values.items() if row[:1] == b"n"}
    checks.check(len(numbers) == customers and len(set(numbers.values())) == customers and
                 all(values.get(b"i" + value) == number for number, value in numbers.items()),
                 "every customer has one id, and every id leads back", values)
    wrong = [f"{100000 + i} {prefix}{i}" for i in range(0, customers, 7) for prefix in ("a", "b")
             if f"{prefix}{i}" not in run("get", "--store", store, str(100000 + i), f"{prefix}{i}",
                                          "--json")]
    checks.check(not wrong, "orders of both processes are there", wrong)


def main(kind):
    checks = Checks()
    address = os.environ.get("TALLORDER_HBASE_BINARY")
    if kind != "hbase" or address is None:
        checks.skip("TALLORDER_HBASE_BINARY names no HBase")
        return checks.finish()
    address = address.split(",")[0]
    framed = os.environ.get("TALLORDER_HBASE_COMPACT_FRAMED")
    with generated("hbase"):
        from hbase import Gateway
        connect = functools.partial(connected, address, Gateway, framed=False, seconds=120)
        with connect() as gateway:
            check_init(checks, gateway, address, SPREADING)
            check_adoption(checks, gateway, address, framed and framed.split(",")[0])
        check_spread(checks, connect, address, SPREADING)
        with connect() as gateway:
            check_explain(checks, gateway, address)
        with connect() as gateway:
            check_sample(checks, gateway, address)
            check_ids(checks, gateway, address)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
