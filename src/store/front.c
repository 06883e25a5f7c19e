/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-front.h"

#include "tall-error.h"
#include "layout/layout.h"
#include "base/slots.h"

G_DEFINE_ABSTRACT_TYPE (TallFront, tall_front, G_TYPE_OBJECT)

/* Every implementation passes here once for each object. */
static void
tall_front_constructed (GObject *object)
{
  static const TallSlot slots[] = {
    TALL_SLOT (TallFrontClass, put_order),
    TALL_SLOT (TallFrontClass, get_order),
    TALL_SLOT (TallFrontClass, delete_order),
    TALL_SLOT (TallFrontClass, put_customer),
    TALL_SLOT (TallFrontClass, get_customer),
    TALL_SLOT (TallFrontClass, delete_customer),
    TALL_SLOT (TallFrontClass, get_orders),
    TALL_SLOT (TallFrontClass, put_orders),
    TALL_SLOT (TallFrontClass, list_orders),
    TALL_SLOT (TallFrontClass, list_customers),
    TALL_SLOT (TallFrontClass, get_customer_orders),
    TALL_SLOT (TallFrontClass, describe),
    TALL_SLOT (TallFrontClass, ping),
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

void
tall_description_free (TallDescription *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->arena, tall_arena_free);
  g_free (self);
}

/**
 * tall_description_hide_details:
 *
 * Leaves what only administrators may know as a description without details has it.
 */
void
tall_description_hide_details (TallDescription *self)
{
  self->has_details = FALSE;
  self->regions = 0;
  self->compression = self->bloom_filter = self->block_encoding = NULL;
  self->generation = 0;
  self->phase = self->next_layout = self->next_key_strategy = self->next_index = NULL;
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
  g_set_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
               "%u orders in one call: at most %d are taken; make several calls", n, TALL_MAX_MANY);
  return FALSE;
}

/**
 * tall_front_get_orders:
 * @ids: @n of them, %TALL_MAX_MANY at most; a wrong number is an error of its own outcome
 *
 * What goes beyond %TALL_MAX_MANY_BYTES together is %TALL_ERROR_TOO_LARGE for the orders after it.
 */
gboolean
tall_front_get_orders (
    TallFront *self, const TallOrderId *ids, guint n, TallOutcome *outcomes, GError **error)
{
  g_return_val_if_fail (TALL_IS_FRONT (self), FALSE);

  return check_many (n, error)
         && TALL_FRONT_GET_CLASS (self)->get_orders (self, ids, n, outcomes, error);
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
validate_listing (const TallListOptions *options, gboolean by_date, GError **error)
{
  if (options == NULL)
    return TRUE;

  if (options->limit > TALL_MAX_PAGE)
    {
      tall_error_set_invalid (error, "limit", "A page of %u entries: at most %d are given at once",
                              options->limit, TALL_MAX_PAGE);
      return FALSE;
    }
  if (!by_date && (options->has_from || options->has_to))
    {
      tall_error_set_invalid (error, options->has_from ? "from" : "to",
                              "This listing is not by date: leave the dates out");
      return FALSE;
    }
  if (options->has_from && options->has_to && options->from >= options->to)
    {
      tall_error_set_invalid (error, "to",
                              "The range of dates is empty or the wrong way round: “to” is the "
                              "first date no longer wanted and must be after “from”");
      return FALSE;
    }
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

TallDescription *
tall_front_describe (TallFront *self, GError **error)
{
  g_return_val_if_fail (TALL_IS_FRONT (self), NULL);

  return TALL_FRONT_GET_CLASS (self)->describe (self, error);
}

/**
 * tall_front_measure_order:
 *
 * Returns: bytes that any call on one order takes at most while it runs, its order included
 */
gsize
tall_front_measure_order (TallFront *self)
{
  g_return_val_if_fail (TALL_IS_FRONT (self), 0);

  gsize (*measure) (TallFront *) = TALL_FRONT_GET_CLASS (self)->measure_order;
  return measure != NULL ? measure (self) : TALL_LAYOUT_USUAL_MEMORY;
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
  if (request->n_suspects > TALL_VERIFY_SUSPECTS)
    {
      tall_error_set_invalid (error, "suspects", "there are more than %d", TALL_VERIFY_SUSPECTS);
      return NULL;
    }
  return TALL_FRONT_GET_CLASS (self)->verify_some (self, request, error);
}
