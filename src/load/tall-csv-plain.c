/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-csv-plain.h"
#include "tall-text.h"

/* Without quotes a line is a record, and nothing but delimiters has a meaning in it. */
static gboolean
is_plain (TallSlice line)
{
  return line.len > 0 && memchr (line.data, '"', line.len) == NULL
         && memchr (line.data, '\0', line.len) == NULL && tall_text_is_utf8 (line);
}

/**
 * tall_csv_split_plain:
 * @line: of a file, without its line end
 * @n_fields: that it has to have, at least one
 * @text: gets the fields, each with its NUL
 * @fields: (element-type char *): gets where they are in @text
 *
 * Splits a line that needs no CSV parser: it has no quotes, is good UTF-8, and has as many fields
 * as it should. The fields are those that libcsv would find, at a tenth of its cost. Of any other
 * line @text and @fields are unset.
 *
 * Returns: whether @line is of that kind
 */
gboolean
tall_csv_split_plain (
    TallSlice line, char delimiter, guint n_fields, GByteArray *text, GPtrArray *fields)
{
  if (!is_plain (line))
    return FALSE;
  g_byte_array_set_size (text, (guint)line.len + 1);
  g_ptr_array_set_size (fields, (gint)n_fields);
  memcpy (text->data, line.data, line.len);
  text->data[line.len] = '\0';
  char *at = (char *)text->data, *end = at + line.len;
  for (guint i = 0; i + 1 < n_fields; i++)
    {
      fields->pdata[i] = at;
      at = memchr (at, delimiter, (gsize)(end - at));
      if (at == NULL)
        return FALSE;
      *at++ = '\0';
    }
  fields->pdata[n_fields - 1] = at;
  return memchr (at, delimiter, (gsize)(end - at)) == NULL;
}
