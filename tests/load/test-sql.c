/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/sql/query.h"
#include "load/sql/temp-db.h"
#include "tall-json.h"
#include "tall-test-files.h"
#include "tall-test-loads.h"
#include "tall-must.h"

#include <gio/gio.h>

/* Orders that a query makes of files. */

#define SIMPLE                                                                                     \
  "SELECT C AS customer_number, O AS order_number, I AS \"line.item_number\", "                    \
  "number(Q) AS \"line.quantity\" FROM csv"

/* The first row of a query over a file; NULL, and @error, if it fails. */
static char *
evaluate (const char *expression, const char *file, GError **error)
{
  g_autofree char *map = g_strdup_printf (
      "SELECT '1' AS customer_number, '2' AS order_number, %s AS \"attribute.x\" FROM csv",
      expression);
  g_auto (TallTestLoad) load;
  TallCsvRow row;
  tall_test_load_init (&load, map);
  tall_test_load_add (&load, NULL, file, -1);
  tall_load_files_start (load.files);
  g_autoptr (TallQuery) query = tall_query_new (load.files, NULL, error);
  if (query == NULL)
    return NULL;
  g_assert_true (
      tall_csv_reader_keep (tall_load_files_get (load.files, 0)->reader, g_get_tmp_dir (), NULL));
  if (!tall_query_begin (query, TALL_QUERY_ROWS, error)
      || tall_query_next (query, &row, error) != TALL_CSV_ROW)
    return NULL;
  g_assert_cmpuint (row.n_fields, ==, 3);
  return g_strdup (row.reason != NULL      ? row.reason
                   : row.fields[2] != NULL ? row.fields[2]
                                           : "NULL");
}

