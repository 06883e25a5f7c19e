#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Loads all Northwind orders, fetches each over Thrift from Python, compares with the CSV.

    northwind.py rocksdb     on an embedded store
    northwind.py hbase       on the HBase that $TALLORDER_HBASE_BINARY names

Each layout and each key strategy once; with TALL_TEST_ALL, on an embedded store, every pair of them.
"""

import csv
import datetime
import itertools
import os
import sys
import tempfile

from support import NORTHWIND, TAKES_ALL, Checks, connected, generated, names_of, pages, run, serving

LAYOUTS, KEYS = names_of("layouts"), names_of("key_strategies")
UTC = datetime.timezone.utc


def milliseconds(day):
    return int(datetime.datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() * 1000)


def text(decimal):
    """A Decimal of the IDL as the text that it was made of."""
    if decimal is None:
        return None
    sign = "-" if decimal.unscaled < 0 else ""
    digits = str(abs(decimal.unscaled)).rjust(decimal.scale + 1, "0")
    if decimal.scale == 0:
        return sign + digits
    return f"{sign}{digits[:-decimal.scale]}.{digits[-decimal.scale:]}"


def expected_orders():
    """Each order as {field: value}, straight from the file, by rules written here a second time."""
    with open(NORTHWIND / "orders.csv", newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        header = next(rows)
        names = {name: header.index(name) for name in header}
        for _, group in itertools.groupby(rows, key=lambda row: row[0]):
            lines = list(group)
            yield lines[0], {name: [line[i] for line in lines] for name, i in names.items()}


def optional(value):
    return value if value != "" else None


def differences(order, columns):
    """What is not as in the file, in words."""
    first = {name: values[0] for name, values in columns.items()}
    location = order.shipping_locations[0] if order.shipping_locations else None
    if location is None or len(order.shipping_locations) != 1:
        return ["not exactly one shipping location"]
    address = location.address
    shipped = optional(first["ShippedDate"])
    pairs = [
        ("customer_number", order.customer_number, first["CustomerID"]),
        ("order_number", order.order_number, first["OrderID"]),
        ("sales_date", order.sales_date, milliseconds(first["OrderDate"])),
        ("location number", location.number, 1),
        ("ship_date", location.ship_date, shipped and milliseconds(shipped)),
        ("name", location.name, optional(first["ShipName"])),
        ("line1", address.line1, optional(first["ShipAddress"])),
        ("city", address.city, optional(first["ShipCity"])),
        ("state", address.state, optional(first["ShipRegion"])),
        ("zip", address.zip, optional(first["ShipPostalCode"])),
        ("country", address.country, optional(first["ShipCountry"])),
        ("line2", address.line2, None),
        ("line numbers", [i.number for i in location.line_items],
         list(range(1, len(columns["OrderID"]) + 1))),
        ("item numbers", [i.item_number for i in location.line_items], columns["ProductID"]),
        ("quantities", [text(i.quantity) for i in location.line_items], columns["Quantity"]),
        ("prices", [text(i.price) for i in location.line_items], columns["UnitPrice"]),
        ("discounts", [text(i.discount) for i in location.line_items], columns["Discount"]),
    ]
    for attribute, column in (("employee_id", "EmployeeID"), ("required_date", "RequiredDate"),
                              ("ship_via", "ShipVia"), ("freight", "Freight")):
        pairs.append((attribute, order.attributes.get(attribute), optional(first[column])))
    return [f"{name}: {got!r}, in the file {want!r}" for name, got, want in pairs if got != want]


def compare(client):
    wrong, orders, lines = [], 0, 0
    for first, columns in expected_orders():
        result = client.getOrder(first[1], first[0])
        orders += 1
        lines += len(columns["OrderID"])
        wrong += [f"order {first[0]}: {d}" for d in differences(result.order, columns)]
    return wrong, orders, lines


def check_listings(checks, client, types, what):
    """The customers, and each one's orders, are those of the files."""
    sold = {}
    for first, columns in expected_orders():
        sold.setdefault(first[1], []).append((-milliseconds(columns["OrderDate"][0]), first[0],
                                              len(columns["OrderID"])))
    with open(NORTHWIND / "customers.csv", newline="", encoding="utf-8") as file:
        names = {row["CustomerID"]: row["CompanyName"] for row in csv.DictReader(file)}
    listed = {entry.number: entry.name for page in pages(
        client.listCustomers, types.ListCustomersRequest(limit=25)) for entry in page.entries}
    checks.check(listed == names, f"{what}: {len(names)} customers are listed",
                 sorted(listed.items() ^ names.items()))
    wrong = []
    for number in names:
        got = [(-e.sales_date, e.order_number, e.lines) for page in pages(
            client.listOrders, types.ListOrdersRequest(customer_number=number, limit=10))
            for e in page.entries]
        if sorted(got) != sorted(sold.get(number, [])) or [d for d, _, _ in got] != sorted(
                d for d, _, _ in got):
            wrong.append(f"{number}: {got}")
    checks.check(not wrong, f"{what}: each one's orders are listed, newest first",
                 "\n".join(wrong[:20]))


def check_deployment(checks, store, layout, key, modules):
    what = f"{layout}, {key}"
    types, service = modules
    run("init", "--store", store, "--layout", layout, "--key", key)
    run("load", "--store", store, NORTHWIND / "orders.csv", "--map", "northwind")
    run("load", "--store", store, NORTHWIND / "customers.csv", "--map", "northwind-customers")
    with serving(store) as server, connected(server.address, service) as client:
        wrong, orders, lines = compare(client)
        checks.check((orders, lines) == (830, 2155), f"{what}: 830 orders, 2155 lines",
                     f"{orders} orders, {lines} lines")
        checks.check(not wrong, f"{what}: each order as in the file", "\n".join(wrong[:20]))
        customer = client.getCustomer("ALFKI").customer
        checks.check(
            (customer.name, customer.address.city, customer.phones)
            == ("Alfreds Futterkiste", "Berlin", ["030-0074321"]),
            f"{what}: a customer as in the file", customer)
        check_listings(checks, client, types, what)


def main(kind):
    checks = Checks()
    if kind == "hbase" and "TALLORDER_HBASE_BINARY" not in os.environ:
        checks.skip("TALLORDER_HBASE_BINARY names no HBase")
        return checks.finish()

    with generated("tallorder"), tempfile.TemporaryDirectory() as folder:
        from tallorder import OrderService, ttypes
        pairs = itertools.product if kind == "rocksdb" and TAKES_ALL else zip
        for layout, key in pairs(LAYOUTS, KEYS):
            name = f"northwind-{layout}-{key}"
            store = (f"rocksdb:{folder}/{name}?sync=0" if kind == "rocksdb" else
                     f"hbase://{os.environ['TALLORDER_HBASE_BINARY']}?name={name}-{os.getpid()}")
            check_deployment(checks, store, layout, key, (ttypes, OrderService))
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
