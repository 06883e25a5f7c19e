/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/sniff-private.h"

#include "base/fail.h"
#include "load/csv/reader-private.h"

#include <string.h>

#define MAX_BYTES (1024 * 1024) /* that the encoding is guessed from */
#define MAX_SKIPPED 20

static gboolean
read_start (const char *path, GByteArray *start, GError **error)
{
  g_autoptr (TallCsvSource) source = tall_csv_source_open (path, error);
  gssize n = source != NULL ? 1 : -1;
  while (n > 0 && start->len < MAX_BYTES)
    {
      guint len = start->len;
      g_byte_array_set_size (start, len + MAX_BYTES / 4);
      n = tall_csv_source_read (source, start->data + len, MAX_BYTES / 4, error);
      g_byte_array_set_size (start, len + (guint)MAX (n, 0));
    }
  return n >= 0;
}

/* NULs at even, or odd, places are halves of ASCII characters in UTF-16. */
static void
guess_encoding (TallSniff *sniff, TallSample *self, const GByteArray *bytes)
{
  guint nuls[2] = { 0, 0 }, n_control = 0;
  const char *bad = NULL, *text = (const char *)bytes->data;
  for (guint i = 0; i < bytes->len; i++)
    {
      nuls[i % 2] += text[i] == '\0';
      n_control += bytes->data[i] >= 0x80 && bytes->data[i] < 0xa0;
    }
  self->encoding_reason = "All that was looked at is UTF-8.";
  if (bytes->len >= 2 && (memcmp (text, "\xff\xfe", 2) == 0 || memcmp (text, "\xfe\xff", 2) == 0))
    {
      self->dialect.encoding = "UTF-16";
      self->encoding_reason = "The file begins with the mark of UTF-16.";
    }
  else if (MAX (nuls[0], nuls[1]) > bytes->len / 4)
    {
      self->dialect.encoding = nuls[1] > bytes->len / 4 ? "UTF-16LE" : "UTF-16BE";
      self->encoding_reason = "Every second byte is NUL.";
    }
  else if (bytes->len > 0 && !g_utf8_validate (text, bytes->len, &bad) && *bad != '\0'
           && (bytes->len < MAX_BYTES || text + bytes->len - bad >= 4))
    {
      self->dialect.encoding = n_control > 0 ? "WINDOWS-1252" : "ISO-8859-1";
      self->encoding_reason = tall_arena_printf (
          sniff->arena,
          "Byte 0x%02x is not UTF-8. Look whether letters with accents come out right.",
          (guint8)*bad);
    }
}

static char **
copy_texts (TallSniff *sniff, const char *const *texts, guint n)
{
  char **copies = tall_arena_newa0 (sniff->arena, char *, n + 1);
  for (guint i = 0; i < n; i++)
    copies[i] = tall_arena_strdup (sniff->arena, texts[i]);
  return copies;
}

/* Reads the first rows by the dialect, and counts them; keeps them unless it is only tried. */
static gboolean
read_rows (TallSniff *sniff, TallSample *self, gboolean keeps, GError **error)
{
  TallCsvRow row;
  g_autoptr (TallCsvReader) reader =
      tall_csv_reader_open (self->path, &self->dialect, TALL_CSV_MAX_ROW, error);
  self->n_good = self->n_bad = 0;
  if (reader == NULL || !tall_csv_reader_check_data (reader, error))
    return FALSE;
  const char *const *columns = tall_csv_reader_get_columns (reader);
  self->n_columns = g_strv_length ((char **)columns);
  self->columns = (const char *const *)copy_texts (sniff, columns, self->n_columns);
  while (self->n_good + self->n_bad < TALL_SNIFF_MAX_ROWS
         && tall_csv_reader_next (reader, &row, NULL) == TALL_CSV_ROW)
    if (row.reason != NULL)
      self->n_bad++;
    else if (self->n_good++, keeps)
      g_ptr_array_add (self->rows, copy_texts (sniff, row.fields, row.n_fields));
  return TRUE;
}

/* Chooses the delimiter with which most rows have as many fields as the header, and the header has
 * most names that are not empty, or called `#2` as they are. Returns: how well it fits: below 2
 * this is not a header */
static gdouble
guess_delimiter (TallSniff *sniff, TallSample *self)
{
  gdouble best = -1;
  char chosen = self->dialect.delimiter;
  for (const char *at = TALL_DELIMITERS; *at != '\0'; at++)
    {
      guint n_names = 0;
      self->dialect.delimiter = *at;
      if (!read_rows (sniff, self, FALSE, NULL))
        continue;
      for (guint i = 0; i < self->n_columns; i++)
        n_names += *self->columns[i] != '\0' && *self->columns[i] != '#';
      gdouble n = self->n_good + self->n_bad;
      gdouble score = n_names * (n > 0 ? self->n_good / n : 1);
      if (score > best)
        chosen = *at;
      best = MAX (best, score);
    }
  self->dialect.delimiter = chosen;
  return best;
}

static char *nothing[] = { (char *)"\\N", NULL };

