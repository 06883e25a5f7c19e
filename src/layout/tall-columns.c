/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-columns-private.h"
#include "tall-column-types-private.h"
#include "tall-error.h"

#define QUALIFIER(text)                                                                            \
  {                                                                                                \
    (const guint8 *)(text), sizeof (text) - 1                                                      \
  }

#define COLUMN(text, column_type, owner, field)                                                    \
  {                                                                                                \
    .qualifier = QUALIFIER (text), .type = TALL_COLUMN_##column_type,                              \
    .offset = G_STRUCT_OFFSET (owner, field)                                                       \
  }

#define COLUMN_WITH(text, column_type, owner, field, companion_field)                              \
  {                                                                                                \
    .qualifier = QUALIFIER (text), .type = TALL_COLUMN_##column_type,                              \
    .offset = G_STRUCT_OFFSET (owner, field),                                                      \
    .companion = G_STRUCT_OFFSET (owner, companion_field)                                          \
  }

#define ADDRESS_COLUMNS(prefix)                                                                    \
  { .qualifier = QUALIFIER (prefix "address"), .type = TALL_COLUMN_ADDRESS },                      \
      COLUMN (prefix "address.city", ADDRESS_TEXT, TallAddress, city),                             \
      COLUMN (prefix "address.country", ADDRESS_TEXT, TallAddress, country),                       \
      COLUMN (prefix "address.line1", ADDRESS_TEXT, TallAddress, line1),                           \
      COLUMN (prefix "address.line2", ADDRESS_TEXT, TallAddress, line2),                           \
      COLUMN (prefix "address.state", ADDRESS_TEXT, TallAddress, state),                           \
      COLUMN (prefix "address.zip", ADDRESS_TEXT, TallAddress, zip)

static const TallColumn order_columns[] = {
  COLUMN ("attributes", ATTRIBUTES, TallOrder, attributes),
  COLUMN ("currency", TEXT, TallOrder, currency),
  COLUMN_WITH ("sales_date", DATE, TallOrder, sales_date, has_sales_date),
};

static const TallColumn location_columns[] = {
  ADDRESS_COLUMNS (""),
  COLUMN ("name", TEXT, TallShippingLocation, name),
  COLUMN ("number", NUMBER, TallShippingLocation, number),
  COLUMN_WITH ("ship_date", DATE, TallShippingLocation, ship_date, has_ship_date),
};

static const TallColumn ship_to_columns[] = {
  ADDRESS_COLUMNS ("ship."),
  COLUMN_WITH ("ship.date", DATE, TallShippingLocation, ship_date, has_ship_date),
  COLUMN ("ship.name", TEXT, TallShippingLocation, name),
  COLUMN ("ship.number", NUMBER, TallShippingLocation, number),
};

static const TallColumn ship_number_columns[] = {
  COLUMN ("ship.number", NUMBER, TallShippingLocation, number),
};

static const TallColumn line_columns[] = {
  COLUMN ("description", TEXT, TallLineItem, description),
  COLUMN_WITH ("discount", DECIMAL, TallLineItem, discount, has_discount),
  COLUMN ("item_number", TEXT, TallLineItem, item_number),
  COLUMN ("number", NUMBER, TallLineItem, number),
  COLUMN_WITH ("price", DECIMAL, TallLineItem, price, has_price),
  COLUMN_WITH ("quantity", DECIMAL, TallLineItem, quantity, has_quantity),
};

static const TallColumn customer_columns[] = {
  ADDRESS_COLUMNS (""),
  COLUMN ("attributes", ATTRIBUTES, TallCustomer, attributes),
  COLUMN ("email", TEXT, TallCustomer, email),
  COLUMN ("name", TEXT, TallCustomer, name),
  COLUMN_WITH ("phones", PHONES, TallCustomer, phones, n_phones),
};

const TallColumns tall_columns_order = { order_columns, G_N_ELEMENTS (order_columns), 0 };
const TallColumns tall_columns_location = { location_columns, G_N_ELEMENTS (location_columns),
                                            G_STRUCT_OFFSET (TallShippingLocation, address) };
const TallColumns tall_columns_ship_to = { ship_to_columns, G_N_ELEMENTS (ship_to_columns),
                                           G_STRUCT_OFFSET (TallShippingLocation, address) };
