/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "table/hbase/pool.h"
#include "tall-fake-time.h"
#include "tall-hbase-fixture.h"
#include "tall-must.h"

/* Tests which caller gets which connection, and what a failure on one costs the others. */

#define N_LINKS TALL_HBASE_MAX_CONNECTIONS

/* A gateway, and the pool of its connections. */
typedef struct
{
  TallFakeGateway *gateway;
  TallHbasePool *pool;
} Fixture;

static void
fixture_init (Fixture *self)
{
  TallHbaseOptions options = TALL_HBASE_OPTIONS_INIT;
  self->gateway = tall_fake_gateway_new (FALSE, FALSE);
  const char *gateways[] = { tall_fake_gateway_get_address (self->gateway), NULL };
  options.gateways = gateways;
  options.connect_timeout = 60000;
  options.wait_timeout = 60000;
  self->pool = must (tall_hbase_pool_new (&options, &error));
  must (tall_hbase_pool_wait_until_alive (self->pool, &error));
}

static void
fixture_clear (Fixture *self)
{
  tall_hbase_pool_close (self->pool);
  tall_fake_gateway_free (self->gateway);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fixture, fixture_clear)

static TallHbaseLink *
take (Fixture *self)
{
  return must (tall_hbase_pool_take (self->pool, TALL_HBASE_WAIT, SOON, &error));
}

static void
take_all (Fixture *self, TallHbaseLink *links[N_LINKS])
{
  for (guint i = 0; i < N_LINKS; i++)
    links[i] = take (self);
}

static void
give_back (Fixture *self, TallHbaseLink **links, guint n)
{
  for (guint i = 0; i < n; i++)
    tall_hbase_pool_give_back (self->pool, links[i]);
}

/* Breaks a connection and gives it back. */
static void
lose (Fixture *self, TallHbaseLink *link)
{
  tall_transport_break (link->connection);
  tall_hbase_pool_give_back (self->pool, link);
}

typedef struct
{
  Fixture *fixture;
  GThread *thread;
  gint *n_served; /* atomic: of all */
  gint place;     /* that it had among those who got a connection; atomic, 0: none yet */
} Caller;

static gpointer
take_one (gpointer data)
{
  Caller *self = data;
  TallHbaseLink *link = take (self->fixture);
  g_atomic_int_set (&self->place, g_atomic_int_add (self->n_served, 1) + 1);
  return link;
}

static void
wait_for_line (TallHbasePool *pool, guint n)
{
  for (;;)
    {
      g_mutex_lock (&pool->mutex);
      guint length = g_queue_get_length (&pool->waiting);
      g_mutex_unlock (&pool->mutex);
      if (length == n)
        return;
      g_thread_yield ();
    }
}

/* Callers who stand in line, one behind the other. */
static void
line_up (Fixture *fixture, Caller *callers, guint n, gint *n_served)
{
  for (guint i = 0; i < n; i++)
    {
      callers[i] = (Caller){ .fixture = fixture, .n_served = n_served };
      callers[i].thread = g_thread_new ("caller", take_one, &callers[i]);
      wait_for_line (fixture->pool, i + 1);
    }
}

/* All connections are gone: the gateway's own thread opens the first new one, and each in line gets
 * one of its own. */
static void
test_line_after_loss (void)
{
  g_auto (Fixture) fixture = { NULL };
  TallHbaseLink *links[N_LINKS];
  Caller callers[3];
  gint n_served = 0;
  fixture_init (&fixture);
  take_all (&fixture, links);
  line_up (&fixture, callers, G_N_ELEMENTS (callers), &n_served);
  for (guint i = 0; i < N_LINKS; i++)
    lose (&fixture, links[i]);
  for (guint i = 0; i < G_N_ELEMENTS (callers); i++)
    links[i] = g_thread_join (callers[i].thread);
  give_back (&fixture, links, G_N_ELEMENTS (callers));
}

