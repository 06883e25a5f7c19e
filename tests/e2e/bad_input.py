#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""What is wrong is refused: with what and where, the right exit code, and nothing half-stored.

    bad_input.py rocksdb     wrong orders, files, stores and directories; wrong bytes for a server
    bad_input.py hbase       wrong gateways, and what a newer version has stored
"""

import csv
import json
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import tempfile

import stored_format as fmt
from support import NORTHWIND, PROGRAM, Checks, connected, generated, run, serving

NO, USAGE, FAILED = 1, 2, 3
SECONDS = 600
NOBODY = 65534
FRAME_LIMIT = 16 * 1024 * 1024
GOOD = {"customer_number": "C1", "order_number": "good", "currency": "EUR",
        "shipping_locations": [{"number": 1, "line_items": [{"number": 1, "quantity": "2"}]}]}


class Refusals(Checks):
    """Runs the program, and checks how it refuses."""

    def __init__(self, program=PROGRAM):
        super().__init__()
        self.program = program

    def refused(self, what, code, arguments, *texts, **options):
        """It ends with @code and one message a line, in which all of @texts stand."""
        data = options.pop("data", b"")
        result = subprocess.run([str(self.program), *map(str, arguments)], input=data,
                                capture_output=True, timeout=SECONDS, check=False, **options)
        said = result.stderr.decode()
        wrong = [text for text in texts if text not in said]
        if result.returncode != code or wrong or not said.startswith("tallorder: "):
            self.check(False, what, f"exit code {result.returncode}, not {code}; missing {wrong}\n"
                       f"{said}{result.stdout.decode()}")
        else:
            self.check(True, what)

    def holds_only_good(self, what, store, numbers):
        """None of @numbers is stored; the order that was there still is, and can be read."""
        stored = json.loads(run("get", "--store", store, "--json", "C1", "good"))
        self.check(stored.pop("revision", 0) > 0, f"{what}: its revision is there", stored)
        self.check(stored == GOOD, f"{what}: what was stored is untouched", stored)
        found = [n for n in numbers if subprocess.run(
            [str(PROGRAM), "get", "--store", store, "C1", n], capture_output=True,
            timeout=SECONDS, check=False).returncode != NO]
        self.check(not found, f"{what}: nothing else is stored", found)


# ---- Orders ----------------------------------------------------------------------------------------

def order(number="bad", locations=(), **fields):
    return {"customer_number": "C1", "order_number": number, "shipping_locations": locations,
            **fields}


def with_lines(*lines, **fields):
    return order(locations=[{"number": 1, "line_items": lines}], **fields)


def lines(count, **fields):
    return [{"number": n, **fields} for n in range(1, count + 1)]


BAD_ORDERS = [
    ("an order number that is empty", order(""), ["order_number"]),
    ("an order number of 129 bytes", order("x" * 129), ["order_number", "128"]),
    ("an order number of 65 characters of two bytes", order("ä" * 65), ["order_number", "128"]),
    ("an order number with a control character", order("a\nb"), ["order_number", "control"]),
    ("a customer number with DEL", order(customer_number="\x7f"), ["customer_number", "control"]),
    ("text with NUL", order(currency="a\0b"), ["\\u0000"]),
    ("the same line number twice", with_lines({"number": 3}, {"number": 3}), ["line", "3"]),
    ("the same line number in two locations", order(locations=[
        {"number": 1, "line_items": lines(1)}, {"number": 2, "line_items": lines(1)}]), ["line"]),
    ("the same location twice", order(locations=[{"number": 7}, {"number": 7}]), ["7"]),
    ("line number 0", with_lines({"number": 0}), ["number"]),
    ("10,001 lines and locations", with_lines(*lines(10000)), ["10000"]),
    ("an address over 4 KiB", order(locations=[
        {"number": 1, "address": {"line1": "x" * 4097}}]), ["address", "4096"]),
    ("an order over 1 MiB", with_lines(*lines(1100, description="x" * 1000)), ["1048576"]),
    ("a price that is not a decimal", with_lines({"number": 1, "price": "1,50"}), ["price"]),
    ("a price of 19 places", with_lines({"number": 1, "price": "0." + "1" * 19}), ["price"]),
    ("a price beyond 64 bits", with_lines({"number": 1, "price": str(2**63)}), ["price"]),
    ("a discount over 1", with_lines({"number": 1, "discount": "1.01"}), ["discount"]),
    ("a day that is none", order(sales_date="2023-02-29"), ["sales_date"]),
    ("a field that is none", order(colour="red"), ["colour"]),
]
BAD_JSON = [
    ("no JSON", b"order", []),
    ("half an object", json.dumps(order()).encode()[:-5], []),
    ("not UTF-8", json.dumps(order(currency="@")).encode().replace(b"@", b"\xff"), ["UTF-8"]),
    ("brackets 300,000 deep", b'{"a":' + b"[" * 300000, []),
    ("a key twice", b'{"customer_number":"C1","customer_number":"C1","order_number":"bad"}',
     ["customer_number"]),
]


def check_orders(checks, store):
    for what, bad, texts in BAD_ORDERS:
        checks.refused(what, NO, ["put", "--store", store, "-"], "standard input:1: ", *texts,
                       data=json.dumps(bad).encode())
    for what, bad, texts in BAD_JSON:
        checks.refused(what, NO, ["put", "--store", store, "-"], "standard input:1: ", *texts,
                       data=bad)
    checks.holds_only_good("bad orders", store, ["bad", "a"])


def check_files(checks, store, folder):
    """A bad row is rejected with its line and column; the rows around it are stored."""
    header, *rows = (NORTHWIND / "orders.csv").read_bytes().splitlines()[:4]
    path = pathlib.Path(folder, "bad.csv")
    path.write_bytes(b"\n".join([header, *rows, rows[0].replace(b"10248", b"9001").replace(
        b"Reims", b"R\xffims"), rows[1].replace(b"10248", b"9002").replace(b"9.8", b"9;8")]) + b"\n")
    rejects = pathlib.Path(folder, "rejects.csv")
    result = subprocess.run(
        [str(PROGRAM), "load", "--store", store, "--map", "northwind", str(path), "--rejects",
         str(rejects), "--json"], capture_output=True, timeout=SECONDS, check=False)
    summary = json.loads(result.stdout)
    counts = (summary["rows"], summary["stored"]["rows"], summary["rejected_rows"])
    checks.check((result.returncode, counts) == (NO, (5, 3, 2)), "a file with two bad rows",
                 f"{result.returncode}, {summary}")
    with open(rejects, newline="", encoding="utf-8", errors="replace") as file:
        found = [(row["line"], row["column"], row["reason"][:12]) for row in csv.DictReader(file)]
    wanted = [("1", "", "header"), ("5", "ShipCity", "is not UTF-8"),
              ("6", "UnitPrice", "“9;8” is not")]
    checks.check(found == wanted, "each with its line, column and reason", found)
    own = pathlib.Path(folder, "own.map")
    own.write_text("[order]\ncustomer_number = CustomerID\norder_number = Nummer\n",
                   encoding="utf-8")
    checks.refused("a mapping that names a missing column", USAGE,
                   ["load", "--store", store, "--map", own, path], "Nummer", "OrderID")
    own.write_text("[order]\ncustomer_nummer = CustomerID\n", encoding="utf-8")
    checks.refused("a mapping with an unknown field", USAGE,
                   ["load", "--store", store, "--map", own, path], str(own), "customer_nummer")
    for number in ("9001", "9002"):
        checks.refused(f"order {number} is not there", NO,
                       ["get", "--store", store, "VINET", number], number)


# ---- Stores and directories ------------------------------------------------------------------------

def check_stores(checks, store, folder):
    checks.refused("another layout", FAILED, ["init", "--store", store, "--layout", "record-type"],
                   "a deployment already", "blob")
    checks.refused("another key strategy", FAILED, ["init", "--store", store, "--key", "raw"],
                   "a deployment already", "hashed")
    with serving(store) as server:
        checks.refused("a second process", FAILED, ["get", "--store", store, "C1", "good"],
                       f"{folder}/store")
        run("get", "--server", server.address, "C1", "good")
    marker = pathlib.Path(folder, "store", "TALLORDER")
    text = marker.read_text("ascii")
    marker.write_text(text.replace("1\n", "99\n"), "ascii")
    checks.refused("a store from a newer version", FAILED, ["status", "--store", store], "99",
                   "newer")
    marker.write_text("something else\n", "ascii")
    checks.refused("a marker that is damaged", FAILED, ["status", "--store", store],
                   f"{folder}/store")
    marker.unlink()
    for command in ("status", "init"):
        checks.refused(f"{command} of a store without its marker", FAILED,
                       [command, "--store", store], "no file TALLORDER", text.strip())
    marker.write_text(text, "ascii")
    pathlib.Path(folder, "other").mkdir()
    pathlib.Path(folder, "other", "mine").write_text("x", "ascii")
    checks.refused("a directory of somebody else", FAILED,
                   ["init", "--store", f"rocksdb:{folder}/other"], f"{folder}/other", "mine")
    checks.refused("and a status of it", FAILED, ["status", "--store", f"rocksdb:{folder}/other"],
                   "not empty", "mine")
    checks.check(os.listdir(f"{folder}/other") == ["mine"], "it stays as it was")
    checks.refused("a directory in one that is not there", FAILED,
                   ["init", "--store", f"rocksdb:{folder}/tyop/shop"],
                   "there is no directory to create it in", f"{folder}/tyop/shop")
    checks.check(not os.path.exists(f"{folder}/tyop"), "nothing is made of it")
    checks.refused("a directory below a file", FAILED,
                   ["init", "--store", f"rocksdb:{folder}/other/mine/store"], "other/mine/store")
    checks.holds_only_good("bad stores", store, [])


def check_damaged_block(checks, folder):
    """A block of a table's file is overwritten: an export says that it is not complete."""
    store = f"rocksdb:{folder}/damaged"
    run("init", "--store", store)
    orders = (order("O", customer_number=f"C{n}", attributes={"note": f"{n} " * 100})
              for n in range(200))
    run("put", "--store", store, "-", input="".join(json.dumps(o) + "\n" for o in orders))
    run("status", "--store", store)  # opening moves the log to a file
    largest = max(pathlib.Path(folder, "damaged").glob("*.sst"), key=lambda f: f.stat().st_size)
    with largest.open("r+b") as file:
        file.seek(largest.stat().st_size // 2)
        file.write(os.urandom(300))
    checks.refused("an export of a store with a damaged block", FAILED,
                   ["export", "--store", store], "The export is not complete",
                   "Rows of table orders from ")
    codes = [subprocess.run([str(PROGRAM), "export", "--store", store, f"C{n}"],
                            capture_output=True, timeout=SECONDS, check=False).returncode
             for n in range(200)]
    checks.check(codes.count(0) > 100 and set(codes) == {0, FAILED},
                 "customers outside of the block can be exported, the others fail", codes)


def check_folders_of_others(checks, folder):
    """A store that root makes there could not be read by its service."""
    os.chown(f"{folder}/kept", 0, 0)
    run("backup", "--store", f"rocksdb:{folder}/kept", f"{folder}/backup")
    home = f"{folder}/home"
    os.makedirs(f"{home}/empty")
    for path in (home, f"{home}/empty"):
        os.chown(path, NOBODY, NOBODY)
    for place in ("empty", "new"):
        for call in (["init"], ["restore", f"{folder}/backup"]):
            checks.refused(f"a store of root in a folder of somebody else: {call[0]}, {place}", FAILED,
                           [*call, "--store", f"rocksdb:{home}/{place}"], "directory belongs to another user",
                           "runuser -u nobody -- ")
    checks.check((os.listdir(home), os.listdir(f"{home}/empty")) == (["empty"], []),
                 "nothing is left there")


def check_permissions(checks, folder):
    """As root nothing is forbidden: then the program runs as nobody, from where nobody can."""
    options = {}
    if os.geteuid() == 0:
        options = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        checks.program = shutil.copy(PROGRAM, f"{folder}/tallorder")
        os.chmod(folder, 0o755)
    os.makedirs(f"{folder}/read-only", mode=0o555)
    checks.refused("a directory that can not be written", FAILED,
                   ["init", "--store", f"rocksdb:{folder}/read-only"], f"{folder}/read-only",
                   "ermission denied", **options)
    checks.refused("a directory in one that can not be written", FAILED,
                   ["init", "--store", f"rocksdb:{folder}/read-only/a"], "read-only/a",
                   "ermission denied", **options)
    checks.check(os.listdir(f"{folder}/read-only") == [], "nothing is left there")
    run("init", "--store", f"rocksdb:{folder}/kept")
    os.chmod(f"{folder}/kept", 0o555)
    checks.refused("a store that can not be written", FAILED,
                   ["status", "--store", f"rocksdb:{folder}/kept"], f"{folder}/kept",
                   "run as the one that owns it", **options)
    os.chmod(f"{folder}/kept", 0o755)
    os.makedirs(f"{folder}/hidden/store")
    os.chmod(f"{folder}/hidden", 0)
    checks.refused("a store in a directory that can not be read", FAILED,
                   ["status", "--store", f"rocksdb:{folder}/hidden/store"], "run as the one that owns it",
                   **options)
    os.chmod(f"{folder}/hidden", 0o755)
    if os.geteuid() == 0:
        os.chown(f"{folder}/kept", NOBODY, NOBODY)
        for file in os.scandir(f"{folder}/kept"):
            os.chown(file, NOBODY if file.name != "CURRENT" else 0, NOBODY)
        checks.refused("a file of the store that root has made", FAILED,
                       ["status", "--store", f"rocksdb:{folder}/kept"], "CURRENT", "chown -R", **options)
        checks.program = PROGRAM
        checks.refused("a store of somebody else, by root", FAILED,
                       ["status", "--store", f"rocksdb:{folder}/kept"],
                       "belongs to another user", "runuser -u nobody -- ")
        os.chown(f"{folder}/kept/TALLORDER", 0, 0)
        check_folders_of_others(checks, folder)
    checks.program = PROGRAM
    run("status", "--store", f"rocksdb:{folder}/kept")


# ---- Bytes for a server ----------------------------------------------------------------------------

def frame(content):
    return struct.pack(">I", len(content)) + content


def put_header():
    return b"\x80\x01\x00\x01" + struct.pack(">I", 8) + b"putOrder" + bytes(4)


def put_request():
    """A whole call of putOrder, to be cut: field 1, a struct with two texts."""
    text = b"\x0b\x00%c" + struct.pack(">I", 3) + b"C1x"
    fields = b"".join(text.replace(b"%c", bytes([tag])) for tag in (1, 2))
    return frame(put_header() + b"\x0c\x00\x01" + fields + b"\x00\x00")


BAD_BYTES = [
    ("HTTP", b"GET /orders HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    ("TLS", bytes.fromhex("16030102000100 01fc0303") + bytes(500)),
    ("a frame of 2 GiB", b"\x7f\xff\xff\xff" + bytes(1000)),
    ("a frame one byte over the limit", struct.pack(">I", FRAME_LIMIT + 1) + put_header()),
    ("a nesting bomb of structs", frame(put_header() + b"\x0c\x03\xe7" * 1_000_000)),
    ("a nesting bomb of lists", frame(put_header() + b"\x0f\x03\xe7" + b"\x0f\0\0\0\1" * 700_000)),
    ("a text of 2 GiB", frame(put_header() + b"\x0c\x00\x01\x0b\x00\x01\x7f\xff\xff\xff")),
    ("half a request", put_request()[:-9]),
    ("a frame's length and nothing more", put_request()[:4]),
]


def answer_to(address, data):
    """All that comes back until the server hangs up. Our side ends first."""
    host, port = address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=SECONDS) as connection:
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: connection.recv(65536), b""))
        except (ConnectionResetError, BrokenPipeError):  # it had seen enough
            return b""


