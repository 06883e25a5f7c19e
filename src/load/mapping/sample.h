/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/csv/reader.h"

G_BEGIN_DECLS

/**
 * TallSampleRule:
 *
 * A rule by which a file is written, other than RFC 4180, as keys of [mapping].
 */
typedef struct
{
  const char *key;
  const char *value;
  const char *reason;
  TallCsvDialect dialect;
} TallSampleRule;

/* So many rows are looked at. */
#define TALL_SAMPLE_MAX_ROWS 10000

/**
 * TallSample:
 *
 * The first rows of a file, read with the encoding and the delimiter that fit it best; and, of one
 * of several files, how it is probably joined with those before it.
 */
typedef struct
{
  char *path;            /* owned */
  char *name;            /* owned: what a query calls the file */
  const char *encoding;  /* NULL: UTF-8 */
  char *encoding_reason; /* owned */
  guint skip_lines;      /* above the header */
  char delimiter;
  char *delimiter_reason;     /* owned */
  const TallSampleRule *rule; /* with which most rows are good; NULL: RFC 4180 */
  char **columns;             /* owned; NULL-terminated */
  guint n_columns;
  GPtrArray *rows; /* of char **, owned: as many values as columns; only good rows */
  guint n_bad;     /* rows that cannot be read */

  gint key;  /* the column that joins it; -1: none does */
  gint from; /* the position of the file that names its rows; -1: it is that of the lines */
  guint from_column;
  gboolean is_of_order; /* an order has one row of it */
} TallSample;

TallSample *
tall_sample_read (const char *path, const char *name, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_sample_free (TallSample *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallSample, tall_sample_free)

static inline const char *
tall_sample_get (const TallSample *self, guint row, guint column)
{
  return ((char **)g_ptr_array_index (self->rows, row))[column];
}

G_END_DECLS
