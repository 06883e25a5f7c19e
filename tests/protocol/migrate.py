# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""How a deployment moves to another generation of tables, as src/migrate does it: who migrates, goes on
with it, or aborts it. Any number of processes may try at once. The rules of protocol.py hold.

Everything that is decided is one conditional write of the record. What is done to tables in between has
no condition, and may come late. So every generation has a number of its own, and every seal a token of its
own; and what was opened again is dropped once it is closed.
"""

from copying import copy_once
from state import (ABORTING, CLOSING, COPYING, LOST, NONE, SEALING, Describe, ReadRecord, SetAccess,
                   WriteRecordIf)

MAX_CALLS = 2              # of one on tables whose answer is lost


# ---- The record --------------------------------------------------------------------------------

def change(variant, record, wanted):
    """Makes @record @wanted. Returns what is there then if it is that, else None: who has written it
    does not matter."""
    expected = None if variant.record_write == "plain" else record
    answer = yield WriteRecordIf(expected, wanted)
    if answer is True:
        return wanted
    now = yield ReadRecord()
    return wanted if now == wanted else None


# ---- The access to tables ----------------------------------------------------------------------

def seal(operation, number, record):
    """Returns the token under which the source is sealed, or None. Each call has another one: one that
    comes late cannot be taken for one that was answered."""
    variant = operation.variant
    for attempt in range(MAX_CALLS):
        token = (operation.token, number, attempt)
        if variant.seal_token == "one":
            token = ("of generation", record.target)
        answer = yield SetAccess("seal", record.generation, token)
        if answer != LOST or variant.seal_answer == "believed":
            return token
        access = yield Describe(record.generation)
        if access.seal == token:
            return token
    return None


def is_sealed(variant, record, access):
    """Whether nobody has unsealed it since. As long as nobody has aborted, nobody can have."""
    if not variant.seal_check:
        return True
    return access.seal is not None and (access.seal == record.seal or not record.unsealed)


def close(source):
    """Returns whether nobody can read the source any more, whenever they have begun."""
    for _attempt in range(MAX_CALLS):
        answer = yield SetAccess("close", source)
        if answer != LOST:
            return True
        access = yield Describe(source)
        if access.closed or not access.there:
            return True
    return False


def open_again(source):
    """What was closed. Returns whether it is open, and perhaps sealed."""
    for _attempt in range(MAX_CALLS):
        access = yield Describe(source)
        if not access.there:
            return False
        if not access.closed:
            return True
        yield SetAccess("open", source)
    access = yield Describe(source)
    return access.there and not access.closed


# ---- Migrate -----------------------------------------------------------------------------------

def begin(variant, record):
    """Begins a migration, or goes on with one."""
    if record.phase != NONE:
        return record
    target = record.last + 1 if variant.generations == "new" else 2
    return (yield from change(variant, record,
                              record._replace(phase=COPYING, target=target, last=target)))


def migrate(operation):
    """Until it is done, or somebody else does it, or something goes wrong: then it can be resumed. Only
    from the first generation, so that this ends."""
    number = 0
    record = yield ReadRecord()
    if record.generation > 1 or record.phase == ABORTING:
        return
    record = yield from begin(operation.variant, record)
    while record is not None and record.phase != NONE:
        number += 1
        step = {COPYING: copy_open, SEALING: copy_sealed, CLOSING: close_and_switch}[record.phase]
        record = yield from step(operation, number, record)


def find_ends(operation, record):
    """The operation in the source, and in the target."""
    return (operation._replace(generation=record.generation),
            operation._replace(generation=record.target))


def copy_open(operation, _number, record):
    """A pass while everybody writes. It need not be whole."""
    yield from copy_once(*find_ends(operation, record))
    return (yield from change(operation.variant, record, record._replace(phase=SEALING)))


def copy_sealed(operation, number, record):
    """Seals the source. What is there then, and differs, is copied."""
    variant, whole = operation.variant, True
    if variant.last_pass == "before":
        whole = yield from copy_once(*find_ends(operation, record))
    token = yield from seal(operation, number, record)
    if token is None or not whole:
        return None
    if record.reopened and not (yield from open_again(record.generation)):
        return None
    if variant.last_pass == "sealed":
        if not (yield from copy_once(*find_ends(operation, record))):
            return None
    return (yield from change(variant, record, record._replace(phase=CLOSING, seal=token)))


def close_and_switch(operation, _number, record):
    """All that is needed is in the target: from here it goes on without the source."""
    variant, source = operation.variant, record.generation
    if variant.close_order == "after switch":
        done = yield from switch(variant, record)
        yield from close(source)
        return done
    if variant.read_fence == "none":
        return (yield from switch(variant, record))
    if not (yield from close(source)):
        return None
    access = yield Describe(source)
    if access.there and not is_sealed(variant, record, access):
        return (yield from change(variant, record,
                                  record._replace(phase=SEALING, seal=None, reopened=True)))
    if access.there and record.reopened and variant.reopened == "drop":
        yield SetAccess("drop", source)         # refused unless it is closed
        access = yield Describe(source)
        if access.there:
            return None
    return (yield from switch(variant, record))


def switch(variant, record):
    return (yield from change(variant, record,
                              record._replace(generation=record.target, phase=NONE, target=0,
                                              seal=None, unsealed=False, reopened=False)))


# ---- Abort -------------------------------------------------------------------------------------

def abort(operation):
    """Gives the source back to its readers and writers, and the target up. Also where nothing is going on
    but the tables are shut, by a call that came late."""
    variant = operation.variant
    record = yield ReadRecord()
    access = yield Describe(record.generation)
    if record.phase == NONE and not access.closed and access.seal is None:
        return
    closed = access.closed or not access.there or record.phase == CLOSING or record.reopened
    marked = record._replace(unsealed=variant.abort == "marked", reopened=closed)
    if variant.abort_first == "tables":
        if (yield from give_back(variant, record)):
            yield from change(variant, record, marked._replace(phase=NONE, target=0, seal=None))
        return
    if record.phase != ABORTING:
        record = yield from change(variant, record, marked._replace(phase=ABORTING))
    if record is not None and (yield from give_back(variant, record)):
        yield from change(variant, record, record._replace(phase=NONE, target=0, seal=None))


def give_back(variant, record):
    """Unseals the source, and opens it if it may be closed."""
    source = record.generation
    for _attempt in range(MAX_CALLS):
        answer = yield SetAccess("unseal", source)
        if answer != LOST:
            break
    if not (yield from open_again(source)):
        return False
    access = yield Describe(source)
    if access.seal is not None:
        return False
    if variant.generations == "reused":
        yield SetAccess("clear", record.target)     # drops the target, of which another is made
    return True
