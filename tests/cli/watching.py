# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""What an operator sees over HTTP: metrics as Prometheus reads them, and health.

    watching.py TALLORDER SOURCE_ROOT
"""

import ast
import calendar
import contextlib
import json
import os
import pty
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from prometheus_client.parser import text_string_to_metric_families

from authority import Ca, openssl
from support import DONE, FAILED, NO, ORDER, PROGRAM, SECONDS, SOURCE, USAGE, equal, main, new_store, run, test

README = (SOURCE / "src/ops/README.md").read_text("utf-8")
IDL = (SOURCE / "idl/tallorder.thrift").read_text("utf-8")
GRAFANA = SOURCE / "tools/grafana"


class Watched:
    """A server that shows its metrics, and its log."""

    def __init__(self, store, *options, metrics="127.0.0.1:0", **environment):
        self.log = tempfile.TemporaryFile("a+")
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--store", store, "--listen", "127.0.0.1:0", *options,
             *(["--metrics", metrics] if metrics else [])],
            stdout=subprocess.PIPE, stderr=self.log, text=True, env={**os.environ, **environment})
        line = self.process.stdout.readline()
        self.address = line.split()[-1] if line else None
        found = re.search(r"HTTP on (\S+): /metrics", self.said())
        self.url = "http://" + found[1] if found else None

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def get(self, path):
        """Status and text."""
        try:
            with urllib.request.urlopen(self.url + path, timeout=SECONDS) as reply:
                return reply.status, reply.read().decode()
        except urllib.error.HTTPError as reply:
            return reply.code, reply.read().decode()

    def families(self):
        status, text = self.get("/metrics")
        equal(status, 200)
        return {family.name: family for family in text_string_to_metric_families(text)}

    def value(self, name, **labels):
        """The sum of the samples of that name with these labels."""
        return sum(sample.value for family in self.families().values() for sample in family.samples
                   if sample.name == name and labels.items() <= sample.labels.items())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate(timeout=SECONDS)
        self.log.close()


def documented():
    """Of each metric in the table: its type, labels and meaning."""
    rows = re.findall(r"^\| `([a-z_]+)` \| ([a-z]+) \| ([^|]*) \| (.*) \|$", README, re.M)
    assert len(rows) == len({row[0] for row in rows}), "a metric stands twice"
    return {name: (kind, frozenset(re.findall(r"`([a-z_]+)`", labels)), meaning)
            for name, kind, labels, meaning in rows}


def given(families):
    """The same of what a server says."""
    def full_name(family):
        return family.name + ("_total" if family.type == "counter" else "")

    return {full_name(family): (family.type, frozenset(label for sample in family.samples
                                                       for label in sample.labels if label != "le"),
                                family.documentation)
            for family in families.values()}


@test
def the_table_is_what_a_server_gives(folder):
    with Watched(new_store(folder)) as server:
        got = given(server.families())
    wanted = {name: row for name, row in documented().items() if not name.startswith("tallorder_gateway_")}
    for name in sorted(got.keys() | wanted.keys()):
        equal((name, got.get(name)), (name, wanted.get(name)))


def names_of_samples():
    """Of each name in an expression: the labels of its samples, and whether it only grows."""
    found = {}
    for name, (kind, labels, _) in documented().items():
        labels = labels | {"instance"}  # Prometheus adds it
        if kind == "histogram":
            found.update({f"{name}_bucket": (labels | {"le"}, True), f"{name}_sum": (labels, True),
                          f"{name}_count": (labels, True)})
        else:
            found[name] = (labels, kind == "counter")
    return found


def check_expression(expression, known, shown):
    """Names, labels and rates; SHOWN: the labels of its legend. Returns the names."""
    equal(expression.count("("), expression.count(")"))
    used = re.findall(r"\b((?:tallorder|process)_[a-z_]+)\b(?:{([^}]*)})?", expression)
    assert used, expression
    groups = [set(re.split(r",\s*", by)) for by in re.findall(r"\bby \(([^)]*)\)", expression)]
    for name, selected in used:
        assert name in known, (name, expression)
        labels, grows = known[name]
        for wanted in (set(re.findall(r'(\w+)\s*(?:=~|!~|!=|=)"', selected)), *groups, shown):
            equal((expression, wanted - labels), (expression, set()))
        equal((expression, name, bool(re.search(rf"\b(?:rate|increase)\({name}\b", expression))),
              (expression, name, grows))
    for by in groups:
        equal((expression, shown - by), (expression, set()))
    return {name for name, _ in used}


@test
def dashboard_and_alerts_use_what_there_is(_):
    known, used, places = names_of_samples(), set(), set()
    dashboard = json.loads((GRAFANA / "dashboard.json").read_text("utf-8"))
    variables = {one["name"] for one in dashboard["templating"]["list"]} | {"__rate_interval"}
    equal(set(re.findall(r"\$\{?(\w+)", json.dumps(dashboard))) - variables, set())
    panels = dashboard["panels"]
    equal(len({panel["id"] for panel in panels}), len(panels))
    for panel in panels:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & places and max(x for x, _ in cells) < 24, panel["title"]
        places |= cells
        equal(len({target["refId"] for target in panel["targets"]}), len(panel["targets"]))
        for target in panel["targets"]:
            used |= check_expression(target["expr"], known, set(re.findall(r"{{(\w+)}}", target["legendFormat"])))
    rules = (GRAFANA / "alerts.yml").read_text("utf-8")
    alerts = re.findall(r"^      - alert: (\w+)\n        expr: (.+)\n(?:.*\n)*?        annotations: (.+)$", rules, re.M)
    equal(len(alerts), rules.count("- alert:"))
    for _, rule, summary in alerts:
        shown = set(re.findall(r"\$labels\.(\w+)", summary))
        used |= check_expression(rule, known, shown)
        for results in re.findall(r'result=~?"([^"]*)"', rule):
            for result in results.split("|"):
                assert re.search(rf"^\s+{result.upper()} = ", IDL, re.M), (rule, result)
    assert len(used) > 15, used


@test
def the_end_of_the_certificate_is_shown(folder):
    def end():
        text = openssl("x509", "-in", ca.path("server", "crt"), "-noout", "-enddate").strip()
        return calendar.timegm(time.strptime(text, "notAfter=%b %d %H:%M:%S %Y GMT"))

    with Watched(new_store(folder)) as server:
        equal(server.value("tallorder_certificate_end_timestamp_seconds"), 0)
    ca = Ca(folder)
    ca.certify("server")
    before = end()
    # wherever the machine is
    with Watched(f"rocksdb:{folder}/store", *ca.files("server"), TZ="AWAY-9") as server:
        equal(server.value("tallorder_certificate_end_timestamp_seconds"), before)
        ca.certify("server", days=9)
        assert end() > before
        server.process.send_signal(signal.SIGHUP)
        until = time.monotonic() + SECONDS
        while server.value("tallorder_certificate_end_timestamp_seconds") == before and time.monotonic() < until:
            time.sleep(0.02)
        equal(server.value("tallorder_certificate_end_timestamp_seconds"), end())


@test
def refused_certificates_are_counted(folder):
    """Apart from what is not a call."""
    ca = Ca(folder)
    ca.certify("server", names="DNS:localhost")
    ca.certify("late", days=-1)
    with Watched(new_store(folder), *ca.files("server"), "--tls-ca", ca.file) as server:
        address = "tls://localhost:" + server.address.rsplit(":", 1)[1]
        for n, files in enumerate(([], ca.files("late")), 1):
            run("get", "--server", address, "--tls-ca", ca.file, *files, "C", "O").ends(FAILED)
            until = time.monotonic() + SECONDS
            while (server.value("tallorder_connections_cut_total", why="certificate") < n
                   and time.monotonic() < until):
                time.sleep(0.02)
        # each client tries once
        equal(server.value("tallorder_connections_cut_total", why="certificate"), 2)
        equal(server.value("tallorder_connections_cut_total", why="broken"), 0)


@test
def calls_are_counted(folder):
    with Watched(new_store(folder)) as server:
        run("put", "--server", server.address, "-", stdin=ORDER).ends(DONE)
        for _ in range(3):
            run("get", "--server", server.address, "C1", "O1").ends(DONE)
        run("get", "--server", server.address, "C1", "none").ends(NO)
        equal(server.value("tallorder_calls_total", call="getOrder", result="ok"), 3)
        equal(server.value("tallorder_calls_total", call="getOrder", result="not_found"), 1)
        # Each client has asked first whether a server is there, for no orders.
        equal(server.value("tallorder_calls_total", call="getOrders", result="ok"), 5)
        equal(server.value("tallorder_calls_total", result="invalid"), 0)
        for name in ("tallorder_calls_total", "tallorder_call_duration_seconds_count"):
            equal(server.value(name, call="getOrder"), 4)
        equal(server.value("tallorder_call_duration_seconds_bucket", call="getOrder", le="+Inf"), 4)
        assert 0 < server.value("tallorder_call_duration_seconds_sum", call="getOrder") < SECONDS
        resident = server.value("process_resident_memory_bytes")
        assert 1e6 < resident < server.value("process_virtual_memory_bytes"), resident
        equal(server.value("tallorder_store_commits_total"), 1)
        equal(server.value("tallorder_connections_total"), 5)
        equal(server.value("tallorder_connections_cut_total"), 0)
        equal(server.value("tallorder_memory_bytes"), 0)
        equal(server.value("tallorder_memory_max_bytes"), 512 * 1024 * 1024)
        equal(server.value("tallorder_ready"), 1)
        equal(server.value("tallorder_build_info", version=run("--version").out.split()[1]), 1)
        assert abs(server.value("process_start_time_seconds") - time.time()) < SECONDS
        host, port = server.address.split(":")
        with socket.create_connection((host, int(port))) as broken:
            broken.sendall(b"GET / HTTP/1.1\r\n\r\n")
            equal(broken.recv(1), b"")
        equal(server.value("tallorder_connections_cut_total", why="broken"), 1)
        everything = server.get("/metrics")[1]
    for secret in ("C1", "O1", "Reims"):
        assert secret not in everything, secret


@test
def what_is_refused_has_not_failed(folder):
    """A migration that nobody has begun, and one to what is there: no alert comes of either."""
    with Watched(new_store(folder)) as server:
        run("migrate", "--server", server.address).ends(FAILED, "No migration has begun")
        equal(server.value("tallorder_migration_failed"), 0)
        run("migrate", "--server", server.address, "--to-layout", "blob").ends(DONE, "nothing to change")
        equal(server.value("tallorder_migration_failed"), 0)
        assert "failed" not in server.said(), server.said()


@test
def too_many_are_counted(folder):
    with Watched(new_store(folder), "--max-connections", "1", "--max-connections-per-address", "1") as server:
        host, port = server.address.split(":")
        equal(server.value("tallorder_connections_refused_total"), 0)
        held = [socket.create_connection((host, int(port))) for _ in range(40)]
        until = time.monotonic() + SECONDS
        while (server.value("tallorder_connections_refused_total", how="closed") == 0
               and time.monotonic() < until):
            time.sleep(0.02)
        # Of one address two at a time get an answer, which they do not take for a second.
        closed = server.value("tallorder_connections_refused_total", how="closed")
        told = server.value("tallorder_connections_refused_total", how="told")
        assert 0 < told < closed, (told, closed)
        equal(server.value("tallorder_connections_max"), 1)
        # Each is one of the three: served, told, or closed.
        while (known := server.value("tallorder_connections_total")
               + server.value("tallorder_connections_refused_total")) < len(held) and time.monotonic() < until:
            time.sleep(0.02)
        for one in held:
            one.close()
        equal(known, len(held))


def time_used(pid):
    """Seconds on processors, as the system counts them."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@test
