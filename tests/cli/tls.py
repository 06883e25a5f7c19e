#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Tests who may come in: TLS, certificates, roles, and what strangers try."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

from authority import Ca, openssl
from certificates import TlsServer
from support import DONE, FAILED, NO, PROGRAM, SECONDS, SOURCE, USAGE, Server, equal, main, new_store, run, test

SECTION = (SOURCE / "src/service/access/README.md").read_text("utf-8")


@contextlib.contextmanager
def serving(folder, *options, clients=True, roles=None):
    ca = Ca(folder)
    ca.certify("server", names="DNS:localhost,IP:127.0.0.1,IP:::1")
    for name in ("web", "loader", "operator", "stranger"):
        ca.certify(name, names="DNS:web.shop.example" if name == "web" else None)
    more = [*ca.files("server"), *options]
    if clients:
        more += ["--tls-ca", ca.file]
    if roles is not None:
        with open(f"{folder}/roles", "w", encoding="utf-8") as file:
            file.write(roles)
        more += ["--access", f"{folder}/roles"]
    with TlsServer(new_store(folder), *more) as server:
        yield ca, server


ROLES = "[roles]\nreader = dns:WEB.shop.example\nwriter = cn:loader\nadmin = cn:operator\n"


def get(server, ca, *more, address=None):
    return run("get", "--server", address or server.address, "--tls-ca", ca.file, *more, "C", "O")


def works(server, ca, name="web"):
    get(server, ca, *ca.files(name)).ends(1, "there is no such order")


