/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "layout/layout.h"

#include "layout/rows.h"

/* The byte after the customer part. */
enum
{
  RECORD_CUSTOMER = 1,
  RECORD_ORDER = 2,
};

static const TallLayoutTable tables[] = {
  { TALL_ORDERS, FALSE },
  { NULL },
};

/* What all rows of an order begin with. */
static void
append_prefix (const TallOrderKey *key, GByteArray *row)
{
  tall_bytes_append (row, key->customer);
  tall_bytes_append_u8 (row, RECORD_ORDER);
  tall_bytes_append (row, key->order);
}

static const char *
locate_order (const TallOrderKey *key, GByteArray *row)
{
  append_prefix (key, row);
  tall_bytes_append_u8 (row, TALL_ROW_ROOT);
  return TALL_ORDERS;
}

/* What the keys of rows of locations and of lines begin with. */
typedef struct
{
  GByteArray *locations;
  GByteArray *lines;
} Prefixes;

static void
prefixes_init (Prefixes *self, const TallOrderKey *key)
{
  self->locations = g_byte_array_sized_new (64);
  append_prefix (key, self->locations);
  tall_bytes_append_u8 (self->locations, TALL_ROW_LOCATION);

  self->lines = g_byte_array_sized_new (64);
  append_prefix (key, self->lines);
  tall_bytes_append_u8 (self->lines, TALL_ROW_LINE);
}

static void
prefixes_clear (Prefixes *self)
{
  g_byte_array_unref (self->locations);
  g_byte_array_unref (self->lines);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Prefixes, prefixes_clear)

static void
append_children (const TallOrderKey *key, const TallOrder *order, gint64 revision, TallBatch *batch)
{
  g_auto (Prefixes) prefixes = { NULL };
  prefixes_init (&prefixes, key);
  tall_order_rows_append (order,
                          (TallRowPlace){ TALL_ORDERS, tall_slice_array (prefixes.locations) },
                          (TallRowPlace){ TALL_ORDERS, tall_slice_array (prefixes.lines) },
                          revision, batch);
}

static void
plan_order (const TallOrderKey *key, TallReadPlan *plan)
{
  g_autoptr (GByteArray) prefix = g_byte_array_sized_new (64);
  append_prefix (key, prefix);
  tall_read_plan_add_prefix_scan (plan, TALL_ORDERS, tall_slice_array (prefix));
}

static void
plan_children (const TallOrderKey *key, TallReadPlan *plan)
{
  g_autoptr (GByteArray) start = g_byte_array_sized_new (64);
  append_prefix (key, start);
  TallSlice stop = tall_slice_after_prefix (plan->arena, tall_slice_array (start));
  tall_bytes_append_u8 (start, TALL_ROW_LOCATION);
  tall_read_plan_add_scan (plan, TALL_ORDERS, tall_slice_array (start), stop);
}

static void
plan_header (const TallOrderKey *key, TallReadPlan *plan)
{
  g_autoptr (GByteArray) root = g_byte_array_sized_new (64);
  const char *table = locate_order (key, root);
  tall_read_plan_add_get (plan, table, tall_slice_array (root));
}

static void
plan_location (const TallOrderKey *key, gint32 location, TallReadPlan *plan)
{
  g_auto (Prefixes) prefixes = { NULL };
  prefixes_init (&prefixes, key);
  plan_header (key, plan);
  tall_order_rows_plan_location (
      (TallRowPlace){ TALL_ORDERS, tall_slice_array (prefixes.locations) },
      (TallRowPlace){ TALL_ORDERS, tall_slice_array (prefixes.lines) }, location, plan);
}

static gboolean
decode_row (TallOrderRows *rows, const TallRow *row, TallSlice root, GError **error)
{
  if (tall_row_place_has (&rows->lines, row->key, 2))
    return tall_order_rows_read_line (rows, row, error);
  if (tall_row_place_has (&rows->locations, row->key, 1))
    return tall_order_rows_read_location (rows, row, error);
  if (tall_slice_equal (row->key, root))
    return tall_columns_read (&tall_columns_order, &rows->reader, row, rows->order_lines.order,
                              NULL, error);
  return tall_order_rows_check_unexpected (&rows->reader, row, error);
}

static gboolean
decode_order (const TallFoundRows *found, TallDecoded *decoded, GError **error)
{
  g_autoptr (GByteArray) root = g_byte_array_sized_new (64);
  locate_order (found->key, root);
  g_auto (Prefixes) prefixes = { NULL };
  prefixes_init (&prefixes, found->key);

  g_autoptr (TallOrder) order = tall_order_new (found->customer_number, found->order_number);
  TallOrderRows rows = {
    .reader = { TALL_ORDERS, found->revision, tall_order_get_arena (order) },
    .locations = { TALL_ORDERS, tall_slice_array (prefixes.locations) },
    .lines = { TALL_ORDERS, tall_slice_array (prefixes.lines) },
    .order_lines = { .order = order },
  };

  for (guint i = 0; i < found->n_results; i++)
    for (guint j = 0; j < found->results[i].n_rows; j++)
      if (!decode_row (&rows, &found->results[i].rows[j], tall_slice_array (root), error))
        return FALSE;

  decoded->order = g_steal_pointer (&order);
  return TRUE;
}

static const char *
locate_customer (const TallOrderKey *key, GByteArray *row)
{
  tall_bytes_append (row, key->customer);
  tall_bytes_append_u8 (row, RECORD_CUSTOMER);
  return TALL_ORDERS;
}

static TallCustomer *
decode_customer (const char *number, const TallRow *row, gint64 revision, GError **error)
{
  return tall_customer_columns_read (TALL_ORDERS, number, row, revision, error);
}

static void
name_parts (const TallKeyStrategy *strategy,
            const char *table G_GNUC_UNUSED,
            TallSlice row,
            GArray *parts)
{
  TallRowParts naming = tall_row_parts (strategy, row, parts);
  tall_row_parts_take_customer (&naming);
  if (tall_row_parts_take_type (&naming, RECORD_CUSTOMER, RECORD_ORDER) == RECORD_ORDER)
    {
      tall_row_parts_take_order (&naming);
      int type = tall_row_parts_take_type (&naming, TALL_ROW_ROOT, TALL_ROW_LINE);
      if (type >= TALL_ROW_LOCATION)
        tall_row_parts_take (&naming, "location", 4);
      if (type == TALL_ROW_LINE)
        tall_row_parts_take (&naming, "line", 4);
    }
  tall_row_parts_end (&naming);
}

/**
 * tall_layout_record_type:
 *
 * One table with a row for each customer, order, location and line, and a column for each field;
 * a byte in the row key tells them apart.
 */
const TallLayout tall_layout_record_type = {
  .name = "record-type",
  .summary = "a row a customer, order, location and line, a column a field; one table, one scan",
  .tables = tables,
  .single_row = FALSE,
  .most_memory = TALL_LAYOUT_USUAL_MEMORY,
  .locate_order = locate_order,
  .append_root = tall_root_rows_append_columns,
  .append_children = append_children,
  .plan_order = plan_order,
  .plan_children = plan_children,
  .plan_header = plan_header,
  .plan_location = plan_location,
  .decode_order = decode_order,
  .locate_customer = locate_customer,
  .append_customer = tall_customer_columns_append,
  .decode_customer = decode_customer,
  .name_parts = name_parts,
};
