/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/commit/write.h"

#include "store/commit/commit.h"
#include "tall-error.h"
#include "tall-limits.h"
#include "store/commit/sent.h"

/**
 * tall_write_check_options:
 *
 * Returns: FALSE with %TALL_ERROR_INVALID for what makes no sense
 */
gboolean
tall_write_check_options (const TallWriteOptions *options, GError **error)
{
  static const guint8 no_token[TALL_TOKEN_SIZE];

  if (options->has_token && memcmp (options->token, no_token, TALL_TOKEN_SIZE) == 0)
    {
      tall_error_set_invalid (
          error, "token", "a request token of zeros tells nothing; make a UUID for each request");
      return FALSE;
    }
  if (options->condition != TALL_IF_REVISION || options->revision > 0)
    return TRUE;
  tall_error_set_invalid (error, "revision",
                          "revision %" G_GINT64_FORMAT " cannot be expected; they begin with 1",
                          options->revision);
  return FALSE;
}

/**
 * tall_write_make_token:
 *
 * Makes the token by which a commit is recognised: the caller's, if there is one. All attempts of
 * an operation have the same.
 */
void
tall_write_make_token (TallOperation *operation,
                       const TallWriteOptions *options,
                       guint8 token[TALL_TOKEN_SIZE])
{
  const TallStoreHooks *hooks = &operation->context->hooks;
  if (options->has_token)
    memcpy (operation->token, options->token, TALL_TOKEN_SIZE);
  else if (!operation->has_token)
    hooks->make_token (operation->token, hooks->data);
  operation->has_token = TRUE;
  memcpy (token, operation->token, TALL_TOKEN_SIZE);
}

/* Sets @done if exactly this has been stored already, by a call that the caller repeats. */
static gboolean
check_done (const TallRoot *root,
            const TallWriteOptions *options,
            const TallState *wanted,
            gboolean *done,
            GError **error)
{
  *done = options->has_token && root->exists && root->state.revision > 0
          && tall_commit_token_matches (&root->state, wanted);
  return !*done || tall_commit_token_check (&root->state, wanted, error);
}

/* Whether there is something to delete, or nothing that a put cannot replace. */
static gboolean
check_replaceable (const TallOperation *operation,
                   const TallRoot *root,
                   const TallState *wanted,
                   GError **error)
{
  if (!wanted->live)
    return tall_root_is_live (root, operation) || tall_operation_set_not_found (operation, error);
  if (!root->state.live || root->state.schema <= TALL_SCHEMA)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_NEWER_VERSION,
               "what is there has schema %u, and this version of tallorder knows none after "
               "%d, so that replacing it could lose something; use the newer version",
               root->state.schema, TALL_SCHEMA);
  return FALSE;
}

static gboolean
check_condition (const TallOperation *operation,
                 const TallRoot *root,
                 const TallWriteOptions *options,
                 GError **error)
{
  gint64 revision = tall_root_is_live (root, operation) ? root->state.revision : 0;

  if (options->condition == TALL_IF_ABSENT && revision != 0)
    {
      tall_error_set_conflict (error, revision,
                               "it is there already, with revision %" G_GINT64_FORMAT, revision);
      return FALSE;
    }
  if (options->condition != TALL_IF_REVISION || options->revision == revision)
    return TRUE;
  if (revision == 0)
    tall_error_set_conflict (error, 0,
                             "revision %" G_GINT64_FORMAT " was expected, but there is none",
                             options->revision);
  else
    tall_error_set_conflict (error, revision,
                             "revision %" G_GINT64_FORMAT " was expected, but revision "
                             "%" G_GINT64_FORMAT " is there; fetch it and decide again",
                             options->revision, revision);
  return FALSE;
}

/**
 * tall_write_check_root:
 * @root: what is there
 * @wanted: the state that is to be committed, with its token
 * @done: (out): whether exactly this has been committed already, by a call that the caller repeats,
 *   or by this operation before the tables were shut
 *
 * Returns: FALSE if @root must not be replaced: %TALL_ERROR_KEY_COLLISION, another's;
 *   %TALL_ERROR_OUTCOME_UNKNOWN, this operation may have been done, and replaced since;
 *   %TALL_ERROR_INVALID, the caller's token is that of something else; %TALL_ERROR_NEWER_VERSION;
 *   %TALL_ERROR_NOT_FOUND, nothing to delete; %TALL_ERROR_CONFLICT, with the revision that is
 *   there, if the caller's condition does not hold
 */
gboolean
tall_write_check_root (TallOperation *operation,
                       const TallRoot *root,
                       const TallWriteOptions *options,
                       const TallState *wanted,
                       gboolean *done,
                       GError **error)
{
  *done = FALSE;
  if (!tall_root_check_owner (root, operation, error))
    return FALSE;
  TallStep step = tall_sent_settle (operation, root, wanted, error);
  if (step == TALL_STEP_FAILED)
    return FALSE;
  *done = step == TALL_STEP_DONE;
  if (!*done && !check_done (root, options, wanted, done, error))
    return FALSE;
  return *done
         || (check_replaceable (operation, root, wanted, error)
             && check_condition (operation, root, options, error));
}

/**
 * tall_write_fail_expired:
 * @code: %TALL_ERROR_OUTCOME_UNKNOWN, unless it is certain that nothing is stored
 *
 * Where rows expire, what a clock stamps that is behind by the TTL is gone at once.
 */
void
tall_write_fail_expired (const TallOperation *operation, TallError code, GError **error)
{
  g_set_error (error, TALL_ERROR, code,
               "what was written cannot be found; if that stays so, the clock here is behind that "
               "of the store by more than the TTL of %" G_GUINT64_FORMAT " seconds: set it",
               operation->context->ttl);
}

/**
 * tall_write_check_kept:
 * @replaced: what was there before something was committed without a claim
 *
 * Looks again at the first row of an order, if it may have expired at once; where there was one
 * before, what is written is later than that. Where there was a claim, this is not needed: without
 * it the commit does not match.
 *
 * Returns: FALSE with %TALL_ERROR_OUTCOME_UNKNOWN if it cannot be found, be it that it has expired
 * or that the read was older
 */
gboolean
tall_write_check_kept (const TallOperation *operation, const TallRoot *replaced, GError **error)
{
  const TallStoreContext *context = operation->context;
  g_auto (TallRoot) now = { 0 };

  if (context->ttl == 0 || operation->order_number == NULL || replaced->exists
      || !tall_root_read (&now, operation, NULL) || now.timestamp > 0)
    return TRUE;
  tall_write_fail_expired (operation, TALL_ERROR_OUTCOME_UNKNOWN, error);
  return FALSE;
}

/**
 * tall_write_check_time:
 *
 * Returns: FALSE with %TALL_ERROR_TIMED_OUT if the operation's time has passed, nothing being done
 */
gboolean
tall_write_check_time (const TallOperation *operation, GError **error)
{
  if (!tall_operation_is_over (operation))
    return TRUE;
  g_set_error (
      error, TALL_ERROR, TALL_ERROR_TIMED_OUT,
      "the time was over before it could be stored or deleted; nothing was done, try again");
  return FALSE;
}
