/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-loader.h"
#include "tall-error.h"
#include "tall-grouper.h"

#include <gio/gio.h>

/* Puts that wait or run, for each job; and bytes of rows kept for them. */
#define ITEMS_PER_JOB 4
#define MAX_PENDING_BYTES (64 * 1024 * 1024)

#define PROGRESS_ROWS 256

typedef struct
{
  TallFront *front;
  TallCsvReader *reader;
  TallRejects *rejects;
  const TallLoadOptions *options;
  TallLoadStage stage;
  TallSurvey *survey; /* owned; NULL for customers */
  GThreadPool *pool;

  GMutex lock; /* of everything below */
  GCond settled;
  guint n_pending;
  gsize pending_bytes;
  TallLoadSummary summary;
  GError *failure; /* why the load was stopped; NULL: it was not */
} Loader;

typedef enum
{
  STORED,
  REFUSED, /* nothing is wrong with the others */
  RETRY,
  STOP, /* nothing else could be stored either */
} Outcome;

static Outcome
classify (const GError *error)
{
  if (error == NULL)
    return STORED;
  /* A put has a condition only after an unknown outcome; then another program was faster. */
  if (tall_error_is_passing (error) || g_error_matches (error, TALL_ERROR, TALL_ERROR_CONFLICT))
    return RETRY;
  return tall_error_is_of_one (error) ? REFUSED : STOP;
}

static gboolean
is_stopped (Loader *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->lock);
  return self->failure != NULL;
}

/* TRUE if the caller asked for a stop. */
static gboolean
is_asked_to_stop (const Loader *self)
{
  return self->options->stop != NULL && g_atomic_int_get (self->options->stop) != 0;
}

/* What is known of an item that is being stored. */
typedef struct
{
  const TallLoadItem *item;
  TallWriteOptions options; /* of the next try; all have one token */
  GError *unknown;          /* of the first try that may have stored it; NULL: there was none */
} Put;

/* Looks whether a put of unknown outcome was done. Returns RETRY, without an error, if nothing is
 * stored: then the put is sent again, on condition that there still is nothing. If something else
 * is stored, a second put could replace what another program has written since: people decide. */
