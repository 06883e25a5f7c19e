/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/table-kind.h"
#include "table/table.h"

#define TALL_HBASE_KIND "hbase"

/* Names of its measures: bytes that went to gateways and came from them. */
#define TALL_HBASE_SENT_BYTES "gateway_sent_bytes"
#define TALL_HBASE_RECEIVED_BYTES "gateway_received_bytes"

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
  guint connect_timeout;       /* milliseconds until a new connection has brought an answer */
  guint call_timeout;          /* milliseconds that one call may take at one gateway */
  guint wait_timeout;          /* milliseconds that a caller stands in line for a connection */
  guint patience;              /* milliseconds that a get waits for the gets before it */
  guint max_waiting;           /* callers in line; one more fails at once: overloaded */
} TallHbaseOptions;

#define TALL_HBASE_OPTIONS_INIT                                                                    \
  {                                                                                                \
    .connect_timeout = 3000, .call_timeout = 5000, .wait_timeout = 4000, .patience = 5,            \
    .max_waiting = 1024                                                                            \
  }

/* What an HBase will refuse to create, without asking one: %TALL_ERROR_UNSUPPORTED. */

TallTable *tall_hbase_table_open (const TallHbaseOptions *options,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallHbaseAddress:
 *
 * What an address says about an HBase: options for opening it. Texts are owned by this; the name is
 * that of the address.
 */
typedef struct
{
  TallHbaseOptions options;
  GStrv gateways;
} TallHbaseAddress;

void tall_hbase_address_init (TallHbaseAddress *self, const TallTableAddress *address);
void tall_hbase_address_clear (TallHbaseAddress *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallHbaseAddress, tall_hbase_address_clear)
