/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/migrate-runner.h"

#include "store/store.h"
#include "table/table-kind.h"
#include "base/fail.h"

#include <string.h>

const char *const tall_migrate_tasks[] = {
  [TALL_MIGRATE_MOVE] = "move",
  [TALL_MIGRATE_ABORT] = "abort",
  [TALL_MIGRATE_DROP_SOURCE] = "drop-source",
  NULL,
};

const char *const tall_migrate_stages[] = {
  [TALL_MIGRATE_COUNTING] = "counting",
  [TALL_MIGRATE_COPYING] = "copying",
  [TALL_MIGRATE_SEALING] = "sealing",
  [TALL_MIGRATE_LAST_PASS] = "last pass",
  [TALL_MIGRATE_CLOSING] = "closing",
  [TALL_MIGRATE_ABORTING] = "aborting",
  NULL,
};

const char *const tall_migrate_outcomes[] = {
  [TALL_MIGRATE_SWITCHED] = "switched",   [TALL_MIGRATE_PASSED] = "passed",
  [TALL_MIGRATE_TOO_LONG] = "too-long",   [TALL_MIGRATE_UNFIT] = "unfit",
  [TALL_MIGRATE_STOPPED] = "stopped",     [TALL_MIGRATE_OVERTAKEN] = "overtaken",
  [TALL_MIGRATE_UNCHANGED] = "unchanged", NULL,
};

/* @name: (nullable): Returns: its place among @names; -1: it is none of them */
gint
tall_migrate_find_name (const char *const *names, const char *name)
{
  for (gint i = 0; names[i] != NULL; i++)
    if (g_strcmp0 (names[i], name) == 0)
      return i;
  return -1;
}

void
tall_migrate_state_free (TallMigrateState *self)
{
  if (self == NULL)
    return;
  g_clear_error (&self->error);
  g_clear_pointer (&self->arena, tall_arena_free);
  g_free (self);
}

/* Returns: (transfer none): a copy, with its texts in @arena */
static TallMigratePlan *
migrate_plan_copy (TallArena *arena, const TallMigratePlan *plan)
{
  TallMigratePlan *copy = tall_arena_memdup (arena, plan, sizeof *plan);
  copy->from_layout = tall_arena_strdup (arena, plan->from_layout);
  copy->from_key_strategy = tall_arena_strdup (arena, plan->from_key_strategy);
  copy->from_index = tall_arena_strdup (arena, plan->from_index);
  copy->to_layout = tall_arena_strdup (arena, plan->to_layout);
  copy->to_key_strategy = tall_arena_strdup (arena, plan->to_key_strategy);
  copy->to_index = tall_arena_strdup (arena, plan->to_index);
  return copy;
}

/**
 * tall_migrate_state_is_refused:
 *
 * Returns: whether it ended because of what was asked for, and not because something failed. A
 *   conflict may be that of a migration that has begun and cannot go on: it has failed
 */
gboolean
tall_migrate_state_is_refused (const TallMigrateState *self)
{
  return g_error_matches (self->error, TALL_ERROR, TALL_ERROR_INVALID);
}

/* Returns: a copy, with its texts in @arena */
static TallMigrateWish
migrate_wish_copy (const TallMigrateWish *self, TallArena *arena)
{
  TallMigrateWish copy = *self;
  copy.move.compression = tall_arena_strdup (arena, self->move.compression);
  copy.move.bloom_filter = tall_arena_strdup (arena, self->move.bloom_filter);
  copy.move.block_encoding = tall_arena_strdup (arena, self->move.block_encoding);
  copy.move.sample = NULL;
  return copy;
}

/**
 * tall_migrate_wish_check:
 * @kind: of the place of the tables
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if such tables can never be there
 */
gboolean
tall_migrate_wish_check (const TallMigrateWish *self, const TallTableKind *kind, GError **error)
{
  const TallMove *move = &self->move;
  const TallTableSpec spec = { .compression = (char *)move->compression,
                               .bloom_filter = (char *)move->bloom_filter,
                               .block_encoding = (char *)move->block_encoding };
  g_autoptr (GError) cause = NULL;
  if (kind->is_embedded && move->regions > 1)
    tall_error_set_invalid (error, "regions",
                            "an embedded store has no regions; leave --to-regions out");
  else if (!kind->check_spec (&spec, &cause))
    tall_error_set_invalid (error, NULL, "%s", cause->message);
  else
    return TRUE;
  return FALSE;
}

#define N_SETTINGS (TALL_N_MOVING + 2)

/* Its settings, as texts: those of a move, pause and rate; NULL: not said. */
static void
list (const TallMigrateWish *self, TallArena *arena, const char *texts[N_SETTINGS])
{
  memcpy (texts, tall_move_list (arena, &self->move), TALL_N_MOVING * sizeof *texts);
  texts[TALL_N_MOVING] =
      self->pause != 0
          ? tall_arena_printf (arena, "%g s", (gdouble)self->pause / (gdouble)G_USEC_PER_SEC)
          : NULL;
  texts[TALL_N_MOVING + 1] =
      self->rate != 0 ? tall_arena_printf (arena, "%u a second", self->rate) : NULL;
}

