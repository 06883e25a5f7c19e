/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-bench-results.h"

#include "tall-json-build.h"

#include <math.h>

#define N_COLUMNS 8

static const char *const columns[N_COLUMNS] = {
  "ops/s", "p50 µs", "p95 µs", "p99 µs", "calls", "rows", "cells", "bytes",
};
static const int widths[N_COLUMNS] = { 8, 7, 7, 7, 6, 7, 8, 8 };

static double
per_operation (const TallBenchRecord *record, guint64 value)
{
  return record->n_counted > 0 ? (double)value / (double)record->n_counted : 0;
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
append_record (GString *text, const TallBenchRecord *record, gboolean with_key)
{
  const TallCost *cost = &record->cost;
  const double values[N_COLUMNS] = {
    record->rate,
    record->p50,
    record->p95,
    record->p99,
    per_operation (record, cost->calls),
    per_operation (record, cost->rows_read + cost->rows_written),
    per_operation (record, cost->cells_read + cost->cells_written),
    per_operation (record, cost->bytes_read + cost->bytes_written),
  };
  g_string_append_printf (text, "  %-12s", record->layout->name);
  if (with_key)
    g_string_append_printf (text, "  %-8s", record->key_strategy->name);
  for (guint i = 0; i < N_COLUMNS; i++)
    append_number (text, widths[i], values[i]);
  g_string_append_c (text, '\n');
}

static void
append_header (GString *text, gboolean with_key)
{
  g_string_append_printf (text, "  %-12s", "layout");
  if (with_key)
    g_string_append_printf (text, "  %-8s", "key");
  for (guint i = 0; i < N_COLUMNS; i++)
    append_cell (text, widths[i], columns[i]);
  g_string_append_c (text, '\n');
}

static void
append_settings (GString *text, const TallBenchResults *self)
{
  g_string_append_printf (text, "%u orders with %.4g lines on average, of %u %s, on %s; %u %s",
                          self->n_orders, (double)self->n_lines / MAX (self->n_orders, 1),
                          self->n_customers, self->n_customers == 1 ? "customer" : "customers",
                          self->store, self->n_clients,
                          self->n_clients == 1 ? "client" : "clients");
}

static gboolean
has_many_keys (const TallBenchResults *self)
{
  for (guint i = 1; i < self->n_records; i++)
    if (self->records[i].key_strategy != self->records[0].key_strategy)
      return TRUE;
  return FALSE;
}

static void
append_phase (GString *text,
              const TallBenchResults *self,
              const TallBenchPhase *phase,
              gboolean with_key)
{
  gboolean begun = FALSE;
  for (guint i = 0; i < self->n_records; i++)
    {
      if (self->records[i].phase != phase)
        continue;
      if (!begun)
        {
          g_string_append_printf (text, "\n%s: %s\n", phase->name, phase->summary);
          append_header (text, with_key);
        }
      begun = TRUE;
      append_record (text, &self->records[i], with_key);
    }
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
  if (!with_key && self->n_records > 0)
    g_string_append_printf (text, "; key %s", self->records[0].key_strategy->name);
  g_string_append_c (text, '\n');
  for (guint i = 0; i < n_phases; i++)
    append_phase (text, self, &phases[i], with_key);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
add_cost (JsonBuilder *builder, const TallBenchRecord *record)
{
  const TallCost *cost = &record->cost;
  tall_json_begin_object (builder, "per_operation");
  tall_json_add_double (builder, "calls", per_operation (record, cost->calls));
  tall_json_add_double (builder, "rows_read", per_operation (record, cost->rows_read));
  tall_json_add_double (builder, "cells_read", per_operation (record, cost->cells_read));
  tall_json_add_double (builder, "bytes_read", per_operation (record, cost->bytes_read));
  tall_json_add_double (builder, "rows_written", per_operation (record, cost->rows_written));
  tall_json_add_double (builder, "cells_written", per_operation (record, cost->cells_written));
  tall_json_add_double (builder, "bytes_written", per_operation (record, cost->bytes_written));
  tall_json_add_double (builder, "deletes", per_operation (record, cost->deletes));
  tall_json_add_double (builder, "durable_writes", per_operation (record, cost->durable));
  json_builder_end_object (builder);
}

static void
add_record (JsonBuilder *builder, const TallBenchRecord *record)
{
  json_builder_begin_object (builder);
  tall_json_add_text (builder, "phase", record->phase->name);
  tall_json_add_text (builder, "layout", record->layout->name);
  tall_json_add_text (builder, "key", record->key_strategy->name);
  tall_json_add_number (builder, "operations", record->n_timed);
  tall_json_add_number (builder, "operations_counted", record->n_counted);
  tall_json_add_double (builder, "operations_per_second", record->rate);
  tall_json_add_double (builder, "p50_us", record->p50);
  tall_json_add_double (builder, "p95_us", record->p95);
  tall_json_add_double (builder, "p99_us", record->p99);
  tall_json_add_double (builder, "max_us", record->max);
  add_cost (builder, record);
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
  tall_json_add_number (builder, "lines", self->n_lines);
  if (self->seconds > 0)
    tall_json_add_double (builder, "seconds", self->seconds);
  else
    tall_json_add_number (builder, "operations", self->n_operations);
  if (self->has_seed)
    tall_json_add_number (builder, "seed", self->seed);
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
  for (guint i = 0; i < self->n_records; i++)
    add_record (builder, &self->records[i]);
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  return tall_json_build (builder, TRUE);
}
