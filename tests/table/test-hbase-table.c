/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-hbase-fixture.h"
#include "tall-must.h"

/* What the table does when gateways fail. What it does when they do not is for the conformance
 * suite, on real ones. */

/* Connections stay open from call to call. */
static void
test_kept (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  g_autoptr (TallTable) table = tall_hbase_fixture_open (gateway);

  for (guint i = 0; i < 10; i++)
    must (tall_hbase_fixture_read (table, 1, SOON, &error));
  g_assert_cmpuint (tall_fake_gateway_get_connections (gateway), ==, 1);
  g_assert_cmpuint (tall_fake_gateway_get_calls (gateway, "getThriftServerType"), ==, 1);
  g_assert_cmpuint (tall_fake_gateway_get_calls (gateway, "get"), ==, 10);
}

static double
find_measure (TallTable *table, const char *name)
{
  g_autoptr (GArray) measures = tall_table_list_measures (table);
  for (guint i = 0; i < measures->len; i++)
    if (g_str_equal (g_array_index (measures, TallTableMeasure, i).name, name))
      return g_array_index (measures, TallTableMeasure, i).value;
  g_error ("no measure %s", name);
}

/* Bytes of requests and replies are counted: the same call, the same bytes. */
static void
test_traffic (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  g_autoptr (TallTable) table = tall_hbase_fixture_open (gateway);
  double sent[4] = { 0 }, received[4] = { 0 };
  for (guint i = 0; i < 4; i++)
    {
      must (tall_hbase_fixture_read (table, 1, SOON, &error));
      sent[i] = find_measure (table, TALL_HBASE_SENT_BYTES);
      received[i] = find_measure (table, TALL_HBASE_RECEIVED_BYTES);
    }
  g_assert_cmpfloat (sent[1] - sent[0], >=, 30); /* a message with a name, a table and a row */
  g_assert_cmpfloat (sent[3] - sent[2], ==, sent[2] - sent[1]);
  g_assert_cmpfloat (received[2] - received[1], >=, 20);
  g_assert_cmpfloat (received[3] - received[2], ==, received[2] - received[1]);
}

/* Reads of a plan wait for each other at the gateway: so all were sent before one was received. */
static void
test_together (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  g_autoptr (TallTable) table = tall_hbase_fixture_open (gateway);
  tall_fake_gateway_set_answer (gateway, "get", TALL_FAKE_TOGETHER, 3);

  must (tall_hbase_fixture_read (table, 3, SOON, &error));
  g_assert_cmpuint (tall_fake_gateway_get_connections (gateway), ==, 3);
}

/* The last read of a plan is sent and awaited before the others: of two errors its own counts. */
static void
test_last_first (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  g_autoptr (TallTable) table = tall_hbase_fixture_open (gateway);
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();

  tall_read_plan_add_get (plan, "orders", tall_slice_str ("row"));
  tall_read_plan_add_prefix_scan (plan, "orders", tall_slice_str ("row"));
  tall_fake_gateway_set_answer (gateway, "get", TALL_FAKE_BUSY, 1);
  tall_fake_gateway_set_answer (gateway, "getScannerResults", TALL_FAKE_ERROR, 1);
  must_fail (tall_table_read (table, plan, SOON, &error), TALL_ERROR_UNAVAILABLE, "it hurts");
}

/* As many rows as a load puts at once leave in one request. */
static void
test_rows_of_a_request (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  g_autoptr (TallTable) table = tall_hbase_fixture_open (gateway);
  g_autoptr (TallBatch) batch = tall_batch_new ();

  for (guint i = 0; i < 256; i++)
    {
      const char *row = tall_arena_printf (batch->arena, "row-%u", i);
      tall_mutation_put (batch, tall_batch_add (batch, "orders", tall_slice_str (row)),
                         tall_slice_str ("s"), 2, tall_slice_str ("value"));
    }
  must (tall_table_apply (table, (TallMutation *const *)batch->mutations->pdata,
                          batch->mutations->len, TALL_DURABLE, SOON, &error));
  g_assert_cmpuint (tall_fake_gateway_get_calls (gateway, "putMultiple"), ==, 1);
}

