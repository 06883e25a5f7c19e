/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/output.h"

#include "base/text.h"
#include "cli/command.h"
#include "service/server/log.h"
#include "tall-json.h"

#include <dlfcn.h>
#include <json-glib/json-glib.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void (*Terminate) (void);

/* What the ABI of C++ says of every type. */
typedef struct
{
  const void *functions;
  const char *name;
} TypeInfo;

static Terminate terminate_otherwise;
static const TypeInfo *(*find_exception) (void);

/* Nothing here may need memory. Several threads may come at once: the first one says it, and ends
 * them all. */
static void
end (void)
{
  static gint has_begun;
  static const char text[] =
      "tallorder: Too little memory, or too few threads allowed, so it ended before it was done; "
      "look at ulimit -v, ulimit -u, and the limits of the container or service\n";
  while (!g_atomic_int_compare_and_exchange (&has_begun, 0, 1))
    pause ();
  gssize written G_GNUC_UNUSED = write (STDERR_FILENO, text, sizeof text - 1);
  _exit (TALL_EXIT_FAILED);
}

/* In place of the C library's. GSlice of GLib takes its memory from here. Where it gets none it
 * prints words of its own and aborts, long before main() in some cases; so it never hears of that.
 */
__attribute__ ((visibility ("default"))) int
posix_memalign (void **memory, size_t alignment, size_t len)
{
  void *got = memalign (alignment, len);
  if (got == NULL)
    end ();
  *memory = got;
  return 0;
}

/* RocksDB throws an exception where it gets no memory or no thread, and nobody catches it. */
static void
on_terminate (void)
{
  const TypeInfo *type = find_exception ();
  static const char *const shortages[] = { "St9bad_alloc", "St20bad_array_new_length",
                                           "St12system_error" };
  for (guint i = 0; type != NULL && i < G_N_ELEMENTS (shortages); i++)
    if (strcmp (type->name, shortages[i]) == 0)
      end ();
  terminate_otherwise ();
}

/**
 * tall_shortage_prepare:
 *
 * From here on the process ends with a plain message and %TALL_EXIT_FAILED if RocksDB gets no
 * memory or no thread. Its C functions report neither: they end the process. What was committed is
 * stored, as after a kill.
 */
void
tall_shortage_prepare (void)
{
  /* The names of std::set_terminate() and of its companion in the ABI of C++. */
  Terminate (*set_terminate) (Terminate) = dlsym (RTLD_DEFAULT, "_ZSt13set_terminatePFvvE");
  find_exception = dlsym (RTLD_DEFAULT, "__cxa_current_exception_type");
  if (set_terminate != NULL && find_exception != NULL)
    terminate_otherwise = set_terminate (on_terminate);
}

/* Does the same for a message with which GLib is about to end the process, or one of our own files
 * in the same words. */
static void
shortage_check (GLogLevelFlags level, const char *message)
{
  if ((level & G_LOG_LEVEL_ERROR) != 0 && message != NULL
      && (strstr (message, "failed to allocate") != NULL
          || strstr (message, "creating thread") != NULL))
    end ();
}

/* What the names of a message's own fields begin with. */
#define OWN "TALLORDER_"

/* A message of a service. */
typedef struct
{
  GLogLevelFlags level;
  const char *message;
  const char *request; /* NULL: it is about none */
  const GLogField *fields;
  gsize n_fields;
} Entry;

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
write_text (const Entry *self, const char *date)
{
  g_autofree char *clean = tall_text_clean (self->message);
  const char *level = name_level (self->level);
  if (self->request != NULL)
    fprintf (stderr, "%s tallorder[%s]: %s (request %s)\n", date, level, clean, self->request);
  else
    fprintf (stderr, "%s tallorder[%s]: %s\n", date, level, clean);
}

/* A number as such, so that it can be compared. */
static void
add_value (JsonObject *object, const char *name, const char *value)
{
  gint64 number;
  if (g_ascii_string_to_signed (value, 10, G_MININT64, G_MAXINT64, &number, NULL))
    json_object_set_int_member (object, name, number);
  else
    json_object_set_string_member (object, name, value);
}

/* An object on a line: `time`, `level`, `message`, `request` while one runs, and the message's own
 * fields, such as `gateway` for TALLORDER_GATEWAY. */
static void
write_json (const Entry *self, const char *date)
{
  g_autofree char *valid = g_utf8_make_valid (self->message, -1);
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);
  JsonObject *object = json_object_new ();
  json_node_take_object (node, object);
  json_object_set_string_member (object, "time", date);
  json_object_set_string_member (object, "level", name_level (self->level));
  json_object_set_string_member (object, "message", valid);
  if (self->request != NULL)
    json_object_set_string_member (object, "request", self->request);
  for (gsize i = 0; i < self->n_fields; i++)
    if (g_str_has_prefix (self->fields[i].key, OWN))
      {
        g_autofree char *name = g_ascii_strdown (self->fields[i].key + strlen (OWN), -1);
        add_value (object, name, self->fields[i].value);
      }
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
write_journal (const Entry *self)
{
  const char *priority = get_field (self->fields, self->n_fields, "PRIORITY");
  const GLogField first[] = { { "MESSAGE", self->message, -1 },
                              { "PRIORITY", priority != NULL ? priority : "6", -1 },
                              { "SYSLOG_IDENTIFIER", "tallorder", -1 },
                              { OWN "REQUEST", self->request, -1 } };
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (GLogField));
  g_array_append_vals (all, first, G_N_ELEMENTS (first) - (self->request == NULL ? 1 : 0));
  for (gsize i = 0; i < self->n_fields; i++)
    if (g_str_has_prefix (self->fields[i].key, OWN))
      g_array_append_val (all, self->fields[i]);
  return g_log_writer_journald (self->level, (const GLogField *)all->data, all->len, NULL)
         == G_LOG_WRITER_HANDLED;
}

/* One line on standard error, or what the journal takes if that is it. Debugging messages are there
 * for those domains that G_MESSAGES_DEBUG names, too. */
static GLogWriterOutput
write_line (GLogLevelFlags level, const GLogField *fields, gsize n_fields)
{
  const char *message = get_field (fields, n_fields, "MESSAGE");
  const Entry entry = { level, message != NULL ? message : "", tall_request_id_get (), fields,
                        n_fields };
  if (!is_shown (level, get_field (fields, n_fields, "GLIB_DOMAIN")))
    return G_LOG_WRITER_HANDLED;
  if (!uses_json && g_log_writer_is_journald (fileno (stderr)) && write_journal (&entry))
    return G_LOG_WRITER_HANDLED;

  char date[TALL_DATE_TEXT_SIZE];
  tall_date_format (g_get_real_time () / 1000, date);
  (uses_json ? write_json : write_text) (&entry, date);
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
  shortage_check (level, get_field (fields, n_fields, "MESSAGE"));
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
