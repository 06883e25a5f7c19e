/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/results.h"

#include "base/text.h"
#include "model/json-build.h"

#include <math.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define SCATTERED 0.1 /* the deviation of turns that tell little */

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

void
tall_bench_setting_clear (TallBenchSetting *self)
{
  for (guint i = 0; i < TALL_BENCH_N_FACTS; i++)
    g_clear_pointer (&self->facts[i], g_free);
}

/* For programs, and for people; spendings stand in a table of their own. */
static const struct
{
  const char *name;
  const char *title; /* nullable: not for people */
} metrics[TALL_BENCH_N_METRICS] = {
  [TALL_BENCH_RATE] = { "operations_per_second", ">ops/s" },
  [TALL_BENCH_P50] = { "p50_us", ">p50 µs" },
  [TALL_BENCH_P95] = { "p95_us", NULL },
  [TALL_BENCH_P99] = { "p99_us", ">p99 µs" },
  [TALL_BENCH_P999] = { "p99_9_us", ">p99.9 µs" },
  [TALL_BENCH_MAX] = { "max_us", NULL },
  [TALL_BENCH_CPU_CLIENT] = { "cpu_client_us", ">client µs" },
  [TALL_BENCH_CPU_GATEWAY] = { "cpu_gateway_us", ">gateway µs" },
  [TALL_BENCH_CPU_SERVER] = { "cpu_server_us", ">server µs" },
  [TALL_BENCH_SENT] = { "wire_sent_bytes", ">bytes sent" },
  [TALL_BENCH_RECEIVED] = { "wire_received_bytes", ">received" },
};

#define COST(member) G_STRUCT_OFFSET (TallCost, member)

/* For programs; for people what is written is added to what is read, N_COPIED rows above. */
static const struct
{
  const char *name;
  gsize offset;
  const char *title; /* nullable: not for people */
} costs[] = {
  { "calls", COST (calls), ">calls" },
  { "rows_read", COST (rows_read), ">rows" },
  { "cells_read", COST (cells_read), ">cells" },
  { "bytes_read", COST (bytes_read), ">bytes" },
  { "rows_written", COST (rows_written), NULL },
  { "cells_written", COST (cells_written), NULL },
  { "bytes_written", COST (bytes_written), NULL },
  { "deletes", COST (deletes), NULL },
  { "durable_writes", COST (durable), NULL },
};
#define N_COPIED 3

static const TallBenchSummary *
get_summary (const TallBenchResults *self, guint place)
{
  return g_ptr_array_index (self->summaries, place);
}

static double
get_cost (const TallBenchSummary *summary, guint place)
{
  guint64 value = G_STRUCT_MEMBER (guint64, &summary->cost, costs[place].offset);
  return summary->n_counted > 0 ? (double)value / (double)summary->n_counted : 0;
}

static void
append_grid (GString *text, const TallGrid *grid)
{
  g_auto (GStrv) lines = tall_grid_make_lines (grid, 2);
  for (guint i = 0; lines[i] != NULL; i++)
    g_string_append_printf (text, "%s\n", lines[i]);
}

/* Whether it has a figure at all. */
static gboolean
is_known (const TallBenchResults *self, TallBenchMetric metric)
{
  for (guint i = 0; i < self->summaries->len; i++)
    if (get_summary (self, i)->metrics[metric].n > 0)
      return TRUE;
  return FALSE;
}

static void
add_spread (TallGrid *grid, const TallSpread *spread)
{
  g_autofree char *cell = tall_spread_format (spread);
  tall_grid_add (grid, spread->n > 0 ? cell : "-");
}

/* A table for people: what operations used beside time. */
static void
append_spendings (GString *text, const TallBenchResults *self)
{
  const char *columns[3 + TALL_BENCH_N_METRICS + 1] = { "phase", "layout", "key" };
  guint n = 3;
  if (self->summaries->len == 0)
    return;
  for (TallBenchMetric i = TALL_BENCH_CPU_CLIENT; i < TALL_BENCH_N_METRICS; i++)
    if (is_known (self, i))
      columns[n++] = metrics[i].title;
  g_autoptr (TallGrid) grid = tall_grid_new (columns);
  for (guint i = 0; i < self->summaries->len; i++)
    {
      const TallBenchSummary *summary = get_summary (self, i);
      tall_grid_add (grid, summary->phase->name);
      tall_grid_add (grid, summary->layout->name);
      tall_grid_add (grid, summary->key_strategy->name);
      for (TallBenchMetric k = TALL_BENCH_CPU_CLIENT; k < TALL_BENCH_N_METRICS; k++)
        if (is_known (self, k))
          add_spread (grid, &summary->metrics[k]);
    }
  g_string_append (
      text, "\nspent: CPU µs and bytes on the wire of an operation, as far as they are known\n");
  append_grid (text, grid);
}

/* A table for people: what an order takes on the disk. */
static void
append_stored (GString *text, const TallBenchResults *self)
{
  static const char *const columns[] = { "layout", "key", ">flushed", ">compacted", NULL };
  g_autoptr (TallGrid) grid = tall_grid_new (columns);
  if (self->stored == NULL || self->stored->len == 0)
    {
      g_string_append (text,
                       "\nstored: not known; --admin names what flushes and compacts tables\n");
      return;
    }
  for (guint i = 0; i < self->stored->len; i++)
    {
      const TallBenchStored *stored = &g_array_index (self->stored, TallBenchStored, i);
      tall_grid_add (grid, stored->layout->name);
      tall_grid_add (grid, stored->key_strategy->name);
      tall_grid_add_format (grid, "%.0f", (double)stored->flushed / MAX (self->n_orders, 1));
      tall_grid_add_format (grid, "%.0f", (double)stored->compacted / MAX (self->n_orders, 1));
    }
  g_string_append (text, "\nstored: bytes of an order on the disk, with all that belongs to it\n");
  append_grid (text, grid);
}