def the_process_as_the_system_sees_it(folder):
    with Watched(new_store(folder)) as server:
        pid = server.process.pid
        host, port = server.address.split(":")
        with socket.create_connection((host, int(port))):
            until = time.monotonic() + SECONDS
            while server.value("tallorder_connections_open") == 0 and time.monotonic() < until:
                time.sleep(0.02)
            equal(server.value("tallorder_connections_open"), 1)
            equal(server.value("tallorder_memory_waiting_calls"), 0)
            before = time_used(pid)
            assert before <= server.value("process_cpu_seconds_total") <= time_used(pid)
            equal(server.value("process_threads"), len(os.listdir(f"/proc/{pid}/task")))
            equal(server.value("process_max_fds"), resource.prlimit(pid, resource.RLIMIT_NOFILE)[0])
            # the connection of the scraper may be there, or not yet gone
            assert abs(server.value("process_open_fds") - len(os.listdir(f"/proc/{pid}/fd"))) <= 3


@test
def health_follows_the_server(folder):
    with Watched(new_store(folder)) as server:
        equal(server.get("/live"), (200, "live\n"))
        until = time.monotonic() + SECONDS
        while server.get("/ready") != (200, "ready\n"):
            assert time.monotonic() < until, server.get("/ready")
        equal(server.get("/")[0], 404)
        equal(server.get("/metrics/")[0], 404)


