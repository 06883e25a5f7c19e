/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* What a server does with bytes that no client of ours would send: the connection that they came
 * on is closed; the next client does not notice. */

#include "service/calls/idl.h"
#include "wire/connection.h"
#include "wire/struct.h"
#include "tall-test-service.h"
#include "tall-test-wire.h"
#include "tall-must.h"

typedef TallTestService Fixture;

/* The server must close without an answer. */
static void
assert_closed_after (Fixture *f, TallSlice bytes)
{
  g_autoptr (GSocketConnection) connection = tall_test_connect (f->address);
  tall_test_send (connection, bytes);
  g_autoptr (GByteArray) frame = tall_test_receive_frame (connection);
  g_assert_null (frame);
}

static void
assert_closed_after_frame (Fixture *f, TallSlice content)
{
  g_autoptr (GByteArray) frame = g_byte_array_new ();
  tall_bytes_append_u32 (frame, (guint32)content.len);
  tall_bytes_append (frame, content);
  assert_closed_after (f, tall_slice_array (frame));
}

static void
test_not_frames (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  static const struct
  {
    const char *bytes;
    gsize len;
  } cases[] = {
#define BYTES(text) { text, sizeof text - 1 }
    BYTES ("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    BYTES ("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"), /* TLS */
    BYTES ("SSH-2.0-OpenSSH_9.2\r\n"),
    BYTES ("\0\0\0\0"),
    BYTES ("\0\0\0\1\x80"),
    BYTES ("\0\0\0\4ping"),
    BYTES ("\x80\x01\0\1\0\0\0\4ping\0\0\0\0\0"), /* without a frame */
    BYTES ("\xff\xff\xff\xff"),
    BYTES ("\x7f\xff\xff\xff"),
    BYTES ("\0\x40\0\1"),                                 /* one byte over the limit */
    BYTES ("\0\0\0\x0d\0\0\0\4ping\1\0\0\0\0\0"),         /* binary of old, without a version */
    BYTES ("\0\0\0\x10\x80\x02\0\1\0\0\0\4ping\0\0\0\0"), /* a version that is none */
    BYTES ("\0\0\0\2\x82\x21"),
    BYTES ("\0\0\0\x0c\x80\x01\0\1\x7f\xff\xff\xffping"), /* a name of 2 GiB */
    BYTES ("\0\0\0\x0c\x80\x01\0\1\xff\xff\xff\xffping"),
    BYTES ("\0\0\0\x07\x82\x21\0\xff\xff\xff\x7f"),
#undef BYTES
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("case %u", i);
      assert_closed_after (f, tall_slice (cases[i].bytes, cases[i].len));
    }
}

/* Random bytes, half of them with a header that makes them look like a message. */
static void
test_random_bytes (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (99);

  for (guint i = 0; i < 200; i++)
    {
      g_auto (TallTestMessage) message;
      g_autoptr (GByteArray) content = g_byte_array_new ();
      tall_test_message_init (&message, i & 2, "putOrder", T_CALL);
      if (i & 1)
        tall_bytes_append (content, tall_test_message_get (&message));
      guint n = (guint)g_rand_int_range (rand, 1, 200);
      for (guint k = 0; k < n; k++)
        tall_bytes_append_u8 (content, (guint8)g_rand_int (rand));

      g_autoptr (GSocketConnection) connection = tall_test_connect (f->address);
      tall_test_send_frame (connection, tall_slice_array (content));
      tall_test_end_sending (connection);
      g_autoptr (GByteArray) answer = tall_test_receive_frame (connection);
      if (!(i & 1))
        g_assert_null (answer);
    }
}

/* An announced length or count that the frame does not have. */
static void
test_announced (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  static const struct
  {
    ThriftType type;
    gint16 id; /* of a field of that type in an order; 99: of one that nobody knows */
  } cases[] = { { T_STRING, 1 }, { T_LIST, 5 }, { T_MAP, 6 }, { T_STRING, 99 },
                { T_LIST, 99 },  { T_MAP, 99 }, { T_SET, 99 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (TallTestMessage) message;
      g_autoptr (GByteArray) content = g_byte_array_new ();
      tall_test_message_init (&message, f->compact, "putOrder", T_CALL);
      tall_test_message_begin_struct (&message, 1);
      tall_test_message_begin_field (&message, cases[i].type, cases[i].id);
      tall_bytes_append (content, tall_test_message_get (&message));
      if (f->compact)
        tall_bytes_append (content, tall_slice ("\xfc\xff\xff\xff\xff\x07\x88", 7));
      else if (cases[i].type == T_STRING)
        tall_bytes_append_u32 (content, G_MAXINT32);
      else
        tall_bytes_append (content, tall_slice ("\x0b\x7f\xff\xff\xff\xff", 6));
      assert_closed_after_frame (f, tall_slice_array (content));
    }
}

/* Unknown structs or lists within each other, as deep as a frame allows. */
static void
test_nesting_bomb (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  static const char *const levels[2][2] = { { "\x0c\x03\xe7", "\x0f\x03\xe7" },
                                            { "\x0c", "\x19" } };
  static const gsize lens[2][2] = { { 3, 3 }, { 1, 1 } };

  for (guint kind = 0; kind < 2; kind++)
    {
      g_auto (TallTestMessage) message;
      g_autoptr (GByteArray) content = g_byte_array_new ();
      tall_test_message_init (&message, f->compact, "putOrder", T_CALL);
      tall_test_message_begin_field (&message, kind == 0 ? T_STRUCT : T_LIST, 999);
      tall_bytes_append (content, tall_test_message_get (&message));
      while (content->len < 3 * 1024 * 1024)
        {
          if (kind == 0 && f->compact)
            tall_bytes_append (content, tall_slice ("\x1c", 1));
          else if (kind == 1 && !f->compact)
            tall_bytes_append (content, tall_slice ("\x0f\0\0\0\1", 5));
          else
            tall_bytes_append (content,
                               tall_slice (levels[f->compact][kind], lens[f->compact][kind]));
        }
      assert_closed_after_frame (f, tall_slice_array (content));
    }
}

static void
test_half_a_request (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_auto (TallTestMessage) message;
  tall_test_message_init (&message, f->compact, "getOrder", T_CALL);
  tall_test_message_add_text (&message, 1, "VINET");
  tall_test_message_add_text (&message, 2, "10248");
  tall_test_message_end_struct (&message);
  TallSlice content = tall_test_message_get (&message);

  for (gsize len = 0; len < content.len; len++)
    {
      /* The frame ends too early; */
      assert_closed_after_frame (f, tall_slice (content.data, MAX (len, 1)));

      /* or the connection does. */
      g_autoptr (GSocketConnection) connection = tall_test_connect (f->address);
      g_autoptr (GByteArray) frame = g_byte_array_new ();
      tall_bytes_append_u32 (frame, (guint32)content.len);
      tall_bytes_append (frame, content);
      tall_test_send (connection, tall_slice (frame->data, len));
      tall_test_end_sending (connection);
      g_autoptr (GByteArray) answer = tall_test_receive_frame (connection);
      g_assert_null (answer);
    }
}

/* More than one message in a frame: the first must have no effect. */
static void
test_bytes_too_many (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_auto (TallTestMessage) message;
  g_autoptr (GByteArray) content = g_byte_array_new ();
  tall_test_message_init (&message, f->compact, "putOrder", T_CALL);
  tall_test_message_begin_struct (&message, 1);
  tall_test_message_add_text (&message, 1, "VINET");
  tall_test_message_add_text (&message, 2, "10248");
  tall_test_message_end_struct (&message);
  tall_test_message_end_struct (&message);
  tall_bytes_append (content, tall_test_message_get (&message));
  tall_bytes_append_u8 (content, 0);

  assert_closed_after_frame (f, tall_slice_array (content));
  g_assert_cmpuint (tall_test_front_count_stored (TALL_TEST_FRONT (f->front)), ==, 0);
}

static void
test_not_calls (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  static const ThriftMessageType types[] = { T_REPLY, T_EXCEPTION, T_ONEWAY };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_auto (TallTestMessage) message;
      tall_test_message_init (&message, f->compact, "ping", types[i]);
      tall_test_message_end_struct (&message);
      assert_closed_after_frame (f, tall_test_message_get (&message));
    }
}

static void
test_one_byte_at_a_time (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_auto (TallTestMessage) message;
  g_autoptr (GByteArray) frame = g_byte_array_new ();
  g_autoptr (GSocketConnection) connection = tall_test_connect (f->address);
  tall_test_message_init (&message, f->compact, "ping", T_CALL);
  tall_test_message_end_struct (&message);
  tall_bytes_append_u32 (frame, (guint32)tall_test_message_get (&message).len);
  tall_bytes_append (frame, tall_test_message_get (&message));

  for (guint i = 0; i < frame->len; i++)
    tall_test_send (connection, tall_slice (frame->data + i, 1));
  g_autoptr (GByteArray) answer = tall_test_receive_frame (connection);
  g_assert_nonnull (answer);
  g_autoptr (TallTransport) reply =
      tall_test_read_message (tall_slice_array (answer), f->compact, "ping", T_REPLY);
}

/* Calls that are sent without waiting are answered in their order, each in its own protocol. */
static void
test_pipelined (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GSocketConnection) connection = tall_test_connect (f->address);
  g_autoptr (GByteArray) all = g_byte_array_new ();

  for (guint i = 0; i < 20; i++)
    {
      g_auto (TallTestMessage) message;
      tall_test_message_init (&message, i % 3 == 0, i % 2 ? "ping" : "describe", T_CALL);
      tall_test_message_end_struct (&message);
      tall_bytes_append_u32 (all, (guint32)tall_test_message_get (&message).len);
      tall_bytes_append (all, tall_test_message_get (&message));
    }
  tall_test_send (connection, tall_slice_array (all));
  for (guint i = 0; i < 20; i++)
    {
      g_autoptr (GByteArray) answer = tall_test_receive_frame (connection);
      g_assert_nonnull (answer);
      g_autoptr (TallTransport) reply =
          tall_test_read_message (tall_slice_array (answer), i % 3 == 0,
                                  i % 2 ? "ping" : "describe", T_REPLY);
    }
  (void)f;
}

