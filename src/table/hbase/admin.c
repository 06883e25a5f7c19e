/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/admin.h"

#include "table/hbase/call.h"
#include "table/hbase/access.h"
#include "table/hbase/reply.h"
#include "table/table-kind.h"
#include "base/fail.h"

static gboolean hbase_settings_to_family (const TallTableSpec *spec,
                                          TallHbaseTColumnFamilyDescriptor *family,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

typedef struct
{
  const char *name;
  gint value;
} Choice;

static const Choice compressions[] = {
  { "none", TALL_HBASE_COMPRESSION_NONE },     { "gz", TALL_HBASE_COMPRESSION_GZ },
  { "snappy", TALL_HBASE_COMPRESSION_SNAPPY }, { "lz4", TALL_HBASE_COMPRESSION_LZ4 },
  { "zstd", TALL_HBASE_COMPRESSION_ZSTD },     { "bzip2", TALL_HBASE_COMPRESSION_BZIP2 },
  { "lzo", TALL_HBASE_COMPRESSION_LZO },       { NULL, 0 },
};

static const Choice bloom_filters[] = {
  { "none", TALL_HBASE_BLOOM_NONE },
  { "row", TALL_HBASE_BLOOM_ROW },
  { "rowcol", TALL_HBASE_BLOOM_ROWCOL },
  { NULL, 0 },
};

static const Choice encodings[] = {
  { "none", TALL_HBASE_ENCODING_NONE },
  { "prefix", TALL_HBASE_ENCODING_PREFIX },
  { "diff", TALL_HBASE_ENCODING_DIFF },
  { "fast_diff", TALL_HBASE_ENCODING_FAST_DIFF },
  { "row_index_v1", TALL_HBASE_ENCODING_ROW_INDEX_V1 },
  { NULL, 0 },
};

/* NULL chooses no setting: *@set stays FALSE. */
static gboolean
choose (const Choice *choices,
        const char *what,
        const char *name,
        gint *value,
        gboolean *set,
        GError **error)
{
  if (name == NULL)
    return TRUE;

  g_autoptr (GString) known = g_string_new (NULL);
  for (const Choice *choice = choices; choice->name != NULL; choice++)
    {
      if (g_ascii_strcasecmp (choice->name, name) == 0)
        {
          *value = choice->value;
          *set = TRUE;
          return TRUE;
        }
      g_string_append_printf (known, "%s%s", known->len > 0 ? ", " : "", choice->name);
    }

  return tall_error_fail (error, TALL_ERROR_UNSUPPORTED, "HBase has no %s \"%s\"; it has %s", what,
                          name, known->str);
}

static char *
name_of (const Choice *choices, gint value)
{
  for (const Choice *choice = choices; choice->name != NULL; choice++)
    if (choice->value == value)
      return g_strdup (choice->name);
  return g_strdup_printf ("%d", value);
}

static gboolean
set_choices (TallHbaseTColumnFamilyDescriptor *family, const TallTableSpec *spec, GError **error)
{
  return choose (compressions, "compression", spec->compression, &family->compression_type,
                 &family->has_compression_type, error)
         && choose (bloom_filters, "Bloom filter", spec->bloom_filter, &family->bloom_filter_type,
                    &family->has_bloom_filter_type, error)
         && choose (encodings, "block encoding", spec->block_encoding, &family->data_block_encoding,
                    &family->has_data_block_encoding, error);
}

static gboolean
set_ttl (TallHbaseTColumnFamilyDescriptor *family, guint64 ttl, GError **error)
{
  if (ttl >= G_MAXINT32)
    return tall_error_fail (
        error, TALL_ERROR_UNSUPPORTED,
        "HBase keeps cells for at most %d seconds; leave the TTL out to keep them for "
        "ever",
        G_MAXINT32 - 1);
  family->time_to_live = ttl == 0 ? G_MAXINT32 : (gint32)ttl;
  return TRUE;
}

/**
 * tall_hbase_settings_check:
 *
 * Returns: FALSE with %TALL_ERROR_UNSUPPORTED if HBase cannot keep what the spec asks for
 */
gboolean
tall_hbase_settings_check (const TallTableSpec *spec, GError **error)
{
  TallHbaseTColumnFamilyDescriptor family;
  return hbase_settings_to_family (spec, &family, error);
}

/* @family: (out): what HBase is to create
 *
 * Returns: FALSE with %TALL_ERROR_UNSUPPORTED if HBase cannot keep what the spec asks for */
static gboolean
hbase_settings_to_family (const TallTableSpec *spec,
                          TallHbaseTColumnFamilyDescriptor *family,
                          GError **error)
{
  *family = (TallHbaseTColumnFamilyDescriptor){
    .name = tall_slice_str (TALL_FAMILY),
    .max_versions = spec->max_versions == 0 || spec->max_versions > G_MAXINT32
                        ? G_MAXINT32
                        : (gint32)spec->max_versions,
    .keep_deleted_cells = TALL_HBASE_KEEP_DELETED_FALSE,
  };
  return set_ttl (family, spec->ttl, error) && set_choices (family, spec, error);
}

static const TallHbaseTColumnFamilyDescriptor *
find_family (const GArray *families)
{
  for (guint i = 0; i < families->len; i++)
    {
      const TallHbaseTColumnFamilyDescriptor *family =
          &g_array_index (families, TallHbaseTColumnFamilyDescriptor, i);
      if (tall_slice_equal (family->name, tall_slice_str (TALL_FAMILY)))
        return family;
    }
  return NULL;
}

/* @families: of TallHbaseTColumnFamilyDescriptor
 * @table: its short name
 *
 * Returns: (transfer full): the settings without regions; NULL with %TALL_ERROR_UNSUPPORTED if the
 *   table does not have our family */
static TallTableSpec *
hbase_settings_from_families (const GArray *families, const char *table, GError **error)
{
  const TallHbaseTColumnFamilyDescriptor *family = find_family (families);
  if (family == NULL)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
                   "table %s has no column family \"" TALL_FAMILY "\"", table);
      return NULL;
    }

  TallTableSpec *spec = tall_table_spec_new (table);
  spec->max_versions = family->max_versions == G_MAXINT32 ? 0 : (guint)family->max_versions;
  spec->ttl = family->time_to_live == G_MAXINT32 ? 0 : (guint64)family->time_to_live;
  spec->compression = name_of (compressions, family->compression_type);
  spec->bloom_filter = name_of (bloom_filters, family->bloom_filter_type);
  spec->block_encoding = name_of (encodings, family->data_block_encoding);
  return spec;
}

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
  return tall_error_fail (
      error, TALL_ERROR_UNSUPPORTED,
      "A framed gateway spoils the split points of a new table. Create table %s by an "
      "unframed gateway, without splits, or in the hbase shell, and try again: %s",
      spec->name, ddl);
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
read_regions (TallHbaseRequest *request, gint64 deadline, GError **error)
{
  gint64 end = MIN (deadline, g_get_monotonic_time () + MAKING_TIME);
  for (;;)
    {
      g_autoptr (GError) reason = NULL;
      request->is_unplaced = FALSE;
      if (tall_hbase_request_run (request, TALL_HBASE_GET_ALL_REGION_LOCATIONS, deadline, &reason))
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
check_regions (TallHbaseRequest *request,
               const TallTableSpec *spec,
               gint64 deadline,
               GError **error)
{
  if (!read_regions (request, deadline, error))
    return FALSE;

  g_autoptr (GPtrArray) splits = splits_of (request->starts);
  if (same_splits (splits, spec->splits))
    return TRUE;

  g_autoptr (GError) reason = NULL;
  gboolean dropped = tall_hbase_drop_table (request->pool, spec->name, deadline, &reason);
  return tall_error_fail (
      error, TALL_ERROR_UNSUPPORTED,
      "the gateway made table %s with other regions than asked for; the table %s", spec->name,
      dropped ? "was dropped" : "could not be dropped");
}

/**
 * tall_hbase_create_table:
 *
 * Implements create_table. Reads the regions back: a gateway may have spoilt them.
 */
gboolean
tall_hbase_create_table (TallHbasePool *pool,
                         const TallTableSpec *spec,
                         gint64 deadline,
                         GError **error)
{
  gboolean splits = spec->splits != NULL && spec->splits->len > 0;
  if (splits && pool->options.framed)
    return refuse_splits (&pool->names, spec, error);

  g_auto (TallHbaseRequest) request = tall_hbase_request (pool, spec->name);
  if (!tall_hbase_request_run (&request, TALL_HBASE_TABLE_EXISTS, deadline, error))
    return FALSE;
  if (request.result.yes)
    return tall_error_fail (error, TALL_ERROR_CONFLICT, "table %s exists already", spec->name);

  TallHbaseTColumnFamilyDescriptor family;
  const TallHbaseTTableDescriptor descriptor = { request.args.name, &family, 1 };
  if (!hbase_settings_to_family (spec, &family, error))
    return FALSE;
  request.args.descriptor = &descriptor;
  set_splits (&request, spec->splits);
  return tall_hbase_request_run (&request, TALL_HBASE_CREATE_TABLE, deadline, error)
         && (!splits || check_regions (&request, spec, deadline, error));
}

/* Gateways answer this also without HBase's master, which the calls that follow need. */
static gboolean
must_exist (TallHbaseRequest *request, gint64 deadline, GError **error)
{
  if (!tall_hbase_request_run (request, TALL_HBASE_TABLE_EXISTS, deadline, error))
    return FALSE;
  if (!request->result.yes)
    tall_hbase_error_set_no_table (error, request->table, request->pool->names.deployment);
  return request->result.yes;
}

/**
 * tall_hbase_drop_table:
 *
 * Implements drop_table. HBase deletes only tables that are disabled.
 */
gboolean
tall_hbase_drop_table (TallHbasePool *pool, const char *table, gint64 deadline, GError **error)
{
  g_auto (TallHbaseRequest) request = tall_hbase_request (pool, table);
  if (!must_exist (&request, deadline, error)
      || !tall_hbase_request_run (&request, TALL_HBASE_IS_TABLE_ENABLED, deadline, error))
    return FALSE;
  if (request.result.yes
      && !tall_hbase_request_run (&request, TALL_HBASE_DISABLE_TABLE, deadline, error))
    return FALSE;
  return tall_hbase_request_run (&request, TALL_HBASE_DELETE_TABLE, deadline, error);
}

/* Settings and seal; a descriptor that makes no sense is the gateway's fault. */
static TallTableSpec *
read_settings (TallHbaseRequest *request, gint64 deadline, GError **error)
{
  g_auto (TallHbaseDescriptor) descriptor = { .families = NULL };
  if (!tall_hbase_request_run (request, TALL_HBASE_GET_TABLE_DESCRIPTOR, deadline, error)
      || !tall_hbase_descriptor_init (&descriptor, request->result.raw,
                                      request->pool->options.compact, request->arena, error))
    return NULL;
  TallTableSpec *spec = hbase_settings_from_families (descriptor.families, request->table, error);
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
tall_hbase_describe_table (TallHbasePool *pool, const char *table, gint64 deadline, GError **error)
{
  g_auto (TallHbaseRequest) request = tall_hbase_request (pool, table);
  if (!must_exist (&request, deadline, error)
      || !tall_hbase_request_run (&request, TALL_HBASE_IS_TABLE_DISABLED, deadline, error))
    return NULL;
  gboolean disabled = request.result.yes;
  g_autoptr (TallTableSpec) spec = read_settings (&request, deadline, error);
  if (spec == NULL || !read_regions (&request, deadline, error))
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
tall_hbase_list_tables (TallHbasePool *pool, gint64 deadline, GError **error)
{
  g_auto (TallHbaseRequest) request = tall_hbase_request (pool, NULL);
  g_autofree char *pattern = tall_hbase_names_get_pattern (&pool->names);
  request.args.pattern = pattern;
  if (!tall_hbase_request_run (&request, TALL_HBASE_GET_TABLE_NAMES_BY_PATTERN, deadline, error))
    return NULL;

  g_autoptr (GPtrArray) tables = g_ptr_array_new ();
  for (guint i = 0; i < request.found->len; i++)
    {
      char *name =
          tall_hbase_names_get_short (&pool->names,
                                      &g_array_index (request.found, TallHbaseTTableName, i));
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
                             const char *table,
                             gint64 deadline,
                             GError **error)
{
  g_auto (TallHbaseRequest) request = tall_hbase_request (pool, NULL);
  g_autofree char *pattern = g_strconcat (".*\\.", table, NULL);
  request.args.pattern = pattern;
  if (!tall_hbase_request_run (&request, TALL_HBASE_GET_TABLE_NAMES_BY_PATTERN, deadline, error))
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
