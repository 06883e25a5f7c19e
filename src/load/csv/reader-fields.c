/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/csv/reader-private.h"

#include "base/text.h"
#include <string.h>

typedef struct
{
  char *text;  /* NULL: the part is a column */
  gint column; /* from 0; -1: the part is a text */
} Part;

struct _TallCsvComposite
{
  GArray *parts; /* of Part */
};

static void
part_clear (gpointer data)
{
  g_free (((Part *)data)->text);
}

/* The position of a column, from 0; -1: there is none of that name. */
gint
tall_csv_find_column (const char *const *columns, const char *name)
{
  for (gint i = 0; columns[i] != NULL; i++)
    if (g_str_equal (columns[i], name))
      return i;
  return -1;
}

/* The end of the part that begins at @at: a plus outside quotes, or the NUL. */
static const char *
find_part_end (const char *at)
{
  gboolean quoted = FALSE;
  for (; *at != '\0' && (quoted || *at != '+'); at++)
    if (*at == '"')
      quoted = !quoted;
  return at;
}

static gboolean
add_part (TallCsvComposite *self, const char *token, const char *const *columns)
{
  gsize len = strlen (token);
  Part part = { NULL, -1 };
  if (len >= 2 && token[0] == '"' && strchr (token + 1, '"') == token + len - 1)
    part.text = g_strndup (token + 1, len - 2);
  else
    part.column = tall_csv_find_column (columns, token);
  g_array_append_val (self->parts, part);
  return part.text != NULL || part.column >= 0;
}

/* @expression: columns, and texts in quotes, with `+` between them. @columns: the names in the
 * file's header, NULL-terminated. @missing: (out) (transfer full) (optional): the part that is
 * neither a text nor a column. Returns: (transfer full) (nullable): NULL if there is such a part */
TallCsvComposite *
tall_csv_composite_new (const char *expression, const char *const *columns, char **missing)
{
  g_autoptr (TallCsvComposite) self = g_new0 (TallCsvComposite, 1);
  self->parts = g_array_new (FALSE, FALSE, sizeof (Part));
  g_array_set_clear_func (self->parts, part_clear);
  for (const char *at = expression; at != NULL;)
    {
      const char *end = find_part_end (at);
      g_autofree char *token = g_strstrip (g_strndup (at, (gsize)(end - at)));
      if (!add_part (self, token, columns))
        {
          if (missing != NULL)
            *missing = g_steal_pointer (&token);
          return NULL;
        }
      at = *end == '+' ? end + 1 : NULL;
    }
  return g_steal_pointer (&self);
}

void
tall_csv_composite_free (TallCsvComposite *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->parts);
  g_free (self);
}

gboolean
tall_csv_composite_uses (const TallCsvComposite *self, gint column)
{
  for (guint i = 0; i < self->parts->len; i++)
    if (g_array_index (self->parts, Part, i).column == column)
      return TRUE;
  return FALSE;
}

/* Whether a column from @i on is not empty, or there is none. */
static gboolean
goes_on (const TallCsvComposite *self, guint i, const char *const *fields)
{
  gboolean has_column = FALSE;
  for (; i < self->parts->len; i++)
    {
      const Part *part = &g_array_index (self->parts, Part, i);
      if (part->column >= 0 && *fields[part->column] != '\0')
        return TRUE;
      has_column |= part->column >= 0;
    }
  return !has_column;
}

/* If all columns are empty, nothing is written. A text is left out after an empty column, and where
 * only empty columns come after it. @fields: of a row, as many as there are columns. @text: gets
 * the value. */
void
tall_csv_composite_write (const TallCsvComposite *self, const char *const *fields, GString *text)
{
  gboolean after_empty = FALSE;
  if (!goes_on (self, 0, fields))
    return;
  for (guint i = 0; i < self->parts->len; i++)
    {
      const Part *part = &g_array_index (self->parts, Part, i);
      if (part->column >= 0)
        {
          g_string_append (text, fields[part->column]);
          after_empty = *fields[part->column] == '\0';
        }
      else if (!after_empty && goes_on (self, i, fields))
        g_string_append (text, part->text);
    }
}

