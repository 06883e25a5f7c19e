/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "model/json.h"
#include "tall-test-orders.h"
#include "tall-must.h"

/* An order's JSON that must be refused, and the words that the message must hold. */
typedef struct
{
  const char *json;
  const char *field;   /* path that the error names, NULL for none */
  const char *message; /* part of the message */
} BadCase;

static void
check_order_round_trip (const TallOrder *order, gboolean pretty)
{
  g_autofree char *json = tall_order_to_json (order, pretty);
  g_autoptr (TallOrder) back = must (tall_order_from_json (json, -1, &error));
  tall_test_assert_order_equal (order, back);

  g_autofree char *again = tall_order_to_json (back, pretty);
  g_assert_cmpstr (json, ==, again);
}

static void
test_order_round_trip (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int ());
  for (guint i = 0; i < 1000; i++)
    {
      g_autoptr (TallOrder) order = tall_test_random_order (rand, i % 50 == 0 ? 1000 : 12);
      check_order_round_trip (order, i % 2 == 0);
    }
}

static void
test_customer_round_trip (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int ());
  for (guint i = 0; i < 1000; i++)
    {
      g_autoptr (TallCustomer) customer = tall_test_random_customer (rand);
      g_autofree char *json = tall_customer_to_json (customer, i % 2 == 0);
      g_autoptr (TallCustomer) back = must (tall_customer_from_json (json, -1, &error));
      tall_test_assert_customer_equal (customer, back);
    }
}

/* The largest order that the limits allow passes the limits of the JSON reader, too. */
static void
test_largest (void)
{
  g_autoptr (TallOrder) order = tall_test_empty_order ("C", "1", 5000);
  for (guint i = 0; i < 5000; i++)
    {
      order->shipping_locations[i]->address = tall_address_new (tall_order_get_arena (order));
      tall_test_add_lines (order, i, i + 1, 1);
    }
  for (guint i = 0; i < 80000; i++)
    {
      g_autofree char *key = g_strdup_printf ("%u", i);
      tall_order_add_attribute (order, key, "");
    }

  must (tall_order_normalize (order, &error));
  check_order_round_trip (order, TRUE);
}

/* Pinned: programs read this. */
static void
test_form (void)
{
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", "10248", 1);
  g_autofree char *json = tall_order_to_json (order, FALSE);
  g_assert_cmpstr (json, ==,
                   "{\"customer_number\":\"VINET\",\"order_number\":\"10248\","
                   "\"sales_date\":\"1996-07-04T00:00:00.000Z\",\"currency\":\"USD\","
                   "\"shipping_locations\":[{\"number\":1,"
                   "\"name\":\"Vins et alcools Chevalier\","
                   "\"address\":{\"line1\":\"59 rue de l’Abbaye\",\"city\":\"Reims\","
                   "\"zip\":\"51100\",\"country\":\"France\"},"
                   "\"ship_date\":\"1996-07-16T00:00:00.000Z\","
                   "\"line_items\":[{\"number\":1,\"item_number\":\"11\","
                   "\"description\":\"Queso Cabrales 0\",\"quantity\":\"1\","
                   "\"price\":\"9.80\",\"discount\":\"0.15\"}]}]}");

  g_autoptr (TallCustomer) customer = tall_test_plain_customer ("VINET");
  g_autofree char *text = tall_customer_to_json (customer, FALSE);
  g_assert_cmpstr (text, ==,
                   "{\"number\":\"VINET\",\"name\":\"Vins et alcools Chevalier\","
                   "\"address\":{\"line1\":\"59 rue de l’Abbaye\",\"city\":\"Reims\","
                   "\"zip\":\"51100\",\"country\":\"France\"},"
                   "\"phones\":[\"26.47.15.10\",\"26.47.15.11\"],"
                   "\"email\":\"paul.henriot@example.com\","
                   "\"attributes\":{\"contact\":\"Paul Henriot\"}}");
}

