/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "layout/root-rows.h"

#include "layout/columns.h"
#include "layout/customer-rows.h"
#include "layout/row-parts.h"

const TallLayoutTable tall_root_rows_tables[] = {
  { TALL_CUSTOMERS, FALSE },
  { TALL_ORDERS, TRUE },
  { NULL },
};

const char *
tall_root_rows_locate (const TallOrderKey *key, GByteArray *row)
{
  tall_bytes_append (row, key->whole);
  return TALL_ORDERS;
}

/**
 * tall_root_rows_find:
 *
 * Returns: the root row, among what the first read has found; NULL with %TALL_ERROR_DAMAGED
 */
const TallRow *
tall_root_rows_find (const TallFound *found, GError **error)
{
  const TallRow *row = tall_rows_find (&found->results[0], found->key->whole);
  if (row == NULL)
    tall_columns_set_damaged (error, TALL_ORDERS, found->key->whole, "the root row is missing");
  return row;
}

void
tall_root_rows_plan (const TallOrderKey *key, TallReadPlan *plan)
{
  tall_read_plan_add_get (plan, TALL_ORDERS, key->whole);
}

void
tall_root_rows_name_parts (const TallKeyStrategy *strategy,
                           const char *table,
                           TallSlice row,
                           GArray *parts)
{
  TallRowParts naming = tall_row_parts (strategy, row, parts);
  tall_row_parts_take_customer (&naming);
  if (strcmp (table, TALL_ORDERS) == 0)
    tall_row_parts_take_order (&naming);
  tall_row_parts_end (&naming);
}

void
tall_root_rows_append_columns (const TallOrder *order,
                               TallSlice canonical G_GNUC_UNUSED,
                               gint64 revision,
                               TallBatch *batch,
                               TallMutation *root)
{
  tall_columns_append (&tall_columns_order, order, revision, batch, root);
}
