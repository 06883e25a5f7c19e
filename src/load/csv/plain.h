/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"

G_BEGIN_DECLS

/**
 * TallCsvShape:
 *
 * What a line has to look like.
 */
typedef struct
{
  char delimiter;
  guint n_fields; /* at least one */
  guint n_wanted; /* of them, from the first on; the others are counted, and not handed over */
} TallCsvShape;

gboolean tall_csv_split_plain (TallSlice line,
                               const TallCsvShape *shape,
                               GByteArray *text,
                               GPtrArray *fields);

G_END_DECLS
