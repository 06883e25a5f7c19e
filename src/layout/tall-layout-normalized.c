/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-layout.h"

#include "tall-customer-rows-private.h"
#include "tall-order-rows-private.h"
#include "tall-row-parts-private.h"

#define ORDERS "orders"
#define SHIPPING "shipping"
#define LINES "lines"

static const TallLayoutTable tables[] = {
  { TALL_CUSTOMERS, FALSE }, { ORDERS, TRUE }, { SHIPPING, TRUE }, { LINES, TRUE }, { NULL },
};

/* The reads of an order, by position. */
enum
{
  READ_ROOT,
  READ_SHIPPING,
  READ_LINES,
  N_READS,
};

static const char *
locate_order (const TallOrderKey *key, GByteArray *row)
{
  tall_bytes_append (row, key->whole);
  return ORDERS;
}

static void
append_root (const TallOrder *order,
             TallSlice canonical G_GNUC_UNUSED,
             gint64 revision,
             TallBatch *batch,
             TallMutation *root)
{
  tall_columns_append (&tall_columns_order, order, revision, batch, root);
}

static void
append_children (const TallOrderKey *key, const TallOrder *order, gint64 revision, TallBatch *batch)
{
  tall_order_rows_append (order, (TallRowPlace){ SHIPPING, key->whole },
                          (TallRowPlace){ LINES, key->whole }, revision, batch);
}

static void
plan_children (const TallOrderKey *key, TallReadPlan *plan)
{
  tall_read_plan_add_prefix_scan (plan, SHIPPING, key->whole);
  tall_read_plan_add_prefix_scan (plan, LINES, key->whole);
}

static void
plan_order (const TallOrderKey *key, TallReadPlan *plan)
{
  tall_read_plan_add_get (plan, ORDERS, key->whole);
  plan_children (key, plan);
}

static gboolean
decode_root (TallOrderRows *rows, const TallOrderKey *key, const TallRows *found, GError **error)
{
  const TallRow *row = tall_rows_find (found, key->whole);
  if (row == NULL)
    return tall_columns_set_damaged (error, ORDERS, key->whole, "the root row is missing");

  rows->reader.table = ORDERS;
  return tall_columns_read (&tall_columns_order, &rows->reader, row, rows->order, NULL, error);
}

static gboolean
decode_locations (TallOrderRows *rows, const TallRows *found, GError **error)
{
  rows->reader.table = SHIPPING;
  for (guint i = 0; i < found->n_rows; i++)
    {
      const TallRow *row = &found->rows[i];
      gboolean done = tall_row_place_has (&rows->locations, row->key, 1)
                          ? tall_order_rows_read_location (rows, row, error)
                          : tall_order_rows_check_unexpected (&rows->reader, row, error);
      if (!done)
        return FALSE;
    }
  return TRUE;
}

static gboolean
decode_lines (TallOrderRows *rows, const TallRows *found, GError **error)
{
  rows->reader.table = LINES;
  for (guint i = 0; i < found->n_rows; i++)
    {
      const TallRow *row = &found->rows[i];
      gboolean done = tall_row_place_has (&rows->lines, row->key, 2)
                          ? tall_order_rows_read_line (rows, row, error)
                          : tall_order_rows_check_unexpected (&rows->reader, row, error);
      if (!done)
        return FALSE;
    }
  return TRUE;
}

static gboolean
decode_order (const TallOrderKey *key,
              const char *customer_number,
              const char *order_number,
              const TallRows *results,
              guint n_results,
              gint64 revision,
              TallDecoded *decoded,
              GError **error)
{
  g_assert (n_results == N_READS);
  g_autoptr (TallOrder) order = tall_order_new (customer_number, order_number);
  TallOrderRows rows = {
    .reader = { NULL, revision, order->arena },
    .locations = { SHIPPING, key->whole },
    .lines = { LINES, key->whole },
    .order = order,
  };
  tall_order_rows_allocate (&rows, &results[READ_SHIPPING], &results[READ_LINES]);

  if (!decode_root (&rows, key, &results[READ_ROOT], error)
      || !decode_locations (&rows, &results[READ_SHIPPING], error)
      || !decode_lines (&rows, &results[READ_LINES], error))
    return FALSE;

  decoded->order = g_steal_pointer (&order);
  decoded->canonical = tall_slice (NULL, 0);
  return TRUE;
}

static void
name_parts (const TallKeyStrategy *strategy, const char *table, TallSlice row, GArray *parts)
{
  gboolean is_line = strcmp (table, LINES) == 0;
  TallRowParts naming = tall_row_parts (strategy, row, parts);
  tall_row_parts_take_customer (&naming);
  if (strcmp (table, TALL_CUSTOMERS) != 0)
    tall_row_parts_take_order (&naming);
  if (is_line || strcmp (table, SHIPPING) == 0)
    tall_row_parts_take (&naming, "location", 4);
  if (is_line)
    tall_row_parts_take (&naming, "line", 4);
  tall_row_parts_end (&naming);
}

/**
 * tall_layout_normalized:
 *
 * A table each for customers, orders, locations and lines, with a column for each field, as a
 * relational database has them.
 */
const TallLayout tall_layout_normalized = {
  .name = "normalized",
  .summary = "a table each for customers, orders, locations and lines, a column a field; a get and "
             "two scans",
  .tables = tables,
  .single_row = FALSE,
  .most_memory = TALL_LAYOUT_USUAL_MEMORY,
  .locate_order = locate_order,
  .append_root = append_root,
  .append_children = append_children,
  .plan_order = plan_order,
  .plan_children = plan_children,
  .decode_order = decode_order,
  .locate_customer = tall_customer_rows_locate,
  .append_customer = tall_customer_columns_append,
  .decode_customer = tall_customer_columns_decode,
  .name_parts = name_parts,
};
