# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of migrations: what must hold, what else would, and what must be found out."""

from case import (ABORT, ALONE, DELETE, FINDS, GET, MIGRATE, OPENED_GET, REPAIR, TOLD, TWICE, UNEQUAL,
                  UNLISTED, again, insert, load, move, opens, put, put_twin, replace, stays)
from explore import Faults
from state import LINES, ORDERS, ROOT, TWIN

ROW, CLAIMS = False, True      # the layout has one row; several, and claims
NO = ()                        # the value has no child
TO_ROW = (ROW, ROW, ROW)
AND_AGAIN = (*TO_ROW, ROW)     # where it may be begun twice
AND_AGAIN_CLAIMS = (CLAIMS, CLAIMS, CLAIMS, CLAIMS)
ROW_TO_CLAIMS, CLAIMS_TO_ROW = (ROW, CLAIMS, CLAIMS), (CLAIMS, ROW, ROW)
TO_CLAIMS = (CLAIMS, CLAIMS, CLAIMS)
BOTH = (ROOT, TWIN)            # root rows of two orders, for which a target has one
ORDERS_FIRST, CUSTOMERS_FIRST = (ORDERS, "customers"), ("customers", ORDERS)
WITH_LINES = (ORDERS, LINES)
ALL, NEW = (True, True, True), (False, True, True)     # of these have an index


# ---- What holds --------------------------------------------------------------------------------