static const struct
{
  const char *expression;
  const char *wanted; /* of the row A = 1.234,50, B = "", C = 3; or a part of the error */
} functions[] = {
  { "number(A, '1.234,5')", "1234.50" },
  { "number(B)", "NULL" },
  { "number(NULL)", "NULL" },
  { "number(' 7 ')", "7" },
  { "number('$1,234.50', '$1,234.5')", "1234.50" },
  { "number('($1,234.50)', '($1,234.5)')", "-1234.50" },
  { "number('12.00-', '1234.5-')", "-12.00" },
  { "number('12,5 EUR', '1234,5 EUR')", "12.5" },
  { "number('1 234,5', '1 234,5')", "1234.5" },
  { "number('15%', '1234.5%')", "0.15" },
  { "number(A)", "number(): “1.234,50” is not a number of the form 1234.5" },
  { "number('1', 'x')", "number() takes 1234.5 in the form of the file" },
  { "number('1', '1.234.5')", "number() takes 1234.5 in the form of the file" },
  { "number(0.1)", "is not a number" },
  { "date_of('5/4/2026', 'dmy')", "2026-04-05T00:00:00.000Z" },
  { "date_of('4/5/2026 13:05', 'mdy', 'Europe/Berlin')", "2026-04-05T11:05:00.000Z" },
  { "date_of('2026-04-05 23:30:29 +0400', '%Y-%m-%d %H:%M:%S %z')", "2026-04-05T19:30:29.000Z" },
  { "date_of('5.4.69', '%d.%m.%y', '', 1970)", "2069-04-05T00:00:00.000Z" },
  { "date_of(B, 'iso')", "NULL" },
  { "date_of('5.4.69', '%d.%m.%y')", "%y needs the first year" },
  { "date_of(C, 'iso')", "date_of(): “3” is not a date" },
  { "date_of('x', 'soon')", "date_of(): " },
  { "date_of('x', 'iso', 'Mars/Base')", "there is no time zone “Mars/Base”" },
  { "dec_add('0.10', '0.2')", "0.30" },
  { "dec_sub('1', '0.25')", "0.75" },
  { "dec_sub('0.25', 1)", "-0.75" },
  { "dec_mul('1.50', '2')", "3.00" },
  { "dec_mul('1.005', '100', 1)", "100.5" },
  { "dec_mul('-1.25', '1', 1)", "-1.3" },
  { "dec_mul('1.25', '1', 1)", "1.3" },
  { "dec_mul('1.5', '2', 4)", "3.0000" },
  { "dec_mul('9223372036854775807', '2')", "more digits than a number holds" },
  { "dec_add('9223372036854775807', '1')", "more digits than a number holds" },
  { "dec_mul('0.0000000001', '0.0000000001')", "more digits than a number holds" },
  { "dec_mul('0.0000000010', '0.0000000010')", "0.000000000000000001" },
  { "dec_div('1', '8')", "0.125" },
  { "dec_div('-1', '8')", "-0.125" },
  { "dec_div('10.00', '2')", "5" },
  { "dec_div('1', '3')", "more digits than a number holds" },
  { "dec_div('1', '3', 2)", "0.33" },
  { "dec_div('1', '4', 6)", "0.25" },
  { "dec_div('40.00', '2', 6)", "20" },
  { "dec_div('2', '3', 2)", "0.67" },
  { "dec_div('-2', '3', 0)", "-1" },
  { "dec_div('5', '2', 0)", "3" },
  { "dec_div('21168.23', '17', 2)", "1245.19" },
  { "dec_div('1', '0')", "1 is divided by 0" },
  { "dec_div('1', C, 6)", "0.333333" },
  { "dec_add(B, '1')", "NULL" },
  { "dec_add(NULL, '1')", "NULL" },
  { "dec_add(A, '1')", "“1.234,50” is not a number such as -1234.50" },
  { "dec_add(0.1, '1')", "is a floating-point number" },
  { "dec_cmp('9', '10')", "-1" },
  { "dec_cmp('1.50', '1.5')", "0" },
  { "discount_rate('0.50', '10.00', '3')", "0.016666667" },
  { "(SELECT group_concat(value || position, '|') FROM split('a;;b;', ';'))", "a1|2|b3|4" },
  { "(SELECT count(*) || value FROM split('a,b', ''))", "1a,b" },
  { "(SELECT count(*) FROM split(B, ';'))", "0" },
  { "discount_rate('5.00', '10.00', '2')", "0.25" },
  { "discount_rate('0.00', '0', '0')", "0" },
  { "discount_rate(B, '10.00', '2')", "NULL" },
  { "discount_rate('5', '0', '2')", "5 is not a part of 0 × 2" },
  { "discount_rate('-0.50', '10.00', '1')", "-0.05" },
  { "dec_add(number(A), '1')", "number(): “1.234,50” is not a number of the form 1234.5" },
  { "number(date_of(C, 'iso'))", "date_of(): “3” is not a date" },
  { "'a: ' || number(A)", "number(): “1.234,50” is not a number of the form 1234.5" },
  { "CAST(number(A) AS INTEGER)", "a function has not taken a value" },
  { "-number(A)", "is a floating-point number" },
  { "number(A) + 1", "is a floating-point number" },
  { "number(A) * number(C)", "is a floating-point number" },
  { "0.1 + 0.2", "is a floating-point number" },
  { "CAST(x'ff' AS TEXT)", "is not a text in UTF-8" },
  { "char(65, 0, 66)", "is not a text in UTF-8" },
  { "\"line\"", "2" },
  { "A || '|' || C", "1.234,50|3" },
  { "upper(json_extract('{\"a\":\"b\"}', '$.a'))", "B" },
};

static void
test_functions (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *found =
          evaluate (functions[i].expression, "A,B,C\n\"1.234,50\",,3\n", &error);
      const char *said = found != NULL ? found : error->message;
      gboolean is_part = found == NULL || strchr (said, ' ') != NULL;
      if (is_part ? strstr (said, functions[i].wanted) == NULL
                  : !g_str_equal (said, functions[i].wanted))
        g_error ("%s gives “%s”, not “%s”", functions[i].expression, said, functions[i].wanted);
    }
}

