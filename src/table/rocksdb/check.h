/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

#include "tall-bytes.h"

/* The name of the file. */
#define TALL_ROCKSDB_SYNCED "SYNCED"

/**
 * TallRocksdbProof:
 *
 * How much of a store must be there. Everything in it is a lower bound.
 */
typedef struct
{
  guint64 manifest;     /* number of the MANIFEST */
  guint64 manifest_len; /* bytes of it */
  guint64 base;         /* the last write that is in tables by that MANIFEST */
  guint64 synced;       /* the last write that was acknowledged as synced */
} TallRocksdbProof;

/**
 * TallRocksdbSynced:
 *
 * The file that keeps the proof, written after each synced write. Safe to be used by many threads.
 */
typedef struct _TallRocksdbSynced TallRocksdbSynced;

gboolean tall_rocksdb_proof_load (const char *directory,
                                  TallRocksdbProof *proof,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_rocksdb_proof_measure (const char *directory,
                                     TallRocksdbProof *proof,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallRocksdbSynced *tall_rocksdb_synced_open (const char *directory,
                                             const TallRocksdbProof *proof,
                                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_rocksdb_synced_get (TallRocksdbSynced *self, TallRocksdbProof *proof);
void tall_rocksdb_synced_note (TallRocksdbSynced *self, guint64 write);
guint64 tall_rocksdb_synced_finish (TallRocksdbSynced *self, const TallRocksdbProof *measured);
void tall_rocksdb_synced_free (TallRocksdbSynced *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallRocksdbSynced, tall_rocksdb_synced_free)

void tall_rocksdb_losses_add (const char *directory, GPtrArray *lost);
gboolean tall_rocksdb_losses_copy (const char *from,
                                   const char *to,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
GStrv tall_rocksdb_losses_list (const char *directory);

/**
 * TallRocksdbCheck:
 *
 * What a look at the files of a store found before RocksDB opens it.
 */
typedef struct
{
  const char *directory;
  TallRocksdbProof proof; /* what it says of itself; all zero: nothing */
  gboolean exists;        /* FALSE: there is no database yet */
  guint64 covered;        /* every write up to this number is in the files */
  GPtrArray *lost;        /* of texts: what RocksDB will drop, as it was not written to its end */
} TallRocksdbCheck;

gboolean tall_rocksdb_check_directory (const char *directory,
                                       TallRocksdbCheck *self,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_rocksdb_check_clear (TallRocksdbCheck *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallRocksdbCheck, tall_rocksdb_check_clear)

gboolean tall_rocksdb_check_find_torn (TallSlice log, gsize *end);
guint64 tall_rocksdb_check_get_last_write (TallSlice batch);
guint32 tall_rocksdb_checksum (TallSlice data);
