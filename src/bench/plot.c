/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/plot.h"

#include <math.h>
#include <string.h>

#include "bench/program.h"
#include "tall-error.h"

#define GNUPLOT "gnuplot"
#define PATIENCE 60  /* seconds for a drawing, which takes a tenth of one */
#define MOST_LEVEL 6 /* names below bars, which do not run into each other */
#define HEIGHT 300   /* pixels */
#define MORE 12      /* pixels for each name more */

/* What gnuplot reads before the data. The colours can be told apart by those who do not see red and
 * green (Okabe and Ito). */
static const char *const set_up =
    "set terminal svg size 720,%u dynamic noenhanced font 'sans-serif,12' background '#ffffff' "
    "name '%s'\n"
    "set border 3\n"
    "set tics nomirror\nset format y '%%.10g'\n"
    "set grid ytics lc '#dddddd'\n"
    "set key outside right top\n"
    "set linetype 1 lc '#0072b2'\nset linetype 2 lc '#e69f00'\nset linetype 3 lc '#009e73'\n"
    "set linetype 4 lc '#cc79a7'\nset linetype 5 lc '#56b4e9'\nset linetype 6 lc '#d55e00'\n"
    "set linetype cycle 6\n";

/**
 * tall_bench_plot_check:
 *
 * Returns: FALSE with %TALL_ERROR_UNSUPPORTED if there is nothing to draw with
 */
gboolean
tall_bench_plot_check (GError **error)
{
  g_autofree char *program = g_find_program_in_path (GNUPLOT);
  if (program != NULL)
    return TRUE;
  g_set_error_literal (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
                       "--html draws with " GNUPLOT ", which is not there: install it (Debian's "
                       "package is gnuplot-nox), or use --json");
  return FALSE;
}

/* The drawing without what goes before it in a file of its own. */
static char *
draw (const char *commands, GError **error)
{
  static const char *const arguments[] = { GNUPLOT, "-", NULL };
  g_auto (TallBenchProgram)
      program = { .arguments = arguments, .input = commands, .seconds = PATIENCE };
  if (!tall_bench_program_run (&program, error))
    {
      g_prefix_error (error, "Drawing: ");
      return NULL;
    }
  const char *drawing = program.out != NULL ? strstr (program.out, "<svg") : NULL;
  if (program.successful && drawing != NULL)
    return g_strdup (drawing);
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "Drawing with " GNUPLOT ": %s",
               program.said != NULL && *program.said != '\0' ? program.said : "no drawing came");
  return NULL;
}

static void
append_double (GString *text, double value)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append_c (text, ' ');
  g_string_append (text, g_ascii_formatd (number, sizeof number, "%.6g", value));
}

static const TallBenchSummary *
get_summary (const GPtrArray *summaries, guint place)
{
  return g_ptr_array_index (summaries, place);
}

/* In what several things that are drawn differ. */
typedef struct
{
  gboolean layouts;
  gboolean keys;
} Differences;

static Differences
compare_summaries (const GPtrArray *summaries)
{
  Differences found = { FALSE, FALSE };
  for (guint i = 1; i < summaries->len; i++)
    {
      found.layouts |= get_summary (summaries, i)->layout != get_summary (summaries, 0)->layout;
      found.keys |=
          get_summary (summaries, i)->key_strategy != get_summary (summaries, 0)->key_strategy;
    }
  return found;
}

static Differences
compare_stored (const GArray *stored)
{
  const TallBenchStored *all = (const TallBenchStored *)(gpointer)stored->data;
  Differences found = { FALSE, FALSE };
  for (guint i = 1; i < stored->len; i++)
    {
      found.layouts |= all[i].layout != all[0].layout;
      found.keys |= all[i].key_strategy != all[0].key_strategy;
    }
  return found;
}

