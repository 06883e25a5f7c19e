# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""What newcomers read, and the mistakes that they make first."""

import csv
import json
import os
import pathlib
import re
import subprocess

from support import (
    PROGRAM, SOURCE, DONE, NO, USAGE, FAILED, ORDER, test, run, equal, new_store, main,
)


def names_in_help():
    said = run("help").ends(DONE).out
    return set(re.findall(r"^  (\w+) +\*? ", said.split("Commands")[1].split("Where the")[0], re.M))


@test
def commands_are_listed(_):
    """Help has each command that is listed, and so has the README."""
    declared = re.findall(r"^  X \((\w+)\)",
                          (SOURCE / "src/cli/command.h").read_text("utf-8"), re.M)
    equal(names_in_help(), set(declared))
    table = (SOURCE / "README.md").read_text("utf-8").split("## Commands")[1].split("tallorder COMMAND")[0]
    firsts = re.findall(r"^\| (`.*?) \|", table, re.M)
    equal({name for first in firsts for name in re.findall(r"`(\w+)", first)}, set(declared))


@test
def drop_by_the_address(folder):
    store = new_store(folder)
    run("init", "--store", f"{store}?name=a").ends(DONE)
    run("drop", "--store", store, "--yes", "a").ends(
        USAGE, "Say which deployment: --name N, or ?name=N")
    run("drop", "--yes", "a").ends(USAGE, "Say which deployment")
    run("drop", "--store", "rocksdb:", "--yes", "a").ends(USAGE, "rocksdb:")
    run("drop", "--store", f"{store}?name=a").ends(USAGE, "Not on a terminal: add --yes a")
    run("drop", "--store", f"{store}?name=a", "--yes", "b").ends(
        USAGE, "--yes and the name of the deployment differ (b, a); nothing is removed")
    run("drop", "--store", f"{store}?name=a", "--name", "b", "--yes", "b").ends(USAGE, "deployment a")
    run("drop", "--store", f"{store}?name=a", "--yes", "a").ends(DONE, "Removed the deployment a")
    run("status", "--store", f"{store}?name=a").ends(FAILED)
    run("status", "--store", store).ends(DONE)


@test
def stores_are_private(folder):
    old = os.umask(0)
    try:
        store = new_store(folder)
    finally:
        os.umask(old)
    path = pathlib.Path(store.removeprefix("rocksdb:"))
    equal(path.stat().st_mode & 0o777, 0o700)
    equal({file.stat().st_mode & 0o777 for file in path.iterdir()}, {0o600})


@test
def listings_are_not_put(folder):
    """None of its orders is stored, though each line but the last ends with a comma."""
    store, new = new_store(folder), f"rocksdb:{folder}/new"
    run("init", "--store", new).ends(DONE)
    for number in ("O1", "O2", "O3"):
        run("put", "--store", store, "-", stdin={**ORDER, "order_number": number}).ends(DONE)
    only_orders = run("customer", "get", "--store", store, "C1", "--orders", "--json").ends(DONE).out
    run("customer", "put", "--store", store, "-", stdin='{"number":"C1","name":"a \\"orders\\":["}').ends(
        DONE)
    listings = [run("customer", "get", "--store", store, "C1", "--orders", "--json", *more).ends(DONE).out
                for more in ([], ["--limit", "1"], ["--all"])]
    listings += [only_orders, run("list", "--store", store, "C1", "--json").ends(DONE).out,
                 run("customer", "list", "--store", store, "--json").ends(DONE).out]
    listings += [listing.replace("\n", "") for listing in listings]
    listings += ["\n" + listings[0].replace("{", "\n{\n").replace(":", " : \n"),
                 '{"next_page":"x","orders":[\n' + only_orders.split("\n", 1)[1]]
    for listing in listings:
        for command in (["put"], ["customer", "put"]):
            said = run(*command, "--store", new, "-", stdin=listing).ends(
                NO, "standard input:", ": this is a listing", "tallorder export")
            equal(said.err.count("\n"), 1)
    equal(run("export", "--store", new).ends(DONE).out, "")
    # the word elsewhere makes no listing
    run("put", "--store", new, "-", stdin={**ORDER, "attributes": {"orders": "[", "customers": "x"}}
        ).ends(DONE)
    run("customer", "put", "--store", new, "-",
        stdin='{"number":"C1","name":"\\"orders\\":[","attributes":{"x":"{"}}').ends(DONE)


