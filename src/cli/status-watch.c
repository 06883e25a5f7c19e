/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/status-watch.h"

#include "base/text.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "tall-error.h"
#include "tall-json.h"

#include <gio/gio.h>
#include <stdio.h>
#include <unistd.h>

static TallMetricsPage *metrics_page_parse (const char *text) G_GNUC_WARN_UNUSED_RESULT;

#define PORT 9464
#define TIMEOUT 5 /* seconds without a byte */
#define MAX_PAGE (16 * 1024 * 1024)
#define REQUEST "GET /metrics HTTP/1.0\r\nHost: tallorder\r\n\r\n"
#define HEAD_END "\r\n\r\n"

static gboolean
set_no_answer (GError **error, const char *address, const char *why)
{
  tall_error_set_detailed (error, TALL_ERROR_UNAVAILABLE, why,
                           "No metrics come from %s: is a service running with --metrics %s?",
                           address, address);
  return FALSE;
}

static gboolean
ask (GSocketConnection *connection, GString *reply, GError **error)
{
  GIOStream *stream = G_IO_STREAM (connection);
  char chunk[16 * 1024];
  gssize n;
  if (!g_output_stream_write_all (g_io_stream_get_output_stream (stream), REQUEST, strlen (REQUEST),
                                  NULL, NULL, error))
    return FALSE;
  GInputStream *input = g_io_stream_get_input_stream (stream);
  while ((n = g_input_stream_read (input, chunk, sizeof chunk, NULL, error)) > 0
         && reply->len < MAX_PAGE)
    g_string_append_len (reply, chunk, n);
  return n == 0;
}

/* @address: `host[:port]` of `serve --metrics`
 *
 * Returns: (transfer full): NULL with %TALL_ERROR_UNAVAILABLE */
static TallMetricsPage *
metrics_page_fetch (const char *address, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (GSocketClient) client = g_socket_client_new ();
  g_autoptr (GString) reply = g_string_new (NULL);
  g_socket_client_set_timeout (client, TIMEOUT);
  g_autoptr (GSocketConnection) connection =
      g_socket_client_connect_to_host (client, address, PORT, NULL, &cause);
  if (connection == NULL || !ask (connection, reply, &cause))
    {
      (void)set_no_answer (error, address, cause != NULL ? cause->message : "the page is too long");
      return NULL;
    }
  char *body = strstr (reply->str, HEAD_END);
  if (body != NULL && g_str_has_prefix (reply->str, "HTTP/1.")
      && g_str_has_prefix (reply->str + strlen ("HTTP/1.x"), " 200 "))
    return metrics_page_parse (body + strlen (HEAD_END));
  (void)set_no_answer (error, address, "the answer is not a page of metrics");
  return NULL;
}

/* @text: as Prometheus reads it; other lines are ignored
 *
 * Returns: (transfer full): a page of this moment */
static TallMetricsPage *
metrics_page_parse (const char *text)
{
  TallMetricsPage *self = g_new0 (TallMetricsPage, 1);
  self->at = g_get_monotonic_time ();
  self->values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      char *space = strrchr (lines[i], ' ');
      if (*lines[i] == '#' || space == NULL)
        continue;
      *space = '\0';
      gdouble value = g_ascii_strtod (space + 1, NULL);
      g_hash_table_insert (self->values, g_strdup (lines[i]), g_memdup2 (&value, sizeof value));
    }
  return self;
}

void
tall_metrics_page_free (TallMetricsPage *self)
{
  g_hash_table_unref (self->values);
  g_free (self);
}

/* @label: (nullable): such as `call="ping"` */
static gboolean
is_of (const char *sample, const char *name, const char *label)
{
  gsize len = strlen (name);
  return strncmp (sample, name, len) == 0 && (sample[len] == '{' || sample[len] == '\0')
         && (label == NULL || strstr (sample + len, label) != NULL);
}

/* @label: (nullable): one that the samples have, such as `result="ok"`
 *
 * Returns: of all samples of a metric; 0 if there is none */
static gdouble
metrics_page_sum (const TallMetricsPage *self, const char *name, const char *label)
{
  GHashTableIter i;
  gpointer sample, value;
  gdouble sum = 0;
  g_hash_table_iter_init (&i, self->values);
  while (g_hash_table_iter_next (&i, &sample, &value))
    if (is_of (sample, name, label))
      sum += *(const gdouble *)value;
  return sum;
}

