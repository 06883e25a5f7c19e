# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""What an experiment concludes, and that it goes on where it was. Speaks TAP.

    experiment.py TALLORDER SOURCE_ROOT
"""

import contextlib
import html
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import re
import signal
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from support import PROGRAM, SOURCE, equal, main, test  # noqa: E402

sys.path.insert(0, str(SOURCE / "tools"))
sys.dont_write_bytecode = True

from experiment import drawings, findings, lessons, page, stages  # noqa: E402

LAYOUTS = ("blob", "record-type", "normalized", "denormalized", "wide")
GUESSES = json.loads((SOURCE / "src/bench/results/guesses.json").read_text())


def rates(phase="get", **turns):
    return {"store": "hbase", "orders": 10, "measurements": [
        {"phase": phase, "layout": layout.replace("_", "-"), "key": "hashed",
         "operations_per_second": {"turns": values}} for layout, values in turns.items()]}


def all_rates(single, several, stored=0):
    result = rates(blob=[single] * 3, wide=[single] * 3, record_type=[several] * 3,
                   normalized=[several / 2] * 3, denormalized=[several / 2] * 3)
    result["stored"] = [{"layout": layout, "compacted_bytes": stored * 10} for layout in LAYOUTS]
    return result


def arms(ours, native):
    return {"figures": [{"id": f"hbase-peer-{layout}", "ours": ours[i], "floor": native[i]}
                        for i, layout in enumerate(LAYOUTS)]
            + [{"id": f"hbase-get-{layout}", "ours": 290 + i, "floor": 220 + 10 * i}
               for i, layout in enumerate(LAYOUTS)]}


def stored(*sizes):
    return {"orders": 10, "stored": [{"layout": layout, "compacted_bytes": size}
                                     for layout, size in zip(LAYOUTS, sizes)]}


def guesses(_):
    """Each holds, does not, or is not known."""
    flat, slow = [100] * 5, [300, 400, 500, 300, 300]
    sizes = {f"hbase-lines-{lines}": size for lines, size in (
        (5, all_rates(200, 100, 700)), (500, all_rates(200, 100, 60000)),
        (5000, all_rates(100, 100, 600000)))}
    cases = [
        ("stored", {"hbase-stored-fast_diff-gz": stored(1000, 1300, 1100, 1000, 1200)}, True),
        ("stored", {"hbase-stored-fast_diff-gz": stored(1000, 1310, 1100, 1000, 1200)}, False),
        ("stored", {"hbase-stored-none-none": stored(1, 1, 1, 1, 1)}, None),
        ("native", {"hbase-arms-5-1": arms(slow, flat)}, True),
        ("native", {"hbase-arms-5-1": arms(flat, flat)}, False),
        ("native", {"hbase-arms-5-1": arms(slow, slow)}, False),
        # the median of three runs counts
        ("native", {"hbase-arms-5-1": arms(slow, slow), "hbase-arms-5-2": arms(slow, flat),
                    "hbase-arms-5-3": arms(slow, flat)}, True),
        ("native", {"hbase-arms-5-1": arms(slow, flat), "hbase-arms-5-2": arms(slow, slow),
                    "hbase-arms-5-3": arms(slow, slow)}, False),
        ("native", {"hbase-arms-50-1": arms(slow, flat)}, None),
        ("block", sizes, True),
        ("block", {**sizes, "hbase-lines-5000": all_rates(200, 100, 600000)}, False),
        ("block", {**sizes, "hbase-lines-5": all_rates(100, 100, 700)}, False),
        ("block", {"hbase-lines-5": sizes["hbase-lines-5"]}, None),
        ("age", {"age-0-as-it-is": all_rates(200, 100), "age-100-as-it-is": all_rates(190, 50)},
         True),
        ("age", {"age-0-as-it-is": all_rates(200, 100), "age-100-as-it-is": all_rates(100, 50)},
         False),
        # what was measured on HBase counts more
        ("age", {"age-0-as-it-is": all_rates(200, 100), "age-100-as-it-is": all_rates(190, 50),
                 "hbase-age-0-as-it-is": all_rates(200, 100),
                 "hbase-age-100-as-it-is": all_rates(90, 90)}, False),
        ("age", {}, None),
    ]
    for name, results, held in cases:
        judged = {g["id"]: g for g in findings.judge(GUESSES, results)}
        equal(len(judged), 4)
        equal((name, judged[name]["held"], judged[name]["figures"]),
              (name, held, judged[name]["figures"]))
        equal(bool(judged[name]["figures"]), True)


def winners(_):
    """Those that cannot be told apart win together, and two runs differ if none wins in both."""
    one = {"a": rates(blob=[10, 11, 12], wide=[11, 9, 10], normalized=[5, 5, 5])}
    two = {"a": rates(blob=[9, 9, 10], wide=[14, 13, 12], normalized=[5, 5, 5])}
    three = {"a": rates(blob=[9, 9, 9], wide=[7, 7, 7], normalized=[15, 15, 15])}
    few = {"a": rates(blob=[10, 11], wide=[1, 2])}
    equal(findings.find_winners(one), {("a", "get"): ["blob", "wide"]})
    equal(findings.find_winners(two), {("a", "get"): ["wide"]})
    equal(findings.find_winners(few), {})
    equal(findings.compare(one, two), [])
    equal(findings.compare(two, three), ["a, get: wide here, normalized there"])
    equal(findings.compare(one, {"b": one["a"]}), [])


def several_runs():
    """Results as of a whole run, made so that each figure of the page is another one."""
    results = {}
    for place, lines in enumerate((1, 5, 50, 500, 5000)):
        results[f"lines-{lines}"] = all_rates(20000 / lines, 10000 / lines)
        results[f"hbase-lines-{lines}"] = all_rates(3000 - place, 1000 + place, 130 * lines)
    for age, left in ((0, 1), (10, 0.8), (100, 0.25)):
        for prefix in ("", "hbase-"):
            results[f"{prefix}age-{age}-as-it-is"] = all_rates(800, 600 * left)
            results[f"{prefix}age-{age}-compacted"] = all_rates(800, 570)
    for clients in (1, 8, 64):
        results[f"clients-{clients}"] = dict(all_rates(110 * clients, 70 * clients), store="rocksdb")
        for measured in results[f"clients-{clients}"]["measurements"]:
            measured["phase"] = "mix"
    for prefix in ("", "hbase-"):
        results.update({f"{prefix}warm": all_rates(5000, 4000), f"{prefix}cold": all_rates(625, 400)})
    for encoding in ("none", "fast_diff"):
        results[f"hbase-stored-{encoding}-none"] = stored(1000, 5400, 5100, 4000, 1200)
        results[f"hbase-stored-{encoding}-gz"] = stored(400, 500, 480, 440, 410)
    results["hbase-arms-5-1"] = arms([310, 420, 430, 440, 320], [150, 160, 170, 180, 155])
    results["hbase-keys-16"] = keys(hashed=[900, 910, 920], raw=[950, 940, 930], salted=[500, 500, 500])
    for store in ("rocksdb", "hbase"):
        results[f"{store}-address-5"] = addresses(store, 5, (20, 120, 122, 110, 21), (8, 6, 6.5, 22, 8.5))
    return results


def keys(**turns):
    return {"store": "hbase", "measurements": [
        {"phase": "get", "layout": "blob", "key": key, "operations_per_second": {"turns": values}}
        for key, values in turns.items()]}


def addresses(store, lines, ours, floor):
    """As `tallorder-perf address` prints them."""
    figures = [{"id": f"{store}-address-{layout}", "ours": ours[i], "floor": floor[i],
                "ratio": ours[i] / floor[i]} for i, layout in enumerate(LAYOUTS)]
    return {"lines": lines, "figures": figures,
            **{f"cells-{layout}": lines if layout == "denormalized" else 1 for layout in LAYOUTS}}


def summarized(results, **changes):
    found = findings.find_winners(results)
    return {"busy": "", "missing": [], "setting": {"commit": "<b>"},
            "stages": {"a": {"seconds": 1, "load": 0.25, "commit": "c0ffee",
                             "command": "tallorder bench <x>"}},
            "lessons": lessons.list_lessons(results, found), "guesses": findings.judge(GUESSES, results),
            "drawings": drawings.list_drawings(results), "prices": findings.list_prices(results),
            "winners": [{"measurement": stage, "operation": phase, "best": best}
                        for (stage, phase), best in found.items()], **changes}


def make_page(summary, linked=()):
    return page.make_page(summary, set(linked), {d["id"]: "<svg></svg>" for d in summary["drawings"]})


def pages(_):
    """What comes from elsewhere is text; the warnings are there when they are due."""
    text = make_page(summarized({"a": rates(blob=[10, 11, 12], wide=[11, 9, 10], normalized=[5, 5, 5])}), ["a"])
    equal(("<b>" in text, "&lt;x&gt;" in text, "class=\"warning\"" in text, "<script" in text),
          (False, True, False, False))
    equal(("href=\"a.html\"" in text, "no difference between blob, wide" in text), (True, True))
    equal(("c0ffee" in text, "It was not measured" in text, "<svg" in text), (True, True, False))
    text = make_page(summarized({}, busy="busy!", missing=["b"]))
    equal((text.count("class=\"warning\""), "busy!" in text, "failed: b" in text), (2, True, True))


def rows_of(text):
    """Of all tables of a page."""
    return [re.findall(r"<td>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", text)]


def prices(_):
    """What a correction costs, embedded first, then by lines."""
    runs = {f"{store}-{lines}": addresses(store, lines, (20, 120, 122, 110, 21.5), (8, 6, 6.25, 22, 8.6))
            for store, lines in (("hbase", 5), ("rocksdb", 500), ("rocksdb", 5))}
    found = findings.list_prices(runs)
    equal([(p["store"], p["lines"], p["layout"]) for p in found],
          [(store, lines, layout) for store, lines in (("rocksdb", 5), ("rocksdb", 500), ("hbase", 5))
           for layout in LAYOUTS])
    equal(found[8], {"store": "rocksdb", "lines": 500, "layout": "denormalized", "replace_us": 110,
                     "cells": 500, "cells_us": 22, "times": 5})
    rows = rows_of(make_page(summarized(runs)))
    equal([row for row in rows if row[:3] in (["rocksdb", "500", "denormalized"], ["hbase", "5", "wide"])],
          [["rocksdb", "500", "denormalized", "110", "500", "22", "5"],
           ["hbase", "5", "wide", "21.5", "1", "8.6", "2.5"]])


def words_for_guesses(_):
    """The page says of each guess what was found of it."""
    judged = [{"guess": f"guess {held}", "held": held, "figures": "x < 1"} for held in (True, False, None)]
    rows = rows_of(make_page(summarized({}, guesses=judged)))
    equal(rows[1:4], [["guess True", "<strong>held</strong>", "x &lt; 1"],
                      ["guess False", "<strong>did not hold</strong>", "x &lt; 1"],
                      ["guess None", "<strong>not known</strong>", "x &lt; 1"]])


NUMBER = re.compile(r"\d(?:[\d,]*\d)?(?:\.\d+)?(?:e[+-]?\d+)?")


def list_numbers(value):
    """Those of JSON as the page shows them, and those in its texts."""
    if isinstance(value, (dict, list)):
        parts = [*value, *value.values()] if isinstance(value, dict) else value
        return {number for part in parts for number in list_numbers(part)}
    return set(NUMBER.findall(value)) if isinstance(value, str) else (
        set() if value is None or isinstance(value, bool) else {lessons.show(value)})


def numbers_of_the_page(_):
    """Each is in the JSON beside it, and so is each of the sentences."""
    results = several_runs()
    summary = json.loads(json.dumps(summarized(results)))
    text = re.sub(r"(?s)<style>.*?</style>|<[^>]*>", " ", make_page(summary))
    seen = set(NUMBER.findall(html.unescape(text)))
    equal((len(seen) > 50, sorted(seen - list_numbers(summary))), (True, []))
    for lesson in summary["lessons"]:
        named = {lessons.show(v) if not isinstance(v, str) else v for v in lesson["figures"].values()}
        equal([number for number in NUMBER.findall(lesson["text"]) if number not in named], [])
        equal([name for name in named if name not in lesson["text"]], [])


def what_to_take(_):
    """The sentences, from figures of which each can be computed by hand."""
    results = several_runs()
    said = [lesson["text"] for lesson in lessons.list_lessons(results, findings.find_winners(results))]
    equal(said, [
        "Embedded, blob is the fastest layout, or as fast as it, in 5 of 5 operations and numbers of lines.",
        "On HBase, blob is the fastest layout, or as fast as it, in 5 of 5 operations and numbers of lines.",
        "Embedded, blob fetches an order of 5 lines 2 times as fast as record-type, the fastest layout of "
        "several rows.",
        "Embedded, blob fetches an order of 500 lines 2 times as fast as record-type, the fastest layout of "
        "several rows.",
        "On HBase, blob fetches an order of 5 lines 3 times as fast as record-type, the fastest layout of "
        "several rows.",
        "On HBase, blob fetches an order of 500 lines 2.99 times as fast as record-type, the fastest layout of "
        "several rows.",
        "On HBase, stored without encoding and compression, record-type takes the most bytes: 5.4 times the least.",
        "On HBase, stored with FAST_DIFF and GZ, record-type takes the most bytes: 1.25 times the least.",
        "Fetching an order of 5 lines in blob takes 310 µs by tallorder through the gateway and 150 µs by HBase's own "
        "client.",
        *[f"{where}, after 100 replaces of each order record-type loses most: 0.25 of its rate of fetching is "
          "left, and after a compaction 0.95." for where in ("Embedded", "On HBase")],
        *[f"{where}, a block cache that is too small leaves 0.1 of the rate of fetching in record-type, up to 0.125 in "
          "blob." for where in ("Embedded", "On HBase")],
        "Embedded, 64 clients get 64 times the rate of one in blob.",
        "On HBase with 16 regions on one server, one client fetches: the fastest key is raw.",
        *[f"{where}, to correct one address in an order of 5 lines takes 2.47 times as long as its cells alone "
          "in wide, up to 20 times in record-type." for where in ("Embedded", "On HBase")],
    ])
    equal(lessons.list_lessons({}, {}), [])


def nothing_told_apart(_):
    """Rates whose turns overlap are not a difference, and no gain from a compaction either."""
    results = {"hbase-warm": rates(blob=[9, 10, 20], wide=[8, 8, 8]),
               "hbase-cold": rates(blob=[5, 6, 9], wide=[9, 9, 9]),
               "age-0-as-it-is": rates(blob=[10, 10, 10], normalized=[8, 8, 8]),
               "age-100-as-it-is": rates(blob=[9, 10, 11], normalized=[2, 2, 2]),
               "age-100-compacted": rates(blob=[11, 11, 11], normalized=[12, 12, 12])}
    said = [lesson["text"] for lesson in lessons.list_lessons(results, {})]
    equal(said, ["Embedded, after 100 replaces of each order normalized loses most: 0.25 of its rate of fetching is "
                 "left, and after a compaction all of it.",
                 "On HBase, fetching with a block cache that is too small could not be told from that with a large one."])


def drawn_numbers(_):
    """Each drawing has what was measured, and what was not is left out."""
    drawn = {drawing["id"]: drawing for drawing in drawings.list_drawings(several_runs())}
    equal(sorted(drawn), ["age_hbase", "age_rocksdb", "arms", "clients", "cold_hbase", "cold_rocksdb",
                          "fetch_hbase", "fetch_rocksdb", "keys", "stored"])
    names = ["blob", "wide", "record-type", "normalized", "denormalized"]
    equal((drawn["fetch_hbase"]["names"], drawn["fetch_hbase"]["rows"][1]),
          (names, [5, 2999, 2999, 1001, 500.5, 500.5]))
    equal((drawn["stored"]["places"], drawn["stored"]["rows"][1]),
          (["neither", "gz", "fast_diff", "fast_diff and gz"], [40, 50, 48, 44, 41]))
    equal((drawn["age_rocksdb"]["places"][4:], drawn["age_rocksdb"]["rows"][4:]),
          (["100", "100, compacted"],
           [[800, 800, 150, 75, 75], [800, 800, 570, 285, 285]]))
    equal(drawn["clients"]["rows"][2][:2], [64, 7040])
    equal((drawn["arms"]["places"][1], drawn["arms"]["rows"][1]), ("record-type", [420, 230, 160]))
    equal((drawn["keys"]["places"], drawn["keys"]["rows"]), (["16 regions"], [[910, 940, 500]]))
    only = drawings.list_drawings({"lines-5": rates(blob=[1, 2, 3]), "lines-50": rates(wide=[4, 5, 6])})
    equal([(d["id"], d["names"], d["rows"]) for d in only],
          [("fetch_rocksdb", ["blob", "wide"], [[5, 2, None], [50, None, 5]])])
    tool = load_tool()
    tool.PROGRAM = tool.PERF = PROGRAM
    for drawing in [*drawn.values(), *only]:
        svg = tool.draw(drawing)
        equal((svg.startswith("<svg"), [n for n in drawing["names"] if n not in svg]), (True, []))


def stage_lists(_):
    """Every stage has a name of its own, and what the guesses are decided by is there."""
    for short in (False, True):
        names = [stage.name for stage in stages.list_stages(short)]
        equal(len(set(names)), len(names))
        equal({"hbase-stored-fast_diff-gz", "hbase-arms-5-1", "hbase-lines-5", "hbase-lines-500",
               "age-0-as-it-is", "age-100-as-it-is"} - set(names), set())
    environment = {"TALLORDER_HBASE_TOOL": os.path.abspath("t"), "TALLORDER_HBASE_DATA": "d",
                   "TALLORDER_HBASE_PIDS": "p"}
    admin, options = {}, {}
    for stage in stages.list_stages(False):
        command = stages.make_command("tallorder", "tallorder-perf", stage, "STORE", "F", False, environment)
        equal(command.count("--json"), 1)
        equal([text for text in command if text.startswith("/")], [])  # they are to be read in another clone
        admin[stage.name] = "--admin" in command
        options[stage.name] = dict(zip(command, command[1:]))
    equal({name: admin[name] for name in ("lines-5", "hbase-lines-5", "hbase-arms-5-1", "hbase-load",
                                          "hbase-address-5", "hbase-keys", "hbase-keys-16", "hbase-cold")},
          {"lines-5": False, "hbase-lines-5": True, "hbase-arms-5-1": False, "hbase-load": False,
           "hbase-address-5": False, "hbase-keys": True, "hbase-keys-16": False, "hbase-cold": True})
    equal({name: given["--cache"] for name, given in options.items() if "--cache" in given},
          {"cache-2": "2", "cold": "0.5", "cache-0.125": "0.125"})
    equal({(name, given["--age"], given["--rest"]) for name, given in options.items() if "--age" in given},
          {(f"{prefix}age-{age}-{rest}", str(age), rest) for prefix in ("", "hbase-")
           for age in (0, 10, 100) for rest in ("as-it-is", "compacted")})
    equal(list(dict.fromkeys(stage.server for stage in stages.list_stages(False))),
          [None, *stages.SERVERS])


FAKE = """#!/bin/sh
[ "$1" = --version ] && exec echo fake
echo "$@" >> "$CALLS"
case "$*" in *"--lines $FAILING "*) exit 3 ;; esac
echo '{"measurements": []}'
"""


def load_tool():
    loader = importlib.machinery.SourceFileLoader("run_experiment", str(SOURCE / "tools/run-experiment"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_experiment", loader))
    loader.exec_module(module)
    return module


def call(tool, *arguments):
    """Exit code and all that it prints."""
    out, before = io.StringIO(), sys.argv
    sys.argv = ["run-experiment", *map(str, arguments)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            code = tool.main()
    except SystemExit as end:
        code = end.code
    finally:
        sys.argv = before
    return code, out.getvalue()


def check_files(tool, folder, options):
    """Files of others lie beside the results; a damaged one is named."""
    (folder / "guesses.json").write_text("[]")
    code, _ = call(tool, *options, "--resume")
    equal(code, 0)
    with tool.locked(None, folder):
        code, said = call(tool, *options, "--resume")
        equal((code, "another run works in" in said), (2, True))
    code, said = call(tool, "--compare", folder, folder / "nothing")
    equal((code, "nothing has no results" in said), (2, True))
    for name, text, advice in (("keys", "{", "remove it"), ("keys", "[]", "remove it"), ("keys", "\xff", "remove it"),
                               ("keys", '{"a": 1}', "remove it"), ("run", "{}", "choose another"),
                               ("run", "[", "choose another")):
        file = folder / f"{name}.json"
        before = file.read_bytes()
        file.write_text(text, encoding="latin-1")
        try:
            call(tool, *options, "--resume")
            equal(text, "refused")
        except tool.Damaged as error:
            equal((f"{name}.json: it is not" in str(error), advice in str(error)), (True, True))
        file.write_bytes(before)


def ended(folder):
    """A program that is asked to end lets what it has begun end first."""
    tool, before = load_tool(), signal.getsignal(signal.SIGTERM)
    begun, cleaned = pathlib.Path(folder) / "begun", pathlib.Path(folder) / "cleaned"
    script = f"trap 'touch {cleaned}; exit 0' TERM; touch {begun}; while :; do sleep 0.01; done"

    def end_us():
        while not begun.exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGTERM)

    tool.end_on_signals()
    threading.Thread(target=end_us).start()
    try:
        tool.run_program(["sh", "-c", script])
        equal("it ran", "it was ended")
    except KeyboardInterrupt:
        equal(cleaned.exists(), True)
    finally:
        signal.signal(signal.SIGTERM, before)


def load_of_others(folder):
    """The machine's load is looked at before we build and measure: ours does not count."""
    tool, before, loads = load_tool(), (os.getcwd(), os.getloadavg), [0.25]

    def work(*_):
        loads.append(64)
        return True

    os.getloadavg = lambda: (loads[-1], 0, 0)
    tool.build = tool.run_stages = work
    tool.summarize, tool.describe_setting = (lambda _: None), dict
    try:
        equal(call(tool, "--no-hbase", "--folder", folder)[0], 0)
        equal((len(loads), json.loads((pathlib.Path(folder) / "run.json").read_text())["busy"]), (3, ""))
        loads[:] = [64]
        os.remove(pathlib.Path(folder) / "run.json")
        call(tool, "--no-hbase", "--folder", folder)
        equal("did other work" in json.loads((pathlib.Path(folder) / "run.json").read_text())["busy"], True)
    finally:
        os.chdir(before[0])
        os.getloadavg = before[1]


