/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "layout/columns.h"
#include "tall-error.h"
#include "tall-must.h"

#define REVISION 1700000000000

/* Room for any of the structs. */
typedef union
{
  TallOrder order;
  TallShippingLocation location;
  TallLineItem line;
  TallCustomer customer;
} Fields;

static TallCell
make_cell (const char *qualifier, const char *value, gsize len)
{
  return (TallCell){ tall_slice_str (qualifier), REVISION, tall_slice (value, len) };
}

static gboolean
read_cells (const TallColumns *columns,
            TallCell *cells,
            guint n_cells,
            TallArena *arena,
            Fields *fields,
            guint *n_found,
            GError **error)
{
  TallRow row = { tall_slice_str ("ro\x01w"), cells, n_cells };
  TallColumnsReader reader = { "orders", REVISION, arena };
  memset (fields, 0, sizeof *fields);
  return tall_columns_read (columns, &reader, &row, fields, n_found, error);
}

/* Reading merges: both sides must be sorted. */
static void
test_sorted (void)
{
  static const TallColumns *const all[] = { &tall_columns_order,   &tall_columns_location,
                                            &tall_columns_ship_to, &tall_columns_ship_number,
                                            &tall_columns_line,    &tall_columns_customer };
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    {
      const TallColumnList *list = tall_columns_list (all[i]);
      for (guint j = 1; j < list->n_columns; j++)
        g_assert_cmpint (
            tall_slice_compare (list->columns[j - 1].qualifier, list->columns[j].qualifier), <, 0);
    }
}

static gboolean
has_column (const TallColumns *columns, TallSlice qualifier)
{
  const TallColumnList *list = tall_columns_list (columns);
  for (guint i = 0; i < list->n_columns; i++)
    if (tall_slice_equal (list->columns[i].qualifier, qualifier))
      return TRUE;
  return FALSE;
}

/* Columns of which the name is more than the field's; the golden files have all. */
static void
test_names (void)
{
  static const struct
  {
    const TallColumns *columns;
    const char *qualifier;
    gboolean is_one;
  } cases[] = {
    { &tall_columns_location, "ship_date", TRUE },
    { &tall_columns_location, "address", TRUE },
    { &tall_columns_location, "address.line1", TRUE },
    { &tall_columns_location, "line1", FALSE },
    { &tall_columns_location, "line_items", FALSE },
    { &tall_columns_ship_to, "ship.date", TRUE },
    { &tall_columns_ship_to, "ship.ship_date", FALSE },
    { &tall_columns_ship_to, "ship.address", TRUE },
    { &tall_columns_ship_to, "ship.address.zip", TRUE },
    { &tall_columns_ship_number, "ship.number", TRUE },
    { &tall_columns_ship_number, "ship.name", FALSE },
    { &tall_columns_order, "order_number", FALSE },
    { &tall_columns_customer, "number", FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("%s", cases[i].qualifier);
      g_assert_cmpint (has_column (cases[i].columns, tall_slice_str (cases[i].qualifier)), ==,
                       cases[i].is_one);
    }
}

/* Columns of lines and of their ship-to are in the same rows. */
static void
test_ship_to_apart (void)
{
  const TallColumnList *list = tall_columns_list (&tall_columns_ship_to);
  for (guint i = 0; i < list->n_columns; i++)
    g_assert_false (has_column (&tall_columns_line, list->columns[i].qualifier));
}

/* No layout uses the store's own columns. */
static void
test_reserved (void)
{
  static const TallColumns *const roots[] = { &tall_columns_order, &tall_columns_customer };
  for (guint i = 0; i < G_N_ELEMENTS (roots); i++)
    {
      g_assert_false (has_column (roots[i], tall_slice_str ("s")));
      g_assert_false (has_column (roots[i], tall_slice_str ("summary")));
    }
}

#define BAD(columns, qualifier, bytes)                                                             \
  {                                                                                                \
    &(columns), qualifier, bytes, sizeof (bytes) - 1                                               \
  }

static void
test_bad_values (void)
{
  static const struct
  {
    const TallColumns *columns;
    const char *qualifier;
    const char *bytes;
    gsize len;
  } cases[] = {
    BAD (tall_columns_order, "currency", "\xff"),
    BAD (tall_columns_order, "currency", "E\0R"),
    BAD (tall_columns_order, "currency", "\xed\xa0\x80"),
    BAD (tall_columns_order, "sales_date", ""),
    BAD (tall_columns_order, "sales_date", "\0\0\0\0\0\0\0"),
    BAD (tall_columns_order, "sales_date", "\0\0\0\0\0\0\0\0\0"),
    BAD (tall_columns_order, "sales_date", "\x80\0\0\0\0\0\0\0"),
    BAD (tall_columns_order, "sales_date", "\x7f\xff\xff\xff\xff\xff\xff\xff"),
    BAD (tall_columns_order, "sales_date", "\0\0\xe6\x77\xd2\x1f\xdc\0"), /* year 10000 */
    BAD (tall_columns_order, "attributes", "\xff"),
    BAD (tall_columns_order, "attributes", "\x0a\x7f"),
    BAD (tall_columns_location, "number", ""),
    BAD (tall_columns_location, "number", "\0\0\0\x01"),
    BAD (tall_columns_location, "number", "\0\0\0\0\0\0\0\0"),
    BAD (tall_columns_location, "number", "\0\0\0\0\x80\0\0\0"),
    BAD (tall_columns_location, "number", "\0\0\0\x01\0\0\0\x01"),
    BAD (tall_columns_location, "number", "\xff\xff\xff\xff\xff\xff\xff\xff"),
    BAD (tall_columns_location, "address", "x"),
    BAD (tall_columns_location, "address.city", "\xc3"),
    BAD (tall_columns_line, "price", ""),
    BAD (tall_columns_line, "price", "1,5"),
    BAD (tall_columns_line, "price", "1e3"),
    BAD (tall_columns_line, "quantity", "9223372036854775808"),
    BAD (tall_columns_line, "discount", "0.1\0"),
    BAD (tall_columns_customer, "phones", "\x0a"),
    BAD (tall_columns_customer, "phones",
         "\x0a\x03"
         "1\0"
         "2"),
    BAD (tall_columns_customer, "phones", "\x0a\x01\xff"),
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallArena) arena = tall_arena_new (0);
      g_autofree char *exact = g_memdup2 (cases[i].bytes, cases[i].len);
      g_autofree char *column = g_strdup_printf ("column d:%s: ", cases[i].qualifier);
      TallCell cell = make_cell (cases[i].qualifier, exact, cases[i].len);
      Fields fields;
      g_assert_false (read_cells (cases[i].columns, &cell, 1, arena, &fields, NULL, &error));
      g_assert_error (error, TALL_ERROR, TALL_ERROR_DAMAGED);
      g_assert_true (g_str_has_prefix (error->message, "Table orders, row ro\\x01w, "));
      g_assert_nonnull (strstr (error->message, column));
    }
}

