/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* The table of calls: what each entry says must fit the front and itself. check_idl.py compares it
 * with the IDL. */

#include "service/calls/calls.h"
#include "service/server/listen.h"
#include "tall-error.h"
#include "service/calls/idl-tasks.h"
#include "service/server/request.h"
#include "tall-test-front.h"

#define FIRST_SLOT G_STRUCT_OFFSET (TallFrontClass, put_order)
#define END_OF_SLOTS G_STRUCT_OFFSET (TallFrontClass, padding)

/* A front has no slot that cannot be called from elsewhere, but for the optional ones, of which the
 * front of the tests has only measure_order. */
static void
test_slots (void)
{
  g_autoptr (GTypeClass) klass = g_type_class_ref (TALL_TYPE_TEST_FRONT);
  guint n_slots = 0;

  for (gsize slot = FIRST_SLOT; slot < END_OF_SLOTS; slot += sizeof (gpointer))
    {
      if (G_STRUCT_MEMBER (gpointer, klass, slot) == NULL
          || slot == G_STRUCT_OFFSET (TallFrontClass, measure_order))
        continue;
      g_assert_cmpuint (tall_calls_get (slot)->slot, ==, slot);
      n_slots++;
    }
  g_auto (GStrv) names = tall_calls_list_names ();
  guint n_without = 0;
  for (guint i = 0; names[i] != NULL; i++)
    n_without += tall_calls_find (names[i])->slot == 0;
  g_assert_cmpuint (n_slots + n_without, ==, g_strv_length (names));
  g_assert_cmpuint (n_without, ==, 4); /* those of migrations and backups */
}

static void
test_names (void)
{
  g_auto (GStrv) names = tall_calls_list_names ();
  g_assert_cmpuint (g_strv_length (names), >, 0);
  for (guint i = 0; names[i] != NULL; i++)
    {
      const TallIdlCall *call = tall_calls_find (names[i]);
      g_assert_cmpstr (call->name, ==, names[i]);
      g_assert_true (call->slot == 0 || tall_calls_get (call->slot) == call);
    }
  g_assert_null (tall_calls_find ("getOrder2"));
  g_assert_null (tall_calls_find (""));
}

static void
check_fields (const TallStructType *type, gint16 first_id)
{
  for (guint i = 0; i < type->n_fields; i++)
    g_assert_cmpint (type->fields[i].id, ==, first_id + (gint)i);
}

/* Arguments count from 1. A result has what succeeded as field 0, if anything, and the failure as
 * field 1. */
static void
test_structs (void)
{
  g_auto (GStrv) names = tall_calls_list_names ();
  for (guint i = 0; names[i] != NULL; i++)
    {
      const TallIdlCall *call = tall_calls_find (names[i]);
      const TallStructType *result = call->result;
      g_assert_cmpuint (call->args->size, ==, sizeof (TallIdlArgs));
      check_fields (call->args, 1);
      g_assert_cmpuint (result->size, ==, sizeof (TallIdlResult));
      check_fields (result, result->n_fields == 2 ? 0 : 1);
      g_assert_true (result->fields[result->n_fields - 1].type == &tall_idl_failure_type);
      g_assert_cmpint (call->asked != NULL, ==, call->item_operation != NULL);
      g_assert_true (call->asked == NULL || call->item != NULL);
      g_assert_true (tall_idl_call_get_limits (call)
                     == (call->item != NULL ? &tall_idl_many_limits : &tall_idl_limits));
    }
}

/* Every name in braces is a field, and is shown as empty where nothing was sent. */
static void
test_operations_of_nothing (void)
{
  static const TallIdlArgs nothing = { 0 };
  g_auto (GStrv) names = tall_calls_list_names ();

  for (guint i = 0; names[i] != NULL; i++)
    {
      const TallIdlCall *call = tall_calls_find (names[i]);
      g_autofree char *operation = tall_idl_call_describe (call, &nothing);
      g_assert_null (strpbrk (operation, "{}("));
      g_assert_cmpuint (strlen (operation), >, 0);
      if (call->asked == NULL)
        continue;
      g_autofree gpointer none = g_malloc0 (call->asked->size);
      g_autofree char *item = tall_idl_call_describe_item (call, none);
      g_assert_cmpstr (item + strlen (item) - strlen ("order  of "), ==, "order  of ");
    }
}

