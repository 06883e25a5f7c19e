/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/trial.h"

#include "table/hbase/pool-private.h"
#include "table/hbase/turn.h"
#include "table/hbase/watch.h"

/* TRUE if another connection may do better. */
static gboolean
give_back_failed (TallHbasePool *self, TallHbaseLink *link, const GError *reason)
{
  TallHbaseGateway *gateway = &self->gateways[link->gateway];
  gboolean other = tall_connection_is_broken (link->connection);

  if (g_error_matches (reason, TALL_ERROR, TALL_ERROR_UNSUPPORTED))
    {
      tall_connection_break (link->connection);
      g_mutex_lock (&self->mutex);
      other = TRUE;
      tall_hbase_watch_note (self, gateway, TALL_HBASE_EVENT_TEST_FAILED, reason);
      g_mutex_unlock (&self->mutex);
    }
  tall_hbase_pool_give_back (self, link);
  return other;
}

/* FALSE if @link was given back; @left: tests that may still fail. A failure is noted at the
 * gateway before the turn ends: another caller would only find the same. */
static gboolean
try_lent (TallHbasePool *self, TallHbaseLink *link, gint64 deadline, guint *left, GError **error)
{
  TallHbaseGateway *gateway = &self->gateways[link->gateway];
  TallHbaseTurn turn = tall_hbase_turn_wait (self, gateway, deadline, error);
  gboolean passed =
      turn == TALL_HBASE_TURN_PASSED
      || (turn == TALL_HBASE_TURN_OWN && tall_hbase_turn_test (self, link, deadline, error));
  if (turn == TALL_HBASE_TURN_LOST)
    tall_hbase_pool_give_back (self, link);
  else if (!passed)
    *left = give_back_failed (self, link, *error) ? *left - 1 : 0;
  if (turn == TALL_HBASE_TURN_OWN)
    tall_hbase_turn_end (self, gateway, passed);
  return passed;
}

/**
 * tall_hbase_trial_take:
 *
 * Lends a connection for writes, as tall_hbase_pool_take() does, to a gateway that has passed the
 * test. The test runs before the first write. A gateway that fails it is set aside.
 */
TallHbaseLink *
tall_hbase_trial_take (TallHbasePool *self,
                       TallHbaseLending lending,
                       gint64 deadline,
                       GError **error)
{
  g_autoptr (GError) reason = NULL;
  guint left = self->n_gateways + 1;
  while (left > 0)
    {
      g_clear_error (&reason);
      TallHbaseLink *link = tall_hbase_pool_take (self, lending, deadline, &reason);
      if (link == NULL)
        break;
      if (try_lent (self, link, deadline, &left, &reason))
        return link;
      if (lending == TALL_HBASE_TRY)
        break;
    }
  tall_hbase_watch_explain (self, &reason);
  if (lending != TALL_HBASE_TRY)
    g_propagate_error (error, g_steal_pointer (&reason));
  return NULL;
}

/**
 * tall_hbase_trial_run:
 *
 * Tests a gateway, now that there is a table for the test.
 *
 * Returns: FALSE with the reason if none passes
 */
gboolean
tall_hbase_trial_run (TallHbasePool *self, gint64 deadline, GError **error)
{
  g_mutex_lock (&self->mutex);
  for (guint i = 0; i < self->n_gateways; i++)
    tall_hbase_gateway_note (&self->gateways[i], TALL_HBASE_EVENT_TEST_OUTDATED, NULL);
  g_mutex_unlock (&self->mutex);

  TallHbaseLink *link = tall_hbase_trial_take (self, TALL_HBASE_WAIT, deadline, error);
  if (link == NULL)
    return FALSE;
  tall_hbase_pool_give_back (self, link);
  return TRUE;
}
