/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "key/template.h"

#include "tall-error.h"
#include "tall-json.h"

/* An order with something in each field; raw keys: `V` and `10`, each with a 00. */
static const char *const full =
    "{\"customer_number\":\"V\",\"order_number\":\"10\",\"sales_date\":\"1996-07-04\","
    "\"currency\":\"EUR\",\"attributes\":{\"status\":\"paid\",\"x\":\"\"},\"shipping_locations\":["
    "{\"number\":1,\"name\":\"Rüdesheim\",\"address\":{\"city\":\"Reims\"},"
    "\"ship_date\":\"1996-07-16T12:00:00Z\",\"line_items\":["
    "{\"number\":1,\"item_number\":\"b\"},{\"number\":2,\"item_number\":\"a\"},"
    "{\"number\":3},{\"number\":4,\"item_number\":\"b\"}]},"
    "{\"number\":2,\"line_items\":[{\"number\":5,\"item_number\":\"a\"}]}]}";

static const char *const empty = "{\"customer_number\":\"V\",\"order_number\":\"10\"}";

#define OF_ORDER                                                                                   \
  "5600"                                                                                           \
  "313000"

static const struct
{
  const char *template;
  const char *order;
  const char *keys; /* in hex */
} key_cases[] = {
  { "customer rtime(sales_date)?", "full",
    "5600"
    "7fffff3d4062e3ff"
    "313000" },
  { "customer rtime(sales_date)?", "empty",
    "5600"
    "ffffffffffffffff"
    "313000" },
  { "customer rtime(sales_date)", "empty", "" },
  { "customer order", "full", OF_ORDER },
  { "order customer", "full", "3130005600" },
  { "order_number", "full", "313000" OF_ORDER },
  { "customer_number", "full", "5600" OF_ORDER },
  { "currency", "full", "45555200" OF_ORDER },
  { "currency?", "empty", "ff00" OF_ORDER },
  { "time(sales_date)", "full", "800000c2bf9d1c00" OF_ORDER },
  { "day(sales_date)", "full", "3139393630373034" OF_ORDER },
  { "month(sales_date)", "full", "313939363037" OF_ORDER },
  { "year(sales_date)", "full", "31393936" OF_ORDER },
  { "month(sales_date)?", "empty", "ffffffffffff" OF_ORDER },
  { "attribute.status", "full", "7061696400" OF_ORDER },
  { "attribute.x", "full", "00" OF_ORDER },
  { "attribute.none", "full", "" },
  { "first(2,attribute.status)", "full", "706100" OF_ORDER },
  { "last( 3 , attribute.status )", "full", "61696400" OF_ORDER },
  { "last(9,attribute.status)", "full", "7061696400" OF_ORDER },
  { "first(2,location.name)", "full", "52c3bc00" OF_ORDER },
  { "md5(currency)", "full", "a055562bdb59ad8ba9cc680367308118" OF_ORDER },
  { "md5(currency)?", "empty", "ffffffffffffffffffffffffffffffff" OF_ORDER },
  { "line.item_number", "full", "6100" OF_ORDER " 6200" OF_ORDER },
  { "line.item_number?", "full", "6100" OF_ORDER " 6200" OF_ORDER " ff00" OF_ORDER },
  { "line.item_number?", "empty", "" },
  { "location.address.city", "full", "5265696d7300" OF_ORDER },
  { "location.address.city?", "full", "5265696d7300" OF_ORDER " ff00" OF_ORDER },
  { "line.item_number location.address.city?", "full",
    "6100"
    "5265696d7300" OF_ORDER " 6100"
    "ff00" OF_ORDER " 6200"
    "5265696d7300" OF_ORDER },
  { "day(location.ship_date) customer", "full",
    "3139393630373136"
    "5600"
    "313000" },
  { "customer line.item_number", "full",
    "5600"
    "6100"
    "313000"
    " 5600"
    "6200"
    "313000" },
};

