# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Drives `tallorder load` with mappings that are queries, and checks exit codes and output. Speaks TAP.

    querying.py TALLORDER SOURCE_ROOT
"""

import json
import os
import pathlib
import signal
import subprocess
import sys

from support import (
    PROGRAM, SECONDS, SOURCE, DONE, NO, USAGE, FAILED, test, run, equal, new_store, main, parse,
)

SIMPLE = """-- load: delimiter=semicolon
SELECT C AS customer_number, O AS order_number, number(Q, '1234,5') AS "line.quantity", line
FROM csv WHERE Q <> '-'
"""
JOINED = """SELECT o.customer AS customer_number, o.id AS order_number, items.sku AS "line.item_number",
       number(items.n) AS "line.quantity", items.line
FROM items LEFT JOIN orders o ON o.id = items.order_id
"""


def write(path, text):
    pathlib.Path(path).write_text(text, encoding="utf-8")
    return path


def quantities(store, customer, number):
    got = run("get", "--store", store, customer, number, "--json")
    return None if got.code == NO else [
        line["quantity"] for place in json.loads(got.out)["shipping_locations"] for line in place["line_items"]]


@test
def query_one_file(folder):
    """Rows of a file, of its result, and those that the query leaves out, are counted apart."""
    store = new_store(folder)
    query = write(f"{folder}/own.sql", SIMPLE)
    load = ["load", "--store", store, "--map", query]
    rows = "C;O;Q\nA;1;1,5\nA;1;-\nA;1;2\nB;2;3\n"
    run(*load, "--dry-run", "-", stdin=rows).ends(
        DONE, "4 read = 3 in the result + 1 left out + 0 unreadable", "3 rows of the query = 3 good + 0 rejected", '"1.5"')
    run(*load, "-", stdin=rows).ends(DONE, "3 rows of the query = 3 stored + 0 rejected", "Orders    2 with 3 lines")
    equal(quantities(store, "A", 1), ["1.5", "2"])
    summary = json.loads(run(*load, "--json", "-", stdin=rows).ends(DONE).out)
    equal((summary["rows"], summary["result_rows"], summary["unchanged"]["orders"]), (4, 3, 2))
    file = summary["files"][0]
    equal((file["in_result"], file["left_out"], file["unreadable"], file["kept"]), (3, 1, 0, 0))
    marked = write(f"{folder}/marked.map", "\ufeff-- a query, whatever it is called\n" + pathlib.Path(query).read_text("utf-8"))
    run("load", "--store", store, "--map", marked, "-", stdin=rows).ends(DONE)
    run(*load, "-", stdin="C;O;X\n").ends(USAGE, "no such column: Q; csv has: C, O, X, line, file")
    run("load", "--store", store, "--map", write(f"{folder}/two.sql", "SELECT 1; SELECT 2"), "-",
        stdin=rows).ends(USAGE, "more than one statement")
    run(*load, "--delete", "-", stdin=rows).ends(USAGE, "takes no query")
    run(*load, "-", stdin="C;O;Q\nA;7;1\nA;7;x\nA;8;1\n").ends(
        NO, "3 rows of the query = 1 stored + 2 rejected",
        "line.quantity: is not what a function takes (first: line 3: number(): “x” is not a number of the form 1234,5)")
    run("load", "--store", store, "--map", write(f"{folder}/form.sql", SIMPLE.replace("'1234,5'", "'x'")), "-",
        stdin=rows).ends(FAILED, "form.sql: standard input, line 2: number() takes 1234.5 in the form of the file")


@test
def columns_that_are_not_used(folder):
    """By their names in a query that takes rows as JSON, also beyond the 63 that SQLite knows."""
    many = [f"K{n}" for n in range(70)]
    query = write(f"{folder}/own.sql", """-- K1 and 'K2' and "K3"
