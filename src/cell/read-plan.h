/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cell/cell.h"

G_BEGIN_DECLS

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

G_END_DECLS
