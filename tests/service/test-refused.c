/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Values that a server does not take: it names their place, and the connection goes on. */

#include "service/calls/calls.h"
#include "tall-error.h"
#include "service/calls/idl-failure.h"
#include "tall-limits.h"
#include "wire/struct.h"
#include "tall-test-service.h"
#include "tall-test-wire.h"
#include "tall-must.h"

typedef TallTestService Fixture;

/* What a put must be answered with; the connection goes on. */
static void
assert_refused (
    Fixture *f, TallTestMessage *message, const char *name, TallError code, const char *field)
{
  g_autoptr (GSocketConnection) connection = tall_test_connect (f->address);
  g_autoptr (TallTransport) reply =
      tall_test_exchange (connection, message, f->compact, name, T_REPLY);
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallStructReader reader;
  TallIdlResult result = { 0 };
  tall_struct_reader_init (&reader, reply, arena, &tall_idl_limits);
  must (tall_struct_reader_read (&reader, tall_calls_find (name)->result, &result, &error));

  g_assert_nonnull (result.failure);
  g_autoptr (GError) failure = tall_idl_failure_to_error (result.failure);
  g_assert_error (failure, TALL_ERROR, (int)code);
  g_assert_cmpstr (tall_error_get_field (failure), ==, field);
  g_assert_cmpuint (tall_test_front_count_stored (TALL_TEST_FRONT (f->front)), ==, 0);
  tall_test_assert_ping_works (connection, f->compact);
}

static void
begin_list (TallTestMessage *message, gint16 id, ThriftType type, guint n)
{
  tall_test_message_begin_field (message, T_LIST, id);
  gint32 written = must (thrift_protocol_write_list_begin (message->protocol, type, n, &error));
  g_assert_cmpint (written, >, 0);
}

/* An order up to and not including its end. */
static void
begin_order (TallTestMessage *message)
{
  tall_test_message_begin_struct (message, 1);
  tall_test_message_add_text (message, 1, "VINET");
  tall_test_message_add_text (message, 2, "10248");
}

static void
add_nul_in_number (TallTestMessage *message)
{
  tall_test_message_begin_struct (message, 1);
  tall_test_message_add_bytes (message, 1, tall_slice ("a\0b", 3));
  tall_test_message_add_text (message, 2, "10248");
  tall_test_message_end_struct (message);
}

static void
add_nul_in_location (TallTestMessage *message)
{
  begin_order (message);
  begin_list (message, 5, T_STRUCT, 2);
  tall_test_message_begin_element (message);
  tall_test_message_add_i32 (message, 1, 1);
  tall_test_message_end_struct (message);
  tall_test_message_begin_element (message);
  tall_test_message_add_bytes (message, 2, tall_slice ("\0", 1));
  tall_test_message_end_struct (message);
  tall_test_message_end_struct (message);
}

static void
add_number_twice (TallTestMessage *message)
{
  tall_test_message_begin_struct (message, 1);
  tall_test_message_add_text (message, 1, "VINET");
  tall_test_message_add_text (message, 1, "VINET");
  tall_test_message_add_text (message, 2, "10248");
  tall_test_message_end_struct (message);
}

static void
add_location_twice (TallTestMessage *message)
{
  begin_order (message);
  begin_list (message, 5, T_STRUCT, 1);
  tall_test_message_begin_element (message);
  tall_test_message_add_i32 (message, 1, 1);
  tall_test_message_add_i32 (message, 1, 2);
  tall_test_message_end_struct (message);
  tall_test_message_end_struct (message);
}

static void
add_not_utf8 (TallTestMessage *message)
{
  begin_order (message);
  tall_test_message_add_text (message, 4, "\xc3(");
  tall_test_message_end_struct (message);
}

static void
add_wrong_type (TallTestMessage *message)
{
  begin_order (message);
  tall_test_message_add_text (message, 3, "1996-07-04");
  tall_test_message_end_struct (message);
}

