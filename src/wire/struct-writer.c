/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire/struct.h"

#include "tall-decimal.h"

/* Thrift's protocols write no names; but the compact one takes a truth value without one for an
 * element. */
#define NO_NAME ""

const guint8 tall_struct_wire_types[TALL_N_KINDS] = {
  [TALL_KIND_BOOL] = T_BOOL,      [TALL_KIND_I32] = T_I32,       [TALL_KIND_I64] = T_I64,
  [TALL_KIND_TEXT] = T_STRING,    [TALL_KIND_REASON] = T_STRING, [TALL_KIND_BYTES] = T_STRING,
  [TALL_KIND_DECIMAL] = T_STRUCT, [TALL_KIND_STRUCT] = T_STRUCT, [TALL_KIND_STRUCTS] = T_LIST,
  [TALL_KIND_OBJECTS] = T_LIST,   [TALL_KIND_TEXTS] = T_LIST,    [TALL_KIND_SLICES] = T_LIST,
  [TALL_KIND_PAIRS] = T_MAP,      [TALL_KIND_EACH] = T_LIST,     [TALL_KIND_ONE] = T_STRUCT,
  [TALL_KIND_RAW] = T_STRUCT,
};

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
    case TALL_KIND_OBJECTS:
    case TALL_KIND_TEXTS:
    case TALL_KIND_SLICES:
    case TALL_KIND_PAIRS:
      return !field->optional || tall_struct_field_count (field, object) > 0;
    default:
      return !tall_struct_field_has_beside (field)
             || G_STRUCT_MEMBER (gboolean, object, field->beside);
    }
}

/* An empty one may have no address. */
static void
put_bytes (ThriftProtocol *protocol, TallSlice bytes)
{
  thrift_protocol_write_binary (protocol, (gpointer)bytes.data, (guint32)bytes.len, NULL);
}

static void
put_decimal (ThriftProtocol *protocol, const TallDecimal *decimal)
{
  thrift_protocol_write_struct_begin (protocol, NO_NAME, NULL);
  thrift_protocol_write_field_begin (protocol, NO_NAME, T_I64, TALL_DECIMAL_UNSCALED_ID, NULL);
  thrift_protocol_write_i64 (protocol, decimal->unscaled, NULL);
  thrift_protocol_write_field_begin (protocol, NO_NAME, T_I32, TALL_DECIMAL_SCALE_ID, NULL);
  thrift_protocol_write_i32 (protocol, decimal->scale, NULL);
  thrift_protocol_write_field_stop (protocol, NULL);
  thrift_protocol_write_struct_end (protocol, NULL);
}

static void
put_pairs (ThriftProtocol *protocol, const TallStructType *type, gpointer const *pairs, guint n)
{
  thrift_protocol_write_map_begin (protocol, T_STRING, T_STRING, n, NULL);
  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < 2; k++)
      {
        const char *text = G_STRUCT_MEMBER (const char *, pairs[i], type->fields[k].offset);
        put_bytes (protocol, tall_slice_str (text));
      }
}

static void
put_texts (ThriftProtocol *protocol, char *const *texts, guint n)
{
  thrift_protocol_write_list_begin (protocol, T_STRING, n, NULL);
  for (guint i = 0; i < n; i++)
    put_bytes (protocol, tall_slice_str (texts[i]));
}

static void
put_slices (ThriftProtocol *protocol, const TallSlice *slices, guint n)
{
  thrift_protocol_write_list_begin (protocol, T_STRING, n, NULL);
  for (guint i = 0; i < n; i++)
    put_bytes (protocol, slices[i]);
}

static void
put_structs (ThriftProtocol *protocol, const TallStructType *type, const guint8 *array, guint n)
{
  thrift_protocol_write_list_begin (protocol, T_STRUCT, n, NULL);
  for (guint i = 0; i < n; i++)
    tall_struct_write (type, array + i * type->size, protocol);
}

