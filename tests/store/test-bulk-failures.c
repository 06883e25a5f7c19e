/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-bulk.h"
#include "tall-error.h"
#include "tall-failing-table.h"
#include "table/memory-table.h"
#include "store/commit/root.h"
#include "tall-test-orders.h"
#include "tall-test-store.h"
#include "tall-must.h"

/* Calls of a load fail, come late or are answered by others' writes in between: what it says is
 * true, and it can be begun again. */

#define N_ORDERS 5
#define TOGETHER 6 /* rows of one step, so that a load takes several */

/* What is done to the calls from one on. */
typedef struct
{
  guint first;
  guint n; /* how many of them fail */
  TallFailure failure;
} Blow;

static TallFailure
strike (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  const Blow *blow = data;
  gboolean hit = call->index >= blow->first && call->index < blow->first + blow->n;
  return hit ? blow->failure : TALL_FAILURE_NONE;
}

static TallOrder *
make_order (guint i)
{
  g_autofree char *number = g_strdup_printf ("order-%u", i);
  return tall_test_marked_order (number, 1, i, i);
}

/* Whether an order is there; then it is whole. */
static gboolean
is_there (TallFront *front, guint i)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallOrder) sent = make_order (i);
  g_autoptr (TallOrder) got =
      tall_front_get_order (front, sent->customer_number, sent->order_number, NULL, &error);
  if (g_error_matches (error, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    return FALSE;
  g_assert_no_error (error);
  tall_test_assert_order_equal (got, sent);
  return TRUE;
}

/* Puts all orders. @stored: (out): those that are said to be */
static void
load (TallFront *front, gboolean stored[N_ORDERS], gboolean must)
{
  g_autoptr (GError) error = NULL;
  TallOrder *orders[N_ORDERS];
  TallBulkResult results[N_ORDERS] = { 0 };
  g_autoptr (TallBulk) bulk = tall_bulk_begin (front, NULL, &error);
  for (guint i = 0; i < N_ORDERS; i++)
    orders[i] = make_order (i);
  must (tall_bulk_put_orders (bulk, orders, N_ORDERS, results, &error));
  for (guint i = 0; i < N_ORDERS; i++)
    {
      stored[i] =
          results[i].outcome == TALL_BULK_STORED || results[i].outcome == TALL_BULK_UNCHANGED;
      if (must)
        g_assert_no_error (results[i].error);
      if (!stored[i])
        g_assert_cmpint (results[i].outcome, ==, TALL_BULK_REFUSED);
      tall_bulk_result_clear (&results[i]);
      tall_order_free (orders[i]);
    }
  g_assert_true (tall_bulk_end (bulk, &error) || !must);
}

static void
expect (TallFront *front, const gboolean stored[N_ORDERS])
{
  for (guint i = 0; i < N_ORDERS; i++)
    if (!is_there (front, i))
      g_assert_false (stored[i]);
}

/* Each order once, by its date. */
static void
expect_listed (TallFront *front)
{
  g_autoptr (TallOrderList) list =
      must (tall_front_list_orders (front, TALL_TEST_CUSTOMER, NULL, &error));
  g_assert_cmpuint (list->n_entries, ==, N_ORDERS);
}

/* How many loads have begun and not ended. */
static guint
count_begun (TallTable *table)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_prefix_scan (plan, "meta", tall_slice_str ("load/"));
  g_autoptr (TallReadResult) result =
      must (tall_table_read (table, plan, TALL_NO_DEADLINE, &error));
  return result->results[0].n_rows;
}

