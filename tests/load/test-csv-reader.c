/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/csv/reader.h"
#include "tall-error.h"
#include "tall-test-files.h"
#include "tall-must.h"

#define CONVERT                                                                                    \
  "; if the file has another encoding, name it in the mapping: encoding = WINDOWS-1252"

/* What is read, one row after another: `LINE:field|field` or `LINE!COLUMN reason <raw>`. */
static char *
read_all (TallCsvReader *reader)
{
  g_autoptr (GString) all = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  TallCsvRow row;
  TallCsvStep step;
  while ((step = tall_csv_reader_next (reader, &row, &error)) == TALL_CSV_ROW)
    {
      if (row.reason != NULL)
        g_string_append_printf (all, "%d!%d %s <%.*s>\n", (int)row.line, row.column, row.reason,
                                (int)row.raw.len, (const char *)row.raw.data);
      else
        {
          g_autofree char **fields = g_new0 (char *, row.n_fields + 1);
          memcpy (fields, row.fields, row.n_fields * sizeof (char *));
          g_autofree char *joined = g_strjoinv ("|", fields);
          g_string_append_printf (all, "%d:%s\n", (int)row.line, joined);
        }
    }
  g_assert_no_error (error);
  g_assert_cmpint (step, ==, TALL_CSV_END);
  return g_string_free (g_steal_pointer (&all), FALSE);
}

static TallCsvReader *
open_text (const char *text, gssize len, gsize max_row)
{
  g_autofree char *path = tall_test_write_file (text, len);
  TallCsvReader *reader =
      must (tall_csv_reader_open (path, &(TallCsvDialect){ ',' }, max_row, &error));
  g_remove (path);
  return reader;
}

