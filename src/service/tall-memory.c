/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-memory.h"

/**
 * tall_memory_init:
 * @size: bytes
 * @slot: bytes beside them
 */
void
tall_memory_init (TallMemory *self, gsize size, gsize slot)
{
  g_mutex_init (&self->mutex);
  g_cond_init (&self->changed);
  self->size = self->left = size;
  self->slot = slot;
  self->taken = FALSE;
  g_queue_init (&self->waiting);
}

void
tall_memory_clear (TallMemory *self)
{
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->changed);
}

/* Bytes that calls hold now, the slot among them. Only tests ask. */
gsize
tall_memory_get_used (TallMemory *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return self->size - self->left + (self->taken ? self->slot : 0);
}

/* Threads that wait now. Only tests ask. */
guint
tall_memory_count_waiting (TallMemory *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return self->waiting.length;
}

/* Whether what is at @place is the first in line that fits into the slot. */
static gboolean
is_first_for_slot (const TallMemory *self, const GList *place)
{
  for (const GList *before = place->prev; before != NULL; before = before->prev)
    if (GPOINTER_TO_SIZE (before->data) <= self->slot)
      return FALSE;
  return GPOINTER_TO_SIZE (place->data) <= self->slot;
}

/* Takes what the call at @place waits for, if it is its turn and enough is left. */
static gboolean
take_place (TallMemoryPart *self, const GList *place)
{
  TallMemory *memory = self->memory;
  gsize size = GPOINTER_TO_SIZE (place->data);

  if (memory->waiting.head == place && memory->left >= size)
    memory->left -= size;
  else if (self->held == 0 && !memory->taken && is_first_for_slot (memory, place))
    memory->taken = self->in_slot = TRUE;
  else
    return FALSE;
  self->held += size;
  return TRUE;
}

/**
 * tall_memory_part_take:
 * @size: bytes, beside what it holds
 * @deadline: microseconds of g_get_monotonic_time(); 0: now or not at all
 *
 * Waits for memory, unless the part holds some: a call that holds something never waits for more,
 * so that no two can wait for each other.
 *
 * Returns: FALSE if @size was not to be had in time; nothing is taken then
 */
gboolean
tall_memory_part_take (TallMemoryPart *self, gsize size, gint64 deadline)
{
  TallMemory *memory = self->memory;
  GList place = { .data = GSIZE_TO_POINTER (size) };
  gboolean taken, in_time = self->held == 0 && deadline > 0;

  if (memory == NULL || size == 0)
    return TRUE;
  if (self->in_slot)
    return FALSE; /* it is meant for one that keeps to it */
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&memory->mutex);
  g_queue_push_tail_link (&memory->waiting, &place);
  while (!(taken = take_place (self, &place)) && in_time)
    in_time = g_cond_wait_until (&memory->changed, &memory->mutex, deadline);
  g_queue_unlink (&memory->waiting, &place);
  if (memory->waiting.length > 0)
    g_cond_broadcast (&memory->changed); /* the next is the first now */
  return taken;
}

/**
 * tall_memory_part_keep:
 * @size: bytes; nothing happens if it holds no more than that
 *
 * Gives back what the part holds beyond @size. What it keeps leaves the slot if there is room
 * elsewhere.
 */
void
tall_memory_part_keep (TallMemoryPart *self, gsize size)
{
  TallMemory *memory = self->memory;

  if (self->held < size || (self->held == size && !self->in_slot))
    return;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&memory->mutex);
  if (!self->in_slot)
    memory->left += self->held - size;
  else if (memory->left >= size)
    {
      memory->left -= size;
      memory->taken = self->in_slot = FALSE;
    }
  self->held = size;
  if (memory->waiting.length > 0)
    g_cond_broadcast (&memory->changed);
}
