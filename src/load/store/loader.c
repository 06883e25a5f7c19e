/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/store/loader.h"

#include "load/mapping/survey.h"
#include "load/orders/grouper.h"
#include "load/sql/temp-db.h"
#include "base/fail.h"

#include <gio/gio.h>

#define CHECK_ROWS 256

typedef struct
{
  const TallLoadFiles *files;
  TallRejects *rejects;
  const TallLoadOptions *options;
  const char *folder;    /* for what does not fit into memory */
  TallStorer *storer;    /* owned; NULL in a dry run */
  TallLoadLedger ledger; /* of a dry run */
  gboolean is_enough;    /* the caller has seen all that it wants */
  TallPace pace;

  TallLoadStage stage;
  TallSurvey *survey; /* of orders; NULL: none was made, or the query sorts them */
  TallGrouper *grouper;
  gboolean bad_are_known; /* what a query cannot read is rejected already */
  guint64 n_bad;          /* of that */
  guint64 n_steps;        /* rows in all passes */
  guint64 n_rows;         /* read … */
  guint64 n_spooled_rows; /* … and put aside, and read again */
} Loader;

/* In a dry run an item is counted in place of being stored. */
static void
submit_item (TallLoadItem *taken, gpointer data)
{
  Loader *self = data;
  g_autoptr (TallLoadItem) item = taken;
  gboolean is_repeated = tall_load_item_is_repeated (item);
  tall_pace_wait (&self->pace);
  if (self->storer != NULL)
    {
      tall_storer_add (self->storer, g_steal_pointer (&item));
      return;
    }
  tall_load_ledger_add (&self->ledger, item, is_repeated ? TALL_LOAD_REPEATED : TALL_LOAD_STORED);
  if (self->options->show != NULL && !is_repeated)
    self->is_enough = !self->options->show (item, self->options->data);
}

/* What there is to say now. */
static void
sum_up (Loader *self, TallLoadSummary *summary)
{
  *summary = (TallLoadSummary){ .rows = self->n_rows, .spooled_rows = self->n_spooled_rows };
  for (guint i = 0; i < tall_load_files_count (self->files); i++)
    {
      summary->kept_rows += tall_load_files_get (self->files, i)->n_kept;
      summary->bad_rows += tall_load_files_get (self->files, i)->n_bad;
    }
  if (self->options->query != NULL)
    {
      summary->result_rows = tall_query_count_rows (self->options->query);
      summary->refused = tall_query_count_refused (self->options->query, &summary->first_refused);
    }
  if (self->storer != NULL)
    tall_storer_count (self->storer, summary->ends, &summary->retries, &summary->namesakes);
  else
    memcpy (summary->ends, self->ledger.ends, sizeof summary->ends);
}

/* Nothing has another end any more: tells the files those of their rows. */
static void
sum_up_files (Loader *self)
{
  for (guint i = 0; i < tall_load_files_count (self->files); i++)
    {
      TallLoadFile *file = tall_load_files_get (self->files, i);
      for (TallLoadEnd end = 0; end < TALL_LOAD_N_ENDS; end++)
        file->n_ended[end] =
            tall_load_ledger_count_rows (self->storer != NULL ? &self->storer->safe : &self->ledger,
                                         i, end);
      if (self->options->query == NULL)
        file->unused =
            tall_mapping_list_unused (file->mapping, tall_csv_reader_get_columns (file->reader));
    }
  if (self->options->query != NULL)
    tall_query_sum_up (self->options->query);
}

static void
report (gpointer data)
{
  Loader *self = data;
  guint64 done, all;
  TallLoadSummary summary;
  if (self->options->progress == NULL)
    return;
  if (self->stage == TALL_LOAD_GATHERS && self->options->query == NULL)
    tall_grouper_get_progress (self->grouper, &done, &all);
  else
    tall_load_files_get_position (self->files, &done, &all);
  sum_up (self, &summary);
  self->options->progress (self->stage, &summary, done, all, self->options->data);
}

