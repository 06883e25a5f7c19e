/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-guard-private.h"

#include "tall-text.h"

/*
 * Thrift's own protocols trust what they read. These slots stand before them, for the binary and
 * the compact protocol alike: each looks at what is about to be read, or at what was just read,
 * and rejects what could hurt. thrift_protocol_skip() goes through the same slots, so what is
 * skipped is bounded as well.
 */

static ThriftProtocolClass *
parent_of (ThriftProtocol *protocol)
{
  return g_type_class_peek_parent (THRIFT_PROTOCOL_GET_CLASS (protocol));
}

static TallTransport *
transport_of (ThriftProtocol *protocol)
{
  return (TallTransport *)protocol->transport;
}

static TallGuard *
guard_of (ThriftProtocol *protocol)
{
  return tall_transport_get_guard (transport_of (protocol));
}

gint32
tall_guard_reject (TallTransport *transport, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_autofree char *clean = tall_text_clean (text);

  tall_transport_break (transport);
  g_set_error (error, TALL_ERROR, TALL_ERROR_INVALID, "malformed message: %s", clean);
  return -1;
}

/* Thrift's own complaint, in our domain. */
static gint32
translate (ThriftProtocol *protocol, GError *reason, GError **error)
{
  tall_transport_break (transport_of (protocol));
  if (reason != NULL && reason->domain == TALL_ERROR)
    {
      g_propagate_error (error, reason);
      return -1;
    }
  tall_guard_reject (transport_of (protocol), error, "%s",
                     reason == NULL ? "unreadable" : reason->message);
  g_clear_error (&reason);
  return -1;
}

static gint32
enter (ThriftProtocol *protocol, GError **error)
{
  TallTransport *transport = transport_of (protocol);
  TallGuard *guard = guard_of (protocol);
  guint max_depth = tall_transport_get_options (transport)->max_depth;

  if (guard->depth >= max_depth)
    return tall_guard_reject (transport, error, "nested more than %u deep", max_depth);
  guard->seen[guard->depth++] = 0;
  return 0;
}

static void
leave (ThriftProtocol *protocol)
{
  TallGuard *guard = guard_of (protocol);
  if (guard->depth > 0)
    guard->depth--;
}

/* The fewest bytes that a value takes, -1 for what is no type of a value. */
static gint
min_size (ThriftProtocol *protocol, ThriftType type)
{
  switch (type)
    {
    case T_STRUCT:
      return 1; /* its stop; Thrift says 0, and so lets any number of them pass */
    case T_BOOL:
    case T_BYTE:
    case T_DOUBLE:
    case T_I16:
    case T_I32:
    case T_I64:
    case T_STRING:
    case T_MAP:
    case T_SET:
    case T_LIST:
      return thrift_protocol_get_min_serialized_size (protocol, type, NULL);
    default:
      return -1;
    }
}

static gint32
check_elements (ThriftProtocol *protocol, guint32 n, gint element_size, GError **error)
{
  TallTransport *transport = transport_of (protocol);
  TallGuard *guard = guard_of (protocol);
  guint64 max_elements = tall_transport_get_options (transport)->max_elements;

  if (n == 0)
    return 0;
  if (element_size < 0)
    return tall_guard_reject (transport, error, "a list of an unknown type");
  if ((guint64)n * (guint)element_size > tall_transport_get_remaining (transport))
    return tall_guard_reject (transport, error, "a list of %u elements is longer than the message",
                              n);
  guard->elements += n;
  if (guard->elements > max_elements)
    {
      tall_transport_break (transport);
      g_set_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
                   "message with more than %" G_GUINT64_FORMAT " list elements", max_elements);
      return -1;
    }
  return 0;
}

/* Each reader begins its message here, so a failure in one leaves nothing behind for the next. */
static gint32
begin_message (ThriftProtocol *protocol, GError **error)
{
  TallTransport *transport = transport_of (protocol);
  TallGuard *guard = guard_of (protocol);
  guard->depth = 0;
  guard->elements = 0;
  guard->may_repeat = FALSE;

  if (!tall_transport_begin_message (transport, error))
    return -1;
  return 0;
}