HOLDS = [
    move("row/a put, two gets and a migration", TO_ROW, ((put("x"),), (GET, GET), (MIGRATE,))),
    move("row/two puts, a get that opens and a migration", TO_ROW,
         ((put("x"),), (put("y"),), (OPENED_GET,), (MIGRATE,))),
    move("row/put, delete, put beside get and replace, and a migration", TO_ROW,
         ((put("x"), DELETE, put("y")), (GET, replace("z")), (MIGRATE,))),
    move("row/two puts, a get and a migration, an answer lost", TO_ROW,
         ((put("x"),), (put("y"), GET), (MIGRATE,)), Faults(lost=1)),
    move("row/two puts and a get, a migration, one lie", TO_ROW,
         ((put("x"),), (put("y"), GET), (MIGRATE,)), Faults(lies=1)),
    move("row/two puts and two migrators", TO_ROW,
         ((put("x"), GET), (put("y"),), (MIGRATE,), (MIGRATE,))),
    move("row/a put and a get, two migrators, an answer of theirs lost", TO_ROW,
         ((put("x"),), (GET,), (MIGRATE,), (MIGRATE,)), Faults(moving=1)),
    move("row/a put, a migrator and one who aborts, one lie", AND_AGAIN,
         ((put("x"), GET), (MIGRATE,), (ABORT,)), Faults(lies=1)),
    move("row/a put and a get, a migration, an abort, a migration", AND_AGAIN,
         ((put("x"), GET), (MIGRATE,), (ABORT, MIGRATE))),
    move("row/an insert beside put and delete, a migration, two answers lost", TO_ROW,
         ((insert("x"),), (put("y"), DELETE), (MIGRATE,)), Faults(lost=2)),
    move("row to claims/two puts, a get and a migration", ROW_TO_CLAIMS,
         ((put("x"),), (put("y"), GET), (MIGRATE,))),
    move("claims to row/two puts and a migration", CLAIMS_TO_ROW,
         ((put("x"),), (put("y", NO),), (MIGRATE,))),
    move("claims to row/put and put beside a get, a migration, an answer lost", CLAIMS_TO_ROW,
         ((put("x"), put("y", NO)), (GET,), (MIGRATE,)), Faults(lost=1)),
    move("claims/a put, put and delete, a migration", TO_CLAIMS,
         ((put("x"),), (put("y", NO), DELETE), (MIGRATE,))),
    move("earlier/put and get of an earlier version beside a put, a migration", TO_ROW,
         ((stays(put("x")), stays(GET)), (put("y"), GET), (MIGRATE,))),
]
INDEX = [
    move("index/put and put of another date, two migrators", TO_ROW,
         ((put("x"), put("y")), (MIGRATE,), (MIGRATE,)), index=ALL),
    move("index/put and put of another date, a migration, an answer lost", TO_ROW,
         ((put("x"), put("y")), (GET,), (MIGRATE,)), Faults(lost=1), index=ALL),
    move("index/an insert beside put and delete, a migration", TO_ROW,
         ((insert("x"), GET), (put("y"), DELETE), (MIGRATE,)), index=ALL),
    move("index/none in the source, put and put of another date, two migrators", ROW_TO_CLAIMS,
         ((put("x", NO), put("y")), (MIGRATE,), (MIGRATE,)), index=NEW),
    move("index/claims to row, put and put of another date, an answer of theirs lost", CLAIMS_TO_ROW,
         ((put("x", NO), put("y")), (MIGRATE,)), Faults(moving=1), index=ALL),
]
TOKENS = [
    move("tokens/twice, a migration, an answer lost", TO_ROW,
         ((again("x"),), (again("x"), GET), (MIGRATE,)), Faults(lost=1)),
    move("tokens/twice, a migration, an abort, a lie", AND_AGAIN,
         ((again("x"),), (again("x"),), (MIGRATE,), (ABORT,)), Faults(lies=1)),
    move("tokens/twice, claims to row", CLAIMS_TO_ROW,
         ((again("x", NO),), (again("x", NO),), (MIGRATE,))),
    move("tokens/twice, row to claims, an answer lost", ROW_TO_CLAIMS,
         ((again("x"),), (again("x"),), (MIGRATE,)), Faults(lost=1)),
]
LOADS = [
    move("load/a load beside two gets, an answer lost", TO_ROW,
         ((load("x", 1),), (GET, GET), (MIGRATE,)), Faults(lost=1)),
    move("load/a load beside two gets, claims to row, an answer lost", CLAIMS_TO_ROW,
         ((load("x", 1),), (GET, GET), (MIGRATE,)), Faults(lost=1)),
    move("load/a load beside a put, row to claims, an answer lost", ROW_TO_CLAIMS,
         ((load("x", 1),), (put("y"),), (MIGRATE,)), Faults(lost=1)),
    move("load/two loads of two contents and a get", TO_ROW,
         ((load("x", 1),), (load("y", 2, over=("x",)),), (GET,), (MIGRATE,))),
    move("load/two loads of two contents and a get, claims to row", CLAIMS_TO_ROW,
         ((load("x", 1),), (load("y", 2, over=("x",)),), (GET,), (MIGRATE,))),
    move("load/a load beside a put, a migration and an abort", AND_AGAIN,
         ((load("x", 1),), (put("y"),), (MIGRATE,), (ABORT,))),
]
REPAIRED = [
    move("repair/put and put of another date, a repair, an answer of theirs lost", TO_ROW,
         ((put("x"), put("y")), (REPAIR,), (MIGRATE,)), Faults(moving=1), index=ALL),
    move("repair/put and put, a repair, claims to row", CLAIMS_TO_ROW,
         ((put("x", NO), put("y")), (REPAIR,), (MIGRATE,))),
]
COLLIDING = [
    move("collision/a put in the row of another order, two migrators", AND_AGAIN,
         ((put("x"),), (put_twin("t", 11),), (MIGRATE,), (MIGRATE,)), roots=BOTH),
    move("collision/of equal revisions, two migrators", AND_AGAIN,
         ((put("x"),), (put_twin("t", 10),), (MIGRATE,), (MIGRATE,)), roots=BOTH),
]
TABLES = [
    move("tables/a put and a get, customers closed last, an answer of theirs lost", TO_ROW,
         ((put("x"),), (GET,), (MIGRATE,)), Faults(moving=1), tables=ORDERS_FIRST),
    move("tables/a put and a get, customers closed first, an answer of theirs lost", TO_ROW,
         ((put("x"),), (GET,), (MIGRATE,)), Faults(moving=1), tables=CUSTOMERS_FIRST),
    move("tables/a put and a get, claims, lines not sealed, an answer of theirs lost", TO_CLAIMS,
         ((put("x"),), (GET,), (MIGRATE,)), Faults(moving=1), tables=WITH_LINES),
    move("tables/a put, a migration and an abort, an answer of theirs lost", AND_AGAIN,
         ((put("x"),), (MIGRATE,), (ABORT,)), Faults(moving=1), tables=CUSTOMERS_FIRST),
]
LONG = [
    move("row/two puts, a migration, an abort, a migration", AND_AGAIN,
         ((put("x"),), (put("y"),), (MIGRATE,), (ABORT, MIGRATE)), long=True),
    move("collision/of put and delete, two migrators", AND_AGAIN,
         ((put("x"), DELETE), (put_twin("t", 11),), (MIGRATE,), (MIGRATE,)), roots=BOTH, long=True),
    move("collision/of a put, two migrators, an answer of theirs lost", AND_AGAIN,
         ((put("x"),), (put_twin("t", 11),), (MIGRATE,), (MIGRATE,)), Faults(moving=1), roots=BOTH,
         long=True),
    move("tables/two puts, claims, lines not sealed", TO_CLAIMS,
         ((put("x"),), (put("y"),), (MIGRATE,)), tables=WITH_LINES, long=True),
    move("tables/a put, a migration, an abort, a migration, an answer of theirs lost", AND_AGAIN,
         ((put("x"),), (MIGRATE,), (ABORT, MIGRATE)), Faults(moving=1), tables=CUSTOMERS_FIRST,
         long=True),
    move("repair/two puts, a repair, claims to row", CLAIMS_TO_ROW,
         ((put("x", NO),), (put("y"),), (REPAIR,), (MIGRATE,)), long=True),
    move("repair/put and put of another date, a repair, an answer lost", TO_ROW,
         ((put("x"), put("y")), (REPAIR,), (MIGRATE,)), Faults(lost=1), index=ALL, long=True),
    move("load/a load beside a put, a migration and an abort, an answer lost", AND_AGAIN,
         ((load("x", 1),), (put("y"),), (MIGRATE,), (ABORT,)), Faults(lost=1), long=True),
    move("load/a load with an index beside put and delete of another date, an answer lost", TO_ROW,
         ((load("x", 1),), (put("y"), DELETE), (MIGRATE,)), Faults(lost=1), index=ALL, long=True),
    move("claims to row/put and put, two migrators, an answer of theirs lost", CLAIMS_TO_ROW,
         ((put("x"), put("y", NO)), (MIGRATE,), (MIGRATE,)), Faults(moving=1), long=True),
    move("claims/a put and a get, two migrators, an answer of theirs lost", TO_CLAIMS,
         ((put("x"),), (GET,), (MIGRATE,), (MIGRATE,)), Faults(moving=1), long=True),
    move("row/two puts, a migration, an abort, two answers of theirs lost, compacted", AND_AGAIN,
         ((put("x"), put("y")), (MIGRATE,), (ABORT,)), Faults(moving=2, compactions=1), long=True),
    move("row/two puts and a get, a migration, an abort, a migration, an answer of theirs lost",
         AND_AGAIN, ((put("x"), put("y"), GET), (MIGRATE,), (ABORT, MIGRATE)), Faults(moving=1),
         long=True),
    move("claims to row/two puts, an abort and a migration", (CLAIMS, ROW, ROW, ROW),
         ((put("x"),), (put("y", NO),), (MIGRATE,), (ABORT,)), long=True),
    move("row/put and delete, two migrators, two answers of theirs lost", TO_ROW,
         ((put("x"), DELETE), (MIGRATE,), (MIGRATE,)), Faults(moving=2), long=True),
    move("row/a put and an insert that opens, two migrators, an answer of theirs lost", TO_ROW,
         ((put("x"),), (opens(insert("y")),), (MIGRATE,), (MIGRATE,)), Faults(moving=1), long=True),
    move("row/a put, a migration, an abort, a migration, every fault", AND_AGAIN,
         ((put("x"),), (MIGRATE,), (ABORT, MIGRATE)), Faults(lost=1, moving=1, lies=1), long=True),
    move("claims/a put, a migration, an abort, a migration, an answer of theirs lost",
         AND_AGAIN_CLAIMS, ((put("x"),), (MIGRATE,), (ABORT, MIGRATE)), Faults(moving=1),
         long=True),
]


