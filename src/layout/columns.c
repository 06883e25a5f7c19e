/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "layout/columns.h"

#include "base/fail.h"
#include "model/canonical.h"
#include "tall-limits.h"

#define SHOWN_BYTES 40 /* of a bad value in a message */

static gboolean
set_bad_value (GError **error, TallSlice value, const char *why)
{
  TallSlice head = tall_slice (value.data, MIN (value.len, SHOWN_BYTES));
  g_autofree char *shown = tall_slice_to_debug (head);
  return tall_error_fail (error, TALL_ERROR_DAMAGED, "“%s%s” (%" G_GSIZE_FORMAT " bytes) %s", shown,
                          head.len < value.len ? "…" : "", value.len, why);
}

static gboolean
decode_text (
    const TallModelField *field, TallSlice value, TallArena *arena, gpointer base, GError **error)
{
  const char *text = (const char *)value.data;
  if (value.len > 0 && !g_utf8_validate_len (text, value.len, NULL))
    return set_bad_value (error, value, "is not UTF-8, or holds a NUL");

  tall_model_set_pointer (field, base, tall_arena_strndup (arena, text, value.len));
  return TRUE;
}

static TallSlice
encode_integer (gint64 integer, TallArena *arena)
{
  guint64 *big = tall_arena_alloc (arena, sizeof *big);
  *big = GUINT64_TO_BE ((guint64)integer);
  return tall_slice (big, sizeof *big);
}

static gboolean
decode_integer (TallSlice value, gint64 min, gint64 max, gint64 *integer)
{
  TallReader reader = tall_reader (value);
  *integer = (gint64)tall_reader_u64 (&reader);
  return tall_reader_done (&reader) && *integer >= min && *integer <= max;
}

static gboolean
decode_date (const TallModelField *field, TallSlice value, gpointer base, GError **error)
{
  if (!decode_integer (value, TALL_MIN_DATE, TALL_MAX_DATE, tall_model_date (field, base)))
    return set_bad_value (error, value, "is not a date: 8 bytes, of the years 1 to 9999");

  *tall_model_flag (field, base) = TRUE;
  return TRUE;
}

static gboolean
decode_number (const TallModelField *field, TallSlice value, gpointer base, GError **error)
{
  gint64 number;
  if (!decode_integer (value, 1, G_MAXINT32, &number))
    return set_bad_value (error, value, "is not a number: 8 bytes, 1 to 2147483647");

  *tall_model_position (field, base) = number;
  return TRUE;
}

static gboolean
encode_decimal (const TallDecimal *decimal, TallArena *arena, TallSlice *value)
{
  if (decimal == NULL)
    return FALSE;

  char *text = tall_arena_alloc (arena, TALL_DECIMAL_TEXT_SIZE);
  *value = tall_slice_str (tall_decimal_format (*decimal, text));
  return TRUE;
}

static gboolean
decode_decimal (
    const TallModelField *field, TallSlice value, TallArena *arena, gpointer base, GError **error)
{
  TallDecimal *decimal = tall_decimal_new (arena, 0, 0);
  if (!tall_decimal_parse ((const char *)value.data, value.len, decimal, NULL))
    return set_bad_value (error, value, "is not a decimal such as 12, -3 or 9.80");

  tall_model_set_pointer (field, base, decimal);
  return TRUE;
}

static gboolean
encode_list (const TallModelField *field, gconstpointer base, TallArena *arena, TallSlice *value)
{
  if (*tall_model_count (field, base) == 0)
    return FALSE;

  *value = tall_list_to_canonical (field, base, arena);
  return TRUE;
}

static gboolean
decode_list (
    const TallModelField *field, TallSlice value, TallArena *arena, gpointer base, GError **error)
{
  g_autoptr (GError) why = NULL;
  if (!tall_list_from_canonical (field, value, arena, base, &why))
    return set_bad_value (error, value, why->message);
  return TRUE;
}

static gboolean
is_without_texts (const TallModelType *type, gconstpointer base)
{
  for (guint i = 0; i < type->n_fields; i++)
    if (tall_model_get_pointer (&type->fields[i], base) != NULL)
      return FALSE;
  return TRUE;
}

/* @base: the struct that has the field; of an address itself, the address
 * @value: (out): points into @base, or is allocated in @arena
 *
 * Returns: FALSE if the field is absent */
