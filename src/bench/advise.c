/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/advise.h"

#include "bench/compare.h"
#include "bench/file.h"
#include "bench/sample.h"
#include "bench/summary.h"
#include "tall-error.h"

#define MAX_ROWS 300000         /* of the file that are read: a second or two */
#define MAX_LINES 5000000       /* of all orders that are read together */
#define MAX_SAMPLED_LINES 20000 /* of the sample: stored once in each layout in each turn */
#define MAX_SHAPED 40           /* orders whose rows are looked at */
#define MAX_SHAPED_LINES 2000
#define N_REGIONS 16 /* that the spread of keys is computed for */
#define PART_TURNS 3 /* of each part of the mix alone */
#define AGAIN 2      /* times as many turns for layouts that cannot be told apart */
#define N_STEPS 4    /* measurements, for the progress */

/* What is under way. */
typedef struct
{
  const TallAdviseOptions *options;
  TallAdviseResult *result;
  GPtrArray *all;          /* of TallOrder; owns them */
  TallBenchOrders *sample; /* whose orders belong to @all */
  guint step;
  const gint *stop; /* atomic: becomes nonzero when it has to stop */
} Run;

static void
run_clear (Run *self)
{
  g_clear_pointer (&self->sample, tall_bench_orders_free);
  g_clear_pointer (&self->all, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Run, run_clear)

void
tall_advise_result_clear (TallAdviseResult *self)
{
  g_clear_pointer (&self->layouts, g_array_unref);
  g_clear_pointer (&self->keys, g_array_unref);
  g_clear_pointer (&self->advice, g_ptr_array_unref);
  g_clear_pointer (&self->left_out, g_free);
}

static void
count_lines (Run *self)
{
  guint64 sum = 0;
  for (guint i = 0; i < self->all->len; i++)
    {
      guint n = tall_order_count_lines (g_ptr_array_index (self->all, i));
      sum += n;
      self->result->most_lines = MAX (self->result->most_lines, n);
    }
  self->result->lines = (double)sum / self->all->len;
}

static gboolean
read_orders (Run *self, GError **error)
{
  const TallAdviseOptions *options = self->options;
  TallAdviseResult *result = self->result;
  TallBenchFile file = {
    .path = options->orders,
    .map = options->map,
    .max_orders = G_MAXUINT,
    .max_lines = MAX_LINES,
    .max_rows = MAX_ROWS,
    .begin = options->begin,
  };
  self->all = tall_bench_file_read (&file, error);
  result->left_out = file.left_out;
  if (self->all == NULL)
    return FALSE;
  self->sample =
      tall_bench_orders_new (tall_bench_sample (self->all, options->count, MAX_SAMPLED_LINES));
  for (guint i = 0; i < self->sample->orders->len; i++)
    tall_bench_change_order (g_ptr_array_index (self->sample->orders, i)); /* now it has two */
  count_lines (self);
  result->n_read = self->all->len;
  result->n_sampled = self->sample->orders->len;
  result->n_customers = self->sample->customers->len;
  result->facts.total =
      options->total >= 0 ? (double)options->total : self->all->len / MAX (file.share, 1e-6);
  if (options->n_clients <= result->n_sampled)
    return TRUE;
  tall_error_set_invalid (error, "clients",
                          "--clients %u: the sample has only %u orders, and each client needs its "
                          "own to replace",
                          options->n_clients, result->n_sampled);
  return FALSE;
}

static void
show_progress (const char *what, double done, gpointer data)
{
  const Run *self = data;
  self->options->progress (what, (self->step + done) / N_STEPS, NULL);
}

/* What is measured in one go. */
typedef struct
{
  const TallLayout *const *layouts;
  guint n_layouts;
  const TallKeyStrategy *const *keys;
  guint n_keys;
  gboolean alone; /* not the mix, but its parts alone */
  guint n_turns;
} Series;

/* @records: gets what was measured */
static gboolean
measure (Run *self, const Series *series, GArray *records, GError **error)
{
  const TallAdviseOptions *options = self->options;
  const TallBenchCompare compare = {
    .layouts = series->layouts,
    .n_layouts = series->n_layouts,
    .key_strategies = series->keys,
    .n_key_strategies = series->n_keys,
    .place = { .address = options->address },
    .leaves_stored = TRUE,
    .n_turns = series->n_turns,
    .plan = { .n_clients = options->n_clients,
              .seconds = series->alone ? options->seconds / 2 : options->seconds,
              .seed = 1,
              .mix = series->alone ? NULL : options->mix,
              .stop = self->stop },
    .progress = options->progress != NULL ? show_progress : NULL,
    .progress_data = self,
  };
  TallBenchFigures figures = { .records = records };
  if (!tall_bench_compare_run (&compare, self->sample, &figures, error))
    return FALSE;
  self->step++;
  return TRUE;
}

static GArray *
records_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (TallBenchRecord));
}

