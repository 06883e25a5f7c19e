#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Several deployments in one place: all are listed, and removing one touches no other.

    deployments.py rocksdb
    deployments.py hbase    needs $TALLORDER_HBASE
"""

import json
import os
import pty
import subprocess
import sys
import tempfile

from support import PROGRAM, Checks, run

# Names that begin like each other, and one that ends like a table.
BASE = f"shop-{os.getpid()}"
NAMES = [BASE, f"{BASE}.meta", f"{BASE}.old", f"{BASE}-b"]


def fails(*arguments, stdin=""):
    result = subprocess.run([str(PROGRAM), *arguments], input=stdin, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, timeout=300)
    return result.returncode, result.stderr


def typed(answer, *arguments):
    """The exit code of the program with a terminal on which `answer` is typed."""
    leader, follower = pty.openpty()
    with subprocess.Popen([str(PROGRAM), *arguments], stdin=follower, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        os.close(follower)
        os.write(leader, answer.encode() + b"\n")
        _, said = process.communicate(timeout=300)
        os.close(leader)
        return process.returncode, said.decode()


def listed(place):
    """The deployments of this test, by name."""
    found = json.loads(run("status", "--store", place, "--all", "--json"))["deployments"]
    return {d["name"]: d for d in found if d["name"].startswith(BASE)}


def fill(stores):
    for (name, store), layout, key in zip(stores.items(),
                                          ["record-type", "blob", "normalized", "wide"],
                                          ["numeric", "hashed", "raw", "salted"]):
        run("init", "--store", store, "--layout", layout, "--key", key)
        run("put", "--store", store, "-", input=json.dumps(
            {"order": {"customer_number": "C", "order_number": name}}))


def main(kind):
    checks = Checks()
    check = checks.check
    if kind == "hbase" and "TALLORDER_HBASE" not in os.environ:
        checks.skip("no HBase")
        return checks.finish()
    with tempfile.TemporaryDirectory() as folder:
        place = f"rocksdb:{folder}" if kind == "rocksdb" else f"hbase://{os.environ['TALLORDER_HBASE']}"
        stores = {name: f"{place}?name={name}" for name in NAMES}
        if kind == "hbase":
            check(not listed(place), "nothing of ours is listed at first")
        fill(stores)

        found = listed(place)
        check(sorted(found) == sorted(NAMES), "all are listed", found)
        check((found[BASE]["layout"], found[BASE]["key_strategy"], found[BASE]["index"])
              == ("record-type", "numeric", "date"), "each with what it was made with", found)
        people = run("status", "--store", place, "--all")
        check(all(f"{name} " in people for name in NAMES), "for people, too", people)

        drop = ["drop", "--store", place, "--name", BASE]
        code, said = fails(*drop)
        check(code == 2 and f"--yes {BASE}" in said, "nobody can be asked without a terminal", said)
        code, said = fails(*drop, "--yes", f"{BASE}.old")
        check(code == 2 and "nothing is removed" in said, "another name is refused", said)
        code, said = fails("drop", "--store", stores[NAMES[2]], "--name", BASE, "--yes", BASE)
        check(code == 2 and NAMES[2] in said, "a store of another name is refused", said)
        code, said = fails("drop", "--store", place, "--yes", BASE)
        check(code == 2 and "--name" in said, "a name must be given", said)
        code, said = typed("yes", *drop)
        check(code == 1 and "nothing is removed" in said, "what is typed must be the name", said)
        check(sorted(listed(place)) == sorted(NAMES), "nothing was removed")

        code, said = typed(BASE, *drop)
        check(code == 0 and "Type its name again" in said, "the name is typed: removed", said)
        check(sorted(listed(place)) == sorted(NAMES[1:]), "it is not listed any more")
        for name in NAMES[1:]:
            lines = run("export", "--store", stores[name])
            check(f'"order_number":"{name}"' in lines, f"{name[len(BASE):]} has its order", lines)
        code, said = fails(*drop, "--yes", BASE)
        check(code == 1 and "status --all" in said, "it cannot be removed twice", said)
        run("init", "--store", stores[BASE], "--layout", "blob")
        check(run("export", "--store", stores[BASE]) == "", "its name is free, and nothing is left")

        for name in NAMES:
            run("drop", "--store", place, "--name", name, "--yes", name)
        check(not listed(place), "all are removed")
        check(kind == "hbase" or "no deployment" in run("status", "--store", place, "--all"),
              "a place without any says so")
    return checks.finish()


sys.exit(main(sys.argv[1]))
