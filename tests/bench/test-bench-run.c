/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/run.h"

#include <gio/gio.h>

#include "tall-error.h"
#include "tall-forwarding-front.h"
#include "table/memory-table.h"
#include "bench/orders.h"
#include "tall-must.h"

#define SLOW 100000 /* microseconds */

/* A front that forwards every call, but gives wrong results where a test asks for them. */
typedef struct
{
  TallForwardingFront parent_instance;

  const char *wrong;  /* an order number: comes back other than it was stored; NULL: none */
  const char *hidden; /* the same: missing in listings */
  gint stop_after;    /* atomic: gets until @stop is set; 0: never */
  gint stop;
  gint n_gets;
  gint n_puts;
  gint slow_at; /* the get, or put, of this number takes SLOW; 0: none */
} LyingFront;

typedef TallForwardingFrontClass LyingFrontClass;

GType lying_front_get_type (void);
G_DEFINE_TYPE (LyingFront, lying_front, TALL_TYPE_FORWARDING_FRONT)

#define PARENT TALL_FRONT_CLASS (lying_front_parent_class)

static gboolean
put_order (TallFront *base,
           TallOrder *order,
           const TallWriteOptions *options,
           gint64 *revision,
           GError **error)
{
  LyingFront *self = (LyingFront *)base;
  if (g_atomic_int_add (&self->n_puts, 1) + 1 == self->slow_at)
    g_usleep (SLOW);
  return PARENT->put_order (base, order, options, revision, error);
}

static TallOrder *
get_order (
    TallFront *base, const char *customer, const char *number, gint64 *revision, GError **error)
{
  LyingFront *self = (LyingFront *)base;
  TallOrder *order = PARENT->get_order (base, customer, number, revision, error);
  if (g_strcmp0 (number, self->wrong) == 0)
    order->shipping_locations[0]->line_items[0]->price->scale++;
  gint n = g_atomic_int_add (&self->n_gets, 1) + 1;
  if (n == self->stop_after)
    g_atomic_int_set (&self->stop, 2);
  if (n == self->slow_at)
    g_usleep (SLOW);
  return order;
}

static TallOrderList *
list_orders (TallFront *base, const char *number, const TallListOptions *options, GError **error)
{
  LyingFront *self = (LyingFront *)base;
  TallOrderList *list = PARENT->list_orders (base, number, options, error);
  for (guint i = 0; i < list->n_entries; i++)
    if (g_strcmp0 (list->entries[i].order_number, self->hidden) == 0)
      {
        list->n_entries--;
        memmove (&list->entries[i], &list->entries[i + 1],
                 (list->n_entries - i) * sizeof (TallOrderEntry));
      }
  return list;
}

static void
lying_front_init (LyingFront *self G_GNUC_UNUSED)
{
}

static void
lying_front_class_init (LyingFrontClass *klass)
{
  TallFrontClass *front = TALL_FRONT_CLASS (klass);
  front->put_order = put_order;
  front->get_order = get_order;
  front->list_orders = list_orders;
}

#define N_ORDERS 100
#define N_CUSTOMERS 2

/* A store in memory, and its expected content. */
typedef struct
{
  LyingFront *front;
  TallBenchOrders *orders;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  const TallWorkload workload = {
    .prefix = "", .n_lines = 1, .max_lines = 4, .n_customers = N_CUSTOMERS, .seed = 3
  };
  const TallStoreSettings settings = { .layout = &tall_layout_record_type,
                                       .key_strategy = &tall_key_hashed };
  g_autoptr (TallTable) table = tall_memory_table_new ();
  must (tall_store_create (table, &settings, &error));
  self->front = g_object_new (lying_front_get_type (), NULL);
  g_autoptr (TallStore) store = must (tall_store_open (table, NULL, NULL, NULL, &error));
  tall_forwarding_front_wrap (TALL_FORWARDING_FRONT (self->front), TALL_FRONT (store));
  self->orders = tall_bench_orders_new (tall_workload_make_orders (&workload, 0, N_ORDERS));
}

static void
tear_down (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_clear_object (&self->front);
  g_clear_pointer (&self->orders, tall_bench_orders_free);
}