/* What a query may not do, or does not say. */
static const struct
{
  const char *sql;
  const char *why;
} refused[] = {
  { "ATTACH 'x' AS y -- SELECT ", "one SELECT" },
  { "DETACH main -- SELECT ", "one SELECT" },
  { "PRAGMA journal_mode = WAL -- SELECT ", "one SELECT" },
  { "PRAGMA temp_store_directory = '/tmp' -- SELECT ", "one SELECT" },
  { "CREATE TABLE t AS SELECT 1", "one SELECT" },
  { "CREATE TEMP TABLE t AS SELECT 1", "one SELECT" },
  { "CREATE VIRTUAL TABLE t USING fts5(x) -- SELECT ", "one SELECT" },
  { "CREATE TRIGGER t DELETE ON csv BEGIN SELECT 1; END", "" },
  { "DROP TABLE csv -- SELECT ", "refused" },
  { "ALTER TABLE csv RENAME TO x -- SELECT ", "refused" },
  { "DELETE FROM csv -- SELECT ", "" },
  { "UPDATE csv SET C = 1 -- SELECT ", "" },
  { "INSERT INTO csv SELECT 1, 2, 3, 4", "" },
  { "REPLACE INTO csv SELECT 1, 2, 3, 4", "" },
  { "WITH x AS (SELECT 1) DELETE FROM csv", "" },
  { "VACUUM INTO 'x' -- SELECT ", "one SELECT" },
  { "REINDEX -- SELECT ", "one SELECT" },
  { "ANALYZE -- SELECT ", "one SELECT" },
  { "BEGIN -- SELECT ", "one SELECT" },
  { "COMMIT -- SELECT ", "one SELECT" },
  { "SAVEPOINT x -- SELECT ", "one SELECT" },
  { "EXPLAIN SELECT 1", "one SELECT" },
  { "EXPLAIN QUERY PLAN SELECT 1", "one SELECT" },
  { SIMPLE "; " SIMPLE, "more than one statement" },
  { SIMPLE "; DROP TABLE csv", "" },
  { "SELECT name AS customer_number, sql AS order_number FROM sqlite_master", "may not read" },
  { "SELECT name AS customer_number, 1 AS order_number FROM sqlite_temp_schema", "may not read" },
  { "SELECT name AS customer_number, 1 AS order_number FROM pragma_function_list", "refused" },
  { "SELECT 1 AS customer_number, aggregate AS order_number FROM dbstat", "" },
  { "SELECT 1 AS customer_number, data AS order_number FROM sqlite_dbpage", "" },
  { "SELECT 1 AS customer_number, load_extension('x') AS order_number", "may not call" },
  { "SELECT 1 AS customer_number, fts3_tokenizer('simple') AS order_number", "" },
  { "SELECT 1 AS customer_number, readfile('/etc/passwd') AS order_number", "no such function" },
  { "SELECT 1 AS customer_number, writefile('x', 'y') AS order_number", "no such function" },
  { "SELECT ? AS customer_number, :o AS order_number FROM csv", "no parameters" },
  { "SELECT C AS customer_number, \"Order\" AS order_number FROM csv",
    "no such column: Order; csv has: C, O, I, Q, line, file" },
  { "SELECT C AS customer_number, O AS order_number FROM other", "no such table: other" },
  { "SELECT C AS customer_number FROM csv", "order_number" },
  { "SELECT C AS customer_number, O AS order_number, I FROM csv", "“I” is not a field" },
  { "SELECT C AS customer_number, O AS order_number, O AS order_number FROM csv", "two columns" },
  { "-- SELECT ", "there is no SELECT in it" },
  { "", "there is no SELECT in it" },
  { "SELECT FROM csv", "syntax error" },
  { "SELECT C AS customer_number, O AS order_number FROM csv a NATURAL JOIN csv b",
    "write JOIN … USING (…)" },
};

static void
test_refused (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_auto (TallTestLoad) load;
      tall_test_load_init (&load, SIMPLE);
      tall_test_load_add (&load, NULL, "C,O,I,Q\na,1,x,2\n", -1);
      TallLoadFile *file = tall_load_files_get (load.files, 0);
      file->mapping->sql = refused[i].sql;
      tall_load_files_start (load.files);
      g_autoptr (TallQuery) query = tall_query_new (load.files, NULL, &load.error);
      if (query != NULL)
        g_error ("“%s” is taken", refused[i].sql);
      if (!g_error_matches (load.error, TALL_ERROR, TALL_ERROR_INVALID)
          || strstr (load.error->message, refused[i].why) == NULL)
        g_error ("“%s” is refused: %s", refused[i].sql, load.error->message);
    }
}

