/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <math.h>

#include "model/json-build.h"

#define WIDTH 76 /* of what is measured, in the table for people */

/* What one side took, for programs. */
typedef struct
{
  guint64 n_operations; /* 0: was not measured by itself */
  guint n_rounds;
  double p50, p95, p99, max;          /* microseconds an operation */
  double cpu[TALL_BENCH_N_PROCESSES]; /* the same; 0: not counted, NAN: not known */
} Side;

typedef struct
{
  char *id;
  char *what;
  char *unit;
  double ours;
  double floor;
  double ratio;
  double goal;
  gboolean at_least;
  gboolean reached;
  Side ours_side;
  Side floor_side;
} Line;

typedef struct
{
  char *name;
  gint64 value;
} Setting;

struct _TallBenchReport
{
  GArray *settings;    /* of Setting */
  GArray *lines;       /* of Line */
  TallBenchShow *show; /* nullable */
  gpointer data;       /* for @show */
};

static const char *const process_names[] = {
  [TALL_BENCH_SPENT_CLIENT] = "client",
  [TALL_BENCH_SPENT_GATEWAY] = "gateway",
  [TALL_BENCH_SPENT_SERVER] = "server",
};

static void
line_clear (Line *line)
{
  g_free (line->id);
  g_free (line->what);
  g_free (line->unit);
}

static void
setting_clear (Setting *setting)
{
  g_free (setting->name);
}

TallBenchReport *
tall_bench_report_new (void)
{
  TallBenchReport *self = g_new0 (TallBenchReport, 1);
  self->settings = g_array_new (FALSE, FALSE, sizeof (Setting));
  self->lines = g_array_new (FALSE, FALSE, sizeof (Line));
  g_array_set_clear_func (self->settings, (GDestroyNotify)setting_clear);
  g_array_set_clear_func (self->lines, (GDestroyNotify)line_clear);
  return self;
}

void
tall_bench_report_free (TallBenchReport *self)
{
  g_array_unref (self->settings);
  g_array_unref (self->lines);
  g_free (self);
}

/**
 * tall_bench_report_set:
 *
 * Adds a setting of the measurement, for programs.
 */
void
tall_bench_report_set (TallBenchReport *self, const char *setting, gint64 value)
{
  Setting noted = { g_strdup (setting), value };
  g_array_append_val (self->settings, noted);
}

static double
get_microseconds (const TallMeasured *measured, double quantile)
{
  return (double)tall_histogram_get_quantile (measured->batches, quantile) / 1000;
}

static Side
make_side (const TallMeasured *measured)
{
  if (measured == NULL)
    return (Side){ 0 };
  Side side = {
    .n_operations = measured->n_operations,
    .n_rounds = measured->means->len,
    .p50 = get_microseconds (measured, 0.5),
    .p95 = get_microseconds (measured, 0.95),
    .p99 = get_microseconds (measured, 0.99),
    .max = (double)tall_histogram_get_max (measured->batches) / 1000,
  };
  for (guint i = 0; i < TALL_BENCH_N_PROCESSES; i++)
    side.cpu[i] = measured->cpu[i] / 1000 / (double)MAX (measured->n_operations, 1);
  return side;
}

/**
 * tall_bench_report_show:
 * @show: gets a table for people, line by line
 *
 * Shows each figure from now on as soon as it is known: a run may take long, or be stopped.
 */
void
tall_bench_report_show (TallBenchReport *self, TallBenchShow *show, gpointer data)
{
  self->show = show;
  self->data = data;
}

