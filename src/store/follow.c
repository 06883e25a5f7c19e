/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/follow.h"

#include "base/fail.h"
#include "store/commit/commit.h"
#include "store/commit/recent.h"
#include "store/record/generation.h"

/* ---- Which tables count ---- */

/* Tables that count, or counted once, and what is needed to work with them. */
typedef struct _Generation Generation;
struct _Generation
{
  TallStoreContext context;
  char *id;           /* owned: of the deployment */
  Generation *before; /* owned: the one that counted before; NULL: none that we have met */
};

struct _TallFollower
{
  TallTable *table; /* owned: all tables by their own names */
  TallStoreHooks hooks;
  TallRecent *recent; /* owned */

  /* As the record was when it was last read; atomic. */
  gint read_only;
  gint phase;       /* TallMigrationPhase */
  gint is_replaced; /* another deployment was there: this one comes back no more */

  /* Atomic: what counts. An operation works with the one that it has begun with. None is freed
   * before the store, so that no operation has to count references, which all threads would share;
   * a process meets few of them in its life. */
  Generation *current;

  GThread *watcher; /* NULL: nothing is watched */

  GMutex mutex; /* for all below, and for making another generation the current one */
  GCond cond;   /* a look has ended, or the watcher is to end */
  gboolean ends;
  gboolean is_looking;
  guint64 n_begun; /* looks that have begun */
  guint64 last;    /* the last one that has read the record: its number */
};

static void
generation_free (Generation *self)
{
  tall_store_context_clear (&self->context);
  g_free (self->id);
  g_free (self);
}

static Generation *
generation_new (TallFollower *follower, const TallDeployment *record, GError **error)
{
  g_autoptr (TallTable) table =
      tall_generation_table_new (follower->table, record->migration.generation);
  Generation *self = g_new0 (Generation, 1);
  if (!tall_store_context_init (&self->context, table, record, &follower->hooks, error))
    {
      generation_free (self);
      return NULL;
    }
  self->context.id = self->id = g_strdup (record->id);
  self->context.generation = record->migration.generation;
  self->context.follower = follower;
  return self;
}

/**
 * tall_follower_new:
 * @table: (transfer none): where the deployment is; a reference is kept
 * @record: its record
 * @hooks: (nullable): time and chance, for tests; copied
 *
 * Returns: NULL with %TALL_ERROR_INVALID if the layout or the key strategy is not known
 */
TallFollower *
tall_follower_new (TallTable *table,
                   const TallDeployment *record,
                   const TallStoreHooks *hooks,
                   GError **error)
{
  g_autoptr (TallFollower) self = g_new0 (TallFollower, 1);
  g_mutex_init (&self->mutex);
  g_cond_init (&self->cond);
  self->table = g_object_ref (table);
  self->recent = tall_recent_new ();
  tall_store_hooks_complete (&self->hooks, hooks);
  self->read_only = record->read_only;
  self->phase = (gint)record->migration.phase;
  self->current = generation_new (self, record, error);
  return self->current != NULL ? g_steal_pointer (&self) : NULL;
}

/**
 * tall_follower_get_context:
 *
 * Returns: (transfer none): of the tables that count, as far as this process knows; valid as long
 *   as @self
 */
const TallStoreContext *
tall_follower_get_context (TallFollower *self)
{
  const Generation *current = g_atomic_pointer_get (&self->current);
  return &current->context;
}

/**
 * tall_follower_get_recent:
 *
 * Returns: (transfer none): what is known of the last commits
 */
TallRecent *
tall_follower_get_recent (TallFollower *self)
{
  return self->recent;
}

/**
 * tall_follower_get_table:
 *
 * Returns: (transfer none): holds the tables of all generations
 */
TallTable *
tall_follower_get_table (TallFollower *self)
{
  return self->table;
}

/* Returns: in which phase a migration was when the record was last read */
static TallMigrationPhase
follower_get_phase (TallFollower *self)
{
  return (TallMigrationPhase)g_atomic_int_get (&self->phase);
}

/**
 * tall_follower_check_writable:
 *
 * Returns: FALSE with %TALL_ERROR_UNSUPPORTED if the deployment was read-only when its record was
 *   last read
 */
gboolean
tall_follower_check_writable (TallFollower *self, GError **error)
{
  if (!g_atomic_int_get (&self->read_only))
    return TRUE;
  return tall_error_fail (
      error, TALL_ERROR_UNSUPPORTED,
      "this deployment is read-only; it was set so, and what writes has to wait or go to another");
}