@test
def damage_names_what_can_be_had(folder):
    """A damaged file hides what lies in it, and each list says so."""
    store = new_store(folder, "blob")
    path = pathlib.Path(store.removeprefix("rocksdb:"))
    settings = set(path.glob("*.sst"))
    run("put", "--store", store, "-", stdin=ORDER).ends(DONE)
    run("customer", "put", "--store", store, "-", stdin='{"number":"C1"}').ends(DONE)
    run("status", "--store", store).ends(DONE)  # what opens the store writes its log into tables
    for table in set(path.glob("*.sst")) - settings:
        content = bytearray(table.read_bytes())
        content[8] ^= 0xff
        table.write_bytes(content)
    for command in (["export"], ["customer", "list"]):
        said = run(*command, "--store", store).ends(FAILED, ": Scanning its first rows: ").err
        equal(", row :" in said, False)
        for table in ("customers", "orders"):
            if not re.search(rf"Rows of table {table} from the first to \S{{1,200}}, and whom they name: Table {table}: ", said):
                raise AssertionError(said)


@test
def damage_hides_what_it_hits(folder):
    """A damaged block of a file keeps the orders before and behind it neither from export nor from erase."""
    for layout in ("blob", "record-type"):
        store = f"rocksdb:{folder}/{layout}"
        run("init", "--store", store, "--layout", layout).ends(DONE)
        path = pathlib.Path(store.removeprefix("rocksdb:"))
        settings = set(path.glob("*.sst"))
        numbers = [str(number) for number in range(1000, 1200)]
        run("put", "--store", store, "--quiet", "-", stdin="\n".join(json.dumps(
            {**ORDER, "customer_number": "C1", "order_number": number,
             "attributes": {"note": os.urandom(200).hex()}}) for number in numbers)).ends(DONE)
        run("status", "--store", store).ends(DONE)  # what opens the store writes its log into tables
        table = max(set(path.glob("*.sst")) - settings, key=lambda file: file.stat().st_size)
        content = bytearray(table.read_bytes())
        content[len(content) // 2] ^= 0xff
        table.write_bytes(content)
        found = [json.loads(line)["order"]["order_number"] for line in
                 run("export", "--store", store).ends(FAILED, "Not exported: ").out.splitlines()]
        equal(len(found), len(set(found)))
        equal(set(found) <= set(numbers) and 150 < len(found) < 200, True)
        paged, token = [], []
        while token is not None:
            page = json.loads(run("customer", "get", "C1", "--orders", "--store", store, "--limit=40", "--json", *token).out)
            paged += [order["order_number"] for order in page["orders"]]
            token = [f"--page={page['next_page']}"] if "next_page" in page else None
        equal(paged, found)
        run("customer", "erase", "--store", store, "--yes=C1", "C1").ends(FAILED, "all else is erased")
        for number in found:
            run("get", "--store", store, "C1", number).ends(NO)


@test
def rejects_are_loaded_again(folder):
    """A reject file is not data; its rows are loaded again as they were, byte by byte."""
    store, here = new_store(folder), pathlib.Path(folder)
    (here / "m.map").write_text("[order]\ncustomer_number=C\norder_number=O\n"
                                "attribute.note=N\n[line]\nquantity=Q\n")
    rows = [b'A,1,one,"say ""hi"",\n\xc3\xbc"', b"B,2,x," + b"n" * 200000, b"C,3,z\xff,n", b"D,4,\"open"]
    (here / "orders.csv").write_bytes(b"C,O,Q,N\n" + b"\n".join(rows) + b"\n")
    load = ["load", "--store", store, "--map", here / "m.map"]
    run(*load, "--rejects", here / "bad.csv", here / "orders.csv").ends(NO, "4 rejected")
    for delimiter in ("comma", "semicolon"):
        (here / "d.map").write_text(f"[mapping]\ndelimiter={delimiter}\n" + (here / "m.map").read_text())
        run("load", "--store", store, "--map", here / "d.map", here / "bad.csv").ends(
            FAILED, "/bad.csv is the reject file of a load", "--retry-rejects")
    run(*load, "--retry-rejects", here / "bad.csv", "--rejects", here / "again.csv").ends(NO, "4 rejected")
    csv.field_size_limit(10 ** 9)
    for name in ("bad.csv", "again.csv"):
        with open(here / name, newline="", encoding="latin-1") as file:
            header, *found = [row["row"].encode("latin-1") for row in csv.DictReader(file)]
        equal((header, sorted(found)), (b"C,O,Q,N", sorted(rows)))
    # a file of its own that has such columns, too, is data
    (here / "own.csv").write_text('"line","column","reason","row","O"\n1,2,3,4,5\n')
    (here / "own.map").write_text("[order]\ncustomer_number=line\norder_number=O\n")
    run("load", "--store", store, "--map", here / "own.map", here / "own.csv").ends(DONE)


@test
def another_delimiter(folder):
    store, here = new_store(folder), pathlib.Path(folder)
    delimiters = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}
    for name, sign in delimiters.items():
        (here / "o.csv").write_text(sign.join("COX") + "\n")
        for other in delimiters:
            (here / "m.map").write_text(f"[mapping]\ndelimiter={other}\n"
                                        "[order]\ncustomer_number=C\norder_number=N\n")
            said = run("load", "--store", store, "--map", here / "m.map", here / "o.csv").ends(USAGE).err
            equal(f"Is the delimiter a {name}? Set delimiter = {name} in [mapping]" in said, name != other)
            equal("Is the" in said, name != other)


