/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire/message.h"

#include "wire/struct-writer.h"
#include "wire/transport-private.h"

#define MAX_NAME 256 /* bytes of the name of a call, which its answer repeats */

static const TallStructField tall_message_exception_type_fields[] = {
  { "an exception's message", 1, TALL_KIND_REASON, G_STRUCT_OFFSET (TallMessageException, message),
    TALL_STRUCT_ALWAYS, NULL },
  { "an exception's type", 2, TALL_KIND_I32, G_STRUCT_OFFSET (TallMessageException, type),
    TALL_STRUCT_ALWAYS, NULL },
};
TALL_STRUCT_TYPE (tall_message_exception_type, "an exception", TallMessageException);

void
tall_message_clear (TallMessage *self)
{
  g_clear_pointer (&self->name, g_free);
}

static gboolean
check_type (TallTransport *transport, gboolean server, ThriftMessageType type, GError **error)
{
  if (server ? type == T_CALL || type == T_ONEWAY : type == T_REPLY || type == T_EXCEPTION)
    return TRUE;
  return tall_transport_reject (transport, error, "type %d where a %s is due", (int)type,
                                server ? "call" : "reply");
}

/* An answer that comes late must not be taken for that of the next call. */
static gboolean
check_reply (const TallMessage *self, TallTransport *transport, GError **error)
{
  if (transport->call[0] == '\0')
    return TRUE;
  if (self->number != transport->number || strcmp (self->name, transport->call) != 0)
    return tall_transport_reject (transport, error,
                                  "reply %d to \"%.40s\" where %d to \"%s\" is due", self->number,
                                  self->name, transport->number, transport->call);
  transport->call[0] = '\0';
  return TRUE;
}

/* Our calls have short names. */
static gboolean
check_call (const TallMessage *self, TallTransport *transport, GError **error)
{
  gsize len = strlen (self->name);
  return len <= MAX_NAME
         || tall_transport_reject (transport, error,
                                   "a call whose name has %" G_GSIZE_FORMAT " bytes", len);
}

/**
 * tall_message_read:
 * @self: (out): cleared if it fails
 * @transport: its options say what is due: a call, or a reply to the call that was written last
 *
 * Reads the head of a message; its struct is next. Framed, receives the whole frame.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID (no such message), %TALL_ERROR_TOO_LARGE or an error of
 *   the connection
 */
gboolean
tall_message_read (TallMessage *self, TallTransport *transport, GError **error)
{
  gboolean server = tall_transport_get_options (transport)->side == TALL_WIRE_SERVER;

  *self = (TallMessage){ NULL };
  if (!tall_transport_begin_message (transport, error)
      || thrift_protocol_read_message_begin (tall_protocol_get_reader (transport), &self->name,
                                             &self->type, &self->number, error)
             < 0)
    return FALSE;
  gboolean ok =
      check_type (transport, server, self->type, error)
      && (server ? check_call (self, transport, error) : check_reply (self, transport, error));
  if (!ok)
    tall_message_clear (self);
  return ok;
}

/**
 * tall_message_write:
 *
 * Appends a message to what the next flush sends.
 *
 * Returns: FALSE with %TALL_ERROR_TOO_LARGE
 */
gboolean
tall_message_write (const TallMessage *self,
                    TallTransport *transport,
                    const TallStructType *type,
                    gconstpointer object,
                    GError **error)
{
  ThriftProtocol *protocol = tall_protocol_get_writer (transport);

  thrift_protocol_write_message_begin (protocol, self->name, self->type, self->number, NULL);
  tall_struct_write (type, object, protocol);
  thrift_protocol_write_message_end (protocol, NULL);
  if (!transport->overfull)
    return TRUE;
  g_set_error_literal (error, TALL_ERROR, TALL_ERROR_TOO_LARGE, "message of over 2 GiB");
  return FALSE;
}

/**
 * tall_message_write_call:
 * @name: of the call, a short one
 *
 * Writes a call. It gets the connection's next number, and the next message that is read must be
 * its reply.
 */
gboolean
tall_message_write_call (const char *name,
                         TallTransport *transport,
                         const TallStructType *type,
                         gconstpointer args,
                         GError **error)
{
  TallMessage message = { (char *)name, T_CALL, 0 };

  g_return_val_if_fail (strlen (name) < sizeof transport->call, FALSE);
  transport->number = (transport->number + 1) & G_MAXINT32;
  g_strlcpy (transport->call, name, sizeof transport->call);
  message.number = transport->number;
  return tall_message_write (&message, transport, type, args, error);
}
