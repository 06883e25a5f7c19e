/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-bench-page.h"

#include <sys/utsname.h>
#include <unistd.h>

#include "tall-bench-growth.h"
#include "tall-bench-plot.h"

static const char *const head =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>tallorder: layouts side by side</title>\n<style>\n"
    "body { font: 16px/1.5 sans-serif; color: #222; background: #fff; max-width: 60rem;"
    " margin: 0 auto; padding: 1rem; }\n"
    "code, pre { font: 0.85rem/1.4 monospace; }\n"
    "pre, .wide { overflow-x: auto; }\n"
    "table { border-collapse: collapse; font-size: 0.85rem; }\n"
    "th, td { padding: 0.2rem 0.6rem; text-align: right; border-bottom: 1px solid #ddd;"
    " white-space: nowrap; }\n"
    "th:first-child, td:first-child { text-align: left; }\n"
    "svg { width: 100%; height: auto; }\nsummary { cursor: pointer; margin: 0.5rem 0; }\n"
    ".best { background: #eef6ee; padding: 0.5rem; }\n"
    "</style>\n</head>\n<body>\n";

static void
append_escaped (GString *page, const char *before, const char *text, const char *after)
{
  g_autofree char *escaped = g_markup_escape_text (text, -1);
  g_string_append_printf (page, "%s%s%s", before, escaped, after);
}

/* The value of a line such as `model name : …` of a file of the kernel; NULL: there is none. */
static char *
read_line (const char *path, const char *name)
{
  g_autofree char *text = NULL;
  if (!g_file_get_contents (path, &text, NULL, NULL))
    return NULL;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      const char *colon = strchr (lines[i], ':');
      if (colon != NULL && g_str_has_prefix (lines[i], name))
        return g_strstrip (g_strdup (colon + 1));
    }
  return NULL;
}

static void
append_fact (GString *page, const char *name, const char *value)
{
  if (value == NULL)
    return;
  append_escaped (page, "<tr><td>", name, "</td><td>");
  append_escaped (page, "", value, "</td></tr>\n");
}

static void
append_setting (GString *page, const char *store, const char *command)
{
  struct utsname machine;
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *date = g_date_time_format (now, "%Y-%m-%d %H:%M UTC");
  g_autofree char *processor = read_line ("/proc/cpuinfo", "model name");
  g_autofree char *memory = read_line ("/proc/meminfo", "MemTotal");
  g_autofree char *processors = g_strdup_printf ("%ld", sysconf (_SC_NPROCESSORS_ONLN));
  g_autofree char *kernel =
      uname (&machine) == 0 ? g_strdup_printf ("%s %s", machine.sysname, machine.release) : NULL;

  g_string_append (page, "<h2>The setting</h2>\n<div class=\"wide\"><table>\n");
  append_fact (page, "tallorder", TALL_VERSION);
  append_fact (page, "store", store);
  append_fact (page, "date", date);
  append_fact (page, "processor", processor);
  append_fact (page, "processors", processors);
  append_fact (page, "memory", memory);
  append_fact (page, "kernel", kernel);
  g_string_append (page, "</table></div>\n");
  append_escaped (page, "<p>The command:</p>\n<pre>", command, "</pre>\n");
}

static GPtrArray *
find_phase (const TallBenchResults *results, const TallBenchPhase *phase)
{
  GPtrArray *found = g_ptr_array_new ();
  for (guint i = 0; i < results->summaries->len; i++)
    {
      TallBenchSummary *summary = g_ptr_array_index (results->summaries, i);
      if (summary->phase == phase)
        g_ptr_array_add (found, summary);
    }
  return found;
}

static gboolean
append_drawing (GString *page, char *drawing)
{
  if (drawing == NULL)
    return FALSE;
  g_string_append_printf (page, "<figure>%s</figure>\n", drawing);
  g_free (drawing);
  return TRUE;
}

static gboolean
append_phase (GString *page,
              const TallBenchResults *results,
              const TallBenchPhase *phase,
              guint run,
              GError **error)
{
  g_autoptr (GPtrArray) summaries = find_phase (results, phase);
  if (summaries->len == 0)
    return TRUE;
  g_autofree char *verdict = tall_bench_results_judge (results, phase);
  g_autofree char *rates = g_strdup_printf ("%s_rates_%u", phase->name, run);
  g_autofree char *latencies = g_strdup_printf ("%s_latencies_%u", phase->name, run);
  append_escaped (page, "<h2>", phase->name, ": ");
  append_escaped (page, "", phase->summary, "</h2>\n");
  if (verdict != NULL)
    append_escaped (page, "<p class=\"best\">", verdict, "</p>\n");
  return append_drawing (page, tall_bench_plot_rates (summaries, rates, error))
         && append_drawing (page, tall_bench_plot_latencies (summaries, latencies, error));
}

static gboolean
append_stored (GString *page, const TallBenchResults *results, guint run, GError **error)
{
  if (results->stored == NULL || results->stored->len == 0)
    return TRUE;
  g_autofree char *id = g_strdup_printf ("stored_%u", run);
  g_string_append (page, "<h2>stored: bytes of an order on the disk</h2>\n");
  return append_drawing (page,
                         tall_bench_plot_stored (results->stored, results->n_orders, id, error));
}

/* @run: its number */
static gboolean
append_run (GString *page, const TallBenchResults *results, guint run, GError **error)
{
  g_autofree char *text = tall_bench_results_to_text (results);
  guint n;
  const TallBenchPhase *phases = tall_bench_phases (&n);
  for (guint i = 0; i < n; i++)
    if (!append_phase (page, results, &phases[i], run, error))
      return FALSE;
  if (!append_stored (page, results, run, error))
    return FALSE;
  append_escaped (page, "<h2>All of it</h2>\n<pre>", text, "</pre>\n");
  return TRUE;
}

static gboolean
append_runs (GString *page, const TallBenchResults *const *runs, guint n_runs, GError **error)
{
  if (n_runs == 1)
    {
      g_autofree char *measured = tall_bench_results_describe (runs[0]);
      append_escaped (page, "<p>", measured, "</p>\n");
      return append_run (page, runs[0], 0, error);
    }
  if (!tall_bench_growth_append (page, runs, n_runs, error))
    return FALSE;
  for (guint i = 0; i < n_runs; i++)
    {
      g_autofree char *setting = tall_bench_results_describe (runs[i]);
      append_escaped (page, "<details><summary>", setting, "</summary>\n");
      if (!append_run (page, runs[i], i, error))
        return FALSE;
      g_string_append (page, "</details>\n");
    }
  return TRUE;
}

/**
 * tall_bench_page_make:
 * @runs: (array length=n_runs): at least one; of several it shows what they differ in
 * @json: the same for programs
 * @command: that measured it
 *
 * Returns: (transfer full): a page with drawings, the table for people and the JSON for programs,
 *   which needs no network and no script; NULL if nothing draws
 */
char *
tall_bench_page_make (const TallBenchResults *const *runs,
                      guint n_runs,
                      const char *json,
                      const char *command,
                      GError **error)
{
  g_autoptr (GString) page = g_string_new (head);
  g_string_append (page, "<h1>Layouts side by side</h1>\n");
  if (!append_runs (page, runs, n_runs, error))
    return NULL;
  append_setting (page, runs[0]->store, command);
  append_escaped (page, "<details><summary>As JSON, with every turn</summary>\n<pre id=\"json\">",
                  json, "</pre></details>\n</body>\n</html>\n");
  return g_string_free (g_steal_pointer (&page), FALSE);
}
