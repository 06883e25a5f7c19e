/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "layout/ship-to-rows.h"

#include "layout/order-rows.h"

#define NUMBER_COLUMN TALL_SHIP_PREFIX "number"

/* A location under construction. */
struct _TallShipTo
{
  TallShippingLocation location; /* its lines are only counted */
  const TallRow *row;            /* the first row that had it */
  gboolean has_own_row;          /* that row is the location's, so no line may go to it */
  TallShippingLocation *placed;  /* where it is in the order, at the end */
};

/**
 * tall_ship_to_rows_init:
 * @order: the order that is made; its texts go into its arena
 * @max_lines: rows of lines at most
 */
void
tall_ship_to_rows_init (
    TallShipToRows *self, const char *table, gint64 revision, TallOrder *order, guint max_lines)
{
  *self = (TallShipToRows){
    .reader = { table, revision, order->arena },
    .order = order,
    .ship_tos = g_hash_table_new (NULL, NULL),
    .lines = tall_arena_newa0 (order->arena, TallLineItem, max_lines),
    .goes_to = tall_arena_newa0 (order->arena, TallShipTo *, max_lines),
  };
}

void
tall_ship_to_rows_clear (TallShipToRows *self)
{
  g_clear_pointer (&self->ship_tos, g_hash_table_unref);
}

/* Reads the ship-to of a row; NULL with an error if it cannot be understood. */
static TallShipTo *
add_ship_to (TallShipToRows *self, const TallRow *row, GError **error)
{
  TallShipTo *ship_to = tall_arena_new0 (self->order->arena, TallShipTo);
  if (!tall_columns_read (&tall_columns_ship_to, &self->reader, row, &ship_to->location, NULL,
                          error))
    return NULL;

  ship_to->row = row;
  g_hash_table_insert (self->ship_tos, GINT_TO_POINTER (ship_to->location.number), ship_to);
  return ship_to;
}

/* The number of the location in @row; 0 if its cell is not there. */
static gboolean
read_number (const TallShipToRows *self, const TallRow *row, gint32 *number, GError **error)
{
  TallShippingLocation location = { 0 };
  gboolean done =
      tall_columns_read (&tall_columns_ship_number, &self->reader, row, &location, NULL, error);
  *number = location.number;
  return done;
}

static gboolean
is_of_revision (const TallShipToRows *self, const TallRow *row)
{
  for (guint i = 0; i < row->n_cells; i++)
    if (row->cells[i].timestamp == self->reader.revision)
      return TRUE;
  return FALSE;
}

/**
 * tall_ship_to_rows_read_location:
 * @row: of a location that no line goes to
 * @number: of the location, from the row key
 *
 * Adds the location, unless the row has no cell of the revision.
 */
gboolean
tall_ship_to_rows_read_location (TallShipToRows *self,
                                 const TallRow *row,
                                 guint32 number,
                                 GError **error)
{
  gint32 found;
  if (!is_of_revision (self, row))
    return TRUE;
  if (!read_number (self, row, &found, error)
      || !tall_order_rows_check_number (&self->reader, row, NUMBER_COLUMN, found, number, error))
    return FALSE;
  if (g_hash_table_contains (self->ship_tos, GINT_TO_POINTER (found)))
    return tall_columns_set_damaged (error, self->reader.table, row->key,
                                     "location %d is there already", found);

  TallShipTo *ship_to = add_ship_to (self, row, error);
  if (ship_to == NULL)
    return FALSE;
  ship_to->has_own_row = TRUE;
  return TRUE;
}

/* The next cell of the ship-to at the revision, from @i on; NULL if there is none. */
static const TallCell *
next_cell (const TallShipToRows *self, const TallRow *row, guint *i)
{
  static const TallSlice prefix = { (const guint8 *)TALL_SHIP_PREFIX, sizeof TALL_SHIP_PREFIX - 1 };
  while (*i < row->n_cells)
    {
      const TallCell *cell = &row->cells[(*i)++];
      if (cell->timestamp == self->reader.revision
          && tall_slice_has_prefix (cell->qualifier, prefix))
        return cell;
    }
  return NULL;
}

/* TRUE if both rows have the same ship-to. Compares bytes, so that it is not decoded again. */
static gboolean
has_same_ship_to (const TallShipToRows *self, const TallRow *a, const TallRow *b)
{
  guint i = 0, j = 0;
  const TallCell *left = next_cell (self, a, &i), *right = next_cell (self, b, &j);
  while (left != NULL && right != NULL && tall_slice_equal (left->qualifier, right->qualifier)
         && tall_slice_equal (left->value, right->value))
    {
      left = next_cell (self, a, &i);
      right = next_cell (self, b, &j);
    }
  return left == NULL && right == NULL;
}

