/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-hbase-call.h"
#include "tall-mutation.h"

G_BEGIN_DECLS

gboolean tall_hbase_apply (TallHbasePool *pool,
                           const TallHbaseNames *names,
                           TallMutation *const *mutations,
                           guint n,
                           gint64 deadline,
                           TallDone *done,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_hbase_writer_measure (TallHbasePool *pool,
                                    const TallMutation *mutation,
                                    gsize *size,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
