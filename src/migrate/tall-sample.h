/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-copy-item.h"

G_BEGIN_DECLS

/**
 * TallSample:
 *
 * Some orders and customers, by which the size of all is estimated.
 */
typedef struct
{
  guint64 n;
  guint64 n_from; /* bytes of their rows in the source */
  guint64 n_to;   /* the same in the target */
} TallSample;

void
tall_sample_add (TallSample *self, const TallCopier *copier, const char *table, const TallRow *row);
guint64 tall_sample_scale (guint64 n_bytes, guint64 n_sampled, guint64 n_all);

G_END_DECLS
