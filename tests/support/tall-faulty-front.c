/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-faulty-front.h"
#include "tall-canonical.h"

struct _TallFaultyFront
{
  TallFront parent_instance;
  GMutex lock;
  GCond gathered;
  GHashTable *orders;    /* customer TAB order → GBytes */
  GHashTable *customers; /* number → GBytes */
  GHashTable *tokens;    /* number → GBytes: the token of its first put */
  guint n_puts;
  guint n_running;
  guint max_running;
  guint gather; /* 0: nothing waits (any more) */

  char *fail_number;
  TallError fail_code;
  guint n_failures;
  gboolean after_effect;
};

G_DEFINE_FINAL_TYPE (TallFaultyFront, tall_faulty_front, TALL_TYPE_FRONT)

static void
enter (TallFaultyFront *self)
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
}

/* A put that is sent again must carry its first token. */
static void
check_token (TallFaultyFront *self, const char *key, const TallWriteOptions *options)
{
  g_assert_nonnull (options);
  g_assert_true (options->has_token);
  GBytes *first = g_hash_table_lookup (self->tokens, key);
  if (first == NULL)
    g_hash_table_insert (self->tokens, g_strdup (key),
                         g_bytes_new (options->token, TALL_TOKEN_SIZE));
  else
    g_assert_cmpmem (options->token, TALL_TOKEN_SIZE, g_bytes_get_data (first, NULL),
                     g_bytes_get_size (first));
}

static gboolean
put (TallFaultyFront *self,
     GHashTable *table,
     const char *key,
     const char *number,
     TallSlice bytes,
     const TallWriteOptions *options,
     GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->lock);
  enter (self);
  self->n_running--;
  check_token (self, key, options);
  if (options->condition == TALL_IF_ABSENT && g_hash_table_contains (table, key))
    {
      tall_error_set_conflict (error, 1, "Storing %s: it is there", number);
      return FALSE;
    }
  gboolean fails = self->n_failures > 0
                   && (self->fail_number == NULL || g_str_equal (self->fail_number, number));
  if (!fails || self->after_effect)
    g_hash_table_replace (table, g_strdup (key), g_bytes_new (bytes.data, bytes.len));
  if (!fails)
    {
      g_hash_table_remove (self->tokens, key);
      return TRUE;
    }
  self->n_failures--;
  g_set_error (error, TALL_ERROR, (gint)self->fail_code, "Storing %s: told to fail", number);
  return FALSE;
}

static gboolean
put_order (TallFront *front,
           TallOrder *order,
           const TallWriteOptions *options,
           gint64 *revision G_GNUC_UNUSED,
           GError **error)
{
  TallFaultyFront *self = TALL_FAULTY_FRONT (front);
  g_autoptr (TallArena) arena = tall_arena_new (4096);
  g_autofree char *key = g_strdup_printf ("%s\t%s", order->customer_number, order->order_number);
  return put (self, self->orders, key, order->order_number, tall_order_to_canonical (order, arena),
              options, error);
}

static gboolean
put_customer (TallFront *front,
              TallCustomer *customer,
              const TallWriteOptions *options,
              gint64 *revision G_GNUC_UNUSED,
              GError **error)
{
  TallFaultyFront *self = TALL_FAULTY_FRONT (front);
  g_autoptr (TallArena) arena = tall_arena_new (4096);
  return put (self, self->customers, customer->number, customer->number,
              tall_customer_to_canonical (customer, arena), options, error);
}

static GBytes *
find (TallFaultyFront *self, GHashTable *table, const char *key, GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->lock);
  GBytes *found = g_hash_table_lookup (table, key);
  if (found == NULL)
    g_set_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND, "There is no %s", key);
  return found == NULL ? NULL : g_bytes_ref (found);
}

static TallSlice
slice_bytes (GBytes *bytes)
{
  return tall_slice (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

static TallOrder *
get_order (TallFront *front,
           const char *customer_number,
           const char *order_number,
           gint64 *revision G_GNUC_UNUSED,
           GError **error)
{
  TallFaultyFront *self = TALL_FAULTY_FRONT (front);
  g_autofree char *key = g_strdup_printf ("%s\t%s", customer_number, order_number);
  g_autoptr (GBytes) bytes = find (self, self->orders, key, error);
  return bytes == NULL ? NULL : tall_order_from_canonical (slice_bytes (bytes), error);
}

static TallCustomer *
get_customer (TallFront *front, const char *number, gint64 *revision G_GNUC_UNUSED, GError **error)
{
  TallFaultyFront *self = TALL_FAULTY_FRONT (front);
  g_autoptr (GBytes) bytes = find (self, self->customers, number, error);
  return bytes == NULL ? NULL : tall_customer_from_canonical (slice_bytes (bytes), error);
}

static void
tall_faulty_front_init (TallFaultyFront *self)
{
  g_mutex_init (&self->lock);
  g_cond_init (&self->gathered);
  self->orders =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_bytes_unref);
  self->customers =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_bytes_unref);
  self->tokens =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_bytes_unref);
}

static void
tall_faulty_front_finalize (GObject *object)
{
  TallFaultyFront *self = TALL_FAULTY_FRONT (object);
  g_hash_table_unref (self->orders);
  g_hash_table_unref (self->customers);
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
  front->get_order = get_order;
  front->put_customer = put_customer;
  front->get_customer = get_customer;
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
  return g_hash_table_size (self->orders);
}

guint
tall_faulty_front_count_customers (TallFaultyFront *self)
{
  return g_hash_table_size (self->customers);
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
