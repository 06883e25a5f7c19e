/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Large requests share the memory that there is for them; the others do not wait for it. */

#include "tall-error.h"
#include "service/access/memory.h"
#include "service/access/places.h"
#include "service/server/server.h"
#include "tall-test-orders.h"
#include "tall-test-service.h"
#include "tall-test-wire.h"

#define SIZE (1024 * 1024)
#define LARGE (600 * 1024) /* two have no room */

typedef struct
{
  TallFront *client;
  const char *number;
  gsize size;
} Put;

static gpointer
put (gpointer data)
{
  const Put *self = data;
  GError *error = NULL;
  g_autofree char *text = g_strnfill (self->size, 'x');
  g_autoptr (TallOrder) order = tall_order_new ("VINET", self->number);

  order->currency = text;
  gboolean ok = tall_front_put_order (self->client, order, NULL, NULL, &error);
  g_assert_cmpint (ok, ==, error == NULL);
  return error;
}

static void
assert_put (Put *self)
{
  g_autoptr (GError) error = put (self);
  g_assert_no_error (error);
}

static void
assert_ends_well (GThread *thread)
{
  g_autoptr (GError) error = g_thread_join (thread);
  g_assert_no_error (error);
}

/* A large one waits for another; a usual one does not. */
static void
test_waits (void)
{
  TallTestService service;
  TallServerOptions options = { .max_request = SIZE, .max_memory = SIZE, .memory_wait = 60 * 1000 };
  tall_test_service_start (&service, &options);
  Put one = { service.client, "1", LARGE };
  Put two = { service.client, "2", LARGE };
  Put usual = { service.client, "3", 1000 };

  tall_test_front_hold (service.test_front);
  GThread *first = g_thread_new ("first", put, &one);
  tall_test_front_wait_until_held (service.test_front, 1);
  GThread *second = g_thread_new ("second", put, &two);
  while (tall_server_count_waiting (service.server) == 0)
    g_thread_yield ();
  GThread *third = g_thread_new ("third", put, &usual);
  tall_test_front_wait_until_held (service.test_front, 2);
  g_assert_cmpuint (tall_server_count_waiting (service.server), ==, 1);
  g_assert_cmpuint (tall_test_front_count_calls (service.test_front), ==, 2);

  tall_test_front_let_go (service.test_front);
  assert_ends_well (first);
  assert_ends_well (second);
  assert_ends_well (third);
  g_assert_cmpuint (tall_test_front_count_stored (service.test_front), ==, 3);
  tall_test_service_stop (&service);
}

/* A large one that has arrived leaves its part of what arrives to the next. */
static void
test_arrived (void)
{
  TallTestService service;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) all = tall_networks_parse ("0.0.0.0/0", &error);
  TallServerOptions options = {
    .max_request = SIZE, .max_memory = 35 * SIZE, .memory_wait = 20 * 1000, .trusted_proxies = all
  };
  g_assert_no_error (error);
  tall_test_service_start (&service, &options);
  Put one = { service.client, "1", LARGE };
  Put two = { service.client, "2", LARGE };

  tall_test_front_hold (service.test_front);
  GThread *first = g_thread_new ("first", put, &one);
  tall_test_front_wait_until_held (service.test_front, 1);
  GThread *second = g_thread_new ("second", put, &two);
  tall_test_front_wait_until_held (service.test_front, 2);
  tall_test_front_let_go (service.test_front);
  assert_ends_well (first);
  assert_ends_well (second);
  tall_test_service_stop (&service);
}

/* It does not wait for ever. It gets an error, and its connection can still be used. */
static void
test_refused (void)
{
  TallTestService service;
  TallServerOptions options = { .max_request = SIZE, .max_memory = SIZE, .memory_wait = 50 };
  tall_test_service_start (&service, &options);
  Put one = { service.client, "1", LARGE };
  Put two = { service.client, "2", LARGE };

  tall_test_front_hold (service.test_front);
  GThread *first = g_thread_new ("first", put, &one);
  tall_test_front_wait_until_held (service.test_front, 1);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GError) error = put (&two);
      g_assert_error (error, TALL_ERROR, TALL_ERROR_OVERLOADED);
      g_assert_cmpuint (tall_server_count_connections (service.server), ==, 2);
    }
  tall_test_front_let_go (service.test_front);
  assert_ends_well (first);
  g_assert_cmpuint (tall_test_front_count_stored (service.test_front), ==, 1);

  assert_put (&two);
  g_assert_cmpuint (tall_server_count_connections (service.server), ==, 2);
  tall_test_service_stop (&service);
}

