/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/verify/verify.h"

#define PAGE_BYTES (1 << 20) /* where the table cannot tell, by the size of the rows before */
#define FIRST_ROWS 16
#define MOST_ROWS 4096

void
tall_verify_stray_clear (TallVerifyStray *self)
{
  g_clear_pointer (&self->row, g_byte_array_unref);
  g_clear_error (&self->cause);
}

static TallVerifyStray
make_stray (const char *table, TallSlice row, guint n_rows)
{
  TallVerifyStray stray = { table, g_byte_array_new (), n_rows, NULL };
  tall_bytes_set (stray.row, row);
  return stray;
}

void
tall_verify_pages_clear (TallVerifyPages *self)
{
  g_clear_pointer (&self->next, g_byte_array_unref);
}

/**
 * tall_verify_pages_read:
 * @gap: (out caller-allocates): zeroed before: the rows that come next, if they cannot be read
 *
 * Returns: (transfer full): the next page; NULL with @gap, or with @error
 */
TallReadResult *
tall_verify_pages_read (TallVerifyPages *self, TallVerifyStray *gap, GError **error)
{
  g_auto (TallGap) found = { 0 };
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  TallSlice start = tall_slice_array (self->next);
  TallRead *read = tall_read_plan_add_scan (plan, self->table, start, self->stop);
  read->limit = self->limit;
  read->max_bytes = PAGE_BYTES;
  TallReadResult *result =
      tall_table_scan_past (self->in, plan, tall_verify_deadline (), &found, error);
  if (result != NULL)
    {
      const TallRows *rows = &result->results[0];
      self->ended = rows->n_rows < read->limit && !rows->cut;
      if (rows->n_rows > 0)
        tall_bytes_set_after (self->next, rows->rows[rows->n_rows - 1].key);
    }
  else if (found.cause != NULL)
    {
      *gap = make_stray (self->table, start, 1);
      gap->cause = g_steal_pointer (&found.cause);
      tall_bytes_set (self->next, tall_slice_array (found.next));
      self->ended = self->next->len == 0;
    }
  else
    g_prefix_error (error, "Reading table %s: ", self->table);
  return result;
}

/* A place in one table. */
typedef struct
{
  TallVerifyPages pages;
  GPtrArray
      *results;    /* of TallReadResult: those that the rows of a group lie in, and the last one */
  gboolean needed; /* a row of the group lies in the last one */
  guint at;        /* in the last one */
  TallSlice customer; /* parts of the key of the row at @at; empty: it is a stray */
  TallSlice order;
  TallSlice prefix; /* of that key: up to the end of these parts */
} Cursor;

struct _TallVerifyScan
{
  const TallStoreContext *context;
  TallArena *arena; /* of where the cursors stop */
  GArray *parts;    /* of TallRowPart: of the key that is looked at */
  Cursor cursors[TALL_VERIFY_MAX_TABLES];
  TallVerifyGroup group;
};

static const TallRow *
current_row (const Cursor *cursor)
{
  if (cursor->results->len == 0)
    return NULL;
  const TallReadResult *last = g_ptr_array_index (cursor->results, cursor->results->len - 1);
  return cursor->at < last->results[0].n_rows ? &last->results[0].rows[cursor->at] : NULL;
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

static gboolean
read_page (TallVerifyScan *self, Cursor *cursor, GError **error)
{
  TallVerifyStray gap = { 0 };
  TallReadResult *result = tall_verify_pages_read (&cursor->pages, &gap, error);
  if (gap.cause != NULL)
    g_array_append_val (self->group.strays, gap);
  if (result == NULL)
    return gap.cause != NULL;
  cursor->pages.limit = choose_limit (&result->results[0]);
  cursor->at = 0;
  if (!cursor->needed && cursor->results->len > 0)
    g_ptr_array_set_size (cursor->results, (gint)cursor->results->len - 1);
  cursor->needed = FALSE;
  g_ptr_array_add (cursor->results, result);
  return TRUE;
}

/* Sets the parts of the current row's key. FALSE: no layout makes such a key. */
static gboolean
split_key (TallVerifyScan *self, Cursor *cursor, TallSlice key)
{
  TallRowOwner owner = tall_layout_find_owner (self->context->layout, self->context->key_strategy,
                                               cursor->pages.table, key, self->parts);
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
  while (current_row (cursor) == NULL && !cursor->pages.ended)
    if (!read_page (self, cursor, error))
      return FALSE;
  return TRUE;
}

/* Makes the cursor stand on the next row, but skips strays among the rows of the group, and
 * counts them: there may be any number. */
static gboolean
step (
    TallVerifyScan *self, Cursor *cursor, TallSlice prefix, TallVerifyStray *stray, GError **error)
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
      if (stray->n_rows++ == 0)
        *stray = make_stray (cursor->pages.table, row->key, 1);
    }
}

