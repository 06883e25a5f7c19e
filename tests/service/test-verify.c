/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* A verification over the service finds what one beside it finds. */

#include "tall-broken-table.h"
#include "tall-client.h"
#include "tall-error.h"
#include "service/access/places.h"
#include "tall-parts-front.h"
#include "service/server/server.h"
#include "tall-test-cells.h"
#include "tall-test-findings.h"
#include "tall-test-mending.h"
#include "tall-test-orders.h"
#include "tall-test-wire.h"
#include "store/verify/verify.h"
#include "tall-must.h"

#define MANY 1500
#define N_LONG 600 /* together more than a request may have */
#define LONG_KEY 30000
#define N_SUSPECTS 5000
#define N_PAGES 16 /* of a store whose orders fill a page each */

typedef struct
{
  TallServer *server;
  TallFront *client;
} Service;

static void
service_start (Service *self, TallFront *front, const TallServerOptions *options)
{
  self->server = must (tall_server_new (front, "127.0.0.1:0", options, &error));
  self->client = must (tall_client_new (tall_server_get_address (self->server), &error));
}

static void
service_stop (Service *self)
{
  g_object_unref (self->client);
  g_assert_true (tall_server_stop (self->server));
  g_object_unref (self->server);
}

/* All of it, one customer, and the same mended in small parts by two servers in turn. */
static void
test_same (TallStoreFixture *self, gconstpointer kind)
{
  Service one, two;
  TallVerifySummary summary;
  tall_test_damage_all (self, kind);
  service_start (&one, self->front, NULL);
  service_start (&two, self->front, NULL);
  tall_test_assert_same_findings (self->front, one.client, (TallVerifyOptions){ 0 });
  tall_test_assert_same_findings (self->front, one.client,
                                  (TallVerifyOptions){ .customer_number = TALL_TEST_CUSTOMER });
  g_autoptr (TallFront) parts = tall_parts_front_new (one.client, two.client, 3);
  tall_test_assert_same_findings (self->front, parts, (TallVerifyOptions){ 0 });
  g_autoptr (GPtrArray) mended =
      tall_test_find (parts, (TallVerifyOptions){ .repair = TRUE }, &summary);
  g_assert_cmpuint (summary.n_mended, ==, summary.n_findings - summary.n_for_person);
  g_assert_cmpuint (summary.n_mended, >, 0);
  tall_test_assert_same_findings (self->front, one.client, (TallVerifyOptions){ .repair = TRUE });
  g_autoptr (GPtrArray) left =
      tall_test_find (one.client, (TallVerifyOptions){ .sample = 99 }, &summary);
  g_assert_cmpuint (left->len, <=, summary.n_for_person);
  service_stop (&two);
  service_stop (&one);
}

static void
expect_error (TallFront *client, TallVerifyOptions options, TallError code, const char *words)
{
  TallVerifySummary summary;
  must_fail (tall_front_verify (client, &options, &summary, &error), code, words);
  g_assert_false (summary.is_whole);
}

/* A proxy on this machine speaks for clients elsewhere. */
static void
test_proxy (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  Service service;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) proxies = tall_networks_parse ("127.0.0.0/8", &error);
  service_start (&service, self->front, &(TallServerOptions){ .trusted_proxies = proxies });
  expect_error (service.client, (TallVerifyOptions){ 0 }, TALL_ERROR_FORBIDDEN,
                "only to clients on its own machine");
  must (tall_front_ping (service.client, &error));
  service_stop (&service);
}

/* Calls of the table that fail: the one after @first others, or all from there on. */
typedef struct
{
  guint first;
  gboolean for_good;
} Failing;

static TallFailure
before_call (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  const Failing *self = data;
  gboolean fails = self->for_good ? call->index >= self->first : call->index == self->first;
  return fails ? TALL_FAILURE_BEFORE : TALL_FAILURE_NONE;
}

