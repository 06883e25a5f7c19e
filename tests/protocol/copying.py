# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""How a migration copies an order from one generation to another. The rules of protocol.py hold.

Plain writes, which may come late and be repeated. So they must be the same bytes, whoever sends them and
whenever, and a later revision hides an earlier one.
"""

from protocol import write
from reading import assemble
from rows import Cell, DeleteUpTo
from state import DAMAGED, NO_STATE, ROOT, Lineage, SetAccess, Shut, Write, find_root


def convert(variant, state, claimed, claims):
    """The target's state cell for what the source has committed. @claimed: the source has claims, which
    take the place of the lineage; @claims: the target has them, and so no mark of who made the row."""
    lineage = state.pending_token if isinstance(state.pending_token, Lineage) else None
    origin = None if claimed else lineage.origin
    replaced = lineage.replaced if lineage else None
    if replaced is None or (claimed and variant.copied_lineage != "as it is"):
        replaced = 0 if variant.copied_lineage == "none" else state.revision - 1
    if claims:
        origin = None
    elif origin is None:
        origin = ("copied", state.token)       # a hash of it
    revision = state.revision + 1 if variant.copied_revision == "new" else state.revision
    copied = state._replace(revision=revision, pending=0, pending_token=Lineage(origin, replaced))
    if variant.copied_claims == "kept" and claims:
        copied = copied._replace(pending=state.pending, pending_token=state.pending_token)
    return copied


def is_copied(variant, there, wanted):
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


def read_value(source, cells, state):
    """The value of a live order, of which the root row's @cells were read."""
    children = ()
    for row in source.children if source.claims else ():
        part = yield from source.read(row)
        children += (part,)
    return assemble(source, cells, children) if state.live else None


def copy(source, target):
    """One pass over the order. Returns whether the target has what the source had when it was read.
    Nothing is read but the states, unless they differ."""
    variant = source.variant
    cells = yield from source.read(ROOT)
    state = find_root(cells).state
    if not is_to_copy(variant, state):
        return True
    there = find_root((yield from target.read(ROOT))).state
    if not state.live and variant.copied_tombstones == "erased":
        yield SetAccess("clear", target.generation)     # as if it had never been there
        return True
    wanted = convert(variant, state, source.claims, target.claims)
    if is_copied(variant, there, wanted):
        return True
    value = None
    if state.live:
        value = yield from read_value(source, cells, state)
    old = (there or NO_STATE).revision
    del cells, there, state
    if value == DAMAGED:
        return False                            # somebody is writing: the next pass will find it
    return (yield from write_copy(target, wanted, value, old))


def write_children(target, wanted, value, rows):
    for row in rows:
        cells = (Cell("c", wanted.revision, value),)
        if target.variant.copied_children == "unacknowledged":
            yield Write(target.generation, row, cells)
        elif not (yield from write(target, row, cells)):
            return False
    return True


def write_copy(target, wanted, value, old):
    """The children, then the root row: it stands for the whole."""
    rows = target.children[:wanted.n_children]
    mutations = (DeleteUpTo(old),) if 0 < old < wanted.revision else ()
    mutations += (Cell("s", wanted.revision, wanted),)
    if wanted.live:
        mutations += (Cell("value", wanted.revision, value),)
    if not target.claims:
        mutations += tuple(Cell(row, wanted.revision, value) for row in rows)
    root_first = target.variant.copied_order == "root first"
    if root_first and not (yield from write(target, ROOT, mutations)):
        return False
    if target.claims and not (yield from write_children(target, wanted, value, rows)):
        return False
    return root_first or (yield from write(target, ROOT, mutations))


def copy_once(source, target):
    """False, too, if a table is shut."""
    try:
        return (yield from copy(source, target))
    except Shut:
        return False
