#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Finds after many clients have written the same few orders, and a server was killed among them: each index
finds what is computed from an export, in its order, and nothing else.

    finding.py rocksdb     the embedded store dies with the server
    finding.py hbase       one of two servers dies in the middle of its calls
"""

import contextlib
import json
import os
import random
import sys
import tempfile
import threading

from entries import Index, exported, searches
from support import Checks, Server, TAKES_ALL, connected, generated, pages, run, serving

INDEXES = [
    "item=md5(line.item_number) rtime(sales_date)?",
    "bought=customer_number line.item_number",
    "city=location.address.city? line.item_number?",
    "month=month(sales_date) attribute.status day(sales_date)",
    "log=last(1,attribute.shipment) attribute.shipment day(sales_date)",
    "shipped=time(location.ship_date) currency?",
    "day=first(3,attribute.status)? year(sales_date) rtime(sales_date)",
]
ALL = [Index(index) for index in ("number=order_number", *INDEXES)]
DEPLOYMENTS = (("blob", "hashed"), ("record-type", "raw"), ("normalized", "numeric"), ("denormalized", "salted"),
               ("wide", "reversed"))
CUSTOMERS, ORDERS, WRITERS = 4, 8, 4  # all writers write all orders
ROUNDS = {"rocksdb": 5 if TAKES_ALL else 2, "hbase": 5 if TAKES_ALL else 1}
WRITES = {"rocksdb": 300, "hbase": 150}  # before the kill
LOST = {"missing-hint", "altered-hint"}  # nothing but damage explains them


class Writer(threading.Thread):
    """Puts, replaces, patches and deletes, until its server is gone or it is told to stop."""

    def __init__(self, seed, address, modules, enough, stop):
        super().__init__()
        self.chance, self.address, self.modules = random.Random(seed), address, modules
        self.enough, self.stop = enough, stop
        self.error = None

    def run(self):
        thrift, service = self.modules
        try:
            with connected(self.address, service) as client:
                while not self.stop.is_set():
                    self.write(client, thrift)
                    self.enough.release()
        except Exception as error:
            self.error = error

    def write(self, client, thrift):
        """An order that others write as well may be gone, or change too often."""
        customer, number = (str(self.chance.randrange(n)) for n in (CUSTOMERS, ORDERS))
        try:
            choice = self.chance.randrange(6)
            if choice == 0:
                client.deleteOrder(customer, number, None)
            elif choice == 1:
                change = self.chance.choice(("attribute.status=paid", "-sales_date", "currency=EUR"))
                client.patchOrder(thrift.PatchOrderRequest(customer, number, [change]))
            else:
                client.putOrder(self.make_order(thrift, customer, number), None)
        except thrift.TallError as error:
            if error.code not in (thrift.ErrorCode.NOT_FOUND, thrift.ErrorCode.CONFLICT):
                raise

    def date(self):
        """Of a few months, some before 1970; or none."""
        return self.chance.choice((None, -1, 0, 86_400_000 * 31, 1_795_824_000_000, 1_795_824_000_001))

    def make_order(self, thrift, customer, number):
        pick = self.chance.choice
        locations = [
            thrift.ShippingLocation(
                number=place, ship_date=self.date(),
                address=pick((None, thrift.Address(), thrift.Address(city=pick(("Bern", "Köln", ""))))),
                line_items=[thrift.LineItem(number=10 * place + n, item_number=pick((None, "", "A", "AB", "Ä")))
                            for n in range(self.chance.randrange(4))])
            for place in range(1, self.chance.randrange(1, 4))]
        attributes = {"status": pick(("open", "paid", "on hold")), "shipment": f"S-{self.chance.randrange(12)}"}
        for name in self.chance.sample(("status", "shipment"), self.chance.randrange(2)):
            del attributes[name]
        return thrift.Order(customer_number=customer, order_number=number, sales_date=self.date(),
                            currency=pick((None, "CHF")), shipping_locations=locations, attributes=attributes)


def write_and_kill(stores, modules, seed, n_writes):
    """Writers at a server for each of @stores; the first server is killed, the others stop. Returns errors
    that nothing explains."""
    enough, stop = threading.Semaphore(0), threading.Event()
    with contextlib.ExitStack() as stack:
        victim = Server(stores[0])
        stack.callback(victim.kill)
        others = [stack.enter_context(serving(store)) for store in stores[1:]]
        servers = [victim, *others]
        writers = [Writer(seed + i, servers[i % len(servers)].address, modules, enough, stop)
                   for i in range(WRITERS)]
        for writer in writers:
            writer.start()
        try:
            for _ in range(n_writes):
                if not enough.acquire(timeout=60):
                    raise AssertionError("the writers stopped writing")
            victim.kill()
        finally:
            stop.set()
            for writer in writers:
                writer.join()
    thrift = modules[0]
    return [repr(writer.error) for i, writer in enumerate(writers)
            if writer.error and (i % len(stores) != 0 or isinstance(writer.error, thrift.TallError))]


def differences(client, thrift, orders, limit):
    """What is found that should not be, or is not found that should be."""
    for index in ALL:
        for values, wanted in searches(index, orders):
            request = thrift.FindRequest(index=index.name, values=values, limit=limit,
                                         part=thrift.OrderPart(kind=thrift.PartKind.SUMMARY))
            found = [(outcome.result.order.customer_number, outcome.result.order.order_number)
                     for page in pages(client.findOrders, request) for outcome in page.orders]
            if found != wanted:
                yield f"{index.name} {values}: {found}, not {wanted}"


def ranges(store):
    """The bounds of a range, by the command: entries of a day, and what comes before 1970."""
    index = next(index for index in ALL if index.name == "shipped")
    orders = exported("--store", store)
    entries = index.entries(orders)
    for start, stop in (("2026-11-28", "2026-11-29"), ("1900", "1970")):
        first, last = (index.part("time", None, f"{bound}-01-01T00:00:00+00:00" if len(bound) == 4 else
                                  f"{bound}T00:00:00+00:00") for bound in (start, stop))
        wanted = list(dict.fromkeys((c.decode(), o.decode()) for key, c, o in entries if first <= key < last))
        said = json.loads(run("find", "--store", store, "shipped", "--from", start, "--to", stop, "--all", "--json"))
        found = [(order["customer_number"], order["order_number"]) for order in said["orders"]]
        if found != wanted:
            yield f"{start} to {stop}: {found}, not {wanted}"


def verified(store, *options):
    """What is wrong: the kinds, and what no killed writer leaves."""
    said = run("verify", "--store", store, "--json", *options, code=None)
    found = [line["finding"] for line in map(json.loads, said.splitlines()) if "finding" in line]
    return ({finding["kind"] for finding in found},
            [finding for finding in found if finding["kind"] in LOST or finding["needs_person"]])


def check_deployment(checks, store, kind, modules, name):
    thrift, service = modules
    stores = [store] * (2 if kind == "hbase" else 1)
    for attempt in range(ROUNDS[kind]):
        failed = write_and_kill(stores, modules, 100 * attempt, WRITES[kind])
        checks.check(not failed, f"{name}, kill {attempt + 1}: calls elsewhere succeed", failed)
        with serving(store) as server, connected(server.address, service) as client:
            orders = exported("--server", server.address)
            wrong = list(differences(client, thrift, orders, limit=attempt + 4))
        checks.check(orders and not wrong, f"{name}, kill {attempt + 1}: found in {len(orders)} orders as computed",
                     "\n".join(wrong[:20]))
    wrong = list(ranges(store))
    checks.check(not wrong, f"{name}: ranges are found as computed", "\n".join(wrong))
    _left, lost = verified(store, "--repair")
    left, _lost = verified(store)
    checks.check(not lost and not left, f"{name}: every order has its entries, and what was left is mended",
                 (lost, left))


def main(kind):
    checks = Checks()
    if kind == "hbase" and "TALLORDER_HBASE_BINARY" not in os.environ:
        checks.skip("TALLORDER_HBASE_BINARY names no HBase")
        return checks.finish()
    with generated("tallorder"), tempfile.TemporaryDirectory() as folder:
        from tallorder import OrderService, ttypes
        few = kind == "hbase" and not TAKES_ALL  # one that has children, and one that has not
        for layout, key in DEPLOYMENTS[:2] if few else DEPLOYMENTS:
            store = (f"rocksdb:{folder}/{layout}" if kind == "rocksdb" else
                     f"hbase://{os.environ['TALLORDER_HBASE_BINARY']}?name=finding-{layout}-{os.getpid()}")
            given = [word for index in INDEXES for word in ("--index", index)]
            run("init", "--store", store, "--layout", layout, "--key", key, *given)
            check_deployment(checks, store, kind, (ttypes, OrderService), f"{layout}, {key}")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
