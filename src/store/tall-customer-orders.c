/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-customer-scan.h"
#include "tall-error.h"
#include "tall-fetch.h"
#include "tall-list.h"
#include "tall-page.h"
#include "tall-root.h"

#define MOST_BYTES (8 * 1024 * 1024) /* of the rows of a page; then it ends */
#define USUAL_ROWS 16                /* of an order, in layouts with several */
#define LEAST_ROWS 64                /* in one scan */
#define MOST_ROWS 4096
#define MOST_SINGLE_ROWS 64            /* where a row is a whole order */
#define MOST_READS 4                   /* of an order, in any layout */
#define MOST_SCANNED (2 * 1024 * 1024) /* bytes of one scan, where the table can tell */

/**
 * Page:
 *
 * A customer and a page of whole orders under construction.
 */
typedef struct
{
  TallOperation *operation;
  TallCustomerOrders *page; /* owned */
  GArray *orders;           /* owned: of TallOutcome */
  GStrvBuilder *others;     /* owned: numbers of others whose orders lie among these */
  GError *collision;        /* owned; the customer's row is another's; NULL: it is not */
  GByteArray *next;         /* owned: order part to go on with; empty: the first */
  GByteArray *last;         /* owned: order part of the last order that was looked at */
  guint limit;
  gsize n_bytes;        /* of the rows of the orders on the page */
  gboolean more;        /* there is an order that is not on the page */
  gboolean has_scanned; /* the customer's own row has been looked for */
} Page;

static void
page_clear (Page *self)
{
  g_clear_pointer (&self->page, tall_customer_orders_free);
  for (guint i = 0; i < self->orders->len; i++)
    tall_outcome_clear (&g_array_index (self->orders, TallOutcome, i));
  g_array_unref (self->orders);
  g_strv_builder_unref (self->others);
  g_clear_error (&self->collision);
  g_byte_array_unref (self->next);
  g_byte_array_unref (self->last);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Page, page_clear)

/**
 * Found:
 *
 * What the scans of one round have found, and how far it has been looked through.
 */
typedef struct
{
  TallReadPlan *plan;         /* owned */
  TallReadResult *result;     /* owned */
  guint first;                /* index of the first scan of orders */
  guint n_reads;              /* scans of orders */
  guint limit;                /* rows of each scan */
  guint at[MOST_READS];       /* rows of each scan that are done with */
  TallRows group[MOST_READS]; /* the rows of one order */
  TallSlice order;            /* its order part */
  gboolean is_whole;          /* all its rows are there */
} Found;

