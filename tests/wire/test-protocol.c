/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire/connection.h"
#include "tall-thrift.h"
#include "wire/transport-private.h"
#include "wire-cases.h"
#include "tall-must.h"

#include <malloc.h>
#include <sys/socket.h>
#include <unistd.h>

/* Single values as Thrift's own protocols write them, read by ours, and the bounds of what is read
 * and kept: what just fits is taken, and one more is not. */

static TallTransport *
transport_new (GByteArray *bytes, gboolean compact, guint max_depth)
{
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  options.side = TALL_WIRE_SERVER;
  options.compact = compact;
  options.max_depth = max_depth;
  return tall_transport_new_memory (tall_slice_array (bytes), &options);
}

/* What a test writes, in a protocol of Thrift's, and then reads in ours. */
typedef struct
{
  gboolean compact;
  TallTransport *transport;
  ThriftProtocol *protocol;
} Writer;

static void
writer_init (Writer *self, gboolean compact)
{
  const TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  self->compact = compact;
  self->transport = tall_transport_new_memory ((TallSlice)TALL_SLICE_INIT, &options);
  self->protocol = tall_thrift_protocol_new (self->transport, compact);
}

static void
writer_clear (Writer *self)
{
  g_object_unref (self->protocol);
  g_object_unref (self->transport);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Writer, writer_clear)

static TallTransport *
writer_read (const Writer *self, guint max_depth)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  tall_bytes_append (bytes, tall_transport_get_output (self->transport));
  return transport_new (bytes, self->compact, max_depth);
}

static void
assert_read (gint32 n, GError *error)
{
  g_assert_no_error (error);
  g_assert_cmpint (n, >=, 0);
}

/* Steps from the field before: small, the largest that fits, one more, none, and back. */
static const gint16 ids[] = { 1, 2, 18, 35, 49, 48, -1, 32767, -32768 };

static void
test_fields (gconstpointer data)
{
  g_auto (Writer) writer;
  writer_init (&writer, COMPACT);
  thrift_protocol_write_struct_begin (writer.protocol, "", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      thrift_protocol_write_field_begin (writer.protocol, "", T_I32, ids[i], NULL);
      thrift_protocol_write_i32 (writer.protocol, 7, NULL);
      thrift_protocol_write_field_begin (writer.protocol, "", T_BOOL, ids[i] ^ 1, NULL);
      thrift_protocol_write_bool (writer.protocol, i & 1, NULL);
    }
  thrift_protocol_write_field_stop (writer.protocol, NULL);
  thrift_protocol_write_struct_end (writer.protocol, NULL);

  g_autoptr (TallTransport) transport = writer_read (&writer, 1);
  ThriftProtocol *protocol = tall_protocol_get_reader (transport);
  GError *error = NULL;
  gchar *name;
  ThriftType type;
  gint16 id;
  assert_read (thrift_protocol_read_struct_begin (protocol, &name, &error), error);
  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      gint32 number = 0;
      gboolean truth = FALSE;
      assert_read (thrift_protocol_read_field_begin (protocol, &name, &type, &id, &error), error);
      g_assert_cmpint (type, ==, T_I32);
      g_assert_cmpint (id, ==, ids[i]);
      assert_read (thrift_protocol_read_i32 (protocol, &number, &error), error);
      g_assert_cmpint (number, ==, 7);
      assert_read (thrift_protocol_read_field_begin (protocol, &name, &type, &id, &error), error);
      g_assert_cmpint (type, ==, T_BOOL);
      assert_read (thrift_protocol_read_bool (protocol, &truth, &error), error);
      g_assert_cmpint (truth, ==, i & 1);
    }
  assert_read (thrift_protocol_read_field_begin (protocol, &name, &type, &id, &error), error);
  g_assert_cmpint (type, ==, T_STOP);
  must (tall_transport_end_message (transport, &error));
}

static const gint64 numbers[] = { 0,          1,          -1,         63,        64,
                                  -64,        -65,        8191,       8192,      G_MAXINT32,
                                  G_MININT32, G_MAXINT64, G_MININT64, 1LL << 35, -(1LL << 35) };

