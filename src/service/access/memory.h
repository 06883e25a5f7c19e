/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/* What all calls of one client address hold together: at most half of the memory, unless there is
 * only one call. It starts zeroed; the lock of the memory protects it. */
typedef struct
{
  gsize held; /* bytes */
} TallMemoryShare;

/**
 * TallMemory:
 *
 * The bytes that all calls of a server may take together, and one slot beside them for a call that
 * finds nothing left. A call that wants more than is left waits until its deadline, in the order of
 * arrival: a small call does not pass a large one. A call that waits for its own share, or for
 * requests to arrive, holds up only calls that wait for the same. Any thread may use it.
 */
typedef struct
{
  GMutex mutex;
  gsize size;     /* bytes */
  gsize left;     /* bytes of them that nobody holds */
  gsize slot;     /* atomic: bytes of the slot, beside the others */
  gboolean taken; /* a call has the slot */
  gsize arriving; /* bytes held for requests that have not arrived yet: half, or a single one */
  GQueue waiting; /* a link on the stack of each thread that waits */
} TallMemory;

void tall_memory_init (TallMemory *self, gsize size, gsize slot);
void tall_memory_clear (TallMemory *self);
void tall_memory_set_slot (TallMemory *self, gsize slot, gsize least);
gsize tall_memory_get_used (TallMemory *self);
guint tall_memory_count_waiting (TallMemory *self);

/* The bytes that one call holds. It starts zeroed but for @memory, and belongs to one thread at a
 * time. */
typedef struct
{
  TallMemory *memory;     /* not owned; NULL: there is no limit */
  TallMemoryShare *share; /* (nullable): not owned */
  gboolean arriving;      /* the request has not arrived yet */
  gsize held;             /* bytes */
  gboolean in_slot;       /* these bytes are those of the slot */
} TallMemoryPart;

gboolean
tall_memory_part_take (TallMemoryPart *self, gsize size, gint64 deadline) G_GNUC_WARN_UNUSED_RESULT;
void tall_memory_part_arrive (TallMemoryPart *self);
void tall_memory_part_keep (TallMemoryPart *self, gsize size);

/* Requests up to the first size, and decoded requests up to the second, are not counted: each
 * connection has room of its own for them. Nor are replies up to the third: the transport keeps a
 * buffer of this size anyway. */
#define TALL_CALL_SMALL_REQUEST (64 * 1024)
#define TALL_CALL_SMALL_DECODED (128 * 1024)
#define TALL_CALL_SMALL_REPLY (256 * 1024)

/**
 * TallCallMemory:
 *
 * What one call takes, from its frame to the last byte of its reply. A call takes memory before it
 * uses it, in one piece, and waits at most once. It gives back at once what it does not need.
 */
typedef struct
{
  TallMemoryPart part;
  guint max_wait; /* milliseconds for which it may wait */
  gsize frame;    /* bytes of the request */
  gsize decoded;  /* bytes of the decoded request, so far */
  gsize room;     /* bytes that it may decode without asking again */
  gsize work;     /* bytes reserved for the present step */
  gsize settled;  /* bytes that the results of earlier steps take; kept until the reply is made */
} TallCallMemory;

void tall_call_memory_init (TallCallMemory *self,
                            TallMemory *memory,
                            TallMemoryShare *share,
                            guint max_wait);
gsize tall_call_memory_get_least (gsize max_request, gsize order);
gsize tall_call_memory_get_order (const TallCallMemory *self);
gboolean tall_call_memory_begin (TallCallMemory *self, gsize frame) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_call_memory_decode (TallCallMemory *self, gsize size) G_GNUC_WARN_UNUSED_RESULT;
void tall_call_memory_end_decoding (TallCallMemory *self);
gboolean
tall_call_memory_work (TallCallMemory *self, gsize size, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_call_memory_work_at_once (TallCallMemory *self, gsize size) G_GNUC_WARN_UNUSED_RESULT;
guint tall_call_memory_work_on_orders (TallCallMemory *self,
                                       guint n,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_call_memory_settle (TallCallMemory *self, gsize size);
void tall_call_memory_reply (TallCallMemory *self, gsize size);
void tall_call_memory_end (TallCallMemory *self);
