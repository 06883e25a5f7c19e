/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-loader.h"
#include "tall-error.h"
#include "tall-grouper.h"
#include "tall-storer.h"

#include <gio/gio.h>

#define PROGRESS_ROWS 256

typedef struct
{
  TallStorer *storer; /* owned */
  TallCsvReader *reader;
  TallRejects *rejects;
  const TallLoadOptions *options;
  TallLoadStage stage;
  TallSurvey *survey; /* owned; NULL for customers */
  guint64 n_rows;     /* read */
} Loader;

/* TRUE if the caller asked for a stop. */
static gboolean
is_asked_to_stop (const Loader *self)
{
  return self->options->stop != NULL && g_atomic_int_get (self->options->stop) != 0;
}

static void
submit_item (TallLoadItem *item, gpointer data)
{
  Loader *self = data;
  tall_storer_add (self->storer, item);
}

/* What there is to say now. */
static void
sum_up (Loader *self, TallLoadSummary *summary)
{
  *summary = (TallLoadSummary){ .rows = self->n_rows };
  if (self->storer != NULL)
    tall_storer_count (self->storer, &summary->counts);
  if (self->survey != NULL)
    summary->apart = tall_survey_count_apart (self->survey);
}

static void
report_progress (gpointer data)
{
  Loader *self = data;
  if (self->options->progress == NULL)
    return;
  TallLoadSummary summary;
  sum_up (self, &summary);
  self->options->progress (self->stage, &summary, tall_csv_reader_get_position (self->reader),
                           tall_csv_reader_get_size (self->reader), self->options->data);
}

static gboolean
set_cancelled (Loader *self, guint64 line, GError **error)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED,
               "Stopped at line %" G_GUINT64_FORMAT " of %s, as asked", line,
               tall_csv_reader_get_name (self->reader));
  return FALSE;
}

/* The file that is read for the second time has to be the one that was surveyed. */
static gboolean
check_unchanged (Loader *self, gboolean at_end, GError **error)
{
  if (self->survey == NULL
      || (!tall_csv_reader_has_changed (self->reader)
          && (!at_end || tall_survey_agrees (self->survey))))
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
               "%s was changed while it was loaded, so orders may be stored in part",
               tall_csv_reader_get_name (self->reader));
  return FALSE;
}

/* Counts a row. Returns FALSE if it is not to be looked at, as the load ends here. */
static gboolean
take_row (Loader *self, const TallCsvRow *row, GError **error)
{
  if (is_asked_to_stop (self))
    return set_cancelled (self, row->line, error);
  if (++self->n_rows % PROGRESS_ROWS != 0)
    return TRUE;
  if (tall_storer_has_failed (self->storer) || tall_rejects_has_failed (self->rejects))
    return FALSE;
  report_progress (self);
  return check_unchanged (self, FALSE, error);
}

/* @error is not NULL. */
static gboolean
read_rows (Loader *self, TallGrouper *grouper, GError **error)
{
  TallCsvRow row;
  TallCsvStep step;
  guint64 line = 1;
  while ((step = tall_csv_reader_next (self->reader, &row, error)) == TALL_CSV_ROW)
    {
      line = row.line;
      if (!take_row (self, &row, error))
        return *error == NULL;
      tall_grouper_push (grouper, &row);
    }
  if (step == TALL_CSV_FAILED && g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_clear_error (error);
      return set_cancelled (self, line + 1, error);
    }
  if (step == TALL_CSV_FAILED || !check_unchanged (self, TRUE, error))
    return FALSE;
  tall_grouper_finish (grouper);
  return TRUE;
}

/* @error is not NULL. */
static gboolean
survey (Loader *self, const TallMapping *mapping, GError **error)
{
  if (mapping->kind == TALL_MAPPING_CUSTOMERS)
    return TRUE;
  const char *folder = self->options->folder;
  self->survey =
      tall_survey_make (self->reader, mapping, folder != NULL ? folder : g_get_tmp_dir (),
                        report_progress, self, error);
  if (self->survey != NULL)
    return TRUE;
  if (g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_clear_error (error);
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED,
                   "Stopped in the first pass over %s, as asked; nothing is stored",
                   tall_csv_reader_get_name (self->reader));
    }
  return FALSE;
}