@test
def where_it_is_shown_is_said(folder):
    store = new_store(folder)
    with Watched(store, metrics=None) as server:
        assert "metrics" not in server.said(), server.said()
    with Watched(store, metrics="0.0.0.0:0") as server:
        assert "other machines can read them" in server.said(), server.said()
    with Watched(store, metrics="localhost:0") as server:
        assert "other machines" not in server.said(), server.said()
        taken = server.url.removeprefix("http://")
        os.mkdir(f"{folder}/other")
        other = new_store(f"{folder}/other")
        run("serve", "--store", other, "--listen", "127.0.0.1:0", "--metrics", taken).ends(
            FAILED, "--metrics: ", taken)
    for wrong in ("9464", "127.0.0.1", "127.0.0.1:99999", ""):
        run("serve", "--store", store, "--listen", "127.0.0.1:0", "--metrics", wrong).ends(USAGE, "--metrics: ")


@test
def a_configuration_says_where(folder):
    store = new_store(folder)
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as config:
        config.write("[serve]\nmetrics = 127.0.0.1:0\n")
        config.flush()
        with Watched(store, "--config", config.name, metrics=None) as server:
            equal(server.get("/live"), (200, "live\n"))


@test
def a_slow_call_is_one_line(folder):
    store = new_store(folder)
    order = dict(ORDER, attributes={"note": "very secret"}, shipping_locations=[
        {"number": 1, "line_items": [{"number": n + 1, "quantity": "1"} for n in range(5000)]}])
    wanted = r"slow: call=putOrder ms=([0-9]+) result=ok calls=([0-9]+) left_out=0: Storing order O1 of C1"
    with Watched(store, "--slow", "1", metrics=None) as server:
        run("put", "--server", server.address, "-", stdin=order).ends(DONE)
        said = server.said()
    found = re.search(wanted + r" \(request [0-9a-f]{8}-[0-9]+\)$", said, re.M)
    assert found, said
    assert int(found[2]) > 0, said
    with Watched(store, "--slow", "1", "--log", "json", metrics=None) as server:
        run("put", "--server", server.address, "-", stdin=order).ends(DONE)
        lines = [json.loads(line) for line in server.said().splitlines()]
    slow, = [line for line in lines if re.fullmatch(wanted, line["message"])]
    equal(list(slow), ["time", "level", "message", "request", "call", "ms", "result", "calls", "left_out", "operation"])
    equal((slow["level"], slow["call"], slow["result"], slow["left_out"], slow["operation"]),
          ("info", "putOrder", "ok", 0, "Storing order O1 of C1"))
    equal([str(slow[name]) for name in ("ms", "calls")], list(re.fullmatch(wanted, slow["message"]).groups()))
    assert slow["ms"] > 0 and slow["calls"] > 0, slow
    assert all(list(line) == ["time", "level", "message"] for line in lines if "slow:" not in line["message"]), lines
    with Watched(store, "--slow", "0", metrics=None) as server:
        run("put", "--server", server.address, "-", stdin=order).ends(DONE)
        assert "slow:" not in server.said(), server.said()
    assert "secret" not in said + json.dumps(lines)
    run("serve", "--store", store, "--log", "xml").ends(USAGE, "--log takes text or json")
    run("serve", "--store", store, "--slow", "-1").ends(USAGE, "--slow takes milliseconds")


