/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire/struct-writer.h"

#include "tall-decimal.h"

/* Lists and maps are there also when they are empty. */
static gboolean
is_there (const TallStructField *field, gconstpointer object)
{
  switch ((TallStructKind)field->kind)
    {
    case TALL_KIND_TEXT:
    case TALL_KIND_REASON:
    case TALL_KIND_STRUCT:
    case TALL_KIND_RAW:
    case TALL_KIND_BYTES: /* a slice begins with its pointer */
      if (!tall_struct_field_has_beside (field))
        return field->beside == TALL_STRUCT_REQUIRED
               || G_STRUCT_MEMBER (gconstpointer, object, field->offset) != NULL;
      return G_STRUCT_MEMBER (gboolean, object, field->beside);
    case TALL_KIND_STRUCTS:
    case TALL_KIND_TEXTS:
    case TALL_KIND_SLICES:
    case TALL_KIND_PAIRS:
      return TRUE;
    default:
      return !tall_struct_field_has_beside (field)
             || G_STRUCT_MEMBER (gboolean, object, field->beside);
    }
}

static void
put_decimal (TallWireOutput *output, const TallDecimal *decimal)
{
  gint16 last = 0;
  tall_wire_put_field (output, &last, TALL_WIRE_I64, TALL_DECIMAL_UNSCALED_ID);
  tall_wire_put_i64 (output, decimal->unscaled);
  tall_wire_put_field (output, &last, TALL_WIRE_I32, TALL_DECIMAL_SCALE_ID);
  tall_wire_put_i32 (output, decimal->scale);
  tall_wire_put_stop (output);
}

static void
put_pairs (TallWireOutput *output, const TallStructPair *pairs, guint n)
{
  tall_wire_put_map (output, TALL_WIRE_STRING, TALL_WIRE_STRING, n);
  for (guint i = 0; i < n; i++)
    {
      tall_wire_put_bytes (output, tall_slice_str (pairs[i].key));
      tall_wire_put_bytes (output, tall_slice_str (pairs[i].value));
    }
}

static void
put_texts (TallWireOutput *output, char *const *texts, guint n)
{
  tall_wire_put_list (output, TALL_WIRE_STRING, n);
  for (guint i = 0; i < n; i++)
    tall_wire_put_bytes (output, tall_slice_str (texts[i]));
}

static void
put_slices (TallWireOutput *output, const TallSlice *slices, guint n)
{
  tall_wire_put_list (output, TALL_WIRE_STRING, n);
  for (guint i = 0; i < n; i++)
    tall_wire_put_bytes (output, slices[i]);
}

static void
put_structs (TallWireOutput *output, const TallStructType *type, const guint8 *array, guint n)
{
  tall_wire_put_list (output, TALL_WIRE_STRUCT, n);
  for (guint i = 0; i < n; i++)
    tall_struct_write (type, array + i * type->size, output);
}

/* A list or a map. */
static void
put_many (TallWireOutput *output, const TallStructField *field, gconstpointer object)
{
  gconstpointer array = G_STRUCT_MEMBER (gconstpointer, object, field->offset);
  guint n = G_STRUCT_MEMBER (guint, object, field->beside);

  switch ((TallStructKind)field->kind)
    {
    case TALL_KIND_STRUCTS:
      return put_structs (output, field->type, array, n);
    case TALL_KIND_TEXTS:
      return put_texts (output, array, n);
    case TALL_KIND_SLICES:
      return put_slices (output, array, n);
    case TALL_KIND_PAIRS:
      return put_pairs (output, array, n);
    default:
      g_assert_not_reached (); /* a kind that is only read */
    }
}

static void
put_value (TallWireOutput *output, const TallStructField *field, gconstpointer object)
{
  gconstpointer value = G_STRUCT_MEMBER_P (object, field->offset);

  switch ((TallStructKind)field->kind)
    {
    case TALL_KIND_I32:
      return tall_wire_put_i32 (output, *(const gint32 *)value);
    case TALL_KIND_I64:
      return tall_wire_put_i64 (output, *(const gint64 *)value);
    case TALL_KIND_TEXT:
    case TALL_KIND_REASON:
      return tall_wire_put_bytes (output, tall_slice_str (*(char *const *)value));
    case TALL_KIND_BYTES:
      return tall_wire_put_bytes (output, *(const TallSlice *)value);
    case TALL_KIND_DECIMAL:
      return put_decimal (output, value);
    case TALL_KIND_RAW:
      return tall_wire_put_raw (output, *(const TallSlice *)value);
    case TALL_KIND_STRUCT:
      return tall_struct_write (field->type, *(gconstpointer const *)value, output);
    default:
      return put_many (output, field, object);
    }
}

/**
 * tall_struct_write:
 * @object: of that type
 *
 * Writes a struct with the fields that are there.
 */
void
tall_struct_write (const TallStructType *type, gconstpointer object, TallWireOutput *output)
{
  gint16 last = 0;
  for (guint i = 0; i < type->n_fields; i++)
    {
      const TallStructField *field = &type->fields[i];
      if (!is_there (field, object))
        continue;
      if (field->kind == TALL_KIND_BOOL)
        {
          tall_wire_put_bool_field (output, &last, field->id,
                                    G_STRUCT_MEMBER (gboolean, object, field->offset));
          continue;
        }
      tall_wire_put_field (output, &last, tall_struct_wire_types[field->kind], field->id);
      put_value (output, field, object);
    }
  tall_wire_put_stop (output);
}

/**
 * tall_struct_append:
 * @object: of that type
 *
 * Appends a struct to @bytes, by itself.
 */
void
tall_struct_append (const TallStructType *type,
                    gconstpointer object,
                    gboolean compact,
                    GByteArray *bytes)
{
  TallWireOutput output;
  tall_wire_output_init (&output, bytes, compact);
  tall_struct_write (type, object, &output);
  tall_wire_output_settle (&output);
}
