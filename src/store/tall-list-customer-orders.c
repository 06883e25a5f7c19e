/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-list.h"

#include "tall-error.h"
#include "tall-fetch.h"
#include "tall-many.h"
#include "tall-page.h"
#include "tall-root.h"

/**
 * Walk:
 *
 * The orders of a page: root rows of the customer are scanned for them.
 */
typedef struct
{
  const TallOperation *operation;
  const char *table; /* static: of the orders' root rows */
  GByteArray *start; /* owned: next row */
  TallSlice stop;    /* in the arena */
  GByteArray *last;  /* owned: row of the last order, after its customer part */
  TallArena *arena;  /* owned */
  GArray *ids;       /* owned: of TallOrderId; one without numbers cannot be read */
  GPtrArray *errors; /* owned: of GError, beside @ids; NULL where there is none */
  guint limit;
  gboolean more; /* one that does not fit on the page was found */
} Walk;

static void
free_error (gpointer error)
{
  if (error != NULL)
    g_error_free (error);
}

static void
walk_clear (Walk *self)
{
  g_byte_array_unref (self->start);
  g_byte_array_unref (self->last);
  tall_arena_free (self->arena);
  g_array_unref (self->ids);
  g_ptr_array_unref (self->errors);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Walk, walk_clear)

/* Sets @id to the row's order, if it has one that is there. */
static gboolean
parse_row (Walk *self, const TallRow *row, TallOrderId *id, GError **error)
{
  TallSlice bytes;
  TallOrderSummary summary;
  g_auto (TallRoot) root = { 0 };
  const TallOperation *operation = self->operation;
  if (tall_operation_is_root (operation, self->table, row->key))
    return TRUE; /* the customer */
  if (!tall_root_parse_state (&root, row, &bytes, error))
    return FALSE;
  if (!root.exists || !root.state.live
      || tall_store_context_has_expired (operation->context, root.state.revision))
    return TRUE;
  if (!tall_root_check_summary (&root, error)
      || !tall_order_summary_parse (bytes, self->arena, &summary, error))
    return FALSE;
  /* keys made with MD5 can collide: then it is somebody else's */
  if (g_str_equal (summary.customer_number, operation->customer_number))
    *id = (TallOrderId){ operation->customer_number, summary.order_number };
  return TRUE;
}

static void
take_row (Walk *self, const TallRow *row)
{
  TallOrderId id = { NULL, NULL };
  g_autoptr (GError) error = NULL;
  gsize prefix = self->operation->key.customer.len;
  if (parse_row (self, row, &id, &error) && id.order_number == NULL)
    return;
  self->more = self->ids->len == self->limit;
  if (self->more)
    return;
  if (error != NULL)
    {
      g_autofree char *key = tall_slice_to_debug (row->key);
      g_prefix_error (&error, "row %s: ", key);
    }
  g_array_append_val (self->ids, id);
  g_ptr_array_add (self->errors, g_steal_pointer (&error));
  g_byte_array_set_size (self->last, 0);
  g_byte_array_append (self->last, row->key.data + prefix, (guint)(row->key.len - prefix));
}

static TallReadResult *
read_roots (const Walk *self, guint limit, GError **error)
{
  const TallSlice qualifiers[] = { TALL_STATE_QUALIFIER, TALL_SUMMARY_QUALIFIER };
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  TallRead *read =
      tall_read_plan_add_scan (plan, self->table, tall_slice_array (self->start), self->stop);
  read->limit = limit;
  read->qualifiers = qualifiers;
  read->n_qualifiers = G_N_ELEMENTS (qualifiers);
  return tall_table_read (self->operation->context->table, plan, self->operation->deadline, error);
}

static gboolean
fill (Walk *self, GError **error)
{
  gboolean ended = FALSE;
  while (!self->more && !ended)
    {
      guint n = self->limit - self->ids->len + 2; /* the customer's row, and one to see more */
      if (tall_operation_is_over (self->operation))
        {
          g_set_error (error, TALL_ERROR, TALL_ERROR_TIMED_OUT,
                       "the time was over before the page was full; ask for a smaller page");
          return FALSE;
        }
      g_autoptr (TallReadResult) result = read_roots (self, n, error);
      if (result == NULL)
        return FALSE;
      const TallRows *rows = &result->results[0];
      for (guint i = 0; i < rows->n_rows && !self->more; i++)
        take_row (self, &rows->rows[i]);
      ended = rows->n_rows < n;
      if (ended)
        continue;
      g_byte_array_set_size (self->start, 0);
      tall_bytes_append (self->start, rows->rows[n - 1].key);
      tall_bytes_append_u8 (self->start, 0);
    }
  return TRUE;
}

