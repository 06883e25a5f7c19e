/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-json.h"
#include "tall-json-output.h"
#include "tall-load-arguments.h"
#include "tall-load-delete.h"
#include "tall-load-report.h"
#include "tall-options.h"
#include "tall-output.h"
#include "tall-progress.h"
#include "tall-retry.h"
#include "tall-sniff.h"
#include "tall-stop.h"

#include <gio/gio.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Orders that a dry run prints unless told. */
#define SHOWN_ORDERS 3

typedef struct
{
  char *map;
  char *rejects;
  char *print_map;
  char *spool;
  char *on_existing;
  char *retry;
  TallBulkExisting existing; /* the same, understood */
  gboolean assume_new;
  gboolean sniff;
  gboolean delete;
  gint dry_run; /* orders to print; -1: no dry run */
  gint rate;
  char *max_rejects;
  guint64 max_rows; /* the same, understood */
  guint max_percent;
  gint jobs;
  gboolean json;
  gboolean quiet;
} LoadOptions;

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
announce_spool (const char *folder, guint64 bytes, gpointer data G_GNUC_UNUSED)
{
  g_autofree char *size = g_format_size (bytes);
  tall_progress_clear ();
  fprintf (stderr,
           "Rows of orders whose rows are not together, about %s, are put aside in %s; --spool "
           "names another folder\n",
           size, folder);
}

typedef struct
{
  TallRejects *rejects;
  gint to_show;
} LoadHooks;

/* Prints the first orders, or customers, of a dry run. */
static void
show_item (const TallLoadItem *item, gpointer data)
{
  LoadHooks *hooks = data;
  if (hooks->to_show <= 0)
    return;
  hooks->to_show--;
  tall_progress_clear ();
  g_autofree char *text = item->order != NULL ? tall_order_to_json (item->order, FALSE)
                                              : tall_customer_to_json (item->customer, FALSE);
  tall_print_json ("{\"%s\":%s}\n", item->order != NULL ? "order" : "customer", text);
}

static void
show_progress (TallLoadStage stage,
               const TallLoadSummary *summary,
               guint64 position,
               guint64 size,
               gpointer data)
{
  LoadHooks *hooks = data;
  TallProgress progress = { .stage = stage,
                            .items = summary->counts.stored.items + summary->counts.unchanged.items
                                     + summary->counts.skipped.items,
                            .rows = summary->rows,
                            .rejected = tall_rejects_get_count (hooks->rejects),
                            .position = position,
                            .size = size };
  tall_progress_show (&progress);
}

static TallExit
load_file (TallLoadReport *report,
           const LoadOptions *own,
           TallFront *front,
           const TallLoadFiles *files,
           const TallJoin *join)
{
  g_autoptr (GError) error = NULL;
  TallLoadOptions options = TALL_LOAD_OPTIONS_INIT;
  options.storing.jobs = (guint)own->jobs;
  options.storing.bulk.on_existing = own->existing;
  options.storing.bulk.assume_new = own->assume_new;
  LoadHooks hooks = { report->rejects, own->dry_run };
  options.data = &hooks;
  options.show = show_item;
  options.rate = (guint)own->rate;
  options.progress = own->quiet ? NULL : show_progress;
  options.announce = own->quiet ? NULL : announce_spool;
  options.folder = own->spool;
  options.join = join;
  options.stop = tall_stop_on_signals ();
  gint64 start = g_get_monotonic_time ();
  gboolean ok = tall_load (front, files, report->rejects, &options, &report->summary, &error);
  report->seconds = (gdouble)(g_get_monotonic_time () - start) / G_USEC_PER_SEC;
  tall_progress_clear ();
  g_autofree char *why = error != NULL ? tall_error_describe (error) : NULL;

  if (own->json)
    tall_load_report_print_json (report);
  else if (!own->quiet)
    tall_load_report_print (report);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      tall_print_error ("%s. To go on, load the file again: what is stored already is passed over",
                        why);
      return (TallExit)(128 + g_atomic_int_get (options.stop));
    }
  if (!ok)
    {
      tall_print_error (
          "%s. When this is mended, load the file again: what is stored is passed over", why);
      return TALL_EXIT_FAILED;
    }
  return tall_rejects_get_count (report->rejects) > 0 ? TALL_EXIT_NO : TALL_EXIT_DONE;
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

