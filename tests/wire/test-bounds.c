/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire/struct-reader.h"
#include "wire/struct-writer.h"
#include "wire/transport-private.h"
#include "wire-cases.h"

#include <malloc.h>
#include <sys/socket.h>

/* The bounds of the codec and of what a connection keeps: what just fits is taken, and one more is
 * not. */

static TallTransport *
transport_new (GByteArray *bytes, gboolean compact)
{
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  options.side = TALL_WIRE_SERVER;
  options.compact = compact;
  return tall_transport_new_memory (tall_slice_array (bytes), &options);
}

/* A list announces as many elements as there are bytes after its head, or one more; what was read
 * before it does not count. */
static void
test_announced (gconstpointer data)
{
  for (guint more = 0; more < 2; more++)
    {
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      TallWireOutput output;
      tall_wire_output_init (&output, bytes, COMPACT);
      tall_wire_put_i64 (&output, G_MAXINT64);
      tall_wire_put_list (&output, TALL_WIRE_BYTE, 5 + more);
      tall_wire_put_raw (&output, tall_slice_str ("12345"));
      tall_wire_output_settle (&output);

      g_autoptr (TallTransport) transport = transport_new (bytes, COMPACT);
      g_autoptr (GError) error = NULL;
      TallWireInput input;
      TallWireType type;
      gint64 number;
      guint32 size;
      tall_wire_input_init (&input, transport);
      g_assert_true (tall_wire_input_i64 (&input, &number, &error));
      gboolean ok = tall_wire_input_begin_list (&input, &type, &size, &error);
      g_assert_cmpint (ok, ==, !more);
      g_assert_cmpint (tall_transport_is_broken (transport), ==, more);
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
      g_autoptr (TallTransport) transport = transport_new (bytes, COMPACT);
      g_autoptr (GError) error = NULL;
      TallWireInput input;
      TallWireType type;
      guint32 size;
      tall_wire_input_init (&input, transport);
      gboolean ok = tall_wire_input_begin_list (&input, &type, &size, &error);
      g_assert_cmpint (ok, ==, is_known[COMPACT][i]);
    }
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
      g_autoptr (TallTransport) wide = transport_new (bytes, TRUE);
      g_autoptr (TallTransport) narrow = transport_new (bytes, TRUE);
      TallWireInput input;
      gint64 number;
      guint32 length;
      tall_wire_input_init (&input, wide);
      g_assert_cmpint (tall_wire_input_i64 (&input, &number, NULL), ==, n <= 10);
      tall_wire_input_init (&input, narrow);
      g_assert_cmpint (tall_wire_input_u32 (&input, &length, NULL), ==, n <= 5);
    }

  for (guint8 last = 0x0f; last <= 0x10; last++) /* the upper four of 32 bits, or of 33 */
    {
      g_autoptr (GByteArray) bytes = make_number (5, last);
      g_autoptr (TallTransport) transport = transport_new (bytes, TRUE);
      TallWireInput input;
      guint32 length;
      tall_wire_input_init (&input, transport);
      g_assert_cmpint (tall_wire_input_u32 (&input, &length, NULL), ==, last == 0x0f);
    }
}

/* Compact: a number that does not fit is rejected, and not cut: 2³² + 1 is not 1. */
static void
test_narrow (void)
{
  static const struct
  {
    gint64 number;
    gboolean fits;
  } numbers[] = {
    { G_MAXINT32, TRUE },        { G_MININT32, TRUE }, { G_MAXINT32 + 1LL, FALSE },
    { G_MININT32 - 1LL, FALSE }, { 1LL << 32, FALSE }, { G_MAXINT64, FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      TallWireOutput output;
      tall_wire_output_init (&output, bytes, TRUE);
      tall_wire_put_i64 (&output, numbers[i].number);
      tall_wire_output_settle (&output);
      g_autoptr (TallTransport) transport = transport_new (bytes, TRUE);
      g_autoptr (GError) error = NULL;
      TallWireInput input;
      gint32 number;
      tall_wire_input_init (&input, transport);
      g_assert_cmpint (tall_wire_input_i32 (&input, &number, &error), ==, numbers[i].fits);
      if (numbers[i].fits)
        g_assert_cmpint (number, ==, numbers[i].number);
      else
        g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
    }
}

/* Compact: the number of a field, which is one step beyond the largest, or far beyond. */
static void
test_field_numbers (void)
{
  static const gint64 ids[] = { G_MAXINT16, G_MAXINT16 + 1, G_MININT16, G_MININT16 - 1, 65537 };
  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      TallWireOutput output;
      tall_wire_output_init (&output, bytes, TRUE);
      tall_wire_put_raw (&output, tall_slice ("\b", 1)); /* a text; its number follows */
      tall_wire_put_i64 (&output, ids[i]);
      tall_wire_output_settle (&output);
      g_autoptr (TallTransport) transport = transport_new (bytes, TRUE);
      TallWireInput input;
      TallWireField field = { 0 };
      tall_wire_input_init (&input, transport);
      g_assert_true (tall_wire_input_begin_struct (&input, NULL));
      gboolean fits = ids[i] >= G_MININT16 && ids[i] <= G_MAXINT16;
      g_assert_cmpint (tall_wire_input_next_field (&input, &field, NULL), ==, fits);
    }
}

