#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""A killed region server loses no acknowledged put: HBase alone, without a line of ours between.

What is lost in the other tests is then lost by us.
"""

import sys
import tempfile
import threading
import time

from cluster import Parts, cluster_data, wait_until
from faults import SOURCE, Checks

TABLE = f"raw-{time.time_ns()}"
SPLITS = [bytes([65 + i]) for i in range(1, 8)]  # B to H
WRITERS = 6
BEFORE, AFTER = 2000, 2000  # acknowledged puts


class Writer(threading.Thread):
    """Puts rows A… to H… in turn; begins anew with the same row when the gateway complains."""

    def __init__(self, index, gateway):
        super().__init__(daemon=True)
        self.index, self.gateway = index, gateway
        self.acknowledged, self.errors = [], []
        self.longest = 0.0
        self.stop = threading.Event()
        self.failure = None

    def run(self):
        try:
            self.write()
        except BaseException as error:  # shown by the test
            self.failure = error

    def write(self):
        from gateway_client import Client
        from hbase.ttypes import TIOError

        client = Client(self.gateway)
        try:
            while not self.stop.is_set():
                number = len(self.acknowledged)
                row = f"{'ABCDEFGH'[number % 8]}-{self.index}-{number}"
                began = time.monotonic()
                try:
                    client.put(TABLE, row, row)
                except TIOError as error:
                    self.errors.append(error)
                    continue
                self.longest = max(self.longest, time.monotonic() - began)
                self.acknowledged.append(row)
        finally:
            client.close()


def count(writers):
    for writer in writers:
        if writer.failure is not None:
            raise writer.failure
    return sum(len(writer.acknowledged) for writer in writers)


def run(checks, parts):
    from gateway_client import Client

    client = Client(parts.gateways[0])
    client.create_table(TABLE, SPLITS)
    victim = parts.region_servers_of(client.region_ports(TABLE))[0]
    writers = [Writer(i, parts.gateways[i % len(parts.gateways)]) for i in range(WRITERS)]
    try:
        for writer in writers:
            writer.start()
        wait_until(lambda: count(writers) >= BEFORE, 120, f"{BEFORE} puts")
        port = parts.region_port(victim)
        on_victim = client.region_ports(TABLE).count(port)
        parts.kill(victim)
        before = count(writers)
        # Every writer comes to each region in turn, so all have waited for those that were lost.
        wait_until(lambda: count(writers) >= before + AFTER
                   and port not in client.region_ports(TABLE), 120, "puts after the kill")
    finally:
        for writer in writers:
            writer.stop.set()
        for writer in writers:
            writer.join(120)
    acknowledged = [row for writer in writers for row in writer.acknowledged]
    there = client.rows(TABLE, limit=10_000_000)
    missing = [row for row in acknowledged if there.get(row) != row]
    longest = max(writer.longest for writer in writers)
    checks.check(on_victim > 0, f"{victim} had {on_victim} of {len(SPLITS) + 1} regions")
    checks.check(not missing, f"all of {len(acknowledged)} acknowledged puts are there, "
                 f"{len(acknowledged) - before} from after the kill", missing[:20])
    print(f"# the longest put took {longest:.1f} s", flush=True)
    client.close()


def main():
    checks = Checks()
    if cluster_data() is None:
        checks.skip("TALLORDER_HBASE_CLUSTER names no cluster")
        return checks.finish()
    parts = Parts()
    with tempfile.TemporaryDirectory() as folder:
        from gateway_client import generate_bindings
        generate_bindings(SOURCE / "idl" / "hbase.thrift", folder)
        try:
            run(checks, parts)
        finally:
            parts.mend()
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
