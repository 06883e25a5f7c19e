/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* A customer's orders by date: what is shown, in which order, page by page, and what it costs. */
#include "tall-broken-table.h"
#include "store/read/index.h"
#include "table/forwarding-table.h"
#include "tall-error.h"
#include "tall-limits.h"
#include "tall-store-fixture.h"
#include "tall-test-cells.h"
#include "tall-test-orders.h"
#include "tall-must.h"

#define DAY G_GINT64_CONSTANT (86400000)
#define NO_DATE G_MININT64

static gint64
put_dated (TallFront *front, const char *customer, const char *number, gint64 date)
{
  g_autoptr (TallOrder) order = tall_test_order_with_lines (customer, number, 2);
  gint64 revision;
  order->has_sales_date = date != NO_DATE;
  order->sales_date = date;
  must (tall_front_put_order (front, order, NULL, &revision, &error));
  return revision;
}

/* Fetches a page and writes its order numbers down, with blanks between; the token goes to @next.
 */
static char *
list_page (TallFront *front, const char *customer, const TallListOptions *options, char **next)
{
  g_autoptr (TallOrderList) list = must (tall_front_list_orders (front, customer, options, &error));
  g_assert_cmpuint (list->n_unreadable, ==, 0);

  GString *numbers = g_string_new (NULL);
  for (guint i = 0; i < list->n_entries; i++)
    g_string_append_printf (numbers, "%s%s", i > 0 ? " " : "", list->entries[i].order_number);
  if (next != NULL)
    {
      g_free (*next);
      *next = g_strdup (list->next_page);
    }
  else
    g_assert_null (list->next_page);
  return g_string_free (numbers, FALSE);
}

static void
assert_listed (TallFront *front, const TallListOptions *options, const char *expected)
{
  g_autofree char *numbers = list_page (front, TALL_TEST_CUSTOMER, options, NULL);
  g_assert_cmpstr (numbers, ==, expected);
}

static void
put_some (TallStoreFixture *fixture)
{
  put_dated (fixture->front, "VINET", "none", NO_DATE);
  put_dated (fixture->front, "VINET", "first", TALL_MIN_DATE);
  put_dated (fixture->front, "VINET", "before", -DAY);
  put_dated (fixture->front, "VINET", "epoch", 0);
  put_dated (fixture->front, "VINET", "day", DAY);
  put_dated (fixture->front, "VINET", "last", TALL_MAX_DATE);
  put_dated (fixture->front, "VINE", "x", DAY);
  put_dated (fixture->front, "VINETS", "y", DAY);
}

static void
test_range (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  static const struct
  {
    gint64 from, to; /* NO_DATE: no bound */
    const char *expected;
  } ranges[] = {
    { 0, DAY, "epoch" },
    { 0, DAY + 1, "day epoch" },
    { 1, DAY, "" },
    { -DAY, 1, "epoch before" },
    { NO_DATE, 0, "before first" },
    { 0, NO_DATE, "last day epoch" },
    { TALL_MAX_DATE, NO_DATE, "last" },
    { NO_DATE, TALL_MIN_DATE + 1, "first" },
    { NO_DATE, TALL_MIN_DATE, "" },
    { TALL_MAX_DATE, G_MAXINT64, "last" },
    { TALL_MAX_DATE + 1, G_MAXINT64, "" },
    { G_MININT64 + 1, G_MININT64 + 2, "" },
    { G_MININT64 + 1, G_MAXINT64, "last day epoch before first" },
  };
  put_some (fixture);
  for (guint i = 0; i < G_N_ELEMENTS (ranges); i++)
    {
      TallListOptions options = { .has_from = ranges[i].from != NO_DATE,
                                  .has_to = ranges[i].to != NO_DATE,
                                  .from = ranges[i].from,
                                  .to = ranges[i].to };
      assert_listed (fixture->front, &options, ranges[i].expected);
    }
}

static guint
count_hints (TallTable *table)
{
  g_autoptr (TallReadResult) result = tall_test_scan (table, "index");
  guint n = 0;
  for (guint i = 0; i < result->results[0].n_rows; i++)
    n += result->results[0].rows[i].n_cells;
  return n;
}

/* Hints that lead nowhere are removed by whoever made them so. */
static void
test_cleans_up (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  for (guint i = 0; i < 5; i++)
    put_dated (fixture->front, "VINET", "a", i / 2 * DAY);
  g_assert_cmpuint (count_hints (fixture->table), ==, 1);
  put_dated (fixture->front, "VINET", "b", 0);
  g_assert_cmpuint (count_hints (fixture->table), ==, 2);
  tall_fixture_delete (fixture, "a", NULL);
  tall_fixture_delete (fixture, "b", NULL);
  g_assert_cmpuint (count_hints (fixture->table), ==, 0);
}

