# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Embedded stores that are opened to be read only: `?readonly=1`. Speaks TAP.

    readonly.py TALLORDER SOURCE_ROOT
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess

from support import (DONE, FAILED, LAYOUTS, NORTHWIND, PROGRAM, SECONDS, Server, equal, main, new_store, run, test)

NOBODY = 65534
REFUSED = "open for reading only. Its address has `?readonly=1`: leave that out to write"
READERS = (("list", "VINET"), ("get", "VINET", "10248"), ("export",), ("status",), ("status", "--all"),
           ("verify",), ("explain", "VINET", "10248"))


def reading(store):
    return "--store", f"{store}{'&' if '?' in store else '?'}readonly=1"


def filled(folder, layout="record-type"):
    os.makedirs(folder, exist_ok=True)
    store = new_store(folder, layout)
    run("load", "--store", store, "--map", "northwind", NORTHWIND / "orders.csv").ends(DONE)
    return store


def directory(store):
    return pathlib.Path(store.removeprefix("rocksdb:").partition("?")[0])


def state(folder):
    """All that changes in a directory if somebody writes to it."""
    return sorted((path.name, path.stat().st_ino, path.stat().st_size, path.stat().st_mtime_ns)
                  for path in [folder, *folder.iterdir()])


def lines_of(*place):
    return sorted(run("export", *place).ends(DONE).out.splitlines())


@test
def reads_all_and_changes_nothing(folder):
    for layout in LAYOUTS:
        store = filled(f"{folder}/{layout}", layout)
        kept = lines_of("--store", store)
        before = state(directory(store))
        for reader in READERS:
            run(*reader, *reading(store)).ends(DONE)
        equal(lines_of(*reading(store)), kept)
        equal(state(directory(store)), before)
        status = json.loads(run("status", *reading(store), "--json").ends(DONE).out)
        equal(status["read_only"], True)


@test
def writes_are_refused(folder):
    store = filled(folder)
    kept, before = lines_of("--store", store), state(directory(store))
    order = run("get", "--store", store, "VINET", "10248", "--json").ends(DONE).out
    before = state(directory(store))
    place = reading(store)
    changed = json.dumps({**json.loads(order), "currency": "EUR"})
    run("put", *place, "-", stdin=changed).ends(FAILED, REFUSED)
    run("delete", *place, "VINET", "10248").ends(FAILED, REFUSED)
    run("customer", "put", *place, "-", stdin=json.dumps({"number": "C"})).ends(FAILED, REFUSED)
    new = pathlib.Path(folder, "new.csv")
    new.write_text((NORTHWIND / "orders.csv").read_text().replace("VINET", "OTHER"))
    run("load", *place, "--map", "northwind", new).ends(FAILED, REFUSED)
    run("init", "--store", f"{store}?name=other&readonly=1").ends(FAILED, REFUSED)
    run("migrate", *place, "--to-layout", "blob").ends(FAILED, REFUSED)
    run("drop", *place, "--name", "tallorder", "--yes", "tallorder").ends(FAILED, REFUSED)
    run("backup", *place, f"{folder}/backup").ends(FAILED, REFUSED)
    equal(state(directory(store)), before)
    equal(lines_of("--store", store), kept)


@test
def nothing_is_made(folder):
    run("init", *reading(f"rocksdb:{folder}/none")).ends(FAILED, "no store")
    run("list", *reading(f"rocksdb:{folder}/none"), "C").ends(FAILED, "no store")
    os.mkdir(f"{folder}/empty")
    run("list", *reading(f"rocksdb:{folder}/empty"), "C").ends(FAILED, "no store")
    equal(os.listdir(f"{folder}/empty"), [])
    equal(sorted(os.listdir(folder)), ["empty"])


@test
def beside_a_process_that_writes(folder):
    """What was acknowledged before is there, whatever the writer moves and removes meanwhile."""
    store = new_store(folder, "normalized")
    with Server(store) as server:
        for number in range(40):
            order = {"customer_number": "C", "order_number": f"{number}", "attributes": {"a": "x" * 200000}}
            run("put", "--server", server.address, "-", stdin=json.dumps({"order": order})).ends(DONE)
            equal(len(lines_of(*reading(store))), number + 1)
        run("verify", *reading(store)).ends(DONE, "sound")
        run("list", "--store", store, "C").ends(FAILED, "another process has it open")
        equal(server.stop(), DONE)


