/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/assembler.h"

#include "tall-error.h"
#include "tall-limits.h"

#define KIND_NUMBER "is not a valid number"

/* @file: of the row, or, of one that a query has made of several, the first. @fault: (out) of a row
 * that cannot be read. Returns: (transfer full) (nullable): why the reader could not read the row;
 * NULL: it could */
char *
tall_row_find_fault (const TallLoadFile *file, const TallCsvRow *row, TallRowFault *fault)
{
  const char *const *columns = file->mapping->sql != NULL
                                   ? (const char *const *)file->mapping->columns
                                   : tall_csv_reader_get_columns (file->reader);
  *fault =
      (TallRowFault){ row->column == TALL_CSV_NO_COLUMN ? NULL : columns[row->column], row->kind };
  return g_strdup (row->reason);
}

/* Returns: whether @text is a number such as 1.67187E+13, which a spreadsheet makes of a long one
 */
static gboolean
is_rounded (const char *text)
{
  gsize digits = strspn (text, "0123456789.,");
  const char *exponent = text + digits;
  return digits > 0 && (*exponent == 'E' || *exponent == 'e') && exponent[1] == '+'
         && exponent[2] != '\0' && strspn (exponent + 2, "0123456789") == strlen (exponent + 2);
}

/* @source: of an order's number, or a customer's. @fault: (out) of a row that has none. Returns:
 * (transfer full) (nullable): why a row has no valid number of that source; NULL: it has */
char *
tall_row_find_number_fault (const TallLoadFile *file,
                            const TallMappingSource *source,
                            const TallCsvRow *row,
                            TallRowFault *fault)
{
  g_autoptr (GError) error = NULL;
  gboolean of_order = tall_csv_field_is_order_number (source->field);
  const char *text = tall_mapping_read (file->mapping, source, row);
  fault->column = source->column;
  if (text == NULL)
    {
      fault->kind = of_order ? "there is no order number" : "there is no customer number";
      return g_strdup (fault->kind);
    }
  if (is_rounded (text))
    {
      fault->kind = "a long number that a spreadsheet has rounded";
      return g_strdup_printf ("“%s” was a long number, of which a spreadsheet has kept the first "
                              "digits only; export the file again, with this column as text",
                              text);
    }
  fault->kind = KIND_NUMBER;
  return tall_validate_number (text, of_order ? "order" : "customer", &error)
             ? NULL
             : g_strdup (error->message);
}

const TallMappingSource *
tall_order_cursor_find_source (const TallMapping *mapping,
                               gboolean (*is_it) (const TallCsvField *field))
{
  for (guint i = 0; i < mapping->sources->len; i++)
    if (is_it (tall_mapping_get_source (mapping, i)->field))
      return tall_mapping_get_source (mapping, i);
  return NULL;
}

/* @mapping: of orders; stays the caller's. */
void
tall_order_cursor_init (TallOrderCursor *self, const TallMapping *mapping)
{
  *self = (TallOrderCursor){ .mapping = mapping };
  self->customer_source =
      tall_order_cursor_find_source (mapping, tall_csv_field_is_customer_number);
  self->order_source = tall_order_cursor_find_source (mapping, tall_csv_field_is_order_number);
}

/* Returns: how many fields of a row, from the first on, say which order it belongs to */
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
  const char *text = tall_mapping_read (self->mapping, source, row);
  if (text == NULL || g_str_equal (text, current)
      || (tall_validate_number (text, NULL, NULL) && !is_rounded (text)))
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

/* A row without a valid customer number is taken as one of the order whose rows are being read if
 * it has that order's number; so is a row after one that has none. @row: the next row, good or bad.
 * Returns: where the row belongs; after %TALL_PLACE_NEW the cursor is in the order that begins */
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
