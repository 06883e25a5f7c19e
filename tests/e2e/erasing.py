#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Erases a customer from HBase: after a major compaction no file of its tables has a text of hers.

    erasing.py hbase     on the HBase that $TALLORDER_HBASE_BINARY names

What the embedded store does is in tests/cli/erasing.py.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from support import NORTHWIND, PROGRAM, Checks, run

DEPLOYMENTS = {"erase-blob": ("blob", "hashed"), "erase-rows": ("record-type", "numeric"),
               "erase-tables": ("normalized", "hashed")}
TEXTS = [b"VINET", b"Vins et alcools", b"59 rue de l", b"26.47.15.10", b"Paul Henriot"]
SECONDS = 600


def fill(store, layout, key):
    run("init", "--store", store, "--layout", layout, "--key", key)
    run("load", "--store", store, "--map", "northwind", "--quiet", NORTHWIND / "orders.csv")
    run("load", "--store", store, "--map", "northwind-customers", "--quiet", NORTHWIND / "customers.csv")
    run("delete", "--store", store, "VINET", "10248")


def tables_of(name, data):
    return sorted(path.name for path in pathlib.Path(data).glob(f"**/data/default/{name}.*"))


def files_with(table, data):
    """Files of the table with one of the texts, beside those that HBase has put into its archive."""
    return [str(file) for folder in pathlib.Path(data).glob(f"**/data/default/{table}")
            if "archive" not in folder.parts
            for file in folder.rglob("*") if file.is_file() and any(text in file.read_bytes() for text in TEXTS)]


def check(checks, name, data, tool):
    tables = tables_of(name, data)
    stored = [tool, "stored", "--data", data]
    subprocess.run([*stored, "compact", *tables], check=True, stdout=subprocess.DEVNULL, timeout=SECONDS)
    left = [file for table in tables for file in files_with(table, data)]
    checks.check(len(tables) > 2 and left == [], f"{name}: no file has a text after a compaction", left)


def main():
    checks = Checks()
    gateway, data = os.environ.get("TALLORDER_HBASE_BINARY"), os.environ.get("TALLORDER_HBASE_DATA")
    tool = os.environ.get("TALLORDER_HBASE_TOOL")
    if not gateway or not data or not tool:
        checks.skip("no HBase of `tools/hbase/hbase run`")
        return checks.finish()
    stores = {name: f"hbase://{gateway}?name={name}" for name in DEPLOYMENTS}
    for name, (layout, key) in DEPLOYMENTS.items():
        fill(stores[name], layout, key)
        tables = tables_of(name, data)
        subprocess.run([tool, "stored", "--data", data, "flush", *tables], check=True,
                       stdout=subprocess.DEVNULL, timeout=SECONDS)
        checks.check(any(files_with(table, data) for table in tables), f"{name}: files have the texts", tables)
    with tempfile.TemporaryFile("w+") as out:
        erases = [subprocess.Popen([PROGRAM, "customer", "erase", "--store", store, "VINET", "--yes", "VINET",
                                    "--compact", "--json"], stdout=out) for store in stores.values()]
        codes = [erase.wait(timeout=SECONDS) for erase in erases]
        out.seek(0)
        said = [json.loads(line) for line in out]
    checks.check(codes == [0] * len(codes), "all are erased", codes)
    checks.check(all((one["orders"], one["customers"], one["marks"]) == (4, 1, 6) for one in said),
                 "what was erased", said)
    checks.check(all(any("major compaction" in text for text in one["left"]) for one in said),
                 "what HBase keeps is said", said)
    for name, store in stores.items():
        run("get", "--store", store, "VINET", "10274", code=1)
        checks.check("Hanari" in run("get", "--store", store, "HANAR", "10250"), f"{name}: others stay")
        verified = json.loads(run("verify", "--store", store, "--json").splitlines()[-1])["summary"]
        checks.check((verified["orders"], verified["findings"]) == (830, 0), f"{name}: sound", verified)
        check(checks, name, data, tool)
        run("drop", "--store", store, "--yes", name)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