static Outcome
settle (Loader *self, Put *put, GError **error)
{
  gboolean same = FALSE;
  if (tall_load_item_compare (put->item, self->front, &same, error))
    {
      if (same)
        return STORED;
      g_set_error (
          error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN,
          "%s. Something else is stored there: it was there before, or another program has "
          "written it since. Look which one counts, and load this again if it is this one",
          put->unknown->message);
      return REFUSED;
    }
  if (!g_error_matches (*error, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    return classify (*error);
  g_clear_error (error);
  put->options.condition = TALL_IF_ABSENT;
  return RETRY;
}

static Outcome
try_put (Loader *self, Put *put, GError **error)
{
  if (put->unknown != NULL)
    {
      Outcome found = settle (self, put, error);
      if (found != RETRY || *error != NULL)
        return found;
    }
  if (tall_load_item_put (put->item, self->front, &put->options, error))
    return STORED;
  if (put->unknown == NULL && g_error_matches (*error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN))
    put->unknown = g_error_copy (*error);
  return classify (*error);
}

static void
pause_before (Loader *self, guint try)
{
  g_mutex_lock (&self->lock);
  self->summary.retries++;
  g_mutex_unlock (&self->lock);
  gulong delay = (gulong)self->options->retry_delay * 1000 << MIN (try - 1, 6);
  g_usleep (delay / 2 + (gulong)g_random_int_range (0, (gint32)(delay / 2) + 1));
}

/* Every try carries the same token, so that a put whose answer was lost is recognised. */
static Outcome
put_with_retries (Loader *self, TallLoadItem *item, GError **error)
{
  Put put = { .item = item, .options = { .condition = TALL_IF_ANY } };
  put.options.has_token = TRUE;
  tall_token_make (put.options.token);
  Outcome outcome = try_put (self, &put, error);
  for (guint try = 1; outcome == RETRY; try++)
    {
      if (try >= self->options->tries || is_stopped (self) || is_asked_to_stop (self))
        outcome = STOP;
      else
        {
          pause_before (self, try);
          g_clear_error (error);
          outcome = try_put (self, &put, error);
        }
    }
  if (outcome == STOP && put.unknown != NULL
      && !g_error_matches (*error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN))
    {
      g_clear_error (error);
      *error = g_steal_pointer (&put.unknown);
    }
  g_clear_error (&put.unknown);
  return outcome;
}

static void
count_stored (Loader *self, const TallLoadItem *item)
{
  self->summary.stored_rows += tall_load_item_count_rows (item);
  if (item->order == NULL)
    {
      self->summary.customers++;
      return;
    }
  self->summary.orders++;
  self->summary.lines += tall_order_count_lines (item->order);
}

static void
stop (Loader *self, const TallLoadItem *item, GError *error)
{
  if (self->failure != NULL)
    return;
  self->failure = g_error_copy (error);
  g_prefix_error (&self->failure,
                  "Stopped at line %" G_GUINT64_FORMAT " of %s: ", tall_load_item_get_line (item),
                  tall_csv_reader_get_name (self->reader));
}

static void
refuse_item (Loader *self, TallLoadItem *item, const GError *error)
{
  g_autofree char *kind =
      g_strdup_printf ("the store refuses it: %s", tall_error_code_name ((TallError)error->code));
  tall_load_item_reject (item, self->rejects, kind, error->message);
}

static void
store_item (gpointer data, gpointer user_data)
{
  Loader *self = user_data;
  g_autoptr (TallLoadItem) item = data;
  g_autoptr (GError) error = NULL;
  gsize bytes = item->raw->len;
  gboolean skipped = is_stopped (self);
  Outcome outcome = skipped ? STOP : put_with_retries (self, item, &error);
  if (outcome == REFUSED)
    refuse_item (self, item, error);

  g_mutex_lock (&self->lock);
  if (outcome == STORED)
    count_stored (self, item);
  else if (outcome == STOP && !skipped)
    stop (self, item, error);
  self->n_pending--;
  self->pending_bytes -= bytes;
  g_cond_signal (&self->settled);
  g_mutex_unlock (&self->lock);
}

/* Hands an item to the workers, and waits while they have enough to do. */
static void
submit_item (TallLoadItem *item, gpointer data)
{
  Loader *self = data;
  g_mutex_lock (&self->lock);
  while (self->n_pending >= self->options->jobs * ITEMS_PER_JOB
         || (self->n_pending > 0 && self->pending_bytes + item->raw->len > MAX_PENDING_BYTES))
    g_cond_wait (&self->settled, &self->lock);
  self->n_pending++;
  self->pending_bytes += item->raw->len;
  g_mutex_unlock (&self->lock);
  g_thread_pool_push (self->pool, item, NULL);
}

static void
report_progress (gpointer data)
{
  Loader *self = data;
  if (self->options->progress == NULL)
    return;
  g_mutex_lock (&self->lock);
  TallLoadSummary summary = self->summary;
  g_mutex_unlock (&self->lock);
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
  g_mutex_lock (&self->lock);
  guint64 rows = ++self->summary.rows;
  gboolean stopped = self->failure != NULL;
  g_mutex_unlock (&self->lock);
  if (stopped || tall_rejects_has_failed (self->rejects))
    return FALSE;
  if (rows % PROGRESS_ROWS != 0)
    return TRUE;
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
    {
      self->summary.apart = tall_survey_count_apart (self->survey);
      return TRUE;
    }
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
check_sum (Loader *self, GError **error)
{
  guint64 rejected = tall_rejects_get_count (self->rejects);
  if (self->summary.rows == self->summary.stored_rows + rejected)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_INTERNAL,
               "%" G_GUINT64_FORMAT " rows were read, but %" G_GUINT64_FORMAT
               " stored and %" G_GUINT64_FORMAT " rejected: this is a defect, please report it",
               self->summary.rows, self->summary.stored_rows, rejected);
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
  tall_csv_reader_set_stop (reader, options->stop);
  Loader self = { .front = front, .reader = reader, .rejects = rejects, .options = options };
  g_mutex_init (&self.lock);
  g_cond_init (&self.settled);
  self.pool = g_thread_pool_new (store_item, &self, (gint)options->jobs, FALSE, NULL);

  g_autoptr (GError) local = NULL;
  gboolean ok = read_file (&self, mapping, &local);
  g_thread_pool_free (self.pool, FALSE, TRUE);
  report_progress (&self);
  *summary = self.summary;

  /* The first cause is the one to report. */
  if (self.failure != NULL)
    {
      g_clear_error (&local);
      local = g_steal_pointer (&self.failure);
      ok = FALSE;
    }
  ok = tall_rejects_close (rejects, local == NULL ? &local : NULL) && ok;
  ok = ok && check_sum (&self, &local);
  if (local != NULL)
    g_propagate_error (error, g_steal_pointer (&local));
  tall_survey_free (self.survey);
  g_cond_clear (&self.settled);
  g_mutex_clear (&self.lock);
  return ok;
}
