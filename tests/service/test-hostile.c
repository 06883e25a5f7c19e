/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* What a server does with bytes that no client of ours would send: the connection that they came
 * on is closed, or the value is refused with its place; the next client does not notice. */

#include <thrift/c_glib/thrift_application_exception.h>

#include "tall-client.h"
#include "tall-error.h"
#include "tall-idl-failure.h"
#include "tall-limits.h"
#include "tall-server.h"
#include "tall-struct-reader.h"
#include "tall-test-front.h"
#include "tall-test-orders.h"
#include "tall-test-wire.h"

#define MAX_REQUEST (4 * 1024 * 1024)

typedef struct
{
  TallFront *front;
  TallServer *server;
  TallFront *client;
  const char *address;
  gboolean compact;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  TallServerOptions options = { .max_request = MAX_REQUEST };
  f->front = tall_test_front_new ();
  f->server = tall_server_new (f->front, "127.0.0.1:0", &options, &error);
  g_assert_no_error (error);
  f->address = tall_server_get_address (f->server);
  f->client = tall_client_new (f->address, &error);
  g_assert_no_error (error);
  f->compact = GPOINTER_TO_INT (data);
}

/* Every test ends with a client that finds the server as it should be. */
static void
tear_down (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", "10248", 3);
  gboolean ok = tall_front_put_order (f->client, order, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (ok);
  g_autoptr (TallOrder) got = tall_front_get_order (f->client, "VINET", "10248", NULL, &error);
  g_assert_no_error (error);
  tall_test_assert_order_equal (order, got);

  g_object_unref (f->client);
  g_assert_true (tall_server_stop (f->server));
  g_object_unref (f->server);
  g_object_unref (f->front);
}

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

/* Sends a message and reads its reply, which goes on from there. */
static ThriftProtocol *
exchange (Fixture *f,
          GSocketConnection *connection,
          TallTestMessage *message,
          const char *name,
          ThriftMessageType type)
{
  tall_test_send_frame (connection, tall_test_message_get (message));
  g_autoptr (GByteArray) answer = tall_test_receive_frame (connection);
  g_assert_nonnull (answer);
  return tall_test_read_message (tall_slice_array (answer), f->compact, name, type);
}

static void
assert_ping_works (Fixture *f, GSocketConnection *connection)
{
  g_auto (TallTestMessage) message;
  tall_test_message_init (&message, f->compact, "ping", T_CALL);
  tall_test_message_end_struct (&message);
  g_autoptr (ThriftProtocol) reply = exchange (f, connection, &message, "ping", T_REPLY);
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
  g_autoptr (ThriftProtocol) reply =
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
      g_autoptr (ThriftProtocol) reply =
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

  g_autoptr (ThriftProtocol) reply =
      exchange (f, connection, &message, "dropEverything", T_EXCEPTION);
  g_autoptr (ThriftApplicationException) exception =
      g_object_new (THRIFT_TYPE_APPLICATION_EXCEPTION, NULL);
  g_autoptr (GError) error = NULL;
  gint32 n = thrift_struct_read (THRIFT_STRUCT (exception), reply, &error);
  g_assert_no_error (error);
  g_assert_cmpint (n, >, 0);
  g_assert_cmpint (exception->type, ==, THRIFT_APPLICATION_EXCEPTION_ERROR_UNKNOWN_METHOD);
  g_assert_nonnull (strstr (exception->message, "dropEverything"));
  assert_ping_works (f, connection);
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

  g_autoptr (ThriftProtocol) reply = exchange (f, connection, &message, "putOrder", T_REPLY);
  g_assert_cmpuint (tall_test_front_count_stored (TALL_TEST_FRONT (f->front)), ==, 1);
}

/* What a put must be answered with; the connection goes on. */
static void
assert_refused (
    Fixture *f, TallTestMessage *message, const char *name, TallError code, const char *field)
{
  g_autoptr (GSocketConnection) connection = tall_test_connect (f->address);
  g_autoptr (ThriftProtocol) reply = exchange (f, connection, message, name, T_REPLY);
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallStructReader reader;
  TallIdlResult result = { 0 };
  g_autoptr (GError) error = NULL;
  tall_struct_reader_init (&reader, reply, arena);
  gboolean ok =
      tall_struct_reader_read (&reader, tall_idl_call_find (name)->result, &result, &error);
  g_assert_no_error (error);
  g_assert_true (ok);

  g_assert_nonnull (result.failure);
  g_autoptr (GError) failure = tall_idl_failure_to_error (result.failure);
  g_assert_error (failure, TALL_ERROR, (int)code);
  g_assert_cmpstr (tall_error_get_field (failure), ==, field);
  g_assert_cmpuint (tall_test_front_count_stored (TALL_TEST_FRONT (f->front)), ==, 0);
  assert_ping_works (f, connection);
}

static void
begin_list (TallTestMessage *message, gint16 id, ThriftType type, guint n)
{
  g_autoptr (GError) error = NULL;
  tall_test_message_begin_field (message, T_LIST, id);
  gint32 written = thrift_protocol_write_list_begin (message->protocol, type, n, &error);
  g_assert_no_error (error);
  g_assert_cmpint (written, >, 0);
}

/* An order up to and not including its end. */
static void
begin_order (TallTestMessage *message)
{
  tall_test_message_begin_struct (message, 1);
  tall_test_message_add_text (message, 1, "VINET");
  tall_test_message_add_text (message, 2, "10248");
}

static void
add_nul_in_number (TallTestMessage *message)
{
  tall_test_message_begin_struct (message, 1);
  tall_test_message_add_bytes (message, 1, tall_slice ("a\0b", 3));
  tall_test_message_add_text (message, 2, "10248");
  tall_test_message_end_struct (message);
}

static void
add_nul_in_location (TallTestMessage *message)
{
  begin_order (message);
  begin_list (message, 5, T_STRUCT, 2);
  tall_test_message_begin_element (message);
  tall_test_message_add_i32 (message, 1, 1);
  tall_test_message_end_struct (message);
  tall_test_message_begin_element (message);
  tall_test_message_add_bytes (message, 2, tall_slice ("\0", 1));
  tall_test_message_end_struct (message);
  tall_test_message_end_struct (message);
}

static void
add_not_utf8 (TallTestMessage *message)
{
  begin_order (message);
  tall_test_message_add_text (message, 4, "\xc3(");
  tall_test_message_end_struct (message);
}

static void
add_wrong_type (TallTestMessage *message)
{
  begin_order (message);
  tall_test_message_add_text (message, 3, "1996-07-04");
  tall_test_message_end_struct (message);
}

static void
add_list_of_texts (TallTestMessage *message)
{
  begin_order (message);
  begin_list (message, 5, T_STRING, 1);
  tall_test_message_add_text (message, 1, "no structs");
  tall_test_message_end_struct (message);
}

static void
add_line_with_price (TallTestMessage *message, gint16 decimal_field, gint32 value)
{
  begin_order (message);
  begin_list (message, 5, T_STRUCT, 1);
  tall_test_message_begin_element (message);
  tall_test_message_add_i32 (message, 1, 1);
  begin_list (message, 5, T_STRUCT, 1);
  tall_test_message_begin_element (message);
  tall_test_message_begin_struct (message, 5);
  g_autoptr (GError) error = NULL;
  tall_test_message_begin_field (message, T_I64, 1);
  g_assert_cmpint (thrift_protocol_write_i64 (message->protocol, 5, &error), >, 0);
  tall_test_message_add_i32 (message, decimal_field, value);
  for (guint i = 0; i < 4; i++)
    tall_test_message_end_struct (message);
}

static void
add_decimal_without_scale (TallTestMessage *message)
{
  add_line_with_price (message, 3, 2);
}

static void
add_scale_too_large (TallTestMessage *message)
{
  add_line_with_price (message, 2, 19);
}

static void
add_negative_scale (TallTestMessage *message)
{
  add_line_with_price (message, 2, -1);
}

static void
add_too_many_locations (TallTestMessage *message)
{
  begin_order (message);
  begin_list (message, 5, T_STRUCT, 10001);
  for (guint i = 0; i < 10001; i++)
    {
      tall_test_message_begin_element (message);
      tall_test_message_end_struct (message);
    }
  tall_test_message_end_struct (message);
}

static void
add_too_many_attributes (TallTestMessage *message)
{
  g_autoptr (GError) error = NULL;
  guint n = 200000;

  begin_order (message);
  tall_test_message_begin_field (message, T_MAP, 6);
  gint32 written =
      thrift_protocol_write_map_begin (message->protocol, T_STRING, T_STRING, n, &error);
  g_assert_no_error (error);
  g_assert_cmpint (written, >, 0);
  for (guint i = 0; i < 2 * n; i++)
    g_assert_cmpint (thrift_protocol_write_string (message->protocol, "", &error), >, 0);
  tall_test_message_end_struct (message);
}

static void
add_too_long_text (TallTestMessage *message)
{
  g_autofree char *text = g_strnfill (TALL_MAX_CANONICAL_BYTES, 'x');

  begin_order (message);
  tall_test_message_add_text (message, 4, text);
  tall_test_message_end_struct (message);
}

static void
add_nothing (TallTestMessage *message G_GNUC_UNUSED)
{
}

static void
add_options (TallTestMessage *message, gint16 id, gint32 value)
{
  begin_order (message);
  tall_test_message_end_struct (message);
  tall_test_message_begin_struct (message, 2);
  tall_test_message_add_i32 (message, id, value);
  tall_test_message_end_struct (message);
}

static void
add_condition_of_tomorrow (TallTestMessage *message)
{
  add_options (message, 1, 3);
}

static void
add_negative_condition (TallTestMessage *message)
{
  add_options (message, 1, -1);
}

static void
add_condition_without_revision (TallTestMessage *message)
{
  add_options (message, 1, 2);
}

static void
add_no_time (TallTestMessage *message)
{
  add_options (message, 4, 0);
}

static void
add_short_token (TallTestMessage *message)
{
  begin_order (message);
  tall_test_message_end_struct (message);
  tall_test_message_begin_struct (message, 2);
  tall_test_message_add_text (message, 3, "fifteen bytes..");
  tall_test_message_end_struct (message);
}

static void
test_refused_puts (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  static const struct
  {
    const char *name;
    void (*add) (TallTestMessage *message);
    TallError code;
    const char *field;
  } cases[] = {
    { "NUL in number", add_nul_in_number, TALL_ERROR_INVALID, "customer_number" },
    { "NUL in location", add_nul_in_location, TALL_ERROR_INVALID, "shipping_locations[1].name" },
    { "not UTF-8", add_not_utf8, TALL_ERROR_INVALID, "currency" },
    { "wrong type", add_wrong_type, TALL_ERROR_INVALID, "sales_date" },
    { "wrong elements", add_list_of_texts, TALL_ERROR_INVALID, "shipping_locations" },
    { "no scale", add_decimal_without_scale, TALL_ERROR_INVALID,
      "shipping_locations[0].line_items[0].price" },
    { "scale 19", add_scale_too_large, TALL_ERROR_INVALID,
      "shipping_locations[0].line_items[0].price" },
    { "scale -1", add_negative_scale, TALL_ERROR_INVALID,
      "shipping_locations[0].line_items[0].price" },
    { "locations", add_too_many_locations, TALL_ERROR_TOO_LARGE, NULL },
    { "attributes", add_too_many_attributes, TALL_ERROR_TOO_LARGE, NULL },
    { "long text", add_too_long_text, TALL_ERROR_TOO_LARGE, NULL },
    { "no order", add_nothing, TALL_ERROR_INVALID, "customer_number" },
    { "condition 3", add_condition_of_tomorrow, TALL_ERROR_INVALID, "options.condition" },
    { "condition -1", add_negative_condition, TALL_ERROR_INVALID, "options.condition" },
    { "no revision", add_condition_without_revision, TALL_ERROR_INVALID, "options.revision" },
    { "no time", add_no_time, TALL_ERROR_INVALID, "options.timeout_ms" },
    { "short token", add_short_token, TALL_ERROR_INVALID, "options.token" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (TallTestMessage) message;
      g_test_message ("%s", cases[i].name);
      tall_test_message_init (&message, f->compact, "putOrder", T_CALL);
      cases[i].add (&message);
      tall_test_message_end_struct (&message);
      assert_refused (f, &message, "putOrder", cases[i].code, cases[i].field);
    }
}

static void
test_refused_gets (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_auto (TallTestMessage) no_order, nul;

  tall_test_message_init (&no_order, f->compact, "getOrder", T_CALL);
  tall_test_message_add_text (&no_order, 1, "VINET");
  tall_test_message_end_struct (&no_order);
  assert_refused (f, &no_order, "getOrder", TALL_ERROR_INVALID, "order_number");

  tall_test_message_init (&nul, f->compact, "getCustomer", T_CALL);
  tall_test_message_add_bytes (&nul, 1, tall_slice ("a\0b", 3));
  tall_test_message_end_struct (&nul);
  assert_refused (f, &nul, "getCustomer", TALL_ERROR_INVALID, "number");
}

#define ADD(name, function)                                                                        \
  g_test_add ("/service/hostile/binary/" name, Fixture, GINT_TO_POINTER (FALSE), set_up, function, \
              tear_down);                                                                          \
  g_test_add ("/service/hostile/compact/" name, Fixture, GINT_TO_POINTER (TRUE), set_up, function, \
              tear_down)

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
  ADD ("unknown-field", test_unknown_field);
  ADD ("refused-puts", test_refused_puts);
  ADD ("refused-gets", test_refused_gets);
  return g_test_run ();
}
