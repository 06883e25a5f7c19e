# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Loads files of other forms with `tallorder load`, and lets it guess mappings. Speaks TAP.

    formats.py TALLORDER SOURCE_ROOT
"""

import csv
import gzip
import io
import json
import pathlib
import re
import shutil
import sys
import time

from support import (
    NORTHWIND, RETAIL, DONE, NO, USAGE, FAILED, test, run, equal, new_store, on_terminal, main, Server,
)


ORDERS = NORTHWIND / "orders.csv"
INPUTS = NORTHWIND.parent.parent / "load" / "inputs"


def rewrite(rows, delimiter=",", header=None):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\r\n")
    writer.writerows([header or rows[0], *rows[1:]])
    return text.getvalue()


def northwind_rows(change=lambda name, value: value):
    with ORDERS.open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.reader(file))
    names = rows[0]
    return [names] + [[change(names[i], value) for i, value in enumerate(row)] for row in rows[1:]]


def sniff(folder, path, code=DONE):
    said = run("load", "--sniff", path).ends(code)
    equal(said.err, "")
    own = f"{folder}/sniffed.map"
    pathlib.Path(own).write_text(said.out, encoding="utf-8")
    return own, said.out


def load_and_export(folder, name, own, path, code=DONE):
    store = f"rocksdb:{folder}/{name}"
    run("init", "--store", store).ends(DONE)
    said = run("load", "--store", store, "--map", own, path, "--json").ends(code)
    return json.loads(said.out), run("export", "--store", store).ends(DONE).out


@test
def sniff_northwind(folder):
    """Whatever the form of the file, what --sniff prints loads the same orders."""
    own, text = sniff(folder, ORDERS)
    summary, expected = load_and_export(folder, "plain", own, ORDERS)
    equal(summary["stored"], {"orders": 830, "rows": 2155, "lines": 2155})
    for guess in ("dates=iso", "delimiter=comma", "discount=rate", "# By its name.\nname=ShipName"):
        equal((guess, guess in text), (guess, True))

    german = {"OrderID": "Bestellnummer", "CustomerID": "Kundennummer", "OrderDate": "Bestelldatum",
              "Quantity": "Menge", "UnitPrice": "Einzelpreis", "Discount": "Rabatt",
              "ProductID": "Artikelnummer"}

    def to_german(name, value):
        if name in ("UnitPrice", "Discount"):
            return value.replace(".", ",")
        if name in ("OrderDate", "ShippedDate") and value:
            year, month, day = value[:10].split("-")
            return f"{day}.{month}.{year}"
        return value

    rows = northwind_rows(to_german)
    header = [german.get(name, name) for name in rows[0]]
    other = rewrite(rows, ";", header)
    forms = {
        "latin-1": other.encode("latin-1"),
        "utf-16": other.encode("utf-16"),
        "gzip": gzip.compress(other.encode("utf-8")),
        "tabs": rewrite(rows, "\t", header).encode("cp1252"),
    }
    for name, content in forms.items():
        path = f"{folder}/{name}.csv"
        pathlib.Path(path).write_bytes(content)
        own, text = sniff(folder, path)
        for guess in ("decimal-comma=true", "dates=dmy", "By its name.\norder_number=Bestellnummer"):
            equal((name, guess, guess in text), (name, guess, True))
        _, export = load_and_export(folder, name, own, path)
        equal((name, export == expected), (name, True))


@test
def load_northwind_split(folder):
    """Headers in one file, lines in two: the orders are those of the file that has both."""
    _, expected = load_and_export(folder, "flat", "northwind", ORDERS)
    names, *rows = northwind_rows()
    lines = [names[0], *names[15:]]
    heads = list(dict.fromkeys(tuple(row[:14]) for row in rows))
    files = {"heads": [names[:14], *reversed(heads)],
             "lines": [lines, *([row[0], *row[15:]] for row in rows[:1000])],
             "more": [lines, *([row[0], *row[15:]] for row in rows[1000:])]}
    for name, content in files.items():
        pathlib.Path(f"{folder}/{name}.csv").write_text(rewrite(content), encoding="utf-8")
    fields = {"CustomerID": "customer_number", "heads.OrderID": "order_number", "OrderDate": "sales_date",
              "EmployeeID": '"attribute.employee_id"', "RequiredDate": '"attribute.required_date"',
              "ShipVia": '"attribute.ship_via"', "Freight": '"attribute.freight"', "ShipName": '"location.name"',
              "ShipAddress": '"location.address.line1"', "ShipCity": '"location.address.city"',
              "ShipRegion": '"location.address.state"', "ShipPostalCode": '"location.address.zip"',
              "ShipCountry": '"location.address.country"', "ShippedDate": '"location.ship_date"',
              "ProductID": '"line.item_number"', "UnitPrice": '"line.price"', "Quantity": '"line.quantity"',
              "Discount": '"line.discount"'}
    own = f"{folder}/own.sql"
    pathlib.Path(own).write_text(
        "SELECT " + ",\n".join(f"{column} AS {field}" for column, field in fields.items())
        + ",\nlines.line AS line\nFROM heads JOIN lines ON lines.OrderID = heads.OrderID", encoding="utf-8")
    store = f"rocksdb:{folder}/split"
    run("init", "--store", store).ends(DONE)
    run("load", "--store", store, "--map", own, f"lines={folder}/more.csv",
        f"heads={folder}/heads.csv", f"lines={folder}/lines.csv").ends(
            DONE, "2985 read = 2155 in the result + 830 looked up", "2155 rows of the query = 2155 stored + 0 rejected",
            f"830 read = 0 in the result + 830 looked up + 0 unreadable: heads={folder}/heads.csv",
            f"1000 read = 1000 in the result + 0 unreadable: lines={folder}/lines.csv", "830 with 2155 lines")
    equal(run("export", "--store", store).ends(DONE).out.splitlines() == expected.splitlines(), True)


@test
def sniff_retail(folder):
    own, text = sniff(folder, RETAIL)
    equal("dates=dmy" in text, True)
    summary, _ = load_and_export(folder, "retail", own, RETAIL, NO)
    equal((summary["stored"]["orders"], summary["rejected_rows"]), (444, 2291))


@test
def sniff_content(folder):
    """Columns without a telling name are found by their values."""
    path = f"{folder}/odd.csv"
    pathlib.Path(path).write_text(
        "a,b,c,d,Price,Qty\n"
        "K1,X-1,3/31/24,green,\"£1,234.50\",2\n"
        "K1,X-1,3/31/24,red,(£2.50),1\n"
        "K1,X-2,4/1/24,red,£3.00,1\n"
        "K2,X-3,4/2/24,blue,£3.00,1\n"
        "K2,X-3,4/2/24,red,£3.00,1\n", encoding="utf-8")
    own, text = sniff(folder, path)
    for guess in ("order_number=b", "customer_number=a", "sales_date=c", "dates=mdy",
                  "two-digit-years=1970", "thousands=\",\"", "negative=parentheses",
                  "currency-signs=£", "order.currency=GBP", "not by its name",
                  "# Not loaded, as they differ within an order or repeat another column: d"):
        equal((guess, guess in text), (guess, True))
    _, export = load_and_export(folder, "odd", own, path)
    orders = [json.loads(line)["order"] for line in export.splitlines()]
    order, = [order for order in orders if order["order_number"] == "X-1"]
    equal([order[key] for key in ("order_number", "sales_date", "currency")],
          ["X-1", "2024-03-31T00:00:00.000Z", "GBP"])
    lines = order["shipping_locations"][0]["line_items"]
    equal([line["price"] for line in lines], ["1234.50", "-2.50"])


@test
def sniff_short_names(folder):
    """Headings as people write them: a column of names is not taken for the orders' numbers."""
    path = f"{folder}/short.csv"
    for heading in ("Auftrag", "Rechnung"):
        write_columns(path, ["Kunde", heading, "Name", "Artikel", "Menge"],
                      [["1", "A-1", "Paul", "X", "1"], ["1", "A-1", "Paul", "Y", "1"],
                       ["1", "A-2", "Paul", "X", "2"], ["2", "A-3", "Maria", "X", "1"]])
        _, text = sniff(folder, path)
        equal((heading, f"\norder_number={heading}\n" in text), (heading, True))


