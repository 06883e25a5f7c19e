# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""An HBase of several processes, so that each of them can die alone."""

import contextlib
import json
import os
import socket

from . import UsageError, settings
from .instance import MASTER, MASTER_IS_UP, Instance
from .process import LOOPBACK

ZOOKEEPER = "zookeeper"
REGIONS = ("region-0", "region-1")
REGION_IS_UP = "Serving as localhost,"


class Cluster(Instance):
    """ZooKeeper, a master, two region servers, and gateways. All have the same heap.

    The other processes remember a process that is started again: as in any cluster, ZooKeeper keeps
    the session of a killed process until its time is over.
    """

    cluster = True
    core = (ZOOKEEPER, MASTER, *REGIONS)
    default_gateways = 2

    def gateway_heap(self):
        return self._state["heap"]

    def _start_missing(self):
        if self._is_missing(ZOOKEEPER):
            self._forget_sessions()
            self._start(ZOOKEEPER, settings.zookeeper_command)
        self._wait_zookeeper()
        if self._is_missing(MASTER):
            self._start_master()
        for name in REGIONS:
            if self._is_missing(name):
                self._start(name, settings.region_command)
        self._start_gateways()
        if self._is_awaited(MASTER):
            self._wait_log(MASTER, MASTER_IS_UP)
        for name in filter(self._is_awaited, REGIONS):
            self._wait_log(name, REGION_IS_UP)
        self._wait_gateways()

    def _start(self, name, make_command):
        self._spawn(name, make_command(self._java, self.data, name, self._state["heap"]))

    def _wait_zookeeper(self):
        while not self._zookeeper_answers():
            self._pause(ZOOKEEPER, f"an answer on port {self._state['zookeeper_port']}")

    def _zookeeper_answers(self):
        with contextlib.suppress(OSError):
            address = (LOOPBACK, self._state["zookeeper_port"])
            with socket.create_connection(address, 1.0) as connection:
                connection.settimeout(5.0)
                connection.sendall(b"srvr")
                return connection.recv(64).startswith(b"Zookeeper version")
        return False


def open_instance(data, cluster=None):
    """The instance of a data directory. CLUSTER: which kind it must be; None: any kind."""
    path = os.path.join(os.path.realpath(data), "instance.json")
    is_cluster = bool(cluster)
    with contextlib.suppress(FileNotFoundError, ValueError):
        with open(path, encoding="utf-8") as file:
            is_cluster = json.load(file).get("cluster", False)
        if cluster and not is_cluster:
            raise UsageError(f"{data} holds an HBase of one process: give another --data directory")
    return Cluster(data) if is_cluster else Instance(data)