/* Returns: how many calls the load made */
static guint
try (const TallLayout *layout, gboolean together, Blow *blow)
{
  gboolean stored[N_ORDERS], again[N_ORDERS];
  TallTestClock clock = { .now = TALL_FIRST_REVISION + 1000, .patience = 1 };
  g_autoptr (TallTable) table = tall_test_table_new (layout, &tall_key_hashed);
  g_autoptr (TallTable) failing = tall_failing_table_new (table);
  if (together)
    {
      tall_memory_table_set_together (TALL_MEMORY_TABLE (table), TOGETHER);
      tall_failing_table_set_info (TALL_FAILING_TABLE (failing), TALL_FAILING_EMBEDDED);
    }
  g_autoptr (TallStore) lone = tall_test_open (table, &clock);
  g_autoptr (TallStore) store = tall_test_open (failing, &clock);
  tall_failing_table_reset (TALL_FAILING_TABLE (failing));
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (failing), strike, NULL, blow);
  load (TALL_FRONT (store), stored, blow->n == 0);
  guint n_calls = tall_failing_table_count_calls (TALL_FAILING_TABLE (failing));
  expect (TALL_FRONT (lone), stored);
  if (blow->n == 0)
    g_assert_cmpuint (count_begun (table), ==, 0);

  load (TALL_FRONT (lone), again, TRUE);
  tall_failing_table_deliver_late (TALL_FAILING_TABLE (failing));
  for (guint i = 0; i < N_ORDERS; i++)
    g_assert_true (again[i]);
  expect (TALL_FRONT (lone), again);
  expect_listed (TALL_FRONT (lone));
  return n_calls;
}

/* Where one step changes several rows, "did not match" is true. */
static void
fail_every_call (const TallLayout *layout, gboolean together)
{
  static const TallFailure failures[] = { TALL_FAILURE_BEFORE, TALL_FAILURE_PARTLY,
                                          TALL_FAILURE_LOST, TALL_FAILURE_LATE,
                                          TALL_FAILURE_FALSE };
  Blow none = { 0 };
  guint n_calls = try (layout, together, &none);
  g_assert_cmpuint (n_calls, >=, 8);
  for (guint i = 0; i < n_calls; i++)
    for (guint j = 0; j + together < G_N_ELEMENTS (failures); j++)
      for (guint n = 1; n <= 5; n += n)
        {
          Blow blow = { i, n, failures[j] };
          try (layout, together, &blow);
        }
}

static void
test_every_call (gconstpointer layout)
{
  fail_every_call (layout, FALSE);
  fail_every_call (layout, TRUE);
}

/* Somebody else puts all orders, with another content, before a call of the load. */
typedef struct
{
  TallFront *others; /* not owned */
  guint at;
  gboolean deletes; /* and deletes them again */
} Other;

static TallFailure
put_between (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  const Other *other = data;
  for (guint i = 0; i < N_ORDERS && call->index == other->at; i++)
    {
      g_autoptr (TallOrder) order = make_order (i);
      g_autoptr (TallOrder) theirs = tall_test_marked_order (order->order_number, 2, i, 3);
      const TallWriteOptions options = { .condition = TALL_IF_ANY };
      must (tall_front_put_order (other->others, theirs, &options, NULL, &error));
      if (other->deletes)
        must (tall_front_delete_order (other->others, order->customer_number, order->order_number,
                                       NULL, &error));
    }
  return TALL_FAILURE_NONE;
}

