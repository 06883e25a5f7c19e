/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"
#include "cli/output.h"
#include "cli/report.h"
#include "migrate/migrate-runner.h"
#include "service/client/client.h"
#include "tall-error.h"

/* A task, as it is followed. */
typedef struct
{
  const TallMigrateWish *wish;
  TallClient *client; /* of the server that does it; NULL: this process does */
  const char *id;     /* that the server gave it */
  gboolean json;
  const gint *stop;
  gboolean has_plan;        /* it was shown */
  guint n_unfit;            /* that a server has named, and were shown */
  TallMigrateProgress last; /* here */
} Task;

static void
show (Task *self, const TallMigrateState *state)
{
  if (state->plan != NULL && !self->has_plan)
    {
      self->has_plan = TRUE;
      tall_migrate_report_plan (state->plan, self->json);
    }
  if (state->task == TALL_MIGRATE_MOVE)
    tall_migrate_report_resumed (state->progress.stage, self->json, &self->has_plan);
  for (guint i = 0; i < state->n_unfit; i++)
    tall_migrate_report_unfit (&state->unfit[i], self->json);
  self->n_unfit += state->n_unfit;
  if (!state->is_running)
    return;
  g_autoptr (GString) line = g_string_new (NULL);
  tall_migrate_report_append (line, state, TRUE);
  tall_progress_show_text (line->str);
}

static gpointer
ask (gpointer data, GError **error)
{
  const Task *self = data;
  return tall_client_get_migration (self->client, self->id, self->n_unfit, error);
}

/* Follows a task to its end. @state: (transfer full): how far it was. Returns: (transfer full): how
 * it has ended, or how far it was when a signal came; NULL: nobody knows any more */
static TallMigrateState *
follow (Task *self, TallMigrateState *state, GError **error)
{
  show (self, state);
  while ((state->is_running || state->n_unfit > 0) && g_atomic_int_get (self->stop) == 0)
    {
      if (state->is_running)
        g_usleep (TALL_LOOK_EVERY);
      self->id = state->id;
      TallMigrateState *next = tall_ask_patiently (ask, self, self->stop, error);
      tall_migrate_state_free (state);
      if (next == NULL)
        return NULL;
      state = next;
      show (self, state);
    }
  return state;
}

static void
show_summary (const Task *self, const TallMigrateState *state)
{
  gint64 limit = self->wish->pause;
  if (limit == 0 && state->plan != NULL)
    limit = state->plan->pause_limit;
  tall_migrate_report_summary (&state->summary, limit, self->json);
}

/* It was to be given up, but it had switched. */
static TallExit
conclude_too_late (const Task *self, const TallMigrateState *state)
{
  show_summary (self, state);
  if (self->wish->task == TALL_MIGRATE_MOVE)
    return TALL_EXIT_DONE;
  return tall_fail_saying (
      TALL_EXIT_NO,
      "It had switched before it could be given up; to have what there was before, migrate back");
}

/* A signal has stopped it here, or the server stops. */
static TallExit
conclude_stopped (const Task *self)
{
  gboolean here = self->client == NULL;
  tall_print_error ("%s; what was copied stays: migrate again to go on, or give up with --abort",
                    here ? "Stopped by a signal" : "The server stops, and the migration with it");
  return here ? (TallExit)(128 + g_atomic_int_get (self->stop)) : TALL_EXIT_NO;
}