/* A damaged value may be of any size; the message is not. */
static void
test_long_bad_value (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autofree char *value = g_strnfill (1000000, 'x');
  TallCell cell = make_cell ("price", value, 1000000);
  Fields fields;
  g_assert_false (read_cells (&tall_columns_line, &cell, 1, arena, &fields, NULL, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_DAMAGED);
  g_assert_cmpuint (strlen (error->message), <, 300);
  g_assert_nonnull (strstr (error->message, "1000000 bytes"));
}

/* Forms that other tools may write, but the layout does not: they are understood. */
static void
test_other_forms (void)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallCell cells[] = {
    make_cell ("address", "", 0),
    make_cell ("address.city", "Reims", 5),
    make_cell ("number", "\0\0\0\0\x7f\xff\xff\xff", 8),
  };
  Fields fields;
  must (read_cells (&tall_columns_location, cells, 3, arena, &fields, NULL, &error));
  g_assert_cmpstr (fields.location.address->city, ==, "Reims");
  g_assert_null (fields.location.address->zip);
  g_assert_cmpint (fields.location.number, ==, G_MAXINT32);
}

/* Columns between, before and after ours, and cells of other revisions, damaged ones too. */
static void
test_skipped (void)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallCell cells[] = {
    make_cell ("", "?", 1),
    make_cell ("a", "?", 1),
    make_cell ("currency", "\xff", 1),
    make_cell ("currency", "EUR", 3),
    make_cell ("currency", "USD", 3),
    make_cell ("currency2", "?", 1),
    make_cell ("s", "?", 1),
    make_cell ("sales_date", "?", 1),
    make_cell ("summary", "?", 1),
    make_cell ("z", "?", 1),
  };
  cells[2].timestamp = REVISION + 2;
  cells[4].timestamp = REVISION - 2;
  cells[7].timestamp = REVISION - 2;

  Fields fields;
  guint n_found;
  must (read_cells (&tall_columns_order, cells, G_N_ELEMENTS (cells), arena, &fields, &n_found,
                    &error));
  g_assert_cmpstr (fields.order.currency, ==, "EUR");
  g_assert_false (fields.order.has_sales_date);
  g_assert_cmpuint (n_found, ==, 7);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/layout/columns/sorted", test_sorted);
  g_test_add_func ("/layout/columns/names", test_names);
  g_test_add_func ("/layout/columns/ship-to-apart", test_ship_to_apart);
  g_test_add_func ("/layout/columns/reserved", test_reserved);
  g_test_add_func ("/layout/columns/bad-values", test_bad_values);
  g_test_add_func ("/layout/columns/long-bad-value", test_long_bad_value);
  g_test_add_func ("/layout/columns/other-forms", test_other_forms);
  g_test_add_func ("/layout/columns/skipped", test_skipped);
  return g_test_run ();
}
