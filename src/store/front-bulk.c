/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/front-bulk-private.h"

#include "tall-error.h"
#include "base/workers.h"

/* How many orders go into one call, so that it takes about this time: a server has others to serve,
 * and what is under way when a load is stopped takes no longer. Microseconds. */
#define FIRST_CALL 64
#define USUAL_CALL (G_USEC_PER_SEC / 2)

G_DEFINE_FINAL_TYPE (TallFrontBulk, tall_front_bulk, TALL_TYPE_BULK)

/* Learns from a call how many orders the next one is to take. */
static void
adapt (TallFrontBulk *self, guint n, gint64 took)
{
  guint most = (guint)g_atomic_int_get (&self->call);
  if (took > USUAL_CALL && n <= most)
    g_atomic_int_set (&self->call, (gint)MAX (1, n / 2));
  else if (took < USUAL_CALL / 2 && n == most)
    g_atomic_int_set (&self->call, (gint)MIN (TALL_MAX_MANY, 2 * n));
}

static gboolean
tall_front_bulk_put_orders (TallBulk *bulk,
                            TallOrder *const *orders,
                            guint n,
                            TallBulkResult *results,
                            GError **error G_GNUC_UNUSED)
{
  TallFrontBulk *self = TALL_FRONT_BULK (bulk);
  for (guint done = 0; done < n;)
    {
      guint now = MIN (n - done, (guint)g_atomic_int_get (&self->call));
      gint64 begun = g_get_monotonic_time ();
      tall_front_bulk_call (self, orders + done, now, results + done);
      adapt (self, now, g_get_monotonic_time () - begun);
      done += now;
    }
  return TRUE;
}

typedef struct
{
  TallFrontBulk *bulk;
  TallCustomer *const *customers;
  TallBulkResult *results;
} Customers;

/* Returns: whether it is to be replaced */
static gboolean
compare_customer (TallFrontBulk *self, TallCustomer *customer, TallBulkResult *result)
{
  g_autoptr (GError) error = NULL;
  gint64 revision = 0;
  g_autofree char *what = g_strdup_printf ("customer %s", customer->number);
  g_autoptr (TallCustomer) stored =
      tall_front_get_customer (self->front, customer->number, &revision, &error);
  if (g_error_matches (error, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    tall_front_bulk_overtake (what, result);
  else if (error != NULL)
    tall_front_bulk_refuse (result, &error);
  else if (tall_customer_equal (stored, customer))
    *result = (TallBulkResult){ .outcome = TALL_BULK_UNCHANGED, .revision = revision };
  else
    return tall_front_bulk_decide (self, what, revision, result);
  return FALSE;
}

static void
put_customer (gpointer data, guint i)
{
  const Customers *self = data;
  const TallWriteOptions if_absent = { .condition = TALL_IF_ABSENT };
  TallCustomer *customer = self->customers[i];
  TallBulkResult *result = &self->results[i];
  g_autoptr (GError) error = NULL;

  if (tall_front_put_customer (self->bulk->front, customer, &if_absent, &result->revision, &error))
    return;
  if (!g_error_matches (error, TALL_ERROR, TALL_ERROR_CONFLICT))
    tall_front_bulk_refuse (result, &error);
  else if (compare_customer (self->bulk, customer, result))
    {
      g_clear_error (&error);
      result->outcome = TALL_BULK_REPLACED;
      if (!tall_front_put_customer (self->bulk->front, customer, NULL, &result->revision, &error))
        tall_front_bulk_refuse (result, &error);
    }
}

static gboolean
tall_front_bulk_put_customers (TallBulk *bulk,
                               TallCustomer *const *customers,
                               guint n,
                               TallBulkResult *results,
                               GError **error G_GNUC_UNUSED)
{
  Customers work = { TALL_FRONT_BULK (bulk), customers, results };
  tall_workers_run (put_customer, &work, n);
  return TRUE;
}

/* Every put is durable by itself. */
static gboolean
tall_front_bulk_sync (TallBulk *bulk G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
  return TRUE;
}

static void
tall_front_bulk_finalize (GObject *object)
{
  g_clear_object (&TALL_FRONT_BULK (object)->front);
  G_OBJECT_CLASS (tall_front_bulk_parent_class)->finalize (object);
}

static void
tall_front_bulk_class_init (TallFrontBulkClass *klass)
{
  TallBulkClass *bulk = TALL_BULK_CLASS (klass);
  bulk->put_orders = tall_front_bulk_put_orders;
  bulk->put_customers = tall_front_bulk_put_customers;
  bulk->sync = tall_front_bulk_sync;
  bulk->end = tall_front_bulk_sync;
  G_OBJECT_CLASS (klass)->finalize = tall_front_bulk_finalize;
}

static void
tall_front_bulk_init (TallFrontBulk *self)
{
  self->call = FIRST_CALL;
}

/**
 * tall_front_bulk_new:
 * @front: (transfer none): where it is put; a reference is kept
 */
TallBulk *
tall_front_bulk_new (TallFront *front, const TallBulkOptions *options)
{
  TallFrontBulk *self = g_object_new (TALL_TYPE_FRONT_BULK, NULL);
  self->front = g_object_ref (front);
  self->on_existing = options->on_existing;
  return TALL_BULK (self);
}

/**
 * tall_bulk_begin:
 * @front: (transfer none): where it is put; a reference is kept
 * @options: (nullable): NULL: what exists is reported
 *
 * Begins a load. A load that was cut short is simply begun again, with the same orders: what is
 * stored is found unchanged, and costs a look.
 *
 * Returns: (transfer full): the load, to be ended by tall_bulk_end(); NULL with what the front says
 */
TallBulk *
tall_bulk_begin (TallFront *front, const TallBulkOptions *options, GError **error)
{
  static const TallBulkOptions usual = { 0 };
  g_return_val_if_fail (TALL_IS_FRONT (front), NULL);

  TallFrontClass *klass = TALL_FRONT_GET_CLASS (front);
  if (options == NULL)
    options = &usual;
  return klass->begin_bulk != NULL ? klass->begin_bulk (front, options, error)
                                   : tall_front_bulk_new (front, options);
}
