/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-front-private.h"

#include "model/canonical.h"
#include "tall-error.h"
#include "layout/layout.h"

struct _TallTestFront
{
  TallFront parent_instance;

  GMutex mutex; /* of all that follows */
  GCond changed;
  GHashTable *records; /* key → Record */
  GError *next_error;  /* NULL: none */
  GError *each_error;  /* of every call; NULL: none */
  TallWriteOptions options;
  TallOrderPart part;
  guint n_stored;
  guint n_calls;
  guint n_held;
  gboolean holding;
  gsize measure;   /* bytes that a call on one order takes; 0: the usual */
  gint64 revision; /* the last given */
};

G_DEFINE_FINAL_TYPE (TallTestFront, tall_test_front, TALL_TYPE_FRONT)

typedef struct
{
  GBytes *canonical;
  gint64 revision;
  guint8 token[TALL_TOKEN_SIZE];
} Record;

static void
record_free (gpointer data)
{
  Record *record = data;
  g_bytes_unref (record->canonical);
  g_free (record);
}

/* Numbers have no control characters, so a line break cannot stand in one. */
static char *
order_key (const char *customer_number, const char *order_number)
{
  return g_strdup_printf ("%s\n%s", customer_number, order_number);
}

static char *
customer_key (const char *number)
{
  return g_strdup_printf ("%s\n\n", number);
}

/* Begins a call: waits while calls are held, and fails if it shall. With the mutex locked. */
static gboolean
enter (TallTestFront *self, GError **error)
{
  self->n_calls++;
  self->n_held++;
  g_cond_broadcast (&self->changed);
  while (self->holding)
    g_cond_wait (&self->changed, &self->mutex);
  self->n_held--;

  if (self->each_error != NULL)
    {
      g_propagate_error (error, g_error_copy (self->each_error));
      return FALSE;
    }
  if (self->next_error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&self->next_error));
  return FALSE;
}

static gboolean
check_condition (const Record *record, const TallWriteOptions *options, GError **error)
{
  gint64 stored = record != NULL ? record->revision : 0;

  if (options->condition == TALL_IF_ANY || (options->condition == TALL_IF_ABSENT && record == NULL)
      || (options->condition == TALL_IF_REVISION && options->revision == stored))
    return TRUE;
  tall_error_set_conflict (error, stored, "it is there with revision %" G_GINT64_FORMAT, stored);
  return FALSE;
}

static gboolean
put (TallTestFront *self,
     char *key,
     TallSlice canonical,
     const TallWriteOptions *options,
     gint64 *revision,
     GError **error)
{
  g_autofree char *owned_key = key;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  static const TallWriteOptions none = { 0 };
  self->options = options != NULL ? *options : none;

  if (!enter (self, error))
    return FALSE;
  Record *old = g_hash_table_lookup (self->records, key);
  if (old != NULL && self->options.has_token
      && memcmp (old->token, self->options.token, TALL_TOKEN_SIZE) == 0)
    {
      if (revision != NULL)
        *revision = old->revision;
      return TRUE;
    }
  if (!check_condition (old, &self->options, error))
    return FALSE;

  Record *record = g_new0 (Record, 1);
  record->canonical = g_bytes_new (canonical.data, canonical.len);
  record->revision = self->revision += 2;
  memcpy (record->token, self->options.token, TALL_TOKEN_SIZE);
  g_hash_table_replace (self->records, g_steal_pointer (&owned_key), record);
  self->n_stored++;
  if (revision != NULL)
    *revision = record->revision;
  return TRUE;
}

static GBytes *
get (TallTestFront *self, char *key, gint64 *revision, GError **error)
{
  g_autofree char *owned_key = key;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  if (!enter (self, error))
    return NULL;
  const Record *record = g_hash_table_lookup (self->records, key);
  if (record == NULL)
    {
      g_set_error_literal (error, TALL_ERROR, TALL_ERROR_NOT_FOUND, "there is none");
      return NULL;
    }
  if (revision != NULL)
    *revision = record->revision;
  return g_bytes_ref (record->canonical);
}

static TallSlice
slice_of (GBytes *bytes)
{
  gsize len = 0;
  gconstpointer data = g_bytes_get_data (bytes, &len);
  return tall_slice (data, len);
}

static gboolean
front_put_order (TallFront *front,
                 TallOrder *order,
                 const TallWriteOptions *options,
                 gint64 *revision,
                 GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  return put (TALL_TEST_FRONT (front), order_key (order->customer_number, order->order_number),
              tall_order_to_canonical (order, arena), options, revision, error);
}

static TallOrder *
front_get_order (TallFront *front,
                 const char *customer_number,
                 const char *order_number,
                 gint64 *revision,
                 GError **error)
{
  g_autoptr (GBytes) bytes =
      get (TALL_TEST_FRONT (front), order_key (customer_number, order_number), revision, error);
  return bytes == NULL ? NULL : tall_order_from_canonical (slice_of (bytes), error);
}