static int
compare (const Cursor *cursor, const TallVerifyGroup *group)
{
  int order = tall_slice_compare (cursor->customer, group->customer);
  return order != 0 ? order : tall_slice_compare (cursor->order, group->order);
}

/* Takes the rows of the group from one table, and the strays between them as one. */
static gboolean
take_rows (TallVerifyScan *self, guint i, GError **error)
{
  Cursor *cursor = &self->cursors[i];
  TallVerifyGroup *group = &self->group;
  TallVerifyStray stray = { 0 };
  gboolean taken = TRUE;
  while (taken && current_row (cursor) != NULL && compare (cursor, group) == 0)
    {
      g_array_append_vals (group->rows[i], current_row (cursor), 1);
      cursor->needed = TRUE;
      taken = step (self, cursor, cursor->prefix, &stray, error);
    }
  if (stray.n_rows > 0)
    g_array_append_val (group->strays, stray);
  return taken;
}

/* Finds the order or customer whose rows come next, and takes them. */
static gboolean
take_group (TallVerifyScan *self, GError **error)
{
  TallVerifyGroup *group = &self->group;
  for (guint i = 0; i < group->n_tables; i++)
    {
      const Cursor *cursor = &self->cursors[i];
      if (current_row (cursor) == NULL || (group->customer.len > 0 && compare (cursor, group) >= 0))
        continue;
      group->customer = cursor->customer;
      group->order = cursor->order;
    }
  for (guint i = 0; group->customer.len > 0 && i < group->n_tables; i++)
    if (!take_rows (self, i, error))
      return FALSE;
  return TRUE;
}

/* Drops the pages that no row of the next group lies in, and makes each cursor stand on a row.
 * Sets @stray if a row is one: the scan goes on behind it. */
static gboolean
settle (TallVerifyScan *self, gboolean *stray, GError **error)
{
  for (guint i = 0; i < self->group.n_tables && !*stray; i++)
    {
      Cursor *cursor = &self->cursors[i];
      guint keep = current_row (cursor) != NULL ? 1 : 0;
      if (cursor->results->len > keep)
        g_ptr_array_remove_range (cursor->results, 0, cursor->results->len - keep);
      cursor->needed = FALSE;
      if (!reach_row (self, cursor, error))
        return FALSE;
      const TallRow *row = current_row (cursor);
      if (row == NULL || split_key (self, cursor, row->key))
        continue;
      TallVerifyStray found = make_stray (cursor->pages.table, row->key, 1);
      g_array_append_val (self->group.strays, found);
      cursor->at++;
      *stray = TRUE;
    }
  return TRUE;
}

/**
 * tall_verify_scan_next:
 *
 * Returns: (transfer none) (nullable): the next order or customer, and the strays that were met
 *   meanwhile; NULL at the end, or with @error
 */
const TallVerifyGroup *
tall_verify_scan_next (TallVerifyScan *self, GError **error)
{
  TallVerifyGroup *group = &self->group;
  gboolean stray = FALSE;
  group->customer = group->order = (TallSlice)TALL_SLICE_INIT;
  g_array_set_size (group->strays, 0);
  for (guint i = 0; i < group->n_tables; i++)
    g_array_set_size (group->rows[i], 0);
  if (!settle (self, &stray, error) || (!stray && !take_group (self, error)))
    return NULL;
  return group->customer.len > 0 || group->strays->len > 0 ? group : NULL;
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
      TallSlice next = row != NULL ? row->key : tall_slice_array (cursor->pages.next);
      tall_bytes_append_u8 (place, row == NULL && cursor->pages.ended);
      tall_bytes_append_u16 (place, (guint16)next.len);
      tall_bytes_append (place, next);
    }
}

/**
 * tall_verify_scan_go_to:
 * @place: of a scan of the same tables
 */
void
tall_verify_scan_go_to (TallVerifyScan *self, TallReader *place)
{
  for (guint i = 0; i < self->group.n_tables; i++)
    {
      TallVerifyPages *pages = &self->cursors[i].pages;
      pages->ended = tall_reader_u8 (place) != 0;
      tall_bytes_set (pages->next, tall_reader_take (place, tall_reader_u16 (place)));
    }
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
      if (row != NULL || cursor->pages.ended)
        continue; /* else the page ends with a row of the customer, and the next begins there */
      cursor->pages.ended = after.len == 0;
      tall_bytes_set (cursor->pages.next, after);
    }
}

/**
 * tall_verify_scan_new:
 * @customer: a customer part: only this one; the empty slice: all
 *
 * Returns: (transfer full): the scan
 */