/* What the reject file must not be. */
static gboolean
check_rejects_against (const LoadOptions *own, const char *path, const char *what)
{
  g_autofree char *temporary = tall_rejects_name_temporary (own->rejects);
  if (is_same_file (path, own->rejects))
    tall_usage_error (&tall_command_load, "--rejects names %s; name another file", what);
  else if (temporary != NULL && is_same_file (path, temporary))
    tall_usage_error (&tall_command_load,
                      "until it is finished, the file that --rejects names is written to %s, which "
                      "is %s; name another",
                      temporary, what);
  else
    return TRUE;
  return FALSE;
}

static gboolean
check_rejects (const GPtrArray *arguments, const LoadOptions *own)
{
  if (own->rejects == NULL)
    return TRUE;
  if (g_str_equal (own->rejects, "-") || *own->rejects == '\0')
    {
      tall_usage_error (&tall_command_load, "--rejects takes the name of a file: standard output "
                                            "is for the summary");
      return FALSE;
    }
  for (guint i = 0; i < arguments->len; i++)
    {
      const TallLoadArgument *argument = g_ptr_array_index (arguments, i);
      if (!check_rejects_against (own, argument->path, "the file that is read"))
        return FALSE;
    }
  return (own->map == NULL || check_rejects_against (own, own->map, "the mapping"))
         && (own->retry == NULL
             || check_rejects_against (own, own->retry, "the file that is read"));
}

static TallExit
open_file (TallLoadFiles *files, const TallLoadArgument *argument, const LoadOptions *own)
{
  guint kind = 0;
  g_autoptr (GError) error = NULL;
  static const TallCsvDialect plain = { .delimiter = ',' };
  g_autoptr (TallMapping) mapping = own->map != NULL ? tall_mapping_load (own->map, &error) : NULL;
  if (error != NULL)
    {
      tall_print_failure (error);
      return TALL_EXIT_USAGE;
    }
  if (argument->name != NULL && mapping != NULL)
    mapping->dialect.encoding = NULL; /* reject files are UTF-8 */
  g_autoptr (TallCsvReader) reader =
      tall_csv_reader_open (argument->path, mapping != NULL ? &mapping->dialect : &plain,
                            TALL_CSV_MAX_ROW, &error);
  if (reader == NULL || !tall_csv_reader_check_data (reader, &error))
    {
      tall_print_failure (error);
      return TALL_EXIT_FAILED;
    }
  if (mapping == NULL)
    mapping = tall_load_delete_guess_mapping (reader, &error);
  if (argument->name != NULL)
    tall_csv_reader_set_name (reader, argument->name);
  if (mapping == NULL || !tall_load_argument_find_kind (argument, mapping, &kind, &error))
    {
      tall_print_failure (error);
      return TALL_EXIT_USAGE;
    }
  if (own->delete &&mapping->files->len > 0)
    {
      tall_usage_error (&tall_command_load, "--delete needs a mapping of one file");
      return TALL_EXIT_USAGE;
    }
  if (mapping->files->len == 0 && !bind_columns (mapping, reader))
    return TALL_EXIT_USAGE;
  tall_load_files_add (files, g_steal_pointer (&reader), g_steal_pointer (&mapping))->kind = kind;
  return TALL_EXIT_DONE;
}

