/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire-messages.h"
#include "tall-must.h"

#include <malloc.h>
#include <sys/socket.h>
#include <time.h>

/* Far away: a test that gets there has failed. */
#define SOON (g_get_monotonic_time () + 60 * G_TIME_SPAN_SECOND)
/* Near: for tests of what happens when time is up. */
#define NEAR (g_get_monotonic_time () + 50 * G_TIME_SPAN_MILLISECOND)

/* Our end of a connection as a transport, the other end as a socket. */
typedef struct
{
  TallTransport *transport;
  GSocket *other;
} Pair;

static void
pair_init (Pair *pair, const TallWireOptions *options)
{
  int fds[2];
  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), ==, 0);

  g_autoptr (GSocket) socket = must (g_socket_new_from_fd (fds[0], &error));
  pair->other = must (g_socket_new_from_fd (fds[1], &error));
  pair->transport = tall_transport_new (socket, "the test", options);
  tall_transport_set_deadline (pair->transport, SOON);
}

static void
pair_clear (Pair *pair)
{
  g_clear_object (&pair->transport);
  g_clear_object (&pair->other);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pair, pair_clear)

static void
send_bytes (GSocket *socket, TallSlice bytes)
{
  for (gsize sent = 0; sent < bytes.len;)
    {
      gssize n = must (
          g_socket_send (socket, (const char *)bytes.data + sent, bytes.len - sent, NULL, &error));
      sent += (gsize)n;
    }
}

/* The bytes of a reply of @n_rows rows with @n_cells cells each. */
static GByteArray *
encode_reply (guint n_rows, guint n_cells, gboolean framed, gboolean compact)
{
  TallWireOptions options = options_of (TALL_WIRE_SERVER, FALSE, compact);
  g_autoptr (TallTransport) transport =
      tall_transport_new_memory ((TallSlice)TALL_SLICE_INIT, &options);
  g_autoptr (ThriftProtocol) protocol = tall_thrift_protocol_new (transport, compact);
  g_autoptr (HbTResult) row = result_new (n_cells, 10);
  write_scan_reply (protocol, 0, row, n_rows);

  TallSlice output = tall_transport_get_output (transport);
  GByteArray *bytes = g_byte_array_new ();
  if (framed)
    tall_bytes_append_u32 (bytes, (guint32)output.len);
  return g_byte_array_append (bytes, output.data, (guint)output.len);
}

static WireRows *
receive_rows (TallTransport *transport, TallArena *arena, GError **error)
{
  g_auto (TallMessage) message = { NULL };
  if (!tall_message_read (&message, transport, error))
    return NULL;
  return read_struct (transport, &wire_rows, arena, error);
}

typedef struct
{
  GSocket *socket;
  GByteArray *bytes;
  gsize step; /* bytes a call */
} Sending;

static gpointer
send_in_steps (gpointer data)
{
  Sending *sending = data;
  for (gsize at = 0; at < sending->bytes->len; at += sending->step)
    send_bytes (sending->socket, tall_slice (sending->bytes->data + at,
                                             MIN (sending->step, sending->bytes->len - at)));
  return NULL;
}

/* Microseconds of the processor, which others take none of. */
static gint64
used_by_thread (void)
{
  struct timespec used;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &used);
  return used.tv_sec * G_TIME_SPAN_SECOND + used.tv_nsec / 1000;
}

