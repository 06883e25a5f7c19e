/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/access/memory.h"

/**
 * tall_memory_init:
 * @size: bytes
 * @slot: bytes beside them
 */
void
tall_memory_init (TallMemory *self, gsize size, gsize slot)
{
  g_mutex_init (&self->mutex);
  self->size = self->left = size;
  self->slot = slot;
  self->taken = FALSE;
  self->arriving = 0;
  g_queue_init (&self->waiting);
}

/**
 * tall_memory_get_slot:
 *
 * Returns: bytes of the slot, which may change at any time
 */
gsize
tall_memory_get_slot (TallMemory *self)
{
  return (gsize)g_atomic_pointer_get (&self->slot);
}

void
tall_memory_clear (TallMemory *self)
{
  g_mutex_clear (&self->mutex);
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
  gboolean granted;
  gboolean sleeping;
  GCond changed; /* it is granted */
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

static void
grant (TallMemory *memory, GList *queued)
{
  Want *want = queued->data;

  want->part->held += want->size;
  want->granted = TRUE;
  g_queue_unlink (&memory->waiting, queued);
  if (want->sleeping) /* a signal is a system call, also where nobody waits */
    g_cond_signal (&want->changed);
}

static gboolean
fits_into_slot (const TallMemory *memory, const Want *want)
{
  return !memory->taken && want->part->held == 0 && want->size <= memory->slot;
}

static void
grant_slot (TallMemory *memory, GList *queued)
{
  ((Want *)queued->data)->part->in_slot = memory->taken = TRUE;
  grant (memory, queued);
}

/* Gives what is left to those that wait, and wakes none of the others: there may be hundreds. */
static void
hand_out (TallMemory *memory)
{
  gboolean passed = FALSE; /* one that may not be passed */
  GList *limited = NULL;   /* the first that waits for its share and would fit into the slot */

  for (GList *queued = memory->waiting.head, *next; queued != NULL; queued = next)
    {
      Want *want = queued->data;
      next = queued->next;
      if (!has_share (want))
        {
          limited = limited == NULL && fits_into_slot (memory, want) ? queued : limited;
          continue;
        }
      if (!passed && memory->left >= want->size)
        {
          book (want->part, (gssize)want->size);
          grant (memory, queued);
        }
      else if (fits_into_slot (memory, want))
        grant_slot (memory, queued);
      else
        passed = TRUE;
      if (passed && memory->taken)
        return;
    }
  if (limited != NULL && fits_into_slot (memory, limited->data))
    grant_slot (memory, limited);
}

/**
 * tall_memory_set_slot:
 * @slot: bytes of the slot from now on; what is in it now stays
 * @least: bytes that there are to be at least, beside the slot
 *
 * Calls may take more or less from now on, because orders lie in other rows.
 */
void
tall_memory_set_slot (TallMemory *self, gsize slot, gsize least)
{
  if (tall_memory_get_slot (self) == slot)
    return;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  if (self->size < least)
    {
      self->left += least - self->size;
      self->size = least;
    }
  g_atomic_pointer_set (&self->slot, slot);
  hand_out (self);
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
  Want want = { .part = self, .size = size };
  GList place = { .data = &want };
  gboolean in_time = self->held == 0 && deadline > 0;

  if (memory == NULL || size == 0)
    return TRUE;
  if (self->in_slot)
    return FALSE; /* it is meant for one that keeps to it */
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&memory->mutex);
  g_cond_init (&want.changed);
  g_queue_push_tail_link (&memory->waiting, &place);
  hand_out (memory);
  want.sleeping = TRUE;
  while (!want.granted && in_time)
    in_time = g_cond_wait_until (&want.changed, &memory->mutex, deadline);
  if (!want.granted)
    {
      g_queue_unlink (&memory->waiting, &place);
      hand_out (memory); /* it may have been the first */
    }
  g_cond_clear (&want.changed);
  return want.granted;
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
  hand_out (memory);
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
  hand_out (memory);
}
