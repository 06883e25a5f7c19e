/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/forwarding-table.h"
#include "tall-error.h"
#include "tall-limits.h"
#include "tall-store-fixture.h"
#include "tall-test-orders.h"
#include "tall-must.h"

/* Nothing of a replaced or deleted revision stays, but a deleted order's tombstone. */
static void
test_cleans_up (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallOrder) order = tall_test_marked_order ("1", 1, 1, 5);
  tall_fixture_put (fixture, order, NULL);
  guint n_cells = tall_fixture_count_cells (fixture);
  for (guint i = 0; i < 5; i++)
    tall_fixture_put (fixture, order, NULL);
  g_assert_cmpuint (tall_fixture_count_cells (fixture), ==, n_cells);

  g_autoptr (TallOrder) longer = tall_test_marked_order ("1", 1, 2, 9);
  tall_fixture_put (fixture, longer, NULL);
  tall_fixture_put (fixture, order, NULL);
  g_assert_cmpuint (tall_fixture_count_cells (fixture), ==, n_cells);

  tall_fixture_delete (fixture, "1", NULL);
  g_assert_cmpuint (tall_fixture_count_cells (fixture), ==, 2);
  tall_fixture_put (fixture, order, NULL);
  g_assert_cmpuint (tall_fixture_count_cells (fixture), ==, n_cells);
}

static void
test_tombstone (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallOrder) order = tall_test_marked_order ("1", 1, 1, 2);
  TallState state;
  gint64 stored = tall_fixture_put (fixture, order, NULL);
  tall_fixture_delete (fixture, "1", NULL);

  g_assert_true (tall_test_read_state (fixture->store, "1", &state, NULL));
  g_assert_false (state.live);
  g_assert_cmpint (state.revision, >, stored);
  g_assert_cmpint (state.pending, ==, 0);
  g_assert_cmpint (state.sales_date, ==, TALL_NO_DATE);
  g_assert_cmpuint (state.schema, ==, TALL_FIRST_SCHEMA);
  g_assert_false (tall_front_delete_order (fixture->front, TALL_TEST_CUSTOMER, "1", NULL, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND);
  tall_fixture_assert_prefix (error, "Deleting order 1 of VINET: ");
  g_assert_cmpint (tall_fixture_put (fixture, order, NULL), >, state.revision);
}

static void
test_state_says_what_is_stored (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  TallState state;
  gint64 timestamp;
  g_autoptr (TallOrder) order = tall_test_marked_order ("1", 1, 1, 4);
  gint64 stored = tall_fixture_put (fixture, order, NULL);

  g_assert_true (tall_test_read_state (fixture->store, "1", &state, &timestamp));
  g_assert_true (state.live);
  g_assert_cmpint (state.revision, ==, stored);
  g_assert_cmpint (timestamp, ==, stored);
  g_assert_cmpint (state.pending, ==, 0);
  g_assert_cmpuint (state.n_lines, ==, 4);
  g_assert_cmpuint (state.n_locations, ==, 1);
  g_assert_cmpuint (state.schema, ==, TALL_FIRST_SCHEMA);
  g_assert_cmpint (state.sales_date, ==, order->sales_date);

  tall_order_add_adjustment (order, "shipping", 495, 2);
  tall_fixture_put (fixture, order, NULL);
  g_assert_true (tall_test_read_state (fixture->store, "1", &state, &timestamp));
  g_assert_cmpuint (state.schema, ==, 2);
}

/* A put that is sent again with its token is stored once, whatever its condition. */
static void
test_token_put (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  const TallCondition conditions[] = { TALL_IF_ANY, TALL_IF_ABSENT };
  for (guint i = 0; i < G_N_ELEMENTS (conditions); i++)
    {
      TallWriteOptions options = { .condition = conditions[i],
                                   .has_token = TRUE,
                                   .token = { 7, 1, (guint8)i } };
      g_autofree char *number = g_strdup_printf ("%u", i);
      g_autoptr (TallOrder) order = tall_test_marked_order (number, 1, 1, 2);
      gint64 stored = tall_fixture_put (fixture, order, &options);
      guint n_cells = tall_fixture_count_cells (fixture);
      g_assert_cmpint (tall_fixture_put (fixture, order, &options), ==, stored);
      g_assert_cmpuint (tall_fixture_count_cells (fixture), ==, n_cells);
    }

  g_autoptr (TallOrder) order = tall_test_marked_order ("0", 1, 2, 2);
  gint64 first = tall_fixture_put (fixture, order, NULL);
  TallWriteOptions options = {
    .condition = TALL_IF_REVISION, .revision = first, .has_token = TRUE, .token = { 7, 2 }
  };
  gint64 stored = tall_fixture_put (fixture, order, &options);
  g_assert_cmpint (tall_fixture_put (fixture, order, &options), ==, stored);
}

