/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/store/loader.h"

#include "store/store.h"
#include "tall-error.h"

#define MAX_WAIT (200 * 1000) /* microseconds without a look whether it is to stop */

/* Waits until the next may go, or it is to stop. */
void
tall_pace_wait (TallPace *self)
{
  if (self->rate == 0)
    return;
  if (self->n == 0)
    self->began = g_get_monotonic_time ();
  gint64 due = self->began + (gint64)(self->n++ * G_USEC_PER_SEC / self->rate);
  gint64 now;
  while ((now = g_get_monotonic_time ()) < due
         && (self->stop == NULL || g_atomic_int_get (self->stop) == 0))
    g_usleep ((gulong)MIN (due - now, MAX_WAIT));
}

#define AT_ONCE G_USEC_PER_SEC
#define MAX_DOUBLINGS 6

/* A try begins. @now: monotonic, microseconds. */
void
tall_patience_begin (TallPatience *self, gint64 now)
{
  self->begun = now;
  if (self->first == 0)
    self->first = now;
}

/* @cause: why the try has failed. @now: as of tall_patience_begin(). Returns: whether it is to be
 * tried again, after a pause */
gboolean
tall_patience_goes_on (TallPatience *self, const GError *cause, gint64 now)
{
  self->n_tries++;
  if (!tall_error_is_passing (cause))
    return FALSE;
  if (g_error_matches (cause, TALL_ERROR, TALL_ERROR_TIMED_OUT)
      || g_error_matches (cause, TALL_ERROR, TALL_ERROR_OVERLOADED) || now - self->begun >= AT_ONCE)
    {
      self->is_used_up = now - self->first >= (gint64)self->patience * G_USEC_PER_SEC;
      return !self->is_used_up;
    }
  return ++self->n_refused < self->tries;
}

/* The same where somebody else has been faster: as after being refused at once. */
gboolean
tall_patience_goes_on_after_race (TallPatience *self)
{
  self->n_tries++;
  return ++self->n_refused < self->tries;
}

/* Says so, if a store has stood still for too long. @cause: why it is not tried again. */
void
tall_patience_explain (const TallPatience *self, GError **cause)
{
  if (self->is_used_up)
    g_prefix_error (cause, "the store has stood still for more than %u s: ", self->patience);
}

/* Waits before the next try, somewhat at random, so that not all come back at once. */
void
tall_patience_sleep (const TallPatience *self)
{
  gulong delay = (gulong)self->retry_delay * 1000 << MIN (self->n_tries - 1, MAX_DOUBLINGS);
  g_usleep (delay / 2 + (gulong)g_random_int_range (0, (gint32)(delay / 2) + 1));
}

/* So often at most people learn that nothing goes on, and only if nothing has for that long. */
#define SAY_EVERY ((gint64)10 * G_USEC_PER_SEC)

void
tall_stall_init (TallStall *self, TallStalled stalled, gpointer data)
{
  *self = (TallStall){ .stalled = stalled, .data = data, .said_at = g_get_monotonic_time () };
  g_mutex_init (&self->lock);
}

void
tall_stall_clear (TallStall *self)
{
  g_mutex_clear (&self->lock);
}

/* Says so if it is time to. @patience: of what is tried, and is going to be tried again. @cause:
 * why it has failed. @now: monotonic, microseconds. */
void
tall_stall_say (TallStall *self, const TallPatience *patience, const GError *cause, gint64 now)
{
  g_mutex_lock (&self->lock);
  gboolean is_time = self->stalled != NULL && now - self->said_at >= SAY_EVERY;
  self->said_at = is_time ? now : self->said_at;
  g_mutex_unlock (&self->lock);
  if (is_time)
    self->stalled ((guint)((now - patience->first) / G_USEC_PER_SEC), patience->patience, cause,
                   self->data);
}

/* What is stored is made safe from a crash, and counted, about this often. */
#define SYNC_EVERY ((gint64)5 * G_USEC_PER_SEC)

/* A batch that is being put. */
typedef struct
{
  TallStorer *storer;
  GError *again; /* owned; why the first of those that are not settled is to be put again */
  guint64 line;  /* where that one begins */
  TallLoadLedger ledger;
  gboolean has_looked; /* whether another customer has the number of one that is new */
} Putting;

static gboolean
is_asked_to_stop (const TallStorer *self)
{
  return self->options->stop != NULL && g_atomic_int_get (self->options->stop) != 0;
}

/* Returns: whether nothing is stored any more; tall_storer_finish() says why */
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
                    self->name);
}

