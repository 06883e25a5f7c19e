# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Measures layouts side by side like a user. Speaks TAP.

    bench.py TALLORDER SOURCE_ROOT [hbase]    the latter needs $TALLORDER_HBASE_BINARY
"""

import html.parser
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from authority import Ca  # noqa: E402
from support import (  # noqa: E402
    DONE, FAILED, KEYS, LAYOUTS, NORTHWIND, PROGRAM, SECONDS, SOURCE, USAGE, Result, equal, main, on_terminal, run, test,
)

SPENT = ["cpu_client_us", "cpu_gateway_us", "cpu_server_us", "wire_sent_bytes", "wire_received_bytes"]
RISING = ["p50_us", "p95_us", "p99_us", "p99_9_us", "max_us"]
PHASES = ["store", "get", "list", "missing", "customer", "replace", "load"]
ON_HBASE = sys.argv[3:] == ["hbase"]

# Of an order of 5 lines at one location: calls of a put on HBase and of a get, rows of a get. RocksDB
# takes all rows of a put in one call.
COSTS = {"blob": (2, 1, 1), "wide": (2, 1, 1), "record-type": (3, 1, 7), "denormalized": (3, 1, 6),
         "normalized": (3, 3, 7)}


def bench(store, *options):
    """The measurements by layout, key and phase, and all that was printed."""
    result = run("bench", "--store", store, "--json", *options).ends(DONE)
    equal(result.err, "")
    equal(re.findall(r"[1-9]\d*\.\d{4,}|\.0*[1-9]\d{3,}", result.out), [])  # three decimals, or digits, at most
    report = json.loads(result.out)
    found = {(m["layout"], m["key"], m["phase"]): m for m in report["measurements"]}
    equal(len(found), len(report["measurements"]))
    return found, report


def check_costs(found, n_orders, operations, turns):
    for (layout, key, phase), measured in found.items():
        cost, where = measured["per_operation"], (layout, key, phase)
        rising = [measured[name]["turns"] for name in RISING]
        equal((where, {len(values) for values in rising}), (where, {turns}))
        for values in zip([0] * turns, *rising):  # of one turn
            equal((where, values), (where, tuple(sorted(values))))
        for name in RISING:
            spread = measured[name]
            equal((where, min(spread["turns"]) <= spread["median"] <= max(spread["turns"])),
                  (where, True))
        known = [name for name in SPENT if name in measured]
        equal((where, known), (where, SPENT if ON_HBASE else SPENT[:1]))
        equal((where, min(min(measured[name]["turns"]) for name in known) > 0), (where, True))
        equal((where, measured["operations_per_second"]["median"] > 0), (where, True))
        equal((where, measured["operations_counted"]),
              (where, turns * (n_orders if phase in ("store", "load") else operations)))
        if layout not in COSTS:
            continue
        calls_put, calls_get, rows = COSTS[layout]
        if phase == "store" and key != "numeric":  # which asks for ids, too
            equal((where, cost["calls"], cost["rows_read"]), (where, calls_put if ON_HBASE else 1, 0))
        if phase == "get":
            equal((where, cost["rows_read"], cost["rows_written"]), (where, rows, 0))
            if key != "numeric":
                equal((where, cost["calls"]), (where, calls_get))
        if phase == "load":
            equal((where, cost["rows_written"] >= 2), (where, True))
        if phase == "list" and key != "numeric":
            equal((where, cost["calls"]), (where, 2 if ON_HBASE else 1))


def small_run(store, layouts, keys, *options, turns=1):
    found, report = bench(store, "--layout", ",".join(layouts), "--key", ",".join(keys),
                          "--count", 40, "--customers", 2, "--operations", 20, "--turns", turns,
                          *options)
    equal(sorted(found), sorted((l, k, p) for l in layouts for k in keys for p in PHASES))
    names = ("orders", "customers", "lines", "operations", "turns", "complete")
    equal([report[name] for name in names], [40, 2, 200, 20, turns, True])
    check_costs(found, 40, 20, turns)
    return report


def all_layouts(folder):
    small_run(f"rocksdb:{folder}/new", LAYOUTS, ["hashed"])
    equal(os.listdir(folder), [])  # what it has made it has removed


def all_keys_with_clients(folder):
    small_run(f"rocksdb:{folder}?sync=0", ["blob", "normalized"], KEYS, "--clients", 4,
              turns=2)
    equal(os.listdir(folder), [])


def stored(found, layouts):
    """By layout: bytes after a flush, and after a compaction."""
    equal([figure["layout"] for figure in found["stored"]], layouts)
    return {f["layout"]: (f["flushed_bytes"], f["compacted_bytes"]) for f in found["stored"]}


def conditions(folder):
    """Old rows go when they are compacted, compressed ones are smaller; and all orders come back."""
    options = ["--layout", "blob,normalized", "--count", 200, "--operations", 20, "--turns", 1,
               "--lines", 20]
    store = f"rocksdb:{folder}?sync=0"
    _, report = bench(store, *options)
    equal(report["conditions"], {"age": 0, "rest": "as-it-is"})
    new = stored(report, ["blob", "normalized"])
    written = {layout: 200 * 400 for layout in new}  # a line has more than 20 bytes
    equal([layout for layout in new if not written[layout] < new[layout][1] <= new[layout][0]], [])
    equal(new["normalized"][1] > 1.5 * new["blob"][1], True)  # keys and qualifiers in every cell
    _, report = bench(store, *options, "--age", 3, "--rest", "flushed", "--compression", "zstd")
    equal(report["conditions"], {"age": 3, "rest": "flushed", "compression": "zstd"})
    small = stored(report, ["blob", "normalized"])
    equal([layout for layout in new if small[layout][1] >= 0.8 * new[layout][1]], [])
    equal(os.listdir(folder), [])


def age(folder):
    """A replace gives an order its other content. Each does so thrice: to measure its bytes, and in a turn."""
    def content(times):
        kept = pathlib.Path(folder) / str(times)
        run("bench", "--store", f"rocksdb:{kept}?sync=0", "--layout", "wide", "--count", 3, "--turns", 2,
            "--mix", "missing=1", "--operations", 1, "--age", times, "--keep").ends(DONE)
        lines = run("export", "--store", f"rocksdb:{kept}/tallorder-bench-wide-hashed").ends(DONE).out
        return sorted(re.findall(r'"quantity": *"[^"]*"', lines))
    contents = [content(times) for times in range(3)]
    equal((len(contents[0]), contents[0] == contents[2], contents[0] == contents[1]), (15, True, False))


def file_system(folder):
    return subprocess.run(["stat", "--file-system", "--format=%T", folder], capture_output=True, text=True,
                          check=True).stdout.strip()


def a_cold_cache(folder):
    """The block cache is smaller than the data; where the page cache cannot be left out, that is said."""
    options = ["--store", f"rocksdb:{folder}?sync=0", "--layout", "blob", "--count", 50, "--turns", 1,
               "--operations", 20, "--cache", 0.5, "--json"]
    try:
        if file_system(folder) == "tmpfs":  # which newer kernels let be read so, and it is memory nevertheless
            raise OSError
        os.close(os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_DIRECT, 0o600))
    except OSError:
        run("bench", *options).ends(FAILED, "past the page cache")
    else:
        report = json.loads(run("bench", *options).ends(DONE).out)
        equal(report["conditions"], {"age": 0, "rest": "compacted", "cache": 0.5})
    equal(os.listdir(folder), [])


def a_mix(folder):
    """Operations beside each other, at a rate, of orders of many sizes."""
    begun = time.monotonic()
    found, report = bench(f"rocksdb:{folder}?sync=0", "--layout", "blob,normalized", "--turns", 2,
                          "--mix", "get=78,store=10,replace=5,list=3,find=2,missing=2", "--rate", 500,
                          "--operations", 100, "--count", 60, "--customers", 5, "--skew", "0.9",
                          "--lines", "zipf:9", "--clients", 2)
    equal(sorted({phase for _, _, phase in found}), ["mix", "store"])
    equal(time.monotonic() - begun >= 4 * 0.19, True)  # 100 operations, 500 a second, 4 times
    equal((report["rate"], report["mix"]), (500, "get=78,store=10,replace=5,list=3,find=2,missing=2"))
    for layout in ("blob", "normalized"):
        measured = found[layout, "hashed", "mix"]
        equal(measured["operations_counted"], 200)
    options = ["--orders", NORTHWIND / "orders.csv", "--map", "northwind", "--operations", 300]
    bench(f"rocksdb:{folder}?sync=0", "--layout", "blob", "--turns", 1, "--mix",
          "get=1,replace=1", *options)
    equal(os.listdir(folder), [])


class Page(html.parser.HTMLParser):
    """What a page has: the JSON in it, its drawings, and what it would fetch."""

    def __init__(self, text):
        super().__init__()
        self.drawings, self.fetches, self.opened, self.json, self.reading = 0, [], [], "", False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.drawings += tag == "svg"
        self.reading = found.get("id") == "json"
        self.fetches += [tag] if tag in ("script", "link", "img", "iframe") else []
        self.fetches += [value for name, value in attributes
                         if name in ("href", "xlink:href", "src") and not value.startswith("#")]
        if tag not in ("meta", "br"):
            self.opened.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        self.reading = False
        equal(self.opened.pop(), tag)

    def handle_data(self, data):
        if self.reading:
            self.json += data


def make_page(page, *files):
    words = [*map(str, (SOURCE / "tools" / "tallorder-bench-page", *files, "-o", page))]
    return Result(words, subprocess.run(words, capture_output=True, text=True, timeout=SECONDS))


def page(folder):
    """A page that needs nothing else, with the same figures as the JSON."""
    file = pathlib.Path(folder) / "bench.html"
    found, report = bench(f"rocksdb:{folder}?sync=0", "--layout", "blob,wide", "--count", 30,
                          "--operations", 10, "--turns", 3, "--html", file)
    text = file.read_text()
    seen = Page(text)
    equal((json.loads(seen.json), seen.drawings, seen.fetches, seen.opened),
          (report, 2 * len(PHASES) + 1, [], []))
    equal(text.count('class="best"'), len(PHASES))
    equal([phase for phase in PHASES if report["verdicts"][phase] not in text], [])
    equal("tallorder bench --store" in text and "&lt;" not in seen.json, True)
    run("bench", "--store", f"rocksdb:{folder}", "--html", f"{folder}/no/where").ends(
        USAGE, "no/where cannot be written")
    run("bench", "--store", f"rocksdb:{folder}", "--html", folder).ends(USAGE, "Is a directory")
    run("bench", "--store", f"rocksdb:{folder}", "--html", "").ends(USAGE, "has no name")
    os.symlink(file, f"{folder}/link")  # a page would take its place
    run("bench", "--store", f"rocksdb:{folder}", "--html", f"{folder}/link").ends(USAGE, "a link or a device")
    os.remove(f"{folder}/link")
    run("bench", "--store", f"rocksdb:{folder}", "--html", f"{folder}/new.html", "--layout",
        "tall").ends(USAGE, "tall")
    run("bench", "--store", f"rocksdb:{folder}", "--html", file, env={"PATH": "/nowhere", "PYTHONHOME": "/nowhere"}).ends(
        USAGE, f"--html {file}: ")
    equal(sorted(os.listdir(folder)), ["bench.html"])


def page_of_another_machine(folder):
    """It shows where was measured, and not where is drawn; of old results that nobody knows."""
    _, report = bench(f"rocksdb:{folder}/s?sync=0", "--layout", "blob", "--count", 5, "--operations", 10,
                      "--turns", 1, "--seed", 7)
    equal("--seed 7" in report["setting"]["command"], True)
    file, page = pathlib.Path(folder) / "a.json", pathlib.Path(folder) / "page.html"
    far = dict(report["setting"], processor="Abacus <9>", date="long ago")
    old = {name: value for name, value in report.items() if name != "setting"}
    for kept, there, missing in (
            (dict(report, setting=far, version="0.0.7"), ("Abacus &lt;9&gt;", "long ago", "0.0.7"), ("do not say",)),
            (old, ("do not say when and on which machine",), (report["setting"]["kernel"],))):
        file.write_text(json.dumps(kept))
        make_page(page, file).ends(DONE)
        text = page.read_text()
        equal(([word for word in there if word not in text], [word for word in missing if word in text]), ([], []))


def orders_with_numbers_like_ours(folder):
    """What bench stores beside the orders of a file, or looks for and does not find, is none of them. Of those that
    share a number, more than a page, it finds the right one."""
    numbers = ["A", "A-none", "A~", "A~none", "A~0", "A+0-1", "é" * 64, "é" * 63 + "~", "B" * 128, "B" * 127 + "C"]
    file = pathlib.Path(folder) / "orders.csv"
    header, first = (NORTHWIND / "orders.csv").read_text().splitlines()[:2]
    rows = [first.replace("10248", number) for number in numbers]
    others = [first.replace("10248", "A").replace("VINET", f"C{i}") for i in range(40)]
    file.write_text("\n".join([header, *rows, *others]) + "\n")
    options = ["--orders", file, "--map", "northwind", "--layout", "blob", "--turns", 1]
    found, report = bench(f"rocksdb:{folder}/s?sync=0", *options, "--operations", 200)
    equal((report["orders"], report["customers"]), (len(numbers) + 40, 41))
    bench(f"rocksdb:{folder}/s?sync=0", *options, "--operations", 400, "--clients", 2, "--mix",
          "store=3,get=1,missing=2,list=1,find=3,replace=1")


def small_numbers(folder):
    """They keep their digits."""
    _, report = bench(f"rocksdb:{folder}?sync=0", "--layout", "blob", "--count", 5, "--turns", 1, "--seconds",
                      "0.000123", "--mix", "get=1")
    equal(report["seconds"], 0.000123)


def page_of_several_runs(folder):
    """What runs differ in is drawn: lines an order, and clients."""
    files, reports = [], []
    for lines, clients in ((2, 1), (9, 1), (2, 4)):
        _, report = bench(f"rocksdb:{folder}/s?sync=0", "--layout", "blob,wide", "--count", 20,
                          "--operations", 10, "--turns", 1, "--lines", lines, "--clients", clients,
                          "--mix", "get=1")
        files.append(f"{folder}/{len(files)}.json")
        pathlib.Path(files[-1]).write_text(json.dumps(report))
        reports.append(report)
    page = pathlib.Path(folder) / "page.html"
    make_page(page, *files).ends(DONE)
    seen = Page(page.read_text())
    one, growth = 2 * 2 + 1, 2 + 1 + 2  # two phases; stored bytes grow with lines only
    equal((json.loads(seen.json), seen.drawings, seen.fetches, seen.opened),
          (reports, 3 * one + growth, [], []))
    equal([page.read_text().count(title) for title in ("Growth with lines", "Throughput by clients")],
          [1, 1])
    other = pathlib.Path(f"{folder}/other.json")
    for number, regions in ((1, None), (0, 2)):  # with other regions it is not growth
        conditions = dict(reports[1]["conditions"], **({"regions": regions} if regions else {}))
        other.write_text(json.dumps(dict(reports[1], conditions=conditions)))
        make_page(page, files[0], other).ends(DONE)
        equal(page.read_text().count("Growth with lines"), number)
    make_page(page, files[0]).ends(DONE)
    seen = Page(page.read_text())
    equal((json.loads(seen.json), seen.drawings), (reports[0], one))
    equal(make_page(page).code, USAGE)
    make_page(folder, files[0]).ends(FAILED, folder)

    def changed(**values):
        first, *others = reports[0]["measurements"]
        return json.dumps(dict(reports[0], measurements=[dict(first, **values), *others]))

    rates = "operations_per_second"
    for text in ("{", "[]", "{}", "[" * 10**6, '{"a":' * 10**6, json.dumps(dict(reports[0], measurements=[{"phase": "get"}])),
                 changed(phase=5), changed(**{rates: {"turns": [{}]}}), changed(**{rates: {"turns": ["5"]}}),
                 changed(p50_us={"turns": [None]}), changed().replace('"turns": [', '"turns": [1e999, ', 1)):
        pathlib.Path(files[0]).write_text(text)
        make_page(page, *files).ends(FAILED, "0.json: ")
    make_page(page, f"{folder}/none").ends(FAILED, "none")
    make_page(page, "/dev/zero").ends(FAILED, "/dev/zero: it has more than")


def orders_of_a_file(folder):
    options = ["--orders", NORTHWIND / "orders.csv", "--map", "northwind", "--operations", 50,
               "--turns", 1]
    store = f"rocksdb:{folder}?sync=0"
    found, report = bench(store, "--layout", "blob,denormalized", *options)
    equal((report["orders"], report["customers"], "seed" in report), (830, 89, False))
    equal(found["blob", "hashed", "store"]["operations_counted"], 830)
    equal(found["blob", "hashed", "load"]["operations_counted"], 830)
    equal(found["blob", "hashed", "load"]["per_operation"]["calls"] < 1, True)  # many orders in a call
    _, report = bench(store, "--layout", "blob", "--count", 10, *options)
    equal(report["orders"], 10)


def orders_of_several_files(folder):
    """A query joins them, as for load; what it leaves out, and what is not an order, is not measured."""
    heads, lines, query = f"{folder}/h.csv", f"{folder}/l.csv", f"{folder}/q.sql"
    pathlib.Path(heads).write_text("id,who\n1,A\n2,B\n3,A\n4,\n", encoding="utf-8")
    pathlib.Path(lines).write_text(
        "order,sku,qty\n1,x,1\n1,y,2\n2,x,1\n3,z,5\n3,y,0\n4,x,1\n5,x,1\n", encoding="utf-8")
    pathlib.Path(query).write_text(
        "SELECT who AS customer_number, heads.id AS order_number, sku AS \"line.item_number\",\n"
        "       qty AS \"line.quantity\"\nFROM lines JOIN heads ON heads.id = lines.\"order\"\n"
        "WHERE qty <> '0'\n", encoding="utf-8")
    files = ["--orders", f"heads={heads}", "--orders", f"lines={lines}", "--map", query]
    store = ["--store", f"rocksdb:{folder}/s?sync=0", "--layout", "blob", "--turns", 1, "--operations", 5]
    result = run("bench", *store, *files).ends(DONE, "3 orders with 1.333 lines on average, of 2 customers")
    equal("h.csv: 1 row is not measured, most often because: customer_number" in result.err, True)
    run("bench", *store, *files, "--count", 2).ends(DONE, "2 orders with 1.5 lines")
    said = run("advise", *files, "--mix", "get=1", "--turns", 1, "--seconds", "0.01").ends(DONE)
    equal(said.out.startswith("3 orders read, with 1.333 lines"), True)
    run("bench", *store, "--orders", lines, "--map", query).ends(USAGE, "lines")
    halves = [pathlib.Path(f"{folder}/{name}.csv") for name in ("1-lines", "2-lines")]
    for half, first in zip(halves, (1, 4)):
        rows = pathlib.Path(lines).read_text(encoding="utf-8").splitlines(keepends=True)
        half.write_text("".join([rows[0], *rows[first:first + 3]]), encoding="utf-8")
    pattern = ["--orders", f"heads={heads}", "--orders", f"lines={folder}/*-lines.csv", "--map", query]
    run("bench", *store, *pattern).ends(DONE, "3 orders with 1.333 lines on average")
    for command in ("bench", *store), ("advise", "--mix", "get=1"):
        run(*command, *pattern, "--orders", f"lines={halves[0]}").ends(USAGE, "are the same file; name it once")
        run(*command, "--orders", f"{folder}/none-*", "--map", query).ends(FAILED, "no file has such a name")


def advice(folder):
    """For orders of a file, in a temporary place and in one that is given."""
    short = ["--orders", NORTHWIND / "orders.csv", "--map", "northwind", "--count", 40, "--turns",
             1, "--seconds", "0.01"]
    mix = ["--mix", "get=5,list=2,find=1,replace=1,store=1"]
    store = ["--store", f"rocksdb:{folder}/new?sync=0"]
    result = run("advise", *short, *mix, *store, "--total", 10**9, "--json").ends(DONE)
    equal(result.err, "")
    report = json.loads(result.out)
    values = {each["name"]: each["value"] for each in reversed(report["advice"])}
    indexes = [each["value"] for each in report["advice"] if each["name"] == "index"]
    equal(indexes, ["date", "number=order_number"])
    equal(list(values)[::-1], ["layout", "key", "index", "regions", "bloom", "block-encoding",
                         "compression", "block-size", "families"])
    equal([bool(each["reason"] and each["otherwise_with"]) for each in report["advice"]],
          [True] * len(report["advice"]))
    equal((values["layout"] in LAYOUTS, values["key"] in KEYS), (True, True))
    equal(([each["layout"] for each in report["layouts"]], [each["key"] for each in report["keys"]]),
          (LAYOUTS, KEYS))
    for measured in report["layouts"] + report["keys"]:
        rate = measured["operations_per_second"]
        equal(0 < rate["least"] <= rate["median"] <= rate["most"], True)
    for layout in report["layouts"]:
        equal({name: time > 0 for name, time in layout["alone_us"].items()},
              dict.fromkeys(("get", "list", "find", "replace", "store"), True))
    equal((report["orders_read"], report["orders_measured"] <= 40, report["orders_expected"]),
          (830, True, 10**9))
    again = json.loads(run("advise", *short, *mix, *store, "--turns", 2, "--json").ends(DONE).out)
    turns = [layout["operations_per_second"]["turns"] for layout in again["layouts"]]
    equal((set(turns) - {2, 6}, turns.count(6) == 1), (set(), False))  # those that were told apart, and others
    init = report["command"].replace("STORE", f"rocksdb:{folder}/made").split()
    run(*init[1:]).ends(DONE, values["layout"], values["key"])  # what it recommends can be had
    equal(("--regions" in init, f"--regions {values['regions']} " in report["command_on_hbase"]), (False, True))
    text = run("advise", *short, "--mix", "get=1", env=dict(os.environ, TMPDIR=folder)).ends(DONE)
    *lines, on_hbase = text.out.splitlines()
    equal((max(map(len, lines)) <= 100, lines[-1]), (True, "On HBase:"))
    equal(on_hbase.startswith("tallorder init --store STORE --layout "), True)
    equal(re.findall(r"(?m)^([a-z-]+): ", text.out), list(values)[::-1])
    equal(os.listdir(folder), ["made"])


def wrong_calls_of_advise(folder):
    orders = ["--orders", NORTHWIND / "orders.csv", "--map", "northwind"]
    mix = ["--mix", "get=1"]
    cases = [
        ([*mix], "--orders FILE.csv"),
        ([*mix, "--orders", "x"], "--map"),
        ([*orders], "--mix"),
        ([*orders, "--mix", "fetch=90"], "there are store, get, missing, list, find, replace"),
        ([*orders, *mix, "more"], "no argument"),
        ([*orders, *mix, "--server", "127.0.0.1:1"], "not on a server"),
        ([*orders, *mix, "--store", "file:x"], "file:x"),
        ([*orders, *mix, "--count", 0], "--count: choose 1 to 10000"),
        ([*orders, *mix, "--turns", 0], "--turns: choose 1 to 100"),
        ([*orders, *mix, "--seconds", "nan"], "--seconds: choose more than 0"),
        ([*orders, *mix, "--total", 0], "--total: choose 1 or more"),
        ([*orders, *mix, "--total=-1"], "--total: choose 1 or more"),
        ([*orders, *mix, "--servers", 0], "--servers: choose 1 to 10000"),
        ([*orders, *mix, "--heap", 100], "--heap: choose 512 to"),
        ([*orders, *mix, "--clients", 257], "--clients: choose 1 to 256"),
        ([*orders, *mix, "--clients", 20, "--count", 9], "the sample has only"),
        (["--orders", NORTHWIND / "orders.csv", "--map", "northwind-customers", *mix], "for customers"),
        (["--orders", NORTHWIND / "customers.csv", "--map", "northwind", *mix], "customers.csv"),
    ]
    for arguments, text in cases:
        run("advise", *arguments, env=dict(os.environ, TMPDIR=folder)).ends(USAGE, text)
    run("advise", *mix, "--orders", f"{folder}/none.csv", "--map", "northwind").ends(
        FAILED, "none.csv cannot be opened")
    run("advise", *mix, *orders, "--store", "hbase://127.0.0.1:9").ends(FAILED, "127.0.0.1:9")
    run("advise", *mix, *orders, env=dict(os.environ, TMPDIR=f"{folder}/none")).ends(
        FAILED, f"{folder}/none", "Set TMPDIR to another, or give --store")
    equal(os.listdir(folder), [])


def pipe_that_nobody_writes(folder):
    """One signal ends a command that waits for it, and nothing is left."""
    os.mkdir(f"{folder}/tmp")
    os.mkfifo(f"{folder}/orders")
    orders = ["--orders", f"{folder}/orders", "--map", "northwind"]
    for command in (["advise", "--mix", "get=1"], ["bench", "--store", f"rocksdb:{folder}/new"]):
        process = subprocess.Popen([PROGRAM, *command, *orders], stderr=subprocess.DEVNULL,
                                   env=dict(os.environ, TMPDIR=f"{folder}/tmp"))
        time.sleep(0.5)
        process.terminate()
        equal((command, process.wait(SECONDS)), (command, -signal.SIGTERM))
        equal(sorted(os.listdir(folder)) + os.listdir(f"{folder}/tmp"), ["orders", "tmp"])
    with open(f"{folder}/orders", "r+b", buffering=0) as pipe:  # one that falls silent
        for command in (["advise", "--mix", "get=1"], ["bench", "--store", f"rocksdb:{folder}/new"]):
            process = subprocess.Popen([PROGRAM, *command, *orders], stderr=subprocess.PIPE, text=True,
                                       env=dict(os.environ, TMPDIR=f"{folder}/tmp"))
            pipe.write((NORTHWIND / "orders.csv").read_bytes()[:5000])
            time.sleep(0.5)
            process.terminate()
            equal((command, process.communicate(timeout=SECONDS)[1].count("was stopped")), (command, 1))
            equal(sorted(os.listdir(folder)) + os.listdir(f"{folder}/tmp"), ["orders", "tmp"])


def rejected_rows_are_reported(folder):
    file = pathlib.Path(folder) / "orders.csv"
    text = (NORTHWIND / "orders.csv").read_text().splitlines(keepends=True)
    columns = text[1].count(",") - 1
    file.write_text("".join(text[:20]) + "," * columns + "\n")
    result = run("bench", "--store", f"rocksdb:{folder}/s", "--layout", "blob", "--operations", 1,
                 "--turns", 1, "--orders", file, "--map", "northwind").ends(DONE)
    equal("not measured" in result.err, True)
    file.write_text(text[0])
    run("bench", "--store", f"rocksdb:{folder}/s", "--orders", file, "--map", "northwind").ends(
        USAGE, "no order")


def table_for_people(folder):
    result = run("bench", "--store", f"rocksdb:{folder}?sync=0", "--lines", "1-9", "--count", 20,
                 "--operations", 10, "--turns", 3).ends(DONE)
    equal(result.err, "")
    lines = result.out.splitlines()
    equal([line.split(":")[0] for line in lines if line.split(":")[0] in PHASES], PHASES)
    for phase in PHASES:
        start = next(i for i, line in enumerate(lines) if line.startswith(phase + ":"))
        end = start + 2 + len(LAYOUTS)
        equal([line.split()[0] for line in lines[start + 2:end]], LAYOUTS)
        equal({len(line) for line in lines[start + 1:end]}, {len(lines[start + 1])})
        equal(lines[end].split()[0] in ("best:", "no", "too"), True)
    equal(max(map(len, lines)) <= 100, True)


def progress_on_a_terminal(folder):
    text = on_terminal("bench", "--store", f"rocksdb:{folder}?sync=0", "--layout", "wide",
                       "--seconds", "0.5", "--count", 100, "--turns", 1)
    equal("wide, hashed: get" in text and "\r" in text, True)


def kept_and_then_left_alone(folder):
    options = ["--store", f"rocksdb:{folder}?name=mine", "--layout", "blob", "--count", 5,
               "--operations", 1, "--turns", 2]
    kept = f"rocksdb:{folder}/mine-bench-blob-hashed"
    run("bench", *options, "--keep").ends(DONE, f"Kept: {kept}")
    before = run("export", "--store", kept).ends(DONE).out
    equal(before.count('"order"'), 5)
    run("bench", *options).ends(FAILED, "mine-bench-blob-hashed", "exists", "blob", "hashed")
    equal(run("export", "--store", kept).ends(DONE).out, before)


def stopped(folder):
    """Ctrl-C in the middle of a phase leaves nothing behind, nor when it comes twice at once."""
    for numbers in ([signal.SIGINT], [signal.SIGTERM], [signal.SIGTERM, signal.SIGTERM]):
        process = subprocess.Popen(
            [PROGRAM, "bench", "--store", f"rocksdb:{folder}", "--layout", "record-type", "--seconds",
             "600"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        give_up = time.monotonic() + SECONDS
        while not os.listdir(folder) and time.monotonic() < give_up:
            time.sleep(0.01)
        for number in numbers:
            process.send_signal(number)
        out, err = process.communicate(timeout=SECONDS)
        equal((process.returncode, "Stopped" in err), (128 + numbers[0], True))
        equal(out == "" or "the run was stopped" in out, True)
        equal(os.listdir(folder), [])


def stopped_after_some_turns(folder):
    """What is finished is not lost."""
    process = subprocess.Popen(
        [PROGRAM, "bench", "--store", f"rocksdb:{folder}", "--layout", "blob", "--count", "5",
         "--operations", "5", "--turns", "1000", "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    give_up = time.monotonic() + SECONDS
    for there in (True, False) * 2:  # of what is stored, and of the first turn: made, and removed
        while bool(os.listdir(folder)) != there and time.monotonic() < give_up:
            time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=SECONDS)
    equal((process.returncode, "Stopped" in err), (128 + signal.SIGINT, True))
    report = json.loads(out)
    turns = [len(m["p50_us"]["turns"]) for m in report["measurements"]]
    equal((report["complete"], report["turns"], len(turns)), (False, 1000, len(PHASES)))
    equal((0 < min(turns), max(turns) - min(turns) <= 1, max(turns) < 1000), (True, True, True))
    equal(os.listdir(folder), [])


def wrong_usage(folder):
    store = ["--store", f"rocksdb:{folder}/none"]
    file = NORTHWIND / "orders.csv"
    cases = [
        ([], "--store"),
        ([*store, "more"], "no argument"),
        ([*store, "--layout", "tall"], "“tall”; choose one of: blob, record-type"),
        ([*store, "--layout", ""], "“”; choose one of"),
        ([*store, "--key", ""], "“”; choose one of"),
        ([*store, "--layout", "blob,blob"], "twice"),
        ([*store, "--key", "hashed,sorted"], "“sorted”; choose one of: hashed, raw"),
        ([*store, "--lines", "0"], "--lines 0"),
        ([*store, "--lines", "0-5"], "--lines 0-5"),
        ([*store, "--lines", "50-1"], "wrong way round; write 1-50"),
        ([*store, "--lines", "1-"], "--lines 1-"),
        ([*store, "--lines", "-1"], "--lines -1"),
        ([*store, "--lines", "9001"], "9000"),
        ([*store, "--lines", "5x"], "--lines 5x"),
        ([*store, "--clients", "0"], "--clients: choose 1 to"),
        ([*store, "--clients", "257"], "--clients: choose 1 to 256"),
        ([*store, "--clients", "9", "--count", "8"], "only 8 orders"),
        ([*store, "--count", "0"], "--count: choose 1 to"),
        ([*store, "--count", "10001", "--lines", "500"], "up to 10000"),
        ([*store, "--customers", "0"], "--customers: choose 1 to"),
        ([*store, "--operations", "0"], "--operations: choose 1 to"),
        ([*store, "--operations", "1", "--seconds", "1"], "not both"),
        ([*store, "--lines", "zipf:"], "--lines zipf:"),
        ([*store, "--lines", "zipf:0"], "zipf:50"),
        ([*store, "--mix", "get"], "--mix get: "),
        ([*store, "--mix", ""], "--mix : "),
        ([*store, "--mix", "get=0"], "from 1 to 100"),
        ([*store, "--mix", "get=1,get=2"], "once each"),
        ([*store, "--mix", "get=1,fetch=2"], "there are store, get, missing, list, find, replace"),
        ([*store, "--rate", "0"], "--rate: choose"),
        ([*store, "--rate", "nan"], "--rate: choose"),
        ([*store, "--age=-1"], "--age: choose 0 to"),
        *(([*store, f"--{name}=-1"], f"--{name}: choose ")
          for name in ("count", "customers", "turns", "operations", "seed", "regions", "seconds", "rate", "skew",
                       "cache")),
        ([*store, "--regions", "0"], "--regions: choose 1 to 4096"),
        ([*store, "--regions", "4097"], "--regions: choose 1 to 4096"),
        ([*store, "--cache", "0"], "--cache: choose more than 0"),
        ([*store, "--cache", "1", "--rest", "as-it-is"], "rows in files"),
        ([*store, "--rest", "cold"], "--rest: choose as-it-is, flushed or compacted"),
        ([*store, "--pids", "gateway=0"], "--pids gateway=0"),
        ([*store, "--pids", "1"], "--pids 1: write gateway=PID"),
        ([*store, "--skew", "1"], "--skew: choose 0 to 0.99"),
        ([*store, "--orders", file, "--map", "northwind", "--skew", "0.5"], "made up"),
        ([*store, "--turns", "0"], "--turns: choose 1 to"),
        ([*store, "--seconds", "0"], "--seconds"),
        ([*store, "--seconds", "nan"], "--seconds"),
        ([*store, "--seed=-3"], "--seed"),
        ([*store, "--orders", file], "needs --map"),
        ([*store, "--map", "northwind"], "--orders"),
        ([*store, "--orders", file, "--map", "northwind", "--lines", "5"], "made up"),
        ([*store, "--orders", file, "--map", "northwind-customers"], "for customers"),
        ([*store, "--orders", file, "--map", "online-retail"], str(file)),
        (["--store", "memory:"], "memory:"),
    ]
    for arguments, text in cases:
        run("bench", *arguments).ends(USAGE, text)
    equal(os.listdir(folder), [])


def not_for_this_store(folder):
    """What a store cannot have is refused before anything is stored."""
    cases = [
        (["--compression", "rar"], "rar"),
        (["--block-encoding", "fast_diff"], "fast_diff"),
        (["--regions", "2"], "an embedded store has no regions"),
        (["--admin", "true"], "--admin is for stores that are not embedded"),
    ]
    for arguments, text in cases:
        run("bench", "--store", f"rocksdb:{folder}/new", *arguments).ends(FAILED, text)
    run("bench", "--store", f"rocksdb:{folder}/new?name=../x").ends(FAILED, "cannot have a slash")
    equal(os.listdir(folder), [])


def not_reachable(folder):
    run("bench", "--store", "hbase://127.0.0.1:9", "--count", 5).ends(FAILED, "127.0.0.1:9")
    run("bench", "--store", f"rocksdb:{folder}/no/where").ends(FAILED, f"{folder}/no/where")
    run("bench", "--store", f"rocksdb:{folder}", "--orders", f"{folder}/none.csv", "--map",
        "northwind").ends(FAILED, "none.csv cannot be opened")


def on_hbase(_):
    address, name = os.environ["TALLORDER_HBASE_BINARY"], f"bench-{os.getpid()}"
    admin = [os.environ["TALLORDER_HBASE_TOOL"], "stored", "--data", os.environ["TALLORDER_HBASE_DATA"]]
    pids = ["--pids", os.environ["TALLORDER_HBASE_PIDS"]]
    layouts = ["blob", "normalized"]  # each is flushed and compacted by a Java program
    report = small_run(f"hbase://{address}?name={name}", layouts, ["hashed"], "--clients", 2, *pids,
                       "--admin", shlex.join(admin))
    sizes = stored(report, layouts)
    # A compacted file says that it is one, in some bytes more.
    equal(all(0 < compacted < flushed + 1000 for flushed, compacted in sizes.values()), True)
    equal(sizes["normalized"][1] > 2 * sizes["blob"][1], True)  # a key in every cell
    # All is gone again: the same names are free.
    store = f"hbase://{address}?name={name}"
    options = ["--layout", "blob", "--count", 5, "--operations", 1]
    run("bench", "--store", store, *options, "--rest", "flushed").ends(FAILED, "give --admin")
    run("bench", "--store", store, *options, "--admin", "false").ends(FAILED, "false flush")
    run("bench", "--store", store, *options, "--keep").ends(DONE, "Kept")
    run("bench", "--store", store, *options).ends(FAILED, f"{name}-bench-blob-hashed exists")
    kept = f"hbase://{address}?name={name}-bench-blob-hashed"
    equal(run("export", "--store", kept).ends(DONE).out.count('"order"'), 5)


def regions_on_hbase(_):
    """For keys that are split where the customers of the orders lie, too."""
    address, name = os.environ["TALLORDER_HBASE_BINARY"], f"regions-{os.getpid()}"
    options = ["--layout", "blob", "--key", "hashed,raw", "--count", 8, "--customers", 4, "--operations", 1,
               "--turns", 1, "--json", "--keep", "--regions", 4]
    report = json.loads(run("bench", "--store", f"hbase://{address}?name={name}", *options).ends(DONE).out)
    equal(report["conditions"]["regions"], 4)
    for key in ("hashed", "raw"):
        store = f"hbase://{address}?name={name}-bench-blob-{key}"
        shown = json.loads(run("status", "--store", store, "--json").ends(DONE).out)
        equal({table["name"]: table["regions"] for table in shown["tables"] if table["name"] != "meta"},
              {"customers": 4, "orders": 4, "index": 4})
        run("drop", "--store", store, "--yes", f"{name}-bench-blob-{key}").ends(DONE)


def many_clients_on_hbase(_):
    """64 loads begin at once, and each takes its revisions."""
    address, name = os.environ["TALLORDER_HBASE_BINARY"], f"many-{os.getpid()}"
    found, _report = bench(f"hbase://{address}?name={name}", "--layout", "blob", "--clients", 64, "--count", 128,
                           "--operations", 64, "--turns", 1)
    equal([found["blob", "hashed", phase]["operations_counted"] for phase in ("store", "load")], [128, 128])


def begin():
    if not ON_HBASE:
        for function in (all_layouts, all_keys_with_clients, conditions, age, a_cold_cache, a_mix, page, page_of_another_machine, page_of_several_runs,
                         orders_with_numbers_like_ours, small_numbers,
                         orders_of_a_file, orders_of_several_files, advice, wrong_calls_of_advise, pipe_that_nobody_writes,
                         rejected_rows_are_reported, table_for_people, progress_on_a_terminal,
                         kept_and_then_left_alone, stopped, stopped_after_some_turns,
                         wrong_usage, not_for_this_store, not_reachable):
            test(function)
    elif "TALLORDER_HBASE_BINARY" in os.environ:
        test(on_hbase)
        test(regions_on_hbase)
        test(many_clients_on_hbase)
    else:
        print("1..0 # SKIP no HBase: tools/hbase/hbase run starts one")
        return 0
    return main()


if __name__ == "__main__":
    sys.exit(begin())
