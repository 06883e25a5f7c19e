/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/sample.h"
#include "load/csv/source.h"

#include <string.h>

#define MAX_BYTES (1024 * 1024) /* that the encoding is guessed from */
#define MAX_SKIPPED 20

static const struct
{
  char character;
  const char *name;
} delimiters[] = { { ',', "comma" }, { ';', "semicolon" }, { '\t', "tab" }, { '|', "pipe" } };

void
tall_sample_free (TallSample *self)
{
  if (self == NULL)
    return;
  g_free (self->path);
  g_free (self->name);
  g_free (self->encoding_reason);
  g_free (self->delimiter_reason);
  g_strfreev (self->columns);
  g_ptr_array_unref (self->rows);
  g_free (self);
}

static GByteArray *
read_start (const char *path, GError **error)
{
  g_autoptr (TallCsvSource) source = tall_csv_source_open (path, error);
  if (source == NULL)
    return NULL;
  g_autoptr (GByteArray) start = g_byte_array_new ();
  gssize n = 1;
  while (n > 0 && start->len < MAX_BYTES)
    {
      guint len = start->len;
      g_byte_array_set_size (start, len + MAX_BYTES / 4);
      n = tall_csv_source_read (source, start->data + len, MAX_BYTES / 4, error);
      g_byte_array_set_size (start, len + (guint)MAX (n, 0));
    }
  return n < 0 ? NULL : g_steal_pointer (&start);
}

/* How many bytes at even, or odd, places are NUL: halves of ASCII characters in UTF-16. */
static guint
count_nuls (const GByteArray *bytes, guint first)
{
  guint n = 0;
  for (guint i = first; i < bytes->len; i += 2)
    n += bytes->data[i] == 0;
  return n;
}

static void
set_encoding (TallSample *self, const char *encoding, char *reason)
{
  self->encoding = encoding;
  self->encoding_reason = reason;
}

/* The first byte that is not UTF-8; NULL: there is none but a character that the end cuts. */
static const char *
find_not_utf8 (const GByteArray *bytes)
{
  const char *bad;
  const char *end = (const char *)bytes->data + bytes->len;
  if (bytes->len == 0 || g_utf8_validate ((const char *)bytes->data, bytes->len, &bad))
    return NULL;
  gboolean is_cut = bytes->len >= MAX_BYTES && end - bad < 4;
  return is_cut || *bad == '\0' ? NULL : bad;
}

static gboolean
has_control_byte (const GByteArray *bytes)
{
  for (guint i = 0; i < bytes->len; i++)
    if (bytes->data[i] >= 0x80 && bytes->data[i] < 0xa0)
      return TRUE;
  return FALSE;
}

static void
guess_encoding (TallSample *self, const GByteArray *bytes)
{
  const char *bad = find_not_utf8 (bytes);
  gboolean has_mark =
      bytes->len >= 2
      && (memcmp (bytes->data, "\xff\xfe", 2) == 0 || memcmp (bytes->data, "\xfe\xff", 2) == 0);
  if (has_mark)
    set_encoding (self, "UTF-16", g_strdup ("The file begins with the mark of UTF-16."));
  else if (count_nuls (bytes, 1) > bytes->len / 4)
    set_encoding (self, "UTF-16LE", g_strdup ("Every second byte is NUL."));
  else if (count_nuls (bytes, 0) > bytes->len / 4)
    set_encoding (self, "UTF-16BE", g_strdup ("Every second byte is NUL, the first as well."));
  else if (bad == NULL)
    set_encoding (self, NULL, g_strdup ("All that was looked at is UTF-8."));
  else
    set_encoding (self, has_control_byte (bytes) ? "WINDOWS-1252" : "ISO-8859-1",
                  g_strdup_printf ("Byte 0x%02x is not UTF-8. Look whether letters with accents "
                                   "come out right.",
                                   (guint8)*bad));
}

/* Reads rows; as long as @self is NULL, only counts them. */
static guint
read_rows (TallCsvReader *reader, TallSample *self, guint *n_bad)
{
  TallCsvRow row;
  guint n = 0;
  *n_bad = 0;
  for (; n < TALL_SAMPLE_MAX_ROWS && tall_csv_reader_next (reader, &row, NULL) == TALL_CSV_ROW; n++)
    {
      *n_bad += row.reason != NULL;
      if (self == NULL || row.reason != NULL)
        continue;
      char **fields = g_new0 (char *, row.n_fields + 1);
      for (guint i = 0; i < row.n_fields; i++)
        fields[i] = g_strdup (row.fields[i]);
      g_ptr_array_add (self->rows, fields);
    }
  return n;
}

static char *nothing[] = { (char *)"\\N", NULL };

