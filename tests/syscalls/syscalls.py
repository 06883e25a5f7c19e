# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Has each system call on a store's files fail, once or for good, be done by half, or be the last one
of the process, while the program does its work. Speaks TAP.

    syscalls.py TALLORDER SOURCE_ROOT FAIL_CALL [--whole] [COMMAND[/FAILURE[/N]] …]

FAIL_CALL is the library of fail-call.c. Without --whole a fixed sample of the calls is tried, a larger
one with TALL_TEST_ALL. An argument such as put/kill/17 names what is tried instead, each call of it.
"""

import concurrent.futures
import errno
import itertools
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))
from support import DONE, NO, NORTHWIND, PROGRAM, Result, Server, run  # noqa: E402

LIBRARY = sys.argv[3]
SECONDS = 300    # after which a server counts as hanging; none needs a tenth of it
EACH = 10 if os.environ.get("TALL_TEST_ALL") else 2  # calls of a sample, of each command and failure
MOST_SHOWN = 20  # failures that are shown, of each command and failure
JOBS = 2

# What goes wrong: the plan of fail-call.c, and whether only writes can go wrong like that.
FAILURES = {
    "error": (f"once {errno.EIO}", False),
    "errors": (f"from {errno.EIO}", False),
    "full": (f"once {errno.ENOSPC}", False),
    "stays-full": (f"from {errno.ENOSPC}", False),
    "short": ("short", True),
    "torn": (f"torn {errno.ENOSPC}", True),
    "kill": ("kill", False),
    "torn-kill": ("torn-kill", True),
}

# Calls that have found something, and belong to each sample: command, failure, and the call.
ALWAYS = (("init", "kill", r"rename .*TALLORDER"), ("init", "torn-kill", r"write .*TALLORDER"),
          ("init", "errors", r"write .*TALLORDER"), ("restore", "error", r"fsync .*/restore-whole$"),
          ("backup", "error", r"fsync .*/backup-whole$"))

# Failures that are known: patterns of the command, the failure, the call and what is wrong. Each is to
# be mended and removed here.
KNOWN = ()


class Wrong(Exception):
    """A check that failed."""


def line_of(number, note, kind="order"):
    order = {"customer_number": "C", "order_number": number, "attributes": {"note": note},
             "sales_date": "2020-02-29T00:00:00.000Z",
             "shipping_locations": [{"number": 1, "line_items": [{"number": 1}, {"number": 2}]}]}
    return json.dumps({kind: order}) + "\n"


NEW = line_of("new", "new") + line_of("new too", "new" * 3000)
CHANGED = line_of("1", "changed") + line_of("2", "changed" * 1000)


def content(store):
    """What is stored: everything by its numbers, without revisions."""
    found = {}
    for line in run("export", "--store", store).ends(DONE).out.splitlines():
        (kind, one), = json.loads(line).items()
        one.pop("revision", None)
        found[kind, one.get("customer_number"), one.get("order_number", one.get("number"))] = one
    return found


class Command:
    """One row of the table below."""

    def __init__(self, *arguments, base="clean", stdin="", again=(), **more):
        self.arguments, self.base, self.stdin, self.again = arguments, base, stdin, again
        self.more = more  # how it is judged, see the functions that use it
        self.name = None

    def call(self, folder, **options):
        """Runs it on the store of a folder, and returns how it ended and what it acknowledged."""
        result = run(*(one.replace("@", folder) for one in self.arguments), stdin=self.stdin,
                     **options)
        return result, self.find_acknowledged(result)

    def find_acknowledged(self, result):
        if "--json" in self.arguments and self.arguments[0] == "put":
            lines = [json.loads(line) for line in result.out.splitlines() if line.endswith("}")]
            return {("order", one["customer_number"], one["order_number"]) for one in lines
                    if "revision" in one}
        return ALL if result.code == DONE else set()


class Serve(Command):
    """A server that stores what clients send. Each client acknowledges one order."""

    CALLS = (("put", CHANGED.splitlines()[0]), ("put", NEW.splitlines()[0]), ("delete", "3"),
             ("put", NEW.splitlines()[1]), ("put", CHANGED.splitlines()[1]), ("delete", "4"))

    def call(self, folder, **options):
        acknowledged = set()
        process = subprocess.Popen(
            [PROGRAM, "serve", "--store", f"rocksdb:{folder}/store", "--listen", "127.0.0.1:0"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        net = threading.Timer(SECONDS, process.kill)
        net.start()
        line = process.stdout.readline()
        if line.startswith("listening on "):
            for what, text in self.CALLS:
                arguments = ["-"] if what == "put" else ["C", text]
                number = json.loads(text)["order"]["order_number"] if what == "put" else text
                if run(what, "--server", line.split()[2], *arguments, stdin=text).code == DONE:
                    acknowledged.add(("order", "C", number))
        if process.poll() is None:
            process.terminate()
        out, err = process.communicate()
        net.cancel()
        return Result(["serve"], subprocess.CompletedProcess([], process.returncode, line + out, err)), acknowledged


class Everything:
    """All that a command can acknowledge."""

    def __contains__(self, _):
        return True


ALL = Everything()
THERE = "There is a deployment already"
STORE = ("--store", "rocksdb:@/store")
SEVERAL = str(NORTHWIND / "orders.csv")
COMMANDS = {
    "init": Command("init", *STORE, "--layout", "record-type", base="nothing",
                    again=(THERE,)),
    "init-beside": Command("init", "--store", "rocksdb:@/store?name=second", again=(THERE,)),
    "put": Command("put", *STORE, "--jobs", "1", "--json", "-", stdin=NEW),
    "replace": Command("put", *STORE, "--jobs", "1", "--json", "-", stdin=CHANGED),
    "replace-after-kill": Command("put", *STORE, "--jobs", "1", "--json", "-", stdin=CHANGED,
                                  base="killed"),
    "delete": Command("delete", *STORE, "C", "3", again=("there is no such order",)),
    "load": Command("load", *STORE, "--map", "northwind", "@/some.csv"),
    "backup": Command("backup", *STORE, "@/backup", again=("exists already",), makes="backup"),
    "restore": Command("restore", "@/made", "--store", "rocksdb:@/restored",
                       again=("exists already",), makes="restored"),
    "migrate": Command("migrate", *STORE, "--to-layout", "blob"),
    "abort": Command("migrate", *STORE, "--abort", base="copied"),
    "drop-source": Command("migrate", *STORE, "--drop-source", base="moved"),
    "repair": Command("verify", *STORE, "--repair", base="broken", codes=(DONE, NO)),
    "drop": Command("drop", "--store", "rocksdb:@/store?name=gone", "--yes", "gone",
                    again=("There is no deployment",)),
    "open": Command("get", *STORE, "C", "5", "--json", base="killed"),
    "serve": Serve(),
}
for _name, _command in COMMANDS.items():
    _command.name = _name


def plan(folder, failure=None, n=0, trace=None):
    """The environment in which a call of the store's files goes wrong."""
    more = {"LD_PRELOAD": LIBRARY, "TALL_CALLS_BELOW": folder}
    if trace is not None:
        more["TALL_CALLS_TRACE"] = trace
    if failure is not None:
        more["TALL_CALLS_FAIL"] = f"{n} {FAILURES[failure][0]}"
    return {"env": {**os.environ, **more}}