# ---- What else would hold ----------------------------------------------------------------------

ALSO = [
    move("also/source and target are compared by revision alone", TO_ROW,
         ((put("x"), DELETE, put("y")), (put("z"),), (MIGRATE,)),
         why="For one order. But two may meet in one row of the target, with equal revisions.",
         compare="revision"),
    move("also/claims are copied", TO_CLAIMS, ((put("x"),), (put("y", NO), GET), (MIGRATE,)),
         why="Nobody is harmed, but the next writer waits for the patience.", copied_claims="kept"),
]


# ---- What is broken ----------------------------------------------------------------------------

def broken(name, why, found, layouts, clients, faults=Faults(), **decision):
    return move(f"broken/{name}", layouts, clients, faults, why=why, found=found, **decision)


BROKEN = [
    broken("the source can be read on",
           "A process that has not heard of the switch does not find what was stored since.",
           FINDS, TO_ROW, ((opens(put("x")),), (MIGRATE,)), read_fence="none"),
    broken("the source is closed after the switch", "The same, for a moment.",
           FINDS, TO_ROW, ((opens(put("x")),), (MIGRATE,)), close_order="after switch"),
    broken("the last pass is before the seal", "What is written between the two is lost.",
           FINDS, TO_ROW, ((put("x"),), (MIGRATE,)), last_pass="before"),
    broken("there is no last pass", "The same.", FINDS, TO_ROW, ((put("x"),), (MIGRATE,)),
           last_pass="never"),
    broken("whatever is in the target is right",
           "What has been replaced since it was copied is not copied again.",
           FINDS, TO_ROW, ((put("x"), put("y")), (MIGRATE,)), compare="there"),
    broken("copies get a new revision",
           "What was seen is not there any more, though nobody has written.",
           TOLD, TO_ROW, ((put("x"), GET, replace("y")), (MIGRATE,)), copied_revision="new"),
    broken("what is deleted is not copied", "An older copy of it stays.",
           FINDS, TO_ROW, ((put("x"), DELETE), (MIGRATE,)), copied_tombstones="left"),
    broken("what is deleted is erased",
           "A slow clock gives its revision to something else, which a put that expects it replaces.",
           TOLD, TO_ROW, ((put("x"), DELETE, put("y")), (GET, replace("z")), (MIGRATE,)),
           copied_tombstones="erased"),
    broken("the root is copied before the children",
           "A migrator that goes on takes the order for copied.",
           FINDS, TO_CLAIMS, ((put("x"),), (MIGRATE,)), copied_order="root first"),
    broken("copied children are not waited for", "They are missing in the target.",
           FINDS, TO_CLAIMS, ((put("x"),), (MIGRATE,)), Faults(moving=1),
           copied_children="unacknowledged"),
    broken("an unknown lineage becomes none",
           "A writer takes its commit, which was read and replaced, for never done, and does it again.",
           FINDS, CLAIMS_TO_ROW, ((put("x", NO),), (GET, DELETE, put("z", NO)), (MIGRATE,)),
           Faults(lost=1), copied_lineage="none"),
    broken("a lineage is copied as long as no claim has taken its place",
           "One revision has two copies that differ, and the older may come late.",
           UNEQUAL, CLAIMS_TO_ROW, ((put("x"), put("y", NO)), (MIGRATE,)), Faults(moving=1),
           copied_lineage="as it is"),
    broken("what finds the tables shut begins again as if it had sent nothing",
           "Its commit was done, read and replaced, and comes back.",
           TOLD, TO_ROW, ((put("x"),), (GET, DELETE), (MIGRATE,)), Faults(lost=1),
           after_shut="again"),
    broken("in the target only the token counts", "The same.",
           FINDS, TO_ROW, ((put("x"),), (GET, DELETE), (MIGRATE,)), Faults(lost=1),
           settle_moved="token"),
    broken("what was refused is not done",
           "A gateway may have it on its way, and an abort unseals the source.",
           FINDS, AND_AGAIN, ((put("x"),), (MIGRATE,), (ABORT,)), Faults(lies=1),
           give_up="refused"),
    broken("shut tables mean that the next ones count",
           "The source is only sealed, and an abort may still come.",
           FINDS, TO_ROW, ((put("x"),), (GET, GET), (MIGRATE,)), record="guess"),
    broken("an abort does not say so first", "Another process closes and switches meanwhile.",
           FINDS, AND_AGAIN, ((put("x"),), (MIGRATE,), (ABORT,)), abort_first="tables"),
    broken("an abort leaves no mark in the record", "Nobody looks for a late unseal.",
           FINDS, AND_AGAIN, ((put("x"),), (MIGRATE,), (ABORT, MIGRATE)), Faults(moving=1),
           abort="unmarked"),
    broken("nobody looks at the seal after the close",
           "A late unseal has let writers in after the last pass.",
           FINDS, AND_AGAIN, ((put("x"),), (MIGRATE,), (ABORT, MIGRATE)), Faults(moving=1),
           seal_check="none"),
    broken("all seals have one token", "A late seal hides a late unseal.",
           FINDS, AND_AGAIN, ((put("x"),), (MIGRATE,), (ABORT, MIGRATE)), Faults(moving=2),
           seal_token="one"),
    broken("a seal whose answer is lost is believed", "It is not sealed.",
           FINDS, TO_ROW, ((put("x"),), (MIGRATE,)), Faults(moving=1), seal_answer="believed"),
    broken("what was opened again is only closed", "A late call opens it after the switch.",
           FINDS, AND_AGAIN, ((opens(put("x")),), (MIGRATE,), (ABORT, MIGRATE)), Faults(moving=1),
           reopened="close"),
    broken("generations are numbered again after an abort",
           "A late call drops the tables of the abort's target, which are those of the next.",
           FINDS, AND_AGAIN, ((put("x"),), (MIGRATE,), (ABORT, MIGRATE)), Faults(moving=1),
           generations="reused"),
    broken("the record is written without a condition",
           "An abort and a switch overwrite each other.",
           ALONE, AND_AGAIN, ((put("x"),), (MIGRATE,), (ABORT,)), record_write="plain"),
]

