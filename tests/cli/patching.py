# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Parts of orders: `patch`. Speaks TAP.

    patching.py TALLORDER SOURCE_ROOT
"""

import json
import pathlib
import re
import sys
import uuid

from support import (
    DONE, FAILED, NO, ORDER, SOURCE, USAGE, FakeServer, Server, equal, main, new_store, parse, run, test,
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
                              ("order_number=2", "order_number: it says which one it is")):
            run("patch", *place, *ID, "currency=USD", change).ends(
                NO, f"Patching order O1 of C1: {words}")
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
            (ID, "patch takes CUSTOMER ORDER and changes"),
            (("C1",), "patch takes CUSTOMER ORDER and changes"),
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
        refused = run("patch", *place, *ID, *once).ends(FAILED, "nobody knows whether an earlier call", "this one was not")
        equal("(request" in refused.err, False)
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
