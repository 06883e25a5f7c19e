/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-broken-table.h"
#include "table/forwarding-table.h"
#include "tall-error.h"
#include "table/memory-table.h"
#include "tall-store-fixture.h"
#include "tall-test-orders.h"
#include "tall-must.h"

/* Many orders in one call: each has its own outcome, at its own position. */

static void
clear_outcomes (TallOutcome *outcomes, guint n)
{
  for (guint i = 0; i < n; i++)
    tall_outcome_clear (&outcomes[i]);
}

static void
put_many (TallFront *front,
          TallOrder *const *orders,
          const TallWriteOptions *options,
          guint n,
          TallOutcome *outcomes)
{
  must (tall_front_put_orders (front, orders, options, n, outcomes, &error));
}

static void
get_many (TallFront *front, const TallOrderId *ids, guint n, TallOutcome *outcomes)
{
  must (tall_front_get_orders (front, ids, n, outcomes, &error));
}

/* @n orders of a dozen customers, of 0 to 6 lines, stored in one call. */
static GPtrArray *
store_orders (TallFront *front, guint n)
{
  GPtrArray *orders = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_order_free);
  for (guint i = 0; i < n; i++)
    {
      char customer[16], number[16];
      g_snprintf (customer, sizeof customer, "C%u", i % 12);
      g_snprintf (number, sizeof number, "%u", i);
      g_ptr_array_add (orders, tall_test_order_with_lines (customer, number, i % 7));
    }
  g_autofree TallOutcome *outcomes = g_new0 (TallOutcome, n);
  put_many (front, (TallOrder *const *)orders->pdata, NULL, n, outcomes);
  for (guint i = 0; i < n; i++)
    {
      g_assert_no_error (outcomes[i].error);
      g_assert_cmpint (outcomes[i].revision, >, 0);
      g_assert_null (outcomes[i].order);
    }
  return orders;
}

static void
test_round_trip (TallStoreFixture *fixture, gconstpointer kind G_GNUC_UNUSED)
{
  const guint n = 300;
  g_autoptr (GPtrArray) orders = store_orders (fixture->front, n);
  g_autofree TallOrderId *ids = g_new0 (TallOrderId, n);
  g_autofree TallOutcome *outcomes = g_new0 (TallOutcome, n);
  for (guint i = 0; i < n; i++)
    {
      const TallOrder *order = g_ptr_array_index (orders, n - 1 - i);
      ids[i] = (TallOrderId){ order->customer_number, order->order_number };
    }
  get_many (fixture->front, ids, n, outcomes);
  for (guint i = 0; i < n; i++)
    {
      g_assert_no_error (outcomes[i].error);
      tall_test_assert_order_equal (outcomes[i].order, g_ptr_array_index (orders, n - 1 - i));
      gint64 revision = 0;
      g_autoptr (TallOrder) single = tall_front_get_order (fixture->front, ids[i].customer_number,
                                                           ids[i].order_number, &revision, NULL);
      g_assert_nonnull (single);
      g_assert_cmpint (outcomes[i].revision, ==, revision);
    }
  clear_outcomes (outcomes, n);
  get_many (fixture->front, NULL, 0, NULL);
}

static void
assert_failed (const TallOutcome *outcome, TallError code, const char *words)
{
  g_assert_error (outcome->error, TALL_ERROR, (gint)code);
  g_assert_null (outcome->order);
  g_assert_cmpint (outcome->revision, ==, 0);
  if (strstr (outcome->error->message, words) == NULL)
    g_error ("“%s” does not say “%s”", outcome->error->message, words);
}

