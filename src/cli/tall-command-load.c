/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-json-output.h"
#include "tall-loader.h"
#include "tall-options.h"
#include "tall-output.h"
#include "tall-progress.h"
#include "tall-stop.h"
#include "tall-text.h"

#include <gio/gio.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHOWN_REASONS 5

typedef struct
{
  char *map;
  char *rejects;
  char *print_map;
  char *spool;
  gint jobs;
  gboolean json;
  gboolean quiet;
} LoadOptions;

typedef struct
{
  const LoadOptions *own;
  TallLoadSummary summary;
  TallRejects *rejects; /* owned */
  gdouble seconds;
} Load;

static TallExit
print_map (const char *name)
{
  g_autofree char *text = tall_mapping_preset_text (name);
  if (text == NULL)
    {
      g_autofree char *list = g_strjoinv (", ", (char **)tall_mapping_presets ());
      return tall_usage_error (&tall_command_load, "There is no preset “%s”; choose one of: %s",
                               name, list);
    }
  tall_print ("%s", text);
  return TALL_EXIT_DONE;
}

/* The name of the preset that fits a header; NULL if none does. */
static const char *
find_preset (const char *const *columns)
{
  const char *const *presets = tall_mapping_presets ();
  for (guint i = 0; presets[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallMapping) preset = tall_mapping_load (presets[i], &error);
      if (preset == NULL)
        g_error ("preset %s: %s", presets[i], error->message);
      if (tall_mapping_fits (preset, columns))
        return presets[i];
    }
  return NULL;
}

static gboolean
bind_columns (TallMapping *mapping, TallCsvReader *reader)
{
  g_autoptr (GError) error = NULL;
  const char *const *columns = tall_csv_reader_get_columns (reader);
  if (tall_mapping_bind_reader (mapping, reader, &error))
    return TRUE;
  const char *preset = find_preset (columns);
  if (preset != NULL)
    tall_print_error ("%s: %s. The preset that fits this file: --map %s",
                      tall_csv_reader_get_name (reader), error->message, preset);
  else
    tall_print_error ("%s: %s", tall_csv_reader_get_name (reader), error->message);
  return FALSE;
}

static void
print_rejects (const Load *load)
{
  GPtrArray *tally = tall_rejects_get_tally (load->rejects);
  for (guint i = 0; i < MIN (tally->len, SHOWN_REASONS); i++)
    {
      const TallRejectTally *reason = g_ptr_array_index (tally, i);
      g_autofree char *clean = tall_text_clean (reason->reason);
      g_autofree char *first = tall_text_clean (reason->first_reason);
      gboolean says_more = !g_str_has_suffix (clean, first);
      tall_print ("  %" G_GUINT64_FORMAT " × %s (first: line %" G_GUINT64_FORMAT "%s%s)\n",
                  reason->n_rows, clean, reason->first_line, says_more ? ": " : "",
                  says_more ? first : "");
    }
  if (tally->len > SHOWN_REASONS)
    tall_print ("  and %u more %s\n", tally->len - SHOWN_REASONS,
                tally->len - SHOWN_REASONS == 1 ? "reason" : "reasons");
  if (load->own->rejects != NULL)
    tall_print ("  each with its reason and its row: %s\n", load->own->rejects);
  else
    tall_print ("  --rejects FILE keeps each with its reason and its row\n");
}

static void
print_time (const Load *load)
{
  const TallLoadSummary *summary = &load->summary;
  gdouble stored = (gdouble)(summary->orders + summary->customers);
  g_autofree char *rate = g_strdup_printf ("%.0f", load->seconds > 0 ? stored / load->seconds : 0);
  const char *what = summary->customers > 0 ? "customer" : "order";
  tall_print ("Time      %.2f s, %s %s%s a second\n", load->seconds, rate, what,
              g_str_equal (rate, "1") ? "" : "s");
}

static void
print_summary (const Load *load)
{
  const TallLoadSummary *summary = &load->summary;
  guint64 rejected = tall_rejects_get_count (load->rejects);
  tall_print ("Rows      %" G_GUINT64_FORMAT " read = %" G_GUINT64_FORMAT
              " stored + %" G_GUINT64_FORMAT " rejected",
              summary->rows, summary->stored_rows, rejected);
  if (summary->rows > summary->stored_rows + rejected)
    tall_print (" + %" G_GUINT64_FORMAT " not settled",
                summary->rows - summary->stored_rows - rejected);
  tall_print ("\n");
  if (summary->customers > 0)
    tall_print ("Customers %" G_GUINT64_FORMAT "\n", summary->customers);
  else
    tall_print ("Orders    %" G_GUINT64_FORMAT " with %" G_GUINT64_FORMAT " %s\n", summary->orders,
                summary->lines, summary->lines == 1 ? "line" : "lines");
  if (summary->apart > 0)
    tall_print_styled (TALL_STYLE_BAD,
                       "Split     %" G_GUINT64_FORMAT " %s rejected, because %s rows are not "
                       "together; sort the file by customer and order number\n",
                       summary->apart, summary->apart == 1 ? "order is" : "orders are",
                       summary->apart == 1 ? "its" : "their");
  print_time (load);
  if (rejected > 0)
    {
      tall_print_styled (TALL_STYLE_BAD, "Rejected\n");
      print_rejects (load);
    }
}

