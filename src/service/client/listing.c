/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/client/client.h"

#include "tall-error.h"
#include "tall-limits.h"

/* A part takes a second, and as long as one call of the store below may take, several times at
 * worst. */
#define PART_TIMEOUT (150 * G_USEC_PER_SEC)

/* How many entries a page may have. */
static guint
page_size (const TallListOptions *options)
{
  return options != NULL && options->limit > 0 ? options->limit : TALL_DEFAULT_PAGE;
}

/* Codes that we do not know are of a newer server. */
static gboolean
check_unreadable (TallUnreadable *unreadable, guint n, guint most)
{
  for (guint i = 0; i < n; i++)
    {
      TallUnreadable *entry = &unreadable[i];
      if (entry->message == NULL
          || (entry->number != NULL && !tall_validate_number (entry->number, "number", NULL)))
        return FALSE;
      if (entry->code < TALL_ERROR_NOT_FOUND || entry->code > TALL_ERROR_FORBIDDEN)
        entry->code = TALL_ERROR_INTERNAL;
    }
  return n <= most;
}

static gboolean
check_order_entries (const TallOrderList *list)
{
  for (guint i = 0; i < list->n_entries; i++)
    {
      const TallOrderEntry *entry = &list->entries[i];
      if (entry->order_number == NULL
          || !tall_validate_number (entry->order_number, "order_number", NULL)
          || entry->n_lines > TALL_MAX_LINES_AND_LOCATIONS
          || (entry->has_sales_date
              && (entry->sales_date < TALL_MIN_DATE || entry->sales_date > TALL_MAX_DATE)))
        return FALSE;
    }
  return TRUE;
}

TallOrderList *
tall_client_list_orders (TallFront *front,
                         const char *customer_number,
                         const TallListOptions *options,
                         GError **error)
{
  TallIdlListing listing;
  TallIdlArgs args = { .request = &listing };
  g_autoptr (TallOrderList) list = g_new0 (TallOrderList, 1);
  list->arena = tall_arena_new (0);
  tall_idl_listing_init (&listing, customer_number, options);
  TallClientCall call = tall_client_prepare (front, TALL_CALL (list_orders), &args, list->arena);
  call.success = list;

  if (!tall_client_call_run (&call, error))
    return NULL;
  guint most = page_size (options);
  if (list->n_entries > most || !check_order_entries (list)
      || !check_unreadable (list->unreadable, list->n_unreadable, most - list->n_entries))
    return tall_client_set_wrong_answer (&call, error), NULL;
  return g_steal_pointer (&list);
}

static gboolean
check_customer_entries (const TallCustomerList *list)
{
  for (guint i = 0; i < list->n_entries; i++)
    if (list->entries[i].number == NULL
        || !tall_validate_number (list->entries[i].number, "number", NULL))
      return FALSE;
  return TRUE;
}

TallCustomerList *
tall_client_list_customers (TallFront *front, const TallListOptions *options, GError **error)
{
  TallIdlListing listing;
  TallIdlArgs args = { .request = &listing };
  g_autoptr (TallCustomerList) list = g_new0 (TallCustomerList, 1);
  list->arena = tall_arena_new (0);
  tall_idl_listing_init (&listing, NULL, options);
  TallClientCall call = tall_client_prepare (front, TALL_CALL (list_customers), &args, list->arena);
  call.success = list;

  if (!tall_client_call_run (&call, error))
    return NULL;
  guint most = page_size (options);
  /* A customer that cannot be read may have an entry as well. */
  if (list->n_entries > most || !check_customer_entries (list)
      || !check_unreadable (list->unreadable, list->n_unreadable, most))
    return tall_client_set_wrong_answer (&call, error), NULL;
  return g_steal_pointer (&list);
}

/* Returns: FALSE if it is not an outcome of an order of that customer */
static gboolean
take_outcome (const TallClientCall *call,
              const char *number,
              TallIdlOutcome *got,
              TallOutcome *outcome)
{
  if (got->failure != NULL)
    {
      tall_client_call_take_failure (call, NULL, got->failure, &outcome->error);
      return TRUE;
    }
  if (got->result == NULL || got->result->order == NULL
      || !g_str_equal (got->result->order->customer_number, number)
      || !tall_order_normalize (got->result->order, NULL))
    return FALSE;
  outcome->revision = got->result->revision;
  outcome->order = g_steal_pointer (&got->result->order);
  return TRUE;
}

/* Returns: FALSE if one is no number */
static gboolean
take_others (const TallIdlCustomerOrders *got, TallCustomerOrders *page)
{
  if (got->n_others == 0)
    return TRUE;
  page->others = g_new0 (char *, got->n_others + 1);
  for (gsize i = 0; i < got->n_others; i++)
    {
      if (!tall_validate_number (got->others[i], "others", NULL))
        return FALSE;
      page->others[i] = g_strdup (got->others[i]);
    }
  return TRUE;
}

