/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "floor-run.h"

#include "floor-store.h"
#include "tall-client.h"
#include "service/server/server.h"
#include "wire/tls-context.h"

#define MAX_CLIENTS 64
#define EACH 16 /* calls of a client in a batch, where there are several */
#define N_ORDERS 1000

/* One way to the store: a server, and its clients, each with a connection. */
typedef struct
{
  TallServer *server;
  TallFront *clients[MAX_CLIENTS];
} Way;

/* What the clients of one way do. */
typedef struct
{
  const Way *way;
  guint n_clients;
  GPtrArray *stored;     /* of TallOrder: to be fetched; NULL: orders are put */
  TallWorkload workload; /* of orders to be put */
  guint64 next;
  GPtrArray *orders; /* owned; of TallOrder: those of this batch */
} Clients;

static void
way_close (Way *self)
{
  for (guint i = 0; i < MAX_CLIENTS; i++)
    g_clear_object (&self->clients[i]);
  if (self->server != NULL)
    (void)!tall_server_stop (self->server);
  g_clear_object (&self->server);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Way, way_close)

static void
clients_clear (Clients *self)
{
  g_clear_pointer (&self->orders, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Clients, clients_clear)

/* @files: (nullable): of TLS */
static TallFront *
open_client (TallServer *server, const TallTlsSettings *files, GError **error)
{
  const char *plain = tall_server_get_address (server);
  g_autofree char *address = g_strconcat (files != NULL ? TALL_CLIENT_TLS : "", plain, NULL);
  g_autoptr (TallFront) client = tall_client_new (address, error);

  if (client == NULL
      || (files != NULL
          && !tall_client_use_tls (TALL_CLIENT (client), files->ca, NULL, NULL, error)))
    return NULL;
  return g_steal_pointer (&client);
}

static gboolean
way_open (Way *self, TallFront *front, const TallTlsSettings *files, GError **error)
{
  g_autoptr (TallTlsContext) tls = NULL;
  TallServerOptions options = { .max_connections = 4 * MAX_CLIENTS };

  if (files != NULL && (tls = tall_tls_context_new_server (files, error)) == NULL)
    return FALSE;
  options.tls = tls;
  self->server = tall_server_new (front, "localhost:0", &options, error);
  if (self->server == NULL)
    return FALSE;
  for (guint i = 0; i < MAX_CLIENTS; i++)
    if ((self->clients[i] = open_client (self->server, files, error)) == NULL)
      return FALSE;
  return TRUE;
}

static gboolean
prepare (gpointer data, guint n, GError **error G_GNUC_UNUSED)
{
  Clients *self = data;
  g_clear_pointer (&self->orders, g_ptr_array_unref);
  if (self->stored != NULL)
    self->orders = g_ptr_array_ref (self->stored);
  else
    self->orders = tall_workload_make_orders (&self->workload, self->next, n);
  self->next += n;
  return TRUE;
}

static gboolean
call (const Clients *self, TallFront *front, TallOrder *order, GError **error)
{
  if (self->stored == NULL)
    return tall_front_put_order (front, order, NULL, NULL, error);
  g_autoptr (TallOrder) found =
      tall_front_get_order (front, order->customer_number, order->order_number, NULL, error);
  return found != NULL;
}

static gboolean
run_client (gpointer data, guint number, GError **error)
{
  const Clients *self = data;
  guint each = self->n_clients == 1 ? 1 : EACH;
  guint64 first = self->stored != NULL ? self->next : 0;
  for (guint i = number * each; i < (number + 1) * each; i++)
    if (!call (self, self->way->clients[number],
               g_ptr_array_index (self->orders, (first + i) % self->orders->len), error))
      return FALSE;
  return TRUE;
}

static gboolean
run (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  Clients *self = data;
  return self->n_clients == 1 ? run_client (self, 0, error)
                              : tall_floor_run_threads (self->n_clients, run_client, self, error);
}

static gboolean
check (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  const Clients *self = data;
  const TallBenchStore remote = { .front = self->way->clients[0] };
  return tall_bench_store_check_order (&remote, g_ptr_array_index (self->orders, 0), error);
}

typedef struct
{
  guint n_clients;
  gboolean puts;
  const char *id;
  const char *what;
  double goal; /* one client: of the latency, else of the rate */
} Comparison;

static gboolean
compare (TallFloorRun *self,
         const Way *ways,
         GPtrArray *stored,
         const Comparison *comparison,
         GError **error)
{
  guint n = comparison->n_clients, batch = n == 1 ? 1 : n * EACH;
  GPtrArray *wanted = comparison->puts ? NULL : stored;
  g_auto (TallMeasurement) measurement = { 0 };
  g_autofree char *encrypted = g_strdup_printf ("E%u-", n);
  g_autofree char *readable = g_strdup_printf ("P%u-", n);
  g_auto (Clients) tls = { &ways[0], n, wanted, { encrypted, self->options->n_lines }, 0, NULL };
  g_auto (Clients) plain = { &ways[1], n, wanted, { readable, self->options->n_lines }, 0, NULL };
  const TallMeasureSide sides[] = {
    { batch, prepare, run, check, NULL, &tls },
    { batch, prepare, run, check, NULL, &plain },
  };
  TallMeasurePlan plan = tall_floor_make_plan (self, "service: TLS");

  gboolean done = tall_measure (sides, G_N_ELEMENTS (sides), &plan, &measurement, error);
  if (done && n == 1)
    tall_bench_report_add_latency (self->report, comparison->id, comparison->what, comparison->goal,
                                   &measurement.sides[0], &measurement.sides[1]);
  else if (done)
    tall_bench_report_add_rate (self->report, comparison->id, comparison->what, comparison->goal,
                                &measurement.sides[0], &measurement.sides[1]);
  return done;
}

/**
 * tall_floor_tls:
 *
 * Compares calls over connections that are encrypted to the same calls over plain ones. Both go to
 * servers of the same store. Each client keeps its connection.
 */
gboolean
tall_floor_tls (TallFloorRun *self, GError **error)
{
  static const Comparison comparisons[] = {
    { 1, FALSE, "tls-get", "service: get over TLS / plain", 1.25 },
    { 1, TRUE, "tls-put", "service: put over TLS / plain", 1.25 },
    { 8, FALSE, "tls-get-8", "service: get of 8 clients over TLS / plain", 0.75 },
    { 8, TRUE, "tls-put-8", "service: put of 8 clients over TLS / plain", 0.75 },
    { 64, FALSE, "tls-get-64", "service: get of 64 clients over TLS / plain", 0.75 },
    { 64, TRUE, "tls-put-64", "service: put of 64 clients over TLS / plain", 0.75 },
  };
  g_auto (TallBenchStore) store = { 0 };
  g_auto (Way) tls = { 0 };
  g_auto (Way) plain = { 0 };
  TallWorkload workload = { "T", self->options->n_lines };
  const TallFloorOptions *options = self->options;
  const TallTlsSettings files = {
    .certificate = options->tls_certificate,
    .key = options->tls_key,
    .ca = options->tls_ca != NULL ? options->tls_ca : options->tls_certificate,
  };

  if (!tall_bench_store_open_embedded (&store, self->directory, &tall_layout_blob, FALSE, error))
    return FALSE;
  g_autoptr (GPtrArray) orders =
      tall_floor_fill (self, &store, &workload, MIN (N_ORDERS, options->n_orders), error);
  if (orders == NULL || !way_open (&tls, store.front, &files, error)
      || !way_open (&plain, store.front, NULL, error))
    return FALSE;
  const Way ways[] = { tls, plain };
  for (guint i = 0; i < G_N_ELEMENTS (comparisons); i++)
    if (!compare (self, ways, orders, &comparisons[i], error))
      return FALSE;
  return TRUE;
}