static void
put_objects (ThriftProtocol *protocol, const TallStructType *type, gpointer const *array, guint n)
{
  thrift_protocol_write_list_begin (protocol, T_STRUCT, n, NULL);
  for (guint i = 0; i < n; i++)
    tall_struct_write (type, array[i], protocol);
}

/* A struct that is encoded already. */
static void
put_raw (ThriftProtocol *protocol, TallSlice raw)
{
  thrift_transport_write (protocol->transport, (gpointer)raw.data, (guint32)raw.len, NULL);
}

/* A list or a map. */
static void
put_many (ThriftProtocol *protocol, const TallStructField *field, gconstpointer object)
{
  gconstpointer array = G_STRUCT_MEMBER (gconstpointer, object, field->offset);
  guint n = tall_struct_field_count (field, object);

  switch ((TallStructKind)field->kind)
    {
    case TALL_KIND_STRUCTS:
      return put_structs (protocol, field->type, array, n);
    case TALL_KIND_OBJECTS:
      return put_objects (protocol, field->type, array, n);
    case TALL_KIND_TEXTS:
      return put_texts (protocol, array, n);
    case TALL_KIND_SLICES:
      return put_slices (protocol, array, n);
    case TALL_KIND_PAIRS:
      return put_pairs (protocol, field->type, array, n);
    default:
      g_assert_not_reached (); /* a kind that is only read */
    }
}

static void
put_value (ThriftProtocol *protocol, const TallStructField *field, gconstpointer object)
{
  gconstpointer value = G_STRUCT_MEMBER_P (object, field->offset);

  switch ((TallStructKind)field->kind)
    {
    case TALL_KIND_BOOL:
      thrift_protocol_write_bool (protocol, *(const gboolean *)value, NULL);
      return;
    case TALL_KIND_I32:
      thrift_protocol_write_i32 (protocol, *(const gint32 *)value, NULL);
      return;
    case TALL_KIND_I64:
      thrift_protocol_write_i64 (protocol, *(const gint64 *)value, NULL);
      return;
    case TALL_KIND_TEXT:
    case TALL_KIND_REASON:
      return put_bytes (protocol, tall_slice_str (*(char *const *)value));
    case TALL_KIND_BYTES:
      return put_bytes (protocol, *(const TallSlice *)value);
    case TALL_KIND_DECIMAL:
      return put_decimal (protocol, value);
    case TALL_KIND_RAW:
      return put_raw (protocol, *(const TallSlice *)value);
    case TALL_KIND_STRUCT:
      return tall_struct_write (field->type, *(gconstpointer const *)value, protocol);
    default:
      return put_many (protocol, field, object);
    }
}

/**
 * tall_struct_write:
 * @object: of that type
 *
 * Writes a struct with the fields that are there. Nothing of it can fail but that the message is
 * too large, which the transport remembers.
 */
void
tall_struct_write (const TallStructType *type, gconstpointer object, ThriftProtocol *protocol)
{
  thrift_protocol_write_struct_begin (protocol, NO_NAME, NULL);
  for (guint i = 0; i < type->n_fields; i++)
    {
      const TallStructField *field = &type->fields[i];
      if (!is_there (field, object))
        continue;
      thrift_protocol_write_field_begin (protocol, NO_NAME, tall_struct_wire_types[field->kind],
                                         field->id, NULL);
      put_value (protocol, field, object);
    }
  thrift_protocol_write_field_stop (protocol, NULL);
  thrift_protocol_write_struct_end (protocol, NULL);
}

/**
 * tall_struct_measure:
 * @scale: over memory; nothing stays in it
 *
 * Returns: the bytes that the struct takes in the scale's protocol
 */
gsize
tall_struct_measure (const TallStructType *type, gconstpointer object, TallTransport *scale)
{
  tall_struct_write (type, object, tall_protocol_get_writer (scale));
  gsize len = tall_transport_get_output (scale).len;
  tall_transport_drop_output (scale);
  return len;
}
