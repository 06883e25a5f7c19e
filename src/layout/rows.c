/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "layout/rows.h"

#include "layout/columns.h"
#include "model/canonical.h"
#include "tall-error.h"

#define PART_CUSTOMER "customer"
#define PART_ORDER "order"
#define PART_UNEXPECTED "unexpected"

static void
push (TallRowParts *self, const char *name, gsize len)
{
  TallRowPart part = { name, len };
  g_array_append_val (self->parts, part);
  self->rest = tall_slice (self->rest.data + len, self->rest.len - len);
}

static void
fail (TallRowParts *self)
{
  self->failed = TRUE;
  if (self->rest.len > 0)
    push (self, PART_UNEXPECTED, self->rest.len);
}

/**
 * tall_row_parts_take:
 * @name: a static string
 * @len: bytes; -1, or more than are left, means that the key does not have the expected form
 */
void
tall_row_parts_take (TallRowParts *self, const char *name, gssize len)
{
  if (self->failed)
    return;
  if (len < 0 || (gsize)len > self->rest.len)
    fail (self);
  else
    push (self, name, len);
}

void
tall_row_parts_take_customer (TallRowParts *self)
{
  if (!self->failed)
    tall_row_parts_take (self, PART_CUSTOMER, self->strategy->measure_customer (self->rest));
}

void
tall_row_parts_take_order (TallRowParts *self)
{
  if (!self->failed)
    tall_row_parts_take (self, PART_ORDER, self->strategy->measure_order (self->rest));
}

/**
 * tall_row_parts_take_type:
 *
 * Takes the byte that gives the type of what follows.
 *
 * Returns: the byte; -1 if it is not there or not between @first and @last
 */
int
tall_row_parts_take_type (TallRowParts *self, guint8 first, guint8 last)
{
  if (self->failed)
    return -1;

  if (self->rest.len == 0 || self->rest.data[0] < first || self->rest.data[0] > last)
    {
      fail (self);
      return -1;
    }

  guint8 type = self->rest.data[0];
  push (self, "type", 1);
  return type;
}

/**
 * tall_row_parts_end:
 *
 * Names what is left, if anything is, `unexpected`.
 */
void
tall_row_parts_end (TallRowParts *self)
{
  if (!self->failed)
    fail (self);
}

static void
take_part (TallRowOwner *owner, const TallRowPart *part, TallSlice row, gsize at)
{
  TallSlice bytes = tall_slice (row.data + at, part->len);
  gboolean is_customer = g_str_equal (part->name, PART_CUSTOMER);
  gboolean is_order = g_str_equal (part->name, PART_ORDER);
  if (is_customer)
    owner->customer = bytes;
  if (is_order)
    owner->order = bytes;
  if (is_customer || is_order)
    owner->prefix = tall_slice (row.data, at + part->len);
  else if (g_str_equal (part->name, PART_UNEXPECTED))
    owner->is_unexpected = TRUE;
}

/**
 * tall_layout_find_owner:
 * @parts: of #TallRowPart: room to work in, so that many rows need no memory each
 *
 * Returns: whose row it is
 */
TallRowOwner
tall_layout_find_owner (const TallLayout *self,
                        const TallKeyStrategy *strategy,
                        const char *table,
                        TallSlice row,
                        GArray *parts)
{
  TallRowOwner owner = { 0 };
  gsize at = 0;
  g_array_set_size (parts, 0);
  self->name_parts (strategy, table, row, parts);
  for (guint i = 0; i < parts->len; i++)
    {
      const TallRowPart *part = &g_array_index (parts, TallRowPart, i);
      take_part (&owner, part, row, at);
      at += part->len;
    }
  return owner;
}

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
tall_root_rows_find (const TallFoundRows *found, GError **error)
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

void
tall_order_lines_add_location (TallOrderLines *self, TallShippingLocation *location)
{
  TallOrder *order = self->order;
  tall_arena_append (tall_order_get_arena (order), &order->shipping_locations,
                     &order->n_shipping_locations, location);
}

/**
 * tall_order_lines_add:
 *
 * Adds the line to its location.
 *
 * Returns: FALSE if the order has no such location
 */
gboolean
tall_order_lines_add (TallOrderLines *self, TallLineItem *line, guint32 location_number)
{
  TallOrder *order = self->order;
  while (self->at < order->n_shipping_locations
         && (guint32)order->shipping_locations[self->at]->number < location_number)
    self->at++;
  if (self->at == order->n_shipping_locations
      || (guint32)order->shipping_locations[self->at]->number != location_number)
    return FALSE;

  TallShippingLocation *location = order->shipping_locations[self->at];
  tall_arena_append (tall_order_get_arena (order), &location->line_items, &location->n_line_items,
                     line);
  return TRUE;
}

static void
append_lines (const TallShippingLocation *location,
              TallRowPlace lines,
              gint64 revision,
              TallBatch *batch,
              GByteArray *row)
{
  for (guint i = 0; i < location->n_line_items; i++)
    {
      const TallLineItem *line = location->line_items[i];
      tall_bytes_set (row, lines.prefix);
      tall_bytes_append_u32 (row, location->number);
      tall_bytes_append_u32 (row, line->number);
      TallMutation *mutation = tall_batch_add (batch, lines.table, tall_slice_array (row));
      tall_columns_append (&tall_columns_line, line, revision, batch, mutation);
    }
}

