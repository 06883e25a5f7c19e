/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Server and client of ours write and read structs by tables of their own. Thrift's generated C
 * stubs for the same interface must understand every word of the server. */

#include "idl_order_service.h"
#include "wire/connection.h"
#include "tall-error.h"
#include "tall-test-orders.h"
#include "tall-test-service.h"
#include "tall-thrift.h"
#include "tall-must.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (IdlOrderServiceClient, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (IdlOrder, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (IdlCustomer, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (IdlWriteOptions, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (IdlPutResult, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (IdlOrderResult, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (IdlCustomerResult, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (IdlDescription, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (IdlTallError, g_object_unref)

typedef struct
{
  TallTestService service;
  TallTransport *connection;
  ThriftProtocol *protocol;
  IdlOrderServiceIf *stub; /* a generated client, which holds no reference of its protocol */
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  options.compact = GPOINTER_TO_INT (data);

  tall_test_service_start (&f->service, NULL);
  f->connection = must (tall_connection_open (f->service.address, &options, G_MAXINT64, &error));
  f->protocol = tall_thrift_protocol_new (f->connection, options.compact);
  f->stub = g_object_new (IDL_TYPE_ORDER_SERVICE_CLIENT, "input_protocol", f->protocol,
                          "output_protocol", f->protocol, NULL);
}

static void
tear_down (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_object_unref (f->stub);
  g_object_unref (f->protocol);
  g_object_unref (f->connection);
  tall_test_service_stop (&f->service);
}

static void
assert_text (const char *ours, const char *theirs, gboolean isset)
{
  g_assert_cmpint (ours != NULL, ==, isset);
  if (ours != NULL)
    g_assert_cmpstr (ours, ==, theirs != NULL ? theirs : "");
}

static void
assert_decimal (const TallDecimal *ours, const IdlDecimal *theirs, gboolean isset)
{
  g_assert_cmpint (ours != NULL, ==, isset);
  if (ours == NULL)
    return;
  g_assert_cmpint (ours->unscaled, ==, theirs->unscaled);
  g_assert_cmpint (ours->scale, ==, theirs->scale);
}

static void
assert_address (const TallAddress *ours, const IdlAddress *theirs, gboolean isset)
{
  g_assert_cmpint (ours != NULL, ==, isset);
  if (ours == NULL)
    return;
  assert_text (ours->line1, theirs->line1, theirs->__isset_line1);
  assert_text (ours->line2, theirs->line2, theirs->__isset_line2);
  assert_text (ours->city, theirs->city, theirs->__isset_city);
  assert_text (ours->state, theirs->state, theirs->__isset_state);
  assert_text (ours->zip, theirs->zip, theirs->__isset_zip);
  assert_text (ours->country, theirs->country, theirs->__isset_country);
}

static void
assert_attributes (TallAttribute *const *ours, gsize n, GHashTable *theirs)
{
  g_assert_cmpuint (n, ==, g_hash_table_size (theirs));
  for (gsize i = 0; i < n; i++)
    {
      const char *value = NULL;
      g_assert_true (g_hash_table_lookup_extended (theirs, ours[i]->key, NULL, (gpointer *)&value));
      g_assert_cmpstr (ours[i]->value, ==, value != NULL ? value : "");
    }
}

static void
assert_line (const TallLineItem *ours, const IdlLineItem *theirs)
{
  g_assert_cmpint (ours->number, ==, theirs->number);
  assert_text (ours->item_number, theirs->item_number, theirs->__isset_item_number);
  assert_text (ours->description, theirs->description, theirs->__isset_description);
  assert_decimal (ours->quantity, theirs->quantity, theirs->__isset_quantity);
  assert_decimal (ours->price, theirs->price, theirs->__isset_price);
  assert_decimal (ours->discount, theirs->discount, theirs->__isset_discount);
}

static void
assert_location (const TallShippingLocation *ours, const IdlShippingLocation *theirs)
{
  g_assert_cmpint (ours->number, ==, theirs->number);
  assert_text (ours->name, theirs->name, theirs->__isset_name);
  assert_address (ours->address, theirs->address, theirs->__isset_address);
  g_assert_cmpint (ours->has_ship_date, ==, theirs->__isset_ship_date);
  if (ours->has_ship_date)
    g_assert_cmpint (ours->ship_date, ==, theirs->ship_date);
  g_assert_cmpuint (ours->n_line_items, ==, theirs->line_items->len);
  for (guint i = 0; i < ours->n_line_items; i++)
    assert_line (ours->line_items[i], theirs->line_items->pdata[i]);
}

