/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/output.h"

#include "base/text.h"
#include "cli/command.h"
#include "tall-error.h"
#include "tall-json.h"

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

/* What a number in JSON consists of. */
#define NUMBER "+-.0123456789eE"

#define SMALL 0.1 /* below, three decimals leave less than three digits */

/* Three decimals at most; of a small number three digits, however many zeros are before them. */
static void
append_number (GString *out, const char *number, gsize len)
{
  g_autofree char *text = g_strndup (number, len);
  if (strpbrk (text, ".eE") == NULL)
    {
      g_string_append (out, text);
      return;
    }
  char rounded[G_ASCII_DTOSTR_BUF_SIZE * 10];
  double value = g_ascii_strtod (text, NULL);
  if (value > -SMALL && value < SMALL)
    {
      g_string_append (out, g_ascii_formatd (rounded, sizeof rounded, "%.3g", value));
      return;
    }
  g_ascii_formatd (rounded, sizeof rounded, "%.3f", value);
  gsize end = strlen (rounded);
  while (rounded[end - 1] == '0')
    end--;
  g_string_append_len (out, rounded, (gssize)(rounded[end - 1] == '.' ? end - 1 : end));
}

/**
 * tall_json_round:
 * @json: valid JSON
 *
 * JSON-GLib writes 17 digits of every number that is not whole.
 *
 * Returns: (transfer full): the same with three decimals at most, and numbers below 0.1 with three
 *   digits
 */
char *
tall_json_round (const char *json)
{
  GString *out = g_string_new (NULL);
  gboolean in_string = FALSE;
  while (*json != '\0')
    {
      gsize len = in_string ? 0 : strspn (json, NUMBER);
      if (len > 0 && *json != 'e' && *json != 'E')
        append_number (out, json, len);
      else
        {
          len = in_string && *json == '\\' ? 2 : 1;
          in_string ^= *json == '"';
          g_string_append_len (out, json, (gssize)len);
        }
      json += len;
    }
  return g_string_free (out, FALSE);
}

/**
 * tall_json_print_text:
 * @json: valid JSON
 *
 * Prints it with measured numbers (those that are not whole) rounded, as tall_json_round() does.
 */
void
tall_json_print_text (const char *json)
{
  g_autofree char *rounded = tall_json_round (json);
  tall_print_json ("%s\n", rounded);
}

/**
 * tall_json_print:
 *
 * Prints what was built, as tall_json_print_text() does.
 */
void
tall_json_print (JsonBuilder *builder)
{
  g_autofree char *text = tall_json_build (builder, TRUE);
  tall_json_print_text (text);
}

/**
 * tall_json_print_line:
 *
 * Prints what was built in one line, so that a reader need not wait for the end.
 */
void
tall_json_print_line (JsonBuilder *builder)
{
  g_autofree char *text = tall_json_build (builder, FALSE);
  tall_print_json ("%s\n", text);
}

/**
 * tall_json_line_new:
 *
 * Returns: (transfer full): the beginning of a line, an object whose only member is the object
 * @what
 */
JsonBuilder *
tall_json_line_new (const char *what)
{
  JsonBuilder *builder = json_builder_new ();
  json_builder_begin_object (builder);
  tall_json_begin_object (builder, what);
  return builder;
}

/* Prints it. @builder: (transfer full): */
void
tall_json_line_end (JsonBuilder *builder)
{
  json_builder_end_object (builder);
  json_builder_end_object (builder);
  tall_json_print_line (builder);
  g_object_unref (builder);
}

/**
 * tall_json_add_revision:
 * @json: an object that is not empty, as tall_order_to_json() writes it
 *
 * Returns: (transfer full): the object with a first member `revision`, on whose condition `put`
 *   stores it
 */
char *
tall_json_add_revision (const char *json, gint64 revision)
{
  gboolean pretty = json[1] == '\n';
  return g_strdup_printf ("{%s%s%" G_GINT64_FORMAT ",%s", pretty ? "\n  " : "",
                          pretty ? "\"revision\" : " : "\"revision\":", revision, json + 1);
}

/**
 * tall_json_add_load:
 *
 * Adds the members of a load that has begun and not ended.
 */
void
tall_json_add_load (JsonBuilder *builder, const TallUnfinishedLoad *load)
{
  g_autofree char *name = load->name != NULL ? tall_text_clean (load->name) : NULL;
  char begun[TALL_DATE_TEXT_SIZE];
  tall_json_add_text (builder, "name", name);
  tall_json_add_text (builder, "begun", tall_date_format (load->begun, begun));
  tall_json_add_number (builder, "stored", (guint64)load->stored);
}
