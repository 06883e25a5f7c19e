/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/front.h"

#include "base/fail.h"
#include "base/slots.h"
#include "base/workers.h"
#include "layout/layout.h"
#include "tall-front.h"

/* How many orders go into one call, so that it takes about this time: a server has others to serve,
 * and what is under way when a load is stopped takes no longer. Microseconds. */
#define FIRST_CALL 64
#define USUAL_CALL (G_USEC_PER_SEC / 2)

struct _TallFrontBulk
{
  TallBulk parent_instance;

  TallFront *front; /* owned */
  TallBulkExisting on_existing;
  gint call; /* atomic: orders in one call */
};

G_DEFINE_FINAL_TYPE (TallFrontBulk, tall_front_bulk, TALL_TYPE_BULK)

/* The orders of one call. */
typedef struct
{
  TallFrontBulk *bulk;
  TallOrder *const *orders;
  TallBulkResult *results;
  guint n;

  GArray *chosen;        /* of guint: those that are put or got now, by position */
  GPtrArray *put;        /* of TallOrder: the same */
  TallOutcome *outcomes; /* n of them: of those */
} Call;

static void
call_init (Call *self, TallFrontBulk *bulk)
{
  self->bulk = bulk;
  self->chosen = g_array_new (FALSE, FALSE, sizeof (guint));
  self->put = g_ptr_array_new ();
  self->outcomes = g_new0 (TallOutcome, self->n);
}

static void
call_reset (Call *self)
{
  for (guint i = 0; i < self->chosen->len; i++)
    tall_outcome_clear (&self->outcomes[i]);
  memset (self->outcomes, 0, self->n * sizeof *self->outcomes);
  g_array_set_size (self->chosen, 0);
  g_ptr_array_set_size (self->put, 0);
}

static void
call_clear (Call *self)
{
  call_reset (self);
  g_array_unref (self->chosen);
  g_ptr_array_unref (self->put);
  g_free (self->outcomes);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Call, call_clear)

static void
call_choose (Call *self, guint i)
{
  g_array_append_val (self->chosen, i);
  g_ptr_array_add (self->put, self->orders[i]);
}

static TallBulkResult *
call_get_result (const Call *self, guint chosen)
{
  return &self->results[g_array_index (self->chosen, guint, chosen)];
}

/* Puts those that are chosen. What fails altogether fails for each. */
static void
call_put (Call *self, const TallWriteOptions *options)
{
  g_autoptr (GError) error = NULL;
  if (tall_front_put_orders (self->bulk->front, (TallOrder *const *)self->put->pdata, options,
                             self->put->len, self->outcomes, &error))
    return;
  for (guint i = 0; i < self->put->len; i++)
    {
      tall_outcome_clear (&self->outcomes[i]);
      self->outcomes[i].error = g_error_copy (error);
    }
}

static void
call_get (Call *self)
{
  g_autoptr (GError) error = NULL;
  g_autofree TallOrderId *ids = g_new0 (TallOrderId, self->put->len);
  for (guint i = 0; i < self->put->len; i++)
    {
      const TallOrder *order = g_ptr_array_index (self->put, i);
      ids[i] = (TallOrderId){ order->customer_number, order->order_number };
    }
  if (tall_front_get_orders (self->bulk->front, ids, self->put->len, self->outcomes, &error))
    return;
  for (guint i = 0; i < self->put->len; i++)
    self->outcomes[i].error = g_error_copy (error);
}

/* @error: (inout): is taken */
static void
refuse (TallBulkResult *result, GError **error)
{
  *result = (TallBulkResult){ .outcome = TALL_BULK_REFUSED, .error = g_steal_pointer (error) };
}

/* It is there, and gone again when it is looked at. */
static void
overtake (const char *what, TallBulkResult *result)
{
  result->outcome = TALL_BULK_OVERTAKEN;
  tall_error_set_conflict (
      &result->error, 0,
      "Storing %s: somebody else has written it at the same time; theirs is left", what);
}

/* What is done with one that exists with another content. Returns: whether it is to be replaced */
static gboolean
decide (const TallFrontBulk *self, const char *what, gint64 revision, TallBulkResult *result)
{
  result->revision = revision;
  result->outcome = TALL_BULK_SKIPPED;
  if (self->on_existing == TALL_BULK_REPORT)
    {
      result->outcome = TALL_BULK_REFUSED;
      tall_error_set_conflict (
          &result->error, revision,
          "Storing %s: another content is stored, of revision %" G_GINT64_FORMAT "; it is left",
          what, revision);
    }
  return self->on_existing == TALL_BULK_REPLACE;
}

