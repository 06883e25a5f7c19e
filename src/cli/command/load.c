/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/load-run.h"
#include "cli/output.h"
#include "load/mapping/sniff.h"

/* Orders that a dry run prints unless told. */
#define SHOWN_ORDERS 3

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

static gboolean
parse_existing (TallLoadGiven *own)
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

#define SNIFF_TAKES                                                                                \
  "--sniff takes one file or more, which are read several times; save what comes from a pipe "     \
  "first"

/* The files that the guess names, as it does. */
static void
name_files (GPtrArray *files, const GPtrArray *names)
{
  gboolean are_joined = FALSE;
  for (guint i = 0; i < files->len; i++)
    are_joined |= names->pdata[i] != NULL;
  for (guint i = files->len; i > 0; i--)
    {
      TallLoadArgument *file = g_ptr_array_index (files, i - 1);
      g_free (file->kind);
      file->kind = g_strdup (names->pdata[i - 1]);
      if (file->kind == NULL && are_joined)
        g_ptr_array_remove_index (files, i - 1);
    }
}

/* Prints a mapping that is guessed from files; the exit code is 1 if something is left to fill in,
 * or if it would load nothing. */
static TallExit
sniff (const TallOptions *options)
{
  g_autoptr (GError) error = NULL;
  gboolean is_whole = FALSE;
  g_autoptr (GPtrArray) paths = g_ptr_array_new ();
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GPtrArray) files = tall_load_arguments_expand ((const char *const *)options->arguments,
                                                            options->n_arguments, &error);
  gboolean has_pipe = FALSE;
  for (guint i = 0; files != NULL && i < files->len; i++)
    {
      const TallLoadArgument *file = g_ptr_array_index (files, i);
      g_ptr_array_add (paths, file->path);
      g_ptr_array_add (names, file->kind);
      has_pipe |= g_str_equal (file->path, "-");
    }
  if (has_pipe || options->n_arguments == 0)
    return tall_usage_error (&tall_command_load, SNIFF_TAKES);
  g_autofree char *text =
      files != NULL ? tall_sniff ((const char *const *)paths->pdata, (const char **)names->pdata,
                                  files->len, &is_whole, &error)
                    : NULL;
  if (text == NULL)
    return tall_fail_with (error, TALL_EXIT_FAILED);
  tall_print ("%s", text);
  name_files (files, names);
  return is_whole && tall_load_try (options, files, text) ? TALL_EXIT_DONE : TALL_EXIT_NO;
}

