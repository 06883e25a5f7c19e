/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-fixture.h"
#include "tall-must.h"

/* Sealing and closing by a gateway that fails at each of its calls; the conformance suite does it
 * on a real HBase. */

#define SEALED "READONLY=true TALLORDER_SEAL=old"

typedef struct
{
  TallFakeGateway *gateway;
  TallTable *table;
} Fixture;

static void
fixture_init (Fixture *self, gboolean compact, const char *attributes, gboolean disabled)
{
  self->gateway = tall_fake_gateway_new (FALSE, compact);
  const char *gateways[] = { tall_fake_gateway_get_address (self->gateway), NULL };
  self->table = must (tall_hbase_fixture_open_at (gateways, FALSE, compact, &error));
  tall_fake_gateway_set_attributes (self->gateway, attributes);
  if (disabled)
    must (tall_table_set_access (self->table, "orders", TALL_ACCESS_CLOSED, NULL, SOON, &error));
}

static void
fixture_clear (Fixture *self)
{
  g_object_unref (self->table);
  tall_fake_gateway_free (self->gateway);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fixture, fixture_clear)

/* Returns: the code of the error, 0 for success */
static int
set_access (Fixture *self, TallTableAccess access, gint64 deadline)
{
  g_autoptr (GError) error = NULL;
  const char *seal = access == TALL_ACCESS_SEALED ? "new" : NULL;
  gboolean set = tall_table_set_access (self->table, "orders", access, seal, deadline, &error);
  if (error != NULL)
    g_test_message ("%s", error->message);
  g_assert_true (set == (error == NULL));
  return error == NULL ? 0 : error->code;
}

static void
expect_state (Fixture *self, const char *state)
{
  g_autofree char *is = tall_fake_gateway_describe (self->gateway);
  g_assert_cmpstr (is, ==, state);
}

static void
expect_described (Fixture *self, TallTableAccess access, const char *seal)
{
  g_autoptr (TallTableSpec) spec =
      must (tall_table_describe_table (self->table, "orders", SOON, &error));
  g_assert_cmpint (spec->access, ==, access);
  g_assert_cmpstr (spec->seal, ==, seal);
  g_assert_cmpuint (spec->max_versions, ==, 3);
}

static const struct
{
  const char *attributes;
  gboolean disabled;
  TallTableAccess access;
  const char *state; /* after it */
  const char *seal;
} changes[] = {
  { "A=1", FALSE, TALL_ACCESS_OPEN, "enabled A=1", NULL },
  { "A=1", FALSE, TALL_ACCESS_SEALED, "enabled A=1 READONLY=true TALLORDER_SEAL=new", "new" },
  { "A=1", FALSE, TALL_ACCESS_CLOSED, "disabled A=1", NULL },
  { SEALED " A=1", FALSE, TALL_ACCESS_SEALED, "enabled A=1 READONLY=true TALLORDER_SEAL=new",
    "new" },
  { SEALED " A=1", FALSE, TALL_ACCESS_CLOSED, "disabled " SEALED " A=1", "old" },
  { SEALED " A=1", FALSE, TALL_ACCESS_UNCLOSED, "enabled " SEALED " A=1", "old" },
  { SEALED " A=1", TRUE, TALL_ACCESS_OPEN, "disabled A=1", NULL },
  { SEALED " A=1", TRUE, TALL_ACCESS_SEALED, "disabled A=1 READONLY=true TALLORDER_SEAL=new",
    "new" },
  { SEALED " A=1", TRUE, TALL_ACCESS_CLOSED, "disabled " SEALED " A=1", "old" },
  { SEALED " A=1", TRUE, TALL_ACCESS_UNCLOSED, "enabled " SEALED " A=1", "old" },
  { "A=1", TRUE, TALL_ACCESS_UNCLOSED, "enabled A=1", NULL },
};

static TallTableAccess
find_access (const char *state)
{
  if (g_str_has_prefix (state, "disabled"))
    return TALL_ACCESS_CLOSED;
  return strstr (state, "READONLY") != NULL ? TALL_ACCESS_SEALED : TALL_ACCESS_OPEN;
}

