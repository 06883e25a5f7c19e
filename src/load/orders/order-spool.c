/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/order-spool.h"

/* Bytes of a key after the order: file and line. */
#define TAIL_SIZE (sizeof (guint32) + sizeof (guint64))

struct _TallOrderSpool
{
  const TallLoadFiles *files; /* not owned */
  TallSpool *spool;
  TallSpoolRow codec;
  GByteArray *key;   /* of the row that is put */
  GByteArray *group; /* begin of the keys of the order whose rows are being read */
  guint64 n_rows;    /* that were put … */
  guint64 n_read;    /* … and have been assembled */

  char *spoiled_number; /* of an order that has a row without a customer; NULL: none was read … */
  guint64 spoiled_line; /* … and the line of that row … */
  const char *spoiled_file;
};

/**
 * tall_order_spool_new:
 * @files: whose rows come; stay the caller's
 * @place: where the rows go; its texts stay the caller's
 */
TallOrderSpool *
tall_order_spool_new (const TallLoadFiles *files, const TallSpoolPlace *place)
{
  TallOrderSpool *self = g_new0 (TallOrderSpool, 1);
  self->files = files;
  self->spool = tall_spool_new (place);
  self->key = g_byte_array_new ();
  self->group = g_byte_array_new ();
  tall_spool_row_init (&self->codec);
  return self;
}

void
tall_order_spool_free (TallOrderSpool *self)
{
  if (self == NULL)
    return;
  tall_spool_free (self->spool);
  tall_spool_row_clear (&self->codec);
  g_byte_array_unref (self->key);
  g_byte_array_unref (self->group);
  g_free (self->spoiled_number);
  g_free (self);
}

/* A key is
 *
 *     order number    and a NUL byte
 *     customer number and a NUL byte; nothing if it is not known
 *     u32             file
 *     u64             line
 *
 * so rows of one number and of no known customer come before all others of that number. */
static void
make_key (GByteArray *key, const char *customer, const char *order, const TallCsvRow *row)
{
  tall_bytes_set (key, tall_slice (order, strlen (order) + 1));
  if (customer != NULL)
    tall_bytes_append (key, tall_slice (customer, strlen (customer) + 1));
  else
    tall_bytes_append_u8 (key, 0);
  tall_bytes_append_u32 (key, row->file);
  tall_bytes_append_u64 (key, row->line);
}

/**
 * tall_order_spool_put:
 * @customer: (nullable): NULL if a bad row has no valid one
 * @blame: line of the row for which the order is rejected; 0: none so far
 *
 * Puts a good row aside until its order is complete; or, of a bad row, which is rejected already, a
 * mark, which rejects the order.
 *
 * Returns: FALSE with %TALL_ERROR_UNAVAILABLE if the spool takes no more
 */
gboolean
tall_order_spool_put (TallOrderSpool *self,
                      const char *customer,
                      const char *order,
                      const TallCsvRow *row,
                      guint64 blame,
                      GError **error)
{
  make_key (self->key, customer, order, row);
  char delimiter = tall_load_files_get (self->files, row->file)->mapping->dialect.delimiter;
  self->n_rows += row->reason == NULL;
  return tall_spool_put (self->spool, tall_slice_array (self->key),
                         tall_spool_row_encode (&self->codec, row, blame, delimiter), error);
}

/* The row begins the next order. A row without a customer spoils all orders of its number. */
static void
begin_order (TallOrderSpool *self,
             TallSlice group,
             TallAssembler *assembler,
             const TallMapping *mapping,
             const TallCsvRow *row)
{
  tall_bytes_set (self->group, group);
  const char *order = (const char *)self->group->data;
  const char *customer = order + strlen (order) + 1;
  gboolean known = *customer != '\0';
  tall_assembler_begin (assembler, mapping, known ? customer : NULL, order);
  if (!known)
    {
      g_free (self->spoiled_number);
      self->spoiled_number = g_strdup (order);
      self->spoiled_line = row->line;
      self->spoiled_file = row->file_name;
    }
  else if (g_strcmp0 (self->spoiled_number, order) == 0)
    tall_assembler_fail (assembler, self->spoiled_line, self->spoiled_file);
}

/* The file of the row with this key; NULL: the key is damaged. */
static const TallLoadFile *
find_file (const TallOrderSpool *self, TallSlice key, guint *file)
{
  if (key.len < TAIL_SIZE)
    return NULL;
  TallReader tail = tall_reader (tall_slice (key.data + key.len - TAIL_SIZE, TAIL_SIZE));
  *file = tall_reader_u32 (&tail);
  return *file < tall_load_files_count (self->files) ? tall_load_files_get (self->files, *file)
                                                     : NULL;
}

static gboolean
read_row (
    TallOrderSpool *self, TallSlice key, TallSlice value, TallAssembler *assembler, GError **error)
{
  TallCsvRow row;
  guint64 blame;
  guint i;
  const TallLoadFile *file = find_file (self, key, &i);
  if (file == NULL
      || !tall_spool_row_decode (&self->codec, value, file->mapping->dialect.delimiter, &row,
                                 &blame))
    {
      tall_spool_set_damaged (self->spool, error);
      return FALSE;
    }
  row.file = i;
  row.file_name = file->name;
  TallSlice group = tall_slice (key.data, key.len - TAIL_SIZE);
  if (!tall_slice_equal (group, tall_slice_array (self->group)))
    begin_order (self, group, assembler, file->mapping, &row);
  if (blame != 0)
    tall_assembler_fail (assembler, blame, row.file_name);
  if (row.n_fields > 0)
    {
      tall_assembler_push (assembler, file->mapping, &row);
      self->n_read++;
    }
  return TRUE;
}

/**
 * tall_order_spool_drain:
 * @tick: (nullable): called with @data
 *
 * Assembles all orders.
 *
 * Returns: FALSE with %TALL_ERROR_UNAVAILABLE or %TALL_ERROR_DAMAGED if the spool cannot be read,
 *   or, with what @tick says, if that stops it
 */
gboolean
tall_order_spool_drain (TallOrderSpool *self,
                        TallAssembler *assembler,
                        TallSpoolTick tick,
                        gpointer data,
                        GError **error)
{
  g_autoptr (GError) local = NULL;
  TallSlice key, value;
  while (tall_spool_next (self->spool, &key, &value, &local))
    if ((tick != NULL && !tick (data, error)) || !read_row (self, key, value, assembler, error))
      return FALSE;
  tall_assembler_finish (assembler);
  if (local == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

/* How many rows have been assembled, and how many there are. */
void
tall_order_spool_get_progress (const TallOrderSpool *self, guint64 *done, guint64 *all)
{
  *done = self->n_read;
  *all = self->n_rows;
}
