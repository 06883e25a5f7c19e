/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/assembler.h"
#include "base/fail.h"
#include "tall-limits.h"

/* Bytes of the file that the rows of one order may take: they are kept until it is stored. */
#define MAX_ORDER_BYTES (64 * 1024 * 1024)

#define KIND_SIBLING "another row of the same order was rejected"
#define KIND_OTHER_FILE "another file has other rows of the same order"

/* How often a row is there, by its text. */
typedef struct
{
  guint file;    /* that had it last … */
  guint here;    /* … so often … */
  guint earlier; /* … and a file before it at most so often */
} Seen;

struct _TallAssembler
{
  TallRejects *rejects; /* not owned */
  TallAssemblerEmit emit;
  gpointer data;

  char order_number[TALL_MAX_NUMBER_BYTES + 1];
  TallDraft *draft;
  const TallMapping *mapping; /* not owned; of the file of the first row */
  gboolean drafts;            /* FALSE: no order is open, or it is rejected */
  GHashTable *seen;    /* char * → Seen: the rows of the order, once a second file has one */
  TallLoadItem *item;  /* its rows so far; NULL: no order is open */
  guint64 failed_line; /* where the row is that it was rejected for; 0: not rejected */
  const char *failed_file;
};

TallAssembler *
tall_assembler_new (TallRejects *rejects, TallAssemblerEmit emit, gpointer data)
{
  TallAssembler *self = g_new0 (TallAssembler, 1);
  self->rejects = rejects;
  self->emit = emit;
  self->data = data;
  self->draft = tall_draft_new ();
  self->seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return self;
}

static void
close_order (TallAssembler *self)
{
  self->drafts = FALSE;
  g_clear_pointer (&self->item, tall_load_item_free);
  g_hash_table_remove_all (self->seen);
  self->failed_line = 0;
}

void
tall_assembler_free (TallAssembler *self)
{
  if (self == NULL)
    return;
  close_order (self);
  tall_draft_free (self->draft);
  g_hash_table_unref (self->seen);
  g_free (self);
}

/* Finishes the order before, and begins another. @mapping: stays the caller's until the order is
 * finished. @customer: (nullable): NULL if it is not known; then no row may follow. */
void
tall_assembler_begin (TallAssembler *self,
                      const TallMapping *mapping,
                      const char *customer,
                      const char *order)
{
  tall_assembler_finish (self);
  self->item = tall_load_item_new ();
  self->mapping = mapping;
  g_strlcpy (self->order_number, order, sizeof self->order_number);
  self->drafts = customer != NULL;
  if (self->drafts)
    tall_draft_begin (self->draft, customer, order);
}

/* Rejects a row, or all rows so far, because of another. */
static void
reject_for_sibling (TallAssembler *self, const TallCsvRow *row)
{
  g_autofree char *place = tall_csv_describe_line (self->failed_line, self->failed_file);
  g_autofree char *reason =
      g_strdup_printf ("order %s is rejected because of %s", self->order_number, place);
  if (row != NULL)
    tall_rejects_add_row (self->rejects, row, NULL, KIND_SIBLING, reason);
  else
    tall_load_item_reject (self->item, self->rejects, KIND_SIBLING, reason);
}

/* Rejects the order that is open, with all rows so far and all that come. @line: of the row that is
 * to blame. @file_name: (nullable): of the file that has it, as in #TallCsvRow. */
void
tall_assembler_fail (TallAssembler *self, guint64 line, const char *file_name)
{
  if (self->failed_line != 0)
    return;
  self->failed_line = line;
  self->failed_file = file_name;
  self->drafts = FALSE;
  reject_for_sibling (self, NULL);
}

static gboolean
check_room (TallAssembler *self, const TallCsvRow *row, TallRowFault *fault, GError **error)
{
  if (self->item->raw->len + row->raw.len <= MAX_ORDER_BYTES)
    return TRUE;
  *fault = (TallRowFault){ NULL, "the order is too large" };
  return tall_error_fail (error, TALL_ERROR_TOO_LARGE,
                          "the rows of order %s take more than %d bytes", self->order_number,
                          MAX_ORDER_BYTES);
}

