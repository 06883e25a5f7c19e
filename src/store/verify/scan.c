/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/verify/scan.h"

#include "store/verify/look.h"
#include "tall-error.h"

static TallVerifyScan *tall_verify_scan_new_of (const TallStoreContext *context,
                                                const TallReadPlan *plan,
                                                TallVerifyStray on_stray,
                                                gpointer data);

void
tall_verify_rows_clear (TallVerifyRows *self)
{
  g_clear_pointer (&self->scan, tall_verify_scan_free);
  self->group = (TallVerifyGroup){ 0 };
}

static void
add_reads (const TallStoreContext *context, const TallOrderKey *key, TallReadPlan *plan)
{
  g_autoptr (GByteArray) row = g_byte_array_new ();
  if (key->order.len > 0)
    {
      context->layout->plan_order (key, plan);
      return;
    }
  const char *table = context->layout->locate_customer (key, row);
  tall_read_plan_add_get (plan, table, tall_slice_dup (plan->arena, tall_slice_array (row)));
}

/* A row that is not of an order is left out: the walk has found it. What the table cannot read ends
 * it.
 */
static gboolean
note_stray (const char *table G_GNUC_UNUSED,
            TallSlice row G_GNUC_UNUSED,
            guint n_rows G_GNUC_UNUSED,
            const GError *error,
            gpointer data)
{
  GError **cause = data;
  if (error != NULL && *cause == NULL)
    *cause = g_error_copy (error);
  return TRUE;
}

/**
 * tall_verify_rows_read:
 * @self: all zero
 * @order: empty: a customer
 *
 * Reads everything of an order or a customer, page by page, as there may be any number of rows
 * between its own that are of nobody.
 */
gboolean
tall_verify_rows_read (TallVerifyRows *self,
                       const TallStoreContext *context,
                       TallSlice customer,
                       TallSlice order,
                       GError **error)
{
  gboolean paused;
  GError *cause = NULL;
  GError *unreadable = NULL;
  g_auto (TallOrderKey) key = { 0 };
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_order_key_init_from_parts (&key, customer, order);
  add_reads (context, &key, plan);
  self->scan = tall_verify_scan_new_of (context, plan, note_stray, &unreadable);
  const TallVerifyGroup *group = tall_verify_scan_next (self->scan, &paused, &cause);
  if (cause == NULL)
    cause = g_steal_pointer (&unreadable);
  g_clear_error (&unreadable);
  if (cause != NULL)
    {
      g_propagate_error (error, cause);
      return FALSE;
    }
  self->group = group != NULL ? *group : (TallVerifyGroup){ .customer = customer, .order = order };
  return TRUE;
}

#define PAGE_BYTES (1 << 20) /* where the table cannot tell, by the size of the rows before */
#define FIRST_ROWS 16
#define MOST_ROWS 4096

/* One table, read page by page. */
typedef struct
{
  const char *table;
  GPtrArray *pages; /* of TallReadResult: those that the rows of a group lie in, and the last one */
  gboolean needed;  /* a row of the group lies in the last one */
  guint at;         /* in the last page */
  guint limit;      /* rows of the next page */
  GByteArray *next; /* where the next page begins */
  TallSlice stop;   /* empty: the end of the table */
  gboolean ended;
  TallSlice customer; /* parts of the key of the row at @at; empty: it is a stray */
  TallSlice order;
  TallSlice prefix;  /* of that key: up to the end of these parts */
  guint n_strays;    /* between the rows of the group */
  GByteArray *stray; /* key of the first of them */
} Cursor;

struct _TallVerifyScan
{
  const TallStoreContext *context;
  TallVerifyStray on_stray;
  gpointer data;
  TallArena *arena; /* of where the cursors stop */
  GArray *parts;    /* of TallRowPart: of the key that is looked at */
  Cursor cursors[TALL_VERIFY_MAX_TABLES];
  gboolean paused;
  TallVerifyGroup group;
};

static const TallRows *
last_page (const Cursor *cursor)
{
  if (cursor->pages->len == 0)
    return NULL;
  const TallReadResult *result = g_ptr_array_index (cursor->pages, cursor->pages->len - 1);
  return &result->results[0];
}

static const TallRow *
current_row (const Cursor *cursor)
{
  const TallRows *page = last_page (cursor);
  return page == NULL || cursor->at >= page->n_rows ? NULL : &page->rows[cursor->at];
}

