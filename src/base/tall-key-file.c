/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-key-file.h"

#include <string.h>

/* Whether the last backslash escapes nothing. */
static gboolean
is_cut (const char *raw)
{
  gsize n = 0;
  for (const char *end = raw + strlen (raw); end > raw && end[-1] == '\\'; end--)
    n++;
  return n % 2 == 1;
}

static gboolean
check_group (GKeyFile *file, const char *group, GError **error)
{
  g_auto (GStrv) keys = g_key_file_get_keys (file, group, NULL, NULL);
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      g_autofree char *raw = g_key_file_get_value (file, group, keys[i], NULL);
      if (raw == NULL || !is_cut (raw))
        continue;
      g_set_error (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_INVALID_VALUE,
                   "[%s] %s: its value ends within an escape: write \\\\ for a backslash", group,
                   keys[i]);
      return FALSE;
    }
  return TRUE;
}

/**
 * tall_key_file_load:
 *
 * As g_key_file_load_from_data(), and refuses a value that ends with a single backslash. If such a
 * value has a wrong escape, too, GLib 2.74 sets its error twice, which it warns of, and goes on
 * with a part of the value.
 *
 * Returns: FALSE with an error of #GKeyFile
 */
gboolean
tall_key_file_load (GKeyFile *file, const char *text, gsize len, GError **error)
{
  if (!g_key_file_load_from_data (file, text, len, G_KEY_FILE_NONE, error))
    return FALSE;
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i] != NULL; i++)
    if (!check_group (file, groups[i], error))
      return FALSE;
  return TRUE;
}
