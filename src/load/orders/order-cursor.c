/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/order-cursor.h"

#include "load/orders/row-check.h"

const TallMappingSource *
tall_order_cursor_find_source (const TallMapping *mapping,
                               gboolean (*is_it) (const TallCsvField *field))
{
  for (guint i = 0; i < mapping->sources->len; i++)
    if (is_it (tall_mapping_get_source (mapping, i)->field))
      return tall_mapping_get_source (mapping, i);
  return NULL;
}

/**
 * tall_order_cursor_init:
 * @mapping: of orders; stays the caller's
 */
void
tall_order_cursor_init (TallOrderCursor *self, const TallMapping *mapping)
{
  *self = (TallOrderCursor){ .mapping = mapping };
  self->customer_source =
      tall_order_cursor_find_source (mapping, tall_csv_field_is_customer_number);
  self->order_source = tall_order_cursor_find_source (mapping, tall_csv_field_is_order_number);
}

/**
 * tall_order_cursor_count_fields:
 *
 * Returns: how many fields of a row, from the first on, say which order it belongs to
 */
guint
tall_order_cursor_count_fields (const TallOrderCursor *self)
{
  return (guint)(MAX (self->customer_source->index, self->order_source->index) + 1);
}

/* The text of a number in @row; NULL if it has none that is valid. @current is one that is. */
static const char *
read_number (const TallOrderCursor *self,
             const TallMappingSource *source,
             const TallCsvRow *row,
             const char *current)
{
  if (row->column != TALL_CSV_NO_COLUMN && row->column == source->index)
    return NULL;
  const char *text = tall_mapping_get_value (self->mapping, source, row->fields, row->n_fields);
  if (text == NULL || g_str_equal (text, current)
      || (tall_validate_number (text, NULL, NULL) && !tall_row_check_is_rounded (text)))
    return text;
  return NULL;
}

static gboolean
is_of_open_order (const TallOrderCursor *self)
{
  return self->open && self->row_order != NULL && g_str_equal (self->row_order, self->order_number)
         && (self->row_customer == NULL || !self->knows_customer
             || g_str_equal (self->row_customer, self->customer_number));
}

static void
open_order (TallOrderCursor *self)
{
  self->open = TRUE;
  self->knows_customer = self->row_customer != NULL;
  g_strlcpy (self->customer_number, self->knows_customer ? self->row_customer : "",
             sizeof self->customer_number);
  g_strlcpy (self->order_number, self->row_order, sizeof self->order_number);
}

/**
 * tall_order_cursor_step:
 * @row: the next row, good or bad
 *
 * A row without a valid customer number is taken as one of the order whose rows are being read if
 * it has that order's number; so is a row after one that has none.
 *
 * Returns: where the row belongs; after %TALL_PLACE_NEW the cursor is in the order that begins
 */
TallOrderPlace
tall_order_cursor_step (TallOrderCursor *self, const TallCsvRow *row)
{
  self->row_customer = read_number (self, self->customer_source, row, self->customer_number);
  self->row_order = read_number (self, self->order_source, row, self->order_number);
  if (is_of_open_order (self))
    return TALL_PLACE_SAME;
  if (row->reason != NULL && row->column == TALL_CSV_NO_COLUMN)
    return TALL_PLACE_STRAY;
  if (self->row_order == NULL)
    return TALL_PLACE_NAMELESS;
  open_order (self);
  return TALL_PLACE_NEW;
}
