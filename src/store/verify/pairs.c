/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/canonical.h"
#include "store/read/index.h"
#include "store/verify/verify.h"
#include "tall-error.h"

/**
 * TallVerifyOthers:
 *
 * The other rows of a page of rows: those that are there, by their keys.
 */
typedef struct
{
  TallReadResult *result; /* owned; NULL: there are none */
  GHashTable *rows;       /* owned: key as #GBytes → TallRow */
} TallVerifyOthers;

void tall_verify_others_clear (TallVerifyOthers *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallVerifyOthers, tall_verify_others_clear)

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

/* @other: (nullable): the other row
 *
 * Sets that of both rows, so that a change of either is seen. */
static void
tall_verify_pair_fingerprint (const TallRow *row,
                              const TallRow *other,
                              guint8 fingerprint[TALL_MD5_SIZE])
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  append_row (bytes, row);
  append_row (bytes, other);
  tall_md5 (tall_slice_array (bytes), fingerprint);
}

/* @other: (nullable): the other row
 *
 * Looks at a row together with its other row. */
static void
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

/* Reads the other row of each of @rows. */
static gboolean
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

/* Returns: (nullable): the other row of @row */
static const TallRow *
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

static const char *
locate (const TallStoreContext *context, const TallRow *row, GByteArray *key)
{
  TallSlice customer, order;
  g_auto (TallOrderKey) parts = { 0 };
  if (tall_index_split (context, TALL_INDEX_TABLE, row->key, &customer, &order) == NULL)
    return NULL;
  tall_order_key_init_from_parts (&parts, customer, order);
  return context->layout->locate_order (&parts, key);
}

static void
add (TallVerifyLook *look, TallFindingKind kind, const TallRow *row, const char *message)
{
  tall_verify_look_add (look, kind, TALL_INDEX_TABLE, row->key, 1, message);
}

/* The text of the hint is for people: messages about unreadable orders show it. */
static void
judge_live (TallVerifyLook *look,
            const TallIndex *index,
            const TallRow *row,
            const TallOrderKey *key,
            const TallOrderSummary *order)
{
  const TallCell *cell = tall_row_find_latest (row, TALL_INDEX_QUALIFIER);
  if (!tall_entry_counts (index, row->key, key, &look->root.state, order))
    add (look, TALL_FINDING_DANGLING_HINT, row, "the order has another date");
  else if (order != NULL
           && (cell == NULL
               || !tall_slice_equal (cell->value, tall_slice_str (order->order_number))))
    add (look, TALL_FINDING_ALTERED_HINT, row, "it names another order than it leads to");
}

static void
judge (TallVerifyLook *look, const TallRow *row, const TallRow *other)
{
  TallSlice customer, order, bytes;
  TallOrderSummary summary;
  const TallIndex *index =
      tall_index_split (look->context, TALL_INDEX_TABLE, row->key, &customer, &order);
  if (index == NULL)
    add (look, TALL_FINDING_STRAY_ROW, row, "its key is that of no hint");
  else if (!tall_root_parse_state (&look->root, other, &bytes, NULL)
           || tall_verify_look_is_gone (look))
    return; /* found with the order, or gone */
  else if (!look->root.exists || !look->root.state.live)
    add (look, TALL_FINDING_DANGLING_HINT, row, "there is no such order");
  else
    {
      gboolean known =
          bytes.len > 0 && tall_order_summary_parse (bytes, look->arena, &summary, NULL);
      g_auto (TallOrderKey) key = { 0 };
      tall_order_key_init_from_parts (&key, customer, order);
      judge_live (look, index, row, &key, known ? &summary : NULL);
    }
}

static guint64 *
count (TallVerifyPart *part)
{
  return &part->n_hints;
}

static gboolean
find_order (const TallStoreContext *context, TallSlice key, TallSlice *customer, TallSlice *order)
{
  return tall_index_split (context, TALL_INDEX_TABLE, key, customer, order) != NULL;
}

/**
 * tall_verify_hints:
 *
 * The table `index`: each hint, and the root row that it leads to.
 */
const TallVerifyPair tall_verify_hints = { TALL_INDEX_TABLE, locate, judge, count, find_order };