/* Returns: how many calls the load made; 0: none of the others' came between */
static guint
race (const TallLayout *layout, guint at, gboolean deletes, gboolean is_last)
{
  g_autoptr (GError) error = NULL;
  TallTestClock clock = { .now = TALL_FIRST_REVISION, .patience = 1 };
  g_autoptr (TallTable) table = tall_test_table_new (layout, &tall_key_hashed);
  g_autoptr (TallTable) failing = tall_failing_table_new (table);
  g_autoptr (TallStore) others = tall_test_open (table, &clock);
  g_autoptr (TallStore) store = tall_test_open (failing, &clock);
  Other other = { TALL_FRONT (others), at, deletes };
  TallOrder *orders[N_ORDERS];
  TallBulkResult results[N_ORDERS] = { 0 };
  g_autoptr (TallBulk) bulk = tall_bulk_begin (TALL_FRONT (store), NULL, &error);
  for (guint i = 0; i < N_ORDERS; i++)
    orders[i] = make_order (i);
  tall_failing_table_reset (TALL_FAILING_TABLE (failing));
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (failing), put_between, NULL, &other);
  must (tall_bulk_put_orders (bulk, orders, N_ORDERS, results, &error));
  guint n_calls = tall_failing_table_count_calls (TALL_FAILING_TABLE (failing));
  for (guint i = 0; i < N_ORDERS; i++)
    {
      g_autoptr (TallOrder) got =
          tall_front_get_order (TALL_FRONT (others), orders[i]->customer_number,
                                orders[i]->order_number, NULL, NULL);
      guint writer = 0, sequence;
      if (got != NULL)
        tall_test_read_mark (got, &writer, &sequence);
      /* What others were told to have stored stays; ours is there if we said so, and nobody came
       * after it. */
      if (at < n_calls && !deletes)
        g_assert_cmpuint (writer, ==, 2);
      /* Ours was there, and was deleted: it does not come back. */
      if (is_last && deletes)
        g_assert_null (got);
      if (is_last)
        g_assert_cmpint (results[i].outcome, ==, TALL_BULK_OVERTAKEN);
      if (results[i].outcome == TALL_BULK_STORED && at >= n_calls)
        g_assert_nonnull (got);
      if (results[i].outcome == TALL_BULK_OVERTAKEN)
        g_assert_error (results[i].error, TALL_ERROR, TALL_ERROR_CONFLICT);
      tall_bulk_result_clear (&results[i]);
      tall_order_free (orders[i]);
    }
  must (tall_bulk_end (bulk, &error));
  return n_calls;
}

static void
test_others (gconstpointer layout)
{
  for (guint deletes = 0; deletes < 2; deletes++)
    {
      guint n_calls = race (layout, G_MAXUINT, deletes, FALSE);
      for (guint i = 0; i < n_calls; i++)
        race (layout, i, deletes, i == n_calls - 1);
    }
}

/* Another load puts the same orders with another content, between two calls of a later one. */
typedef struct
{
  TallBulk *earlier; /* not owned */
  guint at;
} Earlier;

static TallFailure
load_between (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  const Earlier *earlier = data;
  if (call->index != earlier->at)
    return TALL_FAILURE_NONE;
  g_autoptr (TallOrder) theirs = tall_test_marked_order ("order-1", 2, 1, 3);
  TallBulkResult result = { 0 };
  must (tall_bulk_put_orders (earlier->earlier, &theirs, 1, &result, &error));
  tall_bulk_result_clear (&result);
  return TALL_FAILURE_NONE;
}

/* What a load says if an earlier one came before its @at-th call. */
static TallBulkOutcome
race_loads (const TallLayout *layout, guint at, guint *n_calls)
{
  g_autoptr (GError) error = NULL;
  TallTestClock clock = { .now = TALL_FIRST_REVISION, .patience = 1 };
  g_autoptr (TallTable) table = tall_test_table_new (layout, &tall_key_hashed);
  g_autoptr (TallTable) failing = tall_failing_table_new (table);
  g_autoptr (TallStore) others = tall_test_open (table, &clock);
  g_autoptr (TallStore) store = tall_test_open (failing, &clock);
  g_autoptr (TallBulk) bulk = tall_bulk_begin (TALL_FRONT (others), NULL, &error);
  g_autoptr (TallBulk) later = tall_bulk_begin (TALL_FRONT (store), NULL, &error);
  g_autoptr (TallOrder) first = make_order (0);
  g_autoptr (TallOrder) ours = make_order (1);
  TallBulkResult result = { 0 };
  must (tall_bulk_put_orders (bulk, &first, 1, &result, &error)); /* it has revisions now */
  gint64 revision = result.revision;
  tall_bulk_result_clear (&result);

  Earlier earlier = { bulk, at };
  tall_failing_table_reset (TALL_FAILING_TABLE (failing));
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (failing), load_between, NULL, &earlier);
  result = (TallBulkResult){ 0 };
  must (tall_bulk_put_orders (later, &ours, 1, &result, &error));
  TallBulkOutcome outcome = result.outcome;
  *n_calls = tall_failing_table_count_calls (TALL_FAILING_TABLE (failing));
  if (outcome == TALL_BULK_STORED || outcome == TALL_BULK_REPLACED)
    g_assert_cmpint (result.revision, >, revision);
  g_assert_cmpint (is_there (TALL_FRONT (others), 0), ==, TRUE);
  tall_bulk_result_clear (&result);
  return outcome;
}

