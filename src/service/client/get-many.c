/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/client/client.h"

#include "tall-error.h"

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

static gboolean
is_order (const TallOrderId *id, TallOrder *order)
{
  return order != NULL && g_str_equal (order->customer_number, id->customer_number)
         && g_str_equal (order->order_number, id->order_number)
         && tall_order_normalize (order, NULL);
}

static void
take_outcome (const TallClientCall *call,
              const TallOrderId *id,
              TallIdlOutcome *got,
              TallOutcome *outcome)
{
  if (got->failure != NULL)
    tall_client_call_take_failure (call, NULL, got->failure, &outcome->error);
  else if (got->result == NULL || !is_order (id, got->result->order))
    (void)tall_client_set_wrong_answer (call, &outcome->error);
  else
    {
      outcome->revision = got->result->revision;
      outcome->order = g_steal_pointer (&got->result->order);
    }
}

/* Returns: how many of them, the first ones, have their outcome now; 0 with @error */
static guint
get_some (
    TallFront *front, const TallOrderId *ids, TallOutcome *const *outcomes, guint n, GError **error)
{
  TallIdlMany many = { .ids = (TallOrderId *)ids, .n_ids = MIN (n, TALL_IDL_MANY_ITEMS) };
  TallIdlArgs args = { .request = &many };
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallIdlOutcomes got = { 0 };
  TallClientCall call = tall_client_prepare (front, TALL_CALL (get_orders), &args, arena);
  call.success = &got;

  if (!tall_client_call_run (&call, error))
    return 0;
  if (got.n_outcomes == 0 || got.n_outcomes > many.n_ids)
    return (guint)tall_client_set_wrong_answer (&call, error);
  for (guint i = 0; i < got.n_outcomes; i++)
    take_outcome (&call, &ids[i], &got.outcomes[i], outcomes[i]);
  return got.n_outcomes;
}

/**
 * tall_client_get_orders:
 *
 * Calls as often as the server's replies, which are limited, make it necessary.
 */
gboolean
tall_client_get_orders (
    TallFront *front, const TallOrderId *ids, guint n, TallOutcome *outcomes, GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (GError) reason = NULL;
  Asked asked = { 0 };
  guint done = 0;

  choose_ids (&asked, arena, ids, n, outcomes);
  while (done < asked.n && reason == NULL)
    done += get_some (front, asked.ids + done, asked.outcomes + done, asked.n - done, &reason);

  if (reason != NULL && done == 0)
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }
  for (guint i = done; i < asked.n; i++)
    asked.outcomes[i]->error = g_error_copy (reason);
  return TRUE;
}