static void
add_reasons (JsonBuilder *builder, GPtrArray *tally)
{
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

static void
print_json (const Load *load)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  json_builder_begin_object (builder);
  tall_json_add_number (builder, "rows", load->summary.rows);
  tall_json_add_number (builder, "stored_rows", load->summary.stored_rows);
  tall_json_add_number (builder, "rejected_rows", tall_rejects_get_count (load->rejects));
  tall_json_add_number (builder, "orders", load->summary.orders);
  tall_json_add_number (builder, "orders_apart", load->summary.apart);
  tall_json_add_number (builder, "lines", load->summary.lines);
  tall_json_add_number (builder, "customers", load->summary.customers);
  tall_json_add_number (builder, "retries", load->summary.retries);
  tall_json_add_double (builder, "seconds", load->seconds);
  add_reasons (builder, tall_rejects_get_tally (load->rejects));
  json_builder_end_object (builder);
  tall_json_print (builder);
}

static TallExit
load_file (Load *load, TallFront *front, TallCsvReader *reader, const TallMapping *mapping)
{
  g_autoptr (GError) error = NULL;
  TallLoadOptions options = TALL_LOAD_OPTIONS_INIT;
  options.jobs = (guint)load->own->jobs;
  options.progress = load->own->quiet ? NULL : tall_progress_show;
  options.folder = load->own->spool;
  options.stop = tall_stop_on_signals ();
  gint64 start = g_get_monotonic_time ();
  gboolean ok = tall_load (front, reader, mapping, load->rejects, &options, &load->summary, &error);
  load->seconds = (gdouble)(g_get_monotonic_time () - start) / G_USEC_PER_SEC;
  tall_progress_clear ();
  g_autofree char *why = error != NULL ? tall_error_describe (error) : NULL;

  if (load->own->json)
    print_json (load);
  else if (!load->own->quiet)
    print_summary (load);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      tall_print_error ("%s. To go on, load the file again: what is stored already is replaced by "
                        "the same content",
                        why);
      return (TallExit)(128 + g_atomic_int_get (options.stop));
    }
  if (!ok)
    {
      tall_print_error ("%s. When this is mended, load the file again: what is stored is replaced "
                        "by the same content",
                        why);
      return TALL_EXIT_FAILED;
    }
  return tall_rejects_get_count (load->rejects) > 0 ? TALL_EXIT_NO : TALL_EXIT_DONE;
}

/* Whether two names, or standard input, are one regular file. */
static gboolean
is_same_file (const char *path, const char *other)
{
  struct stat a, b;
  int failed = g_str_equal (path, "-") ? fstat (STDIN_FILENO, &a) : stat (path, &a);
  return failed == 0 && stat (other, &b) == 0 && S_ISREG (a.st_mode) && a.st_dev == b.st_dev
         && a.st_ino == b.st_ino;
}

static gboolean
check_rejects (const TallOptions *options, const LoadOptions *own)
{
  if (own->rejects == NULL)
    return TRUE;
  g_autofree char *temporary = tall_rejects_name_temporary (own->rejects);
  if (g_str_equal (own->rejects, "-") || *own->rejects == '\0')
    tall_usage_error (&tall_command_load, "--rejects takes the name of a file: standard output is "
                                          "for the summary");
  else if (is_same_file (options->arguments[0], own->rejects))
    tall_usage_error (&tall_command_load, "--rejects names the file that is read; name another");
  else if (temporary != NULL && is_same_file (options->arguments[0], temporary))
    tall_usage_error (&tall_command_load,
                      "until it is finished, the file that --rejects names is written to %s, which "
                      "is the file that is read; name another",
                      temporary);
  else if (temporary != NULL && is_same_file (own->map, temporary))
    tall_usage_error (&tall_command_load,
                      "until it is finished, the file that --rejects names is written to %s, which "
                      "is the mapping; name another",
                      temporary);
  else if (is_same_file (own->map, own->rejects))
    tall_usage_error (&tall_command_load, "--rejects names the mapping; name another file");
  else
    return TRUE;
  return FALSE;
}

