/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/sniff.h"
#include "load/mapping/mapping-private.h"
#include "load/mapping/sniff-columns.h"
#include "load/mapping/sniff-join.h"
#include "load/mapping/sniff-names.h"
#include "load/mapping/sniff-values.h"

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
    if (self->columns[i].field != NULL && self->columns[i].field->field->kind == kind)
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
      if (fields[i].field->kind != TALL_MODEL_NUMBER
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
