/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/pool.h"

#include "base/fail.h"

#include "wire/socket.h"

#define LOOK "look at the master and the region servers (hbase shell: status)"

/* What a caller gets. */
typedef struct
{
  TallHbaseLink *link;    /* nullable */
  TallHbaseGateway *room; /* nullable: it may open a connection there, which is counted already */
} Found;

/* A caller in line, in its own memory. It keeps its place until it gets something, or its time is
 * over. */
typedef struct
{
  GCond served;
  gboolean is_served;
  Found found; /* nothing: no gateway is left */
} Waiter;

/* The earlier of @deadline and some time from now. */
static gint64
limit_time (guint milliseconds, gint64 deadline)
{
  return MIN (g_get_monotonic_time () + milliseconds * G_TIME_SPAN_MILLISECOND, deadline);
}

/* With the mutex held. */
static guint
count (const TallHbasePool *self, TallHbasePhase phase)
{
  guint n = 0;
  for (guint i = 0; i < self->n_gateways; i++)
    n += self->gateways[i].phase == phase;
  return n;
}

/* With the mutex held. */
static guint
count_open (const TallHbasePool *self)
{
  guint n = 0;
  for (guint i = 0; i < self->n_gateways; i++)
    n += self->gateways[i].n_open;
  return n;
}

/* Whether there is nothing to wait for. With the mutex held. */
static gboolean
are_lost (const TallHbasePool *self)
{
  return count (self, TALL_HBASE_ASIDE) == self->n_gateways && count_open (self) == 0;
}

/* Sets why no gateway can be used. With the mutex held. */
static void
set_unavailable (const TallHbasePool *self, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GString) details = g_string_new (NULL);
  int code = 0;
  for (guint i = 0; i < self->n_gateways; i++)
    {
      const TallHbaseGateway *gateway = &self->gateways[i];
      /* The silence of a gateway that was asked says nothing about the caller's time. */
      int own = gateway->reason == NULL
                        || g_error_matches (gateway->reason, TALL_ERROR, TALL_ERROR_TIMED_OUT)
                    ? TALL_ERROR_UNAVAILABLE
                    : gateway->reason->code;
      code = code == 0 || code == own ? own : TALL_ERROR_UNAVAILABLE;
      const char *why =
          gateway->reason != NULL ? gateway->reason->message : "it has not answered yet";
      const char *detail = gateway->reason != NULL ? tall_error_get_detail (gateway->reason) : NULL;
      if (!g_str_has_suffix (text->str, why)) /* one reason of several gateways stands once */
        g_string_append_printf (text, "%s%s", text->len > 0 ? "; " : "", why);
      g_string_append_printf (details, "%s%s", i > 0 ? "; " : "",
                              detail != NULL ? detail : gateway->address);
    }
  tall_error_set_detailed (error, code, details->str, "%s", text->str);
}

/* Sets the error of a caller that gets no connection. With the mutex held. */
static void
set_none_free (const TallHbasePool *self, GError **error)
{
  if (count (self, TALL_HBASE_ALIVE) > 0)
    g_set_error (error, TALL_ERROR, TALL_ERROR_OVERLOADED,
                 "all the %u connections to HBase's gateways are busy: try again later, or add a "
                 "gateway to --store",
                 count_open (self));
  else
    set_unavailable (self, error);
}

/**
 * tall_hbase_pool_set_none_free:
 *
 * Sets the error of a caller that got no connection in time.
 */
void
tall_hbase_pool_set_none_free (TallHbasePool *self, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  set_none_free (self, error);
}

/**
 * tall_hbase_pool_explain:
 * @reason: (inout) (nullable):
 *
 * Makes a time-out the error of HBase, if that is known: calls got no answer from a gateway that
 * itself answers.
 */
