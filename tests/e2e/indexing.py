#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Adds indexes to an embedded store that is served, while four clients write. Afterwards each index finds
what is computed from an export. A command of its own: it takes minutes.

    indexing.py beside ORDERS          how fast it goes, and what the clients notice
    indexing.py kills ORDERS NUMBER    the server is killed so often on the way
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

from entries import Index, exported, first_of_each
from support import PROGRAM, Checks, Server, connected, generated, pages, run

ITEMS, SHIPMENTS, CUSTOMERS, WRITERS = 1000, 100_000, 10, 4
RATE = 100  # calls a second of each writer, at most
NUMBER = "number=order_number"
INDEXES = [NUMBER, "item=md5(line.item_number) rtime(sales_date)?",
           "log=last(1,attribute.shipment) attribute.shipment day(sales_date)"]
OTHERS = [NUMBER, "bought=customer_number line.item_number", "month=month(sales_date) day(sales_date)"]
MAP = """[mapping]
kind = orders
dates = iso
[order]
customer_number = c
order_number = o
sales_date = d
attribute.shipment = s
[line]
item_number = i
"""
LIFE = 2.0  # seconds that a server works on a migration before it is killed, at most
SAMPLE = 5.0  # seconds for what clients notice before it begins


def fill(store, folder, n):
    chance = random.Random(1)
    csv = pathlib.Path(folder, "orders.csv")
    with csv.open("w", encoding="utf-8") as file:
        file.write("c,o,d,s,i\n")
        for number in range(n):
            row = (f"C{chance.randrange(n // 10 + 1)},{number},20{chance.randrange(20, 27)}-0{chance.randrange(1, 10)}-11,"
                   f"S{chance.randrange(SHIPMENTS)}")
            for _ in range(chance.randrange(1, 3)):
                file.write(f"{row},{chance.randrange(ITEMS)}\n")
    mapping = pathlib.Path(folder, "orders.map")
    mapping.write_text(MAP, "utf-8")
    run("load", "--store", store, "--map", mapping, csv)


