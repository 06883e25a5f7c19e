/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/report.h"

#include "base/fail.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/output.h"
#include "tall-json.h"

#include <gio/gio.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* A line of a page. */
typedef struct
{
  char *name; /* with its labels, as they are written; owned */
  gdouble value;
} Sample;

/* What a server said of itself at one moment: the page of `serve --metrics`. */
typedef struct
{
  gint64 at;       /* monotonic, microseconds */
  GArray *samples; /* of Sample, in their order */
} Page;

static void
sample_clear (gpointer data)
{
  g_free (((Sample *)data)->name);
}

static void
page_free (Page *self)
{
  g_array_unref (self->samples);
  g_free (self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Page, page_free)

#define PORT 9464
#define TIMEOUT 5 /* seconds without a byte */
#define MAX_PAGE (16 * 1024 * 1024)
#define REQUEST "GET /metrics HTTP/1.0\r\nHost: tallorder\r\n\r\n"
#define HEAD_END "\r\n\r\n"

/* @text: as Prometheus reads it; other lines are ignored
 *
 * Returns: (transfer full): a page of this moment */
static Page *
page_parse (const char *text)
{
  Page *self = g_new0 (Page, 1);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  self->at = g_get_monotonic_time ();
  self->samples = g_array_new (FALSE, FALSE, sizeof (Sample));
  g_array_set_clear_func (self->samples, sample_clear);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      const char *space = strrchr (lines[i], ' ');
      if (*lines[i] == '#' || space == NULL)
        continue;
      const Sample sample = { g_strndup (lines[i], (gsize)(space - lines[i])),
                              g_ascii_strtod (space + 1, NULL) };
      g_array_append_val (self->samples, sample);
    }
  return self;
}

static gboolean
set_no_answer (GError **error, const char *address, const char *why)
{
  return tall_error_fail_detailed (
      error, TALL_ERROR_UNAVAILABLE, why,
      "No metrics come from %s: is a service running with --metrics %s?", address, address);
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
static Page *
page_fetch (const char *address, GError **error)
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
    return page_parse (body + strlen (HEAD_END));
  (void)set_no_answer (error, address, "the answer is not a page of metrics");
  return NULL;
}

/* @label: (nullable): such as `call="ping"` */
static gboolean
is_of (const Sample *sample, const char *name, const char *label)
{
  gsize len = strlen (name);
  const char *rest = sample->name + len;
  return g_str_has_prefix (sample->name, name) && (*rest == '{' || *rest == '\0')
         && (label == NULL || strstr (rest, label) != NULL);
}

/* @label: (nullable): one that the samples have, such as `result="ok"`; @and: (nullable): another
 *
 * Returns: of all samples of a metric; 0 if there is none */
static gdouble
page_sum (const Page *self, const char *name, const char *label, const char *and)
{
  gdouble sum = 0;
  for (guint i = 0; i < self->samples->len; i++)
    {
      const Sample *sample = &g_array_index (self->samples, Sample, i);
      if (is_of (sample, name, label) && is_of (sample, name, and))
        sum += sample->value;
    }
  return sum;
}

/* Returns: (transfer full): the values that a label of a metric has, each once, as they come */
static GPtrArray *
page_list (const Page *self, const char *name, const char *label)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *begin = g_strdup_printf ("%s=\"", label);
  for (guint i = 0; i < self->samples->len; i++)
    {
      const Sample *sample = &g_array_index (self->samples, Sample, i);
      const char *found = is_of (sample, name, begin) ? strstr (sample->name, begin) : NULL;
      if (found == NULL)
        continue;
      found += strlen (begin);
      g_autofree char *value = g_strndup (found, strcspn (found, "\""));
      if (!g_ptr_array_find_with_equal_func (list, value, g_str_equal, NULL))
        g_ptr_array_add (list, g_steal_pointer (&value));
    }
  return list;
}

#define CALLS "tallorder_calls_total"
#define DURATION "tallorder_call_duration_seconds"
#define HOME_AND_CLEAR "\033[H\033[J"
#define STEP (G_USEC_PER_SEC / 20)
#define MB 1e6

/* Two pages, one after the other. */
typedef struct
{
  const Page *before;
  const Page *now;
} Span;

static gdouble
get (const Span *self, const char *name)
{
  return page_sum (self->now, name, NULL, NULL);
}

/* A server that was restarted begins at 0. */
static gdouble
grow (const Span *self, const char *name, const char *label, const char *and)
{
  return MAX (page_sum (self->now, name, label, and) - page_sum (self->before, name, label, and),
              0);
}

