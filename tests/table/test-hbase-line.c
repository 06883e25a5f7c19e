/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/merge.h"

/* Tests which get leaves the line when. Requests are the test's: they end when it says so. */

#define MAX_WAITING 200
#define CONNECTIONS 12
#define FOR_EVER (3600 * G_TIME_SPAN_SECOND)

typedef struct
{
  TallHbaseLine *line;
  GMutex mutex;
  GCond changed;
  GArray *sizes;      /* of guint: rows of each request, in the order in which they left */
  guint n_may_end;    /* requests, from the first */
  gboolean fail;      /* they end without rows */
  GPtrArray *readers; /* of GThread */
  guint states[6];    /* how many reads ended so, by TallHbaseShareState */
  guint n_gateways;
  gint64 limit;
} Fixture;

static void
fixture_init (Fixture *self, guint n_gateways, gint64 patience)
{
  *self = (Fixture){ .line = tall_hbase_line_new (MAX_WAITING, patience) };
  self->n_gateways = n_gateways;
  self->sizes = g_array_new (FALSE, FALSE, sizeof (guint));
  self->readers = g_ptr_array_new ();
  self->limit = g_get_monotonic_time () + FOR_EVER;
  g_mutex_init (&self->mutex);
  g_cond_init (&self->changed);
}

/* A get of the test's own thread, of a row of so many bytes, from the beginning to the end. */
static void
read_alone (Fixture *self, gsize bytes)
{
  g_auto (TallHbaseShare) get;
  TallHbaseShare *gets[TALL_HBASE_MAX_SHARES];
  tall_hbase_share_init (&get, TALL_NO_DEADLINE);
  g_assert_cmpint (tall_hbase_line_wait (self->line, &get, self->n_gateways, self->limit), ==,
                   TALL_HBASE_SHARE_LEADS);
  g_assert_cmpuint (tall_hbase_line_leave (self->line, &get, gets), ==, 1);
  tall_hbase_line_end (self->line, 1, bytes);
}

/* Requests up to @n end. */
static void
let_end (Fixture *self, guint n)
{
  g_mutex_lock (&self->mutex);
  self->n_may_end = n;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->mutex);
}

static void
join_readers (Fixture *self)
{
  for (guint i = 0; i < self->readers->len; i++)
    g_thread_join (g_ptr_array_index (self->readers, i));
  g_ptr_array_set_size (self->readers, 0);
}

static void
fixture_clear (Fixture *self)
{
  let_end (self, G_MAXUINT);
  join_readers (self);
  g_assert_cmpuint (tall_hbase_line_count (self->line), ==, 0);
  tall_hbase_line_free (self->line);
  g_array_unref (self->sizes);
  g_ptr_array_unref (self->readers);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->changed);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fixture, fixture_clear)

static void
run_request (Fixture *self, TallHbaseShare *leader)
{
  TallHbaseShare *gets[TALL_HBASE_MAX_SHARES];
  g_mutex_lock (&self->mutex);
  guint n = tall_hbase_line_leave (self->line, leader, gets);
  g_array_append_val (self->sizes, n);
  guint number = self->sizes->len;
  g_cond_broadcast (&self->changed);
  while (number > self->n_may_end)
    g_cond_wait (&self->changed, &self->mutex);
  g_mutex_unlock (&self->mutex);

  tall_hbase_line_end (self->line, n, self->fail ? 0 : 100 * n);
  for (guint i = 0; i < n; i++)
    tall_hbase_share_set (gets[i], self->fail ? TALL_HBASE_SHARE_ALONE : TALL_HBASE_SHARE_DONE);
}

static gpointer
read_row (gpointer data)
{
  Fixture *self = data;
  g_auto (TallHbaseShare) get;
  tall_hbase_share_init (&get, TALL_NO_DEADLINE);
  if (tall_hbase_line_wait (self->line, &get, self->n_gateways, self->limit)
      == TALL_HBASE_SHARE_LEADS)
    run_request (self, &get);
  g_mutex_lock (&self->mutex);
  self->states[get.state]++;
  g_mutex_unlock (&self->mutex);
  return NULL;
}

static void
start (Fixture *self, guint n)
{
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (self->readers, g_thread_new ("reader", read_row, self));
}

static void
wait_for_line (Fixture *self, guint n)
{
  gint64 end = g_get_monotonic_time () + G_TIME_SPAN_MINUTE;
  while (tall_hbase_line_count (self->line) != n)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, end);
      g_thread_yield ();
    }
}

