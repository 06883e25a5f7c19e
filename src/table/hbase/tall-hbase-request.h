/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-hbase-call.h"

G_BEGIN_DECLS

/**
 * TallHbaseRequestKind:
 * @TALL_HBASE_REQUEST_EXISTS: sets @answer
 * @TALL_HBASE_REQUEST_IS_ENABLED: sets @answer
 * @TALL_HBASE_REQUEST_DESCRIBE: sets @descriptor
 * @TALL_HBASE_REQUEST_REGIONS: sets @list, of #HbTHRegionLocation
 * @TALL_HBASE_REQUEST_LIST: sets @list, of #HbTTableName that match @pattern
 * @TALL_HBASE_REQUEST_CREATE: makes a table like @descriptor, split at @list, of #GByteArray
 * @TALL_HBASE_REQUEST_DISABLE: of a table, before it can be deleted
 * @TALL_HBASE_REQUEST_DELETE: of a table
 *
 * Calls on tables.
 */
typedef enum
{
  TALL_HBASE_REQUEST_EXISTS,
  TALL_HBASE_REQUEST_IS_ENABLED,
  TALL_HBASE_REQUEST_DESCRIBE,
  TALL_HBASE_REQUEST_REGIONS,
  TALL_HBASE_REQUEST_LIST,
  TALL_HBASE_REQUEST_CREATE,
  TALL_HBASE_REQUEST_DISABLE,
  TALL_HBASE_REQUEST_DELETE,
} TallHbaseRequestKind;

/**
 * TallHbaseRequest:
 *
 * What calls on a table send and receive. They are made one after the other.
 */
typedef struct
{
  TallHbaseCall call;
  const TallHbaseNames *names;
  const char *table;              /* short name; nullable */
  HbTTableName *name;             /* of @table */
  HbTTableDescriptor *descriptor; /* to create, or received */
  GPtrArray *list;                /* to send or received */
  char *pattern;                  /* of the names of tables: a Java regular expression */
  gboolean answer;
} TallHbaseRequest;

TallHbaseRequest tall_hbase_request (const TallHbaseNames *names, const char *table);
void tall_hbase_request_clear (TallHbaseRequest *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallHbaseRequest, tall_hbase_request_clear)

gboolean tall_hbase_request_run (TallHbaseRequest *self,
                                 TallHbasePool *pool,
                                 TallHbaseRequestKind kind,
                                 gint64 deadline,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