/* The gateway closed idle connections: nobody notices, whatever the call. */
static void
test_closed_while_idle (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  g_autoptr (TallTable) table = tall_hbase_fixture_open (gateway);

  tall_fake_gateway_close_connections (gateway);
  must (tall_hbase_fixture_read (table, 1, SOON, &error));
  tall_fake_gateway_close_connections (gateway);
  must (tall_hbase_fixture_write_if (table, SOON, &error));
  g_assert_cmpuint (tall_fake_gateway_get_calls (gateway, "checkAndPut"), ==, 1);
}

static gboolean
read_one (TallTable *table, gint64 deadline, GError **error)
{
  return tall_hbase_fixture_read (table, 1, deadline, error);
}

static gboolean
delete_one (TallTable *table, gint64 deadline, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, "orders", tall_slice_str ("row"));
  tall_mutation_delete_at (batch, mutation, 2);
  return tall_table_apply (table, &mutation, 1, TALL_DURABLE, deadline, error);
}

typedef gboolean (*Call) (TallTable *table, gint64 deadline, GError **error);

/* What becomes of a call whose first requests are answered so. */
static const struct
{
  Call call;
  const char *method;
  TallFakeAnswer answer;
  guint n_answers;
  int code; /* 0: the call succeeds */
  const char *words;
  guint n_requests;
  gboolean is_kept; /* the connection, for the next call */
} answered[] = {
  /* It closes the connection when a request has come: harmless calls are sent again, twice. */
  { read_one, "get", TALL_FAKE_CLOSE, 1, 0, "", 2, FALSE },
  { tall_hbase_fixture_write, "putMultiple", TALL_FAKE_CLOSE, 1, 0, "", 2, FALSE },
  { read_one, "get", TALL_FAKE_CLOSE, 3, TALL_ERROR_UNAVAILABLE, "", 3, FALSE },
  /* The answer of another call is nobody's answer, and the next connection is without blame. */
  { read_one, "get", TALL_FAKE_OTHER_CALL, 1, 0, "", 2, FALSE },
  { read_one, "get", TALL_FAKE_OTHER_CALL, 3, TALL_ERROR_INTERNAL, "malformed message: reply", 3,
    FALSE },
  { read_one, "get", TALL_FAKE_OTHER_ROW, 1, TALL_ERROR_INTERNAL, "", 1, FALSE },
  /* An error that the gateway declares leaves the connection as it is. */
  { read_one, "get", TALL_FAKE_ERROR, 1, TALL_ERROR_UNAVAILABLE, "it hurts", 1, TRUE },
  { tall_hbase_fixture_write, "putMultiple", TALL_FAKE_ERROR, 1, TALL_ERROR_UNAVAILABLE, "", 1,
    TRUE },
  /* It names deletes that failed instead of an error: they are sent again, once. */
  { delete_one, "deleteMultiple", TALL_FAKE_FAILED, 1, 0, "", 2, FALSE },
  { delete_one, "deleteMultiple", TALL_FAKE_FAILED, 2, TALL_ERROR_UNAVAILABLE,
    "1 of 1 deletes failed", 2, FALSE },
};

static void
test_answered (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (answered); i++)
    {
      g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
      g_autoptr (TallTable) table = tall_hbase_fixture_open (gateway);
      const char *method = answered[i].method;
      g_test_message ("%s, row %u", method, i);
      tall_fake_gateway_set_answer (gateway, method, answered[i].answer, answered[i].n_answers);
      if (answered[i].code == 0)
        must (answered[i].call (table, SOON, &error));
      else
        must_fail (answered[i].call (table, SOON, &error), answered[i].code, answered[i].words);
      g_assert_cmpuint (tall_fake_gateway_get_calls (gateway, method), ==, answered[i].n_requests);
      if (!answered[i].is_kept)
        continue;
      must (read_one (table, SOON, &error));
      g_assert_cmpuint (tall_fake_gateway_get_connections (gateway), ==, 1);
    }
}

