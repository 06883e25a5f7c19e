/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/rocksdb/directory.h"
#include "table/rocksdb/engine.h"
#include "table/rocksdb/families.h"
#include "table/rocksdb/markers.h"
#include "table/rocksdb/table.h"
#include "table/table-checks.h"
#include "table/table.h"

#include <rocksdb/c.h>

/* All tables of a deployment written anew without what was deleted, see compact.c. */
typedef struct _TallRocksdbCompaction TallRocksdbCompaction;

/**
 * TallRocksdbDatabase:
 *
 * An open database, shared by all in this process who open its directory. How the first one opens
 * it counts for all.
 */
typedef struct
{
  guint ref_count; /* under registry_mutex */
  char *path;      /* where it was opened */
  char *key;       /* in the registry: which directory that was */

  gboolean read_only; /* asked for; engine->read_only may come from a full disk */
  TallRocksdbEngine *engine;
  rocksdb_t *db; /* its */
  rocksdb_options_t *options;
  rocksdb_options_t *table_options; /* of all families but the default one */
  rocksdb_cache_t *cache;
  rocksdb_column_family_handle_t *specs; /* the default family */

  TallRocksdbRoom *room;

  GMutex schema_mutex; /* one create or drop at a time */
  guint64 flushed_to;  /* under it: all writes up to this one are in tables, none is in the log */
  guint64 n_changes;   /* under it: creations and drops of tables that have begun */
  TallRocksdbFamilies *families;

  TallRocksdbStripes *stripes;
  TallRocksdbHorizon *horizon;
  TallRocksdbSweeper *sweeper; /* NULL until the database is open */

  GMutex compacted_mutex;
  TallRocksdbCompaction *compacted; /* under it: the one that has ended last; NULL: none */
} TallRocksdbDatabase;

TallRocksdbDatabase *tall_rocksdb_database_open (const TallRocksdbOptions *options,
                                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_rocksdb_database_unref (TallRocksdbDatabase *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallRocksdbDatabase, tall_rocksdb_database_unref)

gboolean tall_rocksdb_database_write (TallRocksdbDatabase *self,
                                      const rocksdb_writeoptions_t *options,
                                      rocksdb_writebatch_t *batch,
                                      const char *operation,
                                      gboolean *refused,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
guint tall_rocksdb_database_enter (TallRocksdbDatabase *self);
gboolean tall_rocksdb_database_compact (TallRocksdbDatabase *self,
                                        const char *deployment,
                                        gboolean alone,
                                        guint64 *ticket,
                                        gboolean *done,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_rocksdb_compaction_free (TallRocksdbCompaction *self);

TallRocksdbFamily *tall_rocksdb_database_find_family (TallRocksdbDatabase *self,
                                                      const char *deployment,
                                                      const char *table,
                                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_rocksdb_database_check_writable (TallRocksdbDatabase *self,
                                               gsize size,
                                               const char *operation,
                                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

GArray *tall_rocksdb_measures_list (rocksdb_t *db, GPtrArray *handles, const char *path);

gboolean tall_rocksdb_schema_create_table (TallRocksdbDatabase *self,
                                           const char *deployment,
                                           const TallTableSpec *spec,
                                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_rocksdb_schema_drop_table (TallRocksdbDatabase *self,
                                         const char *deployment,
                                         const char *table,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_rocksdb_schema_set_access (TallRocksdbDatabase *self,
                                         const char *deployment,
                                         const char *table,
                                         const TallTableShutter *to,
                                         gint64 deadline,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_rocksdb_copy_make (TallRocksdbDatabase *database,
                                 const char *directory,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* For measurements and tests beside us: the rows as RocksDB keeps them, and their locks. */
TallRocksdbStripes *tall_rocksdb_table_get_stripes (TallRocksdbTable *self);
rocksdb_t *tall_rocksdb_table_get_handle (TallRocksdbTable *self);
TallRocksdbFamily *tall_rocksdb_table_find_family (TallRocksdbTable *self,
                                                   const char *table,
                                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallRocksdbStep:
 *
 * One read of a plan.
 */
typedef struct
{
  TallRocksdbFamily *family;
  const TallRead *read;
  gint64 deadline;
  TallArena *arena; /* for the rows; it keeps alive what they point to, also if the read fails */
  gint64 oldest;    /* cells with a lower timestamp have outlived the table's TTL */
  GArray *passing;  /* of TallCell: of a row that does not stay; NULL where all cells are wanted */
} TallRocksdbStep;

/**
 * TallRocksdbReader:
 *
 * Executes reads. Safe to be used by many threads at once.
 */
typedef struct _TallRocksdbReader TallRocksdbReader;

TallRocksdbReader *tall_rocksdb_reader_new (TallRocksdbDatabase *database);
void tall_rocksdb_reader_free (TallRocksdbReader *self);
gboolean tall_rocksdb_reader_read (TallRocksdbReader *self,
                                   const TallRocksdbStep *step,
                                   TallRows *rows,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Rows that are written in one step at most. */
#define TALL_ROCKSDB_TOGETHER 256

/**
 * TallRocksdbWriter:
 *
 * Changes rows: reads, merges and writes each under a lock. Safe to be used by many threads at
 * once.
 */
typedef struct _TallRocksdbWriter TallRocksdbWriter;

TallRocksdbWriter *tall_rocksdb_writer_new (TallRocksdbDatabase *database, gboolean sync);
void tall_rocksdb_writer_free (TallRocksdbWriter *self);
gboolean tall_rocksdb_writer_apply (TallRocksdbWriter *self,
                                    TallRocksdbFamily *const *families,
                                    TallMutation *const *mutations,
                                    guint n,
                                    TallDurability durability,
                                    gint64 deadline,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_rocksdb_writer_apply_if (TallRocksdbWriter *self,
                                       TallRocksdbFamily *const *families,
                                       const TallConditionalWrite *conditional,
                                       gboolean *matched,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_rocksdb_writer_increment (TallRocksdbWriter *self,
                                        const TallRocksdbFamily *family,
                                        TallSlice row,
                                        TallSlice qualifier,
                                        gint64 delta,
                                        gint64 deadline,
                                        gint64 *value,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