/* Returns: rows of a request, once it has left */
static guint
wait_for_request (Fixture *self, guint number)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  gint64 end = g_get_monotonic_time () + G_TIME_SPAN_MINUTE;
  while (self->sizes->len <= number)
    g_assert_true (g_cond_wait_until (&self->changed, &self->mutex, end));
  return g_array_index (self->sizes, guint, number);
}

/* So many wait behind two requests of one row, which are all that may be under way. */
static void
fill (Fixture *self, guint n)
{
  start (self, 1);
  g_assert_cmpuint (wait_for_request (self, 0), ==, 1);
  start (self, 1);
  g_assert_cmpuint (wait_for_request (self, 1), ==, 1);
  start (self, n);
  wait_for_line (self, n);
}

/* Nobody waits for those who might come; those who came leave together when one ends. */
static void
test_together (void)
{
  g_auto (Fixture) fixture = { NULL };
  fixture_init (&fixture, 1, FOR_EVER);
  fill (&fixture, 20);
  let_end (&fixture, 1);
  g_assert_cmpuint (wait_for_request (&fixture, 2), ==, 20);
  let_end (&fixture, 3);
  join_readers (&fixture);
  g_assert_cmpuint (fixture.states[TALL_HBASE_SHARE_DONE], ==, 22);
  g_assert_cmpuint (fixture.sizes->len, ==, 3);
}

/* Besides a large request another one leaves once it is as large, and not before. */
static void
test_second (void)
{
  g_auto (Fixture) fixture = { NULL };
  fixture_init (&fixture, 1, FOR_EVER);
  fill (&fixture, 20);
  let_end (&fixture, 2);
  g_assert_cmpuint (wait_for_request (&fixture, 2), ==, 20);
  start (&fixture, 19);
  wait_for_line (&fixture, 19);
  g_assert_cmpuint (fixture.sizes->len, ==, 3);
  start (&fixture, 1);
  g_assert_cmpuint (wait_for_request (&fixture, 3), ==, 20);
}

/* A full request does not wait for anything. */
static void
test_full (void)
{
  g_auto (Fixture) fixture = { NULL };
  fixture_init (&fixture, 1, FOR_EVER);
  read_alone (&fixture, 100);
  fill (&fixture, TALL_HBASE_MAX_SHARES - 1);
  start (&fixture, 1);
  g_assert_cmpuint (wait_for_request (&fixture, 2), ==, TALL_HBASE_MAX_SHARES);
}

/* Requests that do not come back hold nobody up: who has waited long enough leaves. */
static void
test_patience (void)
{
  g_auto (Fixture) fixture = { NULL };
  fixture_init (&fixture, 1, 20 * G_TIME_SPAN_MILLISECOND);
  start (&fixture, 1);
  wait_for_request (&fixture, 0);
  start (&fixture, 1);
  wait_for_request (&fixture, 1);
  start (&fixture, 1);
  g_assert_cmpuint (wait_for_request (&fixture, 2), ==, 1);
  g_assert_cmpuint (fixture.n_may_end, ==, 0);
}

/* Each gateway has its own. */
static void
test_gateways (void)
{
  g_auto (Fixture) fixture = { NULL };
  fixture_init (&fixture, 3, FOR_EVER);
  for (guint i = 0; i < 6; i++)
    {
      start (&fixture, 1);
      g_assert_cmpuint (wait_for_request (&fixture, i), ==, 1);
    }
  start (&fixture, 5);
  wait_for_line (&fixture, 5);
  let_end (&fixture, 1);
  g_assert_cmpuint (wait_for_request (&fixture, 6), ==, 5);
}

/* Large rows come in smaller numbers: these are 2 MB and a little, by what is known of them. */
static void
test_large_rows (void)
{
  g_auto (Fixture) fixture = { NULL };
  fixture_init (&fixture, 1, FOR_EVER);
  read_alone (&fixture, 100);
  read_alone (&fixture, 4 * 1024 * 1024);
  fill (&fixture, 2);
  start (&fixture, 1);
  g_assert_cmpuint (wait_for_request (&fixture, 2), ==, 3);
}

/* A request that has failed says nothing of its rows. */
static void
test_failed_rows (void)
{
  g_auto (Fixture) fixture = { NULL };
  fixture_init (&fixture, 1, FOR_EVER);
  read_alone (&fixture, 2 * 1024 * 1024);
  for (guint i = 0; i < 5; i++)
    read_alone (&fixture, 0);
  fill (&fixture, 2);
  start (&fixture, 1);
  g_assert_cmpuint (wait_for_request (&fixture, 2), ==, 3);
}