static gint32
check_type (ThriftProtocol *protocol, ThriftMessageType type, GError **error)
{
  TallTransport *transport = transport_of (protocol);
  gboolean server = tall_transport_get_options (transport)->side == TALL_WIRE_SERVER;

  if (server ? type == T_CALL || type == T_ONEWAY : type == T_REPLY || type == T_EXCEPTION)
    return 0;
  return tall_guard_reject (transport, error, "type %d where a %s is due", (int)type,
                            server ? "call" : "reply");
}

/* Generated clients take any reply whose method begins with the right letters. */
static gint32
check_reply (ThriftProtocol *protocol, const char *name, gint32 seqid, GError **error)
{
  TallTransport *transport = transport_of (protocol);
  TallGuard *guard = guard_of (protocol);

  if (tall_transport_get_options (transport)->side == TALL_WIRE_SERVER || guard->call[0] == '\0')
    return 0;
  if (seqid != guard->seqid || strcmp (name, guard->call) != 0)
    return tall_guard_reject (transport, error, "reply %d to \"%.40s\" where %d to \"%s\" is due",
                              seqid, name, guard->seqid, guard->call);
  guard->call[0] = '\0';
  return 0;
}

static gint32
guarded_read_message_begin (
    ThriftProtocol *protocol, gchar **name, ThriftMessageType *type, gint32 *seqid, GError **error)
{
  *name = NULL;
  *type = 0;
  *seqid = 0;
  if (begin_message (protocol, error) < 0)
    return -1;

  const guint8 *start = tall_transport_fill (transport_of (protocol), 2, error);
  if (start == NULL)
    return -1;
  if (start[0] < 0x80)
    {
      g_autofree char *shown = tall_slice_to_debug (tall_slice (start, 2));
      return tall_guard_reject (transport_of (protocol), error, "not Thrift: it starts with \"%s\"",
                                shown);
    }

  GError *reason = NULL;
  gint32 n = parent_of (protocol)->read_message_begin (protocol, name, type, seqid, &reason);
  if (n < 0 || reason != NULL)
    n = translate (protocol, reason, error);
  else if (check_type (protocol, *type, error) < 0
           || check_reply (protocol, *name, *seqid, error) < 0)
    n = -1;

  if (n < 0)
    g_clear_pointer (name, g_free);
  return n;
}

static gint32
guarded_write_message_begin (ThriftProtocol *protocol,
                             const gchar *name,
                             const ThriftMessageType type,
                             const gint32 seqid,
                             GError **error)
{
  TallGuard *guard = guard_of (protocol);
  gint32 number = seqid;

  if (type == T_CALL && strlen (name) < sizeof guard->call)
    {
      /* Generated clients number every call 0. */
      guard->seqid = (guard->seqid + 1) & G_MAXINT32;
      number = guard->seqid;
      g_strlcpy (guard->call, name, sizeof guard->call);
    }
  return parent_of (protocol)->write_message_begin (protocol, name, type, number, error);
}

static gint32
guarded_read_struct_begin (ThriftProtocol *protocol, gchar **name, GError **error)
{
  *name = NULL;
  if (enter (protocol, error) < 0)
    return -1;
  return parent_of (protocol)->read_struct_begin (protocol, name, error);
}

static gint32
guarded_read_struct_end (ThriftProtocol *protocol, GError **error)
{
  leave (protocol);
  return parent_of (protocol)->read_struct_end (protocol, error);
}

/* A field that comes twice makes generated code free a byte array in the wrong way. */
static gint32
guarded_read_field_begin (
    ThriftProtocol *protocol, gchar **name, ThriftType *type, gint16 *id, GError **error)
{
  TallTransport *transport = transport_of (protocol);
  TallGuard *guard = guard_of (protocol);
  GError *reason = NULL;

  *name = NULL;
  gint32 n = parent_of (protocol)->read_field_begin (protocol, name, type, id, &reason);
  if (n < 0 || reason != NULL)
    return translate (protocol, reason, error);
  if (*type == T_STOP)
    return n;

  if (min_size (protocol, *type) < 0)
    return tall_guard_reject (transport, error, "field %d of unknown type %d", *id, (int)*type);
  if (*id >= 0 && *id < 64 && guard->depth > 0 && !guard->may_repeat)
    {
      guint64 *seen = &guard->seen[guard->depth - 1];
      guint64 bit = G_GUINT64_CONSTANT (1) << *id;
      if (*seen & bit)
        return tall_guard_reject (transport, error, "field %d comes twice", *id);
      *seen |= bit;
    }
  return n;
}

