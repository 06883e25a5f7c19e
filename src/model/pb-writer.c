/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/pb-writer.h"

void
tall_pb_writer_init (TallPbWriter *self)
{
  self->buffer = self->first;
  self->size = sizeof self->first;
  self->at = self->first + sizeof self->first;
}

void
tall_pb_writer_clear (TallPbWriter *self)
{
  if (self->buffer != self->first)
    g_free (self->buffer);
}

/* Makes room for at least @n more bytes. */
void
tall_pb_writer_grow (TallPbWriter *self, gsize n)
{
  gsize len = tall_pb_writer_get_len (self);
  gsize size = 2 * self->size + n;
  guint8 *buffer = g_malloc (size);
  memcpy (buffer + size - len, self->at, len);
  tall_pb_writer_clear (self);
  self->buffer = buffer;
  self->size = size;
  self->at = buffer + size - len;
}

/**
 * tall_pb_writer_finish:
 *
 * Returns: (transfer none): the message, in @arena
 */
TallSlice
tall_pb_writer_finish (TallPbWriter *self, TallArena *arena)
{
  gsize len = tall_pb_writer_get_len (self);
  return tall_slice (tall_arena_memdup (arena, self->at, len), len);
}