/* Its layout, its key, or both: what distinguishes it. */
static void
append_name (GString *text,
             const TallLayout *layout,
             const TallKeyStrategy *key_strategy,
             Differences differences)
{
  gboolean both = differences.layouts && differences.keys;
  g_string_append (text, differences.layouts || !differences.keys ? layout->name : "");
  g_string_append (text, both ? ", " : "");
  g_string_append (text, differences.keys ? key_strategy->name : "");
}

static void
append_tics (GString *text, guint n, Differences differences)
{
  if (n > (differences.layouts && differences.keys ? MOST_LEVEL / 2 : MOST_LEVEL))
    g_string_append (text, "set xtics rotate by 45 right\n");
}

/* @n: names that it shows */
static GString *
begin (const char *id, guint n)
{
  GString *text = g_string_new (NULL);
  g_string_append_printf (text, set_up, HEIGHT + MORE * (MAX (n, MOST_LEVEL) - MOST_LEVEL), id);
  return text;
}

/**
 * tall_bench_plot_rates:
 * @summaries: (element-type TallBenchSummary): of one phase
 * @id: distinguishes it from other drawings of a page
 *
 * Returns: (transfer full): an SVG element with a bar for each median, and lines from the least to
 *   the most
 */
char *
tall_bench_plot_rates (const GPtrArray *summaries, const char *id, GError **error)
{
  const Differences differences = compare_summaries (summaries);
  g_autoptr (GString) text = begin (id, summaries->len);
  g_string_append (text, "$data << EOD\n");
  for (guint i = 0; i < summaries->len; i++)
    {
      const TallBenchSummary *summary = get_summary (summaries, i);
      const TallSpread *rate = &summary->metrics[TALL_BENCH_RATE];
      g_string_append_printf (text, "%u \"", i);
      append_name (text, summary->layout, summary->key_strategy, differences);
      g_string_append_c (text, '"');
      append_double (text, rate->median);
      append_double (text, rate->least);
      append_double (text, rate->most);
      g_string_append_c (text, '\n');
    }
  g_string_append (
      text,
      "EOD\n"
      "set ylabel 'operations a second'\nset yrange [0:*]\nset offsets 0.6, 0.6, 0, 0\nunset key\n"
      "set style fill solid 0.7\n");
  append_tics (text, summaries->len, differences);
  g_string_append (text, "plot $data using 1:3:4:5:(0.6):xtic(2) with boxerrorbars lt 1\n");
  return draw (text->str, error);
}

static const struct
{
  TallBenchMetric metric;
  const char *name;
} quantiles[] = {
  { TALL_BENCH_P50, "50 %" },    { TALL_BENCH_P95, "95 %" }, { TALL_BENCH_P99, "99 %" },
  { TALL_BENCH_P999, "99.9 %" }, { TALL_BENCH_MAX, "all" },
};

/**
 * tall_bench_plot_latencies:
 * @summaries: (element-type TallBenchSummary): of one phase
 * @id: distinguishes it from other drawings of a page
 *
 * Returns: (transfer full): an SVG element with a line for each: how long which part of the
 *   operations took at most
 */
char *
tall_bench_plot_latencies (const GPtrArray *summaries, const char *id, GError **error)
{
  const Differences differences = compare_summaries (summaries);
  g_autoptr (GString) text = begin (id, summaries->len);
  g_string_append (text, "$data << EOD\n");
  for (guint q = 0; q < G_N_ELEMENTS (quantiles); q++)
    {
      g_string_append_printf (text, "\"%s\"", quantiles[q].name);
      for (guint i = 0; i < summaries->len; i++)
        append_double (text, get_summary (summaries, i)->metrics[quantiles[q].metric].median);
      g_string_append_c (text, '\n');
    }
  g_string_append (text, "EOD\nset ylabel 'µs at most'\nset xlabel 'of the operations took'\n"
                         "set logscale y\nset offsets 0.2, 0.2, 0, 0\nplot ");
  for (guint i = 0; i < summaries->len; i++)
    {
      g_string_append_printf (text,
                              "%s$data using 0:%u:xtic(1) with linespoints pt 7 ps 0.5 title '",
                              i > 0 ? ", " : "", i + 2);
      append_name (text, get_summary (summaries, i)->layout,
                   get_summary (summaries, i)->key_strategy, differences);
      g_string_append_c (text, '\'');
    }
  g_string_append_c (text, '\n');
  return draw (text->str, error);
}

