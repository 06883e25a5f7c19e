/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/sniff-columns.h"
#include "tall-limits.h"
#include "load/mapping/sniff-names.h"
#include "load/mapping/sniff-values.h"

#define NONE (-1)

/* The free column with the surest name for a field; NONE if there is none. */
static gint
find_by_name (const TallSample *sample, const TallSniffedColumn *columns, const TallCsvField *field)
{
  gint found = NONE;
  guint best = G_MAXUINT, rank;
  for (guint i = 0; i < sample->n_columns; i++)
    if ((columns == NULL || columns[i].field == NULL)
        && tall_sniff_names (field, sample->columns[i], &rank) && rank < best)
      {
        found = (gint)i;
        best = rank;
      }
  return found;
}

static gboolean
are_numbers (const TallSample *sample, guint column)
{
  for (guint i = 0; i < sample->rows->len; i++)
    if (!tall_validate_number (tall_sample_get (sample, i, column), NULL, NULL))
      return FALSE;
  return sample->rows->len > 0;
}

/* How many values there are, and how often another follows. */
static guint
count_values (const TallSample *sample, guint column, guint *n_runs)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  const char *last = NULL;
  *n_runs = 0;
  for (guint i = 0; i < sample->rows->len; i++)
    {
      const char *text = tall_sample_get (sample, i, column);
      g_hash_table_add (seen, (gpointer)text);
      *n_runs += last == NULL || !g_str_equal (last, text);
      last = text;
    }
  return g_hash_table_size (seen);
}

/* Whether rows with the same value of @key have the same value of @column. */
static gboolean
depends_on (const TallSample *sample, guint column, guint key)
{
  g_autoptr (GHashTable) values = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < sample->rows->len; i++)
    {
      const char *text = tall_sample_get (sample, i, column);
      const char *of = tall_sample_get (sample, i, key);
      const char *first = g_hash_table_lookup (values, of);
      if (first == NULL)
        g_hash_table_insert (values, (gpointer)of, (gpointer)text);
      else if (!g_str_equal (first, text))
        return FALSE;
    }
  return TRUE;
}

/**
 * tall_sniff_kind:
 *
 * Returns: customers if a column is called as their number is, all its values differ, and none is
 *   called as the number of an order
 */
TallMappingKind
tall_sniff_kind (const TallSample *sample)
{
  guint n_runs;
  gint order = find_by_name (sample, NULL, tall_csv_field_find (TALL_SCOPE_ORDER, "order_number"));
  gint customer = find_by_name (sample, NULL, tall_csv_field_find (TALL_SCOPE_CUSTOMER, "number"));
  if (order != NONE || customer == NONE)
    return TALL_MAPPING_ORDERS;
  return count_values (sample, (guint)customer, &n_runs) == sample->rows->len
             ? TALL_MAPPING_CUSTOMERS
             : TALL_MAPPING_ORDERS;
}

gint
tall_sniffed_column_find (const TallSample *sample,
                          const TallSniffedColumn *columns,
                          TallCsvScope scope,
                          const char *field)
{
  for (guint i = 0; i < sample->n_columns; i++)
    if (columns[i].field == tall_csv_field_find (scope, field))
      return (gint)i;
  return NONE;
}

/* The values that come in runs, each once, are probably numbers of orders. */
static gint
find_order_column (const TallSample *sample, const TallSniffedColumn *columns)
{
  gint found = NONE;
  guint most = 1, n_runs;
  for (guint i = 0; i < sample->n_columns; i++)
    {
      if (columns[i].field != NULL || !are_numbers (sample, i) || tall_sniff_is_date (sample, i))
        continue;
      guint n = count_values (sample, i, &n_runs);
      if (n == n_runs && n < sample->rows->len && n > most)
        {
          found = (gint)i;
          most = n;
        }
    }
  return found;
}

/* The one with most values of those that an order has one of. */
static gint
find_customer_column (const TallSample *sample, const TallSniffedColumn *columns, guint order)
{
  gint found = NONE;
  guint most = 1, n_runs;
  for (guint i = 0; i < sample->n_columns; i++)
    {
      if (columns[i].field != NULL || !are_numbers (sample, i) || tall_sniff_is_date (sample, i)
          || !depends_on (sample, i, order))
        continue;
      guint n = count_values (sample, i, &n_runs);
      if (n > most)
        found = (gint)i;
      most = MAX (most, n);
    }
  return found;
}

static gint
find_date_column (const TallSample *sample, const TallSniffedColumn *columns)
{
  for (guint i = 0; i < sample->n_columns; i++)
    if (columns[i].field == NULL && tall_sniff_is_date (sample, i))
      return (gint)i;
  return NONE;
}

static void
take (TallSniffedColumn *columns, gint column, const TallCsvField *field, const char *reason)
{
  if (column == NONE)
    return;
  columns[column].field = field;
  columns[column].reason = reason;
}

static void
take_by_content (const TallSample *sample, TallSniffedColumn *columns)
{
  static const char *const fields[] = { "order_number", "customer_number", "sales_date" };
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      gint order = tall_sniffed_column_find (sample, columns, TALL_SCOPE_ORDER, fields[0]);
      if (tall_sniffed_column_find (sample, columns, TALL_SCOPE_ORDER, fields[i]) != NONE)
        continue;
      const TallCsvField *field = tall_csv_field_find (TALL_SCOPE_ORDER, fields[i]);
      if (i == 0)
        take (columns, find_order_column (sample, columns), field,
              "By its values, not by its name: each comes in rows that follow each other.");
      else if (i == 1 && order != NONE)
        take (columns, find_customer_column (sample, columns, (guint)order), field,
              "By its values, not by its name: each order has one.");
      else if (i == 2)
        take (columns, find_date_column (sample, columns), field,
              "By its values, not by its name: they are dates.");
    }
}

/**
 * tall_sniff_columns:
 *
 * Returns: (transfer full) (array): what each column of the sample probably holds
 */
TallSniffedColumn *
tall_sniff_columns (const TallSample *sample, TallMappingKind kind)
{
  TallSniffedColumn *columns = g_new0 (TallSniffedColumn, sample->n_columns + 1);
  guint n;
  const TallCsvField *fields = tall_csv_fields (&n);
  for (guint i = 0; i < n; i++)
    if ((fields[i].scope == TALL_SCOPE_CUSTOMER) == (kind == TALL_MAPPING_CUSTOMERS))
      take (columns, find_by_name (sample, columns, &fields[i]), &fields[i], "By its name.");
  if (kind == TALL_MAPPING_CUSTOMERS)
    return columns;
  take_by_content (sample, columns);
  gint order = tall_sniffed_column_find (sample, columns, TALL_SCOPE_ORDER, "order_number");
  for (guint i = 0; order != NONE && i < sample->n_columns; i++)
    columns[i].is_of_order = depends_on (sample, i, (guint)order);
  return columns;
}
