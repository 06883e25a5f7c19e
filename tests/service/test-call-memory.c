/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* What a call takes of the server's memory, from its frame to the last byte of its reply. */
#include "service/access/memory.h"
#include "service/calls/calls.h"
#include "tall-error.h"
#include "service/server/server.h"
#include "tall-test-orders.h"
#include "tall-test-service.h"
#include "tall-test-wire.h"
#include "tall-must.h"

#include <sys/socket.h>
#include <time.h>

#define KIB ((gsize)1024)
#define MIB (1024 * KIB)
#define ORDER (10 * MIB)

/* The clock is ahead, in microseconds: atomic. The program's own function comes before that of the
 * library. */
static gint64 ahead;

gint64
g_get_monotonic_time (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return __atomic_load_n (&ahead, __ATOMIC_SEQ_CST) + now.tv_sec * G_TIME_SPAN_SECOND
         + now.tv_nsec / 1000;
}

static void
begin (TallCallMemory *call, TallMemory *memory, gsize frame)
{
  tall_call_memory_init (call, memory, NULL, 0);
  g_assert_true (tall_call_memory_begin (call, frame));
}

/* A usual call holds what its work takes, and nothing for its request and its reply. */
static void
test_usual (void)
{
  TallMemory memory;
  TallCallMemory call;
  tall_memory_init (&memory, 100 * MIB, ORDER);

  begin (&call, &memory, 64 * KIB);
  g_assert_true (tall_call_memory_decode (&call, 128 * KIB));
  tall_call_memory_end_decoding (&call);
  g_assert_cmpuint (tall_memory_get_used (&memory), ==, 0);
  must (tall_call_memory_work (&call, ORDER, &error));
  g_assert_cmpuint (tall_memory_get_used (&memory), ==, ORDER);
  tall_call_memory_reply (&call, 256 * KIB);
  g_assert_cmpuint (tall_memory_get_used (&memory), ==, 0);
  tall_memory_clear (&memory);
}

/* What a small request decodes to counts as what it is, once it is more than a connection's own. */
static void
test_decoded (void)
{
  TallMemory memory;
  TallCallMemory call;
  tall_memory_init (&memory, 100 * MIB, ORDER);

  begin (&call, &memory, 50 * KIB);
  g_assert_true (tall_call_memory_decode (&call, 128 * KIB));
  g_assert_cmpuint (tall_memory_get_used (&memory), ==, 0);
  g_assert_true (tall_call_memory_decode (&call, 1 * MIB));
  g_assert_cmpuint (tall_memory_get_used (&memory), ==, 50 * KIB * 88 + ORDER);
  tall_call_memory_end_decoding (&call);
  g_assert_cmpuint (tall_memory_get_used (&memory), ==, 1 * MIB + ORDER);
  tall_call_memory_settle (&call, 5 * MIB);
  g_assert_cmpuint (tall_memory_get_used (&memory), ==, 6 * MIB);
  tall_call_memory_reply (&call, 3 * MIB);
  g_assert_cmpuint (tall_memory_get_used (&memory), ==, 3 * MIB);
  tall_call_memory_end (&call);
  g_assert_cmpuint (tall_memory_get_used (&memory), ==, 0);

  /* Never more than can become of so few bytes. */
  begin (&call, &memory, 1 * KIB);
  g_assert_false (tall_call_memory_decode (&call, 1 * MIB));
  tall_call_memory_end (&call);
  tall_memory_clear (&memory);
}

/* A large one has all it usually needs from the beginning, and what it decodes to beyond that only
 * as long as it is there. */
static void
test_large (void)
{
  TallMemory memory;
  TallCallMemory call, other;
  tall_memory_init (&memory, 30 * MIB, ORDER);

  begin (&call, &memory, 2 * MIB);
  g_assert_cmpuint (tall_memory_get_used (&memory), ==, 20 * MIB);
  g_assert_true (tall_call_memory_decode (&call, 8 * MIB));
  g_assert_cmpuint (tall_memory_get_used (&memory), ==, 20 * MIB);
  g_assert_true (tall_call_memory_decode (&call, 10 * MIB));
  g_assert_false (tall_call_memory_decode (&call, 1 * MIB));
  tall_call_memory_init (&other, &memory, NULL, 0);
  g_assert_false (tall_call_memory_begin (&other, 2 * MIB));
  tall_call_memory_end (&call);
  g_assert_true (tall_call_memory_begin (&other, 2 * MIB));
  tall_call_memory_end (&other);
  g_assert_cmpuint (tall_memory_get_used (&memory), ==, 0);
  tall_memory_clear (&memory);
}

