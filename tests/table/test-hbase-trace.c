/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-fixture.h"
#include "base/trace.h"
#include "tall-must.h"

/* Which gateway a caller has waited for. */

typedef struct
{
  TallTable *table;
  TallTrace trace;
  gint done; /* atomic */
} Reading;

static gpointer
read_two (gpointer data)
{
  Reading *self = data;
  must (tall_hbase_fixture_read (self->table, 2, SOON, &error));
  self->trace = *tall_trace_get ();
  g_atomic_int_set (&self->done, 1);
  return NULL;
}

/* Two requests at once, of which the one to @late is answered last. FALSE: both went to one
 * gateway.
 */
static gboolean
read_with_late (TallTable *table, TallFakeGateway *late, TallFakeGateway *other)
{
  Reading reading = { .table = table };
  guint reads = tall_hbase_fixture_count_reads (other);
  tall_fake_gateway_set_answer (late, "get", TALL_FAKE_LATE, 1);
  GThread *thread = g_thread_new ("reader", read_two, &reading);
  for (gint64 until = g_get_monotonic_time () + G_TIME_SPAN_SECOND;
       tall_hbase_fixture_count_reads (other) == reads && g_get_monotonic_time () < until;)
    g_usleep (1000);
  for (; !g_atomic_int_get (&reading.done); tall_fake_gateway_send_late (late))
    g_usleep (50 * 1000);
  g_thread_join (thread);
  if (tall_hbase_fixture_count_reads (other) != reads + 1)
    return FALSE;
  g_assert_cmpuint (reading.trace.n_calls, ==, 2);
  g_assert_cmpstr (reading.trace.place, ==, tall_fake_gateway_get_address (late));
  return TRUE;
}

#define TRIES 20

/* Of two requests at once that one is named which was waited for, whichever was sent first. */
static void
test_who_was_late (void)
{
  g_auto (TallHbasePair) pair;
  tall_hbase_pair_init (&pair);
  tall_hbase_pair_open (&pair, (TallHbaseOptions)TALL_HBASE_OPTIONS_INIT);
  tall_hbase_pair_expect_turns (&pair);
  TallFakeGateway *both[] = { pair.bad, pair.good };
  for (guint i = 0; i < 2; i++)
    {
      gboolean is_shown = FALSE;
      for (guint n = 0; n < TRIES && !is_shown; n++)
        is_shown = read_with_late (pair.table, both[i], both[1 - i]);
      g_assert_true (is_shown);
    }
}

/* A gateway that did not answer in time is the one that kept the caller waiting. */
static void
test_silent_is_named (void)
{
  g_autoptr (TallFakeGateway) gateway = tall_fake_gateway_new (FALSE, FALSE);
  g_autoptr (TallTable) table = tall_hbase_fixture_open (gateway);
  tall_trace_begin ();
  tall_fake_gateway_set_answer (gateway, "get", TALL_FAKE_SILENT, 1);
  must_fail (tall_hbase_fixture_read (table, 1, NEAR, &error), TALL_ERROR_TIMED_OUT);
  g_assert_cmpuint (tall_trace_get ()->n_calls, ==, 1);
  g_assert_cmpstr (tall_trace_get ()->place, ==, tall_fake_gateway_get_address (gateway));
  g_assert_cmpint (tall_trace_get ()->longest, >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table/hbase/trace/who-was-late", test_who_was_late);
  g_test_add_func ("/table/hbase/trace/silent-is-named", test_silent_is_named);
  return g_test_run ();
}