static gboolean
take_customer_orders (const TallClientCall *call,
                      const char *number,
                      TallIdlCustomerOrders *got,
                      TallCustomerOrders *page)
{
  if (got->customer != NULL
      && (!g_str_equal (got->customer->number, number)
          || !tall_customer_normalize (got->customer, NULL)))
    return FALSE;
  page->customer = g_steal_pointer (&got->customer);
  page->revision = page->customer != NULL ? got->revision : 0;
  if (got->failure != NULL)
    tall_client_call_take_failure (call, NULL, got->failure, &page->customer_error);
  if (!take_others (got, page))
    return FALSE;
  page->next_page = g_strdup (got->next_page);
  page->orders = g_new0 (TallOutcome, got->n_orders);
  page->n_orders = got->n_orders;
  for (guint i = 0; i < got->n_orders; i++)
    if (!take_outcome (call, number, &got->orders[i], &page->orders[i]))
      return FALSE;
  return TRUE;
}

TallCustomerOrders *
tall_client_get_customer_orders (TallFront *front,
                                 const char *number,
                                 const TallListOptions *options,
                                 GError **error)
{
  TallIdlListing listing;
  TallIdlArgs args = { .request = &listing };
  g_autoptr (TallCustomerOrders) page = g_new0 (TallCustomerOrders, 1);
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallIdlCustomerOrders *got = tall_arena_new0 (arena, TallIdlCustomerOrders);
  tall_idl_listing_init (&listing, number, options);
  TallClientCall call = tall_client_prepare (front, TALL_CALL (get_customer_orders), &args, arena);
  call.success = got;

  if (!tall_client_call_run (&call, error))
    return NULL;
  if (got->n_orders > page_size (options) || !take_customer_orders (&call, number, got, page))
    return tall_client_set_wrong_answer (&call, error), NULL;
  return g_steal_pointer (&page);
}

static TallIdlVerify
make_request (const TallVerifyRequest *request, TallArena *arena)
{
  TallVerifySuspect *suspects =
      tall_arena_newa0 (arena, TallVerifySuspect, MAX (request->n_suspects, 1));
  for (guint i = 0; i < request->n_suspects; i++)
    suspects[i].state = request->suspects[i];
  return (TallIdlVerify){
    .customer_number = (char *)request->customer_number,
    .sample = (gint32)request->sample,
    .has_sample = request->sample > 0,
    .repair = request->repair,
    .most = (gint32)MIN (request->most, G_MAXINT32),
    .has_most = request->most > 0,
    .cursor = request->cursor,
    .suspects = suspects,
    .n_suspects = request->n_suspects,
    .notes = request->notes,
  };
}

static gboolean
take_findings (const TallIdlVerifyPart *got,
               TallVerifyPart *part,
               const TallClientCall *call,
               GError **error)
{
  part->n_findings = got->n_findings;
  part->findings = tall_arena_newa0 (part->arena, TallFinding, MAX (got->n_findings, 1));
  for (guint i = 0; i < got->n_findings; i++)
    {
      const TallIdlFinding *found = &got->findings[i];
      TallFinding *finding = &part->findings[i];
      if (found->kind == NULL || found->table == NULL || found->message == NULL || found->rows < 1)
        return tall_client_set_wrong_answer (call, error);
      *finding = (TallFinding){
        .table = found->table,
        .row = found->row,
        .n_rows = (guint)found->rows,
        .customer_number = found->customer_number,
        .order_number = found->order_number,
        .revision = found->revision,
        .message = found->message,
        .mended = found->mended,
        .load = found->load,
      };
      if (tall_finding_kind_parse (found->kind, &finding->kind))
        continue;
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
                   "Verifying: the server has found \"%s\", which this version does not know: "
                   "verify with the version of the server",
                   found->kind);
      return FALSE;
    }
  return TRUE;
}

static gboolean
take_part (const TallIdlVerifyPart *got,
           TallVerifyPart *part,
           const TallClientCall *call,
           GError **error)
{
  for (guint i = 0; i < got->n_suspects; i++)
    if (got->suspects[i].state.len == 0)
      return tall_client_set_wrong_answer (call, error);
  part->suspects = got->suspects;
  part->n_suspects = got->n_suspects;
  part->cursor = got->cursor;
  part->n_customers = (guint64)got->customers;
  part->n_orders = (guint64)got->orders;
  part->n_hints = (guint64)got->hints;
  part->n_ids = (guint64)got->ids;
  part->n_busy = (guint64)got->busy;
  part->is_broken = got->broken;
  if (!take_findings (got, part, call, error))
    return FALSE;
  if (got->failure != NULL)
    tall_client_call_take_failure (call, NULL, got->failure, &part->error);
  return TRUE;
}

/**
 * tall_client_verify_some:
 *
 * A part may be done twice: it does no harm.
 */
TallVerifyPart *
tall_client_verify_some (TallFront *front, const TallVerifyRequest *request, GError **error)
{
  g_autoptr (TallVerifyPart) part = g_new0 (TallVerifyPart, 1);
  part->arena = tall_arena_new (0);
  TallIdlVerify verify = make_request (request, part->arena);
  TallIdlArgs args = { .request = &verify };
  TallIdlVerifyPart got = { 0 };
  TallClientCall call = tall_client_prepare (front, TALL_CALL (verify_some), &args, part->arena);
  call.success = &got;
  call.deadline = g_get_monotonic_time () + PART_TIMEOUT;

  if (!tall_client_call_run (&call, error) || !take_part (&got, part, &call, error))
    return NULL;
  return g_steal_pointer (&part);
}
