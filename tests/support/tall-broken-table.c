/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-broken-table.h"

struct _TallBrokenTable
{
  TallForwardingTable parent_instance;

  GBytes *row; /* owned; NULL: all can be read */
  TallError code;
  gboolean breaks_scans;

  TallError refusal; /* 0: conditional writes go through */
};

G_DEFINE_FINAL_TYPE (TallBrokenTable, tall_broken_table, TALL_TYPE_FORWARDING_TABLE)

static gboolean
has_row (const TallReadPlan *plan, TallSlice row)
{
  for (guint i = 0; i < plan->reads->len; i++)
    {
      const TallRead *read = tall_read_plan_get (plan, i);
      for (guint j = 0; read->kind == TALL_READ_GET && j < read->n_keys; j++)
        if (tall_slice_equal (read->keys[j], row))
          return TRUE;
    }
  return FALSE;
}

/* Whether a scan has come upon the row. */
static gboolean
has_scanned (const TallReadPlan *plan, const TallReadResult *result, TallSlice row)
{
  for (guint i = 0; i < result->n_results; i++)
    if (tall_read_plan_get (plan, i)->kind == TALL_READ_SCAN
        && tall_rows_find (&result->results[i], row) != NULL)
      return TRUE;
  return FALSE;
}

static TallReadResult *
tall_broken_table_read (TallTable *base, const TallReadPlan *plan, gint64 deadline, GError **error)
{
  TallBrokenTable *self = TALL_BROKEN_TABLE (base);
  gsize len = 0;
  const guint8 *data = self->row != NULL ? g_bytes_get_data (self->row, &len) : NULL;
  TallSlice row = tall_slice (data, len);
  if (data == NULL || !has_row (plan, row))
    {
      TallTable *table = tall_forwarding_table_get_table (TALL_FORWARDING_TABLE (self));
      g_autoptr (TallReadResult) result = tall_table_read (table, plan, deadline, error);
      if (result == NULL || !self->breaks_scans || !has_scanned (plan, result, row))
        return g_steal_pointer (&result);
    }
  g_set_error (error, TALL_ERROR, (gint)self->code, "a stored row cannot be read");
  return NULL;
}

static gboolean
tall_broken_table_apply_if (TallTable *base,
                            const TallConditionalWrite *write,
                            gboolean *matched,
                            GError **error)
{
  TallBrokenTable *self = TALL_BROKEN_TABLE (base);
  if (self->refusal == 0)
    return tall_table_apply_if (tall_forwarding_table_get_table (TALL_FORWARDING_TABLE (self)),
                                write, matched, error);
  g_set_error (error, TALL_ERROR, (gint)self->refusal, "a conditional write is refused");
  return FALSE;
}

static void
tall_broken_table_finalize (GObject *object)
{
  g_clear_pointer (&TALL_BROKEN_TABLE (object)->row, g_bytes_unref);
  G_OBJECT_CLASS (tall_broken_table_parent_class)->finalize (object);
}

static void
tall_broken_table_init (TallBrokenTable *self G_GNUC_UNUSED)
{
}

static void
tall_broken_table_class_init (TallBrokenTableClass *klass)
{
  TALL_TABLE_CLASS (klass)->read = tall_broken_table_read;
  TALL_TABLE_CLASS (klass)->apply_if = tall_broken_table_apply_if;
  G_OBJECT_CLASS (klass)->finalize = tall_broken_table_finalize;
}

/**
 * tall_broken_table_new:
 * @table: (transfer none): the table that does the work
 *
 * Returns: (transfer full): the wrapper, which keeps a reference to @table
 */
TallTable *
tall_broken_table_new (TallTable *table)
{
  g_return_val_if_fail (TALL_IS_TABLE (table), NULL);

  TallBrokenTable *self = g_object_new (TALL_TYPE_BROKEN_TABLE, NULL);
  tall_forwarding_table_wrap (TALL_FORWARDING_TABLE (self), table);
  return TALL_TABLE (self);
}

/**
 * tall_broken_table_break:
 * @code: the error with which reading @row fails from now on
 */
void
tall_broken_table_break (TallBrokenTable *self, TallSlice row, TallError code)
{
  g_clear_pointer (&self->row, g_bytes_unref);
  self->row = g_bytes_new (row.data, row.len);
  self->code = code;
}

/**
 * tall_broken_table_break_scans:
 *
 * From now on scans that come upon the row fail as well.
 */
void
tall_broken_table_break_scans (TallBrokenTable *self)
{
  self->breaks_scans = TRUE;
}

/**
 * tall_broken_table_refuse:
 * @code: the error with which conditional writes fail from now on
 */
void
tall_broken_table_refuse (TallBrokenTable *self, TallError code)
{
  self->refusal = code;
}
