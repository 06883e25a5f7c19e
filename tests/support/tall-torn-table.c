/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-torn-table.h"

struct _TallTornTable
{
  TallForwardingTable parent_instance;
};

G_DEFINE_FINAL_TYPE (TallTornTable, tall_torn_table, TALL_TYPE_FORWARDING_TABLE)

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
  g_thread_yield ();
  TallTable *table = tall_forwarding_table_get_table (TALL_FORWARDING_TABLE (self));
  return tall_table_read (table, plan, deadline, error);
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

static void
tall_torn_table_init (TallTornTable *self G_GNUC_UNUSED)
{
}

static void
tall_torn_table_class_init (TallTornTableClass *klass)
{
  TALL_TABLE_CLASS (klass)->read = tall_torn_table_read;
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
  tall_forwarding_table_wrap (TALL_FORWARDING_TABLE (self), table);
  return TALL_TABLE (self);
}