static gboolean
run_phase (Fixture *self,
           const char *name,
           guint n_clients,
           guint64 n_operations,
           TallBenchRecord *record,
           GError **error)
{
  TallBenchPlan plan = {
    .n_clients = n_clients, .n_operations = n_operations, .seed = 5, .stop = &self->front->stop
  };
  guint n;
  const TallBenchPhase *phases = tall_bench_phases (&n);
  *record = (TallBenchRecord){ 0 };
  for (guint i = 0; i < n; i++)
    if (g_str_equal (phases[i].name, name))
      return tall_bench_run_phase (&phases[i], &plan, TALL_FRONT (self->front), self->orders,
                                   record, error);
  g_error ("no phase %s", name);
}

static void
run_well (
    Fixture *self, const char *name, guint n_clients, guint64 n_operations, TallBenchRecord *record)
{
  must (run_phase (self, name, n_clients, n_operations, record, &error));
}

/* The first tenth of each client's operations is counted, but not timed. */
static void
assert_tenth_warms_up (const TallBenchRecord *record, guint n, guint n_clients)
{
  guint64 n_warm_up = 0;
  for (guint i = 0; i < n_clients; i++)
    n_warm_up += (n / n_clients + (i < n % n_clients ? 1 : 0)) / 10;
  g_assert_cmpuint (record->n_counted, ==, n);
  g_assert_cmpuint (record->n_timed, ==, n - n_warm_up);
}

/* All phases, in their order, do the number of operations asked for, without errors. */
static void
test_phases (Fixture *self, gconstpointer data)
{
  guint n_clients = GPOINTER_TO_UINT (data);
  TallBenchRecord record;
  run_well (self, "store", n_clients, 10, &record);
  g_assert_cmpint (self->front->n_puts, ==, N_ORDERS);
  assert_tenth_warms_up (&record, N_ORDERS, n_clients);
  g_assert_cmpfloat (record.metrics[TALL_BENCH_RATE], >, 0);

  run_well (self, "get", n_clients, 70, &record);
  assert_tenth_warms_up (&record, 70, n_clients);
  g_assert_cmpuint (record.n_counted, ==, (guint64)self->front->n_gets);
  g_assert_cmpfloat (record.metrics[TALL_BENCH_P50], >, 0);
  g_assert_cmpfloat (record.metrics[TALL_BENCH_P50], <=, record.metrics[TALL_BENCH_P99]);
  g_assert_cmpfloat (record.metrics[TALL_BENCH_P99], <=, record.metrics[TALL_BENCH_MAX]);

  run_well (self, "list", n_clients, 70, &record);
  assert_tenth_warms_up (&record, 70, n_clients);
  self->front->n_gets = 0;
  run_well (self, "missing", n_clients, 70, &record);
  g_assert_cmpint (self->front->n_gets, ==, 70);
  run_well (self, "customer", n_clients, 70, &record);
  assert_tenth_warms_up (&record, 70, n_clients);
  self->front->n_puts = self->front->n_gets = 0;
  run_well (self, "replace", n_clients, 70, &record);
  assert_tenth_warms_up (&record, 70, n_clients);
  g_assert_cmpuint (record.n_counted, ==, (guint64)self->front->n_puts);
  run_well (self, "load", n_clients, 10, &record);
  assert_tenth_warms_up (&record, N_ORDERS, n_clients);
  g_autoptr (GError) error = NULL;
  g_assert_false (run_phase (self, "load", n_clients, 10, &record, &error)); /* they are there */
  g_assert_error (error, TALL_ERROR, TALL_ERROR_CONFLICT);
  self->front->n_gets = 0;
  run_well (self, "check", n_clients, 10, &record);
  g_assert_cmpint (self->front->n_gets, ==, N_ORDERS);
}

/* A client without an operation of its own does none, and does not go on for ever. */
static void
test_few_operations (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallBenchRecord record;
  run_well (self, "store", 8, 1, &record);
  run_well (self, "get", 8, 3, &record);
  g_assert_cmpuint (record.n_timed, ==, 3);
}

