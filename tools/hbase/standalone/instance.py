# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""One HBase in one data directory: a master that holds everything, and its Thrift2 gateways.

cluster.py adds what a cluster needs.
"""

import contextlib
import fcntl
import json
import os
import shutil
import time

from . import ToolError, java, probe, process, settings, signals
from .process import LOOPBACK, POLL_SECONDS
from .settings import Mode

ZOOKEEPER_IS_UP = "Started MiniZooKeeperCluster and ran 'stat' on client port={}\n"
MASTER_IS_UP = "Master has completed initialization"
GAVE_UP = ("***** ABORTING master", "***** ABORTING region server")
PORT_IS_TAKEN = ("Address already in use", "Could not start ZK at requested port")
PORT_TRIES = 5
LOCK_SECONDS = 180
LOG_LINES = 12
MASTER = "master"
GATEWAY = "gateway-"


class PortTaken(Exception):
    """Another process took the port of process NAME between its choice and its use."""

    def __init__(self, name):
        super().__init__(name)
        self.name = name


class Instance:
    """The processes of a data directory, as DIR/instance.json knows them.

    The file holds {"zookeeper_port", "properties", "heap", "cluster", "hdfs", "processes": {NAME: {"pid",
    "log" and, of gateways, "port", "mode"}}}. Ports and modes stay there when processes end, so
    that a later start uses the same addresses if they are still free.
    """

    cluster = False
    hdfs = False
    files = None  # the address of the file system; None: the local one
    core = (MASTER,)  # what gateways need
    default_gateways = 1

    def __init__(self, data):
        self.data = os.path.realpath(data)
        self._file = os.path.join(self.data, "instance.json")
        self._started = []
        self._die_with_parent = False
        self._deadline = 0.0
        self.jars_seconds = 0.0  # that the last start needed to fetch HBase's jars
        self._java = None
        self._only = None
        self._state = {"zookeeper_port": 0, "properties": {}, "heap": 512,
                       "cluster": self.cluster, "hdfs": self.hdfs, "processes": {}}
        with contextlib.suppress(FileNotFoundError):
            self._load()

    def _load(self):
        try:
            with open(self._file, encoding="utf-8") as file:
                self._state = json.load(file)
        except ValueError as error:
            raise ToolError(f"{self._file} is damaged ({error}); remove it by hand") from error

    def _save(self):
        temporary = self._file + ".new"
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump(self._state, file, indent=2)
        os.replace(temporary, self._file)

    # What is there

    @property
    def names(self):
        """The core, then the gateways in order."""
        return list(self._state["processes"])

    @property
    def gateways(self):
        return [name for name in self.names if name.startswith(GATEWAY)]

    def mode(self, name):
        return Mode.parse(self._state["processes"][name]["mode"])

    def address(self, name):
        return (LOOPBACK, self._state["processes"][name]["port"])

    def pid(self, name):
        """The process's id, or None where it does not run."""
        pid = self._state["processes"][name].get("pid")
        return pid if process.is_alive(pid, settings.mark(self.data, name)) else None

    def running(self):
        return [name for name in self.names if self.pid(name)]

    def log(self, name):
        return os.path.join(self.data, "logs", name + ".log")

    def variables(self):
        """What a program needs to use it, as environment variables."""
        addresses = {name: "%s:%d" % self.address(name) for name in self.gateways}
        variables = {
            "TALLORDER_HBASE": ",".join(addresses.values()),
            "TALLORDER_HBASE_DATA": self.data,
        }
        if self.cluster:
            variables["TALLORDER_HBASE_CLUSTER"] = self.data
        for name, address in addresses.items():
            variable = self.mode(name).variable
            both = (variables.get(variable), address)
            variables[variable] = ",".join(filter(None, both))
        return variables

    def describe(self):
        """The same for programs, with process ids and whether each gateway answers."""
        processes = []
        for name in self.names:
            entry = {"name": name, "pid": self.pid(name), "log": self.log(name)}
            if name.startswith(GATEWAY):
                mode = self.mode(name)
                entry["endpoint"] = "%s:%d" % self.address(name)
                entry["protocol"], entry["framed"] = mode
                entry["answers"] = bool(entry["pid"]) and self._answers(name, "getThriftServerType")
            processes.append(entry)
        ready = bool(processes) and all(p["pid"] and p.get("answers", True) for p in processes)
        return {
            "data": self.data,
            "ready": ready,
            "zookeeper": f"{LOOPBACK}:{self._state['zookeeper_port']}",
            "environment": self.variables(),
            "processes": processes,
        }

    def _answers(self, name, method, argument=None):
        try:
            probe.call(self.address(name), self.mode(name), method, argument)
        except probe.NotReady:
            return False
        return True

    # Start

    def start(self, modes=None, properties=None, heap=None, timeout=120.0, die_with_parent=False):
        """Starts what does not run; returns when all answer. A failed start leaves nothing behind.

        MODES, PROPERTIES, HEAP: if not given, those that the directory remembers.
        """
        settings.check_directory(self.data)
        self._claim_directory()
        with self._locked():
            with contextlib.suppress(FileNotFoundError):
                self._load()
            self._adopt(modes, properties, heap)
            self._begin(timeout, die_with_parent)

    def restart(self, names, timeout=120.0, die_with_parent=False):
        """Kills processes, if they run, and starts only these; returns when they answer.

        Processes that cannot run without one of them are started anew with it.
        """
        with self._locked():
            with contextlib.suppress(FileNotFoundError):
                self._load()
            self._end(names, 0)
            self._only = set(names)
            self._begin(timeout, die_with_parent)

    def _begin(self, timeout, die_with_parent):
        self._java = java.find_java()
        began = time.monotonic()
        java.ensure_jars(self._java)
        self.jars_seconds = time.monotonic() - began
        self._started = []
        self._die_with_parent = die_with_parent
        self._deadline = time.monotonic() + timeout
        try:
            self._start_with_free_ports()
        except BaseException:
            self._end(self._started, 0)
            raise
        finally:
            self._only = None

    def _is_missing(self, name):
        """Whether NAME is to be started now."""
        return not self.pid(name) and (self._only is None or name in self._only)

    def _is_awaited(self, name):
        return self._only is None or name in self._only

    def _claim_directory(self):
        """Makes the folders; refuses a directory that holds something else."""
        os.makedirs(self.data, exist_ok=True)
        if not os.path.exists(self._file):
            if os.listdir(self.data):
                raise ToolError(
                    f"{self.data} is not empty and was not made by this command: "
                    "give a new or an empty --data directory"
                )
            self._save()
        for folder in ("conf", "hbase", "logs", "tmp"):
            os.makedirs(os.path.join(self.data, folder), exist_ok=True)

    def _adopt(self, modes, properties, heap):
        """Takes new settings into the state. Refuses them while processes run with others."""
        processes = self._state["processes"]
        if modes is None:
            modes = [self.mode(name) for name in self.gateways]
            modes = modes or [Mode("binary", False)] * self.default_gateways
        wanted = {
            "modes": modes,
            "properties": self._state["properties"] if properties is None else properties,
            "heap": heap or self._state["heap"],
        }
        current = {
            "modes": [self.mode(name) for name in self.gateways],
            "properties": self._state["properties"],
            "heap": self._state["heap"],
        }
        if wanted != current and self.running():
            raise ToolError(
                f"the HBase in {self.data} runs with other gateways or settings: "
                f"stop it first (hbase stop --data {self.data})"
            )
        self._state.update(properties=wanted["properties"], heap=wanted["heap"])
        gateways = {
            f"{GATEWAY}{i}": dict(processes.get(f"{GATEWAY}{i}", {"port": 0}), mode=str(mode))
            for i, mode in enumerate(modes)
        }
        core = {name: processes.get(name, {}) for name in self.core}
        self._state["processes"] = {**core, **gateways}

    def _start_with_free_ports(self):
        for _ in range(PORT_TRIES):
            try:
                self._start_missing()
                return
            except PortTaken as taken:
                self._end([taken.name], 0)
                self._forget_port(taken.name)
        raise ToolError(f"the chosen ports were taken by others {PORT_TRIES} times; try again")

    def _forget_port(self, name):
        if name.startswith(GATEWAY):
            self._state["processes"][name]["port"] = 0

    def _start_missing(self):
        if self._is_missing(MASTER):
            self._forget_sessions()
            self._start_master()
        self._wait_log(MASTER, ZOOKEEPER_IS_UP.format(self._state["zookeeper_port"]))
        self._start_gateways()
        self._wait_log(MASTER, MASTER_IS_UP)
        self._wait_gateways()

    def _forget_sessions(self):
        # ZooKeeper's files hold only sessions. Sessions of killed processes are still open there,
        # and HBase would wait for their end. But without the files ZooKeeper refuses its earlier
        # clients. So all other processes are restarted, gateways at their addresses.
        running = self.running()
        self._end(running, 0)
        if self._only is not None:
            self._only.update(running)
        shutil.rmtree(os.path.join(self.data, "zookeeper"), ignore_errors=True)
        port = process.pick_port(0, self._ports())
        self._state["zookeeper_port"] = port
        settings.write_site(self.data, port, self._state["properties"], self.cluster,
                            self.files)

    def _start_master(self):
        self._spawn(MASTER, settings.master_command(
            self._java, self.data, MASTER, self._state["heap"]))

    def _start_gateways(self):
        for name in self.gateways:
            if self._is_missing(name):
                self._start_gateway(name)

    def _start_gateway(self, name):
        entry = self._state["processes"][name]
        taken = self._ports() - {entry["port"]}
        entry["port"] = process.pick_port(entry["port"], taken)
        self._spawn(name, settings.gateway_command(
            self._java, self.data, name, self.gateway_heap(), entry["port"], self.mode(name)))

    def gateway_heap(self):
        return self._state["heap"] // 2

    def _ports(self):
        ports = {self._state["processes"][name]["port"] for name in self.gateways}
        return ports | {self._state["zookeeper_port"], self._state.get("namenode_port", 0)}

    def _spawn(self, name, command):
        log = self.log(name)
        with contextlib.suppress(FileNotFoundError):
            os.replace(log, log + ".old")
        with signals.deferred():
            pid = process.spawn(command, log, self.data, self._die_with_parent)
            self._started.append(name)
            self._state["processes"][name]["pid"] = pid
            self._save()

    # Wait

    def _wait_log(self, name, text):
        """Until process NAME has written TEXT."""
        with open(self.log(name), encoding="utf-8", errors="replace") as file:
            seen = ""
            while text not in seen:
                if any(sign in seen for sign in GAVE_UP):
                    # The process would take minutes to end by itself.
                    raise ToolError(self._failure(name, "gave up"))
                self._pause(name, f"“{text.strip()}” in its log")
                # Keep the end of what was read: a text may come in two pieces.
                seen = seen[-len(text) :] + file.read()

    def _wait_gateways(self):
        for name in self.gateways:
            if self._is_awaited(name):
                self._wait_gateway(name)

    def _wait_gateway(self, name):
        while not self._answers(name, "getThriftServerType"):
            self._pause(name, f"an answer on port {self.address(name)[1]}")
        while not self._answers(name, "getTableNamesByNamespace", "default"):
            self._pause(name, "an answer of the master through it")

    def _pause(self, name, awaited):
        """Sleeps for a moment; an error if process NAME has ended or time is up."""
        if not self.pid(name):
            if any(sign in self._read_log(name) for sign in PORT_IS_TAKEN):
                raise PortTaken(name)
            raise ToolError(self._failure(name, "ended by itself"))
        if time.monotonic() > self._deadline:
            raise ToolError(self._failure(name, f"did not give {awaited} in time"))
        time.sleep(POLL_SECONDS)

    def _read_log(self, name):
        with open(self.log(name), encoding="utf-8", errors="replace") as file:
            return file.read()

    def _failure(self, name, what):
        lines = self._read_log(name).splitlines()
        errors = [i for i, line in enumerate(lines) if " ERROR " in line or " FATAL " in line]
        first = errors[0] if errors else max(0, len(lines) - LOG_LINES)
        excerpt = "\n".join("  | " + line[:240] for line in lines[first : first + LOG_LINES])
        return (
            f"HBase's {name} {what}. From {self.log(name)}:\n{excerpt}\n"
            "Everything that was started has been ended. Is there memory and disk space left, and "
            f"may {self.data} be written? On a slow machine try a longer --timeout."
        )

    # Stop

    def stop(self, grace):
        """Ends all processes: SIGTERM, and after GRACE seconds (0: at once) SIGKILL."""
        if not os.path.exists(self._file):
            return
        with self._locked():
            with contextlib.suppress(FileNotFoundError):
                self._load()
            self._end(self.names, grace)

    def kill(self, names):
        """SIGKILL, as a crash; the rest runs on."""
        self._end(names, 0)

    def _end(self, names, grace):
        known = [name for name in names if name in self._state["processes"]]
        pids = [(self._state["processes"][name].get("pid"), name) for name in known]
        process.end([(pid, settings.mark(self.data, name)) for pid, name in pids], grace)
        for name in known:
            self._state["processes"][name]["pid"] = None
        if known:
            self._save()

    @contextlib.contextmanager
    def _locked(self):
        """One start or stop at a time."""
        deadline = time.monotonic() + LOCK_SECONDS
        with open(os.path.join(self.data, "lock"), "w", encoding="ascii") as lock:
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() > deadline:
                        raise ToolError(f"another hbase command works on {self.data}") from None
                    time.sleep(POLL_SECONDS)
            yield