/* Returns: the code of the error; 0: it came to its end */
static int
verify_failing (TallStoreFixture *self,
                Failing failing,
                gboolean served,
                gboolean *met,
                TallVerifySummary *summary)
{
  Service service;
  TallVerifyOptions options = { .alone = TRUE };
  TallStoreHooks hooks = tall_test_hooks (&self->clock);
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) table = tall_failing_table_new (self->table);
  g_autoptr (TallStore) store = tall_test_open (table, &self->clock); /* remembers no ids */
  service_start (&service, TALL_FRONT (store), NULL);
  tall_failing_table_reset (TALL_FAILING_TABLE (table));
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), before_call, NULL, &failing);
  TallFront *front = served ? service.client : TALL_FRONT (store);
  gboolean done = tall_verify_run (front, &hooks, &options, summary, &error);
  g_assert_cmpint (done, ==, error == NULL);
  *met = tall_failing_table_count_calls (TALL_FAILING_TABLE (table)) > failing.first;
  service_stop (&service);
  return done ? 0 : error->code;
}

/* Whatever fails once, the verification goes on as beside the service. What fails for good ends it
 * as there, and it reports what it has found until then. */
static void
test_failures (TallStoreFixture *self, gconstpointer kind)
{
  gboolean met = TRUE;
  tall_test_damage_all (self, kind);
  for (guint at = 0; met; at += 5)
    for (guint for_good = 0; for_good < 2; for_good++)
      {
        TallVerifySummary ours, theirs;
        const Failing failing = { at, for_good != 0 };
        int code = verify_failing (self, failing, FALSE, &met, &ours);
        g_assert_cmpint (verify_failing (self, failing, TRUE, &met, &theirs), ==, code);
        g_assert_cmpmem (&ours, sizeof ours, &theirs, sizeof theirs);
        g_assert_cmpint (code, ==, met && for_good ? TALL_ERROR_UNAVAILABLE : 0);
        g_assert_true (ours.is_whole == (code == 0));
      }
}

/* A table that cannot be read to its end is not a whole verification. */
static void
test_broken (TallStoreFixture *self, gconstpointer data)
{
  Service service;
  const TallStoreKind *kind = data;
  TallVerifySummary summary;
  tall_test_damage_all (self, kind);
  g_autoptr (TallTable) table = tall_broken_table_new (self->table);
  tall_broken_table_break (TALL_BROKEN_TABLE (table), tall_slice ("\x01", 1), TALL_ERROR_DAMAGED);
  tall_broken_table_break_scans (TALL_BROKEN_TABLE (table));
  g_autoptr (TallStore) store = tall_test_open (table, &self->clock);
  service_start (&service, TALL_FRONT (store), NULL);
  tall_test_assert_same_findings (TALL_FRONT (store), service.client, (TallVerifyOptions){ 0 });
  g_autoptr (GPtrArray) lines = tall_test_find (service.client, (TallVerifyOptions){ 0 }, &summary);
  g_assert_true (g_str_has_prefix (g_ptr_array_index (lines, 0), "unreadable-table "));
  g_assert_false (summary.is_whole);
  service_stop (&service);
}

/* What a server of another version may say. */
typedef struct
{
  TallForwardingFront parent_instance;
  char *asked;  /* owned: the last request */
  guint n_rows; /* of the finding that it answers; 0 is wrong */
} OtherFront;
typedef TallForwardingFrontClass OtherFrontClass;
GType other_front_get_type (void);
G_DEFINE_TYPE (OtherFront, other_front, TALL_TYPE_FORWARDING_FRONT)

static TallVerifyPart *
find_something (TallFront *front, const TallVerifyRequest *request, GError **error G_GNUC_UNUSED)
{
  OtherFront *self = (OtherFront *)front;
  g_autoptr (GString) asked = g_string_new (NULL);
  g_string_printf (asked, "%s %u %d %u %.*s",
                   request->customer_number != NULL ? request->customer_number : "-",
                   request->sample, request->repair, request->most, (int)request->cursor.len,
                   (const char *)request->cursor.data);
  g_free (self->asked);
  self->asked = g_strdup (asked->str);
  TallVerifyPart *part = g_new0 (TallVerifyPart, 1);
  part->arena = tall_arena_new (0);
  part->n_findings = 1;
  part->findings = tall_arena_newa0 (part->arena, TallFinding, 1);
  part->findings[0] = (TallFinding){ .table = "orders", .n_rows = self->n_rows, .message = "one" };
  part->cursor = tall_slice_str ("there");
  part->wait = 6;
  part->n_customers = 1;
  part->n_orders = 2;
  part->n_marks = 7;
  part->n_hints = 3;
  part->n_ids = 4;
  part->n_busy = 5;
  part->is_broken = TRUE;
  return part;
}

