# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""A service that is told to stop while its disk stands still. Speaks TAP.

    hanging.py TALLORDER SOURCE_ROOT TALLORDER_HANGING

The last one is the program whose disk stands still when a test wants it (hang.c).
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from support import DONE, FAILED, ORDER, SECONDS, PROGRAM, Server, equal, main, new_store, run, test

HANGING = sys.argv[3]


def await_(condition, what):
    deadline = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"nothing has come of waiting: {what}")
        time.sleep(0.02)


def ready(url):
    """The status of /ready, and why it is not."""
    try:
        with urllib.request.urlopen(f"{url}/ready", timeout=SECONDS) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as reply:
        return reply.code, reply.read().decode()


@test
def a_call_that_hangs_does_not_keep_the_service(folder):
    """It ends by itself and says why, and what was acknowledged is there when it starts again."""
    store, hang = new_store(folder), f"{folder}/hang"
    with (tempfile.TemporaryFile("a+") as log,
          Server(store, "--metrics", "127.0.0.1:0", program=HANGING, stderr=log,
                 env={**os.environ, "TALL_HANG_WHEN": hang}) as server):
        def said():
            log.seek(0)
            return log.read()

        url = "http://" + re.search(r"HTTP on (\S+): /metrics", said())[1]
        await_(lambda: ready(url)[0] == 200, "a store that is ready")
        run("put", "--server", server.address, "-", stdin=ORDER).ends(DONE)
        open(hang, "w", encoding="utf-8").close()
        with subprocess.Popen([PROGRAM, "put", "--server", server.address, "-"],
                              stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as client:
            client.stdin.write(json.dumps(dict(ORDER, order_number="O2")))
            client.stdin.close()
            await_(lambda: not os.path.exists(hang), "a call that hangs")
            server.process.terminate()
            # nobody is sent to what stops, as long as its calls are waited for
            await_(lambda: ready(url) == (503, "not ready: the server stops\n"), "the stop")
            equal((server.process.wait(timeout=SECONDS), said().count("Calls were still running")),
                  (FAILED, 1))
            equal("stopped after " in said(), True)
            told = client.stderr.read()
            equal((client.wait(timeout=SECONDS), "may or may not have been done" in told), (FAILED, True))
    with Server(store) as server:
        run("get", "--server", server.address, "C1", "O1").ends(DONE)
        run("put", "--server", server.address, "-", stdin=dict(ORDER, order_number="O2")).ends(DONE)
        equal(server.stop(), 0)
    run("verify", "--store", store).ends(DONE, "sound")


if __name__ == "__main__":
    sys.exit(main())
