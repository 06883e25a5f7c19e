/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/sniff.h"

#include "load/mapping/mapping-private.h"
#include "load/mapping/sniff-files.h"
#include "tall-limits.h"

#include <string.h>

/* Ways to write dates, the likeliest first. */
static const struct
{
  const char *dates; /* as the mapping says it */
  TallDates kind;
  gboolean has_short_years;
  gboolean is_telling; /* nothing but a date looks like this */
} date_ways[] = {
  { "iso", TALL_DATES_ISO, FALSE, TRUE },
  { "dmy", TALL_DATES_DMY, FALSE, TRUE },
  { "mdy", TALL_DATES_MDY, FALSE, TRUE },
  { "dmy", TALL_DATES_DMY, TRUE, TRUE },
  { "mdy", TALL_DATES_MDY, TRUE, TRUE },
  { "%Y/%m/%d|%Y/%m/%d %H:%M|%Y/%m/%d %H:%M:%S", TALL_DATES_OWN, FALSE, TRUE },
  { "%d %b %Y|%d-%b-%Y|%d-%b-%Y %H:%M", TALL_DATES_OWN, FALSE, TRUE },
  { "%b %d, %Y|%a, %d %b %Y", TALL_DATES_OWN, FALSE, TRUE },
  { "%m/%d/%Y %I:%M %p|%m/%d/%Y %I:%M:%S %p", TALL_DATES_OWN, FALSE, TRUE },
  { "%d/%m/%Y %I:%M %p|%d/%m/%Y %I:%M:%S %p", TALL_DATES_OWN, FALSE, TRUE },
  { "%Y-%m-%d %H:%M:%S.%f|%Y-%m-%dT%H:%M:%S.%f%z", TALL_DATES_OWN, FALSE, TRUE },
  { "%Y%m%d|%Y%m%d%H%M%S", TALL_DATES_OWN, FALSE, FALSE },
  { "%s", TALL_DATES_OWN, FALSE, FALSE },
  { "%Q", TALL_DATES_OWN, FALSE, FALSE },
};

#define FIRST_YEAR 1970

static TallValueFormat
make_date_format (guint way)
{
  return (TallValueFormat){ .dates = date_ways[way].kind,
                            .date_forms = date_ways[way].dates,
                            .first_year = date_ways[way].has_short_years ? FIRST_YEAR : 0 };
}

typedef gboolean (*Fits) (const char *text, const TallValueFormat *format);

static gboolean
fits_date (const char *text, const TallValueFormat *format)
{
  gint64 date;
  return tall_parse_date (text, format, &date, NULL);
}

static gboolean
fits_number (const char *text, const TallValueFormat *format)
{
  TallDecimal value;
  return tall_parse_decimal (text, format, &value, NULL);
}

/* How many values of a column fit; @n of them are not empty. */
static guint
count_fits (
    const TallSample *sample, guint column, Fits fits, const TallValueFormat *format, guint *n)
{
  guint fitting = 0;
  *n = 0;
  for (guint i = 0; i < sample->rows->len; i++)
    {
      const char *text = tall_sample_get (sample, i, column);
      if (*text == '\0')
        continue;
      (*n)++;
      fitting += fits (text, format);
    }
  return fitting;
}

static guint
count_all_fits (const TallSample *sample,
                const GArray *columns,
                Fits fits,
                const TallValueFormat *format,
                guint *n)
{
  guint fitting = 0, filled;
  *n = 0;
  for (guint i = 0; i < columns->len; i++)
    {
      fitting += count_fits (sample, g_array_index (columns, guint, i), fits, format, &filled);
      *n += filled;
    }
  return fitting;
}

/* TRUE if all values of a column look like dates, and like nothing else. */
gboolean
tall_sniff_is_date (const TallSample *sample, guint column)
{
  for (guint way = 0; way < G_N_ELEMENTS (date_ways); way++)
    {
      TallValueFormat format = make_date_format (way);
      guint n, fitting = count_fits (sample, column, fits_date, &format, &n);
      if (date_ways[way].is_telling && n > 0 && fitting == n)
        return TRUE;
    }
  return FALSE;
}

/**
 * tall_sniff_dates:
 * @columns: (element-type guint): those that hold dates
 * @found: (out caller-allocates): the way that fits most values
 */
