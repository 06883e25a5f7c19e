/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-memory.h"

G_BEGIN_DECLS

/* Requests up to this are received without being counted, and so is what is decoded of a request up
 * to this: a connection has a part of its own for them. */
#define TALL_CALL_SMALL_REQUEST (64 * 1024)
#define TALL_CALL_SMALL_DECODED (128 * 1024)

/* The same for a reply: what the transport keeps for the next one in any case. */
#define TALL_CALL_SMALL_REPLY (256 * 1024)

/**
 * TallCallMemory:
 *
 * What one call takes of the memory of a server, from its frame to the last byte of its reply. All
 * that it needs is taken before it is used, in one piece and only once with waiting; what turns out
 * not to be needed is given back at once.
 */
typedef struct
{
  TallMemoryPart part;
  guint wait;    /* milliseconds for which it may wait */
  gsize frame;   /* bytes of the request */
  gsize decoded; /* bytes that were made of the request, so far */
  gsize room;    /* bytes that may be, without asking again */
  gsize work;    /* bytes that it may take for what it does now */
  gsize settled; /* bytes that what was done has come to; they stay until the reply is made */
} TallCallMemory;

void tall_call_memory_init (TallCallMemory *self,
                            TallMemory *memory,
                            TallMemoryShare *share,
                            guint wait);
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