/* All that this process knows is of one deployment: its layout, keys, ids, tables.
 *
 * Returns: FALSE with %TALL_ERROR_UNSUPPORTED if another one was in its place when the record was
 * last read */
static gboolean
follower_check_current (TallFollower *self, GError **error)
{
  if (!g_atomic_int_get (&self->is_replaced))
    return TRUE;
  return tall_error_fail (
      error, TALL_ERROR_UNSUPPORTED,
      "another deployment has been made in the place of this one; open it again");
}

/* Other tables count now. What is kept in memory of these goes; operations that have begun with
 * them may still go on. */
static void
leave (TallStoreContext *self)
{
  if (self->ids != NULL)
    tall_ids_forget (self->ids);
}

/* Obeys the record from now on. An older one is ignored: a server of HBase that does not count any
 * more may give it. */
static gboolean
take_in (TallFollower *self, const TallDeployment *record, GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  Generation *current = self->current;
  if (!g_str_equal (record->id, current->id))
    g_atomic_int_set (&self->is_replaced, TRUE);
  if (!follower_check_current (self, error))
    return FALSE;
  if (record->migration.generation < current->context.generation)
    return TRUE;
  if (record->migration.generation > current->context.generation)
    {
      Generation *next = generation_new (self, record, error);
      if (next == NULL)
        return FALSE;
      next->before = current;
      g_atomic_pointer_set (&self->current, next);
      leave (&current->context);
    }
  g_atomic_int_set (&self->read_only, record->read_only);
  g_atomic_int_set (&self->phase, (gint)record->migration.phase);
  return TRUE;
}

/**
 * tall_follower_read_record:
 *
 * Reads the record again. Everything that begins from now on obeys it, so that a client never sees
 * another mode than the one that is obeyed.
 *
 * Returns: (transfer full): the record; NULL like tall_deployment_read(), or with
 *   %TALL_ERROR_UNSUPPORTED if it is that of another deployment
 */
TallDeployment *
tall_follower_read_record (TallFollower *self, gint64 deadline, GError **error)
{
  g_autoptr (TallDeployment) record = tall_deployment_read (self->table, deadline, error);
  if (record == NULL || !take_in (self, record, error))
    return NULL;
  return g_steal_pointer (&record);
}

/* Without the mutex. */
static gboolean
look_now (TallFollower *self, guint64 number, gint64 deadline, GError **error)
{
  g_autoptr (TallDeployment) record = tall_follower_read_record (self, deadline, error);
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  self->is_looking = FALSE;
  if (record != NULL)
    self->last = number;
  g_cond_broadcast (&self->cond);
  return record != NULL;
}

/* Reads the record again. When tables are shut, all operations of a process ask at once: one reads
 * for all who have asked before it began.
 *
 * Returns: FALSE like tall_follower_read_record() */
static gboolean
follower_look (TallFollower *self, gint64 deadline, GError **error)
{
  g_mutex_lock (&self->mutex);
  guint64 wanted = self->n_begun + 1;
  gboolean in_time = TRUE;
  while (in_time && self->is_looking && self->last < wanted)
    in_time = g_cond_wait_until (&self->cond, &self->mutex, deadline);
  gboolean known = self->last >= wanted;
  gboolean mine = !known && !self->is_looking;
  guint64 number = mine ? ++self->n_begun : 0;
  self->is_looking = self->is_looking || mine;
  g_mutex_unlock (&self->mutex);

  if (known)
    return TRUE;
  if (mine)
    return look_now (self, number, deadline, error);
  return tall_error_fail (error, TALL_ERROR_TIMED_OUT,
                          "the time was over before the deployment record was read");
}

/* ---- A thread that keeps that up to date ---- */

#define USUAL_PERIOD G_USEC_PER_SEC
#define PHASE_PERIOD (G_USEC_PER_SEC / 5) /* as long as a migration goes on */
#define WATCH_TIME G_USEC_PER_SEC         /* to read the record */

/* Returns: FALSE if it is to end */
static gboolean
wait_for_turn (TallFollower *self)
{
  gboolean calm = follower_get_phase (self) == TALL_MIGRATION_NONE;
  gint64 until = g_get_monotonic_time () + (calm ? USUAL_PERIOD : PHASE_PERIOD);
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  while (!self->ends && g_cond_wait_until (&self->cond, &self->mutex, until))
    ;
  return !self->ends;
}

