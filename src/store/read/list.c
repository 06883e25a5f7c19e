/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/read/list.h"

#include "store/commit/root.h"
#include "store/read/index.h"
#include "store/read/pager.h"
#include "tall-error.h"
#include "tall-limits.h"

#define MOST_ROWS 1024 /* of the index in one scan */

/* Bytes of states and summaries in one read, where the table can tell, and of a page. */
#define MOST_BYTES (1024 * 1024)

/**
 * Listing:
 *
 * A page of a customer's orders under construction. Positions are rows of the index.
 */
typedef struct
{
  TallPager pager;
  GByteArray *stop;  /* owned: first row not wanted; empty: the end of the table */
  TallOrderKey key;  /* of the customer, and of one order after the other */
  GByteArray *root;  /* owned: the root row of that order */
  const char *table; /* static: where the root rows are */
  guint least;       /* rows of the next round, whatever the page needs */
} Listing;

static void
listing_clear (Listing *self)
{
  tall_pager_clear (&self->pager);
  g_byte_array_unref (self->stop);
  g_byte_array_unref (self->root);
  tall_order_key_clear (&self->key);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Listing, listing_clear)

static const TallOperation *
get_operation (const Listing *self)
{
  return self->pager.operation;
}

/* Sets which rows of the index have the wanted dates. A range of dates does not include orders
 * without a date. */
static void
set_range (Listing *self)
{
  const TallListOptions *options = self->pager.options;
  TallSlice customer = get_operation (self)->key.customer;
  gboolean has_from = options != NULL && options->has_from;
  gboolean has_to = options != NULL && options->has_to;

  if (has_to)
    tall_index_append_row (customer, CLAMP (options->to, TALL_MIN_DATE, TALL_MAX_DATE + 1) - 1,
                           self->pager.start);
  else
    tall_bytes_append (self->pager.start, customer);

  if (has_from)
    tall_index_append_row (customer, CLAMP (options->from, TALL_MIN_DATE, TALL_MAX_DATE + 1) - 1,
                           self->stop);
  else if (has_to)
    tall_index_append_row (customer, TALL_NO_DATE, self->stop);
  else
    tall_bytes_append (self->stop, tall_slice_after_prefix (self->pager.arena, customer));
}

static gint64
parse_date (const guint8 bytes[TALL_INDEX_DATE_SIZE])
{
  TallReader reader = tall_reader (tall_slice (bytes, TALL_INDEX_DATE_SIZE));
  guint64 number = tall_reader_u64 (&reader);
  return number == G_MAXUINT64 ? TALL_NO_DATE : (gint64)((guint64)G_MAXINT64 - number);
}

static gboolean
is_at_end (const Listing *self)
{
  TallSlice start = tall_slice_array (self->pager.start);
  return self->stop->len > 0 && tall_slice_compare (start, tall_slice_array (self->stop)) >= 0;
}

/* The root row to which a row of the index leads; the empty slice if it leads to none. */
static TallSlice
locate_root (Listing *self, TallSlice row, TallArena *arena)
{
  const TallStoreContext *context = get_operation (self)->context;
  TallSlice customer = get_operation (self)->key.customer;
  gsize prefix = customer.len + TALL_INDEX_DATE_SIZE;
  if (row.len <= prefix)
    return (TallSlice)TALL_SLICE_INIT;
  TallSlice order = tall_slice (row.data + prefix, row.len - prefix);
  if (context->key_strategy->measure_order (order) != (gssize)order.len)
    return (TallSlice)TALL_SLICE_INIT;

  if (self->key.bytes == NULL)
    tall_order_key_init_from_parts (&self->key, customer, order);
  else
    tall_order_key_set_order (&self->key, order);
  g_byte_array_set_size (self->root, 0);
  self->table = context->layout->locate_order (&self->key, self->root);
  return tall_slice_dup (arena, tall_slice_array (self->root));
}

static gboolean
is_wanted (const Listing *self, const TallRoot *root, gint64 sales_date)
{
  return tall_root_is_live_order (root, get_operation (self)->context)
         && root->state.sales_date == sales_date;
}

static void
append_entry (Listing *self, const TallState *state, const TallOrderSummary *summary, TallSlice row)
{
  /* keys made with MD5 can collide: then it is somebody else's */
  if (!g_str_equal (summary->customer_number, get_operation (self)->customer_number)
      || !tall_pager_take_room (&self->pager, row))
    return;
  TallOrderEntry entry = tall_state_make_entry (state, summary);
  g_array_append_val (self->pager.entries, entry);
}

