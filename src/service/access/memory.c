/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/access/memory.h"

#include "tall-error.h"
#include "wire/struct.h"

/* The buffer of the reply doubles when it is full. */
#define ENCODED_COPIES 2

void
tall_call_budget_init (TallCallBudget *self)
{
  const TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  *self = (TallCallBudget){
    .bytes = TALL_CALL_BYTES,
    .n_lines = TALL_CALL_LINES,
    .until = g_get_monotonic_time () + TALL_CALL_TIME * G_TIME_SPAN_MILLISECOND,
    .scale = tall_transport_new_memory ((TallSlice)TALL_SLICE_INIT, &options),
  };
}

void
tall_call_budget_clear (TallCallBudget *self)
{
  g_clear_object (&self->scale);
}

/**
 * tall_call_budget_take:
 * @item: of that type
 * @order: (nullable): the order in it
 *
 * Returns: FALSE if the item has no room any more; then nothing is taken but memory
 */
gboolean
tall_call_budget_take (TallCallBudget *self,
                       const TallStructType *type,
                       gconstpointer item,
                       const TallOrder *order)
{
  gsize encoded = tall_struct_measure (type, item, self->scale);
  guint lines = order != NULL ? order->n_shipping_locations + tall_order_count_lines (order) : 0;

  self->memory += ENCODED_COPIES * encoded;
  self->memory += order != NULL ? tall_arena_get_size (tall_order_get_arena (order)) : 0;
  if (self->n_items > 0 && (encoded > self->bytes || lines > self->n_lines))
    return FALSE;

  self->bytes -= MIN (self->bytes, encoded);
  self->n_lines -= MIN (self->n_lines, lines);
  self->n_items++;
  return TRUE;
}

gboolean
tall_call_budget_is_late (const TallCallBudget *self)
{
  return g_get_monotonic_time () >= self->until;
}

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
  g_mutex_init (&self->mutex);
  self->size = self->left = size;
  self->slot = slot;
  self->taken = FALSE;
  self->arriving = 0;
  g_queue_init (&self->waiting);
}

/* Returns: bytes of the slot, which may change at any time */
static gsize
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

static gint64
get_deadline (const TallCallMemory *self)
{
  return g_get_monotonic_time () + self->max_wait * G_TIME_SPAN_MILLISECOND;
}

static gboolean
take (TallCallMemory *self, gsize size)
{
  return tall_memory_part_take (&self->part, size, get_deadline (self));
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

static gboolean
work_until (TallCallMemory *self, gsize size, gint64 deadline)
{
  if (self->work < size && !tall_memory_part_take (&self->part, size - self->work, deadline))
    return FALSE;
  self->work = MAX (self->work, size);
  return TRUE;
}

/**
 * tall_call_memory_work_at_once:
 *
 * As tall_call_memory_work(), but never waits.
 */
gboolean
tall_call_memory_work_at_once (TallCallMemory *self, gsize size)
{
  return work_until (self, size, 0);
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
  if (work_until (self, size, get_deadline (self)))
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_OVERLOADED,
               "the server has as much in work as its memory is meant for; nothing was done, try "
               "again later");
  return FALSE;
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
