/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/settle.h"

#include "table/rocksdb/database.h"
#include "table/rocksdb/engine.h"
#include "table/rocksdb/table.h"
#include "base/fail.h"

#include <gio/gio.h>
#include <rocksdb/c.h>
#include <signal.h>
#include <string.h>

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
