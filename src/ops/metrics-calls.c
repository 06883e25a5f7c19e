/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/metrics-private.h"

#include "service/calls/calls.h"

#include <math.h>

#define TOTAL "tallorder_calls_total"
#define DURATION "tallorder_call_duration_seconds"

static void
add_results (GString *text, const char *name, const TallCallCounts *counts)
{
  for (guint i = 0; i < TALL_CALL_N_RESULTS; i++)
    {
      g_autofree char *result = g_strdup (i == 0 ? "ok" : tall_error_code_name ((TallError)i));
      const TallMetricLabel labels[] = { { "call", name },
                                         { "result", g_strdelimit (result, " ", '_') },
                                         { NULL } };
      /* A rate needs a zero to begin with; of what hardly ever happens, too. */
      tall_metric_text_add (text, TOTAL, "", labels, (gdouble)counts->results[i]);
    }
}

static void
add_durations (GString *text, const char *name, const TallCallCounts *counts)
{
  const TallMetricLabel call[] = { { "call", name }, { NULL } };
  guint64 sum = 0;
  for (guint i = 0; i < TALL_CALL_N_BUCKETS; i++)
    {
      char bound[G_ASCII_DTOSTR_BUF_SIZE] = "+Inf";
      if (i < TALL_CALL_N_BUCKETS - 1)
        g_ascii_formatd (bound, sizeof bound, "%g", tall_call_bounds[i]);
      const TallMetricLabel labels[] = { { "call", name }, { "le", bound }, { NULL } };
      sum += counts->buckets[i];
      tall_metric_text_add (text, DURATION, "_bucket", labels, (gdouble)sum);
    }
  tall_metric_text_add (text, DURATION, "_sum", call, (gdouble)counts->time / 1e6);
  tall_metric_text_add (text, DURATION, "_count", call, (gdouble)sum);
}

/* Of each call, and at the end of those of unknown names together. */
static void
add_all (const TallMetricsSources *sources,
         GString *text,
         void (*add) (GString *text, const char *name, const TallCallCounts *counts))
{
  TallCallStats *stats = tall_server_get_stats (sources->server);
  for (guint i = 0; i <= tall_calls_count (); i++)
    {
      const TallIdlCall *call = i < tall_calls_count () ? tall_calls_get_nth (i) : NULL;
      TallCallCounts counts;
      tall_call_stats_get (stats, call, &counts);
      add (text, call != NULL ? call->name : "unknown", &counts);
    }
}

void
tall_metrics_write_calls (const TallMetricsSources *sources, GString *text)
{
  tall_metric_text_begin (text, TOTAL, TALL_COUNTER, "Calls that were answered, by their result.");
  add_all (sources, text, add_results);
  tall_metric_text_begin (text, DURATION, TALL_HISTOGRAM,
                          "From the arrival of a whole request until its reply is made.");
  add_all (sources, text, add_durations);
}
