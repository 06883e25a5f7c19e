# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""What a case is, and the words in which cases.py and moves.py write theirs."""

from dataclasses import dataclass, replace as changed
from typing import Optional

from clients import Do
from explore import Faults
from state import ORDERS, ROOT, TWIN, Layout
from variant import Variant

# What the clients' clocks say, in milliseconds: an hour would show nothing that 5 does not.
CLOCKS = ((1, 1, 1, 1), (5, 1, 1, 1))
EQUAL_CLOCKS, FAST_CLOCK = CLOCKS[:1], CLOCKS[1:]
MORE_CLOCKS = (*CLOCKS, (1, 2, 1, 1), (2, 1, 3, 1))

ONE, TWO, OTHER = ("a",), ("a", "b"), ("b",)   # the children that a value has
GET, DELETE, REPAIR, ERASE = Do("get"), Do("delete"), Do("repair"), Do("erase")
MIGRATE, ABORT, REMAKE = Do("migrate"), Do("abort"), Do("remake")


@dataclass(frozen=True)
class Case:
    name: str
    clients: tuple             # of each what it does
    claims: bool
    faults: Faults = Faults()
    clocks: tuple = CLOCKS
    long: bool = False
    why: str = ""
    variant: Variant = Variant()
    index: bool = False        # orders are listed by date
    found: Optional[str] = None    # the check that finds it, by words of its; None: it holds
    generations: tuple = ()    # their layouts, where it migrates
    together: bool = False     # the table changes several rows in one step

    @property
    def layouts(self):
        return self.generations or (Layout(self.claims, self.index, together=self.together),)


# The checks, by words of what they say.
TOLD = "explains what this one returned"
FINDS = "explains what a get finds now"
ALONE = "a client that is alone now"
LEFT = "beside it lies"
TWICE = "one put was done twice"
UNLISTED = "has no hint"
UNEQUAL = "not equal to the source"


def put(value, rows=ONE):
    return Do("put", value, rows)


def insert(value, rows=ONE):
    return Do("put", value, rows, "absent")


def replace(value, rows=ONE):
    """A put of somebody who has just seen what is there, and expects it."""
    return Do("put", value, rows, "seen")


def again(value, rows=ONE):
    """One put that the caller sends several times, with its own token."""
    return Do("put", value, rows, token="caller")


def earlier(do):
    """The same by an earlier version: it leaves no mark of who made the row, nor takes one over."""
    return changed(do, earlier=True)


def apart(do):
    """The same with too many rows for one step."""
    return changed(do, apart=True)


def each(path, claims, cases, **options):
    """Cases that hold, out of (name, clients, faults)."""
    return [Case(f"{path}/{name}", clients, claims, faults, **options)
            for name, clients, faults in cases]


def load(value, batch, rows=ONE, over=()):
    """A put by a load: the @batch is larger, the later the load began."""
    return Do("load", value, rows, batch=batch, over=over)


def collide(value, batch, rows=ONE, over=()):
    """The same where two orders have one row; the values of the one are in capitals."""
    return changed(load(value, batch, rows, over), collides=True)


def put_twin(value, revision):
    return Do("twin", value, batch=revision)


def later(do):
    """The same when the clock says so."""
    return changed(do, clock=5)


def opens(do):
    """The same by a process that opens the deployment for it."""
    return changed(do, opens=True)


OPENED_GET = opens(GET)


def stays(do):
    """The same by an earlier version, which knows nothing of migrations."""
    return changed(do, stays=True)


def move(name, claims, clients, faults=Faults(), why="", found=None, long=False, index=(),
         roots=(ROOT,), tables=(ORDERS,), ids=False, together=False, **decision):
    """A case with a migration. @claims: whether they have claims, of the source, of each generation that
    can be begun, and of one more, for a client that is alone in the end; @index: whether they have one;
    @ids: whether all but the source have ids."""
    layouts = [Layout(has_claims, has_index, ONE, roots, expires=faults.expiries > 0, tables=tables,
                      together=together)
               for has_claims, has_index in zip(claims, index or (False,) * len(claims))]
    if ids:
        layouts[1:] = [layout._replace(roots=(ROOT, TWIN), ids=True) for layout in layouts[1:]]
    clocks = CLOCKS if found else FAST_CLOCK        # a fast one shows more than equal ones
    if faults.expiries:
        clocks = EQUAL_CLOCKS
    return Case(f"migrate/{name}", clients, claims[0], faults, why=why, found=found, long=long,
                clocks=clocks, variant=Variant(**decision), generations=tuple(layouts))
