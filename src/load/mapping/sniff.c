/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/sniff.h"

#include "load/mapping/mapping-private.h"
#include "load/mapping/sniff-private.h"
#include "load/sql/query.h"
#include "tall-limits.h"

#include <string.h>

#define NONE TALL_SNIFF_NONE
/* Ways to write dates, the likeliest first. */
static const TallSniffDates date_ways[TALL_SNIFF_N_DATES] = {
  { "iso", TALL_DATES_ISO, FALSE, TRUE },
  { "dmy", TALL_DATES_DMY, FALSE, TRUE },
  { "mdy", TALL_DATES_MDY, FALSE, TRUE },
  { "dmy", TALL_DATES_DMY, TRUE, TRUE },
  { "mdy", TALL_DATES_MDY, TRUE, TRUE },
  { "%Y/%m/%d|%Y/%m/%d %H:%M|%Y/%m/%d %H:%M:%S", TALL_DATES_OWN, FALSE, TRUE },
  { "%b-%d-%y|%b %d, %y", TALL_DATES_OWN, TRUE, TRUE },
  { "%d %b %Y|%d-%b-%Y|%d-%b-%Y %H:%M", TALL_DATES_OWN, FALSE, TRUE },
  { "%b %d, %Y|%a, %d %b %Y", TALL_DATES_OWN, FALSE, TRUE },
  { "%m/%d/%Y %I:%M %p|%m/%d/%Y %I:%M:%S %p", TALL_DATES_OWN, FALSE, TRUE },
  { "%d/%m/%Y %I:%M %p|%d/%m/%Y %I:%M:%S %p", TALL_DATES_OWN, FALSE, TRUE },
  { "%Y-%m-%d %H:%M:%S.%f|%Y-%m-%dT%H:%M:%S.%f%z|%Y-%m-%d %H:%M:%S %z", TALL_DATES_OWN, FALSE,
    TRUE },
  { "%Y%m%d|%Y%m%d%H%M%S", TALL_DATES_OWN, FALSE, FALSE },
  { "%s", TALL_DATES_OWN, FALSE, FALSE },
  { "%Q", TALL_DATES_OWN, FALSE, FALSE },
};

#define N_WAYS TALL_SNIFF_N_DATES
#define FIRST_YEAR 1970

static const char *
get_text (const TallSniffColumn *column, guint row)
{
  return tall_sample_get (column->file, row, column->i);
}

/* Whether a text is of that kind, written in that way. */
static gboolean
fits (const char *text, TallModelKind kind, const TallValueFormat *format)
{
  gint64 date;
  TallDecimal value;
  switch (kind)
    {
    case TALL_MODEL_DATE:
      return tall_parse_date (text, format, &date, NULL);
    case TALL_MODEL_DECIMAL:
      return tall_parse_decimal (text, format, &value, NULL);
    case TALL_MODEL_RATE:
      return tall_parse_discount (text, format, &value, NULL);
    default:
      return tall_validate_number (text, NULL, NULL);
    }
}

TallSniffColumn *
tall_sniff_find (const TallSniff *self, TallCsvScope scope, const char *field)
{
  for (guint i = 0; i < self->columns->len; i++)
    if (tall_sniff_get (self, i)->field == tall_csv_field_find (scope, field))
      return tall_sniff_get (self, i);
  return NULL;
}

/* How many values of a column fit; @n of them are not empty. */
static guint
count_fits (const TallSniffColumn *column,
            TallModelKind kind,
            const TallValueFormat *format,
            guint *n)
{
  guint fitting = 0;
  *n = 0;
  for (guint row = 0; row < column->file->rows->len; row++)
    if (*get_text (column, row) != '\0')
      {
        (*n)++;
        fitting += fits (get_text (column, row), kind, format);
      }
  return fitting;
}

static gboolean
one_misfits (const TallSniffColumn *column, TallModelKind kind, const TallValueFormat *format)
{
  guint n;
  return count_fits (column, kind, format, &n) < n;
}

