/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/row-check.h"
#include "tall-error.h"
#include "tall-limits.h"

#define KIND_NUMBER "is not a valid number"

/**
 * tall_row_check_readable:
 * @fault: (out): of a row that is not
 *
 * Returns: (transfer full) (nullable): why the reader could not read the row; NULL: it could
 */
char *
tall_row_check_readable (const TallRowCheck *self, const TallCsvRow *row, TallRowFault *fault)
{
  gint column = row->column;
  *fault = (TallRowFault){ column == TALL_CSV_NO_COLUMN ? NULL : self->columns[column], row->kind };
  return g_strdup (row->reason);
}

/**
 * tall_row_check_is_rounded:
 *
 * Returns: whether @text is a number such as 1.67187E+13, which a spreadsheet makes of a long one
 */
gboolean
tall_row_check_is_rounded (const char *text)
{
  gsize digits = strspn (text, "0123456789.,");
  const char *exponent = text + digits;
  return digits > 0 && (*exponent == 'E' || *exponent == 'e') && exponent[1] == '+'
         && exponent[2] != '\0' && strspn (exponent + 2, "0123456789") == strlen (exponent + 2);
}

/**
 * tall_row_check_number:
 * @source: of an order's number, or a customer's
 * @fault: (out): of a row that has none
 *
 * Returns: (transfer full) (nullable): why a row has no valid number of that source; NULL: it has
 */
char *
tall_row_check_number (const TallRowCheck *self,
                       const TallMappingSource *source,
                       const TallCsvRow *row,
                       TallRowFault *fault)
{
  g_autoptr (GError) error = NULL;
  gboolean of_order = tall_csv_field_is_order_number (source->field);
  const char *text = tall_mapping_get_value (self->mapping, source, row->fields, row->n_fields);
  fault->column = source->column;
  if (text == NULL)
    {
      fault->kind = of_order ? "there is no order number" : "there is no customer number";
      return g_strdup (fault->kind);
    }
  if (tall_row_check_is_rounded (text))
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
