/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-torn-table.h"

struct _TallTornTable
{
  TallTable parent_instance;

  TallTable *table;
  gint n_pieces; /* atomic */
};

G_DEFINE_FINAL_TYPE (TallTornTable, tall_torn_table, TALL_TYPE_TABLE)

/* Reads one piece of @read: for a scan the first row from @start. */
static TallReadResult *
read_piece (
    TallTornTable *self, const TallRead *read, TallSlice start, gint64 deadline, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  TallRead *piece = read->kind == TALL_READ_SCAN
                        ? tall_read_plan_add_scan (plan, read->table, start, read->stop)
                        : tall_read_plan_add_gets (plan, read->table, read->keys, read->n_keys);
  piece->qualifiers = read->qualifiers;
  piece->n_qualifiers = read->n_qualifiers;
  piece->min_timestamp = read->min_timestamp;
  piece->max_timestamp = read->max_timestamp;
  piece->max_versions = read->max_versions;
  piece->limit = 1;
  g_atomic_int_inc (&self->n_pieces);
  g_thread_yield ();
  return tall_table_read (self->table, plan, deadline, error);
}

static gboolean
read_in_pieces (TallTornTable *self,
                const TallRead *read,
                gint64 deadline,
                TallArena *arena,
                TallRows *rows,
                GError **error)
{
  g_autoptr (GArray) collected = g_array_new (FALSE, FALSE, sizeof (TallRow));
  TallSlice start = read->start;
  gboolean more = TRUE;

  while (more)
    {
      TallReadResult *piece = read_piece (self, read, start, deadline, error);
      if (piece == NULL)
        return FALSE;
      tall_arena_own (arena, piece, (GDestroyNotify)tall_read_result_free);

      const TallRows *found = &piece->results[0];
      g_array_append_vals (collected, found->rows, found->n_rows);
      more = read->kind == TALL_READ_SCAN && found->n_rows > 0
             && (read->limit == 0 || collected->len < read->limit);
      if (!more)
        continue;
      TallSlice last = found->rows[found->n_rows - 1].key;
      guint8 *after = tall_arena_alloc0 (arena, last.len + 1);
      memcpy (after, last.data, last.len);
      start = tall_slice (after, last.len + 1);
    }
  rows->n_rows = collected->len;
  rows->rows = tall_arena_memdup (arena, collected->data, collected->len * sizeof (TallRow));
  return TRUE;
}

static TallReadResult *
tall_torn_table_read (TallTable *base, const TallReadPlan *plan, gint64 deadline, GError **error)
{
  g_autoptr (TallReadResult) result = tall_read_result_new (plan->reads->len);
  for (guint i = 0; i < plan->reads->len; i++)
    if (!read_in_pieces (TALL_TORN_TABLE (base), tall_read_plan_get (plan, i), deadline,
                         result->arena, &result->results[i], error))
      return NULL;
  return g_steal_pointer (&result);
}

static gboolean
tall_torn_table_apply (TallTable *base,
                       TallMutation *const *mutations,
                       guint n,
                       TallDurability durability,
                       gint64 deadline,
                       gboolean *done,
                       GError **error)
{
  TallTable *table = TALL_TORN_TABLE (base)->table;
  for (guint i = 0; i < n; i++)
    {
      g_thread_yield ();
      if (!tall_table_apply (table, mutations + i, 1, durability, deadline,
                             done != NULL ? done + i : NULL, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
tall_torn_table_apply_if (TallTable *base,
                          const TallMutation *mutation,
                          TallSlice qualifier,
                          const TallSlice *expected,
                          TallDurability durability,
                          gint64 deadline,
                          gboolean *matched,
                          GError **error)
{
  return tall_table_apply_if (TALL_TORN_TABLE (base)->table, mutation, qualifier, expected,
                              durability, deadline, matched, error);
}

static gboolean
tall_torn_table_increment (TallTable *base,
                           const char *table,
                           TallSlice row,
                           TallSlice qualifier,
                           gint64 delta,
                           gint64 deadline,
                           gint64 *value,
                           GError **error)
{
  return tall_table_increment (TALL_TORN_TABLE (base)->table, table, row, qualifier, delta,
                               deadline, value, error);
}

static gboolean
tall_torn_table_create_table (TallTable *base,
                              const TallTableSpec *spec,
                              gint64 deadline,
                              GError **error)
{
  return tall_table_create_table (TALL_TORN_TABLE (base)->table, spec, deadline, error);
}

static gboolean
tall_torn_table_drop_table (TallTable *base, const char *table, gint64 deadline, GError **error)
{
  return tall_table_drop_table (TALL_TORN_TABLE (base)->table, table, deadline, error);
}

static TallTableSpec *
tall_torn_table_describe_table (TallTable *base, const char *table, gint64 deadline, GError **error)
{
  return tall_table_describe_table (TALL_TORN_TABLE (base)->table, table, deadline, error);
}

static GStrv
tall_torn_table_list_tables (TallTable *base, gint64 deadline, GError **error)
{
  return tall_table_list_tables (TALL_TORN_TABLE (base)->table, deadline, error);
}

static void
tall_torn_table_get_info (TallTable *base, TallTableInfo *info)
{
  tall_table_get_info (TALL_TORN_TABLE (base)->table, info);
}

static void
tall_torn_table_init (TallTornTable *self G_GNUC_UNUSED)
{
}

static void
tall_torn_table_finalize (GObject *object)
{
  g_clear_object (&TALL_TORN_TABLE (object)->table);
  G_OBJECT_CLASS (tall_torn_table_parent_class)->finalize (object);
}

static void
tall_torn_table_class_init (TallTornTableClass *klass)
{
  TallTableClass *table = TALL_TABLE_CLASS (klass);
  table->read = tall_torn_table_read;
  table->apply = tall_torn_table_apply;
  table->apply_if = tall_torn_table_apply_if;
  table->increment = tall_torn_table_increment;
  table->create_table = tall_torn_table_create_table;
  table->drop_table = tall_torn_table_drop_table;
  table->describe_table = tall_torn_table_describe_table;
  table->list_tables = tall_torn_table_list_tables;
  table->get_info = tall_torn_table_get_info;
  G_OBJECT_CLASS (klass)->finalize = tall_torn_table_finalize;
}

/**
 * tall_torn_table_new:
 * @table: (transfer none): the table that does the work
 *
 * Returns: (transfer full): the wrapper, which keeps a reference to @table
 */
TallTable *
tall_torn_table_new (TallTable *table)
{
  g_return_val_if_fail (TALL_IS_TABLE (table), NULL);

  TallTornTable *self = g_object_new (TALL_TYPE_TORN_TABLE, NULL);
  self->table = g_object_ref (table);
  return TALL_TABLE (self);
}

guint
tall_torn_table_count_pieces (TallTornTable *self)
{
  return (guint)g_atomic_int_get (&self->n_pieces);
}
