/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-migrate-runner.h"

#include "tall-error.h"
#include "tall-migrate-wish.h"
#include "tall-store.h"

#include <string.h>

struct _TallMigrateRunner
{
  TallTable *table; /* owned */
  char *directory;  /* owned; NULL: none of this machine */
  gint stopping;    /* atomic: the task is to end where it can be gone on with */

  GMutex mutex; /* for all below */
  GCond ended;
  gboolean is_closed; /* nothing is begun any more */
  GThread *thread;    /* of the last task; NULL: there was none */
  TallMigrateWish wish;
  gint64 pass_begun;      /* monotonic */
  TallMigrateState *last; /* of the last task; its unfit is in @unfit; owned */
  GArray *unfit;          /* of TallMigrateUnfit */
};

/* With the mutex held. */
static void
take_progress (TallMigrateRunner *self, const TallMigrateProgress *progress)
{
  TallMigrateState *last = self->last;
  gint64 now = g_get_monotonic_time ();
  if (progress->stage != last->progress.stage || progress->pass != last->progress.pass)
    self->pass_begun = now;
  last->progress = *progress;
  gint64 elapsed = MAX (now - self->pass_begun, 1);
  last->rate = (guint64)((gdouble)progress->n_looked * G_USEC_PER_SEC / (gdouble)elapsed);
  guint64 left = progress->n_all > progress->n_looked ? progress->n_all - progress->n_looked : 0;
  last->time_left = last->rate > 0 ? (gint64)(left * G_USEC_PER_SEC / last->rate) : 0;
}

static gboolean
on_progress (const TallMigrateProgress *progress, gpointer data)
{
  TallMigrateRunner *self = data;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  take_progress (self, progress);
  return g_atomic_int_get (&self->stopping) == 0;
}

static gboolean
on_plan (const TallMigratePlan *plan, gpointer data)
{
  TallMigrateRunner *self = data;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  self->last->plan = tall_migrate_plan_copy (self->last->arena, plan);
  g_message ("migration: layout %s, key strategy %s to layout %s, key strategy %s, generation "
             "%" G_GUINT64_FORMAT,
             plan->from_layout, plan->from_key_strategy, plan->to_layout, plan->to_key_strategy,
             plan->target);
  return g_atomic_int_get (&self->stopping) == 0;
}

static void
on_unfit (const TallUnfit *unfit, gpointer data)
{
  TallMigrateRunner *self = data;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  TallArena *arena = self->last->arena;
  if (self->unfit->len >= TALL_MIGRATE_MAX_UNFIT)
    return;
  TallMigrateUnfit copy = {
    .customer_number = tall_arena_strdup (arena, unfit->customer_number),
    .order_number = tall_arena_strdup (arena, unfit->order_number),
    .table = tall_arena_strdup (arena, unfit->table),
    .row = tall_slice (tall_arena_memdup (arena, unfit->row.data, unfit->row.len), unfit->row.len),
    .message = tall_arena_strdup (arena, unfit->error->message),
  };
  g_array_append_val (self->unfit, copy);
}

static gboolean
run_task (TallMigrateRunner *self,
          TallMigrateTask task,
          TallMigrateSummary *summary,
          guint *n_dropped,
          GError **error)
{
  const TallMigrateOptions options = {
    .move = self->wish.move,
    .pause = self->wish.pause,
    .rate = self->wish.rate,
    .pass_only = self->wish.pass_only,
    .room = tall_migrate_find_room (self->directory),
    .on_plan = on_plan,
    .on_progress = on_progress,
    .on_unfit = on_unfit,
    .data = self,
  };
  if (task == TALL_MIGRATE_ABORT)
    return tall_migrate_abort (self->table, &options, error);
  if (task == TALL_MIGRATE_DROP_SOURCE)
    return tall_store_drop_source (self->table, n_dropped, error);
  return tall_migrate_run (self->table, &options, summary, error);
}

/* With the mutex held. */
static void
log_end (const TallMigrateState *last)
{
  const char *task = tall_migrate_task_get_name (last->task);
  if (last->error != NULL)
    {
      g_autofree char *why = tall_error_describe (last->error);
      g_message ("migration: %s failed: %s", task, why);
    }
  else if (last->task != TALL_MIGRATE_MOVE)
    g_message ("migration: %s is done", task);
  else if (last->summary.outcome == TALL_MIGRATE_STOPPED)
    g_message ("migration: stopped with the server; what was copied stays: `tallorder migrate` "
               "goes on, `tallorder migrate --abort` gives it up");
  else
    g_message ("migration: %s, generation %" G_GUINT64_FORMAT " counts",
               tall_migrate_outcome_get_name (last->summary.outcome), last->summary.generation);
}

