/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-load-report.h"

#include "tall-json-output.h"
#include "tall-output.h"
#include "tall-text.h"

#define SHOWN_REASONS 5

/**
 * tall_load_report_print_rejects:
 * @path: (nullable): where they are kept
 *
 * Prints the reasons for people, if there are any.
 */
void
tall_load_report_print_rejects (TallRejects *rejects, const char *path)
{
  GPtrArray *tally = tall_rejects_get_tally (rejects);
  if (tally->len > 0)
    tall_print_styled (TALL_STYLE_BAD, "Rejected\n");
  else
    return;
  for (guint i = 0; i < MIN (tally->len, SHOWN_REASONS); i++)
    {
      const TallRejectTally *reason = g_ptr_array_index (tally, i);
      g_autofree char *clean = tall_text_clean (reason->reason);
      g_autofree char *first = tall_text_clean (reason->first_reason);
      g_autofree char *place =
          tall_csv_describe_line (reason->first_line,
                                  tall_rejects_get_file_name (rejects, reason->first_file));
      gboolean says_more = !g_str_has_suffix (clean, first);
      tall_print ("  %" G_GUINT64_FORMAT " × %s (first: %s%s%s)\n", reason->n_rows, clean, place,
                  says_more ? ": " : "", says_more ? first : "");
    }
  if (tally->len > SHOWN_REASONS)
    tall_print ("  and %u more %s\n", tally->len - SHOWN_REASONS,
                tally->len - SHOWN_REASONS == 1 ? "reason" : "reasons");
  if (path != NULL)
    tall_print ("  each with its reason and its row: %s\n", path);
  else
    tall_print ("  --rejects FILE keeps each with its reason and its row\n");
}

/* What rows, orders and customers can become, apart from being rejected. */
static const struct
{
  const char *name; /* in the summary, and in JSON */
  gsize offset;     /* of its #TallStorerTally in #TallStorerCounts */
} ends[] = {
  { "stored", G_STRUCT_OFFSET (TallStorerCounts, stored) },
  { "unchanged", G_STRUCT_OFFSET (TallStorerCounts, unchanged) },
  { "skipped", G_STRUCT_OFFSET (TallStorerCounts, skipped) },
  { "overtaken", G_STRUCT_OFFSET (TallStorerCounts, overtaken) },
};

static const TallStorerTally *
get_tally (const TallLoadReport *self, guint end)
{
  return G_STRUCT_MEMBER_P (&self->summary.counts, ends[end].offset);
}

static const char *
get_name (const TallLoadReport *self, guint end)
{
  return end == 0 && self->is_dry ? "good" : ends[end].name;
}

/* The first end is always named, the others if there are any. */
static gboolean
is_named (const TallLoadReport *self, guint end)
{
  return end == 0 || get_tally (self, end)->items > 0;
}

static const char *
get_noun (const TallLoadReport *self, guint64 n)
{
  if (self->kind == TALL_MAPPING_CUSTOMERS)
    return n == 1 ? "customer" : "customers";
  return n == 1 ? "order" : "orders";
}

static void
print_time (const TallLoadReport *self)
{
  guint64 items = 0;
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    items += get_tally (self, i)->items;
  gdouble rate = self->seconds > 0 ? (gdouble)items / self->seconds : 0;
  tall_print ("Time      %.2f s, %.0f %s a second\n", self->seconds, rate,
              get_noun (self, (guint64)(rate + 0.5)));
}

static void
print_rows (const TallLoadReport *self)
{
  guint64 rejected = tall_rejects_get_count (self->rejects);
  guint64 known = rejected;
  tall_print ("Rows      %" G_GUINT64_FORMAT " read =", self->summary.rows);
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    {
      guint64 rows = get_tally (self, i)->rows;
      known += rows;
      if (is_named (self, i))
        tall_print (" %" G_GUINT64_FORMAT " %s +", rows, get_name (self, i));
    }
  known += self->summary.kept_rows;
  if (self->summary.kept_rows > 0)
    tall_print (" %" G_GUINT64_FORMAT " looked up +", self->summary.kept_rows);
  tall_print (" %" G_GUINT64_FORMAT " rejected", rejected);
  if (self->summary.rows > known)
    tall_print (" + %" G_GUINT64_FORMAT " not settled", self->summary.rows - known);
  tall_print ("\n");
}

static void
print_items (const TallLoadReport *self)
{
  gboolean are_customers = self->kind == TALL_MAPPING_CUSTOMERS;
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    {
      const TallStorerTally *tally = get_tally (self, i);
      if (!is_named (self, i))
        continue;
      if (i > 0)
        g_string_append (text, ", ");
      g_string_append_printf (text, "%" G_GUINT64_FORMAT, tally->items);
      if (i > 0)
        g_string_append_printf (text, " %s", ends[i].name);
      else if (!are_customers)
        g_string_append_printf (text, " with %" G_GUINT64_FORMAT " %s", tally->lines,
                                tally->lines == 1 ? "line" : "lines");
    }
  tall_print ("%s %s\n", are_customers ? "Customers" : "Orders   ", text->str);
}

/**
 * tall_load_report_print:
 *
 * Prints for people.
 */
void
tall_load_report_print (const TallLoadReport *self)
{
  print_rows (self);
  print_items (self);
  print_time (self);
  tall_load_report_print_rejects (self->rejects, self->rejects_path);
}

/**
 * tall_load_report_add_reasons:
 *
 * Adds the reasons to a summary in JSON.
 */
void
tall_load_report_add_reasons (JsonBuilder *builder, TallRejects *rejects)
{
  GPtrArray *tally = tall_rejects_get_tally (rejects);
  tall_json_begin_array (builder, "reasons");
  for (guint i = 0; i < tally->len; i++)
    {
      const TallRejectTally *reason = g_ptr_array_index (tally, i);
      g_autofree char *valid = g_utf8_make_valid (reason->reason, -1);
      g_autofree char *first = g_utf8_make_valid (reason->first_reason, -1);
      json_builder_begin_object (builder);
      tall_json_add_text (builder, "reason", valid);
      tall_json_add_number (builder, "rows", reason->n_rows);
      tall_json_add_number (builder, "first_line", reason->first_line);
      tall_json_add_text (builder, "first_reason", first);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

/**
 * tall_load_report_print_json:
 */
void
tall_load_report_print_json (const TallLoadReport *self)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  json_builder_begin_object (builder);
  tall_json_add_number (builder, "rows", self->summary.rows);
  tall_json_add_number (builder, "rejected_rows", tall_rejects_get_count (self->rejects));
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    {
      const TallStorerTally *tally = get_tally (self, i);
      tall_json_begin_object (builder, get_name (self, i));
      tall_json_add_number (builder, get_noun (self, 2), tally->items);
      tall_json_add_number (builder, "rows", tally->rows);
      tall_json_add_number (builder, "lines", tally->lines);
      json_builder_end_object (builder);
    }
  tall_json_add_number (builder, "kept_rows", self->summary.kept_rows);
  tall_json_add_number (builder, "spooled_rows", self->summary.spooled_rows);
  tall_json_add_number (builder, "retries", self->summary.counts.retries);
  tall_json_add_double (builder, "seconds", self->seconds);
  tall_load_report_add_reasons (builder, self->rejects);
  json_builder_end_object (builder);
  tall_json_print (builder);
}
