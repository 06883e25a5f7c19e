# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""What patchOrder makes of an order, as a model on Thrift's structs; changes of every field.

The fields are those that Thrift has generated, so a new one is tried without a line here.
"""

import copy
import datetime
import json
import random
import re

from thrift.Thrift import TType

NUMBERS = ("customer_number", "order_number", "number")


class Refused(Exception):
    """The changes are wrong: nothing is done."""


def fields_of(kind):
    """{name: (type of the field, class of its struct)}"""
    return {spec[2]: (spec[1], spec[3][0] if spec[1] == TType.STRUCT else None)
            for spec in kind.thrift_spec if spec}


def decimal(types, text):
    if not re.fullmatch(r"[+-]?\d+(\.\d{1,18})?", text):
        raise Refused(text)
    digits, _, after = text.partition(".")
    unscaled = int(digits + after)
    if not -2**63 <= unscaled < 2**63:
        raise Refused(text)
    return types.Decimal(unscaled, len(after))


def add(types, left, right, sign):
    scale = max(left.scale, right.scale)
    total = (left.unscaled * 10**(scale - left.scale)
             + sign * right.unscaled * 10**(scale - right.scale))
    if not -2**63 <= total < 2**63:
        raise Refused(total)
    return types.Decimal(total, scale)


def parse(types, kind, text):
    """The value of a field as a change writes it."""
    if kind[0] == TType.STRING:
        return text
    if kind[0] == TType.I64:
        moment = datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.timezone.utc)
        return round(moment.timestamp() * 1000)
    if kind[1] is types.Decimal:
        return decimal(types, text)
    return make(types, kind[1], json.loads(text))


def make(types, kind, members):
    """A struct out of JSON, for the structs that changes of these tests hold."""
    made = kind()
    if kind is types.ShippingLocation:
        made.line_items = []
    for name, value in members.items():
        if name == "line_items":
            made.line_items = [make(types, types.LineItem, one) for one in value]
        elif name == "number":
            made.number = value
        else:
            setattr(made, name, parse(types, fields_of(kind)[name], value))
    return made


def find(order, location, line):
    """The list that holds it, and it."""
    for one in order.shipping_locations:
        if location is not None and one.number != location:
            continue
        if line is None:
            return order.shipping_locations, one
        for item in one.line_items:
            if item.number == line:
                return one.line_items, item
    return None, None


PLACE = re.compile(r"(?:location\[(?P<location>\d+)\])?\.?(?:line\[(?P<line>\d+)\])?\.?(?P<rest>[a-z0-9_.]*)")


def change_one(types, order, change):
    verb = change[0] if change[0] in "+-" else "="
    place, equals, value = change.lstrip("+-").partition("=")
    if verb == "=" and place[-1] in "+-":
        place, verb = place[:-1], place[-1] + "="
    if place.startswith("attribute."):
        name = place.partition(".")[2]
        if verb == "=":
            order.attributes[name] = value
        elif verb == "-":
            order.attributes.pop(name, None)
        else:
            raise Refused(change)
        return
    parts = PLACE.fullmatch(place)
    location, line = (parts[name] and int(parts[name]) for name in ("location", "line"))
    if verb == "+":
        kind = types.ShippingLocation if line is None else types.LineItem
        if find(order, location if line is None else None, line)[1] is not None:
            raise Refused(change)
        whole = order.shipping_locations
        if line is not None:
            owner = find(order, location, None)[1]
            if location is None or owner is None:
                raise Refused(change)
            whole = owner.line_items
        added = make(types, kind, json.loads(value) if equals else {})
        added.number = location if line is None else line
        whole.append(added)
        whole.sort(key=lambda one: one.number)
        return
    whole, base = (None, order) if location is line is None else find(order, location, line)
    if base is None:
        raise Refused(change)
    if not parts["rest"]:
        index = whole.index(base)
        if verb == "-":
            del whole[index]
        else:
            whole[index] = make(types, type(base), json.loads(value))
            whole[index].number = base.number
        return
    change_field(types, base, parts["rest"].split("."), verb, value)


def change_field(types, base, names, verb, value):
    name, *inner = names
    kind = fields_of(type(base)).get(name)
    if kind is None or name in NUMBERS:
        raise Refused(name)
    now = getattr(base, name)
    if inner:
        if verb == "=" and now is None:
            now = kind[1]()
            setattr(base, name, now)
        if now is not None:
            change_field(types, now, inner, verb, value)
    elif verb == "=":
        setattr(base, name, parse(types, kind, value))
    elif verb == "-":
        setattr(base, name, None)
    elif now is None or kind[1] is not types.Decimal:
        raise Refused(name)
    else:
        setattr(base, name, add(types, now, decimal(types, value), 1 if verb == "+=" else -1))
    if name == "discount" and base.discount is not None \
            and not 0 <= base.discount.unscaled <= 10**base.discount.scale:
        raise Refused(value)


def patched(types, order, changes):
    """The order afterwards; None: they are refused."""
    after = copy.deepcopy(order)
    try:
        for change in changes:
            change_one(types, after, change)
    except Refused:
        return None
    numbers = [line.number for one in after.shipping_locations for line in one.line_items]
    return after if len(numbers) == len(set(numbers)) else None


def values(types, name, kind):
    """What a field is set to, as a change writes it."""
    if kind[0] == TType.STRING:
        return ["Überraschung = – 漢字\t", ""]
    if kind[0] == TType.I64:
        return ["1996-07-04", "0001-01-01", "9999-12-31T23:59:59.999Z"]
    if name == "discount":
        return ["0.25", "1", "0"]
    return ["12", "-0.50", "9223372036854775807"] if kind[1] is types.Decimal else ["{}"]


def table(types, kind, prefix):
    """Changes of each field, and of those within it."""
    for name, field in fields_of(kind).items():
        if name in NUMBERS or field[0] in (TType.LIST, TType.MAP):
            continue
        for value in values(types, name, field):
            yield f"{prefix}{name}={value}"
        if field[1] is types.Decimal:
            yield f"{prefix}{name}+=0.125"
            yield f"{prefix}{name}-=0.125"
        elif field[1] is not None:
            yield from table(types, field[1], f"{prefix}{name}.")
        yield f"-{prefix}{name}"


def all_changes(types):
    every = list(table(types, types.Order, ""))
    for number in (1, 2, 7):
        every += table(types, types.ShippingLocation, f"location[{number}].")
        every += table(types, types.LineItem, f"line[{number}].")
        every += [f"+location[{number}]", f"-location[{number}]", f"-line[{number}]",
                  f'+location[{number}]={{"name":"x","line_items":[{{"number":9,"price":"1.0"}}]}}',
                  f'location[{number}]={{"name":"y"}}', f'line[{number}]={{"discount":"0.5"}}',
                  f"+location[1].line[{number}]", f'+location[{number}].line[5]={{"quantity":"5"}}',
                  f"location[1].line[{number}].quantity+=1"]
    every += [f"attribute.{name}={value}" for name in ("a", "b.c", "ä ö") for value in ("1", "", "x=y")]
    return every + ["-attribute.a", "-attribute.b.c", "attribute.a+=1"]


def start(types):
    return types.Order(
        customer_number="patched", order_number="1", attributes={"a": "0"},
        shipping_locations=[
            types.ShippingLocation(number=1, name="first", address=types.Address(city="Reims"), line_items=[
                types.LineItem(number=1, quantity=types.Decimal(1, 0), discount=types.Decimal(0, 0)),
                types.LineItem(number=2, price=types.Decimal(150, 2))]),
            types.ShippingLocation(number=2, line_items=[types.LineItem(number=3)])])


def try_patch(checks, client, types, order, changes, what):
    """Checks the answer, and what is stored then, which it returns."""
    wanted = patched(types, order, changes)
    before = client.getOrder(order.customer_number, order.order_number).revision
    try:
        done = client.patchOrder(types.PatchOrderRequest(order.customer_number, order.order_number, changes))
    except types.TallError as error:
        done = error
    got = client.getOrder(order.customer_number, order.order_number)
    if wanted is None:
        good = getattr(done, "code", None) == types.ErrorCode.INVALID and done.field \
            and (got.order, got.revision) == (order, before)
    else:
        good = (got.order, got.revision) == (wanted, getattr(done, "revision", None)) and got.revision > before
    if not good:
        checks.check(False, what, f"{changes}\nanswer {done!r}\nwanted {wanted!r}\ngot    {got.order!r}")
    return got.order, wanted is not None


def check_patches(checks, client, types, name):
    """Each change by itself, and many of them one after the other, at random."""
    every = all_changes(types)
    failed, n_done = checks.failed, 0
    for change in every:
        order = start(types)
        client.putOrder(order, None)
        n_done += try_patch(checks, client, types, order, [change], f"{name}: {change}")[1]
    checks.check(checks.failed == failed and len(every) / 2 < n_done < len(every),
                 f"{name}: a patch of every field is as the model says", (n_done, len(every)))

    dice = random.Random(name)
    failed, n_done = checks.failed, 0
    for _ in range(60):
        changes = dice.choices(every, k=dice.choice((1, 2, 3, 8)))
        order, done = try_patch(checks, client, types, order, changes, f"{name}: {changes}")
        n_done += done
    checks.check(checks.failed == failed and n_done > 5, f"{name}: so are many changes", n_done)