/* As long as nothing is known of the rows, they may be large. */
static void
test_unknown_rows (void)
{
  g_auto (Fixture) fixture = { NULL };
  fixture_init (&fixture, 1, FOR_EVER);
  fill (&fixture, 31);
  start (&fixture, 1);
  g_assert_cmpuint (wait_for_request (&fixture, 2), ==, 32);
}

/* A leader that finds no connection holds up the others no longer than their patience lasts. */
static void
test_stuck_leader (void)
{
  g_auto (Fixture) fixture = { NULL };
  fixture_init (&fixture, 1, 20 * G_TIME_SPAN_MILLISECOND);
  g_auto (TallHbaseShare) get;
  tall_hbase_share_init (&get, TALL_NO_DEADLINE);
  g_assert_cmpint (tall_hbase_line_wait (fixture.line, &get, 1, fixture.limit), ==,
                   TALL_HBASE_SHARE_LEADS);
  start (&fixture, 1);
  g_assert_cmpuint (wait_for_request (&fixture, 0), >=, 1);
  tall_hbase_line_resign (fixture.line);
}

/* More than one for each gateway, and one, do not look for a connection at a time. */
static void
test_few_leaders (void)
{
  g_auto (Fixture) fixture = { NULL };
  fixture_init (&fixture, 1, G_TIME_SPAN_MILLISECOND);
  TallHbaseShare leaders[2];
  for (guint i = 0; i < G_N_ELEMENTS (leaders); i++)
    {
      tall_hbase_share_init (&leaders[i], TALL_NO_DEADLINE);
      g_assert_cmpint (tall_hbase_line_wait (fixture.line, &leaders[i], 1, fixture.limit), ==,
                       TALL_HBASE_SHARE_LEADS);
    }
  start (&fixture, 20);
  wait_for_line (&fixture, 22);
  g_usleep (20 * G_TIME_SPAN_MILLISECOND);
  g_assert_cmpuint (fixture.sizes->len, ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (leaders); i++)
    {
      tall_hbase_line_resign (fixture.line);
      tall_hbase_share_clear (&leaders[i]);
    }
  g_assert_cmpuint (wait_for_request (&fixture, 0), >=, 1);
}

/* Nor do more than fit into a request that does not end. */
static void
test_left_behind (void)
{
  g_auto (Fixture) fixture = { NULL };
  fixture_init (&fixture, 1, 20 * G_TIME_SPAN_MILLISECOND);
  start (&fixture, 150);
  guint n = 0;
  for (guint i = 0; n < 150; i++)
    n += wait_for_request (&fixture, i);
  g_assert_cmpuint (n, ==, 150);
  g_assert_cmpuint (fixture.n_may_end, ==, 0);
}

/* A crowd is forgotten within a few requests. */
static void
test_crowd (void)
{
  g_auto (Fixture) fixture = { NULL };
  fixture_init (&fixture, 1, FOR_EVER);
  read_alone (&fixture, 100);
  g_assert_false (tall_hbase_line_is_crowded (fixture.line, CONNECTIONS));
  fill (&fixture, 60);
  g_assert_true (tall_hbase_line_is_crowded (fixture.line, CONNECTIONS));
  let_end (&fixture, 3);
  join_readers (&fixture);
  g_assert_true (tall_hbase_line_is_crowded (fixture.line, CONNECTIONS));

  let_end (&fixture, G_MAXUINT);
  guint n = 0;
  for (; tall_hbase_line_is_crowded (fixture.line, CONNECTIONS); n++)
    {
      start (&fixture, 1);
      join_readers (&fixture);
    }
  g_assert_cmpuint (n, >=, 2);
  g_assert_cmpuint (n, <=, 10);
}

static void
test_failed (void)
{
  g_auto (Fixture) fixture = { NULL };
  fixture_init (&fixture, 1, FOR_EVER);
  fixture.fail = TRUE;
  fill (&fixture, 5);
  let_end (&fixture, G_MAXUINT);
  join_readers (&fixture);
  g_assert_cmpuint (fixture.states[TALL_HBASE_SHARE_ALONE], ==, 7);
}