static void
report_step (Loader *self)
{
  if (++self->n_steps % CHECK_ROWS == 0 || self->options->deletes)
    report (self);
}

static gboolean
set_cancelled (Loader *self, const TallCsvRow *row, GError **error)
{
  guint last = tall_load_files_count (self->files) - 1;
  const TallLoadFile *file = tall_load_files_get (self->files, row != NULL ? row->file : last);
  const char *name = tall_csv_reader_get_name (file->reader);
  if (row != NULL)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED,
                 "Stopped at line %" G_GUINT64_FORMAT " of %s, as asked", row->line, name);
  else
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED,
                 "Stopped after the last line of %s, as asked, before all rows that were put "
                 "aside were stored",
                 name);
  return FALSE;
}

/* Counts a row of a file; or, with NULL, one that was put aside, and goes on. Returns FALSE,
 * perhaps without an error, if it is not to be looked at, as the load ends here. */
static gboolean
count_row (Loader *self, const TallCsvRow *row, GError **error)
{
  if (self->is_enough
      || (self->options->stop != NULL && g_atomic_int_get (self->options->stop) != 0))
    return set_cancelled (self, row, error);
  guint64 n = row != NULL ? ++self->n_rows : ++self->n_spooled_rows;
  if (row != NULL)
    tall_load_files_get (self->files, row->file)->n_rows++;
  if (!tall_rejects_check_limit (self->rejects, self->n_rows, error))
    return FALSE;
  report_step (self);
  return (n % CHECK_ROWS != 0 && !self->options->deletes)
         || ((self->storer == NULL || !tall_storer_has_failed (self->storer))
             && !tall_rejects_has_failed (self->rejects));
}

/* What is read for the second time has to be what was surveyed; now and then in between, too. */
static gboolean
check_unchanged (const Loader *self, guint file, gboolean is_row, GError **error)
{
  return (is_row && self->n_rows % CHECK_ROWS != 0)
         || (self->survey == NULL && self->options->query == NULL)
         || tall_load_file_check_unchanged (tall_load_files_get (self->files, file), TRUE, error);
}

static TallMappingKind
get_kind (const Loader *self)
{
  return tall_load_files_get (self->files, 0)->mapping->kind;
}

static void
begin_grouping (Loader *self)
{
  guint64 estimate = self->survey != NULL ? tall_survey_estimate (self->survey) : 0;
  const TallSpoolPlace place = { self->folder, estimate, self->options->announce,
                                 self->options->data };
  self->grouper =
      tall_grouper_new (self->files, self->survey, self->options->deletes ? NULL : &place,
                        self->rejects, submit_item, self);
}

/* Orders are read twice: first to see where each order's rows are. */
static gboolean
survey_files (Loader *self, GError **error)
{
  self->stage = TALL_LOAD_SURVEYS;
  if (get_kind (self) == TALL_MAPPING_ORDERS && !self->options->deletes)
    self->survey = tall_survey_make (self->files, self->folder, report, self, error);
  self->stage = TALL_LOAD_STORES;
  if (g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_clear_error (error);
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED,
                   "Stopped in the first pass over %s, as asked; nothing is stored",
                   tall_csv_reader_get_name (tall_load_files_get (self->files, 0)->reader));
    }
  return *error == NULL;
}

static gboolean
read_file (Loader *self, guint i, GError **error)
{
  TallCsvRow row = { .line = 1 };
  TallCsvStep step;
  TallCsvReader *reader = tall_load_files_get (self->files, i)->reader;
  guint64 line = 1;
  tall_grouper_begin_file (self->grouper, i);
  for (; (step = tall_csv_reader_next (reader, &row, error)) == TALL_CSV_ROW; line = row.line)
    if (!count_row (self, &row, error) || !check_unchanged (self, i, TRUE, error)
        || !tall_grouper_push (self->grouper, &row, error))
      return FALSE;
  if (step == TALL_CSV_FAILED && g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      const TallCsvRow next = { .file = i, .line = line + 1 };
      g_clear_error (error);
      return set_cancelled (self, &next, error);
    }
  return step == TALL_CSV_END && check_unchanged (self, i, FALSE, error);
}

