/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/server/request.h"

#include "tall-error.h"
#include "service/calls/idl-failure.h"
#include "service/access/call-budget.h"

/* Orders of a customer that are fetched at once; a page of the usual size is. */
#define ORDERS_AT_ONCE 32

/* A number that was not sent is refused as an empty one. */
static const char *
get_customer (const TallIdlListing *listing)
{
  return listing->customer_number != NULL ? listing->customer_number : "";
}

/* How many of the entries have room in a reply; one at least. */
static guint
count_fitting (const TallRequest *self, gconstpointer entries, guint n)
{
  const guint8 *entry = entries;
  g_auto (TallCallBudget) budget = { 0 };

  tall_call_budget_init (&budget);
  for (guint i = 0; i < n; i++, entry += self->call->item->size)
    if (!tall_call_budget_take (&budget, self->call->item, entry, NULL))
      return i;
  return n;
}

/* The front knows the dates by shorter names than the interface, where those are words of some
 * languages. */
static gboolean
name_date (GError *reason, GError **error)
{
  g_autoptr (GError) owned = reason;
  const char *field = reason->domain == TALL_ERROR ? tall_error_get_field (reason) : NULL;

  if (g_strcmp0 (field, "from") == 0)
    tall_error_set_invalid (error, "from_date", "%s", reason->message);
  else if (g_strcmp0 (field, "to") == 0)
    tall_error_set_invalid (error, "to_date", "%s", reason->message);
  else
    g_propagate_error (error, g_steal_pointer (&owned));
  return FALSE;
}

/**
 * tall_request_list_orders:
 *
 * Lists a page again, with fewer entries, if it has no room in the reply: only the front can make
 * the token of the page after it.
 */
gboolean
tall_request_list_orders (TallRequest *self, GError **error)
{
  const TallIdlListing *listing = self->args.request;
  TallListOptions options;
  GError *reason = NULL;

  if (!tall_idl_listing_parse (listing, &options, error))
    return FALSE;
  for (;;)
    {
      g_autoptr (TallOrderList) list =
          tall_front_list_orders (self->front, get_customer (listing), &options, &reason);
      if (list == NULL)
        return name_date (reason, error);
      guint n = count_fitting (self, list->entries, list->n_entries);
      if (n == list->n_entries)
        {
          tall_arena_own (self->arena, list, (GDestroyNotify)tall_order_list_free);
          self->result.success = g_steal_pointer (&list);
          return TRUE;
        }
      options.limit = n;
    }
}

/**
 * tall_request_list_customers:
 *
 * As tall_request_list_orders().
 */
gboolean
tall_request_list_customers (TallRequest *self, GError **error)
{
  TallListOptions options;

  if (!tall_idl_listing_parse (self->args.request, &options, error))
    return FALSE;
  for (;;)
    {
      g_autoptr (TallCustomerList) list = tall_front_list_customers (self->front, &options, error);
      if (list == NULL)
        return FALSE;
      guint n = count_fitting (self, list->entries, list->n_entries);
      if (n == list->n_entries)
        {
          tall_arena_own (self->arena, list, (GDestroyNotify)tall_customer_list_free);
          self->result.success = g_steal_pointer (&list);
          return TRUE;
        }
      options.limit = n;
    }
}

/* How many of the outcomes of a page have room. */
static guint
count_orders (TallRequest *self, TallCallBudget *budget, const TallCustomerOrders *page)
{
  for (guint i = 0; i < page->n_orders; i++)
    {
      TallOutcome *outcome = &page->orders[i];
      TallIdlSuccess result = { .order = outcome->order, .revision = outcome->revision };
      TallIdlOutcome item = { .result = outcome->order != NULL ? &result : NULL };
      if (!tall_call_budget_take (budget, self->call->item, &item, outcome->order))
        return i;
    }
  return page->n_orders;
}

/* Moves the outcomes of a page to @answers. */
static void
take_page (TallRequest *self, TallCustomerOrders *page, TallIdlOutcome *answers)
{
  g_autofree char *operation = tall_idl_call_describe (self->call, &self->args);
  for (guint i = 0; i < page->n_orders; i++)
    tall_idl_outcome_take (&answers[i], self->arena, operation, &page->orders[i]);
}

