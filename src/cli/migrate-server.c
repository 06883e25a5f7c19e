/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/migrate-server.h"

#include "service/client/tasks.h"
#include "tall-error.h"
#include "cli/migrate-report.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/stop.h"

#define LOOK_EVERY (G_USEC_PER_SEC / 5)

/* A server that is gone for so long is given up: a new one knows nothing of the task. */
#define PATIENCE (2 * G_USEC_PER_SEC)

/* A task of a server, as it is followed. */
typedef struct
{
  TallClient *client;
  const TallMigrateWish *wish;
  gboolean json;
  const gint *stop;
  gboolean has_plan; /* it was shown */
  guint n_unfit;     /* that were shown */
} Follower;

static void
show_unfit (Follower *self, const TallMigrateState *state)
{
  for (guint i = 0; i < state->n_unfit; i++)
    {
      GError why = { TALL_ERROR, TALL_ERROR_DAMAGED, state->unfit[i].message };
      const TallUnfit unfit = { .customer_number = state->unfit[i].customer_number,
                                .order_number = state->unfit[i].order_number,
                                .table = state->unfit[i].table,
                                .row = state->unfit[i].row,
                                .error = &why };
      tall_migrate_report_unfit (&unfit, self->json);
    }
  self->n_unfit += state->n_unfit;
}

static void
show (Follower *self, const TallMigrateState *state)
{
  if (state->plan != NULL && !self->has_plan)
    {
      self->has_plan = TRUE;
      tall_migrate_report_plan (state->plan, self->json);
    }
  if (state->task == TALL_MIGRATE_MOVE)
    tall_migrate_report_resumed (state->progress.stage, self->json, &self->has_plan);
  show_unfit (self, state);
  if (!state->is_running)
    return;
  g_autoptr (GString) line = g_string_new (NULL);
  tall_migrate_report_append (line, state, TRUE);
  tall_progress_show_text (line->str);
}

/* Asks until an answer comes, or the server has been silent for too long. */
static TallMigrateState *
look (const Follower *self, const char *id, GError **error)
{
  gint64 deadline = g_get_monotonic_time () + PATIENCE;
  while (TRUE)
    {
      g_autoptr (GError) cause = NULL;
      TallMigrateState *state = tall_client_get_migration (self->client, id, self->n_unfit, &cause);
      if (state != NULL)
        return state;
      if (!tall_error_is_passing (cause) || g_get_monotonic_time () > deadline
          || g_atomic_int_get (self->stop) != 0)
        {
          g_propagate_error (error, g_steal_pointer (&cause));
          return NULL;
        }
      g_usleep (LOOK_EVERY);
    }
}

/* Follows a task to its end. @state: (transfer full): how far it was. Returns: (transfer full): how
 * it has ended, or how far it was when a signal came; NULL: nobody knows any more */
static TallMigrateState *
follow (Follower *self, TallMigrateState *state, GError **error)
{
  show (self, state);
  while ((state->is_running || state->n_unfit > 0) && g_atomic_int_get (self->stop) == 0)
    {
      if (state->is_running)
        g_usleep (LOOK_EVERY);
      TallMigrateState *next = look (self, state->id, error);
      tall_migrate_state_free (state);
      if (next == NULL)
        return NULL;
      state = next;
      show (self, state);
    }
  return state;
}

static void
show_summary (const Follower *self, const TallMigrateState *state)
{
  gint64 limit = self->wish->pause;
  if (limit == 0 && state->plan != NULL)
    limit = state->plan->pause_limit;
  tall_migrate_report_summary (&state->summary, limit, self->json);
}

/* It was to be given up, but it had switched. */
static TallExit
conclude_too_late (const Follower *self, const TallMigrateState *state)
{
  show_summary (self, state);
  if (self->wish->task == TALL_MIGRATE_MOVE)
    return TALL_EXIT_DONE;
  tall_print_error ("It had switched before it could be given up; to have what there was before, "
                    "migrate back");
  return TALL_EXIT_NO;
}

static TallExit
conclude (const Follower *self, const TallMigrateState *state)
{
  gint number = g_atomic_int_get (self->stop);
  if (state->is_running)
    {
      tall_print_error ("Stopped by a signal; the server goes on with it: call it again to follow, "
                        "or give a migration up with --abort");
      return (TallExit)(128 + number);
    }
  if (state->has_switched)
    return conclude_too_late (self, state);
  if (state->task != self->wish->task)
    {
      tall_print_error ("Another process has asked to give the migration up; the status says what "
                        "counts now");
      return TALL_EXIT_NO;
    }
  if (state->error != NULL)
    return tall_fail (state->error);
  if (state->task == TALL_MIGRATE_ABORT)
    tall_migrate_report_aborted (state->progress.stage == TALL_MIGRATE_ABORTING, self->json);
  else if (state->task == TALL_MIGRATE_DROP_SOURCE)
    tall_migrate_report_dropped (state->n_dropped, self->json);
  if (state->task != TALL_MIGRATE_MOVE)
    return TALL_EXIT_DONE;
  show_summary (self, state);
  if (state->summary.outcome == TALL_MIGRATE_STOPPED)
    tall_print_error ("The server stops, and the migration with it; what was copied stays: migrate "
                      "again to go on, or give up with --abort");
  return tall_migrate_report_get_exit (&state->summary);
}

static TallExit
fail_lost (GError *error)
{
  if (tall_error_is_passing (error))
    g_prefix_error (&error,
                    "The server does not answer any more; if it still runs, so does the "
                    "migration, and else the next one goes on with it: look at the status, and "
                    "migrate again: ");
  tall_print_failure (error);
  g_error_free (error);
  return TALL_EXIT_FAILED; /* also if the task is not found: nobody knows how it has ended */
}

/**
 * tall_migrate_on_server:
 *
 * Lets a server do what is wished, and follows it to its end, or until a signal comes: the server
 * goes on then.
 */
TallExit
tall_migrate_on_server (const TallOptions *options,
                        const TallCommand *command,
                        const TallMigrateWish *wish,
                        gboolean json)
{
  TallExit code;
  GError *error = NULL;
  g_autoptr (TallFront) front = tall_options_open_front (options, command, &code);
  if (front == NULL)
    return code;
  Follower self = { .client = TALL_CLIENT (front), .wish = wish, .json = json };
  self.stop = tall_stop_on_signals ();
  TallMigrateState *first = tall_client_start_migration (self.client, wish, &error);
  if (first != NULL && first->is_joined && !json)
    tall_print ("It runs in the server already, and is followed from here.\n");
  gboolean begun = first != NULL;
  g_autoptr (TallMigrateState) last = begun ? follow (&self, first, &error) : NULL;
  tall_progress_clear ();
  if (last != NULL)
    return conclude (&self, last);
  if (begun)
    return fail_lost (error);
  code = tall_refuse (command, error);
  g_error_free (error);
  return code;
}
