/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/health.h"

#include <string.h>

/* The state machine of a gateway's health: its tables against those of the README, and where every
 * order of events leads. */

#define N_REGIONS TALL_HBASE_N_REGIONS

enum
{
  PRESENCE,
  HBASE,
  TEST,
  WATCH,
};

static char *readme;

/* The cells of a line of a table; NULL if it is none. */
static GStrv
split_line (const char *line)
{
  gsize len = strlen (line);
  if (len < 4 || line[0] != '|' || line[len - 1] != '|')
    return NULL;
  g_autofree char *inner = g_strndup (line + 1, len - 2);
  GStrv cells = g_strsplit (inner, "|", -1);
  for (guint i = 0; cells[i] != NULL; i++)
    g_strstrip (cells[i]);
  return cells;
}

/* The lines of the README's table whose first line begins with @title, without the two of its head.
 */
static GPtrArray *
find_table (const char *title, const char *second)
{
  g_auto (GStrv) lines = g_strsplit (readme, "\n", -1);
  g_autofree char *head = g_strdup_printf ("| %s | %s |", title, second);
  GPtrArray *rows = g_ptr_array_new_with_free_func ((GDestroyNotify)g_strfreev);
  guint i = 0;
  while (lines[i] != NULL
         && !(g_str_has_prefix (lines[i], head) && g_str_has_prefix (lines[i + 1], "| ---")))
    i++;
  g_assert_nonnull (lines[i]);
  for (GStrv cells; i += rows->len == 0 ? 2 : 1, (cells = split_line (lines[i])) != NULL;)
    g_ptr_array_add (rows, cells);
  return rows;
}

static guint
find_state (const TallHbaseRegion *region, const char *name)
{
  for (guint i = 0; i < region->n_states; i++)
    if (g_str_equal (region->states[i], name))
      return i + 1;
  g_error ("%s has no state \"%s\"", region->name, name);
}

static TallHbaseEvent
find_event (const char *name)
{
  for (guint i = 0; i < TALL_HBASE_N_EVENTS; i++)
    if (g_str_equal (tall_hbase_event_get_name (i), name))
      return i;
  g_error ("there is no event \"%s\"", name);
}

static guint
find_action (const char *name)
{
  static const char *const names[] = { "pause", "close", "discard", "ask", "start", "wake" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i], name))
      return TALL_HBASE_PAUSE << i;
  g_error ("there is no action \"%s\"", name);
}

/* What a cell of the README says, as the program's tables say it. */
static guint
parse_move (const TallHbaseRegion *region, const char *cell)
{
  if (g_str_equal (cell, "–"))
    return 0;
  g_auto (GStrv) words = g_strsplit (cell, ", ", -1);
  guint move = find_state (region, words[0]);
  for (guint i = 1; words[i] != NULL; i++)
    move |= find_action (words[i]);
  return move;
}

static void
expect_row (const TallHbaseRegion *region, GStrv cells, gboolean *listed)
{
  TallHbaseEvent event = find_event (cells[0]);
  g_assert_cmpuint (g_strv_length (cells), ==, 1 + region->n_states);
  g_assert_false (listed[event]);
  listed[event] = TRUE;
  for (guint i = 0; i < region->n_states; i++)
    {
      if (region->moves[event][i] != parse_move (region, cells[1 + i]))
        g_error ("%s: %s, %s: not %s", region->name, region->states[i], cells[0], cells[1 + i]);
    }
}

/* Every state and event of the program is in the README, with the same transition. */
static void
test_readme (void)
{
  for (guint i = 0; i < N_REGIONS; i++)
    {
      const TallHbaseRegion *region = tall_hbase_health_get_region (i);
      gboolean listed[TALL_HBASE_N_EVENTS] = { FALSE };
      g_autoptr (GPtrArray) rows = find_table (region->name, region->states[0]);
      for (guint j = 0; j < rows->len; j++)
        expect_row (region, g_ptr_array_index (rows, j), listed);
      for (guint event = 0; event < TALL_HBASE_N_EVENTS; event++)
        for (guint state = 0; !listed[event] && state < region->n_states; state++)
          g_assert_cmphex (region->moves[event][state], ==, 0);
    }
}

