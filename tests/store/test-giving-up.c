/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Claims that come to nothing, given up or abandoned: what was written for them goes, and nothing
 * else does. */
#include <string.h>

#include "tall-error.h"
#include "tall-stepper.h"
#include "tall-must.h"

#define READ TALL_CALL_READ
#define APPLY TALL_CALL_APPLY
#define APPLY_IF TALL_CALL_APPLY_IF

#define N_REFUSED 20
#define N_LINES 100

/* A client whose puts do not get through, and what lies in the tables. */
typedef struct
{
  const TallLayout *layout;
  TallTable *table;
  TallTable *failing;
  TallStore *store;
  gboolean commits_fail;
  gboolean removals_fail;
} Client;

static TallFailure
break_calls (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  const Client *self = data;
  if (call->kind != APPLY && call->kind != APPLY_IF)
    return TALL_FAILURE_NONE;
  const TallMutation *mutation = call->mutations[0];
  gboolean is_commit = call->kind == APPLY_IF && mutation->n_changes > 1;
  gboolean is_removal = call->kind == APPLY && mutation->changes[0].kind != TALL_CHANGE_PUT;
  return (is_commit && self->commits_fail) || (is_removal && self->removals_fail)
             ? TALL_FAILURE_BEFORE
             : TALL_FAILURE_NONE;
}

static void
client_init (Client *self, const TallLayout *layout)
{
  *self = (Client){ .layout = layout, .table = tall_stepper_table_new (layout) };
  self->failing = tall_failing_table_new (self->table);
  self->store = tall_test_open (self->failing, NULL);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (self->failing), break_calls, NULL, self);
}

static void
client_clear (Client *self)
{
  g_clear_object (&self->store);
  g_clear_object (&self->failing);
  g_clear_object (&self->table);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Client, client_clear)

static void
put (Client *self, guint writer)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallOrder) order = tall_test_marked_order (TALL_TEST_ORDER, writer, 1, N_LINES);
  gboolean done = tall_front_put_order (TALL_FRONT (self->store), order, NULL, NULL, &error);
  must_be (error, self->commits_fail ? TALL_ERROR_UNAVAILABLE : 0);
  g_assert_true (done == (error == NULL));
}

static void
refuse (Client *self)
{
  self->commits_fail = TRUE;
  for (guint i = 0; i < N_REFUSED; i++)
    put (self, 2);
  self->commits_fail = FALSE;
}

static guint
count (const Client *self)
{
  return tall_test_count_cells (self->table, self->layout, 0);
}

/* What a put that is refused for certain leaves is a state cell, which goes with the next commit.
 */
static void
test_refused_puts (gconstpointer layout)
{
  g_auto (Client) client = { 0 };
  client_init (&client, layout);
  put (&client, 1);
  guint n_cells = count (&client);
  refuse (&client);
  g_assert_cmpuint (count (&client), ==, n_cells + N_REFUSED);
  g_assert_cmpuint (tall_stepper_see (client.table), ==, 1);
  put (&client, 3);
  g_assert_cmpuint (count (&client), ==, n_cells);
}

/* When removing does not work either, what lies there does not pile up: nobody writes more before
 * that is gone. The next put removes everything, whether or not anything was stored before. */
static void
test_nothing_can_be_removed (gconstpointer layout)
{
  for (guint is_new = 0; is_new < 2; is_new++)
    {
      g_auto (Client) client = { 0 };
      client_init (&client, layout);
      put (&client, 1);
      guint n_cells = count (&client);
      if (is_new)
        {
          client_clear (&client);
          client_init (&client, layout);
        }
      client.removals_fail = TRUE;
      refuse (&client);
      g_assert_cmpuint (count (&client), >, n_cells);
      g_assert_cmpuint (count (&client), <=, 2 * n_cells + N_REFUSED);
      g_assert_cmpuint (tall_stepper_see (client.table), ==, is_new ? 0 : 1);
      client.removals_fail = FALSE;
      put (&client, 3);
      g_assert_cmpuint (count (&client), ==, n_cells);
    }
}

/* The same for a delete: nothing but the tombstone stays. */
static void
test_deleted (gconstpointer layout)
{
  g_auto (Client) client = { 0 };
  client_init (&client, layout);
  put (&client, 1);
  client.removals_fail = TRUE;
  refuse (&client);
  client.removals_fail = FALSE;
  must (tall_front_delete_order (TALL_FRONT (client.store), TALL_TEST_CUSTOMER, TALL_TEST_ORDER,
                                 NULL, &error));
  g_assert_cmpuint (count (&client), ==, 2);
}

