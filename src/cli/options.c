/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/output.h"
#include "layout/layout.h"
#include "library/open.h"
#include "tall-client.h"
#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

/* The default is the first one. */
static void
append_name (GString *text, guint i, const char *name)
{
  g_string_append_printf (text, "%s%s%s", i > 0 ? ", " : "", name, i == 0 ? " (default)" : "");
}

/**
 * tall_choices_describe:
 *
 * Returns: (transfer full): two lines for the help of a command
 */
char *
tall_choices_describe (void)
{
  guint n_layouts, n_keys;
  const TallLayout *const *layouts = tall_layouts (&n_layouts);
  const TallKeyStrategy *const *keys = tall_key_strategies (&n_keys);
  GString *text = g_string_new ("Layouts: ");
  for (guint i = 0; i < n_layouts; i++)
    append_name (text, i, layouts[i]->name);
  g_string_append (text, ".\nKey strategies: ");
  for (guint i = 0; i < n_keys; i++)
    append_name (text, i, keys[i]->name);
  g_string_append (text, ".\n");
  return g_string_free (text, FALSE);
}

static void
add_layout (const TallList *list, gconstpointer item)
{
  const TallLayout *layout = item;
  tall_list_add (list, "name", layout->name, "");
  tall_list_add (list, "summary", layout->summary, "");
  if (list->builder == NULL)
    return;
  tall_json_add_flag (list->builder, "single_row", layout->single_row);
  tall_json_begin_array (list->builder, "tables");
  for (const TallLayoutTable *table = layout->tables; table->name != NULL; table++)
    json_builder_add_string_value (list->builder, table->name);
  json_builder_end_array (list->builder);
}

static void
add_key_strategy (const TallList *list, gconstpointer item)
{
  const TallKeyStrategy *strategy = item;
  tall_list_add (list, "name", strategy->name, "");
  tall_list_add (list, "summary", strategy->summary, "");
}

static void
add_kind (const TallList *list, gconstpointer item)
{
  const TallTableKind *kind = item;
  g_autofree char *form = tall_table_kind_make_form (kind);
  tall_list_add (list, "name", kind->name, "");
  tall_list_add (list, "address", form, "");
  if (list->builder != NULL)
    tall_json_add_flag (list->builder, "embedded", kind->is_embedded);
}

/**
 * tall_choices_print:
 *
 * Prints what there is, for people or for programs, each default first.
 */
void
tall_choices_print (gboolean json)
{
  static const char *const layout_columns[] = { "LAYOUT", "ROWS", NULL };
  static const char *const key_columns[] = { "KEY STRATEGY", "ROW KEY", NULL };
  static const char *const store_columns[] = { "STORE", "ADDRESS", NULL };
  g_autoptr (JsonBuilder) builder = json ? json_builder_new () : NULL;
  guint n_layouts, n_keys, n_kinds;
  const TallLayout *const *layouts = tall_layouts (&n_layouts);
  const TallKeyStrategy *const *keys = tall_key_strategies (&n_keys);
  const TallTableKind *const *kinds = tall_table_kinds (&n_kinds);
  if (json)
    json_builder_begin_object (builder);
  tall_list_print (builder, "layouts", layout_columns, layouts, n_layouts, add_layout, "");
  tall_list_print (builder, "key_strategies", key_columns, keys, n_keys, add_key_strategy, "\n");
  tall_list_print (builder, "stores", store_columns, kinds, n_kinds, add_kind, "\n");
  if (!json)
    return;
  json_builder_end_object (builder);
  tall_json_print (builder);
}

#define TALL_COMMAND_NAME(name) #name,

/* What reads options needs the names alone: the commands themselves read options. */
static const char *const command_names[] = { TALL_COMMANDS (TALL_COMMAND_NAME) NULL };

/**
 * tall_known_commands_suggest:
 *
 * Returns: (nullable) (transfer none): the name of the command that was probably meant
 */
const char *
tall_known_commands_suggest (const char *word)
{
  return tall_text_find_near (word, command_names, g_strv_length ((char **)command_names));
}

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