static guint
choose_limit (const TallRows *page)
{
  gsize bytes = 1;
  for (guint i = 0; i < page->n_rows; i++)
    for (guint j = 0; j < page->rows[i].n_cells; j++)
      bytes += 32 + page->rows[i].cells[j].qualifier.len + page->rows[i].cells[j].value.len;
  return (guint)CLAMP ((guint64)PAGE_BYTES * MAX (page->n_rows, 1) / bytes, 1, MOST_ROWS);
}

/* Reports that rows cannot be read, and goes on behind them. */
static void
pass_gap (TallVerifyScan *self, Cursor *cursor, const TallGap *gap)
{
  (void)self->on_stray (cursor->table, tall_slice_array (cursor->next), 1, gap->cause, self->data);
  tall_bytes_set (cursor->next, tall_slice_array (gap->next));
  cursor->ended = gap->next->len == 0;
}

static gboolean
read_page (TallVerifyScan *self, Cursor *cursor, GError **error)
{
  g_auto (TallGap) gap = { 0 };
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  TallRead *read =
      tall_read_plan_add_scan (plan, cursor->table, tall_slice_array (cursor->next), cursor->stop);
  read->limit = cursor->limit;
  read->max_bytes = PAGE_BYTES;
  g_autoptr (TallReadResult) result =
      tall_table_scan_past (self->context->table, plan, tall_verify_deadline (), &gap, error);
  if (result == NULL && gap.cause == NULL)
    {
      g_prefix_error (error, "Reading table %s: ", cursor->table);
      return FALSE;
    }
  if (result == NULL)
    {
      pass_gap (self, cursor, &gap);
      return TRUE;
    }

  const TallRows *rows = &result->results[0];
  cursor->ended = rows->n_rows < read->limit && !rows->cut;
  cursor->limit = choose_limit (rows);
  cursor->at = 0;
  if (rows->n_rows > 0)
    {
      TallSlice last = rows->rows[rows->n_rows - 1].key;
      tall_bytes_set_after (cursor->next, last);
    }
  if (!cursor->needed && cursor->pages->len > 0)
    g_ptr_array_set_size (cursor->pages, (gint)cursor->pages->len - 1);
  cursor->needed = FALSE;
  g_ptr_array_add (cursor->pages, g_steal_pointer (&result));
  return TRUE;
}

/* Sets the parts of the current row's key. FALSE: no layout makes such a key. */
static gboolean
split_key (TallVerifyScan *self, Cursor *cursor, TallSlice key)
{
  TallRowOwner owner = tall_layout_find_owner (self->context->layout, self->context->key_strategy,
                                               cursor->table, key, self->parts);
  cursor->prefix = owner.prefix;
  cursor->customer = cursor->order = (TallSlice)TALL_SLICE_INIT;
  if (owner.is_unexpected)
    return FALSE;
  cursor->customer = owner.customer;
  cursor->order = owner.order;
  return owner.customer.len > 0;
}

/* Makes sure that there is a row to stand on, unless the cursor is at its end. */
static gboolean
reach_row (TallVerifyScan *self, Cursor *cursor, GError **error)
{
  while (current_row (cursor) == NULL && !cursor->ended)
    if (!read_page (self, cursor, error))
      return FALSE;
  return TRUE;
}

/* Makes the cursor stand on a row that is not a stray, unless it is at its end, or paused. */
static gboolean
settle (TallVerifyScan *self, Cursor *cursor, GError **error)
{
  for (;;)
    {
      if (!reach_row (self, cursor, error))
        return FALSE;
      const TallRow *row = current_row (cursor);
      if (row == NULL || split_key (self, cursor, row->key))
        return TRUE;
      self->paused = !self->on_stray (cursor->table, row->key, 1, NULL, self->data);
      cursor->at++;
      if (self->paused)
        return TRUE;
    }
}

/* Makes the cursor stand on the next row, but skips strays among the rows of the group, and
 * counts them: there may be any number. */
static gboolean
step (TallVerifyScan *self, Cursor *cursor, TallSlice prefix, GError **error)
{
  for (;;)
    {
      cursor->at++;
      if (!reach_row (self, cursor, error))
        return FALSE;
      const TallRow *row = current_row (cursor);
      if (row == NULL || split_key (self, cursor, row->key) || self->group.order.len == 0
          || !tall_slice_has_prefix (row->key, prefix))
        return TRUE;
      if (cursor->n_strays++ == 0)
        tall_bytes_set (cursor->stray, row->key);
    }
}

/* Drops the pages that no row of the next group lies in. */
static void
drop_pages (Cursor *cursor)
{
  guint n = cursor->pages->len;
  guint keep = current_row (cursor) != NULL ? 1 : 0;
  if (n > keep)
    g_ptr_array_remove_range (cursor->pages, 0, n - keep);
  cursor->needed = FALSE;
}

