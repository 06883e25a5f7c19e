/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "report.h"
#include "tall-must.h"

#include <math.h>
#include <string.h>

#include <json-glib/json-glib.h>

static void
fill_report (TallBenchReport *report)
{
  const TallBenchFigure reached = {
    .id = "a-rate",
    .what = "a rate",
    .unit = "orders/s",
    .ours = 70000,
    .floor = 100000,
    .ratio = 0.7,
    .goal = 0.6,
    .at_least = TRUE,
  };
  const TallBenchFigure missed = {
    .id = "a-time",
    .what = "a time — longer",
    .unit = "µs p50",
    .ours = 30.25,
    .floor = 10,
    .ratio = 3.025,
    .goal = 2,
    .at_least = FALSE,
  };
  const TallBenchFigure aimless = {
    .id = "a-price", .what = "a price", .unit = "µs p50", .ours = 9, .floor = 3, .ratio = 3
  };
  tall_bench_report_set (report, "lines", 10);
  tall_bench_report_add (report, &reached);
  tall_bench_report_add (report, &missed);
  tall_bench_report_add (report, &aimless);
}

#define GAP "                                                            "

static void
take_text (const char *text, gpointer data)
{
  g_ptr_array_add (data, g_strdup (text));
}

/* Each figure is shown when it is added. */
static void
test_text (void)
{
  static const char *const texts[] = {
    "what            " GAP "       ours      floor  unit      ratio  goal    reached\n"
    "a rate          " GAP "      70000     100000  orders/s   0.70  ≥ 0.6   yes\n",
    "a time — longer " GAP "       30.2       10.0  µs p50     3.02  ≤ 2     NO\n",
    "a price         " GAP "       9.00       3.00  µs p50     3.00  none\n",
  };
  g_autoptr (TallBenchReport) report = tall_bench_report_new ();
  g_autoptr (GPtrArray) shown = g_ptr_array_new_with_free_func (g_free);
  tall_bench_report_show (report, take_text, shown);
  fill_report (report);
  g_assert_cmpuint (shown->len, ==, G_N_ELEMENTS (texts));
  for (guint i = 0; i < shown->len; i++)
    g_assert_cmpstr (g_ptr_array_index (shown, i), ==, texts[i]);
  g_assert_cmpuint (tall_bench_report_count_missed (report), ==, 1);
}

static gboolean
run_nothing (gpointer data G_GNUC_UNUSED, guint n G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
  return TRUE;
}

/* Figures, settings and, if measured, the times of each side. */
static void
test_json (void)
{
  g_autoptr (TallBenchReport) report = tall_bench_report_new ();
  g_auto (TallMeasurement) measurement = { 0 };
  TallMeasurePlan plan = { 0 };
  const TallMeasureSide side = { .batch = 5, .run = run_nothing };
  const TallMeasureSide sides[] = { side, side };
  must (tall_measure (sides, 2, &plan, &measurement, &error));

  fill_report (report);
  tall_histogram_clear (measurement.sides[0].batches);
  for (guint i = 1; i <= 100; i++)
    tall_histogram_add (measurement.sides[0].batches, i * 1000);
  tall_bench_report_add_latency (report, "measured", "measured", 2, &measurement.sides[0],
                                 &measurement.sides[1]);
  g_autofree char *json = tall_bench_report_to_json (report);
  g_autoptr (JsonNode) root = must (json_from_string (json, &error));
  JsonObject *object = json_node_get_object (root);
  g_assert_cmpint (json_object_get_int_member (object, "lines"), ==, 10);

  JsonArray *figures = json_object_get_array_member (object, "figures");
  g_assert_cmpuint (json_array_get_length (figures), ==, 4);
  JsonObject *missed = json_array_get_object_element (figures, 1);
  g_assert_cmpstr (json_object_get_string_member (missed, "id"), ==, "a-time");
  g_assert_cmpstr (json_object_get_string_member (missed, "goal_is"), ==, "at_most");
  g_assert_cmpfloat (json_object_get_double_member (missed, "ours"), ==, 30.25);
  g_assert_false (json_object_get_boolean_member (missed, "reached"));
  g_assert_false (json_object_has_member (missed, "ours_measured"));

  JsonObject *aimless = json_array_get_object_element (figures, 2);
  g_assert_false (json_object_has_member (aimless, "goal"));
  g_assert_false (json_object_has_member (aimless, "reached"));

  JsonObject *measured = json_array_get_object_element (figures, 3);
  JsonObject *ours = json_object_get_object_member (measured, "ours_measured");
  g_assert_cmpint (json_object_get_int_member (ours, "operations"), ==, 15);
  g_assert_cmpint (json_object_get_int_member (ours, "rounds"), ==, 3);
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (ours, "p50_us"), 50, 1.5);
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (ours, "p95_us"), 95, 1.5);
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (ours, "p99_us"), 99, 1.5);
}

