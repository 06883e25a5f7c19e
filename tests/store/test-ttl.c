/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* A deployment with a TTL, and clients whose clocks differ. The table has the right time. Where its
 * rows expire, it alone decides what is there; where they stay, an order's age does. */
#include "tall-error.h"
#include "table/memory-table.h"
#include "tall-store-fixture.h"
#include "tall-test-orders.h"
#include "tall-must.h"

#define TTL 3600
#define DIFFERENCE 600 /* seconds by which clocks may differ */
#define SECOND G_GINT64_CONSTANT (1000)

static gboolean
keeps_rows (gconstpointer kind)
{
  return ((const TallStoreKind *)kind)->layout == &tall_layout_record_type;
}

/* Starts at the right time, @behind seconds less. */
static void
begin (TallStoreFixture *fixture, gconstpointer data, gint64 behind)
{
  const TallStoreKind *kind = data;
  fixture->clock.now = g_get_real_time () / 2000 * 2 - behind * SECOND;
  TallTable *table = tall_memory_table_new ();
  tall_test_create (table, kind->layout->name, kind->key_strategy->name, TTL);
  tall_store_fixture_reset (fixture, data, table);
}

static TallOrder *
make_order (void)
{
  TallOrder *order = tall_test_marked_order ("1", 1, 1, 2);
  order->has_sales_date = TRUE;
  order->sales_date = 0;
  return order;
}

static guint
count_listed (TallStoreFixture *fixture, guint *n_unreadable)
{
  g_autoptr (TallOrderList) list =
      must (tall_front_list_orders (fixture->front, TALL_TEST_CUSTOMER, NULL, &error));
  *n_unreadable = list->n_unreadable;
  return list->n_entries;
}

static void
assert_conflict (TallStoreFixture *fixture, gboolean expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallOrder) order = make_order ();
  TallWriteOptions options = { .condition = TALL_IF_ABSENT };
  gboolean done = tall_front_put_order (fixture->front, order, &options, NULL, &error);
  g_assert_true (done == !expected);
  must_be (error, expected ? TALL_ERROR_CONFLICT : 0);
}

/* Everybody agrees: get, listings, and those who write only if it is absent, or delete a customer
 * without orders. */
static void
assert_there (TallStoreFixture *fixture, gboolean expected)
{
  g_autoptr (GError) error = NULL;
  guint n_unreadable;
  if (expected)
    {
      g_autoptr (TallOrder) fetched = tall_fixture_get (fixture, "1", NULL);
    }
  else
    tall_fixture_assert_absent (fixture, "1");
  g_assert_cmpuint (count_listed (fixture, &n_unreadable), ==, expected ? 1 : 0);
  g_assert_cmpuint (n_unreadable, ==, 0);
  g_autoptr (TallCustomerOrders) page =
      must (tall_front_get_customer_orders (fixture->front, TALL_TEST_CUSTOMER, NULL, &error));
  g_assert_cmpuint (page->n_orders, ==, expected ? 1 : 0);
  g_assert_true (tall_front_delete_customer (fixture->front, TALL_TEST_CUSTOMER, NULL, &error)
                 == !expected);
  if (expected)
    g_assert_error (error, TALL_ERROR, TALL_ERROR_CONFLICT);
  assert_conflict (fixture, expected);
}

static void
put_both (TallStoreFixture *fixture)
{
  g_autoptr (TallOrder) order = make_order ();
  g_autoptr (TallCustomer) customer = tall_test_plain_customer (TALL_TEST_CUSTOMER);
  must (tall_front_put_customer (fixture->front, customer, NULL, NULL, &error));
  tall_fixture_put (fixture, order, NULL);
}

/* A clock that is fast by more than the TTL hides nothing, and overwrites nothing. Where rows stay,
 * an order ends, for whoever has that clock, the allowed difference after its TTL. */
static void
test_fast_clock (TallStoreFixture *fixture, gconstpointer data)
{
  begin (fixture, data, 0);
  put_both (fixture);
  fixture->clock.now += (TTL + DIFFERENCE) * SECOND - 1;
  assert_there (fixture, TRUE);
  fixture->clock.now += 1;
  assert_there (fixture, !keeps_rows (data));
}

/* What a slow clock stores is there for everybody, less long. */
static void
test_slow_clock (TallStoreFixture *fixture, gconstpointer data)
{
  begin (fixture, data, DIFFERENCE);
  put_both (fixture);
  assert_there (fixture, TRUE);
  fixture->clock.now += 2 * DIFFERENCE * SECOND;
  assert_there (fixture, TRUE);
}

/* A client whose clock is behind by the TTL stores nothing that can be found, and is not answered
 * with success. */
static void
test_clock_far_behind (TallStoreFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallOrder) order = make_order ();
  begin (fixture, data, 2 * TTL);
  gboolean done = tall_front_put_order (fixture->front, order, NULL, NULL, &error);
  g_assert_true (done == keeps_rows (data));
  gboolean single_row = ((const TallStoreKind *)data)->layout->single_row;
  TallError code = single_row ? TALL_ERROR_OUTCOME_UNKNOWN : TALL_ERROR_UNSUPPORTED;
  if (!done)
    g_assert_error (error, TALL_ERROR, (gint)code);
}