static int
compare (const Cursor *cursor, const TallVerifyGroup *group)
{
  int order = tall_slice_compare (cursor->customer, group->customer);
  return order != 0 ? order : tall_slice_compare (cursor->order, group->order);
}

/* Finds the order or customer whose rows come next. FALSE: there is none. */
static gboolean
find_next (TallVerifyScan *self)
{
  TallVerifyGroup *group = &self->group;
  gboolean found = FALSE;
  for (guint i = 0; i < group->n_tables; i++)
    {
      const Cursor *cursor = &self->cursors[i];
      if (current_row (cursor) == NULL || (found && compare (cursor, group) >= 0))
        continue;
      group->customer = cursor->customer;
      group->order = cursor->order;
      found = TRUE;
    }
  return found;
}

/* Takes the rows of the group from one table. */
static gboolean
take_rows (TallVerifyScan *self, guint i, GError **error)
{
  Cursor *cursor = &self->cursors[i];
  TallVerifyGroup *group = &self->group;
  while (current_row (cursor) != NULL && compare (cursor, group) == 0)
    {
      g_array_append_vals (group->rows[i], current_row (cursor), 1);
      cursor->needed = TRUE;
      if (!step (self, cursor, cursor->prefix, error))
        return FALSE;
    }
  return TRUE;
}

/* Reports the strays between the rows of the group: one finding for each table. */
static void
report_strays (TallVerifyScan *self)
{
  for (guint i = 0; i < self->group.n_tables; i++)
    {
      Cursor *cursor = &self->cursors[i];
      if (cursor->n_strays > 0)
        (void)self->on_stray (cursor->table, tall_slice_array (cursor->stray), cursor->n_strays,
                              NULL, self->data);
      cursor->n_strays = 0;
    }
}

static gboolean
take_group (TallVerifyScan *self, GError **error)
{
  gboolean taken = TRUE;
  for (guint i = 0; taken && i < self->group.n_tables; i++)
    taken = take_rows (self, i, error);
  report_strays (self);
  return taken;
}

/**
 * tall_verify_scan_next:
 * @paused: (out): whether it ended because a stray row was not the last that was wanted
 *
 * Returns: (transfer none) (nullable): the next order or customer; NULL at the end, where it is
 *   paused, or with @error set
 */
const TallVerifyGroup *
tall_verify_scan_next (TallVerifyScan *self, gboolean *paused, GError **error)
{
  TallVerifyGroup *group = &self->group;
  *paused = FALSE;
  for (guint i = 0; i < group->n_tables; i++)
    {
      drop_pages (&self->cursors[i]);
      g_array_set_size (group->rows[i], 0);
      if (!settle (self, &self->cursors[i], error))
        return NULL;
      *paused = self->paused;
      if (self->paused)
        return NULL;
    }
  if (!find_next (self))
    return NULL;
  return take_group (self, error) ? group : NULL;
}

/**
 * tall_verify_scan_append_place:
 *
 * Appends where the scan goes on, after the group that it gave last.
 */
void
tall_verify_scan_append_place (const TallVerifyScan *self, GByteArray *place)
{
  for (guint i = 0; i < self->group.n_tables; i++)
    {
      const Cursor *cursor = &self->cursors[i];
      const TallRow *row = current_row (cursor);
      TallSlice next = row != NULL ? row->key : tall_slice_array (cursor->next);
      tall_bytes_append_u8 (place, row == NULL && cursor->ended);
      tall_bytes_append_u16 (place, (guint16)next.len);
      tall_bytes_append (place, next);
    }
}

/**
 * tall_verify_scan_go_to:
 * @place: of a scan of the same tables; read to its end
 *
 * Returns: FALSE if it is not one
 */
gboolean
tall_verify_scan_go_to (TallVerifyScan *self, TallReader *place)
{
  for (guint i = 0; i < self->group.n_tables; i++)
    {
      Cursor *cursor = &self->cursors[i];
      cursor->ended = tall_reader_u8 (place) != 0;
      TallSlice next = tall_reader_take (place, tall_reader_u16 (place));
      if (next.len > TALL_MAX_ROW_KEY + 1)
        return FALSE;
      tall_bytes_set (cursor->next, next);
    }
  return tall_reader_done (place);
}

/**
 * tall_verify_scan_skip_customer:
 * @customer: a customer part of the present group
 *
 * Goes on after everything of a customer, without reading it.
 */