static void
test_pretty (void)
{
  g_autoptr (TallOrder) order = tall_test_empty_order ("C", "1", 1);
  g_autofree char *json = tall_order_to_json (order, TRUE);
  g_assert_cmpstr (json, ==,
                   "{\n  \"customer_number\" : \"C\",\n  \"order_number\" : \"1\",\n"
                   "  \"shipping_locations\" : [\n    {\n      \"number\" : 1\n    }\n  ]\n}");
}

/* Members in any order, escapes, white space, empty lists, and lists that are not sorted. */
static void
test_free_form (void)
{
  static const char json[] =
      "\r\n\t{ \"attributes\": {\"b\":\"2\", \"a\":\"1\"}, \"order_number\":\"\\u0031\\/\","
      "\"shipping_locations\":[{\"line_items\":[],\"number\":7,\"name\":\"\"},"
      "{\"line_items\":[{\"number\":2},{\"number\":1,\"description\":"
      "\"\\ud83c\\udf4e\\n\\\"\\\\\\b\\f\\r\\t\"}],\"number\":3}],\"customer_number\":\"C\"}\n";
  g_autoptr (TallOrder) order = must (tall_order_from_json (json, -1, &error));
  g_autofree char *text = tall_order_to_json (order, FALSE);
  g_assert_cmpstr (text, ==,
                   "{\"customer_number\":\"C\",\"order_number\":\"1/\","
                   "\"shipping_locations\":[{\"number\":3,\"line_items\":[{\"number\":1,"
                   "\"description\":\"🍎\\n\\\"\\\\\\b\\f\\r\\t\"},{\"number\":2}]},"
                   "{\"number\":7,\"name\":\"\"}],\"attributes\":{\"a\":\"1\",\"b\":\"2\"}}");
}

#define ORDER(rest) "{\"customer_number\":\"C\",\"order_number\":\"1\"" rest "}"
#define LOCATION(rest) ORDER (",\"shipping_locations\":[{\"number\":1" rest "}]")
#define LINE(rest) LOCATION (",\"line_items\":[{\"number\":1},{\"number\":2" rest "}]")
#define ADJUSTMENT(rest) ORDER (",\"adjustments\":[{\"kind\":\"tax\"" rest "}]")
#define LINE_PATH "shipping_locations[0].line_items[1]"

static const BadCase bad_syntax[] = {
  { "", NULL, "ends before" },
  { "  \n ", NULL, "line 2, position 2" },
  { "[]", NULL, "one JSON object" },
  { "null", NULL, "one JSON object" },
  { "var x = {}", NULL, "one JSON object" },
  { ORDER ("") " x", NULL, "something follows" },
  { ORDER ("") ORDER (""), NULL, "something follows" },
  { ORDER (",\n\n \"currency\":'EUR'"), NULL, "line 3, position 13" },
  { ORDER ("/* no */"), NULL, "unexpected character" },
  { ORDER ("// no\n"), NULL, "unexpected character" },
  { ORDER (","), NULL, "line 1" },
  { ORDER (",\"currency\""), NULL, "line 1" },
  { ORDER (",\"currency\" \"EUR\""), NULL, "line 1" },
  { ORDER (",\"currency\":\"EUR\" \"sales_date\":\"1996-07-04\""), NULL, "line 1" },
  { ORDER (",\"shipping_locations\":[,]"), NULL, "line 1" },
  { ORDER (",\"shipping_locations\":[}"), NULL, "line 1" },
  { "{\"customer_number\":\"C\"", NULL, "ends before" },
  { "{\"customer_number\":\"C", NULL, "does not end" },
  { "{\"customer_number\":\"C\\", NULL, "does not end" },
  { ORDER (",\"currency\":\"a\\u0000b\""), NULL, "\\u0000" },
  { ORDER (",\"currency\":\"\\u12\""), NULL, "four hexadecimal" },
  { ORDER (",\"currency\":\"\\ud83c\""), NULL, "surrogate" },
  { ORDER (",\"currency\":\"\\udf4e\\ud83c\""), NULL, "surrogate" },
  { ORDER (",\"currency\":\"\\ud83cx\""), NULL, "surrogate" },
  { ORDER (",\"currency\":\"\\x41\""), NULL, "unknown escape" },
  { ORDER (",\"currency\":\"a\nb\""), NULL, "control character" },
  { ORDER (",\"currency\":\"\xff\""), NULL, "UTF-8" },
  { ORDER (",\"currency\":tru"), NULL, "unexpected character" },
  { ORDER (",\"currency\":trueish"), NULL, "unexpected character" },
  { LOCATION (",\"number\":010"), NULL, "not a JSON number" },
  { LOCATION (",\"number\":0x10"), NULL, "not a JSON number" },
  { LOCATION (",\"number\":-"), NULL, "not a JSON number" },
  { LOCATION (",\"number\":1."), NULL, "not a JSON number" },
  { LOCATION (",\"number\":1e"), NULL, "not a JSON number" },
  { LOCATION (",\"number\":18446744073709551617"), NULL, "too large" },
  { LOCATION (",\"number\":1000000000000000000"), NULL, "too large" },
  { ORDER (",\"currency\":\"EUR\",\n\"currency\":\"EUR\""), "currency", "there twice" },
  { LINE (",\"price\":\"1\",\"price\":\"2\""), "price", "there twice" },
  { ORDER (",\"attributes\":{\"a\":\"1\",\"a\":\"1\"}"), "a", "there twice" },
};