void
tall_sniff_dates (const TallSample *sample, const GArray *columns, TallSniffedDates *found)
{
  guint best = 0, best_fits = 0, n = 0, fits[G_N_ELEMENTS (date_ways)];
  for (guint way = 0; way < G_N_ELEMENTS (date_ways); way++)
    {
      TallValueFormat format = make_date_format (way);
      fits[way] = count_all_fits (sample, columns, fits_date, &format, &n);
      if (fits[way] > best_fits)
        best = way;
      best_fits = MAX (best_fits, fits[way]);
    }
  gboolean is_open = date_ways[best].kind == TALL_DATES_DMY && fits[best + 1] == best_fits;
  found->dates = date_ways[best].dates;
  found->has_short_years = date_ways[best].has_short_years;
  found->reason =
      g_strdup_printf ("%u of %u values are dates of this form.%s", best_fits, n,
                       is_open ? " All fit mdy as well: look whether the day goes before the month."
                               : "");
}

/* What stands around the digits of a number: a currency sign. NULL: nothing. */
static char *
find_sign (const char *text)
{
  static const char around[] = "0123456789.,'()- ";
  g_autofree char *copy = g_strdup (text);
  const char *at = copy;
  while (*at != '\0' && strchr (around, *at) != NULL)
    at++;
  gsize len = strcspn (at, around);
  if (len == 0)
    return NULL;
  g_autofree char *sign = g_strndup (at, len);
  g_auto (GStrv) parts = g_strsplit (sign, "\xc2\xa0", -1);
  g_autofree char *joined = g_strjoinv ("", parts);
  return *joined == '\0' || strpbrk (joined, "\"%+’") != NULL ? NULL : g_steal_pointer (&joined);
}

#define MAX_SIGNS 3

static char *
find_signs (const TallSample *sample, const GArray *columns)
{
  g_autoptr (GPtrArray) signs = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < columns->len; i++)
    for (guint row = 0; row < sample->rows->len; row++)
      {
        g_autofree char *sign =
            find_sign (tall_sample_get (sample, row, g_array_index (columns, guint, i)));
        if (sign != NULL && !g_ptr_array_find_with_equal_func (signs, sign, g_str_equal, NULL))
          g_ptr_array_add (signs, g_steal_pointer (&sign));
      }
  if (signs->len == 0 || signs->len > MAX_SIGNS)
    return NULL;
  g_ptr_array_add (signs, NULL);
  return g_strjoinv (" ", (char **)signs->pdata);
}

static const char *const separators[] = { NULL, ".", ",", " ", "'", "’" };
static const char *const negatives[] = { NULL, "parentheses", "trailing-minus" };

/* One way to write numbers of the many. FALSE: there is none of that number. */
static gboolean
make_number_format (guint way, gboolean comma_first, const char *signs, TallValueFormat *format)
{
  guint separator = way / 2 % G_N_ELEMENTS (separators);
  guint negative = way / 2 / G_N_ELEMENTS (separators);
  *format = (TallValueFormat){ .decimal_comma = (way % 2 == 1) != comma_first,
                               .thousands = separators[separator],
                               .signs = signs,
                               .negative = (TallNegative)negative };
  return negative < G_N_ELEMENTS (negatives);
}

/**
 * tall_sniff_numbers:
 * @columns: (element-type guint): those that hold numbers
 * @found: (out caller-allocates): the simplest way that fits most values
 */
void
tall_sniff_numbers (const TallSample *sample, const GArray *columns, TallSniffedNumbers *found)
{
  /* Where a semicolon parts columns, it is because commas stand in numbers. */
  gboolean comma_first = sample->delimiter == ';';
  g_autofree char *signs = find_signs (sample, columns);
  TallValueFormat format, best = { .decimal_comma = FALSE };
  guint best_fits = 0, n = 0, n_best = 0;
  for (guint way = 0; make_number_format (way, comma_first, signs, &format); way++)
    {
      if (g_strcmp0 (format.thousands, format.decimal_comma ? "," : ".") == 0)
        continue;
      guint fits = count_all_fits (sample, columns, fits_number, &format, &n);
      if (fits > best_fits)
        {
          best = format;
          n_best = 0;
        }
      n_best += fits >= best_fits && format.decimal_comma != best.decimal_comma;
      best_fits = MAX (best_fits, fits);
    }
  gboolean says = best.decimal_comma || best.thousands != NULL;
  found->decimal_comma = best.decimal_comma;
  found->thousands = best.thousands;
  found->negative = negatives[best.negative];
  found->signs = best_fits > 0 ? g_steal_pointer (&signs) : NULL;
  found->reason = g_strdup_printf ("%u of %u values are numbers of this form.%s", best_fits, n,
                                   says && n_best > 0
                                       ? " They fit another form as well: look at a large amount."
                                       : "");
}

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

