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

#define COLUMNS 100

/**
 * tall_print_wrapped:
 * @before: what the first line begins with; a space follows it
 * @between: what stands between the parts of @text that stay whole, and ends with a space
 * @indent: of the other lines
 *
 * Prints lines of not more than 100 columns, if no part is longer.
 */
void
tall_print_wrapped (const char *before, const char *text, const char *between, gint indent)
{
  g_auto (GStrv) parts = g_strsplit (text, between, -1);
  int n_signs = (int)strlen (between) - 1; /* before the space */
  glong column = g_utf8_strlen (before, -1);
  tall_print ("%s", before);
  for (guint i = 0; parts[i] != NULL; i++)
    {
      int n_after = parts[i + 1] != NULL ? n_signs : 0;
      glong len = g_utf8_strlen (parts[i], -1) + n_after;
      gboolean fits = column + 1 + len <= COLUMNS;
      tall_print ("%s%*s%s%.*s", fits ? " " : "\n", fits ? 0 : indent, "", parts[i], n_after,
                  between);
      column = (fits ? column + 1 : indent) + len;
    }
  tall_print ("\n");
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

void
tall_grid_print (TallGrid *self, guint indent)
{
  g_auto (GStrv) lines = tall_grid_make_lines (self, indent);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      tall_print_styled (i == 0 ? TALL_STYLE_BOLD : TALL_STYLE_PLAIN, "%s", lines[i]);
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
 * tall_list_add:
 * @member: of JSON
 * @none: what people see where @text is NULL
 */
void
tall_list_add (const TallList *self, const char *member, const char *text, const char *none)
{
  if (self->builder != NULL)
    tall_json_add_text (self->builder, member, text);
  else
    tall_grid_add (self->grid, text != NULL ? text : none);
}

/**
 * tall_list_add_number:
 * @none: (nullable): what people see where @number is 0
 */
void
tall_list_add_number (const TallList *self, const char *member, guint64 number, const char *none)
{
  if (self->builder != NULL)
    tall_json_add_number (self->builder, member, (gint64)number);
  else if (number == 0 && none != NULL)
    tall_grid_add (self->grid, none);
  else
    tall_grid_add_number (self->grid, number);
}

/**
 * tall_list_print:
 * @builder: (nullable): gets the member @name; NULL: a table with @columns is printed for people
 * @items: @n pointers, each for @add
 * @before: what stands above the table, if it has rows
 */
void
tall_list_print (JsonBuilder *builder,
                 const char *name,
                 const char *const *columns,
                 gconstpointer items,
                 guint n,
                 TallListAdd add,
                 const char *before)
{
  g_autoptr (TallGrid) grid = tall_grid_new (columns);
  const TallList list = { builder, grid };
  const gconstpointer *all = items;
  if (builder != NULL)
    tall_json_begin_array (builder, name);
  for (guint i = 0; i < n; i++)
    {
      if (builder != NULL)
        json_builder_begin_object (builder);
      add (&list, all[i]);
      if (builder != NULL)
        json_builder_end_object (builder);
    }
  if (builder != NULL)
    json_builder_end_array (builder);
  else if (n > 0)
    {
      tall_print ("%s", before);
      tall_grid_print (grid, 0);
    }
}

/**
 * tall_list_add_load:
 * @load: a #TallUnfinishedLoad: what it has stored is counted every few seconds
 */
void
tall_list_add_load (const TallList *self, gconstpointer load)
{
  const TallUnfinishedLoad *unfinished = load;
  g_autofree char *name = unfinished->name != NULL ? tall_text_clean (unfinished->name) : NULL;
  char begun[TALL_DATE_TEXT_SIZE];
  tall_list_add (self, "name", name, "-");
  tall_list_add (self, "begun", tall_date_format (unfinished->begun, begun), "");
  tall_list_add_number (self, "stored", (guint64)unfinished->stored, "-");
}
