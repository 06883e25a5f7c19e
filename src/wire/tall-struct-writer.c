/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-struct-writer.h"

#include "tall-binary-protocol.h"
#include "tall-binary-writer.h"
#include "tall-decimal.h"

static gboolean write_struct (const TallStructType *type,
                              gconstpointer object,
                              ThriftProtocol *protocol,
                              GError **error);

static gboolean
begin_field (ThriftProtocol *protocol,
             const TallStructField *field,
             ThriftType type,
             GError **error)
{
  return thrift_protocol_write_field_begin (protocol, field->name, type, field->id, error) >= 0;
}

static gboolean
write_decimal (ThriftProtocol *protocol, const TallDecimal *decimal, GError **error)
{
  return thrift_protocol_write_struct_begin (protocol, "Decimal", error) >= 0
         && thrift_protocol_write_field_begin (protocol, "unscaled", T_I64, 1, error) >= 0
         && thrift_protocol_write_i64 (protocol, decimal->unscaled, error) >= 0
         && thrift_protocol_write_field_end (protocol, error) >= 0
         && thrift_protocol_write_field_begin (protocol, "scale", T_I32, 2, error) >= 0
         && thrift_protocol_write_i32 (protocol, decimal->scale, error) >= 0
         && thrift_protocol_write_field_end (protocol, error) >= 0
         && thrift_protocol_write_field_stop (protocol, error) >= 0
         && thrift_protocol_write_struct_end (protocol, error) >= 0;
}

static gboolean
write_structs (ThriftProtocol *protocol,
               const TallStructType *type,
               const guint8 *array,
               guint count,
               GError **error)
{
  if (thrift_protocol_write_list_begin (protocol, T_STRUCT, count, error) < 0)
    return FALSE;
  for (guint i = 0; i < count; i++)
    if (!write_struct (type, array + i * type->size, protocol, error))
      return FALSE;
  return thrift_protocol_write_list_end (protocol, error) >= 0;
}

static gboolean
write_texts (ThriftProtocol *protocol, char *const *texts, guint count, GError **error)
{
  if (thrift_protocol_write_list_begin (protocol, T_STRING, count, error) < 0)
    return FALSE;
  for (guint i = 0; i < count; i++)
    if (thrift_protocol_write_string (protocol, texts[i], error) < 0)
      return FALSE;
  return thrift_protocol_write_list_end (protocol, error) >= 0;
}

static gboolean
write_pairs (ThriftProtocol *protocol, const TallStructPair *pairs, guint n, GError **error)
{
  if (thrift_protocol_write_map_begin (protocol, T_STRING, T_STRING, n, error) < 0)
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (thrift_protocol_write_string (protocol, pairs[i].key, error) < 0
        || thrift_protocol_write_string (protocol, pairs[i].value, error) < 0)
      return FALSE;
  return thrift_protocol_write_map_end (protocol, error) >= 0;
}

/* The part of a field before its value; @type: what it is on the wire. */
static gboolean
write_scalar (ThriftProtocol *protocol,
              const TallStructField *field,
              gconstpointer value,
              GError **error)
{
  switch ((TallStructKind)field->kind)
    {
    case TALL_KIND_BOOL:
      return begin_field (protocol, field, T_BOOL, error)
             && thrift_protocol_write_bool (protocol, *(const gboolean *)value, error) >= 0;
    case TALL_KIND_I32:
      return begin_field (protocol, field, T_I32, error)
             && thrift_protocol_write_i32 (protocol, *(const gint32 *)value, error) >= 0;
    case TALL_KIND_I64:
      return begin_field (protocol, field, T_I64, error)
             && thrift_protocol_write_i64 (protocol, *(const gint64 *)value, error) >= 0;
    case TALL_KIND_TEXT:
      return begin_field (protocol, field, T_STRING, error)
             && thrift_protocol_write_string (protocol, *(char *const *)value, error) >= 0;
    case TALL_KIND_BYTES:
      {
        const TallSlice *slice = value;
        return begin_field (protocol, field, T_STRING, error)
               && thrift_protocol_write_binary (protocol, (gpointer)slice->data,
                                                (guint32)slice->len, error)
                      >= 0;
      }
    case TALL_KIND_DECIMAL:
      return begin_field (protocol, field, T_STRUCT, error)
             && write_decimal (protocol, value, error);
    default:
      g_assert_not_reached ();
    }
}

static gboolean
write_value (ThriftProtocol *protocol,
             const TallStructField *field,
             gconstpointer object,
             GError **error)
{
  gconstpointer value = G_STRUCT_MEMBER_P (object, field->offset);

  switch ((TallStructKind)field->kind)
    {
    case TALL_KIND_STRUCT:
      return begin_field (protocol, field, T_STRUCT, error)
             && write_struct (field->type, *(gconstpointer const *)value, protocol, error);
    case TALL_KIND_STRUCTS:
      return begin_field (protocol, field, T_LIST, error)
             && write_structs (protocol, field->type, *(const guint8 *const *)value,
                               G_STRUCT_MEMBER (guint, object, field->beside), error);
    case TALL_KIND_TEXTS:
      return begin_field (protocol, field, T_LIST, error)
             && write_texts (protocol, *(char *const *const *)value,
                             G_STRUCT_MEMBER (guint, object, field->beside), error);
    case TALL_KIND_PAIRS:
      return begin_field (protocol, field, T_MAP, error)
             && write_pairs (protocol, *(const TallStructPair *const *)value,
                             G_STRUCT_MEMBER (guint, object, field->beside), error);
    default:
      return write_scalar (protocol, field, value, error);
    }
}

static gboolean
write_struct (const TallStructType *type,
              gconstpointer object,
              ThriftProtocol *protocol,
              GError **error)
{
  if (thrift_protocol_write_struct_begin (protocol, type->name, error) < 0)
    return FALSE;
  for (guint i = 0; i < type->n_fields; i++)
    {
      const TallStructField *field = &type->fields[i];
      if (!tall_struct_field_is_there (field, object))
        continue;
      if (!write_value (protocol, field, object, error)
          || thrift_protocol_write_field_end (protocol, error) < 0)
        return FALSE;
    }
  return thrift_protocol_write_field_stop (protocol, error) >= 0
         && thrift_protocol_write_struct_end (protocol, error) >= 0;
}

/**
 * tall_struct_write:
 * @object: of that type
 *
 * Writes a struct with the fields that are there; lists and maps also when they are empty. The
 * binary protocol is written by our own hand, which costs a fraction of Thrift's classes.
 */
gboolean
tall_struct_write (const TallStructType *type,
                   gconstpointer object,
                   ThriftProtocol *protocol,
                   GError **error)
{
  if (!TALL_IS_BINARY_PROTOCOL (protocol))
    return write_struct (type, object, protocol, error);
  tall_binary_write (type, object,
                     tall_transport_begin_output (TALL_TRANSPORT (protocol->transport)));
  return TRUE;
}
