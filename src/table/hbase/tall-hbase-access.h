/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-hbase-call.h"
#include "tall-table-access.h"

G_BEGIN_DECLS

gboolean tall_hbase_set_access (TallHbasePool *pool,
                                const TallHbaseNames *names,
                                const char *table,
                                const TallTableShutter *to,
                                gint64 deadline,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
