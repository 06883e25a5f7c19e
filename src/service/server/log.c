/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/server/log.h"

#include <string.h>

/* Eight digits of the process, a hyphen, and the number of the request in it. */
#define ID_SIZE 32

#define FAILURE_PERIOD (5 * G_TIME_SPAN_SECOND)

/* When the store stands still, every call is slow: a few lines say so. */
#define SLOW_LINES 10
#define SLOW_PERIOD (10 * G_TIME_SPAN_SECOND)

/**
 * tall_log_limit_take:
 * @max_lines: that may be written in a period
 * @length: of a period, in microseconds
 * @n_left_out: (out): if this line is to be written, how many were left out since the one before,
 *   to be written with it
 *
 * Returns: whether to write this line
 */
gboolean
tall_log_limit_take (TallLogLimit *self, guint max_lines, gint64 length, guint *n_left_out)
{
  gint64 now = g_get_monotonic_time ();
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  *n_left_out = 0;
  if (self->n_lines == 0 || now - self->begin >= length)
    {
      self->begin = now;
      self->n_lines = 0;
    }
  if (self->n_lines >= max_lines)
    {
      self->n_left_out++;
      return FALSE;
    }
  self->n_lines++;
  *n_left_out = self->n_left_out;
  self->n_left_out = 0;
  return TRUE;
}

static _Thread_local gsize number; /* 0: the thread works on none */
static _Thread_local char id[ID_SIZE];
static gsize n_begun; /* atomic */
static gsize process; /* random, so that two starts of a server differ */

/**
 * tall_request_id_begin:
 *
 * Gives a request its id: the calling thread works on it until tall_request_id_end().
 */
void
tall_request_id_begin (void)
{
  number = (gsize)g_atomic_pointer_add (&n_begun, 1) + 1;
}

void
tall_request_id_end (void)
{
  number = 0;
}

/**
 * tall_request_id_get:
 *
 * Returns: (transfer none) (nullable): the id of the request that this thread works on, until it
 *   works on another; NULL: none
 */
const char *
tall_request_id_get (void)
{
  if (number == 0)
    return NULL;
  if (g_once_init_enter (&process))
    g_once_init_leave (&process, (gsize)g_random_int () | ((gsize)1 << 32));
  g_snprintf (id, sizeof id, "%08x-%" G_GSIZE_FORMAT, (guint32)process, number);
  return id;
}

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
static TallLogLimit failure_limits[G_N_ELEMENTS (levels)];

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
  if (level == 0 || !tall_log_limit_take (&failure_limits[code], 1, FAILURE_PERIOD, &n_left_out))
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
  memset (failure_limits, 0, sizeof failure_limits);
}

static TallLogLimit slow_limit;

/* The line that is being made: its text, and the same as fields for whoever counts them. */
typedef struct
{
  GString *text;
  GVariantBuilder fields;
} Line;

/* @value: (transfer floating): */
static void
add_field (Line *self, const char *key, GVariant *value)
{
  g_variant_builder_add (&self->fields, "{sv}", key, value);
}

static void
add (Line *self, const char *name, const char *value)
{
  g_autofree char *upper = g_ascii_strup (name, -1);
  g_autofree char *key = g_strconcat ("TALLORDER_", upper, NULL);
  add_field (self, key, g_variant_new_string (value));
  g_string_append_printf (self->text, " %s=%s", name, value);
}

static void
add_number (Line *self, const char *name, gint64 value)
{
  char text[24];
  g_snprintf (text, sizeof text, "%" G_GINT64_FORMAT, value);
  add (self, name, text);
}

/* The call itself, and what it has asked of the store. */
static void
add_call (Line *self, const TallCallRecord *record, gint64 now, const TallTrace *trace)
{
  g_autofree char *result =
      g_strdelimit (g_strdup (record->code == 0 ? "ok" : tall_error_code_name (record->code)), " ",
                    '_');
  add (self, "call", record->call->name);
  add_number (self, "ms", (now - record->begin) / G_TIME_SPAN_MILLISECOND);
  add (self, "result", result);
  add_number (self, "calls", trace->n_calls);
  if (trace->place[0] == '\0')
    return;
  g_autofree char *place = g_utf8_make_valid (trace->place, -1);
  add (self, "gateway", place);
  add_number (self, "gateway_ms", trace->longest / G_TIME_SPAN_MILLISECOND);
}

/**
 * tall_slow_log_add:
 * @now: when the call has ended, as its `begin`
 * @trace: what it has asked of the store
 * @operation: what it did, such as `Storing order 10248 of VINET`; nothing of what was stored
 *
 * Logs a call that took long: some of them in a period, the others as their number. Each value is a
 * field of the line, too, such as `TALLORDER_MS`.
 */
void
tall_slow_log_add (const TallCallRecord *record,
                   gint64 now,
                   const TallTrace *trace,
                   const char *operation)
{
  guint n_left_out = 0;
  if (!tall_log_limit_take (&slow_limit, SLOW_LINES, SLOW_PERIOD, &n_left_out))
    return;
  g_autofree char *valid = g_utf8_make_valid (operation, -1);
  g_autoptr (GString) text = g_string_new ("slow:");
  Line line = { .text = text };
  g_variant_builder_init (&line.fields, G_VARIANT_TYPE_VARDICT);
  add_call (&line, record, now, trace);
  add_number (&line, "left_out", n_left_out);
  g_string_append_printf (text, ": %s", valid);
  add_field (&line, "TALLORDER_OPERATION", g_variant_new_string (valid));
  add_field (&line, "MESSAGE", g_variant_new_string (text->str));
  g_autoptr (GVariant) fields = g_variant_ref_sink (g_variant_builder_end (&line.fields));
  g_log_variant (G_LOG_DOMAIN, G_LOG_LEVEL_MESSAGE, fields);
}

/**
 * tall_slow_log_forget:
 *
 * Begins anew, so that each test meets its own first line. No call may be running.
 */
void
tall_slow_log_forget (void)
{
  slow_limit = (TallLogLimit){ 0 };
}
