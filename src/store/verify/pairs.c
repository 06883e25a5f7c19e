/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/canonical.h"
#include "store/verify/verify.h"
#include "tall-error.h"

/* ---- Hints ---- */

static gboolean
is_there (const TallStoreContext *context)
{
  return context->has_index;
}

static gboolean
find_order (const TallStoreContext *context, TallSlice key, TallSlice *customer, TallSlice *order)
{
  return tall_index_split (context, key, customer, order);
}

static const char *
locate (const TallStoreContext *context, const TallRow *row, GByteArray *key)
{
  TallSlice customer, order;
  g_auto (TallOrderKey) parts = { 0 };
  if (!find_order (context, row->key, &customer, &order))
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
            const TallRow *row,
            const TallOrderKey *key,
            const TallOrderSummary *order)
{
  const TallCell *cell = tall_row_find_latest (row, TALL_INDEX_QUALIFIER);
  if (!tall_index_leads_to (row->key, key, look->root.state.sales_date))
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
  if (!tall_index_split (look->context, row->key, &customer, &order))
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
      judge_live (look, row, &key, known ? &summary : NULL);
    }
}

static guint64 *
count (TallVerifyPart *part)
{
  return &part->n_hints;
}

/**
 * tall_verify_hints:
 *
 * The table `index`: each hint, and the root row that it leads to.
 */
const TallVerifyPair tall_verify_hints = {
  .table = TALL_INDEX_TABLE,
  .of_customers = TRUE,
  .needs_root = TRUE,
  .is_there = is_there,
  .locate = locate,
  .judge = judge,
  .count = count,
  .find_order = find_order,
  .mend = tall_repair_hint,
};

/* ---- Any pair ---- */

const TallVerifyPair *const tall_verify_pairs[TALL_VERIFY_N_PAIRS] = { &tall_verify_hints,
                                                                       &tall_verify_ids };

#define PAGE_ROWS 512

/* Rows with their other rows, NULL where there is none. */
typedef struct
{
  const TallRows *rows;
  const TallRow **others; /* owned */
  TallReadResult *result; /* owned: holds these; NULL: there are none */
} Pairs;

