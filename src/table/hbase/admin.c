/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/admin.h"

#include "table/hbase/descriptor.h"
#include "table/hbase/error.h"
#include "table/hbase/request.h"
#include "table/hbase/settings.h"
#include "table/table-ddl.h"

/* So long, and with such pauses, a table may be in the making. */
#define MAKING_TIME (60 * G_TIME_SPAN_SECOND)
#define PAUSE (50 * G_TIME_SPAN_MILLISECOND)

static int
compare_bytes (gconstpointer a, gconstpointer b)
{
  return g_bytes_compare (*(GBytes *const *)a, *(GBytes *const *)b);
}

/* The row keys where regions begin, without the first region's; NULL if there is only one. */
static GPtrArray *
splits_of (GPtrArray *starts)
{
  if (starts->len == 0)
    return NULL;
  g_ptr_array_sort (starts, compare_bytes);
  return g_ptr_array_ref (starts);
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

static void
set_splits (TallHbaseRequest *request, const GPtrArray *splits)
{
  guint n = splits == NULL ? 0 : splits->len;
  TallSlice *keys = tall_arena_newa0 (request->arena, TallSlice, n);
  for (guint i = 0; i < n; i++)
    keys[i].data = g_bytes_get_data (g_ptr_array_index (splits, i), &keys[i].len);
  request->args.splits = keys;
  request->args.n_splits = n;
}

/* Where regions begin. Another caller may be making the table, or HBase goes on to do so when a
 * server has died. */
static gboolean
read_regions (TallHbasePool *pool, TallHbaseRequest *request, gint64 deadline, GError **error)
{
  gint64 end = MIN (deadline, g_get_monotonic_time () + MAKING_TIME);
  for (;;)
    {
      g_autoptr (GError) reason = NULL;
      request->is_unplaced = FALSE;
      if (tall_hbase_request_run (request, pool, TALL_HBASE_GET_ALL_REGION_LOCATIONS, deadline,
                                  &reason))
        return TRUE;
      if (!request->is_unplaced || g_get_monotonic_time () + PAUSE >= end)
        {
          g_propagate_error (error, g_steal_pointer (&reason));
          return FALSE;
        }
      g_usleep (PAUSE);
    }
}

/* A gateway may make other regions than it was asked for; such a table is not left behind. */
static gboolean
check_regions (TallHbasePool *pool,
               TallHbaseRequest *request,
               const TallTableSpec *spec,
               gint64 deadline,
               GError **error)
{
  if (!read_regions (pool, request, deadline, error))
    return FALSE;

  g_autoptr (GPtrArray) splits = splits_of (request->starts);
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

  g_auto (TallHbaseRequest) request = tall_hbase_request (names, spec->name);
  if (!tall_hbase_request_run (&request, pool, TALL_HBASE_TABLE_EXISTS, deadline, error))
    return FALSE;
  if (request.result.yes)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_CONFLICT, "table %s exists already", spec->name);
      return FALSE;
    }

  TallHbaseTColumnFamilyDescriptor family;
  const TallHbaseTTableDescriptor descriptor = { request.args.name, &family, 1 };
  if (!tall_hbase_settings_to_family (spec, &family, error))
    return FALSE;
  request.args.descriptor = &descriptor;
  set_splits (&request, spec->splits);
  return tall_hbase_request_run (&request, pool, TALL_HBASE_CREATE_TABLE, deadline, error)
         && (!splits || check_regions (pool, &request, spec, deadline, error));
}

/* Gateways answer this also without HBase's master, which the calls that follow need. */
static gboolean
must_exist (TallHbasePool *pool, TallHbaseRequest *request, gint64 deadline, GError **error)
{
  if (!tall_hbase_request_run (request, pool, TALL_HBASE_TABLE_EXISTS, deadline, error))
    return FALSE;
  if (!request->result.yes)
    tall_hbase_error_set_no_table (error, request->table, request->names->deployment);
  return request->result.yes;
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
  g_auto (TallHbaseRequest) request = tall_hbase_request (names, table);
  if (!must_exist (pool, &request, deadline, error)
      || !tall_hbase_request_run (&request, pool, TALL_HBASE_IS_TABLE_ENABLED, deadline, error))
    return FALSE;
  if (request.result.yes
      && !tall_hbase_request_run (&request, pool, TALL_HBASE_DISABLE_TABLE, deadline, error))
    return FALSE;
  return tall_hbase_request_run (&request, pool, TALL_HBASE_DELETE_TABLE, deadline, error);
}