/* A line that is full turns one more away at once; the one who stands in it keeps its place. */
static void
test_line_full (void)
{
  g_auto (Fixture) fixture = { NULL };
  TallHbaseLink *links[N_LINKS];
  gint n_served = 0;
  Caller caller;
  fixture_init (&fixture);
  take_all (&fixture, links);
  fixture.pool->options.max_waiting = 1;
  fixture.pool->options.wait_timeout = G_MAXUINT; /* no caller gives up */
  line_up (&fixture, &caller, 1, &n_served);
  must_fail (tall_hbase_pool_take (fixture.pool, TALL_HBASE_WAIT, TALL_NO_DEADLINE, &error),
             TALL_ERROR_OVERLOADED, "all the 12 connections");

  tall_hbase_pool_give_back (fixture.pool, links[0]);
  links[0] = g_thread_join (caller.thread);
  give_back (&fixture, links, N_LINKS);
}

/* One is called because a connection is gone and there might be room. There is none: it does not
 * lose its place to those who came later. */
static void
test_called_for_nothing (void)
{
  g_auto (Fixture) fixture = { NULL };
  TallHbaseLink *links[N_LINKS];
  Caller callers[3];
  gint n_served = 0;
  fixture_init (&fixture);
  take_all (&fixture, links);
  line_up (&fixture, callers, G_N_ELEMENTS (callers), &n_served);

  /* Until the gateway has answered there is no room for a new one. */
  tall_fake_gateway_set_answer (fixture.gateway, "getThriftServerType", TALL_FAKE_SILENT, 1000);
  links[0]->hurried = TRUE;
  lose (&fixture, links[0]);
  wait_for_line (fixture.pool, G_N_ELEMENTS (callers));

  for (guint i = 0; i < G_N_ELEMENTS (callers); i++)
    {
      tall_hbase_pool_give_back (fixture.pool, links[i + 1]);
      while (g_atomic_int_get (&n_served) == (gint)i)
        g_thread_yield ();
    }
  for (guint i = 0; i < G_N_ELEMENTS (callers); i++)
    {
      links[i + 1] = g_thread_join (callers[i].thread);
      g_assert_cmpint (callers[i].place, ==, i + 1);
    }
  give_back (&fixture, links + 1, N_LINKS - 1);
}

/* A connection comes back to a gateway on which a call failed, while others wait for one: it is
 * kept until the gateway has answered. */
static void
test_not_handed_over (void)
{
  g_auto (Fixture) fixture = { NULL };
  TallHbaseLink *links[N_LINKS];
  gint n_served = 0;
  Caller caller;
  fixture_init (&fixture);
  take_all (&fixture, links);
  line_up (&fixture, &caller, 1, &n_served);

  tall_fake_gateway_set_answer (fixture.gateway, "getThriftServerType", TALL_FAKE_LATE, 1);
  lose (&fixture, links[0]);
  wait_for_line (fixture.pool, 1);
  tall_hbase_pool_give_back (fixture.pool, links[1]);
  g_mutex_lock (&fixture.pool->mutex);
  g_assert_cmpuint (fixture.pool->waiting.length, ==, 1);
  g_assert_cmpuint (fixture.pool->gateways[0].idle.length, ==, 1);
  g_mutex_unlock (&fixture.pool->mutex);

  while (g_atomic_int_get (&n_served) == 0)
    tall_fake_gateway_send_late (fixture.gateway);
  links[1] = g_thread_join (caller.thread);
  give_back (&fixture, links + 1, N_LINKS - 1);
}

static guint
count_open (Fixture *self)
{
  g_autoptr (GPtrArray) servers = tall_hbase_pool_describe (self->pool, TALL_NO_DEADLINE);
  return ((TallTableServer *)servers->pdata[0])->connections;
}

/* A call fails and the gateway does not answer: the connections that are kept are closed, too. */
static void
test_kept_closed (void)
{
  g_auto (Fixture) fixture = { NULL };
  gint64 end = SOON;
  fixture_init (&fixture);
  TallHbaseLink *lost = take (&fixture);
  TallHbaseLink *kept = take (&fixture);
  tall_hbase_pool_give_back (fixture.pool, kept);
  tall_fake_gateway_set_answer (fixture.gateway, "getThriftServerType", TALL_FAKE_CLOSE, 100000);
  lose (&fixture, lost);
  while (count_open (&fixture) > 0)
    g_assert_cmpint (g_get_monotonic_time (), <, end);
}

static gpointer
take_none (gpointer data)
{
  must_fail (tall_hbase_pool_take (data, TALL_HBASE_WAIT, SOON, &error), TALL_ERROR_UNAVAILABLE);
  return NULL;
}

/* The only gateway dies. Some connections are still lent when that is known; once the last one is
 * lost, too, all waiting callers fail at once. */