/* Looks at everything that may be wrong in the call before the store is opened. */
static TallExit
prepare_and_load (const TallOptions *options, const LoadOptions *own)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallMapping) mapping = tall_mapping_load (own->map, &error);
  if (mapping == NULL)
    {
      tall_print_failure (error);
      return TALL_EXIT_USAGE;
    }
  g_autoptr (TallCsvReader) reader =
      tall_csv_reader_open (options->arguments[0], &mapping->dialect, TALL_CSV_MAX_ROW, &error);
  if (reader == NULL || !tall_csv_reader_check_data (reader, &error))
    {
      tall_print_failure (error);
      return TALL_EXIT_FAILED;
    }
  if (!bind_columns (mapping, reader))
    return TALL_EXIT_USAGE;

  TallExit code;
  g_autoptr (TallFront) front = tall_options_open_front (options, &tall_command_load, &code);
  if (front == NULL)
    return code;
  g_autoptr (TallRejects) rejects = tall_rejects_new (own->rejects, &error);
  if (rejects == NULL)
    {
      tall_print_failure (error);
      return TALL_EXIT_FAILED;
    }
  Load load = { .own = own, .rejects = rejects };
  return load_file (&load, front, reader, mapping);
}

static TallExit
check_and_load (const TallOptions *options, const LoadOptions *own)
{
  if (own->print_map != NULL)
    return print_map (own->print_map);
  if (options->n_arguments != 1)
    return tall_usage_error (&tall_command_load,
                             "load takes one argument: FILE.csv, or - for standard input");
  if (own->map == NULL)
    {
      g_autofree char *list = g_strjoinv (", ", (char **)tall_mapping_presets ());
      return tall_usage_error (&tall_command_load,
                               "Say which column is what: --map with a preset (%s) or a file",
                               list);
    }
  if (own->jobs < 1 || own->jobs > 256)
    return tall_usage_error (&tall_command_load, "--jobs takes a number from 1 to 256");
  if (!check_rejects (options, own))
    return TALL_EXIT_USAGE;
  return prepare_and_load (options, own);
}

static TallExit
run (int argc, char **argv)
{
  LoadOptions own = { .jobs = 8 };
  const GOptionEntry entries[] = {
    { "map", 0, 0, G_OPTION_ARG_FILENAME, &own.map, "which column is what: a preset or a file",
      "NAME|FILE" },
    { "rejects", 0, 0, G_OPTION_ARG_FILENAME, &own.rejects,
      "where rejected rows go: CSV of line, column, reason, row", "FILE" },
    { "jobs", 0, 0, G_OPTION_ARG_INT, &own.jobs, "puts at the same time (default 8)", "N" },
    { "print-map", 0, 0, G_OPTION_ARG_FILENAME, &own.print_map,
      "print a preset, as a start for a mapping of your own", "NAME" },
    { "spool", 0, 0, G_OPTION_ARG_FILENAME, &own.spool,
      "where the copy of a pipe goes, as orders are read twice (default: $TMPDIR or /tmp)", "DIR" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &own.json, "the summary as JSON", NULL },
    { "quiet", 0, 0, G_OPTION_ARG_NONE, &own.quiet, "no bar, and no summary unless with --json",
      NULL },
    { NULL },
  };
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  TallExit code;
  if (tall_options_parse (&options, &tall_command_load, entries, argc, argv, &error))
    code = check_and_load (&options, &own);
  else
    code = tall_call_error (&tall_command_load, error);
  g_free (own.map);
  g_free (own.rejects);
  g_free (own.print_map);
  g_free (own.spool);
  return code;
}

const TallCommand tall_command_load = {
  .name = "load",
  .arguments = "FILE.csv|-",
  .summary = "Loads orders or customers from CSV; bad rows go aside with their reason.",
  .help = "Presets: northwind, northwind-customers, online-retail. A mapping file of your own\n"
          "begins with one of them: tallorder load --print-map northwind >my.map\n"
          "The rows of an order have to follow each other: sort the file by customer and order\n"
          "number. No part of an order is stored: a file of orders is read twice, and a pipe is\n"
          "copied for that. The exit code is 1 if any row was rejected. Loading a file again is\n"
          "harmless, unless another program has written the same orders meanwhile: the file's\n"
          "content replaces theirs. A reject file that exists is replaced when the load ends.\n"
          "Ctrl-C stops the load after the orders that are on their way, with a summary; pressed\n"
          "again, at once.\n\n"
          "Example:\n"
          "  tallorder load --store rocksdb:shop --map northwind --rejects bad.csv orders.csv\n\n"
          "The rows of a reject file, below the header of the original, to be mended and loaded:\n"
          "(head -n 1 orders.csv; python3 -c '\n"
          "import csv, sys\n"
          "csv.field_size_limit(9**9)\n"
          "for row in csv.DictReader(open(\"bad.csv\", newline=\"\", encoding=\"latin-1\")):\n"
          "    sys.stdout.buffer.write((row[\"row\"] + \"\\n\").encode(\"latin-1\"))') >again.csv",
  .takes_server = TRUE,
  .run = run,
};
