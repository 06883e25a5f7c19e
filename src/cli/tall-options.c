/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-options.h"
#include "tall-client.h"
#include "tall-commands.h"
#include "tall-error.h"
#include "tall-file.h"
#include "tall-output.h"
#include "tall-store-url.h"
#include "tall-suggest.h"

#include <stdlib.h>

#define COMMON_GROUP "tallorder"

/* Milliseconds in which a server must show that it is one. */
#define FIRST_ANSWER 3000

void
tall_options_clear (TallOptions *self)
{
  g_clear_pointer (&self->store, g_free);
  g_clear_pointer (&self->server, g_free);
  g_clear_pointer (&self->config, g_free);
  g_clear_pointer (&self->arguments, g_strfreev);
}

/**
 * tall_usage_error:
 *
 * Says what is wrong with the call, and where to look.
 */
TallExit
tall_usage_error (const TallCommand *command, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  tall_print_error ("%s; see: tallorder %s --help", message, command->name);
  return TALL_EXIT_USAGE;
}

/**
 * tall_call_error:
 * @error: what is wrong with the call; %TALL_ERROR_UNAVAILABLE: a file that it names cannot be read
 *
 * Prints it.
 *
 * Returns: the exit code that fits it
 */
TallExit
tall_call_error (const TallCommand *command, const GError *error)
{
  if (!g_error_matches (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE))
    {
      g_autofree char *text = tall_error_describe (error);
      return tall_usage_error (command, "%s", text);
    }
  tall_print_failure (error);
  return TALL_EXIT_FAILED;
}

/**
 * tall_fail:
 *
 * Prints an error.
 *
 * Returns: the exit code that fits it
 */
TallExit
tall_fail (const GError *error)
{
  tall_print_failure (error);
  if (g_error_matches (error, TALL_ERROR, TALL_ERROR_NOT_FOUND)
      || g_error_matches (error, TALL_ERROR, TALL_ERROR_CONFLICT))
    return TALL_EXIT_NO;
  return TALL_EXIT_FAILED;
}

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

static gboolean
add_from_config (GKeyFile *file,
                 const char *group,
                 const GOptionEntry *entries,
                 gboolean with_place,
                 GPtrArray *args,
                 GError **error)
{
  g_auto (GStrv) keys = g_key_file_get_keys (file, group, NULL, NULL);
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      gboolean is_place = g_str_equal (keys[i], "store") || g_str_equal (keys[i], "server");
      const GOptionEntry *entry = find_entry (entries, keys[i]);
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
      if (g_str_equal (groups[i], COMMON_GROUP) || tall_commands_find (groups[i]) != NULL)
        continue;
      const char *meant = tall_commands_suggest (groups[i]);
      tall_error_set_invalid (error, "config",
                              "[%s]: there is no such group; write [tallorder], or the name of a "
                              "command%s%s%s",
                              groups[i], meant != NULL ? ", such as [" : "",
                              meant != NULL ? meant : "", meant != NULL ? "]" : "");
      return FALSE;
    }
  return TRUE;
}

/* Puts the options of a configuration file before those of the command line, which so win. */
static gboolean
add_config (const TallCommand *command,
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
  if (g_key_file_load_from_data (file, text, len, G_KEY_FILE_NONE, &local)
      && check_groups (file, &local)
      && add_from_config (file, COMMON_GROUP, common, with_place, args, &local)
      && add_from_config (file, command->name, own, TRUE, args, &local))
    return TRUE;
  tall_error_set_invalid (error, "config", "Configuration %s: %s", path, local->message);
  return FALSE;
}

static void
add_arguments (GPtrArray *args, char **argv)
{
  for (guint i = 1; argv[i] != NULL; i++)
    g_ptr_array_add (args, g_strdup (argv[i]));
  g_ptr_array_add (args, NULL);
}

/* GOption leaves what is no option; a `--` that it used is gone. */
static void
take_arguments (TallOptions *self, GStrv parsed)
{
  self->arguments = g_strdupv (parsed + 1);
  guint n = g_strv_length (self->arguments);
  for (guint i = 0; i < n; i++)
    if (g_str_equal (self->arguments[i], "--"))
      {
        g_free (self->arguments[i]);
        memmove (self->arguments + i, self->arguments + i + 1, (n - i) * sizeof (char *));
        break;
      }
  self->n_arguments = g_strv_length (self->arguments);
}

/**
 * tall_options_want_help:
 *
 * Returns: whether a command line asks for help, whatever else it says
 */
gboolean
tall_options_want_help (char **argv)
{
  for (guint i = 1; argv[i] != NULL && !g_str_equal (argv[i], "--"); i++)
    if (g_str_equal (argv[i], "--help") || g_str_equal (argv[i], "-h")
        || g_str_equal (argv[i], "-?"))
      return TRUE;
  return FALSE;
}