/* @own: (nullable): the options of a command; of these, or of those of all commands */
static const GOptionEntry *
find_entry (const GOptionEntry *own, const GOptionEntry *common, const char *name)
{
  for (guint i = 0; own != NULL && own[i].long_name != NULL; i++)
    if (g_str_equal (own[i].long_name, name))
      return &own[i];
  return common != NULL ? find_entry (common, NULL, name) : NULL;
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
      const GOptionEntry *entry = find_entry (own, common, keys[i]);
      is_place &= find_entry (own, NULL, keys[i]) == NULL;
      if (entry == NULL || g_str_equal (keys[i], "config"))
        return tall_error_fail_invalid (error, "config", "[%s] %s: there is no such option", group,
                                        keys[i]);
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
      if (g_str_equal (groups[i], COMMON_GROUP) || g_strv_contains (command_names, groups[i]))
        continue;
      const char *meant = tall_known_commands_suggest (groups[i]);
      return tall_error_fail_invalid (
          error, "config",
          "[%s]: there is no such group; write [tallorder], or the name of a command%s%s%s",
          groups[i], meant != NULL ? ", such as [" : "", meant != NULL ? meant : "",
          meant != NULL ? "]" : "");
    }
  return TRUE;
}

/* @command: the name of the command
 * @common: the options that every command takes
 * @own: (nullable): its own
 * @argv: the command line, which may name a configuration file
 * @args: (element-type utf8): gets the options of that file
 *
 * The options of the command line go behind them, and so win.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if the file says what has no meaning, with
 *   %TALL_ERROR_UNAVAILABLE if it cannot be read */
static gboolean
config_add (const char *command,
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
  return tall_error_fail_invalid (error, "config", "Configuration %s: %s%s", path, local->message,
                                  bare ? "; begin with [tallorder], or the name of a command" : "");
}

void
tall_options_clear (TallOptions *self)
{
  g_clear_pointer (&self->store, g_free);
  g_clear_pointer (&self->server, g_free);
  g_clear_pointer (&self->config, g_free);
  g_clear_pointer (&self->tls_ca, g_free);
  g_clear_pointer (&self->tls_certificate, g_free);
  g_clear_pointer (&self->tls_key, g_free);
  g_clear_pointer (&self->arguments, g_strfreev);
  g_clear_pointer (&self->customer, g_free);
  g_clear_pointer (&self->texts, g_ptr_array_unref);
}

/* Takes over the texts that options have got. */
static void
take_texts (TallOptions *self, const GOptionEntry *entries)
{
  self->texts = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; entries != NULL && entries[i].long_name != NULL; i++)
    {
      gboolean is_list = entries[i].arg == G_OPTION_ARG_FILENAME_ARRAY;
      if (!is_list && entries[i].arg != G_OPTION_ARG_STRING
          && entries[i].arg != G_OPTION_ARG_FILENAME)
        continue;
      gpointer text = *(gpointer *)entries[i].arg_data;
      for (char **each = is_list ? text : NULL; each != NULL && *each != NULL; each++)
        g_ptr_array_add (self->texts, *each);
      g_ptr_array_add (self->texts, text);
    }
}

/* GOption leaves words that are not options; a `--` that it used is gone. */
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
  for (guint i = 1; argv[i] != NULL && !g_str_equal (argv[i], "--"); i++)
    {
      if (!g_str_has_prefix (argv[i], "--"))
        continue;
      g_autofree char *name = g_strndup (argv[i] + 2, strcspn (argv[i] + 2, "="));
      if (find_entry (own, common, name) != NULL)
        continue;
      const char *meant = tall_text_find_near (name, (const char *const *)names->pdata, names->len);
      if (meant != NULL)
        {
          g_clear_error (error);
          tall_error_set_invalid (error, NULL, "There is no option --%s; did you mean --%s", name,
                                  meant);
        }
      return;
    }
}

/* Refuses `--NAME=VALUE` of an option that is only there or not. GOption takes any value for yes,
 * even `no`. */
