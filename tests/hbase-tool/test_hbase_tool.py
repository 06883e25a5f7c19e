#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""tools/hbase/hbase against a real HBase, seen by Debian's python3-thrift and by /proc.

Needs thrift-compiler, python3-thrift, Java 17 and, once, Maven. The tests end every process that
they start, also when they fail. They are skipped without $TALLORDER_HBASE_BINARY, although they do
not use that instance: a run without HBase must not start one here either.
"""

import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "hbase" / "hbase"
sys.path.insert(0, str(ROOT / "tools" / "hbase"))

from gateway_client import Client, generate_bindings
from standalone import java

SCRATCH = tempfile.mkdtemp(prefix="tallorder-hbase-tool-")
ACKNOWLEDGED_BEFORE_KILL = 500
SKIPPED = 77  # as meson knows it
TCP_LISTEN = "0A"  # in /proc/net/tcp


def setUpModule():
    # Each start is a race of cold code: without the optimising compiler it takes a third less.
    os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")
    generate_bindings(ROOT / "idl" / "hbase.thrift", SCRATCH)


def tearDownModule():
    shutil.rmtree(SCRATCH)


def hbase(*arguments, **options):
    """Runs the command; its result with text output."""
    command = [str(TOOL), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **options)


class Times(unittest.TestCase):
    def test_bringing_the_jars_is_told_apart(self):
        self.assertEqual(java.describe_times(11, 0.01), "after 11.0 s")
        self.assertEqual(java.describe_times(254.1, 241.8),
                         "after 12.3 s, and 241.8 s to bring HBase's jars,")


def processes_of(data):
    """The ids of all processes of the instance in DATA, read from /proc."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                arguments = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if any(a.startswith(b"-Dtallorder.hbase=") and a.endswith(f"@{data}".encode())
                   for a in arguments):
                found.append(int(entry.name))
    return found


def listening_addresses(pids):
    """(host, port) of every TCP socket on which one of PIDS listens; hosts of IPv6 as hex."""
    inodes = set()
    for pid in pids:
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            inodes.add(os.readlink(descriptor))
    found = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text(encoding="ascii").splitlines()[1:]:
            _, local, _, state, *_, inode = line.split()[:10]
            if state == TCP_LISTEN and f"socket:[{inode}]" in inodes:
                host, port = local.split(":")
                if len(host) == 8:
                    host = socket.inet_ntoa(bytes.fromhex(host)[::-1])
                found.append((host, int(port, 16)))
    return found


class InstanceCase(unittest.TestCase):
    """A test with data directories, all of whose processes end with it."""

    def new_data(self):
        data = tempfile.mkdtemp(prefix="data-", dir=SCRATCH)
        self.addCleanup(hbase, "stop", "--data", data, "--grace", 0)
        return data

    def run_tool(self, *arguments, expect=0):
        result = hbase(*arguments)
        self.assertEqual(result.returncode, expect, result.stdout + result.stderr)
        return result

    def start(self, data, *arguments):
        """Starts; the KEY=VALUE lines as a mapping."""
        output = self.run_tool("start", "--data", data, *arguments).stdout
        words = [shlex.split(line)[0].partition("=") for line in output.splitlines()]
        return {key: value for key, _, value in words}

    def status(self, data, expect=0):
        output = self.run_tool("status", "--data", data, "--json", expect=expect).stdout
        return json.loads(output)

    def pids(self, data, expect=0):
        return {p["name"]: p["pid"] for p in self.status(data, expect)["processes"]}

    def client(self, endpoint, **mode):
        client = Client(endpoint, **mode)
        self.addCleanup(client.close)
        return client


