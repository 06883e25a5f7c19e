/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-orders.h"
#include "tall-test-rows.h"

/* Rows that this layout does not write. The order is VINET's 10248 with raw keys: two locations,
 * lines 1 and 2 in the second. */

#define PREFIX                                                                                     \
  "VINET\0"                                                                                        \
  "10248\0"
#define LOCATION_1 PREFIX "\0\0\0\x01"
#define LOCATION_2 PREFIX "\0\0\0\x02"
#define LINE_1 PREFIX "\0\0\0\x02\0\0\0\x01"

#define REVISION TALL_TEST_ROWS_REVISION
#define SLICE TALL_TEST_SLICE
#define NUMBER(last) SLICE ("\0\0\0\0\0\0\0" last)

static void
put_cell (TallTestLayout *self,
          const char *table,
          TallSlice row,
          const char *qualifier,
          gint64 timestamp,
          TallSlice value)
{
  tall_test_rows_put_cell (self, table, row, tall_slice_str (qualifier), timestamp, value);
}

static void
test_root_missing (TallTestLayout *self, gconstpointer data G_GNUC_UNUSED)
{
  tall_test_rows_delete (self, "orders", SLICE (PREFIX));
  tall_test_rows_assert_damaged (self, "orders", SLICE (PREFIX), "the root row is missing");
}

static void
test_location_missing (TallTestLayout *self, gconstpointer data G_GNUC_UNUSED)
{
  tall_test_rows_delete (self, "shipping", SLICE (LOCATION_2));
  tall_test_rows_assert_damaged (self, "lines", SLICE (LINE_1), "its location 2 has no row");
}

/* Missing lines, and missing locations without lines, are found by the store, which counts. */
static void
test_line_missing (TallTestLayout *self, gconstpointer data G_GNUC_UNUSED)
{
  tall_test_rows_delete (self, "lines", SLICE (LINE_1));
  tall_test_rows_delete (self, "shipping", SLICE (LOCATION_1));
  g_autoptr (TallOrder) order = tall_test_rows_decode (self);
  g_assert_cmpuint (order->n_shipping_locations, ==, 1);
  g_assert_cmpuint (order->shipping_locations[0]->n_line_items, ==, 1);
}

#define BYTES TALL_TEST_BYTES
#define NUMBERED(last) BYTES ("\0\0\0\0\0\0\0" last)

static const TallTestRowsDamage damages[] = {
  { "lines", BYTES (LINE_1), "number", NUMBERED ("\x07"), "d:number is 7" },
  { "shipping", BYTES (LOCATION_1), "number", NUMBERED ("\x02"), "d:number is 2" },
  { "lines", BYTES (PREFIX "\0\0\0\x02\0\0\0\x09"), "price", BYTES ("1"),
    "d:number has no cell of revision" },
  { "shipping", BYTES (PREFIX "\0\0\0\x09"), "name", BYTES (""),
    "d:number has no cell of revision" },
  { "lines", BYTES (LINE_1), "price", BYTES ("many"), "column d:price: “many”" },
  { "shipping", BYTES (LOCATION_1), "name", BYTES ("\xff"), "column d:name: " },
  { "orders", BYTES (PREFIX), "currency", BYTES ("\xff"), "column d:currency: " },
};

static void
test_damages (TallTestLayout *self, gconstpointer kind)
{
  tall_test_rows_assert_damages (self, kind, damages, G_N_ELEMENTS (damages));
}

static void
test_bad_keys (TallTestLayout *self, gconstpointer data G_GNUC_UNUSED)
{
  static const TallTestBytes shipping[] = {
    TALL_TEST_BYTES (""),
    TALL_TEST_BYTES ("\0"),
    TALL_TEST_BYTES ("\0\0\x01"),
    TALL_TEST_BYTES ("\0\0\0\x02\0"),
    TALL_TEST_BYTES ("\0\0\0\x02\0\0\0\x01"),
    TALL_TEST_BYTES ("\xff\xff\xff\xff\xff"),
  };
  static const TallTestBytes lines[] = {
    TALL_TEST_BYTES (""),
    TALL_TEST_BYTES ("\0\0\0\x02"),
    TALL_TEST_BYTES ("\0\0\0\x02\0\0\x01"),
    TALL_TEST_BYTES ("\0\0\0\x02\0\0\0\x01\0"),
    TALL_TEST_BYTES ("\xff"),
  };
  tall_test_rows_assert_unexpected (self, "shipping", SLICE (PREFIX), shipping,
                                    G_N_ELEMENTS (shipping));
  tall_test_rows_assert_unexpected (self, "lines", SLICE (PREFIX), lines, G_N_ELEMENTS (lines));
}

static void
test_other_revisions (TallTestLayout *self, gconstpointer data G_GNUC_UNUSED)
{
  static const gint64 others[] = { 1, REVISION - 2, REVISION - 1, REVISION + 1, REVISION + 2 };
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      put_cell (self, "orders", SLICE (PREFIX), "currency", others[i], SLICE ("\xff"));
      put_cell (self, "shipping", SLICE (LOCATION_1), "number", others[i], SLICE ("?"));
      put_cell (self, "shipping", SLICE (PREFIX "\0\0\0\x05"), "number", others[i],
                NUMBER ("\x05"));
      put_cell (self, "lines", SLICE (LINE_1), "price", others[i], SLICE ("?"));
      put_cell (self, "lines", SLICE (PREFIX "\0\0\0\x07\0\0\0\x05"), "number", others[i],
                NUMBER ("\x05"));
    }
  g_autoptr (TallOrder) expected = tall_test_rows_make_order ();
  tall_test_rows_assert_order (self, expected);
}

static const TallTestRowsTest tests[] = {
  { "intact", tall_test_rows_intact },
  { "root-missing", test_root_missing },
  { "location-missing", test_location_missing },
  { "line-missing", test_line_missing },
  { "damages", test_damages },
  { "bad-keys", test_bad_keys },
  { "other-revisions", test_other_revisions },
};

int
main (int argc, char **argv)
{
  static const TallTestRowsKind kind = { &tall_layout_normalized, tall_test_rows_make_order };
  g_test_init (&argc, &argv, NULL);
  tall_test_rows_add (&kind, tests, G_N_ELEMENTS (tests));
  return g_test_run ();
}
