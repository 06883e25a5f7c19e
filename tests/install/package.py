# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the Debian packages and lives with them: in a root of its own, a layer over this machine's
that is gone afterwards. Where no such layer can be made, only unpacks them. Speaks TAP.

    package.py MAKE_DEB BUILD_ROOT [whole]

With `whole`, the packages are built as Debian builds them, and lintian reads them. Without TALL_TEST_ALL
it looks at what they hold, and at the life of one.
"""

import contextlib
import fcntl
import gzip
import hashlib
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile

MAKE_DEB, BUILD = sys.argv[1:3]
TOOLS = pathlib.Path(MAKE_DEB).parent
WHOLE = sys.argv[3:] == ["whole"]
SECONDS = 1800 if WHOLE else 280
DATA = "/var/lib/tallorder"
CONFIG = "/etc/tallorder/tallorder.conf"
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def test_in_full(function):
    return test(function) if WHOLE or "TALL_TEST_ALL" in os.environ else function


def run(*command, code=0, **options):
    """What the command printed; fails unless it ends with `code`."""
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, text=True, timeout=SECONDS, check=False, **options)
    if done.returncode != code:
        raise AssertionError(f"{command}: ended with {done.returncode}, not {code}\n{done.stdout}")
    return done.stdout


def equal(got, wanted):
    if got != wanted:
        raise AssertionError(f"got    {got!r}\nwanted {wanted!r}")


def contains(text, *parts):
    equal([part for part in parts if part not in text], [])


class Skipped(Exception):
    pass


class Packages:
    """What make-deb makes, and the next version of the program."""

    def __init__(self, folder):
        options = ["--check"] if WHOLE else ["--build", BUILD]
        self.folder = folder
        run(MAKE_DEB, "--output", folder, *options)
        (self.program,) = pathlib.Path(folder).glob("tallorder_*.deb")
        (self.library,) = pathlib.Path(folder).glob("libtallorder0_*.deb")
        (self.headers,) = pathlib.Path(folder).glob("libtallorder-dev_*.deb")
        self.files = {deb: run("dpkg", "-c", deb) for deb in (self.program, self.library, self.headers)}

    def make_next(self):
        parts = tempfile.mkdtemp(dir=self.folder)
        run("dpkg-deb", "-R", self.program, parts)
        control = pathlib.Path(parts, "DEBIAN/control")
        control.write_text(control.read_text("utf-8").replace("Version: ", "Version: 1:"), "utf-8")
        return run("dpkg-deb", "-Znone", "-b", parts, self.folder).split("'")[3]


class Root:
    """A layer over this machine's root, seen by this process alone, without its network."""

    def __init__(self, folder):
        if os.environ.get("TALLORDER_OWN_ROOT") is None:
            raise Skipped("no root of its own: needs root, and mounts")
        run("mount", "-t", "tmpfs", "tmpfs", folder)
        for name in ("upper", "work", "root"):
            os.mkdir(f"{folder}/{name}")
        self.path = f"{folder}/root"
        layers = f"lowerdir=/,upperdir={folder}/upper,workdir={folder}/work"
        if subprocess.run(["mount", "-t", "overlay", "overlay", "-o", layers, self.path], timeout=SECONDS,
                          capture_output=True, check=False).returncode != 0:
            raise Skipped("no root of its own: this machine's lies in no layer")
        for name in ("proc", "dev"):
            run("mount", "--rbind", f"/{name}", f"{self.path}/{name}")
        run("mount", "-t", "tmpfs", "tmpfs", f"{self.path}/run")  # no first process is seen there
        os.chmod(f"{self.path}/run", 0o755)

    def run(self, *command, code=0):
        return run("chroot", self.path, *command, code=code,
                   env={**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"})

    def install(self, deb, code=0):
        name = os.path.basename(deb)
        pathlib.Path(self.path, "tmp", name).write_bytes(pathlib.Path(deb).read_bytes())
        return self.run("dpkg", "--no-triggers", "--force-confdef", "-i", f"/tmp/{name}", code=code)

    def autopkgtest(self, name):
        """Runs one, where the sources of the package are."""
        copy = pathlib.Path(self.path, "tmp", name)
        copy.write_bytes((TOOLS / "debian/tests" / name).read_bytes())
        copy.chmod(0o755)
        pathlib.Path(self.path, "tmp/README.md").write_bytes((TOOLS / "../README.md").read_bytes())
        return self.run("env", "-C", "/tmp", f"/tmp/{name}")

    def store_an_order(self):
        return self.autopkgtest("store-an-order")

    def has(self, path):
        return os.path.lexists(self.path + path)


@test
def contents(packages, _):
    contains(packages.files[packages.program], "./usr/bin/tallorder\n", f".{CONFIG}\n",
             "/systemd/system/tallorder.service\n", "/sysusers.d/tallorder.conf\n",
             "/man1/tallorder.1.gz\n", "/man1/tallorder-serve.1.gz\n",
             "/bash-completion/completions/tallorder\n", "/doc/tallorder/changelog.gz\n")
    examples = re.search(r"```sh\n(.*?)```", (TOOLS / "examples/README.md").read_text("utf-8"), re.S).group(1)
    where = dict(re.findall(r"export (\w+)=(\S+)", examples))
    contains(packages.files[packages.program], *(f".{where[name]}\n" for name in ("IDL", "CLIENT")),
             *(f".{where['EXAMPLES']}/{file}\n" for file in (
                 "README.md", "c/add-items.c", "go/shop.go", "java/pom.xml", "python/add_items.py",
                 "grafana/alerts.yml", "grafana/dashboard.json")))
    contains(packages.files[packages.library], "/libtallorder.so.0")
    contains(packages.files[packages.headers], "/tallorder/tallorder.h\n", "/libtallorder.a\n",
             "/libtallorder.so -> ", "/pkgconfig/tallorder.pc\n")
    contains(run("dpkg-deb", "-I", packages.program, "conffiles"), CONFIG)
    unit = run("sh", "-c", f"dpkg-deb --fsys-tarfile {packages.program} | tar -xO --wildcards '*/tallorder.service'")
    contains(unit, "\nStateDirectory=tallorder\n", "\nRestart=on-failure\n",
             "\nRestartPreventExitStatus=2\n", "\nExecReload=", "\nWatchdogSec=")
    contains(run("dpkg-deb", "-f", packages.program, "Depends"), "librocksdb",
             "systemd | systemd-standalone-sysusers")
    # where systemd runs: begins with the machine, is begun again after an upgrade, ends with the package
    contains(run("dpkg-deb", "-I", packages.program, "postinst"), "deb-systemd-helper enable 'tallorder.service'",
             "_dh_action=restart", "deb-systemd-invoke $_dh_action 'tallorder.service'")
    contains(run("dpkg-deb", "-I", packages.program, "prerm"), "deb-systemd-invoke stop 'tallorder.service'")


@test
def what_is_built_for_them(_, __):
    """The program, both libraries, and all that is made of them; nothing for tests."""
    names = run(TOOLS / "debian/installed-targets", BUILD).split()
    contains(names, "src/cli/tallorder", "src/library/libtallorder.a", "src/cli/manual/tallorder.1")
    equal([one for one in names if one.startswith("tests/") or not os.path.exists(f"{BUILD}/{one}")], [])


@test
def the_same_again(packages, folder):
    """Another build of the same commit, elsewhere and later, is the same to the byte."""
    if not WHOLE:
        raise Skipped("builds everything once more: run by `whole`")
    again = Packages(folder)
    equal([hash_of(deb) for deb in again.files], [hash_of(deb) for deb in packages.files])


def hash_of(file):
    return file.name, hashlib.sha256(file.read_bytes()).hexdigest()


@test
def unpacked(packages, folder):
    """Its unit, configuration and program fit each other wherever they lie."""
    run("dpkg", "-x", packages.program, folder)
    unit = next(pathlib.Path(folder).rglob("tallorder.service")).read_text("utf-8")
    contains(unit, f"ExecStart=/usr/bin/tallorder serve --config {CONFIG}\n")
    config = pathlib.Path(folder + CONFIG)
    config.write_text(config.read_text("utf-8").replace(DATA, folder), "utf-8")
    run(f"{folder}/usr/bin/tallorder", "init", "--config", config)
    run(f"{folder}/usr/bin/tallorder", "verify", "--config", config)
    run("dpkg", "-x", packages.headers, folder)
    pc = next(pathlib.Path(folder).rglob("tallorder.pc")).read_text("utf-8")
    contains(pc, "prefix=/usr\n")
    check_needs(run("dpkg-deb", "-f", packages.headers, "Depends"), pc)
    check_documents(folder)
    changes = gzip.decompress(pathlib.Path(folder, "usr/share/doc/tallorder/changelog.gz").read_bytes())
    lines = changes.decode("utf-8").splitlines()
    equal(([one for one in lines[:-1] if len(one) > 80], lines[2][:4]), ([], "  * "))


def check_needs(depends, pc):
    """The package for C programs brings what pkg-config asks for."""
    wanted = [f"{name}.pc" for line in re.findall(r"^Requires(?:\.private)?: (.*)", pc, re.M)
              for name in re.findall(r"[a-z][\w.-]*", line)]
    wanted += [f"lib{name}.so" for line in re.findall(r"^Libs\.private: (.*)", pc, re.M)
               for name in re.findall(r"-l(\w+)", line)]
    equal({"glib-2.0.pc", "librocksdb.so"} - set(wanted), set())
    contains(depends, "libtallorder0 (= ", *(run("dpkg", "-S", f"*/{file}").split(":")[0] for file in wanted))


def check_documents(folder):
    """The manual names files that are there, and so do the README, and the help that refers to others."""
    def has(path):
        return any(os.path.exists(f"{folder}{path}{end}") for end in ("", ".gz"))
    page = gzip.decompress(pathlib.Path(folder, "usr/share/man/man1/tallorder.1.gz").read_bytes()).decode()
    files = re.findall(r"^\.I (\S+)$", page.split(".SH FILES\n")[1], re.M)
    contains(files, CONFIG, DATA, "/usr/share/tallorder/tallorder.thrift", "/usr/share/doc/tallorder")
    equal([file for file in files if file != DATA and not has(file)], [])
    readme = (TOOLS / "../README.md").read_text("utf-8")
    parts = set(re.findall(r"\]\((src/\w[^)#]*)", readme)) - {"src/README.md", "src/library/tallorder.h"}
    parts |= set(re.findall(r"(src/\w+/README\.md)", run(f"{folder}/usr/bin/tallorder", "load", "--help")))
    equal(("src/load" in parts, "src/load/README.md" in parts), (True, True))
    equal([part for part in sorted(parts) if not has(f"/usr/share/doc/tallorder/{part}")], [])
    equal(sorted(os.listdir(f"{folder}/usr/share/doc/tallorder/src/load")), ["README.md.gz", "mapping"])


@test
def life_of_a_package(packages, folder):
    root = Root(folder)
    root.install(packages.program)
    contains(root.run("stat", "-c", "%U:%a", DATA, CONFIG), "tallorder:700", "root:644")
    contains(root.store_an_order(), "listening on 127.0.0.1:7654", "layout")

    # the next version: the order and the administrator's changes stay
    root.run("chmod", "750", DATA)
    config = pathlib.Path(root.path + CONFIG)
    config.write_text(config.read_text("utf-8").replace("#memory = 512", "memory = 256"), "utf-8")
    contains(root.install(packages.make_next()), "1:")
    contains(config.read_text("utf-8"), "\nmemory = 256\n")
    contains(root.run("stat", "-c", "%U:%a", DATA), "tallorder:750")
    root.run("chmod", "700", DATA)
    contains(root.store_an_order(), "256 MiB for the calls in work")
    equal(has_order(root), True)

    contains(root.run("dpkg", "--no-triggers", "-r", "tallorder"), f"All orders stay in {DATA}")
    equal((root.has("/usr/bin/tallorder"), root.has(f"{DATA}/store"), root.has(CONFIG)),
          (False, True, True))
    root.install(packages.program)
    equal(has_order(root), True)

    said = root.run("dpkg", "--no-triggers", "-P", "tallorder")
    contains(said, f"Removing {DATA} with all its orders")
    equal((root.has(DATA), root.has(CONFIG), root.has("/usr/bin/tallorder")), (False, False, False))


@test_in_full
def a_program_in_c(packages, folder):
    """Compiled against the package for that, in a root that has this library alone."""
    root = Root(folder)
    root.install(packages.library)
    root.install(packages.headers)
    root.autopkgtest("compile-a-program")


def has_order(root):
    said = root.run("runuser", "-u", "tallorder", "--", "tallorder", "get", "--config", CONFIG, "--json",
                    "VINET", "10248")
    return '"EUR"' in said


@test_in_full
def a_folder_without_its_store(packages, folder):
    """An upgrade makes no empty store where the disk with the orders is missing."""
    root = Root(folder)
    root.install(packages.program)
    root.run("rm", "-r", f"{DATA}/store")
    root.install(packages.make_next())
    equal(root.has(f"{DATA}/store"), False)

    # moved to another disk by a link, which is all that a purge removes
    root.run("mv", DATA, "/srv/orders")
    root.run("ln", "-s", "/srv/orders", DATA)
    contains(root.run("dpkg", "--no-triggers", "-P", "tallorder"), "all orders stay in /srv/orders.")
    equal((root.has(DATA), root.has("/srv/orders")), (False, True))

    # the store alone, on a disk that is not there yet
    os.makedirs(root.path + DATA)
    root.run("ln", "-s", "/srv/missing/store", f"{DATA}/store")
    root.install(packages.program)
    equal((os.readlink(f"{root.path}{DATA}/store"), root.has("/srv/missing")), ("/srv/missing/store", False))


@test_in_full
def a_disk_that_is_full_at_first(packages, folder):
    """What was cut off is not a store; done again, it is one. A disk of its own is emptied by a purge."""
    root = Root(folder)
    disk = root.path + DATA
    os.makedirs(disk)
    run("mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk)
    contains(root.install(packages.program, code=1), "make room")
    equal(root.has(f"{DATA}/store"), False)
    run("mount", "-o", "remount,size=64m", disk)
    root.run("install", "-d", "-o", "tallorder", f"{DATA}/store.new/half")
    root.run("dpkg", "--no-triggers", "--configure", "-a")
    contains(root.store_an_order(), "listening on 127.0.0.1:7654")
    equal(os.listdir(disk), ["store"])
    said = root.run("dpkg", "--no-triggers", "-P", "tallorder")
    contains(said, f"Removing {DATA} with all its orders", f"{DATA} stays, empty")
    equal(os.listdir(disk), [])


@test_in_full
def a_configuration_of_another_store(packages, folder):
    """What an administrator has prepared, for example on HBase, is left alone."""
    root = Root(folder)
    os.makedirs(root.path + os.path.dirname(CONFIG))
    pathlib.Path(root.path + CONFIG).write_text("[tallorder]\nstore = hbase://h:9090\n", "utf-8")
    root.install(packages.program)
    equal(root.has(f"{DATA}/store"), False)


def enter_own_root():
    """Starts itself again with mounts and a network that nobody else sees, where that is possible."""
    unshare = ["unshare", "--mount", "--net", "--propagation", "private"]
    probe = subprocess.run([*unshare, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True,
                           timeout=SECONDS, check=False)
    if probe.returncode == 0 and os.environ.get("TALLORDER_OWN_ROOT") is None:
        os.execvpe(unshare[0], [*unshare, sys.executable, *sys.argv],
                   {**os.environ, "TALLORDER_OWN_ROOT": "1"})
    if os.environ.get("TALLORDER_OWN_ROOT") is not None:
        with socket.socket() as loopback:  # SIOCSIFFLAGS: IFF_UP
            fcntl.ioctl(loopback, 0x8914, struct.pack("16sh14x", b"lo", 1))


def is_mounted_below(folder):
    with open("/proc/self/mounts", encoding="utf-8") as mounts:
        return any(f"{line.split()[1]}/".startswith(f"{folder}/") for line in mounts)


@contextlib.contextmanager
def temporary():
    """A folder. What is mounted there, such as this machine's /dev, stays as it is, however this ends."""
    folder = tempfile.mkdtemp()
    os.chmod(folder, 0o755)
    try:
        yield folder
    finally:
        while subprocess.run(["umount", "--recursive", folder], capture_output=True, check=False,
                             timeout=SECONDS).returncode == 0:
            pass
        if not is_mounted_below(folder):
            shutil.rmtree(folder, ignore_errors=True)


def main():
    failed = 0
    print(f"1..{len(TESTS)}", flush=True)
    with tempfile.TemporaryDirectory() as made:
        packages = Packages(made)
        for number, function in enumerate(TESTS, 1):
            try:
                with temporary() as folder:
                    function(packages, folder)
                print(f"ok {number} {function.__name__}", flush=True)
            except Skipped as reason:
                print(f"ok {number} {function.__name__} # SKIP {reason}", flush=True)
            except Exception as error:  # a failed check, or a program that hangs
                failed += 1
                print(f"not ok {number} {function.__name__}", flush=True)
                for line in f"{type(error).__name__}: {error}".splitlines():
                    print(f"# {line}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    enter_own_root()
    sys.exit(main())
