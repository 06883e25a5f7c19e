/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/server/slow-log.h"

#include "service/server/log-limit.h"

/* When the store stands still, every call is slow: a few lines say so. */
#define LINES 10
#define PERIOD (10 * G_TIME_SPAN_SECOND)

static TallLogLimit limit;

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
  if (!tall_log_limit_take (&limit, LINES, PERIOD, &n_left_out))
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
  limit = (TallLogLimit){ 0 };
}
