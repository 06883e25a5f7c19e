/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-struct-input.h"

#include "tall-binary-protocol.h"
#include "tall-guard-private.h"
#include "tall-text.h"

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

/* What was taken from @ahead counts as read. */
static void
settle (TallStructInput *self)
{
  tall_transport_advance (self->transport, self->received - self->ahead.len);
  self->received = self->ahead.len;
}

/* Waits until @n bytes are ahead. */
static gboolean
refill (TallStructInput *self, gsize n, GError **error)
{
  settle (self);
  self->ahead = tall_slice (NULL, 0);
  self->received = 0;
  if (tall_transport_get_options (self->transport)->framed
      && n > tall_transport_get_remaining (self->transport))
    return malformed (error, "it ends too early");
  if (tall_transport_fill (self->transport, n, error) == NULL)
    return FALSE;

  self->ahead = tall_transport_peek (self->transport);
  self->received = self->ahead.len;
  return TRUE;
}

/* The next @n bytes, at least one; valid until more are taken. NULL with @error set. */
static const guint8 *
take (TallStructInput *self, gsize n, GError **error)
{
  if (n > self->ahead.len && !refill (self, n, error))
    return NULL;

  const guint8 *bytes = self->ahead.data;
  self->ahead = tall_slice (bytes + n, self->ahead.len - n);
  return bytes;
}

static gboolean
take_u8 (TallStructInput *self, guint8 *value, GError **error)
{
  const guint8 *bytes = take (self, sizeof *value, error);
  if (bytes != NULL)
    *value = *bytes;
  return bytes != NULL;
}

static gboolean
take_u32 (TallStructInput *self, guint32 *value, GError **error)
{
  const guint8 *bytes = take (self, sizeof *value, error);
  if (bytes == NULL)
    return FALSE;
  memcpy (value, bytes, sizeof *value);
  *value = GUINT32_FROM_BE (*value);
  return TRUE;
}

static gboolean
take_type (TallStructInput *self, ThriftType *type, GError **error)
{
  guint8 byte;
  if (!take_u8 (self, &byte, error))
    return FALSE;
  *type = byte;
  return TRUE;
}

/**
 * tall_struct_input_init:
 * @protocol: one that has just read the beginning of a message
 *
 * A field that comes twice is the caller's to refuse: it can do so and answer, where the guard can
 * only close the connection.
 */
void
tall_struct_input_init (TallStructInput *self, ThriftProtocol *protocol)
{
  self->protocol = protocol;
  self->transport = (TallTransport *)protocol->transport;
  self->direct = TALL_IS_BINARY_PROTOCOL (protocol);
  tall_transport_get_guard (self->transport)->may_repeat = TRUE;
  self->elements = 0;
  self->ahead = self->direct ? tall_transport_peek (self->transport) : tall_slice (NULL, 0);
  self->received = self->ahead.len;
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

  *id = 0;
  if (!take_type (self, type, error))
    return FALSE;
  if (*type == T_STOP)
    return TRUE;

  const guint8 *bytes = take (self, sizeof *id, error);
  if (bytes != NULL)
    *id = (gint16)(bytes[0] << 8 | bytes[1]);
  return bytes != NULL;
}

gboolean
tall_struct_input_end_field (TallStructInput *self, GError **error)
{
  return self->direct || thrift_protocol_read_field_end (self->protocol, error) >= 0;
}

/* Refuses a list that announces more than the message holds. */
static gboolean
check_size (TallStructInput *self, guint32 size, guint element_size, GError **error)
{
  settle (self);
  if (size > 0 && element_size == 0)
    return malformed (error, "a list of an unknown type");
  if ((guint64)size * element_size > tall_transport_get_remaining (self->transport))
    return malformed (error, "it announces more than it has");

  guint64 max_elements = tall_transport_get_options (self->transport)->max_elements;
  self->elements += size;
  if (self->elements <= max_elements)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
               "message with more than %" G_GUINT64_FORMAT " list elements", max_elements);
  return FALSE;
}

