/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-test-layout.h"
#include "tall-test-orders.h"

/* Rows that this layout does not write. The order is VINET's 10248 with raw keys: two locations,
 * lines 1 and 2 in the second. */

#define REVISION 1700000000000
#define PREFIX                                                                                     \
  "VINET\0\x02"                                                                                    \
  "10248\0"
#define LOCATION_1 PREFIX "\x02\0\0\0\x01"
#define LOCATION_2 PREFIX "\x02\0\0\0\x02"
#define LINE_1 PREFIX "\x03\0\0\0\x02\0\0\0\x01"
#define LINE_2 PREFIX "\x03\0\0\0\x02\0\0\0\x02"

#define SLICE(bytes) (tall_slice ((bytes), sizeof (bytes) - 1))

static void
setup (TallTestLayout *self, gconstpointer data G_GNUC_UNUSED)
{
  tall_test_layout_init (self, &tall_layout_record_type, &tall_key_raw);
  g_autoptr (TallOrder) order = tall_test_empty_order ("VINET", "10248", 2);
  tall_test_add_lines (order, 1, 1, 2);
  g_autoptr (TallBatch) batch = tall_test_layout_encode_order (self, order, REVISION);
  tall_test_layout_apply (self, batch);
}

static void
teardown (TallTestLayout *self, gconstpointer data G_GNUC_UNUSED)
{
  tall_test_layout_clear (self);
}

static void
put_cell (
    TallTestLayout *self, TallSlice row, const char *qualifier, gint64 timestamp, TallSlice value)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, "orders", row);
  tall_mutation_put (batch, mutation, tall_slice_str (qualifier), timestamp, value);
  tall_test_layout_apply (self, batch);
}

static void
delete_row (TallTestLayout *self, TallSlice row)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, "orders", row);
  tall_mutation_delete_up_to (batch, mutation, REVISION);
  tall_test_layout_apply (self, batch);
}

static TallOrder *
decode (TallTestLayout *self, GError **error)
{
  g_auto (TallOrderKey) key = { NULL };
  tall_test_layout_init_key (self, "VINET", "10248", &key);
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  self->layout->plan_order (&key, plan);
  g_autoptr (TallReadResult) result = tall_test_layout_read (self, plan);
  TallDecoded decoded = { NULL };
  if (!self->layout->decode_order (&key, "VINET", "10248", result->results, result->n_results,
                                   REVISION, &decoded, error))
    return NULL;
  return decoded.order;
}

static TallOrder *
assert_decoded (TallTestLayout *self)
{
  g_autoptr (GError) error = NULL;
  TallOrder *order = decode (self, &error);
  g_assert_no_error (error);
  g_assert_nonnull (order);
  return order;
}

static void
assert_damaged (TallTestLayout *self, const char *row, const char *what)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (decode (self, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_DAMAGED);
  g_autofree char *place = g_strdup_printf ("Table orders, row VINET\\x00\\x0210248\\x00%s, ", row);
  g_assert_true (g_str_has_prefix (error->message, place));
  g_assert_nonnull (strstr (error->message, what));
}

static void
test_intact (TallTestLayout *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallOrder) order = assert_decoded (self);
  g_assert_cmpuint (order->n_shipping_locations, ==, 2);
  g_assert_cmpuint (order->shipping_locations[0].n_line_items, ==, 0);
  g_assert_cmpuint (order->shipping_locations[1].n_line_items, ==, 2);
}

static void
test_location_missing (TallTestLayout *self, gconstpointer data G_GNUC_UNUSED)
{
  delete_row (self, SLICE (LOCATION_2));
  assert_damaged (self, "\\x03\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x01",
                  "its location 2 has no row");
}

/* The next location is there, but not that of the line. */
static void
test_location_missing_between (TallTestLayout *self, gconstpointer data G_GNUC_UNUSED)
{
  put_cell (self, SLICE (PREFIX "\x03\0\0\0\0\0\0\0\x05"), "number", REVISION,
            SLICE ("\0\0\0\0\0\0\0\x05"));
  assert_damaged (self, "\\x03\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x05",
                  "its location 0 has no row");
}

/* Missing lines are found by whoever counts. */
static void
test_line_missing (TallTestLayout *self, gconstpointer data G_GNUC_UNUSED)
{
  delete_row (self, SLICE (LINE_1));
  g_autoptr (TallOrder) order = assert_decoded (self);
  g_assert_cmpuint (order->shipping_locations[1].n_line_items, ==, 1);
  g_assert_cmpint (order->shipping_locations[1].line_items[0].number, ==, 2);
}

static void
test_number_differs (TallTestLayout *self, gconstpointer data G_GNUC_UNUSED)
{
  put_cell (self, SLICE (LINE_1), "number", REVISION, SLICE ("\0\0\0\0\0\0\0\x07"));
  assert_damaged (self, "\\x03\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x01", "d:number is 7");
}

static void
test_location_number_differs (TallTestLayout *self, gconstpointer data G_GNUC_UNUSED)
{
  put_cell (self, SLICE (LOCATION_1), "number", REVISION, SLICE ("\0\0\0\0\0\0\0\x02"));
  assert_damaged (self, "\\x02\\x00\\x00\\x00\\x01", "d:number is 2");
}