/* Looks at everything that may be wrong in the call before the store is opened. */
static TallExit
prepare_and_load (const TallOptions *options, const GPtrArray *arguments, const LoadOptions *own)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallLoadFiles) files = tall_load_files_new ();
  TallExit code = TALL_EXIT_DONE;
  for (guint i = 0; i < arguments->len; i++)
    {
      const TallLoadArgument *argument = g_ptr_array_index (arguments, i);
      code = open_file (files, argument, own);
      if (code != TALL_EXIT_DONE)
        return code;
    }
  tall_load_files_start (files);
  g_autoptr (TallJoin) join = NULL;
  if (tall_load_files_get (files, 0)->mapping->files->len > 0
      && (join = tall_join_new (files, &error)) == NULL)
    {
      tall_print_failure (error);
      return TALL_EXIT_USAGE;
    }
  g_autoptr (TallFront) front = NULL;
  if (own->dry_run < 0)
    front = tall_options_open_front (options, &tall_command_load, &code);
  if (front == NULL && own->dry_run < 0)
    return code;
  g_autoptr (TallRejects) rejects = tall_rejects_new (own->rejects, &error);
  if (rejects == NULL)
    {
      tall_print_failure (error);
      return TALL_EXIT_FAILED;
    }
  if (own->max_rejects != NULL)
    tall_rejects_set_limit (rejects, own->max_rows, own->max_percent);
  const TallLoadFile *first = tall_load_files_get (files, 0);
  const TallLoadDelete deletion = { first->mapping,   first->reader, rejects,   own->rejects,
                                    (guint)own->jobs, own->json,     own->quiet };
  if (own->delete)
    return tall_load_delete_run (&deletion, front);
  TallLoadReport report = { first->mapping->kind, .rejects = rejects, .rejects_path = own->rejects,
                            .is_dry = own->dry_run >= 0 };
  return load_file (&report, own, front, files, join);
}

/* The rows of a reject file, and the files named beside it. */
static TallExit
retry (const TallOptions *options, GPtrArray *arguments, const LoadOptions *own)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) retried =
      tall_retry_unpack (own->retry, own->spool != NULL ? own->spool : g_get_tmp_dir (), &error);
  if (retried == NULL)
    {
      tall_print_failure (error);
      return TALL_EXIT_FAILED;
    }
  g_autoptr (GPtrArray) files = tall_load_arguments_make_retried (retried, own->retry);
  g_ptr_array_extend_and_steal (files, g_ptr_array_ref (arguments));
  if (files->len > 0)
    return prepare_and_load (options, files, own);
  tall_print_error ("%s has no rows", own->retry);
  return TALL_EXIT_FAILED;
}

static gboolean
parse_existing (LoadOptions *own)
{
  static const char *const names[] = {
    [TALL_BULK_REPORT] = "report", [TALL_BULK_SKIP] = "skip", [TALL_BULK_REPLACE] = "replace", NULL
  };
  for (guint i = 0; own->on_existing != NULL && names[i] != NULL; i++)
    if (g_str_equal (own->on_existing, names[i]))
      {
        own->existing = (TallBulkExisting)i;
        return TRUE;
      }
  return own->on_existing == NULL;
}

/* Prints a mapping that is guessed from a file; the exit code is 1 if something is left to fill in.
 */
static TallExit
sniff (const TallOptions *options)
{
  g_autoptr (GError) error = NULL;
  gboolean is_whole = FALSE;
  if (options->n_arguments != 1 || g_str_equal (options->arguments[0], "-"))
    return tall_usage_error (&tall_command_load,
                             "--sniff takes one file, which is read several times; save what comes "
                             "from a pipe first");
  g_autofree char *text = tall_sniff_file (options->arguments[0], &is_whole, &error);
  if (text == NULL)
    {
      tall_print_failure (error);
      return TALL_EXIT_FAILED;
    }
  tall_print ("%s", text);
  return is_whole ? TALL_EXIT_DONE : TALL_EXIT_NO;
}

