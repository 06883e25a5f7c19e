# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Finds orders by indexes, as support does. Speaks TAP.

    finding.py TALLORDER SOURCE_ROOT
"""

import json
import os
import pathlib
import shlex
import sys

from support import DONE, FAILED, NO, USAGE, Server, equal, main, new_store, parse, run, test

NUMBER = "number=order_number"
ITEM = "by-item=md5(line.item_number) rtime(sales_date)?"
STATUS = "by-status=month(sales_date) attribute.status day(sales_date)"
CITY = "city=location.address.city"


def day_of(number):
    return f"2026-{1 + number % 3:02}-{1 + number % 28:02}"


def make_order(number):
    """An order of two lines in two places: of item `even` or `odd`, and of an item of its own."""
    lines = [{"number": 1, "item_number": ["even", "odd"][number % 2], "quantity": "2",
              "price": "1.50"}]
    more = [{"number": 2, "item_number": f"item {number}"}, {"number": 3, "item_number": "odd"}]
    order = {"customer_number": f"C{number % 4}", "order_number": str(1000 + number),
             "attributes": {"status": ["open", "paid", "sent"][number % 3 - number % 2]},
             "shipping_locations": [
                 {"number": 1, "address": {"city": "Reims"}, "line_items": lines},
                 {"number": 2, "address": {"city": "Lyon"}, "line_items": more}]}
    return order if number % 10 == 9 else {**order, "sales_date": day_of(number) + "T00:00:00.000Z"}


ORDERS = [make_order(number) for number in range(60)]


def indexed_store(folder, *indexes):
    return new_store(folder, "record-type", more=[f"--index={index}" for index in indexes])


def filled_store(folder):
    store = indexed_store(folder, NUMBER, ITEM, STATUS, CITY)
    run("put", "--store", store, "-", "--quiet",
        stdin="".join(json.dumps({"order": order}) + "\n" for order in ORDERS)).ends(DONE)
    return store


def places(store):
    """The options that reach a store: itself, and a server over it."""
    yield ["--store", store]
    with Server(store) as server:
        yield ["--server", server.address]
        equal(server.stop(), 0)


def numbers(place, *words):
    """The numbers that a search finds, in its order, customers left out, over all pages."""
    found = json.loads(run("find", *place, *words, "--all", "--json").ends(DONE).out)
    return [order["order_number"] for order in found["orders"]]


def wanted(test):
    return sorted(order["order_number"] for order in ORDERS if test(order))


def items(order):
    return {line["item_number"] for place in order["shipping_locations"]
            for line in place["line_items"]}


@test
def explained(folder):
    """The entries of an order as they lie, and what puts cost with them and without."""
    store = filled_store(folder)
    run("explain", "--store", store, "C2", "1010").ends(DONE, "INDEX", CITY, "Lyon", "put again (in memory)")
    for options in ([], ["--layout", "blob"]):
        said = json.loads(run("explain", "--store", store, "C2", "1010", "--json", *options).ends(DONE).out)
        (one,) = said["explanations"]
        equal([entry["index"] for entry in one["entries"]], ["date", NUMBER] + 3 * [ITEM] + [STATUS] + 2 * [CITY])
        keys = [bytes.fromhex(entry["key"]) for entry in one["entries"]]
        equal((keys[1], keys[6]), (b"\x011010\0\0C2\x001010", b"\x04Lyon\0\0C2\x001010"))
        equal(one["entries"][0]["bytes"] > len(keys[0]), True)
        equal([entry["bytes"] for entry in one["entries"]][1:],
              [len(key) + len("order_number" + "1010") for key in keys[1:]])
        equal([one[name]["rows_written"] - one[f"{name}_without_indexes"]["rows_written"]
               for name in ("put", "put_again")], [8, 8])
    equal([one[name]["calls"] for name in ("put", "put_again", "put_without_indexes", "put_again_without_indexes")],
          [2, 5, 1, 3])  # as FINDING.md says of blob
    file = pathlib.Path(folder, "order.json")
    file.write_text(json.dumps(ORDERS[10]), "utf-8")
    (one,) = json.loads(run("explain", file, "--json").ends(DONE).out)["explanations"]
    equal([entry["index"] for entry in one["entries"]], ["date", NUMBER])  # what init makes


@test
def by_number_item_month_and_city(folder):
    for place in places(filled_store(folder)):
        equal(numbers(place, "number", "1010"), ["1010"])
        equal(numbers(place, "order_number=1010"), ["1010"])
        equal(numbers(place, "by-item", "item 7"), ["1007"])
        odd = numbers(place, "by-item", "odd")
        equal(sorted(odd), wanted(lambda order: "odd" in items(order)))
        dates = {order["order_number"]: order.get("sales_date", "") for order in ORDERS}
        equal([dates[number] for number in odd], sorted((dates[number] for number in odd), reverse=True))
        equal(dates[odd[-1]], "")  # the newest first, and those without a date last
        january = [order for order in ORDERS if order.get("sales_date", "")[:7] == "2026-01"]
        for status in ("open", "paid", "sent", "none"):
            equal(sorted(numbers(place, "by-status", "2026-01", status)), sorted(
                order["order_number"] for order in january if order["attributes"]["status"] == status))
        equal(sorted(numbers(place, "by-status", "2026-01")),
              sorted(order["order_number"] for order in january))
        equal(sorted(numbers(place, "sales_date=2026-01", "attribute.status=open")),
              sorted(numbers(place, "by-status", "2026-01", "open")))
        equal(sorted(numbers(place, "city", "Reims")), wanted(lambda _: True))
        equal(numbers(place, "city", "Paris"), [])
        equal(run("find", *place, "city", "Paris").ends(DONE).out, "No orders.\n")


@test
def ranges(folder):
    for place in places(filled_store(folder)):
        def within(first, end):
            return wanted(lambda order: "odd" in items(order)
                          and first <= order.get("sales_date", "") < end)
        for first, end in (("2026-01-10", "2026-02-10"), ("2026-02", "2026-03"), ("2026", "2027")):
            equal(sorted(numbers(place, "by-item", "odd", "--from", first, "--to", end)),
                  within(first, end))
        equal(sorted(numbers(place, "by-item", "odd", "--from", "2026-02-15")), within("2026-02-15", "9"))
        equal(sorted(numbers(place, "by-item", "odd", "--to", "2026-02-15")), within("1", "2026-02-15"))
        equal(numbers(place, "number", "--from", "1050", "--to", "1053"), ["1050", "1051", "1052"])
        equal(sorted(numbers(place, "by-status", "2026-01", "open", "--from", "2026-01-10")), sorted(
            order["order_number"] for order in ORDERS if order["attributes"]["status"] == "open"
            and "2026-01-10" <= order.get("sales_date", "") < "2026-02"))


def rows_of(text):
    """Customer and order of each row of a table."""
    return [tuple(line.split()[:2]) for line in text.splitlines()[1:]
            if not line.startswith(("Next page: ", "Found by"))]


@test
def pages(folder):
    """Each order once, however many of its lines are looked for, and the whole command again for the
    next page."""
    for place in places(filled_store(folder)):
        text = run("find", *place, "by-item", "odd", "--limit", 7).ends(DONE, "CUSTOMER", "TOTAL").out
        seen, n_pages = [], 0
        while True:
            seen += rows_of(text)
            n_pages += 1
            next_page = [line for line in text.splitlines() if line.startswith("Next page: ")]
            if not next_page:
                break
            text = run(*shlex.split(next_page[0].removeprefix("Next page: "))[1:]).ends(DONE).out
        equal(sorted(seen), sorted((order["customer_number"], order["order_number"])
                                   for order in ORDERS if "odd" in items(order)))
        equal(n_pages >= len(seen) // 7, True)
        equal(rows_of(run("find", *place, "by-item", "odd", "--all").ends(DONE).out), seen)
        said = json.loads(run("find", *place, "by-item", "odd", "--limit", 7, "--json").out)
        run("find", *place, "by-item", "even", "--page", said["next_page"]).ends(USAGE, "--page")
        run("find", *place, "by-item", "odd", "--page", "mine").ends(USAGE, "--page")


@test
def for_programs_and_people(folder):
    for place in places(filled_store(folder)):
        said = json.loads(run("find", *place, "number", "1010", "--json").ends(DONE).out)
        equal(said["orders"][0].pop("revision") > 0, True)
        equal(said, {"index": "number", "orders": [
            {"customer_number": "C2", "order_number": "1010", "lines": 3, "total": "3.00",
             "sales_date": "2026-02-11T00:00:00.000Z"}]})
        whole = json.loads(run("find", *place, "number", "1010", "--json", "--orders").ends(DONE).out)
        equal(whole["orders"][0].pop("revision") > 0, True)
        equal(whole, {"index": "number", "orders": [ORDERS[10]]})
        text = run("find", *place, "order_number=1010").ends(DONE, "Found by index number").out
        equal(rows_of(text), [("C2", "1010")])
        equal("Found by" in run("find", *place, "number", "1010").ends(DONE).out, False)
        text = run("find", *place, "number", "--from", "1010", "--to", "1012", "--orders").ends(
            DONE, "Order 1010 of C2", "\n\nOrder 1011 of C3").out
        equal(text.startswith("Order 1010"), True)


@test
def what_is_wrong(folder):
    """Each message says what, and what to do."""
    for place in places(filled_store(folder)):
        run("find", *place).ends(USAGE, "status shows the indexes")
        run("find", *place, "order_number=1", "1010").ends(USAGE, "FIELD=VALUE for each part")
        run("find", *place, "nothing", "1").ends(USAGE, "nothing", NUMBER, CITY)
        run("find", *place, "currency=EUR").ends(USAGE, NUMBER, CITY)
        run("find", *place, "number", "1", "2").ends(USAGE, "order_number", "2 values")
        run("find", *place, "number", "1", "--from", "2").ends(USAGE, "order_number")
        run("find", *place, "by-item", "--from", "a").ends(USAGE, "md5(line.item_number)", "range")
        run("find", *place, "by-status", "January").ends(USAGE, "January", "month(sales_date)", "2026-11")
        run("find", *place, "by-item", "odd", "--from", "2026-02", "--to", "2026-01").ends(USAGE, "to")
        run("find", *place, "number", "1010", "--limit", 0).ends(USAGE, "--limit")
        run("find", *place, "number", "1010", "--limit", 1001).ends(USAGE, "--limit")


@test
def without_indexes(folder):
    for place in places(indexed_store(folder, "date")):
        for words in (["find", "number", "1010"], ["find", "order_number=1010"]):
            run(*words, *place).ends(FAILED, "no index", "tallorder migrate")
        run("get", "--order", "1010", *place).ends(FAILED, "--order", "order_number", "tallorder migrate")


@test
def get_by_number(folder):
    """Where is #1010? It is somebody's, or several have one."""
    store = filled_store(folder)
    run("put", "--store", store, "-", stdin={**ORDERS[20], "customer_number": "D\x1b"}).ends(NO)
    run("put", "--store", store, "-", stdin={**ORDERS[20], "customer_number": "D"}).ends(DONE)
    for place in places(store):
        run("get", *place, "--order", "1010").ends(DONE, "Order 1010 of C2", "item 10")
        equal(parse(run("get", *place, "--order=1010", "--json").ends(DONE).out), ORDERS[10])
        equal(run("get", *place, "--order", "1010", "--json").out,
              run("get", *place, "C2", "1010", "--json").out)
        equal(run("get", *place, "--order", "1010", "--part", "summary", "--json").ends(DONE).out,
              run("get", *place, "C2", "1010", "--part", "summary", "--json").ends(DONE).out)
        run("get", *place, "--order", "1020").ends(NO, "C0, D", "tallorder get CUSTOMER '1020'")
        run("get", *place, "--order", "none").ends(NO, "none")
        run("get", *place, "--order", "1010", "C2").ends(USAGE, "--order")
        run("get", *place, "--order", "").ends(USAGE, "order_number")
        run("get", *place, "--order", "1010", "--part", "location[9]").ends(NO, "location")


