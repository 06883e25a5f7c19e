#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Builds the examples of tools/examples by the commands of its README, and runs them: two of each at
once, through a proxy that loses answers, and with TLS. Speaks TAP. Without TALL_TEST_ALL the
one in C alone.

    examples.py TALLORDER SOURCE_ROOT MESON BUILD_ROOT
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading

from authority import Ca
from certificates import TlsServer
from support import DONE, SECONDS, SOURCE, Server, equal, main, new_store, run, test, test_in_full

README = (SOURCE / "tools/examples/README.md").read_text("utf-8")
MESON, BUILD = sys.argv[3:5]
LOST = 7  # one answer in so many
ITEMS = 12  # of each process


class Proxy:
    """Between clients and a server: loses each n-th answer after the server has given it; with
    `puts_only`, of those to puts, and the first one to a patch. Counts the calls."""

    def __init__(self, address, nth, puts_only=False):
        host, port = address.rsplit(":", 1)
        self._server = host, int(port)
        self._nth, self._puts_only = nth, puts_only
        self.gets = self.puts = self.patches = self.others = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=[client], daemon=True).start()

    def _serve(self, client):
        with client, socket.create_connection(self._server) as server:
            while frame := self._receive(client):
                server.sendall(frame)
                answer = self._receive(server)
                if self._is_lost(frame):
                    return
                client.sendall(answer)

    def _is_lost(self, frame):
        head = frame[:64]  # both protocols have the call's name there
        self.gets += b"getOrder" in head
        self.puts += b"putOrder" in head
        self.patches += b"patchOrder" in head
        self.others += b"getOrder" not in head and b"putOrder" not in head
        if self._puts_only:
            return b"putOrder" in head and self.puts % self._nth == 0 \
                or b"patchOrder" in head and self.patches == 1
        return (self.gets + self.puts + self.others) % self._nth == 0

    @staticmethod
    def _receive(peer):
        head = peer.recv(4, socket.MSG_WAITALL)
        return head and head + peer.recv(struct.unpack(">i", head)[0], socket.MSG_WAITALL)


def blocks(text):
    """The commands in a part of the README."""
    return re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)


INTRODUCTION, *PARTS = re.split(r"^\*\*(?=\w+\*\*)", README, flags=re.M)
CLONE = blocks(INTRODUCTION)[1]


class Example:
    """What the first commands of a language build; the last of them runs it, and the others do with TLS."""

    def __init__(self, language, folder, **environment):
        self.folder = pathlib.Path(folder)
        self.environment = {**os.environ, "HOME": os.environ.get("HOME", folder), "GOFLAGS": "-buildvcs=false",
                            "PATH": f"{os.environ['PATH']}:/usr/lib/go/bin", **environment}
        (part,) = [part for part in PARTS if part.startswith(f"{language}**")]
        plain, self.with_tls = blocks(part)
        *build, self.command = plain.strip().splitlines()
        self.place = next((line.rsplit("cd ", 1)[1] for line in build if "&& cd " in line), ".")
        done = self._shell("\n".join(build), self.folder)
        if done.returncode != 0:
            raise AssertionError(f"{language}: {done.stdout}{done.stderr}")

    def _shell(self, commands, folder, **environment):
        commands = f"cd {SOURCE}\n{CLONE}cd {folder}\n{commands}"
        return subprocess.run(["bash", "-euc", commands], env={**self.environment, **environment},
                              capture_output=True, text=True, timeout=SECONDS, check=False)

    def add(self, address, order, items):
        """Runs it on other items."""
        before = self.command.split(" $ADDRESS ")[0]
        return self._shell(f"{before} {address} VINET {order} {' '.join(items)}", self.folder / self.place)

    def add_with_tls(self, host, port, certificates):
        """Runs it as the README does, with certificates of a folder."""
        commands = self.with_tls.replace("localhost:7654", f"{host}:{port}")
        return self._shell(f"rm -f *.p12\n{commands}", self.folder / self.place, TLS=certificates)


def items_of(address, order):
    stored = json.loads(run("get", "--json", "--server", address, "VINET", order).ends(DONE).out)
    return sorted(line["item_number"] for line in stored["shipping_locations"][0]["line_items"])


def quantity_of(address, order, item):
    stored = json.loads(run("get", "--json", "--server", address, "VINET", order).ends(DONE).out)
    return [line["quantity"] for line in stored["shipping_locations"][0]["line_items"] if line["item_number"] == item]


