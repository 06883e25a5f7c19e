/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-admin.h"

#include "tall-hbase-error.h"
#include "tall-hbase-settings.h"
#include "tall-table-ddl.h"

/* Calls on tables are made one after the other. This holds what each of them sends and receives. */
typedef struct
{
  TallHbaseCall call;
  const TallHbaseNames *names;
  const char *table; /* short name */
  HbTTableName *name;
  HbTTableDescriptor *descriptor; /* to create, or received */
  GPtrArray *list;                /* to send or received */
  char *pattern;                  /* of the names of tables: a Java regular expression */
  gboolean answer;
} Request;

static void
request_clear (Request *self)
{
  g_clear_object (&self->name);
  g_clear_object (&self->descriptor);
  g_clear_pointer (&self->list, g_ptr_array_unref);
  g_clear_pointer (&self->pattern, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Request, request_clear)

static void
request_init (Request *self, const TallHbaseNames *names, const char *table)
{
  self->names = names;
  self->table = table;
  self->call.table = table;
  if (table != NULL)
    self->name = tall_hbase_names_get_table_name (names, table);
}

typedef gboolean (*SendFunc) (TallHbaseCall *self, HbGatewayIf *client, GError **error);
typedef gboolean (*ReceiveFunc) (TallHbaseCall *self,
                                 HbGatewayIf *client,
                                 HbTIOError **io,
                                 GError **error);

static gboolean
run (TallHbasePool *pool,
     Request *request,
     SendFunc send,
     ReceiveFunc receive,
     gint64 deadline,
     GError **error)
{
  request->call.send = send;
  request->call.receive = receive;
  request->call.done = FALSE;
  request->call.tries = 0;
  request->call.slow = TRUE;
  TallHbaseCall *calls[] = { &request->call };
  return tall_hbase_run (pool, request->names, calls, 1, deadline, error);
}

static gboolean
exists_send (TallHbaseCall *call, HbGatewayIf *client, GError **error)
{
  return hb_gateway_client_send_table_exists (client, ((Request *)call)->name, error);
}

static gboolean
exists_receive (TallHbaseCall *call, HbGatewayIf *client, HbTIOError **io, GError **error)
{
  return hb_gateway_client_recv_table_exists (client, &((Request *)call)->answer, io, error);
}

static gboolean
enabled_send (TallHbaseCall *call, HbGatewayIf *client, GError **error)
{
  return hb_gateway_client_send_is_table_enabled (client, ((Request *)call)->name, error);
}

static gboolean
enabled_receive (TallHbaseCall *call, HbGatewayIf *client, HbTIOError **io, GError **error)
{
  return hb_gateway_client_recv_is_table_enabled (client, &((Request *)call)->answer, io, error);
}

static gboolean
disable_send (TallHbaseCall *call, HbGatewayIf *client, GError **error)
{
  return hb_gateway_client_send_disable_table (client, ((Request *)call)->name, error);
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
  return hb_gateway_client_send_delete_table (client, ((Request *)call)->name, error);
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
  Request *self = (Request *)call;
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
  return hb_gateway_client_send_get_table_descriptor (client, ((Request *)call)->name, error);
}

static gboolean
descriptor_receive (TallHbaseCall *call, HbGatewayIf *client, HbTIOError **io, GError **error)
{
  Request *self = (Request *)call;
  g_clear_object (&self->descriptor);
  self->descriptor = g_object_new (HB_TYPE_T_TABLE_DESCRIPTOR, NULL);
  return hb_gateway_client_recv_get_table_descriptor (client, &self->descriptor, io, error);
}

static gboolean
regions_send (TallHbaseCall *call, HbGatewayIf *client, GError **error)
{
  Request *self = (Request *)call;
  g_autoptr (GByteArray) table = tall_hbase_names_get_table (self->names, self->table);
  return hb_gateway_client_send_get_all_region_locations (client, table, error);
}

static gboolean
regions_receive (TallHbaseCall *call, HbGatewayIf *client, HbTIOError **io, GError **error)
{
  Request *self = (Request *)call;
  g_clear_pointer (&self->list, g_ptr_array_unref);
  self->list = g_ptr_array_new_with_free_func (g_object_unref);
  return hb_gateway_client_recv_get_all_region_locations (client, &self->list, io, error);
}

static gboolean
names_send (TallHbaseCall *call, HbGatewayIf *client, GError **error)
{
  return hb_gateway_client_send_get_table_names_by_pattern (client, ((Request *)call)->pattern,
                                                            FALSE, error);
}

static gboolean
names_receive (TallHbaseCall *call, HbGatewayIf *client, HbTIOError **io, GError **error)
{
  Request *self = (Request *)call;
  g_clear_pointer (&self->list, g_ptr_array_unref);
  self->list = g_ptr_array_new_with_free_func (g_object_unref);
  return hb_gateway_client_recv_get_table_names_by_pattern (client, &self->list, io, error);
}

static int
compare_bytes (gconstpointer a, gconstpointer b)
{
  return g_bytes_compare (*(GBytes *const *)a, *(GBytes *const *)b);
}

/* The row keys where regions begin, without the first region's; NULL if there is only one. */
static GPtrArray *
splits_of (GPtrArray *locations)
{
  g_autoptr (GPtrArray) splits = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  for (guint i = 0; i < locations->len; i++)
    {
      const HbTHRegionLocation *location = g_ptr_array_index (locations, i);
      const GByteArray *start = location->regionInfo->startKey;
      if (start != NULL && start->len > 0)
        g_ptr_array_add (splits, g_bytes_new (start->data, start->len));
    }
  if (splits->len == 0)
    return NULL;
  g_ptr_array_sort (splits, compare_bytes);
  return g_steal_pointer (&splits);
}

static gboolean
same_splits (const GPtrArray *a, const GPtrArray *b)
{
  guint n = a == NULL ? 0 : a->len;
  if (n != (b == NULL ? 0 : b->len))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!g_bytes_equal (g_ptr_array_index (a, i), g_ptr_array_index (b, i)))
      return FALSE;
  return TRUE;
}

