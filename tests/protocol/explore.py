# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Explores everything that can happen to a few clients of one order, and to those who migrate it.

Between any two calls of a client any others can make theirs. A call can also lose its answer, be
late (it happens at any later time, or never, and its client has an error that the answer is lost),
or be answered with "did not match" though it was done, as by a gateway that repeats calls, or
though it matches. A read that settles something can show what was there before. The table may be
compacted at any time. A crash needs no step of its own: a client that is never let on again has
crashed, and in every state all others may be the only ones that go on.

Every state is judged: the answers that the clients got must be linearizable; when the record names
other tables, they must hold what is committed; and a client that is alone from there on, with a clock
that is far behind, must be able to read and write, after it has ended or aborted what was begun.
"""

import time
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import linear
from clients import Begin, Clients, Do, End
from copying import convert
from migrate import may_be_opened
from protocol import FIRST
from rows import EMPTY, DeleteUpTo, compact, mutate, newest, visible
from state import (ABORTING, DATES, DONE, DROPPED, LINES, LOST, NONE, NOT_FOUND, NUMBER, ORDERS, ROOT, SHUT, Access, Choose, Describe,
                   Lineage, Read, ReadRecord, Record, SetAccess, Settle, Write, WriteIf, WriteRecordIf,
                   find_root)

MOST_BEFORE = 3                # states of a row that a stale read may show
MOST_WORLDS = 6_000_000        # or it needs more than 3 GB


UNEQUAL = -1                   # in the place of a monitor's number


class Faults(NamedTuple):
    """How often each may happen in one run."""
    lost: int = 0              # answers that are lost, the calls done or late
    lies: int = 0              # calls that are done and answered with "did not match", or as if the
    #                            tables were shut; calls so refused that are done later
    compactions: int = 0
    misses: int = 0            # calls that would match, are not done, and so answered
    stale: int = 0             # reads that settle something, and show what was there before
    moving: int = 0            # lost answers of those who migrate
    expiries: int = 0          # the TTL takes what is as old as the first revision


class World(NamedTuple):
    """All there is at one moment. Its numbers stand for rows, calls, places, explanations."""
    rows: tuple                # of each generation
    tables: int                # the record, and the access to each generation
    late: tuple                # calls on their way
    clients: tuple
    monitor: int
    left: Faults
    before: tuple = ()         # what the first root row was before, while reads may be stale

    def spend(self, fault, **changes):
        """The world after one more @fault."""
        left = self.left._replace(**{fault: getattr(self.left, fault) - 1})
        return self._replace(left=left, **changes)


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


def change_access(access, call, opens):
    """@opens: what kind of call opens what is closed, beside those that are to."""
    closed = access.closed and call.what != opens
    if call.what in ("drop", "make"):
        return Access(gone=call.what == "drop")
    if access.gone:
        return access
    return {"seal": access._replace(seal=call.token, closed=closed),
            "unseal": access._replace(seal=None, closed=closed),
            "close": access._replace(closed=True), "open": access._replace(closed=False)}[call.what]


class Table:
    """The rows of one order in each generation, the record, and the access to the tables, as numbers;
    and what calls do to them."""

    def __init__(self, layouts, variant):
        self.versions, self.expires_in = variant.versions, variant.expires_in
        self.opens = variant.opens
        self.steps = variant.steps
        self.sealed = (Write, WriteIf) if variant.seal_refuses == "every write" else WriteIf
        roots = max((layout.roots for layout in layouts), key=len)
        self.names = (*roots, *layouts[0].children,
                      *(DATES if any(layout.index for layout in layouts) else ()),
                      *((NUMBER,) if any(layout.ids for layout in layouts) else ()))
        self.rows, self.calls, self.effects = Numbers(), Numbers(), {}
        self.tables, self.changes = Numbers(), {}
        self.empty = (self.rows.of(EMPTY),) * len(self.names)
        self.places = layouts[0].tables
        self.start = (self.empty * len(layouts),
                      self.tables.of((Record(), (Access(),) * len(self.places) * len(layouts))))

    def execute(self, rows, tables, call):
        """(rows, tables, answer) after @call."""
        if isinstance(call, (Read, Write, WriteIf)):
            if self.is_shut(tables, call):
                return rows, tables, SHUT
            rows, answer = self.execute_on_rows(rows, call)
            return rows, tables, answer
        if isinstance(call, SetAccess) and call.what in ("clear", "drop"):
            first = (call.generation - 1) * len(self.names)
            rows = (*rows[:first], *self.empty, *rows[first + len(self.names):])
            if call.what == "clear":
                return rows, tables, None
        key = (tables, self.calls.of(call))
        if key not in self.changes:
            after, answer = self.effect_on_tables(self.tables.things[tables], call)
            self.changes[key] = self.tables.of(after), answer
        return (rows, *self.changes[key])

    def access_place(self, generation, table):
        return (generation - 1) * len(self.places) + self.places.index(table)

    def is_shut(self, tables, call):
        rows = (call.row, *(row for row, _mutations in getattr(call, "others", ())))
        return any(self.refuses(tables, call, row) for row in rows)

    def refuses(self, tables, call, row):
        is_root = row == ROOT or LINES not in self.places
        place = self.access_place(call.generation, ORDERS if is_root else LINES)
        access = self.tables.things[tables][1][place]
        return access.closed or access.gone or (access.seal is not None and isinstance(call, self.sealed))

    def place(self, generation, row):
        """Where it is among all rows."""
        return (generation - 1) * len(self.names) + self.names.index(row)

    def execute_on_rows(self, rows, call):
        place = self.place(call.generation, call.row)
        key = (rows[place], self.calls.of(call))
        if key not in self.effects:
            after, answer = self.effect(self.rows.things[rows[place]], place, call)
            self.effects[key] = self.rows.of(after), answer
        after, answer = self.effects[key]
        rows = (*rows[:place], after, *rows[place + 1:])
        for row, mutations in getattr(call, "others", ()) if answer is True else ():
            rows, _answer = self.execute_on_rows(rows, Write(call.generation, row, mutations))
        return rows, answer

    def effect_on_tables(self, tables, call):
        record, accesses = tables
        if isinstance(call, ReadRecord):
            return tables, record
        if isinstance(call, Describe):
            return tables, accesses[self.access_place(call.generation, call.table)]
        if isinstance(call, WriteRecordIf):
            expected = self.make_step(call.expected, record)
            matches = expected is None or expected == record
            return ((self.make_step(call.record, record), accesses), True) if matches else (tables, False)
        place = self.access_place(call.generation, call.table)
        after = change_access(accesses[place], call, self.opens)
        answer = SHUT if after.gone and call.what != "drop" else None
        return (record, (*accesses[:place], after, *accesses[place + 1:])), answer

    def make_step(self, step, record):
        """The record @step as it is compared with @record, and as it is written in its place."""
        if self.steps == "of one deployment" or step is None or DROPPED in (step.phase, record.phase):
            return step
        layout = record.layout + step.generation - record.generation
        return step._replace(id=record.id, first=record.first, layout=layout)

    def kept(self, place):
        """How many versions of a cell are kept; of hints one."""
        return 1 if self.names[place % len(self.names)] in DATES else self.versions

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

    def expire(self, rows):
        """Also what is written later with such a timestamp."""
        n_rows = len(self.names) if self.expires_in == "source" else len(rows)
        marker = (DeleteUpTo(FIRST),)
        return tuple(self.rows.of(mutate(self.rows.things[row], marker)) if place < n_rows else row
                     for place, row in enumerate(rows))

    def record(self, tables):
        return self.tables.things[tables][0]

    def row(self, rows, generation, name):
        return self.rows.things[rows[self.place(generation, name)]]

    def state(self, rows, generation, root=ROOT):
        return find_root(self.row(rows, generation, root).cells).state

    def compact(self, rows):
        return tuple(self.rows.of(compact(self.rows.things[row], self.kept(place)))
                     for place, row in enumerate(rows))


# What the lone client does in the end, and the answers that it must get. The first get may find
# anything.
LONE = (Do("get"), Do("put", "lone 1"), Do("get"), Do("delete"), Do("get"),
        Do("put", "lone 2", condition="absent"), Do("get"))
LONE_IN_TIME = tuple(replace(do, clock=100 * (i + 1)) for i, do in enumerate(LONE))
LONE_RESULTS = [DONE, "lone 1", DONE, NOT_FOUND, DONE, "lone 2"]


MIGRATE, ABORT = Do("migrate"), Do("abort")
MAX_LONE_CALLS = 300


class Explorer:
    """One case with the clocks that its clients have."""

    def __init__(self, variant, layouts, faults, clients):
        """@layouts: of each generation. @clients: (clock, what it does) of each."""
        no_is_final = faults.lies == 0
        todos = [do for _clock, todo in clients for do in todo]
        self.variant, self.layouts = variant, layouts
        self.operation_arguments = (layouts, no_is_final, variant)
        calls = {(do.what, do.token) for do in todos if do.what not in ("get", "migrate", "abort")}
        self.once = len(calls) == 1 and calls.pop()[1] is not None
        self.collides = any(do.collides for do in todos)
        in_time = any(do.earlier for do in todos) and not no_is_final
        self.lone = tuple(replace(do, rows=layouts[0].children) for do in
                          (LONE_IN_TIME if in_time or layouts[0].expires else LONE))
        self.moving = tuple(all(do.what in ("migrate", "abort", "remake") for do in todo)
                            for _clock, todo in clients)
        self.monitor, self.clients = linear.Monitor(), Clients()
        self.table, self.alone = Table(layouts, variant), {}
        places = tuple(self.clients.start(name, todo, clock, self.operation_arguments)
                       for name, (clock, todo) in enumerate(clients))
        self.start = World(*self.table.start, (), places, self.monitor.START, faults)

    def next_worlds(self, world):
        """All (step, world) that can come next."""
        for index in range(len(world.clients)):
            yield from self.client_steps(world, index)
        for i, number in enumerate(world.late):
            call = self.table.calls.things[number]
            after, answer = self.do(world, call)
            yield (Step("late", call, answer, "", ()),
                   after._replace(late=world.late[:i] + world.late[i + 1:]))
        if world.left.compactions:
            rows = self.table.compact(world.rows)
            if rows != world.rows:
                yield (Step("compaction", None, None, "", ()), world.spend("compactions", rows=rows))

        if world.left.expiries:
            moment = self.monitor.begin(world.monitor, "ttl", linear.Delete())
            yield (Step("expiry", None, None, "", ()),
                   world.spend("expiries", rows=self.table.expire(world.rows), monitor=moment))

    def client_steps(self, world, index):
        """The client makes its next call, and all that may come of it."""
        if world.monitor == UNEQUAL:
            return
        begun = self.clients.begin(world.clients[index], self.monitor, world.monitor)
        for place, moment, before in begun:
            call = self.clients.requests[place]
            if call is None:
                continue
            for changed, answer, note in self.outcomes(world, call, self.moving[index]):
                then = self.clients.step(place, answer)
                for after, monitor, events in self.clients.advance(then, self.monitor, moment):
                    clients = (*world.clients[:index], after, *world.clients[index + 1:])
                    if changed.monitor == UNEQUAL:
                        monitor = UNEQUAL
                    yield (Step(index, call, answer, note, before + events),
                           changed._replace(clients=clients, monitor=monitor))

    def do(self, world, call):
        """(the world after @call, its answer)"""
        rows, tables, answer = self.table.execute(world.rows, world.tables, call)
        after = world._replace(rows=rows, tables=tables)
        if world.left.stale and rows[0] != world.rows[0]:
            after = after._replace(before=(*world.before, world.rows[0])[-MOST_BEFORE:])
        if isinstance(call, WriteRecordIf) and answer is True:
            before, now = self.table.record(world.tables), self.table.record(tables)
            if self.is_switch(tables, before, now) and not self.is_equal(rows, before, now):
                after = after._replace(monitor=UNEQUAL)
        return after, answer

    def is_switch(self, tables, before, now):
        """Not so if the source is being dropped, or another deployment has been made."""
        gone = self.table.tables.things[tables][1][self.table.access_place(before.generation, ORDERS)].gone
        return before.generation != now.generation and before.id == now.id and not gone

    def is_equal(self, rows, before, now):
        """Whether the target has what the source has committed, of both orders if there are two."""
        given = newest(self.table.row(rows, now.generation, NUMBER).cells, "s") if (
            self.layouts[now.layout - 1].ids) else None
        there = self.table.state(rows, now.generation, given.value if given else ROOT)
        for root in self.layouts[0].roots:
            state = self.table.state(rows, before.generation, root)
            gone = self.table.row(rows, before.generation, root).deleted_up_to >= FIRST
            if state is None or state.revision <= (FIRST if gone and self.layouts[0].expires else 0) or (
                    not state.live and self.variant.copied_tombstones == "erased"):
                wanted = there if len(self.layouts[0].roots) > 1 else None
            else:
                wanted = convert(self.variant, state, self.layouts[before.layout - 1].claims,
                                 self.layouts[now.layout - 1].claims)
            if there != wanted:
                return False
        return True

    def outcomes(self, world, call, moves):
        """What can become of a call: (world, answer, note). @moves: of one who migrates."""
        done, answer = self.do(world, call)
        yield done, answer, ""
        if isinstance(call, Settle) and world.left.stale:
            for row in world.before:
                cells = visible(self.table.rows.things[row], self.table.versions)
                yield world.spend("stale"), cells, "stale"
        if isinstance(call, (Read, ReadRecord, Describe)):
            return
        lost = "moving" if moves else "lost"
        if getattr(world.left, lost):
            if answer not in (False, SHUT):
                yield done.spend(lost), LOST, "done, and the answer is lost"
            yield world.spend(lost, late=self.later(world, call)), LOST, "on its way"
        if world.left.lies and answer is True:
            yield done.spend("lies"), False, "done all the same"
        if world.left.misses and answer is True:
            yield world.spend("misses"), False, "though it does"
        if world.left.lies and isinstance(call, WriteIf) and len(self.layouts) > 1:
            yield from self.false_shuts(world, done, answer, call)

    def what_is_wrong(self, world):
        """In words; None if nothing is."""
        if world.monitor == UNEQUAL:
            return "the target is not equal to the source at the switch"
        if max(len(layout.roots) for layout in self.layouts) > 1:
            return None                         # with several root rows only the switch is judged
        if world.monitor == self.monitor.WRONG:
            return "no order of the calls explains what this one returned"
        if self.once and self.find_replaced(world.rows, world.tables):
            return "one put was done twice"
        if self.is_unlisted(world.rows, world.tables):
            return "a live order has no hint that leads to it"
        if self.collides and any(place != self.clients.FINISHED for place in world.clients):
            return None                         # until a load has withdrawn, a get says that keys collide
        key = (world.rows, world.tables)
        if key not in self.alone:
            self.alone[key] = tuple(self.all_alone(world))
        for way, told, left, unlisted in self.alone[key]:
            if told[1:] != LONE_RESULTS:
                done = ", ".join(f"{do.what} → {result}" for do, result in zip(self.lone, told))
                return f"a client that is alone now{way} is told: {done}"
            if unlisted:
                return f"a live order has no hint that leads to it{way}"
            if left:
                return f"a client that is alone{way} has stored an order, and beside it lies {left}"
            moment = self.monitor.begin(world.monitor, "lone", linear.Get())
            if self.monitor.end(moment, "lone", told[0]) == self.monitor.WRONG:
                return f"no order of the calls explains what a get finds now{way}: {told[0]}"
        return None

    def later(self, world, call):
        return tuple(sorted((*world.late, self.table.calls.of(call))))

    def false_shuts(self, world, done, answer, call):
        """A gateway that repeats calls: the first one was done, or the last one is to come."""
        if answer is True:
            yield done.spend("lies"), SHUT, "done all the same"
        if answer == SHUT:
            yield world.spend("lies", late=self.later(world, call)), SHUT, "on its way all the same"

    def find_replaced(self, rows, tables):
        """What was replaced by what is committed. A copy does not tell: it is the source's revision."""
        counts = self.table.record(tables).generation
        state = self.table.state(rows, counts)
        source = self.table.state(rows, 1) if counts > 1 else None
        if source and source.revision:
            return state.revision != source.revision and state.revision
        return state and isinstance(state.pending_token, Lineage) and state.pending_token.replaced

    def is_unlisted(self, rows, tables):
        record = self.table.record(tables)
        counts = record.generation
        if not self.layouts[record.layout - 1].index:
            return False
        state = self.table.state(rows, counts)
        return (state is not None and state.live
                and not self.table.row(rows, counts, state.date).cells)

    def all_alone(self, world):
        """(how, the answers that a client gets that is alone from now on, what lies beside what it stored),
        for each way to go on: as it is; after the migration has been ended, or aborted."""
        if len(self.layouts) == 1:
            yield ("", *self.go_on_alone(world, self.lone))
            return
        record, accesses = self.table.tables.things[world.tables]
        first = (record.generation - 1) * len(self.table.places)
        source, ways = accesses[first:first + len(self.table.places)], []
        if record.phase == DROPPED or any(access.gone for access in source):
            return                              # it is being dropped, and made again
        shut = any(access.closed or access.seal is not None for access in source)
        if may_be_opened(self.variant, record):
            ways += [] if shut else [("", ())]
        elif record.generation == record.first and (record.last < len(self.layouts) or record.phase != NONE):
            ends = (ABORT, MIGRATE) if record.phase == ABORTING else (MIGRATE,)
            ways.append(("after a migration", ends))
        else:
            ways.append(("", ()))
        if record.phase != NONE or shut:
            ways.append(("after an abort", (ABORT,)))
        for way, first in ways:
            for opens, how in ((False, ""), (True, "opened now"))[record.id > 1:]:
                get = replace(self.lone[0], opens=opens)
                words = ", ".join(word for word in (way, how) if word)
                yield (f" ({words})" if words else "",
                       *self.go_on_alone(world, (*first, get, *self.lone[1:])))

    def go_on_alone(self, world, todo):
        """The answers that a client gets that is alone from now on, the rows that are left after its
        first put, and whether an order was unlisted when it had its first answer."""
        rows, tables = world.rows, world.tables
        place = self.clients.start("lone", todo, 0, self.operation_arguments)
        told, left, unlisted = [], [], False
        for _call in range(MAX_LONE_CALLS):
            if place == self.clients.FINISHED:
                break
            request, answer = self.clients.requests[place], None
            if isinstance(request, End):
                told.append(request.result)
                left += self.find_dead(rows, tables) if len(told) == 2 else []
                unlisted = unlisted or (len(told) == 1 and self.is_unlisted(rows, tables))
            elif isinstance(request, Choose):
                answer = request.n - 1
            elif not isinstance(request, Begin):
                rows, tables, answer = self.table.execute(rows, tables, request)
            place = self.clients.step(place, answer)
        return told, ", ".join(left), unlisted

    def find_dead(self, rows, tables):
        """The cells that no reader can see, in words; not looked for where versions are limited."""
        record = self.table.record(tables)
        generation = record.generation
        state = self.table.state(rows, generation)
        if state is None or self.table.versions is not None:
            return []
        lineage = state.pending_token
        first = not isinstance(lineage, Lineage) or lineage.replaced == 0    # a load's stay
        return [f"{name}: {cell.qualifier} @{cell.timestamp}"
                for name in (ROOT, *self.layouts[record.layout - 1].children)
                for cell in self.table.row(rows, generation, name).cells
                if cell.timestamp != state.revision
                and not (first and (cell.timestamp < FIRST or cell.timestamp % 1))]

    def explore(self, seconds, most=MOST_WORLDS):
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
                if time.process_time() > end or len(came_from) > most:
                    return False, len(came_from), None, []
            level = following
        return True, len(came_from), None, []

    def way_to(self, world, came_from):
        """The steps that lead to @world, and all rows and tables after each."""
        steps = []
        while came_from[world] is not None:
            before = came_from[world]
            step = next(step for step, new in self.next_worlds(before) if new == world)
            steps.append((step, [self.table.rows.things[row] for row in world.rows],
                          self.table.tables.things[world.tables]))
            world = before
        return steps[::-1]
