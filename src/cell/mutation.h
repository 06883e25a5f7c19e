/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"

G_BEGIN_DECLS

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

G_END_DECLS
