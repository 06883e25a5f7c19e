# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""The decisions in the protocol, and what else each could have been."""

from dataclasses import dataclass
from typing import Optional


@dataclass(frozen=True)
class Variant:
    """What was decided, and what else it could have been. The defaults are what src/store does."""

    # What the next revision must exceed.
    next_after: tuple = ("revision", "pending", "timestamp")
    claim_token: bool = True           # each claim has a token of its own
    release: str = "marked"            # of a claim: its token stays | "restore" what was before
    #                                    | "remove" the state cell | "never"
    leftovers: str = "remove"          # what claims that came to nothing have written | "keep"
    #                                    | "all": also what stands below them
    children: str = "acknowledged"     # before the commit is sent | "unacknowledged"
    after_no: str = "look"             # after "did not match" | "trust" it and begin again
    after_lost: str = "lineage"        # somebody else's state is there: that decides, as after
    #                                    "did not match" | "unknown" | "conflict" | "again"
    stale: str = "unknown"             # what settles is older than what was expected | "believed"
    ours_by: str = "token"             # by what a commit knows itself | "revision"
    certain_by: str = "lineage"        # that it never happened | "revision" | "never"
    creation_by: str = "origin"        # for a new row | "lineage", as for others
    creation_of: str = "one row"       # has a mark | "all": a claim's token is taken for one
    unmarked: str = "unknown"          # who made a row without a mark | "not ours"
    #                                    | "marked": the next commit gives it one
    tombstone: bool = True             # a delete leaves one | False: nothing is left of the row
    clean_up: str = "after"            # the commit | "before" it
    dead: str = "what is older"        # than a commit | "what was replaced" by it, and older
    counts: str = "at the revision"    # which cell a reader takes | "up to it" | "newest"
    reader: str = "root again"         # what is in pieces is damaged if the root has not moved
    #                                    meanwhile | "first root": if it is that of the first look
    #                                    | "at once" | "no counts": whatever is there is the order
    together: str = "all"              # that a commit brings and removes is one step, where the table
    #                                    can do that | "new rows": old ones stay
    together_with: str = "no lies"     # where "did not match" can be believed | "lies": also elsewhere
    hint: str = "before"               # the commit, and acknowledged | "after" it | "once": one of
    #                                    an earlier try will do, whatever has happened since
    hint_removal: str = "replaced"     # up to the revision that was replaced | "anything"
    caller: str = "looked for"         # whether the caller's put is there already | "ignored"
    versions: Optional[int] = None     # kept of a cell; None: all

    # ---- Load
    bulk_revision: str = "below"       # all that others choose, and larger than an earlier load's |
    #                                    "falls": smaller | "same" | "above": as others' clocks say
    bulk_order: str = "root last"      # | "root first"
    bulk_children: str = "acknowledged"     # before the root is sent | "unacknowledged"
    bulk_hint: str = "before"          # the root | "after" it
    bulk_reads_back: str = "versions"  # of the state | "the newest" | "nothing"
    bulk_looks: bool = True            # what is there already | False: everything is new
    bulk_collision: str = "withdrawn"  # what is in another order's row, whichever versions that has |
    #                                    "neighbour": the two newest count | "replaces": it stays
    bulk_shut: str = "perhaps done"    # a root row that was sent before the tables were shut | "not done"
    bulk_again: str = "states first"   # after that, as when they are read back | "as a stranger": its own
    #                                    is somebody else's | "goes on" with the root row

    # ---- Repair
    repair: str = "keeps the origin"   # of the lineage, in its claim of a row without children
    #                                    | "token": as every claim | "same": as it was, so that it
    #                                    can return | "no claim"
    repair_after: str = "all"          # whose revision comes after what was seen | "root": only there
    repair_removes: str = "what was seen"   # | "up to them": also what is older

    # ---- Erase
    erase: str = "tombstone first"     # then what lies beside it goes | "no tombstone": at once
    erase_after: str = "all"           # whose revision comes after what was seen | "root": only there
    erase_removes: str = "up to it"    # what is not newer than the tombstone | "anything"

    # ---- A copy of a migration
    copied_revision: str = "kept"      # | "new": the next one
    copied_token: str = "kept"         # | "new"
    copied_tombstones: str = "copied"  # | "left": what is deleted is not copied | "erased": nor what
    #                                    was copied before
    copied_order: str = "root last"    # | "root first": children after it
    copied_children: str = "acknowledged"   # before the root is written | "unacknowledged"
    copied_hint: str = "before"        # the root | "after" it | "none"
    copied_removal: str = "replaced"   # of the hint of an older copy: up to its revision | "anything"
    taken_back: str = "its own"        # revision, by a copy that a later one has overtaken | "the other's"
    overtaken_by: str = "revision"     # a later one | "timestamp" of the state: also by a claim
    removes: str = "while it copies"   # by the record | "whenever": a copy that is late
    copied_claims: str = "dropped"     # | "kept"
    copied_lineage: str = "at most"    # replaced = R − 1: nothing else is the same for ever | "where
    #                                    claims are": as it is in a source without them | "as it is":
    #                                    also if no claim has taken its place | "none": 0 if one has
    copied_over: str = "what is older" # in the target | "anything"
    copied_ids: str = "the first"      # that was given counts | "each its own": of a migrator
    expired: str = "nothing"           # to copy, where the TTL has taken cells | "unreadable"
    expires_in: str = "all"            # generations at once | "source": earlier than in the target
    collisions: str = "remembered"     # another order has the target's row, or was copied there | "found":
    #                                    has it | "ignored"
    remembers: str = "what is there"   # in the target, for certain | "what was sent"
    compare: str = "state"             # of source and target: all of what is committed
    #                                    | "revision": alone | "there": whatever is there is right

    # ---- A migrator
    last_pass: str = "sealed"          # when the last pass runs | "before": the seal | "never"
    read_fence: str = "close"          # | "none": the source can be read on
    close_order: str = "before switch"      # | "after switch"
    opens: str = "open"                # what is closed | "seal": that, too | "unseal": that, too
    seal_refuses: str = "every write"  # | "conditions": only those with one
    seal_check: str = "all"            # tables, after the close, by the token of the seal | "first" |
    #                                    "none"
    close_tables: str = "all"          # | "first"
    seal_token: str = "each call"      # | "one": the same for all seals of a migration
    seal_answer: str = "looked up"     # when it is lost | "believed": that it will have been done
    reopened: str = "refused"          # another migration of what an abort has opened, or may still
    #                                    open | "close" it alone
    generations: str = "new"           # for each attempt | "reused"
    record_write: str = "if unchanged" # | "plain": the last one wins

    # ---- A deployment that is dropped, and made again under its name
    numbers: str = "go on"             # of its generations | "again": from the first one
    steps: str = "of one deployment"   # a write of the record compares its id, too | "of any"

    # ---- An abort
    abort: str = "marked"              # the record says that tables may be opened late | "unmarked"
    abort_first: str = "record"        # what an abort changes first | "tables": they, then the record

    # ---- Everybody else, while a migration goes on
    after_shut: str = "settle"         # what became of a commit that was sent before the tables were shut
    #                                    | "again": as if it never happened
    settle_moved: str = "revision"     # certain that it was not done: what is there now is older, or
    #                                    replaced something older | "token": unless it is ours
    give_up: str = "careful"           # after a refused commit, behind a gateway that repeats calls:
    #                                    unknown | "refused": not done | "looked": once it was not found
    moved_hint: str = "written again"  # in the target | "believed": the one in the source will do
    record: str = "read again"         # after SHUT | "guess": the other tables, as soon as they are shut