gboolean
tall_struct_input_begin_list (TallStructInput *self,
                              ThriftType *type,
                              guint32 *size,
                              GError **error)
{
  if (!self->direct)
    return thrift_protocol_read_list_begin (self->protocol, type, size, error) >= 0;

  return take_type (self, type, error) && take_u32 (self, size, error)
         && check_size (self, *size, min_size (*type), error);
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

  if (!take_type (self, key_type, error) || !take_type (self, value_type, error)
      || !take_u32 (self, size, error))
    return FALSE;
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

  guint8 byte;
  if (!take_u8 (self, &byte, error))
    return FALSE;
  *value = byte;
  return byte <= 1 || malformed (error, "neither true nor false");
}

gboolean
tall_struct_input_i32 (TallStructInput *self, gint32 *value, GError **error)
{
  if (!self->direct)
    return thrift_protocol_read_i32 (self->protocol, value, error) >= 0;

  return take_u32 (self, (guint32 *)value, error);
}

gboolean
tall_struct_input_i64 (TallStructInput *self, gint64 *value, GError **error)
{
  if (!self->direct)
    return thrift_protocol_read_i64 (self->protocol, value, error) >= 0;

  const guint8 *bytes = take (self, sizeof *value, error);
  if (bytes == NULL)
    return FALSE;
  memcpy (value, bytes, sizeof *value);
  *value = GINT64_FROM_BE (*value);
  return TRUE;
}

/**
 * tall_struct_input_bytes:
 * @slice: (out): the bytes, in @arena; a NUL follows them
 */
gboolean
tall_struct_input_bytes (TallStructInput *self, TallArena *arena, TallSlice *slice, GError **error)
{
  g_autofree gpointer copy = NULL;
  const guint8 *bytes = NULL;
  guint32 len = 0;

  if (!self->direct)
    {
      if (thrift_protocol_read_binary (self->protocol, &copy, &len, error) < 0)
        return FALSE;
      bytes = copy;
    }
  else if (!take_u32 (self, &len, error) || (len > 0 && (bytes = take (self, len, error)) == NULL))
    return FALSE;

  *slice = tall_slice (tall_arena_strndup (arena, (const char *)bytes, len), len);
  return TRUE;
}

/**
 * tall_struct_input_text:
 * @text: (out) (transfer full): of a reply, for people: NULs are shown as `\x00`
 */
gboolean
tall_struct_input_text (TallStructInput *self, char **text, GError **error)
{
  const guint8 *bytes = NULL;
  guint32 len = 0;

  if (!self->direct)
    return thrift_protocol_read_string (self->protocol, text, error) >= 0;
  if (!take_u32 (self, &len, error) || (len > 0 && (bytes = take (self, len, error)) == NULL))
    return FALSE;

  *text = tall_text_from_bytes (tall_slice (bytes, len));
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

static gboolean
skip_bytes (TallStructInput *self, GError **error)
{
  guint32 len;
  return take_u32 (self, &len, error) && (len == 0 || take (self, len, error) != NULL);
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
      return skip_bytes (self, error);
    default:
      if (min_size (type) == 0)
        return malformed (error, "a value of an unknown type");
      return take (self, min_size (type), error) != NULL;
    }
}

/**
 * tall_struct_input_skip:
 *
 * Skips a value of an unknown field, however it is nested, within the transport's limit.
 */
gboolean
tall_struct_input_skip (TallStructInput *self, ThriftType type, GError **error)
{
  if (!self->direct)
    return thrift_protocol_skip (self->protocol, type, error) >= 0;

  return skip (self, type, tall_transport_get_options (self->transport)->max_depth, error);
}

/**
 * tall_struct_input_finish:
 *
 * Ends the message; nothing may be left of it.
 */
gboolean
tall_struct_input_finish (TallStructInput *self, GError **error)
{
  if (self->direct)
    {
      settle (self);
      if (tall_transport_get_options (self->transport)->framed
          && tall_transport_get_remaining (self->transport) > 0)
        return malformed (error, "it goes on after its end");
    }
  return thrift_protocol_read_message_end (self->protocol, error) >= 0
         && thrift_transport_read_end (self->protocol->transport, error);
}
