# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Backups of embedded stores, and stores of backups. Speaks TAP.

    backup.py TALLORDER SOURCE_ROOT
"""

import fcntl
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

from support import (DONE, FAILED, LAYOUTS, NO, NORTHWIND, PROGRAM, SECONDS, USAGE, Server, equal, main, new_store,
                     run, test)

PLACES = ("/dev/shm", "/tmp", "/var/tmp")
SUM = "\n# sum of all above: "


def line_of(customer, order, **more):
    return json.dumps({"order": {"customer_number": customer, "order_number": str(order), **more}})


def put(place, *lines):
    run("put", *place, "--quiet", "-", stdin="".join(f"{line}\n" for line in lines)).ends(DONE)


def filled(folder, n=20, **options):
    """A store of n orders and a customer, some of them deleted or replaced."""
    store = new_store(folder, "record-type", **options)
    place = ("--store", store)
    put(place, json.dumps({"customer": {"number": "C", "name": "Ann"}}),
        *(line_of("C", i, shipping_locations=[{"number": 1, "line_items": [{"number": 1}]}])
          for i in range(n)), line_of("C", 1, currency="EUR"))
    run("delete", *place, "C", "0").ends(DONE)
    return store


def content(store):
    return run("export", "--store", store).ends(DONE).out


def await_(condition, what):
    deadline = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"nothing has come of waiting: {what}")
        time.sleep(0.01)


def names(folder):
    return sorted(os.listdir(folder))


def is_alone(folder, *wanted):
    """Nothing half-done lies beside what is wanted."""
    equal(names(folder), sorted(wanted))


@test
def there_and_back(folder):
    store = filled(folder)
    run("init", "--store", f"{store}?name=second", "--layout", "blob", "--key", "salted").ends(DONE)
    put(("--store", f"{store}?name=second"), line_of("D", 1))
    made = json.loads(run("backup", "--store", store, f"{folder}/b", "--json").ends(DONE).out)
    kept = {name: pathlib.Path(folder, "b", name).read_bytes() for name in names(f"{folder}/b")}
    made = made["backup"]
    equal({k: made[k] for k in ("path", "deployments", "orders", "customers", "findings", "files")},
          {"path": os.path.realpath(f"{folder}/b"), "deployments": 2, "orders": 21, "customers": 1,
           "findings": 0, "files": len(kept) - 1})
    equal(made["bytes"], sum(len(kept[name]) for name in kept if name != "BACKUP"))
    wanted = content(store), content(f"{store}?name=second")
    put(("--store", store), line_of("C", 5, currency="USD"), line_of("C", 77))
    os.mkdir(f"{folder}/new")  # an empty folder is as good as none
    run("restore", f"{folder}/b", "--store", f"rocksdb:{folder}/new").ends(DONE, "2 deployments")
    equal((content(f"rocksdb:{folder}/new"), content(f"rocksdb:{folder}/new?name=second")), wanted)
    run("verify", "--store", f"rocksdb:{folder}/new").ends(DONE, "sound")
    put(("--store", f"rocksdb:{folder}/new"), line_of("C", 88))
    # the backup is as it was, and is used again
    equal({name: pathlib.Path(folder, "b", name).read_bytes() for name in names(f"{folder}/b")},
          kept)
    run("restore", f"{folder}/b", "--store", f"rocksdb:{folder}/again").ends(DONE)
    equal(content(f"rocksdb:{folder}/again"), wanted[0])
    is_alone(folder, "again", "b", "new", "store")


def put_back(folder):
    """A store of which nobody knows that it was moved away, and its backup in its place."""
    os.rename(f"{folder}/store", f"{folder}/moved")
    return run("restore", f"{folder}/b", "--store", f"rocksdb:{folder}/store").ends(DONE)


@test
def restored_is_another_deployment(folder):
    """What somebody remembers of the one that has gone on after the backup holds for it alone."""
    store = filled(folder)
    run("backup", "--store", store, f"{folder}/b").ends(DONE)
    first = json.loads(run("list", "--store", store, "C", "--limit", 3, "--json").ends(DONE).out)
    page = ("C", "--limit", 3, "--page", first["next_page"])
    run("list", "--store", store, *page).ends(DONE)
    text = "".join((NORTHWIND / "orders.csv").read_text().splitlines(keepends=True)[:4])
    pathlib.Path(folder, "a.csv").write_text(text)
    pathlib.Path(folder, "b.csv").write_text(text.replace("Reims", "Paris"))

    def load(name):
        run("load", "--store", store, "--map", "northwind", f"{folder}/{name}").ends(DONE)
        return json.loads(run("get", "--store", store, "VINET", "10248", "--json").ends(DONE).out)

    lost = load("a.csv")
    put_back(folder)
    run("list", "--store", store, *page).ends(USAGE, "page")
    found = load("b.csv")
    if found["revision"] == lost["revision"]:
        raise AssertionError("one revision has two contents")
    run("delete", "--store", store, "VINET", "10248", "--if-revision", lost["revision"]).ends(NO)
    run("verify", "--store", store).ends(DONE, "sound")


@test
def a_server_whose_store_is_put_aside(folder):
    """It touches nothing of the store that takes the place, and stores nothing that nobody finds."""
    store = filled(folder)
    run("backup", "--store", store, f"{folder}/b").ends(DONE)
    with Server(store) as server:
        put(("--server", server.address), line_of("C", 50))
        put_back(folder)
        stored, refused = [50], None
        while refused is None and len(stored) < 10000:  # it looks every 10 ms
            one = len(stored) + 50
            result = run("put", "--server", server.address, "-", stdin=line_of("C", one))
            if result.code == DONE:
                stored.append(one)
            else:
                refused = result.ends(FAILED, "nothing was done")
        if refused is None:
            raise AssertionError("it stores for ever")
        run("get", "--server", server.address, "C", "50").ends(DONE)
        with Server(store) as other:
            put(("--server", other.address), line_of("C", 60))
            there = names(f"{folder}/store")
            equal(server.stop(), 0)
            equal(names(f"{folder}/store"), there)
    equal(re.findall(r'"order_number":"([5-9]\d)"', content(store)), ["60"])
    run("verify", "--store", store).ends(DONE, "sound")
    run("verify", "--store", f"rocksdb:{folder}/moved").ends(DONE, "sound")
    for number in stored:
        run("get", "--store", f"rocksdb:{folder}/moved", "C", number).ends(DONE)


@test
def what_was_acknowledged_is_in_it(folder):
    """Writers beside it: all that they had an answer to before is there, and nothing is torn."""
    store = new_store(folder, "record-type")
    os.mkdir(f"{folder}/backups")
    with Server(store, "--backups", f"{folder}/backups") as server:
        writer = subprocess.Popen([PROGRAM, "put", "--server", server.address, "--json", "-"],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        done, stored = threading.Event(), []

        def feed():
            i = 0
            while not done.is_set():
                writer.stdin.write(line_of("C", i, shipping_locations=[
                    {"number": 1, "line_items": [{"number": n} for n in range(1, 40)]}]) + "\n")
                i += 1
            writer.stdin.close()

        def read():
            for line in iter(writer.stdout.readline, ""):
                stored.append(json.loads(line)["order_number"])

        threads = [threading.Thread(target=feed), threading.Thread(target=read)]
        for thread in threads:
            thread.start()
        known = {}
        for i in range(3):
            before = len(stored)
            await_(lambda: len(stored) > before + 50, "orders that are stored")
            known[i] = set(stored)
            run("backup", "--server", server.address, f"b{i}").ends(DONE)
        done.set()
        for thread in threads:
            thread.join()
        equal(writer.wait(timeout=SECONDS), 0)
    for i, wanted in known.items():
        copy = f"rocksdb:{folder}/copy{i}"
        run("restore", f"{folder}/backups/b{i}", "--store", copy).ends(DONE)
        found = {json.loads(line)["order"]["order_number"] for line in content(copy).splitlines()
                 if "order" in json.loads(line)}
        equal(wanted - found, set())
        equal(run("verify", "--store", copy).code in (DONE, NO), True)  # NO: leftovers of a put
        equal(os.path.exists(f"{folder}/copy{i}/LOSSES"), False)


@test
def wrong_calls(folder):
    store = filled(folder)
    place = ("--store", store)
    run("backup", *place).ends(USAGE, "one argument")
    run("backup", *place, "a", "b").ends(USAGE, "one argument")
    run("backup", *place, "--rate", "0", f"{folder}/b").ends(USAGE, "--rate")
    run("backup", *place, f"{folder}/none/b").ends(FAILED, "create that first")
    for inside in ("store/b", "store", "none/../store/b"):
        run("backup", *place, f"{folder}/{inside}").ends(USAGE, "folder of the store")
    os.symlink(f"{folder}/store", f"{folder}/link")
    run("backup", *place, f"{folder}/link/b").ends(USAGE, "folder of the store")
    os.mkdir(f"{folder}/there")
    for there in ("there", "link"):
        code = USAGE if there == "link" else NO
        run("backup", *place, f"{folder}/{there}").ends(code)
    run("backup", "--store", f"rocksdb:{folder}/none", f"{folder}/b").ends(FAILED, "no store")
    run("backup", "--store", "hbase://127.0.0.1:1", f"{folder}/b").ends(FAILED)
    run("backup", *place, f"{folder}/b").ends(DONE)
    run("backup", *place, f"{folder}/b").ends(NO, "exists already")
    run("get", "--store", f"rocksdb:{folder}/b", "C", "1").ends(FAILED, "is a backup")
    run("init", "--store", f"rocksdb:{folder}/b", "--layout", "blob").ends(FAILED, "is a backup")
    run("restore", f"{folder}/b").ends(USAGE, "--store")
    run("restore", f"{folder}/b", "--server", "127.0.0.1:1").ends(USAGE, "--store")
    run("restore", f"{folder}/b", "--store", f"rocksdb:{folder}/n?name=x").ends(USAGE, "?name=")
    run("restore", f"{folder}/b", *place).ends(NO, "exists already")
    run("restore", f"{folder}/store", "--store", f"rocksdb:{folder}/n").ends(NO, "not a backup")
    run("restore", f"{folder}/none", "--store", f"rocksdb:{folder}/n").ends(NO, "no such folder")
    run("restore", f"{folder}/b", "--store", "hbase://127.0.0.1:1").ends(FAILED, "snapshots")
    run("verify", *place).ends(DONE, "sound")
    run("backup", *place, f"{folder}/store2").ends(DONE)  # beside the store, not in it
    is_alone(folder, "b", "link", "store", "store2", "there")


@test
def damage_is_found(folder):
    """Each file of a backup: missing, longer, shorter or with a flipped bit; and a damaged store."""
    store = filled(folder)
    run("backup", "--store", store, f"{folder}/b").ends(DONE)
    for i, name in enumerate(names(f"{folder}/b")):
        path = pathlib.Path(folder, "b", name)
        good = path.read_bytes()
        wrong = [None, good + b"x"] + ([good[:-1], bytes([good[0] ^ 1]) + good[1:]] if good else [])
        for bad in wrong if name == "BACKUP" else [wrong[i % len(wrong)]]:
            path.unlink()
            if bad is not None:
                path.write_bytes(bad)
            result = run("restore", f"{folder}/b", "--store", f"rocksdb:{folder}/n")
            wanted = NO if name == "BACKUP" and bad is None else FAILED
            result.ends(wanted, "BACKUP" if name == "BACKUP" else name)
            is_alone(folder, "b", "store")
            path.write_bytes(good)
    # a pipe, which would be read for ever
    for name, wanted in (("BACKUP", NO), (names(f"{folder}/b")[-1], FAILED)):
        path = pathlib.Path(folder, "b", name)
        good = path.read_bytes()
        path.unlink()
        os.mkfifo(path)
        run("restore", f"{folder}/b", "--store", f"rocksdb:{folder}/n").ends(wanted, name)
        is_alone(folder, "b", "store")
        path.unlink()
        path.write_bytes(good)
    run("restore", f"{folder}/b", "--store", f"rocksdb:{folder}/n").ends(DONE)
    table = max(pathlib.Path(folder, "store").glob("*.sst"), key=lambda one: one.stat().st_size)
    with table.open("r+b") as file:
        file.seek(table.stat().st_size // 4)
        byte = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 0x40]))
    run("backup", "--store", store, f"{folder}/c").ends(FAILED)
    is_alone(folder, "b", "n", "store")


def events(trace, folder):
    """Of what lies in a folder, and of the folder: each path and whether it is synced, in order; and
    after them None where the folder gets another name."""
    for line in pathlib.Path(trace).read_text("utf-8", "replace").splitlines():
        if re.search(rf'\brename\w*\(.*"{re.escape(folder)}", ', line):
            yield None
        found = re.search(rf"\b(\w+)\(\d+<({re.escape(folder)}(?:/[^>/]+)?)>", line)
        if found:
            yield found[2], found[1] in ("fsync", "fdatasync")


@test
def all_is_synced_before_it_has_its_name(folder):
    """A machine that stops right after the end has the whole backup, and the whole store."""
    store = filled(folder)
    for target, call in (("b", ["backup", "--store", store, f"{folder}/b"]),
                         ("n", ["restore", f"{folder}/b", "--store", f"rocksdb:{folder}/n"])):
        trace = f"{folder}/trace.{target}"
        subprocess.run(["strace", "-f", "-qq", "-y", "-s", "0", "-o", trace, "-e", "trace=fsync,fdatasync,write,"
                        "pwrite64,writev,ftruncate,?rename,?renameat,?renameat2", "-e", "status=successful",
                        PROGRAM, *call], stdout=subprocess.DEVNULL, timeout=SECONDS, check=True,
                       env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})  # which does not work under strace
        content, last = f"{folder}/{target}.unfinished/store", {}
        found = list(events(trace, content))
        for path, synced in found[:found.index(None)]:
            last[path] = synced
        wanted = [content, *(f"{content}/{name}" for name in names(f"{folder}/{target}"))]
        equal([path for path in wanted if not last.get(path)], [])
        text = pathlib.Path(trace).read_text("utf-8", "replace")
        assert re.search(rf"fsync\(\d+<{re.escape(folder)}>\)", text[text.rindex(f'"{content}", '):]), text


def reseal(folder, change):
    """Gives a backup another seal, with the sum that belongs to it."""
    path = pathlib.Path(folder, "BACKUP")
    before = path.read_text().rsplit(SUM, 1)[0]
    text = change(before)
    assert text != before, before
    path.write_text(f"{text}{SUM}{hashlib.sha256(text.encode()).hexdigest()}\n")


@test
def a_seal_is_compared_with_what_is_there(folder):
    """One that is whole, but not of this backup, or that leads out of its folder."""
    store = filled(folder)
    run("backup", "--store", store, f"{folder}/b").ends(DONE)
    seal = pathlib.Path(folder, "b", "BACKUP")
    good = seal.read_text()
    restore = ["restore", f"{folder}/b", "--store", f"rocksdb:{folder}/n"]
    other = "The restored store has not what was sealed"
    for what in ("orders", "customers", "hints", "ids", "findings"):
        reseal(f"{folder}/b", lambda text, what=what: re.sub(
            rf"^{what}=(\d+)$", lambda found: f"{what}={int(found[1]) + 1}", text, flags=re.M))
        run(*restore).ends(FAILED, other)
        seal.write_text(good)
    for change in (lambda text: text.replace("[deployment tallorder]", "[deployment other]"),
                   lambda text: text + "\n[deployment second]\norders=0\n"):
        reseal(f"{folder}/b", change)
        run(*restore).ends(FAILED, other)
        seal.write_text(good)
    for name in ("../LOG", ".LOG", "a/LOG", "/LOG", "a\\LOG"):
        reseal(f"{folder}/b", lambda text, name=name: text.replace("\nCURRENT=", f"\n{name}="))
        run(*restore).ends(FAILED, "BACKUP of the backup is damaged (a part is missing)")
        seal.write_text(good)
    is_alone(folder, "b", "store")
    run(*restore).ends(DONE)


@test
def orders_that_end_are_never_more(folder):
    """With a TTL there may be fewer than were noted, and never more."""
    run("init", "--store", f"rocksdb:{folder}/store", "--layout", "record-type", "--ttl", 86400).ends(DONE)
    put(("--store", f"rocksdb:{folder}/store"), *(line_of("C", i) for i in range(3)))
    run("backup", "--store", f"rocksdb:{folder}/store", f"{folder}/b").ends(DONE)
    seal = pathlib.Path(folder, "b", "BACKUP")
    good = seal.read_text()
    for what, n in (("orders", 3), ("hints", 6)):
        for change, code in ((-1, FAILED), (1, DONE)):
            reseal(f"{folder}/b", lambda text, what=what, n=n, change=change: re.sub(
                rf"^{what}={n}$", f"{what}={n + change}", text, flags=re.M))
            run("restore", f"{folder}/b", "--store", f"rocksdb:{folder}/{what}{change}").ends(code)
            seal.write_text(good)


@test
def orders_that_end_meanwhile(folder):
    """With a TTL a backup holds them still, when it is restored, and nobody sees them."""
    for layout in LAYOUTS:
        run("init", "--store", f"rocksdb:{folder}/{layout}", "--layout", layout, "--ttl", 6).ends(DONE)
    for layout in LAYOUTS:
        store = f"rocksdb:{folder}/{layout}"
        put(("--store", store), json.dumps({"customer": {"number": "C", "name": "Ann"}}),
            *(line_of("C", i, sales_date="2020-02-29T00:00:00.000Z",
                      shipping_locations=[{"number": 1, "line_items": [{"number": 1}]}])
              for i in range(3)))
        run("backup", "--store", store, f"{folder}/{layout}.backup").ends(DONE)
    for layout in LAYOUTS:
        await_(lambda: content(f"rocksdb:{folder}/{layout}").count("\n") == 1, "their end")
        restored, backup = f"rocksdb:{folder}/{layout}.restored", f"{folder}/{layout}.backup"
        run("restore", backup, "--store", restored).ends(DONE)
        equal(content(restored), content(f"rocksdb:{folder}/{layout}"))
        run("verify", "--store", restored).ends(DONE, "sound")
        reseal(backup, lambda text: text.replace("customers=1", "customers=2"))
        run("restore", backup, "--store", f"rocksdb:{folder}/other").ends(FAILED, "what was sealed")


@test
def what_was_lost_is_known_to_the_copy(folder):
    store, lost = filled(folder), "2026-01-01T00:00:00Z dropped 7 bytes\n"
    pathlib.Path(folder, "store", "LOSSES").write_text(lost)
    run("backup", "--store", store, f"{folder}/b").ends(DONE)
    run("restore", f"{folder}/b", "--store", f"rocksdb:{folder}/n").ends(DONE)
    equal([pathlib.Path(folder, made, "LOSSES").read_text() for made in ("b", "n")], [lost] * 2)


@test
def killed_in_the_middle(folder):
    """What is left does no harm, and the next one removes it."""
    store = filled(folder, 120)
    process = subprocess.Popen([PROGRAM, "backup", "--store", store, "--rate", "1", f"{folder}/b"],
                               stderr=subprocess.DEVNULL)
    await_(lambda: os.path.exists(f"{folder}/b.unfinished/store/TALLORDER"), "the copy")
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=SECONDS)
    is_alone(folder, "b.unfinished", "store")
    run("verify", "--store", store).ends(DONE, "sound")
    run("backup", "--store", store, f"{folder}/b").ends(DONE)
    is_alone(folder, "b", "store")
    # as a restore leaves it that is killed while it copies, or RocksDB while it links
    for left in ("store", "store.tmp"):
        os.makedirs(f"{folder}/n.unfinished/{left}")
        shutil.copy(f"{folder}/b/CURRENT", f"{folder}/n.unfinished/{left}")
    run("restore", f"{folder}/b", "--store", f"rocksdb:{folder}/n").ends(DONE)
    equal(content(f"rocksdb:{folder}/n"), content(store))
    is_alone(folder, "b", "n", "store")
    # nothing of somebody else's is removed, and two do not meet
    os.makedirs(f"{folder}/m.unfinished/store/mine")
    run("restore", f"{folder}/b", "--store", f"rocksdb:{folder}/m").ends(FAILED, "remove it")
    os.makedirs(f"{folder}/o.unfinished")
    lock = os.open(f"{folder}/o.unfinished", os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    run("restore", f"{folder}/b", "--store", f"rocksdb:{folder}/o").ends(NO, "Another process")
    os.close(lock)
    run("restore", f"{folder}/b", "--store", f"rocksdb:{folder}/o").ends(DONE)
    equal(os.path.exists(f"{folder}/m.unfinished/store/mine"), True)


@test
def stopped_by_a_signal(folder):
    store = filled(folder, 120)
    process = subprocess.Popen([PROGRAM, "backup", "--store", store, "--rate", "1", f"{folder}/b"],
                               stderr=subprocess.PIPE, text=True)
    await_(lambda: os.path.exists(f"{folder}/b.unfinished/store/TALLORDER"), "the copy")
    process.send_signal(signal.SIGTERM)
    equal("nothing half-done" in process.communicate(timeout=SECONDS)[1], True)
    equal(process.returncode, 128 + signal.SIGTERM)
    is_alone(folder, "store")


@test
def by_a_server(folder):
    store = filled(folder, 120)
    with Server(store) as server:
        run("backup", "--server", server.address, "b").ends(FAILED, "--backups")
    for wrong, code in (("none", FAILED), ("store", USAGE)):
        result = run("serve", "--store", store, "--listen", "127.0.0.1:0", "--backups",
                     f"{folder}/{wrong}")
        equal((wrong, result.code, "--backups" in result.err), (wrong, code, True))
    os.mkdir(f"{folder}/backups")
    with Server(store, "--backups", f"{folder}/backups", stderr=subprocess.DEVNULL) as server:
        place = ("--server", server.address)
        for name in ("", ".", "..", "../b", "a/b", f"{folder}/b", ".b", "-b", "b.unfinished", "b b",
                     "b\n", "ü", "x" * 129):
            run("backup", *place, "--", name).ends(USAGE, "name: ")
        put(place, line_of("C", "just before"))
        made = json.loads(run("backup", *place, "b", "--json").ends(DONE).out)["backup"]
        equal((made["orders"], made["path"]),
              (121, os.path.realpath(f"{folder}/backups") + "/b"))
        run("backup", *place, "b").ends(NO, "exists already")
        # what is wrong with the place is said to the administrator, and is not trouble of the store
        pathlib.Path(folder, "backups", "f.unfinished").write_bytes(b"")
        run("backup", *place, "f").ends(FAILED, "The target cannot be made")
        os.unlink(f"{folder}/backups/f.unfinished")
        # slow ones: another client follows the same, and is refused another
        slow = subprocess.Popen([PROGRAM, "backup", *place, "--rate", "1", "slow"],
                                stderr=subprocess.DEVNULL)
        await_(lambda: os.path.exists(f"{folder}/backups/slow.unfinished"), "the slow one")
        run("backup", *place, "other").ends(NO, "another backup, slow")
        slow.send_signal(signal.SIGINT)
        equal(slow.wait(timeout=SECONDS), 128 + signal.SIGINT)
        put(place, line_of("C", "meanwhile"))
        equal(server.stop(), 0)
    is_alone(f"{folder}/backups", "b")
    run("restore", f"{folder}/backups/b", "--store", f"rocksdb:{folder}/n").ends(DONE)
    run("get", "--store", f"rocksdb:{folder}/n", "C", "just before").ends(DONE)
    run("get", "--store", store, "C", "meanwhile").ends(DONE)


@test
def while_it_moves(folder):
    """A migration that has begun is one in the copy, too, and is ended there."""
    store = filled(folder)
    wanted = content(store)
    run("migrate", "--store", store, "--to-layout", "blob", "--pass-only").ends(DONE)
    run("backup", "--store", store, f"{folder}/b").ends(DONE)
    run("migrate", "--store", store, "--abort").ends(DONE)
    copy = f"rocksdb:{folder}/n"
    run("restore", f"{folder}/b", "--store", copy).ends(DONE)
    run("status", "--store", copy).ends(DONE, "copying, to layout blob")
    run("migrate", "--store", copy).ends(DONE)
    run("verify", "--store", copy).ends(DONE, "sound")
    equal([sorted(text.splitlines()) for text in (content(copy), content(store))],
          [sorted(wanted.splitlines())] * 2)


@test
def to_another_file_system(folder):
    """Where nothing can be linked, it is copied."""
    here = os.stat(folder).st_dev
    other = next((place for place in PLACES if os.path.isdir(place) and os.access(place, os.W_OK)
                  and os.stat(place).st_dev != here), None)
    if other is None:
        return
    store = filled(folder)
    target = f"{other}/tallorder-backup-{os.getpid()}"
    try:
        run("backup", "--store", store, target).ends(DONE)
        equal({os.stat(f"{target}/{name}").st_nlink for name in names(target)}, {1})
        run("restore", target, "--store", f"rocksdb:{folder}/n").ends(DONE)
        equal(content(f"rocksdb:{folder}/n"), content(store))
        equal(os.path.exists(target + ".unfinished"), False)
    finally:
        shutil.rmtree(target, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