/* Prints help; returns the exit code. GLib would print its “…” in the locale's character set, where
 * that has none as a question mark. */
static int
print_help (GOptionContext *context)
{
  g_autofree char *help = g_option_context_get_help (context, TRUE, NULL);
  g_auto (GStrv) parts = g_strsplit (help, "[OPTION…]", 2);
  g_autofree char *text = g_strjoinv ("[OPTION...]", parts);
  tall_print ("%s", text);
  return tall_output_finish (TALL_EXIT_DONE);
}

static void
add_names (GPtrArray *names, const GOptionEntry *entries)
{
  for (guint i = 0; entries != NULL && entries[i].long_name != NULL; i++)
    if ((entries[i].flags & G_OPTION_FLAG_HIDDEN) == 0)
      g_ptr_array_add (names, (gpointer)entries[i].long_name);
}

/* Adds to an error about an unknown option which one was probably meant. */
static void
suggest_option (const GOptionEntry *common, const GOptionEntry *own, char **argv, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  if (error == NULL || !g_error_matches (*error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION))
    return;

  add_names (names, own);
  add_names (names, common);
  g_ptr_array_add (names, NULL);
  for (guint i = 1; argv[i] != NULL && !g_str_equal (argv[i], "--"); i++)
    {
      if (!g_str_has_prefix (argv[i], "--"))
        continue;
      g_autofree char *name = g_strndup (argv[i] + 2, strcspn (argv[i] + 2, "="));
      if (find_entry (own, name) != NULL || find_entry (common, name) != NULL)
        continue;
      const char *meant = tall_suggest (name, (const char *const *)names->pdata);
      if (meant != NULL)
        {
          g_clear_error (error);
          tall_error_set_invalid (error, NULL, "There is no option --%s; did you mean --%s", name,
                                  meant);
        }
      return;
    }
}

/* Where neither the command line nor the configuration file says where the orders are, the
 * environment does. */
static void
take_environment (TallOptions *self, const TallCommand *command)
{
  const char *store = g_getenv ("TALLORDER_STORE");
  const char *server = command->takes_server ? g_getenv ("TALLORDER_SERVER") : NULL;

  if (self->store != NULL || self->server != NULL || command->ignores_environment)
    return;
  if (store != NULL && *store != '\0')
    self->store = g_strdup (store);
  if (server != NULL && *server != '\0')
    self->server = g_strdup (server);
  self->both_given = self->store != NULL && self->server != NULL;
}

/**
 * tall_options_parse:
 * @entries: (nullable): the command's own options
 * @argv: with the command's name as first, NULL-terminated
 *
 * Reads the command line, and the configuration file that it names; where neither names a place,
 * TALLORDER_STORE or TALLORDER_SERVER does. `--help` prints help and ends
 * the program.
 *
 * Returns: FALSE with an error if it is wrong
 */
