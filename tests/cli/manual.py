# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""The manual, the completion for bash and the example of a configuration say what `--help` says.

    manual.py TALLORDER SOURCE_ROOT FOLDER_OF_THE_MANUAL
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

from support import DONE, FAILED, KEYS, LAYOUTS, SECONDS, USAGE, equal, main, run, test

MANUAL = pathlib.Path(sys.argv[3])


def commands():
    return re.findall(r"^  ([a-z]+) *\*? +\S", run("help").out.split("Where")[0], re.M)


def helped(command):
    """The options of a command and what they do, as `--help` has them."""
    text = run(command, "--help").out
    found = re.findall(r"^  --([a-z-]+)(?:=(\S+))? +(\S.*)$", text, re.M)
    return {name: (value, said) for name, value, said in found}


def render(page):
    """A page of the manual as plain text, each paragraph in one line."""
    done = subprocess.run(["mandoc", "-Tutf8", "-Owidth=1000", str(page)], stdout=subprocess.PIPE,
                          encoding="utf-8", timeout=SECONDS, check=True)
    return re.sub(r".\x08", "", done.stdout).replace("\u00a0", " ")


def complete(*words):
    """What TAB offers for the last word."""
    line = " ".join(words)
    script = f"""
        source /usr/share/bash-completion/bash_completion
        source {shlex.quote(str(MANUAL / "tallorder"))}
        compopt() {{ :; }}
        COMP_LINE={shlex.quote(line)} COMP_POINT={len(line)}
        COMP_WORDS=({shlex.join(part for word in words for part in re.findall("[=:]|[^=:]+|^$", word))})
        COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
        _tallorder
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=SECONDS, check=False)
    equal(done.stderr, "")
    return [offer.strip() for offer in done.stdout.splitlines() if offer]


@test
def every_command_has_a_page(_):
    pages = {path.name for path in MANUAL.glob("*.1")}
    equal(pages, {"tallorder.1"} | {f"tallorder-{name}.1" for name in commands()})
    text = render(MANUAL / "tallorder.1")
    said = run("help").out
    for name in commands():
        summary = re.search(rf"^  {name} .*?([A-Z].*)", said, re.M).group(1)
        equal((name, summary in text), (name, True))
        starred = re.search(rf"tallorder-{name}\(1\) \*", text) is not None
        equal((name, starred), (name, re.search(rf"^  {name} *\*", said, re.M) is not None))
    for line in said.split("Commands")[1].split("\n\n", 1)[1].splitlines():
        wanted = " ".join(line.rstrip(":").lower().split())
        equal((line, wanted in " ".join(text.lower().split())), (line, True))


@test
def pages_say_what_help_says(_):
    for name in commands():
        text = render(MANUAL / f"tallorder-{name}.1")
        options = text.split("\nOPTIONS\n")[1].split("\nEXAMPLES\n")[0].split("\nSEE ALSO\n")[0]
        shown = re.findall(r"^ +--([a-z-]+)(?:=(\S+))?\s+(\S.*)$", options, re.M)
        equal((name, {one: (value, said) for one, value, said in shown}), (name, helped(name)))
        below = run(name, "--help").out.split("key file that gives options")[1].split("\n\n", 1)[1]
        words = " ".join(text.split())
        for line in below.replace("Example:", "").splitlines():
            equal((name, line, " ".join(line.split()) in words), (name, line, True))


@test
def pages_are_clean(_):
    for page in sorted(MANUAL.glob("*.1")):
        lint = subprocess.run(["mandoc", "-Tlint", "-Wwarning", str(page)], stdout=subprocess.PIPE,
                              text=True, timeout=SECONDS, check=False)
        equal((page.name, lint.stdout), (page.name, ""))


@test
def help_for_programs(_):
    for name in commands():
        told = json.loads(run(name, "--help=json").ends(DONE).out)
        options = {one["name"]: (one.get("argument", ""), one["description"])
                   for one in told["options"]}
        equal((name, options), (name, helped(name)))
        equal(told["name"], name)
    told = json.loads(run("customer", "get", "--help=json").ends(DONE).out)
    equal(told["name"], "customer get")
    run("get", "--help=xml").ends(USAGE, "help")


@test
def completion(folder):
    equal(complete("tallorder", ""), [*commands(), "help", "--version"])
    equal(complete("tallorder", "mi"), ["migrate"])
    equal(complete("tallorder", "help", "exp"), ["explain", "export"])
    equal(complete("tallorder", "init", "--layout", ""), LAYOUTS)
    equal(complete("tallorder", "init", "--layout=re"), ["record-type"])
    equal(complete("tallorder", "migrate", "--to-key", ""), KEYS)
    equal(complete("tallorder", "init", "--ttl", ""), [])
    equal(complete("tallorder", "customer", ""), ["get", "put", "delete", "list"])
    equal(complete("tallorder", "get", "--store", "r"), ["rocksdb:"])
    os.mkdir(f"{folder}/shop")
    pathlib.Path(folder, "orders.csv").touch()
    equal(complete("tallorder", "get", "--store", f"rocksdb:{folder}/"), [f"{folder}/shop"])
    equal(complete("tallorder", "get", f"--store=rocksdb:{folder}/s"), [f"{folder}/shop"])
    equal(complete("tallorder", "get", "--store", "hbase:"), ["//"])
    equal(complete("tallorder", "serve", "--config", f"{folder}/o"), [f"{folder}/orders.csv"])
    equal(complete("tallorder", "put", f"{folder}/o"), [f"{folder}/orders.csv"])
    pathlib.Path(folder, "x;id y.csv").touch()  # readline quotes it, as it is a name of a file
    equal(complete("tallorder", "put", f"{folder}/x"), [f"{folder}/x;id y.csv"])
    equal(complete("tallorder", "fly", "--"), ["--version"])


@test
def completion_of_every_option(_):
    for name in commands():
        wanted = [f"--{one}" + ("=" if value else "") for one, (value, _) in helped(name).items()]
        equal((name, sorted(complete("tallorder", name, "--"))), (name, sorted([*wanted, "--help"])))


@test
def example_configuration(folder):
    text = (MANUAL / "tallorder.conf").read_text("utf-8")
    keys = re.findall(r"^# (\S.*)\n#?([a-z-]+) = (\S+)$", text, re.M)
    equal(len(keys), len(re.findall(r"^#?[a-z-]+ = ", text, re.M)))  # each has its comment
    options = helped("serve")
    equal({key: said for said, key, _ in keys},
          {name: said for name, (_, said) in options.items() if name != "config"})
    # as it is, and with every usual value
    for line, content in (("as it is", text), ("usual", re.sub(r"^#([a-z-]+ = [^A-Z\n]+)$", r"\1", text,
                                                               flags=re.M))):
        file = pathlib.Path(folder, "tallorder.conf")
        file.write_text(content.replace("/var/lib/tallorder", folder), "utf-8")
        equal((line, content.count("\n#") < text.count("\n#")), (line, line == "usual"))
        run("serve", "--config", file).ends(FAILED, f"{folder}/store")
    # each key stands where it has an effect, also those whose value is only described
    for key in [key for _, key, _ in keys if key not in ("store", "insecure")]:
        content = re.sub(rf"^#({key} = ).*$", r"\1/nothere", text, flags=re.M)
        file.write_text(content.replace("/var/lib/tallorder", folder), "utf-8")
        equal((key, "no such option" in run("serve", "--config", file).err), (key, False))


if __name__ == "__main__":
    sys.exit(main())
