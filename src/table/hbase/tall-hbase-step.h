/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-hbase-call.h"
#include "tall-mutation.h"

G_BEGIN_DECLS

/* Atomic steps of one row that must not be done twice. */

/**
 * TallHbaseCondition:
 *
 * A cell of a mutation's row and what it must be.
 */
typedef struct
{
  TallSlice qualifier;
  const TallSlice *expected; /* NULL: it must not exist */
} TallHbaseCondition;

gboolean tall_hbase_send_apply_if (TallTransport *transport,
                                   const char *table,
                                   const TallMutation *mutation,
                                   const TallHbaseCondition *condition,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
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