typedef struct
{
  gint32 number;
} Element;

typedef struct
{
  Element *elements; /* n_elements of them */
  guint n_elements;
} List;

static const TallStructField element_type_fields[] = {
  { "number", 1, TALL_KIND_I32, G_STRUCT_OFFSET (Element, number), TALL_STRUCT_ALWAYS, NULL },
};
static TALL_STRUCT_TYPE (element_type, "an element", Element);
static const TallStructField list_type_fields[] = {
  { "elements", 1, TALL_KIND_STRUCTS, G_STRUCT_OFFSET (List, elements),
    G_STRUCT_OFFSET (List, n_elements), &element_type },
};
static TALL_STRUCT_TYPE (list_type, "a list", List);

/* As many structs as the limit says, and one more: refused, and the connection goes on. */
static void
test_structs (gconstpointer data)
{
  Element elements[8] = { { 0 } };
  const List sent = { elements, G_N_ELEMENTS (elements) };
  TallStructLimits limits = {
    .structs = "structs", .bytes = "bytes", .text_bytes = 1, .pair_bytes = 1
  };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  tall_struct_append (&list_type, &sent, COMPACT, bytes);

  for (limits.n_structs = 7; limits.n_structs <= 8; limits.n_structs++)
    {
      g_autoptr (TallTransport) transport = transport_new (bytes, COMPACT);
      g_autoptr (TallArena) arena = tall_arena_new (0);
      g_autoptr (GError) error = NULL;
      List list = { NULL };
      TallStructReader reader;
      tall_struct_reader_init (&reader, transport, arena, &limits);
      gboolean ok = tall_struct_reader_read (&reader, &list_type, &list, &error);
      g_assert_cmpint (ok, ==, limits.n_structs == 8);
      g_assert_cmpint (reader.refused, ==, !ok);
      g_assert_cmpuint (list.n_elements, ==, ok ? 8 : 0);
    }
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

  tall_bytes_append (tall_transport_begin_output (writer), tall_slice (much, len));
  GThread *thread = g_thread_new ("writer", flush, writer);
  g_autoptr (GError) error = NULL;
  g_assert_true (tall_transport_read_frame (reader, &error));
  g_assert_true (GPOINTER_TO_INT (g_thread_join (thread)));
  g_assert_cmpuint (reader->in_size, >=, len);
  tall_transport_skip_message (reader);
  g_assert_cmpuint (reader->in_size, <=, TALL_TRANSPORT_KEPT_BUFFER);
  g_assert_cmpuint (malloc_usable_size (writer->out->data), <=, TALL_TRANSPORT_KEPT_BUFFER);
}

int
main (int argc, char **argv)
{
  static const WireCase cases[] = {
    { "announced", test_announced },
    { "empty-list", test_empty_list },
    { "structs", test_structs },
  };
  g_test_init (&argc, &argv, NULL);
  wire_add_cases ("bounds", cases, G_N_ELEMENTS (cases));
  g_test_add_func ("/wire/bounds/long-numbers", test_long_numbers);
  g_test_add_func ("/wire/bounds/narrow", test_narrow);
  g_test_add_func ("/wire/bounds/field-numbers", test_field_numbers);
  g_test_add_func ("/wire/bounds/kept-buffers", test_kept_buffers);
  return g_test_run ();
}
