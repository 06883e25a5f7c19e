/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/pool.h"

G_BEGIN_DECLS

TallHbaseLink *tall_hbase_trial_take (TallHbasePool *self,
                                      TallHbaseLending lending,
                                      gint64 deadline,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_hbase_trial_run (TallHbasePool *self,
                               gint64 deadline,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
G_END_DECLS