/* A call on many works on as many orders as there is memory for, a quarter of all at most; and on
 * one at least, unless it has some already. */
static void
test_orders (void)
{
  g_autoptr (GError) error = NULL;
  TallMemory memory;
  TallCallMemory one, two, three;
  tall_memory_init (&memory, 8 * ORDER, ORDER);

  begin (&one, &memory, 100);
  g_assert_cmpuint (tall_call_memory_work_on_orders (&one, 64, &error), ==, 2);
  tall_call_memory_settle (&one, 6 * ORDER);
  g_assert_cmpuint (tall_memory_get_used (&memory), ==, 2 * ORDER);
  g_assert_cmpuint (tall_call_memory_work_on_orders (&one, 64, &error), ==, 2);
  g_assert_cmpuint (tall_memory_get_used (&memory), ==, 4 * ORDER);
  tall_call_memory_settle (&one, ORDER / 2);
  g_assert_cmpuint (tall_memory_get_used (&memory), ==, ORDER / 2);

  TallMemoryPart rest = { &memory };
  g_assert_true (tall_memory_part_take (&rest, 6 * ORDER, 0));
  begin (&two, &memory, 100);
  g_assert_cmpuint (tall_call_memory_work_on_orders (&two, 64, &error), ==, 1);
  begin (&three, &memory, 100);
  g_assert_cmpuint (tall_call_memory_work_on_orders (&three, 64, &error), ==, 1);
  g_assert_true (three.part.in_slot);
  g_assert_no_error (error);
  g_assert_cmpuint (tall_call_memory_work_on_orders (&one, 64, &error), ==, 0);
  g_assert_error (error, TALL_ERROR, TALL_ERROR_OVERLOADED);
  tall_memory_clear (&memory);
}

static void
put_varint (GByteArray *out, guint n)
{
  for (; n > 127; n >>= 7)
    tall_bytes_append_u8 (out, (guint8)((n & 127) | 128));
  tall_bytes_append_u8 (out, (guint8)n);
}

/* putOrders in the compact protocol, of one order with so many empty lines, one byte each. */
static GByteArray *
make_swollen (guint n_lines)
{
  static const guint8 begin_call[] = "\x82\x21\x00\x09putOrders\x1c\x19\x1c\x1c\x18\x01"
                                     "A\x18\x01"
                                     "1\x39\x1c\x15\x02\x49\xfc";
  GByteArray *out = g_byte_array_new ();
  g_byte_array_append (out, begin_call, sizeof begin_call - 1);
  put_varint (out, n_lines);
  g_byte_array_set_size (out, out->len + n_lines);
  memset (out->data + out->len - n_lines, 0, n_lines);
  static const guint8 stops[5] = { 0 };
  g_byte_array_append (out, stops, sizeof stops);
  return out;
}

/* 60 KB that become 5 MiB count as 5 MiB. */
static void
test_swollen (void)
{
  enum
  {
    N = 60000,
    BYTES_OF_LINE = sizeof (TallLineItem) + sizeof (TallLineItem *)
  };
  TallTestService service;
  tall_test_service_start (&service, NULL);
  g_autoptr (GByteArray) swollen = make_swollen (N);
  g_autoptr (GSocketConnection) connection = tall_test_connect (service.address);

  tall_test_front_hold (service.test_front);
  tall_test_send_frame (connection, tall_slice_array (swollen));
  tall_test_front_wait_until_held (service.test_front, 1);
  g_assert_cmpuint (tall_server_get_memory_used (service.server), >,
                    tall_front_measure_order (service.front, NULL) + N * BYTES_OF_LINE - 128 * KIB);
  tall_test_front_let_go (service.test_front);
  g_autoptr (GByteArray) answer = tall_test_receive_frame (connection);
  g_assert_nonnull (answer);
  tall_test_assert_ping_works (connection, TRUE);
  g_assert_cmpuint (tall_server_get_memory_used (service.server), ==, 0);
  tall_test_service_stop (&service);
}

/* A reply that nobody reads holds memory until its connection is closed, long before the time of a
 * transfer is over. */
