/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/server/request.h"

#include "base/workers.h"
#include "service/access/memory.h"
#include "service/calls/idl-failure.h"
#include "base/fail.h"

/* Orders that are fetched at once, where memory lets them. */
#define ORDERS_AT_ONCE 64

/* What putting an order takes: for what is there in its place, and for each byte of the order; what
 * some layouts write for each line is beside that. */
#define PUT_BASE (7 * 1024 * 1024)
#define PUT_FACTOR 12

static void
clear_outcomes (TallOutcome *outcomes, guint n)
{
  for (guint i = 0; i < n; i++)
    tall_outcome_clear (&outcomes[i]);
}

static void
fill_ids (TallIdlMany *many)
{
  static TallOrderPart whole = { .kind = TALL_PART_WHOLE };
  many->part = many->part != NULL ? many->part : &whole;
  for (guint i = 0; i < many->n_ids; i++)
    {
      TallOrderId *id = &many->ids[i];
      id->customer_number = id->customer_number != NULL ? id->customer_number : "";
      id->order_number = id->order_number != NULL ? id->order_number : "";
    }
}

/* Says of a failure what it was that failed; @asked: an item of the call. */
static void
take_outcome (TallRequest *self, gconstpointer asked, TallOutcome *outcome, TallIdlOutcome *answer)
{
  g_autofree char *operation =
      outcome->error != NULL ? tall_idl_call_describe_item (self->call, asked) : NULL;
  tall_idl_outcome_take (answer, self->arena, operation, outcome);
}

/* Returns: how many of the outcomes have room */
static guint
take_fetched (TallRequest *self,
              TallCallBudget *budget,
              const TallOrderId *ids,
              TallOutcome *outcomes,
              guint n,
              TallIdlOutcome *answers)
{
  for (guint i = 0; i < n; i++)
    {
      const TallOrder *order = outcomes[i].order;
      take_outcome (self, &ids[i], &outcomes[i], &answers[i]);
      if (!tall_call_budget_take (budget, self->call->item, &answers[i], order))
        return i;
    }
  return n;
}

/* Fetches the next @n; FALSE if none of them could be asked. */
static gboolean
fetch_chunk (
    TallRequest *self, TallCallBudget *budget, TallIdlOutcomes *success, guint n, GError **error)
{
  TallOutcome outcomes[ORDERS_AT_ONCE] = { 0 };
  const TallIdlMany *many = self->args.request;
  const TallOrderId *ids = many->ids + success->n_outcomes;

  gboolean ok = tall_front_get_parts (self->front, ids, n, many->part, outcomes, error);
  if (ok)
    success->n_outcomes +=
        take_fetched (self, budget, ids, outcomes, n, success->outcomes + success->n_outcomes);
  clear_outcomes (outcomes, n);
  return ok;
}

/**
 * tall_request_get_orders:
 *
 * Fetches a chunk of the orders after the other, as many as have room in the reply, and time.
 */
gboolean
tall_request_get_orders (TallRequest *self, GError **error)
{
  TallIdlMany *many = self->args.request;
  TallIdlOutcomes *success = tall_arena_new0 (self->arena, TallIdlOutcomes);
  g_auto (TallCallBudget) budget = { 0 };

  self->result.success = success;
  fill_ids (many);
  tall_call_budget_init (&budget);
  success->outcomes = tall_arena_newa0 (self->arena, TallIdlOutcome, many->n_ids);
  while (success->n_outcomes < many->n_ids)
    {
      guint done = success->n_outcomes;
      /* The caller will ask for the others, and meet the error then. */
      GError **first = done > 0 ? NULL : error;
      guint n = tall_call_memory_work_on_orders (self->memory,
                                                 MIN (ORDERS_AT_ONCE, many->n_ids - done), first);
      if (n == 0 || !fetch_chunk (self, &budget, success, n, first))
        return done > 0;
      tall_call_memory_settle (self->memory, budget.memory);
      if (success->n_outcomes < done + n || tall_call_budget_is_late (&budget))
        break;
    }
  return TRUE;
}

/* Puts that can be tried, by position. */
typedef struct
{
  TallOrder **orders;
  TallWriteOptions *options;
  guint *positions; /* in the request */
  guint n;
  TallOutcome *outcomes; /* n of them, of the tried ones */
} Tried;

