/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/canonical.h"
#include "store/verify/verify.h"
#include "table/merged-plan.h"
#include "tall-error.h"

/* ---- Hints ---- */

static gboolean
has_hints (const TallStoreContext *context)
{
  return context->has_index;
}

static gboolean
find_by_date (const TallStoreContext *context,
              TallSlice row,
              TallOrderKey *key,
              GError **error G_GNUC_UNUSED)
{
  TallSlice customer, order;
  if (!tall_index_split (context, row, &customer, &order))
    return FALSE;
  tall_order_key_init_from_parts (key, customer, order);
  return TRUE;
}

static gboolean
has_entries (const TallStoreContext *context)
{
  return context->indexes->len > 0;
}

/* An order whose customer has no id is not there. */
static gboolean
find_by_entry (const TallStoreContext *context, TallSlice row, TallOrderKey *key, GError **error)
{
  g_autofree char *customer = NULL;
  g_autofree char *order = NULL;
  guint64 id = 0;
  if (row.data[0] == 0 || row.data[0] > context->indexes->len
      || !tall_template_split_key (row, &customer, &order))
    return FALSE;
  const char *const numbers[] = { customer };
  if (context->ids != NULL
      && !tall_ids_find (context->ids, numbers, 1, &id, tall_verify_deadline (), error))
    return FALSE;
  tall_order_key_init (key, context->key_strategy, customer, id, order);
  return TRUE;
}

static void
add (TallVerifyLook *look, TallFindingKind kind, const char *table, TallSlice row, const char *what)
{
  tall_verify_look_add (look, kind, table, row, 1, what);
}

/* The text of the hint is for people: messages about unreadable orders show it. */
static void
judge_by_date (TallVerifyLook *look,
               const TallRow *row,
               const TallOrderKey *key,
               const TallOrderSummary *order)
{
  const TallCell *cell = tall_row_find_latest (row, TALL_INDEX_QUALIFIER);
  if (!tall_index_leads_to (row->key, key, look->root.state.sales_date))
    add (look, TALL_FINDING_DANGLING_HINT, TALL_INDEX_TABLE, row->key,
         "the order has another date");
  else if (order != NULL
           && (cell == NULL
               || !tall_slice_equal (cell->value, tall_slice_str (order->order_number))))
    add (look, TALL_FINDING_ALTERED_HINT, TALL_INDEX_TABLE, row->key,
         "it names another order than it leads to");
}

/* What is as old as what is committed came with it, as far as one can see without its content. An
 * earlier try may have written what is older. */
static void
judge_entry (TallVerifyLook *look,
             const TallRow *row,
             const TallOrderKey *key,
             const TallOrderSummary *order)
{
  g_auto (TallVerifyLook) whole = { 0 };
  if (order != NULL && tall_repair_find_latest (row) != look->root.state.revision
      && tall_verify_look_again (&whole, look->context, key->customer, key->order, NULL)
      && whole.hints != NULL && !tall_index_has (whole.hints, TALL_ENTRIES_TABLE, row->key))
    add (look, TALL_FINDING_DANGLING_HINT, TALL_ENTRIES_TABLE, row->key,
         "the order has other values");
}

