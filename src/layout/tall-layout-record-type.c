/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-layout.h"

#include "tall-columns-private.h"
#include "tall-row-parts-private.h"

#define ORDERS "orders"

/* The byte after the customer part. */
enum
{
  RECORD_CUSTOMER = 1,
  RECORD_ORDER = 2,
};

/* The byte after the order part. */
enum
{
  ROW_ROOT = 1,
  ROW_LOCATION = 2,
  ROW_LINE = 3,
};

#define LOCATION_SUFFIX 5 /* bytes after the order part: type, location */
#define LINE_SUFFIX 9     /* and line */

static const TallLayoutTable tables[] = {
  { ORDERS, FALSE },
  { NULL },
};

/* What all rows of an order begin with. */
static void
append_prefix (const TallOrderKey *key, GByteArray *row)
{
  tall_bytes_append (row, key->customer);
  tall_bytes_append_u8 (row, RECORD_ORDER);
  tall_bytes_append (row, key->order);
}

static const char *
locate_order (const TallOrderKey *key, GByteArray *row)
{
  append_prefix (key, row);
  tall_bytes_append_u8 (row, ROW_ROOT);
  return ORDERS;
}

static void
append_root (const TallOrder *order,
             TallSlice canonical G_GNUC_UNUSED,
             gint64 revision,
             TallBatch *batch,
             TallMutation *root)
{
  tall_columns_append (&tall_columns_order, order, revision, batch, root);
}

static void
append_lines (const TallShippingLocation *location,
              gsize prefix_len,
              gint64 revision,
              TallBatch *batch,
              GByteArray *row)
{
  for (guint i = 0; i < location->n_line_items; i++)
    {
      const TallLineItem *line = &location->line_items[i];
      g_byte_array_set_size (row, prefix_len);
      tall_bytes_append_u8 (row, ROW_LINE);
      tall_bytes_append_u32 (row, location->number);
      tall_bytes_append_u32 (row, line->number);
      TallMutation *mutation = tall_batch_add (batch, ORDERS, tall_slice_array (row));
      tall_columns_append (&tall_columns_line, line, revision, batch, mutation);
    }
}

static void
append_children (const TallOrderKey *key, const TallOrder *order, gint64 revision, TallBatch *batch)
{
  g_autoptr (GByteArray) row = g_byte_array_sized_new (64);
  append_prefix (key, row);
  gsize prefix_len = row->len;

  for (guint i = 0; i < order->n_shipping_locations; i++)
    {
      const TallShippingLocation *location = &order->shipping_locations[i];
      g_byte_array_set_size (row, prefix_len);
      tall_bytes_append_u8 (row, ROW_LOCATION);
      tall_bytes_append_u32 (row, location->number);
      TallMutation *mutation = tall_batch_add (batch, ORDERS, tall_slice_array (row));
      tall_columns_append (&tall_columns_location, location, revision, batch, mutation);
      append_lines (location, prefix_len, revision, batch, row);
    }
}

static void
plan_order (const TallOrderKey *key, TallReadPlan *plan)
{
  g_autoptr (GByteArray) prefix = g_byte_array_sized_new (64);
  append_prefix (key, prefix);
  tall_read_plan_add_prefix_scan (plan, ORDERS, tall_slice_array (prefix));
}

static void
plan_children (const TallOrderKey *key, TallReadPlan *plan)
{
  g_autoptr (GByteArray) start = g_byte_array_sized_new (64);
  append_prefix (key, start);
  TallSlice stop = tall_slice_after_prefix (plan->arena, tall_slice_array (start));
  tall_bytes_append_u8 (start, ROW_LOCATION);
  tall_read_plan_add_scan (plan, ORDERS, tall_slice_array (start), stop);
}

/**
 * Decoder:
 *
 * An order under construction. Rows come sorted: root, locations, lines by location; so each line
 * belongs to the location of the line before it or to a later one.
 */
typedef struct
{
  TallColumnsReader reader;
  TallSlice prefix;
  TallOrder *order;    /* not owned; its locations have room for all location rows */
  TallLineItem *lines; /* of all locations; room for all line rows */
  guint n_lines;
  guint at; /* index of the location that the last line belongs to */
} Decoder;