static void
tried_clear (Tried *self)
{
  if (self->outcomes != NULL)
    clear_outcomes (self->outcomes, self->n);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Tried, tried_clear)

static gboolean
check_put (const TallIdlPut *put, TallWriteOptions *options, GError **error)
{
  if (put->order != NULL)
    return tall_idl_options_parse (put->options, options, error);
  return tall_error_fail_invalid (error, "order", "Storing an order: there is none");
}

/* Sorts out what is wrong already. */
static void
choose_puts (TallRequest *self, TallIdlOutcomes *success, Tried *tried)
{
  const TallIdlMany *many = self->args.request;

  tried->orders = tall_arena_newa0 (self->arena, TallOrder *, many->n_puts);
  tried->options = tall_arena_newa0 (self->arena, TallWriteOptions, many->n_puts);
  tried->positions = tall_arena_newa0 (self->arena, guint, many->n_puts);
  tried->outcomes = tall_arena_newa0 (self->arena, TallOutcome, many->n_puts);
  for (guint i = 0; i < many->n_puts; i++)
    {
      TallOutcome wrong = { 0 };
      if (!check_put (&many->puts[i], &tried->options[tried->n], &wrong.error))
        {
          tall_idl_outcome_take (&success->outcomes[i], self->arena, "Storing an order", &wrong);
          continue;
        }
      tried->orders[tried->n] = many->puts[i].order;
      tried->positions[tried->n++] = i;
    }
}

/* What putting the first @n of the orders takes at most. */
static gsize
measure_puts (TallRequest *self, TallOrder *const *orders, guint n)
{
  gsize indexes;
  (void)tall_front_measure_order (self->front, &indexes);
  gsize size = MIN (n, TALL_WORKERS) * (PUT_BASE + indexes);
  for (guint i = 0; i < n; i++)
    size += PUT_FACTOR * tall_arena_get_size (tall_order_get_arena (orders[i]))
            + tall_order_count_repeated (orders[i]);
  return size;
}

/* How many of the orders there is memory for; one at least. */
static guint
choose_chunk (TallRequest *self, TallOrder *const *orders, guint n)
{
  while (n > 1 && !tall_call_memory_work_at_once (self->memory, measure_puts (self, orders, n)))
    n /= 2;
  return n;
}

/* The time of all runs from the beginning of the call. */
static void
shorten_timeouts (TallWriteOptions *options, guint n, gint64 begun)
{
  gint64 spent = (g_get_monotonic_time () - begun) / G_TIME_SPAN_MILLISECOND;
  for (guint i = 0; i < n; i++)
    {
      gint64 timeout = options[i].timeout != 0 ? options[i].timeout : TALL_USUAL_TIMEOUT;
      options[i].timeout = (guint)MAX (timeout - spent, 1);
    }
}

/* What fails after the first chunk speaks of the orders that follow. */
static void
fail_rest (Tried *tried, guint done, const GError *cause)
{
  for (guint i = done; i < tried->n; i++)
    tried->outcomes[i].error = g_error_copy (cause);
}

static gboolean
put_all (TallRequest *self, Tried *tried, GError **error)
{
  gint64 begun = g_get_monotonic_time ();
  guint n;

  if (!tall_call_memory_work (self->memory, tall_call_memory_get_order (self->memory), error))
    return FALSE;
  for (guint done = 0; done < tried->n; done += n)
    {
      g_autoptr (GError) cause = NULL;
      n = choose_chunk (self, tried->orders + done, tried->n - done);
      if (done > 0)
        shorten_timeouts (tried->options + done, n, begun);
      if (tall_front_put_orders (self->front, tried->orders + done, tried->options + done, n,
                                 tried->outcomes + done, &cause))
        continue;
      if (done == 0)
        {
          g_propagate_error (error, g_steal_pointer (&cause));
          return FALSE;
        }
      fail_rest (tried, done, cause);
      return TRUE;
    }
  return TRUE;
}

/**
 * tall_request_put_orders:
 *
 * Stores the orders that are not wrong already by their options, in chunks for which there is
 * memory; all have an outcome.
 */
