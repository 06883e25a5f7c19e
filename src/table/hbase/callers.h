/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/pool-private.h"

G_BEGIN_DECLS

/**
 * TallHbaseWaiter:
 *
 * A caller in line, in its own memory.
 */
typedef struct
{
  GCond called;
  guint64 ticket;      /* the smaller one came first; 0: none yet */
  gboolean is_called;  /* it has left the line: it has a connection, or must look again */
  TallHbaseLink *link; /* nullable */
} TallHbaseWaiter;

gboolean tall_hbase_callers_wait (TallHbasePool *self, TallHbaseWaiter *waiter, gint64 limit);
void tall_hbase_callers_call (TallHbasePool *self, guint n);

G_END_DECLS