/* As of one client alone. */
static gboolean
front_patch_order (TallFront *front,
                   const char *customer_number,
                   const char *order_number,
                   const char *const *changes,
                   guint n,
                   const TallWriteOptions *options,
                   gint64 *revision,
                   GError **error)
{
  g_autoptr (TallOrder) order = front_get_order (front, customer_number, order_number, NULL, error);
  return order != NULL && tall_order_patch (order, changes, n, error)
         && front_put_order (front, order, options, revision, error);
}

static gboolean
drop (TallTestFront *self, char *key, const TallWriteOptions *options, GError **error)
{
  g_autofree char *owned_key = key;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  static const TallWriteOptions none = { 0 };
  self->options = options != NULL ? *options : none;
  if (!enter (self, error))
    return FALSE;
  const Record *record = g_hash_table_lookup (self->records, key);
  if (record == NULL)
    {
      g_set_error_literal (error, TALL_ERROR, TALL_ERROR_NOT_FOUND, "there is none");
      return FALSE;
    }
  return check_condition (record, &self->options, error)
         && g_hash_table_remove (self->records, key);
}

static gboolean
front_delete_order (TallFront *front,
                    const char *customer_number,
                    const char *order_number,
                    const TallWriteOptions *options,
                    GError **error)
{
  return drop (TALL_TEST_FRONT (front), order_key (customer_number, order_number), options, error);
}

static gboolean
front_delete_customer (TallFront *front,
                       const char *number,
                       const TallWriteOptions *options,
                       GError **error)
{
  g_autoptr (GPtrArray) orders = tall_test_front_list (TALL_TEST_FRONT (front), number);
  if (orders->len > 0)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_CONFLICT, "there are %u orders", orders->len);
      return FALSE;
    }
  return drop (TALL_TEST_FRONT (front), customer_key (number), options, error);
}

static gboolean
front_put_customer (TallFront *front,
                    TallCustomer *customer,
                    const TallWriteOptions *options,
                    gint64 *revision,
                    GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  return put (TALL_TEST_FRONT (front), customer_key (customer->number),
              tall_customer_to_canonical (customer, arena), options, revision, error);
}

static TallCustomer *
front_get_customer (TallFront *front, const char *number, gint64 *revision, GError **error)
{
  g_autoptr (GBytes) bytes = get (TALL_TEST_FRONT (front), customer_key (number), revision, error);
  return bytes == NULL ? NULL : tall_customer_from_canonical (slice_of (bytes), error);
}

/**
 * tall_test_front_begin:
 *
 * Begins a call that does more than one thing, as each of the simple ones begins.
 */
gboolean
tall_test_front_begin (TallTestFront *self, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return enter (self, error);
}

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *)a, *(char *const *)b);
}

static gboolean
is_customer (const char *key)
{
  return g_str_has_suffix (key, "\n\n");
}

guint
tall_test_front_count_customers (TallTestFront *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  GHashTableIter iter;
  gpointer key;
  guint n = 0;

  g_hash_table_iter_init (&iter, self->records);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    n += is_customer (key) ? 1 : 0;
  return n;
}

guint
tall_test_front_count_orders (TallTestFront *self)
{
  guint n_customers = tall_test_front_count_customers (self);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return g_hash_table_size (self->records) - n_customers;
}

/**
 * tall_test_front_list:
 * @customer_number: (nullable): NULL: all customers
 *
 * Returns: (transfer full): the numbers of that customer's orders, or of all customers that are
 *   stored, sorted
 */
GPtrArray *
tall_test_front_list (TallTestFront *self, const char *customer_number)
{
  GPtrArray *numbers = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, self->records);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      g_auto (GStrv) parts = g_strsplit (key, "\n", 2);
      if (customer_number == NULL && is_customer (key))
        g_ptr_array_add (numbers, g_strdup (parts[0]));
      else if (!is_customer (key) && g_strcmp0 (customer_number, parts[0]) == 0)
        g_ptr_array_add (numbers, g_strdup (parts[1]));
    }
  g_ptr_array_sort (numbers, compare_texts);
  return numbers;
}

static gsize
front_measure_order (TallFront *front, gsize *indexes G_GNUC_UNUSED)
{
  TallTestFront *self = TALL_TEST_FRONT (front);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return self->measure != 0 ? self->measure : TALL_LAYOUT_USUAL_MEMORY;
}

void
tall_test_front_set_measure (TallTestFront *self, gsize measure)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  self->measure = measure;
}

