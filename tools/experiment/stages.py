# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""The measurements of an experiment: each a command whose JSON is kept, in the order of the run."""

import os
from collections import namedtuple

# Orders for each number of lines: so many that all of them have about as many lines, and few enough.
LINES = {1: 2000, 5: 1000, 50: 400, 500: 60, 5000: 8}
ENCODINGS = ("none", "fast_diff")
COMPRESSIONS = ("none", "gz")
AGES = (0, 10, 100)
RESTS = ("as-it-is", "compacted")
CLIENTS = (1, 8, 64)
MIX = "get=90,store=10"

SKEWED = ("--key", "all", "--skew", 0.9, "--customers", 200, "--count", 1000)
SEVERAL_REGIONS = 16
SUBJECTS = {"fetch", "load", "address"}  # of tallorder-perf, which compares with what is below, and has no turns

# Each HBase by the properties that it is started with. The last two differ in the block cache alone, also in
# how long they have run: of a heap of 3 GiB it has 0.4 MB, half of what 1,000 orders of 5 lines take in blob.
SERVERS = {"usual": (), "warm": (), "cold": ("hfile.block.cache.size=0.00013",)}

# A block cache of so many times what is stored, embedded.
CACHES = {"cache-2": 2, "cold": 0.5, "cache-0.125": 0.125}

# NAME.json is what it prints. SERVER: None if embedded. OPTIONS: of `tallorder bench`, or of tallorder-perf if
# the first one is a subject; those with a page also get --html.
Stage = namedtuple("Stage", "name server has_page options")


def _bench(name, on_hbase, *options):
    return Stage(name, "usual" if on_hbase else None, True, options)


def _sizes(on_hbase, short, prefix):
    chosen = (5, 500) if short and on_hbase else LINES
    for lines in chosen:
        yield _bench(f"{prefix}lines-{lines}", on_hbase, "--lines", lines, "--count", LINES[lines])


def _ages(on_hbase, short, prefix):
    """Up to 50 lines an order; few orders, because all of them are replaced so often. On HBase, where that
    takes five times as long, a quarter of them and fewer turns."""
    fewer = short or on_hbase
    for age in AGES:
        for rest in RESTS:
            yield _bench(f"{prefix}age-{age}-{rest}", on_hbase, "--lines", "1-50", "--count",
                         10 if fewer else 40, "--customers", 4, "--age", age, "--rest", rest,
                         *(["--turns", 3] if fewer else []))


def _stored(short):
    """What orders of 5 lines take in files; nothing but that. SHORT: with both alone."""
    for encoding in ENCODINGS:
        for compression in COMPRESSIONS:
            if short and "none" in (encoding, compression):
                continue
            yield Stage(f"hbase-stored-{encoding}-{compression}", "usual", False,
                        ("--lines", 5, "--count", 1000, "--operations", 1, "--turns", 1,
                         "--block-encoding", encoding, "--compression", compression))


def _arms(short):
    """Through the gateway, raw requests to it, and HBase's own client; with 5 lines three times."""
    for lines in (5, 500) if short else LINES:
        for turn in range(3 if lines == 5 and not short else 1):
            yield Stage(f"hbase-arms-{lines}-{turn + 1}", "usual", False,
                        ("fetch", "--lines", lines, "--seconds", 2 if short else 5, "--peer",
                         "tools/hbase/reader"))


def _cold(short):
    """Rows in files: with a block cache for all of them, and with smaller ones past the page cache."""
    orders = ("--lines", 5, "--count", 1000 if short else 2000, "--rest", "compacted")
    yield _bench("warm", False, *orders)
    for name, times in CACHES.items():
        if name == "cold" or not short:
            yield _bench(name, False, *orders, "--cache", times)
    if short:
        return
    for server in ("warm", "cold"):
        yield Stage(f"hbase-{server}", server, True,
                    ("--layout", "blob,wide,normalized", "--lines", 5, "--count", 1000, "--rest",
                     "compacted", "--turns", 3))


def _floors(short):
    """What raw rows would cost: loading them, and correcting one address in them."""
    for name, server in (("", None), ("hbase-", "usual")):
        if not short:
            yield Stage(f"{name}load", server, False,
                        ("load", "--lines", 5, "--count", 2000 if server else 20000))
        for lines in (5,) if short else (5, 500):
            yield Stage(f"{name}address-{lines}", server, False,
                        ("address", "--lines", lines, "--seconds", 0.5 if short else 2))


def list_stages(short):
    """All of them: the embedded ones first, then those on HBase."""
    stages = list(_sizes(False, short, ""))
    stages.append(_bench("keys", False, "--layout", "record-type", *SKEWED))
    stages += [_bench(f"clients-{n}", False, "--clients", n, "--mix", MIX) for n in CLIENTS]
    stages += _ages(False, short, "")
    stages += _stored(short)
    stages += _arms(short)
    stages += _sizes(True, short, "hbase-")
    if not short:
        stages += _ages(True, short, "hbase-")
        stages.append(_bench("hbase-keys", True, "--layout", "blob", *SKEWED))
        stages.append(_bench(f"hbase-keys-{SEVERAL_REGIONS}", True, "--layout", "blob", *SKEWED,
                             "--regions", SEVERAL_REGIONS, "--turns", 3))
    stages += _cold(short)
    stages += _floors(short)
    order = [None, *SERVERS]
    return sorted(stages, key=lambda stage: order.index(stage.server))


def make_command(program, perf, stage, store, folder, short, environment):
    """The command of a stage. ENVIRONMENT: that of `hbase run`, for a stage on HBase."""
    if stage.options[0] in SUBJECTS:
        return [perf, *map(str, stage.options), "--json", "--store", store]
    command = [program, "bench", "--json", "--store", store, *map(str, stage.options)]
    if "--turns" not in stage.options:
        command += ["--turns", "3" if short else "5"]
    if "--operations" not in stage.options:
        command += ["--seconds", "0.2" if short else "0.3"]
    if stage.server is not None:
        command += ["--pids", environment["TALLORDER_HBASE_PIDS"]]
    if stage.server is not None and "--regions" not in stage.options:  # rows take as much in any number
        tool, data = os.path.relpath(environment["TALLORDER_HBASE_TOOL"]), environment["TALLORDER_HBASE_DATA"]
        command += ["--admin", f"{tool} stored --data {data}"]
    if stage.has_page:
        command += ["--html", os.path.join(folder, stage.name + ".html")]
    return command
