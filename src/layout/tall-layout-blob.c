/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-layout.h"

#include "tall-canonical.h"
#include "tall-columns-private.h"
#include "tall-error.h"
#include "tall-row-parts-private.h"

#define CUSTOMERS "customers"
#define ORDERS "orders"
#define CUSTOMER_COLUMN "customer"
#define ORDER_COLUMN "order"

static const TallLayoutTable tables[] = {
  { CUSTOMERS, FALSE },
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

/* The cell that holds the canonical form; NULL with an error if there is none at @revision. */
static const TallCell *
find_canonical (
    const char *table, const TallRow *row, const char *column, gint64 revision, GError **error)
{
  const TallCell *cell = tall_row_find_at (row, tall_slice_str (column), revision);
  if (cell == NULL)
    tall_columns_set_damaged (error, table, row->key,
                              "column " TALL_FAMILY ":%s has no cell of revision %" G_GINT64_FORMAT,
                              column, revision);
  return cell;
}

static gboolean
set_bad_canonical (
    GError **error, const char *table, TallSlice row, const char *column, GError *why)
{
  g_autoptr (GError) owned = why;
  /* one that needs a newer version stays what it is */
  if (!g_error_matches (why, TALL_ERROR, TALL_ERROR_NEWER_VERSION))
    return tall_columns_set_damaged (error, table, row, "column " TALL_FAMILY ":%s: %s", column,
                                     why->message);
  g_propagate_error (error, g_steal_pointer (&owned));
  return FALSE;
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

  const TallCell *cell = find_canonical (ORDERS, row, ORDER_COLUMN, revision, error);
  if (cell == NULL)
    return FALSE;

  GError *why = NULL;
  g_autoptr (TallOrder) order = tall_order_from_canonical (cell->value, &why);
  if (order == NULL)
    return set_bad_canonical (error, ORDERS, row->key, ORDER_COLUMN, why);

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

static const char *
locate_customer (const TallOrderKey *key, GByteArray *row)
{
  tall_bytes_append (row, key->customer);
  return CUSTOMERS;
}

static void
append_customer (const TallCustomer *customer G_GNUC_UNUSED,
                 TallSlice canonical,
                 gint64 revision,
                 TallBatch *batch,
                 TallMutation *row)
{
  tall_mutation_put (batch, row, tall_slice_str (CUSTOMER_COLUMN), revision, canonical);
}

static TallCustomer *
decode_customer (const char *number, const TallRow *row, gint64 revision, GError **error)
{
  const TallCell *cell = find_canonical (CUSTOMERS, row, CUSTOMER_COLUMN, revision, error);
  if (cell == NULL)
    return NULL;

  GError *why = NULL;
  g_autoptr (TallCustomer) customer = tall_customer_from_canonical (cell->value, &why);
  if (customer == NULL)
    {
      set_bad_canonical (error, CUSTOMERS, row->key, CUSTOMER_COLUMN, why);
      return NULL;
    }

  if (strcmp (customer->number, number) != 0)
    {
      tall_columns_set_damaged (error, CUSTOMERS, row->key,
                                "column " TALL_FAMILY ":" CUSTOMER_COLUMN " holds customer %s",
                                customer->number);
      return NULL;
    }
  return g_steal_pointer (&customer);
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
  .locate_order = locate_order,
  .append_root = append_root,
  .plan_order = plan_order,
  .decode_order = decode_order,
  .locate_customer = locate_customer,
  .append_customer = append_customer,
  .decode_customer = decode_customer,
  .name_parts = name_parts,
};