static void
test_numbers (gconstpointer data)
{
  g_auto (Writer) writer;
  writer_init (&writer, COMPACT);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      thrift_protocol_write_i64 (writer.protocol, numbers[i], NULL);
      thrift_protocol_write_i32 (writer.protocol, (gint32)numbers[i], NULL);
      thrift_protocol_write_i16 (writer.protocol, (gint16)numbers[i], NULL);
    }

  g_autoptr (TallTransport) transport = writer_read (&writer, 1);
  ThriftProtocol *protocol = tall_protocol_get_reader (transport);
  GError *error = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      gint64 wide = 5;
      gint32 narrow = 5;
      gint16 least = 5;
      assert_read (thrift_protocol_read_i64 (protocol, &wide, &error), error);
      assert_read (thrift_protocol_read_i32 (protocol, &narrow, &error), error);
      assert_read (thrift_protocol_read_i16 (protocol, &least, &error), error);
      g_assert_cmpint (wide, ==, numbers[i]);
      g_assert_cmpint (narrow, ==, (gint32)numbers[i]);
      g_assert_cmpint (least, ==, (gint16)numbers[i]);
    }
  must (tall_transport_end_message (transport, &error));
}

static const guint32 sizes[] = { 0, 1, 14, 15, 16, 127, 128, 300 };

static void
write_texts (ThriftProtocol *protocol, guint32 n)
{
  g_autofree char *text = g_strnfill (n, 'x');
  for (guint32 i = 0; i < n; i++)
    thrift_protocol_write_binary (protocol, text, i, NULL);
}

/* Lists, sets and maps of texts from nothing to many bytes. */
static void
test_containers (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_auto (Writer) writer;
      writer_init (&writer, COMPACT);
      thrift_protocol_write_list_begin (writer.protocol, T_STRING, sizes[i], NULL);
      write_texts (writer.protocol, sizes[i]);
      thrift_protocol_write_set_begin (writer.protocol, T_STRING, sizes[i], NULL);
      write_texts (writer.protocol, sizes[i]);
      thrift_protocol_write_map_begin (writer.protocol, T_STRING, T_STRING, sizes[i], NULL);
      write_texts (writer.protocol, sizes[i]);
      write_texts (writer.protocol, sizes[i]);

      g_autoptr (TallTransport) transport = writer_read (&writer, 1);
      ThriftProtocol *protocol = tall_protocol_get_reader (transport);
      must (tall_protocol_skip (protocol, T_LIST, &error));
      must (tall_protocol_skip (protocol, T_SET, &error));
      must (tall_protocol_skip (protocol, T_MAP, &error));
      must (tall_transport_end_message (transport, &error));
    }
}

/* Bytes are read as they are; a text is not taken with a NUL, by the side that reads calls. */
static void
test_texts (gconstpointer data)
{
  g_auto (Writer) writer;
  writer_init (&writer, COMPACT);
  for (guint i = 0; i < 2; i++)
    thrift_protocol_write_binary (writer.protocol, (gpointer) "a\0b", 3, NULL);
  thrift_protocol_write_binary (writer.protocol, NULL, 0, NULL);
  thrift_protocol_write_string (writer.protocol, "text", NULL);
  thrift_protocol_write_binary (writer.protocol, (gpointer) "a\0b", 3, NULL);

  g_autoptr (TallTransport) transport = writer_read (&writer, 1);
  ThriftProtocol *protocol = tall_protocol_get_reader (transport);
  g_autoptr (GError) error = NULL;
  TallSlice lent;
  must (tall_protocol_lend_bytes (protocol, &lent, &error));
  g_assert_cmpmem (lent.data, lent.len, "a\0b", 3);
  g_autofree gpointer copy = NULL;
  gpointer nothing = NULL;
  guint32 len = 0;
  assert_read (thrift_protocol_read_binary (protocol, &copy, &len, &error), error);
  g_assert_cmpmem (copy, len, "a\0b", 3);
  assert_read (thrift_protocol_read_binary (protocol, &nothing, &len, &error), error);
  g_assert_cmpuint (len, ==, 0);
  g_autofree gchar *text = NULL;
  assert_read (thrift_protocol_read_string (protocol, &text, &error), error);
  g_assert_cmpstr (text, ==, "text");
  gchar *cut = NULL;
  g_assert_cmpint (thrift_protocol_read_string (protocol, &cut, &error), <, 0);
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_null (cut);
}

