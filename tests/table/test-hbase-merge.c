/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Gets and writes that find all connections busy leave together: each has its own row, or its own
 * error, and each knows what became of its own. */
#include "base/trace.h"
#include "table/hbase/merge.h"
#include "table/hbase/reader.h"
#include "tall-hbase-fixture.h"
#include "tall-must.h"

#define N_LINKS 12

/* A gateway all of whose connections the test holds. */
typedef struct
{
  TallFakeGateway *gateway;
  TallHbasePool *pool;
  TallHbaseMerge *merge;
  TallHbaseLink *links[N_LINKS];
} Fixture;

/* One that reads, in a thread of its own. */
typedef struct
{
  Fixture *fixture;
  const char *table;
  char *key;
  gint64 deadline;
  GThread *thread;
  char *found; /* the value of its row; NULL: it has none */
  GError *error;
  TallTrace trace;
} Reader;

static void
fixture_open (Fixture *self, TallHbaseOptions options)
{
  options.patience = 60000;
  *self = (Fixture){ .gateway = tall_fake_gateway_new (FALSE, FALSE) };
  const char *gateways[] = { tall_fake_gateway_get_address (self->gateway), NULL };
  options.gateways = gateways;

  self->pool = must (tall_hbase_pool_new (&options, &error));
  must (tall_hbase_pool_wait_until_alive (self->pool, &error));
  self->merge = tall_hbase_merge_new (self->pool);
  for (guint i = 0; i < N_LINKS; i++)
    {
      self->links[i] = must (tall_hbase_pool_take (self->pool, TALL_HBASE_WAIT, SOON, &error));
    }
}

static void
fixture_init (Fixture *self, guint wait_timeout, guint max_waiting)
{
  TallHbaseOptions options = TALL_HBASE_OPTIONS_INIT;
  options.wait_timeout = wait_timeout;
  options.max_waiting = max_waiting;
  fixture_open (self, options);
}

static void
give_back (Fixture *self, guint n)
{
  for (guint i = 0; i < N_LINKS && n > 0; i++)
    if (self->links[i] != NULL)
      {
        tall_hbase_pool_give_back (self->pool, g_steal_pointer (&self->links[i]));
        n--;
      }
}

static void
fixture_clear (Fixture *self)
{
  give_back (self, N_LINKS);
  tall_hbase_merge_free (self->merge);
  tall_hbase_pool_close (self->pool);
  tall_fake_gateway_free (self->gateway);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fixture, fixture_clear)

static gpointer
reader_read (gpointer data)
{
  Reader *self = data;
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_get (plan, self->table, tall_slice_str (self->key));
  g_autoptr (TallReadResult) result = tall_hbase_read (self->fixture->pool, self->fixture->merge,
                                                       plan, self->deadline, &self->error);
  if (result != NULL && result->results[0].n_rows > 0)
    {
      TallSlice value = result->results[0].rows[0].cells[0].value;
      self->found = g_strndup ((const char *)value.data, value.len);
    }
  self->trace = *tall_trace_get ();
  return NULL;
}

/* Every fourth asks for a row that is not there. */
static void
readers_init (Reader *readers, guint n, Fixture *fixture)
{
  for (guint i = 0; i < n; i++)
    {
      Reader *reader = &readers[i];
      *reader = (Reader){ .fixture = fixture, .table = "orders", .deadline = SOON };
      reader->key = g_strdup_printf (i % 4 == 0 ? "none-%u" : "row-%u", i);
    }
}

/* Waits until so many stand in line. */
static void
wait_for_line (Fixture *fixture, guint n)
{
  gint64 end = SOON;
  while (tall_hbase_merge_count_waiting (fixture->merge) < n)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, end);
      g_thread_yield ();
    }
}

static void
readers_run (Reader *readers, guint n, Fixture *fixture)
{
  for (guint i = 0; i < n; i++)
    readers[i].thread = g_thread_new ("reader", reader_read, &readers[i]);
  wait_for_line (fixture, n);
}

/* @code: of its error; 0: it has its row, if there is one */
static void
reader_expect (Reader *self, int code)
{
  g_thread_join (self->thread);
  must_be (self->error, code);
  gboolean has_row = code == 0 && g_str_has_prefix (self->key, "row-");
  g_assert_cmpstr (self->found, ==, has_row ? self->key : NULL);
  g_clear_error (&self->error);
  g_free (self->found);
  g_free (self->key);
}

