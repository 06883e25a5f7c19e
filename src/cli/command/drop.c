/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "cli/options.h"
#include "cli/output.h"
#include "library/open.h"
#include "base/text.h"

#include <stdio.h>
#include <unistd.h>

#define MAX_ANSWER 512 /* bytes; longer than any name */

/* A line from the terminal that is @name and nothing else. */
static gboolean
ask (const char *name)
{
  char answer[MAX_ANSWER];
  g_autofree char *clean = tall_text_clean (name);
  fprintf (stderr,
           "This removes the deployment %s with all its orders and customers.\n"
           "Type its name again to go on: ",
           clean);
  fflush (stderr);
  if (fgets (answer, sizeof answer, stdin) == NULL)
    return FALSE;
  g_strchomp (answer);
  return g_str_equal (answer, name);
}

/* The deployment that is meant; NULL, with a message printed, if none is named. */
static char *
find_name (const TallOptions *options, const char *given)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTableAddress) address = given == NULL && options->store != NULL
                                             ? tall_table_kinds_parse (options->store, &error)
                                             : NULL;
  const char *name = address != NULL ? address->name : given;
  if (error != NULL)
    tall_print_failure (error);
  else if (name == NULL)
    tall_usage_error (&tall_command_drop,
                      "Say which deployment: --name N, or ?name=N at the end of --store; "
                      "`tallorder status --all` lists them");
  return g_strdup (name);
}

/* Sets @code unless it is to be done. */
static gboolean
is_confirmed (const char *name, const char *yes, TallExit *code)
{
  const TallCommand *command = &tall_command_drop;
  *code = TALL_EXIT_USAGE;
  if (yes != NULL && g_str_equal (yes, name))
    return TRUE;
  if (yes != NULL)
    tall_usage_error (command,
                      "--yes and the name of the deployment differ (%s, %s); nothing is removed",
                      yes, name);
  else if (!isatty (STDIN_FILENO))
    tall_usage_error (command, "Not on a terminal: add --yes %s", name);
  else if (ask (name))
    return TRUE;
  else
    {
      *code = TALL_EXIT_NO;
      tall_print_error ("The name is another one; nothing is removed");
    }
  return FALSE;
}

static TallExit
drop (const TallOptions *options, const char *name)
{
  TallExit code;
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) table =
      tall_options_open_deployment (options, &tall_command_drop, name, &code);
  if (table == NULL)
    return code;
  if (!tall_store_drop (table, &error))
    return tall_fail (error);
  g_autofree char *clean = tall_text_clean (name);
  tall_print ("Removed the deployment %s\n", clean);
  return TALL_EXIT_DONE;
}

static TallExit
run (int argc, char **argv)
{
  g_autofree char *name = NULL;
  g_autofree char *yes = NULL;
  const GOptionEntry entries[] = {
    { "name", 0, 0, G_OPTION_ARG_STRING, &name, "the deployment", "N" },
    { "yes", 0, 0, G_OPTION_ARG_STRING, &yes, "its name again: do not ask", "N" },
    { NULL },
  };
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  if (!tall_options_parse (&options, &tall_command_drop, entries, argc, argv, &error))
    return tall_call_error (&tall_command_drop, error);
  if (options.n_arguments > 0)
    return tall_usage_error (&tall_command_drop, "drop takes no argument: “%s”",
                             options.arguments[0]);
  g_autofree char *meant = find_name (&options, name);
  if (meant == NULL)
    return TALL_EXIT_USAGE;
  TallExit code;
  return is_confirmed (meant, yes, &code) ? drop (&options, meant) : code;
}

const TallCommand tall_command_drop = {
  .name = "drop",
  .arguments = "",
  .summary = "Removes a deployment with everything in it.",
  .help = "On a terminal it asks for the name again; elsewhere --yes gives it. Other deployments\n"
          "in the same place stay as they are. Stop what serves the deployment before. If drop is\n"
          "stopped half-way, call it again.\n\n"
          "Example:\n"
          "  tallorder status --store hbase://localhost:9090 --all\n"
          "  tallorder drop   --store hbase://localhost:9090 --name trial --yes trial",
  .ignores_environment = TRUE, /* what is destroyed is named each time */
  .run = run,
};
