# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C, SIGTERM and SIGHUP as one exception, so that "finally" runs whatever ends the command."""

import contextlib
import signal

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_state = {"deferred": False, "pending": None}


class Interrupted(BaseException):
    """Raised in the main thread by the first signal; later ones change nothing."""

    def __init__(self, number):
        super().__init__(number)
        self.number = number


def install():
    for number in SIGNALS:
        signal.signal(number, _handle)


def ignore():
    """Ignores all signals from here on, for the last steps."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _handle(number, _frame):
    ignore()
    if _state["deferred"]:
        _state["pending"] = number
    else:
        raise Interrupted(number)


@contextlib.contextmanager
def deferred():
    """Holds the exception back, for steps that belong together such as "start and note its id"."""
    _state["deferred"] = True
    try:
        yield
    finally:
        _state["deferred"] = False
    if _state["pending"] is not None:
        number, _state["pending"] = _state["pending"], None
        raise Interrupted(number)
