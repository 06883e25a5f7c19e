/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-writer.h"

#include "tall-hbase-convert.h"

/* Limits of one request: a framed gateway silently drops requests over 2 MB. */
#define MAX_ROWS 200
#define MAX_REQUEST (1536 * 1024)
#define GATEWAY_LIMIT (2 * 1024 * 1024 - 64 * 1024)

/* What Thrift adds to a row and to a change, at most. */
#define ROW_EXTRA 64
#define CHANGE_EXTRA 64

typedef enum
{
  GROUP_PUTS,    /* nothing but puts: putMultiple */
  GROUP_DELETES, /* deletes of one kind: deleteMultiple */
  GROUP_MIXED,   /* anything else, alone: mutateRow */
} Group;

/* One request of tall_hbase_apply(). */
typedef struct
{
  TallHbaseCall call;
  Group group;
  GByteArray *table;
  GPtrArray *mutations; /* of TallMutation; not owned */
  GArray *positions;    /* of guint: where they stand in what the caller gave */
  gsize size;           /* bytes, about */
  gboolean again;       /* deletes failed, and are sent again */
} Request;

static void
request_free (gpointer data)
{
  Request *self = data;
  g_clear_pointer (&self->table, g_byte_array_unref);
  g_clear_pointer (&self->mutations, g_ptr_array_unref);
  g_clear_pointer (&self->positions, g_array_unref);
  g_free (self);
}

static gsize
encoded_size (const TallMutation *mutation)
{
  return tall_mutation_get_size (mutation) + mutation->row.len + ROW_EXTRA
         + (gsize)mutation->n_changes * CHANGE_EXTRA;
}

static Group
group_of (const TallMutation *mutation)
{
  gboolean puts = tall_hbase_mutation_has (mutation, TALL_CHANGE_PUT);
  gboolean up_to = tall_hbase_mutation_has (mutation, TALL_CHANGE_DELETE_UP_TO);
  gboolean at = tall_hbase_mutation_has (mutation, TALL_CHANGE_DELETE_AT);

  if (puts + up_to + at > 1)
    return GROUP_MIXED;
  return puts ? GROUP_PUTS : GROUP_DELETES;
}

static HbTDelete *
delete_of (const TallMutation *mutation)
{
  return tall_hbase_delete_new (mutation, mutation->changes[0].kind);
}

static gboolean
apply_send (TallHbaseCall *call, HbGatewayIf *client, GError **error)
{
  Request *self = (Request *)call;
  const TallMutation *first = g_ptr_array_index (self->mutations, 0);
  if (self->group == GROUP_MIXED)
    {
      g_autoptr (HbTRowMutations) mutations = tall_hbase_row_mutations_new (first);
      return hb_gateway_client_send_mutate_row (client, self->table, mutations, error);
    }

  gboolean puts = self->group == GROUP_PUTS;
  g_autoptr (GPtrArray) list = g_ptr_array_new_full (self->mutations->len, g_object_unref);
  for (guint i = 0; i < self->mutations->len; i++)
    {
      const TallMutation *mutation = g_ptr_array_index (self->mutations, i);
      if (puts)
        g_ptr_array_add (list, tall_hbase_put_new (mutation));
      else
        g_ptr_array_add (list, delete_of (mutation));
    }
  return puts ? hb_gateway_client_send_put_multiple (client, self->table, list, error)
              : hb_gateway_client_send_delete_multiple (client, self->table, list, error);
}

/* The gateway lists failed deletes instead of declaring an error. All are sent again, once. */
static gboolean
check_deletes (Request *self, const GPtrArray *failed, HbTIOError **io)
{
  self->call.again = failed->len > 0 && !self->again;
  self->again = self->call.again;
  if (failed->len == 0 || self->again)
    return TRUE;

  *io = g_object_new (HB_TYPE_T_I_O_ERROR, NULL);
  g_free ((*io)->message);
  (*io)->message = g_strdup_printf ("%u of %u deletes failed", failed->len, self->mutations->len);
  (*io)->__isset_message = TRUE;
  (*io)->canRetry = TRUE;
  (*io)->__isset_canRetry = TRUE;
  return FALSE;
}

