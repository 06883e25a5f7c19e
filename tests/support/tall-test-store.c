/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-cells.h"
#include "tall-test-store.h"

#include <stdio.h>

#include "tall-error.h"
#include "table/memory-table.h"
#include "table/rocksdb/table.h"
#include "tall-test-orders.h"
#include "tall-must.h"

#define STATE tall_slice ("s", 1)

void
tall_test_create (TallTable *table, const char *layout, const char *key_strategy, guint64 ttl)
{
  g_autoptr (GError) error = NULL;
  TallStoreSettings settings = {
    .layout = tall_layout_find (layout, &error),
    .key_strategy = tall_key_strategy_find (key_strategy, &error),
    .ttl = ttl,
  };
  g_assert_no_error (error);

  must (tall_store_create (table, &settings, &error));
}

/**
 * tall_test_open_table:
 * @directory: (nullable): where a RocksDB is to be, which does not sync; NULL: in memory
 *
 * Returns: (transfer full): the table
 */
TallTable *
tall_test_open_table (const char *directory)
{
  if (directory == NULL)
    return tall_memory_table_new ();
  TallRocksdbOptions options = { .directory = directory, .sync = FALSE };
  return must (tall_rocksdb_table_open (&options, &error));
}

/**
 * tall_test_table_new:
 *
 * Returns: (transfer full): a memory table with a deployment in it
 */
TallTable *
tall_test_table_new (const TallLayout *layout, const TallKeyStrategy *key_strategy)
{
  TallTable *table = tall_memory_table_new ();
  tall_test_create (table, layout->name, key_strategy->name, 0);
  return table;
}

static gint64
clock_now (gpointer data)
{
  return g_atomic_pointer_get (&((TallTestClock *)data)->now);
}

static gint64
clock_monotonic (gpointer data)
{
  return g_atomic_pointer_get (&((TallTestClock *)data)->monotonic);
}

static void
clock_sleep (gint64 microseconds, gpointer data)
{
  TallTestClock *clock = data;
  g_atomic_pointer_add (&clock->monotonic, microseconds);
  g_atomic_pointer_add (&clock->now, microseconds / 1000);
  g_atomic_int_inc (&clock->n_sleeps);
  if (clock->on_sleep != NULL)
    clock->on_sleep (clock->data);
}

/**
 * tall_test_hooks:
 * @clock: must outlive what uses them
 */
TallStoreHooks
tall_test_hooks (TallTestClock *clock)
{
  return (TallStoreHooks){
    .now = clock_now,
    .monotonic = clock_monotonic,
    .sleep = clock_sleep,
    .patience = clock->patience,
    .data = clock,
  };
}

/**
 * tall_test_open:
 * @clock: (nullable): its clock, which must outlive the store; NULL: the real one
 *
 * Returns: (transfer full): the deployment, opened
 */
TallStore *
tall_test_open (TallTable *table, TallTestClock *clock)
{
  TallStoreHooks hooks = { 0 };
  if (clock != NULL)
    hooks = tall_test_hooks (clock);
  return must (tall_store_open (table, NULL, NULL, &hooks, &error));
}

TallOrder *
tall_test_marked_order (const char *order_number, guint writer, guint sequence, guint n_lines)
{
  TallOrder *order = tall_test_order_with_lines (TALL_TEST_CUSTOMER, order_number, n_lines);
  char *mark = tall_arena_printf (tall_order_get_arena (order), "%u/%u", writer, sequence);

  order->currency = mark;
  for (guint i = 0; i < order->n_shipping_locations; i++)
    {
      TallShippingLocation *location = order->shipping_locations[i];
      location->name = mark;
      for (guint j = 0; j < location->n_line_items; j++)
        location->line_items[j]->description = mark;
    }
  return order;
}

/**
 * tall_test_read_mark:
 *
 * Fails the test unless the whole order is of one writer and one sequence number.
 */
void
tall_test_read_mark (const TallOrder *order, guint *writer, guint *sequence)
{
  g_assert_cmpint (sscanf (order->currency, "%u/%u", writer, sequence), ==, 2);
  g_assert_cmpuint (order->n_shipping_locations, >, 0);
  for (guint i = 0; i < order->n_shipping_locations; i++)
    {
      const TallShippingLocation *location = order->shipping_locations[i];
      g_assert_cmpstr (location->name, ==, order->currency);
      for (guint j = 0; j < location->n_line_items; j++)
        g_assert_cmpstr (location->line_items[j]->description, ==, order->currency);
    }
}

guint
tall_test_count_cells (TallTable *table, const TallLayout *layout, gint64 timestamp)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  for (const TallLayoutTable *rows = layout->tables; rows->name != NULL; rows++)
    tall_read_plan_add_scan (plan, rows->name, tall_slice (NULL, 0), tall_slice (NULL, 0));
  if (timestamp != 0)
    tall_read_plan_set_timestamp (plan, timestamp);
  g_autoptr (TallReadResult) result =
      must (tall_table_read (table, plan, TALL_NO_DEADLINE, &error));
  guint n = 0;
  for (guint i = 0; i < result->n_results; i++)
    for (guint j = 0; j < result->results[i].n_rows; j++)
      n += result->results[i].rows[j].n_cells;
  return n;
}

static const char *
locate (TallStore *store, const char *order_number, GByteArray *row)
{
  g_autoptr (GError) error = NULL;
  g_auto (TallOrderKey) key = { 0 };
  guint64 id = 0;
  if (!tall_store_find_id (store, TALL_TEST_CUSTOMER, &id, &error))
    g_assert_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND);
  tall_order_key_init (&key, tall_store_get_key_strategy (store), TALL_TEST_CUSTOMER, id,
                       order_number);
  return tall_store_get_layout (store)->locate_order (&key, row);
}

gboolean
tall_test_read_state (TallStore *store,
                      const char *order_number,
                      TallState *state,
                      gint64 *timestamp)
{
  g_autoptr (GByteArray) row = g_byte_array_new ();
  const char *table = locate (store, order_number, row);
  g_autoptr (TallReadResult) result =
      tall_test_get (tall_store_get_counting (store), table, tall_slice_array (row));
  if (result->results[0].n_rows == 0)
    return FALSE;

  const TallCell *cell = tall_row_find_latest (&result->results[0].rows[0], STATE);
  g_assert_nonnull (cell);
  memset (state, 0, sizeof *state); /* tests compare its bytes */
  must (tall_state_decode (cell->value, state, &error));
  if (timestamp != NULL)
    *timestamp = cell->timestamp;
  return TRUE;
}

void
tall_test_write_state (TallStore *store,
                       const char *order_number,
                       const TallState *state,
                       gint64 timestamp)
{
  g_autoptr (GByteArray) row = g_byte_array_new ();
  const char *table = locate (store, order_number, row);
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, table, tall_slice_array (row));
  tall_mutation_put (batch, mutation, STATE, timestamp, tall_state_encode (state, batch->arena));
  must (tall_table_apply (tall_store_get_counting (store), &mutation, 1, TALL_DURABLE,
                          TALL_NO_DEADLINE, &error));
}
