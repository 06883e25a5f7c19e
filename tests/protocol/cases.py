# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""What is explored: what must hold with the protocol as it is, and what must be found out.

A case that holds has to hold for all its clocks. A broken one has a variant of the protocol in
which one decision is another, and the reason why it was not decided so; it must be found with one
of its clocks, by the check that it names.
"""

from case import (ALONE, DELETE, ERASE, FINDS, GET, LEFT, MORE_CLOCKS, ONE, OTHER, REPAIR, TOLD, TWICE, TWO,
                  UNLISTED, Case, again, apart, collide, each, earlier, insert, load, put, replace)
from explore import Faults
from variant import Variant

# ---- What holds --------------------------------------------------------------------------------

CLAIMS = [
    ("two puts and a get", ((put("x", TWO),), (put("y", OTHER),), (GET,)), Faults()),
    ("two inserts and a get", ((insert("x", TWO),), (insert("y", OTHER),), (GET,)), Faults()),
    ("two replace what both have seen",
     ((put("x"),), (GET, replace("y")), (GET, replace("z"))), Faults()),
    ("two gets while it is replaced", ((put("x", TWO), put("y", OTHER)), (GET, GET)), Faults()),
    ("two gets while it is deleted and made again",
     ((put("x", TWO), DELETE, put("y", OTHER)), (GET, GET)), Faults()),
    ("put, delete and insert beside a put, an answer lost",
     ((put("x", TWO), DELETE, insert("y", OTHER)), (put("z"),)), Faults(lost=1)),
    ("two puts, two answers lost", ((put("x", TWO),), (put("y", OTHER),)), Faults(lost=2)),
    ("two puts and a delete, one lie, compacted",
     ((put("x"),), (put("y"),), (DELETE,)), Faults(lies=1, compactions=1)),
    ("put and delete beside a replace, one lie",
     ((put("x"), DELETE), (GET, replace("y"))), Faults(lies=1)),
    ("two puts, two misses", ((put("x", TWO),), (put("y", OTHER),)), Faults(misses=2)),
    ("three puts", ((put("x", TWO),), (put("y", OTHER),), (put("z"),)), Faults()),
    ("put and delete beside a put, one lie, a stale read",
     ((put("x"), DELETE), (put("y"),)), Faults(lies=1, stale=1)),
]
ONE_ROW = [
    ("two puts and a delete, one lie, compacted",
     ((put("x"),), (put("y"),), (DELETE,)), Faults(lies=1, compactions=1)),
    ("three puts and two gets, two lies",
     ((put("x"), put("y")), (put("z"),), (GET, GET)), Faults(lies=2)),
    ("insert beside put, delete, put, and a get, an answer lost, one lie",
     ((insert("x"),), (put("y"), DELETE, put("z")), (GET,)), Faults(lost=1, lies=1)),
    ("four writers, two lies",
     ((insert("x"),), (put("y"), put("z")), (put("w"), GET)), Faults(lies=2)),
    ("two deletes and an insert, one lie",
     ((insert("x"),), (put("y"), DELETE), (DELETE,), (GET,)), Faults(lies=1)),
    ("two inserts, two answers lost",
     ((insert("x"),), (insert("y"), DELETE), (put("z"),)), Faults(lost=2)),
    ("put and get beside insert, delete and put, every fault",
     ((put("x"), GET), (insert("y"), DELETE), (put("z"),)),
     Faults(lost=1, lies=1, compactions=1)),
    ("insert, put and delete, two misses, one lie",
     ((insert("x"),), (put("y"),), (DELETE, GET)), Faults(lies=1, misses=2)),
    ("put and replace beside a put, one lie, a stale read",
     ((put("x"), put("y"), GET), (put("z"), GET)), Faults(lies=1, stale=1)),
    ("put and replace beside a put, an answer lost, a stale read",
     ((put("x"), put("y"), GET), (put("z"), GET)), Faults(lost=1, stale=1)),
]
# With an index an insert of one row reads first; values x and z have one date, y another.
INDEX = [
    ("two inserts, a put and a delete, two answers lost",
     ((insert("x"),), (insert("y"), DELETE), (put("z"),)), Faults(lost=2)),
    ("two inserts and a delete, one lie, one miss, compacted",
     ((insert("x"), GET), (insert("y"), DELETE), (GET,)),
     Faults(lies=1, compactions=1, misses=1)),
    ("put, put of another date and delete beside a put, an answer lost",
     ((put("x"), put("y"), DELETE), (put("z"),)), Faults(lost=1)),
    ("put and put of another date beside a put, one lie",
     ((put("x"), put("y")), (put("z"), GET)), Faults(lies=1)),
]
INDEX_CLAIMS = [
    ("put and put of another date beside a put",
     ((put("x"), put("y")), (put("z"),)), Faults()),
    ("put and delete beside a put, an answer lost", ((put("x"), DELETE), (put("y"),)), Faults(lost=1)),
]
TOKENS = [
    ("three times, two answers lost", ((again("x"),), (again("x"),), (again("x"), GET)),
     Faults(lost=2)),
    ("twice, an answer lost, a lie, compacted", ((again("x"), again("x")), (again("x"), GET)),
     Faults(lost=1, lies=1, compactions=1)),
    ("twice beside a put, an answer lost", ((again("x"), again("x")), (put("y"), GET)),
     Faults(lost=1)),
]
TOKENS_CLAIMS = [
    ("twice, an answer lost", ((again("x"),), (again("x"), GET)), Faults(lost=1)),
]
LONG_TOKENS = [
    ("twice beside a put", ((again("x"),), (again("x"),), (put("y"),)), Faults()),
]
# Beside an earlier version. A creation whose answer is lost, or may be false, is “unknown” there.
UNMARKED = [
    ("a put beside a put and three gets, an answer lost",
     ((put("x"),), (earlier(put("y")),), (GET, GET, GET)), Faults(lost=1)),
    ("an insert beside put, delete and put, two answers lost",
     ((insert("x"),), (earlier(put("y")), DELETE, put("z"))), Faults(lost=2)),
    ("an insert and a put beside a put, two lies",
     ((insert("x"),), (put("z"), GET), (earlier(put("y")),)), Faults(lies=2)),
    ("its delete and put beside a put and a get, an answer lost, one lie",
     ((put("x"),), (earlier(DELETE), earlier(put("y"))), (GET, GET)), Faults(lost=1, lies=1)),
]
# An erase beside writers, of what they have left or are about to commit.
ERASED = [
    ("put and delete beside a put of another date and an erase",
     ((put("x"), DELETE), (put("y"),), (ERASE,)), Faults()),
    ("an insert beside get, delete and an erase, an answer lost",
     ((insert("x"),), (GET, DELETE), (ERASE,)), Faults(lost=1)),
    ("put and delete beside two erases, one lie, compacted",
     ((put("x"), DELETE), (ERASE, ERASE)), Faults(lies=1, compactions=1)),
    ("put, delete and put beside an erase, one lie, a stale read",
     ((put("x"), DELETE, put("z")), (ERASE, GET)), Faults(lies=1, stale=1)),
]
ERASED_CLAIMS = [
    ("a put beside a delete and an erase", ((put("x", TWO),), (DELETE,), (ERASE,)), Faults()),
    ("put and delete beside an erase, an answer lost", ((put("x"), DELETE), (ERASE, GET)), Faults(lost=1)),
]
ERASED_INDEX_CLAIMS = [
    ("a put beside an erase and a delete", ((put("x"),), (ERASE, DELETE)), Faults()),
    ("a load beside an erase, an answer lost", ((load("x", 1), GET), (ERASE,)), Faults(lost=1)),
]
LONG_ERASED_CLAIMS = [
    ("a put beside delete, put and an erase",
     ((put("x", TWO),), (DELETE, put("y", OTHER)), (ERASE,)), Faults()),
    ("put and delete beside a put and an erase", ((put("x"), DELETE), (put("y"),), (ERASE,)), Faults()),
    ("put and delete beside an erase and a repair, one lie",
     ((put("x"), DELETE), (ERASE,), (REPAIR,)), Faults(lies=1)),
]
# A repair beside writers; what is left behind for it comes from those that fail or are overtaken.
REPAIRED = [
    ("put and delete beside a put and a repair, an answer lost",
     ((put("x"), DELETE), (put("z"),), (REPAIR,)), Faults(lost=1)),
    ("put and delete beside a put of another date and a repair, one lie",
     ((put("x"), DELETE), (put("y"),), (REPAIR,)), Faults(lies=1)),
    ("an insert beside get, delete and a repair, an answer lost",
     ((insert("x"),), (GET, DELETE), (REPAIR,)), Faults(lost=1)),
    ("a put beside delete, put and two repairs",
     ((put("x"),), (DELETE, put("y")), (REPAIR,), (REPAIR,)), Faults()),
    ("a put beside get, delete, put and a repair, an answer lost",
     ((put("x"),), (GET, DELETE, put("y")), (REPAIR,)), Faults(lost=1)),
    ("a put beside put and a repair, compacted, an answer lost",
     ((put("x"),), (put("y"),), (REPAIR,)), Faults(lost=1, compactions=1)),
]
REPAIRED_CLAIMS = [
    ("a put beside a put and a repair", ((put("x", TWO),), (put("y", OTHER),), (REPAIR,)), Faults()),
    ("put and put beside a repair, an answer lost",
     ((put("x"), put("y", OTHER)), (REPAIR,)), Faults(lost=1)),
    ("put, delete and get beside a repair, one lie",
     ((put("x"), DELETE, GET), (REPAIR,)), Faults(lies=1)),
]
REPAIRED_INDEX_CLAIMS = [
    ("put and put of another date beside a repair, an answer lost",
     ((put("x"), put("y")), (REPAIR,)), Faults(lost=1)),
]
LONG_REPAIRED_CLAIMS = [
    ("a put beside two repairs, two answers lost",
     ((put("x"),), (REPAIR,), (REPAIR,)), Faults(lost=2)),
]
# A load beside those who write: its own calls may be late, too, and it is begun again as another.
LOADS = [
    ("a load beside a put and a get, an answer lost",
     ((load("x", 1),), (put("y"),), (GET,)), Faults(lost=1)),
    ("a load beside an insert, one lie, and gets", ((load("x", 1),), (insert("y"), GET), (GET,)),
     Faults(lies=1)),
    ("a load beside put and delete, an answer lost, compacted",
     ((load("x", 1),), (put("y"), DELETE)), Faults(lost=1, compactions=1)),
    ("a load beside put, delete and put, an answer lost",
     ((load("x", 1), GET), (put("y"), DELETE, put("z"))), Faults(lost=1)),
    ("a load begun again, two answers lost, and a get",
     ((load("x", 1), load("x", 2, over=("x",))), (GET, GET)), Faults(lost=2)),
    ("a load that goes on beside the same, and a put", ((load("x", 1),), (load("x", 2, over=("x",)),),
     (put("y"), GET)), Faults()),
    ("two loads of two contents, an answer lost, and gets",
     ((load("x", 1),), (load("y", 2, over=("x",)),), (GET, GET)), Faults(lost=1)),
    ("two loads of two contents beside get and delete",
     ((load("x", 1),), (load("y", 2, over=("x",)),), (GET, DELETE, GET)), Faults()),
    ("a load beside a put and a replace, a stale read, an answer lost",
     ((load("x", 1), GET), (put("y"),), (GET, replace("z"))), Faults(lost=1, stale=1)),
]
COLLIDING_LOADS = [
    ("two loads of two orders of one row", ((collide("x", 1),), (collide("Y", 2),)), Faults()),
    ("three loads of two orders of one row",
     ((collide("x", 1),), (collide("Y", 2),), (collide("Z", 3, over=("Y",)),)), Faults()),
]
COLLIDING_CLAIMS = [
    ("two loads of two orders of one row, an answer lost",
     ((collide("x", 1, TWO),), (collide("Y", 2, OTHER),)), Faults(lost=1)),
]
LOADS_INDEX = [
    ("a load beside put and delete of another date, an answer lost",
     ((load("x", 1),), (put("y"), DELETE)), Faults(lost=1)),
    ("a load beside get, put of another date and put, an answer lost",
     ((load("x", 1),), (put("y"), put("z"))), Faults(lost=1)),
    ("a load beside get, delete and a repair, an answer lost",
     ((load("x", 1),), (GET, DELETE), (REPAIR,)), Faults(lost=1)),
]
LOADS_CLAIMS = [
    ("a load beside a put and a get", ((load("x", 1),), (put("y", OTHER),), (GET,)), Faults()),
    ("a load beside a put, an answer lost",
     ((load("x", 1, TWO),), (put("y", OTHER),)), Faults(lost=1)),
    ("a load beside an insert, an answer lost, compacted",
     ((load("x", 1),), (insert("y"),)), Faults(lost=1, compactions=1)),
    ("a load beside put and delete, one lie",
     ((load("x", 1),), (put("y"), DELETE)), Faults(lies=1)),
    ("a load begun again beside a put, an answer lost",
     ((load("x", 1), load("x", 2, over=("x",))), (put("y"),)), Faults(lost=1)),
    ("two loads of two contents beside a get, an answer lost",
     ((load("x", 1, TWO),), (load("y", 2, OTHER, over=("x",)),), (GET,)), Faults(lost=1)),
    ("two loads of two contents beside a delete",
     ((load("x", 1, TWO),), (load("y", 2, OTHER, over=("x",)),), (DELETE,)), Faults()),
    ("a load beside a repair, an answer lost", ((load("x", 1), GET), (REPAIR,)), Faults(lost=1)),
    ("a load beside a put, a stale read",
     ((load("x", 1), GET), (put("y"),)), Faults(stale=1)),
]
LONG_LOADS_CLAIMS = [
    ("a load beside a put, two answers lost",
     ((load("x", 1, TWO),), (put("y", OTHER),)), Faults(lost=2)),
    ("a load beside a put and a repair", ((load("x", 1),), (put("y"),), (REPAIR,)), Faults()),
    ("a load beside a put, a stale read, one lie",
     ((load("x", 1), GET), (put("y"),)), Faults(lies=1, stale=1)),
    ("two loads beside a put and a get, an answer lost",
     ((load("x", 1),), (load("y", 2, OTHER, over=("x",)),), (put("z"),), (GET,)), Faults(lost=1)),
    ("a load beside two puts, an answer lost",
     ((load("x", 1),), (put("y"),), (put("z"),)), Faults(lost=1)),
]
LOADS_INDEX_CLAIMS = [
    ("a load beside put and delete of another date", ((load("x", 1),), (put("y"), DELETE)), Faults()),
    ("a load begun again beside a put of another date",
     ((load("x", 1), load("x", 2, over=("x",))), (put("y"),)), Faults()),
]
# Where the table changes several rows in one step, beside those whose orders have too many for that.
TOGETHER = [
    ("two puts and a get", ((put("x", TWO),), (put("y", OTHER),), (GET,)), Faults()),
    ("two inserts and two gets", ((insert("x", TWO),), (insert("y", OTHER),), (GET, GET)), Faults()),
    ("two replace what both have seen",
     ((put("x"),), (GET, replace("y")), (GET, replace("z"))), Faults()),
    ("two gets while it is deleted and made again",
     ((put("x", TWO), DELETE, put("y", OTHER)), (GET, GET)), Faults()),
    ("put, delete and insert beside a put, two answers lost",
     ((put("x", TWO), DELETE, insert("y", OTHER)), (put("z"),)), Faults(lost=2)),
    ("two puts and a delete, an answer lost, compacted",
     ((put("x"),), (put("y"),), (DELETE,)), Faults(lost=1, compactions=1)),
    ("a put beside one with claims and a get",
     ((put("x", TWO),), (apart(put("y", OTHER)),), (GET,)), Faults()),
    ("put and delete beside a put with claims, an answer lost",
     ((put("x"), DELETE), (apart(put("z", TWO)),)), Faults(lost=1)),
    ("a put with claims and its replacement, beside a put with claims",
     ((apart(put("x", TWO)), put("y")), (apart(put("z")),)), Faults()),
    ("a put beside a load and a delete, an answer lost",
     ((put("x"),), (load("y", 1, OTHER),), (DELETE,)), Faults(lost=1)),
    ("a put beside a put with claims and a repair",
     ((put("x"),), (apart(put("y")),), (REPAIR,)), Faults()),
    ("put and put beside two repairs, an answer lost",
     ((put("x"), put("y", OTHER)), (REPAIR,), (REPAIR,)), Faults(lost=1)),
]
TOGETHER_INDEX = [
    ("two inserts, a put and a delete, two answers lost",
     ((insert("x"),), (insert("y"), DELETE), (put("z"),)), Faults(lost=2)),
    ("put and put of another date beside a put and a get, an answer lost",
     ((put("x"), put("y")), (put("z"), GET)), Faults(lost=1)),
    ("put, delete and put beside a repair, an answer lost",
     ((put("x"), DELETE, put("z")), (REPAIR,)), Faults(lost=1)),
    ("a load beside put, put of another date and a get",
     ((load("x", 1),), (put("y"), put("z")), (GET,)), Faults(lost=1)),
]
TOGETHER_INDEX_CLAIMS = [
    ("put and put of another date beside a put with claims",
     ((put("x"), put("y")), (apart(put("z")),)), Faults()),
    ("put and delete beside a put of another date, an answer lost",
     ((put("x"), DELETE), (put("y"),)), Faults(lost=1)),
    ("put and put of another date beside a repair, an answer lost",
     ((put("x"), put("y")), (REPAIR,)), Faults(lost=1)),
]
TOGETHER_TOKENS = [
    ("twice beside a put, an answer lost", ((again("x"), again("x")), (put("y"), GET)),
     Faults(lost=1)),
]
LONG_CLAIMS = [
    ("two puts and a get, an answer lost, compacted",
     ((put("x"),), (put("y"),), (GET,)), Faults(lost=1, compactions=1)),
    ("two puts, three answers lost", ((put("x", TWO),), (put("y", OTHER),)), Faults(lost=3)),
    ("two puts and a delete, two answers lost",
     ((put("x"),), (put("y"),), (DELETE,)), Faults(lost=2)),
    ("three puts, an answer lost", ((put("x"),), (put("y"),), (put("z"),)), Faults(lost=1)),
    ("three puts, two lies", ((put("x"),), (put("y"),), (put("z"),)), Faults(lies=2)),
    ("put and put beside a put and a get",
     ((put("x"), put("y")), (put("z"),), (GET,)), Faults()),
    ("put and delete beside an insert and a get",
     ((put("x", TWO), DELETE), (insert("y", OTHER),), (GET,)), Faults()),
    ("put and put beside a put and two gets, two lies",
     ((put("x"), put("y")), (put("z"),), (GET, GET)), Faults(lies=2)),
    ("put, replace and delete, two lies",
     ((put("x"),), (GET, replace("y")), (DELETE,)), Faults(lies=2)),
    ("put, delete and insert beside an insert, an answer lost, one lie",
     ((put("x"), DELETE, insert("y")), (insert("z"),)), Faults(lost=1, lies=1)),
]
LONG_ONE_ROW = [
    ("two inserts beside get, replace and delete, an answer lost, two lies",
     ((insert("x"),), (insert("y"),), (GET, replace("z"), DELETE)), Faults(lost=1, lies=2)),
]


# ---- What else would hold ----------------------------------------------------------------------

def also_holds(name, why, clients, claims, faults, **decision):
    return Case(f"also/{name}", clients, claims, faults, why=why, variant=Variant(**decision))


ALSO = [
    also_holds("claims are never given up", "Others then wait for the patience, and nothing else.",
               ((put("x"),), (put("y"),)), True, Faults(lost=2), release="never"),
    also_holds("what an abandoned claim has written stays",
               "It is never seen as long as all versions are kept; but it would pile up until a commit.",
               ((put("x", TWO),), (put("y", OTHER),), (GET,)), True, Faults(), leftovers="keep"),
    also_holds("after a lost answer nothing is certain",
               "Right, but many an answer is “unknown” that need not be.",
               ((put("x"), put("w")), (put("y"),), (GET, GET)), False, Faults(lost=1),
               after_lost="unknown"),
    also_holds("after a lie nothing is certain",
               "Right, but many an answer is “unknown” that need not be.",
               ((put("x"), put("w")), (put("y"),), (GET, GET)), False, Faults(lies=1),
               certain_by="never"),
    also_holds("all are said to be new, and some were deleted, one row",
               "They lie below a tombstone, which is found by reading back.",
               ((put("x"), DELETE, load("y", 1), GET),), False, Faults(lost=1, compactions=1),
               bulk_looks=False),
    also_holds("all are said to be new, and some were deleted, several rows", "The same.",
               ((put("x", TWO), DELETE, load("y", 1, OTHER), GET),), True, Faults(lost=1),
               bulk_looks=False),
    also_holds("all are said to be new, and two of one load have one row", "The second is refused.",
               ((collide("x", 1, TWO), collide("Y", 2, OTHER)),), True, Faults(lost=1), bulk_looks=False),
    also_holds("nobody but loads writes, and they read nothing, one row",
               "The promise of whoever loads.",
               ((load("x", 1), GET), (load("x", 2), GET)), False, Faults(lost=2, compactions=1),
               bulk_looks=False, bulk_reads_back="nothing"),
    also_holds("nobody but loads writes, and they read nothing, several rows",
               "The promise of whoever loads.",
               ((load("x", 1), GET), (load("x", 2),)), True, Faults(lost=1),
               bulk_looks=False, bulk_reads_back="nothing"),
]


# ---- What is broken ----------------------------------------------------------------------------

def broken(name, why, found, clients, claims, faults, index=False, in_one_step=False, **decision):
    return Case(f"broken/{name}", clients, claims, faults, why=why, variant=Variant(**decision),
                found=found, index=index, together=in_one_step)


BROKEN_CLAIMS = [
    broken("the next revision ignores what is pending",
           "Two claims get one revision, and the children of both lie at it.",
           FINDS, ((put("x", TWO),), (put("y", OTHER),)), True, Faults(),
           next_after=("revision",)),
    broken("the next revision ignores the state cell's timestamp",
           "A claim given up hides what a writer with a slower clock writes: he is locked out.",
           ALONE, ((put("x"),), (put("y"),)), True, Faults(lost=2),
           next_after=("revision", "pending")),
    broken("claims have no token",
           "Two claims are equal, and both writers believe that it is theirs.",
           FINDS, ((put("x"),), (put("y"),)), True, Faults(), claim_token=False),
    broken("a claim is given up by removing the state cell",
           "Its delete marker hides what a writer with a slower clock writes: he is locked out.",
           ALONE, ((put("x"),), (put("y"),)), True, Faults(lost=2), release="remove"),
    broken("a claim is given up by restoring what was there",
           "Its bytes are those that a slow writer expects, whose children are gone by now.",
           FINDS, ((put("x"),), (put("y"),)), True, Faults(lost=2), release="restore"),
    broken("the commit does not wait for the children",
           "What was never written is missing in a committed order.",
           FINDS, ((put("x"),),), True, Faults(lost=2), children="unacknowledged"),
    broken("old children go before the commit",
           "The committed order loses them while it still is the one to be read.",
           FINDS, ((put("x"), put("y")), (GET,)), True, Faults(), clean_up="before"),
    broken("a commit removes no more than what it has replaced",
           "What was claimed or given up in between stays, and every get reads it.",
           LEFT, ((put("x"),), (put("y"),)), True, Faults(lost=2), dead="what was replaced",
           leftovers="keep"),
    broken("what is older goes with what an abandoned claim has written",
           "The committed order loses its children while it still is the one to be read.",
           FINDS, ((put("x"), put("y")), (put("z"),)), True, Faults(), leftovers="all"),
    broken("one version of a cell is kept",
           "A slow writer's children push out the committed ones.",
           FINDS, ((put("x"),), (put("y"),)), True, Faults(), versions=1),
    broken("two versions of a cell are kept",
           "Two slow writers' children push out the committed ones.",
           FINDS, ((put("x"),), (put("y"),), (put("z"),)), True, Faults(), versions=2),
    broken("a delete knows itself by its revision",
           "A put may have chosen the same: the delete is told done, and another's order is there.",
           FINDS, ((put("x"), DELETE), (GET, replace("z"))), True, Faults(), ours_by="revision"),
    broken("a delete leaves nothing",
           "Its marker hides the next order of a writer with a slower clock.",
           ALONE, ((put("x"), DELETE), (put("z"),)), True, Faults(), tombstone=False),
    broken("a reader takes the newest cells",
           "They are of a revision that is not committed, and may never be.",
           FINDS, ((put("x"),), (put("y"),)), True, Faults(), counts="newest"),
    broken("a reader takes cells up to the revision",
           "What has been replaced shows through where the new revision has nothing.",
           FINDS, ((put("x", TWO), put("y")),), True, Faults(), counts="up to it"),
    broken("a reader believes the first look",
           "Root and children of different moments look damaged.",
           TOLD, ((put("x", TWO), put("y", OTHER)), (GET,)), True, Faults(), reader="at once"),
    broken("a reader judges by the root that he read first",
           "The commit that he has met twice may be gone from under him meanwhile.",
           TOLD, ((put("x", TWO), put("y", OTHER), put("z")), (GET,)), True, Faults(),
           reader="first root"),
    broken("a reader does not count the children",
           "What he gets is a part of the order.",
           TOLD, ((put("x", TWO), put("y", OTHER)), (GET,)), True, Faults(), reader="no counts"),
]
BROKEN_ONE_ROW = [
    broken("did not match is believed",
           "A gateway repeats calls: what was done is told as not done, or done twice.",
           FINDS, ((put("x"),), (put("y"),)), False, Faults(lies=1), after_no="trust"),
    broken("a lost commit that is gone is told as a conflict",
           "It was done, and somebody has read it.",
           TOLD, ((put("w"), put("x")), (put("y"),), (GET,)), False, Faults(lost=1),
           after_lost="conflict"),
    broken("a lost commit that is gone is done again in silence",
           "It was done, read and replaced, and comes back.",
           TOLD, ((put("w"), put("x")), (put("y"),), (GET, GET, GET)), False, Faults(lost=1),
           after_lost="again"),
    broken("a commit knows itself by its revision",
           "A writer with a slow clock takes for his what another has written.",
           ALONE, ((put("x"),), (put("y"),)), False, Faults(), ours_by="revision"),
    broken("a lie is settled by the revision alone",
           "Another revision is there: so it was not done, or it was, and has been replaced.",
           TOLD, ((put("x"), put("w")), (put("y"),), (GET, GET)), False, Faults(lies=1),
           certain_by="revision"),
    broken("a stale read settles a lie",
           "What was replaced seems to be there, older than the commit: so that seems not done.",
           FINDS, ((put("x"), put("y"), put("z")),), False, Faults(lies=1, stale=1),
           stale="believed"),
    broken("a stale read settles a lost answer",
           "What was replaced seems to be there, older than the commit: so that seems not done.",
           FINDS, ((put("x"), put("y"), put("z")),), False, Faults(lost=1, stale=1),
           stale="believed"),
    broken("who made the row is not known",
           "A writer with a slow clock who guesses that there is no row is never certain.",
           ALONE, ((put("x"),), (put("y"),)), False, Faults(lies=1), creation_by="lineage"),
    broken("a row without a mark is not ours, after a lost answer",
           "An earlier version has replaced what we made, and took no mark over.",
           FINDS, UNMARKED[0][1], False, Faults(lost=1), unmarked="not ours"),
    broken("a row without a mark is not ours, after a lie",
           "An earlier version has replaced what we made, and took no mark over.",
           FINDS, UNMARKED[0][1], False, Faults(lies=1), unmarked="not ours"),
    broken("a row without a mark is given one",
           "He who made it finds another's, and takes what he has done for not done.",
           FINDS, ((put("x"),), (earlier(put("y")),), (put("z"),), (GET,)), False,
           Faults(lost=1), unmarked="marked"),
]

BROKEN_INDEX = [
    broken("the hint is written after the commit", "Whoever dies in between leaves it unlisted.",
           UNLISTED, ((put("x"),),), False, Faults(), index=True, hint="after"),
    broken("the hint of an earlier try will do",
           "It has been removed since, by whoever deleted the order in between.",
           UNLISTED, ((put("x"),), (put("z"), DELETE)), False, Faults(), index=True, hint="once"),
    broken("a hint that leads nowhere takes others with it",
           "One of them is that of somebody who is about to commit.",
           UNLISTED, ((put("x"), DELETE), (put("z"),)), False, Faults(), index=True,
           hint_removal="anything"),
    broken("nobody looks whether the caller's put is there", "It is sent again, and done again.",
           TWICE, ((again("x"),), (again("x"),)), True, Faults(), caller="ignored"),
]

# Beside which a repair must not go wrong: a put whose answer is lost, and what others do meanwhile.
LATE_AND_DELETED = ((put("x"),), (GET, DELETE, put("y")), (REPAIR,))
BROKEN_REPAIR = [
    broken("a repair's claim has a token in the place of the lineage",
           "The one who made the row, and lost the answer, puts it again: a deleted order comes back.",
           FINDS, LATE_AND_DELETED, False, Faults(lost=1), index=True, repair="token"),
    broken("a repair does not claim, one row",
           "The hint was not left: its writer is about to commit.",
           UNLISTED, ((put("x"), DELETE), (put("y"),), (REPAIR,)), False, Faults(), index=True,
           repair="no claim"),
    broken("a repair does not claim, several rows",
           "The rows were not left: their writer is about to commit.",
           FINDS, ((put("x"),), (REPAIR,)), True, Faults(), repair="no claim"),
    broken("a repair's claim is not later than the hint",
           "A put may choose the revision of the hint once more, and the marker hides its own.",
           UNLISTED, ((put("x"), DELETE), (put("y"),), (REPAIR,)), False, Faults(), index=True,
           repair_after="root"),
    broken("a repair gives its claim up by restoring what was there",
           "Its bytes are those that a late commit expects, which is hidden below the claim.",
           FINDS, ((put("x"), DELETE), (put("y"),), (REPAIR,)), False, Faults(lost=1), index=True,
           repair="same"),
    broken("a repair removes all up to what it has seen",
           "The committed order loses its children.",
           FINDS, ((put("x"),), (put("y"),), (REPAIR,)), True, Faults(),
           repair_removes="up to them"),
]

BROKEN_ERASE = [
    broken("an erase removes rows without a tombstone, several rows",
           "They were not left: their writer is about to commit.",
           FINDS, ((put("x"),), (ERASE,)), True, Faults(), erase="no tombstone"),
    broken("an erase removes hints without a tombstone",
           "They were not left: their writer is about to commit.",
           UNLISTED, ((put("x"),), (ERASE,)), False, Faults(), index=True, erase="no tombstone"),
    broken("an erase removes hints that are later than its tombstone",
           "One of them is that of somebody who is about to commit.",
           UNLISTED, ((put("x"), DELETE, put("y")), (ERASE,)), False, Faults(), index=True,
           erase_removes="anything"),
    broken("an erase removes rows that are later than its tombstone",
           "They are those of somebody who has put it again.",
           ALONE, ((put("x"), DELETE, put("y")), (ERASE,)), True, Faults(), erase_removes="anything"),
]

BROKEN_TOGETHER = [
    broken("one step of several rows, where its answer may be a lie",
           "A writer with a slow clock who guesses that there is no row is never certain.",
           ALONE, ((put("x"),), (put("y"),)), True, Faults(lies=1), in_one_step=True,
           together_with="lies"),
    broken("a step leaves the rows that it replaces",
           "They pile up, and every get reads them.",
           LEFT, ((put("x"),),), True, Faults(), in_one_step=True, together="new rows"),
    broken("a claim's token is taken for the mark of who made the row",
           "He who made it finds another's, and takes what he has done for not done.",
           FINDS, ((put("x"),), (GET, put("y"), apart(put("z")))), True, Faults(lost=1),
           in_one_step=True, creation_of="all"),
    broken("a step removes hints that are younger than what it has replaced",
           "One of them is that of somebody with claims who is about to commit.",
           UNLISTED, ((put("x"), DELETE), (apart(put("z")),)), True, Faults(), index=True,
           in_one_step=True, hint_removal="anything"),
]

BROKEN_LOADS = [
    broken("the revision of a load is as others' clocks say",
           "It hides what somebody has inserted, and was told that it is stored.",
           FINDS, ((load("x", 1),), (put("y"), GET)), False, Faults(), bulk_revision="above"),
    broken("two loads have one revision", "The children of both lie at it.",
           FINDS, ((load("x", 1, TWO),), (load("y", 2, OTHER, over=("x",)),)), True, Faults(),
           bulk_revision="same"),
    broken("a later load has a smaller revision",
           "An earlier one hides what it has stored, even one that was killed, by a late call.",
           TOLD, ((load("x", 1),), (load("y", 2, over=("x",)), GET)), False, Faults(lost=1),
           bulk_revision="falls"),
    broken("a load writes the root row first", "A get finds an order in pieces.",
           FINDS, ((load("x", 1, TWO),),), True, Faults(), bulk_order="root first"),
    broken("a load does not wait for the children", "A get finds an order in pieces.",
           FINDS, ((load("x", 1),),), True, Faults(lost=2), bulk_children="unacknowledged"),
    broken("a load writes the hint after the root row", "If it dies in between, it is unlisted.",
           UNLISTED, ((load("x", 1),),), False, Faults(), index=True, bulk_hint="after"),
    broken("a load reads nothing back, one row",
           "What it has written is hidden, and was told to be stored.",
           TOLD, ((load("x", 1),), (insert("y"),)), False, Faults(), bulk_reads_back="nothing"),
    broken("a load reads nothing back, several rows",
           "It is hidden below a claim that is given up, and was told to be stored.",
           FINDS, ((load("x", 1),), (put("y"),)), True, Faults(lost=2), bulk_reads_back="nothing"),
    broken("a load reads back the newest state alone",
           "It has hidden what another load has stored, and does not know.",
           TOLD, ((load("x", 1),), (load("y", 2, over=("x",)),)), False, Faults(),
           bulk_reads_back="the newest"),
    broken("a load reads nothing back, where all are said to be new",
           "It was deleted: what was written is hidden below a tombstone, and was told to be stored.",
           FINDS, ((put("x"), DELETE, load("y", 1), GET),), False, Faults(), bulk_looks=False,
           bulk_reads_back="nothing"),
    broken("a load replaces another order that has its row",
           "That was told to be stored, by the load or by another one, and is gone.",
           TOLD, ((collide("x", 1),), (collide("Y", 2),)), False, Faults(), bulk_collision="replaces"),
    broken("a load compares with the newest other version alone",
           "It has the same order as that one; what both have hidden is lost.",
           TOLD, ((collide("x", 1),), (collide("Y", 2),), (collide("Z", 3, over=("Y",)),)), False, Faults(),
           bulk_collision="neighbour"),
    broken("two orders of one row, and a late call",
           "Not mended: one that withdraws lets the row be empty again, so the insert of the other may "
           "be done after it was refused. Nothing that was told to be stored is lost.",
           FINDS, ((collide("x", 1, TWO),), (collide("Y", 2, OTHER),)), False, Faults(lost=1)),
    broken("the same, where all are said to be new", "It is certain.",
           TOLD, ((collide("x", 1), collide("Y", 2)),), False, Faults(), bulk_looks=False,
           bulk_collision="replaces"),
]

CASES = [
    *each("claims", True, CLAIMS), *each("one row", False, ONE_ROW),
    *each("index", False, INDEX, index=True),
    *each("index and claims", True, INDEX_CLAIMS, index=True),
    *each("tokens", False, TOKENS), *each("tokens and claims", True, TOKENS_CLAIMS), *each("unmarked", False, UNMARKED), *ALSO,
    *each("repair", False, REPAIRED, index=True), *each("repair and claims", True, REPAIRED_CLAIMS),
    *each("repair, index and claims", True, REPAIRED_INDEX_CLAIMS, index=True),
    *each("erase", False, ERASED, index=True), *each("erase and claims", True, ERASED_CLAIMS),
    *each("erase, index and claims", True, ERASED_INDEX_CLAIMS, index=True),
    *each("load", False, LOADS), *each("load and index", False, LOADS_INDEX, index=True),
    *each("load and claims", True, LOADS_CLAIMS),
    *each("collision", False, COLLIDING_LOADS),
    *each("collision and claims", True, COLLIDING_LOADS + COLLIDING_CLAIMS),
    *each("load, index and claims", True, LOADS_INDEX_CLAIMS, index=True),
    *each("together", True, TOGETHER, together=True),
    *each("together, one row and index", False, TOGETHER_INDEX, index=True, together=True),
    *each("together and index", True, TOGETHER_INDEX_CLAIMS, index=True, together=True),
    *each("together and tokens", True, TOGETHER_TOKENS, together=True),
    *BROKEN_CLAIMS, *BROKEN_ONE_ROW, *BROKEN_INDEX, *BROKEN_REPAIR, *BROKEN_ERASE, *BROKEN_TOGETHER, *BROKEN_LOADS,
    *each("claims", True, LONG_CLAIMS, long=True, clocks=MORE_CLOCKS),
    *each("repair and claims", True, LONG_REPAIRED_CLAIMS, long=True),
    *each("erase and claims", True, LONG_ERASED_CLAIMS, long=True),
    *each("load and claims", True, LONG_LOADS_CLAIMS, long=True),
    *each("one row", False, LONG_ONE_ROW, long=True, clocks=MORE_CLOCKS),
    *each("tokens and claims", True, LONG_TOKENS, long=True, clocks=MORE_CLOCKS),
]