static gboolean
refuse_splits (const TallHbaseNames *names, const TallTableSpec *spec, GError **error)
{
  g_autofree char *ddl = tall_table_spec_to_ddl (spec, names->deployment);
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
               "A framed gateway spoils the split points of a new table. Create table %s by an "
               "unframed gateway, without splits, or in the hbase shell, and try again: %s",
               spec->name, ddl);
  return FALSE;
}

static GPtrArray *
split_keys (const GPtrArray *splits)
{
  GPtrArray *keys = g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  for (guint i = 0; splits != NULL && i < splits->len; i++)
    {
      gsize len;
      const guint8 *data = g_bytes_get_data (g_ptr_array_index (splits, i), &len);
      g_ptr_array_add (keys, tall_hbase_bytes (tall_slice (data, len)));
    }
  return keys;
}

static gboolean
exists (TallHbasePool *pool, Request *request, gint64 deadline, GError **error)
{
  request->call.harmless = TRUE;
  return run (pool, request, exists_send, exists_receive, deadline, error);
}

/* A gateway may make other regions than it was asked for; such a table is not left behind. */
static gboolean
check_regions (TallHbasePool *pool,
               Request *request,
               const TallTableSpec *spec,
               gint64 deadline,
               GError **error)
{
  request->call.harmless = TRUE;
  if (!run (pool, request, regions_send, regions_receive, deadline, error))
    return FALSE;

  g_autoptr (GPtrArray) splits = splits_of (request->list);
  if (same_splits (splits, spec->splits))
    return TRUE;

  g_autoptr (GError) reason = NULL;
  gboolean dropped = tall_hbase_drop_table (pool, request->names, spec->name, deadline, &reason);
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
               "the gateway made table %s with other regions than asked for; the table %s",
               spec->name, dropped ? "was dropped" : "could not be dropped");
  return FALSE;
}

/**
 * tall_hbase_create_table:
 *
 * Implements create_table. Reads the regions back: a gateway may have spoilt them.
 */
gboolean
tall_hbase_create_table (TallHbasePool *pool,
                         const TallHbaseNames *names,
                         const TallTableSpec *spec,
                         gint64 deadline,
                         GError **error)
{
  gboolean splits = spec->splits != NULL && spec->splits->len > 0;
  if (splits && tall_hbase_pool_get_options (pool)->framed)
    return refuse_splits (names, spec, error);

  g_auto (Request) request = { 0 };
  request_init (&request, names, spec->name);
  if (!exists (pool, &request, deadline, error))
    return FALSE;
  if (request.answer)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_CONFLICT, "table %s exists already", spec->name);
      return FALSE;
    }

  request.descriptor = tall_hbase_settings_to_descriptor (spec, names, error);
  if (request.descriptor == NULL)
    return FALSE;
  request.list = split_keys (spec->splits);
  request.call.harmless = FALSE;
  request.call.table = NULL;
  return run (pool, &request, create_send, create_receive, deadline, error)
         && (!splits || check_regions (pool, &request, spec, deadline, error));
}

