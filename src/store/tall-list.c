/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-list.h"

#include "tall-error.h"
#include "tall-index.h"
#include "tall-limits.h"
#include "tall-page.h"

#define MOST_ROWS 1024 /* of the index in one scan */

/* Bytes of states and summaries in one read, where the table can tell, and of a page. */
#define MOST_BYTES (1024 * 1024)

/**
 * Listing:
 *
 * A page of a customer's orders under construction.
 */
typedef struct
{
  const TallOperation *operation;
  GByteArray *start;  /* owned: next row of the index */
  GByteArray *stop;   /* owned: first one not wanted; empty: the end of the table */
  GByteArray *last;   /* owned: row of the last entry */
  TallArena *arena;   /* owned: of the entries */
  GArray *entries;    /* owned: of TallOrderEntry */
  GArray *unreadable; /* owned: of TallUnreadable */
  const char *table;  /* static: where the root rows are */
  guint limit;
  gboolean more; /* one that does not fit on the page was found */
} Listing;

static void
listing_clear (Listing *self)
{
  g_byte_array_unref (self->start);
  g_byte_array_unref (self->stop);
  g_byte_array_unref (self->last);
  g_clear_pointer (&self->arena, tall_arena_free);
  g_array_unref (self->entries);
  g_array_unref (self->unreadable);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Listing, listing_clear)

/**
 * tall_list_add_unreadable:
 * @unreadable: of #TallUnreadable
 * @arena: for the texts
 * @number: (nullable): whose it is, as far as that is known
 * @what: what cannot be read, for people
 * @error: why, of which tall_error_is_unreadable() is true
 */
void
tall_list_add_unreadable (
    GArray *unreadable, TallArena *arena, const char *number, const char *what, const GError *error)
{
  TallUnreadable entry = {
    .number = tall_arena_strdup (arena, number),
    .code = error->code,
    .message = tall_arena_printf (arena, "%s: %s", what, error->message),
  };
  g_array_append_val (unreadable, entry);
}

/* Sets which rows of the index have the wanted dates. A range of dates does not include orders
 * without a date. */
static void
set_range (Listing *self, const TallListOptions *options, TallArena *arena)
{
  TallSlice customer = self->operation->key.customer;
  gboolean has_from = options != NULL && options->has_from;
  gboolean has_to = options != NULL && options->has_to;

  if (has_to)
    tall_index_append_row (customer, CLAMP (options->to, TALL_MIN_DATE, TALL_MAX_DATE + 1) - 1,
                           self->start);
  else
    tall_bytes_append (self->start, customer);

  if (has_from)
    tall_index_append_row (customer, CLAMP (options->from, TALL_MIN_DATE, TALL_MAX_DATE + 1) - 1,
                           self->stop);
  else if (has_to)
    tall_index_append_row (customer, TALL_NO_DATE, self->stop);
  else
    tall_bytes_append (self->stop, tall_slice_after_prefix (arena, customer));
}

/* The row after @row. */
static void
move_after (Listing *self, TallSlice row)
{
  g_byte_array_set_size (self->start, 0);
  tall_bytes_append (self->start, row);
  tall_bytes_append_u8 (self->start, 0);
}

static gboolean
set_position (Listing *self, const TallPageScope *scope, const char *token, GError **error)
{
  g_autoptr (GByteArray) row = g_byte_array_new ();
  tall_bytes_append (row, self->operation->key.customer);
  if (!tall_page_from_token (scope, token, row, error))
    return FALSE;
  if (tall_slice_compare (tall_slice_array (row), tall_slice_array (self->start)) >= 0)
    move_after (self, tall_slice_array (row));
  return TRUE;
}

static gboolean
is_at_end (const Listing *self)
{
  return self->stop->len > 0
         && tall_slice_compare (tall_slice_array (self->start), tall_slice_array (self->stop)) >= 0;
}

/* The root row to which a row of the index leads; the empty slice if it leads to none. */
static TallSlice
locate_root (Listing *self, TallSlice row, TallArena *arena)
{
  const TallStoreContext *context = self->operation->context;
  gsize prefix = self->operation->key.customer.len + TALL_INDEX_DATE_SIZE;
  if (row.len <= prefix)
    return (TallSlice)TALL_SLICE_INIT;
  TallSlice order = tall_slice (row.data + prefix, row.len - prefix);
  if (context->key_strategy->measure_order (order) != (gssize)order.len)
    return (TallSlice)TALL_SLICE_INIT;

  g_autoptr (GByteArray) root = g_byte_array_sized_new (64);
  g_auto (TallOrderKey) key = { 0 };
  tall_order_key_init_from_parts (&key, self->operation->key.customer, order);
  self->table = context->layout->locate_order (&key, root);
  return tall_slice_dup (arena, tall_slice_array (root));
}

