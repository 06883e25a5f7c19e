/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* What the calls of a client share. */
#include "service/client/client.h"
#include "tall-error.h"

/**
 * tall_client_prepare:
 * @args: used until the call is run
 * @arena: of the result
 */
TallClientCall
tall_client_prepare (TallFront *front,
                     const TallIdlCall *call,
                     const TallIdlArgs *args,
                     TallArena *arena)
{
  const TallClient *self = (const TallClient *)front; /* also where its type is not known */
  return (TallClientCall){
    .pool = self->pool,
    .call = call,
    .args = args,
    .deadline = g_get_monotonic_time () + (gint64)self->timeout * 1000,
    .arena = arena,
  };
}

/**
 * tall_client_with_token:
 * @given: (nullable):
 *
 * Every write gets a token, so that it is recognised if it is sent again.
 */
TallWriteOptions
tall_client_with_token (const TallWriteOptions *given)
{
  TallWriteOptions options = { 0 };
  if (given != NULL)
    options = *given;
  if (!options.has_token)
    tall_token_make (options.token);
  options.has_token = TRUE;
  return options;
}

/**
 * tall_client_is_repeatable:
 *
 * Tells whether a write may be sent again after it was perhaps done. Its token settles that only as
 * long as nobody else has written: without a condition it would then replace what came later, and
 * one that wants nothing there would bring back what was deleted meanwhile. A revision never comes
 * back, so a write that wants one can be done once only.
 */
gboolean
tall_client_is_repeatable (const TallWriteOptions *options)
{
  return options->condition == TALL_IF_REVISION;
}

/**
 * tall_client_init_options:
 * @options: lives as long as @wire
 *
 * The server gets nine tenths of the time, so that its own "timed out" arrives before ours.
 */
void
tall_client_init_options (TallIdlOptions *wire, const TallWriteOptions *options)
{
  TallWriteOptions shorter = *options;
  if (options->timeout > 0)
    shorter.timeout = (guint)MAX ((guint64)options->timeout * 9 / 10, 1);
  tall_idl_options_init (wire, &shorter);
  /* The token lives in what the caller holds on to. */
  if (options->has_token)
    wire->token = tall_slice (options->token, TALL_TOKEN_SIZE);
}

/**
 * tall_client_set_wrong_answer:
 *
 * The error of an answer about something that was not asked for, or about nothing.
 *
 * Returns: FALSE
 */
gboolean
tall_client_set_wrong_answer (const TallClientCall *call, GError **error)
{
  g_autofree char *operation = tall_idl_call_describe (call->call, call->args);
  g_set_error (error, TALL_ERROR, TALL_ERROR_INTERNAL,
               "%s: the server at %s answered with something else", operation,
               tall_client_pool_get_address (call->pool));
  return FALSE;
}
