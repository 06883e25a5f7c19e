/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-conformance-private.h"

/* Several rows in one step. A table that changes one row at a time has to refuse it. */

#define N_THREADS 4
#define ROUNDS 50
#define ALIKE "s@10=t%u x@10=t%u"
#define OWN "w%u-%02u@10=v" /* of a thread, in a round */
#define SEAL "4b1c6e9a-2f55-4d0b-8f0a-1f6f3f2c7d11"

static guint
get_most (TallConformance *self)
{
  TallTableInfo info;
  tall_table_get_info (self->table, &info);
  g_assert_cmpuint (info.together, >=, 1);
  return info.together;
}

static void
expect_other (TallConformance *self, const char *row, const char *rows)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_get (plan, OTHER, row_key (self, plan->arena, row));
  expect_read (self, plan, rows);
}

/* Returns: the code of the error, 0 if it was answered */
static int
apply_alike (TallConformance *self,
             const TallBatch *batch,
             guint n_alike,
             const char *expected,
             gboolean *matched)
{
  g_autoptr (GError) error = NULL;
  TallSlice value = tall_slice_str (expected != NULL ? expected : "");
  *matched = TRUE;
  gboolean answered = tall_table_apply_if (
      self->table,
      &(TallConditionalWrite){ .mutations = (TallMutation *const *)batch->mutations->pdata,
                               .n = batch->mutations->len,
                               .n_alike = n_alike,
                               .qualifier = tall_slice_str ("s"),
                               .expected = expected != NULL ? &value : NULL,
                               .durability = TALL_DURABLE,
                               .deadline = TALL_NO_DEADLINE },
      matched, &error);
  g_assert_true (answered == (error == NULL));
  g_assert_true (error == NULL || error->domain == TALL_ERROR);
  return error == NULL ? 0 : error->code;
}

static int
apply_all (TallConformance *self, const TallBatch *batch, const char *expected, gboolean *matched)
{
  return apply_alike (self, batch, 0, expected, matched);
}

/* Rows a and b, and b of another table, each with a cell at @timestamp. */
static int
change_three (TallConformance *self, const char *expected, gint64 timestamp, gboolean *matched)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  g_autofree char *changes =
      g_strdup_printf ("s@%" G_GINT64_FORMAT "=v%" G_GINT64_FORMAT " <=%" G_GINT64_FORMAT,
                       timestamp, timestamp, timestamp - 1);
  add_changes (self, batch, SHARED, "a", changes);
  add_changes (self, batch, SHARED, "b", changes);
  add_changes (self, batch, OTHER, "b", changes);
  return apply_all (self, batch, expected, matched);
}

static void
expect_three (TallConformance *self, const char *cell)
{
  g_autofree char *other = *cell == '\0' ? g_strdup ("") : g_strconcat ("b: ", cell, NULL);
  expect_row (self, "a", cell);
  expect_row (self, "b", cell);
  expect_other (self, "b", other);
}

static void
test_all_or_none (TallConformance *self)
{
  gboolean matched;
  if (get_most (self) < 3)
    {
      g_assert_cmpint (change_three (self, NULL, 10, &matched), ==, TALL_ERROR_INVALID);
      expect_three (self, "");
      return;
    }
  g_assert_cmpint (change_three (self, "v10", 10, &matched), ==, 0);
  g_assert_false (matched);
  expect_three (self, "");
  g_assert_cmpint (change_three (self, NULL, 10, &matched), ==, 0);
  g_assert_true (matched);
  expect_three (self, "s@10=v10");
  g_assert_cmpint (change_three (self, NULL, 20, &matched), ==, 0);
  g_assert_false (matched);
  expect_three (self, "s@10=v10");
  g_assert_cmpint (change_three (self, "v10", 20, &matched), ==, 0);
  g_assert_true (matched);
  expect_three (self, "s@20=v20");
}

/* Only the first row's cell is compared. */
static void
test_first_row (TallConformance *self)
{
  gboolean matched;
  if (get_most (self) < 3)
    return;
  change (self, "b", "s@5=here");
  g_assert_cmpint (change_three (self, NULL, 10, &matched), ==, 0);
  g_assert_true (matched);
  expect_three (self, "s@10=v10");
}