static gboolean
metrics_page_has (const TallMetricsPage *self, const char *name)
{
  GHashTableIter i;
  gpointer sample;
  g_hash_table_iter_init (&i, self->values);
  while (g_hash_table_iter_next (&i, &sample, NULL))
    if (is_of (sample, name, NULL))
      return TRUE;
  return FALSE;
}

/* Returns: (transfer full) (nullable): the value of a label */
static char *
find_label (const char *sample, const char *label)
{
  g_autofree char *begin = g_strconcat (label, "=\"", NULL);
  const char *found = strstr (sample, begin);
  if (found == NULL)
    return NULL;
  found += strlen (begin);
  const char *end = strchr (found, '"');
  return end != NULL ? g_strndup (found, (gsize)(end - found)) : NULL;
}

static int
compare (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* Returns: (transfer full): the values that a label of a metric has, each once, sorted */
static GPtrArray *
metrics_page_list (const TallMetricsPage *self, const char *name, const char *label)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (g_free);
  GHashTableIter i;
  gpointer sample;
  g_hash_table_iter_init (&i, self->values);
  while (g_hash_table_iter_next (&i, &sample, NULL))
    {
      g_autofree char *value = is_of (sample, name, NULL) ? find_label (sample, label) : NULL;
      if (value != NULL && !g_ptr_array_find_with_equal_func (list, value, g_str_equal, NULL))
        g_ptr_array_add (list, g_steal_pointer (&value));
    }
  g_ptr_array_sort (list, compare);
  return list;
}

/* A server that was restarted begins at 0. */
static gdouble
grow (const TallMetricsPage *before,
      const TallMetricsPage *now,
      const char *name,
      const char *label)
{
  return MAX (metrics_page_sum (now, name, label) - metrics_page_sum (before, name, label), 0);
}

/* Returns: by how much a counter grows in a second */
static gdouble
metrics_page_rate (const TallMetricsPage *before,
                   const TallMetricsPage *now,
                   const char *name,
                   const char *label)
{
  gdouble seconds = (gdouble)(now->at - before->at) / G_USEC_PER_SEC;
  return seconds > 0 ? grow (before, now, name, label) / seconds : 0;
}

static int
compare_limits (gconstpointer a, gconstpointer b)
{
  gdouble x = g_ascii_strtod (*(const char *const *)a, NULL);
  gdouble y = g_ascii_strtod (*(const char *const *)b, NULL);
  return (x > y) - (x < y);
}

/* @name: of a histogram
 * @label: (nullable): of which samples
 * @part: such as 0.99
 *
 * Returns: the limit below which so many of what came between the pages lie; 0: nothing came, or
 *   all limits are passed */
static gdouble
metrics_page_quantile (const TallMetricsPage *before,
                       const TallMetricsPage *now,
                       const char *name,
                       const char *label,
                       gdouble part)
{
  g_autofree char *bucket = g_strconcat (name, "_bucket", NULL);
  g_autofree char *count = g_strconcat (name, "_count", NULL);
  g_autoptr (GPtrArray) limits = metrics_page_list (now, bucket, "le");
  gdouble all = grow (before, now, count, label);
  g_ptr_array_sort (limits, compare_limits);
  for (guint i = 0; i < limits->len && all > 0; i++)
    {
      const char *limit = g_ptr_array_index (limits, i);
      g_autofree char *le = g_strdup_printf ("le=\"%s\"", limit);
      gdouble n = 0;
      GHashTableIter each;
      gpointer sample, value;
      g_hash_table_iter_init (&each, now->values);
      while (g_hash_table_iter_next (&each, &sample, &value))
        if (is_of (sample, bucket, le) && (label == NULL || strstr (sample, label) != NULL))
          {
            const gdouble *old = g_hash_table_lookup (before->values, sample);
            n += *(const gdouble *)value - (old != NULL ? *old : 0);
          }
      if (n >= part * all && !g_str_equal (limit, "+Inf"))
        return g_ascii_strtod (limit, NULL);
    }
  return 0;
}

