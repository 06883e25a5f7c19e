/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/read/ids.h"

#include "table/forwarding-table.h"
#include "tall-error.h"
#include "tall-failing-table.h"
#include "table/memory-table.h"
#include "tall-must.h"
#include "tall-test-cells.h"

/* Ids of one table, and what must hold of it whatever happens: a number has one id, an id one
 * number, and from every id that is used a row leads back. */

#define VALUE tall_slice_str ("v")
#define MAX_CALLS 24

static TallTable *
new_table (void)
{
  TallTable *table = tall_memory_table_new ();
  g_autoptr (TallTableSpec) spec = tall_table_spec_new (TALL_IDS_TABLE);
  spec->max_versions = 1;
  must (tall_table_create_table (table, spec, TALL_NO_DEADLINE, &error));
  return table;
}

static guint64
assign (TallIds *ids, const char *number)
{
  guint64 id = 0;
  must (tall_ids_assign (ids, number, &id, TALL_NO_DEADLINE, &error));
  g_assert_cmpuint (id, >, 0);
  return id;
}

static guint64
find (TallIds *ids, const char *number)
{
  guint64 id = 99;
  must (tall_ids_find (ids, &number, 1, &id, TALL_NO_DEADLINE, &error));
  return id;
}

static void
put_value (TallTable *table, TallSlice row, TallSlice column, TallSlice value)
{
  tall_test_put (table, TALL_IDS_TABLE, row,
                 (TallCell){ column, g_get_real_time () / 1000 + 10, value });
}

static TallSlice
get_value (const TallRow *row)
{
  const TallCell *cell = tall_row_find_latest (row, VALUE);
  g_assert_nonnull (cell);
  return cell->value;
}

/* Returns: how many numbers have an id; fails the test if anything is wrong with one. */
static guint
check_table (TallTable *table)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_prefix_scan (plan, TALL_IDS_TABLE, tall_slice_str ("n"));
  tall_read_plan_add_prefix_scan (plan, TALL_IDS_TABLE, tall_slice_str ("i"));
  g_autoptr (TallReadResult) result =
      must (tall_table_read (table, plan, TALL_NO_DEADLINE, &error));

  g_autoptr (GHashTable) used = g_hash_table_new (g_bytes_hash, g_bytes_equal);
  g_autoptr (GPtrArray) keep = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  const TallRows *numbers = &result->results[0];
  for (guint i = 0; i < numbers->n_rows; i++)
    {
      TallSlice id = get_value (&numbers->rows[i]);
      g_assert_cmpuint (id.len, ==, 8);
      GBytes *bytes = g_bytes_new (id.data, id.len);
      g_ptr_array_add (keep, bytes);
      g_assert_true (g_hash_table_add (used, bytes));

      guint8 key[9] = { 'i' };
      memcpy (key + 1, id.data, 8);
      const TallRow *back = tall_rows_find (&result->results[1], tall_slice (key, sizeof key));
      g_assert_nonnull (back);
      TallSlice number = numbers->rows[i].key;
      g_assert_true (
          tall_slice_equal (get_value (back), tall_slice (number.data + 1, number.len - 1)));
    }
  return numbers->n_rows;
}

static void
test_assign (void)
{
  g_autoptr (TallTable) table = new_table ();
  g_autoptr (TallIds) ids = tall_ids_new (table);
  g_autoptr (TallIds) others = tall_ids_new (table);

  g_assert_cmpuint (find (ids, "VINET"), ==, 0);
  g_assert_cmpuint (check_table (table), ==, 0);
  guint64 id = assign (ids, "VINET");
  g_assert_cmpuint (assign (ids, "VINET"), ==, id);
  g_assert_cmpuint (find (ids, "VINET"), ==, id);
  g_assert_cmpuint (find (others, "VINET"), ==, id);
  g_assert_cmpuint (assign (others, "VINET"), ==, id);
  g_assert_cmpuint (assign (others, "VINE"), !=, id);
  g_assert_cmpuint (check_table (table), ==, 2);

  const char *const numbers[] = { "VINE", "nobody", "VINET", "VINE", "nobody" };
  guint64 found[G_N_ELEMENTS (numbers)];
  must (tall_ids_find (ids, numbers, G_N_ELEMENTS (numbers), found, TALL_NO_DEADLINE, &error));
  g_assert_cmpuint (found[0], ==, assign (others, "VINE"));
  g_assert_cmpuint (found[1], ==, 0);
  g_assert_cmpuint (found[2], ==, id);
  g_assert_cmpuint (found[3], ==, found[0]);
  g_assert_cmpuint (found[4], ==, 0);
}

