/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire/protocol.h"

#include "base/text.h"
#include "wire/transport-private.h"

/* Bytes of a message's beginning that say which protocol it is in. */
#define START 2

#define MAX_NAME 256 /* bytes of the name of a call, which its answer repeats */

/* Bytes that a length or any number takes at most: the compact protocol has seven bits of it in
 * each. */
#define MAX_LENGTH_SIZE 5
#define MAX_NUMBER_SIZE 10

struct _TallBinaryProtocol
{
  ThriftBinaryProtocol parent_instance;
};

struct _TallCompactProtocol
{
  ThriftCompactProtocol parent_instance;
};

G_DEFINE_FINAL_TYPE (TallBinaryProtocol, tall_binary_protocol, THRIFT_TYPE_BINARY_PROTOCOL)
G_DEFINE_FINAL_TYPE (TallCompactProtocol, tall_compact_protocol, THRIFT_TYPE_COMPACT_PROTOCOL)

static const ThriftProtocolClass *binary_parent;
static const ThriftProtocolClass *compact_parent;
static const ThriftProtocolClass *compact_class;

static inline gboolean
is_compact (ThriftProtocol *protocol)
{
  return THRIFT_PROTOCOL_GET_CLASS (protocol) == compact_class;
}

static inline const ThriftProtocolClass *
parent_of (ThriftProtocol *protocol)
{
  return is_compact (protocol) ? compact_parent : binary_parent;
}

static inline TallTransport *
transport_of (ThriftProtocol *protocol)
{
  return (TallTransport *)protocol->transport;
}

static inline ThriftProtocol *
plain_of (ThriftProtocol *protocol)
{
  return tall_protocol_get_plain (transport_of (protocol));
}

static gint32
reject (ThriftProtocol *protocol, GError **error, const char *reason)
{
  tall_transport_reject (transport_of (protocol), error, "%s", reason);
  return -1;
}

/* Makes an error of ours out of one of Thrift's. */
static gint32
translate (ThriftProtocol *protocol, GError *reason, GError **error)
{
  if (reason == NULL)
    return reject (protocol, error, "it cannot be read");
  tall_transport_break (transport_of (protocol));
  if (reason->domain == TALL_ERROR)
    g_propagate_error (error, reason);
  else
    {
      reject (protocol, error, reason->message);
      g_error_free (reason);
    }
  return -1;
}

/* Structs and containers within each other cost stack. */
static gint32
enter (ThriftProtocol *protocol, GError **error)
{
  TallTransport *transport = transport_of (protocol);
  if (transport->depth < transport->options.max_depth)
    {
      transport->depth++;
      return 0;
    }
  tall_transport_reject (transport, error, "it is nested more than %u deep",
                         transport->options.max_depth);
  return -1;
}

static gint32
read_struct_begin (ThriftProtocol *protocol, gchar **name, GError **error)
{
  if (enter (protocol, error) < 0)
    return -1;
  return parent_of (protocol)->read_struct_begin (protocol, name, error);
}

static gint32
read_struct_end (ThriftProtocol *protocol, GError **error)
{
  transport_of (protocol)->depth--;
  return parent_of (protocol)->read_struct_end (protocol, error);
}

/* Of lists, sets and maps. */
static gint32
read_container_end (ThriftProtocol *protocol, GError **error G_GNUC_UNUSED)
{
  transport_of (protocol)->depth--;
  return 0;
}

/* The fewest bytes of a value; 0: no type of a value. Thrift says 0 for a struct, and so lets any
 * number of them pass; but each has its end. */
static guint
least_size (ThriftProtocol *protocol, ThriftType type)
{
  if (type == T_STRUCT)
    return 1;
  return (guint)MAX (thrift_protocol_get_min_serialized_size (protocol, type, NULL), 0);
}

/* An empty container may be one of nothing. */
static gboolean
is_known (ThriftProtocol *protocol, ThriftType type, guint32 size)
{
  return least_size (protocol, type) > 0 || (size == 0 && type <= T_VOID);
}