static TallExit
conclude (const Task *self, const TallMigrateState *state)
{
  if (state->is_running)
    return tall_fail_saying ((TallExit)(128 + g_atomic_int_get (self->stop)),
                             "Stopped by a signal; the server goes on with it: call it again to "
                             "follow, or give a migration up with --abort");
  if (state->has_switched)
    return conclude_too_late (self, state);
  if (state->task != self->wish->task)
    return tall_fail_saying (
        TALL_EXIT_NO,
        "Another process has asked to give the migration up; the status says what counts now");
  if (state->error != NULL)
    return tall_fail (state->error);
  if (state->task == TALL_MIGRATE_ABORT)
    tall_migrate_report_aborted (state->progress.stage == TALL_MIGRATE_ABORTING, self->json);
  else if (state->task == TALL_MIGRATE_DROP_SOURCE)
    tall_migrate_report_dropped (state->n_dropped, self->json);
  if (state->task != TALL_MIGRATE_MOVE)
    return TALL_EXIT_DONE;
  show_summary (self, state);
  switch (state->summary.outcome)
    {
    case TALL_MIGRATE_SWITCHED:
    case TALL_MIGRATE_PASSED:
    case TALL_MIGRATE_UNCHANGED:
      return TALL_EXIT_DONE;
    case TALL_MIGRATE_STOPPED:
      return conclude_stopped (self);
    default:
      return TALL_EXIT_NO;
    }
}

static TallExit
fail_lost (GError *error)
{
  if (tall_error_is_passing (error))
    g_prefix_error (
        &error, "The server does not answer any more; if it still runs, so does the migration, and "
                "else the next one goes on with it: look at the status, and migrate again: ");
  tall_print_failure (error);
  g_error_free (error);
  return TALL_EXIT_FAILED; /* also if the task is not found: nobody knows how it has ended */
}

/* Lets a server do what is wished, and follows it to its end, or until a signal comes: the server
 * goes on then. */
static TallExit
migrate_on_server (const TallOptions *options, Task *self)
{
  TallExit code;
  GError *error = NULL;
  g_autoptr (TallFront) front = tall_options_open_front (options, &tall_command_migrate, &code);
  if (front == NULL)
    return code;
  self->client = TALL_CLIENT (front);
  self->stop = tall_stop_on_signals ();
  TallMigrateState *first = tall_client_start_migration (self->client, self->wish, &error);
  if (first != NULL && first->is_joined && !self->json)
    tall_print ("It runs in the server already, and is followed from here.\n");
  gboolean begun = first != NULL;
  g_autoptr (TallMigrateState) last = begun ? follow (self, first, &error) : NULL;
  tall_progress_clear ();
  if (last != NULL)
    return conclude (self, last);
  if (begun)
    return fail_lost (error);
  code = tall_refuse (&tall_command_migrate, error);
  g_error_free (error);
  return code;
}

static gboolean
on_plan (const TallMigratePlan *plan, gpointer data)
{
  Task *self = data;
  self->has_plan = TRUE;
  tall_migrate_report_plan (plan, self->json);
  return g_atomic_int_get (self->stop) == 0;
}

static gboolean
on_progress (const TallMigrateProgress *progress, gpointer data)
{
  Task *self = data;
  self->last = *progress;
  tall_migrate_report_resumed (progress->stage, self->json, &self->has_plan);
  tall_migrate_report_progress (progress);
  return g_atomic_int_get (self->stop) == 0;
}

static void
on_unfit (const TallMigrateUnfit *unfit, gpointer data)
{
  const Task *self = data;
  tall_migrate_report_unfit (unfit, self->json);
}

static TallExit
migrate_here (const TallOptions *options, Task *self)
{
  const TallMigrateOptions follow = {
    .on_plan = on_plan, .on_progress = on_progress, .on_unfit = on_unfit, .data = self
  };
  g_autoptr (GError) error = NULL;
  TallMigrateState end = { .task = self->wish->task };
  TallExit code;
  g_autoptr (TallTableAddress) address = tall_options_find_address (options);
  if (address != NULL && !tall_migrate_wish_check (self->wish, address->kind, &error))
    return tall_call_error (&tall_command_migrate, error);
  g_autoptr (TallTable) table =
      tall_options_open_table (options, &tall_command_migrate, FALSE, &code);
  if (table == NULL)
    return code;
  if (self->wish->task != TALL_MIGRATE_DROP_SOURCE) /* a signal ends that at once */
    self->stop = tall_stop_on_signals ();
  tall_migrate_do (table, address, self->wish, &follow, &end);
  tall_progress_clear ();
  end.progress = self->last;
  code = conclude (self, &end);
  g_clear_error (&end.error);
  return code;
}

