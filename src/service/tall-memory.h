/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TallMemory:
 *
 * How many bytes of requests may be in work together. Whoever wants more than is left waits for it,
 * but not for long, in the order in which they came: a large request is not passed by small ones
 * until its time is over. Any thread may use it.
 */
typedef struct
{
  GMutex mutex;
  GCond changed;
  gsize left;     /* bytes */
  GQueue waiting; /* a link on the stack of each thread that waits, the first to come first */
} TallMemory;

void tall_memory_init (TallMemory *self, gsize size);
void tall_memory_clear (TallMemory *self);

gboolean tall_memory_take (TallMemory *self, gsize size, gint64 deadline);
void tall_memory_give_back (TallMemory *self, gsize size);
guint tall_memory_count_waiting (TallMemory *self);

G_END_DECLS