static void
other_front_finalize (GObject *object)
{
  g_free (((OtherFront *)object)->asked);
  G_OBJECT_CLASS (other_front_parent_class)->finalize (object);
}

static void
other_front_class_init (OtherFrontClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = other_front_finalize;
  TALL_FRONT_CLASS (klass)->verify_some = find_something;
}

static void
other_front_init (OtherFront *self G_GNUC_UNUSED)
{
}

/* An answer that makes no sense is an error. */
static void
test_wrong_answer (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  Service service;
  g_autoptr (TallFront) other = g_object_new (other_front_get_type (), NULL);
  tall_forwarding_front_wrap (TALL_FORWARDING_FRONT (other), self->front);
  service_start (&service, other, NULL);
  expect_error (service.client, (TallVerifyOptions){ 0 }, TALL_ERROR_INTERNAL, "something else");
  service_stop (&service);
}

/* An answer has all that was found. */
static void
test_answer (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  Service service;
  g_autoptr (TallFront) other = g_object_new (other_front_get_type (), NULL);
  const TallVerifyRequest request = { 0 };
  tall_forwarding_front_wrap (TALL_FORWARDING_FRONT (other), self->front);
  ((OtherFront *)other)->n_rows = 7;
  service_start (&service, other, NULL);
  g_autoptr (TallVerifyPart) part =
      must (tall_front_verify_some (service.client, &request, &error));
  g_assert_cmpuint (part->n_findings, ==, 1);
  g_assert_cmpuint (part->findings[0].n_rows, ==, 7);
  g_assert_cmpstr (part->findings[0].message, ==, "one");
  g_assert_cmpuint (part->wait, ==, 6);
  g_assert_true (tall_slice_equal (part->cursor, tall_slice_str ("there")));
  g_assert_cmpuint (part->n_customers, ==, 1);
  g_assert_cmpuint (part->n_orders, ==, 2);
  g_assert_cmpuint (part->n_marks, ==, 7);
  g_assert_cmpuint (part->n_hints, ==, 3);
  g_assert_cmpuint (part->n_ids, ==, 4);
  g_assert_cmpuint (part->n_busy, ==, 5);
  g_assert_true (part->is_broken);
  service_stop (&service);
}

/* A client that does not say that it waits gets an error where there is something to wait for. */
static void
test_older_client (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  Service service;
  g_autoptr (TallFront) other = g_object_new (other_front_get_type (), NULL);
  g_auto (TallTestMessage) message;
  tall_forwarding_front_wrap (TALL_FORWARDING_FRONT (other), self->front);
  ((OtherFront *)other)->n_rows = 7;
  service_start (&service, other, NULL);
  g_autoptr (GSocketConnection) connection =
      tall_test_connect (tall_server_get_address (service.server));
  tall_test_message_init (&message, FALSE, "verify", T_CALL);
  tall_test_message_begin_struct (&message, 1);
  tall_test_message_end_struct (&message);
  tall_test_message_end_struct (&message);
  tall_test_send_frame (connection, tall_test_message_get (&message));
  g_autoptr (GByteArray) answer = tall_test_receive_frame (connection);
  g_assert_nonnull (answer);
  g_assert_nonnull (memmem (answer->data, answer->len, "this client is older", 20));
  service_stop (&service);
}

/* A part has all that it was asked for. */
static void
test_request (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  Service service;
  g_autoptr (GError) error = NULL;
  g_autoptr (TallFront) other = g_object_new (other_front_get_type (), NULL);
  const TallVerifyRequest request = { .customer_number = TALL_TEST_CUSTOMER,
                                      .sample = 30,
                                      .repair = TRUE,
                                      .most = 17,
                                      .cursor = tall_slice_str ("here") };
  tall_forwarding_front_wrap (TALL_FORWARDING_FRONT (other), self->front);
  service_start (&service, other, NULL);
  g_assert_null (tall_front_verify_some (service.client, &request, &error)); /* a wrong answer */
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INTERNAL);
  service_stop (&service);
  g_assert_cmpstr (((OtherFront *)other)->asked, ==, TALL_TEST_CUSTOMER " 30 1 17 here");
}

