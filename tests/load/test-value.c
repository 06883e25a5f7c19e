/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-json.h"
#include "load/mapping/mapping.h"
#include "tall-must.h"

#define PACIFIC "dates=%b %d, %Y %I:%M:%S %p %Z\ntime-zone=America/Los_Angeles"
#define NUMBERS "[order]\ncustomer_number=C\norder_number=O\n"

static TallMapping *
parse_mapping (const char *settings)
{
  g_autofree char *text = g_strconcat ("[mapping]\n", settings, "\n" NUMBERS, NULL);
  return must (tall_mapping_parse ("m", text, -1, &error));
}

static const struct
{
  const char *settings;
  const char *text;
  const char *iso; /* NULL: refused */
} date_cases[] = {
  { "dates=%Y%m%d", "20250301", "2025-03-01T00:00:00.000Z" },
  { "dates=%Y%m%d", "2025301", NULL },
  { "dates=%Y%m%d", "202503011", NULL },
  { "dates=%Y%m%d", "20250229", NULL },
  { "dates=%Y%m%d", "20251301", NULL },
  { "dates=%Y%m%d", "2025-03-01", NULL },
  { "dates=%Y%m%d", "", NULL },
  { "dates=%d.%m.%Y", "1.3.2025", "2025-03-01T00:00:00.000Z" },
  { "dates=%d.%m.%Y", "01.03.2025 ", NULL },
  { "dates=%d.%m.%Y", "01.03.25", NULL },
  { "dates=%d.%m.%Y|%Y%m%d", "01.03.2025", "2025-03-01T00:00:00.000Z" },
  { "dates=%d.%m.%Y|%Y%m%d", "20250301", "2025-03-01T00:00:00.000Z" },
  { "dates=%d.%m.%Y|%Y%m%d", "3/1/2025", NULL },
  { "dates=%d %b %Y %H:%M:%S.%f", "1 Mar 2025 23:59:58.5", "2025-03-01T23:59:58.500Z" },
  { "dates=%d %b %Y %H:%M:%S.%f", "1 MARCH   2025 3:09:58.123456789", "2025-03-01T03:09:58.123Z" },
  { "dates=%d %b %Y %H:%M:%S.%f", "1 Mar 2025 23:59:58.1234567891", NULL },
  { "dates=%d %b %Y", "1 Mrz 2025", NULL },
  { "dates=%d %b %Y", "1 May 2025", "2025-05-01T00:00:00.000Z" },
  { "dates=%a, %d %b %Y", "Sat, 01 Mar 2025", "2025-03-01T00:00:00.000Z" },
  { "dates=%a, %d %b %Y", "saturday, 01 march 2025", "2025-03-01T00:00:00.000Z" },
  { "dates=%Y-%m-%d %I:%M %p", "2025-03-01 12:05 AM", "2025-03-01T00:05:00.000Z" },
  { "dates=%Y-%m-%d %I:%M %p", "2025-03-01 12:05 pm", "2025-03-01T12:05:00.000Z" },
  { "dates=%Y-%m-%d %I:%M %p", "2025-03-01 1:05 pm", "2025-03-01T13:05:00.000Z" },
  { "dates=%Y-%m-%d %I:%M %p", "2025-03-01 13:05 pm", NULL },
  { "dates=%Y-%m-%d %I:%M %p", "2025-03-01 0:05 am", NULL },
  { "dates=%Y-%m-%d %H:%M", "2025-03-01 24:00", NULL },
  { "dates=%Y-%m-%dT%H:%M:%S%z", "2025-03-01T10:00:00+0100", "2025-03-01T09:00:00.000Z" },
  { "dates=%Y-%m-%dT%H:%M:%S%z", "2025-03-01T10:00:00-01:30", "2025-03-01T11:30:00.000Z" },
  { "dates=%Y-%m-%dT%H:%M:%S%z", "2025-03-01T10:00:00+01", "2025-03-01T09:00:00.000Z" },
  { "dates=%Y-%m-%dT%H:%M:%S%z", "2025-03-01T10:00:00Z", "2025-03-01T10:00:00.000Z" },
  { "dates=%Y-%m-%dT%H:%M:%S%z", "2025-03-01T10:00:00+01:", NULL },
  { "dates=%Y-%m-%dT%H:%M:%S%z", "2025-03-01T10:00:00", NULL },
  { "dates=%s", "0", "1970-01-01T00:00:00.000Z" },
  { "dates=%s", "1740787200", "2025-03-01T00:00:00.000Z" },
  { "dates=%s", "-1", "1969-12-31T23:59:59.000Z" },
  { "dates=%s", "-", NULL },
  { "dates=%s", "999999999999", NULL },
  { "dates=%s", "1740787200.5", NULL },
  { "dates=%s.%f\ntime-zone=Europe/Berlin", "1740787200.5", "2025-03-01T00:00:00.500Z" },
  { "dates=%s.%f", "-0.5", "1969-12-31T23:59:59.500Z" },
  { "dates=%Q", "1740787200123", "2025-03-01T00:00:00.123Z" },
  { "dates=100%% %Y%m%d", "100% 20250301", "2025-03-01T00:00:00.000Z" },
  { "dates=%d.%m.%y\ntwo-digit-years=1970", "1.3.70", "1970-03-01T00:00:00.000Z" },
  { "dates=%d.%m.%y\ntwo-digit-years=1970", "1.3.69", "2069-03-01T00:00:00.000Z" },
  { "dates=%d.%m.%y\ntwo-digit-years=1970", "1.3.99", "1999-03-01T00:00:00.000Z" },
  { "dates=%d.%m.%y\ntwo-digit-years=1970", "1.3.00", "2000-03-01T00:00:00.000Z" },
  { "dates=%d.%m.%y\ntwo-digit-years=2000", "1.3.99", "2099-03-01T00:00:00.000Z" },
  { "dates=%d.%m.%y\ntwo-digit-years=2000", "1.3.2025", NULL },
  { "dates=dmy\ntwo-digit-years=1930", "1/3/29", "2029-03-01T00:00:00.000Z" },
  { "dates=dmy\ntwo-digit-years=1930", "1/3/30 8:26", "1930-03-01T08:26:00.000Z" },
  { "dates=dmy\ntwo-digit-years=1930", "1/3/2031", "2031-03-01T00:00:00.000Z" },
  { "dates=dmy\ntwo-digit-years=1930", "1/3/130", NULL },
  { "dates=mdy", "3/1/25", NULL },
  { "dates=mdy", "3/1/0000", NULL },
  { "dates=dmy", "1/3/2025 7:08:09", "2025-03-01T07:08:09.000Z" },
  { "dates=dmy", "1/3/2025 7", NULL },
  { "dates=dmy", "1/3/2025 7:60", NULL },
  { PACIFIC, "Dec 1, 2017 12:38:23 AM PST", "2017-12-01T08:38:23.000Z" },
  { PACIFIC, "Jul 4, 2018 3:05:07 PM PDT", "2018-07-04T22:05:07.000Z" },
  { PACIFIC, "Nov 4, 2018 1:30:00 AM PDT", "2018-11-04T08:30:00.000Z" },
  { PACIFIC, "Nov 4, 2018 1:30:00 AM PST", "2018-11-04T09:30:00.000Z" },
  { PACIFIC, "Jul 4, 2018 3:05:07 PM UTC", "2018-07-04T15:05:07.000Z" },
  { PACIFIC, "Jul 4, 2018 3:05:07 PM PST", NULL },
  { PACIFIC, "Mar 11, 2018 2:30:00 AM PST", NULL },
  { PACIFIC, "Jul 4, 2018 3:05:07 PM PD", NULL },
  { PACIFIC, "Jul 4, 2018 3:05:07 PM ", NULL },
  { "dates=%Y-%m-%d %H:%M %Z", "2025-03-01 10:00 GMT", "2025-03-01T10:00:00.000Z" },
  { "dates=%Y-%m-%d %H:%M %Z", "2025-03-01 10:00 CET", NULL },
  { "time-zone=Europe/Berlin", "2025-03-01", "2025-02-28T23:00:00.000Z" },
  { "time-zone=Europe/Berlin", "2025-07-01 12:00:00", "2025-07-01T10:00:00.000Z" },
  { "time-zone=Europe/Berlin", "2025-07-01T12:00:00+05:00", "2025-07-01T07:00:00.000Z" },
  { "time-zone=Europe/Berlin", "1960-07-01", "1960-06-30T23:00:00.000Z" },
  { "time-zone=Europe/Berlin\ndates=dmy", "1/7/2025 12:00", "2025-07-01T10:00:00.000Z" },
  { "time-zone=America/New_York\ndates=%Y%m%d%H%M", "202507011200", "2025-07-01T16:00:00.000Z" },
  { "time-zone=+05:30", "2025-03-01", "2025-02-28T18:30:00.000Z" },
  /* The clock is set forward from 2:00 to 3:00, … */
  { "time-zone=Europe/Berlin", "2025-03-30 01:59:59", "2025-03-30T00:59:59.000Z" },
  { "time-zone=Europe/Berlin", "2025-03-30 02:00:00", NULL },
  { "time-zone=Europe/Berlin", "2025-03-30 02:59:59", NULL },
  { "time-zone=Europe/Berlin\ndates=dmy", "30/3/2025 02:30", NULL },
  { "time-zone=Europe/Berlin\ndates=%Y%m%d%H%M", "202503300230", NULL },
  { "time-zone=Europe/Berlin", "2025-03-30 03:00:00", "2025-03-30T01:00:00.000Z" },
  /* … and set back from 3:00 to 2:00: the first of two counts. */
  { "time-zone=Europe/Berlin", "2025-10-26 02:30:00", "2025-10-26T00:30:00.000Z" },
  { "time-zone=Europe/Berlin", "2025-10-26 03:00:00", "2025-10-26T02:00:00.000Z" },
  { "time-zone=Europe/Berlin", "2025-10-26 01:59:59", "2025-10-25T23:59:59.000Z" },
  /* A day that begins at 1:00. */
  { "time-zone=America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00.000Z" },
  { "time-zone=America/Sao_Paulo", "2018-11-04 00:00:00", NULL },
  { "time-zone=America/Sao_Paulo", "2018-11-05", "2018-11-05T02:00:00.000Z" },
};

