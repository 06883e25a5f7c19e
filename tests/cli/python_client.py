# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel of tools/python, installs it in a fresh virtual environment, and uses it from there
as its README does, with answers that are lost on the way. Speaks TAP.

    python_client.py TALLORDER SOURCE_ROOT
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

from support import DONE, PROGRAM, SECONDS, SOURCE, equal, main, new_store, run, test

# Between client and server: loses the answers to the calls whose numbers are in LOST.
SCRIPT = """
import os, signal, socket, ssl, struct, sys, threading
from tallorder.ttypes import Customer, LineItem, Order, PartKind, ShippingLocation
from tallorder_client import *
import tallorder_client

class Proxy:
    def __init__(self, server):
        self.server, self.lost, self.calls, self.clients = server, set(), 0, []
        self.interrupts, self.go = False, threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.accept, daemon=True).start()
    def accept(self):
        while True:
            client, _ = self.listener.accept()
            self.clients.append(client)
            threading.Thread(target=self.serve, args=[client], daemon=True).start()
    def serve(self, client):
        with client, socket.create_connection(self.server) as server:
            while self.forward(client, server):
                self.calls += 1
                answer = server.recv(4)
                answer += server.recv(struct.unpack(">i", answer)[0], socket.MSG_WAITALL)
                if self.calls in self.lost:
                    break
                if self.interrupts:
                    os.kill(os.getpid(), signal.SIGINT)
                    self.go.wait()
                try:
                    client.sendall(answer)
                except OSError:
                    break
    def forward(self, client, server):
        head = client.recv(4)
        if head:
            server.sendall(head + client.recv(struct.unpack(">i", head)[0], socket.MSG_WAITALL))
        return head
    def hang_up(self):
        for client in self.clients:
            if client.fileno() >= 0:
                client.shutdown(socket.SHUT_RDWR)
    def lose(self, *numbers):
        self.calls, self.lost = 0, set(numbers)

def fails(kind, call, *arguments, **options):
    try:
        call(*arguments, **options)
    except kind as error:
        assert type(error) is kind, error
        return error
    raise AssertionError(f"no {kind.__name__}")

host, port = sys.argv[1].split(":")
proxy = Proxy((host, int(port)))
address = "127.0.0.1:%d" % proxy.listener.getsockname()[1]
order = Order(customer_number="C", order_number="1", currency="EUR")
with Client(address) as client:
    fails(NotFound, client.get_order, "C", "1")
    fails(Invalid, client.put_order, Order(customer_number="", order_number="1"))
    fails(Invalid, client.put_order, order, if_absent=True, if_revision=1)
    first = client.put_order(order, if_absent=True)
    assert fails(Conflict, client.put_order, order, if_absent=True).revision == first

    proxy.lose(1)                       # a write with a revision is recognised by its token
    second = client.put_order(order, if_revision=first)
    assert second > first and proxy.calls == 2
    assert client.get_order("C", "1")[1] == second
    proxy.lose(1)                       # any other is not sent again
    fails(OutcomeUnknown, client.put_order, order)
    assert proxy.calls == 1
    third = client.get_order("C", "1")[1]
    assert third > second
    with Client(address, only_writer=True) as only:
        proxy.lose(1)
        assert only.put_order(order) > third and proxy.calls == 2
    proxy.lose(1, 2)                    # reads are
    client.get_order("C", "1")
    assert proxy.calls == 3
    proxy.lose(1)
    fails(NotFound, client.get_order, "C", "none")
    revision = client.get_order("C", "1")[1]
    proxy.lose(1, 2, 3, 4)
    fails(OutcomeUnknown, client.put_order, order, if_revision=revision)
    assert proxy.calls == 4
    proxy.lose(1)                       # a copy that is refused says nothing of the first
    doubt = fails(OutcomeUnknown, client.put_order, order, if_revision=first)
    assert isinstance(doubt.__cause__, Conflict), doubt.__cause__
    proxy.lose()

    order.attributes = {"n": "0"}       # patches; without a base they are not sent again
    base = client.put_order(order)
    done = client.patch_order("C", "1", ["attribute.n=1", "currency=USD"])
    assert done > base and client.get_order("C", "1")[0].attributes == {"n": "1"}
    assert fails(Invalid, client.patch_order, "C", "1", ["-line[1]"]).field == "line[1]"
    fails(Conflict, client.patch_order, "C", "1", ["attribute.n=2"], if_revision=base)
    for only_writer in (False, True):
        with Client(address, only_writer=only_writer) as only:
            proxy.lose(1)
            fails(OutcomeUnknown, only.patch_order, "C", "1", ["attribute.n=2"])
            assert proxy.calls == 1
    proxy.lose()                        # with one they are, and done once
    base = client.get_order("C", "1")[1]
    proxy.lose(1)
    done = client.patch_order("C", "1", ["+location[1]"], base_revision=base)
    assert proxy.calls == 2 and client.get_order("C", "1")[1] == done
    proxy.lose(1)
    again = client.patch_order("C", "1", ["-location[1]"], if_revision=done)
    assert proxy.calls == 2 and again > done
    proxy.lose(1)                       # also from an older base, as the server knows its own commits
    last = client.patch_order("C", "1", ["+location[2]"], base_revision=base)
    assert last > again and proxy.calls == 2
    proxy.lose()                        # one that it does not know is replaced, if nothing was lost
    last = client.patch_order("C", "1", ["+location[3]"], base_revision=1)
    assert proxy.calls == 2
    proxy.lose(1)
    doubt = fails(OutcomeUnknown, client.patch_order, "C", "1", ["+location[4]"], base_revision=1)
    assert doubt.__cause__.revision == last and proxy.calls == 2, (doubt, proxy.calls)
    proxy.lose()

    for number in range(2, 6):
        client.put_order(Order(customer_number="C", order_number=str(number)))
    proxy.hang_up()                     # between two calls
    assert client.get_order("C", "2")[0].order_number == "2"
    proxy.interrupts = True             # the answer comes later, and is nobody's
    fails(KeyboardInterrupt, client.get_order, "C", "3")
    proxy.interrupts = False
    proxy.go.set()
    assert client.get_order("C", "4")[0].order_number == "4"
    proxy.lose()
    listed = [entry.order_number for entry in client.list_orders("C", limit=2)]
    assert sorted(listed) == list("12345") and proxy.calls >= 3, (listed, proxy.calls)
    assert [one.order_number for one in client.get_customer_orders("C", limit=2)] == sorted(
        listed, key=[one.order_number for one in client.get_customer_orders("C")].index)
    many = list(client.get_orders([("C", "1"), ("C", "none")] * 700))
    assert len(many) == 1400 and many[1398].order_number == "1" and type(many[1399]) is NotFound
    assert list(client.get_orders([])) == []
    whole, revision = client.get_order("C", "1")
    second = client.get_order_part("C", "1", OrderPart(PartKind.LOCATION, 2))
    assert second.revision == revision and second.entry is None
    assert second.order.shipping_locations == [one for one in whole.shipping_locations if one.number == 2]
    assert second.order.attributes == whole.attributes
    summary = client.get_order_part("C", "1", OrderPart(PartKind.SUMMARY))
    assert (summary.entry.order_number, summary.order.shipping_locations) == ("1", []), summary
    headers = list(client.get_orders([("C", "1"), ("C", "none")], OrderPart(PartKind.HEADER)))
    assert headers[0].order.attributes == whole.attributes and not headers[0].order.shipping_locations, headers
    assert headers[0].revision == revision
    for part in (headers[0], second, summary):
        fails(ValueError, client.put_order, part.order)
    assert type(headers[1]) is NotFound
    fails(NotFound, client.get_order_part, "C", "1", OrderPart(PartKind.LOCATION, 99))
    fails(Invalid, client.get_order_part, "C", "1", OrderPart(PartKind.LOCATION))
    fails(Invalid, client.get_order_part, "C", "1", OrderPart(7))
    number = client.put_customer(Customer(number="C", name="Ann"))
    assert client.get_customer("C")[0].name == "Ann" and client.get_customer("C")[1] == number
    assert [one.number for one in client.list_customers(limit=1)] == ["C"]
    fails(Conflict, client.delete_customer, "C")
    fails(Conflict, client.delete_order, "C", "2", if_revision=1)
    for number, date in (("6", 10), ("7", 20)):
        client.put_order(Order(customer_number="C", order_number=number, sales_date=date))
    dated = [[entry.order_number for entry in client.list_orders("C", **dates)]
             for dates in (dict(from_date=10, to_date=20), dict(from_date=20), dict(from_date=1, to_date=21))]
    assert dated == [["6"], ["7"], ["7", "6"]], dated
    for one in [*listed, "6", "7"]:
        client.delete_order("C", one)
    client.delete_customer("C")
    fails(NotFound, client.get_customer, "C")
    for number in (1, 2):
        place = ShippingLocation(number=1, line_items=[LineItem(number=1, item_number="found")])
        order = Order(customer_number="F", order_number=str(number), sales_date=number * 86400000,
                      shipping_locations=[place])
        client.put_order(order)
    found = list(client.find_orders("line.item_number=found", limit=1))
    assert [one.order_number for one in found] == ["1", "2"] and found[0] == client.get_order("F", "1")[0], found
    parts = list(client.find_orders("found", index="item", from_value="1970-01-03", to_value="1971",
                                    part=OrderPart(PartKind.SUMMARY)))
    assert [one.entry.order_number for one in parts] == ["2"], parts
    fails(ValueError, client.put_order, parts[0].order)
    fails(Invalid, lambda: list(client.find_orders("found", index="none")))
    client.ping()
    assert client.describe().layout == "blob"
fails(Unavailable, Client("127.0.0.1:1", attempts=2).ping)
with Client("localhost:1", tls=ssl.create_default_context(), attempts=2) as client:
    client.close()
    fails(Unavailable, client.ping)
codes = tallorder_client.ErrorCode._VALUES_TO_NAMES
for code, name in codes.items():
    assert to_error(tallorder_client.TallError(code, "m")).__class__.__name__.upper() == name.replace("_", "")
assert type(to_error(tallorder_client.TallError(99, "m"))) is Internal
for text in ("1.50", "-0.05", "12", "0", "0.00", "12E3"):
    assert to_exact(decimal(text)) == tallorder_client.ExactDecimal(text)
assert (decimal("1.50").unscaled, decimal("1.50").scale) == (150, 2)
assert (decimal("12E3").unscaled, decimal("12E3").scale) == (12000, 0)
for wrong in ("NaN", "x", "", None, [1], "1E999999999", "1E-19", "9223372036854775808", "7" * 5000):
    assert fails(Invalid, decimal, wrong)
assert (decimal("-9223372036854775807").unscaled, decimal("1E-18").scale) == (1 - 2 ** 63, 18)
for wrong in ("localhost", "localhost:", ":1", "", "localhost:http", "tls://localhost:1", "localhost:0",
              "localhost:65536", "localhost:" + "9" * 5000):
    assert "HOST:PORT" in str(fails(Invalid, Client, wrong))
print("done")
"""


