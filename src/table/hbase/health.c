/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/health.h"

#define E(name) TALL_HBASE_EVENT_##name
#define PAUSE TALL_HBASE_PAUSE
#define DROP TALL_HBASE_DROP_KEPT
#define DISCARD TALL_HBASE_DISCARD
#define ASK TALL_HBASE_ASK
#define START TALL_HBASE_START
#define WAKE TALL_HBASE_WAKE
#define REFUSE (REFUSED | PAUSE | DROP | ASK)

enum
{
  PRESENCE,
  HBASE,
  TEST,
  WATCH,
};

/* Of the gateway itself. */
enum
{
  NEW = 1,   /* is being asked for the first time */
  ABSENT,    /* was never alive */
  ALIVE,     /* connections are lent and opened */
  DOUBTED,   /* is being asked; kept connections are lent */
  SUSPECTED, /* is being asked; a call failed, so none is lent */
  ASIDE,     /* is asked from time to time; kept connections are lent, as it may only be full */
  FAILING,   /* the same, but a call failed meanwhile, so none is lent */
  REFUSED,   /* failed the test, which it must pass before it is used again */
};

/* Of HBase behind it. */
enum
{
  ANSWERING = 1,
  LATE, /* calls had no answer */
  MUTE, /* calls had no answer, but the gateway itself answers */
};

/* Of the test that comes before the first write. */
enum
{
  UNTESTED = 1,
  TESTING,
  OUTDATED, /* is being tested, but that will not count */
  PASSED,
};

/* Of the thread that asks it. */
enum
{
  UNWATCHED = 1,
  WATCHED,
  WANTED, /* there is one, which is to open a connection */
};

static const char *const event_names[TALL_HBASE_N_EVENTS] = {
  "asked",      "answered",      "confirmed", "reached",     "silent",      "uncertain",
  "call done",  "call failed",   "call late", "test begun",  "test passed", "test failed",
  "test ended", "test outdated", "wanted",    "unwatchable", "unwatched",
};

/* The order of the states is that of the enumerations above. */
static const TallHbaseRegion regions[TALL_HBASE_N_REGIONS] = {
  [PRESENCE] = {
    .name = "gateway",
    .n_states = 8,
    .states = { "new", "absent", "alive", "doubted", "suspected", "aside", "failing", "refused" },
    .moves = {
      [E (ANSWERED)] = { ALIVE, ALIVE, 0, ALIVE, ALIVE, ALIVE, ALIVE, REFUSED | DISCARD },
      [E (CONFIRMED)] = { 0, 0, ALIVE, DOUBTED | DISCARD, SUSPECTED | DISCARD, ASIDE | DISCARD,
                          FAILING | DISCARD, REFUSED | DISCARD },
      [E (REACHED)] = { 0, 0, ALIVE, DOUBTED | DISCARD, SUSPECTED | DISCARD, ASIDE | DISCARD,
                        FAILING | DISCARD, REFUSED | DISCARD },
      [E (SILENT)] = { ABSENT | PAUSE, ABSENT | PAUSE, ASIDE | PAUSE, ASIDE | PAUSE,
                       ASIDE | PAUSE | DROP, ASIDE | PAUSE, ASIDE | PAUSE | DROP, REFUSED | PAUSE },
      [E (UNCERTAIN)] = { 0, 0, DOUBTED | ASK, DOUBTED, SUSPECTED, ASIDE, FAILING, REFUSED },
      [E (CALL_DONE)] = { 0, 0, ALIVE, DOUBTED, SUSPECTED, ASIDE, FAILING, 0 },
      [E (CALL_FAILED)] = { 0, 0, SUSPECTED | ASK, SUSPECTED, SUSPECTED, FAILING, FAILING,
                            REFUSED },
      [E (CALL_LATE)] = { 0, 0, SUSPECTED | ASK, SUSPECTED, SUSPECTED, FAILING, FAILING, REFUSED },
      [E (TEST_PASSED)] = { 0, 0, ALIVE, DOUBTED, SUSPECTED, ASIDE, FAILING, ASIDE },
      [E (TEST_FAILED)] = { 0, 0, REFUSE, REFUSE, REFUSE, REFUSE, REFUSE, REFUSED },
      [E (UNWATCHABLE)] = { ALIVE, 0, ALIVE, ALIVE, ALIVE, ALIVE, ALIVE, REFUSED },
    },
  },
  [HBASE] = {
    .name = "HBase",
    .n_states = 3,
    .states = { "answering", "late", "mute" },
    .moves = {
      [E (ANSWERED)] = { ANSWERING, MUTE, MUTE },
      [E (CONFIRMED)] = { ANSWERING, MUTE | PAUSE, MUTE | PAUSE },
      [E (REACHED)] = { 0, ANSWERING, ANSWERING },
      [E (CALL_DONE)] = { ANSWERING, LATE, LATE },
      [E (CALL_LATE)] = { LATE, LATE, MUTE },
      [E (UNWATCHABLE)] = { ANSWERING, ANSWERING, 0 },
    },
  },
  [TEST] = {
    .name = "test",
    .n_states = 4,
    .states = { "untested", "testing", "outdated", "passed" },
    .moves = {
      [E (TEST_BEGUN)] = { TESTING, 0, 0, 0 },
      [E (TEST_PASSED)] = { 0, PASSED, UNTESTED, 0 },
      [E (TEST_FAILED)] = { 0, TESTING, OUTDATED, 0 },
      [E (TEST_ENDED)] = { 0, UNTESTED, UNTESTED, 0 },
      [E (TEST_OUTDATED)] = { UNTESTED, OUTDATED, OUTDATED, UNTESTED },
    },
  },
  [WATCH] = {
    .name = "thread",
    .n_states = 3,
    .states = { "unwatched", "watched", "wanted" },
    .moves = {
      [E (ASKED)] = { 0, WATCHED, WATCHED },
      [E (WANTED)] = { WANTED | START, WATCHED | WAKE, WANTED | WAKE },
      [E (UNWATCHABLE)] = { 0, 0, UNWATCHED },
      [E (UNWATCHED)] = { 0, UNWATCHED, UNWATCHED },
    },
  },
};