static gpointer
watch (gpointer data)
{
  TallFollower *self = data;
  while (wait_for_turn (self))
    {
      g_autoptr (GError) error = NULL;
      if (!follower_look (self, g_get_monotonic_time () + WATCH_TIME, &error))
        g_debug ("watching the deployment record: %s", error->message);
    }
  return NULL;
}

/**
 * tall_follower_watch:
 *
 * Begins to read the deployment record again and again, so that a process knows of a migration
 * before a table refuses a call; not where no other process works on the tables. Nothing depends on
 * it but speed: a call on a table that is being closed may hang in a gateway.
 */
void
tall_follower_watch (TallFollower *self)
{
  TallTableInfo info;
  tall_table_get_info (self->table, &info);
  if (!info.is_exclusive)
    self->watcher = g_thread_new ("watcher", watch, self);
}

/**
 * tall_follower_free:
 *
 * Also ends the thread, after the read that is under way, which takes a second at most.
 */
void
tall_follower_free (TallFollower *self)
{
  g_mutex_lock (&self->mutex);
  self->ends = TRUE;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->mutex);
  g_clear_pointer (&self->watcher, g_thread_join);
  for (Generation *generation = self->current; generation != NULL;)
    {
      Generation *before = generation->before;
      generation_free (generation);
      generation = before;
    }
  g_object_unref (self->table);
  tall_recent_free (self->recent);
  g_cond_clear (&self->cond);
  g_mutex_clear (&self->mutex);
  g_free (self);
}

/* ---- Operations ---- */

/* Microseconds. */
#define FIRST_WAIT 10000
#define LONGEST_WAIT 100000
#define LOOK_TIME (2 * G_USEC_PER_SEC) /* to read the record */
#define MORE_TIME (G_USEC_PER_SEC / 2) /* for that, after the deadline */

/* Operations that have begun; atomic. */
static gint n_begun;

/* @error: (nullable):
 *
 * Returns: whether a table was sealed or closed */
static gboolean
follow_is_shut (const GError *error)
{
  return g_error_matches (error, TALL_ERROR, TALL_ERROR_SHUT);
}

/**
 * tall_follow_is_of_tables:
 * @error: (nullable): of one of many that are done together
 *
 * Returns: whether the tables are the cause, being shut or missing, so that all begin again
 * together
 */
gboolean
tall_follow_is_of_tables (const GError *error)
{
  return follow_is_shut (error) || g_error_matches (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED);
}

/* Whether the record may say something else by now than what the operation has gone by. A call on a
 * closed table may just hang. */
static gboolean
may_be_elsewhere (const TallOperation *operation, const GError *cause)
{
  if (operation->is_behind || cause->domain != TALL_ERROR)
    return operation->is_behind;
  switch (cause->code)
    {
    case TALL_ERROR_SHUT:
    case TALL_ERROR_UNSUPPORTED: /* a missing table, or what these tables cannot do */
    case TALL_ERROR_UNAVAILABLE:
    case TALL_ERROR_TIMED_OUT:
      return TRUE;
    case TALL_ERROR_OUTCOME_UNKNOWN:
      return operation->sent != NULL;
    default:
      return FALSE;
    }
}

/* Whether nobody may call the tables in that phase, to change them, or at all. */
static gboolean
is_held_back (const TallOperation *operation, TallMigrationPhase phase)
{
  if (phase == TALL_MIGRATION_SEALING || phase == TALL_MIGRATION_ABORTING)
    return operation->writes;
  return phase == TALL_MIGRATION_CLOSING;
}

static gboolean
is_pause (TallMigrationPhase phase)
{
  return phase == TALL_MIGRATION_SEALING || phase == TALL_MIGRATION_CLOSING
         || phase == TALL_MIGRATION_ABORTING;
}

/* Moves the operation to the tables that count now. Returns: whether these are others */
static gboolean
move (TallOperation *operation)
{
  const TallStoreContext *now = tall_follower_get_context (operation->context->follower);
  if (now == operation->context)
    return FALSE;
  tall_operation_move (operation, now);
  return TRUE;
}

