# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Runs tools/count-tests on made-up logs. Prints TAP.

    count_tests.py COUNT_TESTS
"""

import json
import pathlib
import subprocess
import sys
import tempfile

GOOD = {"name": "tallorder:base / a", "result": "OK", "stdout": "1..2\nok 1 x\nok 2 y\n"}
BAD = {"name": "tallorder:base / b", "result": "FAIL", "stdout": "1..1\nnot ok 1 x\n"}
CRASHED = {"name": "tallorder:base / c", "result": "FAIL", "stdout": ""}
RAISED = {"name": "tallorder:e2e / g", "result": "ERROR", "stdout": "ok 1 x\n",
          "stderr": "".join(f"line {n}\n" for n in range(30)) + "AssertionError: exit code 3\n"}
COMMENTED = {"name": "tallorder:faults / h", "result": "ERROR", "stderr": "a warning\n" * 30,
             "stdout": "# raw: 1 s\nnot ok 1 x\n# torn\n#  twice\nok 2 y\nnot ok 3 z\n1..3\n"}
SKIPPED = {"name": "tallorder:hbase / d", "result": "SKIP", "stdout": "1..0 # SKIP no HBase\n"}
IN_PART = {"name": "tallorder:hbase+slow / e", "result": "OK",
           "stdout": "1..3\nok 1 x # SKIP no HBase\nok 2 y\nok 3 z # skip\n"}
PLAIN = {"name": "tallorder:hbase / f", "result": "SKIP"}
MUST = ["--must-run", "hbase"]

WHY = ["failed: tallorder:e2e / g (build, ERROR)", *(f"| line {n}" for n in range(11, 30)),
       "| AssertionError: exit code 3"]

WHY_COMMENTED = ["failed: tallorder:faults / h (build, ERROR)",
                 "| not ok 1 x", "| # torn", "| #  twice", "| not ok 3 z"]

CASES = [
    ("good", [GOOD], [], "2 passed, 0 failed", 0),
    ("bad", [GOOD, BAD], [], "2 passed, 1 failed", 1),
    ("crashed", [GOOD, CRASHED], [], "2 passed, 1 failed", 1),
    ("nothing", [], [], "0 passed, 0 failed", 1),
    ("failed-step", [GOOD], ["--failed-steps", "1"], "2 passed, 1 failed", 1),
    ("skipped", [GOOD, SKIPPED, IN_PART], [], "3 passed, 0 failed, 3 skipped", 0),
    ("must-run", [GOOD, SKIPPED], MUST, "2 passed, 1 failed", 1),
    ("must-run-in-part", [GOOD, IN_PART], MUST, "3 passed, 2 failed", 1),
    ("must-run-plain", [GOOD, PLAIN], MUST, "2 passed, 1 failed", 1),
    ("raised", [RAISED, GOOD], [], [*WHY, "3 passed, 1 failed"], 1),
    ("commented", [COMMENTED, GOOD], [], [*WHY_COMMENTED, "3 passed, 2 failed"], 1),
    ("must-run-other", [GOOD, SKIPPED], ["--must-run", "base"], "2 passed, 0 failed, 1 skipped", 0),
]


def main():
    print(f"1..{len(CASES)}")
    failed = 0
    for number, (name, tests, options, last, code) in enumerate(CASES, 1):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "build" / "meson-logs" / "log.json"
            log.parent.mkdir(parents=True)
            log.write_text("".join(json.dumps(test) + "\n" for test in tests), encoding="utf-8")
            got = subprocess.run([sys.executable, sys.argv[1], str(log), *options],
                                 capture_output=True, text=True, timeout=60, check=False)
        wanted = last if isinstance(last, list) else [last]
        ok = (got.stdout.splitlines()[-len(wanted):], got.returncode) == (wanted, code)
        failed += not ok
        print(f"{'ok' if ok else 'not ok'} {number} {name}")
        if not ok:
            print(f"# wanted {last!r}, {code}; got {got.stdout!r}, {got.returncode}, {got.stderr!r}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