/**
 * tall_order_rows_append:
 *
 * Adds a row for each location and each line, with a column a field.
 */
void
tall_order_rows_append (const TallOrder *order,
                        TallRowPlace locations,
                        TallRowPlace lines,
                        gint64 revision,
                        TallBatch *batch)
{
  g_autoptr (GByteArray) row = g_byte_array_sized_new (64);
  for (guint i = 0; i < order->n_shipping_locations; i++)
    {
      const TallShippingLocation *location = order->shipping_locations[i];
      tall_bytes_set (row, locations.prefix);
      tall_bytes_append_u32 (row, location->number);
      TallMutation *mutation = tall_batch_add (batch, locations.table, tall_slice_array (row));
      tall_columns_append (&tall_columns_location, location, revision, batch, mutation);
      append_lines (location, lines, revision, batch, row);
    }
}

/**
 * tall_order_rows_plan_location:
 *
 * Adds the reads of the row of one location, and of those of its lines.
 */
void
tall_order_rows_plan_location (TallRowPlace locations,
                               TallRowPlace lines,
                               gint32 location,
                               TallReadPlan *plan)
{
  g_autoptr (GByteArray) row = g_byte_array_sized_new (64);
  tall_bytes_append (row, locations.prefix);
  tall_bytes_append_u32 (row, location);
  tall_read_plan_add_get (plan, locations.table, tall_slice_array (row));
  tall_bytes_set (row, lines.prefix);
  tall_bytes_append_u32 (row, location);
  tall_read_plan_add_prefix_scan (plan, lines.table, tall_slice_array (row));
}

/**
 * tall_order_rows_check_number:
 * @number: from the row's columns; 0 if its cell is not there
 * @expected: from the row key
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED if they differ
 */
gboolean
tall_order_rows_check_number (const TallColumnsReader *reader,
                              const TallRow *row,
                              const char *column,
                              gint32 number,
                              guint32 expected,
                              GError **error)
{
  if (number != 0 && (guint32)number == expected)
    return TRUE;
  if (number == 0)
    return tall_columns_set_damaged (error, reader->table, row->key,
                                     "column " TALL_FAMILY ":%s has no cell of revision "
                                     "%" G_GINT64_FORMAT,
                                     column, reader->revision);
  return tall_columns_set_damaged (error, reader->table, row->key,
                                   "column " TALL_FAMILY ":%s is %d, unlike the row key", column,
                                   number);
}

/**
 * tall_order_rows_check_unexpected:
 * @row: one whose key the layout does not make
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED if it has cells of the revision that is read
 */
gboolean
tall_order_rows_check_unexpected (const TallColumnsReader *reader,
                                  const TallRow *row,
                                  GError **error)
{
  for (guint i = 0; i < row->n_cells; i++)
    if (row->cells[i].timestamp == reader->revision)
      return tall_columns_set_damaged (error, reader->table, row->key,
                                       "is not a row of the order, but has cells of its revision");
  return TRUE;
}

/**
 * tall_order_rows_read_location:
 * @row: one with the prefix of locations and one number
 *
 * Adds the location, unless the row has no cell of the revision.
 */
gboolean
tall_order_rows_read_location (TallOrderRows *self, const TallRow *row, GError **error)
{
  TallShippingLocation *location = tall_model_new (&tall_model_location, self->reader.arena);
  guint n_cells;
  if (!tall_columns_read (&tall_columns_location, &self->reader, row, location, &n_cells, error))
    return FALSE;
  if (n_cells == 0)
    return TRUE;

  TallReader key = tall_reader (tall_slice (row->key.data + row->key.len - 4, 4));
  if (!tall_order_rows_check_number (&self->reader, row, "number", location->number,
                                     tall_reader_u32 (&key), error))
    return FALSE;
  tall_order_lines_add_location (&self->order_lines, location);
  return TRUE;
}

/**
 * tall_order_rows_read_line:
 * @row: one with the prefix of lines and two numbers
 *
 * Adds the line to its location, unless the row has no cell of the revision.
 */
gboolean
tall_order_rows_read_line (TallOrderRows *self, const TallRow *row, GError **error)
{
  TallLineItem *line = tall_model_new (&tall_model_line, self->reader.arena);
  guint n_cells;
  if (!tall_columns_read (&tall_columns_line, &self->reader, row, line, &n_cells, error))
    return FALSE;
  if (n_cells == 0)
    return TRUE;

  TallReader key = tall_reader (tall_slice (row->key.data + row->key.len - 8, 8));
  guint32 location_number = tall_reader_u32 (&key);
  guint32 number = tall_reader_u32 (&key);
  if (!tall_order_rows_check_number (&self->reader, row, "number", line->number, number, error))
    return FALSE;

  if (!tall_order_lines_add (&self->order_lines, line, location_number))
    return tall_columns_set_damaged (error, self->reader.table, row->key,
                                     "its location %u has no row of revision %" G_GINT64_FORMAT,
                                     location_number, self->reader.revision);

  return TRUE;
}
