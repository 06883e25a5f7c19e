/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/growth.h"

#include <math.h>

#include "bench/plot.h"

/* What runs differ in, and what is drawn over it. */
typedef struct
{
  const char *id;
  const char *title;
  const char *x;
  double (*get_x) (const TallBenchResults *run);
  const char *y;
  TallBenchMetric metric;
  gboolean with_stored; /* and the bytes stored */
} Axis;

static double
get_lines (const TallBenchResults *run)
{
  return (double)run->n_lines / MAX (run->n_orders, 1);
}

static double
get_clients (const TallBenchResults *run)
{
  return run->n_clients;
}

static const Axis axes[] = {
  { "lines", "Growth with lines an order", "lines an order", get_lines, "p50 µs", TALL_BENCH_P50,
    TRUE },
  { "clients", "Throughput by clients", "clients", get_clients, "operations a second",
    TALL_BENCH_RATE, FALSE },
};

static const TallBenchSummary *
get_summary (const TallBenchResults *run, guint place)
{
  return g_ptr_array_index (run->summaries, place);
}

static gboolean
equal_conditions (const TallBenchConditions *a, const TallBenchConditions *b)
{
  return g_strcmp0 (a->compression, b->compression) == 0
         && g_strcmp0 (a->block_encoding, b->block_encoding) == 0 && a->regions == b->regions
         && a->age == b->age && a->rest == b->rest && a->cache == b->cache;
}

/* Whether runs differ in nothing that counts but what is along @axis. */
static gboolean
belong_together (const TallBenchResults *a, const TallBenchResults *b, const Axis *axis)
{
  static const TallBenchConditions usual = { 0 };
  if (g_strcmp0 (a->store, b->store) != 0 || g_strcmp0 (a->mix, b->mix) != 0 || a->rate != b->rate
      || !equal_conditions (a->conditions != NULL ? a->conditions : &usual,
                            b->conditions != NULL ? b->conditions : &usual))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (axes); i++)
    if (&axes[i] != axis && axes[i].get_x (a) != axes[i].get_x (b))
      return FALSE;
  return TRUE;
}

/* Runs along the axis, by where they are; the first one of each place. */
static GPtrArray *
find_group (const TallBenchResults *const *runs, guint n_runs, guint first, const Axis *axis)
{
  g_autoptr (GPtrArray) group = g_ptr_array_new ();
  for (guint i = first; i < n_runs; i++)
    {
      guint place = 0;
      if (!belong_together (runs[first], runs[i], axis))
        continue;
      while (place < group->len
             && axis->get_x (g_ptr_array_index (group, place)) < axis->get_x (runs[i]))
        place++;
      if (place == group->len
          || axis->get_x (g_ptr_array_index (group, place)) != axis->get_x (runs[i]))
        g_ptr_array_insert (group, (gint)place, (gpointer)runs[i]);
    }
  return g_steal_pointer (&group);
}

static gboolean
is_first (const TallBenchResults *const *runs, guint place, const Axis *axis)
{
  for (guint i = 0; i < place; i++)
    if (belong_together (runs[i], runs[place], axis))
      return FALSE;
  return TRUE;
}

static char *
make_name (const TallLayout *layout, const TallKeyStrategy *key_strategy)
{
  return g_strdup_printf ("%s, %s", layout->name, key_strategy->name);
}

static gboolean
has_name (const GPtrArray *names, const char *name)
{
  for (guint i = 0; i < names->len; i++)
    if (g_str_equal (g_ptr_array_index (names, i), name))
      return TRUE;
  return FALSE;
}

/* A value of one run for the line @name: of a phase, or the bytes stored of an order. */
static double
find_value (const TallBenchResults *run,
            const TallBenchPhase *phase,
            TallBenchMetric metric,
            const char *name)
{
  for (guint i = 0; phase != NULL && i < run->summaries->len; i++)
    {
      const TallBenchSummary *summary = get_summary (run, i);
      g_autofree char *its = make_name (summary->layout, summary->key_strategy);
      if (summary->phase == phase && g_str_equal (its, name) && summary->metrics[metric].median > 0)
        return summary->metrics[metric].median;
    }
  for (guint i = 0; phase == NULL && run->stored != NULL && i < run->stored->len; i++)
    {
      const TallBenchStored *stored = &g_array_index (run->stored, TallBenchStored, i);
      g_autofree char *its = make_name (stored->layout, stored->key_strategy);
      if (g_str_equal (its, name) && stored->compacted > 0)
        return (double)stored->compacted / run->n_orders;
    }
  return NAN;
}