/* What a client does when its commit takes too long. */
typedef struct
{
  gboolean late;      /* the commit took until the deadline */
  guint n_calls_late; /* calls that began after */
} Late;

static TallFailure
hold_up_commit (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Late *self = data;
  if (self->late)
    {
      g_assert_cmpint (call->deadline, >, g_get_monotonic_time ());
      self->n_calls_late++;
    }
  if (self->late || call->kind != APPLY_IF || call->mutations[0]->n_changes == 1)
    return TALL_FAILURE_NONE;
  while (g_get_monotonic_time () < call->deadline)
    g_usleep (1000);
  self->late = TRUE;
  return TALL_FAILURE_BEFORE;
}

/* A claim is given up with time of its own when the operation's is over. */
static void
test_no_time_left (gconstpointer layout)
{
  Late late = { 0 };
  g_auto (Client) client = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (TallOrder) order = tall_test_marked_order (TALL_TEST_ORDER, 2, 1, N_LINES);
  TallWriteOptions options = { .timeout = 200 };
  client_init (&client, layout);
  put (&client, 1);
  guint n_cells = count (&client);

  tall_failing_table_set_hooks (TALL_FAILING_TABLE (client.failing), hold_up_commit, NULL, &late);
  g_assert_false (tall_front_put_order (TALL_FRONT (client.store), order, &options, NULL, &error));
  g_assert_nonnull (error);
  g_assert_true (late.late);
  g_assert_cmpuint (late.n_calls_late, >=, 2);
  g_assert_cmpuint (count (&client), ==, n_cells + 1);
}

/* p1 has written rows above a committed order, and comes to nothing. */
static void
leave_rows (TallTable *table, TallStepper *p1, gboolean gives_up)
{
  g_autoptr (TallStepper) p0 = tall_stepper_new (table, 1000);
  tall_stepper_put_whole (p0, 10, 2);
  tall_stepper_claim (p1, 11, 2);
  tall_stepper_step (p1, APPLY);
  if (!gives_up)
    return;
  tall_stepper_fail (p1, APPLY_IF, TALL_FAILURE_BEFORE); /* the commit */
  tall_stepper_step (p1, APPLY_IF);
  tall_stepper_fail (p1, APPLY, TALL_FAILURE_BEFORE);
  tall_stepper_fail (p1, APPLY, TALL_FAILURE_BEFORE);
  g_assert_error (tall_stepper_get_error (p1), TALL_ERROR, TALL_ERROR_UNAVAILABLE);
}

/* The next writer removes exactly those before writing anything: what is committed below them can
 * be read until its own commit. */
static void
remove_exactly_those (const TallLayout *layout, gboolean gives_up)
{
  g_autoptr (TallTable) table = tall_stepper_table_new (layout);
  g_autoptr (TallStepper) p1 = tall_stepper_new (table, 1000);
  g_autoptr (TallStepper) p2 = tall_stepper_new (table, 1000);
  leave_rows (table, p1, gives_up);
  g_assert_cmpuint (tall_test_count_cells (table, layout, TALL_STEPPER_TIME (1002)), >, 3);

  tall_stepper_put (p2, 12, 1, NULL);
  tall_stepper_step (p2, APPLY_IF);
  tall_stepper_step (p2, READ);
  if (!gives_up)
    tall_stepper_step (p2, READ);
  tall_stepper_step (p2, APPLY_IF);
  tall_stepper_step (p2, READ);
  tall_stepper_step (p2, APPLY);
  g_assert_cmpuint (tall_test_count_cells (table, layout, TALL_STEPPER_TIME (1002)), ==,
                    1); /* its state cell */
  g_assert_cmpuint (tall_stepper_see (table), ==, 10);
  tall_stepper_finish (p2);
  g_assert_no_error (tall_stepper_get_error (p2));
  g_assert_cmpuint (tall_stepper_see (table), ==, 12);
  g_assert_cmpuint (tall_test_count_cells (table, layout, TALL_STEPPER_TIME (1002)), ==, 0);
  tall_stepper_finish (p1);
  tall_stepper_go_on_alone (table);
}

static void
test_given_up_claim_has_left_rows (gconstpointer layout)
{
  remove_exactly_those (layout, TRUE);
}

