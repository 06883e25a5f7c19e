/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/watch.h"

#include "table/hbase/pool.h"
#include "table/hbase/self-test.h"

/* The time in which a gateway has to answer to another framing or protocol. */
#define GUESS_TIME (1 * G_TIME_SPAN_SECOND)

typedef enum
{
  ANSWER_NONE,    /* nothing, or nothing that makes sense */
  ANSWER_OTHER,   /* Thrift, of some other service */
  ANSWER_THRIFT1, /* the older interface */
  ANSWER_THRIFT2,
} Answer;

static Answer
ask_server_type (TallHbaseLink *link, GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallHbaseReceiver receiver = { arena, NULL, NULL };
  TallHbaseArgs args = { .n_rows = 0 };
  TallHbaseResult result;
  g_autoptr (GError) reason = NULL;

  gboolean ok =
      tall_hbase_exchange (tall_hbase_link_get_transport (link), TALL_HBASE_GET_THRIFT_SERVER_TYPE,
                           &args, &receiver, &result, &reason);
  if (ok && result.number != 0)
    return result.number == TALL_HBASE_SERVER_ONE ? ANSWER_THRIFT1 : ANSWER_THRIFT2;
  if (ok || result.io != NULL || reason->domain == TALL_HBASE_EXCEPTION)
    return ANSWER_OTHER;
  g_propagate_error (error, g_steal_pointer (&reason));
  return ANSWER_NONE;
}

static Answer
guess (const char *address, const TallWireOptions *wire, gint64 deadline)
{
  gint64 limit = MIN (deadline, g_get_monotonic_time () + GUESS_TIME);
  g_autoptr (TallHbaseLink) link = tall_hbase_link_open (address, wire, limit, NULL);
  return link == NULL ? ANSWER_NONE : ask_server_type (link, NULL);
}

static char *
describe (const TallWireOptions *wire)
{
  return g_strdup_printf ("%s with the %s protocol", wire->framed ? "framed" : "unframed",
                          wire->compact ? "compact" : "binary");
}

static void
refuse_other (const char *address, GError **error)
{
  tall_error_set_detailed (
      error, TALL_ERROR_UNSUPPORTED, address,
      "what listens answers Thrift but is not an HBase gateway: correct --store");
}

static void
refuse_way (const char *address,
            const TallWireOptions *ours,
            const TallWireOptions *theirs,
            GError **error)
{
  g_autofree char *wrong = describe (ours);
  g_autofree char *right = describe (theirs);
  tall_error_set_detailed (error, TALL_ERROR_UNSUPPORTED, address,
                           "the gateway is %s, not %s: write ?framed=%d&protocol=%s in --store",
                           right, wrong, theirs->framed, theirs->compact ? "compact" : "binary");
}

/* Tries the other combinations of framing and protocol. */
static void
explain (const char *address,
         const TallWireOptions *wire,
         const GError *reason,
         gint64 deadline,
         GError **error)
{
  for (gint other = 1; other < 4; other++)
    {
      TallWireOptions changed = *wire;
      changed.framed = wire->framed != (other & 1);
      changed.compact = wire->compact != (other >> 1);
      Answer answer = guess (address, &changed, deadline);
      if (answer == ANSWER_NONE)
        continue;
      if (answer == ANSWER_OTHER)
        refuse_other (address, error);
      else
        refuse_way (address, wire, &changed, error);
      return;
    }

  g_autofree char *detail = g_strdup_printf ("%s: %s", address, reason->message);
  tall_error_set_detailed (error, TALL_ERROR_UNAVAILABLE, detail,
                           "what listens is not an HBase Thrift2 gateway, or one that serves as "
                           "many connections as it can: "
                           "correct --store or start \"hbase thrift2\"");
}

static void
refuse_silent (const char *address, const GError *reason, GError **error)
{
  gboolean late = g_error_matches (reason, TALL_ERROR, TALL_ERROR_TIMED_OUT);
  g_autofree char *detail = g_strdup_printf ("%s: %s", address, reason->message);
  tall_error_set_detailed (error, late ? TALL_ERROR_TIMED_OUT : TALL_ERROR_UNAVAILABLE, detail,
                           "the gateway is dead, or serves as many connections as it can");
}

/* @link: just opened, with a deadline
 * @known: this gateway has answered before
 * @deadline: of everything
 *
 * Asks a gateway what it is. This is done on each new connection, because a full gateway accepts it
 * and stays silent. A gateway that is called with the wrong framing or protocol closes the
 * connection or stays silent, too. So if it is not known, the other combinations are tried, to name
 * the right one.
 *
 * Returns: FALSE with %TALL_ERROR_UNSUPPORTED or %TALL_ERROR_UNAVAILABLE and what to do */
