/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"

G_BEGIN_DECLS

/**
 * TallPbWriter:
 *
 * Writes one protobuf message (https://protobuf.dev/programming-guides/encoding) from its end to
 * its beginning, so that the length of a message inside it is known when it is written: fields in
 * descending order, and of each field the value before the tag.
 */
typedef struct
{
  guint8 *buffer;     /* @first; when that is full, memory of its own */
  gsize size;         /* bytes of @buffer */
  guint8 *at;         /* what is written so far: from here to the end of @buffer */
  guint8 first[2048]; /* enough for an order of some thirty lines */
} TallPbWriter;

void tall_pb_writer_init (TallPbWriter *self);
void tall_pb_writer_clear (TallPbWriter *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallPbWriter, tall_pb_writer_clear)
TallSlice tall_pb_writer_finish (TallPbWriter *self, TallArena *arena);
void tall_pb_writer_grow (TallPbWriter *self, gsize n);

static inline gsize
tall_pb_writer_get_len (const TallPbWriter *self)
{
  return (gsize)(self->buffer + self->size - self->at);
}

/* Returns: room for @n bytes in front of those that are there */
static inline guint8 *
tall_pb_writer_reserve (TallPbWriter *self, gsize n)
{
  if (G_UNLIKELY ((gsize)(self->at - self->buffer) < n))
    tall_pb_writer_grow (self, n);
  return self->at -= n;
}

static inline void
tall_pb_writer_varint (TallPbWriter *self, guint64 value)
{
  gsize n = 1;
  for (guint64 rest = value >> 7; rest != 0; rest >>= 7)
    n++;
  guint8 *to = tall_pb_writer_reserve (self, n);
  for (; value >= 0x80; value >>= 7)
    *to++ = (guint8)value | 0x80;
  *to = (guint8)value;
}

static inline void
tall_pb_writer_number (TallPbWriter *self, guint32 field, guint64 value)
{
  tall_pb_writer_varint (self, value);
  tall_pb_writer_varint (self, field << 3);
}

/* zigzag */
static inline void
tall_pb_writer_signed (TallPbWriter *self, guint32 field, gint64 value)
{
  tall_pb_writer_number (self, field, (guint64)value << 1 ^ (guint64)(value >> 63));
}

/* Begins a message, or a text, that has been written behind @end, the length before it. */
static inline void
tall_pb_writer_header (TallPbWriter *self, guint32 field, gsize len)
{
  tall_pb_writer_varint (self, len);
  tall_pb_writer_varint (self, field << 3 | 2);
}

/* @text: (nullable): NULL is absent */
static inline void
tall_pb_writer_text (TallPbWriter *self, guint32 field, const char *text)
{
  if (text == NULL)
    return;

  gsize len = strlen (text);
  memcpy (tall_pb_writer_reserve (self, len), text, len);
  tall_pb_writer_header (self, field, len);
}

G_END_DECLS