/* The type of an order's row, 0 if its key is none that this layout makes. */
static int
parse_row_key (TallSlice key, TallSlice prefix, guint32 *location, guint32 *line)
{
  if (!tall_slice_has_prefix (key, prefix))
    return 0;

  gsize len = key.len - prefix.len;
  TallReader reader = tall_reader (tall_slice (key.data + prefix.len, len));
  int type = tall_reader_u8 (&reader);
  *location = len >= LOCATION_SUFFIX ? tall_reader_u32 (&reader) : 0;
  *line = len >= LINE_SUFFIX ? tall_reader_u32 (&reader) : 0;

  gboolean known = (type == ROW_ROOT && len == 1)
                   || (type == ROW_LOCATION && len == LOCATION_SUFFIX)
                   || (type == ROW_LINE && len == LINE_SUFFIX);
  return known ? type : 0;
}

static gboolean
set_wrong_number (const Decoder *self, const TallRow *row, gint32 number, GError **error)
{
  if (number == 0)
    return tall_columns_set_damaged (error, ORDERS, row->key,
                                     "column " TALL_FAMILY ":number has no cell of revision "
                                     "%" G_GINT64_FORMAT,
                                     self->reader.revision);
  return tall_columns_set_damaged (error, ORDERS, row->key,
                                   "column " TALL_FAMILY ":number is %d, unlike the row key",
                                   number);
}

static gboolean
decode_location (Decoder *self, const TallRow *row, guint32 number, GError **error)
{
  TallOrder *order = self->order;
  TallShippingLocation *location = &order->shipping_locations[order->n_shipping_locations];
  guint n_cells;
  if (!tall_columns_read (&tall_columns_location, &self->reader, row, location, &n_cells, error))
    return FALSE;
  if (n_cells == 0)
    return TRUE;

  if ((guint32)location->number != number)
    return set_wrong_number (self, row, location->number, error);
  order->n_shipping_locations++;
  return TRUE;
}

static TallShippingLocation *
find_location (Decoder *self, guint32 number)
{
  TallOrder *order = self->order;
  while (self->at < order->n_shipping_locations
         && (guint32)order->shipping_locations[self->at].number < number)
    self->at++;

  if (self->at == order->n_shipping_locations
      || (guint32)order->shipping_locations[self->at].number != number)
    return NULL;
  return &order->shipping_locations[self->at];
}

static gboolean
decode_line (
    Decoder *self, const TallRow *row, guint32 location_number, guint32 number, GError **error)
{
  TallLineItem *line = &self->lines[self->n_lines];
  guint n_cells;
  if (!tall_columns_read (&tall_columns_line, &self->reader, row, line, &n_cells, error))
    return FALSE;
  if (n_cells == 0)
    return TRUE;

  if ((guint32)line->number != number)
    return set_wrong_number (self, row, line->number, error);

  TallShippingLocation *location = find_location (self, location_number);
  if (location == NULL)
    return tall_columns_set_damaged (error, ORDERS, row->key,
                                     "its location %u has no row of revision %" G_GINT64_FORMAT,
                                     location_number, self->reader.revision);

  if (location->n_line_items == 0)
    location->line_items = line;
  location->n_line_items++;
  self->n_lines++;
  return TRUE;
}

static gboolean
decode_unexpected (const Decoder *self, const TallRow *row, GError **error)
{
  for (guint i = 0; i < row->n_cells; i++)
    if (row->cells[i].timestamp == self->reader.revision)
      return tall_columns_set_damaged (error, ORDERS, row->key,
                                       "is no row of the order, but has cells of its revision");
  return TRUE;
}

static gboolean
decode_row (Decoder *self, const TallRow *row, GError **error)
{
  guint32 location, line;
  switch (parse_row_key (row->key, self->prefix, &location, &line))
    {
    case ROW_ROOT:
      return tall_columns_read (&tall_columns_order, &self->reader, row, self->order, NULL, error);
    case ROW_LOCATION:
      return decode_location (self, row, location, error);
    case ROW_LINE:
      return decode_line (self, row, location, line, error);
    default:
      return decode_unexpected (self, row, error);
    }
}

