/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-conformance-private.h"
#include "tall-must.h"

#define N_THREADS 8

static void
test_absent (TallConformance *self)
{
  g_assert_true (change_if (self, "a", "s", NULL, "s@10=one x@10=X"));
  expect_row (self, "a", "s@10=one x@10=X");
  g_assert_false (change_if (self, "a", "s", NULL, "s@20=two x@20=X"));
  expect_row (self, "a", "s@10=one x@10=X");

  /* Other cells of the row do not matter. */
  g_assert_true (change_if (self, "a", "t", NULL, "t@20=T"));
  expect_row (self, "a", "s@10=one t@20=T x@10=X");
}

static void
test_equal (TallConformance *self)
{
  change (self, "a", "s@10=abc");
  g_assert_false (change_if (self, "a", "s", "ab", "s@20=no"));
  g_assert_false (change_if (self, "a", "s", "abcd", "s@20=no"));
  g_assert_false (change_if (self, "a", "s", "ABC", "s@20=no"));
  g_assert_false (change_if (self, "a", "t", "abc", "s@20=no"));
  g_assert_false (change_if (self, "b", "s", "abc", "s@20=no"));
  expect_row (self, "a", "s@10=abc");
  expect_row (self, "b", "");
  g_assert_true (change_if (self, "a", "s", "abc", "s@20=def"));
  expect_row (self, "a", "s@20=def s@10=abc");
}

static void
test_newest_counts (TallConformance *self)
{
  change (self, "a", "s@30=new");
  change (self, "a", "s@10=old");
  g_assert_false (change_if (self, "a", "s", "old", "s@40=no"));
  g_assert_true (change_if (self, "a", "s", "new", "s@20=between"));
  g_assert_false (change_if (self, "a", "s", "between", "s@40=no"));
  expect_row (self, "a", "s@30=new s@20=between s@10=old");

  change (self, "a", "!30");
  g_assert_true (change_if (self, "a", "s", "between", "s@40=yes"));
}

static void
test_deleted_is_absent (TallConformance *self)
{
  change (self, "a", "s@10=v");
  change (self, "a", "<=10");
  g_assert_false (change_if (self, "a", "s", "v", "s@20=no"));
  g_assert_true (change_if (self, "a", "s", NULL, "s@20=yes"));

  /* A cell that is put below a marker does not exist either. */
  change (self, "b", "<=50");
  g_assert_true (change_if (self, "b", "s", NULL, "s@40=hidden"));
  g_assert_true (change_if (self, "b", "s", NULL, "s@60=shown"));
  expect_row (self, "b", "s@60=shown");
}

/* The step that replaces an order. */
static void
test_replace (TallConformance *self)
{
  change (self, "a", "s@10=R10 x@10=1 y@10=1");
  g_assert_true (change_if (self, "a", "s", "R10", "s@20=R20 x@20=2 <=10"));
  expect_row (self, "a", "s@20=R20 x@20=2");
  g_assert_false (change_if (self, "a", "s", "R10", "s@30=R30 x@30=3 <=20"));
  expect_row (self, "a", "s@20=R20 x@20=2");
}

/* The compared cell need not be changed, and a deletion needs no put. */
static void
test_delete (TallConformance *self)
{
  change (self, "a", "s@20=S x@10=X");
  g_assert_false (change_if (self, "a", "s", "T", "<=10"));
  g_assert_true (change_if (self, "a", "s", "S", "<=10"));
  expect_row (self, "a", "s@20=S");
}

static void
test_expected_empty (TallConformance *self)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallSlice empty = TALL_SLICE_INIT;
  gboolean matched = TRUE;
  TallMutation *mutation = add_changes (self, batch, SHARED, "a", "s@1=v");
  must_fail (tall_table_apply_if (self->table,
                                  &(TallConditionalWrite){ .mutations = &mutation,
                                                           .n = 1,
                                                           .qualifier = tall_slice_str ("s"),
                                                           .expected = &empty,
                                                           .durability = TALL_DURABLE,
                                                           .deadline = TALL_NO_DEADLINE },
                                  &matched, &error),
             TALL_ERROR_INVALID);
  expect_row (self, "a", "");
}

/* Threads: each runs the same function with a number of its own. */
typedef struct
{
  TallConformance *self;
  guint number;
  gpointer shared;
} Thread;

static void
run_threads (TallConformance *self, GThreadFunc function, gpointer shared)
{
  Thread data[N_THREADS];
  GThread *threads[N_THREADS];
  for (guint i = 0; i < N_THREADS; i++)
    {
      data[i] = (Thread){ self, i, shared };
      threads[i] = g_thread_new ("conformance", function, &data[i]);
    }
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
}

#define ROUNDS 25

static gpointer
race (gpointer data)
{
  Thread *thread = data;
  int *winners = thread->shared;
  for (guint round = 0; round < ROUNDS; round++)
    {
      g_autofree char *row = g_strdup_printf ("r%u", round);
      g_autofree char *changes = g_strdup_printf ("s@10=t%u", thread->number);
      if (change_if (thread->self, row, "s", NULL, changes))
        g_atomic_int_add (&winners[round * N_THREADS + thread->number], 1);
    }
  return NULL;
}

static void
test_one_winner (TallConformance *self)
{
  int winners[ROUNDS * N_THREADS] = { 0 };
  run_threads (self, race, winners);
  for (guint round = 0; round < ROUNDS; round++)
    {
      g_autofree char *row = g_strdup_printf ("r%u", round);
      guint n = 0;
      for (guint i = 0; i < N_THREADS; i++)
        {
          if (winners[round * N_THREADS + i] == 0)
            continue;
          g_autofree char *cells = g_strdup_printf ("s@10=t%u", i);
          expect_row (self, row, cells);
          n++;
        }
      g_assert_cmpuint (n, ==, 1);
    }
}

