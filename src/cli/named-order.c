/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include "base/fail.h"
#include "tall-order.h"

/* How many customers with an order of that number a message names. */
#define MOST_NAMED 10

/**
 * tall_options_take_order:
 * @most: arguments that may stand behind the order
 *
 * Reads which order a call is about: CUSTOMER ORDER, or `--order` in their place.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if it does not say so, or says more
 */
gboolean
tall_options_take_order (TallOptions *self, const TallCommand *command, guint most, GError **error)
{
  guint n_own = self->by_number != NULL ? 0 : 2;
  if (self->n_arguments < n_own || self->n_arguments - n_own > most)
    return tall_error_fail_invalid (error, NULL,
                                    "%s takes CUSTOMER ORDER, or --order ORDER in their place%s",
                                    command->name, most > 0 ? ", and what follows them" : "");
  self->rest = self->arguments + n_own;
  self->order.customer_number = n_own == 0 ? NULL : self->arguments[0];
  self->order.order_number = n_own == 0 ? self->by_number : self->arguments[1];
  return (n_own == 0
          || tall_validate_number (self->order.customer_number, "customer_number", error))
         && tall_validate_number (self->order.order_number, "order_number", error);
}

static gboolean
fail_several (const TallOptions *self,
              const char *command,
              GPtrArray *customers,
              gboolean more,
              GError **error)
{
  g_ptr_array_add (customers, NULL);
  g_autofree char *names = g_strjoinv (", ", (char **)customers->pdata);
  g_autofree char *word = g_shell_quote (self->by_number);
  tall_error_set_conflict (
      error, 0,
      "Order %s is there of several customers: %s%s. Say of which: tallorder %s CUSTOMER %s",
      self->by_number, names, more ? " and perhaps others" : "", command, word);
  return FALSE;
}

/* An order that cannot be read may be anybody's. */
static gboolean
take_customers (TallFound *page, GPtrArray *customers, GError **error)
{
  for (guint i = 0; i < page->n_orders; i++)
    {
      TallOutcome *outcome = &page->orders[i];
      if (outcome->error != NULL)
        {
          g_propagate_error (error, g_steal_pointer (&outcome->error));
          return FALSE;
        }
      g_ptr_array_add (customers, g_strdup (outcome->order->customer_number));
    }
  return TRUE;
}

/* @token: (out): of what was not looked at; NULL: there is nothing more */
static gboolean
find_customers (
    TallFront *front, const char *number, GPtrArray *customers, char **token, GError **error)
{
  g_autofree char *value = g_strconcat ("order_number=", number, NULL);
  const char *const values[] = { value };
  TallFindOptions find = {
    .values = values, .n_values = 1, .limit = MOST_NAMED, .part = { .kind = TALL_PART_SUMMARY }
  };
  do
    {
      g_autoptr (TallFound) page = tall_front_find_orders (front, &find, error);
      if (page == NULL || !take_customers (page, customers, error))
        return FALSE;
      g_free (*token);
      find.page = *token = g_steal_pointer (&page->next_page);
    }
  while (*token != NULL && customers->len < MOST_NAMED);
  return TRUE;
}

/**
 * tall_options_find_order:
 * @self: whose order was taken
 *
 * Looks whose order `--order` names, if nothing else has said so.
 *
 * Returns: FALSE with %TALL_ERROR_NOT_FOUND if nobody has it, with %TALL_ERROR_CONFLICT that names
 *   them if several customers have, or with the error of the store, which may have no such index
 */
gboolean
tall_options_find_order (TallOptions *self,
                         const TallCommand *command,
                         TallFront *front,
                         GError **error)
{
  g_autoptr (GPtrArray) customers = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *token = NULL;
  g_autoptr (GError) cause = NULL;
  if (self->order.customer_number != NULL)
    return TRUE;
  if (!find_customers (front, self->by_number, customers, &token, &cause))
    {
      if (g_error_matches (cause, TALL_ERROR, TALL_ERROR_UNSUPPORTED)
          || g_error_matches (cause, TALL_ERROR, TALL_ERROR_INVALID))
        g_prefix_error (&cause, "--order takes an index whose template begins with order_number, "
                                "such as number=order_number, which “tallorder migrate” adds by "
                                "--to-index, given with each one that is to stay: ");
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  if (customers->len == 0)
    return tall_error_fail (error, TALL_ERROR_NOT_FOUND, "No customer has an order %s",
                            self->by_number);
  if (customers->len > 1)
    return fail_several (self, command->name, customers, token != NULL, error);
  self->order.customer_number = self->customer = g_strdup (g_ptr_array_index (customers, 0));
  return TRUE;
}