/* CPU time stands in a line below its figure, and with each side for programs; what is not known is
 * left out. */
static void
test_cpu (void)
{
  g_autoptr (TallBenchReport) report = tall_bench_report_new ();
  g_autoptr (GPtrArray) shown = g_ptr_array_new_with_free_func (g_free);
  g_auto (TallMeasurement) measurement = { 0 };
  const TallMeasurePlan plan = { 0 };
  const TallMeasureSide side = { .batch = 5, .run = run_nothing };
  const TallMeasureSide sides[] = { side, side };
  must (tall_measure (sides, 2, &plan, &measurement, &error));
  tall_bench_report_show (report, take_text, shown);
  for (guint i = 0; i < 2; i++)
    {
      double *cpu = measurement.sides[i].cpu; /* of 15 operations */
      cpu[TALL_BENCH_SPENT_CLIENT] = 300000 * (i + 1);
      cpu[TALL_BENCH_SPENT_GATEWAY] = NAN;
      cpu[TALL_BENCH_SPENT_SERVER] = 45000 * (i + 1);
    }
  tall_bench_report_add_rate (report, "r", "r", 1, &measurement.sides[0], &measurement.sides[1]);
  g_assert_true (g_str_has_suffix (g_ptr_array_index (shown, 0),
                                   "\n  CPU time, µs: client 20.0 / 40.0, server 3.00 / 6.00\n"));

  g_autofree char *json = tall_bench_report_to_json (report);
  g_autoptr (JsonNode) root = must (json_from_string (json, &error));
  JsonArray *figures = json_object_get_array_member (json_node_get_object (root), "figures");
  JsonObject *floor =
      json_object_get_object_member (json_array_get_object_element (figures, 0), "floor_measured");
  g_assert_cmpfloat (json_object_get_double_member (floor, "cpu_client_us"), ==, 40);
  g_assert_cmpfloat (json_object_get_double_member (floor, "cpu_server_us"), ==, 6);
  g_assert_false (json_object_has_member (floor, "cpu_gateway_us"));
}

/* Ours takes 250 ns, by the two rounds in the middle, and the floor four times as long. A rate is
 * the better the larger it is, a time the smaller. */
static void
test_directions (void)
{
  static const double rounds[] = { 100, 400, 200, 300 };
  g_autoptr (TallBenchReport) report = tall_bench_report_new ();
  g_autoptr (GPtrArray) shown = g_ptr_array_new_with_free_func (g_free);
  g_auto (TallMeasurement) measurement = { 0 };
  for (guint i = 0; i < 2; i++)
    {
      TallMeasured *side = &measurement.sides[i];
      side->means = g_array_new (FALSE, FALSE, sizeof (double));
      side->medians = g_array_new (FALSE, FALSE, sizeof (double));
      side->batches = tall_histogram_new ();
      for (guint k = 0; k < G_N_ELEMENTS (rounds); k++)
        {
          double value = rounds[k] * (i == 0 ? 1 : 4);
          g_array_append_val (side->means, value);
          g_array_append_val (side->medians, value);
        }
    }
  tall_bench_report_show (report, take_text, shown);
  const TallMeasured *ours = &measurement.sides[0], *floor = &measurement.sides[1];
  tall_bench_report_add_rate (report, "rate", "rate", 2, ours, floor);
  tall_bench_report_add_latency (report, "time", "time", 2, ours, floor);
  g_assert_nonnull (strstr (shown->pdata[0], "4000000    1000000  orders/s   4.00  ≥ 2     yes\n"));
  g_assert_nonnull (strstr (shown->pdata[1], "0.25       1.00  µs p50     0.25  ≤ 2     yes\n"));
  g_assert_cmpuint (tall_bench_report_count_missed (report), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/perf/report/text", test_text);
  g_test_add_func ("/perf/report/json", test_json);
  g_test_add_func ("/perf/report/cpu", test_cpu);
  g_test_add_func ("/perf/report/directions", test_directions);
  return g_test_run ();
}