/* @write is done once at most. A deadline that passes before the request is on its way is not a
 * lost answer: on a busy machine it is tried again, with more time. If it was on its way, the
 * gateway would answer the second one.
 */
static void
expect_once (TallFakeGateway *gateway,
             TallTable *table,
             Call write,
             const char *method,
             TallFakeAnswer answer)
{
  g_autoptr (GError) error = NULL;
  guint calls = tall_fake_gateway_get_calls (gateway, method);
  gboolean waits = answer == TALL_FAKE_SILENT;
  gint64 time = 100 * G_TIME_SPAN_MILLISECOND;
  tall_fake_gateway_set_answer (gateway, method, answer, 1);
  do
    {
      g_clear_error (&error);
      must (tall_hbase_fixture_read (table, 1, SOON, &error)); /* so it is connected */
      gint64 deadline = waits ? g_get_monotonic_time () + time : TALL_NO_DEADLINE;
      g_assert_false (write (table, deadline, &error));
      time *= 2;
    }
  while (waits && g_error_matches (error, TALL_ERROR, TALL_ERROR_TIMED_OUT));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN);
  tall_fake_gateway_wait_for_calls (gateway, method, calls + 1);
  g_assert_cmpuint (tall_fake_gateway_get_calls (gateway, method), ==, calls + 1);
}

static void
expect_unknown (TallFakeGateway *gateway, TallFakeAnswer answer)
{
  g_autoptr (TallTable) table = tall_hbase_fixture_open (gateway);
  expect_once (gateway, table, tall_hbase_fixture_write_if, "checkAndPut", answer);
  expect_once (gateway, table, tall_hbase_fixture_count, "increment", answer);
}

/* A conditional write or an increment whose answer is lost is never sent again. */
static void
test_lost_answers (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  expect_unknown (gateway, TALL_FAKE_OTHER_CALL);
  expect_unknown (gateway, TALL_FAKE_CLOSE);
  expect_unknown (gateway, TALL_FAKE_SILENT);
  expect_unknown (gateway, TALL_FAKE_ERROR);
}

/* After a time-out the connection goes: its late answer must not be taken for another's. */
static void
test_timed_out (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  g_autoptr (TallTable) table = tall_hbase_fixture_open (gateway);

  tall_fake_gateway_set_answer (gateway, "get", TALL_FAKE_SILENT, 1);
  gint64 start = g_get_monotonic_time ();
  must_fail (tall_hbase_fixture_read (table, 1, NEAR, &error), TALL_ERROR_TIMED_OUT);
  g_assert_cmpint (g_get_monotonic_time () - start, <, 15 * G_TIME_SPAN_SECOND);

  must (tall_hbase_fixture_read (table, 1, SOON, &error));
  g_assert_cmpuint (tall_fake_gateway_get_connections (gateway), ==, 2);
}

/* Replies that are cut, make no sense or belong to another call: each is an error of its own and
 * the end of its connection, never a row. */
static const struct
{
  TallFakeAnswer answer;
  TallError code;
  const char *hint;
} spoilt[] = {
  { TALL_FAKE_CUT, TALL_ERROR_UNAVAILABLE, "within a message" },
  { TALL_FAKE_GARBLED, TALL_ERROR_INTERNAL, "malformed" },
  { TALL_FAKE_OTHER_CALL, TALL_ERROR_INTERNAL, "is due" },
  { TALL_FAKE_OTHER_METHOD, TALL_ERROR_INTERNAL, "\"exists\"" },
  { TALL_FAKE_UNKNOWN, TALL_ERROR_INTERNAL, "unknown method: " TALL_FAKE_REASON_SHOWN },
};

