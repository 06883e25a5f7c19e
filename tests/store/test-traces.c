/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Interleavings of which tests/protocol/replay.py knows nothing, call by call: rows that are
 * damaged, time that is over, and calls that are certainly not done. Client pN stores orders of
 * writer 10 + N.
 */
#include "tall-error.h"
#include "table/memory-table.h"
#include "tall-stepper.h"
#include "tall-must.h"

#define READ TALL_CALL_READ
#define APPLY TALL_CALL_APPLY
#define APPLY_IF TALL_CALL_APPLY_IF

/* A writer that claims over removes what the other has written. Without that removal being
 * acknowledged, nothing is written. */
static void
test_leftovers_must_go (gconstpointer layout)
{
  g_autoptr (TallTable) table = tall_stepper_table_new (layout);
  g_autoptr (TallStepper) p1 = tall_stepper_new (table, 1000);
  g_autoptr (TallStepper) p2 = tall_stepper_new (table, 1000);
  tall_stepper_put (p1, 11, 2, NULL);
  tall_stepper_step (p1, APPLY_IF);
  tall_stepper_step (p1, APPLY);
  tall_stepper_put (p2, 12, 1, NULL);
  tall_stepper_find_claim (p2);
  tall_stepper_step (p2, APPLY_IF);
  tall_stepper_step (p2, READ);
  tall_stepper_fail (p2, APPLY, TALL_FAILURE_BEFORE);
  tall_stepper_fail (p2, APPLY, TALL_FAILURE_BEFORE);
  tall_stepper_step (p2, APPLY_IF);
  tall_stepper_step (p2, APPLY);
  g_assert_error (tall_stepper_get_error (p2), TALL_ERROR, TALL_ERROR_UNAVAILABLE);
  g_assert_cmpuint (tall_test_count_cells (table, layout, TALL_STEPPER_TIME (1002)), ==, 1);
  tall_stepper_go_on_alone (table);
}

/* judge=first: the reader finds an order in pieces, and it is replaced while it looks again. Only a
 * root that is the same after the last row may be called damaged. */
static void
test_reader_looks_at_the_root_again (gconstpointer layout)
{
  g_autoptr (TallTable) table = tall_stepper_table_new (layout);
  g_autoptr (TallStepper) p0 = tall_stepper_new (table, 1000);
  g_autoptr (TallStepper) p1 = tall_stepper_new (table, 1000);
  tall_stepper_put_whole (p0, 10, 2);

  g_auto (TallOrderKey) key = { 0 };
  tall_order_key_init (&key, &tall_key_hashed, TALL_TEST_CUSTOMER, 0, TALL_TEST_ORDER);
  g_autoptr (TallOrder) order = tall_test_marked_order (TALL_TEST_ORDER, 10, 1, 2);
  g_autoptr (TallBatch) batch = tall_batch_new ();
  ((const TallLayout *)layout)->append_children (&key, order, TALL_STEPPER_TIME (1000), batch);
  TallMutation *line = g_ptr_array_index (batch->mutations, batch->mutations->len - 1);
  line->n_changes = 0;
  tall_mutation_delete_up_to (batch, line, TALL_STEPPER_TIME (1000));
  must (tall_table_apply (table, &line, 1, TALL_DURABLE, TALL_NO_DEADLINE, &error));

  tall_stepper_get (p1);
  tall_stepper_step (p1, READ); /* everything together: in pieces */
  tall_stepper_step (p1, READ); /* root */
  tall_stepper_put_whole (p0, 11, 3);
  tall_stepper_step (p1, READ); /* its rows are gone */
  tall_stepper_step (p1, READ); /* root: another */
  tall_stepper_step (p1, READ);
  tall_stepper_step (p1, READ);
  g_assert_cmpuint (tall_stepper_get_seen (p1), ==, 11);
}

/* A foreign claim is left alone until it has stayed unchanged for the patience, and is waited for
 * no longer than the caller has time. */
static void
test_patience (gconstpointer layout)
{
  g_autoptr (TallTable) table = tall_stepper_table_new (layout);
  g_autoptr (TallStepper) p0 = tall_stepper_new (table, 1000);
  TallTestClock clock = { .now = TALL_STEPPER_TIME (1000) };
  g_autoptr (TallStore) patient = tall_test_open (table, &clock);
  g_autoptr (TallOrder) order = tall_test_marked_order (TALL_TEST_ORDER, 11, 1, 1);
  TallWriteOptions hasty = { .timeout = 900 };
  tall_stepper_put (p0, 10, 1, NULL);
  tall_stepper_step (p0, APPLY_IF);

  must_fail (tall_front_put_order (TALL_FRONT (patient), order, &hasty, NULL, &error),
             TALL_ERROR_TIMED_OUT);
  g_assert_cmpint (clock.monotonic, >=, 900 * 1000);

  gint64 begin = clock.monotonic;
  must (tall_front_put_order (TALL_FRONT (patient), order, NULL, NULL, &error));
  g_assert_cmpint (clock.monotonic - begin, >=, G_USEC_PER_SEC);
  g_assert_cmpint (clock.monotonic - begin, <, 2 * G_USEC_PER_SEC);
  g_assert_cmpuint (tall_stepper_see (table), ==, 11);
}

static void
let_time_pass (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  if (call->kind == TALL_CALL_APPLY)
    ((TallTestClock *)data)->monotonic += 11 * G_USEC_PER_SEC;
}

/* When the time is over before the commit, it is not sent: then one knows that nothing was done. */
static void
test_time_is_over (gconstpointer layout)
{
  g_autoptr (TallTable) table = tall_stepper_table_new (layout);
  g_autoptr (TallTable) slow = tall_failing_table_new (table);
  TallTestClock clock = { .now = TALL_STEPPER_TIME (1000) };
  g_autoptr (TallStore) store = tall_test_open (slow, &clock);
  g_autoptr (TallOrder) order = tall_test_marked_order (TALL_TEST_ORDER, 11, 1, 1);
  TallState state;

  tall_failing_table_set_hooks (TALL_FAILING_TABLE (slow), NULL, let_time_pass, &clock);
  must_fail (tall_front_put_order (TALL_FRONT (store), order, NULL, NULL, &error),
             TALL_ERROR_TIMED_OUT);
  g_assert_true (tall_test_read_state (store, TALL_TEST_ORDER, &state, NULL));
  g_assert_cmpint (state.pending, ==, 0);
  g_assert_cmpuint (tall_stepper_see (table), ==, 0);
}

static const struct
{
  const char *name;
  GTestDataFunc test; /* is given the layout */
} traces[] = {
  { "leftovers-must-go", test_leftovers_must_go },
  { "reader-looks-at-the-root-again", test_reader_looks_at_the_root_again },
  { "patience", test_patience },
  { "time-is-over", test_time_is_over },
};

/* For every layout whose orders are several rows: only there are claims. */
int
main (int argc, char *argv[])
{
  guint n_layouts;
  const TallLayout *const *layouts = tall_layouts (&n_layouts);

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < n_layouts; i++)
    for (guint j = 0; j < G_N_ELEMENTS (traces) && !layouts[i]->single_row; j++)
      {
        g_autofree char *path = g_strdup_printf ("/traces/%s/%s", layouts[i]->name, traces[j].name);
        g_test_add_data_func (path, layouts[i], traces[j].test);
      }
  return g_test_run ();
}