/* Returns: FALSE if another task has been put in the place of @task meanwhile */
static gboolean
conclude (TallMigrateRunner *self,
          TallMigrateTask task,
          const TallMigrateSummary *summary,
          guint n_dropped,
          GError *cause)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  if (self->wish.task != task)
    {
      g_clear_error (&cause);
      return FALSE;
    }
  self->last->summary = *summary;
  self->last->n_dropped = n_dropped;
  self->last->error = cause;
  self->last->is_running = FALSE;
  log_end (self->last);
  g_cond_broadcast (&self->ended);
  return TRUE;
}

/* An abort takes the place of the migration that it stops. */
static gpointer
work (gpointer data)
{
  TallMigrateRunner *self = data;
  TallMigrateTask task;
  TallMigrateSummary summary;
  GError *cause;
  guint n_dropped;
  do
    {
      g_mutex_lock (&self->mutex);
      task = self->wish.task;
      g_mutex_unlock (&self->mutex);
      summary = (TallMigrateSummary){ 0 };
      cause = NULL;
      n_dropped = 0;
      (void)!run_task (self, task, &summary, &n_dropped, &cause);
    }
  while (!conclude (self, task, &summary, n_dropped, cause));
  return NULL;
}

static TallMigrateUnfit
copy_unfit (TallArena *arena, const TallMigrateUnfit *from)
{
  return (TallMigrateUnfit){
    .customer_number = tall_arena_strdup (arena, from->customer_number),
    .order_number = tall_arena_strdup (arena, from->order_number),
    .table = tall_arena_strdup (arena, from->table),
    .row = tall_slice (tall_arena_memdup (arena, from->row.data, from->row.len), from->row.len),
    .message = tall_arena_strdup (arena, from->message),
  };
}

/* With the mutex held. */
static TallMigrateState *
copy_state (const TallMigrateRunner *self, guint seen, guint most)
{
  TallMigrateState *copy = g_new0 (TallMigrateState, 1);
  const TallMigrateState *last = self->last;
  if (last != NULL)
    *copy = *last;
  copy->arena = tall_arena_new (0);
  if (last == NULL)
    return copy;
  copy->id = tall_arena_strdup (copy->arena, last->id);
  copy->task = self->wish.task;
  copy->plan = last->plan != NULL ? tall_migrate_plan_copy (copy->arena, last->plan) : NULL;
  copy->error = last->error != NULL ? g_error_copy (last->error) : NULL;
  seen = MIN (seen, self->unfit->len);
  copy->n_unfit = MIN (self->unfit->len - seen, most);
  copy->unfit = tall_arena_newa0 (copy->arena, TallMigrateUnfit, MAX (copy->n_unfit, 1));
  for (guint i = 0; i < copy->n_unfit; i++)
    copy->unfit[i] =
        copy_unfit (copy->arena, &g_array_index (self->unfit, TallMigrateUnfit, seen + i));
  return copy;
}

/* With the mutex held, while nothing runs. */
static gboolean
begin (TallMigrateRunner *self, const TallMigrateWish *wish, GError **error)
{
  g_clear_pointer (&self->thread, g_thread_join); /* it has ended but for its last words */
  g_clear_pointer (&self->last, tall_migrate_state_free);
  g_array_set_size (self->unfit, 0);
  self->last = g_new0 (TallMigrateState, 1);
  self->last->arena = tall_arena_new (0);
  g_autofree char *id = g_uuid_string_random ();
  self->last->id = tall_arena_strdup (self->last->arena, id);
  self->last->task = wish->task;
  self->wish = tall_migrate_wish_copy (wish, self->last->arena);
  self->pass_begun = g_get_monotonic_time ();
  g_atomic_int_set (&self->stopping, 0);

  g_autoptr (GError) cause = NULL;
  self->thread = g_thread_try_new ("tall-migrate", work, self, &cause);
  self->last->is_running = self->thread != NULL;
  if (self->thread != NULL)
    return TRUE;
  g_clear_pointer (&self->last, tall_migrate_state_free);
  g_set_error (error, TALL_ERROR, TALL_ERROR_OVERLOADED,
               "there is no thread left for the migration; nothing was done, try again later");
  return FALSE;
}

