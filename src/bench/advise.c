/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/advise.h"

#include "bench/compare.h"
#include "bench/orders.h"
#include "bench/results.h"
#include "bench/summary.h"
#include "model/json-build.h"
#include "tall-error.h"

#define WIDTH 100
#define INDENT 4
#define FEW_ORDERS 100

static gboolean
is_embedded (const TallAdviseResult *self)
{
  return g_strcmp0 (self->store, "hbase") != 0;
}

/* Splits of these keys are chosen by a file of customer numbers. */
static gboolean
needs_sample (const TallAdviseResult *self)
{
  return g_str_equal (tall_advice_find (self->advice, "key")->value, tall_key_raw.name)
         && !g_str_equal (tall_advice_find (self->advice, "regions")->value, "1");
}

/* Returns: (transfer full): the options of `init` that make what is recommended, embedded or on
 *   HBase; STORE and CUSTOMERS stand for what its user knows */
static char *
advise_result_make_command (const TallAdviseResult *self, gboolean on_hbase)
{
  GString *text = g_string_new ("tallorder init --store STORE");
  for (guint i = 0; i < self->advice->len; i++)
    {
      const TallAdvice *each = g_ptr_array_index (self->advice, i);
      if (each->option != NULL && !(each->hbase && !on_hbase))
        g_string_append_printf (text, " --%s %s", each->option, each->value);
    }
  if (on_hbase && needs_sample (self))
    g_string_append (text, " --sample CUSTOMERS");
  return g_string_free (text, FALSE);
}

/* @text in lines of not more than WIDTH columns, those after the first indented. */
static void
append_wrapped (GString *out, const char *before, const char *text)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  glong column = g_utf8_strlen (before, -1);
  g_string_append (out, before);
  for (guint i = 0; words[i] != NULL; i++)
    {
      glong len = g_utf8_strlen (words[i], -1);
      gboolean fits = column + 1 + len <= WIDTH;
      g_string_append_printf (out, "%s%s", fits ? " " : "\n    ", words[i]);
      column = fits ? column + 1 + len : INDENT + len;
    }
  g_string_append_c (out, '\n');
}

static void
append_advice (GString *text, const TallAdvice *advice)
{
  g_string_append_printf (text, "\n%s: %s%s\n", advice->name, advice->value,
                          advice->hbase ? " (on HBase)" : "");
  append_wrapped (text, advice->is_measured ? "  measured:" : "  computed:", advice->reason);
  append_wrapped (text, "  otherwise with:", advice->overturned);
}

/**
 * tall_advise_result_to_text:
 *
 * Returns: (transfer full): what is recommended, for people
 */
char *
tall_advise_result_to_text (const TallAdviseResult *self)
{
  GString *text = g_string_new (NULL);
  g_autofree char *command = advise_result_make_command (self, !is_embedded (self));
  g_autofree char *on_hbase = advise_result_make_command (self, TRUE);
  g_autofree char *about = g_strdup_printf (
      "orders read, with %.4g lines on average, %u at most; measured with %u of them, of %u %s, on "
      "%s, in %u %s",
      self->lines, self->most_lines, self->n_sampled, self->n_customers,
      self->n_customers == 1 ? "customer" : "customers", self->store, self->n_turns,
      self->n_turns == 1 ? "turn" : "turns");
  g_autofree char *number = g_strdup_printf ("%u", self->n_read);
  append_wrapped (text, number, about);
  if (self->n_turns < TALL_BENCH_ENOUGH_TURNS)
    g_string_append (text, "So few turns do not tell what differs from what is chance.\n");
  if (self->n_read < FEW_ORDERS)
    g_string_append (text, "So few orders say little about many: give a larger file.\n");
  for (guint i = 0; i < self->advice->len; i++)
    append_advice (text, g_ptr_array_index (self->advice, i));
  g_string_append_printf (text, "\n%s\n", command);
  if (is_embedded (self))
    g_string_append_printf (text, "On HBase:\n%s\n", on_hbase);
  return g_string_free (text, FALSE);
}

static void
add_rate (JsonBuilder *builder, const TallSpread *rate)
{
  tall_json_begin_object (builder, "operations_per_second");
  tall_json_add_double (builder, "median", rate->median);
  tall_json_add_double (builder, "least", rate->least);
  tall_json_add_double (builder, "most", rate->most);
  tall_json_add_number (builder, "turns", rate->n);
  json_builder_end_object (builder);
}

