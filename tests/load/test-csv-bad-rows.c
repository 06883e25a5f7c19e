/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/csv/reader.h"
#include "tall-test-files.h"

/* What the fields of a row with a stray quote are, as they say which order must not be stored. */

#define HEADER "C,O,I,Q\n"

static char *
join_fields (const TallCsvRow *row)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < row->n_fields; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "|" : "", row->fields[i]);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
test_cases (void)
{
  static const struct
  {
    const char *text;
    const char *fields; /* of the first row */
  } cases[] = {
    /* Those before the quote, and those after it where the line is split at each delimiter. */
    { "A,7,\"x\"y,1\n", "A|7||1" },
    { "\"A,7,i,1\nA,8,j,1\n", "|7|i|1" },
    { "A,x\"y,\"7\",1\n", "A||7|1" },
    /* Too few or too many: those before the quote. */
    { "A,7,x\"y\n", "A|7" },
    { "A,7,x\"y,1,2\n", "A|7" },
    { "\"a,b\",7,i,\"x\"y\n", "a,b|7|i" },
    /* As many as there have to be, but not the same before the quote. */
    { "\"a,b\",7,x\"y\n", "a,b|7" },
    { "\"a\"\"b\",7,x\"y,1\n", "a\"b|7" },
    /* What the parser finds in later lines is of other rows. */
    { "\"A,7,i,1\nB\",8,j\"k,1\n", "|7|i|1" },
    { "A,\"7\n1\",x\"y,1\n", "A" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *text = g_strconcat (HEADER, cases[i].text, NULL);
      g_autofree char *path = tall_test_write_file (text, -1);
      g_autoptr (TallCsvReader) reader =
          tall_csv_reader_open (path, &(TallCsvDialect){ ',' }, TALL_CSV_MAX_ROW, &error);
      TallCsvRow row;
      g_assert_no_error (error);
      g_remove (path);
      g_test_message ("%s", cases[i].text);
      g_assert_cmpint (tall_csv_reader_next (reader, &row, &error), ==, TALL_CSV_ROW);
      g_assert_nonnull (row.reason);
      g_autofree char *fields = join_fields (&row);
      g_assert_cmpstr (fields, ==, cases[i].fields);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/load/csv-bad-rows/cases", test_cases);
  return g_test_run ();
}
