/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/read/customer-scan.h"

#include "store/commit/root.h"
#include "store/read/fetch.h"
#include "store/read/list.h"
#include "store/read/pager.h"
#include "tall-error.h"

static guint customer_scan_add (const TallStoreContext *context,
                                TallSlice customer,
                                TallSlice order,
                                guint limit,
                                gsize max_bytes,
                                TallReadPlan *plan);

#define MOST_SCANNED (2 * 1024 * 1024) /* bytes of one scan, where the table can tell */

void
tall_order_groups_clear (TallOrderGroups *self)
{
  g_clear_pointer (&self->plan, tall_read_plan_free);
  g_clear_pointer (&self->result, tall_read_result_free);
  g_clear_pointer (&self->parts, g_array_unref);
}

/* The customer's row comes with the first scan if it lies before the orders in the same table. */
static void
add_customer (TallOrderGroups *self, TallSlice first_order)
{
  const TallOperation *operation = self->operation;
  TallSlice own = tall_slice_array (operation->root_row);
  TallRead *first = tall_read_plan_get (self->plan, 0);
  if (first_order.len == 0 && g_str_equal (first->table, operation->root_table)
      && tall_slice_compare (own, first->start) < 0)
    first->start = tall_slice_dup (self->plan->arena, own);
  else
    tall_read_plan_add_get (self->plan, operation->root_table, own);
}

/* @operation: on the customer
 * @first: the order part to begin with; the empty slice: the customer's first order
 * @limit: rows at most of each scan
 * @with_customer: whether the customer's own row is read, too
 *
 * Reads together all scans that find orders of the customer. @self must be empty before. */
static gboolean
order_groups_read (TallOrderGroups *self,
                   const TallOperation *operation,
                   TallSlice first,
                   guint limit,
                   gboolean with_customer,
                   GError **error)
{
  self->operation = operation;
  self->plan = tall_read_plan_new ();
  self->parts = g_array_new (FALSE, FALSE, sizeof (TallRowPart));
  self->limit = limit;
  self->n_reads = customer_scan_add (operation->context, operation->key.customer, first, limit,
                                     MOST_SCANNED, self->plan);
  g_assert (self->n_reads <= TALL_MOST_READS);
  if (with_customer)
    add_customer (self, first);
  self->result = tall_operation_read (operation, self->plan, error);
  return self->result != NULL;
}

/* Returns: (nullable): the customer's own row, if it was asked for and is there */
static const TallRow *
order_groups_find_customer (const TallOrderGroups *self)
{
  const TallReadResult *result = self->result;
  guint i = result->n_results > self->n_reads ? self->n_reads : 0;
  return tall_rows_find (&result->results[i], tall_slice_array (self->operation->root_row));
}

static const char *
get_table (const TallOrderGroups *self, guint i)
{
  return tall_read_plan_get (self->plan, i)->table;
}

/* The order part of a row's key; the empty slice if it has none. */
static TallSlice
get_order (const TallOrderGroups *self, const char *table, TallSlice row)
{
  const TallStoreContext *context = self->operation->context;
  return tall_layout_find_owner (context->layout, context->key_strategy, table, row, self->parts)
      .order;
}

/* Whether a scan has found all there is. */
static gboolean
is_all (const TallRows *rows, guint limit)
{
  return rows->n_rows < limit && !rows->cut;
}

/* The least order part of the rows that come next; rows without one are skipped. */
static TallSlice
find_order (TallOrderGroups *self)
{
  TallSlice least = TALL_SLICE_INIT;
  for (guint i = 0; i < self->n_reads; i++)
    {
      const TallRows *rows = &self->result->results[i];
      TallSlice order = TALL_SLICE_INIT;
      while (self->at[i] < rows->n_rows
             && (order = get_order (self, get_table (self, i), rows->rows[self->at[i]].key)).len
                    == 0)
        self->at[i]++;
      if (order.len > 0 && (least.len == 0 || tall_slice_compare (order, least) < 0))
        least = order;
    }
  return least;
}

/* Takes the rows of the next order together.
 *
 * Returns: FALSE if there is none */
