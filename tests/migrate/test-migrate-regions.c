/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* New tables that are split by a sample of the orders, which nobody has to give. */
#include "tall-error.h"
#include "tall-moving.h"
#include "tall-must.h"

#define REGIONS 3

static void
expect_split (TallMoving *self)
{
  g_autoptr (TallTableSpec) spec = must (
      tall_table_describe_table (TALL_MOVING_OTHERS (self), "orders-2", TALL_NO_DEADLINE, &error));
  g_assert_nonnull (spec->splits);
  g_assert_cmpuint (spec->splits->len, ==, REGIONS - 1);
}

/* The target's key strategy is raw. */
static void
test_drawn (void)
{
  g_auto (TallMoving) self = { 0 };
  tall_moving_init (&self, &tall_layout_record_type, &tall_layout_blob);
  self.options.move.regions = REGIONS;
  tall_moving_finish (&self);
  tall_moving_expect_moved (&self);
  expect_split (&self);
}

static TallFailure
before_call (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  gboolean *dead = data;
  *dead |= call->kind == TALL_CALL_CREATE_TABLE;
  return *dead ? TALL_FAILURE_BEFORE : TALL_FAILURE_NONE;
}

/* Somebody else makes the tables, and knows nothing but the record. */
static void
test_resumed (void)
{
  g_autoptr (GError) error = NULL;
  g_auto (TallMoving) self = { 0 };
  gboolean dead = FALSE;
  tall_moving_init (&self, &tall_layout_blob, &tall_layout_normalized);
  self.options.move.regions = REGIONS;
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (self.side.table), before_call, NULL, &dead);
  g_assert_false (tall_moving_run (&self, self.side.table, &error));
  g_assert_true (dead);
  const TallMove wanted = self.options.move;
  self.options.move = (TallMove){ 0 };
  tall_moving_finish (&self);
  self.options.move = wanted;
  tall_moving_expect_moved (&self);
  expect_split (&self);
}

/* More regions than there are customers: nothing has begun. */
static void
test_too_many (void)
{
  g_auto (TallMoving) self = { 0 };
  tall_moving_init (&self, &tall_layout_blob, &tall_layout_wide);
  self.options.move.regions = 100;
  must_fail (tall_moving_run (&self, TALL_MOVING_OTHERS (&self), &error), TALL_ERROR_INVALID,
             "fewer regions");
  tall_moving_expect_unmoved (&self);
}

static TallFailure
count_trials (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  GHashTable *rows = data;
  if (call->kind == TALL_CALL_APPLY_IF && g_str_equal (call->table, "orders-2"))
    g_hash_table_add (rows, tall_slice_to_hex (call->mutations[0]->row));
  return TALL_FAILURE_NONE;
}

/* Regions seal themselves one by one, so a write is tried in each. */
static void
test_each_tried (void)
{
  g_auto (TallMoving) self = { 0 };
  g_autoptr (GHashTable) rows = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  tall_moving_init (&self, &tall_layout_record_type, &tall_layout_blob);
  self.options.move.regions = REGIONS;
  tall_moving_finish (&self);
  self.options.move = (TallMove){ .layout = &tall_layout_wide };
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (self.side.table), count_trials, NULL, rows);
  must (tall_moving_run (&self, self.side.table, &error));
  g_assert_cmpuint (g_hash_table_size (rows), ==, REGIONS);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/migrate/regions/drawn", test_drawn);
  g_test_add_func ("/migrate/regions/resumed", test_resumed);
  g_test_add_func ("/migrate/regions/too-many", test_too_many);
  g_test_add_func ("/migrate/regions/each-tried", test_each_tried);
  return g_test_run ();
}
