/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/parse.h"

#include <math.h>

#include "bench/text.h"
#include "tall-error.h"

struct _TallBenchParsed
{
  TallBenchResults results; /* its texts are @root's */
  TallBenchConditions conditions;
  TallBenchSetting setting;
  GArray *stored;
  GPtrArray *summaries;
  JsonObject *root;
  char *text;
};

void
tall_bench_parsed_free (TallBenchParsed *self)
{
  g_clear_pointer (&self->summaries, g_ptr_array_unref);
  g_clear_pointer (&self->stored, g_array_unref);
  tall_bench_setting_clear (&self->setting);
  g_clear_pointer (&self->root, json_object_unref);
  g_free (self->text);
  g_free (self);
}

const TallBenchResults *
tall_bench_parsed_get_results (const TallBenchParsed *self)
{
  return &self->results;
}

/**
 * tall_bench_parsed_get_text:
 *
 * Returns: (transfer none): the JSON as it was read
 */
const char *
tall_bench_parsed_get_text (const TallBenchParsed *self)
{
  return self->text;
}

static double
get_number (JsonObject *object, const char *name)
{
  double number;
  JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;
  return tall_bench_text_get_number (node, &number) ? number : 0;
}

static guint64
get_count (JsonObject *object, const char *name)
{
  double number = get_number (object, name);
  return number > 0 && number < 1e15 ? (guint64)number : 0;
}

static const char *
get_text (JsonObject *object, const char *name)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;
  return node != NULL && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_string (node) : NULL;
}

static JsonObject *
get_object (JsonObject *object, const char *name)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;
  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

static JsonArray *
get_array (JsonObject *object, const char *name)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;
  return node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
}

static const TallBenchPhase *
find_phase (const char *name)
{
  guint n;
  const TallBenchPhase *phases = tall_bench_phases (&n);
  for (guint i = 0; i < n; i++)
    if (phases[i].summary != NULL && g_strcmp0 (phases[i].name, name) == 0)
      return &phases[i];
  return NULL;
}

static gboolean
find_names (JsonObject *object, const TallLayout **layout, const TallKeyStrategy **key_strategy)
{
  const char *layout_name = get_text (object, "layout");
  const char *key_name = get_text (object, "key");
  if (layout_name == NULL || key_name == NULL)
    return FALSE;
  *layout = tall_layout_choose (layout_name, NULL);
  *key_strategy = tall_key_strategy_choose (key_name, NULL);
  return *layout != NULL && *key_strategy != NULL;
}

/* What was counted of an operation, for all of them. */
static TallCost
read_cost (JsonObject *object, guint64 n)
{
  const double n_counted = (double)n;
  return (TallCost){
    .calls = (guint64)round (get_number (object, "calls") * n_counted),
    .rows_read = (guint64)round (get_number (object, "rows_read") * n_counted),
    .cells_read = (guint64)round (get_number (object, "cells_read") * n_counted),
    .bytes_read = (guint64)round (get_number (object, "bytes_read") * n_counted),
    .rows_written = (guint64)round (get_number (object, "rows_written") * n_counted),
    .cells_written = (guint64)round (get_number (object, "cells_written") * n_counted),
    .bytes_written = (guint64)round (get_number (object, "bytes_written") * n_counted),
    .deletes = (guint64)round (get_number (object, "deletes") * n_counted),
    .durable = (guint64)round (get_number (object, "durable_writes") * n_counted),
  };
}

/* A turn; what has no value in it is not known. FALSE: a value is no number. */
static gboolean
read_turn (JsonObject *object, guint turn, TallBenchRecord *record)
{
  for (guint i = 0; i < TALL_BENCH_N_METRICS; i++)
    {
      JsonArray *turns =
          get_array (get_object (object, tall_bench_results_get_metric_name (i)), "turns");
      record->metrics[i] = NAN;
      if (turns != NULL && turn < json_array_get_length (turns)
          && !tall_bench_text_get_number (json_array_get_element (turns, turn),
                                          &record->metrics[i]))
        return FALSE;
    }
  return TRUE;
}

