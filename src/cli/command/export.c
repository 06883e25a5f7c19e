/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-json.h"
#include "cli/options.h"
#include "cli/output.h"

/* Whole orders a call: enough to hide a call's cost, few enough for any server's answer. */
#define ORDERS_A_CALL 100

/* An export in progress. It holds one page of customers and one of orders at a time. */
typedef struct
{
  TallFront *front;
  guint64 n_customers; /* written */
  guint64 n_orders;    /* written */
  guint64 n_failed;    /* customers and orders that cannot be read */

  /* Numbers with colliding keys whose orders have been exported, or wait for it in @waiting. The
   * list of customers may have them, too, or not. */
  GHashTable *met;
  GQueue waiting; /* of numbers that @met owns */
} Export;

static void
write_customer (Export *self, const TallCustomer *customer)
{
  g_autofree char *text = tall_customer_to_json (customer, FALSE);
  tall_print_json ("{\"customer\":%s}\n", text);
  self->n_customers++;
}

static void
report (Export *self, const char *message)
{
  self->n_failed++;
  tall_print_error ("Not exported: %s", message);
}

static void
report_failure (Export *self, const GError *error)
{
  g_autofree char *text = tall_error_describe (error);
  report (self, text);
}

/* One order that cannot be read does not keep the others from being exported. */
static void
write_order (Export *self, const TallOutcome *outcome)
{
  if (g_error_matches (outcome->error, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    return; /* deleted since its page was begun */
  if (outcome->error != NULL)
    {
      report_failure (self, outcome->error);
      return;
    }
  g_autofree char *text = tall_order_to_json (outcome->order, FALSE);
  tall_print_json ("{\"order\":%s}\n", text);
  self->n_orders++;
}

/* Others whose orders lie among a customer's come after it. */
static void
meet (Export *self, const char *number, GStrv others)
{
  /* Adding it again would free the key that is there, which may be @number. */
  if (others != NULL && !g_hash_table_contains (self->met, number))
    g_hash_table_add (self->met, g_strdup (number));
  for (guint i = 0; others != NULL && others[i] != NULL; i++)
    if (!g_hash_table_contains (self->met, others[i]))
      {
        char *other = g_strdup (others[i]);
        g_hash_table_add (self->met, other);
        g_queue_push_tail (&self->waiting, other);
      }
}

/* A page of a customer's orders, on the first also the customer. Moves @token (inout) on. */
static gboolean
write_page (Export *self, const char *number, char **token, GError **error)
{
  TallListOptions options = { .limit = ORDERS_A_CALL, .page = *token };
  g_autoptr (TallCustomerOrders) page =
      tall_front_get_customer_orders (self->front, number, &options, error);
  if (page == NULL)
    return FALSE;
  if (*token == NULL && page->customer != NULL)
    write_customer (self, page->customer);
  if (*token == NULL && page->customer_error != NULL)
    report_failure (self, page->customer_error);
  for (guint i = 0; i < page->n_orders; i++)
    write_order (self, &page->orders[i]);
  meet (self, number, page->others);
  g_free (*token);
  *token = g_steal_pointer (&page->next_page);
  return TRUE;
}

static gboolean
export_customer (Export *self, const char *number, GError **error)
{
  g_autofree char *token = NULL;
  do
    if (!write_page (self, number, &token, error))
      return FALSE;
  while (token != NULL && tall_output_works ());
  return TRUE;
}

/* What makes no sense to go on after is an error; other trouble is reported. */
static gboolean
try_customer (Export *self, const char *number, GError **error)
{
  g_autoptr (GError) local = NULL;
  if (export_customer (self, number, &local)
      || g_error_matches (local, TALL_ERROR, TALL_ERROR_NOT_FOUND)) /* deleted meanwhile */
    return TRUE;
  if (!tall_error_is_of_one (local))
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  report_failure (self, local);
  return TRUE;
}

/* The customers of one page of the list. */
static gboolean
export_customers (Export *self, const TallCustomerList *list, GError **error)
{
  for (guint i = 0; i < list->n_entries && tall_output_works (); i++)
    {
      const char *number = list->entries[i].number;
      if (g_hash_table_contains (self->met, number))
        continue;
      if (!try_customer (self, number, error))
        return FALSE;
      while ((number = g_queue_pop_head (&self->waiting)) != NULL)
        if (!try_customer (self, number, error))
          return FALSE;
    }
  return TRUE;
}

/* A customer with a known number has an entry as well, which reported the damage. */
static void
report_customers (Export *self, const TallCustomerList *list)
{
  for (guint i = 0; i < list->n_unreadable; i++)
    if (list->unreadable[i].number == NULL)
      report (self, list->unreadable[i].message);
}

static gboolean
export_all (Export *self, GError **error)
{
  g_autofree char *token = NULL;
  do
    {
      TallListOptions options = { .limit = TALL_MAX_PAGE, .page = token };
      g_autoptr (TallCustomerList) list = tall_front_list_customers (self->front, &options, error);
      if (list == NULL || !export_customers (self, list, error))
        return FALSE;
      report_customers (self, list);
      g_free (token);
      token = g_strdup (list->next_page);
    }
  while (token != NULL && tall_output_works ());
  return TRUE;
}

static TallExit
finish (const Export *self, const GError *error)
{
  gboolean damaged = g_error_matches (error, TALL_ERROR, TALL_ERROR_DAMAGED);
  if (self->n_customers + self->n_orders + self->n_failed == 0 && error != NULL && !damaged)
    return tall_fail (error);
  g_autofree char *why = error != NULL ? tall_error_describe (error) : NULL;
  if (error != NULL)
    tall_print_error ("The export is not complete: it stopped after %" G_GUINT64_FORMAT
                      " %s and %" G_GUINT64_FORMAT " %s: %s",
                      self->n_customers, self->n_customers == 1 ? "customer" : "customers",
                      self->n_orders, self->n_orders == 1 ? "order" : "orders", why);
  else if (self->n_failed > 0)
    tall_print_error ("The export is not complete: %" G_GUINT64_FORMAT " %s cannot be read",
                      self->n_failed,
                      self->n_failed == 1 ? "customer or order" : "customers or orders");
  return error != NULL || self->n_failed > 0 ? TALL_EXIT_FAILED : TALL_EXIT_DONE;
}

static TallExit
run (int argc, char **argv)
{
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  if (!tall_options_parse (&options, &tall_command_export, NULL, argc, argv, &error))
    return tall_call_error (&tall_command_export, error);
  if (options.n_arguments > 1)
    return tall_usage_error (&tall_command_export, "export takes one argument at most: CUSTOMER");
  const char *number = options.n_arguments == 1 ? options.arguments[0] : NULL;
  if (number != NULL && !tall_validate_number (number, "customer_number", &error))
    return tall_call_error (&tall_command_export, error);

  TallExit code;
  g_autoptr (TallFront) front = tall_options_open_front (&options, &tall_command_export, &code);
  if (front == NULL)
    return code;
  g_autoptr (GHashTable) met = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Export self = { .front = front, .met = met, .waiting = G_QUEUE_INIT };
  gboolean done =
      number != NULL ? export_customer (&self, number, &error) : export_all (&self, &error);
  g_queue_clear (&self.waiting);
  return finish (&self, done ? NULL : error);
}

const TallCommand tall_command_export = {
  .name = "export",
  .arguments = "[CUSTOMER]",
  .summary = "Prints all customers and orders, or one customer's, as JSON lines.",
  .help =
      "Each line is {\"customer\": ...} or {\"order\": ...}; put takes them back. Customers come\n"
      "in the order of their row keys, each before its orders. Two deployments of the same\n"
      "key strategy that hold the same give the same lines; with numeric keys perhaps in\n"
      "another order, because there a row key depends on which customer was stored first.\n"
      "What is written meanwhile may or may not be in it; each order is whole.\n"
      "Customers and orders that cannot be read are reported on standard error, one by one; the\n"
      "others are exported, and the exit code is 3 then.\n\n"
      "Example:\n"
      "  tallorder export --store rocksdb:shop > shop.jsonl\n"
      "  tallorder export --server 127.0.0.1:7654 VINET | tallorder put --store rocksdb:new -",
  .takes_server = TRUE,
  .run = run,
};
