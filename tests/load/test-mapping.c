/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "load/mapping/mapping.h"
#include "tall-test-files.h"
#include "tall-must.h"

#define NUMBERS "[order]\ncustomer_number=C\norder_number=O\n"

static void
test_presets (void)
{
  const char *const *presets = tall_mapping_presets ();
  g_assert_cmpuint (g_strv_length ((char **)presets), ==, 13);
  for (guint i = 0; presets[i] != NULL; i++)
    {
      g_autoptr (TallMapping) mapping = must (tall_mapping_load (presets[i], &error));
      g_assert_cmpstr (mapping->name, ==, presets[i]);
      g_autofree char *text = tall_mapping_preset_text (presets[i]);
      g_autofree char *path = g_strdup_printf ("src/load/presets/%s.%s", presets[i],
                                               mapping->sql != NULL ? "sql" : "map");
      g_autofree char *source = tall_test_source_path (path);
      g_autofree char *written = NULL;
      must (g_file_get_contents (source, &written, NULL, &error));
      g_assert_cmpstr (text, ==, written);
    }
  g_assert_null (tall_mapping_preset_text ("northwind2"));
}

static void
test_settings (void)
{
  g_autoptr (TallMapping) mapping = must (tall_mapping_parse (
      "m",
      "[mapping]\nkind=orders\ndelimiter=semicolon\ndates=mdy\ndecimal-comma=true\n"
      "discount=percent\nempty=text\nencoding=ISO-8859-1\n" NUMBERS
      "attribute.freight=F\n[location]\nnumber=L\n[line]\nnumber=N\nprice=P\n"
      "[defaults]\norder.currency=EUR\norder.customer_number=GUEST\n",
      -1, &error));
  g_assert_cmpint (mapping->kind, ==, TALL_MAPPING_ORDERS);
  g_assert_cmpint (mapping->dialect.delimiter, ==, ';');
  g_assert_cmpstr (mapping->dialect.encoding, ==, "ISO-8859-1");
  g_assert_cmpint (mapping->format.dates, ==, TALL_DATES_MDY);
  g_assert_true (mapping->format.decimal_comma);
  g_assert_true (mapping->format.discount_percent);
  g_assert_true (mapping->keep_empty);
  g_assert_cmpuint (mapping->sources->len, ==, 7);

  static const char *const columns[] = { "P", "N", "L", "F", "O", "C", NULL };
  must (tall_mapping_bind (mapping, columns, &error));
  g_assert_cmpint (tall_mapping_get_source (mapping, 0)->index, ==, 5);
  g_assert_cmpstr (tall_mapping_get_source (mapping, 0)->fallback, ==, "GUEST");
  g_assert_cmpint (tall_mapping_get_source (mapping, 1)->index, ==, 4);
  g_assert_cmpstr (tall_mapping_get_source (mapping, 2)->part, ==, "freight");
  g_assert_cmpint (tall_mapping_get_source (mapping, 6)->index, ==, -1);
}

/* What a field gets from a row: the column, or else the default, or else nothing. */
static void
test_values (void)
{
  static const char *const columns[] = { "O", "C", "U", NULL };
  static const char *const full[] = { "1", "x", "USD" };
  static const char *const empty[] = { "", "", "" };
  static const char *const texts[] = { "[mapping]\nempty=absent\n" NUMBERS "currency=U\n",
                                       "[mapping]\nempty=text\n" NUMBERS "currency=U\n",
                                       NUMBERS "currency=U\n[defaults]\norder.currency=EUR\n",
                                       NUMBERS "[defaults]\norder.currency=EUR\n" };
  static const char *const from_full[] = { "USD", "USD", "USD", "EUR" };
  static const char *const from_empty[] = { NULL, "", "EUR", "EUR" };
  static const char *const from_short[] = { NULL, NULL, "EUR", "EUR" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (TallMapping) mapping = must (tall_mapping_parse ("m", texts[i], -1, &error));
      must (tall_mapping_bind (mapping, columns, &error));
      const TallMappingSource *source = tall_mapping_get_source (mapping, 2);
      g_assert_cmpstr (tall_mapping_get_value (mapping, source, full, 3), ==, from_full[i]);
      g_assert_cmpstr (tall_mapping_get_value (mapping, source, empty, 3), ==, from_empty[i]);
      g_assert_cmpstr (tall_mapping_get_value (mapping, source, full, 2), ==, from_short[i]);
      /* Numbers are never empty texts. */
      source = tall_mapping_get_source (mapping, 0);
      g_assert_cmpstr (tall_mapping_get_value (mapping, source, empty, 3), ==, NULL);
    }
}