static void
test_unknown_call (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GSocketConnection) connection = tall_test_connect (f->address);
  g_auto (TallTestMessage) message;
  tall_test_message_init (&message, f->compact, "dropEverything", T_CALL);
  tall_test_message_add_text (&message, 1, "now");
  tall_test_message_end_struct (&message);

  g_autoptr (TallTransport) reply =
      tall_test_exchange (connection, &message, f->compact, "dropEverything", T_EXCEPTION);
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallStructReader reader;
  TallMessageException exception = { 0 };
  tall_struct_reader_init (&reader, reply, arena, &tall_idl_limits);
  must (tall_struct_reader_read (&reader, &tall_message_exception_type, &exception, &error));
  g_assert_cmpint (exception.type, ==, TALL_MESSAGE_UNKNOWN_METHOD);
  g_assert_nonnull (strstr (exception.message, "dropEverything"));
  tall_test_assert_ping_works (connection, f->compact);
}

/* An answer repeats the name of its call, so a long one ends the connection. */
static void
test_long_name (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  for (guint len = 256; len <= 257; len++)
    {
      g_autoptr (GSocketConnection) connection = tall_test_connect (f->address);
      g_autofree char *name = g_strnfill (len, 'x');
      g_auto (TallTestMessage) message;
      tall_test_message_init (&message, f->compact, name, T_CALL);
      tall_test_message_end_struct (&message);
      tall_test_send_frame (connection, tall_test_message_get (&message));
      g_autoptr (GByteArray) answer = tall_test_receive_frame (connection);
      g_assert_true ((answer != NULL) == (len == 256));
    }
}