static void
test_loads (gconstpointer layout)
{
  guint n_calls, ignored, n_replaced = 0;
  g_assert_cmpint (race_loads (layout, G_MAXUINT, &n_calls), ==, TALL_BULK_STORED);
  for (guint i = 0; i < n_calls; i++)
    {
      TallBulkOutcome outcome = race_loads (layout, i, &ignored);
      /* Before the first look it is there already; before the last one the other meets ours. */
      g_assert_cmpint (outcome, ==,
                       i == 0             ? TALL_BULK_REFUSED
                       : i == n_calls - 1 ? TALL_BULK_STORED
                                          : TALL_BULK_REPLACED);
      n_replaced += outcome == TALL_BULK_REPLACED;
    }
  g_assert_cmpuint (n_replaced, >, 2);
}

/* Where orders expire, revisions are times. */
static void
test_ttl (gconstpointer layout)
{
  gboolean stored[N_ORDERS];
  TallTestClock clock = { .now = g_get_real_time () / 1000, .patience = 1 };
  g_autoptr (TallTable) table = tall_memory_table_new ();
  tall_test_create (table, ((const TallLayout *)layout)->name, "hashed", 3600);
  g_autoptr (TallStore) store = tall_test_open (table, &clock);
  load (TALL_FRONT (store), stored, TRUE);
  gint64 revision = 0;
  g_autoptr (TallOrder) sent = make_order (2);
  g_autoptr (TallOrder) got = must (tall_front_get_order (TALL_FRONT (store), sent->customer_number,
                                                          sent->order_number, &revision, &error));
  g_assert_cmpint (revision, >=, clock.now);
}

/* The promise that all is new saves the look before; broken, it replaces, and says so. */
static void
test_assume_new (gconstpointer layout)
{
  g_autoptr (GError) error = NULL;
  const TallBulkOptions options = { .assume_new = TRUE };
  TallTestClock clock = { .now = 0, .patience = 1 };
  g_autoptr (TallTable) table = tall_test_table_new (layout, &tall_key_hashed);
  g_autoptr (TallTable) failing = tall_failing_table_new (table);
  g_autoptr (TallStore) store = tall_test_open (failing, &clock);
  g_autoptr (TallBulk) bulk = tall_bulk_begin (TALL_FRONT (store), &options, &error);
  gint64 revisions[2];
  for (guint round = 0; round < 2; round++)
    {
      g_autoptr (TallOrder) order = tall_test_marked_order ("order-1", 1, round, 3 + round);
      TallBulkResult result = { 0 };
      tall_failing_table_reset (TALL_FAILING_TABLE (failing));
      must (tall_bulk_put_orders (bulk, &order, 1, &result, &error));
      g_assert_cmpint (result.outcome, ==, round == 0 ? TALL_BULK_STORED : TALL_BULK_REPLACED);
      revisions[round] = result.revision;
      if (round == 0) /* the revisions are taken, and nothing but what was written is read */
        g_assert_cmpuint (tall_failing_table_count_calls (TALL_FAILING_TABLE (failing)), ==, 3 + 3);
      g_autoptr (TallOrder) got =
          must (tall_front_get_order (TALL_FRONT (store), order->customer_number,
                                      order->order_number, NULL, &error));
      tall_test_assert_order_equal (got, order);
    }

  /* A put by a clock that stands at the beginning of time comes after it. */
  gint64 revision = 0;
  g_assert_cmpint (revisions[1], >, revisions[0]);
  g_autoptr (TallOrder) put = tall_test_marked_order ("order-2", 1, 1, 1);
  must (tall_front_put_order (TALL_FRONT (store), put, NULL, &revision, &error));
  g_assert_cmpint (revision, >=, TALL_FIRST_REVISION);
}