static gboolean
order_groups_next (TallOrderGroups *self)
{
  self->order = find_order (self);
  self->is_whole = TRUE;
  for (guint i = 0; self->order.len > 0 && i < self->n_reads; i++)
    {
      const TallRows *rows = &self->result->results[i];
      const char *table = get_table (self, i);
      guint end = self->at[i];
      while (end < rows->n_rows
             && tall_slice_equal (get_order (self, table, rows->rows[end].key), self->order))
        end++;
      self->group[i] = (TallRows){ rows->rows + self->at[i], end - self->at[i] };
      self->at[i] = end;
      self->is_whole = self->is_whole
                       && (end < rows->n_rows || is_all (rows, self->limit)
                           || self->operation->context->layout->single_row);
    }
  return self->order.len > 0;
}

/* Returns: whether the customer has no rows of orders after those that were read */
static gboolean
order_groups_is_exhausted (const TallOrderGroups *self)
{
  for (guint i = 0; i < self->n_reads; i++)
    if (!is_all (&self->result->results[i], self->limit))
      return FALSE;
  return TRUE;
}

#define FIRST_ROOTS 4 /* looked at in one call, to find one that is live */
#define MOST_ROOTS 256

/* The plan of the order that would come first, each of its reads drawn out to the end of the
 * customer. */
static void
draw_out (const TallReadPlan *order_plan,
          TallSlice stop,
          guint limit,
          gsize max_bytes,
          TallReadPlan *plan)
{
  for (guint i = 0; i < order_plan->reads->len; i++)
    {
      const TallRead *one = tall_read_plan_get (order_plan, i);
      TallSlice start = one->kind == TALL_READ_GET ? one->keys[0] : one->start;
      TallRead *read = tall_read_plan_add_scan (plan, one->table, start, stop);
      read->limit = limit;
      read->max_bytes = max_bytes;
    }
}

/* @order: the order part to begin with; the empty slice: the customer's first order
 * @limit: rows at most of each scan
 * @max_bytes: after which each scan is cut, where the table can tell; 0: never
 *
 * Adds to @plan, for each read of the layout's plan of an order, the scan that finds the same of
 * all the customer's orders from @order on. All layouts keep a customer's orders side by side.
 *
 * Returns: the number of scans */
static guint
customer_scan_add (const TallStoreContext *context,
                   TallSlice customer,
                   TallSlice order,
                   guint limit,
                   gsize max_bytes,
                   TallReadPlan *plan)
{
  g_auto (TallOrderKey) key = { 0 };
  g_autoptr (TallReadPlan) order_plan = tall_read_plan_new ();
  tall_order_key_init_from_parts (&key, customer, order);
  context->layout->plan_order (&key, order_plan);
  draw_out (order_plan, tall_slice_after_prefix (plan->arena, customer), limit, max_bytes, plan);
  return order_plan->reads->len;
}

/* Root rows from @start on, or if that is empty from the customer's first. */
static TallReadResult *
read_roots (const TallOperation *operation,
            TallSlice customer,
            TallSlice start,
            guint limit,
            GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  customer_scan_add (operation->context, customer, (TallSlice)TALL_SLICE_INIT, limit, 0, plan);
  g_ptr_array_set_size (plan->reads, 1);
  TallRead *read = tall_read_plan_get (plan, 0);
  if (start.len > 0)
    read->start = start;
  tall_root_narrow (read);
  return tall_operation_read (operation, plan, error);
}

/* Sets @found if the row is that of a live order, of @number if it is not NULL. */
static gboolean
take_live_order (const TallOperation *operation,
                 const TallRow *row,
                 const char *number,
                 TallArena *arena,
                 TallOrderSummary *found,
                 GError **error)
{
  g_auto (TallRoot) root = { 0 };
  TallSlice summary;
  TallOrderSummary order = { 0 };

  if (!tall_root_parse_state (&root, row, &summary, error))
    return FALSE;
  if (!tall_root_is_live_order (&root, operation->context))
    return TRUE;
  if (!tall_root_parse_order (&root, summary, arena, &order, error))
    return FALSE;
  if (number == NULL || g_str_equal (order.customer_number, number))
    *found = order;
  return TRUE;
}

/**
 * tall_customer_scan_find_order:
 * @customer: a customer part
 * @number: (nullable): the customer's number; NULL: whoever it is
 * @arena: of what is found
 * @found: (out): the first live order; its order_number is NULL if there is none
 *
 * Looks at few root rows, and at more if those are of deleted orders.
 */
