/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "model/canonical.h"
#include "tall-error.h"
#include "layout/layout.h"

/* Rows as a damaged table may hold them. The input:
 *
 *     u8 layout, u8 key strategy, then rows: u8 read that finds it, u8 length, key,
 *     u8 number of cells, then cells: u8 length, qualifier, u8 timestamp, u16 length, value
 *
 * It is read as customer VINET's order 10248 of revision 7, and each row as customer VINET. */

#define REVISION 7

/* A row, and the number of the read that finds it. */
static guint8
read_row (TallReader *reader, TallRowsBuilder *builder)
{
  guint8 read = tall_reader_u8 (reader);
  TallSlice key = tall_reader_take (reader, tall_reader_u8 (reader));
  guint n_cells = tall_reader_u8 (reader);
  for (guint i = 0; i < n_cells && !reader->failed; i++)
    {
      TallCell cell;
      cell.qualifier = tall_reader_take (reader, tall_reader_u8 (reader));
      cell.timestamp = tall_reader_u8 (reader);
      cell.value = tall_reader_take (reader, tall_reader_u16 (reader));
      tall_rows_builder_add_cell (builder, cell);
    }
  tall_rows_builder_end_row (builder, key);
  return read;
}

/* Reads the rest of the input: what each of @n_results reads finds. */
static TallRows *
read_results (TallReader *reader, guint n_results, TallArena *arena)
{
  TallRows *results = tall_arena_newa0 (arena, TallRows, n_results);
  for (guint i = 0; i < n_results; i++)
    {
      TallReader again = *reader;
      TallRowsBuilder all;
      tall_rows_builder_init (&all, arena);
      while (!again.failed && again.rest.len > 0)
        {
          guint n_before = all.rows->len;
          if (read_row (&again, &all) % n_results != i)
            g_array_set_size (all.rows, n_before);
        }
      tall_rows_builder_finish (&all, &results[i]);
    }
  return results;
}

static void
check_error (const GError *error)
{
  g_assert_error (error, TALL_ERROR, TALL_ERROR_DAMAGED);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
}

static void
try_order (const TallLayout *layout,
           const TallOrderKey *key,
           const TallRows *results,
           guint n_results,
           TallArena *arena)
{
  g_autoptr (GError) error = NULL;
  const TallFoundRows found = { key, "VINET", "10248", results, n_results, REVISION };
  TallDecoded decoded = { NULL };
  if (!layout->decode_order (&found, &decoded, &error))
    {
      check_error (error);
      return;
    }

  g_autoptr (TallOrder) order = decoded.order;
  g_assert_cmpstr (order->customer_number, ==, "VINET");
  g_assert_cmpstr (order->order_number, ==, "10248");
  tall_order_to_canonical (order, arena);
}

static void
try_row (const TallLayout *layout,
         const TallKeyStrategy *strategy,
         const TallRow *row,
         TallArena *arena)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallCustomer) customer = layout->decode_customer ("VINET", row, REVISION, &error);
  if (customer == NULL)
    check_error (error);
  else
    tall_customer_to_canonical (customer, arena);

  for (const TallLayoutTable *table = layout->tables; table->name != NULL; table++)
    {
      gsize sum = 0;
      g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (TallRowPart));
      layout->name_parts (strategy, table->name, row->key, parts);
      for (guint i = 0; i < parts->len; i++)
        sum += g_array_index (parts, TallRowPart, i).len;
      g_assert_cmpuint (sum, ==, row->key.len);
    }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  guint n_layouts, n_strategies;
  const TallLayout *const *layouts = tall_layouts (&n_layouts);
  const TallKeyStrategy *const *strategies = tall_key_strategies (&n_strategies);
  TallReader reader = tall_reader (tall_slice (data, size));
  const TallLayout *layout = layouts[tall_reader_u8 (&reader) % n_layouts];
  const TallKeyStrategy *strategy = strategies[tall_reader_u8 (&reader) % n_strategies];

  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_auto (TallOrderKey) key = { NULL };
  tall_order_key_init (&key, strategy, "VINET", strategy->needs_id ? 1 : 0, "10248");
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  layout->plan_order (&key, plan);

  guint n_results = plan->reads->len;
  TallRows *results = read_results (&reader, n_results, arena);
  try_order (layout, &key, results, n_results, arena);
  for (guint i = 0; i < n_results; i++)
    for (guint j = 0; j < results[i].n_rows; j++)
      try_row (layout, strategy, &results[i].rows[j], arena);
  return 0;
}
