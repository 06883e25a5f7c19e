/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TallHbaseEvent:
 * @TALL_HBASE_EVENT_ASKED: its thread begins to ask it, see tall_hbase_health_ask()
 * @TALL_HBASE_EVENT_ANSWERED: it gave the right answer on a new connection, and was not alive when
 *   it was asked
 * @TALL_HBASE_EVENT_CONFIRMED: the same, but it was alive when it was asked
 * @TALL_HBASE_EVENT_REACHED: the same as confirmed, and HBase answered through it, too
 * @TALL_HBASE_EVENT_SILENT: it gave no answer on a new connection, or a wrong one
 * @TALL_HBASE_EVENT_UNCERTAIN: a caller could not open a connection, or had too little time for its
 *   call
 * @TALL_HBASE_EVENT_CALL_DONE: a connection came back that is fit for the next caller
 * @TALL_HBASE_EVENT_CALL_FAILED: a call failed
 * @TALL_HBASE_EVENT_CALL_LATE: a call had no answer within the pool's limit
 * @TALL_HBASE_EVENT_TEST_BEGUN: it is being tested whether its HBase does what writes rely on
 * @TALL_HBASE_EVENT_TEST_PASSED: HBase does; the test has ended
 * @TALL_HBASE_EVENT_TEST_FAILED: HBase does not; the test ends when all of that is noted
 * @TALL_HBASE_EVENT_TEST_ENDED: the test has ended, and was not passed
 * @TALL_HBASE_EVENT_TEST_OUTDATED: there is a new table for the test, so no earlier one counts
 * @TALL_HBASE_EVENT_WANTED: its thread is to open a connection
 * @TALL_HBASE_EVENT_UNWATCHABLE: the thread could not be started
 * @TALL_HBASE_EVENT_UNWATCHED: the thread has ended
 *
 * What happens to a gateway.
 */
typedef enum
{
  TALL_HBASE_EVENT_ASKED,
  TALL_HBASE_EVENT_ANSWERED,
  TALL_HBASE_EVENT_CONFIRMED,
  TALL_HBASE_EVENT_REACHED,
  TALL_HBASE_EVENT_SILENT,
  TALL_HBASE_EVENT_UNCERTAIN,
  TALL_HBASE_EVENT_CALL_DONE,
  TALL_HBASE_EVENT_CALL_FAILED,
  TALL_HBASE_EVENT_CALL_LATE,
  TALL_HBASE_EVENT_TEST_BEGUN,
  TALL_HBASE_EVENT_TEST_PASSED,
  TALL_HBASE_EVENT_TEST_FAILED,
  TALL_HBASE_EVENT_TEST_ENDED,
  TALL_HBASE_EVENT_TEST_OUTDATED,
  TALL_HBASE_EVENT_WANTED,
  TALL_HBASE_EVENT_UNWATCHABLE,
  TALL_HBASE_EVENT_UNWATCHED,
} TallHbaseEvent;

/**
 * TallHbaseActions:
 * @TALL_HBASE_PAUSE: the next pause before it is asked is longer
 * @TALL_HBASE_DROP_KEPT: the connections that are not lent must be closed
 * @TALL_HBASE_DISCARD: the answer does not count, so its connection must be closed
 * @TALL_HBASE_ASK: it must be asked
 * @TALL_HBASE_START: the thread that asks it must be started
 * @TALL_HBASE_WAKE: the thread that asks it must look again
 *
 * What must be done because of an event.
 */
typedef enum
{
  TALL_HBASE_PAUSE = 1 << 4, /* the lower bits are a state's, in the tables */
  TALL_HBASE_DROP_KEPT = 1 << 5,
  TALL_HBASE_DISCARD = 1 << 6,
  TALL_HBASE_ASK = 1 << 7,
  TALL_HBASE_START = 1 << 8,
  TALL_HBASE_WAKE = 1 << 9,
} TallHbaseActions;

/**
 * TallHbasePhase:
 * @TALL_HBASE_PHASE_ASKED: new or in doubt: it is being asked
 * @TALL_HBASE_PHASE_ALIVE: new connections may be opened
 * @TALL_HBASE_PHASE_ASIDE: did not answer as it should; it is asked again from time to time
 *
 * A gateway's state as people are shown it.
 */
typedef enum
{
  TALL_HBASE_PHASE_ASKED,
  TALL_HBASE_PHASE_ALIVE,
  TALL_HBASE_PHASE_ASIDE,
} TallHbasePhase;

#define TALL_HBASE_N_REGIONS 4

/**
 * TallHbaseHealth:
 *
 * What is known about one gateway: a state machine of four parts, whose tables of transitions the
 * README explains. It does no I/O and waits for nothing. The lock of its owner protects it, except
 * for tall_hbase_health_has_passed().
 */
typedef struct
{
  gint states[TALL_HBASE_N_REGIONS]; /* written atomically */
} TallHbaseHealth;

/**
 * TallHbaseQuestion:
 * @known: it was alive before, so framing and protocol are right
 * @alive: it is alive now
 * @test: it was refused: it must pass the test as well
 * @hbase: calls had no answer: HBase must be asked as well
 *
 * What has to be found out when a gateway is asked.
 */
typedef struct
{
  gboolean known;
  gboolean alive;
  gboolean test;
  gboolean hbase;
} TallHbaseQuestion;

void tall_hbase_health_init (TallHbaseHealth *self);
TallHbaseActions tall_hbase_health_note (TallHbaseHealth *self, TallHbaseEvent event);
TallHbaseQuestion tall_hbase_health_ask (TallHbaseHealth *self);

TallHbasePhase tall_hbase_health_get_phase (const TallHbaseHealth *self);
gboolean tall_hbase_health_is_known (const TallHbaseHealth *self);
gboolean tall_hbase_health_is_refused (const TallHbaseHealth *self);
gboolean tall_hbase_health_may_lend (const TallHbaseHealth *self);
gboolean tall_hbase_health_is_stalled (const TallHbaseHealth *self);
gboolean tall_hbase_health_is_mute (const TallHbaseHealth *self);
gboolean tall_hbase_health_is_tested_now (const TallHbaseHealth *self);
gboolean tall_hbase_health_has_passed (const TallHbaseHealth *self);
gboolean tall_hbase_health_is_watched (const TallHbaseHealth *self);
gboolean tall_hbase_health_must_be_asked (const TallHbaseHealth *self);

#define TALL_HBASE_N_EVENTS (TALL_HBASE_EVENT_UNWATCHED + 1)
#define TALL_HBASE_MAX_STATES 8
#define TALL_HBASE_STATE_MASK 15

/**
 * TallHbaseRegion:
 * @moves: for each event and each state, its number less 1: the number of the next state with
 *   #TallHbaseActions; 0: the event cannot happen in that state. If that holds for all states, the
 *   event does not concern this part
 *
 * One part of a gateway's health. Its states have numbers from 1 on; the first is the one that it
 * begins with.
 */
typedef struct
{
  const char *name;
  guint n_states;
  const char *states[TALL_HBASE_MAX_STATES];
  guint16 moves[TALL_HBASE_N_EVENTS][TALL_HBASE_MAX_STATES];
} TallHbaseRegion;

const TallHbaseRegion *tall_hbase_health_get_region (guint i);
const char *tall_hbase_event_get_name (TallHbaseEvent event);

G_END_DECLS
