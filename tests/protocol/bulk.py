# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""How a load puts an order that is new, as in store/bulk/batch.c. The rules of protocol.py hold.

A load writes without any condition, at a revision that no other batch of any load ever has, and
that is below all that puts, deletes and repairs choose. So timestamps decide what a condition would:
whatever anybody else has written to the root row, or ever writes, hides what a load writes. It
learns by reading back whether it was the first. A table may say at once that the row had nothing
when it was written: that is as if it had been read back in that moment, which is explored here as
one of the moments of reading. Where all are said to be new it does not look before it writes, and finds
tombstones by reading back.

Another order may have the same row key. Its values are written in capitals. Whichever load finds
the other's version when it reads back, anywhere above its own or below it, removes its own, and puts it as any
other: so of several that meet at once, one is stored.
"""

from protocol import (FIRST, is_live, make_commit, make_committed, put, refuse, write,
                      write_hint)
from rows import Cell, DeleteAt, value_at
from state import (CONFLICT, DONE, NOT_DONE, REPLACED, ROOT, STORED, UNKNOWN, Root, Sent, Settle, Shut,
                   ask, date_of, find_root)

MAX_SENT = 2               # how often a root row is sent
LATEST = FIRST - 1         # revision of a load
SEND_AGAIN, AS_ANY_OTHER = "send again", "as any other"
COLLISION, OVERTAKEN = "collision", "overtaken, and collision"


def find_revision(operation, batch):
    """@batch: the larger, the later it began."""
    how = operation.variant.bulk_revision
    if how == "above":
        return FIRST + operation.clock + batch / FIRST
    return {"below": batch, "falls": LATEST - batch, "same": 1}[how]


def write_rows(operation, value, rows, revision):
    """All but the root row. Returns whether they are known to be there."""
    for row in rows if operation.claims else ():
        known = yield from write(operation, row, (Cell("c", revision, value),))
        if not known and operation.variant.bulk_children == "acknowledged":
            return False
    if operation.index and operation.variant.bulk_hint == "before":
        return (yield from write_hint(operation, value, revision))
    return True


def find_below(cells, mine):
    """The value of another load that ours has hidden; None: there is none."""
    below = [cell.value for cell in cells
             if cell.qualifier == "s" and cell.timestamp < mine.revision]
    return value_at(cells, "value", below[0].revision) if below else None


def is_shared(operation, cells, value):
    """Whether any version in the row is of the other order, not only the one above or below ours."""
    how = operation.variant.bulk_collision
    values = [cell.value for cell in cells if cell.qualifier == "value"]
    seen = {"withdrawn": values, "neighbour": values[:2], "replaces": ()}[how]
    return any(other.isupper() != value.isupper() for other in seen)


def judge(operation, cells, value, mine):
    """What the root row says once ours was sent. The revision alone tells: nobody else has it."""
    root = find_root(cells)
    if is_shared(operation, cells, value):
        top = value_at(cells, "value", root.state.revision) or ""
        same = root.state.revision != mine.revision and top.isupper() == value.isupper()
        return OVERTAKEN if top and same else COLLISION
    if root.state and root.state.revision == mine.revision:
        other = find_below(cells, mine)
        hidden = other not in (None, value) and operation.variant.bulk_reads_back == "versions"
        return REPLACED if hidden else DONE
    if root.timestamp < mine.revision:
        return SEND_AGAIN
    if not operation.variant.bulk_looks and not root.state.live:
        return AS_ANY_OTHER                     # it was deleted before: nobody else writes
    return UNKNOWN if root.state.revision else AS_ANY_OTHER


def withdraw(operation, rows, mine, step):
    """Removes what was written, so that the other order is there again. What was overtaken by the same
    order may have been there for a moment."""
    gone = yield from write(operation, ROOT, (DeleteAt(mine.revision),))
    for row in rows if operation.claims else ():
        yield from write(operation, row, (DeleteAt(mine.revision),))
    return AS_ANY_OTHER if gone and step == COLLISION else UNKNOWN


def send_root(operation, value, rows, mine):
    """Whoever claims an order that has nothing hides ours for ever: so it can be put again. What is
    committed is somebody else's, who may have replaced ours."""
    mutations = make_commit(operation, value, rows, Root(), mine)
    for _attempt in range(MAX_SENT):
        known = yield from write(operation, ROOT, mutations)
        if operation.index and operation.variant.bulk_hint == "after":
            yield from write_hint(operation, value, mine.revision)
        if operation.variant.bulk_reads_back == "nothing":
            return DONE if known else UNKNOWN
        del known
        cells = yield from ask(Settle(operation.generation, ROOT))
        step = judge(operation, cells, value, mine)
        if step != SEND_AGAIN:
            return step
        del cells, step
    return UNKNOWN


def send_root_once(operation, value, rows, mine):
    """The same; if the tables are shut then, it was perhaps done."""
    try:
        return (yield from send_root(operation, value, rows, mine))
    except Shut:
        pass
    sent = (Sent(operation.generation, None, mine.revision, True)
            if operation.variant.bulk_shut == "perhaps done" else None)
    raise Shut(sent)


def look(operation, cells, value, mine):
    """What the root row says before anything is sent; where the tables were shut, once it was sent: as
    when it is read back. None: go on."""
    root = find_root(cells)
    if operation.sents and operation.variant.bulk_again == "states first":
        step = judge(operation, cells, value, mine)
        if step == DONE and operation.generation > 1:
            return STORED                       # a copy has no versions below
        return None if step == SEND_AGAIN else step
    if is_live(root):
        return CONFLICT
    return AS_ANY_OTHER if root.state else None


def load(operation, value, rows, batch):
    """Puts @value if there is nothing. DONE, or REPLACED: what another load had put at the same
    time; CONFLICT: something is there, perhaps the same. Where tables were shut it begins again: the
    states first, with the same revision and token."""
    variant, step = operation.variant, None
    mine = make_committed(operation._replace(token=("load", operation.token)), Root(), True,
                          find_revision(operation, batch), len(rows), date_of(value))
    going_on = operation.begun > 0 and variant.bulk_again == "goes on"
    if any(sent.revision >= FIRST for sent in operation.sents):
        step = AS_ANY_OTHER
    elif variant.bulk_looks and not going_on:
        cells = yield from operation.read(ROOT)
        step = look(operation, cells, value, mine)
        del cells
    if step is None:
        if variant.bulk_order == "root first":
            yield from write(operation, ROOT, make_commit(operation, value, rows, Root(), mine))
        known = going_on or (yield from write_rows(operation, value, rows, mine.revision))
        if not known:
            return refuse(operation, None, NOT_DONE)
        step = yield from send_root_once(operation, value, rows, mine)
    if step in (COLLISION, OVERTAKEN):
        step = yield from withdraw(operation, rows, mine, step)
    if step == AS_ANY_OTHER:
        return (yield from put(operation, value, rows, "absent", 0))
    return step