static void
test_get_outcomes (TallStoreFixture *fixture, gconstpointer kind G_GNUC_UNUSED)
{
  g_autoptr (GPtrArray) orders = store_orders (fixture->front, 20);
  must (tall_front_delete_order (fixture->front, "C3", "15", NULL, &error));
  const TallOrderId ids[] = { { "C2", "2" },   { "C2", "nothing" }, { "nobody", "2" },
                              { "", "2" },     { "C2", "a\nb" },    { "C3", "15" },
                              { "C2", "2" },   { "C1", "2" },       { "C6", "6" },
                              { "C2", "\xff" } };
  TallOutcome outcomes[G_N_ELEMENTS (ids)] = { 0 };
  get_many (fixture->front, ids, G_N_ELEMENTS (ids), outcomes);
  tall_test_assert_order_equal (outcomes[0].order, g_ptr_array_index (orders, 2));
  assert_failed (&outcomes[1], TALL_ERROR_NOT_FOUND, "Fetching order nothing of C2: ");
  assert_failed (&outcomes[2], TALL_ERROR_NOT_FOUND, "Fetching order 2 of nobody: ");
  assert_failed (&outcomes[3], TALL_ERROR_INVALID, "");
  g_assert_cmpstr (tall_error_get_field (outcomes[3].error), ==, "customer_number");
  assert_failed (&outcomes[4], TALL_ERROR_INVALID, "");
  g_assert_cmpstr (tall_error_get_field (outcomes[4].error), ==, "order_number");
  assert_failed (&outcomes[5], TALL_ERROR_NOT_FOUND, "Fetching order 15 of C3: ");
  tall_test_assert_order_equal (outcomes[6].order, g_ptr_array_index (orders, 2));
  assert_failed (&outcomes[7], TALL_ERROR_NOT_FOUND, "Fetching order 2 of C1: ");
  tall_test_assert_order_equal (outcomes[8].order, g_ptr_array_index (orders, 6));
  assert_failed (&outcomes[9], TALL_ERROR_INVALID, "");
  clear_outcomes (outcomes, G_N_ELEMENTS (outcomes));
}

/* The state of one order is damaged: the others come nevertheless. */
static void
test_damaged (TallStoreFixture *fixture, gconstpointer kind G_GNUC_UNUSED)
{
  for (guint i = 0; i < 3; i++)
    {
      char number[16];
      g_snprintf (number, sizeof number, "%u", i);
      g_autoptr (TallOrder) order = tall_test_order_with_lines (TALL_TEST_CUSTOMER, number, 3);
      tall_fixture_put (fixture, order, NULL);
    }
  TallState state;
  gint64 timestamp;
  g_assert_true (tall_test_read_state (fixture->store, "1", &state, &timestamp));
  state.digest[0] ^= 1;
  tall_test_write_state (fixture->store, "1", &state, timestamp);

  const TallOrderId ids[] = { { "VINET", "0" }, { "VINET", "1" }, { "VINET", "2" } };
  TallOutcome outcomes[3] = { 0 };
  get_many (fixture->front, ids, 3, outcomes);
  g_assert_no_error (outcomes[0].error);
  assert_failed (&outcomes[1], TALL_ERROR_DAMAGED, "Fetching order 1 of VINET: ");
  g_assert_no_error (outcomes[2].error);
  clear_outcomes (outcomes, 3);
}

/* The table cannot read a row, and fails the call for all: the others come nevertheless. */
static void
test_broken_row (gconstpointer code)
{
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_raw);
  g_autoptr (TallTable) broken = tall_broken_table_new (table);
  g_autoptr (TallStore) store = tall_test_open (broken, NULL);
  g_autoptr (GPtrArray) orders = store_orders (TALL_FRONT (store), 5);
  TallOutcome outcomes[5] = { 0 };
  TallOrderId ids[5];
  for (guint i = 0; i < 5; i++)
    {
      const TallOrder *order = g_ptr_array_index (orders, i);
      ids[i] = (TallOrderId){ order->customer_number, order->order_number };
    }
  tall_broken_table_break (TALL_BROKEN_TABLE (broken), tall_slice ("C2\0002\0", 5),
                           (TallError)GPOINTER_TO_INT (code));
  get_many (TALL_FRONT (store), ids, 5, outcomes);
  for (guint i = 0; i < 5; i++)
    if (i == 2)
      assert_failed (&outcomes[i], (TallError)GPOINTER_TO_INT (code), "Fetching order 2 of C2: ");
    else
      tall_test_assert_order_equal (outcomes[i].order, g_ptr_array_index (orders, i));
  clear_outcomes (outcomes, 5);
}