#define CALLS "tallorder_calls_total"
#define DURATION "tallorder_call_duration_seconds"
#define HOME_AND_CLEAR "\033[H\033[J"
#define STEP (G_USEC_PER_SEC / 20)
#define MB 1e6

/* Two pages, one after the other. */
typedef struct
{
  const TallMetricsPage *before;
  const TallMetricsPage *now;
} Span;

static gdouble
get (const Span *self, const char *name)
{
  return metrics_page_sum (self->now, name, NULL);
}

static gdouble
rate (const Span *self, const char *name, const char *label)
{
  return metrics_page_rate (self->before, self->now, name, label);
}

/* Of requests to gateways that were for several callers, reads and writes. @part: `_count`, `_sum`
 */
static gdouble
merged_rate (const Span *self, const char *part, const char *label)
{
  g_autofree char *reads = g_strconcat ("tallorder_gateway_merged_read_rows", part, NULL);
  g_autofree char *writes = g_strconcat ("tallorder_gateway_merged_write_rows", part, NULL);
  return rate (self, reads, label) + rate (self, writes, label);
}

/* In milliseconds. */
static gdouble
quantile (const Span *self, const char *label, gdouble part)
{
  return 1000 * metrics_page_quantile (self->before, self->now, DURATION, label, part);
}

static char *
find_info (const Span *self, const char *metric, const char *label)
{
  g_autoptr (GPtrArray) list = metrics_page_list (self->now, metric, label);
  return list->len > 0 ? tall_text_clean (g_ptr_array_index (list, 0)) : g_strdup ("?");
}

static char *
describe_migration (const Span *self)
{
  if (get (self, "tallorder_migration_running") == 0)
    return g_strdup (get (self, "tallorder_migration_failed") != 0 ? "the last one failed"
                                                                   : "none");
  return g_strdup_printf ("pass %.0f, %.0f of %.0f looked at, %.0f copied",
                          get (self, "tallorder_migration_pass"),
                          get (self, "tallorder_migration_looked_at"),
                          get (self, "tallorder_migration_all"),
                          get (self, "tallorder_migration_copied"));
}

static gboolean
is_stalled (const Span *self)
{
  return get (self, "tallorder_rocksdb_writes_stopped") != 0
         || get (self, "tallorder_rocksdb_delayed_write_bytes_per_second") != 0;
}

static void
print_line_of_calls (const Span *self)
{
  gdouble all = rate (self, CALLS, NULL);
  tall_print (" calls/s=%.1f failed/s=%.1f p50_ms=%.3g p99_ms=%.3g", all,
              MAX (all - rate (self, CALLS, "result=\"ok\""), 0), quantile (self, NULL, 0.5),
              quantile (self, NULL, 0.99));
  tall_print (" connections=%.0f refused/s=%.1f cut/s=%.1f",
              get (self, "tallorder_connections_open"),
              rate (self, "tallorder_connections_refused_total", NULL),
              rate (self, "tallorder_connections_cut_total", NULL));
}

/* A line for a log or a pipe. */
static void
print_line (const Span *self, const char *date)
{
  g_autofree char *migration = describe_migration (self);
  tall_print ("%s ready=%s", date, get (self, "tallorder_ready") != 0 ? "yes" : "no");
  print_line_of_calls (self);
  tall_print (" memory_mb=%.1f commits/s=%.1f overtaken/s=%.1f",
              get (self, "tallorder_memory_bytes") / MB,
              rate (self, "tallorder_store_commits_total", NULL),
              rate (self, "tallorder_store_overtaken_total", NULL));
  if (metrics_page_has (self->now, "tallorder_gateway_up"))
    tall_print (" gateways=%.0f retries/s=%.1f merged/s=%.1f", get (self, "tallorder_gateway_up"),
                rate (self, "tallorder_gateway_retries_total", NULL),
                merged_rate (self, "_count", NULL));
  if (metrics_page_has (self->now, "tallorder_rocksdb_writes_stopped"))
    tall_print (" stalled=%s", is_stalled (self) ? "yes" : "no");
  tall_print (" migration=\"%s\"\n", migration);
}

static void
add_number (TallGrid *grid, const char *format, gdouble value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  tall_grid_add (grid, g_ascii_formatd (text, sizeof text, format, value));
}