@test
def levels_of_the_log(folder):
    store = new_store(folder)
    wanted = {"debug": True, "info": True, "warning": False, "error": False}
    for level, is_said in wanted.items():
        with Watched(store, "--log-level", level, metrics=None) as server:
            equal((level, "limits: " in server.said()), (level, is_said))
    run("serve", "--store", store, "--log-level", "loud").ends(USAGE, "--log-level takes debug")


# In a file system of its own: a journal that keeps what comes.
JOURNAL = """
import os, socket, subprocess, sys
subprocess.run(["mount", "-t", "tmpfs", "none", "/run"], check=True)
os.makedirs("/run/systemd/journal")
stream, datagrams = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
stream.bind("/run/systemd/journal/stdout")
stream.listen()
datagrams.bind("/run/systemd/journal/socket")
error = socket.socket(socket.AF_UNIX)
error.connect("/run/systemd/journal/stdout")
server = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=error, text=True)
print(server.stdout.readline(), end="", flush=True)
sys.stdin.readline()
server.terminate()
server.wait()
datagrams.setblocking(False)
try:
    while True:
        print(repr(datagrams.recv(65536)))
except BlockingIOError:
    pass
error.close()
print(repr(stream.accept()[0].makefile("rb").read()))
"""


def journal(store, *options):
    """What a server with a slow call says to a journal: its entries, and the lines of its stream."""
    process = subprocess.Popen(
        ["unshare", "--mount", sys.executable, "-c", JOURNAL, PROGRAM, "serve", "--store", store,
         "--listen", "127.0.0.1:0", "--slow", "1", *options],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    address = process.stdout.readline().split()[-1]
    order = dict(ORDER, shipping_locations=[
        {"number": 1, "line_items": [{"number": n + 1, "quantity": "1"} for n in range(5000)]}])
    run("put", "--server", address, "-", stdin=order).ends(DONE)
    said = process.communicate("\n", timeout=SECONDS)[0]
    equal(process.returncode, 0)
    *entries, stream = [ast.literal_eval(one).decode() for one in said.splitlines()]
    return [dict(line.split("=", 1) for line in one.splitlines()) for one in entries], stream.splitlines()


@test
def fields_for_the_journal(folder):
    tried = subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False)
    if tried.returncode != 0:
        print("# this user may not mount a file system")
        return
    store = new_store(folder)
    # which the service warns of
    run("migrate", "--store", store, "--to-layout", "normalized", "--pass-only").ends(DONE)
    entries, stream = journal(store)
    assert len(entries) > 3, entries
    for entry in entries:
        warns = entry["MESSAGE"].startswith("A migration has begun")
        equal((entry["SYSLOG_IDENTIFIER"], entry["PRIORITY"]), ("tallorder", "4" if warns else "5"))
    equal([entry["PRIORITY"] for entry in entries].count("4"), 1)
    slow, = [entry for entry in entries if entry["MESSAGE"].startswith("slow: call=putOrder")]
    assert re.fullmatch("[0-9a-f]{8}-[0-9]+", slow["TALLORDER_REQUEST"]), slow
    equal((slow["TALLORDER_CALL"], slow["TALLORDER_RESULT"]), ("putOrder", "ok"))
    assert int(slow["TALLORDER_MS"]) > 0 and int(slow["TALLORDER_CALLS"]) > 0, slow
    equal([entry for entry in entries if "TALLORDER_REQUEST" in entry], [slow])
    equal(stream, [])
    # lines of JSON stay such lines
    entries, stream = journal(store, "--log", "json")
    equal(entries, [])
    levels = [json.loads(line)["level"] for line in stream]
    equal((levels.count("warning"), set(levels)), (1, {"info", "warning"}))


