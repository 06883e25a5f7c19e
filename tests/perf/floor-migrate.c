/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "floor-load.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "bench/settle.h"
#include "floor-store.h"
#include "tall-error.h"
#include "migrate/migrate.h"
#include "steady.h"
#include "table/rocksdb/database.h"
#include "table/rocksdb/engine.h"
#include "table/rocksdb/table.h"

#include <rocksdb/c.h>

#define LOOK_EVERY (G_USEC_PER_SEC / 10)
#define QUIET 5 /* looks that see nothing: between two compactions is a gap */

static gboolean
is_any (rocksdb_t *db, const char *property)
{
  uint64_t n = 0;
  return rocksdb_property_int (db, property, &n) == 0 && n > 0;
}

static gboolean
is_busy (rocksdb_t *db)
{
  return is_any (db, "rocksdb.num-running-flushes")
         || is_any (db, "rocksdb.num-running-compactions");
}

/* Waits until an embedded store works for nobody. RocksDB flushes and compacts in its own threads,
 * long after the writes that made it do so. @stop: (nullable): ends the wait, too */
static void
wait_until_quiet (TallTable *table, const gint *stop)
{
  if (!TALL_IS_ROCKSDB_TABLE (table))
    return;
  rocksdb_t *db = tall_rocksdb_table_get_handle (TALL_ROCKSDB_TABLE (table));
  guint n_quiet = 0;
  while (n_quiet < QUIET && (stop == NULL || g_atomic_int_get (stop) == 0))
    {
      g_usleep (LOOK_EVERY);
      n_quiet = is_busy (db) ? 0 : n_quiet + 1;
    }
}

#define PAUSE (3600 * (gint64)G_USEC_PER_SEC) /* that it may estimate: it always switches */
#define BESIDE 60                             /* seconds that it copies beside calls, at most */
#define AFTER (G_USEC_PER_SEC / 5)            /* calls that waited end within this time */
#define LOAD_PREFIX "L"                       /* of the orders of the file that is loaded */
#define MEBIBYTE (1024.0 * 1024.0)

/* What one migration is compared with, and what came out. */
typedef struct
{
  TallFloorRun *run;
  const char *folder; /* that has the file */
  const char *prefix; /* of its figures */
  TallBenchStore *store;
  TallSteady *steady; /* borrowed; NULL: nobody calls */
  TallSteadyStage stage;
  double load_seconds;
  double load_peak; /* MiB */
  double copy_seconds;
  double copy_peak;
  gint64 begun;          /* to copy beside calls */
  double beside_seconds; /* of its first pass, while somebody called */
  guint64 n_beside;      /* copied in that time */
} Migration;

/* The most memory that the process had since reset_peak(), MiB; 0: not known. */
static double
read_peak (void)
{
  g_autofree char *status = NULL;
  const char *line;
  if (!g_file_get_contents ("/proc/self/status", &status, NULL, NULL)
      || (line = strstr (status, "VmHWM:")) == NULL)
    return 0;
  return (double)g_ascii_strtoull (line + strlen ("VmHWM:"), NULL, 10) * 1024 / MEBIBYTE;
}

static void
reset_peak (void)
{
  int fd = open ("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return;
  if (write (fd, "5", 1) != 1)
    g_debug ("The peak of memory is that of the whole process");
  close (fd);
}

static double
seconds_since (gint64 begun)
{
  return (double)(g_get_monotonic_time () - begun) / G_USEC_PER_SEC;
}

/* A large store would be copied beside calls for hours: the rest of the first pass is alone. It is
 * as fast as it can be, and RocksDB compacts what it wrote for a while; then calls begin again. */
static TallSteadyStage
choose_stage (const Migration *self, const TallMigrateProgress *progress)
{
  if (progress->stage > TALL_MIGRATE_COPYING)
    return TALL_STEADY_SWITCHING;
  return progress->pass == 1 && seconds_since (self->begun) > BESIDE ? TALL_STEADY_RESTING
                                                                     : TALL_STEADY_COPYING;
}

static void
follow (Migration *self, const TallMigrateProgress *progress)
{
  TallSteadyStage stage = choose_stage (self, progress);
  if (self->stage == TALL_STEADY_RESTING && stage != TALL_STEADY_RESTING)
    wait_until_quiet (self->store->table, self->run->options->stop);
  self->stage = stage;
  tall_steady_enter (self->steady, stage);
  if (progress->pass != 1 || stage != TALL_STEADY_COPYING)
    return;
  self->beside_seconds = seconds_since (self->begun);
  self->n_beside = progress->n_copied;
}

static gboolean
on_progress (const TallMigrateProgress *progress, gpointer data)
{
  Migration *self = data;
  const gint *stop = self->run->options->stop;
  if (self->steady != NULL)
    follow (self, progress);
  return stop == NULL || g_atomic_int_get (stop) == 0;
}

static gboolean
migrate (Migration *self, const TallLayout *to, gboolean pass_only, GError **error)
{
  TallMigrateSummary summary;
  const TallMigrateOptions options = {
    .move = { .layout = to },
    .pause = PAUSE,
    .pass_only = pass_only,
    .on_progress = on_progress,
    .data = self,
  };
  TallMigrateOutcome wanted = pass_only ? TALL_MIGRATE_PASSED : TALL_MIGRATE_SWITCHED;
  if (!tall_migrate_run (self->store->table, &options, &summary, error)
      || !tall_measure_check_stop (self->run->options->stop, error))
    return FALSE;
  if (summary.outcome == wanted)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_INTERNAL, "The migration ended with outcome %d",
               summary.outcome);
  return FALSE;
}

