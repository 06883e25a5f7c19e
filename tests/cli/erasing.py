# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Erases a customer like a user. Speaks TAP.

    erasing.py TALLORDER SOURCE_ROOT
"""

import json
import os
import pathlib
import pty
import subprocess

from support import DONE, LAYOUTS, NO, NORTHWIND, PROGRAM, SECONDS, USAGE, Server, equal, main, \
    new_store, run, test

# What orders and record of VINET say, and nobody else's.
TEXTS = [b"VINET", b"Vins et alcools", b"59 rue de l", b"26.47.15.10", b"Paul Henriot"]


def filled(folder, layout="record-type", key="hashed"):
    store = new_store(folder, layout, key)
    run("load", "--store", store, "--map", "northwind", NORTHWIND / "orders.csv").ends(DONE)
    run("load", "--store", store, "--map", "northwind-customers", NORTHWIND / "customers.csv").ends(DONE)
    run("delete", "--store", store, "VINET", "10248").ends(DONE)
    return store


def files_with(folder):
    return sorted(file.name for file in pathlib.Path(folder, "store").iterdir()
                  if file.is_file() and any(text in file.read_bytes() for text in TEXTS))


@test
def nothing_is_left_in_files(folder):
    for number, layout in enumerate(LAYOUTS):
        pathlib.Path(folder, layout).mkdir()
        store = filled(f"{folder}/{layout}", layout, ["hashed", "numeric"][number % 2])
        equal(files_with(f"{folder}/{layout}") != [], True)
        said = json.loads(run("customer", "erase", "--store", store, "VINET", "--yes", "VINET", "--compact",
                              "--json").ends(DONE).out)
        equal((said["customer_number"], said["orders"], said["customers"], said["marks"]),
              ("VINET", 4, 1, 6))
        equal(any("MANIFEST" in text for text in said["left"]), True)
        run("get", "--store", store, "VINET", "10274").ends(NO, "no such order")
        equal(files_with(f"{folder}/{layout}"), [])
        summary = json.loads(run("verify", "--store", store, "--json").ends(DONE).out)["summary"]
        equal((summary["orders"], summary["findings"], summary["hints"]), (830, 0, 1650))
        run("get", "--store", store, "HANAR", "10250").ends(DONE, "Hanari Carnes")


@test
def it_asks(folder):
    store = filled(folder)
    run("customer", "erase", "--store", store, "VINET").ends(USAGE, "Not on a terminal: add --yes VINET")
    run("customer", "erase", "--store", store, "VINET", "--yes", "HANAR").ends(
        USAGE, "the number of the customer differ (HANAR, VINET); nothing is removed")
    run("customer", "delete", "--store", store, "VINET", "--yes", "VINET").ends(
        USAGE, "--compact and --yes go with: erase")
    run("customer", "erase", "--store", store).ends(USAGE, "erase NUMBER")
    for answer, code, text in (("HANAR\n", NO, "another one"), ("VINET\n", DONE, "Erased customer VINET")):
        leader, follower = pty.openpty()
        with subprocess.Popen([PROGRAM, "customer", "erase", "--store", store, "VINET"], stdin=follower,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            os.write(leader, answer.encode())
            said = process.communicate(timeout=SECONDS)[0]
        os.close(leader)
        os.close(follower)
        equal((process.returncode, text in said, "with all orders, for ever" in said), (code, True, True))


@test
def again_and_unknown(folder):
    store = filled(folder)
    erase = ("customer", "erase", "--store", store)
    run(*erase, "nobody", "--yes", "nobody").ends(NO, "Erasing customer nobody", "no such customer")
    run(*erase, "VINET", "--yes", "VINET").ends(
        DONE, "Erased customer VINET: 4 orders, its record, the numbers in 6 marks",
        "erasing with --compact", "Backups")
    run(*erase, "VINET", "--yes", "VINET").ends(DONE, "0 orders, no record, the numbers in 0 marks")
    run(*erase, "VINET", "--yes", "VINET", "--compact").ends(DONE, "0 orders, no record, the numbers in 0 marks")
    run("get", "--store", store, "VINET", "10274").ends(NO)  # opening it begins a MANIFEST
    equal(files_with(folder), [])
    order = {"customer_number": "VINET", "order_number": "10248"}
    run("put", "--store", store, "-", stdin=order).ends(DONE)
    run("get", "--store", store, "VINET", "10248").ends(DONE)


@test
def migrations(folder):
    """While one is under way nothing is erased; what it leaves is named; it takes no mark along."""
    store = filled(folder)
    run("migrate", "--store", store, "--to-layout", "blob", "--pass-only").ends(DONE)
    run("customer", "erase", "--store", store, "VINET", "--yes", "VINET").ends(
        NO, "a migration is under way")
    run("get", "--store", store, "VINET", "10274").ends(DONE)
    run("migrate", "--store", store, "--to-layout", "blob").ends(DONE)
    run("customer", "erase", "--store", store, "VINET", "--yes", "VINET").ends(
        DONE, "tables that a migration has left still have all of it")
    run("migrate", "--store", store, "--drop-source").ends(DONE)
    run("migrate", "--store", store, "--to-layout", "wide", "--to-key", "raw").ends(DONE)
    run("verify", "--store", store).ends(DONE, "Verified 825 orders, 90 customers", "sound")


@test
def through_a_server(folder):
    """It waits for what is under way; stopped meanwhile, it has deleted, and is begun again."""
    store = filled(folder)
    with Server(store) as server:
        run("customer", "erase", "--server", server.address, "nobody", "--yes", "nobody").ends(
            NO, "no such customer")
        with subprocess.Popen([PROGRAM, "customer", "erase", "--server", server.address, "VINET", "--yes",
                               "VINET"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as erase:
            while run("get", "--server", server.address, "VINET", "10274").code == DONE:
                pass
            erase.terminate()
            said = erase.communicate(timeout=SECONDS)[1]
        equal(erase.returncode == DONE or "not all is erased; begin again" in said, True)
        said = json.loads(run("customer", "erase", "--server", server.address, "HANAR", "--yes", "HANAR",
                              "--json").ends(DONE).out)
        equal((said["orders"], said["customers"], said["marks"]), (14, 1, 15))
    run("customer", "erase", "--store", store, "VINET", "--yes", "VINET").ends(
        DONE, "0 orders, no record, the numbers in")
    run("verify", "--store", store).ends(DONE, "sound")


main()
