# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Loads small files of the shapes that people have, and compares the orders with what is right. Speaks TAP.

    shapes.py TALLORDER SOURCE_ROOT

Each folder of tests/load/inputs has its files, perhaps a mapping of its own, and `right.json`: the orders as `export`
prints them, and the reasons of rejected rows by their line.
"""

import csv
import decimal
import json
import pathlib
import re
import sys

from support import SOURCE, DONE, NO, USAGE, test, run, equal, main

INPUTS = SOURCE / "tests" / "load" / "inputs"
PRESETS = {"a-minutes": "online-retail-2", "a-shopify": "shopify", "o-shopify": "shopify",
           "p-total": "superstore", "p-tpch": "tpch", "preset": "online-retail", "s-footer": "ebay", "w-woo": "woocommerce"}
PRESETS.update({name: name for name in ("adventureworks", "amazon", "ebay", "etsy", "olist", "shopify")})
# Files that have to be named by their kind, and the order of the others.
FILES = {"adventureworks": ["orders=orders.csv", "lines=lines.csv"],
         "o-overlap": ["jan.csv", "feb.csv"],
         "olist": ["items=items.csv", "orders=orders.csv", "customers=customers.csv"],
         "p-tpch": ["orders=orders.tbl", "lines=lineitem.tbl"]}


def files_of(folder):
    named = FILES.get(folder.name)
    if named is None:
        named = [path.name for path in sorted(folder.iterdir()) if path.suffix in (".csv", ".tsv", ".txt")]
    return [f"{kind}={folder / path}" if kind else str(folder / path)
            for kind, _, path in (name.rpartition("=") for name in named)]


def mapping_of(folder):
    own = [path for path in (folder / "own.map", folder / "own.sql") if path.exists()]
    return str(own[0]) if own else PRESETS[folder.name]


def reasons_in(path):
    with open(path, newline="", encoding="utf-8") as file:
        return {row["line"]: row["reason"] for row in csv.DictReader(file) if row["reason"] != "header"}


def load(folder, shape):
    """Returns the orders of a shape, and the reasons of its rejects."""
    store, rejects = f"rocksdb:{folder}/{shape.name}", f"{folder}/{shape.name}.rejects"
    run("init", "--store", store).ends(DONE)
    said = run("load", "--store", store, "--map", mapping_of(shape), "--rejects", rejects, "--json", *files_of(shape))
    if said.code not in (DONE, NO):
        raise AssertionError(f"{shape.name}: {said.out}{said.err}")
    orders = [json.loads(line)["order"] for line in run("export", "--store", store).ends(DONE).out.splitlines()]
    return orders, reasons_in(rejects), json.loads(said.out)


def net(order):
    """The total of an order, to the cent."""
    total = sum((decimal.Decimal(one["amount"]) for one in order.get("adjustments", [])), decimal.Decimal(0))
    for place in order.get("shipping_locations", []):
        for line in place.get("line_items", []):
            price = decimal.Decimal(line["quantity"]) * decimal.Decimal(line.get("price", "0"))
            total += price * (1 - decimal.Decimal(line.get("discount", "0")))
    return str(total.quantize(decimal.Decimal("0.01"), decimal.ROUND_HALF_UP))


def add_test(shape):
    def compare(folder):
        right = json.loads((shape / "right.json").read_text("utf-8"))
        orders, reasons, summary = load(folder, shape)
        equal({order["order_number"]: order for order in orders},
              {order["order_number"]: order for order in right["orders"]})
        equal(len(orders), len(right["orders"]))
        equal({line: reason[:len(right["rejected"].get(line, ""))] for line, reason in reasons.items()},
              right["rejected"])
        equal(summary["repeated"]["rows"], right.get("repeated", 0))
        if "net" in right:
            equal({order["order_number"]: net(order) for order in orders}, right["net"])
    compare.__name__ = "shape_" + shape.name.replace("-", "_")
    test(compare)


for _shape in sorted(path for path in INPUTS.iterdir() if path.is_dir()):
    add_test(_shape)


@test
def joined_with_gaps(folder):
    """Presets that join reject lines without an order, and orders without lines but for Olist's, which are canceled."""
    for name, (heads, kind), (lines, line_kind), mark, n_rejected in (
            ("olist", ("orders.csv", "orders"), ("items.csv", "items"), ",", 1),
            ("adventureworks", ("orders.csv", "orders"), ("lines.csv", "lines"), "\t", 2),
            ("p-tpch", ("orders.tbl", "orders"), ("lineitem.tbl", "lines"), "|", 2)):
        files = []
        for number, file, of in ((990001, heads, kind), (990002, lines, line_kind)):
            text = (INPUTS / name / file).read_text("utf-8").rstrip("\n")
            last = text.splitlines()[-1]
            alone = last.replace(last.split(mark)[0], str(number))
            path = pathlib.Path(folder, f"{name}-{file}")
            path.write_text(f"{text}\n{alone}\n", "utf-8")
            files.append(f"{of}={path}")
        if name == "olist":
            files.append(f"customers={INPUTS / name / 'customers.csv'}")
        said = run("load", "--map", PRESETS[name], "--dry-run", "0", "--json", *files).ends(NO).out
        equal((name, json.loads(said)["rejected_rows"]), (name, n_rejected))