static void
found_clear (Found *self)
{
  g_clear_pointer (&self->plan, tall_read_plan_free);
  g_clear_pointer (&self->result, tall_read_result_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Found, found_clear)

/* The order part of a row's key; the empty slice if it has none. */
static TallSlice
get_order (const TallOperation *operation, const char *table, TallSlice row, GArray *parts)
{
  const TallStoreContext *context = operation->context;
  gsize offset = 0;
  g_array_set_size (parts, 0);
  context->layout->name_parts (context->key_strategy, table, row, parts);
  for (guint i = 0; i < parts->len; i++)
    {
      const TallRowPart *part = &g_array_index (parts, TallRowPart, i);
      if (g_str_equal (part->name, "order"))
        return tall_slice (row.data + offset, part->len);
      offset += part->len;
    }
  return (TallSlice)TALL_SLICE_INIT;
}

/* Whether a scan has found all there is. */
static gboolean
is_all (const TallRows *rows, guint limit)
{
  return rows->n_rows < limit && !rows->cut;
}

/* Takes the rows of the next order together. FALSE: there is none. */
static gboolean
next_group (const Page *page, Found *self, GArray *parts)
{
  self->order = (TallSlice)TALL_SLICE_INIT;
  for (guint i = 0; i < self->n_reads; i++)
    {
      const TallRows *rows = &self->result->results[self->first + i];
      const char *table = tall_read_plan_get (self->plan, self->first + i)->table;
      TallSlice order = TALL_SLICE_INIT;
      while (self->at[i] < rows->n_rows
             && (order = get_order (page->operation, table, rows->rows[self->at[i]].key, parts)).len
                    == 0)
        self->at[i]++;
      if (order.len > 0 && (self->order.len == 0 || tall_slice_compare (order, self->order) < 0))
        self->order = order;
    }
  if (self->order.len == 0)
    return FALSE;

  self->is_whole = TRUE;
  for (guint i = 0; i < self->n_reads; i++)
    {
      const TallRows *rows = &self->result->results[self->first + i];
      const char *table = tall_read_plan_get (self->plan, self->first + i)->table;
      guint end = self->at[i];
      while (end < rows->n_rows
             && tall_slice_equal (get_order (page->operation, table, rows->rows[end].key, parts),
                                  self->order))
        end++;
      self->group[i] = (TallRows){ rows->rows + self->at[i], end - self->at[i] };
      self->at[i] = end;
      self->is_whole = self->is_whole
                       && (end < rows->n_rows || is_all (rows, self->limit)
                           || page->operation->context->layout->single_row);
    }
  return TRUE;
}

static guint
choose_limit (const Page *self, guint round)
{
  guint n = self->limit - self->orders->len + 1;
  if (self->operation->context->layout->single_row)
    return MIN (n, MOST_SINGLE_ROWS);
  return MIN (MAX (n * USUAL_ROWS, LEAST_ROWS) << MIN (round, 6), MOST_ROWS);
}

/* The scans of the orders; and, at first, the customer's row, which comes with the scan if it lies
 * before the orders in the same table. */
static gboolean
scan (const Page *self, Found *found, guint round, GError **error)
{
  const TallOperation *operation = self->operation;
  TallSlice own = tall_slice_array (operation->root_row);

  found->plan = tall_read_plan_new ();
  found->limit = choose_limit (self, round);
  found->n_reads = tall_customer_scan_add (operation->context, operation->key.customer,
                                           tall_slice_array (self->next), found->limit,
                                           MOST_SCANNED, found->plan);
  g_assert (found->n_reads <= MOST_READS);
  TallRead *first = tall_read_plan_get (found->plan, 0);
  if (!self->has_scanned)
    {
      if (self->next->len == 0 && g_str_equal (first->table, operation->root_table)
          && tall_slice_compare (own, first->start) < 0)
        first->start = tall_slice_dup (found->plan->arena, own);
      else
        tall_read_plan_add_get (found->plan, operation->root_table, own);
    }
  found->result =
      tall_table_read (operation->context->table, found->plan, operation->deadline, error);
  return found->result != NULL;
}

static gboolean
take_customer (Page *self, const Found *found, GError **error)
{
  const TallOperation *operation = self->operation;
  const TallReadResult *result = found->result;
  const TallRows *rows = &result->results[result->n_results > found->n_reads ? found->n_reads : 0];
  const TallRow *row = tall_rows_find (rows, tall_slice_array (operation->root_row));
  g_autoptr (GError) cause = NULL;

  self->has_scanned = TRUE;
  self->page->customer =
      tall_fetch_customer_from (operation, row, result->arena, &self->page->revision, &cause);
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
append_outcome (Page *self, const Found *found, TallOutcome outcome)
{
  g_array_append_val (self->orders, outcome);
  for (guint i = 0; i < found->n_reads; i++)
    for (guint j = 0; j < found->group[i].n_rows; j++)
      for (guint k = 0; k < found->group[i].rows[j].n_cells; k++)
        self->n_bytes += found->group[i].rows[j].cells[k].value.len;
}

/* Makes the order of its rows, or, if they are not all there, fetches it by itself. What cannot be
 * read is on the page as such; FALSE for what says nothing of the order, such as a time-out. */
static gboolean
take_order (Page *self, const Found *found, const char *number, GError **error)
{
  const TallOperation *outer = self->operation;
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
append_damage (Page *self, const Found *found, GError *error)
{
  g_autofree char *text = tall_slice_to_debug (found->order);
  g_prefix_error (&error, "Fetching the order of %s with order part %s in its row key: ",
                  self->operation->customer_number, text);
  append_outcome (self, found, (TallOutcome){ .error = error });
}

/* Looks at the root row of one order's rows, and takes the order if it is there. */
static gboolean
take_group (Page *self, const Found *found, GError **failure)
{
  const TallStoreContext *context = self->operation->context;
  g_auto (TallOrderKey) key = { 0 };
  g_autoptr (GByteArray) row = g_byte_array_new ();
  g_auto (TallRoot) root = { 0 };
  GError *error = NULL;
  TallSlice bytes;
  TallOrderSummary summary = { 0 };

  tall_order_key_init_from_parts (&key, self->operation->key.customer, found->order);
  context->layout->locate_order (&key, row);
  if (tall_root_parse_state (&root, tall_rows_find (&found->group[0], tall_slice_array (row)),
                             &bytes, &error)
      && !tall_root_is_live_order (&root, context))
    return TRUE;
  if (error == NULL && tall_root_check_summary (&root, &error)
      && tall_order_summary_parse (bytes, found->result->arena, &summary, &error)
      && !g_str_equal (summary.customer_number, self->operation->customer_number))
    {
      g_strv_builder_add (self->others, summary.customer_number);
      return TRUE;
    }
  self->more = self->orders->len == self->limit || self->n_bytes >= MOST_BYTES;
  if (self->more)
    g_clear_error (&error);
  else if (error != NULL)
    append_damage (self, found, error);
  else
    return take_order (self, found, summary.order_number, failure);
  return TRUE;
}

/* FALSE if nothing can come after @order. */
static gboolean
set_next (Page *self, TallSlice order, gboolean after)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallSlice next = after ? tall_slice_after_prefix (arena, order) : order;
  g_byte_array_set_size (self->next, 0);
  tall_bytes_append (self->next, next);
  return next.len > 0;
}

static gboolean
is_exhausted (const Found *found)
{
  for (guint i = 0; i < found->n_reads; i++)
    if (!is_all (&found->result->results[i], found->limit))
      return FALSE;
  return TRUE;
}

/* An order whose rows were cut off is the first one of the next round; or, if it is the first one
 * of this round, it is fetched by itself. Sets @done when there is nothing more to come. */
static gboolean
take_round (Page *self, guint round, gboolean *done, GError **error)
{
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (TallRowPart));
  g_auto (Found) found = { 0 };
  if (!scan (self, &found, round, error)
      || (!self->has_scanned && !take_customer (self, &found, error)))
    return FALSE;

  *done = TRUE;
  for (guint n = 0; next_group (self, &found, parts); n++)
    {
      gboolean only_counts = self->orders->len == self->limit && found.group[0].n_rows > 0;
      if (!found.is_whole && n > 0 && !only_counts)
        {
          *done = !set_next (self, found.order, FALSE);
          return TRUE;
        }
      if (!take_group (self, &found, error))
        return FALSE;
      if (self->more)
        return TRUE;
      g_byte_array_set_size (self->last, 0);
      tall_bytes_append (self->last, found.order);
      gboolean at_end = !set_next (self, found.order, TRUE);
      if (!found.is_whole || at_end)
        {
          *done = at_end;
          return TRUE;
        }
    }
  *done = is_exhausted (&found);
  return TRUE;
}

/* A failure after the first order ends the page before it. A request for the next page meets the
 * failure again and reports it, or it has passed. */
static gboolean
settle_failure (Page *self, GError *failure, GError **error)
{
  self->more = self->last->len > 0 && !tall_error_is_unreadable (failure);
  if (self->more)
    g_error_free (failure);
  else
    g_propagate_error (error, failure);
  return self->more;
}

static gboolean
fill (Page *self, GError **error)
{
  gint64 begun = tall_operation_now_monotonic (self->operation);
  GError *failure = NULL;
  gboolean done = FALSE;
  for (guint round = 0; !done && !self->more; round++)
    {
      if (tall_operation_is_over (self->operation))
        {
          g_set_error (error, TALL_ERROR, TALL_ERROR_TIMED_OUT,
                       "the time was over before the page was full; ask for a smaller page");
          return FALSE;
        }
      if (!take_round (self, round, &done, &failure))
        return settle_failure (self, failure, error);
      self->more = self->more
                   || (!done && self->last->len > 0
                       && tall_operation_has_looked_long (self->operation, begun));
    }
  return TRUE;
}

/* Each number once. */
static GStrv
take_others (Page *self)
{
  g_auto (GStrv) all = g_strv_builder_end (self->others);
  g_autoptr (GStrvBuilder) once = g_strv_builder_new ();
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; all[i] != NULL; i++)
    if (g_hash_table_add (known, all[i]))
      g_strv_builder_add (once, all[i]);
  return g_hash_table_size (known) > 0 ? g_strv_builder_end (once) : NULL;
}

