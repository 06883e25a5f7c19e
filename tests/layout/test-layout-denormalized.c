/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-orders.h"
#include "tall-test-rows.h"

/* Rows that this layout does not write. The order is VINET's 10248 with raw keys: location 1 has no
 * lines, 2 has lines 1 and 3, and 3 has line 2. */

#define PREFIX                                                                                     \
  "VINET\0"                                                                                        \
  "10248\0"
#define LOCATION_1 PREFIX "\x02\0\0\0\x01"
#define LOCATION_2 PREFIX "\x02\0\0\0\x02"
#define LINE_1 PREFIX "\x03\0\0\0\x01"
#define LINE_2 PREFIX "\x03\0\0\0\x02"
#define LINE_3 PREFIX "\x03\0\0\0\x03"
#define LINE_9 PREFIX "\x03\0\0\0\x09"

#define REVISION TALL_TEST_ROWS_REVISION
#define SLICE TALL_TEST_SLICE

static TallOrder *
make_order (void)
{
  TallOrder *order = tall_test_empty_order ("VINET", "10248", 3);
  tall_test_add_lines (order, 1, 1, 2);
  order->shipping_locations[1]->line_items[1]->number = 3;
  order->shipping_locations[1]->name = tall_arena_strdup (tall_order_get_arena (order), "Reims");
  order->shipping_locations[1]->address = tall_address_new (tall_order_get_arena (order));
  tall_test_add_lines (order, 2, 2, 1);
  return order;
}

static void
put_cell (
    TallTestLayout *self, TallSlice row, const char *qualifier, gint64 timestamp, TallSlice value)
{
  tall_test_rows_put_cell (self, "orders", row, tall_slice_str (qualifier), timestamp, value);
}

static void
assert_damaged (TallTestLayout *self, TallSlice row, const char *what)
{
  tall_test_rows_assert_damaged (self, "orders", row, what);
}

/* A location is lost with its last line; the store finds that by counting. */
static void
test_lines_missing (TallTestLayout *self, gconstpointer data G_GNUC_UNUSED)
{
  tall_test_rows_delete (self, "orders", SLICE (LINE_2));
  tall_test_rows_delete (self, "orders", SLICE (LINE_1));
  g_autoptr (TallOrder) order = tall_test_rows_decode (self);
  g_assert_cmpuint (order->n_shipping_locations, ==, 2);
  g_assert_cmpint (order->shipping_locations[1]->number, ==, 2);
  g_assert_cmpstr (order->shipping_locations[1]->name, ==, "Reims");
  g_assert_cmpuint (order->shipping_locations[1]->n_line_items, ==, 1);
}

