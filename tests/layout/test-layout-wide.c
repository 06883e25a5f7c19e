/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/canonical.h"
#include "tall-limits.h"
#include "tall-test-orders.h"
#include "tall-test-rows.h"
#include "tall-must.h"

/* Cells that this layout does not write. The order is VINET's 10248 with raw keys: two locations,
 * lines 1 and 2 in the second. */

#define ROW                                                                                        \
  "VINET\0"                                                                                        \
  "10248\0"
#define LOCATION_1 "\x02\0\0\0\x01"
#define LOCATION_2 "\x02\0\0\0\x02"
#define LINE_1 "\x03\0\0\0\x02\0\0\0\x01"
#define LINE_2 "\x03\0\0\0\x02\0\0\0\x02"

#define REVISION TALL_TEST_ROWS_REVISION
#define SLICE TALL_TEST_SLICE

/* The bytes that the gateway accepts in one call, and those that a cell takes beside its qualifier
 * and value. */
#define GATEWAY_LIMIT (2 * 1024 * 1024)
#define GATEWAY_CELL 50

static void
put_cell (TallTestLayout *self, TallSlice qualifier, gint64 timestamp, TallSlice value)
{
  tall_test_rows_put_cell (self, "orders", SLICE (ROW), qualifier, timestamp, value);
}

static void
assert_damaged (TallTestLayout *self, const char *what)
{
  tall_test_rows_assert_damaged (self, "orders", SLICE (ROW), what);
}

static void
test_row_missing (TallTestLayout *self, gconstpointer data G_GNUC_UNUSED)
{
  tall_test_rows_delete (self, "orders", SLICE (ROW));
  assert_damaged (self, "the root row is missing");
}

/* Lines of a missing location: before, between and after those that are there. */
static void
test_location_missing (TallTestLayout *self, gconstpointer kind)
{
  static const char locations[] = { 0, 3, 0x7f };
  for (guint i = 0; i < G_N_ELEMENTS (locations); i++)
    {
      char qualifier[] = "\x03\0\0\0?\0\0\0\x09";
      qualifier[4] = locations[i];
      put_cell (self, SLICE (qualifier), REVISION, SLICE ("\x08\x09"));
      assert_damaged (self, "its location has no cell of the same revision");
      tall_test_rows_begin_again (self, kind);
    }
}

static void
test_number_differs (TallTestLayout *self, gconstpointer data G_GNUC_UNUSED)
{
  put_cell (self, SLICE (LINE_1), REVISION, SLICE ("\x08\x03"));
  assert_damaged (self, "\\x01: holds another line");
  put_cell (self, SLICE (LOCATION_1), REVISION, SLICE ("\x08\x02"));
  assert_damaged (self, "d:\\x02\\x00\\x00\\x00\\x01: holds another location");
}

static void
test_bad_values (TallTestLayout *self, gconstpointer kind)
{
  static const struct
  {
    TallTestBytes qualifier;
    TallTestBytes value;
    const char *what;
  } cases[] = {
    { TALL_TEST_BYTES (LOCATION_1), TALL_TEST_BYTES (""), "not in canonical form" },
    { TALL_TEST_BYTES (LOCATION_1), TALL_TEST_BYTES ("\x08"), "not in canonical form" },
    { TALL_TEST_BYTES (LOCATION_1), TALL_TEST_BYTES ("\x08\x00"), "not in canonical form" },
    { TALL_TEST_BYTES (LOCATION_1), TALL_TEST_BYTES ("\x08\x01\x12\x01\xff"), "UTF-8" },
    { TALL_TEST_BYTES (LOCATION_1), TALL_TEST_BYTES ("\x08\x01\x2a\x02\x08\x07"), "has lines" },
    { TALL_TEST_BYTES (LINE_1), TALL_TEST_BYTES (""), "not in canonical form" },
    { TALL_TEST_BYTES (LINE_1), TALL_TEST_BYTES ("\x08\x01\x12\x7f"), "not in canonical form" },
    { TALL_TEST_BYTES (LINE_1), TALL_TEST_BYTES ("\x08\x01\x12\x01\0"), "not in canonical form" },
    { TALL_TEST_BYTES (LINE_1), TALL_TEST_BYTES ("\x08\x01\x1a\x01\xff"), "UTF-8" },
    { TALL_TEST_BYTES ("sales_date"), TALL_TEST_BYTES ("today"), "d:sales_date: “today”" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      TallSlice value = tall_slice (cases[i].value.bytes, cases[i].value.len);
      put_cell (self, tall_slice (cases[i].qualifier.bytes, cases[i].qualifier.len), REVISION,
                value);
      assert_damaged (self, cases[i].what);
      tall_test_rows_begin_again (self, kind);
    }
}

/* The same line in two locations. */
static void
test_line_twice (TallTestLayout *self, gconstpointer data G_GNUC_UNUSED)
{
  put_cell (self, SLICE ("\x03\0\0\0\x01\0\0\0\x02"), REVISION, SLICE ("\x08\x02"));
  assert_damaged (self, "has the same number 2");
}

/* Binary qualifiers must be the layout's own; unknown names are skipped. */
static void
test_bad_qualifiers (TallTestLayout *self, gconstpointer kind)
{
  static const TallTestBytes bad[] = {
    TALL_TEST_BYTES ("\x02"),
    TALL_TEST_BYTES ("\x02\0\0\x01"),
    TALL_TEST_BYTES ("\x02\0\0\0\x01\0"),
    TALL_TEST_BYTES ("\x02\0\0\0\x01\0\0\0\x01"),
    TALL_TEST_BYTES ("\x03"),
    TALL_TEST_BYTES ("\x03\0\0\0\x02"),
    TALL_TEST_BYTES ("\x03\0\0\0\x02\0\0\0\x01\0"),
  };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      TallSlice qualifier = tall_slice (bad[i].bytes, bad[i].len);
      put_cell (self, qualifier, REVISION - 2, SLICE ("?"));
      tall_test_rows_intact (self, kind);
      put_cell (self, qualifier, REVISION, SLICE ("\x08\x01"));
      assert_damaged (self, ": is not a location or line");
      tall_test_rows_begin_again (self, kind);
    }

  put_cell (self, SLICE ("\x01\0\0\0\x01"), REVISION, SLICE ("?"));
  put_cell (self, SLICE ("\x04\0\0\0\x01"), REVISION, SLICE ("?"));
  put_cell (self, SLICE ("order"), REVISION, SLICE ("?"));
  tall_test_rows_intact (self, kind);
}

