/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/store/storer-private.h"

#include "store/store.h"

/* A batch is full when it has one or the other. */
#define BATCH_ITEMS 256
#define BATCH_BYTES (1024 * 1024)

/* Bytes of rows of all batches that wait or are put. */
#define MAX_PENDING_BYTES ((gsize)64 * 1024 * 1024)

/* An embedded store works in the threads that put. More of these than processors take turns, and
 * memory. At any other store most of them wait. */
#define USUAL_JOBS 8

static guint
choose_jobs (TallFront *front, guint wanted)
{
  TallTableInfo info = { 0 };
  if (wanted != 0)
    return wanted;
  if (TALL_IS_STORE (front))
    tall_table_get_info (tall_store_get_table (TALL_STORE (front)), &info);
  return info.is_exclusive ? CLAMP (g_get_num_processors (), 1, USUAL_JOBS) : USUAL_JOBS;
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
    return tall_storer_make_safe (self, tall_bulk_end, error);

  g_autoptr (GError) second = NULL;
  if (!tall_storer_make_safe (self, tall_bulk_sync, &second))
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
  self->options.jobs = choose_jobs (front, options->jobs);
  tall_load_ledger_init (&self->fresh);
  tall_load_ledger_init (&self->safe);
  self->synced_at = g_get_monotonic_time ();
  tall_stall_init (&self->stall, options->stalled, options->data);
  g_mutex_init (&self->lock);
  g_cond_init (&self->settled);
  self->pool =
      g_thread_pool_new (tall_storer_store_batch, self, (gint)self->options.jobs, FALSE, NULL);
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
  tall_stall_clear (&self->stall);
  g_object_unref (self->bulk);
  g_object_unref (self->front);
  g_free (self);
}