static void
check_reply (guint n_rows, guint n_cells, gsize step, gboolean framed, gboolean compact)
{
  TallWireOptions options = options_of (TALL_WIRE_CLIENT, framed, compact);
  g_auto (Pair) pair = { 0 };
  pair_init (&pair, &options);
  g_autoptr (GByteArray) bytes = encode_reply (n_rows, n_cells, framed, compact);
  Sending sending = { pair.other, bytes, step };
  GThread *thread = g_thread_new ("sender", send_in_steps, &sending);

  g_autoptr (GError) error = NULL;
  gint64 start = used_by_thread ();
  g_autoptr (TallArena) arena = tall_arena_new (0);
  const WireRows *rows = receive_rows (pair.transport, arena, &error);
  gint64 used = used_by_thread () - start;
  g_assert_no_error (error);
  g_thread_join (thread);

  g_assert_cmpuint (rows->n_rows, ==, n_rows);
  g_assert_cmpuint (rows->rows[n_rows - 1].n_cells, ==, n_cells);
  g_assert_true (tall_transport_is_fit (pair.transport));
  g_test_message ("%u rows of %u cells, %s %s: %.1f ms", n_rows, n_cells,
                  framed ? "framed" : "unframed", compact ? "compact" : "binary",
                  (double)used / 1000);

  /* A reader whose cost grows with the square of the size takes 20 s for the large reply. */
  g_assert_cmpint (used, <, 10 * G_TIME_SPAN_SECOND);
}

static void
test_large_reply (void)
{
  for (guint i = 0; i < 4; i++)
    check_reply (5000, 8, 64 * 1024, i & 1, i >> 1);
}

static void
test_slow_sender (void)
{
  for (guint i = 0; i < 4; i++)
    check_reply (3, 3, 1, i & 1, i >> 1);
}

/* Several messages on one connection, the next already there while one is read. */
static void
test_messages_in_a_row (void)
{
  for (guint framed = 0; framed < 2; framed++)
    {
      TallWireOptions options = options_of (TALL_WIRE_CLIENT, framed, FALSE);
      g_auto (Pair) pair = { 0 };
      pair_init (&pair, &options);
      g_autoptr (GByteArray) bytes = encode_reply (2, 2, framed, FALSE);
      for (guint i = 0; i < 100; i++)
        send_bytes (pair.other, tall_slice_array (bytes));

      g_assert_false (tall_transport_is_fit (pair.transport));
      for (guint i = 0; i < 100; i++)
        {
          g_autoptr (TallArena) arena = tall_arena_new (0);
          const WireRows *rows = must (receive_rows (pair.transport, arena, &error));
          g_assert_cmpuint (rows->n_rows, ==, 2);
        }
      g_assert_true (tall_transport_is_fit (pair.transport));
    }
}

static void
test_half_a_message (void)
{
  for (guint i = 0; i < 4; i++)
    {
      gboolean framed = i & 1;
      gboolean closed = i >> 1;
      TallWireOptions options = options_of (TALL_WIRE_CLIENT, framed, FALSE);
      g_auto (Pair) pair = { 0 };
      pair_init (&pair, &options);
      g_autoptr (GByteArray) bytes = encode_reply (2, 2, framed, FALSE);
      send_bytes (pair.other, tall_slice (bytes->data, bytes->len / 2));
      if (closed)
        g_socket_close (pair.other, NULL);

      g_autoptr (GError) error = NULL;
      tall_transport_set_deadline (pair.transport, closed ? SOON : NEAR);
      g_autoptr (TallArena) arena = tall_arena_new (0);
      g_assert_null (receive_rows (pair.transport, arena, &error));
      int code = closed ? TALL_ERROR_UNAVAILABLE : TALL_ERROR_TIMED_OUT;
      g_assert_error (error, TALL_ERROR, code);
      g_assert_true (g_str_has_prefix (error->message, "the test"));
      g_assert_true (tall_transport_is_broken (pair.transport));
      g_assert_false (tall_transport_is_fit (pair.transport));
    }
}

static void
assert_frame_refused (TallSlice bytes, gsize max_message, TallError code)
{
  TallWireOptions options = options_of (TALL_WIRE_SERVER, TRUE, FALSE);
  options.max_message = max_message;
  g_auto (Pair) pair = { 0 };
  pair_init (&pair, &options);
  send_bytes (pair.other, bytes);

  must_fail (tall_transport_read_frame (pair.transport, &error), code);
}