static const TallSampleRule rules[] = {
  { "short-rows", "pad", "Rows have fewer fields than the header.", { .pad = TRUE } },
  { "quotes", "loose", "Quotes stand within fields.", { .quotes = TALL_CSV_QUOTES_LOOSE } },
  { "quotes", "none", "Quotes are not in pairs.", { .quotes = TALL_CSV_QUOTES_NONE } },
  { "null", "\\N", "A column says so that it is empty.", { .backslash = TRUE, .nulls = nothing } },
};

static TallCsvReader *
open_reader (const TallSample *self, const char *path, char delimiter, GError **error)
{
  TallCsvDialect dialect = self->rule != NULL ? self->rule->dialect : (TallCsvDialect){ 0 };
  dialect.delimiter = delimiter;
  dialect.encoding = self->encoding;
  dialect.skip_lines = self->skip_lines;
  return tall_csv_reader_open (path, &dialect, TALL_CSV_MAX_ROW, error);
}

/* How many names of columns are not empty; an empty one is also called `#2`. */
static guint
count_names (const char *const *columns)
{
  guint n = 0;
  for (; *columns != NULL; columns++)
    n += **columns != '\0' && **columns != '#';
  return n;
}

/* The delimiter with which most rows have as many fields as the header, and the header has most.
 * Returns: how well it fits: below 2 this is not a header */
static gdouble
guess_delimiter (TallSample *self, const char *path)
{
  g_autoptr (GString) others = g_string_new (NULL);
  gdouble best = -1;
  for (guint i = 0; i < G_N_ELEMENTS (delimiters); i++)
    {
      g_autoptr (TallCsvReader) reader = open_reader (self, path, delimiters[i].character, NULL);
      if (reader == NULL)
        continue;
      guint n_bad, n = read_rows (reader, NULL, &n_bad);
      guint columns = count_names (tall_csv_reader_get_columns (reader));
      gdouble score = columns * (n > 0 ? (gdouble)(n - n_bad) / n : 1);
      if (score > best)
        self->delimiter = delimiters[i].character;
      best = MAX (best, score);
      g_string_append_printf (others, "%s%s: %u", others->len > 0 ? ", " : "", delimiters[i].name,
                              columns);
    }
  g_free (self->delimiter_reason);
  self->delimiter_reason = g_strdup_printf ("Columns with each: %s.", others->str);
  return best;
}

/* Files of shops often have some lines above the header. */
static void
guess_header (TallSample *self, const char *path)
{
  while (guess_delimiter (self, path) < 2 && self->skip_lines < MAX_SKIPPED)
    self->skip_lines++;
  if (self->skip_lines < MAX_SKIPPED)
    return;
  self->skip_lines = 0;
  guess_delimiter (self, path);
}

static guint
count_good_rows (const TallSample *self, const char *path)
{
  guint n_bad, n = 0;
  g_autoptr (TallCsvReader) reader = open_reader (self, path, self->delimiter, NULL);
  if (reader != NULL)
    n = read_rows (reader, NULL, &n_bad) - n_bad;
  return n;
}

static gboolean
has_backslash_null (const GByteArray *start)
{
  return memmem (start->data, start->len, ",\\N", 3) != NULL
         || memmem (start->data, start->len, "\t\\N", 3) != NULL;
}

/* The rule by which most rows are good. What ends with `\N` for nothing has backslashes. */
static void
guess_rule (TallSample *self, const char *path, const GByteArray *start)
{
  guint best = count_good_rows (self, path);
  const TallSampleRule *chosen = NULL;
  for (guint i = 0; i + 1 < G_N_ELEMENTS (rules); i++)
    {
      self->rule = &rules[i];
      guint n = count_good_rows (self, path);
      if (n > best)
        chosen = self->rule;
      best = MAX (best, n);
    }
  self->rule = has_backslash_null (start) ? &rules[G_N_ELEMENTS (rules) - 1] : chosen;
}

/**
 * tall_sample_read:
 * @path: a file; it is read several times, so a pipe cannot be
 * @name: what a query calls the file
 *
 * Returns: (transfer full): NULL if the file cannot be read, as tall_csv_reader_open()
 */
TallSample *
tall_sample_read (const char *path, const char *name, GError **error)
{
  g_autoptr (TallSample) self = g_new0 (TallSample, 1);
  self->path = g_strdup (path);
  self->name = g_strdup (name);
  self->key = self->from = -1;
  self->rows = g_ptr_array_new_with_free_func ((GDestroyNotify)g_strfreev);
  g_autoptr (GByteArray) start = read_start (path, error);
  if (start == NULL)
    return NULL;
  guess_encoding (self, start);
  guess_header (self, path);
  guess_rule (self, path, start);
  g_autoptr (TallCsvReader) reader = open_reader (self, path, self->delimiter, error);
  if (reader == NULL || !tall_csv_reader_check_data (reader, error))
    return NULL;
  self->columns = g_strdupv ((char **)tall_csv_reader_get_columns (reader));
  self->n_columns = g_strv_length (self->columns);
  read_rows (reader, self, &self->n_bad);
  return g_steal_pointer (&self);
}
