# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""How a migration copies an order from one generation to another. The rules of protocol.py hold.

Plain writes, which may come late and be repeated. So they must be the same bytes, whoever sends them and
whenever, and a later revision hides an earlier one.
"""

from protocol import MAX_ATTEMPTS, may_be_gone, remove_children, write, write_hint
from reading import assemble
from rows import Cell, DeleteAt, DeleteUpTo, newest
from state import (AGAIN, COLLIDES, COPYING, DAMAGED, DONE, NO_STATE, NUMBER, ORDERS, ROOT, SEALING,
                   TWIN, Lineage, ReadRecord, SetAccess, Shut, Write, WriteIf, ask, find_root, is_twin)


def convert(variant, state, claimed, claims):
    """The target's state cell for what the source has committed. @claimed: the source has claims, which
    take the place of the lineage; @claims: the target has them, and so no mark of who made the row."""
    lineage = state.pending_token if isinstance(state.pending_token, Lineage) else None
    origin = None if claimed else lineage.origin
    replaced, how = lineage.replaced if lineage else None, variant.copied_lineage
    if replaced is None or how == "at most" or (claimed and how != "as it is"):
        replaced = 0 if how == "none" else state.revision - 1
    if claims:
        origin = None
    elif origin is None:
        origin = ("copied", state.token)       # a hash of it
    revision = state.revision + 1 if variant.copied_revision == "new" else state.revision
    token = ("copied", state.token) if variant.copied_token == "new" else state.token
    copied = state._replace(revision=revision, token=token, pending=0,
                            pending_token=Lineage(origin, replaced))
    if variant.copied_claims == "kept" and claims:
        copied = copied._replace(pending=state.pending, pending_token=state.pending_token)
    return copied


def is_copied(variant, there, wanted):
    """Whether the target has what is wanted."""
    if there is None:
        return False
    if variant.compare == "there":
        return True
    if variant.compare == "revision":
        return there.revision == wanted.revision
    return there == wanted


def is_to_copy(variant, state):
    """What was never committed is not."""
    return (state is not None and state.revision > 0
            and (state.live or variant.copied_tombstones != "left"))


def read_value(source, cells):
    """The value of a live order, of which the root row's @cells were read."""
    children = ()
    for row in source.children if source.claims else ():
        part = yield from source.read(row)
        children += (part,)
    return assemble(source, cells, children)


def is_collision(source, row, there, known):
    """Whether another order has the row of the target, by the number beside what is @there, or as this
    migrator has copied it there: a slower one may have written over it since."""
    how = source.variant.collisions
    if how == "ignored":
        return False
    if how == "remembered" and any(other != row for other, _state in known):
        return True
    return there is not None and is_twin(there) != (row == TWIN)


def find_place(target):
    """The row of the order in the target. Each migrator takes another id, and the first one counts: a
    conditional write decides. None: not known."""
    if not target.ids:
        return ROOT
    mine = target.roots[target.token[0] % len(target.roots)]
    for _attempt in range(MAX_ATTEMPTS):
        given = newest((yield from target.read(NUMBER)), "s")
        if given:
            return given.value
        answer = yield from ask(WriteIf(target.generation, None, (Cell("s", 1, mine),), NUMBER))
        if answer is True or target.variant.copied_ids == "each its own":
            return mine
        del answer, given
    return None


def copy(source, target, row, known):
    """One look at the order of @row. Returns (DONE, AGAIN or COLLIDES, what is remembered then): whether
    the target has what the source had when it was read. Nothing is read but the states, unless they
    differ; of what is remembered nothing but the source's."""
    variant = source.variant
    cells = yield from source.read(row)
    state = find_root(cells).state
    if not is_to_copy(variant, state):
        return DONE, known
    wanted = convert(variant, state, source.claims, target.claims)
    if (row, wanted) in known:
        return DONE, known
    place = yield from find_place(target)
    if place is None:
        return AGAIN, known
    there = find_root((yield from target.read(place))).state
    if not state.live and variant.copied_tombstones == "erased":
        yield SetAccess("clear", target.generation, ORDERS)     # as if it had never been there
        return DONE, known
    if is_collision(source, row, there, known):
        return COLLIDES, known
    copied = is_copied(variant, there, wanted)
    newer = there is not None and there.revision > wanted.revision
    if newer and not copied and variant.copied_over == "what is older":
        return AGAIN, known                     # another migrator was faster
    value, old = None, there or NO_STATE
    del there, newer
    if state.live and not copied:
        value = yield from read_value(source, cells)
    del cells
    if value == DAMAGED and may_be_gone(source, state) and variant.expired == "nothing":
        return DONE, known
    del state
    if value == DAMAGED:
        return AGAIN, known                     # somebody is writing: the next pass will find it
    if not copied:
        copied = yield from write_copy(source, target, place, wanted, value, old)
    if copied or variant.remembers == "what was sent":
        known = (*((other, state) for other, state in known if other != row), (row, wanted))
    return DONE if copied else AGAIN, known


