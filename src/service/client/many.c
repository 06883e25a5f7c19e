/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/client/client.h"
#include "store/read/pager.h"
#include "base/fail.h"
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
  TallClientCall call =
      tall_client_prepare (front, TALL_CALL (list_orders), &args, list->arena, list);

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
  TallClientCall call =
      tall_client_prepare (front, TALL_CALL (list_customers), &args, list->arena, list);

  if (!tall_client_call_run (&call, error))
    return NULL;
  guint most = page_size (options);
  /* A customer that cannot be read may have an entry as well. */
  if (list->n_entries > most || !check_customer_entries (list)
      || !check_unreadable (list->unreadable, list->n_unreadable, most))
    return tall_client_set_wrong_answer (&call, error), NULL;
  return g_steal_pointer (&list);
}

static gboolean
is_order (const TallOrderId *id, TallOrder *order)
{
  return order != NULL
         && (id->customer_number == NULL
             || g_str_equal (order->customer_number, id->customer_number))
         && (id->order_number == NULL || g_str_equal (order->order_number, id->order_number))
         && tall_order_normalize (order, NULL);
}

/* A server of an earlier version gives whole orders. */
static void
cut_order (const TallIdlSuccess *got, const TallOrderPart *part, TallOutcome *outcome)
{
  if (got->entry != NULL && got->entry->order_number != NULL)
    {
      TallArena *arena = tall_order_get_arena (outcome->order);
      outcome->entry = tall_arena_new0 (arena, TallOrderEntry);
      *outcome->entry = *got->entry;
      outcome->entry->order_number = outcome->order->order_number;
      outcome->entry->currency = tall_arena_strdup (arena, got->entry->currency);
    }
  if (tall_outcome_cut (outcome, part, &outcome->error))
    return;
  outcome->revision = 0;
  g_clear_pointer (&outcome->order, tall_order_free);
}

/* @id: a number that is NULL may be any
 * Returns: FALSE if it is not an outcome of such an order */
static gboolean
take_order (const TallClientCall *call,
            const TallOrderId *id,
            const TallOrderPart *part,
            TallIdlOutcome *got,
            TallOutcome *outcome)
{
  if (got->failure != NULL)
    {
      tall_client_call_take_failure (call, NULL, got->failure, &outcome->error);
      return TRUE;
    }
  if (got->result == NULL || !is_order (id, got->result->order))
    return FALSE;
  outcome->revision = got->result->revision;
  outcome->order = g_steal_pointer (&got->result->order);
  cut_order (got->result, part, outcome);
  return TRUE;
}

static const TallOrderPart whole = { .kind = TALL_PART_WHOLE };

/* Returns: (transfer full): the outcomes of a page; NULL if there is something else in it */
static TallOutcome *
take_page (const TallClientCall *call,
           const char *customer_number,
           const TallOrderPart *part,
           TallIdlPage *got)
{
  const TallOrderId id = { .customer_number = customer_number };
  TallOutcome *outcomes = g_new0 (TallOutcome, got->n_orders + 1);
  for (guint i = 0; i < got->n_orders; i++)
    if (!take_order (call, &id, part, &got->orders[i], &outcomes[i]))
      {
        for (guint k = 0; k < i; k++)
          tall_outcome_clear (&outcomes[k]);
        g_clear_pointer (&outcomes, g_free);
        break;
      }
  return outcomes;
}

/* Returns: FALSE if one is not a number */
static gboolean
take_others (const TallIdlPage *got, TallCustomerOrders *page)
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
                      TallIdlPage *got,
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
  page->orders = take_page (call, number, &whole, got);
  page->n_orders = page->orders != NULL ? got->n_orders : 0;
  return page->orders != NULL;
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
  TallIdlPage *got = tall_arena_new0 (arena, TallIdlPage);
  tall_idl_listing_init (&listing, number, options);
  TallClientCall call =
      tall_client_prepare (front, TALL_CALL (get_customer_orders), &args, arena, got);

  if (!tall_client_call_run (&call, error))
    return NULL;
  if (got->n_orders > page_size (options) || !take_customer_orders (&call, number, got, page))
    return tall_client_set_wrong_answer (&call, error), NULL;
  return g_steal_pointer (&page);
}