static void
test_refused_frames (void)
{
  assert_frame_refused (tall_slice ("\x00\x00\x04\x01", 4), 1024, TALL_ERROR_TOO_LARGE);
  assert_frame_refused (tall_slice ("\x00\x00\x00\x00", 4), 1024, TALL_ERROR_INVALID);
  assert_frame_refused (tall_slice ("\x80\x01\x00\x01", 4), 1024, TALL_ERROR_INVALID);
  assert_frame_refused (tall_slice_str ("GET / HTTP/1.1\r\n\r\n"), 16 * 1024 * 1024,
                        TALL_ERROR_TOO_LARGE);
}

/* Code that knows only Thrift's transports can use ours. */
static void
test_as_thrift (void)
{
  TallWireOptions options = options_of (TALL_WIRE_CLIENT, TRUE, FALSE);
  g_auto (Pair) pair = { 0 };
  pair_init (&pair, &options);
  ThriftTransport *thrift = THRIFT_TRANSPORT (pair.transport);
  g_autoptr (GError) error = NULL;
  g_assert_true (thrift_transport_is_open (thrift));
  must (thrift_transport_open (thrift, &error));
  must (thrift_transport_write (thrift, (gpointer) "abc", 3, &error));
  must (thrift_transport_write_end (thrift, &error));
  must (thrift_transport_flush (thrift, &error));
  char sent[8];
  g_assert_cmpint (g_socket_receive (pair.other, sent, sizeof sent, NULL, &error), ==, 7);
  g_assert_true (tall_transport_has_delivered (pair.transport));
  must (thrift_transport_write (thrift, sent, 4, &error));
  g_assert_false (tall_transport_has_delivered (pair.transport));
  tall_transport_drop_output (pair.transport);

  send_bytes (pair.other, tall_slice ("\x00\x00\x00\x03xyz", 7));
  char got[4];
  must (tall_transport_begin_message (pair.transport, &error));
  g_assert_cmpint (thrift_transport_read (thrift, got, 1, &error), ==, 1);
  g_assert_cmpint (thrift_transport_read_all (thrift, got + 1, 2, &error), ==, 2);
  g_assert_cmpmem (got, 3, "xyz", 3);
  must (thrift_transport_read_end (thrift, &error));
  g_assert_cmpint (thrift_transport_read_all (thrift, got, 1, &error), <, 0);
  g_assert_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE);

  g_assert_true (thrift_transport_close (thrift, NULL));
  g_assert_false (thrift_transport_is_open (thrift));
  g_assert_false (thrift_transport_open (thrift, NULL));
}

/* A frame that is announced and does not come costs no memory. */
static void
test_announced_length (void)
{
  TallWireOptions options = options_of (TALL_WIRE_SERVER, TRUE, FALSE);
  options.max_message = 512 * 1024 * 1024;
  g_auto (Pair) pair = { 0 };
  pair_init (&pair, &options);
  send_bytes (pair.other, tall_slice ("\x1f\xff\xff\xff\x80\x01\x00\x01", 8));
  tall_transport_set_deadline (pair.transport, NEAR);

  struct mallinfo2 before = mallinfo2 ();
  must_fail (tall_transport_read_frame (pair.transport, &error), TALL_ERROR_TIMED_OUT);
  struct mallinfo2 after = mallinfo2 ();
  g_assert_cmpuint (after.uordblks + after.hblkhd, <, before.uordblks + before.hblkhd + 1000000);
}

