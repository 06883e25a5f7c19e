#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Compares idl/hbase.thrift with the interface that the gateway's own jar carries.

Everything that ours declares must be there with the same numbers, types and names; what ours
leaves out may be missing, except fields that the gateway requires. Then changes that each break
the agreement are made to our text, to see that the comparison finds them. Prints TAP. Skipped
without $TALLORDER_HBASE_BINARY, which says that the jars are there.
"""

import os
import sys
import zipfile
from pathlib import Path

from thrift_idl import Document, IdlError

ROOT = Path(__file__).resolve().parents[2]
OURS = ROOT / "idl" / "hbase.thrift"
JAR_ENTRY = "org/apache/hadoop/hbase/thrift2/hbase.thrift"

# (what is wrong, a text of ours, what replaces it)
BREAKS = [
    ("field number", "3: optional i64 timestamp,\n  6: optional TDurability",
     "4: optional i64 timestamp,\n  6: optional TDurability"),
    ("field type", "15: optional i32 limit", "15: optional i64 limit"),
    ("field name", "3: optional binary startKey", "3: optional binary firstKey"),
    ("field's requirement", "1: required i64 minStamp", "1: optional i64 minStamp"),
    ("default value", "5: optional i32 maxVersions = 1", "5: optional i32 maxVersions = 3"),
    ("default that names an enum", "TDeleteType.DELETE_COLUMNS", "TDeleteType.DELETE_COLUMN"),
    ("required field left out", "  2: required list<TMutation> mutations\n", ""),
    ("field that the gateway has not", "20: optional bool inMemory", "21: optional bool inMemory"),
    ("kind of type", "union TMutation", "struct TMutation"),
    ("type that the gateway has not", "struct TTimeRange {", "struct TSpan {"),
    ("enum value", "EQUAL = 2,", "EQUAL = 1,"),
    ("enum value that the gateway has not", "FSYNC_WAL = 4", "DISK_WAL = 4"),
    ("method that the gateway has not", "void mutateRow(", "void changeRow("),
    ("returned type", "list<TResult> getMultiple(", "list<TGet> getMultiple("),
    ("argument left out", "    7: required TRowMutations rowMutations\n", ""),
    ("argument type", "2: required list<TPut> tputs", "2: required list<TDelete> tputs"),
    ("exception left out", "    2: required TPut tput\n  ) throws (1: TIOError io)",
     "    2: required TPut tput\n  )"),
]


def differences(ours, theirs):
    """All ways in which OURS contradicts THEIRS, as texts."""
    found = []
    for name, struct in ours.structs.items():
        found += _struct_differences(name, struct, ours, theirs)
    for name, values in ours.enums.items():
        found += _enum_differences(name, values, theirs)
    for name, method in ours.methods.items():
        found += _method_differences(name, method, ours, theirs)
    return found


def _struct_differences(name, struct, ours, theirs):
    other = theirs.structs.get(name)
    if other is None:
        return [f"{struct.kind} {name}: the gateway has none"]
    found = []
    if struct.kind != other.kind:
        found.append(f"{name}: is a {struct.kind}, the gateway's a {other.kind}")
    for number, field in struct.fields.items():
        where = f"{name}.{field.name}, field {number}"
        if number not in other.fields:
            found.append(f"{where}: the gateway has none of this number")
        else:
            found += _field_differences(where, field, other.fields[number], ours, theirs)
            if field.requirement != other.fields[number].requirement:
                found.append(f"{where}: {field.requirement or 'default'}, the gateway's is "
                             f"{other.fields[number].requirement or 'default'}")
    for number, field in other.fields.items():
        if field.requirement == "required" and number not in struct.fields:
            found.append(f"{name}: lacks field {number}, {field.name}, which the gateway requires")
    return found


def _field_differences(where, field, other, ours, theirs):
    found = []
    if field.name != other.name:
        found.append(f"{where}: named {field.name}, the gateway's {other.name}")
    if field.type != other.type:
        found.append(f"{where}: of type {field.type}, the gateway's {other.type}")
    mine, its = ours.constant(field.default), theirs.constant(other.default)
    if mine != its:
        found.append(f"{where}: default {mine}, the gateway's {its}")
    return found


def _enum_differences(name, values, theirs):
    other = theirs.enums.get(name)
    if other is None:
        return [f"enum {name}: the gateway has none"]
    return [
        f"{name}.{value}: {number}, the gateway's is {other.get(value, 'missing')}"
        for value, number in values.items()
        if other.get(value) != number
    ]


def _method_differences(name, method, ours, theirs):
    other = theirs.methods.get(name)
    if other is None:
        return [f"method {name}: the gateway has none"]
    found = []
    if method.returns != other.returns:
        found.append(f"{name}(): returns {method.returns}, the gateway's {other.returns}")
    pairs = (("argument", method.arguments, other.arguments),
             ("exception", method.throws, other.throws))
    for kind, mine, its in pairs:
        for number in sorted(mine.keys() | its.keys()):
            where = f"{name}(), {kind} {number}"
            if number not in mine or number not in its:
                who = "ours" if number not in mine else "the gateway's"
                found.append(f"{where}: missing in {who}")
            else:
                found += _field_differences(where, mine[number], its[number], ours, theirs)
    return found


def gateway_idl():
    sys.path.insert(0, str(ROOT / "tools" / "hbase"))
    from standalone import java

    jars = java.ensure_jars(java.find_java())
    (jar,) = jars.glob("hbase-thrift-*.jar")
    with zipfile.ZipFile(jar) as archive:
        return archive.read(JAR_ENTRY).decode()


def broken_is_found(text, old, new, theirs):
    if text.count(old) != 1:
        return f"“{old}” stands {text.count(old)} times in {OURS.name}: adapt BREAKS"
    try:
        found = differences(Document(text.replace(old, new)), theirs)
    except IdlError:
        found = ["refused"]
    return None if found else "was not noticed"


def main():
    if "TALLORDER_HBASE_BINARY" not in os.environ:
        print("1..0 # SKIP not run by tools/hbase/hbase run: there may be no gateway's jar")
        return 0
    text = OURS.read_text(encoding="utf-8")
    ours, theirs = Document(text), Document(gateway_idl())
    found = differences(ours, theirs)
    counts = f"{len(ours.structs)} structs, {len(ours.enums)} enums, {len(ours.methods)} methods"
    results = [(f"{OURS.name} agrees with the gateway ({counts})", "\n".join(found) or None)]
    for what, old, new in BREAKS:
        results.append((f"a break is found: {what}", broken_is_found(text, old, new, theirs)))
    print(f"1..{len(results)}")
    for number, (name, problem) in enumerate(results, 1):
        print(f"{'not ok' if problem else 'ok'} {number} - {name}")
        for line in (problem or "").splitlines():
            print(f"# {line}")
    return 1 if any(problem for _, problem in results) else 0


if __name__ == "__main__":
    sys.exit(main())
