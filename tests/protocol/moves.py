# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of migrations: what must hold, what else would, and what must be found out."""

from case import (ABORT, ALONE, DELETE, FINDS, GET, MIGRATE, OPENED_GET, TOLD, UNEQUAL, insert,
                  move, opens, put, replace, stays)
from explore import Faults

ROW, CLAIMS = False, True      # the layout has one row; several, and claims
NO = ()                        # the value has no child
TO_ROW = (ROW, ROW, ROW)
AND_AGAIN = (*TO_ROW, ROW)     # where it may be begun twice
AND_AGAIN_CLAIMS = (CLAIMS, CLAIMS, CLAIMS, CLAIMS)
ROW_TO_CLAIMS, CLAIMS_TO_ROW = (ROW, CLAIMS, CLAIMS), (CLAIMS, ROW, ROW)
TO_CLAIMS = (CLAIMS, CLAIMS, CLAIMS)


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
    move("row/two puts, a migration, an abort, a migration", AND_AGAIN,
         ((put("x"),), (put("y"),), (MIGRATE,), (ABORT, MIGRATE))),
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
LONG = [
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
         ((put("x"), DELETE, put("y")), (put("z"),), (MIGRATE,)), Faults(lost=1),
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
           seal_check=False),
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

MOVES = [*HOLDS, *ALSO, *BROKEN, *LONG]