/* Nothing but what is asked for: above all a seal, which may come late, enables nothing. */
static void
test_changes (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      g_auto (Fixture) f;
      fixture_init (&f, GPOINTER_TO_INT (data), changes[i].attributes, changes[i].disabled);
      g_assert_cmpint (set_access (&f, changes[i].access, SOON), ==, 0);
      expect_state (&f, changes[i].state);
      expect_described (&f, find_access (changes[i].state), changes[i].seal);
      if (changes[i].access != TALL_ACCESS_UNCLOSED)
        g_assert_cmpuint (tall_fake_gateway_get_calls (f.gateway, "enableTable"), ==, 0);
    }
}

/* What sealing a table calls, one after the other. */
static const struct
{
  const char *method;
  guint before;       /* calls of it that go well first */
  gboolean is_change; /* it changes the table, so that nobody knows what became of it */
} calls[] = {
  { "tableExists", 0, FALSE },
  { "getTableDescriptor", 0, FALSE },
  { "modifyTable", 0, TRUE },
  { "getTableDescriptor", 1, FALSE },
};

/* Fails a call for good: the first one, or the one after it. */
static int
set_access_failing (Fixture *self, guint i, TallTableAccess access, TallFakeAnswer answer)
{
  if (calls[i].before == 0)
    {
      tall_fake_gateway_set_answer (self->gateway, calls[i].method, answer, 1);
      return set_access (self, access, SOON);
    }
  /* The gateway says "done" and keeps nothing: what is read after it is not what was sent. */
  tall_fake_gateway_set_answer (self->gateway, "modifyTable", TALL_FAKE_NO, 1);
  return set_access (self, access, SOON);
}

/* After each failure the table is not more open than before and after the whole; and whoever comes
 * next gets it done. */
static void
test_failures (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    for (guint spoilt = 0; spoilt < 2; spoilt++)
      {
        const TallFakeAnswer answer = spoilt ? TALL_FAKE_CUT : TALL_FAKE_ERROR;
        g_auto (Fixture) f;
        fixture_init (&f, GPOINTER_TO_INT (data), SEALED, TRUE);
        int code = set_access_failing (&f, i, TALL_ACCESS_SEALED, answer);
        g_test_message ("%s %u: %d", calls[i].method, answer, code);
        if (calls[i].is_change || calls[i].before > 0)
          g_assert_cmpint (code, ==, TALL_ERROR_OUTCOME_UNKNOWN);
        else if (spoilt)
          g_assert_cmpint (code, ==, 0); /* a question is asked again */
        else
          g_assert_cmpint (code, ==, TALL_ERROR_UNAVAILABLE);
        g_autofree char *state = tall_fake_gateway_describe (f.gateway);
        g_assert_nonnull (strstr (state, "READONLY=true"));
        g_assert_cmpint (set_access (&f, TALL_ACCESS_SEALED, SOON), ==, 0);
        expect_state (&f, "disabled READONLY=true TALLORDER_SEAL=new");
      }
}

/* A table that is closed and not sealed stays closed if it cannot be sealed. */
static void
test_not_sealed (gconstpointer data)
{
  g_auto (Fixture) f;
  fixture_init (&f, GPOINTER_TO_INT (data), "A=1", TRUE);
  tall_fake_gateway_set_answer (f.gateway, "modifyTable", TALL_FAKE_ERROR, 1);
  g_assert_cmpint (set_access (&f, TALL_ACCESS_SEALED, SOON), ==, TALL_ERROR_OUTCOME_UNKNOWN);
  expect_state (&f, "disabled A=1");
  /* One that is being disabled is not closed yet. */
  tall_fake_gateway_set_answer (f.gateway, "isTableDisabled", TALL_FAKE_NO, 1);
  expect_described (&f, TALL_ACCESS_OPEN, NULL);
  expect_described (&f, TALL_ACCESS_CLOSED, NULL);
}

/* A descriptor that comes in many pieces goes back whole. */
static void
test_large (gconstpointer data)
{
  g_autofree char *value = g_strnfill (400000, 'v');
  g_autofree char *attributes = g_strdup_printf ("A=1 B=%s C=2", value);
  g_autofree char *sealed =
      g_strdup_printf ("enabled %s READONLY=true TALLORDER_SEAL=new", attributes);
  g_auto (Fixture) f;
  fixture_init (&f, GPOINTER_TO_INT (data), attributes, FALSE);
  g_assert_cmpint (set_access (&f, TALL_ACCESS_SEALED, SOON), ==, 0);
  expect_state (&f, sealed);
}

