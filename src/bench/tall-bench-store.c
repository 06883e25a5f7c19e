/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-bench-store.h"

#include <errno.h>
#include <glib/gstdio.h>

#include "tall-error.h"
#include "tall-rocksdb-table.h"

#define CLOSE_TIME (60 * G_USEC_PER_SEC)

/**
 * tall_bench_store_open_in:
 * @table: (transfer none): a name without a deployment, where one is created
 *
 * Opens a store of hashed keys and without an index. Close it in any case.
 */
gboolean
tall_bench_store_open_in (TallBenchStore *self,
                          TallTable *table,
                          const TallLayout *layout,
                          GError **error)
{
  /* The floors write an order's own rows, so we keep no index by date either. */
  TallStoreSettings settings = {
    .layout = layout,
    .key_strategy = &tall_key_hashed,
    .index = TALL_INDEX_NONE,
  };
  g_set_object (&self->table, table);
  self->layout = layout;
  if (!tall_store_create (table, &settings, error))
    return FALSE;
  self->front = (TallFront *)tall_store_open (table, NULL, NULL, NULL, error);
  return self->front != NULL;
}

/**
 * tall_bench_store_open_embedded:
 * @parent: (nullable): where its directory is made; NULL: where temporary files go
 *
 * The same in a new embedded store.
 */
gboolean
tall_bench_store_open_embedded (TallBenchStore *self,
                                const char *parent,
                                const TallLayout *layout,
                                gboolean sync,
                                GError **error)
{
  TallRocksdbOptions options = TALL_ROCKSDB_OPTIONS_INIT;
  char *directory =
      g_build_filename (parent != NULL ? parent : g_get_tmp_dir (), "tallorder-bench-XXXXXX", NULL);
  if (g_mkdtemp (directory) == NULL)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
                   "Making a directory for a temporary store (%s): %s", directory,
                   g_strerror (errno));
      g_free (directory);
      return FALSE;
    }

  self->directory = directory;
  options.directory = directory;
  options.sync = sync;
  g_autoptr (TallTable) table = tall_rocksdb_table_open (&options, error);
  return table != NULL && tall_bench_store_open_in (self, table, layout, error);
}

/* Links are removed, not followed. */
static void
remove_directory (const char *directory)
{
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (directory, name, NULL);
      if (g_file_test (path, G_FILE_TEST_IS_DIR) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
        remove_directory (path);
      else
        g_unlink (path);
    }
  g_rmdir (directory);
}

static void
drop_tables (TallTable *table)
{
  gint64 deadline = g_get_monotonic_time () + CLOSE_TIME;
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) names = tall_table_list_tables (table, deadline, &error);
  for (guint i = 0; names != NULL && names[i] != NULL && error == NULL; i++)
    if (!tall_table_drop_table (table, names[i], deadline, &error))
      break;
  if (error != NULL)
    g_message ("A temporary deployment could not be removed: %s", error->message);
}

void
tall_bench_store_close (TallBenchStore *self)
{
  g_clear_object (&self->front);
  if (self->table != NULL && self->directory == NULL)
    drop_tables (self->table);
  g_clear_object (&self->table);
  if (self->directory != NULL)
    remove_directory (self->directory);
  g_clear_pointer (&self->directory, g_free);
}

/**
 * tall_bench_check_same:
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED if what was fetched is not what was stored
 */
gboolean
tall_bench_check_same (const TallOrder *expected, const TallOrder *found, GError **error)
{
  if (tall_order_equal (expected, found))
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
               "Order %s of %s came back other than it was stored: a defect of this version",
               expected->order_number, expected->customer_number);
  return FALSE;
}

/**
 * tall_bench_store_check_order:
 *
 * Fetches an order, and compares.
 */
gboolean
tall_bench_store_check_order (const TallBenchStore *self, const TallOrder *expected, GError **error)
{
  g_autoptr (TallOrder) found = tall_front_get_order (self->front, expected->customer_number,
                                                      expected->order_number, NULL, error);
  return found != NULL && tall_bench_check_same (expected, found, error);
}

/**
 * tall_bench_store_make_root_row:
 *
 * Returns: (transfer full): the key of an order's root row
 */
GByteArray *
tall_bench_store_make_root_row (const TallBenchStore *self, const TallOrder *order)
{
  GByteArray *row = g_byte_array_new ();
  g_auto (TallOrderKey) key = { 0 };
  tall_order_key_init (&key, &tall_key_hashed, order->customer_number, 0, order->order_number);
  self->layout->locate_order (&key, row);
  return row;
}