static void
assert_invalid_put (TallStoreFixture *fixture, const TallWriteOptions *options, const char *field)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallOrder) order = tall_test_marked_order ("1", 1, 1, 2);
  g_assert_false (tall_front_put_order (fixture->front, order, options, NULL, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_cmpstr (tall_error_get_field (error), ==, field);
  g_clear_error (&error);
  g_assert_false (
      tall_front_delete_order (fixture->front, TALL_TEST_CUSTOMER, "1", options, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_cmpstr (tall_error_get_field (error), ==, field);
}

static void
test_invalid_options (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  assert_invalid_put (fixture, &(TallWriteOptions){ .has_token = TRUE }, "token");
  assert_invalid_put (fixture, &(TallWriteOptions){ .condition = TALL_IF_REVISION }, "revision");
}

/* With a clock an hour behind what is stored, everything works, and revisions still grow. */
static void
test_slow_clock (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallOrder) order = tall_test_marked_order ("1", 1, 1, 2);
  gint64 fast = tall_fixture_put (fixture, order, NULL);
  fixture->clock.now -= 3600 * 1000;
  gint64 slow = tall_fixture_put (fixture, order, NULL);
  g_assert_cmpint (slow, ==, fast + 2);
  tall_fixture_delete (fixture, "1", NULL);
  tall_fixture_assert_absent (fixture, "1");
  g_assert_cmpint (tall_fixture_put (fixture, order, NULL), ==, fast + 6);
}

/* What the layout says that an order is: reads of its plan, and rows. */
static void
count_layout (const TallStoreKind *kind, const TallOrder *order, guint *n_reads, guint *n_rows)
{
  g_auto (TallOrderKey) key = { NULL };
  tall_order_key_init (&key, kind->key_strategy, order->customer_number,
                       kind->key_strategy->needs_id ? 1 : 0, order->order_number);
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  g_autoptr (TallBatch) children = tall_batch_new ();
  kind->layout->plan_order (&key, plan);
  if (!kind->layout->single_row)
    kind->layout->append_children (&key, order, 2, children);
  *n_reads = plan->reads->len;
  *n_rows = 1 + children->mutations->len;
}

/* Counts of calls: a new order of one row is one call, and one for the index; the hint of several
 * rows travels with the children. Where several rows change in one step, it is always one. None
 * reads before it. */
static void
test_calls (TallStoreFixture *fixture, gconstpointer data)
{
  gboolean single_row = ((const TallStoreKind *)data)->layout->single_row;
  guint n_calls = ((const TallStoreKind *)data)->rocksdb ? 1 : single_row ? 2 : 3;
  g_autoptr (TallTable) counting = tall_counting_table_new (fixture->table);
  g_autoptr (TallStore) store = tall_test_open (counting, &fixture->clock);
  g_autoptr (TallOrder) order = tall_test_marked_order ("1", 1, 1, 2);
  TallCost cost;
  guint n_reads, n_rows;
  count_layout (data, order, &n_reads, &n_rows);
  g_assert_cmpint (n_rows == 1, ==, single_row);

  /* The customer is known, and its id, if there are ids, is remembered. */
  g_autoptr (TallOrder) before = tall_test_marked_order ("0", 1, 1, 1);
  must (tall_front_put_order (TALL_FRONT (store), before, NULL, NULL, &error));

  tall_counting_table_reset (TALL_COUNTING_TABLE (counting));
  must (tall_front_put_order (TALL_FRONT (store), order, NULL, NULL, &error));
  tall_counting_table_get_cost (TALL_COUNTING_TABLE (counting), &cost);
  g_assert_cmpuint (cost.calls, ==, n_calls);
  g_assert_cmpuint (cost.durable, ==, 1);
  g_assert_cmpuint (cost.rows_read, ==, 0);
  g_assert_cmpuint (cost.deletes, ==, 0);

  tall_counting_table_reset (TALL_COUNTING_TABLE (counting));
  g_autoptr (TallOrder) fetched =
      must (tall_front_get_order (TALL_FRONT (store), "VINET", "1", NULL, &error));
  tall_counting_table_get_cost (TALL_COUNTING_TABLE (counting), &cost);
  g_assert_cmpuint (cost.calls, ==, n_reads);
  g_assert_cmpuint (cost.rows_read, ==, n_rows);
  g_assert_cmpuint (cost.rows_written, ==, 0);
}

static void
test_describe_and_ping (TallStoreFixture *fixture, gconstpointer data)
{
  const TallStoreKind *kind = data;
  g_autoptr (TallDescription) description = must (tall_front_describe (fixture->front, &error));
  g_assert_cmpstr (description->layout, ==, kind->layout->name);
  g_assert_cmpstr (description->key_strategy, ==, kind->key_strategy->name);
  g_assert_cmpstr (description->store, ==, kind->rocksdb ? "rocksdb" : "memory");
  g_assert_cmpuint (description->format, ==, 1);
  g_assert_cmpuint (description->schema, ==, TALL_SCHEMA);
  g_assert_false (description->read_only);
  g_assert_cmpstr (description->index, ==, "date");
  g_assert_cmpuint (description->ttl, ==, 0);
  g_assert_cmpuint (description->regions, ==, 0);
  g_assert_null (description->compression);
  must (tall_front_ping (fixture->front, &error));
}

static const TallStoreTest tests[] = {
  { "cleans-up", test_cleans_up },
  { "tombstone", test_tombstone },
  { "state-says-what-is-stored", test_state_says_what_is_stored },
  { "token/put", test_token_put },
  { "invalid-options", test_invalid_options },
  { "slow-clock", test_slow_clock },
  { "calls", test_calls },
  { "describe-and-ping", test_describe_and_ping },
};

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  tall_store_fixture_add_everywhere ("store", tests, G_N_ELEMENTS (tests));
  return g_test_run ();
}