TallFound *
tall_client_find_orders (TallFront *front, const TallFindOptions *options, GError **error)
{
  const TallListOptions of_page = { .limit = options->limit, .page = options->page };
  TallIdlListing find;
  TallIdlArgs args = { .request = &find };
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallIdlPage got = { 0 };
  TallClientCall call = tall_client_prepare (front, TALL_CALL (find_orders), &args, arena, &got);
  tall_idl_listing_init (&find, NULL, &of_page);
  find.index = (char *)options->index;
  find.values = (char **)options->values;
  find.n_values = options->n_values;
  find.from_value = (char *)options->from;
  find.to_value = (char *)options->to;
  find.part = options->part.kind != TALL_PART_WHOLE ? (TallOrderPart *)&options->part : NULL;

  if (!tall_client_call_run (&call, error))
    return NULL;
  gboolean fits = got.n_orders <= page_size (&of_page) && got.index != NULL
                  && (find.index == NULL || g_str_equal (got.index, find.index));
  TallOutcome *orders = fits ? take_page (&call, NULL, &options->part, &got) : NULL;
  if (orders == NULL)
    return tall_client_set_wrong_answer (&call, error), NULL;
  TallFound *found = g_new0 (TallFound, 1);
  *found = (TallFound){ g_strdup (got.index), orders, got.n_orders, g_strdup (got.next_page) };
  return found;
}

static TallIdlVerify
make_request (const TallVerifyRequest *request)
{
  return (TallIdlVerify){
    .customer_number = (char *)request->customer_number,
    .sample = (gint32)request->sample,
    .has_sample = request->sample > 0,
    .repair = request->repair,
    .most = (gint32)MIN (request->most, G_MAXINT32),
    .has_most = request->most > 0,
    .cursor = request->cursor,
    .notes = request->notes,
    .waits = TRUE,
  };
}

static gboolean
check_finding (TallFinding *finding, const TallClientCall *call, GError **error)
{
  if (finding->name == NULL || finding->table == NULL || finding->message == NULL
      || finding->n_rows - 1 >= G_MAXINT32)
    return tall_client_set_wrong_answer (call, error);
  if (tall_finding_kind_parse (finding->name, &finding->kind))
    return TRUE;
  return tall_error_fail (error, TALL_ERROR_UNSUPPORTED,
                          "Verifying: the server has found \"%s\", which this version does not "
                          "know: verify with the version of the server",
                          finding->name);
}

/* An older server sends what it waits for to be sent back, and may end without a cursor. */
static gboolean
check_part (const TallIdlVerifyPart *got, const TallClientCall *call, GError **error)
{
  if (got->n_suspects > 0 || got->failure != NULL)
    return tall_error_fail (
        error, TALL_ERROR_UNSUPPORTED,
        "Verifying: the server is older than this client: verify with the version of the server");
  if (got->part.wait > G_MAXINT32)
    return tall_client_set_wrong_answer (call, error);
  for (guint i = 0; i < got->part.n_findings; i++)
    if (!check_finding (&got->part.findings[i], call, error))
      return FALSE;
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
  TallIdlVerify verify = make_request (request);
  TallIdlArgs args = { .request = &verify };
  TallIdlVerifyPart got = { 0 };
  TallClientCall call =
      tall_client_prepare (front, TALL_CALL (verify_some), &args, part->arena, &got);
  call.deadline = g_get_monotonic_time () + PART_TIMEOUT;

  if (!tall_client_call_run (&call, error) || !check_part (&got, &call, error))
    return NULL;
  got.part.arena = part->arena;
  *part = got.part;
  return g_steal_pointer (&part);
}

/* Ids that can be asked for, and whose outcome each is. */
typedef struct
{
  TallOrderId *ids;
  TallOutcome **outcomes;
  guint n;
} Asked;

static void
choose_ids (Asked *self, TallArena *arena, const TallOrderId *ids, guint n, TallOutcome *outcomes)
{
  self->ids = tall_arena_newa0 (arena, TallOrderId, n);
  self->outcomes = tall_arena_newa0 (arena, TallOutcome *, n);
  for (guint i = 0; i < n; i++)
    {
      if (!tall_validate_number (ids[i].customer_number, "customer_number", &outcomes[i].error)
          || !tall_validate_number (ids[i].order_number, "order_number", &outcomes[i].error))
        continue;
      self->ids[self->n] = ids[i];
      self->outcomes[self->n++] = &outcomes[i];
    }
}

/* Returns: how many of them, the first ones, have their outcome now; 0 with @error */
static guint
get_some (TallFront *front,
          const TallOrderId *ids,
          const TallOrderPart *part,
          TallOutcome *const *outcomes,
          guint n,
          GError **error)
{
  TallIdlMany many = { .ids = (TallOrderId *)ids,
                       .n_ids = MIN (n, TALL_IDL_MANY_ITEMS),
                       .part = part->kind != TALL_PART_WHOLE ? (TallOrderPart *)part : NULL };
  TallIdlArgs args = { .request = &many };
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallIdlOutcomes got = { 0 };
  TallClientCall call = tall_client_prepare (front, TALL_CALL (get_orders), &args, arena, &got);

  if (!tall_client_call_run (&call, error))
    return 0;
  if (got.n_outcomes == 0 || got.n_outcomes > many.n_ids)
    return (guint)tall_client_set_wrong_answer (&call, error);
  for (guint i = 0; i < got.n_outcomes; i++)
    if (!take_order (&call, &ids[i], part, &got.outcomes[i], outcomes[i]))
      (void)tall_client_set_wrong_answer (&call, &outcomes[i]->error);
  return got.n_outcomes;
}