/* Rows a and b have to be as expected, in whatever table; the third need not. */
static void
test_alike (TallConformance *self)
{
  gboolean matched;
  g_autoptr (TallBatch) new = tall_batch_new ();
  g_autoptr (TallBatch) next = tall_batch_new ();
  if (get_most (self) < 3)
    return;
  add_changes (self, new, SHARED, "a", "s@10=v10");
  add_changes (self, new, OTHER, "b", "s@10=v10");
  add_changes (self, new, SHARED, "b", "s@10=v10");
  add_changes (self, next, SHARED, "a", "s@20=v20 <=19");
  add_changes (self, next, OTHER, "b", "s@20=v20 <=19");
  add_changes (self, next, SHARED, "b", "s@20=v20 <=19");

  change (self, "b", "s@5=here");
  g_assert_cmpint (apply_alike (self, new, 2, NULL, &matched), ==, 0);
  g_assert_false (matched);
  expect_row (self, "a", "");
  expect_other (self, "b", "");
  expect_row (self, "b", "s@5=here");
  g_assert_cmpint (apply_alike (self, next, 1, "v10", &matched), ==, 0);
  g_assert_false (matched);
  g_assert_cmpint (apply_alike (self, new, 1, NULL, &matched), ==, 0);
  g_assert_true (matched);
  g_assert_cmpint (apply_alike (self, new, 1, NULL, &matched), ==, 0);
  g_assert_false (matched);
  change (self, "a", "s@15=v15");
  g_assert_cmpint (apply_alike (self, next, 1, "v10", &matched), ==, 0);
  g_assert_false (matched);
  g_assert_cmpint (apply_alike (self, next, 1, "v15", &matched), ==, 0);
  g_assert_false (matched);
  change (self, "a", "s@16=v10");
  g_assert_cmpint (apply_alike (self, next, 1, "v10", &matched), ==, 0);
  g_assert_true (matched);
  expect_three (self, "s@20=v20");
}

/* Rows that are alike keep what else each of them has. */
static void
test_alike_else (TallConformance *self)
{
  gboolean matched;
  g_autoptr (TallBatch) batch = tall_batch_new ();
  if (get_most (self) < 3)
    return;
  change (self, "a", "x@5=of-a");
  change (self, "b", "x@5=of-b");
  add_changes (self, batch, SHARED, "a", "s@10=v10");
  add_changes (self, batch, SHARED, "b", "s@10=v10");
  add_changes (self, batch, SHARED, "c", "s@10=v10");
  g_assert_cmpint (apply_alike (self, batch, 2, NULL, &matched), ==, 0);
  g_assert_true (matched);
  expect_row (self, "a", "s@10=v10 x@5=of-a");
  expect_row (self, "b", "s@10=v10 x@5=of-b");
  expect_row (self, "c", "s@10=v10");
}

static void
test_refused (TallConformance *self)
{
  gboolean matched;
  guint most = get_most (self);
  g_autoptr (TallBatch) many = tall_batch_new ();
  g_autoptr (TallBatch) twice = tall_batch_new ();
  for (guint i = 0; i <= most; i++)
    add_changes (self, many, SHARED, tall_arena_printf (many->arena, "m%05u", i), "s@10=v");
  g_assert_cmpint (apply_all (self, many, NULL, &matched), ==, TALL_ERROR_INVALID);
  expect_row (self, "m00000", "");

  add_changes (self, twice, SHARED, "a", "s@10=v");
  add_changes (self, twice, SHARED, "a", "s@10=w");
  g_assert_cmpint (apply_all (self, twice, NULL, &matched), ==, TALL_ERROR_INVALID);
  expect_row (self, "a", "");

  g_ptr_array_set_size (many->mutations, (gint)most);
  g_assert_cmpint (apply_all (self, many, NULL, &matched), ==, 0);
  g_assert_true (matched);
  expect_row (self, "m00000", "s@10=v");
  g_autofree char *last = g_strdup_printf ("m%05u", most - 1);
  expect_row (self, last, "s@10=v");
}

/* One that is shut stops all. */
static void
test_shut (TallConformance *self)
{
  gboolean matched;
  if (get_most (self) < 3)
    return;
  set_access (self, OTHER, TALL_ACCESS_SEALED, SEAL);
  g_assert_cmpint (change_three (self, NULL, 10, &matched), ==, TALL_ERROR_SHUT);
  expect_three (self, "");
  g_assert_cmpint (change_three (self, "v", 10, &matched), ==, 0);
  g_assert_false (matched);
  set_access (self, OTHER, TALL_ACCESS_OPEN, NULL);
  g_assert_cmpint (change_three (self, NULL, 10, &matched), ==, 0);
  g_assert_true (matched);
  expect_three (self, "s@10=v10");
}

