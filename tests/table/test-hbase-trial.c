/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-hbase-fixture.h"
#include "tall-must.h"

/* The self-test: a gateway shows what its HBase does before the first write. */

/* What the HBase behind a gateway answers to the self-test. */
typedef struct
{
  const char *answers; /* up to the one after which it is known */
  const char *cells;
  const char *hint; /* NULL: all is well */
} Behaviour;

static const Behaviour behaviours[] = {
  { "10011001", "older=kept p=2 s=2 twice=second", NULL },
  { "0", "older=kept p=2 s=2 twice=second", "does not hold where there is none" },
  { "11", "older=kept p=2 s=2 twice=second", "holds where there is one" },
  { "101", "older=kept p=2 s=2 twice=second", "comparison with another value holds" },
  { "1000", "older=kept p=2 s=2 twice=second", "comparison with the cell's value does not hold" },
  { "10010", "older=kept p=2 s=2 twice=second", "does not hold where there is none" },
  { "100111", "older=kept p=2 s=2 twice=second", "holds where there is one" },
  { "1001101", "older=kept p=2 s=2 twice=second", "comparison with another value holds" },
  { "10011000", "older=kept p=2 s=2 twice=second",
    "comparison with the cell's value does not hold" },
  { "10011001", "older=kept p=2 s=1 twice=second", "conditional write leaves something else" },
  { "10011001", "older=kept p=1 s=2 twice=second", "conditional put leaves something else" },
  { "10011001", "older=kept p=2 s=2 twice=first", "the later one does not win" },
  { "10011001", "older=kept p=2 s=2 twice=second exact=gone", "leaves its cells" },
  { "10011001", "p=2 s=2 twice=second", "takes older cells along" },
};

static guint
count_trials (TallFakeGateway *gateway)
{
  return tall_fake_gateway_get_calls (gateway, "checkAndMutate")
         + tall_fake_gateway_get_calls (gateway, "checkAndPut");
}

/* It answers @once to one self-test, and as @behaviour says to the next two. */
static void
set_behaviour (TallFakeGateway *gateway, const char *once, const Behaviour *behaviour)
{
  g_autofree char *answers = g_strconcat (once, behaviour->answers, behaviour->answers, NULL);
  tall_fake_gateway_set_self_test (gateway, answers, behaviour->cells);
}

static void
expect_write_refused (TallTable *table, const char *address, const char *hint)
{
  g_autoptr (GError) error = NULL;
  g_assert_false (tall_hbase_fixture_write (table, SOON, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED);
  g_test_message ("%s", error->message);
  g_assert_true (tall_hbase_fixture_tells (error, hint));
  g_assert_true (tall_hbase_fixture_tells (error, address));
}

static void
expect_writes (TallTable *table, guint n)
{
  for (guint i = 0; i < n; i++)
    must (tall_hbase_fixture_write (table, SOON, &error));
}

/* For a process that only reads, nothing is tested. Before the first write everything is. */
static void
test_all (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (behaviours); i++)
    {
      const Behaviour *behaviour = &behaviours[i];
      g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
      set_behaviour (gateway, "", behaviour);
      g_autoptr (TallTable) table = tall_hbase_fixture_open (gateway);
      tall_hbase_fixture_expect_reads (table, 3);
      g_assert_cmpuint (count_trials (gateway), ==, 0);
      g_assert_cmpuint (tall_fake_gateway_get_calls (gateway, "deleteMultiple"), ==, 0);

      if (behaviour->hint != NULL)
        expect_write_refused (table, tall_fake_gateway_get_address (gateway), behaviour->hint);
      else
        expect_writes (table, 3);
      g_assert_cmpuint (tall_fake_gateway_get_calls (gateway, "putMultiple"), ==,
                        behaviour->hint == NULL ? 3 : 0);
      /* What was tried is removed, also if it was refused. */
      g_assert_cmpuint (tall_fake_gateway_get_calls (gateway, "deleteMultiple"), >=, 1);
    }
}