static TallCustomerOrders *
finish (Page *self, const TallPageScope *scope)
{
  TallCustomerOrders *page = g_steal_pointer (&self->page);
  page->n_orders = self->orders->len;
  page->orders = g_memdup2 (self->orders->data, self->orders->len * sizeof (TallOutcome));
  g_array_set_size (self->orders, 0);
  page->others = take_others (self);
  if (self->more)
    page->next_page = tall_page_to_token (scope, tall_slice_array (self->last));
  return page;
}

/**
 * tall_list_customer_orders:
 * @operation: on the customer
 * @options: (nullable): the page
 *
 * Fetches a customer with a page of whole orders, in the order of their row keys: the scans of the
 * layout, executed together; more of them where orders are long. A page ends early after 8 MiB, if
 * it took long to look at what is deleted, and before an order that could not be fetched now, which
 * says nothing of whether it can be read.
 *
 * Returns: (transfer full): a page; NULL with %TALL_ERROR_NOT_FOUND if there is neither the
 *   customer nor an order, and no page before
 */
TallCustomerOrders *
tall_list_customer_orders (TallOperation *operation, const TallListOptions *options, GError **error)
{
  const TallPageScope scope = { TALL_PAGE_CUSTOMER_ORDERS, operation->context->id,
                                operation->customer_number, options };
  g_auto (Page) self = {
    .operation = operation,
    .page = g_new0 (TallCustomerOrders, 1),
    .orders = g_array_new (FALSE, TRUE, sizeof (TallOutcome)),
    .others = g_strv_builder_new (),
    .next = g_byte_array_new (),
    .last = g_byte_array_new (),
    .limit = options != NULL && options->limit > 0 ? options->limit : TALL_DEFAULT_PAGE,
  };
  gboolean first = options == NULL || options->page == NULL;
  g_autoptr (GByteArray) position = g_byte_array_new ();

  if (!first && !tall_page_from_token (&scope, options->page, position, error))
    return NULL;
  /* only now: a wrong token is wrong whether the customer is there or not */
  if (!tall_operation_identify (operation, FALSE, error))
    return NULL;
  if (!first && !set_next (&self, tall_slice_array (position), TRUE))
    return finish (&self, &scope);
  if (!fill (&self, error))
    return NULL;
  if (first && self.page->customer == NULL && self.page->customer_error == NULL
      && self.orders->len == 0 && !self.more)
    {
      if (self.collision != NULL)
        {
          g_propagate_error (error, g_steal_pointer (&self.collision));
          return NULL;
        }
      g_set_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND, "there is no such customer");
      return NULL;
    }
  return finish (&self, &scope);
}