static gboolean
column_encode (const TallModelField *field, gconstpointer base, TallArena *arena, TallSlice *value)
{
  const char *text;
  switch (tall_model_kind (field))
    {
    case TALL_MODEL_TEXT:
      text = tall_model_get_pointer (field, base);
      *value = tall_slice (text, text != NULL ? strlen (text) : 0);
      return text != NULL;
    case TALL_MODEL_POSITION:
      *value = encode_integer (*tall_model_position (field, base), arena);
      return TRUE;
    case TALL_MODEL_DATE:
      if (*tall_model_flag (field, base))
        *value = encode_integer (*tall_model_date (field, base), arena);
      return *tall_model_flag (field, base);
    case TALL_MODEL_DECIMAL:
    case TALL_MODEL_RATE:
      return encode_decimal (tall_model_get_pointer (field, base), arena, value);
    case TALL_MODEL_STRUCT:
      *value = tall_slice (NULL, 0);
      return is_without_texts (field->descriptor, base);
    case TALL_MODEL_STRUCTS:
    case TALL_MODEL_TEXTS:
    case TALL_MODEL_ATTRIBUTES:
      return encode_list (field, base, arena, value);
    default:
      g_assert_not_reached ();
    }
}

/* @value: any bytes
 * @base: as for column_encode()
 *
 * Sets the field, allocating in @arena.
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED if @value cannot be one */
static gboolean
column_decode (
    const TallModelField *field, TallSlice value, TallArena *arena, gpointer base, GError **error)
{
  switch (tall_model_kind (field))
    {
    case TALL_MODEL_TEXT:
      return decode_text (field, value, arena, base, error);
    case TALL_MODEL_POSITION:
      return decode_number (field, value, base, error);
    case TALL_MODEL_DATE:
      return decode_date (field, value, base, error);
    case TALL_MODEL_DECIMAL:
    case TALL_MODEL_RATE:
      return decode_decimal (field, value, arena, base, error);
    case TALL_MODEL_STRUCT:
      return value.len == 0 || set_bad_value (error, value, "should be empty");
    case TALL_MODEL_STRUCTS:
    case TALL_MODEL_TEXTS:
    case TALL_MODEL_ATTRIBUTES:
      return decode_list (field, value, arena, base, error);
    default:
      g_assert_not_reached ();
    }
}

