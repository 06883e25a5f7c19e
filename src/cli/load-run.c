/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/load-run.h"

#include "cli/output.h"
#include "cli/load-report.h"
#include "load/mapping/sniff.h"
#include "load/sql/temp-db.h"
#include "load/store/rejects.h"
#include "base/fail.h"
#include "tall-json.h"

#include <gio/gio.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROWS_OF ", rows of "

/* @retried: (element-type TallRetryFile): the rows of a reject file; stay the caller's as long as
 *   the files are read
 * @path: the reject file
 *
 * Returns: (transfer full) (element-type TallLoadArgument): the files in it */
static GPtrArray *
load_arguments_make_retried (GPtrArray *retried, const char *path)
{
  GPtrArray *files = tall_load_arguments_new ();
  for (guint i = 0; i < retried->len; i++)
    {
      const TallRetryFile *file = g_ptr_array_index (retried, i);
      const char *name;
      g_autofree char *kind = tall_load_split_kind (file->name, &name);
      g_autofree char *place = g_strdup_printf ("/proc/self/fd/%d", fileno (file->file));
      const char *original = g_strrstr (name, ROWS_OF);
      original = original != NULL ? original + strlen (ROWS_OF) : name;
      tall_load_arguments_add (files, kind, place)->name =
          *original != '\0' ? g_strconcat (path, ROWS_OF, original, NULL) : g_strdup (path);
    }
  return files;
}

static gboolean
bind_columns (TallMapping *mapping, TallCsvReader *reader, const char *path)
{
  g_autoptr (GError) error = NULL;
  if (tall_mapping_bind_reader (mapping, reader, &error))
    return TRUE;
  const char *preset = tall_sniff_find_preset (path, tall_csv_reader_get_columns (reader));
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

static void
say_stalled (guint seconds, guint most, const GError *cause, gpointer data G_GNUC_UNUSED)
{
  tall_progress_clear ();
  fprintf (stderr,
           "The store stands still: for %u s it has not taken something (%s). The load waits up to "
           "%u s; to stop it, press Ctrl-C\n",
           seconds, cause->message, most);
}

typedef struct
{
  TallRejects *rejects;
  gint to_show;
  gboolean deletes;
} LoadHooks;

/* Prints the first orders, or customers, of a dry run. */
static gboolean
show_item (TallLoadItem *item, gpointer data)
{
  LoadHooks *hooks = data;
  if (hooks->to_show <= 0)
    return TRUE;
  hooks->to_show--;
  tall_progress_clear ();
  g_autofree char *text = item->order != NULL ? tall_order_to_json (item->order, FALSE)
                                              : tall_customer_to_json (item->customer, FALSE);
  tall_print_json ("{\"%s\":%s}\n", item->order != NULL ? "order" : "customer", text);
  return TRUE;
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
                            .items = summary->ends[TALL_LOAD_STORED].items
                                     + summary->ends[TALL_LOAD_REVIVED].items
                                     + summary->ends[TALL_LOAD_UNCHANGED].items
                                     + summary->ends[TALL_LOAD_SKIPPED].items,
                            .done = hooks->deletes       ? "deleted"
                                    : hooks->to_show < 0 ? "safe"
                                                         : "good",
                            .rows = summary->rows,
                            .rejected = tall_rejects_get_count (hooks->rejects),
                            .position = position,
                            .size = size };
  tall_progress_show (&progress);
}

#define GO_ON_DELETING "%s. To go on, run it again: what is deleted is absent then"

