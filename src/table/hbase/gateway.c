/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/gateway.h"

#include "table/hbase/reply.h"

/* The time in which a gateway has to answer to another framing or protocol. */
#define GUESS_TIME (1 * G_TIME_SPAN_SECOND)

/* A gateway closes connections that were idle for 60 s. */
#define MAX_IDLE (45 * G_TIME_SPAN_SECOND)

/* Pauses between two attempts to reach a gateway. Short at first, because most failures are short,
 * then doubled each time. The longest is not a load, and prolongs an outage only a little. */
#define FIRST_PAUSE (250 * G_TIME_SPAN_MILLISECOND)
#define LAST_PAUSE (5 * G_TIME_SPAN_SECOND)

typedef enum
{
  ANSWER_NONE,    /* nothing, or nothing that makes sense */
  ANSWER_OTHER,   /* Thrift, of some other service */
  ANSWER_THRIFT1, /* the older interface */
  ANSWER_THRIFT2,
} Answer;

static TallHbaseLink *
connect_to (const char *address, const TallWireOptions *wire, gint64 deadline, GError **error)
{
  TallTransport *connection = tall_connection_open (address, wire, deadline, error);
  if (connection == NULL)
    return NULL;
  tall_transport_set_deadline (connection, deadline);
  TallHbaseLink *self = g_new0 (TallHbaseLink, 1);
  self->connection = connection;
  return self;
}

static Answer
ask_server_type (TallHbaseLink *link, GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallHbaseReceiver receiver = { arena, NULL, NULL };
  TallHbaseArgs args = { .n_rows = 0 };
  TallHbaseResult result;
  g_autoptr (GError) reason = NULL;

  gboolean ok = tall_hbase_exchange (link->connection, TALL_HBASE_GET_THRIFT_SERVER_TYPE, &args,
                                     &receiver, &result, &reason);
  if (ok && result.number != 0)
    return result.number == TALL_HBASE_SERVER_ONE ? ANSWER_THRIFT1 : ANSWER_THRIFT2;
  if (ok || result.io != NULL || reason->domain == TALL_HBASE_EXCEPTION)
    return ANSWER_OTHER;
  g_propagate_error (error, g_steal_pointer (&reason));
  return ANSWER_NONE;
}

static void
refuse_other (const char *address, GError **error)
{
  tall_error_set_detailed (
      error, TALL_ERROR_UNSUPPORTED, address,
      "what listens answers Thrift but is not an HBase gateway: correct --store");
}

static const char *
framing (const TallWireOptions *wire)
{
  return wire->framed ? "framed" : "unframed";
}

static const char *
protocol (const TallWireOptions *wire)
{
  return wire->compact ? "compact" : "binary";
}

/* If the gateway is not @known, tries the other combinations of framing and protocol, to name the
 * right one. */
static void
explain_silence (const char *address,
                 const TallWireOptions *wire,
                 gboolean known,
                 const GError *reason,
                 GError **error)
{
  Answer answer = ANSWER_NONE;
  for (gint other = 1; !known && other < 4 && answer == ANSWER_NONE; other++)
    {
      TallWireOptions way = *wire;
      way.framed = wire->framed != (other & 1);
      way.compact = wire->compact != (other >> 1);
      gint64 limit = g_get_monotonic_time () + GUESS_TIME;
      g_autoptr (TallHbaseLink) link = connect_to (address, &way, limit, NULL);
      answer = link == NULL ? ANSWER_NONE : ask_server_type (link, NULL);
      if (answer == ANSWER_OTHER)
        refuse_other (address, error);
      else if (answer != ANSWER_NONE)
        tall_error_set_detailed (error, TALL_ERROR_UNSUPPORTED, address,
                                 "the gateway is %s with the %s protocol, not %s with the %s "
                                 "protocol: write ?framed=%d&protocol=%s in --store",
                                 framing (&way), protocol (&way), framing (wire), protocol (wire),
                                 way.framed, protocol (&way));
    }
  if (answer != ANSWER_NONE)
    return;
  g_autofree char *detail = g_strdup_printf ("%s: %s", address, reason->message);
  gboolean late = known && g_error_matches (reason, TALL_ERROR, TALL_ERROR_TIMED_OUT);
  tall_error_set_detailed (
      error, late ? TALL_ERROR_TIMED_OUT : TALL_ERROR_UNAVAILABLE, detail, "%s",
      known ? "the gateway is dead, or serves as many connections as it can"
            : "what listens is not an HBase Thrift2 gateway, or one that serves as many "
              "connections as it can: correct --store or start \"hbase thrift2\"");
}

/**
 * tall_hbase_link_open:
 * @wire: copied
 * @known: this gateway has answered before
 * @deadline: of connecting and of the first answer
 *
 * Opens a connection and asks the gateway what it is. A full gateway accepts a connection and stays
 * silent; one that is called with the wrong framing or protocol closes it or stays silent, too. So
 * if it is not @known, the other combinations are tried, to name the right one.
 *
 * Returns: (transfer full): a connection that works; NULL with %TALL_ERROR_UNSUPPORTED,
 *   %TALL_ERROR_UNAVAILABLE or %TALL_ERROR_TIMED_OUT, and what to do
 */
