# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""What an experiment concludes, and that it goes on where it was. Speaks TAP.

    experiment.py TALLORDER SOURCE_ROOT
"""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from support import SOURCE, equal, main, test  # noqa: E402

sys.path.insert(0, str(SOURCE / "tools"))
sys.dont_write_bytecode = True

from experiment import findings, page, stages  # noqa: E402

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
                        for i, layout in enumerate(LAYOUTS)] + [{"id": "hbase-get-blob"}]}


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


def pages(_):
    """What comes from elsewhere is text; the warnings are there when they are due."""
    run = {"busy": "", "missing": [], "setting": {"commit": "<b>"},
           "stages": {"a": {"seconds": 1, "load": 0.25, "command": "tallorder bench <x>"}}}
    judged = findings.judge(GUESSES, {})
    text = page.make_page(judged, {("a", "get"): ["blob", "wide"]}, run, {"a"})
    equal(("<b>" in text, "&lt;x&gt;" in text, "class=\"warning\"" in text, "<script" in text),
          (False, True, False, False))
    equal(("href=\"a.html\"" in text, "no difference between blob, wide" in text), (True, True))
    text = page.make_page(judged, {}, {**run, "busy": "busy!", "missing": ["b"]}, set())
    equal((text.count("class=\"warning\""), "busy!" in text, "failed: b" in text), (2, True, True))


def stage_lists(_):
    """Every stage has a name of its own, and what the guesses are decided by is there."""
    for short in (False, True):
        names = [stage.name for stage in stages.list_stages(short)]
        equal(len(set(names)), len(names))
        equal({"hbase-stored-fast_diff-gz", "hbase-arms-5-1", "hbase-lines-5", "hbase-lines-500",
               "age-0-as-it-is", "age-100-as-it-is"} - set(names), set())
    environment = {"TALLORDER_HBASE_TOOL": "t", "TALLORDER_HBASE_DATA": "d",
                   "TALLORDER_HBASE_PIDS": "p"}
    for stage in stages.list_stages(False):
        command = stages.make_command("tallorder", stage, "STORE", "F", False, environment)
        equal((command.count("--json"), "--admin" in command),
              (1, stage.on_hbase and "--floor" not in stage.options))


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


def resumed(folder):
    """What is finished is not done again; a stage that fails is left for the next time."""
    tool, folder = load_tool(), pathlib.Path(folder)
    fake, calls = folder / "fake", folder / "calls"
    fake.write_text(FAKE)
    fake.chmod(0o755)
    tool.PROGRAM, tool.build, before = fake, lambda: None, os.getcwd()
    os.environ.update(CALLS=str(calls), FAILING="50")
    options = ["--short", "--no-hbase", "--folder", folder / "new"]
    try:
        code, _ = call(tool, *options)
        first = calls.read_text().splitlines()
        wanted = [stage.name for stage in stages.list_stages(True) if not stage.on_hbase]
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
        equal((folder / "new/index.html").exists(), True)
        equal(call(tool, "--compare", folder / "new", folder / "new"),
              (0, "no measurement names different winners\n"))
        code, said = call(tool, "--folder", folder)
        equal((code, "has other files" in said), (2, True))
    finally:
        os.chdir(before)


if __name__ == "__main__":
    for function in (guesses, winners, pages, stage_lists, resumed):
        test(function)
    sys.exit(main())
