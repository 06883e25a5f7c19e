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
  self->arriving = 0;
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

/* What a thread waits for. */
typedef struct
{
  TallMemoryPart *part;
  gsize size; /* bytes */
} Want;

/* Whether @size more bytes leave enough for others, if any others hold as much as that. */
static gboolean
is_fair (const TallMemory *memory, gsize held_together, gsize held, gsize size)
{
  return held_together == held || held_together + size <= memory->size / 2;
}

/* Whether it may have what it wants as far as its share, and that of all requests which arrive, go.
 */
static gboolean
has_share (const Want *want)
{
  const TallMemoryPart *part = want->part;
  const TallMemory *memory = part->memory;

  if (part->share != NULL && !is_fair (memory, part->share->held, part->held, want->size))
    return FALSE;
  return !part->arriving || is_fair (memory, memory->arriving, part->held, want->size);
}

/* Whether nothing that could have what it wants stands before @place. */
static gboolean
is_first (const GList *place)
{
  for (const GList *before = place->prev; before != NULL; before = before->prev)
    if (has_share (before->data))
      return FALSE;
  return TRUE;
}

/* Whether the slot is for the call at @place: the first that fits into it among those which wait
 * for nothing but memory, or else among those which wait for their share. */
static gboolean
is_next_for_slot (const TallMemory *memory, const GList *place)
{
  const Want *own = place->data;
  gboolean shared = has_share (own), before = TRUE;

  if (memory->taken || own->part->held > 0 || own->size > memory->slot)
    return FALSE;
  for (const GList *link = memory->waiting.head; link != NULL; link = link->next)
    {
      const Want *want = link->data;
      before = before && link != place;
      if (link == place || want->size > memory->slot)
        continue;
      gboolean its_shared = has_share (want);
      if ((its_shared && !shared) || (its_shared == shared && before))
        return FALSE;
    }
  return TRUE;
}

/* Books @size bytes that the part holds outside the slot; less than 0 if it gives them back. */
static void
book (TallMemoryPart *self, gssize size)
{
  self->memory->left -= (gsize)size;
  if (self->share != NULL)
    self->share->held += (gsize)size;
  if (self->arriving)
    self->memory->arriving += (gsize)size;
}

/* Takes what the call at @place waits for, if it is its turn and enough is left. */
static gboolean
take_place (TallMemoryPart *self, const GList *place)
{
  TallMemory *memory = self->memory;
  const Want *want = place->data;

  if (has_share (want) && memory->left >= want->size && is_first (place))
    book (self, (gssize)want->size);
  else if (is_next_for_slot (memory, place))
    memory->taken = self->in_slot = TRUE;
  else
    return FALSE;
  self->held += want->size;
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
  Want want = { self, size };
  GList place = { .data = &want };
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
 * tall_memory_part_arrive:
 *
 * The request that the part is held for has arrived: what is done with it is up to the server.
 */
void
tall_memory_part_arrive (TallMemoryPart *self)
{
  TallMemory *memory = self->memory;

  if (memory == NULL || !self->arriving)
    return;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&memory->mutex);
  if (!self->in_slot)
    memory->arriving -= self->held;
  self->arriving = FALSE;
  if (memory->waiting.length > 0)
    g_cond_broadcast (&memory->changed);
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
    book (self, (gssize)size - (gssize)self->held);
  else if (memory->left >= size)
    {
      book (self, (gssize)size);
      memory->taken = self->in_slot = FALSE;
    }
  self->held = size;
  if (memory->waiting.length > 0)
    g_cond_broadcast (&memory->changed);
}
