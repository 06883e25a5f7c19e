#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""A disk that fills: writes are refused with what to do, reads go on, nothing acknowledged is lost.

    full_disk.py rocksdb

It mounts small file systems that only it sees, so that they end with it, however it ends. Without
the right to mount, it skips itself.
"""

import contextlib
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

from support import PROGRAM, TAKES_ALL, Checks, run, serving

MIB = 1024 * 1024
FAILED = 3
SECONDS = 600
RECOVERY_SECONDS = 300  # RocksDB looks every 5 whether there is room again
ADVICE = "make room on the file system"
ALONE = "TALL_TEST_HAS_OWN_MOUNTS"
LAYOUTS = ["blob", "wide", "normalized"] if TAKES_ALL else ["normalized"]
MAPPING = """[order]
customer_number = CustomerID
order_number = OrderID
[line]
item_number = ProductID
price = UnitPrice
quantity = Quantity
"""


class NotAllowed(Exception):
    """This user may not mount a file system."""


def begin_alone():
    """Begins anew where what is mounted is seen by this test alone."""
    if ALONE in os.environ:
        return
    try:
        tried = subprocess.run(["unshare", "--mount", "true"], capture_output=True, text=True,
                               check=False)
    except OSError as why:
        raise NotAllowed(str(why)) from why
    if tried.returncode != 0:
        raise NotAllowed(tried.stderr.strip())
    os.execvpe("unshare", ["unshare", "--mount", sys.executable, *sys.argv],
               {**os.environ, ALONE: "1"})


@contextlib.contextmanager
def small_disk(mebibytes):
    """A folder that has so much room."""
    with tempfile.TemporaryDirectory() as folder:
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m", "tmpfs", folder],
                                 capture_output=True, text=True, check=False)
        if mounted.returncode != 0:
            raise NotAllowed(mounted.stderr.strip())
        try:
            yield pathlib.Path(folder)
        finally:
            subprocess.run(["umount", folder], check=True)


def order(number, n_lines=2000):
    lines = [{"number": n, "item_number": f"I{number}-{n * 7919 % 1000003}",
              "description": f"Thing {n} of {number}", "quantity": "1", "price": "2.50"}
             for n in range(1, n_lines + 1)]
    return {"customer_number": "C1", "order_number": f"O{number}",
            "sales_date": "2024-01-01T00:00:00.000Z",
            "shipping_locations": [{"number": 1, "line_items": lines}]}


def as_lines(orders):
    return "".join(json.dumps(o) + "\n" for o in orders)


def call(*arguments, data=""):
    return subprocess.run([str(PROGRAM), *map(str, arguments)], input=data, capture_output=True,
                          text=True, timeout=SECONDS, check=False)


def stored(where):
    """The orders that an export has, by number."""
    orders = (json.loads(line).get("order") for line in run("export", *where).splitlines())
    return {o["order_number"]: o for o in orders if o is not None}


def refuses(checks, what, result):
    checks.check(result.returncode == FAILED and ADVICE in result.stderr, what,
                 f"exit code {result.returncode}\n{result.stderr}")


def fill_by_orders(checks, layout):
    """Orders fill the disk: the first that has no room ends the put, and the store stays usable."""
    with small_disk(6) as disk:
        store = f"rocksdb:{disk}/shop"
        where = ["--store", store]
        run("init", *where, "--layout", layout)
        orders = [order(n) for n in range(80)]
        first = call("put", *where, "-", data=as_lines(orders))
        refuses(checks, f"{layout}: a put that fills the disk says so", first)
        acknowledged = set(re.findall(r"^Stored order (O[0-9]+) of", first.stdout, re.MULTILINE))
        found = stored(where)
        checks.check(0 < len(acknowledged) < len(orders)
                     and all(found.get(o["order_number"]) == o for o in orders
                             if o["order_number"] in acknowledged),
                     f"{layout}: what was acknowledged is stored", acknowledged)
        # Again and again, until not even one has room.
        for number in range(100, 140):
            last = call("put", *where, "-", data=as_lines([order(number)]))
            if last.returncode != 0:
                break
        refuses(checks, f"{layout}: so does each put after", last)
        for reading in (["status"], ["get", "C1", min(acknowledged)], ["list", "C1"]):
            result = call(reading[0], *where, *reading[1:])
            checks.check(result.returncode == 0, f"{layout}: {reading[0]} works", result.stderr)


def no_room_to_migrate(checks):
    """A migration that the store has no room for is refused before it begins, with room for the log."""
    with small_disk(24) as disk:
        where = ["--store", f"rocksdb:{disk}/shop"]
        run("init", *where, "--layout", "blob")
        run("put", *where, "-", input=as_lines(order(n) for n in range(8)))
        plan = json.loads(run("migrate", *where, "--to-layout", "normalized", "--pass-only",
                              "--json").splitlines()[0])["plan"]
        run("migrate", *where, "--abort")
        occupy(disk)
        other = disk / "other"
        free = plan["needed"] + MIB  # for the rows, and not for the log that they go through
        os.truncate(other, max(other.stat().st_size - free, 0))
        result = call("migrate", *where, "--to-layout", "normalized")
        checks.check(result.returncode == FAILED and "nothing has begun" in result.stderr,
                     "a migration without room for its log is refused at first", result)
        phase = json.loads(run("status", *where, "--json"))["phase"]
        checks.check(phase == "none", "and nothing has begun", phase)


def no_room_to_back_up(checks):
    """A backup and a restored store that have no room are said, and nothing of them stays."""
    with small_disk(1) as disk, tempfile.TemporaryDirectory() as folder:
        where = ["--store", f"rocksdb:{folder}/shop"]
        run("init", *where)
        run("put", *where, "-", input=as_lines(order(n) for n in range(30)))
        run("backup", *where, f"{folder}/backup")
        for name, *command in (("a backup", "backup", *where, f"{disk}/backup"),
                               ("a restored store", "restore", f"{folder}/backup", "--store",
                                f"rocksdb:{disk}/shop")):
            result = call(*command)
            checks.check(result.returncode == FAILED and "no room" in result.stderr,
                         f"{name} without room is refused", result)
            checks.check(os.listdir(disk) == [], f"{name} leaves nothing there", os.listdir(disk))


def mounted_read_only(checks):
    """Where nothing can be written, no store is made or opened, and it is said why."""
    with small_disk(8) as disk:
        run("init", "--store", f"rocksdb:{disk}/shop")
        os.mkdir(disk / "empty")
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        for command, name in (("status", "shop"), ("init", "empty"), ("init", "new")):
            result = call(command, "--store", f"rocksdb:{disk}/{name}")
            checks.check(result.returncode == FAILED and "mounted read-only" in result.stderr,
                         f"{command} of {name} on a file system mounted read-only is refused", result)


def occupy(disk):
    """Another program's file takes all that is left."""
    with open(disk / "other", "ab", buffering=0) as other:
        with contextlib.suppress(OSError):
            while other.write(b"x" * 4096):
                pass


