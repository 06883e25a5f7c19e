#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Replays traces of the model on the store in C: see README.md. Speaks TAP.

    replay.py PROGRAM [--seeds N] [--first SEED] [CASE...]    PROGRAM is test-replay

Clients of the model make their calls in an order, and with failures, that a seed chooses. For each call
the program lets the same client of the store make its next one, which must be of the same kind, ends it
in the same way, and compares what the rows hold then, and at last what each client gets.

What the model does row by row is one call of the store where it is one plan, or one batch. So such calls
follow each other here without another client in between.

A trace has the calls of a migrator that others can meet: copies, removals, and steps of the record. All that it
reads, seals and closes in between comes at once, and while writers would wait for it none makes a call.
"""

import argparse
import random
import subprocess
import sys

import migrate
import protocol
from case import DELETE, GET, MIGRATE, ONE, REMAKE, again, insert, opens, put, replace
from cases import CASES as COMMITS
from clients import Begin, Clients, End
from copying import make_pass
from explore import Explorer, Faults, Table
from rows import Cell, visible
from state import (CLOSING, COLLIDES, CONFLICT, DATES, DONE, DROPPED, LOST, NONE, NOT_DONE, NOT_FOUND, ROOT, SEALING, SHUT,
                   UNKNOWN, Choose, Describe, Layout, Lineage, Read, ReadRecord, SetAccess, Write, WriteIf,
                   WriteRecordIf, find_root)
from variant import Variant

NO = ()
X, Y, Z = put("x", ONE), put("y", NO), put("z", ONE)
# What clients do; each with and without claims, with and without an index, and with these faults.
CASES = {
    "two puts, put and get": ((X, GET), (Y,), (Z, GET)),
    "put, delete and put beside put and get": ((X, DELETE, Z), (Y, GET)),
    "inserts beside put and delete": ((insert("x", ONE), GET), (Y, DELETE), (insert("z", NO),)),
    "two replace what they have seen": ((X, GET, replace("y", NO)), (GET, replace("z", ONE), GET)),
    "one put, sent three times": ((again("x", ONE), GET), (again("x", ONE),), (again("x", ONE),)),
    "put and get beside deletes": ((X, GET, Z), (DELETE, DELETE), (Y, GET)),
}
FAULTS = {
    "": Faults(),
    ", an answer lost": Faults(lost=1),
    ", one lie": Faults(lies=1),
    ", two answers lost, one lie": Faults(lost=2, lies=1),
}
# The deployment is dropped, and another one made, beside those who know only the first one.
REMADE = {
    "two puts, drop and init, put and get": ((X, Y), (REMAKE, opens(Z), GET)),
    "put, delete and get, drop and init, and one that opens": ((X, DELETE, GET), (REMAKE,), (opens(Z), GET)),
    "two puts, twice drop and init": ((X, Y), (REMAKE,), (opens(GET), GET, Z)),
}
# The orders move to other tables; a slow migrator goes on when another one has ended it.
MOVED = {
    "a put and a get beside two migrators": ((X, Y, GET), (MIGRATE,), (MIGRATE,)),
    "puts and a delete beside two migrators": ((X, DELETE, Z), (Y, GET), (MIGRATE,), (MIGRATE,)),
    "puts and a get that opens beside a migrator": ((X, Y), (Z, opens(GET)), (MIGRATE,)),
}
CRASH, DELIVERY, FAULT = 0.02, 0.15, 0.3    # how likely each is, where it may happen
STAYS = 0.8                    # the same that a client beside migrators makes the next call, too

SECONDS = 60                   # of processor time to find what breaks an alternative
MANY_TRIES = 100               # the store's limit is its time

# Calls that are one in the store, as they are made by one function of the model.
READS_TOGETHER = {"read_together", "get_step_by_step"}


def kind_of(call):
    if isinstance(call, Read):
        return "read"
    if isinstance(call, WriteIf):
        return "write if"
    if isinstance(call, (SetAccess, WriteRecordIf)):
        return "drop" if isinstance(call, SetAccess) else "record"
    removes = not any(isinstance(mutation, Cell) for mutation in call.mutations)
    return "remove" if removes else "write"


def look_twice(operation, _number, record, known):
    """The first phase of a migration as the store has it: the second pass tells how long a look takes."""
    for _look in range(2):
        result, known = yield from make_pass(*migrate.find_ends(operation, record), known)
        if result == COLLIDES:
            return None, known
    record = yield from migrate.change(operation.variant, record, record._replace(phase=SEALING))
    return record, known


def find_maker(place):
    """The function of the model that makes the call of a client at @place: the last that is not a helper."""
    names = [frame[0].co_name for frame in place[1:]]
    return next(name for name in reversed(names) if name not in ("read", "write", "write_if", "ask", "read_root"))


class Walk:
    """One trace: its lines, as the program reads them. It goes by @script first, then by chance."""

    def __init__(self, seed, layouts, todos, faults, clocks, script=()):
        self.script, self.n_calls = list(script), 0
        no_is_final = len(layouts) > 1 and faults.lies == 0
        self.random = random.Random(seed)
        self.variant, self.left = Variant(), dict(faults._asdict())
        self.table, self.clients = Table(layouts, self.variant), Clients()
        self.places_by_number = {}
        self.moves = any(do.what == "migrate" for todo in todos for do in todo)
        self.is_slow = self.moves and seed % 2 == 0
        self.rows, self.tables = self.table.start
        self.layouts, self.late, self.lines, self.bound, self.last = layouts, [], [], None, None
        arguments = (layouts, no_is_final, self.variant)
        self.places = [self.clients.start(name, todo, clock, arguments)
                       for name, (todo, clock) in enumerate(zip(todos, clocks))]
        self.may_crash = not script and sum(faults) > 0 and self.random.random() < FAULT
        for index in range(len(self.places)):
            self.settle(index)

    def place(self, number):
        if number not in self.places_by_number:
            self.places_by_number.update((n, place) for place, n in self.clients.numbers.items())
        return self.places_by_number[number]

    def step(self, index, answer):
        self.places[index] = self.clients.step(self.places[index], answer)

    def settle(self, index):
        """Goes on to the client's next call. Whether it has begun or ended something on the way."""
        passed = False
        while True:
            request = self.clients.requests[self.places[index]]
            if isinstance(request, Choose):
                self.step(index, self.random.randrange(request.n))
            elif isinstance(request, End):
                self.lines.append(f"result {name(index)} {say_result(request.result)}")
                self.step(index, None)
                passed = True
            elif isinstance(request, Begin):
                self.step(index, None)
                passed = True
            elif isinstance(request, ReadRecord) or self.is_missing(request) or self.is_between(index, request):
                self.rows, self.tables, answer = self.table.execute(self.rows, self.tables, request)
                self.step(index, answer)
            else:
                return passed

    def is_missing(self, request):
        """Whether it is a call on tables that are gone."""
        return not self.moves and hasattr(request, "row") and self.table.is_shut(self.tables, request)

    def is_migrating(self, index):
        return any(frame[0].co_name == "migrate" for frame in self.place(self.places[index])[1:])

    def is_between(self, index, request):
        """Whether it is what a migrator does at once. It makes no step of a record that is another one by then."""
        if request is None or not self.is_migrating(index):
            return False
        if isinstance(request, WriteRecordIf):
            return request.expected != self.table.record(self.tables)
        return isinstance(request, (Read, Describe, SetAccess))

    def find_ready(self, alive):
        """Those who may make the next call: others wait while a migrator keeps the tables shut, and in every
        other trace the last migrator stands still before its first copy until another one has switched."""
        record = self.table.record(self.tables)
        if record.phase in (SEALING, CLOSING):
            alive = [index for index in alive if self.is_migrating(index)]
        slow = len(self.places) - 1
        if self.is_slow and slow in alive and record.generation == record.first and self.is_copying(slow):
            alive = [index for index in alive if index != slow] or alive
        return alive

    def is_copying(self, index):
        return self.is_migrating(index) and isinstance(self.clients.requests[self.places[index]], Write)

    def outcomes(self, call, alone):
        """What can become of it, by the words of the program. @alone: it is all of a call of the store."""
        yield "done"
        if not alone or isinstance(call, (Read, SetAccess, WriteRecordIf)) or self.is_missing(call):
            return
        if self.left["lost"]:
            yield "lost"
            if not self.late:
                yield "late"
        if self.left["lies"] and isinstance(call, WriteIf):
            yield "false"

    def make_call(self, index, alone, wanted=None):
        """Returns the outcome."""
        call = self.clients.requests[self.places[index]]
        outcomes = list(self.outcomes(call, alone))
        outcome = self.random.choice(outcomes) if self.random.random() < FAULT else outcomes[0]
        if wanted is not None:
            outcome = wanted if wanted in outcomes else outcomes[0]
        self.n_calls += 1
        if outcome == "late":
            self.late.append((index, call))
            answer = LOST
        else:
            self.rows, self.tables, answer = self.table.execute(self.rows, self.tables, call)
        self.was_shut = answer == SHUT and isinstance(call, Read)
        if answer is False and outcome == "lost" or answer is not True and outcome == "false":
            outcome = "done"
        elif outcome == "false":
            answer = False
        elif outcome == "lost":
            answer = LOST
        if outcome in ("lost", "late"):
            self.left["lost"] -= 1
        elif outcome == "false":
            self.left["lies"] -= 1
        self.step(index, answer)
        return outcome

    def make_calls(self, index, wanted=None):
        """All that is one call in the store. @wanted: how it is to end, if it can."""
        first = self.clients.requests[self.places[index]]
        kind, maker = kind_of(first), find_maker(self.place(self.places[index]))
        joins = kind in ("write", "remove", "drop") or maker in (*READS_TOGETHER, "remove_children")
        first_line, first_row = len(self.lines), getattr(first, "row", None)
        comes_with_hint = kind in ("write", "remove") and self.layouts[0].index and self.layouts[0].claims
        outcome = self.make_call(index, not comes_with_hint and not self.is_migrating(index), wanted)
        passed = self.settle(index)
        while joins and not (passed or self.was_shut) and outcome == "done" and self.is_joined(index, kind, maker, first_row):
            self.make_call(index, alone=False)
            passed = self.settle(index)
        self.bound = index if self.is_bound(index, passed) else None
        self.lines.insert(first_line, f"call {name(index)} {kind.replace(' ', '-')} {outcome} {self.say_rows()}")

    def is_joined(self, index, kind, maker, first_row):
        request = self.clients.requests[self.places[index]]
        if request is None or kind_of(request) != kind:
            return False
        if self.is_migrating(index):
            return ROOT not in (first_row, request.row)
        if kind == "read":
            return find_maker(self.place(self.places[index])) == maker and not (
                maker == "get_step_by_step" and request.row == ROOT)
        return kind in ("write", "remove", "drop")

    def is_bound(self, index, passed):
        """Whether the client's next call comes at once: it gives up a claim that was claimed over. Before the
        store waits for the other claim it looks again, which the model does not."""
        request = self.clients.requests[self.places[index]]
        if (isinstance(request, WriteRecordIf) and not self.is_migrating(index)
                and self.table.record(self.tables).phase != DROPPED):
            return True                         # the tables are dropped, and the record says nothing yet
        state = self.find_root().state
        return (not passed and request is not None and state is not None and state.pending != 0
                and find_maker(self.place(self.places[index])) == "release")

    def deliver(self):
        index, call = self.late.pop()
        self.rows, self.tables, _answer = self.table.execute(self.rows, self.tables, call)
        self.lines.append(f"late {name(index)} {self.say_rows()}")

    def follow_script(self, alive):
        """Makes the next call that it tells."""
        index, outcome = self.script.pop(0)
        if outcome == "deliver":
            if self.late and self.bound is None:
                self.deliver()
            return
        if index not in alive or self.bound not in (None, index):
            return
        before = self.n_calls
        self.make_calls(index, outcome)
        for _ in range(self.n_calls - before - 1):      # what was one call in the store
            others = [place for place, entry in enumerate(self.script) if entry[0] == index]
            if others:
                del self.script[others[0]]

    def run(self):
        alive = list(range(len(self.places)))
        while True:
            alive = [index for index in alive if self.places[index] != self.clients.FINISHED]
            if not alive:
                break
            if self.script:
                self.follow_script(alive)
                continue
            if self.late and self.bound is None and self.random.random() < DELIVERY:
                self.deliver()
                continue
            index = self.choose(self.find_ready(alive))
            if index is None:
                break
            if self.may_crash and self.random.random() < CRASH:
                alive.remove(index)
                self.lines.append(f"crash {name(index)}")
                continue
            self.make_calls(index)
        record = self.table.record(self.tables)
        if self.moves and record.generation > record.first and record.phase == NONE:
            self.lines.append(f"rest {self.say_rows()}")    # a migrator of the store may still go on
        return self.lines

    def choose(self, ready):
        """The client that makes the next call. Beside migrators it is mostly the one that made the last."""
        if self.bound in ready:
            return self.bound
        if not self.moves or self.last not in ready or self.random.random() > STAYS:
            self.last = self.random.choice(ready) if ready else None
        return self.last

    def say_rows(self):
        """The state cell, the timestamps of the children's cells, and those of the hints, in the tables
        that count."""
        record = self.table.record(self.tables)
        if self.is_dropped(record):
            return "dropped"
        if self.table.tables.things[self.tables][1][record.generation - 1].closed:
            return "closed"
        layout = self.layouts[record.layout - 1]
        words = [say_state(self.find_root(), layout.claims)]
        if layout.claims:
            words.append("children=" + say_timestamps(self.cells(row) for row in layout.children))
        if layout.index:
            words += [f"{date}={say_timestamps([self.cells(date)])}" for date in DATES]
        return " ".join(words)

    def is_dropped(self, record):
        accesses = self.table.tables.things[self.tables][1]
        return record.phase == DROPPED or accesses[record.generation - 1].gone

    def find_root(self):
        record = self.table.record(self.tables)
        return find_root(self.table.row(self.rows, record.generation, ROOT).cells)

    def cells(self, row):
        generation = self.table.record(self.tables).generation
        place = self.table.place(generation, row)
        return visible(self.table.row(self.rows, generation, row), self.table.kept(place))


