/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "cli/show.h"
#include "cli/options.h"
#include "cli/output.h"

typedef struct
{
  TallPaging paging;
  TallListOptions list; /* of @paging, checked */
  gboolean json;
  gboolean orders;
} Call;

/* Adds the orders of a page, whole, one by one, as one may be as large as a whole answer. What was
 * deleted since the page was read is left out.
 *
 * Returns: FALSE if the store cannot be reached now */
static gboolean
add_whole (TallListOutput *output,
           TallFront *front,
           const char *customer,
           const TallOrderList *page,
           GError **error)
{
  TallOrderList unreadable = *page;
  unreadable.n_entries = 0;
  for (guint i = 0; i < page->n_entries; i++)
    {
      TallOutcome got = { 0 };
      got.order = tall_front_get_order (front, customer, page->entries[i].order_number,
                                        &got.revision, &got.error);
      if (tall_error_is_passing (got.error))
        {
          g_propagate_error (error, got.error);
          return FALSE;
        }
      if (!g_error_matches (got.error, TALL_ERROR, TALL_ERROR_NOT_FOUND))
        tall_list_output_add_outcome (output, &got);
      tall_outcome_clear (&got);
    }
  tall_list_output_add_orders (output, &unreadable);
  return TRUE;
}

static TallListOutput *
begin_output (const Call *self)
{
  return self->json ? tall_list_output_new_json (NULL, "orders")
                    : tall_list_output_new_table (self->orders ? NULL : tall_order_columns);
}

static TallExit
list_orders (Call *self, TallFront *front, const char *customer)
{
  g_autofree char *token = NULL;
  g_autoptr (TallListOutput) output = NULL;
  g_autoptr (TallOrderList) list = NULL;
  do
    {
      g_autoptr (GError) error = NULL;
      g_clear_pointer (&list, tall_order_list_free);
      list = tall_front_list_orders (front, customer, &self->list, &error);
      if (g_error_matches (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED))
        {
          g_autofree char *why = tall_error_describe (error);
          return tall_fail_saying (TALL_EXIT_FAILED, "%s: tallorder customer get --orders %s", why,
                                   customer);
        }
      if (list == NULL)
        return tall_paging_fail (&tall_command_list, error);
      if (output == NULL)
        output = begin_output (self);
      if (!self->orders)
        tall_list_output_add_orders (output, list);
      else if (!add_whole (output, front, customer, list, &error))
        return tall_paging_fail (&tall_command_list, error);
    }
  while (tall_paging_turn (&self->paging, &self->list, &token, list->next_page));

  tall_list_output_end (output, list->next_page, "No orders.");
  if (!self->json)
    tall_paging_print_next (&self->paging, list->next_page);
  return tall_list_output_is_complete (output) ? TALL_EXIT_DONE : TALL_EXIT_FAILED;
}

static TallExit
run (int argc, char **argv)
{
  Call self = { .paging = TALL_PAGING_INIT };
  const GOptionEntry entries[] = {
    TALL_DATE_ENTRIES (&self.paging),
    TALL_PAGING_ENTRIES (&self.paging),
    { "orders", 0, 0, G_OPTION_ARG_NONE, &self.orders, "whole orders", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &self.json, "for programs", NULL },
    { NULL },
  };
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  self.paging.argv = argv;
  if (!tall_options_parse (&options, &tall_command_list, entries, argc, argv, &error))
    return tall_call_error (&tall_command_list, error);
  if (options.n_arguments != 1)
    return tall_usage_error (&tall_command_list, "list takes one argument: CUSTOMER");
  if (!tall_validate_number (options.arguments[0], "customer_number", &error)
      || !tall_paging_check (&self.paging, &self.list, &error))
    return tall_call_error (&tall_command_list, error);

  TallExit code;
  g_autoptr (TallFront) front = tall_options_open_front (&options, &tall_command_list, &code);
  if (front == NULL)
    return code;
  return list_orders (&self, front, options.arguments[0]);
}

const TallCommand tall_command_list = {
  .name = "list",
  .arguments = "CUSTOMER",
  .summary = "Lists a customer's orders, the newest first.",
  .help =
      "DATE is ISO 8601, such as 1996, 1996-07, 1996-07-31 or 1996-07-31T12:00:00Z; what is short\n"
      "is its first moment in UTC. Orders without a sales date come last, and not if a date is "
      "given.\n"
      "An order whose date changes meanwhile may be missed, or shown twice. An order that\n"
      "cannot be read is reported on standard error; the exit code is 3 then. With --orders\n"
      "each is printed as get prints it.\n\n"
      "Example:\n"
      "  tallorder list --store rocksdb:shop VINET\n"
      "  tallorder list --store rocksdb:shop VINET --from 1997-01-01 --to 1998-01-01\n"
      "  tallorder list --server 127.0.0.1:7654 VINET --all --json",
  .takes_server = TRUE,
  .run = run,
};
