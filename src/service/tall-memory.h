/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TallMemory:
 *
 * How many bytes all calls of a server may take together, and one slot beside them, kept for a call
 * that finds nothing left. A call that wants more than is left waits for it, but not for long, in
 * the order of coming: small calls do not pass a large one until its time is over. Of the calls
 * that wait, the first that fits into the slot gets it. Any thread may use it.
 */
typedef struct
{
  GMutex mutex;
  GCond changed;
  gsize size;     /* bytes */
  gsize left;     /* bytes of them that nobody holds */
  gsize slot;     /* bytes of the slot, beside the others */
  gboolean taken; /* the slot is */
  GQueue waiting; /* of a GSIZE_TO_POINTER(), a link on the stack of each thread that waits */
} TallMemory;

void tall_memory_init (TallMemory *self, gsize size, gsize slot);
void tall_memory_clear (TallMemory *self);
gsize tall_memory_get_used (TallMemory *self);
guint tall_memory_count_waiting (TallMemory *self);

/**
 * TallMemoryPart:
 *
 * What one call holds of a #TallMemory. Zeroed but for @memory it holds nothing; with NULL there,
 * it may hold as much as it likes. It belongs to one thread at a time.
 */
typedef struct
{
  TallMemory *memory; /* not owned */
  gsize held;         /* bytes */
  gboolean in_slot;   /* they are those of the slot */
} TallMemoryPart;

gboolean
tall_memory_part_take (TallMemoryPart *self, gsize size, gint64 deadline) G_GNUC_WARN_UNUSED_RESULT;
void tall_memory_part_keep (TallMemoryPart *self, gsize size);

G_END_DECLS
