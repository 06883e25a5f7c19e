/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TallMemoryShare:
 *
 * What the calls of one client address hold together, which is at most half of the memory unless it
 * is a single call. Starts zeroed. The memory locks it.
 */
typedef struct
{
  gsize held; /* bytes */
} TallMemoryShare;

/**
 * TallMemory:
 *
 * How many bytes all calls of a server may take together, and one slot beside them, kept for a call
 * that finds nothing left. A call that wants more than is left waits for it, but not for long, in
 * the order of coming: small calls do not pass a large one until its time is over. One that waits
 * for its own share, or for other requests to arrive, holds up nobody but such as itself. Of the
 * calls that wait for nothing else, the first that fits into the slot gets it. Any thread may use
 * it.
 */
typedef struct
{
  GMutex mutex;
  gsize size;     /* bytes */
  gsize left;     /* bytes of them that nobody holds */
  gsize slot;     /* bytes of the slot, beside the others */
  gboolean taken; /* the slot is */
  gsize arriving; /* bytes held for requests that have not arrived yet; half of all, or a single one
                   */
  GQueue waiting; /* of what waits, a link on the stack of each thread that does */
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
  TallMemory *memory;     /* not owned */
  TallMemoryShare *share; /* (nullable): not owned */
  gboolean arriving;      /* the request has not arrived yet */
  gsize held;             /* bytes */
  gboolean in_slot;       /* they are those of the slot */
} TallMemoryPart;

gboolean
tall_memory_part_take (TallMemoryPart *self, gsize size, gint64 deadline) G_GNUC_WARN_UNUSED_RESULT;
void tall_memory_part_arrive (TallMemoryPart *self);
void tall_memory_part_keep (TallMemoryPart *self, gsize size);

G_END_DECLS
