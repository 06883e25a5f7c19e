/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"

G_BEGIN_DECLS

/**
 * TallPbReader:
 *
 * Reads one protobuf message (https://protobuf.dev/programming-guides/encoding) in the order in
 * which the canonical form has its fields. As with #TallReader, the first thing wrong makes it
 * fail, and everything read later is zero or empty: one check at the end is enough.
 */
typedef struct
{
  const guint8 *at;
  const guint8 *end;
  guint32 field; /* number of the present field */
  guint32 type;  /* its wire type */
  gboolean failed;
} TallPbReader;

static inline TallPbReader
tall_pb_reader (TallSlice message)
{
  /* No message at all has no address, to which nothing may be added. */
  const guint8 *data = message.data != NULL ? message.data : (const guint8 *)"";
  return (TallPbReader){ data, data + message.len, 0, 0, FALSE };
}

/* A number and where the next byte is; NULL: the number is wrong. */
typedef struct
{
  guint64 value;
  const guint8 *next;
} TallPbVarint;

TallPbVarint tall_pb_read_long_varint (const guint8 *at, const guint8 *end);
gboolean tall_pb_reader_skip (TallPbReader *self);
guint tall_pb_reader_count (TallPbReader self, guint32 field);

static inline gboolean
tall_pb_reader_fail (TallPbReader *self)
{
  self->failed = TRUE;
  self->at = self->end;
  return FALSE;
}

static inline guint64
tall_pb_reader_varint (TallPbReader *self)
{
  if (self->at < self->end && *self->at < 0x80)
    return *self->at++;

  TallPbVarint varint = tall_pb_read_long_varint (self->at, self->end);
  if (varint.next == NULL)
    tall_pb_reader_fail (self);
  else
    self->at = varint.next;
  return varint.value;
}

/* Goes to the next field, whose number is not below the last one's.
 * Returns: FALSE at the end, or if the reader has failed */
static inline gboolean
tall_pb_reader_step (TallPbReader *self)
{
  if (self->at >= self->end)
    return FALSE;

  guint64 tag = tall_pb_reader_varint (self);
  guint32 field = (guint32)(tag >> 3);
  if (tag > G_MAXUINT32 || field < MAX (self->field, 1))
    return tall_pb_reader_fail (self);
  self->field = field;
  self->type = tag & 7;
  return !self->failed;
}

/* The same where only a list's number or an unknown one may come again.
 * @lists: a bit for each field that is a list
 * @last_known: the greatest field number of the message, at most 31 */
static inline gboolean
tall_pb_reader_next (TallPbReader *self, guint32 lists, guint32 last_known)
{
  guint32 before = self->field;
  if (!tall_pb_reader_step (self))
    return FALSE;

  gboolean may_repeat = self->field > last_known || (lists >> self->field & 1) != 0;
  return self->field > before || may_repeat || tall_pb_reader_fail (self);
}

#define TALL_PB_LIST(field) (1u << (field))

static inline guint64
tall_pb_reader_number (TallPbReader *self)
{
  if (self->type != 0)
    tall_pb_reader_fail (self);
  return self->failed ? 0 : tall_pb_reader_varint (self);
}

/* zigzag */
static inline gint64
tall_pb_reader_signed (TallPbReader *self)
{
  guint64 value = tall_pb_reader_number (self);
  return (gint64)(value >> 1) ^ -(gint64)(value & 1);
}

static inline TallSlice
tall_pb_reader_bytes (TallPbReader *self)
{
  guint64 len = self->type == 2 ? tall_pb_reader_varint (self) : G_MAXUINT64;
  if (len > (gsize)(self->end - self->at))
    {
      tall_pb_reader_fail (self);
      return tall_slice (self->end, 0);
    }

  TallSlice bytes = tall_slice (self->at, len);
  self->at += len;
  return bytes;
}

/* A text in @arena; one with a NUL inside, which a C string would cut, fails. */
static inline char *
tall_pb_reader_text (TallPbReader *self, TallArena *arena)
{
  TallSlice bytes = tall_pb_reader_bytes (self);
  if (bytes.len > 0 && memchr (bytes.data, '\0', bytes.len) != NULL)
    tall_pb_reader_fail (self);
  return tall_arena_strndup (arena, (const char *)bytes.data, bytes.len);
}

G_END_DECLS
