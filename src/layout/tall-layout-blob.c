/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-layout.h"

#include "tall-canonical.h"
#include "tall-columns-private.h"
#include "tall-customer-rows-private.h"
#include "tall-row-parts-private.h"

#define ORDERS "orders"
#define ORDER_COLUMN "order"

static const TallLayoutTable tables[] = {
  { TALL_CUSTOMERS, FALSE },
  { ORDERS, TRUE },
  { NULL },
};

static const char *
locate_order (const TallOrderKey *key, GByteArray *row)
{
  tall_bytes_append (row, key->whole);
  return ORDERS;
}

static void
append_root (const TallOrder *order G_GNUC_UNUSED,
             TallSlice canonical,
             gint64 revision,
             TallBatch *batch,
             TallMutation *root)
{
  tall_mutation_put (batch, root, tall_slice_str (ORDER_COLUMN), revision, canonical);
}

static void
plan_order (const TallOrderKey *key, TallReadPlan *plan)
{
  tall_read_plan_add_get (plan, ORDERS, key->whole);
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
  g_assert (n_results == 1);
  const TallRow *row = tall_rows_find (&results[0], key->whole);
  if (row == NULL)
    return tall_columns_set_damaged (error, ORDERS, key->whole, "the root row is missing");

  const TallCell *cell = tall_blob_find (ORDERS, row, ORDER_COLUMN, revision, error);
  if (cell == NULL)
    return FALSE;

  GError *why = NULL;
  g_autoptr (TallOrder) order = tall_order_from_canonical (cell->value, &why);
  if (order == NULL)
    return tall_blob_set_damaged (error, ORDERS, row->key, ORDER_COLUMN, why);

  if (strcmp (order->customer_number, customer_number) != 0
      || strcmp (order->order_number, order_number) != 0)
    return tall_columns_set_damaged (error, ORDERS, row->key,
                                     "column " TALL_FAMILY ":" ORDER_COLUMN
                                     " holds order %s of customer %s",
                                     order->order_number, order->customer_number);

  decoded->order = g_steal_pointer (&order);
  decoded->canonical = cell->value;
  return TRUE;
}

static void
name_parts (const TallKeyStrategy *strategy, const char *table, TallSlice row, GArray *parts)
{
  TallRowParts naming = tall_row_parts (strategy, row, parts);
  tall_row_parts_take_customer (&naming);
  if (strcmp (table, ORDERS) == 0)
    tall_row_parts_take_order (&naming);
  tall_row_parts_end (&naming);
}

/**
 * tall_layout_blob:
 *
 * One row an order, one row a customer: the canonical form in one cell.
 */
const TallLayout tall_layout_blob = {
  .name = "blob",
  .summary = "one row an order, its protobuf in one cell; tables customers, orders",
  .tables = tables,
  .single_row = TRUE,
  .most_memory = TALL_LAYOUT_USUAL_MEMORY,
  .locate_order = locate_order,
  .append_root = append_root,
  .plan_order = plan_order,
  .decode_order = decode_order,
  .locate_customer = tall_customer_rows_locate,
  .append_customer = tall_customer_blob_append,
  .decode_customer = tall_customer_blob_decode,
  .name_parts = name_parts,
};
