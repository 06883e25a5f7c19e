/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/csv/window.h"

#include <string.h>

#define SIZE (128 * 1024)

void
tall_csv_window_init (TallCsvWindow *self)
{
  *self = (TallCsvWindow){ .data = g_malloc (SIZE) };
}

void
tall_csv_window_clear (TallCsvWindow *self)
{
  g_clear_pointer (&self->data, g_free);
}

/* Forgets the bytes, and that they ended. */
void
tall_csv_window_empty (TallCsvWindow *self)
{
  self->start = self->end = 0;
  self->ended = FALSE;
}

/**
 * tall_csv_window_make_room:
 * @len: (out): how many bytes there is room for; never 0 as long as they are taken
 *
 * Returns: (transfer none): where they go; then call tall_csv_window_add()
 */
guint8 *
tall_csv_window_make_room (TallCsvWindow *self, gsize *len)
{
  memmove (self->data, self->data + self->start, self->end - self->start);
  self->end -= self->start;
  self->start = 0;
  *len = SIZE - self->end;
  g_assert (*len > 0);
  return self->data + self->end;
}

/* Counts what has been written to the room that there was; 0: nothing will come any more. */
void
tall_csv_window_add (TallCsvWindow *self, gsize n)
{
  self->end += n;
  self->ended = n == 0;
}

/* Copies bytes to @buffer and takes them. Returns how many there were. */
gsize
tall_csv_window_move (TallCsvWindow *self, guint8 *buffer, gsize len)
{
  gsize n = MIN (len, self->end - self->start);
  memcpy (buffer, self->data + self->start, n);
  self->start += n;
  return n;
}
