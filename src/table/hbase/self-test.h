/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/gateway.h"
#include "table/hbase/convert.h"

G_BEGIN_DECLS

/* The table of the test's row: the first one that a deployment has. */
#define TALL_HBASE_SELF_TEST_TABLE "meta"

gboolean tall_hbase_self_test (TallHbaseLink *link,
                               const TallHbaseNames *names,
                               const char *owner,
                               gint64 deadline,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
