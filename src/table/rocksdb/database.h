/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/rocksdb/family.h"
#include "table/rocksdb/stripes.h"
#include "table/rocksdb/sweeper.h"

G_BEGIN_DECLS

typedef struct _TallRocksdbDatabase TallRocksdbDatabase;

/**
 * TallRocksdbSetup:
 *
 * How a directory is opened. What the first says counts for all in this process.
 */
typedef struct
{
  gsize cache_bytes;     /* of the block cache; 0: a usual size */
  gboolean direct_reads; /* past the page cache */
  gboolean must_exist;   /* no new store may be created; counts for each */
  gboolean statistics;   /* RocksDB counts what it does */
} TallRocksdbSetup;

TallRocksdbDatabase *tall_rocksdb_database_open (const char *directory,
                                                 const TallRocksdbSetup *setup,
                                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_rocksdb_database_unref (TallRocksdbDatabase *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallRocksdbDatabase, tall_rocksdb_database_unref)

TallRocksdbSweeper *tall_rocksdb_database_get_sweeper (TallRocksdbDatabase *self);
rocksdb_t *tall_rocksdb_database_get_handle (TallRocksdbDatabase *self);
gboolean tall_rocksdb_database_write (TallRocksdbDatabase *self,
                                      const rocksdb_writeoptions_t *options,
                                      rocksdb_writebatch_t *batch,
                                      const char *operation,
                                      gboolean *refused,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
guint tall_rocksdb_database_enter (TallRocksdbDatabase *self);
void tall_rocksdb_database_leave (TallRocksdbDatabase *self, guint generation);
guint64 tall_rocksdb_database_get_forgotten (TallRocksdbDatabase *self);
void tall_rocksdb_database_sweep (TallRocksdbDatabase *self,
                                  TallRocksdbFamily *family,
                                  TallSlice start,
                                  TallSlice stop);
TallRocksdbStripes *tall_rocksdb_database_get_stripes (TallRocksdbDatabase *self);
char *tall_rocksdb_database_get_statistics (TallRocksdbDatabase *self);
GArray *tall_rocksdb_database_list_measures (TallRocksdbDatabase *self);
GStrv tall_rocksdb_database_list_losses (TallRocksdbDatabase *self);

TallRocksdbFamily *tall_rocksdb_database_find_family (TallRocksdbDatabase *self,
                                                      const char *deployment,
                                                      const char *table,
                                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
GStrv tall_rocksdb_database_list_families (TallRocksdbDatabase *self, const char *deployment);
GStrv tall_rocksdb_database_list_deployments (TallRocksdbDatabase *self, const char *table);

G_END_DECLS
