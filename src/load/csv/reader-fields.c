/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/csv/reader-private.h"

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
