/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-files.h"
#include "tall-test-loads.h"

/* Rows in any order, and in any number of files, give the orders of the sorted file. */

#define MAP                                                                                        \
  "[order]\ncustomer_number=C\norder_number=O\n[location]\nnumber=L\n[line]\nnumber=N\n"           \
  "item_number=I\n"
#define HEADER "C,O,L,N,I\n"
#define MAX_FILES 4

static guint n_announced;

static void
on_announce (const char *folder G_GNUC_UNUSED, guint64 bytes, gpointer data G_GNUC_UNUSED)
{
  g_assert_cmpuint (bytes, >, 4 * 1024 * 1024);
  n_announced++;
}

/* Loads rows that are dealt out to files. Returns how many rows were rejected. */
static guint64
load_rows (TallFaultyFront *front, const char *map, const char *header, GPtrArray *rows, guint n)
{
  g_auto (TallTestLoad) load;
  tall_test_load_init (&load, map);
  load.options.announce = on_announce;
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GString) text = g_string_new (header);
      for (guint k = i * rows->len / n; k < (i + 1) * rows->len / n; k++)
        g_string_append_printf (text, "%s\n", (const char *)g_ptr_array_index (rows, k));
      tall_test_load_add (&load, NULL, text->str, (gssize)text->len);
    }
  gboolean ok = tall_test_load_run (&load, front);
  g_assert_no_error (load.error);
  g_assert_true (ok);
  g_assert_cmpuint (load.summary.rows, ==, rows->len);
  return tall_rejects_get_count (load.rejects);
}

static void
assert_same (TallFaultyFront *a, TallFaultyFront *b, guint n_orders)
{
  for (guint i = 0; i < n_orders; i++)
    {
      g_autofree char *customer = g_strdup_printf ("C%u", i % 7);
      g_autofree char *order = g_strdup_printf ("%u", i);
      g_autofree char *one = tall_test_load_get_json (a, customer, order);
      g_autofree char *other = tall_test_load_get_json (b, customer, order);
      g_assert_cmpstr (one, ==, other);
    }
}

/* Numbered lines have no order of their own, so the shuffled file has to give the same. */
static void
test_property (void)
{
  for (guint32 seed = 0; seed < 40; seed++)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
      g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_free);
      guint n_orders = (guint)g_rand_int_range (rand, 1, 60);
      for (guint i = 0; i < n_orders; i++)
        for (guint n = (guint)g_rand_int_range (rand, 1, 9), k = 0; k < n; k++)
          g_ptr_array_add (rows, g_strdup_printf ("C%u,%u,%u,%u,\"item, %u\"", i % 7, i, k % 3 + 1,
                                                  k + 1, k * seed));
      g_autoptr (TallFaultyFront) sorted = tall_faulty_front_new ();
      g_autoptr (TallFaultyFront) shuffled = tall_faulty_front_new ();
      g_assert_cmpuint (load_rows (sorted, MAP, HEADER, rows, 1), ==, 0);
      tall_test_load_shuffle (rows, rand);
      g_test_message ("seed %u", seed);
      guint n_files = (guint)g_rand_int_range (rand, 1, MAX_FILES + 1);
      g_assert_cmpuint (load_rows (shuffled, MAP, HEADER, rows, n_files), ==, 0);
      g_assert_cmpuint (tall_faulty_front_count_orders (shuffled), ==, n_orders);
      assert_same (sorted, shuffled, n_orders);
    }
}

/* The same through the temporary store: 8 MB of rows. */
static void
test_large (void)
{
  const guint n_orders = 20000;
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < 3 * n_orders; i++)
    g_ptr_array_add (rows, g_strdup_printf ("C%u,%u,1,%u,%0100u", i / 3 % 7, i / 3, i % 3 + 1, i));
  g_autoptr (TallFaultyFront) sorted = tall_faulty_front_new ();
  g_autoptr (TallFaultyFront) shuffled = tall_faulty_front_new ();
  g_assert_cmpuint (load_rows (sorted, MAP, HEADER, rows, 1), ==, 0);
  g_assert_cmpuint (n_announced, ==, 0);
  tall_test_load_shuffle (rows, rand);
  g_assert_cmpuint (load_rows (shuffled, MAP, HEADER, rows, 2), ==, 0);
  g_assert_cmpuint (n_announced, ==, 1);
  assert_same (sorted, shuffled, n_orders);
}

/* Two orders whose rows alternate: one of as many lines as there may be, one with one more. */
static void
test_limit (void)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 1; i <= 10000; i++)
    {
      if (i < 10000)
        g_ptr_array_add (rows, g_strdup_printf ("C0,0,1,%u,x", i));
      g_ptr_array_add (rows, g_strdup_printf ("C1,1,1,%u,x", i));
    }
  g_autoptr (TallFaultyFront) front = tall_faulty_front_new ();
  g_assert_cmpuint (load_rows (front, MAP, HEADER, rows, 1), ==, 10000);
  g_autofree char *fits = tall_test_load_get_json (front, "C0", "0");
  g_autofree char *over = tall_test_load_get_json (front, "C1", "1");
  g_assert_nonnull (fits);
  g_assert_null (over);
}

/* The real file, whose lines have no numbers: each order has the same lines in some order. */
static void
test_northwind (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  g_autofree char *path = tall_test_source_path ("tests/data/northwind/orders.csv");
  g_autofree char *preset = tall_mapping_preset_text ("northwind");
  g_autofree char *text = NULL;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_auto (GStrv) lines = g_strsplit (g_strchomp (text), "\n", -1);
  g_autofree char *header = g_strconcat (lines[0], "\n", NULL);
  g_autoptr (GPtrArray) rows = g_ptr_array_new ();
  for (guint i = 1; lines[i] != NULL; i++)
    g_ptr_array_add (rows, lines[i]);
  tall_test_load_shuffle (rows, rand);
  g_autoptr (TallFaultyFront) front = tall_faulty_front_new ();
  g_assert_cmpuint (load_rows (front, preset, header, rows, MAX_FILES), ==, 0);
  g_assert_cmpuint (tall_faulty_front_count_orders (front), ==, 830);
  g_autoptr (TallOrder) order =
      tall_front_get_order (TALL_FRONT (front), "HANAR", "10250", NULL, NULL);
  g_assert_cmpuint (tall_order_count_lines (order), ==, 3);
  g_assert_cmpuint (order->n_shipping_locations, ==, 1);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/load/shuffled/property", test_property);
  g_test_add_func ("/load/shuffled/large", test_large);
  g_test_add_func ("/load/shuffled/limit", test_limit);
  g_test_add_func ("/load/shuffled/northwind", test_northwind);
  return g_test_run ();
}
