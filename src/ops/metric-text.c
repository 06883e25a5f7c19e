/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/metric-text.h"

#include <math.h>

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

/**
 * tall_metric_text_add_family:
 *
 * Begins a family, as tall_metric_text_begin(), and adds its one sample, which has no labels.
 */
void
tall_metric_text_add_family (
    GString *text, const char *name, const char *type, const char *help, gdouble value)
{
  tall_metric_text_begin (text, name, type, help);
  tall_metric_text_add (text, name, "", NULL, value);
}
