/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/load-report.h"

#include "base/text.h"
#include "cli/output.h"
#include "tall-error.h"

#include <gio/gio.h>

#define SHOWN_REASONS 5

/* Prints which files rejects of joined files are to be loaded with: those in which they look
 * something up. */
static void
print_retry (const char *path, const TallLoadFiles *files)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < tall_load_files_count (files); i++)
    {
      const TallLoadFile *file = tall_load_files_get (files, i);
      if (file->mapping->sql == NULL || file->n_kept == 0)
        continue;
      g_autofree char *name = tall_load_file_describe (file);
      g_autofree char *quoted = g_shell_quote (name);
      g_string_append_printf (text, " %s", quoted);
    }
  if (text->len == 0)
    return;
  g_autofree char *quoted = g_shell_quote (path);
  g_autofree char *clean = tall_text_clean (text->str);
  tall_print ("  to load them once they are mended: --retry-rejects %s%s\n", quoted, clean);
}

/* @path: (nullable): where they are kept
 * @files: (nullable): that were loaded
 *
 * Prints the reasons for people, if there are any. */
static void
load_report_print_rejects (TallRejects *rejects, const char *path, const TallLoadFiles *files)
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
  if (path != NULL && files != NULL)
    print_retry (path, files);
}

/* What the summary, and JSON, calls what rows, orders and customers can become. */
static const char *
get_name (const TallLoadReport *self, TallLoadEnd end)
{
  static const char *const names[TALL_LOAD_N_ENDS] = {
    [TALL_LOAD_STORED] = "stored",       [TALL_LOAD_REVIVED] = "revived",
    [TALL_LOAD_UNCHANGED] = "unchanged", [TALL_LOAD_SKIPPED] = "skipped",
    [TALL_LOAD_OVERTAKEN] = "overtaken", [TALL_LOAD_REPEATED] = "repeated",
  };
  if (self->deletes)
    return end == TALL_LOAD_STORED ? "deleted" : "absent";
  return end == TALL_LOAD_STORED && self->is_dry ? "good" : names[end];
}

/* The first end is always named, and both of a deletion, the others if there are any. */
static gboolean
is_named (const TallLoadReport *self, TallLoadEnd end, guint64 n)
{
  return end == TALL_LOAD_STORED || n > 0 || (self->deletes && end == TALL_LOAD_UNCHANGED);
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
  for (TallLoadEnd end = 0; end < TALL_LOAD_N_ENDS; end++)
    items += self->summary.ends[end].items;
  gdouble rate = self->seconds > 0 ? (gdouble)items / self->seconds : 0;
  tall_print ("Time      %.2f s, %.0f %s a second\n", self->seconds, rate,
              get_noun (self, (guint64)(rate + 0.5)));
}

/* Prints what a query has made of the rows of a file, or of all. @file: only its numbers count.
 * @joins: it reads several tables: rows that are not in the result may belong to some that are */
static void
print_use (const TallLoadFile *file, gboolean joins)
{
  guint64 known = file->n_used + file->n_left_out + file->n_kept + file->n_bad;
  tall_print ("%" G_GUINT64_FORMAT " read = %" G_GUINT64_FORMAT " in the result", file->n_rows,
              file->n_used);
  if (file->n_left_out > 0)
    tall_print (" + %" G_GUINT64_FORMAT " left out%s", file->n_left_out,
                joins ? " or looked up" : "");
  if (file->n_kept > 0)
    tall_print (" + %" G_GUINT64_FORMAT " looked up", file->n_kept);
  tall_print (" + %" G_GUINT64_FORMAT " unreadable", file->n_bad);
  if (file->n_rows > known)
    tall_print (" + %" G_GUINT64_FORMAT " not settled", file->n_rows - known);
}

/* Prints what became of the rows of a file, or of all. @file: only its numbers count */
static void
print_sum (const TallLoadReport *self, const TallLoadFile *file, guint64 rejected, const char *verb)
{
  guint64 known = tall_load_file_count_settled (file, rejected);
  tall_print ("%" G_GUINT64_FORMAT " %s =", file->n_rows, verb);
  for (TallLoadEnd end = 0; end < TALL_LOAD_N_ENDS; end++)
    if (is_named (self, end, file->n_ended[end]))
      tall_print (" %" G_GUINT64_FORMAT " %s +", file->n_ended[end], get_name (self, end));
  if (file->n_kept > 0)
    tall_print (" %" G_GUINT64_FORMAT " looked up +", file->n_kept);
  tall_print (" %" G_GUINT64_FORMAT " rejected", rejected);
  if (file->n_rows > known)
    tall_print (" + %" G_GUINT64_FORMAT " not settled", file->n_rows - known);
}

