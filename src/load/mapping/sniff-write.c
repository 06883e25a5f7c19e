/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/mapping-private.h"
#include "load/mapping/sniff-private.h"

#include <string.h>

#define NONE TALL_SNIFF_NONE
#define MAPPING "mapping"

/* A comment is one line, whatever columns are called. */
static char *
make_line (const char *start, const char *text)
{
  g_autofree char *line = g_strconcat (start, text, NULL);
  return g_strdelimit (g_steal_pointer (&line), "\r\n", ' ');
}

static void
comment (TallSniff *self, const char *group, const char *key, const char *reason)
{
  g_autofree char *text = make_line (" ", reason);
  g_key_file_set_comment (self->map, group, key, text, NULL);
}

static void
add (TallSniff *self, const char *group, const char *key, const char *value, const char *reason)
{
  g_key_file_set_string (self->map, group, key, value);
  if (reason != NULL)
    comment (self, group, key, reason);
}

static char *
quote (const char *name, char sign)
{
  const char once[] = { sign, '\0' }, twice[] = { sign, sign, '\0' };
  g_auto (GStrv) parts = g_strsplit (name, once, -1);
  g_autofree char *text = g_strjoinv (twice, parts);
  return g_strconcat (once, text, once, NULL);
}

static char *
refer_to (const TallSniff *self, const TallSample *file, guint column)
{
  g_autofree char *name = quote (file->columns[column], '"');
  g_autofree char *table = quote (file->name, '"');
  return self->files->len > 1 ? g_strconcat (table, ".", name, NULL) : g_steal_pointer (&name);
}

static char *
read_number (const TallSniff *self, const char *reference)
{
  const TallValueFormat *format = &self->numbers;
  if (!format->decimal_comma && format->thousands == NULL && format->signs == NULL
      && format->negative == TALL_NEGATIVE_MINUS)
    return g_strdup (reference);
  gsize len = format->signs != NULL ? strcspn (format->signs, " ") : 0;
  g_autofree char *form =
      g_strdup_printf ("%s%.*s1%s234%s5%s",
                       format->negative == TALL_NEGATIVE_PARENTHESES ? "(" : "", (int)len,
                       format->signs, format->thousands != NULL ? format->thousands : "",
                       format->decimal_comma ? "," : ".",
                       format->negative == TALL_NEGATIVE_PARENTHESES ? ")"
                       : format->negative == TALL_NEGATIVE_TRAILING  ? "-"
                                                                     : "");
  g_autofree char *quoted = quote (form, '\'');
  return g_strdup_printf ("number(%s, %s)", reference, quoted);
}

/* The value of a field of the same row; of one that no column has, a place to fill in. */
static char *
read_field (TallSniff *self, TallCsvScope scope, const char *field)
{
  const TallSniffColumn *column = tall_sniff_find (self, scope, field);
  self->is_whole &= column != NULL;
  if (column == NULL)
    return g_strdup ("\"?\"");
  g_autofree char *reference = refer_to (self, column->file, column->i);
  return read_number (self, reference);
}

/* What is not a number or a date as it stands there. */
static char *
compute_column (TallSniff *self, const TallSniffColumn *column, const char *reference)
{
  g_autofree char *number = read_number (self, reference);
  if (!column->is_total && !column->is_amount)
    return g_steal_pointer (&number);
  g_autofree char *quantity = read_field (self, TALL_SCOPE_LINE, "quantity");
  if (column->is_total)
    return g_strdup_printf ("dec_div(%s, %s, 6)", number, quantity);
  g_autofree char *price = read_field (self, TALL_SCOPE_LINE, "price");
  return g_strdup_printf ("discount_rate(%s, %s, %s)", number, price, quantity);
}

/* The value of a column in its own row. */
static char *
read_column (TallSniff *self, const TallSniffColumn *column)
{
  TallModelKind kind = tall_sniff_get_kind (column);
  g_autofree char *reference = refer_to (self, column->file, column->i);
  if (kind == TALL_MODEL_NUMBER && column->is_float)
    return g_strdup_printf ("CAST(%s AS INTEGER)", reference);
  if (kind == TALL_MODEL_DATE)
    return g_strdup_printf ("date_of(%s, '%s'%s)", reference, column->dates->dates,
                            column->dates->has_short_years ? ", 'UTC', 1970" : "");
  if (kind == TALL_MODEL_RATE && self->is_percent && !column->is_amount)
    {
      g_autofree char *bare = g_strdup_printf ("rtrim(%s, '%%')", reference);
      g_autofree char *percent = read_number (self, bare);
      return g_strdup_printf ("dec_div(%s, '100')", percent);
    }
  return kind == TALL_MODEL_DECIMAL || kind == TALL_MODEL_RATE
             ? compute_column (self, column, reference)
             : g_steal_pointer (&reference);
}