class TestLife(InstanceCase):
    def check_every_mode_serves_the_same_data(self, data):
        modes = ["binary", "compact", "binary,framed", "compact,framed"]
        variables = self.start(data, *[w for mode in modes for w in ("--gateway", mode)])
        endpoints = variables["TALLORDER_HBASE"].split(",")
        self.assertEqual(
            endpoints,
            [variables[f"TALLORDER_HBASE_{name}"]
             for name in ("BINARY", "COMPACT", "BINARY_FRAMED", "COMPACT_FRAMED")],
        )
        for endpoint, mode in zip(endpoints, modes):
            self.client(endpoint, mode=mode).put("t", mode, "value by " + mode)
        for endpoint, mode in zip(endpoints, modes):
            for row in modes:
                found = self.client(endpoint, mode=mode).get("t", row)
                self.assertEqual(found, "value by " + row)
        self.assertEqual(self.client(endpoints[3], mode=modes[3]).get("t", "row"), "kept")

    def test_listens_on_loopback_and_stop_ends_all_and_keeps_data(self):
        data = self.new_data()
        endpoint = self.start(data)["TALLORDER_HBASE"]
        client = self.client(endpoint)
        client.create_table("t")
        client.put("t", "row", "kept")
        pids = self.pids(data)
        self.assertEqual(sorted(processes_of(data)), sorted(pids.values()))
        addresses = listening_addresses(pids.values())
        # ZooKeeper, master, region server and gateway.
        self.assertEqual([host for host, _ in addresses], ["127.0.0.1"] * 4)
        result = self.run_tool("start", "--data", data, "--gateway", "framed", expect=3)
        self.assertIn("stop it first", result.stderr)
        self.assertEqual(self.pids(data), pids)
        self.run_tool("stop", "--data", data)
        self.assertEqual(processes_of(data), [])
        self.run_tool("stop", "--data", data)
        self.run_tool("status", "--data", data, expect=1)
        self.check_every_mode_serves_the_same_data(data)


class TestCrash(InstanceCase):
    def check_killed_master_loses_no_acknowledged_put(self, data, variables):
        endpoint = variables["TALLORDER_HBASE"].split(",")[0]
        self.client(endpoint).create_table("t")
        writer = Writer(self.client(endpoint), "t")
        writer.start()
        self.assertTrue(writer.enough.wait(120))
        self.run_tool("kill", "--data", data, "master")
        self.assertIsNone(self.pids(data, expect=1)["master"])
        self.assertEqual(self.start(data), variables)
        writer.join(120)
        self.assertFalse(writer.is_alive())
        self.assertGreaterEqual(len(writer.acknowledged), ACKNOWLEDGED_BEFORE_KILL)
        stored = self.client(endpoint).rows("t")
        self.assertEqual(sorted(set(writer.acknowledged) - set(stored)), [])

    def test_killed_gateway_and_master_come_back_at_their_addresses(self):
        data = self.new_data()
        variables = self.start(data, "--gateways", 2)
        before = self.pids(data)
        os.kill(before["gateway-1"], signal.SIGKILL)
        after = self.pids(data, expect=1)
        self.assertEqual(after, dict(before, **{"gateway-1": None}))
        self.assertEqual(self.start(data), variables)
        after = self.pids(data)
        self.assertEqual((after["master"], after["gateway-0"]),
                         (before["master"], before["gateway-0"]))
        self.assertTrue(all(p.get("answers", True) for p in self.status(data)["processes"]))
        self.check_killed_master_loses_no_acknowledged_put(data, variables)


