/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/workers.h"

#define MANY 1000

/* Pieces of work that count themselves. */
typedef struct
{
  gint n_done[MANY]; /* atomic */
  gint n_running;    /* atomic */
  gint most;         /* atomic: that ever ran at once */
} Count;

static void
count (gpointer data, guint i)
{
  Count *self = data;
  gint n = g_atomic_int_add (&self->n_running, 1) + 1;
  for (gint most = g_atomic_int_get (&self->most);
       n > most && !g_atomic_int_compare_and_exchange (&self->most, most, n);
       most = g_atomic_int_get (&self->most))
    ;
  g_thread_yield ();
  g_atomic_int_inc (&self->n_done[i]);
  g_atomic_int_add (&self->n_running, -1);
}

/* Each piece is done once, and all are done in the end. */
static void
test_all (void)
{
  static const guint sizes[] = { 0, 1, 2, TALL_WORKERS - 1, TALL_WORKERS, TALL_WORKERS + 1, MANY };
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      Count counted = { .most = 0 };
      tall_workers_run (count, &counted, sizes[i]);
      for (guint k = 0; k < MANY; k++)
        g_assert_cmpint (g_atomic_int_get (&counted.n_done[k]), ==, k < sizes[i]);
      g_assert_cmpint (g_atomic_int_get (&counted.n_running), ==, 0);
      g_assert_cmpint (g_atomic_int_get (&counted.most), <=, TALL_WORKERS);
    }
}

/* Pieces of work that wait until so many of them run together. */
typedef struct
{
  GMutex mutex;
  GCond changed;
  guint n_running;
  guint wanted; /* 0: nobody waits any more */
} Meeting;

static void
meet (gpointer data, guint i G_GNUC_UNUSED)
{
  Meeting *self = data;
  g_mutex_lock (&self->mutex);
  self->n_running++;
  g_cond_broadcast (&self->changed);
  while (self->wanted > 0 && self->n_running < self->wanted)
    g_cond_wait (&self->changed, &self->mutex);
  g_mutex_unlock (&self->mutex);
}

/* As many pieces run together as there may be, the calling thread among those who work. */
static void
test_at_once (void)
{
  Meeting meeting = { .wanted = TALL_WORKERS };
  tall_workers_run (meet, &meeting, TALL_WORKERS);
  g_assert_cmpuint (meeting.n_running, ==, TALL_WORKERS);
}

static gpointer
run_meeting (gpointer meeting)
{
  tall_workers_run (meet, meeting, TALL_WORKERS);
  return NULL;
}

/* While others keep all workers, a caller does its work alone. */
static void
test_alone (void)
{
  enum
  {
    OTHERS = 3
  };
  Meeting meeting = { .wanted = G_MAXUINT };
  Count counted = { .most = 0 };
  GThread *threads[OTHERS];
  for (guint i = 0; i < OTHERS; i++)
    threads[i] = g_thread_new ("other", run_meeting, &meeting);
  g_mutex_lock (&meeting.mutex);
  while (meeting.n_running < TALL_WORKERS + OTHERS) /* all workers, and the callers themselves */
    g_cond_wait (&meeting.changed, &meeting.mutex);
  g_mutex_unlock (&meeting.mutex);

  tall_workers_run (count, &counted, MANY);
  g_assert_cmpint (counted.most, ==, 1);

  g_mutex_lock (&meeting.mutex);
  meeting.wanted = 0;
  g_cond_broadcast (&meeting.changed);
  g_mutex_unlock (&meeting.mutex);
  for (guint i = 0; i < OTHERS; i++)
    g_thread_join (threads[i]);
}

static gpointer
run_apart (gpointer meeting)
{
  tall_workers_run_apart (meet, meeting, TALL_WORKERS);
  return NULL;
}

/* Work that lasts takes no worker from others. */
static void
test_apart (void)
{
  Meeting lasting = { .wanted = G_MAXUINT };
  Meeting meeting = { .wanted = TALL_WORKERS };
  GThread *thread = g_thread_new ("other", run_apart, &lasting);
  g_mutex_lock (&lasting.mutex);
  while (lasting.n_running < TALL_WORKERS)
    g_cond_wait (&lasting.changed, &lasting.mutex);
  g_mutex_unlock (&lasting.mutex);

  tall_workers_run (meet, &meeting, TALL_WORKERS);
  g_assert_cmpuint (meeting.n_running, ==, TALL_WORKERS);

  g_mutex_lock (&lasting.mutex);
  lasting.wanted = 0;
  g_cond_broadcast (&lasting.changed);
  g_mutex_unlock (&lasting.mutex);
  g_thread_join (thread);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/workers/all", test_all);
  g_test_add_func ("/base/workers/at-once", test_at_once);
  g_test_add_func ("/base/workers/alone", test_alone);
  g_test_add_func ("/base/workers/apart", test_apart);
  return g_test_run ();
}
