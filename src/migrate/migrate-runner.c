/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/migrate-runner.h"

#include "tall-error.h"
#include "migrate/migrate-wish.h"
#include "store/store.h"

#include <string.h>

/* Of so many tasks before the last one it is known how they ended: a process that follows one may
 * look a moment after others have begun. */
#define N_BEFORE 16

struct _TallMigrateRunner
{
  TallTable *table;          /* owned */
  TallTableAddress *address; /* owned; NULL: not known */
  gint stopping;             /* atomic: the task is to end where it can be gone on with */

  GMutex mutex; /* for all below */
  GCond ended;
  gboolean is_closed;    /* nothing is begun any more */
  GThread *thread;       /* of the last task; NULL: there was none */
  TallMigrateWish wish;  /* its texts are those of @last */
  TallMigrateKept *last; /* owned */
  GQueue before;         /* of TallMigrateKept, which have ended: the latest first */
};

static gboolean
on_progress (const TallMigrateProgress *progress, gpointer data)
{
  TallMigrateRunner *self = data;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  tall_migrate_kept_take_progress (self->last, progress);
  return g_atomic_int_get (&self->stopping) == 0;
}

static gboolean
on_plan (const TallMigratePlan *plan, gpointer data)
{
  TallMigrateRunner *self = data;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  TallMigrateState *state = self->last->state;
  if (self->wish.task != TALL_MIGRATE_MOVE) /* an abort has taken its place */
    return FALSE;
  state->plan = tall_migrate_plan_copy (state->arena, plan);
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
  if (self->wish.task == TALL_MIGRATE_MOVE)
    tall_migrate_kept_take_unfit (self->last, unfit);
}

/* One task runs at a time, and no other process calls an exclusive store. */
static gboolean
is_alone (const TallMigrateRunner *self)
{
  TallTableInfo info;
  tall_table_get_info (self->table, &info);
  return info.is_exclusive;
}

static gboolean
run_task (TallMigrateRunner *self,
          const TallMigrateWish *wish,
          TallMigrateSummary *summary,
          guint *n_dropped,
          GError **error)
{
  const TallMigrateOptions options = {
    .move = wish->move,
    .pause = wish->pause,
    .rate = wish->rate,
    .pass_only = wish->pass_only,
    .settled = is_alone (self),
    .room = tall_migrate_find_room (self->address),
    .on_plan = on_plan,
    .on_progress = on_progress,
    .on_unfit = on_unfit,
    .data = self,
  };
  if (wish->task == TALL_MIGRATE_ABORT)
    return tall_migrate_abort (self->table, &options, error);
  if (wish->task == TALL_MIGRATE_DROP_SOURCE)
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
      gboolean refused = tall_migrate_state_is_refused (last);
      g_log (G_LOG_DOMAIN, refused ? G_LOG_LEVEL_MESSAGE : G_LOG_LEVEL_WARNING,
             "migration: %s %s: %s", task, refused ? "is refused" : "failed", why);
    }
  else if (last->has_switched)
    g_message ("migration: switched before it could be given up, generation %" G_GUINT64_FORMAT
               " counts",
               last->summary.generation);
  else if (last->task != TALL_MIGRATE_MOVE)
    g_message ("migration: %s is done", task);
  else if (last->summary.outcome == TALL_MIGRATE_STOPPED)
    g_message ("migration: stopped with the server; what was copied stays: `tallorder migrate` "
               "goes on, `tallorder migrate --abort` gives it up");
  else
    g_message ("migration: %s, generation %" G_GUINT64_FORMAT " counts",
               tall_migrate_outcome_get_name (last->summary.outcome), last->summary.generation);
}

/* An abort has been put in the place of the migration. With the mutex held. */
static void
note_replaced (TallMigrateState *state, const TallMigrateSummary *summary, GError *cause)
{
  state->has_switched = cause == NULL && summary->outcome == TALL_MIGRATE_SWITCHED;
  if (state->has_switched)
    state->summary = *summary;
  g_clear_error (&cause);
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
  TallMigrateState *state = self->last->state;
  if (self->wish.task != task)
    {
      note_replaced (state, summary, cause);
      return FALSE;
    }
  if (!state->has_switched)
    state->summary = *summary;
  state->n_dropped = n_dropped;
  state->error = cause;
  state->is_running = FALSE;
  log_end (state);
  g_cond_broadcast (&self->ended);
  return TRUE;
}

/* An abort takes the place of the migration that it stops. */
static gpointer
work (gpointer data)
{
  TallMigrateRunner *self = data;
  TallMigrateWish wish;
  TallMigrateSummary summary;
  GError *cause;
  guint n_dropped;
  do
    {
      g_mutex_lock (&self->mutex);
      wish = self->wish;
      g_mutex_unlock (&self->mutex);
      summary = (TallMigrateSummary){ 0 };
      cause = NULL;
      n_dropped = 0;
      (void)!run_task (self, &wish, &summary, &n_dropped, &cause);
    }
  while (!conclude (self, wish.task, &summary, n_dropped, cause));
  return NULL;
}

/* With the mutex held. */
static gboolean
is_running (const TallMigrateRunner *self)
{
  return self->last != NULL && self->last->state->is_running;
}