static const BadCase bad_content[] = {
  { "{}", "customer_number", "missing" },
  { "{\"customer_number\":\"C\"}", "order_number", "missing" },
  { "{\"customer_number\":5,\"order_number\":\"1\"}", "customer_number", "not a number" },
  { "{\"customer_number\":\"\",\"order_number\":\"1\"}", "customer_number", "empty" },
  { "{\"customer_number\":\"\\u0085\",\"order_number\":\"1\"}", "customer_number", "control" },
  { ORDER (",\"curency\":\"EUR\""), "curency", "sales_date, currency" },
  { ORDER (",\"curency\":\"EUR\""), "curency",
    "attributes, adjustments, billing_address, revision" },
  { ORDER (",\"revision\":0"), "revision", "whole number above 0" },
  { LINE (",\"revision\":5"), LINE_PATH ".revision", "known here (line item) are number, " },
  { ORDER (",\"currency\":null"), "currency", "null" },
  { ORDER (",\"currency\":true"), "currency", "truth value" },
  { ORDER (",\"sales_date\":836438400000"), "sales_date", "1996-07-04" },
  { ORDER (",\"sales_date\":\"yesterday\""), "sales_date", "yesterday" },
  { ORDER (",\"shipping_locations\":{}"), "shipping_locations", "must be a list" },
  { ORDER (",\"shipping_locations\":[3]"), "shipping_locations[0]", "must be an object" },
  { ORDER (",\"shipping_locations\":[{}]"), "shipping_locations[0].number", "missing" },
  { ORDER (",\"adjustments\":{}"), "adjustments", "must be a list" },
  { ADJUSTMENT (""), "adjustments[0].amount", "missing" },
  { ADJUSTMENT (",\"amount\":5"), "adjustments[0].amount", "a decimal as a text" },
  { ADJUSTMENT (",\"amount\":\"5\",\"sum\":\"5\""), "adjustments[0].sum", "(adjustment) are kind" },
  { ADJUSTMENT (",\"amount\":\"5\",\"line\":0"), "adjustments[0].line", "out of range" },
  { ADJUSTMENT (",\"amount\":\"5\",\"line\":\"1\""), "adjustments[0].line", "whole number" },
  { ORDER (",\"billing_address\":[]"), "billing_address", "an object" },
  { ORDER (",\"attributes\":[]"), "attributes", "object of texts" },
  { ORDER (",\"attributes\":{\"a\":1}"), "attributes.a", "must be a text" },
  { LOCATION (",\"address\":\"Reims\""), "shipping_locations[0].address", "an object" },
  { LOCATION (",\"address\":{\"town\":\"\"}"), "shipping_locations[0].address.town", "zip" },
  { LOCATION (",\"line_items\":[{\"number\":0}]"), "shipping_locations[0].line_items[0].number",
    "out of range" },
  { LOCATION (",\"line_items\":[{\"number\":2147483648}]"),
    "shipping_locations[0].line_items[0].number", "out of range" },
  { LOCATION (",\"line_items\":[{\"number\":1.5}]"), "shipping_locations[0].line_items[0].number",
    "whole number" },
  { LINE (",\"price\":9.80"), LINE_PATH ".price", "\"9.80\"" },
  { LINE (",\"price\":9"), LINE_PATH ".price", "\"9.80\"" },
  { LINE (",\"price\":\"9,80\""), LINE_PATH ".price", "9,80" },
  { LINE (",\"price\":\"                                       ’\""), LINE_PATH ".price",
    "not a decimal" },
  { LINE (",\"discount\":\"1.01\""), LINE_PATH ".discount", "from 0 to 1" },
  { LINE (",\"discount\":\"-0.1\""), LINE_PATH ".discount", "from 0 to 1" },
  { LOCATION (",\"line_items\":[{\"number\":5},{\"number\":5}]"), LINE_PATH ".number",
    "shipping_locations[0].line_items[0] has the same number 5" },
};

