/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "migrate/copy-item.h"

G_BEGIN_DECLS

/* Rows that are measured together at most. */
#define TALL_SAMPLE_ROWS 16

/**
 * TallSample:
 *
 * Some orders and customers, by which the size of all is estimated, and the time to copy them.
 */
typedef struct
{
  guint64 n_from;  /* bytes of their rows in the source; of deleted ones next to nothing */
  guint64 n_to;    /* the same in the target */
  guint64 n_read;  /* that were looked at, deleted ones included, as in what is estimated by them */
  gint64 duration; /* microseconds that it took to read these */
} TallSample;

void tall_sample_add (
    TallSample *self, const TallCopier *copier, const char *table, const TallRow *rows, guint n);
guint64 tall_sample_scale (guint64 n_bytes, guint64 n_sampled, guint64 n_all);

G_END_DECLS
