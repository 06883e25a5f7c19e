/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/grouper.h"
#include "load/orders/assembler.h"

struct _TallGrouper
{
  const TallLoadFiles *files; /* not owned */
  TallRowCheck check;         /* of the file that is being read */
  TallSurvey *survey;         /* not owned */
  TallRejects *rejects;       /* not owned */
  gpointer data;

  TallOrderCursor cursor;
  TallAssembler *assembler; /* of the orders that are assembled as they come, then of the others */
  TallOrderSpool *spool;
  gboolean apart;  /* the rows that are being read go there */
  guint64 gap;     /* where an unreadable row came last; 0: none since the order began */
  guint64 garbled; /* where a row came that is perhaps one of the next order; 0: nowhere */
};

/* @files: of orders; stay the caller's. @survey: (nullable): of the same files; stays the caller's;
 * NULL: rows of an order follow each other. @place: where rows are put aside; its texts stay the
 * caller's. @emit: called by push and finish for every order. */
TallGrouper *
tall_grouper_new (const TallLoadFiles *files,
                  TallSurvey *survey,
                  const TallSpoolPlace *place,
                  TallRejects *rejects,
                  TallAssemblerEmit emit,
                  gpointer data)
{
  TallGrouper *self = g_new0 (TallGrouper, 1);
  self->files = files;
  self->survey = survey;
  self->rejects = rejects;
  self->data = data;
  self->assembler = tall_assembler_new (rejects, emit, data);
  self->spool = tall_order_spool_new (files, place);
  tall_grouper_begin_file (self, 0);
  return self;
}

void
tall_grouper_free (TallGrouper *self)
{
  if (self == NULL)
    return;
  tall_assembler_free (self->assembler);
  tall_order_spool_free (self->spool);
  g_free (self);
}

/* The rows that follow are of that file. */
void
tall_grouper_begin_file (TallGrouper *self, guint file)
{
  const TallLoadFile *begun = tall_load_files_get (self->files, file);
  self->check = tall_row_check_make (begun);
  tall_order_cursor_init (&self->cursor, begun->mapping);
  self->garbled = 0;
}

/* Why a row of an order is bad; NULL: it is not, on its own. */
static char *
find_fault (TallGrouper *self, const TallCsvRow *row, TallRowFault *fault)
{
  const TallOrderCursor *cursor = &self->cursor;
  char *reason = tall_row_check_readable (&self->check, row, fault);
  if (reason != NULL)
    return reason;
  if (cursor->row_order == NULL)
    return tall_row_check_number (&self->check, cursor->order_source, row, fault);
  if (cursor->row_customer == NULL)
    return tall_row_check_number (&self->check, cursor->customer_source, row, fault);
  return NULL;
}

/* An order for which the survey has found no other rows is in one piece. */
static void
begin_order (TallGrouper *self)
{
  const TallOrderCursor *cursor = &self->cursor;
  const char *customer = cursor->knows_customer ? cursor->customer_number : NULL;
  self->gap = self->garbled;
  tall_assembler_finish (self->assembler);
  self->apart = self->survey != NULL
                && tall_survey_begin_order (self->survey, customer, cursor->order_number);
  if (!self->apart)
    tall_assembler_begin (self->assembler, self->check.mapping, customer, cursor->order_number);
}

static gboolean
put_aside (TallGrouper *self, const TallCsvRow *row, guint64 blame, GError **error)
{
  return tall_order_spool_put (self->spool, self->cursor.row_customer, self->cursor.row_order, row,
                               blame, error);
}

/* The order whose rows are being read may lack @row, of which nobody knows the order. */
static gboolean
blame_open_order (TallGrouper *self, const TallCsvRow *row, GError **error)
{
  const TallOrderCursor *cursor = &self->cursor;
  if (!cursor->open)
    return TRUE;
  if (self->apart)
    return tall_order_spool_put (self->spool,
                                 cursor->knows_customer ? cursor->customer_number : NULL,
                                 cursor->order_number, row, row->line, error);
  tall_assembler_fail (self->assembler, row->line, row->file_name);
  return TRUE;
}

/* A row that is not clearly of the order that is being read is in its middle if that goes on after
 * it. If it names an order, it rejects that, too. If it names none because it is not CSV, it
 * rejects the order before it and the one after it: it may well be the last row of the one, or the
 * first of the other. */
static gboolean
push_stray (TallGrouper *self, const TallCsvRow *row, GError **error)
{
  self->gap = row->line;
  if (self->cursor.row_order != NULL)
    return put_aside (self, row, row->line, error);
  if (!row->is_garbled)
    return TRUE;
  self->garbled = row->line;
  return blame_open_order (self, row, error);
}

static gboolean
push_row (TallGrouper *self, const TallCsvRow *row, GError **error)
{
  guint64 blame = self->gap;
  self->garbled = 0;
  if (blame == 0 && row->reason != NULL)
    blame = row->line;
  if (self->apart)
    return put_aside (self, row, blame, error);
  if (blame != 0)
    tall_assembler_fail (self->assembler, blame, row->file_name);
  if (row->reason == NULL)
    tall_assembler_push (self->assembler, self->check.mapping, row);
  return TRUE;
}

/* @row: the next row of the file, good or bad. Returns: FALSE with %TALL_ERROR_UNAVAILABLE if the
 * row cannot be put aside */
gboolean
tall_grouper_push (TallGrouper *self, const TallCsvRow *row, GError **error)
{
  TallRowFault fault;
  TallCsvRow checked = *row;
  TallOrderPlace place = tall_order_cursor_step (&self->cursor, row);
  g_autofree char *reason = find_fault (self, row, &fault);
  checked.reason = reason;
  if (reason != NULL)
    tall_rejects_add_row (self->rejects, row, fault.column, fault.kind, reason);
  if (place == TALL_PLACE_STRAY || place == TALL_PLACE_NAMELESS)
    return push_stray (self, &checked, error);
  if (place == TALL_PLACE_NEW)
    begin_order (self);
  return push_row (self, &checked, error);
}

/* The files have ended: emits the last order, and those whose rows were put aside. @tick:
 * (nullable): called with the data of @emit for each row that was put aside. Returns: FALSE with an
 * error if these cannot be read, and if @tick stops it */
gboolean
tall_grouper_finish (TallGrouper *self, TallSpoolTick tick, GError **error)
{
  tall_assembler_finish (self->assembler);
  return tall_order_spool_drain (self->spool, self->assembler, tick, self->data, error);
}

/* How many of the rows that were put aside have been assembled, and how many there are. */
void
tall_grouper_get_progress (const TallGrouper *self, guint64 *done, guint64 *all)
{
  tall_order_spool_get_progress (self->spool, done, all);
}