static gboolean
check_flags (const GOptionEntry *common, const GOptionEntry *own, char **argv, GError **error)
{
  for (guint i = 1; argv[i] != NULL && !g_str_equal (argv[i], "--"); i++)
    {
      const char *value = strchr (argv[i], '=');
      if (!g_str_has_prefix (argv[i], "--") || value == NULL)
        continue;
      g_autofree char *name = g_strndup (argv[i] + 2, (gsize)(value - argv[i] - 2));
      const GOptionEntry *entry = find_entry (own, common, name);
      if (entry == NULL || entry->arg != G_OPTION_ARG_NONE)
        continue;
      return tall_error_fail_invalid (error, NULL, "--%s takes no value, so leave “%s” out",
                                      entry->long_name, value);
    }
  return TRUE;
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

/* Prints the help of a command. GLib would print its “…” in the locale's character set, where that
 * has none as a question mark.
 *
 * Returns: the exit code */
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
add_options (JsonBuilder *builder, const GOptionEntry *entries)
{
  for (guint i = 0; entries != NULL && entries[i].long_name != NULL; i++)
    {
      if ((entries[i].flags & G_OPTION_FLAG_HIDDEN) != 0)
        continue;
      json_builder_begin_object (builder);
      tall_json_add_text (builder, "name", entries[i].long_name);
      if (entries[i].arg_description != NULL)
        tall_json_add_text (builder, "argument", entries[i].arg_description);
      tall_json_add_text (builder, "description", entries[i].description);
      json_builder_end_object (builder);
    }
}

/* @description: what stands below the options
 * @own: (nullable): the command's own options
 * @common: those of every command
 *
 * Prints the same as print_help(), of which `make-manual` makes the manual, the completion and
 * the example of a configuration.
 *
 * Returns: the exit code */
static int
print_help_json (const TallCommand *command,
                 const char *description,
                 const GOptionEntry *own,
                 const GOptionEntry *common)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  json_builder_begin_object (builder);
  tall_json_add_text (builder, "name", command->name);
  tall_json_add_text (builder, "arguments", command->arguments);
  tall_json_add_text (builder, "summary", command->summary);
  tall_json_begin_array (builder, "options");
  add_options (builder, own);
  add_options (builder, common);
  json_builder_end_array (builder);
  tall_json_add_text (builder, "description", description);
  json_builder_end_object (builder);
  tall_json_print (builder);
  return tall_output_finish (TALL_EXIT_DONE);
}