static gboolean
apply_receive (TallHbaseCall *call, HbGatewayIf *client, HbTIOError **io, GError **error)
{
  Request *self = (Request *)call;
  if (self->group == GROUP_MIXED)
    return hb_gateway_client_recv_mutate_row (client, io, error);
  if (self->group == GROUP_PUTS)
    return hb_gateway_client_recv_put_multiple (client, io, error);

  g_autoptr (GPtrArray) failed = g_ptr_array_new_with_free_func (g_object_unref);
  return hb_gateway_client_recv_delete_multiple (client, &failed, io, error)
         && check_deletes (self, failed, io);
}

static Request *
request_new (const TallHbaseNames *names, const char *table, Group group)
{
  Request *self = g_new0 (Request, 1);
  self->call.send = apply_send;
  self->call.receive = apply_receive;
  self->call.table = table;
  self->call.writes = TRUE;
  self->call.harmless = TRUE; /* all timestamps are explicit */
  self->group = group;
  self->table = tall_hbase_names_get_table (names, table);
  self->mutations = g_ptr_array_new ();
  self->positions = g_array_new (FALSE, FALSE, sizeof (guint));
  return self;
}

/* The request that has room for more of that kind, or a new one. */
static Request *
request_for (GPtrArray *requests,
             const TallHbaseNames *names,
             const TallMutation *mutation,
             gsize size)
{
  Group group = group_of (mutation);
  for (guint i = requests->len; group != GROUP_MIXED && i > 0; i--)
    {
      Request *request = g_ptr_array_index (requests, i - 1);
      if (request->group == group && g_str_equal (request->call.table, mutation->table))
        {
          if (request->mutations->len < MAX_ROWS && request->size + size <= MAX_REQUEST)
            return request;
          break;
        }
    }

  Request *request = request_new (names, mutation->table, group);
  g_ptr_array_add (requests, request);
  return request;
}

static gboolean
check_size (TallHbasePool *pool, const TallMutation *mutation, gsize size, GError **error)
{
  if (size <= GATEWAY_LIMIT || !tall_hbase_pool_get_options (pool)->framed)
    return TRUE;

  g_autofree char *row = tall_slice_to_debug (mutation->row);
  g_set_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
               "row %s of table %s: %" G_GSIZE_FORMAT
               " bytes to write; a framed gateway takes requests of up to 2 MB",
               row, mutation->table, size);
  return FALSE;
}

static void
report_done (GPtrArray *requests, gboolean *done)
{
  for (guint i = 0; done != NULL && i < requests->len; i++)
    {
      Request *request = g_ptr_array_index (requests, i);
      for (guint k = 0; request->call.done && k < request->positions->len; k++)
        done[g_array_index (request->positions, guint, k)] = TRUE;
    }
}

/**
 * tall_hbase_apply:
 *
 * Implements apply. Rows with puts only go by `putMultiple`, rows with deletes only by
 * `deleteMultiple`, both in batches; every other row goes by a `mutateRow` of its own.
 */
gboolean
tall_hbase_apply (TallHbasePool *pool,
                  const TallHbaseNames *names,
                  TallMutation *const *mutations,
                  guint n,
                  gint64 deadline,
                  gboolean *done,
                  GError **error)
{
  g_autoptr (GPtrArray) requests = g_ptr_array_new_with_free_func (request_free);
  for (guint i = 0; i < n; i++)
    {
      gsize size = encoded_size (mutations[i]);
      if (!check_size (pool, mutations[i], size, error))
        return FALSE;
      Request *request = request_for (requests, names, mutations[i], size);
      g_ptr_array_add (request->mutations, mutations[i]);
      g_array_append_val (request->positions, i);
      request->size += size;
    }

  gboolean ok = tall_hbase_run (pool, names, (TallHbaseCall *const *)requests->pdata, requests->len,
                                deadline, error);
  report_done (requests, done);
  return ok;
}

typedef struct
{
  TallHbaseCall call;
  GByteArray *table;
  const TallMutation *mutation;
  const TallHbaseCondition *condition;
  gboolean matched;
} ConditionalRequest;

