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

static TallReadResult *
read_row (const TallStoreContext *context, const char *table, TallSlice key, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_get (plan, table, key);
  return tall_table_read (context->table, plan, tall_verify_deadline (), error);
}

/* Whether a row by date says of the order what is committed: all that listings show if the row is
 * exact; otherwise its number, which messages about unreadable orders show. */
static gboolean
names_order (const TallVerifyLook *look, const TallRow *hint)
{
  const TallCell *dated = tall_index_find_dated (hint);
  const TallCell *cell = tall_row_find_latest (hint, TALL_INDEX_QUALIFIER);
  if (look->order_number == NULL)
    return TRUE;
  if (dated != NULL)
    return dated->timestamp == look->root.state.revision
           && tall_slice_equal (dated->value, look->summary);
  return cell != NULL && tall_slice_equal (cell->value, tall_slice_str (look->order_number));
}

/* @look: at the order, as far as it was read */
static void
judge_by_order (TallVerifyLook *look, const TallVerifySubject *subject, const TallRow *hint)
{
  TallFindingKind kind = TALL_FINDING_DANGLING_HINT;
  const TallRoot *root = &look->root;
  const char *what = NULL;
  if (tall_verify_look_is_gone (look))
    return;
  if (!root->exists || !root->state.live)
    what = "there is no such order";
  else if (!subject->of_customers && look->hints != NULL
           && !tall_index_has (look->hints, subject->table, hint->key))
    what = "the order has other values";
  else if (subject->of_customers
           && !tall_index_leads_to (hint->key, &look->key, root->state.sales_date))
    what = "the order has another date";
  else if (subject->of_customers && !names_order (look, hint))
    {
      kind = TALL_FINDING_ALTERED_HINT;
      what = "it says something else of the order than what is committed";
    }
  if (what != NULL)
    tall_verify_look_add (look, kind, subject->table, hint->key, 1, what);
  /* Of the many entries of one order each that is mended changes its root row. */
  tall_verify_look_mark (look, hint,
                         tall_slice (root->bytes,
                                     root->exists && subject->of_customers ? TALL_STATE_SIZE : 0));
}

/* An entry that is as old as what is committed came with it, as far as one can see without its
 * content. An earlier try may have written what is older.
 * @other: the root row */
static void
judge_hint (TallVerifyLook *look,
            const TallVerifySubject *subject,
            const TallRow *row,
            const TallRow *other)
{
  TallSlice bytes;
  TallOrderSummary summary;
  g_autoptr (GError) unread = NULL;
  g_auto (TallVerifyLook) whole = { 0 };
  if (!subject->find_order (look->context, row->key, &look->key, &unread))
    {
      if (unread == NULL)
        tall_verify_look_add (look, TALL_FINDING_STRAY_ROW, subject->table, row->key, 1,
                              "its key is that of no hint");
      return;
    }
  if (!tall_root_parse_state (&look->root, other, &bytes, NULL))
    return; /* found with the order */
  if (bytes.len > 0 && tall_order_summary_parse (bytes, look->arena, &summary, NULL))
    look->order_number = summary.order_number;
  look->summary = bytes;
  if (!subject->of_customers && look->order_number != NULL
      && tall_repair_find_latest (row) != look->root.state.revision
      && tall_verify_look_again (&whole, look->context, &tall_verify_orders, look->key.customer,
                                 look->key.order, NULL))
    look->hints = g_steal_pointer (&whole.hints);
  judge_by_order (look, subject, row);
}

/* Reads the row, and the whole order that it leads to. */
static gboolean
look_at_hint (TallVerifyLook *look,
              const TallStoreContext *context,
              const TallVerifySubject *subject,
              TallSlice key,
              TallSlice order G_GNUC_UNUSED,
              GError **error)
{
  g_auto (TallOrderKey) found = { 0 };
  g_autoptr (TallReadResult) read = read_row (context, subject->table, key, error);
  if (read == NULL)
    return FALSE;
  if (read->results[0].n_rows == 0)
    {
      tall_verify_look_init (look, context);
      return TRUE;
    }
  if (!subject->find_order (context, key, &found, error)
      || !tall_verify_look_again (look, context, &tall_verify_orders, found.customer, found.order,
                                  error))
    return FALSE;
  look->beside = read->results[0].rows;
  look->read = g_steal_pointer (&read);
  look->is_excused = tall_verify_look_needs_person (look);
  g_array_set_size (look->findings, 0);
  if (!look->is_excused)
    judge_by_order (look, subject, look->beside);
  return TRUE;
}

/**
 * tall_verify_hints:
 *
 * The table `index`: each hint, and the root row that it leads to.
 */
