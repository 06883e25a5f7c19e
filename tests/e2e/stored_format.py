# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""The rows of orders and customers, computed from src/layout/FORMAT.md and proto/*.proto alone.

Orders and customers are those of the canonical JSON: dictionaries in which an absent field is
missing. Nothing here is shared with the program, not even protobuf's library.
"""

import datetime
import hashlib
import struct
from collections import namedtuple
from fractions import Fraction

FORMAT, SCHEMA = 1, 1
NO_DATE = -(2**63)
ADDRESS = ("line1", "line2", "city", "state", "zip", "country")
EPOCH = datetime.datetime(1970, 1, 1)
MILLISECOND = datetime.timedelta(milliseconds=1)

State = namedtuple("State", "format flags schema locations lines date revision token pending "
                            "pending_token digest")
STATE = struct.Struct(">BBHIIqq16sq16s16s")


# ---- Values --------------------------------------------------------------------------------------

def date(text):
    """Milliseconds since the epoch of “2020-02-29” or “2020-02-29T00:00:00.000Z”."""
    moment = datetime.datetime.fromisoformat(text.removesuffix("Z"))
    return (moment - EPOCH) // MILLISECOND


def integer(number):
    return struct.pack(">q", number)


def decimal_parts(text):
    """(unscaled, scale)"""
    whole, _, fraction = text.partition(".")
    return int(whole + fraction), len(fraction)


def md5(data):
    return hashlib.md5(data).digest()


def checked(number):
    """A number of the deployment record, in digits, with its check."""
    return f"{number}/{hashlib.sha256(number.encode()).hexdigest()[:8]}"


# ---- Protobuf ------------------------------------------------------------------------------------

def varint(number):
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(encoded) + bytes([number])


def zigzag(number):
    return varint(number * 2 if number >= 0 else -number * 2 - 1)


def number_field(tag, encoded):
    return b"" if encoded is None else varint(tag << 3) + encoded


def bytes_field(tag, data):
    return b"" if data is None else varint(tag << 3 | 2) + varint(len(data)) + data


def text_field(tag, text):
    return bytes_field(tag, None if text is None else text.encode())


def date_field(tag, text):
    return number_field(tag, None if text is None else zigzag(date(text)))


def decimal_message(unscaled, scale):
    return number_field(1, zigzag(unscaled)) + number_field(2, varint(scale))


def decimal_field(tag, text):
    return bytes_field(tag, None if text is None else decimal_message(*decimal_parts(text)))


def address_field(tag, address):
    if address is None:
        return b""
    return bytes_field(tag, b"".join(text_field(i, address.get(name))
                                     for i, name in enumerate(ADDRESS, 1)))


def attribute_fields(tag, attributes):
    pairs = sorted((key.encode(), value.encode()) for key, value in attributes.items())
    return b"".join(bytes_field(tag, bytes_field(1, key) + bytes_field(2, value))
                    for key, value in pairs)


def adjustment_fields(tag, order):
    return b"".join(bytes_field(tag, text_field(1, one["kind"]) + decimal_field(2, one["amount"])
                                + text_field(3, one.get("description"))
                                + (number_field(4, varint(one["line"])) if "line" in one else b""))
                    for one in order.get("adjustments", []))


def line_message(line):
    return (number_field(1, varint(line["number"])) + text_field(2, line.get("item_number"))
            + text_field(3, line.get("description")) + decimal_field(4, line.get("quantity"))
            + decimal_field(5, line.get("price")) + decimal_field(6, line.get("discount")))


def location_message(location):
    return (number_field(1, varint(location["number"])) + text_field(2, location.get("name"))
            + address_field(3, location.get("address")) + date_field(4, location.get("ship_date"))
            + b"".join(bytes_field(5, line_message(line)) for line in lines_of(location)))


def order_message(order):
    return (text_field(1, order["customer_number"]) + text_field(2, order["order_number"])
            + date_field(3, order.get("sales_date")) + text_field(4, order.get("currency"))
            + b"".join(bytes_field(5, location_message(loc)) for loc in locations_of(order))
            + attribute_fields(6, order.get("attributes", {})) + adjustment_fields(7, order)
            + address_field(8, order.get("billing_address")))


def customer_message(customer):
    return (text_field(1, customer["number"]) + text_field(2, customer.get("name"))
            + address_field(3, customer.get("address"))
            + b"".join(text_field(4, phone) for phone in customer.get("phones", []))
            + text_field(5, customer.get("email"))
            + attribute_fields(6, customer.get("attributes", {})))


def order_summary(order):
    lines = all_lines(order)
    return (text_field(1, order["customer_number"]) + text_field(2, order["order_number"])
            + number_field(3, varint(len(lines)))
            + total_field(4, lines, order.get("adjustments", []))
            + text_field(5, order.get("currency")))


def customer_summary(customer):
    return text_field(1, customer["number"]) + text_field(2, customer.get("name"))


def total_field(tag, lines, adjustments):
    total = sum((Fraction(line["quantity"]) * Fraction(line["price"])
                 * (1 - Fraction(line.get("discount", 0)))
                 for line in lines if "quantity" in line and "price" in line),
                sum(Fraction(one["amount"]) for one in adjustments))
    for scale in range(2, 19):
        unscaled = total * 10**scale
        if unscaled.denominator == 1:
            fits = -(2**63) <= unscaled < 2**63
            return bytes_field(tag, decimal_message(int(unscaled), scale)) if fits else b""
    return b""


# ---- Parts of an order ---------------------------------------------------------------------------

def by_number(parts):
    return sorted(parts, key=lambda part: part["number"])


def locations_of(order):
    return by_number(order.get("shipping_locations", []))


def lines_of(location):
    return by_number(location.get("line_items", []))


def all_lines(order):
    return [line for location in locations_of(order) for line in lines_of(location)]


# ---- Columns of layout record-type ---------------------------------------------------------------

def text_columns(part, *names):
    return {name: part[name].encode() for name in names if name in part}


def date_columns(part, *names):
    return {name: integer(date(part[name])) for name in names if name in part}


def address_columns(part, field="address"):
    address = part.get(field)
    if address is None:
        return {}
    columns = {f"{field}.{name}": text.encode() for name, text in address.items()}
    return columns or {field: b""}


def list_column(name, message):
    return {name: message} if message else {}


def root_columns(order):
    return {**date_columns(order, "sales_date"), **text_columns(order, "currency"),
            **list_column("attributes", attribute_fields(1, order.get("attributes", {}))),
            **list_column("adjustments", adjustment_fields(1, order)),
            **address_columns(order, "billing_address")}


def location_columns(location):
    return {"number": integer(location["number"]), **text_columns(location, "name"),
            **date_columns(location, "ship_date"), **address_columns(location)}


def line_columns(line):
    return {"number": integer(line["number"]), **text_columns(
        line, "item_number", "description", "quantity", "price", "discount")}


def customer_columns(customer):
    phones = b"".join(text_field(1, phone) for phone in customer.get("phones", []))
    return {**text_columns(customer, "name", "email"), **address_columns(customer),
            **list_column("phones", phones),
            **list_column("attributes", attribute_fields(1, customer.get("attributes", {})))}


# ---- Rows: {(table, row key): {column: value}}, without the state cell ---------------------------

# Layouts whose orders are one row, which remembers who made it.
SINGLE_ROW = ("blob", "wide")

TABLES = {
    "blob": ("orders", "customers"),
    "denormalized": ("orders", "customers"),
    "normalized": ("orders", "shipping", "lines", "customers"),
    "record-type": ("orders",),
    "wide": ("orders", "customers"),
}
LAYOUTS = tuple(TABLES)
KEYS = ("hashed", "raw", "salted", "reversed", "numeric")


class Key:
    """A key strategy: the customer part and the order part of row keys."""

    def __init__(self, name, ids=None):
        self.name, self.ids = name, ids  # {customer number: id}, if the strategy is numeric

    def customer(self, number):
        text = number.encode()
        return {"hashed": lambda: md5(text),
                "raw": lambda: text + b"\0",
                "salted": lambda: md5(text)[:1] + text + b"\0",
                "reversed": lambda: text[::-1] + b"\0",
                "numeric": lambda: struct.pack(">Q", int(f"{self.ids[number]:064b}"[::-1], 2)),
                }[self.name]()

    def order(self, number):
        return md5(number.encode()) if self.name in ("hashed", "numeric") else number.encode() + b"\0"


def tail(*numbers):
    return b"".join(struct.pack(">I", number) for number in numbers)


def order_prefix(layout, key, customer_number, order_number):
    """What the keys of all rows of an order begin with."""
    between = b"\x02" if layout == "record-type" else b""
    return key.customer(customer_number) + between + key.order(order_number)


def place_of_order(layout, key, customer_number, order_number):
    """(table, row key) of its root row."""
    prefix = order_prefix(layout, key, customer_number, order_number)
    return "orders", prefix + (b"\x01" if layout in ("record-type", "denormalized") else b"")


def place_of_customer(layout, key, number):
    part = key.customer(number)
    return ("orders", part + b"\x01") if layout == "record-type" else ("customers", part)


def located_lines(order):
    return [(location, line) for location in locations_of(order) for line in lines_of(location)]


def blob_rows(order, prefix):
    return {("orders", prefix): {"order": order_message(order)}}


def record_type_rows(order, prefix):
    rows = {("orders", prefix + b"\x01"): root_columns(order)}
    for location in locations_of(order):
        rows["orders", prefix + b"\x02" + tail(location["number"])] = location_columns(location)
    for location, line in located_lines(order):
        key = prefix + b"\x03" + tail(location["number"], line["number"])
        rows["orders", key] = line_columns(line)
    return rows


def normalized_rows(order, prefix):
    rows = {("orders", prefix): root_columns(order)}
    for location in locations_of(order):
        rows["shipping", prefix + tail(location["number"])] = location_columns(location)
    for location, line in located_lines(order):
        rows["lines", prefix + tail(location["number"], line["number"])] = line_columns(line)
    return rows


def ship_to(location):
    return {"ship.date" if name == "ship_date" else "ship." + name: value
            for name, value in location_columns(location).items()}


def denormalized_rows(order, prefix):
    rows = {("orders", prefix + b"\x01"): root_columns(order)}
    for location in locations_of(order):
        if not lines_of(location):
            rows["orders", prefix + b"\x02" + tail(location["number"])] = ship_to(location)
    for location, line in located_lines(order):
        rows["orders", prefix + b"\x03" + tail(line["number"])] = {
            **line_columns(line), **ship_to(location)}
    return rows


def wide_rows(order, prefix):
    columns = root_columns(order)
    for location in locations_of(order):
        columns[b"\x02" + tail(location["number"])] = location_message(
            {**location, "line_items": []})
    for location, line in located_lines(order):
        columns[b"\x03" + tail(location["number"], line["number"])] = line_message(line)
    return {("orders", prefix): columns}


ORDER_ROWS = {"blob": blob_rows, "denormalized": denormalized_rows, "normalized": normalized_rows,
              "record-type": record_type_rows, "wide": wide_rows}


def rows_of_order(layout, key, order):
    numbers = order["customer_number"], order["order_number"]
    rows = ORDER_ROWS[layout](order, order_prefix(layout, key, *numbers))
    rows[place_of_order(layout, key, *numbers)]["summary"] = order_summary(order)
    return rows


def rows_of_customer(layout, key, customer):
    place = place_of_customer(layout, key, customer["number"])
    columns = ({"customer": customer_message(customer)} if layout in SINGLE_ROW
               else customer_columns(customer))
    return {place: {**columns, "summary": customer_summary(customer)}}


def rows_of_tombstone(layout, key, customer_number, order_number):
    nothing = {"customer_number": customer_number, "order_number": order_number}
    place = place_of_order(layout, key, customer_number, order_number)
    return {place: {"summary": order_summary(nothing)}}


# ---- The tables of the store ----------------------------------------------------------------------

def rows_of_index(key, order):
    """The hint at the order's sales date; unsigned, so that the newest comes first."""
    sold = order.get("sales_date")
    day = 2**64 - 1 if sold is None else 2**63 - 1 - date(sold)
    row = key.customer(order["customer_number"]) + struct.pack(">Q", day) + key.order(
        order["order_number"])
    return {("index", row): {"order_number": order["order_number"].encode()}}


def rows_of_id(number, given):
    """There and back again."""
    return {("ids", b"i" + struct.pack(">Q", given)): {"v": number.encode()},
            ("ids", b"n" + number.encode()): {"v": struct.pack(">Q", given)}}


# ---- The state cell -----------------------------------------------------------------------------

def state_of_order(order, revision, token, origin, replaced=0):
    sold = order.get("sales_date")
    schema = 2 if order.get("adjustments") or "billing_address" in order else SCHEMA
    return State(FORMAT, 1, schema, len(locations_of(order)), len(all_lines(order)),
                 NO_DATE if sold is None else date(sold), revision, token, 0,
                 origin + integer(replaced), md5(order_message(order)))


def state_of_customer(customer, revision, token, origin, replaced=0):
    return State(FORMAT, 1, SCHEMA, 0, 0, NO_DATE, revision, token, 0,
                 origin + integer(replaced), md5(customer_message(customer)))


def state_of_tombstone(revision, token, origin, replaced):
    return State(FORMAT, 0, SCHEMA, 0, 0, NO_DATE, revision, token, 0,
                 origin + integer(replaced), bytes(16))


def unpack_state(cell):
    return State(*STATE.unpack(cell))
