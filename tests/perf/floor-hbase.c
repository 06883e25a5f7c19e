/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "floor-run.h"

#include "floor-store.h"
#include "peer-reader.h"
#include "raw-request.h"

#define N_ORDERS 20
#define ROUND_SECONDS 0.1
#define WARM_UP 0.5      /* of the time that counts: the gateway compiles what it does often */
#define PEER_BATCH 16    /* fetches of a peer that are timed together: it is reached by pipes */
#define PEER_WARM_UP 500 /* of them beforehand, for each second that counts */
#define PEER_GOAL 3

/* A layout, and the raw request that its fetch of an order is compared with. */
typedef struct
{
  const TallLayout *layout;
  guint read; /* of its plan for an order: the one that is sent raw */
  double goal;
  const char *id;
  const char *what;
  const char *peer_id;
  const char *peer_what;
} Kind;

static const Kind kinds[] = {
  { &tall_layout_blob, 0, 1.25, "hbase-get-blob", "HBase, blob: get / raw get", "hbase-peer-blob",
    "HBase, blob: get / the peer's" },
  { &tall_layout_wide, 0, 1.25, "hbase-get-wide", "HBase, wide: get / raw get", "hbase-peer-wide",
    "HBase, wide: get / the peer's" },
  { &tall_layout_record_type, 0, 1.25, "hbase-get-record-type",
    "HBase, record-type: get / raw scan", "hbase-peer-record-type",
    "HBase, record-type: get / the peer's" },
  { &tall_layout_denormalized, 0, 1.25, "hbase-get-denormalized",
    "HBase, denormalized: get / raw scan", "hbase-peer-denormalized",
    "HBase, denormalized: get / the peer's" },
  /* a get and two scans at the same time, against the scan of the lines alone */
  { &tall_layout_normalized, 2, 1.6, "hbase-get-normalized", "HBase, normalized: get / raw scan",
    "hbase-peer-normalized", "HBase, normalized: get / the peer's" },
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

static gboolean
run_peer (gpointer data, guint n, GError **error)
{
  return tall_peer_reader_run (data, n, error);
}

static gboolean
check_peer (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  return tall_peer_reader_check (data, error);
}

/* Lets the peer fetch, often enough that it is not slower than it will be, or as long as it is
 * measured afterwards. It keeps what it finds until that is checked. */
static gboolean
warm_up_peer (TallPeerReader *peer, double seconds, GError **error)
{
  gint64 end = g_get_monotonic_time () + (gint64)(seconds * G_USEC_PER_SEC);
  guint n = 0;
  do
    {
      if (!tall_peer_reader_run (peer, PEER_BATCH, error) || !tall_peer_reader_check (peer, error))
        return FALSE;
      n += PEER_BATCH;
    }
  while (n < PEER_WARM_UP * seconds && g_get_monotonic_time () < end);
  return TRUE;
}

static gboolean
prepare_peer (TallPeerReader *peer,
              const TallFloorRun *self,
              const TallFloorHbase *hbase,
              const TallOrder *order,
              GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_bench_store_plan_order (&hbase->store, order);
  return tall_peer_reader_plan (peer, &hbase->address.options, hbase->store.table, plan, error)
         && warm_up_peer (peer, self->options->seconds, error);
}

/* Means, because several of its fetches are timed together. */
static void
report_peer (TallFloorRun *self, const Kind *kind, const TallMeasurement *measurement)
{
  const TallMeasured *ours = &measurement->sides[0];
  const TallMeasured *peer = &measurement->sides[2];
  const TallBenchFigure figure = {
    .id = kind->peer_id,
    .what = kind->peer_what,
    .unit = "µs mean",
    .ours = tall_measured_get_mean (ours) / 1000,
    .floor = tall_measured_get_mean (peer) / 1000,
    .ratio = tall_measured_compare_means (ours, peer),
    .goal = PEER_GOAL,
    .ours_measured = ours,
    .floor_measured = peer,
  };
  tall_bench_report_add (self->report, &figure);
}

/* Connects with one of the requests of the layout's plan for an order. */
static gboolean
connect_raw (const TallFloorHbase *hbase,
             const Kind *kind,
             const TallOrder *order,
             TallRawClient *raw,
             GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_bench_store_plan_order (&hbase->store, order);
  return tall_floor_hbase_connect (hbase, tall_read_plan_get (plan, kind->read), raw, error);
}

/* @counts: whether it is reported; else it warms up */
static gboolean
measure_kind (
    TallFloorRun *self, const Kind *kind, TallPeerReader *peer, gboolean counts, GError **error)
{
  gboolean with_peer = self->options->peer != NULL;
  g_auto (TallFloorHbase) hbase = { 0 };
  g_auto (TallRawClient) raw = TALL_RAW_CLIENT_INIT;
  g_auto (TallMeasurement) measurement = { 0 };
  TallWorkload workload = { "H", self->options->n_lines };
  TallMeasurePlan plan = tall_floor_make_plan (self, kind->what);

  if (!tall_floor_hbase_open (&hbase, self, kind->layout, error))
    return FALSE;
  g_autoptr (GPtrArray) orders = tall_floor_fill (self, &hbase.store, &workload, N_ORDERS, error);
  if (orders == NULL)
    return FALSE;
  Ours ours = { .store = &hbase.store, .order = g_ptr_array_index (orders, N_ORDERS / 2) };
  /* the raw connection last: a gateway closes one that is idle for a minute */
  if ((with_peer && !prepare_peer (peer, self, &hbase, ours.order, error))
      || !connect_raw (&hbase, kind, ours.order, &raw, error))
    return FALSE;

  const TallMeasureSide sides[] = {
    { 1, NULL, run_ours, check_ours, clear_ours, &ours },
    tall_floor_hbase_get_raw_side (&raw),
    { PEER_BATCH, NULL, run_peer, check_peer, NULL, peer },
  };
  plan.warm_up = WARM_UP * self->options->seconds;
  plan.round_seconds = MIN (ROUND_SECONDS, self->options->seconds / 10);
  if (!tall_measure (sides, with_peer ? G_N_ELEMENTS (sides) : 2, &plan, &measurement, error))
    return FALSE;
  if (!counts)
    return TRUE;
  tall_bench_report_add_latency (self->report, kind->id, kind->what, kind->goal,
                                 &measurement.sides[0], &measurement.sides[1]);
  if (with_peer)
    report_peer (self, kind, &measurement);
  return TRUE;
}

/**
 * tall_floor_hbase_open_with:
 *
 * Makes a deployment under a name of its own. Close it in any case.
 */
gboolean
tall_floor_hbase_open_with (TallFloorHbase *self,
                            const TallFloorRun *run,
                            const TallStoreSettings *settings,
                            GError **error)
{
  const TallTableAddress *given = run->options->address;
  TallHbaseOptions *options = &self->address.options;
  tall_hbase_address_init (&self->address, given);
  self->name = g_strdup_printf ("%s-bench-%s-%08x", given->name != NULL ? given->name : "tallorder",
                                settings->layout->name, g_random_int ());
  self->gateways[0] = options->gateways[0];
  options->name = self->name;
  options->gateways = self->gateways;
  g_autoptr (TallTable) table = tall_hbase_table_open (options, error);
  return table != NULL && tall_bench_store_open_in (&self->store, table, settings, error);
}

/**
 * tall_floor_hbase_open:
 *
 * The same, to be compared with raw rows.
 */
gboolean
tall_floor_hbase_open (TallFloorHbase *self,
                       const TallFloorRun *run,
                       const TallLayout *layout,
                       GError **error)
{
  const TallStoreSettings settings = tall_bench_store_floor_settings (layout);
  return tall_floor_hbase_open_with (self, run, &settings, error);
}

void
tall_floor_hbase_close (TallFloorHbase *self)
{
  tall_bench_store_close (&self->store);
  g_clear_pointer (&self->name, g_free);
  tall_hbase_address_clear (&self->address);
}

/**
 * tall_floor_hbase_connect:
 *
 * Opens a connection of its own, which replays one request, made beforehand.
 */
gboolean
tall_floor_hbase_connect (const TallFloorHbase *self,
                          const TallRead *read,
                          TallRawClient *raw,
                          GError **error)
{
  g_autoptr (GByteArray) request = tall_raw_request_encode (&self->address.options, read, error);
  return request != NULL
         && tall_raw_client_open (raw, self->gateways[0], tall_slice_array (request),
                                  self->address.options.framed, error);
}

/**
 * tall_floor_hbase_get_raw_side:
 *
 * Returns: the side that sends the request of a connection
 */
TallMeasureSide
tall_floor_hbase_get_raw_side (TallRawClient *raw)
{
  return (TallMeasureSide){ 1, NULL, call_raw, check_raw, NULL, raw };
}

/**
 * tall_floor_hbase:
 *
 * Compares fetching an order with one client to sending the same request, made beforehand, to the
 * same gateway and reading the reply without decoding it; and, if there is a peer, to its fetching
 * the same rows.
 */
gboolean
tall_floor_hbase (TallFloorRun *self, GError **error)
{
  g_auto (TallPeerReader) peer = { 0 };
  /* A peer may compile what it does often, as the gateway does: the first layout would pay for the
   * others. The last one has gets and scans. */
  if (self->options->peer != NULL
      && (!tall_peer_reader_open (&peer, self->options->peer, error)
          || !measure_kind (self, &kinds[G_N_ELEMENTS (kinds) - 1], &peer, FALSE, error)))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (!measure_kind (self, &kinds[i], &peer, TRUE, error))
      return FALSE;
  return TRUE;
}