/* Whether all values are whole numbers with `.0` behind them. */
static gboolean
are_floats (const TallSniffColumn *column)
{
  guint n = 0;
  for (guint row = 0; row < column->file->rows->len; row++)
    {
      const char *text = get_text (column, row);
      gsize digits = strspn (text, "0123456789");
      if (*text != '\0' && (digits == 0 || !g_str_equal (text + digits, ".0")))
        return FALSE;
      n += *text != '\0';
    }
  return n > 0;
}

static TallValueFormat
make_date_format (guint way)
{
  return (TallValueFormat){ .dates = date_ways[way].kind,
                            .date_forms = date_ways[way].dates,
                            .first_year = date_ways[way].has_short_years ? FIRST_YEAR : 0 };
}

/* TRUE if all values of a column look like dates, and like nothing else. */
static gboolean
is_date (const TallSniffColumn *column)
{
  guint n;
  for (guint way = 0; way < N_WAYS; way++)
    {
      TallValueFormat format = make_date_format (way);
      if (date_ways[way].is_telling && count_fits (column, TALL_MODEL_DATE, &format, &n) == n
          && n > 0)
        return TRUE;
    }
  return FALSE;
}

/* The number of the order of each row; NULL: there is none in this file. */
static const char **
list_orders (const TallSniff *self, const TallSample *file)
{
  const TallSniffColumn *number = tall_sniff_find (self, TALL_SCOPE_ORDER, "order_number");
  gint key = file->key;
  if (key == NONE && number != NULL && number->file == file)
    key = (gint)number->i;
  if (key == NONE || file->from != NONE)
    return NULL;
  const char **orders = g_new0 (const char *, file->rows->len + 1);
  for (guint row = 0; row < file->rows->len; row++)
    {
      orders[row] = tall_sample_get (file, row, (guint)key);
      if (self->fills && *orders[row] == '\0' && row > 0)
        orders[row] = orders[row - 1];
    }
  return orders;
}

static TallSniffAgreement
compare_rows (const TallSniffColumn *column, const char **orders)
{
  g_autoptr (GHashTable) values = g_hash_table_new (g_str_hash, g_str_equal);
  TallSniffAgreement rows = TALL_SNIFF_SAME;
  for (guint row = 0; row < column->file->rows->len; row++)
    {
      const char *text = get_text (column, row);
      const char *first = g_hash_table_lookup (values, orders[row]);
      if (*orders[row] == '\0')
        continue;
      if (first == NULL)
        g_hash_table_insert (values, (gpointer)orders[row], (gpointer)text);
      else if (g_str_equal (first, text))
        continue;
      else if (*text != '\0')
        return TALL_SNIFF_DIFFERS;
      else
        rows = TALL_SNIFF_FIRST_ONLY;
    }
  return rows;
}

/* Of what is looked up, the file that names it says whether the order has one of it. */
static void
compare_all (TallSniff *self)
{
  for (guint i = 0; i < self->columns->len; i++)
    {
      const TallSample *file = tall_sniff_get (self, i)->file;
      g_autofree const char **orders = list_orders (self, file);
      tall_sniff_get (self, i)->rows = orders != NULL
                                           ? compare_rows (tall_sniff_get (self, i), orders)
                                       : file->is_of_order ? TALL_SNIFF_SAME
                                                           : TALL_SNIFF_DIFFERS;
    }
}

static void
take (TallSniffColumn *column, const TallCsvField *field, const char *reason)
{
  if (column == NULL)
    return;
  column->field = field;
  column->reason = reason;
}

/* Whether a column is called as a mapping calls the field: `ship_date`, `location.ship_date`. What
 * things of two kinds have, such as a number, needs the longer name. */
