/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/phase.h"

#include "bench/load.h"
#include "bench/store.h"
#include "tall-error.h"
#include "bench/workload.h"

#define PAGE 30      /* entries of a listing */
#define BASE_LINES 8 /* that an order or a listing takes as much room as, beside its lines */

void
tall_bench_operation_clear (TallBenchOperation *self)
{
  g_clear_pointer (&self->found, tall_order_free);
  g_clear_pointer (&self->list, tall_order_list_free);
  g_clear_pointer (&self->all_orders, tall_customer_orders_free);
  g_clear_pointer (&self->number, g_free);
  g_clear_pointer (&self->batch, tall_bench_batch_free);
}

static guint
count_kept (const TallOrder *order)
{
  return order->n_shipping_locations + tall_order_count_lines (order);
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
    n += count_kept (self->found);
  if (self->list != NULL)
    n += self->list->n_entries;
  for (guint i = 0; self->all_orders != NULL && i < self->all_orders->n_orders; i++)
    if (self->all_orders->orders[i].order != NULL)
      n += BASE_LINES + count_kept (self->all_orders->orders[i].order);
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

static void
choose_own_order (TallBenchClient *self, TallBenchOperation *operation)
{
  GPtrArray *orders = self->orders->orders;
  guint n_own = (orders->len - self->number + self->n_clients - 1) / self->n_clients;
  guint64 place = self->number + choose (self) % n_own * self->n_clients;
  operation->order = g_ptr_array_index (orders, place);
  operation->changed = tall_bench_is_changed (operation->order);
}

static void
take_and_change_order (TallBenchClient *self, TallBenchOperation *operation)
{
  take_next_order (self, operation);
  tall_bench_change_order (operation->order);
}

/* One of its own, so that no two clients replace the same one: that would measure waiting. */
static void
choose_and_change_order (TallBenchClient *self, TallBenchOperation *operation)
{
  choose_own_order (self, operation);
  tall_bench_change_order (operation->order);
}

static void
choose_missing_order (TallBenchClient *self, TallBenchOperation *operation)
{
  choose_order (self, operation);
  operation->number = tall_bench_orders_make_number (self->orders, operation->order, "none");
}

/* As often as it has orders. */
static void
choose_customer (TallBenchClient *self, TallBenchOperation *operation)
{
  choose_order (self, operation);
  operation->customer =
      g_hash_table_lookup (self->orders->by_customer, operation->order->customer_number);
  operation->order = NULL;
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

static gboolean
get_missing_order (TallBenchClient *self, TallBenchOperation *operation, GError **error)
{
  GError *cause = NULL;
  operation->found = tall_front_get_order (self->front, operation->order->customer_number,
                                           operation->number, NULL, &cause);
  if (g_error_matches (cause, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    {
      g_error_free (cause);
      return TRUE;
    }
  if (cause != NULL)
    g_propagate_error (error, cause);
  else
    g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
                 "Order %s of %s came back, and was never stored: a defect of this version",
                 operation->number, operation->order->customer_number);
  return FALSE;
}

static gboolean
get_all_orders (TallBenchClient *self, TallBenchOperation *operation, GError **error)
{
  TallListOptions options = { .limit = PAGE };
  operation->all_orders =
      tall_front_get_customer_orders (self->front, operation->customer->number, &options, error);
  return operation->all_orders != NULL;
}

static gboolean
check_all_orders (const TallBenchOperation *operation, GError **error)
{
  return tall_bench_check_customer_orders (operation->customer, operation->all_orders, PAGE, error);
}

/* It takes no step: the part does. */
static void
choose_of_mix (TallBenchClient *self, TallBenchOperation *operation)
{
  guint64 random = tall_workload_mix (~(self->seed + self->number), self->step);
  guint place = (guint)(random % self->mix->total);
  guint part = 0;
  for (; place >= self->mix->weights[part]; part++)
    place -= self->mix->weights[part];
  operation->part = self->mix->parts[part];
  operation->part->choose (self, operation);
}

static gboolean
run_of_mix (TallBenchClient *self, TallBenchOperation *operation, GError **error)
{
  return operation->part->run (self, operation, error);
}

static gboolean
check_of_mix (const TallBenchOperation *operation, GError **error)
{
  return operation->part->check == NULL || operation->part->check (operation, error);
}

/* A new order with the content of one of its own, under a number that nobody has used. */
static void
choose_copy (TallBenchClient *self, TallBenchOperation *operation)
{
  choose_own_order (self, operation);
  g_autofree char *end = g_strdup_printf ("%u-%" G_GUINT64_FORMAT, self->number, self->step);
  operation->number = tall_bench_orders_make_number (self->orders, operation->order, end);
}

static gboolean
put_copy (TallBenchClient *self, TallBenchOperation *operation, GError **error)
{
  TallOrder copy = *operation->order;
  copy.order_number = operation->number;
  return tall_front_put_order (self->front, &copy, NULL, NULL, error);
}

/* The client may have replaced it since, with the other content. */
static gboolean
check_own_order (const TallBenchOperation *operation, GError **error)
{
  if (tall_bench_is_changed (operation->order) != operation->changed)
    tall_bench_change_order (operation->found);
  return check_order (operation, error);
}

static gboolean
check_list_meanwhile (const TallBenchOperation *operation, GError **error)
{
  return tall_bench_check_list_meanwhile (operation->customer, operation->list, PAGE, error);
}

/* What the parts of a mix do: others write at the same time. */
static const TallBenchPhase parts[] = {
  { "store", NULL, FALSE, choose_copy, put_copy, NULL },
  { "get", NULL, FALSE, choose_own_order, get_order, check_own_order },
  { "missing", NULL, FALSE, choose_missing_order, get_missing_order, NULL },
  { "list", NULL, FALSE, choose_customer, list_orders, check_list_meanwhile },
  { "replace", NULL, FALSE, choose_and_change_order, put_order, NULL },
};
G_STATIC_ASSERT (G_N_ELEMENTS (parts) <= TALL_BENCH_MAX_PARTS);

/**
 * tall_bench_parts:
 *
 * Returns: (transfer none) (array length=n): what a mix can be made of
 */
const TallBenchPhase *
tall_bench_parts (guint *n)
{
  *n = G_N_ELEMENTS (parts);
  return parts;
}

#define MIX "mix"

static const TallBenchPhase phases[] = {
  { "store", "storing new orders", TRUE, take_next_order, put_order, NULL },
  { "get", "fetching whole orders", FALSE, choose_order, get_order, check_order },
  { "list", "listing the newest " G_STRINGIFY (PAGE) " orders of a customer", FALSE,
    choose_customer, list_orders, check_list },
  { "missing", "fetching orders that are not there", FALSE, choose_missing_order, get_missing_order,
    NULL },
  { "customer", "fetching a customer with " G_STRINGIFY (PAGE) " whole orders", FALSE,
    choose_customer, get_all_orders, check_all_orders },
  { MIX, "operations of the mix, each as often as --mix says", FALSE, choose_of_mix, run_of_mix,
    check_of_mix },
  { "replace", "replacing orders", FALSE, choose_and_change_order, put_order, NULL },
  { "load", "loading orders in batches; latencies are those of a batch", TRUE,
    tall_bench_load_choose, tall_bench_load_run, NULL },
  { "check", NULL, TRUE, take_next_order, get_order, check_order },
};

static const TallBenchPhase age = { "age", NULL, TRUE, take_and_change_order, put_order, NULL };

/**
 * tall_bench_phase_age:
 *
 * Returns: (transfer none): the phase that replaces each order once; it is none of
 * tall_bench_phases()
 */
const TallBenchPhase *
tall_bench_phase_age (void)
{
  return &age;
}

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

/**
 * tall_bench_phase_runs:
 * @mix: (nullable): what was asked for instead of one kind of operation after the other
 *
 * Returns: whether this phase is measured
 */
gboolean
tall_bench_phase_runs (const TallBenchPhase *self, const TallBenchMix *mix)
{
  gboolean mixed = mix != NULL && mix->total > 0;
  if (self->once)
    return !mixed || self->run != tall_bench_load_run;
  return g_str_equal (self->name, MIX) == mixed;
}