static GPtrArray *
summarize (const GArray *records)
{
  return tall_bench_summarize ((const TallBenchRecord *)(gpointer)records->data, records->len);
}

/**
 * tall_advise_find_best_layouts:
 * @summaries: (element-type TallBenchSummary): of phases, one of them the mix
 *
 * Returns: (transfer container) (element-type TallLayout): those that are the best for the mix, as
 *   far as the turns tell
 */
GPtrArray *
tall_advise_find_best_layouts (const GPtrArray *summaries)
{
  GPtrArray *layouts = g_ptr_array_new ();
  for (guint i = 0; i < summaries->len; i++)
    {
      const TallBenchSummary *summary = g_ptr_array_index (summaries, i);
      g_auto (TallBenchVerdict) verdict = { NULL };
      if (layouts->len > 0 || !g_str_equal (summary->phase->name, "mix"))
        continue;
      tall_bench_verdict_init (&verdict, summaries, summary->phase, TALL_BENCH_RATE);
      for (guint k = 0; k < verdict.best->len; k++)
        g_ptr_array_add (layouts, (gpointer)((TallBenchSummary *)verdict.best->pdata[k])->layout);
    }
  return layouts;
}

/* Other work of the machine can make one layout a third slower than another in some turns; more of
 * them make the medians surer of those between which it has to be chosen. */
static gboolean
measure_best_again (Run *self, const Series *all, GArray *records, GError **error)
{
  g_autoptr (GPtrArray) summaries = summarize (records);
  g_autoptr (GPtrArray) best = tall_advise_find_best_layouts (summaries);
  Series again = *all;
  again.layouts = (const TallLayout *const *)best->pdata;
  again.n_layouts = best->len;
  again.n_turns = AGAIN * all->n_turns;
  if (best->len > 1)
    return measure (self, &again, records, error);
  self->step++;
  return TRUE;
}

static const TallBenchSummary *
find_summary (const GPtrArray *summaries,
              const char *phase,
              const TallLayout *layout,
              const TallKeyStrategy *key)
{
  for (guint i = 0; i < summaries->len; i++)
    {
      const TallBenchSummary *summary = g_ptr_array_index (summaries, i);
      if (g_str_equal (summary->phase->name, phase) && summary->layout == layout
          && summary->key_strategy == key)
        return summary;
    }
  return NULL;
}

static TallSpread
get_rate (const GPtrArray *summaries,
          const char *phase,
          const TallLayout *layout,
          const TallKeyStrategy *key)
{
  const TallBenchSummary *summary = find_summary (summaries, phase, layout, key);
  return summary != NULL ? summary->metrics[TALL_BENCH_RATE] : (TallSpread){ 0 };
}

/* Orders whose rows are looked at: fewer, because that takes longer. */
static gboolean
measure_shape (Run *self,
               const TallLayout *layout,
               const TallKeyStrategy *key,
               TallShape *shape,
               GError **error)
{
  g_autoptr (GPtrArray) few =
      tall_bench_sample (self->sample->orders, MAX_SHAPED, MAX_SHAPED_LINES);
  return tall_shape_measure (shape, layout, key, few, error);
}

static gboolean
add_layout (Run *self,
            const TallLayout *layout,
            const GPtrArray *mixed,
            const GPtrArray *alone,
            GError **error)
{
  const TallBenchMix *mix = self->options->mix;
  TallAdviceLayout found = { .layout = layout,
                             .rate = get_rate (mixed, "mix", layout, &tall_key_hashed) };
  if (!measure_shape (self, layout, &tall_key_hashed, &found.shape, error))
    return FALSE;
  for (guint i = 0; i < mix->n_parts; i++)
    {
      double rate = get_rate (alone, mix->parts[i]->name, layout, &tall_key_hashed).median;
      found.times[i] = rate > 0 ? self->options->n_clients / rate : 0;
    }
  g_array_append_val (self->result->layouts, found);
  self->result->facts.layouts = (const TallAdviceLayout *)(gpointer)self->result->layouts->data;
  self->result->facts.n_layouts = self->result->layouts->len;
  return TRUE;
}

