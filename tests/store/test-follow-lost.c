/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* A put or delete, one of whose calls fails, with a migration at the same time, and perhaps another
 * writer just before the seal. Late calls arrive at the very end. Whatever the operation answers is
 * true: what is done is done once, what is not done never happens. */
#include "tall-error.h"
#include "table/forwarding-table.h"
#include "table/memory-table.h"
#include "tall-test-acts.h"
#include "tall-test-move.h"

#define ORDER "1"

/* ---- A table that refuses what a gateway sends once more later ---- */

#define TEST_TYPE_REPEATING (test_repeating_get_type ())
G_DECLARE_FINAL_TYPE (TestRepeating, test_repeating, TEST, REPEATING, TallForwardingTable)

struct _TestRepeating
{
  TallForwardingTable parent_instance;
  gboolean refuses; /* "shut" instead of "outcome unknown" */
};

G_DEFINE_FINAL_TYPE (TestRepeating, test_repeating, TALL_TYPE_FORWARDING_TABLE)

static gboolean
test_repeating_apply_if (TallTable *table,
                         const TallConditionalWrite *write,
                         gboolean *matched,
                         GError **error)
{
  gboolean done =
      TALL_TABLE_CLASS (test_repeating_parent_class)->apply_if (table, write, matched, error);
  if (!done && TEST_REPEATING (table)->refuses
      && g_error_matches (*error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN))
    (*error)->code = TALL_ERROR_SHUT;
  return done;
}

static void
test_repeating_init (TestRepeating *self G_GNUC_UNUSED)
{
}

static void
test_repeating_class_init (TestRepeatingClass *klass)
{
  TALL_TABLE_CLASS (klass)->apply_if = test_repeating_apply_if;
}

/* ---- Cases ---- */

typedef enum
{
  PUT,
  PUT_NEW,
  DELETE,
  N_ACTS,
} Act;

/* What a migration does before the call, while the operation waits, and when it has ended. */
typedef struct
{
  const char *name;
  TallTestStage at_call;
  TallTestStage at_wait; /* the same: its time ends in the pause */
  gboolean aborts;       /* at the wait, or in the end */
} Event;

static const Event events[] = {
  { "switched", TALL_TEST_SWITCHED, TALL_TEST_SWITCHED, FALSE },
  { "sealed", TALL_TEST_SEALED, TALL_TEST_SWITCHED, FALSE },
  { "aborted", TALL_TEST_SEALED, TALL_TEST_RESTING, TRUE },
  { "late", TALL_TEST_SEALED, TALL_TEST_SEALED, FALSE },
  { "late-aborted", TALL_TEST_SEALED, TALL_TEST_SEALED, TRUE },
  { "closed-aborted", TALL_TEST_CLOSED, TALL_TEST_CLOSED, TRUE },
};

static const char *const ways[][2] = {
  { "blob", "wide" },
  { "blob", "normalized" },
  { "record-type", "denormalized" },
  { "denormalized", "blob" },
};

static const TallFailure failures[] = { TALL_FAILURE_NONE, TALL_FAILURE_BEFORE, TALL_FAILURE_LOST,
                                        TALL_FAILURE_LATE, TALL_FAILURE_FALSE };

typedef struct
{
  Act act;
  const Event *event;
  const char *const *way;
  TallFailure failure;
  gboolean refuses; /* with TALL_FAILURE_LATE: says "shut" */
  gboolean rival;   /* somebody writes just before the event */
  guint delay;      /* calls from the failure to the event */
  guint broken;     /* calls from the failure to where all of them fail; 0: they do not */

  TallTable *memory;
  TallTable *failing;
  TallTable *table;
  TallTestClock clock, rival_clock;
  TallTestMove move;
  guint at, n;
  gboolean on;
  guint seen; /* by the rival: the writer, before it wrote */
  guint n_unknown;
} Case;

static guint
get_effect (const Case *self)
{
  return self->act == DELETE ? 0 : 2;
}

static guint
get_before (const Case *self)
{
  return self->act == PUT_NEW ? 0 : 1;
}

static void
write_as_rival (Case *self)
{
  self->rival_clock = (TallTestClock){ .now = self->clock.now, .patience = 1 };
  g_autoptr (TallStore) store = tall_test_open (self->memory, &self->rival_clock);
  self->seen = tall_test_get_writer (TALL_FRONT (store), ORDER);
  tall_test_put_writer (TALL_FRONT (store), ORDER, 3);
}

static TallFailure
before_call (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Case *self = data;
  if (g_strcmp0 (call->table, "meta") == 0)
    return TALL_FAILURE_NONE;
  guint n = self->n++;
  if (n == self->at + self->delay)
    {
      self->on = TRUE;
      if (self->rival)
        write_as_rival (self);
      tall_test_move_go (&self->move, self->event->at_call);
    }
  if (self->broken != 0 && n >= self->at + self->broken)
    return TALL_FAILURE_BEFORE;
  return n == self->at ? self->failure : TALL_FAILURE_NONE;
}

static void
go_on (Case *self)
{
  if (self->event->aborts)
    tall_test_move_abort (&self->move);
  else
    tall_test_move_go (&self->move, MAX (self->event->at_wait, TALL_TEST_SWITCHED));
}