static gboolean
append_order (Listing *self, const TallRoot *root, TallSlice bytes, TallSlice row, GError **error)
{
  TallOrderSummary summary;
  if (!tall_root_parse_order (root, bytes, self->pager.arena, &summary, error))
    return FALSE;
  append_entry (self, &root->state, &summary, row);
  return TRUE;
}

/* The order's number, as the hint tells it. */
static char *
get_number (const TallRow *hint)
{
  const TallCell *cell = tall_row_find_latest (hint, TALL_INDEX_QUALIFIER);
  if (cell == NULL || memchr (cell->value.data, '\0', cell->value.len) != NULL)
    return NULL;
  g_autofree char *number = g_strndup ((const char *)cell->value.data, cell->value.len);
  return tall_validate_number (number, "order_number", NULL) ? g_steal_pointer (&number) : NULL;
}

/* What cannot be read does not keep the other orders from being listed. */
static gboolean
append_unreadable (Listing *self, const TallRow *hint, const GError *error)
{
  const char *customer = get_operation (self)->customer_number;
  if (!tall_pager_take_room (&self->pager, hint->key))
    return TRUE;
  g_autofree char *number = get_number (hint);
  g_autofree char *key = tall_slice_to_debug (hint->key);
  g_autofree char *what =
      number != NULL
          ? g_strdup_printf ("Order %s of %s", number, customer)
          : g_strdup_printf ("The order of %s that row %s of the index leads to", customer, key);
  tall_pager_add_unreadable (&self->pager, number, what, error);
  return TRUE;
}

/* @cause: (transfer full): why the order cannot be shown */
static gboolean
fail_or_append (Listing *self, const TallRow *hint, GError *cause, GError **error)
{
  g_autoptr (GError) owned = cause;
  if (tall_error_is_unreadable (cause))
    return append_unreadable (self, hint, cause);
  g_propagate_error (error, g_steal_pointer (&owned));
  return FALSE;
}

static gint64
get_date (const Listing *self, const TallRow *row)
{
  return parse_date (row->key.data + get_operation (self)->key.customer.len);
}

/* A row that is exact shows its order; one whose key has no date is not a row of ours. */
static gboolean
take_dated (Listing *self, const TallRow *row, const TallCell *dated, GError **error)
{
  g_autoptr (GError) cause = NULL;
  TallOrderSummary summary;
  if (row->key.len <= get_operation (self)->key.customer.len + TALL_INDEX_DATE_SIZE)
    return TRUE;
  if (!tall_order_summary_parse (dated->value, self->pager.arena, &summary, &cause))
    return fail_or_append (self, row, g_steal_pointer (&cause), error);
  const TallState state = { .revision = dated->timestamp, .sales_date = get_date (self, row) };
  append_entry (self, &state, &summary, row->key);
  return TRUE;
}

/* A hint is nothing more: its order is shown if its state says that it is there and has the date of
 * the row. */
static gboolean
take (Listing *self, const TallRow *hint, const TallRow *row, GError **error)
{
  g_auto (TallRoot) root = { 0 };
  g_autoptr (GError) cause = NULL;
  TallSlice summary;
  gint64 sales_date = get_date (self, hint);

  if (tall_root_parse_state (&root, row, &summary, &cause)
      && (!is_wanted (self, &root, sales_date)
          || append_order (self, &root, summary, hint->key, &cause)))
    return TRUE;
  return fail_or_append (self, hint, g_steal_pointer (&cause), error);
}

static TallReadResult *
read_hints (const Listing *self, guint limit, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  TallRead *read =
      tall_read_plan_add_scan (plan, TALL_INDEX_TABLE, tall_slice_array (self->pager.start),
                               tall_slice_array (self->stop));
  read->limit = limit;
  read->max_versions = 1;
  read->max_bytes = MOST_BYTES;
  return tall_operation_read (get_operation (self), plan, error);
}

static TallReadResult *
read_roots (const Listing *self, const TallSlice *keys, guint n, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  TallRead *read = tall_read_plan_add_gets (plan, self->table, keys, n);
  tall_root_narrow (read);
  read->max_bytes = MOST_BYTES;
  return tall_operation_read (get_operation (self), plan, error);
}

static gboolean take_all (Listing *self, const TallRows *hints, TallArena *arena, GError **error);