/* Adds a column of the query. */
static void
select_value (
    TallSniff *self, const char *value, const char *group, const char *name, const char *why)
{
  g_autofree char *full = g_str_equal (group, "location") || g_str_equal (group, "line")
                              ? g_strconcat (group, ".", name, NULL)
                              : g_strdup (name);
  g_autofree char *quoted = quote (full, '"');
  g_autofree char *reason = make_line ("", why);
  g_string_append_printf (self->select, "%s%s AS %s, -- %s\n",
                          self->select->len > 0 ? "       " : "SELECT ", value,
                          strchr (full, '.') != NULL ? quoted : full, reason);
}

static void
add_column (TallSniff *self,
            const TallSniffColumn *column,
            const char *group,
            const char *name,
            const char *why)
{
  gboolean of_order = g_str_equal (group, "order") || g_str_equal (group, "location");
  gboolean is_number = tall_sniff_get_kind (column) == TALL_MODEL_NUMBER;
  g_autofree char *own = read_column (self, column);
  g_autofree char *value = NULL;
  if (self->fills && is_number && g_str_equal (name, "order_number"))
    value = g_strdup ("\"order of the row\"");
  else if (of_order && column->rows == TALL_SNIFF_FIRST_ONLY)
    value = g_strdup_printf ("last_filled(%s) OVER o", own);
  else if (of_order && column->rows == TALL_SNIFF_DIFFERS && g_str_equal (name, "sales_date"))
    value = g_strdup_printf ("first_value(%s) OVER o", own);
  select_value (self, value != NULL ? value : own, group, name, why);
  add (self, group, name, column->file->columns[column->i], why);
}

static void
add_numbers (TallSniff *self)
{
  static const char *const negatives[] = { "minus", "parentheses", "trailing-minus" };
  static const char *const known[][2] = { { "£", "GBP" }, { "€", "EUR" }, { "¥", "JPY" } };
  if (self->numbers_reason == NULL)
    return;
  add (self, MAPPING, "decimal-comma", self->numbers.decimal_comma ? "true" : "false",
       self->numbers_reason);
  if (self->numbers.thousands != NULL)
    {
      g_autofree char *quoted = quote (self->numbers.thousands, '"');
      add (self, MAPPING, "thousands", quoted, "It stands between groups of three digits.");
    }
  if (self->numbers.negative != TALL_NEGATIVE_MINUS)
    add (self, MAPPING, "negative", negatives[self->numbers.negative],
         "Some numbers are written so.");
  if (self->signs == NULL)
    return;
  add (self, MAPPING, "currency-signs", self->signs, "They stand beside numbers.");
  for (guint i = 0; i < G_N_ELEMENTS (known) && self->kind == TALL_MAPPING_ORDERS; i++)
    if ((g_str_equal (self->signs, known[i][0]) || g_str_equal (self->signs, known[i][1]))
        && tall_sniff_find (self, TALL_SCOPE_ORDER, "currency") == NULL)
      {
        g_autofree char *value = quote (known[i][1], '\'');
        add (self, "defaults", "order.currency", known[i][1], "Amounts have this sign.");
        select_value (self, value, "order", "currency", "Amounts have this sign.");
      }
}

/* How a file is written: for a .map, and as a comment of a query. */
static void
add_file (TallSniff *self, const TallSample *file)
{
  g_auto (GStrv) names = g_strsplit (TALL_DELIMITER_NAMES, "|", -1);
  const char *delimiter = names[strchr (TALL_DELIMITERS, file->delimiter) - TALL_DELIMITERS];
  const char *encoding = file->encoding != NULL ? file->encoding : "UTF-8";
  g_autofree char *skipped = g_strdup_printf ("%u", file->skip_lines);
  gboolean is_one = self->files->len == 1;
  add (self, MAPPING, "delimiter", delimiter, file->delimiter_reason);
  add (self, MAPPING, "encoding", encoding, file->encoding_reason);
  if (file->skip_lines > 0)
    add (self, MAPPING, "skip-lines", skipped, "They stand above the line that has most names.");
  g_string_append_printf (self->settings, "-- load%s%s: delimiter=%s encoding=%s%s%s",
                          is_one ? "" : " ", is_one ? "" : file->name, delimiter, encoding,
                          file->skip_lines > 0 ? " skip-lines=" : "",
                          file->skip_lines > 0 ? skipped : "");
  if (file->rule != NULL)
    {
      g_key_file_set_value (self->map, MAPPING, file->rule->key, file->rule->value);
      comment (self, MAPPING, file->rule->key, file->rule->reason);
      g_string_append_printf (self->settings, " %s=%s", file->rule->key, file->rule->value);
    }
  if (file->rule != NULL && file->rule->dialect.backslash)
    {
      add (self, MAPPING, "escape", "backslash", "It stands before what stands for nothing.");
      g_string_append (self->settings, " escape=backslash");
    }
  g_string_append_c (self->settings, '\n');
}