/* The lines that have a value somewhere. */
static GPtrArray *
find_names (const GPtrArray *group, const TallBenchPhase *phase, TallBenchMetric metric)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  for (guint r = 0; r < group->len; r++)
    {
      const TallBenchResults *run = g_ptr_array_index (group, r);
      for (guint i = 0; i < run->summaries->len; i++)
        {
          const TallBenchSummary *summary = get_summary (run, i);
          g_autofree char *name = make_name (summary->layout, summary->key_strategy);
          if (!has_name (names, name) && !isnan (find_value (run, phase, metric, name)))
            g_ptr_array_add (names, g_steal_pointer (&name));
        }
    }
  return names;
}

/* @phase: (nullable): NULL: the bytes stored */
static gboolean
append_drawing (GString *page,
                const GPtrArray *group,
                const Axis *axis,
                const TallBenchPhase *phase,
                GError **error)
{
  g_autoptr (GPtrArray) names = find_names (group, phase, axis->metric);
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (double));
  if (names->len == 0)
    return TRUE;
  for (guint r = 0; r < group->len; r++)
    {
      const TallBenchResults *run = g_ptr_array_index (group, r);
      double value = axis->get_x (run);
      g_array_append_val (values, value);
      for (guint i = 0; i < names->len; i++)
        {
          value = find_value (run, phase, axis->metric, g_ptr_array_index (names, i));
          g_array_append_val (values, value);
        }
    }
  const TallBenchSeries series = { .x = axis->x,
                                   .y = phase != NULL ? axis->y : "bytes of an order, compacted",
                                   .names = names,
                                   .values = values };
  const char *what = phase != NULL ? phase->name : "stored";
  g_autofree char *id = g_strdup_printf ("%s_%s_%" G_GSIZE_FORMAT, axis->id, what, page->len);
  g_autofree char *drawing = tall_bench_plot_series (&series, id, error);
  if (drawing != NULL)
    g_string_append_printf (page, "<h3>%s</h3>\n<figure>%s</figure>\n", what, drawing);
  return drawing != NULL;
}

static gboolean
append_group (GString *page, const GPtrArray *group, const Axis *axis, GError **error)
{
  guint n;
  const TallBenchPhase *phases = tall_bench_phases (&n);
  const TallBenchResults *run = g_ptr_array_index (group, 0);
  g_autofree char *setting = tall_bench_results_describe (run);
  g_autofree char *escaped = g_markup_escape_text (setting, -1);
  g_string_append_printf (page, "<h2>%s</h2>\n<p>Of several runs, the first: %s</p>\n", axis->title,
                          escaped);
  for (guint i = 0; i < n; i++)
    if (phases[i].summary != NULL && !append_drawing (page, group, axis, &phases[i], error))
      return FALSE;
  return !axis->with_stored || append_drawing (page, group, axis, NULL, error);
}

/**
 * tall_bench_growth_append:
 * @runs: (array length=n_runs):
 *
 * Appends drawings over what the runs differ in: lines an order, and clients. Nothing for those of
 * which there is only one value.
 */
gboolean
tall_bench_growth_append (GString *page,
                          const TallBenchResults *const *runs,
                          guint n_runs,
                          GError **error)
{
  for (guint a = 0; a < G_N_ELEMENTS (axes); a++)
    for (guint i = 0; i < n_runs; i++)
      {
        if (!is_first (runs, i, &axes[a]))
          continue;
        g_autoptr (GPtrArray) group = find_group (runs, n_runs, i, &axes[a]);
        if (group->len > 1 && !append_group (page, group, &axes[a], error))
          return FALSE;
      }
  return TRUE;
}