/* Gateways answer this also without HBase's master, which the calls that follow need. */
static gboolean
must_exist (TallHbasePool *pool, Request *request, gint64 deadline, GError **error)
{
  if (!exists (pool, request, deadline, error))
    return FALSE;
  if (!request->answer)
    tall_hbase_error_set_no_table (error, request->table, request->names->deployment);
  return request->answer;
}

/**
 * tall_hbase_drop_table:
 *
 * Implements drop_table. HBase deletes only tables that are disabled.
 */
gboolean
tall_hbase_drop_table (TallHbasePool *pool,
                       const TallHbaseNames *names,
                       const char *table,
                       gint64 deadline,
                       GError **error)
{
  g_auto (Request) request = { 0 };
  request_init (&request, names, table);
  if (!must_exist (pool, &request, deadline, error)
      || !run (pool, &request, enabled_send, enabled_receive, deadline, error))
    return FALSE;
  request.call.harmless = FALSE;
  if (request.answer && !run (pool, &request, disable_send, disable_receive, deadline, error))
    return FALSE;
  return run (pool, &request, delete_send, delete_receive, deadline, error);
}

/**
 * tall_hbase_describe_table:
 *
 * Implements describe_table: settings and regions as HBase has them.
 */
TallTableSpec *
tall_hbase_describe_table (TallHbasePool *pool,
                           const TallHbaseNames *names,
                           const char *table,
                           gint64 deadline,
                           GError **error)
{
  g_auto (Request) request = { 0 };
  request_init (&request, names, table);
  if (!must_exist (pool, &request, deadline, error)
      || !run (pool, &request, descriptor_send, descriptor_receive, deadline, error)
      || !run (pool, &request, regions_send, regions_receive, deadline, error))
    return NULL;

  TallTableSpec *spec = tall_hbase_settings_from_descriptor (request.descriptor, table, error);
  if (spec != NULL)
    spec->splits = splits_of (request.list);
  return spec;
}

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

static GStrv
sort_texts (GPtrArray *texts)
{
  g_ptr_array_sort (texts, compare_texts);
  g_ptr_array_add (texts, NULL);
  return (GStrv)g_ptr_array_steal (texts, NULL);
}

/**
 * tall_hbase_list_tables:
 *
 * Implements list_tables.
 */
GStrv
tall_hbase_list_tables (TallHbasePool *pool,
                        const TallHbaseNames *names,
                        gint64 deadline,
                        GError **error)
{
  g_auto (Request) request = { 0 };
  request_init (&request, names, NULL);
  request.call.harmless = TRUE;
  request.pattern = tall_hbase_names_get_pattern (names);
  if (!run (pool, &request, names_send, names_receive, deadline, error))
    return NULL;

  g_autoptr (GPtrArray) tables = g_ptr_array_new ();
  for (guint i = 0; i < request.list->len; i++)
    {
      char *name = tall_hbase_names_get_short (names, g_ptr_array_index (request.list, i));
      if (name != NULL)
        g_ptr_array_add (tables, name);
    }
  return sort_texts (tables);
}

/**
 * tall_hbase_list_deployments:
 *
 * The table's list_deployments.
 */
GStrv
tall_hbase_list_deployments (TallHbasePool *pool,
                             const TallHbaseNames *names,
                             const char *table,
                             gint64 deadline,
                             GError **error)
{
  g_auto (Request) request = { 0 };
  request_init (&request, names, NULL);
  request.call.harmless = TRUE;
  request.pattern = g_strconcat (".*\\.", table, NULL);
  if (!run (pool, &request, names_send, names_receive, deadline, error))
    return NULL;

  g_autoptr (GPtrArray) deployments = g_ptr_array_new ();
  for (guint i = 0; i < request.list->len; i++)
    {
      char *name = tall_hbase_names_get_deployment (g_ptr_array_index (request.list, i), table);
      if (name != NULL)
        g_ptr_array_add (deployments, name);
    }
  return sort_texts (deployments);
}
