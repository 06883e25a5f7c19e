/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/metrics-private.h"

#include "store/store-counts.h"

#define RETRIES "tallorder_gateway_retries_total"

static const struct
{
  const char *name;
  const char *help;
} counts[TALL_STORE_N_COUNTS] = {
  [TALL_STORE_COMMITS] = { "tallorder_store_commits_total",
                           "Puts and deletes that were committed, those of loads not counted." },
  [TALL_STORE_OVERTAKEN] = { "tallorder_store_overtaken_total",
                             "Puts that began again, because another writer came first." },
  [TALL_STORE_TAKEN_OVER] = { "tallorder_store_claims_taken_over_total",
                              "Claims of writers that stood still, and were claimed over." },
  [TALL_STORE_REREADS] = { "tallorder_store_rereads_total",
                           "Orders read once more, because a commit passed between." },
};

static void
write_gateways (GPtrArray *servers, GString *text)
{
  static const struct
  {
    const char *name, *type, *help;
  } families[] = {
    { "tallorder_gateway_up", TALL_GAUGE,
      "1 if the gateway of HBase is used; 0: it is set aside." },
    { "tallorder_gateway_connections", TALL_GAUGE, "Open connections to the gateway." },
    { "tallorder_gateway_uses_total", TALL_COUNTER, "Uses of a connection to the gateway." },
  };

  for (guint f = 0; f < G_N_ELEMENTS (families); f++)
    {
      tall_metric_text_begin (text, families[f].name, families[f].type, families[f].help);
      for (guint i = 0; i < servers->len; i++)
        {
          const TallTableServer *server = g_ptr_array_index (servers, i);
          TallMetricLabel labels[] = { { "gateway", server->address }, { NULL }, { NULL } };
          gdouble value = f == 0 ? g_str_equal (server->state, "alive") : server->connections;
          if (f == 2)
            {
              labels[1] = (TallMetricLabel){ "result", "failed" };
              tall_metric_text_add (text, families[f].name, "", labels, (gdouble)server->n_failed);
              labels[1] = (TallMetricLabel){ "result", "ok" };
              value = (gdouble)server->n_done;
            }
          tall_metric_text_add (text, families[f].name, "", labels, value);
        }
    }
}

/* As a histogram of a gateway. */
static void
write_merged (const char *name, const char *address, const TallTableMerged *merged, GString *text)
{
  static const char *const limits[TALL_TABLE_MERGED_SIZES] = { "1",  "2",  "4",   "8",   "16",
                                                               "32", "64", "128", "+Inf" };
  guint64 sum = 0;
  for (guint i = 0; i < TALL_TABLE_MERGED_SIZES; i++)
    {
      sum += merged->n[i];
      const TallMetricLabel labels[] = { { "gateway", address }, { "le", limits[i] }, { NULL } };
      tall_metric_text_add (text, name, "_bucket", labels, (gdouble)sum);
    }
  const TallMetricLabel gateway[] = { { "gateway", address }, { NULL } };
  tall_metric_text_add (text, name, "_sum", gateway, (gdouble)merged->n_rows);
  tall_metric_text_add (text, name, "_count", gateway, (gdouble)sum);
}

static void
write_work (GPtrArray *servers, GString *text)
{
  static const struct
  {
    const char *name, *help;
  } merged[TALL_TABLE_N_MERGED] = {
    [TALL_TABLE_MERGED_READS] = { "tallorder_gateway_merged_read_rows",
                                  "Rows of each read that was for several callers." },
    [TALL_TABLE_MERGED_WRITES] = { "tallorder_gateway_merged_write_rows",
                                   "Rows of each write that was for several callers." },
  };
  tall_metric_text_begin (text, RETRIES, TALL_COUNTER,
                          "Calls that were sent again, because they had failed at the gateway.");
  for (guint i = 0; i < servers->len; i++)
    {
      const TallTableServer *server = g_ptr_array_index (servers, i);
      const TallMetricLabel labels[] = { { "gateway", server->address }, { NULL } };
      tall_metric_text_add (text, RETRIES, "", labels, (gdouble)server->n_retries);
    }
  for (guint m = 0; m < TALL_TABLE_N_MERGED; m++)
    {
      tall_metric_text_begin (text, merged[m].name, TALL_HISTOGRAM, merged[m].help);
      for (guint i = 0; i < servers->len; i++)
        {
          const TallTableServer *server = g_ptr_array_index (servers, i);
          write_merged (merged[m].name, server->address, &server->merged[m], text);
        }
    }
}