#define PAGE_ROWS 512
#define PAGE_BYTES (1 << 20)

/* A page that cannot be read because of one row is read again row by row. */
static gboolean
judge_page (TallVerify *self, const TallVerifyPair *pair, const TallRows *rows, GError **error)
{
  g_auto (TallVerifyOthers) others = { 0 };
  g_autoptr (GError) cause = NULL;
  if (!tall_verify_others_read (&others, self->context, pair, rows, &cause))
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
      const TallRow *other = tall_verify_others_find (&others, self->context, pair, &rows->rows[i]);
      tall_verify_pair_look (&look, self->context, pair, &rows->rows[i], other);
      (*pair->count (self->part))++;
      self->n_looked++;
      if (look.findings->len == 0)
        continue;
      tall_verify_pair_fingerprint (&rows->rows[i], other, fingerprint);
      tall_verify_suspect_pair (self, pair, rows->rows[i].key, fingerprint,
                                tall_verify_look_kinds (&look));
    }
  return TRUE;
}

/* How many rows a page may have, so that not more are looked at than is asked for. */
static guint
choose_limit (const TallVerify *self)
{
  guint most = self->request->most;
  return most == 0 ? PAGE_ROWS : MIN (PAGE_ROWS, most - self->n_looked);
}

/* Moves @start on. */
static gboolean
walk_page (TallVerify *self,
           const TallVerifyPair *pair,
           GByteArray *start,
           TallSlice stop,
           gboolean *ended,
           GError **error)
{
  g_auto (TallGap) gap = { 0 };
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  TallRead *read = tall_read_plan_add_scan (plan, pair->table, tall_slice_array (start), stop);
  read->limit = choose_limit (self);
  read->max_bytes = PAGE_BYTES;
  g_autoptr (TallReadResult) result =
      tall_table_scan_past (self->context->table, plan, tall_verify_deadline (), &gap, error);
  if (gap.cause != NULL)
    {
      tall_verify_report_unreadable (self, pair->table, tall_slice_array (start), gap.cause);
      tall_bytes_set (start, tall_slice_array (gap.next));
      *ended = start->len == 0;
      return TRUE;
    }
  if (result == NULL)
    return FALSE;
  const TallRows *rows = &result->results[0];
  *ended = rows->n_rows < read->limit && !rows->cut;
  if (rows->n_rows == 0)
    return TRUE;
  if (!judge_page (self, pair, rows, error))
    return FALSE;
  tall_bytes_set_after (start, rows->rows[rows->n_rows - 1].key);
  return TRUE;
}

/* Where to begin: at the place, or at the first row. */
static gboolean
read_start (const TallVerify *self, TallReader *place, GByteArray *start)
{
  tall_bytes_set (start, self->customer);
  if (place->rest.len == 0)
    return TRUE;
  TallSlice row = tall_reader_take (place, tall_reader_u16 (place));
  if (row.len > 0)
    tall_bytes_set (start, row);
  place->failed = !tall_reader_done (place) || row.len > TALL_MAX_ROW_KEY + 1;
  return !place->failed;
}

/**
 * tall_verify_walk_pairs:
 * @place: where to begin; empty: at the beginning. It has failed afterwards if it is not a place
 * @next: (out): where to go on; empty: this was all
 *
 * Looks at the rows of a table together with their other rows.
 *
 * Returns: FALSE if a table could not be read now
 */
gboolean
tall_verify_walk_pairs (TallVerify *self,
                        const TallVerifyPair *pair,
                        TallReader *place,
                        GByteArray *next,
                        GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (GByteArray) start = g_byte_array_new ();
  TallSlice stop = TALL_SLICE_INIT;
  gboolean ended = FALSE;
  if (!read_start (self, place, start))
    return TRUE;
  if (self->customer.len > 0)
    stop = tall_slice_after_prefix (arena, self->customer);
  while (!ended && !tall_verify_is_over (self))
    if (!walk_page (self, pair, start, stop, &ended, error))
      return FALSE;
  if (ended)
    return TRUE;
  tall_bytes_append_u16 (next, (guint16)start->len);
  tall_bytes_append (next, tall_slice_array (start));
  return TRUE;
}