def put_until_refused(disk, where, count):
    """A put on the full disk. What RocksDB tidies up meanwhile may leave room for some more."""
    for _ in range(30):
        occupy(disk)
        result = call("put", *where, "-", data=as_lines([order(count)]))
        if result.returncode != 0:
            break
        count += 1
    return count, result


def put_with_room(where, count):
    """A put as soon as RocksDB has seen that there is room: a write of it in the background may have
    failed before."""
    deadline = time.monotonic() + RECOVERY_SECONDS
    while True:
        result = call("put", *where, "-", data=as_lines([order(count)]))
        if result.returncode == 0 or time.monotonic() > deadline:
            return result
        time.sleep(0.1)


def fill_by_others(checks, layout):
    """Somebody else fills the disk under a server: it refuses writes until there is room again."""
    with small_disk(32) as disk:
        store = f"rocksdb:{disk}/shop"
        run("init", "--store", store, "--layout", layout)
        with serving(store) as server:
            where = ["--server", server.address]
            run("put", *where, "-", input=as_lines(order(n) for n in range(10)))
            count = 10
            for attempt in ("a put", "the next one"):
                count, result = put_until_refused(disk, where, count)
                checks.check(result.returncode == FAILED and result.stderr,
                             f"{layout}: {attempt} through a server is refused", result)
            checks.check(len(stored(where)) == count, f"{layout}: the server answers reads")
            os.truncate(disk / "other", 0)
            result = put_with_room(where, count)
            count += 1
            checks.check(result.returncode == 0 and len(stored(where)) == count,
                         f"{layout}: it writes soon after there is room", result)
            occupy(disk)
        closed_and_full(checks, layout, disk, ["--store", store], count)