/* One answer may say that a check did not hold which had held: the call was repeated. */
static void
test_repeated (void)
{
  for (guint i = 1; i < G_N_ELEMENTS (behaviours); i++)
    {
      g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
      if (g_str_equal (behaviours[i].answers, behaviours[0].answers))
        continue;
      set_behaviour (gateway, behaviours[i].answers, &behaviours[0]);
      g_autoptr (TallTable) table = tall_hbase_fixture_open (gateway);
      expect_writes (table, 2);
      g_assert_cmpuint (count_trials (gateway), ==, strlen (behaviours[i].answers) + 8);
      /* Both rows were removed. */
      g_assert_cmpuint (tall_fake_gateway_get_calls (gateway, "deleteMultiple"), ==, 3);
    }

  /* If the connection breaks before that, nothing is known. */
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  set_behaviour (gateway, behaviours[1].answers, &behaviours[0]);
  g_autoptr (TallTable) table = tall_hbase_fixture_open (gateway);
  tall_fake_gateway_set_answer (gateway, "deleteMultiple", TALL_FAKE_CLOSE, 1);
  expect_writes (table, 2);
}

/* One that is refused is passed over, also if it is the first; and the next one is tried out. */
static void
test_refused (void)
{
  g_autoptr (TallFakeGateway) bad = tall_fake_gateway_new (FALSE, FALSE);
  g_autoptr (TallFakeGateway) good = tall_fake_gateway_new (FALSE, FALSE);
  const char *gateways[] = { tall_fake_gateway_get_address (bad),
                             tall_fake_gateway_get_address (good), NULL };
  tall_fake_gateway_set_self_test (bad, "0000000000000", behaviours[0].cells);
  tall_fake_gateway_set_self_test (good, behaviours[0].answers, behaviours[0].cells);
  g_autoptr (TallTable) table = must (tall_hbase_fixture_open_at (gateways, FALSE, FALSE, &error));
  gint64 end = SOON;
  while (tall_fake_gateway_get_calls (bad, "get") == 0)
    {
      tall_hbase_fixture_expect_reads (table, 1);
      g_assert_cmpint (g_get_monotonic_time (), <, end);
    }
  expect_writes (table, 10);
  g_assert_cmpuint (tall_fake_gateway_get_calls (good, "putMultiple"), ==, 10);
  g_assert_cmpuint (tall_fake_gateway_get_calls (bad, "putMultiple"), ==, 0);
  g_assert_cmpuint (count_trials (good), ==, 8);
}

/* A write whose connection breaks is not repeated by one that was not tried out. Gateways take
 * turns, so the other one has its turn at some of the breaks. */
static void
test_repeated_elsewhere (void)
{
  for (guint i = 0; i < 4; i++)
    {
      g_autoptr (TallFakeGateway) bad = tall_fake_gateway_new (FALSE, FALSE);
      g_autoptr (TallFakeGateway) good = tall_fake_gateway_new (FALSE, FALSE);
      const char *gateways[] = { tall_fake_gateway_get_address (good),
                                 tall_fake_gateway_get_address (bad), NULL };
      tall_fake_gateway_set_self_test (bad, "0000000000000", behaviours[0].cells);
      tall_fake_gateway_set_self_test (good, behaviours[0].answers, behaviours[0].cells);
      tall_fake_gateway_set_answer (bad, "getThriftServerType", TALL_FAKE_CLOSE, 1);
      g_autoptr (TallTable) table =
          must (tall_hbase_fixture_open_at (gateways, FALSE, FALSE, &error));
      expect_writes (table, 1);
      gint64 end = SOON;
      while (tall_fake_gateway_get_calls (bad, "get") == 0)
        {
          tall_hbase_fixture_expect_reads (table, 1);
          g_assert_cmpint (g_get_monotonic_time (), <, end);
        }
      tall_hbase_fixture_expect_reads (table, i);
      tall_fake_gateway_set_answer (good, "putMultiple", TALL_FAKE_CLOSE, 1);
      expect_writes (table, 1);
      g_assert_cmpuint (tall_fake_gateway_get_calls (bad, "putMultiple"), ==, 0);
    }
}

