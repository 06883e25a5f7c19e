/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-rows.h"

#include "tall-error.h"
#include "tall-test-orders.h"
#include "tall-must.h"

#define CUSTOMER "VINET"
#define ORDER "10248"

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

static TallSlice
slice_of (const TallTestBytes *bytes)
{
  return tall_slice (bytes->bytes, bytes->len);
}

static void
put_at (const TallTestLayout *self, const TallTestRowsDamage *cell, gint64 timestamp)
{
  tall_test_rows_put_cell (self, cell->table, slice_of (&cell->row),
                           tall_slice_str (cell->qualifier), timestamp, slice_of (&cell->value));
}

static void
set_up (TallTestLayout *self, gconstpointer data)
{
  const TallTestRowsKind *kind = data;
  tall_test_layout_init (self, kind->layout, &tall_key_raw);
  g_autoptr (TallOrder) order = kind->make_order ();
  g_autoptr (TallBatch) batch =
      tall_test_layout_encode_order (self, order, TALL_TEST_ROWS_REVISION);
  tall_test_layout_apply (self, batch);
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

static void
test_damages (TallTestLayout *self, gconstpointer data)
{
  const TallTestRowsKind *kind = data;
  for (const TallTestRowsDamage *damage = kind->damages; damage < kind->damages + kind->n_damages;
       damage++)
    {
      put_at (self, damage, TALL_TEST_ROWS_REVISION);
      if (damage->what == NULL)
        continue;
      const TallTestBytes *blamed = damage->blamed.bytes ? &damage->blamed : &damage->row;
      tall_test_rows_assert_damaged (self, damage->table, slice_of (blamed), damage->what);
      tall_test_rows_begin_again (self, kind);
    }
}

/* A row with such a key is damage if it has cells of the revision; otherwise it is ignored. */
static void
test_bad_keys (TallTestLayout *self, gconstpointer data)
{
  const TallTestRowsKind *kind = data;
  for (guint i = 0; i < kind->n_bad_keys; i++)
    {
      const char *table = kind->bad_keys[i].table;
      TallSlice row = slice_of (&kind->bad_keys[i].row);
      tall_test_rows_put_cell (self, table, row, TALL_TEST_SLICE ("number"),
                               TALL_TEST_ROWS_REVISION - 2, TALL_TEST_SLICE ("?"));
      tall_test_rows_intact (self, kind);

      tall_test_rows_put_cell (self, table, row, TALL_TEST_SLICE ("number"),
                               TALL_TEST_ROWS_REVISION, TALL_TEST_SLICE ("\0\0\0\0\0\0\0\x01"));
      tall_test_rows_assert_damaged (self, table, row, "is not a row of the order");
      tall_test_rows_delete (self, table, row);
    }
}

/* Rows and cells of other revisions, damaged or not, are as if they were not there. */
static void
test_other_revisions (TallTestLayout *self, gconstpointer data)
{
  static const gint64 distances[] = { 1 - TALL_TEST_ROWS_REVISION, -2, -1, 1, 2 };
  const TallTestRowsKind *kind = data;
  for (guint i = 0; i < G_N_ELEMENTS (distances); i++)
    for (guint j = 0; j < kind->n_others; j++)
      put_at (self, &kind->others[j], TALL_TEST_ROWS_REVISION + distances[i]);
  tall_test_rows_intact (self, kind);
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

static void
add (const TallTestRowsKind *kind, const TallTestRowsTest *test)
{
  g_autofree char *path = g_strdup_printf ("/layout/%s/%s", kind->layout->name, test->name);
  g_test_add (path, TallTestLayout, kind, set_up, test->test, tear_down);
}

/* Those of every kind, the last three where there is something to damage, and these. */
void
tall_test_rows_add (const TallTestRowsKind *kind, const TallTestRowsTest *tests, guint n_tests)
{
  static const TallTestRowsTest of_every_kind[] = {
    { "intact", tall_test_rows_intact },
    { "damages", test_damages },
    { "bad-keys", test_bad_keys },
    { "other-revisions", test_other_revisions },
  };
  for (guint i = 0; i < (kind->n_damages > 0 ? G_N_ELEMENTS (of_every_kind) : 1); i++)
    add (kind, &of_every_kind[i]);
  for (guint i = 0; i < n_tests; i++)
    add (kind, &tests[i]);
}