/* Makes room for all locations and lines that the rows can hold. */
static void
decoder_allocate (Decoder *self, const TallRows *rows)
{
  guint n_locations = 0, n_lines = 0;
  for (guint i = 0; i < rows->n_rows; i++)
    {
      gsize len = rows->rows[i].key.len;
      n_locations += len == self->prefix.len + LOCATION_SUFFIX;
      n_lines += len == self->prefix.len + LINE_SUFFIX;
    }

  TallArena *arena = self->order->arena;
  self->order->shipping_locations = tall_arena_newa0 (arena, TallShippingLocation, n_locations);
  self->lines = tall_arena_newa0 (arena, TallLineItem, n_lines);
}

static gboolean
decode_order (const TallOrderKey *key,
              const char *customer_number,
              const char *order_number,
              const TallRows *results,
              guint n_results,
              gint64 revision,
              TallDecoded *decoded,
              GError **error)
{
  g_assert (n_results == 1);
  g_autoptr (GByteArray) prefix = g_byte_array_sized_new (64);
  append_prefix (key, prefix);

  g_autoptr (TallOrder) order = tall_order_new (customer_number, order_number);
  Decoder decoder = {
    .reader = { ORDERS, revision, order->arena },
    .prefix = tall_slice_array (prefix),
    .order = order,
  };
  decoder_allocate (&decoder, &results[0]);

  for (guint i = 0; i < results[0].n_rows; i++)
    if (!decode_row (&decoder, &results[0].rows[i], error))
      return FALSE;

  decoded->order = g_steal_pointer (&order);
  decoded->canonical = tall_slice (NULL, 0);
  return TRUE;
}

static const char *
locate_customer (const TallOrderKey *key, GByteArray *row)
{
  tall_bytes_append (row, key->customer);
  tall_bytes_append_u8 (row, RECORD_CUSTOMER);
  return ORDERS;
}

static void
append_customer (const TallCustomer *customer,
                 TallSlice canonical G_GNUC_UNUSED,
                 gint64 revision,
                 TallBatch *batch,
                 TallMutation *row)
{
  tall_columns_append (&tall_columns_customer, customer, revision, batch, row);
}

static TallCustomer *
decode_customer (const char *number, const TallRow *row, gint64 revision, GError **error)
{
  g_autoptr (TallCustomer) customer = tall_customer_new (number);
  TallColumnsReader reader = { ORDERS, revision, customer->arena };
  if (!tall_columns_read (&tall_columns_customer, &reader, row, customer, NULL, error))
    return NULL;
  return g_steal_pointer (&customer);
}

static void
name_parts (const TallKeyStrategy *strategy,
            const char *table G_GNUC_UNUSED,
            TallSlice row,
            GArray *parts)
{
  TallRowParts naming = tall_row_parts (strategy, row, parts);
  tall_row_parts_take_customer (&naming);
  if (tall_row_parts_take_type (&naming, RECORD_CUSTOMER, RECORD_ORDER) == RECORD_ORDER)
    {
      tall_row_parts_take_order (&naming);
      int type = tall_row_parts_take_type (&naming, ROW_ROOT, ROW_LINE);
      if (type >= ROW_LOCATION)
        tall_row_parts_take (&naming, "location", 4);
      if (type == ROW_LINE)
        tall_row_parts_take (&naming, "line", 4);
    }
  tall_row_parts_end (&naming);
}

/**
 * tall_layout_record_type:
 *
 * One table with a row for each customer, order, location and line, and a column for each field;
 * a byte in the row key tells them apart.
 */
const TallLayout tall_layout_record_type = {
  .name = "record-type",
  .summary = "a row a customer, order, location and line, a column a field; one table, one scan",
  .tables = tables,
  .single_row = FALSE,
  .locate_order = locate_order,
  .append_root = append_root,
  .append_children = append_children,
  .plan_order = plan_order,
  .plan_children = plan_children,
  .decode_order = decode_order,
  .locate_customer = locate_customer,
  .append_customer = append_customer,
  .decode_customer = decode_customer,
  .name_parts = name_parts,
};