static void
check_depth (gboolean compact, guint depth, guint max_depth)
{
  g_auto (Writer) writer;
  writer_init (&writer, compact);
  for (guint i = 1; i < depth; i++)
    {
      thrift_protocol_write_struct_begin (writer.protocol, "", NULL);
      thrift_protocol_write_field_begin (writer.protocol, "", T_STRUCT, 1, NULL);
    }
  for (guint i = 0; i < depth; i++)
    {
      thrift_protocol_write_field_stop (writer.protocol, NULL);
      if (i > 0)
        thrift_protocol_write_struct_end (writer.protocol, NULL);
    }

  g_autoptr (TallTransport) transport = writer_read (&writer, max_depth);
  g_autoptr (GError) error = NULL;
  gboolean ok = tall_protocol_skip (tall_protocol_get_reader (transport), T_STRUCT, &error);
  g_assert_cmpint (ok, ==, depth <= max_depth);
  if (!ok)
    g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
}

/* Exactly as deep as allowed, and one more. */
static void
test_depth (gconstpointer data)
{
  check_depth (COMPACT, 32, 32);
  check_depth (COMPACT, 33, 32);
  check_depth (COMPACT, 1, 1);
}

/* A list announces as many elements as there are bytes after its head, or one more; what was read
 * before it does not count. */
static void
test_announced (gconstpointer data)
{
  for (guint more = 0; more < 2; more++)
    {
      g_auto (Writer) writer;
      writer_init (&writer, COMPACT);
      thrift_protocol_write_i64 (writer.protocol, G_MAXINT64, NULL);
      thrift_protocol_write_list_begin (writer.protocol, T_BYTE, 5 + more, NULL);
      for (gint8 i = 0; i < 5; i++)
        thrift_protocol_write_byte (writer.protocol, i, NULL);

      g_autoptr (TallTransport) transport = writer_read (&writer, 1);
      ThriftProtocol *protocol = tall_protocol_get_reader (transport);
      GError *error = NULL;
      ThriftType type;
      gint64 number;
      guint32 size;
      assert_read (thrift_protocol_read_i64 (protocol, &number, &error), error);
      gint32 n = thrift_protocol_read_list_begin (protocol, &type, &size, NULL);
      g_assert_cmpint (n < 0, ==, more);
      g_assert_cmpint (tall_transport_is_broken (transport), ==, more);
    }
}

/* The same of structs, of which Thrift lets any number pass, and of pairs of them. */
static void
test_announced_structs (gconstpointer data)
{
  for (guint more = 0; more < 2; more++)
    {
      g_auto (Writer) list;
      g_auto (Writer) map;
      writer_init (&list, COMPACT);
      writer_init (&map, COMPACT);
      thrift_protocol_write_list_begin (list.protocol, T_STRUCT, 6 + more, NULL);
      thrift_protocol_write_map_begin (map.protocol, T_STRUCT, T_STRUCT, 3 + more, NULL);
      for (guint i = 0; i < 6; i++)
        {
          thrift_protocol_write_field_stop (list.protocol, NULL);
          thrift_protocol_write_field_stop (map.protocol, NULL);
        }
      g_autoptr (TallTransport) of_list = writer_read (&list, 2);
      g_autoptr (TallTransport) of_map = writer_read (&map, 2);
      ThriftType type;
      guint32 size;
      gint32 n =
          thrift_protocol_read_list_begin (tall_protocol_get_reader (of_list), &type, &size, NULL);
      g_assert_cmpint (n < 0, ==, more);
      n = thrift_protocol_read_map_begin (tall_protocol_get_reader (of_map), &type, &type, &size,
                                          NULL);
      g_assert_cmpint (n < 0, ==, more);
    }
}