@test
def beside_a_load(folder):
    """Its log is moved to tables, and its tables are compacted, under those who open the store."""
    store = new_store(folder, "record-type")
    rows = pathlib.Path(folder, "rows.csv")
    text = (NORTHWIND / "orders.csv").read_text().splitlines()
    rows.write_text("\n".join([text[0], *(line.replace(",", f"-{n},", 1) for n in range(60) for line in text[1:])]))
    load = subprocess.Popen([PROGRAM, "load", "--store", store, "--map", "northwind", "--quiet", rows],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    seen = [0]
    while load.poll() is None:
        seen.append(len(run("export", *reading(store)).ends(DONE).out.splitlines()))
    equal((load.communicate()[0], load.returncode), (b"", DONE))
    equal(seen, sorted(seen))
    equal(len(lines_of(*reading(store))), len(lines_of("--store", store)))


@test
def of_one_moment(folder):
    """Also when the writer has removed most of its files since."""
    store = new_store(folder, "normalized")
    text = (NORTHWIND / "orders.csv").read_text().splitlines()
    rows = pathlib.Path(folder, "rows.csv")

    def load(n):
        rows.write_text("\n".join([text[0], *(line.replace(",", f"-{n},", 1) for line in text[1:])]))
        run("load", "--store", store, "--map", "northwind", "--quiet", rows).ends(DONE)

    for n in range(4):
        load(n)
    before = lines_of(*reading(store))
    with Server(reading(store)[1]) as server:
        tables = set(directory(store).glob("*.sst"))
        while len(tables & set(directory(store).glob("*.sst"))) > len(tables) / 4:
            n += 1
            load(n)
        equal(lines_of("--server", server.address), before)
        equal(server.stop(), DONE)


@test
def after_a_kill(folder):
    store = filled(folder)
    with Server(store) as server:
        run("delete", "--server", server.address, "VINET", "10248").ends(DONE)
        server.stop(signal.SIGKILL)
    before = state(directory(store))
    kept = lines_of(*reading(store))
    equal(state(directory(store)), before)
    equal(kept, lines_of("--store", store))


@test
def a_copy_of_links(folder):
    """Its files are those of the store, which is opened afterwards as if nothing had been."""
    store = filled(f"{folder}/store")
    kept = lines_of("--store", store)
    before = state(directory(store))
    shutil.copytree(directory(store), f"{folder}/copy", copy_function=os.link)
    equal(lines_of(*reading(f"rocksdb:{folder}/copy")), kept)
    equal(state(directory(store)), before)
    equal(lines_of("--store", store), kept)


@test
def a_backup(folder):
    store = filled(f"{folder}/store")
    run("backup", "--store", store, f"{folder}/backup").ends(DONE)
    before = state(pathlib.Path(folder, "backup"))
    run("export", "--store", f"rocksdb:{folder}/backup").ends(FAILED, "This is a backup", "?readonly=1")
    equal(lines_of(*reading(f"rocksdb:{folder}/backup")), lines_of("--store", store))
    equal(state(pathlib.Path(folder, "backup")), before)
    run("restore", f"{folder}/backup", "--store", f"rocksdb:{folder}/restored").ends(DONE)


@test
def by_a_user_who_may_not_write(folder):
    if os.getuid() != 0:
        return
    store = filled(folder)
    for path in [*pathlib.Path(folder).rglob("*"), pathlib.Path(folder)]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    before = state(directory(store))
    refused = run("list", "--store", store, "VINET", user=NOBODY, group=NOBODY, extra_groups=[])
    refused.ends(FAILED, "can not be written by this user", "?readonly=1")
    equal(run("list", *reading(store), "VINET", user=NOBODY, group=NOBODY, extra_groups=[]).ends(DONE).out,
          run("list", *reading(store), "VINET").ends(DONE).out)
    equal(state(directory(store)), before)


@test
def a_damaged_one(folder):
    """Nobody writes to it, so it is checked as any other."""
    store = filled(folder)
    with Server(store) as server:
        run("delete", "--server", server.address, "VINET", "10248").ends(DONE)
        server.stop(signal.SIGKILL)
    log = max(directory(store).glob("*.log"), key=lambda path: path.stat().st_size)
    with open(log, "r+b") as file:
        file.truncate(log.stat().st_size - 20)
    run("list", *reading(store), "VINET").ends(FAILED, "acknowledged")


@test
def is_served(folder):
    """By several at once, each of which refuses to write."""
    store = filled(folder)
    address = reading(store)[1]
    with Server(address) as one, Server(address) as other:
        for server in (one, other):
            run("get", "--server", server.address, "VINET", "10248").ends(DONE)
            run("delete", "--server", server.address, "VINET", "10248").ends(FAILED, REFUSED)
            equal(server.stop(), DONE)


main()
