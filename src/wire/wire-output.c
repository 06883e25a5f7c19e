/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire/wire-output.h"

/*
 * Binary: a field is its type (1 byte), its number (2) and its value; integers are big-endian;
 * texts and bytes come after their length (4). Compact: a field is one byte, the step from the
 * number of the field before (upper half) and its type; integers and lengths take seven bits a
 * byte.
 */

void
tall_wire_output_init (TallWireOutput *self, GByteArray *bytes, gboolean compact)
{
  self->bytes = bytes;
  self->compact = compact;
  self->n_held = 0;
}

/* Appends what was written and is not yet in @bytes. */
void
tall_wire_output_settle (TallWireOutput *self)
{
  tall_bytes_append (self->bytes, tall_slice (self->held, self->n_held));
  self->n_held = 0;
}

/* Less than TALL_WIRE_OUTPUT_HELD bytes. */
static inline void
put_few (TallWireOutput *self, gconstpointer bytes, guint n)
{
  if (n > sizeof self->held - self->n_held)
    tall_wire_output_settle (self);
  memcpy (self->held + self->n_held, bytes, n);
  self->n_held += n;
}

static void
put_u8 (TallWireOutput *self, guint8 value)
{
  put_few (self, &value, sizeof value);
}

static void
put_u32 (TallWireOutput *self, guint32 value)
{
  guint32 big = GUINT32_TO_BE (value);
  put_few (self, &big, sizeof big);
}

static void
put_u64 (TallWireOutput *self, guint64 value)
{
  guint64 big = GUINT64_TO_BE (value);
  put_few (self, &big, sizeof big);
}

static void
put_varint (TallWireOutput *self, guint64 value)
{
  guint8 bytes[TALL_COMPACT_MAX_64];
  guint n = 0;
  for (; value > 0x7f; value >>= 7)
    bytes[n++] = (guint8)(value | 0x80);
  bytes[n++] = (guint8)value;
  put_few (self, bytes, n);
}

static void
put_zigzag (TallWireOutput *self, gint64 value)
{
  put_varint (self, (guint64)value << 1 ^ (guint64)(value >> 63));
}

static void
put_compact_field (TallWireOutput *self, gint16 *last, guint8 type, gint16 id)
{
  gint step = id - *last;
  gboolean fits = step > 0 && step <= TALL_COMPACT_MAX_STEP;
  put_u8 (self, (guint8)(fits ? step << 4 | type : type));
  if (!fits)
    put_zigzag (self, id);
  *last = id;
}

void
tall_wire_put_field (TallWireOutput *self, gint16 *last, TallWireType type, gint16 id)
{
  if (self->compact)
    {
      put_compact_field (self, last, tall_compact_from_type[type], id);
      return;
    }
  guint8 head[3] = { (guint8)type, (guint8)((guint16)id >> 8), (guint8)id };
  put_few (self, head, sizeof head);
}

void
tall_wire_put_bool_field (TallWireOutput *self, gint16 *last, gint16 id, gboolean value)
{
  if (self->compact)
    {
      put_compact_field (self, last, value ? TALL_COMPACT_TRUE : TALL_COMPACT_FALSE, id);
      return;
    }
  tall_wire_put_field (self, last, TALL_WIRE_BOOL, id);
  put_u8 (self, value != FALSE);
}

void
tall_wire_put_stop (TallWireOutput *self)
{
  put_u8 (self, TALL_WIRE_STOP);
}

/* A number as lengths and headers have it. */
void
tall_wire_put_u32 (TallWireOutput *self, guint32 value)
{
  if (self->compact)
    put_varint (self, value);
  else
    put_u32 (self, value);
}

void
tall_wire_put_i32 (TallWireOutput *self, gint32 value)
{
  if (self->compact)
    put_zigzag (self, value);
  else
    put_u32 (self, (guint32)value);
}

void
tall_wire_put_i64 (TallWireOutput *self, gint64 value)
{
  if (self->compact)
    put_zigzag (self, value);
  else
    put_u64 (self, (guint64)value);
}

/* A text or bytes. */
void
tall_wire_put_bytes (TallWireOutput *self, TallSlice bytes)
{
  tall_wire_put_u32 (self, (guint32)bytes.len);
  tall_wire_put_raw (self, bytes);
}

/* A value that is encoded already. */
void
tall_wire_put_raw (TallWireOutput *self, TallSlice bytes)
{
  if (bytes.len >= sizeof self->held)
    {
      tall_wire_output_settle (self);
      tall_bytes_append (self->bytes, bytes);
    }
  else if (bytes.len > 0)
    put_few (self, bytes.data, (guint)bytes.len);
}

void
tall_wire_put_list (TallWireOutput *self, TallWireType type, guint32 size)
{
  if (!self->compact)
    {
      put_u8 (self, (guint8)type);
      put_u32 (self, size);
      return;
    }
  gboolean fits = size < TALL_COMPACT_LONG_LIST;
  put_u8 (self,
          (guint8)((fits ? size : TALL_COMPACT_LONG_LIST) << 4 | tall_compact_from_type[type]));
  if (!fits)
    put_varint (self, size);
}

void
tall_wire_put_map (TallWireOutput *self,
                   TallWireType key_type,
                   TallWireType value_type,
                   guint32 size)
{
  if (self->compact)
    {
      put_varint (self, size);
      if (size > 0)
        put_u8 (self, (guint8)(tall_compact_from_type[key_type] << 4
                               | tall_compact_from_type[value_type]));
      return;
    }
  put_u8 (self, (guint8)key_type);
  put_u8 (self, (guint8)value_type);
  put_u32 (self, size);
}

/* How a message begins. */
void
tall_wire_put_message_type (TallWireOutput *self, TallMessageType type)
{
  if (!self->compact)
    {
      put_u32 (self, TALL_BINARY_VERSION | (guint32)type);
      return;
    }
  put_u8 (self, TALL_COMPACT_ID);
  put_u8 (self, (guint8)(TALL_COMPACT_VERSION | (guint32)type << TALL_COMPACT_TYPE_SHIFT));
}