static void
test_cases (void)
{
  static const struct
  {
    const char *name;
    const char *text;
    const char *rows;
  } cases[] = {
    { "plain", "a,b\n1,2\n3,4\n", "2:1|2\n3:3|4\n" },
    { "no line end at the end", "a,b\n1,2\n3,4", "2:1|2\n3:3|4\n" },
    { "crlf", "a,b\r\n1,2\r\n3,4\r\n", "2:1|2\n3:3|4\n" },
    { "cr", "a,b\r1,2\r3,4\r", "2:1|2\n3:3|4\n" },
    { "byte order mark",
      "\xef\xbb\xbf"
      "a,b\n1,2\n",
      "2:1|2\n" },
    { "blank lines", "\na,b\n\n\r\n1,2\n\n", "5:1|2\n" },
    { "empty fields", "a,b\n,\n\"\",x\n", "2:|\n3:|x\n" },
    { "spaces are kept", "a,b\n 1 , 2\t\n", "2: 1 | 2\t\n" },
    { "quotes", "a,b\n\"x,y\",\"he said \"\"no\"\"\"\n", "2:x,y|he said \"no\"\n" },
    { "lines count within quotes", "a,b\n\"x\ny\r\nz\",1\n2,3\n", "2:x\ny\r\nz|1\n5:2|3\n" },
    { "blank line within quotes", "a,b\n\"x\n\ny\",1\n2,3\n", "2:x\n\ny|1\n5:2|3\n" },
    { "quoted last field without line end", "a,b\n1,\"2\"", "2:1|2\n" },
    { "too few fields", "a,b\n1\n2,3\n", "2!-1 has 1 field where the header has 2 <1>\n3:2|3\n" },
    { "too many fields", "a,b\n1,2,3\r\n2,3\r\n",
      "2!-1 has 3 fields where the header has 2 <1,2,3>\n3:2|3\n" },
    { "not utf-8", "a,b\n1,caf\xe9\n2,3\n",
      "2!1 is not UTF-8: byte 0xe9 at position 4" CONVERT " <1,caf\xe9>\n3:2|3\n" },
    { "quote never closed", "a,b\n1,\"2\n3,4\n5,6\n",
      "2!-1 a quote is opened and never closed <1,\"2>\n3:3|4\n4:5|6\n" },
    { "quote never closed in the last line", "a,b\n1,2\n3,\"4",
      "2:1|2\n3!-1 a quote is opened and never closed <3,\"4>\n" },
    { "stray quote", "a,b\n1,x\"y\n3,4\n",
      "2!-1 a quote stands within a field (line 2); quote the field and double the quotes in it "
      "<1,x\"y>\n3:3|4\n" },
    { "quote closed in a later line only", "a,b\n1,\"x\n3,4\n5,\"y\"\n6,7\n",
      "2!-1 a quote stands within a field (line 4); quote the field and double the quotes in it "
      "<1,\"x>\n3:3|4\n4:5|y\n5:6|7\n" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("%s", cases[i].name);
      g_autoptr (TallCsvReader) reader = open_text (cases[i].text, -1, TALL_CSV_MAX_ROW);
      g_autofree char *rows = read_all (reader);
      g_assert_cmpstr (rows, ==, cases[i].rows);
      g_assert_cmpuint (tall_csv_reader_get_position (reader), ==, strlen (cases[i].text));
      g_assert_cmpuint (tall_csv_reader_get_size (reader), ==, strlen (cases[i].text));
    }
}

static void
test_nul_byte (void)
{
  static const char text[] = "a,b\n1,2\0x\n3,4\n";
  g_autoptr (TallCsvReader) reader = open_text (text, sizeof text - 1, TALL_CSV_MAX_ROW);
  g_autofree char *rows = read_all (reader);
  g_assert_cmpstr (rows, ==, "2!1 holds a NUL byte <1,2>\n3:3|4\n");
}

/* Some of what may stand in a field, in quotes if all fields have them. Returns a line. */
static void
append_line (GString *text, GRand *rand, gboolean quoted)
{
  static const char *const pieces[] = { "a", "bc", " ", "\t", ";", "ä", "\xff", "€", "\x01" };
  guint n_fields = g_rand_int_range (rand, 0, 10) == 0 ? g_rand_int_range (rand, 1, 6) : 4;
  for (guint i = 0; i < n_fields; i++)
    {
      g_string_append (text, i > 0 ? "," : "");
      g_string_append (text, quoted ? "\"" : "");
      for (gint n = g_rand_int_range (rand, 0, 12); n > 0; n--)
        g_string_append (text, pieces[g_rand_int_range (rand, 0, G_N_ELEMENTS (pieces))]);
      if (g_rand_int_range (rand, 0, 20) == 0)
        g_string_append_c (text, '\0');
      g_string_append (text, quoted ? "\"" : i == 0 ? "x" : "");
      if (quoted && i == 0)
        g_string_insert (text, (gssize)text->len - 1, "x");
    }
  static const char *const ends[] = { "\n", "\r\n", "\r" };
  g_string_append (text, ends[g_rand_int_range (rand, 0, G_N_ELEMENTS (ends))]);
}

/* What is read of random lines; the same lines for the same seed. Without raw texts. */
static char *
read_random (guint32 seed, gboolean quoted)
{
  g_autoptr (GString) text = g_string_new ("a,b,c,d\n");
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  for (guint i = 0; i < 2000; i++)
    append_line (text, rand, quoted);
  g_autoptr (TallCsvReader) reader = open_text (text->str, (gssize)text->len, TALL_CSV_MAX_ROW);
  g_autofree char *rows = read_all (reader);
  g_autoptr (GRegex) raw = g_regex_new (" <.*>$", G_REGEX_MULTILINE | G_REGEX_RAW, 0, NULL);
  return g_regex_replace_literal (raw, rows, -1, 0, "", 0, NULL);
}

/* A field says the same with quotes, which the CSV library reads, and without. */
static void
test_quotes_change_nothing (void)
{
  for (guint32 seed = 0; seed < 10; seed++)
    {
      g_autofree char *plain = read_random (seed, FALSE);
      g_autofree char *quoted = read_random (seed, TRUE);
      g_assert_cmpstr (plain, ==, quoted);
      g_assert_nonnull (strstr (plain, "is not UTF-8"));
      g_assert_nonnull (strstr (plain, "holds a NUL"));
      g_assert_nonnull (strstr (plain, "has 5 fields"));
    }
}

static void
test_columns (void)
{
  g_autoptr (TallCsvReader) reader = open_text ("Id,Name,Id,\"a,b\",Id\n", -1, TALL_CSV_MAX_ROW);
  g_autofree char *columns = g_strjoinv ("|", (char **)tall_csv_reader_get_columns (reader));
  g_assert_cmpstr (columns, ==, "Id|Name|Id#2|a,b|Id#3");
}

/* A row that is too long costs itself, whether it is one line or an open quote over many. */
static void
test_long_rows (void)
{
  g_autoptr (GString) text = g_string_new ("a,b\n1,");
  for (guint i = 0; i < 1000 * 1000; i++)
    g_string_append_c (text, 'x');
  g_string_append (text, "\r\n2,3\n4,\"5\n");
  for (guint i = 0; i < 50 * 1000; i++)
    g_string_append (text, "6,7\n");

  g_autoptr (TallCsvReader) reader = open_text (text->str, -1, 1000);
  g_autoptr (GError) error = NULL;
  TallCsvRow row;
  g_assert_cmpint (tall_csv_reader_next (reader, &row, &error), ==, TALL_CSV_ROW);
  g_assert_cmpuint (row.line, ==, 2);
  g_assert_nonnull (row.reason);
  g_assert_nonnull (strstr (row.reason, "longer than 1000 bytes"));
  g_assert_cmpuint (row.raw.len, ==, 1000);
  g_assert_cmpint (memcmp (row.raw.data, "1,xxx", 5), ==, 0);
  g_assert_cmpuint (row.n_fields, ==, 1); /* the other is not whole */
  g_assert_cmpstr (row.fields[0], ==, "1");

  g_assert_cmpint (tall_csv_reader_next (reader, &row, &error), ==, TALL_CSV_ROW);
  g_assert_cmpstr (row.reason, ==, NULL);
  g_assert_cmpuint (row.line, ==, 3);
  g_assert_cmpint (tall_csv_reader_next (reader, &row, &error), ==, TALL_CSV_ROW);
  g_assert_cmpuint (row.line, ==, 4);
  g_assert_cmpstr (row.reason, ==, "a quote is opened and not closed within 1000 bytes");

  guint n = 0;
  while (tall_csv_reader_next (reader, &row, &error) == TALL_CSV_ROW)
    {
      g_assert_cmpstr (row.reason, ==, NULL);
      g_assert_cmpuint (row.line, ==, 5 + n);
      n++;
    }
  g_assert_no_error (error);
  g_assert_cmpuint (n, ==, 50 * 1000);
  g_assert_cmpuint (tall_csv_reader_get_position (reader), ==, text->len);
}

/* A CR LF, and every other byte, may fall on the border of two reads. */
static void
test_borders (void)
{
  for (guint pad = 256 * 1024 - 12; pad < 256 * 1024 + 4; pad++)
    {
      g_autoptr (GString) text = g_string_new ("a,b\r\n");
      while (text->len < pad)
        g_string_append_c (text, 'x');
      g_string_append (text, ",\"q\"\"\r\n\"\r\n1,\xc3\xa4\r\n");
      g_autoptr (TallCsvReader) reader = open_text (text->str, -1, TALL_CSV_MAX_ROW);
      g_autoptr (GError) error = NULL;
      TallCsvRow row;
      g_assert_cmpint (tall_csv_reader_next (reader, &row, &error), ==, TALL_CSV_ROW);
      g_assert_cmpstr (row.reason, ==, NULL);
      g_assert_cmpuint (strlen (row.fields[0]), ==, pad - 5);
      g_assert_cmpstr (row.fields[1], ==, "q\"\r\n");
      g_assert_cmpint (tall_csv_reader_next (reader, &row, &error), ==, TALL_CSV_ROW);
      g_assert_cmpuint (row.line, ==, 4);
      g_assert_cmpstr (row.fields[1], ==, "ä");
      g_assert_cmpint (tall_csv_reader_next (reader, &row, &error), ==, TALL_CSV_END);
    }
}

static void
assert_refused (const char *path, TallError code, const char *what)
{
  must_fail (tall_csv_reader_open (path, &(TallCsvDialect){ ',' }, TALL_CSV_MAX_ROW, &error), code,
             what);
}

#define COLUMNS 6

/* Rows of any length with about so many fields, some of them wrong. */
static char *
make_rows (GRand *random)
{
  static const char *const pieces[] = { ",", ",", "x", "\x7f", "-", "é", "longer", "\"", "\xe9" };
  GString *text = g_string_new ("a,b,c,d,e,f\n");
  for (guint row = 0; row < 500; row++)
    {
      /* wrong bytes are rare, so that most rows are plain */
      gint n_kinds = g_rand_int_range (random, 0, 8) == 0 ? G_N_ELEMENTS (pieces) : 7;
      for (gint n = g_rand_int_range (random, 1, 40); n > 0; n--)
        g_string_append (text, pieces[g_rand_int_range (random, 0, n_kinds)]);
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}

/* A row is as good or bad as it is when all fields are wanted, and those that are wanted are there.
 */
static void
test_wanted (void)
{
  GRand *random = g_rand_new_with_seed (15);
  g_autofree char *text = make_rows (random);
  guint n_good = 0;
  g_rand_free (random);
  for (guint wanted = 0; wanted <= COLUMNS + 1; wanted++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallCsvReader) all = open_text (text, -1, TALL_CSV_MAX_ROW);
      g_autoptr (TallCsvReader) few = open_text (text, -1, TALL_CSV_MAX_ROW);
      TallCsvRow row, like;
      tall_csv_reader_want (few, wanted);
      while (tall_csv_reader_next (all, &like, &error) == TALL_CSV_ROW)
        {
          g_assert_cmpint (tall_csv_reader_next (few, &row, &error), ==, TALL_CSV_ROW);
          g_assert_cmpuint (row.line, ==, like.line);
          g_assert_cmpmem (row.raw.data, row.raw.len, like.raw.data, like.raw.len);
          g_assert_cmpstr (row.reason, ==, like.reason);
          g_assert_cmpuint (row.n_fields, ==, like.n_fields);
          for (guint i = 0; row.reason == NULL && i < MIN (wanted, COLUMNS); i++)
            g_assert_cmpstr (row.fields[i], ==, like.fields[i]);
          n_good += row.reason == NULL;
        }
      g_assert_cmpint (tall_csv_reader_next (few, &row, &error), ==, TALL_CSV_END);
      g_assert_no_error (error);
    }
  g_assert_cmpuint (n_good, >, 100);
}

static void
test_refused_files (void)
{
  static const struct
  {
    const char *text;
    gssize len;
    const char *what;
  } cases[] = {
    { "", 0, "is empty" },
    { "\n\n", 2, "is empty" },
    { "\xef\xbb\xbf", 3, "is empty" },
    { "\xff\xfe"
      "a\0",
      4, "UTF-16" },
    { "a,b\xe9\n", 5,
      "header cannot be read: name 2 is not UTF-8: byte 0xe9 at position 2" CONVERT },
    { "a\0,\0b\0\n\0", 8,
      "header cannot be read: name 1 holds a NUL byte; if the file is UTF-16, name it" },
    { "\x1f\x8b\x08\0\0\0", 6, "the gzip data ends too early; the file was cut off" },
    { "\x28\xb5\x2f\xfd\x04", 5, "the zstd data ends too early" },
    { "\xfd\x37zXZ\0", 6, "is compressed by xz" },
    { "BZh91AY&SY", 10, "is compressed by bzip2" },
    { "\x04\x22\x4d\x18", 4, "is compressed by lz4" },
    { "PK\3\4\x14", 5,
      "Excel workbook, not a CSV text in UTF-8; unpack the archive, or save the sheet as CSV "
      "UTF-8" },
    { "\xd0\xcf\x11\xe0", 4, "old Excel workbook" },
    { "PAR1\x15", 5, "Parquet" },
    { "SQLite format 3\0", 16, "SQLite" },
    { "\xfe\xff\0a", 4, "UTF-16" },
    { "a,\"b\n", 5, "header cannot be read: a quote" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = tall_test_write_file (cases[i].text, cases[i].len);
      assert_refused (path, TALL_ERROR_INVALID, cases[i].what);
      g_remove (path);
    }
  assert_refused ("/nonexistent/orders.csv", TALL_ERROR_UNAVAILABLE,
                  "/nonexistent/orders.csv cannot be opened");
  assert_refused ("/", TALL_ERROR_UNAVAILABLE, "is a directory");
  assert_refused ("/dev/zero", TALL_ERROR_UNAVAILABLE, "is a device, not a CSV file");
}

/* A row can be made of its text again, also where that has lines, or ends with one. */
static void
test_parse (void)
{
  static const struct
  {
    TallCsvDialect dialect;
    const char *text;
  } cases[] = {
    { { ',' }, "a,b\n1,\"x\ny\"\n3,=\"04\"\n\"\",5\n" },
    { { ',', .backslash = TRUE }, "a,b\n1,x\\\n\n2,\\N\n3,\"\\\"\"\n4,y\\" },
    { { '\t', .quotes = TALL_CSV_QUOTES_NONE }, "a\tb\n\"1\t2\"\n" },
    { { ';', .quotes = TALL_CSV_QUOTES_LOOSE, .pad = TRUE }, "a;b\n1\"2\n\"3\";4\n" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      TallCsvRow row, again;
      g_autoptr (GError) error = NULL;
      g_autofree char *path = tall_test_write_file (cases[i].text, -1);
      g_autoptr (TallCsvReader) reader =
          must (tall_csv_reader_open (path, &cases[i].dialect, 100, &error));
      g_remove (path);
      while (tall_csv_reader_next (reader, &row, &error) == TALL_CSV_ROW)
        {
          g_autofree char *text = g_strndup ((const char *)row.raw.data, row.raw.len);
          g_autofree char *first = g_strdup (row.fields[0]);
          g_autofree char *second = g_strdup (row.fields[1]);
          tall_csv_reader_parse (reader, tall_slice_str (text), &again);
          g_assert_null (again.reason);
          g_assert_cmpuint (again.n_fields, ==, 2);
          g_assert_cmpstr (again.fields[0], ==, first);
          g_assert_cmpstr (again.fields[1], ==, second);
        }
      g_assert_no_error (error);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/load/csv-reader/cases", test_cases);
  g_test_add_func ("/load/csv-reader/nul-byte", test_nul_byte);
  g_test_add_func ("/load/csv-reader/quotes-change-nothing", test_quotes_change_nothing);
  g_test_add_func ("/load/csv-reader/columns", test_columns);
  g_test_add_func ("/load/csv-reader/long-rows", test_long_rows);
  g_test_add_func ("/load/csv-reader/borders", test_borders);
  g_test_add_func ("/load/csv-reader/wanted", test_wanted);
  g_test_add_func ("/load/csv-reader/parse", test_parse);
  g_test_add_func ("/load/csv-reader/refused-files", test_refused_files);
  return g_test_run ();
}