def send_noise(address):
    """Bytes that are not a message: the connection is cut."""
    host, port = address.rsplit(":", 1)
    with (contextlib.suppress(ConnectionError),
          socket.create_connection((host, int(port)), timeout=SECONDS) as peer):
        peer.sendall(b"GET / HTTP/1.0\r\n\r\n")
        while peer.recv(4096):
            pass


@contextlib.contextmanager
def watching(address, **streams):
    """`status --watch`, which Ctrl-C ends at the end."""
    process = subprocess.Popen(
        [PROGRAM, "status", "--watch", "--metrics", address, "--every", "1"], **streams)
    try:
        yield process
        process.send_signal(signal.SIGINT)
        equal(process.wait(timeout=SECONDS), 0)
    finally:
        process.kill()
        process.wait()


def lines_of(process):
    """As name and value, but for the date at the beginning."""
    for line in iter(process.stdout.readline, ""):
        date, _, rest = line.rstrip("\n").partition(" ")
        assert re.fullmatch(r"[0-9-]{10}T[0-9:.]{12}Z", date), line
        yield dict(re.findall(r'(\S+)=("[^"]*"|\S+)', rest)), rest


def watch_a_service(server, process):
    """Until its lines show all that happens to it."""
    until = time.monotonic() + SECONDS
    for said, _ in lines_of(process):
        equal(list(said), ["ready", "calls/s", "failed/s", "p50_ms", "p99_ms", "connections",
                           "refused/s", "cut/s", "memory_mb", "commits/s", "overtaken/s", "stalled", "migration"])
        equal((said["stalled"], said["migration"]), ("no", '"none"'))
        if (said["ready"] == "yes" and float(said["commits/s"]) > 0
                and float(said["cut/s"]) > 0):
            break
        assert time.monotonic() < until, said
        run("put", "--server", server.address, "-", stdin=ORDER).ends(DONE)
        send_noise(server.address)
    assert float(said["calls/s"]) >= float(said["commits/s"]), said
    assert float(said["p99_ms"]) >= float(said["p50_ms"]) > 0, said


