# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the program and the library, and says whether they are hardened as meson.build asks.

    hardening.py PROGRAM LIBRARY ARCHIVE COMMANDS MACHINE FORTIFIED

COMMANDS is compile_commands.json: a guard against a clash of stacks cannot be seen from outside, nor can
checked copies in a library that makes none whose size is unknown. MACHINE is meson's name of the processor; FORTIFIED is `true` if copies are to be checked. With
`--self-test COMPILER` instead, builds programs that are not hardened, and expects each to be
refused. Speaks TAP.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = """
#include <stdio.h>
#include <string.h>
int main (int argc, char **argv)
{
  char copy[64];
  memcpy (copy, argv[0], argc);
  strcpy (copy, argv[0]);
  return printf ("%s", copy);
}
"""


def readelf(path, *options):
    return subprocess.run(["readelf", "-W", *options, str(path)], stdout=subprocess.PIPE, text=True,
                          timeout=120, check=True).stdout


def imports(path):
    return set(re.findall(r" UND (\w+)", readelf(path, "--dyn-syms")))


def is_relocatable(path):
    return re.search(r"Type:\s+DYN", readelf(path, "-h")) is not None


def has_full_relro(path):
    dynamic = readelf(path, "-d")
    return "GNU_RELRO" in readelf(path, "-l") and re.search(r"BIND_NOW|Flags:.*\bNOW\b", dynamic) \
        is not None


def has_plain_stack(path):
    return re.search(r"GNU_STACK.* RW +0x", readelf(path, "-l")) is not None


def has_guarded_stack(path):
    return "__stack_chk_fail" in imports(path)


def has_checked_copies(path):
    return any(name.endswith("_chk") for name in imports(path))


def has_no_writable_text(path):
    return "TEXTREL" not in readelf(path, "-d") and " RWE " not in readelf(path, "-l")


def has_marked_branches(path):
    """In every part: the linker drops the mark of the whole if libc's own parts have none."""
    notes = readelf(path, "-n")
    marks = re.findall(r"x86 feature: (.*)", notes)
    parts = len(re.findall(r"^File: ", notes, re.M)) or 1
    return len(marks) == parts and all(mark.startswith("IBT, SHSTK") for mark in marks)


ALWAYS = [is_relocatable, has_full_relro, has_plain_stack, has_guarded_stack, has_no_writable_text]


class Report:
    def __init__(self):
        self.n = self.failed = 0

    def check(self, good, what):
        self.n += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.n} {what}", flush=True)

    def finish(self):
        print(f"1..{self.n}")
        return min(self.failed, 1)


def lacks(commands, flag):
    """The files that are compiled without a flag."""
    entries = json.loads(pathlib.Path(commands).read_text("utf-8"))
    return [entry["file"] for entry in entries if flag not in entry["command"].split()]


def read(program, library, archive, commands, machine, fortified):
    report = Report()
    for path in (program, library):
        for property_of in ALWAYS:
            report.check(property_of(path), f"{pathlib.Path(path).name} {property_of.__name__}")
    if fortified == "true":
        report.check(has_checked_copies(program), "the program has_checked_copies")
        report.check(any(not lacks(commands, f"-D_FORTIFY_SOURCE={level}") for level in "23"),
                     "every file is compiled with checked copies")
    if machine == "x86_64":
        report.check(not lacks(commands, "-fstack-clash-protection"),
                     "every file is compiled against a clash of stacks")
        report.check(has_marked_branches(archive),
                     f"{pathlib.Path(archive).name} has_marked_branches")
    return report.finish()


def self_test(compiler):
    mistakes = {
        is_relocatable: ["-no-pie"],
        has_full_relro: ["-Wl,-z,lazy"],
        has_plain_stack: ["-Wl,-z,execstack"],
        has_guarded_stack: ["-fno-stack-protector"],
        has_checked_copies: ["-U_FORTIFY_SOURCE"],
    }
    good = ["-O2", "-fPIE", "-pie", "-fstack-protector-strong", "-U_FORTIFY_SOURCE",
            "-D_FORTIFY_SOURCE=2", "-Wl,-z,relro,-z,now", "-w"]
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "try.c")
        source.write_text(SOURCE, "utf-8")
        program = pathlib.Path(folder, "try")

        def build(*options):
            subprocess.run([*compiler, *good, *options, source, "-o", program], check=True,
                           timeout=120)

        build()
        for property_of in ALWAYS + [has_checked_copies]:
            report.check(property_of(program), f"a good one {property_of.__name__}")
        for property_of, options in mistakes.items():
            build(*options)
            report.check(not property_of(program), f"found: not {property_of.__name__}")
    return report.finish()


if __name__ == "__main__":
    if sys.argv[1] == "--self-test":
        sys.exit(self_test(sys.argv[2:]))
    sys.exit(read(*sys.argv[1:]))
