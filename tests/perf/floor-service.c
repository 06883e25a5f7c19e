/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "floor-run.h"

#include "floor-store.h"
#include "service/calls/calls.h"
#include "canned-server.h"
#include "tall-client.h"
#include "wire/connection.h"
#include "raw-client.h"
#include "service/server/server.h"

/* The message that fetches an order, without a frame's header. */
static GByteArray *
encode_request (const TallOrder *order, GError **error)
{
  const TallIdlCall *call = TALL_CALL (get_order);
  TallIdlArgs args = { .customer_number = order->customer_number,
                       .order_number = order->order_number };
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  g_autoptr (TallTransport) transport =
      tall_transport_new_memory ((TallSlice)TALL_SLICE_INIT, &options);

  if (!tall_message_write_call (call->name, transport, call->args, &args, error))
    return NULL;
  GByteArray *request = g_byte_array_new ();
  tall_bytes_append (request, tall_transport_get_output (transport));
  return request;
}

static gboolean
call (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  return tall_raw_client_call (data, error);
}

static gboolean
check (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  return tall_raw_client_check (data, error);
}

/* Checks that the server returns the order: raw replies are only compared with each other. */
static gboolean
check_server (const char *address, const TallOrder *order, GError **error)
{
  g_autoptr (TallFront) client = tall_client_new (address, error);
  if (client == NULL)
    return FALSE;
  TallBenchStore remote = { .front = client };
  return tall_bench_store_check_order (&remote, order, error);
}

static gboolean
measure (TallFloorRun *self, const char *address, const TallOrder *order, GError **error)
{
  g_auto (TallRawClient) ours = TALL_RAW_CLIENT_INIT;
  g_auto (TallRawClient) floor = TALL_RAW_CLIENT_INIT;
  g_auto (TallMeasurement) measurement = { 0 };
  TallMeasurePlan plan = tall_floor_make_plan (self, "service");

  g_autoptr (GByteArray) request = encode_request (order, error);
  if (request == NULL
      || !tall_raw_client_open (&ours, address, tall_slice_array (request), TRUE, error)
      || !check_server (address, order, error))
    return FALSE;
  g_autoptr (TallCannedServer) canned =
      tall_canned_server_new (ours.request->len, tall_slice_array (ours.reply), error);
  if (canned == NULL
      || !tall_raw_client_open (&floor, tall_canned_server_get_address (canned),
                                tall_slice_array (request), TRUE, error))
    return FALSE;

  const TallMeasureSide sides[] = {
    { 1, NULL, call, check, NULL, &ours },
    { 1, NULL, call, check, NULL, &floor },
  };
  gboolean done = tall_measure (sides, G_N_ELEMENTS (sides), &plan, &measurement, error);
  tall_raw_client_close (&floor);
  if (done)
    tall_bench_report_add_latency (self->report, "service-get",
                                   "service: get / a server that answers the same bytes", 2,
                                   &measurement.sides[0], &measurement.sides[1]);
  return done;
}

/**
 * tall_floor_service:
 *
 * Compares fetching an order from tallorder's server to getting the same bytes from a server that
 * has them ready.
 */
gboolean
tall_floor_service (TallFloorRun *self, GError **error)
{
  g_auto (TallBenchStore) store = { 0 };
  TallWorkload workload = { "T", self->options->n_lines };

  if (!tall_bench_store_open_embedded (&store, self->directory, &tall_layout_blob, FALSE, error))
    return FALSE;
  g_autoptr (GPtrArray) orders = tall_floor_fill (self, &store, &workload, 1, error);
  if (orders == NULL)
    return FALSE;
  g_autoptr (TallServer) server = tall_server_new (store.front, "127.0.0.1:0", NULL, error);
  if (server == NULL)
    return FALSE;

  gboolean done =
      measure (self, tall_server_get_address (server), g_ptr_array_index (orders, 0), error);
  return tall_server_stop (server) && done;
}
