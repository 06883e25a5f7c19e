# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""The cluster that `tools/hbase/hbase run --cluster --hdfs` has started around the tests."""

import os
import re
import signal
import sys
import time

from faults import SOURCE

sys.path.insert(0, str(SOURCE / "tools" / "hbase"))
sys.path.insert(0, str(SOURCE / "tests" / "hbase-tool"))

from standalone.cluster import REGIONS, open_instance  # noqa: E402

SESSION_SECONDS = 6.0  # zookeeper.session.timeout: so long a dead region server counts as alive
REGION_BACK_SECONDS = SESSION_SECONDS + 15.0
END_SECONDS = 300  # a region server that finds its session gone ends itself
PORT = re.compile(r"Serving as localhost,(\d+),")


def cluster_data():
    """The cluster's data directory; None without a cluster."""
    return os.environ.get("TALLORDER_HBASE_CLUSTER")


class Parts:
    """The cluster's processes, to be killed and started again; those die with the test."""

    def __init__(self):
        self._instance = open_instance(cluster_data(), cluster=True)

    @property
    def gateways(self):
        return ["%s:%d" % self._instance.address(name) for name in self._instance.gateways]

    @property
    def hdfs(self):
        """Whether its files are in HDFS."""
        return self._instance.hdfs

    def kill(self, *names):
        self._instance.kill(names)

    def restart(self, *names):
        self._instance.restart(names, die_with_parent=True)

    def pause(self, name):
        """Stops a process where it stands, with all its connections."""
        os.kill(self._instance.pid(name), signal.SIGSTOP)

    def go_on(self, name):
        pid = self._instance.pid(name)
        if pid:
            os.kill(pid, signal.SIGCONT)

    def await_end(self, name):
        """Until a region server that was taken for dead has ended itself."""
        wait_until(lambda: not self._instance.pid(name), END_SECONDS, f"the end of {name}")

    def mend(self):
        """Starts whatever does not run."""
        missing = [name for name in self._instance.names if not self._instance.pid(name)]
        if missing:
            self.restart(*missing)

    def region_port(self, name):
        """The port of a region server, as it wrote it down."""
        with open(self._instance.log(name), encoding="utf-8", errors="replace") as log:
            return int(PORT.findall(log.read())[-1])

    def region_servers_of(self, ports):
        """The names of the processes that listen on some of these ports."""
        return [name for name in REGIONS if self.region_port(name) in ports]


def wait_until(condition, seconds, what):
    """Until CONDITION() is true, which it has to be within SECONDS."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {seconds:.0f} s")
        time.sleep(0.05)
