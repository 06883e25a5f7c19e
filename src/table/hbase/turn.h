/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/pool.h"

G_BEGIN_DECLS

/**
 * TallHbaseTurn:
 * @TALL_HBASE_TURN_PASSED: the gateway was tested
 * @TALL_HBASE_TURN_OWN: the caller has to test it
 * @TALL_HBASE_TURN_LOST: meanwhile it was found that other gateways do better
 * @TALL_HBASE_TURN_LATE: the time was over; the error is set
 *
 * A gateway is tested once at a time, for all callers that need that.
 */
typedef enum
{
  TALL_HBASE_TURN_PASSED,
  TALL_HBASE_TURN_OWN,
  TALL_HBASE_TURN_LOST,
  TALL_HBASE_TURN_LATE,
} TallHbaseTurn;

TallHbaseTurn tall_hbase_turn_wait (TallHbasePool *self,
                                    TallHbaseGateway *gateway,
                                    gint64 deadline,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_hbase_turn_test (TallHbasePool *self,
                               TallHbaseLink *link,
                               gint64 deadline,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_hbase_turn_end (TallHbasePool *self, TallHbaseGateway *gateway, gboolean passed);

G_END_DECLS
