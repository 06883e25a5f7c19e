/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "layout/layout.h"

#include "model/canonical.h"
#include "layout/columns.h"
#include "layout/rows.h"

/* The first byte of the qualifiers that are not names. */
enum
{
  CELL_LOCATION = 2,
  CELL_LINE = 3,
};

#define LOCATION_LEN 5 /* bytes of a location's qualifier: type, location */
#define LINE_LEN 9     /* of a line's: and line */

#define MOST_HEADER_COLUMNS 16

/* A qualifier in the arena; of a location if @line is 0. */
static TallSlice
make_qualifier (TallArena *arena, guint8 type, guint32 location, guint32 line)
{
  guint8 *bytes = tall_arena_alloc (arena, LINE_LEN);
  guint32 numbers[] = { GUINT32_TO_BE (location), GUINT32_TO_BE (line) };
  bytes[0] = type;
  memcpy (bytes + 1, numbers, sizeof numbers);
  return tall_slice (bytes, type == CELL_LINE ? LINE_LEN : LOCATION_LEN);
}

static void
append_location (const TallShippingLocation *location,
                 gint64 revision,
                 TallBatch *batch,
                 TallMutation *root)
{
  tall_mutation_put (batch, root, make_qualifier (batch->arena, CELL_LOCATION, location->number, 0),
                     revision, tall_location_to_canonical (location, batch->arena));
  for (guint i = 0; i < location->n_line_items; i++)
    {
      const TallLineItem *line = location->line_items[i];
      tall_mutation_put (batch, root,
                         make_qualifier (batch->arena, CELL_LINE, location->number, line->number),
                         revision, tall_line_to_canonical (line, batch->arena));
    }
}

static void
append_root (const TallOrder *order,
             TallSlice canonical G_GNUC_UNUSED,
             gint64 revision,
             TallBatch *batch,
             TallMutation *root)
{
  tall_columns_append (&tall_columns_order, order, revision, batch, root);
  for (guint i = 0; i < order->n_shipping_locations; i++)
    append_location (order->shipping_locations[i], revision, batch, root);
}

/**
 * Decoder:
 *
 * An order under construction. Cells are sorted: locations, lines by location, then columns with
 * names.
 */
typedef struct
{
  const TallRow *row;
  gint64 revision;
  TallOrderLines lines;
} Decoder;

static gboolean
set_bad_cell (const Decoder *self, const TallCell *cell, const char *what, GError **error)
{
  g_autofree char *qualifier = tall_slice_to_debug (cell->qualifier);
  return tall_columns_set_damaged (error, TALL_ORDERS, self->row->key,
                                   "column " TALL_FAMILY ":%s: %s", qualifier, what);
}

static gboolean
decode_location (Decoder *self, const TallCell *cell, guint32 number, GError **error)
{
  g_autoptr (GError) why = NULL;
  TallArena *arena = tall_order_get_arena (self->lines.order);
  TallShippingLocation *location = tall_location_from_canonical (cell->value, arena, &why);
  if (location == NULL)
    return set_bad_cell (self, cell, why->message, error);
  if ((guint32)location->number != number)
    return set_bad_cell (self, cell, "holds another location than its qualifier says", error);

  tall_order_lines_add_location (&self->lines, location);
  return TRUE;
}

static gboolean
decode_line (
    Decoder *self, const TallCell *cell, guint32 location_number, guint32 number, GError **error)
{
  g_autoptr (GError) why = NULL;
  TallArena *arena = tall_order_get_arena (self->lines.order);
  TallLineItem *line = tall_line_from_canonical (cell->value, arena, &why);
  if (line == NULL)
    return set_bad_cell (self, cell, why->message, error);
  if ((guint32)line->number != number)
    return set_bad_cell (self, cell, "holds another line than its qualifier says", error);

  if (!tall_order_lines_add (&self->lines, line, location_number))
    return set_bad_cell (self, cell, "its location has no cell of the same revision", error);
  return TRUE;
}

