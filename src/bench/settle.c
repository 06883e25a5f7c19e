/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/settle.h"

#include "table/rocksdb/database.h"
#include "table/rocksdb/engine.h"
#include "table/rocksdb/table.h"
#include "base/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <linux/magic.h>
#include <rocksdb/c.h>
#include <signal.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

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

/* Closes the deployment and leaves it, for it to be opened again in another way. */
static void
let_go (TallBenchStore *self)
{
  g_clear_object (&self->front);
  g_clear_object (&self->table);
  g_clear_object (&self->inner);
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
  let_go (store);
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

#define GRACE 5 /* seconds to clean up, after which it is killed */

/* One that is under way. */
typedef struct
{
  TallBenchProgram *program;
  GSubprocess *process;  /* owned */
  GCancellable *waiting; /* owned: ours for its output, which what it has begun may keep open */
  gboolean late;
  gboolean ended;
  GError *error; /* owned; NULL: none */
} Running;

static void
running_clear (Running *self)
{
  g_clear_object (&self->process);
  g_clear_object (&self->waiting);
  g_clear_error (&self->error);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Running, running_clear)

void
tall_bench_program_clear (TallBenchProgram *self)
{
  g_clear_pointer (&self->out, g_free);
  g_clear_pointer (&self->said, g_free);
}

static void
end (GObject *source, GAsyncResult *result, gpointer data)
{
  Running *self = data;
  g_subprocess_communicate_utf8_finish (G_SUBPROCESS (source), result, &self->program->out,
                                        &self->program->said, &self->error);
  self->ended = TRUE;
}

static gboolean
kill_it (gpointer data)
{
  Running *self = data;
  g_subprocess_force_exit (self->process);
  g_cancellable_cancel (self->waiting);
  return G_SOURCE_REMOVE;
}

static void
call_after (guint seconds, GSourceFunc function, Running *self)
{
  g_autoptr (GSource) source = g_timeout_source_new_seconds (seconds);
  g_source_set_callback (source, function, self, NULL);
  g_source_attach (source, g_main_context_get_thread_default ());
}

static gboolean
ask_to_end (gpointer data)
{
  Running *self = data;
  self->late = TRUE;
  g_subprocess_send_signal (self->process, SIGTERM);
  call_after (GRACE, kill_it, self);
  return G_SOURCE_REMOVE;
}

static void
communicate (Running *self, GMainContext *context)
{
  g_main_context_push_thread_default (context);
  g_subprocess_communicate_utf8_async (self->process, self->program->input, self->waiting, end,
                                       self);
  call_after (self->program->seconds, ask_to_end, self);
  while (!self->ended)
    g_main_context_iteration (context, TRUE);
  g_main_context_pop_thread_default (context);
}

/**
 * tall_bench_program_run:
 *
 * Runs a program to its end.
 *
 * Returns: FALSE with %TALL_ERROR_UNAVAILABLE if it has not ended in time, and was ended; or if it
 *   cannot be run
 */
gboolean
tall_bench_program_run (TallBenchProgram *self, GError **error)
{
  g_autoptr (GMainContext) context = g_main_context_new ();
  const GSubprocessFlags flags =
      (self->input != NULL ? G_SUBPROCESS_FLAGS_STDIN_PIPE : G_SUBPROCESS_FLAGS_NONE)
      | G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE;
  g_auto (Running) running = { .program = self, .waiting = g_cancellable_new () };
  running.process = g_subprocess_newv (self->arguments, flags, error);
  if (running.process == NULL)
    return FALSE;
  communicate (&running, context);
  if (!running.late && running.error == NULL)
    {
      self->successful = g_subprocess_get_successful (running.process);
      return TRUE;
    }
  if (running.late)
    g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "%s has not ended within %u s",
                 self->arguments[0], self->seconds);
  else
    g_propagate_error (error, g_steal_pointer (&running.error));
  return FALSE;
}

#define LIST_TIME (30 * G_USEC_PER_SEC)
#define ADMIN_TIME 3600 /* seconds for all tables of a deployment */
#define FORCE 2         /* RocksDB's kForce: the lowest level, too */

const char *const tall_bench_rest_names[] = { "as-it-is", "flushed", "compacted", NULL };

static gboolean
flush (rocksdb_t *db, const TallRocksdbFamily *family, GError **error)
{
  char *message = NULL;
  rocksdb_flushoptions_t *options = rocksdb_flushoptions_create ();
  rocksdb_flushoptions_set_wait (options, 1);
  rocksdb_flush_cf (db, options, family->handle, &message);
  rocksdb_flushoptions_destroy (options);
  return tall_rocksdb_take_error (message, "Moving the rows to files", error);
}

