#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""What the self-test leaves in a real HBase: nothing, and for reading nothing is written at all.

Tables are read raw, that is with what was deleted and not compacted yet, by an attribute of scans
that the program itself does not use. Run by tools/hbase/hbase run.
"""

import json
import os
import pathlib
import sys
import tempfile
import time
import uuid

SOURCE = pathlib.Path(os.environ["TALL_SOURCE_ROOT"])
sys.path[:0] = [str(SOURCE / "tests" / "e2e")]

from support import Checks, connected, generate, run

ALL_VERSIONS = 2**31 - 1
# By its cells' timestamps a row of a self-test is nobody's any more after a minute.
HOUR_MS = 3600 * 1000
ORDER = {"customer_number": "C1", "order_number": "1", "currency": "EUR"}


def generate_with_attributes(folder):
    """Our part of the gateway's interface, and attributes of scans."""
    text = (SOURCE / "idl" / "hbase.thrift").read_text(encoding="utf-8")
    field = "  8: optional i32 batchSize,\n"
    assert text.count(field) == 1
    text = text.replace(field, field + "  9: optional map<binary, binary> attributes,\n")
    idl = pathlib.Path(folder) / "hbase.thrift"
    idl.write_text(text, encoding="utf-8")
    generate(idl, folder)


class Deployment:
    def __init__(self, gateway, client, types):
        self.name = f"selftest-{os.getpid()}"
        self.store = f"hbase://{gateway}?name={self.name}"
        self.client = client
        self.types = types

    def scan(self, table, raw):
        scan = self.types.TScan(maxVersions=ALL_VERSIONS,
                                attributes={b"_raw_": b"\xff"} if raw else None)
        return self.client.getScannerResults(f"{self.name}.{table}".encode(), scan, 1000)

    def everything(self):
        """All that HBase has of the deployment, also what is deleted."""
        names = self.client.getTableNamesByPattern(f"{self.name}[.].*", False)
        tables = sorted(name.qualifier.decode().split(".")[1] for name in names)
        assert "meta" in tables and "orders" in tables, tables
        return {table: repr(self.scan(table, True)) for table in tables}

    def rows_of_meta(self):
        return sorted(row.row for row in self.scan("meta", False))

    def leave(self, age_ms):
        """A row as a process leaves it that is killed in the middle of its self-test."""
        row = f"selftest/{uuid.uuid4()}/{uuid.uuid4()}".encode()
        now = int(time.time() * 1000) - age_ms
        cells = [self.types.TColumnValue(family=b"d", qualifier=qualifier, value=b"1",
                                         timestamp=now + offset)
                 for qualifier, offset in ((b"s", 0), (b"older", 5), (b"exact", 20))]
        self.client.putMultiple(f"{self.name}.meta".encode(),
                                [self.types.TPut(row=row, columnValues=cells)])
        return row

    def put(self):
        run("put", "--store", self.store, "-", input=json.dumps(ORDER))


def check_reads(checks, deployment):
    before = deployment.everything()
    run("get", "--store", deployment.store, "C1", "1")
    run("get", "--store", deployment.store, "C1", "none", code=1)
    run("list", "--store", deployment.store, "C1")
    run("status", "--store", deployment.store)
    after = deployment.everything()
    for table, content in before.items():
        checks.check(content == after[table], f"reading writes nothing to table {table}",
                     f"before: {content}\nafter: {after[table]}")


def check_removed(checks, deployment):
    rows = deployment.rows_of_meta()
    checks.check(rows == [b"deployment"], "after a put, meta has one row", rows)
    tried = [row for row in deployment.scan("meta", True)
             if row.row.startswith(b"selftest/")]
    checks.check(len(tried) >= 1, "something was tried out, and can be seen raw", tried)
    for row in tried:
        upto = max((cell.timestamp for cell in row.columnValues if not cell.qualifier), default=0)
        kept = [cell for cell in row.columnValues if cell.timestamp > upto]
        checks.check(not kept, "all of it is covered by a delete", kept)


def check_left(checks, deployment):
    old = [deployment.leave(HOUR_MS) for _ in range(3)]
    new = deployment.leave(0)
    everything = sorted([b"deployment", new, *old])
    run("get", "--store", deployment.store, "C1", "1")
    rows = deployment.rows_of_meta()
    checks.check(rows == everything, "who reads removes nothing", rows)
    deployment.put()
    rows = deployment.rows_of_meta()
    checks.check(rows == [b"deployment", new],
                 "who writes removes what killed ones left, and what may be in use stays", rows)


def main():
    if "TALLORDER_HBASE_BINARY" not in os.environ:
        print("1..0 # SKIP no HBase is named: run by tools/hbase/hbase run")
        return 0
    gateway = os.environ["TALLORDER_HBASE_BINARY"].split(",")[0]
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        generate_with_attributes(folder)
        from hbase import Gateway, ttypes

        with connected(gateway, Gateway, framed=False, seconds=120) as client:
            deployment = Deployment(gateway, client, ttypes)
            run("init", "--store", deployment.store)
            deployment.put()
            check_removed(checks, deployment)
            check_reads(checks, deployment)
            check_left(checks, deployment)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