static const TallSampleRule rules[] = {
  { 0 },
  { "short-rows", "pad", "Rows have fewer fields than the header.", { .pad = TRUE } },
  { "quotes", "loose", "Quotes stand within fields.", { .quotes = TALL_CSV_QUOTES_LOOSE } },
  { "quotes", "none", "Quotes are not in pairs.", { .quotes = TALL_CSV_QUOTES_NONE } },
  { "null", "\\N", "A column says so that it is empty.", { .backslash = TRUE, .nulls = nothing } },
};

static void
set_rule (TallSample *self, const TallSampleRule *rule)
{
  TallCsvDialect dialect = rule->dialect;
  dialect.delimiter = self->dialect.delimiter;
  dialect.encoding = self->dialect.encoding;
  dialect.skip_lines = self->dialect.skip_lines;
  self->dialect = dialect;
  self->rule = rule;
}

/* The rule by which most rows are good. What has `\N` for nothing has backslashes. */
static void
guess_rule (TallSniff *sniff, TallSample *self, const GByteArray *start)
{
  const guint last = G_N_ELEMENTS (rules) - 1;
  guint best = 0, chosen = 0;
  for (guint i = 0; i < last; i++)
    {
      set_rule (self, &rules[i]);
      if (read_rows (sniff, self, FALSE, NULL) && self->n_good > best)
        chosen = i;
      best = MAX (best, self->n_good);
    }
  if (memmem (start->data, start->len, ",\\N", 3) != NULL
      || memmem (start->data, start->len, "\t\\N", 3) != NULL)
    chosen = last;
  set_rule (self, &rules[chosen]);
}

/* Files of shops often have some lines above the header. */
static TallSample *
read_sample (TallSniff *sniff, const char *path, const char *name, GError **error)
{
  TallSample *self = tall_arena_new0 (sniff->arena, TallSample);
  g_autoptr (GByteArray) start = g_byte_array_new ();
  self->path = path;
  self->name = name;
  self->key = self->from = -1;
  self->dialect.delimiter = *TALL_DELIMITERS;
  self->rows = g_ptr_array_new ();
  tall_arena_own (sniff->arena, self->rows, (GDestroyNotify)g_ptr_array_unref);
  if (!read_start (path, start, error))
    return NULL;
  guess_encoding (sniff, self, start);
  while (guess_delimiter (sniff, self) < 2 && self->dialect.skip_lines < MAX_SKIPPED)
    self->dialect.skip_lines++;
  if (self->dialect.skip_lines == MAX_SKIPPED)
    {
      self->dialect.skip_lines = 0;
      guess_delimiter (sniff, self);
    }
  guess_rule (sniff, self, start);
  return read_rows (sniff, self, TRUE, error) ? self : NULL;
}

/* What a file is called in a query: `orders` for `/data/orders.csv.gz`. */
static const char *
make_name (TallSniff *self, const char *path)
{
  g_autofree char *base = g_path_get_basename (path);
  *strchrnul (base, '.') = '\0';
  g_strcanon (base, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_", '_');
  gboolean is_taken = *base == '\0';
  for (guint i = 0; i < self->files->len; i++)
    is_taken |= g_str_equal (((TallSample *)self->files->pdata[i])->name, base);
  return is_taken ? tall_arena_printf (self->arena, "%s_%u", base, self->files->len + 1)
                  : tall_arena_strdup (self->arena, base);
}

/* What a column is called outside of its file, such as `customerid` for `id` of `customers`.
 * @singular: (out) (optional): `customer` */
static const char *
get_full_name (TallSniff *self, const TallSample *file, guint column, const char **singular)
{
  const char *name = tall_sniff_normalize (self, file->columns[column]);
  const char *of = tall_sniff_normalize (self, file->name);
  gsize len = strlen (of);
  if (len > 3 && g_str_has_suffix (of, "ies"))
    of = tall_arena_printf (self->arena, "%.*sy", (int)len - 3, of);
  else if (len > 1 && of[len - 1] == 's')
    of = tall_arena_strndup (self->arena, of, len - 1);
  if (singular != NULL)
    *singular = of;
  return tall_sniff_find_word ("id number no nr key code", name) < 0
             ? name
             : tall_arena_printf (self->arena, "%s%s", of, name);
}

/* Whether any field of orders is usually called like this. */
static gboolean
is_known (TallSniff *self, const char *name)
{
  guint n;
  const TallCsvField *fields = tall_csv_fields (&n);
  for (guint i = 0; i < n; i++)
    if (fields[i].scope != TALL_SCOPE_CUSTOMER
        && tall_sniff_rate_name (self, &fields[i], name) >= 0)
      return TRUE;
  return FALSE;
}

/* The name by which the field of one of several files may be guessed, such as `city` for
 * `customer_city` of customers. */
const char *
tall_sniff_get_telling_name (TallSniff *self, const TallSample *file, guint column)
{
  const char *singular;
  const char *full = get_full_name (self, file, column, &singular);
  return !is_known (self, full) && g_str_has_prefix (full, singular)
                 && is_known (self, full + strlen (singular))
             ? full + strlen (singular)
             : full;
}

/* Whether each row has another value, and none has none. */
static gboolean
is_unique (const TallSample *file, guint column)
{
  g_autoptr (GHashTable) values = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < file->rows->len; i++)
    {
      const char *text = tall_sample_get (file, i, column);
      if (*text == '\0' || !g_hash_table_add (values, (gpointer)text))
        return FALSE;
    }
  return TRUE;
}

