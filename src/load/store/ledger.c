/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/store/ledger.h"

typedef guint64 FileRows[TALL_LOAD_N_ENDS];

void
tall_load_ledger_init (TallLoadLedger *self)
{
  *self = (TallLoadLedger){ .files = g_array_new (FALSE, TRUE, sizeof (FileRows)) };
}

void
tall_load_ledger_clear (TallLoadLedger *self)
{
  g_clear_pointer (&self->files, g_array_unref);
}

static guint64 *
get_file (TallLoadLedger *self, guint file)
{
  if (file >= self->files->len)
    g_array_set_size (self->files, file + 1);
  return g_array_index (self->files, FileRows, file);
}

void
tall_load_ledger_add (TallLoadLedger *self, const TallLoadItem *item, TallLoadEnd end)
{
  TallLoadTally *tally = &self->ends[end];
  tally->items++;
  tally->rows += item->rows->len;
  if (item->order != NULL)
    tally->lines += tall_order_count_lines (item->order);
  for (guint i = 0; i < item->rows->len; i++)
    get_file (self, g_array_index (item->rows, TallItemRow, i).file)[end]++;
}

/* Adds what another has, which is empty then. */
void
tall_load_ledger_move (TallLoadLedger *self, TallLoadLedger *from)
{
  for (guint end = 0; end < TALL_LOAD_N_ENDS; end++)
    {
      self->ends[end].items += from->ends[end].items;
      self->ends[end].rows += from->ends[end].rows;
      self->ends[end].lines += from->ends[end].lines;
      for (guint i = 0; i < from->files->len; i++)
        get_file (self, i)[end] += get_file (from, i)[end];
      from->ends[end] = (TallLoadTally){ 0 };
    }
  g_array_set_size (from->files, 0);
}

/* The rows of one file that had one end. */
guint64
tall_load_ledger_count_rows (const TallLoadLedger *self, guint file, TallLoadEnd end)
{
  return file < self->files->len ? g_array_index (self->files, FileRows, file)[end] : 0;
}
