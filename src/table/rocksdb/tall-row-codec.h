/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-cell.h"

G_BEGIN_DECLS

/* The first byte of every stored row. */
#define TALL_ROW_FORMAT 1

/**
 * TallStoredRow:
 *
 * A row with its delete markers, as it is kept under one RocksDB key. No cell is masked by a marker
 * of its row. The memory of everything in it is an arena's, or whoever's it was decoded from.
 */
typedef struct
{
  gint64 up_to;  /* cells at or below it are deleted; 0 = none */
  gint64 *exact; /* n_exact timestamps above up_to whose cells are deleted, ascending */
  guint n_exact;
  TallCell *cells; /* n_cells, by qualifier, then from the newest to the oldest */
  guint n_cells;
} TallStoredRow;

gboolean tall_row_decode (TallArena *arena, TallSlice stored, TallStoredRow *row, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
void tall_row_encode (const TallStoredRow *row, GByteArray *stored);

G_END_DECLS
