/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-faulty-front.h"

#include "tall-test-front.h"

struct _TallFaultyFront
{
  TallForwardingFront parent_instance;
  TallTestFront *front; /* the one wrapped */
  GMutex lock;
  GCond gathered;
  GHashTable *tokens; /* what is put → GBytes: the token of its first try */
  guint n_puts;
  guint n_running;
  guint max_running;
  guint gather; /* 0: nothing waits (any more) */

  char *fail_number;
  TallError fail_code;
  guint n_failures;
  gboolean after_effect;
};

G_DEFINE_FINAL_TYPE (TallFaultyFront, tall_faulty_front, TALL_TYPE_FORWARDING_FRONT)

static void
wait_for_others (TallFaultyFront *self)
{
  self->n_puts++;
  self->n_running++;
  self->max_running = MAX (self->max_running, self->n_running);
  if (self->gather > 0 && self->n_running >= self->gather)
    {
      self->gather = 0;
      g_cond_broadcast (&self->gathered);
    }
  while (self->gather > 0)
    g_cond_wait (&self->gathered, &self->lock);
  self->n_running--;
}

/* A put that is sent again must carry its first token, if it had one. */
static void
check_token (TallFaultyFront *self, const char *key, const TallWriteOptions *options)
{
  g_assert_nonnull (options);
  if (!options->has_token)
    return;
  GBytes *first = g_hash_table_lookup (self->tokens, key);
  if (first == NULL)
    g_hash_table_insert (self->tokens, g_strdup (key),
                         g_bytes_new (options->token, TALL_TOKEN_SIZE));
  else
    g_assert_cmpmem (options->token, TALL_TOKEN_SIZE, g_bytes_get_data (first, NULL),
                     g_bytes_get_size (first));
}

/* Begins a put. @failure (out): what it shall end with, NULL if it may succeed. Returns: whether it
 * is to be stored. */
static gboolean
enter (TallFaultyFront *self,
       const char *key,
       const char *number,
       const TallWriteOptions *options,
       GError **failure)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->lock);
  wait_for_others (self);
  check_token (self, key, options);
  if (self->n_failures == 0
      || (self->fail_number != NULL && !g_str_equal (self->fail_number, number)))
    return TRUE;
  self->n_failures--;
  g_set_error (failure, TALL_ERROR, (gint)self->fail_code, "Storing %s: told to fail", number);
  return self->after_effect;
}

/* Ends one that was stored: whoever puts the same next may have another token. */
static gboolean
leave (TallFaultyFront *self, const char *key, GError *failure, GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->lock);
  if (failure == NULL)
    {
      g_hash_table_remove (self->tokens, key);
      return TRUE;
    }
  g_propagate_error (error, failure);
  return FALSE;
}

static gboolean
put_order (TallFront *front,
           TallOrder *order,
           const TallWriteOptions *options,
           gint64 *revision,
           GError **error)
{
  TallFaultyFront *self = TALL_FAULTY_FRONT (front);
  g_autofree char *key = g_strdup_printf ("%s\t%s", order->customer_number, order->order_number);
  g_autoptr (GError) failure = NULL;
  if (enter (self, key, order->order_number, options, &failure)
      && !tall_front_put_order (TALL_FRONT (self->front), order, options, revision, error))
    return FALSE;
  return leave (self, key, g_steal_pointer (&failure), error);
}

/* Puts one after the other. */
static gboolean
put_orders (TallFront *front,
            TallOrder *const *orders,
            const TallWriteOptions *options,
            guint n,
            TallOutcome *outcomes,
            GError **error G_GNUC_UNUSED)
{
  for (guint i = 0; i < n; i++)
    (void)!put_order (front, orders[i], &options[i], &outcomes[i].revision, &outcomes[i].error);
  return TRUE;
}

/* The same. */
static gboolean
get_orders (TallFront *front,
            const TallOrderId *ids,
            guint n,
            const TallOrderPart *part G_GNUC_UNUSED,
            TallOutcome *outcomes,
            GError **error G_GNUC_UNUSED)
{
  for (guint i = 0; i < n; i++)
    outcomes[i].order = tall_front_get_order (front, ids[i].customer_number, ids[i].order_number,
                                              &outcomes[i].revision, &outcomes[i].error);
  return TRUE;
}

static gboolean
put_customer (TallFront *front,
              TallCustomer *customer,
              const TallWriteOptions *options,
              gint64 *revision,
              GError **error)
{
  TallFaultyFront *self = TALL_FAULTY_FRONT (front);
  g_autoptr (GError) failure = NULL;
  if (enter (self, customer->number, customer->number, options, &failure)
      && !tall_front_put_customer (TALL_FRONT (self->front), customer, options, revision, error))
    return FALSE;
  return leave (self, customer->number, g_steal_pointer (&failure), error);
}

static void
tall_faulty_front_init (TallFaultyFront *self)
{
  g_mutex_init (&self->lock);
  g_cond_init (&self->gathered);
  self->tokens =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_bytes_unref);
  self->front = TALL_TEST_FRONT (tall_test_front_new ());
  tall_forwarding_front_wrap (TALL_FORWARDING_FRONT (self), TALL_FRONT (self->front));
}

static void
tall_faulty_front_finalize (GObject *object)
{
  TallFaultyFront *self = TALL_FAULTY_FRONT (object);
  g_object_unref (self->front);
  g_hash_table_unref (self->tokens);
  g_free (self->fail_number);
  g_cond_clear (&self->gathered);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (tall_faulty_front_parent_class)->finalize (object);
}

static void
tall_faulty_front_class_init (TallFaultyFrontClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = tall_faulty_front_finalize;
  TallFrontClass *front = TALL_FRONT_CLASS (klass);
  front->put_order = put_order;
  front->put_orders = put_orders;
  front->get_orders = get_orders;
  front->put_customer = put_customer;
}

TallFaultyFront *
tall_faulty_front_new (void)
{
  return g_object_new (TALL_TYPE_FAULTY_FRONT, NULL);
}

void
tall_faulty_front_fail (TallFaultyFront *self,
                        const char *number,
                        TallError code,
                        guint n_failures,
                        gboolean after_effect)
{
  g_free (self->fail_number);
  self->fail_number = g_strdup (number);
  self->fail_code = code;
  self->n_failures = n_failures;
  self->after_effect = after_effect;
  g_hash_table_remove_all (self->tokens);
}

guint
tall_faulty_front_count_orders (TallFaultyFront *self)
{
  return tall_test_front_count_orders (self->front);
}

guint
tall_faulty_front_count_customers (TallFaultyFront *self)
{
  return tall_test_front_count_customers (self->front);
}

guint
tall_faulty_front_count_puts (TallFaultyFront *self)
{
  return self->n_puts;
}

guint
tall_faulty_front_get_concurrency (TallFaultyFront *self)
{
  return self->max_running;
}

void
tall_faulty_front_gather (TallFaultyFront *self, guint n)
{
  self->gather = n;
}
