/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"

G_BEGIN_DECLS

/* The one column family of every table. */
#define TALL_FAMILY "d"

/**
 * TallCell:
 *
 * HBase's cell without its row and family. Timestamps are 1 … G_MAXINT64 - 1; those of orders and
 * customers are revisions, milliseconds since the epoch.
 */
typedef struct
{
  TallSlice qualifier;
  gint64 timestamp;
  TallSlice value;
} TallCell;

/**
 * TallRow:
 *
 * A row as it was read. Cells are sorted by qualifier, and those of one qualifier from the newest
 * timestamp to the oldest. A row that was read has at least one cell.
 */
typedef struct
{
  TallSlice key;
  TallCell *cells; /* n_cells of them */
  guint n_cells;
} TallRow;

/**
 * TallRows:
 *
 * What one read found: existing rows only, sorted by key for a scan, in the order of the keys asked
 * for for gets.
 */
typedef struct
{
  TallRow *rows; /* n_rows of them */
  guint n_rows;
  gboolean cut; /* of a scan: more rows may follow, though it has fewer than its limit */
} TallRows;

gsize tall_row_get_size (const TallRow *row);
gsize tall_rows_count_bytes (const TallRows *results, guint n_results);
const TallCell *tall_row_find_latest (const TallRow *row, TallSlice qualifier);
const TallCell *tall_row_find_at (const TallRow *row, TallSlice qualifier, gint64 timestamp);
const TallRow *tall_rows_find (const TallRows *rows, TallSlice key);

/**
 * TallRowsBuilder:
 *
 * Collects rows cell by cell; used by tables to build what a read returns.
 */
typedef struct
{
  TallArena *arena; /* where finished rows go; not owned */
  GArray *rows;     /* of TallRow */
  GArray *cells;    /* of TallCell, of the row under construction */
} TallRowsBuilder;

void tall_rows_builder_init (TallRowsBuilder *self, TallArena *arena);
void tall_rows_builder_add_cell (TallRowsBuilder *self, TallCell cell);
void tall_rows_builder_end_row (TallRowsBuilder *self, TallSlice key);
void tall_rows_builder_finish (TallRowsBuilder *self, TallRows *rows);

G_END_DECLS
