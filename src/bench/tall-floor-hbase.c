/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-floor-private.h"

#include "tall-raw-client.h"
#include "tall-raw-request.h"

#define N_ORDERS 20
#define ROUND_SECONDS 0.1
#define WARM_UP 0.5 /* of the time that counts: the gateway compiles what it does often */

/* One of the layouts, and what its fetch of an order is compared with. */
typedef struct
{
  const TallLayout *layout;
  const char *id;
  const char *what;
} Kind;

static const Kind kinds[] = {
  { &tall_layout_blob, "hbase-get-blob", "HBase, blob: get / raw get" },
  { &tall_layout_record_type, "hbase-get-record-type", "HBase, record-type: get / raw scan" },
};

/* Fetching one order through the front. */
typedef struct
{
  const TallBenchStore *store;
  const TallOrder *order;
  TallOrder *found;
} Ours;

static gboolean
run_ours (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  Ours *self = data;
  self->found = tall_front_get_order (self->store->front, self->order->customer_number,
                                      self->order->order_number, NULL, error);
  return self->found != NULL;
}

static gboolean
check_ours (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  Ours *self = data;
  return tall_bench_check_same (self->order, self->found, error);
}

static void
clear_ours (gpointer data, guint n G_GNUC_UNUSED)
{
  Ours *self = data;
  g_clear_pointer (&self->found, tall_order_free);
}

static gboolean
call_raw (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  return tall_raw_client_call (data, error);
}

static gboolean
check_raw (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  return tall_raw_client_check (data, error);
}

/* The request that the layout's plan for an order comes to: both layouts have one read. */
static GByteArray *
encode_plan (const TallHbaseOptions *options,
             const TallLayout *layout,
             const TallOrder *order,
             GError **error)
{
  g_auto (TallOrderKey) key = { 0 };
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_order_key_init (&key, &tall_key_hashed, order->customer_number, 0, order->order_number);
  layout->plan_order (&key, plan);
  return tall_raw_request_encode (options, tall_read_plan_get (plan, 0), error);
}

static gboolean
measure (TallFloorRun *self,
         const Kind *kind,
         const TallHbaseOptions *options,
         const TallBenchStore *store,
         GError **error)
{
  TallWorkload workload = { "H", self->options->n_lines };
  TallMeasurePlan plan = tall_floor_make_plan (self, kind->what);
  g_auto (TallRawClient) raw = TALL_RAW_CLIENT_INIT;
  g_auto (TallMeasurement) measurement = { 0 };

  g_autoptr (GPtrArray) orders = tall_floor_fill (store, &workload, N_ORDERS, error);
  if (orders == NULL)
    return FALSE;
  Ours ours = { .store = store, .order = g_ptr_array_index (orders, N_ORDERS / 2) };
  g_autoptr (GByteArray) request = encode_plan (options, kind->layout, ours.order, error);
  if (request == NULL
      || !tall_raw_client_open (&raw, options->gateways[0], tall_slice_array (request),
                                options->framed, error))
    return FALSE;

  const TallMeasureSide sides[] = {
    { 1, NULL, run_ours, check_ours, clear_ours, &ours },
    { 1, NULL, call_raw, check_raw, NULL, &raw },
  };
  plan.warm_up = WARM_UP * self->options->seconds;
  plan.round_seconds = MIN (ROUND_SECONDS, self->options->seconds / 10);
  if (!tall_measure (sides, G_N_ELEMENTS (sides), &plan, &measurement, error))
    return FALSE;
  tall_bench_report_add_latency (self->report, kind->id, kind->what, 1.25, &measurement.sides[0],
                                 &measurement.sides[1]);
  return TRUE;
}

static gboolean
measure_kind (TallFloorRun *self, const Kind *kind, GError **error)
{
  g_auto (TallBenchStore) store = { 0 };
  TallHbaseOptions options = *self->options->hbase;
  TallStoreSettings settings = tall_bench_store_floor_settings (kind->layout);
  g_autofree char *name =
      g_strdup_printf ("%s-bench-%s-%08x", options.name != NULL ? options.name : "tallorder",
                       kind->layout->name, g_random_int ());
  const char *gateway[] = { options.gateways[0], NULL };

  /* The same gateway for both sides. */
  options.name = name;
  options.gateways = gateway;
  g_autoptr (TallTable) table = tall_hbase_table_open (&options, error);
  return table != NULL && tall_bench_store_open_in (&store, table, &settings, error)
         && measure (self, kind, &options, &store, error);
}

/**
 * tall_floor_hbase:
 *
 * Fetching an order with one connection against sending the same request to the same gateway, made
 * beforehand, and reading the reply without looking into it.
 */
gboolean
tall_floor_hbase (TallFloorRun *self, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (!measure_kind (self, &kinds[i], error))
      return FALSE;
  return TRUE;
}
