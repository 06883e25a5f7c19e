/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/forwarding-table.h"

typedef struct
{
  TallTable *table; /* what does the work */
} TallForwardingTablePrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (TallForwardingTable, tall_forwarding_table, TALL_TYPE_TABLE)

/**
 * tall_forwarding_table_wrap:
 * @table: (transfer none): the table that does the work from now on; no call may be running
 */
void
tall_forwarding_table_wrap (TallForwardingTable *self, TallTable *table)
{
  TallForwardingTablePrivate *priv = tall_forwarding_table_get_instance_private (self);
  g_return_if_fail (TALL_IS_TABLE (table));

  g_set_object (&priv->table, table);
}

/**
 * tall_forwarding_table_get_table:
 *
 * Returns: (transfer none): the table that does the work
 */
TallTable *
tall_forwarding_table_get_table (TallForwardingTable *self)
{
  TallForwardingTablePrivate *priv = tall_forwarding_table_get_instance_private (self);
  return priv->table;
}

static TallTable *
wrapped (TallTable *base)
{
  return tall_forwarding_table_get_table (TALL_FORWARDING_TABLE (base));
}

static TallReadResult *
tall_forwarding_table_read (TallTable *base,
                            const TallReadPlan *plan,
                            gint64 deadline,
                            GError **error)
{
  return tall_table_read (wrapped (base), plan, deadline, error);
}

static gboolean
tall_forwarding_table_apply (TallTable *base,
                             TallMutation *const *mutations,
                             guint n,
                             TallDurability durability,
                             gint64 deadline,
                             TallDone *done,
                             GError **error)
{
  return tall_table_apply (wrapped (base), mutations, n, durability, deadline, done, error);
}

static gboolean
tall_forwarding_table_apply_if (TallTable *base,
                                const TallConditionalWrite *write,
                                gboolean *matched,
                                GError **error)
{
  return tall_table_apply_if (wrapped (base), write, matched, error);
}

static gboolean
tall_forwarding_table_increment (TallTable *base,
                                 const char *table,
                                 TallSlice row,
                                 TallSlice qualifier,
                                 gint64 delta,
                                 gint64 deadline,
                                 gint64 *value,
                                 GError **error)
{
  return tall_table_increment (wrapped (base), table, row, qualifier, delta, deadline, value,
                               error);
}

static gboolean
tall_forwarding_table_create_table (TallTable *base,
                                    const TallTableSpec *spec,
                                    gint64 deadline,
                                    GError **error)
{
  return tall_table_create_table (wrapped (base), spec, deadline, error);
}

static gboolean
tall_forwarding_table_drop_table (TallTable *base,
                                  const char *table,
                                  gint64 deadline,
                                  GError **error)
{
  return tall_table_drop_table (wrapped (base), table, deadline, error);
}

static gboolean
tall_forwarding_table_set_access (TallTable *base,
                                  const char *table,
                                  TallTableAccess access,
                                  const char *seal,
                                  gint64 deadline,
                                  GError **error)
{
  return tall_table_set_access (wrapped (base), table, access, seal, deadline, error);
}

static TallTableSpec *
tall_forwarding_table_describe_table (TallTable *base,
                                      const char *table,
                                      gint64 deadline,
                                      GError **error)
{
  return tall_table_describe_table (wrapped (base), table, deadline, error);
}

static GStrv
tall_forwarding_table_list_tables (TallTable *base, gint64 deadline, GError **error)
{
  return tall_table_list_tables (wrapped (base), deadline, error);
}

static GStrv
tall_forwarding_table_list_deployments (TallTable *base,
                                        const char *table,
                                        gint64 deadline,
                                        GError **error)
{
  return tall_table_list_deployments (wrapped (base), table, deadline, error);
}

static void
tall_forwarding_table_get_info (TallTable *base, TallTableInfo *info)
{
  tall_table_get_info (wrapped (base), info);
}

static GStrv
tall_forwarding_table_list_losses (TallTable *base)
{
  return tall_table_list_losses (wrapped (base));
}

static gboolean
tall_forwarding_table_copy_to (TallTable *base, const char *directory, GError **error)
{
  return tall_table_copy_to (wrapped (base), directory, error);
}

static GPtrArray *
tall_forwarding_table_list_servers (TallTable *base, gint64 deadline)
{
  return tall_table_list_servers (wrapped (base), deadline);
}

static GArray *
tall_forwarding_table_list_measures (TallTable *base)
{
  return tall_table_list_measures (wrapped (base));
}

static void
tall_forwarding_table_init (TallForwardingTable *self G_GNUC_UNUSED)
{
}

static void
tall_forwarding_table_finalize (GObject *object)
{
  TallForwardingTablePrivate *priv =
      tall_forwarding_table_get_instance_private (TALL_FORWARDING_TABLE (object));
  g_clear_object (&priv->table);
  G_OBJECT_CLASS (tall_forwarding_table_parent_class)->finalize (object);
}

static void
tall_forwarding_table_class_init (TallForwardingTableClass *klass)
{
  TallTableClass *table = TALL_TABLE_CLASS (klass);
  table->read = tall_forwarding_table_read;
  table->apply = tall_forwarding_table_apply;
  table->apply_if = tall_forwarding_table_apply_if;
  table->increment = tall_forwarding_table_increment;
  table->create_table = tall_forwarding_table_create_table;
  table->drop_table = tall_forwarding_table_drop_table;
  table->set_access = tall_forwarding_table_set_access;
  table->describe_table = tall_forwarding_table_describe_table;
  table->list_tables = tall_forwarding_table_list_tables;
  table->get_info = tall_forwarding_table_get_info;
  table->list_servers = tall_forwarding_table_list_servers;
  table->list_measures = tall_forwarding_table_list_measures;
  table->list_deployments = tall_forwarding_table_list_deployments;
  table->list_losses = tall_forwarding_table_list_losses;
  table->copy_to = tall_forwarding_table_copy_to;
  G_OBJECT_CLASS (klass)->finalize = tall_forwarding_table_finalize;
}