static const struct
{
  const char *comment;
  const char *why; /* NULL: it is taken */
} comments[] = {
  { "-- load: delimiter=semicolon header=none columns=\"C;O;I x;Q\"\n", NULL },
  { "-- about\n\n  -- load: trim=true\r\n-- load: null=\\N\n", NULL },
  { "\xef\xbb\xbf-- load: delimiter=tab\r\n", NULL },
  { "-- load: delimiter=dot\n", "“dot” is not one of" },
  { "-- load: dates=dmy\n", "there is no such key" },
  { "-- load: nonsense\n", "-- load:" },
};

static void
test_comments (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (comments); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *text = g_strconcat (comments[i].comment, SIMPLE, NULL);
      g_autoptr (TallMapping) mapping = tall_mapping_parse_sql ("m", text, -1, &error);
      if (comments[i].why == NULL)
        g_assert_no_error (error);
      else if (mapping != NULL || strstr (error->message, comments[i].why) == NULL)
        g_error ("%s: %s", text, mapping != NULL ? "taken" : error->message);
    }
  g_autoptr (TallMapping) mapping =
      tall_mapping_parse_sql ("m", "-- load: null=\\N columns=\"A;B c\" header=none\nSELECT 1", -1,
                              NULL);
  g_assert_cmpstr (mapping->dialect.columns[1], ==, "B c");
  g_assert_cmpstr (mapping->dialect.nulls[0], ==, "\\N");
}

/* A load of files by a query, and what it stores. */
typedef struct
{
  TallTestLoad load;
  TallFaultyFront *front;
  gboolean ok;
} Case;

static void
case_init (Case *self, const char *map)
{
  tall_test_load_init (&self->load, map);
  self->front = tall_faulty_front_new ();
}

static void
case_run (Case *self)
{
  self->ok = tall_test_load_run (&self->load, self->front);
}

static void
case_clear (Case *self)
{
  tall_test_load_clear (&self->load);
  g_object_unref (self->front);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, case_clear)

static void
assert_stored (Case *self, const char *customer, const char *order, const char *wanted)
{
  g_autofree char *found = tall_test_load_get_json (self->front, customer, order);
  if (wanted == NULL)
    g_assert_null (found);
  else if (found == NULL || strstr (found, wanted) == NULL)
    g_error ("order %s of %s is %s", order, customer, found);
}

static void
test_streamed (void)
{
  g_auto (Case) it;
  case_init (&it, SIMPLE " WHERE I <> 'none'");
  tall_test_load_add (&it.load, NULL, "C,O,I,Q\na,1,x,2\na,1,none,9\na,1,y,3\nb,2,z,1\n", -1);
  case_run (&it);
  g_assert_no_error (it.load.error);
  assert_stored (&it, "a", "1", "\"item_number\":\"y\",\"quantity\":\"3\"");
  assert_stored (&it, "b", "2", "\"z\"");
  const TallLoadFile *file = tall_load_files_get (it.load.files, 0);
  g_assert_cmpuint (it.load.summary.rows, ==, 4);
  g_assert_cmpuint (file->n_used, ==, 3);
  g_assert_cmpuint (file->n_left_out, ==, 1);
  g_assert_cmpuint (it.load.summary.spooled_rows, ==, 0);
}

/* Whether SQLite's plan lets rows out as they come. */
static const struct
{
  const char *rest;
  gboolean streams;
} plans[] = {
  { "FROM csv", TRUE },
  { "FROM csv WHERE I IN ('a', 'b', 'c', 'd')", TRUE },
  { "FROM csv ORDER BY line", TRUE },
  { "FROM csv, split(I, ';')", TRUE },
  { "FROM (SELECT * FROM csv WHERE Q > 1)", TRUE },
  { "FROM csv LIMIT 3", TRUE },
  { "FROM csv;\n\n-- that is all", TRUE },
  { "FROM csv -- that is all", TRUE },
  { "FROM (SELECT 'a' AS C, 1 AS O)", TRUE },
  { "FROM csv ORDER BY O", FALSE },
  { "FROM csv ORDER BY line DESC", FALSE },
  { "FROM csv GROUP BY O", FALSE },
  { "FROM csv WHERE O IN (SELECT O FROM csv WHERE Q > 1)", FALSE },
  { "FROM csv a JOIN csv b USING (C, O)", FALSE },
  { "FROM (SELECT *, count(*) OVER (PARTITION BY O) FROM csv)", FALSE },
  { "FROM (SELECT *, lag(O) OVER () FROM csv)", FALSE },
  { "FROM (SELECT C, O FROM csv UNION ALL SELECT C, O FROM csv)", FALSE },
};