/**
 * tall_client_get_orders:
 *
 * Calls as often as the server's replies, which are limited, make it necessary.
 */
gboolean
tall_client_get_orders (TallFront *front,
                        const TallOrderId *ids,
                        guint n,
                        const TallOrderPart *part,
                        TallOutcome *outcomes,
                        GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (GError) reason = NULL;
  Asked asked = { 0 };
  guint done = 0;

  choose_ids (&asked, arena, ids, n, outcomes);
  while (done < asked.n && reason == NULL)
    done +=
        get_some (front, asked.ids + done, part, asked.outcomes + done, asked.n - done, &reason);

  if (reason != NULL && done == 0)
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }
  for (guint i = done; i < asked.n; i++)
    asked.outcomes[i]->error = g_error_copy (reason);
  return TRUE;
}

/* All that shall be stored. */
typedef struct
{
  TallFront *front;
  TallOrder *const *orders;
  const TallWriteOptions *options; /* NULL: none */
  TallOutcome *outcomes;
  guint n;
  guint next;   /* the first that was not yet in a batch */
  gint64 begun; /* microseconds of g_get_monotonic_time() */
} Puts;

/* What goes into one call. */
typedef struct
{
  TallIdlPut puts[TALL_IDL_MANY_ITEMS];
  TallIdlOptions wire[TALL_IDL_MANY_ITEMS];
  TallWriteOptions options[TALL_IDL_MANY_ITEMS];
  TallOutcome *outcomes[TALL_IDL_MANY_ITEMS];
  guint n;
  guint timeout;          /* the longest, milliseconds */
  gboolean usual_timeout; /* one has none of its own */
} Batch;

/* What is done with an order, as the beginning of messages. */
static char *
describe (const TallOrder *order)
{
  TallIdlPut put = { .order = (TallOrder *)order };
  return tall_idl_call_describe_item (TALL_CALL (put_orders), &put);
}

static GError *
new_error (const TallOrder *order, TallError code, const char *reason)
{
  g_autofree char *operation = describe (order);
  return g_error_new (TALL_ERROR, (int)code, "%s: %s", operation, reason);
}

/* What is left of its time, which runs from the beginning of all. */
static gboolean
shorten_time (const Puts *self, const TallOrder *order, TallWriteOptions *options, GError **error)
{
  gint64 passed = (g_get_monotonic_time () - self->begun) / G_TIME_SPAN_MILLISECOND;

  if (options->timeout == 0)
    return TRUE;
  if (passed >= options->timeout)
    {
      g_propagate_error (error,
                         new_error (order, TALL_ERROR_TIMED_OUT,
                                    "its time was over before it was its turn; nothing was done"));
      return FALSE;
    }
  options->timeout -= (guint)passed;
  return TRUE;
}

/* Returns: FALSE if the next order has no room in this batch */
static gboolean
add_next (Puts *self, Batch *batch, TallCallBudget *budget)
{
  TallOrder *order = self->orders[self->next];
  TallOutcome *outcome = &self->outcomes[self->next];
  TallWriteOptions *options = &batch->options[batch->n];
  TallIdlPut *put = &batch->puts[batch->n];

  *options = tall_client_with_token (self->options != NULL ? &self->options[self->next] : NULL);
  if (!tall_order_normalize (order, &outcome->error)
      || !shorten_time (self, order, options, &outcome->error))
    {
      self->next++;
      return TRUE;
    }

  *put = (TallIdlPut){ .order = order, .options = &batch->wire[batch->n] };
  tall_client_init_options (put->options, options);
  if (!tall_call_budget_take (budget, TALL_CALL (put_orders)->asked, put, order))
    return FALSE;
  batch->timeout = MAX (batch->timeout, options->timeout);
  batch->usual_timeout |= options->timeout == 0;
  batch->outcomes[batch->n++] = outcome;
  self->next++;
  return TRUE;
}

static void
take_put (const TallClientCall *call,
          const TallOrder *order,
          const TallIdlOutcome *got,
          TallOutcome *outcome)
{
  if (got->failure != NULL)
    {
      g_autofree char *operation = describe (order);
      tall_client_call_take_failure (call, operation, got->failure, &outcome->error);
    }
  else if (got->result != NULL)
    outcome->revision = got->result->revision;
  else
    outcome->error = new_error (order, TALL_ERROR_OUTCOME_UNKNOWN,
                                "the server's answer does not tell whether it was stored");
}