gboolean
tall_customer_scan_find_order (const TallOperation *operation,
                               TallSlice customer,
                               const char *number,
                               TallArena *arena,
                               TallOrderSummary *found,
                               GError **error)
{
  g_autoptr (GByteArray) start = g_byte_array_new ();

  *found = (TallOrderSummary){ 0 };
  for (guint limit = FIRST_ROOTS;; limit = MIN (2 * limit, MOST_ROOTS))
    {
      g_autoptr (TallReadResult) result =
          read_roots (operation, customer, tall_slice_array (start), limit, error);
      if (result == NULL)
        return FALSE;
      const TallRows *rows = &result->results[0];
      for (guint i = 0; i < rows->n_rows && found->order_number == NULL; i++)
        if (!take_live_order (operation, &rows->rows[i], number, arena, found, error))
          return FALSE;
      if (found->order_number != NULL || rows->n_rows < limit)
        return TRUE;
      tall_bytes_set_after (start, rows->rows[rows->n_rows - 1].key);
    }
}

#define MOST_BYTES (8 * 1024 * 1024) /* of the rows of a page; then it ends */
#define USUAL_ROWS 16                /* of an order, in layouts with several */
#define LEAST_ROWS 64                /* in one scan */
#define MOST_ROWS 4096
#define MOST_SINGLE_ROWS 64 /* where a row is a whole order */

/**
 * Page:
 *
 * A customer and a page of whole orders under construction. Positions are order parts: where a
 * round begins, the empty slice for the first; and after which the next page begins (or with which:
 * start_with()), empty as long as no order was looked at.
 */
typedef struct
{
  TallPager pager;
  TallCustomerOrders *page; /* owned */
  GPtrArray *others;        /* owned: numbers of others whose orders lie among these */
  GError *collision;        /* owned; the customer's row is another's; NULL: it is not */
  gboolean has_scanned;     /* the customer's own row has been looked for */
} Page;

static void
page_clear (Page *self)
{
  tall_pager_clear (&self->pager);
  g_clear_pointer (&self->page, tall_customer_orders_free);
  g_ptr_array_unref (self->others);
  g_clear_error (&self->collision);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Page, page_clear)

static guint
choose_limit (const TallPager *pager, guint round)
{
  guint n = pager->limit - pager->n_taken + 1;
  if (pager->operation->context->layout->single_row)
    return MIN (n, MOST_SINGLE_ROWS);
  return MIN (MAX (n * USUAL_ROWS, LEAST_ROWS) << MIN (round, 6), MOST_ROWS);
}