static TallHbaseHealth
in_state (guint region, guint state)
{
  TallHbaseHealth health;
  tall_hbase_health_init (&health);
  health.states[region] = (gint)state;
  return health;
}

/* What the pool may do in each state of the gateway. */
static void
test_presence (void)
{
  static const char *const phases[] = { "asked", "alive", "aside" };
  g_autoptr (GPtrArray) rows = find_table ("state", "shown as");
  g_assert_cmpuint (rows->len, ==, tall_hbase_health_get_region (PRESENCE)->n_states);
  for (guint i = 0; i < rows->len; i++)
    {
      GStrv cells = g_ptr_array_index (rows, i);
      guint state = find_state (tall_hbase_health_get_region (PRESENCE), cells[0]);
      TallHbaseHealth health = in_state (PRESENCE, state);
      gboolean alive = tall_hbase_health_get_phase (&health) == TALL_HBASE_PHASE_ALIVE;
      gboolean known = !g_str_equal (cells[0], "new") && !g_str_equal (cells[0], "absent");
      g_assert_cmpuint (state, ==, i + 1);
      g_assert_cmpstr (cells[1], ==, phases[tall_hbase_health_get_phase (&health)]);
      g_assert_cmpstr (cells[2], ==, tall_hbase_health_may_lend (&health) ? "lent" : "–");
      g_assert_cmpstr (cells[3], ==, alive ? "opened" : "–");
      g_assert_cmpint (tall_hbase_health_is_known (&health), ==, known);
      g_assert_cmpint (tall_hbase_health_is_refused (&health), ==,
                       g_str_equal (cells[0], "refused"));
      g_assert_cmpint (tall_hbase_health_must_be_asked (&health), ==, !alive);
    }
}

/* What the other parts mean. */
static void
test_parts (void)
{
  gint alive = (gint)find_state (tall_hbase_health_get_region (PRESENCE), "alive");
  for (guint i = 1; i <= 3; i++)
    {
      TallHbaseHealth health = in_state (HBASE, i);
      health.states[PRESENCE] = alive;
      g_assert_cmpint (tall_hbase_health_is_stalled (&health), ==, i > 1);
      g_assert_cmpint (tall_hbase_health_must_be_asked (&health), ==, i > 1);
      g_assert_cmpint (tall_hbase_health_is_mute (&health), ==, i == 3);
      health = in_state (WATCH, i);
      health.states[PRESENCE] = alive;
      g_assert_cmpint (tall_hbase_health_is_watched (&health), ==, i > 1);
      g_assert_cmpint (tall_hbase_health_must_be_asked (&health), ==, i == 3);
    }
  for (guint i = 1; i <= 4; i++)
    {
      TallHbaseHealth health = in_state (TEST, i);
      g_assert_cmpint (tall_hbase_health_is_tested_now (&health), ==, i == 2 || i == 3);
      g_assert_cmpint (tall_hbase_health_has_passed (&health), ==, i == 4);
    }
}

static guint
find_move (const TallHbaseHealth *health, guint i, TallHbaseEvent event)
{
  return tall_hbase_health_get_region (i)->moves[event][health->states[i] - 1];
}

/* If an event does not concern a part, the part stays as it is. */
static gboolean
is_concerned (guint i, TallHbaseEvent event)
{
  const TallHbaseRegion *region = tall_hbase_health_get_region (i);
  for (guint state = 0; state < region->n_states; state++)
    if (region->moves[event][state] != 0)
      return TRUE;
  return FALSE;
}

