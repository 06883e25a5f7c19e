/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/metrics-private.h"

/* Samples of a family that differ in one label. */
static void
add_samples (GString *text,
             const char *name,
             const char *help,
             const char *label,
             const char *const *values, /* NULL-terminated */
             const guint64 *counts)
{
  tall_metric_text_begin (text, name, TALL_COUNTER, help);
  for (guint i = 0; values[i] != NULL; i++)
    {
      const TallMetricLabel labels[] = { { label, values[i] }, { NULL } };
      tall_metric_text_add (text, name, "", labels, (gdouble)counts[i]);
    }
}

static void
write_connections (const TallServerUsage *usage, GString *text)
{
  tall_metric_text_add_family (text, "tallorder_connections_open", TALL_GAUGE,
                               "Connections that are served now.", usage->n_open);
  tall_metric_text_add_family (text, "tallorder_connections_max", TALL_GAUGE,
                               "Connections that may be served at once.", usage->max_connections);
  tall_metric_text_add_family (text, "tallorder_connections_total", TALL_COUNTER,
                               "Connections that were served.",
                               (gdouble)(usage->totals.n_connections - usage->totals.n_told));
  add_samples (text, "tallorder_connections_refused_total",
               "Connections over a limit: told so, or closed without a word.", "how",
               (const char *const[]){ "told", "closed", NULL },
               (const guint64[]){ usage->totals.n_told, usage->totals.n_closed });
  add_samples (text, "tallorder_connections_cut_total",
               "Connections that made room for others, or ended because of what came over them, "
               "or because a certificate was refused or missing.",
               "why", (const char *const[]){ "made_room", "broken", "certificate", NULL },
               (const guint64[]){ usage->totals.n_evicted, usage->n_broken, usage->n_distrusted });
}

void
tall_metrics_write_server (const TallMetricsSources *sources, GString *text)
{
  TallServerUsage usage;
  tall_server_get_usage (sources->server, &usage);
  write_connections (&usage, text);
  tall_metric_text_add_family (text, "tallorder_memory_bytes", TALL_GAUGE,
                               "Memory that calls have booked.", (gdouble)usage.memory);
  tall_metric_text_add_family (text, "tallorder_memory_max_bytes", TALL_GAUGE,
                               "Memory that calls may book; one on one order may have more.",
                               (gdouble)usage.max_memory);
  tall_metric_text_add_family (text, "tallorder_memory_waiting_calls", TALL_GAUGE,
                               "Calls that wait for memory.", usage.n_waiting);
  tall_metric_text_add_family (text, "tallorder_certificate_end_timestamp_seconds", TALL_GAUGE,
                               "When the certificate of the service ends; 0 without TLS.",
                               (gdouble)usage.certificate_end);
}