@test
def readme(folder):
    """Runs every command of the section as it stands there, on a port that the kernel chooses."""
    blocks = re.findall(r"```(\w*)\n(.*?)```", SECTION, re.S)
    script = "set -eu\n" + "\n".join(text for kind, text in blocks if kind == "sh")
    script = script.replace("listen = 127.0.0.1:7654", "listen = 127.0.0.1:0").replace("7654", "$port")
    script = script.replace("serve --config tls/server.conf &", """serve --config tls/server.conf >said &
trap 'kill $!' EXIT
until grep -q listening said; do kill -0 $!; sleep 0.05; done
port=$(sed 's/.*://' said)""")
    refused = "tallorder delete --config tls/web.conf VINET 10248\n"
    assert refused in script
    script = script.replace(refused, f"! {refused}")
    script += ('tail -c +1 said >&2\nuntil ! tallorder get --config tls/web.conf VINET 10248 >/dev/null 2>last; '
               "do sleep 0.05; done\ncat last >&2\ntrap - EXIT\nkill $!\nwait $!\n")
    os.symlink(SOURCE / "tests", f"{folder}/tests")
    done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, timeout=SECONDS,
                          env={**os.environ, "PATH": f"{os.path.dirname(os.path.abspath(PROGRAM))}:{os.environ['PATH']}"})
    if done.returncode != 0:
        raise AssertionError(f"ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    port = re.search(r"listening on \S+:(\d+)", done.stderr).group(1)
    for kind, text in blocks:
        if kind == "" and text.strip().replace("7654", port) not in done.stderr:
            raise AssertionError(f"{text}is not what it said:\n{done.stderr}")
    assert "Queso Cabrales" in done.stdout or "10248" in done.stdout, done.stdout


@test
def wrong_servers(folder):
    """What our client says of a server that it cannot trust, each by its own error."""
    with serving(folder, clients=False) as (ca, server):
        get(server, ca).ends(1, "there is no such order")
        get(server, ca, address=f"tls://127.0.0.1:{server.port}").ends(1, "there is no such order")
        other = Ca(folder, "other")
        get(server, other).ends(FAILED, "its certificate (CN=server) is of an unknown CA")
        run("get", "--server", server.address, "C", "O").ends(FAILED, "its certificate (CN=server) is of an unknown CA")
        get(server, ca, address=f"127.0.0.1:{server.port}").ends(
            FAILED, "what seems to be a server that wants TLS: write tls:// before its address")
        works(server, ca)
    for name, names, days, said in (
            ("elsewhere", "DNS:elsewhere,DNS:*.localhost", 2, "is not for the host localhost"),
            ("localhost", None, 2, "is not for the host localhost"),
            ("late", "DNS:localhost", -1, "is refused: certificate has expired")):
        ca.certify(name, names=names, days=days)
        with TlsServer(f"rocksdb:{folder}/store", *ca.files(name)) as server:
            get(server, ca).ends(FAILED, f"its certificate (CN={name}) {said}")
            server.wait_for("refuses our certificate")


@test
def wildcards(folder):
    """One stands for a whole label, and for no part of one."""
    store, ca = new_store(folder), Ca(folder)
    for pattern, is_taken in (("*.shop.localhost", True), ("web*.shop.localhost", False)):
        ca.certify("server", names=f"DNS:localhost,DNS:{pattern}")
        with TlsServer(store, *ca.files("server")) as server:
            get(server, ca, address=f"tls://web1.shop.localhost:{server.port}").ends(
                *(NO, "there is no such order") if is_taken else
                (FAILED, "its certificate (CN=server) is not for the host web1.shop.localhost"))


@test
def wrong_clients(folder):
    """Each gets its own error, the log has it, and the server goes on."""
    with serving(folder, roles=ROLES + "[revoked]\n") as (ca, server):
        late = ca.certify("late", days=-1)
        # which fills what the log has for other connections
        for _ in range(30):
            with connect(server, b"GET / HTTP/1.0\r\n\r\n") as noise:
                is_closed(noise)
        other = Ca(folder, "other")
        other.certify("unknown")
        for files, said, logged in (
                ([], "the other side wants a certificate, and none was shown", "it shows no certificate"),
                (ca.files(late), "it has expired", "its certificate (CN=late) is refused: certificate has expired"),
                (other.files("unknown"), "it does not know the CA", "its certificate (CN=unknown) is of an unknown CA")):
            get(server, ca, *files).ends(FAILED, said)
            server.wait_for(logged)
            works(server, ca)
        with open(f"{folder}/roles", "a", encoding="utf-8") as file:
            file.write(f"fingerprints = {'0' * 64};{ca.fingerprint('web')}\n")
        assert "admin, 2 revoked" in server.reload()
        get(server, ca, *ca.files("web")).ends(FAILED, "it was revoked")
        server.wait_for("its certificate (CN=web) is refused: certificate revoked")
        # a write that a refusal meets was not done, also where the refusal comes after it was sent
        run("put", "--server", server.address, "--tls-ca", ca.file, *ca.files("web"), "-",
            stdin={"customer_number": "C", "order_number": "O"}).ends(FAILED, "it was revoked")
        get(server, ca, *ca.files("stranger")).ends(
            FAILED, '"getOrder" needs the role reader, and this client has none (cn:stranger)')
        works(server, ca, "loader")
        run("verify", "--server", server.address, "--tls-ca", ca.file, *ca.files("loader")).ends(
            FAILED, '"verify" needs the role admin, and this client has writer')
        run("verify", "--server", server.address, "--tls-ca", ca.file, *ca.files("operator")).ends(DONE, "sound")
        # the log names the first who was refused, and one every five seconds
        equal(re.findall(r"\[info\]: (forbidden: .*?);", server.said()),
              ['forbidden: "getOrders" needs the role reader, and this client has none (cn:stranger)'])


@test
def the_client_is_named(folder):
    """And not the CA between it and the one that nobody knows."""
    with serving(folder) as (ca, server):
        other, between = Ca(folder, "other"), Ca(folder, "between")
        openssl("req", "-new", "-key", between.path("between", "key"), "-subj", "/CN=between",
                "-addext", "basicConstraints=critical,CA:TRUE", "-out", f"{folder}/between.csr")
        openssl("x509", "-req", "-in", f"{folder}/between.csr", "-copy_extensions", "copy", "-CA", other.file,
                "-CAkey", other.path("other", "key"), "-CAcreateserial", "-days", 2, "-out", between.file)
        files = between.files(between.certify("leaf"))
        with open(files[1], "a", encoding="utf-8") as chain:
            chain.write(pathlib.Path(between.file).read_text("utf-8"))
        get(server, ca, *files).ends(FAILED, "it does not know the CA")
        server.wait_for("its certificate (CN=leaf) is of an unknown CA")


@test
def optional_clients(folder):
    with serving(folder, "--tls-clients", "optional", roles=ROLES) as (ca, server):
        get(server, ca).ends(FAILED, "this client has shown no certificate")
        works(server, ca)
        other = Ca(folder, "other")
        other.certify("unknown")
        get(server, ca, *other.files("unknown")).ends(FAILED, "it does not know the CA")
        # a stranger may give itself any name; the log has the beginning, on one line
        other.certify("long", subject="/CN=a\nb" + "".join(f"/OU={letter * 60}" for letter in "cdefgh"))
        get(server, ca, *other.files("long")).ends(FAILED, "it does not know the CA")
        server.wait_for("its certificate (OU=hhh")
        line, = [line for line in server.said().splitlines() if "(OU=hhh" in line]
        assert "OU=ggg" in line and "OU=eee" not in line and "…) is of an unknown CA" in line, line


def hello():
    """What a client says first."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    out = ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        context.wrap_bio(ssl.MemoryBIO(), out).do_handshake()
    return out.read()


def connect(server, data=b"", host="localhost"):
    connection = socket.create_connection((host, server.port), timeout=SECONDS)
    connection.sendall(data)
    return connection


def is_closed(connection):
    """Waits for the end; what comes before it does not matter."""
    with contextlib.suppress(ConnectionError):
        while connection.recv(4096):
            pass
    connection.close()
    return True


@test
def strangers(folder):
    """Old versions, a wish to renegotiate, and what is not TLS."""
    with serving(folder, roles=ROLES) as (ca, server):
        for data in (b"GET / HTTP/1.0\r\n\r\n", b"\0\0\0\x20\x80\1\0\1\0\0\0\x08getOrder\0\0\0\0",
                     b"\x16\x03\x01\0\2\1\1"[:5] + b"\xff" * 200, os.urandom(300), b"\x80" * 9000):
            assert is_closed(connect(server, data))
            works(server, ca)
        server.wait_for("it does not speak TLS, but HTTP")
        files = ["-cert", ca.path("web", "crt"), "-key", ca.path("web", "key"), "-CAfile", ca.file]
        address = server.address.removeprefix("tls://")
        old = subprocess.run(["openssl", "s_client", "-connect", address, "-tls1_1", "-cipher",
                              "DEFAULT@SECLEVEL=0", *files], input="", capture_output=True, text=True,
                             timeout=SECONDS)
        assert old.returncode != 0 and "alert protocol version" in old.stderr, old.stderr
        server.wait_for("it wants a version of TLS before 1.2, which is not taken")
        again = subprocess.Popen(["openssl", "s_client", "-connect", address, "-tls1_2", *files],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in again.stdout:
            if "Verify return code" in line:
                break
        again.stdin.write("R\n")
        again.stdin.flush()
        server.wait_for("it wanted to renegotiate, which is not taken")
        again.communicate(timeout=SECONDS)
        works(server, ca)


PING = b"\0\0\0\x11\x80\1\0\1\0\0\0\4ping\0\0\0\1\0"


@test
def no_session_is_resumed(folder):
    """Each connection proves its certificate anew: so a revoked one cannot come back."""
    with serving(folder, roles=ROLES) as (ca, server):
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            context = ssl.create_default_context(cafile=ca.file)
            context.load_cert_chain(ca.path("web", "crt"), ca.path("web", "key"))
            context.minimum_version = context.maximum_version = version
            session = None
            for _ in range(3):
                with context.wrap_socket(connect(server), server_hostname="localhost", session=session) as client:
                    client.sendall(PING)
                    assert client.recv(4096)  # with it comes what a server hands out after the handshake
                    assert not client.session_reused, version
                    session = client.session


@test
def calls_that_come_together(folder):
    """Those that lie in OpenSSL's buffer are answered, though nothing more comes from the socket."""
    with serving(folder, roles=ROLES) as (ca, server):
        context = ssl.create_default_context(cafile=ca.file)
        context.load_cert_chain(ca.path("web", "crt"), ca.path("web", "key"))
        with context.wrap_socket(connect(server), server_hostname="localhost") as client:
            client.sendall(PING)
            answer = client.recv(4096)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
            for _ in range(10):
                client.sendall(PING)  # a record each
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 0)
            got = b""
            while len(got) < 10 * len(answer):
                got += client.recv(4096)
            equal(got, 10 * answer)


