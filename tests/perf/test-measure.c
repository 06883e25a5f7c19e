/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "bench/summary.h"
#include "measure.h"
#include "tall-must.h"

#include <math.h>

#define BATCH 3

/* Counts its calls; @run takes its time in a loop of so many steps. */
typedef struct
{
  GString *calls; /* of all sides, in order */
  char name;
  guint n_prepared;
  guint n_run;
  guint n_checked;
  guint n_cleared;
  guint n_forgotten; /* after how many runs it was to forget last */
  guint fail_at;     /* run that fails; 0: none */
  guint steps;
} Side;

static gboolean
prepare (gpointer data, guint n, GError **error G_GNUC_UNUSED)
{
  Side *self = data;
  g_assert_cmpuint (n, ==, BATCH);
  self->n_prepared++;
  return TRUE;
}

static gboolean
run (gpointer data, guint n, GError **error)
{
  Side *self = data;
  g_assert_cmpuint (n, ==, BATCH);
  g_string_append_c (self->calls, self->name);
  for (volatile guint i = 0; i < self->steps; i++)
    continue;
  if (++self->n_run != self->fail_at)
    return TRUE;
  g_set_error_literal (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "it was to fail");
  return FALSE;
}

static gboolean
check (gpointer data, guint n G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
  Side *self = data;
  g_assert_cmpuint (self->n_cleared, ==, self->n_checked);
  self->n_checked++;
  return TRUE;
}

static void
clear (gpointer data, guint n G_GNUC_UNUSED)
{
  Side *self = data;
  self->n_cleared++;
}

static void
forget (gpointer data)
{
  Side *self = data;
  self->n_forgotten = self->n_run;
}

/* The least that can be asked for: one round to warm up and three that count, there and back. */
static void
test_turns (void)
{
  g_autoptr (GString) calls = g_string_new (NULL);
  g_auto (TallMeasurement) measurement = { 0 };
  Side a = { .calls = calls, .name = 'a' };
  Side b = { .calls = calls, .name = 'b' };
  const TallMeasureSide sides[] = { { BATCH, prepare, run, check, clear, &a, forget },
                                    { BATCH, NULL, run, NULL, NULL, &b } };
  TallMeasurePlan plan = { 0 };

  must (tall_measure (sides, 2, &plan, &measurement, &error));
  g_assert_cmpstr (calls->str, ==, "ababbaab");
  g_assert_cmpuint (measurement.sides[0].n_operations, ==, 3 * BATCH);
  g_assert_cmpuint (measurement.sides[1].means->len, ==, 3);
  g_assert_cmpuint (tall_histogram_get_count (measurement.sides[1].batches), ==, 3);
  g_assert_cmpuint (a.n_prepared, ==, 4);
  g_assert_cmpuint (a.n_checked, ==, 4);
  g_assert_cmpuint (a.n_cleared, ==, 4);
  g_assert_cmpuint (a.n_forgotten, ==, 1);

  g_string_truncate (calls, 0);
  plan.in_order = TRUE;
  must (tall_measure (sides, 2, &plan, &measurement, &error));
  g_assert_cmpstr (calls->str, ==, "abababab");
}

/* A thousand times the work takes longer, in both ways to compare. */
static void
test_comparison (void)
{
  g_autoptr (GString) calls = g_string_new (NULL);
  g_auto (TallMeasurement) measurement = { 0 };
  Side slow = { .calls = calls, .name = 's', .steps = 1000000 };
  Side fast = { .calls = calls, .name = 'f', .steps = 1000 };
  const TallMeasureSide sides[] = { { BATCH, NULL, run, NULL, NULL, &slow },
                                    { BATCH, NULL, run, NULL, NULL, &fast } };
  TallMeasurePlan plan = { 0 };

  must (tall_measure (sides, 2, &plan, &measurement, &error));
  const TallMeasured *s = &measurement.sides[0];
  const TallMeasured *f = &measurement.sides[1];
  g_assert_cmpfloat (tall_measured_get_mean (f), >, 0);
  g_assert_cmpfloat (tall_measured_get_mean (s), >, tall_measured_get_mean (f));
  g_assert_cmpfloat (tall_measured_compare_means (s, f), >, 1);
  g_assert_cmpfloat (tall_measured_compare_medians (s, f), >, 1);
  g_assert_cmpfloat (tall_measured_compare_means (f, s), <, 1);
}

/* CPU time of the timed parts, where somebody asks for it. */
static void
test_cpu (void)
{
  g_autoptr (GString) calls = g_string_new (NULL);
  const TallBenchPids pids = { .servers = { 1 }, .n_servers = 1 };
  Side slow = { .calls = calls, .name = 's', .steps = 10000000 };
  Side fast = { .calls = calls, .name = 'f', .steps = 1000 };
  const TallMeasureSide sides[] = { { BATCH, NULL, run, NULL, NULL, &slow },
                                    { BATCH, NULL, run, NULL, NULL, &fast } };
  for (guint i = 0; i < 2; i++)
    {
      g_auto (TallMeasurement) measurement = { 0 };
      const TallMeasurePlan plan = { .pids = i == 0 ? NULL : &pids };
      must (tall_measure (sides, 2, &plan, &measurement, &error));
      const double *s = measurement.sides[0].cpu, *f = measurement.sides[1].cpu;
      guint64 least =
          i == 0 ? 0 : 3 * 1000000; /* 30 million steps take some milliseconds at least */
      g_assert_cmpfloat (s[TALL_BENCH_SPENT_CLIENT], >=, (double)least);
      g_assert_cmpfloat (s[TALL_BENCH_SPENT_CLIENT], >=, f[TALL_BENCH_SPENT_CLIENT]);
      g_assert_true (isnan (s[TALL_BENCH_SPENT_GATEWAY]) == (i == 1));
      g_assert_cmpfloat (s[TALL_BENCH_SPENT_SERVER], <, 1e9);
      if (i == 0)
        g_assert_cmpfloat (s[TALL_BENCH_SPENT_CLIENT] + f[TALL_BENCH_SPENT_CLIENT], ==, 0);
    }
}

static void
test_failure (void)
{
  g_autoptr (GString) calls = g_string_new (NULL);
  g_auto (TallMeasurement) measurement = { 0 };
  Side a = { .calls = calls, .name = 'a', .fail_at = 2 };
  const TallMeasureSide side = { BATCH, NULL, run, check, clear, &a };
  TallMeasurePlan plan = { 0 };

  must_fail (tall_measure (&side, 1, &plan, &measurement, &error), TALL_ERROR_UNAVAILABLE);
  g_assert_cmpuint (a.n_run, ==, 2);
  g_assert_cmpuint (a.n_checked, ==, 1);
  g_assert_cmpuint (a.n_cleared, ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/perf/measure/turns", test_turns);
  g_test_add_func ("/perf/measure/comparison", test_comparison);
  g_test_add_func ("/perf/measure/cpu", test_cpu);
  g_test_add_func ("/perf/measure/failure", test_failure);
  return g_test_run ();
}