gboolean
tall_request_put_orders (TallRequest *self, GError **error)
{
  const TallIdlMany *many = self->args.request;
  TallIdlOutcomes *success = tall_arena_new0 (self->arena, TallIdlOutcomes);
  g_auto (Tried) tried = { 0 };

  self->result.success = success;
  success->n_outcomes = many->n_puts;
  success->outcomes = tall_arena_newa0 (self->arena, TallIdlOutcome, many->n_puts);
  choose_puts (self, success, &tried);
  if (tried.n > 0 && !put_all (self, &tried, error))
    return FALSE;

  for (guint i = 0; i < tried.n; i++)
    take_outcome (self, &many->puts[tried.positions[i]], &tried.outcomes[i],
                  &success->outcomes[tried.positions[i]]);
  return TRUE;
}

/* Orders of a customer that are fetched at once; a page of the usual size is. */
#define PAGE_AT_ONCE 32

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

/* The front knows the ends of a range by shorter names than the interface, where those are words of
 * some languages: `from` for what @from says. */
static gboolean
name_range (GError *reason, const char *from, const char *to, GError **error)
{
  g_autoptr (GError) owned = reason;
  const char *field = reason->domain == TALL_ERROR ? tall_error_get_field (reason) : NULL;

  if (g_strcmp0 (field, "from") == 0)
    tall_error_set_invalid (error, from, "%s", reason->message);
  else if (g_strcmp0 (field, "to") == 0)
    tall_error_set_invalid (error, to, "%s", reason->message);
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
        return name_range (reason, "from_date", "to_date", error);
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

/* A page of orders that the front has given. */
typedef struct
{
  gpointer owned; /* freed by @free */
  GDestroyNotify free;
  void (*add) (TallRequest *self, gpointer owned); /* what else it says, to the result */
  TallOutcome *orders;                             /* n_orders of them */
  guint n_orders;
  const char *next_page;
} Page;

static void
page_clear (Page *self)
{
  if (self->owned != NULL)
    self->free (self->owned);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Page, page_clear)

/* Asks the front for a page of at most @limit orders. Returns: FALSE with @error */
typedef gboolean (*PageFunc) (
    TallRequest *self, guint limit, const char *token, Page *page, GError **error);

/* How many of the outcomes of a page have room. */
static guint
count_orders (TallRequest *self, TallCallBudget *budget, const Page *page)
{
  for (guint i = 0; i < page->n_orders; i++)
    {
      TallOutcome *outcome = &page->orders[i];
      TallIdlSuccess result = { .order = outcome->order,
                                .revision = outcome->revision,
                                .entry = outcome->entry };
      TallIdlOutcome item = { .result = outcome->order != NULL ? &result : NULL };
      if (!tall_call_budget_take (budget, self->call->item, &item, outcome->order))
        return i;
    }
  return page->n_orders;
}

/* Moves a page to the result. */
static void
take_page (TallRequest *self, const Page *page)
{
  TallIdlPage *success = self->result.success;
  g_autofree char *operation = tall_idl_call_describe (self->call, &self->args);
  for (guint i = 0; i < page->n_orders; i++)
    tall_idl_outcome_take (&success->orders[success->n_orders++], self->arena, operation,
                           &page->orders[i]);
  page->add (self, page->owned);
  success->next_page = tall_arena_strdup (self->arena, page->next_page);
}

/* Adds the next orders, fewer than @limit if so many have no room.
 * Returns: FALSE with @error; or without, if there is no room for any */
static gboolean
add_fitting (TallRequest *self,
             PageFunc fetch,
             guint limit,
             const char *token,
             TallCallBudget *budget,
             GError **error)
{
  while (limit > 0)
    {
      g_auto (Page) page = { 0 };
      if (!fetch (self, limit, token, &page, error))
        return FALSE;
      TallCallBudget rest = *budget;
      limit = count_orders (self, &rest, &page);
      if (limit < page.n_orders)
        continue;
      *budget = rest;
      take_page (self, &page);
      return TRUE;
    }
  return FALSE;
}

/* Fetches some orders after the others, as many as room in the reply and time allow. A request for
 * the next page meets a failure after the first ones again. */
static gboolean
fetch_pages (TallRequest *self, PageFunc fetch, GError **error)
{
  TallIdlPage *success = tall_arena_new0 (self->arena, TallIdlPage);
  TallListOptions options;
  g_auto (TallCallBudget) budget = { 0 };
  gboolean begun = FALSE;

  if (!tall_idl_listing_parse (self->args.request, &options, error))
    return FALSE;
  self->result.success = success;
  success->orders = tall_arena_newa0 (self->arena, TallIdlOutcome, options.limit);
  tall_call_budget_init (&budget);
  do
    {
      GError **first = begun ? NULL : error;
      guint n = tall_call_memory_work_on_orders (
          self->memory, MIN (PAGE_AT_ONCE, options.limit - success->n_orders), first);
      const char *token = begun ? success->next_page : options.page;
      if (n == 0 || !add_fitting (self, fetch, n, token, &budget, first))
        return begun;
      tall_call_memory_settle (self->memory, budget.memory);
      begun = TRUE;
    }
  while (success->next_page != NULL && success->n_orders < options.limit
         && !tall_call_budget_is_late (&budget));
  return TRUE;
}

/* Those of a page, too, unless they are there. */
static void
add_others (TallRequest *self, TallIdlPage *success, GStrv others)
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
add_customer (TallRequest *self, gpointer owned)
{
  TallCustomerOrders *page = owned;
  TallIdlPage *success = self->result.success;
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
}

static gboolean
fetch_customer_orders (
    TallRequest *self, guint limit, const char *token, Page *page, GError **error)
{
  const TallListOptions options = { .limit = limit, .page = token };
  TallCustomerOrders *got =
      tall_front_get_customer_orders (self->front, get_customer (self->args.request), &options,
                                      error);
  if (got == NULL)
    return FALSE;
  *page = (Page){ got,           (GDestroyNotify)tall_customer_orders_free,
                  add_customer,  got->orders,
                  got->n_orders, got->next_page };
  return TRUE;
}

gboolean
tall_request_get_customer_orders (TallRequest *self, GError **error)
{
  return fetch_pages (self, fetch_customer_orders, error);
}

static void
add_index (TallRequest *self, gpointer owned)
{
  TallIdlPage *success = self->result.success;
  success->index = tall_arena_strdup (self->arena, ((TallFound *)owned)->index);
}

/* While it looks for more, a find has as many orders in memory as it may find, beside those that it
 * has found. */
static gboolean
fetch_found (TallRequest *self, guint limit, const char *token, Page *page, GError **error)
{
  const TallIdlListing *find = self->args.request;
  GError *reason = NULL;
  TallFindOptions options = { .index = find->index,
                              .values = (const char *const *)find->values,
                              .n_values = (guint)find->n_values,
                              .from = find->from_value,
                              .to = find->to_value,
                              .limit = (limit + 1) / 2,
                              .page = token };
  if (find->part != NULL)
    options.part = *find->part;
  TallFound *got = tall_front_find_orders (self->front, &options, &reason);
  if (got == NULL)
    return name_range (reason, "from_value", "to_value", error);
  *page =
      (Page){ got,           (GDestroyNotify)tall_found_free, add_index, got->orders, got->n_orders,
              got->next_page };
  return TRUE;
}

gboolean
tall_request_find_orders (TallRequest *self, GError **error)
{
  return fetch_pages (self, fetch_found, error);
}

/* The argument of a put has an arena of its own; all of the call lies in that. Returns: its field;
 * NULL: the call has no such argument. */
static const TallStructField *
find_owner (const TallStructType *args)
{
  gboolean is_owner =
      args->n_fields > 0 && args->fields[0].type != NULL && args->fields[0].type->create != NULL;
  return is_owner ? &args->fields[0] : NULL;
}

void
tall_request_init (TallRequest *self,
                   TallFront *front,
                   TallCallMemory *memory,
                   const TallIdlCall *call)
{
  const TallStructField *owner = find_owner (call->args);

  *self = (TallRequest){ .front = front, .memory = memory, .call = call };
  if (owner != NULL)
    G_STRUCT_MEMBER (gpointer, &self->args, owner->offset) = owner->type->create (&self->arena);
  else
    self->arena = tall_arena_new (0);
}

void
tall_request_clear (TallRequest *self)
{
  const TallStructField *owner = find_owner (self->call->args);

  if (owner != NULL)
    owner->type->clear (G_STRUCT_MEMBER_P (&self->args, owner->offset));
  else
    tall_arena_free (self->arena);
}

/**
 * tall_request_fill_absent:
 *
 * A number that was not sent is refused as an empty one; a struct that was not sent has no fields.
 */
void
tall_request_fill_absent (TallRequest *self)
{
  static char empty[] = "";
  TallIdlArgs *args = &self->args;
  const TallStructType *type = self->call->args;

  if (args->customer_number == NULL)
    args->customer_number = empty;
  if (args->order_number == NULL)
    args->order_number = empty;
  if (type->n_fields > 0 && type->fields[0].offset == G_STRUCT_OFFSET (TallIdlArgs, request)
      && args->request == NULL)
    args->request = tall_arena_alloc0 (self->arena, type->fields[0].type->size);
}

/**
 * tall_request_own:
 * @data: (nullable) (transfer full): what the call has made for its result
 *
 * Frees it when the reply was written.
 *
 * Returns: whether there is something
 */
gboolean
tall_request_own (TallRequest *self, gpointer data, GDestroyNotify destroy)
{
  if (data != NULL)
    tall_arena_own (self->arena, data, destroy);
  return data != NULL;
}

gboolean
tall_request_run (TallRequest *self, GError **error)
{
  gsize work = self->call->own_memory ? 0 : tall_call_memory_get_order (self->memory);
  return tall_call_memory_work (self->memory, work, error)
         && tall_idl_options_parse (self->args.options, &self->options, error)
         && self->call->run (self, error);
}

/* Calls on one order or one customer. */

static TallIdlSuccess *
add_success (TallRequest *self)
{
  TallIdlSuccess *success = tall_arena_new0 (self->arena, TallIdlSuccess);
  self->result.success = success;
  return success;
}

gboolean
tall_request_put_order (TallRequest *self, GError **error)
{
  TallIdlSuccess *success = add_success (self);
  return tall_front_put_order (self->front, self->args.order, &self->options, &success->revision,
                               error);
}

gboolean
tall_request_get_order (TallRequest *self, GError **error)
{
  TallIdlSuccess *success = add_success (self);

  success->order = tall_front_get_order (self->front, self->args.customer_number,
                                         self->args.order_number, &success->revision, error);
  return tall_request_own (self, success->order, (GDestroyNotify)tall_order_free);
}

gboolean
tall_request_delete_order (TallRequest *self, GError **error)
{
  return tall_front_delete_order (self->front, self->args.customer_number, self->args.order_number,
                                  &self->options, error);
}

gboolean
tall_request_patch_order (TallRequest *self, GError **error)
{
  TallIdlPatch *patch = self->args.request;
  TallIdlSuccess *success = add_success (self);
  TallWriteOptions options;

  if (!tall_idl_options_parse (patch->options, &options, error))
    return FALSE;
  options.base = patch->has_base_revision ? patch->base_revision : 0;
  return tall_front_patch_order (self->front,
                                 patch->customer_number != NULL ? patch->customer_number : "",
                                 patch->order_number != NULL ? patch->order_number : "",
                                 (const char *const *)patch->changes, (guint)patch->n_changes,
                                 &options, &success->revision, error);
}

gboolean
tall_request_put_customer (TallRequest *self, GError **error)
{
  TallIdlSuccess *success = add_success (self);
  return tall_front_put_customer (self->front, self->args.customer, &self->options,
                                  &success->revision, error);
}

gboolean
tall_request_get_customer (TallRequest *self, GError **error)
{
  TallIdlSuccess *success = add_success (self);

  success->customer =
      tall_front_get_customer (self->front, self->args.customer_number, &success->revision, error);
  return tall_request_own (self, success->customer, (GDestroyNotify)tall_customer_free);
}

gboolean
tall_request_delete_customer (TallRequest *self, GError **error)
{
  return tall_front_delete_customer (self->front, self->args.customer_number, &self->options,
                                     error);
}