static gboolean
gather_row (gpointer data, GError **error)
{
  return count_row (data, NULL, error);
}

/* Reads files of which each row is one of an order, or a customer. */
static gboolean
read_files (Loader *self, GError **error)
{
  guint n = tall_load_files_count (self->files);
  if (!survey_files (self, error))
    return FALSE;
  begin_grouping (self);
  for (guint i = 0; i < n; i++)
    if (!read_file (self, i, error))
      return FALSE;
  if (self->survey == NULL)
    return tall_grouper_finish (self->grouper, NULL, error);
  self->stage = TALL_LOAD_GATHERS;
  return tall_load_file_check_unchanged (tall_load_files_get (self->files, n - 1),
                                         tall_survey_agrees (self->survey), error)
         && tall_grouper_finish (self->grouper, gather_row, error);
}

/* A row of a file, which the query gets if it is good. */
static gboolean
take_row (const TallCsvRow *row, gpointer data, GError **error)
{
  Loader *self = data;
  TallLoadFile *file = tall_load_files_get (self->files, row->file);
  if (self->stage == TALL_LOAD_SURVEYS)
    report_step (self);
  else if (!count_row (self, row, error) || !check_unchanged (self, row->file, TRUE, error))
    return FALSE;
  if (row->reason == NULL || self->bad_are_known)
    return TRUE;
  const char *column = row->column == TALL_CSV_NO_COLUMN
                           ? NULL
                           : tall_csv_reader_get_columns (file->reader)[row->column];
  tall_rejects_add (self->rejects, row, column, row->kind, row->reason);
  self->n_bad++;
  file->n_bad++;
  return TRUE;
}

/* What cannot be read may be a row of any order. */
static gboolean
check_bad (Loader *self, GError **error)
{
  self->bad_are_known = TRUE;
  if (self->n_bad == 0 || self->options->allows_bad_rows)
    return TRUE;
  const TallRejectTally *first = g_ptr_array_index (tall_rejects_get_tally (self->rejects), 0);
  g_autofree char *place =
      tall_csv_describe_line (first->first_line,
                              tall_rejects_get_file_name (self->rejects, first->first_file));
  return tall_error_fail (error, TALL_ERROR_INVALID,
                          "%" G_GUINT64_FORMAT
                          " %s cannot be read, the first in %s: %s. Nothing is stored, as "
                          "a query may need %s; mend %s, or leave %s out with --allow-bad-rows",
                          self->n_bad, self->n_bad == 1 ? "row" : "rows", place,
                          first->first_reason, self->n_bad == 1 ? "it" : "them",
                          self->n_bad == 1 ? "it" : "them", self->n_bad == 1 ? "it" : "them");
}

/* Runs the query over the numbers alone, before anything is stored: are all rows good, and do those
 * of an order follow each other? */
static gboolean
survey_result (Loader *self, GError **error)
{
  TallCsvRow row;
  TallCsvStep step = TALL_CSV_FAILED;
  self->stage = TALL_LOAD_SURVEYS;
  if (get_kind (self) == TALL_MAPPING_ORDERS)
    self->survey = tall_survey_new (tall_load_files_get (self->files, 0)->mapping);
  if (!tall_query_begin (self->options->query, TALL_QUERY_NUMBERS, error))
    return FALSE;
  while ((step = tall_query_next (self->options->query, &row, error)) == TALL_CSV_ROW)
    if (self->survey != NULL)
      tall_survey_push (self->survey, &row);
  if (self->survey != NULL)
    tall_survey_end (self->survey);
  return step == TALL_CSV_END && check_bad (self, error);
}