static void
test_seconds (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallBenchRecord record;
  TallBenchPlan plan = { .n_clients = 3, .seconds = 1e-6 };
  guint n;
  const TallBenchPhase *phases = tall_bench_phases (&n);
  run_well (self, "store", 3, 1, &record);
  record = (TallBenchRecord){ 0 };
  must (tall_bench_run_phase (&phases[1], &plan, TALL_FRONT (self->front), self->orders, &record,
                              &error));
  g_assert_cmpuint (record.n_timed, >=, 3);
}

static gboolean
run_mix (Fixture *self,
         const char *mix,
         guint n_clients,
         double rate,
         TallBenchRecord *record,
         GError **error)
{
  TallBenchMix parts = { 0 };
  g_assert_true (tall_bench_mix_parse (&parts, mix, error));
  for (guint i = 0; i < self->orders->orders->len; i++)
    tall_bench_change_order (g_ptr_array_index (self->orders->orders, i));
  TallBenchRecord stored;
  run_well (self, "store", n_clients, 1, &stored);
  self->front->n_puts = self->front->n_gets = 0;
  TallBenchPlan plan = { .n_clients = n_clients,
                         .n_operations = 600,
                         .seed = 5,
                         .rate = rate,
                         .mix = &parts,
                         .stop = &self->front->stop };
  guint n;
  const TallBenchPhase *phase = tall_bench_phases (&n);
  for (; !g_str_equal (phase->name, "mix"); phase++)
    ;
  *record = (TallBenchRecord){ 0 };
  return tall_bench_run_phase (phase, &plan, TALL_FRONT (self->front), self->orders, record, error);
}

/* Each part comes as often as its weight says, and what it reads is right though others write. */
static void
test_mix (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallBenchRecord record;
  must (run_mix (self, "get=3,missing=1,list=1,store=1,replace=4", 3, 0, &record, &error));
  g_assert_cmpuint (record.n_counted, ==, 600);
  g_assert_cmpint (self->front->n_gets, >, 180); /* of 240 */
  g_assert_cmpint (self->front->n_gets, <, 300);
  g_assert_cmpint (self->front->n_puts, >, 240); /* of 300 */
  g_assert_cmpint (self->front->n_puts, <, 360);
  run_well (self, "check", 3, 1, &record);
}

/* What is wrong is found in a mix as well. */
static void
test_mix_wrong (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  const TallBenchCustomer *customer = g_ptr_array_index (self->orders->customers, 0);
  const TallOrder *hidden = g_ptr_array_index (customer->by_date, 10);
  TallBenchRecord record;
  self->front->wrong = "0000000042";
  must_fail (run_mix (self, "get=1,replace=1", 1, 0, &record, &error), TALL_ERROR_DAMAGED);

  self->front->wrong = NULL;
  self->front->hidden = hidden->order_number;
  must_fail (run_mix (self, "list=1,replace=1", 1, 0, &record, &error), TALL_ERROR_DAMAGED);
}

/* A store that stands still once keeps all waiting that are due meanwhile, and their latencies say
 * so; without a rate it is one slow operation of many. */
static void
test_due (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallBenchRecord record;
  self->front->slow_at = 300; /* of 600, which come within 200 ms */
  gint64 begun = g_get_monotonic_time ();
  must (run_mix (self, "get=1", 1, 3000, &record, &error));
  g_assert_cmpuint (record.n_timed, ==, 540);
  g_assert_cmpfloat (record.metrics[TALL_BENCH_MAX], >=, SLOW);
  g_assert_cmpfloat (record.metrics[TALL_BENCH_P95], >=, SLOW / 2.0);
  g_assert_cmpfloat (record.metrics[TALL_BENCH_P99], >=, SLOW * 0.9);
  g_assert_cmpint (g_get_monotonic_time () - begun, >=, 599 * G_USEC_PER_SEC / 3000 - 1000);

  self->front->slow_at = 300;
  must (run_mix (self, "get=1", 1, 0, &record, &error));
  g_assert_cmpfloat (record.metrics[TALL_BENCH_MAX], >=, SLOW);
  g_assert_cmpfloat (record.metrics[TALL_BENCH_P95], <, SLOW / 2.0);
}

