#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""What lies in HBase is what FORMAT.md says, byte by byte, under every layout and key strategy.

The program stores; then the rows are read straight from the gateway by python3-thrift, with code
generated from idl/hbase.thrift, and compared with bytes that stored_format.py computes from
FORMAT.md alone. Every row of every table of the deployment must be accounted for. All Northwind
orders and customers, and chosen ones: nothing but numbers, every part, every kind of empty.
"""

import csv
import itertools
import json
import os
import re
import struct
import sys
import uuid

import stored_format as fmt
from support import NORTHWIND, SOURCE, Checks, connected, generated, run

ALL_VERSIONS = 2**31 - 1
FIRST_REVISION = 2**40  # of what no load has stored
ROWS_A_SCAN = 1000
TOKEN = uuid.UUID("11223344-5566-4788-99aa-bbccddeeff00")
TEXTS = {"0": "", "ä": "漢字 🧾", "a": "a\nb\tc", "Z": "'\"\\<&>", "b": "x" * 1000}

LINES = [
    {"number": 2**31 - 1, "quantity": "-1", "price": "0.10"},
    {"number": 4, "item_number": "", "description": "", "quantity": "0",
     "price": "0.000000000000000000", "discount": "1"},
    {"number": 3, "item_number": "漢", "description": "a\nb", "quantity": "-0.05", "price": "1.50",
     "discount": "0.150"},
]
ORDERS = [
    {"customer_number": "C1", "order_number": "nothing but numbers"},
    {"customer_number": "C1", "order_number": "empty texts", "sales_date": "1970-01-01",
     "currency": "", "attributes": {"empty": ""},
     "shipping_locations": [{"number": 7, "name": "", "address": {"line1": "", "zip": ""}}]},
    {"customer_number": "C1", "order_number": "empty location and address",
     "shipping_locations": [{"number": 2}, {"number": 1, "address": {}}]},
    {"customer_number": "Ärger & Söhne/漢字", "order_number": "2024-0001 🧾",
     "sales_date": "0001-01-01", "currency": "EUR", "attributes": TEXTS,
     "shipping_locations": [
         {"number": 2**31 - 1, "name": "漢字", "ship_date": "9999-12-31T23:59:59.999Z",
          "address": dict.fromkeys(fmt.ADDRESS, "Überall"), "line_items": LINES},
         {"number": 1, "line_items": [{"number": 1}, {"number": 2, "price": "1"}]}]},
    {"customer_number": "C1", "order_number": "no total fits", "shipping_locations": [
        {"number": 1, "line_items": [{"number": 1, "quantity": str(2**63 - 1), "price": "2"}]}]},
    {"customer_number": "C1", "order_number": "largest numbers", "shipping_locations": [
        {"number": 1, "line_items": [{"number": 1, "quantity": str(-(2**63)), "price": "1.00"},
                                     {"number": 2, "quantity": str(2**63 - 1)},
                                     {"number": 3, "quantity": "-9.223372036854775808"}]}]},
    {"customer_number": "C1", "order_number": "money", "billing_address": {},
     "adjustments": [{"kind": "漢", "amount": "-0.005", "description": "", "line": 2**31 - 1},
                     {"kind": "fee", "amount": str(2**63 - 1)}, {"kind": "fee", "amount": "0.00"}]},
    {"customer_number": "C1", "order_number": "money and lines", "sales_date": "1996-07-04",
     "billing_address": dict.fromkeys(fmt.ADDRESS, "Überall"),
     "adjustments": [{"kind": "shipping", "amount": "4.95"}, {"kind": "discount", "amount": "-1.0"}],
     "shipping_locations": [{"number": 1, "line_items": LINES}]},
    {"customer_number": "C1", "order_number": "1,000 lines", "shipping_locations": [
        {"number": at, "line_items": [{"number": n, "item_number": f"{n}", "price": f"{n}.25",
                                       "quantity": "3"} for n in range(at * 500, at * 500 + 500)]}
        for at in (1, 2)]},
]
CUSTOMERS = [
    {"number": "only a number"},
    {"number": "empty", "name": "", "email": "", "address": {}, "phones": ["", ""],
     "attributes": {"empty": ""}},
    {"number": "Ärger & Söhne/漢字", "name": "漢字", "email": "a@b", "phones": ["2", "1", "2"],
     "address": {"line2": "", "city": "Zürich"}, "attributes": TEXTS},
]
REPLACED = {"customer_number": "C2", "order_number": "replaced", "currency": "EUR",
            "shipping_locations": [{"number": 1, "line_items": [{"number": 1}]}, {"number": 3}]}


# ---- The Northwind files, by rules written here a second time ------------------------------------

def present(**values):
    return {name: value for name, value in values.items() if value not in ("", {}, None)}


def northwind_orders():
    with open(NORTHWIND / "orders.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    names = {name: i for i, name in enumerate(rows[0])}
    for _, group in itertools.groupby(rows[1:], key=lambda row: row[0]):
        yield northwind_order([{name: row[i] for name, i in names.items()} for row in group])


def northwind_order(rows):
    first = rows[0]
    lines = [{"number": number, **present(
        item_number=row["ProductID"], quantity=row["Quantity"], price=row["UnitPrice"],
        discount=row["Discount"])} for number, row in enumerate(rows, 1)]
    address = present(line1=first["ShipAddress"], city=first["ShipCity"], state=first["ShipRegion"],
                      zip=first["ShipPostalCode"], country=first["ShipCountry"])
    location = {"number": 1, "line_items": lines, **present(
        name=first["ShipName"], address=address, ship_date=first["ShippedDate"])}
    return {"customer_number": first["CustomerID"], "order_number": first["OrderID"],
            "sales_date": first["OrderDate"], "shipping_locations": [location],
            "attributes": present(
                employee_id=first["EmployeeID"], required_date=first["RequiredDate"],
                ship_via=first["ShipVia"], freight=first["Freight"])}


def northwind_customers():
    with open(NORTHWIND / "customers.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            address = present(line1=row["Address"], city=row["City"], state=row["Region"],
                              zip=row["PostalCode"], country=row["Country"])
            yield {"number": row["CustomerID"],
                   "phones": [row["Phone"]] if row["Phone"] else [],
                   "attributes": present(
                       contact_name=row["ContactName"], contact_title=row["ContactTitle"],
                       fax=row["Fax"]),
                   **present(name=row["CompanyName"], address=address)}


# ---- Reading from the gateway ---------------------------------------------------------------------

def scan(gateway, table):
    """Every cell of a table: {row key: {column: [(timestamp, value), …]}}."""
    from hbase.ttypes import TScan

    rows, start = {}, b""
    while True:
        found = gateway.getScannerResults(
            table, TScan(startRow=start, maxVersions=ALL_VERSIONS, caching=ROWS_A_SCAN),
            ROWS_A_SCAN)
        for result in found:
            columns = rows.setdefault(result.row, {})
            for cell in result.columnValues:
                name = cell.family + b":" + cell.qualifier
                columns.setdefault(name, []).append((cell.timestamp, cell.value))
        if len(found) < ROWS_A_SCAN:
            return rows
        start = found[-1].row + b"\0"


class Deployment:
    """All that lies in a deployment's tables. What a check has seen is taken out."""

    def __init__(self, gateway, name, layout, key):
        tables = [*fmt.TABLES[layout], "index", *(["ids"] if key == "numeric" else [])]
        self.rows = {(table, row): columns for table in tables
                     for row, columns in scan(gateway, f"{name}.{table}".encode()).items()}
        # Which id a customer has is not computed, only what follows from it.
        ids = {row[1:].decode(): struct.unpack(">Q", columns[b"d:v"][0][1])[0]
               for (table, row), columns in self.rows.items() if (table, row[:1]) == ("ids", b"n")}
        self.layout, self.key = layout, fmt.Key(key, ids)

    def differences(self, rows, place, make_state, token, has_origin, loaded=False):
        """What is not as computed, in words; `s` must be make_state(revision, token, origin)."""
        stored = {where: self.rows.pop(where, {}) for where in rows}
        state_cells = stored[place].pop(b"d:s", [])
        if len(state_cells) != 1:
            return [f"{place}: {len(state_cells)} cells d:s"]
        revision, cell = state_cells[0]
        state = fmt.unpack_state(cell)
        origin = state.pending_token[:8] if has_origin else bytes(8)
        wanted = make_state(revision, state.token if token is None else token, origin)
        found = [f"{place} s.{name}: {got!r}, computed {want!r}"
                 for name, got, want in zip(fmt.State._fields, state, wanted) if got != want]
        right = 0 < revision < FIRST_REVISION if loaded else (
            revision >= FIRST_REVISION and revision % 2 == 0)
        if not any(state.token) or not right or any(origin) != has_origin:
            found.append(f"{place}: token {state.token.hex()}, revision {revision}")
        for where, columns in rows.items():
            computed = {b"d:" + (name if isinstance(name, bytes) else name.encode()):
                        [(revision, value)] for name, value in columns.items()}
            found += [f"{where} {name}: {stored[where].get(name)!r}, computed {computed.get(name)!r}"
                      for name in sorted(stored[where].keys() | computed.keys())
                      if stored[where].get(name) != computed.get(name)]
        return found

    def order_differences(self, order, replaced=0, token=None, loaded=False):
        place = fmt.place_of_order(self.layout, self.key, order["customer_number"],
                                   order["order_number"])
        hint = fmt.rows_of_index(self.key, order)
        hinted = self.hinted_at(hint, place, replaced)
        return self.differences(
            fmt.rows_of_order(self.layout, self.key, order), place,
            lambda *given: fmt.state_of_order(order, *given, replaced), token,
            self.layout in fmt.SINGLE_ROW, loaded) + self.plain_differences(hint, hinted)

    def hinted_at(self, hint, place, replaced):
        """The timestamp that the hint must have: the order's revision. A replacement may have
        written it for a revision that it tried before, after the replaced one."""
        stored = [time for time, _ in self.rows.get(place, {}).get(b"d:s", [])]
        found = [time for where in hint for cells in self.rows.get(where, {}).values()
                 for time, _ in cells]
        if replaced > 0 and stored and found and replaced < found[0] <= stored[0]:
            return found[0]
        return stored[0] if stored else None

    def plain_differences(self, rows, timestamp=None):
        """Of rows that have no state."""
        found = []
        for where, columns in rows.items():
            computed = {b"d:" + name.encode(): [(timestamp, value)]
                        for name, value in columns.items()}
            stored = self.rows.pop(where, {})
            if stored != computed:
                found.append(f"{where}: {stored!r}, computed {computed!r}")
        return found

    def id_differences(self, numbers):
        """Each customer has an id, which leads back; the counter is not behind. More ids may have
        been given, and wasted."""
        ids = self.key.ids
        found = [d for number, given in ids.items()
                 for d in self.plain_differences(fmt.rows_of_id(number, given), 1)]
        if ids.keys() != numbers or len(set(ids.values())) != len(ids) or min(ids.values()) < 1:
            found.append(f"{ids}, but the customers are {numbers}")
        wasted = [where for where in self.rows if where[0] == "ids" and where[1][:1] == b"i"]
        highest = max([*ids.values(), *(struct.unpack(">Q", row[1:])[0] for _, row in wasted)])
        found += [f"{where}: {self.rows[where]}" for where in wasted
                  if self.rows.pop(where)[b"d:v"][0][1].decode() not in numbers]
        counter = self.rows.pop(("ids", b"c"), {})
        if list(counter) != [b"d:last"] or len(counter[b"d:last"]) != 1 or (
                struct.unpack(">q", counter[b"d:last"][0][1])[0] < highest):
            found.append(f"the counter: {counter}, but ids up to {highest}")
        return found

    def customer_differences(self, customer, loaded=False):
        return self.differences(
            fmt.rows_of_customer(self.layout, self.key, customer),
            fmt.place_of_customer(self.layout, self.key, customer["number"]),
            lambda *given: fmt.state_of_customer(customer, *given), None, True, loaded)

    def tombstone_differences(self, customer, order, replaced):
        return self.differences(
            fmt.rows_of_tombstone(self.layout, self.key, customer, order),
            fmt.place_of_order(self.layout, self.key, customer, order),
            lambda *given: fmt.state_of_tombstone(*given, replaced), None,
            self.layout in fmt.SINGLE_ROW)