static guint64
count_calls (TallTable *counting)
{
  TallCost cost;
  tall_counting_table_get_cost (TALL_COUNTING_TABLE (counting), &cost);
  tall_counting_table_reset (TALL_COUNTING_TABLE (counting));
  return cost.calls;
}

/* A new customer: read, count, two rows. A known one: nothing. Many unknown ones: one call. */
static void
test_calls (void)
{
  g_autoptr (TallTable) table = new_table ();
  g_autoptr (TallTable) counting = tall_counting_table_new (table);
  g_autoptr (TallIds) ids = tall_ids_new (counting);

  assign (ids, "VINET");
  g_assert_cmpuint (count_calls (counting), ==, 4);
  assign (ids, "VINET");
  find (ids, "VINET");
  g_assert_cmpuint (count_calls (counting), ==, 0);

  const char *const numbers[] = { "A", "VINET", "B", "C" };
  guint64 found[4];
  must (tall_ids_find (ids, numbers, 4, found, TALL_NO_DEADLINE, &error));
  g_assert_cmpuint (count_calls (counting), ==, 1);
}

/* What is remembered is bounded: of many numbers the first ones are asked for again, and get the
 * same answer; one that is used all the time is not. */
static void
test_forget (void)
{
  const guint n = 140000;
  g_autoptr (TallTable) table = new_table ();
  g_autoptr (TallTable) counting = tall_counting_table_new (table);
  g_autoptr (TallIds) ids = tall_ids_new (counting);
  guint64 first = assign (ids, "first");
  guint64 used = assign (ids, "used");

  for (guint i = 0; i < n; i++)
    {
      char number[16];
      g_snprintf (number, sizeof number, "%u", i);
      assign (ids, number);
      g_assert_cmpuint (find (ids, "used"), ==, used);
    }
  g_assert_cmpuint (count_calls (counting), ==, 4 * (n + 2));
  g_assert_cmpuint (find (ids, "first"), ==, first);
  g_assert_cmpuint (count_calls (counting), ==, 1);
}

#define N_THREADS 8
#define N_NUMBERS 300

typedef struct
{
  TallIds *ids;
  guint32 seed;
  guint64 found[N_NUMBERS];
} Client;

static gpointer
assign_all (gpointer data)
{
  Client *client = data;
  guint order[N_NUMBERS];
  g_autoptr (GRand) rand = g_rand_new_with_seed (client->seed);
  for (guint i = 0; i < N_NUMBERS; i++)
    {
      guint at = (guint)g_rand_int_range (rand, 0, (gint32)i + 1);
      order[i] = order[at];
      order[at] = i;
    }
  for (guint i = 0; i < N_NUMBERS; i++)
    {
      char number[16];
      /* the first tenth in the same order, so that they meet */
      guint n = i < N_NUMBERS / 10 ? i : order[i];
      g_snprintf (number, sizeof number, "customer-%u", n);
      client->found[n] = assign (client->ids, number);
    }
  for (guint i = 0; i < N_NUMBERS; i++)
    {
      char number[16];
      g_snprintf (number, sizeof number, "customer-%u", i);
      client->found[i] = assign (client->ids, number);
    }
  return NULL;
}