static void
test_nothing_left (void)
{
  g_auto (Fixture) fixture = { NULL };
  TallHbaseLink *links[N_LINKS];
  GThread *threads[3];
  fixture_init (&fixture);
  take_all (&fixture, links);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("caller", take_none, fixture.pool);
  wait_for_line (fixture.pool, G_N_ELEMENTS (threads));

  /* It is asked without success, and asked again, which then lasts. */
  const char *method = "getThriftServerType";
  guint questions = tall_fake_gateway_get_calls (fixture.gateway, method);
  tall_fake_gateway_set_answer (fixture.gateway, method, TALL_FAKE_CLOSE, 1000);
  lose (&fixture, links[0]);
  tall_fake_gateway_wait_for_calls (fixture.gateway, method, questions + 1);
  tall_fake_gateway_set_answer (fixture.gateway, method, TALL_FAKE_SILENT, 1000);
  questions = tall_fake_gateway_get_calls (fixture.gateway, method);
  tall_fake_gateway_wait_for_calls (fixture.gateway, method, questions + 1);

  gint64 start = g_get_monotonic_time ();
  for (guint i = 1; i < N_LINKS; i++)
    {
      wait_for_line (fixture.pool, G_N_ELEMENTS (threads));
      lose (&fixture, links[i]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_cmpint (g_get_monotonic_time () - start, <, 20 * G_TIME_SPAN_SECOND);
}

static TallTable *
open_table (TallFakeGateway *gateway, guint call_timeout)
{
  TallHbaseOptions options = TALL_HBASE_OPTIONS_INIT;
  const char *gateways[] = { tall_fake_gateway_get_address (gateway), NULL };
  options.gateways = gateways;
  options.connect_timeout = 60000;
  options.wait_timeout = 60000;
  options.call_timeout = call_timeout;
  return must (tall_hbase_table_open (&options, &error));
}

/* What an operator is shown of the only gateway. */
static guint
count_connections (TallTable *table)
{
  g_autoptr (GPtrArray) servers = tall_table_list_servers (table, TALL_NO_DEADLINE);
  const TallTableServer *server = g_ptr_array_index (servers, 0);
  return server->connections;
}

/* One caller has no time: the connections to the gateway stay those of all others, even while the
 * gateway serves no new ones. */
static void
test_in_a_hurry (void)
{
  tall_fake_time_pass (TRUE);
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  g_autoptr (TallTable) table = open_table (gateway, 20000);
  tall_fake_gateway_set_answer (gateway, "get", TALL_FAKE_TOGETHER, 3);
  must (tall_hbase_fixture_read (table, 3, SOON, &error));
  g_assert_cmpuint (count_connections (table), ==, 3);

  tall_fake_gateway_set_answer (gateway, "getThriftServerType", TALL_FAKE_SILENT, 1000);
  tall_fake_gateway_set_answer (gateway, "checkAndPut", TALL_FAKE_SILENT, 1);
  must_fail (tall_hbase_fixture_write_if (table, NEAR, &error), TALL_ERROR_OUTCOME_UNKNOWN);

  gint64 start = g_get_monotonic_time ();
  for (guint i = 0; i < 20; i++)
    must (tall_hbase_fixture_read (table, 2, SOON, &error));
  g_assert_cmpint (g_get_monotonic_time () - start, <, 20 * G_TIME_SPAN_SECOND);
  g_assert_cmpuint (tall_fake_gateway_get_connections (gateway), <=, 4);
  tall_fake_time_pass (FALSE);
}

/* Nor does it if it needed a new connection, which was not there in its time. */
static void
test_in_a_hurry_to_connect (void)
{
  tall_fake_time_pass (TRUE);
  g_auto (Fixture) fixture = { NULL };
  fixture_init (&fixture);
  TallHbaseLink *kept = take (&fixture);
  tall_fake_gateway_set_answer (fixture.gateway, "getThriftServerType", TALL_FAKE_SILENT, 1000);
  must_fail (tall_hbase_pool_take (fixture.pool, TALL_HBASE_WAIT, NEAR, &error),
             TALL_ERROR_TIMED_OUT, tall_fake_gateway_get_address (fixture.gateway));

  tall_hbase_pool_give_back (fixture.pool, kept);
  g_assert_true (take (&fixture) == kept);
  tall_hbase_pool_give_back (fixture.pool, kept);
  tall_fake_time_pass (FALSE);
}

/* FALSE if it failed. Otherwise the row must be the one that was asked for. */
static gboolean
read_row (TallTable *table, guint number, gint64 deadline, GError **error)
{
  g_autofree char *key = g_strdup_printf ("row-%u", number);
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_get (plan, "orders", tall_slice_str (key));
  g_autoptr (TallReadResult) result = tall_table_read (table, plan, deadline, error);
  if (result == NULL)
    return FALSE;
  g_assert_cmpuint (result->results[0].n_rows, ==, 1);
  g_assert_true (
      tall_slice_equal (result->results[0].rows[0].cells[0].value, tall_slice_str (key)));
  return TRUE;
}

/* The answer comes after its call's time: it is nobody's, whatever is asked next. */
static void
test_late_answer (void)
{
  tall_fake_time_pass (TRUE);
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  g_autoptr (TallTable) table = open_table (gateway, 20000);
  for (guint i = 0; i < 10; i++)
    {
      tall_fake_gateway_set_answer (gateway, "get", TALL_FAKE_LATE, 1);
      must_fail (read_row (table, 2 * i, NEAR, &error), TALL_ERROR_TIMED_OUT);
      tall_fake_gateway_send_late (gateway);
      must (read_row (table, 2 * i + 1, SOON, &error));
    }
  tall_fake_time_pass (FALSE);
}

/* What the pool gives a call if a test waits for that to be over; a gateway that is well answers
 * within it also on a busy machine. Milliseconds. */
#define CALL_TIMEOUT 2000

/* The pool's own time is over: the call is made again, while the first answer is on its way. */
static void
test_late_answer_repeated (void)
{
  tall_fake_time_pass (TRUE);
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  g_autoptr (TallTable) table = open_table (gateway, CALL_TIMEOUT);
  for (guint i = 0; i < 3; i++)
    {
      tall_fake_gateway_set_answer (gateway, "get", TALL_FAKE_LATE, 1);
      must (read_row (table, 2 * i, SOON, &error));
      tall_fake_gateway_send_late (gateway);
      must (read_row (table, 2 * i + 1, SOON, &error));
    }
  tall_fake_time_pass (FALSE);
}

/* A conditional write that came through late says nothing about the next one. */
static void
test_late_condition (void)
{
  tall_fake_time_pass (TRUE);
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  g_autoptr (TallTable) table = open_table (gateway, 20000);
  g_autoptr (GError) error = NULL;
  tall_fake_gateway_set_answer (gateway, "checkAndPut", TALL_FAKE_LATE, 1);
  must_fail (tall_hbase_fixture_write_if (table, NEAR, &error), TALL_ERROR_OUTCOME_UNKNOWN);
  tall_fake_gateway_send_late (gateway);

  tall_fake_gateway_set_answer (gateway, "checkAndPut", TALL_FAKE_NO, 1);
  g_assert_false (tall_hbase_fixture_write_if (table, SOON, &error));
  g_assert_no_error (error);
  tall_fake_time_pass (FALSE);
}

/* The first is cut off from HBase at some time. */
static void
open_pair (TallHbasePair *pair)
{
  TallHbaseOptions options = TALL_HBASE_OPTIONS_INIT;
  options.call_timeout = CALL_TIMEOUT;
  tall_hbase_pair_init (pair);
  tall_hbase_pair_open (pair, options);
}

/* One is alive, but HBase does not answer through it: one call finds out, and it has its turns
 * again once HBase answers. */
static void
test_cut_off (void)
{
  tall_fake_time_pass (TRUE);
  g_auto (TallHbasePair) pair;
  open_pair (&pair);
  tall_hbase_pair_expect_turns (&pair);

  tall_fake_gateway_set_answer (pair.bad, "get", TALL_FAKE_SILENT, 1000);
  tall_fake_gateway_set_answer (pair.bad, "tableExists", TALL_FAKE_SILENT, 1000);
  guint reads = tall_hbase_fixture_count_reads (pair.bad);
  guint questions = tall_fake_gateway_get_calls (pair.bad, "tableExists");
  gint64 start = g_get_monotonic_time ();
  tall_hbase_fixture_expect_reads (pair.table, 20);
  /* Every other one would take that long, which is 20 s in all. */
  g_assert_cmpint (g_get_monotonic_time () - start, <, 10 * CALL_TIMEOUT * G_TIME_SPAN_MILLISECOND);
  tall_fake_gateway_wait_for_calls (pair.bad, "tableExists", questions + 2);
  tall_hbase_fixture_expect_reads (pair.table, 20);
  g_assert_cmpuint (tall_hbase_fixture_count_reads (pair.bad), ==, reads + 1);

  tall_fake_gateway_set_answer (pair.bad, "get", TALL_FAKE_ANSWER, 0);
  tall_fake_gateway_set_answer (pair.bad, "tableExists", TALL_FAKE_ANSWER, 0);
  tall_hbase_pair_expect_turns (&pair);
  tall_fake_time_pass (FALSE);
}

/* So it is if nothing was read or written by it before: the self-test finds out. */
static void
test_cut_off_at_first (void)
{
  tall_fake_time_pass (TRUE);
  g_auto (TallHbasePair) pair;
  open_pair (&pair);
  tall_hbase_pair_expect_turns (&pair);

  tall_fake_gateway_set_answer (pair.bad, "getScannerResults", TALL_FAKE_SILENT, 1000);
  tall_fake_gateway_set_answer (pair.bad, "tableExists", TALL_FAKE_SILENT, 1000);
  gint64 end = SOON;
  while (tall_fake_gateway_get_calls (pair.bad, "getScannerResults") == 0)
    {
      must (tall_hbase_fixture_write (pair.table, SOON, &error));
      g_assert_cmpint (g_get_monotonic_time (), <, end);
    }
  for (guint i = 0; i < 20; i++)
    must (tall_hbase_fixture_write (pair.table, SOON, &error));
  g_assert_cmpuint (tall_fake_gateway_get_calls (pair.bad, "getScannerResults"), ==, 1);
  g_assert_cmpuint (tall_fake_gateway_get_calls (pair.bad, "putMultiple"), ==, 0);
  tall_fake_time_pass (FALSE);
}

/* HBase answers through none: each call is tried all the same, as it may be for another region. */
static void
test_all_cut_off (void)
{
  tall_fake_time_pass (TRUE);
  g_auto (TallHbasePair) pair;
  open_pair (&pair);
  tall_hbase_pair_expect_turns (&pair);

  TallFakeGateway *both[] = { pair.bad, pair.good };
  for (guint i = 0; i < 2; i++)
    {
      tall_fake_gateway_set_answer (both[i], "tableExists", TALL_FAKE_SILENT, 100000);
      tall_fake_gateway_set_answer (both[i], "get", TALL_FAKE_SILENT, 2);
    }
  must_fail (tall_hbase_fixture_read (pair.table, 1, SOON, &error), TALL_ERROR_UNAVAILABLE,
             "answers, but HBase behind it does not");
  guint reads = tall_hbase_fixture_count_reads (pair.good);
  tall_hbase_fixture_expect_reads (pair.table, 20);
  g_assert_cmpuint (tall_hbase_fixture_count_reads (pair.good), >, reads);
  tall_fake_time_pass (FALSE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table/hbase/pool/called-for-nothing", test_called_for_nothing);
  g_test_add_func ("/table/hbase/pool/line-full", test_line_full);
  g_test_add_func ("/table/hbase/pool/line-after-loss", test_line_after_loss);
  g_test_add_func ("/table/hbase/pool/not-handed-over", test_not_handed_over);
  g_test_add_func ("/table/hbase/pool/kept-closed", test_kept_closed);
  g_test_add_func ("/table/hbase/pool/nothing-left", test_nothing_left);
  g_test_add_func ("/table/hbase/pool/in-a-hurry", test_in_a_hurry);
  g_test_add_func ("/table/hbase/pool/in-a-hurry-to-connect", test_in_a_hurry_to_connect);
  g_test_add_func ("/table/hbase/pool/late-answer", test_late_answer);
  g_test_add_func ("/table/hbase/pool/late-answer-repeated", test_late_answer_repeated);
  g_test_add_func ("/table/hbase/pool/late-condition", test_late_condition);
  g_test_add_func ("/table/hbase/pool/cut-off", test_cut_off);
  g_test_add_func ("/table/hbase/pool/cut-off-at-first", test_cut_off_at_first);
  g_test_add_func ("/table/hbase/pool/all-cut-off", test_all_cut_off);
  return g_test_run ();
}
