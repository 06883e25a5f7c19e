/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-bench-phase.h"

#include "tall-bench-store.h"
#include "tall-workload.h"

#define PAGE 30      /* entries of a listing */
#define BASE_LINES 8 /* that an order or a listing takes as much room as, beside its lines */

void
tall_bench_operation_clear (TallBenchOperation *self)
{
  g_clear_pointer (&self->found, tall_order_free);
  g_clear_pointer (&self->list, tall_order_list_free);
}

/**
 * tall_bench_operation_count_kept:
 *
 * Returns: how much room the result takes, in lines
 */
guint
tall_bench_operation_count_kept (const TallBenchOperation *self)
{
  guint n = BASE_LINES;
  if (self->found != NULL)
    n += self->found->n_shipping_locations + tall_order_count_lines (self->found);
  if (self->list != NULL)
    n += self->list->n_entries;
  return n;
}

static guint64
choose (TallBenchClient *self)
{
  return tall_workload_mix (self->seed + self->number, self->step++);
}

/* Its own orders, one after the other. */
static void
take_next_order (TallBenchClient *self, TallBenchOperation *operation)
{
  GPtrArray *orders = self->orders->orders;
  guint64 place = self->number + self->step++ * self->n_clients;
  operation->order = g_ptr_array_index (orders, place % orders->len);
}

static void
choose_order (TallBenchClient *self, TallBenchOperation *operation)
{
  GPtrArray *orders = self->orders->orders;
  operation->order = g_ptr_array_index (orders, choose (self) % orders->len);
}

/* Chooses one of its own orders, so that no two clients replace the same one: that would measure
 * waiting. */
static void
choose_and_change_order (TallBenchClient *self, TallBenchOperation *operation)
{
  GPtrArray *orders = self->orders->orders;
  guint n_own = (orders->len - self->number + self->n_clients - 1) / self->n_clients;
  guint64 place = self->number + choose (self) % n_own * self->n_clients;
  operation->order = g_ptr_array_index (orders, place);
  tall_bench_change_order (operation->order);
}

static void
choose_customer (TallBenchClient *self, TallBenchOperation *operation)
{
  GPtrArray *customers = self->orders->customers;
  operation->customer = g_ptr_array_index (customers, choose (self) % customers->len);
}

static gboolean
put_order (TallBenchClient *self, TallBenchOperation *operation, GError **error)
{
  return tall_front_put_order (self->front, operation->order, NULL, NULL, error);
}

static gboolean
get_order (TallBenchClient *self, TallBenchOperation *operation, GError **error)
{
  operation->found = tall_front_get_order (self->front, operation->order->customer_number,
                                           operation->order->order_number, NULL, error);
  return operation->found != NULL;
}

static gboolean
check_order (const TallBenchOperation *operation, GError **error)
{
  return tall_bench_check_same (operation->order, operation->found, error);
}

static gboolean
list_orders (TallBenchClient *self, TallBenchOperation *operation, GError **error)
{
  TallListOptions options = { .limit = PAGE };
  operation->list =
      tall_front_list_orders (self->front, operation->customer->number, &options, error);
  return operation->list != NULL;
}

static gboolean
check_list (const TallBenchOperation *operation, GError **error)
{
  return tall_bench_check_list (operation->customer, operation->list, PAGE, error);
}

static const TallBenchPhase phases[] = {
  { "store", "storing new orders", TRUE, take_next_order, put_order, NULL },
  { "get", "fetching whole orders", FALSE, choose_order, get_order, check_order },
  { "list", "listing the newest " G_STRINGIFY (PAGE) " orders of a customer", FALSE,
    choose_customer, list_orders, check_list },
  { "replace", "replacing orders", FALSE, choose_and_change_order, put_order, NULL },
  { "check", NULL, TRUE, take_next_order, get_order, check_order },
};

/**
 * tall_bench_phases:
 *
 * Returns: (transfer none) (array length=n): the phases, in the order in which they have to run
 */
const TallBenchPhase *
tall_bench_phases (guint *n)
{
  *n = G_N_ELEMENTS (phases);
  return phases;
}
