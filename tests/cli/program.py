# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Drives the built program like a user, and checks exit codes and output. Speaks TAP.

    program.py TALLORDER SOURCE_ROOT
"""

import contextlib
import json
import os
import pathlib
import re
import resource
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import uuid

from support import (
    PROGRAM, SOURCE, NORTHWIND, RETAIL, KEYS, LAYOUTS, SECONDS, DONE, NO, USAGE, FAILED, ORDER, test, run, equal,
    FakeServer, Server, new_store, free_port, on_terminal, main, parse,
)


@test
def help_and_version(folder):
    commands = [path.stem for path in (SOURCE / "src" / "cli" / "command").glob("*.c")]
    equal(len(commands) >= 13, True)
    text = run("help").ends(DONE, "Usage: tallorder").out
    equal([c for c in commands if f"\n  {c}" not in text], [])
    equal(run("--help").ends(DONE).out, text)
    run("--version").ends(DONE, "tallorder 0.")
    for command in commands:
        said = run(command, "--help", env={**os.environ, "LC_ALL": "C"}).ends(
            DONE, "Usage:", f"\n  tallorder {command} [OPTION...]", "Example:", "--store").out
        equal("?]" in said, False)
        equal(run(command, "-h").out, said)
        run("help", command).ends(DONE, "Example:")
    run("help", "fly").ends(USAGE, "no command “fly”")
    run("--store", "rocksdb:x", "get", "A", "B").ends(USAGE, "Options come after the command")
    run("fly").ends(USAGE, "no command “fly”", "tallorder help")
    run().ends(USAGE, "tallorder help")


@test
def wrong_usage(folder):
    store = f"rocksdb:{folder}/none"
    cases = [
        (["get", "A", "B"], "--store rocksdb:DIR, or --server"),
        (["get", "A", "B", "--store", store, "--server", "h:1"], "not both"),
        (["get", "A", "--store", store], "CUSTOMER ORDER"),
        (["get", "A", "B", "C", "--store", store], "CUSTOMER ORDER"),
        (["get", "A", "B", "--store", store, "--loud"], "--loud"),
        (["get", "A" * 129, "B", "--store", store], "customer_number"),
        (["get", "A", "", "--store", store], "order_number"),
        (["get", "A", "B\n", "--store", store], "order_number"),
        (["get", "A", "B", "--server", "nowhere"], "nowhere"),
        (["delete", "A", "--store", store], "CUSTOMER ORDER"),
        (["delete", "A", "B", "--if-revision=-1", "--store", store], "--if-revision"),
        (["delete", "A", "B", "--if-revision", "x", "--store", store], "x"),
        (["delete", "A", "B", "--if-revision", "0", "--store", store], "a number above 0"),
        (["list", "--store", store], "CUSTOMER"),
        (["list", "A", "--store", store, "--from", "soon"], "--from: “soon” is not a date: write it like 1996-07-04 or "),
        (["list", "A", "--store", store, "--to", "1996-02-30"], "--to: “1996-02-30” is not a date: write it like "),
        (["list", "A", "--store", store, "--from", "1997-01-01", "--to", "1997-01-01"],
         "--to 1997-01-01 must be later than --from 1997-01-01"),
        (["list", "A", "--store", store, "--limit", "0"], "--limit takes 1 to 1000"),
        (["list", "A", "--store", store, "--limit", "1001"], "--limit takes 1 to 1000"),
        (["list", "A", "--store", store, "--limit=-1"], "--limit takes 1 to 1000"),
        (["list", "A", "--store", store, "--limit", "x"], "--limit"),
        (["list", "A", "--store", store, "--page", ""], "--page takes the token"),
        (["list", "A\n", "--store", store], "customer_number"),
        (["customer", "list", "A", "--store", store], "or list"),
        (["customer", "list", "--store", store, "--from", "1997-01-01"], "--from"),
        (["customer", "list", "--store", store, "--limit", "0"], "--limit takes 1 to 1000"),
        (["customer", "get", "A", "--store", store, "--limit", "3"], "get --orders"),
        (["customer", "list", "--store", store, "--orders"], "--orders goes with: get"),
        (["customer", "delete", "A", "--store", store, "--json"], "--json goes with"),
        (["customer", "get", "A", "--store", store, "--if-revision", "4"], "goes with: delete"),
        (["customer", "delete", "A", "--store", store, "--if-revision=0"], "above 0"),
        (["customer", "delete", "--store", store], "delete NUMBER"),
        (["export", "A", "B", "--store", store], "CUSTOMER"),
        (["export", "A" * 129, "--store", store], "customer_number"),
        (["export"], "--store rocksdb:DIR, or --server"),
        (["customer", "--store", store], "get NUMBER"),
        (["customer", "forget", "A", "--store", store], "get NUMBER"),
        (["customer", "get", "A" * 129, "--store", store], "customer_number"),
        (["put", "--store", store], "FILE"),
        (["put", "-", "--token", "abc", "--store", store], "UUID"),
        (["put", "-", "--if-absent", "--if-revision", "4", "--store", store], "not both"),
        (["put", "-", "--if-revision", "0", "--store", store], "a number above 0"),
        (["put", "-", "--if-revision=-2", "--store", store], "a number above 0"),
        (["explain", "--store", store], "CUSTOMER ORDER"),
        (["explain", "A", "B", "--server", "h:1"], "give --store"),
        (["explain", "A", "B", "--store", store, "--all", "--key", "raw"], "not both"),
        (["explain", "A", "B", "--store", store, "--layout", "tall"], "blob, record-type"),
        (["status", "now", "--store", store], "now"),
        (["init", "--server", "h:1"], "give --store"),
        (["init"], "--store rocksdb:DIR"),
        (["init", "--store", store, "x"], "“x”"),
        (["init", "--store", store, "--layout", "tall"], "blob, record-type"),
        (["init", "--store", store, "--key", "tall"], "hashed, raw"),
        (["init", "--store", store, "--ttl", "-5"], "--ttl"),
        (["serve", "--store", store, "x"], "“x”"),
        (["serve", "--server", "h:1"], "give --store"),
        (["serve", "--store", store, "--max-connections", "0"], "a number above 0"),
        (["serve", "--store", store, "--max-connections", "7", "--max-connections-per-address", "8"],
         "--max-connections (7)"),
        (["serve", "--store", store, "--max-connections-per-address", "0"], "a number above 0"),
        (["serve", "--store", store, "--trusted-proxies", "10.0.0.1/8"], "10.0.0.1/8"),
        (["serve", "--store", store, "--memory", "191"], "192 to"),
        (["serve", "--store", store, "--memory=-1"], "192 to"),
        (["load", "--store", store, "--map", "northwind"], "FILE.csv"),
        (["load", "--store", store, RETAIL], "online-retail"),
        (["load", "--store", store, RETAIL, "--map", "nope"], "no preset “nope”"),
        (["load", "--store", store, RETAIL, "--map", "online-retail", "--jobs", "0"], "1 to 256"),
        (["load", "--print-map", "nope"], "northwind-customers"),
    ]
    for arguments, text in cases:
        run(*arguments).ends(USAGE, text)
    if os.path.exists(f"{folder}/none"):
        raise AssertionError("a wrong call left a store behind")


@test
def store_urls(folder):
    cases = [
        ("127.0.0.1:7654", "goes to --server", "tall_client_new"),
        ("shop", "not known", "rocksdb:DIR[?name=N&sync=0|1&readonly=0|1]"),
        ("rocksdb:", "the directory is missing"),
        ("rocksdb:d?framed=1", "“framed”", "name, sync"),
        ("rocksdb:d?sync=2", "sync=2", "0 or 1"),
        ("rocksdb:d?sync", "has no value"),
        ("rocksdb:d%2", "two hex digits"),
        ("hbase://", "host:port is missing"),
        ("hbase://host", "“host” is not host:port"),
        ("hbase://a:1,b", "“b” is not host:port"),
        ("hbase://a:99999", "is not host:port"),
        ("hbase://a:1?sync=1", "“sync”", "name, framed, protocol"),
        ("hbase://a:1?protocol=json", "binary or compact"),
        ("hbase://a:1?framed=yes", "0 or 1"),
        ("rocksdb:d?name=", "a name is not empty"),
        ("rocksdb:d?name=a b", "has no spaces"),
    ]
    for url, *texts in cases:
        run("status", "--store", url).ends(USAGE, url, *texts)
    run("init", "--store", f"rocksdb:{folder}/a%3fb?sync=0&name=x").ends(DONE, "deployment x")
    equal(os.path.isdir(f"{folder}/a?b"), True)


@test
def unreachable_places(folder):
    port = free_port()
    run("status", "--store", f"rocksdb:{folder}/none").ends(FAILED, f"{folder}/none")
    equal(os.path.exists(f"{folder}/none"), False)
    run("status", "--server", f"127.0.0.1:{port}").ends(FAILED, str(port))
    run("get", "--server", f"127.0.0.1:{port}", "A", "B").ends(FAILED, str(port))
    run("status", "--store", f"hbase://127.0.0.1:{port}").ends(FAILED, str(port))
    pathlib.Path(folder, "file").write_text("x")
    run("init", "--store", f"rocksdb:{folder}/file").ends(FAILED, f"{folder}/file")
    run("init", "--store", "rocksdb:/proc/tallorder").ends(FAILED, "/proc/tallorder")
    run("init", "--store", f"rocksdb:{folder}/two?name=a").ends(DONE)
    run("status", "--store", f"rocksdb:{folder}/two?name=b").ends(FAILED, "tallorder init")


def serve_raw(answer):
    """A server that sends each client what `answer` makes of its first bytes, then says no more."""
    listener = socket.create_server(("127.0.0.1", 0))

    def talk(connection):
        with connection, contextlib.suppress(OSError):
            said = answer(connection.recv(1024))
            if said is not None:
                connection.sendall(said)
            while connection.recv(1024):
                pass

    def serve():
        try:
            while True:
                threading.Thread(target=talk, args=[listener.accept()[0]], daemon=True).start()
        except OSError:
            pass
    threading.Thread(target=serve, daemon=True).start()
    return listener


@test
def not_a_server(folder):
    """What is not a server of ours is named, where it can be; nobody waits long for it."""
    name = b"getThriftServerType"
    binary = b"\x80\1\0\2\0\0\0\x13" + name + b"\0\0\0\1\x08\0\0\0\0\0\2\0"
    compact = b"\x82\x41\1\x13" + name + b"\x05\0\4\0"

    def gateway(start, reply):
        return lambda said: reply if said.startswith(start) and name in said else None

    def framed(message):
        return len(message).to_bytes(4, "big") + message

    cases = [
        (lambda said: b"HTTP/1.1 400 Bad Request\r\n\r\n", "a web server (HTTP)"),
        (lambda said: b"HTTP/1.0 200 OK\r\n\r\n" if said.startswith(b"GET ") else None,
         "a web server (HTTP)"),
        (lambda said: b"SSH-2.0-x\r\n", "an SSH server"),
        (gateway(b"\x80\1\0\1", binary), "'hbase://{}'"),
        (gateway(b"\x82\x21", compact), "'hbase://{}?protocol=compact'"),
        (gateway(b"\0\0\0\x20\x80", framed(binary)), "'hbase://{}?framed=1'"),
        (gateway(b"\0\0\0\x18\x82", framed(compact)), "'hbase://{}?framed=1&protocol=compact'"),
        (lambda said: None, "No answer from {} within 3 s"),
    ]
    begun = []
    for answer, text in cases:
        listener = serve_raw(answer)
        address = "127.0.0.1:%d" % listener.getsockname()[1]
        process = subprocess.Popen([PROGRAM, "get", "--server", address, "A", "B"], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        begun.append((listener, process, text.format(address), time.monotonic()))
    for listener, process, text, start in begun:
        err = process.communicate(timeout=SECONDS)[1]
        listener.close()
        equal((process.returncode, text in err or err), (FAILED, True))
        equal(time.monotonic() - start < 60, True)


@test
def deployments(folder):
    store = new_store(folder, "record-type", "raw")
    run("init", "--store", store).ends(FAILED, "a deployment already")
    run("init", "--store", f"{store}?name=other", "--ttl", "3600").ends(DONE, "other")
    status = json.loads(run("status", "--store", store, "--json").ends(DONE).out)
    equal([status[k] for k in ("name", "layout", "key_strategy", "store", "format", "read_only")],
          ["tallorder", "record-type", "raw", "rocksdb", 3, False])
    equal([table["name"] for table in status["tables"]], ["entries", "index", "meta", "orders"])
    equal(run("status", "--store", store).ends(DONE, "record-type", "TABLE", "answered in").err, "")
    said = run("status", "--store", f"{store}?name=other", "--json").ends(DONE).out
    equal(len(re.findall(r'"ping_ms" : \d+(\.0*\d{1,3})?,\n', said)), 1)
    other = json.loads(said)
    equal({t["name"]: t["ttl"] for t in other["tables"]}["orders"], 3600)
    equal([status["index"], status["ttl"], other["ttl"]], ["date", 0, 3600])
    run("status", "--store", f"{store}?name=other").ends(DONE, "3600 s")
    run("init", "--store", f"{store}?name=third", "--compression", "zstd").ends(DONE, "third")
    third = json.loads(run("status", "--store", f"{store}?name=third", "--json").ends(DONE).out)
    equal([third["compression"], "bloom_filter" in third], ["zstd", False])
    run("status", "--store", f"{store}?name=third").ends(DONE, "zstd")


@test
def second_process(folder):
    store = new_store(folder)
    with Server(store):
        run("status", "--store", store).ends(FAILED, f"{folder}/store")
    run("status", "--store", store).ends(DONE)


@test
def orders(folder):
    store = new_store(folder)
    with Server(store) as server:
        check_orders("--server", server.address)
        equal(server.stop(), 0)
    new = f"{store}?name=direct"
    run("init", "--store", new, "--layout", "record-type").ends(DONE)
    check_orders("--store", new)


def check_orders(*place):
    run("get", *place, "C1", "O1").ends(NO, "O1", "C1")
    said = run("put", *place, "-", stdin=ORDER).ends(DONE, "Stored order O1 of C1, revision ").out
    revision = int(said.split()[-1])
    equal(parse(run("get", *place, "C1", "O1", "--json").ends(DONE).out), ORDER)
    shown = run("get", *place, "C1", "O1").ends(
        DONE, "Order O1 of C1", "2020-02-29", "Location 2", "no lines", "1 Road, Reims", "note",
        "2 lines, total 2.75 EUR", str(revision)).out
    equal([line.split() for line in shown.splitlines() if line.strip().startswith("LINE")],
          [["LINE", "ITEM", "DESCRIPTION", "QUANTITY", "PRICE", "DISCOUNT"]])

    run("put", *place, "-", "--if-absent", stdin=ORDER).ends(NO, "O1")
    run("put", *place, "-", "--if-revision", revision + 2, stdin=ORDER).ends(NO, str(revision))
    said = run("put", *place, "-", "--if-revision", revision, stdin=ORDER).ends(DONE).out
    newer = int(said.split()[-1])
    equal(newer > revision, True)
    token = ["--token", str(uuid.uuid4())]
    first = run("put", *place, "-", *token, stdin=ORDER).ends(DONE).out
    equal(run("put", *place, "-", *token, stdin=ORDER).ends(DONE).out, first)

    run("delete", *place, "C1", "O1", "--if-revision", revision).ends(NO)
    run("delete", *place, "C1", "O1").ends(DONE, "Deleted order O1 of C1")
    run("delete", *place, "C1", "O1").ends(NO, "O1")
    run("get", *place, "C1", "O1", "--json").ends(NO)


@test
def json_files(folder):
    store = new_store(folder)
    lines = [json.dumps({"customer_number": "C", "order_number": str(i)}) for i in range(3)]
    path = f"{folder}/orders.json"

    pathlib.Path(path).write_text(
        f"\n{lines[0]}\n{{\"order\": {lines[1]}}}\n\n"
        '{"customer": {"number": "C", "name": "Ann"}}\n'
        '{"customer_number": "C"}\n{"customer_number":}\n' + lines[2])
    said = run("put", "--store", store, path).ends(NO, f"{path}:6: ", f"{path}:7: ").out
    equal([line.split(", ")[0] for line in said.splitlines()],
          ["Stored order 0 of C", "Stored order 1 of C", "Stored customer C",
           "Stored order 2 of C", "4 stored"])
    equal(said.endswith("\n4 stored, 2 refused\n"), True)
    run("get", "--store", store, "C", "2").ends(DONE)

    pathlib.Path(path).write_text(json.dumps(ORDER, indent=2))
    run("put", "--store", store, path).ends(DONE, "Stored order O1 of C1")
    equal(parse(run("get", "--store", store, "C1", "O1", "--json").out), ORDER)

    pathlib.Path(path).write_text("\n".join(lines))
    run("put", "--store", store, path, "--if-revision", 4).ends(USAGE, "single order")
    run("put", "--store", store, path, "--token", uuid.uuid4()).ends(USAGE, "single order")
    run("put", "--store", store, path, "--if-absent").ends(NO)

    run("put", "--store", store, f"{folder}/none.json").ends(FAILED, "none.json")
    run("put", "--store", store, folder).ends(FAILED, folder)
    run("put", "--store", store, "-", stdin=" \n").ends(FAILED, "no JSON object")
    run("put", "--store", store, "-", stdin="{").ends(NO, "standard input:1: ")
    run("put", "--store", store, "-", stdin="[" * 300000).ends(NO, "standard input:1: ")
    twice = dict(ORDER, shipping_locations=[{"number": 1, "line_items": [{"number": 1},
                                                                        {"number": 1}]}])
    run("put", "--store", store, "-", stdin=twice).ends(NO, "1")
    equal(parse(run("get", "--store", store, "C1", "O1", "--json").out), ORDER)


@test
def json_broken_first_line(folder):
    """It is refused like any other line, and takes none of the next with it."""
    store = new_store(folder)
    line = json.dumps(ORDER)
    for cut in (len(line) // 2, line.index("Ann") + 1, len(line) - 1):
        said = run("put", "--store", store, "-", stdin=f"{line[:cut]}\n{numbered(1, 2)}").ends(
            NO, "standard input:1: ")
        equal([text.split(", ")[0] for text in said.out.splitlines()],
              ["Stored order 1 of C", "Stored order 2 of C", "2 stored"])
    # an object over many lines is one, also where a line of it looks like one by itself
    run("put", "--store", store, "-", stdin='{"customer":\n{"number": "D"}\n}\n').ends(
        DONE, "Stored customer D")
    said = run("put", "--store", store, "-", stdin=json.dumps(ORDER, indent=2)[:-2])
    equal((said.code, said.err.count("standard input:")), (NO, 1))


@test
def json_in_another_format(folder):
    """A file without any object gets one message, and not one for each line."""
    store = new_store(folder)
    path = f"{folder}/orders.csv"
    pathlib.Path(path).write_text("OrderID,CustomerID\n" + "1,C\n" * 1000)
    said = run("put", "--store", store, path).ends(
        NO, f"{path}:1: this is not a JSON object", "tallorder load", "nothing of it is stored")
    equal((said.out, said.err.count("\n")), ("", 1))
    pathlib.Path(path).write_text(json.dumps([ORDER]))
    run("put", "--store", store, path).ends(NO, f"{path}:1: this is not a JSON object")
    pathlib.Path(path).write_text("# two orders\n1,C\n" + numbered(1, 2))
    run("put", "--store", store, path).ends(NO, f"{path}:1: ", f"{path}:2: ", "2 stored, 2 refused")


@test
def json_too_long(folder):
    """More than an order takes: that is said, and nothing is passed over as if it had been read."""
    store = new_store(folder)
    much = "x" * (16 * 1024 * 1024)
    wanted = "what begins here is longer than 16777216 bytes"
    for text in ("{\n" + much, '{"a": "' + much + '"}\n' + numbered(1)):
        run("put", "--store", store, "-", stdin=text).ends(
            FAILED, f"standard input:1: {wanted}")
    said = run("put", "--store", store, "-", stdin=numbered(1) + much + "\n" + numbered(2)).ends(
        FAILED, f"standard input:2: {wanted}", "Stopped at line 2 ")
    equal(said.out.count("Stored"), 1)
    # lines after a broken one are read, however many
    many = '{\n' + (json.dumps({"no": "x" * 1024 * 1024}) + "\n") * 17 + numbered(2)
    said = run("put", "--store", store, "-", stdin=many).ends(NO, "Stored order 2 of C")
    equal(said.err.count("standard input:"), 18)


def numbered(*numbers):
    return "".join(json.dumps({"customer_number": "C", "order_number": str(n)}) + "\n"
                   for n in numbers)


@test
def put_goes_on_after_refusals(folder):
    """What is wrong with one order, a damaged one included, says nothing of the next."""
    refusals = {b"CODE-2": 2, b"CODE-4": 4, b"CODE-5": 5, b"CODE-11": 11, b"CODE-12": 12}

    def answer(name, call):
        equal(name, "putOrder")
        for number, code in refusals.items():
            if number in call:
                return FakeServer.failure(code, f"no {number.decode()}")
        return FakeServer.STORED

    with FakeServer(answer) as server:
        lines = numbered("A", *(n.decode() for n in refusals), "Z")
        said = run("put", "--server", server.address, "-", stdin=lines).ends(
            NO, *(f"no {n.decode()}" for n in refusals))
    equal([line.split(" of ")[0] for line in said.out.splitlines()],
          ["Stored order A", "Stored order Z", "2 stored, 5 refused"])
    equal("Stopped" in said.err, False)


@test
def put_says_where_it_stopped(folder):
    def answer(_, call):
        if b"REFUSE" in call:
            return FakeServer.failure(3, "refused")
        if b"LOST" in call:
            return None
        return FakeServer.failure(8, "gone") if b"GONE" in call else FakeServer.STORED

    path = f"{folder}/orders.json"
    pathlib.Path(path).write_text("\n" + numbered("a", "b", "REFUSE", "GONE", "c"))
    with FakeServer(answer) as server:
        place = ["--server", server.address, "--jobs", 1]
        run("put", *place, path).ends(
            FAILED, f"Stopped at line 5 of {path}: 2 stored, 1 refused, the rest not tried. To go "
            "on, put the lines from 5 on")
        run("put", *place, "-", stdin=numbered("GONE", "c")).ends(
            FAILED, "Stopped at line 1 of standard input: 0 stored, 0 refused")
        said = run("put", *place, "-", stdin=numbered("GONE")).ends(FAILED, "gone")
        equal("Stopped" in said.err, False)
        # what may be stored is not to be put again unseen
        said = run("put", *place, "-", stdin=numbered("a", "LOST", "c")).ends(
            FAILED, "Stopped at line 2 of standard input: 1 stored, 0 refused, the rest not tried. "
            "What line 2 holds may be stored: look at it, and put it again if it is not. Then go "
            "on with the lines from 3 on")
        equal("To go on" in said.err, False)


@test
def put_stops_when_asked(folder):
    store = new_store(folder)
    with Server(store) as server:
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen(
                [PROGRAM, "put", "--server", server.address, "-"], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            process.stdin.write(numbered(1, 2, number.name))
            process.stdin.flush()
            while run("get", "--server", server.address, "C", number.name).code != DONE:
                pass  # an order is stored when its line has come, not when more have
            process.send_signal(number)
            code = process.wait(timeout=SECONDS)  # although there may be more to come
            out, err = process.communicate()
            equal((code, out.count("Stored order"), "Stopped at line 4 of standard input: 3 stored, 0 "
                   "refused" in err), (128 + number, 3, True))


@test
def asked_twice(folder):
    """Signals that come together are one wish; whoever asks again later does not want to wait."""
    asked, go_on = threading.Event(), threading.Event()

    def answer(_, call):
        asked.set()
        go_on.wait(SECONDS)
        return FakeServer.STORED

    def put(server):
        asked.clear()
        process = subprocess.Popen(
            [PROGRAM, "put", "--server", server.address, "-"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        process.stdin.write(numbered(1))
        process.stdin.flush()
        equal(asked.wait(SECONDS), True)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        return process

    with FakeServer(answer) as server:
        process = put(server)
        while process.poll() is None:
            process.send_signal(signal.SIGHUP)
            time.sleep(0.01)
        equal((process.returncode, process.communicate()[0]), (-signal.SIGHUP, ""))
        process = put(server)
        go_on.set()
        out, _ = process.communicate(timeout=SECONDS)
        equal((process.returncode in (128 + signal.SIGINT, 128 + signal.SIGTERM), out),
              (True, "Stored order 1 of C, revision 4\n"))


@test
def customers(folder):
    store = new_store(folder)
    customer = {"number": "C", "name": "Ann", "address": {"city": "Reims"}, "phones": ["1", "2"]}
    run("customer", "get", "--store", store, "C").ends(NO, "C")
    run("customer", "put", "--store", store, "-", stdin=customer).ends(DONE, "Stored customer C")
    equal(parse(run("customer", "get", "C", "--store", store, "--json").out), customer)
    run("customer", "get", "C", "--store", store).ends(DONE, "Customer C", "Ann", "Reims", "phone")
    run("customer", "put", "--store", store, "-", stdin={"name": "x"}).ends(NO, "number")
    run("put", "--store", store, "-", stdin=customer).ends(
        NO, "standard input:1: this is a customer: tallorder customer put takes it")
    run("customer", "put", "--store", store, "-", stdin=ORDER).ends(
        NO, "standard input:1: this is an order: tallorder put takes it")
    run("put", "--store", store, "-", stdin=dict(customer, colour="red")).ends(
        NO, "number: unknown field")
    run("put", "--store", store, "-", stdin={"order": customer}).ends(NO, "standard input:1: ")
    run("put", "--store", store, "-", stdin={"customer": customer}).ends(DONE)
    run("customer", "put", "--store", store, "-", stdin={"order": ORDER}).ends(DONE)


@test
def terminal_output(folder):
    """What is stored cannot steer a terminal; colours only there, and not against NO_COLOR."""
    store = new_store(folder)
    evil = dict(ORDER, attributes={"note": "\x1b[2Jx\x07"}, currency="\x1b[31m")
    run("put", "--store", store, "-", stdin=evil).ends(DONE)
    said = run("get", "--store", store, "C1", "O1").ends(DONE, "\\x1b[2Jx\\x07").out
    equal("\x1b" in said, False)
    coloured = on_terminal("get", "--store", store, "C1", "O1")
    equal(("\x1b[1mOrder O1 of C1" in coloured, "\x1b[2J" in coloured), (True, False))
    equal("\x1b" in on_terminal("get", "--store", store, "C1", "O1", NO_COLOR="1"), False)


@test
def full_disk(folder):
    with open("/dev/full", "w", encoding="utf-8") as full:
        for command in (["help"], ["get", "--help"]):
            result = subprocess.run([PROGRAM, *command], stdout=full, stderr=subprocess.PIPE,
                                    text=True, timeout=SECONDS, check=False)
            equal((result.returncode, "Writing the output failed" in result.stderr),
                  (FAILED, True))


@test
def json_on_a_terminal(folder):
    """JSON cannot steer a terminal either; escaped it means the same, and a pipe gets it as it is."""
    store = new_store(folder)
    evil = {"a": "\u009b31mred", "b": "\u202eabc", "c": "\u2066x\u2069", "d": "\u2028", "e": "\x7f",
            "f": "\U000e0041", "g": "na\u00efve \U0001f469\u200d\U0001f4bb"}
    run("put", "--store", store, "-", stdin=dict(ORDER, attributes=evil)).ends(DONE)
    run("customer", "put", "--store", store, "-",
        stdin={"number": "C1", "attributes": evil}).ends(DONE)
    calls = [["get", "C1", "O1", "--json"], ["customer", "get", "C1", "--json"],
             ["customer", "get", "C1", "--orders", "--json"], ["export"]]
    for call in calls:
        shown = on_terminal(*call, "--store", store).replace("\r\n", "\n")
        equal([c for c in "\x1b\u009b\u202e\u2066\u2069\u2028\x7f\U000e0041" if c in shown], [])
        equal(evil["g"] in shown, True)
        piped = run(*call, "--store", store).ends(DONE).out
        equal("\u202e" in piped, True)
        texts = [shown, piped]
        if call == ["export"]:
            texts = ["[" + text.strip().replace("\n", ",") + "]" for text in texts]
        equal(*map(json.loads, texts))


@test
def revision_in_scripts(folder):
    """What get prints, put takes, and its revision is what --if-revision wants."""
    store = new_store(folder)
    run("put", "--store", store, "-", stdin=ORDER).ends(DONE)
    with Server(store) as server:
        for place in (["--server", server.address],):
            got = run("get", *place, "C1", "O1", "--json").ends(DONE).out
            revision = json.loads(got)["revision"]
            stored = run("put", *place, "-", "--json", "--if-revision", revision, stdin=got)
            said = json.loads(stored.ends(DONE).out)
            equal({key: said[key] for key in ("line", "customer_number", "order_number")},
                  {"line": 1, "customer_number": "C1", "order_number": "O1"})
            equal(said["revision"] > revision, True)
            refused = run("put", *place, "-", "--json", "--if-revision", revision, stdin=got)
            wrong = json.loads(refused.ends(NO).out)
            equal((wrong["error"], wrong["stored_revision"]), ("conflict", said["revision"]))
            equal("revision" in wrong, False)
            equal(parse(run("get", *place, "C1", "O1", "--json").out), ORDER)
    for wrong in ("4", 0, -1, 1.5, None, True, [1], 2**63):
        run("put", "--store", store, "-", stdin=dict(ORDER, revision=wrong)).ends(
            NO, "the number is too large" if wrong == 2**63 else "revision: must be a whole number")


@test
def json_in_the_documents(folder):
    """The examples are taken, and come back as they are printed."""
    text = (SOURCE / "src" / "cli" / "README.md").read_text("utf-8")
    order, customer = map(json.loads, re.findall(r"^```json\n(\{\n.*?)^```$", text, re.M | re.S)[:2])
    store = new_store(folder)
    run("put", "--store", store, "-", stdin=order).ends(DONE)
    run("customer", "put", "--store", store, "-", stdin=customer).ends(DONE)
    equal(parse(run("get", "--store", store, "VINET", "10248", "--json").ends(DONE).out), order)
    equal(parse(run("customer", "get", "--store", store, "VINET", "--json").ends(DONE).out), customer)
    # nothing that an order may have is missing in it
    wanted = run("put", "--store", store, "-", stdin={"x": 1}).ends(NO, "known here (order) are ").err
    known = re.search(r"known here \(order\) are (.*)", wanted).group(1).split(", ")
    equal(sorted(set(known) - set(order)), ["revision"])


@test
def put_says_as_much_as_wanted(folder):
    store = new_store(folder)
    lines = "\n".join(json.dumps(dict(ORDER, order_number=str(n))) for n in range(3))
    lines += "\n{\"customer\":{\"number\":\"C1\"}}\nbad\n"
    put = ["put", "--store", store, "-"]
    result = run(*put, stdin=lines).ends(NO, "4 stored, 1 refused", "standard input:5: ")
    equal(len(result.out.splitlines()), 5)
    result = run(*put, "--quiet", stdin=lines).ends(NO, "standard input:5: ")
    equal(result.out, "")
    said = [json.loads(line) for line in run(*put, "--json", stdin=lines).ends(NO).out.splitlines()]
    equal([(entry["line"], entry.get("order_number"), entry.get("number"), entry.get("error"))
           for entry in said],
          [(1, "0", None, None), (2, "1", None, None), (3, "2", None, None), (4, None, "C1", None),
           (5, None, None, "invalid")])
    equal([entry["revision"] > 0 for entry in said[:4]], [True] * 4)
    said = run(*put, "--json", "--quiet", stdin=lines).ends(NO).out
    equal(json.loads(said)["line"], 5)
    equal("stored, " in run(*put, stdin=ORDER).ends(DONE, "Stored order").out, False)
    run("customer", "put", "--store", store, "-", "--quiet", stdin={"number": "C9"}).ends(DONE)
    run("customer", "get", "C9", "--store", store, "--quiet").ends(USAGE, "--quiet goes with: put")


@test
def places_from_the_environment(folder):
    store = new_store(folder)
    run("put", "--store", store, "-", stdin=ORDER).ends(DONE)
    without = {key: value for key, value in os.environ.items() if not key.startswith("TALLORDER_")}
    here = {**without, "TALLORDER_STORE": store}
    run("get", "C1", "O1", env=here).ends(DONE, "Order O1")
    run("status", env=here).ends(DONE)
    nowhere = f"rocksdb:{folder}/none"
    run("get", "C1", "O1", "--store", nowhere, env=here).ends(FAILED, "none")
    path = f"{folder}/tallorder.conf"
    pathlib.Path(path).write_text(f"[tallorder]\nstore={nowhere}\n")
    run("get", "C1", "O1", "--config", path, env=here).ends(FAILED, "none")
    with Server(store) as server:
        there = {**without, "TALLORDER_SERVER": server.address}
        run("get", "C1", "O1", env=there).ends(DONE, "Order O1")
        run("get", "C1", "O1", "--server", server.address, env=here).ends(DONE, "Order O1")
        both = {**here, **there}
        run("get", "C1", "O1", env=both).ends(USAGE, "TALLORDER_STORE and TALLORDER_SERVER are both")
        run("get", "C1", "O1", "--server", server.address, env=both).ends(DONE, "Order O1")
        run("explain", "C1", "O1", env=there).ends(USAGE, "--store rocksdb:DIR")
    run("explain", "C1", "O1", env=both).ends(DONE)
    run("get", "C1", "O1", env={**without, "TALLORDER_STORE": ""}).ends(USAGE, "--store rocksdb:DIR")
    # these want it said each time
    run("drop", "--name", "tallorder", "--yes", "tallorder", env=here).ends(USAGE, "--store rocksdb")
    run("bench", "--floor", "--lines", "0", env=here).ends(USAGE)
    run("get", "C1", "O1", env=here).ends(DONE, "Order O1")
    run("init", "--layout", "wide", env={**without, "TALLORDER_STORE": nowhere}).ends(DONE, "wide")


@test
def suggestions(folder):
    for typed, meant in (("gett", "get"), ("lsit", "list"), ("staus", "status"), ("expo", "export"),
                         ("custmer", "customer"), ("bnech", "bench")):
        run(typed).ends(USAGE, f"no command “{typed}”. Did you mean: tallorder {meant}\n")
        run("help", typed).ends(USAGE, f"Did you mean: tallorder {meant}\n")
    for typed in ("fly", "x", "", "getgetget"):
        equal("mean" in run(typed).ends(USAGE, "tallorder help").err, False)
    for typed, meant in (("jason", "json"), ("stor", "store"), ("sever=h:1", "server"),
                         ("confg", "config")):
        run("get", "A", "B", f"--{typed}").ends(
            USAGE, f"no option --{typed.split('=')[0]}; did you mean --{meant}; see")
    for typed in ("loud", "zzz"):
        equal("mean" in run("get", "A", "B", f"--{typed}").ends(USAGE, f"--{typed}").err, False)
    # what another command has is not suggested, nor what comes after --
    run("delete", "A", "B", "--jason").ends(USAGE, "--jason")
    run("explain", "A", "B", "--sever=h:1").ends(USAGE, "--sever")
    path = f"{folder}/tallorder.conf"
    for group, text in (("laod", "such as [load]"), ("Tallorder", "[tallorder]"), ("x", "[x]")):
        pathlib.Path(path).write_text(f"[{group}]\njobs=2\n")
        run("status", "--config", path).ends(USAGE, path, "no such group", text)
    pathlib.Path(path).write_text("[load]\njobs=2\n[bench]\n")
    run("status", "--config", path).ends(USAGE, "--store")


def text_field(number, text):
    return b"\x0b" + struct.pack(">hi", number, len(text)) + text.encode()


@test
def status_of_servers_of_other_versions(folder):
    """A server from before calls were described, and one that says more than we know."""
    store = new_store(folder)
    with Server(store) as server:
        said = run("status", "--server", server.address).ends(
            DONE, "putOrder", "binary, compact", "reads up to").out
        equal("calls" in said, True)
        status = json.loads(run("status", "--server", server.address, "--json").ends(DONE).out)
        equal(["getOrders" in status["calls"], status["protocols"], status["newest_format"] >= 1],
              [True, ["binary", "compact"], True])
    status = json.loads(run("status", "--store", store, "--json").ends(DONE).out)
    equal(["calls" in status, status["newest_format"] >= status["format"]], [False, True])

    old = b"".join(text_field(n, t) for n, t in ((1, "shop"), (2, "blob"), (3, "raw"), (4, "hbase")))
    old += b"\x08\0\5" + struct.pack(">i", 1) + b"\x08\0\6" + struct.pack(">i", 1)
    old += b"\x02\0\7\0" + text_field(8, "0.0.1")
    new = old + b"\x0f\0\x0f\x0b" + struct.pack(">i", 1) + struct.pack(">i", 4) + b"take"
    new += text_field(99, "later")
    for description, calls in ((old, None), (new, ["take"])):
        answers = {"describe": b"\x0c\0\0" + description + b"\0\0", "ping": b"\0"}
        with FakeServer(lambda name, _, answers=answers: answers[name]) as server:
            status = json.loads(run("status", "--server", server.address, "--json").ends(DONE).out)
            equal((status["version"], status.get("calls")), ("0.0.1", calls))
            run("status", "--server", server.address).ends(DONE, "0.0.1")


@test
def help_of_a_part(folder):
    whole = run("customer", "--help").ends(DONE, "--orders", "--if-revision", "--quiet").out
    wanted = {"get": ["--json", "--orders", "--limit"], "put": ["--json", "--quiet"],
              "delete": ["--if-revision"], "list": ["--json", "--all"]}
    for part, options in wanted.items():
        said = run("customer", part, "--help").ends(
            DONE, f"tallorder customer {part} [OPTION...]", "Example:", "--store", "--server").out
        equal(run("help", "customer", part).ends(DONE).out, said)
        for option in ("--json", "--quiet", "--orders", "--if-revision"):
            equal(f"  {option}" in said, option in options)
    equal(run("customer", "fly", "--help").ends(DONE).out, whole)


@test
def config_file(folder):
    store = new_store(folder)
    path = f"{folder}/tallorder.conf"
    pathlib.Path(path).write_text(f"[tallorder]\nstore={store}\n[get]\njson=true\n"
                                  "[load]\nmap=northwind\njobs=2\n")
    run("put", "--config", path, "-", stdin=ORDER).ends(DONE)
    equal(parse(run("get", "--config", path, "C1", "O1").ends(DONE).out), ORDER)
    run("load", f"--config={path}", NORTHWIND / "orders.csv").ends(DONE, "830")
    run("load", "--config", path, "--map", "online-retail", RETAIL).ends(NO, "444")
    run("get", "--config", path, "--store", f"rocksdb:{folder}/none", "C1", "O1").ends(FAILED)
    run("status", "--config", path, "--server", f"127.0.0.1:{free_port()}").ends(FAILED)

    pathlib.Path(path).write_text("[tallorder]\nstor=x\n")
    run("status", "--config", path).ends(USAGE, path, "[tallorder] stor")
    pathlib.Path(path).write_text("[status]\ncolour=x\n")
    run("status", "--config", path).ends(USAGE, path, "[status] colour")
    # what cannot be understood is not as if it were not there
    for value in ("yes", "TRUE", "", "2"):
        pathlib.Path(path).write_text(f"[put]\nif-absent = {value}\n")
        run("put", "--config", path, "--store", store, "-", stdin=ORDER).ends(
            USAGE, path, "[put] if-absent: write true or false", f"“{value}”")
    pathlib.Path(path).write_text("[status]\njson = maybe\n")
    run("status", "--config", path, "--store", store).ends(USAGE, path, "[status] json")
    pathlib.Path(path).write_text("[tallorder]\nstore = rocksdb:a\\qb\n")
    run("status", "--config", path).ends(USAGE, path, "[tallorder] store: ")
    for value, code in (("true", NO), ("1", NO), ("false", DONE), ("0", DONE)):
        pathlib.Path(path).write_text(f"[put]\nif-absent = {value}\n")
        run("put", "--config", path, "--store", store, "-", stdin=ORDER).ends(code)
    run("status", "--config", f"{folder}/none.conf").ends(
        FAILED, "Configuration", "none.conf cannot be opened: No such file")
    run("status", "--config", folder).ends(FAILED, "cannot be read: Is a directory")


@test
def closed_descriptors(folder):
    """A file of the store never takes the number of standard output or error; what is to be printed to a
    closed output is missed."""
    store = new_store(folder)
    path = f"{folder}/order.json"
    pathlib.Path(path).write_text(json.dumps(ORDER), encoding="utf-8")
    for closed, code in (("<&-", DONE), (">&-", FAILED), ("2>&-", DONE), ("<&- >&- 2>&-", FAILED)):
        for command, due in ((["put", path], code), (["get", "C1", "O1"], code), (["get", "no", "no"], NO)):
            result = subprocess.run(["sh", "-c", f'"$@" {closed}', "sh", PROGRAM, *command, "--store", store],
                                    timeout=SECONDS, check=False, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.PIPE, text=True)
            equal((closed, command, result.returncode), (closed, command, due))
            if closed == ">&-" and due == FAILED:
                equal(result.stderr, "tallorder: Writing the output failed: Bad file descriptor\n")
        run("get", "--store", store, "C1", "O1").ends(DONE, "Order O1 of C1")


@test
def reader_that_stops(folder):
    """Nobody reads on: no message, and the exit code of a process that a broken pipe ended."""
    store = new_store(folder)
    run("load", "--store", store, "--map", "northwind", NORTHWIND / "orders.csv").ends(DONE)
    for command in (["help"], ["get", "VINET", "10248", "--store", store],
                    ["explain", "--all", "VINET", "10248", "--store", store],
                    ["export", "--store", store]):
        end, output = os.pipe()
        os.close(end)
        result = subprocess.run([PROGRAM, *command], stdout=output, stderr=subprocess.PIPE,
                                text=True, timeout=SECONDS, check=False)
        os.close(output)
        equal((command[0], result.returncode, result.stderr), (command[0], 141, ""))


# Cells that a get of ORDER's summary, header and first location reads.
PARTS = {"blob": [2, 3, 3], "record-type": [2, 5, 21], "normalized": [2, 5, 21], "denormalized": [2, 5, 22],
         "wide": [2, 5, 9]}


@test
def parts(folder):
    for layout in LAYOUTS:
        pathlib.Path(folder, layout).mkdir()
        store = new_store(f"{folder}/{layout}", layout, "raw")
        run("put", "--store", store, "-", stdin=ORDER).ends(DONE)
        with Server(store) as server:
            for place in (["--store", store + "?readonly=1"], ["--server", server.address]):
                get = ["get", *place, "C1", "O1", "--json", "--part"]
                header = {k: v for k, v in ORDER.items() if k != "shipping_locations"}
                equal(parse(run(*get, "header").ends(DONE).out), {"part": "header", **header})
                one = ORDER["shipping_locations"][1]
                equal(parse(run(*get, f"location[{one['number']}]").ends(DONE).out),
                      {"part": f"location[{one['number']}]", "shipping_locations": [one], **header})
                del header["attributes"]
                lines = sum(len(part.get("line_items", ())) for part in ORDER["shipping_locations"])
                summary = parse(run(*get, "summary").ends(DONE).out)
                equal({k: v for k, v in summary.items() if k != "total"},
                      {"part": "summary", "lines": lines, **header})
                run(*get, "location[77]").ends(NO, "C1", "no location 77")
                text = run("get", *place, "C1", "O1", "--part", "summary").ends(DONE, "only its summary").out
                equal(f"{lines} line" in text, True)
                for wrong in ("location", "location[0]", "location[1", "location[x]", "lines", "", "location[]"):
                    run(*get, wrong).ends(USAGE, "'location[N]'")
        for part in ("header", "summary", "location[1]"):
            text = run("get", "--store", store, "C1", "O1", "--json", "--part", part).ends(DONE).out
            for options in ([], ["--force"]):
                run("put", "--store", store, *options, "-", stdin=text).ends(NO, "only a part of an order")
            run("put", "--store", store, "-", stdin=json.dumps({"order": json.loads(text)})).ends(
                NO, "only a part of an order")
        one = json.loads(run("explain", "--store", store, "C1", "O1", "--json").ends(DONE).out)["explanations"][0]
        equal([one[f"get_{part}"]["cells_read"] for part in ("summary", "header", "location")], PARTS[layout])


# What a layout makes of ORDER under every key strategy: its tables and its rows.
SIZES = {"blob": ["1", "1"], "record-type": ["1", "5"], "normalized": ["3", "5"],
         "denormalized": ["1", "4"], "wide": ["1", "1"]}


@test
def explain(folder):
    store = new_store(folder, "record-type", "raw")
    run("put", "--store", store, "-", stdin=ORDER).ends(DONE)
    run("explain", "--store", store, "C1", "O1").ends(
        DONE, "layout record-type, key strategy raw", "5 rows, 1 table, ", "customer 433100",
        "order 4f3100", "location 00000001", "line 00000002", "item_number", "CALLS")
    run("explain", "--store", store, "C1", "O2").ends(NO, "O2")

    only = json.loads(run("explain", "--store", store, "C1", "O1", "--json").ends(DONE).out)
    equal((only["customer_number"], only["order_number"], len(only["explanations"])),
          ("C1", "O1", 1))
    one = only["explanations"][0]
    equal([one[k] for k in ("layout", "key_strategy", "stored", "n_tables", "n_rows")],
          ["record-type", "raw", True, 1, 5])
    equal((one["get"]["calls"], one["get"]["rows_read"], one["put"]["rows_written"] >= 5),
          (1, 5, True))
    equal(one["n_cells"], sum(len(row["cells"]) for row in one["rows"]))
    equal(one["n_bytes"], sum(row["bytes"] for row in one["rows"]))
    equal(["".join(part["hex"] for part in row["key_parts"]) for row in one["rows"]],
          [row["key"] for row in one["rows"]])
    equal({cell["timestamp"] for row in one["rows"] for cell in row["cells"]}, {one["revision"]})

    table = run("explain", "--store", store, "--all", "C1", "O1").ends(DONE).out.splitlines()
    equal(table[0].split()[:4], ["LAYOUT", "KEY", "TABLES", "ROWS"])
    equal([line.split()[:2] for line in table[1:]],
          [[layout, key] for layout in LAYOUTS for key in KEYS])
    equal([line.split()[:4] for line in table[1:] if line.split()[0] in SIZES],
          [[layout, key, *size] for layout, size in SIZES.items() for key in KEYS])
    equal([line.split()[:2] for line in table if "this deployment" in line],
          [["record-type", "raw"]])

    path = f"{folder}/order.json"
    pathlib.Path(path).write_text(json.dumps(ORDER))
    run("explain", path).ends(DONE, "layout blob, key strategy hashed", "tried in memory")
    run("explain", path, "--layout", "record-type", "--key", "raw").ends(DONE, "5 rows")
    every = json.loads(run("explain", "--all", "--json", path).ends(DONE).out)
    equal([(e["layout"], e["key_strategy"]) for e in every["explanations"]],
          [(layout, key) for layout in LAYOUTS for key in KEYS])
    pathlib.Path(path).write_text("{}")
    run("explain", path).ends(FAILED, f"{path}:1: ")
    pathlib.Path(path).write_text("")
    run("explain", path).ends(FAILED, f"{path} holds no order")
    pathlib.Path(path).write_text('{"customer": {"number": "C"}}')
    run("explain", path).ends(FAILED, f"{path} holds a customer")


VERSION = run("--version").out.split()[1]


def serve_and_stop(store, *options):
    """The lines that serve writes to its log."""
    process = subprocess.Popen(
        [PROGRAM, "serve", "--store", store, "--listen", "127.0.0.1:0", *map(str, options)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.readline()
    process.terminate()
    return process.communicate(timeout=SECONDS)[1].splitlines()


@test
def serve(folder):
    store = new_store(folder)
    for by in ("terminate", signal.SIGINT, signal.SIGHUP):
        with Server(store) as server:
            status = run("status", "--server", server.address, "--json").ends(DONE).out
            equal(("tables" in json.loads(status), json.loads(status)["layout"]), (False, "blob"))
            equal(server.stop(by=by), 0)
    run("serve", "--store", f"rocksdb:{folder}/none").ends(FAILED, "none")
    said = serve_and_stop(store, "--memory", 200, "--max-connections", 7)
    equal([line.split("tallorder", 1)[1] for line in said], [
        f"[info]: tallorder {VERSION} serves {store}: store rocksdb, deployment tallorder, "
        "layout blob, key strategy hashed, read and write",
        "[info]: limits: 7 connections, 4 from one address, 200 MiB for the calls in work",
        "[info]: stopped after 0 calls on 0 connections"])
    for host, warned in (("127.0.0.1", 0), ("localhost", 0), ("0.0.0.0", 1)):
        said = serve_and_stop(store, "--listen", f"{host}:0", *["--insecure"] * warned)
        equal(len([line for line in said if "[warning]: Other machines can reach" in line
                   and "nothing is encrypted" in line]), warned)
    for address in ("nowhere", "127.0.0.1:22x"):
        run("serve", "--store", store, "--listen", address).ends(USAGE, address)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        equal(run("serve", "--store", store, "--listen", address).ends(FAILED).err,
              f"tallorder: Cannot listen on {address}: another program listens there; stop it, or "
              "choose another port (0 takes a free one)\n")
    equal(run("serve", "--store", store, "--listen", "192.0.2.1:0").ends(FAILED).err,
          "tallorder: Cannot listen on 192.0.2.1:0: Cannot assign requested address; write an "
          "address of this machine, such as 127.0.0.1, or 0.0.0.0 for all of them\n")


@test
def serve_within_descriptors(folder):
    """The soft limit of descriptors is raised; what does not fit into the hard one is refused."""
    store = new_store(folder)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    run("serve", "--store", store, "--max-connections", 2000000000).ends(
        USAGE, "--max-connections 2000000000", f"may open {hard} files", "ulimit -n")

    def limit(hard):
        return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))

    run("serve", "--store", store, preexec_fn=limit(500)).ends(USAGE, "leaves 247 for connections")
    with Server(store, "--max-connections", "247", "--max-connections-per-address", "247",
                preexec_fn=limit(500)) as server:
        host, port = server.address.rsplit(":", 1)
        held = [socket.create_connection((host, int(port))) for _ in range(246)]
        run("put", "--server", server.address, "-", stdin=ORDER).ends(DONE)
        run("get", "--server", server.address, "C1", "O1").ends(DONE)
        for connection in held:
            connection.close()
        equal(server.stop(), 0)


@test
def serve_eight_clients(folder):
    store = new_store(folder, "record-type")
    results = []
    with Server(store) as server:
        def client(index):
            order = dict(ORDER, order_number=f"O{index}")
            results.append(run("put", "--server", server.address, "-", stdin=order).code)
        threads = [threading.Thread(target=client, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        equal(server.stop(), 0)
    equal(results, [0] * 8)
    for index in range(8):
        run("get", "--store", store, "C1", f"O{index}").ends(DONE)


@test
def flags_with_values(folder):
    """An option without a value refuses one, in every command."""
    store = new_store(folder)
    for value in ("yes", "no", "", "false"):
        run("verify", "--store", store, f"--repair={value}").ends(USAGE, "takes no value")
    run("get", "--store", store, "--json=no", "C1", "O1").ends(USAGE, "--json takes no value")
    run("get", "--store", store, "--", "--json=no", "O1").ends(NO)
    commands = re.findall(r"^  ([a-z]+)\*? +\S", run("help").out.split("Where")[0], re.M)
    flags = 0
    for command in commands:
        for name in re.findall(r"^  (?:-\w, )?--([a-z-]+) {2,}", run(command, "--help").out, re.M):
            run(command, f"--{name}=no").ends(USAGE, "takes no value" if name != "help" else "help")
            flags += 1
    equal(flags > 20, True)


if __name__ == "__main__":
    sys.exit(main())