/* A line with the files' rows, and one with those that a query has made of them. */
static void
print_result (const TallLoadReport *self)
{
  guint n = tall_load_files_count (self->files);
  TallLoadFile all = { .n_rows = 0 }, result = { .n_rows = self->summary.result_rows };
  for (guint i = 0; i < n; i++)
    {
      const TallLoadFile *file = tall_load_files_get (self->files, i);
      all.n_rows += file->n_rows;
      all.n_used += file->n_used;
      all.n_left_out += file->n_left_out;
      all.n_kept += file->n_kept;
      all.n_bad += file->n_bad;
    }
  gboolean joins = n > 1 && tall_load_files_get (self->files, 0)->kind_name != NULL;
  tall_print ("Rows      ");
  print_use (&all, joins);
  for (guint i = 0; i < n && n > 1; i++)
    {
      g_autofree char *name = tall_load_file_describe (tall_load_files_get (self->files, i));
      g_autofree char *clean = tall_text_clean (name);
      tall_print ("\n          ");
      print_use (tall_load_files_get (self->files, i), joins);
      tall_print (": %s", clean);
    }
  for (TallLoadEnd end = 0; end < TALL_LOAD_N_ENDS; end++)
    result.n_ended[end] = self->summary.ends[end].rows;
  tall_print ("\nResult    ");
  print_sum (self, &result, tall_rejects_get_count (self->rejects) - all.n_bad,
             result.n_rows == 1 ? "row of the query" : "rows of the query");
  tall_print ("\n");
  if (self->summary.refused == 0)
    return;
  g_autofree char *first = tall_text_clean (self->summary.first_refused);
  tall_print ("          %" G_GUINT64_FORMAT
              " × a condition (WHERE, CASE) has a value that a function does not take, and sees a "
              "text (first: %s)\n",
              self->summary.refused, first);
}

/* What the mapping leaves behind. */
static void
print_unused (const TallLoadReport *self)
{
  guint n = tall_load_files_count (self->files);
  for (guint i = 0; i < n && !self->deletes; i++)
    {
      const TallLoadFile *file = tall_load_files_get (self->files, i);
      if (file->unused == NULL || file->unused[0] == NULL)
        continue;
      g_autofree char *name = tall_load_file_describe (file);
      g_autofree char *columns = g_strjoinv (", ", file->unused);
      g_autofree char *list = g_strconcat (columns, n > 1 ? ": " : NULL, name, NULL);
      g_autofree char *clean = tall_text_clean (list);
      tall_print_wrapped ("Not used ", clean, ", ", 10);
    }
}

static void
print_rows (const TallLoadReport *self)
{
  if (tall_load_files_get (self->files, 0)->mapping->sql != NULL)
    {
      print_result (self);
      return;
    }
  guint n = tall_load_files_count (self->files);
  TallLoadFile all = { .n_rows = self->summary.rows, .n_kept = self->summary.kept_rows };
  for (TallLoadEnd end = 0; end < TALL_LOAD_N_ENDS; end++)
    all.n_ended[end] = self->summary.ends[end].rows;
  tall_print ("Rows      ");
  print_sum (self, &all, tall_rejects_get_count (self->rejects), "read");
  tall_print ("\n");
  for (guint i = 0; i < n && n > 1; i++)
    {
      const TallLoadFile *file = tall_load_files_get (self->files, i);
      g_autofree char *name = tall_load_file_describe (file);
      g_autofree char *clean = tall_text_clean (name);
      tall_print ("          ");
      print_sum (self, file, tall_rejects_get_count_of (self->rejects, i), "read");
      tall_print (": %s\n", clean);
    }
}

static void
print_items (const TallLoadReport *self)
{
  gboolean are_customers = self->kind == TALL_MAPPING_CUSTOMERS;
  g_autoptr (GString) text = g_string_new (NULL);
  for (TallLoadEnd end = 0; end < TALL_LOAD_N_ENDS; end++)
    {
      const TallLoadTally *tally = &self->summary.ends[end];
      if (!is_named (self, end, tally->items))
        continue;
      if (end > 0)
        g_string_append (text, ", ");
      g_string_append_printf (text, "%" G_GUINT64_FORMAT, tally->items);
      if (end > 0 || self->deletes)
        g_string_append_printf (text, " %s", get_name (self, end));
      else if (!are_customers)
        g_string_append_printf (text, " with %" G_GUINT64_FORMAT " %s", tally->lines,
                                tally->lines == 1 ? "line" : "lines");
    }
  tall_print ("%s %s\n", are_customers ? "Customers" : "Orders   ", text->str);
}

/* Where a file comes again with other customers, each order is stored twice. */
static void
print_namesakes (const TallLoadNamesakes *self)
{
  g_autofree char *first = tall_text_clean (self->first);
  if (self->n_found > 0)
    tall_print ("Numbers   %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                " orders looked at have the "
                "number of another customer's (first: %s); --unique-orders rejects such orders\n",
                self->n_found, self->n_looked, first);
}

/* A file of bare numbers may have no header: then its first line has to be seen as one. */
static void
print_header (const TallLoadReport *self)
{
  const TallCsvReader *reader = tall_load_files_get (self->files, 0)->reader;
  g_autofree char *header =
      g_strjoinv (",", (char **)tall_csv_reader_get_columns ((TallCsvReader *)reader));
  g_autofree char *clean = tall_text_clean (header);
  tall_print ("Header    %s: the first line names the columns, and nothing is deleted for it\n",
              clean);
}

/**
 * tall_load_report_print:
 *
 * Prints for people.
 */
