/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-layout.h"

#include "model/canonical.h"
#include "table/memory-table.h"
#include "tall-test-pairs.h"

static void
assert_done (gboolean done, GError *error)
{
  g_assert_no_error (error);
  g_assert_true (done);
}

/**
 * tall_test_layout_init:
 *
 * Makes the layout's tables, empty.
 */
void
tall_test_layout_init (TallTestLayout *self,
                       const TallLayout *layout,
                       const TallKeyStrategy *strategy)
{
  self->layout = layout;
  self->strategy = strategy;
  self->table = tall_memory_table_new ();
  for (const TallLayoutTable *table = layout->tables; table->name != NULL; table++)
    {
      GError *error = NULL;
      TallTableSpec *spec = tall_table_spec_new (table->name);
      assert_done (tall_table_create_table (self->table, spec, TALL_NO_DEADLINE, &error), error);
      tall_table_spec_free (spec);
    }
}

void
tall_test_layout_clear (TallTestLayout *self)
{
  g_clear_object (&self->table);
}

/**
 * tall_test_layout_init_key:
 * @order_number: (nullable): NULL makes the key of a customer
 * @key: (out caller-allocates): with a made-up id if the strategy needs one
 */
void
tall_test_layout_init_key (const TallTestLayout *self,
                           const char *customer_number,
                           const char *order_number,
                           TallOrderKey *key)
{
  guint64 id = self->strategy->needs_id ? g_str_hash (customer_number) + G_GUINT64_CONSTANT (1) : 0;
  tall_order_key_init (key, self->strategy, customer_number, id, order_number);
}

/* Texts of @from must live as long as the batch; tests free orders when they like. */
static TallBatch *
copy_batch (const TallBatch *from)
{
  TallBatch *batch = tall_batch_new ();
  for (guint i = 0; i < from->mutations->len; i++)
    {
      const TallMutation *mutation = from->mutations->pdata[i];
      TallMutation *copy = tall_batch_add (batch, mutation->table, mutation->row);
      for (guint j = 0; j < mutation->n_changes; j++)
        {
          const TallChange *change = &mutation->changes[j];
          g_assert_cmpint (change->kind, ==, TALL_CHANGE_PUT);
          tall_mutation_put (batch, copy, tall_slice_dup (batch->arena, change->qualifier),
                             change->timestamp, tall_slice_dup (batch->arena, change->value));
        }
    }
  return batch;
}

/**
 * tall_test_layout_encode_order:
 *
 * Returns: (transfer full): all rows of the order as a layout and the store write them, without
 *   the state cell; the root row first. It needs @order no longer.
 */
TallBatch *
tall_test_layout_encode_order (const TallTestLayout *self, const TallOrder *order, gint64 revision)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  g_auto (TallOrderKey) key = { NULL };
  tall_test_layout_init_key (self, order->customer_number, order->order_number, &key);

  g_autoptr (GByteArray) row = g_byte_array_new ();
  const char *table = self->layout->locate_order (&key, row);
  TallMutation *root = tall_batch_add (batch, table, tall_slice_array (row));
  TallSlice canonical = tall_order_to_canonical (order, batch->arena);
  self->layout->append_root (order, canonical, revision, batch, root);
  tall_mutation_put (batch, root, tall_slice_str ("summary"), revision,
                     tall_order_to_summary (order, batch->arena));
  if (self->layout->append_children != NULL)
    self->layout->append_children (&key, order, revision, batch);
  return copy_batch (batch);
}

/**
 * tall_test_layout_encode_customer:
 *
 * Returns: (transfer full): the customer's row, like tall_test_layout_encode_order()
 */
TallBatch *
tall_test_layout_encode_customer (const TallTestLayout *self,
                                  const TallCustomer *customer,
                                  gint64 revision)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  g_auto (TallOrderKey) key = { NULL };
  tall_test_layout_init_key (self, customer->number, NULL, &key);

  g_autoptr (GByteArray) row = g_byte_array_new ();
  const char *table = self->layout->locate_customer (&key, row);
  TallMutation *mutation = tall_batch_add (batch, table, tall_slice_array (row));
  TallSlice canonical = tall_customer_to_canonical (customer, batch->arena);
  self->layout->append_customer (customer, canonical, revision, batch, mutation);
  tall_mutation_put (batch, mutation, tall_slice_str ("summary"), revision,
                     tall_customer_to_summary (customer, batch->arena));
  return copy_batch (batch);
}

void
tall_test_layout_apply (const TallTestLayout *self, const TallBatch *batch)
{
  GError *error = NULL;
  gboolean done = tall_table_apply (self->table, (TallMutation *const *)batch->mutations->pdata,
                                    batch->mutations->len, TALL_DURABLE, TALL_NO_DEADLINE, &error);
  assert_done (done, error);
}

/**
 * tall_test_layout_read:
 *
 * Returns: (transfer full): what the plan finds; the test fails if it cannot be read
 */
TallReadResult *
tall_test_layout_read (const TallTestLayout *self, const TallReadPlan *plan)
{
  GError *error = NULL;
  TallReadResult *result = tall_table_read (self->table, plan, TALL_NO_DEADLINE, &error);
  assert_done (result != NULL, error);
  return result;
}

static void
clear_and_free (gpointer data)
{
  TallTestLayout *self = data;
  tall_test_layout_clear (self);
  g_free (self);
}

/**
 * tall_test_add_for_layouts:
 * @function: gets a fresh #TallTestLayout
 *
 * Adds a test `/layout/LAYOUT/KEY/NAME` for layouts with key strategies: see tall-test-pairs.h.
 */
void
tall_test_add_for_layouts (const char *name, GTestDataFunc function)
{
  guint n_layouts, n_strategies;
  const TallLayout *const *layouts = tall_layouts (&n_layouts);
  const TallKeyStrategy *const *strategies = tall_key_strategies (&n_strategies);

  for (guint i = 0; i < n_layouts; i++)
    for (guint j = 0; j < n_strategies; j++)
      {
        if (!tall_test_takes_pair (i, n_layouts, j, n_strategies, 0))
          continue;
        TallTestLayout *self = g_new0 (TallTestLayout, 1);
        tall_test_layout_init (self, layouts[i], strategies[j]);
        g_autofree char *path =
            g_strdup_printf ("/layout/%s/%s/%s", layouts[i]->name, strategies[j]->name, name);
        g_test_add_data_func_full (path, self, function, clear_and_free);
      }
}
