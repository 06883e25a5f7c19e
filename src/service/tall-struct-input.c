/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-struct-input.h"

#include "tall-binary-protocol.h"

/* Bytes of the smallest value of each type in the binary protocol; 0: no type of a value. */
static const guint8 min_sizes[] = {
  [T_BOOL] = 1,   [T_BYTE] = 1,   [T_DOUBLE] = 8, [T_I16] = 2, [T_I32] = 4,  [T_I64] = 8,
  [T_STRING] = 4, [T_STRUCT] = 1, [T_MAP] = 6,    [T_SET] = 5, [T_LIST] = 5,
};

static guint
min_size (ThriftType type)
{
  return (guint)type < G_N_ELEMENTS (min_sizes) ? min_sizes[type] : 0;
}

static gboolean
malformed (GError **error, const char *reason)
{
  g_set_error (error, TALL_ERROR, TALL_ERROR_INVALID, "malformed message: %s", reason);
  return FALSE;
}

/* The reader remembers that it went beyond the end, so one check after several reads is enough. */
static gboolean
check_frame (TallStructInput *self, GError **error)
{
  return !self->frame.failed || malformed (error, "it ends too early");
}

/**
 * tall_struct_input_init:
 * @protocol: one that has just read the beginning of a message
 */
void
tall_struct_input_init (TallStructInput *self, ThriftProtocol *protocol)
{
  TallTransport *transport = (TallTransport *)protocol->transport;
  gsize rest = tall_transport_get_remaining (transport);
  const guint8 *bytes = NULL;

  if (TALL_IS_BINARY_PROTOCOL (protocol) && tall_transport_get_options (transport)->framed
      && rest > 0)
    bytes = tall_transport_fill (transport, rest, NULL);
  self->protocol = protocol;
  self->direct = bytes != NULL;
  self->frame = tall_reader (tall_slice (bytes, bytes != NULL ? rest : 0));
}

gboolean
tall_struct_input_begin_struct (TallStructInput *self, GError **error)
{
  g_autofree gchar *name = NULL;
  return self->direct || thrift_protocol_read_struct_begin (self->protocol, &name, error) >= 0;
}

gboolean
tall_struct_input_end_struct (TallStructInput *self, GError **error)
{
  return self->direct || thrift_protocol_read_struct_end (self->protocol, error) >= 0;
}

gboolean
tall_struct_input_begin_field (TallStructInput *self, ThriftType *type, gint16 *id, GError **error)
{
  g_autofree gchar *name = NULL;
  if (!self->direct)
    return thrift_protocol_read_field_begin (self->protocol, &name, type, id, error) >= 0;

  *type = tall_reader_u8 (&self->frame);
  *id = *type == T_STOP ? 0 : (gint16)tall_reader_u16 (&self->frame);
  return check_frame (self, error);
}

gboolean
tall_struct_input_end_field (TallStructInput *self, GError **error)
{
  return self->direct || thrift_protocol_read_field_end (self->protocol, error) >= 0;
}

/* What is announced must be there. */
static gboolean
check_size (TallStructInput *self, guint32 size, guint element_size, GError **error)
{
  if (!check_frame (self, error))
    return FALSE;
  if (size > 0 && element_size == 0)
    return malformed (error, "a list of an unknown type");
  if ((guint64)size * element_size > self->frame.rest.len)
    return malformed (error, "it announces more than it has");
  return TRUE;
}

gboolean
tall_struct_input_begin_list (TallStructInput *self,
                              ThriftType *type,
                              guint32 *size,
                              GError **error)
{
  if (!self->direct)
    return thrift_protocol_read_list_begin (self->protocol, type, size, error) >= 0;

  *type = tall_reader_u8 (&self->frame);
  *size = tall_reader_u32 (&self->frame);
  return check_size (self, *size, min_size (*type), error);
}

gboolean
tall_struct_input_end_list (TallStructInput *self, GError **error)
{
  return self->direct || thrift_protocol_read_list_end (self->protocol, error) >= 0;
}

gboolean
tall_struct_input_begin_map (TallStructInput *self,
                             ThriftType *key_type,
                             ThriftType *value_type,
                             guint32 *size,
                             GError **error)
{
  if (!self->direct)
    return thrift_protocol_read_map_begin (self->protocol, key_type, value_type, size, error) >= 0;

  *key_type = tall_reader_u8 (&self->frame);
  *value_type = tall_reader_u8 (&self->frame);
  *size = tall_reader_u32 (&self->frame);
  guint key_size = min_size (*key_type), value_size = min_size (*value_type);
  return check_size (self, *size, key_size == 0 || value_size == 0 ? 0 : key_size + value_size,
                     error);
}

gboolean
tall_struct_input_end_map (TallStructInput *self, GError **error)
{
  return self->direct || thrift_protocol_read_map_end (self->protocol, error) >= 0;
}