@test
def commands_by_number(folder):
    """What takes CUSTOMER ORDER takes --order, too, and changes nothing where it is not one order."""
    store = filled_store(folder)
    run("put", "--store", store, "-", stdin={**ORDERS[20], "customer_number": "D"}).ends(DONE)
    before = run("export", "--store", store).ends(DONE).out
    editor = {**os.environ, "VISUAL": ""}
    explain = ("explain", "--store", store)
    equal(run(*explain, "--order", "1010", "--json").ends(DONE).out, run(*explain, "C2", "1010", "--json").out)
    for place in places(store):
        for words in ("patch", "attribute.x=1"), ("edit",), ("delete",), *([explain[:1]] if "--store" in place else []):
            command, *changes = words
            run(command, *place, "--order", "1020", *changes).ends(NO, "C0, D", f"tallorder {command} CUSTOMER '1020'")
            run(command, *place, "--order", "none", *changes).ends(NO, "No customer has an order none")
            run(command, *place, "--order", "", *changes).ends(USAGE, "order_number")
            if command != "patch":
                run(command, *place, "--order", "1010", "C2").ends(USAGE, "--order")
        run("patch", *place, "--order", "1010").ends(USAGE, "takes changes")
        equal(run("export", *place).out, before)
        run("patch", *place, "--order", "1010", "attribute.x=1", "-line[2]").ends(DONE, "Patched order 1010 of C2")
        run("edit", *place, "--order=1010", env={**editor, "EDITOR": "true"}).ends(DONE, "Nothing is changed")
        run("edit", *place, "--order=1010", env={**editor, "EDITOR": "sed -i '/\"x\"/s/1/2/'"}).ends(
            DONE, "Stored order 1010 of C2")
        equal(parse(run("get", *place, "C2", "1010", "--json").out)["attributes"]["x"], "2")
        run("delete", *place, "--order", "1010").ends(DONE, "Deleted order 1010 of C2")
        run("put", *place, "-", stdin=ORDERS[10]).ends(DONE)


