/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/spool.h"
#include "tall-error.h"
#include "load/orders/spool-database.h"

/* An entry in memory. */
typedef struct
{
  TallSlice key;
  TallSlice value;
  guint8 bytes[]; /* of both */
} Entry;

struct _TallSpool
{
  TallSpoolPlace place;
  char *parent;     /* the folder of @place */
  guint64 count;    /* entries put */
  gboolean reading; /* nothing can be put any more */

  GPtrArray *entries; /* of Entry, in memory; NULL: it is in RocksDB: */
  gsize size;         /* bytes in memory */
  guint next;         /* which entry is read next */

  TallSpoolDatabase *database; /* owned */
};

/**
 * tall_spool_new:
 * @place: its texts stay the caller's
 */
TallSpool *
tall_spool_new (const TallSpoolPlace *place)
{
  TallSpool *self = g_new0 (TallSpool, 1);
  self->place = *place;
  self->parent = g_strdup (place->folder);
  self->entries = g_ptr_array_new_with_free_func (g_free);
  return self;
}

void
tall_spool_free (TallSpool *self)
{
  if (self == NULL)
    return;
  tall_spool_database_free (self->database);
  g_clear_pointer (&self->entries, g_ptr_array_unref);
  g_free (self->parent);
  g_free (self);
}

static void
put_in_memory (TallSpool *self, TallSlice key, TallSlice value)
{
  Entry *entry = g_malloc (sizeof *entry + key.len + value.len);
  entry->key = tall_slice (entry->bytes, key.len);
  entry->value = tall_slice (entry->bytes + key.len, value.len);
  memcpy (entry->bytes, key.data, key.len);
  if (value.len > 0)
    memcpy (entry->bytes + key.len, value.data, value.len);
  g_ptr_array_add (self->entries, entry);
  self->size += sizeof *entry + key.len + value.len;
}

static gboolean
leave_memory (TallSpool *self, GError **error)
{
  g_autoptr (GPtrArray) entries = g_steal_pointer (&self->entries);
  self->database = tall_spool_database_new (self->parent, error);
  if (self->database == NULL)
    return FALSE;
  if (self->place.announce != NULL)
    self->place.announce (self->parent, MAX (self->place.estimate, self->size), self->place.data);
  for (guint i = 0; i < entries->len; i++)
    {
      const Entry *entry = g_ptr_array_index (entries, i);
      if (!tall_spool_database_put (self->database, entry->key, entry->value, error))
        return FALSE;
    }
  return TRUE;
}

/**
 * tall_spool_put:
 * @key: that is not there yet; not empty
 *
 * Puts an entry, before anything is read. After a failure the spool is of no more use.
 *
 * Returns: FALSE with %TALL_ERROR_UNAVAILABLE, as when the disk is full
 */
gboolean
tall_spool_put (TallSpool *self, TallSlice key, TallSlice value, GError **error)
{
  g_return_val_if_fail (!self->reading, FALSE);
  self->count++;
  if (self->entries != NULL)
    {
      put_in_memory (self, key, value);
      return self->size <= TALL_SPOOL_MEMORY || leave_memory (self, error);
    }
  return tall_spool_database_put (self->database, key, value, error);
}

static gint
compare_entries (gconstpointer a, gconstpointer b)
{
  return tall_slice_compare ((*(const Entry *const *)a)->key, (*(const Entry *const *)b)->key);
}

static gboolean
finish_filling (TallSpool *self, GError **error)
{
  self->reading = TRUE;
  if (self->entries == NULL)
    return tall_spool_database_finish (self->database, error);
  g_ptr_array_sort (self->entries, compare_entries);
  return TRUE;
}

/* The first entry in memory whose key is @start or comes after it. */
static guint
find_entry (const TallSpool *self, TallSlice start)
{
  guint low = 0, high = self->entries->len;
  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      const Entry *entry = g_ptr_array_index (self->entries, middle);
      if (tall_slice_compare (entry->key, start) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/**
 * tall_spool_seek:
 *
 * Makes tall_spool_next() begin with the first key from @start on. Nothing can be put any more.
 *
 * Returns: FALSE with %TALL_ERROR_UNAVAILABLE, as when the disk is full
 */
gboolean
tall_spool_seek (TallSpool *self, TallSlice start, GError **error)
{
  if (!self->reading && !finish_filling (self, error))
    return FALSE;
  if (self->entries != NULL)
    self->next = find_entry (self, start);
  else
    tall_spool_database_seek (self->database, start);
  return TRUE;
}

/**
 * tall_spool_next:
 * @key: (out): of the next entry; valid until the next call
 * @value: (out): likewise
 *
 * Returns: TRUE if there is one; FALSE at the end, and with %TALL_ERROR_UNAVAILABLE after a failure
 */
gboolean
tall_spool_next (TallSpool *self, TallSlice *key, TallSlice *value, GError **error)
{
  if (self->entries == NULL)
    return tall_spool_database_next (self->database, key, value, error);
  if (self->next >= self->entries->len)
    return FALSE;
  const Entry *entry = g_ptr_array_index (self->entries, self->next++);
  *key = entry->key;
  *value = entry->value;
  return TRUE;
}

/**
 * tall_spool_find:
 * @value: (out): of the first entry whose key begins with @prefix
 *
 * Looks up an entry, once nothing is put any more. tall_spool_next() goes on where it was.
 *
 * Returns: FALSE if there is none, and with %TALL_ERROR_UNAVAILABLE after a failure
 */
gboolean
tall_spool_find (TallSpool *self, TallSlice prefix, GByteArray *value, GError **error)
{
  if (self->entries == NULL)
    return tall_spool_database_find (self->database, prefix, value, error);
  guint i = find_entry (self, prefix);
  if (i >= self->entries->len)
    return FALSE;
  const Entry *entry = g_ptr_array_index (self->entries, i);
  if (!tall_slice_has_prefix (entry->key, prefix))
    return FALSE;
  tall_bytes_set (value, entry->value);
  return TRUE;
}

/* How many entries there are. */
guint64
tall_spool_count (const TallSpool *self)
{
  return self->count;
}

/* What is read is not what was put. */
void
tall_spool_set_damaged (const TallSpool *self, GError **error)
{
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
               "Rows that were put aside in %s come back damaged; check its disk, or name another "
               "folder with --spool",
               self->parent);
}
