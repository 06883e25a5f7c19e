/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-storer.h"

#include "tall-error.h"
#include "tall-load-batch.h"

/* A batch is full when it has one or the other. */
#define BATCH_ITEMS 256
#define BATCH_BYTES (1024 * 1024)

/* Bytes of rows of all batches that wait or are put. */
#define MAX_PENDING_BYTES ((gsize)64 * 1024 * 1024)

/* What is stored is made safe from a crash, and counted, about this often. */
#define SYNC_EVERY ((gint64)5 * G_USEC_PER_SEC)

struct _TallStorer
{
  TallFront *front; /* owned */
  TallBulk *bulk;   /* owned */
  TallRejects *rejects;
  TallStorerOptions options;
  GThreadPool *pool;
  TallLoadBatch *filling; /* owned; NULL: none */

  GMutex lock; /* of everything below */
  GCond settled;
  guint n_pending; /* batches */
  gsize pending_bytes;
  TallLoadLedger fresh; /* not safe yet */
  TallLoadLedger safe;
  guint64 retries;
  gboolean is_syncing;
  gint64 synced_at;
  GError *failure; /* why nothing is stored any more; NULL: all is well */
};

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

/* The first failure counts. @line: 0: not at a line */
static void
fail (TallStorer *self, const GError *error, guint64 line)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->lock);
  if (self->failure != NULL)
    return;
  self->failure = g_error_copy (error);
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

static void
pause_before (TallStorer *self, guint try)
{
  g_mutex_lock (&self->lock);
  self->retries++;
  g_mutex_unlock (&self->lock);
  gulong delay = (gulong)self->options.retry_delay * 1000 << MIN (try - 1, 6);
  g_usleep (delay / 2 + (gulong)g_random_int_range (0, (gint32)(delay / 2) + 1));
}

/* Puts until all is settled. What may be stored already is the worse end: it is the one to name. */
static void
put_batch (Putting *self, TallLoadBatch *batch)
{
  TallStorer *storer = self->storer;
  for (guint try = 1;; try++)
    {
      g_clear_error (&self->again);
      tall_load_batch_put (batch, storer->bulk, storer->front, settle_item, self);
      if (batch->items->len == 0)
        return;
      if (!tall_error_is_passing (self->again) || try >= storer->options.tries
          || tall_storer_has_failed (storer) || is_asked_to_stop (storer))
        break;
      pause_before (storer, try);
    }
  for (guint i = 0; i < batch->items->len; i++)
    {
      const TallLoadItem *item = g_ptr_array_index (batch->items, i);
      if (item->unknown != NULL)
        fail (storer, item->unknown, tall_load_item_get_line (item));
    }
  fail (storer, self->again, self->line);
}

/* Makes what was put until now safe, and counts it then. */
static gboolean
make_safe (TallStorer *self, gboolean (*run) (TallBulk *bulk, GError **error), GError **error)
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
  if (!make_safe (self, tall_bulk_sync, &error))
    fail (self, error, 0);
  g_mutex_lock (&self->lock);
  self->is_syncing = FALSE;
  self->synced_at = g_get_monotonic_time ();
  g_mutex_unlock (&self->lock);
}

static void
store_batch (gpointer data, gpointer user_data)
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

/* Hands a batch to the workers, and waits while they have enough to do: one more than they put, so
 * that none has to wait for the next. */
static void
submit (TallStorer *self, TallLoadBatch *batch)
{
  g_mutex_lock (&self->lock);
  while (self->n_pending > self->options.jobs
         || (self->n_pending > 0 && self->pending_bytes + batch->bytes > MAX_PENDING_BYTES))
    g_cond_wait (&self->settled, &self->lock);
  self->n_pending++;
  self->pending_bytes += batch->bytes;
  g_mutex_unlock (&self->lock);
  g_thread_pool_push (self->pool, batch, NULL);
}

/**
 * tall_storer_add:
 * @item: (transfer full): an order if the others are, or a customer
 *
 * Takes an item. Returns when there is room for the next.
 */
void
tall_storer_add (TallStorer *self, TallLoadItem *item)
{
  if (self->filling == NULL)
    self->filling = tall_load_batch_new ();
  tall_load_batch_add (self->filling, item);
  if (self->filling->items->len >= BATCH_ITEMS || self->filling->bytes >= BATCH_BYTES)
    submit (self, g_steal_pointer (&self->filling));
}

/**
 * tall_storer_count:
 * @ends: (out caller-allocates) (array fixed-size=4): by #TallLoadEnd
 * @retries: (out): batches that were put again
 *
 * What has become of the items until now. What is put, but not yet safe from a crash, is in none.
 */
void
tall_storer_count (TallStorer *self, TallLoadTally *ends, guint64 *retries)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->lock);
  memcpy (ends, self->safe.ends, sizeof self->safe.ends);
  *retries = self->retries;
}

/* The same of the rows of one file, for one end. */
guint64
tall_storer_count_rows (TallStorer *self, guint file, TallLoadEnd end)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->lock);
  return tall_load_ledger_count_rows (&self->safe, file, end);
}

/**
 * tall_storer_finish:
 *
 * Stores what is left and makes all of it safe from a crash. Nothing may be added any more. After a
 * failure what was stored before is made safe and counted if that can be done, and the load stays
 * one that was cut short, as what was on its way may still arrive.
 *
 * Returns: FALSE if not everything is stored, and safe
 */
gboolean
tall_storer_finish (TallStorer *self, GError **error)
{
  if (self->filling != NULL)
    submit (self, g_steal_pointer (&self->filling));
  g_thread_pool_free (g_steal_pointer (&self->pool), FALSE, TRUE);
  if (self->failure == NULL)
    return make_safe (self, tall_bulk_end, error);

  g_autoptr (GError) second = NULL;
  if (!make_safe (self, tall_bulk_sync, &second))
    g_info ("After a load was stopped: %s", second->message);
  g_propagate_error (error, g_steal_pointer (&self->failure));
  return FALSE;
}

/**
 * tall_storer_new:
 * @options: its text @bulk.name, which is needed, and @stop stay as long as the storer
 * @rejects: where refused items go
 *
 * Returns: (transfer full): NULL if a load cannot be begun
 */
TallStorer *
tall_storer_new (TallFront *front,
                 const TallStorerOptions *options,
                 TallRejects *rejects,
                 GError **error)
{
  g_autoptr (TallBulk) bulk = tall_bulk_begin (front, &options->bulk, error);
  if (bulk == NULL)
    return NULL;
  TallStorer *self = g_new0 (TallStorer, 1);
  self->front = g_object_ref (front);
  self->bulk = g_steal_pointer (&bulk);
  self->rejects = rejects;
  self->options = *options;
  tall_load_ledger_init (&self->fresh);
  tall_load_ledger_init (&self->safe);
  self->synced_at = g_get_monotonic_time ();
  g_mutex_init (&self->lock);
  g_cond_init (&self->settled);
  self->pool = g_thread_pool_new (store_batch, self, (gint)options->jobs, FALSE, NULL);
  return self;
}

/* Drops what is not stored. */
void
tall_storer_free (TallStorer *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->filling, tall_load_batch_free);
  if (self->pool != NULL)
    g_thread_pool_free (self->pool, FALSE, TRUE);
  g_clear_error (&self->failure);
  tall_load_ledger_clear (&self->fresh);
  tall_load_ledger_clear (&self->safe);
  g_cond_clear (&self->settled);
  g_mutex_clear (&self->lock);
  g_object_unref (self->bulk);
  g_object_unref (self->front);
  g_free (self);
}