@test
def sniff_customers(folder):
    own, text = sniff(folder, NORTHWIND / "customers.csv")
    equal("kind=customers" in text, True)
    summary, _ = load_and_export(folder, "customers", own, NORTHWIND / "customers.csv")
    equal(summary["stored"]["customers"], 91)


def sniff_joined(folder, name, files):
    """Loads files with the query that is guessed from them, as it is printed, whatever it is called."""
    said = run("load", "--sniff", *files).ends(DONE)
    equal(said.err, "")
    own = f"{folder}/{name}.map"
    pathlib.Path(own).write_text(said.out, encoding="utf-8")
    store = f"rocksdb:{folder}/{name}"
    run("init", "--store", store).ends(DONE)
    kinds = re.findall(r'^(?:FROM| +LEFT JOIN) "(.*?)"', said.out, re.MULTILINE)
    named = [f"{kind}={folder}/{kind}.csv" for kind in kinds]
    loaded = run("load", "--store", store, "--map", own, "--json", *named).ends(DONE)
    return store, said.out, kinds, json.loads(loaded.out)["stored"]


def write_columns(path, names, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([names, *rows])
    return path


def has_guesses(text, *guesses):
    equal([guess for guess in guesses if guess not in text], [])


@test
def sniff_northwind_joined(folder):
    """Northwind as it is in a database: headers, lines, customers, products."""
    names, *rows = northwind_rows()
    of_lines = ("OrderID", "ProductID", "UnitPrice", "Quantity", "Discount")
    headers = [i for i, name in enumerate(names) if i == 0 or name not in of_lines]
    lines = [names.index(name) for name in of_lines]
    firsts = {row[0]: row for row in rows}
    files = [write_columns(f"{folder}/order_details.csv", of_lines, [[row[i] for i in lines] for row in rows]),
             f"{folder}/products.csv",
             write_columns(f"{folder}/regions.csv", ("RegionID", "What"), [("1", "x"), ("2", "y")]),
             write_columns(f"{folder}/orders.csv", [names[i] for i in headers],
                           [[row[i] for i in headers] for row in firsts.values()]),
             f"{folder}/customers.csv"]
    for name in ("products", "customers"):
        shutil.copy(NORTHWIND / f"{name}.csv", folder)
    store, text, kinds, stored = sniff_joined(folder, "joined", files)
    equal(sorted(kinds), ["customers", "order_details", "orders", "products"])
    equal(kinds[0], "order_details")
    has_guesses(text, 'LEFT JOIN "orders" ON "orders"."OrderID" = "each order".number',
                'LEFT JOIN "customers" ON "customers"."CustomerID" = "orders"."CustomerID"',
                'LEFT JOIN "products" ON "products"."ProductID" = "order_details"."ProductID"',
                '"each order".number AS order_number', '"products"."ProductName" AS "line.description"',
                '"order_details"."UnitPrice" AS "line.price"', '"orders"."ShipName" AS "location.name"',
                "regions.csv", """date_of("orders"."OrderDate", 'iso') AS sales_date""")
    equal((stored["orders"], stored["lines"]), (830, 2155))
    run("get", "--store", store, "ERNSH", "11008").ends(DONE, "total 4680.90", "Sasquatch Ale")


@test
def sniff_olist_joined(folder):
    """Columns as in Olist's data set, where payments cannot be joined; the rows are made up."""
    tables = {
        "customers": ("customer_id,customer_unique_id,customer_zip_code_prefix,customer_city,customer_state",
                      "c1,u1,01001,sao paulo,SP", "c2,u1,01001,sao paulo,SP", 'c3,u3,20000,"rio, centro",RJ'),
        "payments": ("order_id,payment_sequential,payment_value", "o1,1,13", "o1,2,2", "o2,1,10.5"),
        "items": ("order_id,order_item_id,product_id,price",
                  "o2,1,p2,10.5", "o1,2,p1,1", "o3,1,p1,1.25", "o1,1,p2,2"),
        "orders": ("order_id,customer_id,order_status,order_purchase_timestamp",
                   "o1,c1,delivered,2017-10-02 10:56:33", "o2,c2,shipped,2018-07-24 20:41:37",
                   "o3,c3,canceled,2018-08-08 08:38:49"),
        "products": ("product_id,product_category_name", "p1,perfumaria", "p2,artes"),
    }
    for name, rows in tables.items():
        pathlib.Path(f"{folder}/{name}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    store, text, kinds, stored = sniff_joined(folder, "olist", [f"{folder}/{name}.csv" for name in tables])
    equal((kinds[0], sorted(kinds[1:])), ("items", ["customers", "orders", "products"]))
    has_guesses(text, f"{folder}/payments.csv", '"customers"."customer_id" = "orders"."customer_id"',
                '"products"."product_id" = "items"."product_id"',
                """date_of("orders"."order_purchase_timestamp", 'iso') AS sales_date""",
                '"orders"."customer_id" AS customer_number',
                '"customers"."customer_city" AS "location.address.city"')
    equal((stored["orders"], stored["lines"]), (3, 4))
    got = json.loads(run("get", "--store", store, "c3", "o3", "--json").ends(DONE).out)
    equal([got["sales_date"], got["shipping_locations"][0]["address"]],
          ["2018-08-08T08:38:49.000Z", {"city": "rio, centro", "state": "RJ"}])


@test
def sniff_not_joined(folder):
    """What does not fit together is said, and no mapping is printed."""
    one = write_columns(f"{folder}/a.csv", ("A", "B"), [("1", "2")])
    other = write_columns(f"{folder}/b.csv", ("C", "D"), [("1", "2")])
    said = run("load", "--sniff", one, other).ends(FAILED, "called like the numbers of orders")
    equal(said.out, "")
    # Files may be written in different ways.
    pathlib.Path(other).write_text("OrderID;CustomerID;Art\n1;2;\u00e4\n", encoding="latin-1")
    write_columns(one, ("Order ID", "SKU"), [("1", "a"), ("1", "b")])
    said = run("load", "--sniff", f"lines={one}", f"heads={other}").ends(
        DONE, "-- load heads: delimiter=semicolon encoding=ISO-8859-1", "-- load lines: delimiter=comma encoding=UTF-8")
    own = f"{folder}/own.sql"
    pathlib.Path(own).write_text(said.out, encoding="utf-8")
    shown = run("load", "--map", own, "--dry-run", "--quiet", f"heads={other}", f"lines={one}").ends(DONE).out
    equal(json.loads(shown)["order"]["attributes"], {"art": "\u00e4"})
    # The same columns: one kind of file, and nothing to join.
    for path, number in ((one, 3), (other, 1)):
        pathlib.Path(path).write_text(f"OrderID;CustomerID\n{number};2\n", encoding="utf-8")
    equal("JOIN" in run("load", "--sniff", one, other).ends(DONE).out, False)
    # A plain `id` is the file's own, and files may be given names.
    write_columns(f"{folder}/c.csv", ("id", "customer_id", "date"), [("7", "1", "2020-01-02"), ("8", "1", "2020-01-02")])
    write_columns(f"{folder}/d.csv", ("order_id", "sku", "qty"), [("7", "x", "1"), ("7", "y", "2"), ("8", "x", "1")])
    text = run("load", "--sniff", f"orders={folder}/c.csv", f"lines={folder}/d.csv").ends(DONE).out
    has_guesses(text, 'JOIN "orders" ON "orders"."id" = "each order".number', '"each order".number AS order_number',
                '"lines"."sku" AS "line.item_number"')
    # Lines are where a number of an order comes again; what has it once is looked up.
    write_columns(f"{folder}/invoices.csv", ("order_id", "price", "discount"), [("7", "3", "0"), ("8", "4", "0")])
    text = run("load", "--sniff", f"{folder}/invoices.csv", f"orders={folder}/c.csv", f"lines={folder}/d.csv").ends(DONE).out
    has_guesses(text, '     LEFT JOIN "lines" ON "lines"."order_id" = "each order".number\n',
                '     LEFT JOIN "orders" ON "orders"."id" = "each order".number\n',
                '     LEFT JOIN "invoices" ON "invoices"."order_id" = "each order".number\n')


@test
def sniff_joined_with_gaps(folder):
    """An order without lines, and lines without an order, are rejected with their rows; the others are stored."""
    heads = write_columns(f"{folder}/h.csv", ("order_id", "customer_id", "date"),
                          [("7", "1", "2020-01-02"), ("8", "1", "2020-01-03"), ("9", "2", "2020-01-04")])
    lines = write_columns(f"{folder}/l.csv", ("order_id", "line", "sku", "qty"),
                          [("7", "1", "x", "1"), ("10", "1", "z", "4"), ("7", "2", "y", "2"), ("9", "1", "x", "3")])
    files = [f"headers={heads}", f"lines={lines}"]
    text = run("load", "--sniff", *files).ends(DONE).out
    has_guesses(text, "-- Each order of any file.", 'WHERE "lines"."line#2" IS NOT NULL\n')
    own = f"{folder}/own.sql"
    pathlib.Path(own).write_text(text, encoding="utf-8")
    rejects = f"{folder}/rejects.csv"
    load = ["load", "--store", new_store(folder), "--map", own, "--rejects", rejects]
    run(*load, *files).ends(
        NO, "5 rows of the query = 3 stored + 2 rejected", "Orders    2 with 3 lines", "the row has nothing of a line",
        "3 read = 1 in the result + 2 left out or looked up + 0 unreadable: headers=")
    with open(rejects, newline="", encoding="utf-8") as file:
        rows = [(row["file"], row["line"], row["row"]) for row in csv.DictReader(file) if row["line"] != "1"]
    equal(sorted(rows), [(files[0], "3", "8,1,2020-01-03"), (files[1], "3", "10,1,z,4")])
    # As the comment says it, for orders without lines that are none.
    pathlib.Path(own).write_text(text + 'WHERE "lines"."line#2" IS NOT NULL\n', encoding="utf-8")
    run(*load, *files).ends(NO, "4 rows of the query = 0 stored + 3 unchanged + 1 rejected", "3 looked up + 0 unreadable: headers=")


@test
def sniff_incomplete(folder):
    """What has no order numbers gets places to fill in, and loads nothing until they are."""
    own, text = sniff(folder, NORTHWIND / "products.csv", NO)
    equal("order_number=?" in text, True)
    run("load", "--sniff", "--map", own, NORTHWIND / "products.csv").ends(USAGE, "takes no --map")
    run("load", "--store", new_store(folder), "--map", own, NORTHWIND / "products.csv").ends(
        USAGE, "the file has no column “?”")
    for content, code in ((b"", FAILED), (b"PK\3\4xx", FAILED), (b"a\n", NO), (b"a,b\n1\n", NO),
                          (b"\xff\xfe", FAILED), (b"a,b\n\"", NO)):
        path = f"{folder}/odd.csv"
        pathlib.Path(path).write_bytes(content)
        run("load", "--sniff", path).ends(code)
    run("load", "--sniff", "-").ends(USAGE, "--sniff takes one file")
    run("load", "--sniff").ends(USAGE, "--sniff takes one file")
    run("load", "--sniff", f"{folder}/none").ends(FAILED, "none cannot be opened")


def load_guess(folder, text, path, orders, **options):
    """Loads a file with the mapping that is guessed for it; @orders: lines by the orders' numbers."""
    own = f"{folder}/guess.{'sql' if text.startswith('-- load:') else 'map'}"
    pathlib.Path(own).write_text(text, encoding="utf-8")
    out = run("load", "--map", own, "--dry-run", "99", "--quiet", path).ends(options.get("code", DONE)).out
    got = [json.loads(line)["order"] for line in out.splitlines()]
    equal({order["order_number"]: sum(len(place["line_items"]) for place in order["shipping_locations"])
           for order in got}, orders)
    return got


@test
def sniff_needs_query(folder):
    """What a .map cannot say is guessed as a query, which loads the file."""
    path = f"{folder}/orders.csv"
    cases = {
        # What the order has is only in its first row; then its number, too.
        "last_filled": (["OrderID,Customer,Order Date,SKU,Qty", "1,C1,2024-01-02,A,1", "1,,,B,2", "2,C2,2024-01-03,A,1"],
                        {"1": 2, "2": 1}),
        "order of the row": (["OrderID,Customer,Order Date,SKU,Qty", "1,C1,2024-01-02,A,1", ",,,B,2",
                              "2,C2,2024-01-03,A,1"], {"1": 2, "2": 1}),
        "first_value": (["Invoice,InvoiceDate,Qty,Customer ID", "1,2009-12-01 07:45:00,1,C1",
                         "1,2009-12-01 07:46:00,1,C1"], {"1": 2}),
        "CAST(": (["Invoice,Qty,Customer ID", "1,1,13085.0", "1,1,13085.0"], {"1": 2}),
        "dec_div": (["OrderID,Customer,Quantity,Line Total", "1,C1,3,10.00"], {"1": 1}),
        "discount_rate": (["OrderID,Customer,Qty,Price,Discount Amount", "1,C1,1,30.00,$0.50"], {"1": 1}),
        "rtrim(": (["OrderID;Customer;Menge;Einzelpreis;Rabatt;Datum;Versanddatum",
                    "1;C1;1;30,00;12,5%;31.01.2024;2024-02-01"], {"1": 1}),
        # A shop's export that lacks columns of its preset.
        '"Lineitem quantity" AS "line.quantity"': (
            ["OrderID,Customer,Created at,Lineitem quantity,Lineitem name,Lineitem price,Lineitem sku",
             "1,C1,2026-03-01 09:00:00 +0100,1,Mug,9.99,M", "1,,,2,Bowl,5.00,B",
             "2,C2,2026-03-02 09:00:00 +0100,1,Mug,9.99,M"], {"1": 2, "2": 1}),
        # A date that may be either is what the dates of the other column are.
        "\"Order Date\", 'mdy')": (["OrderID,Customer,Quantity,Line Total,Order Date,Ship Date",
                                  "1,C1,1,30,02/01/2024,02/14/2024"], {"1": 1}),
        "'%m/": (["OrderID,Customer,Qty,Order Date,Ship Date", "1,C1,1,2024-01-31,01/31/2024 1:05 PM"], {"1": 1}),
        '"line#2" AS line': (["OrderID,Customer,Quantity,Line Total,line", "1,C1,3,10.00,7", "1,C1,1,10.00,7"], {"1": 2}),
        "skip-lines=2": (["A report", "of sales", "OrderID,Customer,Quantity,Line Total", "1,C1,3,10.00"], {"1": 1}),
    }
    for guess, (rows, orders) in cases.items():
        pathlib.Path(path).write_text("\n".join(rows) + "\n", encoding="utf-8")
        said = run("load", "--sniff", path).ends(DONE, guess)
        equal((guess, said.out.startswith("-- load:")), (guess, True))
        got = load_guess(folder, said.out, path, orders)
        equal((guess, [order["customer_number"] for order in got]),
              (guess, ["13085"] if guess == "CAST(" else ["C1", "C2"][:len(got)]))


@test
def sniff_says_no(folder):
    """A guess that would load nothing, or that has no form for dates, ends with 1."""
    path = f"{folder}/orders.csv"
    for rows, text in (
            (["OrderID,Customer,Order Date", "1,C1,soon", "2,C2,"], "0 of 1 values are dates"),
            (["OrderID,Customer,Qty", "1,,1"], "order_number=OrderID"),
            (["OrderID,Customer,Discount Amount", "1,C1,$0.50"], """, "?", "?") AS "line.discount\""""),
            (["OrderID,Qty", "1,1"], "customer_number=?")):
        pathlib.Path(path).write_text("\n".join(rows) + "\n", encoding="utf-8")
        run("load", "--sniff", path).ends(NO, text)
    # Attributes, and what is left out, are listed; a sign of more than one byte is one. Sums are no order.
    pathlib.Path(path).write_text('Bestellnummer;Kunde;Farbe;Preis;Menge\n1;K1;rot;"1.234,50 €";1\n'
                                  '1;K1;rot;12,00 €;2\n;;Summe;1.246,50 €;\n;;alle;1.246,50 €;\n', encoding="utf-8")
    text = run("load", "--sniff", path).ends(DONE, "currency-signs=€", "order.currency=EUR",
                                             "# Columns that became attributes: Farbe").out
    load_guess(folder, text, path, {"1": 2}, code=NO)


@test
def sniff_adjustments(folder):
    """Money beside the lines is of the order, if all its rows have the same, and only amounts."""
    path = f"{folder}/orders.csv"
    rows = [["1", "C1", "1", "10.00", "4.90", "1.50", "2"], ["1", "C1", "2", "5.00", "4.90", "1.50", "2"]]
    write_columns(path, ["OrderID", "Customer", "Qty", "Price", "Shipping", "Tax", "Discount Total"], rows)
    text = run("load", "--sniff", path).ends(
        DONE, "adjustment.shipping=Shipping", "adjustment.tax=Tax", "discount_amount=Discount Total").out
    order, = load_guess(folder, text, path, {"1": 2})
    equal({entry["kind"]: entry["amount"] for entry in order["adjustments"]},
          {"shipping": "4.90", "tax": "1.50", "discount": "-2"})
    # Only in the first row, with a sign; a way to ship is no amount; what differs is none of the order.
    write_columns(path, ["OrderID", "Customer", "Qty", "Price", "Shipping Cost", "Shipping", "Tax"],
                  [["1", "C1", "1", "$10.00", "$4.90", "DHL", "1"], ["1", "C1", "2", "$5.00", "", "DHL", "2"]])
    text = run("load", "--sniff", path).ends(DONE, "last_filled(number(\"Shipping Cost\"").out
    order, = load_guess(folder, text, path, {"1": 2})
    equal([order["adjustments"], order["attributes"]],
          [[{"kind": "shipping", "amount": "4.90"}], {"shipping": "DHL"}])


@test
def sniff_rules(folder):
    """How a file differs from plain CSV is guessed by the rows that can be read then."""
    path = INPUTS / "r-short" / "orders.csv"
    text = run("load", "--sniff", path).ends(DONE, "short-rows=pad").out
    load_guess(folder, text, path, {"1001": 2, "1002": 1}, code=NO)
    path = INPUTS / "q-mysql" / "orders.csv"
    text = run("load", "--sniff", path).ends(DONE, "\nnull=\\N\n", "escape=backslash").out
    load_guess(folder, text, path, {"10165": 1, "10166": 1}, code=NO)
    run("load", "--sniff", INPUTS / "q-tsv" / "min.tsv").ends(NO, "first 3 rows", "quotes=none")
    run("load", "--sniff", INPUTS / "s-noheader" / "orders.tsv").ends(NO, "Its first line looks like a row")
    path = f"{folder}/loose.csv"
    pathlib.Path(path).write_text('OrderID,Customer,Qty,Description\n1,C1,1,24"" x 48""\n1,C1,2,"a, b"\n', encoding="utf-8")
    text = run("load", "--sniff", path).ends(DONE, "quotes=loose").out
    load_guess(folder, text, path, {"1": 2})


@test
def sniff_presets(folder):
    """The columns of a preset are recognised: a query is printed, of a .map the name."""
    for shape, name in (("a-shopify", "shopify"), ("s-footer", "ebay"), ("p-total", "superstore"), ("etsy", "etsy"),
                        ("amazon", "amazon"), ("a-minutes", "online-retail-2"), ("w-woo", "woocommerce")):
        path, = [path for path in (INPUTS / shape).iterdir() if path.suffix in (".csv", ".txt")]
        said = run("load", "--sniff", path).ends(DONE, f"-- The columns are those of the preset {name}:")
        preset = run("load", "--print-map", name).out
        equal((name, preset.splitlines()[-3:]), (name, said.out.splitlines()[-3:]))
        own = f"{folder}/{name}.sql"
        pathlib.Path(own).write_text(said.out, encoding="utf-8")
        equal((name, run("load", "--map", own, "--dry-run", "99", "--quiet", path).out),
              (name, run("load", "--map", name, "--dry-run", "99", "--quiet", path).out))
    run("load", "--sniff", ORDERS).ends(DONE, "the preset northwind fits, too")


@test
def load_shapes(folder):
    """Files of other forms, with mappings written by hand."""
    own = f"{folder}/own.map"
    pathlib.Path(own).write_text("[order]\ncustomer_number=C\norder_number=O\n[line]\n"
                                 "description=T\nquantity=Q\n", encoding="utf-8")
    path = f"{folder}/orders.csv"
    store = new_store(folder)
    load = ["load", "--store", store, "--map", own, path]
    rows = [("A", "1", "tea", "1"), ("A", "2", "price £1", "2"), ("B", "3", "milk", "3")]
    text = "C,O,T,Q\n" + "".join(",".join(row) + "\n" for row in rows)
    for content, code, texts in (
            (b"", FAILED, ["is empty"]),
            (gzip.compress(b""), FAILED, ["is empty"]),
            (b"C,O,T,Q\n", DONE, ["0 read = 0 stored"]),
            (gzip.compress(b"C,O,T,Q\n"), DONE, ["0 read = 0 stored"]),
            (text.encode("latin-1"), NO,
             ["3 read = 2 stored + 1 rejected",
              "1 × T: is not UTF-8 (first: line 3: is not UTF-8: byte 0xa3 at position 7; if the "
              "file has another encoding, name it in the mapping: encoding ="]),
            (gzip.compress(text.encode())[:-3], FAILED,
             ["After line 4: ", "the gzip data ends too early; the file was cut off"]),
            (text.encode(), DONE, ["3 read = 1 stored + 2 unchanged + 0 rejected"])):
        pathlib.Path(path).write_bytes(content)
        run(*load).ends(code, *texts)
    equal(run("list", "--store", store, "A", "--json").ends(DONE).out.count("order_number"), 2)


@test
def dry_run(folder):
    """Nothing is opened or stored: the first orders, the rejects, and the same sum."""
    rejects = f"{folder}/bad.csv"
    dry = ["load", "--map", "online-retail", RETAIL, "--rejects", rejects]
    said = run(*dry, "--dry-run").ends(NO, "9999 read = 7708 good + 2291 rejected",
                                       "444 with 7708 lines", "2291 × CustomerID")
    shown = [line for line in said.out.splitlines() if line.startswith("{")]
    equal([json.loads(line)["order"]["order_number"] for line in shown],
          ["536365", "536366", "536367"])
    equal(pathlib.Path(rejects).read_bytes().count(b"there is no customer number"), 2291)
    for options, n in ((["--dry-run", "5"], 5), (["--dry-run=1"], 1), (["--dry-run", "0"], 0)):
        out = run(*dry, *options, "--quiet").ends(NO).out
        equal((options, len(out.splitlines())), (options, n))
    summary = json.loads(run(*dry, "--dry-run", "0", "--json").ends(NO).out)
    equal((summary["rows"], summary["rejected_rows"], summary["good"]),
          (9999, 2291, {"orders": 444, "rows": 7708, "lines": 7708}))
    shown = run("load", "--map", "northwind-customers", NORTHWIND / "customers.csv", "--dry-run",
                "1", "--quiet").ends(DONE).out
    equal(json.loads(shown)["customer"]["number"], "ALFKI")
    run(*dry, "--dry-run=x").ends(USAGE, "--dry-run")


@test
def max_rejects(folder):
    """A hopeless load ends early, and says so; what is within the limit does not."""
    dry = ["load", "--map", "online-retail", RETAIL, "--dry-run", "0"]
    run(*dry, "--max-rejects", "2291").ends(NO, "2291 rejected")
    run(*dry, "--max-rejects", "2290").ends(FAILED, "as 2291 are rejected, more than")
    run(*dry, "--max-rejects", "0").ends(FAILED, "as 1 is rejected", "1 rejected")
    run(*dry, "--max-rejects", "50%").ends(NO, "2291 rejected")
    run(*dry, "--max-rejects", "5%").ends(FAILED, "are rejected, more than")
    run(*dry, "--rate", "0").ends(USAGE, "--rate takes a number above 0")
    for wrong in ("x", "-1", "0%", "101%", "%", ""):
        run(*dry, "--max-rejects", wrong).ends(USAGE, "--max-rejects takes")
    store = new_store(folder)
    run("load", "--store", store, "--map", "online-retail", RETAIL, "--max-rejects", "100").ends(
        FAILED, "Stopped after ", "load the file again")


@test
def rate(folder):
    own = f"{folder}/own.map"
    pathlib.Path(own).write_text("[order]\ncustomer_number=C\norder_number=O\n", encoding="utf-8")
    path = f"{folder}/orders.csv"
    pathlib.Path(path).write_text("C,O\n" + "".join(f"C,{i}\n" for i in range(1500)))
    load = ["load", "--map", own, path, "--rate", "3000", "--dry-run", "0"]
    summary = json.loads(run(*load, "--json").ends(DONE).out)
    equal(0.49 < summary["seconds"], True)
    run(*load[:-3], "-1", "--dry-run").ends(USAGE, "--rate takes")
    said = on_terminal(*load, columns=150)
    for text in ("rows, ", " good, ", " s left", "/s", " lines/s", " MB"):
        equal((text, text in said), (text, True))


@test
def delete(folder):
    """Orders and customers that a file names go; the sum holds, and a second time all are absent."""
    store = new_store(folder)
    run("load", "--store", store, "--map", "northwind", ORDERS, "--quiet").ends(DONE)
    run("load", "--store", store, "--map", "northwind-customers", NORTHWIND / "customers.csv",
        "--quiet").ends(DONE)
    path = f"{folder}/gone.csv"
    bad = f"{folder}/bad.csv"
    pathlib.Path(path).write_text("customer,order\nVINET,10248\nVINET,10248\nVINET,1\n,7\nVINET,\n"
                                  "TOMSP,10249\nVINET,10248,9\n", encoding="utf-8")
    erase = ["load", "--store", store, "--delete"]
    run(*erase, path, "--rejects", bad).ends(
        NO, "7 read = 3 deleted + 1 absent + 3 rejected", "2 deleted, 1 absent",
        "customer: there is no customer number", "order: there is no order number", bad)
    run("get", "--store", store, "VINET", "10248").ends(NO)
    summary = json.loads(run(*erase, path, "--json").ends(NO).out)
    equal((summary["rows"], summary["deleted"], summary["absent"], summary["rejected_rows"]),
          (7, {"orders": 0, "rows": 0}, {"orders": 3, "rows": 4}, 3))

    people = f"{folder}/people.csv"
    pathlib.Path(people).write_text("number\nALFKI\nPARIS\nNOBODY\n", encoding="utf-8")
    run(*erase, people).ends(NO, "3 read = 1 deleted + 1 absent + 1 rejected", "the store refuses it")
    run("get", "--store", store, "ALFKI", "10643").ends(DONE)
    last = f"{folder}/last.csv"
    pathlib.Path(last).write_text("number\nNOBODY\nALFKI\n", encoding="utf-8")
    run(*erase, last, "--max-rejects", 1).ends(NO, "1 rejected")
    run(*erase, last, "--max-rejects", 0).ends(FAILED, "Stopped after 2 rows, as 1 is rejected", "1 rejected")
    said = run(*erase, ORDERS, "--map", "northwind").ends(
        DONE, "2155 read = 2150 deleted + 5 absent + 0 rejected", "828 deleted, 2 absent").out
    equal("Not used" in said, False)
    run(*erase, people).ends(DONE, "3 read = 1 deleted + 2 absent + 0 rejected")
    bare = f"{folder}/bare.csv"
    pathlib.Path(bare).write_text("TOMSP,10249\nVINET,1\n", encoding="utf-8")
    run(*erase, bare).ends(DONE, "Header    TOMSP,10249: the first line names the columns",
                           "1 read = 0 deleted + 1 absent")
    run(*erase, ORDERS).ends(USAGE, "has 19 columns: say with --map")
    run(*erase, path, people).ends(USAGE, "--delete takes one file")
    run(*erase, f"{folder}/*e.csv").ends(USAGE, "--delete takes one file, and 3 have such a name")
    run(*erase, path, "--dry-run").ends(USAGE, "--delete takes one file")


@test
def delete_slowly(folder):
    """A deletion keeps a rate, and shows how far it is; a server does the same."""
    store = new_store(folder)
    run("load", "--store", store, "--map", "northwind", ORDERS, "--quiet").ends(DONE)
    path = f"{folder}/gone.csv"
    names = list(dict.fromkeys((row[1], row[0]) for row in northwind_rows()[1:]))
    pathlib.Path(path).write_text("c,o\n" + "".join(f"{c},{o}\n" for c, o in names[:400]))
    began = time.monotonic()
    said = on_terminal("load", "--store", store, "--delete", path, "--rate", "800", columns=150)
    equal(time.monotonic() - began > 0.49, True)
    for text in (r"\d rows, \d+ deleted, .*/s", "400 deleted, 0 absent"):
        equal((text, re.search(text, said) is not None), (text, True))
    pathlib.Path(path).write_text("c,o\n" + "".join(f"{c},{o}\n" for c, o in names))
    with Server(store) as server:
        run("load", "--server", server.address, "--delete", path).ends(
            DONE, "830 read = 430 deleted + 400 absent + 0 rejected")
        people = f"{folder}/people.csv"
        pathlib.Path(people).write_text("number\nVINET\n")
        run("load", "--server", server.address, "--delete", people).ends(
            DONE, "1 read = 0 deleted + 1 absent")
    equal(run("export", "--store", store).ends(DONE).out, "")


if __name__ == "__main__":
    sys.exit(main())
