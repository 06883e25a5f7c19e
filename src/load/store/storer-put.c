/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/store/storer-private.h"

#include "tall-error.h"
#include "load/store/patience.h"

/* What is stored is made safe from a crash, and counted, about this often. */
#define SYNC_EVERY ((gint64)5 * G_USEC_PER_SEC)

/* A batch that is being put. */
typedef struct
{
  TallStorer *storer;
  GError *again; /* owned; why the first of those that are not settled is to be put again */
  guint64 line;  /* where that one begins */
  TallLoadLedger ledger;
} Putting;

static gboolean
is_asked_to_stop (const TallStorer *self)
{
  return self->options.stop != NULL && g_atomic_int_get (self->options.stop) != 0;
}

/**
 * tall_storer_has_failed:
 *
 * Returns: whether nothing is stored any more; tall_storer_finish() says why
 */
gboolean
tall_storer_has_failed (TallStorer *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->lock);
  return self->failure != NULL;
}

/* The first failure counts. @patience: of what was tried, or NULL; @line: 0: not at a line */
static void
fail (TallStorer *self, const GError *error, const TallPatience *patience, guint64 line)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->lock);
  if (self->failure != NULL)
    return;
  self->failure = g_error_copy (error);
  if (patience != NULL)
    tall_patience_explain (patience, &self->failure);
  if (line > 0)
    g_prefix_error (&self->failure, "Stopped at line %" G_GUINT64_FORMAT " of %s: ", line,
                    self->options.bulk.name);
}

static void
refuse (TallStorer *self, TallLoadItem *item, const GError *error)
{
  g_autofree char *kind =
      g_strdup_printf ("the store refuses it: %s", tall_error_code_name ((TallError)error->code));
  tall_load_item_reject (item, self->rejects, kind, error->message);
}

/* What this load has put without knowing it was not there before. */
static TallLoadEnd
get_end (const TallLoadItem *item, TallBulkOutcome outcome)
{
  static const TallLoadEnd ends[TALL_BULK_REFUSED] = {
    [TALL_BULK_STORED] = TALL_LOAD_STORED,       [TALL_BULK_UNCHANGED] = TALL_LOAD_UNCHANGED,
    [TALL_BULK_REPLACED] = TALL_LOAD_STORED,     [TALL_BULK_SKIPPED] = TALL_LOAD_SKIPPED,
    [TALL_BULK_OVERTAKEN] = TALL_LOAD_OVERTAKEN,
  };
  return outcome == TALL_BULK_UNCHANGED && item->unknown != NULL ? TALL_LOAD_STORED : ends[outcome];
}

static gboolean
settle_item (TallLoadItem *item, const TallBulkResult *result, gpointer data)
{
  Putting *self = data;
  if (result->outcome != TALL_BULK_REFUSED)
    tall_load_ledger_add (&self->ledger, item, get_end (item, result->outcome));
  else if (tall_error_is_of_one (result->error))
    refuse (self->storer, item, result->error);
  else
    {
      /* An error that does not pass comes before one that does. */
      if (self->again == NULL
          || (tall_error_is_passing (self->again) && !tall_error_is_passing (result->error)))
        {
          g_clear_error (&self->again);
          self->again = g_error_copy (result->error);
          self->line = tall_load_item_get_line (item);
        }
      return FALSE;
    }
  return TRUE;
}

static TallPatience
make_patience (const TallStorer *self)
{
  return (TallPatience){ self->options.tries, self->options.retry_delay, self->options.patience };
}

/* Waits before the next try, if there is to be one. */
static gboolean
try_again (TallStorer *self, TallPatience *patience, const GError *cause)
{
  gint64 now = g_get_monotonic_time ();
  if (!tall_patience_goes_on (patience, cause, now) || tall_storer_has_failed (self)
      || is_asked_to_stop (self))
    return FALSE;
  tall_stall_say (&self->stall, patience, cause, now);
  tall_patience_sleep (patience);
  return TRUE;
}

static void
count_retry (TallStorer *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->lock);
  self->retries++;
}