/* By how much a counter grows in a second. */
static gdouble
rate (const Span *self, const char *name, const char *label)
{
  gdouble seconds = (gdouble)(self->now->at - self->before->at) / G_USEC_PER_SEC;
  return seconds > 0 ? grow (self, name, label, NULL) / seconds : 0;
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

/* @part: such as 0.99
 *
 * Returns: milliseconds that so many of the calls between the pages took at most; 0: there was
 * none, or all limits are passed */
static gdouble
quantile (const Span *self, const char *label, gdouble part)
{
  g_autoptr (GPtrArray) limits = page_list (self->now, DURATION "_bucket", "le");
  gdouble all = grow (self, DURATION "_count", label, NULL);
  for (guint i = 0; i < limits->len && all > 0; i++)
    {
      g_autofree char *le = g_strdup_printf ("le=\"%s\"", (char *)g_ptr_array_index (limits, i));
      if (grow (self, DURATION "_bucket", label, le) >= part * all)
        {
          gdouble limit = g_ascii_strtod (g_ptr_array_index (limits, i), NULL);
          return isinf (limit) ? 0 : 1000 * limit;
        }
    }
  return 0;
}

/* Prints @format with figures in it. Each takes the name of a metric: `%n` its value, `%m` the same
 * in MB, `%M` in whole MB, `%r` by how much it grows in a second. */
static void
print_figures (const Span *self, const char *format, ...)
{
  va_list names;
  va_start (names, format);
  for (const char *at = format; *at != '\0'; at++)
    {
      const char *name = *at == '%' ? va_arg (names, const char *) : NULL;
      if (name == NULL)
        tall_print ("%c", *at);
      else if (*++at == 'r')
        tall_print ("%.1f", rate (self, name, NULL));
      else if (*at == 'm')
        tall_print ("%.1f", get (self, name) / MB);
      else
        tall_print ("%.0f", get (self, name) / (*at == 'M' ? MB : 1));
    }
  va_end (names);
}

static void
print_migration (const Span *self)
{
  if (get (self, "tallorder_migration_running") != 0)
    print_figures (self, "pass %n, %n of %n looked at, %n copied", "tallorder_migration_pass",
                   "tallorder_migration_looked_at", "tallorder_migration_all",
                   "tallorder_migration_copied");
  else
    tall_print ("%s",
                get (self, "tallorder_migration_failed") != 0 ? "the last one failed" : "none");
}

/* Whether the store is embedded, and if so, @is_stalled: writes are held up. */
static gboolean
has_rocksdb (const Span *self, gboolean *is_stalled)
{
  g_autoptr (GPtrArray) store = page_list (self->now, "tallorder_deployment_info", "store");
  *is_stalled = get (self, "tallorder_rocksdb_writes_stopped") != 0
                || get (self, "tallorder_rocksdb_delayed_write_bytes_per_second") != 0;
  return store->len > 0 && g_str_equal (g_ptr_array_index (store, 0), "rocksdb");
}

/* A line for a log or a pipe. */
static void
print_line (const Span *self, const char *date)
{
  gdouble all = rate (self, CALLS, NULL);
  g_autoptr (GPtrArray) gateways = page_list (self->now, "tallorder_gateway_up", "gateway");
  gboolean is_stalled;
  tall_print ("%s ready=%s calls/s=%.1f failed/s=%.1f p50_ms=%.3g p99_ms=%.3g", date,
              get (self, "tallorder_ready") != 0 ? "yes" : "no", all,
              MAX (all - rate (self, CALLS, "result=\"ok\""), 0), quantile (self, NULL, 0.5),
              quantile (self, NULL, 0.99));
  print_figures (self,
                 " connections=%n refused/s=%r cut/s=%r memory_mb=%m commits/s=%r overtaken/s=%r",
                 "tallorder_connections_open", "tallorder_connections_refused_total",
                 "tallorder_connections_cut_total", "tallorder_memory_bytes",
                 "tallorder_store_commits_total", "tallorder_store_overtaken_total");
  if (gateways->len > 0)
    {
      print_figures (self, " gateways=%n retries/s=%r", "tallorder_gateway_up",
                     "tallorder_gateway_retries_total");
      tall_print (" merged/s=%.1f", merged_rate (self, "_count", NULL));
    }
  if (has_rocksdb (self, &is_stalled))
    tall_print (" stalled=%s", is_stalled ? "yes" : "no");
  tall_print (" migration=\"");
  print_migration (self);
  tall_print ("\"\n");
}

static void
print_info (const Span *self, const char *metric, const char *label)
{
  g_autoptr (GPtrArray) list = page_list (self->now, metric, label);
  g_autofree char *clean = tall_text_clean (list->len > 0 ? g_ptr_array_index (list, 0) : "?");
  tall_print ("%s", clean);
}

static void
print_head (const Span *self, const char *address, const char *date)
{
  static const char *const labels[] = { "deployment", "store", "layout", "key_strategy" };
  gboolean ready = get (self, "tallorder_ready") != 0;
  tall_print ("tallorder ");
  print_info (self, "tallorder_build_info", "version");
  tall_print (" at %s, %s\n", address, date);
  for (guint i = 0; i < G_N_ELEMENTS (labels); i++)
    {
      tall_print ("%s", i > 0 ? ", " : "");
      print_info (self, "tallorder_deployment_info", labels[i]);
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
  g_autoptr (GPtrArray) calls = page_list (self->now, CALLS, "call");
  for (guint i = 0; i < calls->len; i++)
    {
      const char *call = g_ptr_array_index (calls, i);
      g_autofree char *label = g_strdup_printf ("call=\"%s\"", call);
      g_autofree char *ok = g_strdup_printf ("%s,result=\"ok\"", label);
      gdouble all = page_sum (self->now, CALLS, label, NULL);
      if (all == 0)
        continue;
      tall_grid_add (grid, call);
      tall_grid_add_format (grid, "%.1f", rate (self, CALLS, label));
      tall_grid_add_format (grid, "%.1f",
                            MAX (rate (self, CALLS, label) - rate (self, CALLS, ok), 0));
      tall_grid_add_format (grid, "%.3g", quantile (self, label, 0.5));
      tall_grid_add_format (grid, "%.3g", quantile (self, label, 0.99));
      tall_grid_add_format (grid, "%.0f", all);
    }
  tall_grid_print (grid, 0);
}

static void
print_server (const Span *self)
{
  print_figures (self, "\nconnections  %n of %n open, %r/s new, %r/s refused, %r/s cut\n",
                 "tallorder_connections_open", "tallorder_connections_max",
                 "tallorder_connections_total", "tallorder_connections_refused_total",
                 "tallorder_connections_cut_total");
  print_figures (self,
                 "memory       %m of %M MB for calls, %n calls wait; process %M MB, %n threads\n",
                 "tallorder_memory_bytes", "tallorder_memory_max_bytes",
                 "tallorder_memory_waiting_calls", "process_resident_memory_bytes",
                 "process_threads");
  print_figures (
      self, "store        %r/s commits, %r/s overtaken, %r/s claims taken over, %r/s read again\n",
      "tallorder_store_commits_total", "tallorder_store_overtaken_total",
      "tallorder_store_claims_taken_over_total", "tallorder_store_rereads_total");
  gboolean is_stalled;
  if (!has_rocksdb (self, &is_stalled))
    return;
  print_figures (
      self, "RocksDB      %m MB in tables, %m MB in the log only, %m MB to compact, %M MB free: ",
      "tallorder_rocksdb_table_file_bytes", "tallorder_rocksdb_write_buffer_bytes",
      "tallorder_rocksdb_pending_compaction_bytes", "tallorder_rocksdb_disk_free_bytes");
  tall_print_styled (is_stalled ? TALL_STYLE_BAD : TALL_STYLE_GOOD, "%s\n",
                     is_stalled ? "writes are held up" : "no stall");
}

static void
print_gateways (const Span *self)
{
  static const char *const columns[] = { "GATEWAY",   "STATE",        ">CONNECTIONS",
                                         ">USES/S",   ">FAILED/S",    ">RETRIES/S",
                                         ">MERGED/S", ">ROWS/MERGED", NULL };
  g_autoptr (GPtrArray) gateways = page_list (self->now, "tallorder_gateway_up", "gateway");
  g_autoptr (TallGrid) grid = tall_grid_new (columns);
  for (guint i = 0; i < gateways->len; i++)
    {
      const char *gateway = g_ptr_array_index (gateways, i);
      g_autofree char *label = g_strdup_printf ("gateway=\"%s\"", gateway);
      g_autofree char *failed = g_strdup_printf ("%s,result=\"failed\"", label);
      gdouble merged = merged_rate (self, "_count", label);
      gboolean is_up = page_sum (self->now, "tallorder_gateway_up", label, NULL) != 0;
      tall_grid_add (grid, gateway);
      tall_grid_add (grid, is_up ? "up" : "aside");
      tall_grid_add_format (grid, "%.0f",
                            page_sum (self->now, "tallorder_gateway_connections", label, NULL));
      tall_grid_add_format (grid, "%.1f", rate (self, "tallorder_gateway_uses_total", label));
      tall_grid_add_format (grid, "%.1f", rate (self, "tallorder_gateway_uses_total", failed));
      tall_grid_add_format (grid, "%.1f", rate (self, "tallorder_gateway_retries_total", label));
      tall_grid_add_format (grid, "%.1f", merged);
      tall_grid_add_format (grid, "%.1f",
                            merged > 0 ? merged_rate (self, "_sum", label) / merged : 0);
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
  fputs (HOME_AND_CLEAR, stdout);
  print_head (self, address, date);
  print_calls (self);
  print_server (self);
  tall_print ("migration    ");
  print_migration (self);
  tall_print ("\n");
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
  g_autoptr (Page) before = page_fetch (address, &error);
  if (before == NULL)
    return tall_fail (error);
  gint64 next = g_get_monotonic_time () + seconds * G_USEC_PER_SEC;
  while (tall_output_works () && wait_for_next (stop, next))
    {
      char date[TALL_DATE_TEXT_SIZE];
      g_autoptr (GError) gone = NULL;
      g_autoptr (Page) now = page_fetch (address, &gone);
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
      page_free (before);
      before = g_steal_pointer (&now);
    }
  return TALL_EXIT_DONE;
}
