# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""The commit protocol: put and delete of one order, as src/store/commit/README.md describes them.

Each operation is a generator. It yields its calls to the table one by one, and is sent what comes
back: explore.py decides what else happens in between. To follow it in the store: put() and delete()
are in store/commit/put.c; claim(), release(), commit() and what settles it in store/commit/commit.c; the
children's rows and find_others() in store/commit/children.c; get() is in reading.py.

A rule for changes: what an operation knows must be in its local variables, since explore.py takes
two operations at one line with equal variables for the same. So no `yield` inside a larger
expression that already holds another call's answer.
"""

from rows import Cell, DeleteAt, DeleteUpTo
from state import (AGAIN, CONFLICT, DONE, LOST, NO_STATE, NOT_DONE, NOT_FOUND, ROOT, SHUT, UNKNOWN,
                   Lineage, Root, Sent, Settle, Shut, State, WriteIf, ask, date_of, find_root)

FIRST = 10                 # revision, whatever the clock says: what is below belongs to loads
LATEST = 1000              # revision
MAX_ATTEMPTS = 2           # of one conditional write: the same bytes, sent again once
MAX_TRIES = 2              # of an operation that others overtake; the store's limit is its time


# ---- Root row and revision ---------------------------------------------------------------------

def read_root(operation):
    return find_root((yield from operation.read(ROOT)))


def read_root_again(operation):
    return find_root((yield from ask(Settle(operation.generation, ROOT))))


def is_stale(operation, now, known):
    """Whether a read shows what was there before @known. Timestamps of a state cell only grow, and
    a claim has that of the commit that follows it."""
    age = (now.timestamp, not (now.state and now.state.pending))
    return (operation.variant.stale != "believed"
            and age < (known.timestamp, not (known.state and known.state.pending)))


def is_live(root):
    return root.state is not None and root.state.live


def may_be_gone(operation, state):
    """Whether cells of it that are missing may have outlived the TTL."""
    return operation.expires and state.revision <= FIRST


def next_revision(operation, root):
    """Later than everything that the row has seen, whatever our clock says."""
    state = root.state or NO_STATE
    seen = {"revision": state.revision, "pending": state.pending, "timestamp": root.timestamp}
    return max(FIRST, FIRST - 1 + operation.clock, *(seen[name] + 1 for name in operation.variant.next_after))


def has_leftovers(root):
    """Whether somebody may have left rows that never count: the order is claimed, or a claim was
    given up, which the state cell's timestamp still tells."""
    state = root.state or NO_STATE
    return state.pending != 0 or root.timestamp > state.revision


def make_lineage(operation, root):
    """A mark of who made the row, taken over ever after; earlier versions leave none."""
    replaced = root.state.revision if root.state else 0
    if operation.claims or not operation.marks:
        return Lineage(None, replaced)
    origin = root.state.pending_token.origin if root.state else operation.token
    if origin is None and operation.variant.unmarked == "marked":
        origin = operation.token
    return Lineage(origin, replaced)


def make_committed(operation, root, live, revision, n_children, date=None):
    """The state that is to replace @root, which is what was there before any claim of ours."""
    return State(live, revision, operation.caller or operation.token, 0,
                 make_lineage(operation, root), n_children, date)


# ---- Claim -------------------------------------------------------------------------------------

def claim(operation, root, revision, number, token=None):
    """Writes into `s` that we are writing @revision. Nobody but writers sees it."""
    number += operation.begun * MAX_TRIES
    token = token or ((operation.token, number) if operation.variant.claim_token else "somebody")
    state = root.state or NO_STATE
    wanted = Root(state._replace(pending=revision, pending_token=token), revision)
    for _attempt in range(MAX_ATTEMPTS):
        answer = yield from operation.write_if(root.state, (Cell("s", revision, wanted.state),))
        if answer is True:
            return DONE, wanted
        now = yield from read_root_again(operation)
        if now.state == wanted.state:
            return DONE, wanted
        if now.state != root.state and not is_stale(operation, now, root):
            return AGAIN, now
    return NOT_DONE, root


def release(operation, replaced, root, rows):
    """Gives up our claim @root, and removes what we have written for it. Its token stays: bytes
    that returned to an earlier state would let somebody's late call succeed. Best effort, also where
    tables are shut."""
    how = operation.variant.release
    mutation = Cell("s", root.timestamp, root.state._replace(pending=0))
    if how == "restore" and replaced.state:
        mutation = Cell("s", root.timestamp, replaced.state)
    if how == "remove" and not replaced.state:
        mutation = DeleteUpTo(root.timestamp)
    if how == "never":
        return
    try:
        if (yield from operation.write_if(root.state, (mutation,))) is LOST:
            return
        for row in rows:
            yield from write(operation, row, (DeleteAt(root.timestamp),))
    except Shut:
        pass


