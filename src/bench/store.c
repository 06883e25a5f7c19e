/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/store.h"

#include "store/record/deployment.h"
#include "base/fail.h"
#include "table/rocksdb/table.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

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

/* The same in a directory that does not exist yet. */
static gboolean
open_directory (TallBenchStore *self,
                const TallTableAddress *address,
                const TallStoreSettings *settings,
                GError **error)
{
  if (g_mkdir (address->place, 0777) != 0)
    return tall_error_fail (error, errno == EEXIST ? TALL_ERROR_CONFLICT : TALL_ERROR_UNAVAILABLE,
                            "Making a directory for a temporary store (%s): %s", address->place,
                            errno == EEXIST
                                ? "it exists already, and is left as it is: remove it if a "
                                  "measurement that was killed has left it, or measure elsewhere"
                                : g_strerror (errno));
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

/* Of one of the deployments. */
static TallTableAddress *
make_address (const TallBenchPlace *self, const TallStoreSettings *settings)
{
  TallTableAddress *address = tall_table_address_copy (self->address);
  const char *begin = address->name != NULL ? address->name : "tallorder";
  g_autofree char *name = g_strdup_printf ("%s-bench-%s-%s", begin, settings->layout->name,
                                           settings->key_strategy->name);
  if (address->kind->is_embedded)
    {
      g_autofree char *directory = g_build_filename (address->place, name, NULL);
      tall_table_address_set_place (address, directory);
      tall_table_address_set_name (address, NULL);
    }
  else
    tall_table_address_set_name (address, name);
  return address;
}

/**
 * tall_bench_place_describe_kept:
 *
 * Appends a line that says where a deployment is.
 */
void
tall_bench_place_describe_kept (const TallBenchPlace *self,
                                const TallStoreSettings *settings,
                                GString *text)
{
  g_autoptr (TallTableAddress) address = make_address (self, settings);
  if (address->kind->is_embedded)
    g_string_append_printf (text, "Kept: %s%s\n", address->kind->scheme, address->place);
  else
    g_string_append_printf (text, "Kept: the deployment name=%s\n", address->name);
}

/**
 * tall_bench_place_open:
 * @store: (out caller-allocates): zero before; to be closed in any case
 *
 * Makes a deployment and opens it, so that what goes through its tables is counted.
 */
gboolean
tall_bench_place_open (const TallBenchPlace *self,
                       const TallStoreSettings *settings,
                       TallBenchStore *store,
                       GError **error)
{
  g_autoptr (TallTableAddress) address = make_address (self, settings);
  store->count = TRUE;
  store->keep = self->keep;
  if (address->kind->is_embedded)
    return open_directory (store, address, settings, error);
  g_autoptr (TallTable) table = tall_table_address_open (address, FALSE, error);
  return table != NULL && tall_bench_store_open_in (store, table, settings, error);
}

/**
 * tall_bench_place_open_cold:
 * @store: (inout): open and embedded, with its rows in files
 *
 * Opens a deployment again, with nothing in the block cache, and so that each block which is not
 * there is read from the disk, past the page cache.
 */
gboolean
tall_bench_place_open_cold (const TallBenchPlace *self,
                            const TallStoreSettings *settings,
                            gsize cache_bytes,
                            TallBenchStore *store,
                            GError **error)
{
  g_autoptr (TallTableAddress) address = make_address (self, settings);
  TallRocksdbOptions options = TALL_ROCKSDB_OPTIONS_INIT;
  g_clear_object (&store->front);
  g_clear_object (&store->table);
  g_clear_object (&store->inner);
  options.directory = address->place;
  options.sync = tall_table_address_get_choice (address, "sync");
  options.cache_bytes = MAX (cache_bytes, 1);
  options.direct_reads = TRUE;
  options.must_exist = TRUE;
  g_autoptr (TallTable) table = tall_rocksdb_table_open (&options, error);
  if (table == NULL)
    return FALSE;
  wrap (store, table);
  return open_front (store, error);
}

static gboolean
set_unsupported (GError **error, const char *text)
{
  return tall_error_fail (error, TALL_ERROR_UNSUPPORTED, "%s", text);
}

/* Newer kernels take direct reads of files in memory, and read memory. */
static gboolean
is_in_memory (const char *directory)
{
  struct statfs about;
  return statfs (directory, &about) == 0
         && ((guint64)about.f_type == TMPFS_MAGIC || (guint64)about.f_type == RAMFS_MAGIC);
}

/* By a file without a name. */
static gboolean
has_direct_reads (const char *directory)
{
#if defined(O_DIRECT) && defined(O_TMPFILE)
  int file = open (directory, O_TMPFILE | O_RDWR | O_DIRECT, 0600);
  if (file >= 0)
    close (file);
  return file >= 0 || (errno != EINVAL && errno != EOPNOTSUPP);
#else
  return FALSE;
#endif
}

/**
 * tall_bench_place_check:
 *
 * Returns: FALSE with %TALL_ERROR_UNSUPPORTED if this store cannot be measured under these
 *   conditions: what can be known before hours of measuring. The directory is there
 */
gboolean
tall_bench_place_check (const TallBenchPlace *self,
                        const TallBenchConditions *conditions,
                        GError **error)
{
  const TallTableKind *kind = self->address->kind;
  TallTableSpec spec = { .compression = (char *)conditions->compression,
                         .block_encoding = (char *)conditions->block_encoding };
  if (!kind->check_spec (&spec, error))
    return FALSE;
  if (kind->is_embedded && self->address->name != NULL && strchr (self->address->name, '/') != NULL)
    return set_unsupported (
        error, "name= of --store begins names of directories in it: it cannot have a slash");
  if (kind->is_embedded && conditions->regions > 1)
    return set_unsupported (error, "--regions is for HBase: an embedded store has no regions");
  if (kind->is_embedded && conditions->admin != NULL)
    return set_unsupported (error, "--admin is for stores that are not embedded");
  if (!kind->is_embedded && conditions->cache > 0)
    return set_unsupported (error, "--cache is for embedded stores: HBase's block cache is a "
                                   "setting of its servers, hfile.block.cache.size");
  if (!kind->is_embedded && conditions->rest != TALL_BENCH_AS_IT_IS && conditions->admin == NULL)
    return set_unsupported (error, "--rest: no gateway flushes or compacts tables: give --admin");
  if (conditions->cache == 0
      || (!is_in_memory (self->address->place) && has_direct_reads (self->address->place)))
    return TRUE;
  return set_unsupported (error, "--cache reads past the page cache, which the file system of "
                                 "--store cannot do: choose a directory on a disk");
}

/**
 * tall_bench_place_make:
 * @made: (out): the directory of an embedded store was not there
 */
gboolean
tall_bench_place_make (const TallBenchPlace *self, gboolean *made, GError **error)
{
  const char *directory = self->address->place;
  *made = FALSE;
  if (!self->address->kind->is_embedded)
    return TRUE;
  *made = g_mkdir (directory, 0777) == 0;
  if (*made || errno == EEXIST)
    return TRUE;
  return tall_error_fail (error, TALL_ERROR_UNAVAILABLE,
                          "Making the directory %s to measure in: %s", directory,
                          g_strerror (errno));
}