static void
test_missing_table (TallConformance *self)
{
  gboolean matched;
  g_autoptr (TallBatch) batch = tall_batch_new ();
  if (get_most (self) < 2)
    return;
  add_changes (self, batch, SHARED, "a", "s@10=v");
  add_changes (self, batch, "missing", "a", "s@10=v");
  g_assert_cmpint (apply_all (self, batch, NULL, &matched), ==, TALL_ERROR_UNSUPPORTED);
  expect_row (self, "a", "");
}

typedef struct
{
  TallConformance *self;
  guint number;
  int *winners; /* of each round the number of its winner, counted from 1 */
} Thread;

/* Rows come in another order in every second thread: none waits for one that waits for it. */
static gpointer
race (gpointer data)
{
  Thread *thread = data;
  for (guint i = 0; i < ROUNDS; i++)
    {
      gboolean matched;
      g_autoptr (TallBatch) batch = tall_batch_new ();
      const char *first = tall_arena_printf (batch->arena, "first%u", i);
      const char *rows[] = { "shared", tall_arena_printf (batch->arena, "last%u", i) };
      const char *changes = tall_arena_printf (batch->arena, ALIKE, thread->number, thread->number);
      add_changes (thread->self, batch, SHARED, first, changes);
      add_changes (thread->self, batch, SHARED, rows[thread->number % 2], changes);
      add_changes (thread->self, batch, SHARED, rows[1 - thread->number % 2], changes);
      g_assert_cmpint (apply_all (thread->self, batch, NULL, &matched), ==, 0);
      if (matched)
        g_assert_true (
            g_atomic_int_compare_and_exchange (&thread->winners[i], 0, (int)thread->number + 1));
    }
  return NULL;
}

static void
test_one_winner (TallConformance *self)
{
  int winners[ROUNDS] = { 0 };
  Thread data[N_THREADS];
  GThread *threads[N_THREADS];
  if (get_most (self) < 3)
    return;
  for (guint i = 0; i < N_THREADS; i++)
    {
      data[i] = (Thread){ self, i, winners };
      threads[i] = g_thread_new ("conformance", race, &data[i]);
    }
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  for (guint i = 0; i < ROUNDS; i++)
    {
      g_assert_cmpint (winners[i], >, 0);
      guint winner = (guint)winners[i] - 1;
      g_autofree char *cells = g_strdup_printf (ALIKE, winner, winner);
      g_autofree char *first = g_strdup_printf ("first%u", i);
      g_autofree char *last = g_strdup_printf ("last%u", i);
      expect_row (self, first, cells);
      expect_row (self, last, cells);
    }
}

/* Steps whose conditions are on rows of their own, and that change one row. */
static gpointer
share (gpointer data)
{
  Thread *thread = data;
  for (guint i = 0; i < ROUNDS; i++)
    {
      gboolean matched;
      g_autoptr (TallBatch) batch = tall_batch_new ();
      const char *own = tall_arena_printf (batch->arena, "own%u-%u", thread->number, i);
      const char *cell = tall_arena_printf (batch->arena, OWN, thread->number, i);
      add_changes (thread->self, batch, SHARED, own, "s@10=v");
      add_changes (thread->self, batch, SHARED, "shared", cell);
      g_assert_cmpint (apply_all (thread->self, batch, NULL, &matched), ==, 0);
      g_assert_true (matched);
    }
  return NULL;
}

/* None of them is lost. */
static void
test_shared_row (TallConformance *self)
{
  Thread data[N_THREADS];
  GThread *threads[N_THREADS];
  g_autoptr (GString) cells = g_string_new (NULL);
  if (get_most (self) < 2)
    return;
  for (guint i = 0; i < N_THREADS; i++)
    {
      data[i] = (Thread){ self, i, NULL };
      threads[i] = g_thread_new ("conformance", share, &data[i]);
    }
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  for (guint i = 0; i < N_THREADS * ROUNDS; i++)
    g_string_append_printf (cells, "%s" OWN, i > 0 ? " " : "", i / ROUNDS, i % ROUNDS);
  expect_row (self, "shared", cells->str);
}

const TallConformanceCase tall_conformance_together_cases[] = {
  { "together/all-or-none", test_all_or_none },
  { "together/first-row", test_first_row },
  { "together/alike", test_alike },
  { "together/alike-else", test_alike_else },
  { "together/refused", test_refused },
  { "together/shut", test_shut },
  { "together/missing-table", test_missing_table },
  { "together/one-winner", test_one_winner },
  { "together/shared-row", test_shared_row },
  { NULL, NULL },
};