static void
test_abandoned_claim_has_left_rows (gconstpointer layout)
{
  remove_exactly_those (layout, FALSE);
}

/* Those of several claims, in the same rows: the first of two that came to nothing was late. */
static void
test_several_claims_have_left_rows (gconstpointer layout)
{
  g_autoptr (TallTable) table = tall_stepper_table_new (layout);
  g_autoptr (TallStepper) p0 = tall_stepper_new (table, 1000);
  g_autoptr (TallStepper) p1 = tall_stepper_new (table, 1000);
  g_autoptr (TallStepper) p2 = tall_stepper_new (table, 1000);
  tall_stepper_put_whole (p0, 10, 2);
  tall_stepper_claim (p1, 11, 2);
  tall_stepper_put (p2, 12, 2, NULL);
  tall_stepper_find_claim (p2);
  tall_stepper_step (p2, APPLY_IF);
  tall_stepper_step (p2, READ);
  tall_stepper_step (p2, APPLY);
  tall_stepper_step (p1, APPLY);

  tall_stepper_put (p0, 13, 2, NULL);
  tall_stepper_find_claim (p0);
  tall_stepper_step (p0, APPLY_IF);
  tall_stepper_step (p0, READ);
  tall_stepper_step (p0, APPLY);
  g_assert_cmpuint (tall_test_count_cells (table, layout, TALL_STEPPER_TIME (1002)), ==,
                    1); /* state cells */
  g_assert_cmpuint (tall_test_count_cells (table, layout, TALL_STEPPER_TIME (1004)), ==, 1);
  g_assert_cmpuint (tall_stepper_see (table), ==, 10);
  tall_stepper_finish (p0);
  g_assert_cmpuint (tall_stepper_see (table), ==, 13);
}

/* Rows that arrive after their claim was given up and another has committed are not seen, and go
 * with the next commit. */
static void
test_late_rows (gconstpointer layout)
{
  g_autoptr (TallTable) table = tall_stepper_table_new (layout);
  g_autoptr (TallStepper) p1 = tall_stepper_new (table, 1000);
  g_autoptr (TallStepper) p2 = tall_stepper_new (table, 1000);
  tall_stepper_put_whole (p2, 12, 2);
  guint n_cells = tall_test_count_cells (table, layout, 0);
  tall_stepper_claim (p1, 11, 2);
  tall_stepper_fail (p1, APPLY, TALL_FAILURE_LATE);
  tall_stepper_fail (p1, APPLY, TALL_FAILURE_LATE);
  tall_stepper_fail (p1, APPLY_IF, TALL_FAILURE_LATE);
  g_assert_error (tall_stepper_get_error (p1), TALL_ERROR, TALL_ERROR_TIMED_OUT);
  tall_stepper_put_whole (p2, 13, 2);
  tall_stepper_deliver_late (p1);
  g_assert_cmpuint (tall_stepper_see (table), ==, 13);
  tall_stepper_put_whole (p2, 14, 2);
  g_assert_cmpuint (tall_stepper_see (table), ==, 14);
  g_assert_cmpuint (tall_test_count_cells (table, layout, 0), ==, n_cells);
}

/* A client that is overtaken while it writes its rows, a number of times. */
typedef struct
{
  TallStore *others;
  TallTestClock clock;
  guint n_overtaken;
  guint n_waits;
  gint64 begin;    /* of the wait under way */
  gint64 waits[8]; /* microseconds that somebody else's claim was respected; n_waits of them */
} Slow;

static void
overtake (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Slow *self = data;
  if (call->kind == APPLY_IF && call->matched && self->n_waits < self->n_overtaken)
    {
      self->waits[self->n_waits++] = self->clock.monotonic - self->begin;
      return;
    }
  if (call->kind != APPLY || call->mutations[0]->changes[0].kind != TALL_CHANGE_PUT
      || self->n_waits == self->n_overtaken)
    return;
  TallState state;
  g_assert_true (tall_test_read_state (self->others, TALL_TEST_ORDER, &state, NULL));
  state.pending += 2;
  memset (state.pending_token, (gint)self->n_waits + 1, sizeof state.pending_token);
  tall_test_write_state (self->others, TALL_TEST_ORDER, &state, state.pending);
  self->begin = self->clock.monotonic;
}