/* The types of an empty list, which nothing follows. */
static void
test_empty_list (gconstpointer data)
{
  static const guint8 binary[][5] = { { 0 }, { 1 }, { 2 }, { 5 }, { 16 }, { 255 } };
  static const guint8 compact[][1] = { { 0x01 }, { 0x0c }, { 0x00 }, { 0x0d }, { 0x0f } };
  static const gboolean is_known[2][6] = { { TRUE, TRUE, TRUE }, { TRUE, TRUE } };

  for (guint i = 0; i < (COMPACT ? G_N_ELEMENTS (compact) : G_N_ELEMENTS (binary)); i++)
    {
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      tall_bytes_append (bytes, COMPACT ? tall_slice (compact[i], 1) : tall_slice (binary[i], 5));
      g_autoptr (TallTransport) transport = transport_new (bytes, COMPACT, 1);
      g_autoptr (GError) error = NULL;
      ThriftType type;
      guint32 size;
      gint32 n = thrift_protocol_read_list_begin (tall_protocol_get_reader (transport), &type,
                                                  &size, &error);
      g_assert_cmpint (n >= 0, ==, is_known[COMPACT][i]);
      g_assert_cmpint (n >= 0, ==, error == NULL);
    }
}

/* Binary: a truth value is 0 or 1. */
static void
test_truth (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  tall_bytes_append (bytes, tall_slice ("\0\1\2", 3));
  g_autoptr (TallTransport) transport = transport_new (bytes, FALSE, 1);
  for (gint due = 0; due <= 2; due++)
    {
      g_autoptr (GError) error = NULL;
      gboolean truth;
      gint32 n = thrift_protocol_read_bool (tall_protocol_get_reader (transport), &truth, &error);
      g_assert_cmpint (n >= 0, ==, due < 2);
      if (due < 2)
        g_assert_cmpint (truth, ==, due);
      else
        g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
    }
}

/* The elements of all lists of a message together: as many as the limit says, and one more. */
static void
test_elements (gconstpointer data)
{
  for (guint more = 0; more < 2; more++)
    {
      g_auto (Writer) writer;
      writer_init (&writer, COMPACT);
      for (guint i = 0; i < 2; i++)
        {
          thrift_protocol_write_list_begin (writer.protocol, T_STRING, 5 + i * more, NULL);
          for (guint k = 0; k < 5 + i * more; k++)
            thrift_protocol_write_string (writer.protocol, "x", NULL);
        }
      g_autoptr (TallTransport) transport = writer_read (&writer, 1);
      ThriftProtocol *protocol = tall_protocol_get_reader (transport);
      g_autoptr (GError) error = NULL;
      transport->options.max_elements = 10;
      must (tall_transport_begin_message (transport, &error));
      must (tall_protocol_skip (protocol, T_LIST, &error));
      g_assert_cmpint (tall_protocol_skip (protocol, T_LIST, &error), ==, !more);
      if (more)
        g_assert_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE);
    }
}

/* A message of 2 GiB or more cannot be sent. */
static void
test_too_large (void)
{
  const TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  g_autoptr (TallTransport) transport =
      tall_transport_new_memory ((TallSlice)TALL_SLICE_INIT, &options);
  transport->out_end = G_MAXINT32 - 8; /* as if so much had been written */
  const TallMessage message = { (char *)"get", T_CALL, 1 };
  static const TallStructType nothing = { .name = "args" };
  must_fail (tall_message_write (&message, transport, &nothing, NULL, &error),
             TALL_ERROR_TOO_LARGE);
  g_assert_true (tall_transport_is_broken (transport));
  transport->out_end = 0;
}

/* A map of two unknown types is one error, not one over another. */
static void
test_unknown_map (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  tall_bytes_append (bytes, tall_slice ("\x63\x64\0\0\0\1", 6));
  g_autoptr (TallTransport) transport = transport_new (bytes, FALSE, 1);
  g_autoptr (GError) error = NULL;
  ThriftType type;
  guint32 size;
  g_assert_cmpint (thrift_protocol_read_map_begin (tall_protocol_get_reader (transport), &type,
                                                   &type, &size, &error),
                   <, 0);
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
}

/* Compact: numbers of @n bytes, each of which but the last one says that more follow. */
static GByteArray *
make_number (guint n, guint8 last)
{
  GByteArray *bytes = g_byte_array_new ();
  for (guint i = 1; i < n; i++)
    tall_bytes_append_u8 (bytes, 0x80);
  tall_bytes_append_u8 (bytes, last);
  return bytes;
}