static gboolean
is_own_name (const TallCsvField *field, const char *column)
{
  guint n, n_same = 0;
  const TallCsvField *fields = tall_csv_fields (&n);
  g_autofree char *full =
      g_strconcat (tall_csv_field_scope_name (field->scope), ".", field->name, NULL);
  for (guint i = 0; i < n; i++)
    n_same += g_str_equal (fields[i].name, field->name);
  return g_str_equal (column, full)
         || (g_str_equal (column, field->name) && (n_same == 1 || field->address != NULL));
}

/* The free column with the surest name for a field: its own, or one that is usual. */
static TallSniffColumn *
find_by_name (const TallSniff *self, const TallCsvField *field, gboolean is_own)
{
  TallSniffColumn *found = NULL;
  guint best = G_MAXUINT, rank = 0;
  for (guint i = 0; i < self->columns->len; i++)
    {
      TallSniffColumn *column = tall_sniff_get (self, i);
      gboolean fits_name = is_own ? is_own_name (field, column->file->columns[column->i])
                                  : tall_sniff_names (field, column->name, &rank);
      if (column->field != NULL || !fits_name || rank >= best)
        continue;
      found = column;
      best = rank;
    }
  return found;
}

/* How many values there are, and how often another follows. */
static guint
count_values (const TallSniffColumn *column, guint *n_runs)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  *n_runs = 0;
  for (guint row = 0; row < column->file->rows->len; row++)
    {
      g_hash_table_add (seen, (gpointer)get_text (column, row));
      *n_runs += row == 0 || !g_str_equal (get_text (column, row - 1), get_text (column, row));
    }
  return g_hash_table_size (seen);
}

/* The free column of keys with most values: of orders, whose values come in runs, each once; or of
 * customers, of whom an order has one. */
static TallSniffColumn *
find_by_content (TallSniff *self, gboolean of_orders)
{
  TallSniffColumn *found = NULL;
  guint most = 1, n_runs;
  compare_all (self);
  for (guint i = 0; i < self->columns->len; i++)
    {
      TallSniffColumn *column = tall_sniff_get (self, i);
      if (column->field != NULL || (!of_orders && column->rows != TALL_SNIFF_SAME)
          || is_date (column)
          || count_fits (column, TALL_MODEL_NUMBER, NULL, &n_runs) < column->file->rows->len)
        continue;
      guint n = count_values (column, &n_runs);
      if (n <= most || (of_orders && (n != n_runs || n == column->file->rows->len)))
        continue;
      found = column;
      most = n;
    }
  return found;
}

static void
take_by_content (TallSniff *self)
{
  const TallCsvField *order = tall_csv_field_find (TALL_SCOPE_ORDER, "order_number");
  const TallCsvField *customer = tall_csv_field_find (TALL_SCOPE_ORDER, "customer_number");
  const TallCsvField *date = tall_csv_field_find (TALL_SCOPE_ORDER, "sales_date");
  if (tall_sniff_find (self, TALL_SCOPE_ORDER, order->name) == NULL)
    take (find_by_content (self, TRUE), order,
          "By its values, not by its name: each comes in rows that follow each other.");
  if (tall_sniff_find (self, TALL_SCOPE_ORDER, order->name) != NULL
      && tall_sniff_find (self, TALL_SCOPE_ORDER, customer->name) == NULL)
    take (find_by_content (self, FALSE), customer,
          "By its values, not by its name: each order has one.");
  for (guint i = 0;
       i < self->columns->len && tall_sniff_find (self, TALL_SCOPE_ORDER, date->name) == NULL; i++)
    if (tall_sniff_get (self, i)->field == NULL && is_date (tall_sniff_get (self, i)))
      take (tall_sniff_get (self, i), date, "By its values, not by its name: they are dates.");
}

/* Rows without an order's number go on with the order before them if they have no customer either,
 * but a quantity. */
