/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/call.h"
#include "table/table-checks.h"

G_BEGIN_DECLS

gboolean tall_hbase_set_access (TallHbasePool *pool,
                                const TallHbaseNames *names,
                                const char *table,
                                const TallTableShutter *to,
                                gint64 deadline,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
