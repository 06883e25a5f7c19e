/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "floor-load.h"

#include "raw-puts.h"

/* Loading the file into a new deployment. */
typedef struct
{
  TallFloorRun *run;
  const char *folder; /* that has the file */
  const TallLayout *layout;
  gboolean assume_new;
  GPtrArray *tables; /* owned; what the rows are, once it has loaded them; NULL: not yet */
  TallFloorHbase hbase;
  TallLoadSummary summary;
} Ours;

/* Putting the same rows into a new deployment, without tallorder. */
typedef struct
{
  Ours *ours;
  TallFloorHbase hbase;
  TallRawPuts *puts; /* owned */
} Raw;

static void
ours_clear (Ours *self)
{
  g_clear_pointer (&self->tables, g_ptr_array_unref);
  tall_floor_hbase_close (&self->hbase);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Ours, ours_clear)

static void
raw_clear (Raw *self)
{
  g_clear_pointer (&self->puts, tall_raw_puts_free);
  tall_floor_hbase_close (&self->hbase);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Raw, raw_clear)

/* A gateway serves 16 connections at first: each side gives back its own before the next begins. */
static void
close_hbase (TallFloorHbase *hbase)
{
  tall_floor_hbase_close (hbase);
  *hbase = (TallFloorHbase){ 0 };
}

static gboolean
open_new (TallFloorHbase *hbase, const Ours *ours, GError **error)
{
  close_hbase (hbase);
  return tall_floor_hbase_open (hbase, ours->run, ours->layout, error);
}

static gboolean
prepare_ours (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  Ours *self = data;
  return open_new (&self->hbase, self, error);
}

static gboolean
run_ours (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  Ours *self = data;
  return tall_floor_load_file (self->run, self->folder, self->hbase.store.front, self->assume_new,
                               &self->summary, error);
}

static gboolean
check_ours (gpointer data, guint n, GError **error)
{
  Ours *self = data;
  if (self->tables == NULL && !self->assume_new)
    self->tables = tall_raw_puts_read (self->hbase.store.table, error);
  if (self->tables == NULL && !self->assume_new)
    return FALSE;
  close_hbase (&self->hbase);
  return tall_floor_load_check ("The load", self->summary.ends[TALL_LOAD_STORED].lines,
                                (guint64)n * self->run->options->n_lines, error);
}

static gboolean
prepare_raw (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  Raw *self = data;
  if (!open_new (&self->hbase, self->ours, error))
    return FALSE;
  self->puts = tall_raw_puts_new (self->ours->tables, &self->hbase, error);
  return self->puts != NULL;
}

static gboolean
run_raw (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  Raw *self = data;
  return tall_raw_puts_send (self->puts, error);
}

static gboolean
check_raw (gpointer data, guint n G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
  Raw *self = data;
  g_clear_pointer (&self->puts, tall_raw_puts_free);
  close_hbase (&self->hbase);
  return TRUE;
}

static gboolean
measure (TallFloorRun *run,
         const char *folder,
         const TallLayout *layout,
         TallMeasurement *measurement,
         GError **error)
{
  guint n = run->options->n_orders;
  g_auto (Ours) looks = { run, folder, layout };
  g_auto (Ours) trusts = { run, folder, layout, .assume_new = TRUE };
  g_auto (Raw) raw = { &looks };
  const TallMeasureSide sides[] = {
    { n, prepare_ours, run_ours, check_ours, NULL, &looks },
    { n, prepare_ours, run_ours, check_ours, NULL, &trusts },
    { n, prepare_raw, run_raw, check_raw, NULL, &raw },
  };
  TallMeasurePlan plan = tall_floor_make_plan (run, "load");
  plan.seconds = plan.round_seconds = 0;
  plan.in_order = TRUE;
  return tall_measure (sides, G_N_ELEMENTS (sides), &plan, measurement, error);
}

static const struct
{
  const TallLayout *layout;
  const char *ids[2]; /* with a look at what is there, and without */
  const char *what[2];
} figures[] = {
  { &tall_layout_blob,
    { "hbase-load-blob", "hbase-load-blob-new" },
    { "HBase, load, blob / raw putMultiple", "HBase, load --assume-new, blob / raw putMultiple" } },
  { &tall_layout_normalized,
    { "hbase-load-normalized", "hbase-load-normalized-new" },
    { "HBase, load, normalized / raw putMultiple",
      "HBase, load --assume-new, normalized / raw putMultiple" } },
};

static gboolean
measure_all (TallFloorRun *self, const char *folder, GError **error)
{
  static const double goals[] = { 0.5, 0.75 };
  for (guint i = 0; i < G_N_ELEMENTS (figures); i++)
    {
      g_auto (TallMeasurement) measurement = { 0 };
      if (!measure (self, folder, figures[i].layout, &measurement, error))
        return FALSE;
      for (guint k = 0; k < G_N_ELEMENTS (goals); k++)
        tall_bench_report_add_rate (self->report, figures[i].ids[k], figures[i].what[k], goals[k],
                                    &measurement.sides[k], &measurement.sides[2]);
    }
  return TRUE;
}

/**
 * tall_floor_load_hbase:
 *
 * Compares loading a CSV file into HBase with putting the rows that it becomes, by requests that
 * are made beforehand.
 */
gboolean
tall_floor_load_hbase (TallFloorRun *self, GError **error)
{
  return tall_floor_load_with_file (self, measure_all, error);
}