/**
 * tall_options_parse:
 * @entries: (nullable): the command's own options, whose texts belong to @self
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
  g_autofree char *forms = tall_table_kinds_join (tall_table_kind_make_short_form, "");
  g_autofree char *where = g_strconcat ("where the orders are: ", forms, NULL);
  int tls = command->takes_server || command->takes_tls ? G_OPTION_FLAG_NONE : G_OPTION_FLAG_HIDDEN;
  const GOptionEntry common[] = {
    { "store", 0, 0, G_OPTION_ARG_FILENAME, &self->store, where, "URL" },
    { "config", 0, 0, G_OPTION_ARG_FILENAME, &self->config, "key file that gives options", "FILE" },
    { "server", 0, command->takes_server ? G_OPTION_FLAG_NONE : G_OPTION_FLAG_HIDDEN,
      G_OPTION_ARG_FILENAME, &self->server, "a tallorder server instead", "[tls://]HOST:PORT" },
    { "tls-ca", 0, tls, G_OPTION_ARG_FILENAME, &self->tls_ca,
      "TLS: certificates of the CAs that are trusted", "FILE" },
    { "tls-certificate", 0, tls, G_OPTION_ARG_FILENAME, &self->tls_certificate,
      "TLS: certificate that says who this is", "FILE" },
    { "tls-key", 0, tls, G_OPTION_ARG_FILENAME, &self->tls_key, "TLS: its key", "FILE" },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new (command->arguments);
  g_option_context_set_summary (context, command->summary);
  g_autofree char *lines = command->make_help != NULL ? command->make_help () : g_strdup ("");
  g_autofree char *help = g_strconcat (lines, command->help, NULL);
  g_option_context_set_description (context, help);
  if (entries != NULL)
    g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_main_entries (context, common, NULL);

  g_autoptr (GPtrArray) args = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *program = g_strconcat ("tallorder ", command->name, NULL);
  g_set_prgname (program);
  g_ptr_array_add (args, g_strdup (program));
  TallHelp wanted = tall_help_wanted (argv);
  if (wanted != TALL_HELP_NONE)
    {
      int code = wanted == TALL_HELP_TEXT ? print_help (context)
                                          : print_help_json (command, help, entries, common);
      g_clear_pointer (&args, g_ptr_array_unref);
      g_clear_pointer (&program, g_free);
      g_clear_pointer (&context, g_option_context_free);
      exit (code);
    }
  if (!check_flags (common, entries, argv, error)
      || !config_add (command->name, common, entries, argv, args, error))
    return FALSE;
  for (guint i = 1; argv[i] != NULL; i++)
    g_ptr_array_add (args, g_strdup (argv[i]));
  g_ptr_array_add (args, NULL);
  g_auto (GStrv) all = (GStrv)g_ptr_array_free (g_steal_pointer (&args), FALSE);
  if (!g_option_context_parse_strv (context, &all, error))
    {
      suggest_option (common, entries, argv, error);
      return FALSE;
    }
  take_arguments (self, all);
  take_texts (self, entries);
  take_environment (self, command);
  if (*command->arguments != '\0' || self->n_arguments == 0)
    return TRUE;
  return tall_error_fail_invalid (error, NULL, "%s takes no argument: “%s”", command->name,
                                  self->arguments[0]);
}

/**
 * tall_options_parse_token:
 * @uuid: (nullable): what `--token` says
 * @write: (inout): gets its 16 bytes
 *
 * Returns: FALSE, with a message printed, if it is not a UUID
 */
gboolean
tall_options_parse_token (const TallCommand *command, const char *uuid, TallWriteOptions *write)
{
  guint n = 0;
  if (uuid != NULL && !g_uuid_string_is_valid (uuid))
    {
      tall_usage_error (command, "--token takes a UUID, not “%s”", uuid);
      return FALSE;
    }
  write->has_token = uuid != NULL;
  for (const char *at = uuid; at != NULL && *at != '\0'; at++)
    if (g_ascii_isxdigit (*at))
      {
        guint8 digit = (guint8)g_ascii_xdigit_value (*at);
        write->token[n / 2] = n % 2 == 0 ? (guint8)(digit << 4) : write->token[n / 2] | digit;
        n++;
      }
  return TRUE;
}

/* Milliseconds in which a server must show that it is one. */
#define FIRST_ANSWER 3000

static const char *
name_environment (const TallCommand *command)
{
  if (command->ignores_environment)
    return "";
  return command->takes_server ? "; or set TALLORDER_STORE or TALLORDER_SERVER"
                               : "; or set TALLORDER_STORE";
}

static void
say_where (const TallCommand *command)
{
  guint n;
  g_autofree char *usual = tall_table_kind_make_short_form (tall_table_kinds (&n)[0]);
  tall_usage_error (command, "Say where the orders are: --store %s%s%s", usual,
                    command->takes_server ? ", or --server HOST:PORT" : "",
                    name_environment (command));
}

static TallTableAddress *
parse_store (const TallOptions *self, const TallCommand *command, TallExit *code)
{
  g_autoptr (GError) error = NULL;
  *code = TALL_EXIT_USAGE;
  if (self->server != NULL && !command->takes_server)
    tall_usage_error (command, "%s works on a store, not on a server: give --store", command->name);
  else if (self->server != NULL && self->store != NULL)
    tall_usage_error (command, self->both_given ? "TALLORDER_STORE and TALLORDER_SERVER are both "
                                                  "set: unset one, or give --store or --server"
                                                : "Give --store or --server, not both");
  else if (self->store == NULL)
    say_where (command);
  else
    {
      TallTableAddress *address = tall_table_kinds_parse (self->store, &error);
      if (address == NULL)
        tall_print_failure (error);
      return address;
    }
  return NULL;
}

