/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/store-bulk.h"

#include "store/bulk/batch.h"
#include "tall-error.h"

/* Bytes of orders in canonical form that are written together: what a load needs of memory is some
 * times that for each call that runs. */
#define BATCH_BYTES (4 * 1024 * 1024)

#define SYNC_EVERY (5 * G_USEC_PER_SEC)

struct _TallStoreBulk
{
  TallBulk parent_instance;

  TallFront *store;       /* owned */
  TallFollower *follower; /* owned by the store */
  TallBulkExisting on_existing;
  gboolean assume_new;
  guint8 token[TALL_TOKEN_SIZE];
  TallLoads loads;

  GMutex mutex; /* for all below */
  guint64 stored;
  gint64 synced; /* when it was synced last, or is being synced: microseconds */
};

G_DEFINE_FINAL_TYPE (TallStoreBulk, tall_store_bulk, TALL_TYPE_BULK)

/* What is put by one call; one of the two. */
typedef struct
{
  TallOrder *const *orders;
  TallCustomer *const *customers;
  TallBulkResult *results;
  guint n;
} Work;

static void
items_free (GArray *items)
{
  for (guint i = 0; i < items->len; i++)
    tall_bulk_item_clear (&g_array_index (items, TallBulkItem, i));
  g_array_unref (items);
}

/* Makes items from the @begin-th on, until they are large enough for a batch. Returns: the first
 * that is not among them */
static guint
make_items (const TallStoreContext *context, const Work *work, guint begin, GArray *items)
{
  gsize n_bytes = 0;
  guint i = begin;
  for (; i < work->n && n_bytes < BATCH_BYTES; i++)
    {
      g_array_set_size (items, i - begin + 1);
      TallBulkItem *item = &g_array_index (items, TallBulkItem, i - begin);
      gboolean good =
          work->orders != NULL
              ? tall_bulk_item_init_order (item, context, work->orders[i], &work->results[i])
              : tall_bulk_item_init_customer (item, context, work->customers[i], &work->results[i]);
      if (good)
        n_bytes += item->content.canonical.len;
    }
  return i;
}

static guint
run_batch (TallStoreBulk *self, const Work *work, guint begin)
{
  GArray *items = g_array_sized_new (FALSE, TRUE, sizeof (TallBulkItem), work->n - begin);
  const TallStoreContext *context = tall_follower_get_context (self->follower);
  guint end = make_items (context, work, begin, items);
  TallBulkBatch batch = { .context = context,
                          .loads = &self->loads,
                          .on_existing = self->on_existing,
                          .assume_new = self->assume_new,
                          .token = self->token,
                          .items = (TallBulkItem *)(gpointer)items->data,
                          .n_items = items->len };
  tall_bulk_batch_run (&batch);
  items_free (items);
  return end;
}

/* Counts what is stored. Returns: whether it is time to sync; then the caller does it */
static gboolean
count (TallStoreBulk *self, const Work *work)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  for (guint i = 0; i < work->n; i++)
    if (work->results[i].outcome == TALL_BULK_STORED
        || work->results[i].outcome == TALL_BULK_REPLACED)
      self->stored++;
  gint64 now = g_get_monotonic_time ();
  if (now - self->synced < SYNC_EVERY)
    return FALSE;
  self->synced = now;
  return TRUE;
}

static guint64
get_stored (TallStoreBulk *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  return self->stored;
}

static gboolean
tall_store_bulk_sync (TallBulk *bulk, GError **error)
{
  TallStoreBulk *self = TALL_STORE_BULK (bulk);
  if (tall_loads_note (&self->loads, get_stored (self), error))
    return TRUE;
  g_prefix_error (error, "Making durable what was loaded: ");
  return FALSE;
}

static gboolean
run (TallStoreBulk *self, const Work *work, GError **error)
{
  if (!tall_follower_check_writable (self->follower, error))
    {
      g_prefix_error (error, "Loading: ");
      return FALSE;
    }
  for (guint i = 0; i < work->n;)
    i = run_batch (self, work, i);
  g_autoptr (GError) unsynced = NULL;
  if (count (self, work) && !tall_store_bulk_sync (TALL_BULK (self), &unsynced))
    g_debug ("%s", unsynced->message); /* the next one says so, or makes up for it */
  return TRUE;
}

static gboolean
tall_store_bulk_put_orders (
    TallBulk *bulk, TallOrder *const *orders, guint n, TallBulkResult *results, GError **error)
{
  const Work work = { .orders = orders, .results = results, .n = n };
  return run (TALL_STORE_BULK (bulk), &work, error);
}

static gboolean
tall_store_bulk_put_customers (TallBulk *bulk,
                               TallCustomer *const *customers,
                               guint n,
                               TallBulkResult *results,
                               GError **error)
{
  const Work work = { .customers = customers, .results = results, .n = n };
  return run (TALL_STORE_BULK (bulk), &work, error);
}

static gboolean
tall_store_bulk_end (TallBulk *bulk, GError **error)
{
  TallStoreBulk *self = TALL_STORE_BULK (bulk);
  if (!tall_store_bulk_sync (bulk, error))
    return FALSE;
  if (tall_loads_end (&self->loads, error))
    return TRUE;
  g_prefix_error (error, "Ending a load, of which everything is stored: ");
  return FALSE;
}

static void
tall_store_bulk_finalize (GObject *object)
{
  TallStoreBulk *self = TALL_STORE_BULK (object);
  tall_loads_clear (&self->loads);
  g_clear_object (&self->store);
  g_mutex_clear (&self->mutex);
  G_OBJECT_CLASS (tall_store_bulk_parent_class)->finalize (object);
}

static void
tall_store_bulk_class_init (TallStoreBulkClass *klass)
{
  TallBulkClass *bulk = TALL_BULK_CLASS (klass);
  bulk->put_orders = tall_store_bulk_put_orders;
  bulk->put_customers = tall_store_bulk_put_customers;
  bulk->sync = tall_store_bulk_sync;
  bulk->end = tall_store_bulk_end;
  G_OBJECT_CLASS (klass)->finalize = tall_store_bulk_finalize;
}

static void
tall_store_bulk_init (TallStoreBulk *self)
{
  g_mutex_init (&self->mutex);
  self->synced = g_get_monotonic_time ();
}

/**
 * tall_store_bulk_new:
 * @store: (transfer none): a reference is kept, so that @follower lives
 * @follower: of the store, as are @revisions
 */
TallBulk *
tall_store_bulk_new (TallFront *store,
                     TallFollower *follower,
                     TallLoadRevisions *revisions,
                     const TallBulkOptions *options)
{
  const TallStoreContext *context = tall_follower_get_context (follower);
  TallStoreBulk *self = g_object_new (TALL_TYPE_STORE_BULK, NULL);
  self->store = g_object_ref (store);
  self->follower = follower;
  self->on_existing = options->on_existing;
  self->assume_new = options->assume_new;
  context->hooks.make_token (self->token, context->hooks.data);
  tall_loads_init (&self->loads, context, revisions, options->name);
  return TALL_BULK (self);
}
