/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-bench-store.h"

#include "tall-error.h"
#include "tall-failing-table.h"
#include "tall-memory-table.h"

static const TallStoreSettings settings = { .layout = &tall_layout_blob,
                                            .key_strategy = &tall_key_hashed };

/* Returns: (transfer full): tables in memory with calls that can fail */
static TallFailingTable *
make_table (void)
{
  g_autoptr (TallTable) memory = tall_memory_table_new ();
  return TALL_FAILING_TABLE (tall_failing_table_new (memory));
}

static guint
count_tables (TallFailingTable *table)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) names =
      tall_table_list_tables (tall_failing_table_get_table (table), G_MAXINT64, &error);
  g_assert_no_error (error);
  return g_strv_length (names);
}

/* Opening must fail with @code; then closes. */
static void
fail_to_open (TallFailingTable *table, TallError code)
{
  g_autoptr (GError) error = NULL;
  g_auto (TallBenchStore) store = { 0 };
  g_assert_false (tall_bench_store_open_in (&store, TALL_TABLE (table), &settings, &error));
  g_assert_error (error, TALL_ERROR, (gint)code);
}

static void
assert_other_is_there (TallFailingTable *table)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallStore) other =
      tall_store_open (tall_failing_table_get_table (table), "wide", NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (other);
}

/* Another process makes a deployment of that name. */
static void
make_other (TallFailingTable *table)
{
  const TallStoreSettings others = { .layout = &tall_layout_wide,
                                     .key_strategy = &tall_key_hashed };
  g_autoptr (GError) error = NULL;
  g_assert_true (tall_store_create (tall_failing_table_get_table (table), &others, &error));
  g_assert_no_error (error);
}

static void
test_close (void)
{
  g_autoptr (TallFailingTable) table = make_table ();
  g_autoptr (GError) error = NULL;
  TallBenchStore store = { 0 };
  g_assert_true (tall_bench_store_open_in (&store, TALL_TABLE (table), &settings, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (count_tables (table), >, 0);
  tall_bench_store_close (&store);
  g_assert_cmpuint (count_tables (table), ==, 0);
}

static void
test_existing (void)
{
  g_autoptr (TallFailingTable) table = make_table ();
  make_other (table);
  fail_to_open (table, TALL_ERROR_CONFLICT);
  assert_other_is_there (table);
}

/* Opens and closes. Returns: how many calls opening took */
static guint
open_and_close (TallFailingTable *table)
{
  g_auto (TallBenchStore) store = { 0 };
  g_autoptr (GError) error = NULL;
  gboolean opened = tall_bench_store_open_in (&store, TALL_TABLE (table), &settings, &error);
  g_assert_true (opened == (error == NULL));
  return tall_failing_table_count_calls (table);
}

/* Whichever call of opening fails: nothing is left. */
static void
test_failures (void)
{
  static const TallFailure failures[] = { TALL_FAILURE_BEFORE, TALL_FAILURE_LOST,
                                          TALL_FAILURE_FALSE };
  g_autoptr (TallFailingTable) well = make_table ();
  guint n_calls = open_and_close (well);
  g_assert_cmpuint (n_calls, >, 3);
  for (guint i = 0; i < G_N_ELEMENTS (failures); i++)
    for (guint n = 0; n < n_calls; n++)
      {
        g_autoptr (TallFailingTable) table = make_table ();
        tall_failing_table_fail_at (table, n, failures[i]);
        open_and_close (table);
        g_assert_cmpuint (count_tables (table), ==, 0);
      }
}

typedef struct
{
  TallFailure record; /* of writing the record */
  guint n_reads;      /* that fail after that */
  gboolean other;     /* another deployment is made before the record is written */
  gboolean written;   /* the record, or it was tried */
} Story;

static TallFailure
tell (TallFailingTable *self, const TallCall *call, gpointer data)
{
  Story *story = data;
  if (call->kind == TALL_CALL_APPLY_IF && !story->written)
    {
      story->written = TRUE;
      if (story->other)
        make_other (self);
      return story->record;
    }
  if (call->kind != TALL_CALL_READ || !story->written || story->n_reads == 0)
    return TALL_FAILURE_NONE;
  story->n_reads--;
  return TALL_FAILURE_BEFORE;
}

/* This process's record was written, but opening could not see that: closing removes it. */
static void
test_ours (void)
{
  g_autoptr (TallFailingTable) table = make_table ();
  Story story = { .record = TALL_FAILURE_LOST, .n_reads = 1 };
  tall_failing_table_set_hooks (table, tell, NULL, &story);
  fail_to_open (table, TALL_ERROR_OUTCOME_UNKNOWN);
  g_assert_cmpuint (story.n_reads, ==, 0);
  g_assert_cmpuint (count_tables (table), ==, 0);
}

/* Another process was faster, and the error of the own attempt does not say so. */
static void
test_other (void)
{
  static const Story stories[] = {
    { .record = TALL_FAILURE_BEFORE, .other = TRUE },
    { .record = TALL_FAILURE_LOST, .other = TRUE },
    { .record = TALL_FAILURE_LOST, .other = TRUE, .n_reads = 1 },
    { .record = TALL_FAILURE_NONE, .other = TRUE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (stories); i++)
    {
      g_autoptr (TallFailingTable) table = make_table ();
      Story story = stories[i];
      tall_failing_table_set_hooks (table, tell, NULL, &story);
      fail_to_open (table, story.record == TALL_FAILURE_BEFORE ? TALL_ERROR_UNAVAILABLE
                           : story.record == TALL_FAILURE_LOST ? TALL_ERROR_OUTCOME_UNKNOWN
                                                               : TALL_ERROR_CONFLICT);
      g_assert_true (story.written);
      assert_other_is_there (table);
    }
}

/* If its owner is unknown, the deployment is left, and a message says so. */
static void
test_unknown (void)
{
  g_autoptr (TallFailingTable) table = make_table ();
  Story story = { .record = TALL_FAILURE_LOST, .other = TRUE, .n_reads = 2 };
  tall_failing_table_set_hooks (table, tell, NULL, &story);
  g_test_expect_message (G_LOG_DOMAIN, G_LOG_LEVEL_MESSAGE, "*may be left*");
  fail_to_open (table, TALL_ERROR_OUTCOME_UNKNOWN);
  g_test_assert_expected_messages ();
  assert_other_is_there (table);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bench/store/close", test_close);
  g_test_add_func ("/bench/store/existing", test_existing);
  g_test_add_func ("/bench/store/failures", test_failures);
  g_test_add_func ("/bench/store/ours", test_ours);
  g_test_add_func ("/bench/store/other", test_other);
  g_test_add_func ("/bench/store/unknown", test_unknown);
  return g_test_run ();
}
