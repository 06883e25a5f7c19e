/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-probe.h"

/* What a gateway gets to show that it speaks another way. */
#define GUESS_TIME (1 * G_TIME_SPAN_SECOND)

typedef enum
{
  ANSWER_NONE,    /* nothing, or nothing that makes sense */
  ANSWER_THRIFT1, /* the older interface */
  ANSWER_THRIFT2,
} Answer;

/**
 * tall_hbase_probe_limit:
 *
 * Returns: until when a gateway has to show that it is there
 */
gint64
tall_hbase_probe_limit (const TallHbaseOptions *options, gint64 deadline)
{
  gint64 limit =
      g_get_monotonic_time () + (gint64)options->connect_timeout * G_TIME_SPAN_MILLISECOND;
  return MIN (limit, deadline);
}

static Answer
ask (HbGatewayClient *client, GError **error)
{
  g_autoptr (GError) reason = NULL;
  HbTThriftServerType type = 0;
  if (hb_gateway_client_get_thrift_server_type (HB_GATEWAY_IF (client), &type, &reason))
    return type == HB_T_THRIFT_SERVER_TYPE_ONE ? ANSWER_THRIFT1 : ANSWER_THRIFT2;

  /* Gateways before HBase 2.1 do not know the call; that they say so is answer enough. */
  if (g_error_matches (reason, THRIFT_APPLICATION_EXCEPTION_ERROR,
                       THRIFT_APPLICATION_EXCEPTION_ERROR_UNKNOWN_METHOD))
    return ANSWER_THRIFT2;
  g_propagate_error (error, g_steal_pointer (&reason));
  return ANSWER_NONE;
}

static Answer
guess (const char *address, const TallWireOptions *wire, gint64 deadline)
{
  gint64 limit = MIN (deadline, g_get_monotonic_time () + GUESS_TIME);
  g_autoptr (TallConnection) connection = tall_connection_open (address, wire, limit, NULL);
  if (connection == NULL)
    return ANSWER_NONE;

  tall_connection_set_deadline (connection, limit);
  ThriftProtocol *protocol = tall_connection_get_protocol (connection);
  g_autoptr (HbGatewayClient) client = g_object_new (HB_TYPE_GATEWAY_CLIENT, "input_protocol",
                                                     protocol, "output_protocol", protocol, NULL);
  return ask (client, NULL);
}

static char *
describe (const TallWireOptions *wire)
{
  return g_strdup_printf ("%s with the %s protocol", wire->framed ? "framed" : "unframed",
                          wire->compact ? "compact" : "binary");
}

/* Tries the other ways to speak. */
static void
explain (const char *address,
         const TallWireOptions *wire,
         const GError *reason,
         gint64 deadline,
         GError **error)
{
  g_autofree char *ours = describe (wire);

  for (gint other = 1; other < 4; other++)
    {
      TallWireOptions changed = *wire;
      changed.framed = wire->framed != (other & 1);
      changed.compact = wire->compact != (other >> 1);
      if (guess (address, &changed, deadline) == ANSWER_NONE)
        continue;

      g_autofree char *theirs = describe (&changed);
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
                   "the gateway at %s is %s, and was addressed as %s: write "
                   "?framed=%d&protocol=%s in --store",
                   address, theirs, ours, changed.framed, changed.compact ? "compact" : "binary");
      return;
    }

  g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
               "what listens at %s does not answer as an HBase Thrift2 gateway, neither framed nor "
               "unframed, with the binary or the compact protocol (%s): correct --store, or if it "
               "is a gateway, it serves as many connections as it can (16 at first)",
               address, reason->message);
}

/**
 * tall_hbase_probe:
 *
 * Asks a gateway what it is. One that is addressed with the wrong framing or protocol closes the
 * connection or says nothing at all; so then the other ways are tried, in order to name the right
 * one.
 *
 * Returns: FALSE with %TALL_ERROR_UNSUPPORTED or %TALL_ERROR_UNAVAILABLE and what to do
 */
gboolean
tall_hbase_probe (TallConnection *connection,
                  HbGatewayClient *client,
                  const TallHbaseOptions *options,
                  const TallWireOptions *wire,
                  gint64 deadline,
                  GError **error)
{
  const char *address = tall_connection_get_address (connection);
  g_autoptr (GError) reason = NULL;

  tall_connection_set_deadline (connection, tall_hbase_probe_limit (options, deadline));
  Answer answer = ask (client, &reason);
  if (answer == ANSWER_THRIFT2)
    return TRUE;

  if (answer == ANSWER_THRIFT1)
    g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
                 "the gateway at %s has HBase's older interface: start \"hbase thrift2\", not "
                 "\"hbase thrift\"",
                 address);
  else
    explain (address, wire, reason, deadline, error);
  return FALSE;
}