/* Three significant digits are enough to read. */
static char *
format_number (double value)
{
  return g_strdup_printf (value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
}

static void
append_line (GString *text, const Line *line)
{
  g_autofree char *ours = format_number (line->ours);
  g_autofree char *floor = format_number (line->floor);
  glong len = g_utf8_strlen (line->what, -1);
  glong unit_len = g_utf8_strlen (line->unit, -1);
  g_string_append_printf (text, "%s%*s  %9s  %9s  %s%*s  %5.2f  ", line->what,
                          MAX (WIDTH - (int)len, 0), "", ours, floor, line->unit,
                          MAX (8 - (int)unit_len, 0), "", line->ratio);
  if (line->goal != 0)
    g_string_append_printf (text, "%s %-4.4g  %s\n", line->at_least ? "≥" : "≤", line->goal,
                            line->reached ? "yes" : "NO");
  else
    g_string_append (text, "none\n");
}

static gboolean
is_counted (double cpu)
{
  return !isnan (cpu) && cpu != 0;
}

/* The CPU time of each process that is known, in a line of its own. */
static void
append_cpu (GString *text, const Line *line)
{
  if (!is_counted (line->ours_side.cpu[TALL_BENCH_SPENT_CLIENT]))
    return;
  const char *before = "  CPU time, µs:";
  for (guint i = 0; i < TALL_BENCH_N_PROCESSES; i++)
    {
      if (!is_counted (line->ours_side.cpu[i]))
        continue;
      g_autofree char *ours = format_number (line->ours_side.cpu[i]);
      g_autofree char *floor = format_number (line->floor_side.cpu[i]);
      g_string_append_printf (text, "%s %s %s / %s", before, process_names[i], ours, floor);
      before = ",";
    }
  g_string_append_c (text, '\n');
}

static void
show_line (const TallBenchReport *self, const Line *line)
{
  g_autoptr (GString) text = g_string_new (NULL);
  if (self->show == NULL)
    return;
  if (self->lines->len == 0)
    g_string_append_printf (text, "%-*s  %9s  %9s  %-8s  %5s  %-6s  %s\n", WIDTH, "what", "ours",
                            "floor", "unit", "ratio", "goal", "reached");
  append_line (text, line);
  append_cpu (text, line);
  self->show (text->str, self->data);
}

void
tall_bench_report_add (TallBenchReport *self, const TallBenchFigure *figure)
{
  Line line = {
    .id = g_strdup (figure->id),
    .what = g_strdup (figure->what),
    .unit = g_strdup (figure->unit),
    .ours = figure->ours,
    .floor = figure->floor,
    .ratio = figure->ratio,
    .goal = figure->goal,
    .at_least = figure->at_least,
    .reached = figure->at_least    ? figure->ratio >= figure->goal
               : figure->goal != 0 ? figure->ratio <= figure->goal
                                   : TRUE,
    .ours_side = make_side (figure->ours_measured),
    .floor_side = make_side (figure->floor_measured),
  };
  show_line (self, &line);
  g_array_append_val (self->lines, line);
}

/**
 * tall_bench_report_add_rate:
 * @goal: the ratio of the rates is to be this or more
 *
 * Adds a figure in operations a second.
 */
void
tall_bench_report_add_rate (TallBenchReport *self,
                            const char *id,
                            const char *what,
                            double goal,
                            const TallMeasured *ours,
                            const TallMeasured *floor)
{
  TallBenchFigure figure = {
    .id = id,
    .what = what,
    .unit = "orders/s",
    .ours = 1e9 / tall_measured_get_mean (ours),
    .floor = 1e9 / tall_measured_get_mean (floor),
    .ratio = tall_measured_compare_means (floor, ours),
    .goal = goal,
    .at_least = TRUE,
    .ours_measured = ours,
    .floor_measured = floor,
  };
  tall_bench_report_add (self, &figure);
}

/**
 * tall_bench_report_add_latency:
 * @goal: the ratio of the median latencies is to be this or less; 0: it is what it is
 *
 * Adds a figure in microseconds.
 */
void
tall_bench_report_add_latency (TallBenchReport *self,
                               const char *id,
                               const char *what,
                               double goal,
                               const TallMeasured *ours,
                               const TallMeasured *floor)
{
  TallBenchFigure figure = {
    .id = id,
    .what = what,
    .unit = "µs p50",
    .ours = tall_measured_get_median (ours) / 1000,
    .floor = tall_measured_get_median (floor) / 1000,
    .ratio = tall_measured_compare_medians (ours, floor),
    .goal = goal,
    .at_least = FALSE,
    .ours_measured = ours,
    .floor_measured = floor,
  };
  tall_bench_report_add (self, &figure);
}

/**
 * tall_bench_report_count_missed:
 *
 * Returns: how many figures have not reached their goal
 */
guint
tall_bench_report_count_missed (const TallBenchReport *self)
{
  guint n = 0;
  for (guint i = 0; i < self->lines->len; i++)
    n += !g_array_index (self->lines, Line, i).reached;
  return n;
}

static void
add_side (JsonBuilder *builder, const char *name, const Side *side)
{
  if (side->n_operations == 0)
    return;
  tall_json_begin_object (builder, name);
  tall_json_add_number (builder, "operations", (gint64)side->n_operations);
  tall_json_add_number (builder, "rounds", side->n_rounds);
  tall_json_add_double (builder, "p50_us", side->p50);
  tall_json_add_double (builder, "p95_us", side->p95);
  tall_json_add_double (builder, "p99_us", side->p99);
  tall_json_add_double (builder, "max_us", side->max);
  for (guint i = 0; i < TALL_BENCH_N_PROCESSES; i++)
    if (is_counted (side->cpu[i]))
      {
        g_autofree char *member = g_strdup_printf ("cpu_%s_us", process_names[i]);
        tall_json_add_double (builder, member, side->cpu[i]);
      }
  json_builder_end_object (builder);
}

static void
add_line (JsonBuilder *builder, const Line *line)
{
  json_builder_begin_object (builder);
  tall_json_add_text (builder, "id", line->id);
  tall_json_add_text (builder, "what", line->what);
  tall_json_add_text (builder, "unit", line->unit);
  tall_json_add_double (builder, "ours", line->ours);
  tall_json_add_double (builder, "floor", line->floor);
  tall_json_add_double (builder, "ratio", line->ratio);
  if (line->goal != 0)
    {
      tall_json_add_text (builder, "goal_is", line->at_least ? "at_least" : "at_most");
      tall_json_add_double (builder, "goal", line->goal);
      tall_json_add_flag (builder, "reached", line->reached);
    }
  add_side (builder, "ours_measured", &line->ours_side);
  add_side (builder, "floor_measured", &line->floor_side);
  json_builder_end_object (builder);
}

/**
 * tall_bench_report_to_json:
 *
 * Returns: (transfer full): everything, for programs: what was set, and an array `figures`
 */
char *
tall_bench_report_to_json (const TallBenchReport *self)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  json_builder_begin_object (builder);
  tall_json_add_text (builder, "version", TALL_VERSION);
  for (guint i = 0; i < self->settings->len; i++)
    {
      const Setting *setting = &g_array_index (self->settings, Setting, i);
      tall_json_add_number (builder, setting->name, setting->value);
    }
  tall_json_begin_array (builder, "figures");
  for (guint i = 0; i < self->lines->len; i++)
    add_line (builder, &g_array_index (self->lines, Line, i));
  json_builder_end_array (builder);
  json_builder_end_object (builder);

  return tall_json_build (builder, TRUE);
}