static TallExit
load_file (TallLoadReport *report,
           const TallLoadGiven *own,
           TallFront *front,
           const TallLoadFiles *files,
           TallQuery *query)
{
  g_autoptr (GError) error = NULL;
  TallLoadOptions options = TALL_LOAD_OPTIONS_INIT;
  options.jobs = (guint)own->jobs;
  options.bulk.on_existing = own->existing;
  options.bulk.assume_new = own->assume_new;
  options.unique = own->unique_orders;
  LoadHooks hooks = { report->rejects, own->dry_run, own->deletes };
  options.deletes = own->deletes;
  options.data = &hooks;
  options.show = show_item;
  options.rate = (guint)own->rate;
  options.progress = own->quiet ? NULL : show_progress;
  options.announce = own->quiet ? NULL : announce_spool;
  options.stalled = own->quiet ? NULL : say_stalled;
  options.folder = own->spool;
  options.query = query;
  options.allows_bad_rows = own->allow_bad_rows;
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
    return tall_fail_saying (
        (TallExit)(128 + g_atomic_int_get (options.stop)),
        own->deletes ? GO_ON_DELETING
                     : "%s. To go on, load the file again: what is stored already stays as it is",
        why);
  if (!ok)
    return tall_fail_saying (
        TALL_EXIT_FAILED,
        own->deletes
            ? GO_ON_DELETING
            : "%s. When this is mended, load the file again: what is stored stays as it is",
        why);
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
check_rejects_against (const TallLoadGiven *own, const char *path, const char *what)
{
  g_autofree char *temporary = tall_rejects_file_name_temporary (own->rejects);
  if (is_same_file (path, own->rejects))
    tall_usage_error (own->command, "--rejects names %s; name another file", what);
  else if (temporary != NULL && is_same_file (path, temporary))
    tall_usage_error (own->command,
                      "until it is finished, the file that --rejects names is written to %s, which "
                      "is %s; name another",
                      temporary, what);
  else
    return TRUE;
  return FALSE;
}

static gboolean
check_rejects (const GPtrArray *arguments, const TallLoadGiven *own)
{
  if (own->rejects == NULL)
    return TRUE;
  if (g_str_equal (own->rejects, "-") || *own->rejects == '\0')
    {
      tall_usage_error (own->command, "--rejects takes the name of a file: standard output "
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

static TallMapping *
load_mapping (const TallLoadGiven *own, GError **error)
{
  if (own->guess == NULL)
    return own->map != NULL ? tall_mapping_load (own->map, error) : NULL;
  return g_str_has_prefix (own->guess, "--")
             ? tall_mapping_parse_sql ("that was guessed", own->guess, -1, error)
             : tall_mapping_parse ("that was guessed", own->guess, -1, error);
}

static TallExit
open_file (TallLoadFiles *files, const TallLoadArgument *argument, const TallLoadGiven *own)
{
  g_autoptr (GError) error = NULL;
  static const TallCsvDialect plain = { .delimiter = ',' };
  g_autoptr (TallMapping) mapping = load_mapping (own, &error);
  if (error != NULL)
    return tall_fail_with (error, TALL_EXIT_USAGE);
  if (mapping != NULL)
    mapping->across_files = own->across_files;
  if (mapping != NULL && mapping->sql != NULL
      && !tall_mapping_take_kind (mapping, argument->kind, &error))
    return tall_fail_with (error, TALL_EXIT_USAGE);
  if (argument->name != NULL && mapping != NULL)
    {
      mapping->dialect.encoding = NULL; /* reject files are UTF-8, */
      mapping->dialect.skip_lines = 0;  /* and have nothing above the header */
    }
  g_autoptr (TallCsvReader) reader =
      tall_csv_reader_open (argument->path, mapping != NULL ? &mapping->dialect : &plain,
                            TALL_CSV_MAX_ROW, &error);
  if (reader == NULL || !tall_csv_reader_check_data (reader, &error))
    return tall_fail_with (error, TALL_EXIT_FAILED);
  if (mapping == NULL)
    mapping = tall_load_delete_guess_mapping (reader, &error);
  if (own->guess != NULL)
    tall_csv_reader_set_limit (reader, TALL_SNIFF_MAX_ROWS);
  if (argument->name != NULL)
    tall_csv_reader_set_name (reader, argument->name);
  if (mapping == NULL)
    return tall_fail_with (error, TALL_EXIT_USAGE);
  if (argument->kind != NULL && mapping->sql == NULL)
    return tall_fail_saying (
        TALL_EXIT_USAGE,
        "mapping %s is of one kind of files, so write %s without %s=; a query joins "
        "several",
        mapping->name, argument->path, argument->kind);
  if (own->deletes && mapping->sql != NULL)
    {
      tall_usage_error (own->command,
                        "--delete takes no query: give it a file of two columns, the customer's "
                        "number and the order's, without --map, or a .map with [order]");
      return TALL_EXIT_USAGE;
    }
  if (mapping->sql == NULL && !bind_columns (mapping, reader, argument->path))
    return TALL_EXIT_USAGE;
  TallLoadFile *file =
      tall_load_files_add (files, g_steal_pointer (&reader), g_steal_pointer (&mapping));
  file->kind_name = file->mapping->sql != NULL ? g_intern_string (argument->kind) : NULL;
  return TALL_EXIT_DONE;
}

static TallExit
load_files (const TallOptions *options, const GPtrArray *arguments, const TallLoadGiven *own)
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
  g_autoptr (TallQuery) query = NULL;
  const TallLoadFile *first = tall_load_files_get (files, 0);
  if (first->mapping->sql != NULL && (query = tall_query_new (files, own->spool, &error)) == NULL)
    return tall_fail_with (error, TALL_EXIT_USAGE);
  g_autoptr (TallFront) front = NULL;
  if (own->dry_run < 0)
    front = tall_options_open_front (options, own->command, &code);
  if (front == NULL && own->dry_run < 0)
    return code;
  g_autoptr (TallRejects) rejects = tall_rejects_new (own->rejects, &error);
  if (rejects == NULL)
    return tall_fail_with (error, TALL_EXIT_FAILED);
  if (own->max_rejects != NULL)
    tall_rejects_set_limit (rejects, own->max_rows, own->max_percent);
  TallLoadReport report = { first->mapping->kind,
                            .files = files,
                            .rejects = rejects,
                            .rejects_path = own->rejects,
                            .is_dry = own->dry_run >= 0,
                            .deletes = own->deletes,
                            .is_guessed = own->deletes && own->map == NULL };
  code = load_file (&report, own, front, files, query);
  if (own->n_good != NULL)
    *own->n_good = report.summary.ends[TALL_LOAD_STORED].items;
  return code;
}

/**
 * tall_load_try:
 * @arguments: (element-type TallLoadArgument): the files
 * @guess: the text of a mapping
 *
 * Returns: whether it makes an order, or a customer, of the first rows
 */
gboolean
tall_load_try (const TallOptions *options, const GPtrArray *arguments, const char *guess)
{
  guint64 n_good = 0;
  const TallLoadGiven given = {
    .command = &tall_command_load, .guess = guess, .quiet = TRUE, .n_good = &n_good
  };
  load_files (options, arguments, &given);
  return n_good > 0;
}

/* The rows of a reject file, and the files named beside it. */
static TallExit
retry (const TallOptions *options, GPtrArray *arguments, const TallLoadGiven *own)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) retried =
      tall_retry_unpack (own->retry, own->spool != NULL ? own->spool : g_get_tmp_dir (), &error);
  if (retried == NULL)
    return tall_fail_with (error, TALL_EXIT_FAILED);
  g_autoptr (GPtrArray) files = load_arguments_make_retried (retried, own->retry);
  g_ptr_array_extend_and_steal (files, g_ptr_array_ref (arguments));
  if (files->len > 0)
    return load_files (options, files, own);
  return tall_fail_saying (TALL_EXIT_FAILED, "%s has no rows", own->retry);
}

/* A folder in which nothing can be put aside is noticed before anything is read. */
static gboolean
check_spool (const TallLoadGiven *own)
{
  g_autoptr (GError) error = NULL;
  if (own->spool == NULL || tall_temp_folder_check (own->spool, &error))
    return TRUE;
  tall_print_failure (error);
  return FALSE;
}

/**
 * tall_load_run:
 * @arguments: (element-type TallLoadArgument): the files
 *
 * Loads files, or deletes what they name. Everything that may be wrong in the call is looked at
 * before the store is opened.
 */
TallExit
tall_load_run (const TallOptions *options, GPtrArray *arguments, const TallLoadGiven *own)
{
  if (!check_rejects (arguments, own))
    return TALL_EXIT_USAGE;
  if (!check_spool (own))
    return TALL_EXIT_FAILED;
  return own->retry != NULL ? retry (options, arguments, own)
                            : load_files (options, arguments, own);
}