def write_children(target, wanted, value, rows):
    """All but the root row. Returns whether they are known to be there."""
    for row in rows if target.claims else ():
        cells = (Cell("c", wanted.revision, value),)
        if target.variant.copied_children == "unacknowledged":
            yield Write(target.generation, row, cells)
        elif not (yield from write(target, row, cells)):
            return False
    if target.index and wanted.live and target.variant.copied_hint == "before":
        return (yield from write_hint(target, value, wanted.revision))
    return True


def make_root(target, wanted, value, rows, old):
    mutations = (DeleteUpTo(old.revision),) if 0 < old.revision < wanted.revision else ()
    mutations += (Cell("s", wanted.revision, wanted),)
    if wanted.live:
        mutations += (Cell("value", wanted.revision, value),)
    if not target.claims:
        mutations += tuple(Cell(row, wanted.revision, value) for row in rows)
    return mutations


def still_copies(source, target):
    """Whether the record still says that @target is made of @source. Looked at before anything is removed:
    a copy that is late has nothing to remove in tables that count by now."""
    if target.variant.removes == "whenever":
        return True
    record = yield ReadRecord()
    return (record.phase in (COPYING, SEALING) and record.is_of(source)
            and (record.generation, record.target) == (source.generation, target.generation))


def write_copy(source, target, place, wanted, value, old):
    """What the target had before, @old, goes; then the children and the hint come, then the root row: it
    stands for the whole."""
    rows = target.children[:wanted.n_children]
    if not (yield from remove_old(source, target, wanted, old)):
        return False
    mutations = make_root(target, wanted, value, rows, old)
    root_first = target.variant.copied_order == "root first"
    if root_first and not (yield from write(target, place, mutations)):
        return False
    if not (yield from write_children(target, wanted, value, rows)):
        return False
    if not root_first and not (yield from write(target, place, mutations)):
        return False
    if target.index and wanted.live and target.variant.copied_hint == "after":
        yield from write_hint(target, value, wanted.revision)
    now = find_root((yield from target.read(place)))
    if is_overtaken(target.variant, now, wanted) and (yield from still_copies(source, target)):
        yield from take_back(target, place,
                             now.state if target.variant.taken_back == "the other's" else wanted, rows)
    return True


def is_overtaken(variant, now, wanted):
    """Whether a later version is committed in the target. A claim is none, though its state cell is
    younger: somebody puts the order in tables that count by now."""
    if variant.overtaken_by == "timestamp":
        return now.timestamp > wanted.revision
    return now.state is not None and now.state.revision > wanted.revision


def remove_old(source, target, wanted, old):
    """Removes what the target has of @old beside the root row. Whether it may."""
    rows = target.claims and 0 < old.revision < wanted.revision
    hint = target.index and old.live and old.date != wanted.date
    if (rows or hint) and not (yield from still_copies(source, target)):
        return False
    if rows:
        yield from remove_children(target, 0, old.revision)
    if hint:
        last = old.revision if target.variant.copied_removal == "replaced" else wanted.revision + 9
        yield from write(target, old.date, (DeleteUpTo(last),))
    return True


def take_back(target, place, wanted, rows):
    """Another migrator has copied a later version meanwhile: nobody reads what was written. Best effort."""
    for row in (place, *(rows if target.claims else ())):
        yield from write(target, row, (DeleteAt(wanted.revision),))


def make_pass(source, target, known):
    """Looks at all orders. Returns (DONE, AGAIN or COLLIDES, what is remembered then). AGAIN, too, if a
    table is shut."""
    result = DONE
    for row in source.roots:
        step = AGAIN
        try:
            step, known = yield from copy(source, target, row, known)
        except Shut:
            pass
        if step == COLLIDES:
            return step, known
        result = step if step == AGAIN else result
    return result, known
