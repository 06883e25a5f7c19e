/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/store/deleter.h"
#include "tall-error.h"
#include "load/store/batch.h"
#include "load/orders/order-cursor.h"
#include "load/store/storer.h"

#include <gio/gio.h>

#define ITEMS_PER_JOB 16 /* that wait or are deleted */

/* An order or a customer that the file names, with its rows. */
typedef struct
{
  char *customer;
  char *order; /* NULL: it is the customer */
  TallLoadItem *rows;
} Target;

typedef struct
{
  TallFront *front;
  TallRejects *rejects;
  const TallDeleterOptions *options;
  const char *name; /* of the file */
  TallRowCheck check;
  const TallMappingSource *customer;
  const TallMappingSource *order; /* NULL: customers are deleted */
  Target *target;                 /* owned; that of the last rows */
  GThreadPool *pool;
  TallPace pace;
  TallStall stall;

  GMutex lock; /* of everything below */
  GCond settled;
  guint n_pending;
  TallDeleterSummary summary;
  GError *failure; /* why it was stopped; NULL: it was not */
} Deleter;

static void
target_free (Target *self)
{
  g_free (self->customer);
  g_free (self->order);
  tall_load_item_free (self->rows);
  g_free (self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Target, target_free)

static gboolean
is_stopped (Deleter *self)
{
  if (self->options->stop != NULL && g_atomic_int_get (self->options->stop) != 0)
    return TRUE;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->lock);
  return self->failure != NULL;
}

static gboolean
is_unknown (const GError *error)
{
  return g_error_matches (error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN);
}

/* A customer's conflict is that there are orders; an order's, that somebody wrote at the same time.
 */
static gboolean
is_worth_another_try (const Target *target, const GError *error)
{
  return tall_error_is_passing (error) || is_unknown (error)
         || (target->order != NULL && g_error_matches (error, TALL_ERROR, TALL_ERROR_CONFLICT));
}

/* Waits before the next try, if there is to be one. */
static gboolean
try_again (Deleter *self, const Target *target, TallPatience *patience, const GError *cause)
{
  gint64 now = g_get_monotonic_time ();
  if (!is_worth_another_try (target, cause)
      || !(tall_error_is_passing (cause) ? tall_patience_goes_on (patience, cause, now)
                                         : tall_patience_goes_on_after_race (patience))
      || is_stopped (self))
    return FALSE;
  tall_stall_say (&self->stall, patience, cause, now);
  tall_patience_sleep (patience);
  return TRUE;
}

static gboolean
delete_once (Deleter *self, const Target *target, const TallWriteOptions *options, GError **error)
{
  return target->order != NULL
             ? tall_front_delete_order (self->front, target->customer, target->order, options,
                                        error)
             : tall_front_delete_customer (self->front, target->customer, options, error);
}

/* Every try carries the same token, so that one whose answer was lost deletes nothing that was
 * written since. */
static gboolean
delete_target (Deleter *self, const Target *target, GError **error)
{
  TallWriteOptions options = { .condition = TALL_IF_ANY, .has_token = TRUE };
  TallPatience patience = { self->options->tries, self->options->retry_delay,
                            self->options->patience };
  tall_token_make (options.token);
  gboolean perhaps_done = FALSE;
  do
    {
      g_clear_error (error);
      tall_patience_begin (&patience, g_get_monotonic_time ());
      if (delete_once (self, target, &options, error))
        return TRUE;
      if (perhaps_done && g_error_matches (*error, TALL_ERROR, TALL_ERROR_NOT_FOUND))
        {
          g_clear_error (error);
          return TRUE;
        }
      perhaps_done |= is_unknown (*error);
    }
  while (try_again (self, target, &patience, *error));
  tall_patience_explain (&patience, error);
  return FALSE;
}

static void
fail (Deleter *self, const Target *target, const GError *error)
{
  if (self->failure != NULL)
    return;
  self->failure = g_error_copy (error);
  g_prefix_error (&self->failure, "Stopped at line %" G_GUINT64_FORMAT " of %s: ",
                  tall_load_item_get_line (target->rows), self->name);
}

