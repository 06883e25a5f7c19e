/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"
#include "cli/config.h"
#include "tall-error.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/suggest.h"
#include "library/table-kinds.h"

#include <stdlib.h>

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

static const GOptionEntry *
find_entry (const GOptionEntry *entries, const char *name, gsize len)
{
  for (guint i = 0; entries != NULL && entries[i].long_name != NULL; i++)
    if (strlen (entries[i].long_name) == len && memcmp (entries[i].long_name, name, len) == 0)
      return &entries[i];
  return NULL;
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
      gsize len = strcspn (argv[i] + 2, "=");
      g_autofree char *name = g_strndup (argv[i] + 2, len);
      if (find_entry (own, name, len) != NULL || find_entry (common, name, len) != NULL)
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
      const char *name = argv[i] + 2;
      const GOptionEntry *entry = find_entry (own, name, (gsize)(value - name));
      if (entry == NULL)
        entry = find_entry (common, name, (gsize)(value - name));
      if (entry == NULL || entry->arg != G_OPTION_ARG_NONE)
        continue;
      tall_error_set_invalid (error, NULL, "--%s takes no value, so leave “%s” out",
                              entry->long_name, value);
      return FALSE;
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
      int code = wanted == TALL_HELP_TEXT ? tall_help_print (context)
                                          : tall_help_print_json (command, help, entries, common);
      g_clear_pointer (&args, g_ptr_array_unref);
      g_clear_pointer (&program, g_free);
      g_clear_pointer (&context, g_option_context_free);
      exit (code);
    }
  if (!check_flags (common, entries, argv, error)
      || !tall_config_add (command->name, common, entries, argv, args, error))
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
