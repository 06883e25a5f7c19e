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

from authority import Ca
from support import DONE, KEYS, LAYOUTS, PROGRAM, SECONDS, USAGE, equal, main, new_store, run, test

MANUAL = pathlib.Path(sys.argv[3])
TLS = ["tls-certificate", "tls-key", "tls-ca", "tls-clients", "access"]  # each needs others


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
    return complete_how(*words)[0]


def complete_how(*words):
    """The same, and what it says of it."""
    line = " ".join(words)
    script = f"""
        source /usr/share/bash-completion/bash_completion
        source {shlex.quote(str(MANUAL / "tallorder"))}
        how=
        compopt() {{ local IFS=" "; how+="$*"; }}
        COMP_LINE={shlex.quote(line)} COMP_POINT={len(line)}
        COMP_WORDS=({shlex.join(part for word in words for part in re.findall("[=:]|[^=:]+|^$", word))})
        COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
        _tallorder
        printf '%s\\n' "$how" "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=SECONDS, check=False)
    equal(done.stderr, "")
    how, *offers = done.stdout.splitlines()
    return [offer.strip() for offer in offers if offer], how


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
    equal(complete("tallorder", "customer", ""), ["get", "put", "delete", "erase", "list"])
    equal(complete("tallorder", "get", "--store", "r"), ["rocksdb:"])
    os.mkdir(f"{folder}/shop")
    pathlib.Path(folder, "orders.csv").touch()
    equal(complete("tallorder", "get", "--store", f"rocksdb:{folder}/"), [f"{folder}/shop"])
    equal(complete("tallorder", "get", f"--store=rocksdb:{folder}/s"), [f"{folder}/shop"])
    equal(complete("tallorder", "get", "--store", "hbase:"), ["//"])
    equal(complete("tallorder", "serve", "--config", f"{folder}/o"), [f"{folder}/orders.csv"])
    equal(complete("tallorder", "put", f"{folder}/o"), [f"{folder}/orders.csv"])
    equal(complete("tallorder", "load", "--map", "north", f"lines={folder}/o"), [f"{folder}/orders.csv"])
    pathlib.Path(folder, "x;id y.csv").touch()  # readline quotes it, as it is a name of a file
    equal(complete("tallorder", "put", f"{folder}/x"), [f"{folder}/x;id y.csv"])
    equal(complete("tallorder", "fly", "--"), ["--version"])
    presets = json.loads(run("load", "--help=json").out)["description"]
    presets = presets.removeprefix("Presets: ").split(".")[0].replace("\n", " ").split(", ")
    equal(complete("tallorder", "load", "--print-map", ""), presets)
    for name in ("load", "bench", "advise"):
        equal(complete("tallorder", name, "--map", "north"), [one for one in presets if "north" in one])
    equal(complete("tallorder", "bench", f"--map={folder}/o"), [f"{folder}/orders.csv"])
    # a value follows at once; what is whole is followed by a space
    equal(complete_how("tallorder", "init", "--layo"), (["--layout="], "-o nospace"))
    equal(complete_how("tallorder", "serve", "--insec"), (["--insecure"], ""))
    equal(complete_how("tallorder", "get", "--store", "r"), (["rocksdb:"], "-o nospace"))
    equal(complete_how("tallorder", "init", "--layout", "bl"), (["blob"], ""))


def is_choice(value):
    return re.fullmatch(r"[a-z-]+(\|[a-z-]+)+", value) is not None


@test
def completion_of_choices(folder):
    """TAB offers the words that the program names where it gets another one."""
    store = new_store(folder)
    others = {"on-existing": ["--map", "northwind", "-"], "tls-clients": ["--tls-ca", "/none"]}
    found = {(name, option): value.split("|") for name in commands()
             for option, (value, _) in helped(name).items() if is_choice(value)}
    equal(len(found) >= 7, True)
    for (name, option), words in found.items():
        equal(complete("tallorder", name, f"--{option}", ""), words)
        if "bloom" in option:
            continue  # which of them there are depends on the store
        said = run(name, "--store", store, *others.get(option, []), f"--{option}", "x").ends(USAGE).err
        named = re.search(r"[\w-]+(, [\w-]+)* or [\w-]+|(?<=one of: )[\w, -]+", said).group()
        equal((name, option, re.split(", | or ", named)), (name, option, words))


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
          {name: said + (": " + value.replace("|", ", ") if is_choice(value) else "")
           for name, (value, said) in options.items() if name != "config"})
    equal("(default info): debug, info, warning, error\n#log-level = info\n" in text, True)
    # as it is, with each line that shows a value, and with all of them
    new_store(folder)
    alone = [key for _, key, _ in keys if key not in (*TLS, "store")]
    equal([key for key in TLS if key not in options], [])
    ca = Ca(folder)
    ca.certify("server")
    os.mkdir(f"{folder}/backups")
    pathlib.Path(folder, "roles").write_text("[roles]\nreader = cn:loader\n", "utf-8")
    for taken in ([], *([key] for key in alone), [*alone, *TLS]):
        content = re.sub(rf"^#(({'|'.join(taken)}) = )", r"\1", text, flags=re.M) if taken else text
        equal(content.count("\n#") + len(taken), text.count("\n#"))
        file = pathlib.Path(folder, "tallorder.conf")
        content = re.sub("/(var/lib|etc)/tallorder", folder, content)
        content = content if "listen" in taken else content + "listen = 127.0.0.1:0\n"
        file.write_text(re.sub(r"(127\.0\.0\.1):\d+", r"\1:0", content), "utf-8")
        check_serves(file, taken)


def check_serves(config, taken):
    with subprocess.Popen([PROGRAM, "serve", "--config", config], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        said = process.stdout.readline()
        process.terminate()
        rest = process.communicate(timeout=SECONDS)[1]
    equal((taken, said.startswith("listening on"), process.returncode, rest if not said else ""),
          (taken, True, 0, ""))


if __name__ == "__main__":
    sys.exit(main())
