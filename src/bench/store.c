/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/store.h"

#include <errno.h>
#include <glib/gstdio.h>

#include "store/record/deployment.h"
#include "base/fail.h"
#include "table/rocksdb/table.h"

#define LIST_TIME (30 * G_USEC_PER_SEC)
#define CLOSE_TIME (60 * G_USEC_PER_SEC)

/* Makes sure that nothing is dropped that existed before. */
static gboolean
check_nothing_there (TallTable *table, GError **error)
{
  TallTableInfo info;
  g_auto (GStrv) names = tall_table_list_tables (table, g_get_monotonic_time () + LIST_TIME, error);
  if (names == NULL)
    return FALSE;
  if (names[0] == NULL)
    return TRUE;
  tall_table_get_info (table, &info);
  return tall_error_fail (
      error, TALL_ERROR_CONFLICT,
      "The deployment %s exists already, and is left as it is: drop its tables if a "
      "measurement that was killed has left them, or measure under another name=",
      info.deployment);
}

/* Making a deployment has failed. It may exist nevertheless as ours, or there are only tables, or
 * another process has made one since the check: the record says which. */
static gboolean
is_ours_or_none (TallTable *table, const char *id)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallDeployment) there =
      tall_deployment_read (table, g_get_monotonic_time () + LIST_TIME, &error);
  if (there != NULL)
    return g_str_equal (there->id, id);
  if (g_error_matches (error, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    return TRUE;
  g_message ("A temporary deployment may be left: %s", error->message);
  return FALSE;
}

/* @error is set if it fails; @made, also then, if closing has to remove it. */
static gboolean
create (TallTable *table, TallStoreSettings settings, gboolean *made, GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autofree char *id = g_uuid_string_random ();
  settings.id = id;
  *made = tall_store_create (table, &settings, &local);
  if (*made)
    return TRUE;
  *made = !g_error_matches (local, TALL_ERROR, TALL_ERROR_CONFLICT) && is_ours_or_none (table, id);
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

static void
wrap (TallBenchStore *self, TallTable *table)
{
  self->inner = g_object_ref (table);
  self->table = self->count ? tall_counting_table_new (table) : g_object_ref (table);
}

static gboolean
open_front (TallBenchStore *self, GError **error)
{
  self->front = (TallFront *)tall_store_open (self->table, NULL, NULL, NULL, error);
  return self->front != NULL;
}

/**
 * tall_bench_store_open_in:
 * @table: (transfer none): tables of a name under which there is no deployment
 *
 * Creates a deployment there and opens it. Close it in any case.
 *
 * Returns: FALSE with %TALL_ERROR_CONFLICT if anything is there
 */
gboolean
tall_bench_store_open_in (TallBenchStore *self,
                          TallTable *table,
                          const TallStoreSettings *settings,
                          GError **error)
{
  self->layout = settings->layout;
  wrap (self, table);
  return check_nothing_there (table, error) && create (table, *settings, &self->made, error)
         && open_front (self, error);
}

/**
 * tall_bench_store_open_again:
 * @table: (transfer none): the tables of the deployment that was let go
 */
gboolean
tall_bench_store_open_again (TallBenchStore *self, TallTable *table, GError **error)
{
  wrap (self, table);
  return open_front (self, error);
}

static gboolean
set_directory_error (const char *directory, int number, GError **error)
{
  return tall_error_fail (error, number == EEXIST ? TALL_ERROR_CONFLICT : TALL_ERROR_UNAVAILABLE,
                          "Making a directory for a temporary store (%s): %s", directory,
                          number == EEXIST
                              ? "it exists already, and is left as it is: remove it if a "
                                "measurement that was killed has left it, or measure elsewhere"
                              : g_strerror (number));
}

/**
 * tall_bench_store_open_temporary:
 * @parent: (nullable): where its directory is made; NULL: where temporary files go
 *
 * The same in a new embedded store.
 */
gboolean
tall_bench_store_open_temporary (TallBenchStore *self,
                                 const char *parent,
                                 const TallStoreSettings *settings,
                                 gboolean sync,
                                 GError **error)
{
  g_autofree char *directory =
      g_build_filename (parent != NULL ? parent : g_get_tmp_dir (), "tallorder-bench-XXXXXX", NULL);
  if (g_mkdtemp (directory) == NULL)
    return set_directory_error (directory, errno, error);
  self->directory = g_steal_pointer (&directory);
  TallRocksdbOptions options = TALL_ROCKSDB_OPTIONS_INIT;
  options.directory = self->directory;
  options.sync = sync;
  g_autoptr (TallTable) table = tall_rocksdb_table_open (&options, error);
  return table != NULL && tall_bench_store_open_in (self, table, settings, error);
}

/**
 * tall_bench_store_open_directory:
 * @address: of an embedded store in a directory that does not exist yet
 *
 * The same there.
 */
gboolean
tall_bench_store_open_directory (TallBenchStore *self,
                                 const TallTableAddress *address,
                                 const TallStoreSettings *settings,
                                 GError **error)
{
  if (g_mkdir (address->place, 0777) != 0)
    return set_directory_error (address->place, errno, error);
  self->directory = g_strdup (address->place);
  g_autoptr (TallTable) table = tall_table_address_open (address, TRUE, error);
  return table != NULL && tall_bench_store_open_in (self, table, settings, error);
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
  if (self->made && !self->keep && self->directory == NULL)
    drop_tables (self->table);
  g_clear_object (&self->table);
  g_clear_object (&self->inner);
  if (self->directory != NULL && !self->keep)
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
  return tall_error_fail (
      error, TALL_ERROR_DAMAGED,
      "Order %s of %s came back other than it was stored: a defect of this version",
      expected->order_number, expected->customer_number);
}
