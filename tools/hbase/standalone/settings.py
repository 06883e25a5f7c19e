# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""How the processes are configured: gateway modes, hbase-site.xml and Java command lines."""

import os
from collections import namedtuple
from xml.sax.saxutils import escape

from . import UsageError
from .java import HOME, JARS
from .process import LOOPBACK

MASTER_CLASS = "org.apache.hadoop.hbase.master.HMaster"
ZOOKEEPER_CLASS = "org.apache.hadoop.hbase.zookeeper.HQuorumPeer"
REGION_CLASS = "org.apache.hadoop.hbase.regionserver.HRegionServer"
NAMENODE_CLASS = "org.apache.hadoop.hdfs.server.namenode.NameNode"
DATANODE_CLASS = "org.apache.hadoop.hdfs.server.datanode.DataNode"
GATEWAY_CLASS = "org.apache.hadoop.hbase.thrift2.ThriftServer"

JAVA_FLAGS = [
    "-XX:+UseSerialGC",
    "-XX:-UsePerfData",
    "-XX:+ExitOnOutOfMemoryError",
    "-Djava.awt.headless=true",
    "-Djava.net.preferIPv4Stack=true",
    "-Dzookeeper.admin.enableServer=false",
    # ZooKeeper's files are thrown away before each start: they need not reach the disk.
    "-Dzookeeper.forceSync=no",
    "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
] + [
    f"--add-opens=java.base/{package}=ALL-UNNAMED"
    for package in (
        "java.lang",
        "java.lang.reflect",
        "java.nio",
        "java.util",
        "java.util.concurrent",
        "sun.nio.ch",
    )
]

# Short waits: one region server, on this machine, that reports as soon as it is up.
FIXED_PROPERTIES = {
    "hbase.cluster.distributed": "false",
    "hbase.unsafe.stream.capability.enforce": "false",
    "hbase.zookeeper.quorum": "localhost",
    "hbase.zookeeper.property.clientPortAddress": LOOPBACK,
    "hbase.master.hostname": "localhost",
    "hbase.master.ipc.address": LOOPBACK,
    "hbase.master.port": "0",
    "hbase.master.info.port": "-1",
    "hbase.regionserver.hostname": "localhost",
    "hbase.regionserver.ipc.address": LOOPBACK,
    "hbase.regionserver.port": "0",
    "hbase.regionserver.info.port": "-1",
    "hbase.thrift.info.port": "-1",
    # Files that a compaction has read go soon, so that what is left is what is stored.
    "hbase.hfile.compaction.discharger.interval": "500",
    "hbase.master.wait.on.regionservers.mintostart": "1",
    "hbase.master.wait.on.regionservers.maxtostart": "1",
    "hbase.master.wait.on.regionservers.timeout": "100",
    "hbase.master.wait.on.regionservers.interval": "50",
    "hbase.regionserver.msginterval": "500",
    "hbase.procedure.remote.dispatcher.delay.msec": "10",
    # A busy machine must not look dead; nothing else waits for these sessions to end.
    "zookeeper.session.timeout": "40000",
    "zookeeper.session.timeout.localHBaseCluster": "40000",
}


# Several processes, each of which may die alone. A dead one is noticed soon, and no region is
# assigned before both region servers are there.
CLUSTER_PROPERTIES = {
    "hbase.cluster.distributed": "true",
    "hbase.master.wait.on.regionservers.mintostart": "2",
    "hbase.master.wait.on.regionservers.maxtostart": "2",
    "hbase.master.wait.on.regionservers.timeout": "4500",
    "hbase.zookeeper.property.tickTime": "1000",
    "zookeeper.session.timeout": "6000",
}

# HDFS of one NameNode and one DataNode, which is ready as soon as both are.
HDFS_PROPERTIES = {
    "dfs.replication": "1",
    "dfs.permissions.enabled": "false",
    "dfs.namenode.http-address": f"{LOOPBACK}:0",
    "dfs.namenode.safemode.extension": "0",
    "dfs.datanode.address": f"{LOOPBACK}:0",
    "dfs.datanode.ipc.address": f"{LOOPBACK}:0",
    "dfs.datanode.http.address": f"{LOOPBACK}:0",
    "dfs.heartbeat.interval": "1",
}