/* Refuses a container that announces more than the message holds. */
static gint32
check_size (ThriftProtocol *protocol, guint32 size, guint element_size, GError **error)
{
  TallTransport *transport = transport_of (protocol);
  if ((guint64)size * element_size > transport->limit)
    return reject (protocol, error, "it announces more than it has");
  if (size <= transport->elements)
    {
      transport->elements -= size;
      return 0;
    }
  tall_transport_break (transport);
  g_set_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
               "message with more than %" G_GUINT64_FORMAT " list elements",
               transport->options.max_elements);
  return -1;
}

/* A container's head could not be read, and Thrift was given no place for the reason: that of an
 * unknown type it reports beside success, or over another. The transport keeps its own. */
static gint32
reject_head (ThriftProtocol *protocol, GError **error)
{
  GError *reason = g_steal_pointer (&transport_of (protocol)->unsaid);
  return reason != NULL ? translate (protocol, reason, error)
                        : reject (protocol, error, "a container of an unknown type or size");
}

/* Also of sets, which look the same. Thrift checks the announced size, too, but by smallest sizes
 * that are too small, and in arithmetic that overflows. */
static gint32
read_list_begin (ThriftProtocol *protocol, ThriftType *type, guint32 *size, GError **error)
{
  *size = 0;
  if (enter (protocol, error) < 0)
    return -1;
  gint32 n = parent_of (protocol)->read_list_begin (protocol, type, size, NULL);
  if (n < 0)
    return reject_head (protocol, error);
  if (!is_known (protocol, *type, *size) || (is_compact (protocol) && *type == T_STOP))
    return reject (protocol, error, "a list of an unknown type");
  return check_size (protocol, *size, least_size (protocol, *type), error) < 0 ? -1 : n;
}

static gint32
read_map_begin (ThriftProtocol *protocol,
                ThriftType *key_type,
                ThriftType *value_type,
                guint32 *size,
                GError **error)
{
  *size = 0;
  if (enter (protocol, error) < 0)
    return -1;
  gint32 n = parent_of (protocol)->read_map_begin (protocol, key_type, value_type, size, NULL);
  if (n < 0)
    return reject_head (protocol, error);
  if (!is_known (protocol, *key_type, *size) || !is_known (protocol, *value_type, *size))
    return reject (protocol, error, "a map of an unknown type");
  guint both = least_size (protocol, *key_type) + least_size (protocol, *value_type);
  return check_size (protocol, *size, both, error) < 0 ? -1 : n;
}

/* Thrift takes anything but 0 for true. */
static gint32
binary_read_bool (ThriftProtocol *protocol, gboolean *value, GError **error)
{
  gint8 byte = 0;
  gint32 n = thrift_protocol_read_byte (plain_of (protocol), &byte, error);
  if (n < 0)
    return -1;
  *value = byte;
  return byte == 0 || byte == 1 ? n : reject (protocol, error, "neither true nor false");
}

/* Thrift cuts a number that is larger than its type. Of the last of ten bytes one bit counts. */
static gint32
compact_read_number (ThriftProtocol *protocol, guint bits, gint64 *value, GError **error)
{
  const TallTransport *transport = transport_of (protocol);
  GError *reason = NULL;
  gint32 n = compact_parent->read_i64 (protocol, value, &reason);
  if (n < 0)
    return translate (protocol, reason, error);
  guint unused = 64 - bits;
  gboolean is_cut = n == MAX_NUMBER_SIZE && transport->in[transport->in_pos - 1] > 1;
  if (!is_cut && (gint64)((guint64)*value << unused) >> unused == *value)
    return n;
  tall_transport_reject (transport_of (protocol), error, "a number of more than %u bits", bits);
  return -1;
}

static gint32
compact_read_i16 (ThriftProtocol *protocol, gint16 *value, GError **error)
{
  gint64 wide = 0;
  gint32 n = compact_read_number (protocol, 16, &wide, error);
  *value = (gint16)wide;
  return n;
}

static gint32
compact_read_i32 (ThriftProtocol *protocol, gint32 *value, GError **error)
{
  gint64 wide = 0;
  gint32 n = compact_read_number (protocol, 32, &wide, error);
  *value = (gint32)wide;
  return n;
}

