/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-log.h"

#include "tall-json.h"
#include "tall-output.h"
#include "tall-request-id.h"
#include "tall-shortage.h"
#include "tall-text.h"

#include <json-glib/json-glib.h>
#include <stdio.h>

static const char *
name_level (GLogLevelFlags level)
{
  if (level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL))
    return "error";
  if (level & G_LOG_LEVEL_WARNING)
    return "warning";
  return level & G_LOG_LEVEL_DEBUG ? "debug" : "info";
}

static const char *
get_field (const GLogField *fields, gsize n_fields, const char *key)
{
  for (gsize i = 0; i < n_fields; i++)
    if (g_str_equal (fields[i].key, key))
      return fields[i].value;
  return NULL;
}

/* `2026-11-21T11:56:07.458Z tallorder[info]: …`. */
static void
write_text (const char *date, const char *level, const char *message, const char *request)
{
  g_autofree char *clean = tall_text_clean (message);
  if (request != NULL)
    fprintf (stderr, "%s tallorder[%s]: %s (request %s)\n", date, level, clean, request);
  else
    fprintf (stderr, "%s tallorder[%s]: %s\n", date, level, clean);
}

/* An object on a line: `time`, `level`, `message`, and `request` while one runs. */
static void
write_json (const char *date, const char *level, const char *message, const char *request)
{
  g_autofree char *valid = g_utf8_make_valid (message, -1);
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);
  JsonObject *object = json_object_new ();
  json_node_take_object (node, object);
  json_object_set_string_member (object, "time", date);
  json_object_set_string_member (object, "level", level);
  json_object_set_string_member (object, "message", valid);
  if (request != NULL)
    json_object_set_string_member (object, "request", request);
  g_autofree char *line = json_to_string (node, FALSE);
  fprintf (stderr, "%s\n", line);
}

/* Set before any thread begins. */
static gboolean uses_json;
static guint least = 1; /* place in levels of what is shown */

/* From the least important one. */
static const char *const levels[] = { "debug", "info", "warning", "error" };

static gboolean
is_shown (GLogLevelFlags level, const char *domain)
{
  guint place = 0;
  while (place < G_N_ELEMENTS (levels) - 1 && !g_str_equal (levels[place], name_level (level)))
    place++;
  return place >= least
         || (level & G_LOG_LEVEL_DEBUG && !g_log_writer_default_would_drop (level, domain));
}

/* To the journal with its fields, so that `journalctl -p warning` and `journalctl
 * TALLORDER_REQUEST=…` find it. FALSE: it does not take it. */
static gboolean
write_journal (GLogLevelFlags level, const GLogField *fields, gsize n_fields, const char *request)
{
  const char *message = get_field (fields, n_fields, "MESSAGE");
  const char *priority = get_field (fields, n_fields, "PRIORITY");
  const GLogField all[] = { { "MESSAGE", message != NULL ? message : "", -1 },
                            { "PRIORITY", priority != NULL ? priority : "6", -1 },
                            { "SYSLOG_IDENTIFIER", "tallorder", -1 },
                            { "TALLORDER_REQUEST", request, -1 } };
  gsize n = G_N_ELEMENTS (all) - (request == NULL ? 1 : 0);
  return g_log_writer_journald (level, all, n, NULL) == G_LOG_WRITER_HANDLED;
}

/* One line on standard error, or what the journal takes if that is it. Debugging messages are there
 * for those domains that G_MESSAGES_DEBUG names, too. */
static GLogWriterOutput
write_line (GLogLevelFlags level, const GLogField *fields, gsize n_fields)
{
  const char *message = get_field (fields, n_fields, "MESSAGE");
  const char *domain = get_field (fields, n_fields, "GLIB_DOMAIN");
  if (!is_shown (level, domain))
    return G_LOG_WRITER_HANDLED;
  if (!uses_json && g_log_writer_is_journald (fileno (stderr))
      && write_journal (level, fields, n_fields, tall_request_id_get ()))
    return G_LOG_WRITER_HANDLED;

  char date[TALL_DATE_TEXT_SIZE];
  tall_date_format (g_get_real_time () / 1000, date);
  (uses_json ? write_json : write_text) (date, name_level (level), message != NULL ? message : "",
                                         tall_request_id_get ());
  return G_LOG_WRITER_HANDLED;
}

/* As a command's own messages. */
static GLogWriterOutput
write_message (GLogLevelFlags level, const GLogField *fields, gsize n_fields)
{
  const char *message = get_field (fields, n_fields, "MESSAGE");
  if (message == NULL || !(level & (G_LOG_LEVEL_WARNING | G_LOG_LEVEL_MESSAGE)))
    return g_log_writer_default (level, fields, n_fields, NULL);
  tall_print_error ("%s", message);
  return G_LOG_WRITER_HANDLED;
}

/* @data: not NULL: as a service */
static GLogWriterOutput
write_any (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  tall_shortage_check (level, get_field (fields, n_fields, "GLIB_DOMAIN"),
                       get_field (fields, n_fields, "MESSAGE"));
  return data != NULL ? write_line (level, fields, n_fields)
                      : write_message (level, fields, n_fields);
}

/**
 * tall_log_start:
 * @service: whether somebody reads a log later, or is there now
 *
 * Says how messages of the store are printed; before anything is opened, once.
 */
void
tall_log_start (gboolean service)
{
  g_log_set_writer_func (write_any, GINT_TO_POINTER (service), NULL);
  /* Warnings are about the store, such as what a crash has cost; no command ends because of them,
   * whatever G_DEBUG says. */
  g_log_set_always_fatal (g_log_set_always_fatal (G_LOG_FATAL_MASK)
                          & ~(GLogLevelFlags)G_LOG_LEVEL_WARNING);
}

/**
 * tall_log_use_json:
 *
 * From now on each line of a service's log is an object of JSON; before threads begin.
 */
void
tall_log_use_json (void)
{
  uses_json = TRUE;
}

/**
 * tall_log_set_level:
 * @name: `debug`, `info`, `warning` or `error`
 *
 * From now on a service's log has what is at least so important; before threads begin.
 *
 * Returns: FALSE if there is no such level
 */
gboolean
tall_log_set_level (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (levels); i++)
    if (g_str_equal (levels[i], name))
      {
        least = i;
        return TRUE;
      }
  return FALSE;
}