static void
add_shape (JsonBuilder *builder, const TallShape *shape)
{
  tall_json_begin_object (builder, "per_order");
  tall_json_add_double (builder, "rows", shape->rows);
  tall_json_add_double (builder, "cells", shape->cells);
  tall_json_add_double (builder, "bytes", shape->bytes);
  tall_json_add_double (builder, "key_bytes", shape->key_bytes);
  tall_json_add_double (builder, "bytes_fast_diff", shape->encoded);
  tall_json_add_double (builder, "bytes_fast_diff_gz", shape->packed);
  tall_json_add_double (builder, "get_calls", shape->get_calls);
  tall_json_add_double (builder, "put_calls", shape->put_calls);
  json_builder_end_object (builder);
}

static void
add_layout_object (JsonBuilder *builder, const TallAdviceLayout *layout, const TallBenchMix *mix)
{
  json_builder_begin_object (builder);
  tall_json_add_text (builder, "layout", layout->layout->name);
  add_rate (builder, &layout->rate);
  add_shape (builder, &layout->shape);
  tall_json_begin_object (builder, "alone_us");
  for (guint i = 0; i < mix->n_parts; i++)
    tall_json_add_double (builder, mix->parts[i]->name, layout->times[i] * 1e6);
  json_builder_end_object (builder);
  json_builder_end_object (builder);
}

static void
add_key_object (JsonBuilder *builder, const TallAdviceKey *key)
{
  json_builder_begin_object (builder);
  tall_json_add_text (builder, "key", key->key_strategy->name);
  add_rate (builder, &key->rate);
  add_shape (builder, &key->shape);
  tall_json_add_double (builder, "fullest_region", key->spread.all);
  tall_json_add_double (builder, "fullest_region_of_newest", key->spread.newest);
  json_builder_end_object (builder);
}

static void
add_advice (JsonBuilder *builder, const TallAdvice *advice)
{
  json_builder_begin_object (builder);
  tall_json_add_text (builder, "name", advice->name);
  tall_json_add_text (builder, "value", advice->value);
  tall_json_add_text (builder, "basis", advice->is_measured ? "measured" : "computed");
  tall_json_add_flag (builder, "hbase_only", advice->hbase);
  tall_json_add_text (builder, "reason", advice->reason);
  tall_json_add_text (builder, "otherwise_with", advice->overturned);
  json_builder_end_object (builder);
}

static void
add_lists (JsonBuilder *builder, const TallAdviseResult *self)
{
  tall_json_begin_array (builder, "advice");
  for (guint i = 0; i < self->advice->len; i++)
    add_advice (builder, g_ptr_array_index (self->advice, i));
  json_builder_end_array (builder);
  tall_json_begin_array (builder, "layouts");
  for (guint i = 0; i < self->facts.n_layouts; i++)
    add_layout_object (builder, &self->facts.layouts[i], self->facts.mix);
  json_builder_end_array (builder);
  tall_json_begin_array (builder, "keys");
  for (guint i = 0; i < self->facts.n_keys; i++)
    add_key_object (builder, &self->facts.keys[i]);
  json_builder_end_array (builder);
}

/**
 * tall_advise_result_to_json:
 * @mix: as it was given
 *
 * Returns: (transfer full): the same for programs, with every figure; README.md describes it
 */
char *
tall_advise_result_to_json (const TallAdviseResult *self, const char *mix)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autofree char *command = advise_result_make_command (self, !is_embedded (self));
  g_autofree char *on_hbase = advise_result_make_command (self, TRUE);
  json_builder_begin_object (builder);
  tall_json_add_text (builder, "version", TALL_VERSION);
  tall_json_add_text (builder, "store", self->store);
  tall_json_add_text (builder, "mix", mix);
  tall_json_add_number (builder, "orders_read", self->n_read);
  tall_json_add_number (builder, "orders_measured", self->n_sampled);
  tall_json_add_number (builder, "orders_expected", (gint64)self->facts.total);
  tall_json_add_double (builder, "lines", self->lines);
  tall_json_add_number (builder, "most_lines", self->most_lines);
  tall_json_add_number (builder, "turns", self->n_turns);
  tall_json_add_number (builder, "regions_compared", self->facts.n_regions);
  tall_json_add_text (builder, "command", command);
  tall_json_add_text (builder, "command_on_hbase", on_hbase);
  add_lists (builder, self);
  json_builder_end_object (builder);
  return tall_json_build (builder, TRUE);
}

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
  TallAdviceKey found = { .key_strategy = key, .rate = get_rate (mixed, "mix", layout, key) };
  if (!measure_shape (self, layout, key, &found.shape, error))
    return FALSE;
  tall_key_spread_measure (&found.spread, key, self->all, N_REGIONS);
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