def resumed(folder):
    """What is finished is not done again; a stage that fails is left for the next time."""
    tool, folder = load_tool(), pathlib.Path(folder)
    fake, calls = folder / "fake", folder / "calls"
    fake.write_text(FAKE)
    fake.chmod(0o755)
    tool.PROGRAM, tool.PERF, tool.build, before = fake, fake, lambda: None, os.getcwd()
    os.environ.update(CALLS=str(calls), FAILING="50")
    options = ["--short", "--no-hbase", "--folder", folder / "new"]
    try:
        code, _ = call(tool, *options)
        first = calls.read_text().splitlines()
        wanted = [stage.name for stage in stages.list_stages(True) if stage.server is None]
        summary = json.loads((folder / "new/summary.json").read_text())
        equal((code, len(first), [n for n in summary["missing"] if not n.startswith("hbase-")]),
              (3, len(wanted), ["lines-50"]))
        equal([guess["held"] for guess in summary["guesses"]], [None, None, None, None])
        code, said = call(tool, *options)
        equal((code, "--resume goes on" in said), (2, True))
        code, said = call(tool, *options[1:], "--resume")
        equal((code, "with --short" in said), (2, True))
        os.environ["FAILING"] = "none"
        (folder / "new/keys.json.part").write_text("{")  # a run that was killed leaves such files
        code, said = call(tool, *options, "--resume")
        again = calls.read_text().splitlines()[len(first):]
        equal((code, len(again), "--lines 50 " in again[0]), (0, 1, True))
        run = json.loads((folder / "new/run.json").read_text())
        equal((sorted(run["stages"]), "index.html" in said), (sorted(wanted), True))
        equal({stage["commit"] for stage in run["stages"].values()}, {tool.describe_commit()})
        del run["stages"]["keys"]["commit"]  # as a run of an older version has left it
        (folder / "new/run.json").write_text(json.dumps(dict(run, setting={"commit": "old"})))
        code, said = call(tool, *options, "--resume")
        summary = json.loads((folder / "new/summary.json").read_text())
        equal((code, summary["stages"]["keys"]["commit"]), (0, "old"))
        equal((folder / "new/data").exists(), False)
        equal((folder / "new/index.html").exists(), True)
        equal(call(tool, "--compare", folder / "new", folder / "new"),
              (0, "no measurement names different winners\n"))
        code, said = call(tool, "--folder", folder)
        equal((code, "has other files" in said), (2, True))
        check_files(tool, folder / "new", options)
    finally:
        os.chdir(before)


if __name__ == "__main__":
    for function in (guesses, winners, pages, prices, words_for_guesses, numbers_of_the_page,
                     what_to_take, nothing_told_apart, drawn_numbers, stage_lists, load_of_others,
                     resumed, ended):
        test(function)
    sys.exit(main())
