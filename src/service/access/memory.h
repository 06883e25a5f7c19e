/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

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
gsize tall_memory_get_slot (TallMemory *self);
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

G_END_DECLS