# ---- The checks ------------------------------------------------------------------------------------

def put(store, order, *options, kind=()):
    """Stores; returns the revision that the program names."""
    said = run(*kind, "put", "--store", store, "-", *options, input=json.dumps(order))
    return int(said.split()[-1])


def fill(store, layout, key):
    """Stores everything; returns the revisions that were replaced: of an order, of a deleted one."""
    run("init", "--store", store, "--layout", layout, "--key", key, "--index", "date")
    run("load", "--store", store, NORTHWIND / "orders.csv", "--map", "northwind")
    run("load", "--store", store, NORTHWIND / "customers.csv", "--map", "northwind-customers")
    run("put", "--store", store, "-", input="\n".join(map(json.dumps, ORDERS)))
    for customer in CUSTOMERS:
        put(store, customer, kind=["customer"])
    replaced = put(store, dict(ORDERS[3], **{k: REPLACED[k] for k in
                                             ("customer_number", "order_number")}))
    put(store, REPLACED, "--token", TOKEN)
    deleted = put(store, dict(REPLACED, order_number="deleted"))
    run("delete", "--store", store, "C2", "deleted")
    return replaced, deleted


def check_rows(checks, what, deployment, replaced, deleted):
    def check(differences, name):
        checks.check(not differences, f"{what}: {name}", "\n".join(differences[:20]))

    orders, customers = list(northwind_orders()), list(northwind_customers())
    check([d for order in orders for d in deployment.order_differences(order, loaded=True)],
          f"{len(orders)} Northwind orders as computed")
    check([d for customer in customers
           for d in deployment.customer_differences(customer, loaded=True)],
          f"{len(customers)} Northwind customers as computed")
    for order in ORDERS:
        check(deployment.order_differences(order), f"an order: {order['order_number']}")
    for customer in CUSTOMERS:
        check(deployment.customer_differences(customer), f"a customer: {customer['number']}")
    check(deployment.order_differences(REPLACED, replaced, TOKEN.bytes),
          "an order that replaced another one, with the caller's token")
    check(deployment.tombstone_differences("C2", "deleted", deleted), "a deleted order")
    if deployment.key.name == "numeric":
        numbers = {one["customer_number"] for one in [*orders, *ORDERS, REPLACED]}
        numbers |= {one["number"] for one in [*customers, *CUSTOMERS]}
        check(deployment.id_differences(numbers), f"{len(numbers)} ids")
    check([repr(where) for where in deployment.rows], "no other rows")


