/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* What a client makes of servers that fail it: which calls it sends again, and what it says of the
 * others. The server here is a script: one letter for each request that comes. */

#include "tall-client.h"
#include "tall-error.h"
#include "tall-test-orders.h"
#include "tall-test-wire.h"
#include "tall-must.h"

/* Letters of a script. A space ends a connection; what comes next is for the next one. */
#define ANSWER 'a'   /* as if the call had succeeded, with revision 5 */
#define CONFLICT 'c' /* with a TallError of that code, and revision 9 */
#define MANY 'm'     /* as if the put of many, which are one, had succeeded */
#define REFUSED 'r'  /* the same, but with a conflict for that one */
#define HANG_UP 'h'  /* close without an answer */
#define OTHER 'o'    /* not Thrift */
#define STALE 's'    /* an answer to another call */
#define LIST 'l'     /* a page of two entries, of orders or of customers */

/* With a TallError of each code. */
#define FAILURE(code) ((char)('A' + (code)))
#define CODE_OF(letter) ((guint8)((letter) - 'A'))

typedef struct
{
  GSocketListener *listener;
  const char *script;
  GThread *thread;
  GPtrArray *requests; /* of GByteArray: the content of each frame that came */
  TallFront *client;
} Fixture;

/* The reply to a call in the binary protocol: its header as it came, but as a reply. */
static void
answer (GSocketConnection *connection, const GByteArray *request, char letter)
{
  static const guint8 success[] = { 0x0c, 0, 0, 0x0a, 0, 1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0 };
  static const guint8 conflict[] = { 0x0c, 0,   1,    0x08, 0, 1, 0, 0, 0, 2, 0x0b, 0, 2, 0, 0, 0,
                                     1,    '!', 0x0a, 0,    4, 0, 0, 0, 0, 0, 0,    0, 9, 0, 0 };
  static const guint8 many[] = { 0x0c, 0, 0, 0x0f, 0, 1, 0x0c, 0, 0, 0, 1, 0x0c, 0, 1, 0x0a,
                                 0,    1, 0, 0,    0, 0, 0,    0, 0, 5, 0, 0,    0, 0 };
  static const guint8 refused[] = { 0x0c, 0, 0, 0x0f, 0, 1, 0x0c, 0, 0, 0, 1, 0x0c, 0, 2,   0x08,
                                    0,    1, 0, 0,    0, 2, 0x0b, 0, 2, 0, 0, 0,    1, '!', 0x0a,
                                    0,    4, 0, 0,    0, 0, 0,    0, 0, 9, 0, 0,    0, 0 };
  static const guint8 list[] = { 0x0c, 0, 0,   0x0f, 0,    1, 0x0c, 0, 0, 0, 2, 0x0b, 0, 1, 0, 0,
                                 0,    1, '1', 0,    0x0b, 0, 1,    0, 0, 0, 1, '2',  0, 0, 0 };
  const guint8 failure[] = { 0x0c, 0, 1, 0x08, 0, 1, 0, 0, 0, CODE_OF (letter), 0, 0 };
  TallReader reader = tall_reader (tall_slice_array (request));
  (void)tall_reader_u32 (&reader);
  guint32 name_len = tall_reader_u32 (&reader);
  g_autoptr (GByteArray) reply = g_byte_array_new ();

  tall_bytes_append (reply, tall_slice (request->data, 8 + name_len + 4));
  reply->data[3] = T_REPLY;
  if (letter == STALE)
    reply->data[reply->len - 1] ^= 0x40;
  if (letter == CONFLICT)
    tall_bytes_append (reply, tall_slice (conflict, sizeof conflict));
  else if (letter == MANY)
    tall_bytes_append (reply, tall_slice (many, sizeof many));
  else if (letter == LIST)
    tall_bytes_append (reply, tall_slice (list, sizeof list));
  else if (letter == REFUSED)
    tall_bytes_append (reply, tall_slice (refused, sizeof refused));
  else if (g_ascii_isupper (letter))
    tall_bytes_append (reply, tall_slice (failure, sizeof failure));
  else
    tall_bytes_append (reply, tall_slice (success, sizeof success));
  tall_test_send_frame (connection, tall_slice_array (reply));
}

/* Follows the script for one connection, up to its end or a space. */
static const char *
serve_connection (Fixture *f, GSocketConnection *connection, const char *script)
{
  for (; *script != '\0' && *script != ' '; script++)
    {
      GByteArray *request = tall_test_receive_frame (connection);
      g_assert_nonnull (request);
      g_ptr_array_add (f->requests, request);
      if (*script == HANG_UP)
        continue;
      if (*script == OTHER)
        tall_test_send (connection, tall_slice_str ("HTTP/1.1 400 Bad Request\r\n\r\n"));
      else
        answer (connection, request, *script);
    }
  return *script == ' ' ? script + 1 : script;
}