static gboolean
parse_max_rejects (TallLoadGiven *own)
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
check_and_load (const TallOptions *options, TallLoadGiven *own)
{
  if (own->print_map != NULL)
    return print_map (own->print_map);
  if (own->sniff && own->map != NULL)
    return tall_usage_error (&tall_command_load, "--sniff guesses a mapping, and takes no --map");
  if (own->sniff)
    return sniff (options);
  if (options->n_arguments == 0 && own->retry == NULL)
    return tall_usage_error (&tall_command_load,
                             "load takes files: FILE.csv …, or - for standard input");
  if (own->deletes && (options->n_arguments != 1 || own->dry_run >= 0 || own->retry != NULL))
    return tall_usage_error (&tall_command_load, "--delete takes one file, and no --dry-run");
  if (own->map == NULL && !own->deletes)
    {
      g_autofree char *list = g_strjoinv (", ", (char **)tall_mapping_presets ());
      return tall_usage_error (&tall_command_load,
                               "Say which column is what: --map with a preset (%s) or a file",
                               list);
    }
  if (own->jobs != G_MININT && (own->jobs < 1 || own->jobs > 256))
    return tall_usage_error (&tall_command_load, "--jobs takes a number from 1 to 256");
  if (own->rate != G_MININT && own->rate < 1)
    return tall_usage_error (&tall_command_load, "--rate takes a number above 0");
  own->jobs = MAX (own->jobs, 0);
  own->rate = MAX (own->rate, 0);
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
    return tall_fail_with (error, TALL_EXIT_USAGE);
  if (own->deletes && arguments->len != 1)
    return tall_usage_error (&tall_command_load, "--delete takes one file, and %u have such a name",
                             arguments->len);
  return tall_load_run (options, arguments, own);
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
  TallLoadGiven own = { &tall_command_load, .jobs = G_MININT, .rate = G_MININT, .dry_run = -1 };
  const GOptionEntry entries[] = {
    { "map", 0, 0, G_OPTION_ARG_FILENAME, &own.map, "which column is what: a preset or a file",
      "NAME|FILE" },
    { "rejects", 0, 0, G_OPTION_ARG_FILENAME, &own.rejects,
      "where rejected rows go: CSV of line, column, reason, row", "FILE" },
    { "retry-rejects", 0, 0, G_OPTION_ARG_FILENAME, &own.retry,
      "load the rows of a reject file, mended, with the same mapping", "FILE" },
    { "on-existing", 0, 0, G_OPTION_ARG_STRING, &own.on_existing,
      "what is done if another content is stored (default report: it is rejected)",
      "report|skip|replace" },
    { "assume-new", 0, 0, G_OPTION_ARG_NONE, &own.assume_new,
      "do not look whether anything is stored already: faster; see src/load/README.md", NULL },
    { "unique-orders", 0, 0, G_OPTION_ARG_NONE, &own.unique_orders,
      "reject an order if another customer has one of its number; one batch at a time, with a look "
      "at each order",
      NULL },
    { "across-files", 0, 0, G_OPTION_ARG_NONE, &own.across_files,
      "an order that begins in one file goes on in another; without, that rejects it, unless the "
      "rows are the same",
      NULL },
    { "jobs", 0, 0, G_OPTION_ARG_INT, &own.jobs,
      "batches at the same time (default 8; at most one a processor where the store is in this "
      "process, but for --delete)",
      "N" },
    { "print-map", 0, 0, G_OPTION_ARG_FILENAME, &own.print_map,
      "print a preset, as a start for a mapping of your own", "NAME" },
    { "sniff", 0, 0, G_OPTION_ARG_NONE, &own.sniff,
      "print a mapping guessed from the files, with the reason for each guess", NULL },
    { "delete", 0, 0, G_OPTION_ARG_NONE, &own.deletes,
      "delete what FILE names below its header: customer and order numbers, in two columns or by "
      "--map",
      NULL },
    { "spool", 0, 0, G_OPTION_ARG_FILENAME, &own.spool,
      "where rows of orders come together, and the copy of a pipe goes (default: $TMPDIR or /tmp)",
      "DIR" },
    { "allow-bad-rows", 0, 0, G_OPTION_ARG_NONE, &own.allow_bad_rows,
      "let a query (.sql) do without rows that cannot be read; without, they stop it", NULL },
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
  g_auto (GStrv) joined = join_dry_run (&argc, argv);
  if (!tall_options_parse (&options, &tall_command_load, entries, argc, joined, &error))
    return tall_call_error (&tall_command_load, error);
  return check_and_load (&options, &own);
}

const TallCommand tall_command_load = {
  .name = "load",
  .arguments = "FILE.csv|-|KIND=FILE.csv …",
  .summary = "Loads orders or customers from CSV; bad rows go aside with their reason.",
  .help = "Presets: shopify, woocommerce, etsy, ebay, amazon, online-retail, online-retail-2,\n"
          "northwind, northwind-customers, superstore, olist, tpch, adventureworks. A mapping of\n"
          "your own begins with one of them, or with a guess: src/load/mapping/README.md.\n\n"
          "The rows of an order may lie anywhere, also in several files. An order is stored as a\n"
          "whole: a file of orders is read twice, and a pipe is copied for that. The exit code is\n"
          "1 if any row was rejected.\n\n"
          "Loading a file again goes on where it was stopped: what is stored stays, and\n"
          "what was changed since is rejected, unless --on-existing says otherwise. A reject file\n"
          "that exists is replaced when the load ends.\n\n"
          "Ctrl-C stops the load after the orders that are on their way, with a summary; pressed\n"
          "again, at once.\n\n"
          "Example:\n"
          "  tallorder load --store rocksdb:shop --map northwind --rejects bad.csv orders.csv\n\n"
          "A mapping of your own, from a preset or a guess; its headers and lines in two files:\n"
          "  tallorder load --print-map northwind >my.map\n"
          "  tallorder load --sniff headers=h.csv lines=l.csv >my.sql\n"
          "  tallorder load --store rocksdb:shop --map my.sql headers=h.csv lines=l.csv\n\n"
          "The rows of a reject file, mended in an editor:\n"
          "  tallorder load --store rocksdb:shop --map northwind --retry-rejects bad.csv",
  .takes_server = TRUE,
  .run = run,
};