class Server:
    def __init__(self, folder):
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--store",
             new_store(folder, more=["--index", "item=line.item_number time(sales_date)?"]), "--listen", "127.0.0.1:0"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = self.process.stdout.readline().split()[2]

    def __enter__(self):
        return self.address

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate(timeout=SECONDS)
        equal(self.process.returncode, DONE)


def call(*command, **options):
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=SECONDS, check=False, **options)
    equal((command[0], done.returncode, done.stdout if done.returncode else ""), (command[0], 0, ""))
    return done.stdout


def python(folder):
    """A fresh environment with the wheel, and Debian's library of Thrift. Its interpreter."""
    environment = pathlib.Path(folder, "venv")
    call(sys.executable, "-m", "venv", "--without-pip", "--system-site-packages", environment)
    call(SOURCE / "tools/python/make-wheel", folder,
         env={**os.environ, "PYTHON": sys.executable, "SOURCE_DATE_EPOCH": "1600000000"})
    (wheel,) = pathlib.Path(folder).glob("*.whl")
    call(sys.executable, "-m", "pip", "--python", environment / "bin/python", "install", "--quiet",
         "--no-index", "--no-deps", wheel)
    return environment / "bin/python"


MADE = tempfile.TemporaryDirectory()
PYTHON = python(MADE.name)


