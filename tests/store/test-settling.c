/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Answers that are lost or false, and what settles them: interleavings by which a model checker
 * broke drafts of the protocol, replayed call by call. Clients are named as in those traces: p0,
 * p1 …; client pN stores orders of writer 10 + N. */
#include "tall-error.h"
#include "tall-must.h"
#include "tall-stale-table.h"
#include "tall-stepper.h"
#include "tall-test-cells.h"
#include "store/context.h"

#define READ TALL_CALL_READ
#define APPLY TALL_CALL_APPLY
#define APPLY_IF TALL_CALL_APPLY_IF

/* onfalse=trust: p1's commit took effect, but a gateway that repeated it says that it did not
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

/* p0's put takes effect, but its answer goes wrong; p1 replaces it before p0 looks. */
static TallStepper *
lose_answer_and_be_replaced (TallTable *table, const TallLayout *layout, TallFailure failure)
{
  g_autoptr (TallStepper) p0 = tall_stepper_new (table, 1000);
  g_autoptr (TallStepper) p1 = tall_stepper_new (table, 1000);
  tall_stepper_put (p0, 10, 1, NULL);
  if (!layout->single_row)
    {
      tall_stepper_step (p0, APPLY_IF);
      tall_stepper_step (p0, APPLY);
    }
  tall_stepper_fail (p0, APPLY_IF, failure);
  g_assert_cmpuint (tall_stepper_see (table), ==, 10);
  tall_stepper_put_whole (p1, 11, 1);
  tall_stepper_step (p0, READ);
  return g_steal_pointer (&p0);
}

/* lostcommit=retry: a silent second try brought p0's order back after p1's. If p0 made the row, it
 * finds its mark in what p1 has written, and knows that its commit was done. */
static void
test_lost_commit_is_not_retried (gconstpointer layout)
{
  g_autoptr (TallTable) table = tall_stepper_table_new (layout);
  g_autoptr (TallStepper) p0 = lose_answer_and_be_replaced (table, layout, TALL_FAILURE_LOST);
  must_be (tall_stepper_get_error (p0),
           ((const TallLayout *)layout)->single_row ? 0 : TALL_ERROR_OUTCOME_UNKNOWN);
  g_assert_cmpuint (tall_stepper_see (table), ==, 11);
  tall_stepper_go_on_alone (table);
}

/* The same with an answer that is not lost but false. */
static void
test_false_commit_is_not_retried (gconstpointer layout)
{
  g_autoptr (TallTable) table = tall_stepper_table_new (layout);
  g_autoptr (TallStepper) p0 = lose_answer_and_be_replaced (table, layout, TALL_FAILURE_FALSE);
  must_be (tall_stepper_get_error (p0),
           ((const TallLayout *)layout)->single_row ? 0 : TALL_ERROR_OUTCOME_UNKNOWN);
  g_assert_cmpuint (tall_stepper_see (table), ==, 11);
}

/* settle=replaced: p0 made the row, "did not match" was a lie, and two others replaced its order
 * before it looked. Revisions alone did not tell it from an overtaken client with a slow clock. */
static void
test_false_creation_replaced_twice (gconstpointer layout)
{
  g_autoptr (TallTable) table = tall_stepper_table_new (layout);
  g_autoptr (TallStepper) p0 = tall_stepper_new (table, 1000);
  g_autoptr (TallStepper) p1 = tall_stepper_new (table, 2000);
  tall_stepper_put (p0, 10, 1, NULL);
  tall_stepper_fail (p0, APPLY_IF, TALL_FAILURE_FALSE);
  tall_stepper_delete (p1);
  tall_stepper_finish (p1);
  tall_stepper_put_whole (p1, 11, 1);
  tall_stepper_step (p0, READ);
  g_assert_no_error (tall_stepper_get_error (p0));
  g_assert_cmpuint (tall_stepper_see (table), ==, 11);
  tall_stepper_go_on_alone (table);
}

/* A client that did not make the row goes on, also with a slow clock and after a lost answer: if
 * there is a row, a late call of it finds that. */