void
tall_load_report_print (const TallLoadReport *self)
{
  if (self->is_guessed)
    print_header (self);
  print_rows (self);
  print_unused (self);
  print_items (self);
  print_namesakes (&self->summary.namesakes);
  if (!self->deletes)
    print_time (self);
  load_report_print_rejects (self->rejects, self->rejects_path, self->files);
}

/* Adds the reasons to a summary in JSON. */
static void
load_report_add_reasons (JsonBuilder *builder, TallRejects *rejects)
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

/* The same sum for each file: rows = stored + revived + unchanged + skipped + overtaken + repeated
 * + kept + rejected. */
static void
add_files (const TallLoadReport *self, JsonBuilder *builder)
{
  tall_json_begin_array (builder, "files");
  for (guint i = 0; i < tall_load_files_count (self->files); i++)
    {
      const TallLoadFile *file = tall_load_files_get (self->files, i);
      g_autofree char *name = tall_load_file_describe (file);
      g_autofree char *valid = g_utf8_make_valid (name, -1);
      json_builder_begin_object (builder);
      tall_json_add_text (builder, "file", valid);
      tall_json_add_number (builder, "rows", file->n_rows);
      for (TallLoadEnd end = 0; end < TALL_LOAD_N_ENDS; end++)
        tall_json_add_number (builder, get_name (self, end), file->n_ended[end]);
      tall_json_add_number (builder, "kept", file->n_kept);
      if (file->mapping->sql != NULL)
        {
          tall_json_add_number (builder, "in_result", file->n_used);
          tall_json_add_number (builder, "left_out", file->n_left_out);
          tall_json_add_number (builder, "unreadable", file->n_bad);
        }
      tall_json_add_number (builder, "rejected", tall_rejects_get_count_of (self->rejects, i));
      tall_json_begin_array (builder, "unused_columns");
      for (guint k = 0; file->unused != NULL && file->unused[k] != NULL; k++)
        {
          g_autofree char *column = g_utf8_make_valid (file->unused[k], -1);
          json_builder_add_string_value (builder, column);
        }
      json_builder_end_array (builder);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

/* What only a load has. */
static void
add_load (const TallLoadReport *self, JsonBuilder *builder)
{
  tall_json_add_number (builder, "kept_rows", self->summary.kept_rows);
  tall_json_add_number (builder, "spooled_rows", self->summary.spooled_rows);
  if (tall_load_files_get (self->files, 0)->mapping->sql != NULL)
    {
      tall_json_add_number (builder, "result_rows", self->summary.result_rows);
      tall_json_add_number (builder, "refused_in_conditions", self->summary.refused);
    }
  tall_json_add_number (builder, "retries", self->summary.retries);
  tall_json_begin_object (builder, "other_customers");
  tall_json_add_number (builder, "looked_at", self->summary.namesakes.n_looked);
  tall_json_add_number (builder, "found", self->summary.namesakes.n_found);
  g_autofree char *first = g_utf8_make_valid (self->summary.namesakes.first, -1);
  tall_json_add_text (builder, "first", first);
  json_builder_end_object (builder);
  tall_json_add_double (builder, "seconds", self->seconds);
  add_files (self, builder);
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
  for (TallLoadEnd end = 0; end < TALL_LOAD_N_ENDS; end++)
    {
      const TallLoadTally *tally = &self->summary.ends[end];
      if (self->deletes && end != TALL_LOAD_STORED && end != TALL_LOAD_UNCHANGED)
        continue;
      tall_json_begin_object (builder, get_name (self, end));
      tall_json_add_number (builder, get_noun (self, 2), tally->items);
      tall_json_add_number (builder, "rows", tally->rows);
      if (!self->deletes)
        tall_json_add_number (builder, "lines", tally->lines);
      json_builder_end_object (builder);
    }
  if (!self->deletes)
    add_load (self, builder);
  load_report_add_reasons (builder, self->rejects);
  json_builder_end_object (builder);
  tall_json_print (builder);
}

/**
 * tall_load_delete_guess_mapping:
 *
 * Returns: (transfer full): the mapping for a file without one: the first column has the customer's
 *   number, the second, if there is one, the order's; NULL with %TALL_ERROR_INVALID
 */
TallMapping *
tall_load_delete_guess_mapping (TallCsvReader *reader, GError **error)
{
  const char *const *columns = tall_csv_reader_get_columns (reader);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  guint n = g_strv_length ((char **)columns);
  if (n > 2)
    {
      tall_error_set_invalid (
          error, NULL,
          "%s has %u columns: say with --map which have the numbers; without, a "
          "file has the customer's number, and perhaps the order's",
          tall_csv_reader_get_name (reader), n);
      return NULL;
    }
  g_key_file_set_string (file, "mapping", "kind", n == 1 ? "customers" : "orders");
  g_key_file_set_string (file, n == 1 ? "customer" : "order", n == 1 ? "number" : "customer_number",
                         columns[0]);
  if (n == 2)
    g_key_file_set_string (file, "order", "order_number", columns[1]);
  g_autofree char *text = g_key_file_to_data (file, NULL, NULL);
  return tall_mapping_parse ("of the columns", text, -1, error);
}