static void
add_settings (TallSniff *self)
{
  gboolean of_orders = self->kind == TALL_MAPPING_ORDERS;
  add (self, MAPPING, "kind", of_orders ? "orders" : "customers",
       of_orders
           ? "A column is called like numbers of orders, or none is of customers that all differ."
           : "The numbers of customers all differ, and no column has numbers of orders.");
  if (!of_orders)
    g_string_append (self->settings, "-- load: kind=customers\n");
  for (guint i = 0; i < self->files->len; i++)
    if (self->files->len == 1 || tall_sniff_files_get (self->files, i)->key != NONE)
      add_file (self, tall_sniff_files_get (self->files, i));
  if (self->dates_reason != NULL)
    add (self, MAPPING, "dates", self->dates->dates, self->dates_reason);
  if (self->dates_reason != NULL && self->dates->has_short_years)
    add (self, MAPPING, "two-digit-years", "1970", "70 is 1970, and 69 is 2069.");
  add_numbers (self);
  if (tall_sniff_find (self, TALL_SCOPE_LINE, "discount") != NULL)
    add (self, MAPPING, "discount", self->is_percent ? "percent" : "rate",
         self->is_percent ? "Some values are over 1, or have a percent sign."
                          : "No value is over 1.");
}

/* Columns that nothing is known of: what an order, or a customer, has one of is an attribute. */
static void
add_attributes (TallSniff *self, const char *group)
{
  gboolean of_orders = self->kind == TALL_MAPPING_ORDERS;
  for (guint i = 0; i < self->columns->len; i++)
    {
      TallSniffColumn *column = tall_sniff_get (self, i);
      const char *name = column->file->columns[column->i];
      g_autofree char *key_name = tall_sniff_normalize (name);
      g_autofree char *key = g_strconcat ("attribute.", key_name, NULL);
      if (column->field != NULL)
        continue;
      gboolean is_one = !of_orders || column->rows == TALL_SNIFF_SAME
                        || (column->rows == TALL_SNIFF_FIRST_ONLY && self->is_sql);
      is_one = is_one && *key_name != '\0' && !column->is_repeated
               && !g_key_file_has_key (self->map, group, key, NULL);
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
          || g_key_file_has_key (self->map, group, fields[i].name, NULL))
        continue;
      const char *why = "No column looks like this number: write its name here.";
      add (self, group, fields[i].name, "?", why);
      select_value (self, "\"?\"", group, fields[i].name, why);
      self->is_whole = FALSE;
    }
}

/* What a query calls the place of the first file's rows, where that has a column `line` itself,
 * too.
 */
static char *
refer_to_line (const TallSniff *self)
{
  const TallSample *file = tall_sniff_files_get (self->files, 0);
  g_autofree char *table = quote (file->name, '"');
  guint n = 1;
  for (guint i = 0; i < file->n_columns; i++)
    n += g_ascii_strcasecmp (file->columns[i], "line") == 0;
  g_autofree char *line = n > 1 ? g_strdup_printf ("\"line#%u\"", n) : g_strdup ("line");
  return self->files->len > 1 ? g_strconcat (table, ".", line, NULL) : g_steal_pointer (&line);
}

/* The rows of the query. */
static void
append_from (const TallSniff *self, GString *text)
{
  g_autofree char *line = refer_to_line (self);
  const TallSniffColumn *order = tall_sniff_find (self, TALL_SCOPE_ORDER, "order_number");
  g_autofree char *number =
      order != NULL ? refer_to (self, order->file, order->i) : g_strdup (line);
  if (self->files->len == 1)
    {
      if (self->fills)
        g_string_append_printf (text,
                                "FROM (SELECT *, %s, last_filled(%s) OVER (ORDER BY %s)\n"
                                "             AS \"order of the row\" FROM csv)\n",
                                line, number, line);
      else
        g_string_append (text, "FROM csv\n");
      if (strstr (text->str, " OVER o AS ") != NULL)
        g_string_append_printf (text, "WINDOW o AS (PARTITION BY %s ORDER BY %s)\n",
                                self->fills ? "\"order of the row\"" : number, line);
      return;
    }
  for (guint i = 0; i < self->files->len && tall_sniff_files_get (self->files, i)->key != NONE; i++)
    {
      const TallSample *file = tall_sniff_files_get (self->files, i);
      const TallSample *to = tall_sniff_files_get (self->files, (guint)MAX (file->from, 0));
      g_autofree char *table = quote (file->name, '"');
      g_autofree char *key = refer_to (self, file, (guint)file->key);
      g_autofree char *other = refer_to (self, to, file->from_column);
      if (i == 0)
        g_string_append_printf (text, "FROM %s\n", table);
      else
        g_string_append_printf (text, "     LEFT JOIN %s ON %s = %s\n", table, key, other);
    }
}