static void
check_refused (const BadCase *cases, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallOrder) order = tall_order_from_json (cases[i].json, -1, &error);
      g_test_message ("case %u: %s", i, order != NULL ? "taken" : error->message);
      g_assert_null (order);
      g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
      g_assert_cmpstr (tall_error_get_field (error), ==, cases[i].field);
      g_assert_nonnull (strstr (error->message, cases[i].message));
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
    }
}

static void
test_bad_syntax (void)
{
  check_refused (bad_syntax, G_N_ELEMENTS (bad_syntax));
}

static void
test_bad_content (void)
{
  check_refused (bad_content, G_N_ELEMENTS (bad_content));
}

static void
test_embedded_nul (void)
{
  static const char json[] = ORDER (",\"currency\":\"a\0b\"");
  must_fail (tall_order_from_json (json, sizeof json - 1, &error), TALL_ERROR_INVALID, "NUL");
}

static char *
repeat (const char *before, const char *piece, guint n, const char *after)
{
  GString *text = g_string_new (before);
  for (guint i = 0; i < n; i++)
    g_string_append (text, piece);
  g_string_append (text, after);
  return g_string_free (text, FALSE);
}

static void
check_code (const char *json, TallError code, const char *message)
{
  must_fail (tall_order_from_json (json, -1, &error), code, message);
}

static void
test_bombs (void)
{
  g_autofree char *lists = repeat ("{\"x\":", "[", 300000, "");
  check_code (lists, TALL_ERROR_INVALID, "nested too deeply");
  g_autofree char *objects = repeat ("", "{\"x\":", 300000, "");
  check_code (objects, TALL_ERROR_INVALID, "nested too deeply");
  g_autofree char *wide = repeat ("{\"x\":[", "{},", 100000, "{}]}");
  check_code (wide, TALL_ERROR_TOO_LARGE,
              "40000 objects and lists; an order has at most 10000 lines, locations and "
              "adjustments together: split it");
  g_autofree char *texts = repeat ("{\"x\":[", "\"\",", 1300000, "\"\"]}");
  check_code (texts, TALL_ERROR_TOO_LARGE, "1200000 texts");
  g_autofree char *blank = repeat ("{", " ", TALL_JSON_MAX_BYTES, "}");
  check_code (blank, TALL_ERROR_TOO_LARGE, "16777216 bytes");
}