static gboolean
find_fills (const TallSniff *self)
{
  const TallSniffColumn *order = tall_sniff_find (self, TALL_SCOPE_ORDER, "order_number");
  const TallSniffColumn *customer = tall_sniff_find (self, TALL_SCOPE_ORDER, "customer_number");
  const TallSniffColumn *quantity = tall_sniff_find (self, TALL_SCOPE_LINE, "quantity");
  guint n = 0;
  if (self->files->len > 1 || order == NULL || customer == NULL || quantity == NULL)
    return FALSE;
  for (guint row = 1; row < order->file->rows->len; row++)
    if (*get_text (order, row) == '\0' && *get_text (customer, row) == '\0')
      {
        if (!fits (get_text (quantity, row), TALL_MODEL_DECIMAL,
                   &(TallValueFormat){ .dates = TALL_DATES_ISO }))
          return FALSE;
        n++;
      }
  return n > 0;
}

/* Customers, if a column is called as their number is, all its values differ, and none is called as
 * the number of an order. */
static TallMappingKind
guess_kind (const TallSniff *self)
{
  guint n_runs;
  const TallSniffColumn *order =
      find_by_name (self, tall_csv_field_find (TALL_SCOPE_ORDER, "order_number"), FALSE);
  const TallSniffColumn *customer =
      find_by_name (self, tall_csv_field_find (TALL_SCOPE_CUSTOMER, "number"), FALSE);
  return order == NULL && customer != NULL && self->files->len == 1
                 && count_values (customer, &n_runs) == customer->file->rows->len
             ? TALL_MAPPING_CUSTOMERS
             : TALL_MAPPING_ORDERS;
}

static void
guess_fields (TallSniff *self)
{
  guint n;
  const TallCsvField *fields = tall_csv_fields (&n);
  for (gint own = 1; own >= 0; own--)
    for (guint i = 0; i < n; i++)
      if ((fields[i].scope == TALL_SCOPE_CUSTOMER) == (self->kind == TALL_MAPPING_CUSTOMERS)
          && tall_sniff_find (self, fields[i].scope, fields[i].name) == NULL)
        take (find_by_name (self, &fields[i], own), &fields[i], "By its name.");
  if (self->kind == TALL_MAPPING_CUSTOMERS)
    return;
  take_by_content (self);
  const TallCsvField *price = tall_csv_field_find (TALL_SCOPE_LINE, "price");
  for (guint i = 0;
       i < self->columns->len && tall_sniff_find (self, TALL_SCOPE_LINE, "price") == NULL; i++)
    if (tall_sniff_get (self, i)->field == NULL
        && tall_sniff_find (self, TALL_SCOPE_LINE, "quantity") != NULL
        && tall_sniff_names_total (tall_sniff_get (self, i)->name))
      {
        take (tall_sniff_get (self, i), price,
              "By its name, what all pieces cost; look at some lines.");
        tall_sniff_get (self, i)->is_total = TRUE;
      }
  self->fills = find_fills (self);
  compare_all (self);
}

/* What stands around the digits of a number: a currency sign. NULL: nothing. */
static char *
find_sign (const char *text)
{
  static const char around[] = "0123456789.,'()- ";
  const char *at = text + strspn (text, around);
  g_autofree char *sign = g_strndup (at, strcspn (at, around));
  g_auto (GStrv) parts = g_strsplit (sign, "\xc2\xa0", -1);
  g_autofree char *joined = g_strjoinv ("", parts);
  return *joined == '\0' || strpbrk (joined, "\"%+") != NULL || strstr (joined, "’") != NULL
             ? NULL
             : g_steal_pointer (&joined);
}

#define MAX_SIGNS 3
#define MAX_SIGN_LENGTH 4