static TallTable *
open_address (const TallTableAddress *address, gboolean create, TallExit *code)
{
  g_autoptr (GError) error = NULL;
  TallTable *table = tall_table_address_open (address, create, &error);
  if (table == NULL)
    {
      /* A name that no deployment can have is wrong wherever the place is. */
      *code = g_strcmp0 (tall_error_get_field (error), "name") == 0 ? TALL_EXIT_USAGE
                                                                    : TALL_EXIT_FAILED;
      tall_print_failure (error);
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
                         TallExit *code)
{
  g_autoptr (TallTableAddress) address = parse_store (self, command, code);
  return address == NULL ? NULL : open_address (address, create, code);
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
                              TallExit *code)
{
  g_autoptr (TallTableAddress) address = parse_store (self, command, code);
  if (address == NULL)
    return NULL;
  if (address->name != NULL && !g_str_equal (address->name, name))
    {
      tall_usage_error (command, "--store names the deployment %s, and %s is meant", address->name,
                        name);
      *code = TALL_EXIT_USAGE;
      return NULL;
    }
  tall_table_address_set_name (address, name);
  return open_address (address, FALSE, code);
}

/**
 * tall_options_find_address:
 *
 * Returns: (transfer full): where the store is; NULL: `--store` is missing or wrong
 */
TallTableAddress *
tall_options_find_address (const TallOptions *self)
{
  return self->store != NULL ? tall_table_kinds_parse (self->store, NULL) : NULL;
}

/**
 * tall_options_open_store:
 *
 * Returns: (transfer full): the store of `--store`; NULL, with a message printed, on failure
 */
TallStore *
tall_options_open_store (const TallOptions *self, const TallCommand *command, TallExit *code)
{
  g_autoptr (TallTable) table = tall_options_open_table (self, command, FALSE, code);
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
  *code = TALL_EXIT_FAILED;
  return NULL;
}

/* Files for TLS may stand in a configuration that is used for other servers, too. */
static TallFront *
open_client (const TallOptions *self, GError **error)
{
  g_autoptr (TallFront) client = tall_client_new (self->server, error);
  if (client == NULL
      || (g_str_has_prefix (self->server, TALL_CLIENT_TLS)
          && !tall_client_use_tls (TALL_CLIENT (client), self->tls_ca, self->tls_certificate,
                                   self->tls_key, error)))
    return NULL;
  return g_steal_pointer (&client);
}

/**
 * tall_options_open_front:
 *
 * Returns: (transfer full): what the options name: a store, or a server; NULL, with a message
 *   printed, on failure
 */
TallFront *
tall_options_open_front (const TallOptions *self, const TallCommand *command, TallExit *code)
{
  if (self->server == NULL || self->store != NULL)
    {
      TallStore *store = tall_options_open_store (self, command, code);
      return store == NULL ? NULL : TALL_FRONT (store);
    }
  g_autoptr (GError) error = NULL;
  g_autoptr (TallFront) client = open_client (self, &error);
  if (client != NULL && tall_client_check (TALL_CLIENT (client), FIRST_ANSWER, &error))
    return g_steal_pointer (&client);
  tall_print_failure (error);
  *code =
      g_error_matches (error, TALL_ERROR, TALL_ERROR_INVALID) ? TALL_EXIT_USAGE : TALL_EXIT_FAILED;
  return NULL;
}

/**
 * tall_options_is_alone:
 *
 * Returns: whether nobody else uses the store of @front, as this process does nothing else. A
 * server may have other clients
 */
gboolean
tall_options_is_alone (TallFront *front)
{
  TallTableInfo info = { 0 };
  if (TALL_IS_STORE (front))
    tall_table_get_info (tall_store_get_table (TALL_STORE (front)), &info);
  return info.is_exclusive;
}
