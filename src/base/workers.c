/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/workers.h"

#include "base/trace.h"

/* What one caller wants done. Tickets for it lie in the pool and are taken by workers that are
 * free; the caller works, too, so that it never waits for a worker to come. */
typedef struct
{
  gatomicrefcount refs; /* the caller's and one for each ticket */
  TallWork work;
  gpointer data; /* valid while not everything is done */
  guint n;
  gint next; /* atomic: the first piece that nobody has taken */

  GMutex mutex; /* for what is below */
  GCond finished;
  guint n_done;
  TallTrace helped; /* what those who are not the caller have asked */
} Job;

static void
job_unref (Job *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->finished);
  g_free (self);
}

static void
job_end_piece (Job *self, gboolean helps)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  if (helps)
    tall_trace_join (&self->helped, tall_trace_get ());
  if (++self->n_done == self->n)
    g_cond_signal (&self->finished);
}

/* @helps: FALSE: on the caller's thread */
static void
job_work (Job *self, gboolean helps)
{
  for (guint i = (guint)g_atomic_int_add (&self->next, 1); i < self->n;
       i = (guint)g_atomic_int_add (&self->next, 1))
    {
      if (helps)
        tall_trace_begin ();
      self->work (self->data, i);
      job_end_piece (self, helps);
    }
}

static void
take_ticket (gpointer ticket, gpointer data G_GNUC_UNUSED)
{
  job_work (ticket, TRUE);
  job_unref (ticket);
}

static Job *
job_new (TallWork work, gpointer data, guint n)
{
  Job *self = g_new0 (Job, 1);
  g_atomic_ref_count_init (&self->refs);
  g_mutex_init (&self->mutex);
  g_cond_init (&self->finished);
  self->work = work;
  self->data = data;
  self->n = n;
  return self;
}

/* Works, too, and waits for the others. */
static void
job_finish (Job *self)
{
  job_work (self, FALSE);
  g_mutex_lock (&self->mutex);
  while (self->n_done < self->n)
    g_cond_wait (&self->finished, &self->mutex);
  tall_trace_join (tall_trace_get (), &self->helped);
  g_mutex_unlock (&self->mutex);
  job_unref (self);
}

static gpointer
make_pool (gpointer data G_GNUC_UNUSED)
{
  return g_thread_pool_new (take_ticket, NULL, TALL_WORKERS, FALSE, NULL);
}

/**
 * tall_workers_run:
 * @n: how many pieces of work there are
 *
 * Does all pieces, several at once, in any order, and returns when the last one is done. The
 * threads are shared by the whole process; the calling thread is one of those who work.
 */
void
tall_workers_run (TallWork work, gpointer data, guint n)
{
  static GOnce pool = G_ONCE_INIT;
  Job *job = job_new (work, data, n);
  for (guint i = 1; i < MIN (n, TALL_WORKERS); i++)
    {
      g_atomic_ref_count_inc (&job->refs);
      g_thread_pool_push (g_once (&pool, make_pool, NULL), job, NULL);
    }
  job_finish (job);
}

static gpointer
work_apart (gpointer job)
{
  job_work (job, TRUE);
  job_unref (job);
  return NULL;
}

/**
 * tall_workers_run_apart:
 *
 * As tall_workers_run(), with threads of its own: for work that lasts. It takes none from others,
 * and does not wait for theirs. Where no more threads can be had, fewer do the work.
 */
void
tall_workers_run_apart (TallWork work, gpointer data, guint n)
{
  Job *job = job_new (work, data, n);
  for (guint i = 1; i < MIN (n, TALL_WORKERS); i++)
    {
      g_atomic_ref_count_inc (&job->refs);
      GThread *thread = g_thread_try_new ("tall-worker", work_apart, job, NULL);
      if (thread == NULL)
        {
          job_unref (job);
          break;
        }
      g_thread_unref (thread);
    }
  job_finish (job);
}