static void
assert_order (const TallOrder *ours, const IdlOrder *theirs)
{
  g_assert_cmpstr (ours->customer_number, ==, theirs->customer_number);
  g_assert_cmpstr (ours->order_number, ==, theirs->order_number);
  g_assert_cmpint (ours->has_sales_date, ==, theirs->__isset_sales_date);
  if (ours->has_sales_date)
    g_assert_cmpint (ours->sales_date, ==, theirs->sales_date);
  assert_text (ours->currency, theirs->currency, theirs->__isset_currency);
  assert_attributes (ours->attributes, ours->n_attributes, theirs->attributes);
  g_assert_cmpuint (ours->n_shipping_locations, ==, theirs->shipping_locations->len);
  for (guint i = 0; i < ours->n_shipping_locations; i++)
    assert_location (ours->shipping_locations[i], theirs->shipping_locations->pdata[i]);
}

/* Through our client, out by the stub; back by the stub, and out through our client. */
static void
test_orders (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (31);

  for (guint i = 0; i < 100; i++)
    {
      g_autoptr (TallOrder) order = tall_test_random_order (rand, 30);
      must (tall_front_put_order (f->service.client, order, NULL, NULL, &error));

      g_autoptr (IdlOrderResult) got = g_object_new (IDL_TYPE_ORDER_RESULT, NULL);
      IdlTallError *failure = NULL;
      must (idl_order_service_client_get_order (f->stub, &got, order->customer_number,
                                                order->order_number, &failure, &error));
      assert_order (order, got->order);

      g_autoptr (IdlPutResult) put = g_object_new (IDL_TYPE_PUT_RESULT, NULL);
      g_autoptr (IdlWriteOptions) options = g_object_new (IDL_TYPE_WRITE_OPTIONS, NULL);
      must (idl_order_service_client_put_order (f->stub, &put, got->order, options, &failure,
                                                &error));
      g_assert_cmpint (put->revision, >, got->revision);
      g_autoptr (TallOrder) again =
          must (tall_front_get_order (f->service.client, order->customer_number,
                                      order->order_number, NULL, &error));
      tall_test_assert_order_equal (order, again);
    }
}

static void
test_customers (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (32);

  for (guint i = 0; i < 100; i++)
    {
      g_autoptr (TallCustomer) customer = tall_test_random_customer (rand);
      must (tall_front_put_customer (f->service.client, customer, NULL, NULL, &error));

      g_autoptr (IdlCustomerResult) got = g_object_new (IDL_TYPE_CUSTOMER_RESULT, NULL);
      IdlTallError *failure = NULL;
      must (idl_order_service_client_get_customer (f->stub, &got, customer->number, &failure,
                                                   &error));
      const IdlCustomer *theirs = got->customer;
      g_assert_cmpstr (customer->number, ==, theirs->number);
      assert_text (customer->name, theirs->name, theirs->__isset_name);
      assert_address (customer->address, theirs->address, theirs->__isset_address);
      assert_text (customer->email, theirs->email, theirs->__isset_email);
      assert_attributes (customer->attributes, customer->n_attributes, theirs->attributes);
      g_assert_cmpuint (customer->n_phones, ==, theirs->phones->len);
      for (guint k = 0; k < customer->n_phones; k++)
        assert_text (customer->phones[k], theirs->phones->pdata[k], TRUE);
    }
}

