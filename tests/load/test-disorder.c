/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-faulty-front.h"
#include "tall-json.h"
#include "load/store/loader.h"
#include "tall-test-files.h"
#include "tall-must.h"

/* Files whose rows are out of order and partly damaged. The test knows which order each row belongs
 * to, and so what may be stored: an order is stored whole or not at all. */

#define MAP "[order]\ncustomer_number=C\norder_number=O\n[line]\nitem_number=I\nquantity=Q\n"
#define HEADER "C,O,I,Q\n"
#define N_CUSTOMERS 3
#define N_NUMBERS 5
#define N_ORDERS (N_CUSTOMERS * N_NUMBERS)
#define MAX_ROWS 4
#define N_FILES 200
#define LONGEST 100 /* bytes of a row */

typedef enum
{
  GOOD,
  BAD_VALUE,
  NOT_UTF8,
  SHORT,
  LONG,
  OPEN_QUOTE,
  TOO_LONG,
  NO_CUSTOMER,   /* names a number of any customer */
  OPEN_CUSTOMER, /* the same: a quote is opened in its field */
  N_DAMAGES,
} Damage;

/* A row of the file; all are one line each. */
typedef struct
{
  gint order; /* 0 … N_ORDERS - 1; -1: noise, which names none */
  gint item;
  Damage damage;
} Row;

/* As it is, in the file, and in JSON. */
static const struct
{
  const char *name, *written, *json;
} customers[N_CUSTOMERS] = { { "A", "A", "A" },
                             { "B,b", "\"B,b\"", "B,b" },
                             { "C\"c", "\"C\"\"c\"", "C\\\"c" } };

static gint
get_number (gint order)
{
  return order % N_NUMBERS + 1;
}

#define TEN "xxxxxxxxxx"
#define FORTY TEN TEN TEN TEN

/* The first ones are no CSV, or too long. */
static const char *const noise[] = {
  "\"x\"y", FORTY FORTY FORTY, "\xff\xfe", ",,,", "A,,1,1", "A,B",
};
#define N_GARBLED 2

static void
append_row (GString *text, const Row *row)
{
  if (row->order < 0)
    {
      g_string_append_printf (text, "%s\n", noise[row->item % (gint)G_N_ELEMENTS (noise)]);
      return;
    }
  if (row->damage == OPEN_CUSTOMER)
    g_string_append_c (text, '"');
  if (row->damage != NO_CUSTOMER)
    g_string_append (text, customers[row->order / N_NUMBERS].written);
  g_string_append_printf (text, ",%d", get_number (row->order));
  if (row->damage == TOO_LONG)
    g_string_append_printf (text, ",%*d", 2 * LONGEST, row->item);
  if (row->damage != SHORT)
    g_string_append_printf (text, ",%s%d,%s", row->damage == OPEN_QUOTE ? "\"x" : "i", row->item,
                            row->damage == BAD_VALUE  ? "x"
                            : row->damage == NOT_UTF8 ? "\xe9"
                            : row->damage == LONG     ? "1,1"
                                                      : "1");
  g_string_append_c (text, '\n');
}

static char *
make_text (const GArray *rows)
{
  GString *text = g_string_new (HEADER);
  for (guint i = 0; i < rows->len; i++)
    append_row (text, &g_array_index (rows, Row, i));
  return g_string_free (text, FALSE);
}

static void
swap_rows (GArray *rows, guint i, guint k)
{
  Row row = g_array_index (rows, Row, i);
  g_array_index (rows, Row, i) = g_array_index (rows, Row, k);
  g_array_index (rows, Row, k) = row;
}

/* Orders with their rows together, of which some are then damaged, moved or interrupted. */
static GArray *
make_rows (GRand *rand)
{
  GArray *rows = g_array_new (FALSE, TRUE, sizeof (Row));
  gint item = 0;
  gboolean damages = g_rand_boolean (rand);
  for (gint order = 0; order < N_ORDERS; order++)
    for (gint n = g_rand_int_range (rand, 0, MAX_ROWS + 1); n > 0; n--)
      {
        Row row = { order, item++, GOOD };
        if (damages && g_rand_int_range (rand, 0, 10) == 0)
          row.damage = (Damage)g_rand_int_range (rand, 0, N_DAMAGES);
        if (row.damage == OPEN_CUSTOMER && customers[order / N_NUMBERS].written[0] == '"')
          row.damage = OPEN_QUOTE; /* nobody could say what ends where */
        g_array_append_val (rows, row);
      }
  for (gint n = damages ? g_rand_int_range (rand, 0, 4) : 0; n > 0; n--)
    {
      Row row = { -1, item++, GOOD };
      g_array_insert_val (rows, (guint)g_rand_int_range (rand, 0, (gint)rows->len + 1), row);
    }
  if (rows->len > 1)
    for (gint n = g_rand_int_range (rand, 0, 5) * g_rand_int_range (rand, 0, 5); n > 0; n--)
      swap_rows (rows, (guint)g_rand_int_range (rand, 0, (gint)rows->len),
                 (guint)g_rand_int_range (rand, 0, (gint)rows->len));
  return rows;
}

