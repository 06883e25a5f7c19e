/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/table.h"

#include "base/fail.h"
#include "table/hbase/access.h"
#include "table/hbase/call.h"
#include "table/hbase/merge.h"
#include "table/hbase/reader.h"
#include "table/hbase/pool.h"
#include "table/hbase/reply.h"
#include "table/hbase/writer.h"
#include "table/table-kind.h"

#include <string.h>

enum
{
  CHOICE_FRAMED,
  CHOICE_PROTOCOL,
};

static const TallTableChoice choices[] = {
  [CHOICE_FRAMED] = { "framed", { "0", "1" }, FALSE },
  [CHOICE_PROTOCOL] = { "protocol", { "binary", "compact" }, FALSE },
  { NULL },
};

/**
 * tall_hbase_address_init:
 * @address: of an HBase; must live as long as this
 *
 * Starts from the usual options.
 */
void
tall_hbase_address_init (TallHbaseAddress *self, const TallTableAddress *address)
{
  self->options = (TallHbaseOptions)TALL_HBASE_OPTIONS_INIT;
  self->gateways = g_strsplit (address->place, ",", -1);
  self->options.gateways = (const char *const *)self->gateways;
  self->options.name = address->name;
  self->options.framed = address->choices[CHOICE_FRAMED];
  self->options.compact = address->choices[CHOICE_PROTOCOL];
}

void
tall_hbase_address_clear (TallHbaseAddress *self)
{
  g_clear_pointer (&self->gateways, g_strfreev);
}

static char *
read_place (const char *text, GError **error)
{
  g_auto (GStrv) gateways = g_strsplit (text, ",", -1);
  for (guint i = 0; gateways[i] != NULL; i++)
    {
      const char *colon = strrchr (gateways[i], ':');
      guint64 port;
      if (colon == NULL || colon == gateways[i]
          || !g_ascii_string_to_unsigned (colon + 1, 10, 1, 65535, &port, NULL))
        {
          tall_error_set_invalid (error, "store", "“%s” is not host:port", gateways[i]);
          return NULL;
        }
    }
  return g_strdup (text);
}

/* An administrator has made the HBase: nothing is created here but tables. */
static TallTable *
open_tables (const TallTableAddress *address, gboolean create G_GNUC_UNUSED, GError **error)
{
  g_auto (TallHbaseAddress) self = { 0 };
  tall_hbase_address_init (&self, address);
  return tall_hbase_table_open (&self.options, error);
}

