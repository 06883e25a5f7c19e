/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/merge.h"

G_BEGIN_DECLS

gboolean tall_hbase_merged_get (TallHbaseMerge *merge,
                                const TallRead *read,
                                gint64 deadline,
                                TallReadResult **result,
                                TallHbaseLink **link,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