/* Fetches the next orders, fewer than asked if so many have no room.
 * Returns: (nullable): NULL with @error; or without, if there is no room for any */
static TallCustomerOrders *
fetch_fitting (TallRequest *self,
               TallListOptions *options,
               TallCallBudget *budget,
               TallIdlOutcome *answers,
               GError **error)
{
  for (;;)
    {
      g_autoptr (TallCustomerOrders) page =
          tall_front_get_customer_orders (self->front, get_customer (self->args.request), options,
                                          error);
      if (page == NULL)
        return NULL;
      TallCallBudget rest = *budget;
      guint n = count_orders (self, &rest, page);
      if (n == page->n_orders)
        {
          *budget = rest;
          take_page (self, page, answers);
          return g_steal_pointer (&page);
        }
      if (n == 0)
        return NULL;
      options->limit = n;
    }
}

/* Those of a page, too, unless they are there. */
static void
add_others (TallRequest *self, TallIdlCustomerOrders *success, GStrv others)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  for (guint i = 0; i < success->n_others; i++)
    g_ptr_array_add (all, success->others[i]);
  for (guint i = 0; others[i] != NULL; i++)
    if (!g_ptr_array_find_with_equal_func (all, others[i], g_str_equal, NULL))
      g_ptr_array_add (all, tall_arena_strdup (self->arena, others[i]));
  success->n_others = all->len;
  success->others = tall_arena_memdup (self->arena, all->pdata, all->len * sizeof (char *));
}

static void
add_page (TallRequest *self, TallIdlCustomerOrders *success, TallCustomerOrders *page)
{
  if (success->failure == NULL && page->customer_error != NULL)
    {
      g_autofree char *operation = tall_idl_call_describe (self->call, &self->args);
      success->failure = tall_idl_failure_from_error (self->arena, operation, page->customer_error);
    }
  if (success->customer == NULL && page->customer != NULL)
    {
      success->revision = page->revision;
      success->customer = g_steal_pointer (&page->customer);
      tall_arena_own (self->arena, success->customer, (GDestroyNotify)tall_customer_free);
    }
  if (page->others != NULL)
    add_others (self, success, page->others);
  success->n_orders += page->n_orders;
  success->next_page =
      page->next_page != NULL ? tall_arena_strdup (self->arena, page->next_page) : NULL;
}

/**
 * tall_request_get_customer_orders:
 *
 * Fetches some orders after the others, as many as room in the reply and time allow. A request for
 * the next page meets a failure after the first ones again.
 */
gboolean
tall_request_get_customer_orders (TallRequest *self, GError **error)
{
  TallIdlCustomerOrders *success = tall_arena_new0 (self->arena, TallIdlCustomerOrders);
  TallListOptions options;
  g_auto (TallCallBudget) budget = { 0 };
  gboolean begun = FALSE;

  if (!tall_idl_listing_parse (self->args.request, &options, error))
    return FALSE;
  guint wanted = options.limit;
  self->result.success = success;
  success->orders = tall_arena_newa0 (self->arena, TallIdlOutcome, wanted);
  tall_call_budget_init (&budget);
  do
    {
      GError **first = begun ? NULL : error;
      options.limit =
          tall_call_memory_work_on_orders (self->memory,
                                           MIN (ORDERS_AT_ONCE, wanted - success->n_orders), first);
      if (options.limit == 0)
        return begun;
      g_autoptr (TallCustomerOrders) page =
          fetch_fitting (self, &options, &budget, success->orders + success->n_orders, first);
      if (page == NULL)
        return begun;
      add_page (self, success, page);
      tall_call_memory_settle (self->memory, budget.memory);
      options.page = success->next_page;
      begun = TRUE;
    }
  while (success->next_page != NULL && success->n_orders < wanted
         && !tall_call_budget_is_late (&budget));
  return TRUE;
}