# ---- Children ----------------------------------------------------------------------------------

def write(operation, row, mutations):
    """A write that may be repeated, and is, once. Returns whether it is known to have happened."""
    for _attempt in range(MAX_ATTEMPTS):
        if (yield from operation.write(row, mutations)) is not LOST:
            return True
    return False


def remove_children(operation, first, last):
    """Removes what the children have from @first to @last; False if that is not certain."""
    found = ()
    for row in operation.children:
        cells = yield from operation.read(row)
        found += ((row, tuple(cell.timestamp for cell in cells if first <= cell.timestamp <= last)),)
    del cells
    for row, timestamps in found:
        markers = (DeleteUpTo(last),) if first == 0 else tuple(map(DeleteAt, timestamps))
        if timestamps and not (yield from write(operation, row, markers)):
            return False
    return True


def write_children(operation, value, rows, revision):
    for row in rows:
        known = yield from write(operation, row, (Cell("c", revision, value),))
        if not known and operation.variant.children == "acknowledged":
            return False
    if operation.index and operation.variant.hint != "after":
        return (yield from write_hint(operation, value, revision))
    return True


# ---- Index -------------------------------------------------------------------------------------

def write_hint(operation, value, revision):
    return write(operation, date_of(value), (Cell("order", revision, "here"),))


def write_hint_alone(operation, value, root, revision, hinted):
    """The hint of an order of one row. Returns the revision of the hint that leads there, 0 if it is
    not certain that there is one. The hint of an earlier try is enough if it is younger than
    everything that the row has seen: then nobody removes it."""
    state = root.state or NO_STATE
    seen = max(state.revision, state.pending, root.timestamp)
    if hinted > (0 if operation.variant.hint == "once" else seen):
        return hinted
    known = yield from write_hint(operation, value, revision)
    return revision if known else 0


def remove_hint(operation, replaced, committed):
    """The hint at the date of what was replaced, if it leads nowhere any more. Best effort."""
    old = replaced.state or NO_STATE
    if not operation.index or not old.live or old.date == committed.date:
        return
    last = old.revision if operation.variant.hint_removal == "replaced" else committed.revision + 9
    yield from write(operation, old.date, (DeleteUpTo(last),))


def find_dead(operation, replaced, committed):
    """Up to which revision all that the row has is dead once @committed replaces @replaced: all
    that is older, as whoever has claimed less was claimed over. 0: the row is new."""
    if operation.variant.dead == "what was replaced":
        return replaced.state.revision if replaced.state else 0
    return committed.revision - 1 if replaced.state else 0


def clean_up(operation, replaced, committed):
    """Removes rows that no reader can see any more. Best effort, also where tables are shut."""
    dead = find_dead(operation, replaced, committed)
    try:
        if operation.claims and dead:
            yield from remove_children(operation, 0, dead)
    except Shut:
        pass
    try:
        yield from remove_hint(operation, replaced, committed)
    except Shut:
        pass


# ---- All rows in one step ------------------------------------------------------------------------

def find_others(operation, replaced, committed, value=None, rows=()):
    """What else changes in the step of the commit, where the table can do that: (row, mutations) of
    each child and hint that comes or goes."""
    dead, others = find_dead(operation, replaced, committed), ()
    for row in operation.children if operation.claims else ():
        cells = ()
        if dead:
            cells = yield from operation.read(row)
        gone = (DeleteUpTo(dead),) if cells or (dead and row in rows) else ()
        gone = gone if operation.variant.together == "all" else ()
        came = (Cell("c", committed.revision, value),) if row in rows else ()
        others += ((row, gone + came),) if gone or came else ()
        del cells, gone, came
    old = replaced.state or NO_STATE
    if operation.index and committed.live:
        others += ((committed.date, (Cell("order", committed.revision, "here"),)),)
    if operation.index and old.live and old.date != committed.date:
        last = old.revision if operation.variant.hint_removal == "replaced" else committed.revision + 9
        others += ((old.date, (DeleteUpTo(last),)),)
    return others


# ---- Commit ------------------------------------------------------------------------------------

def is_ours(operation, stored, committed):
    if operation.variant.ours_by == "revision":
        return stored.revision == committed.revision
    return stored.token == committed.token


def is_undone(operation, expected, committed, lost, root):
    """Whether a commit whose answer was lost, or said "did not match", is not done and never will
    be, while @root, which is neither what it expected nor what it wrote, is there. As what it
    expected never returns, it is decided by now; but it may have been done and replaced since. Not
    so if what is there is older, or has replaced something older: had we been in between, it would
    have replaced us, or one after us."""
    now = root.state or NO_STATE
    if operation.variant.certain_by == "revision":
        return now.revision != committed.revision
    if not lost and (operation.no_is_final or operation.variant.certain_by == "never"):
        return operation.no_is_final
    if is_stale(operation, root, expected):
        return False
    replaced = now.pending_token.replaced if isinstance(now.pending_token, Lineage) else None
    return (now.revision < committed.revision
            or (replaced is not None and 0 <= replaced < committed.revision))


