/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/load.h"

#include "tall-bulk.h"
#include "tall-error.h"

/* Of a batch at most. */
#define MAX_ORDERS 100
#define MAX_LINES 2000

static TallOrder *
copy_new (const TallBenchOrders *orders, guint64 place)
{
  const TallOrder *order = g_ptr_array_index (orders->orders, place);
  g_autofree char *end = g_strdup_printf ("%" G_GUINT64_FORMAT, place);
  TallOrder *copy = g_new (TallOrder, 1);
  *copy = *order;
  copy->order_number = tall_bench_orders_make_number (orders, order, end);
  return copy;
}

static void
copy_free (TallOrder *copy)
{
  g_free (copy->order_number);
  g_free (copy);
}

void
tall_bench_batch_free (TallBenchBatch *self)
{
  g_ptr_array_unref (self->copies);
  g_free (self);
}

/* A tenth of its orders warms up, and must not be in a batch with others. */
static guint
get_batch (const TallBenchClient *client)
{
  guint n_own =
      (client->orders->orders->len - client->number + client->n_clients - 1) / client->n_clients;
  return CLAMP (n_own / 10, 1, MAX_ORDERS);
}

/**
 * tall_bench_load_choose:
 *
 * Takes the next of the client's own orders, as many as make a batch.
 */
void
tall_bench_load_choose (TallBenchClient *client, TallBenchOperation *operation)
{
  guint n_lines = 0;
  guint most = get_batch (client);
  operation->batch = g_new (TallBenchBatch, 1);
  operation->batch->copies = g_ptr_array_new_with_free_func ((GDestroyNotify)copy_free);
  while (operation->n < most && n_lines < MAX_LINES)
    {
      guint64 place = client->number + client->step * client->n_clients;
      if (place >= client->orders->orders->len)
        break;
      TallOrder *copy = copy_new (client->orders, place);
      g_ptr_array_add (operation->batch->copies, copy);
      n_lines += tall_order_count_lines (copy);
      operation->n++;
      client->step++;
    }
}

static gboolean
check_stored (const TallBenchBatch *batch, const TallBulkResult *results, GError **error)
{
  for (guint i = 0; i < batch->copies->len; i++)
    {
      const TallOrder *copy = g_ptr_array_index (batch->copies, i);
      if (results[i].outcome == TALL_BULK_STORED)
        continue;
      if (results[i].error != NULL)
        g_propagate_error (error, g_error_copy (results[i].error));
      else
        g_set_error (error, TALL_ERROR, TALL_ERROR_CONFLICT, "Order %s of %s was there already",
                     copy->order_number, copy->customer_number);
      return FALSE;
    }
  return TRUE;
}

/**
 * tall_bench_load_run:
 *
 * Puts a batch. The first one of a client begins its load.
 */
gboolean
tall_bench_load_run (TallBenchClient *client, TallBenchOperation *operation, GError **error)
{
  const TallBenchBatch *batch = operation->batch;
  guint n = batch->copies->len;
  if (client->bulk == NULL)
    client->bulk = tall_bulk_begin (client->front, NULL, error);
  if (client->bulk == NULL)
    return FALSE;
  g_autofree TallBulkResult *results = g_new0 (TallBulkResult, n);
  gboolean ok = tall_bulk_put_orders (client->bulk, (TallOrder *const *)batch->copies->pdata, n,
                                      results, error)
                && check_stored (batch, results, error);
  for (guint i = 0; i < n; i++)
    tall_bulk_result_clear (&results[i]);
  return ok;
}

/**
 * tall_bench_load_end:
 *
 * Ends the load of a client, if it has begun one.
 */
gboolean
tall_bench_load_end (TallBenchClient *client, GError **error)
{
  g_autoptr (TallBulk) bulk = g_steal_pointer (&client->bulk);
  return bulk == NULL || tall_bulk_end (bulk, error);
}