/* Each way in which two lines of a location can differ in its ship-to. */
static void
test_ship_to_differs (TallTestLayout *self, gconstpointer kind)
{
  static const struct
  {
    const char *qualifier;
    const char *value;
  } cells[] = {
    { "ship.name", "" },
    { "ship.name", "Reims " },
    { "ship.address", "" },
    { "ship.address.city", "" },
    { "ship.address.zip", "51100" },
    { "ship.date", "\xff\xff\xff\xff\xff\xff\xff\xfe" },
    { "ship.z, of later times", "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cells); i++)
    for (guint j = 0; j < 2; j++)
      {
        gboolean same = strcmp (cells[i].qualifier, "ship.address") == 0;
        TallSlice row = j == 0 ? SLICE (LINE_1) : SLICE (LINE_3);
        put_cell (self, row, cells[i].qualifier, REVISION, tall_slice_str (cells[i].value));
        if (same)
          tall_test_rows_intact (self, kind);
        else
          assert_damaged (self, SLICE (LINE_3), "are not the same as in row VINET");
        tall_test_rows_begin_again (self, kind);
      }
}

#define BYTES TALL_TEST_BYTES
#define NUMBERED(last) BYTES ("\0\0\0\0\0\0\0" last)

static const TallTestRowsDamage damages[] = {
  /* The same values in other columns. */
  { "orders", BYTES (LINE_9), "number", NUMBERED ("\x09"), NULL },
  { "orders", BYTES (LINE_9), "ship.number", NUMBERED ("\x02"), NULL },
  { "orders", BYTES (LINE_9), "ship.address", BYTES (""), NULL },
  { "orders", BYTES (LINE_9), "ship.address.city", BYTES ("Reims"),
    "are not the same as in row VINET" },
  /* Numbers. */
  { "orders", BYTES (LINE_2), "ship.number", NUMBERED ("\x02"), "goes to location 2 too" },
  { "orders", BYTES (LINE_9), "number", NUMBERED ("\x09"),
    "d:ship.number has no cell of revision" },
  { "orders", BYTES (LINE_9), "number", NUMBERED ("\x09"), NULL },
  { "orders", BYTES (LINE_9), "ship.number", NUMBERED ("\0"), "column d:ship.number: " },
  { "orders", BYTES (LINE_9), "ship.number", NUMBERED ("\x02"),
    "d:number has no cell of revision" },
  { "orders", BYTES (LOCATION_2), "ship.name", BYTES ("Reims"),
    "d:ship.number has no cell of revision" },
  { "orders", BYTES (LINE_1), "number", NUMBERED ("\x07"), "d:number is 7" },
  { "orders", BYTES (LOCATION_1), "ship.number", NUMBERED ("\x02"), "d:ship.number is 2" },
  /* A location that lines go to has no row of its own, nor if it says the same as the lines. */
  { "orders", BYTES (LOCATION_2), "ship.number", NUMBERED ("\x02"), "goes to location 2, but row ",
    BYTES (LINE_1) },
  { "orders", BYTES (LOCATION_2), "ship.number", NUMBERED ("\x02"), NULL },
  { "orders", BYTES (LOCATION_2), "ship.name", BYTES ("Reims"), NULL },
  { "orders", BYTES (LOCATION_2), "ship.address", BYTES (""), "goes to location 2, but row ",
    BYTES (LINE_1) },
  /* Values. */
  { "orders", BYTES (LINE_1), "ship.address.city", BYTES ("\xff"), "column d:ship.address.city: " },
  { "orders", BYTES (LINE_1), "price", BYTES ("many"), "column d:price: “many”" },
  { "orders", BYTES (LOCATION_1), "ship.date", BYTES ("today"), "column d:ship.date: “today”" },
};

/* Rows that this layout does not make. */
static const TallTestRowsDamage bad_keys[] = {
  { "orders", BYTES (PREFIX) },
  { "orders", BYTES (PREFIX "\0") },
  { "orders", BYTES (PREFIX "\x01\0") },
  { "orders", BYTES (PREFIX "\x01\0\0\0\x01") },
  { "orders", BYTES (PREFIX "\x02") },
  { "orders", BYTES (PREFIX "\x02\0\0\x01") },
  { "orders", BYTES (PREFIX "\x02\0\0\0\x01\0\0\0\x01") },
  { "orders", BYTES (PREFIX "\x03\0\0\x01") },
  { "orders", BYTES (PREFIX "\x03\0\0\0\x01\0") },
  { "orders", BYTES (PREFIX "\x04\0\0\0\x02") },
  { "orders", BYTES (PREFIX "\xff") },
};

/* Their ship-to does not matter either. */
static const TallTestRowsDamage others[] = {
  { "orders", BYTES (PREFIX "\x01"), "currency", BYTES ("\xff") },
  { "orders", BYTES (LOCATION_1), "ship.number", BYTES ("?") },
  { "orders", BYTES (LOCATION_2), "ship.number", NUMBERED ("\x02") },
  { "orders", BYTES (LINE_1), "ship.name", BYTES ("Paris") },
  { "orders", BYTES (LINE_3), "ship.number", NUMBERED ("\x03") },
  { "orders", BYTES (LINE_9), "number", NUMBERED ("\x09") },
};

static const TallTestRowsTest tests[] = {
  { "lines-missing", test_lines_missing },
  { "ship-to-differs", test_ship_to_differs },
};

int
main (int argc, char **argv)
{
  static const TallTestRowsKind kind = {
    .layout = &tall_layout_denormalized,
    .make_order = make_order,
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
