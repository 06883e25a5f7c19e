/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-binary-writer.h"

#include "tall-bytes.h"
#include "tall-decimal.h"

static void
put_field (GByteArray *out, ThriftType type, gint16 id)
{
  guint8 header[3] = { (guint8)type, (guint8)((guint16)id >> 8), (guint8)id };
  g_byte_array_append (out, header, sizeof header);
}

static void
put_bytes (GByteArray *out, const void *data, gsize len)
{
  tall_bytes_append_u32 (out, (guint32)len);
  if (len > 0)
    g_byte_array_append (out, data, (guint)len);
}

static void
put_text (GByteArray *out, const char *text)
{
  put_bytes (out, text, strlen (text));
}

static void
put_decimal (GByteArray *out, const TallDecimal *decimal)
{
  put_field (out, T_I64, 1);
  tall_bytes_append_u64 (out, (guint64)decimal->unscaled);
  put_field (out, T_I32, 2);
  tall_bytes_append_u32 (out, decimal->scale);
  tall_bytes_append_u8 (out, T_STOP);
}

static void
put_pairs (GByteArray *out, const TallStructPair *pairs, guint count)
{
  tall_bytes_append_u8 (out, T_STRING);
  tall_bytes_append_u8 (out, T_STRING);
  tall_bytes_append_u32 (out, count);
  for (guint i = 0; i < count; i++)
    {
      put_text (out, pairs[i].key);
      put_text (out, pairs[i].value);
    }
}

static void
put_structs (GByteArray *out, const TallStructType *type, const guint8 *array, guint count)
{
  tall_bytes_append_u8 (out, T_STRUCT);
  tall_bytes_append_u32 (out, count);
  for (guint i = 0; i < count; i++)
    tall_binary_write (type, array + i * type->size, out);
}

static void
put_texts (GByteArray *out, char *const *texts, guint count)
{
  tall_bytes_append_u8 (out, T_STRING);
  tall_bytes_append_u32 (out, count);
  for (guint i = 0; i < count; i++)
    put_text (out, texts[i]);
}

static void
put_value (GByteArray *out, const TallStructField *field, gconstpointer object)
{
  gconstpointer value = G_STRUCT_MEMBER_P (object, field->offset);

  switch ((TallStructKind)field->kind)
    {
    case TALL_KIND_BOOL:
      return tall_bytes_append_u8 (out, *(const gboolean *)value != FALSE);
    case TALL_KIND_I32:
      return tall_bytes_append_u32 (out, (guint32) * (const gint32 *)value);
    case TALL_KIND_I64:
      return tall_bytes_append_u64 (out, (guint64) * (const gint64 *)value);
    case TALL_KIND_TEXT:
      return put_text (out, *(char *const *)value);
    case TALL_KIND_BYTES:
      return put_bytes (out, ((const TallSlice *)value)->data, ((const TallSlice *)value)->len);
    case TALL_KIND_DECIMAL:
      return put_decimal (out, value);
    case TALL_KIND_STRUCT:
      return tall_binary_write (field->type, *(gconstpointer const *)value, out);
    case TALL_KIND_STRUCTS:
      return put_structs (out, field->type, *(const guint8 *const *)value,
                          G_STRUCT_MEMBER (guint, object, field->beside));
    case TALL_KIND_TEXTS:
      return put_texts (out, *(char *const *const *)value,
                        G_STRUCT_MEMBER (guint, object, field->beside));
    case TALL_KIND_PAIRS:
      return put_pairs (out, *(const TallStructPair *const *)value,
                        G_STRUCT_MEMBER (guint, object, field->beside));
    case TALL_N_KINDS:
      break;
    }
  g_assert_not_reached ();
}

/**
 * tall_binary_write:
 *
 * Appends a struct in Thrift's binary protocol: each field as its type (1 byte), id (2) and value,
 * and a zero byte at the end; integers big-endian, texts and bytes after their length (4).
 */
void
tall_binary_write (const TallStructType *type, gconstpointer object, GByteArray *out)
{
  for (guint i = 0; i < type->n_fields; i++)
    {
      const TallStructField *field = &type->fields[i];
      if (!tall_struct_field_is_there (field, object))
        continue;
      put_field (out, tall_struct_wire_types[field->kind], field->id);
      put_value (out, field, object);
    }
  tall_bytes_append_u8 (out, T_STOP);
}