void
tall_hbase_pool_explain (TallHbasePool *self, GError **reason)
{
  if (!g_error_matches (*reason, TALL_ERROR, TALL_ERROR_TIMED_OUT))
    return;

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  for (guint i = 0; i < self->n_gateways; i++)
    if (self->gateways[i].hbase == TALL_HBASE_MUTE)
      {
        g_clear_error (reason);
        tall_error_set_detailed (reason, TALL_ERROR_UNAVAILABLE, self->gateways[i].address,
                                 "the gateway answers, but HBase behind it does not: " LOOK);
        return;
      }
}

/**
 * tall_hbase_pool_count_alive:
 *
 * Returns: gateways that connections are lent to
 */
guint
tall_hbase_pool_count_alive (TallHbasePool *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return count (self, TALL_HBASE_ALIVE);
}

/* A gateway on which calls had no answer is better than none: if calls at the others have none
 * either, HBase may be slow. With the mutex held. */
static gboolean
may_be_silent (const TallHbasePool *self)
{
  for (guint i = 0; i < self->n_gateways; i++)
    if (self->gateways[i].phase == TALL_HBASE_ALIVE && self->gateways[i].hbase == TALL_HBASE_HEARD)
      return FALSE;
  return TRUE;
}

/* Looks for a kept connection, or else for room for a new one; gateways take turns. No caller has
 * to open one while a gateway that is alive has one to lend: the gateway may be dead without our
 * knowing, and finding that out takes seconds. Its thread opens one instead, so that it gets its
 * share of the calls, or is found to be lost. With the mutex held.
 *
 * Returns: FALSE if nothing is free */
static gboolean
find (TallHbasePool *self, Found *found)
{
  gboolean any = may_be_silent (self);
  TallHbaseGateway *turn = NULL;
  *found = (Found){ NULL, NULL };
  self->next = (self->next + 1) % self->n_gateways;
  for (guint i = 0; i < self->n_gateways && found->link == NULL; i++)
    {
      TallHbaseGateway *gateway = &self->gateways[(self->next + i) % self->n_gateways];
      gboolean passed_over = (gateway->hbase != TALL_HBASE_HEARD && !any)
                             || (turn != NULL && gateway->phase != TALL_HBASE_ALIVE);
      if (!passed_over)
        found->link = tall_hbase_gateway_take (gateway);
      if (!passed_over && turn == NULL && found->link == NULL
          && tall_hbase_gateway_has_room (gateway))
        turn = gateway;
    }

  if (turn != NULL && found->link != NULL && !turn->wanted)
    {
      turn->wanted = TRUE;
      g_cond_broadcast (&self->changed);
    }
  else if (turn != NULL && found->link == NULL)
    {
      turn->n_open++;
      found->room = turn;
    }
  return found->link != NULL || found->room != NULL;
}

/* Gives those in line what is free, in their order; or lets all go if no gateway is left. With the
 * mutex held, after all that may have changed that. */
static void
serve (TallHbasePool *self)
{
  while (!g_queue_is_empty (&self->waiting))
    {
      Found found;
      if (!find (self, &found) && !are_lost (self))
        return;
      Waiter *waiter = g_queue_pop_head (&self->waiting);
      waiter->found = found;
      waiter->is_served = TRUE;
      g_cond_signal (&waiter->served);
    }
}

/* Stands in line. With the mutex held, which is released meanwhile. */
static gboolean
wait_in_line (TallHbasePool *self, gint64 limit, Found *found, GError **error)
{
  Waiter waiter = { .is_served = FALSE };
  gboolean in_time = TRUE;
  g_cond_init (&waiter.served);
  g_queue_push_tail (&self->waiting, &waiter);
  while (!waiter.is_served && in_time)
    in_time = g_cond_wait_until (&waiter.served, &self->mutex, limit);
  g_cond_clear (&waiter.served);
  if (!waiter.is_served)
    g_queue_remove (&self->waiting, &waiter);
  *found = waiter.found;
  if (found->link != NULL || found->room != NULL)
    return TRUE;
  set_none_free (self, error);
  return FALSE;
}

