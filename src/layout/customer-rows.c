/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "layout/customer-rows.h"

#include "model/canonical.h"
#include "layout/columns.h"
#include "tall-error.h"

#define CUSTOMER_COLUMN "customer"

const char *
tall_customer_rows_locate (const TallOrderKey *key, GByteArray *row)
{
  tall_bytes_append (row, key->customer);
  return TALL_CUSTOMERS;
}

void
tall_customer_columns_append (const TallCustomer *customer,
                              TallSlice canonical G_GNUC_UNUSED,
                              gint64 revision,
                              TallBatch *batch,
                              TallMutation *row)
{
  tall_columns_append (&tall_columns_customer, customer, revision, batch, row);
}

/**
 * tall_customer_columns_read:
 * @table: of the row, for people
 *
 * Returns: (transfer full): the customer of a row in any table; NULL with %TALL_ERROR_DAMAGED
 */
TallCustomer *
tall_customer_columns_read (
    const char *table, const char *number, const TallRow *row, gint64 revision, GError **error)
{
  g_autoptr (TallCustomer) customer = tall_customer_new (number);
  TallColumnsReader reader = { table, revision, tall_customer_get_arena (customer) };
  if (!tall_columns_read (&tall_columns_customer, &reader, row, customer, NULL, error))
    return NULL;
  return g_steal_pointer (&customer);
}

TallCustomer *
tall_customer_columns_decode (const char *number,
                              const TallRow *row,
                              gint64 revision,
                              GError **error)
{
  return tall_customer_columns_read (TALL_CUSTOMERS, number, row, revision, error);
}

/**
 * tall_blob_find:
 *
 * Returns: (nullable): the cell that holds the canonical form; NULL with %TALL_ERROR_DAMAGED if
 *   there is none at @revision
 */
const TallCell *
tall_blob_find (
    const char *table, const TallRow *row, const char *column, gint64 revision, GError **error)
{
  const TallCell *cell = tall_row_find_at (row, tall_slice_str (column), revision);
  if (cell == NULL)
    tall_columns_set_damaged (error, table, row->key,
                              "column " TALL_FAMILY ":%s has no cell of revision %" G_GINT64_FORMAT,
                              column, revision);
  return cell;
}

/**
 * tall_blob_set_damaged:
 * @why: (transfer full): why the canonical form could not be read
 *
 * Returns: FALSE
 */
gboolean
tall_blob_set_damaged (
    GError **error, const char *table, TallSlice row, const char *column, GError *why)
{
  g_autoptr (GError) owned = why;
  /* an error that asks for a newer version keeps its code */
  if (!g_error_matches (why, TALL_ERROR, TALL_ERROR_NEWER_VERSION))
    return tall_columns_set_damaged (error, table, row, "column " TALL_FAMILY ":%s: %s", column,
                                     why->message);
  g_propagate_error (error, g_steal_pointer (&owned));
  return FALSE;
}

void
tall_customer_blob_append (const TallCustomer *customer G_GNUC_UNUSED,
                           TallSlice canonical,
                           gint64 revision,
                           TallBatch *batch,
                           TallMutation *row)
{
  tall_mutation_put (batch, row, tall_slice_str (CUSTOMER_COLUMN), revision, canonical);
}

TallCustomer *
tall_customer_blob_decode (const char *number, const TallRow *row, gint64 revision, GError **error)
{
  const TallCell *cell = tall_blob_find (TALL_CUSTOMERS, row, CUSTOMER_COLUMN, revision, error);
  if (cell == NULL)
    return NULL;

  GError *why = NULL;
  g_autoptr (TallCustomer) customer = tall_customer_from_canonical (cell->value, &why);
  if (customer == NULL)
    {
      tall_blob_set_damaged (error, TALL_CUSTOMERS, row->key, CUSTOMER_COLUMN, why);
      return NULL;
    }

  if (strcmp (customer->number, number) != 0)
    {
      tall_columns_set_damaged (error, TALL_CUSTOMERS, row->key,
                                "column " TALL_FAMILY ":" CUSTOMER_COLUMN " holds customer %s",
                                customer->number);
      return NULL;
    }
  return g_steal_pointer (&customer);
}
