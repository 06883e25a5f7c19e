/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"

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

/**
 * TallChangeKind:
 * @TALL_CHANGE_PUT: writes one cell at a timestamp; a cell there already is replaced
 * @TALL_CHANGE_DELETE_UP_TO: removes every cell of the row at or below a timestamp (HBase's
 *   DELETE_FAMILY); puts that come later with a timestamp at or below it stay invisible
 * @TALL_CHANGE_DELETE_AT: removes every cell of the row at exactly a timestamp (HBase's
 *   DELETE_FAMILY_VERSION); puts that come later with that timestamp stay invisible
 */
typedef enum
{
  TALL_CHANGE_PUT,
  TALL_CHANGE_DELETE_UP_TO,
  TALL_CHANGE_DELETE_AT,
} TallChangeKind;

typedef struct
{
  TallChangeKind kind;
  gint64 timestamp;
  TallSlice qualifier; /* TALL_CHANGE_PUT only */
  TallSlice value;     /* TALL_CHANGE_PUT only */
} TallChange;

/**
 * TallMutation:
 *
 * What happens to one row in one atomic step. The order of the changes has no meaning, so a
 * mutation must not delete what it puts.
 */
typedef struct
{
  const char *table; /* short name, such as `orders` */
  TallSlice row;
  TallChange *changes; /* n_changes of them */
  guint n_changes;
  guint n_allocated;
} TallMutation;

/**
 * TallBatch:
 *
 * Mutations of different rows, and the memory of everything in them.
 */
typedef struct
{
  TallArena *arena;     /* owned */
  GPtrArray *mutations; /* of TallMutation, in the arena */
} TallBatch;

TallBatch *tall_batch_new (void);
void tall_batch_free (TallBatch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallBatch, tall_batch_free)

TallMutation *tall_batch_add (TallBatch *self, const char *table, TallSlice row);

void tall_mutation_put (
    TallBatch *batch, TallMutation *self, TallSlice qualifier, gint64 timestamp, TallSlice value);
void tall_mutation_delete_up_to (TallBatch *batch, TallMutation *self, gint64 timestamp);
void tall_mutation_delete_at (TallBatch *batch, TallMutation *self, gint64 timestamp);

gsize tall_mutation_get_size (const TallMutation *self);

/**
 * TallReadKind:
 * @TALL_READ_GET: one row or several by their keys
 * @TALL_READ_SCAN: the rows from a key up to, but without, another
 */
typedef enum
{
  TALL_READ_GET,
  TALL_READ_SCAN,
} TallReadKind;

/**
 * TallRead:
 *
 * One step of a plan. A new read asks for every cell: all qualifiers, all versions, all timestamps.
 */
typedef struct
{
  TallReadKind kind;
  const char *table; /* short name, such as `orders` */

  TallSlice *keys; /* get: n_keys row keys */
  guint n_keys;

  TallSlice start; /* scan: first row key */
  TallSlice stop;  /* scan: first row key not wanted; empty = to the end of the table */
  guint limit;     /* scan: rows at most; 0 = no limit */

  const TallSlice *qualifiers; /* n_qualifiers wanted; none = all */
  guint n_qualifiers;
  gint64 min_timestamp; /* cells from this timestamp … */
  gint64 max_timestamp; /* … up to, but without, this one */
  guint max_versions;   /* newest cells of a qualifier within that range; 0 = all */

  /* Bounds of memory, which a table may ignore. */
  gsize max_bytes;    /* of the wanted cells; 0 = no bound. A scan is cut after the row with which
                       * they are reached; a get of several rows fails with TALL_ERROR_TOO_LARGE */
  gboolean keys_only; /* one cell of each row will do, without its value */

  gboolean uncached; /* what is read here is seldom read again, so a table need not keep it in
                      * memory */
} TallRead;

/**
 * TallReadPlan:
 *
 * Reads that are executed together, and the memory of everything in them.
 */
typedef struct
{
  TallArena *arena; /* owned */
  GPtrArray *reads; /* of TallRead, in the arena */
} TallReadPlan;

TallReadPlan *tall_read_plan_new (void);
void tall_read_plan_free (TallReadPlan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallReadPlan, tall_read_plan_free)

TallRead *tall_read_plan_add_get (TallReadPlan *self, const char *table, TallSlice key);
TallRead *tall_read_plan_add_gets (TallReadPlan *self,
                                   const char *table,
                                   const TallSlice *keys,
                                   guint n_keys);
TallRead *
tall_read_plan_add_scan (TallReadPlan *self, const char *table, TallSlice start, TallSlice stop);
TallRead *tall_read_plan_add_prefix_scan (TallReadPlan *self, const char *table, TallSlice prefix);
void tall_read_plan_set_timestamp (TallReadPlan *self, gint64 timestamp);
void tall_read_plan_set_uncached (TallReadPlan *self);

static inline TallRead *
tall_read_plan_get (const TallReadPlan *self, guint i)
{
  return g_ptr_array_index (self->reads, i);
}

static inline gboolean
tall_read_wants_qualifier (const TallRead *self, TallSlice qualifier)
{
  for (guint i = 0; i < self->n_qualifiers; i++)
    if (tall_slice_equal (self->qualifiers[i], qualifier))
      return TRUE;
  return self->n_qualifiers == 0;
}

/* Whether each row is wanted as it is, with all its cells. */
static inline gboolean
tall_read_wants_all (const TallRead *self)
{
  return !self->keys_only && self->n_qualifiers == 0 && self->max_versions == 0
         && self->min_timestamp <= 1 && self->max_timestamp == G_MAXINT64;
}

/**
 * TallReadResult:
 *
 * What a plan found, one #TallRows for each of its reads, by position.
 */
typedef struct
{
  TallArena *arena;  /* owned; holds or keeps alive everything below */
  TallRows *results; /* n_results of them */
  guint n_results;
} TallReadResult;

TallReadResult *tall_read_result_new (guint n_results);
void tall_read_result_free (TallReadResult *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallReadResult, tall_read_result_free)
