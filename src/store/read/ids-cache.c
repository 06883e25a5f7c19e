/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/read/ids-cache.h"

#define MAX_REMEMBERED 65536 /* in each of the two halves */

static guint64 *
dup_id (guint64 id)
{
  return g_memdup2 (&id, sizeof id);
}

static GHashTable *
half_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
}

void
tall_ids_cache_init (TallIdsCache *self)
{
  g_mutex_init (&self->mutex);
  self->young = half_new ();
  self->old = half_new ();
}

void
tall_ids_cache_clear (TallIdsCache *self)
{
  g_hash_table_unref (self->young);
  g_hash_table_unref (self->old);
  g_mutex_clear (&self->mutex);
}

void
tall_ids_cache_forget (TallIdsCache *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  g_hash_table_remove_all (self->young);
  g_hash_table_remove_all (self->old);
}

/* With the mutex held. */
static void
remember (TallIdsCache *self, const char *number, guint64 id)
{
  if (g_hash_table_size (self->young) >= MAX_REMEMBERED)
    {
      g_hash_table_unref (self->old);
      self->old = g_steal_pointer (&self->young);
      self->young = half_new ();
    }
  g_hash_table_replace (self->young, g_strdup (number), dup_id (id));
}

void
tall_ids_cache_remember (TallIdsCache *self, const char *number, guint64 id)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  remember (self, number, id);
}

/**
 * tall_ids_cache_recall:
 *
 * Returns: the id; 0 if it is not remembered
 */
guint64
tall_ids_cache_recall (TallIdsCache *self, const char *number)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  const guint64 *id = g_hash_table_lookup (self->young, number);
  if (id != NULL)
    return *id;
  id = g_hash_table_lookup (self->old, number);
  if (id == NULL)
    return 0;
  guint64 found = *id;
  remember (self, number, found);
  return found;
}