/**
 * tall_bench_plot_stored:
 * @stored: (element-type TallBenchStored): at least one
 * @n_orders: that were stored
 *
 * Returns: (transfer full): an SVG element with two bars for each: the bytes of an order after a
 *   flush, and after a compaction
 */
char *
tall_bench_plot_stored (const GArray *stored, guint n_orders, const char *id, GError **error)
{
  const Differences differences = compare_stored (stored);
  g_autoptr (GString) text = begin (id, stored->len);
  g_string_append (text, "$data << EOD\n");
  for (guint i = 0; i < stored->len; i++)
    {
      const TallBenchStored *each = &g_array_index (stored, TallBenchStored, i);
      g_string_append_c (text, '"');
      append_name (text, each->layout, each->key_strategy, differences);
      g_string_append_c (text, '"');
      append_double (text, (double)each->flushed / MAX (n_orders, 1));
      append_double (text, (double)each->compacted / MAX (n_orders, 1));
      g_string_append_c (text, '\n');
    }
  g_string_append (text, "EOD\n"
                         "set ylabel 'bytes of an order'\nset yrange [0:*]\n"
                         "set style data histogram\nset style fill solid 0.7\n");
  append_tics (text, stored->len, differences);
  g_string_append (text, "plot $data using 2:xtic(1) title 'flushed',"
                         " $data using 3 title 'compacted'\n");
  return draw (text->str, error);
}

static void
append_lines (GString *text, const TallBenchSeries *series)
{
  g_string_append (text, "set logscale xy\nplot ");
  for (guint i = 0; i < series->names->len; i++)
    g_string_append_printf (text, "%s$data using 1:%u with linespoints pt 7 ps 0.5 title '%s'",
                            i > 0 ? ", " : "", i + 2,
                            (const char *)g_ptr_array_index (series->names, i));
}

static void
append_bars (GString *text, const TallBenchSeries *series)
{
  g_string_append (text, "set yrange [0:*]\nset style data histogram\n"
                         "set style fill solid 0.7\nset xtics (");
  for (guint i = 0; i < series->places->len; i++)
    g_string_append_printf (text, "%s'%s' %u", i > 0 ? ", " : "",
                            (const char *)g_ptr_array_index (series->places, i), i);
  g_string_append (text, ")\nplot ");
  for (guint i = 0; i < series->names->len; i++)
    g_string_append_printf (text, "%s$data using %u title '%s'", i > 0 ? ", " : "", i + 2,
                            (const char *)g_ptr_array_index (series->names, i));
}

/**
 * tall_bench_plot_series:
 *
 * Returns: (transfer full): an SVG element with a line for each name, on logarithmic axes, or with
 *   a bar for each name at each place
 */
char *
tall_bench_plot_series (const TallBenchSeries *series, const char *id, GError **error)
{
  guint n = series->names->len;
  g_autoptr (GString) text = begin (id, n);
  g_string_append (text, "$data << EOD\n");
  for (guint i = 0; i < series->values->len; i++)
    {
      double value = g_array_index (series->values, double, i);
      if (isnan (value))
        g_string_append (text, " NaN");
      else
        append_double (text, value);
      if (i % (n + 1) == n)
        g_string_append_c (text, '\n');
    }
  g_string_append_printf (
      text, "EOD\nset key above center horizontal\nset xlabel '%s'\nset ylabel '%s'\n", series->x,
      series->y);
  if (series->places != NULL)
    append_bars (text, series);
  else
    append_lines (text, series);
  g_string_append_c (text, '\n');
  return draw (text->str, error);
}
