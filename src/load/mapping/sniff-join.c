/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/sniff-join.h"
#include "load/csv/field.h"
#include "tall-error.h"
#include "load/mapping/sniff-names.h"

#define NONE (-1)

static gboolean
is_called (TallCsvScope scope, const char *field, const char *name)
{
  guint rank;
  return tall_sniff_names (tall_csv_field_find (scope, field), name, &rank);
}

/* How two files may be joined. */
typedef struct
{
  guint headers, header_key;
  guint lines, line_key; /* not set if @score is that of headers alone */
  gint score;            /* 0: not at all */
} Pair;

/* How much a file looks like one of lines. */
static gint
count_line_names (const TallSniffFile *file)
{
  static const char *const fields[] = { "number", "item_number", "quantity", "price", "discount" };
  gint n = 0;
  for (guint i = 0; i < file->sample->n_columns; i++)
    for (guint k = 0; k < G_N_ELEMENTS (fields); k++)
      n += is_called (TALL_SCOPE_LINE, fields[k], file->sample->columns[i]);
  return MIN (n, 9);
}

static gboolean
has_customer (const TallSniffFile *file)
{
  for (guint i = 0; i < file->sample->n_columns; i++)
    {
      g_autofree char *name = tall_sniff_file_get_full_name (file, i);
      if (is_called (TALL_SCOPE_ORDER, "customer_number", name))
        return TRUE;
    }
  return FALSE;
}

/* The column of a file that is called like one of another file. */
static gint
find_column (const TallSniffFile *file, const char *full_name)
{
  for (guint i = 0; i < file->sample->n_columns; i++)
    {
      g_autofree char *name = tall_sniff_file_get_full_name (file, i);
      if (g_str_equal (name, full_name))
        return (gint)i;
    }
  return NONE;
}

/* Joins the headers in a file with the lines in another, if that is better than what was found. */
static void
try_lines (const GPtrArray *files, Pair *best, const Pair *given, const char *key)
{
  const TallSniffFile *headers = tall_sniff_files_get (files, given->headers);
  Pair pair = *given;
  for (pair.lines = 0; pair.lines < files->len; pair.lines++)
    {
      const TallSniffFile *lines = tall_sniff_files_get (files, pair.lines);
      gint column = lines != headers ? find_column (lines, key) : NONE;
      if (column == NONE)
        continue;
      g_autoptr (GHashTable) unique = tall_sniff_file_index (lines, (guint)column);
      pair.line_key = (guint)column;
      pair.score = given->score + 20 + (unique == NULL ? 50 : 0) + count_line_names (lines);
      if (pair.score > best->score)
        *best = pair;
    }
}

/* The file in which each order has one row, and the one with its lines. */
static Pair
find_pair (const GPtrArray *files)
{
  Pair best = { .score = 0 };
  for (guint i = 0; i < files->len; i++)
    {
      const TallSniffFile *file = tall_sniff_files_get (files, i);
      for (guint k = 0; k < file->sample->n_columns; k++)
        {
          g_autofree char *key = tall_sniff_file_get_full_name (file, k);
          g_autoptr (GHashTable) unique = tall_sniff_file_index (file, k);
          if (unique == NULL || !is_called (TALL_SCOPE_ORDER, "order_number", key))
            continue;
          Pair pair = { i, k, i, k, 1 + (has_customer (file) ? 10 : 0) };
          if (pair.score > best.score)
            best = pair;
          try_lines (files, &best, &pair, key);
        }
    }
  return best;
}

/* The column of @to that names the rows of @file, by the name of its key. */
static gboolean
join_with (TallSniffFile *file, const TallSniffFile *to, gint position)
{
  for (guint i = 0; i < file->sample->n_columns; i++)
    {
      g_autofree char *name = tall_sniff_file_get_full_name (file, i);
      gint column = find_column (to, name);
      g_autoptr (GHashTable) unique = column != NONE ? tall_sniff_file_index (file, i) : NULL;
      if (unique == NULL)
        continue;
      file->key = (gint)i;
      file->from = position;
      file->from_column = (guint)column;
      return TRUE;
    }
  return FALSE;
}

/* Puts a file that can be joined with one of the first @n behind them. */
static gboolean
place_next (GPtrArray *files, guint n)
{
  for (guint i = n; i < files->len; i++)
    for (guint k = 0; k < n; k++)
      if (join_with (tall_sniff_files_get (files, i), tall_sniff_files_get (files, k), (gint)k))
        {
          gpointer file = files->pdata[i];
          files->pdata[i] = files->pdata[n];
          files->pdata[n] = file;
          return TRUE;
        }
  return FALSE;
}

static void
move_to (GPtrArray *files, TallSniffFile *file, guint position)
{
  guint i;
  if (!g_ptr_array_find (files, file, &i))
    return;
  files->pdata[i] = files->pdata[position];
  files->pdata[position] = file;
}

/**
 * tall_sniff_join_find:
 * @files: (inout) (element-type TallSniffFile): are put in the order of the mapping; those that
 *   nothing joins come last, without a key
 *
 * Finds out by the names of columns how the files are joined.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if no file has a row for each order
 */
gboolean
tall_sniff_join_find (GPtrArray *files, GError **error)
{
  Pair pair = find_pair (files);
  if (pair.score == 0)
    {
      tall_error_set_invalid (error, "files",
                              "none has a column that is called like the numbers of orders, and "
                              "differs in all rows: write a mapping by hand");
      return FALSE;
    }
  TallSniffFile *headers = tall_sniff_files_get (files, pair.headers);
  TallSniffFile *lines = tall_sniff_files_get (files, pair.lines);
  headers->key = (gint)pair.header_key;
  lines->key = (gint)pair.line_key;
  move_to (files, headers, 0);
  if (lines != headers)
    move_to (files, lines, 1);
  for (guint n = lines != headers ? 2 : 1; n < files->len && place_next (files, n); n++)
    ;
  return TRUE;
}