static void
compact (rocksdb_t *db, const TallRocksdbFamily *family)
{
  rocksdb_compactoptions_t *options = rocksdb_compactoptions_create ();
  rocksdb_compactoptions_set_bottommost_level_compaction (options, FORCE);
  rocksdb_compact_range_cf_opt (db, family->handle, options, NULL, 0, NULL, 0);
  rocksdb_compactoptions_destroy (options);
}

/**
 * tall_bench_settle_one:
 * @table: embedded
 * @name: of one of its tables
 * @bytes: (out): what its files have then
 *
 * Moves the rows of a table from the write buffer into sorted files, where most rows of a store in
 * use are, and has these compacted if asked to.
 */
gboolean
tall_bench_settle_one (
    TallTable *table, const char *name, TallBenchRest rest, guint64 *bytes, GError **error)
{
  rocksdb_t *db = tall_rocksdb_table_get_handle (TALL_ROCKSDB_TABLE (table));
  g_autoptr (TallRocksdbFamily) family =
      tall_rocksdb_table_find_family (TALL_ROCKSDB_TABLE (table), name, error);
  uint64_t size = 0;
  if (family == NULL || !flush (db, family, error))
    return FALSE;
  if (rest == TALL_BENCH_COMPACTED)
    compact (db, family);
  if (rocksdb_property_int_cf (db, family->handle, "rocksdb.live-sst-files-size", &size) != 0)
    return tall_error_fail (error, TALL_ERROR_INTERNAL,
                            "RocksDB does not say how large the files of table %s are", name);
  *bytes = size;
  return TRUE;
}

/* What the command has printed: a line `TABLE BYTES` for each table. */
static gboolean
add_up (const char *text, guint n_tables, guint64 *bytes)
{
  guint n = 0;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  *bytes = 0;
  for (guint i = 0; lines[i] != NULL; i++)
    {
      guint64 size;
      const char *space = strrchr (lines[i], ' ');
      if (*lines[i] == '\0')
        continue;
      if (space == NULL || !g_ascii_string_to_unsigned (space + 1, 10, 0, G_MAXINT64, &size, NULL))
        return FALSE;
      *bytes += size;
      n++;
    }
  return n == n_tables;
}

/* The command, what it has to do, and the tables as HBase calls them. NULL: it is not a command. */
static GStrv
make_call (TallTable *table, GStrv names, const char *admin, TallBenchRest rest, GError **error)
{
  g_auto (GStrv) words = NULL;
  TallTableInfo info;
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  if (!g_shell_parse_argv (admin, NULL, &words, error))
    return NULL;
  tall_table_get_info (table, &info);
  g_strv_builder_addv (builder, (const char **)words);
  g_strv_builder_add (builder, rest == TALL_BENCH_COMPACTED ? "compact" : "flush");
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s.%s", info.deployment, names[i]);
      g_strv_builder_add (builder, name);
    }
  return g_strv_builder_end (builder);
}

static gboolean
ask_admin (TallTable *table,
           GStrv names,
           const char *admin,
           TallBenchRest rest,
           guint64 *bytes,
           GError **error)
{
  g_auto (GStrv) call = make_call (table, names, admin, rest, error);
  g_auto (TallBenchProgram)
      program = { .arguments = (const char *const *)call, .seconds = ADMIN_TIME };
  if (call == NULL || !tall_bench_program_run (&program, error))
    return FALSE;
  if (program.successful && program.out != NULL
      && add_up (program.out, g_strv_length (names), bytes))
    return TRUE;
  return tall_error_fail (
      error, TALL_ERROR_UNAVAILABLE,
      "%s %s: it should print a line TABLE BYTES for each table, and end with 0: %s", admin,
      rest == TALL_BENCH_COMPACTED ? "compact" : "flush",
      program.said != NULL && *program.said != '\0' ? program.said : "it did not");
}

/**
 * tall_bench_settle:
 * @table: of one deployment, not wrapped
 * @admin: (nullable): what settles tables that are not embedded: the beginning of a command.
 * README.md describes it
 * @rest: how the rows are to lie
 * @bytes: (out): what all its tables have then
 */
gboolean
tall_bench_settle (
    TallTable *table, const char *admin, TallBenchRest rest, guint64 *bytes, GError **error)
{
  g_auto (GStrv) names = tall_table_list_tables (table, g_get_monotonic_time () + LIST_TIME, error);
  *bytes = 0;
  if (names == NULL || !TALL_IS_ROCKSDB_TABLE (table))
    return names != NULL && ask_admin (table, names, admin, rest, bytes, error);
  for (guint i = 0; names[i] != NULL; i++)
    {
      guint64 size = 0;
      if (!tall_bench_settle_one (table, names[i], rest, &size, error))
        return FALSE;
      *bytes += size;
    }
  return TRUE;
}
