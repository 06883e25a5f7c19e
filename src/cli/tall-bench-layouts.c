/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-bench-compare.h"
#include "tall-bench-file.h"
#include "tall-bench-given.h"
#include "tall-bench-results.h"
#include "tall-error.h"
#include "tall-json-output.h"
#include "tall-output.h"
#include "tall-stop.h"
#include "tall-workload.h"

#include <gio/gio.h>

#define USUAL_LINES 5
#define USUAL_COUNT 1000
#define USUAL_CUSTOMERS 20
#define USUAL_SECONDS 5
#define USUAL_SEED 1
#define MAX_KEPT_LINES                                                                             \
  5000000 /* of all orders, which are kept to be compared with: some 800 MB                        \
           */

static TallBenchOrders *
make_orders (const TallBenchGiven *given, GError **error)
{
  guint count = given->count != -1 ? (guint)given->count : USUAL_COUNT;
  TallWorkload workload = {
    .prefix = "",
    .n_lines = given->lines != NULL ? given->min_lines : USUAL_LINES,
    .max_lines = given->max_lines,
    .n_customers = given->customers != -1 ? (guint)given->customers : USUAL_CUSTOMERS,
    .seed = given->seed != -1 ? (guint64)given->seed : USUAL_SEED,
  };
  guint most = MAX (workload.n_lines, workload.max_lines);
  if ((guint64)count * most <= MAX_KEPT_LINES)
    return tall_bench_orders_new (tall_workload_make_orders (&workload, 0, count));
  g_set_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
               "All orders are kept in memory, to be compared with what comes back: %u of up to %u "
               "lines are too many; choose a --count up to %u",
               count, most, MAX_KEPT_LINES / most);
  return NULL;
}

static TallBenchOrders *
get_orders (const TallBenchGiven *given, GError **error)
{
  if (given->orders == NULL)
    return make_orders (given, error);
  guint count = given->count != -1 ? (guint)given->count : G_MAXUINT;
  GPtrArray *orders = tall_bench_file_read (given->orders, given->map, count, MAX_KEPT_LINES,
                                            tall_stop_on_signals (), error);
  return orders != NULL ? tall_bench_orders_new (orders) : NULL;
}

static gboolean
check_clients (const TallBenchGiven *given, const TallBenchOrders *orders, GError **error)
{
  if (given->clients <= orders->orders->len)
    return TRUE;
  tall_error_set_invalid (error, "clients",
                          "--clients %" G_GINT64_FORMAT ": there are only %u orders, and each "
                          "client needs its own to replace",
                          given->clients, orders->orders->len);
  return FALSE;
}

static TallBenchPlan
make_plan (const TallBenchGiven *given)
{
  return (TallBenchPlan){
    .n_clients = (guint)given->clients,
    .seconds = given->operations != -1 ? 0
               : given->seconds > 0    ? given->seconds
                                       : USUAL_SECONDS,
    .n_operations = given->operations != -1 ? (guint64)given->operations : 0,
    .seed = given->seed != -1 ? (guint64)given->seed : USUAL_SEED,
    .stop = tall_stop_on_signals (),
  };
}

static void
use_url (TallBenchCompare *compare, const TallStoreUrl *url, TallHbaseOptions *hbase)
{
  compare->name = url->name != NULL ? url->name : "tallorder";
  if (url->kind == TALL_STORE_ROCKSDB)
    {
      compare->directory = url->directory;
      compare->sync = url->sync;
      return;
    }
  hbase->gateways = (const char *const *)url->gateways;
  hbase->framed = url->framed;
  hbase->compact = url->compact;
  compare->hbase = hbase;
}

static void
print_results (const TallBenchGiven *given,
               const TallBenchCompare *compare,
               const TallBenchOrders *orders,
               const GArray *records)
{
  TallBenchResults results = {
    .store = compare->hbase != NULL ? "hbase" : "rocksdb",
    .n_clients = compare->plan.n_clients,
    .n_orders = orders->orders->len,
    .n_customers = orders->customers->len,
    .seconds = compare->plan.seconds,
    .n_operations = compare->plan.n_operations,
    .has_seed = given->orders == NULL,
    .seed = compare->plan.seed,
    .records = (const TallBenchRecord *)(gpointer)records->data,
    .n_records = records->len,
  };
  for (guint i = 0; i < orders->orders->len; i++)
    results.n_lines += tall_order_count_lines (g_ptr_array_index (orders->orders, i));
  g_autofree char *text =
      given->json ? tall_bench_results_to_json (&results) : tall_bench_results_to_text (&results);
  if (given->json)
    tall_json_print_text (text);
  else
    tall_print ("%s", text);
}

static void
print_kept (const TallBenchCompare *compare)
{
  for (guint i = 0; i < compare->n_layouts; i++)
    for (guint k = 0; k < compare->n_key_strategies; k++)
      {
        g_autofree char *name =
            tall_bench_compare_make_name (compare, compare->layouts[i], compare->key_strategies[k]);
        if (compare->hbase == NULL)
          tall_print ("%sKept: rocksdb:%s/%s\n", i + k == 0 ? "\n" : "", compare->directory, name);
        else
          tall_print ("%sKept: the deployment name=%s\n", i + k == 0 ? "\n" : "", name);
      }
}

static TallExit
measure (const TallBenchGiven *given, TallBenchCompare *compare, const TallBenchOrders *orders)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) records = g_array_new (FALSE, FALSE, sizeof (TallBenchRecord));
  gboolean done = tall_bench_compare_run (compare, orders, records, &error);
  tall_bench_clear_progress ();
  if (done)
    {
      print_results (given, compare, orders, records);
      if (compare->keep && !given->json)
        print_kept (compare);
      return TALL_EXIT_DONE;
    }
  tall_print_failure (error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return (TallExit)(128 + g_atomic_int_get (compare->plan.stop));
  return TALL_EXIT_FAILED;
}

/**
 * tall_bench_measure_layouts:
 *
 * `bench` without `--floor`: the same work in deployments of several layouts and keys.
 */
TallExit
tall_bench_measure_layouts (const TallBenchGiven *given, const TallStoreUrl *url)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) layouts = tall_bench_given_find_layouts (given, &error);
  g_autoptr (GPtrArray) keys = layouts != NULL ? tall_bench_given_find_keys (given, &error) : NULL;
  g_autoptr (TallBenchOrders) orders = keys != NULL ? get_orders (given, &error) : NULL;
  if (orders == NULL || !check_clients (given, orders, &error))
    {
      tall_print_failure (error);
      return g_error_matches (error, TALL_ERROR, TALL_ERROR_INVALID)
                     || g_error_matches (error, TALL_ERROR, TALL_ERROR_TOO_LARGE)
                 ? TALL_EXIT_USAGE
                 : TALL_EXIT_FAILED;
    }

  TallHbaseOptions hbase = TALL_HBASE_OPTIONS_INIT;
  TallBenchCompare compare = {
    .layouts = (const TallLayout *const *)layouts->pdata,
    .n_layouts = layouts->len,
    .key_strategies = (const TallKeyStrategy *const *)keys->pdata,
    .n_key_strategies = keys->len,
    .keep = given->keep,
    .plan = make_plan (given),
    .progress = tall_bench_show_progress,
  };
  use_url (&compare, url, &hbase);
  return measure (given, &compare, orders);
}