/* Conditions that are not the usual ones, for people. */
static void
append_conditions (GString *text, const TallBenchConditions *conditions)
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
add_stored (JsonBuilder *builder, const TallBenchResults *results)
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
add_conditions (JsonBuilder *builder, const TallBenchConditions *conditions)
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

/* Whole numbers as they are; of others, three significant digits are enough to read. */
static void
add_cost (TallGrid *grid, double value)
{
  tall_grid_add_format (grid,
                        value >= 100 || value == floor (value) ? "%.0f"
                        : value >= 10                          ? "%.1f"
                                                               : "%.2f",
                        value);
}

static TallGrid *
grid_new (gboolean with_key)
{
  const char *columns[2 + TALL_BENCH_N_METRICS + G_N_ELEMENTS (costs) + 1] = { "layout", "key" };
  guint n = with_key ? 2 : 1;
  for (TallBenchMetric i = TALL_BENCH_RATE; i < TALL_BENCH_CPU_CLIENT; i++)
    {
      if (metrics[i].title != NULL)
        columns[n++] = metrics[i].title;
      if (i == TALL_BENCH_RATE)
        columns[n++] = ">±";
    }
  for (guint i = 0; i < G_N_ELEMENTS (costs); i++)
    if (costs[i].title != NULL)
      columns[n++] = costs[i].title;
  columns[n] = NULL;
  return tall_grid_new (columns);
}

static void
add_row (TallGrid *grid, const TallBenchSummary *summary, gboolean with_key)
{
  tall_grid_add (grid, summary->layout->name);
  if (with_key)
    tall_grid_add (grid, summary->key_strategy->name);
  for (TallBenchMetric i = TALL_BENCH_RATE; i < TALL_BENCH_CPU_CLIENT; i++)
    {
      if (metrics[i].title != NULL)
        add_spread (grid, &summary->metrics[i]);
      if (i == TALL_BENCH_RATE)
        tall_spread_add_deviation (&summary->metrics[i], grid);
    }
  for (guint i = 0; i < G_N_ELEMENTS (costs); i++)
    if (costs[i].title != NULL)
      add_cost (grid, get_cost (summary, i) + (i > 0 ? get_cost (summary, i + N_COPIED) : 0));
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

static gboolean
has_many_keys (const TallBenchResults *self)
{
  for (guint i = 1; i < self->summaries->len; i++)
    if (get_summary (self, i)->key_strategy != get_summary (self, 0)->key_strategy)
      return TRUE;
  return FALSE;
}

/* Whether what is as good as the best may well not be: some turns lie further apart than a
 * difference that one would care for. */
static gboolean
is_scattered (const TallBenchVerdict *verdict, TallBenchMetric metric)
{
  for (guint i = 0; i < verdict->best->len; i++)
    {
      const TallBenchSummary *summary = g_ptr_array_index (verdict->best, i);
      if (tall_spread_get_deviation (&summary->metrics[metric]) > SCATTERED)
        return TRUE;
    }
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
  TallBenchMetric metric = by_rate ? TALL_BENCH_RATE : TALL_BENCH_P99;
  g_auto (TallBenchVerdict) verdict = { NULL };
  tall_bench_verdict_init (&verdict, self->summaries, phase, metric);
  if (verdict.n_turns < TALL_BENCH_ENOUGH_TURNS || (verdict.best->len < 2 && verdict.lead == 0))
    return NULL;
  GString *text = g_string_new (verdict.best->len == 1            ? "best: "
                                : is_scattered (&verdict, metric) ? "too scattered to tell apart: "
                                                                  : "no difference between ");
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
    append_conditions (text, self->conditions);
  if (self->stopped)
    g_string_append (text, "; not all: the run was stopped");
}

static void
append_phase (GString *text,
              const TallBenchResults *self,
              const TallBenchPhase *phase,
              gboolean with_key)
{
  g_autoptr (TallGrid) grid = grid_new (with_key);
  gboolean is_there = FALSE;
  for (guint i = 0; i < self->summaries->len; i++)
    if (get_summary (self, i)->phase == phase)
      {
        add_row (grid, get_summary (self, i), with_key);
        is_there = TRUE;
      }
  if (!is_there)
    return;
  g_autofree char *verdict = bench_results_judge (self, phase);
  g_string_append_printf (text, "\n%s: %s\n", phase->name, phase->summary);
  append_grid (text, grid);
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
  append_spendings (text, self);
  append_stored (text, self);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
add_metric (JsonBuilder *builder, const TallBenchSummary *summary, TallBenchMetric metric)
{
  const GArray *turns = summary->turns[metric];
  if (turns->len == 0)
    return;
  tall_json_begin_object (builder, metrics[metric].name);
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
  tall_json_begin_object (builder, "per_operation");
  for (guint i = 0; i < G_N_ELEMENTS (costs); i++)
    tall_json_add_double (builder, costs[i].name, get_cost (summary, i));
  json_builder_end_object (builder);
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
  add_conditions (builder, self->conditions != NULL ? self->conditions : &usual);
  if (self->setting != NULL)
    {
      tall_json_begin_object (builder, "setting"); /* what is known */
      for (guint i = 0; i < TALL_BENCH_N_FACTS; i++)
        tall_json_add_text (builder, names[i], self->setting->facts[i]);
      json_builder_end_object (builder);
    }
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
  add_stored (builder, self);
  json_builder_end_object (builder);
  return tall_json_build (builder, TRUE);
}