static gint32
compact_read_i64 (ThriftProtocol *protocol, gint64 *value, GError **error)
{
  return compact_read_number (protocol, 64, value, error);
}

/* Thrift adds the step from the field before in 16 bits. */
static gint32
compact_read_field_begin (
    ThriftProtocol *protocol, gchar **name, ThriftType *type, gint16 *id, GError **error)
{
  const gint16 last = ((ThriftCompactProtocol *)protocol)->_last_field_id;
  GError *reason = NULL;
  gint32 n = compact_parent->read_field_begin (protocol, name, type, id, &reason);
  if (n < 0)
    return translate (protocol, reason, error);
  if (n == 1 && *type != T_STOP && *id <= last)
    return reject (protocol, error, "a field's number of more than 16 bits");
  return n;
}

/* The length of a text or of bytes. Thrift reads it only together with them, and takes memory for
 * what it says. Compact: a number without a sign, where Thrift's own numbers have one: for 0, 1, 2,
 * 3 … those read 0, -1, 1, -2 … */
static gint32
read_length (ThriftProtocol *protocol, guint32 *len, GError **error)
{
  gint64 wide = 0;
  gint32 narrow = 0;
  gint32 n = is_compact (protocol) ? compact_read_i64 (protocol, &wide, error)
                                   : thrift_protocol_read_i32 (plain_of (protocol), &narrow, error);
  if (n < 0)
    return -1;
  guint64 found =
      is_compact (protocol) ? (guint64)wide << 1 ^ (guint64)(wide >> 63) : (guint32)narrow;
  *len = (guint32)found;
  if (n <= MAX_LENGTH_SIZE && found <= G_MAXINT32)
    return n;
  tall_transport_reject (transport_of (protocol), error, "a length of %" G_GUINT64_FORMAT, found);
  return -1;
}

/**
 * tall_protocol_lend_bytes:
 * @bytes: (out): in the transport's buffer: valid until the next value is read
 *
 * Reads a text or bytes without a copy. They have arrived as a whole; memory was taken as they
 * came.
 */
gboolean
tall_protocol_lend_bytes (ThriftProtocol *self, TallSlice *bytes, GError **error)
{
  TallTransport *transport = transport_of (self);
  const guint8 *data = (const guint8 *)"";
  guint32 len = 0;

  if (read_length (self, &len, error) < 0
      || (len > 0 && (data = tall_transport_fill (transport, len, error)) == NULL))
    return FALSE;
  *bytes = tall_slice (data, len);
  tall_transport_advance (transport, len);
  return TRUE;
}

/* The bytes that were read do not matter: nobody adds them up. */
static gint32
read_binary (ThriftProtocol *protocol, gpointer *data, guint32 *len, GError **error)
{
  TallSlice bytes;

  *data = NULL;
  *len = 0;
  if (!tall_protocol_lend_bytes (protocol, &bytes, error))
    return -1;
  if (transport_of (protocol)->skipping || bytes.len == 0)
    return (gint32)bytes.len;
  *data = g_memdup2 (bytes.data, bytes.len);
  *len = (guint32)bytes.len;
  return (gint32)bytes.len;
}

/* Thrift's strings end at the first NUL. A server takes none; in replies each NUL is shown, because
 * the reason of a failure may name it. */
static gint32
read_string (ThriftProtocol *protocol, gchar **text, GError **error)
{
  TallSlice bytes;

  *text = NULL;
  if (!tall_protocol_lend_bytes (protocol, &bytes, error))
    return -1;
  gboolean server = transport_of (protocol)->options.side == TALL_WIRE_SERVER;
  if (server && bytes.len > MAX_NAME)
    return reject (protocol, error, "a call whose name has more than 256 bytes");
  if (server && memchr (bytes.data, '\0', bytes.len) != NULL)
    return reject (protocol, error, "a text with a NUL byte in it");
  *text = tall_text_from_bytes (bytes);
  return (gint32)bytes.len;
}

/* What an earlier message that was not read to its end has left behind. */
static void
forget_structs (ThriftProtocol *protocol)
{
  ThriftCompactProtocol *compact = (ThriftCompactProtocol *)protocol;
  if (!is_compact (protocol))
    return;
  g_queue_clear (&compact->_last_field);
  compact->_last_field_id = 0;
  compact->_has_bool_value = FALSE;
}