static void
test_refused (void)
{
  static const struct
  {
    const char *text;
    const char *message; /* its beginning */
  } cases[] = {
    { "order\n", "Mapping m: Key file contains line" },
    { "", "Mapping m, [order] customer_number: has to name a column" },
    { "[order]\ncustomer_number=C\n", "Mapping m, [order] order_number: has to name a column" },
    { "[mapping]\nkind=customers\n", "Mapping m, [customer] number: has to name a column" },
    { "[mapping]\nkind=invoices\n",
      "Mapping m, [mapping] kind: “invoices” is not one of: orders, customers" },
    { "[mapping]\ndates=iso8601\n",
      "Mapping m, [mapping] dates: “iso8601” is not one of: iso, dmy, mdy" },
    { "[mapping]\nthousands=.\ndecimal-comma=false\n" NUMBERS,
      "Mapping m, [mapping] thousands: “.” is what decimals begin with; set decimal-comma = true" },
    { "[mapping]\ncolumns=A;B\n" NUMBERS, "Mapping m, [mapping] columns: header = none needs" },
    { "[mapping]\ndates=%d.%m.%y\n" NUMBERS,
      "Mapping m, [mapping] dates: %y needs two-digit-years" },
    { "[mapping]\nencoding=latin\n",
      "Mapping m, [mapping] encoding: there is no encoding “latin”" },
    { "[mapping]\nencoding=UTF-8//IGNORE\n",
      "Mapping m, [mapping] encoding: there is no encoding “UTF-8//IGNORE”" },
    { "[mapping]\nencoding=\n", "Mapping m, [mapping] encoding: there is no encoding “”" },
    { "[mapping]\nseparator=tab\n",
      "Mapping m, [mapping] separator: there is no such key; known are: kind, delimiter" },
    { NUMBERS "[lines]\nprice=P\n",
      "Mapping m, [lines]: a mapping of orders has no such group; known are: [mapping], [order], "
      "[location], [line], [defaults]" },
    { NUMBERS "[customer]\nname=P\n", "Mapping m, [customer]: a mapping of orders has no such" },
    { "[mapping]\nkind=customers\n[order]\norder_number=O\n",
      "Mapping m, [order]: a mapping of customers has no such group; known are: [mapping], "
      "[customer], [defaults]" },
    { NUMBERS "date=D\n",
      "Mapping m, [order] date: there is no such field; known are: customer_number, order_number, "
      "sales_date, currency, attribute.NAME" },
    { NUMBERS "order_number=P\n",
      "Mapping m: [order] order_number: stands here twice; leave one of them out" },
    { NUMBERS "attribute.x=D\nattribute.x=E\n",
      "Mapping m: [order] attribute.x: stands here twice" },
    { NUMBERS "[defaults]\norder.currency=EUR\norder.currency=EUR\n",
      "Mapping m: [defaults] order.currency: stands here twice" },
    { "[mapping]\ndates=dmy\n" NUMBERS "[mapping]\ndates=mdy\n",
      "Mapping m: [mapping] dates: stands here twice" },
    { NUMBERS "attribute.=D\n", "Mapping m, [order] attribute.: there is no such field" },
    { NUMBERS "currency=\n", "Mapping m, [order] currency: names no column" },
    { NUMBERS "[defaults]\ncurrency=EUR\n",
      "Mapping m, [defaults] currency: there is no such field; write GROUP.FIELD" },
    { NUMBERS "[defaults]\norder.colour=red\n", "Mapping m, [defaults] order.colour: there is no" },
    { NUMBERS "[defaults]\nline.number=1\n",
      "Mapping m, [defaults] line.number: this field cannot have a default" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("%s", cases[i].text);
      g_autoptr (GError) error = NULL;
      g_autoptr (TallMapping) mapping = tall_mapping_parse ("m", cases[i].text, -1, &error);
      g_assert_null (mapping);
      g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
      g_assert_true (g_str_has_prefix (error->message, cases[i].message));
    }
}

static void
test_missing_column (void)
{
  static const char *const columns[] = { "C", "Order", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (TallMapping) mapping = must (tall_mapping_parse ("m.map", NUMBERS, -1, &error));
  g_assert_false (tall_mapping_bind (mapping, columns, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_cmpstr (error->message, ==,
                   "Mapping m.map, [order] order_number: the file has no column “O”; it has: C, "
                   "Order");
}

static void
test_files (void)
{
  g_autofree char *path = tall_test_write_file (NUMBERS, -1);
  g_autoptr (TallMapping) mapping = must (tall_mapping_load (path, &error));
  g_assert_cmpstr (mapping->name, ==, path);
  g_remove (path);

  must_fail (tall_mapping_load (path, &error), TALL_ERROR_INVALID,
             "northwind, northwind-customers, online-retail");
}

/* What has no end is not read to its end. */
static void
test_endless (void)
{
  must_fail (tall_mapping_load ("/dev/zero", &error), TALL_ERROR_INVALID,
             "/dev/zero is larger than 1048576 bytes");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/load/mapping/presets", test_presets);
  g_test_add_func ("/load/mapping/settings", test_settings);
  g_test_add_func ("/load/mapping/values", test_values);
  g_test_add_func ("/load/mapping/refused", test_refused);
  g_test_add_func ("/load/mapping/missing-column", test_missing_column);
  g_test_add_func ("/load/mapping/files", test_files);
  g_test_add_func ("/load/mapping/endless", test_endless);
  return g_test_run ();
}