/* How many calls of the table, and requests, getting the first @n orders takes. */
static guint
count_calls (TallStoreFixture *fixture, GPtrArray *orders, guint n, guint64 *requests)
{
  g_autoptr (TallTable) counting = tall_counting_table_new (fixture->table);
  g_autoptr (TallTable) failing = tall_failing_table_new (counting);
  g_autoptr (TallStore) store = tall_test_open (failing, &fixture->clock);
  g_autofree TallOrderId *ids = g_new0 (TallOrderId, n);
  g_autofree TallOutcome *outcomes = g_new0 (TallOutcome, n);
  for (guint i = 0; i < n; i++)
    {
      const TallOrder *order = g_ptr_array_index (orders, i);
      ids[i] = (TallOrderId){ order->customer_number, order->order_number };
    }
  tall_failing_table_reset (TALL_FAILING_TABLE (failing));
  tall_counting_table_reset (TALL_COUNTING_TABLE (counting));
  get_many (TALL_FRONT (store), ids, n, outcomes);
  for (guint i = 0; i < n; i++)
    g_assert_no_error (outcomes[i].error);
  clear_outcomes (outcomes, n);
  TallCost cost;
  tall_counting_table_get_cost (TALL_COUNTING_TABLE (counting), &cost);
  *requests = cost.calls;
  return tall_failing_table_count_calls (TALL_FAILING_TABLE (failing));
}

static void
test_calls (TallStoreFixture *fixture, gconstpointer data)
{
  const TallStoreKind *kind = data;
  g_autoptr (GPtrArray) orders = store_orders (fixture->front, 300);
  guint for_ids = kind->key_strategy->needs_id ? 1 : 0;
  guint64 requests, fewer;

  g_assert_cmpuint (count_calls (fixture, orders, 1, &requests), ==, 1 + for_ids);
  g_assert_cmpuint (count_calls (fixture, orders, 100, &fewer), ==, 1 + for_ids);
  g_assert_cmpuint (count_calls (fixture, orders, 101, &requests), ==, 1 + for_ids);
  if (kind->layout->single_row)
    g_assert_cmpuint (requests, ==, 1 + for_ids);
  else
    g_assert_cmpuint (requests - fewer, <=, 2);
  g_assert_cmpuint (count_calls (fixture, orders, 300, &requests), ==, 3 + for_ids);
}

/* The call fails: so has every order that it was for. */
static void
test_unavailable (TallStoreFixture *fixture, gconstpointer data)
{
  const TallStoreKind *kind = data;
  g_autoptr (GPtrArray) orders = store_orders (fixture->front, 3);
  g_autoptr (TallTable) failing = tall_failing_table_new (fixture->table);
  g_autoptr (TallStore) store = tall_test_open (failing, &fixture->clock);
  const TallOrderId ids[] = { { "C0", "0" }, { "C1", "1" }, { "C2", "2" } };
  TallOutcome outcomes[3] = { 0 };
  tall_failing_table_reset (TALL_FAILING_TABLE (failing));
  tall_failing_table_fail_at (TALL_FAILING_TABLE (failing), kind->key_strategy->needs_id ? 1 : 0,
                              TALL_FAILURE_BEFORE);
  get_many (TALL_FRONT (store), ids, 3, outcomes);
  for (guint i = 0; i < 3; i++)
    assert_failed (&outcomes[i], TALL_ERROR_UNAVAILABLE, "Fetching order ");
  clear_outcomes (outcomes, 3);
}

/* Two of one order are stored one after the other, in their order; wrong ones stand alone. */
static void
test_put_outcomes (TallStoreFixture *fixture, gconstpointer kind G_GNUC_UNUSED)
{
  g_autoptr (TallOrder) first = tall_test_marked_order ("1", 1, 1, 3);
  g_autoptr (TallOrder) second = tall_test_marked_order ("1", 1, 2, 5);
  g_autoptr (TallOrder) third = tall_test_marked_order ("1", 1, 3, 2);
  g_autoptr (TallOrder) other = tall_test_marked_order ("2", 1, 4, 2);
  g_autoptr (TallOrder) wrong = tall_test_marked_order ("3", 1, 5, 2);
  wrong->shipping_locations[0]->line_items[1]->number = 0;
  TallOrder *const orders[] = { first, wrong, second, other, third };
  const TallWriteOptions options[] = { { .condition = TALL_IF_ABSENT },
                                       { .condition = TALL_IF_ANY },
                                       { .condition = TALL_IF_ABSENT },
                                       { .condition = TALL_IF_REVISION, .revision = 4 },
                                       { .condition = TALL_IF_ANY } };
  TallOutcome outcomes[5] = { 0 };
  put_many (fixture->front, orders, options, 5, outcomes);

  g_assert_no_error (outcomes[0].error);
  assert_failed (&outcomes[1], TALL_ERROR_INVALID, "");
  assert_failed (&outcomes[2], TALL_ERROR_CONFLICT, "Storing order 1 of VINET: ");
  g_assert_cmpint (tall_error_get_revision (outcomes[2].error), ==, outcomes[0].revision);
  assert_failed (&outcomes[3], TALL_ERROR_CONFLICT, "Storing order 2 of VINET: ");
  g_assert_no_error (outcomes[4].error);
  g_assert_cmpint (outcomes[4].revision, >, outcomes[0].revision);

  gint64 revision;
  g_autoptr (TallOrder) stored = tall_fixture_get (fixture, "1", &revision);
  tall_test_assert_order_equal (stored, third);
  g_assert_cmpint (revision, ==, outcomes[4].revision);
  tall_fixture_assert_absent (fixture, "2");
  tall_fixture_assert_absent (fixture, "3");
  clear_outcomes (outcomes, 5);
}