static void
test_plans (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (plans); i++)
    {
      g_autofree char *map =
          g_strconcat ("SELECT C AS customer_number, O AS order_number ", plans[i].rest, NULL);
      g_auto (Case) it;
      case_init (&it, map);
      tall_test_load_add (&it.load, NULL, "C,O,I,Q\na,1,x,2\nb,2,a,2\n", -1);
      tall_load_files_start (it.load.files);
      g_autoptr (TallQuery) query = tall_query_new (it.load.files, NULL, &it.load.error);
      g_assert_no_error (it.load.error);
      if (tall_query_streams (query) != plans[i].streams)
        g_error ("%s: %d", plans[i].rest, tall_query_streams (query));
    }
}

/* As Shopify has it: an order's fields stand in its first row alone. */
#define FILLED                                                                                     \
  "SELECT last_filled(Email) OVER w AS customer_number, Name AS order_number,\n"                   \
  "  last_filled(Paid) OVER w AS currency, Item AS \"line.item_number\", line\n"                   \
  "FROM csv WHERE Item <> '' WINDOW w AS (PARTITION BY Name ORDER BY line)"

static void
test_filled (void)
{
  g_auto (Case) it;
  case_init (&it, FILLED);
  tall_test_load_add (&it.load, NULL,
                      "Name,Email,Paid,Item\n2,b,EUR,x\n1,a,USD,p\n1,,,q\n2,,,y\n1,,,\n", -1);
  case_run (&it);
  g_assert_no_error (it.load.error);
  assert_stored (&it, "a", "1", "\"currency\":\"USD\"");
  assert_stored (&it, "a", "1", "\"q\"");
  assert_stored (&it, "b", "2", "\"y\"");
  g_assert_cmpuint (tall_load_files_get (it.load.files, 0)->n_left_out, ==, 1);
}

/* A window that moves on loses what has left it. */
static void
test_filled_window (void)
{
  g_auto (Case) it;
  case_init (&it,
             "SELECT 'a' AS customer_number, O AS order_number, last_filled(I) OVER (ORDER BY "
             "line ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS \"line.item_number\" FROM csv");
  tall_test_load_add (&it.load, NULL, "O,I\n1,x\n2,\n3,\n4,y\n", -1);
  case_run (&it);
  g_assert_no_error (it.load.error);
  assert_stored (&it, "a", "2", "\"item_number\":\"x\"");
  assert_stored (&it, "a", "3", NULL); /* it has nothing of a line */
  const TallRejectTally *tally = g_ptr_array_index (tall_rejects_get_tally (it.load.rejects), 0);
  g_assert_cmpstr (tally->reason, ==, "the row has nothing of a line");
  g_assert_cmpuint (tally->first_line, ==, 3);
  assert_stored (&it, "a", "4", "\"item_number\":\"y\"");
}

/* The rows of an order are apart: they are sorted, and keep the order of the files. */
static void
test_apart (void)
{
  g_auto (Case) it;
  case_init (&it, SIMPLE);
  tall_test_load_add (&it.load, NULL, "C,O,I,Q\na,1,one,1\nb,1,x,1\na,1,two,1\n", -1);
  tall_test_load_add (&it.load, NULL, "Q,I,O,C\n1,three,1,a\nbad,y,1,b\n", -1);
  tall_load_files_get (it.load.files, 0)->mapping->sql =
      "SELECT C AS customer_number, O AS order_number, I AS \"line.item_number\", "
      "Q AS \"line.quantity\", line FROM csv";
  case_run (&it);
  g_assert_no_error (it.load.error);
  assert_stored (&it, "a", "1",
                 "\"line_items\":[{\"number\":1,\"item_number\":\"one\",\"quantity\":\"1\"},"
                 "{\"number\":2,\"item_number\":\"two\",\"quantity\":\"1\"},"
                 "{\"number\":3,\"item_number\":\"three\"");
  assert_stored (&it, "b", "1", NULL);
  g_assert_cmpuint (tall_rejects_get_count (it.load.rejects), ==, 2);
  const TallRejectTally *tally = g_ptr_array_index (tall_rejects_get_tally (it.load.rejects), 0);
  g_assert_cmpuint (tally->first_file, ==, 1);
  g_assert_cmpuint (tally->first_line, ==, 3);
  g_assert_cmpuint (it.load.summary.spooled_rows, ==, 5);
}

