/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/metrics-page.h"

#include <gio/gio.h>

#include "tall-error.h"

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

/**
 * tall_metrics_page_fetch:
 * @address: `host[:port]` of `serve --metrics`
 *
 * Returns: (transfer full): NULL with %TALL_ERROR_UNAVAILABLE
 */
TallMetricsPage *
tall_metrics_page_fetch (const char *address, GError **error)
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
    return tall_metrics_page_parse (body + strlen (HEAD_END));
  (void)set_no_answer (error, address, "the answer is no page of metrics");
  return NULL;
}

/**
 * tall_metrics_page_parse:
 * @text: as Prometheus reads it; what is no sample is passed over
 *
 * Returns: (transfer full): a page of this moment
 */
TallMetricsPage *
tall_metrics_page_parse (const char *text)
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

/**
 * tall_metrics_page_sum:
 * @label: (nullable): one that the samples have, such as `result="ok"`
 *
 * Returns: of all samples of a metric; 0 if there is none
 */
gdouble
tall_metrics_page_sum (const TallMetricsPage *self, const char *name, const char *label)
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

gboolean
tall_metrics_page_has (const TallMetricsPage *self, const char *name)
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

/**
 * tall_metrics_page_list:
 *
 * Returns: (transfer full): the values that a label of a metric has, each once, sorted
 */
GPtrArray *
tall_metrics_page_list (const TallMetricsPage *self, const char *name, const char *label)
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
  return MAX (
      tall_metrics_page_sum (now, name, label) - tall_metrics_page_sum (before, name, label), 0);
}

/**
 * tall_metrics_page_rate:
 *
 * Returns: by how much a counter grows in a second
 */
gdouble
tall_metrics_page_rate (const TallMetricsPage *before,
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

/**
 * tall_metrics_page_quantile:
 * @name: of a histogram
 * @label: (nullable): of which samples
 * @part: such as 0.99
 *
 * Returns: the limit below which so many of what came between the pages lie; 0: nothing came, or
 *   all limits are passed
 */
gdouble
tall_metrics_page_quantile (const TallMetricsPage *before,
                            const TallMetricsPage *now,
                            const char *name,
                            const char *label,
                            gdouble part)
{
  g_autofree char *bucket = g_strconcat (name, "_bucket", NULL);
  g_autofree char *count = g_strconcat (name, "_count", NULL);
  g_autoptr (GPtrArray) limits = tall_metrics_page_list (now, bucket, "le");
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
