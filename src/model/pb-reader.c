/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/pb-reader.h"

#define MAX_VARINT_BYTES 10

/* Reads a number of more than one byte. The canonical form uses the fewest bytes possible. */
TallPbVarint
tall_pb_read_long_varint (const guint8 *at, const guint8 *end)
{
  guint64 value = 0;
  gsize left = MIN ((gsize)(end - at), MAX_VARINT_BYTES);
  for (gsize i = 0; i < left; i++)
    {
      guint8 byte = at[i];
      value |= (guint64)(byte & 0x7f) << (7 * i);
      if (byte >= 0x80)
        continue;
      if ((byte == 0 && i > 0) || (i + 1 == MAX_VARINT_BYTES && byte > 1))
        break;
      return (TallPbVarint){ value, at + i + 1 };
    }
  return (TallPbVarint){ 0, NULL };
}

static void
skip_fixed (TallPbReader *self, gsize len)
{
  if (len > (gsize)(self->end - self->at))
    tall_pb_reader_fail (self);
  else
    self->at += len;
}

/* Skips the present field, which is unknown. Groups, which are long out of use, fail. */
gboolean
tall_pb_reader_skip (TallPbReader *self)
{
  switch (self->type)
    {
    case 0:
      tall_pb_reader_varint (self);
      break;
    case 1:
      skip_fixed (self, 8);
      break;
    case 2:
      tall_pb_reader_bytes (self);
      break;
    case 5:
      skip_fixed (self, 4);
      break;
    default:
      tall_pb_reader_fail (self);
    }
  return !self->failed;
}

/* Returns: how often @field follows, so that a list can be allocated at once. Ignores errors: the
 * reading proper finds them, too. */
guint
tall_pb_reader_count (TallPbReader self, guint32 field)
{
  guint n = 0;
  while (self.at < self.end)
    {
      guint64 tag = tall_pb_reader_varint (&self);
      self.type = tag & 7;
      n += tag >> 3 == field;
      if (!tall_pb_reader_skip (&self))
        break;
    }
  return n;
}
