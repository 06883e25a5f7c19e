/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-probe.h"

/* The time in which a gateway has to answer to another framing or protocol. */
#define GUESS_TIME (1 * G_TIME_SPAN_SECOND)

typedef enum
{
  ANSWER_NONE,    /* nothing, or nothing that makes sense */
  ANSWER_OTHER,   /* Thrift, of some other service */
  ANSWER_THRIFT1, /* the older interface */
  ANSWER_THRIFT2,
} Answer;

/* The struct of a reply: its field 0 is a number. */
static gboolean
read_type (ThriftProtocol *protocol, gint32 *server_type, GError **error)
{
  gboolean found = FALSE;
  g_autofree char *struct_name = NULL;
  if (thrift_protocol_read_struct_begin (protocol, &struct_name, error) < 0)
    return FALSE;

  for (;;)
    {
      g_autofree char *name = NULL;
      ThriftType type = T_STOP;
      gint16 id = 0;
      if (thrift_protocol_read_field_begin (protocol, &name, &type, &id, error) < 0)
        return FALSE;
      if (type == T_STOP)
        return found;
      found |= id == 0 && type == T_I32;
      if ((id == 0 && type == T_I32 ? thrift_protocol_read_i32 (protocol, server_type, error)
                                    : thrift_protocol_skip (protocol, type, error))
          < 0)
        return FALSE;
    }
}

/* Generated code leaks memory with every exception that it reads, so the reply is read here. */
static Answer
receive (ThriftProtocol *protocol, GError **error)
{
  g_autofree char *name = NULL;
  ThriftMessageType type = T_REPLY;
  gint32 seqid = 0;
  gint32 server_type = 0;
  if (thrift_protocol_read_message_begin (protocol, &name, &type, &seqid, error) < 0)
    return ANSWER_NONE;
  if (type == T_EXCEPTION)
    return ANSWER_OTHER;
  if (!read_type (protocol, &server_type, error))
    return *error == NULL ? ANSWER_OTHER : ANSWER_NONE;
  if (thrift_protocol_read_struct_end (protocol, error) < 0
      || thrift_protocol_read_message_end (protocol, error) < 0
      || !thrift_transport_read_end (protocol->transport, error))
    return ANSWER_NONE;
  return server_type == HB_T_THRIFT_SERVER_TYPE_ONE ? ANSWER_THRIFT1 : ANSWER_THRIFT2;
}

static Answer
ask (HbGatewayClient *client, GError **error)
{
  g_autoptr (GError) reason = NULL;
  Answer answer = ANSWER_NONE;
  if (hb_gateway_client_send_get_thrift_server_type (HB_GATEWAY_IF (client), &reason))
    answer = receive (client->input_protocol, &reason);
  if (answer == ANSWER_NONE)
    g_propagate_error (error, g_steal_pointer (&reason));
  return answer;
}

static Answer
guess (const char *address, const TallWireOptions *wire, gint64 deadline)
{
  gint64 limit = MIN (deadline, g_get_monotonic_time () + GUESS_TIME);
  g_autoptr (TallHbaseLink) link = tall_hbase_link_open (address, wire, limit, NULL);
  return link == NULL ? ANSWER_NONE : ask (link->client, NULL);
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

  Answer answer = ask (link->client, &reason);
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
