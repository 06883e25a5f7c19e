/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "service/calls/idl.h"

#include <glib.h>

G_BEGIN_DECLS

/* The most that all items of one reply have together, unless there is only one item. Our client
 * keeps to the same in its requests. */
#define TALL_CALL_BYTES (8 * 1024 * 1024)
#define TALL_CALL_LINES 100000

/* Milliseconds after which a call on many begins nothing more. Together with the time of one read
 * of the store this is less than a client waits. */
#define TALL_CALL_TIME 3000

/**
 * TallCallBudget:
 *
 * The room that a message has left, so that no message has a thousand orders of 1 MiB each. The
 * first item always has room. It also counts the memory that the items take.
 */
typedef struct
{
  gsize bytes;          /* left, in the binary protocol */
  guint n_lines;        /* left: lines and locations */
  guint n_items;        /* in the message */
  gsize memory;         /* bytes that the items take, until they are sent */
  gint64 until;         /* microseconds of g_get_monotonic_time() */
  TallTransport *scale; /* measures items */
} TallCallBudget;

void tall_call_budget_init (TallCallBudget *self);
void tall_call_budget_clear (TallCallBudget *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallCallBudget, tall_call_budget_clear)

gboolean tall_call_budget_take (TallCallBudget *self,
                                const TallStructType *type,
                                gconstpointer item,
                                const TallOrder *order);
gboolean tall_call_budget_is_late (const TallCallBudget *self);

/**
 * TallMemoryShare:
 *
 * The bytes that all calls of one client address hold together: at most half of the memory, unless
 * there is only one call. It starts zeroed. The lock of the memory protects it.
 */
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
 * requests to arrive, holds up only calls that wait for the same. Of the calls that wait for
 * nothing else, the first that fits into the slot gets it. Any thread may use it.
 */
typedef struct
{
  GMutex mutex;
  gsize size;     /* bytes */
  gsize left;     /* bytes of them that nobody holds */
  gsize slot;     /* atomic: bytes of the slot, beside the others */
  gboolean taken; /* a call has the slot */
  gsize arriving; /* bytes held for requests that have not arrived yet; half of all, or a single one
                   */
  GQueue waiting; /* a link on the stack of each thread that waits */
} TallMemory;

void tall_memory_init (TallMemory *self, gsize size, gsize slot);
void tall_memory_clear (TallMemory *self);
void tall_memory_set_slot (TallMemory *self, gsize slot, gsize least);
gsize tall_memory_get_used (TallMemory *self);
guint tall_memory_count_waiting (TallMemory *self);

/**
 * TallMemoryPart:
 *
 * The bytes that one call holds of a #TallMemory. It starts zeroed but for @memory; if @memory is
 * NULL, there is no limit. It belongs to one thread at a time.
 */
typedef struct
{
  TallMemory *memory;     /* not owned */
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
 * connection has room of its own for them. */
#define TALL_CALL_SMALL_REQUEST (64 * 1024)
#define TALL_CALL_SMALL_DECODED (128 * 1024)

/* Replies up to this are not counted either: the transport keeps a buffer of this size anyway. */
#define TALL_CALL_SMALL_REPLY (256 * 1024)

/**
 * TallCallMemory:
 *
 * The memory of a server that one call takes, from its frame to the last byte of its reply. A call
 * takes memory before it uses it, in one piece, and waits at most once. It gives back at once what
 * it does not need.
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

G_END_DECLS