TallVerifyScan *
tall_verify_scan_new (const TallStoreContext *context, TallSlice customer)
{
  TallVerifyScan *self = g_new0 (TallVerifyScan, 1);
  self->context = context;
  self->arena = tall_arena_new (0);
  self->parts = g_array_new (FALSE, FALSE, sizeof (TallRowPart));
  self->group.strays = g_array_new (FALSE, FALSE, sizeof (TallVerifyStray));
  g_array_set_clear_func (self->group.strays, (GDestroyNotify)tall_verify_stray_clear);
  for (const TallLayoutTable *table = context->layout->tables; table->name != NULL; table++)
    {
      guint i = self->group.n_tables++;
      g_assert (i < TALL_VERIFY_MAX_TABLES);
      self->group.tables[i] = table->name;
      self->group.rows[i] = g_array_new (FALSE, FALSE, sizeof (TallRow));
      Cursor *cursor = &self->cursors[i];
      cursor->pages = (TallVerifyPages){ .in = context->table, .table = table->name };
      cursor->pages.limit = FIRST_ROWS;
      cursor->pages.next = g_byte_array_new ();
      cursor->results = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_read_result_free);
      if (customer.len == 0)
        continue;
      tall_bytes_set (cursor->pages.next, customer);
      cursor->pages.stop = tall_slice_after_prefix (self->arena, customer);
    }
  return self;
}

/* Begins and ends where the read does. FALSE: it is of another table. */
static gboolean
narrow (TallVerifyScan *self, TallVerifyPages *pages, const TallRead *read)
{
  g_autoptr (GByteArray) after = g_byte_array_new ();
  if (!g_str_equal (pages->table, read->table))
    return FALSE;
  TallSlice stop = read->stop;
  if (read->kind != TALL_READ_SCAN)
    {
      tall_bytes_set_after (after, read->keys[0]);
      stop = tall_slice_array (after);
    }
  tall_bytes_set (pages->next, read->kind == TALL_READ_SCAN ? read->start : read->keys[0]);
  pages->stop = tall_slice_dup (self->arena, stop);
  return TRUE;
}

/**
 * tall_verify_scan_read:
 * @order: empty: a customer
 * @group: (out): all of it, also if there is nothing; valid as long as what is returned
 *
 * Reads everything of an order or a customer, page by page, as there may be any number of rows
 * between its own that are of nobody.
 *
 * Returns: (transfer full): what has read it; NULL if it could not be read
 */
TallVerifyScan *
tall_verify_scan_read (const TallStoreContext *context,
                       TallSlice customer,
                       TallSlice order,
                       const TallVerifyGroup **group,
                       GError **error)
{
  g_auto (TallOrderKey) key = { 0 };
  g_autoptr (GByteArray) row = g_byte_array_new ();
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  g_autoptr (TallVerifyScan) self = tall_verify_scan_new (context, (TallSlice)TALL_SLICE_INIT);
  GError *cause = NULL;
  tall_order_key_init_from_parts (&key, customer, order);
  if (order.len > 0)
    context->layout->plan_order (&key, plan);
  else
    {
      const char *table = context->layout->locate_customer (&key, row);
      tall_read_plan_add_get (plan, table, tall_slice_array (row));
    }
  for (guint i = 0; i < self->group.n_tables; i++)
    {
      TallVerifyPages *pages = &self->cursors[i].pages;
      pages->ended = TRUE;
      for (guint j = 0; j < plan->reads->len && pages->ended; j++)
        pages->ended = !narrow (self, pages, tall_read_plan_get (plan, j));
    }
  do
    *group = tall_verify_scan_next (self, &cause);
  while (*group != NULL && (*group)->customer.len == 0 && (*group)->strays->len > 0
         && g_array_index ((*group)->strays, TallVerifyStray, 0).cause == NULL);
  const GArray *strays = self->group.strays;
  for (guint i = 0; cause == NULL && i < strays->len; i++)
    {
      const TallVerifyStray *stray = &g_array_index (strays, TallVerifyStray, i);
      cause = stray->cause != NULL ? g_error_copy (stray->cause) : NULL;
    }
  if (cause != NULL)
    {
      g_propagate_error (error, cause);
      return NULL;
    }
  if (*group == NULL)
    {
      self->group.customer = customer;
      self->group.order = order;
      *group = &self->group;
    }
  return g_steal_pointer (&self);
}

void
tall_verify_scan_free (TallVerifyScan *self)
{
  for (guint i = 0; i < self->group.n_tables; i++)
    {
      tall_verify_pages_clear (&self->cursors[i].pages);
      g_ptr_array_unref (self->cursors[i].results);
      g_array_unref (self->group.rows[i]);
    }
  g_array_unref (self->group.strays);
  g_array_unref (self->parts);
  tall_arena_free (self->arena);
  g_free (self);
}
