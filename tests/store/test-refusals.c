/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-broken-table.h"
#include "tall-error.h"
#include "tall-limits.h"
#include "table/memory-table.h"
#include "tall-store-fixture.h"
#include "tall-test-cells.h"
#include "tall-test-orders.h"
#include "tall-must.h"

/* Two texts with the same MD5 (M. Stevens, 2024). */
#define COLLIDING_A "TEXTCOLLBYfGiJUETHQ4hAcKSMd5zYpgqf1YRDhkmxHkhPWptrkoyz28wnI9V0aHeAuaKnak"
#define COLLIDING_B "TEXTCOLLBYfGiJUETHQ4hEcKSMd5zYpgqf1YRDhkmxHkhPWptrkoyz28wnI9V0aHeAuaKnak"

/* Two numbers with one MD5, before a put and after it, and after a delete. */
static void
test_key_collision (TallStoreFixture *fixture, gconstpointer data)
{
  const TallStoreKind *kind = data;
  g_autoptr (TallOrder) first = tall_test_marked_order (COLLIDING_A, 1, 1, 2);
  g_autoptr (TallOrder) second = tall_test_marked_order (COLLIDING_B, 2, 1, 2);
  tall_fixture_put (fixture, first, NULL);
  if (kind->key_strategy != &tall_key_hashed && kind->key_strategy != &tall_key_numeric)
    {
      tall_fixture_put (fixture, second, NULL);
      g_autoptr (TallOrder) fetched = tall_fixture_get (fixture, COLLIDING_A, NULL);
      tall_test_assert_order_equal (first, fetched);
      return;
    }

  for (guint deleted = 0; deleted < 2; deleted++)
    {
      g_autoptr (GError) error = NULL;
      must_fail (tall_front_put_order (fixture->front, second, NULL, NULL, &error),
                 TALL_ERROR_KEY_COLLISION, COLLIDING_A, COLLIDING_B);

      must_fail (tall_front_delete_order (fixture->front, TALL_TEST_CUSTOMER, COLLIDING_B, NULL,
                                          &error),
                 TALL_ERROR_KEY_COLLISION);

      g_assert_null (
          tall_front_get_order (fixture->front, TALL_TEST_CUSTOMER, COLLIDING_B, NULL, &error));
      g_assert_error (error, TALL_ERROR,
                      (gint)(deleted ? TALL_ERROR_NOT_FOUND : TALL_ERROR_KEY_COLLISION));
      if (!deleted)
        tall_fixture_delete (fixture, COLLIDING_A, NULL);
    }
}

static void
test_customer_key_collision (TallStoreFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallCustomer) first = tall_test_plain_customer (COLLIDING_A);
  g_autoptr (TallCustomer) second = tall_test_plain_customer (COLLIDING_B);
  if (((const TallStoreKind *)data)->key_strategy != &tall_key_hashed)
    return g_test_skip ("only hashed keys collide");

  must (tall_front_put_customer (fixture->front, first, NULL, NULL, &error));
  g_assert_false (tall_front_put_customer (fixture->front, second, NULL, NULL, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_KEY_COLLISION);
  tall_fixture_assert_prefix (error, "Storing customer " COLLIDING_B ": ");
  g_clear_error (&error);
  g_assert_null (tall_front_get_customer (fixture->front, COLLIDING_B, NULL, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_KEY_COLLISION);
  tall_fixture_assert_prefix (error, "Fetching customer " COLLIDING_B ": ");

  /* Nor is an order of the one an order of the other, though both have that number. */
  g_autoptr (TallOrder) order = tall_test_order_with_lines (COLLIDING_A, "1", 2);
  g_autoptr (TallOrder) other = tall_test_order_with_lines (COLLIDING_B, "1", 2);
  tall_fixture_put (fixture, order, NULL);
  must_fail (tall_front_put_order (fixture->front, other, NULL, NULL, &error),
             TALL_ERROR_KEY_COLLISION, COLLIDING_A, COLLIDING_B);
  must_fail (tall_front_get_order (fixture->front, COLLIDING_B, "1", NULL, &error),
             TALL_ERROR_KEY_COLLISION);
  must_fail (tall_front_delete_order (fixture->front, COLLIDING_B, "1", NULL, &error),
             TALL_ERROR_KEY_COLLISION);
}

static void
test_newer_state_format (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GByteArray) row = g_byte_array_new ();
  g_auto (TallOrderKey) key = { 0 };
  g_autoptr (TallOrder) order = tall_test_marked_order ("1", 1, 1, 2);

  guint64 id;
  g_autoptr (TallOrder) before = tall_test_marked_order ("0", 1, 1, 2);
  tall_fixture_put (fixture, before, NULL); /* so that the customer has an id, if it needs one */
  must (tall_store_find_id (fixture->store, "VINET", &id, &error));
  tall_order_key_init (&key, tall_store_get_key_strategy (fixture->store), "VINET", id, "1");
  const char *table = tall_store_get_layout (fixture->store)->locate_order (&key, row);
  tall_test_put (fixture->table, table, tall_slice_array (row),
                 (TallCell){ tall_slice ("s", 1), TALL_TEST_NOW, tall_slice ("\x02new", 4) });

  must_fail (tall_front_get_order (fixture->front, "VINET", "1", NULL, &error),
             TALL_ERROR_NEWER_VERSION);
  must_fail (tall_front_put_order (fixture->front, order, NULL, NULL, &error),
             TALL_ERROR_NEWER_VERSION);
  must_fail (tall_front_delete_order (fixture->front, "VINET", "1", NULL, &error),
             TALL_ERROR_NEWER_VERSION);
}