static void
put_strays (TallStoreFixture *self, const char *table, char first, guint n, gsize len)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  for (guint i = 0; i < n; i++)
    {
      char *key = tall_arena_alloc (batch->arena, len + 1);
      memset (key, 'x', len);
      g_snprintf (key, 7, "%c%05u", first, i);
      key[6] = '-';
      TallMutation *mutation = tall_batch_add (batch, table, tall_slice ((const guint8 *)key, len));
      tall_mutation_put (batch, mutation, tall_slice_str ("v"), 1, tall_slice_str ("somebody's"));
    }
  must (tall_table_apply (self->table, (TallMutation *const *)batch->mutations->pdata, n,
                          TALL_DURABLE, TALL_NO_DEADLINE, &error));
}

/* However many there are, and however long their keys, each is found once: no part is large, nor is
 * what is asked for. */
static void
test_many (TallStoreFixture *self, gconstpointer data)
{
  Service service;
  const TallStoreKind *kind = data;
  TallVerifySummary summary;
  if (kind->layout != &tall_layout_normalized || kind->key_strategy != &tall_key_hashed)
    return;
  put_strays (self, kind->layout->tables[0].name, '\1', MANY, 7);
  put_strays (self, "index", '\1', MANY, 7);
  put_strays (self, "index", '\2', N_LONG, LONG_KEY);
  service_start (&service, self->front, NULL);
  g_autoptr (TallFront) parts = tall_parts_front_new (service.client, service.client, 0);
  g_autoptr (GPtrArray) lines = tall_test_find (parts, (TallVerifyOptions){ 0 }, &summary);
  g_autoptr (GHashTable) different = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < lines->len; i++)
    g_hash_table_add (different, g_ptr_array_index (lines, i));
  g_assert_cmpuint (lines->len, ==, 2 * MANY + N_LONG);
  g_assert_cmpuint (g_hash_table_size (different), ==, lines->len);
  g_assert_true (summary.is_whole);
  service_stop (&service);
}

static void
put_id (TallStoreFixture *self, const char *row, guint64 number)
{
  g_autoptr (GByteArray) id = g_byte_array_new ();
  tall_bytes_append_u64 (id, 0x1000000 + number);
  tall_test_put (self->table, "ids", tall_slice_str (row),
                 (TallCell){ tall_slice_str ("v"), 1, tall_slice_array (id) });
}

/* How often a verification is to wait before it looks again. */
static guint
count_waits (TallFront *front)
{
  guint n_waits = 0;
  g_autoptr (GByteArray) cursor = g_byte_array_new ();
  for (guint i = 0; i < 1000; i++)
    {
      const TallVerifyRequest request = { .cursor = tall_slice_array (cursor) };
      g_autoptr (TallVerifyPart) part = must (tall_front_verify_some (front, &request, &error));
      n_waits += part->wait > 0;
      tall_bytes_set (cursor, part->cursor);
      if (cursor->len == 0)
        return n_waits;
    }
  g_assert_not_reached ();
}

/* More half ids than a cursor holds: each is found once, and mended once. The last one is
 * contradicted by the first one. */
static void
test_many_suspects (TallStoreFixture *self, gconstpointer data)
{
  Service service;
  const TallStoreKind *kind = data;
  TallVerifySummary summary;
  if (!kind->key_strategy->needs_id)
    return;
  for (guint i = 0; i < N_SUSPECTS; i++)
    {
      g_autofree char *row = g_strdup_printf ("nHALF%u", i);
      put_id (self, row, i);
    }
  put_id (self, "nTWICE", 0);
  service_start (&service, self->front, NULL);
  g_assert_cmpuint (count_waits (service.client), ==, 2);
  g_autoptr (TallFront) parts = tall_parts_front_new (service.client, service.client, 0);
  g_autoptr (GPtrArray) found = tall_test_find (parts, (TallVerifyOptions){ 0 }, &summary);
  g_assert_cmpuint (found->len, ==, N_SUSPECTS + 1);
  g_autoptr (GPtrArray) mended =
      tall_test_find (service.client, (TallVerifyOptions){ .repair = TRUE }, &summary);
  g_assert_cmpuint (mended->len, ==, N_SUSPECTS + 1);
  g_assert_cmpuint (summary.n_mended, ==, N_SUSPECTS - 1);
  g_autoptr (GPtrArray) left = tall_test_find (self->front, (TallVerifyOptions){ 0 }, &summary);
  g_assert_cmpuint (left->len, ==, 2);
  service_stop (&service);
}

