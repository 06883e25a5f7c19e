/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-reading.h"
#include "tall-customer-grouper.h"
#include "tall-error.h"
#include "tall-grouper.h"

#include <gio/gio.h>

#define REPORT_ROWS 256

typedef struct
{
  TallCsvReader *reader;
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
  guint64 done = tall_csv_reader_get_position (self->reader);
  guint64 all = tall_csv_reader_get_size (self->reader);
  if (stage == TALL_LOAD_GATHERS && self->orders != NULL)
    tall_grouper_get_progress (self->orders, &done, &all);
  self->hooks->report (stage, done, all, self->data);
}

static void
report_survey (gpointer data)
{
  report (data, TALL_LOAD_SURVEYS);
}

static gboolean
set_cancelled (Reading *self, guint64 line, GError **error)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED,
               "Stopped at line %" G_GUINT64_FORMAT " of %s, as asked", line,
               tall_csv_reader_get_name (self->reader));
  return FALSE;
}

/* The file that is read for the second time has to be the one that was surveyed. */
static gboolean
check_unchanged (Reading *self, gboolean at_end, GError **error)
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

static gboolean
push_row (Reading *self, const TallCsvRow *row, GError **error)
{
  if (!self->hooks->take_row (row, self->data, error))
    return FALSE;
  if (++self->n_rows % REPORT_ROWS == 0)
    {
      report (self, TALL_LOAD_STORES);
      if (!check_unchanged (self, FALSE, error))
        return FALSE;
    }
  return self->orders != NULL ? tall_grouper_push (self->orders, row, error)
                              : tall_customer_grouper_push (self->customers, row, error);
}

/* @error is not NULL. Returns FALSE, perhaps without an error, if reading ends before the file. */
static gboolean
read_rows (Reading *self, GError **error)
{
  TallCsvRow row;
  TallCsvStep step;
  guint64 line = 1;
  while ((step = tall_csv_reader_next (self->reader, &row, error)) == TALL_CSV_ROW)
    {
      line = row.line;
      if (!push_row (self, &row, error))
        return FALSE;
    }
  if (step == TALL_CSV_FAILED && g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_clear_error (error);
      return set_cancelled (self, line + 1, error);
    }
  return step == TALL_CSV_END && check_unchanged (self, TRUE, error);
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
  return self->orders != NULL
             ? tall_grouper_finish (self->orders, on_spooled_row, error)
             : tall_customer_grouper_finish (self->customers, self->reader, on_spooled_row, error);
}

/* @error is not NULL. */
static gboolean
survey (Reading *self, const TallMapping *mapping, const char *folder, GError **error)
{
  self->survey = tall_survey_make (self->reader, mapping, folder, report_survey, self, error);
  if (self->survey == NULL && g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_clear_error (error);
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED,
                   "Stopped in the first pass over %s, as asked; nothing is stored",
                   tall_csv_reader_get_name (self->reader));
    }
  return self->survey != NULL;
}

/* @error is not NULL. */
static gboolean
prepare (Reading *self, const TallMapping *mapping, const char *folder, GError **error)
{
  const char *const *columns = tall_csv_reader_get_columns (self->reader);
  TallSpoolPlace place = { folder, 0, self->hooks->announce, self->data };
  if (mapping->kind == TALL_MAPPING_CUSTOMERS)
    {
      self->customers =
          tall_customer_grouper_new (mapping, columns, &place, self->rejects, emit, self);
      return tall_csv_reader_keep (self->reader, folder, error);
    }
  if (!survey (self, mapping, folder, error))
    return FALSE;
  place.estimate = tall_survey_estimate (self->survey);
  self->orders =
      tall_grouper_new (mapping, columns, self->survey, &place, self->rejects, emit, self);
  return TRUE;
}

/**
 * tall_reading_run:
 * @reader: before its first row
 * @mapping: bound to the columns of @reader
 * @folder: (nullable): where temporary files go; NULL: where such files usually go
 *
 * Reads a file and hands over its orders or customers, each whole or not at all. Orders are read
 * twice: first to see where each order's rows are (#TallSurvey). What cannot be read twice, such as
 * a pipe, is copied.
 *
 * Returns: FALSE if it ended before the file's end: with an error, or as a hook said
 */
gboolean
tall_reading_run (TallCsvReader *reader,
                  const TallMapping *mapping,
                  const char *folder,
                  TallRejects *rejects,
                  const TallReadingHooks *hooks,
                  gpointer data,
                  GError **error)
{
  g_autoptr (GError) local = NULL;
  Reading self = { .reader = reader, .rejects = rejects, .hooks = hooks, .data = data };
  const char *place = folder != NULL ? folder : g_get_tmp_dir ();
  gboolean ok = prepare (&self, mapping, place, &local) && read_rows (&self, &local)
                && finish (&self, &local);
  if (local != NULL)
    g_propagate_error (error, g_steal_pointer (&local));
  tall_grouper_free (self.orders);
  tall_customer_grouper_free (self.customers);
  tall_survey_free (self.survey);
  return ok;
}