static void
test_long_numbers (void)
{
  for (guint n = 1; n <= 11; n++)
    {
      g_autoptr (GByteArray) bytes = make_number (n, 0);
      g_autoptr (TallTransport) wide = transport_new (bytes, TRUE, 1);
      g_autoptr (TallTransport) narrow = transport_new (bytes, TRUE, 1);
      gint64 number;
      TallSlice text;
      g_assert_cmpint (thrift_protocol_read_i64 (tall_protocol_get_reader (wide), &number, NULL)
                           >= 0,
                       ==, n <= 10);
      g_assert_cmpint (tall_protocol_lend_bytes (tall_protocol_get_reader (narrow), &text, NULL),
                       ==, n <= 5);
    }
}

/* Compact: of the last of ten bytes only one bit is left. */
static void
test_cut_number (void)
{
  for (guint8 last = 0; last < 4; last++)
    {
      g_autoptr (GByteArray) bytes = make_number (10, last);
      g_autoptr (TallTransport) transport = transport_new (bytes, TRUE, 1);
      g_autoptr (GError) error = NULL;
      gint64 number;
      gint32 n = thrift_protocol_read_i64 (tall_protocol_get_reader (transport), &number, &error);
      g_assert_cmpint (n >= 0, ==, last < 2);
      if (last < 2)
        g_assert_cmpint (number, ==, last == 0 ? 0 : G_GINT64_CONSTANT (1) << 62);
      else
        g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
    }
}

/* Compact: a length of 2³² is not 0. */
static void
test_long_length (void)
{
  g_autoptr (GByteArray) bytes = make_number (5, 0x10);
  g_autoptr (TallTransport) transport = transport_new (bytes, TRUE, 1);
  TallSlice text;
  must_fail (tall_protocol_lend_bytes (tall_protocol_get_reader (transport), &text, &error),
             TALL_ERROR_INVALID);
}

