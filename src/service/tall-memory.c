/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-memory.h"

void
tall_memory_init (TallMemory *self, gsize size)
{
  g_mutex_init (&self->mutex);
  g_cond_init (&self->changed);
  self->left = size;
  g_queue_init (&self->waiting);
}

void
tall_memory_clear (TallMemory *self)
{
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->changed);
}

/**
 * tall_memory_take:
 * @deadline: microseconds of g_get_monotonic_time()
 *
 * Returns: FALSE if @size did not come free in time; nothing is taken then
 */
gboolean
tall_memory_take (TallMemory *self, gsize size, gint64 deadline)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  GList place = { 0 };
  gboolean in_time = TRUE, enough;

  g_queue_push_tail_link (&self->waiting, &place);
  while (!(enough = self->waiting.head == &place && self->left >= size) && in_time)
    in_time = g_cond_wait_until (&self->changed, &self->mutex, deadline);
  g_queue_unlink (&self->waiting, &place);
  if (enough)
    self->left -= size;
  g_cond_broadcast (&self->changed); /* the next is the first now */
  return enough;
}

void
tall_memory_give_back (TallMemory *self, gsize size)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  self->left += size;
  g_cond_broadcast (&self->changed);
}

/* Threads that wait now. Only tests ask. */
guint
tall_memory_count_waiting (TallMemory *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return self->waiting.length;
}
