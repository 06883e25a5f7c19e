/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/link.h"

G_BEGIN_DECLS

gboolean tall_hbase_probe (TallHbaseLink *link,
                           const TallWireOptions *wire,
                           gboolean known,
                           gint64 deadline,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
