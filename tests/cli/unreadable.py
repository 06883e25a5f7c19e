# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Lists and exports where something cannot be read: the rest comes, and every loss is reported.
Speaks TAP.

    unreadable.py TALLORDER SOURCE_ROOT SERVE_MEMORY

The server is one whose front cannot read what has a number that begins with "damaged".
"""

import contextlib
import json
import subprocess
import sys

from support import DONE, FAILED, SECONDS, equal, main, run, test

SERVE_MEMORY = sys.argv[3]


@contextlib.contextmanager
def server():
    """The address of a server that has three customers, of whom one is damaged and has orders."""
    process = subprocess.Popen([SERVE_MEMORY, "front"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    try:
        address = process.stdout.readline().split()[2]
        items = [{"customer": {"number": number}} for number in ("A", "damaged", "z")]
        items += [{"order": {"customer_number": customer, "order_number": number}}
                  for customer in ("A", "damaged") for number in ("1", "damaged", "2")]
        run("put", "--server", address, "-",
            stdin="".join(json.dumps(item) + "\n" for item in items)).ends(DONE)
        yield address
    finally:
        process.communicate(timeout=SECONDS)


@test
def list_tells_of_unreadable_orders(_):
    with server() as address:
        for paging in (["--all"], ["--limit", "3"]):
            result = run("list", "--server", address, "A", *paging, "--json").ends(
                FAILED, "damaged: as its name says")
            page = json.loads(result.out)
            equal([o["order_number"] for o in page["orders"]], ["1", "2"])
            equal(page["unreadable"], [{"order_number": "damaged", "error": "damaged",
                                        "message": "damaged: as its name says"}])
        result = run("list", "--server", address, "A").ends(FAILED, "damaged: as its name says")
        equal([line.split()[0] for line in result.out.splitlines()], ["ORDER", "1", "2"])


@test
def customer_list_tells_of_unreadable_customers(_):
    with server() as address:
        result = run("customer", "list", "--server", address, "--json").ends(FAILED)
        page = json.loads(result.out)
        equal([c["number"] for c in page["customers"]], ["A", "z"])
        equal(page["unreadable"], [{"error": "damaged", "message": "damaged: as its name says"}])
        run("customer", "list", "--server", address).ends(FAILED, "damaged: as its name says")


@test
def customer_get_gives_the_orders_of_an_unreadable_customer(_):
    with server() as address:
        result = run("customer", "get", "--server", address, "damaged", "--orders", "--json").ends(
            FAILED, "damaged is of a newer version")
        page = json.loads(result.out)
        equal([o["order_number"] for o in page["orders"]], ["1", "2"])
        equal("customer" in page, False)
        run("customer", "get", "--server", address, "damaged", "--orders").ends(
            FAILED, "Customer damaged", "cannot be read", "Order 1 of damaged")


@test
def export_goes_on_and_tells_of_each(_):
    with server() as address:
        result = run("export", "--server", address).ends(
            FAILED, "Not exported: as its name says",
            "Not exported: damaged: as its name says",
            "The export is not complete: 2 customers or orders cannot be read")
        lines = [json.loads(line) for line in result.out.splitlines()]
        equal([line["customer"]["number"] for line in lines if "customer" in line], ["A", "z"])
        equal([line["order"]["order_number"] for line in lines if "order" in line], ["1", "2"])

        result = run("export", "--server", address, "damaged").ends(
            FAILED, "Not exported: damaged is of a newer version",
            "The export is not complete: 2 customers or orders cannot be read")
        equal([json.loads(line)["order"]["order_number"] for line in result.out.splitlines()],
              ["1", "2"])


@test
def find_tells_of_unreadable_orders(_):
    with server() as address:
        result = run("find", "--server", address, "by-customer", "A", "--json").ends(
            FAILED, "as its name says")
        page = json.loads(result.out)
        equal([o["order_number"] for o in page["orders"]], ["1", "2"])
        equal(page["unreadable"], [{"error": "damaged", "message": "as its name says"}])
        for more in ([], ["--orders"]):
            result = run("find", "--server", address, "customer_number=A", *more).ends(
                FAILED, "as its name says", "Found by index by-customer")
            equal(result.out.count("damaged"), 0)


main()
