/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* The text format of Prometheus, byte by byte. */

#include "ops/metrics.h"

#include <math.h>

static void
test_escapes (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const TallMetricLabel labels[] = { { "one", "a\\b\"c\nd" },
                                     { "two", "caf\xc3\xa9 \xff" },
                                     { NULL } };
  tall_metric_text_begin (text, "x_total", "counter", "What \"it\" is,\\ in\nwords.");
  tall_metric_text_add (text, "x_total", "", labels, 1);
  g_assert_cmpstr (text->str, ==,
                   "# HELP x_total What \"it\" is,\\\\ in\\nwords.\n"
                   "# TYPE x_total counter\n"
                   "x_total{one=\"a\\\\b\\\"c\\nd\",two=\"caf\xc3\xa9 \xef\xbf\xbd\"} 1\n");
}

static void
check_value (gdouble value, const char *wanted)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *line = g_strdup_printf ("x_sum %s\n", wanted);
  tall_metric_text_add (text, "x", "_sum", NULL, value);
  g_assert_cmpstr (text->str, ==, line);
}

static void
test_values (void)
{
  check_value (0, "0");
  check_value (0.00025, "0.00025");
  check_value (-1.5, "-1.5");
  check_value (123456789012345, "123456789012345");
  check_value (INFINITY, "+Inf");
  check_value (-INFINITY, "-Inf");
  check_value (NAN, "NaN");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ops/metric-text/escapes", test_escapes);
  g_test_add_func ("/ops/metric-text/values", test_values);
  return g_test_run ();
}