/* The table cannot read one of the root rows, or not all of them together: each by itself. */
static gboolean
take_singly (Listing *self, const TallRows *hints, TallArena *arena, GError *cause, GError **error)
{
  g_autoptr (GError) owned = cause;
  gboolean unreadable = tall_error_is_unreadable (cause);
  if (unreadable && hints->n_rows == 1)
    return append_unreadable (self, &hints->rows[0], cause);
  if (hints->n_rows == 1
      || (!unreadable && !g_error_matches (cause, TALL_ERROR, TALL_ERROR_TOO_LARGE)))
    {
      g_propagate_error (error, g_steal_pointer (&owned));
      return FALSE;
    }
  for (guint i = 0; i < hints->n_rows && !self->pager.more; i++)
    {
      const TallRows one = { &hints->rows[i], 1 };
      if (!take_all (self, &one, arena, error))
        return FALSE;
    }
  return TRUE;
}

/* Shows the orders of rows that are exact, and looks at those that hints lead to, until the page is
 * full. */
static gboolean
take_all (Listing *self, const TallRows *hints, TallArena *arena, GError **error)
{
  TallSlice *keys = tall_arena_newa0 (arena, TallSlice, hints->n_rows);
  guint *places = tall_arena_newa0 (arena, guint, hints->n_rows); /* in @keys, from 1; 0: none */
  g_autoptr (TallReadResult) result = NULL;
  GError *cause = NULL;
  guint n = 0;
  for (guint i = 0; i < hints->n_rows; i++)
    {
      if (tall_index_find_dated (&hints->rows[i]) != NULL)
        continue;
      keys[n] = locate_root (self, hints->rows[i].key, arena);
      places[i] = keys[n].len > 0 ? ++n : 0;
    }
  if (n > 0)
    result = read_roots (self, keys, n, &cause);
  if (cause != NULL)
    return take_singly (self, hints, arena, cause, error);

  const TallRows roots = result != NULL ? result->results[0] : (TallRows){ 0 };
  for (guint i = 0, next = 0; i < hints->n_rows && !self->pager.more; i++)
    {
      const TallRow *row = &hints->rows[i];
      const TallCell *dated = places[i] == 0 ? tall_index_find_dated (row) : NULL;
      if (dated != NULL && !take_dated (self, row, dated, error))
        return FALSE;
      if (places[i] > 0 && next < roots.n_rows
          && tall_slice_equal (roots.rows[next].key, keys[places[i] - 1])
          && !take (self, row, &roots.rows[next++], error))
        return FALSE;
    }
  return TRUE;
}

/* One more than the page holds is looked for, to know whether there is a next page. Where many
 * hints lead nowhere, more of them are read at once. */
static gboolean
look (TallPager *pager, guint round G_GNUC_UNUSED, GError **error)
{
  Listing *self = (Listing *)pager;
  guint n = MIN (MAX (self->least, pager->limit + 1 - pager->n_taken), MOST_ROWS);
  g_autoptr (TallReadResult) result = read_hints (self, n, error);
  if (result == NULL || !take_all (self, &result->results[0], result->arena, error))
    return FALSE;

  const TallRows *hints = &result->results[0];
  self->least = 2 * n;
  pager->ended = hints->n_rows < n && !hints->cut;
  if (pager->more || pager->ended)
    return TRUE;
  tall_bytes_set_after (pager->start, hints->rows[hints->n_rows - 1].key);
  pager->ended = is_at_end (self);
  return TRUE;
}

/* The next round would begin right after the last row that was looked at. */
static void
end_early (TallPager *self)
{
  self->more = TRUE;
  tall_bytes_set (self->last, tall_slice (self->start->data, self->start->len - 1));
}

/* What the customer has nothing of is at its end before it begins. */
static gboolean
begin (Listing *self, GError **error)
{
  TallPager *pager = &self->pager;
  if (get_operation (self)->root_row != NULL)
    set_range (self);
  pager->n_prefix = get_operation (self)->key.customer.len;
  tall_bytes_set (pager->last, get_operation (self)->key.customer);
  if (!tall_pager_read_token (pager, error))
    return FALSE;
  TallSlice last = tall_slice_array (pager->last);
  if (tall_pager_has_token (pager)
      && tall_slice_compare (last, tall_slice_array (pager->start)) >= 0)
    tall_bytes_set_after (pager->start, last);
  pager->ended = get_operation (self)->root_row == NULL || is_at_end (self);
  return TRUE;
}