@test
def tls_to_a_plain_server(folder):
    with Server(new_store(folder)) as server:
        run("get", "--server", f"tls://{server.address}", "C", "O").ends(
            FAILED, "the other side closed the connection within the handshake; does it speak TLS?")
        run("get", "--server", server.address, "C", "O").ends(1, "there is no such order")


@test
def slow_handshakes(folder):
    """500 clients that stop within theirs: others come in as before, and connections stay open."""
    with serving(folder, "--max-connections", 40, "--max-connections-per-address", 30, roles=ROLES) as (ca, server):
        # An address that has many connections replaces its own: the good client has another one.
        client = PythonClient(folder, ca, server, "web", host="::1")
        client.get()
        first, half = hello(), []
        for i in range(500):
            half.append(connect(server, first[:i * 7 % len(first)] if i % 2 else first, "127.0.0.1"))
            if i % 100 == 99:
                begin = time.monotonic()
                client.get()
                assert time.monotonic() - begin < 60, f"a get took {time.monotonic() - begin} s"
        begin = time.monotonic()
        works(server, ca)
        assert time.monotonic() - begin < 60, f"coming in took {time.monotonic() - begin} s"
        client.get()
        # each is ended, although none of them has closed
        for connection in half:
            assert is_closed(connection)
        client.get()
        client.close()