static void
test_failures (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (IdlOrderResult) got = g_object_new (IDL_TYPE_ORDER_RESULT, NULL);
  g_autoptr (IdlTallError) failure = NULL;
  g_assert_false (
      idl_order_service_client_get_order (f->stub, &got, "VINET", "none", &failure, &error));
  g_assert_nonnull (failure);
  g_assert_cmpint (failure->code, ==, IDL_ERROR_CODE_NOT_FOUND);
  g_assert_false (failure->__isset_field);
  g_assert_false (failure->__isset_revision);
  g_clear_object (&failure);
  g_clear_error (&error);

  g_autoptr (IdlPutResult) put = g_object_new (IDL_TYPE_PUT_RESULT, NULL);
  g_autoptr (IdlOrder) order = g_object_new (IDL_TYPE_ORDER, "customer_number", "VINET", NULL);
  g_autoptr (IdlWriteOptions) options =
      g_object_new (IDL_TYPE_WRITE_OPTIONS, "condition", IDL_WRITE_CONDITION_REVISION, "revision",
                    (gint64)5, NULL);
  g_assert_false (
      idl_order_service_client_put_order (f->stub, &put, order, options, &failure, &error));
  g_assert_cmpint (failure->code, ==, IDL_ERROR_CODE_INVALID);
  g_assert_cmpstr (failure->field, ==, "order_number");
  g_clear_object (&failure);
  g_clear_error (&error);

  g_object_set (order, "order_number", "10248", NULL);
  g_assert_false (
      idl_order_service_client_put_order (f->stub, &put, order, options, &failure, &error));
  g_assert_cmpint (failure->code, ==, IDL_ERROR_CODE_CONFLICT);
  g_assert_true (failure->__isset_revision);
  g_assert_cmpint (failure->revision, ==, 0);
}

static void
test_description (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (IdlDescription) got = g_object_new (IDL_TYPE_DESCRIPTION, NULL);
  IdlTallError *failure = NULL;
  must (idl_order_service_client_describe (f->stub, &got, &failure, &error));

  g_assert_cmpstr (got->name, ==, "tests");
  g_assert_cmpstr (got->layout, ==, "blob");
  g_assert_cmpstr (got->key_strategy, ==, "hashed");
  g_assert_cmpstr (got->store, ==, "memory");
  g_assert_cmpint (got->format, ==, 3);
  g_assert_cmpint (got->schema, ==, 7);
  g_assert_true (got->read_only);
  g_assert_cmpstr (got->version, ==, TALL_VERSION);
  g_assert_cmpint (got->newest_format, ==, 5);
  g_assert_cmpint (got->generation, ==, 9);
  g_assert_cmpstr (got->phase, ==, "copying");
  g_assert_true (g_ptr_array_find_with_equal_func (got->calls, "getOrder", g_str_equal, NULL));
  g_assert_cmpuint (got->protocols->len, ==, 2);
  must (idl_order_service_client_ping (f->stub, &failure, &error));
}

/* The codes of the interface and of TALL_ERROR are one list. */
static void
test_codes (void)
{
  static const int codes[][2] = {
#define SAME(name) { TALL_ERROR_##name, IDL_ERROR_CODE_##name }
    SAME (NOT_FOUND),     SAME (CONFLICT),        SAME (INVALID),    SAME (TOO_LARGE),
    SAME (KEY_COLLISION), SAME (UNSUPPORTED),     SAME (OVERLOADED), SAME (UNAVAILABLE),
    SAME (TIMED_OUT),     SAME (OUTCOME_UNKNOWN), SAME (DAMAGED),    SAME (NEWER_VERSION),
    SAME (INTERNAL),
#undef SAME
  };

  g_assert_cmpuint (G_N_ELEMENTS (codes), ==, TALL_ERROR_INTERNAL);
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    g_assert_cmpint (codes[i][0], ==, codes[i][1]);
  g_assert_cmpint (TALL_IF_ANY, ==, IDL_WRITE_CONDITION_ANY);
  g_assert_cmpint (TALL_IF_ABSENT, ==, IDL_WRITE_CONDITION_ABSENT);
  g_assert_cmpint (TALL_IF_REVISION, ==, IDL_WRITE_CONDITION_REVISION);
}

#define ADD(name, function)                                                                        \
  g_test_add ("/service/generated/binary/" name, Fixture, GINT_TO_POINTER (FALSE), set_up,         \
              function, tear_down);                                                                \
  g_test_add ("/service/generated/compact/" name, Fixture, GINT_TO_POINTER (TRUE), set_up,         \
              function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/service/generated/codes", test_codes);
  ADD ("orders", test_orders);
  ADD ("customers", test_customers);
  ADD ("failures", test_failures);
  ADD ("description", test_description);
  return g_test_run ();
}