def read_trace(trace):
    """The calls that were counted, as (name, path)."""
    lines = pathlib.Path(trace).read_text(encoding="utf-8").splitlines()
    return [tuple(line.split(" ", 2)[1:]) for line in lines]


class Bases:
    """Stores on which commands begin, each made once."""

    def __init__(self, folder):
        self.folder = folder
        for make in (self.nothing, self.clean, self.killed, self.copied, self.moved, self.broken):
            os.mkdir(f"{folder}/{make.__name__}")
            make(f"{folder}/{make.__name__}")

    def copy(self, name, folder):
        shutil.copytree(f"{self.folder}/{name}", folder)
        return folder

    def take_clean(self, folder):
        os.rmdir(folder)
        self.copy("clean", folder)
        return f"rocksdb:{folder}/store"

    def nothing(self, folder):
        pass

    def clean(self, folder):
        store = f"rocksdb:{folder}/store"
        run("init", "--store", store, "--layout", "record-type").ends(DONE)
        run("init", "--store", f"{store}?name=other").ends(DONE)
        run("put", "--store", f"{store}?name=other", "-", stdin=line_of("1", "of another")).ends(DONE)
        run("init", "--store", f"{store}?name=gone", "--layout", "normalized").ends(DONE)
        orders = "".join(line_of(str(i), f"first {i}") for i in range(1, 6))
        customer = json.dumps({"customer": {"number": "C", "name": "Ann"}})
        run("put", "--store", store, "-", stdin=orders + customer).ends(DONE)
        with open(NORTHWIND / "orders.csv", encoding="utf-8") as rows:
            some = "".join(itertools.islice(rows, 12))
        pathlib.Path(folder, "some.csv").write_text(some, encoding="utf-8")
        run("backup", "--store", store, f"{folder}/made").ends(DONE)

    def killed(self, folder):
        """What it holds is in its log only."""
        store = self.take_clean(folder)
        with Server(store) as server:
            for number in ("2", "6"):
                run("put", "--server", server.address, "-", stdin=line_of(number, "late")).ends(DONE)
            server.stop(signal.SIGKILL)

    def copied(self, folder):
        store = self.take_clean(folder)
        run("migrate", "--store", store, "--to-layout", "blob", "--pass-only").ends(DONE)

    def moved(self, folder):
        store = self.take_clean(folder)
        run("migrate", "--store", store, "--to-layout", "blob").ends(DONE)

    def broken(self, folder):
        """As a load leaves it that is killed between the rows of its orders and their roots."""
        for n in itertools.count(1):
            shutil.rmtree(folder)
            self.copy("clean", folder)
            load = COMMANDS["load"].call(folder, **plan(folder, "kill", n))[0]
            if load.code == DONE:
                raise Wrong("no kill of a load leaves anything to repair")
            if run("verify", "--store", f"rocksdb:{folder}/store").code == NO:
                return