/* The event that a part sees, by the rules beside the README's tables. */
static TallHbaseEvent
translate (guint i, TallHbaseEvent event, guint presence)
{
  if (i == WATCH && (presence & TALL_HBASE_ASK))
    return TALL_HBASE_EVENT_WANTED;
  if (i != HBASE || !(presence & TALL_HBASE_DISCARD))
    return event;
  return event == TALL_HBASE_EVENT_REACHED ? TALL_HBASE_EVENT_CALL_DONE : TALL_HBASE_EVENT_ANSWERED;
}

static void
expect_note (const TallHbaseHealth *before, TallHbaseEvent event)
{
  TallHbaseHealth next = *before;
  TallHbaseHealth after = *before;
  guint actions = 0;
  gboolean possible = TRUE;
  for (guint i = 0; i < N_REGIONS; i++)
    {
      TallHbaseEvent seen = translate (i, event, find_move (before, PRESENCE, event));
      guint move = find_move (before, i, seen);
      if (move != 0)
        next.states[i] = (gint)(move & TALL_HBASE_STATE_MASK);
      possible = possible && (move != 0 || !is_concerned (i, seen));
      actions |= move & ~(guint)TALL_HBASE_STATE_MASK;
    }
  if (!possible)
    g_test_expect_message ("tallorder", G_LOG_LEVEL_CRITICAL, "*cannot happen in the state*");
  TallHbaseActions told = tall_hbase_health_note (&after, event);
  g_test_assert_expected_messages ();
  g_assert_cmphex (told, ==, possible ? actions : 0);
  g_assert_cmpmem (&after, sizeof after, possible ? &next : before, sizeof next);
}

static guint
n_states (guint i)
{
  return tall_hbase_health_get_region (i)->n_states;
}

/* Numbers for all combinations of states. */
static TallHbaseHealth
combine (guint number)
{
  TallHbaseHealth health;
  for (guint i = 0; i < N_REGIONS; number /= n_states (i++))
    health.states[i] = (gint)(number % n_states (i) + 1);
  return health;
}

static guint
get_number (const TallHbaseHealth *health)
{
  guint number = 0;
  for (guint i = N_REGIONS; i-- > 0;)
    number = number * n_states (i) + (guint)health->states[i] - 1;
  return number;
}

#define N_COMBINATIONS (8 * 3 * 4 * 3)

/* Every event in every combination of states: if it cannot happen, that is reported and nothing
 * changes. */
static void
test_every_pair (void)
{
  for (guint i = 0; i < N_COMBINATIONS; i++)
    for (guint event = 0; event < TALL_HBASE_N_EVENTS; event++)
      {
        TallHbaseHealth health = combine (i);
        g_assert_cmpuint (get_number (&health), ==, i);
        expect_note (&health, event);
      }
}

/* What the thread is about to find out. */
typedef enum
{
  QUESTION_NONE,
  QUESTION_FIRST, /* it was not alive */
  QUESTION_ALIVE,
  QUESTION_HBASE, /* it was alive, and HBase is asked, too */
  N_QUESTIONS,
} Question;

typedef struct
{
  TallHbaseHealth health;
  Question question;
} World;

#define N_WORLDS (N_COMBINATIONS * N_QUESTIONS)

typedef struct
{
  gboolean seen[N_WORLDS];
  GArray *worlds; /* of World: those seen */
  GArray *steps;  /* of Step */
  gboolean used[N_REGIONS][TALL_HBASE_N_EVENTS][TALL_HBASE_MAX_STATES];
} Search;

/* From one world to another. */
typedef struct
{
  guint from;
  guint to;
} Step;

static guint
get_world_number (const World *world)
{
  return get_number (&world->health) * N_QUESTIONS + world->question;
}

static void
reach (Search *self, const World *from, const World *to)
{
  Step step = { get_world_number (from), get_world_number (to) };
  g_array_append_val (self->steps, step);
  if (self->seen[step.to])
    return;
  self->seen[step.to] = TRUE;
  g_array_append_val (self->worlds, *to);
}

