/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-error.h"
#include "tall-fake-gateway.h"
#include "table/hbase/table.h"

G_BEGIN_DECLS

/* Two deadlines: one that is never reached, and one that is reached if nothing answers. */
#define SOON (g_get_monotonic_time () + 60 * G_TIME_SPAN_SECOND)
#define NEAR (g_get_monotonic_time () + 300 * G_TIME_SPAN_MILLISECOND)

TallTable *tall_hbase_fixture_open_at (const char *const *gateways,
                                       gboolean framed,
                                       gboolean compact,
                                       GError **error);
TallTable *tall_hbase_fixture_open (TallFakeGateway *gateway);
gboolean tall_hbase_fixture_read (TallTable *table, guint n, gint64 deadline, GError **error);
void tall_hbase_fixture_expect_reads (TallTable *table, guint n);
gboolean tall_hbase_fixture_write_if (TallTable *table, gint64 deadline, GError **error);
gboolean tall_hbase_fixture_write (TallTable *table, gint64 deadline, GError **error);
gboolean tall_hbase_fixture_count (TallTable *table, gint64 deadline, GError **error);
gboolean tall_hbase_fixture_tells (const GError *error, const char *text);
void tall_hbase_fixture_expect_not_opened (
    const char *address, gboolean framed, gboolean compact, TallError code, const char *hint);

/* Two gateways, of which the first is not always as it should be. */
typedef struct
{
  TallFakeGateway *bad;
  TallFakeGateway *good;
  TallTable *table; /* NULL before tall_hbase_pair_open() */
} TallHbasePair;

void tall_hbase_pair_init (TallHbasePair *self);
void tall_hbase_pair_open (TallHbasePair *self, TallHbaseOptions options);
void tall_hbase_pair_clear (TallHbasePair *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallHbasePair, tall_hbase_pair_clear)

guint tall_hbase_fixture_count_reads (TallFakeGateway *gateway);
void tall_hbase_pair_expect_turns (const TallHbasePair *self);

G_END_DECLS