/* What else is stored may be gone by now, or cannot be read: then the error says enough. */
static void
refuse (TallStorer *self, TallLoadItem *item, const GError *error)
{
  gboolean same;
  g_autofree char *kind =
      g_strcmp0 (tall_error_get_field (error), TALL_LOAD_NAMESAKE) == 0
          ? g_strdup (
              "another customer has its number: mend the customer's number, or load without "
              "--unique-orders")
          : g_strdup_printf ("the store refuses it: %s",
                             tall_error_code_name ((TallError)error->code));
  g_autofree char *difference = g_error_matches (error, TALL_ERROR, TALL_ERROR_CONFLICT)
                                        && item->unknown == NULL && self->bulk != NULL
                                    ? tall_load_item_compare (item, self->front, &same, NULL)
                                    : NULL;
  g_autofree char *reason =
      difference != NULL ? g_strdup_printf ("%s: %s", error->message, difference) : NULL;
  tall_load_item_reject (item, self->rejects, kind, reason != NULL ? reason : error->message);
}

/* What this load has put without knowing it was not there before. */
static TallLoadEnd
get_end (const TallLoadItem *item, TallBulkOutcome outcome)
{
  static const TallLoadEnd ends[] = {
    [TALL_BULK_STORED] = TALL_LOAD_STORED,       [TALL_BULK_UNCHANGED] = TALL_LOAD_UNCHANGED,
    [TALL_BULK_REPLACED] = TALL_LOAD_STORED,     [TALL_BULK_SKIPPED] = TALL_LOAD_SKIPPED,
    [TALL_BULK_OVERTAKEN] = TALL_LOAD_OVERTAKEN, [TALL_BULK_REVIVED] = TALL_LOAD_REVIVED,
  };
  return outcome == TALL_BULK_UNCHANGED && item->unknown != NULL ? TALL_LOAD_STORED : ends[outcome];
}

/* Looks whether another customer has the number of the first order of a batch that is new. What
 * cannot be looked at is not counted. */
static void
look_for_namesake (Putting *putting, const TallLoadItem *item)
{
  TallStorer *self = putting->storer;
  if (putting->has_looked || item->order == NULL || self->options->unique || !self->finds_numbers)
    return;
  putting->has_looked = TRUE;
  g_autoptr (GError) error = NULL;
  g_autofree char *other = tall_load_item_find_namesake (item, self->front, &error);
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->lock);
  if (error != NULL)
    return;
  self->namesakes.n_looked++;
  if (other == NULL)
    return;
  self->namesakes.n_found++;
  if (self->namesakes.n_found == 1)
    g_snprintf (self->namesakes.first, sizeof self->namesakes.first, "%s of %s, and of %s",
                item->order->order_number, item->order->customer_number, other);
}

static gboolean
settle_item (TallLoadItem *item, const TallBulkResult *result, gpointer data)
{
  Putting *self = data;
  if (result->outcome == TALL_BULK_STORED || result->outcome == TALL_BULK_REVIVED)
    look_for_namesake (self, item);
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
  return (TallPatience){ self->options->tries, self->options->retry_delay,
                         self->options->patience };
}

/* Waits before the next try, if there is to be one. */
static gboolean
try_again (TallStorer *self, TallPatience *patience, const GError *cause)
{
  gint64 now = g_get_monotonic_time ();
  gboolean is_race = self->bulk == NULL && !tall_error_is_passing (cause);
  if (!(is_race ? tall_patience_goes_on_after_race (patience)
                : tall_patience_goes_on (patience, cause, now))
      || tall_storer_has_failed (self) || is_asked_to_stop (self))
    return FALSE;
  tall_stall_say (&self->stall, patience, cause, now);
  tall_patience_sleep (patience);
  return TRUE;
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
        {
          g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&storer->lock);
          storer->retries++;
        }
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

static gboolean
is_unknown (const GError *error)
{
  return g_error_matches (error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN);
}

/* A customer's conflict is that there are orders; an order's, that somebody wrote at the same time.
 */
static gboolean
is_worth_another_try (const TallLoadItem *item, const GError *error)
{
  return tall_error_is_passing (error) || is_unknown (error)
         || (item->order != NULL && g_error_matches (error, TALL_ERROR, TALL_ERROR_CONFLICT));
}

/* Every try carries the same token, so that one whose answer was lost deletes nothing that was
 * written since. */
static gboolean
delete_item (TallStorer *self, const TallLoadItem *item, TallPatience *patience, GError **error)
{
  TallWriteOptions options = { .condition = TALL_IF_ANY, .has_token = TRUE };
  gboolean perhaps_done = FALSE, done;
  tall_token_make (options.token);
  do
    {
      g_clear_error (error);
      tall_patience_begin (patience, g_get_monotonic_time ());
      done =
          item->order != NULL
              ? tall_front_delete_order (self->front, item->order->customer_number,
                                         item->order->order_number, &options, error)
              : tall_front_delete_customer (self->front, item->customer->number, &options, error);
      if (done || (perhaps_done && g_error_matches (*error, TALL_ERROR, TALL_ERROR_NOT_FOUND)))
        {
          g_clear_error (error);
          return TRUE;
        }
      perhaps_done |= is_unknown (*error);
    }
  while (is_worth_another_try (item, *error) && try_again (self, patience, *error));
  return FALSE;
}