static void
test_not_read (void)
{
  TallTestService service;
  TallServerOptions options = { .transfer_timeout = 30 * 1000 };
  tall_test_service_start (&service, &options);
  g_autofree char *text = g_strnfill (1000 * KIB, 'x');
  g_autoptr (TallOrder) order = tall_order_new ("VINET", "1");
  order->currency = text;
  must (tall_front_put_order (service.client, order, NULL, NULL, &error));

  g_autoptr (GSocketConnection) connection = tall_test_connect (service.address);
  g_socket_set_option (g_socket_connection_get_socket (connection), SOL_SOCKET, SO_RCVBUF, 4096,
                       NULL);
  g_auto (TallTestMessage) message;
  tall_test_message_init (&message, FALSE, "getOrders", T_CALL);
  tall_test_message_begin_struct (&message, 1);
  tall_test_message_begin_field (&message, T_LIST, 1);
  thrift_protocol_write_list_begin (message.protocol, T_STRUCT, 8, NULL);
  for (guint i = 0; i < 8; i++)
    {
      tall_test_message_begin_element (&message);
      tall_test_message_add_text (&message, 1, "VINET");
      tall_test_message_add_text (&message, 2, "1");
      tall_test_message_end_struct (&message);
    }
  tall_test_message_end_struct (&message);
  tall_test_message_end_struct (&message);
  gint64 begun = g_get_monotonic_time ();
  tall_test_send_frame (connection, tall_test_message_get (&message));
  while (tall_server_get_memory_used (service.server) < 7 * 1000 * KIB)
    g_thread_yield ();
  while (tall_server_get_memory_used (service.server) > 0)
    g_usleep (10000);
  g_assert_cmpint (g_get_monotonic_time () - begun, <, 20 * G_TIME_SPAN_SECOND);
  tall_test_service_assert_works (&service);
  tall_test_service_stop (&service);
}

static gpointer
get (gpointer client)
{
  g_autoptr (TallOrder) order = tall_front_get_order (client, "VINET", "1", NULL, NULL);
  return NULL;
}

/* A call on one order holds what the most hungry of them takes, however small its own may be. */
static void
expect_used_by_one (TallTestService *service, gsize used)
{
  tall_test_front_hold (service->test_front);
  GThread *thread = g_thread_new ("get", get, service->client);
  tall_test_front_wait_until_held (service->test_front, 1);
  g_assert_cmpuint (tall_server_get_memory_used (service->server), ==, used);
  tall_test_front_let_go (service->test_front);
  g_thread_join (thread);
  while (tall_server_get_memory_used (service->server) > 0)
    g_thread_yield ();
}

/* After a move to another layout calls hold what they take there; and where this is more than all
 * that the server had, it has enough for one all the same. */
static void
test_moved (void)
{
  TallTestService service;
  const TallServerOptions options = { .max_request = MIB, .max_memory = 110 * MIB };
  tall_test_service_start (&service, &options);
  expect_used_by_one (&service, tall_front_measure_order (service.front, NULL));
  tall_test_front_set_measure (service.test_front, 60 * MIB);
  expect_used_by_one (&service, 60 * MIB);
  tall_test_front_set_measure (service.test_front, 500 * MIB);
  expect_used_by_one (&service, 500 * MIB);
  tall_test_front_set_measure (service.test_front, 0);
  expect_used_by_one (&service, tall_front_measure_order (service.front, NULL));
  tall_test_service_stop (&service);
}

/* A slot that becomes smaller, or larger, while a call has it. */
static void
test_slot_changes (void)
{
  TallMemory memory;
  TallMemoryPart first = { .memory = &memory }, second = { .memory = &memory };
  tall_memory_init (&memory, 8 * MIB, ORDER);
  g_assert_true (tall_memory_part_take (&first, ORDER, 0));
  g_assert_true (first.in_slot);
  tall_memory_set_slot (&memory, 2 * ORDER, 8 * MIB);
  g_assert_false (tall_memory_part_take (&second, 2 * ORDER, 0)); /* the slot is taken */
  tall_memory_set_slot (&memory, 2 * ORDER + 1, 3 * ORDER);
  g_assert_true (tall_memory_part_take (&second, 2 * ORDER, 0));
  g_assert_false (second.in_slot);
  tall_memory_part_keep (&first, 0);
  tall_memory_part_keep (&second, 0);
  g_assert_cmpuint (tall_memory_get_used (&memory), ==, 0);
  tall_memory_clear (&memory);
}

