/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-trial.h"

#include "tall-hbase-pool-private.h"
#include "tall-hbase-self-test.h"
#include "tall-hbase-watch.h"

/* One test at a time: what an earlier one left is then nobody's. TRUE if the gateway has passed, or
 * if it is up to the caller to test it. Called with the mutex held. */
static gboolean
wait_for_turn (TallHbasePool *self, const TallHbaseGateway *gateway, gint64 deadline)
{
  gboolean in_time = TRUE;
  while (self->busy && !gateway->tested && in_time)
    in_time = g_cond_wait_until (&self->changed, &self->mutex, deadline);
  return gateway->tested || !self->busy;
}

/**
 * tall_hbase_trial_try:
 * @link: lent
 *
 * Has a gateway show what its HBase does, unless it has done so before. Called without the mutex.
 *
 * Returns: FALSE with %TALL_ERROR_UNSUPPORTED: it is refused; or why it cannot be known
 */
gboolean
tall_hbase_trial_try (TallHbasePool *self, TallHbaseLink *link, gint64 deadline, GError **error)
{
  TallHbaseGateway *gateway = &self->gateways[link->gateway];
  g_autoptr (GError) reason = NULL;
  if (g_atomic_int_get (&gateway->tested))
    return TRUE;

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  if (!wait_for_turn (self, gateway, deadline))
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_TIMED_OUT,
                   "the time was over before the gateway at %s had shown what its HBase does",
                   gateway->address);
      return FALSE;
    }
  if (gateway->tested)
    return TRUE;

  self->busy = TRUE;
  g_mutex_unlock (&self->mutex);
  gint64 own =
      tall_hbase_limit (self->options.call_timeout * G_TIME_SPAN_MILLISECOND, TALL_NO_DEADLINE);
  link->hurried = deadline < own;
  gboolean passed =
      tall_hbase_self_test (link, &self->names, self->owner, MIN (own, deadline), &reason);
  g_mutex_lock (&self->mutex);

  self->busy = FALSE;
  g_atomic_int_set (&gateway->tested, passed);
  link->late = g_error_matches (reason, TALL_ERROR, TALL_ERROR_TIMED_OUT);
  link->hurried &= link->late;
  gateway->refused =
      g_error_matches (reason, TALL_ERROR, TALL_ERROR_UNSUPPORTED) || (gateway->refused && !passed);
  g_cond_broadcast (&self->changed);
  if (!passed)
    g_propagate_error (error, g_steal_pointer (&reason));
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

/**
 * tall_hbase_trial_take:
 *
 * Lends a connection for writes, as tall_hbase_pool_take() does: to a gateway that has shown what
 * its HBase does. It does so before the first write. One that fails is set aside.
 */
TallHbaseLink *
tall_hbase_trial_take (TallHbasePool *self,
                       TallHbaseLending lending,
                       gint64 deadline,
                       GError **error)
{
  g_autoptr (GError) reason = NULL;
  for (guint attempt = 0; attempt <= self->n_gateways; attempt++)
    {
      g_clear_error (&reason);
      TallHbaseLink *link = tall_hbase_pool_take (self, lending, deadline, &reason);
      if (link == NULL)
        break;
      if (tall_hbase_trial_try (self, link, deadline, &reason))
        return link;
      if (!give_back_failed (self, link, reason) || lending == TALL_HBASE_TRY)
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
 * Has a gateway show what its HBase does, now that there is a table on which to try.
 *
 * Returns: FALSE if none passes, with what is wrong
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
