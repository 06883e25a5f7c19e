/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/access/memory.h"

#include "base/fail.h"

/* What becomes of a byte of a large request, the byte itself included: usual orders take two to
 * five times their bytes when they are decoded. What takes more is given it only if it is there at
 * once. */
#define BYTES_OF_BYTE 5

/* What can become of a byte of a small request: a line of an order, which may be one byte long in
 * the compact protocol. */
#define MOST_BYTES_OF_BYTE 88

/* What is decoded takes memory in such steps. */
#define STEP ((gsize)64 * 1024)

/* Of all memory, what one call on many takes at once at most. */
#define LARGEST_SHARE 4

/**
 * tall_memory_init:
 * @size: bytes
 * @slot: bytes beside them
 */
void
tall_memory_init (TallMemory *self, gsize size, gsize slot)
{
  *self = (TallMemory){ .size = size, .left = size, .slot = slot };
  g_mutex_init (&self->mutex);
}

void
tall_memory_clear (TallMemory *self)
{
  g_mutex_clear (&self->mutex);
}

/* Bytes of the slot, which may change at any time. */
static gsize
get_slot (TallMemory *self)
{
  return (gsize)g_atomic_pointer_get (&self->slot);
}

/* Bytes that calls hold now, the slot among them. */
gsize
tall_memory_get_used (TallMemory *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return self->size - self->left + (self->taken ? self->slot : 0);
}

/* Threads that wait now. */
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
is_fair (const Want *want, gsize held_together)
{
  return held_together == want->part->held
         || held_together + want->size <= want->part->memory->size / 2;
}

/* Whether it may have what it wants as far as its address, and all requests that arrive, go. */
static gboolean
has_share (const Want *want)
{
  const TallMemoryPart *part = want->part;
  return (part->share == NULL || is_fair (want, part->share->held))
         && (!part->arriving || is_fair (want, part->memory->arriving));
}

