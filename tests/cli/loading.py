# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Drives `tallorder load` like a user, and checks exit codes and output. Speaks TAP.

    loading.py TALLORDER SOURCE_ROOT
"""

import csv
import gzip
import json
import os
import pathlib
import re
import signal
import subprocess
import sys

from support import (
    PROGRAM, NORTHWIND, RETAIL, SECONDS, DONE, NO, USAGE, FAILED, test, run, equal, Server,
    new_store, on_terminal, main, parse,
)


def write_map(folder, text="[order]\ncustomer_number=C\norder_number=O\n[line]\nquantity=Q\n"):
    path = f"{folder}/own.map"
    pathlib.Path(path).write_text(text, encoding="utf-8")
    return path


def lines_of(store, customer, number):
    got = run("get", "--store", store, customer, number, "--json")
    if got.code == NO:
        return None
    return [line["quantity"] for place in json.loads(got.out)["shipping_locations"]
            for line in place["line_items"]]


def stop_load(number, *args, stdin, until=None):
    """Starts a load, sends it a signal while its standard input is open, returns its output."""
    process = subprocess.Popen([PROGRAM, "load", *args], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdin.write(stdin)
    process.stdin.flush()
    if until is not None:
        until()
    process.send_signal(number)
    out, err = process.communicate(timeout=SECONDS)
    equal((process.returncode, "Stopped " in err, "load the file again" in err, "Rows " in out),
          (128 + number, True, True, True))
    return err


@test
def load_northwind(folder):
    store = new_store(folder, "record-type")
    said = run("load", "--store", store, "--map", "northwind", NORTHWIND / "orders.csv").ends(
        DONE, "2155 read = 2155 stored + 0 rejected", "830 with 2155 lines")
    equal(said.err, "")  # no bar where there is no terminal
    run("load", "--store", store, "--map", "northwind-customers",
        NORTHWIND / "customers.csv").ends(DONE, "Customers 91")
    again = run("load", "--store", store, "--map", "northwind", "--json", "-",
                stdin=(NORTHWIND / "orders.csv").read_text("utf-8")).ends(DONE).out
    equal(len(re.findall(r'"seconds" : \d+(\.0*\d{1,3})?,\n', again)), 1)  # 0.0123 has three digits, too
    summary = json.loads(again)
    equal([summary[k] for k in ("rows", "rejected_rows", "unchanged")],
          [2155, 0, {"orders": 830, "rows": 2155, "lines": 2155}])
    run("get", "--store", store, "ERNSH", "11008").ends(DONE, "total 4680.90", " (loaded)\n")
    run("explain", "--store", store, "ERNSH", "11008").ends(DONE, " (loaded)\n")
    with Server(store) as server:
        run("load", "--server", server.address, "--map", "northwind",
            NORTHWIND / "orders.csv").ends(DONE, "Orders    0 with 0 lines, 830 unchanged")
        equal(server.stop(), 0)


@test
def load_rejects(folder):
    store = new_store(folder)
    rejects = f"{folder}/rejects.csv"
    run("load", "--store", store, "--map", "online-retail", RETAIL, "--rejects", rejects).ends(
        NO, "9999 read = 7708 stored + 2291 rejected", "444 with 7708 lines",
        "2291 × CustomerID: there is no customer number", rejects)
    with open(rejects, newline="", encoding="utf-8") as file:
        header, *rows = csv.DictReader(file)
    equal((header["line"], header["reason"], header["row"].count(",")), ("1", "header", 7))
    equal((len(rows), {row["column"] for row in rows}), (2291, {"CustomerID"}))
    source = RETAIL.read_bytes().decode("utf-8-sig").split("\r\n")
    wrong = [row for row in rows if source[int(row["line"]) - 1] != row["row"]]
    equal(wrong, [])

    own = f"{folder}/own.map"
    preset = run("load", "--print-map", "online-retail").ends(DONE, "[order]").out
    pathlib.Path(own).write_text(preset + "order.customer_number = GUEST\n", encoding="utf-8")
    run("load", "--store", store, "--map", own, RETAIL).ends(
        DONE, "68 with 2291 lines, 444 unchanged")
    run("get", "--store", store, "GUEST", "536414").ends(DONE, "22139")

    run("load", "--store", store, "--map", "northwind", RETAIL).ends(
        USAGE, "[order] order_number: the file has no column “OrderID”", "InvoiceNo",
        "--map online-retail")
    run("load", "--store", store, "--map", "northwind", "-", stdin=RETAIL.read_text("utf-8-sig")).ends(
        USAGE, "--map online-retail")
    run("load", "--store", store, "--map", "northwind", f"{folder}/none.csv").ends(
        FAILED, "none.csv")
    run("load", "--store", store, "--map", own, RETAIL, str(RETAIL)).ends(
        USAGE, "are the same file")
    run("load", "--store", store, "--map", own, RETAIL, "--rejects", f"{folder}/no/x").ends(
        FAILED, "no/x")


@test
def load_keeps_other_files(folder):
    """The reject file is never the input, and what it replaces stays until the load ends."""
    store = new_store(folder)
    source = f"{folder}/orders.csv"
    content = (NORTHWIND / "orders.csv").read_bytes() + b"broken\n"
    pathlib.Path(source).write_bytes(content)
    load = ["load", "--store", store, "--map", "northwind"]
    os.link(source, f"{folder}/link.csv")
    for name in (source, f"{folder}/link.csv"):
        run(*load, source, "--rejects", name).ends(USAGE, "names the file that is read")
        with open(source, encoding="utf-8") as stdin:
            completed = subprocess.run([PROGRAM, *load, "-", "--rejects", name], stdin=stdin,
                                       capture_output=True, timeout=SECONDS, check=False)
        equal(completed.returncode, USAGE)
    os.link(source, f"{folder}/new.csv.unfinished")
    run(*load, source, "--rejects", f"{folder}/new.csv").ends(
        USAGE, "new.csv.unfinished, which is the file that is read")
    equal(pathlib.Path(source).read_bytes(), content)
    run(*load, source, "--rejects", "-").ends(USAGE, "--rejects takes the name of a file")

    rejects = f"{folder}/rejects.csv"
    pathlib.Path(rejects).write_text("old", encoding="utf-8")
    run(*load, source, "--rejects", rejects).ends(NO, "1 ×", "orders a second")
    equal(pathlib.Path(rejects).read_text("utf-8").splitlines()[0],
          '"line","column","reason","row"')
    equal([name for name in os.listdir(folder) if name.startswith("rejects.csv.")], [])


@test
def load_rejects_unfinished(folder):
    """What a killed load leaves of its rejects has a name of its own, which the next one takes."""
    store = new_store(folder)
    rejects = f"{folder}/rejects.csv"
    own = f"{folder}/own.map"
    pathlib.Path(own).write_text("[order]\ncustomer_number=C\norder_number=O\n", encoding="utf-8")
    load = ["load", "--map", own, "--rejects", rejects]

    def left():
        return sorted(name for name in os.listdir(folder) if name.startswith("rejects"))

    for _ in range(2):
        process = subprocess.Popen([PROGRAM, *load, "--store", store, "-"], stdin=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)
        process.stdin.write("C,O\n" + ",1\n" * 50000)
        process.stdin.flush()  # more than a pipe holds: it is loading by now
        other = f"rocksdb:{folder}/other"
        run("init", "--store", other)
        run(*load, "--store", other, "-", stdin="C,O\n,1\n").ends(FAILED, rejects, "another load")
        process.kill()
        process.communicate()
        equal(left(), ["rejects.csv.unfinished"])
    run(*load, "--store", store, "-", stdin="C,O\n,1\n").ends(NO)
    equal(left(), ["rejects.csv"])
    equal(len(pathlib.Path(rejects).read_text("utf-8").splitlines()), 3)


@test
def load_stops_when_asked(folder):
    """Customers are stored as they come, orders when the file has been read once."""
    store = f"{new_store(folder)}?sync=0"
    rejects = f"{folder}/rejects.csv"
    own = write_map(folder, "[mapping]\nkind=customers\n[customer]\nnumber=C\n")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # more than a pipe holds: it is loading by now, and waits for more
        err = stop_load(number, "--store", store, "--map", own, "--rejects", rejects, "-",
                        stdin="C,O\n,1\n" + "".join(f"C{i},\n" for i in range(50000)))
        equal("Stopped at line " in err, True)
        equal(pathlib.Path(rejects).read_text("utf-8").splitlines()[2][:3], '"2"')
    run("customer", "get", "--store", store, "C0").ends(DONE)

    own = write_map(folder)
    many = "C,O,Q\n" + "".join(f"C,{i},1\n" for i in range(50000))
    err = stop_load(signal.SIGINT, "--store", store, "--map", own, "-", stdin=many)
    equal("nothing is stored" in err, True)
    run("get", "--store", store, "C", "0").ends(NO)


@test
def load_stops_between_orders(folder):
    """What was stored until then stays; the reject file has what was rejected until then."""
    store = new_store(folder)
    rejects = f"{folder}/rejects.csv"
    own = write_map(folder)
    many = f"{folder}/many.csv"
    pathlib.Path(many).write_text(
        "C,O,Q\n,0,1\n" + "".join(f"C,{i},1\n" for i in range(1, 200000)), encoding="utf-8")
    with Server(store) as server:
        def wait():
            while run("get", "--server", server.address, "C", "700").code != DONE:
                pass
        err = stop_load(signal.SIGTERM, "--server", server.address, "--map", own, "--rejects",
                        rejects, many, stdin="", until=wait)
        equal("Stopped at line " in err, True)
        run("get", "--server", server.address, "C", "1").ends(DONE)
    equal(pathlib.Path(rejects).read_text("utf-8").splitlines()[2][:3], '"2"')


@test
def load_rows_apart(folder):
    """The rows of an order may lie anywhere; no part of one is stored."""
    store = new_store(folder)
    own = write_map(folder)
    rejects, source = f"{folder}/rejects.csv", f"{folder}/orders.csv"
    rows = ["A,1,1", "B,1,2", "A,2,3", "A,1,4", "A,3,x", "B,2,5", "A,2,6", "A,3,8", "A,2,7"]
    pathlib.Path(source).write_text("C,O,Q\n" + "\n".join(rows) + "\n", encoding="utf-8")
    load = ["load", "--store", store, "--map", own]

    def stored():
        return [lines_of(store, customer, number)
                for customer, number in (("A", 1), ("A", 2), ("A", 3), ("B", 1), ("B", 2))]

    for end, *given in (("stored", source), ("revived", "-"), ("revived", "-", "--spool", folder)):
        stdin = pathlib.Path(source).read_text("utf-8") if given[0] == "-" else None
        said = run(*load, *given, "--rejects", rejects, stdin=stdin).ends(
            NO, "+ 2 rejected", f"7 {end}",
            "1 × another row of the same order was rejected (first: line 9: order 3 is rejected "
            "because of line 6)",
            "1 × Q: is not a number (first: line 6: “x” is not a number of the form 1234.5")
        equal(said.err, "")  # so few rows take no room
        equal(stored(), [["1", "4"], ["3", "6", "7"], None, ["2"], ["5"]])
        for customer, number in (("A", 1), ("A", 2), ("B", 1), ("B", 2)):
            run("delete", "--store", store, customer, number).ends(DONE)
    summary = json.loads(run(*load, source, "--json").ends(NO).out)
    equal((summary["revived"]["orders"], summary["spooled_rows"]), (4, 7))

    with open(rejects, newline="", encoding="utf-8") as file:
        header, *rejected = [row["row"] for row in csv.DictReader(file)]
    equal((header, sorted(rejected)), ("C,O,Q", ["A,3,8", "A,3,x"]))
    run(*load, "-", stdin="C,O,Q\n" + "\n".join(rejected).replace("x", "9") + "\n").ends(DONE)
    equal(sorted(lines_of(store, "A", 3)), ["8", "9"])


@test
def load_cut_file(folder):
    """A file that ends in the middle of a quoted field: its last row is said to be, and the rest is stored."""
    store, rejects = new_store(folder), f"{folder}/rejects.csv"
    own = write_map(folder, "[order]\ncustomer_number=C\norder_number=O\nattribute.note=N\n[line]\nquantity=Q\n")
    load = ["load", "--store", store, "--map", own, "--rejects", rejects, "-"]
    said = run(*load, stdin='C,O,Q,N\nA,1,1,"one, two"\nA,2,1,"x"\nA,2,2,"x"\nA,3,1,"cut he')
    said.ends(NO, "4 read = 3 stored + 1 rejected", "a quote is opened and never closed")
    with open(rejects, newline="", encoding="utf-8") as file:
        equal([(row["line"], row["row"]) for row in csv.DictReader(file)][1:], [("5", 'A,3,1,"cut he')])
    run("get", "--store", store, "A", 1).ends(DONE, "one, two")
    run("get", "--store", store, "A", 3).ends(NO)
    # In the middle of an order, none of it is stored.
    run(*load, stdin='C,O,Q,N\nA,4,1,x\nA,4,2,"x').ends(NO, "2 read = 0 stored + 2 rejected")
    run("get", "--store", store, "A", 4).ends(NO)


@test
def load_several_files(folder):
    """Files are read in order; an order may have rows in several, and reasons name them."""
    store = new_store(folder)
    own = write_map(folder)
    rejects = f"{folder}/rejects.csv"
    for name, text in (("a.csv", "C,O,Q\nA,1,1\nA,2,2\nB,1,5\n"), ("b.csv", "Q,X,C,O\n3,,A,1\n4,,A,4\n"),
                       ("c.csv", "C,O,Q\nA,2,x\nA,5,6\n")):
        pathlib.Path(f"{folder}/{name}").write_text(text, encoding="utf-8")
    load = ["load", "--store", store, "--map", own, "--rejects", rejects, "--across-files"]
    run(*load, f"{folder}/?.csv").ends(
        NO, "7 read = 5 stored + 2 rejected", "Orders    4 with 5 lines",
        f"3 read = 2 stored + 1 rejected: {folder}/a.csv", f"2 read = 2 stored + 0 rejected: {folder}/b.csv",
        f"(first: line 2 of {folder}/c.csv: “x” is not", f"because of line 2 of {folder}/c.csv")
    equal([lines_of(store, *key) for key in (("A", 1), ("A", 2), ("A", 4), ("A", 5), ("B", 1))],
          [["1", "3"], None, ["4"], ["6"], ["5"]])
    with open(rejects, newline="", encoding="utf-8") as file:
        rows = [(os.path.basename(row["file"]), row["line"], row["reason"][:6], row["row"])
                for row in csv.DictReader(file)]
    equal(rows, [("c.csv", "1", "header", "C,O,Q"), ("c.csv", "2", "“x” is", "A,2,x"),
                 ("a.csv", "1", "header", "C,O,Q"), ("a.csv", "3", "order ", "A,2,2")])
    run(*load, f"{folder}/b.csv", "-", stdin="C,O,Q\nA,4,9\nA,1,7\n", ).ends(NO, "conflict")
    run(*load, "--on-existing", "replace", f"{folder}/b.csv", "-", stdin="C,O,Q\nA,4,9\nA,1,7\n").ends(DONE)
    equal([lines_of(store, *key) for key in (("A", 1), ("A", 4))], [["3", "7"], ["4", "9"]])
    run(*load, f"{folder}/none*.csv").ends(USAGE, "none*.csv: no file has such a name")
    run(*load, "-", "-").ends(USAGE, "standard input can be read once only")
    pathlib.Path(f"{folder}/d.csv").write_text("C,O\nA,1\n", encoding="utf-8")
    run(*load, f"{folder}/a.csv", f"{folder}/d.csv").ends(USAGE, "d.csv", "the file has no column “Q”")
    pathlib.Path(f"{folder}/e.csv").write_text('C,O,Q\nE,1,1\n"x"y\n', encoding="utf-8")
    pathlib.Path(f"{folder}/f.csv").write_text("C,O,Q\nE,2,2\n", encoding="utf-8")
    run(*load, f"{folder}/e.csv", f"{folder}/f.csv").ends(NO, "3 read = 1 stored + 2 rejected")
    equal([lines_of(store, *key) for key in (("E", 1), ("E", 2))], [None, ["2"]])
    own = write_map(folder, "[mapping]\nkind=customers\n[customer]\nnumber=C\nname=Q\n")
    load = ["load", "--store", store, "--map", own, "--rejects", rejects]
    run(*load, f"{folder}/a.csv", f"{folder}/b.csv").ends(
        NO, "5 read = 2 stored + 3 rejected", "Customers 2", "3 × C: the customer came earlier")
    run("customer", "get", "--store", store, "A", "--json").ends(DONE, '"name" : "1"')
    # A customer in each row of its orders counts once: of A, A, B and E the second is a repeat.
    load[4] = write_map(folder, "[mapping]\nkind=customers\n[customer]\nnumber=C\n")
    files = (f"{folder}/a.csv", f"{folder}/f.csv")
    run(*load, "--dry-run", "0", *files).ends(DONE, "4 read = 3 good + 1 repeated")
    run(*load, "--on-existing", "replace", *files).ends(DONE, "4 read = 3 stored + 1 repeated", "Customers 3")
    run(*load, *files).ends(DONE, "3 unchanged + 1 repeated")


@test
def load_files_that_overlap(folder):
    """Rows that two files have are loaded once; other rows of one order in two files reject it."""
    store = new_store(folder)
    own = write_map(folder)
    rejects = f"{folder}/rejects.csv"
    load = ["load", "--store", store, "--map", own]

    def write(**files):
        for name, rows in files.items():
            pathlib.Path(f"{folder}/{name}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        return [f"{folder}/{name}.csv" for name in files]

    # Two rows that are the same in one file are two lines; in the next file they are repeated.
    files = write(jan=["C,O,Q", "A,1,1", "A,1,1", "A,2,5", "A,8,1", "A,8,1"],
                  feb=["C,O,Q", "A,1,1", "A,2,5", "A,3,7", "A,1,1", "A,8,1"],
                  mar=["C,O,Q", "A,3,7", "A,1,1", "A,8,1", "A,8,1"])
    run(*load, *files, "--rejects", rejects).ends(
        DONE, "14 read = 6 stored + 8 repeated + 0 rejected", "Orders    4 with 6 lines",
        f"5 read = 1 stored + 4 repeated + 0 rejected: {folder}/feb.csv")
    equal([lines_of(store, "A", number) for number in (1, 2, 3, 8)], [["1", "1"], ["5"], ["7"], ["1", "1"]])
    again = json.loads(run(*load, *files, "--json").ends(DONE).out)
    equal((again["unchanged"], again["repeated"], again["files"][2]["repeated"]),
          ({"orders": 4, "rows": 6, "lines": 6}, {"orders": 0, "rows": 8, "lines": 0}, 4))

    query = f"{folder}/own.sql"
    pathlib.Path(query).write_text('SELECT C AS customer_number, O AS order_number, Q AS "line.quantity", line FROM csv',
                                   encoding="utf-8")
    run("load", "--map", query, "--dry-run", "0", *files).ends(DONE, "14 rows of the query = 6 good + 8 repeated + 0 rejected")

    # One that comes once more often, or differs, or has its columns elsewhere, is not the same.
    for number, rows in ((4, ["C,O,Q", "A,4,1", "A,4,1"]), (5, ["C,O,Q", "A,5,2"]), (6, ["C,Q,O", "A,6,6"])):
        files = write(a=["C,O,Q", "B,9,1", f"A,{number},{1 if number < 6 else 6}"], b=rows)
        said = run(*load, *files, "--rejects", rejects).ends(
            NO, "another file has other rows of the same order (first: line ", f"order {number} has rows in "
            f"{folder}/a.csv, too, but not this one of {folder}/b.csv; if orders go on in another file, say "
            "--across-files", f"because of line {'3' if number == 4 else '2'} of {folder}/b.csv")
        equal((number, lines_of(store, "A", number), "1 unchanged" in said.out or number == 4),
              (number, None, True))
        run(*load, *files, "--across-files").ends(DONE)
    equal([lines_of(store, "A", number) for number in (4, 5, 6)], [["1", "1"], ["1", "2"], ["6", "6"]])

    # A reject file with rows of several files keeps to the same.
    files = write(a=["C,O,Q", "A,7,1"], b=["C,O,Q", "A,7,2", "A,7,x"])
    run(*load, *files, "--rejects", rejects).ends(NO, "3 read = 0 stored + 3 rejected")
    mend(rejects, ("A,7,x", "A,7,3"))
    run(*load, "--retry-rejects", rejects).ends(NO, "3 read = 0 stored + 3 rejected", "say --across-files")
    run(*load, "--retry-rejects", rejects, "--across-files").ends(DONE)
    equal(sorted(lines_of(store, "A", 7)), ["1", "2", "3"])


OLIST = """SELECT items.order_id AS order_number, customer_unique_id AS customer_number,
       order_purchase_timestamp AS sales_date, order_status AS "attribute.status",
       customer_city AS "location.address.city", customer_state AS "location.address.state",
       order_item_id AS "line.number", product_id AS "line.item_number",
       product_category_name AS "line.description", price AS "line.price", 1 AS "line.quantity", items.line