def name(index):
    return "ABCDEFG"[index]


def say_timestamps(rows):
    timestamps = sorted({cell.timestamp for cells in rows for cell in cells})
    return ",".join(map(str, timestamps)) or "-"


def say_state(root, claims):
    state = root.state
    if state is None:
        return "s=none"
    lineage = state.pending_token
    over = lineage.replaced if isinstance(lineage, Lineage) else "claim"
    return (f"s={root.timestamp}/{'live' if state.live else 'dead'}/{state.revision}/{state.pending}/"
            f"{over}/{state.n_children if state.live else 0}")


def say_result(result):
    return {DONE: "done", NOT_DONE: "not-done", UNKNOWN: "unknown", CONFLICT: "conflict",
            NOT_FOUND: "not-found"}.get(result, result)


def say_do(do):
    words = ["open", do.what] if do.opens else [do.what]
    if do.what == "put":
        words += [do.value, "".join(do.rows) or "-", do.condition, "caller" if do.token else "own"]
    return " ".join(words)


def choose_layout(layout, seed):
    """The store has several of each."""
    names = ("normalized", "record-type", "denormalized") if layout.claims else ("blob", "wide")
    return names[seed % len(names)]


def make_trace(seed, title, layouts, todos, faults, clocks, script=()):
    names = " ".join(choose_layout(layout, seed + place) for place, layout in enumerate(layouts[:2]))
    yield f"trace {title}, seed {seed}"
    yield f"layout {'date' if layouts[0].index else 'none'} {names}"
    for number, (todo, clock) in enumerate(zip(todos, clocks)):
        yield f"client {name(number)} {clock} {'; '.join(map(say_do, todo))}"
    few, protocol.MAX_TRIES = protocol.MAX_TRIES, MANY_TRIES
    lines = Walk(seed, layouts, todos, faults, clocks, script).run()
    protocol.MAX_TRIES = few
    yield from lines
    yield "end"


