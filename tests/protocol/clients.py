# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Clients: what each does, one operation after the other, as a state machine.

A generator cannot be copied, and an exploration has to go on from the same place again and again.
So a client's place is known by a number. It stands for the line at which the client waits, what
for, and the variables it has there; behind the number are the answers that lead there once more.
"""

from dataclasses import dataclass
from typing import Any, Optional

import bulk
import erase
import linear
import migrate
import protocol
import reading
import repair
from follow import follow
from rows import Cell
from state import (CHILDREN, CONFLICT, DROPPED, NOT_DONE, NOT_FOUND, REPLACED, STORED, TWIN, Choose,
                   Lineage, Operation, ReadRecord, Shut, State, Write)


@dataclass(frozen=True)
class Do:
    """One operation of a client. Values of puts must differ within a case."""
    what: str                  # "put", "get", "delete", "erase", "repair", "load", "migrate", "abort", "remake",
    #                            "twin": a put of the other order, at revision @batch
    value: Optional[str] = None
    rows: tuple = CHILDREN     # the children that the value has
    condition: str = "none"    # "none", "absent", "seen": what the last get has shown
    token: Any = None          # the caller's; None: the call has one of its own
    earlier: bool = False      # by an earlier version, that leaves no mark
    stays: bool = False        # by an earlier version, that knows nothing of migrations
    opens: bool = False        # by a process that opens the deployment for it
    clock: Optional[int] = None    # what it says by then, if not what the client's always says
    batch: int = 0             # of a load: the number of its revision
    over: tuple = ()           # of a load: the values of earlier loads
    collides: bool = False     # another order may have the same row
    apart: bool = False        # it has too many rows for one step


@dataclass(frozen=True)
class Begin:
    """No call to the table: the client begins @call."""
    who: Any
    call: Any


@dataclass(frozen=True)
class End:
    """No call to the table: what the client began has returned @result."""
    who: Any
    result: Any


# What each operation does: what it returns at last, and the operation with the generation it found.

def run_put(operation, do, seen):
    condition = seen[0] if do.condition == "seen" else do.condition
    yield Begin(operation.token, linear.Put(do.value, condition))
    result, there = yield from follow(operation, protocol.put, do.value, do.rows, do.condition,
                                      seen[1])
    yield End(operation.token, result)
    return there


def run_load(operation, do):
    yield Begin(operation.token, linear.Load(do.value, do.over))
    result, there = yield from follow(operation, bulk.load, do.value, do.rows, do.batch)
    if do.collides:            # nobody promises that what was met stays, as it may be withdrawn
        result = {CONFLICT: NOT_DONE, REPLACED: STORED}.get(result, result)
    yield End(operation.token, result)
    return there


def run_delete(operation):
    yield Begin(operation.token, linear.Delete())
    result, there = yield from follow(operation, protocol.delete)
    yield End(operation.token, result)
    return there


def run_get(operation):
    yield Begin(operation.token, linear.Get())
    result, there = yield from follow(operation, reading.get)
    seen = result if isinstance(result, tuple) else (result, 0)
    yield End(operation.token, seen[0])
    return seen, there


def run_unseen(operation, what):
    """A repair or an erase of what is deleted. It ends where the tables are shut."""
    try:
        yield from what(operation)
    except Shut:
        pass
    return operation


def put_twin(operation, do):
    """Of one row."""
    state = State(True, do.batch, (TWIN, do.value), 0, Lineage((TWIN, do.value), 0), 0)
    yield Write(operation.generation, TWIN, (Cell("s", do.batch, state),
                                             Cell("value", do.batch, do.value)))


def run_remake(operation):
    yield Begin(operation.token, linear.Drop())
    yield from migrate.remake(operation)


NOTHING_SEEN = (NOT_FOUND, 0)


def run(operation, do, seen):
    """Returns (what was seen, the operation with the generation that it found)."""
    if do.what == "get":
        return (yield from run_get(operation))
    if do.what == "repair":
        operation = yield from run_unseen(operation, repair.repair)
    elif do.what == "erase":
        operation = yield from run_unseen(operation, erase.erase)
    elif do.what == "delete":
        operation = yield from run_delete(operation)
    elif do.what == "load":
        operation = yield from run_load(operation, do)
    elif do.what == "twin":
        yield from put_twin(operation, do)
    elif do.what == "migrate":
        yield from migrate.migrate(operation)
    elif do.what == "abort":
        yield from migrate.abort(operation)
    elif do.what == "remake":
        yield from run_remake(operation)
    elif do.condition != "seen" or seen[1]:
        operation = yield from run_put(operation, do, seen)
    return NOTHING_SEEN, operation


def client(name, todo, clock, table):
    """Does all of @todo. What a get has seen is remembered for the operation after it alone; which
    generation counts, until the tables are shut."""
    seen, place = NOTHING_SEEN, (1, 1, 1)
    for number, do in enumerate(todo):
        if do.opens:
            record = yield ReadRecord()
            if record.phase == DROPPED:
                return                          # there is nothing to open
            place = (record.generation, record.layout, record.id)
            del record
        now = clock if do.clock is None else do.clock
        operation = Operation((name, number), now, *table, caller=do.token, marks=not do.earlier,
                              follows=not do.stays, generation=place[0], layout=place[1],
                              deployment=place[2], apart=do.apart)
        seen, operation = yield from run(operation, do, seen)
        place = (operation.generation, operation.layout, operation.deployment)
        del operation, now


def place_of(generator, request):
    """Where a generator waits with @request, and what it knows there."""
    frames = [request]
    while generator is not None:
        frame = generator.gi_frame
        frames.append((frame.f_code, frame.f_lasti, tuple(frame.f_locals.items())))
        generator = generator.gi_yieldfrom
    return tuple(frames)


class Clients:
    """All places that clients can be at, numbered."""
    FINISHED = 0

    def __init__(self):
        self.numbers = {}
        self.ways = [()]           # by number: how to make the client, the answers up to here
        self.requests = [None]     # by number: what the client asks for here
        self.steps = {}

    def start(self, *client_arguments):
        return self.find((client_arguments, ()))

    def find(self, way):
        """The number of the place to which @way leads."""
        generator = client(*way[0])
        try:
            request = next(generator)
            for answer in way[1]:
                request = generator.send(answer)
        except StopIteration:
            return self.FINISHED
        place = place_of(generator, request)
        if place not in self.numbers:
            self.numbers[place] = len(self.ways)
            self.ways.append(way)
            self.requests.append(request)
        return self.numbers[place]

    def step(self, number, answer):
        """Where the client at @number is after @answer."""
        key = (number, answer)
        if key not in self.steps:
            start, answers = self.ways[number]
            self.steps[key] = self.find((start, (*answers, answer)))
        return self.steps[key]

    def advance(self, number, monitor, moment):
        """The client after all that it does without a table, up to the next call, or to the next
        beginning: that belongs to the first call of what begins, as one that begins later promises
        more. Yields (number, moment, events)."""
        waiting = [(number, moment, ())]
        while waiting:
            number, moment, events = waiting.pop()
            request = self.requests[number]
            if isinstance(request, Choose):
                waiting += [(self.step(number, i), moment, events) for i in range(request.n)]
            elif isinstance(request, End):
                after = monitor.end(moment, request.who, request.result)
                waiting.append((self.step(number, None), after, (*events, request)))
            else:
                yield number, moment, events

    def begin(self, number, monitor, moment):
        """The same before a call: now a beginning is passed, too."""
        request = self.requests[number]
        if not isinstance(request, Begin):
            return [(number, moment, ())]
        after = monitor.begin(moment, request.who, request.call)
        return [(place, then, (request, *events)) for place, then, events
                in self.advance(self.step(number, None), monitor, after)]