/* Each adds 1 to a text as often as it takes to succeed: none is lost. */
static gpointer
count_up (gpointer data)
{
  Thread *thread = data;
  TallConformance *self = thread->self;
  for (guint n = 0; n < ROUNDS;)
    {
      g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
      add_get (self, plan, "count")->max_versions = 1;
      g_autoptr (TallReadResult) result = run_plan (self, plan);
      const TallCell *cell = &result->results[0].rows[0].cells[0];
      g_autofree char *old = g_strndup ((const char *)cell->value.data, cell->value.len);
      g_autofree char *changes =
          g_strdup_printf ("n@%" G_GINT64_FORMAT "=%" G_GINT64_FORMAT, cell->timestamp + 1,
                           g_ascii_strtoll (old, NULL, 10) + 1);
      if (change_if (self, "count", "n", old, changes))
        n++;
    }
  return NULL;
}

static void
test_none_lost (TallConformance *self)
{
  change (self, "count", "n@1=0");
  run_threads (self, count_up, NULL);
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  add_get (self, plan, "count")->max_versions = 1;
  g_autofree char *expected =
      g_strdup_printf ("count: n@%d=%d", N_THREADS * ROUNDS + 1, N_THREADS * ROUNDS);
  expect_read (self, plan, expected);
}

/* One thread replaces both cells of a row in one step; the others must never see a mixture. */
static gpointer
replace_or_look (gpointer data)
{
  Thread *thread = data;
  TallConformance *self = thread->self;
  for (guint i = 1; i <= ROUNDS * 4; i++)
    {
      if (thread->number == 0)
        {
          g_autofree char *changes =
              g_strdup_printf ("x@%u=v%u y@%u=v%u <=%u", i + 1, i, i + 1, i, i);
          change (self, "a", changes);
          continue;
        }
      g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
      if (thread->number % 2 == 0)
        add_get (self, plan, "a");
      else
        add_scan (self, plan, "a", "b");
      g_autoptr (TallReadResult) result = run_plan (self, plan);
      g_assert_cmpuint (result->results[0].n_rows, ==, 1);
      const TallRow *row = &result->results[0].rows[0];
      g_assert_cmpuint (row->n_cells, ==, 2);
      g_assert_cmpint (row->cells[0].timestamp, ==, row->cells[1].timestamp);
      g_assert_true (tall_slice_equal (row->cells[0].value, row->cells[1].value));
    }
  return NULL;
}

static void
test_rows_are_whole (TallConformance *self)
{
  change (self, "a", "x@1=v0 y@1=v0");
  run_threads (self, replace_or_look, NULL);
}

static gint64
increment (TallConformance *self, const char *row, gint64 delta)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  gint64 value = -1;
  must (tall_table_increment (self->table, SHARED, row_key (self, arena, row), tall_slice_str ("n"),
                              delta, TALL_NO_DEADLINE, &value, &error));
  return value;
}

static void
test_increment (TallConformance *self)
{
  g_assert_cmpint (increment (self, "a", 5), ==, 5);
  g_assert_cmpint (increment (self, "a", 1), ==, 6);
  g_assert_cmpint (increment (self, "a", -10), ==, -4);
  g_assert_cmpint (increment (self, "a", 0), ==, -4);
  g_assert_cmpint (increment (self, "a", 0x0102030405060708), ==, 0x0102030405060704);

  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  add_get (self, plan, "a")->max_versions = 1;
  g_autoptr (TallReadResult) result = run_plan (self, plan);
  TallSlice value = result->results[0].rows[0].cells[0].value;
  g_assert_cmpmem (value.data, value.len, "\x01\x02\x03\x04\x05\x06\x07\x04", 8);
}

static void
test_increment_not_counter (TallConformance *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallArena) arena = tall_arena_new (0);
  gint64 value;
  change (self, "a", "n@10=text");
  g_assert_false (tall_table_increment (self->table, SHARED, row_key (self, arena, "a"),
                                        tall_slice_str ("n"), 1, TALL_NO_DEADLINE, &value, &error));
  g_assert_nonnull (error);
  g_assert_true (error->domain == TALL_ERROR);
  expect_row (self, "a", "n@10=text");
}

static gpointer
take_numbers (gpointer data)
{
  Thread *thread = data;
  int *taken = thread->shared;
  for (guint i = 0; i < ROUNDS; i++)
    g_atomic_int_inc (&taken[increment (thread->self, "numbers", 1) - 1]);
  return NULL;
}

static void
test_increment_threads (TallConformance *self)
{
  int taken[N_THREADS * ROUNDS] = { 0 };
  run_threads (self, take_numbers, taken);
  for (guint i = 0; i < G_N_ELEMENTS (taken); i++)
    g_assert_cmpint (taken[i], ==, 1);
}

const TallConformanceCase tall_conformance_condition_cases[] = {
  { "apply-if/absent", test_absent },
  { "apply-if/equal", test_equal },
  { "apply-if/newest-counts", test_newest_counts },
  { "apply-if/deleted-is-absent", test_deleted_is_absent },
  { "apply-if/replace", test_replace },
  { "apply-if/delete", test_delete },
  { "apply-if/expected-empty", test_expected_empty },
  { "apply-if/one-winner", test_one_winner },
  { "apply-if/none-lost", test_none_lost },
  { "row/whole", test_rows_are_whole },
  { "increment/steps", test_increment },
  { "increment/not-counter", test_increment_not_counter },
  { "increment/threads", test_increment_threads },
  { NULL, NULL },
};
