/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/access/call-memory.h"

#include "tall-error.h"

/* What becomes of a byte of a large request, the byte itself included: usual orders take three to
 * four times their bytes when they are decoded. What takes more is given it only if it is there at
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

/**
 * tall_call_memory_get_order:
 *
 * Returns: bytes that work on one order takes at most: those of the slot
 */
gsize
tall_call_memory_get_order (const TallCallMemory *self)
{
  return self->part.memory != NULL ? tall_memory_get_slot (self->part.memory) : 0;
}

static gboolean
take (TallCallMemory *self, gsize size)
{
  gint64 deadline = g_get_monotonic_time () + self->max_wait * G_TIME_SPAN_MILLISECOND;
  return tall_memory_part_take (&self->part, size, deadline);
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
  gsize order = tall_call_memory_get_order (self);
  if (!take (self, frame * BYTES_OF_BYTE + order))
    return FALSE;
  self->work = order;
  self->room += frame * (BYTES_OF_BYTE - 1);
  return TRUE;
}

/**
 * tall_call_memory_arrive:
 *
 * The request is there as a whole.
 */
void
tall_call_memory_arrive (TallCallMemory *self)
{
  tall_memory_part_arrive (&self->part);
}

/* More than a request of its size usually needs. A small one holds nothing yet: it may wait, and
 * then takes the most that can become of it. */
static gboolean
take_room (TallCallMemory *self, gsize size)
{
  gsize more = MAX (size, STEP);

  if (self->part.held > 0)
    {
      self->room += more;
      return take (self, more);
    }
  self->room += self->frame * MOST_BYTES_OF_BYTE;
  self->work = tall_call_memory_get_order (self);
  return take (self, self->frame * MOST_BYTES_OF_BYTE + self->work)
         && self->decoded + size <= self->room;
}

/**
 * tall_call_memory_decode:
 * @size: bytes that are to be made of the request, beside those before
 *
 * Returns: FALSE if the memory for them is not to be had
 */
gboolean
tall_call_memory_decode (TallCallMemory *self, gsize size)
{
  if (self->decoded + size > self->room && !take_room (self, size))
    return FALSE;
  self->decoded += size;
  return TRUE;
}

/* What is held for the decoded request; the rest of it is the connection's own. */
static gsize
get_request (const TallCallMemory *self)
{
  return self->decoded - MIN (self->decoded, TALL_CALL_SMALL_DECODED);
}

/**
 * tall_call_memory_end_decoding:
 *
 * The request is decoded, and its frame gone.
 */
void
tall_call_memory_end_decoding (TallCallMemory *self)
{
  tall_memory_part_keep (&self->part, get_request (self) + self->work);
}

/**
 * tall_call_memory_work_at_once:
 * @size: bytes
 *
 * As tall_call_memory_work(), but never waits.
 */
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
  if (self->work >= size || take (self, size - self->work))
    {
      self->work = MAX (self->work, size);
      return TRUE;
    }
  g_set_error (error, TALL_ERROR, TALL_ERROR_OVERLOADED,
               "the server has as much in work as its memory is meant for; nothing was done, try "
               "again later");
  return FALSE;
}

/* One call is not to take what all others could do with. */
static gsize
get_share (const TallCallMemory *self)
{
  return self->part.memory->size / LARGEST_SHARE;
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
  n = (guint)MIN (n, MAX (get_share (self) / order, 1));
  for (; n > 1; n /= 2)
    if (tall_call_memory_work_at_once (self, n * order))
      return n;
  return tall_call_memory_work (self, order, error) ? 1 : 0;
}

/**
 * tall_call_memory_settle:
 * @size: bytes
 *
 * All that was done so far has come to @size bytes, which stay until the reply is made.
 */
void
tall_call_memory_settle (TallCallMemory *self, gsize size)
{
  self->work = 0;
  self->settled = size;
  tall_memory_part_keep (&self->part, get_request (self) + size);
}

/**
 * tall_call_memory_reply:
 * @size: bytes of the reply
 *
 * Nothing is left of the call but its reply, which is to be sent.
 */
void
tall_call_memory_reply (TallCallMemory *self, gsize size)
{
  tall_memory_part_keep (&self->part, size <= TALL_CALL_SMALL_REPLY ? 0 : size);
}

/**
 * tall_call_memory_end:
 *
 * Gives everything back.
 */
void
tall_call_memory_end (TallCallMemory *self)
{
  tall_memory_part_keep (&self->part, 0);
}