/* Whether the reader cannot tell what the row has. */
static gboolean
is_unreadable (const Row *row)
{
  return row->order < 0 || row->damage == SHORT || row->damage == LONG || row->damage == OPEN_QUOTE
         || row->damage == TOO_LONG || row->damage == OPEN_CUSTOMER;
}

static gboolean
names_any_customer (const Row *row)
{
  return row->order >= 0 && (row->damage == NO_CUSTOMER || row->damage == OPEN_CUSTOMER);
}

/* The order whose rows are being read. */
typedef struct
{
  gint order;   /* -1: none */
  gboolean any; /* of any customer: its first row has none */
} Current;

static gboolean
goes_on (const Current *current, const Row *row)
{
  if (row->order < 0 || current->order < 0)
    return FALSE;
  return row->order == current->order
         || ((current->any || names_any_customer (row))
             && get_number (row->order) == get_number (current->order));
}

static gboolean
is_garbled (const Row *row)
{
  return row->order < 0 && row->item % (gint)G_N_ELEMENTS (noise) < N_GARBLED;
}

/* Whether an unreadable row that is not clearly of the order stands between two rows of it, or one
 * that is no CSV and names no order before or after one. */
static gboolean
has_gap (const GArray *rows, gint order)
{
  Current current = { -1, FALSE };
  gboolean gap = FALSE, garbled = FALSE;
  for (guint i = 0; i < rows->len; i++)
    {
      const Row *row = &g_array_index (rows, Row, i);
      gboolean same = goes_on (&current, row);
      if (same && gap && row->order == order)
        return TRUE;
      if (!same && is_unreadable (row))
        {
          gap = current.order >= 0;
          garbled |= is_garbled (row);
          if (is_garbled (row) && current.order == order)
            return TRUE;
          continue;
        }
      if (garbled && row->order == order)
        return TRUE;
      gap = garbled = FALSE;
      if (!same)
        current = (Current){ row->order, names_any_customer (row) };
    }
  return FALSE;
}

/* Whether an order has to be stored: all its rows are good, wherever they are, no row that may be
 * of any customer has its number, and none that may be of any order is among them. */
static gboolean
is_storable (const GArray *rows, gint order)
{
  guint n = 0;
  for (guint i = 0; i < rows->len; i++)
    {
      const Row *row = &g_array_index (rows, Row, i);
      if (names_any_customer (row) && get_number (row->order) == get_number (order))
        return FALSE;
      if (row->order != order)
        continue;
      if (row->damage != GOOD)
        return FALSE;
      n++;
    }
  return n > 0 && !has_gap (rows, order);
}

/* An order as it has to be stored. */
static char *
describe_order (const GArray *rows, gint order)
{
  GString *text = g_string_new (NULL);
  g_string_append_printf (text,
                          "{\"customer_number\":\"%s\",\"order_number\":\"%d\","
                          "\"shipping_locations\":[{\"number\":1,\"line_items\":[",
                          customers[order / N_NUMBERS].json, get_number (order));
  guint n = 0;
  for (guint i = 0; i < rows->len; i++)
    {
      const Row *row = &g_array_index (rows, Row, i);
      if (row->order == order)
        g_string_append_printf (text,
                                "%s{\"number\":%u,\"item_number\":\"i%d\",\"quantity\":\"1\"}",
                                n > 0 ? "," : "", n + 1, row->item),
            n++;
    }
  g_string_append (text, "]}]}");
  return g_string_free (text, FALSE);
}

