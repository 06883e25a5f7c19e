/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/results.h"

#include "model/json-build.h"

#include <math.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* For people and for programs. */
static const char *const names[] = { "date",       "command", "processor",
                                     "processors", "memory",  "kernel" };
G_STATIC_ASSERT (G_N_ELEMENTS (names) == TALL_BENCH_N_FACTS);

/* The value of a line such as `model name : …` of a file of the kernel; NULL: there is none. */
static char *
read_line (const char *path, const char *name)
{
  g_autofree char *text = NULL;
  if (!g_file_get_contents (path, &text, NULL, NULL))
    return NULL;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      const char *colon = strchr (lines[i], ':');
      if (colon != NULL && g_str_has_prefix (lines[i], name))
        return g_strstrip (g_strdup (colon + 1));
    }
  return NULL;
}

/**
 * tall_bench_setting_read:
 * @self: (out caller-allocates): to be cleared
 * @command: that measures
 *
 * Looks at this machine.
 */
void
tall_bench_setting_read (TallBenchSetting *self, const char *command)
{
  struct utsname machine;
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  *self = (TallBenchSetting){ {
      g_date_time_format (now, "%Y-%m-%d %H:%M UTC"),
      g_strdup (command),
      read_line ("/proc/cpuinfo", "model name"),
      g_strdup_printf ("%ld", sysconf (_SC_NPROCESSORS_ONLN)),
      read_line ("/proc/meminfo", "MemTotal"),
      uname (&machine) == 0 ? g_strdup_printf ("%s %s", machine.sysname, machine.release) : NULL,
  } };
}

/* Adds a member `setting` with what is known. */
static void
bench_setting_add (const TallBenchSetting *self, JsonBuilder *builder)
{
  tall_json_begin_object (builder, "setting");
  for (guint i = 0; i < TALL_BENCH_N_FACTS; i++)
    tall_json_add_text (builder, names[i], self->facts[i]);
  json_builder_end_object (builder);
}

void
tall_bench_setting_clear (TallBenchSetting *self)
{
  for (guint i = 0; i < TALL_BENCH_N_FACTS; i++)
    g_clear_pointer (&self->facts[i], g_free);
}

static const struct
{
  TallBenchMetric metric;
  const char *name;
} columns[] = {
  { TALL_BENCH_CPU_CLIENT, "client µs" }, { TALL_BENCH_CPU_GATEWAY, "gateway µs" },
  { TALL_BENCH_CPU_SERVER, "server µs" }, { TALL_BENCH_SENT, "bytes sent" },
  { TALL_BENCH_RECEIVED, "received" },
};
#define WIDTH 10

static void
append_spent_cell (GString *text, const char *cell)
{
  g_string_append_printf (text, "  %*s%s", MAX (WIDTH - (int)g_utf8_strlen (cell, -1), 0), "",
                          cell);
}

static void
append_spent_name (GString *text, const TallLayout *layout, const TallKeyStrategy *key_strategy)
{
  g_string_append_printf (text, "  %-12s  %-8s", layout->name, key_strategy->name);
}

/* Whether a column has a figure at all. */
static gboolean
is_known (const TallBenchResults *results, guint column)
{
  for (guint i = 0; i < results->summaries->len; i++)
    {
      const TallBenchSummary *summary = g_ptr_array_index (results->summaries, i);
      if (summary->metrics[columns[column].metric].n > 0)
        return TRUE;
    }
  return FALSE;
}

static void
append_spent_summary (GString *text, const TallBenchResults *results, guint place)
{
  const TallBenchSummary *summary = g_ptr_array_index (results->summaries, place);
  g_string_append_printf (text, "  %-8s", summary->phase->name);
  append_spent_name (text, summary->layout, summary->key_strategy);
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    {
      const TallSpread *spread = &summary->metrics[columns[i].metric];
      if (!is_known (results, i))
        continue;
      g_autofree char *cell = spread->n > 0 ? tall_spread_format (spread) : g_strdup ("-");
      append_spent_cell (text, cell);
    }
  g_string_append_c (text, '\n');
}

/* A table for people: what operations used beside time. */
static void
bench_spent_append_spendings (GString *text, const TallBenchResults *results)
{
  if (results->summaries->len == 0)
    return;
  g_string_append (
      text, "\nspent: CPU µs and bytes on the wire of an operation, as far as they are known\n");
  g_string_append_printf (text, "  %-8s  %-12s  %-8s", "phase", "layout", "key");
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    if (is_known (results, i))
      append_spent_cell (text, columns[i].name);
  g_string_append_c (text, '\n');
  for (guint i = 0; i < results->summaries->len; i++)
    append_spent_summary (text, results, i);
}

