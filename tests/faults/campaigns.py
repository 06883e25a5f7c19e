#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""What holds on a real cluster while calls go wrong and processes die.

    tools/hbase/hbase run --cluster --hdfs -- tests/faults/campaigns.py [NAME...]

Without names: one of each kind of fault, on one layout; with TALL_TEST_ALL, all.
In each campaign two processes, whose clocks are an hour apart, put, replace, delete, get and list a
few orders. Afterwards every order is read, and the whole history has to be linearizable: what was
acknowledged is there, nothing was ever torn or damaged, no answer was wrong.
"""

import contextlib
import os
import pathlib
import shutil
import sys
import tempfile
import time

import raw
from campaign_mix import Mix, Proxy
from campaign_moves import moves_of
from campaign_repairs import repairs
from cluster import REGION_BACK_SECONDS, SESSION_SECONDS, Parts, cluster_data, wait_until
from faults import LAYOUTS, SOURCE, TAKES_ALL, Checks, build_tools

CALL_SECONDS = 5.0  # what a call may take at one gateway: call_timeout of TallHbaseOptions
OPERATION_SECONDS = 10.0  # what a put or a get may take in all
MARGIN_SECONDS = 4.0  # of a machine that is busy with starting a cluster's parts
FAULT_SECONDS = 15
CROWD = 40  # threads of each process, and orders; a process has 12 connections to each gateway
LOADED_ORDERS = 12  # of a generation, so that some are new for a while
BEFORE, AFTER = 60, 60  # acknowledged puts before and after a process dies
PATIENCE_SECONDS = 600
MOVER_KILLS = 5  # before and after each part of the cluster that is killed: 20 in all
PAUSE = "pause"  # only on a cluster with HDFS: see README.md
PAUSE_SECONDS = 2 * SESSION_SECONDS  # of a region server, that is taken for dead meanwhile
FAULTS = ("delay=0.02 drop=0.01 cutcall=0.005 lost=0.01 late=0.01 cut=0.01 stall=0.001 "
          "earlier=0.01 garble=0.005 false=0.05")
EVERY_FAULT = {word.split("=")[0] for word in FAULTS.split()}


class Campaign:
    """The cluster and what all campaigns share."""

    def __init__(self, checks, parts, folder, in_full):
        self.checks, self.parts, self.folder, self.in_full = checks, parts, folder, in_full

    @contextlib.contextmanager
    def mixes(self, *layouts, gateways=None, **options):
        """Mixes on these layouts at the same time; on the first alone if it is to be short."""
        mixes = [Mix(self.folder, layout, self.parts.gateways, gateways, **options)
                 for layout in (layouts if self.in_full else layouts[:1])]
        try:
            for mix in mixes:
                mix.start()
            yield mixes
            for mix in mixes:
                mix.stop()
        except BaseException:
            for mix in mixes:
                keep(mix)
            raise
        finally:
            for mix in mixes:
                mix.kill()

    def await_puts(self, mixes, number, since=0.0):
        when = "since it went on" if since else "at the beginning"
        for mix in mixes:
            wait_until(lambda mix=mix: mix.acknowledged(since) >= number, PATIENCE_SECONDS,
                       f"{mix.name}: {number} acknowledged puts {when}")

    def conclude(self, mixes, what, longest=None, acknowledged=BEFORE, garbled=False):
        """LONGEST: seconds that a call may take, where no others wait for the processors. Returns the verdicts."""
        if longest is not None:
            longest *= max(1.0, os.getloadavg()[0] / os.cpu_count())
        verdicts = [mix.verdict(garbled) for mix in mixes]
        for mix, verdict in zip(mixes, verdicts):
            good = verdict.is_right(acknowledged)
            self.checks.check(good, f"{mix.layout}, {what}: linearizable, "
                              f"{verdict.count('ok', 'put')} acknowledged puts, "
                              f"{verdict.count('unknown')} outcomes unknown", verdict)
            if not good:
                keep(mix)
            if longest is not None:
                self.checks.check(verdict.longest <= longest,
                                  f"{mix.layout}, {what}: no call took over {longest:.0f} s; "
                                  f"the longest {verdict.longest:.1f} s", verdict.found["longest"])
        return verdicts

    def survive(self, layouts, what, kill, mend, longest, **options):
        """Something dies under a mix, and comes back; the work goes on. OPTIONS: of the mixes."""
        with self.mixes(*layouts, **options) as mixes:
            self.await_puts(mixes, BEFORE)
            kill(mixes)
            killed = time.monotonic()
            if mend is not None:
                mend(mixes)
            self.await_puts(mixes, AFTER, since=killed)
        self.parts.mend()
        self.conclude(mixes, what, longest, BEFORE + AFTER)


def keep(mix):
    """A history that fails is worth more than the folder in which it lies."""
    for history in mix.histories:
        shutil.copy(history, tempfile.gettempdir())
    print(f"# its histories: {tempfile.gettempdir()}/{mix.name}-*.history", flush=True)


def raw_puts(campaign):
    raw.run(campaign.checks, campaign.parts)
    campaign.parts.mend()


def await_faults(proxy, names):
    """Waits until these have happened, which is a matter of chance; the caller checks whether they
    have."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not names <= set(proxy.tell("stats")["faults"]) and time.monotonic() < end:
        time.sleep(1)


