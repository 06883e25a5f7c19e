/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-rows.h"

#include "tall-error.h"
#include "tall-test-orders.h"
#include "tall-must.h"

#define CUSTOMER "VINET"
#define ORDER "10248"

/**
 * tall_test_rows_put:
 *
 * Puts the rows of an order as the layout writes them.
 */
void
tall_test_rows_put (const TallTestLayout *self, const TallOrder *order)
{
  g_autoptr (TallBatch) batch =
      tall_test_layout_encode_order (self, order, TALL_TEST_ROWS_REVISION);
  tall_test_layout_apply (self, batch);
}

void
tall_test_rows_put_cell (const TallTestLayout *self,
                         const char *table,
                         TallSlice row,
                         TallSlice qualifier,
                         gint64 timestamp,
                         TallSlice value)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, table, row);
  tall_mutation_put (batch, mutation, qualifier, timestamp, value);
  tall_test_layout_apply (self, batch);
}

void
tall_test_rows_delete (const TallTestLayout *self, const char *table, TallSlice row)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, table, row);
  tall_mutation_delete_up_to (batch, mutation, TALL_TEST_ROWS_REVISION);
  tall_test_layout_apply (self, batch);
}

static TallOrder *
decode (const TallTestLayout *self, GError **error)
{
  g_auto (TallOrderKey) key = { NULL };
  tall_test_layout_init_key (self, CUSTOMER, ORDER, &key);
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  self->layout->plan_order (&key, plan);
  g_autoptr (TallReadResult) result = tall_test_layout_read (self, plan);
  const TallFoundRows found = {
    &key, CUSTOMER, ORDER, result->results, result->n_results, TALL_TEST_ROWS_REVISION
  };
  TallDecoded decoded = { NULL };
  if (!self->layout->decode_order (&found, &decoded, error))
    return NULL;
  return decoded.order;
}

/**
 * tall_test_rows_decode:
 *
 * Returns: (transfer full): the order that the rows make; the test fails if they make none
 */
TallOrder *
tall_test_rows_decode (const TallTestLayout *self)
{
  return must (decode (self, &error));
}

void
tall_test_rows_assert_order (const TallTestLayout *self, const TallOrder *expected)
{
  g_autoptr (TallOrder) order = tall_test_rows_decode (self);
  tall_test_assert_order_equal (order, expected);
}

/**
 * tall_test_rows_assert_damaged:
 * @what: a piece of the message that must come after table and row
 */
void
tall_test_rows_assert_damaged (const TallTestLayout *self,
                               const char *table,
                               TallSlice row,
                               const char *what)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (decode (self, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_DAMAGED);
  g_autofree char *key = tall_slice_to_debug (row);
  g_autofree char *place = g_strdup_printf ("Table %s, row %s, ", table, key);
  g_assert_true (g_str_has_prefix (error->message, place));
  g_assert_nonnull (strstr (error->message + strlen (place), what));
}

/**
 * tall_test_rows_assert_unexpected:
 * @prefix: of the order's row keys
 * @suffixes: @n_suffixes that the layout does not make
 *
 * A row with such a key is damage if it has cells of the revision; otherwise it is ignored.
 */
void
tall_test_rows_assert_unexpected (const TallTestLayout *self,
                                  const char *table,
                                  TallSlice prefix,
                                  const TallTestBytes *suffixes,
                                  guint n_suffixes)
{
  g_autoptr (TallOrder) before = tall_test_rows_decode (self);
  for (guint i = 0; i < n_suffixes; i++)
    {
      g_autoptr (GByteArray) key = g_byte_array_new ();
      tall_bytes_append (key, prefix);
      tall_bytes_append (key, tall_slice (suffixes[i].bytes, suffixes[i].len));
      TallSlice row = tall_slice_array (key);

      tall_test_rows_put_cell (self, table, row, TALL_TEST_SLICE ("number"),
                               TALL_TEST_ROWS_REVISION - 2, TALL_TEST_SLICE ("?"));
      tall_test_rows_assert_order (self, before);

      tall_test_rows_put_cell (self, table, row, TALL_TEST_SLICE ("number"),
                               TALL_TEST_ROWS_REVISION, TALL_TEST_SLICE ("\0\0\0\0\0\0\0\x01"));
      tall_test_rows_assert_damaged (self, table, row, "is not a row of the order");
      tall_test_rows_delete (self, table, row);
    }
}

static void
set_up (TallTestLayout *self, gconstpointer data)
{
  const TallTestRowsKind *kind = data;
  tall_test_layout_init (self, kind->layout, &tall_key_raw);
  g_autoptr (TallOrder) order = kind->make_order ();
  tall_test_rows_put (self, order);
}

static void
tear_down (TallTestLayout *self, gconstpointer data G_GNUC_UNUSED)
{
  tall_test_layout_clear (self);
}

/**
 * tall_test_rows_begin_again:
 *
 * For tests that damage the rows more than once: they are intact again.
 */
void
tall_test_rows_begin_again (TallTestLayout *self, gconstpointer kind)
{
  tear_down (self, kind);
  set_up (self, kind);
}

/**
 * tall_test_rows_assert_damages:
 *
 * Each by itself.
 */
void
tall_test_rows_assert_damages (TallTestLayout *self,
                               gconstpointer kind,
                               const TallTestRowsDamage *damages,
                               guint n)
{
  for (const TallTestRowsDamage *damage = damages; damage < damages + n; damage++)
    {
      const TallTestBytes *blamed = damage->blamed.bytes ? &damage->blamed : &damage->row;
      tall_test_rows_put_cell (self, damage->table, tall_slice (damage->row.bytes, damage->row.len),
                               tall_slice_str (damage->qualifier), TALL_TEST_ROWS_REVISION,
                               tall_slice (damage->value.bytes, damage->value.len));
      if (damage->what == NULL)
        continue;
      tall_test_rows_assert_damaged (self, damage->table, tall_slice (blamed->bytes, blamed->len),
                                     damage->what);
      tall_test_rows_begin_again (self, kind);
    }
}

/**
 * tall_test_rows_intact:
 *
 * A test: the rows make the order that they were made of.
 */
void
tall_test_rows_intact (TallTestLayout *self, gconstpointer kind)
{
  g_autoptr (TallOrder) expected = ((const TallTestRowsKind *)kind)->make_order ();
  tall_test_rows_assert_order (self, expected);
}

/**
 * tall_test_rows_make_order:
 *
 * Returns: (transfer full): two locations, lines 1 and 2 in the second
 */
TallOrder *
tall_test_rows_make_order (void)
{
  TallOrder *order = tall_test_empty_order (CUSTOMER, ORDER, 2);
  order->currency = tall_arena_strdup (tall_order_get_arena (order), "EUR");
  tall_test_add_lines (order, 1, 1, 2);
  return order;
}

void
tall_test_rows_add (const TallTestRowsKind *kind, const TallTestRowsTest *tests, guint n_tests)
{
  for (guint i = 0; i < n_tests; i++)
    {
      g_autofree char *path = g_strdup_printf ("/layout/%s/%s", kind->layout->name, tests[i].name);
      g_test_add (path, TallTestLayout, kind, set_up, tests[i].test, tear_down);
    }
}