/* FALSE with @error set, or for %TALL_HBASE_TRY without. */
static gboolean
find_or_wait (
    TallHbasePool *self, TallHbaseLending lending, gint64 limit, Found *found, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  if (g_queue_is_empty (&self->waiting) && find (self, found))
    return TRUE;
  if (lending == TALL_HBASE_TRY)
    return FALSE;
  if (!are_lost (self) && self->waiting.length < self->options.max_waiting)
    return wait_in_line (self, limit, found, error);
  set_none_free (self, error);
  return FALSE;
}

/* Opens a connection and waits until the gateway has answered on it. If the caller's own time was
 * over, the gateway is not to blame. Without the mutex. */
static TallHbaseLink *
open_link (TallHbasePool *self,
           const TallHbaseGateway *gateway,
           gboolean known,
           gint64 deadline,
           GError **error)
{
  GError *reason = NULL;
  gint64 limit = limit_time (self->options.connect_timeout, deadline);
  TallHbaseLink *link = tall_hbase_link_open (gateway->address, &self->wire, known, limit, &reason);
  if (link != NULL)
    link->gateway = (guint)(gateway - self->gateways);
  else if (g_get_monotonic_time () < deadline || reason->code == TALL_ERROR_UNSUPPORTED)
    g_propagate_error (error, reason);
  else
    {
      g_error_free (reason);
      tall_error_set_detailed (
          error, TALL_ERROR_TIMED_OUT, gateway->address,
          "the time was over before the gateway had answered on a new connection");
    }
  return link;
}

/* Opens a connection that is counted already. Without the mutex. */
static TallHbaseLink *
fill_room (TallHbasePool *self, TallHbaseGateway *gateway, gint64 deadline, GError **error)
{
  TallHbaseLink *link = open_link (self, gateway, TRUE, deadline, error);
  if (link != NULL)
    return link;

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  gateway->n_open--;
  tall_hbase_gateway_note_doubt (gateway);
  g_cond_broadcast (&self->changed);
  serve (self);
  return NULL;
}

/**
 * tall_hbase_pool_take:
 *
 * Lends a connection. Gateways take turns; one that is not alive is skipped.
 *
 * Returns: (nullable) (transfer full): to be given back; NULL with @error set, or for
 *   %TALL_HBASE_TRY without. %TALL_ERROR_OVERLOADED: none was free in time, or too many wait
 *   already; %TALL_ERROR_TIMED_OUT: @deadline has passed; %TALL_ERROR_UNAVAILABLE and others: why
 *   no gateway can be used
 */
TallHbaseLink *
tall_hbase_pool_take (TallHbasePool *self,
                      TallHbaseLending lending,
                      gint64 deadline,
                      GError **error)
{
  g_autoptr (GError) reason = NULL;
  gint64 limit = limit_time (self->options.wait_timeout, deadline);

  if (g_get_monotonic_time () >= deadline)
    {
      g_set_error_literal (error, TALL_ERROR, TALL_ERROR_TIMED_OUT,
                           "no time is left to ask HBase's gateways");
      return NULL;
    }

  /* A gateway that could not be reached is in doubt and is not found again, so the loop ends. */
  for (guint attempt = 0; attempt <= self->n_gateways; attempt++)
    {
      Found found;
      g_clear_error (&reason);
      if (!find_or_wait (self, lending, limit, &found, &reason))
        break;
      if (found.link == NULL)
        found.link = fill_room (self, found.room, deadline, &reason);
      if (found.link != NULL)
        return found.link;
      if (lending == TALL_HBASE_TRY || g_get_monotonic_time () >= deadline)
        break;
    }

  if (lending != TALL_HBASE_TRY)
    g_propagate_error (error, g_steal_pointer (&reason));
  return NULL;
}

/* Takes a connection back; it is closed if it is broken or its gateway was refused. With the mutex
 * held. */