const TallVerifySubject tall_verify_hints = {
  .table = TALL_INDEX_TABLE,
  .of_customers = TRUE,
  .is_there = has_hints,
  .walk = tall_verify_walk_table,
  .look = look_at_hint,
  .judge = judge_hint,
  .counter = G_STRUCT_OFFSET (TallVerifyPart, n_hints),
  .find_order = find_by_date,
  .mend = tall_repair_hint,
};

/**
 * tall_verify_entries:
 *
 * The table `entries`, the same.
 */
const TallVerifySubject tall_verify_entries = {
  .table = TALL_ENTRIES_TABLE,
  .is_there = has_entries,
  .walk = tall_verify_walk_table,
  .look = look_at_hint,
  .judge = judge_hint,
  .counter = G_STRUCT_OFFSET (TallVerifyPart, n_hints),
  .find_order = find_by_entry,
  .mend = tall_repair_hint,
};

/* ---- Any table ---- */

const TallVerifySubject *const tall_verify_subjects[TALL_VERIFY_N_SUBJECTS] = {
  &tall_verify_orders,
  &tall_verify_hints,
  &tall_verify_ids,
  &tall_verify_entries,
};

#define PAGE_ROWS 512

/* The other row: its table, and its key, appended to @key. Returns: NULL if there is none; with
 * @error set if that could not be read */
static const char *
locate (const TallStoreContext *context,
        const TallVerifySubject *subject,
        const TallRow *row,
        GByteArray *key,
        GError **error)
{
  g_auto (TallOrderKey) parts = { 0 };
  if (subject->locate != NULL)
    return subject->locate (context, row, key);
  return subject->find_order (context, row->key, &parts, error)
             ? context->layout->locate_order (&parts, key)
             : NULL;
}

/* Looks at each row together with its other row.
 * @looks: (out): zeroed before, one for each */
static gboolean
look_at_rows (const TallStoreContext *context,
              const TallVerifySubject *subject,
              const TallRows *rows,
              TallVerifyLook *looks,
              GError **error)
{
  g_autoptr (TallMergedPlan) plan = tall_merged_plan_new ();
  g_autofree guint *at = g_new0 (guint, rows->n_rows + 1); /* of the reads, from 1; 0: none */
  for (guint i = 0; i < rows->n_rows; i++)
    {
      GError *cause = NULL;
      g_autoptr (GByteArray) key = g_byte_array_new ();
      const char *table = locate (context, subject, &rows->rows[i], key, &cause);
      if (cause != NULL)
        {
          g_propagate_error (error, cause);
          return FALSE;
        }
      if (table == NULL)
        continue;
      TallSlice wanted = tall_slice_dup (plan->asked->arena, tall_slice_array (key));
      TallRead *read = tall_read_plan_add_get (plan->asked, table, wanted);
      if (subject->locate == NULL)
        tall_root_narrow (read);
      at[i] = plan->asked->reads->len;
    }
  if (plan->asked->reads->len > 0
      && !tall_merged_plan_read (plan, context->table, tall_verify_deadline (), error))
    return FALSE;
  for (guint i = 0; i < rows->n_rows; i++)
    {
      const TallRows *other = at[i] > 0 ? &plan->results[at[i] - 1] : NULL;
      tall_verify_look_init (&looks[i], context);
      subject->judge (&looks[i], subject, &rows->rows[i],
                      other != NULL && other->n_rows > 0 ? other->rows : NULL);
    }
  return TRUE;
}

/**
 * tall_verify_look_at_row:
 *
 * Reads a row and its other row, and looks at them. If the row is gone, there is nothing wrong with
 * it.
 */
gboolean
tall_verify_look_at_row (TallVerifyLook *look,
                         const TallStoreContext *context,
                         const TallVerifySubject *subject,
                         TallSlice key,
                         TallSlice order G_GNUC_UNUSED,
                         GError **error)
{
  g_autoptr (TallReadResult) read = read_row (context, subject->table, key, error);
  if (read == NULL)
    return FALSE;
  if (read->results[0].n_rows == 0)
    tall_verify_look_init (look, context);
  else if (!look_at_rows (context, subject, &read->results[0], look, error))
    return FALSE;
  look->beside = read->results[0].n_rows > 0 ? read->results[0].rows : NULL;
  look->read = g_steal_pointer (&read);
  return TRUE;
}

/* A hint that is looked for. */
typedef struct
{
  TallVerifyLook *look;
  const TallHint *hint;
} Wanted;

