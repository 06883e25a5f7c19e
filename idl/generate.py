#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Generates C from a Thrift file, and corrects two faults of the generator of Thrift 0.17.

    generate.py THRIFT WORK_FOLDER OUTPUT_FOLDER FILE.thrift

Its finalizers do not chain up, so GObject's own part of every struct, 32 bytes, is never freed: a
server would leak with each order. This program adds the missing call as the last statement of each.

Its types are registered by the first thread that needs them, and two threads may both be the first.
Then the second registers nothing, and its type crashes the program. This program makes the
registration safe, as GObject's own macros do.
"""

import pathlib
import re
import subprocess
import sys

FINALIZER = re.compile(r"^(\w+_finalize \(GObject ?\*(\w+)\)\n\{\n)(.*?)^\}\n", re.M | re.S)
CHAIN_UP = "  G_OBJECT_CLASS (g_type_class_peek (G_TYPE_OBJECT))->finalize ({0});\n"

REGISTRATION = re.compile(
    r"static GType type = 0;(\s+)if \(type == 0\)(.*?)type = (g_type_register_static \([^;]*\));",
    re.S)
ONCE = (r"static gsize type = 0;\1if (g_once_init_enter (&type))\2"
        r"g_once_init_leave (&type, \3);")


def chain_up(match):
    head, instance, body = match.groups()
    if "->finalize (" in body:
        return match.group(0)
    return head + body + CHAIN_UP.format(instance) + "}\n"


def main(thrift, work, output, interface):
    work = pathlib.Path(work)
    work.mkdir(parents=True, exist_ok=True)
    subprocess.run([thrift, "--gen", "c_glib", "-out", work, interface], check=True)
    for path in work.glob("*.[ch]"):
        code = FINALIZER.sub(chain_up, path.read_text(encoding="utf-8"))
        code = REGISTRATION.sub(ONCE, code)
        if "static GType" in code:
            sys.exit(f"generate.py: {path.name} registers types in a way that is not known here")
        (pathlib.Path(output) / path.name).write_text(code, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