static char *
describe_order (const TallOrder *order)
{
  return g_strdup_printf ("order %s of %s", order->order_number, order->customer_number);
}

/* What is stored of an order that is not new; @got: it. Returns: whether it is to be replaced */
static gboolean
compare_order (Call *self, TallOrder *order, TallOutcome *got, TallBulkResult *result)
{
  g_autofree char *what = describe_order (order);
  if (g_error_matches (got->error, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    overtake (what, result);
  else if (got->error != NULL)
    refuse (result, &got->error);
  else if (tall_order_equal (got->order, order))
    *result = (TallBulkResult){ .outcome = TALL_BULK_UNCHANGED, .revision = got->revision };
  else
    return decide (self->bulk, what, got->revision, result);
  return FALSE;
}

/* Puts all on condition that they are new. Returns: positions of those that are not */
static GArray *
put_new (Call *self)
{
  GArray *existing = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree TallWriteOptions *options = g_new0 (TallWriteOptions, self->n);
  for (guint i = 0; i < self->n; i++)
    {
      options[i].condition = TALL_IF_ABSENT;
      call_choose (self, i);
    }
  call_put (self, options);
  for (guint i = 0; i < self->n; i++)
    if (g_error_matches (self->outcomes[i].error, TALL_ERROR, TALL_ERROR_CONFLICT))
      g_array_append_val (existing, i);
    else if (self->outcomes[i].error != NULL)
      refuse (&self->results[i], &self->outcomes[i].error);
    else
      self->results[i].revision = self->outcomes[i].revision;
  call_reset (self);
  return existing;
}

/* Looks at those that exist. Returns: positions of those that are to be replaced */
static GArray *
compare (Call *self, const GArray *existing)
{
  GArray *replaced = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < existing->len; i++)
    call_choose (self, g_array_index (existing, guint, i));
  if (existing->len > 0)
    call_get (self);
  for (guint i = 0; i < existing->len; i++)
    if (compare_order (self, g_ptr_array_index (self->put, i), &self->outcomes[i],
                       call_get_result (self, i)))
      g_array_append_val (replaced, g_array_index (existing, guint, i));
  call_reset (self);
  return replaced;
}

static void
replace (Call *self, const GArray *replaced)
{
  for (guint i = 0; i < replaced->len; i++)
    call_choose (self, g_array_index (replaced, guint, i));
  if (replaced->len > 0)
    call_put (self, NULL);
  for (guint i = 0; i < replaced->len; i++)
    {
      TallBulkResult *result = call_get_result (self, i);
      *result =
          (TallBulkResult){ .outcome = TALL_BULK_REPLACED, .revision = self->outcomes[i].revision };
      if (self->outcomes[i].error != NULL)
        refuse (result, &self->outcomes[i].error);
    }
}

/* Puts orders on condition that they are new, gets those that are not, and replaces what is to be.
 */
static void
run_call (TallFrontBulk *self, TallOrder *const *orders, guint n, TallBulkResult *results)
{
  g_auto (Call) call = { .orders = orders, .results = results, .n = n };
  call_init (&call, self);
  g_autoptr (GArray) existing = put_new (&call);
  g_autoptr (GArray) replaced = compare (&call, existing);
  replace (&call, replaced);
}

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
      run_call (self, orders + done, now, results + done);
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
    overtake (what, result);
  else if (error != NULL)
    refuse (result, &error);
  else if (tall_customer_equal (stored, customer))
    *result = (TallBulkResult){ .outcome = TALL_BULK_UNCHANGED, .revision = revision };
  else
    return decide (self, what, revision, result);
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
    refuse (result, &error);
  else if (compare_customer (self->bulk, customer, result))
    {
      g_clear_error (&error);
      result->outcome = TALL_BULK_REPLACED;
      if (!tall_front_put_customer (self->bulk->front, customer, NULL, &result->revision, &error))
        refuse (result, &error);
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

G_DEFINE_ABSTRACT_TYPE (TallFront, tall_front, G_TYPE_OBJECT)

/* Every implementation passes here once for each object. */
static void
tall_front_constructed (GObject *object)
{
  static const TallSlot slots[] = {
    TALL_SLOT (TallFrontClass, put_order),       TALL_SLOT (TallFrontClass, get_order),
    TALL_SLOT (TallFrontClass, delete_order),    TALL_SLOT (TallFrontClass, patch_order),
    TALL_SLOT (TallFrontClass, put_customer),    TALL_SLOT (TallFrontClass, get_customer),
    TALL_SLOT (TallFrontClass, delete_customer), TALL_SLOT (TallFrontClass, get_orders),
    TALL_SLOT (TallFrontClass, put_orders),      TALL_SLOT (TallFrontClass, list_orders),
    TALL_SLOT (TallFrontClass, list_customers),  TALL_SLOT (TallFrontClass, get_customer_orders),
    TALL_SLOT (TallFrontClass, describe),        TALL_SLOT (TallFrontClass, ping),
    TALL_SLOT (TallFrontClass, verify_some),
  };
  tall_slots_check (G_OBJECT_TYPE_NAME (object), "TallFrontClass", TALL_FRONT_GET_CLASS (object),
                    slots, G_N_ELEMENTS (slots));

  G_OBJECT_CLASS (tall_front_parent_class)->constructed (object);
}

static void
tall_front_class_init (TallFrontClass *klass)
{
  G_OBJECT_CLASS (klass)->constructed = tall_front_constructed;
}

static void
tall_front_init (TallFront *self G_GNUC_UNUSED)
{
}

gboolean
tall_front_put_order (TallFront *self,
                      TallOrder *order,
                      const TallWriteOptions *options,
                      gint64 *revision,
                      GError **error)
{
  g_return_val_if_fail (TALL_IS_FRONT (self), FALSE);

  if (!tall_order_normalize (order, error))
    return FALSE;
  return TALL_FRONT_GET_CLASS (self)->put_order (self, order, options, revision, error);
}

TallOrder *
tall_front_get_order (TallFront *self,
                      const char *customer_number,
                      const char *order_number,
                      gint64 *revision,
                      GError **error)
{
  g_return_val_if_fail (TALL_IS_FRONT (self), NULL);

  if (!tall_validate_number (customer_number, "customer_number", error)
      || !tall_validate_number (order_number, "order_number", error))
    return NULL;
  return TALL_FRONT_GET_CLASS (self)->get_order (self, customer_number, order_number, revision,
                                                 error);
}

gboolean
tall_front_delete_order (TallFront *self,
                         const char *customer_number,
                         const char *order_number,
                         const TallWriteOptions *options,
                         GError **error)
{
  g_return_val_if_fail (TALL_IS_FRONT (self), FALSE);

  if (!tall_validate_number (customer_number, "customer_number", error)
      || !tall_validate_number (order_number, "order_number", error))
    return FALSE;
  return TALL_FRONT_GET_CLASS (self)->delete_order (self, customer_number, order_number, options,
                                                    error);
}

/* A token alone does not say which commits to look at for an earlier call of the same patch. */
static gboolean
check_base (const TallWriteOptions *options, GError **error)
{
  gboolean takes_base =
      options != NULL && options->has_token && options->condition != TALL_IF_REVISION;
  if (options == NULL || (options->base > 0) == takes_base)
    return TRUE;
  return tall_error_fail_invalid (error, "base_revision",
                                  "base_revision: a patch with a token, and without a revision to "
                                  "expect, needs it, and no other patch takes it");
}

/**
 * tall_front_patch_order:
 * @changes: @n of them, %TALL_PATCH_MAX_CHANGES at most
 * @options: (nullable):
 * @revision: (optional) (out): that is stored now
 */
gboolean
tall_front_patch_order (TallFront *self,
                        const char *customer_number,
                        const char *order_number,
                        const char *const *changes,
                        guint n,
                        const TallWriteOptions *options,
                        gint64 *revision,
                        GError **error)
{
  g_return_val_if_fail (TALL_IS_FRONT (self), FALSE);

  if (!tall_validate_number (customer_number, "customer_number", error)
      || !tall_validate_number (order_number, "order_number", error)
      || !tall_patch_check (changes, n, error) || !check_base (options, error))
    return FALSE;
  return TALL_FRONT_GET_CLASS (self)->patch_order (self, customer_number, order_number, changes, n,
                                                   options, revision, error);
}

gboolean
tall_front_put_customer (TallFront *self,
                         TallCustomer *customer,
                         const TallWriteOptions *options,
                         gint64 *revision,
                         GError **error)
{
  g_return_val_if_fail (TALL_IS_FRONT (self), FALSE);

  if (!tall_customer_normalize (customer, error))
    return FALSE;
  return TALL_FRONT_GET_CLASS (self)->put_customer (self, customer, options, revision, error);
}

TallCustomer *
tall_front_get_customer (TallFront *self, const char *number, gint64 *revision, GError **error)
{
  g_return_val_if_fail (TALL_IS_FRONT (self), NULL);

  if (!tall_validate_number (number, "customer_number", error))
    return NULL;
  return TALL_FRONT_GET_CLASS (self)->get_customer (self, number, revision, error);
}

gboolean
tall_front_delete_customer (TallFront *self,
                            const char *number,
                            const TallWriteOptions *options,
                            GError **error)
{
  g_return_val_if_fail (TALL_IS_FRONT (self), FALSE);

  if (!tall_validate_number (number, "customer_number", error))
    return FALSE;
  return TALL_FRONT_GET_CLASS (self)->delete_customer (self, number, options, error);
}

static gboolean
check_many (guint n, GError **error)
{
  if (n <= TALL_MAX_MANY)
    return TRUE;
  return tall_error_fail (error, TALL_ERROR_TOO_LARGE,
                          "%u orders in one call: at most %d are taken; make several calls", n,
                          TALL_MAX_MANY);
}

static gboolean
check_part (const TallOrderPart *part, GError **error)
{
  gboolean is_kind = part->kind <= TALL_PART_LOCATION;
  if (is_kind && (part->kind != TALL_PART_LOCATION || part->location > 0))
    return TRUE;
  if (!is_kind)
    tall_error_set_invalid (error, "part.kind", "part.kind: %d is not a part of an order",
                            (int)part->kind);
  else
    tall_error_set_invalid (error, "part.location",
                            "part.location: locations are numbered from 1, and this is %d",
                            part->location);
  return FALSE;
}

/**
 * tall_front_get_parts:
 * @ids: @n of them, %TALL_MAX_MANY at most; a wrong number is an error of its own outcome
 * @part: what is wanted of each; %TALL_ERROR_NOT_FOUND for those that have no such location
 *
 * What goes beyond %TALL_MAX_MANY_BYTES together is %TALL_ERROR_TOO_LARGE for the orders after it.
 * The digest covers whole orders: where a part is read by itself, nothing proves that the store has
 * lost nothing of it. A part is not an order: to store it as one would lose the rest.
 */
gboolean
tall_front_get_parts (TallFront *self,
                      const TallOrderId *ids,
                      guint n,
                      const TallOrderPart *part,
                      TallOutcome *outcomes,
                      GError **error)
{
  g_return_val_if_fail (TALL_IS_FRONT (self), FALSE);

  return check_many (n, error) && check_part (part, error)
         && TALL_FRONT_GET_CLASS (self)->get_orders (self, ids, n, part, outcomes, error);
}

/**
 * tall_front_get_orders:
 *
 * The same of whole orders.
 */
gboolean
tall_front_get_orders (
    TallFront *self, const TallOrderId *ids, guint n, TallOutcome *outcomes, GError **error)
{
  static const TallOrderPart whole = { .kind = TALL_PART_WHOLE };
  return tall_front_get_parts (self, ids, n, &whole, outcomes, error);
}

/**
 * tall_front_put_orders:
 * @orders: @n of them, %TALL_MAX_MANY at most, and %TALL_MAX_MANY_BYTES together in canonical form;
 *   a wrong one is an error of its own outcome
 */
gboolean
tall_front_put_orders (TallFront *self,
                       TallOrder *const *orders,
                       const TallWriteOptions *options,
                       guint n,
                       TallOutcome *outcomes,
                       GError **error)
{
  g_return_val_if_fail (TALL_IS_FRONT (self), FALSE);

  return check_many (n, error)
         && TALL_FRONT_GET_CLASS (self)->put_orders (self, orders, options, n, outcomes, error);
}

static gboolean
check_limit (guint limit, GError **error)
{
  if (limit <= TALL_MAX_PAGE)
    return TRUE;
  return tall_error_fail_invalid (error, "limit",
                                  "A page of %u entries: at most %d are given at once", limit,
                                  TALL_MAX_PAGE);
}

static gboolean
validate_listing (const TallListOptions *options, gboolean by_date, GError **error)
{
  if (options == NULL)
    return TRUE;

  if (!check_limit (options->limit, error))
    return FALSE;
  if (!by_date && (options->has_from || options->has_to))
    return tall_error_fail_invalid (error, options->has_from ? "from" : "to",
                                    "This listing is not by date: leave the dates out");
  if (options->has_from && options->has_to && options->from >= options->to)
    return tall_error_fail_invalid (error, "to",
                                    "The range of dates is empty or the wrong way round: “to” is "
                                    "the first date no longer wanted and must be after “from”");
  return TRUE;
}

TallOrderList *
tall_front_list_orders (TallFront *self,
                        const char *customer_number,
                        const TallListOptions *options,
                        GError **error)
{
  g_return_val_if_fail (TALL_IS_FRONT (self), NULL);

  if (!tall_validate_number (customer_number, "customer_number", error)
      || !validate_listing (options, TRUE, error))
    return NULL;
  return TALL_FRONT_GET_CLASS (self)->list_orders (self, customer_number, options, error);
}

TallCustomerList *
tall_front_list_customers (TallFront *self, const TallListOptions *options, GError **error)
{
  g_return_val_if_fail (TALL_IS_FRONT (self), NULL);

  if (!validate_listing (options, FALSE, error))
    return NULL;
  return TALL_FRONT_GET_CLASS (self)->list_customers (self, options, error);
}

TallCustomerOrders *
tall_front_get_customer_orders (TallFront *self,
                                const char *number,
                                const TallListOptions *options,
                                GError **error)
{
  g_return_val_if_fail (TALL_IS_FRONT (self), NULL);

  if (!tall_validate_number (number, "customer_number", error)
      || !validate_listing (options, FALSE, error))
    return NULL;
  return TALL_FRONT_GET_CLASS (self)->get_customer_orders (self, number, options, error);
}

/**
 * tall_front_find_orders:
 *
 * Finds orders by an index of the deployment, one page of them.
 */
TallFound *
tall_front_find_orders (TallFront *self, const TallFindOptions *options, GError **error)
{
  g_return_val_if_fail (TALL_IS_FRONT (self), NULL);

  TallFrontClass *klass = TALL_FRONT_GET_CLASS (self);
  if (!check_limit (options->limit, error) || !check_part (&options->part, error))
    return NULL;
  if (klass->find_orders != NULL)
    return klass->find_orders (self, options, error);
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
               "Finding orders: this store has no indexes to find them by");
  return NULL;
}

TallDescription *
tall_front_describe (TallFront *self, GError **error)
{
  g_return_val_if_fail (TALL_IS_FRONT (self), NULL);

  return TALL_FRONT_GET_CLASS (self)->describe (self, error);
}

/**
 * tall_front_measure_order:
 * @indexes: (optional) (out): how many of them only writes take, as there are indexes
 *
 * Returns: bytes that any call on one order takes at most while it runs, its order included
 */
gsize
tall_front_measure_order (TallFront *self, gsize *indexes)
{
  gsize unasked;
  g_return_val_if_fail (TALL_IS_FRONT (self), 0);

  gsize (*measure) (TallFront *, gsize *) = TALL_FRONT_GET_CLASS (self)->measure_order;
  indexes = indexes != NULL ? indexes : &unasked;
  *indexes = 0;
  return measure != NULL ? measure (self, indexes) : TALL_LAYOUT_USUAL_MEMORY;
}

gboolean
tall_front_ping (TallFront *self, GError **error)
{
  g_return_val_if_fail (TALL_IS_FRONT (self), FALSE);

  return TALL_FRONT_GET_CLASS (self)->ping (self, error);
}

/**
 * tall_front_verify_some:
 *
 * Does one part of a verification, about a second of work. tall_front_verify() does all of them.
 *
 * Returns: (transfer full): what it has found; NULL with %TALL_ERROR_INVALID for a request that
 *   makes no sense, or with what the store says
 */
TallVerifyPart *
tall_front_verify_some (TallFront *self, const TallVerifyRequest *request, GError **error)
{
  g_return_val_if_fail (TALL_IS_FRONT (self), NULL);

  if (request->customer_number != NULL
      && !tall_validate_number (request->customer_number, "customer_number", error))
    return NULL;
  if (request->sample >= 100)
    {
      tall_error_set_invalid (error, "sample", "a sample has 1 to 99 percent of the customers");
      return NULL;
    }
  return TALL_FRONT_GET_CLASS (self)->verify_some (self, request, error);
}