static guint
count_calls (Fixture *fixture, const char *method)
{
  return tall_fake_gateway_get_calls (fixture->gateway, method);
}

/* A reader has noted its one request and who answered it, whether it was sent by itself or not. */
static void
reader_expect_traced (const Reader *self)
{
  g_assert_cmpuint (self->trace.n_calls, ==, 1);
  g_assert_cmpint (self->trace.longest, >, 0);
  g_assert_cmpstr (self->trace.place, ==, tall_fake_gateway_get_address (self->fixture->gateway));
}

/* One request of so many rows was sent for several callers, and none of the other kind. @kind: as
 * in TallTableServer; @size: of 2^(@size - 1) + 1 to 2^@size rows */
static void
expect_merged (Fixture *fixture, guint kind, guint size, guint64 n_rows)
{
  g_autoptr (GPtrArray) servers = tall_hbase_pool_describe (fixture->pool, SOON);
  const TallTableServer *server = g_ptr_array_index (servers, 0);
  TallTableMerged wanted[TALL_TABLE_N_MERGED] = { 0 };
  wanted[kind].n[size] = 1;
  wanted[kind].n_rows = n_rows;
  g_assert_cmpmem (server->merged, sizeof server->merged, wanted, sizeof wanted);
}

#define N_READERS 20
#define N_WRITERS 20
#define N_ROWS 3 /* of each */

/* All leave on the first connection that is free, in one request. */
static void
test_together (void)
{
  g_auto (Fixture) fixture = { NULL };
  Reader readers[N_READERS];
  fixture_init (&fixture, 60000, 1000);
  readers_init (readers, N_READERS, &fixture);
  readers_run (readers, N_READERS, &fixture);
  g_usleep (20 * 1000);
  gint64 begin = g_get_monotonic_time ();
  give_back (&fixture, 1);
  for (guint i = 0; i < N_READERS; i++)
    {
      reader_expect (&readers[i], 0);
      reader_expect_traced (&readers[i]);
      /* not what went by before there was a connection */
      g_assert_cmpint (readers[i].trace.longest, <=, g_get_monotonic_time () - begin);
    }
  g_assert_cmpuint (count_calls (&fixture, "getMultiple"), ==, 1);
  g_assert_cmpuint (count_calls (&fixture, "get"), ==, 0);
  expect_merged (&fixture, TALL_TABLE_MERGED_READS, 5, N_READERS);
}

/* Whoever finds a connection free uses it, and nobody is asked to wait for others. */
static void
test_free (void)
{
  g_auto (Fixture) fixture = { NULL };
  fixture_init (&fixture, 60000, 1000);
  give_back (&fixture, N_LINKS);
  for (guint i = 0; i < 5; i++)
    {
      Reader reader;
      readers_init (&reader, 1, &fixture);
      reader.thread = g_thread_new ("reader", reader_read, &reader);
      reader_expect (&reader, 0);
      reader_expect_traced (&reader);
    }
  g_assert_cmpuint (count_calls (&fixture, "getMultiple"), ==, 0);
  g_assert_cmpuint (count_calls (&fixture, "get"), ==, 5);
}

static void
test_two_tables (void)
{
  g_auto (Fixture) fixture = { NULL };
  Reader readers[N_READERS];
  fixture_init (&fixture, 60000, 1000);
  readers_init (readers, N_READERS, &fixture);
  for (guint i = 0; i < N_READERS / 2; i++)
    readers[i].table = "customers";
  readers_run (readers, N_READERS, &fixture);
  give_back (&fixture, 1);
  for (guint i = 0; i < N_READERS; i++)
    reader_expect (&readers[i], 0);
  g_assert_cmpuint (count_calls (&fixture, "getMultiple"), ==, 2);
  g_assert_cmpuint (count_calls (&fixture, "get"), ==, 0);
}

/* The request for all goes wrong in this way, once. @code: the error that all get; 0: they get
 * their rows */
