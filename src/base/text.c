/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <string.h>

static guint64
load_word (const guint8 *bytes)
{
  guint64 word;
  memcpy (&word, bytes, sizeof word);
  return word;
}

/* The last eight bytes of a longer text are looked at together, some of them twice. */
static gboolean
is_ascii (TallSlice bytes)
{
  const gsize size = sizeof (guint64);
  guint64 seen = bytes.len >= size ? load_word (bytes.data + bytes.len - size) : 0;
  gsize i = 0;
  for (; i + size < bytes.len; i += size)
    seen |= load_word (bytes.data + i);
  for (; bytes.len < size && i < bytes.len; i++)
    seen |= bytes.data[i];
  return (seen & G_GUINT64_CONSTANT (0x8080808080808080)) == 0;
}

/**
 * tall_text_is_utf8:
 * @bytes: without NULs
 *
 * As g_utf8_validate_len(), and faster for ASCII.
 */
gboolean
tall_text_is_utf8 (TallSlice bytes)
{
  return is_ascii (bytes) || g_utf8_validate_len ((const char *)bytes.data, bytes.len, NULL);
}

/**
 * tall_text_from_bytes:
 *
 * Returns: (transfer full): the bytes as they are, with `\x00` for each NUL, so that the text does
 *   not end there. For people only: the bytes cannot be recovered from it
 */
char *
tall_text_from_bytes (TallSlice bytes)
{
  GString *text = g_string_sized_new (bytes.len + 1);
  while (bytes.len > 0)
    {
      const guint8 *nul = memchr (bytes.data, '\0', bytes.len);
      gsize n = nul == NULL ? bytes.len : (gsize)(nul - bytes.data);
      g_string_append_len (text, (const char *)bytes.data, (gssize)n);
      if (nul == NULL)
        break;
      g_string_append (text, "\\x00");
      bytes = tall_slice (nul + 1, bytes.len - n - 1);
    }
  return g_string_free (text, FALSE);
}

/* Format controls, such as those that change the direction of writing, and separators of lines and
 * paragraphs. The two joiners are allowed: some languages and emoji need them. */
static gboolean
steers_text (gunichar c)
{
  if (c == 0x200c || c == 0x200d)
    return FALSE;
  GUnicodeType type = g_unichar_type (c);
  return type == G_UNICODE_FORMAT || type == G_UNICODE_LINE_SEPARATOR
         || type == G_UNICODE_PARAGRAPH_SEPARATOR;
}

/**
 * tall_text_clean:
 *
 * Returns: (transfer full): the text with its control characters, which could steer a terminal, as
 *   `\xNN`, its format controls as `\uNNNN`, and with what is not UTF-8 replaced
 */
char *
tall_text_clean (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_autoptr (GString) clean = g_string_sized_new (strlen (valid));
  for (const char *at = valid; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);
      if (g_unichar_iscntrl (c))
        g_string_append_printf (clean, "\\x%02x", c);
      else if (steers_text (c))
        g_string_append_printf (clean, "\\u%04x", c);
      else
        g_string_append_unichar (clean, c);
    }
  return g_string_free (g_steal_pointer (&clean), FALSE);
}

/**
 * tall_text_cut:
 * @max: bytes, at least four
 *
 * Returns: (transfer full): a text that a stranger has chosen, without what is not UTF-8; of a
 * longer one the beginning and `…`
 */
char *
tall_text_cut (const char *text, gsize max)
{
  gsize len = strnlen (text, max + 1);
  if (len <= max)
    return g_utf8_make_valid (text, (gssize)len);
  const char *end = g_utf8_find_prev_char (text, text + max + 1);
  g_autofree char *begin =
      g_utf8_make_valid (text, end != NULL ? (gssize)(end - text) : (gssize)max);
  return g_strconcat (begin, "…", NULL);
}

static void
append_json_escape (GString *json, gunichar c)
{
  if (c < 0x10000)
    g_string_append_printf (json, "\\u%04x", c);
  else
    g_string_append_printf (json, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
                            0xdc00 + ((c - 0x10000) & 0x3ff));
}

/**
 * tall_text_escape_json:
 * @json: valid JSON
 *
 * Returns: (transfer full): the same JSON, with what could steer a terminal escaped as `\uNNNN`;
 *   white space between values stays
 */
char *
tall_text_escape_json (const char *json)
{
  g_autoptr (GString) escaped = g_string_sized_new (strlen (json));
  for (const char *at = json; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);
      if (steers_text (c) || (g_unichar_iscntrl (c) && !g_ascii_isspace ((char)MIN (c, 0x7f))))
        append_json_escape (escaped, c);
      else
        g_string_append_unichar (escaped, c);
    }
  return g_string_free (g_steal_pointer (&escaped), FALSE);
}

/* Whether the last backslash escapes nothing. */
static gboolean
is_cut (const char *raw)
{
  gsize n = 0;
  for (const char *end = raw + strlen (raw); end > raw && end[-1] == '\\'; end--)
    n++;
  return n % 2 == 1;
}

