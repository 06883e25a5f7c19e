/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-floor-load-private.h"

#include "tall-raw-puts.h"

/* Loading the file into a new deployment. */
typedef struct
{
  TallFloorRun *run;
  const char *folder; /* that has the file */
  const TallLayout *layout;
  gboolean assume_new;
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

static gboolean
open_new (TallFloorHbase *hbase, const Ours *ours, GError **error)
{
  tall_floor_hbase_close (hbase);
  *hbase = (TallFloorHbase){ 0 };
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
  return tall_floor_load_check ("The load", self->summary.ends[TALL_LOAD_STORED].lines,
                                (guint64)n * self->run->options->n_lines, error);
}

static gboolean
prepare_raw (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  Raw *self = data;
  g_clear_pointer (&self->puts, tall_raw_puts_free);
  if (!open_new (&self->hbase, self->ours, error))
    return FALSE;
  self->puts = tall_raw_puts_new (self->ours->hbase.store.table, &self->hbase, error);
  return self->puts != NULL;
}

static gboolean
run_raw (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  Raw *self = data;
  return tall_raw_puts_send (self->puts, error);
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
    { n, prepare_raw, run_raw, NULL, NULL, &raw },
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