class PythonClient:
    """Thrift's own client, over Python's TLS."""

    modules = None

    def __init__(self, folder, ca, server, name, host="localhost"):
        if PythonClient.modules is None:
            subprocess.run(["thrift", "--gen", "py", "-out", folder, SOURCE / "idl" / "tallorder.thrift"], check=True,
                           timeout=SECONDS)
            sys.path.insert(0, folder)
            from tallorder import OrderService, ttypes
            PythonClient.modules = (OrderService, ttypes)
        from thrift.protocol import TBinaryProtocol
        from thrift.transport import TSSLSocket, TTransport
        self.service, self.types = PythonClient.modules
        self.transport = TTransport.TFramedTransport(TSSLSocket.TSSLSocket(
            host, server.port, cert_reqs=ssl.CERT_REQUIRED, ca_certs=ca.file,
            certfile=ca.path(name, "crt"), keyfile=ca.path(name, "key")))
        self.transport.open()
        self.client = self.service.Client(TBinaryProtocol.TBinaryProtocol(self.transport))

    def code(self, name, *arguments):
        """0, or the code of the error that the call gets."""
        try:
            getattr(self.client, name)(*arguments)
            return 0
        except self.types.TallError as error:
            return error.code

    def get(self):
        equal(self.code("getOrder", "C", "O"), self.types.ErrorCode.NOT_FOUND)

    def close(self):
        self.transport.close()


