/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/call.h"

G_BEGIN_DECLS

/**
 * TallHbaseRequest:
 *
 * What calls on a table send and receive. They are made one after the other.
 */
typedef struct
{
  TallHbaseCall call;
  const TallHbaseNames *names;
  const char *table; /* short name; nullable */
  TallArena *arena;  /* of all that is sent and received */
  TallHbaseMethodId method;
  TallHbaseArgs args;     /* @name and @table are set already */
  TallHbaseResult result; /* of the last call; and what it listed: */
  GPtrArray *starts;      /* of GBytes: where regions start, without those that have no start */
  GArray *found;          /* of TallHbaseTTableName */
  gboolean is_unplaced;   /* the last call failed as a region of the table has no server yet */
} TallHbaseRequest;

TallHbaseRequest tall_hbase_request (const TallHbaseNames *names, const char *table);
void tall_hbase_request_clear (TallHbaseRequest *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallHbaseRequest, tall_hbase_request_clear)

gboolean tall_hbase_request_run (TallHbaseRequest *self,
                                 TallHbasePool *pool,
                                 TallHbaseMethodId method,
                                 gint64 deadline,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