# The types of the generated classes, as a type checker sees them, beside the classes.
STUBS = """
import ast, inspect, pathlib, tallorder.ttypes as ttypes
stub = ast.parse(pathlib.Path(ttypes.__file__).with_suffix(".pyi").read_text("utf-8"))
classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
real = {name: kind for name, kind in vars(ttypes).items()
        if inspect.isclass(kind) and kind.__module__ == ttypes.__name__}
assert set(classes) == set(real), set(classes) ^ set(real)
for name, kind in real.items():
    told = {node.target.id for node in classes[name].body if isinstance(node, ast.AnnAssign)}
    made = [node for node in classes[name].body if isinstance(node, ast.FunctionDef)]
    wanted = set(inspect.signature(kind).parameters) if made else {
        one for one in vars(kind) if not one.startswith("__")}
    assert told == wanted, (name, told ^ wanted)
    assert not made or {argument.arg for argument in made[0].args.args[1:]} == wanted, name
lines = [ast.unparse(node) for name in ("LineItem", "ShippingLocation", "WriteOptions") for node in classes[name].body]
assert {"number: int", "price: Optional[Decimal]", "line_items: list[LineItem]", "token: Optional[bytes]"} < set(lines)
"""


def open_wheel():
    (file,) = pathlib.Path(MADE.name).glob("*.whl")
    return zipfile.ZipFile(file)