@test
def by_number_without_its_index(folder):
    for place in places(indexed_store(folder, "date", CITY)):
        for words in ("get",), ("delete",), ("edit",), ("patch", "attribute.x=1"):
            run(words[0], *place, "--order", "1010", *words[1:]).ends(
                FAILED, "--order", "number=order_number", CITY)


@test
def an_index_that_lacks_orders_comes_last(folder):
    """An order without a date has no entry in the first one."""
    store = indexed_store(folder, "date", "dated=order_number time(sales_date)", NUMBER)
    run("put", "--store", store, "-", stdin=ORDERS[9]).ends(DONE)
    for place in places(store):
        run("get", *place, "--order", "1009").ends(DONE, "Order 1009 of C1")
        run("find", *place, "order_number=1009").ends(DONE, "1009")
        equal((numbers(place, "dated", "1009"), numbers(place, "number", "1009")), ([], ["1009"]))


@test
def what_changes_is_found_by_what_it_is(folder):
    for place in places(filled_store(folder)):
        before = numbers(place, "by-status", "2026-02", "back")
        equal(before, [])
        run("patch", *place, "C2", "1010", "attribute.status=back", "line[2].item_number=other").ends(DONE)
        equal(numbers(place, "by-status", "2026-02", "back"), ["1010"])
        equal((numbers(place, "by-item", "item 10"), numbers(place, "by-item", "other")), ([], ["1010"]))
        run("delete", *place, "C2", "1010").ends(DONE)
        equal((numbers(place, "number", "1010"), numbers(place, "by-item", "other")), ([], []))
        run("get", *place, "--order", "1010").ends(NO, "1010")
        run("put", *place, "-", stdin=ORDERS[10]).ends(DONE)
        equal(numbers(place, "by-item", "item 10"), ["1010"])


