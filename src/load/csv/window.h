/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TallCsvWindow:
 *
 * Bytes that wait to be converted, in a buffer that does not grow. Begin with
 * tall_csv_window_init(). Not thread-safe.
 */
typedef struct
{
  guint8 *data;
  gsize start;
  gsize end;
  gboolean ended; /* nothing comes after them */
} TallCsvWindow;

void tall_csv_window_init (TallCsvWindow *self);
void tall_csv_window_clear (TallCsvWindow *self);
void tall_csv_window_empty (TallCsvWindow *self);
guint8 *tall_csv_window_make_room (TallCsvWindow *self, gsize *len);
void tall_csv_window_add (TallCsvWindow *self, gsize n);
gsize tall_csv_window_move (TallCsvWindow *self, guint8 *buffer, gsize len);

static inline const guint8 *
tall_csv_window_get_data (const TallCsvWindow *self)
{
  return self->data + self->start;
}

static inline gsize
tall_csv_window_get_len (const TallCsvWindow *self)
{
  return self->end - self->start;
}

static inline void
tall_csv_window_take (TallCsvWindow *self, gsize n)
{
  self->start += n;
}

G_END_DECLS