/* The last task becomes one of those before. With the mutex held. */
static void
put_aside (TallMigrateRunner *self)
{
  if (self->last != NULL)
    g_queue_push_head (&self->before, g_steal_pointer (&self->last));
  while (self->before.length > N_BEFORE)
    tall_migrate_kept_free (g_queue_pop_tail (&self->before));
}

/* With the mutex held, while nothing runs. */
static gboolean
begin (TallMigrateRunner *self, const TallMigrateWish *wish, GError **error)
{
  if (self->address != NULL && !tall_migrate_wish_check (wish, self->address->kind, error))
    return FALSE;
  g_clear_pointer (&self->thread, g_thread_join); /* it has ended but for its last words */
  put_aside (self);
  self->last = tall_migrate_kept_new (wish->task);
  self->wish = tall_migrate_wish_copy (wish, self->last->state->arena);
  g_atomic_int_set (&self->stopping, 0);

  g_autoptr (GError) cause = NULL;
  self->thread = g_thread_try_new ("tall-migrate", work, self, &cause);
  self->last->state->is_running = self->thread != NULL;
  if (self->thread != NULL)
    return TRUE;
  tall_migrate_kept_free (self->last);
  self->last = g_queue_pop_head (&self->before);
  g_set_error (error, TALL_ERROR, TALL_ERROR_OVERLOADED,
               "there is no thread left for the migration; nothing was done, try again later");
  return FALSE;
}

/* An abort takes the place of the migration that runs. What that has shown so far is not the
 * abort's. With the mutex held. */
static void
replace_by_abort (TallMigrateRunner *self)
{
  self->wish = (TallMigrateWish){ .task = TALL_MIGRATE_ABORT };
  self->last->state->task = TALL_MIGRATE_ABORT;
  self->last->state->plan = NULL;
  g_array_set_size (self->last->unfit, 0);
  g_atomic_int_set (&self->stopping, 1);
}

/* Something runs. @joined: (out): it is what is wished. With the mutex held. */
static gboolean
join (TallMigrateRunner *self, const TallMigrateWish *wish, gboolean *joined, GError **error)
{
  *joined = wish->task != TALL_MIGRATE_ABORT || self->wish.task != TALL_MIGRATE_MOVE;
  if (*joined)
    return tall_migrate_wish_may_join (wish, &self->wish, error);
  replace_by_abort (self);
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
  gboolean joined = FALSE;
  if (!(is_running (self) ? join (self, wish, &joined, error) : begin (self, wish, error)))
    return NULL;
  TallMigrateState *state = tall_migrate_kept_copy (self->last, 0, 0);
  state->is_joined = joined;
  return state;
}

/* With the mutex held. Returns: (nullable): the task of that id */
static const TallMigrateKept *
find (const TallMigrateRunner *self, const char *id)
{
  if (self->last == NULL || g_str_equal (self->last->state->id, id))
    return self->last;
  for (const GList *i = self->before.head; i != NULL; i = i->next)
    {
      const TallMigrateKept *kept = i->data;
      if (g_str_equal (kept->state->id, id))
        return kept;
    }
  return NULL;
}

/**
 * tall_migrate_runner_look:
 * @id: (nullable): of a task; NULL: the last one
 * @seen: so many of what cannot be copied are left out
 * @most: so many of the others are copied
 *
 * Returns: (transfer full): how far the task is, or how it has ended; NULL with
 *   %TALL_ERROR_NOT_FOUND if it is none of the last ones
 */
TallMigrateState *
tall_migrate_runner_look (
    TallMigrateRunner *self, const char *id, guint seen, guint most, GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  const TallMigrateKept *kept = id != NULL ? find (self, id) : self->last;
  if (kept != NULL)
    return tall_migrate_kept_copy (kept, seen, most);
  if (id == NULL)
    return g_new0 (TallMigrateState, 1);
  g_set_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND,
               "the server knows nothing of it any more: it was restarted, or others have begun "
               "and ended since; look at the status, and migrate again to go on");
  return NULL;
}

/**
 * tall_migrate_runner_new:
 * @table: the tables of a deployment, of all generations
 * @address: (nullable): where they are; looked at for room
 */
TallMigrateRunner *
tall_migrate_runner_new (TallTable *table, const TallTableAddress *address)
{
  TallMigrateRunner *self = g_new0 (TallMigrateRunner, 1);
  self->table = g_object_ref (table);
  self->address = address != NULL ? tall_table_address_copy (address) : NULL;
  g_queue_init (&self->before);
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
  while (in_time && is_running (self))
    in_time = g_cond_wait_until (&self->ended, &self->mutex, deadline);
  gboolean runs = is_running (self);
  g_mutex_unlock (&self->mutex);
  if (runs)
    return FALSE;
  g_clear_pointer (&self->thread, g_thread_join);
  g_clear_pointer (&self->last, tall_migrate_kept_free);
  g_queue_clear_full (&self->before, (GDestroyNotify)tall_migrate_kept_free);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->ended);
  g_object_unref (self->table);
  g_clear_pointer (&self->address, tall_table_address_free);
  g_free (self);
  return TRUE;
}
