/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "layout/layout.h"

#include "layout/rows.h"

#define SHIPPING "shipping"
#define LINES "lines"

static const TallLayoutTable tables[] = {
  { TALL_CUSTOMERS, FALSE }, { TALL_ORDERS, TRUE }, { SHIPPING, TRUE }, { LINES, TRUE }, { NULL },
};

/* The reads of an order, by position. */
enum
{
  READ_ROOT,
  READ_SHIPPING,
  READ_LINES,
  N_READS,
};

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
  tall_read_plan_add_get (plan, TALL_ORDERS, key->whole);
  plan_children (key, plan);
}

static void
plan_location (const TallOrderKey *key, gint32 location, TallReadPlan *plan)
{
  tall_root_rows_plan (key, plan);
  tall_order_rows_plan_location ((TallRowPlace){ SHIPPING, key->whole },
                                 (TallRowPlace){ LINES, key->whole }, location, plan);
}

static gboolean
decode_root (TallOrderRows *rows, const TallFoundRows *found, GError **error)
{
  const TallRow *row = tall_root_rows_find (found, error);
  if (row == NULL)
    return FALSE;
  rows->reader.table = TALL_ORDERS;
  return tall_columns_read (&tall_columns_order, &rows->reader, row, rows->order_lines.order, NULL,
                            error);
}

/* The rows of one table other than the root row's. */
static gboolean
decode_rows (TallOrderRows *rows,
             const TallRowPlace *place,
             guint n_numbers,
             gboolean (*read_row) (TallOrderRows *, const TallRow *, GError **),
             const TallRows *found,
             GError **error)
{
  rows->reader.table = place->table;
  for (guint i = 0; i < found->n_rows; i++)
    {
      const TallRow *row = &found->rows[i];
      gboolean done = tall_row_place_has (place, row->key, n_numbers)
                          ? read_row (rows, row, error)
                          : tall_order_rows_check_unexpected (&rows->reader, row, error);
      if (!done)
        return FALSE;
    }
  return TRUE;
}

static gboolean
decode_order (const TallFoundRows *found, TallDecoded *decoded, GError **error)
{
  gboolean is_header = found->n_results == 1;
  g_assert (is_header || found->n_results == N_READS);
  g_autoptr (TallOrder) order = tall_order_new (found->customer_number, found->order_number);
  TallOrderRows rows = {
    .reader = { NULL, found->revision, tall_order_get_arena (order) },
    .locations = { SHIPPING, found->key->whole },
    .lines = { LINES, found->key->whole },
    .order_lines = { .order = order },
  };

  if (!decode_root (&rows, found, error))
    return FALSE;
  if (!is_header
      && (!decode_rows (&rows, &rows.locations, 1, tall_order_rows_read_location,
                        &found->results[READ_SHIPPING], error)
          || !decode_rows (&rows, &rows.lines, 2, tall_order_rows_read_line,
                           &found->results[READ_LINES], error)))
    return FALSE;

  decoded->order = g_steal_pointer (&order);
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
  .locate_order = tall_root_rows_locate,
  .append_root = tall_root_rows_append_columns,
  .append_children = append_children,
  .plan_order = plan_order,
  .plan_children = plan_children,
  .plan_header = tall_root_rows_plan,
  .plan_location = plan_location,
  .decode_order = decode_order,
  .locate_customer = tall_customer_rows_locate,
  .append_customer = tall_customer_columns_append,
  .decode_customer = tall_customer_columns_decode,
  .name_parts = name_parts,
};