def closed_and_full(checks, layout, disk, where, count):
    """A store whose log has no room to be moved to tables opens for reading."""
    checks.check(len(stored(where)) == count, f"{layout}: a store on a full disk can be exported")
    count, result = put_until_refused(disk, where, count)
    refuses(checks, f"{layout}: and refuses a put", result)
    refuses(checks, f"{layout}: and a delete", call("delete", *where, "C1", "O1"))
    refuses(checks, f"{layout}: a new store there is refused",
            call("init", "--store", f"rocksdb:{disk}/new", "--layout", layout))
    with serving(where[1]) as server:
        checks.check(len(stored(["--server", server.address])) == count,
                     f"{layout}: a server on a full disk answers reads")
        second = call("get", *where, "C1", "O1")
        checks.check(second.returncode == FAILED and "another process" in second.stderr,
                     f"{layout}: and keeps others out of its directory", second.stderr)
    os.truncate(disk / "other", 0)
    run("delete", *where, "C1", "O1")
    checks.check(len(stored(where)) == count - 1, f"{layout}: with room again it can be written")


def fill_by_loads(checks):
    """Several tables whose log is being moved when the disk is full: each load ends, though threads
    of RocksDB may wait for each other for ever."""
    columns = "CustomerID,OrderID,ProductID,UnitPrice,Quantity"
    lines = [f"C{n % 2000},{n},{line},14,12" for n in range(20000) for line in range(3)]
    with small_disk(40) as disk, tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "map").write_text(MAPPING, "utf-8")
        pathlib.Path(folder, "orders.csv").write_text("\n".join([columns, *lines]), "utf-8")
        where = ["--store", f"rocksdb:{disk}/shop"]
        run("init", *where, "--layout", "record-type")
        (disk / "other").write_bytes(b"x" * 34 * MIB)
        for attempt in ("a load", "the next one", "the third"):
            result = call("load", *where, "--map", f"{folder}/map", f"{folder}/orders.csv")
            said = ADVICE in result.stderr or "No space left on device" in result.stderr
            checks.check(result.returncode == FAILED and said,
                         f"record-type: {attempt} that fills the disk ends", result)
        os.truncate(disk / "other", 0)
        verified = call("verify", *where, "--repair")
        checks.check(verified.returncode < FAILED, "record-type: with room again all is put in order",
                     verified.stdout + verified.stderr)


def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (MIB, MIB))


def limited_files(checks):
    """A file that may not grow (ulimit -f) fails a write; it does not end the program."""
    with tempfile.TemporaryDirectory() as folder:
        where = ["--store", f"rocksdb:{folder}/shop"]
        run("init", *where)
        orders = [order(n) for n in range(20)]
        put = subprocess.run([str(PROGRAM), "put", *where, "-"], input=as_lines(orders),
                             capture_output=True, text=True, timeout=SECONDS, check=False,
                             preexec_fn=limit_files)
        checks.check(put.returncode == FAILED and "File too large" in put.stderr,
                     "a put that reaches the limit of files says so", put)
        acknowledged = set(re.findall(r"^Stored order (O[0-9]+) of", put.stdout, re.MULTILINE))
        checks.check(0 < len(acknowledged) < len(orders) and acknowledged <= set(stored(where)),
                     "what was acknowledged before the limit is stored", acknowledged)
        with open(f"{folder}/shop.jsonl", "wb") as output:
            export = subprocess.run([str(PROGRAM), "export", *where], stdout=output,
                                    stderr=subprocess.PIPE, text=True, timeout=SECONDS, check=False,
                                    preexec_fn=limit_files)
        checks.check(export.returncode == FAILED and "File too large" in export.stderr,
                     "an export that reaches it says so", export)


def main():
    if sys.argv[1:] != ["rocksdb"]:
        sys.exit(__doc__)
    checks = Checks()
    try:
        begin_alone()
        limited_files(checks)
        fill_by_loads(checks)
        no_room_to_migrate(checks)
        no_room_to_back_up(checks)
        mounted_read_only(checks)
        for layout in LAYOUTS:
            fill_by_orders(checks, layout)
            fill_by_others(checks, layout)
    except NotAllowed as why:
        checks.skip(f"no file system can be mounted here: {why}")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
