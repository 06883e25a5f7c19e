/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Every call that an insert, a replacement and a deletion make fails, in every way, alone and in
 * pairs. The order then reads as before or as after, as the answer said; what arrives late changes
 * nothing of that; and a lone client with a slow clock can go on. */
#include "tall-error.h"
#include "table/memory-table.h"
#include "tall-test-orders.h"
#include "store/commit/root.h"
#include "tall-test-store.h"
#include "tall-must.h"

#define NOW G_GINT64_CONSTANT (1700000000000)
#define MOST_CALLS 9 /* that an operation makes while all goes well */
#define MAX_CALLS 24
#define TOGETHER 32 /* rows, more than any of these orders has */

typedef enum
{
  INSERT,
  REPLACE,
  REPLACE_LOSES_CLAIM, /* replaces an order that somebody else has claimed and forgotten */
  DELETE,
} Operation;

static const TallFailure failures[] = {
  TALL_FAILURE_BEFORE, TALL_FAILURE_PARTLY, TALL_FAILURE_LOST,
  TALL_FAILURE_LATE,   TALL_FAILURE_FALSE,
};
#define LIE 4 /* the last one */

typedef struct
{
  const TallLayout *layout;
  Operation operation;
  gboolean has_token; /* the caller's */
  gboolean together;  /* the table changes several rows in one step */
} Case;

#define DAY G_GINT64_CONSTANT (86400000)

/* Whatever has failed, the order is listed exactly if it is read, and with its date. */
static void
assert_listed (TallStore *store, gboolean expected, guint sequence)
{
  g_autoptr (TallOrderList) list =
      must (tall_front_list_orders (TALL_FRONT (store), TALL_TEST_CUSTOMER, NULL, &error));
  g_assert_null (list->next_page);
  g_assert_cmpuint (list->n_entries, ==, expected ? 1 : 0);
  if (expected)
    g_assert_cmpint (list->entries[0].sales_date, ==, (gint64)sequence * DAY);
}

/* What is there: the sequence number of the order, 0 for none. */
static guint
observe (TallStore *store)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallOrder) order =
      tall_front_get_order (TALL_FRONT (store), TALL_TEST_CUSTOMER, "1", NULL, &error);
  if (order == NULL)
    {
      g_assert_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND);
      assert_listed (store, FALSE, 0);
      return 0;
    }
  guint writer, sequence;
  tall_test_read_mark (order, &writer, &sequence);
  assert_listed (store, TRUE, sequence);
  return sequence;
}

static void
put (TallStore *store, guint sequence, TallCondition condition)
{
  g_autoptr (TallOrder) order = tall_test_marked_order ("1", 1, sequence, 1 + sequence % 4);
  order->sales_date = (gint64)sequence * DAY;
  TallWriteOptions options = { .condition = condition };
  must (tall_front_put_order (TALL_FRONT (store), order, &options, NULL, &error));
}

static void
claim_and_forget (TallStore *store)
{
  TallState state;
  g_assert_true (tall_test_read_state (store, "1", &state, NULL));
  state.pending = state.revision + 10;
  memset (state.pending_token, 9, sizeof state.pending_token);
  tall_test_write_state (store, "1", &state, state.pending);
}

static guint
prepare (const Case *test_case, TallStore *store)
{
  if (test_case->operation == INSERT)
    return 0;
  put (store, 1, TALL_IF_ANY);
  if (test_case->operation == REPLACE_LOSES_CLAIM)
    claim_and_forget (store);
  return 1;
}

static guint
get_wanted (const Case *test_case)
{
  return test_case->operation == DELETE ? 0 : 2;
}

static gboolean
act (const Case *test_case, TallStore *store, GError **error)
{
  TallWriteOptions options = { .has_token = test_case->has_token, .token = { 1, 2, 3 } };
  if (test_case->operation == DELETE)
    return tall_front_delete_order (TALL_FRONT (store), TALL_TEST_CUSTOMER, "1", &options, error);
  g_autoptr (TallOrder) order = tall_test_marked_order ("1", 1, 2, 3);
  order->sales_date = 2 * DAY;
  return tall_front_put_order (TALL_FRONT (store), order, &options, NULL, error);
}

/* The model's last check: a lone client reads, stores and deletes. */
static void
go_on_alone (TallStore *store)
{
  put (store, 5, TALL_IF_ANY);
  g_assert_cmpuint (observe (store), ==, 5);
  must (tall_front_delete_order (TALL_FRONT (store), TALL_TEST_CUSTOMER, "1", NULL, &error));
  g_assert_cmpuint (observe (store), ==, 0);
  put (store, 6, TALL_IF_ABSENT);
  g_assert_cmpuint (observe (store), ==, 6);
}

static void
check_outcome (guint seen, guint before, guint after, const GError *error)
{
  if (error == NULL)
    g_assert_cmpuint (seen, ==, after);
  else if (error->code != TALL_ERROR_OUTCOME_UNKNOWN)
    g_assert_cmpuint (seen, ==, before);
  else if (seen != before)
    g_assert_cmpuint (seen, ==, after);
}

typedef struct
{
  guint call;
  TallFailure failure;
} Blow;

/* Only where "did not match" can be believed. */
static void
set_together (TallTable *table, TallTable *failing)
{
  tall_memory_table_set_together (TALL_MEMORY_TABLE (table), TOGETHER);
  tall_failing_table_set_info (TALL_FAILING_TABLE (failing), TALL_FAILING_EMBEDDED);
}

static guint
count_failures (const Case *test_case)
{
  return test_case->together ? LIE : G_N_ELEMENTS (failures);
}