gboolean
tall_struct_input_bool (TallStructInput *self, gboolean *value, GError **error)
{
  if (!self->direct)
    return thrift_protocol_read_bool (self->protocol, value, error) >= 0;

  guint8 byte = tall_reader_u8 (&self->frame);
  if (byte > 1)
    return malformed (error, "neither true nor false");
  *value = byte;
  return check_frame (self, error);
}

gboolean
tall_struct_input_i32 (TallStructInput *self, gint32 *value, GError **error)
{
  if (!self->direct)
    return thrift_protocol_read_i32 (self->protocol, value, error) >= 0;

  *value = (gint32)tall_reader_u32 (&self->frame);
  return check_frame (self, error);
}

gboolean
tall_struct_input_i64 (TallStructInput *self, gint64 *value, GError **error)
{
  if (!self->direct)
    return thrift_protocol_read_i64 (self->protocol, value, error) >= 0;

  *value = (gint64)tall_reader_u64 (&self->frame);
  return check_frame (self, error);
}

/**
 * tall_struct_input_bytes:
 * @slice: (out): the bytes, in @arena; a NUL follows them
 */
gboolean
tall_struct_input_bytes (TallStructInput *self, TallArena *arena, TallSlice *slice, GError **error)
{
  g_autofree gpointer copy = NULL;
  guint32 len = 0;

  if (!self->direct)
    {
      if (thrift_protocol_read_binary (self->protocol, &copy, &len, error) < 0)
        return FALSE;
      *slice = tall_slice (copy, len);
    }
  else
    {
      len = tall_reader_u32 (&self->frame);
      *slice = tall_reader_take (&self->frame, len);
      if (!check_frame (self, error))
        return FALSE;
    }

  slice->data = (const guint8 *)tall_arena_strndup (arena, (const char *)slice->data, slice->len);
  return TRUE;
}

static gboolean skip (TallStructInput *self, ThriftType type, guint depth, GError **error);

static gboolean
skip_struct (TallStructInput *self, guint depth, GError **error)
{
  for (;;)
    {
      ThriftType type = T_STOP;
      gint16 id = 0;
      if (!tall_struct_input_begin_field (self, &type, &id, error))
        return FALSE;
      if (type == T_STOP)
        return TRUE;
      if (!skip (self, type, depth, error))
        return FALSE;
    }
}

static gboolean
skip_list (TallStructInput *self, guint depth, GError **error)
{
  ThriftType type = T_STOP;
  guint32 size = 0;

  if (!tall_struct_input_begin_list (self, &type, &size, error))
    return FALSE;
  for (guint32 i = 0; i < size; i++)
    if (!skip (self, type, depth, error))
      return FALSE;
  return TRUE;
}

static gboolean
skip_map (TallStructInput *self, guint depth, GError **error)
{
  ThriftType key_type = T_STOP, value_type = T_STOP;
  guint32 size = 0;

  if (!tall_struct_input_begin_map (self, &key_type, &value_type, &size, error))
    return FALSE;
  for (guint32 i = 0; i < size; i++)
    if (!skip (self, key_type, depth, error) || !skip (self, value_type, depth, error))
      return FALSE;
  return TRUE;
}

/* Direct. @depth: how many structs and containers may still lie within each other. */
static gboolean
skip (TallStructInput *self, ThriftType type, guint depth, GError **error)
{
  if (depth == 0)
    return malformed (error, "it is nested too deep");

  switch (type)
    {
    case T_STRUCT:
      return skip_struct (self, depth - 1, error);
    case T_LIST:
    case T_SET:
      return skip_list (self, depth - 1, error);
    case T_MAP:
      return skip_map (self, depth - 1, error);
    case T_STRING:
      (void)tall_reader_take (&self->frame, tall_reader_u32 (&self->frame));
      return check_frame (self, error);
    default:
      if (min_size (type) == 0)
        return malformed (error, "a value of an unknown type");
      (void)tall_reader_take (&self->frame, min_size (type));
      return check_frame (self, error);
    }
}

/**
 * tall_struct_input_skip:
 *
 * Leaves out a value that nobody here knows, however it is nested, within the transport's limit.
 */
gboolean
tall_struct_input_skip (TallStructInput *self, ThriftType type, GError **error)
{
  if (!self->direct)
    return thrift_protocol_skip (self->protocol, type, error) >= 0;

  TallTransport *transport = (TallTransport *)self->protocol->transport;
  return skip (self, type, tall_transport_get_options (transport)->max_depth, error);
}

/**
 * tall_struct_input_finish:
 *
 * Ends the message; nothing may be left of it.
 */
gboolean
tall_struct_input_finish (TallStructInput *self, GError **error)
{
  if (!self->direct)
    return thrift_protocol_read_message_end (self->protocol, error) >= 0
           && thrift_transport_read_end (self->protocol->transport, error);

  if (!tall_reader_done (&self->frame))
    return malformed (error, "it goes on after its end");
  tall_transport_skip_message ((TallTransport *)self->protocol->transport);
  return TRUE;
}
