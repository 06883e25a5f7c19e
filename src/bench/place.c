/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/place.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "tall-error.h"
#include "table/rocksdb/table.h"

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
    return tall_bench_store_open_directory (store, address, settings, error);
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
  tall_bench_store_let_go (store);
  options.directory = address->place;
  options.sync = tall_table_address_get_choice (address, "sync");
  options.cache_bytes = MAX (cache_bytes, 1);
  options.direct_reads = TRUE;
  options.must_exist = TRUE;
  g_autoptr (TallTable) table = tall_rocksdb_table_open (&options, error);
  return table != NULL && tall_bench_store_open_again (store, table, error);
}

static gboolean
set_unsupported (GError **error, const char *text)
{
  g_set_error_literal (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED, text);
  return FALSE;
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
    return set_unsupported (error, "name= of --store begins names of directories in it: it cannot "
                                   "have a slash");
  if (kind->is_embedded && conditions->regions > 1)
    return set_unsupported (error, "--regions is for HBase: an embedded store has no regions");
  if (kind->is_embedded && conditions->admin != NULL)
    return set_unsupported (error, "--admin is for stores that are not embedded");
  if (!kind->is_embedded && conditions->cache > 0)
    return set_unsupported (error,
                            "--cache is for embedded stores: HBase's block cache is a setting of "
                            "its servers, hfile.block.cache.size");
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
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
               "Making the directory %s to measure in: %s", directory, g_strerror (errno));
  return FALSE;
}
