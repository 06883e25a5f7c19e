/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "floor-run.h"

#include "floor-store.h"
#include "tall-error.h"

#define PAGE 30
#define BATCH 8       /* pages that are timed together */
#define MANY_TIMES 10 /* as many orders as are fetched from otherwise: 200,000 */
#define FEW_PART 4    /* the part of them that the other customer has, as a divisor: 5,000 */
#define WARM_UP 0.5   /* of the time that counts: so that what is listed lies in the block cache */
#define FIRST_DATE G_GINT64_CONSTANT (1704067200000) /* 2024-01-01 */
#define N_SECONDS (366 * 86400)

/* A customer, and listing its orders. */
typedef struct
{
  TallFloorRun *run;
  const TallBenchStore *store;
  const char *customer_number;
  guint n_orders;
  GArray *dates;     /* of gint64: theirs, the newest first, each another */
  gboolean anywhere; /* pages that begin at any date; else the first page */
  guint64 next;
  guint first[BATCH]; /* of each page: the place of its first order */
  TallOrderList *lists[BATCH];
} Customer;

static void
customer_clear (Customer *self)
{
  g_clear_pointer (&self->dates, g_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Customer, customer_clear)

static int
compare_dates (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *)a;
  gint64 y = *(const gint64 *)b;
  return (x < y) - (x > y);
}

/* Distinct dates that look random: the step has no factor in common with the number of seconds. */
static gint64
make_date (guint64 index)
{
  return FIRST_DATE + (gint64)(index * 9999991 % N_SECONDS) * 1000;
}

static gboolean
put_order (Customer *self, guint64 index, GError **error)
{
  TallWorkload workload = { .prefix = "L", .n_lines = 1, .n_customers = 1 };
  g_autoptr (TallOrder) order = tall_workload_make_order (&workload, index);
  order->customer_number = tall_arena_strdup (tall_order_get_arena (order), self->customer_number);
  order->sales_date = make_date (index);
  g_array_append_val (self->dates, order->sales_date);
  return tall_front_put_order (self->store->front, order, NULL, NULL, error);
}

static gboolean
fill (Customer *self, GError **error)
{
  const TallFloorOptions *options = self->run->options;
  self->dates = g_array_sized_new (FALSE, FALSE, sizeof (gint64), self->n_orders);
  for (guint i = 0; i < self->n_orders; i++)
    {
      if (!tall_measure_check_stop (options->stop, error) || !put_order (self, i, error))
        return FALSE;
      if (options->progress != NULL && i % 1000 == 0)
        options->progress ("embedded: list, storing", (double)i / self->n_orders,
                           options->progress_data);
    }
  g_array_sort (self->dates, compare_dates);
  return TRUE;
}

/* Pages are full, so none begins among the last orders. */
static gboolean
prepare (gpointer data, guint n, GError **error G_GNUC_UNUSED)
{
  Customer *self = data;
  for (guint i = 0; i < n; i++)
    self->first[i] =
        self->anywhere ? tall_workload_mix (1, self->next++) % (self->n_orders - PAGE) : 0;
  return TRUE;
}

static gboolean
run (gpointer data, guint n, GError **error)
{
  Customer *self = data;
  for (guint i = 0; i < n; i++)
    {
      gint64 first = g_array_index (self->dates, gint64, self->first[i]);
      TallListOptions options = { .limit = PAGE, .has_to = self->anywhere, .to = first + 1 };
      self->lists[i] =
          tall_front_list_orders (self->store->front, self->customer_number, &options, error);
      if (self->lists[i] == NULL)
        return FALSE;
    }
  return TRUE;
}

static gboolean
check (gpointer data, guint n, GError **error)
{
  Customer *self = data;
  for (guint i = 0; i < n; i++)
    {
      gboolean same = self->lists[i]->n_entries == PAGE;
      for (guint k = 0; same && k < PAGE; k++)
        same = self->lists[i]->entries[k].sales_date
               == g_array_index (self->dates, gint64, self->first[i] + k);
      if (same)
        continue;
      g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
                   "A page of the orders of %s is not what was stored: a defect of this version",
                   self->customer_number);
      return FALSE;
    }
  return TRUE;
}

static void
clear (gpointer data, guint n)
{
  Customer *self = data;
  for (guint i = 0; i < n; i++)
    g_clear_pointer (&self->lists[i], tall_order_list_free);
}

static gboolean
measure (TallFloorRun *self,
         Customer *many,
         Customer *few,
         gboolean anywhere,
         const char *id,
         const char *page,
         GError **error)
{
  g_auto (TallMeasurement) measurement = { 0 };
  g_autofree char *what = g_strdup_printf ("RocksDB: %s page of %u orders / of %u", page,
                                           many->n_orders, few->n_orders);
  TallMeasurePlan plan = tall_floor_make_plan (self, "embedded: list");
  const TallMeasureSide sides[] = {
    { BATCH, prepare, run, check, clear, many },
    { BATCH, prepare, run, check, clear, few },
  };
  plan.warm_up = WARM_UP * self->options->seconds;
  many->anywhere = few->anywhere = anywhere;
  if (!tall_measure (sides, G_N_ELEMENTS (sides), &plan, &measurement, error))
    return FALSE;
  tall_bench_report_add_latency (self->report, id, what, 1.5, &measurement.sides[0],
                                 &measurement.sides[1]);
  return TRUE;
}

/**
 * tall_floor_list:
 *
 * Compares a page of a customer's 200,000 orders by date to one of 5,000, embedded, in sorted
 * files. It shows whether the length of the whole list costs anything.
 */
gboolean
tall_floor_list (TallFloorRun *self, GError **error)
{
  g_auto (TallBenchStore) store = { 0 };
  TallStoreSettings settings = { .layout = &tall_layout_blob, .key_strategy = &tall_key_hashed };
  g_auto (Customer) many = { self, &store, "MANY", self->options->n_orders * MANY_TIMES };
  g_auto (Customer) few = { self, &store, "FEW", self->options->n_orders / FEW_PART };
  few.n_orders = MAX (few.n_orders, 2 * PAGE);
  many.n_orders = CLAMP (many.n_orders, 2 * PAGE, N_SECONDS);

  return tall_bench_store_open_temporary (&store, self->directory, &settings, FALSE, error)
         && fill (&many, error) && fill (&few, error)
         && tall_floor_settle (store.table, "orders", error)
         && tall_floor_settle (store.table, "index", error)
         && measure (self, &many, &few, FALSE, "rocksdb-list-first", "first", error)
         && measure (self, &many, &few, TRUE, "rocksdb-list-any", "any", error);
}