/* Thrift takes a message without a version, as old clients sent it, and so anything; it then leaves
 * name and type as they were. */
static gint32
read_message_begin (
    ThriftProtocol *protocol, gchar **name, ThriftMessageType *type, gint32 *number, GError **error)
{
  TallTransport *transport = transport_of (protocol);
  GError *reason = NULL;

  *name = NULL;
  *type = 0;
  *number = 0;
  guint8 start[START];
  const guint8 *bytes = tall_transport_fill (transport, sizeof start, error);
  if (bytes == NULL)
    return -1;
  memcpy (start, bytes, sizeof start);

  forget_structs (protocol);
  gint32 n = parent_of (protocol)->read_message_begin (protocol, name, type, number, &reason);
  gboolean is_other =
      n < 0 ? g_error_matches (reason, THRIFT_PROTOCOL_ERROR, THRIFT_PROTOCOL_ERROR_BAD_VERSION)
            : *name == NULL;
  if (n >= 0 && !is_other)
    return n;
  g_clear_pointer (name, g_free);
  if (!is_other)
    return translate (protocol, reason, error);
  g_clear_error (&reason);
  g_autofree char *shown = tall_slice_to_debug (tall_slice (start, sizeof start));
  tall_transport_reject (transport, error, "not Thrift: it starts with \"%s\"", shown);
  return -1;
}

/**
 * tall_protocol_skip:
 *
 * Skips a value of an unknown field, from a newer sender. It meets the same limits as all others.
 */
gboolean
tall_protocol_skip (ThriftProtocol *self, ThriftType type, GError **error)
{
  GError *reason = NULL;
  transport_of (self)->skipping = TRUE;
  gint32 n = thrift_protocol_skip (self, type, &reason);
  transport_of (self)->skipping = FALSE;
  return n >= 0 || translate (self, reason, error) >= 0;
}

static void
install (ThriftProtocolClass *klass)
{
  klass->read_message_begin = read_message_begin;
  klass->read_struct_begin = read_struct_begin;
  klass->read_struct_end = read_struct_end;
  klass->read_list_begin = read_list_begin;
  klass->read_list_end = read_container_end;
  klass->read_set_begin = read_list_begin;
  klass->read_set_end = read_container_end;
  klass->read_map_begin = read_map_begin;
  klass->read_map_end = read_container_end;
  klass->read_string = read_string;
  klass->read_binary = read_binary;
}

static void
tall_binary_protocol_class_init (TallBinaryProtocolClass *klass)
{
  ThriftProtocolClass *protocol_class = THRIFT_PROTOCOL_CLASS (klass);

  binary_parent = THRIFT_PROTOCOL_CLASS (tall_binary_protocol_parent_class);
  install (protocol_class);
  protocol_class->read_bool = binary_read_bool;
}

static void
tall_binary_protocol_init (TallBinaryProtocol *self G_GNUC_UNUSED)
{
}

/* The parent forgets to free these. */
static void
tall_compact_protocol_finalize (GObject *object)
{
  forget_structs ((ThriftProtocol *)object);
  G_OBJECT_CLASS (tall_compact_protocol_parent_class)->finalize (object);
}

static void
tall_compact_protocol_class_init (TallCompactProtocolClass *klass)
{
  ThriftProtocolClass *protocol_class = THRIFT_PROTOCOL_CLASS (klass);

  compact_parent = THRIFT_PROTOCOL_CLASS (tall_compact_protocol_parent_class);
  compact_class = protocol_class;
  G_OBJECT_CLASS (klass)->finalize = tall_compact_protocol_finalize;
  install (protocol_class);
  protocol_class->read_i16 = compact_read_i16;
  protocol_class->read_i32 = compact_read_i32;
  protocol_class->read_i64 = compact_read_i64;
  protocol_class->read_field_begin = compact_read_field_begin;
}

static void
tall_compact_protocol_init (TallCompactProtocol *self G_GNUC_UNUSED)
{
}

