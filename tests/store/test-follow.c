/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Every call of a front, while a migration comes between any two of its calls of the table: before
 * each of them in turn the tables are sealed, closed, switched, given back. All calls end as if
 * nothing had happened. */
#include "table/memory-table.h"
#include "tall-test-acts.h"
#include "tall-test-findings.h"
#include "tall-test-move.h"
#include "tall-must.h"

#define TOGETHER 24 /* rows */

/* What a migration does before one call, and then while the operation waits. */
typedef struct
{
  const char *name;
  TallTestStage at_call;
  TallTestStage at_wait; /* after that the operation goes on */
  gboolean aborts;       /* instead, when it waits */
  gboolean twice;        /* a second migration follows at once */
} Event;

static const Event events[] = {
  { "switched", TALL_TEST_SWITCHED, TALL_TEST_SWITCHED, FALSE, FALSE },
  { "dropped", TALL_TEST_DROPPED, TALL_TEST_DROPPED, FALSE, FALSE },
  { "announced", TALL_TEST_SEALING, TALL_TEST_SWITCHED, FALSE, FALSE },
  { "sealed", TALL_TEST_SEALED, TALL_TEST_SWITCHED, FALSE, FALSE },
  { "closed", TALL_TEST_CLOSED, TALL_TEST_DROPPED, FALSE, FALSE },
  { "seal-aborted", TALL_TEST_SEALED, TALL_TEST_RESTING, TRUE, FALSE },
  { "close-aborted", TALL_TEST_CLOSED, TALL_TEST_RESTING, TRUE, FALSE },
  { "two-missed", TALL_TEST_DROPPED, TALL_TEST_DROPPED, FALSE, TRUE },
};

/* From where to where. */
static const struct
{
  const char *layout[2];
  const char *key_strategy[2];
} ways[] = {
  { { "blob", "wide" }, { "hashed", "numeric" } },
  { { "wide", "record-type" }, { "numeric", "raw" } },
  { { "record-type", "denormalized" }, { "raw", "numeric" } },
  { { "denormalized", "normalized" }, { "salted", "hashed" } },
  { { "normalized", "blob" }, { "reversed", "numeric" } },
  { { "blob", "normalized" }, { "numeric", "numeric" } },
  { { "normalized", "record-type" }, { "hashed", "reversed" } },
};

typedef struct
{
  const TallTestAct *act;
  const Event *event;
  guint way;
  gboolean embedded; /* the table changes several rows in one step */

  TallTable *memory;
  TallTable *table; /* around it */
  TallTestClock clock;
  TallTestMove move;
  GMutex mutex; /* for what follows, and the move: some acts have several threads */
  guint at;     /* the call before which the event happens */
  guint n;      /* calls so far, but for those of the record */
  gboolean on;  /* the event has happened */
} Case;

static void
happen (Case *self)
{
  self->on = TRUE;
  tall_test_move_go (&self->move, self->event->at_call);
  if (!self->event->twice)
    return;
  tall_test_move_again (&self->move, "wide", "salted");
  tall_test_move_go (&self->move, self->event->at_call);
}

static TallFailure
before_call (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Case *self = data;
  if (g_strcmp0 (call->table, "meta") == 0)
    return TALL_FAILURE_NONE;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  if (self->n++ == self->at)
    happen (self);
  return TALL_FAILURE_NONE;
}

static void
on_sleep (gpointer data)
{
  Case *self = data;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  if (!self->on)
    return;
  if (self->event->aborts)
    tall_test_move_abort (&self->move);
  else
    tall_test_move_go (&self->move, self->event->at_wait);
}

static void
set_up (Case *self)
{
  self->memory = tall_memory_table_new ();
  if (self->embedded)
    tall_memory_table_set_together (TALL_MEMORY_TABLE (self->memory), TOGETHER);
  tall_test_create (self->memory, ways[self->way].layout[0], ways[self->way].key_strategy[0], 0);
  g_autoptr (TallStore) store = tall_test_open (self->memory, NULL);
  tall_test_acts_prepare (TALL_FRONT (store));
  self->table = tall_failing_table_new (self->memory);
  if (self->embedded)
    tall_failing_table_set_info (TALL_FAILING_TABLE (self->table), TALL_FAILING_EMBEDDED);
  self->move = (TallTestMove){ .table = self->memory,
                               .layout = ways[self->way].layout[1],
                               .key_strategy = ways[self->way].key_strategy[1],
                               .has_index = TRUE };
  self->clock = (TallTestClock){ .now = g_get_real_time () / 1000 + 1000,
                                 .on_sleep = on_sleep,
                                 .data = self };
}

static void
tear_down (Case *self)
{
  g_clear_object (&self->table);
  g_clear_object (&self->memory);
}

/* Another process, that comes later, finds what was promised, and nothing else. */
static void
check (Case *self)
{
  TallVerifySummary summary;
  const TallVerifyOptions options = { .alone = TRUE };
  g_autoptr (TallStore) store = tall_test_open (self->memory, NULL);
  self->act->check (TALL_FRONT (store));
  must (tall_front_verify (TALL_FRONT (store), &options, &summary, &error));
  g_assert_cmpuint (self->event->aborts ? summary.n_for_person : summary.n_findings, ==, 0);
}

/* Returns: whether the operation had so many calls */
static gboolean
run_at (Case *self, guint at)
{
  set_up (self);
  self->at = at;
  self->n = 0;
  self->on = FALSE;
  g_autoptr (TallStore) store = tall_test_open (self->table, &self->clock);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (self->table), before_call, NULL, self);
  g_autoptr (GError) error = self->act->run (TALL_FRONT (store));
  g_assert_no_error (error);
  on_sleep (self); /* if the operation did not wait for it */
  if (self->on)
    check (self);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (self->table), NULL, NULL, NULL);
  g_clear_object (&store);
  tear_down (self);
  return self->on;
}

static void
test (gconstpointer data)
{
  Case self = *(const Case *)data;
  for (guint embedded = 0; embedded < 2; embedded++)
    {
      guint at = 0;
      self.embedded = embedded != 0;
      while (run_at (&self, at))
        at++;
      g_assert_cmpuint (at, >, 0);
    }
}

int
main (int argc, char **argv)
{
  guint n;
  const TallTestAct *acts = tall_test_acts (&n);
  g_test_init (&argc, &argv, NULL);
  for (guint way = 0; way < G_N_ELEMENTS (ways); way++)
    for (guint i = 0; i < G_N_ELEMENTS (events); i++)
      for (guint j = 0; j < n; j++)
        {
          g_autofree char *path =
              g_strdup_printf ("/follow/%s-%s/%s/%s", ways[way].layout[0], ways[way].layout[1],
                               events[i].name, acts[j].name);
          Case *one = g_new0 (Case, 1);
          *one = (Case){ .act = &acts[j], .event = &events[i], .way = way };
          g_test_add_data_func_full (path, one, test, g_free);
        }
  return g_test_run ();
}