def prints(done, text):
    if done.returncode != 0 or done.stdout != text:
        raise AssertionError(f"ended with {done.returncode}, {done.stdout!r}, not {text!r}\n{done.stderr}")


def check_together(example, folder):
    """Two at once, whose answers are lost now and then: nothing is lost or there twice."""
    mine, others = ([f"{name}{i:02}" for i in range(ITEMS)] for name in "ab")
    with Server(new_store(folder)) as server, Proxy(server.address, LOST) as proxy:
        with concurrent.futures.ThreadPoolExecutor() as pool:
            both = [pool.submit(example.add, proxy.address, "1", items) for items in (mine, others)]
        for done in both:
            if done.result().returncode != 0:
                raise AssertionError(done.result().stderr)
        equal(items_of(server.address, "1"), mine + others)
        prints(example.add(server.address, "1", mine), f"1 {2 * ITEMS}\n1 of VINET\n")  # not again
        more = [("VINET", number) for number in range(2, 103)] + [(f"C{i:03}", 1) for i in range(101)]
        run("put", "--server", server.address, "-", stdin="".join(
            json.dumps({"order": {"customer_number": customer, "order_number": str(number)}}) + "\n"
            for customer, number in more)).ends(DONE)
        said = example.add(server.address, "1", ["a00"]).stdout.splitlines()
        equal(len(set(said)), 204)  # more than a page of each
        equal(said[102:], [f"1 of C{i:03}" for i in range(101)] + ["1 of VINET"])
        equal([quantity_of(server.address, "1", item) for item in ("a00", "a01", "b00")], [["4"], ["1"], ["2"]])
        refused = example.add(server.address, "bad\x7fnumber", ["1"])
        equal((refused.returncode, "control character" in refused.stderr), (1, True))
    no_port = example.add("localhost", "1", ["1"])
    equal((no_port.returncode, "port" in no_port.stderr.lower(), "\tat " in no_port.stderr), (1, True, False))


def check_tokens(example, folder):
    """A replacement whose answer is lost is recognised by its token, so that nothing is read again."""
    items = [f"t{i:02}" for i in range(ITEMS)]
    with Server(new_store(folder)) as server, Proxy(server.address, 2, puts_only=True) as proxy:
        prints(example.add(proxy.address, "1", items), f"1 {ITEMS}\n1 of VINET\n")
        equal((proxy.gets, proxy.puts), (ITEMS + 1, 2 * ITEMS - 1))  # the first put is of a new order
        equal((proxy.patches, quantity_of(server.address, "1", "t00")), (2, ["2"]))


def check_tls(example, folder):
    ca = Ca(folder)
    ca.certify("server", names="DNS:localhost")
    ca.certify("loader")
    stranger = pathlib.Path(folder, "stranger")
    shutil.copytree(folder, stranger)
    shutil.copy(Ca(folder, "other").file, stranger / "ca.crt")
    with TlsServer(new_store(folder), *ca.files("server"), "--tls-ca", ca.file) as server:
        done = example.add_with_tls("localhost", server.port, folder)
        equal((done.returncode, re.fullmatch(r"(\w1) 2\n\1 of VINET\n", done.stdout) is not None, done.stderr if done.returncode
               else ""), (0, True, ""))
        equal(example.add_with_tls("localhost", server.port, stranger).returncode, 1)
        not_named = example.add_with_tls("127.0.0.1", server.port, folder)  # in the server's certificate
        equal(not_named.returncode, 1)


def check(language, folder, **environment):
    """All of one language; each part has a folder of its own."""
    parts = [pathlib.Path(folder, name) for name in ("built", "together", "tokens", "tls")]
    for part in parts:
        part.mkdir()
    example = Example(language, parts[0], **environment)
    check_together(example, parts[1])
    check_tokens(example, parts[2])
    check_tls(example, parts[3])


@test_in_full
def python(folder):
    check("Python", folder)


@test_in_full
def go(folder):
    check("Go", folder)


@test_in_full
def java(folder):
    check("Java", folder)


@test
def c(folder):
    """With the library as it is installed."""
    root = pathlib.Path(folder, "root")
    subprocess.run([MESON, "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", root], check=True)
    (config,) = root.rglob("tallorder.pc")
    text = config.read_text("utf-8")
    config.write_text(re.sub(r"^prefix=", f"prefix={root}", text, flags=re.M), "utf-8")
    check("C", folder, PKG_CONFIG_PATH=str(config.parent),
          LD_LIBRARY_PATH=str(config.parent.parent))


if __name__ == "__main__":
    sys.exit(main())
