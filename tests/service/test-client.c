/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-client.h"

#include "service/calls/calls.h"
#include "service/client/client.h"
#include "tall-error.h"
#include "service/access/places.h"
#include "tall-test-orders.h"
#include "tall-test-service.h"
#include "tall-must.h"

typedef TallTestService Fixture;

static void
set_up (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  tall_test_service_start (f, NULL);
}

static void
tear_down (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  tall_test_service_stop (f);
}

static void
test_random_orders (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (20240601);

  for (guint i = 0; i < 300; i++)
    {
      gint64 stored = 0, fetched = 0;
      g_autoptr (TallOrder) order = tall_test_random_order (rand, i % 50 == 0 ? 5000 : 20);
      must (tall_front_put_order (f->client, order, NULL, &stored, &error));

      g_autoptr (TallOrder) got =
          must (tall_front_get_order (f->client, order->customer_number, order->order_number,
                                      &fetched, &error));
      tall_test_assert_order_equal (order, got);
      g_assert_cmpint (stored, ==, fetched);
    }
}

static void
test_describe (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallDescription) got = must (tall_front_describe (f->client, &error));

  g_assert_cmpstr (got->name, ==, "tests");
  g_assert_cmpstr (got->layout, ==, "blob");
  g_assert_cmpstr (got->key_strategy, ==, "hashed");
  g_assert_cmpstr (got->store, ==, "memory");
  g_assert_cmpuint (got->format, ==, 3);
  g_assert_cmpuint (got->schema, ==, 7);
  g_assert_true (got->read_only);
  g_assert_cmpstr (got->version, ==, TALL_VERSION);
  g_assert_cmpstr (got->index, ==, "date");
  g_assert_cmpuint (got->ttl, ==, G_GUINT64_CONSTANT (1) << 40);
  g_assert_cmpuint (got->regions, ==, 12);
  g_assert_cmpstr (got->compression, ==, "zstd");
  g_assert_null (got->bloom_filter);
  g_assert_cmpstr (got->block_encoding, ==, "diff");
  g_assert_cmpuint (got->newest_format, ==, 5);
  g_assert_cmpuint (got->generation, ==, 9);
  g_assert_cmpstr (got->phase, ==, "copying");
  g_assert_cmpstr (got->next_layout, ==, "wide");
  g_assert_cmpstr (got->next_key_strategy, ==, "numeric");
  g_assert_cmpstr (got->next_index, ==, "none");
  g_assert_cmpuint (got->n_calls, ==, g_strv_length (got->calls));
  g_assert_true (g_strv_contains ((const char *const *)got->calls, "getOrder"));
  g_assert_true (g_strv_contains ((const char *const *)got->calls, "ping"));
  g_assert_cmpuint (got->n_protocols, ==, 2);
  g_assert_cmpstr (got->protocols[0], ==, "binary");
  g_assert_cmpstr (got->protocols[1], ==, "compact");
}

/* Whether a field of a description is there, and is not zero. */
static gboolean
is_told (const TallDescription *description, const TallStructField *field)
{
  if (field->kind == TALL_KIND_I32 || field->kind == TALL_KIND_BOOL)
    return G_STRUCT_MEMBER (gint32, description, field->offset) != 0;
  if (field->kind == TALL_KIND_I64)
    return G_STRUCT_MEMBER (gint64, description, field->offset) != 0;
  return G_STRUCT_MEMBER (gpointer, description, field->offset) != NULL;
}

/* A client elsewhere is not an administrator, and gets each field but these. */
static void
test_describe_elsewhere (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  static const char *const details[] = {
    "regions", "compression", "bloom_filter",      "block_encoding", "generation",
    "phase",   "next_layout", "next_key_strategy", "next_index",     NULL
  };
  g_autoptr (GPtrArray) proxies = tall_networks_parse ("127.0.0.0/8", NULL);
  tall_test_service_stop (f);
  tall_test_service_start (f, &(TallServerOptions){ .trusted_proxies = proxies });
  g_autoptr (TallDescription) all = tall_front_describe (f->front, NULL);
  g_autoptr (TallDescription) got = must (tall_front_describe (f->client, &error));

  const TallStructType *type = TALL_CALL (describe)->result->fields[0].type;
  g_assert_cmpstr (type->name, ==, "Description");
  g_assert_false (got->has_details);
  for (guint i = 0; i < type->n_fields; i++)
    {
      const TallStructField *field = &type->fields[i];
      g_test_message ("%s", field->name);
      if (g_strv_contains (details, field->name))
        g_assert_false (is_told (got, field));
      else if (is_told (all, field))
        g_assert_true (is_told (got, field));
    }
}