static void
expect_operation (const TallIdlCall *call, const TallIdlArgs *args, const char *expected)
{
  g_autofree char *operation = tall_idl_call_describe (call, args);
  g_assert_cmpstr (operation, ==, expected);
}

/* What numbers hold is not looked at again. */
static void
test_operations (void)
{
  char customer_number[] = "{order_number}%s", order_number[] = "}10248{";
  g_autoptr (TallOrder) order = tall_order_new (customer_number, order_number);
  g_autoptr (TallCustomer) customer = tall_customer_new (customer_number);
  TallOrderId ids[2] = { { customer_number, order_number } };
  TallIdlPut puts[3] = { { .order = order } };
  TallIdlMany many = { .ids = ids, .n_ids = 2, .puts = puts, .n_puts = 3 };
  TallIdlListing listing = { .customer_number = customer_number };
  TallIdlArgs one = { .customer_number = customer_number, .order_number = order_number };
  TallIdlArgs put_order = { .order = order }, put_customer = { .customer = customer };
  TallIdlArgs of_many = { .request = &many }, of_listing = { .request = &listing };

  expect_operation (TALL_CALL (put_order), &put_order, "Storing order }10248{ of {order_number}%s");
  expect_operation (TALL_CALL (get_order), &one, "Fetching order }10248{ of {order_number}%s");
  expect_operation (TALL_CALL (delete_order), &one, "Deleting order }10248{ of {order_number}%s");
  expect_operation (TALL_CALL (put_customer), &put_customer, "Storing customer {order_number}%s");
  expect_operation (TALL_CALL (get_customer), &one, "Fetching customer {order_number}%s");
  expect_operation (TALL_CALL (delete_customer), &one, "Deleting customer {order_number}%s");
  expect_operation (TALL_CALL (get_orders), &of_many, "Fetching 2 orders");
  expect_operation (TALL_CALL (put_orders), &of_many, "Storing 3 orders");
  expect_operation (TALL_CALL (list_orders), &of_listing, "Listing the orders of {order_number}%s");
  expect_operation (TALL_CALL (get_customer_orders), &of_listing,
                    "Fetching the orders of {order_number}%s");
  expect_operation (TALL_CALL (find_orders), &of_listing, "Finding orders");
  g_autofree char *id = tall_idl_call_describe_item (TALL_CALL (get_orders), &ids[0]);
  g_assert_cmpstr (id, ==, "Fetching order }10248{ of {order_number}%s");
  g_autofree char *put = tall_idl_call_describe_item (TALL_CALL (put_orders), &puts[0]);
  g_assert_cmpstr (put, ==, "Storing order }10248{ of {order_number}%s");
}

#define MEMORY ((gsize)100 * 1024 * 1024)
#define ORDER ((gsize)10 * 1024 * 1024)

/* Runs a call about an order A of customer A, on a server whose memory is taken. */
static gboolean
run_without_memory (const TallIdlCall *call, TallFront *front, TallMemory *memory, GError **error)
{
  char number[] = "A";
  g_autoptr (TallOrder) order = tall_order_new (number, number);
  TallOrderId id = { number, number };
  TallIdlPut put = { .order = order };
  TallIdlMany many = { .ids = &id, .n_ids = 1, .puts = &put, .n_puts = 1 };
  TallIdlListing listing = { .customer_number = number };
  TallIdlVerify verify = { 0 };
  TallIdlMigration migration = { 0 }; /* also as large as what looks at one */
  TallCallMemory part;
  g_auto (TallRequest) request;

  tall_call_memory_init (&part, memory, NULL, 0);
  tall_request_init (&request, front, &part, call);
  request.args.customer_number = request.args.order_number = number;
  request.args.request = call->asked != NULL               ? (gpointer)&many
                         : call == TALL_CALL (verify_some) ? (gpointer)&verify
                         : call->slot == 0                 ? (gpointer)&migration
                                                           : &listing;
  gboolean ok = tall_request_run (&request, error);
  tall_call_memory_end (&part);
  return ok;
}