static char *
find_signs (const TallSniff *self)
{
  g_autoptr (GPtrArray) signs = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < self->columns->len; i++)
    for (guint row = 0; row < tall_sniff_get (self, i)->file->rows->len; row++)
      {
        TallModelKind kind = tall_sniff_get_kind (tall_sniff_get (self, i));
        if (kind != TALL_MODEL_DECIMAL && kind != TALL_MODEL_RATE)
          break;
        g_autofree char *sign = find_sign (get_text (tall_sniff_get (self, i), row));
        if (sign != NULL && g_utf8_strlen (sign, -1) <= MAX_SIGN_LENGTH
            && !g_ptr_array_find_with_equal_func (signs, sign, g_str_equal, NULL))
          g_ptr_array_add (signs, g_steal_pointer (&sign));
      }
  if (signs->len == 0 || signs->len > MAX_SIGNS)
    return NULL;
  g_ptr_array_add (signs, NULL);
  return g_strjoinv (" ", (char **)signs->pdata);
}

static const char *const separators[] = { NULL, ".", ",", " ", "'", "’" };

#define N_NEGATIVES 3 /* #TallNegative */

static guint
count_all_fits (const TallSniff *self, const TallValueFormat *format, guint *n)
{
  guint fitting = 0, filled;
  *n = 0;
  for (guint i = 0; i < self->columns->len; i++)
    if (tall_sniff_get_kind (tall_sniff_get (self, i)) == TALL_MODEL_DECIMAL)
      {
        fitting += count_fits (tall_sniff_get (self, i), TALL_MODEL_DECIMAL, format, &filled);
        *n += filled;
      }
  return fitting;
}

/* The simplest way to write numbers that fits most values. */
static void
guess_numbers (TallSniff *self)
{
  /* Where a semicolon parts columns, it is because commas stand in numbers. */
  gboolean comma_first = tall_sniff_files_get (self->files, 0)->delimiter == ';';
  guint best_fits = 0, n = 0, n_best = 0;
  self->signs = find_signs (self);
  for (guint way = 0; way < 2 * G_N_ELEMENTS (separators) * N_NEGATIVES; way++)
    {
      TallValueFormat format = {
        .decimal_comma = (way % 2 == 1) != comma_first,
        .thousands = separators[way / 2 % G_N_ELEMENTS (separators)],
        .signs = self->signs,
        .negative = (TallNegative)(way / 2 / G_N_ELEMENTS (separators)),
      };
      if (g_strcmp0 (format.thousands, format.decimal_comma ? "," : ".") == 0)
        continue;
      guint fits = count_all_fits (self, &format, &n);
      if (fits > best_fits)
        {
          self->numbers = format;
          n_best = 0;
        }
      n_best += fits >= best_fits && format.decimal_comma != self->numbers.decimal_comma;
      best_fits = MAX (best_fits, fits);
    }
  gboolean says = self->numbers.decimal_comma || self->numbers.thousands != NULL;
  if (n > 0)
    self->numbers_reason = g_strdup_printf (
        "%u of %u values are numbers of this form.%s", best_fits, n,
        says && n_best > 0 ? " They fit another form as well: look at a large amount." : "");
}

/* The way that fits most values of a column, or, with NULL, of all; the likeliest of several. */
static guint
choose_way (const TallSniff *self, const TallSniffColumn *column, guint *fitting, guint *n)
{
  guint best = 0;
  *fitting = *n = 0;
  for (guint way = 0; way < N_WAYS; way++)
    {
      guint fits = 0;
      *n = 0;
      for (guint i = 0; i < self->columns->len; i++)
        if (column == NULL || column == tall_sniff_get (self, i))
          {
            fits += tall_sniff_get (self, i)->fits[way];
            *n += tall_sniff_get (self, i)->n_filled;
          }
      if (fits > *fitting)
        best = way;
      *fitting = MAX (*fitting, fits);
    }
  return best;
}

