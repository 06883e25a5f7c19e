/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Rows by date that come with the commit: whoever writes at the same time, they are what is
 * committed; what they show if they are damaged, and how that is found and mended. */
#include "model/canonical.h"
#include "store/read/index.h"
#include "table/forwarding-table.h"
#include "tall-must.h"
#include "tall-store-fixture.h"
#include "tall-test-findings.h"
#include "tall-test-mending.h"
#include "tall-test-orders.h"
#include "tall-test-store.h"

#define LINES 3
#define TOO_MANY_LINES 300 /* more rows than one step changes */
#define DAY G_GINT64_CONSTANT (86400000)
#define N_LARGE 12
#define LARGE 600000 /* bytes: two are more than a page has */
#define WRITERS 4
#define WRITES 40

static gboolean
are_hints (const TallStoreFixture *fixture)
{
  TallTableInfo info;
  tall_table_get_info (fixture->table, &info);
  return info.together == 1;
}

static void
put (TallFront *front, guint n_lines)
{
  g_autoptr (TallOrder) order = tall_test_marked_order ("1", 1, 1, n_lines);
  order->has_sales_date = TRUE;
  order->sales_date = DAY;
  must (tall_front_put_order (front, order, NULL, NULL, &error));
}

/* Returns: what verify finds, one kind after the other */
static char *
verify (TallFront *front, gboolean repair)
{
  TallVerifySummary summary;
  g_autoptr (GPtrArray) lines =
      tall_test_find (front, (TallVerifyOptions){ .repair = repair }, &summary);
  GString *kinds = g_string_new (NULL);
  for (guint i = 0; i < lines->len; i++)
    g_string_append_len (kinds, lines->pdata[i], strcspn (lines->pdata[i], " ") + 1);
  return g_string_free (kinds, FALSE);
}

static void
expect_findings (TallFront *front, const char *kinds)
{
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *found = verify (front, i == 1);
      g_assert_cmpstr (found, ==, i < 2 ? kinds : "");
    }
}

/* The only order is listed, and nothing else. */
static void
expect_listed (TallFront *front, guint n_lines)
{
  gint64 revision;
  g_autoptr (TallOrder) order G_GNUC_UNUSED =
      must (tall_front_get_order (front, TALL_TEST_CUSTOMER, "1", &revision, &error));
  g_autoptr (TallOrderList) list =
      must (tall_front_list_orders (front, TALL_TEST_CUSTOMER, NULL, &error));
  g_assert_cmpuint (list->n_entries, ==, 1);
  g_assert_cmpint (list->entries[0].revision, ==, revision);
  g_assert_cmpint (list->entries[0].sales_date, ==, DAY);
  g_assert_cmpuint (list->entries[0].n_lines, ==, n_lines);
}

/* The only row by date. */
static TallReadResult *
read_row (TallStoreFixture *fixture)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_scan (plan, TALL_INDEX_TABLE, tall_slice (NULL, 0), tall_slice (NULL, 0));
  TallReadResult *result = must (tall_table_read (fixture->table, plan, TALL_NO_DEADLINE, &error));
  g_assert_cmpuint (result->results[0].n_rows, ==, 1);
  return result;
}

static void
write_dated (TallStoreFixture *fixture, TallSlice key, gint64 revision, TallSlice summary)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  tall_mutation_put (batch, tall_batch_add (batch, TALL_INDEX_TABLE, key), TALL_DATED_QUALIFIER,
                     revision, summary);
  must (tall_table_apply (fixture->table, (TallMutation *const *)batch->mutations->pdata, 1,
                          TALL_DURABLE_LATER, TALL_NO_DEADLINE, &error));
}

/* Listings show what a row says, until it is mended: another summary, another revision, and a date
 * that the order has not. */
static void
test_damaged (TallStoreFixture *fixture, gconstpointer data)
{
  const TallStoreKind *kind = data;
  if (are_hints (fixture))
    return;
  put (fixture->front, LINES);
  /* A second look finds it right, too, as after a first one that came while it was written. */
  g_assert_cmpint (tall_test_repair_hint (fixture, "1", DAY), ==, TALL_REPAIR_OVERTAKEN);
  g_autoptr (TallReadResult) result = read_row (fixture);
  const TallRow *row = &result->results[0].rows[0];
  g_assert_cmpuint (row->n_cells, ==, 1);
  const TallCell dated = row->cells[0];
  g_assert_true (tall_slice_equal (dated.qualifier, TALL_DATED_QUALIFIER));

  g_autoptr (TallOrder) other = tall_test_marked_order ("1", 1, 1, 2);
  write_dated (fixture, row->key, dated.timestamp,
               tall_order_to_summary (other, tall_order_get_arena (other)));
  g_autoptr (TallOrderList) list =
      must (tall_front_list_orders (fixture->front, TALL_TEST_CUSTOMER, NULL, &error));
  g_assert_cmpuint (list->n_entries, ==, 1);
  g_assert_cmpuint (list->entries[0].n_lines, ==, 2);
  expect_findings (fixture->front, "altered-hint ");
  expect_listed (fixture->front, LINES);

  write_dated (fixture, row->key, dated.timestamp + 2, dated.value);
  expect_findings (fixture->front, "altered-hint ");
  expect_listed (fixture->front, LINES);

  TallSlice key = tall_slice_dup (result->arena, row->key);
  guint date = (guint)kind->key_strategy->measure_customer (key);
  ((guint8 *)key.data)[date + TALL_INDEX_DATE_SIZE - 1] ^= 1;
  write_dated (fixture, key, dated.timestamp, dated.value);
  g_autoptr (TallOrderList) both =
      must (tall_front_list_orders (fixture->front, TALL_TEST_CUSTOMER, NULL, &error));
  g_assert_cmpuint (both->n_entries, ==, 2);
  expect_findings (fixture->front, "dangling-hint ");
  expect_listed (fixture->front, LINES);
}