/* The same behind a table whose "did not match" may be wrong: that nothing was stored is certain,
 * as what is there is older than what would have been. */
static void
test_newer_state_format_is_certain (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallTable) failing = tall_failing_table_new (fixture->table);
  g_autoptr (TallStore) store = tall_test_open (failing, &fixture->clock);
  g_autoptr (TallOrder) order = tall_test_marked_order ("1", 1, 1, 2);
  tall_fixture_put (fixture, order, NULL);
  tall_fixture_write_state_cell (fixture, "VINET", "1", tall_slice ("\x02new", 4));
  fixture->clock.now += 2000;
  must_fail (tall_front_put_order (TALL_FRONT (store), order, NULL, NULL, &error),
             TALL_ERROR_NEWER_VERSION);
}

/* Returns: what a put ends with if the table refuses conditional writes with @code */
static TallError
put_refused (TallStoreFixture *fixture, TallError code)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) broken = tall_broken_table_new (fixture->table);
  g_autoptr (TallStore) store = tall_test_open (broken, &fixture->clock);
  g_autoptr (TallOrder) order = tall_test_marked_order ("1", 1, 1, 2);
  if (tall_store_get_key_strategy (store)->needs_id)
    {
      guint64 id; /* is remembered, as to assign one is a conditional write */
      g_assert_true (tall_store_find_id (store, "VINET", &id, NULL));
    }
  tall_broken_table_refuse (TALL_BROKEN_TABLE (broken), code);
  g_assert_false (tall_front_put_order (TALL_FRONT (store), order, NULL, NULL, &error));
  g_assert_cmpuint (error->domain, ==, TALL_ERROR);
  return (TallError)error->code;
}

/* A table that has done nothing says so, and so does the put. Only what is a defect may be
 * anything, unless it happened to a claim, which nobody sees. */
static void
test_refused_write (TallStoreFixture *fixture, gconstpointer data)
{
  const TallStoreKind *kind = data;
  g_autoptr (TallOrder) other = tall_test_marked_order ("0", 1, 1, 2);
  tall_fixture_put (fixture, other, NULL); /* so that the customer has an id, if it needs one */
  g_assert_cmpint (put_refused (fixture, TALL_ERROR_TIMED_OUT), ==, TALL_ERROR_TIMED_OUT);
  g_assert_cmpint (put_refused (fixture, TALL_ERROR_UNAVAILABLE), ==, TALL_ERROR_UNAVAILABLE);
  g_assert_cmpint (put_refused (fixture, TALL_ERROR_OVERLOADED), ==, TALL_ERROR_OVERLOADED);
  g_assert_cmpint (put_refused (fixture, TALL_ERROR_INTERNAL), ==,
                   kind->layout->single_row ? TALL_ERROR_OUTCOME_UNKNOWN : TALL_ERROR_INTERNAL);
  tall_fixture_assert_absent (fixture, "1");
}