/* Whether most names of columns begin with a digit. */
static gboolean
looks_like_row (const TallSample *file)
{
  guint n = 0;
  for (guint i = 0; i < file->n_columns; i++)
    n += g_ascii_isdigit (*file->columns[i]);
  return n > file->n_columns / 2;
}

/* Which files were looked at, and which not. */
static char *
make_head (const TallSniff *self)
{
  const TallSample *first = tall_sniff_files_get (self->files, 0);
  if (self->files->len == 1)
    return g_strdup_printf (
        "A guess from the first %u rows of %s, %u of which cannot be read%s%s%s%s",
        first->rows->len + first->n_bad, first->path, first->n_bad,
        self->preset != NULL ? "; the preset " : ".", self->preset != NULL ? self->preset : "",
        self->preset != NULL ? " fits, too." : "",
        looks_like_row (first) ? " Its first line looks like a row, and not like names: header = "
                                 "none and columns = A;B;C would name the columns."
                               : "");
  g_autoptr (GString) head = g_string_new ("A guess from the first rows of files that are joined:");
  g_autoptr (GString) others = g_string_new (NULL);
  for (guint i = 0; i < self->files->len; i++)
    {
      const TallSample *file = tall_sniff_files_get (self->files, i);
      if (file->key != NONE)
        g_string_append_printf (head, " %s=%s", file->name, file->path);
      else
        g_string_append_printf (others, " %s", file->path);
    }
  if (others->len > 0)
    g_string_append_printf (head,
                            ". Not joined, as no column of the others is called like one in "
                            "which each row has another value:%s",
                            others->str);
  return g_string_free (g_steal_pointer (&head), FALSE);
}

static char *
write_mapping (TallSniff *self, const char *group)
{
  g_autofree char *head = make_head (self);
  if (self->attributes->len > 0)
    g_string_prepend (self->attributes, "Columns that became attributes: ");
  if (self->left->len > 0)
    g_string_prepend (self->left,
                      "Not loaded, as they differ within an order or repeat another column: ");
  if (!self->is_sql)
    {
      g_autofree char *all =
          g_strconcat (" ", self->attributes->str, self->left->len > 0 ? "\n " : NULL,
                       self->left->str, NULL);
      if (self->attributes->len + self->left->len > 0)
        g_key_file_set_comment (self->map, group, NULL, self->attributes->len > 0 ? all : all + 2,
                                NULL);
      comment (self, NULL, NULL, head);
      return g_key_file_to_data (self->map, NULL, NULL);
    }
  g_autoptr (GString) text = g_string_new (NULL);
  g_string_append_printf (text, "%s-- %s\n", self->settings->str, head);
  if (self->dates_reason != NULL)
    g_string_append_printf (text, "-- Dates: %s\n", self->dates_reason);
  if (self->numbers_reason != NULL)
    g_string_append_printf (text, "-- Numbers: %s\n", self->numbers_reason);
  if (self->attributes->len > 0)
    g_string_append_printf (text, "-- %s\n", self->attributes->str);
  if (self->left->len > 0)
    g_string_append_printf (text, "-- %s\n", self->left->str);
  g_string_append (text, self->select->str);
  g_autofree char *line = refer_to_line (self);
  g_string_append_printf (text, "       %s AS line\n", line);
  append_from (self, text);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/**
 * tall_sniff_write:
 *
 * Returns: (transfer full): the mapping that was guessed
 */
char *
tall_sniff_write (TallSniff *self)
{
  const char *group = self->kind == TALL_MAPPING_ORDERS ? "order" : "customer";
  add_settings (self);
  for (guint i = 0; i < self->columns->len; i++)
    {
      const TallSniffColumn *column = tall_sniff_get (self, i);
      if (column->field != NULL)
        add_column (self, column, tall_csv_field_scope_name (column->field->scope),
                    column->field->name, column->reason);
    }
  check_required (self);
  add_attributes (self, group);
  return write_mapping (self, group);
}