static void
test_overtaken_creation_is_tried_again (gconstpointer layout)
{
  static const TallFailure failures[] = { TALL_FAILURE_FALSE, TALL_FAILURE_LATE };
  for (guint i = 0; i < G_N_ELEMENTS (failures); i++)
    {
      g_autoptr (TallTable) table = tall_stepper_table_new (layout);
      g_autoptr (TallStepper) p0 = tall_stepper_new (table, 1000);
      g_autoptr (TallStepper) p1 = tall_stepper_new (table, 2000);
      tall_stepper_put_whole (p1, 11, 1);
      tall_stepper_put_whole (p1, 12, 1);
      tall_stepper_put (p0, 10, 1, NULL);
      tall_stepper_fail (p0, APPLY_IF, failures[i]);
      tall_stepper_finish (p0);
      g_assert_no_error (tall_stepper_get_error (p0));
      tall_stepper_deliver_late (p0);
      g_assert_cmpuint (tall_stepper_see (table), ==, 10);
      tall_stepper_go_on_alone (table);
    }
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

/* A put that was really overtaken is tried again, also where "did not match" may be a lie: what is
 * there has directly replaced what was expected. */
static void
test_overtaken_put_is_tried_again (gconstpointer layout)
{
  g_autoptr (TallTable) table = tall_stepper_table_new (layout);
  g_autoptr (TallStepper) p0 = tall_stepper_new (table, 1000);
  g_autoptr (TallStepper) p1 = tall_stepper_new (table, 1000);
  tall_stepper_put_whole (p0, 10, 3);
  tall_stepper_put (p0, 10, 1, NULL);
  tall_stepper_step (p0, APPLY_IF);
  tall_stepper_step (p0, READ);
  tall_stepper_put_whole (p1, 11, 2);
  tall_stepper_finish (p0);
  g_assert_no_error (tall_stepper_get_error (p0));
  g_assert_cmpuint (tall_stepper_see (table), ==, 10);
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

/* What is there has directly replaced what a lost commit expected: it never happened, and is done
 * again. Its late call finds nothing that it expects. */
static void
test_lost_commit_that_was_overtaken (gconstpointer layout)
{
  g_autoptr (TallTable) table = tall_stepper_table_new (layout);
  g_autoptr (TallStepper) p0 = stand_before_commit (table, layout);
  g_autoptr (TallStepper) p1 = tall_stepper_new (table, 2000);
  tall_stepper_put_whole (p1, 11, 1);
  tall_stepper_fail (p0, APPLY_IF, TALL_FAILURE_LATE);
  tall_stepper_step (p0, READ);
  tall_stepper_finish (p0);
  g_assert_no_error (tall_stepper_get_error (p0));
  tall_stepper_deliver_late (p0);
  g_assert_cmpuint (tall_stepper_see (table), ==, 12);
  tall_stepper_go_on_alone (table);
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
  tall_stale_table_set_stale (TALL_STALE_TABLE (stale), TRUE);
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
  tall_stale_table_set_stale (TALL_STALE_TABLE (stale), TRUE);
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
  tall_stale_table_set_stale (TALL_STALE_TABLE (stale), TRUE);
  tall_stepper_step (p0, READ);
  tall_stepper_step (p0, APPLY_IF);
  tall_stale_table_set_stale (TALL_STALE_TABLE (stale), FALSE);
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

/* What can only happen where an order is one row, and who stores it guesses that it is new. */
static void
add_for_single_rows (const char *name, GTestDataFunc test)
{
  guint n;
  const TallLayout *const *layouts = tall_layouts (&n);
  for (guint i = 0; i < n; i++)
    if (layouts[i]->single_row)
      add_for_layout (name, layouts[i], test);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/settling/false-though-applied", test_false_though_applied);
  add_for_layouts ("lost-commit-is-not-retried", test_lost_commit_is_not_retried);
  add_for_layouts ("false-commit-is-not-retried", test_false_commit_is_not_retried);
  add_for_single_rows ("false-creation-replaced-twice", test_false_creation_replaced_twice);
  add_for_single_rows ("overtaken-creation-is-tried-again", test_overtaken_creation_is_tried_again);
  add_for_single_rows ("creation-without-mark-is-unknown", test_creation_without_mark_is_unknown);
  add_for_layouts ("overtaken-put-is-tried-again", test_overtaken_put_is_tried_again);
  add_for_layouts ("lost-commit-that-was-overtaken", test_lost_commit_that_was_overtaken);
  add_for_layouts ("stale-read-after-false-commit", test_stale_read_after_false_commit);
  add_for_layouts ("stale-read-after-lost-commit", test_stale_read_after_lost_commit);
  g_test_add_func ("/settling/given-up-claim-proves-nothing", test_given_up_claim_proves_nothing);
  g_test_add_func ("/settling/stale-read-of-a-claim", test_stale_read_of_a_claim);
  g_test_add_func ("/settling/stale-read-after-false-claim", test_stale_read_after_false_claim);
  add_for_layouts ("unreadable-and-not-older", test_unreadable_and_not_older);
  add_for_single_rows ("unreadable-and-older", test_unreadable_and_older);
  return g_test_run ();
}