/* Several rows of one: each has an end, and the row of the file counts once. */
static void
test_split (void)
{
  g_auto (Case) it;
  case_init (&it, "SELECT C AS customer_number, O AS order_number, item.position AS "
                  "\"line.number\", item.value AS \"line.item_number\" "
                  "FROM csv, split(I, '; ') AS item");
  tall_test_load_add (&it.load, NULL, "C,O,I\na,1,x; y; z\na,2,\na,3,one\n", -1);
  case_run (&it);
  g_assert_no_error (it.load.error);
  assert_stored (&it, "a", "1", "{\"number\":3,\"item_number\":\"z\"}");
  assert_stored (&it, "a", "2", NULL);
  assert_stored (&it, "a", "3", "\"one\"");
  g_assert_cmpuint (it.load.summary.result_rows, ==, 4);
  g_assert_cmpuint (tall_load_files_get (it.load.files, 0)->n_used, ==, 2);
}

static void
test_customers (void)
{
  g_auto (Case) it;
  case_init (&it, "-- load: kind=customers\nSELECT C AS number, upper(N) AS name FROM csv");
  tall_test_load_add (&it.load, NULL, "C,N\na,ann\nb,bob\na,again\n", -1);
  case_run (&it);
  g_assert_no_error (it.load.error);
  g_assert_cmpuint (tall_faulty_front_count_customers (it.front), ==, 2);
  g_assert_cmpuint (tall_rejects_get_count (it.load.rejects), ==, 1);
}

#define JOINED                                                                                     \
  "SELECT orders.C AS customer_number, orders.O AS order_number, people.N AS "                     \
  "\"location.name\", lines.I AS \"line.item_number\", lines.line FROM lines "                     \
  "LEFT JOIN orders USING (O) LEFT JOIN people USING (C)"

static void
test_joined (void)
{
  g_auto (Case) it;
  case_init (&it, JOINED);
  tall_test_load_add (&it.load, "lines", "O,I\n2,x\n1,p\n2,y\n3,none\n", -1);
  tall_test_load_add (&it.load, "orders", "O,C\n1,a\n2,b\n4,d\n", -1);
  tall_test_load_add (&it.load, "people", "C,N\na,Ann\nb,Bob\n", -1);
  case_run (&it);
  g_assert_no_error (it.load.error);
  assert_stored (&it, "b", "2", "\"name\":\"Bob\"");
  assert_stored (&it, "b", "2", "\"y\"");
  g_assert_cmpuint (tall_faulty_front_count_orders (it.front), ==, 2);
  g_assert_cmpuint (tall_rejects_get_count (it.load.rejects), ==, 1);
  g_assert_cmpuint (tall_load_files_get (it.load.files, 1)->n_kept, ==, 3);
  g_assert_cmpuint (tall_load_files_get (it.load.files, 0)->n_used, ==, 4);
}

/* A row that cannot be read stops the load before anything is stored, unless it is allowed. */
static void
test_bad_rows (void)
{
  for (guint i = 0; i < 4; i++)
    {
      gboolean sorts = i % 2 == 1, allows = i >= 2;
      g_auto (Case) it;
      case_init (&it, sorts ? SIMPLE " ORDER BY I" : SIMPLE);
      it.load.options.allows_bad_rows = allows;
      tall_test_load_add (&it.load, NULL, "C,O,I,Q\na,1,x,2\nshort\na,2,y,3\nb,\"3,z,1\n", -1);
      case_run (&it);
      g_assert_cmpuint (tall_rejects_get_count (it.load.rejects), ==, 2);
      g_assert_cmpuint (tall_faulty_front_count_orders (it.front), ==, allows ? 2 : 0);
      g_assert_true (it.ok == allows);
      if (!allows)
        g_assert_nonnull (strstr (it.load.error->message, "2 rows cannot be read, the first in "
                                                          "line 3"));
    }
}

