# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Installs into a folder, and uses what was installed as a C program's author does. Speaks TAP.

    install.py MESON BUILD_ROOT SOURCE_ROOT
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

MESON, BUILD, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
SECONDS = 300
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def run(*command, code=0, **options):
    """What the command printed; fails unless it ends with `code`."""
    command = [str(word) for word in command]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            timeout=SECONDS, check=False, **options)
    if result.returncode != code:
        raise AssertionError(f"{shlex.join(command)}: ended with {result.returncode}, not {code}\n"
                             f"{result.stdout}{result.stderr}")
    return result.stdout


def equal(got, wanted):
    if got != wanted:
        raise AssertionError(f"got    {got!r}\nwanted {wanted!r}")


class Installed:
    """The tree that `meson install` makes, moved to a folder as a packager does."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder, "root")
        run(MESON, "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", self.root)
        (self.pc,) = self.root.rglob("tallorder.pc")
        self.library = self.pc.parent.parent
        (umbrella,) = self.root.rglob("tallorder.h")
        self.headers = umbrella.parent
        text = self.pc.read_text("utf-8")
        prefix = re.search(r"^prefix=(.*)$", text, re.M).group(1)
        self.prefix = f"{self.root}{prefix}"
        self.pc.write_text(text.replace(f"prefix={prefix}\n", f"prefix={self.prefix}\n", 1),
                           "utf-8")

    def flags(self, *options):
        path = os.pathsep.join([str(self.pc.parent), os.environ.get("PKG_CONFIG_PATH", "")])
        return shlex.split(run("pkg-config", *options, "tallorder",
                               env={**os.environ, "PKG_CONFIG_PATH": path}))

    def run(self, *command, code=0):
        return run(*command, code=code,
                   env={**os.environ, "LD_LIBRARY_PATH": str(self.library)})


def readme_example():
    """The C program in the README of the library."""
    (example,) = re.findall(r"^```c\n(.*?)^```$", (SOURCE / "src/library/README.md").read_text("utf-8"),
                            re.M | re.S)
    return example


def check_example(installed, program, folder):
    """The example stores an order and prints it; the installed program sees it, too."""
    store = f"rocksdb:{folder}/store"
    wanted = json.loads(installed.run(program, store))
    equal(json.loads(installed.run(program, store)), wanted)  # the store is there already
    equal((wanted["customer_number"], wanted["order_number"]), ("VINET", "10248"))
    equal(len(wanted["shipping_locations"][0]["line_items"]), 1)
    tallorder = f"{installed.prefix}/bin/tallorder"
    got = json.loads(installed.run(tallorder, "get", "--store", store, "VINET", "10248", "--json"))
    equal(got.pop("revision") > 0, True)
    equal(got, wanted)


@test
def example_of_readme(installed, folder):
    source = pathlib.Path(folder, "shop.c")
    source.write_text(readme_example(), "utf-8")
    program = pathlib.Path(folder, "shop")
    run("cc", "-Wall", "-Wextra", "-Werror", source, "-o", program,
        *installed.flags("--cflags", "--libs"))
    needed = run("readelf", "-d", program)
    equal("libtallorder.so.0" in needed, True)
    check_example(installed, program, folder)


@test
def example_as_printed(installed, folder):
    """The command in the example's first line, in the folder where the example is."""
    text = readme_example()
    command, name = re.match(r"/\* (cc (\S+) .*) \*/\n", text).groups()
    pathlib.Path(folder, name).write_text(text, "utf-8")
    environment = {**os.environ, "LD_LIBRARY_PATH": str(installed.library), "PKG_CONFIG_PATH":
                   os.pathsep.join([str(installed.pc.parent), os.environ.get("PKG_CONFIG_PATH", "")])}
    said = run("sh", "-c", command, cwd=folder, env=environment)
    equal(json.loads(said)["order_number"], "10248")


@test
def example_with_static_library(installed, folder):
    source = pathlib.Path(folder, "shop.c")
    source.write_text(readme_example(), "utf-8")
    program = pathlib.Path(folder, "shop")
    libraries = ["-l:libtallorder.a" if flag == "-ltallorder" else flag
                 for flag in installed.flags("--cflags", "--libs", "--static")]
    run("cc", source, "-o", program, *libraries)
    equal("libtallorder.so" in run("readelf", "-d", program), False)
    check_example(installed, program, folder)


@test
def each_header_alone(installed, folder):
    source = pathlib.Path(folder, "alone.c")
    headers = sorted(path.name for path in installed.headers.iterdir())
    equal("tallorder.h" in headers, True)
    for header in headers:
        source.write_text(f"#include <{header}>\nint main (void) {{ return 0; }}\n", "utf-8")
        run("cc", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", source,
            *installed.flags("--cflags"))


@test
def umbrella_has_every_header(installed, _):
    umbrella = (installed.headers / "tallorder.h").read_text("utf-8")
    equal(set(re.findall(r'#include "(.*)"', umbrella)),
          {path.name for path in installed.headers.iterdir()} - {"tallorder.h"})


def declared_symbols(installed, folder):
    """What the headers declare, functions and constants, but for what they define inline."""
    source = pathlib.Path(folder, "all.c")
    source.write_text("#include <tallorder.h>\n", "utf-8")
    code = run("cc", "-E", "-P", source, *installed.flags("--cflags"))
    while re.search(r"\{[^{}]*\}", code):
        code = re.sub(r"\{[^{}]*\}", ";", code)
    declared = set(re.findall(r"^[^;]*?\b(tall_\w+)\s*\(", code, re.M))
    declared |= set(re.findall(r"^extern const \w+ (tall_\w+)(?:\[\])?;", code, re.M))
    return declared - set(re.findall(r"static\s+(?:inline|__inline__)[^;]*?\b(tall_\w+)\s*\(", code))


@test
def symbols(installed, folder):
    """The libraries show what the headers declare, all of it and nothing else."""
    declared = declared_symbols(installed, folder)
    equal({"tall_open_store", "tall_pb__order__descriptor"} - declared, set())
    for library, options in (("libtallorder.so", ["-D"]), ("libtallorder.a", ["-g"])):
        listed = run("nm", *options, "--defined-only", "--format=posix",
                     installed.library / library)
        shown = {line.split()[0] for line in listed.splitlines() if " " in line}
        equal(sorted(shown - declared), [])
        equal(sorted(declared - shown), [])


@test
def version(installed, _):
    said = installed.run(f"{installed.prefix}/bin/tallorder", "--version").split()
    equal(said, ["tallorder", *installed.flags("--modversion")])


def main():
    failed = 0
    print(f"1..{len(TESTS)}", flush=True)
    with tempfile.TemporaryDirectory() as root:
        installed = Installed(root)
        for number, function in enumerate(TESTS, 1):
            try:
                with tempfile.TemporaryDirectory() as folder:
                    function(installed, folder)
                print(f"ok {number} {function.__name__}", flush=True)
            except Exception as error:  # a failed check, or a program that hangs
                failed += 1
                print(f"not ok {number} {function.__name__}", flush=True)
                for line in f"{type(error).__name__}: {error}".splitlines():
                    print(f"# {line}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