static gint32
guarded_read_map_begin (ThriftProtocol *protocol,
                        ThriftType *key_type,
                        ThriftType *value_type,
                        guint32 *size,
                        GError **error)
{
  GError *reason = NULL;
  *size = 0;
  if (enter (protocol, error) < 0)
    return -1;

  gint32 n = parent_of (protocol)->read_map_begin (protocol, key_type, value_type, size, &reason);
  if (n < 0 || reason != NULL)
    return translate (protocol, reason, error);

  gint key_size = min_size (protocol, *key_type);
  gint value_size = min_size (protocol, *value_type);
  gint size_of_both = key_size < 0 || value_size < 0 ? -1 : key_size + value_size;
  return check_elements (protocol, *size, size_of_both, error) < 0 ? -1 : n;
}

static gint32
guarded_read_map_end (ThriftProtocol *protocol, GError **error)
{
  leave (protocol);
  return parent_of (protocol)->read_map_end (protocol, error);
}

/* Of lists and of sets: the protocols read a set's beginning by the slot of the list. */
static gint32
guarded_read_list_begin (ThriftProtocol *protocol,
                         ThriftType *element_type,
                         guint32 *size,
                         GError **error)
{
  GError *reason = NULL;
  *size = 0;
  if (enter (protocol, error) < 0)
    return -1;

  gint32 n = parent_of (protocol)->read_list_begin (protocol, element_type, size, &reason);
  if (n < 0 || reason != NULL)
    return translate (protocol, reason, error);
  return check_elements (protocol, *size, min_size (protocol, *element_type), error) < 0 ? -1 : n;
}

static gint32
guarded_read_list_end (ThriftProtocol *protocol, GError **error)
{
  leave (protocol);
  return parent_of (protocol)->read_list_end (protocol, error);
}

/**
 * tall_guard_check_bytes:
 * @header: bytes of the length that comes before them
 * @len: the announced length
 *
 * Lets bytes arrive before Thrift takes memory for them.
 */
gboolean
tall_guard_check_bytes (TallTransport *transport, gsize header, gint64 len, GError **error)
{
  if (len < 0 || len > G_MAXINT32 - 8)
    {
      tall_guard_reject (transport, error, "a length of %" G_GINT64_FORMAT, len);
      return FALSE;
    }
  return tall_transport_fill (transport, header + (gsize)len, error) != NULL;
}

/**
 * tall_guard_read_text:
 * @header: bytes of the length that comes before it
 * @len: the announced length
 * @text: (out) (transfer full): the text
 *
 * Reads a text. Thrift's strings end at the first NUL, so one with a NUL inside would arrive
 * shortened. A call that has one is rejected. In replies all strings are texts for people. HBase
 * puts row keys into its reasons, so each NUL is shown as `\x00` and the text arrives as a whole.
 *
 * Returns: the bytes that were read; -1 with @error set
 */
gint32
tall_guard_read_text (
    TallTransport *transport, gsize header, gint64 len, gchar **text, GError **error)
{
  gboolean server = tall_transport_get_options (transport)->side == TALL_WIRE_SERVER;
  if (!tall_guard_check_bytes (transport, header, len, error))
    return -1;

  gsize n = header + (gsize)len;
  const guint8 *bytes = tall_transport_fill (transport, n, error);
  if (server && memchr (bytes + header, '\0', (gsize)len) != NULL)
    return tall_guard_reject (transport, error, "a text with a NUL byte in it");
  *text = tall_text_from_bytes (tall_slice (bytes + header, (gsize)len));
  tall_transport_advance (transport, n);
  return (gint32)n;
}

/**
 * tall_guard_install:
 *
 * Puts the slots that are the same for both protocols into a subclass of one.
 */
void
tall_guard_install (ThriftProtocolClass *klass)
{
  klass->read_message_begin = guarded_read_message_begin;
  klass->write_message_begin = guarded_write_message_begin;
  klass->read_struct_begin = guarded_read_struct_begin;
  klass->read_struct_end = guarded_read_struct_end;
  klass->read_field_begin = guarded_read_field_begin;
  klass->read_map_begin = guarded_read_map_begin;
  klass->read_map_end = guarded_read_map_end;
  klass->read_list_begin = guarded_read_list_begin;
  klass->read_list_end = guarded_read_list_end;
  klass->read_set_begin = guarded_read_list_begin;
  klass->read_set_end = guarded_read_list_end;
}
