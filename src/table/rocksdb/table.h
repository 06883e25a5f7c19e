/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/table.h"

#define TALL_ROCKSDB_KIND "rocksdb"

#define TALL_TYPE_ROCKSDB_TABLE (tall_rocksdb_table_get_type ())
G_DECLARE_FINAL_TYPE (TallRocksdbTable, tall_rocksdb_table, TALL, ROCKSDB_TABLE, TallTable)

/**
 * TallRocksdbOptions:
 *
 * How an embedded store is opened. Start from TALL_ROCKSDB_OPTIONS_INIT.
 */
typedef struct
{
  const char *directory; /* created if it does not exist */
  const char *name;      /* of the deployment: prefix of its tables; NULL = `tallorder` */
  gboolean sync;       /* FALSE trades durable commits for speed: a crash may lose the last ones */
  gsize cache_bytes;   /* block cache; 0 = 512 MiB at most */
  gboolean must_exist; /* refuse to create a new store */
  gboolean read_only;  /* change nothing in the directory, which another process may have open */
  gboolean
      direct_reads;    /* past the page cache: what is not in the block cache comes from the disk */
  gboolean statistics; /* count syncs, for tests; costs every call some time */
} TallRocksdbOptions;

#define TALL_ROCKSDB_OPTIONS_INIT                                                                  \
  {                                                                                                \
    .sync = TRUE                                                                                   \
  }

TallTable *tall_rocksdb_table_open (const TallRocksdbOptions *options,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
guint64 tall_rocksdb_table_count (TallRocksdbTable *self, const char *name);
