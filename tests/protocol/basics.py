# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the checker's own parts are right: rows as HBase's, histories judged as by hand."""

from clients import Clients, Do
from linear import Delete, Get, Monitor, Put
from rows import EMPTY, Cell, DeleteAt, DeleteUpTo, compact, mutate, newest, visible
from state import CONFLICT, DONE, NOT_DONE, NOT_FOUND, UNKNOWN, Read, WriteIf
from variant import Variant


def check_rows(checks):
    old, new = Cell("c", 1, "old"), Cell("c", 2, "new")
    row = mutate(EMPTY, (new, old))
    checks.check(newest(row.cells, "c") == new, "rows/the newest has the largest timestamp")
    checks.check(visible(row, 1) == (new,), "rows/one version of two is read")
    row = mutate(row, (DeleteAt(2),))
    checks.check(visible(row, 1) == (old,), "rows/an older one comes back when the newer goes")
    row = mutate(mutate(row, (DeleteUpTo(3),)), (Cell("c", 3, "late"),))
    checks.check(visible(row, None) == (), "rows/a marker masks what comes late")
    row = mutate(compact(row, None), (Cell("c", 3, "later"),))
    checks.check(visible(row, None) != (), "rows/a compaction takes the marker away")
    checks.check(compact(mutate(EMPTY, (new, old)), 1).cells == (new,),
                 "rows/a compaction drops what is beyond the versions")


X, Y = Put("x"), Put("y")
# A call begins: (who, call). It ends: (who, result).
HISTORIES = [
    ("a get after a put finds it", True, [("A", X), ("A", DONE), ("B", Get()), ("B", "x")]),
    ("a get after a put must find it", False,
     [("A", X), ("A", DONE), ("B", Get()), ("B", NOT_FOUND)]),
    ("a get beside a put may find nothing", True, [("A", X), ("B", Get()), ("B", NOT_FOUND)]),
    ("what has been replaced does not come back", False,
     [("A", X), ("B", Get()), ("B", "x"), ("C", Y), ("C", DONE), ("D", Get()), ("D", "y"),
      ("E", Get()), ("E", "x")]),
    ("an unknown put may happen later", True,
     [("A", X), ("A", UNKNOWN), ("B", Get()), ("B", NOT_FOUND), ("C", Get()), ("C", "x")]),
    ("an unknown put happens once", False,
     [("A", X), ("A", UNKNOWN), ("B", Y), ("C", Get()), ("C", "x"), ("B", DONE), ("D", Get()),
      ("D", "y"), ("E", Get()), ("E", "x")]),
    ("what is not done is never found", False,
     [("A", X), ("A", NOT_DONE), ("B", Get()), ("B", "x")]),
    ("what is not done was not found before", False,
     [("A", X), ("B", Get()), ("B", "x"), ("A", NOT_DONE)]),
    ("an insert needs that there is none", False,
     [("A", X), ("A", DONE), ("B", Put("y", "absent")), ("B", DONE)]),
    ("a conflict needs that there is one", False, [("A", Put("x", "absent")), ("A", CONFLICT)]),
    ("two who expect the same are not both done", False,
     [("A", X), ("A", DONE), ("B", Put("y", "x")), ("C", Put("z", "x")), ("B", DONE),
      ("C", DONE)]),
    ("one of two deletes finds nothing", True,
     [("A", X), ("A", DONE), ("B", Delete()), ("C", Delete()), ("B", NOT_FOUND), ("C", DONE)]),
    ("of two deletes one is done", False,
     [("A", X), ("A", DONE), ("B", Delete()), ("C", Delete()), ("B", DONE), ("C", DONE)]),
]


def is_right(history):
    monitor, moment = Monitor(), Monitor.START
    for who, what in history:
        step = monitor.end if isinstance(what, str) else monitor.begin
        moment = step(moment, who, what)
    return moment != Monitor.WRONG


def check_histories(checks):
    for name, right, history in HISTORIES:
        checks.check(is_right(history) == right, f"linear/{name}")


def check_places(checks):
    """A client's place knows what it has been answered, and forgets what does not matter."""
    clients = Clients()
    start = clients.start("A", (Do("get"), Do("put", "x")), 1, (False, True, Variant()))
    read = clients.step(start, None)
    checks.check(isinstance(clients.requests[read], Read), "clients/a get reads")
    checks.check(clients.step(read, ()) == clients.step(read, ()),
                 "clients/the same answer leads to the same place")
    put = clients.step(clients.step(clients.step(read, ()), None), None)
    checks.check(isinstance(clients.requests[put], WriteIf), "clients/a put writes if none")
    checks.check(clients.step(put, False) != clients.step(put, "LOST"),
                 "clients/another answer leads to another place")


def check_all(checks):
    check_rows(checks)
    check_histories(checks)
    check_places(checks)