#define MAPPING "mapping"

typedef struct
{
  TallSample *sample; /* owned */
  TallMappingKind kind;
  TallSniffedColumn *columns; /* owned */
  GKeyFile *file;             /* owned */
} Sniff;

static void
sniff_clear (Sniff *self)
{
  g_clear_pointer (&self->sample, tall_sample_free);
  g_clear_pointer (&self->columns, g_free);
  g_clear_pointer (&self->file, g_key_file_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Sniff, sniff_clear)

/* What the mapping calls a column. */
static const char *
get_reference (const Sniff *self, guint column)
{
  return self->sample->names != NULL ? self->sample->names[column] : self->sample->columns[column];
}

static void
comment (Sniff *self, const char *group, const char *key, const char *reason)
{
  g_autofree char *text = g_strconcat (" ", reason, NULL);
  g_key_file_set_comment (self->file, group, key, g_strdelimit (text, "\r\n", ' '), NULL);
}

static void
add (Sniff *self, const char *group, const char *key, const char *value, const char *reason)
{
  g_key_file_set_string (self->file, group, key, value);
  if (reason != NULL)
    comment (self, group, key, reason);
}

static void
add_dialect (Sniff *self)
{
  g_auto (GStrv) names = g_strsplit (TALL_DELIMITER_NAMES, "|", -1);
  gsize delimiter = (gsize)(strchr (TALL_DELIMITERS, self->sample->delimiter) - TALL_DELIMITERS);
  gboolean of_orders = self->kind == TALL_MAPPING_ORDERS;
  add (self, MAPPING, "kind", of_orders ? "orders" : "customers",
       of_orders
           ? "A column is called like numbers of orders, or none is of customers that all differ."
           : "The numbers of customers all differ, and no column has numbers of orders.");
  add (self, MAPPING, "delimiter", names[delimiter], self->sample->delimiter_reason);
  add (self, MAPPING, "encoding", self->sample->encoding != NULL ? self->sample->encoding : "UTF-8",
       self->sample->encoding_reason);
}

/* The columns whose fields are of that kind. */
static GArray *
list_columns (const Sniff *self, TallModelKind kind)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < self->sample->n_columns; i++)
    if (self->columns[i].field != NULL && tall_model_kind (self->columns[i].field->field) == kind)
      g_array_append_val (list, i);
  return list;
}

static void
add_dates (Sniff *self)
{
  g_autoptr (GArray) columns = list_columns (self, TALL_MODEL_DATE);
  if (columns->len == 0)
    return;
  TallSniffedDates found;
  tall_sniff_dates (self->sample, columns, &found);
  add (self, MAPPING, "dates", found.dates, found.reason);
  if (found.has_short_years)
    add (self, MAPPING, "two-digit-years", "1970", "70 is 1970, and 69 is 2069.");
  g_free (found.reason);
}

/* The currency of a sign that only one has. */
static void
add_currency (Sniff *self, const char *signs)
{
  static const char *const known[][2] = { { "£", "GBP" }, { "€", "EUR" }, { "¥", "JPY" } };
  if (tall_sniffed_column_find (self->sample, self->columns, TALL_SCOPE_ORDER, "currency") >= 0)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_equal (signs, known[i][0]) || g_str_equal (signs, known[i][1]))
      add (self, "defaults", "order.currency", known[i][1], "Amounts have this sign.");
}

