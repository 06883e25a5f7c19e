/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/output.h"
#include "cli/command.h"
#include "tall-error.h"
#include "base/text.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct _TallGrid
{
  guint n_columns;
  GPtrArray *texts;   /* of char *, row by row, the header first */
  gboolean *to_right; /* for each column */
};

static int output_error; /* errno of the first write to standard output that failed; 0: none */

static void
write_text (const char *text)
{
  if (fputs (text, stdout) < 0 && output_error == 0)
    output_error = errno != 0 ? errno : EIO;
}

static gboolean
has_colour (FILE *file)
{
  const char *no_colour = g_getenv ("NO_COLOR");
  return (no_colour == NULL || *no_colour == '\0') && isatty (fileno (file));
}

static const char *
begin_style (TallStyle style)
{
  static const char *const codes[] = { "", "\033[1m", "\033[2m", "\033[32m", "\033[31m" };
  return codes[style];
}

/**
 * tall_print:
 *
 * Prints to standard output; the program checks at its end that all of it was written.
 */
void
tall_print (const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  write_text (text);
}

/**
 * tall_print_json:
 *
 * Prints JSON as it is; on a terminal with what could steer it escaped, which means the same.
 */
void
tall_print_json (const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *json = g_strdup_vprintf (format, args);
  va_end (args);
  g_autofree char *escaped = isatty (fileno (stdout)) ? tall_text_escape_json (json) : NULL;
  write_text (escaped != NULL ? escaped : json);
}

/**
 * tall_output_flush:
 *
 * Writes what is still buffered. What cannot be written is said at the end, with the reason of now.
 */
void
tall_output_flush (void)
{
  if (fflush (stdout) != 0 && output_error == 0)
    output_error = errno;
}

/**
 * tall_output_works:
 *
 * Returns: FALSE once a write to standard output has failed, so that more makes no sense
 */
gboolean
tall_output_works (void)
{
  return output_error == 0 && !ferror (stdout);
}

void
tall_print_styled (TallStyle style, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  if (style == TALL_STYLE_PLAIN || !has_colour (stdout))
    write_text (text);
  else
    {
      g_autofree char *styled = g_strconcat (begin_style (style), text, "\033[0m", NULL);
      write_text (styled);
    }
}

/**
 * tall_print_error:
 *
 * Prints a message with the program's name to standard error.
 */
void
tall_print_error (const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  g_autofree char *text = tall_text_clean (message);
  gboolean colour = has_colour (stderr);
  tall_output_flush ();
  fprintf (stderr, "%stallorder:%s %s\n", colour ? begin_style (TALL_STYLE_BAD) : "",
           colour ? "\033[0m" : "", text);
}

/**
 * tall_print_failure:
 *
 * Prints an error as tall_print_error() does, with its detail: whoever runs the program on a store
 * owns it, and a server keeps the detail to itself.
 */
void
tall_print_failure (const GError *error)
{
  g_autofree char *text = tall_error_describe (error);
  tall_print_error ("%s", text);
}

/**
 * tall_output_finish:
 * @code: the exit code if all is well
 *
 * Writes what is still buffered, and says so if anything could not be written. Nobody misses a
 * message about a reader that stopped.
 *
 * Returns: the exit code: @code unless it is 0 and output is missing
 */
int
tall_output_finish (int code)
{
  tall_output_flush ();
  if (output_error == 0 && ferror (stdout))
    output_error = EIO;
  if (output_error == 0)
    return code;
  if (output_error == EPIPE)
    return code == TALL_EXIT_DONE ? 128 + SIGPIPE : code;
  tall_print_error ("Writing the output failed: %s", g_strerror (output_error));
  return code == TALL_EXIT_DONE ? TALL_EXIT_FAILED : code;
}

TallGrid *
tall_grid_new (const char *const *columns)
{
  TallGrid *self = g_new0 (TallGrid, 1);
  self->n_columns = g_strv_length ((char **)columns);
  self->texts = g_ptr_array_new_with_free_func (g_free);
  self->to_right = g_new0 (gboolean, self->n_columns);
  for (guint i = 0; i < self->n_columns; i++)
    {
      self->to_right[i] = columns[i][0] == '>';
      g_ptr_array_add (self->texts, g_strdup (columns[i] + (self->to_right[i] ? 1 : 0)));
    }
  return self;
}

void
tall_grid_free (TallGrid *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->texts);
  g_free (self->to_right);
  g_free (self);
}

/* Adds the next text of the row; after the last column the next row begins. */
void
tall_grid_add (TallGrid *self, const char *text)
{
  g_ptr_array_add (self->texts, tall_text_clean (text != NULL ? text : ""));
}

void
tall_grid_add_number (TallGrid *self, guint64 number)
{
  g_ptr_array_add (self->texts, g_strdup_printf ("%" G_GUINT64_FORMAT, number));
}

/* How many columns of the terminal a text takes. */
static guint
measure_text (const char *text)
{
  guint width = 0;
  for (const char *at = text; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);
      if (!g_unichar_iszerowidth (c))
        width += g_unichar_iswide (c) ? 2 : 1;
    }
  return width;
}

static guint *
measure_columns (const TallGrid *self)
{
  guint *widths = g_new0 (guint, self->n_columns);
  for (guint i = 0; i < self->texts->len; i++)
    {
      guint width = measure_text (g_ptr_array_index (self->texts, i));
      widths[i % self->n_columns] = MAX (widths[i % self->n_columns], width);
    }
  return widths;
}

static void
append_row (const TallGrid *self, guint row, const guint *widths, guint indent, GString *line)
{
  g_string_append_printf (line, "%*s", (int)indent, "");
  for (guint i = 0; i < self->n_columns; i++)
    {
      const char *text = g_ptr_array_index (self->texts, row * self->n_columns + i);
      guint pad = widths[i] - measure_text (text);
      gboolean last = i + 1 == self->n_columns;
      if (self->to_right[i])
        g_string_append_printf (line, "%*s%s", (int)pad, "", text);
      else
        g_string_append_printf (line, "%s%*s", text, last ? 0 : (int)pad, "");
      if (!last)
        g_string_append (line, "  ");
    }
  while (line->len > 0 && line->str[line->len - 1] == ' ')
    g_string_truncate (line, line->len - 1);
}

void
tall_grid_print (TallGrid *self, guint indent)
{
  g_autofree guint *widths = measure_columns (self);
  guint n_rows = self->texts->len / self->n_columns;
  for (guint row = 0; row < n_rows; row++)
    {
      g_autoptr (GString) line = g_string_new (NULL);
      append_row (self, row, widths, indent, line);
      tall_print_styled (row == 0 ? TALL_STYLE_BOLD : TALL_STYLE_PLAIN, "%s", line->str);
      tall_print ("\n");
    }
}
