/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/sniff-private.h"

#include <string.h>

#define MAPPING "mapping"

/* A line of a .map, and what a query has in its place. */
typedef struct
{
  const char *group;
  const char *key;
  const char *value;
  const char *reason;
  const TallSample *file; /* whose comment in a query has it; NULL: no such comment */
  const char *sql;        /* a column of the result; NULL: none */
} Entry;

static void
add (TallSniff *self, Entry entry)
{
  g_array_append_val (self->entries, entry);
}

static const char *
quote (TallSniff *self, const char *name, char sign)
{
  const char once[] = { sign, '\0' }, twice[] = { sign, sign, '\0' };
  g_auto (GStrv) parts = g_strsplit (name, once, -1);
  g_autofree char *text = g_strjoinv (twice, parts);
  return tall_arena_printf (self->arena, "%c%s%c", sign, text, sign);
}

static const char *
refer_to (TallSniff *self, const TallSample *file, const char *column)
{
  const char *name = g_str_equal (column, "line") ? column : quote (self, column, '"');
  return self->files->len > 1
             ? tall_arena_printf (self->arena, "%s.%s", quote (self, file->name, '"'), name)
             : name;
}

static const char *
refer_to_column (TallSniff *self, const TallSniffColumn *column)
{
  return refer_to (self, column->file, column->file->columns[column->i]);
}

/* Whether an order has one row of the file, by the number that its lines have, too. */
static gboolean
is_of_each_order (const TallSniff *self, const TallSample *file)
{
  const TallSample *lines = self->files->pdata[0];
  return file->key >= 0 && file->from == 0 && (gint)file->from_column == lines->key;
}

/* Several files have numbers of orders, and none has all of them for sure. */
#define EACH_ORDER "\"each order\""
#define NUMBER EACH_ORDER ".number"

/* Whether it is one of the columns that #NUMBER is made of. */
static gboolean
is_number_of_each (const TallSniff *self, const TallSniffColumn *column)
{
  gboolean has_one = FALSE;
  for (guint i = 1; i < self->files->len; i++)
    has_one |= is_of_each_order (self, self->files->pdata[i]);
  return has_one && (gint)column->i == column->file->key
         && (column->file == self->files->pdata[0] || is_of_each_order (self, column->file));
}

/* What a query calls the place of the file's rows, where that has a column `line`, too. */
static const char *
refer_to_place (TallSniff *self, const TallSample *file)
{
  guint n = 1;
  for (guint i = 0; i < file->n_columns; i++)
    n += g_ascii_strcasecmp (file->columns[i], "line") == 0;
  return refer_to (self, file, n > 1 ? tall_arena_printf (self->arena, "line#%u", n) : "line");
}

static const char *
read_number (TallSniff *self, const char *reference)
{
  const TallValueFormat *format = &self->numbers;
  if (!format->decimal_comma && format->thousands == NULL && format->signs == NULL
      && format->negative == TALL_NEGATIVE_MINUS)
    return reference;
  gboolean in_parentheses = format->negative == TALL_NEGATIVE_PARENTHESES;
  const char *form =
      tall_arena_printf (self->arena, "%s%.*s1%s234%s5%s", in_parentheses ? "(" : "",
                         format->signs != NULL ? (int)strcspn (format->signs, " ") : 0,
                         format->signs, format->thousands != NULL ? format->thousands : "",
                         format->decimal_comma ? "," : ".",
                         in_parentheses                               ? ")"
                         : format->negative == TALL_NEGATIVE_TRAILING ? "-"
                                                                      : "");
  return tall_arena_printf (self->arena, "number(%s, %s)", reference, quote (self, form, '\''));
}

/* The value of a field of lines in the same row; of one that no column has, a place to fill in. */
static const char *
read_field (TallSniff *self, const char *field)
{
  const TallSniffColumn *column = tall_sniff_find (self, TALL_SCOPE_LINE, field);
  self->is_whole &= column != NULL;
  return column != NULL ? read_number (self, refer_to_column (self, column)) : "\"?\"";
}