@test
def wheels_of_a_commit_are_the_same(_):
    """Nothing in it has the time at which it was made."""
    with open_wheel() as archive:
        equal({entry.date_time for entry in archive.infolist()}, {(2020, 9, 13, 12, 26, 40)})


@test
def a_wheel_says_what_it_needs(_):
    with open_wheel() as archive:
        (about,) = [name for name in archive.namelist() if name.endswith("/METADATA")]
        text = archive.read(about).decode("utf-8").replace("(", "").replace(")", "")
        equal({line.replace(" ", "") for line in text.splitlines() if line.startswith("Requires-Dist")},
              {"Requires-Dist:thrift>=0.17", "Requires-Dist:six"})
        equal(archive.read(about.replace("METADATA", "LICENSE")), (SOURCE / "LICENSE").read_bytes())


@test
def example_of_the_readme(folder):
    text = (SOURCE / "tools/python/README.md").read_text("utf-8")
    example = re.search(r"^```python\n(.*?)^```$", text, re.M | re.S).group(1)
    with Server(folder) as address:
        said = call(PYTHON, "-c", example, address, cwd=folder)
        equal(said, "somebody was faster: True\n10248 196.00\n")
        run("get", "--server", address, "VINET", "10248").ends(DONE, "CHF")


@test
def errors_pages_and_lost_answers(folder):
    with Server(folder) as address:
        said = call(PYTHON, "-c", SCRIPT, address, cwd=folder)  # Thrift's library logs, too
        equal(said.splitlines()[-1], "done")


@test
def is_typed_and_short(_):
    text = (SOURCE / "tools/python/client.py").read_text("utf-8")
    equal(len(text.splitlines()) < 350, True)
    untyped = [line for line in re.findall(r"^ *def .*?:$", text, re.M | re.S) if "->" not in line
               and "class " not in line and "__init__(self, message" not in line]
    equal(untyped, [])
    with open_wheel() as archive:
        equal([name for name in archive.namelist() if name.endswith("py.typed")],
              ["tallorder/py.typed", "tallorder_client/py.typed"])
    call(PYTHON, "-c", STUBS)


if __name__ == "__main__":
    sys.exit(main())