static void
take_back (TallHbasePool *self, TallHbaseLink *link)
{
  TallHbaseGateway *gateway = &self->gateways[link->gateway];
  gboolean broken = tall_transport_is_broken (link->connection);
  tall_transport_take_traffic (link->connection, &self->n_sent, &self->n_received);
  tall_hbase_gateway_note_call (gateway, link);
  if (!broken && !gateway->refused)
    tall_hbase_gateway_keep (gateway, link);
  else
    {
      gateway->n_open--;
      tall_hbase_link_free (link);
    }
  if (broken)
    g_cond_broadcast (&self->changed);
  serve (self);
}

/**
 * tall_hbase_pool_give_back:
 * @link: (transfer full):
 *
 * The first in line gets it. If a call failed on it, or its caller's time was over, its gateway is
 * asked, as tall_hbase_gateway_note_call() says.
 */
void
tall_hbase_pool_give_back (TallHbasePool *self, TallHbaseLink *link)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  take_back (self, link);
}

/* Tests the gateway of a connection, on which no other test runs: so none owns what an earlier one
 * left. With the mutex held, which is released meanwhile.
 *
 * Returns: FALSE with %TALL_ERROR_UNSUPPORTED if the gateway is refused, or with the reason why
 *   nothing is known */
static gboolean
run_test (TallHbasePool *self, TallHbaseLink *link, gint64 deadline, GError **error)
{
  TallHbaseGateway *gateway = &self->gateways[link->gateway];
  g_autofree char *owner = g_strdup_printf ("%s/%u", self->owner, link->gateway);
  g_autoptr (GError) reason = NULL;
  gint64 own = limit_time (self->options.call_timeout, TALL_NO_DEADLINE);
  gateway->testing = TRUE;
  g_mutex_unlock (&self->mutex);
  gboolean passed = tall_hbase_self_test (link, &self->names, owner, MIN (own, deadline), &reason);
  link->late = g_error_matches (reason, TALL_ERROR, TALL_ERROR_TIMED_OUT);
  link->hurried = link->late && deadline < own;
  g_mutex_lock (&self->mutex);
  tall_hbase_gateway_note_test (gateway, passed, reason);
  g_cond_broadcast (&self->changed);
  if (!passed)
    g_propagate_error (error, g_steal_pointer (&reason));
  return passed;
}

/* Has the gateway of a connection tested, unless it was; or waits while another caller does that.
 * Without the mutex.
 *
 * Returns: FALSE with @error set if it has not passed, and the connection is back; @again: another
 *   one may do better */
static gboolean
pass_test (
    TallHbasePool *self, TallHbaseLink *link, gint64 deadline, gboolean *again, GError **error)
{
  TallHbaseGateway *gateway = &self->gateways[link->gateway];
  g_autoptr (GError) reason = NULL;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  gboolean waited = gateway->testing;
  gboolean in_time = TRUE;
  while (gateway->testing && in_time)
    in_time = g_cond_wait_until (&self->changed, &self->mutex, deadline);
  gboolean is_well = !gateway->failing && !gateway->refused && gateway->hbase == TALL_HBASE_HEARD;

  if (!gateway->tested && (gateway->testing || (waited && !is_well)))
    {
      *again = !gateway->testing;
      tall_error_set_detailed (
          &reason, TALL_ERROR_TIMED_OUT, gateway->address,
          "the time was over before the gateway had shown what its HBase does");
    }
  else if (!gateway->tested && !run_test (self, link, deadline, &reason))
    *again = tall_transport_is_broken (link->connection)
             || g_error_matches (reason, TALL_ERROR, TALL_ERROR_UNSUPPORTED);
  if (reason == NULL)
    return TRUE;
  take_back (self, link);
  g_propagate_error (error, g_steal_pointer (&reason));
  return FALSE;
}

/**
 * tall_hbase_pool_take_to_write:
 *
 * Lends a connection, as tall_hbase_pool_take() does, to a gateway that has passed the self-test.
 * The test runs before the first write, once for all callers that wait for it. A gateway that fails
 * it is set aside.
 */