static void
expect (TallFakeAnswer answer, guint n_together, guint n_alone, int code)
{
  g_auto (Fixture) fixture = { NULL };
  TallHbaseOptions options = TALL_HBASE_OPTIONS_INIT;
  Reader readers[N_READERS];
  options.wait_timeout = 60000;
  if (answer == TALL_FAKE_SILENT)
    options.call_timeout = 1000;
  fixture_open (&fixture, options);
  tall_fake_gateway_set_answer (fixture.gateway, "getMultiple", answer, 1);
  readers_init (readers, N_READERS, &fixture);
  readers_run (readers, N_READERS, &fixture);
  give_back (&fixture, 1);
  for (guint i = 0; i < N_READERS; i++)
    reader_expect (&readers[i], code);
  g_assert_cmpuint (count_calls (&fixture, "getMultiple"), ==, n_together);
  g_assert_cmpuint (count_calls (&fixture, "get"), ==, n_alone);
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
  Fixture *fixture;
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
  g_auto (Fixture) fixture = { NULL };
  Joining all[G_N_ELEMENTS (seconds)];
  GThread *threads[G_N_ELEMENTS (seconds)];
  gint64 earliest = SOON;
  fixture_init (&fixture, 60000, 1000);
  for (guint i = 0; i < G_N_ELEMENTS (seconds); i++)
    {
      all[i].fixture = &fixture;
      tall_hbase_share_init (&all[i].share, earliest + seconds[i] * G_TIME_SPAN_SECOND);
      threads[i] = g_thread_new ("join", join, &all[i]);
    }
  wait_for_line (&fixture, G_N_ELEMENTS (seconds));
  give_back (&fixture, 1);
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
  g_auto (Fixture) fixture = { NULL };
  Reader reader;
  fixture_init (&fixture, 60000, 1000);
  readers_init (&reader, 1, &fixture);
  reader.deadline = g_get_monotonic_time () + 300 * G_TIME_SPAN_MILLISECOND;
  reader_read (&reader);
  g_assert_error (reader.error, TALL_ERROR, TALL_ERROR_OVERLOADED);
  g_clear_error (&reader.error);

  /* It does not even wait in the line. */
  TallHbaseLink *link;
  TallHbaseShare share;
  tall_hbase_share_init (&share, g_get_monotonic_time () + 300 * G_TIME_SPAN_MILLISECOND);
  must (tall_hbase_merge_join (fixture.merge, &kind, "orders", &share, TRUE, &link, &error));
  g_assert_null (link);
  tall_hbase_share_clear (&share);

  give_back (&fixture, 1);
  reader.deadline = g_get_monotonic_time () + 3 * G_TIME_SPAN_SECOND;
  reader_read (&reader);
  g_assert_no_error (reader.error);
  g_free (reader.key);
  g_assert_cmpuint (count_calls (&fixture, "getMultiple"), ==, 0);
  g_assert_cmpuint (count_calls (&fixture, "get"), ==, 1);
}

/* No connection in time: nobody waits for longer than the pool lets a caller wait. */
static void
test_no_connection (void)
{
  g_auto (Fixture) fixture = { NULL };
  Reader readers[N_READERS];
  fixture_init (&fixture, 500, 1000);
  gint64 start = g_get_monotonic_time ();
  readers_init (readers, N_READERS, &fixture);
  for (guint i = 0; i < N_READERS; i++)
    readers[i].thread = g_thread_new ("reader", reader_read, &readers[i]);
  for (guint i = 0; i < N_READERS; i++)
    reader_expect (&readers[i], TALL_ERROR_OVERLOADED);
  g_assert_cmpint (g_get_monotonic_time () - start, <, 10 * G_TIME_SPAN_SECOND);
  g_assert_cmpuint (tall_hbase_merge_count_waiting (fixture.merge), ==, 0);
}

/* The line has an end: one more get fails at once. */
static void
test_line_full (void)
{
  g_auto (Fixture) fixture = { NULL };
  Reader readers[5];
  Reader late;
  fixture_init (&fixture, 60000, G_N_ELEMENTS (readers));
  readers_init (readers, G_N_ELEMENTS (readers), &fixture);
  readers_run (readers, G_N_ELEMENTS (readers), &fixture);
  readers_init (&late, 1, &fixture);
  late.thread = g_thread_new ("reader", reader_read, &late);
  reader_expect (&late, TALL_ERROR_OVERLOADED);
  give_back (&fixture, 1);
  for (guint i = 0; i < G_N_ELEMENTS (readers); i++)
    reader_expect (&readers[i], 0);
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
  g_auto (Fixture) fixture = { NULL };
  Reader reader;
  fixture_init (&fixture, 60000, 1000);
  tall_fake_gateway_set_answer (fixture.gateway, "getMultiple", TALL_FAKE_OTHER_ROW, 1);
  readers_init (&reader, 1, &fixture);
  readers_run (&reader, 1, &fixture);
  give_back (&fixture, 1);
  reader_expect (&reader, 0);
  g_assert_cmpuint (count_calls (&fixture, "getMultiple"), ==, 1);
  g_assert_cmpuint (count_calls (&fixture, "get"), ==, 1);
}

