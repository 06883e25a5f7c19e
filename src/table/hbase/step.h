/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/call.h"
#include "table/hbase/condition.h"
#include "cell/mutation.h"

G_BEGIN_DECLS

/* Atomic steps of one row that must not be done twice. */

gboolean tall_hbase_apply_if (TallHbasePool *pool,
                              const TallHbaseNames *names,
                              const TallMutation *mutation,
                              const TallHbaseCondition *condition,
                              gint64 deadline,
                              gboolean *matched,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallHbaseCounter:
 *
 * A cell that counts.
 */
typedef struct
{
  const char *table; /* short name */
  TallSlice row;
  TallSlice qualifier;
} TallHbaseCounter;

gboolean tall_hbase_increment (TallHbasePool *pool,
                               const TallHbaseNames *names,
                               const TallHbaseCounter *counter,
                               gint64 delta,
                               gint64 deadline,
                               gint64 *value,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
