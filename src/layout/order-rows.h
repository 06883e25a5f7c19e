/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "layout/columns.h"
#include "layout/layout.h"
#include "layout/order-lines.h"

G_BEGIN_DECLS

/* The byte after the order part, where rows of several types share a table. */
enum
{
  TALL_ROW_ROOT = 1,
  TALL_ROW_LOCATION = 2,
  TALL_ROW_LINE = 3,
};

/**
 * TallRowPlace:
 *
 * Where rows of one type lie: the numbers follow the prefix, 4 bytes each.
 */
typedef struct
{
  const char *table;
  TallSlice prefix;
} TallRowPlace;

/**
 * TallOrderRows:
 *
 * An order under construction, whose locations (prefix + location) and lines (prefix + location +
 * line) have rows of their own. Rows are read in the order of their keys, locations before lines.
 */
typedef struct
{
  TallColumnsReader reader;
  TallRowPlace locations;
  TallRowPlace lines;
  TallOrderLines order_lines;
} TallOrderRows;

void tall_order_rows_append (const TallOrder *order,
                             TallRowPlace locations,
                             TallRowPlace lines,
                             gint64 revision,
                             TallBatch *batch);

gboolean tall_order_rows_read_location (TallOrderRows *self, const TallRow *row, GError **error);
gboolean tall_order_rows_read_line (TallOrderRows *self, const TallRow *row, GError **error);

gboolean tall_order_rows_check_number (const TallColumnsReader *reader,
                                       const TallRow *row,
                                       const char *column,
                                       gint32 number,
                                       guint32 expected,
                                       GError **error);
gboolean tall_order_rows_check_unexpected (const TallColumnsReader *reader,
                                           const TallRow *row,
                                           GError **error);

/* TRUE if @key is one of that place with @n_numbers numbers behind the prefix. */
static inline gboolean
tall_row_place_has (const TallRowPlace *self, TallSlice key, guint n_numbers)
{
  return key.len == self->prefix.len + 4 * n_numbers && tall_slice_has_prefix (key, self->prefix);
}

G_END_DECLS