/* Compact: a number that does not fit is rejected, and not cut: 2³² + 1 is not 1. */
static void
test_narrow (void)
{
  static const struct
  {
    gint64 number;
    gboolean fits;
  } cases[] = {
    { G_MAXINT32, TRUE },        { G_MININT32, TRUE }, { G_MAXINT32 + 1LL, FALSE },
    { G_MININT32 - 1LL, FALSE }, { 1LL << 32, FALSE }, { G_MAXINT64, FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (Writer) writer;
      writer_init (&writer, TRUE);
      thrift_protocol_write_i64 (writer.protocol, cases[i].number, NULL);
      g_autoptr (TallTransport) transport = writer_read (&writer, 1);
      g_autoptr (GError) error = NULL;
      gint32 number;
      gint32 n = thrift_protocol_read_i32 (tall_protocol_get_reader (transport), &number, &error);
      g_assert_cmpint (n >= 0, ==, cases[i].fits);
      if (cases[i].fits)
        g_assert_cmpint (number, ==, cases[i].number);
      else
        g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
    }
}

/* Compact: the number of a field, which is one step beyond the largest, or far beyond. */
static void
test_field_numbers (void)
{
  static const gint64 far[] = { G_MAXINT16, G_MAXINT16 + 1, G_MININT16, G_MININT16 - 1, 65537 };
  for (guint i = 0; i < G_N_ELEMENTS (far); i++)
    {
      g_auto (Writer) writer;
      writer_init (&writer, TRUE);
      thrift_protocol_write_byte (writer.protocol, '\b', NULL); /* a text; its number follows */
      thrift_protocol_write_i64 (writer.protocol, far[i], NULL);
      g_autoptr (TallTransport) transport = writer_read (&writer, 1);
      ThriftProtocol *protocol = tall_protocol_get_reader (transport);
      gchar *name;
      ThriftType type;
      gint16 id;
      g_assert_cmpint (thrift_protocol_read_struct_begin (protocol, &name, NULL), >=, 0);
      gboolean fits = far[i] >= G_MININT16 && far[i] <= G_MAXINT16;
      g_assert_cmpint (thrift_protocol_read_field_begin (protocol, &name, &type, &id, NULL) >= 0,
                       ==, fits);
    }
}

/* Compact: a step of one from the largest number. */
static void
test_field_step (void)
{
  g_auto (Writer) writer;
  writer_init (&writer, TRUE);
  thrift_protocol_write_struct_begin (writer.protocol, "", NULL);
  thrift_protocol_write_field_begin (writer.protocol, "", T_BYTE, G_MAXINT16, NULL);
  thrift_protocol_write_byte (writer.protocol, 1, NULL);
  thrift_protocol_write_byte (writer.protocol, 0x13, NULL); /* the next id, a byte */
  g_autoptr (TallTransport) transport = writer_read (&writer, 1);
  ThriftProtocol *protocol = tall_protocol_get_reader (transport);
  GError *error = NULL;
  gchar *name;
  ThriftType type;
  gint16 id;
  gint8 byte;
  assert_read (thrift_protocol_read_struct_begin (protocol, &name, &error), error);
  assert_read (thrift_protocol_read_field_begin (protocol, &name, &type, &id, &error), error);
  assert_read (thrift_protocol_read_byte (protocol, &byte, &error), error);
  g_assert_cmpint (thrift_protocol_read_field_begin (protocol, &name, &type, &id, NULL), <, 0);
}

static gpointer
flush (gpointer writer)
{
  return GINT_TO_POINTER (tall_transport_flush (writer, NULL));
}

/* After a large message a connection keeps no more memory than after many small ones. */
static void
test_kept_buffers (void)
{
  int fds[2];
  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), ==, 0);
  g_autoptr (GSocket) socket = g_socket_new_from_fd (fds[0], NULL);
  g_autoptr (GSocket) other = g_socket_new_from_fd (fds[1], NULL);
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  g_autoptr (TallTransport) reader = tall_transport_new (socket, "the test", &options);
  g_autoptr (TallTransport) writer = tall_transport_new (other, "the test", &options);
  gsize len = 4 * TALL_TRANSPORT_KEPT_BUFFER;
  g_autofree guint8 *much = g_malloc0 (len);

  g_assert_true (thrift_transport_write (THRIFT_TRANSPORT (writer), much, (guint32)len, NULL));
  GThread *thread = g_thread_new ("writer", flush, writer);
  must (tall_transport_read_frame (reader, &error));
  g_assert_true (GPOINTER_TO_INT (g_thread_join (thread)));
  g_assert_cmpuint (reader->in_size, >=, len);
  g_assert_cmpuint (reader->in_size, <=, 2 * len);
  tall_transport_skip_message (reader);
  g_assert_cmpuint (reader->in_size, <=, TALL_TRANSPORT_KEPT_BUFFER);
  g_assert_cmpuint (malloc_usable_size (writer->out), <=, TALL_TRANSPORT_KEPT_BUFFER);
}

/* What comes over @fds[1]: a frame's header and zeros. */
static TallTransport *
reader_new (int fds[2], guint8 header[TALL_TRANSPORT_FRAME_HEADER], gsize len)
{
  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), ==, 0);
  g_autoptr (GSocket) socket = g_socket_new_from_fd (fds[0], NULL);
  g_autofree guint8 *zeros = g_malloc0 (len);
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  g_assert_cmpint (send (fds[1], header, TALL_TRANSPORT_FRAME_HEADER, 0), ==,
                   TALL_TRANSPORT_FRAME_HEADER);
  g_assert_cmpint (send (fds[1], zeros, len, 0), ==, len);
  g_assert_cmpint (shutdown (fds[1], SHUT_WR), ==, 0);
  return tall_transport_new (socket, "the test", &options);
}

/* A buffer grows with what arrives, to twice of it at most, whatever is announced. */
static void
test_announced_frame (void)
{
  int fds[2];
  g_autoptr (TallTransport) reader = reader_new (fds, (guint8[]){ 3, 0, 0, 0 }, 40000);
  must_fail (tall_transport_read_frame (reader, &error), TALL_ERROR_UNAVAILABLE);
  g_assert_cmpuint (reader->in_size, <=, 2 * 40000);
  close (fds[1]);
}

