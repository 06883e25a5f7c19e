/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <rocksdb/c.h>

#include "table/table.h"

G_BEGIN_DECLS

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
void
tall_rocksdb_family_set_access (TallRocksdbFamily *self, TallTableAccess access, const char *seal);
TallTableSpec *tall_rocksdb_family_describe (TallRocksdbFamily *self);
gint64 tall_rocksdb_family_get_oldest (const TallRocksdbFamily *self);
void tall_rocksdb_family_prefix_row (const TallRocksdbFamily *self, TallSlice row, GError **error);

G_END_DECLS