/* What is wrong with a key; NULL: nothing. @seen: those before it */
static const char *
find_mistake (GKeyFile *file, const char *group, const char *key, GHashTable *seen)
{
  g_autofree char *raw = g_key_file_get_value (file, group, key, NULL);
  if (!g_hash_table_add (seen, (gpointer)key))
    return "stands here twice; leave one of them out";
  return raw != NULL && is_cut (raw) ? "its value ends within an escape: write \\\\ for a backslash"
                                     : NULL;
}

/* GLib takes the last of several keys, and lists the key as often as it is there. */
static gboolean
check_group (GKeyFile *file, const char *group, GError **error)
{
  g_auto (GStrv) keys = g_key_file_get_keys (file, group, NULL, NULL);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      const char *mistake = find_mistake (file, group, keys[i], seen);
      if (mistake == NULL)
        continue;
      g_set_error (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_INVALID_VALUE, "[%s] %s: %s", group,
                   keys[i], mistake);
      return FALSE;
    }
  return TRUE;
}

/**
 * tall_key_file_load:
 *
 * As g_key_file_load_from_data(), and refuses a key that stands twice in its group, of which GLib
 * forgets the first, and a value that ends with a single backslash. If such a value has a wrong
 * escape, too, GLib 2.74 sets its error twice, which it warns of, and goes on with a part of the
 * value. Keys of other languages, such as `name[de]`, stay: they are for the caller to refuse.
 *
 * Returns: FALSE with an error of #GKeyFile: %G_KEY_FILE_ERROR_INVALID_VALUE is one of the two,
 *   and its message names group and key, and no value
 */
gboolean
tall_key_file_load (GKeyFile *file, const char *text, gsize len, GError **error)
{
  if (!g_key_file_load_from_data (file, text, len, G_KEY_FILE_KEEP_TRANSLATIONS, error))
    return FALSE;
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i] != NULL; i++)
    if (!check_group (file, groups[i], error))
      return FALSE;
  return TRUE;
}

#define MAX_LENGTH 32

/* How many letters have to be changed, added, taken away, or swapped with the next one (the optimal
 * string alignment distance). */
static guint
count_mistakes (const char *a, const char *b)
{
  guint distance[MAX_LENGTH + 1][MAX_LENGTH + 1];
  gsize n = strlen (a), m = strlen (b);

  for (guint i = 0; i <= n; i++)
    for (guint j = 0; j <= m; j++)
      {
        guint *here = &distance[i][j];
        *here = MAX (i, j);
        if (i == 0 || j == 0)
          continue;
        guint changed = distance[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
        *here = MIN (changed, 1 + MIN (distance[i - 1][j], distance[i][j - 1]));
        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
          *here = MIN (*here, distance[i - 2][j - 2] + 1);
      }
  return distance[n][m];
}

/**
 * tall_text_find_near:
 * @word: what somebody typed
 * @choices: (array length=n):
 *
 * Returns: (nullable) (transfer none): the choice that was probably meant: the nearest one, if no
 *   more than a third of its letters is wrong, or it begins with @word
 */
const char *
tall_text_find_near (const char *word, const char *const *choices, guint n)
{
  const char *best = NULL;
  guint fewest = G_MAXUINT;

  if (*word == '\0' || strlen (word) > MAX_LENGTH)
    return NULL;
  for (guint i = 0; i < n; i++)
    {
      gsize len = strlen (choices[i]);
      if (len > MAX_LENGTH)
        continue;
      gboolean is_start = strlen (word) >= 3 && g_str_has_prefix (choices[i], word);
      guint mistakes = is_start ? 0 : count_mistakes (word, choices[i]);
      if (mistakes > MAX (len / 3, 1) || mistakes >= fewest || mistakes >= len)
        continue;
      best = choices[i];
      fewest = mistakes;
    }
  return best;
}

struct _TallGrid
{
  guint n_columns;
  GPtrArray *texts;   /* of char *, row by row, the header first */
  gboolean *to_right; /* for each column */
};

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
  tall_grid_add_format (self, "%" G_GUINT64_FORMAT, number);
}

/* Adds a text that is fit for a terminal. */
void
tall_grid_add_format (TallGrid *self, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_ptr_array_add (self->texts, g_strdup_vprintf (format, args));
  va_end (args);
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
append_row (const TallGrid *self, guint row, const guint *widths, GString *line)
{
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

/**
 * tall_grid_make_lines:
 *
 * Returns: (transfer full): a line for each row, the header first
 */
GStrv
tall_grid_make_lines (const TallGrid *self, guint indent)
{
  g_autofree guint *widths = measure_columns (self);
  guint n_rows = self->texts->len / self->n_columns;
  GStrv lines = g_new0 (char *, n_rows + 1);
  for (guint row = 0; row < n_rows; row++)
    {
      g_autoptr (GString) line = g_string_new (NULL);
      append_row (self, row, widths, line);
      lines[row] = g_strdup_printf ("%*s%s", (int)indent, "", line->str);
    }
  return lines;
}