static void
add_list_of_texts (TallTestMessage *message)
{
  begin_order (message);
  begin_list (message, 5, T_STRING, 1);
  tall_test_message_add_text (message, 1, "no structs");
  tall_test_message_end_struct (message);
}

static void
add_line_with_price (TallTestMessage *message, gint16 decimal_field, gint32 value)
{
  begin_order (message);
  begin_list (message, 5, T_STRUCT, 1);
  tall_test_message_begin_element (message);
  tall_test_message_add_i32 (message, 1, 1);
  begin_list (message, 5, T_STRUCT, 1);
  tall_test_message_begin_element (message);
  tall_test_message_begin_struct (message, 5);
  g_autoptr (GError) error = NULL;
  tall_test_message_begin_field (message, T_I64, 1);
  g_assert_cmpint (thrift_protocol_write_i64 (message->protocol, 5, &error), >, 0);
  tall_test_message_add_i32 (message, decimal_field, value);
  for (guint i = 0; i < 4; i++)
    tall_test_message_end_struct (message);
}

static void
add_decimal_without_scale (TallTestMessage *message)
{
  add_line_with_price (message, 3, 2);
}

static void
add_scale_too_large (TallTestMessage *message)
{
  add_line_with_price (message, 2, 19);
}

static void
add_negative_scale (TallTestMessage *message)
{
  add_line_with_price (message, 2, -1);
}

static void
add_too_many_locations (TallTestMessage *message)
{
  begin_order (message);
  begin_list (message, 5, T_STRUCT, 10001);
  for (guint i = 0; i < 10001; i++)
    {
      tall_test_message_begin_element (message);
      tall_test_message_end_struct (message);
    }
  tall_test_message_end_struct (message);
}

static void
add_too_many_attributes (TallTestMessage *message)
{
  g_autoptr (GError) error = NULL;
  guint n = 200000;

  begin_order (message);
  tall_test_message_begin_field (message, T_MAP, 6);
  gint32 written =
      must (thrift_protocol_write_map_begin (message->protocol, T_STRING, T_STRING, n, &error));
  g_assert_cmpint (written, >, 0);
  for (guint i = 0; i < 2 * n; i++)
    g_assert_cmpint (thrift_protocol_write_string (message->protocol, "", &error), >, 0);
  tall_test_message_end_struct (message);
}

static void
add_too_long_text (TallTestMessage *message)
{
  g_autofree char *text = g_strnfill (TALL_MAX_CANONICAL_BYTES, 'x');

  begin_order (message);
  tall_test_message_add_text (message, 4, text);
  tall_test_message_end_struct (message);
}

/* Each is short enough. */
static void
add_too_much_text (TallTestMessage *message)
{
  g_autofree char *text = g_strnfill (TALL_MAX_CANONICAL_BYTES * 2 / 3, 'x');

  begin_order (message);
  begin_list (message, 5, T_STRUCT, 2);
  for (guint i = 0; i < 2; i++)
    {
      tall_test_message_begin_element (message);
      tall_test_message_add_i32 (message, 1, (gint32)i + 1);
      tall_test_message_add_text (message, 2, text);
      tall_test_message_end_struct (message);
    }
  tall_test_message_end_struct (message);
}

static void
add_nothing (TallTestMessage *message G_GNUC_UNUSED)
{
}

static void
add_options (TallTestMessage *message, gint16 id, gint32 value)
{
  begin_order (message);
  tall_test_message_end_struct (message);
  tall_test_message_begin_struct (message, 2);
  tall_test_message_add_i32 (message, id, value);
  tall_test_message_end_struct (message);
}

static void
add_condition_of_tomorrow (TallTestMessage *message)
{
  add_options (message, 1, 3);
}

static void
add_negative_condition (TallTestMessage *message)
{
  add_options (message, 1, -1);
}

static void
add_condition_without_revision (TallTestMessage *message)
{
  add_options (message, 1, 2);
}