/* The protocols of a transport belong to it; with a reference to it they would keep each other. */
static ThriftProtocol *
get_protocol (TallTransport *transport, ThriftProtocol **place, GType type)
{
  if (*place == NULL)
    {
      *place = g_object_new (type, NULL);
      (*place)->transport = THRIFT_TRANSPORT (transport);
    }
  return *place;
}

/**
 * tall_protocol_get_reader:
 *
 * Returns: (transfer none): what reads messages of @transport, in the protocol that its options say
 */
ThriftProtocol *
tall_protocol_get_reader (TallTransport *transport)
{
  return transport->options.compact
             ? get_protocol (transport, &transport->readers[1], TALL_TYPE_COMPACT_PROTOCOL)
             : get_protocol (transport, &transport->readers[0], TALL_TYPE_BINARY_PROTOCOL);
}

/**
 * tall_protocol_get_writer:
 *
 * Returns: (transfer none): what writes messages to @transport, likewise: Thrift's own, because
 *   what is written is ours
 */
ThriftProtocol *
tall_protocol_get_writer (TallTransport *transport)
{
  return transport->options.compact
             ? get_protocol (transport, &transport->writers[1], THRIFT_TYPE_COMPACT_PROTOCOL)
             : get_protocol (transport, &transport->writers[0], THRIFT_TYPE_BINARY_PROTOCOL);
}

/**
 * tall_protocol_get_plain:
 *
 * Thrift's functions begin with a check of the object's type, which is short for the very type and
 * takes long for one that is derived from it. The binary protocol keeps nothing between two values,
 * so what we do not override can be read by an object of Thrift's own type.
 *
 * Returns: (transfer none): what reads heads of fields and numbers
 */
ThriftProtocol *
tall_protocol_get_plain (TallTransport *transport)
{
  return transport->options.compact ? tall_protocol_get_reader (transport)
                                    : tall_protocol_get_writer (transport);
}

/* How Thrift begins a message of each type in the compact protocol. */
static gpointer
make_starts (gpointer data G_GNUC_UNUSED)
{
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  options.compact = TRUE;
  g_autoptr (TallTransport) transport =
      tall_transport_new_memory ((TallSlice)TALL_SLICE_INIT, &options);
  GByteArray *starts = g_byte_array_new ();
  for (ThriftMessageType type = T_CALL; type <= T_ONEWAY; type++)
    {
      thrift_protocol_write_message_begin (tall_protocol_get_writer (transport), "", type, 0, NULL);
      tall_bytes_append (starts, tall_slice (tall_transport_get_output (transport).data, START));
      tall_transport_drop_output (transport);
    }
  return starts;
}

/**
 * tall_protocol_recognize:
 * @start: of a message
 * @type: (out) (optional): of the message, as far as four bytes say; 0: they do not
 *
 * Returns: the protocol that the message is in
 */
TallRecognized
tall_protocol_recognize (TallSlice start, ThriftMessageType *type)
{
  static GOnce once = G_ONCE_INIT;
  const GByteArray *starts = g_once (&once, make_starts, NULL);
  guint8 bytes[sizeof (guint32)] = { 0 };
  TallReader reader = tall_reader (tall_slice (bytes, sizeof bytes));
  ThriftMessageType found = 0;
  TallRecognized recognized = TALL_RECOGNIZED_NOTHING;

  if (start.len > 0)
    memcpy (bytes, start.data, MIN (start.len, sizeof bytes));
  guint32 head = tall_reader_u32 (&reader);
  if ((head & THRIFT_BINARY_PROTOCOL_VERSION_MASK) == THRIFT_BINARY_PROTOCOL_VERSION_1)
    {
      recognized = TALL_RECOGNIZED_BINARY;
      found = head & ~THRIFT_BINARY_PROTOCOL_VERSION_MASK;
    }
  for (guint i = 0; i < starts->len; i += START)
    if (memcmp (bytes, starts->data + i, START) == 0)
      {
        recognized = TALL_RECOGNIZED_COMPACT;
        found = T_CALL + i / START;
      }
  if (type != NULL)
    *type = found;
  return recognized;
}