/* Threads of two stores number the same new customers at once. */
static void
test_threads (void)
{
  g_autoptr (TallTable) table = new_table ();
  g_autoptr (TallIds) ids = tall_ids_new (table);
  g_autoptr (TallIds) others = tall_ids_new (table);
  g_autofree Client *clients = g_new0 (Client, 2 * N_THREADS);
  GThread *threads[2 * N_THREADS];
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    {
      clients[i].ids = i % 2 == 0 ? ids : others;
      clients[i].seed = i;
      threads[i] = g_thread_new ("numbering", assign_all, &clients[i]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);

  for (guint i = 1; i < G_N_ELEMENTS (threads); i++)
    g_assert_cmpmem (clients[i].found, sizeof clients[i].found, clients[0].found,
                     sizeof clients[0].found);
  g_assert_cmpuint (check_table (table), ==, N_NUMBERS);
}

/* The counter was lost and counts again from 1: ids that are taken are passed over. */
static void
test_counter_falls_back (void)
{
  g_autoptr (TallTable) table = new_table ();
  g_autoptr (TallIds) ids = tall_ids_new (table);
  g_autoptr (TallTable) counting = tall_counting_table_new (table);
  g_autoptr (TallIds) counted = tall_ids_new (counting);
  for (guint i = 0; i < 1000; i++)
    {
      char number[16];
      g_snprintf (number, sizeof number, "%u", i);
      assign (ids, number);
    }
  static const guint8 zero[8];
  put_value (table, tall_slice_str ("c"), tall_slice_str ("last"), tall_slice (zero, 8));
  g_assert_cmpuint (assign (counted, "new"), >, 1000);
  g_assert_cmpuint (count_calls (counting), <, 40);
  g_assert_cmpuint (check_table (table), ==, 1001);
}

typedef struct
{
  guint call;
  TallFailure failure;
} Blow;

/* Somebody else numbers the same customer, and another one, in the middle. */
typedef struct
{
  TallIds *lone;
  guint at;
} Rival;

static void
act_between (TallFailingTable *self G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  const Rival *rival = data;
  if (call->index != rival->at)
    return;
  assign (rival->lone, "VINET");
  assign (rival->lone, "TOMSP");
}

/* Returns how many calls it made. */
static guint
try (const Blow *blows, guint n_blows, guint rival_at)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) table = new_table ();
  g_autoptr (TallTable) failing = tall_failing_table_new (table);
  g_autoptr (TallIds) lone = tall_ids_new (table);
  g_autoptr (TallIds) ids = tall_ids_new (failing);
  Rival rival = { lone, rival_at };
  assign (lone, "ALFKI");

  for (guint i = 0; i < n_blows; i++)
    tall_failing_table_fail_at (TALL_FAILING_TABLE (failing), blows[i].call, blows[i].failure);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (failing), NULL, act_between, &rival);
  guint64 id = 0;
  gboolean done = tall_ids_assign (ids, "VINET", &id, TALL_NO_DEADLINE, &error);
  g_assert_true (done == (error == NULL));
  guint n_calls = tall_failing_table_count_calls (TALL_FAILING_TABLE (failing));
  if (error != NULL)
    g_assert_false (g_error_matches (error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN));
  check_table (table);

  tall_failing_table_deliver_late (TALL_FAILING_TABLE (failing));
  tall_failing_table_reset (TALL_FAILING_TABLE (failing));
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (failing), NULL, NULL, NULL);
  guint64 found = assign (lone, "VINET");
  if (done)
    g_assert_cmpuint (found, ==, id);
  g_assert_cmpuint (assign (ids, "VINET"), ==, found);
  g_assert_cmpuint (find (ids, "ALFKI"), ==, find (lone, "ALFKI"));
  assign (lone, "new");
  check_table (table);
  return n_calls;
}

static const TallFailure failures[] = {
  TALL_FAILURE_BEFORE,
  TALL_FAILURE_LOST,
  TALL_FAILURE_LATE,
  TALL_FAILURE_FALSE,
};

/* Every call fails, in every way, alone and with a rival after any call. */
static void
test_failures (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (failures); i++)
    for (guint rival = 0; rival <= 6; rival++)
      {
        guint at = rival < 6 ? rival : G_MAXUINT;
        guint call = 0;
        while (try (&(Blow){ call, failures[i] }, 1, at) > call)
          call++;
        g_assert_cmpuint (call, >=, 3);
        g_assert_cmpuint (call, <, MAX_CALLS);
      }
}

