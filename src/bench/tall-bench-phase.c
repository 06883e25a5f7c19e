/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-bench-phase.h"

#include "tall-bench-store.h"
#include "tall-workload.h"

#define PAGE 30 /* entries of a listing */

static guint64
choose (TallBenchClient *self)
{
  return tall_workload_mix (self->seed + self->number, self->step++);
}

/* Its own orders, one after the other. */
static gboolean
take_next_order (gpointer data, guint n G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
  TallBenchClient *self = data;
  GPtrArray *orders = self->orders->orders;
  guint64 place = self->number + self->step++ * self->n_clients;
  self->order = g_ptr_array_index (orders, place % orders->len);
  return TRUE;
}

static gboolean
choose_order (gpointer data, guint n G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
  TallBenchClient *self = data;
  GPtrArray *orders = self->orders->orders;
  self->order = g_ptr_array_index (orders, choose (self) % orders->len);
  return TRUE;
}

/* One of its own, so that no two clients replace the same one: that would measure waiting. */
static gboolean
choose_and_change_order (gpointer data, guint n G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
  TallBenchClient *self = data;
  GPtrArray *orders = self->orders->orders;
  guint n_own = (orders->len - self->number + self->n_clients - 1) / self->n_clients;
  guint64 place = self->number + choose (self) % n_own * self->n_clients;
  self->order = g_ptr_array_index (orders, place);
  tall_bench_change_order (self->order);
  return TRUE;
}

static gboolean
choose_customer (gpointer data, guint n G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
  TallBenchClient *self = data;
  GPtrArray *customers = self->orders->customers;
  self->customer = g_ptr_array_index (customers, choose (self) % customers->len);
  return TRUE;
}

static gboolean
put_order (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  TallBenchClient *self = data;
  return tall_front_put_order (self->front, self->order, NULL, NULL, error);
}

static gboolean
get_order (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  TallBenchClient *self = data;
  self->found = tall_front_get_order (self->front, self->order->customer_number,
                                      self->order->order_number, NULL, error);
  return self->found != NULL;
}

static gboolean
check_order (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  TallBenchClient *self = data;
  return tall_bench_check_same (self->order, self->found, error);
}

static void
clear_order (gpointer data, guint n G_GNUC_UNUSED)
{
  TallBenchClient *self = data;
  g_clear_pointer (&self->found, tall_order_free);
}

static gboolean
list_orders (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  TallBenchClient *self = data;
  TallListOptions options = { .limit = PAGE };
  self->list = tall_front_list_orders (self->front, self->customer->number, &options, error);
  return self->list != NULL;
}

static gboolean
check_list (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  TallBenchClient *self = data;
  return tall_bench_check_list (self->customer, self->list, PAGE, error);
}

static void
clear_list (gpointer data, guint n G_GNUC_UNUSED)
{
  TallBenchClient *self = data;
  g_clear_pointer (&self->list, tall_order_list_free);
}

static const TallBenchPhase phases[] = {
  {
      "store",
      "storing new orders",
      TRUE,
      { 1, take_next_order, put_order, NULL, NULL, NULL },
  },
  {
      "get",
      "fetching whole orders",
      FALSE,
      { 1, choose_order, get_order, check_order, clear_order, NULL },
  },
  {
      "list",
      "listing the newest " G_STRINGIFY (PAGE) " orders of a customer",
      FALSE,
      { 1, choose_customer, list_orders, check_list, clear_list, NULL },
  },
  {
      "replace",
      "replacing orders",
      FALSE,
      { 1, choose_and_change_order, put_order, NULL, NULL, NULL },
  },
  {
      "check",
      NULL,
      TRUE,
      { 1, take_next_order, get_order, check_order, clear_order, NULL },
  },
};

/**
 * tall_bench_phases:
 *
 * Returns: (transfer none) (array length=n): what is measured, in the order in which it has to be
 *   done
 */
const TallBenchPhase *
tall_bench_phases (guint *n)
{
  *n = G_N_ELEMENTS (phases);
  return phases;
}
