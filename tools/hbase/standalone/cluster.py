# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""An HBase of several processes, so that each of them can die alone."""

import contextlib
import json
import os
import socket
import subprocess

from . import ToolError, UsageError, process, settings
from .instance import LOG_LINES, MASTER, MASTER_IS_UP, Instance
from .process import LOOPBACK

ZOOKEEPER = "zookeeper"
REGIONS = ("region-0", "region-1")
NAMENODE = "namenode"
DATANODE = "datanode"
REGION_IS_UP = "Serving as localhost,"
NAMENODE_IS_UP = "NameNode RPC up at"
DATANODE_IS_UP = "successfully registered with NN"
FORMAT_SECONDS = 60


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
        self._start_files()
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

    def _start_files(self):
        """The local file system is there."""

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


class HdfsCluster(Cluster):
    """The same, whose files are in an HDFS of its own. It takes away the lease of a log, so a region
    server that was taken for dead can acknowledge nothing more. A local file has no lease."""

    hdfs = True
    core = (ZOOKEEPER, NAMENODE, DATANODE, MASTER, *REGIONS)

    @property
    def files(self):
        if not self._state.get("namenode_port"):
            self._state["namenode_port"] = process.pick_port(0, self._ports())
        return f"hdfs://{LOOPBACK}:{self._state['namenode_port']}"

    def _forget_port(self, name):
        super()._forget_port(name)
        if name == NAMENODE:
            # All others know its address: they are started anew with ZooKeeper.
            self._state["namenode_port"] = 0
            self._end([ZOOKEEPER], 0)

    def _start_files(self):
        if self._is_missing(NAMENODE):
            settings.write_hdfs_site(self.data, self.files)
            if not os.path.exists(os.path.join(self.data, "hdfs", "name", "current", "VERSION")):
                self._format()
            self._start(NAMENODE, settings.namenode_command)
        if self._is_missing(DATANODE):
            self._start(DATANODE, settings.datanode_command)
        if self._is_awaited(NAMENODE):
            self._wait_log(NAMENODE, NAMENODE_IS_UP)
        if self._is_awaited(DATANODE):
            self._wait_log(DATANODE, DATANODE_IS_UP)

    def _format(self):
        command = settings.format_command(self._java, self.data, "format", self._state["heap"])
        result = subprocess.run(command, capture_output=True, text=True, cwd=self.data,
                                timeout=FORMAT_SECONDS)
        if result.returncode != 0:
            tail = "\n".join((result.stdout + result.stderr).splitlines()[-LOG_LINES:])
            raise ToolError(f"HDFS could not be made in {self.data}:\n{tail}")


KINDS = {"one process": Instance, "a cluster": Cluster, "a cluster with HDFS": HdfsCluster}


def _kind(cluster, hdfs):
    return "a cluster with HDFS" if hdfs else "a cluster" if cluster else "one process"


def open_instance(data, cluster=None, hdfs=None):
    """The instance of a data directory. CLUSTER, HDFS: what it must have; None: any kind."""
    path = os.path.join(os.path.realpath(data), "instance.json")
    kind = _kind(cluster, hdfs)
    with contextlib.suppress(FileNotFoundError, ValueError):
        with open(path, encoding="utf-8") as file:
            state = json.load(file)
        kind = _kind(state.get("cluster"), state.get("hdfs"))
        if (cluster and kind == "one process") or (hdfs and kind != "a cluster with HDFS"):
            raise UsageError(f"{data} holds an HBase of {kind}: give another --data directory")
    return KINDS[kind](data)
