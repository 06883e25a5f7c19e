/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "layout/order-rows.h"

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
                                       "is no row of the order, but has cells of its revision");
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