static void
print_head (const Span *self, const char *address, const char *date)
{
  static const char *const labels[] = { "deployment", "store", "layout", "key_strategy" };
  g_autofree char *version = find_info (self, "tallorder_build_info", "version");
  gboolean ready = get (self, "tallorder_ready") != 0;
  tall_print ("tallorder %s at %s, %s\n", version, address, date);
  for (guint i = 0; i < G_N_ELEMENTS (labels); i++)
    {
      g_autofree char *value = find_info (self, "tallorder_deployment_info", labels[i]);
      tall_print ("%s%s", i > 0 ? ", " : "", value);
    }
  tall_print (": ");
  tall_print_styled (ready ? TALL_STYLE_GOOD : TALL_STYLE_BAD, "%s\n\n",
                     ready ? "ready" : "not ready");
}

static void
print_calls (const Span *self)
{
  static const char *const columns[] = { "CALL",    ">CALLS/S", ">FAILED/S", ">P50 MS",
                                         ">P99 MS", ">ALL",     NULL };
  g_autoptr (TallGrid) grid = tall_grid_new (columns);
  g_autoptr (GPtrArray) calls = metrics_page_list (self->now, CALLS, "call");
  for (guint i = 0; i < calls->len; i++)
    {
      const char *call = g_ptr_array_index (calls, i);
      g_autofree char *label = g_strdup_printf ("call=\"%s\"", call);
      g_autofree char *ok = g_strdup_printf ("%s,result=\"ok\"", label);
      gdouble all = metrics_page_sum (self->now, CALLS, label);
      if (all == 0)
        continue;
      g_autofree char *clean = tall_text_clean (call);
      tall_grid_add (grid, clean);
      add_number (grid, "%.1f", rate (self, CALLS, label));
      add_number (grid, "%.1f", MAX (rate (self, CALLS, label) - rate (self, CALLS, ok), 0));
      add_number (grid, "%.3g", quantile (self, label, 0.5));
      add_number (grid, "%.3g", quantile (self, label, 0.99));
      add_number (grid, "%.0f", all);
    }
  tall_grid_print (grid, 0);
}

static void
print_server (const Span *self)
{
  tall_print ("\nconnections  %.0f of %.0f open, %.1f/s new, %.1f/s refused, %.1f/s cut\n",
              get (self, "tallorder_connections_open"), get (self, "tallorder_connections_max"),
              rate (self, "tallorder_connections_total", NULL),
              rate (self, "tallorder_connections_refused_total", NULL),
              rate (self, "tallorder_connections_cut_total", NULL));
  tall_print ("memory       %.1f of %.0f MB for calls, %.0f calls wait; process %.0f MB, %.0f "
              "threads\n",
              get (self, "tallorder_memory_bytes") / MB,
              get (self, "tallorder_memory_max_bytes") / MB,
              get (self, "tallorder_memory_waiting_calls"),
              get (self, "process_resident_memory_bytes") / MB, get (self, "process_threads"));
  tall_print (
      "store        %.1f/s commits, %.1f/s overtaken, %.1f/s claims taken over, %.1f/s read "
      "again\n",
      rate (self, "tallorder_store_commits_total", NULL),
      rate (self, "tallorder_store_overtaken_total", NULL),
      rate (self, "tallorder_store_claims_taken_over_total", NULL),
      rate (self, "tallorder_store_rereads_total", NULL));
}

static void
print_rocksdb (const Span *self)
{
  if (!metrics_page_has (self->now, "tallorder_rocksdb_writes_stopped"))
    return;
  tall_print (
      "RocksDB      %.1f MB in tables, %.1f MB in the log only, %.1f MB to compact, %.0f MB "
      "free: ",
      get (self, "tallorder_rocksdb_table_file_bytes") / MB,
      get (self, "tallorder_rocksdb_write_buffer_bytes") / MB,
      get (self, "tallorder_rocksdb_pending_compaction_bytes") / MB,
      get (self, "tallorder_rocksdb_disk_free_bytes") / MB);
  tall_print_styled (is_stalled (self) ? TALL_STYLE_BAD : TALL_STYLE_GOOD, "%s\n",
                     is_stalled (self) ? "writes are held up" : "no stall");
}

