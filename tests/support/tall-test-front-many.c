/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/read/pager.h"
#include "tall-error.h"
#include "tall-test-front-private.h"

/* Whole orders, as a server of an earlier version. */
gboolean
tall_test_front_get_orders (TallFront *front,
                            const TallOrderId *ids,
                            guint n,
                            const TallOrderPart *part,
                            TallOutcome *outcomes,
                            GError **error)
{
  if (!tall_test_front_begin (TALL_TEST_FRONT (front), error))
    return FALSE;
  tall_test_front_note_part (TALL_TEST_FRONT (front), part);
  for (guint i = 0; i < n; i++)
    outcomes[i].order = tall_front_get_order (front, ids[i].customer_number, ids[i].order_number,
                                              &outcomes[i].revision, &outcomes[i].error);
  return TRUE;
}

static int
parse_code (const char *text)
{
  gint64 code = TALL_ERROR_INTERNAL;
  (void)!g_ascii_string_to_signed (text, 10, TALL_ERROR_NOT_FOUND, TALL_ERROR_INTERNAL, &code,
                                   NULL);
  return (int)code;
}

gboolean
tall_test_front_put_orders (TallFront *front,
                            TallOrder *const *orders,
                            const TallWriteOptions *options,
                            guint n,
                            TallOutcome *outcomes,
                            GError **error)
{
  if (!tall_test_front_begin (TALL_TEST_FRONT (front), error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      /* An order of that number fails in every way that a test wishes: "fail-4" with code 4. */
      const char *number = orders[i]->order_number;
      if (g_str_has_prefix (number, "fail-"))
        outcomes[i].error = g_error_new_literal (TALL_ERROR, parse_code (number + strlen ("fail-")),
                                                 "as asked for");
      else
        (void)!tall_front_put_order (front, orders[i], options != NULL ? &options[i] : NULL,
                                     &outcomes[i].revision, &outcomes[i].error);
    }
  return TRUE;
}

/* A page token is what kind of listing it is of, and the first number of the page. */
static gboolean
find_page (const TallListOptions *options,
           const char *listing,
           const GPtrArray *numbers,
           guint *first,
           GError **error)
{
  g_autofree char *prefix = g_strconcat (listing, "\n", NULL);

  *first = 0;
  if (options->page == NULL)
    return TRUE;
  if (!g_str_has_prefix (options->page, prefix))
    {
      tall_error_set_invalid (error, "page", "a page of something else");
      return FALSE;
    }
  while (*first < numbers->len
         && strcmp (numbers->pdata[*first], options->page + strlen (prefix)) < 0)
    (*first)++;
  return TRUE;
}

static guint
end_of_page (const TallListOptions *options, const GPtrArray *numbers, guint first)
{
  guint limit = options->limit > 0 ? options->limit : TALL_DEFAULT_PAGE;
  return MIN (numbers->len, first + limit);
}

static char *
name_page (const char *listing, const GPtrArray *numbers, guint end)
{
  return end < numbers->len ? g_strconcat (listing, "\n", (const char *)numbers->pdata[end], NULL)
                            : NULL;
}

static const TallListOptions no_options;

static gboolean
is_wanted (const TallOrder *order, const TallListOptions *options)
{
  if (!options->has_from && !options->has_to)
    return TRUE;
  return order->has_sales_date && (!options->has_from || order->sales_date >= options->from)
         && (!options->has_to || order->sales_date < options->to);
}

static void
fill_entry (TallOrderEntry *entry, TallArena *arena, const TallOrder *order)
{
  entry->order_number = tall_arena_strdup (arena, order->order_number);
  entry->has_sales_date = order->has_sales_date;
  entry->sales_date = order->sales_date;
  entry->n_lines = tall_order_count_lines (order);
  entry->has_total = tall_order_compute_total (order, &entry->total);
  entry->currency = tall_arena_strdup (arena, order->currency);
}

/* What has such a number cannot be read. */
static gboolean
is_damaged (const char *number)
{
  return g_str_has_prefix (number, "damaged");
}

static void
fill_unreadable (TallUnreadable *unreadable, TallArena *arena, const char *number)
{
  *unreadable = (TallUnreadable){ tall_arena_strdup (arena, number), TALL_ERROR_DAMAGED,
                                  tall_arena_printf (arena, "%s: as its name says", number) };
}

/* By order number, and not by date: the order of entries is the front's affair. */
TallOrderList *
tall_test_front_list_orders (TallFront *front,
                             const char *customer_number,
                             const TallListOptions *options,
                             GError **error)
{
  g_autofree char *listing = g_strconcat ("orders\n", customer_number, NULL);
  g_autoptr (GPtrArray) numbers = tall_test_front_list (TALL_TEST_FRONT (front), customer_number);
  guint first = 0;

  options = options != NULL ? options : &no_options;
  if (!tall_test_front_begin (TALL_TEST_FRONT (front), error)
      || !find_page (options, listing, numbers, &first, error))
    return NULL;
  guint end = end_of_page (options, numbers, first);
  TallOrderList *list = g_new0 (TallOrderList, 1);
  list->arena = tall_arena_new (0);
  list->entries = tall_arena_newa0 (list->arena, TallOrderEntry, end - first);
  list->unreadable = tall_arena_newa0 (list->arena, TallUnreadable, end - first);
  for (guint i = first; i < end; i++)
    {
      if (is_damaged (numbers->pdata[i]))
        {
          fill_unreadable (&list->unreadable[list->n_unreadable++], list->arena, numbers->pdata[i]);
          continue;
        }
      TallOrderEntry *entry = &list->entries[list->n_entries];
      g_autoptr (TallOrder) order =
          tall_front_get_order (front, customer_number, numbers->pdata[i], &entry->revision, NULL);
      if (order != NULL && is_wanted (order, options))
        {
          fill_entry (entry, list->arena, order);
          list->n_entries++;
        }
    }
  g_autofree char *next_page = name_page (listing, numbers, end);
  list->next_page = tall_arena_strdup (list->arena, next_page);
  return list;
}

TallCustomerList *
tall_test_front_list_customers (TallFront *front, const TallListOptions *options, GError **error)
{
  g_autoptr (GPtrArray) numbers = tall_test_front_list (TALL_TEST_FRONT (front), NULL);
  guint first = 0;

  options = options != NULL ? options : &no_options;
  if (!tall_test_front_begin (TALL_TEST_FRONT (front), error)
      || !find_page (options, "customers", numbers, &first, error))
    return NULL;
  guint end = end_of_page (options, numbers, first);
  TallCustomerList *list = g_new0 (TallCustomerList, 1);
  list->arena = tall_arena_new (0);
  list->entries = tall_arena_newa0 (list->arena, TallCustomerEntry, end - first);
  list->unreadable = tall_arena_newa0 (list->arena, TallUnreadable, end - first);
  for (guint i = first; i < end; i++)
    {
      if (is_damaged (numbers->pdata[i]))
        {
          TallUnreadable *unreadable = &list->unreadable[list->n_unreadable++];
          fill_unreadable (unreadable, list->arena, numbers->pdata[i]);
          unreadable->number = NULL;
          continue;
        }
      TallCustomerEntry *entry = &list->entries[list->n_entries];
      g_autoptr (TallCustomer) customer =
          tall_front_get_customer (front, numbers->pdata[i], &entry->revision, NULL);
      if (customer == NULL)
        continue;
      entry->number = tall_arena_strdup (list->arena, customer->number);
      entry->name = tall_arena_strdup (list->arena, customer->name);
      list->n_entries++;
    }
  g_autofree char *next_page = name_page ("customers", numbers, end);
  list->next_page = tall_arena_strdup (list->arena, next_page);
  return list;
}

/* Those of a page, from the first on. */
static TallOutcome *
get_all (
    TallFront *front, const char *customer, const GPtrArray *numbers, guint first, guint n_orders)
{
  TallOutcome *outcomes = g_new0 (TallOutcome, n_orders);
  for (guint i = 0; i < n_orders; i++)
    {
      const char *number = numbers->pdata[first + i];
      if (is_damaged (number))
        outcomes[i].error =
            g_error_new_literal (TALL_ERROR, TALL_ERROR_DAMAGED, "as its name says");
      else
        outcomes[i].order = tall_front_get_order (front, customer, number, &outcomes[i].revision,
                                                  &outcomes[i].error);
    }
  return outcomes;
}

TallCustomerOrders *
tall_test_front_get_customer_orders (TallFront *front,
                                     const char *number,
                                     const TallListOptions *options,
                                     GError **error)
{
  g_autofree char *listing = g_strconcat ("whole\n", number, NULL);
  g_autoptr (GPtrArray) numbers = tall_test_front_list (TALL_TEST_FRONT (front), number);
  guint first = 0;

  options = options != NULL ? options : &no_options;
  if (!tall_test_front_begin (TALL_TEST_FRONT (front), error)
      || !find_page (options, listing, numbers, &first, error))
    return NULL;
  g_autoptr (TallCustomerOrders) page = g_new0 (TallCustomerOrders, 1);
  page->customer =
      tall_front_get_customer (front, number, &page->revision, numbers->len > 0 ? NULL : error);
  if (page->customer == NULL && numbers->len == 0)
    return NULL;
  if (is_damaged (number))
    {
      g_clear_pointer (&page->customer, tall_customer_free);
      page->revision = 0;
      page->customer_error =
          g_error_new (TALL_ERROR, TALL_ERROR_NEWER_VERSION, "%s is of a newer version", number);
    }

  page->n_orders = end_of_page (options, numbers, first) - first;
  page->orders = get_all (front, number, numbers, first, page->n_orders);
  page->next_page = name_page (listing, numbers, first + page->n_orders);
  return g_steal_pointer (&page);
}

/* There is one index, by customer: of its orders those whose numbers lie in the range. */
static const char *
check_find (const TallFindOptions *options, GError **error)
{
  static const char prefix[] = "customer_number=";
  gboolean is_named = options->index != NULL;
  if (is_named && !g_str_equal (options->index, "by-customer"))
    tall_error_set_invalid (error, "index", "There is no index %s, but by-customer",
                            options->index);
  else if (options->n_values != 1 || (!is_named && !g_str_has_prefix (options->values[0], prefix)))
    tall_error_set_invalid (error, "values", "One value, of a customer");
  else if (options->from != NULL && options->to != NULL && strcmp (options->from, options->to) >= 0)
    tall_error_set_invalid (error, "to", "The range is empty");
  else
    return options->values[0] + (is_named ? 0 : strlen (prefix));
  return NULL;
}

static void
keep_range (GPtrArray *numbers, const TallFindOptions *options)
{
  for (guint i = numbers->len; i-- > 0;)
    if ((options->from != NULL && strcmp (numbers->pdata[i], options->from) < 0)
        || (options->to != NULL && strcmp (numbers->pdata[i], options->to) >= 0))
      g_ptr_array_remove_index (numbers, i);
}

TallFound *
tall_test_front_find_orders (TallFront *front, const TallFindOptions *options, GError **error)
{
  const TallListOptions listing = { .limit = options->limit, .page = options->page };
  guint first = 0;

  if (!tall_test_front_begin (TALL_TEST_FRONT (front), error))
    return NULL;
  const char *customer = check_find (options, error);
  if (customer == NULL)
    return NULL;
  tall_test_front_note_part (TALL_TEST_FRONT (front), &options->part);
  g_autofree char *name = g_strconcat ("found\n", customer, NULL);
  g_autoptr (GPtrArray) numbers = tall_test_front_list (TALL_TEST_FRONT (front), customer);
  keep_range (numbers, options);
  if (!find_page (&listing, name, numbers, &first, error))
    return NULL;
  TallFound *found = g_new0 (TallFound, 1);
  found->index = g_strdup ("by-customer");
  found->n_orders = end_of_page (&listing, numbers, first) - first;
  found->orders = get_all (front, customer, numbers, first, found->n_orders);
  for (guint i = 0; i < found->n_orders; i++)
    if (found->orders[i].error == NULL)
      (void)!tall_outcome_cut (&found->orders[i], &options->part, &found->orders[i].error);
  found->next_page = name_page (name, numbers, first + found->n_orders);
  return found;
}
