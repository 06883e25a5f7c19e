#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""64 clients patch one order, and the server, or gateways of HBase, are killed meanwhile. Each patch adds 1 to
a line that all share, and 1 to a line of the client's own, which says afterwards what has become of each patch:
every one that was acknowledged counts, and none twice. Prints TAP.

    patching.py rocksdb [PATCHES [KILLS]]            of each client; 100 makes 6,400 of an order
    patching.py hbase [PATCHES [KILLS [GATEWAYS]]]   on the HBase that $TALLORDER_HBASE_BINARY names; GATEWAYS:
                                                     kills of its gateways, one after the other
    patching.py embedded [PATCHES]                   threads of one process, tests/store/test-patch.c

    tools/hbase/hbase run --gateway binary --gateway binary -- tests/e2e/patching.py hbase 100 2 2
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
import uuid

from thrift.transport.TTransport import TTransportException

from support import BUILD, TAKES_ALL, Checks, Server, connected, generated, names_of, run

CLIENTS = 64
SHARED = 1000  # number of the line that all clients add to
CUSTOMER, NUMBER = "VINET", "10248"
SECONDS = 60  # of a call


class Place:
    """Where the server listens that runs now."""

    def __init__(self, store):
        self.store, self.server, self.changed = store, Server(store), threading.Condition()

    def address(self, but=None):
        """Another one than `but`: that of the server after it."""
        with self.changed:
            self.changed.wait_for(lambda: self.server is not None and self.server.address != but, 600)
            return self.server.address

    def kill(self):
        """The next one has another port, so clients see that the first is gone."""
        with self.changed:
            self.server.kill()
            self.server = None
        server = Server(self.store)
        with self.changed:
            self.server = server
            self.changed.notify_all()


def hbase_status():
    tool, data = os.environ["TALLORDER_HBASE_TOOL"], os.environ["TALLORDER_HBASE_DATA"]
    return json.loads(subprocess.run([tool, "status", "--data", data, "--json"], check=False,
                                     stdout=subprocess.PIPE).stdout)


def gateways():
    """The gateways' addresses, as they are now."""
    return hbase_status()["environment"]["TALLORDER_HBASE_BINARY"] if "TALLORDER_HBASE_TOOL" in os.environ \
        else os.environ["TALLORDER_HBASE_BINARY"]


def restart_gateway(place, number):
    """Kills one of HBase's gateways, and starts it again; returns when it answers. If somebody has taken its
    port meanwhile it has another one, and so the server is started anew, too."""
    tool, data = os.environ["TALLORDER_HBASE_TOOL"], os.environ["TALLORDER_HBASE_DATA"]
    before = gateways()
    names = [process["name"] for process in hbase_status()["processes"] if process["name"].startswith("gateway")]
    subprocess.run([tool, "restart", "--data", data, names[number % len(names)]], check=True,
                   stdout=subprocess.DEVNULL)
    if gateways() != before:
        place.store = place.store.replace(before, gateways())
        place.kill()


class Client(threading.Thread):
    def __init__(self, place, modules, index, patches):
        super().__init__(daemon=True)
        self.place, self.modules, self.line, self.patches = place, modules, index + 1, patches
        self.done = self.doubtful = self.passed = self.lost = 0
        self.wrong = None

    def run(self):
        try:
            base = None
            for _ in range(self.patches):
                base = self.patch(base)
        except Exception as error:  # pylint: disable=broad-except
            self.wrong = f"client {self.line}: {type(error).__name__}: {error}"

    def patch(self, base):
        """One patch, until it is known what has become of it. Returns the next base."""
        types, _ = self.modules
        request = types.PatchOrderRequest(
            CUSTOMER, NUMBER, [f"line[{SHARED}].quantity+=1", f"line[{self.line}].quantity+=1"],
            types.WriteOptions(token=uuid.uuid4().bytes, timeout_ms=SECONDS * 1000), base)
        may_be_done = False
        while True:
            answer = self.call(lambda client: client.patchOrder(request), request)
            if answer is None:
                may_be_done = True
            elif isinstance(answer, types.PutResult):
                self.done += 1
                return answer.revision
            elif answer.code == types.ErrorCode.OUTCOME_UNKNOWN and answer.revision is None:
                may_be_done = True
            elif answer.code == types.ErrorCode.OUTCOME_UNKNOWN and not may_be_done:
                self.passed += 1
                request.base_revision = answer.revision
            elif answer.code == types.ErrorCode.OUTCOME_UNKNOWN:
                self.doubtful += 1
                return answer.revision
            elif answer.code not in (types.ErrorCode.OVERLOADED, types.ErrorCode.UNAVAILABLE,
                                     types.ErrorCode.TIMED_OUT):
                raise answer
            else:
                time.sleep(random.uniform(0.1, 1))  # a gateway that is started again needs its port

    def call(self, call, request):
        """The answer, or the TallError; None: it was lost. A base is fetched first where there is none."""
        types, service = self.modules
        address = self.place.address()
        sent = False
        try:
            with connected(address, service, seconds=2 * SECONDS) as client:
                try:
                    if request.base_revision is None:
                        request.base_revision = client.getOrder(CUSTOMER, NUMBER).revision
                    sent = True
                    return call(client)
                except types.TallError as error:
                    return error
        except (TTransportException, OSError, EOFError):  # the server is gone
            self.place.address(but=address)
            self.lost += sent
            return None if sent else types.TallError(types.ErrorCode.UNAVAILABLE, "not sent")