static gboolean
fail_busy (const TallMigrateWish *running, GError **error)
{
  static const char *const doing[] = {
    [TALL_MIGRATE_MOVE] = "A migration is going on here; let it end, or give it up with "
                          "`tallorder migrate --abort`",
    [TALL_MIGRATE_ABORT] = "A migration is being given up here; try again when that is done",
    [TALL_MIGRATE_DROP_SOURCE] = "Tables from before a switch are being removed here; try again "
                                 "when that is done",
  };
  tall_error_set_conflict (error, 0, "%s", doing[running->task]);
  return FALSE;
}

static gboolean
check_pass_only (const TallMigrateWish *self, const TallMigrateWish *running, GError **error)
{
  if (self->pass_only == running->pass_only)
    return TRUE;
  tall_error_set_conflict (
      error, 0,
      running->pass_only ? "A migration runs here that only copies, and does not switch; call "
                           "it with --pass-only to follow it, and again to switch"
                         : "A migration runs here that switches when it has copied; leave "
                           "--pass-only out to follow it, or give it up with `tallorder "
                           "migrate --abort`");
  return FALSE;
}

/* @running: what runs
 *
 * Whether what runs is what is wished. Settings may be left out, but not be others.
 *
 * Returns: FALSE with %TALL_ERROR_CONFLICT */
static gboolean
migrate_wish_may_join (const TallMigrateWish *self, const TallMigrateWish *running, GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (256);
  const char *wanted[N_SETTINGS], *begun[N_SETTINGS];
  if (self->task != running->task)
    return fail_busy (running, error);
  list (self, arena, wanted);
  list (running, arena, begun);
  guint i = tall_move_find_other (wanted, begun, N_SETTINGS);
  if (i == N_SETTINGS)
    return check_pass_only (self, running, error);
  const char *label = i < TALL_N_MOVING    ? tall_move_labels[i]
                      : i == TALL_N_MOVING ? "pause"
                                           : "rate";
  tall_error_set_conflict (error, 0,
                           "A migration runs here already, and its %s is %s, not %s; leave that "
                           "option out to follow it, or give it up with `tallorder migrate "
                           "--abort`",
                           label, begun[i] != NULL ? begun[i] : "not given", wanted[i]);
  return FALSE;
}

/**
 * tall_migrate_kept_new:
 *
 * Returns: (transfer full): a task that is about to run, with an id of its own
 */
TallMigrateKept *
tall_migrate_kept_new (TallMigrateTask task)
{
  TallMigrateKept *self = g_new0 (TallMigrateKept, 1);
  g_autofree char *id = g_uuid_string_random ();
  self->state = g_new0 (TallMigrateState, 1);
  self->state->arena = tall_arena_new (0);
  self->state->id = tall_arena_strdup (self->state->arena, id);
  self->state->task = task;
  self->unfit = g_array_new (FALSE, FALSE, sizeof (TallMigrateUnfit));
  self->reported = g_get_monotonic_time ();
  return self;
}

void
tall_migrate_kept_free (TallMigrateKept *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->unfit);
  tall_migrate_state_free (self->state);
  g_free (self);
}

/**
 * tall_migrate_kept_take_progress:
 *
 * Notes how far it is, and how fast it is in this pass, which began at the last report of the one
 * before.
 */
void
tall_migrate_kept_take_progress (TallMigrateKept *self, const TallMigrateProgress *progress)
{
  TallMigrateState *state = self->state;
  gint64 now = g_get_monotonic_time ();
  if (progress->stage != state->progress.stage || progress->pass != state->progress.pass)
    self->pass_begun = self->reported;
  self->reported = now;
  state->progress = *progress;
  gint64 elapsed = MAX (now - self->pass_begun, 1);
  state->rate = (guint64)((gdouble)progress->n_looked * G_USEC_PER_SEC / (gdouble)elapsed);
  guint64 left = progress->n_all > progress->n_looked ? progress->n_all - progress->n_looked : 0;
  state->time_left = state->rate > 0 ? (gint64)(left * G_USEC_PER_SEC / state->rate) : 0;
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

/* Notes something that cannot be copied, unless there are enough. */
static void
migrate_kept_take_unfit (TallMigrateKept *self, const TallMigrateUnfit *unfit)
{
  if (self->unfit->len >= TALL_MIGRATE_MAX_UNFIT)
    return;
  TallMigrateUnfit copy = copy_unfit (self->state->arena, unfit);
  g_array_append_val (self->unfit, copy);
}

/* @seen: so many of what cannot be copied are left out
 * @most: so many of the others are copied
 *
 * Returns: (transfer full): how far it is, or how it has ended */
static TallMigrateState *
migrate_kept_copy (const TallMigrateKept *self, guint seen, guint most)
{
  const TallMigrateState *state = self->state;
  TallMigrateState *copy = g_new0 (TallMigrateState, 1);
  *copy = *state;
  copy->arena = tall_arena_new (0);
  copy->id = tall_arena_strdup (copy->arena, state->id);
  copy->plan = state->plan != NULL ? migrate_plan_copy (copy->arena, state->plan) : NULL;
  copy->error = state->error != NULL ? g_error_copy (state->error) : NULL;
  seen = MIN (seen, self->unfit->len);
  copy->n_unfit = MIN (self->unfit->len - seen, most);
  copy->unfit = tall_arena_newa0 (copy->arena, TallMigrateUnfit, MAX (copy->n_unfit, 1));
  for (guint i = 0; i < copy->n_unfit; i++)
    copy->unfit[i] =
        copy_unfit (copy->arena, &g_array_index (self->unfit, TallMigrateUnfit, seen + i));
  return copy;
}

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
  state->plan = migrate_plan_copy (state->arena, plan);
  g_message ("migration: layout %s, key strategy %s to layout %s, key strategy %s, generation "
             "%" G_GUINT64_FORMAT,
             plan->from_layout, plan->from_key_strategy, plan->to_layout, plan->to_key_strategy,
             plan->target);
  return g_atomic_int_get (&self->stopping) == 0;
}

