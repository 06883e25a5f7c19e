#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Builds the examples of tools/examples by the commands of its README, and runs two of each at once,
through a proxy that loses answers, and with TLS. Speaks TAP.

    examples.py TALLORDER SOURCE_ROOT MESON BUILD_ROOT
"""

import concurrent.futures
import json
import os
import pathlib
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading

from authority import Ca, openssl
from certificates import TlsServer
from support import DONE, SECONDS, SOURCE, Server, equal, main, new_store, run, test

README = (SOURCE / "tools/examples/README.md").read_text("utf-8")
MESON, BUILD = sys.argv[3:5]
PASSWORD = "changeit"  # of the stores that the test makes
LOST = 7  # one answer in so many
ITEMS = 12  # of each process


class Proxy:
    """Between clients and a server: loses answers after the server has given them."""

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self._server = host, int(port)
        self._answers = 0
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
                self._answers += 1
                if self._answers % LOST == 0:
                    return
                client.sendall(answer)

    @staticmethod
    def _receive(peer):
        head = peer.recv(4, socket.MSG_WAITALL)
        return head and head + peer.recv(struct.unpack(">i", head)[0], socket.MSG_WAITALL)


def block(language):
    """The commands of a language."""
    (commands,) = re.findall(rf"^\*\*{language}\*\*.*?^```sh\n(.*?)^```", README, re.M | re.S)
    return commands


class Example:
    """What the commands of a language build; its last command runs it."""

    def __init__(self, language, folder, **environment):
        self.folder = pathlib.Path(folder)
        (self.folder / "tallorder").symlink_to(SOURCE)
        self.environment = {**os.environ, "HOME": os.environ.get("HOME", folder), "GOFLAGS": "-buildvcs=false",
                            "PATH": f"{os.environ['PATH']}:/usr/lib/go/bin", **environment}
        *build, self.command = block(language).strip().splitlines()
        self.place = next((line.rsplit("cd ", 1)[1] for line in build if "&& cd " in line), ".")
        done = self._shell("\n".join(build), self.folder)
        if done.returncode != 0:
            raise AssertionError(f"{language}: {done.stdout}{done.stderr}")

    def _shell(self, commands, folder, **environment):
        return subprocess.run(["bash", "-euc", commands], cwd=folder, env={**self.environment, **environment},
                              capture_output=True, text=True, timeout=SECONDS, check=False)

    def add(self, address, order, items, options="", **environment):
        """Runs it on other items, with more options."""
        before = self.command.split(" $ADDRESS ")[0]
        return self._shell(f"{before} {options} {address} VINET {order} {' '.join(items)}",
                           self.folder / self.place, **environment)


def items_of(address, order):
    stored = json.loads(run("get", "--json", "--server", address, "VINET", order).ends(DONE).out)
    return sorted(line["item_number"] for line in stored["shipping_locations"][0]["line_items"])


def prints(done, text):
    if done.returncode != 0 or done.stdout != text:
        raise AssertionError(f"ended with {done.returncode}, {done.stdout!r}, not {text!r}\n{done.stderr}")


def check_together(example, folder):
    """Two at once, whose answers are lost now and then: nothing is lost or there twice."""
    mine, others = ([f"{name}{i:02}" for i in range(ITEMS)] for name in "ab")
    with Server(new_store(folder)) as server, Proxy(server.address) as proxy:
        with concurrent.futures.ThreadPoolExecutor() as pool:
            both = [pool.submit(example.add, proxy.address, "1", items) for items in (mine, others)]
        for done in both:
            if done.result().returncode != 0:
                raise AssertionError(done.result().stderr)
        equal(items_of(server.address, "1"), mine + others)
        prints(example.add(server.address, "1", mine), f"1 {2 * ITEMS}\n")  # not again
        for number in range(2, 103):
            run("put", "--server", server.address, "-",
                stdin=json.dumps({"customer_number": "VINET", "order_number": str(number)})).ends(DONE)
        said = example.add(server.address, "1", ["a00"]).stdout
        equal(len(set(said.splitlines())), 102)  # more than a page
        refused = example.add(server.address, "bad\x7fnumber", ["1"])
        equal((refused.returncode, "control character" in refused.stderr), (1, True))


def check_tls(example, folder, options, scheme=""):
    ca = Ca(folder)
    ca.certify("server", names="DNS:localhost")
    ca.certify("web")
    other = Ca(folder, "other")
    with TlsServer(new_store(folder), *ca.files("server"), "--tls-ca", ca.file) as server:
        address = f"{scheme}localhost:{server.port}"
        trusting = options(ca, ca)
        prints(example.add(address, "1", ["11"], **trusting), "1 1\n")
        equal(example.add(address, "1", ["12"], **options(other, ca)).returncode, 1)
        not_named = f"{scheme}127.0.0.1:{server.port}"  # in the server's certificate
        equal(example.add(not_named, "1", ["12"], **trusting).returncode, 1)


def by_files(trusted, own):
    return {"options": f"--ca {trusted.file} --certificate {own.path('web', 'crt')} --key {own.path('web', 'key')}"}


def check(language, folder, options=by_files, scheme="", **environment):
    """All of one language; each part has a folder of its own."""
    parts = [pathlib.Path(folder, name) for name in ("built", "together", "tls")]
    for part in parts:
        part.mkdir()
    example = Example(language, parts[0], **environment)
    check_together(example, parts[1])
    check_tls(example, parts[2], options, scheme)


@test
def python(folder):
    check("Python", folder)


@test
def go(folder):
    check("Go", folder)


def by_stores(trusted, own):
    """Java takes both from stores."""
    trust, keys = trusted.path(f"trust-{trusted.name}", "p12"), own.path("web", "p12")
    subprocess.run(["keytool", "-importcert", "-noprompt", "-file", trusted.file, "-keystore", trust,
                    "-storepass", PASSWORD], check=True, capture_output=True)
    openssl("pkcs12", "-export", "-in", own.path("web", "crt"), "-inkey", own.path("web", "key"),
            "-out", keys, "-passout", f"pass:{PASSWORD}")
    stores = [f"-Djavax.net.ssl.{name}Store={path} -Djavax.net.ssl.{name}StorePassword={PASSWORD}"
              for name, path in (("trust", trust), ("key", keys))]
    return {"JAVA_TOOL_OPTIONS": f"-Dtls=true {' '.join(stores)}"}


@test
def java(folder):
    check("Java", folder, by_stores)


@test
def c(folder):
    """With the library as it is installed."""
    root = pathlib.Path(folder, "root")
    subprocess.run([MESON, "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", root], check=True)
    (config,) = root.rglob("tallorder.pc")
    text = config.read_text("utf-8")
    config.write_text(re.sub(r"^prefix=", f"prefix={root}", text, flags=re.M), "utf-8")
    check("C", folder, scheme="tls://", PKG_CONFIG_PATH=str(config.parent),
          LD_LIBRARY_PATH=str(config.parent.parent))


if __name__ == "__main__":
    sys.exit(main())
