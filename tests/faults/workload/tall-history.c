/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-history.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <time.h>
#include <unistd.h>

struct _TallHistory
{
  int file;
  char *process;
  guint n_calls; /* atomic */
};

/**
 * tall_history_open:
 * @process: the name of this process in the history
 *
 * Makes the file, or goes on at its end.
 */
TallHistory *
tall_history_open (const char *path, const char *process, GError **error)
{
  int file = open (path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0)
    {
      g_set_error (error, G_IO_ERROR, (gint)g_io_error_from_errno (errno), "History %s: %s", path,
                   g_strerror (errno));
      return NULL;
    }
  TallHistory *self = g_new0 (TallHistory, 1);
  self->file = file;
  self->process = g_strdup (process);
  return self;
}

void
tall_history_close (TallHistory *self)
{
  close (self->file);
  g_free (self->process);
  g_free (self);
}

const char *
tall_history_get_process (const TallHistory *self)
{
  return self->process;
}

gint64
tall_history_now (void)
{
  struct timespec now;
  if (clock_gettime (CLOCK_MONOTONIC, &now) != 0)
    g_error ("the system has no monotonic clock");
  return now.tv_sec * G_GINT64_CONSTANT (1000000000) + now.tv_nsec;
}

/* A history with a hole proves nothing: better none. */
static void
write_line (TallHistory *self, GString *line)
{
  g_string_append (line, "}\n");
  if (write (self->file, line->str, line->len) != (gssize)line->len)
    g_error ("the history cannot be written: %s", g_strerror (errno));
}

/**
 * tall_history_invoke:
 * @format: the rest of the line, JSON members without the comma before the first
 *
 * Records that a call begins.
 *
 * Returns: the call's number, for tall_history_return()
 */
guint
tall_history_invoke (TallHistory *self, guint thread, const char *format, ...)
{
  guint call = (guint)g_atomic_int_add (&self->n_calls, 1);
  g_autoptr (GString) line = g_string_new (NULL);

  g_string_append_printf (line,
                          "{\"call\":%u,\"process\":\"%s\",\"thread\":%u,\"at\":%" G_GINT64_FORMAT
                          ",",
                          call, self->process, thread, tall_history_now ());
  va_list args;
  va_start (args, format);
  g_string_append_vprintf (line, format, args);
  va_end (args);
  write_line (self, line);
  return call;
}

/**
 * tall_history_return:
 * @time: when it had returned
 * @fields: the rest of the line
 *
 * Records what a call has told.
 */
void
tall_history_return (TallHistory *self, guint call, gint64 time, const char *fields)
{
  g_autoptr (GString) line = g_string_new (NULL);
  g_string_append_printf (line, "{\"return\":%u,\"process\":\"%s\",\"at\":%" G_GINT64_FORMAT ",%s",
                          call, self->process, time, fields);
  write_line (self, line);
}

/**
 * tall_history_append_text:
 *
 * Appends a member with a text to a line, after a comma.
 */
void
tall_history_append_text (GString *line, const char *name, const char *text)
{
  g_string_append_printf (line, ",\"%s\":\"", name);
  for (const char *p = text; *p != '\0'; p++)
    {
      if (*p == '"' || *p == '\\')
        g_string_append_c (line, '\\');
      if ((guchar)*p < 0x20)
        g_string_append_printf (line, "\\u%04x", (guint)(guchar)*p);
      else
        g_string_append_c (line, *p);
    }
  g_string_append_c (line, '"');
}
