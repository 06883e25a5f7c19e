/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-orders.h"
#include "tall-test-rows.h"

/* Rows that this layout does not write. The order is VINET's 10248 with raw keys: two locations,
 * lines 1 and 2 in the second. */

#define PREFIX                                                                                     \
  "VINET\0\x02"                                                                                    \
  "10248\0"
#define LOCATION_1 PREFIX "\x02\0\0\0\x01"
#define LOCATION_2 PREFIX "\x02\0\0\0\x02"
#define LINE_1 PREFIX "\x03\0\0\0\x02\0\0\0\x01"
#define LINE_2 PREFIX "\x03\0\0\0\x02\0\0\0\x02"

#define SLICE TALL_TEST_SLICE

static void
assert_damaged (TallTestLayout *self, TallSlice row, const char *what)
{
  tall_test_rows_assert_damaged (self, "orders", row, what);
}

static void
test_location_missing (TallTestLayout *self, gconstpointer data G_GNUC_UNUSED)
{
  tall_test_rows_delete (self, "orders", SLICE (LOCATION_2));
  assert_damaged (self, SLICE (LINE_1), "its location 2 has no row");
}

/* Missing lines are found by the store, which counts. */
static void
test_line_missing (TallTestLayout *self, gconstpointer data G_GNUC_UNUSED)
{
  tall_test_rows_delete (self, "orders", SLICE (LINE_1));
  g_autoptr (TallOrder) order = tall_test_rows_decode (self);
  g_assert_cmpuint (order->shipping_locations[1]->n_line_items, ==, 1);
  g_assert_cmpint (order->shipping_locations[1]->line_items[0]->number, ==, 2);
}

#define BYTES TALL_TEST_BYTES
#define NUMBERED(last) BYTES ("\0\0\0\0\0\0\0" last)

static const TallTestRowsDamage damages[] = {
  /* The next location is there, but not that of the line. */
  { "orders", BYTES (PREFIX "\x03\0\0\0\0\0\0\0\x05"), "number", NUMBERED ("\x05"),
    "its location 0 has no row" },
  { "orders", BYTES (LINE_1), "number", NUMBERED ("\x07"), "d:number is 7" },
  { "orders", BYTES (LOCATION_1), "number", NUMBERED ("\x02"), "d:number is 2" },
  { "orders", BYTES (PREFIX "\x03\0\0\0\x02\0\0\0\x09"), "price", BYTES ("1"),
    "d:number has no cell of revision" },
  { "orders", BYTES (PREFIX "\x02\0\0\0\x09"), "name", BYTES (""),
    "d:number has no cell of revision" },
  { "orders", BYTES (LINE_2), "price", BYTES ("many"), "column d:price: “many”" },
};

/* Rows that this layout does not make. */
static const TallTestRowsDamage bad_keys[] = {
  { "orders", BYTES (PREFIX) },
  { "orders", BYTES (PREFIX "\0") },
  { "orders", BYTES (PREFIX "\x01\0") },
  { "orders", BYTES (PREFIX "\x02") },
  { "orders", BYTES (PREFIX "\x02\0\0\x01") },
  { "orders", BYTES (PREFIX "\x02\0\0\0\x02\0\0\0\x01") },
  { "orders", BYTES (PREFIX "\x03\0\0\0\x02") },
  { "orders", BYTES (PREFIX "\x03\0\0\0\x02\0\0\0\x01\0") },
  { "orders", BYTES (PREFIX "\x04\0\0\0\x02") },
  { "orders", BYTES (PREFIX "\xff") },
};

static const TallTestRowsDamage others[] = {
  { "orders", BYTES (PREFIX "\x01"), "currency", BYTES ("\xff") },
  { "orders", BYTES (LOCATION_1), "number", BYTES ("?") },
  { "orders", BYTES (LOCATION_1), "address", BYTES ("") },
  { "orders", BYTES (LINE_1), "price", BYTES ("?") },
  { "orders", BYTES (PREFIX "\x02\0\0\0\x05"), "number", NUMBERED ("\x05") },
  { "orders", BYTES (PREFIX "\x03\0\0\0\x01\0\0\0\x05"), "number", NUMBERED ("\x05") },
  { "orders", BYTES (PREFIX "\x03\0\0\0\x07\0\0\0\x05"), "number", NUMBERED ("\x05") },
};

static const TallTestRowsTest tests[] = {
  { "location-missing", test_location_missing },
  { "line-missing", test_line_missing },
};

int
main (int argc, char **argv)
{
  static const TallTestRowsKind kind = {
    .layout = &tall_layout_record_type,
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