/* Without quotes a line is a record, and nothing but delimiters has a meaning in it. */
static gboolean
is_plain (TallSlice line)
{
  return line.len > 0 && memchr (line.data, '"', line.len) == NULL
         && memchr (line.data, '\0', line.len) == NULL && tall_text_is_utf8 (line);
}

#define EACH(byte) ((byte)*G_GUINT64_CONSTANT (0x0101010101010101))

/* Bytes of @text that are @byte, eight at a time: the highest bit of each is set where it differs
 * ("Bit Twiddling Hacks", S. E. Anderson: "Determine if a word has a zero byte"). */
static guint
count (const char *text, gsize len, char byte)
{
  const guint64 low = EACH (0x7f), wanted = EACH ((guint64)(guint8)byte);
  guint n = 0;
  for (; len >= sizeof wanted; text += sizeof wanted, len -= sizeof wanted)
    {
      guint64 word;
      memcpy (&word, text, sizeof word);
      word ^= wanted;
      guint64 differs = (((word & low) + low) | word) >> 7 & EACH (1);
      n += sizeof word - (guint)((differs * EACH (1)) >> 56);
    }
  for (; len > 0; text++, len--)
    n += *text == byte;
  return n;
}

/* Splits a line that has no quotes, is good UTF-8, and has as many fields as it should: at a tenth
 * of the cost of tall_csv_reader_split(). Those that are not wanted are only counted. @line:
 * without its line end. Returns: whether @line is of that kind; otherwise nothing is changed */
gboolean
tall_csv_reader_split_plain (TallCsvReader *self, TallSlice line)
{
  guint n_fields = tall_csv_reader_count_columns (self);
  guint n_wanted = self->composites != NULL ? n_fields : MIN (n_fields, self->n_wanted);
  char delimiter = self->dialect.delimiter;
  if (n_fields == 0 || self->dialect.backslash || !is_plain (line))
    return FALSE;
  g_byte_array_set_size (self->text, (guint)line.len + 1);
  g_ptr_array_set_size (self->fields, (gint)n_wanted);
  memcpy (self->text->data, line.data, line.len);
  self->text->data[line.len] = '\0';
  char *at = (char *)self->text->data, *end = at + line.len;
  guint i = 0;
  for (; i < n_wanted && at != NULL; i++)
    {
      self->fields->pdata[i] = at;
      at = memchr (at, delimiter, (gsize)(end - at));
      if (at != NULL)
        *at++ = '\0';
    }
  self->is_plain = at == NULL ? i == n_fields
                              : n_wanted + 1 + count (at, (gsize)(end - at), delimiter) == n_fields;
  if (!self->is_plain)
    tall_csv_reader_begin_fields (self);
  return self->is_plain;
}

/* A record begins, and its first field. */
void
tall_csv_reader_begin_fields (TallCsvReader *self)
{
  self->is_plain = self->in_quotes = self->was_quoted = FALSE;
  g_byte_array_set_size (self->text, 0);
  if (self->offsets->len != 1)
    g_array_set_size (self->offsets, 1);
  g_array_index (self->offsets, gsize, 0) = 0;
}

/* A line that is being split. */
typedef struct
{
  TallCsvReader *reader;
  const guint8 *at;
  const guint8 *end;
  guint8 *field; /* where the field begins in the reader's text … */
  guint8 *out;   /* … and its next byte goes */
} Split;

static void
end_field (Split *self)
{
  TallCsvReader *reader = self->reader;
  *self->out++ = '\0';
  self->field = self->out;
  gsize offset = (gsize)(self->out - reader->text->data);
  g_array_append_val (reader->offsets, offset);
  reader->was_quoted = FALSE;
}

static gboolean
is_line_end (guint8 byte)
{
  return byte == '\n' || byte == '\r';
}

/* What follows a backslash: MySQL's letters, or a line end, or itself. A field that is \N stays
 * so. */