static void
print_gateways (const Span *self)
{
  static const char *const columns[] = { "GATEWAY",   "STATE",        ">CONNECTIONS",
                                         ">USES/S",   ">FAILED/S",    ">RETRIES/S",
                                         ">MERGED/S", ">ROWS/MERGED", NULL };
  g_autoptr (GPtrArray) gateways = metrics_page_list (self->now, "tallorder_gateway_up", "gateway");
  g_autoptr (TallGrid) grid = tall_grid_new (columns);
  for (guint i = 0; i < gateways->len; i++)
    {
      const char *gateway = g_ptr_array_index (gateways, i);
      g_autofree char *label = g_strdup_printf ("gateway=\"%s\"", gateway);
      g_autofree char *failed = g_strdup_printf ("%s,result=\"failed\"", label);
      g_autofree char *clean = tall_text_clean (gateway);
      gdouble merged = merged_rate (self, "_count", label);
      tall_grid_add (grid, clean);
      tall_grid_add (grid, metrics_page_sum (self->now, "tallorder_gateway_up", label) != 0
                               ? "up"
                               : "aside");
      add_number (grid, "%.0f",
                  metrics_page_sum (self->now, "tallorder_gateway_connections", label));
      add_number (grid, "%.1f", rate (self, "tallorder_gateway_uses_total", label));
      add_number (grid, "%.1f", rate (self, "tallorder_gateway_uses_total", failed));
      add_number (grid, "%.1f", rate (self, "tallorder_gateway_retries_total", label));
      add_number (grid, "%.1f", merged);
      add_number (grid, "%.1f", merged > 0 ? merged_rate (self, "_sum", label) / merged : 0);
    }
  if (gateways->len == 0)
    return;
  tall_print ("\n");
  tall_grid_print (grid, 0);
}

/* A whole terminal. */
static void
print_screen (const Span *self, const char *address, const char *date)
{
  g_autofree char *migration = describe_migration (self);
  fputs (HOME_AND_CLEAR, stdout);
  print_head (self, address, date);
  print_calls (self);
  print_server (self);
  print_rocksdb (self);
  tall_print ("migration    %s\n", migration);
  print_gateways (self);
}

static void
print_no_answer (const GError *error, const char *date, gboolean redraws)
{
  g_autofree char *why = tall_error_describe (error);
  g_autofree char *clean = tall_text_clean (why);
  if (redraws)
    fputs (HOME_AND_CLEAR, stdout);
  tall_print ("%s %s\n", date, clean);
}

/* FALSE: a signal came. */
static gboolean
wait_for_next (const gint *stop, gint64 until)
{
  while (g_atomic_int_get (stop) == 0 && g_get_monotonic_time () < until)
    g_usleep (STEP);
  return g_atomic_int_get (stop) == 0;
}

/**
 * tall_status_watch:
 * @address: of `serve --metrics`
 * @seconds: between two looks
 *
 * Shows what a service says of itself until a signal comes: on a terminal again and again at the
 * same place, elsewhere a line each time. A service that goes away is waited for.
 */
TallExit
tall_status_watch (const char *address, guint seconds)
{
  g_autoptr (GError) error = NULL;
  const gint *stop = tall_stop_on_signals ();
  gboolean redraws = isatty (STDOUT_FILENO);
  g_autoptr (TallMetricsPage) before = metrics_page_fetch (address, &error);
  if (before == NULL)
    return tall_fail (error);
  gint64 next = g_get_monotonic_time () + seconds * G_USEC_PER_SEC;
  while (tall_output_works () && wait_for_next (stop, next))
    {
      char date[TALL_DATE_TEXT_SIZE];
      g_autoptr (GError) gone = NULL;
      g_autoptr (TallMetricsPage) now = metrics_page_fetch (address, &gone);
      tall_date_format (g_get_real_time () / 1000, date);
      if (now == NULL)
        print_no_answer (gone, date, redraws);
      else if (redraws)
        print_screen (&(Span){ before, now }, address, date);
      else
        print_line (&(Span){ before, now }, date);
      tall_output_flush ();
      next += seconds * G_USEC_PER_SEC;
      if (now == NULL)
        continue;
      tall_metrics_page_free (before);
      before = g_steal_pointer (&now);
    }
  return TALL_EXIT_DONE;
}
