/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "floor-load.h"

#include <errno.h>
#include <glib/gstdio.h>

#include "floor-store.h"
#include "tall-error.h"
#include "load-file.h"
#include "raw-rows.h"

#define FILE_NAME "orders.csv"
#define SQLITE_DATABASE "peer.sqlite"

/* Loading the file into a new store. */
typedef struct
{
  const TallFloorRun *run;
  const char *folder; /* that has the file */
  const TallLayout *layout;
  TallBenchStore store;
  TallLoadSummary summary;
} Ours;

/* Writing the same rows to a new store, without tallorder. */
typedef struct
{
  Ours *ours;
  TallBenchStore store;
  TallRawRows *rows; /* owned */
} Raw;

/* Another program that loads the file. */
typedef struct
{
  const char *program;
  const char *path;
  const char *database;
  guint n_lines;    /* of an order */
  guint64 n_stored; /* lines that it says it has stored */
} Peer;

static void
ours_clear (Ours *self)
{
  tall_bench_store_close (&self->store);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Ours, ours_clear)

static void
raw_clear (Raw *self)
{
  g_clear_pointer (&self->rows, tall_raw_rows_free);
  tall_bench_store_close (&self->store);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Raw, raw_clear)

/* With the index by date alone, as the other measurements that have one. */
static gboolean
open_store (TallBenchStore *store, const Ours *ours, GError **error)
{
  const TallStoreSettings settings = {
    .layout = ours->layout,
    .key_strategy = &tall_key_hashed,
    .index = TALL_INDEX_BY_DATE,
  };
  tall_bench_store_close (store);
  *store = (TallBenchStore){ 0 };
  return tall_bench_store_open_temporary (store, ours->run->directory, &settings, TRUE, error);
}

static gboolean
prepare_ours (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  Ours *self = data;
  return open_store (&self->store, self, error);
}

/* Where the file is that is loaded. */
char *
tall_floor_load_name_file (const char *folder)
{
  return g_build_filename (folder, FILE_NAME, NULL);
}

/**
 * tall_floor_load_file:
 * @folder: that has the file
 *
 * Loads it.
 */
gboolean
tall_floor_load_file (const TallFloorRun *run,
                      const char *folder,
                      TallFront *front,
                      gboolean assume_new,
                      TallLoadSummary *summary,
                      GError **error)
{
  TallLoadOptions options = TALL_LOAD_OPTIONS_INIT;
  options.stop = run->options->stop;
  options.bulk.assume_new = assume_new;
  g_autofree char *path = tall_floor_load_name_file (folder);
  g_autoptr (TallMapping) mapping = tall_load_file_make_mapping ();
  g_autoptr (TallCsvReader) reader =
      tall_csv_reader_open (path, &mapping->dialect, TALL_CSV_MAX_ROW, error);
  g_autoptr (TallRejects) rejects = NULL;
  if (reader == NULL || !tall_mapping_bind (mapping, tall_csv_reader_get_columns (reader), error)
      || (rejects = tall_rejects_new (NULL, error)) == NULL)
    return FALSE;
  g_autoptr (TallLoadFiles) files =
      tall_load_files_new_of_one (g_steal_pointer (&reader), g_steal_pointer (&mapping));
  return tall_load (front, files, rejects, &options, summary, error);
}

static gboolean
run_ours (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  Ours *self = data;
  return tall_floor_load_file (self->run, self->folder, self->store.front, FALSE, &self->summary,
                               error);
}

/**
 * tall_floor_load_check:
 * @found: lines that @what has stored
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED if they are not all
 */
gboolean
tall_floor_load_check (const char *what, guint64 found, guint64 wanted, GError **error)
{
  if (found == wanted)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
               "%s has stored %" G_GUINT64_FORMAT " lines of %" G_GUINT64_FORMAT, what, found,
               wanted);
  return FALSE;
}

static gboolean
check_ours (gpointer data, guint n, GError **error)
{
  Ours *self = data;
  return tall_floor_load_check ("The load", self->summary.ends[TALL_LOAD_STORED].lines,
                                (guint64)n * self->run->options->n_lines, error);
}

static gboolean
prepare_raw (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  Raw *self = data;
  if (self->rows == NULL)
    self->rows = tall_raw_rows_read (self->ours->store.table, error);
  return self->rows != NULL && open_store (&self->store, self->ours, error);
}

static gboolean
run_raw (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  Raw *self = data;
  return tall_raw_rows_write (self->rows, self->store.table, error);
}

static gboolean
prepare_peer (gpointer data, guint n G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
  Peer *self = data;
  g_unlink (self->database);
  return TRUE;
}

