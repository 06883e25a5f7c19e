/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/csv/reader-private.h"

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
 * spaces around them, and empties those that say that there is nothing.
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
  for (guint i = 0; i < self->fields->len && (dialect->trim || dialect->nulls != NULL); i++)
    {
      char *text = self->fields->pdata[i];
      if (dialect->trim && *text != '\0')
        self->fields->pdata[i] = g_strstrip (text);
      if (is_null (dialect, self->fields->pdata[i]))
        self->fields->pdata[i] = nothing;
    }
  row->fields = (const char *const *)self->fields->pdata;
}
