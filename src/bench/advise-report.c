/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/advise.h"
#include "bench/results.h"
#include "model/json-build.h"

#define WIDTH 100
#define INDENT 4

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

/**
 * tall_advise_result_make_command:
 *
 * Returns: (transfer full): the options of `init` that make what is recommended, embedded or on
 *   HBase; STORE and CUSTOMERS stand for what its user knows
 */
char *
tall_advise_result_make_command (const TallAdviseResult *self, gboolean on_hbase)
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
  g_autofree char *command = tall_advise_result_make_command (self, !is_embedded (self));
  g_autofree char *on_hbase = tall_advise_result_make_command (self, TRUE);
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
add_layout (JsonBuilder *builder, const TallAdviceLayout *layout, const TallBenchMix *mix)
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
add_key (JsonBuilder *builder, const TallAdviceKey *key)
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
    add_layout (builder, &self->facts.layouts[i], self->facts.mix);
  json_builder_end_array (builder);
  tall_json_begin_array (builder, "keys");
  for (guint i = 0; i < self->facts.n_keys; i++)
    add_key (builder, &self->facts.keys[i]);
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
  g_autofree char *command = tall_advise_result_make_command (self, !is_embedded (self));
  g_autofree char *on_hbase = tall_advise_result_make_command (self, TRUE);
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