/* Writes that HBase refuses, also those that may be sent only once, are certainly refused. */
static void
test_shut_writes (void)
{
  static const char *const reasons[] = {
    "org.apache.hadoop.hbase.DoNotRetryIOException: region is read only\n\tat x",
    "Failed 1 action: org.apache.hadoop.hbase.DoNotRetryIOException: region is read only",
    "tallorder.orders is disabled.",
  };
  g_auto (Fixture) f;
  fixture_init (&f, FALSE, "A=1", FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (reasons); i++)
    for (guint kind = 0; kind < 3; kind++)
      {
        static const char *const methods[] = { "checkAndPut", "putMultiple", "increment" };
        g_autoptr (GError) error = NULL;
        tall_fake_gateway_set_reason (f.gateway, reasons[i]);
        tall_fake_gateway_set_answer (f.gateway, methods[kind], TALL_FAKE_ERROR, 1);
        g_assert_false (kind == 0   ? tall_hbase_fixture_write_if (f.table, SOON, &error)
                        : kind == 1 ? tall_hbase_fixture_write (f.table, SOON, &error)
                                    : tall_hbase_fixture_count (f.table, SOON, &error));
        g_assert_error (error, TALL_ERROR, TALL_ERROR_SHUT);
      }
}

/* Enabling and disabling: the state of the table counts, not the answer. */
static void
test_lost_answers (gconstpointer data)
{
  static const struct
  {
    gboolean disabled;
    TallTableAccess access;
    const char *method;
  } cases[] = {
    { FALSE, TALL_ACCESS_CLOSED, "disableTable" },
    { TRUE, TALL_ACCESS_UNCLOSED, "enableTable" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint lost = 0; lost < 2; lost++)
      {
        g_auto (Fixture) f;
        fixture_init (&f, GPOINTER_TO_INT (data), "A=1", cases[i].disabled);
        guint n = tall_fake_gateway_get_calls (f.gateway, cases[i].method);
        tall_fake_gateway_set_answer (f.gateway, cases[i].method,
                                      lost ? TALL_FAKE_CUT : TALL_FAKE_NO, 1);
        g_assert_cmpint (set_access (&f, cases[i].access, SOON), ==, 0);
        g_assert_cmpuint (tall_fake_gateway_get_calls (f.gateway, cases[i].method), ==,
                          n + (lost ? 1 : 2));
        expect_described (&f, cases[i].disabled ? TALL_ACCESS_OPEN : TALL_ACCESS_CLOSED, NULL);
      }
}

/* The gateway says "done", and has not; the next call is refused. The first may still be carried
 * out, so nobody knows. */
static void
test_refused_later (gconstpointer data)
{
  g_auto (Fixture) f;
  fixture_init (&f, GPOINTER_TO_INT (data), "A=1", FALSE);
  tall_fake_gateway_set_reason (f.gateway,
                                "org.apache.hadoop.hbase.security.AccessDeniedException: no");
  tall_fake_gateway_set_answer (f.gateway, "disableTable", TALL_FAKE_NO, 1);
  tall_fake_gateway_set_answer_after (f.gateway, "disableTable", TALL_FAKE_ERROR);
  g_assert_cmpint (set_access (&f, TALL_ACCESS_CLOSED, SOON), ==, TALL_ERROR_OUTCOME_UNKNOWN);
  g_assert_cmpuint (tall_fake_gateway_get_calls (f.gateway, "disableTable"), ==, 2);
  /* Refused at once, it is certain. */
  tall_fake_gateway_set_answer (f.gateway, "disableTable", TALL_FAKE_ERROR, 1);
  g_assert_cmpint (set_access (&f, TALL_ACCESS_CLOSED, SOON), ==, TALL_ERROR_UNSUPPORTED);
}

/* A table that is neither enabled nor disabled, until the deadline. */
static void
test_unsettled (void)
{
  g_auto (Fixture) f;
  fixture_init (&f, FALSE, "A=1", FALSE);
  tall_fake_gateway_set_reason (
      f.gateway, "org.apache.hadoop.hbase.TableNotEnabledException: tallorder.orders");
  tall_fake_gateway_set_answer (f.gateway, "disableTable", TALL_FAKE_ERROR, G_MAXUINT);
  int code = set_access (&f, TALL_ACCESS_CLOSED, NEAR);
  g_assert_true (code == TALL_ERROR_TIMED_OUT || code == TALL_ERROR_UNAVAILABLE);
  g_assert_cmpuint (tall_fake_gateway_get_calls (f.gateway, "disableTable"), >=, 1);
  expect_described (&f, TALL_ACCESS_OPEN, NULL);
}

/* A table that another caller is making: its regions are on no server yet. */
static void
test_in_the_making (gconstpointer data)
{
  g_auto (Fixture) f;
  fixture_init (&f, GPOINTER_TO_INT (data), "A=1", FALSE);
  guint n = tall_fake_gateway_get_connections (f.gateway);
  tall_fake_gateway_set_answer (f.gateway, "getAllRegionLocations", TALL_FAKE_BROKEN, 3);
  expect_described (&f, TALL_ACCESS_OPEN, NULL);
  g_assert_cmpuint (tall_fake_gateway_get_calls (f.gateway, "getAllRegionLocations"), ==, 4);
  g_assert_cmpuint (tall_fake_gateway_get_connections (f.gateway), ==, n);
}

/* One that is not made in time, and failures that say nothing of that, so that nobody waits. */
static void
test_not_made (void)
{
  static const struct
  {
    const char *method;
    TallFakeAnswer answer;
    gboolean waits;
    gboolean passes;
  } cases[] = {
    { "getAllRegionLocations", TALL_FAKE_BROKEN, TRUE, TRUE },
    { "getAllRegionLocations", TALL_FAKE_ERROR, FALSE, TRUE },
    { "getTableDescriptor", TALL_FAKE_BROKEN, FALSE, FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (Fixture) f;
      g_autoptr (GError) error = NULL;
      fixture_init (&f, FALSE, "A=1", FALSE);
      tall_fake_gateway_set_answer (f.gateway, cases[i].method, cases[i].answer, G_MAXUINT);
      gint64 deadline = cases[i].waits ? NEAR : SOON;
      g_assert_null (tall_table_describe_table (f.table, "orders", deadline, &error));
      g_assert_cmpint (tall_error_is_passing (error), ==, cases[i].passes);
      if (!cases[i].waits)
        g_assert_cmpuint (tall_fake_gateway_get_calls (f.gateway, cases[i].method), ==, 1);
    }
}

static void
expect_statements (GError *error, const char *statements)
{
  g_assert_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED);
  if (strstr (error->message, statements) == NULL)
    g_error ("\"%s\" lacks \"%s\"", error->message, statements);
}

static void
test_refused (void)
{
  g_autoptr (GError) error = NULL;
  g_auto (Fixture) f;
  fixture_init (&f, FALSE, "A=1", FALSE);
  tall_fake_gateway_set_reason (f.gateway,
                                "org.apache.hadoop.hbase.security.AccessDeniedException: no");
  tall_fake_gateway_set_answer (f.gateway, "modifyTable", TALL_FAKE_ERROR, 1);
  g_assert_false (
      tall_table_set_access (f.table, "orders", TALL_ACCESS_SEALED, "new", SOON, &error));
  expect_statements (error, "alter 'tallorder.orders', READONLY => 'true', METADATA => "
                            "{'TALLORDER_SEAL' => 'new'}");
  expect_state (&f, "enabled A=1");
  g_clear_error (&error);
  tall_fake_gateway_set_answer (f.gateway, "disableTable", TALL_FAKE_ERROR, 1);
  g_assert_false (
      tall_table_set_access (f.table, "orders", TALL_ACCESS_CLOSED, NULL, SOON, &error));
  expect_statements (error, "try again: disable 'tallorder.orders'");
  g_clear_error (&error);
  tall_fake_gateway_set_answer (f.gateway, "isTableEnabled", TALL_FAKE_NO, 1);
  tall_fake_gateway_set_answer (f.gateway, "enableTable", TALL_FAKE_ERROR, 1);
  g_assert_false (
      tall_table_set_access (f.table, "orders", TALL_ACCESS_UNCLOSED, NULL, SOON, &error));
  expect_statements (error, "try again: enable 'tallorder.orders'");
}

/* A framed gateway would say "done" and spoil the table. */
static void
test_framed (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (TRUE, FALSE);
  const char *gateways[] = { tall_fake_gateway_get_address (gateway), NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) table = tall_hbase_fixture_open_at (gateways, TRUE, FALSE, &error);
  TallTableInfo info;
  g_assert_no_error (error);
  tall_table_get_info (table, &info);
  g_assert_true (info.cannot_shut);
  g_assert_false (tall_table_set_access (table, "orders", TALL_ACCESS_OPEN, NULL, SOON, &error));
  expect_statements (error, "alter 'tallorder.orders', READONLY => 'false'; alter "
                            "'tallorder.orders', METHOD => 'table_att_unset', NAME => "
                            "'TALLORDER_SEAL'");
  g_clear_error (&error);
  tall_fake_gateway_set_answer (gateway, "tableExists", TALL_FAKE_NO, 1);
  must_fail (tall_table_set_access (table, "orders", TALL_ACCESS_OPEN, NULL, SOON, &error),
             TALL_ERROR_NOT_FOUND);
  g_assert_cmpuint (tall_fake_gateway_get_calls (gateway, "modifyTable"), ==, 0);
}

/* Calls on a closed table that have no answer: once it is late, HBase is asked about the table. A
 * write that may still come stays unknown. */
static void
test_hanging (gconstpointer data)
{
  static const struct
  {
    const char *method;
    guint n_gets; /* 0: a write */
    gboolean conditional;
    int closed, open;
  } cases[] = {
    { "getMultiple", 2, FALSE, TALL_ERROR_SHUT, 0 },
    { "get", 1, FALSE, TALL_ERROR_SHUT, 0 },
    { "putMultiple", 0, FALSE, TALL_ERROR_SHUT, 0 },
    { "checkAndPut", 0, TRUE, TALL_ERROR_OUTCOME_UNKNOWN, TALL_ERROR_OUTCOME_UNKNOWN },
  };
  const gboolean open = GPOINTER_TO_INT (data);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_auto (Fixture) f;
      f.gateway = tall_fake_gateway_new (FALSE, FALSE);
      const char *gateways[] = { tall_fake_gateway_get_address (f.gateway), NULL };
      TallHbaseOptions options = TALL_HBASE_OPTIONS_INIT;
      options.gateways = gateways;
      options.call_timeout = 200;
      f.table = must (tall_hbase_table_open (&options, &error));
      if (!open)
        g_assert_cmpint (set_access (&f, TALL_ACCESS_CLOSED, SOON), ==, 0);
      tall_fake_gateway_set_answer (f.gateway, cases[i].method, TALL_FAKE_SILENT, 1);

      gboolean done;
      if (cases[i].conditional)
        done = tall_hbase_fixture_write_if (f.table, SOON, &error);
      else if (cases[i].n_gets == 0)
        done = tall_hbase_fixture_write (f.table, SOON, &error);
      else
        {
          g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
          const TallSlice keys[] = { tall_slice_str ("a"), tall_slice_str ("b") };
          tall_read_plan_add_gets (plan, "orders", keys, cases[i].n_gets);
          g_autoptr (TallReadResult) result = tall_table_read (f.table, plan, SOON, &error);
          done = result != NULL;
        }
      g_assert_cmpint (error == NULL ? 0 : error->code, ==, open ? cases[i].open : cases[i].closed);
      g_assert_true (done == (error == NULL));
    }
}

static void
add (const char *name, GTestDataFunc test)
{
  for (int compact = 0; compact < 2; compact++)
    {
      g_autofree char *path =
          g_strdup_printf ("/table/hbase/access/%s/%s", name, compact ? "compact" : "binary");
      g_test_add_data_func (path, GINT_TO_POINTER (compact), test);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add ("changes", test_changes);
  add ("failures", test_failures);
  add ("lost-answers", test_lost_answers);
  add ("refused-later", test_refused_later);
  add ("not-sealed", test_not_sealed);
  add ("large", test_large);
  add ("in-the-making", test_in_the_making);
  g_test_add_func ("/table/hbase/access/shut-writes", test_shut_writes);
  g_test_add_func ("/table/hbase/access/unsettled", test_unsettled);
  g_test_add_func ("/table/hbase/access/not-made", test_not_made);
  g_test_add_func ("/table/hbase/access/refused", test_refused);
  g_test_add_func ("/table/hbase/access/framed", test_framed);
  g_test_add_data_func ("/table/hbase/access/hanging/closed", GINT_TO_POINTER (FALSE),
                        test_hanging);
  g_test_add_data_func ("/table/hbase/access/hanging/open", GINT_TO_POINTER (TRUE), test_hanging);
  return g_test_run ();
}
