# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""A mix of work on one deployment of the cluster, and the proxy through which it may go."""

import json
import subprocess
import time

from cluster import wait_until
from faults import TOOLS, Verdict, run_workload, start_workload

CLOCKS = (0, 3600)  # of the two processes, seconds
PERIOD = 2000  # of a generation, milliseconds
READ_BACK_SECONDS = 600
SETUP_TRIES = 5
STOP_SECONDS = 300  # an operation has 10
START_SECONDS = 600
FIRST_PUTS = 5  # of a process: gateways have turns, and are tried out before the first write by each


class Mix:
    """Two processes, with clocks an hour apart, on one deployment, until they are stopped."""

    def __init__(self, folder, layout, direct, gateways=None, clocks=CLOCKS, ttl=0, still=False,
                 **options):
        """DIRECT: the gateways, for setting up and reading back; GATEWAYS: as the mix sees them;
        TTL: of the deployment, seconds; STILL: there are orders that nobody changes, which are
        checked at the end; OPTIONS: of the workload."""
        self.layout = layout
        self._clocks, self._ttl = clocks, ttl
        self.name = f"{layout}-{time.time_ns()}"
        self.epoch = time.monotonic_ns()
        self._folder, self._options = folder, options
        self.direct, self.through = self._url(direct), self._url(gateways or direct)
        self.histories, self.processes = [], []
        self._kept = {"still": folder / f"{self.name}.still"} if still else {}
        self._create()

    def _create(self):
        """Makes the deployment; HBase may still be busy with what died before."""
        for attempt in range(SETUP_TRIES):
            try:
                self._run(f"setup{attempt}", self.direct, seconds=0, create=self.layout,
                          ttl=self._ttl, **self._kept)
                return
            except AssertionError:
                if attempt == SETUP_TRIES - 1:
                    raise

    def _url(self, gateways):
        return f"hbase://{','.join(gateways)}?name=faults-{self.name}"

    def _new_history(self, process):
        self.histories.append(self._folder / f"{self.name}-{process}.history")
        return self.histories[-1]

    def _run(self, process, url, **options):
        run_workload(url, self._new_history(process), process=process, epoch=self.epoch,
                     period=PERIOD, timeout=READ_BACK_SECONDS + 60, **options)

    def start(self, clocks=None):
        for clock in clocks or self._clocks:
            process = f"p{len(self.histories)}"
            self.processes.append(start_workload(
                self.through, self._new_history(process), process=process, epoch=self.epoch,
                period=PERIOD, clock=clock, seconds=100_000, **self._options))

    def stop(self):
        """Lets each call end, and all processes."""
        for process in self.processes:
            process.terminate()
        codes = [process.wait(STOP_SECONDS) for process in self.processes]
        if any(code not in (0, -9) for code in codes):
            raise AssertionError(f"{self.name}: workloads ended with {codes}")

    def kill(self):
        """Ends what still runs, whatever it does."""
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()

    def verdict(self, garbled=False):
        """Reads everything back, without faults, and checks the whole history.

        GARBLED: answers of gateways were garbled, and errors may say so.
        """
        self._run("after", self.direct, seconds=0, read_back=READ_BACK_SECONDS,
                  **self._kept)
        return Verdict(*self.histories, garbled=garbled)

    def await_work(self):
        """Until all processes write. Opening a store and trying out a gateway are not what faults of
        calls are to hit: either may fail for good if answer after answer is spoiled.
        """
        wait_until(self._all_work, START_SECONDS, f"{self.name}: {FIRST_PUTS} puts of each process")

    def _all_work(self):
        for process in self.processes:
            if process.poll() is not None:
                raise AssertionError(f"{self.name}: a workload ended with {process.returncode}")
        return all(self._acknowledged_in(history, 0) >= FIRST_PUTS
                   for history in self.histories[-len(self.processes):])

    def acknowledged(self, since=0.0):
        """How many puts have been acknowledged since a moment of time.monotonic()."""
        return sum(self._acknowledged_in(history, since * 1e9) for history in self.histories)

    @staticmethod
    def _acknowledged_in(history, since):
        puts, number = set(), 0
        if not history.exists():
            return 0
        for text in history.read_text(encoding="utf-8").splitlines():
            try:
                line = json.loads(text)
            except ValueError:
                continue  # it is being written
            if line.get("do") == "put":
                puts.add(line["call"])
            elif line.get("return") in puts and line["outcome"] == "ok" and line["at"] >= since:
                number += 1
        return number


class Proxy:
    """The fault proxy before some gateways; it ends with its input, so with this test."""

    def __init__(self, gateways, seed=1):
        self._process = subprocess.Popen(
            [str(TOOLS / "proxy"), "-seed", str(seed), *gateways],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self._process.stdout.readline()
        if not line.startswith("listening on "):
            raise AssertionError(f"the fault proxy did not start: {line!r}")
        self.gateways = line.split()[2].split(",")

    def tell(self, command):
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if "error" in answer:
            raise AssertionError(f"the fault proxy, {command}: {answer['error']}")
        return answer

    def close(self):
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()