def get_origin(state):
    lineage = state.pending_token
    return lineage.origin if isinstance(lineage, Lineage) else lineage


def can_settle_creation(operation, expected, now):
    """Whether @now tells who made the row that a commit of ours expected not to be there. Earlier
    versions left no mark, and took none over; where there are several rows nobody leaves one."""
    variant = operation.variant
    if operation.claims and variant.creation_of == "one row":
        return False
    return (expected is None and operation.marks and variant.creation_by == "origin"
            and (get_origin(now) is not None or variant.unmarked == "not ours"))


def settle_creation(committed, now):
    """A commit that expected no row, while there is one: the commit that made it has left its mark,
    and as rows stay for ever, a late call of ours cannot make another. So it is certain."""
    return DONE if get_origin(now) == committed.pending_token.origin else AGAIN


def settle(operation, root, committed, lost, found):
    """What the root @found says of a commit over @root whose answer does not; None: send it
    again."""
    variant, expected, now = operation.variant, root.state, found.state
    if variant.after_no == "trust" and not lost:
        return AGAIN
    if now is not None and is_ours(operation, now, committed):
        return DONE
    if now == expected:
        return None
    if can_settle_creation(operation, expected, now):
        return settle_creation(committed, now)
    if lost and variant.after_lost != "lineage":
        return {"unknown": UNKNOWN, "conflict": CONFLICT, "again": AGAIN}[variant.after_lost]
    return AGAIN if is_undone(operation, root, committed, lost, found) else UNKNOWN


def commit(operation, root, mutations, committed, others=()):
    """The one step that readers see: replaces @root, our claim or what is committed."""
    lost = False
    for _attempt in range(MAX_ATTEMPTS):
        answer = yield WriteIf(operation.generation, root.state, mutations, others=others)
        if answer is True:
            return DONE, root
        lost = lost or answer is LOST
        now = answer if answer == SHUT else (yield Settle(operation.generation, ROOT))
        if now == SHUT:
            undone = answer != SHUT and not lost and operation.no_is_final
            raise Shut(Sent(operation.generation, root.state, committed.revision, lost), undone)
        now = find_root(now)
        step = settle(operation, root, committed, lost, now)
        if step:
            return step, now
    return UNKNOWN, root


# ---- Tables that are shut ------------------------------------------------------------------------

def is_before(state, revision):
    """Whether what is there is older than @revision, or has replaced something older, so that a
    commit of @revision is not among those that led to it."""
    if state is None or state.revision < revision:
        return True
    lineage = state.pending_token
    return isinstance(lineage, Lineage) and 0 <= lineage.replaced < revision


def settle_sent(operation, root):
    """What became of the commits that were sent before the tables were shut: DONE, UNKNOWN, or AGAIN
    if none is among those that led to @root. Those that were certainly refused never were."""
    sents = [sent for sent in operation.sents if sent.lost or not operation.no_is_final]
    if not sents or operation.variant.after_shut == "again":
        return AGAIN
    if root.state and root.state.revision and root.state.token == (operation.caller
                                                                  or operation.token):
        return DONE
    if operation.variant.settle_moved == "token":
        return AGAIN
    before = all(is_before(root.state, sent.revision) for sent in sents)
    return AGAIN if before else UNKNOWN


def is_refused(operation, sent):
    """Whether it is certain that @sent was not done, and never will be, without a look."""
    return not sent.lost and (operation.no_is_final or operation.variant.give_up == "refused")


def refuse(operation, root, answer):
    """@answer, if nothing that was sent can still happen, and nothing did so far. Not so if it was
    sent to these tables, and @root, which is there now (None: not known), is what it expected."""
    if operation.variant.give_up == "looked":
        return answer
    left = any(not is_refused(operation, sent) and sent.generation == operation.generation
               and (root is None or root.state == sent.expected) for sent in operation.sents)
    return UNKNOWN if left else answer


# ---- Put ---------------------------------------------------------------------------------------

def prepare(operation, value, rows, root, revision, number):
    """Claims the order and writes its children. After anything but DONE we have no claim."""
    replaced = root
    step, root = yield from claim(operation, root, revision, number)
    if step != DONE:
        return step, root
    ready = True
    if has_leftovers(replaced) and operation.variant.leftovers != "keep":
        first = (replaced.state.revision + 1 if operation.variant.leftovers == "remove" else 0)
        ready = yield from remove_children(operation, first, revision - 1)
    ready = ready and (yield from write_children(operation, value, rows, revision))
    if ready:
        return DONE, root
    yield from release(operation, replaced, root, rows)
    return NOT_DONE, root