static void
delete_batch (Putting *self, const TallLoadBatch *batch)
{
  TallStorer *storer = self->storer;
  for (guint i = 0; i < batch->items->len && !is_asked_to_stop (storer); i++)
    {
      TallLoadItem *item = g_ptr_array_index (batch->items, i);
      TallPatience patience = make_patience (storer);
      g_autoptr (GError) error = NULL;
      if (delete_item (storer, item, &patience, &error))
        tall_load_ledger_add (&self->ledger, item, TALL_LOAD_STORED);
      else if (g_error_matches (error, TALL_ERROR, TALL_ERROR_NOT_FOUND))
        tall_load_ledger_add (&self->ledger, item, TALL_LOAD_UNCHANGED);
      else if (tall_error_is_of_one (error) && !is_worth_another_try (item, error))
        refuse (storer, item, error);
      else
        fail (storer, error, &patience, tall_load_item_get_line (item));
    }
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

/* Makes all that was put safe, for as long as the store may take. @run: syncs, or ends the load. */
static gboolean
storer_make_safe (TallStorer *self, TallStorerMakeSafe run, GError **error)
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

/* One at a time does it, of those who come. */
static void
sync_if_due (TallStorer *self)
{
  g_autoptr (GError) error = NULL;
  g_mutex_lock (&self->lock);
  gboolean is_due = self->bulk != NULL && !self->is_syncing
                    && g_get_monotonic_time () - self->synced_at >= SYNC_EVERY;
  self->is_syncing |= is_due;
  g_mutex_unlock (&self->lock);
  if (!is_due)
    return;
  if (!make_safe (self, tall_bulk_sync, &error) && !tall_error_is_passing (error))
    fail (self, error, NULL, 0); /* otherwise the next one makes up for it */
  g_mutex_lock (&self->lock);
  self->is_syncing = FALSE;
  self->synced_at = g_get_monotonic_time ();
  g_mutex_unlock (&self->lock);
}

/* Puts a batch, again and again if need be, and what was put is made safe every few seconds. What a
 * pool's worker does. @data: (transfer full): a #TallLoadBatch. @user_data: the storer. */
static void
storer_store_batch (gpointer data, gpointer user_data)
{
  TallStorer *self = user_data;
  g_autoptr (TallLoadBatch) batch = data;
  Putting putting = { .storer = self };
  tall_load_ledger_init (&putting.ledger);
  batch->unique = self->options->unique;
  gboolean goes_on = !tall_storer_has_failed (self);
  if (goes_on && self->bulk == NULL)
    delete_batch (&putting, batch);
  else if (goes_on)
    put_batch (&putting, batch);
  g_clear_error (&putting.again);

  g_mutex_lock (&self->lock);
  tall_load_ledger_move (self->bulk != NULL ? &self->fresh : &self->safe, &putting.ledger);
  self->n_pending--;
  self->pending_bytes -= batch->bytes;
  g_cond_signal (&self->settled);
  g_mutex_unlock (&self->lock);
  tall_load_ledger_clear (&putting.ledger);
  sync_if_due (self);
}

/* A batch is full when it has one or the other. */
#define BATCH_ITEMS 256
#define BATCH_BYTES (1024 * 1024)

/* Bytes of rows of all batches that wait or are put. */
#define MAX_PENDING_BYTES ((gsize)64 * 1024 * 1024)

/* An embedded store works in the threads that put. More of these than processors take turns, and
 * memory. At any other store most of them wait. */
#define USUAL_JOBS 8

static guint
choose_jobs (TallFront *front, const TallLoadOptions *options)
{
  TallTableInfo info = { 0 };
  if (options->unique || options->jobs != 0)
    return options->unique ? 1 : options->jobs;
  if (TALL_IS_STORE (front) && !options->deletes)
    tall_table_get_info (tall_store_get_table (TALL_STORE (front)), &info);
  return info.is_exclusive ? CLAMP (g_get_num_processors (), 1, USUAL_JOBS) : USUAL_JOBS;
}

/* Hands a batch to the workers, and waits while they have enough to do: one more than they put, so
 * that none has to wait for the next. */
static void
submit (TallStorer *self, TallLoadBatch *batch)
{
  g_mutex_lock (&self->lock);
  while (self->n_pending > self->jobs
         || (self->n_pending > 0 && self->pending_bytes + batch->bytes > MAX_PENDING_BYTES))
    g_cond_wait (&self->settled, &self->lock);
  self->n_pending++;
  self->pending_bytes += batch->bytes;
  g_mutex_unlock (&self->lock);
  g_thread_pool_push (self->pool, batch, NULL);
}

/* Takes an item. Returns when there is room for the next. @item: (transfer full): an order if the
 * others are, or a customer. */
void
tall_storer_add (TallStorer *self, TallLoadItem *item)
{
  if (tall_load_item_is_repeated (item))
    {
      g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->lock);
      tall_load_ledger_add (&self->fresh, item, TALL_LOAD_REPEATED);
      tall_load_item_free (item);
      return;
    }
  if (self->filling == NULL)
    self->filling = tall_load_batch_new ();
  tall_load_batch_add (self->filling, item);
  if (self->filling->items->len >= BATCH_ITEMS || self->filling->bytes >= BATCH_BYTES
      || self->options->deletes)
    submit (self, g_steal_pointer (&self->filling));
}

