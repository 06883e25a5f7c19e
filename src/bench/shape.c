/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/advice.h"

#include "bench/explain.h"
#include "bench/orders.h"
#include "key/strategy.h"
#include "tall-error.h"
#include "tall-order.h"

#include <gio/gio.h>
#include <string.h>

#define NEWEST_PART 10

/* Orders counted by region. */
typedef struct
{
  const TallKeyStrategy *key_strategy;
  GPtrArray *splits; /* of GByteArray */
  GHashTable *ids;   /* customer number → its id, from 1 */
  guint *counts;     /* of each region */
  gsize key_bytes;
} Regions;

static gint
compare_dates (gconstpointer a, gconstpointer b)
{
  const TallOrder *x = *(const TallOrder *const *)a;
  const TallOrder *y = *(const TallOrder *const *)b;
  return (x->sales_date < y->sales_date) - (x->sales_date > y->sales_date);
}

/* The newest first; those without a date were in the file when it was made. */
static GPtrArray *
find_newest (GPtrArray *orders)
{
  GPtrArray *newest = g_ptr_array_new ();
  for (guint i = 0; i < orders->len; i++)
    g_ptr_array_add (newest, g_ptr_array_index (orders, orders->len - 1 - i));
  g_ptr_array_sort (newest, compare_dates);
  g_ptr_array_set_size (newest, (gint)MAX (orders->len / NEWEST_PART, 1));
  return newest;
}

static guint64
find_id (Regions *self, const TallOrder *order)
{
  guint64 *id = g_hash_table_lookup (self->ids, order->customer_number);
  if (id != NULL)
    return *id;
  id = g_new (guint64, 1);
  *id = g_hash_table_size (self->ids) + 1;
  g_hash_table_insert (self->ids, order->customer_number, id);
  return *id;
}

static void
count_order (Regions *self, const TallOrder *order)
{
  g_auto (TallOrderKey) key = { 0 };
  guint region = 0;
  tall_order_key_init (&key, self->key_strategy, order->customer_number, find_id (self, order),
                       order->order_number);
  while (
      region < self->splits->len
      && tall_slice_compare (key.whole, tall_slice_array (g_ptr_array_index (self->splits, region)))
             >= 0)
    region++;
  self->counts[region]++;
  self->key_bytes += key.whole.len;
}

static double
find_fullest (Regions *self, const GPtrArray *orders, guint n_regions)
{
  guint most = 0;
  memset (self->counts, 0, n_regions * sizeof *self->counts);
  self->key_bytes = 0;
  for (guint i = 0; i < orders->len; i++)
    count_order (self, g_ptr_array_index (orders, i));
  for (guint i = 0; i < n_regions; i++)
    most = MAX (most, self->counts[i]);
  return (double)most * n_regions / orders->len;
}

/**
 * tall_key_spread_measure:
 * @orders: (element-type TallOrder): at least one, in the order in which they came
 * @n_regions: 2 or more, which are made as `init --regions` makes them; where the numbers do not
 *   give so many, all orders are in one
 */
void
tall_key_spread_measure (TallKeySpread *self,
                         const TallKeyStrategy *key_strategy,
                         GPtrArray *orders,
                         guint n_regions)
{
  g_autofree const char **sample = tall_bench_list_customers (orders);
  g_autoptr (GPtrArray) splits =
      tall_key_strategy_make_splits (key_strategy, n_regions, sample, NULL);
  if (splits == NULL)
    splits = g_ptr_array_new ();
  g_autoptr (GPtrArray) newest = find_newest (orders);
  g_autoptr (GHashTable) ids = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  g_autofree guint *counts = g_new (guint, n_regions);
  Regions regions = { key_strategy, splits, ids, counts, 0 };
  self->all = find_fullest (&regions, orders, n_regions);
  self->key_bytes = (double)regions.key_bytes / orders->len;
  self->newest = find_fullest (&regions, newest, n_regions);
}

/* HBase's cell (KeyValue): lengths of key and value, 8; of the row, 2; of the family, 1; timestamp
 * and type, 9. */
#define FIXED_BYTES 20
/* With FAST_DIFF: flags, the common prefix, and the lengths where they differ from those before. */
#define ENCODED_BYTES 4
#define BLOCK_BYTES 65536

/* A table's rows, as blocks of a file. */
typedef struct
{
  const char *table;
  GByteArray *block; /* encoded; owned */
  GByteArray *last;  /* the key of the cell before; owned */
  GBytes *value;     /* and its value; owned, nullable */
} Pile;

static void
pile_free (gpointer data)
{
  Pile *self = data;
  g_byte_array_unref (self->block);
  g_byte_array_unref (self->last);
  g_clear_pointer (&self->value, g_bytes_unref);
  g_free (self);
}

static Pile *
find_pile (GPtrArray *piles, const char *table)
{
  for (guint i = 0; i < piles->len; i++)
    if (g_str_equal (((Pile *)g_ptr_array_index (piles, i))->table, table))
      return g_ptr_array_index (piles, i);
  Pile *pile = g_new0 (Pile, 1);
  pile->table = g_intern_string (table);
  pile->block = g_byte_array_new ();
  pile->last = g_byte_array_new ();
  g_ptr_array_add (piles, pile);
  return pile;
}