static void
add_no_time (TallTestMessage *message)
{
  add_options (message, 4, 0);
}

static void
add_too_much_time (TallTestMessage *message)
{
  add_options (message, 4, 3600001);
}

static void
add_short_token (TallTestMessage *message)
{
  begin_order (message);
  tall_test_message_end_struct (message);
  tall_test_message_begin_struct (message, 2);
  tall_test_message_add_text (message, 3, "fifteen bytes..");
  tall_test_message_end_struct (message);
}

static void
test_puts (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  static const struct
  {
    const char *name;
    void (*add) (TallTestMessage *message);
    TallError code;
    const char *field;
  } cases[] = {
    { "NUL in number", add_nul_in_number, TALL_ERROR_INVALID, "customer_number" },
    { "number twice", add_number_twice, TALL_ERROR_INVALID, "customer_number" },
    { "location twice", add_location_twice, TALL_ERROR_INVALID, "shipping_locations[0].number" },
    { "NUL in location", add_nul_in_location, TALL_ERROR_INVALID, "shipping_locations[1].name" },
    { "not UTF-8", add_not_utf8, TALL_ERROR_INVALID, "currency" },
    { "wrong type", add_wrong_type, TALL_ERROR_INVALID, "sales_date" },
    { "wrong elements", add_list_of_texts, TALL_ERROR_INVALID, "shipping_locations" },
    { "no scale", add_decimal_without_scale, TALL_ERROR_INVALID,
      "shipping_locations[0].line_items[0].price" },
    { "scale 19", add_scale_too_large, TALL_ERROR_INVALID,
      "shipping_locations[0].line_items[0].price" },
    { "scale -1", add_negative_scale, TALL_ERROR_INVALID,
      "shipping_locations[0].line_items[0].price" },
    { "locations", add_too_many_locations, TALL_ERROR_TOO_LARGE, NULL },
    { "attributes", add_too_many_attributes, TALL_ERROR_TOO_LARGE, NULL },
    { "long text", add_too_long_text, TALL_ERROR_TOO_LARGE, NULL },
    { "much text", add_too_much_text, TALL_ERROR_TOO_LARGE, NULL },
    { "no order", add_nothing, TALL_ERROR_INVALID, "customer_number" },
    { "condition 3", add_condition_of_tomorrow, TALL_ERROR_INVALID, "options.condition" },
    { "condition -1", add_negative_condition, TALL_ERROR_INVALID, "options.condition" },
    { "no revision", add_condition_without_revision, TALL_ERROR_INVALID, "options.revision" },
    { "no time", add_no_time, TALL_ERROR_INVALID, "options.timeout_ms" },
    { "too much time", add_too_much_time, TALL_ERROR_INVALID, "options.timeout_ms" },
    { "short token", add_short_token, TALL_ERROR_INVALID, "options.token" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (TallTestMessage) message;
      g_test_message ("%s", cases[i].name);
      tall_test_message_init (&message, f->compact, "putOrder", T_CALL);
      cases[i].add (&message);
      tall_test_message_end_struct (&message);
      assert_refused (f, &message, "putOrder", cases[i].code, cases[i].field);
    }
}

static void
test_gets (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_auto (TallTestMessage) no_order, nul;

  tall_test_message_init (&no_order, f->compact, "getOrder", T_CALL);
  tall_test_message_add_text (&no_order, 1, "VINET");
  tall_test_message_end_struct (&no_order);
  assert_refused (f, &no_order, "getOrder", TALL_ERROR_INVALID, "order_number");

  tall_test_message_init (&nul, f->compact, "getCustomer", T_CALL);
  tall_test_message_add_bytes (&nul, 1, tall_slice ("a\0b", 3));
  tall_test_message_end_struct (&nul);
  assert_refused (f, &nul, "getCustomer", TALL_ERROR_INVALID, "number");
}

/* The first put of many, up to and not including its end. */
static void
begin_puts (TallTestMessage *message, guint n)
{
  tall_test_message_begin_struct (message, 1);
  begin_list (message, 1, T_STRUCT, n);
}

static void
add_good_put (TallTestMessage *message)
{
  tall_test_message_begin_element (message);
  begin_order (message);
  tall_test_message_end_struct (message);
  tall_test_message_end_struct (message);
}

static void
add_nul_in_second_put (TallTestMessage *message)
{
  begin_puts (message, 2);
  add_good_put (message);
  tall_test_message_begin_element (message);
  add_nul_in_number (message);
  tall_test_message_end_struct (message);
  tall_test_message_end_struct (message);
}

static void
add_scale_in_first_put (TallTestMessage *message)
{
  begin_puts (message, 1);
  tall_test_message_begin_element (message);
  add_scale_too_large (message);
  tall_test_message_end_struct (message);
  tall_test_message_end_struct (message);
}

static void
add_empty_elements (TallTestMessage *message, guint n)
{
  tall_test_message_begin_struct (message, 1);
  begin_list (message, 1, T_STRUCT, n);
  for (guint i = 0; i < n; i++)
    {
      tall_test_message_begin_element (message);
      tall_test_message_end_struct (message);
    }
  tall_test_message_end_struct (message);
}

static void
add_too_many_elements (TallTestMessage *message)
{
  add_empty_elements (message, TALL_IDL_MANY_ITEMS + 1);
}

static void
add_too_many_lines (TallTestMessage *message)
{
  begin_puts (message, 21);
  for (guint i = 0; i < 21; i++)
    {
      tall_test_message_begin_element (message);
      begin_order (message);
      begin_list (message, 5, T_STRUCT, 10000);
      for (guint k = 0; k < 10000; k++)
        {
          tall_test_message_begin_element (message);
          tall_test_message_end_struct (message);
        }
      tall_test_message_end_struct (message);
      tall_test_message_end_struct (message);
    }
  tall_test_message_end_struct (message);
}

static void
add_list_of_numbers (TallTestMessage *message)
{
  tall_test_message_begin_struct (message, 1);
  begin_list (message, 1, T_I32, 1);
  g_assert_cmpint (thrift_protocol_write_i32 (message->protocol, 1, NULL), >, 0);
  tall_test_message_end_struct (message);
}

static void
add_page (TallTestMessage *message, gint16 id, TallSlice page)
{
  tall_test_message_begin_struct (message, 1);
  tall_test_message_add_bytes (message, id, page);
  tall_test_message_end_struct (message);
}

static void
add_nul_in_page (TallTestMessage *message)
{
  add_page (message, 2, tall_slice ("a\0", 2));
}

static void
add_page_not_utf8 (TallTestMessage *message)
{
  add_page (message, 3, tall_slice ("\xff\xfe", 2));
}

static void
add_find (TallTestMessage *message, TallSlice index, TallSlice second, gint32 limit, gint32 kind)
{
  tall_test_message_begin_struct (message, 1);
  tall_test_message_add_bytes (message, 1, index);
  begin_list (message, 2, T_STRING, 2);
  g_autoptr (GError) error = NULL;
  const TallSlice values[] = { tall_slice_str ("VINET"), second };
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      gint32 n = thrift_protocol_write_binary (message->protocol, (gpointer)values[i].data,
                                               (guint)values[i].len, &error);
      g_assert_cmpint (n, >, 0);
    }
  tall_test_message_add_i32 (message, 5, limit);
  tall_test_message_begin_struct (message, 7);
  tall_test_message_add_i32 (message, 1, kind);
  tall_test_message_end_struct (message);
  tall_test_message_end_struct (message);
}