static char *
make_ddl (const TallTableSpec *spec, const char *deployment, GError **error)
{
  const char *name = deployment != NULL ? deployment : "tallorder";
  if (name[strspn (name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_-.:")] == '\0')
    return tall_table_spec_to_ddl (spec, name);
  tall_error_set_invalid (error, "name",
                          "A name of tables in HBase has only letters, digits and _ - . in it, and "
                          "a : after the namespace");
  return NULL;
}

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
choose (const Choice *all,
        const char *what,
        const char *name,
        gint *value,
        gboolean *set,
        GError **error)
{
  if (name == NULL)
    return TRUE;

  g_autoptr (GString) known = g_string_new (NULL);
  for (const Choice *choice = all; choice->name != NULL; choice++)
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
name_of (const Choice *all, gint value)
{
  for (const Choice *choice = all; choice->name != NULL; choice++)
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
        "HBase keeps cells for at most %d seconds; leave the TTL out to keep them for ever",
        G_MAXINT32 - 1);
  family->time_to_live = ttl == 0 ? G_MAXINT32 : (gint32)ttl;
  return TRUE;
}

/* @family: (out): what HBase is to create
 *
 * Returns: FALSE with %TALL_ERROR_UNSUPPORTED if HBase cannot keep what the spec asks for */
static gboolean
make_family (const TallTableSpec *spec, TallHbaseTColumnFamilyDescriptor *family, GError **error)
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

/* Returns: FALSE with %TALL_ERROR_UNSUPPORTED if HBase cannot keep what the spec asks for */
static gboolean
check_spec (const TallTableSpec *spec, GError **error)
{
  TallHbaseTColumnFamilyDescriptor family;
  return make_family (spec, &family, error);
}

const TallTableKind tall_table_kind_hbase = {
  .name = TALL_HBASE_KIND,
  .title = "HBase",
  .scheme = "hbase://",
  .place = "host:port",
  .more = ",host:port",
  .what = "host:port",
  .choices = choices,
  .read_place = read_place,
  .open = open_tables,
  .check_spec = check_spec,
  .make_ddl = make_ddl,
};

struct _TallHbaseTable
{
  TallTable parent_instance;

  TallHbasePool *pool;
  TallHbaseMerge *merge;
};

G_DEFINE_FINAL_TYPE (TallHbaseTable, tall_hbase_table, TALL_TYPE_TABLE)

static TallReadResult *
hbase_read (TallTable *table, const TallReadPlan *plan, gint64 deadline, GError **error)
{
  TallHbaseTable *self = TALL_HBASE_TABLE (table);
  return tall_hbase_read (self->pool, self->merge, plan, deadline, error);
}

static gboolean
hbase_apply (TallTable *table,
             TallMutation *const *mutations,
             guint n,
             TallDurability durability G_GNUC_UNUSED,
             gint64 deadline,
             GError **error)
{
  TallHbaseTable *self = TALL_HBASE_TABLE (table);
  const TallHbaseWrite write = { .mutations = mutations, .n = n, .deadline = deadline };
  return tall_hbase_apply (self->pool, self->merge, &write, error);
}

static gboolean
hbase_apply_if (TallTable *table,
                const TallConditionalWrite *write,
                gboolean *matched,
                GError **error)
{
  TallHbaseTable *self = TALL_HBASE_TABLE (table);
  return tall_hbase_apply_if (self->pool, write, matched, error);
}

static gboolean
hbase_increment (TallTable *table,
                 const char *name,
                 TallSlice row,
                 TallSlice qualifier,
                 gint64 delta,
                 gint64 deadline,
                 gint64 *value,
                 GError **error)
{
  TallHbaseTable *self = TALL_HBASE_TABLE (table);
  TallHbaseCounter counter = { name, row, qualifier };
  return tall_hbase_increment (self->pool, &counter, delta, deadline, value, error);
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
make_spec (const GArray *families, const char *table, GError **error)
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
      "A framed gateway spoils the split points of a new table. Create table %s by an unframed "
      "gateway, without splits, or in the hbase shell, and try again: %s",
      spec->name, ddl);
}

static void
set_splits (TallHbaseRequest *request, const GPtrArray *splits)
{
  guint n = splits == NULL ? 0 : splits->len;
  TallSlice *keys = tall_arena_newa0 (request->call.arena, TallSlice, n);
  for (guint i = 0; i < n; i++)
    keys[i].data = g_bytes_get_data (g_ptr_array_index (splits, i), &keys[i].len);
  request->call.args.splits = keys;
  request->call.args.n_splits = n;
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

/* Gateways answer this also without HBase's master, which the calls that follow need. */
static gboolean
must_exist (TallHbaseRequest *request, gint64 deadline, GError **error)
{
  if (!tall_hbase_request_run (request, TALL_HBASE_TABLE_EXISTS, deadline, error))
    return FALSE;
  if (!request->call.result.yes)
    tall_hbase_error_set_no_table (error, request->table, request->pool->names.deployment);
  return request->call.result.yes;
}

/* HBase deletes only tables that are disabled. */
static gboolean
drop_table (TallHbasePool *pool, const char *table, gint64 deadline, GError **error)
{
  g_auto (TallHbaseRequest) request = tall_hbase_request (pool, table);
  if (!must_exist (&request, deadline, error)
      || !tall_hbase_request_run (&request, TALL_HBASE_IS_TABLE_ENABLED, deadline, error))
    return FALSE;
  if (request.call.result.yes
      && !tall_hbase_request_run (&request, TALL_HBASE_DISABLE_TABLE, deadline, error))
    return FALSE;
  return tall_hbase_request_run (&request, TALL_HBASE_DELETE_TABLE, deadline, error);
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
  gboolean dropped = drop_table (request->pool, spec->name, deadline, &reason);
  return tall_error_fail (
      error, TALL_ERROR_UNSUPPORTED,
      "the gateway made table %s with other regions than asked for; the table %s", spec->name,
      dropped ? "was dropped" : "could not be dropped");
}

/* Reads the regions back: a gateway may have spoilt them. */
static gboolean
create_table (TallHbasePool *pool, const TallTableSpec *spec, gint64 deadline, GError **error)
{
  gboolean splits = spec->splits != NULL && spec->splits->len > 0;
  if (splits && pool->options.framed)
    return refuse_splits (&pool->names, spec, error);

  g_auto (TallHbaseRequest) request = tall_hbase_request (pool, spec->name);
  if (!tall_hbase_request_run (&request, TALL_HBASE_TABLE_EXISTS, deadline, error))
    return FALSE;
  if (request.call.result.yes)
    return tall_error_fail (error, TALL_ERROR_CONFLICT, "table %s exists already", spec->name);

  TallHbaseTColumnFamilyDescriptor family;
  const TallHbaseTTableDescriptor descriptor = { request.call.args.name, &family, 1 };
  if (!make_family (spec, &family, error))
    return FALSE;
  request.call.args.descriptor = &descriptor;
  set_splits (&request, spec->splits);
  return tall_hbase_request_run (&request, TALL_HBASE_CREATE_TABLE, deadline, error)
         && (!splits || check_regions (&request, spec, deadline, error));
}

/* Settings and seal; a descriptor that makes no sense is the gateway's fault. */
static TallTableSpec *
read_settings (TallHbaseRequest *request, gint64 deadline, GError **error)
{
  g_auto (TallHbaseDescriptor) descriptor = { .families = NULL };
  if (!tall_hbase_request_run (request, TALL_HBASE_GET_TABLE_DESCRIPTOR, deadline, error)
      || !tall_hbase_descriptor_init (&descriptor, request->call.result.raw,
                                      request->pool->options.compact, request->call.arena, error))
    return NULL;
  TallTableSpec *spec = make_spec (descriptor.families, request->table, error);
  if (spec == NULL)
    return NULL;
  spec->seal = tall_hbase_descriptor_get_seal (&descriptor);
  if (tall_hbase_descriptor_is_read_only (&descriptor))
    spec->access = TALL_ACCESS_SEALED;
  return spec;
}

/* Settings, access and regions as HBase has them. A table that is being disabled is not closed yet.
 * Waits for one that is being made. */
static TallTableSpec *
hbase_describe_table (TallTable *table, const char *name, gint64 deadline, GError **error)
{
  g_auto (TallHbaseRequest) request = tall_hbase_request (TALL_HBASE_TABLE (table)->pool, name);
  if (!must_exist (&request, deadline, error)
      || !tall_hbase_request_run (&request, TALL_HBASE_IS_TABLE_DISABLED, deadline, error))
    return NULL;
  gboolean disabled = request.call.result.yes;
  g_autoptr (TallTableSpec) spec = read_settings (&request, deadline, error);
  if (spec == NULL || !read_regions (&request, deadline, error))
    return NULL;
  if (disabled)
    spec->access = TALL_ACCESS_CLOSED;
  spec->splits = splits_of (request.starts);
  return g_steal_pointer (&spec);
}

static gboolean
hbase_create_table (TallTable *table, const TallTableSpec *spec, gint64 deadline, GError **error)
{
  TallHbaseTable *self = TALL_HBASE_TABLE (table);
  return create_table (self->pool, spec, deadline, error)
         && (!g_str_equal (spec->name, TALL_HBASE_SELF_TEST_TABLE)
             || tall_hbase_pool_test_again (self->pool, deadline, error));
}

static gboolean
hbase_drop_table (TallTable *table, const char *name, gint64 deadline, GError **error)
{
  TallHbaseTable *self = TALL_HBASE_TABLE (table);
  return drop_table (self->pool, name, deadline, error);
}

static gboolean
hbase_set_access (TallTable *table,
                  const char *name,
                  TallTableAccess access,
                  const char *seal,
                  gint64 deadline,
                  GError **error)
{
  TallHbaseTable *self = TALL_HBASE_TABLE (table);
  const TallTableShutter to = { access, seal };
  return tall_hbase_set_access (self->pool, name, &to, deadline, error);
}

static GStrv
hbase_list_tables (TallTable *table, gint64 deadline, GError **error)
{
  TallHbasePool *pool = TALL_HBASE_TABLE (table)->pool;
  g_auto (TallHbaseRequest) request = tall_hbase_request (pool, NULL);
  g_autofree char *pattern = tall_hbase_names_get_pattern (&pool->names);
  request.call.args.pattern = pattern;
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

static GStrv
hbase_list_deployments (TallTable *table, const char *name, gint64 deadline, GError **error)
{
  g_auto (TallHbaseRequest) request = tall_hbase_request (TALL_HBASE_TABLE (table)->pool, NULL);
  g_autofree char *pattern = g_strconcat (".*\\.", name, NULL);
  request.call.args.pattern = pattern;
  if (!tall_hbase_request_run (&request, TALL_HBASE_GET_TABLE_NAMES_BY_PATTERN, deadline, error))
    return NULL;

  g_autoptr (GPtrArray) deployments = g_ptr_array_new ();
  for (guint i = 0; i < request.found->len; i++)
    {
      char *deployment =
          tall_hbase_names_get_deployment (&g_array_index (request.found, TallHbaseTTableName, i),
                                           name);
      if (deployment != NULL)
        g_ptr_array_add (deployments, deployment);
    }
  g_ptr_array_add (deployments, NULL);
  return (GStrv)g_ptr_array_steal (deployments, NULL);
}

static void
hbase_get_info (TallTable *table, TallTableInfo *info)
{
  TallHbaseTable *self = TALL_HBASE_TABLE (table);
  info->kind = TALL_HBASE_KIND;
  info->deployment = self->pool->names.deployment;
  /* The gateway repeats a call if the answer from the region server is lost. */
  info->false_is_final = FALSE;
  info->cannot_shut = self->pool->options.framed;
  info->keeps_deleted = "The files of HBase have it until a major compaction of the deployment's "
                        "tables: within a week as HBase is usually set, or with `major_compact` in "
                        "its shell; then the archive, until HBase cleans that";
}

static GPtrArray *
hbase_list_servers (TallTable *table, gint64 deadline)
{
  return tall_hbase_pool_describe (TALL_HBASE_TABLE (table)->pool, deadline);
}

static GArray *
hbase_list_measures (TallTable *table)
{
  guint64 n_sent, n_received;
  tall_hbase_pool_get_traffic (TALL_HBASE_TABLE (table)->pool, &n_sent, &n_received);
  const TallTableMeasure measures[] = {
    { TALL_HBASE_SENT_BYTES, "Bytes of requests to gateways that were answered or failed.", TRUE,
      (gdouble)n_sent },
    { TALL_HBASE_RECEIVED_BYTES, "Bytes of replies of gateways.", TRUE, (gdouble)n_received },
  };
  GArray *list = g_array_new (FALSE, FALSE, sizeof (TallTableMeasure));
  return g_array_append_vals (list, measures, G_N_ELEMENTS (measures));
}

static void
tall_hbase_table_finalize (GObject *object)
{
  TallHbaseTable *self = TALL_HBASE_TABLE (object);
  g_clear_pointer (&self->merge, tall_hbase_merge_free);
  g_clear_pointer (&self->pool, tall_hbase_pool_close);
  G_OBJECT_CLASS (tall_hbase_table_parent_class)->finalize (object);
}

static void
tall_hbase_table_class_init (TallHbaseTableClass *klass)
{
  TallTableClass *table_class = TALL_TABLE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = tall_hbase_table_finalize;
  table_class->read = hbase_read;
  table_class->apply = hbase_apply;
  table_class->apply_if = hbase_apply_if;
  table_class->increment = hbase_increment;
  table_class->create_table = hbase_create_table;
  table_class->drop_table = hbase_drop_table;
  table_class->set_access = hbase_set_access;
  table_class->describe_table = hbase_describe_table;
  table_class->list_tables = hbase_list_tables;
  table_class->list_deployments = hbase_list_deployments;
  table_class->get_info = hbase_get_info;
  table_class->list_servers = hbase_list_servers;
  table_class->list_measures = hbase_list_measures;
}

static void
tall_hbase_table_init (TallHbaseTable *self G_GNUC_UNUSED)
{
}

/**
 * tall_hbase_table_open:
 * @options: copied
 *
 * Opens the tables of a deployment in HBase. Waits until one of the gateways has answered, which
 * shows that framing and protocol are right.
 *
 * Returns: (transfer full): the tables; NULL with %TALL_ERROR_INVALID (an address or the name),
 *   %TALL_ERROR_UNAVAILABLE (no gateway answers) or %TALL_ERROR_UNSUPPORTED (framing, protocol or
 *   kind of the gateway)
 */
TallTable *
tall_hbase_table_open (const TallHbaseOptions *options, GError **error)
{
  g_autoptr (TallHbasePool) pool = tall_hbase_pool_new (options, error);
  if (pool == NULL || !tall_hbase_pool_wait_until_alive (pool, error))
    return NULL;

  TallHbaseTable *self = g_object_new (TALL_TYPE_HBASE_TABLE, NULL);
  self->pool = g_steal_pointer (&pool);
  self->merge = tall_hbase_merge_new (self->pool);
  return TALL_TABLE (self);
}