class Writer(threading.Thread):
    """Replaces, patches and deletes orders, and puts new ones; notes how long each call took."""

    def __init__(self, seed, address, modules, n, stop):
        super().__init__()
        self.chance, self.address, self.modules, self.n, self.stop = random.Random(seed), address, modules, n, stop
        self.took, self.error = [], None

    def run(self):
        thrift, service = self.modules
        try:
            with connected(self.address, service) as client:
                while not self.stop.is_set():
                    begun = time.monotonic()
                    self.write(client, thrift)
                    took = time.monotonic() - begun
                    self.took.append((begun, took))
                    time.sleep(max(1 / RATE - took, 0))
        except Exception as error:
            self.error = error

    def write(self, client, thrift):
        customer, number = f"W{self.chance.randrange(CUSTOMERS)}", str(self.chance.randrange(self.n // CUSTOMERS))
        line = thrift.LineItem(number=1, item_number=str(self.chance.randrange(ITEMS)))
        order = thrift.Order(customer_number=customer, order_number=number, sales_date=self.chance.randrange(2**40),
                             shipping_locations=[thrift.ShippingLocation(number=1, line_items=[line])],
                             attributes={"shipment": f"S{self.chance.randrange(SHIPMENTS)}"})
        try:
            if self.chance.randrange(4) == 0:
                client.deleteOrder(customer, number, None)
            else:
                client.putOrder(order, None)
        except thrift.TallError as error:
            if error.code != thrift.ErrorCode.NOT_FOUND:
                raise


def percentile(values, part):
    return 1000 * sorted(values)[int(len(values) * part)] if values else float("nan")


def migration(address, indexes):
    words = [word for index in ["date", *indexes] for word in ("--to-index", index)]
    return subprocess.Popen([PROGRAM, "migrate", "--server", address, "--json", "--pause", "60", *words],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


class Clients:
    """Writers at a server, while it is there."""

    def __init__(self, address, modules, n, seed):
        self.stop = threading.Event()
        self.all = [Writer(seed + i, address, modules, n, self.stop) for i in range(WRITERS)]
        for writer in self.all:
            writer.start()

    def end(self):
        self.stop.set()
        for writer in self.all:
            writer.join()

    def took(self, begun, ended):
        return [took for writer in self.all for at, took in writer.took if begun <= at < ended]


def check_found(checks, store, indexes, modules, what):
    """All of each index in its order, and nothing lacks an entry."""
    thrift, service = modules
    orders = exported("--store", store)
    server = Server(store)
    try:
        with connected(server.address, service, seconds=120) as client:
            for index in map(Index, indexes):
                wanted = first_of_each(index.entries(orders))
                request = thrift.FindRequest(index=index.name, values=[], limit=1000,
                                             part=thrift.OrderPart(kind=thrift.PartKind.SUMMARY))
                found = [(one.result.order.customer_number, one.result.order.order_number)
                         for page in pages(client.findOrders, request) for one in page.orders]
                checks.check(found == wanted, f"{what}: {index.name} finds {len(found)} of {len(orders)} orders as "
                             "computed", f"{len(wanted)} are computed, of which {len(set(wanted) - set(found))} are "
                             f"not found; {len(set(found) - set(wanted))} are found that should not")
    finally:
        server.stop()
    said = run("verify", "--store", store, "--json", code=None)
    wrong = [line for line in said.splitlines() if '"finding"' in line]
    checks.check(not wrong, f"{what}: verify finds nothing", "\n".join(wrong[:10]))


def beside(checks, store, modules, n):
    server = Server(store)
    clients = Clients(server.address, modules, n, 1)
    try:
        time.sleep(SAMPLE)
        begun = time.monotonic()
        with migration(server.address, INDEXES) as process:
            said = process.communicate()[0]
        ended = time.monotonic()
        clients.end()
        before, during = clients.took(0, begun), clients.took(begun, ended)
        print(f"# {n} orders: {ended - begun:.1f} s, {n / (ended - begun):.0f} orders a second; {WRITERS} clients: "
              f"{len(before) / SAMPLE:.0f} calls a second before, {len(during) / (ended - begun):.0f} meanwhile; p50 "
              f"{percentile(before, .5):.1f} and {percentile(during, .5):.1f} ms, p99 {percentile(before, .99):.1f} and "
              f"{percentile(during, .99):.1f} ms, longest call {1000 * max(during):.0f} ms", flush=True)
        failed = [writer.error for writer in clients.all if writer.error]
        checks.check(process.returncode == 0 and not failed, "beside writers: it has switched, and all calls were done",
                     f"{failed} {said}")
    finally:
        clients.end()
        server.stop()
    check_found(checks, store, INDEXES, modules, "beside writers")


def phase(store):
    return json.loads(run("status", "--store", store, "--json"))["phase"]


def kills(checks, store, modules, n, number):
    chance, lists, phases, n_switched = random.Random(number), [INDEXES, OTHERS], {}, 0
    for kill in range(number):
        server = Server(store)
        clients = Clients(server.address, modules, n, 10 * kill)
        with migration(server.address, lists[0]) as process:
            try:
                process.wait(timeout=chance.uniform(0.1, LIFE))
            except subprocess.TimeoutExpired:
                pass
            server.kill()
            clients.end()
            process.kill()
        found = phase(store)
        phases[found] = phases.get(found, 0) + 1
        if found == "none" and process.returncode == 0:
            n_switched += 1
            lists.reverse()
            run("migrate", "--store", store, "--drop-source")
    print(f"# killed {number} times, in phases {phases}; {n_switched} had switched", flush=True)
    run("migrate", "--store", store, "--pause", 60, *([] if phase(store) != "none" else
        [word for index in ["date", *lists[0]] for word in ("--to-index", index)]))
    now = [index for index in json.loads(run("status", "--store", store, "--json"))["indexes"] if index != "date"]
    check_found(checks, store, now, modules, f"{number} kills")


def main(arguments):
    checks = Checks()
    counts = {"beside": 2, "kills": 3}
    if not arguments or counts.get(arguments[0]) != len(arguments):
        print(__doc__, file=sys.stderr)
        return 2
    n, *rest = map(int, arguments[1:])
    with generated("tallorder"), tempfile.TemporaryDirectory() as folder:
        from tallorder import OrderService, ttypes
        store = f"rocksdb:{folder}/store"
        run("init", "--store", store, "--index", "date")
        begun = time.monotonic()
        fill(store, folder, n)
        print(f"# {n} orders are loaded after {time.monotonic() - begun:.1f} s", flush=True)
        (beside if arguments[0] == "beside" else kills)(checks, store, (ttypes, OrderService), n, *rest)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