@test
def a_moment_and_a_day(folder):
    """A date as a value of rtime() is midnight; what was sold later on that day is in the range."""
    store = indexed_store(folder, ITEM)
    run("put", "--store", store, "-", stdin={**ORDERS[10], "sales_date": "2026-02-11T09:00:00.000Z"}).ends(DONE)
    place = ["--store", store]
    equal(numbers(place, "by-item", "item 10", "2026-02-11"), [])
    equal(numbers(place, "by-item", "item 10", "2026-02-11T09:00:00.000Z"), ["1010"])
    equal(numbers(place, "by-item", "item 10", "--from", "2026-02-11", "--to", "2026-02-12"), ["1010"])


@test
def an_index_is_added(folder):
    """By a migration that names those that stay, too; the help says how."""
    store = indexed_store(folder, NUMBER, CITY)
    run("put", "--store", store, "-", stdin=ORDERS[10]).ends(DONE)
    run("migrate", "--help").ends(DONE, f"--to-index '{ITEM}'")
    run("init", "--help").ends(DONE, f"--index '{ITEM}'")
    run("migrate", "--store", store, f"--to-index={NUMBER}", f"--to-index={ITEM}").ends(
        DONE, "Gone afterwards: index city\n")
    place = ["--store", store]
    equal(numbers(place, "by-item", "item 10"), ["1010"])
    equal(numbers(place, "number", "1010"), ["1010"])
    run("find", *place, "city", "Reims").ends(USAGE, NUMBER, ITEM)


