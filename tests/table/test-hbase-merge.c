/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-merge-fixture.h"
#include "tall-must.h"

/* Gets that find all connections busy leave together: each has its own row, or its own error. */

#define N_READERS 20

/* All leave on the first connection that is free, in one request. */
static void
test_together (void)
{
  g_auto (TallMergeFixture) fixture = { NULL };
  TallMergeReader readers[N_READERS];
  tall_merge_fixture_init (&fixture, 60000, 1000);
  tall_merge_readers_init (readers, N_READERS, &fixture);
  tall_merge_readers_run (readers, N_READERS, &fixture);
  g_usleep (20 * 1000);
  gint64 begin = g_get_monotonic_time ();
  tall_merge_fixture_give_back (&fixture, 1);
  for (guint i = 0; i < N_READERS; i++)
    {
      tall_merge_reader_expect (&readers[i], 0);
      tall_merge_reader_expect_traced (&readers[i]);
      /* not what went by before there was a connection */
      g_assert_cmpint (readers[i].trace.longest, <=, g_get_monotonic_time () - begin);
    }
  g_assert_cmpuint (tall_merge_fixture_count (&fixture, "getMultiple"), ==, 1);
  g_assert_cmpuint (tall_merge_fixture_count (&fixture, "get"), ==, 0);
  tall_merge_fixture_expect_merged (&fixture, TALL_TABLE_MERGED_READS, 5, N_READERS);
}

/* Whoever finds a connection free uses it, and nobody is asked to wait for others. */
static void
test_free (void)
{
  g_auto (TallMergeFixture) fixture = { NULL };
  tall_merge_fixture_init (&fixture, 60000, 1000);
  tall_merge_fixture_give_back (&fixture, TALL_MERGE_N_LINKS);
  for (guint i = 0; i < 5; i++)
    {
      TallMergeReader reader;
      tall_merge_readers_init (&reader, 1, &fixture);
      reader.thread = g_thread_new ("reader", tall_merge_reader_read, &reader);
      tall_merge_reader_expect (&reader, 0);
      tall_merge_reader_expect_traced (&reader);
    }
  g_assert_cmpuint (tall_merge_fixture_count (&fixture, "getMultiple"), ==, 0);
  g_assert_cmpuint (tall_merge_fixture_count (&fixture, "get"), ==, 5);
}

static void
test_two_tables (void)
{
  g_auto (TallMergeFixture) fixture = { NULL };
  TallMergeReader readers[N_READERS];
  tall_merge_fixture_init (&fixture, 60000, 1000);
  tall_merge_readers_init (readers, N_READERS, &fixture);
  for (guint i = 0; i < N_READERS / 2; i++)
    readers[i].table = "customers";
  tall_merge_readers_run (readers, N_READERS, &fixture);
  tall_merge_fixture_give_back (&fixture, 1);
  for (guint i = 0; i < N_READERS; i++)
    tall_merge_reader_expect (&readers[i], 0);
  g_assert_cmpuint (tall_merge_fixture_count (&fixture, "getMultiple"), ==, 2);
  g_assert_cmpuint (tall_merge_fixture_count (&fixture, "get"), ==, 0);
}

/* The request for all goes wrong in this way, once. @code: the error that all get; 0: they get
 * their rows */
static void
expect (TallFakeAnswer answer, guint n_together, guint n_alone, int code)
{
  g_auto (TallMergeFixture) fixture = { NULL };
  TallHbaseOptions options = TALL_HBASE_OPTIONS_INIT;
  TallMergeReader readers[N_READERS];
  options.wait_timeout = 60000;
  if (answer == TALL_FAKE_SILENT)
    options.call_timeout = 1000;
  tall_merge_fixture_open (&fixture, options);
  tall_fake_gateway_set_answer (fixture.gateway, "getMultiple", answer, 1);
  tall_merge_readers_init (readers, N_READERS, &fixture);
  tall_merge_readers_run (readers, N_READERS, &fixture);
  tall_merge_fixture_give_back (&fixture, 1);
  for (guint i = 0; i < N_READERS; i++)
    tall_merge_reader_expect (&readers[i], code);
  g_assert_cmpuint (tall_merge_fixture_count (&fixture, "getMultiple"), ==, n_together);
  g_assert_cmpuint (tall_merge_fixture_count (&fixture, "get"), ==, n_alone);
}

/* Perhaps because of one row, or one region: each asks for its own. */
static void
test_alone (void)
{
  expect (TALL_FAKE_ERROR, 1, N_READERS, 0);
  expect (TALL_FAKE_OTHER_ROW, 1, N_READERS, 0);
  expect (TALL_FAKE_UNKNOWN, 1, N_READERS, 0);
  expect (TALL_FAKE_SILENT, 1, N_READERS, 0);
}

