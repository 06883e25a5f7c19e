/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/metrics.h"

#include "service/calls/calls.h"
#include "store/context.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static void
append_escaped (GString *text, const char *value, gboolean is_quoted)
{
  g_autofree char *valid = g_utf8_make_valid (value, -1);
  for (const char *c = valid; *c != '\0'; c++)
    if (*c == '\n')
      g_string_append (text, "\\n");
    else if (*c == '\\' || (*c == '"' && is_quoted))
      g_string_append_printf (text, "\\%c", *c);
    else
      g_string_append_c (text, *c);
}

/**
 * tall_metric_text_begin:
 * @name: of the family; its samples follow, all of them together
 * @type: `counter`, `gauge` or `histogram`
 * @help: one sentence for people
 */
void
tall_metric_text_begin (GString *text, const char *name, const char *type, const char *help)
{
  g_string_append_printf (text, "# HELP %s ", name);
  append_escaped (text, help, FALSE);
  g_string_append_printf (text, "\n# TYPE %s %s\n", name, type);
}

static void
append_value (GString *text, gdouble value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  if (isinf (value))
    g_string_append (text, value > 0 ? "+Inf" : "-Inf");
  else if (isnan (value))
    g_string_append (text, "NaN");
  else
    g_string_append (text, g_ascii_formatd (digits, sizeof digits, "%.15g", value));
}

/**
 * tall_metric_text_add:
 * @name: of the family that was begun last
 * @suffix: of the sample, such as `_bucket`; usually empty
 * @labels: (nullable): ends with one without a name
 */
void
tall_metric_text_add (GString *text,
                      const char *name,
                      const char *suffix,
                      const TallMetricLabel *labels,
                      gdouble value)
{
  g_string_append_printf (text, "%s%s", name, suffix);
  for (guint i = 0; labels != NULL && labels[i].name != NULL; i++)
    {
      g_string_append_printf (text, "%s%s=\"", i == 0 ? "{" : ",", labels[i].name);
      append_escaped (text, labels[i].value, TRUE);
      g_string_append_c (text, '"');
    }
  if (labels != NULL && labels[0].name != NULL)
    g_string_append_c (text, '}');
  g_string_append_c (text, ' ');
  append_value (text, value);
  g_string_append_c (text, '\n');
}

/* Begins a family, as tall_metric_text_begin(), and adds its one sample, which has no labels. */
static void
metric_text_add_family (
    GString *text, const char *name, const char *type, const char *help, gdouble value)
{
  tall_metric_text_begin (text, name, type, help);
  tall_metric_text_add (text, name, "", NULL, value);
}

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

static void
metrics_write_calls (const TallMetricsSources *sources, GString *text)
{
  tall_metric_text_begin (text, TOTAL, TALL_COUNTER, "Calls that were answered, by their result.");
  add_all (sources, text, add_results);
  tall_metric_text_begin (text, DURATION, TALL_HISTOGRAM,
                          "From the arrival of a whole request until its reply is made.");
  add_all (sources, text, add_durations);
}

/* Places of /proc/self/stat, of those after the name of the program; see proc(5). */
enum
{
  STAT_USER_TIME = 11,
  STAT_SYSTEM_TIME = 12,
  STAT_THREADS = 17,
  STAT_BEGIN = 19,
  STAT_VIRTUAL = 20,
  STAT_RESIDENT = 21,
  STAT_N = 22,
};

static GStrv
read_stat (void)
{
  g_autofree char *text = NULL;
  if (!g_file_get_contents ("/proc/self/stat", &text, NULL, NULL))
    return NULL;
  /* The name may hold anything, a parenthesis too. */
  const char *end = strrchr (text, ')');
  g_auto (GStrv) words = end != NULL ? g_strsplit (g_strchug ((char *)end + 1), " ", -1) : NULL;
  return words != NULL && g_strv_length (words) >= STAT_N ? g_steal_pointer (&words) : NULL;
}

static gdouble
get (GStrv stat, guint place)
{
  return g_ascii_strtod (stat[place], NULL);
}

