#!/usr/bin/python3
# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Builds and runs the Go program of the README, by the commands that stand above it. Speaks TAP.

    check_go.py TALLORDER SOURCE_ROOT
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
SECONDS = 900
ORDER = ('{"customer_number":"VINET","order_number":"10248","shipping_locations":[{"number":1,'
         '"line_items":[{"number":1,"item_number":"11"}]}]}')


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False, **options)


def check(name, done, code, text):
    said = done.stdout + done.stderr
    good = done.returncode == code and re.search(text, said) is not None
    print("ok" if good else "not ok", name, flush=True)
    for line in [] if good else said.splitlines():
        print(f"# {line}", flush=True)
    return good


def main(folder):
    readme = (SOURCE / "src/service/client/README.md").read_text("utf-8")
    (commands,) = re.findall(r"^```sh\n(go mod init.*?)^```", readme, re.M | re.S)
    (code,) = re.findall(r"^```go\n(.*?)^```", readme, re.M | re.S)
    store = f"rocksdb:{folder}/store"
    go = pathlib.Path(folder, "shop")
    go.mkdir()
    os.symlink(SOURCE / "idl", go / "idl")
    print("1..3", flush=True)
    run(PROGRAM, "init", "--store", store)
    run(PROGRAM, "put", "--store", store, "-", input=ORDER)
    with subprocess.Popen([PROGRAM, "serve", "--store", store, "--listen", "127.0.0.1:0"],
                          stdout=subprocess.PIPE, text=True) as server:
        try:
            address = server.stdout.readline().split()[2]
            (go / "main.go").write_text(code.replace("127.0.0.1:7654", address), "utf-8")
            environment = {**os.environ, "GOFLAGS": "-buildvcs=false",
                           "PATH": os.environ["PATH"] + ":/usr/lib/go/bin"}
            environment.setdefault("HOME", folder)
            good = check("the commands", run("sh", "-ec", commands + "go build -o fetch .\n", cwd=go,
                                             env=environment), 0, "")
            good &= check("the order", run(go / "fetch"), 0, r"^\d+ 1 11\n$")
            run(PROGRAM, "delete", "--server", address, "VINET", "10248")
            good &= check("the error", run(go / "fetch"), 1, "NOT_FOUND: ")
        finally:
            server.terminate()
    return 0 if good else 1


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        sys.exit(main(temporary))