/* An HBase that has too much to do is not asked for each of the rows once more. */
static void
test_overloaded (void)
{
  expect (TALL_FAKE_BUSY, 1, 0, TALL_ERROR_OVERLOADED);
}

/* The connection breaks: the same request goes over another one. */
static void
test_closed (void)
{
  expect (TALL_FAKE_CLOSE, 2, 0, 0);
}

static gint64 shared_deadline; /* of the request that was sent last */

static gboolean
run_nothing (TallHbaseShared *shared, TallHbaseLink *link, GError **error G_GNUC_UNUSED)
{
  shared_deadline = shared->deadline;
  tall_hbase_pool_give_back (shared->pool, link);
  return TRUE;
}

static const TallHbaseMergeKind kind = { "nothing ", tall_hbase_pool_take, run_nothing };

typedef struct
{
  TallMergeFixture *fixture;
  TallHbaseShare share;
} Joining;

static gpointer
join (gpointer data)
{
  Joining *self = data;
  TallHbaseLink *link;
  must (tall_hbase_merge_join (self->fixture->merge, &kind, "orders", &self->share, TRUE, &link,
                               &error));
  g_assert_cmpint (self->share.state, ==, TALL_HBASE_SHARE_DONE);
  return NULL;
}

/* A request has no more time than the share that has the least. */
static void
test_deadline (void)
{
  static const guint seconds[] = { 2, 0, 1 };
  g_auto (TallMergeFixture) fixture = { NULL };
  Joining all[G_N_ELEMENTS (seconds)];
  GThread *threads[G_N_ELEMENTS (seconds)];
  gint64 earliest = SOON;
  tall_merge_fixture_init (&fixture, 60000, 1000);
  for (guint i = 0; i < G_N_ELEMENTS (seconds); i++)
    {
      all[i].fixture = &fixture;
      tall_hbase_share_init (&all[i].share, earliest + seconds[i] * G_TIME_SPAN_SECOND);
      threads[i] = g_thread_new ("join", join, &all[i]);
    }
  tall_merge_fixture_wait (&fixture, G_N_ELEMENTS (seconds));
  tall_merge_fixture_give_back (&fixture, 1);
  for (guint i = 0; i < G_N_ELEMENTS (seconds); i++)
    {
      g_thread_join (threads[i]);
      tall_hbase_share_clear (&all[i].share);
    }
  g_assert_cmpint (shared_deadline, ==, earliest);
}

/* A caller with less time than a call may take reads by itself, so that it does not cost others
 * their rows.
 */
static void
test_hasty (void)
{
  g_auto (TallMergeFixture) fixture = { NULL };
  TallMergeReader reader;
  tall_merge_fixture_init (&fixture, 60000, 1000);
  tall_merge_readers_init (&reader, 1, &fixture);
  reader.deadline = g_get_monotonic_time () + 300 * G_TIME_SPAN_MILLISECOND;
  tall_merge_reader_read (&reader);
  g_assert_error (reader.error, TALL_ERROR, TALL_ERROR_OVERLOADED);
  g_clear_error (&reader.error);

  /* It does not even wait in the line. */
  TallHbaseLink *link;
  TallHbaseShare share;
  tall_hbase_share_init (&share, g_get_monotonic_time () + 300 * G_TIME_SPAN_MILLISECOND);
  must (tall_hbase_merge_join (fixture.merge, &kind, "orders", &share, TRUE, &link, &error));
  g_assert_null (link);
  tall_hbase_share_clear (&share);

  tall_merge_fixture_give_back (&fixture, 1);
  reader.deadline = g_get_monotonic_time () + 3 * G_TIME_SPAN_SECOND;
  tall_merge_reader_read (&reader);
  g_assert_no_error (reader.error);
  g_free (reader.key);
  g_assert_cmpuint (tall_merge_fixture_count (&fixture, "getMultiple"), ==, 0);
  g_assert_cmpuint (tall_merge_fixture_count (&fixture, "get"), ==, 1);
}

