# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""What an index has of the orders of an export, computed here: a second hand that writes the keys of
src/key/template.c. Texts are shorter than 128 bytes."""

import datetime
import hashlib
import itertools
import json
import re
import subprocess

from support import PROGRAM

PART = re.compile(r"(?:(\w+)\()?(?:(\d+),)?([\w.]+)\)?(\?)?$")
SIZES = {"md5": 16, "time": 8, "rtime": 8, "day": 8, "month": 6, "year": 4}  # of texts: their own
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def exported(*where):
    """The orders of a deployment, as JSON."""
    with subprocess.Popen([str(PROGRAM), "export", *where], stdout=subprocess.PIPE, text=True) as process:
        orders = [item["order"] for item in map(json.loads, process.stdout) if "order" in item]
    if process.returncode != 0:
        raise AssertionError(f"tallorder export: {process.returncode}")
    return orders


class Index:
    """A template, written as in --index."""

    def __init__(self, name_and_template):
        self.name, template = name_and_template.split("=", 1)
        self.parts = [PART.match(part).groups() for part in re.findall(r"[^ (]+(?:\([^)]*\)\??)?", template)]

    @staticmethod
    def field(name, order, location, line):
        """None: it is absent."""
        place, _, rest = name.partition(".")
        if place == "attribute":
            return order.get("attributes", {}).get(rest)
        if place == "line":
            return line.get(rest)
        if name.startswith("location.address."):
            return location.get("address", {}).get(name.rsplit(".", 1)[1])
        return location.get(rest) if place == "location" else order.get(name)

    @staticmethod
    def part(form, number, value):
        """The bytes of a value."""
        if form == "md5":
            return hashlib.md5(value.encode()).digest()
        if form in ("time", "rtime"):
            date = datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
            moment = (date - EPOCH) // datetime.timedelta(milliseconds=1)
            return (moment + 2**63 if form == "time" else 2**63 - 1 - moment).to_bytes(8, "big")
        if form in ("day", "month", "year"):
            return value.replace("-", "")[:SIZES[form]].encode()
        cut = {"first": value[:int(number or 0)], "last": value[-int(number or 0):]}.get(form, value)
        return cut.encode() + b"\0"

    def key(self, order, location, line):
        """None: there is none."""
        key = b""
        for form, number, name, absent in self.parts:
            value = self.field(name, order, location, line)
            if value is None and not absent:
                return None
            size = SIZES.get(form, 1)
            key += b"\xff" * size + b"\0" * (form not in SIZES) if value is None else self.part(form, number, value)
        return key

    def keys(self, order):
        """All keys of an order, without its numbers."""
        names = [name for _form, _number, name, _absent in self.parts]
        of_lines = any(name.startswith("line.") for name in names)
        of_locations = of_lines or any(name.startswith("location.") for name in names)
        locations = order.get("shipping_locations", []) if of_locations else []
        pairs = itertools.chain.from_iterable(
            ((location, line) for line in (location.get("line_items", []) if of_lines else []) or [{}])
            for location in locations or [{}])
        return {key for key in (self.key(order, *pair) for pair in pairs) if key is not None}

    def entries(self, orders):
        """(key, customer, order) of all, in the order of the index."""
        return sorted((key, order["customer_number"].encode(), order["order_number"].encode())
                      for order in orders for key in self.keys(order))


def first_of_each(entries):
    """The numbers of the orders, each once."""
    return list(dict.fromkeys((customer.decode(), order.decode()) for _key, customer, order in entries))


def searches(index, orders):
    """Each search by values of the first part, and of the first two, that finds something: its values, and
    what it is to find, in this order."""
    entries = index.entries(orders)
    texts = {}
    for order in orders:
        for location in order.get("shipping_locations", []) or [{}]:
            for line in location.get("line_items", []) or [{}]:
                values, key = [], b""
                for form, number, name, _absent in index.parts[:2]:
                    value = index.field(name, order, location, line)
                    if value is None:
                        break
                    value = {"first": value[:int(number or 0)], "last": value[-int(number or 0):],
                             "month": value[:7], "day": value[:10], "year": value[:4]}.get(form, value)
                    values, key = values + [value], key + index.part(form, number, value)
                    texts[tuple(values)] = key
    yield [], first_of_each(entries)
    for values, prefix in sorted(texts.items()):
        found = first_of_each(entry for entry in entries if entry[0].startswith(prefix))
        if found:
            yield list(values), found