def check_server(checks, store):
    with generated("tallorder"), serving(store) as server:
        from tallorder import OrderService
        whole = answer_to(server.address, put_request())
        checks.check(len(whole) > 4, "a whole request by hand is answered", whole)
        run("delete", "--server", server.address, "C1x", "C1x")
        with connected(server.address, OrderService) as other:
            for what, data in BAD_BYTES:
                answer = answer_to(server.address, data)
                checks.check(answer == b"" and server.process.poll() is None,
                             f"{what}: the connection goes, the server stays", answer[:200])
                other.ping()
                stored = other.getOrder("C1", "good").order
                checks.check(stored.currency == "EUR", f"{what}: others are served", stored)
        checks.refused("half a request stored nothing", NO,
                       ["get", "--server", server.address, "C1x", "C1x"], "C1x")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    checks.refused("a server that is not there", FAILED,
                   ["put", "--server", f"127.0.0.1:{port}", "-"], f"127.0.0.1:{port}",
                   data=json.dumps(GOOD).encode())
    checks.holds_only_good("bad bytes", store, ["bad"])


# ---- HBase -----------------------------------------------------------------------------------------

def check_gateways(checks, binary, framed, store):
    cases = [
        ("a framed, compact gateway, addressed as neither", f"hbase://{framed}",
         ["is framed with the compact protocol", "?framed=1&protocol=compact"]),
        ("a gateway that is not framed, addressed as framed", f"hbase://{binary}?framed=1",
         ["is unframed", "?framed=0"]),
        ("a binary gateway, addressed as compact", f"hbase://{binary}?protocol=compact",
         ["protocol=binary"]),
        ("no such deployment", f"hbase://{binary}?name=none-{os.getpid()}", ["tallorder init"]),
    ]
    for what, url, texts in cases:
        checks.refused(what, FAILED, ["status", "--store", url], *texts)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    checks.refused("a gateway that is not there", FAILED,
                   ["put", "--store", f"hbase://127.0.0.1:{port}", "-"], f"127.0.0.1:{port}",
                   data=json.dumps(GOOD).encode())
    checks.refused("a gateway where a tallorder server should be", FAILED,
                   ["get", "--server", binary, "C1", "good"], binary)
    checks.refused("another layout", FAILED, ["init", "--store", store, "--layout", "record-type"],
                   "a deployment already", "blob")
    checks.holds_only_good("bad gateways", store, ["bad"])