static void
test_dates (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (date_cases); i++)
    {
      g_test_message ("%s: “%s”", date_cases[i].settings, date_cases[i].text);
      g_autoptr (TallMapping) mapping = parse_mapping (date_cases[i].settings);
      g_autoptr (GError) error = NULL;
      char text[TALL_DATE_TEXT_SIZE];
      gint64 date;
      gboolean ok = tall_parse_date (date_cases[i].text, &mapping->format, &date, &error);
      must_be (error, date_cases[i].iso == NULL ? TALL_ERROR_INVALID : 0);
      g_assert_cmpstr (ok ? tall_date_format (date, text) : NULL, ==, date_cases[i].iso);
    }
}

static const struct
{
  const char *settings;
  const char *text;
  const char *value; /* NULL: refused */
} number_cases[] = {
  { "", ".5", "0.5" },
  { "", "-.25", "-0.25" },
  { "", "- 5", NULL },
  { "", "5.", NULL },
  { "", ".", NULL },
  { "", "+5", "5" },
  { "", "+-5", NULL },
  { "decimal-comma=true", ",5", "0.5" },
  { "decimal-comma=true", "+1,5", "1.5" },
  { "decimal-comma=true", "1.5", NULL },
  { "currency-signs=$", "$.75", "0.75" },
  { "thousands=,", "1,234.50", "1234.50" },
  { "thousands=,", "1,234,567", "1234567" },
  { "thousands=,", "1234567.8", "1234567.8" },
  { "thousands=,", "-1,234", "-1234" },
  { "thousands=,", "1,23", NULL },
  { "thousands=,", "1,2345", NULL },
  { "thousands=,", "1234,567", NULL },
  { "thousands=,", ",123", NULL },
  { "thousands=,", "1,,234", NULL },
  { "thousands=,", "1,234,", NULL },
  { "thousands=,", "1.234,567", NULL },
  { "thousands=,", "--5", NULL },
  { "thousands=,", "+5", NULL },
  { "thousands=,", "", NULL },
  { "thousands=,", "-", NULL },
  { "thousands=,", "12.3.4", NULL },
  { "thousands=\".\"\ndecimal-comma=true", "1.234,50", "1234.50" },
  { "thousands=.\ndecimal-comma=true", "1.234", "1234" },
  { "thousands=.\ndecimal-comma=true", "1.50", NULL },
  { "thousands=.\ndecimal-comma=true", "1234.50", NULL },
  { "thousands=\" \"\ndecimal-comma=true", "1 234,5", "1234.5" },
  { "thousands=\" \"\ndecimal-comma=true",
    "1\xc2\xa0"
    "234 567,5",
    "1234567.5" },
  { "thousands=\" \"\ndecimal-comma=true",
    "1\xe2\x80\xaf"
    "234,5",
    "1234.5" },
  { "thousands='", "1'234.5", "1234.5" },
  { "thousands=’", "1’234.5", "1234.5" },
  { "thousands=’", "1'234.5", NULL },
  { "currency-signs=£ GBP", "£12.00", "12.00" },
  { "currency-signs=£ GBP", "£ 12.00", "12.00" },
  { "currency-signs=£ GBP", "12.00 GBP", "12.00" },
  { "currency-signs=£ GBP", "12.00\xc2\xa0GBP", "12.00" },
  { "currency-signs=£ GBP", "12.00GBP", "12.00" },
  { "currency-signs=£ GBP", "-£12.00", "-12.00" },
  { "currency-signs=£ GBP", "£-12.00", "-12.00" },
  { "currency-signs=£ GBP", "-12.00", "-12.00" },
  { "currency-signs=£ GBP", "£12.00 GBP", NULL },
  { "currency-signs=£ GBP", "12.00 EUR", NULL },
  { "currency-signs=£ GBP", "€12.00", NULL },
  { "currency-signs=£ GBP", "£", NULL },
  { "currency-signs=£ GBP", "£ ", NULL },
  { "currency-signs=£ GBP", "1£2", NULL },
  { "currency-signs=£ GBP", "(12.00)", NULL },
  { "currency-signs=£ GBP", "12.00-", NULL },
  { "", "£12.00", NULL },
  { "", "12.00 EUR", NULL },
  { "", "(12.00)", NULL },
  { "", "1,234", NULL },
  { "negative=parentheses", "(12.00)", "-12.00" },
  { "negative=parentheses", "-12.00", "-12.00" },
  { "negative=parentheses", "12.00", "12.00" },
  { "negative=parentheses", "(-12.00)", NULL },
  { "negative=parentheses", "-(12.00)", NULL },
  { "negative=parentheses", "((12.00))", NULL },
  { "negative=parentheses", "(12.00", NULL },
  { "negative=parentheses", "12.00)", NULL },
  { "negative=parentheses", "()", NULL },
  { "negative=parentheses\ncurrency-signs=$", "($1.50)", "-1.50" },
  { "negative=parentheses\ncurrency-signs=$", "$(1.50)", "-1.50" },
  { "negative=parentheses\ncurrency-signs=$\nthousands=,", "($1,234.50)", "-1234.50" },
  { "negative=trailing-minus", "12.00-", "-12.00" },
  { "negative=trailing-minus", "-12.00-", NULL },
  { "negative=trailing-minus", "-12.00", "-12.00" },
  { "negative=trailing-minus\nthousands=.\ndecimal-comma=true\ncurrency-signs=EUR", "1.234,50- EUR",
    "-1234.50" },
};

