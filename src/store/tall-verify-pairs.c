/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-md5.h"
#include "tall-verify-private.h"

#define PAGE_ROWS 512

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

/* Of both rows, so that a change of either is seen. */
static void
make_fingerprint (const TallRow *row, const TallRow *other, guint8 fingerprint[TALL_MD5_SIZE])
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  append_row (bytes, row);
  append_row (bytes, other);
  tall_md5 (tall_slice_array (bytes), fingerprint);
}

static void
look_at (TallVerifyLook *look,
         const TallStoreContext *context,
         const TallVerifyPair *pair,
         const TallRow *row,
         const TallRow *other)
{
  *look = (TallVerifyLook){ .context = context, .arena = tall_arena_new (0) };
  look->findings = g_array_new (FALSE, FALSE, sizeof (TallFinding));
  pair->judge (look, row, other);
}

/* The other rows of a page: those that are there, by their keys. */
typedef struct
{
  TallReadResult *result; /* NULL: there are none */
  GHashTable *rows;       /* key as #GBytes → TallRow */
} Others;

static void
others_clear (Others *self)
{
  g_clear_pointer (&self->rows, g_hash_table_unref);
  g_clear_pointer (&self->result, tall_read_result_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Others, others_clear)

static gboolean
read_others (Others *self,
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

static const TallRow *
find_other (const Others *self,
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

/* A page that cannot be read because of one row is read again row by row. */
static gboolean
judge_page (TallVerify *self, const TallVerifyPair *pair, const TallRows *rows, GError **error)
{
  g_auto (Others) others = { 0 };
  g_autoptr (GError) cause = NULL;
  if (!read_others (&others, self->context, pair, rows, &cause))
    {
      gboolean one = rows->n_rows == 1;
      for (guint i = 0; !one && tall_error_is_unreadable (cause) && i < rows->n_rows; i++)
        {
          TallRows single = { &rows->rows[i], 1 };
          if (!judge_page (self, pair, &single, error))
            return FALSE;
        }
      if (tall_error_is_unreadable (cause))
        return TRUE; /* found with the order */
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  for (guint i = 0; i < rows->n_rows; i++)
    {
      guint8 fingerprint[TALL_MD5_SIZE];
      g_auto (TallVerifyLook) look = { 0 };
      const TallRow *other = find_other (&others, self->context, pair, &rows->rows[i]);
      look_at (&look, self->context, pair, &rows->rows[i], other);
      (*pair->count (&self->summary))++;
      if (look.findings->len == 0)
        continue;
      make_fingerprint (&rows->rows[i], other, fingerprint);
      tall_verify_suspect_pair (self, pair, rows->rows[i].key, fingerprint,
                                tall_verify_look_kinds (&look));
    }
  return TRUE;
}

static void
report_unreadable (TallVerify *self, const char *table, TallSlice row, const GError *cause)
{
  TallFinding finding = { .kind = TALL_FINDING_UNREADABLE_TABLE,
                          .table = table,
                          .row = row,
                          .n_rows = 1,
                          .message = cause->message };
  self->summary.is_whole = FALSE;
  tall_verify_report (self, &finding);
}

/* Moves @start on; empties it at the end. */
static gboolean
walk_page (TallVerify *self,
           const TallVerifyPair *pair,
           GByteArray *start,
           TallSlice stop,
           gboolean *ended,
           GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  TallRead *read = tall_read_plan_add_scan (plan, pair->table, tall_slice_array (start), stop);
  read->limit = PAGE_ROWS;
  g_autoptr (TallReadResult) result =
      tall_table_read (self->context->table, plan, tall_verify_deadline (), &cause);
  *ended = TRUE;
  if (tall_error_is_unreadable (cause))
    {
      report_unreadable (self, pair->table, tall_slice_array (start), cause);
      return TRUE;
    }
  if (result == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  const TallRows *rows = &result->results[0];
  *ended = rows->n_rows < PAGE_ROWS;
  if (rows->n_rows == 0)
    return TRUE;
  if (!judge_page (self, pair, rows, error))
    return FALSE;
  tall_bytes_set_after (start, rows->rows[rows->n_rows - 1].key);
  return TRUE;
}

/**
 * tall_verify_walk_pairs:
 * @prefix: of the row keys; the empty slice: all rows
 *
 * Looks at every row of a table together with its other row.
 */
gboolean
tall_verify_walk_pairs (TallVerify *self,
                        const TallVerifyPair *pair,
                        TallSlice prefix,
                        GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (GByteArray) start = g_byte_array_new ();
  TallSlice stop = TALL_SLICE_INIT;
  gboolean ended = FALSE;
  tall_bytes_append (start, prefix);
  if (prefix.len > 0)
    stop = tall_slice_after_prefix (arena, prefix);
  while (!ended && tall_verify_progress (self))
    if (!walk_page (self, pair, start, stop, &ended, error)
        || !tall_verify_settle (self, G_MAXUINT, error))
      return FALSE;
  return TRUE;
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
  g_auto (Others) others = { 0 };
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_get (plan, pair->table, key);
  g_autoptr (TallReadResult) result =
      tall_table_read (context->table, plan, tall_verify_deadline (), error);
  if (result == NULL || !read_others (&others, context, pair, &result->results[0], error))
    return FALSE;
  const TallRow nothing = { .key = key };
  const TallRows *rows = &result->results[0];
  const TallRow *other =
      rows->n_rows == 0 ? NULL : find_other (&others, context, pair, &rows->rows[0]);
  if (rows->n_rows > 0)
    look_at (look, context, pair, &rows->rows[0], other);
  else
    {
      *look = (TallVerifyLook){ .context = context, .arena = tall_arena_new (0) };
      look->findings = g_array_new (FALSE, FALSE, sizeof (TallFinding));
    }
  make_fingerprint (rows->n_rows > 0 ? &rows->rows[0] : &nothing, other, fingerprint);
  return TRUE;
}