/* An order with that many bytes, nearly. */
static TallOrder *
large_order (guint number, gsize n_bytes)
{
  g_autofree char *text = g_strnfill (n_bytes, 'x');
  char order_number[16];
  g_snprintf (order_number, sizeof order_number, "%u", number);
  TallOrder *order = tall_test_order_with_lines (TALL_TEST_CUSTOMER, order_number, 1);
  order->shipping_locations[0]->line_items[0]->description =
      tall_arena_strdup (tall_order_get_arena (order), text);
  return order;
}

static void
test_too_many (void)
{
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
  g_autoptr (TallStore) store = tall_test_open (table, NULL);
  g_autoptr (TallOrder) order = tall_test_order_with_lines (TALL_TEST_CUSTOMER, "1", 1);
  g_autofree TallOrder **orders = g_new0 (TallOrder *, TALL_MAX_MANY + 1);
  g_autofree TallOrderId *ids = g_new0 (TallOrderId, TALL_MAX_MANY + 1);
  g_autofree TallOutcome *outcomes = g_new0 (TallOutcome, TALL_MAX_MANY + 1);
  for (guint i = 0; i <= TALL_MAX_MANY; i++)
    {
      orders[i] = order;
      ids[i] = (TallOrderId){ TALL_TEST_CUSTOMER, "1" };
    }
  must_fail (tall_front_get_orders (TALL_FRONT (store), ids, TALL_MAX_MANY + 1, outcomes, &error),
             TALL_ERROR_TOO_LARGE);
  must_fail (tall_front_put_orders (TALL_FRONT (store), orders, NULL, TALL_MAX_MANY + 1, outcomes,
                                    &error),
             TALL_ERROR_TOO_LARGE);
  get_many (TALL_FRONT (store), ids, TALL_MAX_MANY, outcomes);
  for (guint i = 0; i < TALL_MAX_MANY; i++)
    assert_failed (&outcomes[i], TALL_ERROR_NOT_FOUND, "");
  clear_outcomes (outcomes, TALL_MAX_MANY);
}

/* More than is taken, or given, at once. */
static void
test_too_large (void)
{
  const guint n = 140;
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
  g_autoptr (TallStore) store = tall_test_open (table, NULL);
  g_autoptr (GPtrArray) orders = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_order_free);
  g_autofree TallOrderId *ids = g_new0 (TallOrderId, n);
  g_autofree TallOutcome *outcomes = g_new0 (TallOutcome, n);
  for (guint i = 0; i < n; i++)
    {
      TallOrder *order = large_order (i, 600 * 1024);
      ids[i] = (TallOrderId){ order->customer_number, order->order_number };
      g_ptr_array_add (orders, order);
    }
  TallOrder *const *all = (TallOrder *const *)orders->pdata;
  must_fail (tall_front_put_orders (TALL_FRONT (store), all, NULL, n, outcomes, &error),
             TALL_ERROR_TOO_LARGE);
  get_many (TALL_FRONT (store), ids, 1, outcomes);
  assert_failed (&outcomes[0], TALL_ERROR_NOT_FOUND, "");
  clear_outcomes (outcomes, n);

  put_many (TALL_FRONT (store), all, NULL, n / 2, outcomes);
  put_many (TALL_FRONT (store), all + n / 2, NULL, n / 2, outcomes + n / 2);
  clear_outcomes (outcomes, n);
  get_many (TALL_FRONT (store), ids, n, outcomes);
  for (guint i = 0; i < n; i++)
    if (i < 128)
      g_assert_no_error (outcomes[i].error);
    else
      assert_failed (&outcomes[i], TALL_ERROR_TOO_LARGE, "another call");
  clear_outcomes (outcomes, n);
}

