/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Interleavings of which tests/protocol/replay.py knows nothing, call by call: reads that are
 * stale, rows that cannot be read or are damaged, time that is over, and calls that are certainly
 * not done. Client pN stores orders of writer 10 + N. */
#include "tall-error.h"
#include "tall-must.h"
#include "tall-stepper.h"
#include "tall-test-cells.h"
#include "store/context.h"
#include "table/forwarding-table.h"

#define READ TALL_CALL_READ
#define APPLY TALL_CALL_APPLY
#define APPLY_IF TALL_CALL_APPLY_IF

/* A table whose reads, as long as that is wanted, show what was there before: as those of a region
 * server that does not know yet that another has taken its place. */
struct _TallStaleTable
{
  TallForwardingTable parent_instance;

  TallTable *before; /* owned */
  gint stale;        /* atomic */
};

#define TALL_TYPE_STALE_TABLE (tall_stale_table_get_type ())
G_DECLARE_FINAL_TYPE (TallStaleTable, tall_stale_table, TALL, STALE_TABLE, TallForwardingTable)
G_DEFINE_FINAL_TYPE (TallStaleTable, tall_stale_table, TALL_TYPE_FORWARDING_TABLE)

static TallReadResult *
tall_stale_table_read (TallTable *base, const TallReadPlan *plan, gint64 deadline, GError **error)
{
  TallStaleTable *self = TALL_STALE_TABLE (base);
  TallTable *table = g_atomic_int_get (&self->stale)
                         ? self->before
                         : tall_forwarding_table_get_table (TALL_FORWARDING_TABLE (self));
  return tall_table_read (table, plan, deadline, error);
}

static void
tall_stale_table_finalize (GObject *object)
{
  g_clear_object (&TALL_STALE_TABLE (object)->before);
  G_OBJECT_CLASS (tall_stale_table_parent_class)->finalize (object);
}

static void
tall_stale_table_init (TallStaleTable *self G_GNUC_UNUSED)
{
}

static void
tall_stale_table_class_init (TallStaleTableClass *klass)
{
  TALL_TABLE_CLASS (klass)->read = tall_stale_table_read;
  G_OBJECT_CLASS (klass)->finalize = tall_stale_table_finalize;
}

/* @before: what a stale read finds */
static TallTable *
tall_stale_table_new (TallTable *table, TallTable *before)
{
  TallStaleTable *self = g_object_new (TALL_TYPE_STALE_TABLE, NULL);
  tall_forwarding_table_wrap (TALL_FORWARDING_TABLE (self), table);
  self->before = g_object_ref (before);
  return TALL_TABLE (self);
}

static void
set_stale (TallTable *self, gboolean stale)
{
  g_atomic_int_set (&TALL_STALE_TABLE (self)->stale, stale);
}

/* What is counted: p1's commit took effect, but a gateway that repeated it says that it did not
 * match. A writer that trusted it said "nothing stored" of an order that all could read. */
static void
test_false_though_applied (void)
{
  guint64 n_taken_over = tall_store_get_count (TALL_STORE_TAKEN_OVER);
  guint64 n_overtaken = tall_store_get_count (TALL_STORE_OVERTAKEN);
  g_autoptr (TallTable) table = tall_stepper_table_new (&tall_layout_record_type);
  g_autoptr (TallStepper) p0 = tall_stepper_new (table, 1000);
  g_autoptr (TallStepper) p1 = tall_stepper_new (table, 1000);
  tall_stepper_put (p0, 10, 2, NULL);
  tall_stepper_step (p0, APPLY_IF);

  tall_stepper_put (p1, 11, 1, NULL);
  tall_stepper_find_claim (p1);
  tall_stepper_step (p1, APPLY_IF);
  tall_stepper_step (p1, READ);
  tall_stepper_step (p1, APPLY);
  tall_stepper_fail (p1, APPLY_IF, TALL_FAILURE_FALSE);
  tall_stepper_step (p1, READ);
  tall_stepper_finish (p1);
  g_assert_no_error (tall_stepper_get_error (p1));
  g_assert_cmpuint (tall_stepper_see (table), ==, 11);
  g_assert_cmpuint (tall_store_get_count (TALL_STORE_TAKEN_OVER) - n_taken_over, ==, 1);
  g_assert_cmpuint (tall_store_get_count (TALL_STORE_OVERTAKEN) - n_overtaken, ==, 0);

  /* p0 was claimed over, and what replaced its claim shows that it never committed. */
  tall_stepper_step (p0, APPLY);
  tall_stepper_step (p0, APPLY_IF);
  tall_stepper_finish (p0);
  g_assert_no_error (tall_stepper_get_error (p0));
  g_assert_cmpuint (tall_stepper_see (table), ==, 10);
  g_assert_cmpuint (tall_store_get_count (TALL_STORE_OVERTAKEN) - n_overtaken, ==, 1);
  tall_stepper_go_on_alone (table);
}

