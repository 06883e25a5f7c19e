/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cell/cell.h"
#include "table/hbase/call.h"
#include "table/hbase/idl.h"
#include "wire/transport.h"

TallHbaseMethodId
tall_hbase_make_apply_if (const TallConditionalWrite *write, TallHbaseArgs *args, TallArena *arena);

/* Atomic steps of one row that must not be done twice. */

gboolean tall_hbase_apply_if (TallHbasePool *pool,
                              const TallConditionalWrite *write,
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
                               const TallHbaseCounter *counter,
                               gint64 delta,
                               gint64 deadline,
                               gint64 *value,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallHbaseWrite:
 * @mutations: @n of them; those of the same row have no order
 * @divisible: if there is no answer in time, it is not repeated but split by the caller
 */
typedef struct
{
  TallMutation *const *mutations;
  guint n;
  gint64 deadline;
  gboolean divisible;
} TallHbaseWrite;

gboolean tall_hbase_writer_send (TallHbasePool *pool,
                                 TallHbaseLink *link,
                                 const TallHbaseWrite *write,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_hbase_writer_is_simple (const TallMutation *mutation);
gboolean tall_hbase_writer_measure (TallHbasePool *pool,
                                    const TallMutation *mutation,
                                    gsize *size,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