#define NOT_GIVEN (-G_MAXDOUBLE)

/* What was asked for. */
typedef struct
{
  char *layout;
  char *key;
  GStrv indexes;
  gint regions;
  char *compression;
  char *bloom_filter;
  char *block_encoding;
  gdouble pause; /* seconds; NOT_GIVEN */
  gint rate;
  gboolean pass_only;
  gboolean settled;
  gboolean abort;
  gboolean drop_source;
  gboolean json;
} Migrate;

static gboolean
make_move (const Migrate *self, TallMove *move, GError **error)
{
  *move = (TallMove){ .regions = self->regions == G_MININT ? 0 : (guint)self->regions,
                      .compression = self->compression,
                      .bloom_filter = self->bloom_filter,
                      .block_encoding = self->block_encoding };
  g_autofree char *indexes = self->indexes != NULL ? g_strjoinv ("\n", self->indexes) : NULL;
  return tall_move_choose (move, self->layout, self->key, indexes, error);
}

/* FALSE: called wrongly; a message says how. */
static gboolean
check (const Migrate *self)
{
  const TallCommand *command = &tall_command_migrate;
  gboolean moves = self->layout != NULL || self->key != NULL || self->indexes != NULL
                   || self->regions != G_MININT || self->compression != NULL
                   || self->bloom_filter != NULL || self->block_encoding != NULL || self->pass_only
                   || self->settled || self->pause != NOT_GIVEN || self->rate != G_MININT;
  if (self->abort && self->drop_source)
    tall_usage_error (command, "Give --abort or --drop-source, not both");
  else if ((self->abort || self->drop_source) && moves)
    tall_usage_error (command, "%s goes with none of the options of a migration",
                      self->abort ? "--abort" : "--drop-source");
  else if (self->pause != NOT_GIVEN && !(self->pause >= 0 && self->pause <= 3600))
    tall_usage_error (command, "--pause takes seconds, from 0 to 3600");
  else if (self->rate != G_MININT && self->rate < 1)
    tall_usage_error (command, "--rate takes a number above 0");
  else if (self->regions != G_MININT && (self->regions < 1 || self->regions > TALL_MAX_REGIONS))
    tall_usage_error (command, "--to-regions takes a number from 1 to %d", TALL_MAX_REGIONS);
  else
    return TRUE;
  return FALSE;
}

/* Microseconds; 0: not said. */
static gint64
find_pause (const Migrate *self)
{
  return self->pause == NOT_GIVEN ? 0 : MAX ((gint64)(self->pause * G_USEC_PER_SEC), 1);
}

static TallExit
run_on (const TallOptions *options, const Migrate *self)
{
  g_autoptr (GError) error = NULL;
  if (!check (self))
    return TALL_EXIT_USAGE;
  TallMigrateWish wish = { .task = self->abort         ? TALL_MIGRATE_ABORT
                                   : self->drop_source ? TALL_MIGRATE_DROP_SOURCE
                                                       : TALL_MIGRATE_MOVE,
                           .pause = find_pause (self),
                           .rate = (guint)MAX (self->rate, 0),
                           .pass_only = self->pass_only,
                           .settled = self->settled };
  if (!make_move (self, &wish.move, &error))
    return tall_call_error (&tall_command_migrate, error);
  Task task = { .wish = &wish, .json = self->json };
  if (options->server == NULL || options->store != NULL)
    return migrate_here (options, &task);
  if (!self->settled)
    return migrate_on_server (options, &task);
  tall_usage_error (&tall_command_migrate, "--settled goes with --store");
  return TALL_EXIT_USAGE;
}

