#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Moves a deployment on HBase through all layouts and key strategies, while servers go on.

    ring.py hbase

A server is opened before the first migration, one during it and one after it. Some migrations are
commands of their own; the first server does the others, with all its callers. Writers, readers and
listings call the servers all the while. Each writer has orders of its own, so it knows what has to be
there: what was acknowledged last, or what was tried since. Nobody changes the orders of the customer
`still`: after each migration they are as they were.
"""

import collections
import os
import subprocess
import sys
import threading
import uuid

from support import PROGRAM, Checks, Server, connected, generated, pages, run

RING = (("blob", "salted"), ("wide", "raw"), ("normalized", "numeric"), ("denormalized", "reversed"),
        ("record-type", "hashed"))
BY_SERVER = RING[3:]  # from normalized to denormalized, and on to where the ring began
WRITERS = 2
ORDERS = 5  # of each writer
STILL = 9
PAGE = 4
CALL_SECONDS = 60
MOST_FAILED = 10  # one call of so many; on a quiet machine none fails


def make_order(thrift, customer, number, write):
    lines = [thrift.LineItem(number=n, item_number=f"write-{write}") for n in range(1, 2 + write % 4)]
    return thrift.Order(
        customer_number=customer, order_number=str(number), sales_date=1_600_000_000_000 + number,
        shipping_locations=[thrift.ShippingLocation(number=1, line_items=lines)],
        attributes={"write": str(write)},
    )


class Caller(threading.Thread):
    """Calls servers by turns until it is stopped; keeps what was wrong."""

    def __init__(self, modules, addresses, index):
        super().__init__()
        self.modules, self.addresses, self.index = modules, addresses, index
        self.customer = f"writer-{index}"
        self.acknowledged = [0] * ORDERS
        self.tried = [0] * ORDERS
        self.wrong, self.calls, self.failed = [], 0, collections.Counter()
        self.over = threading.Event()

    def run(self):
        while not self.over.is_set():
            try:
                address = self.addresses[self.calls % len(self.addresses)]
                with connected(address, self.modules[1], seconds=CALL_SECONDS) as client:
                    self.round(client)
            except Exception as error:  # anything is wrong: nothing fails but for the migration
                self.wrong.append(f"{self.customer}: {error}")
                return

    def round(self, client):
        """Writes, reads and lists each of its orders."""
        thrift = self.modules[0]
        for number in range(ORDERS):
            self.calls += 1
            self.tried[number] += 1
            try:
                client.putOrder(make_order(thrift, self.customer, number, self.tried[number]), None)
                self.acknowledged[number] = self.tried[number]
            except thrift.TallError as error:
                self.expect_undone(error)
            self.check(client, number)
        self.list(client)

    def expect_undone(self, error):
        """A busy machine may take longer than an operation, or a call of a gateway, has."""
        codes = self.modules[0].ErrorCode
        self.failed[f"{codes._VALUES_TO_NAMES[error.code]}: {error.message}"] += 1
        if error.code not in (codes.TIMED_OUT, codes.UNAVAILABLE, codes.OUTCOME_UNKNOWN):
            self.wrong.append(f"{self.customer}: {error.code}: {error.message}")

    def check(self, client, number):
        thrift = self.modules[0]
        try:
            order = client.getOrder(self.customer, str(number)).order
        except thrift.TallError as error:
            if self.acknowledged[number] or error.code != thrift.ErrorCode.NOT_FOUND:
                self.expect_undone(error)
            return
        write = int(order.attributes["write"])
        if (not self.acknowledged[number] <= write <= self.tried[number]
                or order != make_order(thrift, self.customer, number, write)):
            self.wrong.append(f"{self.customer}/{number}: {order}, acknowledged was write "
                              f"{self.acknowledged[number]}")

    def list(self, client):
        thrift = self.modules[0]
        try:
            found = client.listOrders(thrift.ListOrdersRequest(self.customer)).entries
        except thrift.TallError as error:
            self.expect_undone(error)
            return
        missing = {str(n) for n in range(ORDERS) if self.acknowledged[n]}
        missing -= {entry.order_number for entry in found}
        if missing:
            self.wrong.append(f"{self.customer}: a list lacks {missing}")

    def end(self):
        self.over.set()
        self.join()


class Still:
    """Orders that nobody changes, and what a client sees of them."""

    def __init__(self, modules):
        self.thrift, self.service = modules
        self.tokens = [uuid.uuid4().bytes for _ in range(STILL)]

    def put(self, client, number):
        order = make_order(self.thrift, "still", number, number)
        options = self.thrift.WriteOptions(token=self.tokens[number])
        return client.putOrder(order, options).revision

    def see(self, address):
        """Orders, revisions, what putting them again answers, and the pages of their list."""
        thrift = self.thrift
        with connected(address, self.service, seconds=CALL_SECONDS) as client:
            found = [client.getOrder("still", str(n)) for n in range(STILL)]
            again = [self.put(client, n) for n in range(STILL)]
            request = thrift.ListOrdersRequest("still", limit=PAGE)
            listed = [list(page.entries) for page in pages(client.listOrders, request)]
        return found, again, listed


def migrate(place, layout, key):
    return subprocess.Popen([str(PROGRAM), "migrate", *place, "--to-layout", layout, "--to-key", key],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


class Ring:
    def __init__(self, checks, store, modules):
        self.checks, self.store, self.modules = checks, store, modules
        self.servers, self.addresses = [], []
        self.still = Still(modules)
        self.open_server()
        with connected(self.addresses[0], modules[1]) as client:
            for number in range(STILL):
                self.still.put(client, number)
        self.before = self.still.see(self.addresses[0])
        self.callers = [Caller(modules, self.addresses, i) for i in range(WRITERS)]

    def open_server(self):
        self.servers.append(Server(self.store))
        self.addresses.append(self.servers[-1].address)

    def move(self, layout, key):
        by_server = (layout, key) in BY_SERVER
        place = ("--server", self.addresses[0]) if by_server else ("--store", self.store)
        migrator = migrate(place, layout, key)
        if len(self.servers) == 1:
            self.open_server()  # while it copies, or while the tables are shut
        said, _none = migrator.communicate(timeout=300)
        if len(self.servers) == 2:
            self.open_server()
        good = migrator.returncode == 0 and all(self.still.see(a) == self.before for a in self.addresses)
        self.checks.check(good, f"to {layout}, {key}, by {place[0]}: nothing has changed that nobody changes",
                          said)
        run("migrate", *place, "--drop-source")

    def go_round(self):
        for caller in self.callers:
            caller.start()
        try:
            for layout, key in RING:
                self.move(layout, key)
        finally:
            for caller in self.callers:
                caller.end()
        wrong = [line for caller in self.callers for line in caller.wrong]
        calls = sum(caller.calls for caller in self.callers)
        late = sum((caller.failed for caller in self.callers), collections.Counter())
        for message, number in late.most_common():
            print(f"# {number} calls: {message}", flush=True)
        failed = sum(late.values())
        self.checks.check(not wrong and calls > max(WRITERS * ORDERS, MOST_FAILED * failed),
                          f"{calls} writes meanwhile, each with a get; {failed} calls were too late",
                          "\n".join(wrong[:20]))
        for server in self.servers:
            server.stop()
        found = run("verify", "--store", self.store, "--json", code=None)
        findings = [line for line in found.splitlines() if '"finding"' in line]
        self.checks.check(not findings, "verify finds nothing", "\n".join(findings))

    def kill(self):
        for server in self.servers:
            if server.process.poll() is None:
                server.kill()


def main():
    checks = Checks()
    if "TALLORDER_HBASE_BINARY" not in os.environ:
        checks.skip("TALLORDER_HBASE_BINARY names no HBase")
        return checks.finish()
    store = f"hbase://{os.environ['TALLORDER_HBASE_BINARY']}?name=ring-{os.getpid()}"
    with generated("tallorder"):
        from tallorder import OrderService, ttypes
        run("init", "--store", store, "--layout", RING[-1][0], "--key", RING[-1][1])
        ring = Ring(checks, store, (ttypes, OrderService))
        try:
            ring.go_round()
        finally:
            ring.kill()
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
