/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-hbase-fixture.h"
#include "table/hbase/pool.h"
#include "tall-must.h"

/* Which of two gateways lends a connection. */

#define BAD 0
#define GOOD 1

/* What the pool gives a call if a test waits for that to be over; a gateway that is well answers
 * within it also on a busy machine. Milliseconds. */
#define CALL_TIMEOUT 2000

/* Threads that can be started, from now on. */
static gint n_threads_left = G_MAXINT; /* atomic */

/* Replaces GLib's, which the pool starts its threads with. */
GThread *
g_thread_try_new (const char *name, GThreadFunc func, gpointer data, GError **error)
{
  if (g_atomic_int_get (&n_threads_left) > 0)
    {
      g_atomic_int_add (&n_threads_left, -1);
      return g_thread_new (name, func, data);
    }
  g_set_error_literal (error, G_THREAD_ERROR, G_THREAD_ERROR_AGAIN, "no thread is left");
  return NULL;
}

/* Two gateways, of which the first comes to harm, and the pool of their connections. */
typedef struct
{
  TallFakeGateway *bad;
  TallFakeGateway *good;
  TallHbasePool *pool;
  GPtrArray *lent; /* of TallHbaseLink */
} Pair;

/* Each has answered and has one connection to lend. */
static void
pair_init (Pair *self, guint call_timeout)
{
  TallHbaseOptions options = TALL_HBASE_OPTIONS_INIT;
  self->bad = tall_fake_gateway_new (FALSE, FALSE);
  self->good = tall_fake_gateway_new (FALSE, FALSE);
  const char *gateways[] = { tall_fake_gateway_get_address (self->bad),
                             tall_fake_gateway_get_address (self->good), NULL };
  options.gateways = gateways;
  options.connect_timeout = 60000;
  options.wait_timeout = 60000;
  options.call_timeout = call_timeout;
  self->pool = must (tall_hbase_pool_new (&options, &error));
  self->lent = g_ptr_array_new ();
  g_autoptr (GPtrArray) servers = tall_hbase_pool_describe (self->pool, TALL_NO_DEADLINE);
  for (guint i = 0; i < servers->len; i++)
    g_assert_cmpuint (((TallTableServer *)servers->pdata[i])->connections, ==, 1);
}

static void
give_all_back (Pair *self)
{
  for (guint i = 0; i < self->lent->len; i++)
    tall_hbase_pool_give_back (self->pool, self->lent->pdata[i]);
  g_ptr_array_set_size (self->lent, 0);
}

static void
pair_clear (Pair *self)
{
  give_all_back (self);
  g_ptr_array_unref (self->lent);
  tall_hbase_pool_close (self->pool);
  tall_fake_gateway_free (self->bad);
  tall_fake_gateway_free (self->good);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pair, pair_clear)

static TallHbaseLink *
take (Pair *self)
{
  return must (tall_hbase_pool_take (self->pool, TALL_HBASE_WAIT, SOON, &error));
}

/* Has one more connection to that gateway lent. */
static TallHbaseLink *
hold (Pair *self, guint gateway)
{
  gint64 end = SOON;
  TallHbaseLink *link = take (self);
  while (link->gateway != gateway)
    {
      tall_hbase_pool_give_back (self->pool, link);
      g_assert_cmpint (g_get_monotonic_time (), <, end);
      link = take (self);
    }
  g_ptr_array_add (self->lent, link);
  return link;
}

/* Takes connections and gives each back at once. */
static void
expect_good (Pair *self, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      TallHbaseLink *link = take (self);
      g_assert_cmpuint (link->gateway, ==, GOOD);
      tall_hbase_pool_give_back (self->pool, link);
    }
}

/* One stops to answer while its connections are lent: nobody waits for a new one while the other
 * gateway has one. */
static void
test_idle_first (void)
{
  g_auto (Pair) pair = { NULL };
  pair_init (&pair, 60000);
  hold (&pair, BAD);
  tall_fake_gateway_set_answer (pair.bad, "getThriftServerType", TALL_FAKE_SILENT, 1000);

  gint64 start = g_get_monotonic_time ();
  expect_good (&pair, 20);
  /* To open one takes a minute. */
  g_assert_cmpint (g_get_monotonic_time () - start, <, 20 * G_TIME_SPAN_SECOND);
}

/* While it answers it gets more connections all the same, and with them its share of the calls. */
static void
test_share (void)
{
  g_auto (Pair) pair = { NULL };
  pair_init (&pair, 60000);
  for (guint i = 0; i < 3; i++)
    hold (&pair, BAD);
  g_assert_cmpuint (tall_fake_gateway_get_connections (pair.good), ==, 1);
}

/* Returns: a connection for writes. */
static gpointer
take_to_write (gpointer pair)
{
  TallHbaseLink *link =
      must (tall_hbase_pool_take_to_write (((Pair *)pair)->pool, TALL_HBASE_WAIT, SOON, &error));
  return link;
}