/* A part of a verification holds pages of tables: it is refused where there is no room for them. */
static void
test_verify (void)
{
  TallTestService service;
  TallServerOptions options = { .max_request = SIZE, .memory_wait = 50 };
  const TallVerifyRequest request = { 0 };
  g_autoptr (TallFront) measured = tall_test_front_new ();
  options.max_memory =
      25 * SIZE + tall_front_measure_order (measured, NULL); /* 24 are for the pages */
  tall_test_service_start (&service, &options);
  Put one = { service.client, "1", LARGE };
  for (guint held = 0; held < 2; held++)
    {
      GThread *first = NULL;
      g_autoptr (GError) error = NULL;
      if (held)
        {
          tall_test_front_hold (service.test_front);
          first = g_thread_new ("first", put, &one);
          tall_test_front_wait_until_held (service.test_front, 1);
        }
      g_autoptr (TallVerifyPart) part = tall_front_verify_some (service.client, &request, &error);
      g_assert_null (part); /* the front has no tables */
      g_assert_cmpint (error->code, ==, held ? TALL_ERROR_OVERLOADED : TALL_ERROR_UNSUPPORTED);
      if (held)
        {
          tall_test_front_let_go (service.test_front);
          assert_ends_well (first);
        }
    }
  tall_test_service_stop (&service);
}

/* Whatever becomes of a request, its memory comes back. */
static void
test_comes_back (void)
{
  static const guint8 header[] = { 0, 9, 0x60, 0 };
  TallTestService service;
  TallServerOptions options = { .max_request = SIZE, .max_memory = SIZE, .memory_wait = 60 * 1000 };
  tall_test_service_start (&service, &options);
  Put one = { service.client, "1", LARGE };

  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GSocketConnection) connection = tall_test_connect (service.address);
      g_autofree guint8 *rubbish = g_malloc0 (LARGE);
      tall_test_send (connection, tall_slice (header, sizeof header));
      tall_test_send (connection, tall_slice (rubbish, i == 0 ? 10 : LARGE));
      tall_test_end_sending (connection);
      g_assert_null (tall_test_receive_frame (connection));
      assert_put (&one);
    }
  tall_test_service_stop (&service);
}

/* A connection that announces a large request, and sends @len bytes of it. */
static GSocketConnection *
begin_large (const char *address, gsize len)
{
  static const guint8 header[] = { 0, 9, 0x60, 0 };
  GSocketConnection *connection = tall_test_connect (address);
  g_autofree guint8 *rubbish = g_malloc0 (len);

  tall_test_send (connection, tall_slice (header, sizeof header));
  tall_test_send (connection, tall_slice (rubbish, len));
  return connection;
}

/* To announce much takes nothing from the others. */
static void
test_announced (void)
{
  TallTestService service;
  TallServerOptions options = { .max_request = SIZE, .max_memory = SIZE, .memory_wait = 100 };
  tall_test_service_start (&service, &options);
  Put one = { service.client, "1", LARGE };
  g_autoptr (GSocketConnection) first = begin_large (service.address, 10);
  g_autoptr (GSocketConnection) second = begin_large (service.address, 10);

  while (tall_server_count_connections (service.server) < 2)
    g_thread_yield ();
  for (guint i = 0; i < 5; i++)
    assert_put (&one);
  tall_test_service_stop (&service);
}

/* Nor does a request that stops on its way, long before its time is over. */
static void
test_stands_still (void)
{
  TallTestService service;
  TallServerOptions options = {
    .max_request = SIZE,
    .max_memory = SIZE,
    .memory_wait = 60 * 1000,
    .transfer_timeout = 15 * 1000,
  };
  tall_test_service_start (&service, &options);
  Put one = { service.client, "1", LARGE };
  g_autoptr (GSocketConnection) first = begin_large (service.address, 70 * 1024);
  g_autoptr (GSocketConnection) second = begin_large (service.address, 70 * 1024);

  /* One of them has the memory, the other wants it; unless that one's thread begins so late that
   * the first has lost it again, which is as well. */
  gint64 patience = g_get_monotonic_time () + 5 * G_TIME_SPAN_SECOND;
  while (tall_server_count_waiting (service.server) == 0 && g_get_monotonic_time () < patience)
    g_thread_yield ();
  assert_put (&one);
  g_assert_null (tall_test_receive_frame (first));
  g_assert_null (tall_test_receive_frame (second));
  tall_test_service_stop (&service);
}

/* A large request that keeps the promised pace is answered, though most of it comes when those 2 s
 * that it may be behind are long over: its size does not make it hurry. */