static void
write_hint (TallStoreFixture *fixture, const char *number, gint64 date)
{
  g_auto (TallOrderKey) key = { 0 };
  guint64 id;
  must (tall_store_find_id (fixture->store, "VINET", &id, &error));
  tall_order_key_init (&key, tall_store_get_key_strategy (fixture->store), "VINET", id, number);
  g_autoptr (GByteArray) row = g_byte_array_new ();
  tall_bytes_append (row, key.customer);
  tall_bytes_append_u64 (row, (guint64)G_MAXINT64 - (guint64)date);
  tall_bytes_append (row, key.order);
  tall_test_put (fixture->table, "index", tall_slice_array (row),
                 (TallCell){ tall_slice_str ("order_number"), 2, tall_slice_str (number) });
}

/* Hints that lead to nothing, or to an order of another date, do not shorten a page. */
static void
test_dangling_hints (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *number = g_strdup_printf ("o%u", i);
      put_dated (fixture->front, "VINET", number, i * DAY);
    }
  for (guint i = 0; i < 50; i++)
    {
      g_autofree char *number = g_strdup_printf ("d%u", i);
      write_hint (fixture, number, (i % 5) * DAY / 2);
      write_hint (fixture, "o1", (gint64)(i + 7) * DAY);
    }
  assert_listed (fixture->front, NULL, "o2 o1 o0");

  g_autofree char *token = NULL;
  TallListOptions options = { .limit = 2 };
  g_autofree char *first = list_page (fixture->front, "VINET", &options, &token);
  g_assert_cmpstr (first, ==, "o2 o1");
  g_assert_nonnull (token);
  options.page = token;
  assert_listed (fixture->front, &options, "o0");
}

static void
let_a_second_pass (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  if (call->kind == TALL_CALL_READ)
    ((TallTestClock *)data)->monotonic += G_USEC_PER_SEC;
}

/* A put that is refused because there is an order leaves no hint at its own date. */
static void
test_refused_put (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  const TallWriteOptions options = { .condition = TALL_IF_ABSENT };
  put_dated (fixture->front, "VINET", "1", DAY);
  fixture->clock.now += 1000;
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", "1", 2);
  order->has_sales_date = TRUE;
  order->sales_date = 2 * DAY;
  must_fail (tall_front_put_order (fixture->front, order, &options, NULL, &error),
             TALL_ERROR_CONFLICT);
  g_assert_cmpuint (count_hints (fixture->table), ==, 1);
  assert_listed (fixture->front, NULL, "1");
}

/* Where hints that lead nowhere are many and each call takes a second, a page ends soon after
 * three, short or empty; all pages together are the whole nevertheless. */
static void
test_early_end (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *number = g_strdup_printf ("o%u", i);
      put_dated (fixture->front, "VINET", number, i * DAY);
    }
  for (guint i = 0; i < 100; i++)
    write_hint (fixture, "o1", (gint64)(i + 7) * DAY);
  g_autoptr (TallTable) slow = tall_failing_table_new (fixture->table);
  g_autoptr (TallStore) store = tall_test_open (slow, &fixture->clock);
  g_autofree char *known = list_page (TALL_FRONT (store), "VINET", NULL, NULL);
  g_assert_cmpstr (known, ==, "o2 o1 o0");
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (slow), NULL, let_a_second_pass,
                                &fixture->clock);

  g_autoptr (GString) listed = g_string_new (NULL);
  g_autofree char *token = NULL;
  guint n_pages = 0, n_empty = 0;
  do
    {
      gint64 begun = fixture->clock.monotonic;
      g_autofree char *page = g_steal_pointer (&token);
      TallListOptions options = { .limit = 2, .page = page };
      g_autofree char *numbers = list_page (TALL_FRONT (store), "VINET", &options, &token);
      g_assert_cmpint (fixture->clock.monotonic - begun, <=, 4 * G_USEC_PER_SEC);
      g_string_append_printf (listed, "%s%s", listed->len > 0 && *numbers ? " " : "", numbers);
      n_empty += *numbers == '\0';
      g_assert_cmpuint (++n_pages, <, 100);
    }
  while (token != NULL);
  g_assert_cmpstr (listed->str, ==, "o2 o1 o0");
  g_assert_cmpuint (n_empty, >=, 3);
}