static void
guess_dates (TallSniff *self)
{
  guint fitting, n, own, all = 0, n_columns = 0, other = 0;
  for (guint i = 0; i < self->columns->len; i++)
    {
      TallSniffColumn *column = tall_sniff_get (self, i);
      if (tall_sniff_get_kind (column) != TALL_MODEL_DATE)
        continue;
      n_columns++;
      for (guint way = 0; way < N_WAYS; way++)
        {
          TallValueFormat format = make_date_format (way);
          column->fits[way] = count_fits (column, TALL_MODEL_DATE, &format, &column->n_filled);
        }
      column->dates = &date_ways[choose_way (self, column, &own, &n)];
      self->is_whole &= own > 0 || n == 0;
      all += own;
    }
  guint way = choose_way (self, NULL, &fitting, &n);
  self->dates = &date_ways[way];
  self->is_sql |= all > fitting;
  for (guint i = 0; i < self->columns->len; i++)
    {
      TallSniffColumn *column = tall_sniff_get (self, i);
      other += column->fits[MIN (way + 1, N_WAYS - 1)];
      if (column->dates != NULL && column->fits[way] == column->fits[column->dates - date_ways])
        column->dates = self->dates;
    }
  gboolean is_open = self->dates->kind == TALL_DATES_DMY && other == fitting;
  if (n_columns > 0)
    self->dates_reason =
        g_strdup_printf ("%u of %u values are dates of this form.%s", fitting, n,
                         is_open ? " All fit mdy as well: look whether the day goes before the "
                                   "month."
                                 : "");
}

/* Whether an earlier column has the same values, as one that was joined in often does. */
static gboolean
is_repeated (const TallSniff *self, guint i)
{
  const TallSniffColumn *column = tall_sniff_get (self, i);
  guint n = column->file->rows->len;
  for (guint k = 0; k < i; k++)
    {
      const TallSniffColumn *earlier = tall_sniff_get (self, k);
      guint row = 0;
      while (earlier->file == column->file && row < n
             && g_str_equal (get_text (column, row), get_text (earlier, row)))
        row++;
      if (row > 0 && row == n)
        return TRUE;
    }
  return FALSE;
}

/* What a .map cannot say. */
static void
guess_needs (TallSniff *self)
{
  self->is_sql |= self->fills || self->files->len > 1;
  for (guint i = 0; i < self->columns->len; i++)
    {
      TallSniffColumn *column = tall_sniff_get (self, i);
      TallModelKind kind = tall_sniff_get_kind (column);
      TallValueFormat percent = self->numbers;
      percent.discount_percent = TRUE;
      column->is_repeated = is_repeated (self, i);
      if (column->field == NULL)
        continue;
      column->is_float = kind == TALL_MODEL_NUMBER && are_floats (column);
      column->is_amount =
          kind == TALL_MODEL_RATE
          && (tall_sniff_names_amount (column->name) || one_misfits (column, kind, &percent));
      gboolean is_spread =
          (column->field->scope == TALL_SCOPE_LOCATION || column->field->scope == TALL_SCOPE_ORDER)
          && tall_sniff_find (self, TALL_SCOPE_ORDER, "order_number") != NULL
          && (column->rows == TALL_SNIFF_FIRST_ONLY
              || (kind == TALL_MODEL_DATE && column->rows == TALL_SNIFF_DIFFERS
                  && column->field->scope == TALL_SCOPE_ORDER));
      self->is_percent |= kind == TALL_MODEL_RATE && one_misfits (column, kind, &self->numbers);
      self->is_sql |= column->is_total || column->is_float || is_spread || column->is_amount;
    }
}

static void
list_columns (TallSniff *self)
{
  for (guint i = 0; i < self->files->len; i++)
    {
      TallSample *file = tall_sniff_files_get (self->files, i);
      gboolean is_one = self->files->len == 1;
      for (guint k = 0; k < file->n_columns && (is_one || file->key != NONE); k++)
        {
          TallSniffColumn column = { .file = file,
                                     .i = k,
                                     .name = is_one ? g_strdup (file->columns[k])
                                                    : tall_sniff_get_telling_name (file, k) };
          if (i > 0 && (gint)k == file->key)
            g_free (column.name); /* it says what the column that names it says */
          else
            g_array_append_val (self->columns, column);
        }
    }
}