static TallOrder *
parse (const char *json)
{
  g_autoptr (GError) error = NULL;
  TallOrder *order = tall_order_from_json (json, -1, &error);
  g_assert_no_error (error);
  return order;
}

static TallKeyTemplate *
parse_template (const char *text)
{
  g_autoptr (GError) error = NULL;
  TallKeyTemplate *template = tall_key_template_parse (text, &error);
  g_assert_no_error (error);
  return template;
}

static void
check_split (const TallKeyTemplate *template, const GByteArray *row, gsize skip)
{
  TallSlice customer, order;
  TallSlice key = tall_slice (row->data + skip, row->len - skip);
  g_assert_true (tall_key_template_split (template, &tall_key_raw, key, &customer, &order));
  g_assert_true (tall_slice_equal (customer, tall_slice ("V", 2)));
  g_assert_true (tall_slice_equal (order, tall_slice ("10", 3)));
  for (gsize len = 0; len < key.len; len++)
    g_assert_false (tall_key_template_split (template, &tall_key_raw, tall_slice (key.data, len),
                                             &customer, &order));
}

static void
test_keys (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (key_cases); i++)
    {
      g_autoptr (TallKeyTemplate) template = parse_template (key_cases[i].template);
      g_autoptr (TallKeyTemplate) again = parse_template (tall_key_template_get_text (template));
      g_autoptr (TallOrder) order = parse (g_str_equal (key_cases[i].order, "full") ? full : empty);
      g_autoptr (GPtrArray) keys =
          g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
      g_autoptr (GString) text = g_string_new (NULL);
      g_auto (TallOrderKey) key = { 0 };
      tall_order_key_init (&key, &tall_key_raw, "V", 0, "10");
      tall_key_template_append_keys (template, &key, order, tall_slice ("\x07", 1), keys);
      for (guint j = 0; j < keys->len; j++)
        {
          const GByteArray *row = g_ptr_array_index (keys, j);
          g_autofree char *hex = tall_slice_to_hex (tall_slice_array (row));
          g_assert_true (g_str_has_prefix (hex, "07"));
          g_string_append_printf (text, "%s%s", j > 0 ? " " : "", hex + 2);
          check_split (template, row, 1);
        }
      g_test_message ("%s of %s", key_cases[i].template, key_cases[i].order);
      g_assert_cmpstr (text->str, ==, key_cases[i].keys);
      g_assert_cmpstr (tall_key_template_get_text (again), ==,
                       tall_key_template_get_text (template));
    }
}

/* What is cut keeps the order of what is left, has no 00, and differs where the text does. */
static void
test_long_texts (void)
{
  g_autoptr (TallKeyTemplate) template = parse_template ("attribute.a");
  const gsize lens[] = { 992, 1023, 1024, 1025, 5000 };
  for (guint i = 0; i < G_N_ELEMENTS (lens); i++)
    {
      g_autoptr (TallOrder) order = tall_order_new ("V", "10");
      g_autofree char *text = g_strnfill (lens[i], 'x');
      g_autoptr (GPtrArray) keys =
          g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
      g_auto (TallOrderKey) key = { 0 };
      tall_order_add_attribute (order, "a", text);
      tall_order_key_init (&key, &tall_key_raw, "V", 0, "10");
      tall_key_template_append_keys (template, &key, order, (TallSlice)TALL_SLICE_INIT, keys);
      const GByteArray *row = g_ptr_array_index (keys, 0);
      g_assert_cmpuint (row->len, ==, MIN (lens[i], 1024) + 1 + 5);
      g_assert_cmpint (row->data[1023 < lens[i] ? 1023 : lens[i] - 1] == 'x', ==, lens[i] <= 1024);
      check_split (template, row, 0);
    }
}