@test
def a_value_finer_than_its_part(folder):
    """It is refused, and not cut: it would find what has only the part."""
    store = indexed_store(folder, "ends=last(2,order_number)", "begins=first(2,location.address.city)", "date")
    run("put", "--store", store, "-", stdin=ORDERS[10]).ends(DONE)
    for place in places(store):
        equal(numbers(place, "ends", "10"), ["1010"])
        equal(numbers(place, "last(2,order_number)=10"), ["1010"])
        run("find", *place, "ends", "#2010").ends(USAGE, "last(2,order_number) takes 2 characters at most: 10")
        run("find", *place, "last(2,order_number)=210").ends(USAGE, "takes 2 characters at most: 10")
        run("find", *place, "begins", "--from", "Re", "--to", "Re").ends(USAGE, "--to is the first value no longer")
        run("explain", "--store", store, "C2", "1010", "--layout", "all").ends(USAGE, "All layouts are --all")
        run("find", *place, "begins", "--from", "Rei").ends(USAGE, "takes 2 characters at most: Re")
        run("find", *place, "location.address.city=Reims").ends(
            USAGE, "No index finds by all of location.address.city; “begins” finds by "
            "first(2,location.address.city)=Re")


@test
def pages_of_long_keys(folder):
    """The longest entry fits into the token of a page."""
    store = indexed_store(folder, "x=" + " ".join(f"attribute.{name}" for name in "abcdefgh"))
    ids = [str(n) * 128 for n in range(3)]
    run("put", "--store", store, "-", "--quiet", stdin="".join(json.dumps({"order": {
        "customer_number": "C" * 128, "order_number": number,
        "attributes": {name: name * 3000 for name in "abcdefgh"}}}) + "\n" for number in ids)).ends(DONE)
    for place in places(store):
        equal(numbers(place, "x", "--limit", 1), ids)


@test
def an_index_that_could_not_be_read(folder):
    """It is refused before it is written, and the store is as it was."""
    store = indexed_store(folder, NUMBER)
    for wrong in ("a=attribute.\udcff", "a=attribute." + "x" * 1024, "date=currency", "none=currency"):
        run("init", "--store", store + "-2", "--index", wrong).ends(USAGE, "ndex “")
        run("migrate", "--store", store, "--to-index", wrong).ends(USAGE, "ndex “")
    run("status", "--store", store).ends(DONE, NUMBER)


@test
def status_shows_the_indexes(folder):
    for place in places(indexed_store(folder, NUMBER, STATUS)):
        run("status", *place).ends(DONE, f"indexes      {NUMBER}, {STATUS}\n")
        equal(json.loads(run("status", *place, "--json").ends(DONE).out)["indexes"], [NUMBER, STATUS])


if __name__ == "__main__":
    sys.exit(main())