const TallHbaseRegion *
tall_hbase_health_get_region (guint i)
{
  return &regions[i];
}

const char *
tall_hbase_event_get_name (TallHbaseEvent event)
{
  return event_names[event];
}

void
tall_hbase_health_init (TallHbaseHealth *self)
{
  for (guint i = 0; i < TALL_HBASE_N_REGIONS; i++)
    self->states[i] = 1;
}

static gboolean
concerns (const TallHbaseRegion *region, TallHbaseEvent event)
{
  for (guint i = 0; i < region->n_states; i++)
    if (region->moves[event][i] != 0)
      return TRUE;
  return FALSE;
}

/* FALSE, and nothing changes, if the event cannot happen now. Otherwise adds to @actions. */
static gboolean
move (TallHbaseHealth *self, guint i, TallHbaseEvent event, TallHbaseActions *actions)
{
  const TallHbaseRegion *region = &regions[i];
  gint state = self->states[i];
  guint next = region->moves[event][state - 1];
  if (next == 0)
    {
      if (!concerns (region, event))
        return TRUE;
      g_critical (
          "The event \"%s\" of a gateway cannot happen in the state \"%s\": nothing changes",
          event_names[event], region->states[state - 1]);
      return FALSE;
    }
  self->states[i] = (gint)(next & TALL_HBASE_STATE_MASK);
  *actions |= next & ~TALL_HBASE_STATE_MASK;
  return TRUE;
}

/* What an answer that does not count for the gateway means for HBase. Calls may have failed since
 * it was asked, so HBase's answer means no more than one call that was done. */
static TallHbaseEvent
weaken (TallHbaseEvent event, TallHbaseActions actions)
{
  if (!(actions & DISCARD))
    return event;
  return event == E (REACHED) ? E (CALL_DONE) : E (ANSWERED);
}

/**
 * tall_hbase_health_note:
 *
 * Makes the transitions for an event. If it cannot happen in the present state, that is a mistake
 * in the program, which is reported as critical, and nothing changes.
 *
 * Returns: what must be done now
 */