TallHbaseLink *
tall_hbase_pool_take_to_write (TallHbasePool *self,
                               TallHbaseLending lending,
                               gint64 deadline,
                               GError **error)
{
  g_autoptr (GError) reason = NULL;
  gboolean again = TRUE;
  for (guint attempt = 0; attempt <= self->n_gateways && again; attempt++)
    {
      g_clear_error (&reason);
      TallHbaseLink *link = tall_hbase_pool_take (self, lending, deadline, &reason);
      if (link == NULL)
        break;
      if (pass_test (self, link, deadline, &again, &reason))
        return link;
      again = again && lending != TALL_HBASE_TRY;
    }
  tall_hbase_pool_explain (self, &reason);
  if (lending != TALL_HBASE_TRY)
    g_propagate_error (error, g_steal_pointer (&reason));
  return NULL;
}

/**
 * tall_hbase_pool_test_again:
 *
 * Tests a gateway, now that there is a table for the test: no earlier test counts.
 *
 * Returns: FALSE with the reason if none passes
 */
gboolean
tall_hbase_pool_test_again (TallHbasePool *self, gint64 deadline, GError **error)
{
  g_mutex_lock (&self->mutex);
  for (guint i = 0; i < self->n_gateways; i++)
    {
      self->gateways[i].tested = FALSE;
      self->gateways[i].outdated = self->gateways[i].testing;
    }
  g_mutex_unlock (&self->mutex);

  TallHbaseLink *link = tall_hbase_pool_take_to_write (self, TALL_HBASE_WAIT, deadline, error);
  if (link == NULL)
    return FALSE;
  tall_hbase_pool_give_back (self, link);
  return TRUE;
}

/* Whether HBase answers through a gateway on which calls had no answer. The answer itself does not
 * matter: only HBase, not the gateway, can give it. */
static gboolean
reaches_hbase (TallHbasePool *self, TallHbaseLink *link)
{
  g_autoptr (GError) reason = NULL;
  gboolean exists;
  tall_transport_set_deadline (link->connection,
                               limit_time (self->options.call_timeout, TALL_NO_DEADLINE));
  if (tall_hbase_link_ask (link, TALL_HBASE_TABLE_EXISTS, &self->names, TALL_HBASE_SELF_TEST_TABLE,
                           &exists, &reason))
    return TRUE;
  if (reason != NULL)
    tall_transport_break (link->connection);
  return FALSE;
}

/* Tests a gateway that was refused once more. Without the mutex. */
static gboolean
passes_again (TallHbasePool *self, TallHbaseGateway *gateway, TallHbaseLink *link, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  while (gateway->testing)
    g_cond_wait (&self->changed, &self->mutex);
  return run_test (self, link, TALL_NO_DEADLINE, error);
}

/* Callers may have opened all connections that are allowed meanwhile. With the mutex held. */
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

/* @known: it was alive before
 * @reason: (nullable): why it cannot be used; NULL: it can be
 *
 * Logs one line when a gateway is lost, and one when it is back. Called by its thread alone. */
static void
log_gateway (TallHbaseGateway *self, gboolean known, const GError *reason)
{
  gint64 now = g_get_monotonic_time ();
  double seconds = (double)(now - self->lost) / G_TIME_SPAN_SECOND;
  if ((reason != NULL) == (self->lost != 0))
    return;
  self->lost = reason != NULL ? now : 0;
  g_autofree char *why = reason != NULL ? tall_error_describe (reason) : NULL;
  if (reason == NULL && known)
    g_message ("Gateway %s is back after %.1f s", self->address, seconds);
  else if (reason == NULL)
    g_info ("Gateway %s can be used after %.1f s", self->address, seconds);
  else if (known)
    g_warning ("Gateway %s is lost: %s", self->address, why);
  else
    g_info ("Gateway %s cannot be used: %s", self->address, why);
}

/* Asks a gateway once: what it is; whether its HBase does what writes rely on, if it was refused;
 * whether HBase answers, if calls had no answer. With the mutex held, which is released
 * meanwhile. */