static void
on_unfit (const TallMigrateUnfit *unfit, gpointer data)
{
  TallMigrateRunner *self = data;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  if (self->wish.task == TALL_MIGRATE_MOVE)
    migrate_kept_take_unfit (self->last, unfit);
}

/**
 * tall_migrate_do:
 * @address: (nullable): where the tables are; NULL: not known
 * @follow: how it is followed; what it is to do is not looked at
 * @end: (inout): gets its summary, the number of tables dropped, or the error
 *
 * Does what is wished, here and now. Of an exclusive store nothing is on its way that was sent
 * before, because nobody else calls its tables, and this process does one task at a time.
 */
void
tall_migrate_do (TallTable *table,
                 const TallTableAddress *address,
                 const TallMigrateWish *wish,
                 const TallMigrateOptions *follow,
                 TallMigrateState *end)
{
  TallTableInfo info;
  TallMigrateOptions options = *follow;
  tall_table_get_info (table, &info);
  options.move = wish->move;
  options.pause = wish->pause;
  options.rate = wish->rate;
  options.pass_only = wish->pass_only;
  options.settled = wish->settled || info.is_exclusive;
  if (address != NULL && address->kind->find_room != NULL)
    options.room = address->kind->find_room (address->place);
  if (wish->task == TALL_MIGRATE_ABORT)
    (void)!tall_migrate_abort (table, &options, &end->error);
  else if (wish->task == TALL_MIGRATE_DROP_SOURCE)
    (void)!tall_store_drop_source (table, &end->n_dropped, &end->error);
  else
    (void)!tall_migrate_run (table, &options, &end->summary, &end->error);
}

/* With the mutex held. */
static void
log_end (const TallMigrateState *last)
{
  const char *task = tall_migrate_tasks[last->task];
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
               tall_migrate_outcomes[last->summary.outcome], last->summary.generation);
}

/* Returns: FALSE if an abort has been put in the place of the migration @task meanwhile */
static gboolean
conclude (TallMigrateRunner *self, TallMigrateTask task, TallMigrateState *end)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  TallMigrateState *state = self->last->state;
  if (self->wish.task != task)
    {
      state->has_switched = end->error == NULL && end->summary.outcome == TALL_MIGRATE_SWITCHED;
      if (state->has_switched)
        state->summary = end->summary;
      g_clear_error (&end->error);
      return FALSE;
    }
  if (!state->has_switched)
    state->summary = end->summary;
  state->n_dropped = end->n_dropped;
  state->error = end->error;
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
  const TallMigrateOptions follow = {
    .on_plan = on_plan, .on_progress = on_progress, .on_unfit = on_unfit, .data = self
  };
  TallMigrateWish wish;
  TallMigrateState end;
  do
    {
      g_mutex_lock (&self->mutex);
      wish = self->wish;
      g_mutex_unlock (&self->mutex);
      end = (TallMigrateState){ 0 };
      tall_migrate_do (self->table, self->address, &wish, &follow, &end);
    }
  while (!conclude (self, wish.task, &end));
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
  self->wish = migrate_wish_copy (wish, self->last->state->arena);
  g_atomic_int_set (&self->stopping, 0);

  g_autoptr (GError) cause = NULL;
  self->thread = g_thread_try_new ("tall-migrate", work, self, &cause);
  self->last->state->is_running = self->thread != NULL;
  if (self->thread != NULL)
    return TRUE;
  tall_migrate_kept_free (self->last);
  self->last = g_queue_pop_head (&self->before);
  return tall_error_fail (
      error, TALL_ERROR_OVERLOADED,
      "there is no thread left for the migration; nothing was done, try again later");
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
    return migrate_wish_may_join (wish, &self->wish, error);
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
  TallMigrateState *state = migrate_kept_copy (self->last, 0, 0);
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
 *   %TALL_ERROR_NOT_FOUND if it is not one of the last ones
 */
TallMigrateState *
tall_migrate_runner_look (
    TallMigrateRunner *self, const char *id, guint seen, guint most, GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  const TallMigrateKept *kept = id != NULL ? find (self, id) : self->last;
  if (kept != NULL)
    return migrate_kept_copy (kept, seen, most);
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