/* Has one more connection to that gateway lent for writes. */
static void
hold_to_write (Pair *self, guint gateway)
{
  gint64 end = SOON;
  TallHbaseLink *link = take_to_write (self);
  while (link->gateway != gateway)
    {
      tall_hbase_pool_give_back (self->pool, link);
      g_assert_cmpint (g_get_monotonic_time (), <, end);
      link = take_to_write (self);
    }
  g_ptr_array_add (self->lent, link);
}

static guint
count_tests (TallFakeGateway *gateway)
{
  return tall_fake_gateway_get_calls (gateway, "getScannerResults");
}

/* A writer that has the bad gateway tested, which is cut off from HBase. */
static GThread *
start_test (Pair *self)
{
  TallHbaseLink *good = hold (self, GOOD);
  tall_fake_gateway_set_answer (self->bad, "getScannerResults", TALL_FAKE_SILENT, 1000);
  tall_fake_gateway_set_answer (self->bad, "tableExists", TALL_FAKE_SILENT, 1000);
  GThread *thread = g_thread_new ("writer", take_to_write, self);
  tall_fake_gateway_wait_for_calls (self->bad, "getScannerResults", 1);
  g_ptr_array_remove (self->lent, good);
  tall_hbase_pool_give_back (self->pool, good);
  return thread;
}

static void
expect_good_to_write (Pair *self, TallHbaseLink *link)
{
  g_ptr_array_add (self->lent, link);
  g_assert_cmpuint (link->gateway, ==, GOOD);
}

/* While one is tested and does not answer, others write by the other one. */
static void
test_tested_apart (void)
{
  g_auto (Pair) pair = { NULL };
  pair_init (&pair, 60000);
  GThread *thread = start_test (&pair);
  gint64 start = g_get_monotonic_time ();
  expect_good_to_write (&pair, take_to_write (&pair));
  g_assert_cmpint (g_get_monotonic_time () - start, <, 20 * G_TIME_SPAN_SECOND);
  g_assert_cmpuint (count_tests (pair.good), ==, 1);

  tall_fake_gateway_set_answer (pair.bad, "getThriftServerType", TALL_FAKE_CLOSE, 100000);
  tall_fake_gateway_close_connections (pair.bad);
  expect_good_to_write (&pair, g_thread_join (thread));
}

/* Several have connections to a gateway that is cut off: one of them finds out for all. */
static void
test_tested_once (void)
{
  g_auto (Pair) pair = { NULL };
  GThread *threads[8];
  pair_init (&pair, CALL_TIMEOUT);
  threads[0] = start_test (&pair);
  for (guint i = 1; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("writer", take_to_write, &pair);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    expect_good_to_write (&pair, g_thread_join (threads[i]));
  g_assert_cmpuint (count_tests (pair.bad), ==, 1);
}

/* Takes connections for writes until the bad gateway has failed its test, with these answers. */
static void
have_answered (Pair *self, const char *answers)
{
  gint64 end = SOON;
  tall_fake_gateway_set_self_test (self->bad, answers, "older=kept p=2 s=2 twice=second");
  while (count_tests (self->bad) == 0)
    {
      expect_good_to_write (self, take_to_write (self));
      g_assert_cmpint (g_get_monotonic_time (), <, end);
    }
}

/* It fails from now on. */
static void
have_refused (Pair *self)
{
  g_autofree char *answers = g_strnfill (100, '0');
  have_answered (self, answers);
}

/* Somebody reads by a gateway that is refused meanwhile, and goes on until it has failed again:
 * nobody reads by it after that. */
static void
test_refused_while_lent (void)
{
  g_auto (Pair) pair = { NULL };
  pair_init (&pair, 60000);
  hold (&pair, BAD);
  hold (&pair, GOOD);
  have_refused (&pair);
  /* When it is tested for the third time the second one is over; each is made twice. */
  tall_fake_gateway_wait_for_calls (pair.bad, "getScannerResults", 5);
  give_all_back (&pair);
  expect_good (&pair, 20);
}

/* Until no connection to the bad gateway is being opened without a caller. */
static void
wait_until_quiet (Pair *self)
{
  gint64 end = SOON;
  for (gboolean quiet = FALSE; !quiet;)
    {
      g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->pool->mutex);
      const TallHbaseGateway *bad = &self->pool->gateways[BAD];
      quiet = !bad->wanted
              && bad->n_open == tall_fake_gateway_get_calls (self->bad, "getThriftServerType");
      g_assert_cmpint (g_get_monotonic_time (), <, end);
    }
}

/* It is refused while it is asked whether it is there, as somebody had no time: that it is does not
 * help it. */