static gboolean
find_some (const Wanted *wanted, guint n, TallVerifyStray *gap, GError **error)
{
  GError *cause = NULL;
  g_autoptr (TallMergedPlan) plan = tall_merged_plan_new ();
  for (guint i = 0; i < n; i++)
    tall_read_plan_add_get (plan->asked, wanted[i].hint->table,
                            tall_slice_array (wanted[i].hint->row));
  if (tall_merged_plan_read (plan, wanted->look->context->table, tall_verify_deadline (), &cause))
    {
      for (guint i = 0; i < n; i++)
        if (plan->results[i].n_rows == 0)
          g_array_append_val (wanted[i].look->missing, *wanted[i].hint);
      return TRUE;
    }
  if (gap == NULL || !tall_error_is_unreadable (cause))
    {
      g_propagate_error (error, cause);
      return FALSE;
    }
  if (n == 1 && gap->cause == NULL)
    {
      *gap = (TallVerifyStray){ wanted->hint->table, g_byte_array_new (), 1, cause };
      tall_bytes_set (gap->row, tall_slice_array (wanted->hint->row));
      return TRUE;
    }
  g_error_free (cause);
  for (guint i = 0; i < n && n > 1; i++)
    if (!find_some (&wanted[i], 1, gap, error))
      return FALSE;
  return TRUE;
}

/**
 * tall_verify_find_missing:
 * @looks: (inout): at orders: what each has not of what it is to have
 * @gap: (nullable): zeroed before: the first row that cannot be read; then the others are looked
 *   for all the same
 */
gboolean
tall_verify_find_missing (TallVerifyLook *looks, guint n, TallVerifyStray *gap, GError **error)
{
  g_autoptr (GArray) wanted = g_array_new (FALSE, FALSE, sizeof (Wanted));
  for (guint i = 0; i < n; i++)
    {
      g_clear_pointer (&looks[i].missing, g_array_unref);
      looks[i].missing = g_array_new (FALSE, FALSE, sizeof (TallHint));
      for (guint j = 0; looks[i].hints != NULL && j < looks[i].hints->len; j++)
        {
          const Wanted one = { &looks[i], tall_index_get (looks[i].hints, j) };
          g_array_append_val (wanted, one);
        }
    }
  return wanted->len == 0
         || find_some ((const Wanted *)(gpointer)wanted->data, wanted->len, gap, error);
}

/* Nothing is under way in a row that no version writes: it is reported at once. */
static void
take_look (TallVerify *self,
           const TallVerifySubject *subject,
           TallSlice key,
           const TallVerifyLook *look)
{
  G_STRUCT_MEMBER (guint64, self->part, subject->counter)++;
  self->n_looked++;
  const TallSuspect suspect = { .subject = subject,
                                .key = key,
                                .kinds = tall_verify_look_kinds (look),
                                .fingerprint = look->fingerprint };
  if (suspect.kinds == 1u << TALL_FINDING_STRAY_ROW)
    tall_verify_report (self, &g_array_index (look->findings, TallFinding, 0));
  else if (suspect.kinds != 0)
    tall_verify_suspect (self, &suspect);
}

/* A page that cannot be read because of one row is read again row by row. One that cannot be read
 * by itself is found with the order. */
static gboolean
judge_page (TallVerify *self,
            const TallVerifySubject *subject,
            const TallRows *rows,
            GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (GArray) looks = g_array_new (FALSE, TRUE, sizeof (TallVerifyLook));
  g_array_set_clear_func (looks, (GDestroyNotify)tall_verify_look_clear);
  g_array_set_size (looks, rows->n_rows);
  TallVerifyLook *all = (TallVerifyLook *)(gpointer)looks->data;
  gboolean whole = look_at_rows (self->context, subject, rows, all, &cause);
  if (!whole && !tall_error_is_unreadable (cause))
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  for (guint i = 0; i < rows->n_rows; i++)
    {
      const TallRows single = { &rows->rows[i], 1 };
      if (whole)
        take_look (self, subject, rows->rows[i].key, &all[i]);
      else if (rows->n_rows > 1 && !judge_page (self, subject, &single, error))
        return FALSE;
    }
  return TRUE;
}

/**
 * tall_verify_walk_table:
 * @ended: (out): whether this was all
 *
 * Looks at the rows of a table together with their other rows.
 */
gboolean
tall_verify_walk_table (TallVerify *self,
                        const TallVerifySubject *subject,
                        gboolean *ended,
                        GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_auto (TallVerifyPages) pages = { .in = self->context->table, .table = subject->table };
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
      else if (result == NULL || !judge_page (self, subject, &result->results[0], error))
        return FALSE;
      tall_bytes_set (self->place, tall_slice_array (pages.next));
      tall_verify_keep (self);
    }
  *ended = pages.ended;
  return TRUE;
}