/* @found: what was read; without a result: the customer is read alone */
static gboolean
take_customer (Page *self, const TallOrderGroups *found, GError **error)
{
  const TallOperation *operation = self->pager.operation;
  g_autoptr (GError) cause = NULL;

  self->has_scanned = TRUE;
  self->page->customer =
      found->result != NULL
          ? tall_fetch_customer_from (operation, order_groups_find_customer (found),
                                      found->result->arena, &self->page->revision, &cause)
          : tall_fetch_customer (operation, &self->page->revision, &cause);
  if (self->page->customer != NULL)
    return TRUE;
  self->page->revision = 0;
  if (g_error_matches (cause, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    return TRUE;
  if (tall_error_is_unreadable (cause))
    {
      g_prefix_error (&cause, "Fetching customer %s: ", operation->customer_number);
      self->page->customer_error = g_steal_pointer (&cause);
      return TRUE;
    }
  if (g_error_matches (cause, TALL_ERROR, TALL_ERROR_KEY_COLLISION))
    {
      self->collision = g_steal_pointer (&cause); /* there may be orders nevertheless */
      return TRUE;
    }
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

static void
append_outcome (Page *self, const TallOrderGroups *found, TallOutcome outcome)
{
  g_array_append_val (self->pager.entries, outcome);
  self->pager.n_taken++;
  self->pager.n_bytes += tall_rows_count_bytes (found->group, found->n_reads);
}

/* Makes the order of its rows, or, if they are not all there, fetches it by itself. What cannot be
 * read is on the page as such; FALSE for what says nothing of the order, such as a time-out. */
static gboolean
take_order (Page *self, const TallOrderGroups *found, const char *number, GError **error)
{
  const TallOperation *outer = self->pager.operation;
  g_auto (TallOperation) operation = { 0 };
  TallOutcome outcome = { 0 };

  tall_operation_init (&operation, outer->context, outer->customer_number, number, 0);
  operation.deadline = outer->deadline;
  operation.end = outer->end;
  tall_operation_set_id (&operation, outer->customer_id);
  outcome.order =
      found->is_whole
          ? tall_fetch_order_from (&operation, found->group, found->n_reads, found->result->arena,
                                   &outcome.revision, &outcome.error)
          : tall_fetch_order (&operation, &outcome.revision, &outcome.error);
  if (outcome.order == NULL && g_error_matches (outcome.error, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    {
      g_clear_error (&outcome.error); /* deleted meanwhile */
      return TRUE;
    }
  if (outcome.error != NULL)
    g_prefix_error (&outcome.error, "Fetching order %s of %s: ", number, outer->customer_number);
  if (outcome.error != NULL && !tall_error_is_unreadable (outcome.error)
      && !g_error_matches (outcome.error, TALL_ERROR, TALL_ERROR_KEY_COLLISION))
    {
      g_propagate_error (error, outcome.error);
      return FALSE;
    }
  append_outcome (self, found, outcome);
  return TRUE;
}

static void
append_damage (Page *self, const TallOrderGroups *found, GError *error)
{
  g_autofree char *text = tall_slice_to_debug (found->order);
  g_prefix_error (&error, "Fetching the order of %s with order part %s in its row key: ",
                  self->pager.operation->customer_number, text);
  append_outcome (self, found, (TallOutcome){ .error = error });
}

/* Each number once. */
static void
add_other (Page *self, const char *number)
{
  if (!g_ptr_array_find_with_equal_func (self->others, number, g_str_equal, NULL))
    g_ptr_array_add (self->others, g_strdup (number));
}

/* Looks at the root row of one order's rows, and takes the order if it is there. */
static gboolean
take_group (Page *self, const TallOrderGroups *found, GError **failure)
{
  const TallStoreContext *context = self->pager.operation->context;
  g_auto (TallOrderKey) key = { 0 };
  g_autoptr (GByteArray) row = g_byte_array_new ();
  g_auto (TallRoot) root = { 0 };
  GError *error = NULL;
  TallSlice bytes;
  TallOrderSummary summary = { 0 };

  tall_order_key_init_from_parts (&key, self->pager.operation->key.customer, found->order);
  context->layout->locate_order (&key, row);
  if (tall_root_parse_state (&root, tall_rows_find (&found->group[0], tall_slice_array (row)),
                             &bytes, &error)
      && !tall_root_is_live_order (&root, context))
    return TRUE;
  if (error == NULL && tall_root_parse_order (&root, bytes, found->result->arena, &summary, &error)
      && !g_str_equal (summary.customer_number, self->pager.operation->customer_number))
    {
      add_other (self, summary.customer_number);
      return TRUE;
    }
  if (!tall_pager_has_room (&self->pager))
    g_clear_error (&error);
  else if (error != NULL)
    append_damage (self, found, error);
  else
    return take_order (self, found, summary.order_number, failure);
  return TRUE;
}

/* The next round begins after an order, unless nothing can come after it. */
static void
start_after (TallPager *self, TallSlice order)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallSlice next = tall_slice_after_prefix (arena, order);
  tall_bytes_set (self->start, next);
  self->ended = next.len == 0;
}

/* An order whose rows were cut off is the first one of the next round; or, if it is the first one
 * of this round, it is fetched by itself. */
static gboolean
take_round (Page *self, TallOrderGroups *found, GError **error)
{
  TallPager *pager = &self->pager;
  for (guint n = 0; order_groups_next (found); n++)
    {
      gboolean only_counts = pager->n_taken == pager->limit && found->group[0].n_rows > 0;
      if (!found->is_whole && n > 0 && !only_counts)
        {
          tall_bytes_set (pager->start, found->order);
          return TRUE;
        }
      if (!take_group (self, found, error))
        return FALSE;
      if (pager->more)
        return TRUE;
      tall_bytes_set (pager->last, found->order);
      start_after (pager, found->order);
      if (!found->is_whole || pager->ended)
        return TRUE;
    }
  pager->ended = order_groups_is_exhausted (found);
  return TRUE;
}

/* The next round begins with @order, and so does the next page: a zero behind the order part says
 * that it does not begin after it. */
static void
start_with (TallPager *self, TallSlice order)
{
  tall_bytes_set (self->start, order);
  tall_bytes_set (self->last, order);
  tall_bytes_append_u8 (self->last, 0);
}

/* @position: of the page's token */
static void
start_page (TallPager *self, TallSlice position)
{
  gssize n = self->operation->context->key_strategy->measure_order (position);
  if (n > 0 && (gsize)n < position.len)
    start_with (self, tall_slice (position.data, (gsize)n));
  else
    start_after (self, position);
}

/* The first row of the orders' table from @order on. From @start on, if that is not empty. */
static TallReadResult *
read_first (TallOrderGroups *self, TallSlice order, TallSlice start, TallGap *gap, GError **error)
{
  const TallOperation *operation = self->operation;
  g_clear_pointer (&self->plan, tall_read_plan_free);
  self->plan = tall_read_plan_new ();
  self->n_reads = 1;
  self->limit = 1;
  customer_scan_add (operation->context, operation->key.customer, order, 1, 0, self->plan);
  g_ptr_array_set_size (self->plan->reads, 1);
  if (start.len > 0)
    tall_read_plan_get (self->plan, 0)->start = start;
  return tall_table_scan_past (operation->context->table, self->plan, operation->deadline, gap,
                               error);
}

/* Goes on with the first order whose rows begin behind those that cannot be read. */
static void
start_behind (TallPager *self, TallOrderGroups *found)
{
  const TallStoreContext *context = self->operation->context;
  TallSlice order = find_order (found);
  self->ended = order.len == 0;
  if (self->ended)
    return;
  g_auto (TallOrderKey) key = { 0 };
  g_autoptr (GByteArray) root = g_byte_array_new ();
  tall_order_key_init_from_parts (&key, self->operation->key.customer, order);
  context->layout->locate_order (&key, root);
  if (tall_slice_equal (found->result->results[0].rows[found->at[0]].key, tall_slice_array (root)))
    {
      start_with (self, order);
      return;
    }
  tall_bytes_set (self->last, order);
  start_after (self, order);
}

/* Reports orders whose root rows cannot be read. */
static gboolean
pass_gap (Page *self, TallOrderGroups *found, const TallGap *gap, GError **error)
{
  TallPager *pager = &self->pager;
  g_auto (TallGap) next = { 0 };
  if (!tall_pager_has_room (pager))
    return TRUE;
  GError *cause = g_error_copy (gap->cause);
  g_prefix_error (&cause,
                  "Fetching orders of %s whose rows cannot be read, so it is not known which (a "
                  "list by date names them): ",
                  pager->operation->customer_number);
  append_outcome (self, found, (TallOutcome){ .error = cause });
  pager->ended = gap->next->len == 0;
  if (pager->ended)
    return TRUE;
  found->result =
      read_first (found, (TallSlice)TALL_SLICE_INIT, tall_slice_array (gap->next), &next, error);
  if (found->result != NULL)
    start_behind (pager, found);
  else if (next.cause != NULL)
    g_propagate_error (error, g_steal_pointer (&next.cause));
  return found->result != NULL;
}

/* Of the next order not all rows can be read: fetches it by itself, if its root row can. */
static gboolean
take_damaged (Page *self, GError **error)
{
  g_auto (TallGap) gap = { 0 };
  g_auto (TallOrderGroups) found = {
    .operation = self->pager.operation,
    .parts = g_array_new (FALSE, FALSE, sizeof (TallRowPart)),
  };
  found.result = read_first (&found, tall_slice_array (self->pager.start),
                             (TallSlice)TALL_SLICE_INIT, &gap, error);
  if (found.result != NULL)
    return take_round (self, &found, error);
  return gap.cause != NULL && pass_gap (self, &found, &gap, error);
}

/* What the table cannot read, such as a damaged block of a file, hides no more than it hits: then
 * fewer rows are scanned, and at last those of one order. */
static gboolean
try_round (Page *self, guint limit, GError **error)
{
  const TallPager *pager = &self->pager;
  for (;; limit /= 2)
    {
      g_auto (TallOrderGroups) found = { 0 };
      g_autoptr (GError) cause = NULL;
      gboolean done = order_groups_read (&found, pager->operation, tall_slice_array (pager->start),
                                         limit, !self->has_scanned, &cause);
      if (!done && !tall_error_is_unreadable (cause))
        {
          g_propagate_error (error, g_steal_pointer (&cause));
          return FALSE;
        }
      if (!self->has_scanned && !take_customer (self, &found, error))
        return FALSE;
      if (done)
        return take_round (self, &found, error);
      if (limit == 1)
        return take_damaged (self, error);
    }
}

/* A failure after the first order ends the page before it. A request for the next page meets the
 * failure again and reports it, or it has passed. */
static gboolean
look (TallPager *pager, guint round, GError **error)
{
  g_autoptr (GError) failure = NULL;
  if (try_round ((Page *)pager, choose_limit (pager, round), &failure))
    return TRUE;
  pager->more = pager->last->len > 0 && !tall_error_is_unreadable (failure);
  if (!pager->more)
    g_propagate_error (error, g_steal_pointer (&failure));
  return pager->more;
}

static void
end_early (TallPager *self)
{
  self->more = self->last->len > 0;
}

static TallCustomerOrders *
finish (Page *self)
{
  TallCustomerOrders *page = g_steal_pointer (&self->page);
  page->n_orders = self->pager.entries->len;
  page->orders = (TallOutcome *)g_array_steal (self->pager.entries, NULL);
  if (self->others->len > 0)
    {
      g_ptr_array_add (self->others, NULL);
      page->others = (GStrv)g_ptr_array_steal (self->others, NULL);
    }
  page->next_page = tall_pager_make_token (&self->pager);
  return page;
}

/* FALSE on the first page of a customer of which there is nothing. */
static gboolean
check_found (const Page *self, GError **error)
{
  const TallPager *pager = &self->pager;
  if (tall_pager_has_token (pager) || self->page->customer != NULL
      || self->page->customer_error != NULL || pager->n_taken > 0 || pager->more)
    return TRUE;
  if (self->collision == NULL)
    return tall_operation_set_not_found (pager->operation, error);
  g_propagate_error (error, g_error_copy (self->collision));
  return FALSE;
}

/**
 * tall_list_customer_orders:
 * @operation: on the customer
 * @options: (nullable): the page
 *
 * Fetches a customer with a page of whole orders, in the order of their row keys: the scans of the
 * layout, executed together; more of them where orders are long. What cannot be read is on the page
 * as such. A page ends early after 8 MiB, if
 * it took long to look at what is deleted, and before an order that could not be fetched now, which
 * says nothing of whether it can be read.
 *
 * Returns: (transfer full): a page; NULL with %TALL_ERROR_NOT_FOUND if there is neither the
 *   customer nor an order, and no page before
 */
TallCustomerOrders *
tall_list_customer_orders (TallOperation *operation, const TallListOptions *options, GError **error)
{
  static const TallPagerKind kind = {
    .token = TALL_PAGE_CUSTOMER_ORDERS,
    .entry_size = sizeof (TallOutcome),
    .most_bytes = MOST_BYTES,
    .time_over = "the time was over before the page was full; ask for a smaller page",
    .look = look,
    .end_early = end_early,
  };
  g_auto (Page) self = {
    .page = g_new0 (TallCustomerOrders, 1),
    .others = g_ptr_array_new_with_free_func (g_free),
  };
  tall_pager_init (&self.pager, &kind, operation, options);
  g_array_set_clear_func (self.pager.entries, (GDestroyNotify)tall_outcome_clear);

  /* only after the token: a wrong one is wrong whether the customer is there or not */
  if (!tall_pager_read_token (&self.pager, error)
      || !tall_operation_identify (operation, FALSE, error))
    return NULL;
  if (tall_pager_has_token (&self.pager))
    start_page (&self.pager, tall_slice_array (self.pager.last));
  tall_bytes_set (self.pager.last, (TallSlice)TALL_SLICE_INIT);
  if (!tall_pager_fill (&self.pager, error) || !check_found (&self, error))
    return NULL;
  return finish (&self);
}
