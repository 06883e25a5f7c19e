/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "cli/options.h"
#include "cli/output.h"
#include "library/open.h"
#include "base/text.h"

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
    tall_usage_error (&tall_command_drop, "Say which deployment: --name N, or ?name=N at the end "
                                          "of --store; `tallorder status --all` lists them");
  return g_strdup (name);
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
  char *name = NULL;
  char *yes = NULL;
  const GOptionEntry entries[] = {
    { "name", 0, 0, G_OPTION_ARG_STRING, &name, "the deployment", "N" },
    { "yes", 0, 0, G_OPTION_ARG_STRING, &yes, "its name again: do not ask", "N" },
    { NULL },
  };
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  if (!tall_options_parse (&options, &tall_command_drop, entries, argc, argv, &error))
    return tall_call_error (&tall_command_drop, error);
  g_autofree char *meant = find_name (&options, name);
  if (meant == NULL)
    return TALL_EXIT_USAGE;
  TallExit code;
  const TallDanger danger = { "deployment", "name", meant, "all its orders and customers" };
  return tall_confirm (&tall_command_drop, &danger, yes, &code) ? drop (&options, meant) : code;
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