/* One that writes some rows, in a thread of its own: a hint and children, or their removal. */
typedef struct
{
  Fixture *fixture;
  guint number;
  gboolean deletes;
  gsize value;           /* bytes of each cell */
  const char *tables[2]; /* of the first row, of the others */
  gint64 deadline;
  GThread *thread;
  GError *error;
} Writer;

static char *
make_key (const Writer *self, guint row)
{
  return g_strdup_printf ("row-%u-%u", self->number, row);
}

static gpointer
write_rows (gpointer data)
{
  Writer *self = data;
  g_autoptr (TallBatch) batch = tall_batch_new ();
  g_autofree char *value = g_strnfill (self->value, 'v');
  for (guint i = 0; i < N_ROWS; i++)
    {
      g_autofree char *key = make_key (self, i);
      TallMutation *mutation = tall_batch_add (batch, self->tables[i > 0], tall_slice_str (key));
      if (self->deletes)
        tall_mutation_delete_up_to (batch, mutation, 2);
      else
        tall_mutation_put (batch, mutation, tall_slice_str ("c"), 2, tall_slice_str (value));
    }
  const TallHbaseWrite write = { .mutations = (TallMutation *const *)batch->mutations->pdata,
                                 .n = N_ROWS,
                                 .deadline = self->deadline };
  Fixture *fixture = self->fixture;
  gboolean done = tall_hbase_apply (fixture->pool, fixture->merge, &write, &self->error);
  g_assert_cmpint (done, ==, self->error == NULL);
  return NULL;
}

static void
writers_init (Writer *writers, guint n, Fixture *fixture)
{
  for (guint i = 0; i < n; i++)
    writers[i] = (Writer){ .fixture = fixture,
                           .number = i,
                           .value = 5,
                           .tables = { "orders", "orders" },
                           .deadline = SOON };
}

static void
writers_run (Writer *writers, guint n, Fixture *fixture)
{
  for (guint i = 0; i < n; i++)
    writers[i].thread = g_thread_new ("writer", write_rows, &writers[i]);
  wait_for_line (fixture, n);
}

/* All rows of all of them have reached the gateway. */
static void
writers_expect_done (Writer *writers, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      Writer *writer = &writers[i];
      g_thread_join (writer->thread);
      g_assert_no_error (writer->error);
      for (guint k = 0; k < N_ROWS; k++)
        {
          g_autofree char *key = make_key (writer, k);
          g_assert_true (tall_fake_gateway_has_row (
              writer->fixture->gateway, writer->deletes ? "deleteMultiple" : "putMultiple", key));
        }
    }
}

static void
writers_expect_error (Writer *writers, guint n, TallError code)
{
  for (guint i = 0; i < n; i++)
    {
      g_thread_join (writers[i].thread);
      g_assert_error (writers[i].error, TALL_ERROR, (int)code);
      g_clear_error (&writers[i].error);
    }
}

static void
test_writes_together (void)
{
  g_auto (Fixture) fixture = { NULL };
  Writer writers[N_WRITERS];
  fixture_init (&fixture, 60000, 1000);
  writers_init (writers, N_WRITERS, &fixture);
  writers_run (writers, N_WRITERS, &fixture);
  give_back (&fixture, 1);
  writers_expect_done (writers, N_WRITERS);
  g_assert_cmpuint (count_calls (&fixture, "putMultiple"), ==, 1);
  expect_merged (&fixture, TALL_TABLE_MERGED_WRITES, 6, (guint64)N_WRITERS * N_ROWS);
}