/* Settings and seal; a descriptor that makes no sense is the gateway's fault. */
static TallTableSpec *
read_settings (TallHbasePool *pool, TallHbaseRequest *request, gint64 deadline, GError **error)
{
  g_auto (TallHbaseDescriptor) descriptor = { .families = NULL };
  if (!tall_hbase_request_run (request, pool, TALL_HBASE_GET_TABLE_DESCRIPTOR, deadline, error)
      || !tall_hbase_descriptor_init (&descriptor, request->result.raw,
                                      tall_hbase_pool_get_options (pool)->compact, request->arena,
                                      error))
    return NULL;
  TallTableSpec *spec =
      tall_hbase_settings_from_families (descriptor.families, request->table, error);
  if (spec == NULL)
    return NULL;
  spec->seal = tall_hbase_descriptor_get_seal (&descriptor);
  if (tall_hbase_descriptor_is_read_only (&descriptor))
    spec->access = TALL_ACCESS_SEALED;
  return spec;
}

/**
 * tall_hbase_describe_table:
 *
 * Implements describe_table: settings, access and regions as HBase has them. A table that
 * is being disabled is not closed yet. Waits for one that is being made.
 */
TallTableSpec *
tall_hbase_describe_table (TallHbasePool *pool,
                           const TallHbaseNames *names,
                           const char *table,
                           gint64 deadline,
                           GError **error)
{
  g_auto (TallHbaseRequest) request = tall_hbase_request (names, table);
  if (!must_exist (pool, &request, deadline, error)
      || !tall_hbase_request_run (&request, pool, TALL_HBASE_IS_TABLE_DISABLED, deadline, error))
    return NULL;
  gboolean disabled = request.result.yes;
  g_autoptr (TallTableSpec) spec = read_settings (pool, &request, deadline, error);
  if (spec == NULL || !read_regions (pool, &request, deadline, error))
    return NULL;
  if (disabled)
    spec->access = TALL_ACCESS_CLOSED;
  spec->splits = splits_of (request.starts);
  return g_steal_pointer (&spec);
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
  g_auto (TallHbaseRequest) request = tall_hbase_request (names, NULL);
  g_autofree char *pattern = tall_hbase_names_get_pattern (names);
  request.args.pattern = pattern;
  if (!tall_hbase_request_run (&request, pool, TALL_HBASE_GET_TABLE_NAMES_BY_PATTERN, deadline,
                               error))
    return NULL;

  g_autoptr (GPtrArray) tables = g_ptr_array_new ();
  for (guint i = 0; i < request.found->len; i++)
    {
      char *name = tall_hbase_names_get_short (names, &g_array_index (request.found,
                                                                      TallHbaseTTableName, i));
      if (name != NULL)
        g_ptr_array_add (tables, name);
    }
  g_ptr_array_add (tables, NULL);
  return (GStrv)g_ptr_array_steal (tables, NULL);
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
  g_auto (TallHbaseRequest) request = tall_hbase_request (names, NULL);
  g_autofree char *pattern = g_strconcat (".*\\.", table, NULL);
  request.args.pattern = pattern;
  if (!tall_hbase_request_run (&request, pool, TALL_HBASE_GET_TABLE_NAMES_BY_PATTERN, deadline,
                               error))
    return NULL;

  g_autoptr (GPtrArray) deployments = g_ptr_array_new ();
  for (guint i = 0; i < request.found->len; i++)
    {
      char *name =
          tall_hbase_names_get_deployment (&g_array_index (request.found, TallHbaseTTableName, i),
                                           table);
      if (name != NULL)
        g_ptr_array_add (deployments, name);
    }
  g_ptr_array_add (deployments, NULL);
  return (GStrv)g_ptr_array_steal (deployments, NULL);
}
