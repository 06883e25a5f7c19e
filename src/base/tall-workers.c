/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-workers.h"

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
job_work (Job *self)
{
  for (guint i = (guint)g_atomic_int_add (&self->next, 1); i < self->n;
       i = (guint)g_atomic_int_add (&self->next, 1))
    {
      self->work (self->data, i);
      g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
      if (++self->n_done == self->n)
        g_cond_signal (&self->finished);
    }
}

static void
take_ticket (gpointer ticket, gpointer data G_GNUC_UNUSED)
{
  job_work (ticket);
  job_unref (ticket);
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
  Job *job = g_new0 (Job, 1);
  g_atomic_ref_count_init (&job->refs);
  g_mutex_init (&job->mutex);
  g_cond_init (&job->finished);
  job->work = work;
  job->data = data;
  job->n = n;

  for (guint i = 1; i < MIN (n, TALL_WORKERS); i++)
    {
      g_atomic_ref_count_inc (&job->refs);
      g_thread_pool_push (g_once (&pool, make_pool, NULL), job, NULL);
    }
  job_work (job);

  g_mutex_lock (&job->mutex);
  while (job->n_done < n)
    g_cond_wait (&job->finished, &job->mutex);
  g_mutex_unlock (&job->mutex);
  job_unref (job);
}