static gboolean
fits_into_slot (const Want *want)
{
  return want->part->held == 0 && want->size <= want->part->memory->slot;
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
grant (TallMemory *self, GList *queued)
{
  Want *want = queued->data;
  want->part->held += want->size;
  want->granted = TRUE;
  g_queue_unlink (&self->waiting, queued);
  if (want->sleeping) /* a signal is a system call, also where nobody waits */
    g_cond_signal (&want->changed);
}

/* Gives what is left in the order of arrival. What waits for its share is passed; what only has too
 * little left is not. */
static void
give_left (TallMemory *self)
{
  for (GList *queued = self->waiting.head, *next; queued != NULL; queued = next)
    {
      Want *want = queued->data;
      next = queued->next;
      if (!has_share (want))
        continue;
      if (self->left < want->size)
        return;
      book (want->part, (gssize)want->size);
      grant (self, queued);
    }
}

/* Gives the slot to the first that fits into it, and has its share if any of them has. */
static gboolean
give_slot (TallMemory *self)
{
  GList *best = NULL;

  for (GList *queued = self->waiting.head; queued != NULL && !self->taken; queued = queued->next)
    if (fits_into_slot (queued->data)
        && (best == NULL || (!has_share (best->data) && has_share (queued->data))))
      best = queued;
  if (best == NULL)
    return FALSE;
  ((Want *)best->data)->part->in_slot = self->taken = TRUE;
  grant (self, best);
  return TRUE;
}

/* Wakes only those that get something: hundreds may wait. */
static void
hand_out (TallMemory *self)
{
  do
    give_left (self);
  while (give_slot (self));
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
  if (get_slot (self) == slot)
    return;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  gsize more = MAX (self->size, least) - self->size;
  self->left += more;
  self->size += more;
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
  if (self->memory == NULL || !self->arriving)
    return;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->memory->mutex);
  if (!self->in_slot)
    self->memory->arriving -= self->held;
  self->arriving = FALSE;
  hand_out (self->memory);
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

/**
 * tall_call_memory_init:
 * @memory: (nullable): of the server; NULL: there is no bound
 * @share: (nullable): of the client's address
 * @max_wait: milliseconds
 */
void
tall_call_memory_init (TallCallMemory *self,
                       TallMemory *memory,
                       TallMemoryShare *share,
                       guint max_wait)
{
  *self = (TallCallMemory){ .part.memory = memory, .part.share = share, .max_wait = max_wait };
}

/**
 * tall_call_memory_get_least:
 * @order: bytes that work on one order takes at most
 *
 * Returns: bytes without which a request of @max_request bytes could never be answered
 */
gsize
tall_call_memory_get_least (gsize max_request, gsize order)
{
  return max_request * BYTES_OF_BYTE + order;
}

/* Returns: bytes that work on one order takes at most: those of the slot */
gsize
tall_call_memory_get_order (const TallCallMemory *self)
{
  return self->part.memory != NULL ? get_slot (self->part.memory) : 0;
}

static gboolean
take (TallCallMemory *self, gsize size)
{
  return tall_memory_part_take (&self->part, size,
                                g_get_monotonic_time () + self->max_wait * G_TIME_SPAN_MILLISECOND);
}

/**
 * tall_call_memory_begin:
 * @frame: bytes of the request
 *
 * Takes what a large request needs for all that is done with it; a small one needs nothing yet.
 *
 * Returns: FALSE if it was not to be had in time
 */
gboolean
tall_call_memory_begin (TallCallMemory *self, gsize frame)
{
  self->frame = frame;
  self->room = TALL_CALL_SMALL_DECODED;
  if (frame <= TALL_CALL_SMALL_REQUEST)
    return TRUE;
  self->part.arriving = TRUE;
  self->work = tall_call_memory_get_order (self);
  self->room += frame * (BYTES_OF_BYTE - 1);
  return take (self, frame * BYTES_OF_BYTE + self->work);
}

/**
 * tall_call_memory_decode:
 * @size: bytes that are to be made of the request, beside those before
 *
 * A small request holds nothing yet when it needs more than usual: it may wait, and then takes the
 * most that can become of it.
 *
 * Returns: FALSE if the memory for them is not to be had
 */
gboolean
tall_call_memory_decode (TallCallMemory *self, gsize size)
{
  self->decoded += size;
  if (self->decoded <= self->room)
    return TRUE;
  gboolean is_small = self->part.held == 0;
  gsize more = is_small ? self->frame * MOST_BYTES_OF_BYTE : MAX (size, STEP);
  if (is_small)
    self->work = tall_call_memory_get_order (self);
  self->room += more;
  return take (self, is_small ? more + self->work : more) && self->decoded <= self->room;
}

/* Gives back all but the decoded request, but for what is the connection's own, and @size. */
static void
keep (TallCallMemory *self, gsize size)
{
  gsize own = MIN (self->decoded, TALL_CALL_SMALL_DECODED);
  tall_memory_part_keep (&self->part, self->decoded - own + size);
}

/* The request is decoded, and its frame gone. */
void
tall_call_memory_end_decoding (TallCallMemory *self)
{
  keep (self, self->work);
}

/* As tall_call_memory_work(), but never waits. */
gboolean
tall_call_memory_work_at_once (TallCallMemory *self, gsize size)
{
  if (self->work < size && !tall_memory_part_take (&self->part, size - self->work, 0))
    return FALSE;
  self->work = MAX (self->work, size);
  return TRUE;
}

/**
 * tall_call_memory_work:
 * @size: bytes that the call may take now, beside its request and what it has settled for
 *
 * Waits for them, unless the call holds some memory already.
 *
 * Returns: FALSE with %TALL_ERROR_OVERLOADED if they were not to be had in time
 */
gboolean
tall_call_memory_work (TallCallMemory *self, gsize size, GError **error)
{
  if (self->work >= size)
    return TRUE;
  if (take (self, size - self->work))
    {
      self->work = size;
      return TRUE;
    }
  return tall_error_fail (error, TALL_ERROR_OVERLOADED,
                          "the server has as much in work as its memory is meant for; nothing was "
                          "done, try again later");
}

/**
 * tall_call_memory_work_on_orders:
 * @n: how many orders the call would like to work on together
 *
 * Takes what so many orders take at most: for fewer, if that is not there at once. Only the first
 * one is waited for.
 *
 * Returns: how many it may work on now; 0 with %TALL_ERROR_OVERLOADED
 */
guint
tall_call_memory_work_on_orders (TallCallMemory *self, guint n, GError **error)
{
  gsize order = tall_call_memory_get_order (self);
  if (order == 0)
    return n;
  n = (guint)MIN (n, MAX (self->part.memory->size / LARGEST_SHARE / order, 1));
  for (; n > 1; n /= 2)
    if (tall_call_memory_work_at_once (self, n * order))
      return n;
  return tall_call_memory_work (self, order, error) ? 1 : 0;
}

/* All that was done so far has come to @size bytes, which stay until the reply is made. */
void
tall_call_memory_settle (TallCallMemory *self, gsize size)
{
  self->work = 0;
  self->settled = size;
  keep (self, size);
}

/* Nothing is left of the call but its reply of @size bytes, which is to be sent. */
void
tall_call_memory_reply (TallCallMemory *self, gsize size)
{
  tall_memory_part_keep (&self->part, size <= TALL_CALL_SMALL_REPLY ? 0 : size);
}

/* Gives everything back. */
void
tall_call_memory_end (TallCallMemory *self)
{
  tall_memory_part_keep (&self->part, 0);
}