/* Something runs. With the mutex held. */
static gboolean
join (TallMigrateRunner *self, const TallMigrateWish *wish, GError **error)
{
  if (wish->task != TALL_MIGRATE_ABORT || self->wish.task != TALL_MIGRATE_MOVE)
    return tall_migrate_wish_may_join (wish, &self->wish, error);
  self->wish.task = self->last->task = TALL_MIGRATE_ABORT;
  g_atomic_int_set (&self->stopping, 1);
  return TRUE;
}

/**
 * tall_migrate_runner_start:
 *
 * Begins a task, or finds the one that runs, if it is the same. An abort stops the migration that
 * runs, and takes its place.
 *
 * Returns: (transfer full): how far it is; NULL with %TALL_ERROR_CONFLICT if another task runs, or
 *   %TALL_ERROR_UNAVAILABLE if the runner ends
 */
TallMigrateState *
tall_migrate_runner_start (TallMigrateRunner *self, const TallMigrateWish *wish, GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  if (self->is_closed)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "the server is about to stop");
      return NULL;
    }
  gboolean runs = self->last != NULL && self->last->is_running;
  if (!(runs ? join (self, wish, error) : begin (self, wish, error)))
    return NULL;
  TallMigrateState *state = copy_state (self, 0, 0);
  state->is_joined = runs;
  return state;
}

/**
 * tall_migrate_runner_look:
 * @id: (nullable): of a task; NULL: the last one
 * @seen: so many of what cannot be copied are left out
 * @most: so many of the others are copied
 *
 * Returns: (transfer full): how far the task is, or how it has ended; NULL with
 *   %TALL_ERROR_NOT_FOUND if it is not the last one
 */
TallMigrateState *
tall_migrate_runner_look (
    TallMigrateRunner *self, const char *id, guint seen, guint most, GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  if (id == NULL || (self->last != NULL && g_str_equal (self->last->id, id)))
    return copy_state (self, seen, most);
  g_set_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND,
               "the server knows nothing of it any more: it was restarted, or another migration "
               "has begun; look at the status, and migrate again to go on");
  return NULL;
}

/**
 * tall_migrate_runner_new:
 * @table: the tables of a deployment, of all generations
 * @directory: (nullable): where an embedded store is; looked at for room
 */
TallMigrateRunner *
tall_migrate_runner_new (TallTable *table, const char *directory)
{
  TallMigrateRunner *self = g_new0 (TallMigrateRunner, 1);
  self->table = g_object_ref (table);
  self->directory = g_strdup (directory);
  self->unfit = g_array_new (FALSE, FALSE, sizeof (TallMigrateUnfit));
  g_mutex_init (&self->mutex);
  g_cond_init (&self->ended);
  return self;
}

/**
 * tall_migrate_runner_stop:
 *
 * From now on nothing is begun. What runs ends where it can be gone on with: while it copies soon,
 * from the seal on at its end.
 */
void
tall_migrate_runner_stop (TallMigrateRunner *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  self->is_closed = TRUE;
  g_atomic_int_set (&self->stopping, 1);
}

/**
 * tall_migrate_runner_end:
 * @self: (transfer full): nobody else uses it any more
 *
 * Stops, and waits for what runs.
 *
 * Returns: FALSE if it still runs when the time is over: it keeps what it needs then
 */
gboolean
tall_migrate_runner_end (TallMigrateRunner *self, guint milliseconds)
{
  gint64 deadline = g_get_monotonic_time () + (gint64)milliseconds * 1000;
  gboolean in_time = TRUE;
  tall_migrate_runner_stop (self);
  g_mutex_lock (&self->mutex);
  while (in_time && self->last != NULL && self->last->is_running)
    in_time = g_cond_wait_until (&self->ended, &self->mutex, deadline);
  gboolean runs = self->last != NULL && self->last->is_running;
  g_mutex_unlock (&self->mutex);
  if (runs)
    return FALSE;
  g_clear_pointer (&self->thread, g_thread_join);
  g_clear_pointer (&self->last, tall_migrate_state_free);
  g_array_unref (self->unfit);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->ended);
  g_object_unref (self->table);
  g_free (self->directory);
  g_free (self);
  return TRUE;
}
