/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/text.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

#include "tall-error.h"
#include "model/json.h"

/**
 * tall_bench_text_read:
 * @path: of a file, or of something else that can be read to its end
 *
 * Returns: (transfer full): all of it; NULL with %TALL_ERROR_TOO_LARGE if it is more than any JSON
 *   that is read
 */
char *
tall_bench_text_read (const char *path, GError **error)
{
  const gsize size = TALL_JSON_MAX_BYTES + 1;
  gsize len = 0;
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInputStream) stream = g_file_read (file, NULL, error);
  if (stream == NULL)
    return NULL;
  g_autofree char *text = g_malloc (size + 1);
  if (!g_input_stream_read_all (G_INPUT_STREAM (stream), text, size, &len, NULL, error))
    return NULL;
  if (len == size)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE, "It has more than %d bytes",
                   TALL_JSON_MAX_BYTES);
      return NULL;
    }
  text[len] = '\0';
  return g_realloc (g_steal_pointer (&text), len + 1);
}

/**
 * tall_bench_text_parse:
 *
 * Returns: (transfer full): the JSON object that @text is; NULL with %TALL_ERROR_INVALID or
 *   %TALL_ERROR_TOO_LARGE if it is none, or one that cannot be read safely
 */
JsonObject *
tall_bench_text_parse (const char *text, GError **error)
{
  g_autoptr (JsonNode) root = tall_json_parse (text, strlen (text), error);
  return root != NULL ? json_node_dup_object (root) : NULL;
}

/**
 * tall_bench_text_get_number:
 * @node: (nullable):
 *
 * Returns: FALSE if it is no number
 */
gboolean
tall_bench_text_get_number (JsonNode *node, double *number)
{
  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node))
    return FALSE;
  GType type = json_node_get_value_type (node);
  *number = json_node_get_double (node);
  return (type == G_TYPE_INT64 || type == G_TYPE_DOUBLE) && isfinite (*number);
}
