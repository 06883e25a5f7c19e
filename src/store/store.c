/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/store.h"

#include "base/fail.h"
#include "store/record/tables.h"
#include "store/read/fetch.h"
#include "store/follow.h"
#include "store/front.h"
#include "tall-limits.h"
#include "store/read/index.h"
#include "store/read/list.h"
#include "store/bulk/loads.h"
#include "store/bulk/bulk.h"
#include "store/verify/verify.h"
#include "store/commit/put.h"

#define OPEN_TIME (60 * G_USEC_PER_SEC) /* to create or open a deployment */
#define USUAL_TIME (10 * G_USEC_PER_SEC)

struct _TallStore
{
  TallFront parent_instance;

  TallFollower *follower; /* owned */
  TallLoadRevisions revisions;
};

G_DEFINE_FINAL_TYPE (TallStore, tall_store, TALL_TYPE_FRONT)

static const TallWriteOptions no_options = { 0 };

/* What an operation that begins now works with, for as long as it lasts. */
static const TallStoreContext *
get_context (TallFront *front)
{
  return tall_follower_get_context (TALL_STORE (front)->follower);
}

static gboolean
check_writable (TallFront *front, GError **error)
{
  return tall_follower_check_writable (TALL_STORE (front)->follower, error);
}

/* Puts before an error what was done to which order, or without @order to which customer. */
static void
prefix_error (const char *doing, const char *customer, const char *order, GError **error)
{
  if (order != NULL)
    g_prefix_error (error, "%s order %s of %s: ", doing, order, customer);
  else
    g_prefix_error (error, "%s customer %s: ", doing, customer);
}

static gboolean
put (TallFront *front,
     TallRecord record,
     const TallWriteOptions *options,
     gint64 *revision,
     GError **error)
{
  const char *customer_number = tall_record_get_customer_number (&record);
  const char *order_number = tall_record_get_order_number (&record);
  g_auto (TallOperation) operation = { 0 };
  g_auto (TallContent) content = { 0 };

  if (options == NULL)
    options = &no_options;
  if (check_writable (front, error) && tall_content_init (&content, record, error))
    {
      tall_operation_init (&operation, get_context (front), customer_number, order_number,
                           options->timeout);
      if (tall_put (&operation, &content, options, revision, error))
        return TRUE;
    }
  prefix_error ("Storing", customer_number, order_number, error);
  return FALSE;
}

static gboolean
tall_store_put_order (TallFront *front,
                      TallOrder *order,
                      const TallWriteOptions *options,
                      gint64 *revision,
                      GError **error)
{
  return put (front, tall_record_of_order (order), options, revision, error);
}

static gpointer
fetch (TallOperation *operation, gint64 *revision, GError **error)
{
  if (!tall_operation_identify (operation, FALSE, error))
    return NULL;
  return operation->order_number != NULL
             ? (gpointer)tall_fetch_order (operation, revision, error)
             : (gpointer)tall_fetch_customer (operation, revision, error);
}

/* An order, or without @order_number a customer. */
static gpointer
get (TallFront *front,
     const char *customer_number,
     const char *order_number,
     gint64 *revision,
     GError **error)
{
  g_auto (TallOperation) operation = { 0 };
  gint64 unasked;
  gpointer found = NULL;
  GError *cause = NULL;

  tall_operation_init (&operation, get_context (front), customer_number, order_number, 0);
  while (tall_follow (&operation, &cause))
    found = fetch (&operation, revision != NULL ? revision : &unasked, &cause);
  if (cause == NULL)
    return found;
  prefix_error ("Fetching", customer_number, order_number, &cause);
  g_propagate_error (error, cause);
  return NULL;
}

static TallOrder *
tall_store_get_order (TallFront *front,
                      const char *customer_number,
                      const char *order_number,
                      gint64 *revision,
                      GError **error)
{
  return get (front, customer_number, order_number, revision, error);
}

