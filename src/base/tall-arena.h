/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-api.h"
#include <string.h>

TALL_BEGIN_API

/**
 * TallArena:
 *
 * Memory that is given out piece by piece and freed at once. An order with its lines, or the rows
 * of one read, live and die together; an arena makes that one owner. Pieces are aligned to 8 bytes
 * and never moved. Not thread-safe: one arena belongs to one thread at a time.
 */
typedef struct _TallArena TallArena;

TallArena *tall_arena_new (gsize first_block);
void tall_arena_reset (TallArena *self);
void tall_arena_free (TallArena *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallArena, tall_arena_free)

gpointer tall_arena_alloc (TallArena *self, gsize size);
gpointer tall_arena_alloc0 (TallArena *self, gsize size);
gpointer tall_arena_alloc_apart (TallArena *self, gsize size);
void tall_arena_free_apart (TallArena *self, gpointer piece);
gpointer tall_arena_memdup (TallArena *self, gconstpointer data, gsize size);
char *tall_arena_strdup (TallArena *self, const char *text);
char *tall_arena_strndup (TallArena *self, const char *text, gsize len);
char *tall_arena_printf (TallArena *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
gsize tall_arena_get_size (const TallArena *self);
void tall_arena_append (TallArena *self, gpointer list, gsize *n, gpointer element);
void tall_arena_own (TallArena *self, gpointer data, GDestroyNotify destroy);

/* One zeroed struct, or an array of @n zeroed ones (an overflow of the product aborts). */
#define tall_arena_new0(self, type) ((type *)tall_arena_alloc0 ((self), sizeof (type)))
#define tall_arena_newa0(self, type, n)                                                            \
  ((type *)tall_arena_alloc0 ((self), tall_arena_array_size (sizeof (type), (n))))

static inline gsize
tall_arena_array_size (gsize element, gsize n)
{
  gsize size;
  if (!g_size_checked_mul (&size, element, n))
    g_error ("array of %" G_GSIZE_FORMAT " elements overflows memory", n);
  return size;
}

TALL_END_API