static const struct
{
  const char *template;
  const char *message;
} bad_cases[] = {
  { "", "it has no parts" },
  { "  ", "it has no parts" },
  { "sales_date", "write time(sales_date), rtime(sales_date)" },
  { "time(currency)", "time() is of a date" },
  { "md5(sales_date)", "sales_date is a date" },
  { "colour", "there is no field “colour”" },
  { "line.colour", "there is no field “line.colour”" },
  { "location.address.colour", "(address) are line1, line2, city" },
  { "attribute.", "there is no field" },
  { "line.price", "line.price is neither a text nor a date" },
  { "line.number", "line.number is neither" },
  { "shipping_locations", "is neither" },
  { "sha1(currency)", "there is no sha1()" },
  { "customer(currency)", "there is no customer()" },
  { "(currency)", "there is no ()" },
  { "md5(currency", "“)” was expected" },
  { "md5 (currency)", "there is no field “md5”" },
  { "first(currency)", "a number of characters from 1 to 64" },
  { "first(0,currency)", "a number of characters from 1 to 64" },
  { "last(65,currency)", "a number of characters from 1 to 64" },
  { "last(2)", "a number of characters from 1 to 64" },
  { "customer?", "leave the “?” out" },
  { "currency??", "a space, or the end, was expected" },
  { "currency)x", "a space, or the end, was expected" },
  { "currency,customer", "a space, or the end, was expected" },
  { "currency customer currency", "it is there twice" },
  { "customer order customer_number order_number currency attribute.a attribute.b attribute.c "
    "attribute.d",
    "more than 8 parts" },
};

static void
test_bad (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (bad_cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_null (tall_key_template_parse (bad_cases[i].template, &error));
      g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
      if (strstr (error->message, bad_cases[i].message) == NULL)
        g_error ("“%s”: %s", bad_cases[i].template, error->message);
    }
}

static const struct
{
  const char *template;
  const char *values; /* with a | between them */
  const char *from;
  const char *to;
  const char *start; /* in hex */
  const char *stop;
} range_cases[] = {
  { "customer currency", "", NULL, NULL, "", "" },
  { "customer currency", "V", NULL, NULL, "5600", "5601" },
  { "customer currency", "V|EUR", NULL, NULL, "560045555200", "560045555201" },
  { "customer currency", "V", "a", "b", "56006100", "56006200" },
  { "customer currency", "V", "a", NULL, "56006100", "5600ff00" },
  { "customer currency", "V", NULL, "b", "5600", "56006200" },
  { "rtime(sales_date)", "", "1970-01-01", "1970-01-02", "7ffffffffad9a400", "8000000000000000" },
  { "rtime(sales_date)", "", "1970-01-01", NULL, "", "8000000000000000" },
  { "rtime(sales_date)", "", NULL, "1970-01-02", "7ffffffffad9a400", "ffffffffffffffff" },
  { "time(sales_date)", "", "1970-01-01", "1970-01-02", "8000000000000000", "8000000005265c00" },
  { "time(sales_date)", "", NULL, "1970-01-02", "", "8000000005265c00" },
  { "time(sales_date)", "", "1970-01-02", NULL, "8000000005265c00", "ffffffffffffffff" },
  { "day(sales_date)", "", "1996-07-04", "1996-07-05", "3139393630373034", "3139393630373034ff" },
  { "month(sales_date)", "1996-07", NULL, NULL, "313939363037", "313939363038" },
  { "month(sales_date)", "", "1996-07", "1996-09", "313939363037", "313939363038ff" },
  { "year(sales_date) attribute.a", "1996", "x", "y", "313939367800", "313939367900" },
  { "last(2,attribute.a)", "abc", NULL, NULL, "626300", "626301" },
  { "order", "10", NULL, NULL, "313000", "313001" },
};