/* K4 */
SELECT C AS customer_number, "O" AS order_number, "row" ->> 'K5' AS "attribute.a",
       (SELECT group_concat(value) FROM json_each("row") WHERE key GLOB 'K6[023]') AS "attribute.b", K65 AS "attribute.c",
       "K66" AS "attribute.d", "row" ->> '$.K7' AS "attribute.e" FROM csv""")
    load = ["load", "--map", query, "--dry-run", "-"]
    used = {"K5", "K7", "K60", "K62", "K63", "K65", "K66"}
    rows = ",".join(["C", "O", *many]) + "\nA,1" + ",x" * 70 + "\n"
    run(*load, stdin=rows).ends(
        DONE, "\nNot used  " + ", ".join(name for name in many[:21] if name not in used) + ",\n          K21, K22,",
        " K69\nOrders")
    equal("Not used" in run(*load, stdin="C,O,K5,K65,K66\nA,1,x,y,z\n").ends(DONE).out, False)
    write(query, """SELECT C AS customer_number, O AS order_number, 'K1' AS "attribute.a" FROM csv""")
    run(*load, stdin="C,O,K1\nA,1,x\n").ends(DONE, "\nNot used  K1\n")
    said = run("load", "--store", new_store(folder), "--map", "shopify",
               SOURCE / "tests/load/inputs/a-shopify/orders_export.csv").out
    lines = said[said.index("Not used"):said.index("\nOrders")].splitlines()
    equal(max(map(len, lines)) <= 100 < sum(map(len, lines)), True)
    unused = " ".join(line[10:] for line in lines).split(", ")
    equal(({"Vendor", "Phone"} <= set(unused), {"Refunded Amount", "Billing Zip", "Email", "Total"} & set(unused)),
          (True, set()))


@test
def query_says_what_it_misses(folder):
    """A value in a condition that a function does not take, columns that nothing is made of, and names that are near."""
    query = write(f"{folder}/own.sql", """SELECT C AS customer_number, O AS order_number, Q AS "line.quantity", line
FROM csv WHERE number(Q) > '1'""")
    load = ["load", "--map", query, "--dry-run", "-"]
    rows = "C,O,Q,Note,Kind\nA,1,2,x,y\nA,2,many,x,y\nB,3,1,x,y\nB,4,none,x,y\n"
    said = "2 × a condition (WHERE, CASE) has a value that a function does not take, and sees a text (first: "
    run(*load, stdin=rows).ends(
        DONE, "4 read = 1 in the result + 3 left out", said + "standard input, line 3: number(): “many” is not",
        "\nNot used  Note, Kind\n")
    summary = run("load", "--store", new_store(folder), "--map", query, "--json", "-", stdin=rows).ends(DONE).out
    equal(json.loads(summary)["refused_in_conditions"], 2)
    equal(json.loads(summary)["files"][0]["unused_columns"], ["Note", "Kind"])
    # What is in the result rejects its row, and is said there; so is a row of a query that is not bad.
    write(query, "SELECT C AS customer_number, O AS order_number, number(Q) AS \"line.quantity\", line FROM csv")
    equal("a condition" in run(*load, stdin=rows).ends(NO, "2 rejected").out, False)
    # Rows that are apart: they are sorted, and counted once.
    write(query, "SELECT C AS customer_number, O AS order_number, Q AS \"line.quantity\", line FROM csv "
                 "WHERE CASE WHEN number(Q) > 0 THEN 1 ELSE 1 END")
    run(*load, stdin=rows + "A,1,3,,\n").ends(NO, "5 read = 5 in the result", "3 good + 2 rejected", said)
    # A query that does not stream.
    write(query, """SELECT C AS customer_number, O AS order_number, max(Q) AS "line.quantity" FROM csv
