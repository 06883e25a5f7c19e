#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Moves a deployment through all layouts inside of a running server, while 32 clients go on.

    moving.py rocksdb

Calls may be told to come again later, with nothing done, if the machine is slow. No other call of
theirs may fail, and nothing that was acknowledged may be lost or changed.
"""

import sys
import tempfile
import threading
import uuid

from support import Checks, connected, generated, names_of, run, serving

WRITERS, BATCH_WRITERS, READERS, LISTERS = 16, 4, 8, 4
ORDERS_OF_A_BATCH = 10


class Client(threading.Thread):
    """Works on one connection until it is told to stop, or a call fails."""

    def __init__(self, index, address, modules, stop):
        super().__init__()
        self.index, self.address, self.modules, self.stop = index, address, modules, stop
        self.error, self.n_calls, self.n_busy, self.written = None, 0, 0, {}

    def run(self):
        with connected(self.address, self.modules[1]) as client:
            try:
                while not self.stop.is_set():
                    self.n_busy += not self.works(client)
                    self.n_calls += 1
            except Exception as error:
                self.error = repr(error)

    def is_later(self, failure):
        codes = self.modules[0].ErrorCode
        return failure.code in (codes.OVERLOADED, codes.TIMED_OUT)

    def works(self, client):
        """Whether the call was done; if not, nothing was."""
        try:
            self.work(client)
            return True
        except self.modules[0].TallError as error:
            if not self.is_later(error):
                raise
            return False

    def make_order(self, number, write):
        thrift = self.modules[0]
        lines = [thrift.LineItem(number=n, item_number=f"write-{write}")
                 for n in range(1, 2 + write % 4)]
        return thrift.Order(
            customer_number=f"{type(self).__name__}-{self.index}", order_number=str(number),
            sales_date=1_600_000_000_000 + number,
            shipping_locations=[thrift.ShippingLocation(number=1, line_items=lines)],
            attributes={"write": str(write)})


class Writer(Client):
    """Each write requires the revision of the one before, which nobody else changes."""

    def work(self, client):
        thrift = self.modules[0]
        write, revision = self.written.get(0, (0, None))
        condition = (thrift.WriteCondition.ABSENT if revision is None
                     else thrift.WriteCondition.REVISION)
        options = thrift.WriteOptions(condition=condition, revision=revision,
                                      token=uuid.uuid4().bytes)
        result = client.putOrder(self.make_order(0, write + 1), options)
        if revision is not None and result.revision <= revision:
            raise AssertionError(f"revision {result.revision} after {revision}")
        self.written[0] = (write + 1, result.revision)


class BatchWriter(Client):
    def work(self, client):
        thrift = self.modules[0]
        write = self.n_calls + 1
        puts = [thrift.OrderPut(order=self.make_order(number, write),
                                options=thrift.WriteOptions(token=uuid.uuid4().bytes))
                for number in range(ORDERS_OF_A_BATCH)]
        outcomes = client.putOrders(thrift.PutOrdersRequest(puts=puts)).outcomes
        for number, outcome in enumerate(outcomes):
            if outcome.failure is not None:
                if not self.is_later(outcome.failure):
                    raise outcome.failure
                continue
            self.written[number] = (write, outcome.result.revision)


class Reader(Client):
    """Sees whole orders, and never an earlier one again."""

    def work(self, client):
        thrift = self.modules[0]
        try:
            got = client.getOrder(f"Writer-{self.index % WRITERS}", "0")
        except thrift.TallError as error:
            if error.code != thrift.ErrorCode.NOT_FOUND or self.written:
                raise
            return
        write = int(got.order.attributes["write"])
        lines = got.order.shipping_locations[0].line_items
        if {line.item_number for line in lines} != {f"write-{write}"}:
            raise AssertionError(f"a mixture: {got}")
        if (write, got.revision) < self.written.get(0, (0, 0)):
            raise AssertionError(f"{got} after {self.written[0]}")
        self.written[0] = (write, got.revision)


class Lister(Client):
    """A page token from before a switch is refused, and nothing else is."""

    def work(self, client):
        thrift = self.modules[0]
        request = thrift.ListOrdersRequest(customer_number=f"BatchWriter-{self.index}", limit=3)
        while not self.stop.is_set():
            try:
                page = client.listOrders(request)
            except thrift.TallError as error:
                if error.code != thrift.ErrorCode.INVALID or request.page is None:
                    raise
                request.page = None
                continue
            if page.unreadable:
                raise AssertionError(f"unreadable: {page}")
            request.page = page.next_page
            if request.page is None:
                return


def begin(address, modules, stop):
    clients = [kind(index, address, modules, stop)
               for kind, n in ((Writer, WRITERS), (BatchWriter, BATCH_WRITERS), (Reader, READERS),
                               (Lister, LISTERS)) for index in range(n)]
    for client in clients:
        client.start()
    return clients


def end(clients, stop):
    stop.set()
    for client in clients:
        client.join(timeout=60)
    return [f"{type(c).__name__} {c.index}: {c.error or 'it hangs'}" for c in clients
            if c.error or c.is_alive()]


def lost(address, modules, clients):
    """Orders that are not as they were written last."""
    found = []
    with connected(address, modules[1]) as reader:
        for client in clients:
            if not isinstance(client, (Writer, BatchWriter)):
                continue
            for number, (write, revision) in client.written.items():
                got = reader.getOrder(f"{type(client).__name__}-{client.index}", str(number))
                if (got.order.attributes["write"], got.revision) != (str(write), revision):
                    found.append(f"{got} and not {write} at {revision}")
    return found


def go_round(checks, address, modules):
    layouts = names_of("layouts")
    stop = threading.Event()
    clients = begin(address, modules, stop)
    try:
        for layout in (*layouts[1:], layouts[0]):
            before = sum(client.n_calls for client in clients)
            run("migrate", "--server", address, "--to-layout", layout, code=0)
            checks.check(sum(client.n_calls for client in clients) > before, f"to {layout}")
        run("migrate", "--server", address, "--drop-source", code=0)
    finally:
        failed = end(clients, stop)
    checks.check(not failed, "no call has failed", "\n".join(failed))
    checks.check(all(client.n_calls > client.n_busy for client in clients), "everybody has worked",
                 [(client.n_calls, client.n_busy) for client in clients])
    found = lost(address, modules, clients)
    checks.check(not found, "nothing is lost", "\n".join(found))


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder, generated("tallorder"):
        from tallorder import OrderService, ttypes
        store = f"rocksdb:{folder}/store?sync=0"
        run("init", "--store", store, "--layout", names_of("layouts")[0])
        with serving(store) as server:
            go_round(checks, server.address, (ttypes, OrderService))
        said = run("verify", "--store", store)
        checks.check("sound" in said, "verify finds nothing", said)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
