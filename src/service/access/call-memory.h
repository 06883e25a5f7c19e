/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "service/access/memory.h"

G_BEGIN_DECLS

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
void tall_call_memory_arrive (TallCallMemory *self);
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
