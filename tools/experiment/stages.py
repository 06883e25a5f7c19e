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
CLIENTS = (1, 8, 64)
MIX = "get=90,store=10"

# NAME.json is what it prints. OPTIONS: of `tallorder bench`; those with a page also get --html.
Stage = namedtuple("Stage", "name on_hbase has_page options")


def _bench(name, on_hbase, *options):
    return Stage(name, on_hbase, True, options)


def _sizes(on_hbase, short, prefix):
    chosen = (5, 500) if short and on_hbase else LINES
    for lines in chosen:
        yield _bench(f"{prefix}lines-{lines}", on_hbase, "--lines", lines, "--count", LINES[lines])


def _ages(on_hbase, short, prefix):
    """Up to 50 lines an order; few orders, because all of them are replaced so often."""
    for age in AGES:
        for rest in ("as-it-is", "compacted"):
            yield _bench(f"{prefix}age-{age}-{rest}", on_hbase, "--lines", "1-50", "--count",
                         10 if short else 40, "--customers", 4, "--age", age, "--rest", rest)


def _stored(short):
    """What orders of 5 lines take in files; nothing but that. SHORT: with neither and with both."""
    for encoding in ENCODINGS:
        for compression in COMPRESSIONS:
            if short and (encoding == "none") != (compression == "none"):
                continue
            yield Stage(f"hbase-stored-{encoding}-{compression}", True, False,
                        ("--lines", 5, "--count", 1000, "--operations", 1, "--turns", 1,
                         "--block-encoding", encoding, "--compression", compression))


def _arms(short):
    """Through the gateway, raw requests to it, and HBase's own client; three times, or once."""
    for lines in (5, 500) if short else LINES:
        for turn in range(3 if lines == 5 else 1):
            yield Stage(f"hbase-arms-{lines}-{turn + 1}", True, False,
                        ("--floor", "--lines", lines, "--seconds", 2 if short else 5, "--peer",
                         os.path.abspath("tools/hbase/reader")))


def list_stages(short):
    """All of them: the embedded ones first, then those on HBase."""
    stages = list(_sizes(False, short, ""))
    stages.append(_bench("keys", False, "--layout", "record-type", "--key", "all", "--skew", 0.9,
                         "--customers", 200, "--count", 1000))
    stages += [_bench(f"clients-{n}", False, "--clients", n, "--mix", MIX) for n in CLIENTS]
    stages += _ages(False, short, "")
    stages += _stored(short)
    stages += _arms(short)
    stages += _sizes(True, short, "hbase-")
    if not short:
        stages += _ages(True, short, "hbase-")
        stages.append(_bench("hbase-keys", True, "--layout", "blob", "--key", "all", "--skew", 0.9,
                             "--customers", 200, "--count", 1000))
    return stages


def make_command(program, stage, store, folder, short, environment):
    """The command of a stage. ENVIRONMENT: that of `hbase run`, for a stage on HBase."""
    command = [program, "bench", "--json", "--store", store, *map(str, stage.options)]
    if "--floor" in stage.options:
        return command
    if "--turns" not in stage.options:
        command += ["--turns", "3" if short else "5"]
    if "--operations" not in stage.options:
        command += ["--seconds", "0.2" if short else "0.3"]
    if stage.on_hbase:
        tool, data = environment["TALLORDER_HBASE_TOOL"], environment["TALLORDER_HBASE_DATA"]
        command += ["--admin", f"{tool} stored --data {data}", "--pids",
                    environment["TALLORDER_HBASE_PIDS"]]
    if stage.has_page:
        command += ["--html", os.path.join(folder, stage.name + ".html")]
    return command