static void
test_number_missing (TallTestLayout *self, gconstpointer data G_GNUC_UNUSED)
{
  put_cell (self, SLICE (PREFIX "\x03\0\0\0\x02\0\0\0\x09"), "price", REVISION, SLICE ("1"));
  assert_damaged (self, "\\x03\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x09",
                  "d:number has no cell of revision");
}

static void
test_location_number_missing (TallTestLayout *self, gconstpointer data G_GNUC_UNUSED)
{
  put_cell (self, SLICE (PREFIX "\x02\0\0\0\x09"), "name", REVISION, SLICE (""));
  assert_damaged (self, "\\x02\\x00\\x00\\x00\\x09", "d:number has no cell of revision");
}

static void
test_bad_cell (TallTestLayout *self, gconstpointer data G_GNUC_UNUSED)
{
  put_cell (self, SLICE (LINE_2), "price", REVISION, SLICE ("many"));
  assert_damaged (self, "\\x03\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x02", "column d:price: “many”");
}

/* What follows the prefix in keys that this layout does not make. */
static const struct
{
  const char *suffix;
  gsize len;
} bad_keys[] = {
  { "", 0 },
  { "\0", 1 },
  { "\x01\0", 2 },
  { "\x02", 1 },
  { "\x02\0\0\x01", 4 },
  { "\x02\0\0\0\x02\0\0\0\x01", 9 },
  { "\x03\0\0\0\x02", 5 },
  { "\x03\0\0\0\x02\0\0\0\x01\0", 10 },
  { "\x04\0\0\0\x02", 5 },
  { "\xff", 1 },
};

static void
test_bad_keys (TallTestLayout *self, gconstpointer data G_GNUC_UNUSED)
{
  for (guint i = 0; i < G_N_ELEMENTS (bad_keys); i++)
    {
      g_autoptr (GByteArray) row = g_byte_array_new ();
      TallSlice suffix = tall_slice (bad_keys[i].suffix, bad_keys[i].len);
      tall_bytes_append (row, SLICE (PREFIX));
      tall_bytes_append (row, suffix);

      /* one of another revision is not ours to judge */
      put_cell (self, tall_slice_array (row), "number", REVISION - 2, SLICE ("?"));
      g_autoptr (TallOrder) order = assert_decoded (self);
      g_assert_cmpuint (tall_order_count_lines (order), ==, 2);

      g_autofree char *shown = tall_slice_to_debug (suffix);
      put_cell (self, tall_slice_array (row), "number", REVISION, SLICE ("\0\0\0\0\0\0\0\x01"));
      assert_damaged (self, shown, "is no row of the order");
      delete_row (self, tall_slice_array (row));
    }
}

/* Rows and cells of other revisions, damaged or not, are as if they were not there. */
static void
test_other_revisions (TallTestLayout *self, gconstpointer data G_GNUC_UNUSED)
{
  static const gint64 others[] = { 1, REVISION - 2, REVISION - 1, REVISION + 1, REVISION + 2 };
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      put_cell (self, SLICE (PREFIX "\x01"), "currency", others[i], SLICE ("\xff"));
      put_cell (self, SLICE (LOCATION_1), "number", others[i], SLICE ("?"));
      put_cell (self, SLICE (LOCATION_1), "address", others[i], SLICE (""));
      put_cell (self, SLICE (LINE_1), "price", others[i], SLICE ("?"));
      put_cell (self, SLICE (PREFIX "\x02\0\0\0\x05"), "number", others[i],
                SLICE ("\0\0\0\0\0\0\0\x05"));
      put_cell (self, SLICE (PREFIX "\x03\0\0\0\x01\0\0\0\x05"), "number", others[i],
                SLICE ("\0\0\0\0\0\0\0\x05"));
      put_cell (self, SLICE (PREFIX "\x03\0\0\0\x07\0\0\0\x05"), "number", others[i],
                SLICE ("\0\0\0\0\0\0\0\x05"));
    }

  g_autoptr (TallOrder) expected = tall_test_empty_order ("VINET", "10248", 2);
  tall_test_add_lines (expected, 1, 1, 2);
  g_autoptr (TallOrder) order = assert_decoded (self);
  tall_test_assert_order_equal (order, expected);
}

static void
add (const char *name, void (*test) (TallTestLayout *self, gconstpointer data))
{
  g_autofree char *path = g_strconcat ("/layout/record-type/", name, NULL);
  g_test_add (path, TallTestLayout, NULL, setup, test, teardown);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add ("intact", test_intact);
  add ("location-missing", test_location_missing);
  add ("location-missing-between", test_location_missing_between);
  add ("line-missing", test_line_missing);
  add ("number-differs", test_number_differs);
  add ("location-number-differs", test_location_number_differs);
  add ("number-missing", test_number_missing);
  add ("location-number-missing", test_location_number_missing);
  add ("bad-cell", test_bad_cell);
  add ("bad-keys", test_bad_keys);
  add ("other-revisions", test_other_revisions);
  return g_test_run ();
}
