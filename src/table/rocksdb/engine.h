/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <rocksdb/c.h>

#include "table/rocksdb/directory.h"
#include "table/rocksdb/check.h"

/* Foreign handles and texts. */
typedef char TallRocksdbText;

static inline void
tall_rocksdb_text_free (TallRocksdbText *text)
{
  if (text != NULL)
    rocksdb_free (text);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallRocksdbText, tall_rocksdb_text_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (rocksdb_options_t, rocksdb_options_destroy)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (rocksdb_readoptions_t, rocksdb_readoptions_destroy)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (rocksdb_writeoptions_t, rocksdb_writeoptions_destroy)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (rocksdb_iterator_t, rocksdb_iter_destroy)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (rocksdb_writebatch_t, rocksdb_writebatch_destroy)

gboolean tall_rocksdb_take_error_in (char *message,
                                     const char *directory,
                                     const char *operation,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_rocksdb_take_error (char *message,
                                  const char *operation,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The family that every database has. */
#define TALL_ROCKSDB_DEFAULT_FAMILY "default"

/**
 * TallRocksdbEngine:
 *
 * RocksDB with a directory open: what is there between opening and closing, and nothing of tables.
 */
typedef struct
{
  char *path; /* as people know it */
  char *held; /* the same directory, also if it is moved; to be read only, the same path */
  rocksdb_t *db;
  GPtrArray *names;                         /* of its column families, the default one first */
  rocksdb_column_family_handle_t **handles; /* at the same places; NULL once somebody took it */
  GError *read_only;                        /* why nothing can be written, or NULL */
  int locks[2];                             /* descriptors of the directory and of LOCK, or -1 */
  TallRocksdbSynced *synced;                /* NULL: nothing can be written */

  GMutex queue_mutex; /* for the queue */
  GQueue queue;       /* of writes; the first one is in RocksDB, with others behind it */

  /* Of the write that is in RocksDB. */
  char *failure;      /* what it said of a log that takes no more writes; NULL: it takes them */
  guint64 failed_log; /* its number */

  /* Of the last work. */
  rocksdb_column_family_handle_t *moved; /* any one, if the log is moved; NULL: it is left */
  GError *left;                          /* why, or NULL */
  gint is_done;                          /* atomic */
} TallRocksdbEngine;

TallRocksdbEngine *tall_rocksdb_engine_open (const char *path,
                                             const rocksdb_options_t *options,
                                             const rocksdb_options_t *table_options,
                                             TallRocksdbRoom *room,
                                             gboolean read_only,
                                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_rocksdb_engine_write (TallRocksdbEngine *self,
                                    const rocksdb_writeoptions_t *options,
                                    rocksdb_writebatch_t *batch,
                                    const char *operation,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_rocksdb_engine_note_tables (TallRocksdbEngine *self);
gboolean tall_rocksdb_engine_flush (TallRocksdbEngine *self,
                                    rocksdb_column_family_handle_t *family,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean
tall_rocksdb_engine_finish (TallRocksdbEngine *self,
                            rocksdb_column_family_handle_t *family) G_GNUC_WARN_UNUSED_RESULT;
void tall_rocksdb_engine_close (TallRocksdbEngine *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallRocksdbEngine, tall_rocksdb_engine_close)
