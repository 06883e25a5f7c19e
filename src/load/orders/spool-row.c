/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/spool-row.h"

/* A row is
 *
 *     u8   form
 *     u64  line
 *     u64  blame
 *     PLAIN:  its text to the end: a delimiter between two fields, as in most rows
 *     FULL:   u32 length of its text, and that; then of each field u32 length, and its text
 *     MARK:   nothing: the row itself was rejected
 */
typedef enum
{
  PLAIN,
  FULL,
  MARK,
} Form;

void
tall_spool_row_init (TallSpoolRow *self)
{
  self->bytes = g_byte_array_new ();
  self->text = g_byte_array_new ();
  self->fields = g_ptr_array_new ();
}

void
tall_spool_row_clear (TallSpoolRow *self)
{
  g_byte_array_unref (self->bytes);
  g_byte_array_unref (self->text);
  g_ptr_array_unref (self->fields);
}

static void
append_text (GByteArray *bytes, TallSlice text)
{
  tall_bytes_append_u32 (bytes, (guint32)text.len);
  tall_bytes_append (bytes, text);
}

/* Whether splitting the raw bytes at each delimiter gives the fields. */
static gboolean
is_plain (const TallCsvRow *row, char delimiter)
{
  gsize at = 0;
  for (guint i = 0; i < row->n_fields; i++)
    {
      gsize len = strlen (row->fields[i]);
      gboolean last = i + 1 == row->n_fields;
      if (row->raw.len - at < len + !last || memcmp (row->raw.data + at, row->fields[i], len) != 0
          || memchr (row->fields[i], delimiter, len) != NULL
          || (!last && row->raw.data[at + len] != (guint8)delimiter))
        return FALSE;
      at += len + !last;
    }
  return row->n_fields > 0 && at == row->raw.len;
}

static void
append_full (GByteArray *bytes, const TallCsvRow *row)
{
  append_text (bytes, row->raw);
  for (guint i = 0; i < row->n_fields; i++)
    append_text (bytes, tall_slice_str (row->fields[i]));
}

/**
 * tall_spool_row_encode:
 * @row: a good row; or a bad one, of which only a mark is kept
 * @blame: line of the row for which the whole order is rejected; 0: none so far
 * @delimiter: of the file
 *
 * Returns: the bytes, which are valid until the next call
 */
TallSlice
tall_spool_row_encode (TallSpoolRow *self, const TallCsvRow *row, guint64 blame, char delimiter)
{
  Form form = row->reason != NULL ? MARK : is_plain (row, delimiter) ? PLAIN : FULL;
  g_byte_array_set_size (self->bytes, 0);
  tall_bytes_append_u8 (self->bytes, (guint8)form);
  tall_bytes_append_u64 (self->bytes, row->line);
  tall_bytes_append_u64 (self->bytes, blame);
  if (form == PLAIN)
    tall_bytes_append (self->bytes, row->raw);
  else if (form == FULL)
    append_full (self->bytes, row);
  return tall_slice_array (self->bytes);
}

static TallSlice
take_text (TallReader *reader)
{
  return tall_reader_take (reader, tall_reader_u32 (reader));
}

/* Adds a field to the texts; the pointers follow when all texts are there. */
static void
add_field (TallSpoolRow *self, TallSlice text)
{
  g_ptr_array_add (self->fields, GSIZE_TO_POINTER (self->text->len));
  tall_bytes_append (self->text, text);
  tall_bytes_append_u8 (self->text, 0);
}

static void
split_raw (TallSpoolRow *self, TallSlice raw, char delimiter)
{
  const guint8 *end = raw.data + raw.len, *stop;
  for (const guint8 *at = raw.data;; at = stop + 1)
    {
      stop = at < end ? memchr (at, delimiter, (gsize)(end - at)) : NULL;
      add_field (self, tall_slice (at, (gsize)((stop != NULL ? stop : end) - at)));
      if (stop == NULL)
        return;
    }
}

/**
 * tall_spool_row_decode:
 * @bytes: of tall_spool_row_encode(); the text of @row lies in them
 * @row: (out): a good row; of a bad one nothing but the line
 * @blame: (out): as it was given
 *
 * Returns: FALSE if these are other bytes
 */
gboolean
tall_spool_row_decode (
    TallSpoolRow *self, TallSlice bytes, char delimiter, TallCsvRow *row, guint64 *blame)
{
  TallReader reader = tall_reader (bytes);
  Form form = (Form)tall_reader_u8 (&reader);
  *row = (TallCsvRow){ .line = tall_reader_u64 (&reader), .column = TALL_CSV_NO_COLUMN };
  *blame = tall_reader_u64 (&reader);
  g_byte_array_set_size (self->text, 0);
  g_ptr_array_set_size (self->fields, 0);
  if (form == PLAIN && !reader.failed)
    {
      row->raw = tall_reader_take (&reader, reader.rest.len);
      split_raw (self, row->raw, delimiter);
    }
  else if (form == FULL)
    row->raw = take_text (&reader);
  while (form == FULL && reader.rest.len > 0 && !reader.failed)
    add_field (self, take_text (&reader));

  for (guint i = 0; i < self->fields->len; i++)
    self->fields->pdata[i] = self->text->data + GPOINTER_TO_SIZE (self->fields->pdata[i]);
  row->fields = (const char *const *)self->fields->pdata;
  row->n_fields = self->fields->len;
  return tall_reader_done (&reader) && form <= MARK;
}