@test
def roles_of_a_foreign_client(folder):
    """Every call in every role, as another language's client sees it."""
    with serving(folder, roles=ROLES) as (ca, server):
        probe = PythonClient(folder, ca, server, "operator")
        types = probe.types
        order = types.Order(customer_number="C", order_number="O", shipping_locations=[])
        customer = types.Customer(number="C", name="Ann")
        calls = {
            "getOrder": (1, "C", "none"), "getCustomer": (1, "none"), "describe": (1,), "ping": (1,),
            "getOrders": (1, types.GetOrdersRequest(ids=[])),
            "listOrders": (1, types.ListOrdersRequest(customer_number="C")),
            "listCustomers": (1, types.ListCustomersRequest()),
            "findOrders": (1, types.FindRequest(values=[])),
            "getCustomerOrders": (1, types.CustomerOrdersRequest(customer_number="C")),
            "putOrder": (2, order, None), "putCustomer": (2, customer, None),
            "putOrders": (2, types.PutOrdersRequest(puts=[])),
            "patchOrder": (2, types.PatchOrderRequest("C", "none", ["currency=EUR"])),
            "deleteOrder": (2, "C", "none", None), "deleteCustomer": (2, "none", None),
            "verify": (3, types.VerifyRequest()), "startMigration": (3, None), "getMigration": (3, None),
            "eraseCustomer": (3, types.EraseRequest("none", False)),
            "startBackup": (3, types.BackupRequest()), "getBackup": (3, types.BackupLook()),
        }
        named = {name for name in dir(probe.service.Iface) if not name.startswith("_")}
        equal(named, set(calls))
        probe.close()
        for role, name in enumerate(("stranger", "web", "loader", "operator")):
            client = PythonClient(folder, ca, server, name)
            for call, (needed, *arguments) in calls.items():
                equal((name, call, client.code(call, *arguments) == types.ErrorCode.FORBIDDEN),
                      (name, call, role < needed))
            if role > 0:  # the details of the answer are for admins
                answer = client.client.describe()
                equal((name, answer.layout, answer.generation, answer.phase, answer.regions),
                      (name, "blob", *((1, "none", 0) if role == 3 else (None, None, None))))
            client.close()


@test
def reload_with_open_connections(folder):
    with serving(folder, roles=ROLES) as (ca, server):
        client = PythonClient(folder, ca, server, "web")
        client.get()
        roles = f"{folder}/roles"
        # a mistake changes nothing
        for text in ("[roles]\nreader = web\n", "[roles]\nwrtier = cn:x\n", "[rolls]\n", "nonsense",
                     "[revoked]\nfingerprints = 12:34\n", "[revoked]\nfingerprint = x\n",
                     ROLES + f"[revoked]\nfingerprints = {'0' * 64}\n[revoked]\nfingerprints = {'1' * 64}\n"):
            with open(roles, "w", encoding="utf-8") as file:
                file.write(text)
            said = server.reload()
            assert "Certificates and roles stay as they were" in said, (text, said)
            client.get()
            works(server, ca)
        with open(roles, "w", encoding="utf-8") as file:
            file.write(ROLES)
        # nor does a pipe in the place of a file, which would be read for ever
        for path in (roles, ca.path("server", "crt"), ca.file):
            os.rename(path, f"{path}.kept")
            os.mkfifo(path)
            said = server.reload()
            assert f"{path} is not a file" in said, said
            os.unlink(path)
            os.rename(f"{path}.kept", path)
        # nor does a certificate that has ended
        kept = {path: pathlib.Path(path).read_bytes() for path in ca.files("server")[1::2]}
        ca.certify("server", names="DNS:localhost", days=-1)
        said = server.reload()
        assert "server.crt: the certificate of CN=server, which ended on " in said, said
        works(server, ca)
        for path, content in kept.items():
            pathlib.Path(path).write_bytes(content)
        # another CA and another certificate: the open connection goes on, new ones need the new
        os.rename(ca.file, f"{folder}/old.crt")
        fresh = Ca(folder)
        fresh.certify("server", names="DNS:localhost")
        with open(roles, "w", encoding="utf-8") as file:
            file.write(ROLES.replace("reader", "writer", 1).replace("writer = cn:loader\n", ""))
        assert "TLS: certificate of CN=server" in server.reload()
        client.get()
        order = client.types.Order(customer_number="C", order_number="P", shipping_locations=[])
        equal(client.code("putOrder", order, None), 0)
        get(server, fresh, *fresh.files("web")).ends(FAILED, "it does not know the CA")
        fresh.certify("web", names="DNS:web.shop.example")
        works(server, fresh)
        # without its role the open connection may no longer call
        with open(roles, "w", encoding="utf-8") as file:
            file.write("[roles]\n")
        server.reload()
        equal(client.code("getOrder", "C", "O"), client.types.ErrorCode.FORBIDDEN)
        client.close()