/* Loads the rows, and returns the reject file's path. */
static char *
load_rows (const GArray *rows, TallFront *front)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = make_text (rows);
  g_autofree char *path = tall_test_write_file (text, -1);
  char *rejects_path = tall_test_write_file ("", 0);
  g_autoptr (TallMapping) mapping = tall_mapping_parse ("m", MAP, -1, &error);
  g_autoptr (TallCsvReader) reader =
      must (tall_csv_reader_open (path, &(TallCsvDialect){ ',' }, LONGEST, &error));
  must (tall_mapping_bind_reader (mapping, reader, &error));
  g_autoptr (TallRejects) rejects = tall_rejects_new (rejects_path, &error);
  TallLoadOptions options = TALL_LOAD_OPTIONS_INIT;
  options.jobs = 1;
  TallLoadSummary summary;
  g_autoptr (TallLoadFiles) files =
      tall_load_files_new_of_one (g_steal_pointer (&reader), g_steal_pointer (&mapping));
  must (tall_load (front, files, rejects, &options, &summary, &error));
  g_assert_cmpuint (summary.rows, ==, rows->len);
  g_assert_cmpuint (summary.rows, ==,
                    summary.ends[TALL_LOAD_STORED].rows + tall_rejects_get_count (rejects));
  g_remove (path);
  return rejects_path;
}

/* Every order is stored whole, or not at all, and those that can be stored are. */
static void
check_stored (const GArray *rows, TallFront *front)
{
  for (gint order = 0; order < N_ORDERS; order++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *number = g_strdup_printf ("%d", get_number (order));
      const char *customer = customers[order / N_NUMBERS].name;
      g_autoptr (TallOrder) stored = tall_front_get_order (front, customer, number, NULL, &error);
      g_assert_cmpint (stored != NULL, ==, is_storable (rows, order));
      if (stored == NULL)
        continue;
      g_autofree char *json = tall_order_to_json (stored, FALSE);
      g_autofree char *expected = describe_order (rows, order);
      g_assert_cmpstr (json, ==, expected);
    }
}

/* The rows of a reject file, found again by their lines. */
static GArray *
read_rejects (const char *path, const GArray *rows)
{
  g_autoptr (GError) error = NULL;
  GArray *rejected = g_array_new (FALSE, TRUE, sizeof (Row));
  g_autoptr (TallCsvReader) reader =
      must (tall_csv_reader_open (path, &(TallCsvDialect){ ',' }, TALL_CSV_MAX_ROW, &error));
  TallCsvRow row;
  while (tall_csv_reader_next (reader, &row, &error) == TALL_CSV_ROW)
    {
      guint line = (guint)g_ascii_strtoull (row.fields[0], NULL, 10);
      if (line == 1)
        continue; /* the header */
      const Row *found = &g_array_index (rows, Row, line - 2);
      g_autoptr (GString) text = g_string_new (NULL);
      append_row (text, found);
      g_string_truncate (text, MIN (text->len - 1, LONGEST)); /* a row that is too long was cut */
      g_assert_cmpstr (row.fields[3], ==, text->str);
      g_array_append_val (rejected, *found);
    }
  g_assert_no_error (error);
  return rejected;
}

static gint
compare_rows (gconstpointer a, gconstpointer b)
{
  return ((const Row *)a)->order - ((const Row *)b)->order;
}

/* What is rejected can be loaded again, as it is or sorted: an order that is stored then is whole.
 */
static void
check_file (guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  g_autoptr (GArray) rows = make_rows (rand);
  g_autoptr (TallFaultyFront) front = tall_faulty_front_new ();
  g_autofree char *rejects = load_rows (rows, TALL_FRONT (front));
  check_stored (rows, TALL_FRONT (front));

  g_autoptr (GArray) rejected = read_rejects (rejects, rows);
  g_autoptr (TallFaultyFront) second = tall_faulty_front_new ();
  g_autofree char *again = load_rows (rejected, TALL_FRONT (second));
  check_stored (rejected, TALL_FRONT (second));

  g_array_sort (rejected, compare_rows);
  g_autoptr (TallFaultyFront) third = tall_faulty_front_new ();
  g_autofree char *sorted = load_rows (rejected, TALL_FRONT (third));
  check_stored (rejected, TALL_FRONT (third));
  g_remove (rejects);
  g_remove (again);
  g_remove (sorted);
}

static void
test_property (void)
{
  for (guint32 seed = 0; seed < N_FILES; seed++)
    {
      g_test_message ("seed %u", seed);
      check_file (seed);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/load/disorder/property", test_property);
  return g_test_run ();
}