def faults_of_calls(campaign):
    """Every layout, with calls that go wrong in every way."""
    seen = {}
    layouts = LAYOUTS if campaign.in_full else SHORT_LAYOUTS
    for seed, layout in enumerate(layouts):
        proxy = Proxy(campaign.parts.gateways, seed)
        try:
            with campaign.mixes(layout, gateways=proxy.gateways) as mixes:
                mixes[0].await_work()
                proxy.tell("set " + FAULTS)
                time.sleep(FAULT_SECONDS)
                if layout == layouts[-1]:
                    await_faults(proxy, EVERY_FAULT - set(seen))
                stats = proxy.tell("stats")
                proxy.tell("clear")
                cleared = time.monotonic()
                campaign.await_puts(mixes, 10, since=cleared)
            proxy.tell("settle")
            for fault, number in stats["faults"].items():
                seen[fault] = seen.get(fault, 0) + number
        finally:
            proxy.close()
        print(f"# {layout}: {stats}", flush=True)
        campaign.conclude(mixes, "faults of calls", OPERATION_SECONDS + CALL_SECONDS,
                          garbled=True)
    campaign.checks.check(set(seen) == EVERY_FAULT, f"every fault has happened: {seen}",
                          EVERY_FAULT - set(seen))


def many_readers(campaign):
    """More threads than connections, so that gets leave together, and calls that go wrong."""
    proxy = Proxy(campaign.parts.gateways)
    try:
        with campaign.mixes("blob", gateways=proxy.gateways, threads=CROWD, orders=CROWD) as mixes:
            mixes[0].await_work()
            proxy.tell("set " + FAULTS)
            time.sleep(FAULT_SECONDS)
            calls = proxy.tell("stats")["calls"]
            proxy.tell("clear")
            cleared = time.monotonic()
            campaign.await_puts(mixes, AFTER, since=cleared)
        proxy.tell("settle")
    finally:
        proxy.close()
    listings = calls.get("getScannerResults", 0)  # which get their rows together as well
    campaign.checks.check(calls.get("getMultiple", 0) > listings + BEFORE,
                          f"gets left together: {calls}", calls)
    campaign.conclude(mixes, "many readers", OPERATION_SECONDS + CALL_SECONDS, garbled=True)


