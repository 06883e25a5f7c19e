/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/advice.h"
#include "bench/compare.h"
#include "bench/given.h"
#include "bench/results.h"
#include "cli/options.h"
#include "cli/output.h"
#include "library/open.h"
#include "base/fail.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <math.h>
#include <unistd.h>

#define MAX_ROWS 300000         /* of the file that are read: a second or two */
#define MAX_LINES 5000000       /* of all orders that are read together */
#define MAX_SAMPLED_LINES 20000 /* of the sample: stored once in each layout in each turn */
#define MAX_SHAPED 40           /* orders whose rows are looked at, as that takes longer */
#define MAX_SHAPED_LINES 2000
#define N_REGIONS 16   /* that the spread of keys is computed for */
#define PART_TURNS 3   /* of each part of the mix alone */
#define AGAIN 2        /* times as many turns for layouts that cannot be told apart */
#define N_STEPS 4      /* measurements, for the progress */
#define FEW_ORDERS 100 /* say little about many */

/* The call, and what was found so far. */
typedef struct
{
  char **orders; /* NULL: not given, as all texts */
  char *map;
  char *mix;
  gboolean json;
  gint64 clients;
  gint64 count;
  gint64 turns;
  double seconds;
  gint64 total; /* TALL_BENCH_NO_COUNT: not given */
  gint64 servers;
  gint64 heap;

  const TallTableAddress *address;
  TallBenchMix parts;      /* of @mix */
  GPtrArray *all;          /* of TallOrder; owns them */
  TallBenchOrders *sample; /* whose orders belong to @all */
  double lines;            /* an order, on average, of @all */
  guint most_lines;
  GArray *layouts; /* of TallMeasured, as @keys */
  GArray *keys;
  TallAdviceFacts facts;
  GPtrArray *advice; /* of TallAdvice */
  guint step;
  const gint *stop; /* atomic: becomes nonzero when it has to stop */
} Advise;