#define COLUMNS(identifier, type, prefix, only_number)                                             \
  static TallColumnList identifier##_list;                                                         \
  const TallColumns identifier = { type, prefix, only_number, &identifier##_list }

COLUMNS (tall_columns_order, &tall_model_order, "", FALSE);
COLUMNS (tall_columns_location, &tall_model_location, "", FALSE);
COLUMNS (tall_columns_ship_to, &tall_model_location, TALL_SHIP_PREFIX, FALSE);
COLUMNS (tall_columns_ship_number, &tall_model_location, TALL_SHIP_PREFIX, TRUE);
COLUMNS (tall_columns_line, &tall_model_line, "", FALSE);
COLUMNS (tall_columns_customer, &tall_model_customer, "", FALSE);

static void
add_column (GArray *columns,
            const char *prefix,
            const TallModelField *field,
            const TallModelField *address)
{
  gboolean inside = address != NULL && address != field;
  const char *name = field->name;
  if (*prefix != '\0' && g_str_has_prefix (name, TALL_SHIP "_"))
    name += strlen (TALL_SHIP "_");

  char *qualifier =
      g_strconcat (prefix, inside ? address->name : "", inside ? "." : "", name, NULL);
  TallColumn column = { tall_slice_str (qualifier), field, address };
  g_array_append_val (columns, column);
}

static void
add_columns (GArray *columns, const TallColumns *self, const TallModelField *field)
{
  TallModelKind kind = tall_model_kind (field);
  const TallModelType *type = kind == TALL_MODEL_STRUCT ? field->descriptor : NULL;
  if (kind == TALL_MODEL_NUMBER || kind == TALL_MODEL_LIST
      || (self->only_number && kind != TALL_MODEL_POSITION))
    return;

  add_column (columns, self->prefix, field, type != NULL ? field : NULL);
  for (guint i = 0; type != NULL && i < type->n_fields; i++)
    add_column (columns, self->prefix, &type->fields[i], field);
}

static int
compare_columns (gconstpointer a, gconstpointer b)
{
  return tall_slice_compare (((const TallColumn *)a)->qualifier,
                             ((const TallColumn *)b)->qualifier);
}

static void
make_list (const TallColumns *self)
{
  GArray *columns = g_array_new (FALSE, FALSE, sizeof (TallColumn));
  for (guint i = 0; i < self->type->n_fields; i++)
    add_columns (columns, self, &self->type->fields[i]);
  g_array_sort (columns, compare_columns);
  self->list->n_columns = columns->len;
  self->list->columns = (TallColumn *)(gpointer)g_array_free (columns, FALSE);
}

/**
 * tall_columns_list:
 *
 * Any thread may call it.
 */
const TallColumnList *
tall_columns_list (const TallColumns *self)
{
  if (g_once_init_enter (&self->list->made))
    {
      make_list (self);
      g_once_init_leave (&self->list->made, 1);
    }
  return self->list;
}

/**
 * tall_columns_append:
 * @fields: the struct whose fields they are; must live as long as @batch, as texts are not copied
 * @mutation: of @batch
 *
 * Puts a cell for each field that is present.
 */
void
tall_columns_append (const TallColumns *self,
                     gconstpointer fields,
                     gint64 revision,
                     TallBatch *batch,
                     TallMutation *mutation)
{
  const TallColumnList *list = tall_columns_list (self);
  for (guint i = 0; i < list->n_columns; i++)
    {
      const TallColumn *column = &list->columns[i];
      gconstpointer of = fields;
      if (column->address != NULL)
        of = tall_model_get_pointer (column->address, fields);

      TallSlice value;
      if (of != NULL && column_encode (column->field, of, batch->arena, &value))
        tall_mutation_put (batch, mutation, column->qualifier, revision, value);
    }
}

static gboolean
read_cell (const TallColumn *column,
           const TallCell *cell,
           TallArena *arena,
           gpointer fields,
           GError **error)
{
  gpointer of = fields;
  if (column->address != NULL)
    {
      of = tall_model_get_pointer (column->address, fields);
      if (of == NULL)
        {
          of = tall_model_new (column->address->descriptor, arena);
          tall_model_set_pointer (column->address, fields, of);
        }
    }
  return column_decode (column->field, cell->value, arena, of, error);
}

/* One message from the row, the column and the reason. */
static gboolean
set_bad_cell (GError **error, const char *table, TallSlice row, TallSlice qualifier, GError *why)
{
  g_autoptr (GError) owned = why;
  g_autofree char *column = tall_slice_to_debug (qualifier);
  return tall_columns_set_damaged (error, table, row, "column " TALL_FAMILY ":%s: %s", column,
                                   owned->message);
}

/**
 * tall_columns_read:
 * @fields: the struct to set, all fields absent
 * @n_cells: (out) (optional): cells of the reader's revision, those of other columns included
 *
 * Sets the fields whose cells are there. Takes time linear in the cells, as both they and the
 * columns are sorted. Columns that are not known are skipped.
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED, naming row and column, if a cell cannot be understood
 */
gboolean
tall_columns_read (const TallColumns *self,
                   const TallColumnsReader *reader,
                   const TallRow *row,
                   gpointer fields,
                   guint *n_cells,
                   GError **error)
{
  const TallColumnList *list = tall_columns_list (self);
  const TallColumn *column = list->columns;
  const TallColumn *end = column + list->n_columns;
  guint n = 0;

  for (const TallCell *cell = row->cells; cell < row->cells + row->n_cells; cell++)
    {
      if (cell->timestamp != reader->revision)
        continue;

      n++;
      int order = 1;
      while (column < end && (order = tall_slice_compare (column->qualifier, cell->qualifier)) < 0)
        column++;
      if (column == end || order != 0)
        continue;

      GError *why = NULL;
      if (!read_cell (column, cell, reader->arena, fields, &why))
        return set_bad_cell (error, reader->table, row->key, cell->qualifier, why);
      column++;
    }

  if (n_cells != NULL)
    *n_cells = n;
  return TRUE;
}

/**
 * tall_columns_set_damaged:
 * @format: what is wrong with the row
 *
 * Sets %TALL_ERROR_DAMAGED, naming table and row.
 *
 * Returns: FALSE
 */
gboolean
tall_columns_set_damaged (GError **error, const char *table, TallSlice row, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);

  g_autofree char *key = tall_slice_to_debug (row);
  return tall_error_fail (error, TALL_ERROR_DAMAGED, "Table %s, row %s, %s", table, key, what);
}
