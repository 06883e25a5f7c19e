/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/rocksdb/database.h"
#include "table/rocksdb/engine.h"
#include "table/rocksdb/families.h"
#include "table/rocksdb/horizon.h"
#include "table/rocksdb/room.h"

G_BEGIN_DECLS

struct _TallRocksdbDatabase
{
  guint ref_count; /* under registry_mutex */
  char *path;      /* key in the registry */

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
};

gboolean tall_rocksdb_database_check_writable (TallRocksdbDatabase *self,
                                               gsize size,
                                               const char *operation,
                                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *tall_rocksdb_database_list_handles (TallRocksdbDatabase *self);

G_END_DECLS
