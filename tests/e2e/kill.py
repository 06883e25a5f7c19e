#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Kills a server with SIGKILL while clients write: every acknowledged order must be there.

    kill.py rocksdb     the embedded store dies with the server
    kill.py hbase       the server dies in the middle of its calls to a gateway

Each client writes new orders and replaces its earlier ones. An order carries the number of its
write in every line, so that a torn one would show.
"""

import os
import sys
import tempfile
import threading

from support import Checks, Server, connected, generated, run, serving

WRITERS = 4
ORDERS_PER_WRITER = 20  # each is replaced again and again
ROUNDS = {"rocksdb": 3, "hbase": 2}
DEPLOYMENTS = (("blob", "hashed"), ("record-type", "raw"), ("normalized", "numeric"),
               ("denormalized", "salted"), ("wide", "reversed"))
ACKNOWLEDGED_BEFORE_KILL = {"rocksdb": 400, "hbase": 120}


def make_order(thrift, writer, number, write):
    lines = [
        thrift.LineItem(number=n, item_number=f"write-{write}",
                        quantity=thrift.Decimal(unscaled=write, scale=0))
        for n in range(1, 2 + write % 7)
    ]
    return thrift.Order(
        customer_number=f"writer-{writer}", order_number=f"order-{number}",
        shipping_locations=[thrift.ShippingLocation(number=1, line_items=lines)],
        attributes={"write": str(write)},
    )


class Writer(threading.Thread):
    """Writes until its connection breaks; remembers what was acknowledged."""

    def __init__(self, index, address, modules, history, enough):
        super().__init__()
        self.index, self.address, self.modules = index, address, modules
        self.history, self.enough = history, enough  # shared: {key: [acknowledged, last tried]}

    def run(self):
        thrift, service = self.modules
        try:
            with connected(self.address, service) as client:
                while True:
                    self.write_round(client, thrift)
        except Exception as error:  # the server died, as it should
            self.error = error

    def write_round(self, client, thrift):
        for number in range(ORDERS_PER_WRITER):
            entry = self.history.setdefault((self.index, number), [0, 0])
            entry[1] += 1
            client.putOrder(make_order(thrift, self.index, number, entry[1]), None)
            entry[0] = entry[1]
            self.enough.release()


def wrong_order(client, thrift, key, acknowledged, tried):
    """None if the order is whole, and the acknowledged write or a later one."""
    writer, number = key
    try:
        order = client.getOrder(f"writer-{writer}", f"order-{number}").order
    except thrift.TallError as error:
        never_acknowledged = acknowledged == 0 and error.code == thrift.ErrorCode.NOT_FOUND
        return None if never_acknowledged else f"{key}: {error.message}"
    write = int(order.attributes["write"])
    if not acknowledged <= write <= tried:
        return f"{key}: write {write}, but {acknowledged} was acknowledged and {tried} tried"
    if order != make_order(thrift, writer, number, write):
        return f"{key}: torn: {order}"
    return None


def kill_while_writing(store, modules, history, acknowledgements):
    server = Server(store)
    enough = threading.Semaphore(0)
    writers = [Writer(i, server.address, modules, history, enough) for i in range(WRITERS)]
    try:
        for writer in writers:
            writer.start()
        for _ in range(acknowledgements):
            if not enough.acquire(timeout=60):
                raise AssertionError("the writers stopped writing")
    finally:
        server.kill()
        for writer in writers:
            writer.join()


def main(kind):
    checks = Checks()
    if kind == "hbase" and "TALLORDER_HBASE_BINARY" not in os.environ:
        checks.skip("TALLORDER_HBASE_BINARY names no HBase")
        return checks.finish()

    with generated("tallorder"), tempfile.TemporaryDirectory() as folder:
        from tallorder import OrderService, ttypes
        for layout, key in DEPLOYMENTS:
            store = (f"rocksdb:{folder}/{layout}" if kind == "rocksdb" else
                     f"hbase://{os.environ['TALLORDER_HBASE_BINARY']}"
                     f"?name=kill-{layout}-{os.getpid()}")
            run("init", "--store", store, "--layout", layout, "--key", key)
            history = {}
            for attempt in range(ROUNDS[kind]):
                kill_while_writing(store, (ttypes, OrderService), history,
                                   ACKNOWLEDGED_BEFORE_KILL[kind])
                with serving(store) as server, connected(server.address, OrderService) as client:
                    wrong = [wrong_order(client, ttypes, key, *entry)
                             for key, entry in sorted(history.items())]
                wrong = [w for w in wrong if w]
                acknowledged = sum(entry[0] for entry in history.values())
                checks.check(not wrong, f"{layout}, kill {attempt + 1}: {len(history)} orders after "
                             f"{acknowledged} acknowledged writes", "\n".join(wrong[:20]))
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
