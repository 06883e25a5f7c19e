/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/row-merge.h"

#include <stdlib.h>

#include "tall-error.h"

static int
compare_timestamps (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *)a;
  gint64 y = *(const gint64 *)b;
  return (x > y) - (x < y);
}

static gboolean
row_masks (const TallStoredRow *row, gint64 timestamp)
{
  if (timestamp <= row->up_to)
    return TRUE;
  return row->n_exact > 0
         && bsearch (&timestamp, row->exact, row->n_exact, sizeof (gint64), compare_timestamps)
                != NULL;
}

/* Leaves one of each, and none that up_to covers. */
static void
fold_exact (TallStoredRow *row)
{
  guint n = 0;
  qsort (row->exact, row->n_exact, sizeof (gint64), compare_timestamps);
  for (guint i = 0; i < row->n_exact; i++)
    if (row->exact[i] > row->up_to && (n == 0 || row->exact[n - 1] != row->exact[i]))
      row->exact[n++] = row->exact[i];
  row->n_exact = n;
}

static void
merge_markers (TallArena *arena,
               const TallStoredRow *old,
               const TallMutation *mutation,
               guint64 mark,
               TallStoredRow *merged)
{
  guint n_deletes = 0;
  for (guint i = 0; i < mutation->n_changes; i++)
    if (mutation->changes[i].kind != TALL_CHANGE_PUT)
      n_deletes++;

  merged->up_to = old->up_to;
  merged->exact = old->exact;
  merged->n_exact = old->n_exact;
  merged->marked = old->marked;
  if (n_deletes == 0)
    return;
  merged->marked = mark;

  merged->exact = tall_arena_newa0 (arena, gint64, old->n_exact + n_deletes);
  if (old->n_exact > 0)
    memcpy (merged->exact, old->exact, old->n_exact * sizeof (gint64));
  for (guint i = 0; i < mutation->n_changes; i++)
    {
      const TallChange *change = &mutation->changes[i];
      if (change->kind == TALL_CHANGE_DELETE_UP_TO)
        merged->up_to = MAX (merged->up_to, change->timestamp);
      else if (change->kind == TALL_CHANGE_DELETE_AT)
        merged->exact[merged->n_exact++] = change->timestamp;
    }
  fold_exact (merged);
}

static int
compare_cells (const TallCell *a, const TallCell *b)
{
  int order = tall_slice_compare (a->qualifier, b->qualifier);
  if (order != 0)
    return order;
  return (a->timestamp < b->timestamp) - (a->timestamp > b->timestamp);
}

static int
compare_puts (gconstpointer a, gconstpointer b, gpointer data G_GNUC_UNUSED)
{
  return compare_cells (a, b);
}

/* The cells of the puts that no marker of @row masks, in the order of a row, which they mostly have
 * already; of two for the same cell the later one. */
static guint
sort_puts (const TallMutation *mutation, const TallStoredRow *row, TallCell *puts)
{
  guint n = 0;
  gboolean sorted = TRUE;
  for (guint i = 0; i < mutation->n_changes; i++)
    {
      const TallChange *change = &mutation->changes[i];
      if (change->kind != TALL_CHANGE_PUT || row_masks (row, change->timestamp))
        continue;
      puts[n++] = (TallCell){ change->qualifier, change->timestamp, change->value };
      if (n > 1 && compare_cells (&puts[n - 2], &puts[n - 1]) >= 0)
        sorted = FALSE;
    }
  if (sorted)
    return n;

  /* Stable, so that the last of equal ones is the latest. */
  g_qsort_with_data (puts, (int)n, sizeof (TallCell), compare_puts, NULL);
  guint n_unique = 0;
  for (guint i = 0; i < n; i++)
    if (i + 1 == n || compare_cells (&puts[i], &puts[i + 1]) != 0)
      puts[n_unique++] = puts[i];
  return n_unique;
}

/* Appends a cell to @merged unless enough newer versions are there. */
static void
keep_cell (TallStoredRow *merged, const TallCell *cell, guint max_versions, guint *versions)
{
  const TallCell *last = merged->n_cells > 0 ? &merged->cells[merged->n_cells - 1] : NULL;
  if (max_versions == 0)
    {
      merged->cells[merged->n_cells++] = *cell;
      return;
    }

  if (last == NULL || !tall_slice_equal (last->qualifier, cell->qualifier))
    *versions = 0;
  if (*versions == max_versions)
    return;
  ++*versions;
  merged->cells[merged->n_cells++] = *cell;
}

static void
merge_cells (const TallStoredRow *old,
             const TallCell *puts,
             guint n_puts,
             TallRetention retention,
             TallStoredRow *merged)
{
  guint versions = 0;
  guint i = 0;
  guint j = 0;

  while (i < old->n_cells || j < n_puts)
    {
      const TallCell *before = i < old->n_cells ? &old->cells[i] : NULL;
      const TallCell *put = j < n_puts ? &puts[j] : NULL;
      int order = before == NULL ? 1 : put == NULL ? -1 : compare_cells (before, put);
      if (order <= 0)
        i++;
      if (order >= 0)
        j++;
      if (order >= 0)
        keep_cell (merged, put, retention.max_versions, &versions);
      else if (before->timestamp >= retention.oldest && !row_masks (merged, before->timestamp))
        keep_cell (merged, before, retention.max_versions, &versions);
    }
}

static gboolean
check_size (const TallStoredRow *row, const TallMutation *mutation, GError **error)
{
  gsize size = 0;
  for (guint i = 0; i < row->n_cells; i++)
    size += row->cells[i].qualifier.len + row->cells[i].value.len;
  if (size <= TALL_ROW_MAX_SIZE)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
               "Table %s: a row of %" G_GSIZE_FORMAT
               " bytes; the embedded store keeps rows of up to %d",
               mutation->table, size, TALL_ROW_MAX_SIZE);
  return FALSE;
}

/**
 * tall_row_merge:
 * @arena: for the arrays of @merged
 * @old: the row so far; all zero if there is none
 * @mutation: what happens to it; its deletes come first
 * @retention: what is kept
 * @merged: (out caller-allocates): the row afterwards; qualifiers and values are those of @old and
 *   @mutation, not copied
 *
 * Markers are kept, for they mask puts that come later; the cells that they mask are not. All
 * markers of a row are as young as the last one.
 *
 * Returns: FALSE with %TALL_ERROR_TOO_LARGE if the row would be larger than %TALL_ROW_MAX_SIZE
 */
gboolean
tall_row_merge (TallArena *arena,
                const TallStoredRow *old,
                const TallMutation *mutation,
                TallRetention retention,
                TallStoredRow *merged,
                GError **error)
{
  *merged = (TallStoredRow){ 0 };
  merge_markers (arena, old, mutation, retention.mark, merged);

  TallCell *puts = tall_arena_alloc (arena, mutation->n_changes * sizeof (TallCell));
  guint n_puts = sort_puts (mutation, merged, puts);
  if (old->n_cells == 0 && retention.max_versions == 0)
    {
      merged->cells = puts;
      merged->n_cells = n_puts;
      return check_size (merged, mutation, error);
    }

  merged->cells = tall_arena_alloc (arena, (old->n_cells + n_puts) * sizeof (TallCell));
  merge_cells (old, puts, n_puts, retention, merged);
  return check_size (merged, mutation, error);
}