const TallColumns tall_columns_ship_number = { ship_number_columns,
                                               G_N_ELEMENTS (ship_number_columns), 0 };
const TallColumns tall_columns_line = { line_columns, G_N_ELEMENTS (line_columns), 0 };
const TallColumns tall_columns_customer = { customer_columns, G_N_ELEMENTS (customer_columns),
                                            G_STRUCT_OFFSET (TallCustomer, address) };

static inline gboolean
column_is_of_address (const TallColumn *column)
{
  return column->type == TALL_COLUMN_ADDRESS || column->type == TALL_COLUMN_ADDRESS_TEXT;
}

/**
 * tall_columns_append:
 * @fields: the struct whose fields they are; must live as long as @batch, as texts are not copied
 * @mutation: of @batch
 *
 * Puts a cell for each field that is present.
 */
void
tall_columns_append (const TallColumns *self,
                     gconstpointer fields,
                     gint64 revision,
                     TallBatch *batch,
                     TallMutation *mutation)
{
  for (guint i = 0; i < self->n_columns; i++)
    {
      const TallColumn *column = &self->columns[i];
      gconstpointer of = fields;
      if (column_is_of_address (column))
        of = *(TallAddress *const *)((const char *)fields + self->address);

      TallSlice value;
      if (of != NULL
          && tall_column_type_get (column->type)->encode (column, of, batch->arena, &value))
        tall_mutation_put (batch, mutation, column->qualifier, revision, value);
    }
}

static gboolean
read_cell (const TallColumns *self,
           const TallColumn *column,
           const TallCell *cell,
           TallArena *arena,
           gpointer fields,
           GError **error)
{
  gpointer of = fields;
  if (column_is_of_address (column))
    {
      TallAddress **address = (TallAddress **)((char *)fields + self->address);
      if (*address == NULL)
        *address = tall_arena_new0 (arena, TallAddress);
      of = *address;
    }
  return tall_column_type_get (column->type)->decode (column, cell->value, arena, of, error);
}

/* One message from the row, the column and the reason. */
static gboolean
set_bad_cell (GError **error, const char *table, TallSlice row, TallSlice qualifier, GError *why)
{
  g_autoptr (GError) owned = why;
  g_autofree char *column = tall_slice_to_debug (qualifier);
  return tall_columns_set_damaged (error, table, row, "column " TALL_FAMILY ":%s: %s", column,
                                   owned->message);
}

/**
 * tall_columns_read:
 * @fields: the struct to set, all fields absent
 * @n_cells: (out) (optional): cells of the reader's revision, those of other columns included
 *
 * Sets the fields whose cells are there. Takes time linear in the cells, as both they and the
 * columns are sorted. Columns that are not known are skipped.
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED, naming row and column, if a cell cannot be understood
 */
gboolean
tall_columns_read (const TallColumns *self,
                   const TallColumnsReader *reader,
                   const TallRow *row,
                   gpointer fields,
                   guint *n_cells,
                   GError **error)
{
  const TallColumn *column = self->columns;
  const TallColumn *end = self->columns + self->n_columns;
  guint n = 0;

  for (const TallCell *cell = row->cells; cell < row->cells + row->n_cells; cell++)
    {
      if (cell->timestamp != reader->revision)
        continue;

      n++;
      int order = 1;
      while (column < end && (order = tall_slice_compare (column->qualifier, cell->qualifier)) < 0)
        column++;
      if (column == end || order != 0)
        continue;

      GError *why = NULL;
      if (!read_cell (self, column, cell, reader->arena, fields, &why))
        return set_bad_cell (error, reader->table, row->key, cell->qualifier, why);
      column++;
    }

  if (n_cells != NULL)
    *n_cells = n;
  return TRUE;
}

/**
 * tall_columns_set_damaged:
 * @format: what is wrong with the row
 *
 * Sets %TALL_ERROR_DAMAGED, naming table and row.
 *
 * Returns: FALSE
 */
gboolean
tall_columns_set_damaged (GError **error, const char *table, TallSlice row, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);

  g_autofree char *key = tall_slice_to_debug (row);
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED, "Table %s, row %s, %s", table, key, what);
  return FALSE;
}