static void
test_spoilt_replies (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (spoilt); i++)
    {
      g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
      g_autoptr (TallTable) table = tall_hbase_fixture_open (gateway);
      g_autoptr (GError) error = NULL;

      tall_fake_gateway_set_answer (gateway, "get", spoilt[i].answer, 3);
      g_assert_false (tall_hbase_fixture_read (table, 1, SOON, &error));
      g_test_message ("%s", error->message);
      g_assert_error (error, TALL_ERROR, (int)spoilt[i].code);
      g_assert_true (tall_hbase_fixture_tells (error, spoilt[i].hint));
      g_assert_true (tall_hbase_fixture_tells (error, tall_fake_gateway_get_address (gateway)));
      g_clear_error (&error);

      tall_fake_gateway_set_answer (gateway, "get", TALL_FAKE_ANSWER, 0);
      must (tall_hbase_fixture_read (table, 1, SOON, &error));

      /* Whether a conditional write was done is unknown then. (Thrift's generated code leaks memory
       * with every exception that it reads.) */
      if (spoilt[i].answer == TALL_FAKE_UNKNOWN)
        continue;
      tall_fake_gateway_set_answer (gateway, "checkAndPut", spoilt[i].answer, 1);
      must_fail (tall_hbase_fixture_write_if (table, SOON, &error), TALL_ERROR_OUTCOME_UNKNOWN);
    }
}

static void
test_bad_options (void)
{
  static const char *const bad_addresses[] = { "localhost", "localhost:0", ":9090", "a:b:c", "" };
  for (guint i = 0; i < G_N_ELEMENTS (bad_addresses); i++)
    tall_hbase_fixture_expect_not_opened (bad_addresses[i], FALSE, FALSE, TALL_ERROR_INVALID,
                                          "host:port");

  static const char *const bad_names[] = { "",   "-a", "a b",   "ä",   "a:b:c",
                                           ":a", "a:", "n-s:a", "a/b", ".a" };
  const char *gateways[] = { "127.0.0.1:1", NULL };
  for (guint i = 0; i < G_N_ELEMENTS (bad_names); i++)
    {
      TallHbaseOptions options = TALL_HBASE_OPTIONS_INIT;
      options.gateways = gateways;
      options.name = bad_names[i];
      must_fail (tall_hbase_table_open (&options, &error), TALL_ERROR_INVALID);
    }
}

static void
test_refused_by_us (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (TRUE, FALSE);
  const char *gateways[] = { tall_fake_gateway_get_address (gateway), NULL };
  g_autoptr (TallTable) table = must (tall_hbase_fixture_open_at (gateways, TRUE, FALSE, &error));

  g_autoptr (TallTableSpec) spec = tall_table_spec_new ("orders");
  spec->splits = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  g_ptr_array_add (spec->splits, g_bytes_new_static ("\x40", 1));
  must_fail (tall_table_create_table (table, spec, SOON, &error), TALL_ERROR_UNSUPPORTED,
             "create 'tallorder.orders'", "[\"\\x40\"]");

  g_autofree guint8 *large = g_malloc0 (2 * 1024 * 1024);
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, "orders", tall_slice_str ("row"));
  tall_mutation_put (batch, mutation, tall_slice_str ("q"), 2, tall_slice (large, 2 * 1024 * 1024));
  must_fail (tall_table_apply (table, &mutation, 1, TALL_DURABLE, SOON, &error),
             TALL_ERROR_TOO_LARGE);
}

static GError *
create_split (TallFakeGateway *gateway, const char *start_key)
{
  g_autoptr (TallTable) table = tall_hbase_fixture_open (gateway);
  g_autoptr (TallTableSpec) spec = tall_table_spec_new ("orders");
  GError *error = NULL;

  spec->splits = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  g_ptr_array_add (spec->splits, g_bytes_new (start_key, strlen (start_key)));
  tall_fake_gateway_set_answer (gateway, "tableExists", TALL_FAKE_NO, 1);
  gboolean created = tall_table_create_table (table, spec, SOON, &error);
  g_assert_cmpint (created, ==, error == NULL);
  return error;
}