static gboolean
tall_hbase_probe (TallHbaseLink *link,
                  const TallWireOptions *wire,
                  gboolean known,
                  gint64 deadline,
                  GError **error)
{
  const char *address = tall_connection_get_address (link->connection);
  g_autoptr (GError) reason = NULL;

  Answer answer = ask_server_type (link, &reason);
  if (answer == ANSWER_THRIFT2)
    return TRUE;

  if (answer == ANSWER_THRIFT1)
    tall_error_set_detailed (
        error, TALL_ERROR_UNSUPPORTED, address,
        "the gateway has HBase's older interface: start \"hbase thrift2\", not "
        "\"hbase thrift\"");
  else if (answer == ANSWER_OTHER)
    refuse_other (address, error);
  else if (known)
    refuse_silent (address, reason, error);
  else
    explain (address, wire, reason, deadline, error);
  return FALSE;
}

/* TRUE if it gets as many calls as any other. */
static gboolean
is_well (const TallHbaseHealth *health)
{
  return tall_hbase_health_may_lend (health) && !tall_hbase_health_is_stalled (health);
}

/* Waits while another caller tests the gateway. Called without the mutex. If the turn is the
 * caller's, it must be ended. */
static TallHbaseTurn
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

/* Tests a gateway by one of its connections. Called without the mutex, by the caller that has the
 * turn. No other test is running, so none owns what an earlier one left.
 *
 * Returns: FALSE with %TALL_ERROR_UNSUPPORTED if the gateway has to be refused, or with the reason
 *   why nothing is known */
static gboolean
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

/* Lets others go on that wait for the test. If it failed, that has to be noted before, because
 * another caller would only find the same. Called without the mutex. */
static void
tall_hbase_turn_end (TallHbasePool *self, TallHbaseGateway *gateway, gboolean passed)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  tall_hbase_gateway_note (gateway,
                           passed ? TALL_HBASE_EVENT_TEST_PASSED : TALL_HBASE_EVENT_TEST_ENDED,
                           NULL);
  g_cond_broadcast (&self->changed);
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

#define LOOK "look at the master and the region servers (hbase shell: status)"

/* Sets why there is no connection. If the caller's own time was over, the gateway is not to
 * blame. */
static void
set_error (const TallHbaseGateway *gateway, gint64 deadline, const GError *reason, GError **error)
{
  if (g_get_monotonic_time () < deadline || reason->code == TALL_ERROR_UNSUPPORTED)
    g_propagate_error (error, g_error_copy (reason));
  else
    tall_error_set_detailed (
        error, TALL_ERROR_TIMED_OUT, gateway->address,
        "the time was over before the gateway had answered on a new connection");
}

/**
 * tall_hbase_watch_open:
 * @known: the gateway was alive before
 *
 * Opens a connection and waits until the gateway has answered on it. Called without the mutex.
 */
TallHbaseLink *
tall_hbase_watch_open (TallHbasePool *self,
                       const TallHbaseGateway *gateway,
                       gboolean known,
                       gint64 deadline,
                       GError **error)
{
  g_autoptr (GError) reason = NULL;
  gint64 limit =
      tall_hbase_limit (self->options.connect_timeout * G_TIME_SPAN_MILLISECOND, deadline);
  g_autoptr (TallHbaseLink) link =
      tall_hbase_link_open (gateway->address, &self->wire, limit, &reason);
  if (link == NULL)
    {
      g_autoptr (GError) absent = NULL;
      tall_error_set_detailed (&absent, TALL_ERROR_UNAVAILABLE, reason->message,
                               "no gateway: start it or correct --store");
      set_error (gateway, deadline, absent, error);
      return NULL;
    }
  if (!tall_hbase_probe (link, &self->wire, known, deadline, &reason))
    {
      set_error (gateway, deadline, reason, error);
      return NULL;
    }
  link->gateway = (guint)(gateway - self->gateways);
  return g_steal_pointer (&link);
}

/* Whether HBase answers through a gateway on which calls had no answer. The answer itself does not
 * matter: only HBase, not the gateway, can give it. */
