# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Changes of an order: `patch`, `edit`, and the revision that `put` obeys. Speaks TAP.

    patching.py TALLORDER SOURCE_ROOT
"""

import json
import os
import pathlib
import re
import shlex
import sys
import uuid

from support import (
    DONE, FAILED, NO, ORDER, PROGRAM, SOURCE, USAGE, FakeServer, Server, equal, main, new_store, parse, run, test,
)

ID = ("C1", "O1")


def get(place):
    text = run("get", *place, *ID, "--json").ends(DONE).out
    return parse(text), json.loads(text)["revision"]


def patch(place, *changes):
    said = run("patch", *place, *ID, *changes).ends(DONE, "Patched order O1 of C1, revision ").out
    return int(said.split()[-1])


def each_place(folder):
    """An embedded store with the order, and one that is served."""
    store = new_store(folder, layout="record-type")
    place = ("--store", store)
    run("put", *place, "-", stdin=ORDER).ends(DONE)
    yield place
    with Server(store) as server:
        run("put", "--server", server.address, "-", stdin=ORDER).ends(DONE)
        yield "--server", server.address
        equal(server.stop(), DONE)


def forms():
    """[(form, meaning, example)] of the help, which has them from the code."""
    text = run("patch", "--help").ends(DONE).out
    return re.findall(r"^  (\S.*)\n      (.*), as in '(.*)'$", text, re.M)


@test
def changes_in_their_order(folder):
    for place in each_place(folder):
        before, first = get(place)
        second = patch(place, "location[1].address.city=Épernay", "-line[2]", "line[1].quantity+=0.5",
                       "-currency", "+location[2].line[3]", "line[3].item_number=C=D", "attribute.status=paid",
                       "-attribute.note", "--", "-sales_date")
        after, revision = get(place)
        equal((second, revision > first), (revision, True))
        wanted = before
        one, two = wanted["shipping_locations"]
        one["address"]["city"] = "Épernay"
        one["line_items"] = [dict(one["line_items"][0], quantity="2.5")]
        two["line_items"] = [{"number": 3, "item_number": "C=D"}]
        del wanted["currency"], wanted["sales_date"]
        wanted["attributes"] = {"status": "paid"}
        equal(after, wanted)


@test
def whole_or_not_at_all(folder):
    for place in each_place(folder):
        before = get(place)
        for change, words in (("-line[9]", "line[9]: the order has no line 9"),
                              ("line[1].prize=1", "line[1].prize: unknown field; known here (line item) are number"),
                              ("line[1].price=cheap", "line[1].price: “cheap” is not a decimal"),
                              ("location[1].address.town=X", "location[1].address.town: unknown field"),
                              ("location[1].address=Ulm", "location[1].address: it takes an object of JSON"),
                              ("shipping_locations[1].name=X", "shipping_locations[1]: unknown field"),
                              ("locations[1].name=X", "locations[1]: unknown field"),
                              ("order_number=2", "order_number: it says which one it is")):
            run("patch", *place, *ID, "currency=USD", change).ends(
                NO, f"Patching order O1 of C1: {words}")
        for change in ("line[x]=1", "=1", "currency", "line[0]=1"):  # before any store is looked for
            run("patch", "--store", f"rocksdb:{folder}/none", *ID, change).ends(NO)
        run("patch", *place, "C1", "none", "currency=USD").ends(NO, "Patching order none of C1: there is no such order")
        equal(get(place), before)


@test
def from_a_file(folder):
    path = pathlib.Path(folder, "patch.json")
    for place in each_place(folder):
        path.write_text(json.dumps(["line[1].quantity+=1", "-line[2]"]), "utf-8")
        said = json.loads(run("patch", *place, *ID, "--json", "--file", path).ends(DONE).out)
        order, revision = get(place)
        equal(said, {"customer_number": "C1", "order_number": "O1", "revision": revision})
        equal([line["quantity"] for line in order["shipping_locations"][0]["line_items"]], ["3"])
        path.write_text("{}", "utf-8")
        run("patch", *place, *ID, "--file", path).ends(NO, f"{path}: a list of texts is expected")
        path.write_text("[1", "utf-8")
        run("patch", *place, *ID, "--file", path).ends(NO, f"{path}: JSON, line 1")
        path.write_text("[]", "utf-8")
        run("patch", *place, *ID, "--file", path).ends(NO, "a list of texts is expected")


@test
def wrong_calls(folder):
    store = f"rocksdb:{folder}/none"
    token = str(uuid.uuid4())
    for arguments, words in (
            (ID, "patch takes changes behind the order, which is CUSTOMER ORDER or --order"),
            (("C1",), "patch takes CUSTOMER ORDER, or --order ORDER in their place, and what follows"),
            ((*ID, "a=1", "--file", "x"), "arguments, or --file"),
            ((*ID, "a=1", "--if-revision", "0"), "a number above 0"),
            ((*ID, "a=1", "--base-revision=-3"), "--base-revision takes"),
            ((*ID, "a=1", "--token", token), "--token goes with --base-revision"),
            ((*ID, "a=1", "--base-revision", "3"), "--token goes with --base-revision"),
            ((*ID, "a=1", "--token", token, "--base-revision", "3", "--if-revision", "3"), "--token goes with"),
            ((*ID, "a=1", "--token", "x", "--if-revision", "3"), "UUID"),
            (("A" * 129, "B", "a=1"), "customer_number"),
            ((*ID, "a=1", "--loud"), "--loud")):
        run("patch", "--store", store, *arguments).ends(USAGE, words)
    run("patch", "--store", store, *ID, "--file", f"{folder}/none.json").ends(FAILED, "none.json")
    run("patch", "--store", store, *ID, "a=1").ends(FAILED)


@test
def once_and_on_condition(folder):
    for place in each_place(folder):
        _, base = get(place)
        run("patch", *place, *ID, "line[1].quantity+=1", "--if-revision", base + 2).ends(NO, str(base))
        once = ("line[1].quantity+=1", "--token", str(uuid.uuid4()), "--base-revision", base)
        first, again = patch(place, *once), patch(place, *once)
        equal(first, again)
        patch(place, "currency=USD")
        now = patch(place, "currency=EUR")
        if place[0] == "--server":  # which knows its own commits
            equal(patch(place, *once), first)
        else:
            run("patch", *place, *ID, *once).ends(FAILED, "nobody knows whether an earlier call", "this one was not")
        equal(get(place)[1], now)
        patch(place, "line[1].quantity+=1", "--token", str(uuid.uuid4()), "--if-revision", now)
        equal(get(place)[0]["shipping_locations"][0]["line_items"][0]["quantity"], "4")


@test
def a_lost_answer(_):
    """Without a token it is not sent again; with one it is, if the server hangs up on an old connection."""
    calls = []

    def answer(name, _):
        calls.append(name)
        return None
    with FakeServer(answer) as server:
        place = ("--server", server.address)
        run("patch", *place, *ID, "currency=USD").ends(FAILED, "it may or may not have been done")
        equal(calls, ["patchOrder"])
        run("patch", *place, *ID, "currency=USD", "--token", str(uuid.uuid4()), "--base-revision", 3).ends(
            FAILED, "it may or may not have been done")
        equal(calls, ["patchOrder"] * 3)


def edit(place, editor, stdin="", **environment):
    return run("edit", *place, *ID, stdin=stdin, env={**os.environ, "VISUAL": "", "EDITOR": editor, **environment})


@test
def edited(folder):
    temporary = pathlib.Path(folder, "temporary")
    temporary.mkdir()
    for place in each_place(folder):
        before, first = get(place)
        said = edit(place, "sed -i s/Reims/Paris/", TMPDIR=temporary).ends(DONE, "Stored order O1 of C1").out
        before["shipping_locations"][0]["address"]["city"] = "Paris"
        after, second = get(place)
        equal((after, second > first, str(second) in said), (before, True, True))
        edit(place, "false", VISUAL="sed -i s/Paris/Rome/", TMPDIR=temporary).ends(DONE)
        equal(get(place)[0]["shipping_locations"][0]["address"]["city"], "Rome")
        third = get(place)[1]
        edit(place, "true", TMPDIR=temporary).ends(DONE, "Nothing is changed")
        equal((get(place)[1], list(temporary.iterdir())), (third, []))
        run("edit", *place, "C1", "none").ends(NO, "there is no such order")
    run("edit", "--store", "rocksdb:x", "C1").ends(USAGE, "CUSTOMER ORDER")
    run("edit", "--store", "rocksdb:x", "C1", "a\n").ends(USAGE, "order_number")


@test
def what_was_edited_wrongly_is_edited_again(folder):
    """Or kept, if nobody wants to."""
    temporary = pathlib.Path(folder, "temporary")
    temporary.mkdir()
    breaks = "f() { grep -q '^x' $1 && sed -i /^x/d $1 || { sed -i s/Reims/Paris/ $1; echo x >>$1; }; }; f"
    for place in each_place(folder):
        _, first = get(place)
        edit(place, breaks, stdin="\n", TMPDIR=temporary).ends(
            DONE, "JSON, line ", "Edit again? [Y/n]", "Stored order O1")
        equal(list(temporary.iterdir()), [])
        for editor, words in (("sed -i s/O1/O2/", "this is order O2 of C1 now; the numbers say which order it is"),
                              ("sed -i s/2020/2x20/", "sales_date"),
                              ("f() { echo >$1; }; f", "JSON")):
            for answer in ("n\n", ""):
                edit(place, editor, stdin=answer, TMPDIR=temporary).ends(NO, words, f"is kept in {temporary}/tallorder-")
        edit(place, "rm", TMPDIR=temporary).ends(FAILED, "cannot be opened")
        edit(place, "f() { sed -i s/Ann/Eve/ $1; exit 5; }; f", TMPDIR=temporary).ends(
            FAILED, "The editor failed, and nothing is stored", "code 5", "is kept in")
        n_kept = len(list(temporary.iterdir()))
        equal("is kept" in edit(place, "exit 6;", TMPDIR=temporary).ends(FAILED, "code 6").err, False)
        equal(len(list(temporary.iterdir())), n_kept)
        second = get(place)[1]
        equal(second > first, True)
        for file in temporary.iterdir():
            equal(file.stat().st_mode & 0o77, 0)
            file.unlink()


@test
def edited_by_two(folder):
    for place in each_place(folder):
        other = f"f() {{ {PROGRAM} patch {' '.join(place)} C1 O1 currency=USD; sed -i s/Ann/Eve/ $1; }}; f"
        run_again = edit(place, other, TMPDIR=folder).ends(
            NO, "Changed by others, revision", "Changed by you, not stored", "Others have changed the order")
        said = run_again.out
        theirs, yours = said.split("Changed by others")[1].split("Changed by you")
        equal(['-   "currency" : "EUR",' in theirs, '+   "currency" : "USD",' in theirs, '"Ann"' in theirs],
              [True, True, False])
        equal(['-       "name" : "Ann",' in yours, '+       "name" : "Eve",' in yours, '"USD"' in yours],
              [True, True, False])
        (kept,) = pathlib.Path(folder).glob("tallorder-*.json")
        run("put", *place, kept).ends(NO, "was expected", "--force")
        forced = re.search("tallorder (put --force .*)", run_again.err)[1]
        run(*shlex.split(forced)).ends(DONE)
        order, _ = get(place)
        equal((order["currency"], order["shipping_locations"][0]["name"]), ("EUR", "Eve"))
        kept.unlink()


@test
def put_obeys_the_revision(folder):
    """The revision is what get prints; export prints none, so its lines go into any store."""
    for place in each_place(folder):
        text = run("get", *place, *ID, "--json").ends(DONE).out
        revision = json.loads(text)["revision"]
        run("put", *place, "-", stdin=text).ends(DONE)
        refused = run("put", *place, "-", "--json", stdin=text).ends(NO, f"revision {revision} was expected")
        entry = json.loads(refused.out)
        equal((entry["error"], entry["stored_revision"] > revision, "--force" in entry["message"]),
              ("conflict", True, True))
        run("put", *place, "-", "--if-absent", stdin=text).ends(NO, "it is there already")
        run("put", *place, "-", "--if-revision", entry["stored_revision"], stdin=text).ends(DONE)
        run("put", *place, "-", "--force", stdin=text).ends(DONE)
        run("put", *place, "-", "--force", "--if-absent", stdin=text).ends(USAGE, "not both")
        wrapped = '{"order":' + text.replace("\n", "") + "}\n"
        run("put", *place, "-", stdin=wrapped).ends(NO, "was expected")
        run("put", *place, "-", stdin=wrapped + json.dumps(ORDER)).ends(NO, "1 stored, 1 refused")
        run("customer", "put", *place, "-", stdin={"number": "C1", "name": "Ann"}).ends(DONE)
        customer = run("customer", "get", *place, "C1", "--json").ends(DONE).out
        run("customer", "put", *place, "-", stdin=customer).ends(DONE)
        run("customer", "put", *place, "-", stdin=customer).ends(NO, "was expected")
        run("customer", "put", *place, "-", "--force", stdin=customer).ends(DONE)
        exported = run("export", *place).ends(DONE).out
        equal("revision" in exported, False)
        elsewhere = pathlib.Path(folder, f"elsewhere{place[0]}")
        elsewhere.mkdir()
        other = new_store(elsewhere)
        run("put", "--store", other, "-", stdin=exported).ends(DONE, "2 stored, 0 refused")
        run("put", "--store", other, "-", stdin=exported).ends(DONE, "2 stored, 0 refused")
        newer = run("get", *place, *ID, "--json").ends(DONE).out
        run("put", "--store", other, "-", stdin=newer).ends(NO, "was expected")
        run("put", "--store", other, "-", "--force", stdin=newer).ends(DONE)


@test
def adjustments_and_their_signs(folder):
    """One is added, changed and removed; a sign that may have been forgotten is said, and counts."""
    raises = "adds to the total; to mend: patch 'adjustment[{}].amount=-5.00'"
    for place in each_place(folder):
        equal("adds" in run("patch", *place, *ID, '+adjustment={"kind":"tax","amount":"5.00"}').ends(DONE).err, False)
        run("patch", *place, *ID, '+adjustment={"kind":"discount","amount":"5.00"}').ends(
            DONE, "Patched order O1 of C1", f"Order O1 of C1 is stored all the same: its discount of 5.00 {raises.format(2)}")
        said = run("patch", *place, *ID, "adjustment[discount].amount=-5", "adjustment[1].amount+=0.50").ends(DONE)
        equal("adds" in said.err, False)
        equal(get(place)[0]["adjustments"], [{"kind": "tax", "amount": "5.50"}, {"kind": "discount", "amount": "-5"}])
        run("patch", *place, *ID, "adjustment[2].amount=5.00").ends(DONE, f"its discount of 5.00 {raises.format(2)}")
        # Only those that the patch touches, by their kind, their place, or as the last ones.
        for change in ("attribute.note=adjustment[2]", "adjustment[tax].amount=5.50", "adjustment[1].amount=5.50",
                       "-adjustment[1].description"):
            equal((change, run("patch", *place, *ID, change).ends(DONE).err), (change, ""))
        said = run("patch", *place, *ID, '+adjustment={"kind":"fee","amount":"1","line":99}').ends(
            DONE, "is stored all the same: its fee of 1 belongs to line 99, which it does not have; to mend: patch "
            "'adjustment[3].line=NUMBER'")
        equal("adds" in said.err, False)
        run("patch", *place, *ID, "adjustment[discount].description=x").ends(DONE, raises.format(2))
        said = run("patch", *place, *ID, "adjustment[fee].line=1").ends(DONE)
        equal(said.err, "")
        said = run("patch", *place, *ID, "-adjustment[1]", "adjustment[fee].amount=2").ends(DONE, raises.format(1))
        run("patch", *place, *ID, "-adjustment[fee]").ends(DONE)
        patch(place, '+adjustment={"kind":"tax","amount":"5.50"}')
        equal("adds" in run("patch", *place, *ID, "adjustment[1].amount=0").ends(DONE).err, False)
        run("patch", *place, *ID, "adjustment[1].amount=-5").ends(DONE)
        edit(place, "sed -i s/-5/5.00/").ends(DONE, f"its discount of 5.00 {raises.format(1)}")
        order = {**get(place)[0], "adjustments": [{"kind": "refund", "amount": "5.00", "line": 77}]}
        equal("adds" in run("put", *place, "-", "--quiet", stdin=order).ends(DONE).err, False)
        run("put", *place, "-", stdin=order).ends(DONE, f"its refund of 5.00 {raises.format(1)}",
                                                     "its refund of 5.00 belongs to line 77")
        run("patch", *place, *ID, 'adjustments=[{"kind":"refund","amount":"5.00"}]').ends(
            DONE, f"its refund of 5.00 {raises.format(1)}")
        patch(place, "-adjustment[refund]")
        equal("adjustments" in get(place)[0], False)


@test
def numbers_that_begin_like_options(folder):
    for place in each_place(folder):
        run("put", *place, "-", stdin={"customer_number": "-cust", "order_number": "-abc"}).ends(DONE)
        run("patch", *place, "--order", "-abc", "currency=EUR", "attribute.a=b", "-currency").ends(DONE, "-abc of -cust")
        run("patch", *place, "--", "-cust", "-abc", "-attribute.a", "attribute.c=d").ends(DONE, "-abc of -cust")
        got = json.loads(run("get", *place, "--order=-abc", "--json").ends(DONE).out)
        equal((got["attributes"], "currency" in got), ({"c": "d"}, False))


@test
def forms_are_documented(_):
    """Help, README and the interface say the same."""
    equal(len(forms()) > 5, True)
    readme = (SOURCE / "src/cli/README.md").read_text("utf-8")
    interface = " ".join((SOURCE / "idl/tallorder.thrift").read_text("utf-8").replace("\n *", " ").split())
    for form, meaning, example in forms():
        row = f"| `{form}` | {meaning} | `{example}` |".replace(", line[N]=", "`, `line[N]=")
        equal((row, row in readme), (row, True))
        entry = f"{form} {meaning.split(';')[0]}"
        equal((entry, entry in interface), (entry, True))


if __name__ == "__main__":
    sys.exit(main())
