/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/table.h"

#include "table/hbase/access.h"
#include "table/hbase/admin.h"
#include "table/hbase/merge.h"
#include "table/hbase/reader.h"
#include "table/hbase/pool.h"
#include "table/hbase/writer.h"
#include "table/table-kind.h"
#include "tall-error.h"

#include <string.h>

static gboolean tall_hbase_table_check_spec (const TallTableSpec *spec,
                                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

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
                          "A name of tables in HBase has only letters, digits and _ - . in it, "
                          "and a : after the namespace");
  return NULL;
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
  .check_spec = tall_hbase_table_check_spec,
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

static gboolean
hbase_create_table (TallTable *table, const TallTableSpec *spec, gint64 deadline, GError **error)
{
  TallHbaseTable *self = TALL_HBASE_TABLE (table);
  return tall_hbase_create_table (self->pool, spec, deadline, error)
         && (!g_str_equal (spec->name, TALL_HBASE_SELF_TEST_TABLE)
             || tall_hbase_pool_test_again (self->pool, deadline, error));
}

static gboolean
hbase_drop_table (TallTable *table, const char *name, gint64 deadline, GError **error)
{
  TallHbaseTable *self = TALL_HBASE_TABLE (table);
  return tall_hbase_drop_table (self->pool, name, deadline, error);
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

static TallTableSpec *
hbase_describe_table (TallTable *table, const char *name, gint64 deadline, GError **error)
{
  TallHbaseTable *self = TALL_HBASE_TABLE (table);
  return tall_hbase_describe_table (self->pool, name, deadline, error);
}

static GStrv
hbase_list_tables (TallTable *table, gint64 deadline, GError **error)
{
  TallHbaseTable *self = TALL_HBASE_TABLE (table);
  return tall_hbase_list_tables (self->pool, deadline, error);
}

static GStrv
hbase_list_deployments (TallTable *table, const char *name, gint64 deadline, GError **error)
{
  TallHbaseTable *self = TALL_HBASE_TABLE (table);
  return tall_hbase_list_deployments (self->pool, name, deadline, error);
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

static gboolean
tall_hbase_table_check_spec (const TallTableSpec *spec, GError **error)
{
  return tall_hbase_settings_check (spec, error);
}