static gboolean
apply_if_send (TallHbaseCall *call, HbGatewayIf *client, GError **error)
{
  ConditionalRequest *self = (ConditionalRequest *)call;
  const TallSlice *expected = self->condition->expected;
  g_autoptr (GByteArray) row = tall_hbase_bytes (self->mutation->row);
  g_autoptr (GByteArray) family = tall_hbase_bytes (tall_slice_str (TALL_FAMILY));
  g_autoptr (GByteArray) qualifier = tall_hbase_bytes (self->condition->qualifier);
  /* The empty value means "must not exist"; an absent one is an error of the gateway. */
  g_autoptr (GByteArray) value =
      tall_hbase_bytes (expected == NULL ? (TallSlice)TALL_SLICE_INIT : *expected);
  g_autoptr (HbTRowMutations) mutations = tall_hbase_row_mutations_new (self->mutation);

  return hb_gateway_client_send_check_and_mutate (client, self->table, row, family, qualifier,
                                                  HB_T_COMPARE_OP_EQUAL, value, mutations, error);
}

static gboolean
apply_if_receive (TallHbaseCall *call, HbGatewayIf *client, HbTIOError **io, GError **error)
{
  ConditionalRequest *self = (ConditionalRequest *)call;
  return hb_gateway_client_recv_check_and_mutate (client, &self->matched, io, error);
}

/**
 * tall_hbase_apply_if:
 *
 * Implements apply_if by `checkAndMutate`. It is sent twice only if the first request cannot have
 * arrived as a whole.
 */
gboolean
tall_hbase_apply_if (TallHbasePool *pool,
                     const TallHbaseNames *names,
                     const TallMutation *mutation,
                     const TallHbaseCondition *condition,
                     gint64 deadline,
                     gboolean *matched,
                     GError **error)
{
  if (!check_size (pool, mutation, encoded_size (mutation), error))
    return FALSE;

  g_autoptr (GByteArray) table = tall_hbase_names_get_table (names, mutation->table);
  ConditionalRequest request = {
    .call = { .send = apply_if_send,
              .receive = apply_if_receive,
              .table = mutation->table,
              .writes = TRUE },
    .table = table,
    .mutation = mutation,
    .condition = condition,
  };
  TallHbaseCall *calls[] = { &request.call };
  if (!tall_hbase_run (pool, names, calls, 1, deadline, error))
    return FALSE;
  *matched = request.matched;
  return TRUE;
}

typedef struct
{
  TallHbaseCall call;
  GByteArray *table;
  const TallHbaseCounter *counter;
  gint64 delta;
  HbTResult *result;
} IncrementRequest;

static gboolean
increment_send (TallHbaseCall *call, HbGatewayIf *client, GError **error)
{
  IncrementRequest *self = (IncrementRequest *)call;
  g_autoptr (HbTIncrement) increment =
      tall_hbase_increment_new (self->counter->row, self->counter->qualifier, self->delta);
  return hb_gateway_client_send_increment (client, self->table, increment, error);
}

static gboolean
increment_receive (TallHbaseCall *call, HbGatewayIf *client, HbTIOError **io, GError **error)
{
  IncrementRequest *self = (IncrementRequest *)call;
  return hb_gateway_client_recv_increment (client, &self->result, io, error);
}

static gboolean
read_counter (const HbTResult *result, gint64 *value, GError **error)
{
  if (result->columnValues->len == 1)
    {
      const HbTColumnValue *cell = g_ptr_array_index (result->columnValues, 0);
      TallReader reader = tall_reader (tall_slice_array (cell->value));
      *value = (gint64)tall_reader_u64 (&reader);
      if (tall_reader_done (&reader))
        return TRUE;
    }
  g_set_error_literal (error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN,
                       "the gateway answered an increment without a counter");
  return FALSE;
}

/**
 * tall_hbase_increment:
 *
 * Implements increment. It is sent twice only if the first request cannot have arrived as a whole.
 */
gboolean
tall_hbase_increment (TallHbasePool *pool,
                      const TallHbaseNames *names,
                      const TallHbaseCounter *counter,
                      gint64 delta,
                      gint64 deadline,
                      gint64 *value,
                      GError **error)
{
  g_autoptr (GByteArray) table = tall_hbase_names_get_table (names, counter->table);
  IncrementRequest request = {
    .call = { .send = increment_send,
              .receive = increment_receive,
              .table = counter->table,
              .writes = TRUE },
    .table = table,
    .counter = counter,
    .delta = delta,
    .result = g_object_new (HB_TYPE_T_RESULT, NULL),
  };
  TallHbaseCall *calls[] = { &request.call };
  gboolean ok = tall_hbase_run (pool, names, calls, 1, deadline, error)
                && read_counter (request.result, value, error);
  g_clear_object (&request.result);
  return ok;
}