/* Without memory only those calls are run that work on no order and no page themselves. */
static void
test_memory (void)
{
  g_autoptr (TallFront) front = tall_test_front_new ();
  g_auto (GStrv) names = tall_calls_list_names ();
  TallMemory memory;
  TallMemoryPart all = { &memory }, slot = { &memory };

  tall_memory_init (&memory, MEMORY, ORDER);
  g_assert_true (tall_memory_part_take (&all, MEMORY, 0));
  g_assert_true (tall_memory_part_take (&slot, ORDER, 0));
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;
      const TallIdlCall *call = tall_calls_find (names[i]);
      gboolean ok = run_without_memory (call, front, &memory, &error);
      g_test_message ("%s", names[i]);
      if (call == TALL_CALL (describe) || call == TALL_CALL (ping))
        g_assert_no_error (error);
      else if (call->slot == 0) /* a full server can be asked; this one keeps no tables */
        g_assert_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED);
      else
        g_assert_error (error, TALL_ERROR, TALL_ERROR_OVERLOADED);
      g_assert_cmpint (ok, ==, error == NULL);
    }
  g_assert_cmpuint (tall_test_front_count_calls (TALL_TEST_FRONT (front)), ==, 2);
  tall_memory_part_keep (&slot, 0);
  tall_memory_part_keep (&all, 0);
  tall_memory_clear (&memory);
}

/* The calls of administrators, once more. */
static const char *const admin_calls[] = {
  "verify", "eraseCustomer", "startMigration", "getMigration", "startBackup", "getBackup", NULL
};

/* Without roles, what is for administrators only is not for a client elsewhere, and all else is. */
static void
test_elsewhere (void)
{
  g_auto (GStrv) names = tall_calls_list_names ();
  TallGate gate;
  tall_gate_init (&gate, NULL, NULL);
  TallVisitor visitor = { .gate = &gate };

  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;
      gboolean refused = !tall_visitor_may_call (&visitor, tall_calls_find (names[i]), &error);
      g_assert_cmpint (refused, ==, g_strv_contains (admin_calls, names[i]));
      if (!refused)
        continue;
      g_assert_error (error, TALL_ERROR, TALL_ERROR_FORBIDDEN);
      g_assert_nonnull (strstr (error->message, "only to clients on its own machine"));
    }
  tall_gate_clear (&gate);
}

/* What was not sent is an empty number, a list without elements, a listing from its beginning, a
 * search for nothing. */
static void
test_nothing_sent (void)
{
  g_autoptr (TallFront) front = tall_test_front_new ();
  g_auto (GStrv) names = tall_calls_list_names ();
  guint n_refused = 0;

  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;
      TallCallMemory unlimited;
      g_auto (TallRequest) request;
      tall_call_memory_init (&unlimited, NULL, NULL, 0);
      tall_request_init (&request, front, &unlimited, tall_calls_find (names[i]));
      tall_request_fill_absent (&request);
      g_test_message ("%s", names[i]);
      if (tall_request_run (&request, &error)
          || g_strv_contains (admin_calls, names[i])) /* whose front keeps no tables */
        continue;
      g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
      if (g_str_equal (names[i], "findOrders"))
        g_assert_cmpstr (tall_error_get_field (error), ==, "values");
      else
        g_assert_true (g_str_has_suffix (error->message, "number: it must not be empty"));
      n_refused++;
    }
  /* All but getOrders, putOrders, listCustomers, describe, ping and those of administrators. */
  g_assert_cmpuint (n_refused, ==, g_strv_length (names) - 5 - (G_N_ELEMENTS (admin_calls) - 1));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/service/calls/slots", test_slots);
  g_test_add_func ("/service/calls/names", test_names);
  g_test_add_func ("/service/calls/structs", test_structs);
  g_test_add_func ("/service/calls/operations/of-nothing", test_operations_of_nothing);
  g_test_add_func ("/service/calls/operations", test_operations);
  g_test_add_func ("/service/calls/memory", test_memory);
  g_test_add_func ("/service/calls/nothing-sent", test_nothing_sent);
  g_test_add_func ("/service/calls/elsewhere", test_elsewhere);
  return g_test_run ();
}
