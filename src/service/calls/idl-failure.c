/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/calls/idl-failure.h"

#include "service/server/log.h"
#include "tall-error.h"

/* What a caller gets instead of the message if the store is in trouble. The other codes are about
 * the caller's own input or data: their messages are passed on. */
static const char *
closed_message (TallError code)
{
  switch (code)
    {
    case TALL_ERROR_OVERLOADED:
      return "too much is waiting already; nothing was done, try again later";
    case TALL_ERROR_UNAVAILABLE:
      return "what keeps the orders cannot be reached; nothing was done, try again later";
    case TALL_ERROR_TIMED_OUT:
      return "the time-out passed; nothing was done, try again or allow more time";
    case TALL_ERROR_OUTCOME_UNKNOWN:
      return "it may or may not have happened; get it to find out, or send it again with the same "
             "token";
    case TALL_ERROR_INTERNAL:
      return "failed inside the server, whose log says more";
    default:
      return NULL;
    }
}

/* What the caller gets. If the log says more, at the line with the same id. */
static char *
make_message (TallArena *arena, const char *operation, const char *closed, const GError *error)
{
  const char *id = tall_request_id_get ();
  char *message = closed != NULL ? tall_arena_printf (arena, "%s: %s", operation, closed)
                                 : tall_arena_strdup (arena, error->message);
  gboolean more = closed != NULL || tall_error_get_detail (error) != NULL;
  return more && id != NULL ? tall_arena_printf (arena, "%s (request %s)", message, id) : message;
}

/* Whether others have only overtaken a patch, which is not the store's trouble. */
static gboolean
is_passed_patch (const GError *error)
{
  return g_error_matches (error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN)
         && tall_error_get_revision (error) > 0;
}

/**
 * tall_idl_failure_from_error:
 * @operation: what failed, such as `Storing order 10248 of VINET`
 *
 * Makes of an error what a caller of the service may see. What is kept from it, the error's detail
 * among that, goes to the log, and so does what is wrong with the store.
 *
 * Returns: (transfer none): in @arena
 */
TallIdlFailure *
tall_idl_failure_from_error (TallArena *arena, const char *operation, const GError *error)
{
  TallIdlFailure *self = tall_arena_new0 (arena, TallIdlFailure);
  TallError code = error->domain == TALL_ERROR ? (TallError)error->code : TALL_ERROR_INTERNAL;

  gboolean is_passed = is_passed_patch (error);
  const char *closed = is_passed ? NULL : closed_message (code);

  if (!is_passed)
    tall_failure_log_add (code, operation, error);
  self->code = code;
  self->message = make_message (arena, operation, closed, error);
  if (code == TALL_ERROR_INVALID)
    self->field = tall_arena_strdup (arena, tall_error_get_field (error));
  self->has_revision = code == TALL_ERROR_CONFLICT || is_passed;
  self->revision = tall_error_get_revision (error);
  return self;
}

/**
 * tall_idl_failure_to_error:
 *
 * Returns: (transfer full): the error that the server meant; one with a code that we do not know,
 *   from a newer server, is an internal one
 */
GError *
tall_idl_failure_to_error (const TallIdlFailure *self)
{
  const char *message = self->message != NULL ? self->message : "the server gave no reason";
  GError *error = NULL;

  if (self->code == TALL_ERROR_INVALID)
    tall_error_set_invalid (&error, self->field, "%s", message);
  else if (self->code == TALL_ERROR_CONFLICT
           || (self->code == TALL_ERROR_OUTCOME_UNKNOWN && self->has_revision))
    {
      tall_error_set_conflict (&error, self->revision, "%s", message);
      error->code = self->code;
    }
  else if (self->code >= TALL_ERROR_NOT_FOUND && self->code <= TALL_ERROR_FORBIDDEN)
    error = g_error_new_literal (TALL_ERROR, self->code, message);
  else
    error = g_error_new (TALL_ERROR, TALL_ERROR_INTERNAL, "%s (error %d of a newer server)",
                         message, self->code);
  return error;
}

/**
 * tall_idl_outcome_take:
 * @self: (out):
 * @arena: takes what @outcome owns
 * @operation: (nullable): what failed if it failed, such as `Storing order 10248 of VINET`
 * @outcome: emptied
 */
void
tall_idl_outcome_take (TallIdlOutcome *self,
                       TallArena *arena,
                       const char *operation,
                       TallOutcome *outcome)
{
  *self = (TallIdlOutcome){ 0 };
  if (outcome->error != NULL)
    self->failure = tall_idl_failure_from_error (arena, operation, outcome->error);
  else
    {
      self->result = tall_arena_new0 (arena, TallIdlSuccess);
      self->result->revision = outcome->revision;
      self->result->entry = outcome->entry; /* lives with the order */
      self->result->order = g_steal_pointer (&outcome->order);
      if (self->result->order != NULL)
        tall_arena_own (arena, self->result->order, (GDestroyNotify)tall_order_free);
    }
  tall_outcome_clear (outcome);
}