static gboolean
decode_cell (Decoder *self, const TallCell *cell, GError **error)
{
  TallReader reader = tall_reader (cell->qualifier);
  guint8 type = tall_reader_u8 (&reader);
  if (type == CELL_LOCATION && cell->qualifier.len == LOCATION_LEN)
    return decode_location (self, cell, tall_reader_u32 (&reader), error);
  if (type == CELL_LINE && cell->qualifier.len == LINE_LEN)
    {
      guint32 location = tall_reader_u32 (&reader);
      return decode_line (self, cell, location, tall_reader_u32 (&reader), error);
    }
  if (type == CELL_LOCATION || type == CELL_LINE)
    return set_bad_cell (self, cell, "is not a location or line", error);
  return TRUE;
}

static gboolean
decode_cells (Decoder *self, GError **error)
{
  for (guint i = 0; i < self->row->n_cells; i++)
    {
      const TallCell *cell = &self->row->cells[i];
      if (cell->timestamp == self->revision && !decode_cell (self, cell, error))
        return FALSE;
    }

  TallColumnsReader reader = { TALL_ORDERS, self->revision,
                               tall_order_get_arena (self->lines.order) };
  return tall_columns_read (&tall_columns_order, &reader, self->row, self->lines.order, NULL,
                            error);
}

/* A location cannot be asked for in the same way: the numbers of its lines are not known. */
static void
plan_header (const TallOrderKey *key, TallReadPlan *plan)
{
  static TallSlice qualifiers[MOST_HEADER_COLUMNS]; /* the same for all, so that gets are merged */
  static guint n;
  static gsize made;
  if (g_once_init_enter (&made))
    {
      const TallColumnList *list = tall_columns_list (&tall_columns_order);
      g_assert (list->n_columns + 2 <= MOST_HEADER_COLUMNS);
      qualifiers[n++] = tall_slice_str ("s");
      qualifiers[n++] = tall_slice_str ("summary");
      for (guint i = 0; i < list->n_columns; i++)
        qualifiers[n++] = list->columns[i].qualifier;
      g_once_init_leave (&made, 1);
    }
  TallRead *read = tall_read_plan_add_get (plan, TALL_ORDERS, key->whole);
  read->qualifiers = qualifiers;
  read->n_qualifiers = n;
}

static gboolean
decode_order (const TallFoundRows *found, TallDecoded *decoded, GError **error)
{
  g_assert (found->n_results == 1);
  const TallRow *row = tall_root_rows_find (found, error);
  if (row == NULL)
    return FALSE;

  g_autoptr (TallOrder) order = tall_order_new (found->customer_number, found->order_number);
  Decoder decoder = { .row = row, .revision = found->revision, .lines = { .order = order } };
  if (!decode_cells (&decoder, error))
    return FALSE;

  g_autoptr (GError) why = NULL;
  if (!tall_order_normalize (order, &why))
    return tall_columns_set_damaged (error, TALL_ORDERS, row->key, "%s", why->message);

  decoded->order = g_steal_pointer (&order);
  return TRUE;
}

/**
 * tall_layout_wide:
 *
 * One row an order with a column for each location and each line, whose qualifiers sort as they do;
 * one row a customer.
 */
const TallLayout tall_layout_wide = {
  .name = "wide",
  .summary = "one row an order, a column a location and a line; tables customers, orders",
  .tables = tall_root_rows_tables,
  .single_row = TRUE,
  .most_memory = TALL_LAYOUT_USUAL_MEMORY,
  .locate_order = tall_root_rows_locate,
  .append_root = append_root,
  .plan_order = tall_root_rows_plan,
  .plan_header = plan_header,
  .decode_order = decode_order,
  .locate_customer = tall_customer_rows_locate,
  .append_customer = tall_customer_blob_append,
  .decode_customer = tall_customer_blob_decode,
  .name_parts = tall_root_rows_name_parts,
};