static gpointer
serve_script (gpointer data)
{
  Fixture *f = data;

  for (const char *script = f->script; *script != '\0';)
    {
      g_autoptr (GSocketConnection) connection =
          must (g_socket_listener_accept (f->listener, NULL, NULL, &error));
      script = serve_connection (f, connection, script);
    }
  return NULL;
}

static void
begin (Fixture *f, const char *script)
{
  g_autoptr (GInetAddress) loopback = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  g_autoptr (GSocketAddress) wanted = g_inet_socket_address_new (loopback, 0);
  g_autoptr (GSocketAddress) bound = NULL;

  f->listener = g_socket_listener_new ();
  must (g_socket_listener_add_address (f->listener, wanted, G_SOCKET_TYPE_STREAM,
                                       G_SOCKET_PROTOCOL_TCP, NULL, &bound, &error));
  g_autofree char *address =
      g_strdup_printf ("127.0.0.1:%u",
                       g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (bound)));
  f->client = must (tall_client_new (address, &error));

  f->script = script;
  f->requests = g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  f->thread = g_thread_new ("script", serve_script, f);
}

/* The script must have been followed to its end. */
static void
end (Fixture *f)
{
  g_thread_join (f->thread);
  g_object_unref (f->client);
  g_object_unref (f->listener);
  g_ptr_array_unref (f->requests);
}

typedef enum
{
  PUT,
  PUT_ABSENT,
  PUT_REVISION,
  PUT_MANY,
  PUT_MANY_REVISION,
  DELETE,
  DELETE_REVISION,
  PING,
} Operation;

/* One order by the call for many; its outcome is that of the call. */
static gboolean
put_many (Fixture *f, TallOrder *order, const TallWriteOptions *options, GError **error)
{
  TallOutcome outcome = { 0 };

  if (!tall_front_put_orders (f->client, &order, options, 1, &outcome, error))
    return FALSE;
  if (outcome.error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&outcome.error));
  return FALSE;
}

static gboolean
run (Fixture *f, Operation operation, GError **error)
{
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", "10248", 1);
  static const TallWriteOptions absent = { .condition = TALL_IF_ABSENT };
  static const TallWriteOptions revision = { .condition = TALL_IF_REVISION, .revision = 4 };

  switch (operation)
    {
    case PUT:
      return tall_front_put_order (f->client, order, NULL, NULL, error);
    case PUT_ABSENT:
      return tall_front_put_order (f->client, order, &absent, NULL, error);
    case PUT_REVISION:
      return tall_front_put_order (f->client, order, &revision, NULL, error);
    case PUT_MANY:
      return put_many (f, order, NULL, error);
    case PUT_MANY_REVISION:
      return put_many (f, order, &revision, error);
    case DELETE:
      return tall_front_delete_order (f->client, "VINET", "10248", NULL, error);
    case DELETE_REVISION:
      return tall_front_delete_order (f->client, "VINET", "10248", &revision, error);
    case PING:
      return tall_front_ping (f->client, error);
    }
  g_assert_not_reached ();
}

static void
run_well (Fixture *f, Operation operation, guint n_calls)
{
  for (guint i = 0; i < n_calls; i++)
    must (run (f, operation, &error));
}

/* Each case makes all its calls succeed but one. */
static const struct
{
  const char *name;
  const char *script;
  guint n_calls; /* without those after the one that fails */
  Operation operation;
  int code;      /* of the last of them; 0: it succeeds */
  guint n_after; /* calls after it, which succeed; so what the script still has was left for them */
} cases[] = {
  /* A write that a second copy could do over what others wrote since is sent once. */
  { "once/put", "ah a", 2, PUT, TALL_ERROR_OUTCOME_UNKNOWN, 1 },
  { "once/put-absent", "ah a", 2, PUT_ABSENT, TALL_ERROR_OUTCOME_UNKNOWN, 1 },
  { "once/delete", "ah a", 2, DELETE, TALL_ERROR_OUTCOME_UNKNOWN, 1 },

  /* A kept connection that turns out closed: again on a new one, with its token. */
  { "kept/read", "ah a", 2, PING, 0 },
  { "kept/put-revision", "ah a", 2, PUT_REVISION, 0 },
  { "kept/delete-revision", "ah a", 2, DELETE_REVISION, 0 },
  { "kept/delete-twice", "ah h", 2, DELETE_REVISION, TALL_ERROR_OUTCOME_UNKNOWN },
  { "kept/put-twice", "ah h", 2, PUT_REVISION, TALL_ERROR_OUTCOME_UNKNOWN },
  { "kept/read-twice", "ah h", 2, PING, TALL_ERROR_UNAVAILABLE },

  /* The second try speaks for itself only. */
  { "kept/put-conflict", "ah c", 2, PUT_REVISION, TALL_ERROR_OUTCOME_UNKNOWN },
  { "put-conflict", "c", 1, PUT, TALL_ERROR_CONFLICT },

  /* Each of many has its own outcome. */
  { "many/kept", "mh m", 2, PUT_MANY_REVISION, 0 },
  { "many/kept-once", "mh m", 2, PUT_MANY, TALL_ERROR_OUTCOME_UNKNOWN, 1 },
  { "many/kept-twice", "mh h", 2, PUT_MANY_REVISION, TALL_ERROR_OUTCOME_UNKNOWN },
  { "many/kept-conflict", "mh r", 2, PUT_MANY_REVISION, TALL_ERROR_OUTCOME_UNKNOWN },
  { "many/kept-whole-conflict", "mh c", 2, PUT_MANY_REVISION, TALL_ERROR_OUTCOME_UNKNOWN },
  { "many/conflict", "r", 1, PUT_MANY, TALL_ERROR_CONFLICT },
  { "many/new", "h", 1, PUT_MANY, TALL_ERROR_OUTCOME_UNKNOWN },
  { "many/other-type", "a", 1, PUT_MANY, TALL_ERROR_OUTCOME_UNKNOWN },

  /* A new connection is tried once. */
  { "new/read", "h", 1, PING, TALL_ERROR_UNAVAILABLE },
  { "new/put", "h", 1, PUT, TALL_ERROR_OUTCOME_UNKNOWN },

  /* What answers is not a server of ours, or answers something else. */
  { "other/read", "o", 1, PING, TALL_ERROR_UNAVAILABLE },
  { "other/put", "o", 1, PUT, TALL_ERROR_OUTCOME_UNKNOWN },
  { "stale/read", "as", 2, PING, TALL_ERROR_UNAVAILABLE },
  { "stale/put", "as", 2, PUT, TALL_ERROR_OUTCOME_UNKNOWN },
};

