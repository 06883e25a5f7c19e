/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/server/request.h"

#include "tall-error.h"
#include "service/calls/idl-failure.h"
#include "service/access/call-budget.h"
#include "base/workers.h"

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

  gboolean ok = tall_front_get_orders (self->front, ids, n, outcomes, error);
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
  tall_error_set_invalid (error, "order", "Storing an order: there is none");
  return FALSE;
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
measure_puts (TallOrder *const *orders, guint n)
{
  gsize size = MIN (n, TALL_WORKERS) * (gsize)PUT_BASE;
  for (guint i = 0; i < n; i++)
    size += PUT_FACTOR * tall_arena_get_size (tall_order_get_arena (orders[i]))
            + tall_order_count_repeated (orders[i]);
  return size;
}

/* How many of the orders there is memory for; one at least. */
static guint
choose_chunk (TallRequest *self, TallOrder *const *orders, guint n)
{
  while (n > 1 && !tall_call_memory_work_at_once (self->memory, measure_puts (orders, n)))
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
