/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire/message.h"

#include "wire/struct-writer.h"
#include "base/text.h"
#include "wire/transport-private.h"
#include "wire/wire-output.h"

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

/* Our calls have plain names. In a reply each NUL is shown, because the reason of a failure may
 * name it. */
static gboolean
read_name (TallWireInput *input, gboolean server, char **name, GError **error)
{
  TallSlice bytes;
  if (!tall_wire_input_bytes (input, &bytes, error))
    return FALSE;
  if (server && bytes.len > MAX_NAME)
    return tall_wire_input_reject (input, error, "a call whose name has %" G_GSIZE_FORMAT " bytes",
                                   bytes.len);
  if (server && memchr (bytes.data, '\0', bytes.len) != NULL)
    return tall_wire_input_reject (input, error, "a text with a NUL byte in it");
  *name = tall_text_from_bytes (bytes);
  return TRUE;
}

static gboolean
check_type (TallWireInput *input, gboolean server, TallMessageType type, GError **error)
{
  if (server ? type == TALL_MESSAGE_CALL || type == TALL_MESSAGE_ONEWAY
             : type == TALL_MESSAGE_REPLY || type == TALL_MESSAGE_EXCEPTION)
    return TRUE;
  return tall_wire_input_reject (input, error, "type %d where a %s is due", (int)type,
                                 server ? "call" : "reply");
}

/* An answer that comes late must not be taken for that of the next call. */
static gboolean
check_reply (const TallMessage *self,
             TallTransport *transport,
             TallWireInput *input,
             GError **error)
{
  if (transport->call[0] == '\0')
    return TRUE;
  if (self->number != transport->number || strcmp (self->name, transport->call) != 0)
    return tall_wire_input_reject (input, error, "reply %d to \"%.40s\" where %d to \"%s\" is due",
                                   self->number, self->name, transport->number, transport->call);
  transport->call[0] = '\0';
  return TRUE;
}

/* Binary: the name comes before the number. */
static gboolean
read_head (TallMessage *self, TallWireInput *input, gboolean server, GError **error)
{
  guint32 number = 0;
  if (!tall_wire_input_message_type (input, &self->type, error))
    return FALSE;
  gboolean ok = input->compact ? tall_wire_input_u32 (input, &number, error)
                                     && read_name (input, server, &self->name, error)
                               : read_name (input, server, &self->name, error)
                                     && tall_wire_input_u32 (input, &number, error);
  self->number = (gint32)number;
  return ok;
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
  TallWireInput input;

  *self = (TallMessage){ NULL };
  if (!tall_transport_begin_message (transport, error))
    return FALSE;
  tall_wire_input_init (&input, transport);
  gboolean ok = read_head (self, &input, server, error)
                && check_type (&input, server, self->type, error)
                && (server || check_reply (self, transport, &input, error));
  tall_wire_input_settle (&input);
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
  TallWireOutput output;
  tall_wire_output_init (&output, tall_transport_begin_output (transport),
                         tall_transport_get_options (transport)->compact);

  tall_wire_put_message_type (&output, self->type);
  if (output.compact)
    tall_wire_put_u32 (&output, (guint32)self->number);
  tall_wire_put_bytes (&output, tall_slice_str (self->name));
  if (!output.compact)
    tall_wire_put_u32 (&output, (guint32)self->number);
  tall_struct_write (type, object, &output);
  tall_wire_output_settle (&output);
  if (output.bytes->len <= G_MAXINT32)
    return TRUE;

  tall_transport_break (transport);
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
  TallMessage message = { (char *)name, TALL_MESSAGE_CALL, 0 };

  g_return_val_if_fail (strlen (name) < sizeof transport->call, FALSE);
  transport->number = (transport->number + 1) & G_MAXINT32;
  g_strlcpy (transport->call, name, sizeof transport->call);
  message.number = transport->number;
  return tall_message_write (&message, transport, type, args, error);
}
