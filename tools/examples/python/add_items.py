# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Adds items to an order, a line each, while others may do the same, and one more of the first of them;
then lists the customer's orders, and says whose orders of that number there are. An item that the order has
is not added again.

    add_items.py ADDRESS CUSTOMER ORDER ITEM...
    add_items.py --ca ca.crt --certificate web.crt --key web.key localhost:7654 CUSTOMER ORDER ITEM...
"""

from __future__ import annotations

import argparse
import random
import ssl
import sys
import time
from typing import Optional

from tallorder.ttypes import LineItem, Order, OrderPart, PartKind, ShippingLocation
from tallorder_client import Client, Conflict, Error, NotFound, OutcomeUnknown, decimal

FIRST_PAUSE, LONGEST_PAUSE = 0.01, 1.0  # seconds


def make_tls(options: argparse.Namespace) -> Optional[ssl.SSLContext]:
    """What the options say of TLS; None: there is none."""
    if options.ca is None:
        return None
    tls = ssl.create_default_context(cafile=options.ca)
    if options.certificate is not None:
        tls.load_cert_chain(options.certificate, options.key)
    return tls


def append(order: Order, item: str) -> bool:
    """False if the order has the item: perhaps by a write whose answer was lost."""
    if not order.shipping_locations:
        order.shipping_locations = [ShippingLocation(number=1, line_items=[])]
    lines = [line for location in order.shipping_locations for line in location.line_items or []]
    if any(line.item_number == item for line in lines):
        return False
    number = 1 + max((line.number for line in lines), default=0)
    order.shipping_locations[0].line_items.append(
        LineItem(number=number, item_number=item, quantity=decimal(1), price=decimal("14.00")))
    return True


def add_item(client: Client, customer: str, number: str, item: str) -> None:
    """Reads the order, changes it, and writes it if nobody else has meanwhile; or begins again, after a
    pause that grows, and is not that of the others."""
    pause = FIRST_PAUSE
    while True:
        try:
            order, revision = client.get_order(customer, number)
        except NotFound:
            order, revision = Order(customer_number=customer, order_number=number), None
        if not append(order, item):
            return
        try:
            client.put_order(order, if_absent=revision is None, if_revision=revision)
            return
        except (Conflict, OutcomeUnknown):
            time.sleep(random.uniform(0, pause))  # the next look shows what is stored
            pause = min(2 * pause, LONGEST_PAUSE)


def add_one_more(client: Client, customer: str, number: str, item: str) -> None:
    """Changes a part of the order, whatever others change meanwhile. If the answer is lost the client sends
    it again, and the base makes sure that it is done once."""
    order, revision = client.get_order(customer, number)
    lines = [line for location in order.shipping_locations for line in location.line_items]
    line = next(line.number for line in lines if line.item_number == item)
    client.patch_order(customer, number, [f"line[{line}].quantity+=1"], base_revision=revision)


def print_namesakes(client: Client, number: str) -> None:
    """The orders of that number, whosever they are: what a deployment finds them by is `number=order_number`."""
    for found in client.find_orders(f"order_number={number}", part=OrderPart(kind=PartKind.SUMMARY)):
        if isinstance(found, Error):
            raise found
        print(found.order.order_number, "of", found.order.customer_number)


def main() -> int:
    """Returns the exit code."""
    parser = argparse.ArgumentParser()
    for name in ("--ca", "--certificate", "--key"):
        parser.add_argument(name)
    for name in ("address", "customer", "order"):
        parser.add_argument(name)
    parser.add_argument("item", nargs="+")
    options = parser.parse_args()
    try:
        with Client(options.address, tls=make_tls(options), attempts=6) as client:
            for item in options.item:
                add_item(client, options.customer, options.order, item)
            add_one_more(client, options.customer, options.order, options.item[0])
            for entry in client.list_orders(options.customer):
                print(entry.order_number, entry.lines)
            print_namesakes(client, options.order)
    except Error as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