/* Nor is one that stores several orders, which a table without a TTL takes in one step. */
static void
test_many_far_behind (TallStoreFixture *fixture, gconstpointer data)
{
  const TallStoreKind *kind = data;
  g_autoptr (TallOrder) first = make_order ();
  g_autoptr (TallOrder) second = tall_test_marked_order ("2", 1, 1, 2);
  TallOrder *const orders[] = { first, second };
  TallOutcome outcomes[2] = { 0 };
  fixture->clock.now = g_get_real_time () / 2000 * 2 - 2 * TTL * SECOND;
  TallTable *table = tall_memory_table_new ();
  tall_memory_table_set_together (TALL_MEMORY_TABLE (table), 24);
  tall_test_create (table, kind->layout->name, kind->key_strategy->name, TTL);
  tall_store_fixture_reset (fixture, data, table);
  must (tall_front_put_orders (fixture->front, orders, NULL, 2, outcomes, &error));
  for (guint i = 0; i < 2; i++)
    {
      must_be (outcomes[i].error, keeps_rows (data) ? 0 : TALL_ERROR_OUTCOME_UNKNOWN);
      tall_outcome_clear (&outcomes[i]);
    }
}

/* Removes what the table would, were it at that age: all that has the order's revision. A claim
 * that was abandoned keeps the state cell. */
static void
expire_cells (TallStoreFixture *fixture, gconstpointer data)
{
  const TallLayout *layout = ((const TallStoreKind *)data)->layout;
  TallState state;
  gint64 timestamp;
  g_assert_true (tall_test_read_state (fixture->store, "1", &state, &timestamp));
  tall_test_write_state (fixture->store, "1", &state, timestamp + 2);

  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  for (const TallLayoutTable *rows = layout->tables; rows->name != NULL; rows++)
    if (rows->expires)
      tall_read_plan_add_scan (plan, rows->name, tall_slice (NULL, 0), tall_slice (NULL, 0));
  g_autoptr (TallReadResult) result =
      must (tall_table_read (fixture->table, plan, TALL_NO_DEADLINE, &error));
  g_autoptr (TallBatch) batch = tall_batch_new ();
  for (guint i = 0; i < result->n_results; i++)
    for (guint j = 0; j < result->results[i].n_rows; j++)
      tall_mutation_delete_at (batch,
                               tall_batch_add (batch, tall_read_plan_get (plan, i)->table,
                                               result->results[i].rows[j].key),
                               state.revision);
  must (tall_table_apply (fixture->table, (TallMutation *const *)batch->mutations->pdata,
                          batch->mutations->len, TALL_DURABLE, TALL_NO_DEADLINE, &error));
}

/* Cells that are missing are damage, unless they may have expired by a clock that is as fast as is
 * allowed. */
static void
test_missing_cells (TallStoreFixture *fixture, gconstpointer data)
{
  guint n_unreadable;
  if (keeps_rows (data))
    return;
  begin (fixture, data, 0);
  put_both (fixture);
  expire_cells (fixture, data);
  fixture->clock.now += (TTL - DIFFERENCE) * SECOND - 1;
  must_fail (tall_front_get_order (fixture->front, TALL_TEST_CUSTOMER, "1", NULL, &error),
             TALL_ERROR_DAMAGED);
  g_assert_cmpuint (count_listed (fixture, &n_unreadable), ==, 0);
  g_assert_cmpuint (n_unreadable, ==, 1);
  assert_conflict (fixture, TRUE);

  fixture->clock.now += 1;
  assert_there (fixture, FALSE);
}

/* The same if the root row is there, and others are not. */
static void
test_missing_rows (TallStoreFixture *fixture, gconstpointer data)
{
  const TallStoreKind *kind = data;
  g_auto (TallOrderKey) key = { 0 };
  guint64 id;
  if (keeps_rows (data) || kind->layout->single_row)
    return;
  begin (fixture, data, 0);
  put_both (fixture);
  must (tall_store_find_id (fixture->store, TALL_TEST_CUSTOMER, &id, &error));
  tall_order_key_init (&key, kind->key_strategy, TALL_TEST_CUSTOMER, id, "1");
  g_autoptr (TallOrder) order = make_order ();
  g_autoptr (TallBatch) batch = tall_batch_new ();
  kind->layout->append_children (&key, order, fixture->clock.now, batch);
  TallMutation *line = g_ptr_array_index (batch->mutations, batch->mutations->len - 1);
  line->n_changes = 0;
  tall_mutation_delete_at (batch, line, fixture->clock.now);
  must (tall_table_apply (fixture->table, &line, 1, TALL_DURABLE, TALL_NO_DEADLINE, &error));

  fixture->clock.now += (TTL - DIFFERENCE) * SECOND - 1;
  must_fail (tall_front_get_order (fixture->front, TALL_TEST_CUSTOMER, "1", NULL, &error),
             TALL_ERROR_DAMAGED);
  fixture->clock.now += 1;
  tall_fixture_assert_absent (fixture, "1");
}

int
main (int argc, char *argv[])
{
  static const TallStoreTest tests[] = {
    { "fast-clock", test_fast_clock },
    { "slow-clock", test_slow_clock },
    { "clock-far-behind", test_clock_far_behind },
    { "many-far-behind", test_many_far_behind },
    { "missing-cells", test_missing_cells },
    { "missing-rows", test_missing_rows },
  };
  g_test_init (&argc, &argv, NULL);
  tall_store_fixture_add ("ttl", tests, G_N_ELEMENTS (tests));
  return g_test_run ();
}
