/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/spent.h"

#include "model/json-build.h"

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
append_cell (GString *text, const char *cell)
{
  g_string_append_printf (text, "  %*s%s", MAX (WIDTH - (int)g_utf8_strlen (cell, -1), 0), "",
                          cell);
}

static void
append_name (GString *text, const TallLayout *layout, const TallKeyStrategy *key_strategy)
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
append_summary (GString *text, const TallBenchResults *results, guint place)
{
  const TallBenchSummary *summary = g_ptr_array_index (results->summaries, place);
  g_string_append_printf (text, "  %-8s", summary->phase->name);
  append_name (text, summary->layout, summary->key_strategy);
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    {
      const TallSpread *spread = &summary->metrics[columns[i].metric];
      if (!is_known (results, i))
        continue;
      g_autofree char *cell = spread->n > 0 ? tall_spread_format (spread) : g_strdup ("-");
      append_cell (text, cell);
    }
  g_string_append_c (text, '\n');
}

/**
 * tall_bench_spent_append_spendings:
 *
 * A table for people: what operations used beside time.
 */
void
tall_bench_spent_append_spendings (GString *text, const TallBenchResults *results)
{
  if (results->summaries->len == 0)
    return;
  g_string_append (
      text, "\nspent: CPU µs and bytes on the wire of an operation, as far as they are known\n");
  g_string_append_printf (text, "  %-8s  %-12s  %-8s", "phase", "layout", "key");
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    if (is_known (results, i))
      append_cell (text, columns[i].name);
  g_string_append_c (text, '\n');
  for (guint i = 0; i < results->summaries->len; i++)
    append_summary (text, results, i);
}

static void
append_bytes (GString *text, guint64 bytes, guint n_orders)
{
  g_autofree char *cell = g_strdup_printf ("%.0f", (double)bytes / MAX (n_orders, 1));
  append_cell (text, cell);
}

/**
 * tall_bench_spent_append_stored:
 *
 * A table for people: what an order takes on the disk.
 */
void
tall_bench_spent_append_stored (GString *text, const TallBenchResults *results)
{
  if (results->stored == NULL || results->stored->len == 0)
    {
      g_string_append (text,
                       "\nstored: not known; --admin names what flushes and compacts tables\n");
      return;
    }
  g_string_append (text, "\nstored: bytes of an order on the disk, with all that belongs to it\n");
  g_string_append_printf (text, "  %-12s  %-8s", "layout", "key");
  append_cell (text, "flushed");
  append_cell (text, "compacted");
  g_string_append_c (text, '\n');
  for (guint i = 0; i < results->stored->len; i++)
    {
      const TallBenchStored *stored = &g_array_index (results->stored, TallBenchStored, i);
      append_name (text, stored->layout, stored->key_strategy);
      append_bytes (text, stored->flushed, results->n_orders);
      append_bytes (text, stored->compacted, results->n_orders);
      g_string_append_c (text, '\n');
    }
}

/**
 * tall_bench_spent_append_conditions:
 *
 * Conditions that are not the usual ones, for people.
 */
void
tall_bench_spent_append_conditions (GString *text, const TallBenchConditions *conditions)
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

void
tall_bench_spent_add_stored (JsonBuilder *builder, const TallBenchResults *results)
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

void
tall_bench_spent_add_conditions (JsonBuilder *builder, const TallBenchConditions *conditions)
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