static void
pairs_clear (Pairs *self)
{
  g_clear_pointer (&self->others, g_free);
  g_clear_pointer (&self->result, tall_read_result_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pairs, pairs_clear)

static gboolean
pairs_read (Pairs *self,
            const TallStoreContext *context,
            const TallVerifyPair *pair,
            const TallRows *rows,
            GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  TallSlice *wanted = tall_arena_newa0 (plan->arena, TallSlice, rows->n_rows + 1);
  TallSlice *keys = tall_arena_newa0 (plan->arena, TallSlice, rows->n_rows + 1);
  const char *table = NULL;
  guint n = 0, at = 0;
  *self = (Pairs){ .rows = rows, .others = g_new0 (const TallRow *, rows->n_rows + 1) };
  for (guint i = 0; i < rows->n_rows; i++)
    {
      g_autoptr (GByteArray) key = g_byte_array_new ();
      const char *where = pair->locate (context, &rows->rows[i], key);
      if (where == NULL)
        continue;
      table = where;
      keys[n++] = wanted[i] = tall_slice_dup (plan->arena, tall_slice_array (key));
    }
  if (n == 0)
    return TRUE;
  TallRead *read = tall_read_plan_add_gets (plan, table, keys, n);
  if (pair->needs_root)
    tall_root_narrow (read);
  self->result = tall_table_read (context->table, plan, tall_verify_deadline (), error);
  if (self->result == NULL)
    return FALSE;
  /* Absent rows are left out, and the others are in the order asked for. */
  const TallRows *found = &self->result->results[0];
  for (guint i = 0; i < rows->n_rows; i++)
    if (wanted[i].len > 0 && at < found->n_rows
        && tall_slice_equal (found->rows[at].key, wanted[i]))
      self->others[i] = &found->rows[at++];
  return TRUE;
}

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

/* Looks at a row together with its other row. */
static void
pairs_look (const Pairs *self,
            guint i,
            const TallVerifyPair *pair,
            const TallStoreContext *context,
            TallVerifyLook *look)
{
  tall_verify_look_init (look, context);
  pair->judge (look, &self->rows->rows[i], self->others[i]);
  if (look->findings->len == 0)
    return;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  append_row (bytes, &self->rows->rows[i]);
  append_row (bytes, self->others[i]);
  look->fingerprint = tall_verify_hash (tall_slice_array (bytes));
}

TallReadResult *
tall_verify_read_row (const TallStoreContext *context,
                      const char *table,
                      TallSlice key,
                      GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_get (plan, table, key);
  return tall_table_read (context->table, plan, tall_verify_deadline (), error);
}

/**
 * tall_verify_look_at_pair:
 * @key: of the row
 *
 * Reads both rows and looks at them. If the row is gone, there is nothing wrong with it.
 */
gboolean
tall_verify_look_at_pair (TallVerifyLook *look,
                          const TallStoreContext *context,
                          const TallVerifyPair *pair,
                          TallSlice key,
                          GError **error)
{
  g_auto (Pairs) pairs = { 0 };
  g_autoptr (TallReadResult) result = tall_verify_read_row (context, pair->table, key, error);
  if (result == NULL || !pairs_read (&pairs, context, pair, &result->results[0], error))
    return FALSE;
  if (pairs.rows->n_rows > 0)
    pairs_look (&pairs, 0, pair, context, look);
  else
    tall_verify_look_init (look, context);
  return TRUE;
}

/**
 * tall_verify_find_hint:
 * @look: at an order that is to have a hint
 * @there: (out): whether it has
 */
gboolean
tall_verify_find_hint (const TallVerifyLook *look, gboolean *there, GError **error)
{
  g_autoptr (TallReadResult) result =
      tall_verify_read_row (look->context, TALL_INDEX_TABLE, tall_slice_array (look->hint), error);
  *there = result != NULL && result->results[0].n_rows > 0;
  return result != NULL;
}

/* Nothing is under way in a row that no version writes: it is reported at once. */
static void
judge_row (TallVerify *self, const TallVerifyPair *pair, const Pairs *pairs, guint i)
{
  g_auto (TallVerifyLook) look = { 0 };
  pairs_look (pairs, i, pair, self->context, &look);
  (*pair->count (self->part))++;
  self->n_looked++;
  TallSuspect suspect = { .pair = pair,
                          .key = pairs->rows->rows[i].key,
                          .kinds = tall_verify_look_kinds (&look),
                          .fingerprint = look.fingerprint };
  if (suspect.kinds == 1u << TALL_FINDING_STRAY_ROW)
    tall_verify_report (self, &g_array_index (look.findings, TallFinding, 0));
  else if (suspect.kinds != 0)
    tall_verify_suspect (self, &suspect);
}

/* A page that cannot be read because of one row is read again row by row. */
static gboolean
judge_page (TallVerify *self, const TallVerifyPair *pair, const TallRows *rows, GError **error)
{
  g_auto (Pairs) pairs = { 0 };
  g_autoptr (GError) cause = NULL;
  gboolean whole = pairs_read (&pairs, self->context, pair, rows, &cause);
  if (!whole && !tall_error_is_unreadable (cause))
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  for (guint i = 0; i < rows->n_rows; i++)
    {
      const TallRows single = { &rows->rows[i], 1 };
      if (whole)
        judge_row (self, pair, &pairs, i);
      else if (rows->n_rows > 1 && !judge_page (self, pair, &single, error))
        return FALSE;
    } /* one that cannot be read is found with the order */
  return TRUE;
}

/**
 * tall_verify_walk_pairs:
 * @ended: (out): whether this was all
 *
 * Looks at the rows of a table together with their other rows, from the place on.
 *
 * Returns: FALSE if a table could not be read now
 */
gboolean
tall_verify_walk_pairs (TallVerify *self,
                        const TallVerifyPair *pair,
                        gboolean *ended,
                        GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_auto (TallVerifyPages) pages = { .in = self->context->table, .table = pair->table };
  pages.next = g_byte_array_new ();
  tall_bytes_set (pages.next,
                  self->place->len > 0 ? tall_slice_array (self->place) : self->customer);
  if (self->customer.len > 0)
    pages.stop = tall_slice_after_prefix (arena, self->customer);
  while (!pages.ended && !tall_verify_is_over (self))
    {
      g_auto (TallVerifyStray) gap = { 0 };
      guint most = self->request->most;
      pages.limit = most == 0 ? PAGE_ROWS : MIN (PAGE_ROWS, most - self->n_looked);
      g_autoptr (TallReadResult) result = tall_verify_pages_read (&pages, &gap, error);
      if (gap.cause != NULL)
        tall_verify_report_stray (self, &gap);
      else if (result == NULL || !judge_page (self, pair, &result->results[0], error))
        return FALSE;
      tall_bytes_set (self->place, tall_slice_array (pages.next));
      tall_verify_keep (self);
    }
  *ended = pages.ended;
  return TRUE;
}
