/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/csv/reader.h"

G_BEGIN_DECLS

/**
 * TallSample:
 *
 * The first rows of a file, read with the encoding and the delimiter that fit it best.
 */
typedef struct
{
  const char *encoding;  /* NULL: UTF-8 */
  char *encoding_reason; /* owned */
  char delimiter;
  char *delimiter_reason; /* owned */
  char **columns;         /* owned; NULL-terminated */
  char **names;           /* owned: what the mapping calls the columns; NULL: as they are called */
  guint n_columns;
  GPtrArray *rows; /* of char **, owned: as many values as columns; only good rows */
  guint n_bad;     /* rows that cannot be read */
} TallSample;

TallSample *tall_sample_read (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_sample_free (TallSample *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallSample, tall_sample_free)

static inline const char *
tall_sample_get (const TallSample *self, guint row, guint column)
{
  return ((char **)g_ptr_array_index (self->rows, row))[column];
}

G_END_DECLS