/* The size of the block after GZ. Returns 0 with @error set if it cannot be packed. */
static gsize
pack (const GByteArray *block, GError **error)
{
  g_autoptr (GZlibCompressor) gz = g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB, -1);
  gsize room = block->len + block->len / 100 + 1024;
  g_autofree guint8 *out = g_malloc (room);
  gsize n_read, n_written;
  if (g_converter_convert (G_CONVERTER (gz), block->data, block->len, out, room,
                           G_CONVERTER_INPUT_AT_END, &n_read, &n_written, error)
      != G_CONVERTER_FINISHED)
    return 0;
  return n_written;
}

static gboolean
end_block (Pile *pile, TallShape *shape, GError **error)
{
  if (pile->block->len == 0)
    return TRUE;
  gsize packed = pack (pile->block, error);
  shape->packed += (double)packed;
  shape->encoded += pile->block->len;
  g_byte_array_set_size (pile->block, 0);
  g_byte_array_set_size (pile->last, 0);
  g_clear_pointer (&pile->value, g_bytes_unref);
  return packed > 0;
}

static guint
count_common (const GByteArray *a, const GByteArray *b)
{
  guint n = 0;
  while (n < a->len && n < b->len && a->data[n] == b->data[n])
    n++;
  return n;
}

/* Adds a cell to the block: of its key what is not that of the cell before. */
static void
add_cell (Pile *pile, TallSlice row, const TallCell *cell, TallShape *shape)
{
  static const guint8 lengths[ENCODED_BYTES] = { 0 };
  g_autoptr (GByteArray) key = g_byte_array_new ();
  g_autoptr (GBytes) value = g_bytes_new (cell->value.data, cell->value.len);
  tall_bytes_append (key, row);
  tall_bytes_append (key, tall_slice_str (TALL_FAMILY));
  tall_bytes_append (key, cell->qualifier);
  shape->cells++;
  shape->key_bytes += FIXED_BYTES + key->len;
  shape->bytes += (double)(FIXED_BYTES + key->len + cell->value.len);

  guint common = count_common (pile->last, key);
  g_byte_array_append (pile->block, lengths, sizeof lengths);
  g_byte_array_append (pile->block, key->data + common, key->len - common);
  if (pile->value == NULL || !g_bytes_equal (pile->value, value))
    tall_bytes_append (pile->block, cell->value);
  g_byte_array_set_size (pile->last, 0);
  g_byte_array_append (pile->last, key->data, key->len);
  g_clear_pointer (&pile->value, g_bytes_unref);
  pile->value = g_steal_pointer (&value);
}

static gboolean
add_row (GPtrArray *piles, const TallExplainedRow *row, TallShape *shape, GError **error)
{
  Pile *pile = find_pile (piles, row->table);
  gsize largest = 0;
  shape->rows++;
  for (guint i = 0; i < row->row->n_cells; i++)
    {
      const TallCell *cell = &row->row->cells[i];
      add_cell (pile, row->row->key, cell, shape);
      largest += FIXED_BYTES + row->row->key.len + cell->qualifier.len + cell->value.len;
    }
  shape->largest_row = MAX (shape->largest_row, largest);
  return pile->block->len < BLOCK_BYTES || end_block (pile, shape, error);
}

static gboolean
add_order (TallShape *self,
           const TallLayout *layout,
           const TallKeyStrategy *key_strategy,
           TallOrder *order,
           GPtrArray *piles,
           GError **error)
{
  g_autoptr (TallExplanation) rows =
      tall_explain_trial (layout, key_strategy, "date", order, error);
  if (rows == NULL)
    return FALSE;
  self->get_calls += (double)rows->get.calls;
  self->put_calls += (double)rows->put.calls;
  for (guint i = 0; i < rows->rows->len; i++)
    if (!add_row (piles, g_ptr_array_index (rows->rows, i), self, error))
      return FALSE;
  return TRUE;
}

static void
divide (TallShape *self, guint n)
{
  double *const sums[] = { &self->rows,  &self->cells,     &self->get_calls, &self->put_calls,
                           &self->bytes, &self->key_bytes, &self->encoded,   &self->packed };
  for (guint i = 0; i < G_N_ELEMENTS (sums); i++)
    *sums[i] /= n;
}

/**
 * tall_shape_measure:
 * @self: (out caller-allocates)
 * @orders: (element-type TallOrder): at least one; put in order by this
 *
 * Stores each order in memory and looks at its rows, without that of the index.
 */
gboolean
tall_shape_measure (TallShape *self,
                    const TallLayout *layout,
                    const TallKeyStrategy *key_strategy,
                    GPtrArray *orders,
                    GError **error)
{
  g_autoptr (GPtrArray) piles = g_ptr_array_new_with_free_func (pile_free);
  *self = (TallShape){ .n_orders = orders->len };
  for (guint i = 0; i < orders->len; i++)
    if (!add_order (self, layout, key_strategy, g_ptr_array_index (orders, i), piles, error))
      return FALSE;
  for (guint i = 0; i < piles->len; i++)
    if (!end_block (g_ptr_array_index (piles, i), self, error))
      return FALSE;
  self->n_tables = piles->len;
  divide (self, orders->len);
  return TRUE;
}