static void
test_numbers (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (number_cases); i++)
    {
      g_test_message ("%s: “%s”", number_cases[i].settings, number_cases[i].text);
      g_autoptr (TallMapping) mapping = parse_mapping (number_cases[i].settings);
      g_autoptr (GError) error = NULL;
      char buffer[TALL_DECIMAL_TEXT_SIZE];
      TallDecimal value;
      gboolean ok = tall_parse_decimal (number_cases[i].text, &mapping->format, &value, &error);
      must_be (error, number_cases[i].value == NULL ? TALL_ERROR_INVALID : 0);
      g_assert_cmpstr (ok ? tall_decimal_format (value, buffer) : NULL, ==, number_cases[i].value);
    }
}

/* What is said of values that do not fit. */
static void
test_messages (void)
{
  static const struct
  {
    const char *settings;
    const char *text;
    gboolean is_date;
    const char *message;
  } cases[] = {
    { "thousands=.\ndecimal-comma=true", "1.5", FALSE,
      "“1.5” is not a number of the form 1.234,5 with at most 18 decimals" },
    { "dates=%d.%m.%Y|%s", "x", TRUE, "“x” is not a date of the form %d.%m.%Y|%s" },
    { "", "2026-02-31", TRUE, "“2026-02-31” is not a date: February 2026 has no day 31" },
    { "", "2026-02-31T10:00:00Z", TRUE,
      "“2026-02-31T10:00:00Z” is not a date: February 2026 has no day 31" },
    { "", "2026-13-01", TRUE, "“2026-13-01” is not a date: a year has no month 13" },
    { "", "2026-02-3x", TRUE, "“2026-02-3x” is not a date of the form 1996-07-04" },
    { "dates=dmy", "31.02.2026", TRUE, "“31.02.2026” is not a date: February 2026 has no day 31" },
    { "dates=dmy", "12/31/2026", TRUE, "“12/31/2026” is not a date: a year has no month 31" },
    { "dates=mdy\ntwo-digit-years=1970", "4/31/26 8:00", TRUE,
      "“4/31/26 8:00” is not a date: April 2026 has no day 31" },
    { "dates=dmy", "2026-02-01", TRUE,
      "“2026-02-01” is not a date of the form day/month/year, such as 31/12/2010" },
    { "dates=%d.%m.%Y|%Y%m%d", "32.01.2026", TRUE,
      "“32.01.2026” is not a date: January 2026 has no day 32" },
    { "dates=%d.%m.%y|%s\ntwo-digit-years=1970", "00.01.26", TRUE,
      "“00.01.26” is not a date: January 2026 has no day 0" },
    { PACIFIC, "Jul 4, 2018 3:05:07 PM PST", TRUE,
      "“Jul 4, 2018 3:05:07 PM PST” is not a date: a clock in America/Los_Angeles is not called "
      "PST "
      "then; time-zone in the mapping names another place" },
    { "time-zone=Europe/Berlin", "2025-03-30 02:30", TRUE,
      "“2025-03-30 02:30” does not exist in Europe/Berlin: the clock is set forward over it" },
    { "dates=%Y%m%d%H%M\ntime-zone=Europe/Berlin", "202503300230", TRUE,
      "“202503300230” does not exist in Europe/Berlin: the clock is set forward over it" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TallMapping) mapping = parse_mapping (cases[i].settings);
      g_autoptr (GError) error = NULL;
      gint64 date;
      TallDecimal value;
      g_assert_false (cases[i].is_date
                          ? tall_parse_date (cases[i].text, &mapping->format, &date, &error)
                          : tall_parse_decimal (cases[i].text, &mapping->format, &value, &error));
      g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
      g_assert_cmpstr (error->message, ==, cases[i].message);
    }
}