class TestCluster(InstanceCase):
    def test_each_part_dies_alone_and_comes_back(self):
        data = self.new_data()
        variables = self.start(data, "--cluster", "--hdfs")
        before = self.pids(data)
        self.assertEqual(list(before), ["zookeeper", "namenode", "datanode", "master", "region-0",
                                        "region-1", "gateway-0", "gateway-1"])
        self.assertEqual(variables["TALLORDER_HBASE_CLUSTER"], data)
        addresses = listening_addresses(before.values())
        self.assertEqual({host for host, _ in addresses}, {"127.0.0.1"})
        self.assertFalse({2181, 8080, 16000, 16020} & {port for _, port in addresses})
        endpoints = variables["TALLORDER_HBASE"].split(",")
        client = self.client(endpoints[0])
        client.create_table("t", splits=[b"m"])
        self.assertEqual(len(set(client.region_ports("t"))), 2)
        client.put("t", "a", "left")
        client.put("t", "z", "right")

        self.run_tool("kill", "--data", data, "region-1", "gateway-0", "gateway-1")
        dead = {"region-1": None, "gateway-0": None, "gateway-1": None}
        self.assertEqual(self.pids(data, expect=1), dict(before, **dead))
        self.run_tool("restart", "--data", data, "gateway-1")
        after = self.pids(data, expect=1)
        self.assertIsNotNone(after["gateway-1"])
        self.assertEqual(dict(after, **{"gateway-1": None}), dict(before, **dead))
        # The other server takes over the dead one's regions, once the dead one's session is over.
        client = self.client(endpoints[1])
        self.assertEqual((client.get("t", "a"), client.get("t", "z")), ("left", "right"))
        self.assertEqual(self.start(data), variables)

        self.run_tool("restart", "--data", data, "master")
        after = self.pids(data)
        self.assertNotEqual(after["master"], before["master"])
        self.assertEqual(after["region-0"], before["region-0"])
        result = self.run_tool("kill", "--data", data, "region-2", expect=3)
        self.assertIn("region-1", result.stderr)

        # HDFS comes back with all that it had.
        self.run_tool("restart", "--data", data, "namenode", "datanode")
        client = self.client(endpoints[0])
        self.assertEqual((client.get("t", "a"), client.get("t", "z")), ("left", "right"))
        self.run_tool("stop", "--data", data)
        self.assertEqual(processes_of(data), [])
        self.assertEqual(self.start(data), variables)
        self.assertEqual(self.client(endpoints[0]).get("t", "z"), "right")

    def test_a_directory_stays_what_it_is(self):
        data = self.new_data()
        state = {"zookeeper_port": 1, "properties": {}, "heap": 512, "processes": {"master": {}}}
        Path(data, "instance.json").write_text(json.dumps(state), encoding="ascii")
        result = self.run_tool("start", "--data", data, "--cluster", expect=2)
        self.assertIn("give another --data directory", result.stderr)
        Path(data, "instance.json").write_text(json.dumps(dict(state, cluster=True)),
                                               encoding="ascii")
        result = self.run_tool("start", "--data", data, "--cluster", "--hdfs", expect=2)
        self.assertIn("an HBase of a cluster: give another --data directory", result.stderr)


class Writer(threading.Thread):
    """Puts rows one after the other, and remembers those acknowledged, until a put fails."""

    def __init__(self, client, table):
        super().__init__(daemon=True)
        self._client, self._table = client, table
        self.acknowledged = []
        self.enough = threading.Event()

    def run(self):
        while True:
            row = f"row-{len(self.acknowledged):06}"
            try:
                self._client.put(self._table, row, "value of " + row)
            except Exception:  # whatever the gateway says while its HBase is dead
                return
            self.acknowledged.append(row)
            if len(self.acknowledged) == ACKNOWLEDGED_BEFORE_KILL:
                self.enough.set()


