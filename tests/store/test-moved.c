/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "store/record/generation.h"
#include "store/move.h"
#include "tall-test-orders.h"
#include "tall-test-store.h"
#include "tall-must.h"

/* A store whose deployment has moved, or is moving. Nothing is copied here. */

#define SEAL "1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b"

static void
change (TallTable *table, const TallMigration *is, TallMigration to)
{
  gboolean done;
  must (tall_migration_change (table, NULL, is, &to, NULL, TALL_NO_DEADLINE, &done, &error));
  g_assert_true (done);
}

/* Begins to move to @layout, and makes its tables. */
static TallMigration
begin (TallTable *table, const TallLayout *layout)
{
  const TallMove move = { .layout = layout, .key_strategy = &tall_key_numeric };
  g_autoptr (TallDeployment) begun =
      must (tall_move_begin (table, &move, TALL_NO_DEADLINE, &error));
  must (tall_move_create_tables (table, begun, NULL, TALL_NO_DEADLINE, &error));
  return begun->migration;
}

static void
finish (TallTable *table, const TallMigration *copying)
{
  TallMigration sealing = tall_migration_seal (copying);
  change (table, copying, sealing);
  TallMigration closing = tall_migration_close (&sealing, SEAL);
  change (table, &sealing, closing);
  change (table, &closing, tall_migration_switch (&closing));
}

static void
move_to (TallTable *table, const TallLayout *layout)
{
  TallMigration copying = begin (table, layout);
  finish (table, &copying);
}

static void
put (TallStore *store, const char *order_number)
{
  g_autoptr (TallOrder) order = tall_test_marked_order (order_number, 1, 1, 3);
  must (tall_front_put_order (TALL_FRONT (store), order, NULL, NULL, &error));
}

static void
expect_order (TallStore *store, const char *order_number, gboolean there)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallOrder) order =
      tall_front_get_order (TALL_FRONT (store), TALL_TEST_CUSTOMER, order_number, NULL, &error);
  g_assert_true ((order != NULL) == there);
  if (!there)
    g_assert_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND);
}

/* What is stored is in the tables that count, and nothing in others. */
static void
test_open (void)
{
  guint n;
  const TallLayout *const *layouts = tall_layouts (&n);
  for (guint i = 0; i < n; i++)
    {
      const TallLayout *to = layouts[(i + 1) % n];
      g_autoptr (TallTable) table = tall_test_table_new (layouts[i], &tall_key_hashed);
      g_autoptr (TallStore) before = tall_test_open (table, NULL);
      put (before, "before");
      guint n_before = tall_test_count_cells (table, layouts[i], 0);
      move_to (table, to);

      g_autoptr (TallStore) store = tall_test_open (table, NULL);
      g_assert_true (tall_store_get_table (store) == table);
      g_assert_true (tall_store_get_layout (store) == to);
      expect_order (store, "before", FALSE);
      put (store, "after");
      expect_order (store, "after", TRUE);
      g_assert_cmpuint (tall_test_count_cells (table, layouts[i], 0), ==, n_before);
      g_autoptr (TallOrderList) list =
          must (tall_front_list_orders (TALL_FRONT (store), TALL_TEST_CUSTOMER, NULL, &error));
      g_assert_cmpuint (list->n_entries, ==, 1);
      g_autoptr (TallTable) view = tall_generation_table_new (table, 2);
      g_assert_cmpuint (tall_test_count_cells (view, to, 0), >, 0);
      g_assert_cmpuint (tall_test_count_cells (tall_store_get_counting (store), to, 0), ==,
                        tall_test_count_cells (view, to, 0));
    }
}

static void
expect_described (TallStore *store, guint64 generation, const char *phase, const char *next)
{
  g_autoptr (TallDescription) description = must (tall_front_describe (TALL_FRONT (store), &error));
  g_assert_cmpuint (description->generation, ==, generation);
  g_assert_cmpstr (description->phase, ==, phase);
  g_assert_cmpstr (description->next_layout, ==, next);
  g_assert_cmpstr (description->next_key_strategy, ==, next != NULL ? "numeric" : NULL);
  g_assert_cmpstr (description->next_index, ==, next != NULL ? "date" : NULL);
  g_assert_cmpuint (description->format, ==, generation > 1 ? 2 : 1);
  g_assert_cmpuint (description->newest_format, ==, 3);
}