static gboolean
measure_layouts (Run *self, GError **error)
{
  guint n;
  const TallLayout *const *layouts = tall_layouts (&n);
  const TallKeyStrategy *const keys[] = { &tall_key_hashed };
  guint n_turns = self->options->n_turns;
  const Series mix = { layouts, n, keys, 1, FALSE, n_turns };
  const Series parts = { layouts, n, keys, 1, TRUE, MIN (n_turns, PART_TURNS) };
  g_autoptr (GArray) mix_records = records_new ();
  g_autoptr (GArray) part_records = records_new ();
  if (!measure (self, &mix, mix_records, error)
      || !measure_best_again (self, &mix, mix_records, error)
      || !measure (self, &parts, part_records, error))
    return FALSE;
  g_autoptr (GPtrArray) mixed = summarize (mix_records);
  g_autoptr (GPtrArray) alone = summarize (part_records);
  for (guint i = 0; i < n; i++)
    if (!add_layout (self, layouts[i], mixed, alone, error))
      return FALSE;
  return TRUE;
}

static gboolean
add_key (Run *self,
         const TallLayout *layout,
         const TallKeyStrategy *key,
         const GPtrArray *mixed,
         GError **error)
{
  g_autoptr (GError) unsplit = NULL;
  TallAdviceKey found = { .key_strategy = key, .rate = get_rate (mixed, "mix", layout, key) };
  if (!measure_shape (self, layout, key, &found.shape, error))
    return FALSE;
  if (!tall_key_spread_measure (&found.spread, key, self->all, N_REGIONS, &unsplit))
    found.spread = (TallKeySpread){ .all = N_REGIONS, .newest = N_REGIONS };
  g_array_append_val (self->result->keys, found);
  self->result->facts.keys = (const TallAdviceKey *)(gpointer)self->result->keys->data;
  self->result->facts.n_keys = self->result->keys->len;
  return TRUE;
}

static gboolean
measure_keys (Run *self, GError **error)
{
  guint n;
  const TallLayout *layout = tall_advice_choose_layout (&self->result->facts)->layout;
  const TallKeyStrategy *const *keys = tall_key_strategies (&n);
  const Series all = { &layout, 1, keys, n, FALSE, self->options->n_turns };
  g_autoptr (GArray) records = records_new ();
  if (!measure (self, &all, records, error))
    return FALSE;
  g_autoptr (GPtrArray) mixed = summarize (records);
  for (guint i = 0; i < n; i++)
    if (!add_key (self, layout, keys[i], mixed, error))
      return FALSE;
  return TRUE;
}

static gboolean
measure_all (Run *self, GError **error)
{
  if (!measure_layouts (self, error) || !measure_keys (self, error))
    return FALSE;
  self->result->advice = tall_advise (&self->result->facts);
  return TRUE;
}

/**
 * tall_advise_run:
 * @result: (out caller-allocates): to be cleared in any case; its numbers also hold what is known
 *   after an error
 *
 * Measures every layout with the mix of operations, and each of its parts alone; then every key
 * strategy in the layout that is best; and looks at rows. It makes deployments as
 * tall_bench_compare_run() does.
 *
 * Returns: FALSE with what went wrong, as tall_bench_compare_run() and tall_bench_file_read() say
 */
gboolean
tall_advise_run (const TallAdviseOptions *options, TallAdviseResult *result, GError **error)
{
  *result = (TallAdviseResult){
    .facts = { .mix = options->mix,
               .n_regions = N_REGIONS,
               .n_servers = options->n_servers,
               .heap = options->heap },
    .layouts = g_array_new (FALSE, FALSE, sizeof (TallAdviceLayout)),
    .keys = g_array_new (FALSE, FALSE, sizeof (TallAdviceKey)),
    .store = options->address->kind->name,
    .n_turns = options->n_turns,
  };
  g_auto (Run) run = { .options = options, .result = result };
  if (!read_orders (&run, error))
    return FALSE;
  run.stop = options->begin ();
  return measure_all (&run, error);
}