/* A query that says now this and now that, as one with random() does, may store orders in part. */
static gboolean
check_agrees (const Loader *self, GError **error)
{
  for (guint i = 0; i < tall_load_files_count (self->files); i++)
    if (!check_unchanged (self, i, FALSE, error))
      return FALSE;
  if (self->survey == NULL || tall_survey_agrees (self->survey))
    return TRUE;
  return tall_error_fail (
      error, TALL_ERROR_UNAVAILABLE,
      "The query has given other rows when it was run again, so orders may be stored in "
      "part; does it call random(), or look at the clock?");
}

static gboolean
read_result (Loader *self, gboolean sorts, GError **error)
{
  TallCsvRow row;
  TallCsvStep step;
  TallQuery *query = self->options->query;
  if (!tall_query_begin (query, sorts ? TALL_QUERY_SORTED : TALL_QUERY_ROWS, error))
    return FALSE;
  while ((step = tall_query_next (query, &row, error)) == TALL_CSV_ROW)
    {
      if (!self->bad_are_known && !check_bad (self, error))
        return FALSE;
      if (sorts)
        self->stage = TALL_LOAD_GATHERS;
      if ((sorts && !count_row (self, NULL, error))
          || !tall_grouper_push (self->grouper, &row, error))
        return FALSE;
    }
  return step == TALL_CSV_END && check_bad (self, error) && check_agrees (self, error)
         && tall_grouper_finish (self->grouper, NULL, error);
}

/* Reads files by a query. A row that cannot be read ends it before the first, unless the options
 * allow it. */
static gboolean
run_query (Loader *self, GError **error)
{
  TallQuery *query = self->options->query;
  tall_query_watch (query, self->options->stop, take_row, self);
  for (guint i = 0; i < tall_load_files_count (self->files); i++)
    if (!tall_csv_reader_keep (tall_load_files_get (self->files, i)->reader, self->folder, error))
      return FALSE;
  gboolean streams = tall_query_streams (query);
  if (streams && !survey_result (self, error))
    return FALSE;
  gboolean sorts = !streams || (self->survey != NULL && tall_survey_estimate (self->survey) > 0);
  self->stage = TALL_LOAD_STORES;
  if (sorts)
    {
      guint64 done, all;
      g_clear_pointer (&self->survey, tall_survey_free);
      tall_load_files_get_position (self->files, &done, &all);
      if (all > TALL_TEMP_DB_MEMORY && self->options->announce != NULL)
        self->options->announce (self->folder, all, self->options->data);
    }
  begin_grouping (self);
  return read_result (self, sorts, error);
}

/* Returns FALSE if it ended before the files' end: with an error, or as storing has failed. */
static gboolean
read_all (Loader *self, GError **error)
{
  gboolean ok = self->options->query != NULL ? run_query (self, error) : read_files (self, error);
  g_clear_pointer (&self->grouper, tall_grouper_free);
  g_clear_pointer (&self->survey, tall_survey_free);
  return ok;
}

static gboolean
check_sum (guint64 n_rows, const char *of, guint64 known, GError **error)
{
  return n_rows == known
         || tall_error_fail (error, TALL_ERROR_INTERNAL,
                             "%" G_GUINT64_FORMAT " rows of %s were read, but %" G_GUINT64_FORMAT
                             " have an end: this is a defect, please report it",
                             n_rows, of, known);
}

/* A query makes any number of rows of those of the files: what it makes has an end. */
static gboolean
check_sums (Loader *self, const TallLoadSummary *summary, GError **error)
{
  guint64 known = tall_rejects_get_count (self->rejects) - summary->bad_rows;
  for (guint end = 0; end < TALL_LOAD_N_ENDS; end++)
    known += summary->ends[end].rows;
  if (self->options->query != NULL)
    return check_sum (summary->result_rows, "the query's result", known, error);
  for (guint i = 0; i < tall_load_files_count (self->files); i++)
    {
      const TallLoadFile *file = tall_load_files_get (self->files, i);
      guint64 rejected = tall_rejects_get_count_of (self->rejects, i);
      if (!check_sum (file->n_rows, tall_csv_reader_get_name (file->reader),
                      tall_load_file_count_settled (file, rejected), error))
        return FALSE;
    }
  return TRUE;
}