/* Seconds since the epoch at which the machine was started. A service may not see /proc/stat, which
 * says the same. */
static gdouble
find_boot (void)
{
  struct timespec up = { 0 };
  clock_gettime (CLOCK_BOOTTIME, &up);
  return (gdouble)g_get_real_time () / 1e6 - (gdouble)up.tv_sec - (gdouble)up.tv_nsec / 1e9;
}

static guint
count_descriptors (void)
{
  guint n = 0;
  g_autoptr (GDir) folder = g_dir_open ("/proc/self/fd", 0, NULL);
  while (folder != NULL && g_dir_read_name (folder) != NULL)
    n++;
  return n > 0 ? n - 1 : 0; /* that of the folder */
}

static void
write_descriptors (GString *text)
{
  struct rlimit limit = { 0 };
  metric_text_add_family (text, "process_open_fds", TALL_GAUGE, "Open file descriptors.",
                          count_descriptors ());
  if (getrlimit (RLIMIT_NOFILE, &limit) == 0)
    metric_text_add_family (text, "process_max_fds", TALL_GAUGE,
                            "File descriptors that may be open.", (gdouble)limit.rlim_cur);
}

/* Names are those of Prometheus's own libraries. */
static void
metrics_write_process (GString *text)
{
  g_auto (GStrv) stat = read_stat ();
  gdouble ticks = (gdouble)sysconf (_SC_CLK_TCK);
  write_descriptors (text);
  if (stat == NULL)
    return;
  metric_text_add_family (text, "process_cpu_seconds_total", TALL_COUNTER,
                          "Time on processors, of the program and of the system for it.",
                          (get (stat, STAT_USER_TIME) + get (stat, STAT_SYSTEM_TIME)) / ticks);
  metric_text_add_family (text, "process_start_time_seconds", TALL_GAUGE,
                          "When the process began, since the epoch.",
                          find_boot () + get (stat, STAT_BEGIN) / ticks);
  metric_text_add_family (text, "process_virtual_memory_bytes", TALL_GAUGE, "Address space.",
                          get (stat, STAT_VIRTUAL));
  metric_text_add_family (text, "process_resident_memory_bytes", TALL_GAUGE, "Memory in use.",
                          get (stat, STAT_RESIDENT) * (gdouble)sysconf (_SC_PAGESIZE));
  metric_text_add_family (text, "process_threads", TALL_GAUGE, "Threads.",
                          get (stat, STAT_THREADS));
}

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
  metric_text_add_family (text, "tallorder_connections_open", TALL_GAUGE,
                          "Connections that are served now.", usage->n_open);
  metric_text_add_family (text, "tallorder_connections_max", TALL_GAUGE,
                          "Connections that may be served at once.", usage->max_connections);
  metric_text_add_family (text, "tallorder_connections_total", TALL_COUNTER,
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

static void
metrics_write_server (const TallMetricsSources *sources, GString *text)
{
  TallServerUsage usage;
  tall_server_get_usage (sources->server, &usage);
  write_connections (&usage, text);
  metric_text_add_family (text, "tallorder_memory_bytes", TALL_GAUGE,
                          "Memory that calls have booked.", (gdouble)usage.memory);
  metric_text_add_family (text, "tallorder_memory_max_bytes", TALL_GAUGE,
                          "Memory that calls may book; one on one order may have more.",
                          (gdouble)usage.max_memory);
  metric_text_add_family (text, "tallorder_memory_waiting_calls", TALL_GAUGE,
                          "Calls that wait for memory.", usage.n_waiting);
  metric_text_add_family (text, "tallorder_certificate_end_timestamp_seconds", TALL_GAUGE,
                          "When the certificate of the service ends; 0 without TLS.",
                          (gdouble)usage.certificate_end);
}

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
      metric_text_add_family (text, name, measure->is_total ? TALL_COUNTER : TALL_GAUGE,
                              measure->help, measure->value);
    }
}