/* Rejected rows of a result have the text of their row, also where they come back sorted. */
static void
test_rejects (void)
{
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *path = tall_test_write_file ("", 0);
      g_autofree char *text = NULL;
      g_auto (Case) it;
      case_init (&it, i != 1 ? "SELECT C AS customer_number, O AS order_number, D AS sales_date "
                               "FROM csv"
                             : "SELECT C AS customer_number, O AS order_number, D AS sales_date, "
                               "line FROM csv ORDER BY D");
      tall_rejects_free (it.load.rejects);
      it.load.rejects = tall_rejects_new (path, NULL);
      tall_test_load_add (&it.load, NULL,
                          i == 2 ? "C,O,D\na,1,2020-01-01\nb,\"2\",soon\na,1,2020-01-01\n"
                                 : "C,O,D\na,1,2020-01-01\nb,\"2\",soon\n",
                          -1);
      case_run (&it);
      g_assert_no_error (it.load.error);
      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      g_assert_nonnull (strstr (text, "\"3\",\"sales_date\","));
      g_assert_nonnull (strstr (text, "\"b,\"\"2\"\",soon\""));
      g_remove (path);
    }
}

static const struct
{
  const char *sql;
  const char *why;
} endless[] = {
  { "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
    "SELECT count(*) AS customer_number, 1 AS order_number FROM n",
    "computes for too long" },
  { "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100) SELECT "
    "group_concat(hex(zeroblob(8000000)), '') AS customer_number, 1 AS order_number FROM n",
    "string or blob too big" },
  { "SELECT 1 AS customer_number, 1 AS order_number, hex(zeroblob(30000000)) AS \"attribute.a\", "
    "hex(zeroblob(30000000)) AS \"attribute.b\", hex(zeroblob(30000000)) AS \"attribute.c\", "
    "hex(zeroblob(30000000)) AS \"attribute.d\", hex(zeroblob(30000000)) AS \"attribute.e\" "
    "FROM csv",
    "takes more than 256 MiB of memory" },
};

/* Memory and time have bounds. */
static void
test_bounds (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (endless); i++)
    {
      if (i == 0 && g_getenv ("TALL_TEST_ALL") == NULL)
        continue;
      g_auto (Case) it;
      case_init (&it, endless[i].sql);
      tall_test_load_add (&it.load, NULL, "C,O\na,1\n", -1);
      case_run (&it);
      g_assert_false (it.ok);
      if (strstr (it.load.error->message, endless[i].why) == NULL)
        g_error ("%s: %s", endless[i].sql, it.load.error->message);
    }
}

/* A stop that comes while SQLite computes. */
static gpointer
stop_soon (gpointer data)
{
  g_usleep (20 * 1000);
  g_atomic_int_set ((gint *)data, 1);
  return NULL;
}