TallHbaseLink *
tall_hbase_link_open (const char *address,
                      const TallWireOptions *wire,
                      gboolean known,
                      gint64 deadline,
                      GError **error)
{
  g_autoptr (GError) reason = NULL;
  g_autoptr (TallHbaseLink) self = connect_to (address, wire, deadline, &reason);
  if (self == NULL)
    {
      tall_error_set_detailed (error, TALL_ERROR_UNAVAILABLE, reason->message,
                               "no gateway: start it or correct --store");
      return NULL;
    }
  switch (ask_server_type (self, &reason))
    {
    case ANSWER_THRIFT2:
      return g_steal_pointer (&self);
    case ANSWER_THRIFT1:
      tall_error_set_detailed (
          error, TALL_ERROR_UNSUPPORTED, address,
          "the gateway has HBase's older interface: start \"hbase thrift2\", not \"hbase thrift\"");
      break;
    case ANSWER_OTHER:
      refuse_other (address, error);
      break;
    case ANSWER_NONE:
      explain_silence (address, wire, known, reason, error);
      break;
    }
  return NULL;
}

void
tall_hbase_link_free (TallHbaseLink *self)
{
  g_clear_object (&self->connection);
  g_free (self);
}

/**
 * tall_hbase_link_ask:
 * @question: a call that asks something of a table, such as whether it exists
 * @table: its short name
 *
 * Returns: FALSE with @error set if there was no answer, and without if HBase declared an error
 */
gboolean
tall_hbase_link_ask (TallHbaseLink *self,
                     TallHbaseMethodId question,
                     const TallHbaseNames *names,
                     const char *table,
                     gboolean *answer,
                     GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallHbaseArgs args = { .name = tall_hbase_names_get_table_name (names, table, arena) };
  TallHbaseReceiver receiver = { arena, NULL, NULL };
  TallHbaseResult result;
  if (!tall_hbase_exchange (self->connection, question, &args, &receiver, &result, error))
    return FALSE;
  *answer = result.yes;
  return TRUE;
}

void
tall_hbase_gateway_init (TallHbaseGateway *self, TallHbasePool *pool, const char *address)
{
  *self = (TallHbaseGateway){ .address = g_strdup (address),
                              .pool = pool,
                              .since = g_get_real_time () };
  g_queue_init (&self->idle);
}

void
tall_hbase_gateway_clear (TallHbaseGateway *self)
{
  tall_hbase_gateway_drop_idle (self);
  g_clear_error (&self->reason);
  g_clear_pointer (&self->address, g_free);
}

static void
drop (TallHbaseGateway *self, TallHbaseLink *link)
{
  self->n_open--;
  tall_hbase_link_free (link);
}

/**
 * tall_hbase_gateway_drop_idle:
 *
 * Closes all connections that are not lent.
 */
void
tall_hbase_gateway_drop_idle (TallHbaseGateway *self)
{
  TallHbaseLink *link;
  while ((link = g_queue_pop_head (&self->idle)) != NULL)
    drop (self, link);
}

static gboolean
is_old (const TallHbaseLink *link)
{
  return g_get_monotonic_time () - link->idle_since >= MAX_IDLE;
}

/**
 * tall_hbase_gateway_take:
 *
 * Returns: (nullable) (transfer full): a kept connection that is fit for use
 */
TallHbaseLink *
tall_hbase_gateway_take (TallHbaseGateway *self)
{
  TallHbaseLink *link;
  if (self->failing || self->refused)
    return NULL;
  while ((link = g_queue_pop_head (&self->idle)) != NULL)
    {
      if (!is_old (link) && tall_transport_is_fit (link->connection))
        return link;
      drop (self, link);
    }
  return NULL;
}

/**
 * tall_hbase_gateway_keep:
 * @link: (transfer full):
 *
 * Keeps a connection for the next call, and closes those that were idle for long.
 */
void
tall_hbase_gateway_keep (TallHbaseGateway *self, TallHbaseLink *link)
{
  link->idle_since = g_get_monotonic_time ();
  g_queue_push_head (&self->idle, link);
  while (is_old (g_queue_peek_tail (&self->idle)))
    drop (self, g_queue_pop_tail (&self->idle));
}

gboolean
tall_hbase_gateway_has_room (const TallHbaseGateway *self)
{
  return self->phase == TALL_HBASE_ALIVE && self->n_open < TALL_HBASE_MAX_CONNECTIONS;
}

/**
 * tall_hbase_gateway_get_due:
 *
 * Returns: when it has to be asked (monotonic clock); %TALL_NO_DEADLINE: there is no need to
 */
gint64
tall_hbase_gateway_get_due (const TallHbaseGateway *self)
{
  if (self->phase == TALL_HBASE_ASKED)
    return 0;
  if (self->phase == TALL_HBASE_ALIVE && self->hbase == TALL_HBASE_HEARD && !self->wanted)
    return TALL_NO_DEADLINE;
  return self->failed_until;
}