def is_replayable(case):
    """Whether the program knows all that happens in it."""
    faults = case.faults._replace(lost=0, lies=0)
    known = all(do.what in ("put", "get", "delete") and not do.earlier and not do.apart
                for todo in case.clients for do in todo)
    return case.found and not case.generations and not case.together and sum(faults) == 0 and known


OUTCOMES = {"done, and the answer is lost": "lost", "on its way": "late", "done all the same": "false"}


def make_script(case, clocks):
    """In which order the calls come that break the protocol of the case; None: not with these clocks."""
    clients = list(zip(clocks, case.clients))
    _whole, _states, wrong, way = Explorer(case.variant, case.layouts, case.faults, clients).explore(SECONDS)
    if not wrong:
        return None
    return [(step.client, "deliver" if step.client == "late" else OUTCOMES.get(step.note, "done"))
            for step, _rows, _tables in way]


def make_scripted(options):
    """The store goes the way on which each rejected alternative goes wrong."""
    for case in COMMITS:
        if not is_replayable(case) or (options.case and not case.name.startswith(tuple(options.case))):
            continue
        for clocks in case.clocks:
            script = make_script(case, clocks)
            if script is None:
                continue
            for seed in range(options.first, options.first + options.seeds):
                yield from make_trace(seed, case.name, case.layouts, case.clients, case.faults,
                                      clocks, script)
            break


