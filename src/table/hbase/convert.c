/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/convert.h"

#define FAMILY tall_slice_str (TALL_FAMILY)

/* Nothing asked for by name: all of the family. */
static TallHbaseTColumn *
columns_new (const TallRead *read, guint *n, TallArena *arena)
{
  *n = MAX (read->n_qualifiers, 1);
  TallHbaseTColumn *columns = tall_arena_newa0 (arena, TallHbaseTColumn, *n);
  for (guint i = 0; i < *n; i++)
    {
      columns[i].family = FAMILY;
      columns[i].has_qualifier = i < read->n_qualifiers;
      if (columns[i].has_qualifier)
        columns[i].qualifier = read->qualifiers[i];
    }
  return columns;
}

/* NULL if all timestamps are asked for. */
static TallHbaseTTimeRange *
time_range_new (const TallRead *read, TallArena *arena)
{
  if (read->min_timestamp == 0 && read->max_timestamp == G_MAXINT64)
    return NULL;
  TallHbaseTTimeRange *range = tall_arena_new0 (arena, TallHbaseTTimeRange);
  *range = (TallHbaseTTimeRange){ read->min_timestamp, read->max_timestamp };
  return range;
}

/* How many versions of each cell to ask the gateway for. */
static gint32
versions_of (const TallRead *read)
{
  return read->max_versions == 0 || read->max_versions > G_MAXINT32 ? G_MAXINT32
                                                                    : (gint32)read->max_versions;
}

/**
 * tall_hbase_t_get_init:
 * @key: of one row of @read
 */
void
tall_hbase_t_get_init (TallHbaseTGet *self, const TallRead *read, TallSlice key, TallArena *arena)
{
  self->row = key;
  self->columns = columns_new (read, &self->n_columns, arena);
  self->time_range = time_range_new (read, arena);
  self->max_versions = versions_of (read);
}

/**
 * tall_hbase_t_scan_init:
 * @start: where to begin instead of at the beginning of @read
 * @n_rows: rows at most
 *
 * Makes the scan for a page of @read.
 */
void
tall_hbase_t_scan_init (
    TallHbaseTScan *self, const TallRead *read, TallSlice start, guint n_rows, TallArena *arena)
{
  self->start_row = start;
  self->stop_row = read->stop.len > 0 ? read->stop : (TallSlice)TALL_SLICE_INIT;
  self->columns = columns_new (read, &self->n_columns, arena);
  self->time_range = time_range_new (read, arena);
  self->max_versions = versions_of (read);
  self->limit = (gint32)n_rows;
}

static guint
count (const TallMutation *mutation, TallChangeKind kind)
{
  guint n = 0;
  for (guint i = 0; i < mutation->n_changes; i++)
    n += mutation->changes[i].kind == kind;
  return n;
}

/**
 * tall_hbase_mutation_has:
 *
 * Returns: whether there is a change of that kind in a mutation
 */
gboolean
tall_hbase_mutation_has (const TallMutation *mutation, TallChangeKind kind)
{
  return count (mutation, kind) > 0;
}

/**
 * tall_hbase_t_put_init:
 *
 * Makes the puts of a mutation. Every write is synced: HBase's regions are on different servers
 * with a log each, so a later synced write at one does not make an unsynced one at another durable.
 */
void
tall_hbase_t_put_init (TallHbaseTPut *self, const TallMutation *mutation, TallArena *arena)
{
  guint n = count (mutation, TALL_CHANGE_PUT);
  *self = (TallHbaseTPut){ .row = mutation->row,
                           .column_values = tall_arena_newa0 (arena, TallHbaseTColumnValue, n),
                           .durability = TALL_HBASE_SYNC_WAL };

  for (guint i = 0; i < mutation->n_changes; i++)
    {
      const TallChange *change = &mutation->changes[i];
      if (change->kind == TALL_CHANGE_PUT)
        self->column_values[self->n_column_values++] =
            (TallHbaseTColumnValue){ .family = FAMILY,
                                     .qualifier = change->qualifier,
                                     .value = change->value,
                                     .timestamp = change->timestamp,
                                     .has_timestamp = TRUE };
    }
}

/**
 * tall_hbase_t_delete_init:
 *
 * Makes the deletes of one kind of a mutation.
 */
void
tall_hbase_t_delete_init (TallHbaseTDelete *self,
                          const TallMutation *mutation,
                          TallChangeKind kind,
                          TallArena *arena)
{
  *self = (TallHbaseTDelete){
    .row = mutation->row,
    .columns = tall_arena_newa0 (arena, TallHbaseTColumn, count (mutation, kind)),
    .delete_type = kind == TALL_CHANGE_DELETE_UP_TO ? TALL_HBASE_DELETE_FAMILY
                                                    : TALL_HBASE_DELETE_FAMILY_VERSION,
    .durability = TALL_HBASE_SYNC_WAL,
  };

  for (guint i = 0; i < mutation->n_changes; i++)
    if (mutation->changes[i].kind == kind)
      self->columns[self->n_columns++] = (TallHbaseTColumn){
        .family = FAMILY, .timestamp = mutation->changes[i].timestamp, .has_timestamp = TRUE
      };
}

static void
add_delete (TallHbaseTRowMutations *self,
            const TallMutation *mutation,
            TallChangeKind kind,
            TallArena *arena)
{
  if (!tall_hbase_mutation_has (mutation, kind))
    return;
  TallHbaseTDelete *part = tall_arena_new0 (arena, TallHbaseTDelete);
  tall_hbase_t_delete_init (part, mutation, kind, arena);
  self->mutations[self->n_mutations++].delete_single = part;
}

/**
 * tall_hbase_t_row_mutations_new:
 *
 * Returns: (transfer none): a mutation as one atomic step
 */
TallHbaseTRowMutations *
tall_hbase_t_row_mutations_new (const TallMutation *mutation, TallArena *arena)
{
  TallHbaseTRowMutations *self = tall_arena_new0 (arena, TallHbaseTRowMutations);
  self->row = mutation->row;
  self->mutations = tall_arena_newa0 (arena, TallHbaseTMutation, 3);

  add_delete (self, mutation, TALL_CHANGE_DELETE_UP_TO, arena);
  add_delete (self, mutation, TALL_CHANGE_DELETE_AT, arena);
  if (tall_hbase_mutation_has (mutation, TALL_CHANGE_PUT))
    {
      TallHbaseTPut *put = tall_arena_new0 (arena, TallHbaseTPut);
      tall_hbase_t_put_init (put, mutation, arena);
      self->mutations[self->n_mutations++].put = put;
    }
  return self;
}

/**
 * tall_hbase_t_increment_new:
 *
 * Returns: (transfer none): an increment of one cell, synced like every write
 */
TallHbaseTIncrement *
tall_hbase_t_increment_new (TallSlice row, TallSlice qualifier, gint64 delta, TallArena *arena)
{
  TallHbaseTIncrement *self = tall_arena_new0 (arena, TallHbaseTIncrement);
  TallHbaseTColumnIncrement *column = tall_arena_new0 (arena, TallHbaseTColumnIncrement);
  *column = (TallHbaseTColumnIncrement){ FAMILY, qualifier, delta };
  *self = (TallHbaseTIncrement){ row, column, 1, TALL_HBASE_SYNC_WAL };
  return self;
}