def make_order(types):
    lines = [types.LineItem(number=n, quantity=types.Decimal(0, 0)) for n in [*range(1, CLIENTS + 1), SHARED]]
    return types.Order(customer_number=CUSTOMER, order_number=NUMBER, shipping_locations=[
        types.ShippingLocation(number=1, line_items=lines)])


def run_crowd(checks, name, store, modules, patches, kills, is_final):
    """`kills`: what to call, one after the other. `is_final`: nothing that a killed server has sent is done
    afterwards."""
    types, service = modules
    place = Place(store)
    with connected(place.address(), service) as client:
        client.putOrder(make_order(types), None)
    clients = [Client(place, modules, index, patches) for index in range(CLIENTS)]
    begun = time.monotonic()
    for client in clients:
        client.start()
    for number, kill in enumerate(kills):
        while sum(client.done for client in clients) < CLIENTS * patches * (number + 1) // (len(kills) + 2) \
                and any(client.is_alive() for client in clients):
            time.sleep(0.01)
        kill(place)
    for client in clients:
        client.join()
    seconds = time.monotonic() - begun
    with connected(place.address(), service) as client:
        order = client.getOrder(CUSTOMER, NUMBER).order
    place.server.stop()

    counts = {line.number: line.quantity.unscaled for line in order.shipping_locations[0].line_items}
    wrong = [client.wrong for client in clients if client.wrong]
    for client in clients:
        most = client.done + client.doubtful
        if not client.done <= counts[client.line] <= most:
            wrong.append(f"line {client.line}: {counts[client.line]}, not {client.done} to {most}")
    if counts.pop(SHARED) != sum(counts.values()):
        wrong.append("the shared line is not the sum of the others")
    if is_final and not kills and sum(counts.values()) != CLIENTS * patches:
        wrong.append(f"{sum(counts.values())} of {CLIENTS * patches}")
    done, passed, lost, doubtful = (sum(getattr(client, what) for client in clients)
                                    for what in ("done", "passed", "lost", "doubtful"))
    print(f"# {name}: {done} patches in {seconds:.1f} s ({done / seconds:.0f}/s), {passed} with a later base, "
          f"{lost} answers lost, {doubtful} left in doubt", flush=True)
    checks.check(not wrong, f"{name}: each patch counts once", "\n".join(wrong))


def run_layout(checks, kind, layout, modules, patches, kills):
    for killed in [[], kills] if kills else [[]]:
        name = f"{kind}, {layout}, {len(killed)} kills"
        if kind == "rocksdb":
            with tempfile.TemporaryDirectory() as folder:
                store = f"rocksdb:{folder}/store"
                run("init", "--store", store, "--layout", layout)
                run_crowd(checks, name, store, modules, patches, killed, True)
        else:
            own = f"patching-{layout}-{len(killed)}-{os.getpid()}"
            store = f"hbase://{gateways()}?name={own}"
            run("init", "--store", store, "--layout", layout)
            run_crowd(checks, name, store, modules, patches, killed, False)
            run("drop", "--store", f"hbase://{gateways()}?name={own}", "--yes", own)


def run_embedded(checks, patches):
    """Every layout and key strategy in memory, one of them on RocksDB."""
    begun = time.monotonic()
    done = subprocess.run([BUILD / "tests" / "store_test_patch", patches, "--tap"], stdout=subprocess.PIPE, text=True,
                          check=False)
    crowds = re.findall(r"^ok \d+ \S*/(\S+)/crowd", done.stdout, re.MULTILINE)
    print(f"# embedded: {len(crowds)} stores in {time.monotonic() - begun:.1f} s", flush=True)
    checks.check(done.returncode == 0 and len(crowds) >= len(names_of("layouts")), "embedded: each patch counts once",
                 done.stdout)


def main(kind, patches="2", kills="1", gateway_kills="0"):
    checks = Checks()
    if kind == "embedded":
        run_embedded(checks, patches)
        return checks.finish()
    if kind == "hbase" and "TALLORDER_HBASE_BINARY" not in os.environ:
        checks.skip("TALLORDER_HBASE_BINARY names no HBase")
        return checks.finish()
    layouts = names_of("layouts")
    if not TAKES_ALL and int(patches) < 10:
        layouts = ["blob", "record-type"]
    todo = [Place.kill] * int(kills)
    for number in range(int(gateway_kills)):
        todo.insert(2 * number, lambda place, number=number: restart_gateway(place, number))
    with generated("tallorder"):
        from tallorder import OrderService, ttypes
        for layout in layouts:
            run_layout(checks, kind, layout, (ttypes, OrderService), int(patches), todo)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