/* The value of a column in its own row. */
static const char *
read_column (TallSniff *self, const TallSniffColumn *column)
{
  TallModelKind kind = tall_sniff_get_kind (column);
  const char *reference = refer_to_column (self, column);
  const char *number = read_number (self, reference);
  if (kind == TALL_MODEL_NUMBER && column->is_float)
    return tall_arena_printf (self->arena, "CAST(%s AS INTEGER)", reference);
  if (kind == TALL_MODEL_DATE)
    return tall_arena_printf (self->arena, "date_of(%s, '%s'%s)", reference, column->dates->dates,
                              column->dates->has_short_years ? ", 'UTC', 1970" : "");
  if (column->is_total)
    return tall_arena_printf (self->arena, "dec_div(%s, %s, 6)", number,
                              read_field (self, "quantity"));
  if (column->is_amount)
    return tall_arena_printf (self->arena, "discount_rate(%s, %s, %s)", number,
                              read_field (self, "price"), read_field (self, "quantity"));
  if (kind == TALL_MODEL_RATE && self->is_percent)
    return tall_arena_printf (self->arena, "dec_div(%s, '100')",
                              read_number (self, tall_arena_printf (self->arena, "rtrim(%s, '%%')",
                                                                    reference)));
  return kind == TALL_MODEL_DECIMAL || kind == TALL_MODEL_RATE ? number : reference;
}

static void
add_column (TallSniff *self,
            const TallSniffColumn *column,
            const char *group,
            const char *name,
            const char *why)
{
  gboolean of_order = g_str_equal (group, "order") || g_str_equal (group, "location");
  const char *sql = read_column (self, column);
  if (self->fills && of_order && g_str_equal (name, "order_number"))
    sql = "\"order of the row\"";
  else if (g_str_equal (name, "order_number") && is_number_of_each (self, column))
    sql = NUMBER;
  else if (of_order && column->rows == TALL_SNIFF_FIRST_ONLY)
    sql = tall_arena_printf (self->arena, "last_filled(%s) OVER o", sql);
  else if (of_order && column->rows == TALL_SNIFF_DIFFERS && g_str_equal (name, "sales_date"))
    sql = tall_arena_printf (self->arena, "first_value(%s) OVER o", sql);
  add (self, (Entry){ group, name, column->file->columns[column->i], why, NULL, sql });
}

static void
add_numbers (TallSniff *self)
{
  static const char *const negatives[] = { "minus", "parentheses", "trailing-minus" };
  static const char *const currencies[][2] = { { "£", "GBP" }, { "€", "EUR" }, { "¥", "JPY" } };
  const TallValueFormat *format = &self->numbers;
  if (self->numbers_reason == NULL)
    return;
  add (self, (Entry){ MAPPING, "decimal-comma", format->decimal_comma ? "true" : "false",
                      self->numbers_reason });
  if (format->thousands != NULL)
    add (self, (Entry){ MAPPING, "thousands", quote (self, format->thousands, '"'),
                        "It stands between groups of three digits." });
  if (format->negative != TALL_NEGATIVE_MINUS)
    add (self, (Entry){ MAPPING, "negative", negatives[format->negative],
                        "Some numbers are written so." });
  if (format->signs == NULL)
    return;
  add (self, (Entry){ MAPPING, "currency-signs", format->signs, "They stand beside numbers." });
  for (guint i = 0; i < G_N_ELEMENTS (currencies); i++)
    if ((g_str_equal (format->signs, currencies[i][0])
         || g_str_equal (format->signs, currencies[i][1]))
        && self->kind == TALL_MAPPING_ORDERS
        && tall_sniff_find (self, TALL_SCOPE_ORDER, "currency") == NULL)
      add (self, (Entry){ "defaults", "order.currency", currencies[i][1], "Amounts have this sign.",
                          NULL, quote (self, currencies[i][1], '\'') });
}

/* How a file is written. */
static void
add_file (TallSniff *self, const TallSample *file)
{
  g_auto (GStrv) names = g_strsplit (TALL_DELIMITER_NAMES, "|", -1);
  const TallCsvDialect *dialect = &file->dialect;
  const char *delimiter = names[strchr (TALL_DELIMITERS, dialect->delimiter) - TALL_DELIMITERS];
  add (self,
       (Entry){ MAPPING, "delimiter", tall_arena_strdup (self->arena, delimiter),
                tall_arena_printf (self->arena, "It parts most columns: %u.", file->n_columns),
                file });
  add (self, (Entry){ MAPPING, "encoding", dialect->encoding != NULL ? dialect->encoding : "UTF-8",
                      file->encoding_reason, file });
  if (dialect->skip_lines > 0)
    add (self,
         (Entry){ MAPPING, "skip-lines", tall_arena_printf (self->arena, "%u", dialect->skip_lines),
                  "They stand above the line that has most names.", file });
  if (file->rule->key != NULL)
    add (self, (Entry){ MAPPING, file->rule->key, file->rule->value, file->rule->reason, file });
  if (dialect->backslash)
    add (self, (Entry){ MAPPING, "escape", "backslash", "It stands before what stands for nothing.",
                        file });
}