static void
count (TallDeleterTally *tally, const Target *target)
{
  tally->items++;
  tally->rows += tall_load_item_count_rows (target->rows);
}

static void
settle_target (gpointer data, gpointer user_data)
{
  Deleter *self = user_data;
  g_autoptr (Target) target = data;
  g_autoptr (GError) error = NULL;
  gboolean passed_over = is_stopped (self);
  gboolean done = !passed_over && delete_target (self, target, &error);
  gboolean absent = g_error_matches (error, TALL_ERROR, TALL_ERROR_NOT_FOUND);
  gboolean refused = error != NULL && !absent && !is_worth_another_try (target, error)
                     && tall_error_is_of_one (error);
  if (refused)
    {
      g_autofree char *kind = g_strdup_printf ("the store refuses it: %s",
                                               tall_error_code_name ((TallError)error->code));
      tall_load_item_reject (target->rows, self->rejects, kind, error->message);
    }
  g_mutex_lock (&self->lock);
  if (done)
    count (&self->summary.deleted, target);
  else if (absent)
    count (&self->summary.absent, target);
  else if (!refused && !passed_over)
    fail (self, target, error);
  self->n_pending--;
  g_cond_signal (&self->settled);
  g_mutex_unlock (&self->lock);
}

static void
submit_target (Deleter *self)
{
  if (self->target == NULL)
    return;
  tall_pace_wait (&self->pace);
  g_mutex_lock (&self->lock);
  while (self->n_pending >= self->options->jobs * ITEMS_PER_JOB)
    g_cond_wait (&self->settled, &self->lock);
  self->n_pending++;
  g_mutex_unlock (&self->lock);
  g_thread_pool_push (self->pool, g_steal_pointer (&self->target), NULL);
}

/* Adds a good row to the target that it names, which is often that of the row before. */
static void
take_numbers (Deleter *self, const TallCsvRow *row, const char *customer, const char *order)
{
  if (self->target == NULL || !g_str_equal (self->target->customer, customer)
      || g_strcmp0 (self->target->order, order) != 0)
    {
      submit_target (self);
      self->target = g_new0 (Target, 1);
      self->target->customer = g_strdup (customer);
      self->target->order = g_strdup (order);
      self->target->rows = tall_load_item_new ();
    }
  tall_load_item_add_row (self->target->rows, row);
}

static const char *
get_number (const Deleter *self, const TallMappingSource *source, const TallCsvRow *row)
{
  return source == NULL
             ? NULL
             : tall_mapping_get_value (self->check.mapping, source, row->fields, row->n_fields);
}

static void
take_row (Deleter *self, const TallCsvRow *row)
{
  TallRowFault fault;
  g_autofree char *reason = tall_row_check_readable (&self->check, row, &fault);
  if (reason == NULL)
    reason = tall_row_check_number (&self->check, self->customer, row, &fault);
  if (reason == NULL && self->order != NULL)
    reason = tall_row_check_number (&self->check, self->order, row, &fault);
  if (reason == NULL)
    {
      take_numbers (self, row, get_number (self, self->customer, row),
                    get_number (self, self->order, row));
      return;
    }
  TallReject reject = { row->file, row->line, fault.column, fault.kind, reason, row->raw };
  tall_rejects_add (self->rejects, &reject);
}

static void
report (Deleter *self, TallCsvReader *reader)
{
  if (self->options->progress == NULL)
    return;
  g_mutex_lock (&self->lock);
  const TallDeleterSummary summary = self->summary;
  g_mutex_unlock (&self->lock);
  self->options->progress (&summary, tall_csv_reader_get_position (reader),
                           tall_csv_reader_get_size (reader), self->options->data);
}