static gboolean
run_peer (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  Peer *self = data;
  const char *argv[] = { self->program, self->path, self->database, NULL };
  g_autofree char *out = NULL;
  int status;
  if (!g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, NULL,
                     &status, error)
      || !g_spawn_check_wait_status (status, error))
    {
      g_prefix_error (error, "%s: ", self->program);
      return FALSE;
    }
  self->n_stored = g_ascii_strtoull (out, NULL, 10);
  return TRUE;
}

static gboolean
check_peer (gpointer data, guint n, GError **error)
{
  Peer *self = data;
  g_unlink (self->database);
  return tall_floor_load_check (self->program, self->n_stored, (guint64)n * self->n_lines, error);
}

typedef enum
{
  BLOB,
  NORMALIZED,
  RAW_BLOB,
  RAW_NORMALIZED,
  PEER,
  N_SIDES,
} Side;

/* What is compared with what. */
static const struct
{
  const char *id;
  const char *what;
  double goal;
  Side ours;
  Side floor;
} figures[] = {
  { "load-blob", "load, blob / the same rows in raw batches", 0.5, BLOB, RAW_BLOB },
  { "load-normalized", "load, normalized / the same rows in raw batches", 0.5, NORMALIZED,
    RAW_NORMALIZED },
  { "load-blob-peer", "load, blob / the peer's", 2, BLOB, PEER },
  { "load-normalized-peer", "load, normalized / the peer's", 1, NORMALIZED, PEER },
};

static void
report (TallFloorRun *self, const TallMeasurement *measurement)
{
  for (guint i = 0; i < G_N_ELEMENTS (figures); i++)
    if (figures[i].floor != PEER || self->options->peer != NULL)
      tall_bench_report_add_rate (self->report, figures[i].id, figures[i].what, figures[i].goal,
                                  &measurement->sides[figures[i].ours],
                                  &measurement->sides[figures[i].floor]);
}

static gboolean
measure (TallFloorRun *self, const char *folder, GError **error)
{
  guint n = self->options->n_orders;
  g_autofree char *path = tall_floor_load_name_file (folder);
  g_autofree char *database = g_build_filename (folder, SQLITE_DATABASE, NULL);
  g_auto (Ours) blob = { self, folder, &tall_layout_blob };
  g_auto (Ours) normalized = { self, folder, &tall_layout_normalized };
  g_auto (Raw) raw_blob = { &blob };
  g_auto (Raw) raw_normalized = { &normalized };
  Peer peer = { self->options->peer, path, database, self->options->n_lines, 0 };
  const TallMeasureSide sides[] = {
    [BLOB] = { n, prepare_ours, run_ours, check_ours, NULL, &blob },
    [NORMALIZED] = { n, prepare_ours, run_ours, check_ours, NULL, &normalized },
    [RAW_BLOB] = { n, prepare_raw, run_raw, NULL, NULL, &raw_blob },
    [RAW_NORMALIZED] = { n, prepare_raw, run_raw, NULL, NULL, &raw_normalized },
    [PEER] = { n, prepare_peer, run_peer, check_peer, NULL, &peer },
  };
  g_auto (TallMeasurement) measurement = { 0 };
  TallMeasurePlan plan = tall_floor_make_plan (self, "load");

  plan.seconds = plan.round_seconds = 0;
  plan.in_order = TRUE;
  if (!tall_measure (sides, self->options->peer != NULL ? N_SIDES : PEER, &plan, &measurement,
                     error))
    return FALSE;
  report (self, &measurement);
  return TRUE;
}

/**
 * tall_floor_load_with_file:
 *
 * Makes a file of made-up orders in a temporary folder, calls @work, and removes both.
 */
gboolean
tall_floor_load_with_file (TallFloorRun *self, TallFloorLoadWork work, GError **error)
{
  const char *parent = self->directory != NULL ? self->directory : g_get_tmp_dir ();
  const TallWorkload workload = { "L", self->options->n_lines };
  g_autofree char *folder = g_build_filename (parent, "tallorder-load-XXXXXX", NULL);
  if (g_mkdtemp (folder) == NULL)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_INTERNAL, "Making a folder in %s: %s", parent,
                   g_strerror (errno));
      return FALSE;
    }
  g_autofree char *path = tall_floor_load_name_file (folder);
  gboolean ok =
      tall_load_file_write (path, &workload, self->options->n_orders, self->options->stop, error)
      && work (self, folder, error);
  g_unlink (path);
  g_rmdir (folder);
  return ok;
}

/**
 * tall_floor_load:
 *
 * Compares loading a CSV file, safe from a crash at the end, with writing the rows that it becomes,
 * and with what another program makes of the file.
 */
gboolean
tall_floor_load (TallFloorRun *self, GError **error)
{
  return tall_floor_load_with_file (self, measure, error);
}
