/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "key/template.h"
#include "tall-error.h"
#include "tall-json.h"
#include "tall-must.h"
#include "tall-parts.h"

/* What is written, and what it is read as. */
static void
test_parse (void)
{
  static const char *const cases[][2] = {
    { "order_number", "order_number" },
    { "  md5( line.item_number )   rtime(sales_date)? ",
      "md5(line.item_number) rtime(sales_date)?" },
    { "first(2,attribute.a-b?x)", NULL },
    { "last( 1 , attribute.shipment) attribute.shipment day(location.ship_date)",
      "last(1,attribute.shipment) attribute.shipment day(location.ship_date)" },
    { "month(sales_date) attribute.status? year(sales_date) time(sales_date)",
      "month(sales_date) attribute.status? year(sales_date) time(sales_date)" },
    { "location.address.city location.name line.description currency customer_number", NULL },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TallTemplate) template = must (tall_template_parse (cases[i][0], &error));
      g_assert_cmpstr (tall_template_get_text (template), ==,
                       cases[i][1] != NULL ? cases[i][1] : cases[i][0]);
    }
}

/* What cannot be, and what the message says of it. */
static void
test_wrong (void)
{
  char long_template[1026] = "attribute.";
  memset (long_template + strlen (long_template), 'x', 1025 - strlen (long_template));
  const char *const cases[][2] = {
    { "", "has at least one" },
    { "   ", "has at least one" },
    { "order", "there is no field “order”; the fields (order) are" },
    { "customer_number?x", "there is no field" },
    { "attribute.", "there is no field “attribute.”" },
    { "line.quantity", "line.quantity is neither a text nor a date" },
    { "line.colour", "the fields (line item) are" },
    { "location.address.planet", "the fields (address) are" },
    { "shipping_locations", "is neither a text nor a date" },
    { "sales_date", "is a date: write time(…)" },
    { "md5(sales_date)", "is a date: write time(…)" },
    { "day(currency)", "currency is not a date" },
    { "sha(currency)", "there are md5, first, last" },
    { "md5(currency", "does not end with “)”" },
    { "first(currency)", "takes a number of characters from 1 to 64" },
    { "first(0,currency)", "takes a number of characters from 1 to 64" },
    { "last(65,currency)", "takes a number of characters from 1 to 64" },
    { "currency order_number currency", "“currency” is not a part of an index: it is there twice" },
    { "currency currency?", "it is there twice" },
    { "attribute.1 attribute.2 attribute.3 attribute.4 attribute.5 attribute.6 attribute.7 "
      "attribute.8 attribute.9",
      "there are 8 before it" },
    { "attribute.\xff", "not UTF-8" },
    { long_template, "1024 bytes at most" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_null (tall_template_parse (cases[i][0], &error));
      g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
      g_assert_cmpstr (tall_error_get_field (error), ==, "index");
      if (strstr (error->message, cases[i][1]) == NULL)
        g_error ("“%s”: “%s” is not in “%s”", cases[i][0], cases[i][1], error->message);
    }
}

/* Two locations: to Reims, of 1996-07-05, with the lines 11, 42 and 11; to nowhere, without lines.
 */
static TallOrder *
make_order (void)
{
  TallOrder *order = tall_order_new ("VINET", "10248");
  TallArena *arena = tall_order_get_arena (order);
  static const char *const items[] = { "11", "42", "11" };
  order->has_sales_date = TRUE;
  g_assert_true (tall_date_parse ("1969-07-20T20:17:40Z", &order->sales_date, NULL));
  tall_order_add_attribute (order, "state", "");
  tall_order_add_attribute (order, "word", "日本語é");
  TallShippingLocation *location = tall_order_add_location (order, 1);
  location->address = tall_address_new (arena);
  location->address->city = tall_arena_strdup (arena, "Reims");
  location->has_ship_date = TRUE;
  g_assert_true (tall_date_parse ("1996-07-05", &location->ship_date, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (items); i++)
    tall_location_add_line (location, arena, (gint32)i + 1)->item_number =
        tall_arena_strdup (arena, items[i]);
  (void)tall_order_add_location (order, 2);
  g_assert_true (tall_order_normalize (order, NULL));
  return order;
}

#define NUMBERS                                                                                    \
  "00"                                                                                             \
  "56494e4554"                                                                                     \
  "00"                                                                                             \
  "3130323438" /* VINET, 10248 */

static char *
print_keys (const char *text, const TallOrder *order)
{
  g_autoptr (TallTemplate) template = tall_template_parse (text, NULL);
  g_autoptr (GPtrArray) keys = g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  g_autoptr (GString) printed = g_string_new (NULL);
  tall_template_append_keys (template, order, 7, keys);
  for (guint i = 0; i < keys->len; i++)
    {
      g_autofree char *hex = tall_slice_to_hex (tall_slice_array (g_ptr_array_index (keys, i)));
      g_string_append_printf (printed, "%s%s", i > 0 ? " " : "", hex);
    }
  return g_string_free (g_steal_pointer (&printed), FALSE);
}

/* What the keys are, of 7, as hexadecimal digits. */
static const char *const key_cases[][2] = {
  { "order_number", "07313032343800" NUMBERS },
  { "customer_number order_number", "0756494e455400313032343800" NUMBERS },
  { "currency", "" },
  { "currency?", "07ff00" NUMBERS },
  { "attribute.state", "0700" NUMBERS },
  { "attribute.none", "" },
  { "first(2,attribute.word)", "07e697a5e69cac00" NUMBERS },
  { "last(2,attribute.word)", "07e8aa9ec3a900" NUMBERS },
  { "last(9,order_number)", "07313032343800" NUMBERS },
  { "md5(order_number)", "07cfdf55d9c4687ca7b7d9b2d2b997135f" NUMBERS },
  { "md5(currency)?", "07ffffffffffffffffffffffffffffffff" NUMBERS },
  /* −14,182,940,000 ms */
  { "time(sales_date)", "077ffffffcb2a182a0" NUMBERS },
  { "rtime(sales_date)", "07800000034d5e7d5f" NUMBERS },
  { "day(sales_date)", "073139363930373230" NUMBERS },
  { "month(sales_date) year(sales_date)", "0731393639303731393639" NUMBERS },
  { "day(location.ship_date)", "073139393630373035" NUMBERS },
  { "day(location.ship_date)?", "073139393630373035" NUMBERS " 07ffffffffffffffff" NUMBERS },
  { "line.item_number", "07313100" NUMBERS " 07343200" NUMBERS },
  { "line.item_number? location.address.city?",
    "073131005265696d7300" NUMBERS " 073432005265696d7300" NUMBERS " 07ff00ff00" NUMBERS },
  { "location.address.city line.item_number",
    "075265696d7300313100" NUMBERS " 075265696d7300343200" NUMBERS },
};

static void
test_keys (void)
{
  g_autoptr (TallOrder) order = make_order ();
  for (guint i = 0; i < G_N_ELEMENTS (key_cases); i++)
    {
      g_autofree char *keys = print_keys (key_cases[i][0], order);
      g_assert_cmpstr (keys, ==, key_cases[i][1]);
    }
}

/* An order without locations has no fields of them. */
static void
test_bare (void)
{
  g_autoptr (TallOrder) order = tall_order_new ("VINET", "10248");
  g_autofree char *none = print_keys ("line.item_number", order);
  g_autofree char *absent = print_keys ("line.item_number? location.name?", order);
  g_assert_cmpstr (none, ==, "");
  g_assert_cmpstr (absent, ==,
                   "07"
                   "ff00"
                   "ff00" NUMBERS);
}

/* Texts from which the same would be left have different keys, none of which has a 00 in the text;
 * all of them lead back to the order. */
static void
test_long (void)
{
  static const guint lengths[] = { 127, 128, 129, 3000, 4096 };
  g_autoptr (TallTemplate) template = tall_template_parse ("attribute.a?", NULL);
  g_autoptr (GHashTable) known = g_hash_table_new (g_bytes_hash, g_bytes_equal);
  g_autoptr (GPtrArray) keys = g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  for (guint i = 0; i < 2 * G_N_ELEMENTS (lengths); i++)
    {
      g_autoptr (TallOrder) order = tall_order_new ("C", "é 1");
      g_autofree char *text = g_strnfill (lengths[i / 2], 'a');
      text[lengths[i / 2] - 1] = i % 2 == 0 ? 'a' : 'b';
      tall_order_add_attribute (order, "a", text);
      tall_template_append_keys (template, order, 1, keys);
    }
  for (guint i = 0; i < keys->len; i++)
    {
      const GByteArray *key = g_ptr_array_index (keys, i);
      g_autofree char *customer = NULL;
      g_autofree char *order = NULL;
      g_assert_true (tall_template_split_key (tall_slice_array (key), &customer, &order));
      g_assert_cmpstr (customer, ==, "C");
      g_assert_cmpstr (order, ==, "é 1");
      g_assert_cmpuint (key->len, <=, 1 + 128 + 1 + strlen ("-C-é 1"));
      g_assert_cmpuint (strlen ((const char *)key->data), ==, MIN (lengths[i / 2], 128) + 1);
      g_ptr_array_add (all, g_bytes_new (key->data, key->len));
      g_assert_true (g_hash_table_add (known, g_ptr_array_index (all, i)));
    }
}

/* The text of an entry that was cut is not found as one that it looks like. */
static void
test_lookalike (void)
{
  g_autofree char *text = g_strnfill (2000, 'a');
  g_autoptr (TallOrder) order = tall_order_new ("C", "1");
  g_autoptr (TallOrder) other = tall_order_new ("C", "1");
  tall_order_add_attribute (order, "a", text);
  g_autofree char *digest = g_compute_checksum_for_string (G_CHECKSUM_MD5, text, -1);
  text[128 - 32] = '\0';
  g_autofree char *like = g_strconcat (text, digest, NULL);
  tall_order_add_attribute (other, "a", like);
  g_autofree char *key = print_keys ("attribute.a", order);
  g_autofree char *of_other = print_keys ("attribute.a", other);
  g_assert_cmpstr (key, !=, of_other);
}

static void
test_split (void)
{
  static const TallSlice wrong[] = {
    { (const guint8 *)"", 0 },
    { (const guint8 *)"\x01", 1 },
    { (const guint8 *)"\x01"
                      "a",
      2 },
    { (const guint8 *)"\x01\0"
                      "a",
      3 },
    { (const guint8 *)"\x01\0\0", 3 },
    { (const guint8 *)"\x01\0a\0", 4 },
    { (const guint8 *)"\x01\0\0a", 4 },
    { (const guint8 *)"\x01\0\xff\0a", 5 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      char *customer = NULL, *order = NULL;
      g_assert_false (tall_template_split_key (wrong[i], &customer, &order));
      g_assert_null (customer);
      g_assert_null (order);
    }
}

/* @values: with a space between them. Returns: START STOP, or the message */
static char *
print_range (const char *text, const char *values, const char *from, const char *to)
{
  g_autoptr (TallTemplate) template = tall_template_parse (text, NULL);
  g_auto (GStrv) words = g_strsplit (values, " ", 0);
  const TallTemplateQuery query = { (const char *const *)words, g_strv_length (words), from, to };
  g_autoptr (GByteArray) start = g_byte_array_new ();
  g_autoptr (GByteArray) stop = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  gsize n_prefix = 0;
  tall_bytes_append_u8 (start, 7);
  if (!tall_template_append_range (template, &query, start, stop, &n_prefix, &error))
    {
      g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
      return g_strdup (error->message);
    }
  g_assert_cmpuint (n_prefix, <=, start->len);
  g_autofree char *start_hex = tall_slice_to_hex (tall_slice_array (start));
  g_autofree char *stop_hex = tall_slice_to_hex (tall_slice_array (stop));
  return g_strconcat (start_hex, " ", stop_hex, NULL);
}

static void
test_ranges (void)
{
  static const char *const cases[][5] = {
    { "order_number", "1", NULL, NULL, "073100 073101" },
    { "order_number", "", NULL, NULL, "07 08" },
    { "order_number", "", "1", "2", "0731 0732" },
    { "order_number", "", "1", NULL, "0731 07ff" },
    { "order_number", "", NULL, "2", "07 0732" },
    { "first(1,order_number) order_number", "1", "12", NULL,
      "07310031"
      "32 073100ff" },
    { "first(2,order_number)", "éß", NULL, NULL, "07c3a9c39f00 07c3a9c39f01" },
    { "first(2,order_number)", "0299", NULL, NULL,
      "first(2,order_number) takes 2 characters at most: 02" },
    { "last(2,order_number)", "#1001", NULL, NULL, "takes 2 characters at most: 01" },
    { "first(2,order_number)", "", "029", NULL, "takes 2 characters at most: 02" },
    { "first(2,order_number)", "", NULL, "029", "takes 2 characters at most: 02" },
    { "day(sales_date)", "2026-11-28T23:00-02:00", NULL, NULL,
      "day(sales_date) takes 10 characters at most: 2026-11-29" },
    { "month(sales_date)", "2026-11-28", NULL, NULL, "takes 7 characters at most: 2026-11" },
    { "month(sales_date)", "", "2026-11-28", NULL, "takes 7 characters at most: 2026-11" },
    { "year(sales_date)", "", NULL, "2026-11", "takes 4 characters at most: 2026" },
    { "currency day(sales_date)", "EUR", "2026", "2026-11",
      "0745555200"
      "3230323630313031 "
      "0745555200"
      "3230323631313031" },
    { "month(sales_date)", "2026-11", NULL, NULL, "07323032363131 07323032363132" },
    { "year(sales_date)?", "", "1969", NULL, "0731393639 07ff" },
    { "time(sales_date)", "", "1970", "1970-01-01T00:00:00.002Z",
      "078000000000000000 078000000000000002" },
    { "rtime(sales_date)", "", "1970", "1970-01-01T00:00:00.002Z",
      "077ffffffffffffffe 078000000000000000" },
    { "rtime(sales_date)", "", "1970", NULL, "07 078000000000000000" },
    { "rtime(sales_date)?", "", NULL, "1970", "078000000000000000 07ff" },
    { "rtime(sales_date)", "1970-01-01", NULL, NULL, "077fffffffffffffff 0780" },
    { "order_number", "1 2", NULL, NULL, "the index has 1 parts" },
    { "order_number", "1", "2", NULL,
      "the index has 1 parts (order_number), and there are 1 values "
      "and a range" },
    { "md5(order_number)", "", "2", NULL, "keeps no order" },
    { "order_number", "", "2", "1", "empty or the wrong way round" },
    { "order_number", "", "2", "2", "empty or the wrong way round" },
    { "rtime(sales_date)", "", "1971", "1970", "empty or the wrong way round" },
    { "day(sales_date)", "2026-11", NULL, NULL,
      "“2026-11” is not a date as day(sales_date) needs it, "
      "such as 2026-11-28" },
    { "month(sales_date)", "2026", NULL, NULL, "such as 2026-11" },
    { "year(sales_date)", "26", NULL, NULL, "such as 2026" },
    { "year(sales_date)", "2026-13-01", NULL, NULL, "is not a date" },
    { "order_number", "\xff", NULL, NULL, "is not UTF-8" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *is = print_range (cases[i][0], cases[i][1], cases[i][2], cases[i][3]);
      if (strstr (is, cases[i][4]) == NULL)
        g_error ("%s, “%s”: “%s” is not “%s”", cases[i][0], cases[i][1], is, cases[i][4]);
    }
}

/* Which values of the leading parts are chosen of what is given by names; NULL: it does not fit. */
static void
test_choice (void)
{
  static const char *const cases[][4] = {
    { "order_number", "order_number=1", NULL, "1" },
    { "order_number", "order_number=a=b", NULL, "a=b" },
    { "order_number", "order=1", NULL, NULL },
    { "order_number", "order_number", NULL, NULL },
    { "md5(line.item_number) rtime(sales_date)", "line.item_number=11", "1996", "11" },
    { "md5(line.item_number) rtime(sales_date)", "md5(line.item_number)=11", NULL, "11" },
    { "md5(line.item_number) currency", "currency=EUR line.item_number=11", NULL, "11 EUR" },
    { "md5(line.item_number) currency", "currency=EUR", NULL, NULL },
    { "md5(line.item_number) currency", "currency=EUR line.item_number=11", "1", NULL },
    { "last(1,attribute.s) attribute.s", "attribute.s=123", NULL, "3 123" },
    { "last(1,attribute.s)", "attribute.s=123", NULL, NULL },
    { "last(1,attribute.s)", "last(1,attribute.s)=3", NULL, "3" },
    { "month(sales_date) currency day(sales_date)", "sales_date=2026-11 currency=EUR", NULL,
      "2026-11 EUR" },
    { "month(sales_date) currency day(sales_date)", "sales_date=2026-11-28 currency=EUR", NULL,
      "2026-11 EUR 2026-11-28" },
    { "month(sales_date)", "sales_date=2026-11-28", NULL, NULL },
    { "day(sales_date) rtime(sales_date)", "sales_date=2026-11-28", NULL, "2026-11-28" },
    { "rtime(sales_date)", "sales_date=2026-11-28", NULL, NULL },
    { "rtime(sales_date)", "sales_date=2026-11-28T10:00Z", NULL, "2026-11-28T10:00Z" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TallTemplate) template = tall_template_parse (cases[i][0], NULL);
      g_auto (GStrv) words = g_strsplit (cases[i][1], " ", 0);
      const TallTemplateQuery query = { (const char *const *)words, g_strv_length (words),
                                        cases[i][2], NULL };
      g_autoptr (GPtrArray) chosen = tall_template_choose_values (template, &query);
      g_autofree char *joined = NULL;
      if (chosen != NULL)
        {
          g_ptr_array_add (chosen, NULL);
          joined = g_strjoinv (" ", (char **)chosen->pdata);
        }
      g_assert_cmpstr (joined, ==, cases[i][3]);
    }
}

/* What there is of a value whose field is there in part. */
static void
test_part (void)
{
  static const char *const cases[][3] = {
    { "first(2,order_number)", "order_number=0299", "first(2,order_number)=02" },
    { "last(2,order_number) currency", "order_number=#1001", "last(2,order_number)=01" },
    { "month(sales_date)", "sales_date=2026-11-28", "month(sales_date)=2026-11" },
    { "month(sales_date)", "sales_date=2026-11", NULL },
    { "month(sales_date) day(sales_date)", "sales_date=2026-11-28", NULL },
    { "first(2,order_number) order_number", "order_number=0299", NULL },
    { "first(2,order_number)", "order=0299", NULL },
    { "first(2,order_number)", "order_number=\xf4", NULL },
    { "currency first(2,order_number)", "order_number=0299", NULL },
    { "rtime(sales_date)", "sales_date=2026-11-28", NULL },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TallTemplate) template = tall_template_parse (cases[i][0], NULL);
      g_autofree char *part = tall_template_find_part (template, cases[i][1]);
      g_assert_cmpstr (part, ==, cases[i][2]);
    }
}

static void
test_of_numbers (void)
{
  static const char *const are[] = { "order_number",
                                     "first(1,customer_number)? md5(order_number)" };
  static const char *const are_not[] = { "currency", "order_number time(sales_date)",
                                         "attribute.order_number",
                                         "order_number line.item_number" };
  for (guint i = 0; i < G_N_ELEMENTS (are); i++)
    {
      g_autoptr (TallTemplate) template = tall_template_parse (are[i], NULL);
      g_assert_true (tall_template_is_of_numbers (template));
    }
  for (guint i = 0; i < G_N_ELEMENTS (are_not); i++)
    {
      g_autoptr (TallTemplate) template = tall_template_parse (are_not[i], NULL);
      g_assert_false (tall_template_is_of_numbers (template));
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/key/template/parse", test_parse);
  g_test_add_func ("/key/template/wrong", test_wrong);
  g_test_add_func ("/key/template/keys", test_keys);
  g_test_add_func ("/key/template/bare", test_bare);
  g_test_add_func ("/key/template/long", test_long);
  g_test_add_func ("/key/template/lookalike", test_lookalike);
  g_test_add_func ("/key/template/split", test_split);
  g_test_add_func ("/key/template/ranges", test_ranges);
  g_test_add_func ("/key/template/choice", test_choice);
  g_test_add_func ("/key/template/part", test_part);
  g_test_add_func ("/key/template/of-numbers", test_of_numbers);
  return g_test_run ();
}
