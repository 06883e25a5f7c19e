#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the table of calls, as list-calls prints it, with idl/tallorder.thrift. Prints TAP.

    check_idl.py LIST_CALLS SOURCE_ROOT
"""

import pathlib
import subprocess
import sys

LIST, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
sys.path.insert(0, str(SOURCE / "tests" / "idl"))
from thrift_idl import Document  # noqa: E402


def read_table(text):
    """{call: (returned type, fields)} and {struct: fields}; fields: {number: (type, name)}"""
    calls, structs, fields = {}, {}, None
    for line in text.splitlines():
        words = line.split()
        if words[0] == "call":
            fields = {}
            calls[words[1]] = (words[2], fields)
        elif words[0] == "struct":
            fields = structs[words[1]] = {}
        else:
            fields[int(words[0])] = (words[1], words[2])
    return calls, structs


def differences(ours, wanted, enums):
    """Between the fields of the table and those of the IDL."""
    found = []
    for number in sorted(ours.keys() | wanted.keys()):
        if number not in ours or number not in wanted:
            found.append(f"field {number} is only in {'the table' if number in ours else 'the IDL'}")
            continue
        kind, name = ours[number]
        field = wanted[number]
        if kind != ("i32" if field.type in enums else field.type):
            found.append(f"field {number} is {kind}, and {field.type} in the IDL")
        if name not in ("-", field.name):
            found.append(f"field {number} is called {name}, and {field.name} in the IDL")
    return found


def compare(calls, structs, idl):
    """{what: its differences}"""
    results = {"names of calls": [] if calls.keys() == idl.methods.keys() else sorted(calls)}
    for name in calls.keys() & idl.methods.keys():
        returns, arguments = calls[name]
        method = idl.methods[name]
        found = differences(arguments, method.arguments, idl.enums)
        if returns != method.returns:
            found.append(f"returns {returns}, and {method.returns} in the IDL")
        results[name] = found
    wanted = idl.structs.keys()
    results["names of structs"] = [] if structs.keys() == wanted else sorted(structs.keys() ^ wanted)
    for name in structs.keys() & wanted:
        results[name] = differences(structs[name], idl.structs[name].fields, idl.enums)
    return results


def main():
    table = subprocess.run([LIST], capture_output=True, text=True, timeout=60, check=True).stdout
    idl = Document((SOURCE / "idl" / "tallorder.thrift").read_text())
    results = compare(*read_table(table), idl)
    for number, (name, found) in enumerate(sorted(results.items()), 1):
        print("ok" if not found else "not ok", number, name)
        for line in found:
            print("#", line)
    print(f"1..{len(results)}")
    return any(results.values())


if __name__ == "__main__":
    sys.exit(main())