/**
 * tall_list_orders:
 * @operation: on the customer, identified unless the customer has no id
 * @options: (nullable): dates and page
 *
 * Lists a customer's orders by date: scans the index, and looks at the state and the summary of the
 * orders that it leads to, all in one call. What that costs depends on the page, not on how many
 * orders there are. An order that cannot be read is listed as such.
 *
 * Returns: (transfer full): a page; a short one, even an empty one, with a next page if it took
 *   long to look at hints that lead nowhere
 */
TallOrderList *
tall_list_orders (TallOperation *operation, const TallListOptions *options, GError **error)
{
  static const TallPagerKind kind = {
    .token = TALL_PAGE_ORDERS,
    .entry_size = sizeof (TallOrderEntry),
    .most_bytes = MOST_BYTES,
    .time_over = "the time was over before the page was full; ask for a smaller page",
    .look = look,
    .end_early = end_early,
  };
  g_auto (Listing)
      self = { .stop = g_byte_array_sized_new (64), .root = g_byte_array_sized_new (64) };
  tall_pager_init (&self.pager, &kind, operation, options);

  if (!operation->context->has_index)
    {
      g_set_error (
          error, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
          "this deployment was made without an index by date; `tallorder migrate --to-index "
          "date`, with all others that are to stay, makes one; fetch the customer with all "
          "orders");
      return NULL;
    }
  if (!begin (&self, error) || !tall_pager_fill (&self.pager, error))
    return NULL;
  TallPagerContent content = tall_pager_finish (&self.pager);
  TallOrderList *list = g_new (TallOrderList, 1);
  *list = (TallOrderList){ content.arena,      content.entries,      content.n_entries,
                           content.unreadable, content.n_unreadable, content.next_page };
  return list;
}

/**
 * Walk:
 *
 * A page of the customers under construction. Root rows of customers and of orders are read, and
 * grouped by the customer part that their keys begin with. What is left of a customer that is found
 * is jumped over, so that those with many orders cost no more.
 */
typedef struct
{
  TallPager pager;
  TallRootWindow window; /* what the tables hold from the row on at which the walk is */

  /* Of one customer part. Keys made with MD5 can collide: then it is that of several customers. */
  GByteArray *part;   /* owned; empty: none yet */
  GPtrArray *numbers; /* owned, of the arena's texts: those who were found under it */
  guint n_skip;       /* how many of them were on the page before */

  /* Of a customer none of whose rows could be read so far, but who is not given up. */
  GError *damage;      /* owned; why; NULL: there is none */
  char *damaged_row;   /* owned; for people */
  GByteArray *damaged; /* owned: the customer part */
  gboolean is_own;     /* it is the customer's own row, and not that of an order */
} Walk;

static void
walk_clear (Walk *self)
{
  tall_pager_clear (&self->pager);
  tall_root_window_clear (&self->window);
  g_clear_error (&self->damage);
  g_free (self->damaged_row);
  g_byte_array_unref (self->damaged);
  g_byte_array_unref (self->part);
  g_ptr_array_unref (self->numbers);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Walk, walk_clear)

static const TallStoreContext *
get_context (const Walk *self)
{
  return self->pager.operation->context;
}

/* Moves behind everything of a customer. */
static void
jump_over (Walk *self, TallSlice part)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallSlice after = tall_slice_after_prefix (arena, part);
  self->pager.ended = after.len == 0;
  tall_bytes_set (self->pager.start, after);
}

/* Whether the row is that of a customer, and not the root row of an order. */
static gboolean
is_customer (const Walk *self, TallSlice part, TallSlice key)
{
  g_autoptr (GByteArray) row = g_byte_array_sized_new (64);
  g_auto (TallOrderKey) customer = { 0 };
  tall_order_key_init_from_parts (&customer, part, (TallSlice)TALL_SLICE_INIT);
  get_context (self)->layout->locate_customer (&customer, row);
  return tall_slice_equal (tall_slice_array (row), key);
}