static void
add_settings (TallSniff *self)
{
  gboolean of_orders = self->kind == TALL_MAPPING_ORDERS;
  add (self,
       (Entry){ MAPPING, "kind", of_orders ? "orders" : "customers",
                of_orders
                    ? "A column is called like numbers of orders, or none is of customers that all "
                      "differ."
                    : "The numbers of customers all differ, and no column has numbers of orders.",
                of_orders ? NULL : self->files->pdata[0] });
  for (guint i = 0; i < self->files->len; i++)
    if (self->files->len == 1 || ((TallSample *)self->files->pdata[i])->key >= 0)
      add_file (self, self->files->pdata[i]);
  if (self->dates_reason != NULL)
    add (self, (Entry){ MAPPING, "dates", self->dates->dates, self->dates_reason });
  if (self->dates_reason != NULL && self->dates->has_short_years)
    add (self, (Entry){ MAPPING, "two-digit-years", "1970", "70 is 1970, and 69 is 2069." });
  add_numbers (self);
  if (tall_sniff_find (self, TALL_SCOPE_LINE, "discount") != NULL)
    add (self, (Entry){ MAPPING, "discount", self->is_percent ? "percent" : "rate",
                        self->is_percent ? "Some values are over 1, or have a percent sign."
                                         : "No value is over 1." });
}

static gboolean
has_entry (const TallSniff *self, const char *group, const char *key)
{
  for (guint i = 0; i < self->entries->len; i++)
    if (g_str_equal (g_array_index (self->entries, Entry, i).group, group)
        && g_str_equal (g_array_index (self->entries, Entry, i).key, key))
      return TRUE;
  return FALSE;
}

/* Whether an earlier column has the same values, as one that was joined in often does. */
static gboolean
is_repeated (const TallSniff *self, const TallSniffColumn *column)
{
  guint n = column->file->rows->len;
  for (const TallSniffColumn *earlier = self->columns; earlier < column; earlier++)
    {
      guint row = 0;
      while (earlier->file == column->file && row < n
             && g_str_equal (tall_sample_get (column->file, row, column->i),
                             tall_sample_get (column->file, row, earlier->i)))
        row++;
      if (row > 0 && row == n)
        return TRUE;
    }
  return FALSE;
}

/* Columns that nothing is known of: what an order, or a customer, has one of is an attribute. */
static void
add_attributes (TallSniff *self, const char *group)
{
  gboolean of_orders = self->kind == TALL_MAPPING_ORDERS;
  for (const TallSniffColumn *column = self->columns; column < self->end; column++)
    {
      const char *name = column->file->columns[column->i];
      const char *own = tall_sniff_normalize (self, name);
      const char *key = tall_arena_printf (self->arena, "attribute.%s", own);
      if (column->field != NULL)
        continue;
      gboolean is_one = (!of_orders || column->rows == TALL_SNIFF_SAME
                         || (column->rows == TALL_SNIFF_FIRST_ONLY && self->is_sql))
                        && *own != '\0' && !is_repeated (self, column)
                        && !has_entry (self, group, key);
      if (is_one)
        add_column (self, column, group, key,
                    of_orders ? "All rows of an order have the same value."
                              : "No field is called like this.");
      GString *list = is_one ? self->attributes : self->left;
      g_string_append_printf (list, "%s%s", list->len > 0 ? ", " : "", name);
    }
}

/* A number that no column has. */
static void
check_required (TallSniff *self)
{
  guint n;
  const TallCsvField *fields = tall_csv_fields (&n);
  for (guint i = 0; i < n; i++)
    {
      const char *group = tall_csv_field_scope_name (fields[i].scope);
      if (tall_model_kind (fields[i].field) != TALL_MODEL_NUMBER
          || (fields[i].scope == TALL_SCOPE_CUSTOMER) != (self->kind == TALL_MAPPING_CUSTOMERS)
          || has_entry (self, group, fields[i].name))
        continue;
      add (self,
           (Entry){ group, fields[i].name, "?",
                    "No column looks like this number: write its name here.", NULL, "\"?\"" });
      self->is_whole = FALSE;
    }
}

/* The rows of several files. A row of the first comes with those that it names; an order that only
 * some files have gives a row, too, which is rejected for what it lacks, and so does not vanish. */