/* Fetches the orders that were found, and gives the others their errors. */
static gboolean
fetch_orders (Walk *self, TallCustomerOrders *page, GError **error)
{
  guint n = 0;
  TallOrderId *ids = tall_arena_newa0 (self->arena, TallOrderId, self->ids->len);
  TallOutcome *outcomes = tall_arena_newa0 (self->arena, TallOutcome, self->ids->len);
  for (guint i = 0; i < self->ids->len; i++)
    if (self->errors->pdata[i] == NULL)
      ids[n++] = g_array_index (self->ids, TallOrderId, i);
  if (n > 0 && !tall_get_many (self->operation->context, ids, n, outcomes, error))
    return FALSE;

  page->n_orders = self->ids->len;
  page->orders = g_new0 (TallOutcome, page->n_orders);
  for (guint i = 0, next = 0; i < page->n_orders; i++)
    if (self->errors->pdata[i] != NULL)
      page->orders[i].error = g_steal_pointer (&self->errors->pdata[i]);
    else
      page->orders[i] = outcomes[next++];
  return TRUE;
}

static gboolean
fetch_customer (Walk *self, TallCustomerOrders *page, gboolean first, GError **error)
{
  g_autoptr (GError) local = NULL;
  page->customer = tall_fetch_customer (self->operation, &page->revision, &local);
  if (page->customer != NULL)
    return TRUE;
  page->revision = 0;
  gboolean absent = g_error_matches (local, TALL_ERROR, TALL_ERROR_NOT_FOUND);
  if (absent && (self->ids->len > 0 || !first))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

static gboolean
set_position (Walk *self, const TallPageScope *scope, GError **error)
{
  const TallOperation *operation = self->operation;
  g_autoptr (GByteArray) row = g_byte_array_new ();
  g_autoptr (GByteArray) any = g_byte_array_new ();
  g_auto (TallOrderKey) key = { 0 };
  tall_order_key_init_from_parts (&key, operation->key.customer, operation->key.customer);
  self->table = operation->context->layout->locate_order (&key, any);
  self->stop = tall_slice_after_prefix (self->arena, operation->key.customer);
  tall_bytes_append (self->start, operation->key.customer);
  if (scope->options == NULL || scope->options->page == NULL)
    return TRUE;
  if (!tall_page_from_token (scope, scope->options->page, self->start, error))
    return FALSE;
  tall_bytes_append_u8 (self->start, 0);
  return TRUE;
}

/**
 * tall_list_customer_orders:
 * @operation: on the customer, identified
 * @options: (nullable): page
 *
 * Finds the orders of a page by their root rows, and fetches them together.
 *
 * Returns: (transfer full): a page
 */
TallCustomerOrders *
tall_list_customer_orders (TallOperation *operation, const TallListOptions *options, GError **error)
{
  g_auto (Walk) walk = {
    .operation = operation,
    .start = g_byte_array_sized_new (64),
    .last = g_byte_array_sized_new (64),
    .arena = tall_arena_new (0),
    .ids = g_array_new (FALSE, TRUE, sizeof (TallOrderId)),
    .errors = g_ptr_array_new_with_free_func (free_error),
    .limit = options != NULL && options->limit > 0 ? options->limit : TALL_DEFAULT_PAGE,
  };
  const TallPageScope scope = { TALL_PAGE_CUSTOMER_ORDERS, operation->context->id,
                                operation->customer_number, options };
  gboolean first = options == NULL || options->page == NULL;
  g_autoptr (TallCustomerOrders) page = g_new0 (TallCustomerOrders, 1);
  if (!set_position (&walk, &scope, error) || !fill (&walk, error)
      || !fetch_customer (&walk, page, first, error) || !fetch_orders (&walk, page, error))
    return NULL;
  if (walk.more)
    page->next_page = tall_page_to_token (&scope, tall_slice_array (walk.last));
  return g_steal_pointer (&page);
}
