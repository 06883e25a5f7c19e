/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cell/cell.h"

/* The first byte of a stored row: 2 if it has markers and the number that says when they came, 1 of
 * one without markers, or with markers that an older version wrote. */
#define TALL_ROW_FORMAT_PLAIN 1
#define TALL_ROW_FORMAT 2

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
  guint64 marked; /* number of RocksDB's next write when the last marker came; 0 = not known */
} TallStoredRow;

/**
 * TallRowStripped:
 * @TALL_ROW_AS_IT_WAS: it has no markers that can go
 * @TALL_ROW_STRIPPED: the markers are gone
 * @TALL_ROW_EMPTY: it had nothing but markers that can go
 */
typedef enum
{
  TALL_ROW_AS_IT_WAS,
  TALL_ROW_STRIPPED,
  TALL_ROW_EMPTY,
} TallRowStripped;

/**
 * TallRowCells:
 *
 * Goes through the cells of a stored row, one by one.
 */
typedef struct
{
  TallReader rest;
  guint n_left;
  TallSlice qualifier; /* of the last cell */
  gint64 timestamp;    /* of the last cell; 0 = there was none */
} TallRowCells;

gboolean tall_row_cells_init (TallRowCells *self,
                              TallSlice stored,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_row_cells_next (TallRowCells *self, TallCell *cell);
gboolean tall_row_cells_finish (const TallRowCells *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_row_decode (TallArena *arena, TallSlice stored, TallStoredRow *row, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
void tall_row_encode (const TallStoredRow *row, GByteArray *stored);
gboolean tall_row_has_only_markers (TallSlice stored, guint64 *marked);
TallRowStripped tall_row_strip (TallSlice stored, guint64 forgotten, GByteArray *stripped);

/* The most that one stored row may have. */
#define TALL_ROW_MAX_SIZE (256 * 1024 * 1024)

/**
 * TallRetention:
 *
 * What a table keeps of a row.
 */
typedef struct
{
  guint max_versions; /* of a qualifier; 0 = all */
  gint64 oldest;      /* cells with a lower timestamp have expired */
  guint64 mark;       /* what new markers are marked with */
} TallRetention;

gboolean tall_row_merge (TallArena *arena,
                         const TallStoredRow *old,
                         const TallMutation *mutation,
                         TallRetention retention,
                         TallStoredRow *merged,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