/* Rows of earlier versions say nothing of who made them, so that nothing is certain. */
static void
test_creation_without_mark_is_unknown (gconstpointer layout)
{
  g_autoptr (TallTable) table = tall_stepper_table_new (layout);
  g_autoptr (TallStepper) p0 = tall_stepper_new (table, 1000);
  g_autoptr (TallStepper) p1 = tall_stepper_new (table, 2000);
  TallState state;
  gint64 timestamp;
  tall_stepper_put (p0, 10, 1, NULL);
  tall_stepper_fail (p0, APPLY_IF, TALL_FAILURE_LOST);
  tall_stepper_put_whole (p1, 11, 1);
  TallStore *store = tall_stepper_get_store (p1);
  g_assert_true (tall_test_read_state (store, TALL_TEST_ORDER, &state, &timestamp));
  memset (state.pending_token, 0, 8);
  tall_test_write_state (store, TALL_TEST_ORDER, &state, timestamp);

  tall_stepper_step (p0, READ);
  g_assert_error (tall_stepper_get_error (p0), TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN);
  g_assert_cmpuint (tall_stepper_see (table), ==, 11);
}

/* p0 stands before the commit that is to replace what it knows. */
static TallStepper *
stand_before_commit (TallTable *table, const TallLayout *layout)
{
  g_autoptr (TallStepper) p0 = tall_stepper_new (table, 1000);
  tall_stepper_put_whole (p0, 10, 2);
  tall_stepper_put (p0, 12, 2, NULL);
  tall_stepper_step (p0, APPLY_IF);
  tall_stepper_step (p0, READ);
  if (layout->single_row)
    return g_steal_pointer (&p0);
  tall_stepper_step (p0, APPLY_IF);
  tall_stepper_step (p0, APPLY);
  return g_steal_pointer (&p0);
}

/* staleread: a read that shows what was there before what was expected proves nothing. A writer
 * that believed it would say "not done" of an order that all can read, or would do it twice. */
static void
settle_by_stale_read (const TallLayout *layout, TallFailure failure)
{
  g_autoptr (TallTable) table = tall_stepper_table_new (layout);
  g_autoptr (TallTable) before = tall_stepper_table_new (layout);
  g_autoptr (TallTable) stale = tall_stale_table_new (table, before);
  g_autoptr (TallStepper) earlier = tall_stepper_new (before, 500);
  tall_stepper_put_whole (earlier, 10, 1);
  g_autoptr (TallStepper) p0 = stand_before_commit (stale, layout);
  tall_stepper_fail (p0, APPLY_IF, failure);
  set_stale (stale, TRUE);
  tall_stepper_step (p0, READ);
  g_assert_error (tall_stepper_get_error (p0), TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN);
  g_assert_cmpuint (tall_stepper_see (table), ==, failure == TALL_FAILURE_LATE ? 10 : 12);
  tall_stepper_go_on_alone (table);
}

static void
test_stale_read_after_false_commit (gconstpointer layout)
{
  settle_by_stale_read (layout, TALL_FAILURE_FALSE);
}

static void
test_stale_read_after_lost_commit (gconstpointer layout)
{
  settle_by_stale_read (layout, TALL_FAILURE_LOST);
  settle_by_stale_read (layout, TALL_FAILURE_LATE);
}

/* The token of a claim that was given up stands where a commit says what it has replaced. It says
 * nothing, whatever number it looks like. */