/* A table that was made with other regions than asked is not left behind, but dropped, and the
 * error tells; also when it could not be dropped. */
static void
test_other_regions (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  g_autoptr (GError) same = create_split (gateway, "B");
  g_assert_no_error (same);
  g_assert_cmpuint (tall_fake_gateway_get_calls (gateway, "createTable"), ==, 1);
  g_assert_cmpuint (tall_fake_gateway_get_calls (gateway, "deleteTable"), ==, 0);

  g_autoptr (GError) other = create_split (gateway, "C");
  g_assert_error (other, TALL_ERROR, TALL_ERROR_UNSUPPORTED);
  g_assert_true (tall_hbase_fixture_tells (other, "table orders with other regions"));
  g_assert_true (tall_hbase_fixture_tells (other, "was dropped"));
  g_assert_cmpuint (tall_fake_gateway_get_calls (gateway, "createTable"), ==, 2);
  g_assert_cmpuint (tall_fake_gateway_get_calls (gateway, "disableTable"), ==, 1);
  g_assert_cmpuint (tall_fake_gateway_get_calls (gateway, "deleteTable"), ==, 1);

  tall_fake_gateway_set_answer (gateway, "deleteTable", TALL_FAKE_ERROR, 100);
  g_autoptr (GError) left = create_split (gateway, "C");
  g_assert_error (left, TALL_ERROR, TALL_ERROR_UNSUPPORTED);
  g_assert_true (tall_hbase_fixture_tells (left, "could not be dropped"));
}

/* A table that is not there is known without HBase's master, which a description comes from. */
static void
test_describe_absent (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  g_autoptr (TallTable) table = tall_hbase_fixture_open (gateway);
  tall_fake_gateway_set_answer (gateway, "tableExists", TALL_FAKE_NO, 1);
  must_fail (tall_table_describe_table (table, "orders", SOON, &error), TALL_ERROR_NOT_FOUND);
  g_assert_cmpuint (tall_fake_gateway_get_calls (gateway, "getTableDescriptor"), ==, 0);
}

/* Silent gateways are not an error of the caller's time. */
static void
test_silent_gateways (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  tall_fake_gateway_set_answer (gateway, "getThriftServerType", TALL_FAKE_SILENT, 100);
  const char *gateways[] = { tall_fake_gateway_get_address (gateway), NULL };
  must_fail (tall_hbase_fixture_open_at (gateways, FALSE, FALSE, &error), TALL_ERROR_UNAVAILABLE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table/hbase/kept", test_kept);
  g_test_add_func ("/table/hbase/traffic", test_traffic);
  g_test_add_func ("/table/hbase/together", test_together);
  g_test_add_func ("/table/hbase/last-first", test_last_first);
  g_test_add_func ("/table/hbase/rows-of-a-request", test_rows_of_a_request);
  g_test_add_func ("/table/hbase/closed-while-idle", test_closed_while_idle);
  g_test_add_func ("/table/hbase/answered", test_answered);
  g_test_add_func ("/table/hbase/lost-answers", test_lost_answers);
  g_test_add_func ("/table/hbase/timed-out", test_timed_out);
  g_test_add_func ("/table/hbase/describe-absent", test_describe_absent);
  g_test_add_func ("/table/hbase/silent-gateways", test_silent_gateways);
  g_test_add_func ("/table/hbase/spoilt-replies", test_spoilt_replies);
  g_test_add_func ("/table/hbase/bad-options", test_bad_options);
  g_test_add_func ("/table/hbase/other-regions", test_other_regions);
  g_test_add_func ("/table/hbase/refused-by-us", test_refused_by_us);
  return g_test_run ();
}
