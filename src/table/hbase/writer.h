/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/call.h"
#include "cell/mutation.h"

G_BEGIN_DECLS

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
                                 const TallHbaseNames *names,
                                 TallHbaseLink *link,
                                 const TallHbaseWrite *write,
                                 TallDone *done,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_hbase_writer_is_simple (const TallMutation *mutation);
gboolean tall_hbase_writer_measure (TallHbasePool *pool,
                                    const TallMutation *mutation,
                                    gsize *size,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