/**
 * tall_metrics_write_gateways:
 * @servers: of #TallTableServer
 */
void
tall_metrics_write_gateways (GPtrArray *servers, GString *text)
{
  write_gateways (servers, text);
  write_work (servers, text);
}

static void
write_measures (const char *kind, GArray *measures, GString *text)
{
  for (guint i = 0; i < measures->len; i++)
    {
      const TallTableMeasure *measure = &g_array_index (measures, TallTableMeasure, i);
      g_autofree char *name = g_strdup_printf ("tallorder_%s_%s%s", kind, measure->name,
                                               measure->is_total ? "_total" : "");
      tall_metric_text_add_family (text, name, measure->is_total ? TALL_COUNTER : TALL_GAUGE,
                                   measure->help, measure->value);
    }
}

void
tall_metrics_write_store (const TallMetricsSources *sources, GString *text)
{
  TallTable *table = tall_store_get_table (sources->store);
  TallTableInfo info;
  g_autofree char *reason = NULL;
  tall_table_get_info (table, &info);

  tall_metric_text_add_family (text, "tallorder_ready", TALL_GAUGE,
                               "1 if the store answers, as /ready says.",
                               tall_readiness_get (sources->readiness, &reason));
  tall_metric_text_add_family (text, "tallorder_store_answer_age_seconds", TALL_GAUGE,
                               "Since the store has last answered; it is asked all the time.",
                               tall_readiness_get_age (sources->readiness));
  for (guint i = 0; i < TALL_STORE_N_COUNTS; i++)
    tall_metric_text_add_family (text, counts[i].name, TALL_COUNTER, counts[i].help,
                                 (gdouble)tall_store_get_count ((TallStoreCount)i));
  g_autoptr (GPtrArray) servers = tall_table_list_servers (table, 0);
  if (servers != NULL)
    tall_metrics_write_gateways (servers, text);
  g_autoptr (GArray) measures = tall_table_list_measures (table);
  if (measures != NULL)
    write_measures (info.kind, measures, text);
}

void
tall_metrics_write_migration (const TallMetricsSources *sources, GString *text)
{
  if (sources->moves == NULL)
    return;
  g_autoptr (TallMigrateState) state =
      tall_migrate_runner_look (sources->moves, NULL, G_MAXUINT, 0, NULL);
  if (state == NULL)
    return;
  const TallMigrateProgress *progress = &state->progress;
  tall_metric_text_add_family (text, "tallorder_migration_running", TALL_GAUGE,
                               "1 while this server works on a migration.", state->is_running);
  tall_metric_text_add_family (
      text, "tallorder_migration_failed", TALL_GAUGE,
      "1 if the last migration of this server failed; what was asked for wrongly does not count.",
      state->error != NULL && !tall_migrate_state_is_refused (state));
  tall_metric_text_add_family (text, "tallorder_migration_pass", TALL_GAUGE,
                               "The pass that runs, from 1.", progress->pass);
  tall_metric_text_add_family (text, "tallorder_migration_looked_at", TALL_GAUGE,
                               "Orders and customers that this pass has looked at.",
                               (gdouble)progress->n_looked);
  tall_metric_text_add_family (text, "tallorder_migration_all", TALL_GAUGE,
                               "Orders and customers that there are; 0: not known yet.",
                               (gdouble)progress->n_all);
  tall_metric_text_add_family (text, "tallorder_migration_copied", TALL_GAUGE,
                               "Orders and customers that this pass has copied.",
                               (gdouble)progress->n_copied);
}