/* Workers leave what is to be deleted once they are asked to stop, also when all has been read. */
static gboolean
check_all_deleted (Loader *self, const TallLoadSummary *summary, GError **error)
{
  g_autoptr (GError) local = NULL;
  if (check_sums (self, summary, &local))
    return TRUE;
  if (self->options->stop == NULL || g_atomic_int_get (self->options->stop) == 0)
    g_propagate_error (error, g_steal_pointer (&local));
  else
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED,
                         "Stopped, as asked, before all of the last orders were deleted");
  return FALSE;
}

/* The first cause is the one to report: the storer's, as reading stops when storing has. */
static gboolean
finish_storing (Loader *self, GError **error)
{
  g_autoptr (GError) failure = NULL;
  if (self->storer == NULL || tall_storer_finish (self->storer, &failure))
    return *error == NULL;
  g_clear_error (error);
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

static void
prepare_files (const TallLoadFiles *files, TallRejects *rejects, const gint *stop)
{
  for (guint i = 0; i < tall_load_files_count (files); i++)
    {
      TallCsvReader *reader = tall_load_files_get (files, i)->reader;
      tall_csv_reader_set_stop (reader, stop);
      g_autofree char *name = tall_load_file_describe (tall_load_files_get (files, i));
      tall_rejects_add_file (rejects, name, tall_csv_reader_get_header (reader));
    }
}

/**
 * tall_load:
 * @front: (nullable): NULL: a dry run, which stores nothing, and counts as stored what could be
 * @files: before their first rows
 * @rejects: where rejected rows go; finished by this function
 * @summary: (out caller-allocates): set also after a failure
 *
 * Loads files, each order whole or not at all. A bad row never stops the load. Orders are read
 * twice (#TallSurvey); what cannot be read twice, such as a pipe, is copied. When it is asked to
 * stop, it finishes the puts that are on their way, drops the order whose rows it is reading, and
 * fails with %G_IO_ERROR_CANCELLED.
 *
 * Returns: FALSE if the load was stopped: the file could not be read or has changed, the spool took
 *   no more, the store was out of reach for too long, the outcome of a put stayed unknown, too many
 *   rows were rejected (tall_rejects_set_limit()), or the reject file could not be written
 */
gboolean
tall_load (TallFront *front,
           const TallLoadFiles *files,
           TallRejects *rejects,
           const TallLoadOptions *options,
           TallLoadSummary *summary,
           GError **error)
{
  const char *name = tall_csv_reader_get_name (tall_load_files_get (files, 0)->reader);
  g_autoptr (TallStorer) storer =
      front != NULL ? tall_storer_new (front, options, name, rejects, error) : NULL;
  *summary = (TallLoadSummary){ 0 };
  if (storer == NULL && front != NULL)
    return FALSE;

  g_autoptr (GError) local = NULL;
  Loader self = { .storer = storer,
                  .files = files,
                  .rejects = rejects,
                  .options = options,
                  .folder = options->folder != NULL ? options->folder : g_get_tmp_dir (),
                  .pace = { options->rate, options->stop } };
  tall_load_ledger_init (&self.ledger);
  prepare_files (files, rejects, options->stop);
  gboolean ok = read_all (&self, &local) || local == NULL;
  ok = finish_storing (&self, &local) && ok;
  ok = ok && tall_rejects_check_limit (rejects, self.n_rows, &local); /* of the last rows, too */
  sum_up_files (&self);
  sum_up (&self, summary);
  tall_load_ledger_clear (&self.ledger);

  ok = tall_rejects_close (rejects, local == NULL ? &local : NULL) && ok;
  ok = ok && (options->deletes ? check_all_deleted : check_sums) (&self, summary, &local);
  if (local != NULL)
    g_propagate_error (error, g_steal_pointer (&local));
  return ok;
}