static void
on_sleep (gpointer data)
{
  Case *self = data;
  if (self->on && self->event->at_wait != self->event->at_call)
    go_on (self);
}

static void
set_up (Case *self)
{
  self->memory = tall_memory_table_new ();
  tall_test_create (self->memory, self->way[0], "hashed", 0);
  gint64 now = g_get_real_time () / 1000 + 1000;
  self->rival_clock = (TallTestClock){ .now = now };
  g_autoptr (TallStore) store = tall_test_open (self->memory, &self->rival_clock);
  if (self->act != PUT_NEW)
    tall_test_put_writer (TALL_FRONT (store), ORDER, 1);
  self->failing = tall_failing_table_new (self->memory);
  TestRepeating *repeating = g_object_new (TEST_TYPE_REPEATING, NULL);
  tall_forwarding_table_wrap (TALL_FORWARDING_TABLE (repeating), self->failing);
  repeating->refuses = self->refuses;
  self->table = TALL_TABLE (repeating);
  if (self->failure != TALL_FAILURE_FALSE && !self->refuses)
    tall_failing_table_set_info (TALL_FAILING_TABLE (self->failing), TALL_FAILING_EMBEDDED);
  self->move = (TallTestMove){
    .table = self->memory, .layout = self->way[1], .key_strategy = "raw", .has_index = TRUE
  };
  self->clock = (TallTestClock){ .now = now, .patience = 1, .on_sleep = on_sleep, .data = self };
}

static void
tear_down (Case *self)
{
  g_clear_object (&self->table);
  g_clear_object (&self->failing);
  g_clear_object (&self->memory);
}

static gboolean
act (Case *self, TallFront *front, GError **error)
{
  const TallWriteOptions absent = { .condition = TALL_IF_ABSENT };
  if (self->act == DELETE)
    return tall_front_delete_order (front, TALL_TEST_CUSTOMER, ORDER, NULL, error);
  g_autoptr (TallOrder) order = tall_test_marked_order (ORDER, 2, 1, 2);
  return tall_front_put_order (front, order, self->act == PUT_NEW ? &absent : NULL, NULL, error);
}

/* @error: (nullable): what the operation has answered */
static void
check (Case *self, guint found, const GError *error)
{
  gboolean unknown = g_error_matches (error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN);
  gboolean was_seen =
      self->rival && self->seen == get_effect (self) && get_effect (self) != get_before (self);
  guint without = self->rival ? 3 : get_before (self);
  gboolean good;
  if (was_seen)
    good = found == 3 && (error == NULL || unknown);
  else if (error == NULL)
    good = found == get_effect (self);
  else
    good = found == without || (unknown && found == get_effect (self));
  self->n_unknown += unknown;
  if (!good)
    g_error ("act %d at call %u, failure %d: the rival saw %u, %u is there, and the answer was: %s",
             self->act, self->at, self->failure, self->seen, found,
             error != NULL ? error->message : "done");
  g_assert_false (g_error_matches (error, TALL_ERROR, TALL_ERROR_SHUT));
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
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (self->failing), before_call, NULL, self);
  g_autoptr (GError) error = NULL;
  gboolean done = act (self, TALL_FRONT (store), &error);
  g_assert_true (done == (error == NULL));
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (self->failing), NULL, NULL, NULL);
  if (self->on)
    {
      go_on (self);
      tall_failing_table_deliver_late (TALL_FAILING_TABLE (self->failing));
      g_autoptr (TallStore) other = tall_test_open (self->memory, NULL);
      check (self, tall_test_get_writer (TALL_FRONT (other), ORDER), error);
    }
  gboolean reached = self->n > at;
  g_clear_object (&store);
  tear_down (self);
  return reached;
}

/* All failures, at each call in turn. */
static void
test (gconstpointer data)
{
  Case self = *(const Case *)data;
  for (guint i = 0; i < 2 * 2 * G_N_ELEMENTS (failures); i++)
    {
      self.rival = i & 1;
      self.delay = i >> 1 & 1;
      self.failure = failures[i >> 2];
      guint at = 0;
      while (run_at (&self, at))
        at++;
      g_assert_cmpuint (at, >, 0);
      g_assert_true (self.failure != TALL_FAILURE_NONE || self.n_unknown == 0);
    }
  self.failure = TALL_FAILURE_LATE;
  self.refuses = TRUE;
  self.delay = 0;
  for (self.broken = 0; self.broken < 8; self.broken++)
    for (guint at = 0; run_at (&self, at); at++)
      ;
  g_test_message ("%u outcomes unknown", self.n_unknown);
}

int
main (int argc, char **argv)
{
  static const char *const acts[N_ACTS] = { "put", "put-new", "delete" };
  g_test_init (&argc, &argv, NULL);
  for (guint way = 0; way < G_N_ELEMENTS (ways); way++)
    for (guint i = 0; i < G_N_ELEMENTS (events); i++)
      for (Act j = 0; j < N_ACTS; j++)
        {
          g_autofree char *path = g_strdup_printf ("/follow-lost/%s-%s/%s/%s", ways[way][0],
                                                   ways[way][1], events[i].name, acts[j]);
          Case *one = g_new0 (Case, 1);
          *one = (Case){ .act = j, .event = &events[i], .way = ways[way] };
          g_test_add_data_func_full (path, one, test, g_free);
        }
  return g_test_run ();
}