static gboolean
is_wanted (const Listing *self, const TallRoot *root, gint64 sales_date)
{
  return tall_root_is_live_order (root, self->operation->context)
         && root->state.sales_date == sales_date;
}

static guint
count (const Listing *self)
{
  return self->entries->len + self->unreadable->len;
}

/* Room on the page for what a row of the index leads to; without, there is a next page. */
static gboolean
take_room (Listing *self, TallSlice row)
{
  guint n = count (self);
  self->more = n == self->limit || (n > 0 && tall_arena_get_size (self->arena) >= MOST_BYTES);
  if (self->more)
    return FALSE;
  g_byte_array_set_size (self->last, 0);
  tall_bytes_append (self->last, row);
  return TRUE;
}

static gboolean
append_entry (Listing *self, const TallRoot *root, TallSlice bytes, TallSlice row, GError **error)
{
  TallOrderSummary summary;
  if (!tall_root_check_summary (root, error)
      || !tall_order_summary_parse (bytes, self->arena, &summary, error))
    return FALSE;
  /* keys made with MD5 can collide: then it is somebody else's */
  if (!g_str_equal (summary.customer_number, self->operation->customer_number))
    return TRUE;
  if (!take_room (self, row))
    return TRUE;

  gboolean dated = root->state.sales_date != TALL_NO_DATE;
  TallOrderEntry entry = {
    .order_number = (char *)summary.order_number,
    .revision = root->state.revision,
    .has_sales_date = dated,
    .has_total = summary.has_total,
    .sales_date = dated ? root->state.sales_date : 0,
    .n_lines = summary.n_lines,
    .total = summary.total,
    .currency = (char *)summary.currency,
  };
  g_array_append_val (self->entries, entry);
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
  if (!take_room (self, hint->key))
    return TRUE;
  g_autofree char *number = get_number (hint);
  g_autofree char *key = tall_slice_to_debug (hint->key);
  g_autofree char *what =
      number != NULL ? g_strdup_printf ("Order %s of %s", number, self->operation->customer_number)
                     : g_strdup_printf ("The order of %s that row %s of the index leads to",
                                        self->operation->customer_number, key);
  tall_list_add_unreadable (self->unreadable, self->arena, number, what, error);
  return TRUE;
}

/* A row of the index is a hint and nothing more: its order is shown if its state says that it is
 * there and has the date of the row. */
