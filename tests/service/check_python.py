#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Uses the service from another language: Python's Thrift library with code generated now.

    check_python.py SERVER [LAYOUT]    SERVER prints "listening on HOST:PORT", and ends with its input

What goes in must come out, field by field, absent and empty kept apart, in both protocols; what is
wrong must be refused with its place. Prints TAP.
"""

import pathlib
import subprocess
import sys
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from support import Checks, connected, generated  # noqa: E402

TEXTS = ("", " ", "plain", "Überraschung – 漢字 🧾", "a\nb\tc", "'\"\\<&>", "x" * 1000)


def orders(types):
    """Orders by name, from the emptiest to the fullest."""
    Decimal = types.Decimal
    everything = types.Order(
        customer_number="Ärger & Söhne/漢字", order_number="2024-0001 🧾",
        sales_date=-62135596800000, currency="",
        shipping_locations=[
            types.ShippingLocation(number=1, name="", address=types.Address(), line_items=[]),
            types.ShippingLocation(
                number=2, name=TEXTS[3],
                address=types.Address(line1=TEXTS[3], line2="", city=TEXTS[5], state=None,
                                      zip="0", country="x"),
                ship_date=253402300799999,
                line_items=[
                    types.LineItem(number=1),
                    types.LineItem(number=2, item_number="", description="",
                                   quantity=Decimal(0, 0), price=Decimal(0, 18),
                                   discount=Decimal(1, 0)),
                    types.LineItem(number=3, item_number=TEXTS[3], description=TEXTS[4],
                                   quantity=Decimal(-(2**63), 18), price=Decimal(2**63 - 1, 0),
                                   discount=Decimal(150, 3)),
                    types.LineItem(number=2**31 - 1, quantity=Decimal(-1, 0),
                                   price=Decimal(150, 2)),
                ]),
            types.ShippingLocation(number=2**31 - 1, line_items=[]),
        ],
        attributes={text or "empty": text for text in TEXTS})
    return {
        "nothing but numbers": types.Order(customer_number="1", order_number="1",
                                           shipping_locations=[], attributes={}),
        "empty texts": types.Order(customer_number="1", order_number="2", sales_date=0, currency="",
                                   shipping_locations=[], attributes={"a": ""}),
        "everything": everything,
        "1,000 lines": types.Order(
            customer_number="1", order_number="3", attributes={},
            shipping_locations=[types.ShippingLocation(number=1, line_items=[
                types.LineItem(number=n, item_number=str(n), price=Decimal(n, 2))
                for n in range(1, 1001)])]),
    }


def customers(types):
    return {
        "customer of nothing": types.Customer(number="1", phones=[], attributes={}),
        "customer of empty texts": types.Customer(
            number="2", name="", address=types.Address(line1=""), phones=["", ""], email="",
            attributes={"a": ""}),
        "customer of everything": types.Customer(
            number="漢字", name=TEXTS[3],
            address=types.Address(*TEXTS[1:7]), phones=["2", "1", "2", TEXTS[3]],
            email="a@b", attributes={text or "empty": text for text in TEXTS}),
    }


def failure(types, call, *arguments):
    """The TallError of a call that must have one; else a text that says what came instead."""
    try:
        return f"no error, but {call(*arguments)!r}"
    except types.TallError as error:
        return error


def code(types, error):
    return types.ErrorCode._VALUES_TO_NAMES.get(getattr(error, "code", None), error)


def check_orders(checks, client, types, name):
    for what, order in orders(types).items():
        put = client.putOrder(order, None)
        got = client.getOrder(order.customer_number, order.order_number)
        checks.check(got.order == order, f"{name}: {what}: the same comes back",
                     f"sent {order!r}\ngot  {got.order!r}")
        checks.check(got.revision == put.revision, f"{name}: {what}: with its revision")
    shuffled = orders(types)["everything"]
    shuffled.shipping_locations.reverse()
    shuffled.shipping_locations[1].line_items.reverse()
    client.putOrder(shuffled, types.WriteOptions())
    got = client.getOrder(shuffled.customer_number, shuffled.order_number)
    checks.check(got.order == orders(types)["everything"], f"{name}: lists come back sorted")
    left_out = types.Order(customer_number="1", order_number="4")
    client.putOrder(left_out, None)
    got = client.getOrder("1", "4").order
    checks.check((got.shipping_locations, got.attributes) == ([], {}),
                 f"{name}: lists that are left out are empty", got)


def check_customers(checks, client, types, name):
    for what, customer in customers(types).items():
        put = client.putCustomer(customer, None)
        got = client.getCustomer(customer.number)
        checks.check(got.customer == customer, f"{name}: {what}: the same comes back",
                     f"sent {customer!r}\ngot  {got.customer!r}")
        checks.check(got.revision == put.revision, f"{name}: {what}: with its revision")


def check_writes(checks, client, types, name):
    order = types.Order(customer_number="writes", order_number=name)
    absent = types.WriteOptions(condition=types.WriteCondition.ABSENT, token=uuid.uuid4().bytes)
    first = client.putOrder(order, absent).revision
    again = client.putOrder(order, absent).revision
    checks.check(first == again, f"{name}: a put sent again is stored once", (first, again))

    absent.token = uuid.uuid4().bytes
    error = failure(types, client.putOrder, order, absent)
    checks.check((code(types, error), getattr(error, "revision", None)) == ("CONFLICT", first),
                 f"{name}: a conflict tells the revision that is stored", error)
    options = types.WriteOptions(condition=types.WriteCondition.REVISION, revision=first)
    second = client.putOrder(order, options).revision
    checks.check(second > first, f"{name}: revisions grow", (first, second))
    error = failure(types, client.deleteOrder, "writes", name, options)
    checks.check(code(types, error) == "CONFLICT", f"{name}: a delete minds its condition", error)
    client.deleteOrder("writes", name, None)
    for call in (client.getOrder, lambda c, o: client.deleteOrder(c, o, None)):
        error = failure(types, call, "writes", name)
        checks.check(code(types, error) == "NOT_FOUND" and error.revision is None,
                     f"{name}: what was deleted is not found", error)


def check_refusals(checks, client, types, name):
    def order(**fields):
        return types.Order(**{"customer_number": "1", "order_number": "refused", **fields})

    def line(**fields):
        return order(shipping_locations=[types.ShippingLocation(
            number=1, line_items=[types.LineItem(**{"number": 1, **fields})])])

    cases = [
        ("NUL in a number", order(customer_number="a\0b"), "INVALID", "customer_number"),
        ("NUL in a text", order(currency="a\0b"), "INVALID", "currency"),
        ("NUL in an attribute", order(attributes={"a": "\0"}), "INVALID", "attributes"),
        ("NUL in an attribute's name", order(attributes={"\0": "a"}), "INVALID", "attributes"),
        ("NUL at the end", line(item_number="a\0"), "INVALID",
         "shipping_locations[0].line_items[0].item_number"),
        ("an empty number", order(order_number=""), "INVALID", "order_number"),
        ("no number", order(order_number=None), "INVALID", "order_number"),
        ("a number that is too long", order(order_number="ä" * 65), "TOO_LARGE", None),
        ("a line without a number", line(number=None), "INVALID",
         "shipping_locations[0].line_items[0].number"),
        ("a scale of 19", line(price=types.Decimal(1, 19)), "INVALID",
         "shipping_locations[0].line_items[0].price"),
        ("a decimal without a scale", line(price=types.Decimal(1)), "INVALID",
         "shipping_locations[0].line_items[0].price"),
        ("too many locations", order(shipping_locations=[
            types.ShippingLocation(number=n) for n in range(1, 10002)]), "TOO_LARGE", None),
        ("too much text", order(currency="x" * 2**20), "TOO_LARGE", None),
        ("nothing", None, "INVALID", "customer_number"),
    ]
    for what, wrong, expected, field in cases:
        error = failure(types, client.putOrder, wrong, None)
        checks.check((code(types, error), getattr(error, "field", None)) == (expected, field),
                     f"{name}: {what} is {expected} at {field}", error)
    for what, options, field in (
            ("a short token", types.WriteOptions(token=b"short"), "options.token"),
            ("a revision alone", types.WriteOptions(revision=1), "options.revision"),
            ("no time", types.WriteOptions(timeout_ms=0), "options.timeout_ms")):
        error = failure(types, client.putOrder, order(), options)
        checks.check((code(types, error), getattr(error, "field", None)) == ("INVALID", field),
                     f"{name}: {what} is INVALID at {field}", error)
    error = failure(types, client.getOrder, "1", "refused")
    checks.check(code(types, error) == "NOT_FOUND", f"{name}: none of them was stored", error)
    error = failure(types, client.getCustomer, "a\0b")
    checks.check(code(types, error) == "INVALID", f"{name}: nor is NUL cut from what is asked for",
                 error)


def check_all(checks, address, service, types, name, compact):
    with connected(address, service, compact=compact) as client:
        client.ping()
        got = client.describe()
        checks.check((got.store, got.key_strategy, got.read_only) == ("memory", "hashed", False),
                     f"{name}: describe", got)
        check_orders(checks, client, types, name)
        check_customers(checks, client, types, name)
        check_writes(checks, client, types, name)
        check_refusals(checks, client, types, name)


def main(server, layout):
    checks = Checks()
    with generated("tallorder"):
        from tallorder import OrderService, ttypes
        with subprocess.Popen([server, layout], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as process:
            try:
                address = process.stdout.readline().split()[2]
                for name, compact in (("binary", False), ("compact", True)):
                    check_all(checks, address, OrderService, ttypes, name, compact)
            finally:
                process.stdin.close()
        checks.check(process.returncode == 0, "the server ends well", process.returncode)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "blob"))
