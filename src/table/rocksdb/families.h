/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/table.h"
#include "tall-bytes.h"

#include <rocksdb/c.h>

/**
 * TallRocksdbFamily:
 *
 * One table: a column family of the database. Kept alive by references, so that a table may be
 * dropped while others still read it.
 */
typedef struct
{
  gatomicrefcount ref_count;
  rocksdb_column_family_handle_t *handle;
  guint32 id;          /* of the column family */
  TallTableSpec *spec; /* as it was created, and open */
  gboolean dropped;    /* under the locks of all rows; not set if the table was shut */

  /* Changed with the locks of all rows held: whoever has one of them sees the last change, and a
   * read that begins after it. */
  gint access;       /* TallTableAccess; atomic */
  GMutex seal_mutex; /* for both together */
  char *seal;        /* nullable */
  guint64 shut_at;   /* under schema_mutex: the last write when it was shut; 0: it was opened so */
} TallRocksdbFamily;

TallRocksdbFamily *tall_rocksdb_family_new (rocksdb_column_family_handle_t *handle,
                                            const TallTableSpec *spec);
TallRocksdbFamily *tall_rocksdb_family_ref (TallRocksdbFamily *self);
void tall_rocksdb_family_unref (TallRocksdbFamily *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallRocksdbFamily, tall_rocksdb_family_unref)

gboolean tall_rocksdb_family_admits (const TallRocksdbFamily *self,
                                     gboolean writes,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallTableSpec *tall_rocksdb_family_describe (TallRocksdbFamily *self);
gint64 tall_rocksdb_family_get_oldest (const TallRocksdbFamily *self);
void tall_rocksdb_family_prefix_row (const TallRocksdbFamily *self, TallSlice row, GError **error);

/**
 * TallRocksdbFamilies:
 *
 * The tables of an open database, by deployment and name. Safe to be used by many threads at once.
 */
typedef struct _TallRocksdbFamilies TallRocksdbFamilies;

TallRocksdbFamilies *tall_rocksdb_families_new (void);
void tall_rocksdb_families_free (TallRocksdbFamilies *self);

void tall_rocksdb_families_add (TallRocksdbFamilies *self,
                                const char *deployment,
                                TallRocksdbFamily *family);
TallRocksdbFamily *
tall_rocksdb_families_find (TallRocksdbFamilies *self, const char *deployment, const char *table);
void tall_rocksdb_families_add_handles (TallRocksdbFamilies *self, GPtrArray *handles);
GStrv tall_rocksdb_families_list (TallRocksdbFamilies *self, const char *deployment);
GStrv tall_rocksdb_families_list_deployments (TallRocksdbFamilies *self, const char *table);

/* Writers of different rows rarely meet on one, also where each holds 256 of them at once. */
#define TALL_ROCKSDB_STRIPES 32768

/**
 * TallRocksdbStripes:
 *
 * The locks of rows: a row is locked while it is read, changed and written. Each lock is that of
 * many rows.
 */
typedef struct _TallRocksdbStripes TallRocksdbStripes;

TallRocksdbStripes *tall_rocksdb_stripes_new (void);
void tall_rocksdb_stripes_free (TallRocksdbStripes *self);
guint tall_rocksdb_stripes_find (guint32 table, TallSlice row);
gboolean tall_rocksdb_stripes_lock (TallRocksdbStripes *self,
                                    guint *stripes,
                                    guint *n,
                                    gint64 deadline,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_rocksdb_stripes_unlock (TallRocksdbStripes *self, const guint *stripes, guint n);