static void
test_other_revisions (TallTestLayout *self, gconstpointer kind)
{
  static const gint64 others[] = { 1, REVISION - 2, REVISION - 1, REVISION + 1, REVISION + 2 };
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      put_cell (self, SLICE (LOCATION_1), others[i], SLICE ("?"));
      put_cell (self, SLICE ("\x02\0\0\0\x09"), others[i], SLICE ("\x08\x09"));
      put_cell (self, SLICE (LINE_2), others[i], SLICE (""));
      put_cell (self, SLICE ("\x03\0\0\0\x09\0\0\0\x09"), others[i], SLICE ("\x08\x09"));
      put_cell (self, SLICE ("currency"), others[i], SLICE ("\xff"));
    }
  tall_test_rows_intact (self, kind);
}

/* The largest order that the model takes: as many lines as there may be, and as many bytes. */
static TallOrder *
make_largest_order (void)
{
  guint n = TALL_MAX_LINES_AND_LOCATIONS / 2;
  TallOrder *order = tall_test_empty_order ("VINET", "10248", n);
  for (guint i = 0; i < n; i++)
    {
      order->shipping_locations[i]->number = G_MAXINT32 - n + i;
      tall_test_add_lines (order, i, G_MAXINT32 - n + i, 1);
    }

  g_autoptr (TallArena) arena = tall_arena_new (0);
  gsize rest = TALL_MAX_CANONICAL_BYTES - tall_order_to_canonical (order, arena).len;
  char *longest = tall_arena_alloc0 (tall_order_get_arena (order), rest);
  memset (longest, 'x', rest - 10);
  order->shipping_locations[n - 1]->line_items[0]->description = longest;

  must (tall_order_normalize (order, &error));
  g_assert_cmpuint (tall_order_to_canonical (order, arena).len, >, TALL_MAX_CANONICAL_BYTES - 10);
  return order;
}

/* A row is written in one call. */
static void
test_largest_order (TallTestLayout *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallOrder) order = make_largest_order ();
  g_autoptr (TallBatch) batch = tall_test_layout_encode_order (self, order, REVISION);
  g_assert_cmpuint (batch->mutations->len, ==, 1);

  const TallMutation *root = batch->mutations->pdata[0];
  gsize size = root->row.len;
  for (guint i = 0; i < root->n_changes; i++)
    size += root->changes[i].qualifier.len + root->changes[i].value.len + GATEWAY_CELL;
  g_assert_cmpuint (root->n_changes, >, TALL_MAX_LINES_AND_LOCATIONS);
  g_assert_cmpuint (size, <, GATEWAY_LIMIT * 4 / 5);
}

static const TallTestRowsTest tests[] = {
  { "row-missing", test_row_missing },         { "location-missing", test_location_missing },
  { "number-differs", test_number_differs },   { "bad-values", test_bad_values },
  { "line-twice", test_line_twice },           { "bad-qualifiers", test_bad_qualifiers },
  { "other-revisions", test_other_revisions }, { "largest-order", test_largest_order },
};

int
main (int argc, char **argv)
{
  static const TallTestRowsKind kind = { &tall_layout_wide, tall_test_rows_make_order };
  g_test_init (&argc, &argv, NULL);
  tall_test_rows_add (&kind, tests, G_N_ELEMENTS (tests));
  return g_test_run ();
}
