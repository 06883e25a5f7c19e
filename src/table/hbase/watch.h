/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/gateway.h"
#include "table/hbase/pool.h"

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

TallHbaseLink *tall_hbase_trial_take (TallHbasePool *self,
                                      TallHbaseLending lending,
                                      gint64 deadline,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_hbase_trial_run (TallHbasePool *self,
                               gint64 deadline,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

TallHbaseLink *tall_hbase_watch_open (TallHbasePool *self,
                                      const TallHbaseGateway *gateway,
                                      gboolean known,
                                      gint64 deadline,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_hbase_watch_note (TallHbasePool *self,
                            TallHbaseGateway *gateway,
                            TallHbaseEvent event,
                            const GError *reason);
void tall_hbase_watch_explain (TallHbasePool *self, GError **reason);

G_END_DECLS