static gboolean
reaches_hbase (TallHbasePool *self, TallHbaseLink *link)
{
  g_autoptr (GError) reason = NULL;
  gboolean exists;
  gint64 timeout = self->options.call_timeout * G_TIME_SPAN_MILLISECOND;
  tall_connection_set_deadline (link->connection, tall_hbase_limit (timeout, TALL_NO_DEADLINE));
  if (tall_hbase_link_ask (link, TALL_HBASE_TABLE_EXISTS, &self->names, TALL_HBASE_SELF_TEST_TABLE,
                           &exists, &reason))
    return TRUE;
  if (reason != NULL)
    tall_connection_break (link->connection);
  return FALSE;
}

/* Tests a gateway that was refused once more, by a connection that is not lent. */
static gboolean
passes_test (TallHbasePool *self, TallHbaseLink *link, GError **error)
{
  TallHbaseGateway *gateway = &self->gateways[link->gateway];
  g_autoptr (GError) reason = NULL;
  TallHbaseTurn turn = TALL_HBASE_TURN_LOST;
  while (turn == TALL_HBASE_TURN_LOST)
    turn = tall_hbase_turn_wait (self, gateway, TALL_NO_DEADLINE, error);
  if (turn != TALL_HBASE_TURN_OWN)
    return turn == TALL_HBASE_TURN_PASSED;

  gboolean passed = tall_hbase_turn_test (self, link, TALL_NO_DEADLINE, &reason);
  if (g_error_matches (reason, TALL_ERROR, TALL_ERROR_UNSUPPORTED))
    {
      g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
      tall_hbase_gateway_note (gateway, TALL_HBASE_EVENT_TEST_FAILED, reason);
    }
  tall_hbase_turn_end (self, gateway, passed);
  if (!passed)
    g_propagate_error (error, g_steal_pointer (&reason));
  return passed;
}

/* Called without the mutex. */
static TallHbaseLink *
ask (TallHbasePool *self,
     const TallHbaseGateway *gateway,
     TallHbaseQuestion question,
     GError **error)
{
  g_autoptr (TallHbaseLink) link =
      tall_hbase_watch_open (self, gateway, question.known, TALL_NO_DEADLINE, error);
  if (link == NULL || (question.test && !passes_test (self, link, error)))
    return NULL;
  return g_steal_pointer (&link);
}

/* Logs one line when a gateway is lost, and one when it is back. Called without the mutex, by the
 * thread that watches it. */
static void
log_change (TallHbaseGateway *gateway, gboolean known, const GError *reason)
{
  if (reason != NULL && gateway->lost == 0)
    {
      g_autofree char *why = tall_error_describe (reason);
      gateway->lost = g_get_monotonic_time ();
      if (known)
        g_warning ("Gateway %s is lost: %s", gateway->address, why);
      else
        g_info ("Gateway %s cannot be used: %s", gateway->address, why);
    }
  else if (reason == NULL && gateway->lost != 0)
    {
      double seconds = (double)(g_get_monotonic_time () - gateway->lost) / G_TIME_SPAN_SECOND;
      gateway->lost = 0;
      if (known)
        g_message ("Gateway %s is back after %.1f s", gateway->address, seconds);
      else
        g_info ("Gateway %s can be used after %.1f s", gateway->address, seconds);
    }
}

/* Callers may have opened all connections that are allowed meanwhile. Called with the mutex
 * held. */
static void
keep_new (TallHbaseGateway *gateway, TallHbaseLink *link)
{
  if (tall_hbase_gateway_has_room (gateway))
    {
      gateway->n_open++;
      tall_hbase_gateway_keep (gateway, link);
    }
  else
    tall_hbase_link_free (link);
}

/* Called with the mutex held. */
static void
note_silence (TallHbasePool *self, TallHbaseGateway *gateway, GError **reason)
{
  /* Each call that waits for a silent HBase occupies one of the gateway's threads. */
  if (tall_hbase_health_is_mute (&gateway->health))
    g_prefix_error (reason, "HBase behind the gateway did not answer: " LOOK "; now ");
  tall_hbase_gateway_note (gateway, TALL_HBASE_EVENT_SILENT, *reason);
  tall_hbase_callers_call (self, G_MAXUINT);
}

/* Called with the mutex held. */
static void
note_answer (TallHbasePool *self,
             TallHbaseGateway *gateway,
             TallHbaseEvent event,
             TallHbaseLink *link)
{
  if (tall_hbase_gateway_note (gateway, event, NULL) & TALL_HBASE_DISCARD)
    {
      tall_hbase_link_free (link);
      return;
    }
  keep_new (gateway, link);
  tall_hbase_callers_call (self, TALL_HBASE_MAX_CONNECTIONS);
}

