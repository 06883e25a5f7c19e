/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-fake-gateway.h"
#include "tall-hbase-table.h"

G_BEGIN_DECLS

/* Two deadlines: one that is never reached, and one that is reached if nothing answers. */
#define SOON (g_get_monotonic_time () + 60 * G_TIME_SPAN_SECOND)
#define NEAR (g_get_monotonic_time () + 100 * G_TIME_SPAN_MILLISECOND)

TallTable *tall_hbase_fixture_open_at (const char *const *gateways,
                                       gboolean framed,
                                       gboolean compact,
                                       GError **error);
TallTable *tall_hbase_fixture_open (TallFakeGateway *gateway);
gboolean tall_hbase_fixture_read (TallTable *table, guint n, gint64 deadline, GError **error);
void tall_hbase_fixture_expect_reads (TallTable *table, guint n);
gboolean tall_hbase_fixture_write_if (TallTable *table, gint64 deadline, GError **error);
gboolean
tall_hbase_fixture_write (TallTable *table, gint64 deadline, gboolean *done, GError **error);
gboolean tall_hbase_fixture_count (TallTable *table, gint64 deadline, GError **error);
gboolean tall_hbase_fixture_tells (const GError *error, const char *text);

G_END_DECLS
