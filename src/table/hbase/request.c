/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/request.h"

#define INTERNAL_ERROR 6 /* of the types of Thrift's exceptions */

/**
 * tall_hbase_request:
 * @names: not copied
 * @table: (nullable): short name; not copied
 */
TallHbaseRequest
tall_hbase_request (const TallHbaseNames *names, const char *table)
{
  TallHbaseRequest self = {
    .names = names,
    .table = table,
    .arena = tall_arena_new (0),
    .starts = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref),
    .found = g_array_new (FALSE, FALSE, sizeof (TallHbaseTTableName)),
  };
  if (table != NULL)
    {
      g_autofree char *whole = tall_hbase_names_get_table (names, table);
      self.args.table = tall_slice_str (tall_arena_strdup (self.arena, whole));
      self.args.name = tall_hbase_names_get_table_name (names, table, self.arena);
    }
  return self;
}

void
tall_hbase_request_clear (TallHbaseRequest *self)
{
  g_clear_pointer (&self->arena, tall_arena_free);
  g_clear_pointer (&self->starts, g_ptr_array_unref);
  g_clear_pointer (&self->found, g_array_unref);
}

static gboolean
send (TallHbaseCall *call, TallTransport *transport, GError **error)
{
  TallHbaseRequest *self = (TallHbaseRequest *)call;
  return tall_hbase_send (transport, self->method, &self->args, error);
}

/* Takes what a reply lists. */
static gboolean
take (TallStructReader *reader,
      const TallStructType *type,
      gconstpointer element,
      GError **error G_GNUC_UNUSED)
{
  TallHbaseRequest *self = reader->sink;
  if (type == &tall_hbase_t_table_name_type)
    g_array_append_vals (self->found, element, 1);
  else if (type == &tall_hbase_t_h_region_location_type)
    {
      TallSlice start = ((const TallHbaseTHRegionLocation *)element)->region_info->start_key;
      if (start.len > 0)
        g_ptr_array_add (self->starts, g_bytes_new (start.data, start.len));
    }
  return TRUE;
}

/* Where a region was never on a server, because its table is just being made, the gateway finds no
 * name of one, and says only that it has failed. */
static gboolean
is_unplaced (const TallHbaseRequest *self, const GError *reason)
{
  return self->method == TALL_HBASE_GET_ALL_REGION_LOCATIONS
         && g_error_matches (reason, TALL_HBASE_EXCEPTION, INTERNAL_ERROR);
}

/* Another try begins anew. */
static gboolean
receive (TallHbaseCall *call, TallTransport *transport, TallHbaseTIOError **io, GError **error)
{
  static const TallStructHandler handler = { NULL, take };
  static char unplaced[] = "a region of the table is on no server yet";
  static TallHbaseTIOError not_now = { unplaced, TRUE };
  TallHbaseRequest *self = (TallHbaseRequest *)call;
  TallHbaseReceiver receiver = { self->arena, &handler, self };
  g_autoptr (GError) reason = NULL;

  g_ptr_array_set_size (self->starts, 0);
  g_array_set_size (self->found, 0);
  gboolean ok = tall_hbase_receive (transport, self->method, &receiver, &self->result, &reason);
  self->is_unplaced = is_unplaced (self, reason);
  if (self->is_unplaced)
    self->result.io = &not_now;
  else if (!ok && reason != NULL)
    g_propagate_error (error, g_steal_pointer (&reason));
  *io = self->result.io;
  return ok;
}

/* Whether it may be sent more than once. */
static gboolean
is_harmless (TallHbaseMethodId method)
{
  static const guint changes = 1u << TALL_HBASE_CREATE_TABLE | 1u << TALL_HBASE_DELETE_TABLE
                               | 1u << TALL_HBASE_MODIFY_TABLE | 1u << TALL_HBASE_ENABLE_TABLE
                               | 1u << TALL_HBASE_DISABLE_TABLE;
  return (changes >> method & 1) == 0;
}

/**
 * tall_hbase_request_run:
 *
 * Makes one call on a table.
 */
gboolean
tall_hbase_request_run (TallHbaseRequest *self,
                        TallHbasePool *pool,
                        TallHbaseMethodId method,
                        gint64 deadline,
                        GError **error)
{
  self->method = method;
  self->call = (TallHbaseCall){
    .send = send,
    .receive = receive,
    .harmless = is_harmless (method),
    .slow = TRUE,
  };
  TallHbaseCall *calls[] = { &self->call };
  return tall_hbase_run (pool, self->names, calls, 1, deadline, error);
}