static void
append_bytes (GString *text, guint64 bytes, guint n_orders)
{
  g_autofree char *cell = g_strdup_printf ("%.0f", (double)bytes / MAX (n_orders, 1));
  append_spent_cell (text, cell);
}

/* A table for people: what an order takes on the disk. */
static void
bench_spent_append_stored (GString *text, const TallBenchResults *results)
{
  if (results->stored == NULL || results->stored->len == 0)
    {
      g_string_append (text,
                       "\nstored: not known; --admin names what flushes and compacts tables\n");
      return;
    }
  g_string_append (text, "\nstored: bytes of an order on the disk, with all that belongs to it\n");
  g_string_append_printf (text, "  %-12s  %-8s", "layout", "key");
  append_spent_cell (text, "flushed");
  append_spent_cell (text, "compacted");
  g_string_append_c (text, '\n');
  for (guint i = 0; i < results->stored->len; i++)
    {
      const TallBenchStored *stored = &g_array_index (results->stored, TallBenchStored, i);
      append_spent_name (text, stored->layout, stored->key_strategy);
      append_bytes (text, stored->flushed, results->n_orders);
      append_bytes (text, stored->compacted, results->n_orders);
      g_string_append_c (text, '\n');
    }
}

/* Conditions that are not the usual ones, for people. */
static void
bench_spent_append_conditions (GString *text, const TallBenchConditions *conditions)
{
  if (conditions->compression != NULL)
    g_string_append_printf (text, "; compression %s", conditions->compression);
  if (conditions->block_encoding != NULL)
    g_string_append_printf (text, "; block encoding %s", conditions->block_encoding);
  if (conditions->regions > 0)
    g_string_append_printf (text, "; %u regions a table", conditions->regions);
  if (conditions->age > 0)
    g_string_append_printf (text, "; each order replaced %u times before", conditions->age);
  if (conditions->rest != TALL_BENCH_AS_IT_IS)
    g_string_append_printf (text, "; %s", tall_bench_rest_names[conditions->rest]);
  if (conditions->cache > 0)
    g_string_append_printf (text, "; block cache of %g times the stored bytes", conditions->cache);
}

