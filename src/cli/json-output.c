/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/json-output.h"

#include "tall-json.h"
#include "cli/output.h"
#include "base/text.h"

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
 * tall_json_add_revision:
 * @json: an object that is not empty, as tall_order_to_json() writes it
 *
 * Returns: (transfer full): the object with a first member `revision`, which `put` reads over
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