/* One takes long of so many that it is one in a hundred and not one in twenty. */
static void
test_percentiles (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  const guint n = 50;
  TallBenchRecord record;
  run_well (self, "store", 1, 1, &record);
  self->front->n_gets = 0;
  self->front->slow_at = (gint)n; /* the last one: the first ones warm up */
  run_well (self, "get", 1, n, &record);
  g_assert_cmpuint (record.n_timed, >, 20);
  g_assert_cmpfloat (record.metrics[TALL_BENCH_P50], <=, record.metrics[TALL_BENCH_P95]);
  g_assert_cmpfloat (record.metrics[TALL_BENCH_P95], <, SLOW / 2.0);
  g_assert_cmpfloat (record.metrics[TALL_BENCH_P99], >, SLOW / 2.0);
  g_assert_cmpfloat (record.metrics[TALL_BENCH_P999], >, SLOW / 2.0);
}

static void
check_rate (Fixture *self, const char *name, guint n_clients, gint slow_at)
{
  TallBenchRecord record;
  gint64 begun = g_get_monotonic_time ();
  self->front->slow_at = slow_at;
  self->front->n_puts = self->front->n_gets = 0;
  run_well (self, name, n_clients, n_clients, &record);
  double seconds = (double)(g_get_monotonic_time () - begun) / 1e6;
  g_assert_cmpfloat (record.metrics[TALL_BENCH_RATE], <=, (double)record.n_timed * 1e6 / SLOW);
  g_assert_cmpfloat (record.metrics[TALL_BENCH_RATE], >=, (double)record.n_timed / seconds);
}

/* One operation of one client takes long. The rate counts the time that passed, however fast the
 * others were. */
static void
test_rate (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  const guint n_clients = 9;
  check_rate (self, "store", n_clients, 1 + (gint)n_clients); /* each warms up with one */
  check_rate (self, "get", n_clients, 1);                     /* so few that none warms up */
}

/* The time to warm up does not count. */
static void
test_rate_when_warm (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallBenchRecord record;
  self->front->slow_at = 1;
  gint64 begun = g_get_monotonic_time ();
  run_well (self, "store", 9, 1, &record);
  double seconds = (double)(g_get_monotonic_time () - begun - SLOW) / 1e6;
  g_assert_cmpfloat (record.metrics[TALL_BENCH_RATE], >=, (double)record.n_timed / seconds);
}

/* Results are compared now and then, not kept until the phase is over; the last ones are compared,
 * too. */
static void
test_rounds (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallBenchRecord record;
  run_well (self, "store", 1, 1, &record);
  self->front->slow_at = 1500;
  run_well (self, "get", 2, 10000, &record); /* some rounds */
  g_assert_cmpuint (record.n_timed, ==, 9000);
  g_assert_cmpuint (record.n_counted, ==, (guint64)self->front->n_gets);
  /* one in the first round was slow: the time of all rounds counts */
  g_assert_cmpfloat (record.metrics[TALL_BENCH_RATE], <=, 9000 * 1e6 / SLOW);

  self->front->n_gets = 0;
  self->front->wrong = "0000000042";
  must_fail (run_phase (self, "get", 2, 1000000, &record, &error), TALL_ERROR_DAMAGED);
  g_assert_cmpint (self->front->n_gets, <, 20000);

  self->front->wrong = "0000000099";
  must_fail (run_phase (self, "check", 1, 1, &record, &error), TALL_ERROR_DAMAGED);
}

static void
assert_damaged (GError *error, const char *text)
{
  g_assert_error (error, TALL_ERROR, TALL_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, text));
}

/* One order of many that comes back with 1.50 as 1.5 is found, by all clients together. */
static void
test_wrong_order (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallBenchRecord record;
  g_autoptr (GError) error = NULL;
  run_well (self, "store", 2, 1, &record);
  self->front->wrong = "0000000042";
  g_assert_false (run_phase (self, "check", 2, 1, &record, &error));
  assert_damaged (error, "Order 0000000042 of C00000000 ");
  g_clear_error (&error);
  g_assert_false (run_phase (self, "get", 2, 10000, &record, &error));
  assert_damaged (error, "Order 0000000042 of C00000000 ");
}

