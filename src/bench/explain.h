/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/forwarding-table.h"
#include "store/store.h"

/**
 * TallExplainedRow:
 *
 * A physical row. Everything in it belongs to the explanation.
 */
typedef struct
{
  const char *table;
  const TallRow *row;
  GArray *parts; /* of TallRowPart, of the row's key */
  gsize bytes;   /* of the key once, qualifiers and values */
  guint region;  /* that it lies in, from 0 */
  guint regions; /* of its table */
} TallExplainedRow;

/**
 * TallExplainedEntry:
 *
 * A row of an index that leads to the order.
 */
typedef struct
{
  char *index;       /* owned: as `init --index` takes it */
  const char *table; /* static */
  GByteArray *key;   /* owned */
  gsize bytes;       /* of the key once, qualifiers and values; 0: the row is not there */
} TallExplainedEntry;

/**
 * TallExplanation:
 *
 * How one order lies in rows, and what it costs to store and to fetch it.
 */
typedef struct
{
  const TallLayout *layout;
  const TallKeyStrategy *key_strategy;
  gboolean stored; /* the rows are those of the store; else of a trial in memory */
  gint64 now;      /* of a trial: milliseconds since the epoch */
  gint64 revision; /* the committed one: other cells do not count */
  GPtrArray *rows; /* of TallExplainedRow */
  guint64 n_cells;
  guint64 n_bytes;
  GPtrArray *entries; /* of TallExplainedEntry */
  TallCost get;
  TallCost parts[TALL_PART_LOCATION + 1]; /* of gets of parts, by #TallPartKind */
  gint32 location;                        /* of which @parts has the cost; 0: there is none */
  TallCost put;                           /* of the order as a new one, in memory */
  TallCost again;                         /* of a put in its place, in memory */
  TallCost bare_put;                      /* the same without any index */
  TallCost bare_again;
  TallReadPlan *plan;     /* owned; keeps the names of tables */
  TallReadResult *result; /* owned; keeps the rows */
} TallExplanation;

TallExplanation *tall_explain_stored (TallStore *store,
                                      const char *indexes,
                                      const TallOrder *order,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallExplanation *tall_explain_trial (const TallLayout *layout,
                                     const TallKeyStrategy *key_strategy,
                                     const char *indexes,
                                     TallOrder *order,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_explanation_free (TallExplanation *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallExplanation, tall_explanation_free)

guint tall_explanation_count_tables (const TallExplanation *self);
