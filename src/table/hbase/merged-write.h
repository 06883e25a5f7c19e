/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/merge.h"
#include "table/hbase/writer.h"

G_BEGIN_DECLS

gboolean tall_hbase_apply (TallHbasePool *pool,
                           const TallHbaseNames *names,
                           TallHbaseMerge *merge,
                           const TallHbaseWrite *write,
                           TallDone *done,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
