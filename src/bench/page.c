/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/page.h"

#include "bench/growth.h"
#include "bench/plot.h"

static const char *const head =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>tallorder: layouts side by side</title>\n<style>\n"
    "body { font: 16px/1.5 sans-serif; color: #222; background: #fff; max-width: 60rem;"
    " margin: 0 auto; padding: 1rem; }\n"
    "code, pre { font: 0.85rem/1.4 monospace; }\n"
    "pre, figure, .wide { overflow-x: auto; }\nfigure { margin: 0; }\n"
    "table { border-collapse: collapse; font-size: 0.85rem; }\n"
    "th, td { padding: 0.2rem 0.6rem; text-align: right; border-bottom: 1px solid #ddd;"
    " white-space: nowrap; }\n"
    "th:first-child, td:first-child { text-align: left; }\n"
    "svg { width: 100%; min-width: 34rem; height: auto; }\nsummary { cursor: pointer; margin: "
    "0.5rem 0; }\n"
    ".best { background: #eef6ee; padding: 0.5rem; }\n"
    "</style>\n</head>\n<body>\n";

static void
append_escaped (GString *page, const char *before, const char *text, const char *after)
{
  g_autofree char *escaped = g_markup_escape_text (text, -1);
  g_string_append_printf (page, "%s%s%s", before, escaped, after);
}

static void
append_fact (GString *page, const char *name, const char *value)
{
  if (value == NULL)
    return;
  append_escaped (page, "<tr><td>", name, "</td><td>");
  append_escaped (page, "", value, "</td></tr>\n");
}

/* Of the machine that has measured, which may be another than that which draws. */
static void
append_setting (GString *page, const TallBenchResults *results)
{
  const TallBenchSetting *setting = results->setting;
  g_string_append (page, "<h2>The setting</h2>\n<div class=\"wide\"><table>\n");
  append_fact (page, "tallorder", results->version != NULL ? results->version : TALL_VERSION);
  append_fact (page, "store", results->store);
  for (guint i = 0; setting != NULL && i < TALL_BENCH_N_FACTS; i++)
    append_fact (page, tall_bench_setting_get_name (i), setting->facts[i]);
  g_string_append (page, "</table></div>\n");
  if (setting == NULL)
    g_string_append (page, "<p>These results do not say when and on which machine they were "
                           "measured.</p>\n");
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
  append_setting (page, results);
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
 * @command: (nullable): that makes the page of runs that were measured before
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
  if (command != NULL)
    append_escaped (page, "<p>The command that made this page:</p>\n<pre>", command, "</pre>\n");
  append_escaped (page, "<details><summary>As JSON, with every turn</summary>\n<pre id=\"json\">",
                  json, "</pre></details>\n</body>\n</html>\n");
  return g_string_free (g_steal_pointer (&page), FALSE);
}
