# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Explores everything that can happen to a few clients of one order.

Between any two calls of a client any others can make theirs. A call can also lose its answer, be
late (it happens at any later time, or never, and its client has an error that the answer is lost),
or be answered with "did not match" though it was done, as by a gateway that repeats calls, or
though it matches. A read that settles something can show what was there before. The table may be
compacted at any time. A crash needs no step of its own: a client that is never let on again has
crashed, and in every state all others may be the only ones that go on.

Every state is judged: the answers that the clients got must be linearizable; and a client that is
alone from there on, with a clock that is far behind, must be able to read and write.
"""

import time
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import linear
from clients import Begin, Clients, Do, End
from protocol import FIRST
from rows import EMPTY, compact, mutate, newest, visible
from state import CHILDREN, DATES, DONE, LOST, NOT_FOUND, ROOT, Choose, Lineage, Read, Settle, WriteIf

ROWS = (ROOT, *CHILDREN, *DATES)
MOST_BEFORE = 3                # states of a row that a stale read may show
MOST_WORLDS = 6_000_000        # or it needs more than 3 GB


@dataclass(frozen=True)
class Faults:
    """How often each may happen in one run."""
    lost: int = 0              # answers that are lost, the calls done or late
    lies: int = 0              # calls that are done and answered with "did not match"
    compactions: int = 0
    misses: int = 0            # calls that would match, are not done, and so answered
    stale: int = 0             # reads that settle something, and show what was there before


class World(NamedTuple):
    """All there is at one moment. Its numbers stand for rows, calls, places, explanations."""
    rows: tuple
    late: tuple                # calls on their way
    clients: tuple
    monitor: int
    lost: int                  # what is left of Faults
    lies: int
    compactions: int
    misses: int
    stale: int
    before: tuple              # what the root row was before, while reads may be stale


class Step(NamedTuple):
    """What led from one world to the next."""
    client: Any                # its index; or "late", "compaction"
    call: Any
    answer: Any
    note: str
    events: tuple              # Begin and End


class Numbers:
    """A number for each of many things, so that worlds are small and soon compared."""

    def __init__(self):
        self.things, self.numbers = [], {}

    def of(self, thing):
        if thing not in self.numbers:
            self.numbers[thing] = len(self.things)
            self.things.append(thing)
        return self.numbers[thing]


class Table:
    """The rows of one order, as numbers, and what calls do to them."""

    def __init__(self, versions):
        self.versions = versions
        self.rows, self.calls, self.effects = Numbers(), Numbers(), {}

    def execute(self, rows, call):
        """(rows, answer) after @call."""
        place = 0 if isinstance(call, WriteIf) else ROWS.index(call.row)
        key = (rows[place], self.calls.of(call))
        if key not in self.effects:
            after, answer = self.effect(self.rows.things[rows[place]], place, call)
            self.effects[key] = self.rows.of(after), answer
        after, answer = self.effects[key]
        return (*rows[:place], after, *rows[place + 1:]), answer

    def kept(self, place):
        """How many versions of a cell are kept; of hints one."""
        return 1 if ROWS[place] in DATES else self.versions

    def effect(self, row, place, call):
        cells = visible(row, self.kept(place))
        if isinstance(call, Read):
            return row, cells
        if isinstance(call, WriteIf):
            state = newest(cells, "s")
            if (state.value if state else None) != call.expected:
                return row, False
            return mutate(row, call.mutations), True
        return mutate(row, call.mutations), None

    def compact(self, rows):
        return tuple(self.rows.of(compact(self.rows.things[row], self.kept(place)))
                     for place, row in enumerate(rows))


# What the lone client does in the end, and the answers that it must get. The first get may find
# anything.
LONE = (Do("get"), Do("put", "lone 1"), Do("get"), Do("delete"), Do("get"),
        Do("put", "lone 2", condition="absent"), Do("get"))
LONE_IN_TIME = tuple(replace(do, clock=100 * (i + 1)) for i, do in enumerate(LONE))
LONE_RESULTS = [DONE, "lone 1", DONE, NOT_FOUND, DONE, "lone 2"]


class Explorer:
    """One case with the clocks that its clients have."""

    def __init__(self, variant, layout, faults, clients):
        """@layout: (claims, index). @clients: (clock, what it does) of each."""
        (claims, index), no_is_final = layout, faults.lies == 0
        self.operation_arguments = (claims, no_is_final, variant, index)
        self.index = index
        calls = {(do.what, do.token) for _clock, todo in clients for do in todo if do.what != "get"}
        self.once = len(calls) == 1 and calls.pop()[1] is not None
        earlier = any(do.earlier for _clock, todo in clients for do in todo)
        self.lone = LONE_IN_TIME if earlier and not no_is_final else LONE
        self.monitor, self.clients = linear.Monitor(), Clients()
        self.table, self.alone = Table(variant.versions), {}
        places = tuple(self.clients.start(name, todo, clock, self.operation_arguments)
                       for name, (clock, todo) in enumerate(clients))
        empty = self.table.rows.of(EMPTY)
        self.start = World((empty,) * len(ROWS), (), places, self.monitor.START, faults.lost,
                           faults.lies, faults.compactions, faults.misses, faults.stale, ())

    def next_worlds(self, world):
        """All (step, world) that can come next."""
        for index in range(len(world.clients)):
            yield from self.client_steps(world, index)
        for i, number in enumerate(world.late):
            call = self.table.calls.things[number]
            rows, answer = self.table.execute(world.rows, call)
            yield (Step("late", call, answer, "", ()),
                   world._replace(rows=rows, late=world.late[:i] + world.late[i + 1:]))
        if world.compactions:
            rows = self.table.compact(world.rows)
            if rows != world.rows:
                yield (Step("compaction", None, None, "", ()),
                       world._replace(rows=rows, compactions=world.compactions - 1))

    def client_steps(self, world, index):
        """The client makes its next call, and all that may come of it."""
        begun = self.clients.begin(world.clients[index], self.monitor, world.monitor)
        for place, moment, before in begun:
            call = self.clients.requests[place]
            if call is None:
                continue
            for changed, answer, note in self.outcomes(world, call):
                then = self.clients.step(place, answer)
                for after, monitor, events in self.clients.advance(then, self.monitor, moment):
                    clients = (*world.clients[:index], after, *world.clients[index + 1:])
                    yield (Step(index, call, answer, note, before + events),
                           changed._replace(clients=clients, monitor=monitor))

    def outcomes(self, world, call):
        """What can become of a call: (world, answer, note)."""
        rows, answer = self.table.execute(world.rows, call)
        done = world._replace(rows=rows)
        if world.stale and rows[0] != world.rows[0]:
            done = done._replace(before=(*world.before, world.rows[0])[-MOST_BEFORE:])
        yield done, answer, ""
        if isinstance(call, Settle) and world.stale:
            for row in world.before:
                cells = visible(self.table.rows.things[row], self.table.versions)
                yield world._replace(stale=world.stale - 1), cells, "stale"
        if isinstance(call, Read):
            return
        if world.lost:
            if answer is not False:
                yield done._replace(lost=world.lost - 1), LOST, "done, and the answer is lost"
            late = tuple(sorted((*world.late, self.table.calls.of(call))))
            yield world._replace(late=late, lost=world.lost - 1), LOST, "on its way"
        if world.lies and answer is True:
            yield done._replace(lies=world.lies - 1), False, "done all the same"
        if world.misses and answer is True:
            yield world._replace(misses=world.misses - 1), False, "though it does"

    def what_is_wrong(self, world):
        """In words; None if nothing is."""
        if world.monitor == self.monitor.WRONG:
            return "no order of the calls explains what this one returned"
        if world.rows not in self.alone:
            self.alone[world.rows] = self.go_on_alone(world.rows)
        told, left = self.alone[world.rows]
        if told[1:] != LONE_RESULTS:
            done = ", ".join(f"{do.what} → {result}" for do, result in zip(self.lone, told))
            return f"a client that is alone now is told: {done}"
        if self.once and self.find_replaced(world.rows):
            return "one put was done twice"
        if self.index and self.is_unlisted(world.rows):
            return "a live order has no hint that leads to it"
        if left:
            return f"a client that is alone has stored an order, and beside it lies {left}"
        moment = self.monitor.begin(world.monitor, "lone", linear.Get())
        if self.monitor.end(moment, "lone", told[0]) == self.monitor.WRONG:
            return f"no order of the calls explains what a get finds now: {told[0]}"
        return None

    def find_replaced(self, rows):
        """The revision that what is committed has replaced."""
        state = newest(self.table.rows.things[rows[0]].cells, "s")
        return state and isinstance(state.value.pending_token, Lineage) and (
            state.value.pending_token.replaced)

    def is_unlisted(self, rows):
        state = newest(self.table.rows.things[rows[0]].cells, "s")
        return (state is not None and state.value.live
                and not self.table.rows.things[rows[ROWS.index(state.value.date)]].cells)

    def go_on_alone(self, rows):
        """The answers that a client alone with @rows gets, and the rows that are left after its
        first put."""
        place = self.clients.start("lone", self.lone, 0, self.operation_arguments)
        told, left = [], []
        while place != self.clients.FINISHED:
            request, answer = self.clients.requests[place], None
            if isinstance(request, End):
                told.append(request.result)
                left += self.find_dead(rows) if len(told) == 2 else []
            elif isinstance(request, Choose):
                answer = 0
            elif not isinstance(request, Begin):
                rows, answer = self.table.execute(rows, request)
            place = self.clients.step(place, answer)
        return told, ", ".join(left)

    def find_dead(self, rows):
        """The cells that no reader can see, in words; not looked for where versions are limited."""
        things = [self.table.rows.things[row].cells for row in rows]
        state = newest(things[0], "s")
        if state is None or self.table.versions is not None:
            return []
        committed = state.value.revision
        lineage = state.value.pending_token
        first = not isinstance(lineage, Lineage) or lineage.replaced == 0    # a load's stay
        return [f"{name}: {cell.qualifier} @{cell.timestamp}"
                for name, cells in zip((ROOT, *CHILDREN), things)
                for cell in cells if cell.timestamp != committed
                and not (first and (cell.timestamp < FIRST or cell.timestamp % 1))]

    def explore(self, seconds):
        """Breadth first, so that what is found is found on a shortest way.

        Returns (whether that was all, number of states, what is wrong or None, the steps to it).
        """
        came_from, level = {self.start: None}, [self.start]
        end = time.process_time() + seconds
        while level:
            following = []
            for world in level:
                for _step, new in self.next_worlds(world):
                    if new in came_from:
                        continue
                    came_from[new] = world
                    wrong = self.what_is_wrong(new)
                    if wrong:
                        return True, len(came_from), wrong, self.way_to(new, came_from)
                    following.append(new)
                if time.process_time() > end or len(came_from) > MOST_WORLDS:
                    return False, len(came_from), None, []
            level = following
        return True, len(came_from), None, []

    def way_to(self, world, came_from):
        """The steps that lead to @world, and the rows after each."""
        steps = []
        while came_from[world] is not None:
            before = came_from[world]
            step = next(step for step, new in self.next_worlds(before) if new == world)
            steps.append((step, [self.table.rows.things[row] for row in world.rows]))
            world = before
        return steps[::-1]
