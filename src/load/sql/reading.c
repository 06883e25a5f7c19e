/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/sql/query.h"

#include "load/mapping/survey.h"
#include "load/orders/customer-grouper.h"
#include "load/orders/grouper.h"
#include "load/sql/temp-db.h"
#include "load/store/loader.h"
#include "tall-error.h"

#include <gio/gio.h>

#define REPORT_ROWS 256

typedef struct
{
  TallQuery *query;
  const TallLoadFiles *files;
  TallRejects *rejects;
  const TallReadingHooks *hooks;
  gpointer data;
  TallLoadStage stage;
  gboolean is_counting;           /* rows of files count in this pass */
  gboolean bad_are_known;         /* those that cannot be read are rejected already */
  guint64 n_bad;                  /* of all files */
  guint64 n_rows;                 /* that have come, of files and of the result */
  TallSurvey *survey;             /* of orders; NULL: none was made */
  TallGrouper *orders;            /* their rows go here … */
  TallCustomerGrouper *customers; /* … or here */
} Reading;

static void
report (Reading *self)
{
  guint64 done, all;
  if (++self->n_rows % REPORT_ROWS != 0)
    return;
  tall_load_files_get_position (self->files, &done, &all);
  self->hooks->report (self->stage, done, all, self->data);
}

/* A row of a file, which the query gets if it is good. */
static gboolean
take_row (const TallCsvRow *row, gpointer data, GError **error)
{
  Reading *self = data;
  TallLoadFile *file = tall_load_files_get (self->files, row->file);
  report (self);
  if (self->is_counting && !self->hooks->take_row (row, self->data, error))
    return FALSE;
  if (self->is_counting && self->n_rows % REPORT_ROWS == 0
      && !tall_load_file_check_unchanged (file, TRUE, error))
    return FALSE;
  if (row->reason == NULL || self->bad_are_known)
    return TRUE;
  const char *column = row->column == TALL_CSV_NO_COLUMN
                           ? NULL
                           : tall_csv_reader_get_columns (file->reader)[row->column];
  const TallReject reject = { row->file, row->line, column, row->kind, row->reason, row->raw };
  tall_rejects_add (self->rejects, &reject);
  self->n_bad++;
  file->n_bad++;
  return TRUE;
}

/* What cannot be read may be a row of any order. */
static gboolean
check_bad (Reading *self, gboolean allows_bad, GError **error)
{
  self->bad_are_known = TRUE;
  if (self->n_bad == 0 || allows_bad)
    return TRUE;
  const TallRejectTally *first = g_ptr_array_index (tall_rejects_get_tally (self->rejects), 0);
  g_autofree char *place =
      tall_csv_describe_line (first->first_line,
                              tall_rejects_get_file_name (self->rejects, first->first_file));
  g_set_error (error, TALL_ERROR, TALL_ERROR_INVALID,
               "%" G_GUINT64_FORMAT
               " %s cannot be read, the first in %s: %s. Nothing is stored, as "
               "a query may need %s; mend %s, or leave %s out with --allow-bad-rows",
               self->n_bad, self->n_bad == 1 ? "row" : "rows", place, first->first_reason,
               self->n_bad == 1 ? "it" : "them", self->n_bad == 1 ? "it" : "them",
               self->n_bad == 1 ? "it" : "them");
  return FALSE;
}

/* Reads all rows once, before anything is stored: are all of them good, and do the rows of an order
 * follow each other? */
static gboolean
look_first (Reading *self, GError **error)
{
  TallCsvRow row;
  TallCsvStep step = TALL_CSV_FAILED;
  const TallMapping *mapping = tall_load_files_get (self->files, 0)->mapping;
  self->stage = TALL_LOAD_SURVEYS;
  if (mapping->kind == TALL_MAPPING_ORDERS)
    self->survey = tall_survey_new (mapping);
  if (!tall_query_begin (self->query, TALL_QUERY_NUMBERS, error))
    return FALSE;
  while ((step = tall_query_next (self->query, &row, error)) == TALL_CSV_ROW)
    if (self->survey != NULL)
      tall_survey_push (self->survey, &row);
  if (self->survey != NULL)
    tall_survey_end (self->survey);
  return step == TALL_CSV_END;
}

static gboolean
push_row (Reading *self, const TallCsvRow *row, GError **error)
{
  if (self->orders != NULL)
    return tall_grouper_push (self->orders, row, error);
  return tall_customer_grouper_push (self->customers, row, error);
}

