/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/verify/pair.h"

#include "model/md5.h"

static void
append_row (GByteArray *bytes, const TallRow *row)
{
  tall_bytes_append_u32 (bytes, row != NULL ? row->n_cells : 0);
  for (guint i = 0; row != NULL && i < row->n_cells; i++)
    {
      tall_bytes_append_u64 (bytes, (guint64)row->cells[i].timestamp);
      tall_bytes_append_u32 (bytes, (guint32)row->cells[i].value.len);
      tall_bytes_append (bytes, row->cells[i].value);
    }
}

/**
 * tall_verify_pair_fingerprint:
 * @other: (nullable): the other row
 *
 * Sets that of both rows, so that a change of either is seen.
 */
void
tall_verify_pair_fingerprint (const TallRow *row,
                              const TallRow *other,
                              guint8 fingerprint[TALL_MD5_SIZE])
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  append_row (bytes, row);
  append_row (bytes, other);
  tall_md5 (tall_slice_array (bytes), fingerprint);
}

/**
 * tall_verify_pair_look:
 * @other: (nullable): the other row
 *
 * Looks at a row together with its other row.
 */
void
tall_verify_pair_look (TallVerifyLook *look,
                       const TallStoreContext *context,
                       const TallVerifyPair *pair,
                       const TallRow *row,
                       const TallRow *other)
{
  *look = (TallVerifyLook){ .context = context, .arena = tall_arena_new (0) };
  look->findings = g_array_new (FALSE, FALSE, sizeof (TallFinding));
  pair->judge (look, row, other);
}

void
tall_verify_others_clear (TallVerifyOthers *self)
{
  g_clear_pointer (&self->rows, g_hash_table_unref);
  g_clear_pointer (&self->result, tall_read_result_free);
}

/**
 * tall_verify_others_read:
 *
 * Reads the other row of each of @rows.
 */
gboolean
tall_verify_others_read (TallVerifyOthers *self,
                         const TallStoreContext *context,
                         const TallVerifyPair *pair,
                         const TallRows *rows,
                         GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  TallSlice *keys = tall_arena_newa0 (plan->arena, TallSlice, MAX (rows->n_rows, 1));
  const char *table = NULL;
  guint n = 0;
  for (guint i = 0; i < rows->n_rows; i++)
    {
      g_autoptr (GByteArray) key = g_byte_array_new ();
      const char *where = pair->locate (context, &rows->rows[i], key);
      if (where == NULL)
        continue;
      table = where;
      keys[n++] = tall_slice_dup (plan->arena, tall_slice_array (key));
    }
  self->rows =
      g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
  if (n == 0)
    return TRUE;
  TallRead *read = tall_read_plan_add_gets (plan, table, keys, n);
  if (pair == &tall_verify_hints)
    tall_root_narrow (read);
  self->result = tall_table_read (context->table, plan, tall_verify_deadline (), error);
  if (self->result == NULL)
    return FALSE;
  for (guint i = 0; i < self->result->results[0].n_rows; i++)
    {
      TallRow *row = &self->result->results[0].rows[i];
      g_hash_table_insert (self->rows, g_bytes_new_static (row->key.data, row->key.len), row);
    }
  return TRUE;
}

/**
 * tall_verify_others_find:
 *
 * Returns: (nullable): the other row of @row
 */
const TallRow *
tall_verify_others_find (const TallVerifyOthers *self,
                         const TallStoreContext *context,
                         const TallVerifyPair *pair,
                         const TallRow *row)
{
  g_autoptr (GByteArray) key = g_byte_array_new ();
  if (pair->locate (context, row, key) == NULL)
    return NULL;
  g_autoptr (GBytes) bytes = g_bytes_new_static (key->data, key->len);
  return g_hash_table_lookup (self->rows, bytes);
}

/**
 * tall_verify_look_at_pair:
 * @key: of the row
 * @fingerprint: (out): of both rows
 *
 * Reads both rows and looks at them. If the row is gone, there is nothing wrong with it.
 */
gboolean
tall_verify_look_at_pair (TallVerifyLook *look,
                          const TallStoreContext *context,
                          const TallVerifyPair *pair,
                          TallSlice key,
                          guint8 fingerprint[TALL_MD5_SIZE],
                          GError **error)
{
  g_auto (TallVerifyOthers) others = { 0 };
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_get (plan, pair->table, key);
  g_autoptr (TallReadResult) result =
      tall_table_read (context->table, plan, tall_verify_deadline (), error);
  if (result == NULL
      || !tall_verify_others_read (&others, context, pair, &result->results[0], error))
    return FALSE;
  const TallRow nothing = { .key = key };
  const TallRows *rows = &result->results[0];
  const TallRow *other =
      rows->n_rows == 0 ? NULL : tall_verify_others_find (&others, context, pair, &rows->rows[0]);
  if (rows->n_rows > 0)
    tall_verify_pair_look (look, context, pair, &rows->rows[0], other);
  else
    {
      *look = (TallVerifyLook){ .context = context, .arena = tall_arena_new (0) };
      look->findings = g_array_new (FALSE, FALSE, sizeof (TallFinding));
    }
  tall_verify_pair_fingerprint (rows->n_rows > 0 ? &rows->rows[0] : &nothing, other, fingerprint);
  return TRUE;
}