class Trial:
    """A command of which all is known that the checks need."""

    def __init__(self, command, bases, folder):
        self.command, self.bases, self.folder = command, bases, folder
        whole = bases.copy(command.base, f"{folder}/{command.name}-whole")
        self.before = self.find_content(whole)
        result, acknowledged = command.call(whole, **plan(whole, trace=f"{whole}.trace"))
        if result.code not in self.codes or (command.name == "serve" and len(acknowledged) < 6):
            raise Wrong(f"{command.name} does not work: {result}")
        self.calls = read_trace(f"{whole}.trace")
        self.after = self.find_content(whole)
        self.said = result.out
        shutil.rmtree(whole)

    @property
    def codes(self):
        return self.command.more.get("codes", (DONE,))

    @staticmethod
    def find_content(folder):
        return content(f"rocksdb:{folder}/store") if os.path.isdir(f"{folder}/store") else {}

    def choose(self, failure):
        """The calls that can go wrong like that."""
        return [n for n, (name, _) in enumerate(self.calls, 1)
                if not FAILURES[failure][1] or name in ("write", "pwrite")]

    def run(self, failure, n):
        """Has the n-th call go wrong. Returns what is wrong afterwards, or None."""
        folder = self.bases.copy(self.command.base, f"{self.folder}/{self.command.name}-{failure}-{n}")
        try:
            result, acknowledged = self.command.call(folder, **plan(folder, failure, n))
            self.check_end(result, failure)
            self.check_after(folder, failure, result, acknowledged)
            return None
        except subprocess.TimeoutExpired as error:
            return f"it hangs: {error.cmd}"
        except (Wrong, AssertionError, OSError, ValueError) as error:
            return f"{error}"
        finally:
            shutil.rmtree(folder)

    def check_end(self, result, failure):
        killed = "kill" in failure and result.code == -signal.SIGKILL
        if result.code < 0 and not killed:
            raise Wrong(f"it was ended by {signal.Signals(-result.code).name}: {result.err}")
        if result.code > 0 and result.code not in self.codes and "tallorder: " not in result.err:
            raise Wrong(f"it failed without a message: {result.err!r}")

    def check_after(self, folder, failure, result, acknowledged):
        made = self.command.more.get("makes")
        if result.code == DONE and self.command.name == "open" and result.out != self.said:
            raise Wrong(f"it printed {result.out!r}")
        if self.command.name == "serve" or result.code not in self.codes:
            self.check_content(folder, acknowledged)
            self.go_on(folder, failure, result)
        store = f"rocksdb:{folder}/{'restored' if made == 'restored' else 'store'}"
        verified = run("verify", "--store", store)
        if verified.code != NO:
            verified.ends(DONE, "sound")
        else:
            run("verify", "--store", store, "--repair").ends(NO)
            run("verify", "--store", store).ends(DONE, "sound")
        if content(store) != self.after:
            raise Wrong(f"it holds {content(store)}")
        self.check_others(folder)

    def check_content(self, folder, acknowledged):
        """Each order is as before or as after, and what was acknowledged as after. A migration may
        leave tables closed until it goes on."""
        if self.command.base == "nothing" or self.command.arguments[:1] in (("migrate",), ("restore",)):
            return
        now = content(f"rocksdb:{folder}/store")
        for key in {*now, *self.before, *self.after}:
            allowed = [self.after.get(key)]
            if key not in acknowledged:
                allowed.append(self.before.get(key))
            if now.get(key) not in allowed:
                raise Wrong(f"{key} is {now.get(key)}, not one of {allowed}")

    def go_on(self, folder, failure, result):
        """The same once more, without a failure."""
        again = self.command.call(folder)[0]
        if again.code in self.codes:
            return
        if not any(text in again.err for text in self.command.again):
            raise Wrong(f"begun again it ends with {again.code}: {again.err}")
        made = self.command.more.get("makes")
        if made and result.code != DONE and failure in ("error", "full"):
            raise Wrong(f"it has failed, and is done all the same: {result.err} {again.err}")

    def check_others(self, folder):
        """What belongs to nobody's work is as it was, and nothing half-done is left."""
        if self.command.name in ("drop", "init-beside", "migrate"):
            run("get", "--store", f"rocksdb:{folder}/store?name=other", "C", "1").ends(DONE)
        if self.command.name == "backup":
            run("restore", f"{folder}/backup", "--store", f"rocksdb:{folder}/restored").ends(DONE)
            if content(f"rocksdb:{folder}/restored") != self.after:
                raise Wrong("the backup holds something else")
        left = list(pathlib.Path(folder).glob("store/TALLORDER.*"))
        if left:
            raise Wrong(f"it leaves {left}")