static void
guess (TallSniff *self)
{
  list_columns (self);
  self->kind = guess_kind (self);
  guess_fields (self);
  guess_numbers (self);
  guess_dates (self);
  guess_needs (self);
}

static void
clear_column (gpointer data)
{
  g_free (((TallSniffColumn *)data)->name);
}

/**
 * tall_sniff_find_preset:
 * @path: a file; perhaps a pipe, which is not read
 * @columns: (nullable): those that were read from it
 *
 * Returns: (nullable): the preset that its columns fit; NULL if none does
 */
const char *
tall_sniff_find_preset (const char *path, const char *const *columns)
{
  gboolean is_regular = g_file_test (path, G_FILE_TEST_IS_REGULAR);
  const char *const *presets = tall_mapping_presets ();
  for (guint i = 0; presets[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallMapping) preset = tall_mapping_load (presets[i], &error);
      if (preset == NULL)
        g_error ("preset %s: %s", presets[i], error->message);
      g_autoptr (TallCsvReader) reader =
          is_regular ? tall_csv_reader_open (path, &preset->dialect, TALL_CSV_MAX_ROW, NULL) : NULL;
      const char *const *own = reader != NULL ? tall_csv_reader_get_columns (reader) : columns;
      if (own != NULL
          && (preset->sql != NULL ? tall_sql_fits (preset, own) : tall_mapping_fits (preset, own)))
        return presets[i];
    }
  return NULL;
}

/* Those of files that are not joined are gone. */
static void
name_joined (const GPtrArray *files, const char **names, guint n)
{
  for (guint i = 0; i < files->len; i++)
    for (guint k = 0; k < n; k++)
      if (files->len == 1
          || (tall_sniff_files_get (files, i)->key == NONE
              && g_strcmp0 (names[k], tall_sniff_files_get (files, i)->name) == 0))
        names[k] = NULL;
}

/**
 * tall_sniff:
 * @paths: @n files that can be read several times
 * @names: (inout): what the mapping is to call the files, or NULL; then what it calls those that it
 *   joins, and NULL for the others
 * @is_whole: (out): nothing is left to be filled in before files can be loaded with it
 *
 * Guesses a mapping from the first rows of files. Those with different columns are joined.
 *
 * Returns: (transfer full): a mapping, or a query where that cannot say it, with the reason for
 * each guess as a comment; NULL if a file cannot be read, or with %TALL_ERROR_INVALID if they
 * cannot be joined
 */
char *
tall_sniff (
    const char *const *paths, const char **names, guint n, gboolean *is_whole, GError **error)
{
  g_autoptr (GPtrArray) files = tall_sniff_files_read (paths, names, n, error);
  if (files == NULL || (files->len > 1 && !tall_sniff_files_join (files, error)))
    return NULL;
  name_joined (files, names, n);
  const char *preset = files->len == 1 ? tall_sniff_find_preset (paths[0], NULL) : NULL;
  g_autofree char *text = preset != NULL ? tall_mapping_preset_text (preset) : NULL;
  *is_whole = TRUE;
  if (text != NULL && g_str_has_prefix (text, "--"))
    return g_strdup_printf ("-- The columns are those of the preset %s: --map %s\n%s", preset,
                            preset, text);
  TallSniff self = { .files = files, .preset = preset, .is_whole = TRUE, .map = g_key_file_new () };
  self.columns = g_array_new (FALSE, FALSE, sizeof (TallSniffColumn));
  g_array_set_clear_func (self.columns, clear_column);
  GString **texts[] = { &self.settings, &self.select, &self.attributes, &self.left };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    *texts[i] = g_string_new (NULL);
  guess (&self);
  char *written = tall_sniff_write (&self);
  *is_whole = self.is_whole;
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    g_string_free (*texts[i], TRUE);
  g_key_file_unref (self.map);
  g_array_unref (self.columns);
  g_free (self.signs);
  g_free (self.numbers_reason);
  g_free (self.dates_reason);
  return written;
}
