/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/reading.h"
#include "load/orders/customer-grouper.h"
#include "tall-error.h"
#include "load/orders/grouper.h"

#include <gio/gio.h>

#define REPORT_ROWS 256

typedef struct
{
  const TallLoadFiles *files;
  TallRejects *rejects;
  const TallReadingHooks *hooks;
  gpointer data;
  TallSurvey *survey;             /* of orders … */
  TallGrouper *orders;            /* … whose rows go here … */
  TallCustomerGrouper *customers; /* … or of customers, here */
  guint64 n_rows;                 /* of this pass */
} Reading;

static void
emit (TallLoadItem *item, gpointer data)
{
  Reading *self = data;
  self->hooks->emit (item, self->data);
}

static void
report (Reading *self, TallLoadStage stage)
{
  guint64 done, all;
  if (stage == TALL_LOAD_GATHERS && self->orders != NULL)
    tall_grouper_get_progress (self->orders, &done, &all);
  else
    tall_load_files_get_position (self->files, &done, &all);
  self->hooks->report (stage, done, all, self->data);
}

static void
report_survey (gpointer data)
{
  report (data, TALL_LOAD_SURVEYS);
}

static gboolean
set_cancelled (const TallLoadFile *file, guint64 line, GError **error)
{
  g_clear_error (error);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED,
               "Stopped at line %" G_GUINT64_FORMAT " of %s, as asked", line,
               tall_csv_reader_get_name (file->reader));
  return FALSE;
}

/* What is read for the second time has to be what was surveyed. */
static gboolean
check_unchanged (Reading *self, const TallLoadFile *file, gboolean agrees, GError **error)
{
  return self->survey == NULL || tall_load_file_check_unchanged (file, agrees, error);
}

static gboolean
push_row (Reading *self, TallLoadFile *file, const TallCsvRow *row, GError **error)
{
  if (!self->hooks->take_row (row, self->data, error))
    return FALSE;
  if (++self->n_rows % REPORT_ROWS == 0)
    {
      report (self, TALL_LOAD_STORES);
      if (!check_unchanged (self, file, TRUE, error))
        return FALSE;
    }
  return self->orders != NULL ? tall_grouper_push (self->orders, row, error)
                              : tall_customer_grouper_push (self->customers, row, error);
}

/* @error is not NULL. Returns FALSE, perhaps without an error, if reading ends before the file. */
static gboolean
read_file (Reading *self, guint i, GError **error)
{
  TallCsvRow row;
  TallCsvStep step;
  TallLoadFile *file = tall_load_files_get (self->files, i);
  guint64 line = 1;
  if (self->orders != NULL)
    tall_grouper_begin_file (self->orders, i);
  else
    tall_customer_grouper_begin_file (self->customers, i);
  while ((step = tall_csv_reader_next (file->reader, &row, error)) == TALL_CSV_ROW)
    {
      line = row.line;
      if (!push_row (self, file, &row, error))
        return FALSE;
    }
  if (step == TALL_CSV_FAILED && g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return set_cancelled (file, line + 1, error);
  return step == TALL_CSV_END && check_unchanged (self, file, TRUE, error);
}

static gboolean
read_rows (Reading *self, GError **error)
{
  guint n = tall_load_files_count (self->files);
  for (guint i = 0; i < n; i++)
    if (!read_file (self, i, error))
      return FALSE;
  return self->survey == NULL
         || check_unchanged (self, tall_load_files_get (self->files, n - 1),
                             tall_survey_agrees (self->survey), error);
}

static gboolean
on_spooled_row (gpointer data, GError **error)
{
  Reading *self = data;
  if (!self->hooks->take_row (NULL, self->data, error))
    return FALSE;
  if (++self->n_rows % REPORT_ROWS == 0)
    report (self, TALL_LOAD_GATHERS);
  return TRUE;
}

static gboolean
finish (Reading *self, GError **error)
{
  return self->orders == NULL || tall_grouper_finish (self->orders, on_spooled_row, error);
}

/* @error is not NULL. */
static gboolean
survey (Reading *self, const char *folder, GError **error)
{
  const TallLoadFile *first = tall_load_files_get (self->files, 0);
  self->survey = tall_survey_make (self->files, folder, report_survey, self, error);
  if (self->survey == NULL && g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_clear_error (error);
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED,
                   "Stopped in the first pass over %s, as asked; nothing is stored",
                   tall_csv_reader_get_name (first->reader));
    }
  return self->survey != NULL;
}

/* @error is not NULL. */
static gboolean
prepare (Reading *self, const char *folder, GError **error)
{
  TallSpoolPlace place = { folder, 0, self->hooks->announce, self->data };
  if (tall_load_files_get (self->files, 0)->mapping->kind == TALL_MAPPING_CUSTOMERS)
    {
      self->customers =
          tall_customer_grouper_new (self->files, folder, self->rejects, emit, self, error);
      return self->customers != NULL;
    }
  if (!survey (self, folder, error))
    return FALSE;
  place.estimate = tall_survey_estimate (self->survey);
  self->orders = tall_grouper_new (self->files, self->survey, &place, self->rejects, emit, self);
  return TRUE;
}

/**
 * tall_reading_run:
 * @files: before their first rows
 * @folder: (nullable): where temporary files go; NULL: where such files usually go
 *
 * Reads files and hands over their orders or customers, each whole or not at all. Orders are read
 * twice: first to see where each order's rows are (#TallSurvey). What cannot be read twice, such as
 * a pipe, is copied.
 *
 * Returns: FALSE if it ended before the files' end: with an error, or as a hook said
 */
gboolean
tall_reading_run (const TallLoadFiles *files,
                  const char *folder,
                  TallRejects *rejects,
                  const TallReadingHooks *hooks,
                  gpointer data,
                  GError **error)
{
  g_autoptr (GError) local = NULL;
  Reading self = { .files = files, .rejects = rejects, .hooks = hooks, .data = data };
  const char *place = folder != NULL ? folder : g_get_tmp_dir ();
  gboolean ok =
      prepare (&self, place, &local) && read_rows (&self, &local) && finish (&self, &local);
  if (local != NULL)
    g_propagate_error (error, g_steal_pointer (&local));
  tall_grouper_free (self.orders);
  tall_customer_grouper_free (self.customers);
  tall_survey_free (self.survey);
  return ok;
}