TallHbaseActions
tall_hbase_health_note (TallHbaseHealth *self, TallHbaseEvent event)
{
  TallHbaseHealth next = *self;
  TallHbaseActions actions = 0;
  if (!move (&next, PRESENCE, event, &actions)
      || !move (&next, HBASE, weaken (event, actions), &actions)
      || !move (&next, TEST, event, &actions)
      || !move (&next, WATCH, actions & ASK ? E (WANTED) : event, &actions))
    return 0;
  for (guint i = 0; i < TALL_HBASE_N_REGIONS; i++)
    if (self->states[i] != next.states[i])
      g_atomic_int_set (&self->states[i], next.states[i]);
  return actions;
}

/**
 * tall_hbase_health_ask:
 *
 * Notes that the gateway is asked now.
 *
 * Returns: what is to be found out
 */
TallHbaseQuestion
tall_hbase_health_ask (TallHbaseHealth *self)
{
  gboolean alive = self->states[PRESENCE] == ALIVE;
  tall_hbase_health_note (self, E (ASKED));
  return (TallHbaseQuestion){
    .known = tall_hbase_health_is_known (self),
    .alive = alive,
    .test = self->states[PRESENCE] == REFUSED,
    .hbase = alive && self->states[HBASE] != ANSWERING,
  };
}

TallHbasePhase
tall_hbase_health_get_phase (const TallHbaseHealth *self)
{
  static const TallHbasePhase phases[] = {
    [NEW] = TALL_HBASE_PHASE_ASKED,       [ABSENT] = TALL_HBASE_PHASE_ASIDE,
    [ALIVE] = TALL_HBASE_PHASE_ALIVE,     [DOUBTED] = TALL_HBASE_PHASE_ASKED,
    [SUSPECTED] = TALL_HBASE_PHASE_ASKED, [ASIDE] = TALL_HBASE_PHASE_ASIDE,
    [FAILING] = TALL_HBASE_PHASE_ASIDE,   [REFUSED] = TALL_HBASE_PHASE_ASIDE,
  };
  return phases[self->states[PRESENCE]];
}

/**
 * tall_hbase_health_is_known:
 *
 * Returns: whether it was ever alive, so that connections may be lent
 */
gboolean
tall_hbase_health_is_known (const TallHbaseHealth *self)
{
  return self->states[PRESENCE] != NEW && self->states[PRESENCE] != ABSENT;
}

gboolean
tall_hbase_health_is_refused (const TallHbaseHealth *self)
{
  return self->states[PRESENCE] == REFUSED;
}

/**
 * tall_hbase_health_may_lend:
 *
 * Returns: whether its kept connections may be lent
 */
gboolean
tall_hbase_health_may_lend (const TallHbaseHealth *self)
{
  gint state = self->states[PRESENCE];
  return state == ALIVE || state == DOUBTED || state == ASIDE;
}

/**
 * tall_hbase_health_is_stalled:
 *
 * Returns: whether calls had no answer, so that it has no turn while other gateways do better
 */
gboolean
tall_hbase_health_is_stalled (const TallHbaseHealth *self)
{
  return self->states[HBASE] != ANSWERING;
}

/**
 * tall_hbase_health_is_mute:
 *
 * Returns: whether HBase behind it does not answer, although the gateway itself does
 */
gboolean
tall_hbase_health_is_mute (const TallHbaseHealth *self)
{
  return self->states[HBASE] == MUTE;
}

gboolean
tall_hbase_health_is_tested_now (const TallHbaseHealth *self)
{
  return self->states[TEST] == TESTING || self->states[TEST] == OUTDATED;
}

/**
 * tall_hbase_health_has_passed:
 *
 * Returns: whether HBase behind it does what writes rely on. Needs no lock
 */
gboolean
tall_hbase_health_has_passed (const TallHbaseHealth *self)
{
  return g_atomic_int_get (&self->states[TEST]) == PASSED;
}

gboolean
tall_hbase_health_is_watched (const TallHbaseHealth *self)
{
  return self->states[WATCH] != UNWATCHED;
}

/**
 * tall_hbase_health_must_be_asked:
 *
 * Returns: whether its thread has anything to do
 */
gboolean
tall_hbase_health_must_be_asked (const TallHbaseHealth *self)
{
  return self->states[PRESENCE] != ALIVE || self->states[HBASE] != ANSWERING
         || self->states[WATCH] == WANTED;
}