/* Appends a record for each turn. */
static gboolean
read_measurement (JsonObject *object, GArray *records)
{
  TallBenchRecord record = { .phase = find_phase (get_text (object, "phase")) };
  JsonArray *turns = get_array (get_object (object, "operations_per_second"), "turns");
  if (record.phase == NULL || turns == NULL
      || !find_names (object, &record.layout, &record.key_strategy))
    return FALSE;
  record.n_timed = get_count (object, "operations");
  record.n_counted = get_count (object, "operations_counted");
  record.cost = read_cost (get_object (object, "per_operation"), record.n_counted);
  for (guint turn = 0; turn < json_array_get_length (turns); turn++)
    {
      if (!read_turn (object, turn, &record))
        return FALSE;
      g_array_append_val (records, record);
      record.n_timed = record.n_counted = 0; /* the first has them of all turns */
      record.cost = (TallCost){ 0 };
    }
  return TRUE;
}

static JsonObject *
get_element (JsonArray *array, guint place)
{
  JsonNode *node = json_array_get_element (array, place);
  return JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

static gboolean
read_measurements (TallBenchParsed *self, JsonArray *array)
{
  g_autoptr (GArray) records = g_array_new (FALSE, FALSE, sizeof (TallBenchRecord));
  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    if (!read_measurement (get_element (array, i), records))
      return FALSE;
  self->summaries =
      tall_bench_summarize ((const TallBenchRecord *)(gpointer)records->data, records->len);
  return array != NULL;
}

static gboolean
read_stored (TallBenchParsed *self, JsonArray *array)
{
  self->stored = g_array_new (FALSE, FALSE, sizeof (TallBenchStored));
  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      JsonObject *object = get_element (array, i);
      TallBenchStored stored = { .flushed = get_count (object, "flushed_bytes"),
                                 .compacted = get_count (object, "compacted_bytes") };
      if (!find_names (object, &stored.layout, &stored.key_strategy))
        return FALSE;
      g_array_append_val (self->stored, stored);
    }
  return TRUE;
}

static void
read_conditions (TallBenchParsed *self, JsonObject *object)
{
  const char *rest = get_text (object, "rest");
  self->conditions = (TallBenchConditions){
    .compression = get_text (object, "compression"),
    .block_encoding = get_text (object, "block_encoding"),
    .regions = (guint)get_count (object, "regions"),
    .age = (guint)get_count (object, "age"),
    .cache = get_number (object, "cache"),
  };
  for (guint i = 0; tall_bench_rest_names[i] != NULL; i++)
    if (g_strcmp0 (rest, tall_bench_rest_names[i]) == 0)
      self->conditions.rest = (TallBenchRest)i;
}

static gboolean
read_all (TallBenchParsed *self, JsonObject *object)
{
  JsonObject *setting = get_object (object, "setting");
  read_conditions (self, get_object (object, "conditions"));
  tall_bench_setting_parse (&self->setting, setting);
  if (!read_measurements (self, get_array (object, "measurements"))
      || !read_stored (self, get_array (object, "stored")))
    return FALSE;
  self->results = (TallBenchResults){
    .version = get_text (object, "version"),
    .store = get_text (object, "store"),
    .n_clients = (guint)get_count (object, "clients"),
    .n_orders = (guint)get_count (object, "orders"),
    .n_customers = (guint)get_count (object, "customers"),
    .n_lines = get_count (object, "lines"),
    .n_turns = (guint)get_count (object, "turns"),
    .seconds = get_number (object, "seconds"),
    .n_operations = get_count (object, "operations"),
    .rate = get_number (object, "rate"),
    .mix = get_text (object, "mix"),
    .has_seed = json_object_has_member (object, "seed"),
    .seed = get_count (object, "seed"),
    .stopped = !json_object_get_boolean_member_with_default (object, "complete", TRUE),
    .summaries = self->summaries,
    .stored = self->stored,
    .conditions = &self->conditions,
    .setting = setting != NULL ? &self->setting : NULL,
  };
  return self->results.store != NULL && self->results.n_orders > 0;
}

/**
 * tall_bench_parse:
 * @text: as tall_bench_results_to_json() makes it
 *
 * Returns: (transfer full): the results; NULL with %TALL_ERROR_INVALID if these are none
 */
TallBenchParsed *
tall_bench_parse (const char *text, GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autoptr (TallBenchParsed) self = g_new0 (TallBenchParsed, 1);
  self->text = g_strdup (text);
  self->root = tall_bench_text_parse (text, &local);
  if (self->root != NULL && read_all (self, self->root))
    return g_steal_pointer (&self);
  tall_error_set_invalid (error, "from", "These are no results of bench --json%s%s",
                          local != NULL ? ": " : "", local != NULL ? local->message : "");
  return NULL;
}