static void
advise_clear (Advise *self)
{
  g_clear_pointer (&self->sample, tall_bench_orders_free);
  g_clear_pointer (&self->all, g_ptr_array_unref);
  g_clear_pointer (&self->layouts, g_array_unref);
  g_clear_pointer (&self->keys, g_array_unref);
  g_clear_pointer (&self->advice, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Advise, advise_clear)

static gboolean
read_orders (Advise *self, GError **error)
{
  TallBenchFile file = {
    .paths = (const char *const *)self->orders,
    .map = self->map,
    .max_orders = G_MAXUINT,
    .max_lines = MAX_LINES,
    .max_rows = MAX_ROWS,
    .begin = tall_stop_on_signals,
  };
  self->all = tall_bench_file_read (&file, error);
  g_autofree char *left_out = file.left_out;
  if (left_out != NULL)
    tall_print_error ("%s", left_out);
  if (self->all == NULL)
    return FALSE;
  for (guint i = 0; i < self->all->len; i++)
    {
      guint n = tall_order_count_lines (g_ptr_array_index (self->all, i));
      self->lines += (double)n / self->all->len;
      self->most_lines = MAX (self->most_lines, n);
    }
  self->sample =
      tall_bench_orders_new (tall_bench_sample (self->all, (guint)self->count, MAX_SAMPLED_LINES));
  GPtrArray *sampled = self->sample->orders;
  for (guint i = 0; i < sampled->len; i++)
    tall_bench_change_order (g_ptr_array_index (sampled, i)); /* now it has two contents */
  self->facts.total =
      self->total >= 0 ? (double)self->total : self->all->len / MAX (file.share, 1e-6);
  if (self->clients <= sampled->len)
    return TRUE;
  return tall_error_fail_invalid (
      error, "clients",
      "--clients %" G_GINT64_FORMAT
      ": the sample has only %u orders, and each client needs its own to replace",
      self->clients, sampled->len);
}

/* On a terminal. */
static void
show_progress (const char *what, double done, gpointer data)
{
  const Advise *self = data;
  g_autofree char *text =
      g_strdup_printf ("%-44s %3.0f %%", what, (self->step + done) / N_STEPS * 100);
  tall_progress_show_text (text);
}

/* @what: layouts, keys and turns; with a mix, or for its parts alone
 * @records: gets what was measured
 *
 * Returns: (transfer full) (element-type TallBenchSummary): of all @records */
static GPtrArray *
measure (Advise *self, TallBenchCompare what, GArray *records, GError **error)
{
  what.place.address = self->address;
  what.leaves_stored = TRUE;
  what.plan.n_clients = (guint)self->clients;
  what.plan.seconds = what.plan.mix != NULL ? self->seconds : self->seconds / 2;
  what.plan.seed = 1;
  what.plan.stop = self->stop;
  what.progress = show_progress;
  what.progress_data = self;
  TallBenchFigures figures = { .records = records };
  if (!tall_bench_compare_run (&what, self->sample, &figures, error))
    return NULL;
  self->step++;
  return tall_bench_summarize ((const TallBenchRecord *)(gpointer)records->data, records->len);
}

/* Returns: (transfer container) (element-type TallLayout): those that are the best for the mix, as
 *   far as the turns tell */
static GPtrArray *
find_best_layouts (const GPtrArray *summaries)
{
  GPtrArray *layouts = g_ptr_array_new ();
  const TallBenchSummary *last = g_ptr_array_index (summaries, summaries->len - 1); /* of the mix */
  g_auto (TallBenchVerdict) verdict = { NULL };
  tall_bench_verdict_init (&verdict, summaries, last->phase, TALL_BENCH_RATE);
  for (guint i = 0; i < verdict.best->len; i++)
    g_ptr_array_add (layouts, (gpointer)((TallBenchSummary *)verdict.best->pdata[i])->layout);
  return layouts;
}

/* Sets the rate of the mix, and the times of its parts. */
static void
take_rates (const Advise *self, TallMeasured *found, const GPtrArray *summaries)
{
  for (guint i = 0; summaries != NULL && i < summaries->len; i++)
    {
      const TallBenchSummary *summary = g_ptr_array_index (summaries, i);
      const TallSpread *rate = &summary->metrics[TALL_BENCH_RATE];
      if (summary->layout != found->layout || summary->key_strategy != found->key_strategy)
        continue;
      if (g_str_equal (summary->phase->name, "mix"))
        found->rate = *rate;
      for (guint k = 0; k < self->parts.n_parts; k++)
        if (g_str_equal (summary->phase->name, self->parts.parts[k]->name))
          found->times[k] = rate->median > 0 ? (double)self->clients / rate->median : 0;
    }
}

/* Adds what is known of a layout with a key strategy. */
static gboolean
add_measured (Advise *self,
              GArray *list,
              TallMeasured found,
              const GPtrArray *mixed,
              const GPtrArray *alone,
              GError **error)
{
  g_autoptr (GPtrArray) few =
      tall_bench_sample (self->sample->orders, MAX_SHAPED, MAX_SHAPED_LINES);
  take_rates (self, &found, mixed);
  take_rates (self, &found, alone);
  tall_key_spread_measure (&found.spread, found.key_strategy, self->all, N_REGIONS);
  if (!tall_shape_measure (&found.shape, found.layout, found.key_strategy, few, error))
    return FALSE;
  g_array_append_val (list, found);
  return TRUE;
}

/* Other work of the machine can make one layout a third slower than another in some turns; more of
 * them make the medians surer of those between which it has to be chosen. */
static gboolean
measure_layouts (Advise *self, GError **error)
{
  static const TallKeyStrategy *const keys[] = { &tall_key_hashed };
  g_autoptr (GArray) records = g_array_new (FALSE, FALSE, sizeof (TallBenchRecord));
  g_autoptr (GArray) part_records = g_array_new (FALSE, FALSE, sizeof (TallBenchRecord));
  TallBenchCompare what = { .key_strategies = keys,
                            .n_key_strategies = 1,
                            .indexes = tall_bench_mix_get_indexes (&self->parts),
                            .n_turns = (guint)self->turns,
                            .plan = { .mix = &self->parts } };
  what.layouts = tall_layouts (&what.n_layouts);
  g_autoptr (GPtrArray) mixed = measure (self, what, records, error);
  if (mixed == NULL)
    return FALSE;
  g_autoptr (GPtrArray) best = find_best_layouts (mixed);
  TallBenchCompare again = what;
  again.layouts = (const TallLayout *const *)best->pdata;
  again.n_layouts = best->len;
  again.n_turns *= AGAIN;
  if (best->len > 1)
    {
      g_ptr_array_unref (mixed);
      mixed = measure (self, again, records, error);
    }
  else
    self->step++;
  TallBenchCompare parts = what;
  parts.n_turns = MIN (what.n_turns, PART_TURNS);
  parts.plan.mix = NULL;
  g_autoptr (GPtrArray) alone = mixed != NULL ? measure (self, parts, part_records, error) : NULL;
  for (guint i = 0; alone != NULL && i < what.n_layouts; i++)
    if (!add_measured (self, self->layouts, (TallMeasured){ what.layouts[i], keys[0] }, mixed,
                       alone, error))
      return FALSE;
  self->facts.layouts = (const TallMeasured *)(gpointer)self->layouts->data;
  self->facts.n_layouts = self->layouts->len;
  return alone != NULL;
}

static gboolean
measure_keys (Advise *self, GError **error)
{
  const TallLayout *layout = tall_advice_choose_layout (&self->facts)->layout;
  g_autoptr (GArray) records = g_array_new (FALSE, FALSE, sizeof (TallBenchRecord));
  TallBenchCompare what = { .layouts = &layout,
                            .n_layouts = 1,
                            .indexes = tall_bench_mix_get_indexes (&self->parts),
                            .n_turns = (guint)self->turns,
                            .plan = { .mix = &self->parts } };
  what.key_strategies = tall_key_strategies (&what.n_key_strategies);
  g_autoptr (GPtrArray) mixed = measure (self, what, records, error);
  for (guint i = 0; mixed != NULL && i < what.n_key_strategies; i++)
    if (!add_measured (self, self->keys, (TallMeasured){ layout, what.key_strategies[i] }, mixed,
                       NULL, error))
      return FALSE;
  self->facts.keys = (const TallMeasured *)(gpointer)self->keys->data;
  self->facts.n_keys = self->keys->len;
  return mixed != NULL;
}

/* Returns: (transfer full): the options of `init` that make what is recommended, embedded or on
 *   HBase; STORE and CUSTOMERS stand for what its user knows. Splits of raw keys are chosen by a
 *   file of customer numbers */
static char *
make_command (const Advise *self, gboolean on_hbase)
{
  GString *text = g_string_new ("tallorder init --store STORE");
  for (guint i = 0; i < self->advice->len; i++)
    {
      const TallAdvice *each = g_ptr_array_index (self->advice, i);
      if ((each->flags & TALL_ADVICE_OPTION) != 0
          && (on_hbase || (each->flags & TALL_ADVICE_HBASE) == 0))
        g_string_append_printf (text, " --%s %s", each->name, each->value);
    }
  if (on_hbase && g_str_equal (tall_advice_find (self->advice, "key")->value, tall_key_raw.name)
      && !g_str_equal (tall_advice_find (self->advice, "regions")->value, "1"))
    g_string_append (text, " --sample CUSTOMERS");
  return g_string_free (text, FALSE);
}

static void
print_wrapped (const char *before, const char *text)
{
  tall_print_wrapped (before, text, " ", 4);
}

/* What was measured of all layouts, or of all keys. */
static void
print_figures (const GArray *measured, gboolean are_keys)
{
  static const char *const layout_columns[] = { "LAYOUT",       ">MIX/S", ">±", ">TURNS",
                                                ">CALLS A GET", ">BYTES", NULL };
  static const char *const key_columns[] = {
    "KEY", ">MIX/S", ">±", ">TURNS", ">FAST_DIFF", ">FULLEST", ">OF THE NEWEST", NULL
  };
  g_autoptr (TallGrid) grid = tall_grid_new (are_keys ? key_columns : layout_columns);
  for (guint i = 0; i < measured->len; i++)
    {
      const TallMeasured *each = &g_array_index (measured, TallMeasured, i);
      g_autofree char *rate = tall_spread_format (&each->rate);
      tall_grid_add (grid, are_keys ? each->key_strategy->name : each->layout->name);
      tall_grid_add (grid, rate);
      tall_spread_add_deviation (&each->rate, grid);
      tall_grid_add_number (grid, each->rate.n);
      if (!are_keys)
        tall_grid_add_format (grid, "%.3g", each->shape.get_calls);
      tall_grid_add_format (grid, "%.0f", are_keys ? each->shape.encoded : each->shape.bytes);
      if (!are_keys)
        continue;
      tall_grid_add_format (grid, "%.1f", each->spread.all);
      tall_grid_add_format (grid, "%.1f", each->spread.newest);
    }
  tall_grid_print (grid, 2);
  print_wrapped (
      are_keys ? "  FAST_DIFF:" : "  BYTES:",
      are_keys ? "bytes of an order with this encoding of HBase. FULLEST: how many orders the "
                 "fullest of "
                 "16 regions has, in fair shares; 1 is even. OF THE NEWEST: the same of the newest "
                 "tenth "
                 "of them. MIX/S was measured anew: it compares with this table alone."
               : "of an order's cells as HBase keeps them, each with its key, before encoding.");
}

static void
print_text (const Advise *self)
{
  gboolean is_embedded = self->address->kind->is_embedded;
  g_autofree char *command = make_command (self, !is_embedded);
  g_autofree char *on_hbase = make_command (self, TRUE);
  guint n_customers = self->sample->customers->len;
  g_autofree char *number = g_strdup_printf ("%u", self->all->len);
  g_autofree char *about =
      g_strdup_printf ("orders read, with %.4g lines on average, %u at most; measured with %u of "
                       "them, of %u %s, on %s, in %u %s",
                       self->lines, self->most_lines, self->sample->orders->len, n_customers,
                       n_customers == 1 ? "customer" : "customers", self->address->kind->name,
                       (guint)self->turns, self->turns == 1 ? "turn" : "turns");
  print_wrapped (number, about);
  if (self->turns < TALL_BENCH_ENOUGH_TURNS)
    tall_print ("So few turns do not tell what differs from what is chance.\n");
  if (self->all->len < FEW_ORDERS)
    tall_print ("So few orders say little about many: give a larger file.\n");
  for (guint i = 0; i < self->advice->len; i++)
    {
      const TallAdvice *advice = g_ptr_array_index (self->advice, i);
      gboolean is_measured = (advice->flags & TALL_ADVICE_MEASURED) != 0;
      tall_print ("\n%s: %s%s\n", advice->name, advice->value,
                  (advice->flags & TALL_ADVICE_HBASE) != 0 ? " (on HBase)" : "");
      print_wrapped (is_measured ? "  measured:" : "  computed:", advice->reason);
      print_wrapped ("  otherwise with:", advice->overturned);
      if (is_measured)
        print_figures (i == 0 ? self->layouts : self->keys, i > 0);
    }
  tall_print ("\n%s\n", command);
  if (is_embedded)
    tall_print ("On HBase:\n%s\n", on_hbase);
}

static void
add_measured_object (JsonBuilder *builder,
                     const Advise *self,
                     const TallMeasured *found,
                     gboolean is_key)
{
  const TallShape *shape = &found->shape;
  const struct
  {
    const char *name;
    double value;
  } per_order[] = {
    { "rows", shape->rows },
    { "cells", shape->cells },
    { "bytes", shape->bytes },
    { "key_bytes", shape->key_bytes },
    { "bytes_fast_diff", shape->encoded },
    { "bytes_fast_diff_gz", shape->packed },
    { "get_calls", shape->get_calls },
    { "put_calls", shape->put_calls },
  };
  json_builder_begin_object (builder);
  tall_json_add_text (builder, is_key ? "key" : "layout",
                      is_key ? found->key_strategy->name : found->layout->name);
  tall_json_begin_object (builder, "operations_per_second");
  tall_json_add_double (builder, "median", found->rate.median);
  tall_json_add_double (builder, "least", found->rate.least);
  tall_json_add_double (builder, "most", found->rate.most);
  tall_json_add_number (builder, "turns", found->rate.n);
  json_builder_end_object (builder);
  tall_json_begin_object (builder, "per_order");
  for (guint i = 0; i < G_N_ELEMENTS (per_order); i++)
    tall_json_add_double (builder, per_order[i].name, per_order[i].value);
  json_builder_end_object (builder);
  if (is_key)
    {
      tall_json_add_double (builder, "fullest_region", found->spread.all);
      tall_json_add_double (builder, "fullest_region_of_newest", found->spread.newest);
    }
  else
    {
      tall_json_begin_object (builder, "alone_us");
      for (guint i = 0; i < self->parts.n_parts; i++)
        tall_json_add_double (builder, self->parts.parts[i]->name, found->times[i] * 1e6);
      json_builder_end_object (builder);
    }
  json_builder_end_object (builder);
}

static void
print_json (const Advise *self)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autofree char *command = make_command (self, !self->address->kind->is_embedded);
  g_autofree char *on_hbase = make_command (self, TRUE);
  json_builder_begin_object (builder);
  tall_json_add_text (builder, "version", TALL_VERSION);
  tall_json_add_text (builder, "store", self->address->kind->name);
  tall_json_add_text (builder, "mix", self->mix);
  tall_json_add_number (builder, "orders_read", self->all->len);
  tall_json_add_number (builder, "orders_measured", self->sample->orders->len);
  tall_json_add_number (builder, "orders_expected", (gint64)self->facts.total);
  tall_json_add_double (builder, "lines", self->lines);
  tall_json_add_number (builder, "most_lines", self->most_lines);
  tall_json_add_number (builder, "turns", self->turns);
  tall_json_add_number (builder, "regions_compared", N_REGIONS);
  tall_json_add_text (builder, "command", command);
  tall_json_add_text (builder, "command_on_hbase", on_hbase);
  tall_json_begin_array (builder, "advice");
  for (guint i = 0; i < self->advice->len; i++)
    {
      const TallAdvice *advice = g_ptr_array_index (self->advice, i);
      json_builder_begin_object (builder);
      tall_json_add_text (builder, "name", advice->name);
      tall_json_add_text (builder, "value", advice->value);
      tall_json_add_text (builder, "basis",
                          advice->flags & TALL_ADVICE_MEASURED ? "measured" : "computed");
      tall_json_add_flag (builder, "hbase_only", (advice->flags & TALL_ADVICE_HBASE) != 0);
      tall_json_add_text (builder, "reason", advice->reason);
      tall_json_add_text (builder, "otherwise_with", advice->overturned);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  tall_json_begin_array (builder, "layouts");
  for (guint i = 0; i < self->layouts->len; i++)
    add_measured_object (builder, self, &g_array_index (self->layouts, TallMeasured, i), FALSE);
  json_builder_end_array (builder);
  tall_json_begin_array (builder, "keys");
  for (guint i = 0; i < self->keys->len; i++)
    add_measured_object (builder, self, &g_array_index (self->keys, TallMeasured, i), TRUE);
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  tall_json_print (builder);
}

static TallExit
fail (const GError *error)
{
  tall_print_failure (error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return (TallExit)(128 + g_atomic_int_get (tall_stop_on_signals ()));
  return g_error_matches (error, TALL_ERROR, TALL_ERROR_INVALID) ? TALL_EXIT_USAGE
                                                                 : TALL_EXIT_FAILED;
}

static TallExit
advise (Advise *self, const TallTableAddress *address)
{
  g_autoptr (GError) error = NULL;
  self->address = address;
  self->facts.mix = &self->parts;
  self->facts.n_servers = (guint)self->servers;
  self->facts.heap = (guint)self->heap;
  self->layouts = g_array_new (FALSE, FALSE, sizeof (TallMeasured));
  self->keys = g_array_new (FALSE, FALSE, sizeof (TallMeasured));
  gboolean done = read_orders (self, &error);
  self->stop = tall_stop_on_signals ();
  done = done && measure_layouts (self, &error) && measure_keys (self, &error);
  tall_progress_clear ();
  if (!done)
    return fail (error);
  self->advice = tall_advise (&self->facts);
  if (self->json)
    print_json (self);
  else
    print_text (self);
  return TALL_EXIT_DONE;
}

/* What is wrong with the call; NULL: nothing. */
static char *
find_mistake (Advise *self, const TallOptions *options)
{
  const TallRange ranges[] = {
    { "clients", (double)self->clients, 1, TALL_BENCH_MAX_CLIENTS, FALSE },
    { "count", (double)self->count, 1, 10000, FALSE },
    { "turns", (double)self->turns, 1, 100, FALSE },
    { "servers", (double)self->servers, 1, 10000, FALSE },
    { "heap", (double)self->heap, 512, 1048576, FALSE },
    { "total", (double)self->total, 1, INFINITY, TRUE },
  };
  g_autoptr (GError) error = NULL;
  if (options->server != NULL)
    return g_strdup ("advise measures in a store, not on a server: give --store, or nothing");
  if (self->orders == NULL || self->map == NULL)
    return g_strdup ("Say which orders: --orders FILE.csv, and --map for what its columns are");
  if (self->mix == NULL)
    return g_strdup ("Say what programs will do, and how often: --mix, such as get=90,store=10");
  if (!(self->seconds > 0 && self->seconds <= 60))
    return g_strdup ("--seconds: choose more than 0, to 60");
  return tall_bench_check_ranges (ranges, G_N_ELEMENTS (ranges), &error)
                 && tall_bench_mix_parse (&self->parts, self->mix, &error)
             ? NULL
             : g_strdup (error->message);
}

/* In a directory that is removed afterwards. It is made when something is put there: a signal may
 * end the process while it reads. */
static TallExit
advise_temporarily (Advise *self)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *id = g_uuid_string_random ();
  g_autofree char *name = g_strconcat ("tallorder-advise-", id, NULL);
  g_autofree char *folder = g_build_filename (g_get_tmp_dir (), name, NULL);
  g_autofree char *escaped = g_uri_escape_string (folder, "/", FALSE);
  g_autofree char *text = g_strconcat ("rocksdb:", escaped, NULL);
  if (g_access (g_get_tmp_dir (), W_OK | X_OK) != 0)
    return tall_fail_saying (TALL_EXIT_FAILED,
                             "The folder for temporary files, %s, cannot be written: %s. Set "
                             "TMPDIR to another, or give --store",
                             g_get_tmp_dir (), g_strerror (errno));
  g_autoptr (TallTableAddress) address = tall_table_kinds_parse (text, &error);
  TallExit code = address != NULL ? advise (self, address) : fail (error);
  g_rmdir (folder);
  return code;
}

static TallExit
check_and_advise (Advise *self, const TallOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *mistake = find_mistake (self, options);
  if (mistake != NULL)
    return tall_usage_error (&tall_command_advise, "%s", mistake);
  if (options->store == NULL)
    return advise_temporarily (self);
  g_autoptr (TallTableAddress) address = tall_table_kinds_parse (options->store, &error);
  if (address != NULL)
    return advise (self, address);
  return tall_fail_with (error, TALL_EXIT_USAGE);
}

static TallExit
run (int argc, char **argv)
{
  g_auto (Advise) self = {
    .clients = 1,
    .count = 1000,
    .turns = 5,
    .seconds = 0.3,
    .total = TALL_BENCH_NO_COUNT,
    .servers = 3,
    .heap = 8192,
  };
  const GOptionEntry entries[] = {
    { "orders", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &self.orders,
      "some of the orders to be stored; given as often as load takes several files",
      "[KIND=]FILE" },
    { "map", 0, 0, G_OPTION_ARG_FILENAME, &self.map, "its columns, as for load", "NAME|FILE" },
    { "mix", 0, 0, G_OPTION_ARG_STRING, &self.mix,
      "what programs do, and how often, such as get=90,store=10", "NAME=N,…" },
    { "total", 0, 0, G_OPTION_ARG_INT64, &self.total,
      "orders that there will be (as many as in the file)", "N" },
    { "servers", 0, 0, G_OPTION_ARG_INT64, &self.servers, "region servers of the HBase (3)", "N" },
    { "heap", 0, 0, G_OPTION_ARG_INT64, &self.heap, "memory of each of them (8192)", "MB" },
    { "clients", 0, 0, G_OPTION_ARG_INT64, &self.clients, "that work at once (1)", "N" },
    { "count", 0, 0, G_OPTION_ARG_INT64, &self.count, "orders to measure with at most (1000)",
      "N" },
    { "turns", 0, 0, G_OPTION_ARG_INT64, &self.turns, "that all layouts take (5)", "N" },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &self.seconds, "of each measurement in a turn (0.3)",
      "S" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &self.json, "as JSON, with every figure", NULL },
    { NULL },
  };
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  if (!tall_options_parse (&options, &tall_command_advise, entries, argc, argv, &error))
    return tall_call_error (&tall_command_advise, error);
  return check_and_advise (&self, &options);
}

const TallCommand tall_command_advise = {
  .name = "advise",
  .arguments = "",
  .summary = "Recommends layout, keys and table settings for your orders, with the reasons.",
  .make_help = tall_bench_mix_describe,
  .help =
      "It reads up to 300000 rows of the file, takes a sample of whole customers, and measures\n"
      "every layout and key strategy with it, as bench does: in deployments of its own, which\n"
      "it removes. Without --store they are in a temporary directory. 30 to 60 seconds.\n"
      "\n"
      "Example:\n"
      "  tallorder advise --orders orders.csv --map northwind --mix get=90,store=10\n"
      "  tallorder advise --store hbase://127.0.0.1:9090 --orders orders.csv --map my.map \\\n"
      "    --mix get=80,list=15,replace=5 --total 500000000 --servers 12 --heap 16384",
  .ignores_environment = TRUE,
  .run = run,
};