def gateways_fall_silent(campaign):
    """Both gateways stop to answer, then refuse, then end all connections; and come back."""
    proxy = Proxy(campaign.parts.gateways)
    try:
        with campaign.mixes("blob", "record-type", gateways=proxy.gateways) as mixes:
            campaign.await_puts(mixes, BEFORE)
            for command in ("silent on", "close"):
                proxy.tell("refuse on")
                proxy.tell(command)
                time.sleep(CALL_SECONDS)
                proxy.tell("clear")
                proxy.tell("close")
                cleared = time.monotonic()
                campaign.await_puts(mixes, AFTER, since=cleared)
    finally:
        proxy.close()
    campaign.conclude(mixes, "silent gateways", OPERATION_SECONDS + CALL_SECONDS, BEFORE + AFTER)


def one_gateway(campaign):
    campaign.survive(("blob", "normalized"), "one of two gateways killed",
                     lambda _: campaign.parts.kill("gateway-0"), None,
                     CALL_SECONDS + MARGIN_SECONDS)


def both_gateways(campaign):
    both = ("gateway-0", "gateway-1")
    campaign.survive(("wide", "record-type"), "both gateways killed",
                     lambda _: campaign.parts.kill(*both),
                     lambda _: campaign.parts.restart(*both),
                     OPERATION_SECONDS + MARGIN_SECONDS)


def region_server(campaign):
    campaign.survive(("denormalized", "blob"), "a region server killed",
                     lambda mixes: campaign.parts.kill(server_of(campaign, mixes[0])), None,
                     REGION_BACK_SECONDS)


def paused_region_server(campaign):
    """A region server stands still for longer than its session, while another takes its regions, and
    then goes on as if nothing had been. With a TTL, and clocks ten minutes apart."""
    paused = []

    def pause(mixes):
        paused.append(server_of(campaign, mixes[0]))
        campaign.parts.pause(paused[0])

    def go_on(_mixes):
        time.sleep(PAUSE_SECONDS)
        campaign.parts.go_on(paused[0])
        campaign.parts.await_end(paused[0])

    campaign.survive(("normalized", "blob"), "a region server paused beyond its session", pause,
                     go_on, PAUSE_SECONDS + REGION_BACK_SECONDS, ttl=1200, clocks=(0, 600))


def server_of(campaign, mix):
    """The region server that has the orders of a mix."""
    from gateway_client import Client

    client = Client(campaign.parts.gateways[0])
    try:
        ports = client.region_ports(f"faults-{mix.name}.orders")
    finally:
        client.close()
    return campaign.parts.region_servers_of(ports)[0]


def master(campaign):
    campaign.survive(("record-type", "wide"), "the master killed",
                     lambda _: campaign.parts.kill("master"),
                     lambda _: campaign.parts.restart("master"),
                     OPERATION_SECONDS + MARGIN_SECONDS)


def writer(campaign):
    """A writing process dies; another one goes on with its orders."""
    def kill(mixes):
        for mix in mixes:
            mix.processes[0].kill()

    def replace(mixes):
        for mix in mixes:
            mix.start(clocks=(0,))

    campaign.survive(("normalized", "denormalized"), "a writing process killed", kill, replace,
                     OPERATION_SECONDS + MARGIN_SECONDS)


def loads(campaign):
    """Loads in both processes, through calls that go wrong; one of them is killed."""
    proxy = Proxy(campaign.parts.gateways)
    try:
        with campaign.mixes("blob", "normalized", gateways=proxy.gateways, orders=LOADED_ORDERS,
                            load=["report", "replace"]) as mixes:
            for mix in mixes:
                mix.await_work()
            proxy.tell("set " + FAULTS)
            time.sleep(FAULT_SECONDS)
            for mix in mixes:
                mix.processes[0].kill()
                mix.start(clocks=(0,))
            proxy.tell("clear")
            cleared = time.monotonic()
            campaign.await_puts(mixes, AFTER, since=cleared)
        proxy.tell("settle")
    finally:
        proxy.close()
    for verdict in campaign.conclude(mixes, "loads", garbled=True):
        plain = verdict.count("plain", "load")
        campaign.checks.check(plain > 0, f"{plain} orders loaded without a condition", verdict)