/* @other: the root row */
static void
judge_hint (TallVerifyLook *look,
            const TallVerifyPair *pair,
            const TallRow *row,
            const TallRow *other)
{
  const char *table = pair->table;
  TallSlice bytes;
  TallOrderSummary summary;
  g_autoptr (GError) unread = NULL;
  g_auto (TallOrderKey) key = { 0 };
  if (!pair->find_order (look->context, row->key, &key, &unread))
    {
      if (unread == NULL)
        add (look, TALL_FINDING_STRAY_ROW, table, row->key, "its key is that of no hint");
    }
  else if (!tall_root_parse_state (&look->root, other, &bytes, NULL)
           || tall_verify_look_is_gone (look))
    return; /* found with the order, or gone */
  else if (!look->root.exists || !look->root.state.live)
    add (look, TALL_FINDING_DANGLING_HINT, table, row->key, "there is no such order");
  else
    {
      gboolean known =
          bytes.len > 0 && tall_order_summary_parse (bytes, look->arena, &summary, NULL);
      (pair->of_customers ? judge_by_date : judge_entry) (look, row, &key, known ? &summary : NULL);
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
  .is_there = has_hints,
  .judge = judge_hint,
  .count = count,
  .find_order = find_by_date,
  .mend = tall_repair_hint,
};

/**
 * tall_verify_entries:
 *
 * The table `entries`, the same.
 */
const TallVerifyPair tall_verify_entries = {
  .table = TALL_ENTRIES_TABLE,
  .needs_root = TRUE,
  .is_there = has_entries,
  .judge = judge_hint,
  .count = count,
  .find_order = find_by_entry,
  .mend = tall_repair_hint,
};

/* ---- Any pair ---- */

const TallVerifyPair *const tall_verify_pairs[TALL_VERIFY_N_PAIRS] = {
  &tall_verify_hints,
  &tall_verify_ids,
  &tall_verify_entries,
};

#define PAGE_ROWS 512

/* Rows with their other rows, NULL where there is none. */
typedef struct
{
  const TallRows *rows;
  const TallRow **others; /* owned */
  TallMergedPlan *plan;   /* owned: holds these */
} Pairs;

static void
pairs_clear (Pairs *self)
{
  g_clear_pointer (&self->others, g_free);
  g_clear_pointer (&self->plan, tall_merged_plan_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pairs, pairs_clear)

/* The other row: its table, and its key, appended to @key. Returns: NULL if there is none; with
 * @error set if that could not be read */
static const char *
locate (const TallStoreContext *context,
        const TallVerifyPair *pair,
        const TallRow *row,
        GByteArray *key,
        GError **error)
{
  g_auto (TallOrderKey) parts = { 0 };
  if (pair->locate != NULL)
    return pair->locate (context, row, key);
  return pair->find_order (context, row->key, &parts, error)
             ? context->layout->locate_order (&parts, key)
             : NULL;
}

static gboolean
pairs_read (Pairs *self,
            const TallStoreContext *context,
            const TallVerifyPair *pair,
            const TallRows *rows,
            GError **error)
{
  TallMergedPlan *plan = tall_merged_plan_new ();
  g_autofree guint *at = g_new0 (guint, rows->n_rows + 1); /* of the reads, from 1; 0: none */
  *self =
      (Pairs){ .rows = rows, .others = g_new0 (const TallRow *, rows->n_rows + 1), .plan = plan };
  for (guint i = 0; i < rows->n_rows; i++)
    {
      GError *cause = NULL;
      g_autoptr (GByteArray) key = g_byte_array_new ();
      const char *table = locate (context, pair, &rows->rows[i], key, &cause);
      if (cause != NULL)
        {
          g_propagate_error (error, cause);
          return FALSE;
        }
      if (table == NULL)
        continue;
      TallSlice wanted = tall_slice_dup (plan->asked->arena, tall_slice_array (key));
      TallRead *read = tall_read_plan_add_get (plan->asked, table, wanted);
      if (pair->needs_root)
        tall_root_narrow (read);
      at[i] = plan->asked->reads->len;
    }
  if (plan->asked->reads->len == 0)
    return TRUE;
  if (!tall_merged_plan_read (plan, context->table, tall_verify_deadline (), error))
    return FALSE;
  for (guint i = 0; i < rows->n_rows; i++)
    if (at[i] > 0 && plan->results[at[i] - 1].n_rows > 0)
      self->others[i] = &plan->results[at[i] - 1].rows[0];
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
  pair->judge (look, pair, &self->rows->rows[i], self->others[i]);
  if (look->findings->len == 0)
    return;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  append_row (bytes, &self->rows->rows[i]);
  /* Of the many entries of one order each that is mended changes its root row. */
  append_row (bytes, pair == &tall_verify_entries ? NULL : self->others[i]);
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
 * tall_verify_find_missing:
 * @look: at an order
 *
 * Returns: (transfer full) (element-type TallHint): what it is to have, and has not; the rows are
 *   owned by @look. NULL if that could not be read
 */
GArray *
tall_verify_find_missing (const TallVerifyLook *look, GError **error)
{
  g_autoptr (GArray) missing = g_array_new (FALSE, FALSE, sizeof (TallHint));
  g_autoptr (TallMergedPlan) plan = tall_merged_plan_new ();
  guint n = look->hints != NULL ? look->hints->len : 0;
  for (guint i = 0; i < n; i++)
    {
      const TallHint *hint = tall_index_get (look->hints, i);
      tall_read_plan_add_get (plan->asked, hint->table, tall_slice_array (hint->row));
    }
  if (n > 0 && !tall_merged_plan_read (plan, look->context->table, tall_verify_deadline (), error))
    return NULL;
  for (guint i = 0; i < n; i++)
    if (plan->results[i].n_rows == 0)
      g_array_append_val (missing, *tall_index_get (look->hints, i));
  return g_steal_pointer (&missing);
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