gboolean
tall_options_parse (TallOptions *self,
                    const TallCommand *command,
                    const GOptionEntry *entries,
                    int argc G_GNUC_UNUSED,
                    char **argv,
                    GError **error)
{
  const GOptionEntry common[] = {
    { "store", 0, 0, G_OPTION_ARG_FILENAME, &self->store,
      "where the orders are: rocksdb:DIR or hbase://host:port", "URL" },
    { "config", 0, 0, G_OPTION_ARG_FILENAME, &self->config, "key file that gives options", "FILE" },
    { "server", 0, command->takes_server ? G_OPTION_FLAG_NONE : G_OPTION_FLAG_HIDDEN,
      G_OPTION_ARG_FILENAME, &self->server, "a tallorder server instead", "HOST:PORT" },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new (command->arguments);
  g_option_context_set_summary (context, command->summary);
  g_option_context_set_description (context, command->help);
  if (entries != NULL)
    g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_main_entries (context, common, NULL);

  g_autoptr (GPtrArray) args = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *program = g_strconcat ("tallorder ", command->name, NULL);
  g_set_prgname (program);
  g_ptr_array_add (args, g_strdup (program));
  if (tall_options_want_help (argv))
    {
      int code = print_help (context);
      g_clear_pointer (&args, g_ptr_array_unref);
      g_clear_pointer (&program, g_free);
      g_clear_pointer (&context, g_option_context_free);
      exit (code);
    }
  if (!add_config (command, common, entries, argv, args, error))
    return FALSE;
  add_arguments (args, argv);
  g_auto (GStrv) all = (GStrv)g_ptr_array_free (g_steal_pointer (&args), FALSE);
  if (!g_option_context_parse_strv (context, &all, error))
    {
      suggest_option (common, entries, argv, error);
      return FALSE;
    }
  take_arguments (self, all);
  take_environment (self, command);
  return TRUE;
}

static const char *
name_environment (const TallCommand *command)
{
  if (command->ignores_environment)
    return "";
  return command->takes_server ? "; or set TALLORDER_STORE or TALLORDER_SERVER"
                               : "; or set TALLORDER_STORE";
}

static TallStoreUrl *
parse_store (const TallOptions *self, const TallCommand *command, TallExit *exit)
{
  g_autoptr (GError) error = NULL;
  *exit = TALL_EXIT_USAGE;
  if (self->server != NULL && !command->takes_server)
    tall_usage_error (command, "%s works on a store, not on a server: give --store", command->name);
  else if (self->server != NULL && self->store != NULL)
    tall_usage_error (command, self->both_given
                                   ? "TALLORDER_STORE and TALLORDER_SERVER are both set: unset "
                                     "one, or give --store or --server"
                                   : "Give --store or --server, not both");
  else if (self->store == NULL)
    tall_usage_error (command, "Say where the orders are: --store rocksdb:DIR%s%s",
                      command->takes_server ? ", or --server HOST:PORT" : "",
                      name_environment (command));
  else
    {
      TallStoreUrl *url = tall_store_url_parse (self->store, &error);
      if (url == NULL)
        tall_print_failure (error);
      return url;
    }
  return NULL;
}

static TallTable *
open_url (const TallStoreUrl *url, gboolean create, TallExit *exit)
{
  g_autoptr (GError) error = NULL;
  TallTable *table = tall_store_url_open (url, create, &error);
  if (table == NULL)
    {
      tall_print_failure (error);
      *exit = TALL_EXIT_FAILED;
    }
  return table;
}

/**
 * tall_options_open_table:
 * @create: make a new embedded store if there is none
 *
 * Returns: (transfer full): the tables of `--store`; NULL, with a message printed, on failure
 */
TallTable *
tall_options_open_table (const TallOptions *self,
                         const TallCommand *command,
                         gboolean create,
                         TallExit *exit)
{
  g_autoptr (TallStoreUrl) url = parse_store (self, command, exit);
  return url == NULL ? NULL : open_url (url, create, exit);
}

/**
 * tall_options_open_deployment:
 * @name: of a deployment in the place of `--store`, in which none is named, or this one
 *
 * Returns: (transfer full): its tables; NULL, with a message printed, on failure
 */
TallTable *
tall_options_open_deployment (const TallOptions *self,
                              const TallCommand *command,
                              const char *name,
                              TallExit *exit)
{
  g_autoptr (TallStoreUrl) url = parse_store (self, command, exit);
  if (url == NULL)
    return NULL;
  if (url->name != NULL && !g_str_equal (url->name, name))
    {
      tall_usage_error (command, "--store names the deployment %s, and %s is meant", url->name,
                        name);
      *exit = TALL_EXIT_USAGE;
      return NULL;
    }
  g_free (url->name);
  url->name = g_strdup (name);
  return open_url (url, FALSE, exit);
}

TallStore *
tall_options_open_store (const TallOptions *self, const TallCommand *command, TallExit *exit)
{
  g_autoptr (TallTable) table = tall_options_open_table (self, command, FALSE, exit);
  if (table == NULL)
    return NULL;
  g_autoptr (GError) error = NULL;
  TallStore *store = tall_store_open (table, NULL, NULL, NULL, &error);
  if (store != NULL)
    return store;
  /* what is wrong with the deployment, not with the place, which names itself */
  if (g_error_matches (error, TALL_ERROR, TALL_ERROR_NOT_FOUND)
      || g_error_matches (error, TALL_ERROR, TALL_ERROR_NEWER_VERSION)
      || g_error_matches (error, TALL_ERROR, TALL_ERROR_DAMAGED))
    g_prefix_error (&error, "Store %s: ", self->store);
  tall_print_failure (error);
  *exit = TALL_EXIT_FAILED;
  return NULL;
}

TallFront *
tall_options_open_front (const TallOptions *self, const TallCommand *command, TallExit *exit)
{
  if (self->server == NULL || self->store != NULL)
    {
      TallStore *store = tall_options_open_store (self, command, exit);
      return store == NULL ? NULL : TALL_FRONT (store);
    }
  g_autoptr (GError) error = NULL;
  g_autoptr (TallFront) client = tall_client_new (self->server, &error);
  if (client != NULL && tall_client_check (TALL_CLIENT (client), FIRST_ANSWER, &error))
    return g_steal_pointer (&client);
  tall_print_failure (error);
  *exit =
      g_error_matches (error, TALL_ERROR, TALL_ERROR_INVALID) ? TALL_EXIT_USAGE : TALL_EXIT_FAILED;
  return NULL;
}