static void
set_phase (TallHbaseGateway *self, TallHbasePhase phase)
{
  if (self->phase != phase)
    self->since = g_get_real_time ();
  self->phase = phase;
}

/* The pause before it is asked again is twice as long. */
static void
wait_longer (TallHbaseGateway *self)
{
  self->pause = self->pause == 0 ? FIRST_PAUSE : MIN (2 * self->pause, LAST_PAUSE);
  self->failed_until = g_get_monotonic_time () + self->pause;
}

static void
set_aside (TallHbaseGateway *self, const GError *reason)
{
  wait_longer (self);
  set_phase (self, TALL_HBASE_ASIDE);
  g_clear_error (&self->reason);
  self->reason = g_error_copy (reason);
}

/**
 * tall_hbase_gateway_note_answer:
 * @n_doubts: as it was when the gateway was asked
 * @reached: HBase answered through it, too
 *
 * It gave the right answer on a new connection.
 *
 * Returns: FALSE if the answer does not count, as the gateway was refused or fell in doubt after it
 *   was asked
 */
gboolean
tall_hbase_gateway_note_answer (TallHbaseGateway *self, guint n_doubts, gboolean reached)
{
  gboolean counts = self->n_doubts == n_doubts && !self->refused;
  /* Calls may have failed since, so HBase's answer then means no more than a call that is done. */
  if (self->hbase != TALL_HBASE_HEARD)
    self->hbase = !reached ? TALL_HBASE_MUTE : counts ? TALL_HBASE_HEARD : TALL_HBASE_LATE;
  if (!counts)
    return FALSE;
  if (self->hbase == TALL_HBASE_HEARD)
    self->pause = self->failed_until = 0;
  else if (self->phase == TALL_HBASE_ALIVE)
    wait_longer (self);
  set_phase (self, TALL_HBASE_ALIVE);
  self->known = TRUE;
  self->failing = FALSE;
  g_clear_error (&self->reason);
  return TRUE;
}

/**
 * tall_hbase_gateway_note_silence:
 *
 * It gave no answer on a new connection, or a wrong one. A full gateway answers on none while its
 * existing ones go on working, so these are only closed if a call failed as well.
 */
void
tall_hbase_gateway_note_silence (TallHbaseGateway *self, const GError *reason)
{
  if (self->failing)
    tall_hbase_gateway_drop_idle (self);
  self->failing = FALSE;
  set_aside (self, reason);
}

/**
 * tall_hbase_gateway_note_doubt:
 *
 * It must answer before a new connection is opened.
 */
void
tall_hbase_gateway_note_doubt (TallHbaseGateway *self)
{
  if (self->phase != TALL_HBASE_ALIVE)
    return;
  set_phase (self, TALL_HBASE_ASKED);
  self->n_doubts++;
}

static void
count_merged (TallTableMerged *self, guint n_rows)
{
  guint size = 0;
  while (size < TALL_TABLE_MERGED_SIZES - 1 && n_rows > 1u << size)
    size++;
  if (n_rows > 0)
    self->n[size]++;
  self->n_rows += n_rows;
}

/**
 * tall_hbase_gateway_note_call:
 * @link: comes back to the pool
 *
 * If something failed on it, the gateway must answer before any other connection is used. If only
 * its caller's time was over, it must answer before a new connection is opened: one caller's haste
 * must not take a gateway from all others.
 */
void
tall_hbase_gateway_note_call (TallHbaseGateway *self, TallHbaseLink *link)
{
  for (guint i = 0; i < TALL_TABLE_N_MERGED; i++)
    {
      count_merged (&self->merged[i], link->n_merged[i]);
      link->n_merged[i] = 0;
    }
  self->n_retries += link->n_retries;
  link->n_retries = 0;

  if (!tall_transport_is_broken (link->connection))
    {
      self->n_done += !self->refused;
      if (!self->refused && self->hbase == TALL_HBASE_MUTE)
        self->hbase = TALL_HBASE_LATE;
      return;
    }
  tall_hbase_gateway_note_doubt (self);
  if (link->hurried)
    return;
  self->failing = TRUE;
  self->n_failed++;
  if (link->late)
    self->hbase = MAX (self->hbase, TALL_HBASE_LATE);
}

/**
 * tall_hbase_gateway_note_test:
 * @reason: (nullable): why it has not passed; with %TALL_ERROR_UNSUPPORTED it is refused
 *
 * The self-test has ended.
 */
void
tall_hbase_gateway_note_test (TallHbaseGateway *self, gboolean passed, const GError *reason)
{
  self->testing = FALSE;
  self->tested = passed && !self->outdated;
  self->outdated = FALSE;
  if (passed)
    self->refused = FALSE;
  if (self->refused || !g_error_matches (reason, TALL_ERROR, TALL_ERROR_UNSUPPORTED))
    return;
  self->refused = TRUE;
  self->n_doubts++;
  tall_hbase_gateway_drop_idle (self);
  set_aside (self, reason);
}