static void
test_case (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (GError) error = NULL;
  Fixture f;
  begin (&f, cases[i].script);

  run_well (&f, cases[i].operation, cases[i].n_calls - 1);
  gboolean ok = run (&f, cases[i].operation, &error);
  must_be (error, cases[i].code);
  g_assert_cmpint (ok, ==, cases[i].code == 0);
  run_well (&f, cases[i].operation, cases[i].n_after);
  end (&f);
}

/* After the name and the number of the call. */
static TallSlice
arguments_of (const GByteArray *request)
{
  TallReader reader = tall_reader (tall_slice_array (request));
  (void)tall_reader_u32 (&reader);
  (void)tall_reader_take (&reader, tall_reader_u32 (&reader) + 4);
  g_assert_false (reader.failed);
  return reader.rest;
}

/* What is sent again is the same, to the token; two puts have two tokens. */
static void
test_same_token (void)
{
  Fixture f;
  begin (&f, "ah a");
  run_well (&f, PUT_REVISION, 2);

  g_assert_cmpuint (f.requests->len, ==, 3);
  TallSlice first = arguments_of (f.requests->pdata[0]);
  TallSlice second = arguments_of (f.requests->pdata[1]);
  TallSlice again = arguments_of (f.requests->pdata[2]);
  g_assert_true (tall_slice_equal (second, again));
  g_assert_false (tall_slice_equal (first, second));
  end (&f);
}

/* Whatever the answer to the second copy of a write is, the first may have been done. */
static void
test_every_failure (void)
{
  static const Operation operations[] = { PUT_REVISION, DELETE_REVISION, PUT_MANY_REVISION };

  for (guint i = 0; i < G_N_ELEMENTS (operations); i++)
    for (int code = TALL_ERROR_NOT_FOUND; code <= TALL_ERROR_INTERNAL; code++)
      {
        const char script[] = { operations[i] == PUT_MANY_REVISION ? MANY : ANSWER, HANG_UP, ' ',
                                FAILURE (code), '\0' };
        Fixture f;
        begin (&f, script);
        run_well (&f, operations[i], 1);
        must_fail (run (&f, operations[i], &error), TALL_ERROR_OUTCOME_UNKNOWN);
        end (&f);
      }
}

/* A page with more entries than asked for is not an answer. */
static void
test_pages (void)
{
  Fixture f = { NULL };
  begin (&f, "llll");
  for (guint limit = 1; limit <= 2; limit++)
    {
      g_autoptr (GError) error = NULL;
      TallListOptions options = { .limit = limit };
      g_autoptr (TallOrderList) orders =
          tall_front_list_orders (f.client, "VINET", &options, &error);
      g_assert_cmpint (orders != NULL, ==, limit == 2);
      if (orders == NULL)
        g_assert_error (error, TALL_ERROR, TALL_ERROR_INTERNAL);
      g_autoptr (TallCustomerList) customers = tall_front_list_customers (f.client, &options, NULL);
      g_assert_cmpint (customers != NULL, ==, limit == 2);
    }
  end (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/service/client-faults/pages", test_pages);
  g_test_add_func ("/service/client-faults/same-token", test_same_token);
  g_test_add_func ("/service/client-faults/every-failure", test_every_failure);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/service/client-faults/%s", cases[i].name);
      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_case);
    }
  return g_test_run ();
}
