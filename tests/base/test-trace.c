/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/trace.h"

#include "base/workers.h"

#include <string.h>

/* What was asked and how: the gateway is the one that took longest, whatever came after it. */
static void
test_longest (void)
{
  const TallTrace *trace = tall_trace_get ();
  tall_trace_begin ();
  tall_trace_add (NULL, 9000);
  g_assert_cmpuint (trace->n_calls, ==, 1);
  g_assert_cmpstr (trace->place, ==, "");
  g_assert_cmpint (trace->longest, ==, 0);
  tall_trace_add ("a:9090", 0);
  g_assert_cmpstr (trace->place, ==, "a:9090");
  tall_trace_add ("b:9090", 500);
  tall_trace_add ("c:9090", 499);
  g_assert_cmpuint (trace->n_calls, ==, 4);
  g_assert_cmpstr (trace->place, ==, "b:9090");
  g_assert_cmpint (trace->longest, ==, 500);
  tall_trace_begin ();
  g_assert_cmpuint (trace->n_calls, ==, 0);
  g_assert_cmpstr (trace->place, ==, "");
  g_assert_cmpint (trace->longest, ==, 0);
}

/* A name longer than any address stays within its room. */
static void
test_long_place (void)
{
  g_autofree char *place = g_strnfill (10 * TALL_TRACE_PLACE_SIZE, 'h');
  tall_trace_begin ();
  tall_trace_add (place, 1);
  g_assert_cmpuint (strlen (tall_trace_get ()->place), ==, TALL_TRACE_PLACE_SIZE - 1);
}

static void
test_join (void)
{
  const TallTrace none = { .n_calls = 2 };
  const TallTrace shorter = { .n_calls = 3, .longest = 7, .place = "a:9090" };
  const TallTrace longer = { .n_calls = 4, .longest = 8, .place = "b:9090" };
  TallTrace sum = { 0 };
  tall_trace_join (&sum, &none);
  g_assert_cmpstr (sum.place, ==, "");
  tall_trace_join (&sum, &longer);
  tall_trace_join (&sum, &shorter);
  g_assert_cmpuint (sum.n_calls, ==, 9);
  g_assert_cmpint (sum.longest, ==, 8);
  g_assert_cmpstr (sum.place, ==, "b:9090");
}

#define PIECES 100

static void
ask (gpointer data G_GNUC_UNUSED, guint i)
{
  tall_trace_add ("a:9090", i);
  tall_trace_add (NULL, 0);
  g_usleep (100);
}

/* What others do for a thread counts as its own, once, and nothing that they did before. */
static void
test_workers (void)
{
  for (guint round = 0; round < 3; round++)
    {
      tall_trace_begin ();
      tall_trace_add (NULL, 0);
      (round == 2 ? tall_workers_run_apart : tall_workers_run) (ask, NULL, PIECES);
      g_assert_cmpuint (tall_trace_get ()->n_calls, ==, 1 + 2 * PIECES);
      g_assert_cmpint (tall_trace_get ()->longest, ==, PIECES - 1);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/trace/longest", test_longest);
  g_test_add_func ("/base/trace/long-place", test_long_place);
  g_test_add_func ("/base/trace/join", test_join);
  g_test_add_func ("/base/trace/workers", test_workers);
  return g_test_run ();
}