def repair(campaign):
    """Repairs beside writers, through calls that go wrong; a writer is killed, and repairs are."""
    proxy = Proxy(campaign.parts.gateways)
    try:
        with campaign.mixes("record-type", "blob", gateways=proxy.gateways) as mixes:
            for mix in mixes:
                mix.await_work()
            with repairs(mixes) as menders:
                proxy.tell("set " + FAULTS)
                time.sleep(FAULT_SECONDS)
                for mix in mixes:
                    mix.processes[0].kill()
                    mix.start(clocks=(0,))
                wait_until(lambda: any(mender.mended > 0 for mender in menders)
                           and all(mender.killed > 0 for mender in menders),
                           2 * PATIENCE_SECONDS, "repairs")
                proxy.tell("clear")
                cleared = time.monotonic()
                campaign.await_puts(mixes, AFTER, since=cleared)
        proxy.tell("settle")
    finally:
        proxy.close()
    for mix, mender in zip(mixes, menders):
        left = mender.settle()
        campaign.checks.check(not mender.false, f"{mix.layout}: {mender}, nothing damaged",
                              mender.false)
        campaign.checks.check(not left, f"{mix.layout}: nothing is wrong at the end", left)
    campaign.conclude(mixes, "repairs", garbled=True)


def moves(campaign):
    """Migrators beside writers, two at a time and killed again and again, while gateways and a region
    server are killed, too."""
    with campaign.mixes("record-type", still=True) as mixes:
        for mix in mixes:
            mix.await_work()
        with moves_of(mixes[0]) as movers:
            for part in ("gateway-0", "region-0", "gateway-1"):
                movers.await_kills(MOVER_KILLS, PATIENCE_SECONDS)
                campaign.parts.kill(part)
                campaign.parts.restart(part)
            movers.await_kills(MOVER_KILLS, PATIENCE_SECONDS)
        switched = movers.settle()
        settled = time.monotonic()
        campaign.await_puts(mixes, AFTER, since=settled)
    print(*(f"# {line}" for line in movers.describe()), sep="\n", flush=True)
    campaign.checks.check(switched, f"record-type: {movers}", movers.said)
    left = movers.verify()
    campaign.checks.check(not left, "record-type, moves: nothing is wrong at the end", left)
    campaign.conclude(mixes, "moves")


SHORT = ("calls", "silent", "gateways", "region", PAUSE, "writer")  # one of each kind of fault
SHORT_LAYOUTS = ("blob", "normalized")  # of one row, and of several

CAMPAIGNS = {
    "raw": raw_puts,
    "calls": faults_of_calls,
    "readers": many_readers,
    "silent": gateways_fall_silent,
    "gateway": one_gateway,
    "gateways": both_gateways,
    "region": region_server,
    PAUSE: paused_region_server,
    "master": master,
    "writer": writer,
    "loads": loads,
    "repair": repair,
    "moves": moves,
}


def run(checks, names, folder):
    from gateway_client import generate_bindings
    generate_bindings(SOURCE / "idl" / "hbase.thrift", str(folder))
    parts = Parts()
    parts.mend()
    campaign = Campaign(checks, parts, folder, in_full=names or TAKES_ALL)
    usual = [name for name in (CAMPAIGNS if TAKES_ALL else SHORT) if name != PAUSE or parts.hdfs]
    for name in names or usual:
        began = time.monotonic()
        try:
            CAMPAIGNS[name](campaign)
        except AssertionError as error:
            checks.check(False, f"campaign {name}", error)
        parts.mend()
        print(f"# {name}: {time.monotonic() - began:.0f} s", flush=True)


def main(names):
    checks = Checks()
    if cluster_data() is None:
        checks.skip("TALLORDER_HBASE_CLUSTER names no cluster")
        return checks.finish()
    build_tools()
    with tempfile.TemporaryDirectory() as folder:
        run(checks, names, pathlib.Path(folder))
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