@test
def watching_from_a_pipe(folder):
    store = new_store(folder)
    with contextlib.ExitStack() as until_gone:
        server = until_gone.enter_context(Watched(store))
        address = server.url.removeprefix("http://")
        with watching(address, stdout=subprocess.PIPE, text=True) as process:
            watch_a_service(server, process)
            until_gone.close()
            for _, rest in lines_of(process):  # it goes on
                if rest.startswith("No metrics come from"):
                    break
    run("status", "--watch", "--metrics", address).ends(FAILED, "No metrics come from")
    with Watched(store) as server:
        run("status", "--watch", "--metrics", server.address).ends(FAILED, "No metrics come from")
    for wrong in (("--watch", "--json"), ("--watch", "--all"), ("--every", "2"),
                  ("--metrics", address), ("--watch", "--every", "0")):
        run("status", *wrong).ends(USAGE, "--watch" if wrong[-1] != "0" else "--every")


@test
def watching_on_a_terminal(folder):
    with Watched(new_store(folder)) as server:
        run("put", "--server", server.address, "-", stdin=ORDER).ends(DONE)
        leader, follower = pty.openpty()
        with watching(server.url.removeprefix("http://"), stdout=follower, stderr=follower):
            os.close(follower)
            said = b""
            while said.count(b"\x1b[H\x1b[J") < 3:
                said += os.read(leader, 4096)
        os.close(leader)
    screen = said.split(b"\x1b[H\x1b[J")[2].decode()
    for text in ("tallorder, rocksdb, ", "putOrder", "CALLS/S", "connections ", "memory ", "commits",
                 "RocksDB ", "no stall", "migration    none"):
        assert text in screen, screen


if __name__ == "__main__":
    sys.exit(main())
