# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""`tallorder migrate` beside a mix, two at a time, most of them killed."""

import collections
import contextlib
import json
import random
import re
import subprocess
import threading

from campaign_repairs import mend
from cluster import wait_until
from faults import LAYOUTS, PROGRAM, names_of

MOVERS = 2
RUN_SECONDS = 300  # of a run that is not killed
LONGEST_LIFE = 8  # seconds; a migration takes some three
LAST_RUNS = 10  # when nobody kills any more
KEYS = names_of("key_strategies")
SETTLED = "--settled"  # in what is said where an abort has opened tables
SHOWN = 160  # characters of a message
VARYING = re.compile(r"\d+(\.\d+)*|“[^”]*”")  # numbers, addresses and names: messages that differ in these are alike


class Moves:
    """Migrations of the deployment of a mix, until they are stopped."""

    def __init__(self, mix):
        self.killed, self.switched, self.aborted, self.failed = 0, 0, 0, 0
        self.said = ""  # by the last one that failed
        self.phases, self.reasons = collections.Counter(), collections.Counter()  # of kills; of failures
        self._mix, self._stop, self._lock = mix, threading.Event(), threading.Lock()
        self._alone = [threading.Lock() for _mover in range(MOVERS)]  # each is held while its mover calls
        self._threads = [threading.Thread(target=self._run, args=(seed,), daemon=True)
                         for seed in range(MOVERS)]
        for thread in self._threads:
            thread.start()

    def _run(self, seed):
        chance = random.Random(f"{self._mix.name}-{seed}")
        while not self._stop.is_set():
            choice = chance.random()
            if SETTLED in self.said and choice > 0.5:
                self._note("switched", self._settled())
            with self._alone[seed]:
                self._move(choice, chance)

    def _settled(self):
        """Goes on, or begins, where an abort has opened tables: no other one is under way."""
        with contextlib.ExitStack() as stack:
            for lock in self._alone:
                stack.enter_context(lock)
            self.said = ""
            return self.call("--to-layout", LAYOUTS[0], "--to-key", KEYS[0], "--settled")

    def _move(self, choice, chance):
        if choice < 0.15:
            self._note("aborted", self.call("--abort"))
        elif choice < 0.3:
            self._note("dropped", self.call("--drop-source"))
        else:
            move = ("--to-layout", chance.choice(LAYOUTS), "--to-key", chance.choice(KEYS))
            seconds = chance.uniform(0, LONGEST_LIFE) if choice < 0.8 else RUN_SECONDS
            code = self.call(*move, seconds=seconds)
            self._note("switched", code)
            if code not in (0, None):  # something else has begun: goes on with that
                self._note("switched", self.call(seconds=seconds))

    def call(self, *options, seconds=RUN_SECONDS):
        """Runs it, for SECONDS at most. Returns the exit code; None: it was killed."""
        with subprocess.Popen([str(PROGRAM), "migrate", "--store", self._mix.direct, *options],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            try:
                said, _none = process.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                self._count(self.phases, self._phase() or "unknown")
                return None
        if process.returncode != 0:
            self.said = said
            self._count(self.reasons, VARYING.sub("…", said.strip().splitlines()[-1])[:SHOWN])
        return process.returncode

    def _count(self, counter, what):
        with self._lock:
            counter[what] += 1

    def _phase(self):
        """The phase of the migration; None: the deployment cannot be asked."""
        status = subprocess.run([str(PROGRAM), "status", "--store", self._mix.direct, "--json"],
                                capture_output=True, text=True, timeout=RUN_SECONDS, check=False)
        return json.loads(status.stdout)["phase"] if status.returncode == 0 else None

    def _note(self, what, code):
        with self._lock:
            self.killed += code is None
            self.switched += code == 0 and what == "switched"
            self.aborted += code == 0 and what == "aborted"
            self.failed += code not in (0, None)

    def await_kills(self, number, seconds):
        enough = self.killed + number
        wait_until(lambda: self.killed >= enough, seconds, f"{number} migrators killed")

    def stop(self):
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def settle(self):
        """Ends what has begun. Returns whether no phase is left."""
        self.stop()
        for _run in range(LAST_RUNS):
            self.call("--settled")
            if self._phase() == "none":
                return self.call("--abort") == 0  # opens what a late seal has shut
        return False

    def verify(self):
        """Mends what killed writers have left. Returns what is wrong after that."""
        found, left = mend(self._mix.direct)
        return [finding for finding in found if finding["needs_person"]] + left

    def __str__(self):
        return (f"{self.switched} migrations, {self.killed} migrators killed, {self.aborted} aborts, "
                f"{self.failed} calls failed")

    def describe(self):
        """Lines about the kills and the failures: in which phases, and why."""
        yield "phases after kills: " + ", ".join(f"{name} {n}" for name, n in sorted(self.phases.items()))
        yield from (f"{n} failed: {reason}" for reason, n in self.reasons.most_common())


@contextlib.contextmanager
def moves_of(mix):
    """Migrations of a mix; stopped at the end."""
    moves = Moves(mix)
    try:
        yield moves
    finally:
        moves.stop()
