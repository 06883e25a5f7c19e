/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/server/failure-log.h"

#include "service/server/log-limit.h"

#include <string.h>

#define PERIOD (5 * G_TIME_SPAN_SECOND)

/* The level at which each kind of trouble is logged. A filter by level shows what is wrong with the
 * store, or who tries what it may not. Errors in a caller's own input are not logged.
 */
static const GLogLevelFlags levels[] = {
  [TALL_ERROR_OVERLOADED] = G_LOG_LEVEL_MESSAGE, [TALL_ERROR_UNAVAILABLE] = G_LOG_LEVEL_WARNING,
  [TALL_ERROR_TIMED_OUT] = G_LOG_LEVEL_WARNING,  [TALL_ERROR_OUTCOME_UNKNOWN] = G_LOG_LEVEL_WARNING,
  [TALL_ERROR_DAMAGED] = G_LOG_LEVEL_WARNING,    [TALL_ERROR_NEWER_VERSION] = G_LOG_LEVEL_WARNING,
  [TALL_ERROR_INTERNAL] = G_LOG_LEVEL_WARNING,   [TALL_ERROR_FORBIDDEN] = G_LOG_LEVEL_MESSAGE,
};

/* An outage of the store is one trouble, however many calls meet it. */
static TallLogLimit limits[G_N_ELEMENTS (levels)];

/**
 * tall_failure_log_add:
 * @operation: what failed, such as `Storing order 10248 of VINET`
 * @error: why; its message may begin with @operation
 *
 * Logs a failure that is not the caller's, by its code or because it has a detail: the first of its
 * kind in some seconds with its text, the others as their number, with the next.
 */
void
tall_failure_log_add (TallError code, const char *operation, const GError *error)
{
  guint n_left_out = 0;

  if ((guint)code >= G_N_ELEMENTS (levels))
    return;
  GLogLevelFlags level = levels[code];
  if (level == 0 && tall_error_get_detail (error) != NULL)
    level = G_LOG_LEVEL_WARNING;
  if (level == 0 || !tall_log_limit_take (&limits[code], 1, PERIOD, &n_left_out))
    return;
  g_autofree char *message = tall_error_describe (error);
  /* Only not to say it twice. */
  gboolean is_named = g_str_has_prefix (message, operation);
  g_autofree char *more =
      n_left_out > 0 ? g_strdup_printf ("; %u more since the last such line", n_left_out) : NULL;
  g_log (G_LOG_DOMAIN, level, "%s: %s%s%s%s", tall_error_code_name (code),
         is_named ? "" : operation, is_named ? "" : ": ", message, more != NULL ? more : "");
}

/**
 * tall_failure_log_forget:
 *
 * Begins anew, so that each test meets its own first failure. No call may be running.
 */
void
tall_failure_log_forget (void)
{
  memset (limits, 0, sizeof limits);
}