static void
test_stopped (void)
{
  gint stop = 0;
  g_auto (Case) it;
  case_init (&it, endless[0].sql);
  tall_test_load_add (&it.load, NULL, "C,O\na,1\n", -1);
  it.load.options.stop = &stop;
  GThread *thread = g_thread_new (NULL, stop_soon, &stop);
  case_run (&it);
  g_thread_join (thread);
  g_assert_error (it.load.error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* A query that gives other rows each time might store orders in part. */
static void
test_fickle (void)
{
  g_auto (Case) it;
  case_init (&it, "SELECT C AS customer_number, O || random() AS order_number FROM csv");
  tall_test_load_add (&it.load, NULL, "C,O\na,1\na,2\n", -1);
  case_run (&it);
  g_assert_false (it.ok);
  g_assert_nonnull (strstr (it.load.error->message, "other rows"));
}

/* Names of columns as SQL tells them apart, and those that are ours. */
static void
test_names (void)
{
  g_autofree char *found =
      must (evaluate ("\"name\" || \"NAME#2\" || line || \"line#2\" || file || \"a\"\"b\"",
                      "name,NAME,line,\"a\"\"b\"\n1,2,3,4\n", &error));
  g_assert_true (g_str_has_prefix (found, "1232"));
  g_assert_true (g_str_has_suffix (found, "4"));
}

/* Whatever is run, no file with a name is opened. */
static void
test_no_files (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tallorder-test-XXXXXX", NULL);
  g_autofree char *attach = g_strdup_printf ("ATTACH '%s/x' AS y; CREATE TABLE y.t(a)", folder);
  g_autofree char *vacuum = g_strdup_printf ("VACUUM INTO '%s/x'", folder);
  g_autoptr (TallTempDb) db = must (tall_temp_db_new (folder, &error));
  g_assert_false (tall_temp_db_run (db, attach, NULL));
  g_assert_false (tall_temp_db_run (db, vacuum, NULL));
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* A column that is called as SQLite calls the number of a row is a column like any other. */
static void
test_row_id (void)
{
  g_autofree char *path = tall_test_write_file ("", 0);
  g_autofree char *text = NULL;
  g_auto (Case) it;
  case_init (&it, "SELECT a.C AS customer_number, b.O AS order_number, a.D AS sales_date, a.line "
                  "FROM csv AS a JOIN csv AS b USING (line)");
  tall_rejects_free (it.load.rejects);
  it.load.rejects = tall_rejects_new (path, NULL);
  tall_test_load_add (&it.load, NULL, "C,O,D,rowid\na,1,2020-01-01,x\nb,2,soon,y\n", -1);
  case_run (&it);
  g_assert_no_error (it.load.error);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "\"b,2,soon,y\""));
  g_remove (path);
}

/* The rows that a query takes first are those that it would take alone, and not those that come
 * first once they are sorted. */
static void
test_limit (void)
{
  g_auto (Case) it;
  case_init (&it, "SELECT a.C AS customer_number, a.O AS order_number, a.line "
                  "FROM csv AS a JOIN (SELECT 1) LIMIT 2");
  tall_test_load_add (&it.load, NULL, "C,O\nz,3\ny,2\nx,1\n", -1);
  case_run (&it);
  g_assert_no_error (it.load.error);
  g_assert_cmpuint (tall_faulty_front_count_orders (it.front), ==, 2);
  assert_stored (&it, "z", "3", "\"3\"");
  assert_stored (&it, "y", "2", "\"2\"");
}

/* SQLite's tables have a bound that files do not have. */
static void
test_wide (void)
{
  g_autoptr (GString) names = g_string_new ("C,O");
  for (guint i = 0; i < 2000; i++)
    g_string_append_printf (names, ",c%u", i);
  g_string_append_c (names, '\n');
  g_auto (Case) it;
  case_init (&it, SIMPLE);
  tall_test_load_add (&it.load, NULL, names->str, -1);
  case_run (&it);
  g_assert_error (it.load.error, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_nonnull (strstr (it.load.error->message, "has 2002 columns; a query reads up to 1996"));
}

static void
test_fits (void)
{
  const char *const has[] = { "C", "O", "I", "Q", "other", NULL };
  const char *const lacks[] = { "C", "O", "I", NULL };
  g_autoptr (TallMapping) mapping = tall_mapping_parse_sql ("m", SIMPLE, -1, NULL);
  g_assert_true (tall_sql_fits (mapping, has));
  g_assert_false (tall_sql_fits (mapping, lacks));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/load/sql/functions", test_functions);
  g_test_add_func ("/load/sql/refused", test_refused);
  g_test_add_func ("/load/sql/comments", test_comments);
  g_test_add_func ("/load/sql/plans", test_plans);
  g_test_add_func ("/load/sql/streamed", test_streamed);
  g_test_add_func ("/load/sql/filled", test_filled);
  g_test_add_func ("/load/sql/filled-window", test_filled_window);
  g_test_add_func ("/load/sql/apart", test_apart);
  g_test_add_func ("/load/sql/split", test_split);
  g_test_add_func ("/load/sql/customers", test_customers);
  g_test_add_func ("/load/sql/joined", test_joined);
  g_test_add_func ("/load/sql/bad-rows", test_bad_rows);
  g_test_add_func ("/load/sql/rejects", test_rejects);
  g_test_add_func ("/load/sql/bounds", test_bounds);
  g_test_add_func ("/load/sql/stopped", test_stopped);
  g_test_add_func ("/load/sql/fickle", test_fickle);
  g_test_add_func ("/load/sql/names", test_names);
  g_test_add_func ("/load/sql/no-files", test_no_files);
  g_test_add_func ("/load/sql/row-id", test_row_id);
  g_test_add_func ("/load/sql/limit", test_limit);
  g_test_add_func ("/load/sql/wide", test_wide);
  g_test_add_func ("/load/sql/fits", test_fits);
  return g_test_run ();
}