@test
def shopify_twice(folder):
    """An order that is in a file twice is rejected; one whose e-mail changes within is one order, of the last."""
    header, *rows = (INPUTS / "shopify" / "orders.csv").read_text("utf-8").splitlines(keepends=True)
    first = [row for row in rows if row.startswith("#1,")]
    shape = pathlib.Path(folder, "shopify")
    shape.mkdir()
    file = shape / "orders.csv"
    for text, numbers, reason in (
            (header + "".join(first * 2), [], "the order is there more than once"),
            (header + "".join(first) + header + "".join(first), [], "the order is there more than once"),
            (header + first[0] + first[1].replace("ann@", "bea@"), ["bea@example.com"], None)):
        file.write_text(text, encoding="utf-8")
        store = f"rocksdb:{folder}/{len(text)}"
        run("init", "--store", store).ends(DONE)
        rejects = f"{folder}/{len(text)}.csv"
        run("load", "--store", store, "--map", "shopify", "--rejects", rejects, file).ends(NO if reason else DONE)
        orders = [json.loads(line)["order"] for line in run("export", "--store", store).ends(DONE).out.splitlines()]
        equal([order["customer_number"] for order in orders], numbers)
        equal(set(reasons_in(rejects).values()), {reason} if reason else set())
        equal([net(order) for order in orders], ["60.00"] * len(numbers))


@test
def presets_are_printed(folder):
    """Each preset can be printed, and what is printed is a mapping as good as its name."""
    names = run("load", "--print-map", "none").ends(USAGE).err.partition("one of: ")[2].partition(";")[0].strip()
    listed = re.search(r"^Presets: ([^.]*)\.", run("load", "--help").out, re.M).group(1)
    equal(sorted(re.split(r",\s*", listed)), sorted(names.split(", ")))
    equal(sorted({*PRESETS.values(), "northwind", "northwind-customers"}), sorted(names.split(", ")))
    for shape, preset in sorted(PRESETS.items()):
        text = run("load", "--print-map", preset).ends(DONE).out
        own = f"{folder}/{preset}{'.sql' if 'SELECT' in text else '.map'}"
        pathlib.Path(own).write_text(text, encoding="utf-8")
        shown = [run("load", "--map", mapping, "--dry-run", "9", "--quiet", *files_of(INPUTS / shape)).out
                 for mapping in (preset, own)]
        equal((preset, shown[0] == shown[1], shown[0] != ""), (preset, True, True))


if __name__ == "__main__":
    sys.exit(main())
