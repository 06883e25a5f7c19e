# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""What tools/run-tests calls, and what it leaves behind, with stand-ins for all that it calls. Prints TAP.

    run_tests.py RUN_TESTS
"""

import dataclasses
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import tempfile

PATIENCE = 60  # seconds, for a busy machine

DONE = "#!/bin/sh\nexit 0\n"

# Says how it is called. In a test, leaves a file in the folder for temporary files, and tells its name.
MESON = """#!/bin/sh
echo "$*; all: ${TALL_TEST_ALL-no}" >>calls
[ "$1" = test ] || { [ "$2" != "$BROKEN" ]; exit; }
echo data >"$TMPDIR/file" && dirname "$TMPDIR" >>folders
"""

# Fills its folder and tells its name; then it runs the command, or waits until it is ended.
HBASE = """#!/usr/bin/python3
import pathlib, signal, subprocess, sys, time
folder = pathlib.Path(sys.argv[sys.argv.index("--data") + 1])
folder.mkdir()
(folder / "data").write_text("data")
ends = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
signal.pthread_sigmask(signal.SIG_BLOCK, ends)
with open("folders", "a") as names:
    print(folder.parent.parent, file=names)
if WAITS:
    with open("ready", "w") as ready:
        print("ready", file=ready)
    signal.sigwait(ends)
    time.sleep(0.3)  # HBase does not end at once
    pathlib.Path("ended").write_text("ended")
    sys.exit(1)
signal.pthread_sigmask(signal.SIG_UNBLOCK, ends)
sys.exit(subprocess.run(sys.argv[sys.argv.index("--") + 1:], check=False).returncode)
"""

GCC = "-C build-gcc --num-processes"
SANITIZE = "-C build-sanitize --suite c --suite walk; all: no"
LONG = "--no-suite long; all: no"


@dataclasses.dataclass
class Case:
    name: str
    options: tuple = ()
    signal: int | None = None  # which the script gets
    broken: str = ""  # a folder that cannot be built
    code: int = 0
    says: tuple = ()  # in calls of meson's tests
    says_not: tuple = ()


CASES = [
    Case("usual", says=(GCC, "--no-suite long --no-suite c; all: no", SANITIZE, f"--suite hbase {LONG}",
                        f"--suite faults {LONG}")),
    Case("quick", ("--quick",), says=(GCC, f"--no-suite faults {LONG}"), says_not=("sanitize", "--suite hbase")),
    Case("all", ("--all",), says=(GCC, "--no-suite faults; all: 1", "--suite hbase; all: 1", "--suite faults; all: 1",
                                  "-C build-sanitize --no-suite hbase"), says_not=("--no-suite long",)),
    Case("unknown", ("--al",), code=2, says_not=("test",)),
    Case("gcc-fails", broken="build-gcc", code=1, says=(SANITIZE,), says_not=(GCC, "--suite hbase")),
    Case("clang-fails", broken="build-sanitize", code=1, says=(GCC, "--suite faults"), says_not=(SANITIZE,)),
    Case("hang-up", signal=signal.SIGHUP, code=129),
    Case("interrupted", signal=signal.SIGINT, code=130),
    Case("terminated", signal=signal.SIGTERM, code=143),
]


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def make_project(root, run_tests, waits):
    (root / "temporary").mkdir()
    (root / "tools").mkdir()
    shutil.copy(run_tests, root / "tools" / "run-tests")
    for name in ("tools/install-packages", "bin/ninja"):
        write_program(root / name, DONE)
    write_program(root / "bin" / "meson", MESON)
    (root / "tools" / "count-tests").write_text("import sys\nsys.exit(sys.argv[-5] != '0')\n", encoding="utf-8")
    write_program(root / "tools" / "hbase" / "hbase", HBASE.replace("WAITS", str(waits)))
    os.mkfifo(root / "ready")


def allow_signals():
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def wait_until_ready(root):
    ready = os.open(root / "ready", os.O_RDONLY | os.O_NONBLOCK)
    select.select([ready], [], [], PATIENCE)
    os.close(ready)


def run(root, case):
    environment = dict(os.environ, PATH=f"{root}/bin:{os.environ['PATH']}", BROKEN=case.broken,
                       TMPDIR=str(root / "temporary"))
    environment.pop("TALL_TEST_ALL", None)
    with subprocess.Popen([root / "tools" / "run-tests", *case.options], cwd=root, env=environment,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          start_new_session=True, preexec_fn=allow_signals) as process:
        if case.signal is not None:
            wait_until_ready(root)
            process.send_signal(case.signal)
        try:
            return process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return "none: it goes on"


def read(file):
    return file.read_text(encoding="utf-8") if file.exists() else ""


def check(run_tests, case):
    """Returns what is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        make_project(root, run_tests, case.signal is not None)
        # Another run's.
        other = tempfile.mkdtemp(prefix="tallorder-tests-", dir=root / "temporary")
        code = run(root, case)
        if case.signal is not None and not (root / "ended").exists():
            return "it does not wait for the end of what it has started"
        left = [name for name in set(read(root / "folders").split()) if os.path.exists(name)]
        for name in left:
            shutil.rmtree(name)
        left += [name for name in os.listdir(root / "temporary") if name != os.path.basename(other)]
        calls = "".join(line for line in read(root / "calls").splitlines(True) if line.startswith("test"))
        missing = [text for text in case.says if text not in calls]
        wrong = [text for text in case.says_not if text in calls]
        if (code, left, missing, wrong) != (case.code, [], [], []):
            return f"code {code}, left {left}, missing {missing}, wrong {wrong} in {calls!r}"
    return None


def main():
    print(f"1..{len(CASES)}")
    failed = 0
    for position, case in enumerate(CASES, 1):
        wrong = check(sys.argv[1], case)
        failed += wrong is not None
        print(f"{'ok' if wrong is None else 'not ok'} {position} {case.name}")
        if wrong is not None:
            print(f"# {wrong}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