static void
test_given_up_claim_proves_nothing (void)
{
  const TallLayout *layout = &tall_layout_record_type;
  g_autoptr (TallTable) table = tall_stepper_table_new (layout);
  g_autoptr (TallStepper) p0 = stand_before_commit (table, layout);
  g_autoptr (TallStepper) p1 = tall_stepper_new (table, 2000);
  TallState state;
  gint64 timestamp;
  tall_stepper_fail (p0, APPLY_IF, TALL_FAILURE_LOST);
  tall_stepper_put_whole (p1, 11, 1);
  TallStore *store = tall_stepper_get_store (p1);
  g_assert_true (tall_test_read_state (store, TALL_TEST_ORDER, &state, &timestamp));
  memset (state.pending_token, 0, TALL_TOKEN_SIZE);
  state.pending_token[0] = state.pending_token[TALL_TOKEN_SIZE - 1] = 5;
  tall_test_write_state (store, TALL_TEST_ORDER, &state, timestamp + 2);
  tall_stepper_step (p0, READ);
  g_assert_error (tall_stepper_get_error (p0), TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN);
  g_assert_cmpuint (tall_stepper_see (table), ==, 11);
}

/* A claim has the timestamp of the commit that follows it, and is older all the same. */
static void
test_stale_read_of_a_claim (void)
{
  const TallLayout *layout = &tall_layout_record_type;
  g_autoptr (TallTable) table = tall_stepper_table_new (layout);
  g_autoptr (TallTable) before = tall_stepper_table_new (layout);
  g_autoptr (TallTable) stale = tall_stale_table_new (table, before);
  g_autoptr (TallStepper) earlier = tall_stepper_new (before, 1000);
  g_autoptr (TallStepper) p0 = tall_stepper_new (stale, 1000);
  tall_stepper_put (earlier, 10, 2, NULL);
  tall_stepper_step (earlier, APPLY_IF);
  tall_stepper_put_whole (p0, 10, 2);
  tall_stepper_delete (p0);
  tall_stepper_step (p0, READ);
  tall_stepper_fail (p0, APPLY_IF, TALL_FAILURE_FALSE);
  set_stale (stale, TRUE);
  tall_stepper_step (p0, READ);
  g_assert_error (tall_stepper_get_error (p0), TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN);
  g_assert_cmpuint (tall_stepper_see (table), ==, 0);
}

/* A claim that is settled by such a read is sent again; what then shows it is ours. */
static void
test_stale_read_after_false_claim (void)
{
  const TallLayout *layout = &tall_layout_record_type;
  g_autoptr (TallTable) table = tall_stepper_table_new (layout);
  g_autoptr (TallTable) before = tall_stepper_table_new (layout);
  g_autoptr (TallTable) stale = tall_stale_table_new (table, before);
  g_autoptr (TallStepper) earlier = tall_stepper_new (before, 500);
  g_autoptr (TallStepper) p0 = tall_stepper_new (stale, 1000);
  tall_stepper_put_whole (earlier, 10, 1);
  tall_stepper_put_whole (p0, 10, 2);
  tall_stepper_put (p0, 12, 2, NULL);
  tall_stepper_step (p0, APPLY_IF);
  tall_stepper_step (p0, READ);
  tall_stepper_fail (p0, APPLY_IF, TALL_FAILURE_FALSE);
  set_stale (stale, TRUE);
  tall_stepper_step (p0, READ);
  tall_stepper_step (p0, APPLY_IF);
  set_stale (stale, FALSE);
  tall_stepper_step (p0, READ);
  tall_stepper_step (p0, APPLY);
  tall_stepper_finish (p0);
  g_assert_no_error (tall_stepper_get_error (p0));
  g_assert_cmpuint (tall_stepper_see (table), ==, 12);
}

/* What only a newer version can read. */
static void
write_unreadable (TallTable *table, const TallLayout *layout, gint64 timestamp)
{
  g_autoptr (GByteArray) row = g_byte_array_new ();
  g_auto (TallOrderKey) key = { 0 };
  tall_order_key_init (&key, &tall_key_hashed, TALL_TEST_CUSTOMER, 0, TALL_TEST_ORDER);
  const char *name = layout->locate_order (&key, row);
  tall_test_put (table, name, tall_slice_array (row),
                 (TallCell){ tall_slice ("s", 1), timestamp, tall_slice ("\x02new", 4) });
}

