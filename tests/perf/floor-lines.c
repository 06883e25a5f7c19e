/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "floor-run.h"
#include "floor-store.h"

/* The sizes of orders, with batches that take about the same time for each. */
static const struct
{
  guint n_lines;
  guint batch;
} sizes[] = { { 50, 60 }, { 500, 6 }, { 5000, 1 } };

#define N_SIZES G_N_ELEMENTS (sizes)
#define N_ORDERS 60 /* of each size, to be fetched */

/* Orders of one size. */
typedef struct
{
  const TallBenchStore *store;
  TallWorkload workload;
  guint64 next;
  GPtrArray *orders; /* of TallOrder: to be stored next, or those that are stored */
  GPtrArray *found;  /* of TallOrder */
} Orders;

static void
orders_clear (Orders *self)
{
  g_clear_pointer (&self->orders, g_ptr_array_unref);
  g_clear_pointer (&self->found, g_ptr_array_unref);
}

static gboolean
prepare_put (gpointer data, guint n, GError **error G_GNUC_UNUSED)
{
  Orders *self = data;
  g_clear_pointer (&self->orders, g_ptr_array_unref);
  self->orders = tall_workload_make_orders (&self->workload, self->next, n);
  self->next += n;
  return TRUE;
}

static gboolean
run_put (gpointer data, guint n, GError **error)
{
  Orders *self = data;
  return tall_bench_store_put_orders (self->store, self->orders, n, error);
}

static gboolean
check_put (gpointer data, guint n, GError **error)
{
  Orders *self = data;
  return tall_bench_store_check_orders (self->store, self->orders, n, error);
}

static gboolean
run_get (gpointer data, guint n, GError **error)
{
  Orders *self = data;
  for (guint i = 0; i < n; i++)
    {
      guint64 index = (self->next + i) % self->orders->len;
      const TallOrder *order = g_ptr_array_index (self->orders, index);
      TallOrder *found = tall_front_get_order (self->store->front, order->customer_number,
                                               order->order_number, NULL, error);
      if (found == NULL)
        return FALSE;
      g_ptr_array_add (self->found, found);
    }
  return TRUE;
}

static gboolean
check_get (gpointer data, guint n, GError **error)
{
  Orders *self = data;
  for (guint i = 0; i < n; i++)
    {
      guint64 index = (self->next + i) % self->orders->len;
      if (!tall_bench_check_same (g_ptr_array_index (self->orders, index),
                                  g_ptr_array_index (self->found, i), error))
        return FALSE;
    }
  self->next += n;
  return TRUE;
}

static void
clear_get (gpointer data, guint n G_GNUC_UNUSED)
{
  Orders *self = data;
  g_ptr_array_set_size (self->found, 0);
}

/* Nanoseconds that one more line costs between two sizes. */
static double
find_slope (const TallMeasurement *measurement, guint small)
{
  double cost = tall_measured_get_mean (&measurement->sides[small + 1])
                - tall_measured_get_mean (&measurement->sides[small]);
  return cost / (sizes[small + 1].n_lines - sizes[small].n_lines);
}

static void
add_figure (TallFloorRun *self,
            const char *operation,
            const TallLayout *layout,
            const TallMeasurement *measurement)
{
  g_autofree char *id = g_strdup_printf ("line-%s-%s", operation, layout->name);
  g_autofree char *what =
      g_strdup_printf ("%s, %s: a line, 500 to 5,000 / 50 to 500", layout->name, operation);
  double few = find_slope (measurement, 0);
  double many = find_slope (measurement, 1);
  TallBenchFigure figure = {
    .id = id,
    .what = what,
    .unit = "ns/line",
    .ours = many,
    .floor = few,
    .ratio = few > 0 ? many / few : 0,
    .goal = 1.3,
    .ours_measured = &measurement->sides[2],
    .floor_measured = &measurement->sides[1],
  };
  tall_bench_report_add (self->report, &figure);
}

static gboolean
measure (TallFloorRun *self,
         Orders *orders,
         const char *operation,
         const TallMeasureSide *kind,
         GError **error)
{
  g_auto (TallMeasurement) measurement = { 0 };
  g_autofree char *what = g_strdup_printf ("%s: %s", orders[0].store->layout->name, operation);
  TallMeasurePlan plan = tall_floor_make_plan (self, what);
  TallMeasureSide sides[N_SIZES];

  for (guint i = 0; i < N_SIZES; i++)
    {
      sides[i] = *kind;
      sides[i].batch = sizes[i].batch;
      sides[i].data = &orders[i];
    }
  if (!tall_measure (sides, N_SIZES, &plan, &measurement, error))
    return FALSE;
  add_figure (self, operation, orders[0].store->layout, &measurement);
  return TRUE;
}

static gboolean
measure_get (TallFloorRun *self, Orders *orders, GError **error)
{
  static const TallMeasureSide kind = { .run = run_get, .check = check_get, .clear = clear_get };
  for (guint i = 0; i < N_SIZES; i++)
    {
      orders_clear (&orders[i]);
      orders[i].next = 0;
      orders[i].orders =
          tall_floor_fill (self, orders[i].store, &orders[i].workload, N_ORDERS, error);
      if (orders[i].orders == NULL)
        return FALSE;
      orders[i].found = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_order_free);
    }
  return measure (self, orders, "get", &kind, error);
}

static gboolean
measure_layout (TallFloorRun *self, const TallLayout *layout, GError **error)
{
  static const TallMeasureSide put = { .prepare = prepare_put, .run = run_put, .check = check_put };
  g_auto (TallBenchStore) store = { 0 };
  Orders orders[N_SIZES] = {
    { .store = &store, .workload = { "S", sizes[0].n_lines } },
    { .store = &store, .workload = { "M", sizes[1].n_lines } },
    { .store = &store, .workload = { "L", sizes[2].n_lines } },
  };

  gboolean done = tall_bench_store_open_embedded (&store, self->directory, layout, FALSE, error)
                  && measure_get (self, orders, error);
  for (guint i = 0; i < N_SIZES; i++)
    orders[i].next = N_ORDERS;
  done = done && measure (self, orders, "put", &put, error);
  for (guint i = 0; i < N_SIZES; i++)
    orders_clear (&orders[i]);
  return done;
}

/**
 * tall_floor_lines:
 *
 * Compares the cost of a line in large orders to its cost in small ones, in every layout, embedded.
 * It shows whether anything grows faster than the order.
 */
gboolean
tall_floor_lines (TallFloorRun *self, GError **error)
{
  guint n;
  const TallLayout *const *layouts = tall_layouts (&n);
  for (guint i = 0; i < n; i++)
    if (!measure_layout (self, layouts[i], error))
      return FALSE;
  return TRUE;
}
