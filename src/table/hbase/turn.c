/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/turn.h"

#include "table/hbase/pool-private.h"
#include "table/hbase/self-test.h"

/* TRUE if it gets as many calls as any other. */
static gboolean
is_well (const TallHbaseHealth *health)
{
  return tall_hbase_health_may_lend (health) && !tall_hbase_health_is_stalled (health);
}

/**
 * tall_hbase_turn_wait:
 *
 * Waits while another caller tests the gateway. Called without the mutex. If the turn is the
 * caller's, it must be ended.
 */
TallHbaseTurn
tall_hbase_turn_wait (TallHbasePool *self,
                      TallHbaseGateway *gateway,
                      gint64 deadline,
                      GError **error)
{
  if (tall_hbase_health_has_passed (&gateway->health))
    return TALL_HBASE_TURN_PASSED;

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  gboolean waited = tall_hbase_health_is_tested_now (&gateway->health);
  gboolean in_time = TRUE;
  while (tall_hbase_health_is_tested_now (&gateway->health) && in_time)
    in_time = g_cond_wait_until (&self->changed, &self->mutex, deadline);
  if (tall_hbase_health_has_passed (&gateway->health))
    return TALL_HBASE_TURN_PASSED;
  if (tall_hbase_health_is_tested_now (&gateway->health))
    {
      tall_error_set_detailed (
          error, TALL_ERROR_TIMED_OUT, gateway->address,
          "the time was over before the gateway had shown what its HBase does");
      return TALL_HBASE_TURN_LATE;
    }
  if (waited && !is_well (&gateway->health))
    return TALL_HBASE_TURN_LOST;
  tall_hbase_gateway_note (gateway, TALL_HBASE_EVENT_TEST_BEGUN, NULL);
  return TALL_HBASE_TURN_OWN;
}

/**
 * tall_hbase_turn_test:
 *
 * Tests a gateway by one of its connections. Called without the mutex, by the caller that has the
 * turn. No other test is running, so none owns what an earlier one left.
 *
 * Returns: FALSE with %TALL_ERROR_UNSUPPORTED if the gateway has to be refused, or with the reason
 *   why nothing is known
 */
gboolean
tall_hbase_turn_test (TallHbasePool *self, TallHbaseLink *link, gint64 deadline, GError **error)
{
  g_autofree char *owner = g_strdup_printf ("%s/%u", self->owner, link->gateway);
  g_autoptr (GError) reason = NULL;
  gint64 own =
      tall_hbase_limit (self->options.call_timeout * G_TIME_SPAN_MILLISECOND, TALL_NO_DEADLINE);
  gboolean passed = tall_hbase_self_test (link, &self->names, owner, MIN (own, deadline), &reason);
  link->late = g_error_matches (reason, TALL_ERROR, TALL_ERROR_TIMED_OUT);
  link->hurried = link->late && deadline < own;
  if (!passed)
    g_propagate_error (error, g_steal_pointer (&reason));
  return passed;
}

/**
 * tall_hbase_turn_end:
 *
 * Lets others go on that wait for the test. If it failed, that has to be noted before, because
 * another caller would only find the same. Called without the mutex.
 */
void
tall_hbase_turn_end (TallHbasePool *self, TallHbaseGateway *gateway, gboolean passed)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  tall_hbase_gateway_note (gateway,
                           passed ? TALL_HBASE_EVENT_TEST_PASSED : TALL_HBASE_EVENT_TEST_ENDED,
                           NULL);
  g_cond_broadcast (&self->changed);
}
