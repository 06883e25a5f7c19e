# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""What an erase does to an order that is deleted, as in store/commit/erase.c. The rules of
protocol.py hold.

It deletes as others do, first. This is what comes when those who were under way should have ended:
another tombstone, which has no text, and all rows and hints that still lie beside it go. Nothing is
waited for here: it may begin beside any writer. What is live again stays, and is deleted once more.
"""

from protocol import commit, is_live, make_committed, next_revision, read_root, write
from rows import Cell, DeleteUpTo
from state import DATES, DONE

BEYOND = 900               # a revision later than all that others ever choose


def find_rows(operation):
    """(row, its latest timestamp) of each child and hint that has cells."""
    found = ()
    for row in (*(operation.children if operation.claims else ()), *(DATES if operation.index else ())):
        cells = yield from operation.read(row)
        found += ((row, max(cell.timestamp for cell in cells)),) if cells else ()
        del cells
    return found


def bury(operation, root, found):
    """Makes the order a tombstone that is later than all that was seen. Returns its revision; 0 if
    another writer came first."""
    seen = max((latest for _row, latest in found), default=0)
    after = seen + 1 if operation.variant.erase_after == "all" else 0
    revision = max(next_revision(operation, root), after)
    tombstone = make_committed(operation, root, False, revision, 0)
    mutations = (DeleteUpTo(revision - 1), Cell("s", revision, tombstone))
    step, _root = yield from commit(operation, root, mutations, tombstone)
    return revision if step == DONE else 0


def erase(operation):
    """Empties the tombstone, or makes one where there is no row, and removes all else."""
    variant = operation.variant
    root = yield from read_root(operation)
    if is_live(root):
        return
    found = yield from find_rows(operation)
    dead = max((latest for _row, latest in found), default=0)
    if variant.erase != "no tombstone":
        dead = yield from bury(operation, root, found)
    last = BEYOND if variant.erase_removes == "anything" else dead
    for row, _latest in found if dead else ():
        if not (yield from write(operation, row, (DeleteUpTo(last),))):
            break