static gboolean
parse_entry (
    Walk *self, TallSlice part, const TallRow *row, TallCustomerEntry *entry, GError **error)
{
  TallSlice bytes;
  g_auto (TallRoot) root = { 0 };
  *entry = (TallCustomerEntry){ 0 };
  if (!tall_root_parse_state (&root, row, &bytes, error))
    return FALSE;
  if (!root.exists || !root.state.live)
    return TRUE;
  if (is_customer (self, part, row->key))
    {
      TallCustomerSummary summary;
      if (!tall_root_check_summary (&root, error)
          || !tall_customer_summary_parse (bytes, self->pager.arena, &summary, error))
        return FALSE;
      *entry =
          (TallCustomerEntry){ (char *)summary.number, (char *)summary.name, root.state.revision };
      return TRUE;
    }
  if (!tall_root_is_live_order (&root, get_context (self)))
    return TRUE;
  TallOrderSummary summary;
  if (!tall_root_parse_order (&root, bytes, self->pager.arena, &summary, error))
    return FALSE;
  *entry = (TallCustomerEntry){ (char *)summary.customer_number, NULL, 0 };
  return TRUE;
}

static void
forget_damage (Walk *self)
{
  g_clear_error (&self->damage);
  g_clear_pointer (&self->damaged_row, g_free);
}

/* The customer of whom no row could be read is listed as such. */
static void
give_up_damaged (Walk *self)
{
  if (self->damage == NULL
      || !tall_pager_take_room (&self->pager, tall_slice_array (self->damaged)))
    return;
  g_autofree char *what = g_strdup_printf ("The customer with row %s", self->damaged_row);
  tall_pager_add_unreadable (&self->pager, NULL, what, self->damage);
  forget_damage (self);
}

/* One of the customer's other rows may tell who it is. */
static void
remember_damage (Walk *self, TallSlice part, TallSlice key, const GError *damage)
{
  if (self->damage != NULL)
    return;
  self->damage = g_error_copy (damage);
  self->damaged_row = tall_slice_to_debug (key);
  self->is_own = is_customer (self, part, key);
  tall_bytes_set (self->damaged, part);
}

/* No room for one more of those who have this part: the next page goes on among them. */
static void
stop_among (Walk *self, TallSlice part)
{
  tall_bytes_set (self->pager.last, part);
  tall_bytes_append_u8 (self->pager.last, (guint8)MIN (self->numbers->len, G_MAXUINT8));
}

/* Of orders that could not be read, before this row, getting them tells. */
static void
take_entry (Walk *self, TallSlice part, const TallCustomerEntry *entry)
{
  if (self->n_skip == 0 && !tall_pager_take_room (&self->pager, part))
    {
      if (self->numbers->len > 0)
        stop_among (self, part);
      return;
    }
  if (self->n_skip == 0)
    g_array_append_val (self->pager.entries, *entry);
  if (self->n_skip == 0 && self->damage != NULL && self->is_own)
    {
      g_autofree char *what =
          g_strdup_printf ("Customer %s, row %s", entry->number, self->damaged_row);
      tall_pager_add_unreadable (&self->pager, entry->number, what, self->damage);
    }
  self->n_skip -= self->n_skip > 0;
  g_ptr_array_add (self->numbers, entry->number);
  forget_damage (self);
  jump_over (self, part);
}

static void
begin_part (Walk *self, TallSlice part)
{
  if (tall_slice_equal (part, tall_slice_array (self->part)))
    return;
  if (self->damage != NULL)
    give_up_damaged (self);
  tall_bytes_set (self->part, part);
  g_ptr_array_set_size (self->numbers, 0);
  self->n_skip = 0;
}

static gboolean
is_known (const Walk *self, const char *number)
{
  return g_ptr_array_find_with_equal_func (self->numbers, number, g_str_equal, NULL);
}

static void
take_row (Walk *self, const TallRow *row)
{
  TallCustomerEntry entry;
  g_autoptr (GError) damage = NULL;
  gssize len = get_context (self)->key_strategy->measure_customer (row->key);
  TallSlice part = tall_slice (row->key.data, len > 0 ? (gsize)len : row->key.len);

  begin_part (self, part);
  if (self->pager.more)
    return;
  if (!parse_entry (self, part, row, &entry, &damage))
    {
      if (self->numbers->len == 0)
        remember_damage (self, part, row->key, damage);
    }
  else if (entry.number != NULL && !is_known (self, entry.number))
    take_entry (self, part, &entry);
}

/* Rows of the last customer that have been read already may show another customer. */
static gboolean
is_to_be_jumped (const Walk *self, TallSlice key)
{
  TallSlice part = tall_slice_array (self->part);
  return tall_slice_compare (key, tall_slice_array (self->pager.start)) < 0
         && (self->numbers->len == 0 || key.len < part.len
             || memcmp (key.data, part.data, part.len) != 0);
}

