/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/csv/plain.h"
#include "base/text.h"

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
