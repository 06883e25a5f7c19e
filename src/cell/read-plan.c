/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cell/read-plan.h"

TallReadPlan *
tall_read_plan_new (void)
{
  TallReadPlan *self = g_new (TallReadPlan, 1);
  self->arena = tall_arena_new (512);
  self->reads = g_ptr_array_new ();
  return self;
}

void
tall_read_plan_free (TallReadPlan *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->reads);
  tall_arena_free (self->arena);
  g_free (self);
}

static TallRead *
plan_add (TallReadPlan *self, TallReadKind kind, const char *table)
{
  TallRead *read = tall_arena_new0 (self->arena, TallRead);
  read->kind = kind;
  read->table = table;
  read->max_timestamp = G_MAXINT64;
  g_ptr_array_add (self->reads, read);
  return read;
}

/**
 * tall_read_plan_add_get:
 * @table: short name of the table, a static string
 * @key: row key, copied
 *
 * Returns: (transfer none): the read, for the caller to narrow
 */
TallRead *
tall_read_plan_add_get (TallReadPlan *self, const char *table, TallSlice key)
{
  return tall_read_plan_add_gets (self, table, &key, 1);
}

/**
 * tall_read_plan_add_gets:
 * @table: short name of the table, a static string
 * @keys: row keys, copied
 *
 * Returns: (transfer none): the read, for the caller to narrow
 */
TallRead *
tall_read_plan_add_gets (TallReadPlan *self, const char *table, const TallSlice *keys, guint n_keys)
{
  TallRead *read = plan_add (self, TALL_READ_GET, table);
  read->keys = tall_arena_newa0 (self->arena, TallSlice, n_keys);
  read->n_keys = n_keys;
  for (guint i = 0; i < n_keys; i++)
    read->keys[i] = tall_slice_dup (self->arena, keys[i]);
  return read;
}

/**
 * tall_read_plan_add_scan:
 * @table: short name of the table, a static string
 * @start: the first row key, copied
 * @stop: the first row key not wanted, copied; empty = to the end of the table
 *
 * Returns: (transfer none): the read, for the caller to narrow
 */
TallRead *
tall_read_plan_add_scan (TallReadPlan *self, const char *table, TallSlice start, TallSlice stop)
{
  TallRead *read = plan_add (self, TALL_READ_SCAN, table);
  read->start = tall_slice_dup (self->arena, start);
  read->stop = tall_slice_dup (self->arena, stop);
  return read;
}

/**
 * tall_read_plan_add_prefix_scan:
 *
 * Adds a scan of all rows whose keys begin with @prefix.
 *
 * Returns: (transfer none): the read, for the caller to narrow
 */
TallRead *
tall_read_plan_add_prefix_scan (TallReadPlan *self, const char *table, TallSlice prefix)
{
  TallSlice stop = tall_slice_after_prefix (self->arena, prefix);
  return tall_read_plan_add_scan (self, table, prefix, stop);
}

/**
 * tall_read_plan_set_timestamp:
 *
 * Narrows every read of the plan to the cells that have exactly this timestamp.
 */
void
tall_read_plan_set_timestamp (TallReadPlan *self, gint64 timestamp)
{
  for (guint i = 0; i < self->reads->len; i++)
    {
      TallRead *read = tall_read_plan_get (self, i);
      read->min_timestamp = timestamp;
      read->max_timestamp = timestamp + 1;
    }
}

/**
 * tall_read_plan_set_uncached:
 *
 * Says of every read of the plan that a table need not keep in memory what it reads.
 */
void
tall_read_plan_set_uncached (TallReadPlan *self)
{
  for (guint i = 0; i < self->reads->len; i++)
    tall_read_plan_get (self, i)->uncached = TRUE;
}

/**
 * tall_read_result_new:
 *
 * Returns: a result without rows, for a table to fill
 */
TallReadResult *
tall_read_result_new (guint n_results)
{
  TallReadResult *self = g_new (TallReadResult, 1);
  self->arena = tall_arena_new (0);
  self->results = tall_arena_newa0 (self->arena, TallRows, n_results);
  self->n_results = n_results;
  return self;
}

void
tall_read_result_free (TallReadResult *self)
{
  if (self == NULL)
    return;
  tall_arena_free (self->arena);
  g_free (self);
}
