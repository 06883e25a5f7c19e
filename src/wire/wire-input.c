/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire/wire-input.h"

#include "base/text.h"

gboolean
tall_wire_input_reject (TallWireInput *self, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_autofree char *clean = tall_text_clean (text);

  tall_transport_break (self->transport);
  g_set_error (error, TALL_ERROR, TALL_ERROR_INVALID, "malformed message: %s", clean);
  return FALSE;
}

/* Before the bytes may move. */
static void
copy_read (TallWireInput *self)
{
  if (self->copy == NULL)
    return;
  tall_bytes_append (self->copy, tall_slice (self->copied, (gsize)(self->at - self->copied)));
  self->copied = self->at;
}

/**
 * tall_wire_input_begin_copy:
 * @copy: gets the bytes of all values that are read until tall_wire_input_end_copy()
 *
 * At the head of a value, whose kind has been read already.
 */
void
tall_wire_input_begin_copy (TallWireInput *self, GByteArray *copy)
{
  self->copy = copy;
  self->copied = self->at;
}

void
tall_wire_input_end_copy (TallWireInput *self)
{
  copy_read (self);
  self->copy = NULL;
}

/**
 * tall_wire_input_settle:
 *
 * Counts the values so far as read, so that another input can go on after them.
 */
void
tall_wire_input_settle (TallWireInput *self)
{
  copy_read (self);
  tall_transport_advance (self->transport, self->received - self->left);
  self->received = self->left;
}

/* Waits until @n bytes are ahead. */
static gboolean
refill (TallWireInput *self, gsize n, GError **error)
{
  tall_wire_input_settle (self);
  self->left = self->received = 0;
  if (tall_transport_get_options (self->transport)->framed
      && n > tall_transport_get_remaining (self->transport))
    return tall_wire_input_reject (self, error, "it ends too early");
  if (n > G_MAXINT32)
    return tall_wire_input_reject (self, error, "a length of %" G_GSIZE_FORMAT, n);
  if (tall_transport_fill (self->transport, n, error) == NULL)
    return FALSE;

  TallSlice ahead = tall_transport_peek (self->transport);
  self->at = self->copied = ahead.data;
  self->left = self->received = ahead.len;
  return TRUE;
}

/* The next @n bytes, at least one; valid until more are taken. NULL with @error set. */
static inline const guint8 *
take (TallWireInput *self, gsize n, GError **error)
{
  if (G_UNLIKELY (n > self->left) && !refill (self, n, error))
    return NULL;

  const guint8 *bytes = self->at;
  self->at += n;
  self->left -= n;
  return bytes;
}

/* Compact: seven bits a byte, the lowest first; the top bit says "more". */
static gboolean
take_varint (TallWireInput *self, guint max_bytes, guint64 *value, GError **error)
{
  *value = 0;
  for (guint i = 0; i < max_bytes; i++)
    {
      const guint8 *byte = take (self, 1, error);
      if (byte == NULL)
        return FALSE;
      *value |= (guint64)(*byte & 0x7f) << (7 * i);
      if ((*byte & 0x80) == 0)
        return TRUE;
    }
  return tall_wire_input_reject (self, error, "a number of more than %u bytes", max_bytes);
}

/* Compact: signed numbers, as 0, -1, 1, -2 … */
static gboolean
take_zigzag (TallWireInput *self, gint64 *value, GError **error)
{
  guint64 raw;
  if (!take_varint (self, TALL_COMPACT_MAX_64, &raw, error))
    return FALSE;
  *value = (gint64)(raw >> 1 ^ -(raw & 1));
  return TRUE;
}

/**
 * tall_wire_input_init:
 * @transport: where a message begins or goes on. Its options say the protocol and the limits
 */
void
tall_wire_input_init (TallWireInput *self, TallTransport *transport)
{
  const TallWireOptions *options = tall_transport_get_options (transport);
  TallSlice ahead = tall_transport_peek (transport);

  *self = (TallWireInput){
    .transport = transport,
    .compact = options->compact,
    .at = ahead.data,
    .left = ahead.len,
    .received = ahead.len,
    .elements = options->max_elements,
    .max_depth = options->max_depth,
  };
}

/* Compact: a number takes as many bytes as it needs, so it may be larger than its type. */
static gboolean
reject_wide (TallWireInput *self, GError **error, guint bits)
{
  return tall_wire_input_reject (self, error, "a number of more than %u bits", bits);
}