static void
add_numbers (Sniff *self)
{
  g_autoptr (GArray) columns = list_columns (self, TALL_MODEL_DECIMAL);
  if (columns->len == 0)
    return;
  TallSniffedNumbers found;
  tall_sniff_numbers (self->sample, columns, &found);
  add (self, MAPPING, "decimal-comma", found.decimal_comma ? "true" : "false", found.reason);
  if (found.thousands != NULL)
    {
      g_autofree char *quoted = g_strdup_printf ("\"%s\"", found.thousands);
      add (self, MAPPING, "thousands", quoted, "It stands between groups of three digits.");
    }
  if (found.negative != NULL)
    add (self, MAPPING, "negative", found.negative, "Some numbers are written so.");
  if (found.signs != NULL)
    {
      add (self, MAPPING, "currency-signs", found.signs, "They stand beside numbers.");
      if (self->kind == TALL_MAPPING_ORDERS)
        add_currency (self, found.signs);
    }
  g_free (found.reason);
  g_free (found.signs);
}

static void
add_discount (Sniff *self)
{
  g_autoptr (GArray) columns = list_columns (self, TALL_MODEL_RATE);
  TallValueFormat format = { .decimal_comma = g_key_file_get_boolean (self->file, MAPPING,
                                                                      "decimal-comma", NULL) };
  gboolean is_rate = TRUE;
  for (guint i = 0; columns->len > 0 && i < self->sample->rows->len; i++)
    {
      TallDecimal value;
      const char *text = tall_sample_get (self->sample, i, g_array_index (columns, guint, 0));
      is_rate &= *text == '\0' || tall_parse_discount (text, &format, &value, NULL);
    }
  if (columns->len > 0)
    add (self, MAPPING, "discount", is_rate ? "rate" : "percent",
         is_rate ? "No value is over 1." : "Some values are over 1, or have a percent sign.");
}

static void
add_fields (Sniff *self)
{
  for (guint i = 0; i < self->sample->n_columns; i++)
    {
      const TallCsvField *field = self->columns[i].field;
      if (field != NULL)
        add (self, tall_csv_field_scope_name (field->scope), field->name, get_reference (self, i),
             self->columns[i].reason);
    }
}

/* Whether an earlier column has the same values, as one that was joined in often does. */
static gboolean
is_repeated (const Sniff *self, guint column)
{
  for (guint earlier = 0; earlier < column; earlier++)
    {
      guint i = 0;
      while (i < self->sample->rows->len
             && g_str_equal (tall_sample_get (self->sample, i, column),
                             tall_sample_get (self->sample, i, earlier)))
        i++;
      if (i > 0 && i == self->sample->rows->len)
        return TRUE;
    }
  return FALSE;
}

/* Columns that nothing is known of: what an order, or a customer, has one of is an attribute. */
static void
add_attributes (Sniff *self)
{
  const char *group = self->kind == TALL_MAPPING_ORDERS ? "order" : "customer";
  g_autoptr (GString) left = g_string_new (NULL);
  for (guint i = 0; i < self->sample->n_columns; i++)
    {
      g_autofree char *name = tall_sniff_normalize (self->sample->columns[i]);
      g_autofree char *key = g_strconcat ("attribute.", name, NULL);
      if (self->columns[i].field != NULL)
        continue;
      if (*name != '\0' && !is_repeated (self, i)
          && !g_key_file_has_key (self->file, group, key, NULL)
          && (self->kind == TALL_MAPPING_CUSTOMERS || self->columns[i].is_of_order))
        add (self, group, key, get_reference (self, i),
             self->kind == TALL_MAPPING_ORDERS ? "All rows of an order have the same value."
                                               : "No field is called like this.");
      else
        g_string_append_printf (left, "%s%s", left->len > 0 ? ", " : "", get_reference (self, i));
    }
  if (left->len == 0)
    return;
  g_string_prepend (left, "Not loaded, as they differ within an order or repeat another column: ");
  comment (self, group, NULL, left->str);
}

/* A number that no column has. */
static gboolean
check_required (Sniff *self)
{
  gboolean is_whole = TRUE;
  guint n;
  const TallCsvField *fields = tall_csv_fields (&n);
  for (guint i = 0; i < n; i++)
    {
      const char *group = tall_csv_field_scope_name (fields[i].scope);
      if (tall_model_kind (fields[i].field) != TALL_MODEL_NUMBER
          || (fields[i].scope == TALL_SCOPE_CUSTOMER) != (self->kind == TALL_MAPPING_CUSTOMERS)
          || g_key_file_has_key (self->file, group, fields[i].name, NULL))
        continue;
      add (self, group, fields[i].name, "?",
           "No column looks like this number: write its name here.");
      is_whole = FALSE;
    }
  return is_whole;
}

