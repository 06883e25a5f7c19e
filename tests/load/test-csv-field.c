/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "load/csv/field.h"
#include "tall-json.h"
#include "tall-must.h"

static void
test_dates (void)
{
  static const struct
  {
    const char *text;
    TallDates dates;
    const char *iso; /* NULL: refused */
  } cases[] = {
    { "1996-07-04", TALL_DATES_ISO, "1996-07-04T00:00:00.000Z" },
    { "1996-07-04 12:30:00", TALL_DATES_ISO, "1996-07-04T12:30:00.000Z" },
    { "1996-07-04T12:30:00+02:00", TALL_DATES_ISO, "1996-07-04T10:30:00.000Z" },
    { "4/7/1996", TALL_DATES_ISO, NULL },
    { "1996-13-04", TALL_DATES_ISO, NULL },
    { "", TALL_DATES_ISO, NULL },
    { "1/12/2010", TALL_DATES_DMY, "2010-12-01T00:00:00.000Z" },
    { "01.12.2010", TALL_DATES_DMY, "2010-12-01T00:00:00.000Z" },
    { "1-12-2010 8:26", TALL_DATES_DMY, "2010-12-01T08:26:00.000Z" },
    { "1/12/2010 8:26:59", TALL_DATES_DMY, "2010-12-01T08:26:59.000Z" },
    { "29/2/2012", TALL_DATES_DMY, "2012-02-29T00:00:00.000Z" },
    { "29/2/2011", TALL_DATES_DMY, NULL },
    { "12/31/2010", TALL_DATES_DMY, NULL },
    { "1/12/10", TALL_DATES_DMY, NULL },
    { "1/12/20100", TALL_DATES_DMY, NULL },
    { "1/12/2010x", TALL_DATES_DMY, NULL },
    { "1/12/2010 24:00", TALL_DATES_DMY, NULL },
    { "1/12/2010 8:26:60", TALL_DATES_DMY, NULL },
    { "1/12/2010 8:26:", TALL_DATES_DMY, NULL },
    { " 1/12/2010", TALL_DATES_DMY, NULL },
    { "1/12/0000", TALL_DATES_DMY, NULL },
    { "0/12/2010", TALL_DATES_DMY, NULL },
    { "1/12/2010", TALL_DATES_MDY, "2010-01-12T00:00:00.000Z" },
    { "31/12/2010", TALL_DATES_MDY, NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("“%s” as %d", cases[i].text, cases[i].dates);
      g_autoptr (GError) error = NULL;
      char text[TALL_DATE_TEXT_SIZE];
      gint64 date;
      TallValueFormat format = { .dates = cases[i].dates };
      gboolean ok = tall_parse_date (cases[i].text, &format, &date, &error);
      must_be (error, cases[i].iso == NULL ? TALL_ERROR_INVALID : 0);
      g_assert_cmpint (ok, ==, cases[i].iso != NULL);
      if (ok)
        g_assert_cmpstr (tall_date_format (date, text), ==, cases[i].iso);
    }
}

static void
test_positions (void)
{
  static const char *const bad[] = { "", "0", "-1", "2147483648", "1.0", "1 ", "x", "+1" };
  gint32 number;
  must (tall_parse_position ("1", &number, &error));
  g_assert_cmpint (number, ==, 1);
  must (tall_parse_position ("2147483647", &number, &error));
  g_assert_cmpint (number, ==, G_MAXINT32);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_test_message ("“%s”", bad[i]);
      g_autoptr (GError) refused = NULL;
      g_assert_false (tall_parse_position (bad[i], &number, &refused));
      g_assert_error (refused, TALL_ERROR, TALL_ERROR_INVALID);
    }
}

static char *
set_number (const char *name, const TallValueFormat *format, const char *text)
{
  TallLineItem line = TALL_PB__LINE_ITEM__INIT;
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (GError) error = NULL;
  const TallCsvField *field = tall_csv_field_find (TALL_SCOPE_LINE, name);
  g_assert_nonnull (field);
  if (!tall_csv_field_set (field, format, arena, &line, text, &error))
    {
      g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
      return g_strdup ("refused");
    }
  char buffer[TALL_DECIMAL_TEXT_SIZE];
  gboolean is_discount = g_str_equal (name, "discount");
  return g_strdup (tall_decimal_format (is_discount ? *line.discount : *line.price, buffer));
}

static void
test_numbers (void)
{
  static const TallValueFormat plain = { 0 };
  static const TallValueFormat dollars = { .signs = "$" };
  static const TallValueFormat comma = { .decimal_comma = TRUE, .discount_percent = TRUE };
  static const struct
  {
    const char *field;
    const TallValueFormat *format;
    const char *text;
    const char *value;
  } cases[] = {
    { "price", &plain, "1.50", "1.50" },
    { "price", &plain, "-11062.06", "-11062.06" },
    { "price", &plain, "1,50", "refused" },
    { "price", &plain, "1e3", "refused" },
    { "price", &plain, "", "refused" },
    { "price", &plain, "99999999999999999999", "refused" },
    { "price", &comma, "1,50", "1.50" },
    { "price", &comma, "1.50", "refused" },
    { "price", &comma, "1,5,0", "refused" },
    { "discount", &plain, "0.15", "0.15" },
    { "discount", &plain, "1.00", "1.00" },
    { "discount", &plain, "1.01", "refused" },
    { "discount", &plain, "-0.1", "refused" },
    { "discount", &plain, "15", "refused" },
    { "discount", &plain, "15%", "refused" },
    { "discount", &dollars, "0.75", "0.75" },
    { "discount", &dollars, "$0.75", "refused" },
    { "price", &dollars, "$0.75", "0.75" },
    { "discount", &comma, "15", "0.15" },
    { "discount", &comma, "7,5%", "0.075" },
    { "discount", &comma, "100", "1.00" },
    { "discount", &comma, "101", "refused" },
    { "discount", &comma, "0,12345678901234567", "refused" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("%s “%s”", cases[i].field, cases[i].text);
      g_autofree char *value = set_number (cases[i].field, cases[i].format, cases[i].text);
      g_assert_cmpstr (value, ==, cases[i].value);
    }
}

/* The numbers of an order, of its customer, and of anything else. */
static void
test_whose_number (void)
{
  static const struct
  {
    TallCsvScope scope;
    const char *name;
    gboolean of_customer;
    gboolean of_order;
  } cases[] = {
    { TALL_SCOPE_ORDER, "customer_number", TRUE, FALSE },
    { TALL_SCOPE_ORDER, "order_number", FALSE, TRUE },
    { TALL_SCOPE_ORDER, "currency", FALSE, FALSE },
    { TALL_SCOPE_LOCATION, "number", FALSE, FALSE },
    { TALL_SCOPE_LINE, "number", FALSE, FALSE },
    { TALL_SCOPE_LINE, "item_number", FALSE, FALSE },
    { TALL_SCOPE_CUSTOMER, "number", TRUE, FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const TallCsvField *field = tall_csv_field_find (cases[i].scope, cases[i].name);
      g_assert_cmpint (tall_csv_field_is_customer_number (field), ==, cases[i].of_customer);
      g_assert_cmpint (tall_csv_field_is_order_number (field), ==, cases[i].of_order);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/load/csv-field/dates", test_dates);
  g_test_add_func ("/load/csv-field/positions", test_positions);
  g_test_add_func ("/load/csv-field/whose-number", test_whose_number);
  g_test_add_func ("/load/csv-field/numbers", test_numbers);
  return g_test_run ();
}