class Mode(namedtuple("Mode", "protocol framed")):
    """The mode of a gateway: "binary" or "compact", framed or not."""

    @classmethod
    def parse(cls, text):
        """From words such as "compact,framed"; the default is binary and unframed."""
        protocol, framed = "binary", False
        for word in text.replace("+", ",").split(","):
            if word in ("binary", "compact"):
                protocol = word
            elif word in ("framed", "unframed"):
                framed = word == "framed"
            else:
                raise UsageError(
                    f"gateway mode “{text}”: “{word}” is none of "
                    "binary, compact, framed, unframed"
                )
        return cls(protocol, framed)

    def __str__(self):
        return self.protocol + (",framed" if self.framed else "")

    @property
    def variable(self):
        """The environment variable that lists the gateways of this mode."""
        return "TALLORDER_HBASE_" + self.protocol.upper() + ("_FRAMED" if self.framed else "")


def check_directory(path):
    """HBase takes some characters of a path as syntax; Java's class path takes others."""
    for character in path:
        if character in ":*$\\%#?" or not character.isprintable():
            raise UsageError(
                f"data directory {path!r}: HBase cannot use a path with {character!r}"
            )


def write_site(data, zookeeper_port, properties, cluster=False, files=None):
    """Writes DATA/conf/hbase-site.xml; PROPERTIES win over ours. FILES: the file system's address;
    None: the local one."""
    values = dict(FIXED_PROPERTIES)
    values.update(CLUSTER_PROPERTIES if cluster else {})
    values["hbase.rootdir"] = f"{files}/hbase" if files else f"file://{data}/hbase"
    values["hbase.tmp.dir"] = f"{data}/tmp"
    values["hbase.zookeeper.property.dataDir"] = f"{data}/zookeeper"
    values["hbase.zookeeper.property.clientPort"] = str(zookeeper_port)
    values.update(properties)
    _write_properties(data, "hbase-site.xml", values)


def write_hdfs_site(data, files):
    """Writes what HDFS and its clients read; FILES: its address."""
    _write_properties(data, "core-site.xml", {"fs.defaultFS": files})
    values = dict(HDFS_PROPERTIES)
    values["dfs.namenode.name.dir"] = f"file://{data}/hdfs/name"
    values["dfs.datanode.data.dir"] = f"file://{data}/hdfs/data"
    _write_properties(data, "hdfs-site.xml", values)
    # Their pages, which nobody needs: they do not start without the folders.
    for pages in ("hdfs", "datanode"):
        os.makedirs(os.path.join(data, "conf", "webapps", pages), exist_ok=True)


def _write_properties(data, name, values):
    lines = [
        f"  <property><name>{escape(name)}</name><value>{escape(value)}</value></property>"
        for name, value in sorted(values.items())
    ]
    text = "\n".join(['<?xml version="1.0"?>', "<configuration>", *lines, "</configuration>", ""])
    with open(os.path.join(data, "conf", name), "w", encoding="utf-8") as file:
        file.write(text)


def mark(data, name):
    """The argument that identifies process NAME of the instance in DATA."""
    return f"-Dtallorder.hbase={name}@{data}"


def tables_command(java, data, classes, heap):
    """What flushes and compacts tables."""
    return _java_command(java, data, "tables", heap, "Tables", f":{classes}")


def _java_command(java, data, name, heap, main_class, more_classes=""):
    class_path = f"{data}/conf:{HOME}/conf:{JARS}/*{more_classes}"
    return [
        java,
        mark(data, name),
        f"-Xmx{heap}m",
        f"-Djava.io.tmpdir={data}/tmp",
        f"-XX:ErrorFile={data}/logs/java-error-%p.log",
        *JAVA_FLAGS,
        "-classpath",
        class_path,
        main_class,
    ]


def master_command(java, data, name, heap):
    return _java_command(java, data, name, heap, MASTER_CLASS) + ["start"]


def zookeeper_command(java, data, name, heap):
    return _java_command(java, data, name, heap, ZOOKEEPER_CLASS)


def region_command(java, data, name, heap):
    return _java_command(java, data, name, heap, REGION_CLASS) + ["start"]


def format_command(java, data, name, heap):
    """What makes an empty HDFS, and leaves one that is there."""
    return namenode_command(java, data, name, heap) + ["-format", "-nonInteractive"]


def namenode_command(java, data, name, heap):
    return _java_command(java, data, name, heap, NAMENODE_CLASS)


def datanode_command(java, data, name, heap):
    return _java_command(java, data, name, heap, DATANODE_CLASS)


def gateway_command(java, data, name, heap, port, mode):
    command = _java_command(java, data, name, heap, GATEWAY_CLASS)
    command += ["-b", LOOPBACK, "-p", str(port)]
    command += ["-framed"] if mode.framed else []
    command += ["-compact"] if mode.protocol == "compact" else []
    return command + ["start"]
