/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-json.h"
#include "tall-limits.h"
#include "tall-must.h"

static const struct
{
  const char *text;
  gint64 date;
} cases[] = {
  { "1970-01-01T00:00:00.000Z", 0 },
  { "1969-12-31T23:59:59.999Z", -1 },
  { "1996-07-04T00:00:00.000Z", G_GINT64_CONSTANT (836438400000) },
  { "2000-02-29T12:34:56.789Z", G_GINT64_CONSTANT (951827696789) },
  { "1900-03-01T00:00:00.000Z", G_GINT64_CONSTANT (-2203891200000) },
  { "0001-01-01T00:00:00.000Z", TALL_MIN_DATE },
  { "9999-12-31T23:59:59.999Z", TALL_MAX_DATE },
};

static gint64
parse (const char *text)
{
  gint64 date = 0;
  must (tall_date_parse (text, &date, &error));
  return date;
}

static void
test_known (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      char text[TALL_DATE_TEXT_SIZE];
      g_assert_cmpstr (tall_date_format (cases[i].date, text), ==, cases[i].text);
      g_assert_cmpint (parse (cases[i].text), ==, cases[i].date);
    }
}

static void
test_round_trip (void)
{
  for (guint i = 0; i < 100000; i++)
    {
      char text[TALL_DATE_TEXT_SIZE];
      gint64 range = TALL_MAX_DATE - TALL_MIN_DATE;
      gint64 date = TALL_MIN_DATE + (gint64)(g_test_rand_double () * (double)range);
      g_assert_cmpint (parse (tall_date_format (date, text)), ==, date);

      /* GLib agrees. */
      g_autoptr (GDateTime) other = g_date_time_new_from_iso8601 (text, NULL);
      g_assert_nonnull (other);
      g_assert_cmpint (g_date_time_to_unix (other), ==,
                       (date - TALL_MIN_DATE) / 1000 - 62135596800);
    }
}

static void
test_other_forms (void)
{
  g_assert_cmpint (parse ("1996-07-04"), ==, G_GINT64_CONSTANT (836438400000));
  g_assert_cmpint (parse ("1996-07-04T02:00+02:00"), ==, G_GINT64_CONSTANT (836438400000));
  g_assert_cmpint (parse ("1996-07-03T18:30:00-05:30"), ==, G_GINT64_CONSTANT (836438400000));
  g_assert_cmpint (parse ("1970-01-01T00:00:00.5Z"), ==, 500);
  g_assert_cmpint (parse ("1970-01-01T00:00:00.123000Z"), ==, 123);
}

/* What a search takes: as much as is known. */
static void
test_first (void)
{
  static const char *const texts[] = { "1996", "1996-01", "1996-01-01", "1996-01-01T00:00Z" };
  static const char *const bad[] = { "", "199", "1996-", "1996-1", "1996-13", "0000", "1996-01T" };
  gint64 date;
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      must (tall_date_parse_first (texts[i], &date, &error));
      g_assert_cmpint (date, ==, parse ("1996-01-01"));
    }
  must (tall_date_parse_first ("1996-07", &date, &error));
  g_assert_cmpint (date, ==, parse ("1996-07-01"));
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *shown = g_strdup_printf ("“%s” is not a date", bad[i]);
      g_assert_false (tall_date_parse_first (bad[i], &date, &error));
      g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
      g_assert_true (g_str_has_prefix (error->message, shown));
    }
}

static void
test_refused (void)
{
  static const char *const bad[] = {
    "",
    "1996",
    "1996-7-4",
    "96-07-04",
    "1996-07-04T",
    "1996-07-04T10:00:00",
    "1996-02-30",
    "1900-02-29",
    "1996-13-01",
    "1996-00-10",
    "1996-01-00",
    "0000-01-01",
    "1996-07-04T24:00:00Z",
    "1996-07-04T23:60:00Z",
    "1996-07-04T23:59:60Z",
    "1996-07-04T00:00:00.1234Z",
    "1996-07-04T00:00:00.Z",
    "1996-07-04 00:00:00Z",
    "1996-07-04Z",
    "1996-07-04T00:00:00Z ",
    " 1996-07-04",
    "04.07.1996",
    "07/04/1996",
    "10000-01-01",
    "-001-01-01",
    "1996-07-04T00:00Zé",
    "0001-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59-00:01",
    "1996-07-04T00:00:00+24:00",
    "1996-07-04T00:00:00+0200",
    "1996-07-04T-1:00:00Z",
    "1996\xff",
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      gint64 date;
      g_test_message ("case %u", i);
      g_assert_false (tall_date_parse (bad[i], &date, &error));
      g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
    }
}

static void
test_out_of_range (void)
{
  char text[TALL_DATE_TEXT_SIZE];
  g_assert_cmpstr (tall_date_format (TALL_MAX_DATE + 1, text), ==, "253402300800000 ms");
  g_assert_cmpstr (tall_date_format (G_MININT64, text), ==, "-9223372036854775808 ms");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/date/known", test_known);
  g_test_add_func ("/model/date/round-trip", test_round_trip);
  g_test_add_func ("/model/date/other-forms", test_other_forms);
  g_test_add_func ("/model/date/refused", test_refused);
  g_test_add_func ("/model/date/first", test_first);
  g_test_add_func ("/model/date/out-of-range", test_out_of_range);
  return g_test_run ();
}