static void
add_find_unknown_index (TallTestMessage *message)
{
  add_find (message, tall_slice_str ("none"), tall_slice_str (""), 1, 0);
}

static void
add_find_nul (TallTestMessage *message)
{
  add_find (message, tall_slice_str ("by-customer"), tall_slice ("a\0", 2), 1, 0);
}

static void
add_find_too_many_values (TallTestMessage *message)
{
  add_find (message, tall_slice_str ("by-customer"), tall_slice_str ("x"), 1, 0);
}

static void
add_find_page_of_1001 (TallTestMessage *message)
{
  add_find (message, tall_slice_str ("by-customer"), tall_slice_str ("x"), 1001, 0);
}

static void
add_find_unknown_part (TallTestMessage *message)
{
  add_find (message, tall_slice_str ("by-customer"), tall_slice_str ("x"), 1, 4);
}

static void
add_no_limit (TallTestMessage *message)
{
  tall_test_message_begin_struct (message, 1);
  tall_test_message_add_i32 (message, 1, 0);
  tall_test_message_end_struct (message);
}

/* Calls on many: what is refused as a whole leaves nothing behind. */
static void
test_many (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  static const struct
  {
    const char *call;
    void (*add) (TallTestMessage *message);
    TallError code;
    const char *field;
  } cases[] = {
    { "putOrders", add_nul_in_second_put, TALL_ERROR_INVALID, "puts[1].order.customer_number" },
    { "putOrders", add_scale_in_first_put, TALL_ERROR_INVALID,
      "puts[0].order.shipping_locations[0].line_items[0].price" },
    { "putOrders", add_too_many_elements, TALL_ERROR_TOO_LARGE, NULL },
    { "putOrders", add_too_many_lines, TALL_ERROR_TOO_LARGE, NULL },
    { "putOrders", add_list_of_numbers, TALL_ERROR_INVALID, "puts" },
    { "getOrders", add_too_many_elements, TALL_ERROR_TOO_LARGE, NULL },
    { "getOrders", add_list_of_numbers, TALL_ERROR_INVALID, "ids" },
    { "listCustomers", add_nul_in_page, TALL_ERROR_INVALID, "page" },
    { "listCustomers", add_no_limit, TALL_ERROR_INVALID, "limit" },
    { "getCustomerOrders", add_page_not_utf8, TALL_ERROR_INVALID, "page" },
    { "getCustomerOrders", add_nothing, TALL_ERROR_INVALID, "customer_number" },
    { "findOrders", add_find_unknown_index, TALL_ERROR_INVALID, "index" },
    { "findOrders", add_find_nul, TALL_ERROR_INVALID, "values[1]" },
    { "findOrders", add_find_too_many_values, TALL_ERROR_INVALID, "values" },
    { "findOrders", add_find_page_of_1001, TALL_ERROR_INVALID, "limit" },
    { "findOrders", add_find_unknown_part, TALL_ERROR_INVALID, "part.kind" },
    { "findOrders", add_nothing, TALL_ERROR_INVALID, "values" },
    { "listOrders", add_nothing, TALL_ERROR_INVALID, "customer_number" },
    { "deleteCustomer", add_nothing, TALL_ERROR_INVALID, "customer_number" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (TallTestMessage) message;
      g_test_message ("%s %u", cases[i].call, i);
      tall_test_message_init (&message, f->compact, cases[i].call, T_CALL);
      cases[i].add (&message);
      tall_test_message_end_struct (&message);
      assert_refused (f, &message, cases[i].call, cases[i].code, cases[i].field);
    }
}

#define ADD(name, function)                                                                        \
  g_test_add ("/service/refused/binary/" name, Fixture, GINT_TO_POINTER (FALSE),                   \
              tall_test_service_set_up, function, tall_test_service_tear_down);                    \
  g_test_add ("/service/refused/compact/" name, Fixture, GINT_TO_POINTER (TRUE),                   \
              tall_test_service_set_up, function, tall_test_service_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("puts", test_puts);
  ADD ("gets", test_gets);
  ADD ("many", test_many);
  return g_test_run ();
}