static void
test_on_pace (void)
{
  enum
  {
    PIECE = 8 * 1024,
    FIRST = 64 * 1024,
    REST = 64 * 1024
  };
  TallTestService service;
  TallServerOptions options = { .max_request = SIZE, .transfer_timeout = 30 * 1000 };
  tall_test_service_start (&service, &options);
  g_autofree guint8 *filling = g_malloc0 (FIRST + REST);
  g_auto (TallTestMessage) message;
  tall_test_message_init (&message, FALSE, "ping", T_CALL);
  tall_test_message_add_bytes (&message, 99, tall_slice (filling, FIRST + REST));
  tall_test_message_end_struct (&message);
  TallSlice content = tall_test_message_get (&message);
  g_autoptr (GByteArray) frame = g_byte_array_new ();
  tall_bytes_append_u32 (frame, (guint32)content.len);
  tall_bytes_append (frame, content);

  g_autoptr (GSocketConnection) connection = tall_test_connect (service.address);
  for (gsize sent = 0; sent < frame->len;)
    {
      gsize len = MIN (sent == 0 ? (gsize)FIRST : (gsize)PIECE, frame->len - sent);
      tall_test_send (connection, tall_slice (frame->data + sent, len));
      sent += len;
      g_usleep (G_USEC_PER_SEC / 2); /* the pace would do with 1.8 s */
    }
  g_autoptr (GByteArray) answer = tall_test_receive_frame (connection);
  g_assert_nonnull (answer);
  tall_test_assert_ping_works (connection, FALSE);
  tall_test_service_stop (&service);
}

#define SOON (g_get_monotonic_time () + 50 * G_TIME_SPAN_MILLISECOND)

typedef struct
{
  TallMemoryPart part;
  gsize size;
  guint patience; /* milliseconds */
} Wanted;

static gpointer
take (gpointer data)
{
  Wanted *self = data;
  gint64 deadline = g_get_monotonic_time () + self->patience * G_TIME_SPAN_MILLISECOND;
  return GINT_TO_POINTER (tall_memory_part_take (&self->part, self->size, deadline));
}

static GThread *
start_taking (Wanted *self, guint n_waiting)
{
  GThread *thread = g_thread_new ("taking", take, self);
  while (tall_memory_count_waiting (self->part.memory) < n_waiting)
    g_thread_yield ();
  return thread;
}

static void
assert_taken (GThread *thread)
{
  g_assert_true (GPOINTER_TO_INT (g_thread_join (thread)));
}

/* The first to come is served first, so that small requests do not keep a large one out for ever;
 * when it gives up, the next has its turn. */
static void
test_order (void)
{
  TallMemory memory;
  tall_memory_init (&memory, 100, 0);
  TallMemoryPart part = { &memory }, late = { &memory };
  Wanted all = { { &memory }, 100, 60 * 1000 }, some = { { &memory }, 30, 60 * 1000 };

  g_assert_true (tall_memory_part_take (&part, 60, SOON));
  GThread *large = start_taking (&all, 1);
  g_assert_false (tall_memory_part_take (&late, 30, SOON));
  tall_memory_part_keep (&part, 0);
  assert_taken (large);

  tall_memory_part_keep (&all.part, 50);
  g_assert_false (tall_memory_part_take (&late, 100, SOON));
  Wanted again = { { &memory }, 100, 60 * 1000 };
  GThread *first = start_taking (&again, 1);
  GThread *second = start_taking (&some, 2);
  tall_memory_part_keep (&all.part, 0);
  assert_taken (first);
  tall_memory_part_keep (&again.part, 0);
  assert_taken (second);
  g_assert_cmpuint (tall_memory_get_used (&memory), ==, 30);
  tall_memory_clear (&memory);
}

/* A call that waits behind one that gives up goes on. */
static void
test_given_up (void)
{
  TallMemory memory;
  tall_memory_init (&memory, 100, 0);
  Wanted more = { { &memory }, 200, 500 };
  Wanted some = { { &memory }, 30, 60 * 1000 };

  GThread *never = start_taking (&more, 1);
  GThread *next = start_taking (&some, 0);
  g_assert_false (GPOINTER_TO_INT (g_thread_join (never)));
  assert_taken (next);
  tall_memory_clear (&memory);
}

/* A call that holds memory never waits, so that no two wait for each other; nor does it overtake
 * those that wait. */
