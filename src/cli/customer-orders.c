/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/customer-orders.h"
#include "tall-error.h"
#include "cli/json-output.h"
#include "tall-json.h"
#include "cli/list-output.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/show.h"
#include "base/text.h"

/* With --all: whole orders a call, of which each may have 1 MiB. */
#define ORDERS_A_CALL 100

typedef struct
{
  TallListOutput *output; /* NULL for people */
  guint n_failed;
} Printer;

static void
print_failure (Printer *self, const GError *error)
{
  self->n_failed++;
  tall_print_failure (error);
}

static void
print_customer (Printer *self, const char *number, const TallCustomerOrders *page)
{
  if (self->output == NULL && page->customer != NULL)
    tall_show_customer (page->customer, page->revision);
  else if (self->output == NULL)
    {
      g_autofree char *clean = tall_text_clean (number);
      tall_print_styled (TALL_STYLE_BOLD, "Customer %s\n", clean);
      tall_print (page->customer_error != NULL ? "  cannot be read\n"
                                               : "  only orders are stored\n");
    }
}

static void
print_order (Printer *self, const TallOutcome *outcome)
{
  if (g_error_matches (outcome->error, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    return; /* deleted since its page was begun */
  if (outcome->error != NULL)
    {
      print_failure (self, outcome->error);
      return;
    }
  if (self->output == NULL)
    {
      tall_print ("\n");
      tall_show_order (outcome->order, outcome->revision);
      return;
    }
  g_autofree char *text = tall_order_to_json (outcome->order, FALSE);
  g_autofree char *whole = tall_json_add_revision (text, outcome->revision);
  tall_list_output_add_json (self->output, whole);
}

static TallListOutput *
begin_json (const TallCustomerOrders *page)
{
  if (page->customer == NULL)
    return tall_list_output_new_json (NULL, "orders");
  g_autofree char *customer = tall_customer_to_json (page->customer, FALSE);
  g_autofree char *whole = tall_json_add_revision (customer, page->revision);
  g_autofree char *member = g_strdup_printf ("\"customer\":%s,", whole);
  return tall_list_output_new_json (member, "orders");
}

TallExit
tall_print_customer_orders (const TallCommand *command,
                            TallFront *front,
                            const char *number,
                            const TallPaging *paging,
                            TallListOptions *options,
                            gboolean json)
{
  Printer self = { NULL, 0 };
  g_autofree char *token = NULL;
  g_autoptr (TallListOutput) output = NULL;
  g_autoptr (TallCustomerOrders) page = NULL;
  gboolean first = TRUE;
  if (paging->all)
    options->limit = MIN (options->limit, ORDERS_A_CALL);
  do
    {
      g_autoptr (GError) error = NULL;
      g_clear_pointer (&page, tall_customer_orders_free);
      page = tall_front_get_customer_orders (front, number, options, &error);
      if (page == NULL)
        return tall_paging_fail (command, error);
      if (first && json)
        self.output = output = begin_json (page);
      if (first)
        print_customer (&self, number, page);
      if (page->customer_error != NULL)
        print_failure (&self, page->customer_error);
      first = FALSE;
      for (guint i = 0; i < page->n_orders; i++)
        print_order (&self, &page->orders[i]);
    }
  while (tall_paging_turn (paging, options, &token, page->next_page));

  if (json)
    tall_list_output_end (output, page->next_page, "");
  else
    tall_paging_print_next (paging, page->next_page);
  return self.n_failed > 0 ? TALL_EXIT_FAILED : TALL_EXIT_DONE;
}
