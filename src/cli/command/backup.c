/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/report.h"
#include "service/client/client.h"
#include "tall-error.h"
#include "cli/options.h"
#include "cli/output.h"

/* What is given on the command line. */
typedef struct
{
  const char *target; /* a folder, or a name in that of the server */
  gint rate;
  gboolean json;
  const gint *stop;
} Backup;

static gboolean
on_progress (const TallBackupProgress *progress, gpointer data)
{
  tall_backup_report_progress (progress);
  return g_atomic_int_get (((const Backup *)data)->stop) == 0;
}

/* A store that no service has open. */
static TallExit
make_here (const Backup *self, const TallOptions *options)
{
  TallExit code;
  g_autoptr (GError) error = NULL;
  g_auto (TallBackupSummary) summary = { 0 };
  const TallBackupHooks hooks = { (guint)self->rate, on_progress, (gpointer)self };
  g_autoptr (TallTableAddress) address = tall_options_find_address (options);
  if (address != NULL && !tall_backup_check_outside (self->target, address, &error))
    return tall_call_error (&tall_command_backup, error);
  g_autoptr (TallTable) table =
      tall_options_open_table (options, &tall_command_backup, FALSE, &code);
  if (table == NULL)
    return code;
  if (tall_backup_make (table, address, self->target, &hooks, &summary, &error))
    {
      tall_backup_report_summary ("backup", &summary, self->json);
      return TALL_EXIT_DONE;
    }
  tall_progress_clear ();
  return tall_backup_was_stopped (error)
             ? tall_backup_report_stopped (g_atomic_int_get (self->stop))
             : tall_fail (error);
}

typedef struct
{
  TallClient *client;
  const char *id;
} Question;

static gpointer
ask (gpointer data, GError **error)
{
  const Question *self = data;
  return tall_client_get_backup (self->client, self->id, error);
}

/* @state: (transfer full): Returns: (transfer full): the last one; NULL: nobody knows any more */
static TallBackupState *
follow (const Backup *self, TallClient *client, TallBackupState *state, GError **error)
{
  while (state != NULL && state->is_running && g_atomic_int_get (self->stop) == 0)
    {
      tall_backup_report_progress (&state->progress);
      g_usleep (TALL_LOOK_EVERY);
      Question question = { client, state->id };
      TallBackupState *next = tall_ask_patiently (ask, &question, self->stop, error);
      tall_backup_state_free (state);
      state = next;
    }
  tall_progress_clear ();
  return state;
}

static TallExit
conclude (const Backup *self, const TallBackupState *state)
{
  if (state->is_running)
    return tall_fail_saying ((TallExit)(128 + g_atomic_int_get (self->stop)),
                             "Stopped by a signal; the server goes on with the backup: call it "
                             "again with the same name to follow");
  if (state->error != NULL)
    return tall_fail (state->error);
  tall_backup_report_summary ("backup", &state->summary, self->json);
  return TALL_EXIT_DONE;
}

/* Its server makes it. */
static TallExit
make_there (const Backup *self, const TallOptions *options)
{
  TallExit code;
  g_autoptr (GError) error = NULL;
  g_autoptr (TallFront) front = tall_options_open_front (options, &tall_command_backup, &code);
  if (front == NULL)
    return code;
  TallClient *client = TALL_CLIENT (front);
  TallBackupState *first =
      tall_client_start_backup (client, self->target, (guint)self->rate, &error);
  if (first == NULL)
    return tall_refuse (&tall_command_backup, error);
  if (first->is_joined && !self->json)
    tall_print ("The server is making it already, and is followed from here.\n");
  g_autoptr (TallBackupState) last = follow (self, client, first, &error);
  return last != NULL ? conclude (self, last) : tall_fail (error);
}

static TallExit
run (int argc, char **argv)
{
  Backup self = { .rate = G_MININT };
  const GOptionEntry entries[] = {
    { "rate", 0, 0, G_OPTION_ARG_INT, &self.rate, "orders verified a second at most", "N" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &self.json, "the summary as JSON", NULL },
    { NULL },
  };
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  if (!tall_options_parse (&options, &tall_command_backup, entries, argc, argv, &error))
    return tall_call_error (&tall_command_backup, error);
  if (options.n_arguments != 1)
    return tall_usage_error (
        &tall_command_backup,
        "backup takes one argument: the folder to make, or with --server the name of the backup");
  if (self.rate != G_MININT && self.rate < 1)
    return tall_usage_error (&tall_command_backup, "--rate takes a number above 0");
  self.rate = MAX (self.rate, 0);
  self.target = options.arguments[0];
  self.stop = tall_stop_on_signals ();
  return options.server != NULL && options.store == NULL ? make_there (&self, &options)
                                                         : make_here (&self, &options);
}

const TallCommand tall_command_backup = {
  .name = "backup",
  .arguments = "DIR",
  .summary = "Makes a copy of an embedded store, also while it is served, and verifies it.",
  .help =
      "All deployments of the store are copied as they are in one moment: every put and delete\n"
      "that was acknowledged before is in it. Then the copy is opened and everything in it read,\n"
      "as verify does. DIR appears at the end, or not at all; it must not exist. What a killed\n"
      "backup has left beside it is removed by the next one.\n\n"
      "With --server, the service makes it while it serves, in the folder that it was given with\n"
      "--backups: DIR is the name of a backup in there. Only clients with the role admin may ask\n"
      "for it; without roles, those on its own machine.\n\n"
      "On one file system the files are links to those of the store, which are never changed:\n"
      "keep another copy on another disk. restore makes a store of a backup.\n\n"
      "Exit codes: 0 done, 1 DIR exists, 3 failed.\n\n"
      "Example:\n"
      "  tallorder backup --store rocksdb:shop /mnt/backups/monday\n"
      "  tallorder backup --server localhost:7654 monday",
  .takes_server = TRUE,
  .run = run,
};
