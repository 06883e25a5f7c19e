/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TallIdsCache:
 *
 * Number → id, for what has been seen lately. When the young half is full it becomes the old one,
 * and the old one goes: what is asked for moves back to the young one. Any thread may call.
 */
typedef struct
{
  GMutex mutex; /* for both */
  GHashTable *young;
  GHashTable *old;
} TallIdsCache;

void tall_ids_cache_init (TallIdsCache *self);
void tall_ids_cache_clear (TallIdsCache *self);
void tall_ids_cache_forget (TallIdsCache *self);
void tall_ids_cache_remember (TallIdsCache *self, const char *number, guint64 id);
guint64 tall_ids_cache_recall (TallIdsCache *self, const char *number);

G_END_DECLS
