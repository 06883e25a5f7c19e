/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "layout/column-types.h"

#include "model/canonical.h"
#include "tall-error.h"
#include "tall-limits.h"

#define SHOWN_BYTES 40 /* of a bad value in a message */

static gboolean
set_bad_value (GError **error, TallSlice value, const char *why)
{
  TallSlice head = tall_slice (value.data, MIN (value.len, SHOWN_BYTES));
  g_autofree char *shown = tall_slice_to_debug (head);
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED, "“%s%s” (%" G_GSIZE_FORMAT " bytes) %s",
               shown, head.len < value.len ? "…" : "", value.len, why);
  return FALSE;
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

/**
 * tall_column_encode:
 * @base: the struct that has the field; of an address itself, the address
 * @value: (out): points into @base, or is allocated in @arena
 *
 * Returns: FALSE if the field is absent
 */
gboolean
tall_column_encode (const TallModelField *field,
                    gconstpointer base,
                    TallArena *arena,
                    TallSlice *value)
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
    case TALL_MODEL_TEXTS:
    case TALL_MODEL_ATTRIBUTES:
      return encode_list (field, base, arena, value);
    default:
      g_assert_not_reached ();
    }
}

/**
 * tall_column_decode:
 * @value: any bytes
 * @base: as for tall_column_encode()
 *
 * Sets the field, allocating in @arena.
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED if @value cannot be one
 */
gboolean
tall_column_decode (
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
    case TALL_MODEL_TEXTS:
    case TALL_MODEL_ATTRIBUTES:
      return decode_list (field, value, arena, base, error);
    default:
      g_assert_not_reached ();
    }
}
