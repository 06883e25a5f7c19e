/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/bulk/bulk.h"

#include "base/fail.h"
#include "base/slots.h"
#include "base/workers.h"
#include "store/read/ids.h"
#include "tall-bulk.h"

/* Customers of a batch. */
typedef struct
{
  TallIds *ids;       /* not owned */
  GPtrArray *numbers; /* of const char *, each once */
  guint64 first;      /* id of the first of them, if it is free */
  gint64 deadline;
} Customers;

/* An error is not lost: each item asks for its customer's id again. */
static void
number_one (gpointer data, guint i)
{
  Customers *self = data;
  g_autoptr (GError) error = NULL;
  guint64 id;
  if (!tall_ids_assign_taken (self->ids, g_ptr_array_index (self->numbers, i), self->first + i, &id,
                              self->deadline, &error))
    g_debug ("%s", error->message);
}

/* Leaves those that have no id. Returns: FALSE if that cannot be found out now */
static gboolean
drop_numbered (Customers *self)
{
  guint n = self->numbers->len;
  g_autofree guint64 *ids = g_new0 (guint64, n);
  if (!tall_ids_find (self->ids, (const char *const *)self->numbers->pdata, n, ids, self->deadline,
                      NULL))
    return FALSE;
  guint n_left = 0;
  for (guint i = 0; i < n; i++)
    if (ids[i] == 0)
      self->numbers->pdata[n_left++] = self->numbers->pdata[i];
  g_ptr_array_set_size (self->numbers, (gint)n_left);
  return TRUE;
}

/**
 * tall_bulk_number_customers:
 * @items: @n_items of a batch
 *
 * Gives their customers ids, if the key strategy needs them: the counter moves once for all, and
 * the rows of many are written at once, as each waits for the disk, or for a gateway. Whatever
 * fails is left to tall_operation_identify().
 */
void
tall_bulk_number_customers (const TallStoreContext *context,
                            const TallBulkItem *items,
                            guint n_items)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) numbers = g_ptr_array_new ();
  Customers self = { .ids = context->ids, .numbers = numbers };
  if (self.ids == NULL)
    return;
  for (guint i = 0; i < n_items; i++)
    {
      const char *number = items[i].operation.customer_number;
      if (items[i].step != TALL_BULK_FRESH || !g_hash_table_add (seen, (gpointer)number))
        continue;
      g_ptr_array_add (numbers, (gpointer)number);
      self.deadline = items[i].operation.deadline;
    }
  if (numbers->len > 0 && drop_numbered (&self) && numbers->len > 1
      && tall_ids_take (self.ids, numbers->len, &self.first, self.deadline, NULL))
    tall_workers_run (number_one, &self, numbers->len);
}

G_DEFINE_ABSTRACT_TYPE (TallBulk, tall_bulk, G_TYPE_OBJECT)

/* Every implementation passes here once for each object. */
static void
tall_bulk_constructed (GObject *object)
{
  static const TallSlot slots[] = {
    TALL_SLOT (TallBulkClass, put_orders),
    TALL_SLOT (TallBulkClass, put_customers),
    TALL_SLOT (TallBulkClass, sync),
    TALL_SLOT (TallBulkClass, end),
  };
  tall_slots_check (G_OBJECT_TYPE_NAME (object), "TallBulkClass", TALL_BULK_GET_CLASS (object),
                    slots, G_N_ELEMENTS (slots));

  G_OBJECT_CLASS (tall_bulk_parent_class)->constructed (object);
}

static void
tall_bulk_class_init (TallBulkClass *klass)
{
  G_OBJECT_CLASS (klass)->constructed = tall_bulk_constructed;
}

static void
tall_bulk_init (TallBulk *self G_GNUC_UNUSED)
{
}

void
tall_bulk_result_clear (TallBulkResult *self)
{
  g_clear_error (&self->error);
}

static gboolean
check_many (guint n, const char *what, GError **error)
{
  if (n <= TALL_BULK_MOST)
    return TRUE;
  return tall_error_fail (error, TALL_ERROR_TOO_LARGE,
                          "%u %s in one call: at most %d are taken; make several calls", n, what,
                          TALL_BULK_MOST);
}

/**
 * tall_bulk_put_orders:
 * @orders: @n of them, %TALL_BULK_MOST at most; their lists are sorted. Some hundred in one call
 *   are fast, and some calls at once, in different threads
 * @results: (out caller-allocates): @n of them, all zero; to be cleared
 *
 * Stores orders, each whole or not at all, independently of each other. A wrong one is an error of
 * its own result. Two of one order in one call are put one after the other, as are those of two
 * calls that follow each other; of two calls at once either may come first. What is stored is
 * readable at once, but only safe from a crash of the machine after tall_bulk_sync().
 *
 * Returns: FALSE if nothing was done at all, nor anything could be: the results are unset then
 */
gboolean
tall_bulk_put_orders (
    TallBulk *self, TallOrder *const *orders, guint n, TallBulkResult *results, GError **error)
{
  g_return_val_if_fail (TALL_IS_BULK (self), FALSE);

  return check_many (n, "orders", error)
         && TALL_BULK_GET_CLASS (self)->put_orders (self, orders, n, results, error);
}

/**
 * tall_bulk_put_customers:
 *
 * The same as tall_bulk_put_orders(), with customers.
 */
gboolean
tall_bulk_put_customers (TallBulk *self,
                         TallCustomer *const *customers,
                         guint n,
                         TallBulkResult *results,
                         GError **error)
{
  g_return_val_if_fail (TALL_IS_BULK (self), FALSE);

  return check_many (n, "customers", error)
         && TALL_BULK_GET_CLASS (self)->put_customers (self, customers, n, results, error);
}

/**
 * tall_bulk_sync:
 *
 * After it, everything whose put had returned before the call survives a crash of the machine: only
 * then does it count as stored. A load does this every few seconds by itself; but only this call,
 * and tall_bulk_end(), say so.
 *
 * Returns: FALSE if that is not certain
 */
gboolean
tall_bulk_sync (TallBulk *self, GError **error)
{
  g_return_val_if_fail (TALL_IS_BULK (self), FALSE);

  return TALL_BULK_GET_CLASS (self)->sync (self, error);
}

/**
 * tall_bulk_end:
 *
 * The load is over: syncs, and forgets that the load was begun. Nothing may be put any more. A load
 * that is let go without it counts as one that was cut short, and can simply be begun again: what
 * is stored is unchanged then.
 *
 * Returns: FALSE if it is not certain that everything survives a crash; it can be called again
 */
gboolean
tall_bulk_end (TallBulk *self, GError **error)
{
  g_return_val_if_fail (TALL_IS_BULK (self), FALSE);

  return TALL_BULK_GET_CLASS (self)->end (self, error);
}

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
        || work->results[i].outcome == TALL_BULK_REPLACED
        || work->results[i].outcome == TALL_BULK_REVIVED)
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
