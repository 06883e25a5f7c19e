/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/csv/reader-private.h"

#include "base/text.h"
#include "load/csv/reader.h"

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

/**
 * tall_csv_composite_new:
 * @expression: columns, and texts in quotes, with `+` between them
 * @columns: the names in the file's header, NULL-terminated
 * @missing: (out) (transfer full) (optional): the part that is neither a text nor a column
 *
 * Returns: (transfer full) (nullable): NULL if there is such a part
 */
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

/**
 * tall_csv_composite_write:
 * @fields: of a row, as many as there are columns
 * @text: gets the value
 *
 * If all columns are empty, nothing is written. A text is left out after an empty column, and where
 * only empty columns come after it.
 */
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

/**
 * tall_csv_split_plain:
 * @line: of a file, without its line end
 * @text: gets the fields, each with its NUL
 * @fields: (element-type char *): gets where those that are wanted are in @text
 *
 * Splits a line that needs no CSV parser: it has no quotes, is good UTF-8, and has as many fields
 * as it should. The fields are those that libcsv would find, at a tenth of its cost. Of any other
 * line @text and @fields are unset.
 *
 * Returns: whether @line is of that kind
 */
gboolean
tall_csv_split_plain (TallSlice line,
                      const TallCsvShape *shape,
                      GByteArray *text,
                      GPtrArray *fields)
{
  if (!is_plain (line))
    return FALSE;
  g_byte_array_set_size (text, (guint)line.len + 1);
  g_ptr_array_set_size (fields, (gint)shape->n_wanted);
  memcpy (text->data, line.data, line.len);
  text->data[line.len] = '\0';
  char *at = (char *)text->data, *end = at + line.len;
  for (guint i = 0; i < shape->n_wanted; i++)
    {
      fields->pdata[i] = at;
      at = memchr (at, shape->delimiter, (gsize)(end - at));
      if (at == NULL)
        return i + 1 == shape->n_fields;
      *at++ = '\0';
    }
  return shape->n_wanted + 1 + count (at, (gsize)(end - at), shape->delimiter) == shape->n_fields;
}

/* A field of the record, from the parser. */
void
tall_csv_reader_add_field (void *data, gsize len, gpointer user_data)
{
  TallCsvReader *self = user_data;
  gsize offset = self->text->len;
  g_array_append_val (self->offsets, offset);
  g_byte_array_set_size (self->text, (guint)(offset + len + 1));
  if (len > 0)
    memcpy (self->text->data + offset, data, len);
  self->text->data[offset + len] = '\0';
}

/* The parser's fields; now @text stays in its place. */
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

/* From the first field with a line end on, what the parser has found is of other rows. */
static void
drop_later_lines (TallCsvReader *self)
{
  for (guint i = 0; i < self->offsets->len; i++)
    if (strpbrk (get_field (self, i), "\r\n") != NULL)
      g_array_set_size (self->offsets, i);
}

/* Adds to what the parser has found the parts after it, if those before say the same. */
static void
add_parts (TallCsvReader *self, GStrv parts)
{
  guint n = self->offsets->len;
  for (guint i = 0; parts[i] != NULL; i++)
    {
      const char *part = strip_quotes (parts[i]);
      if (i >= n)
        tall_csv_reader_add_field ((void *)part, strlen (part), self);
      else if (!g_str_equal (part, get_field (self, i)))
        return;
    }
}

/* A quote is where it should not be. What the parser has found before it in the line is certain.
 * Fields after it may say which order the row is of: if each delimiter separates two, there are as
 * many as in the header. Not more than one too many is made, as a line may be long. */
