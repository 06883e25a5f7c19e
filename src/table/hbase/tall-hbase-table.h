/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-table.h"

G_BEGIN_DECLS

#define TALL_TYPE_HBASE_TABLE (tall_hbase_table_get_type ())
G_DECLARE_FINAL_TYPE (TallHbaseTable, tall_hbase_table, TALL, HBASE_TABLE, TallTable)

/**
 * TallHbaseOptions:
 *
 * How an HBase is reached. Start from TALL_HBASE_OPTIONS_INIT.
 */
typedef struct
{
  const char *const *gateways; /* `host:port` or `[v6]:port`, NULL-terminated, at least one */
  const char *name;            /* of the deployment: prefix of its tables; NULL = `tallorder` */
  gboolean framed;             /* the gateway runs with `-framed` */
  gboolean compact;            /* the gateway runs with `-compact` */
  guint connect_timeout;       /* milliseconds */
  guint call_timeout;          /* milliseconds that one call may take at one gateway */
} TallHbaseOptions;

#define TALL_HBASE_OPTIONS_INIT                                                                    \
  {                                                                                                \
    .connect_timeout = 3000, .call_timeout = 10000                                                 \
  }

TallTable *tall_hbase_table_open (const TallHbaseOptions *options,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