/* Ends the process if the event cannot happen. */
static TallHbaseActions
note (Search *self, TallHbaseHealth *health, TallHbaseEvent event)
{
  guint presence = find_move (health, PRESENCE, event);
  for (guint i = 0; i < N_REGIONS; i++)
    self->used[i][translate (i, event, presence)][health->states[i] - 1] = TRUE;
  return tall_hbase_health_note (health, event);
}

/* If a thread must be started, it also may not start. */
static void
try_event (Search *self, const World *from, TallHbaseEvent event, Question question)
{
  World to = { from->health, question };
  TallHbaseActions actions = note (self, &to.health, event);
  reach (self, from, &to);
  if (!(actions & TALL_HBASE_START))
    return;
  note (self, &to.health, TALL_HBASE_EVENT_UNWATCHABLE);
  reach (self, from, &to);
}

/* What the thread does. */
static void
try_thread (Search *self, const World *from)
{
  TallHbaseHealth health = from->health;
  if (!tall_hbase_health_is_watched (&health))
    return;
  if (from->question != QUESTION_NONE)
    {
      try_event (self, from, TALL_HBASE_EVENT_SILENT, QUESTION_NONE);
      try_event (self, from,
                 from->question == QUESTION_FIRST ? TALL_HBASE_EVENT_ANSWERED
                                                  : TALL_HBASE_EVENT_CONFIRMED,
                 QUESTION_NONE);
      if (from->question == QUESTION_HBASE)
        try_event (self, from, TALL_HBASE_EVENT_REACHED, QUESTION_NONE);
      return;
    }
  if (!tall_hbase_health_must_be_asked (&health))
    {
      try_event (self, from, TALL_HBASE_EVENT_UNWATCHED, QUESTION_NONE);
      return;
    }
  note (self, &health, TALL_HBASE_EVENT_UNWATCHED); /* the pool is closed: nothing follows */
  health = from->health;
  TallHbaseQuestion asked = tall_hbase_health_ask (&health);
  g_assert_cmpint (asked.known, ==, tall_hbase_health_is_known (&health));
  g_assert_cmpint (asked.test, ==, tall_hbase_health_is_refused (&health));
  g_assert_true (!asked.hbase || (asked.alive && tall_hbase_health_is_stalled (&health)));
  try_event (self, from, TALL_HBASE_EVENT_ASKED,
             asked.hbase   ? QUESTION_HBASE
             : asked.alive ? QUESTION_ALIVE
                           : QUESTION_FIRST);
}

/* What callers do, with connections that they have or take. */
static void
try_callers (Search *self, const World *from)
{
  const TallHbaseHealth *health = &from->health;
  gboolean alive = tall_hbase_health_get_phase (health) == TALL_HBASE_PHASE_ALIVE;
  try_event (self, from, TALL_HBASE_EVENT_TEST_OUTDATED, from->question);
  if (alive || !tall_hbase_health_is_watched (health))
    try_event (self, from, TALL_HBASE_EVENT_WANTED, from->question);
  if (!tall_hbase_health_is_known (health))
    return;
  try_event (self, from, TALL_HBASE_EVENT_UNCERTAIN, from->question);
  try_event (self, from, TALL_HBASE_EVENT_CALL_FAILED, from->question);
  try_event (self, from, TALL_HBASE_EVENT_CALL_LATE, from->question);
  if (!tall_hbase_health_is_refused (health))
    try_event (self, from, TALL_HBASE_EVENT_CALL_DONE, from->question);
  if (tall_hbase_health_is_tested_now (health))
    {
      try_event (self, from, TALL_HBASE_EVENT_TEST_PASSED, from->question);
      try_event (self, from, TALL_HBASE_EVENT_TEST_FAILED, from->question);
      try_event (self, from, TALL_HBASE_EVENT_TEST_ENDED, from->question);
    }
  else if (!tall_hbase_health_has_passed (health))
    try_event (self, from, TALL_HBASE_EVENT_TEST_BEGUN, from->question);
}