/* Somebody claims an order that is not there, and dies. */
static TallFailure
claim_it (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  const TallState claim = { .pending = TALL_FIRST_REVISION, .sales_date = TALL_NO_DATE };
  if (call->kind == TALL_CALL_APPLY && g_strcmp0 (call->table, "meta") != 0)
    tall_test_write_state (data, "order-1", &claim, claim.pending);
  return TALL_FAILURE_NONE;
}

/* The claim comes after the look, and hides what is loaded: so that is put once more, over the
 * claim. */
static void
test_claimed (gconstpointer layout)
{
  TallTestClock clock = { .now = TALL_FIRST_REVISION, .patience = 1 };
  TallBulkResult result = { 0 };
  g_autoptr (TallOrder) order = tall_test_marked_order ("order-1", 1, 1, 3);
  g_autoptr (TallTable) table = tall_test_table_new (layout, &tall_key_hashed);
  g_autoptr (TallStore) other = tall_test_open (table, NULL);
  g_autoptr (TallTable) failing = tall_failing_table_new (table);
  g_autoptr (TallStore) store = tall_test_open (failing, &clock);
  g_autoptr (TallBulk) bulk = must (tall_bulk_begin (TALL_FRONT (store), NULL, &error));
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (failing), claim_it, NULL, other);
  must (tall_bulk_put_orders (bulk, &order, 1, &result, &error));
  g_assert_no_error (result.error);
  g_assert_cmpint (result.outcome, ==, TALL_BULK_STORED);
  g_autoptr (TallOrder) got =
      must (tall_front_get_order (TALL_FRONT (store), TALL_TEST_CUSTOMER, "order-1", NULL, &error));
  tall_test_assert_order_equal (got, order);
  must (tall_bulk_end (bulk, &error));
}

/* The answer to root rows is lost, and nothing is answered after that. */
static TallFailure
fall_silent (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  gboolean *is_silent = data;
  if (*is_silent)
    return TALL_FAILURE_BEFORE;
  *is_silent = call->kind == TALL_CALL_APPLY && g_strcmp0 (call->table, "orders") == 0;
  return *is_silent ? TALL_FAILURE_LOST : TALL_FAILURE_NONE;
}

/* What was sent may be stored, whatever the last error says. */
static void
test_silence (void)
{
  gboolean is_silent = FALSE;
  TallTestClock clock = { .now = TALL_FIRST_REVISION, .patience = 1 };
  TallBulkResult result = { 0 };
  g_autoptr (TallOrder) order = make_order (1);
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
  g_autoptr (TallTable) failing = tall_failing_table_new (table);
  g_autoptr (TallStore) store = tall_test_open (failing, &clock);
  g_autoptr (TallBulk) bulk = must (tall_bulk_begin (TALL_FRONT (store), NULL, &error));
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (failing), fall_silent, NULL, &is_silent);
  must (tall_bulk_put_orders (bulk, &order, 1, &result, &error));
  g_assert_error (result.error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN);
  tall_bulk_result_clear (&result);
}

/* One of a batch is there all the same, wherever in the steps of it: it stays, and the others come.
 */
