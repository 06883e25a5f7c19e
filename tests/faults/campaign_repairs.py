# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""`tallorder verify --repair` beside a mix, run after run, every third one killed."""

import contextlib
import json
import random
import subprocess
import threading

from faults import PROGRAM

RUN_SECONDS = 300  # of a run that is not killed
KILL_SECONDS = 15  # a run waits 11 s for what is under way
KILL_EACH = 3
LAST_RUNS = 4  # when nobody writes any more


def verify(url, *options, seconds=RUN_SECONDS):
    """Runs it, for SECONDS at most. Returns the exit code (None: it was killed) and its findings and
    summary."""
    with subprocess.Popen([str(PROGRAM), "verify", "--store", url, "--json", *options],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            said, _errors = process.communicate(timeout=seconds)
            code = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            said, _errors = process.communicate()
            code = None
    lines = [json.loads(line) for line in said.splitlines() if line.endswith("}}")]
    return code, [line["finding"] for line in lines if "finding" in line]


def mend(url):
    """Mends until nothing is found, when nobody writes any more: a call may come late that has waited in a
    gateway. Returns what was found, and what is wrong after that."""
    found = []
    for _run in range(LAST_RUNS):
        code, findings = verify(url, "--repair")
        found += findings
        if code == 0:
            break
    code, left = verify(url)
    return found, left + ([] if code == 0 else [f"exit code {code}"])


class Repairs:
    """Runs on the deployment of a mix, through the gateways that the mix sees, until it is stopped."""

    def __init__(self, mix):
        self.ended, self.failed, self.killed, self.mended = 0, 0, 0, 0
        self.false = []  # findings that need a person: nothing is damaged
        self._mix, self._stop = mix, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        chance = random.Random(self._mix.name)
        number = 0
        while not self._stop.is_set():
            number += 1
            is_killed = number % KILL_EACH == 0
            seconds = chance.uniform(0, KILL_SECONDS) if is_killed else RUN_SECONDS
            self._note(*verify(self._mix.through, "--repair", seconds=seconds))

    def _note(self, code, findings):
        self.killed += code is None
        self.ended += code in (0, 1)
        self.failed += code not in (None, 0, 1)
        self.mended += sum(finding["mended"] for finding in findings)
        self.false += [finding for finding in findings if finding["needs_person"]]

    def stop(self):
        self._stop.set()
        self._thread.join()

    def settle(self):
        """Mends what is left. Returns what is wrong after that."""
        _found, left = mend(self._mix.direct)
        return left

    def __str__(self):
        return (f"{self.ended} runs ended, {self.failed} failed, {self.killed} were killed, "
                f"{self.mended} findings mended")


@contextlib.contextmanager
def repairs(mixes):
    """Repairs of all mixes; stopped at the end."""
    all_of_them = [Repairs(mix) for mix in mixes]
    try:
        yield all_of_them
    finally:
        for one in all_of_them:
            one.stop()
