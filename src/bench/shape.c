/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/shape.h"

#include <gio/gio.h>

#include "tall-error.h"
#include "bench/explain.h"

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
  g_autoptr (TallExplanation) rows = tall_explain_trial (layout, key_strategy, order, error);
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