def read_cell(gateway, table, row, qualifier):
    from hbase.ttypes import TColumn, TGet

    column = TColumn(family=b"d", qualifier=qualifier)
    (cell,) = gateway.get(table, TGet(row=row, columns=[column])).columnValues
    return cell


def write_cell(gateway, table, row, cell):
    from hbase.ttypes import TPut

    gateway.put(table, TPut(row=row, columnValues=[cell]))


def check_newer(checks, gateway, store, name):
    """What a newer version wrote is neither read as something else nor overwritten."""
    table, row = f"{name}.meta".encode(), b"deployment"
    old = read_cell(gateway, table, row, b"format")
    old.value, old.timestamp = b"99", old.timestamp + 1
    write_cell(gateway, table, row, old)
    for command in (["get", "C1", "good"], ["delete", "C1", "good"], ["status"]):
        checks.refused(f"a deployment of a newer version: {command[0]}", FAILED,
                       [*command, "--store", store], "newer", name)
    old.value, old.timestamp = b"1", old.timestamp + 1
    write_cell(gateway, table, row, old)

    short, row = fmt.place_of_order("blob", fmt.Key("hashed"), "C1", "newer")
    table = f"{name}.{short}".encode()
    run("put", "--store", store, "-", input=json.dumps(order("newer")))
    state = read_cell(gateway, table, row, b"s")
    state.value, state.timestamp = b"\x02 and what only that version knows", state.timestamp + 2
    write_cell(gateway, table, row, state)
    for code, *command in ((FAILED, "get", "C1", "newer"), (FAILED, "delete", "C1", "newer"),
                           (NO, "put", "-")):
        checks.refused(f"an order of a newer version: {command[0]}", code,
                       [*command, "--store", store], "newer", "of C1",
                       data=json.dumps(order("newer")).encode())
    kept = read_cell(gateway, table, row, b"s")
    checks.check(kept == state, "it stays as it was", kept)
    checks.holds_only_good("newer versions", store, [])


