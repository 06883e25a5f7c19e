/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "layout/columns.h"
#include "layout/layout.h"
#include "layout/rows.h"
#include "tall-limits.h"

typedef struct _TallShipTo TallShipTo;

/**
 * TallShipToRows:
 *
 * An order under construction, from rows of lines with their ship-to, and rows of the locations
 * that no line goes to. Rows are read in the order of their keys: locations before lines, lines by
 * number, whatever location they go to.
 */
typedef struct
{
  TallColumnsReader reader;
  TallOrder *order;     /* not owned */
  GHashTable *ship_tos; /* owned: number of the location → TallShipTo, in the order's arena */
} TallShipToRows;

void tall_ship_to_rows_clear (TallShipToRows *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallShipToRows, tall_ship_to_rows_clear)

#define NUMBER_COLUMN TALL_SHIP_PREFIX "number"

/* A location under construction. */
struct _TallShipTo
{
  TallShippingLocation *location;
  const TallRow *row;   /* the first row that had it */
  gboolean has_own_row; /* that row is the location's, so no line may go to it */
};

/* @order: the order that is made; its texts go into its arena */
static void
ship_to_rows_init (TallShipToRows *self, const char *table, gint64 revision, TallOrder *order)
{
  *self = (TallShipToRows){
    .reader = { table, revision, tall_order_get_arena (order) },
    .order = order,
    .ship_tos = g_hash_table_new (NULL, NULL),
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
  TallArena *arena = self->reader.arena;
  TallShippingLocation *location = tall_model_new (&tall_model_location, arena);
  if (!tall_columns_read (&tall_columns_ship_to, &self->reader, row, location, NULL, error))
    return NULL;

  TallShipTo *ship_to = tall_arena_new0 (arena, TallShipTo);
  ship_to->location = location;
  ship_to->row = row;
  g_hash_table_insert (self->ship_tos, GINT_TO_POINTER (location->number), ship_to);
  tall_arena_append (arena, &self->order->shipping_locations, &self->order->n_shipping_locations,
                     location);
  return ship_to;
}

/* The number of the location in @row; 0 if its cell is not there. */
static gboolean
read_number (const TallShipToRows *self, const TallRow *row, gint32 *number, GError **error)
{
  TallShippingLocation location = TALL_PB__SHIPPING_LOCATION__INIT;
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

/* @row: of a location that no line goes to
 * @number: of the location, from the row key
 *
 * Adds the location, unless the row has no cell of the revision. */
static gboolean
ship_to_rows_read_location (TallShipToRows *self,
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
  gint32 number = ship_to->location->number;
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

/* @row: of a line
 * @number: of the line, from the row key
 *
 * Adds the line and where it goes, unless the row has no cell of the revision. */
static gboolean
ship_to_rows_read_line (TallShipToRows *self, const TallRow *row, guint32 number, GError **error)
{
  TallLineItem *line = tall_model_new (&tall_model_line, self->reader.arena);
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
  tall_arena_append (self->reader.arena, &ship_to->location->line_items,
                     &ship_to->location->n_line_items, line);
  return TRUE;
}

static int
compare_locations (gconstpointer a, gconstpointer b)
{
  gint32 left = (*(TallShippingLocation *const *)a)->number;
  gint32 right = (*(TallShippingLocation *const *)b)->number;
  return (left > right) - (left < right);
}

/* Sorts the locations of the order, which came in the order of their lines. */
static void
ship_to_rows_finish (TallShipToRows *self)
{
  TallOrder *order = self->order;
  if (order->n_shipping_locations > 1)
    qsort (order->shipping_locations, order->n_shipping_locations, sizeof (TallShippingLocation *),
           compare_locations);
}

static void
append_typed (const TallOrderKey *key, guint8 type, GByteArray *row)
{
  tall_bytes_append (row, key->whole);
  tall_bytes_append_u8 (row, type);
}

static const char *
locate_order (const TallOrderKey *key, GByteArray *row)
{
  append_typed (key, TALL_ROW_ROOT, row);
  return TALL_ORDERS;
}

static TallMutation *
add_row (const TallOrderKey *key, guint8 type, guint32 number, TallBatch *batch, GByteArray *row)
{
  g_byte_array_set_size (row, 0);
  append_typed (key, type, row);
  tall_bytes_append_u32 (row, number);
  return tall_batch_add (batch, TALL_ORDERS, tall_slice_array (row));
}

static void
append_children (const TallOrderKey *key, const TallOrder *order, gint64 revision, TallBatch *batch)
{
  g_autoptr (GByteArray) row = g_byte_array_sized_new (64);
  for (guint i = 0; i < order->n_shipping_locations; i++)
    {
      const TallShippingLocation *location = order->shipping_locations[i];
      if (location->n_line_items == 0)
        {
          TallMutation *mutation = add_row (key, TALL_ROW_LOCATION, location->number, batch, row);
          tall_columns_append (&tall_columns_ship_to, location, revision, batch, mutation);
        }
      for (guint j = 0; j < location->n_line_items; j++)
        {
          const TallLineItem *line = location->line_items[j];
          TallMutation *mutation = add_row (key, TALL_ROW_LINE, line->number, batch, row);
          tall_columns_append (&tall_columns_line, line, revision, batch, mutation);
          tall_columns_append (&tall_columns_ship_to, location, revision, batch, mutation);
        }
    }
}

static void
plan_order (const TallOrderKey *key, TallReadPlan *plan)
{
  tall_read_plan_add_prefix_scan (plan, TALL_ORDERS, key->whole);
}

static void
plan_children (const TallOrderKey *key, TallReadPlan *plan)
{
  g_autoptr (GByteArray) start = g_byte_array_sized_new (64);
  append_typed (key, TALL_ROW_LOCATION, start);
  TallSlice stop = tall_slice_after_prefix (plan->arena, key->whole);
  tall_read_plan_add_scan (plan, TALL_ORDERS, tall_slice_array (start), stop);
}

/* Lines do not lie by location, so a location takes all rows. */
static void
plan_header (const TallOrderKey *key, TallReadPlan *plan)
{
  g_autoptr (GByteArray) root = g_byte_array_sized_new (64);
  const char *table = locate_order (key, root);
  tall_read_plan_add_get (plan, table, tall_slice_array (root));
}

static gboolean
decode_row (TallShipToRows *rows, const TallOrderKey *key, const TallRow *row, GError **error)
{
  TallReader reader = tall_reader (row->key);
  TallSlice prefix = tall_reader_take (&reader, key->whole.len);
  guint8 type = tall_reader_u8 (&reader);
  gboolean is_root = tall_reader_done (&reader);
  guint32 number = tall_reader_u32 (&reader);
  gboolean has_number = tall_reader_done (&reader);

  if (!tall_slice_equal (prefix, key->whole))
    return tall_order_rows_check_unexpected (&rows->reader, row, error);
  if (type == TALL_ROW_ROOT && is_root)
    return tall_columns_read (&tall_columns_order, &rows->reader, row, rows->order, NULL, error);
  if (type == TALL_ROW_LOCATION && has_number)
    return ship_to_rows_read_location (rows, row, number, error);
  if (type == TALL_ROW_LINE && has_number)
    return ship_to_rows_read_line (rows, row, number, error);
  return tall_order_rows_check_unexpected (&rows->reader, row, error);
}

static gboolean
decode_order (const TallFoundRows *found, TallDecoded *decoded, GError **error)
{
  g_assert (found->n_results == 1);
  const TallRows *results = &found->results[0];
  g_autoptr (TallOrder) order = tall_order_new (found->customer_number, found->order_number);
  g_auto (TallShipToRows) rows = { { NULL } };
  ship_to_rows_init (&rows, TALL_ORDERS, found->revision, order);

  for (guint i = 0; i < results->n_rows; i++)
    if (!decode_row (&rows, found->key, &results->rows[i], error))
      return FALSE;
  ship_to_rows_finish (&rows);

  decoded->order = g_steal_pointer (&order);
  return TRUE;
}

static void
name_parts (const TallKeyStrategy *strategy, const char *table, TallSlice row, GArray *parts)
{
  TallRowParts naming = tall_row_parts (strategy, row, parts);
  tall_row_parts_take_customer (&naming);
  if (strcmp (table, TALL_ORDERS) == 0)
    {
      tall_row_parts_take_order (&naming);
      int type = tall_row_parts_take_type (&naming, TALL_ROW_ROOT, TALL_ROW_LINE);
      if (type == TALL_ROW_LOCATION)
        tall_row_parts_take (&naming, "location", 4);
      if (type == TALL_ROW_LINE)
        tall_row_parts_take (&naming, "line", 4);
    }
  tall_row_parts_end (&naming);
}

/**
 * tall_layout_denormalized:
 *
 * A row for each line, which holds its ship-to, so that a line can be understood without other
 * rows; a row for each location that no line goes to; a column for each field.
 */
const TallLayout tall_layout_denormalized = {
  .name = "denormalized",
  .summary = "a row a line with its ship-to, a column a field; tables customers, orders, one scan",
  .tables = tall_root_rows_tables,
  .single_row = FALSE,
  .most_memory = TALL_LAYOUT_USUAL_MEMORY + TALL_MAX_REPEATED_BYTES,
  .locate_order = locate_order,
  .append_root = tall_root_rows_append_columns,
  .append_children = append_children,
  .plan_order = plan_order,
  .plan_children = plan_children,
  .plan_header = plan_header,
  .decode_order = decode_order,
  .locate_customer = tall_customer_rows_locate,
  .append_customer = tall_customer_columns_append,
  .decode_customer = tall_customer_columns_decode,
  .name_parts = name_parts,
};