static void
take_escaped (Split *self)
{
  static const char letters[] = "ntrb", meant[] = "\n\t\r\b";
  const guint8 *next = self->at + 1;
  if (next == self->end)
    {
      *self->out++ = *self->at++;
      return;
    }
  const char *letter = *next != '\0' ? strchr (letters, *next) : NULL;
  gboolean is_null = *next == 'N' && !self->reader->was_quoted && self->out == self->field;
  if (is_null)
    *self->out++ = '\\';
  *self->out++ = letter != NULL ? (guint8)meant[letter - letters] : *next == '\r' ? '\n' : *next;
  self->at = next + 1;
  if (*next == '\r' && self->at < self->end && *self->at == '\n')
    self->at++;
}

/* One byte, or what stands for one, and letters and digits behind it. Spreadsheets write a text
 * that looks like a number as ="00123", which is not CSV: the equals sign goes. */
static TallCsvSplit
take (Split *self)
{
  TallCsvReader *reader = self->reader;
  const TallCsvDialect *dialect = &reader->dialect;
  gboolean is_strict = dialect->quotes == TALL_CSV_QUOTES_DOUBLE && !dialect->backslash;
  gboolean is_new = self->out == self->field && !reader->was_quoted;
  guint8 byte = *self->at;
  gboolean is_quote = byte == '"' && dialect->quotes != TALL_CSV_QUOTES_NONE;
  if (byte == '\\' && dialect->backslash)
    {
      take_escaped (self);
      return TALL_CSV_GOES_ON;
    }
  if (!reader->in_quotes && is_line_end (byte))
    return TALL_CSV_WHOLE;
  gboolean before_quote = ++self->at < self->end && *self->at == '"';
  if (is_quote && reader->in_quotes && before_quote)
    *self->out++ = *self->at++;
  else if (is_quote && reader->in_quotes)
    reader->in_quotes = FALSE;
  else if (is_quote && is_new)
    reader->in_quotes = reader->was_quoted = TRUE;
  else if (!reader->in_quotes && byte == (guint8)dialect->delimiter)
    end_field (self);
  else if (is_strict && !reader->in_quotes && (is_quote || reader->was_quoted))
    return TALL_CSV_STRAY_QUOTE;
  else if (!is_strict || !is_new || byte != '=' || !before_quote)
    *self->out++ = byte;
  while (self->at < self->end && g_ascii_isalnum (*self->at)
         && (reader->in_quotes || !reader->was_quoted))
    *self->out++ = *self->at++;
  return TALL_CSV_GOES_ON;
}

/* Splits a record by the rules of RFC 4180, or by those that the mapping names. @line: the next of
 * the record, with its line end, if it has one. */
TallCsvSplit
tall_csv_reader_split (TallCsvReader *self, TallSlice line)
{
  guint len = self->text->len;
  TallCsvSplit result = TALL_CSV_GOES_ON;
  g_byte_array_set_size (self->text, len + (guint)line.len + 1);
  Split split = { .reader = self,
                  .at = line.data,
                  .end = line.data + line.len,
                  .field = self->text->data
                           + g_array_index (self->offsets, gsize, self->offsets->len - 1),
                  .out = self->text->data + len };
  while (split.at < split.end && result == TALL_CSV_GOES_ON)
    result = take (&split);
  if (result == TALL_CSV_GOES_ON && !self->in_quotes
      && (line.len == 0 || !is_line_end (split.end[-1])))
    result = TALL_CSV_WHOLE;
  if (result == TALL_CSV_WHOLE)
    *split.out++ = '\0';
  g_byte_array_set_size (self->text, (guint)(split.out - self->text->data));
  return result;
}

/* The fields that were split; now @text stays in its place. */
void
tall_csv_reader_collect_fields (TallCsvReader *self)
{
  g_ptr_array_set_size (self->fields, (gint)self->offsets->len);
  for (guint i = 0; i < self->offsets->len; i++)
    self->fields->pdata[i] = self->text->data + g_array_index (self->offsets, gsize, i);
}

/* What @field says without the quotes around it; nothing if one is within. */
static const char *
strip_quotes (char *field)
{
  gsize len = strlen (field);
  if (len >= 2 && field[0] == '"' && field[len - 1] == '"')
    {
      field[len - 1] = '\0';
      field++;
    }
  return strchr (field, '"') == NULL ? field : "";
}

