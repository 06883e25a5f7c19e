#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Deployments on RocksDB that move while others write, read and list, and migrators that are killed.

    moves.py tours           from each layout to each other one, from each key to each other one
    moves.py kills NUMBER    so many processes are killed in the middle of migrations
"""

import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

from faults import LAYOUTS, PROGRAM, Checks, Verdict, build_tools, run_workload, workload

CLOCKS = [0, 3600]
TOUR_SECONDS = 600  # at most
TOUR_STEPS = 20  # ordered pairs of five
ACKNOWLEDGED = 60  # puts, or a history says nothing
FIRST_ANSWERS = 10  # of a process that is to be killed
LONGEST_LIFE = 0.7  # seconds that it lives after that, at most
COMMAND_SECONDS = 300


def tour(checks, folder, layout, what, threads=1, failures=0):
    """All pairs in one walk. What nobody changes is checked after each switch, and all is verified."""
    name = f"{layout}-{what}-{failures}"
    history = folder / f"{name}.history"
    try:
        said = run_workload(f"rocksdb:{folder}/{name}?sync=0", history, create=layout, tour=what,
                            still=folder / f"{name}.still", clock=CLOCKS, threads=threads,
                            seconds=TOUR_SECONDS, timeout=TOUR_SECONDS + 60, period=50, patience=30,
                            failures=failures, read_back=120)
    except AssertionError as error:
        checks.check(False, f"{layout}, moved through all {what}", error)
        return
    switched = json.loads(said)["switched"]
    verdict = Verdict(history)
    checks.check(switched == TOUR_STEPS and verdict.is_right(ACKNOWLEDGED),
                 f"{layout}, moved through all pairs of {what}: {switched} migrations, linearizable",
                 verdict)


def command(name, *options, code=0):
    """Runs the program on a store that nobody else has open."""
    result = subprocess.run([str(PROGRAM), name, *map(str, options)], text=True, timeout=COMMAND_SECONDS,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if code is not None and result.returncode != code:
        raise AssertionError(f"tallorder {name}: {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


class Kills:
    """Processes that write, read and list, each with two migrators; one after the other is killed."""

    def __init__(self, folder, layout, seed):
        self.folder, self.layout = folder, layout
        self.chance = random.Random(seed)
        self.store = f"rocksdb:{folder}/{layout}-kills?sync=0"
        self.still = folder / f"{layout}-kills.still"
        self.histories, self.phases, self.ends = [], {}, {}
        self.epoch = time.monotonic_ns()
        self._run(create=self.layout, seconds=0)
        self.kept = self.export()

    def _options(self, **options):
        self.histories.append(self.folder / f"{self.layout}-kills-{len(self.histories)}.history")
        return dict(process=f"p{len(self.histories)}", epoch=self.epoch, period=200, patience=100,
                    still=self.still, failures=0, clock=[3600 * (len(self.histories) % 2)]) | options

    def _run(self, **options):
        options = self._options(**options)
        return run_workload(self.store, self.histories[-1], **options)

    def export(self):
        """What nobody changes, as an export has it; the pages of a customer may come in any order."""
        return sorted(command("export", "--store", self.store, "still").splitlines())

    def kill(self):
        options = self._options(movers=2, seconds=60)
        history = self.histories[-1]
        with workload(self.store, history, **options) as process:
            wait_for_answers(history, process)
            time.sleep(self.chance.uniform(0, LONGEST_LIFE))
            process.send_signal(signal.SIGKILL)

    def go_on(self):
        """Another process ends the migration, or leaves it to the next one that is killed."""
        phase = json.loads(command("status", "--store", self.store, "--json"))["phase"]
        self.phases[phase] = self.phases.get(phase, 0) + 1
        how = self.chance.choice(("resumed", "aborted", "left")) if phase != "none" else "left"
        if phase == "aborting" and how == "resumed":
            how = "aborted"
        self.ends[how] = self.ends.get(how, 0) + 1
        if how == "left":
            return
        if how == "resumed":
            command("migrate", "--store", self.store, "--pause", 60)
        else:
            command("migrate", "--store", self.store, "--abort")
        if self.export() != self.kept:
            raise AssertionError(f"{phase}, {how}: what nobody changes is not as it was")

    def settle(self):
        """Ends what has begun, reads all back, and mends what writers left that were killed. Returns
        what is wrong then."""
        self._run(movers=1, seconds=0.2, read_back=120)
        mended = command("verify", "--store", self.store, "--repair", "--json", code=None)
        for_person = [line for line in mended.splitlines() if '"needs_person":true' in line]
        left = command("verify", "--store", self.store, "--json", code=None)
        return for_person + [line for line in left.splitlines() if '"finding"' in line]

    def __str__(self):
        return f"killed in phases {self.phases}, {self.ends}"


def wait_for_answers(history, process):
    """Until it has opened the store, and works."""
    deadline = time.monotonic() + COMMAND_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if history.exists() and history.read_text().count('"outcome"') >= FIRST_ANSWERS:
            return
        time.sleep(0.02)
    raise AssertionError(f"{history}: no answers; it ended with {process.poll()}")


def kills(checks, folder, layout, number, seed):
    """Kills so many processes. Afterwards nothing is lost, changed or doubled."""
    run = Kills(folder, layout, seed)
    try:
        for _kill in range(number):
            run.kill()
            run.go_on()
        wrong = run.settle()
    except AssertionError as error:
        checks.check(False, f"{layout}, {number} killed, seed {seed}: {run}", error)
        return
    verdict = Verdict(*run.histories)
    checks.check(verdict.is_right(min(ACKNOWLEDGED, 5 * number)) and verdict.count("killed") > 0,
                 f"{layout}, {number} killed, seed {seed}: {run}: linearizable", verdict)
    checks.check(not wrong, f"{layout}, {number} killed: verify finds nothing", "\n".join(wrong))


def check_tour(checks, folder):
    tour(checks, folder, "blob", "both")


def check_kills(checks, folder):
    kills(checks, folder, "record-type", 5, 1)


def main(arguments):
    checks = Checks()
    build_tools()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if arguments == ["tours"]:
            for layout in LAYOUTS:
                tour(checks, folder, layout, "keys", threads=2)
            tour(checks, folder, "blob", "layouts", threads=2)
            tour(checks, folder, "blob", "both", threads=2)
        elif len(arguments) == 2 and arguments[0] == "kills":
            for i, layout in enumerate(LAYOUTS):
                kills(checks, folder, layout, -(-int(arguments[1]) // len(LAYOUTS)), 1 + i)
        else:
            print(__doc__, file=sys.stderr)
            return 2
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
