/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "layout/layout.h"
#include "tall-limits.h"

#include "layout/customer-rows.h"
#include "layout/order-rows.h"
#include "layout/root-rows.h"
#include "layout/row-parts.h"
#include "layout/ship-to-rows.h"

static void
append_typed (const TallOrderKey *key, guint8 type, GByteArray *row)
{
  tall_bytes_append (row, key->whole);
  tall_bytes_append_u8 (row, type);
}

static const char *
locate_order (const TallOrderKey *key, GByteArray *row)
{
  append_typed (key, TALL_ROW_ROOT, row);
  return TALL_ORDERS;
}

static TallMutation *
add_row (const TallOrderKey *key, guint8 type, guint32 number, TallBatch *batch, GByteArray *row)
{
  g_byte_array_set_size (row, 0);
  append_typed (key, type, row);
  tall_bytes_append_u32 (row, number);
  return tall_batch_add (batch, TALL_ORDERS, tall_slice_array (row));
}

static void
append_children (const TallOrderKey *key, const TallOrder *order, gint64 revision, TallBatch *batch)
{
  g_autoptr (GByteArray) row = g_byte_array_sized_new (64);
  for (guint i = 0; i < order->n_shipping_locations; i++)
    {
      const TallShippingLocation *location = order->shipping_locations[i];
      if (location->n_line_items == 0)
        {
          TallMutation *mutation = add_row (key, TALL_ROW_LOCATION, location->number, batch, row);
          tall_columns_append (&tall_columns_ship_to, location, revision, batch, mutation);
        }
      for (guint j = 0; j < location->n_line_items; j++)
        {
          const TallLineItem *line = location->line_items[j];
          TallMutation *mutation = add_row (key, TALL_ROW_LINE, line->number, batch, row);
          tall_columns_append (&tall_columns_line, line, revision, batch, mutation);
          tall_columns_append (&tall_columns_ship_to, location, revision, batch, mutation);
        }
    }
}

static void
plan_order (const TallOrderKey *key, TallReadPlan *plan)
{
  tall_read_plan_add_prefix_scan (plan, TALL_ORDERS, key->whole);
}

static void
plan_children (const TallOrderKey *key, TallReadPlan *plan)
{
  g_autoptr (GByteArray) start = g_byte_array_sized_new (64);
  append_typed (key, TALL_ROW_LOCATION, start);
  TallSlice stop = tall_slice_after_prefix (plan->arena, key->whole);
  tall_read_plan_add_scan (plan, TALL_ORDERS, tall_slice_array (start), stop);
}

static gboolean
decode_row (TallShipToRows *rows, const TallOrderKey *key, const TallRow *row, GError **error)
{
  TallReader reader = tall_reader (row->key);
  TallSlice prefix = tall_reader_take (&reader, key->whole.len);
  guint8 type = tall_reader_u8 (&reader);
  gboolean is_root = tall_reader_done (&reader);
  guint32 number = tall_reader_u32 (&reader);
  gboolean has_number = tall_reader_done (&reader);

  if (!tall_slice_equal (prefix, key->whole))
    return tall_order_rows_check_unexpected (&rows->reader, row, error);
  if (type == TALL_ROW_ROOT && is_root)
    return tall_columns_read (&tall_columns_order, &rows->reader, row, rows->order, NULL, error);
  if (type == TALL_ROW_LOCATION && has_number)
    return tall_ship_to_rows_read_location (rows, row, number, error);
  if (type == TALL_ROW_LINE && has_number)
    return tall_ship_to_rows_read_line (rows, row, number, error);
  return tall_order_rows_check_unexpected (&rows->reader, row, error);
}

static gboolean
decode_order (const TallFound *found, TallDecoded *decoded, GError **error)
{
  g_assert (found->n_results == 1);
  const TallRows *results = &found->results[0];
  g_autoptr (TallOrder) order = tall_order_new (found->customer_number, found->order_number);
  g_auto (TallShipToRows) rows = { { NULL } };
  tall_ship_to_rows_init (&rows, TALL_ORDERS, found->revision, order);

  for (guint i = 0; i < results->n_rows; i++)
    if (!decode_row (&rows, found->key, &results->rows[i], error))
      return FALSE;
  tall_ship_to_rows_finish (&rows);

  decoded->order = g_steal_pointer (&order);
  return TRUE;
}

static void
name_parts (const TallKeyStrategy *strategy, const char *table, TallSlice row, GArray *parts)
{
  TallRowParts naming = tall_row_parts (strategy, row, parts);
  tall_row_parts_take_customer (&naming);
  if (strcmp (table, TALL_ORDERS) == 0)
    {
      tall_row_parts_take_order (&naming);
      int type = tall_row_parts_take_type (&naming, TALL_ROW_ROOT, TALL_ROW_LINE);
      if (type == TALL_ROW_LOCATION)
        tall_row_parts_take (&naming, "location", 4);
      if (type == TALL_ROW_LINE)
        tall_row_parts_take (&naming, "line", 4);
    }
  tall_row_parts_end (&naming);
}

/**
 * tall_layout_denormalized:
 *
 * A row for each line, which holds its ship-to, so that a line can be understood without other
 * rows; a row for each location that no line goes to; a column for each field.
 */
const TallLayout tall_layout_denormalized = {
  .name = "denormalized",
  .summary = "a row a line with its ship-to, a column a field; tables customers, orders, one scan",
  .tables = tall_root_rows_tables,
  .single_row = FALSE,
  .most_memory = TALL_LAYOUT_USUAL_MEMORY + TALL_MAX_REPEATED_BYTES,
  .locate_order = locate_order,
  .append_root = tall_root_rows_append_columns,
  .append_children = append_children,
  .plan_order = plan_order,
  .plan_children = plan_children,
  .decode_order = decode_order,
  .locate_customer = tall_customer_rows_locate,
  .append_customer = tall_customer_columns_append,
  .decode_customer = tall_customer_columns_decode,
  .name_parts = name_parts,
};