static void
append_joins (TallSniff *self, GString *text)
{
  const TallSample *first = self->files->pdata[0];
  const char *name = quote (self, first->name, '"');
  const char *key = quote (self, first->columns[first->key], '"');
  g_autoptr (GString) numbers = g_string_new (NULL);
  for (guint i = 1; i < self->files->len; i++)
    {
      const TallSample *file = self->files->pdata[i];
      if (is_of_each_order (self, file))
        g_string_append_printf (numbers, "\n      UNION SELECT %s FROM %s",
                                quote (self, file->columns[file->key], '"'),
                                quote (self, file->name, '"'));
    }
  if (numbers->len == 0)
    g_string_append_printf (text, "FROM %s\n", name);
  else
    g_string_append_printf (
        text,
        "-- Each order of any file. One without lines is rejected, and lines without their order "
        "are.\n-- To leave orders without lines out, add at the end: WHERE %s IS NOT NULL\n"
        "FROM (SELECT %s AS number FROM %s%s) AS " EACH_ORDER "\n     LEFT JOIN %s ON %s = " NUMBER
        "\n",
        refer_to_place (self, first), key, name, numbers->str, name,
        refer_to (self, first, first->columns[first->key]));
  for (guint i = 1; i < self->files->len; i++)
    {
      const TallSample *file = self->files->pdata[i];
      const TallSample *to = self->files->pdata[MAX (file->from, 0)];
      if (file->key >= 0)
        g_string_append_printf (text, "     LEFT JOIN %s ON %s = %s\n",
                                quote (self, file->name, '"'),
                                refer_to (self, file, file->columns[file->key]),
                                is_of_each_order (self, file)
                                    ? NUMBER
                                    : refer_to (self, to, to->columns[file->from_column]));
    }
}

/* The rows of the query. @line: the place of the first file's rows */
static void
append_from (TallSniff *self, const char *line, GString *text)
{
  const TallSniffColumn *order = tall_sniff_find (self, TALL_SCOPE_ORDER, "order_number");
  const char *number = order != NULL ? refer_to_column (self, order) : line;
  if (self->files->len > 1)
    append_joins (self, text);
  else if (self->fills)
    g_string_append_printf (text,
                            "FROM (SELECT *, %s, last_filled(%s) OVER (ORDER BY %s)\n"
                            "             AS \"order of the row\" FROM csv)\n",
                            line, number, line);
  else
    g_string_append (text, "FROM csv\n");
  if (self->files->len == 1 && strstr (text->str, " OVER o AS ") != NULL)
    g_string_append_printf (text, "WINDOW o AS (PARTITION BY %s ORDER BY %s)\n",
                            self->fills ? "\"order of the row\"" : number, line);
}

/* Which files were looked at, and which not. */
static const char *
make_head (TallSniff *self)
{
  const TallSample *first = self->files->pdata[0];
  guint n_digits = 0;
  for (guint i = 0; i < first->n_columns; i++)
    n_digits += g_ascii_isdigit (*first->columns[i]);
  if (self->files->len == 1)
    return tall_arena_printf (
        self->arena, "A guess from the first %u rows of %s, %u of which cannot be read%s%s%s%s",
        first->n_good + first->n_bad, first->path, first->n_bad,
        self->preset != NULL ? "; the preset " : ".", self->preset != NULL ? self->preset : "",
        self->preset != NULL ? " fits, too." : "",
        n_digits > first->n_columns / 2
            ? " Its first line looks like a row, and not like names: header = none and columns = "
              "A;B;C would name the columns."
            : "");
  g_autoptr (GString) head = g_string_new ("A guess from the first rows of files that are joined:");
  g_autoptr (GString) others = g_string_new (NULL);
  for (guint i = 0; i < self->files->len; i++)
    {
      const TallSample *file = self->files->pdata[i];
      if (file->key >= 0)
        g_string_append_printf (head, " %s=%s", file->name, file->path);
      else
        g_string_append_printf (others, " %s", file->path);
    }
  return tall_arena_printf (self->arena, "%s%s%s", head->str,
                            others->len > 0
                                ? ". Not joined, as no column of the others is called like one in "
                                  "which each row has another value:"
                                : "",
                            others->str);
}

