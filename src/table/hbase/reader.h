/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/merge.h"

G_BEGIN_DECLS

TallReadResult *tall_hbase_read (TallHbasePool *pool,
                                 const TallHbaseNames *names,
                                 TallHbaseMerge *merge,
                                 const TallReadPlan *plan,
                                 gint64 deadline,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