def make_remade(options):
    for title, todos in REMADE.items():
        for faults in (Faults(), Faults(lost=1)):
            full = f"remade/{title}{', an answer lost' if faults.lost else ''}"
            if options.case and not full.startswith(tuple(options.case)):
                continue
            for seed in range(options.first, options.first + 2 * options.seeds):
                claims = (seed % 2 == 0, seed % 3 == 0)
                layouts = tuple(Layout(has_claims, children=ONE) for has_claims in (*claims, False, False))
                yield from make_trace(seed, full, layouts, todos, faults, (1,) * len(todos))


def make_moved(options):
    migrate.copy_open = look_twice
    for title, todos in MOVED.items():
        if options.case and not f"moved/{title}".startswith(tuple(options.case)):
            continue
        for seed in range(options.first, options.first + 10 * options.seeds):
            layouts = tuple(Layout(has_claims, seed % 8 > 3, children=ONE)
                            for has_claims in (seed % 4 > 1, seed % 3 > 0, False))
            yield from make_trace(seed, f"moved/{title}", layouts, todos, Faults(), (1,) * len(todos))


def make_traces(options):
    yield from make_scripted(options)
    yield from make_remade(options)
    yield from make_moved(options)
    for title, todos in CASES.items():
        for words, faults in FAULTS.items():
            for claims in (True, False):
                for index in (False, True):
                    where = ("claims" if claims else "row") + ("/index" if index else "")
                    full = f"{where}/{title}{words}"
                    if options.case and not full.startswith(tuple(options.case)):
                        continue
                    for seed in range(options.first, options.first + options.seeds):
                        layout = Layout(claims, index, children=ONE)
                        clocks = (1 if seed % 2 else 5, *(1,) * (len(todos) - 1))
                        yield from make_trace(seed, full, (layout,), todos, faults, clocks)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("case", nargs="*", help="names or beginnings of names; default: all")
    parser.add_argument("--seeds", type=int, default=6, help="traces of each case")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--print", action="store_true", help="only print the traces")
    return parser.parse_intermixed_args()


def main():
    options = parse_options()
    text = "\n".join(make_traces(options)) + "\n"
    if options.print:
        print(text)
        return 0
    return subprocess.run([options.program], input=text, text=True, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