static TallExit
run (int argc, char **argv)
{
  Migrate self = { .regions = G_MININT, .rate = G_MININT, .pause = NOT_GIVEN };
  const GOptionEntry entries[] = {
    { "to-layout", 0, 0, G_OPTION_ARG_FILENAME, &self.layout, "how an order is to lie in rows",
      "LAYOUT" },
    { "to-key", 0, 0, G_OPTION_ARG_FILENAME, &self.key, "how numbers are to become row keys",
      "STRATEGY" },
    { "to-index", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &self.indexes,
      "as for init: all that there are to be afterwards; may be repeated",
      "date|none|NAME=TEMPLATE" },
    { "to-regions", 0, 0, G_OPTION_ARG_INT, &self.regions, "regions that the new tables begin with",
      "N" },
    { "to-compression", 0, 0, G_OPTION_ARG_FILENAME, &self.compression, "such as snappy or zstd",
      "NAME" },
    { "to-bloom", 0, 0, G_OPTION_ARG_FILENAME, &self.bloom_filter, "as for init",
      "none|row|rowcol" },
    { "to-block-encoding", 0, 0, G_OPTION_ARG_FILENAME, &self.block_encoding,
      "such as fast_diff or prefix", "NAME" },
    { "pause", 0, 0, G_OPTION_ARG_DOUBLE, &self.pause,
      "do not switch if writes would wait for longer (5)", "SECONDS" },
    { "rate", 0, 0, G_OPTION_ARG_INT, &self.rate, "orders copied a second at most", "N" },
    { "pass-only", 0, 0, G_OPTION_ARG_NONE, &self.pass_only,
      "copy, and leave the switch to another call", NULL },
    { "settled", 0, 0, G_OPTION_ARG_NONE, &self.settled,
      "no call of an earlier migration is on its way any more", NULL },
    { "abort", 0, 0, G_OPTION_ARG_NONE, &self.abort, "give up, and drop what was copied", NULL },
    { "drop-source", 0, 0, G_OPTION_ARG_NONE, &self.drop_source,
      "remove the tables from before the switch", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &self.json, "JSON lines", NULL },
    { NULL },
  };
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  if (!tall_options_parse (&options, &tall_command_migrate, entries, argc, argv, &error))
    return tall_call_error (&tall_command_migrate, error);
  return run_on (&options, &self);
}

const TallCommand tall_command_migrate = {
  .name = "migrate",
  .arguments = "",
  .summary = "Moves to another layout, key strategy or indexes, while services go on.",
  .make_help = tall_choices_describe,
  .help =
      "Copies everything to new tables while others read and write, then lets writes wait for a\n"
      "moment, copies what is left, and switches. Services follow by themselves. Before the\n"
      "switch, what cannot be copied is named, and nothing has changed.\n\n"
      "It may be stopped or killed at any point, and be called again by anyone: it goes on.\n"
      "--abort gives up. After the switch the old tables stay, closed, until --drop-source.\n\n"
      "An embedded store is migrated while no service has it open, or by the service that has:\n"
      "with --server it runs inside of that, on the same machine, goes on when this command is\n"
      "stopped, and is followed by calling it again.\n\n"
      "--to-index names all indexes that there are to be, also those of now; others go.\n\n"
      "Exit codes: 0 switched (with --pass-only: copied), or nothing to change; 1 not switched,\n"
      "3 failed.\n\n"
      "Example:\n"
      "  tallorder migrate --store rocksdb:shop --to-layout blob\n"
      "  tallorder migrate --server localhost:7654 --to-layout blob\n"
      "  tallorder migrate --store rocksdb:shop \\\n"
      "      --to-index 'by-item=md5(line.item_number) rtime(sales_date)?'\n"
      "  tallorder migrate --store hbase://localhost:9090 --to-key salted --pause 3 --rate 5000",
  .takes_server = TRUE,
  .run = run,
};
