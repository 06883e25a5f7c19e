/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-forwarding-front.h"

typedef struct
{
  TallFront *front; /* what does the work */
} TallForwardingFrontPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (TallForwardingFront, tall_forwarding_front, TALL_TYPE_FRONT)

/**
 * tall_forwarding_front_wrap:
 * @front: (transfer none): the front that does the work; set once, before the first call
 */
void
tall_forwarding_front_wrap (TallForwardingFront *self, TallFront *front)
{
  TallForwardingFrontPrivate *priv = tall_forwarding_front_get_instance_private (self);
  g_return_if_fail (TALL_IS_FRONT (front) && priv->front == NULL);

  priv->front = g_object_ref (front);
}

/**
 * tall_forwarding_front_get_front:
 *
 * Returns: (transfer none): the front that does the work
 */
TallFront *
tall_forwarding_front_get_front (TallForwardingFront *self)
{
  TallForwardingFrontPrivate *priv = tall_forwarding_front_get_instance_private (self);
  return priv->front;
}

static TallFront *
wrapped (TallFront *base)
{
  return tall_forwarding_front_get_front (TALL_FORWARDING_FRONT (base));
}

static gboolean
forward_put_order (TallFront *base,
                   TallOrder *order,
                   const TallWriteOptions *options,
                   gint64 *revision,
                   GError **error)
{
  return tall_front_put_order (wrapped (base), order, options, revision, error);
}

static TallOrder *
forward_get_order (TallFront *base,
                   const char *customer_number,
                   const char *order_number,
                   gint64 *revision,
                   GError **error)
{
  return tall_front_get_order (wrapped (base), customer_number, order_number, revision, error);
}

static gboolean
forward_delete_order (TallFront *base,
                      const char *customer_number,
                      const char *order_number,
                      const TallWriteOptions *options,
                      GError **error)
{
  return tall_front_delete_order (wrapped (base), customer_number, order_number, options, error);
}

static gboolean
forward_patch_order (TallFront *base,
                     const char *customer_number,
                     const char *order_number,
                     const char *const *changes,
                     guint n,
                     const TallWriteOptions *options,
                     gint64 *revision,
                     GError **error)
{
  return tall_front_patch_order (wrapped (base), customer_number, order_number, changes, n, options,
                                 revision, error);
}

static gboolean
forward_put_customer (TallFront *base,
                      TallCustomer *customer,
                      const TallWriteOptions *options,
                      gint64 *revision,
                      GError **error)
{
  return tall_front_put_customer (wrapped (base), customer, options, revision, error);
}

static TallCustomer *
forward_get_customer (TallFront *base, const char *number, gint64 *revision, GError **error)
{
  return tall_front_get_customer (wrapped (base), number, revision, error);
}

static gboolean
forward_delete_customer (TallFront *base,
                         const char *number,
                         const TallWriteOptions *options,
                         GError **error)
{
  return tall_front_delete_customer (wrapped (base), number, options, error);
}

static gboolean
forward_get_orders (TallFront *base,
                    const TallOrderId *ids,
                    guint n,
                    const TallOrderPart *part,
                    TallOutcome *outcomes,
                    GError **error)
{
  return tall_front_get_parts (wrapped (base), ids, n, part, outcomes, error);
}

static gboolean
forward_put_orders (TallFront *base,
                    TallOrder *const *orders,
                    const TallWriteOptions *options,
                    guint n,
                    TallOutcome *outcomes,
                    GError **error)
{
  return tall_front_put_orders (wrapped (base), orders, options, n, outcomes, error);
}

static TallOrderList *
forward_list_orders (TallFront *base,
                     const char *customer_number,
                     const TallListOptions *options,
                     GError **error)
{
  return tall_front_list_orders (wrapped (base), customer_number, options, error);
}

static TallCustomerList *
forward_list_customers (TallFront *base, const TallListOptions *options, GError **error)
{
  return tall_front_list_customers (wrapped (base), options, error);
}

static TallCustomerOrders *
forward_get_customer_orders (TallFront *base,
                             const char *number,
                             const TallListOptions *options,
                             GError **error)
{
  return tall_front_get_customer_orders (wrapped (base), number, options, error);
}

static TallDescription *
forward_describe (TallFront *base, GError **error)
{
  return tall_front_describe (wrapped (base), error);
}

static gboolean
forward_ping (TallFront *base, GError **error)
{
  return tall_front_ping (wrapped (base), error);
}

static TallVerifyPart *
forward_verify_some (TallFront *base, const TallVerifyRequest *request, GError **error)
{
  return tall_front_verify_some (wrapped (base), request, error);
}

static gboolean
forward_verify (TallFront *base,
                const TallVerifyOptions *options,
                TallVerifySummary *summary,
                GError **error)
{
  return tall_front_verify (wrapped (base), options, summary, error);
}

static TallErasePart *
forward_erase_some (TallFront *base, const TallEraseRequest *request, GError **error)
{
  return tall_front_erase_some (wrapped (base), request, error);
}

static TallFound *
forward_find_orders (TallFront *base, const TallFindOptions *options, GError **error)
{
  return tall_front_find_orders (wrapped (base), options, error);
}

static gsize
forward_measure_order (TallFront *base, gsize *indexes)
{
  return tall_front_measure_order (wrapped (base), indexes);
}

static void
tall_forwarding_front_init (TallForwardingFront *self G_GNUC_UNUSED)
{
}

static void
tall_forwarding_front_finalize (GObject *object)
{
  TallForwardingFrontPrivate *priv =
      tall_forwarding_front_get_instance_private (TALL_FORWARDING_FRONT (object));
  g_clear_object (&priv->front);
  G_OBJECT_CLASS (tall_forwarding_front_parent_class)->finalize (object);
}

static void
tall_forwarding_front_class_init (TallForwardingFrontClass *klass)
{
  TallFrontClass *front = TALL_FRONT_CLASS (klass);
  front->put_order = forward_put_order;
  front->get_order = forward_get_order;
  front->delete_order = forward_delete_order;
  front->patch_order = forward_patch_order;
  front->put_customer = forward_put_customer;
  front->get_customer = forward_get_customer;
  front->delete_customer = forward_delete_customer;
  front->get_orders = forward_get_orders;
  front->put_orders = forward_put_orders;
  front->list_orders = forward_list_orders;
  front->list_customers = forward_list_customers;
  front->get_customer_orders = forward_get_customer_orders;
  front->describe = forward_describe;
  front->ping = forward_ping;
  front->verify_some = forward_verify_some;
  front->verify = forward_verify;
  front->erase_some = forward_erase_some;
  front->find_orders = forward_find_orders;
  front->measure_order = forward_measure_order;
  G_OBJECT_CLASS (klass)->finalize = tall_forwarding_front_finalize;
}
