/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/client/client.h"

#include "tall-error.h"
#include "wire/probe.h"

/* Milliseconds in which a stranger may say what it is. */
#define PROBE_TIMEOUT 1000

static char *
describe_stranger (const TallStranger *stranger, const char *address)
{
  static const char *const options[2][2] = {
    { "", "?protocol=compact" },
    { "?framed=1", "?framed=1&protocol=compact" },
  };

  if (!stranger->is_gateway)
    return g_strdup (stranger->name);
  return g_strdup_printf ("%s: give --store 'hbase://%s%s'", stranger->name, address,
                          options[stranger->framed ? 1 : 0][stranger->compact ? 1 : 0]);
}

/**
 * tall_client_check:
 * @milliseconds: in which an answer must come
 *
 * Finds out soon whether there is a server of ours: it is asked for no orders, which it answers at
 * once, without what keeps its orders, however busy that is. What is something else is named, if it
 * can be recognised.
 *
 * Returns: FALSE with %TALL_ERROR_UNAVAILABLE, %TALL_ERROR_TIMED_OUT, or %TALL_ERROR_FORBIDDEN (a
 *   certificate)
 */
gboolean
tall_client_check (TallClient *self, guint milliseconds, GError **error)
{
  g_return_val_if_fail (TALL_IS_CLIENT (self), FALSE);

  TallIdlMany none = { .n_ids = 0 };
  TallIdlArgs args = { .request = &none };
  TallIdlOutcomes success = { 0 };
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (GError) reason = NULL;
  TallClientCall call =
      tall_client_prepare (TALL_FRONT (self), TALL_CALL (get_orders), &args, arena);
  call.operation = "Connecting";
  call.success = &success;
  call.deadline = g_get_monotonic_time () + (gint64)milliseconds * G_TIME_SPAN_MILLISECOND;
  if (tall_client_call_run (&call, &reason)
      || (call.result.failure != NULL
          && !g_error_matches (reason, TALL_ERROR, TALL_ERROR_UNSUPPORTED)))
    return TRUE;

  const char *address = tall_client_pool_get_address (call.pool);
  /* a probe is not encrypted */
  const TallStranger *stranger =
      tall_client_pool_has_tls (call.pool) ? NULL : tall_probe (address, PROBE_TIMEOUT);
  if (stranger != NULL)
    {
      g_autofree char *seems = describe_stranger (stranger, address);
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
                   "There is no tallorder server at %s, but what seems to be %s", address, seems);
    }
  else if (g_error_matches (reason, TALL_ERROR, TALL_ERROR_TIMED_OUT))
    g_set_error (error, TALL_ERROR, TALL_ERROR_TIMED_OUT,
                 "No answer from %s within %.3g s; check the address, and that \"tallorder serve\" "
                 "runs there",
                 address, milliseconds / 1000.0);
  else
    g_propagate_error (error, g_steal_pointer (&reason));
  return FALSE;
}