static const char *
get_field (const TallCsvReader *self, guint i)
{
  return (const char *)self->text->data + g_array_index (self->offsets, gsize, i);
}

/* A quote is where it should not be. The fields before it in the line are certain. Those after it
 * may say which order the row is of: if each delimiter separates two, there are as many as in the
 * header. Not more than one too many is made, as a line may be long. */
void
tall_csv_reader_guess_fields (TallCsvReader *self, TallSlice line)
{
  const char delimiter[] = { self->dialect.delimiter, '\0' };
  g_autofree char *text = g_strndup ((const char *)line.data, line.len);
  g_auto (GStrv) parts = g_strsplit (text, delimiter, (gint)self->columns->len);
  guint n = self->offsets->len - 1; /* without the open one */
  g_byte_array_append (self->text, (const guint8 *)"", 1);
  for (guint i = 0; i < n; i++)
    if (strpbrk (get_field (self, i), "\r\n") != NULL)
      n = i; /* from there on, they are of other rows */
  g_array_set_size (self->offsets, n);
  if (g_strv_length (parts) != tall_csv_reader_count_columns (self))
    return;
  for (guint i = 0; i < n; i++)
    if (!g_str_equal (strip_quotes (parts[i]), get_field (self, i)))
      return;
  for (guint i = n; parts[i] != NULL; i++)
    {
      const char *part = strip_quotes (parts[i]);
      gsize offset = self->text->len;
      g_array_append_val (self->offsets, offset);
      g_byte_array_append (self->text, (const guint8 *)part, (guint)strlen (part) + 1);
    }
}

/* Adds the fields that are made of others. */
void
tall_csv_reader_compose_fields (TallCsvReader *self, TallCsvRow *row)
{
  g_string_truncate (self->composed, 0);
  g_array_set_size (self->offsets, 0);
  for (guint i = 0; i < self->composites->len; i++)
    {
      gsize offset = self->composed->len;
      g_array_append_val (self->offsets, offset);
      tall_csv_composite_write (g_ptr_array_index (self->composites, i), row->fields,
                                self->composed);
      g_string_append_c (self->composed, '\0');
    }
  for (guint i = 0; i < self->offsets->len; i++)
    g_ptr_array_add (self->fields, self->composed->str + g_array_index (self->offsets, gsize, i));
  row->fields = (const char *const *)self->fields->pdata;
  row->n_fields = self->fields->len;
}

/* The text 00123 of ="00123", where that was quoted once more. */
static char *
strip_formula (char *text)
{
  gsize len = strlen (text);
  if (len < 3 || text[0] != '=' || text[1] != '"' || strchr (text + 2, '"') != text + len - 1)
    return text;
  text[len - 1] = '\0';
  return text + 2;
}

static gboolean
is_null (const TallCsvDialect *dialect, const char *text)
{
  return dialect->nulls != NULL && g_strv_contains ((const char *const *)dialect->nulls, text);
}

/* Does with its fields what the mapping says: fills up a short row with empty ones, takes away
 * spaces around them, and empties those that say that there is nothing. A text that is written as a
 * formula is that text. @row: good. */
void
tall_csv_reader_clean_fields (TallCsvReader *self, TallCsvRow *row)
{
  const TallCsvDialect *dialect = &self->dialect;
  static char nothing[] = "";
  while (dialect->pad && self->columns->len > 0 && row->n_fields + 1 < self->columns->len)
    {
      g_ptr_array_add (self->fields, nothing);
      row->n_fields++;
    }
  gboolean is_as_it_is = self->is_plain && !dialect->trim && dialect->nulls == NULL;
  for (guint i = 0; i < self->fields->len && !is_as_it_is; i++)
    {
      char *text = self->fields->pdata[i];
      if (dialect->trim && *text != '\0')
        text = g_strstrip (text);
      self->fields->pdata[i] = strip_formula (text);
      if (is_null (dialect, self->fields->pdata[i]))
        self->fields->pdata[i] = nothing;
    }
  row->fields = (const char *const *)self->fields->pdata;
}