WHERE number(Q) > '1' GROUP BY C, O""")
    run(*load, stdin=rows).ends(DONE, "2 × a condition", "(first: number(): “many” is not a number")
    own = write(f"{folder}/own.map", "[order]\ncustomer_number=C\norder_number=O + \"-\" + Kind\n")
    run("load", "--map", own, "--dry-run", "-", stdin=rows).ends(DONE, "\nNot used  Q, Note\n")
    run("load", "--map", own, "--dry-run", "-", stdin="C,O,Kinds\n").ends(
        USAGE, "the file has no column “Kind” (did you mean “Kinds”?); it has: C, O, Kinds")
    run("load", "--map", "shopify", "--dry-run", "-", stdin="Name,Emails,Lineitem name\n").ends(
        USAGE, "no such column: Email (did you mean “Emails”?); --print-map shopify >my.sql makes a copy to take it out of")
    # An order without lines has a row in a join, and nothing of a line in it.
    write(query, 'SELECT o.C AS customer_number, o.O AS order_number, l.Q AS "line.quantity", o.line FROM o '
                 'LEFT JOIN l ON l.O = o.O')
    files = [f"o={write(f'{folder}/o.csv', chr(10).join(['C,O', 'A,1', 'A,2', '']))}",
             f"l={write(f'{folder}/l.csv', chr(10).join(['O,Q', '1,5', '']))}"]
    run("load", "--map", query, "--dry-run", *files).ends(NO, "1 good + 1 rejected", "1 × the row has nothing of a line")


@test
def query_bad_rows(folder):
    """Rows that cannot be read stop a query, and are all in the reject file."""
    store = new_store(folder)
    query = write(f"{folder}/own.sql", SIMPLE)
    rejects = f"{folder}/rejects.csv"
    load = ["load", "--store", store, "--map", query, "--rejects", rejects, "-"]
    rows = "C;O;Q\nA;1;1\nshort\nA;2;2\nB;3\n"
    run(*load, stdin=rows).ends(FAILED, "2 rows cannot be read, the first in line 3: has 1 field",
                                "--allow-bad-rows")
    equal(quantities(store, "A", 1), None)
    equal([line.rsplit(",", 1)[-1] for line in pathlib.Path(rejects).read_text("utf-8").splitlines()],
          ['"row"', '"C;O;Q"', '"short"', '"B;3"'])
    run(*load, "--allow-bad-rows", stdin=rows).ends(
        NO, "4 read = 2 in the result + 2 unreadable", "2 rows of the query = 2 stored + 0 rejected")
    write(rejects, pathlib.Path(rejects).read_text("utf-8").replace("short", "A;4;4").replace("B;3", "B;3;3"))
    run("load", "--store", store, "--map", query, "--retry-rejects", rejects).ends(DONE, "2 rows of the query = 2 stored")
    equal([quantities(store, "A", 4), quantities(store, "B", 3)], [["4"], ["3"]])


@test
def query_several_files(folder):
    """Files with names are tables, which a query joins; all below --spool, and nothing of it stays."""
    store = new_store(folder)
    query = write(f"{folder}/own.sql", JOINED)
    spool = f"{folder}/spool"
    rejects = f"{folder}/rejects.csv"
    os.mkdir(spool)
    orders = write(f"{folder}/o.csv", "id,customer\n1,A\n2,B\n9,Z\n")
    write(f"{folder}/i-1.csv", "order_id,sku,n\n2,x,1\n1,y,2\n")
    write(f"{folder}/i-2.csv", "order_id,sku,n\n3,none,1\n2,z,3\n")
    load = ["load", "--store", store, "--map", query, "--spool", spool, "--across-files"]
    run(*load, "--rejects", rejects, f"orders={orders}", f"items={folder}/i-*.csv").ends(
        NO, "7 read = 4 in the result + 3 looked up + 0 unreadable",
        f"3 read = 0 in the result + 3 looked up + 0 unreadable: orders={orders}",
        "4 rows of the query = 3 stored + 1 rejected", "there is no order number", f"--retry-rejects '{rejects}' 'orders={orders}'")
    equal((quantities(store, "B", 2), os.listdir(spool)), (["1", "3"], []))
    write(orders, "id,customer\n3,C\n")
    run(*load, "--retry-rejects", rejects, f"orders={orders}").ends(DONE, "1 row of the query = 1 stored + 0 rejected")
    run(*load, orders, "--dry-run").ends(USAGE, "no such table: items")
    run(*load, "--spool", f"{folder}/none", f"orders={orders}", f"items={folder}/i-1.csv").ends(
        FAILED, f"{folder}/none: No such file", "--spool")


@test
def query_stopped(folder):
    """Ctrl-C comes while SQLite computes."""
    query = write(f"{folder}/own.sql", """SELECT C AS customer_number, CASE O WHEN 'end' THEN (
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n) ELSE O END AS order_number
FROM csv""")
    with subprocess.Popen([PROGRAM, "load", "--store", new_store(folder), "--map", query, "-"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        # More than a pipe and the reader hold: it is loading by now.
        process.stdin.write("C,O\n" + "".join(f"C,{i}\n" for i in range(100000)) + "C,end\n")
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=SECONDS)
    equal((process.returncode, "Stopped" in err, "Rows " in out), (128 + signal.SIGINT, True, True))


@test
def query_sorts_much(folder):
    """Rows that are apart are sorted below --spool, and come as those of a file in order."""
    store = f"{new_store(folder)}?sync=0"
    query = write(f"{folder}/own.sql", "SELECT C AS customer_number, O AS order_number, I AS "
                                       "\"line.item_number\", line FROM csv")
    many = "C,O,I\n" + "".join(f"C,{i % 20000},{i // 20000}{'0' * 200}\n" for i in range(60000))
    spool = f"{folder}/spool"
    os.mkdir(spool)
    run("load", "--store", store, "--map", query, "--spool", spool, "-", stdin=many).ends(
        DONE, "60000 read = 60000 in the result + 0 unreadable", "20000 with 60000 lines")
    equal(os.listdir(spool), [])
    stored = parse(run("get", "--store", store, "C", 19999, "--json").out)
    equal([line["item_number"][0] for line in stored["shipping_locations"][0]["line_items"]], ["0", "1", "2"])


if __name__ == "__main__":
    sys.exit(main())
