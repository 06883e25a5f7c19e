/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"

G_BEGIN_DECLS

/* Bytes that stay in memory: a spool that never has more makes no folder. */
#define TALL_SPOOL_MEMORY ((gsize)4 * 1024 * 1024)

/**
 * TallSpoolPlace:
 *
 * Where a spool goes that does not fit into memory.
 */
typedef struct
{
  const char *folder;
  guint64 estimate; /* bytes that it will take, about; 0: not known */

  /* Called before the spool takes room in the folder; NULL: nothing is */
  void (*announce) (const char *folder, guint64 bytes, gpointer data);
  gpointer data;
} TallSpoolPlace;

/**
 * TallSpool:
 *
 * Brings together what comes in any order: it is filled first, and then read in the order of its
 * keys. What is more than %TALL_SPOOL_MEMORY goes to a temporary RocksDB, which takes about 64 MiB
 * of memory, however much there is in it, and disappears with the process (#TallSpoolFolder). Not
 * thread-safe.
 */
typedef struct _TallSpool TallSpool;

TallSpool *tall_spool_new (const TallSpoolPlace *place);
void tall_spool_free (TallSpool *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallSpool, tall_spool_free)

gboolean tall_spool_put (TallSpool *self, TallSlice key, TallSlice value, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
gboolean
tall_spool_seek (TallSpool *self, TallSlice start, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_spool_next (TallSpool *self, TallSlice *key, TallSlice *value, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_spool_find (TallSpool *self, TallSlice prefix, GByteArray *value, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
guint64 tall_spool_count (const TallSpool *self);
void tall_spool_set_damaged (const TallSpool *self, GError **error);

G_END_DECLS