static void
test_refused_while_asked (void)
{
  g_auto (Pair) pair = { NULL };
  gint64 end = SOON;
  pair_init (&pair, 60000);
  TallHbaseLink *hasty = hold (&pair, BAD);
  hold (&pair, BAD);
  wait_until_quiet (&pair);
  guint questions = tall_fake_gateway_get_calls (pair.bad, "getThriftServerType");
  tall_fake_gateway_set_answer (pair.bad, "getThriftServerType", TALL_FAKE_LATE, 1);
  hasty->hurried = TRUE;
  tall_transport_break (hasty->connection);
  give_all_back (&pair);
  tall_fake_gateway_wait_for_calls (pair.bad, "getThriftServerType", questions + 1);

  have_refused (&pair);
  give_all_back (&pair);
  guint tests = count_tests (pair.bad);
  while (count_tests (pair.bad) == tests)
    {
      tall_fake_gateway_send_late (pair.bad);
      expect_good (&pair, 2);
      g_assert_cmpint (g_get_monotonic_time (), <, end);
    }
}

static gboolean
is_tested_now (Pair *self, guint gateway)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->pool->mutex);
  return self->pool->gateways[gateway].testing;
}

/* A table for the test is made while a gateway is tested, which finds no such table: that does not
 * count. */
static void
test_outdated (void)
{
  g_auto (Pair) pair = { NULL };
  g_autoptr (GError) error = NULL;
  pair_init (&pair, 60000);
  TallHbaseLink *good = hold (&pair, GOOD);
  tall_fake_gateway_set_answer (pair.bad, "tableExists", TALL_FAKE_LATE, 1);
  GThread *thread = g_thread_new ("writer", take_to_write, &pair);
  tall_fake_gateway_wait_for_calls (pair.bad, "tableExists", 1);
  g_ptr_array_remove (pair.lent, good);
  tall_hbase_pool_give_back (pair.pool, good);

  if (!tall_hbase_pool_test_again (pair.pool, NEAR, &error)) /* it may wait for the same gateway */
    g_assert_error (error, TALL_ERROR, TALL_ERROR_TIMED_OUT);
  while (is_tested_now (&pair, BAD))
    tall_fake_gateway_send_late (pair.bad);
  TallHbaseLink *link = g_thread_join (thread);
  g_assert_cmpuint (link->gateway, ==, BAD);
  g_assert_cmpuint (count_tests (pair.bad), ==, 1);

  tall_hbase_pool_give_back (pair.pool, link);
  hold_to_write (&pair, BAD);
  g_assert_cmpuint (count_tests (pair.bad), ==, 2);
}

/* No thread can be started to ask the second gateway: the pool is not opened. */
static void
test_no_thread (void)
{
  static const char *const gateways[] = { "127.0.0.1:1", "127.0.0.1:2", NULL };
  TallHbaseOptions options = TALL_HBASE_OPTIONS_INIT;
  options.gateways = gateways;
  g_atomic_int_set (&n_threads_left, 1);
  must_fail (tall_hbase_pool_new (&options, &error), TALL_ERROR_OVERLOADED, "no thread is left");
  g_atomic_int_set (&n_threads_left, G_MAXINT);
}

/* A thread that pauses, as HBase did not answer, is woken when a call fails. */
static void
test_woken (void)
{
  g_auto (Pair) pair = { NULL };
  pair_init (&pair, 60000);
  TallHbaseLink *link = hold (&pair, BAD);
  wait_until_quiet (&pair);
  g_mutex_lock (&pair.pool->mutex);
  pair.pool->gateways[BAD].hbase = TALL_HBASE_MUTE;
  pair.pool->gateways[BAD].failed_until = g_get_monotonic_time () + G_TIME_SPAN_HOUR;
  g_cond_broadcast (&pair.pool->changed);
  g_mutex_unlock (&pair.pool->mutex);
  guint questions = tall_fake_gateway_get_calls (pair.bad, "getThriftServerType");
  tall_transport_break (link->connection);
  give_all_back (&pair);
  tall_fake_gateway_wait_for_calls (pair.bad, "getThriftServerType", questions + 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table/hbase/lending/idle-first", test_idle_first);
  g_test_add_func ("/table/hbase/lending/share", test_share);
  g_test_add_func ("/table/hbase/lending/tested-apart", test_tested_apart);
  g_test_add_func ("/table/hbase/lending/tested-once", test_tested_once);
  g_test_add_func ("/table/hbase/lending/refused-while-lent", test_refused_while_lent);
  g_test_add_func ("/table/hbase/lending/refused-while-asked", test_refused_while_asked);
  g_test_add_func ("/table/hbase/lending/outdated", test_outdated);
  g_test_add_func ("/table/hbase/lending/no-thread", test_no_thread);
  g_test_add_func ("/table/hbase/lending/woken", test_woken);
  return g_test_run ();
}