static void
take_window (Walk *self)
{
  TallRootWindow *window = &self->window;
  TallPager *pager = &self->pager;
  const TallRow *row;
  while (!pager->more && (row = tall_root_window_next (window)) != NULL)
    {
      if (is_to_be_jumped (self, row->key))
        continue;
      take_row (self, row);
      if (pager->ended)
        return;
    }
  pager->ended = window->horizon.len == 0;
  if (!pager->ended && tall_slice_compare (window->horizon, tall_slice_array (pager->start)) >= 0)
    tall_bytes_set_after (pager->start, window->horizon);
}

static gboolean
look_at_rows (TallPager *pager, guint round G_GNUC_UNUSED, GError **error)
{
  Walk *self = (Walk *)pager;
  if (!tall_root_window_read (&self->window, pager, error))
    return FALSE;
  take_window (self);
  if (pager->ended && !pager->more)
    give_up_damaged (self);
  return TRUE;
}

/* The page goes on with the row at which the walk is. It stays open if a token cannot tell. */
static void
end_with_customer (TallPager *pager)
{
  Walk *self = (Walk *)pager;
  TallSlice start = tall_slice_array (pager->start);
  TallSlice part = tall_slice_array (self->part);
  gssize len = get_context (self)->key_strategy->measure_customer (start);
  if (len <= 0 && self->numbers->len == 0)
    return;
  if (self->damage != NULL)
    give_up_damaged (self);
  if (pager->more)
    return;

  pager->more = TRUE;
  if (len <= 0) /* jumped behind all that begins with the part */
    {
      tall_bytes_set (pager->last, part);
      return;
    }
  gboolean same = tall_slice_equal (tall_slice (start.data, (gsize)len), part);
  tall_bytes_set (pager->last, tall_slice (start.data, (gsize)len));
  tall_bytes_append_u8 (pager->last, (guint8)(same ? MIN (self->n_skip, G_MAXUINT8) : 0));
  tall_bytes_append (pager->last, tall_slice (start.data + len, start.len - (gsize)len));
}

/* Begins after what the page before has ended with: after all who have a customer part; or, with
 * one byte after it, after so many of them, at the row whose key the part and the bytes that follow
 * make. */
static void
set_position (Walk *self)
{
  TallSlice last = tall_slice_array (self->pager.last);
  gssize len = get_context (self)->key_strategy->measure_customer (last);
  if (len <= 0 || last.len == (gsize)len)
    {
      jump_over (self, last);
      return;
    }
  TallSlice part = tall_slice (last.data, (gsize)len);
  tall_bytes_set (self->pager.start, part);
  tall_bytes_append (self->pager.start,
                     tall_slice (last.data + len + 1, last.len - (gsize)len - 1));
  tall_bytes_set (self->part, part);
  self->n_skip = last.data[len];
}

/**
 * tall_list_customers:
 * @operation: on no customer; for its context and its time
 * @options: (nullable): page
 *
 * Lists stored customers, and customers with only orders, in the order of their row keys. A
 * customer that cannot be read is listed as unreadable, so that one damaged row does not hide all
 * customers after it.
 *
 * Returns: (transfer full): a page; a short one, even an empty one, with a next page if it took
 *   long to look at what is deleted
 */
TallCustomerList *
tall_list_customers (TallOperation *operation, const TallListOptions *options, GError **error)
{
  static const TallPagerKind kind = {
    .token = TALL_PAGE_CUSTOMERS,
    .entry_size = sizeof (TallCustomerEntry),
    .most_bytes = MOST_BYTES,
    .time_over = "the time was over before a customer was found",
    .may_be_short = TRUE,
    .look = look_at_rows,
    .end_early = end_with_customer,
  };
  g_auto (Walk) self = {
    .damaged = g_byte_array_sized_new (64),
    .part = g_byte_array_sized_new (64),
    .numbers = g_ptr_array_new (),
  };
  tall_pager_init (&self.pager, &kind, operation, options);

  tall_root_window_init (&self.window, get_context (&self)->layout, MOST_BYTES);
  if (!tall_pager_read_token (&self.pager, error))
    return NULL;
  if (tall_pager_has_token (&self.pager))
    set_position (&self);
  if (!tall_pager_fill (&self.pager, error))
    return NULL;
  TallPagerContent content = tall_pager_finish (&self.pager);
  TallCustomerList *list = g_new (TallCustomerList, 1);
  *list = (TallCustomerList){ content.arena,      content.entries,      content.n_entries,
                              content.unreadable, content.n_unreadable, content.next_page };
  return list;
}