BROKEN_MORE = [
    broken("the hint of a copy is written after its root",
           "A migrator that goes on takes the order for copied.",
           UNLISTED, TO_ROW, ((put("x"),), (MIGRATE,)), index=ALL, copied_hint="after"),
    broken("a copy removes whatever the target had",
           "A slow one of an older revision removes the hint of what is live by now.",
           UNLISTED, TO_ROW, ((put("x"), put("y")), (MIGRATE,), (MIGRATE,)), index=ALL,
           copied_over="anything"),
    broken("a copy removes more than the hint of the older copy",
           "A slow one removes the hint of an order that has got its date back.",
           UNLISTED, TO_ROW, ((put("x"), put("y"), put("z")), (MIGRATE,), (MIGRATE,)), index=ALL,
           copied_removal="anything"),
    broken("the hint in the source is believed in the target", "The target has none.",
           UNLISTED, TO_ROW, ((put("x"),), (MIGRATE,)), index=ALL, moved_hint="believed"),
    broken("what one row says of the lineage is copied",
           "A repair alters it without a new revision: two copies differ, and the older may come late.",
           UNEQUAL, TO_ROW, ((put("x"), put("y")), (REPAIR,), (MIGRATE,)), Faults(moving=1),
           index=ALL, copied_lineage="where claims are"),
    broken("a copy has a token of its own", "A put that is sent again is done again.",
           TWICE, TO_ROW, ((again("x"),), (again("x"),), (MIGRATE,)), copied_token="new"),
    broken("in the target nobody looks whether the caller's put is there", "The same.",
           TWICE, TO_CLAIMS, ((again("x"),), (again("x"),), (MIGRATE,)), caller="ignored"),
    broken("the seal refuses conditional writes alone", "What a load writes then is lost.",
           FINDS, TO_ROW, ((load("x", 1),), (MIGRATE,)), seal_refuses="conditions"),
    broken("a load that finds the tables shut has done nothing",
           "Its root row was sent, and has been copied.",
           FINDS, TO_ROW, ((load("x", 1),), (GET, GET), (MIGRATE,)), bulk_shut="not done"),
    broken("a load that begins again takes its own for somebody else's",
           "What it stored has been copied, and is reported as another's.",
           TOLD, TO_ROW, ((load("x", 1),), (GET, GET), (MIGRATE,)), bulk_again="as a stranger"),
    broken("a load goes on with the root row in the target", "The children are missing there.",
           FINDS, TO_CLAIMS, ((load("x", 1),), (MIGRATE,)), bulk_again="goes on"),
    broken("two orders in one row of the target are not noticed", "One is lost.",
           UNEQUAL, AND_AGAIN, ((put("x"),), (put_twin("t", 11),), (MIGRATE,)), roots=BOTH,
           collisions="ignored"),
    broken("a collision is looked for in the target alone",
           "A slow migrator writes over what another has copied, and remembers.",
           UNEQUAL, AND_AGAIN, ((put("x"),), (put_twin("t", 11),), (MIGRATE,), (MIGRATE,)),
           roots=BOTH, collisions="found"),
    broken("the first of two root tables is closed", "The orders can be read on.",
           FINDS, TO_ROW, ((put("x"),), (MIGRATE,)), tables=CUSTOMERS_FIRST, close_tables="first"),
    broken("after the close the seal of the first of two root tables is looked at",
           "A late unseal of the other has let writers in after the last pass.",
           FINDS, AND_AGAIN, ((put("x"),), (MIGRATE,), (ABORT, MIGRATE)), Faults(moving=1),
           tables=CUSTOMERS_FIRST, seal_check="first"),
]

MOVES = [*HOLDS, *INDEX, *TOKENS, *LOADS, *REPAIRED, *COLLIDING, *TABLES, *ALSO, *BROKEN, *BROKEN_MORE, *LONG]
