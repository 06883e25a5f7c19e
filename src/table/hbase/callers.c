/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/callers.h"

/**
 * tall_hbase_callers_call:
 *
 * Lets the first @n in line look again. Called with the mutex held.
 */
void
tall_hbase_callers_call (TallHbasePool *self, guint n)
{
  for (; n > 0 && !g_queue_is_empty (&self->waiting); n--)
    {
      TallHbaseWaiter *waiter = g_queue_pop_head (&self->waiting);
      waiter->is_called = TRUE;
      g_cond_signal (&waiter->called);
    }
}

static int
compare_tickets (gconstpointer a, gconstpointer b, gpointer unused G_GNUC_UNUSED)
{
  const TallHbaseWaiter *first = a;
  const TallHbaseWaiter *second = b;
  return first->ticket < second->ticket ? -1 : first->ticket > second->ticket;
}

/**
 * tall_hbase_callers_wait:
 * @waiter: one that wakes without a connection gets its old place when it waits again
 *
 * Stands in line. Called with the mutex held, which is released meanwhile.
 *
 * Returns: FALSE once @limit has passed
 */
gboolean
tall_hbase_callers_wait (TallHbasePool *self, TallHbaseWaiter *waiter, gint64 limit)
{
  gboolean in_time = TRUE;
  waiter->is_called = FALSE;
  g_cond_init (&waiter->called);
  if (waiter->ticket == 0)
    {
      waiter->ticket = ++self->last_ticket;
      g_queue_push_tail (&self->waiting, waiter);
    }
  else
    g_queue_insert_sorted (&self->waiting, waiter, compare_tickets, NULL);
  while (!waiter->is_called && in_time)
    in_time = g_cond_wait_until (&waiter->called, &self->mutex, limit);
  if (!waiter->is_called)
    g_queue_remove (&self->waiting, waiter);
  g_cond_clear (&waiter->called);
  return waiter->is_called;
}