/* So is a replace that did not take effect. */
static void
test_lost_replace (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallBenchRecord record;
  g_autoptr (GError) error = NULL;
  run_well (self, "store", 1, 1, &record);
  tall_bench_change_order (g_ptr_array_index (self->orders->orders, 17));
  g_assert_false (run_phase (self, "check", 1, 1, &record, &error));
  assert_damaged (error, "Order 0000000017 of C00000001 ");
}

static const TallBenchCustomer *
get_customer (Fixture *self)
{
  return g_ptr_array_index (self->orders->customers, 0);
}

/* So is a listing that leaves an order out, in the middle of the page. */
static void
test_wrong_list (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallBenchRecord record;
  g_autoptr (GError) error = NULL;
  const TallOrder *hidden = g_ptr_array_index (get_customer (self)->by_date, 10);
  run_well (self, "store", 1, 1, &record);
  self->front->hidden = hidden->order_number;
  g_assert_false (run_phase (self, "list", 1, 100, &record, &error));
  assert_damaged (error, "C00000000");
}

/* And an entry that is not what was stored: each field of it. */
static void
test_wrong_entry (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallBenchRecord record;
  run_well (self, "store", 1, 1, &record);
  for (guint field = 0; field < 6; field++)
    {
      g_autoptr (GError) error = NULL;
      TallListOptions options = { .limit = 30 };
      g_autoptr (TallOrderList) list = must (tall_front_list_orders (
          tall_forwarding_front_get_front (TALL_FORWARDING_FRONT (self->front)), "C00000000",
          &options, &error));
      must (tall_bench_check_list (get_customer (self), list, 30, FALSE, &error));
      TallOrderEntry *entry = &list->entries[29];
      if (field == 0)
        entry->sales_date++;
      else if (field == 1)
        entry->n_lines++;
      else if (field == 2)
        entry->total.unscaled++;
      else if (field == 3)
        entry->currency = NULL;
      else if (field == 4)
        entry->order_number = list->entries[0].order_number;
      else
        list->n_entries--;
      g_assert_false (tall_bench_check_list (get_customer (self), list, 30, FALSE, &error));
      assert_damaged (error, "C00000000");
    }
}

/* A missing order is an error, too; stopping is another error. */
static void
test_ends (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallBenchRecord record;
  g_autoptr (GError) error = NULL;
  must_fail (run_phase (self, "get", 2, 100, &record, &error), TALL_ERROR_NOT_FOUND);

  run_well (self, "store", 1, 1, &record);
  self->front->n_gets = 0;
  self->front->stop_after = 20;
  g_assert_false (run_phase (self, "get", 2, 100000, &record, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpint (self->front->n_gets, <=, 21);
}

static void
add (const char *path, guint n_clients, void (*test) (Fixture *self, gconstpointer data))
{
  g_test_add (path, Fixture, GUINT_TO_POINTER (n_clients), set_up, test, tear_down);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add ("/bench/run/phases/one-client", 1, test_phases);
  add ("/bench/run/phases/many-clients", 7, test_phases);
  add ("/bench/run/few-operations", 0, test_few_operations);
  add ("/bench/run/seconds", 0, test_seconds);
  add ("/bench/run/percentiles", 0, test_percentiles);
  add ("/bench/run/rate", 0, test_rate);
  add ("/bench/run/rate-when-warm", 0, test_rate_when_warm);
  add ("/bench/run/due", 0, test_due);
  add ("/bench/run/mix", 0, test_mix);
  add ("/bench/run/mix-wrong", 0, test_mix_wrong);
  add ("/bench/run/rounds", 0, test_rounds);
  add ("/bench/run/wrong-order", 0, test_wrong_order);
  add ("/bench/run/lost-replace", 0, test_lost_replace);
  add ("/bench/run/wrong-list", 0, test_wrong_list);
  add ("/bench/run/wrong-entry", 0, test_wrong_entry);
  add ("/bench/run/ends", 0, test_ends);
  return g_test_run ();
}