static void
get_page_cost (TallStoreFixture *fixture, guint limit, TallCost *cost)
{
  g_autoptr (TallTable) counting = tall_counting_table_new (fixture->table);
  g_autoptr (TallStore) store = tall_test_open (counting, &fixture->clock);
  g_autofree char *token = NULL;
  tall_counting_table_reset (TALL_COUNTING_TABLE (counting));
  TallListOptions options = { .limit = limit };
  g_autofree char *numbers = list_page (TALL_FRONT (store), "VINET", &options, &token);
  g_assert_cmpuint (strlen (numbers), >, 0);
  tall_counting_table_get_cost (TALL_COUNTING_TABLE (counting), cost);
}

/* A page costs as many rows as it is long, however many orders there are: one call where commits
 * bring them, otherwise two with as many root rows. */
static void
test_calls (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  guint n = 0;
  for (guint n_orders = 40; n_orders <= 400; n_orders *= 10)
    {
      for (; n < n_orders; n++)
        {
          g_autofree char *number = g_strdup_printf ("%u", n);
          put_dated (fixture->front, "VINET", number, n * DAY);
        }
      TallCost cost;
      get_page_cost (fixture, 30, &cost);
      TallTableInfo info;
      tall_table_get_info (fixture->table, &info);
      guint n_calls = info.together > 1 ? 1 : 2;
      gboolean needs_id = tall_store_get_key_strategy (fixture->store)->needs_id;
      g_assert_cmpuint (cost.calls, ==, needs_id + n_calls);
      g_assert_cmpuint (cost.rows_read, <=, 31 * n_calls + 1);
      g_assert_cmpuint (cost.rows_read, >=, 31 * n_calls);
    }
}

static void
test_without_index (TallStoreFixture *fixture, gconstpointer data)
{
  const TallStoreKind *kind = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) table = tall_store_fixture_open_table (fixture, data);
  TallStoreSettings settings = { .layout = kind->layout,
                                 .key_strategy = kind->key_strategy,
                                 .index = TALL_INDEX_NONE };
  must (tall_store_create (table, &settings, &error));
  tall_store_fixture_reset (fixture, data, g_object_ref (table));
  put_dated (fixture->front, "VINET", "1", DAY);
  put_dated (fixture->front, "VINET", "1", 0);

  g_autoptr (TallOrderList) list = tall_front_list_orders (fixture->front, "VINET", NULL, &error);
  g_assert_null (list);
  g_assert_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED);
  tall_fixture_assert_prefix (error, "Listing the orders of VINET: ");
  g_auto (GStrv) tables = tall_table_list_tables (table, TALL_NO_DEADLINE, NULL);
  g_assert_false (g_strv_contains ((const char *const *)tables, "index"));
}

/* All pages of that size: what is listed, and in brackets what cannot be read. */
static char *
list_with_unreadable (TallFront *front, guint limit)
{
  g_autofree char *page = NULL;
  GString *all = g_string_new (NULL);
  do
    {
      TallListOptions options = { .limit = limit, .page = page };
      g_autoptr (TallOrderList) list =
          must (tall_front_list_orders (front, TALL_TEST_CUSTOMER, &options, &error));
      g_assert_cmpuint (list->n_entries + list->n_unreadable, <=, limit);
      if (list->next_page != NULL)
        g_assert_cmpuint (list->n_entries + list->n_unreadable, ==, limit);
      for (guint i = 0; i < list->n_entries; i++)
        g_string_append_printf (all, "%s ", list->entries[i].order_number);
      for (guint i = 0; i < list->n_unreadable; i++)
        {
          const TallUnreadable *unreadable = &list->unreadable[i];
          g_autofree char *start = g_strdup_printf ("Order %s of VINET: its ", unreadable->number);
          g_assert_true (g_str_has_prefix (unreadable->message, start));
          g_string_append_printf (all, "(%s %d) ", unreadable->number, unreadable->code);
        }
      g_free (page);
      page = g_strdup (list->next_page);
    }
  while (page != NULL);
  return g_string_free (all, FALSE);
}

/* Makes rows by date hints, as earlier versions have written them: those of the @n places in the
 * order of dates. */