static void
test_refused_settings (void)
{
  static const struct
  {
    const char *settings;
    const char *message; /* its beginning, after the mapping's name */
  } cases[] = {
    { "dates=%d.%m.%q", "dates: %q is not known; there are: %Y %y %m" },
    { "dates=%d.%m.%", "dates: % is not known" },
    { "dates=%d.%m", "dates: “%d.%m” needs %Y or %y" },
    { "dates=%Y", "dates: “%Y” needs" },
    { "dates=%Y%m%d|%H", "dates: “%Y%m%d|%H” needs" },
    { "dates=%Y%m%d %I:%M", "dates: “%Y%m%d %I:%M” needs" },
    { "dates=%d.%m.%y", "dates: %y needs two-digit-years" },
    { "dates=", "dates: “” is not one of: iso, dmy, mdy; or write a form" },
    { "two-digit-years=70", "two-digit-years: “70” is not a year" },
    { "two-digit-years=x", "two-digit-years: “x” is not a year" },
    { "time-zone=Europe/Atlantis", "time-zone: there is no time zone “Europe/Atlantis”" },
    { "time-zone=", "time-zone: there is no time zone “”" },
    { "thousands=.", "thousands: “.” is what decimals begin with; set decimal-comma = true" },
    { "thousands=,\ndecimal-comma=true", "thousands: “,” is what decimals begin with" },
    { "thousands=x", "thousands: “x” is not one of" },
    { "thousands=", "thousands: “” is not one of" },
    { "currency-signs=", "currency-signs: “” is not a list" },
    { "currency-signs=A-B", "currency-signs: “A-B” is not a list" },
    { "currency-signs=1", "currency-signs: “1” is not a list" },
    { "negative=red", "negative: “red” is not one of: minus, parentheses, trailing-minus" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("%s", cases[i].settings);
      g_autoptr (GError) error = NULL;
      g_autofree char *text = g_strconcat ("[mapping]\n", cases[i].settings, "\n" NUMBERS, NULL);
      g_autofree char *message = g_strconcat ("Mapping m, [mapping] ", cases[i].message, NULL);
      g_autoptr (TallMapping) mapping = tall_mapping_parse ("m", text, -1, &error);
      g_assert_null (mapping);
      g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
      if (!g_str_has_prefix (error->message, message))
        g_error ("“%s” does not begin with “%s”", error->message, message);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/load/value/dates", test_dates);
  g_test_add_func ("/load/value/numbers", test_numbers);
  g_test_add_func ("/load/value/messages", test_messages);
  g_test_add_func ("/load/value/refused-settings", test_refused_settings);
  return g_test_run ();
}