static TallStoreSettings
make_settings (const TallLayout *layout)
{
  return (TallStoreSettings){
    .layout = layout,
    .key_strategy = &tall_key_hashed,
    .index = TALL_INDEX_BY_DATE,
  };
}

static gboolean
load_file (const Migration *self, TallFront *front, GError **error)
{
  TallLoadSummary summary;
  const TallFloorOptions *options = self->run->options;
  return tall_floor_load_file (self->run, self->folder, front, FALSE, &summary, error)
         && tall_floor_load_check ("The load", summary.ends[TALL_LOAD_STORED].lines,
                                   (guint64)options->n_orders * options->n_lines, error);
}

/* Loads the file into a new embedded store. */
static gboolean
load (const Migration *self, TallBenchStore *store, const TallLayout *layout, GError **error)
{
  const TallStoreSettings settings = make_settings (layout);
  return tall_bench_store_open_temporary (store, self->run->directory, &settings, TRUE, error)
         && load_file (self, store->front, error);
}

/* What the copy is compared with. */
static gboolean
time_load (Migration *self, const TallLayout *layout, GError **error)
{
  g_auto (TallBenchStore) store = { 0 };
  reset_peak ();
  gint64 begun = g_get_monotonic_time ();
  if (!load (self, &store, layout, error))
    return FALSE;
  self->load_seconds = seconds_since (begun);
  self->load_peak = read_peak ();
  return TRUE;
}

/* Copies everything, and gives that up. */
static gboolean
time_copy (Migration *self, const TallLayout *to, GError **error)
{
  const TallMigrateOptions options = { 0 };
  reset_peak ();
  gint64 begun = g_get_monotonic_time ();
  if (!migrate (self, to, TRUE, error))
    return FALSE;
  self->copy_seconds = seconds_since (begun);
  self->copy_peak = read_peak ();
  return tall_migrate_abort (self->store->table, &options, error);
}

/* Beside calls at a fixed rate. */
static gboolean
migrate_beside (Migration *self, const TallLayout *to, TallSteadyResult *result, GError **error)
{
  const TallFloorOptions *options = self->run->options;
  const TallWorkload workload = { LOAD_PREFIX, options->n_lines };
  g_autoptr (GError) cause = NULL;
  wait_until_quiet (self->store->table, options->stop);
  self->steady = tall_steady_start (self->store->front, &workload, options->n_orders);
  g_usleep ((gulong)(options->seconds * G_USEC_PER_SEC));
  self->stage = TALL_STEADY_COPYING;
  tall_steady_enter (self->steady, self->stage);
  self->begun = g_get_monotonic_time ();
  gboolean done = migrate (self, to, FALSE, &cause);
  g_usleep (AFTER);
  if (!tall_steady_stop (g_steal_pointer (&self->steady), result, error))
    return FALSE;
  if (!done)
    g_propagate_error (error, g_steal_pointer (&cause));
  return done;
}

typedef struct
{
  const char *name;
  const char *what;
  const char *unit;
  double ours;
  double floor;
  double goal;
  gboolean at_least;
} Figure;

static void
report (const Migration *self, const char *pair, const Figure *figures, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      const Figure *figure = &figures[i];
      g_autofree char *id = g_strdup_printf ("%s-%s-%s", self->prefix, pair, figure->name);
      g_autofree char *what = g_strdup_printf ("%s: %s", pair, figure->what);
      const TallBenchFigure added = { .id = id,
                                      .what = what,
                                      .unit = figure->unit,
                                      .ours = figure->ours,
                                      .floor = figure->floor,
                                      .ratio = figure->ours / MAX (figure->floor, 1e-9),
                                      .goal = figure->goal,
                                      .at_least = figure->at_least };
      tall_bench_report_add (self->run->report, &added);
    }
}

static void
report_copy (const Migration *self, const char *pair)
{
  double n = self->run->options->n_orders;
  const Figure figures[] = {
    { "copy", "copied / loaded into the target", "orders/s", n / self->copy_seconds,
      n / self->load_seconds, 0.5, TRUE },
    { "memory", "peak of memory, copying / loading", "MiB", self->copy_peak, self->load_peak, 1,
      FALSE },
  };
  report (self, pair, figures, G_N_ELEMENTS (figures));
}

