/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/drawing.h"

#include <math.h>
#include <string.h>

#include "bench/plot.h"
#include "bench/text.h"
#include "tall-error.h"

#define MAX_SIZE 1000 /* places, and names: more is no drawing */

/* What is wrong in the JSON. */
static gboolean
fail (GError **error, const char *field, const char *expected)
{
  tall_error_set_invalid (error, "draw", "“%s” has to be %s", field, expected);
  return FALSE;
}

/* A text that means nothing to gnuplot: no quotes, no backslashes, nothing to be executed. */
static gboolean
is_plain (const char *text)
{
  if (!g_utf8_validate (text, -1, NULL) || strpbrk (text, "'\"\\`") != NULL)
    return FALSE;
  for (; *text != '\0'; text = g_utf8_next_char (text))
    if (g_unichar_iscntrl (g_utf8_get_char (text)))
      return FALSE;
  return TRUE;
}

static const char *
get_text (JsonNode *node)
{
  const char *text = node != NULL && JSON_NODE_HOLDS_VALUE (node)
                             && json_node_get_value_type (node) == G_TYPE_STRING
                         ? json_node_get_string (node)
                         : NULL;
  return text != NULL && is_plain (text) ? text : NULL;
}

static gboolean
read_text (JsonObject *object, const char *field, const char **text, GError **error)
{
  *text = get_text (json_object_get_member (object, field));
  return *text != NULL || fail (error, field, "a text without quotes and backslashes");
}

static JsonArray *
get_array (JsonNode *node, guint least, guint most)
{
  JsonArray *array =
      node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  guint n = array != NULL ? json_array_get_length (array) : 0;
  return n >= least && n <= most ? array : NULL;
}

static gboolean
read_texts (JsonObject *object, const char *field, GPtrArray *texts, GError **error)
{
  JsonArray *array = get_array (json_object_get_member (object, field), 1, MAX_SIZE);
  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      const char *text = get_text (json_array_get_element (array, i));
      if (text == NULL)
        break;
      g_ptr_array_add (texts, (gpointer)text);
    }
  return (array != NULL && texts->len == json_array_get_length (array))
         || fail (error, field, "a list of texts without quotes and backslashes");
}

static double
get_number (JsonNode *node)
{
  double number;
  return tall_bench_text_get_number (node, &number) ? number : NAN;
}

/* A row for each place: where it is, and a number or null for each name. */
static gboolean
read_row (JsonArray *row, guint place, TallBenchSeries *series)
{
  double where = series->places != NULL ? place : get_number (json_array_get_element (row, 0));
  g_array_append_val (series->values, where);
  for (guint i = 0; i < series->names->len; i++)
    {
      JsonNode *node = json_array_get_element (row, i + (series->places == NULL));
      double value = get_number (node);
      if (isnan (value) && !JSON_NODE_HOLDS_NULL (node))
        return FALSE;
      g_array_append_val (series->values, value);
    }
  return !isnan (where);
}

static gboolean
read_rows (JsonObject *object, TallBenchSeries *series, GError **error)
{
  guint n = series->places != NULL ? series->places->len : 0;
  guint width = series->names->len + (series->places == NULL);
  JsonArray *rows =
      get_array (json_object_get_member (object, "rows"), MAX (n, 1), n > 0 ? n : MAX_SIZE);
  for (guint i = 0; rows != NULL && i < json_array_get_length (rows); i++)
    {
      JsonArray *row = get_array (json_array_get_element (rows, i), width, width);
      if (row == NULL || !read_row (row, i, series))
        rows = NULL;
    }
  return rows != NULL
         || fail (error, "rows",
                  "a list for each place: of where it is, unless “places” says so, and of a number "
                  "or null for each of the “names”");
}

static char *
draw (JsonObject *object, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GPtrArray) places = g_ptr_array_new ();
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (double));
  gboolean has_places = json_object_has_member (object, "places");
  TallBenchSeries series = { .names = names, .values = values };
  const char *id;
  series.places = has_places ? places : NULL;
  if (!read_text (object, "id", &id, error) || !read_text (object, "x", &series.x, error)
      || !read_text (object, "y", &series.y, error) || !read_texts (object, "names", names, error)
      || (has_places && !read_texts (object, "places", places, error))
      || !read_rows (object, &series, error))
    return NULL;
  return tall_bench_plot_series (&series, id, error);
}

/**
 * tall_bench_drawing_make:
 * @json: an object as README.md describes it
 *
 * Returns: (transfer full): an SVG element; NULL with %TALL_ERROR_INVALID if @json is not what is
 *   drawn
 */
char *
tall_bench_drawing_make (const char *json, GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autoptr (JsonObject) object = tall_bench_text_parse (json, &local);
  if (object != NULL)
    return draw (object, error);
  tall_error_set_invalid (error, "draw", "This is no JSON object: %s", local->message);
  return NULL;
}