/* The group of a file that is joined. */
static void
add_file (Sniff *self, const GPtrArray *files, const TallSniffFile *file, const char *reason)
{
  g_autofree char *group = g_strconcat (TALL_MAPPING_FILE_PREFIX, file->name, NULL);
  add (self, group, "key", file->sample->columns[file->key], reason);
  if (file->from < 0)
    return;
  const TallSniffFile *from = tall_sniff_files_get (files, (guint)file->from);
  g_autofree char *column =
      g_strdup_printf ("%s:%s", from->name, from->sample->columns[file->from_column]);
  add (self, group, "from", column, "It is called like the key.");
}

static void
add_files (Sniff *self, const GPtrArray *files)
{
  g_autoptr (GString) head = g_string_new (NULL);
  g_autoptr (GString) left = g_string_new (NULL);
  for (guint i = 0; i < files->len; i++)
    {
      const TallSniffFile *file = tall_sniff_files_get (files, i);
      if (file->key < 0)
        {
          g_string_append_printf (left, " %s", file->path);
          continue;
        }
      g_string_append_printf (head, " %s=%s", file->name, file->path);
      add_file (self, files, file,
                i == 0            ? "By its name; each row has another one: a row for each order."
                : file->from >= 0 ? "Each row has another one."
                                  : "It is called like the key above: any number of lines.");
    }
  g_string_prepend (head, "A guess from the first rows of files that are joined:");
  if (left->len > 0)
    g_string_append_printf (head,
                            ". Not joined, as no column of the others is called like one in "
                            "which each row has another value:%s",
                            left->str);
  comment (self, NULL, NULL, head->str);
}

/* Returns: whether nothing is left to be filled in */
static gboolean
guess (Sniff *self, const GPtrArray *files)
{
  self->file = g_key_file_new ();
  self->kind = files != NULL ? TALL_MAPPING_ORDERS : tall_sniff_kind (self->sample);
  self->columns = tall_sniff_columns (self->sample, self->kind);
  add_dialect (self);
  if (files != NULL)
    add_files (self, files);
  add_dates (self);
  add_numbers (self);
  add_discount (self);
  add_fields (self);
  add_attributes (self);
  return check_required (self);
}

static char *
guess_joined (GPtrArray *files, gboolean *is_whole, GError **error)
{
  if (!tall_sniff_join_find (files, error))
    return NULL;
  g_auto (Sniff) self = { .sample = tall_sniff_join_make_sample (files) };
  *is_whole = guess (&self, files);
  return g_key_file_to_data (self.file, NULL, NULL);
}

static char *
guess_one (TallSniffFile *file, gboolean *is_whole)
{
  g_auto (Sniff) self = { .sample = g_steal_pointer (&file->sample) };
  *is_whole = guess (&self, NULL);
  g_autofree char *head =
      g_strdup_printf ("A guess from the first %u rows of %s, %u of which cannot be read.",
                       self.sample->rows->len + self.sample->n_bad, file->path, self.sample->n_bad);
  comment (&self, NULL, NULL, head);
  return g_key_file_to_data (self.file, NULL, NULL);
}

/**
 * tall_sniff:
 * @paths: @n files that can be read several times
 * @names: what the mapping is to call those that it joins; NULL: as the file is called
 * @is_whole: (out): nothing is left to be filled in before files can be loaded with it
 *
 * Guesses a mapping from the first rows of files. Those with different columns are joined.
 *
 * Returns: (transfer full): a mapping file, with the reason for each guess as a comment; NULL if
 *   a file cannot be read, or with %TALL_ERROR_INVALID if they cannot be joined
 */
char *
tall_sniff (
    const char *const *paths, const char *const *names, guint n, gboolean *is_whole, GError **error)
{
  g_autoptr (GPtrArray) files = tall_sniff_files_read (paths, names, n, error);
  if (files == NULL)
    return NULL;
  return files->len == 1 ? guess_one (tall_sniff_files_get (files, 0), is_whole)
                         : guess_joined (files, is_whole, error);
}