static void
ask (TallHbasePool *self, TallHbaseGateway *gateway)
{
  g_autoptr (GError) reason = NULL;
  gboolean known = gateway->known;
  gboolean refused = gateway->refused;
  gboolean ask_hbase = gateway->phase == TALL_HBASE_ALIVE && gateway->hbase != TALL_HBASE_HEARD;
  guint n_doubts = gateway->n_doubts;
  gateway->wanted = FALSE;

  g_mutex_unlock (&self->mutex);
  g_autoptr (TallHbaseLink) link = open_link (self, gateway, known, TALL_NO_DEADLINE, &reason);
  if (link != NULL && refused && !passes_again (self, gateway, link, &reason))
    g_clear_pointer (&link, tall_hbase_link_free);
  log_gateway (gateway, known, reason);
  gboolean reached = ask_hbase && link != NULL && reaches_hbase (self, link);
  g_mutex_lock (&self->mutex);

  if (link != NULL && tall_hbase_gateway_note_answer (gateway, n_doubts, reached))
    keep_new (gateway, g_steal_pointer (&link));
  if (reason != NULL)
    {
      /* Each call that waits for a silent HBase occupies one of the gateway's threads. */
      if (gateway->hbase == TALL_HBASE_MUTE)
        g_prefix_error (&reason, "HBase behind the gateway did not answer: " LOOK "; now ");
      tall_hbase_gateway_note_silence (gateway, reason);
    }
  serve (self);
  g_cond_broadcast (&self->changed);
}

static void
leave (TallHbasePool *self)
{
  if (!g_atomic_int_dec_and_test (&self->n_users))
    return;

  for (guint i = 0; i < self->n_gateways; i++)
    tall_hbase_gateway_clear (&self->gateways[i]);
  g_free (self->gateways);
  g_free (self->owner);
  tall_hbase_names_clear (&self->names);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->changed);
  g_free (self);
}

/* A thread for each gateway, so that neither a call nor another gateway waits for a dead one. It
 * also opens connections that are wanted. */
static gpointer
watch (gpointer data)
{
  TallHbaseGateway *gateway = data;
  TallHbasePool *self = gateway->pool;

  g_mutex_lock (&self->mutex);
  while (!self->closed)
    {
      gint64 due = tall_hbase_gateway_get_due (gateway);
      if (g_get_monotonic_time () < due)
        g_cond_wait_until (&self->changed, &self->mutex, due);
      else
        ask (self, gateway);
    }
  g_mutex_unlock (&self->mutex);
  leave (self);
  return NULL;
}

/* Without the mutex. */
static gboolean
start (TallHbasePool *self, TallHbaseGateway *gateway, GError **error)
{
  g_autoptr (GError) reason = NULL;
  g_atomic_int_inc (&self->n_users);
  GThread *thread = g_thread_try_new ("tall-gateway", watch, gateway, &reason);
  if (thread != NULL)
    {
      g_thread_unref (thread);
      return TRUE;
    }
  g_atomic_int_add (&self->n_users, -1);
  return tall_error_fail (error, TALL_ERROR_OVERLOADED,
                          "no thread can be started for a gateway: %s; raise the limit of threads",
                          reason->message);
}

/**
 * tall_hbase_pool_get_traffic:
 *
 * Bytes that went to all gateways and came from them, by connections that are not lent.
 */
void
tall_hbase_pool_get_traffic (TallHbasePool *self, guint64 *n_sent, guint64 *n_received)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  *n_sent = self->n_sent;
  *n_received = self->n_received;
}

/**
 * tall_hbase_pool_wait_until_alive:
 *
 * Returns: TRUE as soon as one of the gateways is alive; FALSE if all were asked and none is, with
 *   %TALL_ERROR_UNAVAILABLE or %TALL_ERROR_UNSUPPORTED (it cannot be used) and what to do
 */
gboolean
tall_hbase_pool_wait_until_alive (TallHbasePool *self, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  while (count (self, TALL_HBASE_ALIVE) == 0)
    {
      if (count (self, TALL_HBASE_ASKED) == 0)
        {
          set_unavailable (self, error);
          return FALSE;
        }
      g_cond_wait (&self->changed, &self->mutex);
    }
  return TRUE;
}

