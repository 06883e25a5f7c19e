/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-stale-table.h"

struct _TallStaleTable
{
  TallForwardingTable parent_instance;

  TallTable *before; /* owned */
  gint stale;        /* atomic */
};

G_DEFINE_FINAL_TYPE (TallStaleTable, tall_stale_table, TALL_TYPE_FORWARDING_TABLE)

static TallReadResult *
tall_stale_table_read (TallTable *base, const TallReadPlan *plan, gint64 deadline, GError **error)
{
  TallStaleTable *self = TALL_STALE_TABLE (base);
  TallTable *table = g_atomic_int_get (&self->stale)
                         ? self->before
                         : tall_forwarding_table_get_table (TALL_FORWARDING_TABLE (self));
  return tall_table_read (table, plan, deadline, error);
}

static void
tall_stale_table_finalize (GObject *object)
{
  g_clear_object (&TALL_STALE_TABLE (object)->before);
  G_OBJECT_CLASS (tall_stale_table_parent_class)->finalize (object);
}

static void
tall_stale_table_init (TallStaleTable *self G_GNUC_UNUSED)
{
}

static void
tall_stale_table_class_init (TallStaleTableClass *klass)
{
  TALL_TABLE_CLASS (klass)->read = tall_stale_table_read;
  G_OBJECT_CLASS (klass)->finalize = tall_stale_table_finalize;
}

/**
 * tall_stale_table_new:
 * @table: (transfer none): the table that does the work
 * @before: (transfer none): what a stale read finds
 *
 * Returns: (transfer full): the wrapper, which keeps references to both
 */
TallTable *
tall_stale_table_new (TallTable *table, TallTable *before)
{
  TallStaleTable *self = g_object_new (TALL_TYPE_STALE_TABLE, NULL);
  tall_forwarding_table_wrap (TALL_FORWARDING_TABLE (self), table);
  self->before = g_object_ref (before);
  return TALL_TABLE (self);
}

void
tall_stale_table_set_stale (TallStaleTable *self, gboolean stale)
{
  g_atomic_int_set (&self->stale, stale);
}