/* A leader that finds no connection makes room for another. */
static void
test_resign (void)
{
  g_auto (Fixture) fixture = { NULL };
  fixture_init (&fixture, 1, FOR_EVER);
  g_auto (TallHbaseShare) get;
  tall_hbase_share_init (&get, TALL_NO_DEADLINE);
  g_assert_cmpint (tall_hbase_line_wait (fixture.line, &get, 1, fixture.limit), ==,
                   TALL_HBASE_SHARE_LEADS);
  start (&fixture, 4);
  wait_for_line (&fixture, 5);
  g_assert_cmpuint (fixture.sizes->len, ==, 0);
  tall_hbase_line_resign (fixture.line);
  g_assert_cmpuint (wait_for_request (&fixture, 0), ==, 4);
}

/* A get whose time is over leaves the line, and so does one that finds it full. */
static void
test_limit (void)
{
  g_auto (Fixture) fixture = { NULL };
  fixture_init (&fixture, 1, FOR_EVER);
  fill (&fixture, 0);
  g_auto (TallHbaseShare) get;
  tall_hbase_share_init (&get, TALL_NO_DEADLINE);
  gint64 limit = g_get_monotonic_time () + 20 * G_TIME_SPAN_MILLISECOND;
  g_assert_cmpint (tall_hbase_line_wait (fixture.line, &get, 1, limit), ==,
                   TALL_HBASE_SHARE_WAITING);
  g_assert_cmpuint (tall_hbase_line_count (fixture.line), ==, 0);
}

static void
test_line_full (void)
{
  TallHbaseLine *line = tall_hbase_line_new (1, FOR_EVER);
  g_auto (TallHbaseShare) first;
  g_auto (TallHbaseShare) second;
  tall_hbase_share_init (&first, TALL_NO_DEADLINE);
  tall_hbase_share_init (&second, TALL_NO_DEADLINE);
  g_assert_cmpint (tall_hbase_line_wait (line, &first, 1, TALL_NO_DEADLINE), ==,
                   TALL_HBASE_SHARE_LEADS);
  g_assert_cmpint (tall_hbase_line_wait (line, &second, 1, TALL_NO_DEADLINE), ==,
                   TALL_HBASE_SHARE_WAITING);
  tall_hbase_line_resign (line);
  tall_hbase_line_free (line);
}

static gpointer
look_for_ever (gpointer data)
{
  Fixture *self = data;
  g_auto (TallHbaseShare) get;
  tall_hbase_share_init (&get, TALL_NO_DEADLINE);
  g_assert_cmpint (tall_hbase_line_wait (self->line, &get, self->n_gateways, self->limit), ==,
                   TALL_HBASE_SHARE_LEADS);
  return NULL;
}

/* Those who have waited long enough do not all leave at once: each leader has its time to find a
 * connection, for all behind it. */
static void
test_leaders_in_turn (void)
{
  const gint64 patience = 20 * G_TIME_SPAN_MILLISECOND;
  g_auto (Fixture) fixture = { NULL };
  fixture_init (&fixture, 8, patience);
  gint64 begin = g_get_monotonic_time ();
  for (guint i = 0; i < 5; i++)
    g_ptr_array_add (fixture.readers, g_thread_new ("reader", look_for_ever, &fixture));
  join_readers (&fixture);
  g_assert_cmpint (g_get_monotonic_time () - begin, >=, 4 * patience);
  for (guint i = 0; i < 5; i++)
    tall_hbase_line_resign (fixture.line);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table/hbase/line/together", test_together);
  g_test_add_func ("/table/hbase/line/second", test_second);
  g_test_add_func ("/table/hbase/line/full", test_full);
  g_test_add_func ("/table/hbase/line/patience", test_patience);
  g_test_add_func ("/table/hbase/line/gateways", test_gateways);
  g_test_add_func ("/table/hbase/line/large-rows", test_large_rows);
  g_test_add_func ("/table/hbase/line/failed-rows", test_failed_rows);
  g_test_add_func ("/table/hbase/line/unknown-rows", test_unknown_rows);
  g_test_add_func ("/table/hbase/line/stuck-leader", test_stuck_leader);
  g_test_add_func ("/table/hbase/line/few-leaders", test_few_leaders);
  g_test_add_func ("/table/hbase/line/leaders-in-turn", test_leaders_in_turn);
  g_test_add_func ("/table/hbase/line/left-behind", test_left_behind);
  g_test_add_func ("/table/hbase/line/crowd", test_crowd);
  g_test_add_func ("/table/hbase/line/failed", test_failed);
  g_test_add_func ("/table/hbase/line/resign", test_resign);
  g_test_add_func ("/table/hbase/line/limit", test_limit);
  g_test_add_func ("/table/hbase/line/line-full", test_line_full);
  return g_test_run ();
}