static void
metrics_write_store (const TallMetricsSources *sources, GString *text)
{
  TallTable *table = tall_store_get_table (sources->store);
  TallTableInfo info;
  g_autofree char *reason = NULL;
  tall_table_get_info (table, &info);

  metric_text_add_family (text, "tallorder_ready", TALL_GAUGE,
                          "1 if the store answers, as /ready says.",
                          tall_readiness_get (sources->readiness, &reason));
  metric_text_add_family (text, "tallorder_store_answer_age_seconds", TALL_GAUGE,
                          "Since the store has last answered; it is asked all the time.",
                          tall_readiness_get_age (sources->readiness));
  for (guint i = 0; i < TALL_STORE_N_COUNTS; i++)
    metric_text_add_family (text, counts[i].name, TALL_COUNTER, counts[i].help,
                            (gdouble)tall_store_get_count ((TallStoreCount)i));
  g_autoptr (GPtrArray) servers = tall_table_list_servers (table, 0);
  if (servers != NULL)
    tall_metrics_write_gateways (servers, text);
  g_autoptr (GArray) measures = tall_table_list_measures (table);
  if (measures != NULL)
    write_measures (info.kind, measures, text);
}

static void
metrics_write_migration (const TallMetricsSources *sources, GString *text)
{
  if (sources->moves == NULL)
    return;
  g_autoptr (TallMigrateState) state =
      tall_migrate_runner_look (sources->moves, NULL, G_MAXUINT, 0, NULL);
  if (state == NULL)
    return;
  const TallMigrateProgress *progress = &state->progress;
  metric_text_add_family (text, "tallorder_migration_running", TALL_GAUGE,
                          "1 while this server works on a migration.", state->is_running);
  metric_text_add_family (
      text, "tallorder_migration_failed", TALL_GAUGE,
      "1 if the last migration of this server failed; what was asked for wrongly does not count.",
      state->error != NULL && !tall_migrate_state_is_refused (state));
  metric_text_add_family (text, "tallorder_migration_pass", TALL_GAUGE,
                          "The pass that runs, from 1.", progress->pass);
  metric_text_add_family (text, "tallorder_migration_looked_at", TALL_GAUGE,
                          "Orders and customers that this pass has looked at.",
                          (gdouble)progress->n_looked);
  metric_text_add_family (text, "tallorder_migration_all", TALL_GAUGE,
                          "Orders and customers that there are; 0: not known yet.",
                          (gdouble)progress->n_all);
  metric_text_add_family (text, "tallorder_migration_copied", TALL_GAUGE,
                          "Orders and customers that this pass has copied.",
                          (gdouble)progress->n_copied);
}

static void
write_what_runs (const TallMetricsSources *sources, GString *text)
{
  TallTableInfo info;
  tall_table_get_info (tall_store_get_table (sources->store), &info);
  const TallMetricLabel version[] = { { "version", TALL_VERSION }, { NULL } };
  const TallMetricLabel deployment[TALL_METRIC_MAX_LABELS + 1] = {
    { "deployment", info.deployment },
    { "store", info.kind },
    { "layout", tall_store_get_layout (sources->store)->name },
    { "key_strategy", tall_store_get_key_strategy (sources->store)->name },
  };

  tall_metric_text_begin (text, "tallorder_build_info", TALL_GAUGE,
                          "Which program answers; always 1.");
  tall_metric_text_add (text, "tallorder_build_info", "", version, 1);
  tall_metric_text_begin (text, "tallorder_deployment_info", TALL_GAUGE,
                          "Which deployment is served, and how its orders lie; always 1.");
  tall_metric_text_add (text, "tallorder_deployment_info", "", deployment, 1);
}

/**
 * tall_metrics_write:
 *
 * Appends everything that can be said of a server without asking its store, in the text format of
 * Prometheus. It waits for nothing.
 */
void
tall_metrics_write (const TallMetricsSources *sources, GString *text)
{
  write_what_runs (sources, text);
  metrics_write_calls (sources, text);
  metrics_write_server (sources, text);
  metrics_write_store (sources, text);
  metrics_write_migration (sources, text);
  metrics_write_process (text);
}