/* A table whose calls wait until they may go on, and take their time then. */
typedef struct
{
  GMutex mutex;
  GCond changed;
  gboolean held;
  guint n_calls;
} Slow;

static TallFailure
be_slow (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call G_GNUC_UNUSED, gpointer data)
{
  Slow *self = data;
  g_mutex_lock (&self->mutex);
  self->n_calls++;
  g_cond_broadcast (&self->changed);
  while (self->held)
    g_cond_wait (&self->changed, &self->mutex);
  g_mutex_unlock (&self->mutex);
  g_usleep (G_USEC_PER_SEC / 8);
  return TALL_FAILURE_NONE;
}

/* Asks for a part, and leaves as soon as the server works on it. */
static void
ask_and_leave (Slow *slow, const char *address)
{
  g_autoptr (GSocketConnection) connection = tall_test_connect (address);
  g_auto (TallTestMessage) message;
  tall_test_message_init (&message, FALSE, "verify", T_CALL);
  tall_test_message_begin_struct (&message, 1);
  tall_test_message_end_struct (&message);
  tall_test_message_end_struct (&message);
  tall_test_send_frame (connection, tall_test_message_get (&message));
  g_mutex_lock (&slow->mutex);
  while (slow->n_calls == 0)
    g_cond_wait (&slow->changed, &slow->mutex);
  g_assert_true (g_io_stream_close (G_IO_STREAM (connection), NULL, NULL));
  slow->held = FALSE;
  g_cond_broadcast (&slow->changed);
  g_mutex_unlock (&slow->mutex);
}

/* A client that goes away has asked for a part only: its place is free after a second, and nothing
 * goes on. */
static void
test_gone (TallStoreFixture *self, gconstpointer data)
{
  Service service;
  const TallStoreKind *kind = data;
  Slow slow = { .held = TRUE };
  if (kind->layout != &tall_layout_blob || kind->key_strategy != &tall_key_hashed)
    return;
  g_autofree char *note = g_strnfill (1000 * 1000, 'x');
  for (guint i = 0; i < N_PAGES; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      g_autoptr (TallOrder) order = tall_test_marked_order (number, 1, 1, 1);
      order->currency = note;
      tall_fixture_put (self, order, NULL);
    }
  g_autoptr (TallTable) table = tall_failing_table_new (self->table);
  g_autoptr (TallStore) store = tall_test_open (table, &self->clock);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), be_slow, NULL, &slow);
  service_start (&service, TALL_FRONT (store), &(TallServerOptions){ .max_connections = 1 });
  ask_and_leave (&slow, tall_server_get_address (service.server));
  gint64 left = g_get_monotonic_time ();
  while (!tall_front_ping (service.client, NULL)) /* the only place is taken */
    {
      g_assert_cmpint (g_get_monotonic_time () - left, <, 20 * G_USEC_PER_SEC);
      g_usleep (G_USEC_PER_SEC / 50);
    }
  g_assert_cmpuint (slow.n_calls, <, N_PAGES);
  service_stop (&service);
}

int
main (int argc, char **argv)
{
  static const TallStoreTest tests[] = {
    { "same", test_same },
    { "proxy", test_proxy },
    { "failures", test_failures },
    { "broken", test_broken },
    { "wrong-answer", test_wrong_answer },
    { "request", test_request },
    { "answer", test_answer },
    { "older-client", test_older_client },
    { "many", test_many },
    { "many-suspects", test_many_suspects },
    { "gone", test_gone },
  };
  g_test_init (&argc, &argv, NULL);
  g_log_set_always_fatal (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL); /* failures are logged */
  tall_store_fixture_add ("service/verify", tests, G_N_ELEMENTS (tests));
  return g_test_run ();
}