static gboolean
parse_max_rejects (LoadOptions *own)
{
  if (own->max_rejects == NULL)
    return TRUE;
  guint64 percent = 0;
  g_autofree char *text = g_strdup (own->max_rejects);
  if (!g_str_has_suffix (text, "%"))
    return g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT64, &own->max_rows, NULL);
  text[strlen (text) - 1] = '\0';
  gboolean ok = g_ascii_string_to_unsigned (text, 10, 1, 100, &percent, NULL);
  own->max_percent = (guint)percent;
  return ok;
}

static TallExit
check_and_load (const TallOptions *options, LoadOptions *own)
{
  if (own->print_map != NULL)
    return print_map (own->print_map);
  if (own->sniff)
    return sniff (options);
  if (options->n_arguments == 0 && own->retry == NULL)
    return tall_usage_error (&tall_command_load,
                             "load takes files: FILE.csv …, or - for standard input");
  if (own->delete &&(options->n_arguments != 1 || own->dry_run >= 0 || own->retry != NULL))
    return tall_usage_error (&tall_command_load, "--delete takes one file, and no --dry-run");
  if (own->map == NULL && !own->delete)
    {
      g_autofree char *list = g_strjoinv (", ", (char **)tall_mapping_presets ());
      return tall_usage_error (&tall_command_load,
                               "Say which column is what: --map with a preset (%s) or a file",
                               list);
    }
  if (own->jobs < 1 || own->jobs > 256)
    return tall_usage_error (&tall_command_load, "--jobs takes a number from 1 to 256");
  if (own->rate < 0)
    return tall_usage_error (&tall_command_load, "--rate takes a number of orders a second");
  if (!parse_max_rejects (own))
    return tall_usage_error (&tall_command_load,
                             "--max-rejects takes a number of rows, or a percentage from 1%% to "
                             "100%%, not “%s”",
                             own->max_rejects);
  if (!parse_existing (own))
    return tall_usage_error (&tall_command_load,
                             "--on-existing takes report, skip or replace, not “%s”",
                             own->on_existing);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) arguments =
      tall_load_arguments_expand ((const char *const *)options->arguments,
                                  (guint)options->n_arguments, &error);
  if (arguments == NULL)
    {
      tall_print_failure (error);
      return TALL_EXIT_USAGE;
    }
  if (!check_rejects (arguments, own))
    return TALL_EXIT_USAGE;
  return own->retry != NULL ? retry (options, arguments, own)
                            : prepare_and_load (options, arguments, own);
}

/* Joins `--dry-run` with a number that follows: GLib takes such an option with or without one, not
 * both. */
static char **
join_dry_run (int *argc, char **argv)
{
  GPtrArray *all = g_ptr_array_new ();
  for (int i = 0; i < *argc; i++)
    {
      gboolean is_it = g_str_equal (argv[i], "--dry-run");
      guint64 n = SHOWN_ORDERS;
      if (is_it && i + 1 < *argc
          && g_ascii_string_to_unsigned (argv[i + 1], 10, 0, G_MAXINT, &n, NULL))
        i++;
      g_ptr_array_add (all, is_it ? g_strdup_printf ("--dry-run=%" G_GUINT64_FORMAT, n)
                                  : g_strdup (argv[i]));
    }
  *argc = (int)all->len;
  g_ptr_array_add (all, NULL);
  return (char **)g_ptr_array_free (all, FALSE);
}