void
tall_verify_scan_skip_customer (TallVerifyScan *self, TallSlice customer)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallSlice after = tall_slice_after_prefix (arena, customer);
  for (guint i = 0; i < self->group.n_tables; i++)
    {
      Cursor *cursor = &self->cursors[i];
      const TallRow *row;
      while ((row = current_row (cursor)) != NULL && tall_slice_has_prefix (row->key, customer))
        cursor->at++;
      if (row != NULL || cursor->ended)
        continue; /* else the page ends with a row of the customer, and the next begins there */
      cursor->ended = after.len == 0;
      tall_bytes_set (cursor->next, after);
    }
}

/* Of all tables, to their ends. */
static TallVerifyScan *
scan_new (const TallStoreContext *context, TallVerifyStray on_stray, gpointer data)
{
  TallVerifyScan *self = g_new0 (TallVerifyScan, 1);
  self->context = context;
  self->on_stray = on_stray;
  self->data = data;
  self->arena = tall_arena_new (0);
  self->parts = g_array_new (FALSE, FALSE, sizeof (TallRowPart));
  for (const TallLayoutTable *table = context->layout->tables; table->name != NULL; table++)
    {
      guint i = self->group.n_tables++;
      g_assert (i < TALL_VERIFY_MAX_TABLES);
      self->group.tables[i] = table->name;
      self->group.rows[i] = g_array_new (FALSE, FALSE, sizeof (TallRow));
      self->cursors[i] = (Cursor){ .table = table->name, .limit = FIRST_ROWS };
      self->cursors[i].pages =
          g_ptr_array_new_with_free_func ((GDestroyNotify)tall_read_result_free);
      self->cursors[i].next = g_byte_array_new ();
      self->cursors[i].stray = g_byte_array_new ();
    }
  return self;
}

/**
 * tall_verify_scan_new:
 * @customer: a customer part: only this one; the empty slice: all
 * @on_stray: called for what belongs to no order and no customer
 *
 * Returns: (transfer full): the scan
 */
TallVerifyScan *
tall_verify_scan_new (const TallStoreContext *context,
                      TallSlice customer,
                      TallVerifyStray on_stray,
                      gpointer data)
{
  TallVerifyScan *self = scan_new (context, on_stray, data);
  for (guint i = 0; i < self->group.n_tables && customer.len > 0; i++)
    {
      tall_bytes_append (self->cursors[i].next, customer);
      self->cursors[i].stop = tall_slice_after_prefix (self->arena, customer);
    }
  return self;
}

/* Begins and ends where the read does. FALSE: it is of another table. */
static gboolean
narrow (TallVerifyScan *self, Cursor *cursor, const TallRead *read)
{
  g_autoptr (GByteArray) after = g_byte_array_new ();
  if (!g_str_equal (cursor->table, read->table))
    return FALSE;
  if (read->kind == TALL_READ_SCAN)
    {
      tall_bytes_set (cursor->next, read->start);
      cursor->stop = tall_slice_dup (self->arena, read->stop);
      return TRUE;
    }
  tall_bytes_set (cursor->next, read->keys[0]);
  tall_bytes_set_after (after, read->keys[0]);
  cursor->stop = tall_slice_dup (self->arena, tall_slice_array (after));
  return TRUE;
}

/* @plan: at most one scan, or a get of one row, of each table
 * @on_stray: called for what belongs to no order and no customer
 *
 * Returns: (transfer full): a scan of what the plan reads */
static TallVerifyScan *
tall_verify_scan_new_of (const TallStoreContext *context,
                         const TallReadPlan *plan,
                         TallVerifyStray on_stray,
                         gpointer data)
{
  TallVerifyScan *self = scan_new (context, on_stray, data);
  for (guint i = 0; i < self->group.n_tables; i++)
    {
      gboolean read = FALSE;
      for (guint j = 0; j < plan->reads->len && !read; j++)
        read = narrow (self, &self->cursors[i], tall_read_plan_get (plan, j));
      self->cursors[i].ended = !read;
    }
  return self;
}

void
tall_verify_scan_free (TallVerifyScan *self)
{
  for (guint i = 0; i < self->group.n_tables; i++)
    {
      g_ptr_array_unref (self->cursors[i].pages);
      g_byte_array_unref (self->cursors[i].next);
      g_byte_array_unref (self->cursors[i].stray);
      g_array_unref (self->group.rows[i]);
    }
  g_array_unref (self->parts);
  tall_arena_free (self->arena);
  g_free (self);
}