static void
test_holder (void)
{
  TallMemory memory;
  tall_memory_init (&memory, 100, 0);
  TallMemoryPart part = { &memory };
  Wanted much = { { &memory }, 80, 60 * 1000 };

  g_assert_true (tall_memory_part_take (&part, 30, SOON));
  g_assert_true (tall_memory_part_take (&part, 10, G_MAXINT64));
  g_assert_false (tall_memory_part_take (&part, 61, G_MAXINT64));
  g_assert_cmpuint (part.held, ==, 40);
  GThread *thread = start_taking (&much, 1);
  g_assert_false (tall_memory_part_take (&part, 1, G_MAXINT64));
  tall_memory_part_keep (&part, 20);
  assert_taken (thread);
  g_assert_cmpuint (tall_memory_get_used (&memory), ==, 100);
  tall_memory_part_keep (&part, 50); /* more than it holds: it keeps that */
  g_assert_cmpuint (part.held, ==, 20);
  tall_memory_clear (&memory);
}

/* When nothing is left there is the slot, for one at a time, though larger ones wait before it. */
static void
test_slot (void)
{
  TallMemory memory;
  tall_memory_init (&memory, 100, 10);
  TallMemoryPart part = { &memory }, one = { &memory }, two = { &memory };
  Wanted large = { { &memory }, 100, 60 * 1000 };
  Wanted small = { { &memory }, 10, 60 * 1000 };

  g_assert_true (tall_memory_part_take (&part, 100, SOON));
  GThread *first = start_taking (&large, 1);
  g_assert_false (tall_memory_part_take (&one, 11, SOON));
  g_assert_true (tall_memory_part_take (&one, 10, SOON));
  g_assert_true (one.in_slot);
  g_assert_false (tall_memory_part_take (&one, 1, SOON));
  g_assert_false (tall_memory_part_take (&two, 5, SOON));
  g_assert_cmpuint (tall_memory_get_used (&memory), ==, 110);
  GThread *second = start_taking (&small, 2);
  tall_memory_part_keep (&one, 3); /* nowhere else is room */
  g_assert_true (one.in_slot);
  tall_memory_part_keep (&one, 0);
  assert_taken (second);

  tall_memory_part_keep (&part, 0);
  assert_taken (first);
  tall_memory_part_keep (&large.part, 50);
  tall_memory_part_keep (&small.part, 7); /* it leaves the slot */
  g_assert_false (small.part.in_slot);
  g_assert_cmpuint (tall_memory_get_used (&memory), ==, 57);
  tall_memory_clear (&memory);
}

/* One that gets the slot is in nobody's way: what comes after it has what is left. */
static void
test_behind_slot (void)
{
  TallMemory memory;
  tall_memory_init (&memory, 100, 10);
  TallMemoryPart most = { &memory }, slot = { &memory };
  Wanted small = { { &memory }, 10, 60 * 1000 }, last = { { &memory }, 5, 60 * 1000 };

  g_assert_true (tall_memory_part_take (&most, 95, SOON));
  g_assert_true (tall_memory_part_take (&slot, 10, SOON));
  g_assert_true (slot.in_slot);
  GThread *first = start_taking (&small, 1);
  GThread *second = start_taking (&last, 2);
  tall_memory_part_keep (&slot, 0);
  assert_taken (first);
  assert_taken (second);
  g_assert_true (small.part.in_slot);
  g_assert_cmpuint (tall_memory_get_used (&memory), ==, 110);

  tall_memory_part_keep (&small.part, 0);
  tall_memory_part_keep (&last.part, 0);
  tall_memory_part_keep (&most, 0);
  tall_memory_clear (&memory);
}

/* The calls of one address hold half at most, unless it is one alone; they hold up nobody else. */
static void
test_share (void)
{
  TallMemory memory;
  TallMemoryShare greedy = { 0 }, usual = { 0 };
  tall_memory_init (&memory, 100, 5);
  TallMemoryPart one = { &memory, &greedy }, two = { &memory, &greedy };
  TallMemoryPart other = { &memory, &usual }, trusted = { &memory };

  g_assert_true (tall_memory_part_take (&one, 80, SOON));
  tall_memory_part_keep (&one, 40);
  g_assert_false (tall_memory_part_take (&two, 11, SOON));
  g_assert_true (tall_memory_part_take (&two, 10, SOON));
  g_assert_cmpuint (greedy.held, ==, 50);
  g_assert_false (tall_memory_part_take (&two, 1, SOON));
  tall_memory_part_keep (&two, 0);

  Wanted waiting = { { &memory, &greedy }, 11, 60000 };
  GThread *thread = start_taking (&waiting, 1);
  g_assert_true (tall_memory_part_take (&other, 30, SOON));
  g_assert_true (tall_memory_part_take (&trusted, 30, SOON));
  g_assert_cmpuint (tall_memory_count_waiting (&memory), ==, 1);
  tall_memory_part_keep (&trusted, 0);
  tall_memory_part_keep (&one, 39);
  assert_taken (thread);

  /* Nobody else wants the slot. */
  g_assert_true (tall_memory_part_take (&two, 5, SOON));
  g_assert_true (two.in_slot);
  tall_memory_part_keep (&two, 0);
  tall_memory_part_keep (&waiting.part, 0);
  tall_memory_part_keep (&one, 0);
  tall_memory_part_keep (&other, 0);
  g_assert_cmpuint (greedy.held + usual.held, ==, 0);
  g_assert_cmpuint (tall_memory_get_used (&memory), ==, 0);
  tall_memory_clear (&memory);
}