/* Adds a row that fits to the order that is open. */
static gboolean
add_row (TallAssembler *self,
         const TallMapping *mapping,
         const TallCsvRow *row,
         TallRowFault *fault,
         GError **error)
{
  if (!check_room (self, row, fault, error)
      || !tall_draft_add_row (self->draft, mapping, row, fault, error))
    return FALSE;
  tall_load_item_add_row (self->item, row);
  return TRUE;
}

/* Returns: whether a file before has the text, too, as often as this file has had it by now */
static gboolean
note_text (TallAssembler *self, guint file, TallSlice raw)
{
  char *text = g_strndup ((const char *)raw.data, raw.len);
  Seen *seen = g_hash_table_lookup (self->seen, text);
  if (seen == NULL)
    {
      seen = g_new0 (Seen, 1);
      g_hash_table_insert (self->seen, g_steal_pointer (&text), seen);
    }
  if (seen->file != file)
    *seen = (Seen){ file, 0, MAX (seen->earlier, seen->here) };
  g_free (text);
  return ++seen->here <= seen->earlier;
}

/* Whether two files have their columns in the same places. */
static gboolean
are_alike (const TallMapping *a, const TallMapping *b)
{
  for (guint i = 0; i < a->sources->len; i++)
    if (tall_mapping_get_source (a, i)->index != tall_mapping_get_source (b, i)->index)
      return FALSE;
  return TRUE;
}

/* Whether an earlier file has the same row. Files that overlap have many. */
static gboolean
is_repeated (TallAssembler *self, const TallMapping *mapping, const TallCsvRow *row)
{
  const TallLoadItem *item = self->item;
  guint n_unknown = g_hash_table_size (self->seen) == 0 ? item->rows->len : 0;
  for (guint i = 0; i < n_unknown; i++)
    {
      const TallItemRow *known = &g_array_index (item->rows, TallItemRow, i);
      note_text (self, known->file, tall_slice (item->raw->data + known->offset, known->len));
    }
  return are_alike (self->mapping, mapping) && note_text (self, row->file, row->raw);
}

/* Takes a row of an order that has begun in another file. */
static gboolean
try_across (TallAssembler *self,
            const TallMapping *mapping,
            const TallCsvRow *row,
            TallRowFault *fault,
            GError **error)
{
  guint first = g_array_index (self->item->rows, TallItemRow, 0).file;
  if (is_repeated (self, mapping, row))
    {
      if (!check_room (self, row, fault, error))
        return FALSE;
      tall_load_item_add_row (self->item, row);
      g_array_index (self->item->rows, TallItemRow, self->item->rows->len - 1).is_repeated = TRUE;
      return TRUE;
    }
  if (mapping->across_files)
    return add_row (self, mapping, row, fault, error);
  *fault = (TallRowFault){ NULL, KIND_OTHER_FILE };
  return tall_error_fail_invalid (
      error, NULL,
      "order %s has rows in %s, too, but not this one of %s; if orders go on "
      "in another file, say --across-files",
      self->order_number, tall_rejects_get_file_name (self->rejects, first), row->file_name);
}

/* @mapping: bound to the file of the row. @row: the next good row of the order that is open: its
 * rows come file by file. */
void
tall_assembler_push (TallAssembler *self, const TallMapping *mapping, const TallCsvRow *row)
{
  g_autoptr (GError) error = NULL;
  TallRowFault fault;
  if (self->failed_line != 0)
    reject_for_sibling (self, row);
  else
    {
      const GArray *rows = self->item->rows;
      gboolean is_first = rows->len == 0 || g_array_index (rows, TallItemRow, 0).file == row->file;
      if ((is_first ? add_row : try_across) (self, mapping, row, &fault, &error))
        return;
      tall_rejects_add_row (self->rejects, row, fault.column, fault.kind, error->message);
      tall_assembler_fail (self, row->line, row->file_name);
    }
}

/* Emits the order that is open, unless it is rejected. */
void
tall_assembler_finish (TallAssembler *self)
{
  if (self->drafts)
    {
      TallLoadItem *item = g_steal_pointer (&self->item);
      item->order = tall_draft_finish (self->draft);
      self->emit (item, self->data);
    }
  close_order (self);
}