/* Rows of two tables are two requests, and removals another one for each. */
static void
test_writes_of_kinds (void)
{
  g_auto (Fixture) fixture = { NULL };
  Writer writers[N_WRITERS];
  fixture_init (&fixture, 60000, 1000);
  writers_init (writers, N_WRITERS, &fixture);
  for (guint i = 0; i < N_WRITERS; i++)
    {
      writers[i].tables[1] = "by_date";
      writers[i].deletes = i % 2;
    }
  writers_run (writers, N_WRITERS, &fixture);
  give_back (&fixture, 1);
  writers_expect_done (writers, N_WRITERS);
  g_assert_cmpuint (count_calls (&fixture, "putMultiple"), ==, 2);
  g_assert_cmpuint (count_calls (&fixture, "deleteMultiple"), ==, 2);
}

/* Reads and writes do not stand in one line, though they are of one table. */
static void
test_writes_beside_gets (void)
{
  g_auto (Fixture) fixture = { NULL };
  Writer writers[N_WRITERS];
  Reader readers[N_READERS];
  fixture_init (&fixture, 60000, 1000);
  writers_init (writers, N_WRITERS, &fixture);
  writers_run (writers, N_WRITERS, &fixture);
  readers_init (readers, N_READERS, &fixture);
  for (guint i = 0; i < N_READERS; i++)
    readers[i].thread = g_thread_new ("reader", reader_read, &readers[i]);
  wait_for_line (&fixture, N_READERS + N_WRITERS);
  give_back (&fixture, 1);
  writers_expect_done (writers, N_WRITERS);
  for (guint i = 0; i < N_READERS; i++)
    reader_expect (&readers[i], 0);
  g_assert_cmpuint (count_calls (&fixture, "putMultiple"), ==, 1);
  g_assert_cmpuint (count_calls (&fixture, "getMultiple"), ==, 1);
}

/* The request for all goes wrong in this way, once. */
static void
expect_writes (TallFakeAnswer answer, guint n_calls, int code)
{
  g_auto (Fixture) fixture = { NULL };
  TallHbaseOptions options = TALL_HBASE_OPTIONS_INIT;
  Writer writers[N_WRITERS];
  options.wait_timeout = 60000;
  if (answer == TALL_FAKE_SILENT)
    options.call_timeout = 1000;
  fixture_open (&fixture, options);
  tall_fake_gateway_set_answer (fixture.gateway, "putMultiple", answer, 1);
  writers_init (writers, N_WRITERS, &fixture);
  writers_run (writers, N_WRITERS, &fixture);
  give_back (&fixture, 1);
  if (code == 0)
    writers_expect_done (writers, N_WRITERS);
  else
    writers_expect_error (writers, N_WRITERS, (TallError)code);
  g_assert_cmpuint (count_calls (&fixture, "putMultiple"), ==, n_calls);
}

/* Nobody knows which rows are written: each writer sends its own once more. */
static void
test_writes_alone (void)
{
  expect_writes (TALL_FAKE_ERROR, 1 + N_WRITERS, 0);
  expect_writes (TALL_FAKE_SILENT, 1 + N_WRITERS, 0);
  expect_writes (TALL_FAKE_CLOSE, 2, 0);
  expect_writes (TALL_FAKE_BUSY, 1, TALL_ERROR_OVERLOADED);
}

/* A batch of a load goes by itself, and holds up nobody's hint. */
static void
test_writes_large (void)
{
  g_auto (Fixture) fixture = { NULL };
  Writer writers[N_WRITERS];
  fixture_init (&fixture, 60000, 1000);
  writers_init (writers, N_WRITERS, &fixture);
  writers[0].value = 20 * 1024;
  writers[0].thread = g_thread_new ("writer", write_rows, &writers[0]);
  writers_run (writers + 1, N_WRITERS - 1, &fixture);
  give_back (&fixture, 1);
  writers_expect_done (writers, N_WRITERS);
  g_assert_cmpuint (count_calls (&fixture, "putMultiple"), ==, 2);
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
  g_test_add_func ("/table/hbase/merged-write/together", test_writes_together);
  g_test_add_func ("/table/hbase/merged-write/of-kinds", test_writes_of_kinds);
  g_test_add_func ("/table/hbase/merged-write/beside-gets", test_writes_beside_gets);
  g_test_add_func ("/table/hbase/merged-write/alone", test_writes_alone);
  g_test_add_func ("/table/hbase/merged-write/large", test_writes_large);
  return g_test_run ();
}