def sample(trial, failure, turn):
    """A few of all, at equal distances; @turn shifts them, so that not all commands try the same."""
    numbers = trial.choose(failure)
    step = max(1, len(numbers) // EACH)
    always = [n for n in numbers for command, of_failure, call in ALWAYS
              if (command, of_failure) == (trial.command.name, failure)
              and re.match(call, " ".join(trial.calls[n - 1]))]
    return sorted({*numbers[turn % step::step], *always})


def is_known(command, failure, call, wrong):
    return any(re.search(of_command, command) and re.search(of_failure, failure)
               and re.search(of_call, " ".join(call)) and re.search(what, wrong)
               for of_command, of_failure, of_call, what in KNOWN)


def wanted(arguments):
    """Commands with failures and calls, as the arguments name them: None stands for all calls."""
    if not arguments:
        yield from ((command, failure, None) for command in COMMANDS for failure in FAILURES)
    for one in arguments:
        command, failure, n = (one.split("/") + [None, None])[:3]
        for each in [failure] if failure else FAILURES:
            yield command, each, n


def report(number, name, trial, failure, numbers, pool):
    """Runs the calls, and prints a line of TAP. Returns how many things went wrong."""
    found = list(pool.map(lambda n: (n, trial.run(failure, n)), numbers))
    wrong = [(n, trial.calls[n - 1], what) for n, what in found if what is not None]
    new = [one for one in wrong if not is_known(trial.command.name, failure, one[1], one[2])]
    todo = " # TODO known" if wrong and not new else ""
    print(f"{'not ok' if wrong else 'ok'} {number} {name} {len(numbers)} calls{todo}")
    for n, call, what in (new or wrong)[:MOST_SHOWN]:
        print(f"# {name}/{n}: {call[0]} {os.path.basename(call[1])}: " + "\n#   ".join(what.splitlines()))
    sys.stdout.flush()
    return len(new)


def run_interrupted(bases, folder):
    """Every other read and write of a file is interrupted by a signal, and made again. Returns what is wrong."""
    wrong = []
    for name in ("put", "load", "backup", "restore"):
        trial = Trial(COMMANDS[name], bases, folder)
        place = bases.copy(trial.command.base, f"{folder}/{name}-interrupted")
        environment = plan(place)
        environment["env"]["TALL_CALLS_INTERRUPTED"] = "1"
        result = trial.command.call(place, **environment)[0]
        try:
            result.ends(DONE)
            trial.check_after(place, "interrupted", result, ALL)
        except (Wrong, AssertionError) as error:
            wrong.append(f"{name}: {error}")
        shutil.rmtree(place)
    return wrong


def main(arguments):
    whole = "--whole" in arguments
    named = [one for one in arguments if not one.startswith("--")]
    cases = list(wanted(named))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print(f"1..{len(cases) + (not named)}", flush=True)
    failed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        os.mkdir(f"{folder}/bases")
        bases, trials = Bases(f"{folder}/bases"), {}
        for number, (command, failure, n) in enumerate(cases, 1):
            if command not in trials:
                trials[command] = Trial(COMMANDS[command], bases, folder)
            trial = trials[command]
            numbers = trial.choose(failure) if n is None else [int(n)]
            if not whole and not named:
                numbers = sample(trial, failure, number)
            failed += report(number, f"{command}/{failure}", trial, failure, numbers, pool)
        if not named:
            wrong = run_interrupted(bases, folder)
            print(f"{'not ok' if wrong else 'ok'} {len(cases) + 1} interrupted", *wrong, sep="\n# ")
            failed += len(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[4:]))
