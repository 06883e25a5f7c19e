#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the commit protocol: see README.md. Speaks TAP.

    check.py                    what takes a minute
    check.py --long             all cases, with more clocks, each for at most --seconds
    check.py [--trace] CASE...  these: names, or beginnings of names; with the way to what is wrong
    check.py --list             the names
"""

import argparse
import dataclasses
import sys

import basics
from cases import CASES, MORE_CLOCKS
from explore import Explorer
from trace import say_trace

SHORT_SECONDS = 60             # of processor time for a case that should take few


class Checks:
    """One line a check, and the plan at the end."""

    def __init__(self):
        self.count = self.failed = 0

    def check(self, good, what, lines=()):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} {what}")
        for line in lines:
            print(f"# {line}")
        sys.stdout.flush()

    def finish(self):
        print(f"1..{self.count}")
        return 1 if self.failed else 0


def explore(case, seconds):
    """(whether that was all, number of states, what is wrong or None, the way to it)"""
    total, whole = 0, True
    for clocks in case.clocks:
        explorer = Explorer(case.variant, case.claims, case.faults,
                            list(zip(clocks, case.clients)))
        complete, states, wrong, way = explorer.explore(seconds / len(case.clocks))
        total += states
        whole = whole and complete
        if wrong:
            return True, total, wrong, way
    return whole, total, None, []


def check_case(checks, case, options):
    complete, states, wrong, way = explore(case, options.seconds)
    good = (wrong is None if case.found is None else wrong is not None and case.found in wrong)
    good = good and (complete or options.long)
    said = wrong or ("nothing wrong" if complete else "nothing wrong, but not all explored")
    lines = [case.why] if case.why else []
    if wrong and (options.trace or not good):
        lines += say_trace(way)
    if case.found and not good:
        lines.append(f"should be found by “{case.found}”")
    checks.check(good, f"{case.name}: {said} ({states} states)", lines)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("case", nargs="*", help="names or beginnings of names; default: all")
    parser.add_argument("--long", action="store_true", help="also what takes long, more clocks")
    parser.add_argument("--seconds", type=float, help="processor time for a case")
    parser.add_argument("--trace", action="store_true", help="show the way to what is wrong")
    parser.add_argument("--list", action="store_true", help="show the names of all cases")
    options = parser.parse_args()
    options.seconds = options.seconds or (300 if options.long else SHORT_SECONDS)
    return options


def choose(options):
    """The cases that are asked for."""
    if options.case:
        return [case for case in CASES if case.name.startswith(tuple(options.case))]
    if options.list:
        return CASES
    if options.long:
        return [dataclasses.replace(case, clocks=MORE_CLOCKS) for case in CASES]
    return [case for case in CASES if not case.long]


def main():
    options = parse_options()
    chosen = choose(options)
    if not chosen:
        print(f"check.py: no such case: {' '.join(options.case)}; --list names all",
              file=sys.stderr)
        return 2
    if options.list:
        print("\n".join(case.name + (" (long)" if case.long else "") for case in chosen))
        return 0
    checks = Checks()
    if not options.case:
        basics.check_all(checks)
    for case in chosen:
        check_case(checks, case, options)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
