/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-front.h"
#include "tall-limits.h"

void
tall_erase_part_free (TallErasePart *self)
{
  if (self == NULL)
    return;
  tall_arena_free (self->arena);
  g_free (self);
}

static const char *const stage_names[] = {
  [TALL_ERASE_DELETING] = "deleting", [TALL_ERASE_WAITING] = "waiting",
  [TALL_ERASE_REMOVING] = "removing", [TALL_ERASE_COMPACTING] = "compacting",
  [TALL_ERASE_DONE] = "done",
};

/**
 * tall_erase_stage_get_name:
 *
 * Returns: (transfer none): as the service calls it
 */
const char *
tall_erase_stage_get_name (TallEraseStage stage)
{
  g_return_val_if_fail ((guint)stage < G_N_ELEMENTS (stage_names), "");
  return stage_names[stage];
}

/**
 * tall_erase_stage_parse:
 * @name: (nullable):
 *
 * Returns: FALSE if it is the name of none
 */
gboolean
tall_erase_stage_parse (const char *name, TallEraseStage *stage)
{
  for (guint i = 0; name != NULL && i < G_N_ELEMENTS (stage_names); i++)
    if (g_str_equal (stage_names[i], name))
      {
        *stage = (TallEraseStage)i;
        return TRUE;
      }
  return FALSE;
}

/**
 * tall_front_erase_some:
 *
 * Does one part of an erase, about a second of work. tall_front_erase_customer() does all of them.
 *
 * Returns: (transfer full): what it has done; NULL with %TALL_ERROR_INVALID for a request that
 *   makes no sense, or with what the store says
 */
TallErasePart *
tall_front_erase_some (TallFront *self, const TallEraseRequest *request, GError **error)
{
  g_return_val_if_fail (TALL_IS_FRONT (self), NULL);

  if (!tall_validate_number (request->customer_number, "customer_number", error))
    return NULL;
  if (TALL_FRONT_GET_CLASS (self)->erase_some != NULL)
    return TALL_FRONT_GET_CLASS (self)->erase_some (self, request, error);
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED, "Customers cannot be erased here");
  return NULL;
}

/* What does not answer is asked again after pauses that double: for a minute in all. */
#define FIRST_PAUSE 250 /* milliseconds */
#define LAST_PAUSE 32000
#define LOOK 100 /* between two calls of on_progress */

/* Returns: FALSE if it is to end */
static gboolean
wait (const TallEraseOptions *options, const TallErasePart *sum, guint milliseconds)
{
  gint64 end = g_get_monotonic_time () + (gint64)milliseconds * 1000;
  for (;;)
    {
      if (options->on_progress != NULL
          && !options->on_progress (sum->stage, &sum->counts, options->data))
        return FALSE;
      gint64 left = end - g_get_monotonic_time ();
      if (left <= 0)
        return TRUE;
      g_usleep ((gulong)MIN (left, LOOK * 1000));
    }
}

static gboolean
passes (const GError *error)
{
  return tall_error_is_passing (error)
         || g_error_matches (error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN);
}

/* Asks until there is an answer. */
static TallErasePart *
ask (TallFront *front,
     const TallEraseRequest *request,
     const TallEraseOptions *options,
     const TallErasePart *sum,
     GError **error)
{
  for (guint pause = FIRST_PAUSE;; pause *= 2)
    {
      g_autoptr (GError) cause = NULL;
      TallErasePart *part = tall_front_erase_some (front, request, &cause);
      if (part != NULL)
        return part;
      if (pause <= LAST_PAUSE && passes (cause) && wait (options, sum, pause))
        continue;
      g_propagate_error (error, g_steal_pointer (&cause));
      return NULL;
    }
}

static void
add_counts (TallEraseCounts *sum, const TallEraseCounts *counts)
{
  sum->n_orders += counts->n_orders;
  sum->n_customers += counts->n_customers;
  sum->n_marks += counts->n_marks;
  sum->n_rows += counts->n_rows;
}

/**
 * tall_front_erase_customer:
 * @number: of the customer
 * @options: (nullable):
 *
 * Removes everything of a customer: orders, the numbers in the marks of those that were deleted
 * earlier, the customer, hints and the way from the number to its id. Where others use the store it
 * takes a minute, as calls that are under way may still write beside it. If it ends early, also
 * because the process is killed, it is to be begun again. An order that is stored meanwhile goes,
 * too, or the erase fails; one that is stored afterwards stays. A write that was given more time
 * than a minute may come afterwards.
 *
 * Returns: (transfer full): the last part, with the counts of all, and what is left where; its
 *   stage is not %TALL_ERASE_DONE if it was ended by @options. NULL with %TALL_ERROR_NOT_FOUND if
 *   nothing is there under the number, not even a mark, %TALL_ERROR_CONFLICT if a migration is
 * under way or orders are still being stored, %TALL_ERROR_DAMAGED if something cannot be read and
 * stays …
 */
TallErasePart *
tall_front_erase_customer (TallFront *self,
                           const char *number,
                           const TallEraseOptions *options,
                           GError **error)
{
  static const TallEraseOptions none = { 0 };
  g_return_val_if_fail (TALL_IS_FRONT (self), NULL);

  if (options == NULL)
    options = &none;
  g_autoptr (TallErasePart) last = g_new0 (TallErasePart, 1);
  last->arena = tall_arena_new (0);
  do
    {
      if (!wait (options, last, last->wait))
        break;
      TallEraseRequest request = { number, options->compact, options->alone, last->cursor };
      TallErasePart *part = ask (self, &request, options, last, error);
      if (part == NULL)
        return NULL;
      add_counts (&part->counts, &last->counts);
      tall_erase_part_free (last);
      last = part;
    }
  while (last->cursor.len > 0);
  return g_steal_pointer (&last);
}
