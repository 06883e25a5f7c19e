/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/store/rejects.h"
#include "tall-must.h"

static void
add (TallRejects *rejects, guint64 line, const char *column, const char *kind, const char *reason)
{
  const TallCsvRow row = { .line = line, .raw = tall_slice_str ("row") };
  tall_rejects_add (rejects, &row, column, kind, reason);
}

static void
assert_tally (TallRejects *rejects, guint i, const char *reason, guint n, const char *first_reason)
{
  const TallRejectTally *tally = g_ptr_array_index (tall_rejects_get_tally (rejects), i);
  g_assert_cmpstr (tally->reason, ==, reason);
  g_assert_cmpuint (tally->n_rows, ==, n);
  g_assert_cmpstr (tally->first_reason, ==, first_reason);
}

/* Rows are counted by column and kind, whatever their values; the first line speaks for them. */
static void
test_tally (void)
{
  g_autoptr (TallRejects) rejects = must (tall_rejects_new (NULL, &error));
  add (rejects, 9, "Date", "is not a date", "“x” is not a date");
  add (rejects, 3, "Date", "is not a date", "“y” is not a date");
  add (rejects, 5, "Date", "is not a date", "“z” is not a date");
  add (rejects, 7, "Other", "is not a date", "“z” is not a date");
  add (rejects, 8, NULL, "is not a date", "“z” is not a date");
  g_assert_cmpuint (tall_rejects_get_tally (rejects)->len, ==, 3);
  assert_tally (rejects, 0, "Date: is not a date", 3, "“y” is not a date");
  assert_tally (rejects, 1, "Other: is not a date", 1, "“z” is not a date");
  assert_tally (rejects, 2, "is not a date", 1, "“z” is not a date");
  g_assert_cmpuint (tall_rejects_get_count (rejects), ==, 5);
}

/* However many columns are wrong, the count stays small, and goes on for those that it knows. */
static void
test_many (void)
{
  g_autoptr (TallRejects) rejects = must (tall_rejects_new (NULL, &error));
  for (guint round = 0; round < 2; round++)
    for (guint i = 0; i < 1000; i++)
      {
        g_autofree char *column = g_strdup_printf ("c%u", i);
        add (rejects, i + 2, column, "bad", "worse");
      }
  g_assert_cmpuint (tall_rejects_get_tally (rejects)->len, ==, 201);
  assert_tally (rejects, 0, "c0: bad", 2, "worse");
  assert_tally (rejects, 200, "other reasons", 1600, "worse");
}

/* A share counts from the thousandth row on; a number from the first. */
static void
test_limit (void)
{
  static const struct
  {
    guint64 max_rows;
    guint max_percent;
    guint64 rejected, read;
    gboolean is_over;
  } cases[] = {
    { 0, 0, 0, 5, FALSE },      { 0, 0, 1, 5, TRUE },          { 2, 0, 2, 5, FALSE },
    { 2, 0, 3, 5, TRUE },       { 0, 10, 999, 999, FALSE },    { 0, 10, 100, 1000, FALSE },
    { 0, 10, 101, 1000, TRUE }, { 0, 100, 1000, 1000, FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallRejects) rejects = must (tall_rejects_new (NULL, &error));
      for (guint64 n = 0; n < cases[i].rejected; n++)
        add (rejects, n + 2, "c", "bad", "worse");
      must (tall_rejects_check_limit (rejects, cases[i].read, &error));
      tall_rejects_set_limit (rejects, cases[i].max_rows, cases[i].max_percent);
      g_assert_cmpint (tall_rejects_check_limit (rejects, cases[i].read, &error), !=,
                       cases[i].is_over);
      g_assert_cmpint (error != NULL, ==, cases[i].is_over);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/load/rejects/tally", test_tally);
  g_test_add_func ("/load/rejects/many", test_many);
  g_test_add_func ("/load/rejects/limit", test_limit);
  return g_test_run ();
}