void
tall_csv_reader_guess_fields (TallCsvReader *self, TallSlice line)
{
  const char delimiter[] = { self->dialect.delimiter, '\0' };
  g_autofree char *text = g_strndup ((const char *)line.data, line.len);
  g_auto (GStrv) parts = g_strsplit (text, delimiter, (gint)self->columns->len);
  drop_later_lines (self);
  if (g_strv_length (parts) + 1 == self->columns->len)
    add_parts (self, parts);
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

/* What is read of a record that has other rules than RFC 4180. */
typedef struct
{
  TallCsvReader *reader;
  const guint8 *at;
  const guint8 *end; /* of the lines that are there */
  gboolean in_quotes;
  gboolean was_quoted; /* the field */
  guint field;         /* where it begins in the reader's text */
} Split;

static void
append (Split *self, guint8 byte)
{
  g_byte_array_append (self->reader->text, &byte, 1);
}

static void
begin_field (Split *self)
{
  gsize offset = self->field = self->reader->text->len;
  g_array_append_val (self->reader->offsets, offset);
  self->was_quoted = FALSE;
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
      append (self, *self->at++);
      return;
    }
  const char *letter = *next != '\0' ? strchr (letters, *next) : NULL;
  gboolean is_null = *next == 'N' && !self->was_quoted && self->reader->text->len == self->field;
  if (is_null)
    append (self, '\\');
  append (self, letter != NULL ? (guint8)meant[letter - letters] : *next == '\r' ? '\n' : *next);
  self->at = next + 1;
  if (*next == '\r' && self->at < self->end && *self->at == '\n')
    self->at++;
}

/* One byte, or what stands for one. Returns: FALSE at the end of the record */
static gboolean
take (Split *self)
{
  const TallCsvDialect *dialect = &self->reader->dialect;
  guint8 byte = *self->at;
  gboolean is_quote = byte == '"' && !dialect->no_quotes;
  if (dialect->backslash && byte == '\\')
    {
      take_escaped (self);
      return TRUE;
    }
  if (!self->in_quotes && is_line_end (byte))
    return FALSE;
  self->at++;
  if (self->in_quotes && is_quote && self->at < self->end && *self->at == '"')
    append (self, *self->at++);
  else if (is_quote && (self->in_quotes || self->reader->text->len == self->field))
    self->in_quotes = self->was_quoted = !self->in_quotes;
  else if (!self->in_quotes && byte == (guint8)dialect->delimiter)
    {
      append (self, '\0');
      begin_field (self);
    }
  else
    append (self, byte);
  return TRUE;
}

/**
 * tall_csv_reader_split:
 * @stop: where a line of the record ends
 *
 * Splits the record up to @stop where the mapping names other rules: no quotes, or backslashes.
 *
 * Returns: whether it is whole; otherwise it goes on in the next line
 */
gboolean
tall_csv_reader_split (TallCsvReader *self, gsize stop)
{
  Split split = { .reader = self,
                  .at = self->lines.buffer + self->lines.record,
                  .end = self->lines.buffer + stop };
  g_byte_array_set_size (self->text, 0);
  g_array_set_size (self->offsets, 0);
  begin_field (&split);
  while (split.at < split.end && take (&split))
    continue;
  append (&split, '\0');
  return !split.in_quotes && (split.at < split.end || !is_line_end (split.end[-1]));
}

/**
 * tall_csv_drop_equals:
 * @in_quotes: the line begins within quotes
 *
 * Spreadsheets write a text that looks like a number as ="00123", which is not CSV: the equals sign
 * goes.
 *
 * Returns: (transfer full) (nullable): the line without such signs; NULL if it has none
 */
GByteArray *
tall_csv_drop_equals (TallSlice line, char delimiter, gboolean in_quotes)
{
  if (memmem (line.data, line.len, "=\"", 2) == NULL)
    return NULL;
  GByteArray *bare = g_byte_array_sized_new ((guint)line.len);
  gboolean at_start = !in_quotes;
  for (gsize i = 0; i < line.len; i++)
    {
      guint8 byte = line.data[i];
      if (!at_start || byte != '=' || i + 1 == line.len || line.data[i + 1] != '"')
        g_byte_array_append (bare, &byte, 1);
      if (byte == '"')
        in_quotes = !in_quotes;
      at_start = !in_quotes && byte == (guint8)delimiter;
    }
  return bare;
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

/**
 * tall_csv_reader_clean_fields:
 * @row: good
 *
 * Does with its fields what the mapping says: fills up a short row with empty ones, takes away
 * spaces around them, and empties those that say that there is nothing. A text that is written as a
 * formula is that text.
 */
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
