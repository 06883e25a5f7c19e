/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "raw-rows.h"

#include "table/rocksdb/engine.h"
#include "table/rocksdb/database.h"

#define BATCH 100 /* rows */
#define LIST_TIME ((gint64)30 * G_USEC_PER_SEC)

/* The rows of one table: lengths of key and value, then the bytes of both, for each. */
typedef struct
{
  char *name;
  GArray *lens; /* of gsize */
  GByteArray *bytes;
} Rows;

struct _TallRawRows
{
  GPtrArray *tables; /* of Rows */
};

static void
rows_free (gpointer data)
{
  Rows *self = data;
  g_free (self->name);
  g_array_unref (self->lens);
  g_byte_array_unref (self->bytes);
  g_free (self);
}

void
tall_raw_rows_free (TallRawRows *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->tables);
  g_free (self);
}

static void
append (Rows *self, const char *bytes, gsize len)
{
  g_array_append_val (self->lens, len);
  g_byte_array_append (self->bytes, (const guint8 *)bytes, (guint)len);
}

static gboolean
read_table (TallTable *table, Rows *rows, GError **error)
{
  TallRocksdbTable *rocksdb = TALL_ROCKSDB_TABLE (table);
  g_autoptr (TallRocksdbFamily) family =
      tall_rocksdb_table_find_family (rocksdb, rows->name, error);
  if (family == NULL)
    return FALSE;
  g_autoptr (rocksdb_readoptions_t) options = rocksdb_readoptions_create ();
  rocksdb_iterator_t *iterator =
      rocksdb_create_iterator_cf (tall_rocksdb_table_get_handle (rocksdb), options, family->handle);
  char *message = NULL;
  for (rocksdb_iter_seek_to_first (iterator); rocksdb_iter_valid (iterator);
       rocksdb_iter_next (iterator))
    {
      size_t len;
      const char *key = rocksdb_iter_key (iterator, &len);
      append (rows, key, len);
      const char *value = rocksdb_iter_value (iterator, &len);
      append (rows, value, len);
    }
  rocksdb_iter_get_error (iterator, &message);
  rocksdb_iter_destroy (iterator);
  return tall_rocksdb_take_error (message, "Reading all rows", error);
}

/**
 * tall_raw_rows_read:
 * @table: an embedded store
 */
TallRawRows *
tall_raw_rows_read (TallTable *table, GError **error)
{
  g_auto (GStrv) names = tall_table_list_tables (table, g_get_monotonic_time () + LIST_TIME, error);
  if (names == NULL)
    return NULL;
  g_autoptr (TallRawRows) self = g_new0 (TallRawRows, 1);
  self->tables = g_ptr_array_new_with_free_func (rows_free);
  for (guint i = 0; names[i] != NULL; i++)
    {
      Rows *rows = g_new0 (Rows, 1);
      rows->name = g_strdup (names[i]);
      rows->lens = g_array_new (FALSE, FALSE, sizeof (gsize));
      rows->bytes = g_byte_array_new ();
      g_ptr_array_add (self->tables, rows);
      if (!read_table (table, rows, error))
        return NULL;
    }
  return g_steal_pointer (&self);
}

/* Writes one batch of rows from @first on; @bytes: theirs. Returns: their end; NULL on error */
static const char *
write_batch (const Rows *rows,
             guint first,
             const char *bytes,
             rocksdb_t *db,
             const TallRocksdbFamily *family,
             GError **error)
{
  rocksdb_writebatch_t *batch = rocksdb_writebatch_create ();
  rocksdb_writeoptions_t *options = rocksdb_writeoptions_create ();
  char *message = NULL;
  for (guint i = first; i < MIN (first + 2 * BATCH, rows->lens->len); i += 2)
    {
      gsize key_len = g_array_index (rows->lens, gsize, i);
      gsize value_len = g_array_index (rows->lens, gsize, i + 1);
      rocksdb_writebatch_put_cf (batch, family->handle, bytes, key_len, bytes + key_len, value_len);
      bytes += key_len + value_len;
    }
  rocksdb_write (db, options, batch, &message);
  rocksdb_writeoptions_destroy (options);
  rocksdb_writebatch_destroy (batch);
  return tall_rocksdb_take_error (message, "Writing rows", error) ? bytes : NULL;
}

static gboolean
write_table (const Rows *rows, TallRocksdbTable *table, GError **error)
{
  g_autoptr (TallRocksdbFamily) family = tall_rocksdb_table_find_family (table, rows->name, error);
  const char *bytes = (const char *)rows->bytes->data;
  if (family == NULL)
    return FALSE;
  for (guint i = 0; i < rows->lens->len; i += 2 * BATCH)
    {
      bytes = write_batch (rows, i, bytes, tall_rocksdb_table_get_handle (table), family, error);
      if (bytes == NULL)
        return FALSE;
    }
  return TRUE;
}

/**
 * tall_raw_rows_write:
 * @table: an embedded store that has the same tables
 *
 * Writes the rows, 100 at once, and syncs at the end.
 */
gboolean
tall_raw_rows_write (const TallRawRows *self, TallTable *table, GError **error)
{
  char *message = NULL;
  for (guint i = 0; i < self->tables->len; i++)
    if (!write_table (g_ptr_array_index (self->tables, i), TALL_ROCKSDB_TABLE (table), error))
      return FALSE;
  rocksdb_flush_wal (tall_rocksdb_table_get_handle (TALL_ROCKSDB_TABLE (table)), 1, &message);
  return tall_rocksdb_take_error (message, "Syncing rows", error);
}
