/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/assembler.h"
#include "tall-error.h"
#include "tall-limits.h"

/* Bytes of the file that the rows of one order may take: they are kept until it is stored. */
#define MAX_ORDER_BYTES (64 * 1024 * 1024)

#define KIND_SIBLING "another row of the same order was rejected"

struct _TallAssembler
{
  TallRejects *rejects; /* not owned */
  TallAssemblerEmit emit;
  gpointer data;

  char order_number[TALL_MAX_NUMBER_BYTES + 1];
  TallDraft *draft;
  gboolean drafts;     /* FALSE: no order is open, or it is rejected */
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
  return self;
}

static void
close_order (TallAssembler *self)
{
  self->drafts = FALSE;
  g_clear_pointer (&self->item, tall_load_item_free);
  self->failed_line = 0;
}

void
tall_assembler_free (TallAssembler *self)
{
  if (self == NULL)
    return;
  close_order (self);
  tall_draft_free (self->draft);
  g_free (self);
}

/**
 * tall_assembler_begin:
 * @mapping: stays the caller's until the order is finished
 * @customer: (nullable): NULL if it is not known; then no row may follow
 *
 * Finishes the order before, and begins another.
 */
void
tall_assembler_begin (TallAssembler *self,
                      const TallMapping *mapping,
                      const char *customer,
                      const char *order)
{
  tall_assembler_finish (self);
  self->item = tall_load_item_new ();
  g_strlcpy (self->order_number, order, sizeof self->order_number);
  self->drafts = customer != NULL;
  if (self->drafts)
    tall_draft_begin (self->draft, mapping, customer, order);
}

static void
reject_row (TallAssembler *self,
            const TallCsvRow *row,
            const TallRowFault *fault,
            const char *reason)
{
  TallReject reject = { row->file, row->line, fault->column, fault->kind, reason, row->raw };
  tall_rejects_add (self->rejects, &reject);
}

/* Rejects a row, or all rows so far, because of another. */
static void
reject_for_sibling (TallAssembler *self, const TallCsvRow *row)
{
  TallRowFault fault = { NULL, KIND_SIBLING };
  g_autofree char *place = tall_csv_describe_line (self->failed_line, self->failed_file);
  g_autofree char *reason =
      g_strdup_printf ("order %s is rejected because of %s", self->order_number, place);
  if (row != NULL)
    reject_row (self, row, &fault, reason);
  else
    tall_load_item_reject (self->item, self->rejects, fault.kind, reason);
}

/* Rejects a row for a reason of its own. */
void
tall_assembler_reject (TallAssembler *self,
                       const TallCsvRow *row,
                       const TallRowFault *fault,
                       const char *reason)
{
  reject_row (self, row, fault, reason);
}

/* A row of the order that is open, of which other rows have what it says, such as its header. */
void
tall_assembler_add_part (TallAssembler *self, const TallCsvRow *row)
{
  if (self->failed_line != 0)
    reject_for_sibling (self, row);
  else
    tall_load_item_add_row (self->item, row);
}

/* Rejects all rows of the order that is open for one reason. No more rows follow. */
void
tall_assembler_drop (TallAssembler *self, const char *kind, const char *reason)
{
  tall_load_item_reject (self->item, self->rejects, kind, reason);
  close_order (self);
}

/**
 * tall_assembler_fail:
 * @line: of the row that is to blame
 * @file_name: (nullable): of the file that has it, as in #TallCsvRow
 *
 * Rejects the order that is open, with all rows so far and all that come.
 */
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

/**
 * tall_assembler_try:
 * @mapping: bound to the file of the row
 * @row: the next good row of the order that is open, and not rejected
 * @fault: (out): of a row that does not fit
 *
 * Returns: FALSE with an error if the row does not fit; the order has to fail then
 */
gboolean
tall_assembler_try (TallAssembler *self,
                    const TallMapping *mapping,
                    const TallCsvRow *row,
                    TallRowFault *fault,
                    GError **error)
{
  *fault = (TallRowFault){ NULL, "the order is too large" };
  if (self->item->raw->len + row->raw.len > MAX_ORDER_BYTES)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
                   "the rows of order %s take more than %d bytes", self->order_number,
                   MAX_ORDER_BYTES);
      return FALSE;
    }
  if (!tall_draft_add_row (self->draft, mapping, row, fault, error))
    return FALSE;
  tall_load_item_add_row (self->item, row);
  return TRUE;
}

/**
 * tall_assembler_push:
 * @mapping: bound to the file of the row
 * @row: the next good row of the order that is open
 */
void
tall_assembler_push (TallAssembler *self, const TallMapping *mapping, const TallCsvRow *row)
{
  g_autoptr (GError) error = NULL;
  TallRowFault fault;
  if (self->failed_line != 0)
    reject_for_sibling (self, row);
  else if (!tall_assembler_try (self, mapping, row, &fault, &error))
    {
      reject_row (self, row, &fault, error->message);
      tall_assembler_fail (self, row->line, row->file_name);
    }
}

/**
 * tall_assembler_blame_first:
 * @file_name: (nullable): of the file that has the row, as in #TallCsvRow
 *
 * The first row of the order that is open is to blame for what @fault and @reason say.
 */
void
tall_assembler_blame_first (TallAssembler *self,
                            const TallRowFault *fault,
                            const char *reason,
                            const char *file_name)
{
  const TallItemRow first = g_array_index (self->item->rows, TallItemRow, 0);
  const TallCsvRow row = { .file = first.file,
                           .line = first.line,
                           .raw = tall_slice (self->item->raw->data + first.offset, first.len) };
  reject_row (self, &row, fault, reason);
  g_array_remove_index (self->item->rows, 0);
  tall_assembler_fail (self, first.line, file_name);
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
