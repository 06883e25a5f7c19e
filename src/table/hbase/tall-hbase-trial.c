/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-trial.h"

#include "tall-hbase-pool-private.h"
#include "tall-hbase-self-test.h"
#include "tall-hbase-watch.h"

typedef enum
{
  TURN_PASSED, /* the gateway was tested */
  TURN_OWN,    /* the caller has to test it */
  TURN_LOST,   /* meanwhile it was found that other gateways do better */
  TURN_LATE,   /* the time was over; @error is set */
} Turn;

/* A gateway is tested once at a time, so no running test owns what an earlier one left. Called
 * without the mutex. */
static Turn
wait_for_turn (TallHbasePool *self, TallHbaseGateway *gateway, gint64 deadline, GError **error)
{
  if (g_atomic_int_get (&gateway->tested))
    return TURN_PASSED;

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  gboolean waited = gateway->busy;
  gboolean in_time = TRUE;
  while (gateway->busy && in_time)
    in_time = g_cond_wait_until (&self->changed, &self->mutex, deadline);
  if (gateway->tested)
    return TURN_PASSED;
  if (gateway->busy)
    {
      tall_error_set_detailed (
          error, TALL_ERROR_TIMED_OUT, gateway->address,
          "the time was over before the gateway had shown what its HBase does");
      return TURN_LATE;
    }
  if (waited && (gateway->suspect || gateway->stalled || gateway->refused))
    return TURN_LOST;
  gateway->busy = TRUE;
  return TURN_OWN;
}

static void
end_turn (TallHbasePool *self, TallHbaseGateway *gateway)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  gateway->busy = FALSE;
  g_cond_broadcast (&self->changed);
}

/* FALSE with %TALL_ERROR_UNSUPPORTED if its gateway has to be refused, or with the reason why
 * nothing is known. */
static gboolean
run_test (TallHbasePool *self, TallHbaseLink *link, gint64 deadline, GError **error)
{
  TallHbaseGateway *gateway = &self->gateways[link->gateway];
  g_autofree char *owner = g_strdup_printf ("%s/%u", self->owner, link->gateway);
  g_autoptr (GError) reason = NULL;
  gint64 own =
      tall_hbase_limit (self->options.call_timeout * G_TIME_SPAN_MILLISECOND, TALL_NO_DEADLINE);
  gboolean passed = tall_hbase_self_test (link, &self->names, owner, MIN (own, deadline), &reason);
  link->late = g_error_matches (reason, TALL_ERROR, TALL_ERROR_TIMED_OUT);
  link->hurried = link->late && deadline < own;

  g_mutex_lock (&self->mutex);
  g_atomic_int_set (&gateway->tested, passed);
  gateway->refused =
      g_error_matches (reason, TALL_ERROR, TALL_ERROR_UNSUPPORTED) || (gateway->refused && !passed);
  g_mutex_unlock (&self->mutex);
  if (!passed)
    g_propagate_error (error, g_steal_pointer (&reason));
  return passed;
}

/**
 * tall_hbase_trial_try:
 * @link: not lent
 *
 * Tests a gateway that was refused once more. Called without the mutex.
 *
 * Returns: FALSE with %TALL_ERROR_UNSUPPORTED if it is refused, or with the reason why nothing is
 *   known
 */
gboolean
tall_hbase_trial_try (TallHbasePool *self, TallHbaseLink *link, GError **error)
{
  TallHbaseGateway *gateway = &self->gateways[link->gateway];
  Turn turn = TURN_LOST;
  while (turn == TURN_LOST)
    turn = wait_for_turn (self, gateway, TALL_NO_DEADLINE, error);
  if (turn != TURN_OWN)
    return turn == TURN_PASSED;

  gboolean passed = run_test (self, link, TALL_NO_DEADLINE, error);
  end_turn (self, gateway);
  return passed;
}

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
      tall_hbase_watch_refuse (self, gateway, reason);
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
  Turn turn = wait_for_turn (self, gateway, deadline, error);
  gboolean passed =
      turn == TURN_PASSED || (turn == TURN_OWN && run_test (self, link, deadline, error));
  if (turn == TURN_LOST)
    tall_hbase_pool_give_back (self, link);
  else if (!passed)
    *left = give_back_failed (self, link, *error) ? *left - 1 : 0;
  if (turn == TURN_OWN)
    end_turn (self, gateway);
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
    g_atomic_int_set (&self->gateways[i].tested, FALSE);
  g_mutex_unlock (&self->mutex);

  TallHbaseLink *link = tall_hbase_trial_take (self, TALL_HBASE_WAIT, deadline, error);
  if (link == NULL)
    return FALSE;
  tall_hbase_pool_give_back (self, link);
  return TRUE;
}