static TallTableServer *
describe (const TallHbaseGateway *gateway)
{
  static const char *const phases[] = { "asked", "alive", "aside" };
  TallTableServer *server = g_new0 (TallTableServer, 1);
  server->address = g_strdup (gateway->address);
  server->state = g_strdup (phases[gateway->phase]);
  server->reason = gateway->reason == NULL ? NULL : g_strdup (gateway->reason->message);
  server->since = gateway->since;
  server->connections = gateway->n_open;
  server->n_done = gateway->n_done;
  server->n_failed = gateway->n_failed;
  server->n_retries = gateway->n_retries;
  memcpy (server->merged, gateway->merged, sizeof server->merged);
  return server;
}

/**
 * tall_hbase_pool_describe:
 * @deadline: until when gateways are waited for that are just being asked; a little at most
 *
 * Returns: (transfer full): of #TallTableServer
 */
GPtrArray *
tall_hbase_pool_describe (TallHbasePool *self, gint64 deadline)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  gint64 limit = limit_time (2 * self->options.connect_timeout, deadline);
  while (count (self, TALL_HBASE_ASKED) > 0
         && g_cond_wait_until (&self->changed, &self->mutex, limit))
    ;

  GPtrArray *servers = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_table_server_free);
  for (guint i = 0; i < self->n_gateways; i++)
    g_ptr_array_add (servers, describe (&self->gateways[i]));
  return servers;
}

/**
 * tall_hbase_pool_new:
 * @options: @gateways is copied; @name is not kept
 *
 * Returns: (transfer full): a pool that has begun to ask its gateways; NULL with
 *   %TALL_ERROR_INVALID if an address is malformed, %TALL_ERROR_OVERLOADED if there are too many
 *   threads
 */
TallHbasePool *
tall_hbase_pool_new (const TallHbaseOptions *options, GError **error)
{
  g_autoptr (TallHbasePool) self = g_new0 (TallHbasePool, 1);
  self->options = *options;
  self->options.gateways = NULL;
  self->options.name = NULL;
  self->wire = (TallWireOptions)TALL_WIRE_OPTIONS_INIT;
  self->wire.framed = options->framed;
  self->wire.compact = options->compact;
  self->wire.max_message = 512 * 1024 * 1024;
  self->n_users = 1;
  self->owner = g_uuid_string_random ();
  g_mutex_init (&self->mutex);
  g_cond_init (&self->changed);
  g_queue_init (&self->waiting);
  guint n = options->gateways == NULL ? 0 : g_strv_length ((char **)options->gateways);
  self->gateways = g_new0 (TallHbaseGateway, n);
  if (n == 0)
    tall_error_set_invalid (error, "gateways", "no gateway is named: write hbase://host:port");
  if (n == 0 || !tall_hbase_names_init (&self->names, options->name, error))
    return NULL;

  for (; self->n_gateways < n; self->n_gateways++)
    {
      g_autofree char *host = NULL;
      guint16 port;
      const char *address = options->gateways[self->n_gateways];
      if (!tall_address_parse (address, &host, &port, error))
        return NULL;
      tall_hbase_gateway_init (&self->gateways[self->n_gateways], self, address);
    }
  for (guint i = 0; i < n; i++)
    if (!start (self, &self->gateways[i], error))
      return NULL;
  return g_steal_pointer (&self);
}

/**
 * tall_hbase_pool_close:
 * @self: (transfer full):
 *
 * Closes all connections. None may be lent. Does not wait for gateways that are just being asked.
 */
void
tall_hbase_pool_close (TallHbasePool *self)
{
  if (self == NULL)
    return;

  g_mutex_lock (&self->mutex);
  self->closed = TRUE;
  for (guint i = 0; i < self->n_gateways; i++)
    tall_hbase_gateway_drop_idle (&self->gateways[i]);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->mutex);
  leave (self);
}