/* Puts until all is settled. What may be stored already is the worse end: it is the one to name. */
static void
put_batch (Putting *self, TallLoadBatch *batch)
{
  TallStorer *storer = self->storer;
  TallPatience patience = make_patience (storer);
  do
    {
      if (patience.n_tries > 0)
        count_retry (storer);
      g_clear_error (&self->again);
      tall_patience_begin (&patience, g_get_monotonic_time ());
      tall_load_batch_put (batch, storer->bulk, storer->front, settle_item, self);
      if (batch->items->len == 0)
        return;
    }
  while (try_again (storer, &patience, self->again));
  for (guint i = 0; i < batch->items->len; i++)
    {
      const TallLoadItem *item = g_ptr_array_index (batch->items, i);
      if (item->unknown != NULL)
        fail (storer, item->unknown, &patience, tall_load_item_get_line (item));
    }
  fail (storer, self->again, &patience, self->line);
}

/* Makes what was put until now safe, and counts it then. */
static gboolean
make_safe (TallStorer *self, TallStorerMakeSafe run, GError **error)
{
  g_auto (TallLoadLedger) moved;
  tall_load_ledger_init (&moved);
  g_mutex_lock (&self->lock);
  tall_load_ledger_move (&moved, &self->fresh);
  g_mutex_unlock (&self->lock);

  gboolean ok = run (self->bulk, error);

  g_mutex_lock (&self->lock);
  tall_load_ledger_move (ok ? &self->safe : &self->fresh, &moved);
  g_mutex_unlock (&self->lock);
  return ok;
}

/**
 * tall_storer_make_safe:
 * @run: syncs, or ends the load
 *
 * Makes all that was put safe, for as long as the store may take.
 */
gboolean
tall_storer_make_safe (TallStorer *self, TallStorerMakeSafe run, GError **error)
{
  GError *cause = NULL;
  TallPatience patience = make_patience (self);
  do
    {
      g_clear_error (&cause);
      tall_patience_begin (&patience, g_get_monotonic_time ());
      if (make_safe (self, run, &cause))
        return TRUE;
    }
  while (try_again (self, &patience, cause));
  tall_patience_explain (&patience, &cause);
  g_propagate_error (error, cause);
  return FALSE;
}

static gboolean
begin_sync (TallStorer *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->lock);
  if (self->is_syncing || g_get_monotonic_time () - self->synced_at < SYNC_EVERY)
    return FALSE;
  self->is_syncing = TRUE;
  return TRUE;
}

static void
sync_if_due (TallStorer *self)
{
  g_autoptr (GError) error = NULL;
  if (!begin_sync (self))
    return;
  if (!make_safe (self, tall_bulk_sync, &error) && !tall_error_is_passing (error))
    fail (self, error, NULL, 0); /* otherwise the next one makes up for it */
  g_mutex_lock (&self->lock);
  self->is_syncing = FALSE;
  self->synced_at = g_get_monotonic_time ();
  g_mutex_unlock (&self->lock);
}

/**
 * tall_storer_store_batch:
 * @data: (transfer full): a #TallLoadBatch
 * @user_data: the storer
 *
 * Puts a batch, again and again if need be, and what was put is made safe every few seconds. What a
 * pool's worker does.
 */
void
tall_storer_store_batch (gpointer data, gpointer user_data)
{
  TallStorer *self = user_data;
  g_autoptr (TallLoadBatch) batch = data;
  Putting putting = { .storer = self };
  tall_load_ledger_init (&putting.ledger);
  if (!tall_storer_has_failed (self))
    put_batch (&putting, batch);
  g_clear_error (&putting.again);

  g_mutex_lock (&self->lock);
  tall_load_ledger_move (&self->fresh, &putting.ledger);
  self->n_pending--;
  self->pending_bytes -= batch->bytes;
  g_cond_signal (&self->settled);
  g_mutex_unlock (&self->lock);
  tall_load_ledger_clear (&putting.ledger);
  sync_if_due (self);
}