@test
def plain_words(folder):
    store = new_store(folder)
    without = {name: value for name, value in os.environ.items() if not name.startswith("TALLORDER")}
    run("get", "A", "B", env=without).ends(
        USAGE, "--server HOST:PORT; or set TALLORDER_STORE or TALLORDER_SERVER;")
    run("explain", "A", "B", env=without).ends(USAGE, "rocksdb:DIR; or set TALLORDER_STORE;")
    equal("TALLORDER" in run("drop", "--name", "a", "--yes", "a", env=without).ends(USAGE).err, False)
    run("version").ends(USAGE, "Did you mean: tallorder --version\n")
    run("put", "--store", store, "-").ends(FAILED, "tallorder: Standard input holds no JSON object\n")
    run("init", "--store", store).ends(FAILED, "or choose another name with ?name=N")
    pathlib.Path(folder, "file").touch()
    run("drop", "--store", store).ends(USAGE, "`tallorder status --all` lists them")
    run("explain", "--store", store, "VINET").ends(FAILED, "one argument explain reads a file, and VINET")
    pathlib.Path(folder, "bare.conf").write_text(f"store={store}\n")
    run("list", "--config", f"{folder}/bare.conf", "A").ends(USAGE, "bare.conf", "begin with [tallorder]")
    run("status", "--store", f"rocksdb:{folder}/.").ends(FAILED, f"({folder}/.: it has ")
    run("get", "--store", f"rocksdb:{folder}/file", "A", "B").ends(
        FAILED, "This is a file; give a directory: that of a store, or a new one for `tallorder init` ("
        f"{folder}/file)")
    for part, words in (("get", "for programs"), ("put", "nothing about what is stored"),
                        ("list", "all pages"), ("delete", "only if exactly")):
        said = run("customer", part, "--help").ends(DONE, words).out
        equal(re.findall(r"--[a-z-]+.*  (?:get|put|list|delete)[,:].*", said), [])
    run("customer", "--help").ends(DONE, "get, put, list, erase: for programs")


@test
def help_of_the_installer(_):
    tool = SOURCE / "tools" / "install-packages"
    (named,) = re.findall(r"In Python, with\n?Debian's (.*?) \(", (SOURCE / "README.md").read_text("utf-8"))
    packages = re.findall(r"`([^`]+)`", named)
    installed = set(re.findall(r"[^\s\"]+", tool.read_text("utf-8")))
    equal((len(packages), set(packages) - installed), (3, set()))
    for words, code in ((["--help"], 0), (["build", "-h"], 0), ([], 2)):
        done = subprocess.run([tool, *words], capture_output=True, text=True, check=False)
        said = done.stderr if code else done.stdout
        equal([done.returncode, "tools/install-packages TASK" in said, "  hbase " in said],
              [code, True, True])


if __name__ == "__main__":
    raise SystemExit(main())