static void
test_not_new (gconstpointer layout)
{
  const TallBulkOptions options = { .assume_new = TRUE };
  for (guint at = 0; at < 2 * N_ORDERS; at++)
    {
      guint there = at / 2;
      TallTestClock clock = { .now = TALL_FIRST_REVISION, .patience = 1 };
      TallOrder *orders[N_ORDERS];
      TallBulkResult results[N_ORDERS] = { 0 };
      g_autoptr (TallTable) table = tall_test_table_new (layout, &tall_key_hashed);
      if (at % 2 == 1)
        tall_memory_table_set_together (TALL_MEMORY_TABLE (table), TOGETHER);
      g_autoptr (TallStore) store = tall_test_open (table, &clock);
      g_autofree char *number = g_strdup_printf ("order-%u", there);
      g_autoptr (TallOrder) theirs = tall_test_marked_order (number, 2, there, 3);
      must (tall_front_put_order (TALL_FRONT (store), theirs, NULL, NULL, &error));
      g_autoptr (TallBulk) bulk = must (tall_bulk_begin (TALL_FRONT (store), &options, &error));
      for (guint i = 0; i < N_ORDERS; i++)
        orders[i] = make_order (i);
      must (tall_bulk_put_orders (bulk, orders, N_ORDERS, results, &error));
      for (guint i = 0; i < N_ORDERS; i++)
        {
          g_autoptr (TallOrder) got =
              must (tall_front_get_order (TALL_FRONT (store), orders[i]->customer_number,
                                          orders[i]->order_number, NULL, &error));
          tall_test_assert_order_equal (got, i == there ? theirs : orders[i]);
          g_assert_true ((results[i].outcome == TALL_BULK_STORED) == (i != there));
          tall_bulk_result_clear (&results[i]);
          tall_order_free (orders[i]);
        }
      must (tall_bulk_end (bulk, &error));
      expect_listed (TALL_FRONT (store));
    }
}

/* Calls that number customers: the first waits until there is a second beside it. */
typedef struct
{
  GMutex mutex;
  GCond met;
  guint n_inside;
  gboolean have_met;
  gint n_counts; /* atomic; of the counter of ids */
} Meeting;

static TallFailure
meet (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Meeting *self = data;
  if (call->kind == TALL_CALL_INCREMENT && g_strcmp0 (call->table, "ids") == 0)
    g_atomic_int_inc (&self->n_counts);
  if (call->kind != TALL_CALL_APPLY_IF || g_strcmp0 (call->table, "ids") != 0)
    return TALL_FAILURE_NONE;
  gint64 end = g_get_monotonic_time () + 20 * G_USEC_PER_SEC;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  self->have_met |= ++self->n_inside > 1;
  g_cond_broadcast (&self->met);
  while (!self->have_met && g_cond_wait_until (&self->met, &self->mutex, end))
    ;
  self->n_inside--;
  return TALL_FAILURE_NONE;
}

/* New customers get their ids beside each other, of one step of the counter. */
static void
test_customers (void)
{
  g_autoptr (GError) error = NULL;
  Meeting meeting = { .have_met = FALSE };
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_numeric);
  g_autoptr (TallTable) failing = tall_failing_table_new (table);
  g_autoptr (TallStore) store = tall_test_open (failing, NULL);
  TallOrder *orders[2 * N_ORDERS];
  TallBulkResult results[2 * N_ORDERS] = { 0 };
  for (guint i = 0; i < 2 * N_ORDERS; i++)
    {
      g_autofree char *customer = g_strdup_printf ("C%u", i % N_ORDERS);
      g_autofree char *number = g_strdup_printf ("%u", i);
      orders[i] = tall_order_new (customer, number);
    }
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (failing), meet, NULL, &meeting);
  g_autoptr (TallBulk) bulk = tall_bulk_begin (TALL_FRONT (store), NULL, &error);
  must (tall_bulk_put_orders (bulk, orders, 2 * N_ORDERS, results, &error));
  g_assert_true (meeting.have_met);
  g_assert_cmpint (meeting.n_counts, ==, 1);
  for (guint i = 0; i < 2 * N_ORDERS; i++)
    {
      g_autoptr (TallOrder) got =
          must (tall_front_get_order (TALL_FRONT (store), orders[i]->customer_number,
                                      orders[i]->order_number, NULL, &error));
      g_assert_cmpint (results[i].outcome, ==, TALL_BULK_STORED);
      tall_bulk_result_clear (&results[i]);
      tall_order_free (orders[i]);
    }
  must (tall_bulk_end (bulk, &error));
}