/* @error is not NULL. Returns FALSE, perhaps without an error, if it ends before the file. */
static gboolean
read_rows (Deleter *self, TallCsvReader *reader, GError **error)
{
  TallCsvRow row;
  TallCsvStep step = TALL_CSV_END;
  while (!is_stopped (self) && (step = tall_csv_reader_next (reader, &row, error)) == TALL_CSV_ROW)
    {
      self->summary.rows++;
      take_row (self, &row);
      report (self, reader);
      if (!tall_rejects_check_limit (self->rejects, self->summary.rows, error)
          || tall_rejects_has_failed (self->rejects))
        return FALSE;
    }
  gboolean asked = self->options->stop != NULL && g_atomic_int_get (self->options->stop) != 0;
  if (asked)
    {
      g_clear_error (error);
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED,
                   "Stopped after %" G_GUINT64_FORMAT " rows of %s, as asked", self->summary.rows,
                   self->name);
    }
  return step == TALL_CSV_END && !asked;
}

static gboolean
check_sum (const Deleter *self, GError **error)
{
  guint64 known = self->summary.deleted.rows + self->summary.absent.rows
                  + tall_rejects_get_count (self->rejects);
  if (known == self->summary.rows)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_INTERNAL,
               "%" G_GUINT64_FORMAT " rows were read, but %" G_GUINT64_FORMAT
               " have an end: this is a defect, please report it",
               self->summary.rows, known);
  return FALSE;
}

/* Deletes what the file names. Returns FALSE, perhaps without an error, if it was stopped. */
static gboolean
delete_all (Deleter *self, TallCsvReader *reader, GError **error)
{
  self->pool = g_thread_pool_new (settle_target, self, (gint)self->options->jobs, FALSE, NULL);
  gboolean ok = read_rows (self, reader, error);
  submit_target (self);
  g_thread_pool_free (self->pool, FALSE, TRUE);
  if (self->failure == NULL)
    return ok;
  g_clear_error (error);
  g_propagate_error (error, g_steal_pointer (&self->failure));
  return FALSE;
}

/* Deletes the orders, or with a mapping of customers the customers, that a file names. Rows that
 * follow each other and name the same are one deletion. A customer who has orders stays, and is
 * rejected. Running it again is harmless: what is deleted already is absent then. @mapping: bound
 * to @reader; only its numbers count. @rejects: where rejected rows go; finished by this function.
 * @summary: (out caller-allocates): set also after a failure. Returns: FALSE if it was stopped, as
 * tall_load() */
gboolean
tall_deleter_run (TallFront *front,
                  TallCsvReader *reader,
                  const TallMapping *mapping,
                  TallRejects *rejects,
                  const TallDeleterOptions *options,
                  TallDeleterSummary *summary,
                  GError **error)
{
  g_autoptr (GError) local = NULL;
  Deleter self = { .front = front,
                   .rejects = rejects,
                   .options = options,
                   .name = tall_csv_reader_get_name (reader),
                   .pace = { options->rate, options->stop },
                   .check = { mapping, tall_csv_reader_get_columns (reader) } };
  self.customer = tall_order_cursor_find_source (mapping, tall_csv_field_is_customer_number);
  if (mapping->kind == TALL_MAPPING_ORDERS)
    self.order = tall_order_cursor_find_source (mapping, tall_csv_field_is_order_number);
  tall_stall_init (&self.stall, options->stalled, options->data);
  g_mutex_init (&self.lock);
  g_cond_init (&self.settled);
  tall_csv_reader_set_stop (reader, options->stop);
  tall_rejects_add_file (rejects, self.name, tall_csv_reader_get_header (reader));
  gboolean ok = delete_all (&self, reader, &local);
  *summary = self.summary;
  tall_stall_clear (&self.stall);
  g_mutex_clear (&self.lock);
  g_cond_clear (&self.settled);

  ok = tall_rejects_close (rejects, local == NULL ? &local : NULL) && ok;
  ok = ok && check_sum (&self, &local);
  if (local != NULL)
    g_propagate_error (error, g_steal_pointer (&local));
  return ok;
}