/* How a put at revision 1002 ends if its commit has no answer that counts, and after it a state
 * cell of @timestamp is there that cannot be read. */
static TallError
settle_by_unreadable (const TallLayout *layout, TallFailure failure, gint64 timestamp)
{
  g_autoptr (TallTable) table = tall_stepper_table_new (layout);
  g_autoptr (TallStepper) p0 = stand_before_commit (table, layout);
  tall_stepper_fail (p0, APPLY_IF, failure);
  write_unreadable (table, layout, timestamp);
  tall_stepper_step (p0, READ);
  tall_stepper_finish (p0);
  g_assert_nonnull (tall_stepper_get_error (p0));
  return (TallError)tall_stepper_get_error (p0)->code;
}

/* What cannot be read, and is not older than ours would be, may have replaced ours. */
static void
test_unreadable_and_not_older (gconstpointer layout)
{
  static const TallFailure failures[] = { TALL_FAILURE_FALSE, TALL_FAILURE_LATE,
                                          TALL_FAILURE_LOST };
  for (guint i = 0; i < G_N_ELEMENTS (failures); i++)
    {
      g_assert_cmpint (settle_by_unreadable (layout, failures[i], TALL_STEPPER_TIME (1002)), ==,
                       TALL_ERROR_OUTCOME_UNKNOWN);
      g_assert_cmpint (settle_by_unreadable (layout, failures[i], TALL_STEPPER_TIME (1004)), ==,
                       TALL_ERROR_OUTCOME_UNKNOWN);
    }
}

/* If it is older, ours is not done; a late call finds nothing that it expects. */
static void
test_unreadable_and_older (gconstpointer layout)
{
  g_assert_cmpint (settle_by_unreadable (layout, TALL_FAILURE_LATE, TALL_STEPPER_TIME (1001)), ==,
                   TALL_ERROR_NEWER_VERSION);
}

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

static void
add_for_layout (const char *name, const TallLayout *layout, GTestDataFunc test)
{
  g_autofree char *path = g_strdup_printf ("/settling/%s/%s", name, layout->name);
  g_test_add_data_func (path, layout, test);
}

static void
add_for_layouts (const char *name, GTestDataFunc test)
{
  guint n;
  const TallLayout *const *layouts = tall_layouts (&n);
  for (guint i = 0; i < n; i++)
    add_for_layout (name, layouts[i], test);
}

/* What can only happen where an order is one row, and who stores it guesses that it is new; or only
 * where it is several, because only there are claims. */
static void
add_for_rows (gboolean single, const char *name, GTestDataFunc test)
{
  guint n;
  const TallLayout *const *layouts = tall_layouts (&n);
  for (guint i = 0; i < n; i++)
    if (layouts[i]->single_row == single)
      add_for_layout (name, layouts[i], test);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/settling/false-though-applied", test_false_though_applied);
  add_for_rows (TRUE, "creation-without-mark-is-unknown", test_creation_without_mark_is_unknown);
  add_for_layouts ("stale-read-after-false-commit", test_stale_read_after_false_commit);
  add_for_layouts ("stale-read-after-lost-commit", test_stale_read_after_lost_commit);
  g_test_add_func ("/settling/given-up-claim-proves-nothing", test_given_up_claim_proves_nothing);
  g_test_add_func ("/settling/stale-read-of-a-claim", test_stale_read_of_a_claim);
  g_test_add_func ("/settling/stale-read-after-false-claim", test_stale_read_after_false_claim);
  add_for_layouts ("unreadable-and-not-older", test_unreadable_and_not_older);
  add_for_rows (TRUE, "unreadable-and-older", test_unreadable_and_older);
  add_for_rows (FALSE, "leftovers-must-go", test_leftovers_must_go);
  add_for_rows (FALSE, "reader-looks-at-the-root-again", test_reader_looks_at_the_root_again);
  add_for_rows (FALSE, "patience", test_patience);
  add_for_rows (FALSE, "time-is-over", test_time_is_over);
  return g_test_run ();
}