class TestRun(InstanceCase):
    def test_passes_environment_and_exit_code(self):
        script = (
            'echo "$TALLORDER_HBASE_DATA"; '
            'test "$TALLORDER_HBASE_BINARY" = "$TALLORDER_HBASE" && exit 7'
        )
        result = self.run_tool("run", "--", "sh", "-c", script, expect=7)
        data = result.stdout.strip()
        self.assertEqual(processes_of(data), [])
        self.assertFalse(os.path.exists(data), "the temporary directory stays")

    def test_a_signal_ends_everything(self):
        data = self.new_data()
        command = [str(TOOL), "run", "--data", data, "--", "sh", "-c", "echo up; exec sleep 600"]
        with subprocess.Popen(command, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as tool:
            self.assertEqual(tool.stdout.readline(), "up\n")
            self.assertEqual(len(processes_of(data)), 2)
            tool.send_signal(signal.SIGINT)
            self.assertEqual(tool.wait(60), 128 + signal.SIGINT)
        self.assertEqual(processes_of(data), [])

    def test_killed_tool_takes_hbase_with_it(self):
        data = self.new_data()
        command = [str(TOOL), "run", "--data", data, "--", "sh", "-c", "echo up; exec sleep 5"]
        with subprocess.Popen(command, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as tool:
            self.assertEqual(tool.stdout.readline(), "up\n")
            tool.kill()
            tool.wait()
            deadline = time.monotonic() + 10
            while processes_of(data) and time.monotonic() < deadline:
                time.sleep(0.05)
            self.assertEqual(processes_of(data), [])

    def test_interrupted_start_leaves_nothing(self):
        data = self.new_data()
        command = [str(TOOL), "start", "--data", data]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as tool:
            while not processes_of(data):
                time.sleep(0.02)
            tool.send_signal(signal.SIGTERM)
            self.assertEqual(tool.wait(60), 128 + signal.SIGTERM)
        self.assertEqual(processes_of(data), [])


class TestProcess(unittest.TestCase):
    def test_a_process_is_known_at_once(self):
        # For a moment after its start the kernel shows a process without arguments.
        from standalone import process

        for _ in range(500):
            pid = process.spawn(["/usr/bin/sleep", "600"], os.devnull, SCRATCH)
            known = process.is_alive(pid, "600")
            process.end([(pid, "600")], 0)
            self.assertTrue(known)
            self.assertFalse(Path(f"/proc/{pid}").exists())


class TestTrouble(InstanceCase):
    def test_taken_ports_are_replaced(self):
        from standalone import process
        from standalone.instance import Instance

        data = self.new_data()
        with socket.create_server(("127.0.0.1", 0)) as other:
            taken = other.getsockname()[1]
            pick, picked = process.pick_port, []

            def pick_taken_first(preferred, others):
                # Another process takes the first choice of the master and of the gateway.
                picked.append(pick(preferred, others))
                return taken if len(picked) in (1, 3) else picked[-1]

            process.pick_port = pick_taken_first
            try:
                instance = Instance(data)
                instance.start()
            finally:
                process.pick_port = pick
            self.assertEqual(len(picked), 4)
            self.assertTrue(instance.describe()["ready"])
            self.assertNotEqual(instance.address("gateway-0")[1], taken)

    def test_failed_start_says_why_and_leaves_nothing(self):
        data = self.new_data()
        result = self.run_tool("start", "--data", data, "--property",
                               "hbase.rootdir=file:///proc/hbase", expect=3)
        self.assertIn("HBase's master gave up. From ", result.stderr)
        cause = "IOException: Can not create configured 'hbase.rootdir' file:/proc/hbase"
        self.assertIn(cause, result.stderr)
        self.assertEqual(processes_of(data), [])

    def test_too_slow_a_start_is_ended(self):
        data = self.new_data()
        result = self.run_tool("start", "--data", data, "--timeout", 1, expect=3)
        self.assertIn("--timeout", result.stderr)
        self.assertEqual(processes_of(data), [])

    def test_a_foreign_directory_is_refused(self):
        data = self.new_data()
        Path(data, "zookeeper").mkdir()
        Path(data, "zookeeper", "mine").write_text("mine", encoding="ascii")
        result = self.run_tool("start", "--data", data, expect=3)
        self.assertIn("not empty", result.stderr)
        self.assertEqual(os.listdir(data), ["zookeeper"])

    def test_a_reused_process_id_is_left_alone(self):
        data = self.new_data()
        with subprocess.Popen(["sleep", "600"]) as stranger:
            try:
                state = {"zookeeper_port": 1, "properties": {}, "heap": 512,
                         "processes": {"master": {"pid": stranger.pid}}}
                Path(data, "instance.json").write_text(json.dumps(state), encoding="ascii")
                self.assertEqual(self.pids(data, expect=1), {"master": None})
                self.run_tool("kill", "--data", data, "all")
                self.run_tool("stop", "--data", data)
                self.assertIsNone(stranger.poll())
            finally:
                stranger.kill()

    def test_wrong_calls_are_usage_errors(self):
        data = self.new_data()
        for arguments in (["start"], ["start", "--data", data, "--gateways", "0"],
                          ["start", "--data", data, "--gateway", "binary", "--framed"],
                          ["start", "--data", data, "--gateway", "json"],
                          ["start", "--data", data, "--hdfs"],
                          ["start", "--data", data + ":"], ["start", "--data", data, "--heap", "1"],
                          ["start", "--data", data, "--property", "x"], ["run"], ["fly"]):
            with self.subTest(arguments=arguments):
                result = self.run_tool(*arguments, expect=2)
                self.assertIn("usage: hbase", result.stderr)
        self.assertEqual(os.listdir(data), [])


if __name__ == "__main__":
    if "TALLORDER_HBASE_BINARY" not in os.environ:
        os.rmdir(SCRATCH)
        print("skipped: not run by tools/hbase/hbase run")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