static char *
write_map (TallSniff *self, const char *group, const char *head)
{
  g_autoptr (GKeyFile) map = g_key_file_new ();
  for (guint i = 0; i < self->entries->len; i++)
    {
      const Entry *entry = &g_array_index (self->entries, Entry, i);
      g_autofree char *reason = g_strconcat (" ", entry->reason, NULL);
      (g_str_equal (entry->key, "null")
           ? g_key_file_set_value
           : g_key_file_set_string) (map, entry->group, entry->key, entry->value);
      g_key_file_set_comment (map, entry->group, entry->key, reason, NULL);
    }
  g_autofree char *of_group =
      g_strconcat (self->attributes->len > 0 ? " " : "", self->attributes->str,
                   self->attributes->len > 0 && self->left->len > 0 ? "\n" : "",
                   self->left->len > 0 ? " " : "", self->left->str, NULL);
  g_autofree char *of_all = g_strconcat (" ", head, NULL);
  if (*of_group != '\0')
    g_key_file_set_comment (map, group, NULL, of_group, NULL);
  g_key_file_set_comment (map, NULL, NULL, of_all, NULL);
  return g_key_file_to_data (map, NULL, NULL);
}

static char *
write_sql (TallSniff *self, const char *head)
{
  const TallSample *first = self->files->pdata[0], *file = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < self->entries->len; i++)
    {
      const Entry *entry = &g_array_index (self->entries, Entry, i);
      gboolean is_one = self->files->len == 1;
      if (entry->file == NULL)
        continue;
      if (entry->file != file)
        g_string_append_printf (text, "%s-- load%s%s:", file != NULL ? "\n" : "", is_one ? "" : " ",
                                is_one ? "" : entry->file->name);
      file = entry->file;
      g_string_append_printf (text, " %s=%s", entry->key, entry->value);
    }
  const char *const notes[][2] = { { "\n-- ", head },
                                   { "\n-- Dates: ", self->dates_reason },
                                   { "\n-- Numbers: ", self->numbers_reason },
                                   { "\n-- ", self->attributes->str },
                                   { "\n-- ", self->left->str } };
  for (guint i = 0; i < G_N_ELEMENTS (notes); i++)
    if (notes[i][1] != NULL && *notes[i][1] != '\0')
      g_string_append_printf (text, "%s%s", notes[i][0], notes[i][1]);
  const char *start = "\nSELECT ";
  for (guint i = 0; i < self->entries->len; i++)
    {
      const Entry *entry = &g_array_index (self->entries, Entry, i);
      gboolean has_group =
          g_str_equal (entry->group, "location") || g_str_equal (entry->group, "line");
      const char *name = tall_arena_printf (self->arena, "%s%s%s", has_group ? entry->group : "",
                                            has_group ? "." : "", entry->key);
      if (g_str_equal (entry->group, "defaults"))
        name = strchr (name, '.') + 1;
      if (entry->sql == NULL)
        continue;
      g_string_append_printf (text, "%s%s AS %s, -- %s\n", start, entry->sql,
                              strchr (name, '.') != NULL ? quote (self, name, '"') : name,
                              entry->reason);
      start = "       ";
    }
  const char *line = refer_to_place (self, first);
  g_autoptr (GString) places = g_string_new (line);
  for (guint i = 1; i < self->files->len; i++)
    if (is_of_each_order (self, self->files->pdata[i]))
      g_string_append_printf (places, ", %s", refer_to_place (self, self->files->pdata[i]));
  gboolean are_many = places->len > strlen (line);
  g_string_append_printf (text, "       %s%s%s AS line\n", are_many ? "coalesce(" : "", places->str,
                          are_many ? ")" : "");
  append_from (self, line, text);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* A comment is one line, whatever columns are called. */
static void
begin_list (GString *names, const char *start)
{
  if (names->len > 0)
    g_string_prepend (names, start);
  g_strdelimit (names->str, "\r\n", ' ');
}

/* Returns: (transfer full): the mapping that was guessed */
char *
tall_sniff_write (TallSniff *self)
{
  const char *group = self->kind == TALL_MAPPING_ORDERS ? "order" : "customer";
  g_autoptr (GArray) entries = self->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  g_autoptr (GString) attributes = self->attributes = g_string_new (NULL);
  g_autoptr (GString) left = self->left = g_string_new (NULL);
  add_settings (self);
  for (const TallSniffColumn *column = self->columns; column < self->end; column++)
    if (column->field != NULL)
      add_column (self, column, tall_csv_field_scope_name (column->field->scope),
                  column->key != NULL ? column->key : column->field->name, column->reason);
  check_required (self);
  add_attributes (self, group);
  begin_list (attributes, "Columns that became attributes: ");
  begin_list (left, "Not loaded, as they differ within an order or repeat another column: ");
  char *head = g_strdelimit ((char *)make_head (self), "\r\n", ' ');
  return self->is_sql ? write_sql (self, head) : write_map (self, group, head);
}
