/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/follow.h"

#include "tall-error.h"
#include "store/follower.h"
#include "store/commit/commit.h"

/* Microseconds. */
#define FIRST_WAIT 10000
#define LONGEST_WAIT 100000
#define LOOK_TIME (2 * G_USEC_PER_SEC) /* to read the record */
#define MORE_TIME (G_USEC_PER_SEC / 2) /* for that, after the deadline */

/* Operations that have begun; atomic. */
static gint n_begun;

/**
 * tall_follow_is_shut:
 * @error: (nullable):
 *
 * Returns: whether a table was sealed or closed
 */
gboolean
tall_follow_is_shut (const GError *error)
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
  return tall_follow_is_shut (error) || g_error_matches (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED);
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

/* A deployment that is gone is no order that is not there. */
static gboolean
look (const TallOperation *operation, GError **error)
{
  GError *cause = NULL;
  gint64 now = g_get_monotonic_time ();
  gint64 most = MIN (operation->deadline, now + LOOK_TIME);
  if (tall_follower_look (operation->context->follower, MAX (most, now + MORE_TIME), &cause))
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
  g_set_error (error, TALL_ERROR, TALL_ERROR_TIMED_OUT,
               "the time was over while the orders are moving to other tables, where calls have "
               "to wait; nothing was done, try again, or ask for the state of the migration if it "
               "lasts");
  return FALSE;
}

/* Before a call: waits where it would only disturb. What cannot be read is no reason to wait. */
static gboolean
hold_back (TallOperation *operation, GError **error)
{
  TallFollower *follower = operation->context->follower;
  gint64 longest = FIRST_WAIT;
  while (is_held_back (operation, tall_follower_get_phase (follower)))
    {
      if (!look (operation, NULL))
        break;
      move (operation);
      if (!is_held_back (operation, tall_follower_get_phase (follower)))
        break;
      if (tall_operation_is_over (operation))
        return fail_in_pause (error);
      wait (operation, &longest);
    }
  move (operation);
  return tall_follower_check_current (follower, error);
}

/* After a call that the tables have refused, or that has failed so that they may have: waits until
 * it is certain which tables count. */
typedef enum
{
  ANSWER_AGAIN, /* in the tables that the operation has now */
  ANSWER_FAIL,  /* with what was said, which stands */
  ANSWER_LATE,  /* the time is over */
} Answer;

static Answer
find_out (TallOperation *operation, gboolean is_shut, GError **error)
{
  TallFollower *follower = operation->context->follower;
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
      TallMigrationPhase phase = tall_follower_get_phase (follower);
      if (known && !is_shut && !has_waited && !is_held_back (operation, phase))
        return ANSWER_FAIL;
      if (is_over)
        return ANSWER_LATE;
      if (known && !is_pause (phase))
        return has_waited || operation->n_refused++ == 0 ? ANSWER_AGAIN : ANSWER_FAIL;
    }
}

/* Whether a call has not come back, or could not be made: nothing was done. */
static gboolean
is_without_answer (const GError *cause)
{
  return g_error_matches (cause, TALL_ERROR, TALL_ERROR_UNAVAILABLE)
         || g_error_matches (cause, TALL_ERROR, TALL_ERROR_TIMED_OUT);
}

/* After a call without an answer, where the record is known, and allows the call: HBase opens all
 * regions of a table anew when it is sealed, or not any more, and answers late meanwhile. */
static Answer
try_again_in_pause (const TallOperation *operation)
{
  gint64 longest = LONGEST_WAIT;
  if (!is_pause (tall_follower_get_phase (operation->context->follower)))
    return ANSWER_FAIL;
  if (tall_operation_is_over (operation))
    return ANSWER_LATE;
  wait (operation, &longest);
  return ANSWER_AGAIN;
}

/* Whether the operation is to begin again after @cause; if not, that says what is to be answered.
 */