static void
test_ranges (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (range_cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallKeyTemplate) template = parse_template (range_cases[i].template);
      g_auto (GStrv) values = g_strsplit (range_cases[i].values, "|", -1);
      const char *number;
      TallKeyQuery query = { (const char *const *)values, g_strv_length (values),
                             range_cases[i].from, range_cases[i].to, tall_slice ("V", 2) };
      g_autoptr (GByteArray) start = g_byte_array_new ();
      g_autoptr (GByteArray) stop = g_byte_array_new ();
      g_assert_true (tall_key_template_check (template, &query, &number, &error));
      g_assert_cmpstr (number, ==,
                       g_str_has_prefix (range_cases[i].template, "customer") ? values[0] : NULL);
      g_assert_true (
          tall_key_template_append_range (template, &tall_key_raw, &query, start, stop, &error));
      g_assert_no_error (error);
      g_autofree char *start_hex = tall_slice_to_hex (tall_slice_array (start));
      g_autofree char *stop_hex = tall_slice_to_hex (tall_slice_array (stop));
      g_assert_cmpstr (start_hex, ==, range_cases[i].start);
      g_assert_cmpstr (stop_hex, ==, range_cases[i].stop);
    }
}

static const struct
{
  const char *template;
  const char *values;
  const char *from;
  const char *message;
} refused_cases[] = {
  { "currency", "a|b", NULL, "the index has 1 parts (currency), and there are 2 values" },
  { "currency", "a", "b", "there are 1 values and a range" },
  { "md5(currency)", "", "b", "md5(currency) keeps no order" },
  { "customer currency", "", "b", "customer keeps no order" },
  { "order", "\n", NULL, "values" },
  { "day(sales_date)", "yesterday", NULL, "“yesterday” is not a date" },
  { "day(sales_date)", "", "1996-13-01", "“1996-13-01” is not a date" },
};

static void
test_refused (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (refused_cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallKeyTemplate) template = parse_template (refused_cases[i].template);
      g_auto (GStrv) values = g_strsplit (refused_cases[i].values, "|", -1);
      const char *number;
      TallKeyQuery query = { .values = (const char *const *)values,
                             .n_values = g_strv_length (values),
                             .from = refused_cases[i].from };
      g_autoptr (GByteArray) start = g_byte_array_new ();
      g_autoptr (GByteArray) stop = g_byte_array_new ();
      g_assert_false (
          tall_key_template_check (template, &query, &number, &error)
          && tall_key_template_append_range (template, &tall_key_raw, &query, start, stop, &error));
      g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
      if (strstr (error->message, refused_cases[i].message) == NULL)
        g_error ("%s: %s", refused_cases[i].template, error->message);
    }
}

static void
test_says (void)
{
  static const char *const fields[] = { "customer_number", "line.item_number" };
  g_autoptr (TallKeyTemplate) number = parse_template ("order_number rtime(sales_date)?");
  g_autoptr (TallKeyTemplate) bought = parse_template ("customer line.item_number day(sales_date)");
  g_autoptr (TallKeyTemplate) city = parse_template ("location.address.city line.item_number");
  g_assert_true (tall_key_template_is_of_state (number));
  g_assert_false (tall_key_template_is_of_state (bought));
  g_assert_true (tall_key_template_begins_with_customer (bought));
  g_assert_false (tall_key_template_begins_with_customer (number));
  g_assert_true (tall_key_template_may_repeat (bought, 1));
  g_assert_false (tall_key_template_may_repeat (bought, 2));
  g_assert_false (tall_key_template_may_repeat (number, 0));
  g_assert_true (tall_key_template_may_repeat (city, 1));
  g_assert_true (tall_key_template_has_fields (bought, fields, 2, NULL));
  g_assert_true (tall_key_template_has_fields (bought, fields, 2, "sales_date"));
  g_assert_true (tall_key_template_has_fields (bought, fields, 1, "line.item_number"));
  g_assert_false (tall_key_template_has_fields (bought, fields, 1, "sales_date"));
  g_assert_false (tall_key_template_has_fields (number, fields, 1, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/key/template/keys", test_keys);
  g_test_add_func ("/key/template/long-texts", test_long_texts);
  g_test_add_func ("/key/template/bad", test_bad);
  g_test_add_func ("/key/template/ranges", test_ranges);
  g_test_add_func ("/key/template/refused", test_refused);
  g_test_add_func ("/key/template/says", test_says);
  return g_test_run ();
}
