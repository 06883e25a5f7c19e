/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* A migrator dies at each of its calls of the tables, and another process goes on, or gives up. */
#include "tall-error.h"
#include "tall-moving.h"
#include "tall-test-pairs.h"

/* How a call ends at which a process dies, and what another process does then. */
typedef struct
{
  const TallLayout *from;
  const TallLayout *to;
  TallFailure how;
  gboolean aborts;
  gboolean reopened; /* an earlier migration was given up when a table was closed */
} Death;

/* When it dies. */
typedef struct
{
  guint at;
  TallFailure how;
  gint dead; /* atomic: workers copy */
} Life;

static TallFailure
before_call (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Life *life = data;
  if (call->index < life->at)
    return TALL_FAILURE_NONE;
  g_atomic_int_set (&life->dead, TRUE);
  return call->index > life->at ? TALL_FAILURE_BEFORE : life->how;
}

/* It may have switched by its last call. */
static void
give_up (TallMoving *moving)
{
  gboolean switched = tall_moving_get_generation (moving) != TALL_FIRST_GENERATION;
  tall_moving_abort (moving);
  if (switched)
    tall_moving_expect_moved (moving);
  else
    tall_moving_expect_unmoved (moving);
}

static gboolean
die_at (const Death *death, guint at)
{
  g_autoptr (GError) error = NULL;
  g_auto (TallMoving) moving = { 0 };
  Life life = { .at = at, .how = death->how };
  tall_moving_init (&moving, death->from, death->to);
  if (death->reopened)
    tall_moving_give_up_closed (&moving);
  moving.options.settled = TRUE; /* the one that dies aborts nothing */
  TallFailingTable *table = TALL_FAILING_TABLE (moving.side.table);
  tall_failing_table_set_hooks (table, before_call, NULL, &life);
  gboolean done = tall_moving_run (&moving, moving.side.table, &error);
  g_assert_true (done || life.dead);
  if (!life.dead)
    return FALSE;
  if (death->aborts)
    give_up (&moving);
  if (tall_moving_get_generation (&moving) == TALL_FIRST_GENERATION)
    tall_moving_finish (&moving);
  tall_moving_expect_moved (&moving);
  tall_failing_table_deliver_late (table);
  tall_moving_expect_moved (&moving);
  return TRUE;
}

static void
test_death (gconstpointer data)
{
  const Death *death = data;
  guint n = (death->how + death->aborts) % tall_test_step ();
  while (die_at (death, n))
    n += tall_test_step ();
  g_test_message ("%u calls", n);
  g_assert_cmpuint (n, >, 40);
}

static void
add (const Death *what, const char *name)
{
  for (guint i = 0; i < 2; i++)
    {
      Death *death = g_memdup2 (what, sizeof *what); /* tests keep it */
      death->aborts = i == 1;
      g_autofree char *path =
          g_strdup_printf ("/migrate/killed/%s-%s/%s/%s", what->from->name, what->to->name, name,
                           i == 1 ? "aborted" : "resumed");
      g_test_add_data_func_full (path, death, test_death, g_free);
    }
}

int
main (int argc, char **argv)
{
  static const struct
  {
    Death death;
    const char *name;
  } deaths[] = {
    { { &tall_layout_blob, &tall_layout_normalized, TALL_FAILURE_BEFORE }, "before" },
    { { &tall_layout_record_type, &tall_layout_blob, TALL_FAILURE_LOST }, "after" },
    { { &tall_layout_normalized, &tall_layout_record_type, TALL_FAILURE_PARTLY }, "half-way" },
    { { &tall_layout_denormalized, &tall_layout_wide, TALL_FAILURE_LATE }, "late" },
    { { &tall_layout_blob, &tall_layout_wide, TALL_FAILURE_BEFORE, .reopened = TRUE }, "opened" },
  };
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (deaths); i++)
    add (&deaths[i].death, deaths[i].name);
  return g_test_run ();
}
