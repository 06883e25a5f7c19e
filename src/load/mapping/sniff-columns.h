/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/mapping/mapping.h"
#include "load/mapping/sample.h"

G_BEGIN_DECLS

/**
 * TallSniffedColumn:
 *
 * What a column probably holds.
 */
typedef struct
{
  const TallCsvField *field; /* NULL: none that is known */
  const char *reason;        /* why; lives forever */
  gboolean is_of_order;      /* all rows of an order have the same value */
} TallSniffedColumn;

TallMappingKind tall_sniff_kind (const TallSample *sample);
TallSniffedColumn *tall_sniff_columns (const TallSample *sample, TallMappingKind kind);
gint tall_sniffed_column_find (const TallSample *sample,
                               const TallSniffedColumn *columns,
                               TallCsvScope scope,
                               const char *field);

G_END_DECLS