/* An order of a newer schema is never replaced; it is read where that loses nothing. */
static void
test_newer_schema (TallStoreFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallOrder) order = tall_test_marked_order ("1", 1, 1, 2);
  TallState state;
  gint64 stored = tall_fixture_put (fixture, order, NULL);
  g_assert_true (tall_test_read_state (fixture->store, "1", &state, NULL));
  state.schema = TALL_SCHEMA + 1;
  tall_test_write_state (fixture->store, "1", &state, stored);

  must_fail (tall_front_put_order (fixture->front, order, NULL, NULL, &error),
             TALL_ERROR_NEWER_VERSION);
  g_autoptr (TallOrder) fetched = tall_fixture_get (fixture, "1", NULL);
  tall_test_assert_order_equal (order, fetched);

  /* What we do not know makes another digest. */
  state.digest[0] ^= 1;
  tall_test_write_state (fixture->store, "1", &state, stored);
  must_fail (tall_front_get_order (fixture->front, "VINET", "1", NULL, &error),
             TALL_ERROR_NEWER_VERSION);
  state.schema = TALL_SCHEMA;
  tall_test_write_state (fixture->store, "1", &state, stored);
  g_assert_null (tall_front_get_order (fixture->front, "VINET", "1", NULL, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_DAMAGED);
  tall_fixture_assert_prefix (error, "Fetching order 1 of VINET: ");
  g_assert_nonnull (((const TallStoreKind *)data)->layout);
}

/* What is damaged cannot be read, and can be replaced. */
static void
assert_damaged_until_put (TallStoreFixture *fixture, TallOrder *order, const char *what)
{
  must_fail (tall_front_get_order (fixture->front, "VINET", "1", NULL, &error), TALL_ERROR_DAMAGED,
             what);
  tall_fixture_put (fixture, order, NULL);
  g_autoptr (TallOrder) fetched = tall_fixture_get (fixture, "1", NULL);
  tall_test_assert_order_equal (order, fetched);
}

/* Without a summary of its revision nobody knows whose a row is; it can be stored again. */
static void
test_missing_summary (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallOrder) order = tall_test_marked_order ("1", 1, 1, 2);
  TallState state;
  gint64 stored = tall_fixture_put (fixture, order, NULL);
  g_assert_true (tall_test_read_state (fixture->store, "1", &state, NULL));
  state.revision += 2;
  tall_test_write_state (fixture->store, "1", &state, stored + 2);

  assert_damaged_until_put (fixture, order, "summary");
}

static void
test_missing_lines (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallOrder) order = tall_test_marked_order ("1", 1, 1, 2);
  TallState state;
  gint64 stored = tall_fixture_put (fixture, order, NULL);
  g_assert_true (tall_test_read_state (fixture->store, "1", &state, NULL));
  state.n_lines = 3;
  tall_test_write_state (fixture->store, "1", &state, stored);

  assert_damaged_until_put (fixture, order, "2 of 3 lines");
}

/* A missing table, dropped by an administrator, is not a missing order: no call gets "not found",
 * and a client that stores many stops. */
static void
test_missing_table (TallStoreFixture *fixture, gconstpointer data)
{
  const TallStoreKind *kind = data;
  g_autoptr (TallOrder) order = tall_test_marked_order ("1", 1, 1, 2);
  tall_fixture_put (fixture, order, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) row = g_byte_array_new ();
  g_auto (TallOrderKey) key = { 0 };
  tall_order_key_init (&key, kind->key_strategy, "VINET", 1, "1");
  const char *table = kind->layout->locate_order (&key, row);
  must (tall_table_drop_table (fixture->table, table, TALL_NO_DEADLINE, &error));

  g_assert_false (tall_front_put_order (fixture->front, order, NULL, NULL, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "table of the deployment is missing"));
  g_assert_false (tall_error_is_of_one (error));
  g_clear_error (&error);
  must_fail (tall_front_get_order (fixture->front, "VINET", "1", NULL, &error),
             TALL_ERROR_UNSUPPORTED);
  must_fail (tall_front_get_customer_orders (fixture->front, "VINET", NULL, &error),
             TALL_ERROR_UNSUPPORTED);
}

static const TallStoreTest tests[] = {
  { "key-collision/order", test_key_collision },
  { "key-collision/customer", test_customer_key_collision },
  { "newer/state-format", test_newer_state_format },
  { "newer/state-format-is-certain", test_newer_state_format_is_certain },
  { "newer/schema", test_newer_schema },
  { "refused-write", test_refused_write },
  { "missing-summary", test_missing_summary },
  { "missing-lines", test_missing_lines },
  { "missing-table", test_missing_table },
};

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  tall_store_fixture_add ("refusals", tests, G_N_ELEMENTS (tests));
  return g_test_run ();
}
