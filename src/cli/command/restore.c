/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/report.h"
#include "tall-error.h"
#include "cli/options.h"
#include "cli/output.h"
#include "library/open.h"

static gboolean
on_progress (const TallBackupProgress *progress, gpointer data)
{
  tall_backup_report_progress (progress);
  return g_atomic_int_get ((const gint *)data) == 0;
}

static TallExit
restore (const char *backup, const TallTableAddress *address, gboolean json)
{
  g_autoptr (GError) error = NULL;
  g_auto (TallBackupSummary) summary = { 0 };
  const gint *stop = tall_stop_on_signals ();
  const TallBackupHooks hooks = { .on_progress = on_progress, .data = (gpointer)stop };
  if (tall_backup_restore (backup, address, &hooks, &summary, &error))
    {
      tall_backup_report_summary ("restored", &summary, json);
      return TALL_EXIT_DONE;
    }
  tall_progress_clear ();
  return tall_backup_was_stopped (error) ? tall_backup_report_stopped (g_atomic_int_get (stop))
                                         : tall_fail (error);
}

static TallExit
run (int argc, char **argv)
{
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, "the summary as JSON", NULL },
    { NULL },
  };
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  if (!tall_options_parse (&options, &tall_command_restore, entries, argc, argv, &error))
    return tall_call_error (&tall_command_restore, error);
  if (options.n_arguments != 1)
    return tall_usage_error (&tall_command_restore,
                             "restore takes one argument: the folder of the backup");
  if (options.store == NULL || options.server != NULL)
    return tall_usage_error (&tall_command_restore, "Say where the store shall be: --store "
                                                    "rocksdb:DIR, a new or empty folder");
  g_autoptr (TallTableAddress) address = tall_table_kinds_parse (options.store, &error);
  if (address == NULL)
    return tall_call_error (&tall_command_restore, error);
  if (address->name != NULL)
    return tall_usage_error (&tall_command_restore, "A backup is restored with all its "
                                                    "deployments: leave ?name= out");
  return restore (options.arguments[0], address, json);
}

const TallCommand tall_command_restore = {
  .name = "restore",
  .arguments = "DIR",
  .summary = "Makes an embedded store of a backup, and verifies it.",
  .help =
      "DIR is a backup. Every file is copied and compared with the sum that was taken when the\n"
      "backup was made; then the new store is opened and everything in it read, as verify does.\n"
      "It appears at the end, or not at all. A store that is there already is never touched:\n"
      "move it away first.\n\n"
      "Exit codes: 0 done, 1 there is something at the place of --store, or DIR is not a backup,\n"
      "3 failed, such as for a damaged backup.\n\n"
      "Example:\n"
      "  tallorder restore /mnt/backups/monday --store rocksdb:shop",
  .ignores_environment = TRUE,
  .run = run,
};