static gboolean
is_repeatable (const Batch *batch)
{
  for (guint i = 0; i < batch->n; i++)
    if (!tall_client_is_repeatable (&batch->options[i]))
      return FALSE;
  return TRUE;
}

static gboolean
run_batch (const Puts *self, const Batch *batch, GError **error)
{
  TallIdlMany many = { .puts = (TallIdlPut *)batch->puts, .n_puts = batch->n };
  TallIdlArgs args = { .request = &many };
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallIdlOutcomes got = { 0 };
  TallClientCall call =
      tall_client_prepare (self->front, TALL_CALL (put_orders), &args, arena, &got);
  gint64 own = g_get_monotonic_time () + (gint64)batch->timeout * G_TIME_SPAN_MILLISECOND;
  call.deadline = batch->usual_timeout ? MAX (call.deadline, own) : own;
  call.is_write = TRUE;
  call.repeatable = is_repeatable (batch);

  if (!tall_client_call_run (&call, error))
    return FALSE;
  if (got.n_outcomes != batch->n)
    return tall_client_set_wrong_answer (&call, error);
  for (guint i = 0; i < batch->n; i++)
    take_put (&call, batch->puts[i].order, &got.outcomes[i], batch->outcomes[i]);
  return TRUE;
}

/* A call failed as a whole: what that means for each of its orders, and those after them. */
static void
fail_rest (Puts *self, const Batch *batch, const GError *reason)
{
  gboolean known = tall_error_is_not_done (reason)
                   || g_error_matches (reason, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN);

  for (guint i = 0; i < batch->n; i++)
    batch->outcomes[i]->error =
        known ? g_error_copy (reason)
              : new_error (batch->puts[i].order, TALL_ERROR_OUTCOME_UNKNOWN, reason->message);
  for (; self->next < self->n; self->next++)
    self->outcomes[self->next].error =
        new_error (self->orders[self->next], TALL_ERROR_UNAVAILABLE,
                   "not sent, because a call before it failed; nothing was done");
}

/**
 * tall_client_put_orders:
 *
 * Calls as often as the limits of a request make it necessary, one call after the other. The time
 * of each put runs from the beginning of all.
 */
gboolean
tall_client_put_orders (TallFront *front,
                        TallOrder *const *orders,
                        const TallWriteOptions *options,
                        guint n,
                        TallOutcome *outcomes,
                        GError **error)
{
  Puts self = { front, orders, options, outcomes, n, 0, g_get_monotonic_time () };
  g_autofree Batch *batch = g_new (Batch, 1);
  gboolean asked = FALSE;

  while (self.next < n)
    {
      g_autoptr (GError) reason = NULL;
      g_auto (TallCallBudget) budget = { 0 };
      tall_call_budget_init (&budget);
      batch->n = batch->timeout = 0;
      batch->usual_timeout = FALSE;
      while (self.next < n && batch->n < TALL_IDL_MANY_ITEMS && add_next (&self, batch, &budget))
        continue;
      if (batch->n > 0 && !run_batch (&self, batch, &reason))
        {
          if (!asked && tall_error_is_not_done (reason))
            {
              g_propagate_error (error, g_steal_pointer (&reason));
              return FALSE;
            }
          fail_rest (&self, batch, reason);
        }
      asked = asked || batch->n > 0;
    }
  return TRUE;
}

/* A server may say anything. */
#define MOST_WAIT 60000 /* milliseconds */

/**
 * tall_client_erase_some:
 *
 * A part may be done twice: it does no harm.
 */
TallErasePart *
tall_client_erase_some (TallFront *front, const TallEraseRequest *request, GError **error)
{
  g_autoptr (TallErasePart) part = g_new0 (TallErasePart, 1);
  part->arena = tall_arena_new (0);
  TallIdlArgs args = { .request = (gpointer)request };
  TallIdlErasePart got = { 0 };
  TallClientCall call =
      tall_client_prepare (front, TALL_CALL (erase_some), &args, part->arena, &got);
  call.deadline = g_get_monotonic_time () + PART_TIMEOUT;

  if (!tall_client_call_run (&call, error))
    return NULL;
  got.part.arena = part->arena;
  *part = got.part;
  part->wait = MIN (part->wait, MOST_WAIT);
  if (!tall_erase_stage_parse (got.stage, &part->stage)
      || (part->stage == TALL_ERASE_DONE) != (part->cursor.len == 0))
    return tall_client_set_wrong_answer (&call, error), NULL;
  return g_steal_pointer (&part);
}