static void
test_pairs_of_failures (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (failures); i++)
    for (guint j = 0; j < G_N_ELEMENTS (failures); j++)
      for (guint first = 0; first < 8; first++)
        for (guint second = first + 1; second < 9; second++)
          for (guint rival = 0; rival <= 6; rival++)
            {
              Blow blows[] = { { first, failures[i] }, { second, failures[j] } };
              try (blows, 2, rival < 6 ? rival : G_MAXUINT);
            }
}

/* A lost increment wastes an id, and nothing more. */
static void
test_lost_increment (void)
{
  g_autoptr (TallTable) table = new_table ();
  g_autoptr (TallTable) failing = tall_failing_table_new (table);
  g_autoptr (TallIds) ids = tall_ids_new (failing);
  tall_failing_table_fail_at (TALL_FAILING_TABLE (failing), 1, TALL_FAILURE_LOST);
  g_assert_cmpuint (assign (ids, "VINET"), ==, 2);
  g_assert_cmpuint (assign (ids, "TOMSP"), ==, 3);
  g_assert_cmpuint (check_table (table), ==, 2);
}

static void
test_damaged (void)
{
  static const guint8 zero[8];
  const TallSlice values[] = { tall_slice_str ("seven"), tall_slice (zero, 8),
                               tall_slice_str ("\xff\xff\xff\xff\xff\xff\xff\xff"),
                               tall_slice (NULL, 0) };
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autoptr (TallTable) table = new_table ();
      g_autoptr (TallIds) ids = tall_ids_new (table);
      guint64 id;
      put_value (table, tall_slice_str ("nVINET"), VALUE, values[i]);
      must_fail (tall_ids_assign (ids, "VINET", &id, TALL_NO_DEADLINE, &error), TALL_ERROR_DAMAGED,
                 "VINET");
    }

  g_autoptr (TallTable) table = new_table ();
  g_autoptr (TallIds) ids = tall_ids_new (table);
  guint64 id;
  put_value (table, tall_slice_str ("c"), tall_slice_str ("last"),
             tall_slice ("\x80\x00\x00\x00\x00\x00\x00\x01", 8));
  must_fail (tall_ids_assign (ids, "VINET", &id, TALL_NO_DEADLINE, &error), TALL_ERROR_DAMAGED);
}

/* Ids that were taken together are given to nobody else, and one that another has is passed over.
 */
static void
test_taken (void)
{
  g_autoptr (TallTable) table = new_table ();
  g_autoptr (TallIds) ids = tall_ids_new (table);
  guint64 before = assign (ids, "BEFORE"), first = 0, id = 0;
  must (tall_ids_take (ids, 3, &first, TALL_NO_DEADLINE, &error));
  g_assert_cmpuint (first, ==, before + 1);
  g_assert_cmpuint (assign (ids, "AFTER"), ==, first + 3);
  must (tall_ids_assign_taken (ids, "A", first + 1, &id, TALL_NO_DEADLINE, &error));
  g_assert_cmpuint (id, ==, first + 1);
  must (tall_ids_assign_taken (ids, "B", first + 1, &id, TALL_NO_DEADLINE, &error));
  g_assert_cmpuint (id, >, first + 3);
  must (tall_ids_assign_taken (ids, "A", first, &id, TALL_NO_DEADLINE, &error));
  g_assert_cmpuint (id, ==, first + 1);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ids/assign", test_assign);
  g_test_add_func ("/ids/calls", test_calls);
  g_test_add_func ("/ids/forget", test_forget);
  g_test_add_func ("/ids/threads", test_threads);
  g_test_add_func ("/ids/counter-falls-back", test_counter_falls_back);
  g_test_add_func ("/ids/failures", test_failures);
  g_test_add_func ("/ids/pairs-of-failures", test_pairs_of_failures);
  g_test_add_func ("/ids/lost-increment", test_lost_increment);
  g_test_add_func ("/ids/damaged", test_damaged);
  g_test_add_func ("/ids/taken", test_taken);
  return g_test_run ();
}
