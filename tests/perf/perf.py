# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Runs tallorder-perf, each of its subjects for a moment. Speaks TAP.

    perf.py TALLORDER SOURCE_ROOT TALLORDER_PERF [hbase]    the latter needs $TALLORDER_HBASE_BINARY
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from authority import Ca  # noqa: E402
from support import DONE, FAILED, LAYOUTS, SECONDS, USAGE, Result, equal, main, test  # noqa: E402

PERF = sys.argv[3]
ON_HBASE = sys.argv[4:] == ["hbase"]


def perf(*arguments):
    words = [PERF, *map(str, arguments)]
    return Result(words, subprocess.run(words, capture_output=True, text=True, timeout=SECONDS))


def stopped(folder):
    """Ctrl-C in the middle leaves nothing behind, nor when it comes twice at once."""
    for what in (["calls", "--seconds", "600"], ["load", "--count", "200000"]):
        for numbers in ([signal.SIGINT], [signal.SIGTERM], [signal.SIGTERM, signal.SIGINT]):
            process = subprocess.Popen([PERF, *what, "--store", f"rocksdb:{folder}"], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            give_up = time.monotonic() + SECONDS
            while not os.listdir(folder) and time.monotonic() < give_up:
                time.sleep(0.01)
            for number in numbers:
                process.send_signal(number)
            out, err = process.communicate(timeout=SECONDS)
            equal((process.returncode - 128 in numbers, "Stopped" in err, out), (True, True, ""))
            equal(os.listdir(folder), [])


def stopped_after_some_figures(folder):
    """Each figure is shown as soon as it is known; a run that is stopped has shown those."""
    for what in (["calls", "--count", 20, "--lines", 1, "--seconds", 2], ["migrate", "--count", 40, "--seconds", 3]):
        process = subprocess.Popen(
            [PERF, *map(str, what), "--store", f"rocksdb:{folder}"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        first = [process.stdout.readline() for _line in range(2)]
        process.send_signal(signal.SIGINT)
        _out, err = process.communicate(timeout=SECONDS)
        equal((first[0].split(), "  yes" in first[1] or "  NO" in first[1]),
              (["what", "ours", "floor", "unit", "ratio", "goal", "reached"], True))
        equal((process.returncode, "Stopped" in err), (128 + signal.SIGINT, True))
        equal(os.listdir(folder), [])


def figures_that_nobody_reads(folder):
    """A reader that has gone is not an error."""
    process = subprocess.Popen([PERF, "migrate", "--store", f"rocksdb:{folder}", "--count", "40",
                                "--seconds", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.readline()
    process.stdout.close()
    err = process.stderr.read()
    equal((process.wait(SECONDS), "Stopped" in err, os.listdir(folder)), (128 + signal.SIGPIPE, True, []))


def loading_beside_a_peer(folder):
    """Everything that it makes is removed, and both have stored every line."""
    load = ["load", "--store", f"rocksdb:{folder}", "--count", 50, "--lines", 3]
    peer = os.environ.get("TALLORDER_PEER")
    names = ["load-blob", "load-normalized"]
    report = json.loads(perf(*load, "--json", *(["--peer", peer] if peer else [])).ends(DONE).out)
    equal([figure["id"] for figure in report["figures"]],
          names + ([f"{name}-peer" for name in names] if peer else []))
    equal([figure["ratio"] > 0 for figure in report["figures"]], [True] * len(report["figures"]))
    perf(*load, "--peer", "false").ends(FAILED, "false: ")
    perf(*load, "--peer", "true").ends(FAILED, "true has stored 0 lines of 150")
    perf(*load, "--peer", f"{folder}/none").ends(FAILED, f"{folder}/none")
    perf("load", "--store", "hbase://127.0.0.1:9", "--count", 5).ends(FAILED, "127.0.0.1:9")
    equal(os.listdir(folder), [])


def calls_beside_a_peer(folder):
    """Every order that either side returns is compared; everything that it makes is removed."""
    peer = os.environ.get("TALLORDER_PEER_CALLS")
    if peer is None:
        return
    environment = {**os.environ, "TMPDIR": folder}

    def call(*arguments):
        return subprocess.run([peer, *map(str, arguments)], capture_output=True, text=True,
                              env=environment)

    few = ["--count", 120, "--lines", 3, "--seconds", 0]
    shown = call(*few, "--json")
    equal((shown.returncode, shown.stderr), (DONE, ""))
    figures = json.loads(shown.stdout)["figures"]
    equal([figure["id"] for figure in figures],
          [f"peer-{what}-{kind}" for kind in ("document", "normalized")
           for what in ("fetch", "list", "store", "replace")]
          + [f"peer-{what}-{kind}-synced" for kind in ("document", "normalized")
             for what in ("store", "replace", "store-many")])
    equal([figure["ratio"] > 0 and figure["goal"] == 1 for figure in figures], [True] * len(figures))
    checked = call(*few, "--json", "--check")
    missed = [figure for figure in json.loads(checked.stdout)["figures"] if not figure["reached"]]
    equal(checked.returncode, 1 if missed else 0)
    for wrong in (["--count", 0], ["--lines", "x"], ["more"]):
        refused = call(*wrong)
        equal((refused.returncode, "tallorder-peer-calls: " in refused.stderr), (USAGE, True))
    equal(os.listdir(folder), [])


def check_addresses(figures, report, kind):
    """One cell has the address of an order, but where each of its 3 lines repeats it."""
    equal([figure["id"] for figure in figures], [f"{kind}-address-{layout}" for layout in LAYOUTS])
    equal({layout: report[f"cells-{layout}"] for layout in LAYOUTS},
          {layout: 3 if layout == "denormalized" else 1 for layout in LAYOUTS})
    equal([(figure["ratio"] > 0, "goal" in figure) for figure in figures], [(True, False)] * len(LAYOUTS))


def correcting_an_address(folder):
    """Every order that is corrected is compared, and so is the one whose cells are put raw."""
    address = ["address", "--store", f"rocksdb:{folder}", "--lines", 3, "--count", 5,
               "--seconds", 0]
    report = json.loads(perf(*address, "--json").ends(DONE).out)
    equal((report["lines"], report["orders"]), (3, 5))
    check_addresses(report["figures"], report, "rocksdb")
    perf(*address, "--check").ends(DONE, "RocksDB, denormalized: correct an address / put 3 cells", "none")
    perf("address", "--store", "hbase://127.0.0.1:9").ends(FAILED, "127.0.0.1:9")
    equal(os.listdir(folder), [])


def migrating(folder):
    """There and back, beside calls; everything that it makes is removed."""
    migrate = ["migrate", "--count", 40, "--lines", 3, "--seconds", 0.1]
    report = json.loads(perf(*migrate, "--store", f"rocksdb:{folder}", "--json").ends(DONE).out)
    equal([figure["id"] for figure in report["figures"]],
          [f"migrate-{pair}-{what}" for pair in ("blob-normalized", "normalized-blob")
           for what in ("copy", "memory", "p99", "write-pause", "read-pause", "beside")])
    equal([f["id"] for f in report["figures"] if f["ours"] <= 0 and not f["id"].endswith(("read-pause", "beside"))],
          [])
    equal([f["id"] for f in report["figures"] if f["ours"] == 0 and "goal" in f], [])
    perf(*migrate, "--store", "hbase://127.0.0.1:9").ends(FAILED, "127.0.0.1:9")
    equal(os.listdir(folder), [])


def addresses_on_hbase(_):
    """The raw side puts the cells of an order that stays whole."""
    store = f"hbase://{os.environ['TALLORDER_HBASE_BINARY']}"
    result = perf("address", "--store", store, "--lines", 3, "--count", 3, "--seconds", 0, "--json")
    report = json.loads(result.ends(DONE).out)
    check_addresses(report["figures"], report, "hbase")


def floors_on_hbase(_):
    """Every figure is there, whatever its value."""
    address = os.environ["TALLORDER_HBASE_BINARY"]
    result = perf("calls", "--store", f"hbase://{address}", "--seconds", 0, "--json",
                 "--pids", os.environ["TALLORDER_HBASE_PIDS"])
    figures = json.loads(result.ends(DONE).out)["figures"]
    equal({f["id"]: (f.get("goal_is"), f.get("goal")) for f in figures}, {
        "hbase-get-blob": ("at_most", 1.25),
        "hbase-get-wide": ("at_most", 1.25),
        "hbase-get-record-type": ("at_most", 1.25),
        "hbase-get-denormalized": ("at_most", 1.25),
        "hbase-get-normalized": ("at_most", 1.6),
        "hbase-readers": ("at_least", 2),
        "hbase-readers-multiple": ("at_least", 0.6),
        "hbase-readers-rows": (None, None),
        "hbase-readers-rows-multiple": (None, None),
        "hbase-writers-blob": ("at_least", 0.85),
        "hbase-writers-record-type": ("at_least", 0.8),
    })
    for figure in figures:
        for side in ("ours_measured", "floor_measured"):
            equal((figure["id"], figure[side]["rounds"] >= 3, figure[side]["p50_us"] > 0),
                  (figure["id"], True, True))
            equal((figure["id"], [figure[side][f"cpu_{one}_us"] > 0 for one in ("client", "gateway", "server")]),
                  (figure["id"], [True] * 3))


def loading_into_hbase(_):
    """The rows that a load makes, and the same by requests that are made beforehand."""
    store = f"hbase://{os.environ['TALLORDER_HBASE_BINARY']}"
    result = perf("load", "--store", store, "--count", 300, "--lines", 2, "--json")
    figures = json.loads(result.ends(DONE).out)["figures"]
    equal({f["id"]: (f["goal_is"], f["goal"]) for f in figures}, {
        "hbase-load-blob": ("at_least", 0.5), "hbase-load-blob-new": ("at_least", 0.75),
        "hbase-load-normalized": ("at_least", 0.5),
        "hbase-load-normalized-new": ("at_least", 0.75)})
    equal([figure["ratio"] > 0 for figure in figures], [True] * 4)


def tls(folder):
    """Every figure of what TLS costs is there, whatever its value; a certificate that is not good is said."""
    ca = Ca(folder)
    ca.certify("here", names="DNS:localhost")
    ca.certify("elsewhere", names="DNS:elsewhere")
    short = ["tls", "--seconds", 0, "--count", 20, "--lines", 1, "--store", f"rocksdb:{folder}",
             "--tls-ca", ca.file]
    figures = json.loads(perf(*short, *ca.files("here"), "--json").ends(DONE).out)["figures"]
    equal({f["id"]: f["ratio"] > 0 for f in figures}, {
        f"tls-{call}{clients}": True for call in ("get", "put") for clients in ("", "-8", "-64")})
    equal([name for name in os.listdir(folder) if "bench" in name], [])
    spent = perf(*short, *ca.files("here"), "--pids", f"server={os.getpid()}").ends(DONE).out
    equal(len(re.findall(r"^  CPU time, µs: client [0-9.]+ / [0-9.]+", spent, re.M)), len(figures))
    perf(*short, *ca.files("elsewhere")).ends(FAILED, "its certificate (CN=elsewhere) is not for the host localhost")


def migrating_on_hbase(_):
    """There and back, beside calls."""
    store = f"hbase://{os.environ['TALLORDER_HBASE_BINARY']}"
    result = perf("migrate", "--store", store, "--count", 40, "--lines", 3, "--seconds", 0.5,
                 "--json")
    figures = json.loads(result.ends(DONE).out)["figures"]
    equal([(f["id"], f["ours"] > 0) for f in figures],
          [(f"hbase-migrate-{pair}-{what}", True) for pair in ("blob-normalized", "normalized-blob")
           for what in ("p99", "write-pause", "read-pause")])


def wrong_usage(folder):
    store = ["--store", f"rocksdb:{folder}/none"]
    cases = [
        ([*store], "say what to measure"),
        (["speed", *store], "say what to measure"),
        (["calls", "load", *store], "one thing at a time"),
        (["calls", *store, "--layout", "blob"], "--layout"),
        (["calls", *store, "--lines", "1-2"], "1-2"),
        (["calls", *store, "--lines", "9001"], "--lines: choose 1 to 9000"),
        (["calls", *store, "--count=-1"], "--count: choose 1 to"),
        (["calls", *store, "--seconds", "nan"], "--seconds: choose 0 to"),
        (["calls", *store, "--pids", "1"], "write gateway=PID"),
        (["calls", *store, "--peer", "true"], "--peer is for load, and for fetch on HBase"),
        (["migrate", *store, "--peer", "true"], "--peer is for load"),
        (["fetch", *store], "fetch needs a --peer"),
        *(([what, *store, "--pids", "server=1"], "--pids is for") for what in ("load", "migrate", "address")),
        (["load", *store, "--seconds", "1"], "choose --count"),
        (["tls", *store, "--tls-key", "x"], "--tls-certificate and --tls-key"),
        (["tls", *store, "--tls-certificate", "x"], "--tls-certificate and --tls-key"),
        (["calls", *store, "--tls-ca", "x"], "are for tls"),
        (["calls", "--store", "memory:"], "memory:"),
    ]
    for arguments, text in cases:
        perf(*arguments).ends(USAGE, text)
    equal(os.listdir(folder), [])


def begin():
    if not ON_HBASE:
        for function in (stopped, stopped_after_some_figures, figures_that_nobody_reads, loading_beside_a_peer,
                         calls_beside_a_peer, migrating, correcting_an_address, tls, wrong_usage):
            test(function)
    elif "TALLORDER_HBASE_BINARY" in os.environ:
        for function in (floors_on_hbase, addresses_on_hbase, loading_into_hbase, migrating_on_hbase):
            test(function)
    else:
        print("1..0 # SKIP no HBase: tools/hbase/hbase run starts one")
        return 0
    return main()


if __name__ == "__main__":
    sys.exit(begin())
