/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-request.h"

/**
 * tall_hbase_request:
 * @names: not copied
 * @table: (nullable): short name; not copied
 */
TallHbaseRequest
tall_hbase_request (const TallHbaseNames *names, const char *table)
{
  return (TallHbaseRequest){
    .names = names,
    .table = table,
    .name = table == NULL ? NULL : tall_hbase_names_get_table_name (names, table),
  };
}

void
tall_hbase_request_clear (TallHbaseRequest *self)
{
  g_clear_object (&self->name);
  g_clear_object (&self->descriptor);
  g_clear_pointer (&self->list, g_ptr_array_unref);
  g_clear_pointer (&self->pattern, g_free);
}

static gboolean
exists_send (TallHbaseCall *call, HbGatewayIf *client, GError **error)
{
  return hb_gateway_client_send_table_exists (client, ((TallHbaseRequest *)call)->name, error);
}

static gboolean
exists_receive (TallHbaseCall *call, HbGatewayIf *client, HbTIOError **io, GError **error)
{
  return hb_gateway_client_recv_table_exists (client, &((TallHbaseRequest *)call)->answer, io,
                                              error);
}

static gboolean
enabled_send (TallHbaseCall *call, HbGatewayIf *client, GError **error)
{
  return hb_gateway_client_send_is_table_enabled (client, ((TallHbaseRequest *)call)->name, error);
}

static gboolean
enabled_receive (TallHbaseCall *call, HbGatewayIf *client, HbTIOError **io, GError **error)
{
  return hb_gateway_client_recv_is_table_enabled (client, &((TallHbaseRequest *)call)->answer, io,
                                                  error);
}

static gboolean
disable_send (TallHbaseCall *call, HbGatewayIf *client, GError **error)
{
  return hb_gateway_client_send_disable_table (client, ((TallHbaseRequest *)call)->name, error);
}

static gboolean
disable_receive (TallHbaseCall *call G_GNUC_UNUSED,
                 HbGatewayIf *client,
                 HbTIOError **io,
                 GError **error)
{
  return hb_gateway_client_recv_disable_table (client, io, error);
}

static gboolean
delete_send (TallHbaseCall *call, HbGatewayIf *client, GError **error)
{
  return hb_gateway_client_send_delete_table (client, ((TallHbaseRequest *)call)->name, error);
}

static gboolean
delete_receive (TallHbaseCall *call G_GNUC_UNUSED,
                HbGatewayIf *client,
                HbTIOError **io,
                GError **error)
{
  return hb_gateway_client_recv_delete_table (client, io, error);
}

static gboolean
create_send (TallHbaseCall *call, HbGatewayIf *client, GError **error)
{
  TallHbaseRequest *self = (TallHbaseRequest *)call;
  return hb_gateway_client_send_create_table (client, self->descriptor, self->list, error);
}

static gboolean
create_receive (TallHbaseCall *call G_GNUC_UNUSED,
                HbGatewayIf *client,
                HbTIOError **io,
                GError **error)
{
  return hb_gateway_client_recv_create_table (client, io, error);
}

static gboolean
descriptor_send (TallHbaseCall *call, HbGatewayIf *client, GError **error)
{
  return hb_gateway_client_send_get_table_descriptor (client, ((TallHbaseRequest *)call)->name,
                                                      error);
}

static gboolean
descriptor_receive (TallHbaseCall *call, HbGatewayIf *client, HbTIOError **io, GError **error)
{
  TallHbaseRequest *self = (TallHbaseRequest *)call;
  g_clear_object (&self->descriptor);
  self->descriptor = g_object_new (HB_TYPE_T_TABLE_DESCRIPTOR, NULL);
  return hb_gateway_client_recv_get_table_descriptor (client, &self->descriptor, io, error);
}

static gboolean
regions_send (TallHbaseCall *call, HbGatewayIf *client, GError **error)
{
  TallHbaseRequest *self = (TallHbaseRequest *)call;
  g_autoptr (GByteArray) table = tall_hbase_names_get_table (self->names, self->table);
  return hb_gateway_client_send_get_all_region_locations (client, table, error);
}

static gboolean
regions_receive (TallHbaseCall *call, HbGatewayIf *client, HbTIOError **io, GError **error)
{
  TallHbaseRequest *self = (TallHbaseRequest *)call;
  g_clear_pointer (&self->list, g_ptr_array_unref);
  self->list = g_ptr_array_new_with_free_func (g_object_unref);
  return hb_gateway_client_recv_get_all_region_locations (client, &self->list, io, error);
}

static gboolean
names_send (TallHbaseCall *call, HbGatewayIf *client, GError **error)
{
  return hb_gateway_client_send_get_table_names_by_pattern (client,
                                                            ((TallHbaseRequest *)call)->pattern,
                                                            FALSE, error);
}

static gboolean
names_receive (TallHbaseCall *call, HbGatewayIf *client, HbTIOError **io, GError **error)
{
  TallHbaseRequest *self = (TallHbaseRequest *)call;
  g_clear_pointer (&self->list, g_ptr_array_unref);
  self->list = g_ptr_array_new_with_free_func (g_object_unref);
  return hb_gateway_client_recv_get_table_names_by_pattern (client, &self->list, io, error);
}

/* How a call is sent and its answer received, and whether it may be sent more than once. */
typedef struct
{
  gboolean (*send) (TallHbaseCall *self, HbGatewayIf *client, GError **error);
  gboolean (*receive) (TallHbaseCall *self, HbGatewayIf *client, HbTIOError **io, GError **error);
  gboolean harmless;
} Kind;

static const Kind kinds[] = {
  [TALL_HBASE_REQUEST_EXISTS] = { exists_send, exists_receive, TRUE },
  [TALL_HBASE_REQUEST_IS_ENABLED] = { enabled_send, enabled_receive, TRUE },
  [TALL_HBASE_REQUEST_DESCRIBE] = { descriptor_send, descriptor_receive, TRUE },
  [TALL_HBASE_REQUEST_REGIONS] = { regions_send, regions_receive, TRUE },
  [TALL_HBASE_REQUEST_LIST] = { names_send, names_receive, TRUE },
  [TALL_HBASE_REQUEST_CREATE] = { create_send, create_receive, FALSE },
  [TALL_HBASE_REQUEST_DISABLE] = { disable_send, disable_receive, FALSE },
  [TALL_HBASE_REQUEST_DELETE] = { delete_send, delete_receive, FALSE },
};

/**
 * tall_hbase_request_run:
 *
 * Makes one call on a table.
 */
gboolean
tall_hbase_request_run (TallHbaseRequest *self,
                        TallHbasePool *pool,
                        TallHbaseRequestKind kind,
                        gint64 deadline,
                        GError **error)
{
  self->call = (TallHbaseCall){
    .send = kinds[kind].send,
    .receive = kinds[kind].receive,
    .harmless = kinds[kind].harmless,
    .slow = TRUE,
  };
  TallHbaseCall *calls[] = { &self->call };
  return tall_hbase_run (pool, self->names, calls, 1, deadline, error);
}