/* A store that is open sees every phase. */
static void
test_describe (void)
{
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
  g_autoptr (TallStore) store = tall_test_open (table, NULL);
  expect_described (store, 1, "none", NULL);
  TallMigration copying = begin (table, &tall_layout_wide);
  expect_described (store, 1, "copying", "wide");
  TallMigration sealing = tall_migration_seal (&copying);
  change (table, &copying, sealing);
  expect_described (store, 1, "sealing", "wide");
  TallMigration closing = tall_migration_close (&sealing, SEAL);
  change (table, &sealing, closing);
  expect_described (store, 1, "closing", "wide");
  TallMigration aborting = tall_migration_abort (&closing, TRUE);
  change (table, &closing, aborting);
  expect_described (store, 1, "aborting", "wide");
  change (table, &aborting, tall_migration_give_up (&aborting));
  expect_described (store, 1, "none", NULL);
  move_to (table, &tall_layout_normalized);
  expect_described (store, 3, "none", NULL);
}

/* A part of a verification that looks at one row. */
static TallVerifyPart *
verify (TallStore *store, TallSlice cursor)
{
  const TallVerifyRequest request = { .most = 1, .cursor = cursor };
  return must (tall_front_verify_some (TALL_FRONT (store), &request, &error));
}

static void
expect_refused (TallStore *store, const TallVerifyRequest *request, const char *field)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (tall_front_verify_some (TALL_FRONT (store), request, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_cmpstr (tall_error_get_field (error), ==, field);
}

static void
expect_cursor_refused (TallStore *store, TallSlice cursor)
{
  const TallVerifyRequest request = { .cursor = cursor };
  expect_refused (store, &request, "cursor");
}

/* Two orders, one of which has lost its rows, but not its hint. */
static TallVerifyPart *
find_suspect (TallStore *store)
{
  TallTable *table = tall_store_get_counting (store);
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  put (store, "1");
  put (store, "2");
  tall_read_plan_add_scan (plan, "orders", (TallSlice)TALL_SLICE_INIT, (TallSlice)TALL_SLICE_INIT);
  g_autoptr (TallReadResult) result =
      must (tall_table_read (table, plan, TALL_NO_DEADLINE, &error));
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *row = tall_batch_add (batch, "orders", result->results[0].rows[0].key);
  tall_mutation_delete_up_to (batch, row, result->results[0].rows[0].cells[0].timestamp);
  must (tall_table_apply (table, &row, 1, TALL_DURABLE, TALL_NO_DEADLINE, &error));

  g_autoptr (TallVerifyPart) part = verify (store, (TallSlice)TALL_SLICE_INIT);
  while (part->wait == 0)
    {
      g_autoptr (TallVerifyPart) before = g_steal_pointer (&part);
      part = verify (store, before->cursor);
    }
  return g_steal_pointer (&part);
}

static void
expect_known (TallStore *store, TallSlice cursor)
{
  g_autoptr (TallVerifyPart) part = verify (store, cursor);
  g_assert_cmpuint (part->n_findings, ==, 1);
}

/* A verification ends with the tables that it has begun in: the keys in it are of these. */
static void
test_verify (void)
{
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_numeric);
  g_autoptr (TallStore) first = tall_test_open (table, NULL);
  g_autoptr (TallVerifyPart) of_first = find_suspect (first);
  g_autoptr (TallVerifyPart) place = verify (first, (TallSlice)TALL_SLICE_INIT);
  expect_known (first, of_first->cursor);

  move_to (table, &tall_layout_wide);
  g_autoptr (TallStore) second = tall_test_open (table, NULL);
  g_autoptr (TallVerifyPart) of_second = find_suspect (second);
  g_autoptr (TallVerifyPart) other_place = verify (second, (TallSlice)TALL_SLICE_INIT);
  expect_known (second, of_second->cursor);
  g_autoptr (TallVerifyPart) further = verify (second, other_place->cursor);

  g_assert_cmpuint (place->cursor.len, >, 0);
  expect_cursor_refused (second, place->cursor);
  expect_cursor_refused (second, of_first->cursor);
  for (gsize len = 1; len < 10; len++)
    {
      expect_cursor_refused (second, tall_slice (other_place->cursor.data, len));
      expect_cursor_refused (second, tall_slice (of_second->cursor.data, len));
    }

  move_to (table, &tall_layout_blob);
  g_autoptr (TallStore) third = tall_test_open (table, NULL);
  expect_cursor_refused (third, place->cursor);
  expect_cursor_refused (third, other_place->cursor);
  expect_cursor_refused (third, of_second->cursor);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/moved/open", test_open);
  g_test_add_func ("/moved/describe", test_describe);
  g_test_add_func ("/moved/verify", test_verify);
  return g_test_run ();
}
