# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""What HBase's administrators may do meanwhile, and gateways of another kind, on a real HBase.

Each has to give its own clear error in time, and nothing else. Run by tools/hbase/hbase run.
"""

import contextlib
import json
import os
import pathlib
import socket
import subprocess
import sys
import time

SOURCE = pathlib.Path(os.environ["TALL_SOURCE_ROOT"])
sys.path[:0] = [str(SOURCE / "tests" / "e2e"), str(SOURCE / "tools" / "hbase")]

from standalone import java, settings
from support import PROGRAM, Server, connected, generated, run, serving

NOT_FOUND, FAILED = 1, 3
ORDER = {"customer_number": "C1", "order_number": "1", "currency": "EUR"}
# An operation has 10 s; a program needs some more to start and to open its tables.
IN_TIME_SECONDS = 25
THRIFT1 = "org.apache.hadoop.hbase.thrift.ThriftServer"


class Checks:
    def __init__(self):
        self.count = self.failed = 0

    def check(self, passed, what, shown=""):
        self.count += 1
        self.failed += not passed
        print(f"{'ok' if passed else 'not ok'} {self.count} {what}", flush=True)
        if not passed:
            print(f"# {shown}", flush=True)

    def refused(self, what, arguments, *texts, data=None):
        """The program fails in time and says each of the texts."""
        start = time.monotonic()
        result = subprocess.run([str(PROGRAM), *arguments], input=data, capture_output=True,
                                text=True, timeout=120, check=False)
        took = time.monotonic() - start
        # A table that is gone is "not found" to the program, too; the text tells.
        passed = (result.returncode in (NOT_FOUND, FAILED) and took < IN_TIME_SECONDS
                  and all(text in result.stderr for text in texts))
        self.check(passed, what, f"{result.returncode} after {took:.1f} s: {result.stderr}")

    def finish(self):
        print(f"1..{self.count}")
        return 1 if self.failed else 0


def get(where, place):
    return ["get", where, place, "C1", "1"]


def put(where, place):
    return ["put", where, place, "-"]


def check_tables(checks, address):
    """Table `orders` is disabled, enabled and dropped under a server that runs."""
    name = f"trouble-{os.getpid()}"
    store = f"hbase://{address}?name={name}"
    order = json.dumps(ORDER)
    run("init", "--store", store)
    run("put", "--store", store, "-", input=order)
    with generated("hbase"):
        from hbase import Gateway
        from hbase.ttypes import TScan, TTableName

        table = TTableName(qualifier=f"{name}.orders".encode())
        with connected(address, Gateway, framed=False, seconds=120) as admin, \
                serving(store) as server:
            left = admin.getScannerResults(f"{name}.meta".encode(),
                                           TScan(startRow=b"selftest/", stopRow=b"selftest0"), 10)
            checks.check(left == [], "the self-test leaves nothing in table meta", left)

            admin.disableTable(table)
            for where, place in (("--store", store), ("--server", server.address)):
                texts = ["is disabled"] if where == "--store" else []
                checks.refused(f"get of a disabled table by {where}", get(where, place), *texts)
                checks.refused(f"put in a disabled table by {where}", put(where, place), *texts,
                               data=order)
            admin.enableTable(table)
            found = json.loads(run("get", "--server", server.address, "C1", "1", "--json"))
            checks.check(found["currency"] == "EUR", "once it is enabled all is well", found)

            admin.disableTable(table)
            admin.deleteTable(table)
            for where, place in (("--store", store), ("--server", server.address)):
                texts = ['no table "orders"', name]
                checks.refused(f"get of a dropped table by {where}", get(where, place), *texts)
                checks.refused(f"put in a dropped table by {where}", put(where, place), *texts,
                               data=order)


def check_dead_gateway(checks, address):
    """One of two gateways is not there when a server starts: its log says so, and it serves."""
    dead = f"127.0.0.1:{free_port()}"
    name = f"half-{os.getpid()}"
    run("init", "--store", f"hbase://{address}?name={name}")
    server = Server(f"hbase://{dead},{address}?name={name}", stderr=subprocess.PIPE)
    try:
        run("put", "--server", server.address, "-", input=json.dumps(ORDER))
        server.process.terminate()
        log = server.process.communicate(timeout=60)[1]
    finally:
        server.process.kill()
    checks.check(dead in log and "cannot be used" in log, "a server tells of a dead gateway", log)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def older_gateway(data):
    """`hbase thrift` instead of `hbase thrift2`, of the same HBase."""
    port = free_port()
    command = settings._java_command(java.find_java(), data, "thrift1", 256, THRIFT1)
    command += ["-b", "127.0.0.1", "-p", str(port), "--infoport", "-1", "start"]
    log = os.path.join(data, "logs", "thrift1.log")
    with open(log, "w", encoding="utf-8") as output, \
            subprocess.Popen(command, stdout=output, stderr=output) as process:
        try:
            for _ in range(600):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                if process.poll() is not None:
                    raise AssertionError(f"no older gateway: see {log}")
                time.sleep(0.1)
            yield f"127.0.0.1:{port}"
        finally:
            process.kill()


def check_kinds(checks, address, framed):
    """Addresses at which something else listens."""
    store = f"hbase://{address}?name=none-{os.getpid()}"
    with older_gateway(os.environ["TALLORDER_HBASE_DATA"]) as older:
        checks.refused("the older interface", ["status", "--store", f"hbase://{older}"],
                       "has HBase's older interface", "hbase thrift2", older)
        checks.refused("the older interface first, and no such deployment",
                       ["status", "--store", f"hbase://{older},{address}?name=none-{os.getpid()}"],
                       "tallorder init")
    checks.refused("no such deployment", ["status", "--store", store], "tallorder init")
    checks.refused("framed", ["status", "--store", f"hbase://{framed}"],
                   "is framed with the compact protocol", "?framed=1&protocol=compact")


def main():
    names = ("TALLORDER_HBASE_BINARY", "TALLORDER_HBASE_COMPACT_FRAMED", "TALLORDER_HBASE_DATA")
    if any(name not in os.environ for name in names):
        print("1..0 # SKIP no HBase is named: run by tools/hbase/hbase run")
        return 0
    binary, framed = (os.environ[name].split(",")[0] for name in names[:2])
    checks = Checks()
    check_tables(checks, binary)
    check_dead_gateway(checks, binary)
    check_kinds(checks, binary, framed)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