/* How much a file looks like one of lines: numbers of orders come again in it, and it has columns
 * of lines. 0: it has no numbers of orders. @key: (out): these */
static gint
rate_lines (TallSniff *self, const TallSample *file, gint *key)
{
  static const char *const fields[] = { "number", "item_number", "quantity", "price", "discount" };
  const TallCsvField *order = tall_csv_field_find (TALL_SCOPE_ORDER, "order_number");
  gint n = 0;
  *key = -1;
  for (guint i = 0; i < file->n_columns; i++)
    {
      const char *name = get_full_name (self, file, i, NULL);
      if (*key < 0 && tall_sniff_rate_name (self, order, name) >= 0)
        *key = (gint)i;
      for (guint k = 0; k < G_N_ELEMENTS (fields); k++)
        n += tall_sniff_rate_name (self, tall_csv_field_find (TALL_SCOPE_LINE, fields[k]),
                                   file->columns[i])
             >= 0;
    }
  return *key < 0 ? 0 : 1 + MIN (n, 9) + (is_unique (file, (guint)*key) ? 0 : 10);
}

/* The column of the file at @position that names the rows of @file, by the name of its key. */
static gboolean
join_with (TallSniff *self, TallSample *file, guint position)
{
  const TallSample *to = g_ptr_array_index (self->files, position);
  for (guint i = 0; i < file->n_columns; i++)
    for (guint k = 0; k < to->n_columns; k++)
      if (g_str_equal (get_full_name (self, to, k, NULL), get_full_name (self, file, i, NULL))
          && is_unique (file, i))
        {
          file->key = (gint)i;
          file->from = (gint)position;
          file->from_column = k;
          file->is_of_order = to->is_of_order || (position == 0 && (gint)k == to->key);
          return TRUE;
        }
  return FALSE;
}

static void
swap (GPtrArray *files, guint i, guint k)
{
  gpointer file = files->pdata[i];
  files->pdata[i] = files->pdata[k];
  files->pdata[k] = file;
}

/* Puts a file that can be joined with one of the first @n behind them. */
static gboolean
place_next (TallSniff *self, guint n)
{
  for (guint i = n; i < self->files->len; i++)
    for (guint k = 0; k < n; k++)
      if (join_with (self, self->files->pdata[i], k))
        {
          swap (self->files, i, n);
          return TRUE;
        }
  return FALSE;
}

/* Finds out by the names of columns how the files are joined. The rows of the first are those of
 * the query: the lines, or, if there are none, the orders. What nothing joins comes last. */
static gboolean
join_files (TallSniff *self, GError **error)
{
  gint best = 0, key, best_key = -1;
  guint lines = 0;
  for (guint i = 0; i < self->files->len; i++)
    {
      gint score = rate_lines (self, self->files->pdata[i], &key);
      lines = score > best ? i : lines;
      best_key = score > best ? key : best_key;
      best = MAX (best, score);
    }
  if (best == 0)
    return tall_error_fail_invalid (error, "files",
                                    "none has a column that is called like the numbers of orders: "
                                    "write a mapping by hand");
  swap (self->files, 0, lines);
  ((TallSample *)self->files->pdata[0])->key = best_key;
  for (guint n = 1; n < self->files->len && place_next (self, n); n++)
    ;
  return TRUE;
}

/* Reads files, those with the same columns only once, and joins them. @names: (inout): of the files
 * that have one, the others NULL; then of those that are joined, and NULL for the others. Returns:
 * FALSE if one cannot be read, or with %TALL_ERROR_INVALID if no file has numbers of orders */
gboolean
tall_sniff_read_files (
    TallSniff *self, const char *const *paths, const char **names, guint n, GError **error)
{
  g_autofree TallSample **of = g_new0 (TallSample *, n);
  for (guint i = 0; i < n; i++)
    {
      const char *name = names[i] != NULL ? names[i] : make_name (self, paths[i]);
      TallSample *sample = read_sample (self, paths[i], name, error);
      if (sample == NULL)
        return FALSE;
      for (guint k = 0; k < self->files->len && of[i] == NULL; k++)
        {
          TallSample *known = g_ptr_array_index (self->files, k);
          of[i] = g_strv_equal (known->columns, sample->columns) ? known : NULL;
        }
      if (of[i] == NULL)
        g_ptr_array_add (self->files, of[i] = sample);
    }
  if (self->files->len > 1 && !join_files (self, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    names[i] = self->files->len > 1 && of[i]->key >= 0 ? g_intern_string (of[i]->name) : NULL;
  return TRUE;
}
