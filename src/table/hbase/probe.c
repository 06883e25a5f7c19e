/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/probe.h"

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
ask (TallHbaseLink *link, GError **error)
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
  return link == NULL ? ANSWER_NONE : ask (link, NULL);
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
  tall_error_set_detailed (error, TALL_ERROR_UNSUPPORTED, address,
                           "what listens answers Thrift but is no HBase gateway: correct --store");
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
  tall_error_set_detailed (
      error, TALL_ERROR_UNAVAILABLE, detail,
      "what listens is no HBase Thrift2 gateway, or one that serves as many connections as it can: "
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

/**
 * tall_hbase_probe:
 * @link: just opened, with a deadline
 * @known: this gateway has answered before
 * @deadline: of everything
 *
 * Asks a gateway what it is. This is done on each new connection, because a full gateway accepts it
 * and stays silent. A gateway that is called with the wrong framing or protocol closes the
 * connection or stays silent, too. So if it is not known, the other combinations are tried, to name
 * the right one.
 *
 * Returns: FALSE with %TALL_ERROR_UNSUPPORTED or %TALL_ERROR_UNAVAILABLE and what to do
 */
gboolean
tall_hbase_probe (TallHbaseLink *link,
                  const TallWireOptions *wire,
                  gboolean known,
                  gint64 deadline,
                  GError **error)
{
  const char *address = tall_connection_get_address (link->connection);
  g_autoptr (GError) reason = NULL;

  Answer answer = ask (link, &reason);
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
