/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "raw-puts.h"

#include "raw-request.h"
#include "store/record/tables.h"

#define BATCH 100     /* rows of a request */
#define CONNECTIONS 8 /* as many as a load has batches at once */
#define READ_TIME ((gint64)300 * G_USEC_PER_SEC)

struct _TallRawPuts
{
  const TallFloorHbase *target; /* not owned */
  GPtrArray *requests;          /* of GByteArray: without a frame's header */
  TallRawClient clients[CONNECTIONS];
  gint next; /* atomic: the request that is sent next */
};

/* The request that puts rows of one table. */
static GByteArray *
encode (const TallRawPuts *self, const char *table, const TallRow *rows, guint n, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  for (guint i = 0; i < n; i++)
    {
      TallMutation *row = tall_batch_add (batch, table, rows[i].key);
      for (guint k = 0; k < rows[i].n_cells; k++)
        tall_mutation_put (batch, row, rows[i].cells[k].qualifier, rows[i].cells[k].timestamp,
                           rows[i].cells[k].value);
    }
  return tall_raw_request_encode_puts (&self->target->address.options, batch, error);
}

/* All rows of one table. */
typedef struct
{
  char *name;
  TallReadResult *result;
} Rows;

static void
rows_free (gpointer data)
{
  Rows *self = data;
  g_free (self->name);
  g_clear_pointer (&self->result, tall_read_result_free);
  g_free (self);
}

/**
 * tall_raw_puts_read:
 * @from: tables of a deployment
 *
 * Returns: (transfer full): its rows, without those of the deployment itself
 */
GPtrArray *
tall_raw_puts_read (TallTable *from, GError **error)
{
  gint64 deadline = g_get_monotonic_time () + READ_TIME;
  g_autoptr (GPtrArray) tables = g_ptr_array_new_with_free_func (rows_free);
  g_auto (GStrv) names = tall_table_list_tables (from, deadline, error);
  if (names == NULL)
    return NULL;
  for (guint i = 0; names[i] != NULL; i++)
    {
      if (g_str_equal (names[i], TALL_META_TABLE))
        continue;
      Rows *rows = g_new0 (Rows, 1);
      g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
      tall_read_plan_add_prefix_scan (plan, names[i], tall_slice_str (""));
      g_ptr_array_add (tables, rows);
      rows->name = g_strdup (names[i]);
      rows->result = tall_table_read (from, plan, deadline, error);
      if (rows->result == NULL)
        return NULL;
    }
  return g_steal_pointer (&tables);
}

static gboolean
add_table (TallRawPuts *self, const Rows *from, GError **error)
{
  const TallRows *rows = &from->result->results[0];
  for (guint i = 0; i < rows->n_rows; i += BATCH)
    {
      GByteArray *request =
          encode (self, from->name, &rows->rows[i], MIN (BATCH, rows->n_rows - i), error);
      if (request == NULL)
        return FALSE;
      g_ptr_array_add (self->requests, request);
    }
  return TRUE;
}

static gboolean
add_tables (TallRawPuts *self, const GPtrArray *tables, GError **error)
{
  for (guint i = 0; i < tables->len; i++)
    if (!add_table (self, g_ptr_array_index (tables, i), error))
      return FALSE;
  return TRUE;
}

/* Every connection has sent one of the requests, so that it knows the reply. */
static gboolean
connect_all (TallRawPuts *self, GError **error)
{
  const TallFloorHbase *target = self->target;
  for (guint i = 0; i < CONNECTIONS; i++)
    if (!tall_raw_client_open (&self->clients[i], target->gateways[0],
                               tall_slice_array (self->requests->pdata[0]),
                               target->address.options.framed, error))
      return FALSE;
  return TRUE;
}

/**
 * tall_raw_puts_new:
 * @tables: what tall_raw_puts_read() has read
 * @target: where they are to go; stays the caller's
 */
TallRawPuts *
tall_raw_puts_new (const GPtrArray *tables, const TallFloorHbase *target, GError **error)
{
  g_autoptr (TallRawPuts) self = g_new0 (TallRawPuts, 1);
  self->target = target;
  self->requests = g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  for (guint i = 0; i < CONNECTIONS; i++)
    self->clients[i] = (TallRawClient)TALL_RAW_CLIENT_INIT;
  if (!add_tables (self, tables, error) || !connect_all (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
tall_raw_puts_free (TallRawPuts *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < CONNECTIONS; i++)
    tall_raw_client_close (&self->clients[i]);
  g_ptr_array_unref (self->requests);
  g_free (self);
}

static gboolean
send_some (gpointer data, guint number, GError **error)
{
  TallRawPuts *self = data;
  TallRawClient *client = &self->clients[number];
  guint i;
  while ((i = (guint)g_atomic_int_add (&self->next, 1)) < self->requests->len)
    {
      tall_raw_client_set_request (client, tall_slice_array (self->requests->pdata[i]),
                                   self->target->address.options.framed);
      if (!tall_raw_client_call (client, error) || !tall_raw_client_check (client, error))
        return FALSE;
    }
  return TRUE;
}

/**
 * tall_raw_puts_send:
 *
 * Sends all requests, over several connections at the same time. A reply that is not as the first
 * one is an error.
 */
gboolean
tall_raw_puts_send (TallRawPuts *self, GError **error)
{
  g_atomic_int_set (&self->next, 0);
  return tall_floor_run_threads (CONNECTIONS, send_some, self, error);
}
