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
 * TallSpoolFolder:
 *
 * A folder for temporary files of this process, which goes with it: at the end, or, after a
 * process that was killed, when the next one makes such a folder in the same place. A lock on the
 * folder, which goes with the process however that ends, says that it is in use.
 */
typedef struct _TallSpoolFolder TallSpoolFolder;

TallSpoolFolder *tall_spool_folder_new (const char *parent,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_spool_folder_free (TallSpoolFolder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallSpoolFolder, tall_spool_folder_free)

const char *tall_spool_folder_get_path (const TallSpoolFolder *self);

/**
 * TallSpoolDatabase:
 *
 * What a spool has beside memory: a temporary RocksDB without a log. It is filled first, finished,
 * and then read. After a failure it is of no more use. Not thread-safe.
 */
typedef struct _TallSpoolDatabase TallSpoolDatabase;

TallSpoolDatabase *tall_spool_database_new (const char *parent,
                                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_spool_database_free (TallSpoolDatabase *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallSpoolDatabase, tall_spool_database_free)

gboolean tall_spool_database_put (TallSpoolDatabase *self,
                                  TallSlice key,
                                  TallSlice value,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_spool_database_finish (TallSpoolDatabase *self,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_spool_database_seek (TallSpoolDatabase *self, TallSlice start);
gboolean tall_spool_database_next (TallSpoolDatabase *self,
                                   TallSlice *key,
                                   TallSlice *value,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_spool_database_find (TallSpoolDatabase *self,
                                   TallSlice prefix,
                                   GByteArray *value,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

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
