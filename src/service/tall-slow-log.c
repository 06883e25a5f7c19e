/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-slow-log.h"

#include "tall-log-limit.h"

/* When the store stands still, every call is slow: a few lines say so. */
#define LINES 10
#define PERIOD (10 * G_TIME_SPAN_SECOND)

static TallLogLimit limit;

/**
 * tall_slow_log_add:
 * @now: when the call has ended, as its `begin`
 * @operation: what it did, such as `Storing order 10248 of VINET`; nothing of what was stored
 *
 * Logs a call that took long: some of them in a period, the others as their number.
 */
void
tall_slow_log_add (const TallCallRecord *record, gint64 now, const char *operation)
{
  guint n_left_out = 0;
  if (!tall_log_limit_take (&limit, LINES, PERIOD, &n_left_out))
    return;
  g_autofree char *result =
      g_strdelimit (g_strdup (record->code == 0 ? "ok" : tall_error_code_name (record->code)), " ",
                    '_');
  g_message ("slow: call=%s ms=%" G_GINT64_FORMAT " result=%s left_out=%u: %s", record->call->name,
             (now - record->begin) / G_TIME_SPAN_MILLISECOND, result, n_left_out, operation);
}

/**
 * tall_slow_log_forget:
 *
 * Begins anew, so that each test meets its own first line. No call may be running.
 */
void
tall_slow_log_forget (void)
{
  limit = (TallLogLimit){ 0 };
}