static void
make_hints (TallTable *table, const char *const *numbers, const guint *places, guint n)
{
  g_autoptr (TallReadResult) result = tall_test_scan (table, TALL_INDEX_TABLE);
  g_autoptr (TallBatch) batch = tall_batch_new ();
  for (guint i = 0; i < n; i++)
    {
      const TallRow *row = &result->results[0].rows[places[i]];
      tall_mutation_put (batch, tall_batch_add (batch, TALL_INDEX_TABLE, row->key),
                         TALL_INDEX_QUALIFIER, row->cells[0].timestamp,
                         tall_slice_str (numbers[i]));
    }
  must (tall_table_apply (table, (TallMutation *const *)batch->mutations->pdata, n,
                          TALL_DURABLE_LATER, TALL_NO_DEADLINE, &error));
}

/* An order that cannot be read is reported, and keeps no other from being listed; also on a page
 * that has hints beside rows that are exact. */
static void
test_unreadable (TallStoreFixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  for (guint i = 0; i < 6; i++)
    {
      char number[2] = { (char)('a' + i), '\0' };
      put_dated (fixture->front, TALL_TEST_CUSTOMER, number, -DAY * i);
    }
  TallState state;
  gint64 timestamp;
  static const char *const hinted[] = { "b", "c", "f" };
  static const guint places[] = { 1, 2, 5 };
  make_hints (fixture->table, hinted, places, G_N_ELEMENTS (places));
  tall_fixture_write_state_cell (fixture, TALL_TEST_CUSTOMER, "b", tall_slice ("\x01xy", 3));
  tall_fixture_write_state_cell (fixture, TALL_TEST_CUSTOMER, "c", tall_slice ("\x02new", 4));
  g_assert_true (tall_test_read_state (fixture->store, "f", &state, &timestamp));
  state.revision += 2; /* of which there is no summary */
  tall_test_write_state (fixture->store, "f", &state, timestamp + 2);

  g_autofree char *whole = list_with_unreadable (fixture->front, 6);
  g_assert_cmpstr (whole, ==, "a d e (b 11) (c 12) (f 11) ");
  g_autofree char *two = list_with_unreadable (fixture->front, 2);
  g_assert_cmpstr (two, ==, "a (b 11) d (c 12) e (f 11) ");
  g_autofree char *one = list_with_unreadable (fixture->front, 1);
  g_assert_cmpstr (one, ==, "a (b 11) (c 12) d e (f 11) ");

  /* Outside of the dates that are asked for there may be anything. */
  TallListOptions options = { .has_from = TRUE, .from = -4 * DAY, .has_to = TRUE, .to = -2 * DAY };
  assert_listed (fixture->front, &options, "d e");
}

/* The table cannot read a row, and fails the call for all of the page. */
static void
test_broken_row (gconstpointer code)
{
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_raw);
  g_autoptr (TallTable) broken = tall_broken_table_new (table);
  g_autoptr (TallStore) store = tall_test_open (broken, NULL);
  put_dated (TALL_FRONT (store), TALL_TEST_CUSTOMER, "a", 0);
  put_dated (TALL_FRONT (store), TALL_TEST_CUSTOMER, "b", -DAY);
  put_dated (TALL_FRONT (store), TALL_TEST_CUSTOMER, "c", -2 * DAY);
  tall_broken_table_break (TALL_BROKEN_TABLE (broken), tall_slice ("VINET\0b\0", 8),
                           (TallError)GPOINTER_TO_INT (code));
  g_autoptr (TallOrderList) list =
      must (tall_front_list_orders (TALL_FRONT (store), TALL_TEST_CUSTOMER, NULL, &error));
  g_assert_cmpuint (list->n_entries, ==, 2);
  g_assert_cmpstr (list->entries[1].order_number, ==, "c");
  g_assert_cmpuint (list->n_unreadable, ==, 1);
  g_assert_cmpstr (list->unreadable[0].number, ==, "b");
  g_assert_cmpint (list->unreadable[0].code, ==, GPOINTER_TO_INT (code));
}

static const TallStoreTest tests[] = {
  { "unreadable", test_unreadable },
  { "range", test_range },
  { "cleans-up", test_cleans_up },
  { "dangling-hints", test_dangling_hints },
  { "refused-put", test_refused_put },
  { "early-end", test_early_end },
  { "calls", test_calls },
  { "without-index", test_without_index },
};

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  tall_store_fixture_add_everywhere ("list", tests, G_N_ELEMENTS (tests));
  g_test_add_data_func ("/list/broken-row/damaged", GINT_TO_POINTER (TALL_ERROR_DAMAGED),
                        test_broken_row);
  g_test_add_data_func ("/list/broken-row/newer", GINT_TO_POINTER (TALL_ERROR_NEWER_VERSION),
                        test_broken_row);
  return g_test_run ();
}
