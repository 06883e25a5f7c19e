/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/store/loader.h"
#include "tall-error.h"
#include "load/store/storer.h"

#include <gio/gio.h>

#define CHECK_ROWS 256

typedef struct
{
  TallStorer *storer; /* owned; NULL in a dry run */
  const TallLoadFiles *files;
  TallRejects *rejects;
  const TallLoadOptions *options;
  TallLoadLedger ledger; /* of a dry run */
  TallPace pace;
  guint64 n_rows;         /* read … */
  guint64 n_spooled_rows; /* … and put aside, and read again */
} Loader;

/* TRUE if the caller asked for a stop. */
static gboolean
is_asked_to_stop (const Loader *self)
{
  return self->options->stop != NULL && g_atomic_int_get (self->options->stop) != 0;
}

/* What a dry run does in place of storing. */
static void
count_item (Loader *self, TallLoadItem *taken)
{
  g_autoptr (TallLoadItem) item = taken;
  tall_load_ledger_add (&self->ledger, item, TALL_LOAD_STORED);
  if (self->options->show != NULL)
    self->options->show (item, self->options->data);
}

static void
submit_item (TallLoadItem *item, gpointer data)
{
  Loader *self = data;
  tall_pace_wait (&self->pace);
  if (self->storer != NULL)
    tall_storer_add (self->storer, item);
  else
    count_item (self, item);
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
    summary->result_rows = tall_query_count_rows (self->options->query);
  if (self->storer != NULL)
    tall_storer_count (self->storer, summary->ends, &summary->retries);
  else
    memcpy (summary->ends, self->ledger.ends, sizeof summary->ends);
}

/* Nothing has another end any more: tells the files those of their rows. */
static void
sum_up_files (Loader *self)
{
  for (guint i = 0; i < tall_load_files_count (self->files); i++)
    for (TallLoadEnd end = 0; end < TALL_LOAD_N_ENDS; end++)
      tall_load_files_get (self->files, i)->n_ended[end] =
          self->storer != NULL ? tall_storer_count_rows (self->storer, i, end)
                               : tall_load_ledger_count_rows (&self->ledger, i, end);
}

static void
report_progress (TallLoadStage stage, guint64 position, guint64 size, gpointer data)
{
  Loader *self = data;
  if (self->options->progress == NULL)
    return;
  TallLoadSummary summary;
  sum_up (self, &summary);
  self->options->progress (stage, &summary, position, size, self->options->data);
}

static void
announce_spool (const char *folder, guint64 bytes, gpointer data)
{
  Loader *self = data;
  if (self->options->announce != NULL)
    self->options->announce (folder, bytes, self->options->data);
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

/* Counts a row. Returns FALSE if it is not to be looked at, as the load ends here. */
static gboolean
take_row (const TallCsvRow *row, gpointer data, GError **error)
{
  Loader *self = data;
  if (is_asked_to_stop (self))
    return set_cancelled (self, row, error);
  guint64 n = row != NULL ? ++self->n_rows : ++self->n_spooled_rows;
  if (row != NULL)
    tall_load_files_get (self->files, row->file)->n_rows++;
  if (!tall_rejects_check_limit (self->rejects, self->n_rows, error))
    return FALSE;
  return n % CHECK_ROWS != 0
         || ((self->storer == NULL || !tall_storer_has_failed (self->storer))
             && !tall_rejects_has_failed (self->rejects));
}

static gboolean
check_sum (const Loader *self, guint i, GError **error)
{
  const TallLoadFile *file = tall_load_files_get (self->files, i);
  guint64 known = tall_load_file_count_settled (file, tall_rejects_get_count_of (self->rejects, i));
  if (file->n_rows == known)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_INTERNAL,
               "%" G_GUINT64_FORMAT " rows of %s were read, but %" G_GUINT64_FORMAT
               " have an end: this is a defect, please report it",
               file->n_rows, tall_csv_reader_get_name (file->reader), known);
  return FALSE;
}

/* A query makes any number of rows of those of the files: what it makes has an end. */
static gboolean
check_result (const Loader *self, const TallLoadSummary *summary, GError **error)
{
  guint64 known = tall_rejects_get_count (self->rejects) - summary->bad_rows;
  for (guint end = 0; end < TALL_LOAD_N_ENDS; end++)
    known += summary->ends[end].rows;
  if (known == summary->result_rows)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_INTERNAL,
               "The query has given %" G_GUINT64_FORMAT " rows, but %" G_GUINT64_FORMAT
               " have an end: this is a defect, please report it",
               summary->result_rows, known);
  return FALSE;
}

static gboolean
check_sums (const Loader *self, const TallLoadSummary *summary, GError **error)
{
  if (self->options->query != NULL)
    return check_result (self, summary, error);
  for (guint i = 0; i < tall_load_files_count (self->files); i++)
    if (!check_sum (self, i, error))
      return FALSE;
  return TRUE;
}

static TallStorer *
begin_storing (TallFront *front,
               const TallLoadFiles *files,
               TallRejects *rejects,
               const TallLoadOptions *options,
               GError **error)
{
  TallStorerOptions storing = options->storing;
  storing.bulk.name = tall_csv_reader_get_name (tall_load_files_get (files, 0)->reader);
  storing.stop = options->stop;
  storing.stalled = options->stalled;
  storing.data = options->data;
  return tall_storer_new (front, &storing, rejects, error);
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
 * Loads files (tall_reading_run()), each order whole or not at all. A bad row never stops the
 * load.
 *
 * When it is asked to stop, it finishes the puts that are on their way, drops the order whose rows
 * it is reading, and fails with %G_IO_ERROR_CANCELLED.
 *
 * Returns: FALSE if the load was stopped: the file could not be read or has changed, the
 *   spool took no more, the store was out of reach for too long, the outcome of a put stayed
 *   unknown, too many rows were rejected (tall_rejects_set_limit()), or the reject file could not
 * be written
 */
gboolean
tall_load (TallFront *front,
           const TallLoadFiles *files,
           TallRejects *rejects,
           const TallLoadOptions *options,
           TallLoadSummary *summary,
           GError **error)
{
  g_autoptr (TallStorer) storer =
      front != NULL ? begin_storing (front, files, rejects, options, error) : NULL;
  *summary = (TallLoadSummary){ 0 };
  if (storer == NULL && front != NULL)
    return FALSE;

  g_autoptr (GError) local = NULL;
  const TallReadingHooks hooks = { submit_item, take_row, report_progress, announce_spool };
  Loader self = { .storer = storer,
                  .files = files,
                  .rejects = rejects,
                  .options = options,
                  .pace = { options->rate, options->stop } };
  tall_load_ledger_init (&self.ledger);
  prepare_files (files, rejects, options->stop);
  gboolean ok = options->query != NULL
                    ? tall_query_load (files, options, rejects, &hooks, &self, &local)
                    : tall_reading_run (files, options->folder, rejects, &hooks, &self, &local);
  ok = ok || local == NULL;
  ok = finish_storing (&self, &local) && ok;
  sum_up (&self, summary);
  sum_up_files (&self);
  tall_load_ledger_clear (&self.ledger);

  ok = tall_rejects_close (rejects, local == NULL ? &local : NULL) && ok;
  ok = ok && check_sums (&self, summary, &local);
  if (local != NULL)
    g_propagate_error (error, g_steal_pointer (&local));
  return ok;
}