@test
def revoked_between(folder):
    """A CA between a certificate and the trusted one is revoked: open connections lose their role with it."""
    with serving(folder, roles=ROLES.replace("cn:operator", "cn:operator;cn:far")) as (ca, server):
        Ca(folder, "between", above=ca).certify("far")
        far, near = (PythonClient(folder, ca, server, name) for name in ("far", "operator"))
        equal((far.code("verify", far.types.VerifyRequest()), near.code("ping")), (0, 0))
        with open(f"{folder}/roles", "a", encoding="utf-8") as file:
            file.write(f"[revoked]\nfingerprints = {ca.fingerprint('between')}\n")
        assert "1 revoked" in server.reload()
        equal((far.code("ping"), near.code("ping")), (far.types.ErrorCode.FORBIDDEN, 0))
        get(server, ca, *ca.files("far")).ends(FAILED, "it was revoked")
        far.close()
        near.close()


def check_unreadable(folder, serve, ca):
    """A file that cannot be read is not a wrong call, whichever it is and whoever reads it."""
    none, certificate, key = f"{folder}/none", ca.path("server", "crt"), ca.path("server", "key")
    get = ["get", "--server", "tls://localhost:1", "C", "O"]
    for what, files in (("Certificate", ["--tls-certificate", none, "--tls-key", key]),
                        ("Key", ["--tls-certificate", certificate, "--tls-key", none]),
                        ("File of CAs", [*ca.files("server"), "--tls-ca", none])):
        for call in (serve, get):
            run(*call, *files).ends(FAILED, f"{what} {none} cannot be read: No such file or directory")