/* A query that says now this and now that, as one with random() does, may store orders in part. */
static gboolean
check_agrees (Reading *self, GError **error)
{
  for (guint i = 0; i < tall_load_files_count (self->files); i++)
    if (!tall_load_file_check_unchanged (tall_load_files_get (self->files, i), TRUE, error))
      return FALSE;
  if (self->survey == NULL || tall_survey_agrees (self->survey))
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
               "The query has given other rows when it was run again, so orders may be stored in "
               "part; does it call random(), or look at the clock?");
  return FALSE;
}

/* Before rows that are sorted take room. */
static void
announce (Reading *self, const char *folder)
{
  guint64 done, all;
  tall_load_files_get_position (self->files, &done, &all);
  if (all > TALL_TEMP_DB_MEMORY)
    self->hooks->announce (folder, all, self->data);
}

/* Runs the query, and stores what it gives. */
static gboolean
store (Reading *self, gboolean sorts, gboolean allows_bad, GError **error)
{
  TallCsvRow row;
  TallCsvStep step;
  gboolean is_first = TRUE;
  self->is_counting = TRUE;
  self->stage = TALL_LOAD_STORES;
  if (!tall_query_begin (self->query, sorts ? TALL_QUERY_SORTED : TALL_QUERY_ROWS, error))
    return FALSE;
  while ((step = tall_query_next (self->query, &row, error)) == TALL_CSV_ROW)
    {
      if (is_first && !check_bad (self, allows_bad, error))
        return FALSE;
      is_first = FALSE;
      if (sorts)
        {
          self->stage = TALL_LOAD_GATHERS;
          report (self);
          if (!self->hooks->take_row (NULL, self->data, error))
            return FALSE;
        }
      if (!push_row (self, &row, error))
        return FALSE;
    }
  return step == TALL_CSV_END && check_bad (self, allows_bad, error) && check_agrees (self, error)
         && (self->orders == NULL || tall_grouper_finish (self->orders, NULL, error));
}

static gboolean
run (Reading *self, const char *folder, gboolean allows_bad, GError **error)
{
  gboolean streams = tall_query_streams (self->query);
  const TallSpoolPlace place = { .folder = folder };
  if (streams && (!look_first (self, error) || !check_bad (self, allows_bad, error)))
    return FALSE;
  gboolean sorts = !streams || (self->survey != NULL && tall_survey_estimate (self->survey) > 0);
  if (sorts)
    g_clear_pointer (&self->survey, tall_survey_free);
  if (sorts)
    announce (self, folder);
  if (tall_load_files_get (self->files, 0)->mapping->kind == TALL_MAPPING_CUSTOMERS)
    self->customers = tall_customer_grouper_new (self->files, folder, self->rejects,
                                                 self->hooks->emit, self->data, error);
  else
    self->orders = tall_grouper_new (self->files, self->survey, &place, self->rejects,
                                     self->hooks->emit, self->data);
  return (self->orders != NULL || self->customers != NULL)
         && store (self, sorts, allows_bad, error);
}

/**
 * tall_query_load:
 * @files: before their first rows
 * @options: of the load, with a query
 *
 * Reads files by a query, and hands over their orders or customers, each whole or not at all. A row
 * that cannot be read ends it before the first, unless @options allow it.
 *
 * Returns: FALSE if it ended before the query's end: with an error, or as a hook said
 */
gboolean
tall_query_load (const TallLoadFiles *files,
                 const TallLoadOptions *options,
                 TallRejects *rejects,
                 const TallReadingHooks *hooks,
                 gpointer data,
                 GError **error)
{
  gboolean ok = TRUE;
  const char *folder = options->folder != NULL ? options->folder : g_get_tmp_dir ();
  Reading self = {
    .query = options->query, .files = files, .rejects = rejects, .hooks = hooks, .data = data
  };
  tall_query_watch (self.query, options->stop, take_row, &self);
  for (guint i = 0; i < tall_load_files_count (files) && ok; i++)
    ok = tall_csv_reader_keep (tall_load_files_get (files, i)->reader, folder, error);
  ok = ok && run (&self, folder, options->allows_bad_rows, error);
  tall_query_sum_up (self.query);
  tall_grouper_free (self.orders);
  tall_customer_grouper_free (self.customers);
  tall_survey_free (self.survey);
  return ok;
}