/* No connection in time: nobody waits for longer than the pool lets a caller wait. */
static void
test_no_connection (void)
{
  g_auto (TallMergeFixture) fixture = { NULL };
  TallMergeReader readers[N_READERS];
  tall_merge_fixture_init (&fixture, 500, 1000);
  gint64 start = g_get_monotonic_time ();
  tall_merge_readers_init (readers, N_READERS, &fixture);
  for (guint i = 0; i < N_READERS; i++)
    readers[i].thread = g_thread_new ("reader", tall_merge_reader_read, &readers[i]);
  for (guint i = 0; i < N_READERS; i++)
    tall_merge_reader_expect (&readers[i], TALL_ERROR_OVERLOADED);
  g_assert_cmpint (g_get_monotonic_time () - start, <, 10 * G_TIME_SPAN_SECOND);
  g_assert_cmpuint (tall_hbase_merge_count_waiting (fixture.merge), ==, 0);
}

/* The line has an end: one more get fails at once. */
static void
test_line_full (void)
{
  g_auto (TallMergeFixture) fixture = { NULL };
  TallMergeReader readers[5];
  TallMergeReader late;
  tall_merge_fixture_init (&fixture, 60000, G_N_ELEMENTS (readers));
  tall_merge_readers_init (readers, G_N_ELEMENTS (readers), &fixture);
  tall_merge_readers_run (readers, G_N_ELEMENTS (readers), &fixture);
  tall_merge_readers_init (&late, 1, &fixture);
  late.thread = g_thread_new ("reader", tall_merge_reader_read, &late);
  tall_merge_reader_expect (&late, TALL_ERROR_OVERLOADED);
  tall_merge_fixture_give_back (&fixture, 1);
  for (guint i = 0; i < G_N_ELEMENTS (readers); i++)
    tall_merge_reader_expect (&readers[i], 0);
}

typedef struct
{
  TallTable *table;
  guint first;
} Busy;

static gpointer
read_many (gpointer data)
{
  const Busy *busy = data;
  for (guint i = 0; i < 300; i++)
    {
      g_autofree char *key = g_strdup_printf ("row-%u", busy->first + i);
      g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
      tall_read_plan_add_get (plan, "orders", tall_slice_str (key));
      g_autoptr (TallReadResult) result = must (tall_table_read (busy->table, plan, SOON, &error));
      g_assert_cmpuint (result->results[0].n_rows, ==, 1);
      g_assert_true (
          tall_slice_equal (result->results[0].rows[0].cells[0].value, tall_slice_str (key)));
    }
  return NULL;
}

/* Many readers at once, and a gateway that breaks every now and then: always one's own row. */
static void
test_many (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  g_autoptr (TallTable) table = tall_hbase_fixture_open (gateway);
  GThread *threads[64];
  Busy busy[G_N_ELEMENTS (threads)];
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    {
      busy[i] = (Busy){ table, 1000 * i };
      threads[i] = g_thread_new ("reader", read_many, &busy[i]);
    }
  for (guint i = 1; i < 20; i++)
    {
      tall_fake_gateway_wait_for_calls (gateway, "getMultiple", 5 * i);
      tall_fake_gateway_set_answer (gateway, "getMultiple",
                                    i % 2 == 0 ? TALL_FAKE_ERROR : TALL_FAKE_CLOSE, 1);
    }
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

/* The row of the first share is checked as well: here it is the only one. */
static void
test_first_row (void)
{
  g_auto (TallMergeFixture) fixture = { NULL };
  TallMergeReader reader;
  tall_merge_fixture_init (&fixture, 60000, 1000);
  tall_fake_gateway_set_answer (fixture.gateway, "getMultiple", TALL_FAKE_OTHER_ROW, 1);
  tall_merge_readers_init (&reader, 1, &fixture);
  tall_merge_readers_run (&reader, 1, &fixture);
  tall_merge_fixture_give_back (&fixture, 1);
  tall_merge_reader_expect (&reader, 0);
  g_assert_cmpuint (tall_merge_fixture_count (&fixture, "getMultiple"), ==, 1);
  g_assert_cmpuint (tall_merge_fixture_count (&fixture, "get"), ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table/hbase/merge/together", test_together);
  g_test_add_func ("/table/hbase/merge/free", test_free);
  g_test_add_func ("/table/hbase/merge/two-tables", test_two_tables);
  g_test_add_func ("/table/hbase/merge/alone", test_alone);
  g_test_add_func ("/table/hbase/merge/first-row", test_first_row);
  g_test_add_func ("/table/hbase/merge/overloaded", test_overloaded);
  g_test_add_func ("/table/hbase/merge/closed", test_closed);
  g_test_add_func ("/table/hbase/merge/deadline", test_deadline);
  g_test_add_func ("/table/hbase/merge/hasty", test_hasty);
  g_test_add_func ("/table/hbase/merge/no-connection", test_no_connection);
  g_test_add_func ("/table/hbase/merge/line-full", test_line_full);
  g_test_add_func ("/table/hbase/merge/many", test_many);
  return g_test_run ();
}