static TallDescription *
front_describe (TallFront *front, GError **error)
{
  TallTestFront *self = TALL_TEST_FRONT (front);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  if (!enter (self, error))
    return NULL;
  TallDescription *description = g_new0 (TallDescription, 1);
  TallArena *arena = description->arena = tall_arena_new (0);
  description->name = tall_arena_strdup (arena, "tests");
  description->layout = tall_arena_strdup (arena, "blob");
  description->key_strategy = tall_arena_strdup (arena, "hashed");
  description->store = tall_arena_strdup (arena, "memory");
  description->format = 3;
  description->newest_format = 5;
  description->schema = 7;
  description->read_only = TRUE;
  description->version = tall_arena_strdup (arena, TALL_VERSION);
  description->has_details = TRUE;
  description->index = tall_arena_strdup (arena, "date");
  description->ttl = G_GUINT64_CONSTANT (1) << 40;
  description->regions = 12;
  description->compression = tall_arena_strdup (arena, "zstd");
  description->block_encoding = tall_arena_strdup (arena, "diff");
  description->generation = 9;
  description->phase = tall_arena_strdup (arena, "copying");
  description->next_layout = tall_arena_strdup (arena, "wide");
  description->next_key_strategy = tall_arena_strdup (arena, "numeric");
  description->next_index = tall_arena_strdup (arena, "none");
  return description;
}

static gboolean
front_ping (TallFront *front, GError **error)
{
  TallTestFront *self = TALL_TEST_FRONT (front);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return enter (self, error);
}

void
tall_test_front_fail_next (TallTestFront *self, GError *error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  g_assert_null (self->next_error);
  self->next_error = error;
}

void
tall_test_front_fail_each (TallTestFront *self, GError *error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  g_clear_error (&self->each_error);
  self->each_error = error;
}

guint
tall_test_front_count_stored (TallTestFront *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return self->n_stored;
}

guint
tall_test_front_count_calls (TallTestFront *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return self->n_calls;
}

TallWriteOptions
tall_test_front_get_options (TallTestFront *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return self->options;
}

void
tall_test_front_note_part (TallTestFront *self, const TallOrderPart *part)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  self->part = *part;
}

TallOrderPart
tall_test_front_get_part (TallTestFront *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return self->part;
}

void
tall_test_front_hold (TallTestFront *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  self->holding = TRUE;
}

void
tall_test_front_wait_until_held (TallTestFront *self, guint n_calls)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  while (self->n_held < n_calls)
    g_cond_wait (&self->changed, &self->mutex);
}

void
tall_test_front_let_go (TallTestFront *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  self->holding = FALSE;
  g_cond_broadcast (&self->changed);
}

static TallVerifyPart *
front_verify_some (TallFront *front G_GNUC_UNUSED,
                   const TallVerifyRequest *request G_GNUC_UNUSED,
                   GError **error)
{
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED, "There are no tables to verify");
  return NULL;
}

static TallErasePart *
front_erase_some (TallFront *front G_GNUC_UNUSED,
                  const TallEraseRequest *request G_GNUC_UNUSED,
                  GError **error)
{
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED, "There are no tables to erase from");
  return NULL;
}

static void
tall_test_front_finalize (GObject *object)
{
  TallTestFront *self = TALL_TEST_FRONT (object);
  g_hash_table_unref (self->records);
  g_clear_error (&self->next_error);
  g_clear_error (&self->each_error);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->changed);
  G_OBJECT_CLASS (tall_test_front_parent_class)->finalize (object);
}

static void
tall_test_front_class_init (TallTestFrontClass *klass)
{
  TallFrontClass *front_class = TALL_FRONT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = tall_test_front_finalize;
  front_class->put_order = front_put_order;
  front_class->get_order = front_get_order;
  front_class->delete_order = front_delete_order;
  front_class->patch_order = front_patch_order;
  front_class->put_customer = front_put_customer;
  front_class->get_customer = front_get_customer;
  front_class->delete_customer = front_delete_customer;
  front_class->get_orders = tall_test_front_get_orders;
  front_class->put_orders = tall_test_front_put_orders;
  front_class->list_orders = tall_test_front_list_orders;
  front_class->list_customers = tall_test_front_list_customers;
  front_class->get_customer_orders = tall_test_front_get_customer_orders;
  front_class->describe = front_describe;
  front_class->measure_order = front_measure_order;
  front_class->ping = front_ping;
  front_class->verify_some = front_verify_some;
  front_class->erase_some = front_erase_some;
  front_class->find_orders = tall_test_front_find_orders;
}

static void
tall_test_front_init (TallTestFront *self)
{
  g_mutex_init (&self->mutex);
  g_cond_init (&self->changed);
  self->records = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, record_free);
  self->revision = 1000;
}

TallFront *
tall_test_front_new (void)
{
  return g_object_new (TALL_TYPE_TEST_FRONT, NULL);
}