/* A number as lengths and headers have it: 4 bytes, or as many as it needs. */
gboolean
tall_wire_input_u32 (TallWireInput *self, guint32 *value, GError **error)
{
  if (self->compact)
    {
      guint64 raw;
      if (!take_varint (self, TALL_COMPACT_MAX_32, &raw, error))
        return FALSE;
      *value = (guint32)raw;
      return raw <= G_MAXUINT32 || reject_wide (self, error, 32);
    }

  const guint8 *bytes = take (self, sizeof *value, error);
  if (bytes == NULL)
    return FALSE;
  memcpy (value, bytes, sizeof *value);
  *value = GUINT32_FROM_BE (*value);
  return TRUE;
}

/* Structs and containers within each other cost stack. */
static inline gboolean
enter (TallWireInput *self, GError **error)
{
  if (self->depth >= self->max_depth)
    return tall_wire_input_reject (self, error, "it is nested more than %u deep", self->max_depth);
  self->depth++;
  return TRUE;
}

gboolean
tall_wire_input_begin_struct (TallWireInput *self, GError **error)
{
  return enter (self, error);
}

static gboolean
next_compact_field (TallWireInput *self, guint8 head, TallWireField *field, GError **error)
{
  guint8 type = head & 0x0f;
  guint8 step = head >> 4;
  gint64 id = field->id + step;

  field->type = tall_compact_to_type[type];
  self->truth = field->type == TALL_WIRE_BOOL ? type : 0;
  if (field->type == 0)
    return tall_wire_input_reject (self, error, "a field of unknown type %u", type);
  if (step == 0 && !take_zigzag (self, &id, error))
    return FALSE;
  field->id = (gint16)id;
  return id == field->id || reject_wide (self, error, 16);
}

/**
 * tall_wire_input_next_field:
 * @field: (inout): the field before it
 *
 * Reads the head of the next field, or the end of the struct.
 */
gboolean
tall_wire_input_next_field (TallWireInput *self, TallWireField *field, GError **error)
{
  const guint8 *bytes = take (self, 1, error);
  if (bytes == NULL)
    return FALSE;

  field->type = *bytes;
  if (*bytes == TALL_WIRE_STOP)
    return TRUE;
  if (self->compact)
    return next_compact_field (self, *bytes, field, error);

  bytes = take (self, sizeof field->id, error);
  if (bytes != NULL)
    field->id = (gint16)(bytes[0] << 8 | bytes[1]);
  return bytes != NULL;
}

/* An empty list may have a type of nothing. */
static gboolean
is_known (TallWireInput *self, TallWireType type, guint32 size)
{
  return tall_wire_min_size (self->compact, type) > 0 || (size == 0 && type <= TALL_WIRE_VOID);
}

/* Refuses a list that announces more than the message holds. */
static gboolean
check_size (TallWireInput *self, guint32 size, guint element_size, GError **error)
{
  gsize remaining = tall_transport_get_remaining (self->transport) - (self->received - self->left);
  if ((guint64)size * element_size > remaining)
    return tall_wire_input_reject (self, error, "it announces more than it has");
  if (size <= self->elements)
    {
      self->elements -= size;
      return TRUE;
    }
  tall_transport_break (self->transport);
  g_set_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
               "message with more than %" G_GUINT64_FORMAT " list elements",
               tall_transport_get_options (self->transport)->max_elements);
  return FALSE;
}

/* Compact: the size in the upper half of the byte that has the type, if it fits there. */
static gboolean
read_list_head (TallWireInput *self, TallWireType *type, guint32 *size, GError **error)
{
  const guint8 *head = take (self, 1, error);
  if (head == NULL)
    return FALSE;

  *type = self->compact ? tall_compact_to_type[*head & 0x0f] : *head;
  *size = *head >> 4;
  if (self->compact && *type == 0)
    *type = TALL_WIRE_N_TYPES;
  if (self->compact && *size < TALL_COMPACT_LONG_LIST)
    return TRUE;
  return tall_wire_input_u32 (self, size, error);
}

/**
 * tall_wire_input_begin_list:
 *
 * Also of sets, which look the same.
 */
gboolean
tall_wire_input_begin_list (TallWireInput *self, TallWireType *type, guint32 *size, GError **error)
{
  if (!enter (self, error) || !read_list_head (self, type, size, error))
    return FALSE;
  if (!is_known (self, *type, *size))
    return tall_wire_input_reject (self, error, "a list of an unknown type");
  return check_size (self, *size, tall_wire_min_size (self->compact, *type), error);
}