/* Puts of one order: the first waits for a second one beside it, which must not come. */
static TallFailure
wait_for_another (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Meeting *self = data;
  if (call->kind != TALL_CALL_APPLY_IF || g_strcmp0 (call->table, "orders") != 0)
    return TALL_FAILURE_NONE;
  gint64 end = g_get_monotonic_time () + G_USEC_PER_SEC / 10;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  self->have_met |= ++self->n_inside > 1;
  g_cond_broadcast (&self->met);
  while (!self->have_met && g_cond_wait_until (&self->met, &self->mutex, end))
    ;
  self->n_inside--;
  return TALL_FAILURE_NONE;
}

/* Several of one order, which exists, are put one after the other, and the last one stays. */
static void
test_one_after_the_other (void)
{
  g_autoptr (GError) error = NULL;
  Meeting meeting = { .have_met = FALSE };
  const TallBulkOptions options = { .on_existing = TALL_BULK_REPLACE };
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
  g_autoptr (TallTable) failing = tall_failing_table_new (table);
  g_autoptr (TallStore) store = tall_test_open (failing, NULL);
  TallOrder *orders[N_ORDERS];
  TallBulkResult results[N_ORDERS] = { 0 };
  for (guint i = 0; i < N_ORDERS; i++)
    orders[i] = tall_test_marked_order ("order-1", 1, i, 1);
  must (tall_front_put_order (TALL_FRONT (store), orders[0], NULL, NULL, &error));
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (failing), wait_for_another, NULL, &meeting);
  g_autoptr (TallBulk) bulk = tall_bulk_begin (TALL_FRONT (store), &options, &error);
  must (tall_bulk_put_orders (bulk, orders, N_ORDERS, results, &error));
  g_assert_false (meeting.have_met);
  for (guint i = 0; i < N_ORDERS; i++)
    {
      g_assert_cmpint (results[i].outcome, ==, i == 0 ? TALL_BULK_UNCHANGED : TALL_BULK_REPLACED);
      tall_bulk_result_clear (&results[i]);
    }
  g_autoptr (TallOrder) got =
      tall_front_get_order (TALL_FRONT (store), TALL_TEST_CUSTOMER, "order-1", NULL, &error);
  tall_test_assert_order_equal (got, orders[N_ORDERS - 1]);
  for (guint i = 0; i < N_ORDERS; i++)
    tall_order_free (orders[i]);
  must (tall_bulk_end (bulk, &error));
}

int
main (int argc, char **argv)
{
  guint n;
  const TallLayout *const *layouts = tall_layouts (&n);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *failing = g_strconcat ("/store/bulk/every-call/", layouts[i]->name, NULL);
      g_autofree char *others = g_strconcat ("/store/bulk/others/", layouts[i]->name, NULL);
      g_test_add_data_func (failing, layouts[i], test_every_call);
      g_test_add_data_func (others, layouts[i], test_others);
      g_autofree char *loads = g_strconcat ("/store/bulk/loads/", layouts[i]->name, NULL);
      g_test_add_data_func (loads, layouts[i], test_loads);
      g_autofree char *ttl = g_strconcat ("/store/bulk/ttl/", layouts[i]->name, NULL);
      g_test_add_data_func (ttl, layouts[i], test_ttl);
      g_autofree char *assume = g_strconcat ("/store/bulk/assume-new/", layouts[i]->name, NULL);
      g_test_add_data_func (assume, layouts[i], test_assume_new);
      g_autofree char *claimed = g_strconcat ("/store/bulk/claimed/", layouts[i]->name, NULL);
      g_test_add_data_func (claimed, layouts[i], test_claimed);
      g_autofree char *not_new = g_strconcat ("/store/bulk/not-new/", layouts[i]->name, NULL);
      g_test_add_data_func (not_new, layouts[i], test_not_new);
    }
  g_test_add_func ("/store/bulk/silence", test_silence);
  g_test_add_func ("/store/bulk/customers", test_customers);
  g_test_add_func ("/store/bulk/one-after-the-other", test_one_after_the_other);
  return g_test_run ();
}
