# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""How a deployment moves to another generation of tables, as src/migrate does it: who migrates, goes on
with it, or aborts it. Any number of processes may try at once. The rules of protocol.py hold.

Everything that is decided is one conditional write of the record. What is done to tables in between has
no condition, and may come late. So every generation has a number of its own, and every seal a token of its
own; and what somebody may still open is not left any more, until a person says that nobody can.
"""

from copying import make_pass
from state import (ABORTING, CLOSING, COLLIDES, COPYING, DONE, DROPPED, LOST, NONE, ORDERS, SEALING, SHUT, Describe,
                   ReadRecord, Record, SetAccess, WriteRecordIf)

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

def seal_table(operation, source, table, token):
    """Whether it is sealed with @token."""
    answer = yield SetAccess("seal", source, table, token)
    if answer == SHUT:
        return False                            # there is no such table any more
    if answer != LOST or operation.variant.seal_answer == "believed":
        return True
    access = yield Describe(source, table)
    return access.seal == token


def make_seal(operation, number, attempt, record):
    """A token for all tables at once. One that was given before could come late, and hide that somebody
    has unsealed them."""
    if operation.variant.seal_token == "one":
        return ("of generation", record.target)
    return (operation.token, number, attempt)


def seal(operation, number, record):
    """Returns the token under which all root tables are sealed, or None. If it is not certain of one, all
    are sealed once more, with another one: the record has room for one."""
    for attempt in range(MAX_CALLS):
        token, sealed = make_seal(operation, number, attempt, record), True
        for table in operation.root_tables:
            sealed = sealed and (yield from seal_table(operation, record.generation, table, token))
        if sealed:
            return token
    return None


def is_sealed(variant, record, access):
    """Whether nobody has unsealed it since. As long as nobody has aborted, nobody can have."""
    return access.seal is not None and (access.seal == record.seal or not record.unsealed)


def are_sealed(operation, record):
    """Whether nobody has unsealed what the last pass has read."""
    n_checked = {"all": None, "first": 1, "none": 0}[operation.variant.seal_check]
    for table in operation.root_tables[:n_checked]:
        access = yield Describe(record.generation, table)
        if not is_sealed(operation.variant, record, access):
            return False
        del access
    return True


def close_table(source, table):
    for _attempt in range(MAX_CALLS):
        answer = yield SetAccess("close", source, table)
        if answer != LOST:
            return True
        access = yield Describe(source, table)
        if access.closed:
            return True
        del access, answer
    return False


def close(operation, source):
    """Returns whether nobody can read the source any more, whenever they have begun."""
    for table in operation.tables if operation.variant.close_tables == "all" else operation.tables[:1]:
        if not (yield from close_table(source, table)):
            return False
    return True


def open_table(source, table):
    for _attempt in range(MAX_CALLS):
        access = yield Describe(source, table)
        if not access.closed:
            return True
        del access
        yield SetAccess("open", source, table)
    access = yield Describe(source, table)
    return not access.closed


def open_again(operation, source):
    """What was closed. Returns whether it is open, and perhaps sealed."""
    for table in operation.tables:
        if not (yield from open_table(source, table)):
            return False
    return True


# ---- Migrate -----------------------------------------------------------------------------------

def may_be_opened(variant, record):
    """A call that opens tables may still be on its way, and a closed one would not stay so. A person may
    know better; that is not modelled."""
    return variant.reopened == "refused" and record.reopened and record.phase in (NONE, COPYING)


def begin(variant, record):
    """Begins a migration, or goes on with one."""
    if record.phase != NONE:
        return record
    target = record.last + 1 if variant.generations == "new" or record.generation > 1 else 2
    return (yield from change(variant, record,
                              record._replace(phase=COPYING, target=target, last=target)))


def migrate(operation):
    """Until it is done, or somebody else does it, or something goes wrong: then it can be resumed. Only
    from the generation in which the deployment began, so that this ends."""
    number, known = 0, ()
    record = yield ReadRecord()
    if record.generation > record.first or record.phase in (ABORTING, DROPPED) or may_be_opened(
            operation.variant, record):
        return
    operation = operation._replace(deployment=record.id)
    record = yield from begin(operation.variant, record)
    while record is not None and record.phase != NONE:
        number += 1
        step = {COPYING: copy_open, SEALING: copy_sealed, CLOSING: close_and_switch}[record.phase]
        record, known = yield from step(operation, number, record, known)


def find_ends(operation, record):
    """The operation in the source, and in the target."""
    return (operation._replace(generation=record.generation, layout=record.layout),
            operation._replace(generation=record.target, layout=record.layout_of_target()))


def copy_open(operation, _number, record, known):
    """A pass while everybody writes. It need not be whole."""
    result, known = yield from make_pass(*find_ends(operation, record), known)
    if result == COLLIDES:
        return None, known
    record = yield from change(operation.variant, record, record._replace(phase=SEALING))
    return record, known


def copy_sealed(operation, number, record, known):
    """Seals the source. What is there then, and differs, is copied."""
    variant, result = operation.variant, DONE
    if variant.last_pass == "before":
        result, known = yield from make_pass(*find_ends(operation, record), known)
    token = yield from seal(operation, number, record)
    if token is None or result != DONE:
        return None, known
    if record.reopened and not (yield from open_again(operation, record.generation)):
        return None, known
    if variant.last_pass == "sealed":
        result, known = yield from make_pass(*find_ends(operation, record), known)
        if result == COLLIDES:
            yield from abort(operation)         # nobody could write until somebody does
        if result != DONE:
            return None, known
    record = yield from change(variant, record, record._replace(phase=CLOSING, seal=token))
    return record, known


def close_and_switch(operation, _number, record, known):
    """All that is needed is in the target: from here it goes on without the source."""
    variant, source = operation.variant, record.generation
    if variant.close_order == "after switch":
        done = yield from switch(variant, record)
        yield from close(operation, source)
        return done, known
    if variant.read_fence == "close":
        if not (yield from close(operation, source)):
            return None, known
        if not (yield from are_sealed(operation, record)):
            if variant.reopened == "refused":
                yield from abort(operation)     # somebody may have written since the last pass
                return None, known
            record = yield from change(variant, record, record._replace(phase=SEALING, seal=None,
                                                                        reopened=True))
            return record, known
    record = yield from switch(variant, record)
    return record, known


def switch(variant, record):
    return (yield from change(variant, record,
                              record._replace(generation=record.target, phase=NONE, target=0,
                                              layout=record.layout_of_target(),
                                              seal=None, unsealed=False, reopened=False)))


# ---- Abort -------------------------------------------------------------------------------------

def abort(operation):
    """Gives the source back to its readers and writers, and the target up. Also where nothing is going on
    but the tables are shut, by a call that came late."""
    variant, sealed, closed = operation.variant, False, False
    record = yield ReadRecord()
    for table in operation.tables:
        access = yield Describe(record.generation, table)
        if access.gone:
            return
        sealed = sealed or access.seal is not None
        closed = closed or access.closed
        del access
    if record.phase == NONE and not closed and not sealed:
        return
    closed = closed or record.phase == CLOSING or record.reopened
    marked = record._replace(unsealed=variant.abort == "marked", reopened=closed)
    if variant.abort_first == "tables":
        if (yield from give_back(operation, marked)):
            yield from change(variant, record, marked._replace(phase=NONE, target=0, seal=None))
        return
    if record != marked._replace(phase=ABORTING):
        record = yield from change(variant, record, marked._replace(phase=ABORTING))
    if record is not None and (yield from give_back(operation, record)):
        yield from change(variant, record, record._replace(phase=NONE, target=0, seal=None))


def unseal_table(source, table):
    for _attempt in range(MAX_CALLS):
        answer = yield SetAccess("unseal", source, table)
        if answer != LOST:
            return


def give_back(operation, record):
    """Unseals the source, and opens it if it may be closed."""
    source = record.generation
    for table in operation.root_tables:
        yield from unseal_table(source, table)
    if record.reopened and not (yield from open_again(operation, source)):
        return False
    for table in operation.root_tables:
        access = yield Describe(source, table)
        if access.seal is not None:
            return False
        del access
    if operation.variant.generations == "reused":
        yield SetAccess("clear", record.target, ORDERS)     # drops the target, of which another is made
    return True


# ---- Drop, and make again ------------------------------------------------------------------------

def remake(operation):
    """Drops the deployment, and makes another one under its name, in the next layout. Its tables have
    numbers that nobody knows: who still goes by the old one finds no tables, and reads the record."""
    dropped, again = None, operation.variant.numbers == "again"
    for _attempt in range(MAX_CALLS):
        record = yield ReadRecord()
        if not record.is_of(operation):
            return
        dropped = yield from drop(operation, record, record.first if again else record.last + 1)
        if dropped is not None:
            break
    for generation in range(record.first, record.last + 1) if again and dropped else ():
        for table in operation.tables:
            yield SetAccess("make", generation, table)
    if dropped is not None:
        yield from change(operation.variant, dropped, dropped._replace(phase=NONE))


def drop(operation, record, number):
    """All tables go, then the record, if no migration has moved it meanwhile. Returns what is left of that:
    the @number from which another deployment goes on. None: it is to be done again."""
    for generation in range(record.first, record.last + 1):
        for table in operation.tables:
            answer = yield SetAccess("drop", generation, table)
            if answer == LOST:
                return None
            del answer
    dropped = Record(number, DROPPED, last=number, id=record.id + 1, first=number,
                     layout=operation.layout + 1)
    return (yield from change(operation.variant, record, dropped))