/* What has become of the items until now, by #TallLoadEnd. What is put, but not yet safe from a
 * crash, is in none. @retries: (out) batches that were put again. */
void
tall_storer_count (TallStorer *self,
                   TallLoadTally ends[TALL_LOAD_N_ENDS],
                   guint64 *retries,
                   TallLoadNamesakes *namesakes)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->lock);
  memcpy (ends, self->safe.ends, sizeof self->safe.ends);
  *retries = self->retries;
  *namesakes = self->namesakes;
}

/* Stores what is left and makes all of it safe from a crash. Nothing may be added any more. After a
 * failure what was stored before is made safe and counted if that can be done, and the load stays
 * one that was cut short, as what was on its way may still arrive. Returns: FALSE if not everything
 * is stored, and safe */
gboolean
tall_storer_finish (TallStorer *self, GError **error)
{
  if (self->filling != NULL)
    submit (self, g_steal_pointer (&self->filling));
  g_thread_pool_free (g_steal_pointer (&self->pool), FALSE, TRUE);
  if (self->failure == NULL)
    return self->bulk == NULL || storer_make_safe (self, tall_bulk_end, error);

  g_autoptr (GError) second = NULL;
  if (self->bulk != NULL && !storer_make_safe (self, tall_bulk_sync, &second))
    g_info ("After a load was stopped: %s", second->message);
  g_propagate_error (error, g_steal_pointer (&self->failure));
  return FALSE;
}

/* Whether there is an index on order numbers. @error: that there is none, or that nobody knows now
 */
static gboolean
can_find_numbers (TallFront *front, GError **error)
{
  const char *const values[] = { "order_number=0" };
  const TallFindOptions find = { .values = values, .n_values = 1, .limit = 1 };
  g_autoptr (GError) cause = NULL;
  g_autoptr (TallFound) page = tall_front_find_orders (front, &find, &cause);
  if (page != NULL)
    return TRUE;
  gboolean lacks = g_error_matches (cause, TALL_ERROR, TALL_ERROR_UNSUPPORTED)
                   || g_error_matches (cause, TALL_ERROR, TALL_ERROR_INVALID);
  if (lacks)
    g_prefix_error (&cause,
                    "Looking whether other customers have these order numbers takes an index "
                    "such as number=order_number, which “tallorder migrate” adds: ");
  g_propagate_error (error, g_steal_pointer (&cause));
  return !lacks;
}

/* @options: stay as long as the storer. @name: of what is loaded; stays likewise. @rejects: where
 * refused items go. Returns: (transfer full): NULL if a load cannot be begun */
TallStorer *
tall_storer_new (TallFront *front,
                 const TallLoadOptions *options,
                 const char *name,
                 TallRejects *rejects,
                 GError **error)
{
  g_autoptr (GError) unknown = NULL;
  gboolean finds_numbers = !options->deletes && can_find_numbers (front, &unknown);
  if (options->unique && unknown != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&unknown));
      return NULL;
    }
  TallBulkOptions bulk_options = options->bulk;
  bulk_options.name = name;
  g_autoptr (TallBulk) bulk =
      options->deletes ? NULL : tall_bulk_begin (front, &bulk_options, error);
  if (bulk == NULL && !options->deletes)
    return NULL;
  TallStorer *self = g_new0 (TallStorer, 1);
  self->front = g_object_ref (front);
  self->bulk = g_steal_pointer (&bulk);
  self->rejects = rejects;
  self->finds_numbers = finds_numbers;
  self->options = options;
  self->name = name;
  self->jobs = choose_jobs (front, options);
  tall_load_ledger_init (&self->fresh);
  tall_load_ledger_init (&self->safe);
  self->synced_at = g_get_monotonic_time ();
  tall_stall_init (&self->stall, options->stalled, options->data);
  g_mutex_init (&self->lock);
  g_cond_init (&self->settled);
  self->pool = g_thread_pool_new (storer_store_batch, self, (gint)self->jobs, FALSE, NULL);
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
  g_clear_object (&self->bulk);
  g_object_unref (self->front);
  g_free (self);
}