/* Unframed, a value that is announced and does not come costs no memory either. */
static void
test_announced_value (void)
{
  TallWireOptions options = options_of (TALL_WIRE_CLIENT, FALSE, FALSE);
  options.max_message = G_MAXINT32;
  g_auto (Pair) pair = { 0 };
  pair_init (&pair, &options);
  static const guint8 start[] = { 0x80, 1, 0, 2, 0x7f, 0, 0, 0, 'g', 'e', 't' };
  send_bytes (pair.other, tall_slice (start, sizeof start));
  tall_transport_set_deadline (pair.transport, NEAR);

  struct mallinfo2 before = mallinfo2 ();
  g_autoptr (TallArena) arena = tall_arena_new (0);
  must_fail (receive_rows (pair.transport, arena, &error), TALL_ERROR_TIMED_OUT);
  struct mallinfo2 after = mallinfo2 ();
  g_assert_cmpuint (after.uordblks + after.hblkhd, <, before.uordblks + before.hblkhd + 1000000);
}

static void
test_unframed_limit (void)
{
  TallWireOptions options = options_of (TALL_WIRE_CLIENT, FALSE, FALSE);
  options.max_message = 1000;
  g_auto (Pair) pair = { 0 };
  pair_init (&pair, &options);
  g_autoptr (GByteArray) bytes = encode_reply (10, 10, FALSE, FALSE);
  send_bytes (pair.other, tall_slice_array (bytes));

  g_autoptr (TallArena) arena = tall_arena_new (0);
  must_fail (receive_rows (pair.transport, arena, &error), TALL_ERROR_TOO_LARGE);
}

/* The server's way: wait, read a frame, see which protocol it is in, answer. */
static void
test_server_side (void)
{
  TallWireOptions options = options_of (TALL_WIRE_SERVER, TRUE, FALSE);
  g_auto (Pair) pair = { 0 };
  pair_init (&pair, &options);
  send_bytes (pair.other,
              tall_slice ("\x00\x00\x00\x04\x82\x21\x00\x00\x00\x00\x00\x02\x80\x01", 14));

  TallRecognized expected[] = { TALL_RECOGNIZED_COMPACT, TALL_RECOGNIZED_BINARY };
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      must (tall_transport_wait_for_input (pair.transport, SOON, &error));
      g_assert_cmpint (tall_transport_has_input (pair.transport), ==, i > 0); /* not yet received */
      g_assert_true (tall_transport_receive_input (pair.transport, NULL));
      must (tall_transport_read_frame (pair.transport, &error));
      g_assert_cmpint (tall_transport_recognize (pair.transport), ==, expected[i]);
      tall_transport_skip_message (pair.transport);
    }

  /* The frames above were not whole messages, so answering needs a fresh connection. */
  g_auto (Pair) fresh = { 0 };
  pair_init (&fresh, &options);
  char reply[8];
  must (thrift_transport_write (THRIFT_TRANSPORT (fresh.transport), (gpointer) "abc", 3, &error));
  must (tall_transport_flush (fresh.transport, &error));
  gssize n = must (g_socket_receive (fresh.other, reply, sizeof reply, NULL, &error));
  g_assert_cmpmem (reply, (gsize)n,
                   "\x00\x00\x00\x03"
                   "abc",
                   7);
}

static void
test_idle (void)
{
  TallWireOptions options = options_of (TALL_WIRE_SERVER, TRUE, FALSE);
  g_auto (Pair) quiet = { 0 };
  pair_init (&quiet, &options);
  g_auto (Pair) closed = { 0 };
  pair_init (&closed, &options);

  must_fail (tall_transport_wait_for_input (quiet.transport, NEAR, &error), TALL_ERROR_TIMED_OUT);

  g_socket_close (closed.other, NULL);
  must (tall_transport_wait_for_input (closed.transport, SOON, &error));
  g_assert_false (tall_transport_receive_input (closed.transport, NULL));
  g_assert_true (tall_transport_is_broken (closed.transport));
}