static gboolean delete (TallFront *front,
                        const char *customer_number,
                        const char *order_number,
                        const TallWriteOptions *options,
                        GError **error)
{
  g_auto (TallOperation) operation = { 0 };

  if (options == NULL)
    options = &no_options;
  tall_operation_init (&operation, get_context (front), customer_number, order_number,
                       options->timeout);
  if (check_writable (front, error) && tall_delete (&operation, options, error))
    return TRUE;
  prefix_error ("Deleting", customer_number, order_number, error);
  return FALSE;
}

static gboolean
tall_store_patch_order (TallFront *front,
                        const char *customer_number,
                        const char *order_number,
                        const char *const *changes,
                        guint n,
                        const TallWriteOptions *options,
                        gint64 *revision,
                        GError **error)
{
  g_auto (TallOperation) operation = { 0 };

  if (options == NULL)
    options = &no_options;
  tall_operation_init (&operation, get_context (front), customer_number, order_number,
                       options->timeout);
  if (check_writable (front, error)
      && tall_patch (&operation, changes, n, options, revision, error))
    return TRUE;
  prefix_error ("Patching", customer_number, order_number, error);
  return FALSE;
}

static gboolean
tall_store_delete_order (TallFront *front,
                         const char *customer_number,
                         const char *order_number,
                         const TallWriteOptions *options,
                         GError **error)
{
  return delete (front, customer_number, order_number, options, error);
}

static gboolean
tall_store_put_customer (TallFront *front,
                         TallCustomer *customer,
                         const TallWriteOptions *options,
                         gint64 *revision,
                         GError **error)
{
  return put (front, tall_record_of_customer (customer), options, revision, error);
}

static TallCustomer *
tall_store_get_customer (TallFront *front, const char *number, gint64 *revision, GError **error)
{
  return get (front, number, NULL, revision, error);
}

static gboolean
tall_store_get_orders (TallFront *front,
                       const TallOrderId *ids,
                       guint n,
                       const TallOrderPart *part,
                       TallOutcome *outcomes,
                       GError **error)
{
  return tall_get_many (get_context (front), ids, n, part, outcomes, error);
}

static gboolean
tall_store_put_orders (TallFront *front,
                       TallOrder *const *orders,
                       const TallWriteOptions *options,
                       guint n,
                       TallOutcome *outcomes,
                       GError **error)
{
  if (check_writable (front, error)
      && tall_put_many (get_context (front), orders, options, n, outcomes, error))
    return TRUE;
  g_prefix_error (error, "Storing %u orders: ", n);
  return FALSE;
}

/* Finds out where a customer's rows are, for a listing. A customer without an id is not an error:
 * nothing of it is stored then. */