/* Several callers at once, on one store and the same orders: every order stays whole. */
static gpointer
put_the_same (gpointer data)
{
  TallOrder *orders[40];
  TallOutcome outcomes[40] = { 0 };
  for (guint i = 0; i < 40; i++)
    {
      char number[16];
      g_snprintf (number, sizeof number, "%u", i % 20);
      orders[i] = tall_test_marked_order (number, i, i, 1 + i % 5);
    }
  put_many (data, orders, NULL, 40, outcomes);
  for (guint i = 0; i < 40; i++)
    {
      g_assert_no_error (outcomes[i].error);
      tall_order_free (orders[i]);
    }
  return NULL;
}

static void
test_callers (TallStoreFixture *fixture G_GNUC_UNUSED, gconstpointer data)
{
  const TallStoreKind *kind = data;
  g_autoptr (TallTable) table = tall_test_table_new (kind->layout, kind->key_strategy);
  g_autoptr (TallStore) store = tall_test_open (table, NULL);
  GThread *threads[4];
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("putting", put_the_same, store);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  for (guint i = 0; i < 20; i++)
    {
      char number[16];
      guint writer, sequence;
      g_snprintf (number, sizeof number, "%u", i);
      g_autoptr (TallOrder) order =
          tall_front_get_order (TALL_FRONT (store), TALL_TEST_CUSTOMER, number, NULL, NULL);
      g_assert_nonnull (order);
      tall_test_read_mark (order, &writer, &sequence);
      g_assert_cmpuint (writer % 20, ==, i);
    }
}

/* Each put that takes effect takes four seconds. */
static void
pass_time (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  TallTestClock *clock = data;
  if (call->kind != TALL_CALL_APPLY_IF || !call->succeeded || !call->matched)
    return;
  clock->now += 4000;
  clock->monotonic += 4 * G_USEC_PER_SEC;
}

/* The time of all puts runs from the beginning of the call: those whose turn does not come in it
 * are not tried. One order is put again and again, so that each waits for the one before it. */
static void
test_time (void)
{
  enum
  {
    N = 7
  };
  TallTestClock clock = { .now = TALL_TEST_NOW };
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
  g_autoptr (TallTable) failing = tall_failing_table_new (table);
  g_autoptr (TallStore) store = tall_test_open (failing, &clock);
  TallWriteOptions options[N] = { 0 };
  TallOutcome outcomes[N] = { 0 };
  TallOrder *orders[N];
  for (guint i = 0; i < N; i++)
    orders[i] = tall_test_marked_order ("1", 1, i, 2);
  options[4].timeout = 60000;
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (failing), NULL, pass_time, &clock);
  put_many (TALL_FRONT (store), orders, options, N, outcomes);

  for (guint i = 0; i < N; i++)
    if (i < 3 || i == 4)
      g_assert_no_error (outcomes[i].error);
    else
      assert_failed (&outcomes[i], TALL_ERROR_TIMED_OUT, "Storing order 1 of VINET: its time was");
  guint writer, sequence;
  gint64 revision = 0;
  g_autoptr (TallOrder) stored =
      tall_front_get_order (TALL_FRONT (store), TALL_TEST_CUSTOMER, "1", &revision, NULL);
  g_assert_nonnull (stored);
  tall_test_read_mark (stored, &writer, &sequence);
  g_assert_cmpuint (sequence, ==, 4);
  g_assert_cmpint (revision, ==, outcomes[4].revision);
  clear_outcomes (outcomes, N);
  for (guint i = 0; i < N; i++)
    tall_order_free (orders[i]);
}

static const TallStoreTest tests[] = {
  { "round-trip", test_round_trip },   { "get-outcomes", test_get_outcomes },
  { "damaged", test_damaged },         { "calls", test_calls },
  { "unavailable", test_unavailable }, { "put-outcomes", test_put_outcomes },
  { "callers", test_callers },
};

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  tall_store_fixture_add ("many", tests, G_N_ELEMENTS (tests));
  g_test_add_func ("/many/too-many", test_too_many);
  g_test_add_func ("/many/too-large", test_too_large);
  g_test_add_func ("/many/time", test_time);
  g_test_add_data_func ("/many/broken-row/damaged", GINT_TO_POINTER (TALL_ERROR_DAMAGED),
                        test_broken_row);
  g_test_add_data_func ("/many/broken-row/newer", GINT_TO_POINTER (TALL_ERROR_NEWER_VERSION),
                        test_broken_row);
  return g_test_run ();
}