@test
def wrong_calls(folder):
    store, ca = new_store(folder), Ca(folder)
    ca.certify("server", names="DNS:localhost")
    other = ca.certify("other")
    key = ca.path("server", "key")
    os.mkfifo(f"{folder}/pipe", 0o600)
    with open(key, encoding="utf-8") as file:
        first, secret, *rest = file.read().splitlines()
    broken = f"{folder}/broken.key"
    with open(broken, "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write("\n".join([first, secret, "!", *rest]))
    serve = ["serve", "--store", store, "--listen", "127.0.0.1:0"]
    certificate = ["--tls-certificate", ca.path("server", "crt")]
    for options, said in (
            (certificate, "A certificate and its key go together"),
            (["--tls-key", key], "A certificate and its key go together"),
            ([*certificate, "--tls-key", ca.path(other, "key")], "does not belong to certificate"),
            ([*certificate, "--tls-key", folder], "is not a file"),
            ([*certificate, "--tls-key", f"{folder}/pipe"], "is not a file"),
            ([*certificate, "--tls-key", ca.file], "is not a private key in PEM form"),
            ([*certificate, "--tls-key", broken], "is not a private key in PEM form"),
            (["--tls-certificate", key, "--tls-key", key], "cannot be used"),
            ([*ca.files("server"), "--tls-ca", key], "File of CAs"),
            ([*ca.files("server"), "--tls-clients", "yes"], "takes off, optional or required, not “yes”"),
            ([*ca.files("server"), "--tls-clients", "required"], "give its file"),
            ([*ca.files("server"), "--access", ca.file], "say by --tls-ca who signs them"),
            (["--access", ca.file], "Clients can only show who they are where TLS is on"),
            (["--tls-ca", ca.file], "Clients can only show who they are where TLS is on"),
            ([*ca.files("server"), "--tls-ca", ca.file, "--access", key], "Roles "),
            ([*ca.files("server"), "--tls-ca", ca.file, "--access", broken], "Roles ")):
        os.chmod(ca.file, 0o600)
        said = run(*serve, *options).ends(USAGE, said)
        assert "PRIVATE" not in said.err and secret[:20] not in said.err and "serve --help" in said.err, said.err
    run(*serve, *ca.files("server"), "--tls-ca", ca.file, "--access", f"{folder}/none").ends(FAILED, "Roles")
    check_unreadable(folder, serve, ca)
    locked = f"{folder}/locked.key"
    openssl("pkey", "-in", key, "-aes256", "-passout", "pass:secret", "-out", locked)
    os.chmod(locked, 0o600)
    run(*serve, *certificate, "--tls-key", locked).ends(USAGE, "has a password")
    for mode in (0o640, 0o604, 0o620, 0o666):
        os.chmod(key, mode)
        run(*serve, *ca.files("server")).ends(
            USAGE, f"Key {key} can be used by others than its owner (mode {mode:04o})", "chmod 600")
        run("get", "--server", "tls://localhost:1", *ca.files("server"), "C", "O").ends(USAGE, "chmod 600")
    for address in ("0.0.0.0:0", "[::]:0"):
        run("serve", "--store", store, "--listen", address).ends(
            USAGE, f"Other machines can reach {address}, and nothing would be encrypted", "--insecure")


@test
def what_other_machines_may_do_is_said(folder):
    """Where they can reach a service that asks nobody who it is, its log warns of that."""
    store, ca = new_store(folder), Ca(folder)
    ca.certify("server")
    with open(f"{folder}/roles", "w", encoding="utf-8") as file:
        file.write(ROLES)
    for options, is_warned in (([], True), (["--tls-ca", ca.file], False),
                               (["--tls-ca", ca.file, "--tls-clients", "off"], True),
                               (["--tls-ca", ca.file, "--tls-clients", "optional"], True),
                               (["--tls-ca", ca.file, "--tls-clients", "optional", "--access", f"{folder}/roles"],
                                False)):
        process = subprocess.Popen(
            [PROGRAM, "serve", "--store", store, "--listen", "0.0.0.0:0", *ca.files("server"), *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert process.stdout.readline().startswith("listening on tls://0.0.0.0:"), options
        process.terminate()
        said = process.communicate(timeout=SECONDS)[1]
        equal((options, "[warning]: Other machines can reach" in said, "no client is asked who it is" in said),
              (options, is_warned, is_warned))
        assert "nothing is encrypted" not in said, said


def count_open(server):
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


@test
def nothing_stays_open(folder):
    """Neither of a connection that did not come in, nor of files that were read again."""
    with serving(folder, roles=ROLES) as (ca, server):
        works(server, ca)
        server.reload()
        before = count_open(server)
        for _ in range(20):
            assert is_closed(connect(server, b"GET / HTTP/1.0\r\n\r\n"))
            server.reload()
        get(server, ca).ends(FAILED, "the other side wants a certificate")
        works(server, ca)
        until = time.monotonic() + SECONDS
        while count_open(server) > before and time.monotonic() < until:
            time.sleep(0.02)
        equal(count_open(server) <= before, True)


NOBODY = 65534


@test
def keys_of_root(folder):
    """A service that is not root may have one by its group; others of its group share none."""
    if os.geteuid() != 0:
        print("# only root can give files away")
        return
    ca = Ca(folder)
    files, key = ca.files(ca.certify("web")), ca.path("web", "key")
    os.chmod(folder, 0o755)
    program = shutil.copy(PROGRAM, f"{folder}/tallorder")
    for owner, mode, is_taken in ((0, 0o640, True), (0, 0o440, True), (0, 0o660, False), (0, 0o650, False),
                                  (0, 0o644, False), (NOBODY, 0o640, False), (NOBODY, 0o600, True)):
        os.chown(key, owner, NOBODY)
        os.chmod(key, mode)
        said = subprocess.run([program, "get", "--server", "tls://localhost:1", "--tls-ca", ca.file, *files, "C", "O"],
                              user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True, text=True,
                              timeout=SECONDS, check=False)
        equal((owner, f"{mode:o}", said.returncode, "chmod 600" in said.stderr),
              (owner, f"{mode:o}", FAILED if is_taken else USAGE, not is_taken))


if __name__ == "__main__":
    sys.exit(main())
