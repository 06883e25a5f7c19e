# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Lists, deletes and exports like a user. Speaks TAP.

    listing.py TALLORDER SOURCE_ROOT
"""

import json
import os
import re
import shlex
import subprocess
import sys
from hashlib import md5

from support import (
    DONE, FAILED, KEYS, LAYOUTS, NO, NORTHWIND, ORDER, PROGRAM, SECONDS, SOURCE, USAGE, Server, equal,
    main, new_store, run, test,
)


def lines_of(*objects):
    return "".join(json.dumps(o) + "\n" for o in objects)


def order(customer, number, **more):
    return {"order": {"customer_number": customer, "order_number": number, **more}}


def dated_store(folder, layout="record-type", key="hashed"):
    """C has an order for each of 25 days, one without a date, and its record; D only one order."""
    store = new_store(folder, layout, key)
    days = [order("C", f"O{day}", sales_date=f"2020-01-{day:02}T00:00:00.000Z",
                  currency="EUR", shipping_locations=[
                      {"number": 1, "line_items": [{"number": 1, "quantity": str(day),
                                                    "price": "1.50"}]}])
            for day in range(1, 26)]
    run("put", "--store", store, "-", stdin=lines_of(
        *days, order("C", "never"), order("D", "O1"),
        {"customer": {"number": "C", "name": "Ann"}})).ends(DONE)
    return store


def places(store):
    """The options that reach a store: itself, and a server over it."""
    yield ["--store", store]
    with Server(store) as server:
        yield ["--server", server.address]
        equal(server.stop(), 0)


def follow(text):
    """Runs the command line of the next page, as the program prints it; None after the last."""
    lines = [line for line in text.splitlines() if line.startswith("Next page: ")]
    if not lines:
        return None
    words = shlex.split(lines[0].removeprefix("Next page: "))
    equal(words[0], "tallorder")
    verbs = 2 if words[1] == "customer" else 1  # options come after them
    equal([word for word in words[1:1 + verbs] if word.startswith("-")], [])
    return run(*words[1:]).ends(DONE).out


def first_words(text):
    rows = [line.split() for line in text.splitlines() if not line.startswith("Next page")]
    return [row[0] for row in rows[1:] if row]


NEWEST_FIRST = [f"O{day}" for day in range(25, 0, -1)] + ["never"]


@test
def list_pages(folder):
    for place in places(dated_store(folder)):
        page = run("list", "C", *place, "--limit", 10).ends(DONE).out
        equal(page.splitlines()[0].split()[:2], ["ORDER", "SALES"])
        equal(page.splitlines()[1].split()[:5], ["O25", "2020-01-25", "1", "37.50", "EUR"])
        seen, pages = [], 0
        while page is not None:
            seen += first_words(page)
            pages += 1
            page = follow(page)
        equal((seen, pages), (NEWEST_FIRST, 3))
        every = run("list", "C", *place, "--all").ends(DONE).out
        equal((first_words(every), "Next page" in every), (NEWEST_FIRST, False))
        equal(run("list", "nobody", *place).ends(DONE).out, "No orders.\n")
        year = ["--from", "2020-01-24", "--to", "2021-01-01", "--orders"]
        whole = run("list", "C", *place, *year).ends(DONE).out
        equal(re.findall("Order (.*) of C", whole), NEWEST_FIRST[:2])
        said = json.loads(run("list", "C", *place, *year, "--limit", 1, "--json").ends(DONE).out)
        equal((said["orders"], "next_page" in said),
              ([json.loads(run("get", *place, "C", "O25", "--json").ends(DONE).out)], True))


@test
def list_as_json(folder):
    for place in places(dated_store(folder)):
        seen, page = [], []
        while True:
            said = json.loads(run("list", *place, "C", "--limit", 7, *page, "--json").ends(DONE).out)
            seen += said["orders"]
            if "next_page" not in said:
                break
            page = ["--page", said["next_page"]]
        equal([o["order_number"] for o in seen], NEWEST_FIRST)
        revision = seen[0].pop("revision")
        equal(seen[0], {"order_number": "O25", "sales_date": "2020-01-25T00:00:00.000Z",
                        "lines": 1, "total": "37.50", "currency": "EUR"})
        equal(set(seen[-1]) - {"total"}, {"order_number", "revision", "lines"})
        run("delete", *place, "C", "O25", "--if-revision", revision + 2).ends(NO)
        run("put", *place, "-", stdin=order("C", "O25", sales_date="2020-01-25")).ends(DONE)
        run("put", *place, "-", stdin=json.dumps(order(
            "C", "O25", sales_date="2020-01-25", currency="EUR", shipping_locations=[
                {"number": 1, "line_items": [{"number": 1, "quantity": "25",
                                              "price": "1.50"}]}]))).ends(DONE)
        every = json.loads(run("list", *place, "C", "--all", "--json").ends(DONE).out)
        equal([o["order_number"] for o in every["orders"]], NEWEST_FIRST)
        equal(json.loads(run("list", *place, "X", "--json").ends(DONE).out), {"orders": []})


@test
def list_by_date(folder):
    store = dated_store(folder)

    def listed(*options):
        said = run("list", "--store", store, "C", "--all", "--json", *options).ends(DONE).out
        return [o["order_number"] for o in json.loads(said)["orders"]]

    equal(listed("--from", "2020-01-23"), ["O25", "O24", "O23"])
    equal(listed("--from", "2020-01-10", "--to", "2020-01-12"), ["O11", "O10"])
    equal(listed("--to", "2020-01-03T00:00:00Z"), ["O2", "O1"])
    equal(listed("--from", "2020-01-03T00:00:00.001Z", "--to", "2020-01-04T02:00:00+02:00"), [])
    equal(listed("--from", "2021-01-01"), [])
    equal(listed("--from", "2020-01", "--to", "2020-01-03"), ["O2", "O1"])
    equal((listed("--from", "2021"), listed("--from", "2020-01-24", "--to", "2021")), ([], ["O25", "O24"]))
    run("put", "--store", store, "-", stdin=order("C", "O1", sales_date="2021-06-01")).ends(DONE)
    run("delete", "--store", store, "C", "O25").ends(DONE)
    equal(listed("--from", "2020-01-23"), ["O1", "O24", "O23"])
    equal(listed("--to", "2020-01-03"), ["O2"])


@test
def wrong_pages(folder):
    for place in places(dated_store(folder)):
        run("put", *place, "-", stdin=order("D", "O2")).ends(DONE)
        said = json.loads(run("list", *place, "C", "--limit", 3, "--json").ends(DONE).out)
        token = said["next_page"]
        run("list", *place, "D", "--page", token).ends(USAGE, "--page")
        run("list", *place, "C", "--page", "abc").ends(USAGE, "--page")
        run("list", *place, "C", "--page", token[:-1]).ends(USAGE, "--page")
        run("customer", "list", *place, "--page", token).ends(USAGE, "--page")
        run("customer", "get", "C", "--orders", *place, "--page", token).ends(USAGE, "--page")


@test
def list_is_clean(folder):
    store = new_store(folder)
    run("put", "--store", store, "-", stdin=order("C", "O1", currency="\x1b[31m")).ends(DONE)
    said = run("list", "--store", store, "C").ends(DONE, "\\x1b[31m").out
    equal("\x1b" in said, False)
    run("customer", "put", "--store", store, "-", stdin={"number": "C", "name": "\x1b[2J"})
    said = run("customer", "list", "--store", store).ends(DONE, "\\x1b[2J").out
    equal("\x1b" in said, False)


@test
def all_of_an_address_is_shown(folder):
    """Each field that it has, those of an envelope in the order of one."""
    store = new_store(folder)
    proto = (SOURCE / "proto" / "common.proto").read_text()
    fields = re.findall(r" string (\w+) =", re.search(r"message Address \{.*?\}", proto, re.S)[0])
    address = {field: f"the {field}" for field in fields}
    run("customer", "put", "--store", store, "-",
        stdin={"number": "C", "address": address}).ends(DONE)
    said = run("customer", "get", "--store", store, "C").ends(
        DONE, "the line1, the line2, the zip, the city, the state, the country").out
    equal([text for text in address.values() if text not in said], [])


@test
def customer_list(folder):
    for place in places(dated_store(folder)):
        run("customer", "put", *place, "-", stdin=lines_of(
            *({"number": f"X{i}"} for i in range(20)))).ends(DONE)
        wanted = sorted(["C", "D", *(f"X{i}" for i in range(20))])
        said = json.loads(run("customer", "list", *place, "--all", "--json").ends(DONE).out)
        equal(sorted(c["number"] for c in said["customers"]), wanted)
        by_number = {c["number"]: c for c in said["customers"]}
        equal((by_number["C"]["name"], by_number["C"]["revision"] > 0), ("Ann", True))
        equal(by_number["D"], {"number": "D"})
        page, seen = run("customer", "list", *place, "--limit", 5).ends(DONE, "CUSTOMER").out, []
        while page is not None:
            seen += first_words(page)
            page = follow(page)
        equal(seen, [c["number"] for c in said["customers"]])
        text = run("customer", "list", *place, "--all").ends(DONE).out
        equal([line.split() for line in text.splitlines() if line.startswith("D ")],
              [["D", "only", "orders"]])


@test
def customer_with_orders(folder):
    store = dated_store(folder)
    run("customer", "put", "--store", store, "-", stdin={"number": "lonely"}).ends(DONE)
    for place in places(store):
        get = ["customer", "get", *place, "--orders"]
        said = json.loads(run(*get, "C", "--all", "--json").ends(DONE).out)
        equal(said["customer"].pop("revision") > 0, True)
        equal(said["customer"], {"number": "C", "name": "Ann"})
        equal(sorted(o["order_number"] for o in said["orders"]), sorted(NEWEST_FIRST))
        one = said["orders"][0]
        equal(one, json.loads(run("get", *place, "C", one["order_number"], "--json").out))

        page, seen = run(*get, "C", "--limit", 10).ends(DONE, "Customer C", "Ann").out, []
        while page is not None:
            seen += [line.split()[1] for line in page.splitlines() if line.startswith("Order ")]
            page = follow(page)
        equal(seen, [o["order_number"] for o in said["orders"]])

        said = json.loads(run(*get, "D", "--json").ends(DONE).out)
        equal(said["orders"][0].pop("revision") > 0, True)
        equal(said, {"orders": [{"customer_number": "D", "order_number": "O1"}]})
        run(*get, "D").ends(DONE, "Customer D", "only orders are stored", "Order O1 of D")
        said = json.loads(run(*get, "lonely", "--json").ends(DONE).out)
        equal(said["customer"].pop("revision") > 0, True)
        equal(said, {"customer": {"number": "lonely"}, "orders": []})
        run(*get, "nobody").ends(NO, "nobody")


def loaded_store(folder, layout, key):
    """Real orders and customers, and an order of somebody who is not a customer."""
    store = new_store(folder, layout, key)
    run("load", "--store", store, "--map", "northwind", NORTHWIND / "orders.csv").ends(DONE)
    run("load", "--store", store, "--map", "northwind-customers",
        NORTHWIND / "customers.csv").ends(DONE)
    run("put", "--store", store, "-", stdin=lines_of(
        {"order": ORDER}, order("Ünïcödé \"x\"", "\\1/2", attributes={"k": "\t\n"}),
        {"customer": {"number": "no orders"}})).ends(DONE)
    return store


def canonical(line):
    """A line as the program writes it."""
    return json.dumps(json.loads(line), ensure_ascii=False, separators=(",", ":"))


def same_lines(key):
    """How the lines of two deployments of one key strategy compare. Where row keys depend on who
    came first, as numeric ones do, customers may come in another order, each before its orders."""
    return (lambda text: sorted(text.splitlines())) if key == "numeric" else (lambda text: text)


@test
def export_and_put(folder):
    """What is exported and put elsewhere is exported as the same bytes: from each layout into the
    same and into another one, under every key strategy."""
    for number in range(max(len(LAYOUTS), len(KEYS))):
        layout, key = LAYOUTS[number % len(LAYOUTS)], KEYS[number % len(KEYS)]
        others = [layout, LAYOUTS[number % len(LAYOUTS) - 1]]
        same = same_lines(key)
        os.mkdir(f"{folder}/{layout}")
        store = loaded_store(f"{folder}/{layout}", layout, key)
        exported = run("export", "--store", store).ends(DONE).out
        items = [json.loads(line) for line in exported.splitlines()]
        equal((sum("order" in i for i in items), sum("customer" in i for i in items)), (832, 92))
        equal(ORDER in [i.get("order") for i in items], True)

        second = f"rocksdb:{folder}/{layout}/second?sync=0"
        for place, name, other in zip(places(store), ["stored", "served"], others):
            run("init", "--store", f"{second}&name={name}", "--layout", other, "--key",
                key).ends(DONE)
            equal(run("export", *place).ends(DONE).out, exported)
            for into in places(f"{second}&name={name}"):
                run("put", *into, "-", stdin=exported).ends(DONE)
                equal(same(run("export", *into).ends(DONE).out), same(exported))


@test
def export_from_each_layout_into_each(folder):
    """A few orders of every kind go round through all layouts, under every key strategy, and come
    back as the same bytes."""
    lines = lines_of(
        {"customer": {"number": "A", "name": ""}}, {"order": ORDER}, order("A", "1"),
        order("A", "10", sales_date="0001-01-01T00:00:00.000Z", shipping_locations=[{"number": 7}]),
        order("AA", "1", currency=""), {"customer": {"number": "Ünïcödé 漢字"}})
    for key in KEYS:
        same, exported = same_lines(key), None
        for turn, layout in enumerate([*LAYOUTS, LAYOUTS[0]]):
            os.makedirs(f"{folder}/{key}/{turn}")
            store = new_store(f"{folder}/{key}/{turn}", layout, key)
            run("put", "--store", store, "-", stdin=exported or lines).ends(DONE)
            again = run("export", "--store", store).ends(DONE).out
            equal(same(again), same(exported or again))
            exported = again
        equal(sorted(exported.splitlines()), sorted(map(canonical, lines.splitlines())))


@test
def export_one_customer(folder):
    for place in places(dated_store(folder)):
        items = [json.loads(line)
                 for line in run("export", *place, "C").ends(DONE).out.splitlines()]
        equal(items[0], {"customer": {"number": "C", "name": "Ann"}})
        equal(sorted(i["order"]["order_number"] for i in items[1:]), sorted(NEWEST_FIRST))
        equal(run("export", *place, "D").ends(DONE).out,
              '{"order":{"customer_number":"D","order_number":"O1"}}\n')
        run("export", *place, "nobody").ends(NO, "nobody")


@test
def export_of_nothing(folder):
    equal(run("export", "--store", new_store(folder)).ends(DONE).out, "")
    run("export", "--store", f"rocksdb:{folder}/none").ends(FAILED, "none")


@test
def export_many_orders(folder):
    """A customer with more orders than one call gives."""
    store = new_store(folder, "record-type")
    wanted = {f"O{i}" for i in range(350)}
    run("put", "--store", store, "-", stdin=lines_of(*(order("C", n) for n in wanted))).ends(DONE)
    items = [json.loads(line) for line in run("export", "--store", store).ends(DONE).out.split()]
    equal((len(items), {i["order"]["order_number"] for i in items}), (350, wanted))


def start_export(*place):
    """An export whose output nobody reads beyond the first line."""
    process = subprocess.Popen([PROGRAM, "export", *place], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    equal(process.stdout.readline()[:2], '{"')
    return process


@test
def export_to_a_reader_that_stops(folder):
    for place in places(loaded_store(folder, "blob", "hashed")):
        process = start_export(*place)
        process.stdout.close()
        equal((process.wait(timeout=SECONDS), process.stderr.read()), (141, ""))
        process.stderr.close()


@test
def export_that_breaks(folder):
    """The server dies in the middle: what came is whole lines, and the message says it is not all."""
    store = loaded_store(folder, "blob", "hashed")
    with Server(store) as server:
        process = start_export("--server", server.address)
        server.process.kill()
        server.process.wait()
        out, err = process.stdout.read(), process.stderr.read()
        process.wait(timeout=SECONDS)
    equal((process.returncode, "The export is not complete" in err), (FAILED, True))
    lines = [json.loads(line) for line in out.splitlines()]
    equal((len(lines) < 923, out.endswith("\n")), (True, True))


@test
def export_to_a_full_disk(folder):
    store = loaded_store(folder, "blob", "hashed")
    with open("/dev/full", "w", encoding="utf-8") as full:
        result = subprocess.run([PROGRAM, "export", "--store", store], stdout=full,
                                stderr=subprocess.PIPE, text=True, timeout=SECONDS, check=False)
    equal((result.returncode, "Writing the output failed" in result.stderr), (FAILED, True))


@test
def totals_for_people(folder):
    """Rates of discounts have many places; what people see has those of money, and JSON has all."""
    place = ("--store", new_store(folder, "blob"))
    for number, price, discount, shown, total in (
            ("1", "9.99", "0.166666667", "16.65", "16.64999999334"),
            ("2", "-9.99", "0.166666667", "-16.65", "-16.64999999334"),
            ("3", "0.123456", "0", "0.2469", "0.246912"),
            ("4", "1.50", "0", "3.00", "3.00")):
        line = {"number": 1, "quantity": "2", "price": price, "discount": discount}
        order = {"customer_number": "C", "order_number": number,
                 "shipping_locations": [{"number": 1, "line_items": [line]}]}
        run("put", *place, "-", stdin=order).ends(DONE)
        run("get", *place, "C", number).ends(DONE, f"total {shown}\n")
        listed = json.loads(run("list", *place, "C", "--json").ends(DONE).out)["orders"]
        equal({entry["order_number"]: entry["total"] for entry in listed}[number], total)
        equal(f" {shown} " in run("list", *place, "C").ends(DONE).out, True)


@test
def export_loses_nobody_whose_key_collides(folder):
    store = new_store(folder, "blob", "hashed")
    one, other = (f"TEXTCOLLBYfGiJUETHQ4h{c}cKSMd5zYpgqf1YRDhkmxHkhPWptrkoyz28wnI9V0aHeAuaKnak"
                  for c in "AE")
    items = [order(one, str(number)) for number in range(300)]
    # So late among the first one's that the list of customers does not come to them.
    late = [text for text in map(str, range(300, 400)) if md5(text.encode()).digest()[0] >= 0xe0][:3]
    items += [order(other, number) for number in late]
    run("put", "--store", store, "-", stdin=lines_of(*items)).ends(DONE)
    equal(other in run("customer", "list", "--store", store).ends(DONE).out, False)
    for place in places(store):
        lines = run("export", *place).ends(DONE).out.splitlines()
        equal(len(set(lines)), len(lines))
        numbers = [json.loads(line)["order"]["customer_number"] for line in lines]
        equal([numbers.count(one), numbers.count(other)], [300, 3])


@test
def export_of_a_colliding_customer_over_pages(folder):
    """The second one has more orders than a page of the export, and is met again on each."""
    store = new_store(folder, "blob", "hashed")
    one, other = (f"TEXTCOLLBYfGiJUETHQ4h{c}cKSMd5zYpgqf1YRDhkmxHkhPWptrkoyz28wnI9V0aHeAuaKnak"
                  for c in "AE")
    items = [order(who, f"{who[21]}{number}") for who in (one, other) for number in range(250)]
    run("put", "--store", store, "-", "--quiet", stdin=lines_of(*items)).ends(DONE)
    for place in places(store):
        lines = run("export", *place).ends(DONE).out.splitlines()
        numbers = [json.loads(line)["order"]["customer_number"] for line in lines]
        equal([len(set(lines)), numbers.count(one), numbers.count(other)], [500, 250, 250])


if __name__ == "__main__":
    sys.exit(main())