static gboolean
take (Listing *self, const TallRow *hint, const TallRow *row, GError **error)
{
  g_auto (TallRoot) root = { 0 };
  g_autoptr (GError) cause = NULL;
  TallSlice summary;
  gint64 sales_date = tall_index_parse_date (hint->key.data + self->operation->key.customer.len);

  if (tall_root_parse_state (&root, row, &summary, &cause)
      && (!is_wanted (self, &root, sales_date)
          || append_entry (self, &root, summary, hint->key, &cause)))
    return TRUE;
  if (tall_error_is_unreadable (cause))
    return append_unreadable (self, hint, cause);
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

static TallReadResult *
read_hints (const Listing *self, guint limit, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  TallRead *read = tall_read_plan_add_scan (plan, TALL_INDEX_TABLE, tall_slice_array (self->start),
                                            tall_slice_array (self->stop));
  read->limit = limit;
  read->max_versions = 1;
  return tall_table_read (self->operation->context->table, plan, self->operation->deadline, error);
}

static TallReadResult *
read_roots (const Listing *self, const TallSlice *keys, guint n, GError **error)
{
  const TallSlice qualifiers[] = { TALL_STATE_QUALIFIER, TALL_SUMMARY_QUALIFIER };
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  TallRead *read = tall_read_plan_add_gets (plan, self->table, keys, n);
  read->qualifiers = qualifiers;
  read->n_qualifiers = G_N_ELEMENTS (qualifiers);
  read->max_bytes = MOST_BYTES;
  return tall_table_read (self->operation->context->table, plan, self->operation->deadline, error);
}

/* The table cannot read one of the rows, or not all of them together: each by itself. */
static gboolean
take_singly (
    Listing *self, const TallSlice *keys, const TallRow *const *led_by, guint n, GError **error)
{
  for (guint i = 0; i < n && !self->more; i++)
    {
      g_autoptr (GError) cause = NULL;
      g_autoptr (TallReadResult) result = read_roots (self, &keys[i], 1, &cause);
      gboolean done = TRUE;
      if (result == NULL && tall_error_is_unreadable (cause))
        done = append_unreadable (self, led_by[i], cause);
      else if (result == NULL)
        {
          g_propagate_error (error, g_steal_pointer (&cause));
          return FALSE;
        }
      else if (result->results[0].n_rows > 0)
        done = take (self, led_by[i], &result->results[0].rows[0], error);
      if (!done)
        return FALSE;
    }
  return TRUE;
}

/* Looks at the orders that the hints lead to, until the page is full. */
static gboolean
take_all (Listing *self, const TallRows *hints, TallArena *arena, GError **error)
{
  TallSlice *keys = tall_arena_newa0 (arena, TallSlice, hints->n_rows);
  const TallRow **led_by = tall_arena_newa0 (arena, const TallRow *, hints->n_rows);
  g_autoptr (GError) cause = NULL;
  guint n = 0;
  for (guint i = 0; i < hints->n_rows; i++)
    {
      keys[n] = locate_root (self, hints->rows[i].key, arena);
      led_by[n] = &hints->rows[i];
      n += keys[n].len > 0;
    }
  if (n == 0)
    return TRUE;

  g_autoptr (TallReadResult) result = read_roots (self, keys, n, &cause);
  if (result == NULL
      && (tall_error_is_unreadable (cause)
          || g_error_matches (cause, TALL_ERROR, TALL_ERROR_TOO_LARGE)))
    return take_singly (self, keys, led_by, n, error);
  if (result == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  const TallRows *roots = &result->results[0];
  for (guint i = 0, next = 0; i < n && next < roots->n_rows && !self->more; i++)
    if (tall_slice_equal (roots->rows[next].key, keys[i])
        && !take (self, led_by[i], &roots->rows[next++], error))
      return FALSE;
  return TRUE;
}

/* The next page goes on after @row. */
static void
end_after (Listing *self, TallSlice row)
{
  self->more = TRUE;
  g_byte_array_set_size (self->last, 0);
  tall_bytes_append (self->last, row);
}

/* One more than the page holds is looked for, to know whether there is a next page. Where many
 * hints lead nowhere, more of them are read at once, and a caller who has waited for long gets what
 * was found until then: the next page goes on from there. */
static gboolean
fill (Listing *self, GError **error)
{
  gint64 begun = tall_operation_now_monotonic (self->operation);
  guint least = 0;
  while (!self->more && !is_at_end (self))
    {
      guint n = MIN (MAX (least, self->limit + 1 - count (self)), MOST_ROWS);
      if (tall_operation_is_over (self->operation))
        {
          g_set_error (error, TALL_ERROR, TALL_ERROR_TIMED_OUT,
                       "the time was over before the page was full; ask for a smaller page");
          return FALSE;
        }
      g_autoptr (TallReadResult) result = read_hints (self, n, error);
      if (result == NULL || !take_all (self, &result->results[0], result->arena, error))
        return FALSE;
      guint n_found = result->results[0].n_rows;
      if (n_found < n || self->more)
        return TRUE;
      TallSlice looked_at = result->results[0].rows[n_found - 1].key;
      move_after (self, looked_at);
      least = 2 * n;
      if (!is_at_end (self) && tall_operation_has_looked_long (self->operation, begun))
        end_after (self, looked_at);
    }
  return TRUE;
}

static TallOrderList *
finish (Listing *self, const TallPageScope *scope)
{
  TallOrderList *list = g_new0 (TallOrderList, 1);
  list->n_entries = self->entries->len;
  list->entries = tall_arena_memdup (self->arena, self->entries->data,
                                     self->entries->len * sizeof (TallOrderEntry));
  list->n_unreadable = self->unreadable->len;
  list->unreadable = tall_arena_memdup (self->arena, self->unreadable->data,
                                        self->unreadable->len * sizeof (TallUnreadable));
  if (self->more)
    {
      gsize prefix = self->operation->key.customer.len;
      g_autofree char *token = tall_page_to_token (scope, tall_slice (self->last->data + prefix,
                                                                      self->last->len - prefix));
      list->next_page = tall_arena_strdup (self->arena, token);
    }
  list->arena = g_steal_pointer (&self->arena);
  return list;
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
  g_auto (Listing) listing = {
    .operation = operation,
    .start = g_byte_array_sized_new (64),
    .stop = g_byte_array_sized_new (64),
    .last = g_byte_array_sized_new (64),
    .arena = tall_arena_new (0),
    .entries = g_array_new (FALSE, TRUE, sizeof (TallOrderEntry)),
    .unreadable = g_array_new (FALSE, TRUE, sizeof (TallUnreadable)),
    .limit = options != NULL && options->limit > 0 ? options->limit : TALL_DEFAULT_PAGE,
  };
  const TallPageScope scope = { TALL_PAGE_ORDERS, operation->context->id,
                                operation->customer_number, options };

  if (!operation->context->has_index)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
                   "this deployment was made without an index; fetch the customer with all orders");
      return NULL;
    }
  if (operation->root_row != NULL)
    set_range (&listing, options, listing.arena);
  if (options != NULL && options->page != NULL
      && !set_position (&listing, &scope, options->page, error))
    return NULL;
  if (operation->root_row != NULL && !fill (&listing, error))
    return NULL;
  return finish (&listing, &scope);
}
