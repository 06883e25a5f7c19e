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

#define SLICE TALL_TEST_SLICE

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

/* Rows that this layout does not make. */
static const TallTestRowsDamage bad_keys[] = {
  { "shipping", BYTES (PREFIX) },
  { "shipping", BYTES (PREFIX "\0") },
  { "shipping", BYTES (PREFIX "\0\0\x01") },
  { "shipping", BYTES (PREFIX "\0\0\0\x02\0") },
  { "shipping", BYTES (PREFIX "\0\0\0\x02\0\0\0\x01") },
  { "shipping", BYTES (PREFIX "\xff\xff\xff\xff\xff") },
  { "lines", BYTES (PREFIX) },
  { "lines", BYTES (PREFIX "\0\0\0\x02") },
  { "lines", BYTES (PREFIX "\0\0\0\x02\0\0\x01") },
  { "lines", BYTES (PREFIX "\0\0\0\x02\0\0\0\x01\0") },
  { "lines", BYTES (PREFIX "\xff") },
};

static const TallTestRowsDamage others[] = {
  { "orders", BYTES (PREFIX), "currency", BYTES ("\xff") },
  { "shipping", BYTES (LOCATION_1), "number", BYTES ("?") },
  { "shipping", BYTES (PREFIX "\0\0\0\x05"), "number", NUMBERED ("\x05") },
  { "lines", BYTES (LINE_1), "price", BYTES ("?") },
  { "lines", BYTES (PREFIX "\0\0\0\x07\0\0\0\x05"), "number", NUMBERED ("\x05") },
};

static const TallTestRowsTest tests[] = {
  { "root-missing", test_root_missing },
  { "location-missing", test_location_missing },
  { "line-missing", test_line_missing },
};

int
main (int argc, char **argv)
{
  static const TallTestRowsKind kind = {
    .layout = &tall_layout_normalized,
    .make_order = tall_test_rows_make_order,
    .damages = damages,
    .n_damages = G_N_ELEMENTS (damages),
    .bad_keys = bad_keys,
    .n_bad_keys = G_N_ELEMENTS (bad_keys),
    .others = others,
    .n_others = G_N_ELEMENTS (others),
  };
  g_test_init (&argc, &argv, NULL);
  tall_test_rows_add (&kind, tests, G_N_ELEMENTS (tests));
  return g_test_run ();
}
