/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "tall-canonical.h"
#include "tall-error.h"
#include "tall-layout.h"

/* Rows as a damaged table may hold them. The input:
 *
 *     u8 layout, u8 key strategy, then rows: u8 length, key, u8 number of cells, then cells:
 *     u8 length, qualifier, u8 timestamp, u16 length, value
 *
 * It is read as customer VINET's order 10248 of revision 7, and each row as customer VINET. */

#define REVISION 7

static void
read_row (TallReader *reader, TallRowsBuilder *builder)
{
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
}

static void
check_error (const GError *error)
{
  g_assert_error (error, TALL_ERROR, TALL_ERROR_DAMAGED);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
}

/* Every read of the plan finds the same rows. */
static void
try_order (const TallLayout *layout,
           const TallOrderKey *key,
           const TallRows *rows,
           TallArena *arena)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  layout->plan_order (key, plan);
  TallRows *results = tall_arena_newa0 (arena, TallRows, plan->reads->len);
  for (guint i = 0; i < plan->reads->len; i++)
    results[i] = *rows;

  TallDecoded decoded = { NULL };
  if (!layout->decode_order (key, "VINET", "10248", results, plan->reads->len, REVISION, &decoded,
                             &error))
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
  TallRowsBuilder builder;
  tall_rows_builder_init (&builder, arena);
  while (!reader.failed && reader.rest.len > 0)
    read_row (&reader, &builder);
  TallRows rows;
  tall_rows_builder_finish (&builder, &rows);

  g_auto (TallOrderKey) key = { NULL };
  tall_order_key_init (&key, strategy, "VINET", strategy->needs_id ? 1 : 0, "10248");
  try_order (layout, &key, &rows, arena);
  for (guint i = 0; i < rows.n_rows; i++)
    try_row (layout, strategy, &rows.rows[i], arena);
  return 0;
}