static gboolean
read_file (Loader *self, const TallMapping *mapping, GError **error)
{
  self->stage = TALL_LOAD_SURVEYS;
  if (!survey (self, mapping, error))
    return FALSE;
  self->stage = TALL_LOAD_STORES;
  const char *const *columns = tall_csv_reader_get_columns (self->reader);
  g_autoptr (TallGrouper) grouper =
      tall_grouper_new (mapping, columns, self->survey, self->rejects, submit_item, self);
  return read_rows (self, grouper, error);
}

static gboolean
check_sum (const TallLoadSummary *summary, guint64 rejected, GError **error)
{
  const TallStorerCounts *counts = &summary->counts;
  guint64 known = counts->stored.rows + counts->unchanged.rows + counts->skipped.rows
                  + counts->overtaken.rows + rejected;
  if (summary->rows == known)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_INTERNAL,
               "%" G_GUINT64_FORMAT " rows were read, but %" G_GUINT64_FORMAT
               " have an end: this is a defect, please report it",
               summary->rows, known);
  return FALSE;
}

static TallStorer *
begin_storing (TallFront *front,
               TallCsvReader *reader,
               TallRejects *rejects,
               const TallLoadOptions *options,
               GError **error)
{
  TallStorerOptions storing = options->storing;
  storing.bulk.name = tall_csv_reader_get_name (reader);
  storing.stop = options->stop;
  return tall_storer_new (front, &storing, rejects, error);
}

/* The first cause is the one to report: the storer's, as reading stops when storing has. */
static gboolean
finish_storing (Loader *self, GError **error)
{
  g_autoptr (GError) failure = NULL;
  if (tall_storer_finish (self->storer, &failure))
    return *error == NULL;
  g_clear_error (error);
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

/**
 * tall_load:
 * @mapping: bound to the columns of @reader
 * @rejects: where rejected rows go; finished by this function
 * @summary: (out caller-allocates): set also after a failure
 *
 * Loads a file. Orders are read twice: first to see where each order's rows are (#TallSurvey), then
 * to store those that are in one piece. What cannot be read twice, such as a pipe, is copied to a
 * temporary file. Orders are put one by one, several at once, each whole or not at all. A bad row
 * never stops the load. Loading a file again is harmless, if no other program has written the same
 * orders since: what is stored already is replaced by the same content.
 *
 * When it is asked to stop, it finishes the puts that are on their way, drops the order whose rows
 * it is reading, and fails with %G_IO_ERROR_CANCELLED.
 *
 * Returns: FALSE if the load was stopped: the file could not be read or has changed, the
 *   store was out of reach for too long, the outcome of a put stayed unknown, or the reject file
 *   could not be written
 */
gboolean
tall_load (TallFront *front,
           TallCsvReader *reader,
           const TallMapping *mapping,
           TallRejects *rejects,
           const TallLoadOptions *options,
           TallLoadSummary *summary,
           GError **error)
{
  g_autoptr (TallStorer) storer = begin_storing (front, reader, rejects, options, error);
  Loader self = { .storer = storer, .reader = reader, .rejects = rejects, .options = options };
  sum_up (&self, summary);
  if (storer == NULL)
    return FALSE;

  g_autoptr (GError) local = NULL;
  tall_csv_reader_set_stop (reader, options->stop);
  gboolean ok = read_file (&self, mapping, &local);
  ok = finish_storing (&self, &local) && ok;
  report_progress (&self);
  sum_up (&self, summary);
  tall_survey_free (self.survey);

  ok = tall_rejects_close (rejects, local == NULL ? &local : NULL) && ok;
  ok = ok && check_sum (summary, tall_rejects_get_count (rejects), &local);
  if (local != NULL)
    g_propagate_error (error, g_steal_pointer (&local));
  return ok;
}