/* Asks a gateway once. Called with the mutex held, which is released meanwhile. */
static void
check (TallHbasePool *self, TallHbaseGateway *gateway)
{
  g_autoptr (GError) reason = NULL;
  TallHbaseQuestion question = tall_hbase_health_ask (&gateway->health);
  TallHbaseEvent event = question.alive ? TALL_HBASE_EVENT_CONFIRMED : TALL_HBASE_EVENT_ANSWERED;

  g_mutex_unlock (&self->mutex);
  TallHbaseLink *link = ask (self, gateway, question, &reason);
  log_change (gateway, question.known, reason);
  if (question.hbase && link != NULL && reaches_hbase (self, link))
    event = TALL_HBASE_EVENT_REACHED;
  g_mutex_lock (&self->mutex);

  if (link == NULL)
    note_silence (self, gateway, &reason);
  else
    note_answer (self, gateway, event, link);
  g_cond_broadcast (&self->changed);
}

typedef struct
{
  TallHbasePool *pool;
  TallHbaseGateway *gateway;
} Watch;

/* TRUE if it is set aside, or if it is alive and HBase does not answer: then the thread can
 * wait. */
static gboolean
may_pause (const TallHbasePool *self, const TallHbaseGateway *gateway)
{
  return !self->closed && gateway->pause > 0
         && tall_hbase_health_get_phase (&gateway->health) != TALL_HBASE_PHASE_ASKED
         && tall_hbase_health_must_be_asked (&gateway->health);
}

/* A thread for each gateway that is not known to be alive, so that no call waits for a dead one. It
 * also opens connections that are wanted. */
static gpointer
watch (gpointer data)
{
  g_autofree Watch *watch = data;
  TallHbasePool *self = watch->pool;
  TallHbaseGateway *gateway = watch->gateway;

  g_mutex_lock (&self->mutex);
  while (!self->closed && tall_hbase_health_must_be_asked (&gateway->health))
    {
      gint64 again = g_get_monotonic_time () + gateway->pause;
      while (may_pause (self, gateway) && g_cond_wait_until (&self->changed, &self->mutex, again))
        ;
      if (!self->closed)
        check (self, gateway);
    }
  tall_hbase_gateway_note (gateway, TALL_HBASE_EVENT_UNWATCHED, NULL);
  g_mutex_unlock (&self->mutex);
  tall_hbase_gateways_leave (self);
  return NULL;
}

/**
 * tall_hbase_watch_explain:
 * @reason: (inout) (nullable):
 *
 * Makes a time-out the error of HBase, if that is known: calls got no answer from a gateway that
 * itself answers. Called without the mutex.
 */
void
tall_hbase_watch_explain (TallHbasePool *self, GError **reason)
{
  if (!g_error_matches (*reason, TALL_ERROR, TALL_ERROR_TIMED_OUT))
    return;

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  for (guint i = 0; i < self->n_gateways; i++)
    if (tall_hbase_health_is_mute (&self->gateways[i].health))
      {
        g_clear_error (reason);
        tall_error_set_detailed (reason, TALL_ERROR_UNAVAILABLE, self->gateways[i].address,
                                 "the gateway answers, but HBase behind it does not: " LOOK);
        return;
      }
}

/* Asks a gateway in a thread, until it is alive and has the wanted connection. Called with the
 * mutex held. */
static void
start (TallHbasePool *self, TallHbaseGateway *gateway)
{
  g_autofree Watch *data = g_new (Watch, 1);
  *data = (Watch){ self, gateway };
  g_atomic_int_inc (&self->n_users);
  GThread *thread = g_thread_try_new ("tall-gateway", watch, data, NULL);
  if (thread != NULL)
    {
      g_steal_pointer (&data);
      g_thread_unref (thread);
      return;
    }
  /* The next caller that uses the gateway finds out. */
  tall_hbase_gateway_note (gateway, TALL_HBASE_EVENT_UNWATCHABLE, NULL);
  g_atomic_int_add (&self->n_users, -1);
}

/**
 * tall_hbase_watch_note:
 * @reason: (nullable): why the gateway is set aside, if it is
 *
 * Notes what happened to a gateway, and has it asked if it must be. Called with the mutex held.
 */
void
tall_hbase_watch_note (TallHbasePool *self,
                       TallHbaseGateway *gateway,
                       TallHbaseEvent event,
                       const GError *reason)
{
  if (self->closed)
    return;
  TallHbaseActions actions = tall_hbase_gateway_note (gateway, event, reason);
  if (actions & TALL_HBASE_START)
    start (self, gateway);
  else if (actions & TALL_HBASE_WAKE)
    g_cond_broadcast (&self->changed);
}