static gboolean
identify_customer (TallOperation *operation, GError **error)
{
  g_autoptr (GError) cause = NULL;
  if (tall_operation_identify (operation, FALSE, &cause)
      || g_error_matches (cause, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

static TallOrderList *
tall_store_list_orders (TallFront *front,
                        const char *customer_number,
                        const TallListOptions *options,
                        GError **error)
{
  g_auto (TallOperation) operation = { 0 };
  TallOrderList *page = NULL;
  GError *cause = NULL;

  tall_operation_init (&operation, get_context (front), customer_number, NULL, 0);
  while (tall_follow (&operation, &cause))
    if (identify_customer (&operation, &cause))
      page = tall_list_orders (&operation, options, &cause);
  if (cause != NULL)
    g_propagate_prefixed_error (error, cause, "Listing the orders of %s: ", customer_number);
  return page;
}

static gboolean
tall_store_delete_customer (TallFront *front,
                            const char *number,
                            const TallWriteOptions *options,
                            GError **error)
{
  return delete (front, number, NULL, options, error);
}

static TallCustomerList *
tall_store_list_customers (TallFront *front, const TallListOptions *options, GError **error)
{
  g_auto (TallOperation) operation = { 0 };
  TallCustomerList *page = NULL;
  GError *cause = NULL;

  tall_operation_init (&operation, get_context (front), NULL, NULL, 0);
  while (tall_follow (&operation, &cause))
    page = tall_list_customers (&operation, options, &cause);
  if (cause != NULL)
    g_propagate_prefixed_error (error, cause, "Listing the customers: ");
  return page;
}

static TallCustomerOrders *
tall_store_get_customer_orders (TallFront *front,
                                const char *number,
                                const TallListOptions *options,
                                GError **error)
{
  g_auto (TallOperation) operation = { 0 };
  TallCustomerOrders *page = NULL;
  GError *cause = NULL;

  tall_operation_init (&operation, get_context (front), number, NULL, 0);
  while (tall_follow (&operation, &cause))
    page = tall_list_customer_orders (&operation, options, &cause);
  if (cause != NULL)
    g_propagate_prefixed_error (error, cause, "Fetching customer %s with orders: ", number);
  return page;
}

static TallFound *
tall_store_find_orders (TallFront *front, const TallFindOptions *options, GError **error)
{
  g_auto (TallOperation) operation = { 0 };
  TallFound *page = NULL;
  GError *cause = NULL;

  tall_operation_init (&operation, get_context (front), NULL, NULL, 0);
  while (tall_follow (&operation, &cause))
    page = tall_find_orders (&operation, options, &cause);
  if (cause != NULL)
    g_propagate_prefixed_error (error, cause, "Finding orders: ");
  return page;
}

static TallDeployment *
read_record (TallFront *front, GError **error)
{
  return tall_follower_read_record (TALL_STORE (front)->follower,
                                    g_get_monotonic_time () + USUAL_TIME, error);
}

static TallDescription *
tall_store_describe (TallFront *front, GError **error)
{
  g_autoptr (TallDeployment) deployment = read_record (front, error);
  if (deployment == NULL)
    return NULL;

  return tall_describe (get_context (front)->table, deployment);
}

/* What a write needs beside its order: what it replaces, and entries of 10,000 lines. */
#define REPLACED_MEMORY (7 * 1024 * 1024)
#define ENTRIES_MEMORY (6 * 1024 * 1024)

static gsize
tall_store_measure_order (TallFront *front, gsize *indexes)
{
  const TallStoreContext *context = get_context (front);
  *indexes = context->of_numbers ? 0 : REPLACED_MEMORY;
  for (guint i = 0; i < context->indexes->len; i++)
    if (tall_template_is_of_lines (
            ((const TallIndex *)g_ptr_array_index (context->indexes, i))->template))
      *indexes += ENTRIES_MEMORY;
  return context->layout->most_memory + *indexes;
}

static gboolean
tall_store_ping (TallFront *front, GError **error)
{
  g_autoptr (TallDeployment) deployment = read_record (front, error);
  return deployment != NULL;
}

static TallVerifyPart *
tall_store_verify_some (TallFront *front, const TallVerifyRequest *request, GError **error)
{
  if (request->repair && !check_writable (front, error))
    return NULL;
  const TallStoreContext *context = get_context (front);
  GError *cause = NULL;
  TallVerifyPart *part = tall_verify_part (context, request, &cause);
  if (part != NULL)
    return part;
  tall_follow_end (context, &cause);
  g_propagate_prefixed_error (error, cause, "Verifying: ");
  return NULL;
}

static gboolean
tall_store_verify (TallFront *front,
                   const TallVerifyOptions *options,
                   TallVerifySummary *summary,
                   GError **error)
{
  return tall_verify_run (front, &get_context (front)->hooks, options, summary, error);
}

static TallErasePart *
tall_store_erase_some (TallFront *front, const TallEraseRequest *request, GError **error)
{
  g_autoptr (GError) cause = NULL;
  TallErasePart *part = NULL;
  if (check_writable (front, &cause))
    part = tall_erase_part (get_context (front), request, &cause);
  if (part != NULL)
    return part;
  tall_follow_end (get_context (front), &cause);
  g_propagate_prefixed_error (error, g_steal_pointer (&cause),
                              "Erasing customer %s: ", request->customer_number);
  return NULL;
}

/* The revisions of loads are not times, and a table with a TTL would drop their cells at once. */
static TallBulk *
tall_store_begin_bulk (TallFront *front, const TallBulkOptions *options, GError **error)
{
  if (!check_writable (front, error))
    {
      g_prefix_error (error, "Beginning a load: ");
      return NULL;
    }
  if (get_context (front)->ttl != 0)
    return tall_front_bulk_new (front, options);
  return tall_store_bulk_new (front, TALL_STORE (front)->follower, &TALL_STORE (front)->revisions,
                              options);
}

static void
tall_store_finalize (GObject *object)
{
  TallStore *self = TALL_STORE (object);
  g_clear_pointer (&self->follower, tall_follower_free);
  tall_load_revisions_clear (&self->revisions);
  G_OBJECT_CLASS (tall_store_parent_class)->finalize (object);
}

static void
tall_store_class_init (TallStoreClass *klass)
{
  TallFrontClass *front = TALL_FRONT_CLASS (klass);
  front->put_order = tall_store_put_order;
  front->get_order = tall_store_get_order;
  front->delete_order = tall_store_delete_order;
  front->patch_order = tall_store_patch_order;
  front->put_customer = tall_store_put_customer;
  front->get_customer = tall_store_get_customer;
  front->get_orders = tall_store_get_orders;
  front->put_orders = tall_store_put_orders;
  front->delete_customer = tall_store_delete_customer;
  front->list_orders = tall_store_list_orders;
  front->list_customers = tall_store_list_customers;
  front->get_customer_orders = tall_store_get_customer_orders;
  front->find_orders = tall_store_find_orders;
  front->describe = tall_store_describe;
  front->ping = tall_store_ping;
  front->verify_some = tall_store_verify_some;
  front->verify = tall_store_verify;
  front->erase_some = tall_store_erase_some;
  front->measure_order = tall_store_measure_order;
  front->begin_bulk = tall_store_begin_bulk;
  G_OBJECT_CLASS (klass)->finalize = tall_store_finalize;
}

static void
tall_store_init (TallStore *self)
{
  tall_load_revisions_init (&self->revisions);
}

/**
 * tall_store_create:
 * @table: an open store, in which there is no deployment yet
 * @settings: what the deployment is, until a migration changes it
 *
 * Creates the tables and the deployment record. If it fails half-way, or the process dies, it is
 * to be called again.
 *
 * Returns: FALSE with %TALL_ERROR_CONFLICT if the deployment exists
 */
gboolean
tall_store_create (TallTable *table, const TallStoreSettings *settings, GError **error)
{
  g_return_val_if_fail (TALL_IS_TABLE (table), FALSE);
  g_return_val_if_fail (settings->layout != NULL && settings->key_strategy != NULL, FALSE);

  return tall_deployment_create (table, settings, g_get_monotonic_time () + OPEN_TIME, error);
}

static gboolean
check_setting (const char *what, const char *wanted, const char *recorded, GError **error)
{
  if (wanted == NULL || g_str_equal (wanted, recorded))
    return TRUE;
  return tall_error_fail_conflict (error, 0,
                                   "This deployment was made with %s %s, not %s; leave the option "
                                   "out, or choose another deployment",
                                   what, recorded, wanted);
}

/**
 * tall_store_open:
 * @table: (transfer none): where the deployment is
 * @layout: (nullable): the name of the layout that it must have
 * @key_strategy: (nullable): the name of the key strategy that it must have
 * @hooks: (nullable): time and chance, for tests; copied
 *
 * Returns: (transfer full): the store, which keeps a reference to @table; NULL with
 *   %TALL_ERROR_NOT_FOUND if there is no deployment, %TALL_ERROR_CONFLICT if it has other
 *   settings, %TALL_ERROR_NEWER_VERSION if its format is newer than ours
 */
TallStore *
tall_store_open (TallTable *table,
                 const char *layout,
                 const char *key_strategy,
                 const TallStoreHooks *hooks,
                 GError **error)
{
  g_return_val_if_fail (TALL_IS_TABLE (table), NULL);

  g_autoptr (TallDeployment) deployment =
      tall_deployment_read (table, g_get_monotonic_time () + OPEN_TIME, error);
  if (deployment == NULL || !check_setting ("layout", layout, deployment->layout, error)
      || !check_setting ("key strategy", key_strategy, deployment->key_strategy, error))
    return NULL;
  TallFollower *follower = tall_follower_new (table, deployment, hooks, error);
  if (follower == NULL)
    return NULL;
  TallStore *self = g_object_new (TALL_TYPE_STORE, NULL);
  self->follower = follower;
  tall_follower_watch (follower);
  return self;
}

/**
 * tall_store_find_id:
 * @id: (out): the substituted id of a customer, with which its row keys are made; 0 if the key
 *   strategy needs none
 *
 * Returns: FALSE with %TALL_ERROR_NOT_FOUND if the customer has none, or with what the table says
 */
gboolean
tall_store_find_id (TallStore *self, const char *customer_number, guint64 *id, GError **error)
{
  g_return_val_if_fail (TALL_IS_STORE (self), FALSE);

  g_auto (TallOperation) operation = { 0 };
  GError *cause = NULL;

  *id = 0;
  tall_operation_init (&operation, get_context (TALL_FRONT (self)), customer_number, NULL, 0);
  while (tall_follow (&operation, &cause))
    if (tall_operation_identify (&operation, FALSE, &cause))
      *id = operation.customer_id;
  if (cause == NULL)
    return TRUE;
  if (g_error_matches (cause, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    g_set_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND,
                 "Customer %s has no id: nothing of it was ever stored", customer_number);
  else
    g_propagate_error (error, g_steal_pointer (&cause));
  g_clear_error (&cause);
  return FALSE;
}

/**
 * tall_store_list_loads:
 *
 * Returns: (transfer full): of #TallUnfinishedLoad, the oldest first; NULL with what the table says
 */
GPtrArray *
tall_store_list_loads (TallStore *self, GError **error)
{
  g_return_val_if_fail (TALL_IS_STORE (self), NULL);
  return tall_loads_list (get_context (TALL_FRONT (self)), error);
}

/**
 * tall_store_get_table:
 *
 * Returns: (transfer none): where the deployment is; holds the tables of all generations
 */
TallTable *
tall_store_get_table (TallStore *self)
{
  g_return_val_if_fail (TALL_IS_STORE (self), NULL);
  return tall_follower_get_table (self->follower);
}

/**
 * tall_store_list_hints:
 * @key: of the order
 *
 * Returns: (transfer full) (element-type TallHint): the rows by which an order of that content is
 *   found, entries first
 */
GArray *
tall_store_list_hints (TallStore *self, const TallOrderKey *key, const TallOrder *order)
{
  g_return_val_if_fail (TALL_IS_STORE (self), NULL);
  return tall_index_list (get_context (TALL_FRONT (self)), key, order);
}

/**
 * tall_store_get_counting:
 *
 * Returns: (transfer none): the tables that count, under their short names
 */
TallTable *
tall_store_get_counting (TallStore *self)
{
  g_return_val_if_fail (TALL_IS_STORE (self), NULL);
  return get_context (TALL_FRONT (self))->table;
}

const TallLayout *
tall_store_get_layout (TallStore *self)
{
  g_return_val_if_fail (TALL_IS_STORE (self), NULL);
  return get_context (TALL_FRONT (self))->layout;
}

const TallKeyStrategy *
tall_store_get_key_strategy (TallStore *self)
{
  g_return_val_if_fail (TALL_IS_STORE (self), NULL);
  return get_context (TALL_FRONT (self))->key_strategy;
}