/* A deployment that is gone is another error than an order that is not there. */
static gboolean
look (const TallOperation *operation, GError **error)
{
  GError *cause = NULL;
  gint64 now = g_get_monotonic_time ();
  gint64 most = MIN (operation->deadline, now + LOOK_TIME);
  if (follower_look (operation->context->follower, MAX (most, now + MORE_TIME), &cause))
    return TRUE;
  if (g_error_matches (cause, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    cause->code = TALL_ERROR_UNSUPPORTED;
  g_propagate_error (error, cause);
  return FALSE;
}

static void
wait (const TallOperation *operation, gint64 *longest)
{
  const TallStoreHooks *hooks = &operation->context->hooks;
  gint64 left = operation->end - tall_operation_now_monotonic (operation);
  gint64 most = MIN (*longest, MAX (left, 2));
  hooks->sleep (g_random_int_range ((gint32)(most / 2), (gint32)most + 1), hooks->data);
  *longest = MIN (*longest * 2, LONGEST_WAIT);
}

static gboolean
fail_in_pause (GError **error)
{
  return tall_error_fail (
      error, TALL_ERROR_TIMED_OUT,
      "the time was over while the orders are moving to other tables, where calls have to wait; "
      "nothing was done, try again, or ask for the state of the migration if it lasts");
}

/* Before a call: waits where it would only disturb. What cannot be read is not a reason to wait. */
static gboolean
hold_back (TallOperation *operation, GError **error)
{
  TallFollower *follower = operation->context->follower;
  gint64 longest = FIRST_WAIT;
  while (is_held_back (operation, follower_get_phase (follower)))
    {
      if (!look (operation, NULL))
        break;
      move (operation);
      if (!is_held_back (operation, follower_get_phase (follower)))
        break;
      if (tall_operation_is_over (operation))
        return fail_in_pause (error);
      wait (operation, &longest);
    }
  move (operation);
  return follower_check_current (follower, error);
}

/* After a call that the tables have refused, or that has failed so that they may have: waits until
 * it is certain which tables count. */
typedef enum
{
  ANSWER_AGAIN, /* in the tables that the operation has now */
  ANSWER_FAIL,  /* with what was said, which stands */
  ANSWER_LATE,  /* the time is over */
} Answer;

/* Whether a call has not come back, or could not be made: nothing was done. */
static gboolean
is_without_answer (const GError *cause)
{
  return g_error_matches (cause, TALL_ERROR, TALL_ERROR_UNAVAILABLE)
         || g_error_matches (cause, TALL_ERROR, TALL_ERROR_TIMED_OUT);
}

/* @said: by the call
 * @error: why the record is not known */
static Answer
find_out (TallOperation *operation, const GError *said, GError **error)
{
  TallFollower *follower = operation->context->follower;
  gboolean is_shut = follow_is_shut (said);
  gint64 longest = FIRST_WAIT;
  gboolean has_waited = FALSE;
  for (;; has_waited = TRUE, wait (operation, &longest))
    {
      g_autoptr (GError) cause = NULL;
      gboolean known = look (operation, &cause);
      gboolean is_over = tall_operation_is_over (operation);
      if (!known && (!is_shut || !tall_error_is_passing (cause)))
        {
          g_propagate_error (error, g_steal_pointer (&cause));
          return ANSWER_FAIL;
        }
      if (known && move (operation))
        return ANSWER_AGAIN;
      TallMigrationPhase phase = follower_get_phase (follower);
      gboolean is_allowed = known && !is_shut && !has_waited && !is_held_back (operation, phase);
      if (is_allowed && !(is_without_answer (said) && is_pause (phase)))
        return ANSWER_FAIL;
      if (is_over)
        return ANSWER_LATE;
      if (is_allowed)
        {
          /* HBase opens all regions of a table anew when it is sealed, or not any more, and answers
           * late meanwhile. */
          longest = LONGEST_WAIT;
          wait (operation, &longest);
          return ANSWER_AGAIN;
        }
      if (known && !is_pause (phase))
        return has_waited || operation->n_refused++ == 0 ? ANSWER_AGAIN : ANSWER_FAIL;
    }
}

/* Puts in the place of @error what is to be answered once it is certain that @operation does not
 * begin again. @known: (transfer full) (nullable): why the record is not known */
static void
explain (const TallOperation *operation, Answer answer, GError *known, GError **error)
{
  g_autoptr (GError) unknown = known;
  g_autoptr (GError) replaced = NULL;
  if (!follower_check_current (operation->context->follower, &replaced))
    {
      g_clear_error (error);
      g_propagate_error (error, g_steal_pointer (&replaced));
      return;
    }
  /* As long as the record cannot be read, nobody knows whether a missing table counts. */
  gboolean is_moot = g_error_matches (*error, TALL_ERROR, TALL_ERROR_UNSUPPORTED) && unknown != NULL
                     && tall_error_is_passing (unknown);
  if (!follow_is_shut (*error) && !is_moot
      && !(is_without_answer (*error) && answer == ANSWER_LATE))
    return;
  g_autoptr (GError) refused = g_steal_pointer (error);
  if (unknown != NULL)
    g_propagate_error (error, g_steal_pointer (&unknown));
  else if (answer == ANSWER_LATE)
    fail_in_pause (error);
  else
    g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
                 "%s, though no migration is going on; look at the deployment's status",
                 refused->message);
}

/* Whether the operation is to begin again after @error; if not, that says what is to be answered.
 */
static gboolean
goes_on (TallOperation *operation, GError **error)
{
  if (operation->context->follower == NULL || !may_be_elsewhere (operation, *error))
    return FALSE;
  GError *unknown = NULL;
  Answer answer = find_out (operation, *error, &unknown);
  if (answer != ANSWER_AGAIN)
    {
      explain (operation, answer, unknown, error);
      return FALSE;
    }
  tall_operation_move (operation, operation->context);
  g_clear_error (error);
  return !operation->writes || tall_follower_check_writable (operation->context->follower, error);
}

/* While something that was sent may have been done, or may still be, nothing else is true: an error
 * about the time says that nothing was done. */
static void
fail (const TallOperation *operation, GError **error)
{
  if (follow_is_shut (*error)) /* there is nobody to follow */
    (*error)->code = TALL_ERROR_UNAVAILABLE;
  if (operation->sent == NULL || g_error_matches (*error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN))
    return;
  g_autoptr (GError) cause = g_steal_pointer (error);
  gboolean late = g_error_matches (cause, TALL_ERROR, TALL_ERROR_TIMED_OUT);
  tall_sent_fail_unknown (error, "the time was over before that was known", late ? NULL : cause);
}

/**
 * tall_follow:
 * @operation: ends in the tables that have answered
 * @error: (inout): what the last try has said; must be a place of its own, empty at first
 *
 * Does something in the tables that count:
 *
 *     while (tall_follow (&operation, &error))
 *       found = find (&operation, &error);
 *
 * If the tables are shut, or missing, the deployment record says which tables count now: other
 * ones, then it is to be tried again there; or the orders are on their way, then it waits, within
 * the operation's time. It does so, too, before it gives up because a call has not come back.
 * Nobody guesses: as long as the record does not say so, no other tables count. Of what a try has
 * found out, the next one may use only what the operation keeps.
 *
 * Returns: whether it is to be tried, now or again. FALSE: it is done, or @error stands: never
 *   %TALL_ERROR_SHUT; %TALL_ERROR_TIMED_OUT if the time was over, %TALL_ERROR_OUTCOME_UNKNOWN
 *   instead of any error if a commit that was sent before may have been done, or may still be
 */
gboolean
tall_follow (TallOperation *operation, GError **error)
{
  gboolean is_first = !operation->is_tried;
  operation->is_tried = TRUE;
  if (is_first)
    g_atomic_int_inc (&n_begun);
  if ((is_first || (*error != NULL && goes_on (operation, error)))
      && (operation->context->follower == NULL || hold_back (operation, error)))
    return TRUE;
  operation->is_tried = FALSE;
  if (*error != NULL)
    fail (operation, error);
  return FALSE;
}

/**
 * tall_follow_count:
 *
 * Returns: how many operations this process has begun, in all stores; it wraps around. For those
 *   who want to give way to them
 */
guint
tall_follow_count (void)
{
  return (guint)g_atomic_int_get (&n_begun);
}

/**
 * tall_follow_end:
 * @context: with which something was done that does not begin again in other tables
 * @error: (inout): why it ended
 *
 * Looks whether other tables count by now, so that what is done next is done there.
 */
void
tall_follow_end (const TallStoreContext *context, GError **error)
{
  const TallOperation nothing = { .context = context };
  if (context->follower == NULL || !may_be_elsewhere (&nothing, *error))
    return;
  if (!look (&nothing, NULL))
    g_debug ("the deployment record cannot be read");
  if (!follow_is_shut (*error) && tall_follower_get_context (context->follower) == context)
    return;
  g_clear_error (error);
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
               "the orders are moving to other tables, or have done so; begin again when the "
               "migration is over");
}