/* What an earlier version has written are hints, which become exact with the next put. */
static void
test_earlier (TallStoreFixture *fixture, gconstpointer kind G_GNUC_UNUSED)
{
  if (are_hints (fixture))
    return;
  put (fixture->front, LINES);
  g_autoptr (TallReadResult) result = read_row (fixture);
  const TallRow *row = &result->results[0].rows[0];
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, TALL_INDEX_TABLE, row->key);
  tall_mutation_delete_at (batch, mutation, row->cells[0].timestamp);
  must (tall_table_apply (fixture->table, &mutation, 1, TALL_DURABLE_LATER, TALL_NO_DEADLINE,
                          &error));
  expect_findings (fixture->front, "missing-hint ");
  g_autoptr (TallReadResult) hint = read_row (fixture);
  g_assert_null (tall_index_find_dated (&hint->results[0].rows[0]));
  expect_listed (fixture->front, LINES);
  for (guint n_lines = TOO_MANY_LINES; n_lines >= LINES; n_lines -= TOO_MANY_LINES - LINES)
    {
      put (fixture->front, n_lines);
      g_autoptr (TallReadResult) exact = read_row (fixture);
      g_assert_nonnull (tall_index_find_dated (&exact->results[0].rows[0]));
      expect_listed (fixture->front, n_lines);
      if (n_lines == LINES)
        break;
    }
}

/* One of several who write the same few orders, also those that have to be claimed. */
static gpointer
write_some (gpointer front)
{
  for (guint i = 0; i < WRITES; i++)
    {
      char number[] = { (char)('1' + g_random_int_range (0, 3)), '\0' };
      g_autoptr (GError) error = NULL;
      g_autoptr (TallOrder) order =
          tall_test_marked_order (number, 1, i, i % 4 > 0 ? LINES : TOO_MANY_LINES);
      order->has_sales_date = TRUE;
      order->sales_date = DAY * g_random_int_range (0, 3);
      const char *change = g_random_boolean () ? "-sales_date" : "currency=EUR";
      gint what = g_random_int_range (0, 4);
      gboolean done =
          what == 0   ? tall_front_delete_order (front, TALL_TEST_CUSTOMER, number, NULL, &error)
          : what == 1 ? tall_front_patch_order (front, TALL_TEST_CUSTOMER, number, &change, 1, NULL,
                                                NULL, &error)
                      : tall_front_put_order (front, order, NULL, NULL, &error);
      g_assert_true (done || g_error_matches (error, TALL_ERROR, TALL_ERROR_NOT_FOUND)
                     || g_error_matches (error, TALL_ERROR, TALL_ERROR_TIMED_OUT));
    }
  return NULL;
}

static void
test_writers (TallStoreFixture *fixture, gconstpointer kind G_GNUC_UNUSED)
{
  GThread *threads[WRITERS];
  if (are_hints (fixture))
    return;
  for (guint i = 0; i < WRITERS; i++)
    threads[i] = g_thread_new ("writer", write_some, fixture->front);
  for (guint i = 0; i < WRITERS; i++)
    g_thread_join (threads[i]);
  expect_findings (fixture->front, "");
}

/* Where each order takes many bytes, a page has few of them and reads few, and the rest comes on
 * the next. */
static void
test_large (TallStoreFixture *fixture, gconstpointer kind G_GNUC_UNUSED)
{
  g_autoptr (TallTable) counting = tall_counting_table_new (fixture->table);
  g_autoptr (TallStore) store = tall_test_open (counting, NULL);
  g_autofree char *currency = g_strnfill (LARGE, 'E');
  g_autofree char *page = NULL;
  guint n_listed = 0;
  for (guint i = 0; i < N_LARGE; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      g_autoptr (TallOrder) order = tall_test_marked_order (number, 1, 1, LINES);
      order->currency = tall_arena_strdup (tall_order_get_arena (order), currency);
      must (tall_front_put_order (fixture->front, order, NULL, NULL, &error));
    }
  do
    {
      const TallListOptions options = { .limit = N_LARGE, .page = page };
      TallCost cost;
      tall_counting_table_reset (TALL_COUNTING_TABLE (counting));
      g_autoptr (TallOrderList) list =
          must (tall_front_list_orders (TALL_FRONT (store), TALL_TEST_CUSTOMER, &options, &error));
      tall_counting_table_get_cost (TALL_COUNTING_TABLE (counting), &cost);
      g_assert_cmpuint (list->n_entries, <, N_LARGE / 2);
      if (!are_hints (fixture))
        g_assert_cmpuint (cost.rows_read, <, N_LARGE / 2);
      n_listed += list->n_entries;
      g_free (page);
      page = g_strdup (list->next_page);
    }
  while (page != NULL);
  g_assert_cmpuint (n_listed, ==, N_LARGE);
}

static const TallStoreTest tests[] = {
  { "damaged", test_damaged },
  { "earlier", test_earlier },
  { "writers", test_writers },
  { "large", test_large },
};

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  tall_store_fixture_add_everywhere ("dated", tests, G_N_ELEMENTS (tests));
  return g_test_run ();
}