/* Each time that an operation is overtaken it respects the other's claim for twice as long. */
static void
test_overtaken (gconstpointer layout)
{
  g_autoptr (TallTable) table = tall_stepper_table_new (layout);
  g_autoptr (TallTable) watched = tall_failing_table_new (table);
  g_autoptr (TallStore) others = tall_test_open (table, NULL);
  Slow slow = { .others = others,
                .clock = { .now = TALL_STEPPER_TIME (1000), .patience = 1000 * 1000 } };
  g_autoptr (TallStore) store = tall_test_open (watched, &slow.clock);
  g_autoptr (TallOrder) order = tall_test_marked_order (TALL_TEST_ORDER, 11, 1, 1);

  slow.n_overtaken = 4;
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (watched), NULL, overtake, &slow);
  TallWriteOptions options = { .timeout = 60 * 1000 };
  must (tall_front_put_order (TALL_FRONT (store), order, &options, NULL, &error));
  g_assert_cmpuint (slow.n_waits, ==, slow.n_overtaken);
  for (guint i = 1; i < slow.n_waits; i++)
    {
      gint64 patience = slow.clock.patience << i;
      g_assert_cmpint (slow.waits[i], >=, patience);
      g_assert_cmpint (slow.waits[i], <, patience + slow.clock.patience / 5);
    }
  g_assert_cmpuint (tall_stepper_see (table), ==, 11);
}

/* Deletes the order once, just before somebody writes rows for a claim. */
static TallFailure
delete_meanwhile (TallFailingTable *table, const TallCall *call, gpointer data)
{
  TallStore *others = data;
  if (call->kind != APPLY || call->mutations[0]->changes[0].kind != TALL_CHANGE_PUT)
    return TALL_FAILURE_NONE;
  tall_failing_table_set_hooks (table, NULL, NULL, NULL);
  must (tall_front_delete_order (TALL_FRONT (others), TALL_TEST_CUSTOMER, TALL_TEST_ORDER, NULL,
                                 &error));
  return TALL_FAILURE_NONE;
}

/* A delete waits for no claim, so the rows of that claim can come after its cleaning. The put that
 * is refused then leaves none of them. */
static void
test_deleted_meanwhile (gconstpointer layout)
{
  g_autoptr (TallTable) table = tall_stepper_table_new (layout);
  g_autoptr (TallTable) watched = tall_failing_table_new (table);
  g_autoptr (TallStore) others = tall_test_open (table, NULL);
  g_autoptr (TallStore) store = tall_test_open (watched, NULL);
  g_autoptr (TallOrder) small = tall_test_marked_order (TALL_TEST_ORDER, 1, 1, 1);
  g_autoptr (TallOrder) large = tall_test_marked_order (TALL_TEST_ORDER, 2, 1, N_LINES);
  TallWriteOptions options = { .condition = TALL_IF_REVISION };
  must (tall_front_put_order (TALL_FRONT (others), small, NULL, &options.revision, &error));

  tall_failing_table_set_hooks (TALL_FAILING_TABLE (watched), delete_meanwhile, NULL, others);
  must_fail (tall_front_put_order (TALL_FRONT (store), large, &options, NULL, &error),
             TALL_ERROR_CONFLICT);
  g_assert_cmpuint (tall_test_count_cells (table, layout, 0), <, N_LINES);
}

static const struct
{
  const char *name;
  GTestDataFunc test; /* is given the layout */
} tests[] = {
  { "refused-puts", test_refused_puts },
  { "nothing-can-be-removed", test_nothing_can_be_removed },
  { "deleted", test_deleted },
  { "no-time-left", test_no_time_left },
  { "given-up-claim-has-left-rows", test_given_up_claim_has_left_rows },
  { "abandoned-claim-has-left-rows", test_abandoned_claim_has_left_rows },
  { "several-claims-have-left-rows", test_several_claims_have_left_rows },
  { "late-rows", test_late_rows },
  { "overtaken", test_overtaken },
  { "deleted-meanwhile", test_deleted_meanwhile },
};

/* For every layout whose orders are several rows: only there are claims. */
int
main (int argc, char *argv[])
{
  guint n_layouts;
  const TallLayout *const *layouts = tall_layouts (&n_layouts);

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < n_layouts; i++)
    for (guint j = 0; j < G_N_ELEMENTS (tests) && !layouts[i]->single_row; j++)
      {
        g_autofree char *path =
            g_strdup_printf ("/giving-up/%s/%s", layouts[i]->name, tests[j].name);
        g_test_add_data_func (path, layouts[i], tests[j].test);
      }
  return g_test_run ();
}
