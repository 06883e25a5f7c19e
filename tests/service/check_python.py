#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Uses the service from another language: Python's Thrift library with code generated now.

    check_python.py SERVER [LAYOUT|front|all [KEY]]

SERVER is given the same, prints "listening on HOST:PORT", and ends with its input. For `all` it is
started once for each layout, and for each key strategy at least once.

What goes in must come out, field by field, absent and empty kept apart, in both protocols; what is
wrong must be refused with its place. Prints TAP.
"""

import pathlib
import subprocess
import sys
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from patches import check_patches  # noqa: E402
from support import Checks, connected, generated, names_of, pages  # noqa: E402

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
        attributes={text or "empty": text for text in TEXTS},
        adjustments=[types.Adjustment("shipping", Decimal(490, 2)),
                     types.Adjustment(TEXTS[3], Decimal(-(2**63), 18), "", 3)],
        billing_address=types.Address(line1="", city=TEXTS[3]))
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


def check_many(checks, client, types, name):
    put = [types.OrderPut(order=order) for order in orders(types).values()]
    put[0].options = types.WriteOptions(condition=types.WriteCondition.REVISION, revision=1)
    put[1].options = types.WriteOptions(token=b"short")
    put[2].options = types.WriteOptions(token=uuid.uuid4().bytes, timeout_ms=5000)
    put += [types.OrderPut(), types.OrderPut(order=types.Order(customer_number="many"))]
    outcomes = client.putOrders(types.PutOrdersRequest(puts=put)).outcomes
    told = [("stored" if one.failure is None else code(types, one.failure),
             getattr(one.failure, "field", None)) for one in outcomes]
    checks.check(told == [("CONFLICT", None), ("INVALID", "options.token"), ("stored", None),
                          ("stored", None), ("INVALID", "order"), ("INVALID", "order_number")],
                 f"{name}: each put of many has its own outcome", told)
    checks.check(all((one.result is None) != (one.failure is None) for one in outcomes),
                 f"{name}: which is one of both", outcomes)
    again = client.putOrders(types.PutOrdersRequest(puts=put[2:3])).outcomes
    checks.check(again[0].result == outcomes[2].result,
                 f"{name}: one of many sent again is stored once", again)

    ids = [types.OrderId(order.customer_number, order.order_number)
           for order in orders(types).values()]
    ids += [types.OrderId("many", "none"), types.OrderId("many"), ids[2]]
    got = client.getOrders(types.GetOrdersRequest(ids=ids)).outcomes
    expected = list(orders(types).values())
    checks.check([one.result and one.result.order for one in got]
                 == [*expected, None, None, expected[2]], f"{name}: many come back the same", got)
    checks.check([code(types, one.failure) for one in got[4:6]] == ["NOT_FOUND", "INVALID"],
                 f"{name}: each get of many has its own outcome", got[4:6])
    checks.check(client.getOrders(types.GetOrdersRequest()).outcomes == [],
                 f"{name}: none of none")


def check_many_refusals(checks, client, types, name):
    def put(**fields):
        return types.OrderPut(order=types.Order(customer_number="refused", order_number="1",
                                                **fields))

    def request(*puts):
        return types.PutOrdersRequest(puts=list(puts))

    many = [types.ShippingLocation(number=n) for n in range(1, 10001)]
    for what, call, argument, expected, field in (
            ("NUL in one of many", client.putOrders, request(put(), put(currency="\0")), "INVALID",
             "puts[1].order.currency"),
            ("too many puts", client.putOrders, request(*[put()] * 1001), "TOO_LARGE", None),
            ("too many lines", client.putOrders, request(*[put(shipping_locations=many)] * 21),
             "TOO_LARGE", None),
            ("too many ids", client.getOrders,
             types.GetOrdersRequest(ids=[types.OrderId("1", "1")] * 1001), "TOO_LARGE", None),
            ("a page of nothing", client.listOrders,
             types.ListOrdersRequest(customer_number="1", limit=0), "INVALID", "limit"),
            ("a page too large", client.listCustomers, types.ListCustomersRequest(limit=1001),
             "INVALID", "limit"),
            ("a page token of our own", client.listOrders,
             types.ListOrdersRequest(customer_number="1", page="mine"), "INVALID", "page"),
            ("dates the wrong way round", client.listOrders,
             types.ListOrdersRequest(customer_number="1", from_date=2, to_date=1), "INVALID",
             "to_date"),
            ("nobody's orders", client.listOrders, types.ListOrdersRequest(), "INVALID",
             "customer_number"),
            ("nobody with orders", client.getCustomerOrders, types.CustomerOrdersRequest(),
             "INVALID", "customer_number")):
        error = failure(types, call, argument)
        checks.check((code(types, error), getattr(error, "field", None)) == (expected, field),
                     f"{name}: {what} is {expected} at {field}", error)
    error = failure(types, client.getOrder, "refused", "1")
    checks.check(code(types, error) == "NOT_FOUND", f"{name}: nothing of a refused call is stored",
                 error)


def check_listings(checks, client, types, name):
    number = "listed " + name
    numbers = [f"{n:02}" for n in range(50)]
    client.putOrders(types.PutOrdersRequest(puts=[
        types.OrderPut(order=types.Order(
            customer_number=number, order_number=n, sales_date=int(n) or None, currency="",
            shipping_locations=[types.ShippingLocation(number=1, line_items=[
                types.LineItem(number=1, quantity=types.Decimal(2, 0),
                               price=types.Decimal(150, 2))])])) for n in numbers]))
    listed = [entry for page in pages(client.listOrders, types.ListOrdersRequest(
        customer_number=number, limit=7)) for entry in page.entries]
    checks.check(sorted(entry.order_number for entry in listed) == numbers,
                 f"{name}: every order is listed once", listed)
    one = next(entry for entry in listed if entry.order_number == "07")
    checks.check((one.sales_date, one.lines, one.total, one.currency)
                 == (7, 1, types.Decimal(300, 2), ""), f"{name}: with what is known of it", one)
    dated = client.listOrders(types.ListOrdersRequest(customer_number=number, from_date=3,
                                                      to_date=6)).entries
    checks.check(sorted(entry.sales_date for entry in dated) == [3, 4, 5],
                 f"{name}: a range of dates", dated)
    whole = list(pages(client.getCustomerOrders, types.CustomerOrdersRequest(
        customer_number=number, limit=20)))
    checks.check(sorted(one.result.order.order_number for page in whole for one in page.orders)
                 == numbers and whole[0].customer is None, f"{name}: every order whole", whole)

    customer = types.Customer(number=number, name="", phones=[], attributes={})
    client.putCustomer(customer, None)
    page = client.getCustomerOrders(types.CustomerOrdersRequest(customer_number=number))
    checks.check((page.customer, len(page.orders)) == (customer, 30),
                 f"{name}: a customer with a page of orders", page.customer)
    entries = [entry for page in pages(client.listCustomers, types.ListCustomersRequest(limit=2))
               for entry in page.entries]
    checks.check([entry.name for entry in entries if entry.number == number] == [""],
                 f"{name}: every customer is listed once", entries)
    error = failure(types, client.deleteCustomer, number, None)
    checks.check(code(types, error) == "CONFLICT", f"{name}: a customer with orders stays", error)
    for n in numbers:
        client.deleteOrder(number, n, types.WriteOptions())
    client.deleteCustomer(number, None)
    error = failure(types, client.getCustomer, number)
    checks.check(code(types, error) == "NOT_FOUND", f"{name}: one without goes", error)


def check_find(checks, client, types, name):
    item = "found " + name
    order = types.Order(customer_number=item, order_number="1", sales_date=1000, attributes={},
                        shipping_locations=[types.ShippingLocation(number=1, line_items=[
                            types.LineItem(number=n, item_number=text)
                            for n, text in ((1, item), (2, "other " + name), (3, item))])])
    client.putOrder(order, None)
    order.order_number, order.sales_date = "2", None
    revision = client.putOrder(order, None).revision
    for request in (types.FindRequest(index="item", values=[item], limit=1),
                    types.FindRequest(values=["line.item_number=" + item], limit=1)):
        found = list(pages(client.findOrders, request))
        outcomes = [outcome.result for page in found for outcome in page.orders]
        checks.check([one.order.order_number for one in outcomes] == ["1", "2"]
                     and outcomes[1].order == order and outcomes[1].revision == revision
                     and {page.index for page in found} == {"item"},
                     f"{name}: whole orders are found, each once", found)
    part = types.OrderPart(types.PartKind.SUMMARY)
    found = client.findOrders(types.FindRequest(index="item", values=[item], part=part,
                                                from_value="1970", to_value="1971"))
    checks.check([(one.result.entry.order_number, one.result.entry.lines,
                   one.result.order.shipping_locations) for one in found.orders] == [("1", 3, [])],
                 f"{name}: a range, and parts", found)
    for what, request, field in (
            ("an unknown index", types.FindRequest(index="none", values=[item]), "index"),
            ("too many values", types.FindRequest(index="item", values=[item] * 3), "values"),
            ("fields without an index", types.FindRequest(values=["currency=EUR"]), "values"),
            ("an empty range", types.FindRequest(index="item", values=[item], from_value="1971",
                                                 to_value="1970"), "to_value"),
            ("NUL in a value", types.FindRequest(index="item", values=["a\0"]), "values[0]"),
            ("a page token of our own", types.FindRequest(index="item", page="mine"), "page"),
            ("a part that there is not", types.FindRequest(index="item", part=types.OrderPart(9)),
             "part.kind"),
            ("a page of nothing", types.FindRequest(index="item", limit=0), "limit")):
        error = failure(types, client.findOrders, request)
        checks.check((code(types, error), getattr(error, "field", None)) == ("INVALID", field),
                     f"{name}: {what} is INVALID at {field}", error)


def check_erase(checks, client, types, name):
    """Part by part; it waits for what is under way, whoever goes on too early."""
    for number in ("1", "2"):
        client.putOrder(types.Order(customer_number="erased", order_number=number, shipping_locations=[],
                                    attributes={}), types.WriteOptions())
    error = failure(types, client.eraseCustomer, types.EraseRequest("nobody", False))
    checks.check(code(types, error) == "NOT_FOUND", f"{name}: nobody is erased", error)
    part = client.eraseCustomer(types.EraseRequest("erased", False))
    checks.check((part.stage, part.orders, part.wait_ms > 0) == ("waiting", 2, True), f"{name}: erased", part)
    again = client.eraseCustomer(types.EraseRequest("erased", False, part.cursor))
    checks.check((again.stage, again.orders, 0 < again.wait_ms <= part.wait_ms) == ("waiting", 0, True),
                 f"{name}: an erase waits", again)
    for request in (types.EraseRequest("erased", False, b"x"), types.EraseRequest("", False)):
        error = failure(types, client.eraseCustomer, request)
        checks.check(code(types, error) == "INVALID", f"{name}: a wrong erase", error)
    error = failure(types, client.getOrder, "erased", "1")
    checks.check(code(types, error) == "NOT_FOUND", f"{name}: what is erased is gone", error)


def check_all(checks, address, service, types, name, compact, layout, key):
    with connected(address, service, compact=compact) as client:
        client.ping()
        got = client.describe()
        checks.check((got.store, got.key_strategy, got.read_only)
                     == ("memory", key, layout == "front"), f"{name}: describe", got)
        known = {call for call in vars(service.Iface) if not call.startswith("_")}
        checks.check(set(got.calls) == known and len(got.calls) == len(known),
                     f"{name}: describe has the calls of the IDL", got.calls)
        check_orders(checks, client, types, name)
        check_customers(checks, client, types, name)
        check_writes(checks, client, types, name)
        check_patches(checks, client, types, name)
        check_refusals(checks, client, types, name)
        check_many(checks, client, types, name)
        check_many_refusals(checks, client, types, name)
        check_listings(checks, client, types, name)
        if layout != "front":
            check_find(checks, client, types, name)
            check_erase(checks, client, types, name)


def check_server(checks, server, layout, key):
    from tallorder import OrderService, ttypes
    with subprocess.Popen([server, layout, key], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as process:
        try:
            address = process.stdout.readline().split()[2]
            for name, compact in (("binary", False), ("compact", True)):
                check_all(checks, address, OrderService, ttypes, name, compact, layout, key)
        finally:
            process.stdin.close()
    checks.check(process.returncode == 0, "the server ends well", process.returncode)


def pairs():
    """Each layout and each key strategy at least once."""
    layouts, keys = names_of("layouts"), names_of("key_strategies")
    for at in range(max(len(layouts), len(keys))):
        yield layouts[at % len(layouts)], keys[at % len(keys)]


def main(server, layout, key):
    checks = Checks()
    with generated("tallorder"):
        for pair in pairs() if layout == "all" else [(layout, key)]:
            check_server(checks, server, *pair)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *(sys.argv[2:4] + ["blob", "hashed"][len(sys.argv) - 2:])))