/* Nine tenths of any time, however short or long. */
static void
test_shorter_time (Fixture *f G_GNUC_UNUSED, gconstpointer data G_GNUC_UNUSED)
{
  static const guint times[][2] = {
    { 1, 1 }, { 2, 1 }, { 9, 8 }, { 19, 17 }, { 1005, 904 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    {
      TallWriteOptions options = { .timeout = times[i][0] };
      TallIdlOptions wire;
      tall_client_init_options (&wire, &options);
      g_assert_cmpint (wire.timeout_ms, ==, times[i][1]);
    }
}

static void
test_options (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", "10248", 1);
  TallWriteOptions options = { .condition = TALL_IF_ABSENT, .has_token = TRUE, .timeout = 5000 };
  memcpy (options.token, "\0token\0of\0sixtee", TALL_TOKEN_SIZE);
  gint64 first = 0, second = 0;

  must (tall_front_put_order (f->client, order, &options, &first, &error));
  TallWriteOptions got = tall_test_front_get_options (f->test_front);
  g_assert_cmpint (got.condition, ==, TALL_IF_ABSENT);
  g_assert_true (got.has_token);
  g_assert_cmpmem (got.token, TALL_TOKEN_SIZE, options.token, TALL_TOKEN_SIZE);
  g_assert_cmpuint (got.timeout, ==, 4500);

  /* Sent again with its token: stored once, although the condition no longer holds. */
  must (tall_front_put_order (f->client, order, &options, &second, &error));
  g_assert_cmpint (first, ==, second);
  g_assert_cmpuint (tall_test_front_count_stored (f->test_front), ==, 1);

  options.has_token = FALSE;
  g_assert_false (tall_front_put_order (f->client, order, &options, NULL, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_CONFLICT);
  g_assert_cmpint (tall_error_get_revision (error), ==, first);

  /* A deletion has one of the client's own. */
  g_autoptr (TallCustomer) customer = tall_test_plain_customer ("OTHER");
  must (tall_front_put_customer (f->client, customer, NULL, NULL, &error));
  must (tall_front_delete_customer (f->client, "OTHER", NULL, &error));
  g_assert_true (tall_test_front_get_options (f->test_front).has_token);
}

/* Each code, with what belongs to it; of some the message stays in the server. */
static void
test_errors (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  static const struct
  {
    TallError code;
    gboolean is_passed_on;
  } cases[] = {
    { TALL_ERROR_NOT_FOUND, TRUE },     { TALL_ERROR_TOO_LARGE, TRUE },
    { TALL_ERROR_KEY_COLLISION, TRUE }, { TALL_ERROR_UNSUPPORTED, TRUE },
    { TALL_ERROR_OVERLOADED, FALSE },   { TALL_ERROR_UNAVAILABLE, FALSE },
    { TALL_ERROR_TIMED_OUT, FALSE },    { TALL_ERROR_OUTCOME_UNKNOWN, FALSE },
    { TALL_ERROR_DAMAGED, TRUE },       { TALL_ERROR_NEWER_VERSION, TRUE },
    { TALL_ERROR_INTERNAL, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      if (cases[i].code >= TALL_ERROR_OVERLOADED)
        g_test_expect_message ("tallorder",
                               cases[i].code == TALL_ERROR_OVERLOADED ? G_LOG_LEVEL_MESSAGE
                                                                      : G_LOG_LEVEL_WARNING,
                               "*Fetching order 10248 of VINET: at /secret/path");
      tall_test_front_fail_next (f->test_front, g_error_new_literal (TALL_ERROR, (int)cases[i].code,
                                                                     "at /secret/path"));
      g_assert_null (tall_front_get_order (f->client, "VINET", "10248", NULL, &error));
      g_test_assert_expected_messages ();
      g_assert_error (error, TALL_ERROR, (int)cases[i].code);
      g_assert_cmpint (strstr (error->message, "/secret") != NULL, ==, cases[i].is_passed_on);
      if (!cases[i].is_passed_on)
        g_assert_nonnull (strstr (error->message, "Fetching order 10248 of VINET: "));
    }
}

static void
test_error_details (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;
  GError *invalid = NULL, *conflict = NULL;

  tall_error_set_invalid (&invalid, "shipping_locations[2].name", "too \xc3\xa4gly");
  tall_test_front_fail_next (f->test_front, invalid);
  g_assert_false (tall_front_ping (f->client, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_cmpstr (error->message, ==, "too \xc3\xa4gly");
  g_assert_cmpstr (tall_error_get_field (error), ==, "shipping_locations[2].name");
  g_clear_error (&error);

  tall_error_set_conflict (&conflict, G_MAXINT64, "newer");
  tall_test_front_fail_next (f->test_front, conflict);
  g_assert_false (tall_front_ping (f->client, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_CONFLICT);
  g_assert_cmpint (tall_error_get_revision (error), ==, G_MAXINT64);
  g_clear_error (&error);

  /* An error of another domain is an internal one. */
  g_test_expect_message ("tallorder", G_LOG_LEVEL_WARNING, "*Pinging the store: disk on fire*");
  tall_test_front_fail_next (f->test_front, g_error_new_literal (G_FILE_ERROR, 1, "disk on fire"));
  g_assert_false (tall_front_ping (f->client, &error));
  g_test_assert_expected_messages ();
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INTERNAL);
  g_assert_null (strstr (error->message, "fire"));
}

/* The server restarts on its port; the client's kept connection is closed then. */
static void
restart_server (Fixture *f)
{
  g_autofree char *address = g_strdup (tall_server_get_address (f->server));

  g_assert_true (tall_server_stop (f->server));
  g_object_unref (f->server);
  f->server = must (tall_server_new (f->front, address, NULL, &error));
}

static void
test_reconnect (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", "10248", 1);
  gint64 revision = 0;

  must (tall_front_put_order (f->client, order, NULL, &revision, &error));
  restart_server (f);
  g_autoptr (TallOrder) got =
      must (tall_front_get_order (f->client, "VINET", "10248", NULL, &error));
  tall_test_assert_order_equal (order, got);
  restart_server (f);
  must (tall_front_put_order (f->client, order, NULL, &revision, &error));
}

static void
test_unreachable (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", "10248", 1);

  g_assert_true (tall_server_stop (f->server));
  must_fail (tall_front_put_order (f->client, order, NULL, NULL, &error), TALL_ERROR_UNAVAILABLE,
             "Storing order 10248 of VINET", tall_server_get_address (f->server));

  must_fail (tall_client_new ("nowhere", &error), TALL_ERROR_INVALID);
}

static void
test_timeout (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", "10248", 1);
  TallWriteOptions options = { .timeout = 50 };

  tall_test_front_hold (f->test_front);
  must_fail (tall_front_put_order (f->client, order, &options, NULL, &error),
             TALL_ERROR_OUTCOME_UNKNOWN);
  must_fail (tall_front_delete_order (f->client, "VINET", "1", &options, &error),
             TALL_ERROR_OUTCOME_UNKNOWN);

  tall_client_set_timeout (TALL_CLIENT (f->client), 50);
  must_fail (tall_front_ping (f->client, &error), TALL_ERROR_TIMED_OUT);
  tall_test_front_let_go (f->test_front);

  /* The late answers must not be taken for the answers to later calls. */
  tall_client_set_timeout (TALL_CLIENT (f->client), 15000);
  g_autoptr (TallDescription) got = must (tall_front_describe (f->client, &error));
  g_assert_cmpstr (got->name, ==, "tests");
}

/* Another thread of a test that uses the client at the same time. */
static gpointer
use_client (gpointer data)
{
  TallFront *client = data;
  g_autofree char *number = g_strdup_printf ("%p", (gpointer)g_thread_self ());

  for (guint i = 0; i < 200; i++)
    {
      g_autofree char *order_number = g_strdup_printf ("%u", i);
      g_autoptr (TallOrder) order = tall_test_order_with_lines (number, order_number, i % 5);
      must (tall_front_put_order (client, order, NULL, NULL, &error));
      g_autoptr (TallOrder) got =
          must (tall_front_get_order (client, number, order_number, NULL, &error));
      tall_test_assert_order_equal (order, got);
    }
  return NULL;
}

static void
test_threads (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  GThread *threads[8];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("user", use_client, f->client);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_cmpuint (tall_test_front_count_stored (f->test_front), ==, 8 * 200);
}

/* An address comes from a person. */
static void
test_tls_of_a_plain_address (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  must_fail (tall_client_use_tls (TALL_CLIENT (f->client), NULL, NULL, NULL, &error),
             TALL_ERROR_INVALID, "tls://");
}

#define ADD(path, function) g_test_add (path, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/service/client/random-orders", test_random_orders);
  ADD ("/service/client/describe", test_describe);
  ADD ("/service/client/describe/elsewhere", test_describe_elsewhere);
  ADD ("/service/client/options", test_options);
  ADD ("/service/client/errors", test_errors);
  ADD ("/service/client/error-details", test_error_details);
  ADD ("/service/client/reconnect", test_reconnect);
  ADD ("/service/client/unreachable", test_unreachable);
  ADD ("/service/client/shorter-time", test_shorter_time);
  ADD ("/service/client/timeout", test_timeout);
  ADD ("/service/client/threads", test_threads);
  ADD ("/service/client/tls-of-a-plain-address", test_tls_of_a_plain_address);
  return g_test_run ();
}
