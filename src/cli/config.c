/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/config.h"
#include "cli/known-commands.h"
#include "tall-error.h"
#include "base/file.h"
#include "base/key-file.h"

#include <string.h>

#define COMMON_GROUP "tallorder"

/* The value of `--NAME VALUE` or `--NAME=VALUE`; NULL if it is not there. */
static const char *
find_argument (char **argv, const char *name)
{
  gsize len = strlen (name);
  for (guint i = 1; argv[i] != NULL && !g_str_equal (argv[i], "--"); i++)
    {
      if (!g_str_has_prefix (argv[i], "--") || strncmp (argv[i] + 2, name, len) != 0)
        continue;
      if (argv[i][2 + len] == '=')
        return argv[i] + 2 + len + 1;
      if (argv[i][2 + len] == '\0')
        return argv[i + 1];
    }
  return NULL;
}

static const GOptionEntry *
find_entry (const GOptionEntry *entries, const char *name)
{
  for (guint i = 0; entries != NULL && entries[i].long_name != NULL; i++)
    if (g_str_equal (entries[i].long_name, name))
      return &entries[i];
  return NULL;
}

/* An option that is set as it is not meant must not count as one that is not set. */
static gboolean
add_value (
    GKeyFile *file, const char *group, const GOptionEntry *entry, GPtrArray *args, GError **error)
{
  const char *key = entry->long_name;
  g_autoptr (GError) reason = NULL;
  if (entry->arg == G_OPTION_ARG_NONE)
    {
      g_autofree char *raw = g_key_file_get_value (file, group, key, NULL);
      if (g_key_file_get_boolean (file, group, key, &reason))
        g_ptr_array_add (args, g_strdup_printf ("--%s", key));
      else if (reason != NULL)
        tall_error_set_invalid (error, "config", "[%s] %s: write true or false, not “%s”", group,
                                key, raw);
      return reason == NULL;
    }
  g_autofree char *value = g_key_file_get_string (file, group, key, &reason);
  if (reason == NULL) /* after a wrong escape there may be a value all the same */
    g_ptr_array_add (args, g_strdup_printf ("--%s=%s", key, value));
  else
    tall_error_set_invalid (error, "config", "[%s] %s: %s", group, key, reason->message);
  return reason == NULL;
}

/* @own: (nullable): of a command, whose group may have the @common options, too */
static gboolean
add_from_config (GKeyFile *file,
                 const char *group,
                 const GOptionEntry *common,
                 const GOptionEntry *own,
                 gboolean with_place,
                 GPtrArray *args,
                 GError **error)
{
  g_auto (GStrv) keys = g_key_file_get_keys (file, group, NULL, NULL);
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      gboolean is_place = g_str_equal (keys[i], "store") || g_str_equal (keys[i], "server");
      const GOptionEntry *entry = find_entry (own, keys[i]);
      is_place &= entry == NULL;
      if (entry == NULL)
        entry = find_entry (common, keys[i]);
      if (entry == NULL || g_str_equal (keys[i], "config"))
        {
          tall_error_set_invalid (error, "config", "[%s] %s: there is no such option", group,
                                  keys[i]);
          return FALSE;
        }
      if (is_place && !with_place)
        continue;
      if (!add_value (file, group, entry, args, error))
        return FALSE;
    }
  return TRUE;
}

/* Refuses a group of another name, which would have no effect. */
static gboolean
check_groups (GKeyFile *file, GError **error)
{
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i] != NULL; i++)
    {
      if (g_str_equal (groups[i], COMMON_GROUP) || tall_known_commands_have (groups[i]))
        continue;
      const char *meant = tall_known_commands_suggest (groups[i]);
      tall_error_set_invalid (error, "config",
                              "[%s]: there is no such group; write [tallorder], or the name of a "
                              "command%s%s%s",
                              groups[i], meant != NULL ? ", such as [" : "",
                              meant != NULL ? meant : "", meant != NULL ? "]" : "");
      return FALSE;
    }
  return TRUE;
}

/**
 * tall_config_add:
 * @command: the name of the command
 * @common: the options that every command takes
 * @own: (nullable): its own
 * @argv: the command line, which may name a configuration file
 * @args: (element-type utf8): gets the options of that file
 *
 * The options of the command line go behind them, and so win.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if the file says what has no meaning, with
 *   %TALL_ERROR_UNAVAILABLE if it cannot be read
 */
gboolean
tall_config_add (const char *command,
                 const GOptionEntry *common,
                 const GOptionEntry *own,
                 char **argv,
                 GPtrArray *args,
                 GError **error)
{
  const char *path = find_argument (argv, "config");
  if (path == NULL)
    return TRUE;
  gsize len = 0;
  g_autofree char *text = tall_file_read (path, TALL_FILE_MAX_SETTINGS, &len, error);
  if (text == NULL)
    {
      g_prefix_error (error, "Configuration ");
      return FALSE;
    }
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) local = NULL;
  gboolean with_place =
      find_argument (argv, "store") == NULL && find_argument (argv, "server") == NULL;
  if (tall_key_file_load (file, text, len, &local) && check_groups (file, &local)
      && add_from_config (file, COMMON_GROUP, common, NULL, with_place, args, &local)
      && add_from_config (file, command, common, own, with_place, args, &local))
    return TRUE;
  gboolean bare = g_error_matches (local, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_GROUP_NOT_FOUND);
  tall_error_set_invalid (error, "config", "Configuration %s: %s%s", path, local->message,
                          bare ? "; begin with [tallorder], or the name of a command" : "");
  return FALSE;
}