def main_hbase(checks):
    binary = os.environ["TALLORDER_HBASE_BINARY"].split(",")[0]
    framed = os.environ["TALLORDER_HBASE_COMPACT_FRAMED"].split(",")[0]
    name = f"bad-{os.getpid()}"
    store = f"hbase://{binary}?name={name}"
    run("init", "--store", store)
    run("put", "--store", store, "-", input=json.dumps(GOOD))
    check_gateways(checks, binary, framed, store)
    with generated("hbase"):
        from hbase import Gateway
        with connected(binary, Gateway, framed=False) as gateway:
            check_newer(checks, gateway, store, name)


def main_rocksdb(checks):
    with tempfile.TemporaryDirectory() as folder:
        store = f"rocksdb:{folder}/store"
        run("init", "--store", store)
        run("put", "--store", store, "-", input=json.dumps(GOOD))
        check_orders(checks, store)
        check_files(checks, store, folder)
        check_stores(checks, store, folder)
        check_damaged_block(checks, folder)
        check_permissions(checks, folder)
        check_server(checks, store)


def main(kind):
    checks = Refusals()
    if kind == "rocksdb":
        main_rocksdb(checks)
    elif {"TALLORDER_HBASE_BINARY", "TALLORDER_HBASE_COMPACT_FRAMED"} <= os.environ.keys():
        main_hbase(checks)
    else:
        checks.skip("TALLORDER_HBASE_BINARY or TALLORDER_HBASE_COMPACT_FRAMED names no HBase")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
