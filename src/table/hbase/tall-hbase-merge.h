/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-hbase-call.h"

G_BEGIN_DECLS

/**
 * TallHbaseMerge:
 *
 * Gets of one row each. Those of one table that find all connections busy leave together, in one
 * request on the next free connection.
 */
typedef struct _TallHbaseMerge TallHbaseMerge;

TallHbaseMerge *tall_hbase_merge_new (TallHbasePool *pool, const TallHbaseNames *names);
void tall_hbase_merge_free (TallHbaseMerge *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallHbaseMerge, tall_hbase_merge_free)

gboolean tall_hbase_merge_get (TallHbaseMerge *self,
                               const TallRead *read,
                               gint64 deadline,
                               TallReadResult **result,
                               TallHbaseLink **link,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
guint tall_hbase_merge_count_waiting (TallHbaseMerge *self);

G_END_DECLS