/* Nothing is reached where no call was made. */
static double
want (const TallSteadyResult *result, TallSteadyStage stage, double goal)
{
  return result->n[stage] > 0 ? goal : 0;
}

static void
report_calls (const Migration *self, const char *pair, const TallSteadyResult *result)
{
  const TallSteadyStage alone = TALL_STEADY_ALONE, copying = TALL_STEADY_COPYING,
                        switching = TALL_STEADY_SWITCHING;
  const Figure figures[] = {
    { "p99", "calls at a fixed rate, while it copies / before", "µs p99",
      (double)tall_histogram_get_quantile (result->all[copying], 0.99) / 1e3,
      (double)tall_histogram_get_quantile (result->all[alone], 0.99) / 1e3,
      want (result, copying, 2), FALSE },
    { "write-pause", "longest write during the switch / usual --pause", "ms",
      (double)result->longest_write[switching] / 1e6, TALL_MIGRATE_USUAL_PAUSE / 1e3,
      want (result, switching, 1), FALSE },
    { "read-pause", "longest read during the switch / usual --pause", "ms",
      (double)result->longest_read[switching] / 1e6, TALL_MIGRATE_USUAL_PAUSE / 1e3,
      want (result, switching, 1), FALSE },
    { "beside", "copied beside calls / loaded", "orders/s",
      self->n_beside / MAX (self->beside_seconds, 1e-9),
      self->run->options->n_orders / self->load_seconds, 0, FALSE },
  };
  report (self, pair, figures, self->load_seconds > 0 ? 4 : 3);
}

static char *
begin_pair (const Migration *self, const TallLayout *from, const TallLayout *to)
{
  g_autofree char *pair = g_strdup_printf ("%s-%s", from->name, to->name);
  tall_floor_make_plan (self->run, pair).progress (0, self->run);
  return g_steal_pointer (&pair);
}

static gboolean
measure_calls (Migration *self, const char *pair, const TallLayout *to, GError **error)
{
  g_auto (TallSteadyResult) result = { 0 };
  guint n;
  if (!migrate_beside (self, to, &result, error)
      || !tall_store_drop_source (self->store->table, &n, error))
    return FALSE;
  report_calls (self, pair, &result);
  return TRUE;
}

static gboolean
measure_pair (Migration *self, const TallLayout *from, const TallLayout *to, GError **error)
{
  g_autofree char *pair = begin_pair (self, from, to);
  if (!time_load (self, to, error) || !time_copy (self, to, error))
    return FALSE;
  report_copy (self, pair);
  return measure_calls (self, pair, to, error);
}

/* There and back. */
static gboolean
measure (TallFloorRun *run, const char *folder, GError **error)
{
  g_auto (TallBenchStore) store = { 0 };
  Migration self = { .run = run, .folder = folder, .prefix = "migrate", .store = &store };
  const TallLayout *one = &tall_layout_blob, *other = &tall_layout_normalized;
  return load (&self, &store, one, error) && measure_pair (&self, one, other, error)
         && measure_pair (&self, other, one, error);
}

/**
 * tall_floor_migrate:
 *
 * Migrates loaded orders to another layout and back, alone and beside calls at a fixed rate.
 */
gboolean
tall_floor_migrate (TallFloorRun *self, GError **error)
{
  return tall_floor_load_with_file (self, measure, error);
}

static gboolean
measure_pair_on_hbase (Migration *self,
                       const TallLayout *from,
                       const TallLayout *to,
                       GError **error)
{
  g_autofree char *pair = begin_pair (self, from, to);
  return measure_calls (self, pair, to, error);
}

/* The same. A second deployment to load into would need more connections than the gateway serves at
 * first. */
static gboolean
measure_on_hbase (TallFloorRun *run, const char *folder, GError **error)
{
  g_auto (TallFloorHbase) hbase = { 0 };
  Migration self = {
    .run = run, .folder = folder, .prefix = "hbase-migrate", .store = &hbase.store
  };
  const TallLayout *one = &tall_layout_blob, *other = &tall_layout_normalized;
  const TallStoreSettings settings = make_settings (one);
  return tall_floor_hbase_open_with (&hbase, run, &settings, error)
         && load_file (&self, hbase.store.front, error)
         && measure_pair_on_hbase (&self, one, other, error)
         && measure_pair_on_hbase (&self, other, one, error);
}

/**
 * tall_floor_migrate_hbase:
 *
 * The same on HBase, without loading and copying alone.
 */
gboolean
tall_floor_migrate_hbase (TallFloorRun *self, GError **error)
{
  return tall_floor_load_with_file (self, measure_on_hbase, error);
}
