/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "layout/layout.h"

#include "model/canonical.h"
#include "layout/columns.h"
#include "layout/rows.h"

#define ORDER_COLUMN "order"

static void
append_root (const TallOrder *order G_GNUC_UNUSED,
             TallSlice canonical,
             gint64 revision,
             TallBatch *batch,
             TallMutation *root)
{
  tall_mutation_put (batch, root, tall_slice_str (ORDER_COLUMN), revision, canonical);
}

static gboolean
decode_order (const TallFoundRows *found, TallDecoded *decoded, GError **error)
{
  g_assert (found->n_results == 1);
  const TallRow *row = tall_root_rows_find (found, error);
  if (row == NULL)
    return FALSE;

  const TallCell *cell = tall_blob_find (TALL_ORDERS, row, ORDER_COLUMN, found->revision, error);
  if (cell == NULL)
    return FALSE;

  GError *why = NULL;
  gboolean proved = found->digest != NULL && tall_md5_is (cell->value, found->digest);
  g_autoptr (TallOrder) order = proved ? tall_order_from_proved (cell->value, &why)
                                       : tall_order_from_canonical (cell->value, &why);
  if (order == NULL)
    return tall_blob_set_damaged (error, TALL_ORDERS, row->key, ORDER_COLUMN, why);

  if (strcmp (order->customer_number, found->customer_number) != 0
      || strcmp (order->order_number, found->order_number) != 0)
    return tall_columns_set_damaged (error, TALL_ORDERS, row->key,
                                     "column " TALL_FAMILY ":" ORDER_COLUMN
                                     " holds order %s of customer %s",
                                     order->order_number, order->customer_number);

  decoded->order = g_steal_pointer (&order);
  decoded->canonical = cell->value;
  decoded->proved = proved;
  return TRUE;
}

/**
 * tall_layout_blob:
 *
 * One row an order, one row a customer: the canonical form in one cell.
 */
const TallLayout tall_layout_blob = {
  .name = "blob",
  .summary = "one row an order, its protobuf in one cell; tables customers, orders",
  .tables = tall_root_rows_tables,
  .single_row = TRUE,
  .most_memory = TALL_LAYOUT_USUAL_MEMORY,
  .locate_order = tall_root_rows_locate,
  .append_root = append_root,
  .plan_order = tall_root_rows_plan,
  .decode_order = decode_order,
  .locate_customer = tall_customer_rows_locate,
  .append_customer = tall_customer_blob_append,
  .decode_customer = tall_customer_blob_decode,
  .name_parts = tall_root_rows_name_parts,
};