FROM items LEFT JOIN orders USING (order_id) LEFT JOIN customers USING (customer_id)
     LEFT JOIN products USING (product_id)
"""


def write_olist(folder):
    """Files with columns as in Olist's data set; the rows are made up."""
    files = {
        "customers": ("customer_id,customer_unique_id,customer_zip_code_prefix,customer_city,customer_state",
                      "c1,u1,01001,sao paulo,SP", "c2,u1,01001,sao paulo,SP", 'c3,u3,20000,"rio, centro",RJ',
                      "c4,,0,nowhere,XX", "c5,u5"),
        "orders": ("order_id,customer_id,order_status,order_purchase_timestamp",
                   "o1,c1,delivered,2017-10-02 10:56:33", "o2,c2,shipped,2018-07-24 20:41:37",
                   "o3,c3,canceled,2018-08-08 08:38:49", "o4,c9,delivered,2018-08-08 08:38:49",
                   "o5,c3,delivered,when", "o6,c4,delivered,2018-08-08 08:38:49", "o7,c5,x,2018-08-08",
                   "o8,c3,x,2018-08-08", "o8,c3,y,2018-08-08", "o9,c3,x", "oa,c3,x,2018-08-08"),
        "items": ("order_id,order_item_id,product_id,price",
                  "o2,1,p2,10.5", "o1,2,p1,1", "o4,1,p1,1", "o5,1,p1,1", "o6,1,p1,1", "ox,1,p1,1",
                  "o1,1,,2", "o7,1,p1,1", "o8,1,p1,1", "o9,1,p1,1", "oa,1,p9,1", "oa,2,p1,1"),
        "products": ("product_id,product_category_name", "p1,perfumaria", "p2,artes"),
    }
    for name, rows in files.items():
        pathlib.Path(f"{folder}/{name}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return [f"{name}={folder}/{name}.csv" for name in files]


def write_query(folder, text):
    path = f"{folder}/own.sql"
    pathlib.Path(path).write_text(text, encoding="utf-8")
    return path


@test
def load_joined_files(folder):
    """Headers, lines, and what they look up, each in a file of its own."""
    store = new_store(folder)
    own = write_query(folder, OLIST)
    rejects = f"{folder}/rejects.csv"
    load = ["load", "--store", store, "--map", own]
    files = write_olist(folder)
    run(*load, *files).ends(FAILED, "2 rows cannot be read, the first in line 6 of ", "customers.csv: has 2 fields")
    load += ["--allow-bad-rows"]
    run(*load, "--rejects", rejects, *files).ends(
        NO, "30 read = 12 in the result + 16 looked up + 2 unreadable", "13 rows of the query = 5 stored + 8 rejected",
        "Orders    3 with 5 lines", f"5 read = 0 in the result + 4 looked up + 1 unreadable: customers={folder}/customers.csv",
        f"12 read = 12 in the result + 0 unreadable: items={folder}/items.csv")
    equal(parse(run("get", "--store", store, "u1", "o1", "--json").out), {
        "customer_number": "u1", "order_number": "o1", "sales_date": "2017-10-02T10:56:33.000Z",
        "shipping_locations": [{"number": 1, "address": {"city": "sao paulo", "state": "SP"}, "line_items": [
            {"number": 1, "quantity": "1", "price": "2"},
            {"number": 2, "item_number": "p1", "description": "perfumaria", "quantity": "1", "price": "1"}]}],
        "attributes": {"status": "delivered"}})
    run("get", "--store", store, "u1", "o2").ends(DONE, "artes")
    with open(rejects, newline="", encoding="utf-8") as file:
        why = {(os.path.basename(row["file"]), row["row"]): row["reason"] for row in csv.DictReader(file)}
    for key, reason in {
            ("customers.csv", "c5,u5"): "has 2 fields where the header has 5",
            ("orders.csv", "o9,c3,x"): "has 3 fields where the header has 4",
            ("items.csv", "o4,1,p1,1"): "there is no customer number",
            ("items.csv", "o5,1,p1,1"): "“when” is not a date",
            ("items.csv", "o6,1,p1,1"): "there is no customer number",
            ("items.csv", "o7,1,p1,1"): "there is no customer number",
            ("items.csv", "o8,1,p1,1"): f"order o8 is rejected because of line 10 of {folder}/items.csv",
            ("items.csv", "o9,1,p1,1"): "there is no customer number",
            ("items.csv", "ox,1,p1,1"): "there is no customer number",
    }.items():
        equal((key, why.get(key, "").startswith(reason), why.get(key)), (key, True, why.get(key)))

    again = json.loads(run(*load, *files, "--json").ends(NO).out)
    equal([(file["file"], file["rows"], file["in_result"], file["kept"], file["unreadable"]) for file in again["files"]],
          [(f"{name}={folder}/{name}.csv", *counts) for name, counts in {
              "customers": (5, 0, 4, 1), "orders": (11, 0, 10, 1), "items": (12, 12, 0, 0),
              "products": (2, 0, 2, 0)}.items()])
    run(*load, *files[:3]).ends(USAGE, "no such table: products")
    run("load", "--store", store, "--map", "northwind", f"orders={NORTHWIND}/orders.csv").ends(
        USAGE, "a query joins several")


def mend(path, *changes):
    text = pathlib.Path(path).read_text("utf-8")
    for old, new in changes:
        equal((old, text.count(old)), (old, 1))
        text = text.replace(old, new)
    pathlib.Path(path).write_text(text, encoding="utf-8")


@test
def load_retried_rejects(folder):
    """A reject file is mended in an editor, and loaded by itself, until nothing is left of it."""
    store = new_store(folder)
    own = write_map(folder, "[mapping]\ndelimiter=semicolon\n[order]\ncustomer_number=C\norder_number=O\n"
                            "[line]\nitem_number=I\nquantity=Q\n")
    load = ["load", "--store", store, "--map", own]
    bad, worse = f"{folder}/bad.csv", f"{folder}/worse.csv"
    run(*load, "--rejects", bad, "-", stdin='I;Q;C;O\n"a\nb";1;A;1\n"c""";x;A;1\nd;;A;2\n"e"e;1;A;3\nf;2;A;4\n').ends(
        NO, "5 read = 2 stored + 3 rejected")
    equal(len(pathlib.Path(bad).read_text("utf-8").splitlines()), 6)
    run(*load, bad).ends(FAILED, "is the reject file of a load", "--retry-rejects")
    mend(bad, (";x;", ";y;"))
    run(*load, "--retry-rejects", bad, "--rejects", worse).ends(
        NO, "3 read = 0 stored + 3 rejected", "first: line 4: “y” is not a number",
        "a quote stands within a field")
    mend(worse, (";y;", ";7;"), ('""e""e', 'e'))
    run(*load, "--retry-rejects", worse, "--rejects", bad).ends(
        DONE, "3 read = 3 stored + 0 rejected", "Orders    2 with 3 lines")
    equal([lines_of(store, "A", n) for n in (1, 3, 4)], [["1", "7"], ["1"], ["2"]])
    run("get", "--store", store, "A", "1").ends(DONE, 'c"')
    run(*load, "--retry-rejects", bad).ends(FAILED, f"{bad} has no rows")
    run(*load, "--retry-rejects", own).ends(FAILED, "is not the reject file of a load")
    pathlib.Path(bad).write_text('"line","column","reason","row"\n"3","","x","a;1;A;1"\n', encoding="utf-8")
    run(*load, "--retry-rejects", bad).ends(FAILED, "line 2: there is no header of the file above this row")
    pathlib.Path(bad).write_text('"line","column","reason","row"\n"1","","header",I,Q\n', encoding="utf-8")
    run(*load, "--retry-rejects", bad).ends(FAILED, "line 2: there are 5 fields, not 4")
    run(*load, "--retry-rejects", bad, "--rejects", bad).ends(USAGE, "names the file that is read")
    # Rows go where they were, in whatever order the file has them.
    pathlib.Path(bad).write_text('"line","column","reason","row"\n"1","","header","I;Q;C;O"\n"9","","x","a;y;A;9"\n'
                                 '"5","","x","b;x;A;8"\n', encoding="utf-8")
    run(*load, "--retry-rejects", bad).ends(NO, "2 read = 0 stored + 2 rejected", "first: line 5: “x” is not a number")


@test
def load_retried_joined_rejects(folder):
    """So with several files: the reject file says which is which."""
    store = new_store(folder)
    own = write_query(folder, OLIST)
    bad = f"{folder}/bad.csv"
    files = write_olist(folder)
    load = ["load", "--store", store, "--map", own, "--allow-bad-rows"]
    looked_up = " ".join(f"'{files[i]}'" for i in (0, 1, 3))
    run(*load, "--rejects", bad, *files).ends(NO, "5 stored", f"--retry-rejects '{bad}' {looked_up}")
    mend(f"{folder}/orders.csv", ("o5,c3,delivered,when", "o5,c3,delivered,2018-08-08"))
    run(*load, "--retry-rejects", bad, files[0], files[1]).ends(USAGE, "no such table: products")
    said = run(*load, "--retry-rejects", bad, "--rejects", f"{folder}/worse.csv", files[0], files[1], files[3])
    equal((said.code, " = 1 stored + " in said.out), (NO, True))
    run("get", "--store", store, "u3", "o5").ends(DONE, "perfumaria", "rio, centro")
    run("get", "--store", store, "u3", "o8").ends(NO)


@test
def load_says_where_rows_go(folder):
    """Where rows of orders come together, and how much that is, is said before."""
    store = f"{new_store(folder)}?sync=0"
    own = write_map(folder, "[order]\ncustomer_number=C\norder_number=O\n[line]\nitem_number=Q\n")
    spool = f"{folder}/spool"
    os.mkdir(spool)
    many = "C,O,Q\n" + "".join(f"C,{i % 20000},{i // 20000}{'0' * 80}\n" for i in range(40000))
    load = ["load", "--store", store, "--map", own, "-"]
    said = run(*load, "--spool", spool, stdin=many).ends(DONE, "40000 read = 40000 stored + 0", "20000")
    equal(re.findall(r"about [\d.]+.MB, are put aside in (.*); --spool", said.err), [spool])
    equal(os.listdir(spool), [])
    run("get", "--store", store, "C", 19999).ends(DONE, " 0" + "0" * 80, "1" + "0" * 80)
    equal(run(*load, "--quiet", stdin=many).ends(DONE).err, "")


@test
def load_what_is_there(folder):
    """What is stored with another content is left, unless the caller decides otherwise."""
    store = new_store(folder)
    load = ["load", "--store", store, "--map", write_map(folder), "-"]
    run(*load, stdin="C,O,Q\nA,1,1\nA,2,2\n").ends(DONE, "2 read = 2 stored + 0 rejected")
    changed = "C,O,Q\nA,1,1\nA,2,7\nA,3,3\n"
    rejects = f"{folder}/rejects.csv"
    run(*load, "--rejects", rejects, stdin=changed).ends(
        NO, "3 read = 1 stored + 1 unchanged + 1 rejected", "Orders    1 with 1 line, 1 unchanged",
        "the store refuses it: conflict", "another content is stored",
        'it is left: line[1].quantity is "7", and "2" is stored')
    equal(pathlib.Path(rejects).read_text("utf-8").endswith('"A,2,7"\n'), True)
    run(*load, "--on-existing", "skip", stdin=changed).ends(
        DONE, "3 read = 0 stored + 2 unchanged + 1 skipped + 0 rejected")
    equal(lines_of(store, "A", 2), ["2"])
    run(*load, "--on-existing", "replace", stdin=changed).ends(
        DONE, "3 read = 1 stored + 2 unchanged + 0 rejected")
    equal(lines_of(store, "A", 2), ["7"])
    run("delete", "--store", store, "A", "2").ends(DONE)
    run(*load, stdin=changed).ends(
        DONE, "3 read = 0 stored + 1 revived + 2 unchanged + 0 rejected", ", 1 revived, 2 unchanged")
    equal(lines_of(store, "A", 2), ["7"])
    run(*load, "--on-existing", "ask", stdin=changed).ends(
        USAGE, "--on-existing takes report, skip or replace, not “ask”")


@test
def load_with_other_customers(folder):
    """A load says so if another customer has a number already, or rejects such orders."""
    own = write_map(folder)
    store = new_store(folder)
    load = ["load", "--map", own, "-"]

    def rows(customer, *numbers):
        return "C,O,Q\n" + "".join(f"{customer},{number},1\n" for number in numbers)

    again = f"rocksdb:{folder}/again"  # what is there says nothing, what is new does
    run("init", "--store", again).ends(DONE)
    run(*load, "--store", again, stdin=rows("A", "1", "2", "3")).ends(DONE)
    run(*load, "--store", again, stdin=rows("A", "1", "2") + "B,3,1\n").ends(
        DONE, "1 of 1 orders looked at", "(first: 3 of B, and of A)")
    equal("Numbers" in run(*load, "--store", again, stdin=rows("A", "1", "2")).ends(DONE).out, False)

    many = [str(1000 + number) for number in range(300)]
    with Server(store) as server:
        for place in ["--server", server.address], ["--store", f"rocksdb:{folder}/store"]:
            if "--store" in place:
                equal(server.stop(), 0)
            name = place[0].strip("-")
            said = json.loads(run(*load, *place, "--json", "--jobs", 1,
                                  stdin=rows(f"{name}-a", *many)).ends(DONE).out)
            equal(said["other_customers"], {"looked_at": 2, "found": 0, "first": ""} if name == "server" else
                  {"looked_at": 2, "found": 2, "first": "1000 of store-a, and of server-a"})
            equal("Numbers" in run(*load, *place, stdin=rows(f"{name}-n", name)).ends(DONE).out, False)
            run(*load, *place, "--unique-orders", stdin=rows(f"{name}-b", "1299", name + "2", "1000")).ends(
                NO, "1 stored + 2 rejected", "another customer has its number", "--unique-orders", "-a has an order 1299 already", f"customer {name}-b")
            equal(lines_of(store, f"{name}-b", name + "2") if name == "store" else ["1"], ["1"])
            run(*load, *place, stdin=rows(f"{name}-c", "1000")).ends(
                DONE, "1 of 1 orders looked at", f"first: 1000 of {name}-c, and of ", "--unique-orders")

    place = ["--store", store, "--unique-orders", "--jobs", "8"]
    run(*load, *place, stdin=rows("A", "x") + rows("B", "x", "y")[6:]).ends(
        NO, "2 stored + 1 rejected", "customer A has an order x already, and this one is of customer B")
    run(*load, *place, stdin=rows("C", *[f"c{n}" for n in range(700)]) + rows("D", "c0", "c699")[6:]).ends(
        NO, "700 stored + 2 rejected")
    run(*load, *place, stdin=rows("A", "x")).ends(DONE, "1 unchanged")
    run(*load, "--store", store, stdin=rows("B", "x")).ends(DONE, "1 of 1 orders")
    run(*load, *place, stdin=rows("A", "x")).ends(NO, "customer B has an order x already")
    run("init", "--store", f"{store}?name=date", "--index", "date")
    date = ["--store", f"{store}?name=date"]
    run(*load, *date, "--unique-orders", stdin=rows("A", "x")).ends(FAILED, "number=order_number")
    said = json.loads(run(*load, *date, "--json", stdin=rows("A", "x")).ends(DONE).out)
    equal(said["other_customers"], {"looked_at": 0, "found": 0, "first": ""})


@test
def load_from_a_pipe(folder):
    """What cannot be kept ends the load before anything is stored."""
    store = new_store(folder)
    own = write_map(folder)
    load = ["load", "--store", store, "--map", own, "-"]
    run(*load, "--spool", f"{folder}/none", stdin="C,O,Q\nA,1,1\n").ends(
        FAILED, f"Rows cannot be put aside in {folder}/none: No such file", "--spool")
    run(*load, "--spool", own, stdin="C,O,Q\nA,1,1\n").ends(FAILED, own, "Not a directory")
    equal(lines_of(store, "A", 1), None)
    run(*load, stdin="").ends(FAILED, "standard input is empty")
    run(*load, stdin="C,O,Q\n").ends(DONE, "0 read = 0 stored + 0 rejected")
    result = subprocess.run([PROGRAM, *load], input="C,O,Q\nA,1,1\n", text=True,
                            capture_output=True, timeout=SECONDS, check=False,
                            env={**os.environ, "TMPDIR": f"{folder}/none"})
    equal((result.returncode, f"{folder}/none" in result.stderr), (FAILED, True))
    equal(lines_of(store, "A", 1), None)


@test
def load_without_lines(folder):
    """A mapping that names no field of lines gives orders without lines."""
    store = new_store(folder)
    own = write_map(folder, "[order]\ncustomer_number=C\norder_number=O\ncurrency=E\n")
    run("load", "--store", store, "--map", own, "-", stdin="C,O,E\nA,1,EUR\n").ends(
        DONE, "Orders    1 with 0 lines")
    equal(parse(run("get", "--store", store, "A", 1, "--json").out),
          {"customer_number": "A", "order_number": "1", "currency": "EUR"})


@test
def load_quietly(folder):
    store = new_store(folder)
    own = write_map(folder)
    load = ["load", "--store", store, "--map", own, "-", "--quiet"]
    for row, code in (("A,1,1", DONE), ("A,1,x", NO)):
        said = run(*load, stdin=f"C,O,Q\n{row}\n").ends(code)
        equal((said.out, said.err), ("", ""))
        said = run(*load, "--json", stdin=f"C,O,Q\n{row}\n").ends(code)
        equal((json.loads(said.out)["rows"], said.err), (1, ""))
    equal(run(*load, stdin="").ends(FAILED, "is empty").out, "")
    equal(on_terminal(*load[:-2], f"{NORTHWIND}/orders.csv", "--map", "northwind", "--quiet"), "")


@test
def load_other_files(folder):
    """What is not CSV text is named, with what to do."""
    store = new_store(folder)
    path = f"{folder}/orders.csv"
    for content, text in ((gzip.compress(gzip.compress(b"C,O,Q\nA,1,1\n")), "zcat"),
                          (gzip.compress(b"C,O,Q\nA,1,1\n")[:-1], "the file was cut off"),
                          ("C,O,Q\nA,1,1\n".encode("utf-16"), "encoding = UTF-16"),
                          ("C,O,Q\nA,1,1\n".encode("utf-16-le"), "encoding = UTF-16LE"),
                          ("Menge,Stück\n".encode("latin-1"), "encoding = WINDOWS-1252")):
        pathlib.Path(path).write_bytes(content)
        run("load", "--store", store, "--map", write_map(folder), path).ends(FAILED, path, text)
    run("load", "--store", store, "--map", write_map(folder), folder).ends(FAILED, "a directory")
    pathlib.Path(path).write_bytes("C,O,Q\nA,1,1\nB,é,2\nB,ß,2\n".encode("latin-1"))
    run("load", "--store", store, "--map", write_map(folder), path).ends(
        NO, "2 × O: is not UTF-8 (first: line 3: is not UTF-8: byte 0xe9 at position 1; if the "
        "file has another encoding, name it in the mapping: encoding = WINDOWS-1252")
    for endless in ("/dev/zero", "/dev/full"):
        run("load", "--store", store, "--map", endless, path).ends(USAGE, endless)
        run("load", "--store", store, "--map", "northwind", endless).ends(FAILED, "a device")


@test
def load_progress_fits(folder):
    """The bar stays on its line, however narrow the terminal is."""
    store = new_store(folder)
    many = f"{folder}/many.csv"
    pathlib.Path(many).write_text("C,O,Q\n" + "".join(f"C,{i},1\n" for i in range(5000)))
    load = ["load", "--map", write_map(folder), many]
    for given, wanted in ((0, 80), (120, 120), (45, 45), (25, 25), (8, 8), (1, 1)):
        said = on_terminal(*load, "--store", f"{store}?sync=0", columns=given)
        shown = [line.split("\x1b")[0] for line in said.split("\r") if "\x1b[K" in line][:-1]
        equal((len(shown) > 0, [line for line in shown if len(line) >= wanted]), (True, []))
        equal(any("█" in line for line in shown), wanted >= 45)
    said = on_terminal(*load, "--store", f"{store}?sync=0", COLUMNS="20")
    equal([line for line in said.split("\r") if "█" in line], [])


@test
def load_progress(folder):
    store = new_store(folder)
    said = on_terminal("load", "--store", store, "--map", "northwind", NORTHWIND / "orders.csv", "--rate", "2000")
    equal(("rows, none safe yet" in said, "\r" in said, "830 with 2155 lines" in said), (True, True, True))


@test
def load_stops(folder):
    """The server dies while a load runs: exit code 3, where it stopped, and a second load mends."""
    store = new_store(folder)
    many = f"{folder}/many.csv"
    with open(many, "w", encoding="utf-8") as file:
        file.write("C,O\n" + "".join(f"C{i % 7},{i}\n" for i in range(200000)))
    own = f"{folder}/own.map"
    pathlib.Path(own).write_text("[order]\ncustomer_number=C\norder_number=O\n")
    with Server(store) as server:
        process = subprocess.Popen(
            [PROGRAM, "load", "--server", server.address, "--map", own, many],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while run("get", "--server", server.address, "C0", "700").code != DONE:
            pass
        server.process.kill()
        out, err = process.communicate(timeout=SECONDS)
    equal((process.returncode, "Stopped at line " in err, "load the file again" in err,
           "not settled" in out), (FAILED, True, True, True))
    run("get", "--store", store, "C0", "700").ends(DONE)


if __name__ == "__main__":
    sys.exit(main())