static void
test_depth (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *deep = repeat ("{\"x\":", "[", 15, "]]]]]]]]]]]]]]]}");
  g_assert_null (tall_order_from_json (deep, -1, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_cmpstr (tall_error_get_field (error), ==, "x");
}

static void
test_customer_refused (void)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (tall_customer_from_json ("{\"number\":\"C\",\"phones\":[\"\",7]}", -1, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_cmpstr (tall_error_get_field (error), ==, "phones[1]");
}

#define LINES(lines) "{\"shipping_locations\":[{\"number\":1,\"line_items\":[" lines "]}]}"
#define ONE_LOCATION "{\"shipping_locations\":[{\"number\":4,\"name\":"

static const struct
{
  const char *given, *stored, *difference;
} differences[] = {
  { "{\"currency\":\"EUR\"}", "{\"currency\":\"EUR\"}", NULL },
  { "{\"currency\":\"EUR\"}", "{\"currency\":\"USD\"}",
    "currency is \"EUR\", and \"USD\" is stored" },
  { "{\"a\":\"1\"}", "{}", "a is new" },
  { "{}", "{\"attributes\":{\"x\":\"1\"}}", "attribute is only in what is stored" },
  { "{\"attributes\":{\"x\":\"2\"}}", "{\"attributes\":{\"x\":\"1\"}}",
    "attribute.x is \"2\", and \"1\" is stored" },
  { "{\"phones\":[\"1\",\"2\"]}", "{\"phones\":[\"1\",\"3\"]}",
    "phones[2] is \"2\", and \"3\" is stored" },
  { "{\"phones\":[\"1\",\"2\"]}", "{\"phones\":[\"1\"]}", "phones[2] is new" },
  { ONE_LOCATION "\"a\"}]}", ONE_LOCATION "\"b\"}]}",
    "location[4].name is \"a\", and \"b\" is stored" },
  { "{\"adjustments\":[{\"kind\":\"tax\"},{\"kind\":\"fee\"}]}",
    "{\"adjustments\":[{\"kind\":\"tax\"},{\"kind\":\"tax\"}]}",
    "adjustment[2].kind is \"fee\", and \"tax\" is stored" },
  { LINES ("{\"number\":2},{\"number\":3}"), LINES ("{\"number\":3}"), "line[2] is new" },
  { LINES ("{\"number\":3}"), LINES ("{\"number\":2},{\"number\":3}"),
    "line[2] is only in what is stored" },
  { LINES ("{\"number\":2}"), LINES ("{\"number\":2},{\"number\":3}"),
    "line[3] is only in what is stored" },
  { LINES ("{\"number\":2,\"price\":\"1.5\"}"), LINES ("{\"number\":2,\"price\":\"1.50\"}"),
    "line[2].price is \"1.5\", and \"1.50\" is stored" },
};

static void
test_differences (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int ());
  for (guint i = 0; i < G_N_ELEMENTS (differences); i++)
    {
      g_autofree char *found =
          tall_json_find_difference (differences[i].given, differences[i].stored);
      g_assert_cmpstr (found, ==, differences[i].difference);
    }
  for (guint i = 0; i < 1000; i++)
    {
      g_autoptr (TallOrder) a = tall_test_random_order (rand, 3);
      g_autoptr (TallOrder) b = tall_test_random_order (rand, 3);
      g_autofree char *given = tall_order_to_json (a, FALSE);
      g_autofree char *stored = tall_order_to_json (b, FALSE);
      g_autofree char *found = tall_json_find_difference (given, stored);
      g_autofree char *none = tall_json_find_difference (given, given);
      g_assert_cmpint (found == NULL, ==, tall_order_equal (a, b));
      g_assert_null (none);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/json/form", test_form);
  g_test_add_func ("/model/json/pretty", test_pretty);
  g_test_add_func ("/model/json/free-form", test_free_form);
  g_test_add_func ("/model/json/order-round-trip", test_order_round_trip);
  g_test_add_func ("/model/json/customer-round-trip", test_customer_round_trip);
  g_test_add_func ("/model/json/largest", test_largest);
  g_test_add_func ("/model/json/bad-syntax", test_bad_syntax);
  g_test_add_func ("/model/json/bad-content", test_bad_content);
  g_test_add_func ("/model/json/embedded-nul", test_embedded_nul);
  g_test_add_func ("/model/json/bombs", test_bombs);
  g_test_add_func ("/model/json/depth", test_depth);
  g_test_add_func ("/model/json/customer-refused", test_customer_refused);
  g_test_add_func ("/model/json/differences", test_differences);
  return g_test_run ();
}