enum
{
  N = 40
};

/* Orders for which there is no memory together are put in several chunks, and all of them are. */
static void
test_chunks (void)
{
  TallTestService service;
  TallServerOptions options = { .max_memory = 1, .max_request = 1 * MIB };
  tall_test_service_start (&service, &options);
  g_autoptr (GPtrArray) orders = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_order_free);
  TallOutcome outcomes[N] = { 0 };
  for (guint i = 0; i < N; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      g_ptr_array_add (orders, tall_test_order_with_lines ("VINET", number, 1));
    }
  must (tall_front_put_orders (service.client, (TallOrder *const *)orders->pdata, NULL, N, outcomes,
                               &error));
  for (guint i = 0; i < N; i++)
    g_assert_no_error (outcomes[i].error);
  g_assert_cmpuint (tall_test_front_count_stored (service.test_front), ==, N);
  g_assert_cmpuint (tall_test_front_count_calls (service.test_front), >, N + 1);
  tall_test_service_stop (&service);
}

typedef struct
{
  TallFront *client;
  TallOrder *orders[N];
  TallWriteOptions options[N];
  TallOutcome outcomes[N];
} Puts;

static gpointer
put_all (gpointer data)
{
  Puts *self = data;
  must (
      tall_front_put_orders (self->client, self->orders, self->options, N, self->outcomes, &error));
  return NULL;
}

/* The time of each order runs from the beginning of the call, also if it waits for other chunks. */
static void
test_time_of_chunks (void)
{
  TallTestService service;
  TallServerOptions options = { .max_memory = 1, .max_request = 1 * MIB };
  tall_test_service_start (&service, &options);
  Puts puts = { .client = service.client };
  for (guint i = 0; i < N; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      puts.orders[i] = tall_test_order_with_lines ("VINET", number, 1);
      puts.options[i].timeout = 60000;
    }
  tall_test_front_hold (service.test_front);
  GThread *thread = g_thread_new ("put", put_all, &puts);
  tall_test_front_wait_until_held (service.test_front, 1);
  __atomic_add_fetch (&ahead, 20 * G_TIME_SPAN_SECOND, __ATOMIC_SEQ_CST);
  tall_test_front_let_go (service.test_front);
  g_thread_join (thread);
  guint left = tall_test_front_get_options (service.test_front).timeout;
  g_assert_cmpuint (left, <=, 60000 * 9 / 10 - 20000);
  g_assert_cmpuint (left, >, 0);
  for (guint i = 0; i < N; i++)
    {
      g_assert_no_error (puts.outcomes[i].error);
      tall_order_free (puts.orders[i]);
    }
  tall_test_service_stop (&service);
}

/* Until a reply is sent there are the orders as they were decoded, and their bytes. */
static void
test_budget (void)
{
  g_auto (TallCallBudget) budget = { 0 };
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", "1", 100);
  TallIdlSuccess result = { .order = order };
  TallIdlOutcome item = { .result = &result };
  tall_call_budget_init (&budget);
  for (guint i = 1; i <= 3; i++)
    {
      g_assert_true (tall_call_budget_take (&budget, TALL_CALL (get_orders)->item, &item, order));
      g_assert_cmpuint (budget.memory, ==,
                        i * tall_arena_get_size (tall_order_get_arena (order))
                            + 2 * (TALL_CALL_BYTES - budget.bytes));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/service/call-memory/budget", test_budget);
  g_test_add_func ("/service/call-memory/usual", test_usual);
  g_test_add_func ("/service/call-memory/decoded", test_decoded);
  g_test_add_func ("/service/call-memory/large", test_large);
  g_test_add_func ("/service/call-memory/orders", test_orders);
  g_test_add_func ("/service/call-memory/moved", test_moved);
  g_test_add_func ("/service/call-memory/slot-changes", test_slot_changes);
  g_test_add_func ("/service/call-memory/chunks", test_chunks);
  g_test_add_func ("/service/call-memory/time-of-chunks", test_time_of_chunks);
  g_test_add_func ("/service/call-memory/swollen", test_swollen);
  g_test_add_func ("/service/call-memory/not-read", test_not_read);
  return g_test_run ();
}
