# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""What tools/run-tests leaves behind, with stand-ins for all that it calls. Prints TAP.

    run_tests.py RUN_TESTS
"""

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

# Leaves a file in the folder for temporary files, and tells its name.
MESON = """#!/bin/sh
[ "$1" = test ] || exit 0
echo data >"$TMPDIR/data" && echo "$TMPDIR" >>folders
"""

# Fills its folder and tells its name; then it is done, or waits until it is ended.
HBASE = """#!/usr/bin/python3
import pathlib, signal, sys
folder = pathlib.Path(sys.argv[sys.argv.index("--data") + 1])
(folder / "data").write_text("data")
ends = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
signal.pthread_sigmask(signal.SIG_BLOCK, ends)
with open("folders", "a") as names:
    print(folder, file=names)
if WAITS:
    with open("ready", "w") as ready:
        print("ready", file=ready)
    signal.sigwait(ends)
    sys.exit(1)
"""

# The signal that all get, as by Ctrl-C; how many folders there were; what the script ends with.
CASES = [
    ("done", None, 4, 0),
    ("hang-up", signal.SIGHUP, 3, 129),
    ("interrupted", signal.SIGINT, 3, 130),
    ("terminated", signal.SIGTERM, 3, 143),
]


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def make_project(root, run_tests, waits):
    (root / "temporary").mkdir()
    (root / "tools").mkdir()
    shutil.copy(run_tests, root / "tools" / "run-tests")
    for name in ("tools/install-packages", "tools/count-tests", "bin/ninja"):
        write_program(root / name, DONE)
    write_program(root / "bin" / "meson", MESON)
    (root / "tools" / "count-tests").write_text("", encoding="utf-8")
    write_program(root / "tools" / "hbase" / "hbase", HBASE.replace("WAITS", str(waits)))
    os.mkfifo(root / "ready")


def allow_signals():
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def wait_until_ready(root):
    ready = os.open(root / "ready", os.O_RDONLY | os.O_NONBLOCK)
    select.select([ready], [], [], PATIENCE)
    os.close(ready)


def run(root, number):
    environment = dict(os.environ, PATH=f"{root}/bin:{os.environ['PATH']}",
                       TMPDIR=str(root / "temporary"))
    with subprocess.Popen([root / "tools" / "run-tests"], cwd=root, env=environment,
                          stdout=subprocess.DEVNULL, start_new_session=True,
                          preexec_fn=allow_signals) as process:
        if number is not None:
            wait_until_ready(root)
            os.killpg(process.pid, number)
        try:
            return process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return "none: it goes on"


def check(run_tests, number, n_folders, code):
    """Returns what is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        make_project(root, run_tests, number is not None)
        # Another run's.
        other = tempfile.mkdtemp(prefix="tallorder-hbase-", dir=root / "temporary")
        got = run(root, number)
        folders = (root / "folders").read_text(encoding="utf-8").split()
        left = [name for name in folders if os.path.exists(name)]
        for name in left:
            shutil.rmtree(name)
        if (got, len(set(folders)), left) != (code, n_folders, []):
            return f"code {got}, folders {folders}, left {left}"
        if os.listdir(root / "temporary") != [os.path.basename(other)]:
            return f"in the temporary folder: {os.listdir(root / 'temporary')}"
    return None


def main():
    print(f"1..{len(CASES)}")
    failed = 0
    for position, (name, number, n_folders, code) in enumerate(CASES, 1):
        wrong = check(sys.argv[1], number, n_folders, code)
        failed += wrong is not None
        print(f"{'ok' if wrong is None else 'not ok'} {position} {name}")
        if wrong is not None:
            print(f"# {wrong}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