static TallExit
run (int argc, char **argv)
{
  LoadOptions own = { .jobs = 8, .dry_run = -1 };
  const GOptionEntry entries[] = {
    { "map", 0, 0, G_OPTION_ARG_FILENAME, &own.map, "which column is what: a preset or a file",
      "NAME|FILE" },
    { "rejects", 0, 0, G_OPTION_ARG_FILENAME, &own.rejects,
      "where rejected rows go: CSV of line, column, reason, row", "FILE" },
    { "retry-rejects", 0, 0, G_OPTION_ARG_FILENAME, &own.retry,
      "load the rows of a reject file, mended, with the same mapping", "FILE" },
    { "on-existing", 0, 0, G_OPTION_ARG_STRING, &own.on_existing,
      "what is done if another content is stored: report (it is rejected; default), skip, replace",
      "WHAT" },
    { "assume-new", 0, 0, G_OPTION_ARG_NONE, &own.assume_new,
      "do not look whether anything is stored already: faster; see src/load/README.md", NULL },
    { "jobs", 0, 0, G_OPTION_ARG_INT, &own.jobs, "batches at the same time (default 8)", "N" },
    { "print-map", 0, 0, G_OPTION_ARG_FILENAME, &own.print_map,
      "print a preset, as a start for a mapping of your own", "NAME" },
    { "sniff", 0, 0, G_OPTION_ARG_NONE, &own.sniff,
      "print a mapping guessed from FILE, with the reason for each guess", NULL },
    { "delete", 0, 0, G_OPTION_ARG_NONE, &own.delete,
      "delete what FILE names: customer and order numbers, in two columns or by --map", NULL },
    { "spool", 0, 0, G_OPTION_ARG_FILENAME, &own.spool,
      "where rows of orders come together, and the copy of a pipe goes (default: $TMPDIR or /tmp)",
      "DIR" },
    { "dry-run", 0, 0, G_OPTION_ARG_INT, &own.dry_run,
      "store nothing: print the first N orders as JSON (default 3), and what would be rejected",
      "[N]" },
    { "max-rejects", 0, 0, G_OPTION_ARG_STRING, &own.max_rejects,
      "stop when more rows are rejected; a percentage counts from 1,000 rows on", "N|N%" },
    { "rate", 0, 0, G_OPTION_ARG_INT, &own.rate, "at most so many orders a second", "N" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &own.json, "the summary as JSON", NULL },
    { "quiet", 0, 0, G_OPTION_ARG_NONE, &own.quiet, "no bar, and no summary unless with --json",
      NULL },
    { NULL },
  };
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  TallExit code;
  g_auto (GStrv) joined = join_dry_run (&argc, argv);
  if (tall_options_parse (&options, &tall_command_load, entries, argc, joined, &error))
    code = check_and_load (&options, &own);
  else
    code = tall_call_error (&tall_command_load, error);
  g_free (own.map);
  g_free (own.rejects);
  g_free (own.on_existing);
  g_free (own.retry);
  g_free (own.print_map);
  g_free (own.spool);
  g_free (own.max_rejects);
  return code;
}

const TallCommand tall_command_load = {
  .name = "load",
  .arguments = "FILE.csv|-|KIND=FILE.csv …",
  .summary = "Loads orders or customers from CSV; bad rows go aside with their reason.",
  .help = "Presets: northwind, northwind-customers, online-retail. A mapping file of your own\n"
          "begins with one of them: tallorder load --print-map northwind >my.map\n"
          "or with a guess: tallorder load --sniff orders.csv >my.map\n"
          "The rows of an order may lie anywhere. No part of an order is stored: a file of orders\n"
          "is read twice, and a pipe is copied for that. The exit code is 1 if any row was "
          "rejected. Loading a file again goes\n"
          "on where it was stopped: what is stored is passed over, and what was changed since is\n"
          "rejected, unless --on-existing says otherwise. A reject file that exists is replaced\n"
          "when the load ends.\n"
          "Ctrl-C stops the load after the orders that are on their way, with a summary; pressed\n"
          "again, at once.\n\n"
          "Example:\n"
          "  tallorder load --store rocksdb:shop --map northwind --rejects bad.csv orders.csv\n\n"
          "The rows of a reject file, mended in an editor:\n"
          "  tallorder load --store rocksdb:shop --map northwind --retry-rejects bad.csv",
  .takes_server = TRUE,
  .run = run,
};