static gboolean
goes_on (TallOperation *operation, GError **cause)
{
  if (operation->context->follower == NULL || !may_be_elsewhere (operation, *cause))
    return FALSE;
  g_autoptr (GError) error = NULL;
  gboolean is_shut = tall_follow_is_shut (*cause);
  gboolean is_silent = is_without_answer (*cause);
  Answer answer = find_out (operation, is_shut, &error);
  if (is_silent && answer == ANSWER_FAIL && error == NULL)
    answer = try_again_in_pause (operation);
  if (answer == ANSWER_AGAIN)
    {
      tall_operation_move (operation, operation->context);
      g_clear_error (cause);
      return !operation->writes
             || tall_follower_check_writable (operation->context->follower, cause);
    }
  g_autoptr (GError) replaced = NULL;
  if (!tall_follower_check_current (operation->context->follower, &replaced))
    {
      g_clear_error (cause);
      *cause = g_steal_pointer (&replaced);
      return FALSE;
    }
  /* As long as the record cannot be read, nobody knows whether a missing table counts. */
  gboolean is_moot = g_error_matches (*cause, TALL_ERROR, TALL_ERROR_UNSUPPORTED) && error != NULL
                     && tall_error_is_passing (error);
  if (!is_shut && !is_moot && !(is_silent && answer == ANSWER_LATE))
    return FALSE;
  g_autoptr (GError) refused = g_steal_pointer (cause);
  if (error != NULL)
    g_propagate_error (cause, g_steal_pointer (&error));
  else if (answer == ANSWER_LATE)
    fail_in_pause (cause);
  else
    g_set_error (cause, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
                 "%s, though no migration is going on; look at the deployment's status",
                 refused->message);
  return FALSE;
}

/* While something that was sent may have been done, or may still be, nothing else is true: an error
 * about the time says that nothing was done. */
static void
fail (const TallOperation *operation, GError *cause, GError **error)
{
  if (tall_follow_is_shut (cause)) /* there is nobody to follow */
    cause->code = TALL_ERROR_UNAVAILABLE;
  if (operation->sent != NULL && !g_error_matches (cause, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN))
    {
      gboolean late = g_error_matches (cause, TALL_ERROR, TALL_ERROR_TIMED_OUT);
      tall_sent_fail_unknown (error, "the time was over before that was known",
                              late ? NULL : cause);
      g_error_free (cause);
      return;
    }
  g_propagate_error (error, cause);
}

/**
 * tall_follow:
 * @operation: which does it; it ends in the tables that have answered
 * @attempt: what is done
 * @data: for @attempt
 *
 * Does something in the tables that count. If they are shut, or missing, the deployment record says
 * which tables count now: other ones, then it begins again there; or the orders are on their way,
 * then it waits, within its time. It does so, too, before it fails because a call has not come
 * back. Nobody guesses: as long as the record does not say so, no other tables count.
 *
 * Returns: what @attempt has returned last; never %TALL_ERROR_SHUT. %TALL_ERROR_TIMED_OUT if the
 *   time was over, %TALL_ERROR_OUTCOME_UNKNOWN instead of any error if a commit that was sent
 *   before may have been done, or may still be
 */
gboolean
tall_follow (TallOperation *operation, TallAttempt attempt, gpointer data, GError **error)
{
  g_atomic_int_inc (&n_begun);
  for (;;)
    {
      GError *cause = NULL;
      gboolean may_call = operation->context->follower == NULL || hold_back (operation, &cause);
      if (may_call && attempt (operation, data, &cause))
        return TRUE;
      if (may_call && goes_on (operation, &cause))
        continue;
      fail (operation, cause, error);
      return FALSE;
    }
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
  if (!tall_follow_is_shut (*error) && tall_follower_get_context (context->follower) == context)
    return;
  g_clear_error (error);
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
               "the orders are moving to other tables, or have done so; begin again when the "
               "migration is over");
}