static gboolean
read_map_head (TallWireInput *self,
               TallWireType *key_type,
               TallWireType *value_type,
               guint32 *size,
               GError **error)
{
  *key_type = *value_type = TALL_WIRE_STOP;
  if (self->compact)
    {
      if (!tall_wire_input_u32 (self, size, error))
        return FALSE;
      const guint8 *types = *size > 0 ? take (self, 1, error) : (const guint8 *)"";
      if (types == NULL)
        return FALSE;
      *key_type = tall_compact_to_type[*types >> 4];
      *value_type = tall_compact_to_type[*types & 0x0f];
      return TRUE;
    }

  const guint8 *types = take (self, 2, error);
  if (types == NULL)
    return FALSE;
  *key_type = types[0];
  *value_type = types[1];
  return tall_wire_input_u32 (self, size, error);
}

gboolean
tall_wire_input_begin_map (TallWireInput *self,
                           TallWireType *key_type,
                           TallWireType *value_type,
                           guint32 *size,
                           GError **error)
{
  if (!enter (self, error) || !read_map_head (self, key_type, value_type, size, error))
    return FALSE;
  if (!is_known (self, *key_type, *size) || !is_known (self, *value_type, *size))
    return tall_wire_input_reject (self, error, "a map of an unknown type");
  return check_size (self, *size,
                     tall_wire_min_size (self->compact, *key_type)
                         + tall_wire_min_size (self->compact, *value_type),
                     error);
}

gboolean
tall_wire_input_bool (TallWireInput *self, gboolean *value, GError **error)
{
  if (self->truth != 0)
    {
      *value = self->truth == TALL_COMPACT_TRUE;
      self->truth = 0;
      return TRUE;
    }

  const guint8 *byte = take (self, 1, error);
  if (byte == NULL)
    return FALSE;
  *value = self->compact ? *byte == TALL_COMPACT_TRUE : *byte;
  return self->compact || *byte <= 1
         || tall_wire_input_reject (self, error, "neither true nor false");
}

gboolean
tall_wire_input_i32 (TallWireInput *self, gint32 *value, GError **error)
{
  gint64 wide;
  if (!self->compact)
    return tall_wire_input_u32 (self, (guint32 *)value, error);
  if (!take_zigzag (self, &wide, error))
    return FALSE;
  *value = (gint32)wide;
  return wide == *value || reject_wide (self, error, 32);
}

gboolean
tall_wire_input_i64 (TallWireInput *self, gint64 *value, GError **error)
{
  if (self->compact)
    return take_zigzag (self, value, error);

  const guint8 *bytes = take (self, sizeof *value, error);
  if (bytes == NULL)
    return FALSE;
  memcpy (value, bytes, sizeof *value);
  *value = GINT64_FROM_BE (*value);
  return TRUE;
}

/**
 * tall_wire_input_bytes:
 * @bytes: (out): a text or bytes, in the transport's buffer: valid until the next value is read
 */
gboolean
tall_wire_input_bytes (TallWireInput *self, TallSlice *bytes, GError **error)
{
  guint32 len;
  const guint8 *data = (const guint8 *)"";
  if (!tall_wire_input_u32 (self, &len, error)
      || (len > 0 && (data = take (self, len, error)) == NULL))
    return FALSE;
  *bytes = tall_slice (data, len);
  return TRUE;
}

/**
 * tall_wire_input_message_type:
 *
 * Reads how a message begins: the version of the protocol, and the message's type.
 */
gboolean
tall_wire_input_message_type (TallWireInput *self, TallMessageType *type, GError **error)
{
  const guint8 *start = take (self, 2, error);
  if (start == NULL)
    return FALSE;

  guint8 head[4] = { start[0], start[1] };
  gsize len = 2;
  TallRecognized due = self->compact ? TALL_RECOGNIZED_COMPACT : TALL_RECOGNIZED_BINARY;
  if (tall_wire_recognize (tall_slice (head, len), type) != due)
    {
      g_autofree char *shown = tall_slice_to_debug (tall_slice (head, len));
      return tall_wire_input_reject (self, error, "not Thrift: it starts with \"%s\"", shown);
    }
  if (self->compact)
    return TRUE;

  const guint8 *rest = take (self, 2, error);
  if (rest == NULL)
    return FALSE;
  *type = rest[1];
  return TRUE;
}

/**
 * tall_wire_input_pass:
 * @n: bytes, at least one
 *
 * Leaves out bytes that belong to one value.
 */
gboolean
tall_wire_input_pass (TallWireInput *self, gsize n, GError **error)
{
  return take (self, n, error) != NULL;
}

/**
 * tall_wire_input_finish:
 *
 * Ends the message; nothing may be left of it.
 */
gboolean
tall_wire_input_finish (TallWireInput *self, GError **error)
{
  tall_wire_input_settle (self);
  if (tall_transport_get_options (self->transport)->framed
      && tall_transport_get_remaining (self->transport) > 0)
    return tall_wire_input_reject (self, error, "it goes on after its end");
  return tall_transport_end_message (self->transport, error);
}