def check_record(checks, what, gateway, name, layout, key):
    rows = scan(gateway, f"{name}.meta".encode())
    record = {column.decode(): cells[0][1].decode() for column, cells in rows.pop(b"deployment", {}).items()}
    version = uuid.UUID(record.pop("d:id", str(uuid.UUID(int=0)))).version
    wanted = {"d:format": str(fmt.FORMAT), "d:layout": layout, "d:key_strategy": key,
              "d:ttl": fmt.checked("0"), "d:mode": "normal", "d:index": "date"}
    bulk_revision = record.pop("d:bulk_revision")
    number = bulk_revision.split("/")[0]
    taken = int(number) if bulk_revision == fmt.checked(number) else 0
    checks.check((record, version, rows, taken > 0) == (wanted, 4, {}, True),
                 f"{what}: the deployment record",
                 f"{record} with a UUID of version {version}, and {rows}")


def pairs():
    """Every layout with two key strategies, every key strategy with two layouts."""
    for at, layout in enumerate(fmt.LAYOUTS):
        for key in (fmt.KEYS * 2)[at:at + 2]:
            yield layout, key


def check_example(checks):
    """The example of a state cell in FORMAT.md is one by our reading, too."""
    text = (SOURCE / "src" / "layout" / "FORMAT.md").read_text(encoding="utf-8")
    block = re.search(r"^( {4}01 01 00 01 .*\n(?: {4}[0-9a-f ]+\n)+)", text, re.M)
    wanted = fmt.State(1, 1, 1, 1, 2, fmt.date("1996-07-04"), 1700000000000, b"\x11" * 16, 0,
                       bytes(16), fmt.md5(b""))
    state = fmt.unpack_state(bytes.fromhex(block.group(1)))
    checks.check(state == wanted, "FORMAT.md's example of a state cell", state)


def main():
    checks = Checks()
    if "TALLORDER_HBASE_BINARY" not in os.environ:
        checks.skip("TALLORDER_HBASE_BINARY names no HBase")
        return checks.finish()

    address = os.environ["TALLORDER_HBASE_BINARY"]
    check_example(checks)
    with generated("hbase"):
        from hbase import Gateway
        with connected(address.split(",")[0], Gateway, framed=False) as gateway:
            for layout, key in pairs():
                name = f"bytes-{layout}-{key}-{os.getpid()}"
                what = f"{layout}, {key}"
                replaced = fill(f"hbase://{address}?name={name}", layout, key)
                check_rows(checks, what, Deployment(gateway, name, layout, key), *replaced)
                check_record(checks, what, gateway, name, layout, key)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