/* A connection that breaks in the middle costs the caller nothing: it is done again. */
static void
test_broken (void)
{
  static const struct
  {
    const char *method;
    const char *before; /* what was answered before */
  } cases[] = {
    { "getScannerResults", "" },
    { "checkAndMutate", "" },
    { "checkAndPut", "1001" },
    { "deleteMultiple", "10011001" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
      set_behaviour (gateway, cases[i].before, &behaviours[0]);
      g_autoptr (TallTable) table = tall_hbase_fixture_open (gateway);
      tall_fake_gateway_set_answer (gateway, cases[i].method, TALL_FAKE_CLOSE, 1);
      expect_writes (table, 2);
      g_assert_cmpuint (tall_fake_gateway_get_calls (gateway, "getScannerResults"), ==, 2);
      g_assert_cmpuint (tall_fake_gateway_get_calls (gateway, "putMultiple"), ==, 2);
    }
}

/* Once a process: not again for more connections, nor when a gateway was in doubt. */
static void
test_once (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  tall_fake_gateway_set_self_test (gateway, behaviours[0].answers, behaviours[0].cells);
  g_autoptr (TallTable) table = tall_hbase_fixture_open (gateway);
  expect_writes (table, 2);
  guint calls = count_trials (gateway);
  g_assert_cmpuint (calls, ==, 8);
  must (tall_hbase_fixture_read (table, 4, SOON, &error));
  tall_fake_gateway_set_answer (gateway, "get", TALL_FAKE_CLOSE, 1);
  tall_hbase_fixture_expect_reads (table, 2);
  expect_writes (table, 2);
  g_assert_cmpuint (count_trials (gateway), ==, calls);
}

/* Before there is the table of the self-test nothing is tried, and that is asked once; it is once
 * the table was created. */
static void
test_later (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  g_autoptr (TallTable) table = tall_hbase_fixture_open (gateway);
  expect_writes (table, 2);
  g_assert_cmpuint (count_trials (gateway), ==, 0);
  g_assert_cmpuint (tall_fake_gateway_get_calls (gateway, "getScannerResults"), ==, 1);

  set_behaviour (gateway, "", &behaviours[1]);
  tall_fake_gateway_set_answer (gateway, "tableExists", TALL_FAKE_NO, 1);
  g_autoptr (TallTableSpec) meta = tall_table_spec_new ("meta");
  must_fail (tall_table_create_table (table, meta, SOON, &error), TALL_ERROR_UNSUPPORTED,
             behaviours[1].hint);
  g_assert_cmpuint (tall_fake_gateway_get_calls (gateway, "createTable"), ==, 1);
}

/* The test takes no longer than the caller has, and that says nothing about the gateway. */
static void
test_hurried (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  tall_fake_gateway_set_self_test (gateway, behaviours[0].answers, behaviours[0].cells);
  g_autoptr (TallTable) table = tall_hbase_fixture_open (gateway);
  tall_fake_gateway_set_answer (gateway, "checkAndMutate", TALL_FAKE_SILENT, 1);
  gint64 begin = g_get_monotonic_time ();
  must_fail (tall_hbase_fixture_write (table, NEAR, &error), TALL_ERROR_TIMED_OUT);
  g_assert_cmpint (g_get_monotonic_time () - begin, <, 10 * G_TIME_SPAN_SECOND);
  tall_hbase_fixture_expect_reads (table, 1);
  expect_writes (table, 1);
}

/* Nor does it take other connections to the gateway from anybody, even while it serves no new ones.
 */
static void
test_hurried_alone (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  tall_fake_gateway_set_self_test (gateway, behaviours[0].answers, behaviours[0].cells);
  g_autoptr (TallTable) table = tall_hbase_fixture_open (gateway);
  tall_fake_gateway_set_answer (gateway, "get", TALL_FAKE_TOGETHER, 3);
  must (tall_hbase_fixture_read (table, 3, SOON, &error));
  tall_fake_gateway_set_answer (gateway, "getThriftServerType", TALL_FAKE_SILENT, 1000);
  tall_fake_gateway_set_answer (gateway, "checkAndMutate", TALL_FAKE_SILENT, 1);
  must_fail (tall_hbase_fixture_write (table, NEAR, &error), TALL_ERROR_TIMED_OUT);
  tall_hbase_fixture_expect_reads (table, 20);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table/hbase/trial/all", test_all);
  g_test_add_func ("/table/hbase/trial/repeated", test_repeated);
  g_test_add_func ("/table/hbase/trial/refused", test_refused);
  g_test_add_func ("/table/hbase/trial/repeated-elsewhere", test_repeated_elsewhere);
  g_test_add_func ("/table/hbase/trial/broken", test_broken);
  g_test_add_func ("/table/hbase/trial/once", test_once);
  g_test_add_func ("/table/hbase/trial/later", test_later);
  g_test_add_func ("/table/hbase/trial/hurried", test_hurried);
  g_test_add_func ("/table/hbase/trial/hurried-alone", test_hurried_alone);
  return g_test_run ();
}