def make_commit(operation, value, rows, replaced, committed):
    """All that a commit does to the root row. Where there are no children, their cells are here."""
    revision = committed.revision
    mutations = (Cell("s", revision, committed), Cell("value", revision, value))
    dead = find_dead(operation, replaced, committed)
    if dead:
        mutations = (DeleteUpTo(dead),) + mutations
    if not operation.claims:
        mutations += tuple(Cell(row, revision, value) for row in rows)
    return mutations


def put_over(operation, value, rows, replaced, number, hinted):
    """One try to put it on top of @replaced. @hinted: the revision of the hint that is there."""
    revision = next_revision(operation, replaced)
    committed = make_committed(operation, replaced, True, revision, len(rows), date_of(value))
    root = replaced
    if operation.together:
        others = yield from find_others(operation, replaced, committed, value, rows)
        mutations = make_commit(operation, value, rows, replaced, committed)
        step, root = yield from commit(operation, root, mutations, committed, others)
        return step, root, 0
    if operation.index and not operation.claims and operation.variant.hint != "after":
        hinted = yield from write_hint_alone(operation, value, root, revision, hinted)
        if not hinted:
            return NOT_DONE, root, 0
    if operation.variant.clean_up == "before":
        yield from clean_up(operation, replaced, committed)
    if operation.claims:
        step, root = yield from prepare(operation, value, rows, root, revision, number)
        if step != DONE:
            return step, root, 0
    mutations = make_commit(operation, value, rows, replaced, committed)
    claimed, gone = root, None
    try:
        step, root = yield from commit(operation, root, mutations, committed)
    except Shut as shut:
        gone = shut.sent, shut.undone
    if gone:
        if gone[1] and operation.claims:
            yield from release(operation, replaced, claimed, rows)
        raise Shut(gone[0])
    if step == AGAIN and operation.claims:
        yield from release(operation, replaced, claimed, rows)
    if step == DONE and operation.index and operation.variant.hint == "after":
        yield from write_hint(operation, value, revision)
    if step == DONE:
        yield from clean_up(operation, replaced, committed)
    return step, root, hinted


def reads_first(operation, condition):
    """A put that expects an order has to. A put that expects none need not; but the hint of a
    refused put cannot be taken back, so it looks before it writes one."""
    return condition == "seen" or (condition == "absent" and operation.index
                                   and not operation.claims and not operation.together)


def is_done(operation, root):
    """Whether the caller has sent this before, and it is there."""
    return (operation.caller is not None and operation.variant.caller == "looked for"
            and root.state is not None and root.state.revision > 0
            and root.state.token == operation.caller)


def put(operation, value, rows, condition, seen):
    """@condition: "none", "absent", or "seen": the revision @seen must be there. Unless it is read
    first it is taken for new, which saves a read; not so if it has begun before. Another writer's claim is claimed over at any
    time: a client that waits for its patience is just late here."""
    root = Root()
    if operation.sents or operation.begun or reads_first(operation, condition):
        root = yield from read_root(operation)
    step, hinted = settle_sent(operation, root), 0
    if operation.sents and operation.variant.moved_hint == "believed":
        hinted = LATEST
    for number in range(MAX_TRIES):
        if step != AGAIN:
            break
        if is_done(operation, root):
            return DONE
        if condition == "absent" and is_live(root):
            return refuse(operation, root, CONFLICT)
        if condition == "seen" and not (is_live(root) and root.state.revision == seen):
            return refuse(operation, root, CONFLICT)
        step, root, hinted = yield from put_over(operation, value, rows, root, number, hinted)
    return refuse(operation, None, NOT_DONE) if step in (AGAIN, NOT_DONE) else step


# ---- Delete ------------------------------------------------------------------------------------

def delete(operation):
    """Leaves a tombstone. A claim is not waited for: its writer notices at its commit."""
    root = yield from read_root(operation)
    step = settle_sent(operation, root)
    for _number in range(MAX_TRIES):
        if step != AGAIN:
            break
        if not is_live(root):
            return refuse(operation, root, NOT_FOUND)
        replaced = root
        tombstone = make_committed(operation, root, False, next_revision(operation, root), 0)
        mutations = (DeleteUpTo(find_dead(operation, replaced, tombstone)),
                     Cell("s", tombstone.revision, tombstone))
        if not operation.variant.tombstone:
            mutations = (DeleteUpTo(root.timestamp),)
        others = ()
        if operation.together:
            others = yield from find_others(operation, replaced, tombstone)
        step, root = yield from commit(operation, root, mutations, tombstone, others)
        if step == DONE and not operation.together:
            yield from clean_up(operation, replaced, tombstone)
    return refuse(operation, None, NOT_DONE) if step == AGAIN else step