/* Returns how many calls the operation made. */
static guint
try (const Case *test_case, const Blow *blows, guint n_blows)
{
  g_autoptr (GError) error = NULL;
  TallTestClock clock = { .now = NOW, .patience = 1 };
  TallTestClock slow = { .now = TALL_FIRST_REVISION + 1000 };
  g_autoptr (TallTable) table = tall_test_table_new (test_case->layout, &tall_key_hashed);
  g_autoptr (TallTable) failing = tall_failing_table_new (table);
  if (test_case->together)
    set_together (table, failing);
  g_autoptr (TallStore) lone = tall_test_open (table, &slow);
  g_autoptr (TallStore) store = tall_test_open (failing, &clock);
  guint before = prepare (test_case, lone);
  guint after = get_wanted (test_case);

  tall_failing_table_reset (TALL_FAILING_TABLE (failing));
  for (guint i = 0; i < n_blows; i++)
    tall_failing_table_fail_at (TALL_FAILING_TABLE (failing), blows[i].call, blows[i].failure);
  gboolean done = act (test_case, store, &error);
  g_assert_true (done == (error == NULL));
  guint n_calls = tall_failing_table_count_calls (TALL_FAILING_TABLE (failing));

  guint seen = observe (lone);
  check_outcome (seen, before, after, error);
  tall_failing_table_deliver_late (TALL_FAILING_TABLE (failing));
  guint later = observe (lone);
  check_outcome (later, before, after, error);
  if (seen == after)
    g_assert_cmpuint (later, ==, after);

  /* The caller's retry is stored once. */
  if (test_case->has_token && (error == NULL || later == after))
    {
      g_clear_error (&error);
      must (act (test_case, lone, &error));
      g_assert_cmpuint (observe (lone), ==, after);
    }
  go_on_alone (lone);
  return n_calls;
}

/* Until the call that is to fail is not reached. */
static void
test_single (gconstpointer data)
{
  for (guint i = 0; i < count_failures (data); i++)
    {
      guint call = 0;
      while (try (data, &(Blow){ call, failures[i] }, 1) > call)
        call++;
      g_assert_cmpuint (call, >=, 1);
      g_assert_cmpuint (call, <, MAX_CALLS);
    }
}

static void
test_pairs (gconstpointer data)
{
  for (guint i = 0; i < count_failures (data); i++)
    for (guint j = 0; j < count_failures (data); j++)
      for (guint first = 0; first < MOST_CALLS; first++)
        {
          Blow blows[] = { { first, failures[i] }, { first + 1, failures[j] } };
          while (try (data, blows, 2) > blows[1].call)
            blows[1].call++;
        }
}

/* From some call on nothing works any more, and then everything does again. */
static void
test_from_then_on (gconstpointer data)
{
  for (guint i = 0; i < count_failures (data); i++)
    for (guint first = 0; first < MOST_CALLS; first++)
      {
        Blow blows[MAX_CALLS];
        for (guint j = 0; j < MAX_CALLS; j++)
          blows[j] = (Blow){ first + j, failures[i] };
        try (data, blows, MAX_CALLS);
      }
}

static void
test_reader (gconstpointer data)
{
  const Case *test_case = data;
  TallTestClock clock = { .now = NOW };
  g_autoptr (TallTable) table = tall_test_table_new (test_case->layout, &tall_key_hashed);
  g_autoptr (TallTable) failing = tall_failing_table_new (table);
  g_autoptr (TallStore) store = tall_test_open (failing, &clock);
  g_autoptr (GError) error = NULL;
  put (store, 1, TALL_IF_ANY);

  tall_failing_table_reset (TALL_FAILING_TABLE (failing));
  tall_failing_table_fail_at (TALL_FAILING_TABLE (failing), 0, TALL_FAILURE_BEFORE);
  g_assert_null (tall_front_get_order (TALL_FRONT (store), TALL_TEST_CUSTOMER, "1", NULL, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE);
  g_assert_true (g_str_has_prefix (error->message, "Fetching order 1 of VINET: "));
  g_assert_cmpuint (observe (store), ==, 1);
}

int
main (int argc, char *argv[])
{
  static const char *const names[] = {
    [INSERT] = "insert",
    [REPLACE] = "replace",
    [REPLACE_LOSES_CLAIM] = "replace-over-a-claim",
    [DELETE] = "delete",
  };
  guint n_layouts, n = 0;
  const TallLayout *const *layouts = tall_layouts (&n_layouts);
  g_autofree Case *cases = g_new0 (Case, n_layouts * G_N_ELEMENTS (names) * 4);

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < n_layouts; i++)
    for (guint j = 0; j < G_N_ELEMENTS (names) * 4; j++, n++)
      {
        cases[n] = (Case){ layouts[i], j / 4, j / 2 % 2, j % 2 };
        g_autofree char *path =
            g_strdup_printf ("/failures/%s%s/%s%s", layouts[i]->name, j % 2 ? "/together" : "",
                             names[j / 4], j / 2 % 2 ? "-with-token" : "");
        g_autofree char *single = g_strconcat (path, "/single", NULL);
        g_autofree char *pairs = g_strconcat (path, "/pairs", NULL);
        g_autofree char *then_on = g_strconcat (path, "/from-then-on", NULL);
        g_test_add_data_func (single, &cases[n], test_single);
        g_test_add_data_func (pairs, &cases[n], test_pairs);
        g_test_add_data_func (then_on, &cases[n], test_from_then_on);
        if (j > 0)
          continue;
        g_autofree char *reader = g_strconcat ("/failures/", layouts[i]->name, "/reader", NULL);
        g_test_add_data_func (reader, &cases[n], test_reader);
      }
  return g_test_run ();
}
