/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/csv/reader.h"
#include "tall-bytes.h"

#include <glib.h>

G_BEGIN_DECLS

/**
 * TallSpoolRow:
 *
 * Good rows, and marks of bad ones, as the bytes that a #TallSpool keeps, and back. Begin with
 * tall_spool_row_init(). What decoding gives is valid until the next call. Not thread-safe.
 */
typedef struct
{
  GByteArray *bytes; /* of the row that was encoded last */
  GByteArray *text;  /* of the row that was decoded last: its fields, each with its NUL */
  GPtrArray *fields; /* of char *, into @text */
} TallSpoolRow;

void tall_spool_row_init (TallSpoolRow *self);
void tall_spool_row_clear (TallSpoolRow *self);
TallSlice
tall_spool_row_encode (TallSpoolRow *self, const TallCsvRow *row, guint64 blame, char delimiter);
gboolean tall_spool_row_decode (TallSpoolRow *self,
                                TallSlice bytes,
                                char delimiter,
                                TallCsvRow *row,
                                guint64 *blame) G_GNUC_WARN_UNUSED_RESULT;

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
 * keys. What does not fit into memory goes to a #TallTempDb. Not thread-safe.
 */
typedef struct _TallSpool TallSpool;

TallSpool *tall_spool_new (const TallSpoolPlace *place);
void tall_spool_free (TallSpool *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallSpool, tall_spool_free)

gboolean tall_spool_put (TallSpool *self, TallSlice key, TallSlice value, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_spool_next (TallSpool *self, TallSlice *key, TallSlice *value, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
void tall_spool_set_damaged (const TallSpool *self, GError **error);

G_END_DECLS