/* Nobody reads: sending ends at the deadline. Then the other side goes: sending says so. */
static void
test_sending_fails (void)
{
  TallWireOptions options = options_of (TALL_WIRE_CLIENT, TRUE, FALSE);
  g_autofree guint8 *much = g_malloc0 (16 * 1024 * 1024);

  for (guint closed = 0; closed < 2; closed++)
    {
      g_auto (Pair) pair = { 0 };
      pair_init (&pair, &options);
      g_autoptr (GError) error = NULL;
      if (closed)
        g_socket_close (pair.other, NULL);

      tall_transport_set_deadline (pair.transport, NEAR);
      must (thrift_transport_write (THRIFT_TRANSPORT (pair.transport), much, 16 * 1024 * 1024,
                                    &error));
      g_assert_false (tall_transport_flush (pair.transport, &error));
      int code = closed ? TALL_ERROR_UNAVAILABLE : TALL_ERROR_TIMED_OUT;
      g_assert_error (error, TALL_ERROR, code);
      g_assert_false (tall_transport_has_delivered (pair.transport));
      g_assert_true (tall_transport_is_broken (pair.transport));
    }
}

/* What a client without frames sends stands where the length of a frame should be. */
static void
test_unframed_client (void)
{
  static const struct
  {
    guint8 start[4];
    TallError code;
    const char *message;
  } cases[] = {
    { { 0x80, 1, 0, T_CALL }, TALL_ERROR_INVALID, "an unframed client" },
    { { 0x80, 1, 0, T_ONEWAY }, TALL_ERROR_INVALID, "an unframed client" },
    { { 0x82, 0x21, 0, 4 }, TALL_ERROR_INVALID, "an unframed client" },
    { { 0x82, 0x81, 0x90, 1 }, TALL_ERROR_INVALID, "an unframed client" },
    { { 0x80, 1, 0, T_REPLY }, TALL_ERROR_INVALID, "not a Thrift frame" },
    { { 0x80, 2, 0, T_CALL }, TALL_ERROR_INVALID, "not a Thrift frame" },
    { { 0x82, 0x22, 0, 4 }, TALL_ERROR_INVALID, "not a Thrift frame" },
    { { 0x82, 0x41, 0, 4 }, TALL_ERROR_INVALID, "not a Thrift frame" },
    { { 0xff, 0xff, 0xff, 0xff }, TALL_ERROR_INVALID, "not a Thrift frame" },
    { { 'G', 'E', 'T', ' ' }, TALL_ERROR_TOO_LARGE, "a frame of" },
  };
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  options.side = TALL_WIRE_SERVER;
  options.framed = TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      gsize len;
      g_auto (Pair) pair = { 0 };
      pair_init (&pair, &options);
      send_bytes (pair.other, tall_slice (cases[i].start, sizeof cases[i].start));
      g_assert_false (tall_transport_peek_frame (pair.transport, &len, &error));
      g_test_message ("%s", error->message);
      g_assert_error (error, TALL_ERROR, (int)cases[i].code);
      g_assert_nonnull (strstr (error->message, cases[i].message));
      g_assert_true (tall_transport_is_broken (pair.transport));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/wire/transport/large-reply", test_large_reply);
  g_test_add_func ("/wire/transport/slow-sender", test_slow_sender);
  g_test_add_func ("/wire/transport/messages-in-a-row", test_messages_in_a_row);
  g_test_add_func ("/wire/transport/half-a-message", test_half_a_message);
  g_test_add_func ("/wire/transport/refused-frames", test_refused_frames);
  g_test_add_func ("/wire/transport/as-thrift", test_as_thrift);
  g_test_add_func ("/wire/transport/announced-length", test_announced_length);
  g_test_add_func ("/wire/transport/announced-value", test_announced_value);
  g_test_add_func ("/wire/transport/unframed-limit", test_unframed_limit);
  g_test_add_func ("/wire/transport/server-side", test_server_side);
  g_test_add_func ("/wire/transport/idle", test_idle);
  g_test_add_func ("/wire/transport/sending-fails", test_sending_fails);
  g_test_add_func ("/wire/transport/unframed-client", test_unframed_client);
  return g_test_run ();
}