static gboolean
check_ship_to (const TallShipToRows *self,
               const TallShipTo *ship_to,
               const TallRow *row,
               GError **error)
{
  gint32 number = ship_to->location.number;
  g_autofree char *other = NULL;
  if (!ship_to->has_own_row && has_same_ship_to (self, ship_to->row, row))
    return TRUE;

  other = tall_slice_to_debug (ship_to->row->key);
  if (ship_to->has_own_row)
    return tall_columns_set_damaged (error, self->reader.table, row->key,
                                     "goes to location %d, but row %s says that it has no lines",
                                     number, other);
  return tall_columns_set_damaged (error, self->reader.table, row->key,
                                   "columns " TALL_FAMILY ":" TALL_SHIP_PREFIX
                                   "… are not the same as in row %s, which goes to location %d too",
                                   other, number);
}

/* The ship-to of a line; NULL with an error if the row has none, or one unlike other rows'. */
static TallShipTo *
find_ship_to (TallShipToRows *self, const TallRow *row, GError **error)
{
  gint32 number;
  if (!read_number (self, row, &number, error)
      || !tall_order_rows_check_number (&self->reader, row, NUMBER_COLUMN, number, (guint32)number,
                                        error))
    return NULL;

  TallShipTo *known = g_hash_table_lookup (self->ship_tos, GINT_TO_POINTER (number));
  if (known == NULL)
    return add_ship_to (self, row, error);
  return check_ship_to (self, known, row, error) ? known : NULL;
}

/**
 * tall_ship_to_rows_read_line:
 * @row: of a line
 * @number: of the line, from the row key
 *
 * Adds the line and where it goes, unless the row has no cell of the revision.
 */
gboolean
tall_ship_to_rows_read_line (TallShipToRows *self,
                             const TallRow *row,
                             guint32 number,
                             GError **error)
{
  TallLineItem *line = &self->lines[self->n_lines];
  guint n_cells;
  if (!tall_columns_read (&tall_columns_line, &self->reader, row, line, &n_cells, error))
    return FALSE;
  if (n_cells == 0)
    return TRUE;
  if (!tall_order_rows_check_number (&self->reader, row, "number", line->number, number, error))
    return FALSE;

  TallShipTo *ship_to = find_ship_to (self, row, error);
  if (ship_to == NULL)
    return FALSE;
  ship_to->location.n_line_items++;
  self->goes_to[self->n_lines++] = ship_to;
  return TRUE;
}

static int
compare_ship_tos (gconstpointer a, gconstpointer b)
{
  const TallShipTo *left = *(TallShipTo *const *)a, *right = *(TallShipTo *const *)b;
  return (left->location.number > right->location.number)
         - (left->location.number < right->location.number);
}

/* Locations by number, each with room for its lines. */
static void
place_locations (TallShipToRows *self)
{
  TallOrder *order = self->order;
  guint n;
  g_autofree gpointer *numbers = g_hash_table_get_keys_as_array (self->ship_tos, &n);
  g_autofree TallShipTo **sorted = g_new (TallShipTo *, n);
  for (guint i = 0; i < n; i++)
    sorted[i] = g_hash_table_lookup (self->ship_tos, numbers[i]);
  if (n > 1)
    qsort (sorted, n, sizeof *sorted, compare_ship_tos);

  TallLineItem *room = tall_arena_newa0 (order->arena, TallLineItem, self->n_lines);
  order->shipping_locations = tall_arena_newa0 (order->arena, TallShippingLocation, n);
  order->n_shipping_locations = n;
  for (guint i = 0; i < n; i++)
    {
      TallShippingLocation *location = &order->shipping_locations[i];
      *location = sorted[i]->location;
      sorted[i]->placed = location;
      location->line_items = location->n_line_items > 0 ? room : NULL;
      room += location->n_line_items;
      location->n_line_items = 0;
    }
}

/**
 * tall_ship_to_rows_finish:
 *
 * Gives the order its locations, and these their lines.
 */
void
tall_ship_to_rows_finish (TallShipToRows *self)
{
  place_locations (self);
  for (guint i = 0; i < self->n_lines; i++)
    {
      TallShippingLocation *location = self->goes_to[i]->placed;
      location->line_items[location->n_line_items++] = self->lines[i];
    }
}