/* Fields that a newer client may send are skipped. */
static void
test_unknown_field (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GSocketConnection) connection = tall_test_connect (f->address);
  g_auto (TallTestMessage) message;
  tall_test_message_init (&message, f->compact, "putOrder", T_CALL);
  tall_test_message_begin_struct (&message, 1);
  tall_test_message_add_text (&message, 1, "VINET");
  tall_test_message_add_text (&message, 2, "10248");
  tall_test_message_begin_struct (&message, 20);
  tall_test_message_add_text (&message, 1, "of tomorrow");
  tall_test_message_end_struct (&message);
  tall_test_message_add_i32 (&message, 1000, 1);
  tall_test_message_end_struct (&message);
  tall_test_message_end_struct (&message);

  g_autoptr (TallTransport) reply =
      tall_test_exchange (connection, &message, f->compact, "putOrder", T_REPLY);
  g_assert_cmpuint (tall_test_front_count_stored (TALL_TEST_FRONT (f->front)), ==, 1);
}

#define ADD(name, function)                                                                        \
  g_test_add ("/service/hostile/binary/" name, Fixture, GINT_TO_POINTER (FALSE),                   \
              tall_test_service_set_up, function, tall_test_service_tear_down);                    \
  g_test_add ("/service/hostile/compact/" name, Fixture, GINT_TO_POINTER (TRUE),                   \
              tall_test_service_set_up, function, tall_test_service_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("not-frames", test_not_frames);
  ADD ("random-bytes", test_random_bytes);
  ADD ("announced", test_announced);
  ADD ("nesting-bomb", test_nesting_bomb);
  ADD ("half-a-request", test_half_a_request);
  ADD ("bytes-too-many", test_bytes_too_many);
  ADD ("not-calls", test_not_calls);
  ADD ("one-byte-at-a-time", test_one_byte_at_a_time);
  ADD ("pipelined", test_pipelined);
  ADD ("unknown-call", test_unknown_call);
  ADD ("long-name", test_long_name);
  ADD ("unknown-field", test_unknown_field);
  return g_test_run ();
}