/* Of what comes behind a frame little is received with it. */
static void
test_next_frame (void)
{
  int fds[2];
  g_autoptr (TallTransport) reader = reader_new (fds, (guint8[]){ 0, 0, 0x9c, 0x40 }, 80000);
  must (tall_transport_read_frame (reader, &error));
  g_assert_cmpuint (tall_transport_get_remaining (reader), ==, 40000);
  g_assert_cmpuint (tall_transport_buffered (reader), <=, 40000 + 16 * 1024);
  close (fds[1]);
}

/* A message that was not read to its end leaves nothing behind: neither open structs nor a truth
 * value that a field's type was. */
static void
test_left_behind (void)
{
  g_auto (Writer) writer;
  writer_init (&writer, TRUE);
  thrift_protocol_write_message_begin (writer.protocol, "get", T_CALL, 1, NULL);
  g_autoptr (TallTransport) transport = writer_read (&writer, 4);
  ThriftCompactProtocol *protocol = THRIFT_COMPACT_PROTOCOL (tall_protocol_get_reader (transport));
  gchar *name;
  for (guint i = 0; i < 4; i++)
    g_assert_cmpint (thrift_protocol_read_struct_begin (THRIFT_PROTOCOL (protocol), &name, NULL),
                     >=, 0);
  protocol->_has_bool_value = TRUE;

  g_auto (TallMessage) message = { NULL };
  must (tall_message_read (&message, transport, &error));
  g_assert_cmpuint (protocol->_last_field.length, ==, 0);
  g_assert_false (protocol->_has_bool_value);
  g_assert_cmpuint (transport->depth, ==, 0);
}

/* The start of a message as Thrift writes it, and what is none. */
static void
test_recognize (gconstpointer data)
{
  for (ThriftMessageType due = T_CALL; due <= T_ONEWAY; due++)
    {
      g_auto (Writer) writer;
      ThriftMessageType type = 0;
      writer_init (&writer, COMPACT);
      thrift_protocol_write_message_begin (writer.protocol, "get", due, 77, NULL);
      TallSlice start = tall_transport_get_output (writer.transport);
      g_assert_cmpint (tall_protocol_recognize (start, &type), ==,
                       COMPACT ? TALL_RECOGNIZED_COMPACT : TALL_RECOGNIZED_BINARY);
      g_assert_cmpint (type, ==, due);
      start.len = 1;
      g_assert_cmpint (tall_protocol_recognize (start, &type), ==, TALL_RECOGNIZED_NOTHING);
    }
  g_assert_cmpint (tall_protocol_recognize (tall_slice_str ("GET / HTTP/1.1"), NULL), ==,
                   TALL_RECOGNIZED_NOTHING);
}

int
main (int argc, char **argv)
{
  static const WireCase cases[] = {
    { "fields", test_fields },
    { "numbers", test_numbers },
    { "containers", test_containers },
    { "texts", test_texts },
    { "depth", test_depth },
    { "announced", test_announced },
    { "announced-structs", test_announced_structs },
    { "empty-list", test_empty_list },
    { "elements", test_elements },
    { "recognize", test_recognize },
  };
  g_test_init (&argc, &argv, NULL);
  wire_add_cases ("protocol", cases, G_N_ELEMENTS (cases));
  g_test_add_func ("/wire/protocol/truth", test_truth);
  g_test_add_func ("/wire/protocol/too-large", test_too_large);
  g_test_add_func ("/wire/protocol/unknown-map", test_unknown_map);
  g_test_add_func ("/wire/protocol/long-numbers", test_long_numbers);
  g_test_add_func ("/wire/protocol/cut-number", test_cut_number);
  g_test_add_func ("/wire/protocol/long-length", test_long_length);
  g_test_add_func ("/wire/protocol/narrow", test_narrow);
  g_test_add_func ("/wire/protocol/field-numbers", test_field_numbers);
  g_test_add_func ("/wire/protocol/field-step", test_field_step);
  g_test_add_func ("/wire/protocol/kept-buffers", test_kept_buffers);
  g_test_add_func ("/wire/protocol/announced-frame", test_announced_frame);
  g_test_add_func ("/wire/protocol/next-frame", test_next_frame);
  g_test_add_func ("/wire/protocol/left-behind", test_left_behind);
  return g_test_run ();
}
