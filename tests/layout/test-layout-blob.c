/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/canonical.h"
#include "tall-error.h"
#include "tall-test-orders.h"
#include "layout/layout.h"
#include "tall-must.h"

/* Rows that this layout does not write. */

#define REVISION 1700000000000

typedef struct
{
  TallArena *arena;
  TallOrderKey key;
  TallCell cells[3]; /* `order` at the next, this and the last revision */
  TallRow row;
  TallRows rows;
  const guint8 *digest; /* that the state names */
} Fixture;

static void
setup (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  self->arena = tall_arena_new (0);
  tall_order_key_init (&self->key, &tall_key_raw, "VINET", 0, "10248");
  for (guint i = 0; i < G_N_ELEMENTS (self->cells); i++)
    {
      g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", "10248", i + 1);
      self->cells[i].qualifier = tall_slice_str ("order");
      self->cells[i].timestamp = REVISION + 2 - 2 * (gint64)i;
      self->cells[i].value = tall_order_to_canonical (order, self->arena);
    }
  self->row = (TallRow){ self->key.whole, self->cells, G_N_ELEMENTS (self->cells) };
  self->rows = (TallRows){ &self->row, 1 };
}

static void
teardown (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  tall_order_key_clear (&self->key);
  tall_arena_free (self->arena);
}

static gboolean
decode (Fixture *self, TallDecoded *decoded, GError **error)
{
  const TallFoundRows found = {
    &self->key, "VINET", "10248", &self->rows, 1, REVISION, self->digest
  };
  return tall_layout_blob.decode_order (&found, decoded, error);
}

static void
assert_damaged (Fixture *self, const char *what)
{
  g_autoptr (GError) error = NULL;
  TallDecoded decoded = { NULL };
  g_assert_false (decode (self, &decoded, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_DAMAGED);
  g_assert_true (g_str_has_prefix (error->message, "Table orders, row VINET\\x0010248\\x00, "));
  g_assert_nonnull (strstr (error->message, what));
}

static void
test_canonical (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallDecoded decoded = { NULL };
  must (decode (self, &decoded, &error));

  g_autoptr (TallOrder) order = decoded.order;
  g_assert_cmpuint (tall_order_count_lines (order), ==, 2);
  g_assert_true (decoded.canonical.data == self->cells[1].value.data);
  g_assert_cmpuint (decoded.canonical.len, ==, self->cells[1].value.len);
}

/* A newer schema's field, number 100: it stays in the canonical form. */
static void
test_unknown_field (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GByteArray) newer = g_byte_array_new ();
  tall_bytes_append (newer, self->cells[1].value);
  tall_bytes_append (newer, tall_slice ("\xa0\x06\x07", 3));
  self->cells[1].value = tall_slice_array (newer);

  TallDecoded decoded = { NULL };
  must (decode (self, &decoded, &error));
  g_autoptr (TallOrder) order = decoded.order;
  g_assert_cmpuint (tall_order_count_lines (order), ==, 2);
  g_assert_true (tall_slice_equal (decoded.canonical, tall_slice_array (newer)));
}

/* What the digest proves has passed all checks before: it is read as it is. What has another one is
 * checked. */
static void
test_proved (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", "10248", 1);
  order->currency = tall_arena_strdup (tall_order_get_arena (order), "\xff");
  self->cells[1].value = tall_order_to_canonical (order, self->arena);
  assert_damaged (self, "UTF-8");

  guint8 digest[TALL_DIGEST_SIZE];
  tall_md5 (self->cells[0].value, digest);
  self->digest = digest;
  assert_damaged (self, "UTF-8");

  tall_md5 (self->cells[1].value, digest);
  TallDecoded decoded = { NULL };
  must (decode (self, &decoded, &error));
  g_autoptr (TallOrder) found = decoded.order;
  g_assert_true (decoded.proved);
  g_assert_cmpstr (found->currency, ==, "\xff");

  self->cells[1].value.len--;
  assert_damaged (self, "column d:order: ");
}

static void
test_cell_missing (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  self->cells[1].timestamp = REVISION + 1;
  assert_damaged (self, "column d:order has no cell of revision 1700000000000");
}

static void
test_row_missing (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  self->rows.n_rows = 0;
  assert_damaged (self, "the root row is missing");
}

static void
test_cut (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallSlice whole = self->cells[1].value;
  for (gsize len = 0; len < whole.len; len++)
    {
      g_autofree guint8 *exact = g_memdup2 (whole.data, len);
      self->cells[1].value = tall_slice (exact, len);
      g_autoptr (GError) error = NULL;
      TallDecoded decoded = { NULL };
      /* cut at the end of a part, it is an order with fewer parts; the digest shows that */
      if (decode (self, &decoded, &error))
        tall_order_free (decoded.order);
      else
        g_assert_error (error, TALL_ERROR, TALL_ERROR_DAMAGED);
    }
  self->cells[1].value = tall_slice (whole.data, whole.len - 1);
  assert_damaged (self, "column d:order: ");
}

static void
test_other_numbers (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallOrder) other_order = tall_test_order_with_lines ("VINET", "10249", 1);
  self->cells[1].value = tall_order_to_canonical (other_order, self->arena);
  assert_damaged (self, "column d:order holds order 10249 of customer VINET");

  g_autoptr (TallOrder) other_customer = tall_test_order_with_lines ("TOMSP", "10248", 1);
  self->cells[1].value = tall_order_to_canonical (other_customer, self->arena);
  assert_damaged (self, "column d:order holds order 10248 of customer TOMSP");
}

static void
assert_customer_damaged (TallSlice value, gint64 timestamp, const char *what)
{
  g_autoptr (GError) error = NULL;
  TallCell cell = { tall_slice_str ("customer"), timestamp, value };
  TallRow row = { tall_slice ("VINET", 6), &cell, 1 };
  g_assert_null (tall_layout_blob.decode_customer ("VINET", &row, REVISION, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_DAMAGED);
  g_assert_true (g_str_has_prefix (error->message, "Table customers, row VINET\\x00, "));
  g_assert_nonnull (strstr (error->message, what));
}

static void
test_customers (void)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (TallCustomer) customer = tall_test_plain_customer ("VINET");
  g_autoptr (TallCustomer) other = tall_test_plain_customer ("TOMSP");
  TallSlice whole = tall_customer_to_canonical (customer, arena);

  assert_customer_damaged (whole, REVISION + 1, "column d:customer has no cell of revision");
  assert_customer_damaged (tall_slice (whole.data, whole.len - 1), REVISION, "column d:customer: ");
  assert_customer_damaged (tall_customer_to_canonical (other, arena), REVISION,
                           "column d:customer holds customer TOMSP");
}

static void
add (const char *name, void (*test) (Fixture *self, gconstpointer data))
{
  g_autofree char *path = g_strconcat ("/layout/blob/", name, NULL);
  g_test_add (path, Fixture, NULL, setup, test, teardown);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add ("canonical", test_canonical);
  add ("unknown-field", test_unknown_field);
  add ("proved", test_proved);
  add ("cell-missing", test_cell_missing);
  add ("row-missing", test_row_missing);
  add ("cut", test_cut);
  add ("other-numbers", test_other_numbers);
  g_test_add_func ("/layout/blob/customers", test_customers);
  return g_test_run ();
}