static void
bench_spent_add_stored (JsonBuilder *builder, const TallBenchResults *results)
{
  tall_json_begin_array (builder, "stored");
  for (guint i = 0; results->stored != NULL && i < results->stored->len; i++)
    {
      const TallBenchStored *stored = &g_array_index (results->stored, TallBenchStored, i);
      json_builder_begin_object (builder);
      tall_json_add_text (builder, "layout", stored->layout->name);
      tall_json_add_text (builder, "key", stored->key_strategy->name);
      tall_json_add_number (builder, "flushed_bytes", (gint64)stored->flushed);
      tall_json_add_number (builder, "compacted_bytes", (gint64)stored->compacted);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
bench_spent_add_conditions (JsonBuilder *builder, const TallBenchConditions *conditions)
{
  tall_json_begin_object (builder, "conditions");
  tall_json_add_text (builder, "compression", conditions->compression);
  tall_json_add_text (builder, "block_encoding", conditions->block_encoding);
  if (conditions->regions > 0)
    tall_json_add_number (builder, "regions", conditions->regions);
  tall_json_add_number (builder, "age", conditions->age);
  tall_json_add_text (builder, "rest", tall_bench_rest_names[conditions->rest]);
  if (conditions->cache > 0)
    tall_json_add_double (builder, "cache", conditions->cache);
  json_builder_end_object (builder);
}

/* For programs, in the order of #TallBenchMetric. */
static const char *const metric_names[TALL_BENCH_N_METRICS] = {
  "operations_per_second",
  "p50_us",
  "p95_us",
  "p99_us",
  "p99_9_us",
  "max_us",
  "cpu_client_us",
  "cpu_gateway_us",
  "cpu_server_us",
  "wire_sent_bytes",
  "wire_received_bytes",
};

/* For people: what has a spread, and after it what an operation costs. */
static const struct
{
  TallBenchMetric metric;
  const char *name;
  int width;
} metric_columns[] = {
  { TALL_BENCH_RATE, "ops/s", 7 },
  { TALL_BENCH_P50, "p50 µs", 7 },
  { TALL_BENCH_P99, "p99 µs", 7 },
  { TALL_BENCH_P999, "p99.9 µs", 8 },
};
#define DEVIATION_WIDTH 4

static const struct
{
  const char *name;
  int width;
  gsize read; /* offsets in TallCost of what is added up */
  gsize written;
} cost_columns[] = {
  { "calls", 5, G_STRUCT_OFFSET (TallCost, calls), G_MAXSIZE },
  { "rows", 6, G_STRUCT_OFFSET (TallCost, rows_read), G_STRUCT_OFFSET (TallCost, rows_written) },
  { "cells", 7, G_STRUCT_OFFSET (TallCost, cells_read), G_STRUCT_OFFSET (TallCost, cells_written) },
  { "bytes", 7, G_STRUCT_OFFSET (TallCost, bytes_read), G_STRUCT_OFFSET (TallCost, bytes_written) },
};

static double
per_operation (const TallBenchSummary *summary, guint64 value)
{
  return summary->n_counted > 0 ? (double)value / (double)summary->n_counted : 0;
}

static guint64
get_cost (const TallBenchSummary *summary, gsize offset)
{
  return offset == G_MAXSIZE ? 0 : G_STRUCT_MEMBER (guint64, &summary->cost, offset);
}

static void
append_cell (GString *text, int width, const char *cell)
{
  g_string_append_printf (text, "  %*s%s", MAX (width - (int)g_utf8_strlen (cell, -1), 0), "",
                          cell);
}

/* Whole numbers as they are; of others, three significant digits are enough to read. */
static void
append_number (GString *text, int width, double value)
{
  g_autofree char *cell = g_strdup_printf (value >= 100 || value == floor (value) ? "%.0f"
                                           : value >= 10                          ? "%.1f"
                                                                                  : "%.2f",
                                           value);
  append_cell (text, width, cell);
}

static void
append_deviation (GString *text, const TallSpread *rate)
{
  double deviation = tall_spread_get_deviation (rate);
  g_autofree char *cell = rate->n < 2         ? g_strdup ("")
                          : deviation < 9.995 ? g_strdup_printf ("%.0f%%", deviation * 100)
                                              : g_strdup (">10×"); /* a turn stood still */
  append_cell (text, DEVIATION_WIDTH, cell);
}

static void
append_name (GString *text, const char *layout, const char *key, gboolean with_key)
{
  g_string_append_printf (text, "  %-12s", layout);
  if (with_key)
    g_string_append_printf (text, "  %-8s", key);
}

static void
append_summary (GString *text, const TallBenchSummary *summary, gboolean with_key)
{
  append_name (text, summary->layout->name, summary->key_strategy->name, with_key);
  for (guint i = 0; i < G_N_ELEMENTS (metric_columns); i++)
    {
      const TallSpread *spread = &summary->metrics[metric_columns[i].metric];
      g_autofree char *cell = tall_spread_format (spread);
      append_cell (text, metric_columns[i].width, cell);
      if (metric_columns[i].metric == TALL_BENCH_RATE)
        append_deviation (text, spread);
    }
  for (guint i = 0; i < G_N_ELEMENTS (cost_columns); i++)
    append_number (text, cost_columns[i].width,
                   per_operation (summary, get_cost (summary, cost_columns[i].read)
                                               + get_cost (summary, cost_columns[i].written)));
  g_string_append_c (text, '\n');
}

static void
append_header (GString *text, gboolean with_key)
{
  append_name (text, "layout", "key", with_key);
  for (guint i = 0; i < G_N_ELEMENTS (metric_columns); i++)
    {
      append_cell (text, metric_columns[i].width, metric_columns[i].name);
      if (metric_columns[i].metric == TALL_BENCH_RATE)
        append_cell (text, DEVIATION_WIDTH, "±");
    }
  for (guint i = 0; i < G_N_ELEMENTS (cost_columns); i++)
    append_cell (text, cost_columns[i].width, cost_columns[i].name);
  g_string_append_c (text, '\n');
}

static char *
describe (const TallBenchSummary *summary, gboolean with_key)
{
  return with_key ? g_strdup_printf ("%s/%s", summary->layout->name, summary->key_strategy->name)
                  : g_strdup (summary->layout->name);
}

static void
append_best (GString *text, const TallBenchVerdict *verdict, gboolean with_key)
{
  for (guint i = 0; i < verdict->best->len; i++)
    {
      g_autofree char *name = describe (g_ptr_array_index (verdict->best, i), with_key);
      g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", name);
    }
}

static const TallBenchSummary *
get_summary (const TallBenchResults *self, guint place)
{
  return g_ptr_array_index (self->summaries, place);
}

static gboolean
has_many_keys (const TallBenchResults *self)
{
  for (guint i = 1; i < self->summaries->len; i++)
    if (get_summary (self, i)->key_strategy != get_summary (self, 0)->key_strategy)
      return TRUE;
  return FALSE;
}

/* Where operations begin at a given rate, all have that rate; then p99 decides, in which it shows
 * that a store stood still.
 *
 * Returns: (transfer full) (nullable): a line for people that says which is best in @phase; NULL if
 *   there is nothing to compare, or too few turns */
static char *
bench_results_judge (const TallBenchResults *self, const TallBenchPhase *phase)
{
  gboolean by_rate = self->rate == 0;
  g_auto (TallBenchVerdict) verdict = { NULL };
  tall_bench_verdict_init (&verdict, self->summaries, phase,
                           by_rate ? TALL_BENCH_RATE : TALL_BENCH_P99);
  if (verdict.n_turns < TALL_BENCH_ENOUGH_TURNS || (verdict.best->len < 2 && verdict.lead == 0))
    return NULL;
  GString *text = g_string_new (verdict.best->len > 1 ? "no difference between " : "best: ");
  append_best (text, &verdict, has_many_keys (self));
  g_string_append (text, by_rate ? "" : " by p99");
  if (verdict.lead > 0)
    g_string_append_printf (text,
                            by_rate ? "; %.2f times the next"
                                    : "; the next takes %.2f times as long",
                            verdict.lead);
  return g_string_free (text, FALSE);
}

static void
append_settings (GString *text, const TallBenchResults *self)
{
  g_string_append_printf (text, "%u orders with %.4g lines on average, of %u %s, on %s; %u %s",
                          self->n_orders, (double)self->n_lines / MAX (self->n_orders, 1),
                          self->n_customers, self->n_customers == 1 ? "customer" : "customers",
                          self->store, self->n_clients,
                          self->n_clients == 1 ? "client" : "clients");
  if (self->rate > 0)
    g_string_append_printf (text, " that begin %.4g operations a second", self->rate);
  if (self->conditions != NULL)
    bench_spent_append_conditions (text, self->conditions);
  if (self->stopped)
    g_string_append (text, "; not all: the run was stopped");
}

static void
append_phase (GString *text,
              const TallBenchResults *self,
              const TallBenchPhase *phase,
              gboolean with_key)
{
  gboolean begun = FALSE;
  for (guint i = 0; i < self->summaries->len; i++)
    {
      if (get_summary (self, i)->phase != phase)
        continue;
      if (!begun)
        {
          g_string_append_printf (text, "\n%s: %s\n", phase->name, phase->summary);
          append_header (text, with_key);
        }
      begun = TRUE;
      append_summary (text, get_summary (self, i), with_key);
    }
  g_autofree char *verdict = begun ? bench_results_judge (self, phase) : NULL;
  if (verdict != NULL)
    g_string_append_printf (text, "  %s\n", verdict);
}

/**
 * tall_bench_results_to_text:
 *
 * Returns: (transfer full): a table for people for each phase, with the layouts below each other
 */
char *
tall_bench_results_to_text (const TallBenchResults *self)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean with_key = has_many_keys (self);
  guint n_phases;
  const TallBenchPhase *phases = tall_bench_phases (&n_phases);

  append_settings (text, self);
  if (!with_key && self->summaries->len > 0)
    g_string_append_printf (text, "; key %s", get_summary (self, 0)->key_strategy->name);
  g_string_append_c (text, '\n');
  if (self->n_turns > 1)
    g_string_append_printf (text, "Medians of %s%u turns; ±: half of the way from least to most\n",
                            self->stopped ? "up to " : "", self->n_turns);
  for (guint i = 0; i < n_phases; i++)
    append_phase (text, self, &phases[i], with_key);
  bench_spent_append_spendings (text, self);
  bench_spent_append_stored (text, self);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
add_cost (JsonBuilder *builder, const TallBenchSummary *summary)
{
  const TallCost *cost = &summary->cost;
  tall_json_begin_object (builder, "per_operation");
  tall_json_add_double (builder, "calls", per_operation (summary, cost->calls));
  tall_json_add_double (builder, "rows_read", per_operation (summary, cost->rows_read));
  tall_json_add_double (builder, "cells_read", per_operation (summary, cost->cells_read));
  tall_json_add_double (builder, "bytes_read", per_operation (summary, cost->bytes_read));
  tall_json_add_double (builder, "rows_written", per_operation (summary, cost->rows_written));
  tall_json_add_double (builder, "cells_written", per_operation (summary, cost->cells_written));
  tall_json_add_double (builder, "bytes_written", per_operation (summary, cost->bytes_written));
  tall_json_add_double (builder, "deletes", per_operation (summary, cost->deletes));
  tall_json_add_double (builder, "durable_writes", per_operation (summary, cost->durable));
  json_builder_end_object (builder);
}

static void
add_metric (JsonBuilder *builder, const TallBenchSummary *summary, TallBenchMetric metric)
{
  const GArray *turns = summary->turns[metric];
  if (turns->len == 0)
    return;
  tall_json_begin_object (builder, metric_names[metric]);
  tall_json_add_double (builder, "median", summary->metrics[metric].median);
  tall_json_begin_array (builder, "turns");
  for (guint i = 0; i < turns->len; i++)
    json_builder_add_double_value (builder, g_array_index (turns, double, i));
  json_builder_end_array (builder);
  json_builder_end_object (builder);
}

static void
add_summary (JsonBuilder *builder, const TallBenchSummary *summary)
{
  json_builder_begin_object (builder);
  tall_json_add_text (builder, "phase", summary->phase->name);
  tall_json_add_text (builder, "layout", summary->layout->name);
  tall_json_add_text (builder, "key", summary->key_strategy->name);
  tall_json_add_number (builder, "operations", (gint64)summary->n_timed);
  tall_json_add_number (builder, "operations_counted", (gint64)summary->n_counted);
  for (guint i = 0; i < TALL_BENCH_N_METRICS; i++)
    add_metric (builder, summary, i);
  add_cost (builder, summary);
  json_builder_end_object (builder);
}

static void
add_settings (JsonBuilder *builder, const TallBenchResults *self)
{
  tall_json_add_text (builder, "version", TALL_VERSION);
  tall_json_add_text (builder, "store", self->store);
  tall_json_add_number (builder, "clients", self->n_clients);
  tall_json_add_number (builder, "orders", self->n_orders);
  tall_json_add_number (builder, "customers", self->n_customers);
  tall_json_add_number (builder, "lines", (gint64)self->n_lines);
  tall_json_add_number (builder, "turns", self->n_turns);
  if (self->seconds > 0)
    tall_json_add_double (builder, "seconds", self->seconds);
  else
    tall_json_add_number (builder, "operations", (gint64)self->n_operations);
  if (self->rate > 0)
    tall_json_add_double (builder, "rate", self->rate);
  tall_json_add_text (builder, "mix", self->mix);
  if (self->has_seed)
    tall_json_add_number (builder, "seed", (gint64)self->seed);
  static const TallBenchConditions usual = { 0 };
  bench_spent_add_conditions (builder, self->conditions != NULL ? self->conditions : &usual);
  if (self->setting != NULL)
    bench_setting_add (self->setting, builder);
  tall_json_add_flag (builder, "complete", !self->stopped);
}

/* What is measured, and which is best, by the name of each phase that there is. */
static void
add_phases (JsonBuilder *builder, const TallBenchResults *self)
{
  g_autoptr (GPtrArray) judged = g_ptr_array_new ();
  tall_json_begin_object (builder, "phases");
  for (guint i = 0; i < self->summaries->len; i++)
    {
      const TallBenchPhase *phase = get_summary (self, i)->phase;
      if (g_ptr_array_find (judged, phase, NULL))
        continue;
      g_ptr_array_add (judged, (gpointer)phase);
      tall_json_add_text (builder, phase->name, phase->summary);
    }
  json_builder_end_object (builder);
  tall_json_begin_object (builder, "verdicts");
  for (guint i = 0; i < judged->len; i++)
    {
      const TallBenchPhase *phase = g_ptr_array_index (judged, i);
      g_autofree char *verdict = bench_results_judge (self, phase);
      tall_json_add_text (builder, phase->name, verdict);
    }
  json_builder_end_object (builder);
}

/**
 * tall_bench_results_to_json:
 *
 * Returns: (transfer full): everything, for programs; README.md describes it
 */
char *
tall_bench_results_to_json (const TallBenchResults *self)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  json_builder_begin_object (builder);
  add_settings (builder, self);
  tall_json_begin_array (builder, "measurements");
  for (guint i = 0; i < self->summaries->len; i++)
    add_summary (builder, get_summary (self, i));
  json_builder_end_array (builder);
  add_phases (builder, self);
  bench_spent_add_stored (builder, self);
  json_builder_end_object (builder);
  return tall_json_build (builder, TRUE);
}
