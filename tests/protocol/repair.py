# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""How an order is mended, as in store/verify/repair.c. The rules of protocol.py hold.

What does not count is removed: rows of claims that came to nothing, claims that were left, hints that
lead nowhere. A repair does not wait here: it may begin beside any writer.
"""

from protocol import claim, is_live, next_revision, read_root, release, write
from rows import Cell, DeleteAt, DeleteUpTo
from state import DATES, DONE, NO_STATE, Lineage


def find_wrong(operation, root):
    """(row, timestamps that do not count) of each row that has some; and the row of the hint that a
    live order has not, with no timestamps. The root row is always right: where there are no children,
    all its cells are written by the commit."""
    state = root.state or NO_STATE
    found = ()
    for row in operation.children if operation.claims else ():
        cells = yield from operation.read(row)
        kept = state.revision if state.live else 0
        surplus = tuple(sorted({cell.timestamp for cell in cells} - {kept}))
        found += ((row, surplus),) if surplus else ()
        del cells, surplus
    for row in DATES if operation.index else ():
        cells = yield from operation.read(row)
        if bool(cells) != (state.live and state.date == row):
            found += ((row, tuple(cell.timestamp for cell in cells)),)
        del cells
    return found


def keep_lineage(operation, root):
    """What the claim has in the place of its token in a row without children, where a put whose
    answer was lost finds the lineage: who made the row is still known, and nobody knows what was
    replaced."""
    how = operation.variant.repair
    lineage = root.state.pending_token if root.state else None
    unknown = -1 - 10 * operation.token[0] - operation.token[1]    # each repair has its own
    if not isinstance(lineage, Lineage):
        return Lineage(("repair", operation.token), unknown)
    if how == "token":
        return Lineage(("repair", operation.token), unknown)
    if how == "same":
        return lineage
    return Lineage(lineage.origin, unknown)


def repair(operation):
    """Claims the order with a revision after all that was seen, removes exactly what was seen,
    writes the hint that is missing, and gives the claim up."""
    variant = operation.variant
    root = yield from read_root(operation)
    wrong = yield from find_wrong(operation, root)
    if not wrong and not (root.state and root.state.pending):
        return
    seen = max((timestamp for _row, timestamps in wrong for timestamp in timestamps), default=0)
    after = seen + 1 if variant.repair_after == "all" else 0
    revision = max(next_revision(operation, root), after)
    replaced = root
    if variant.repair != "no claim":
        token = None if operation.claims else keep_lineage(operation, root)
        step, root = yield from claim(operation, root, revision, 0, token)
        if step != DONE:
            return
    for row, timestamps in wrong:
        changes = tuple(map(DeleteAt, timestamps)) or (
            Cell("order", replaced.state.revision, "here"),)
        if timestamps and variant.repair_removes == "up to them":
            changes = (DeleteUpTo(timestamps[-1]),)
        if not (yield from write(operation, row, changes)):
            break
    if variant.repair != "no claim":
        yield from release(operation, replaced, root, ())