static void
search_init (Search *self)
{
  World first = { .question = QUESTION_NONE };
  tall_hbase_health_init (&first.health);
  memset (self, 0, sizeof *self);
  self->worlds = g_array_new (FALSE, FALSE, sizeof (World));
  self->steps = g_array_new (FALSE, FALSE, sizeof (Step));
  reach (self, &first, &first);
  for (guint i = 0; i < self->worlds->len; i++)
    {
      World world = g_array_index (self->worlds, World, i);
      try_thread (self, &world);
      try_callers (self, &world);
    }
}

static void
search_clear (Search *self)
{
  g_array_unref (self->worlds);
  g_array_unref (self->steps);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Search, search_clear)

/* Every transition of the tables can happen, and only those. */
static void
test_all_happen (void)
{
  g_auto (Search) search;
  search_init (&search);
  g_test_message ("%u of %d combinations", search.worlds->len, N_WORLDS);
  for (guint i = 0; i < N_REGIONS; i++)
    for (guint event = 0; event < TALL_HBASE_N_EVENTS; event++)
      for (guint state = 0; is_concerned (i, event) && state < n_states (i); state++)
        {
          const TallHbaseRegion *region = tall_hbase_health_get_region (i);
          if (search.used[i][event][state] != (region->moves[event][state] != 0))
            g_error ("%s: %s, %s: %s", region->name, region->states[state],
                     tall_hbase_event_get_name (event),
                     search.used[i][event][state] ? "happens" : "never happens");
        }
}

static gboolean
is_well (const World *world)
{
  return !tall_hbase_health_must_be_asked (&world->health)
         && tall_hbase_health_has_passed (&world->health);
}

/* Whatever has happened, the gateway may become well again. */
static void
test_never_stuck (void)
{
  g_auto (Search) search;
  gboolean ends_well[N_WORLDS] = { FALSE };
  search_init (&search);
  for (guint i = 0; i < search.worlds->len; i++)
    {
      const World *world = &g_array_index (search.worlds, World, i);
      ends_well[get_world_number (world)] = is_well (world);
    }
  for (gboolean more = TRUE; more;)
    {
      more = FALSE;
      for (guint i = 0; i < search.steps->len; i++)
        {
          Step step = g_array_index (search.steps, Step, i);
          more |= ends_well[step.to] && !ends_well[step.from];
          ends_well[step.from] |= ends_well[step.to];
        }
    }
  for (guint i = 0; i < N_WORLDS; i++)
    g_assert_cmpint (search.seen[i], ==, ends_well[i]);
}

/* A gateway that must be asked has a thread, unless that could not be started for one that is
 * refused. */
static void
test_always_asked (void)
{
  g_auto (Search) search;
  search_init (&search);
  for (guint i = 0; i < search.worlds->len; i++)
    {
      const World *world = &g_array_index (search.worlds, World, i);
      if (tall_hbase_health_must_be_asked (&world->health)
          && !tall_hbase_health_is_watched (&world->health) && i > 0)
        g_assert_cmpint (tall_hbase_health_get_phase (&world->health), ==, TALL_HBASE_PHASE_ASIDE);
    }
}

int
main (int argc, char **argv)
{
  g_autofree char *path =
      g_build_filename (g_getenv ("TALL_SOURCE_ROOT"), "src", "table", "hbase", "README.md", NULL);
  g_autoptr (GError) error = NULL;
  g_test_init (&argc, &argv, NULL);
  g_file_get_contents (path, &readme, NULL, &error);
  g_assert_no_error (error);
  g_test_add_func ("/table/hbase/health/readme", test_readme);
  g_test_add_func ("/table/hbase/health/presence", test_presence);
  g_test_add_func ("/table/hbase/health/parts", test_parts);
  g_test_add_func ("/table/hbase/health/every-pair", test_every_pair);
  g_test_add_func ("/table/hbase/health/all-happen", test_all_happen);
  g_test_add_func ("/table/hbase/health/never-stuck", test_never_stuck);
  g_test_add_func ("/table/hbase/health/always-asked", test_always_asked);
  int status = g_test_run ();
  g_free (readme);
  return status;
}
