/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/key-file.h"

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

/* What is wrong with a key; NULL: nothing. @seen: those before it */
static const char *
find_mistake (GKeyFile *file, const char *group, const char *key, GHashTable *seen)
{
  g_autofree char *raw = g_key_file_get_value (file, group, key, NULL);
  if (!g_hash_table_add (seen, (gpointer)key))
    return "stands here twice; leave one of them out";
  return raw != NULL && is_cut (raw) ? "its value ends within an escape: write \\\\ for a backslash"
                                     : NULL;
}

/* GLib takes the last of several keys, and lists the key as often as it is there. */
static gboolean
check_group (GKeyFile *file, const char *group, GError **error)
{
  g_auto (GStrv) keys = g_key_file_get_keys (file, group, NULL, NULL);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      const char *mistake = find_mistake (file, group, keys[i], seen);
      if (mistake == NULL)
        continue;
      g_set_error (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_INVALID_VALUE, "[%s] %s: %s", group,
                   keys[i], mistake);
      return FALSE;
    }
  return TRUE;
}

/**
 * tall_key_file_load:
 *
 * As g_key_file_load_from_data(), and refuses a key that stands twice in its group, of which GLib
 * forgets the first, and a value that ends with a single backslash. If such a value has a wrong
 * escape, too, GLib 2.74 sets its error twice, which it warns of, and goes on with a part of the
 * value. Keys of other languages, such as `name[de]`, stay: they are for the caller to refuse.
 *
 * Returns: FALSE with an error of #GKeyFile: %G_KEY_FILE_ERROR_INVALID_VALUE is one of the two,
 *   and its message names group and key, and no value
 */
gboolean
tall_key_file_load (GKeyFile *file, const char *text, gsize len, GError **error)
{
  if (!g_key_file_load_from_data (file, text, len, G_KEY_FILE_KEEP_TRANSLATIONS, error))
    return FALSE;
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i] != NULL; i++)
    if (!check_group (file, groups[i], error))
      return FALSE;
  return TRUE;
}