/* Of those that wait, one that has its share left gets the slot before one that has not. */
static void
test_share_of_slot (void)
{
  TallMemory memory;
  TallMemoryShare greedy = { 0 };
  tall_memory_init (&memory, 100, 5);
  TallMemoryPart all = { &memory, &greedy }, slot = { &memory };
  g_assert_true (tall_memory_part_take (&all, 100, SOON));
  g_assert_true (tall_memory_part_take (&slot, 5, SOON));
  g_assert_true (slot.in_slot);

  Wanted limited = { { &memory, &greedy }, 4, 60000 }, other = { { &memory }, 4, 60000 };
  GThread *first = start_taking (&limited, 1);
  GThread *second = start_taking (&other, 2);
  tall_memory_part_keep (&slot, 0);
  assert_taken (second);
  g_assert_cmpuint (tall_memory_count_waiting (&memory), ==, 1);
  tall_memory_part_keep (&other.part, 0);
  assert_taken (first);
  tall_memory_part_keep (&limited.part, 0);
  tall_memory_part_keep (&all, 0);
  tall_memory_clear (&memory);
}

/* Requests that have not arrived yet hold half at most: what they are fed slowly with is never all.
 */
static void
test_arriving (void)
{
  TallMemory memory;
  tall_memory_init (&memory, 100, 5);
  TallMemoryPart one = { .memory = &memory, .arriving = TRUE }, two = one, there = { &memory };

  g_assert_true (tall_memory_part_take (&one, 45, SOON));
  g_assert_false (tall_memory_part_take (&two, 6, SOON));
  g_assert_true (tall_memory_part_take (&there, 6, SOON));
  Wanted waiting = { two, 49, 60000 };
  GThread *thread = start_taking (&waiting, 1);
  tall_memory_part_arrive (&one);
  assert_taken (thread);
  two = waiting.part;
  tall_memory_part_arrive (&one);

  /* What arrives into the slot is not counted. */
  TallMemoryPart small = { .memory = &memory, .arriving = TRUE };
  g_assert_true (tall_memory_part_take (&small, 5, SOON));
  g_assert_true (small.in_slot);
  tall_memory_part_arrive (&small);
  g_assert_cmpuint (memory.arriving, ==, 49);
  tall_memory_part_keep (&small, 0);
  tall_memory_part_keep (&two, 10);
  tall_memory_part_keep (&one, 0);
  TallMemoryPart three = { .memory = &memory, .arriving = TRUE };
  g_assert_true (tall_memory_part_take (&three, 40, SOON));
  tall_memory_part_keep (&two, 0);
  tall_memory_part_keep (&three, 0);
  tall_memory_part_keep (&there, 0);
  g_assert_cmpuint (memory.arriving, ==, 0);
  g_assert_cmpuint (tall_memory_get_used (&memory), ==, 0);
  tall_memory_clear (&memory);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/service/memory/waits", test_waits);
  g_test_add_func ("/service/memory/arrived", test_arrived);
  g_test_add_func ("/service/memory/refused", test_refused);
  g_test_add_func ("/service/memory/verify", test_verify);
  g_test_add_func ("/service/memory/comes-back", test_comes_back);
  g_test_add_func ("/service/memory/announced", test_announced);
  g_test_add_func ("/service/memory/stands-still", test_stands_still);
  g_test_add_func ("/service/memory/on-pace", test_on_pace);
  g_test_add_func ("/service/memory/order", test_order);
  g_test_add_func ("/service/memory/given-up", test_given_up);
  g_test_add_func ("/service/memory/holder", test_holder);
  g_test_add_func ("/service/memory/slot", test_slot);
  g_test_add_func ("/service/memory/behind-slot", test_behind_slot);
  g_test_add_func ("/service/memory/share", test_share);
  g_test_add_func ("/service/memory/share-of-slot", test_share_of_slot);
  g_test_add_func ("/service/memory/arriving", test_arriving);
  return g_test_run ();
}
