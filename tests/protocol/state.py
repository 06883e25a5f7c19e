# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""What is stored of an order, the calls that a table knows, and how they end."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Optional

from rows import newest
from variant import Variant

ROOT = "root"
CHILDREN = ("a", "b")      # an order has some of these rows beside its root row


class Lineage(NamedTuple):
    """Where a commit comes from: in the place of the claim's token, as a commit has no claim."""
    origin: Any                # the mark of who made the row; None where there are claims
    replaced: int              # the revision that it has replaced


class State(NamedTuple):
    """The state cell `s` of the root row. A digest is not modelled: counts alone must do."""
    live: bool
    revision: int              # committed; 0 if nothing ever was
    token: Any                 # of the commit
    pending: int               # revision claimed; 0 if nobody is writing
    pending_token: Any         # of the claim, or of the last one given up; else a Lineage
    n_children: int


class Root(NamedTuple):
    """What is known of a root row."""
    state: Optional[State] = None
    timestamp: int = 0         # of the state cell


NO_STATE = State(False, 0, None, 0, None, 0)


def find_root(cells):
    cell = newest(cells, "s")
    return Root(cell.value, cell.timestamp) if cell else Root()


# ---- Calls to the table ------------------------------------------------------------------------

@dataclass(frozen=True)
class Read:
    """One row; its visible cells come back."""
    row: str


@dataclass(frozen=True)
class Write:
    """Mutations of one row; None comes back, or LOST."""
    row: str
    mutations: tuple


@dataclass(frozen=True)
class WriteIf:
    """Mutations of the root row if its state is @expected (None: there is none). Comes back:
    True, or False for "did not match", or LOST."""
    expected: Optional[State]
    mutations: tuple


@dataclass(frozen=True)
class Choose:
    """No call: any number below @n comes back."""
    n: int


LOST = "LOST"              # the answer: it may have happened, or may still happen

# How a step ended, and what an operation answers.
DONE, AGAIN, UNKNOWN = "done", "again", "unknown"
NOT_DONE, CONFLICT, NOT_FOUND = "not done", "conflict", "not found"
DAMAGED, TORN = "damaged", "torn"


class Operation(NamedTuple):
    """One call of a client: who makes it, and where."""
    token: Any                 # his and only for this call
    clock: int                 # his machine's; it may be wrong
    claims: bool               # several rows: claim, children, commit. Or one row, and no claim
    no_is_final: bool          # the table: whether "did not match" can be believed
    variant: Variant
