/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-grouper.h"
#include "tall-digest-set.h"
#include "tall-draft.h"
#include "tall-error.h"
#include "tall-order-cursor.h"

/* Bytes of the file that the rows of one order may take: they are kept until it is stored. */
#define MAX_ORDER_BYTES (64 * 1024 * 1024)

#define KIND_SIBLING "another row of the same order was rejected"
#define KIND_APART "the lines of the order are not together"
#define KIND_TWICE "the customer came earlier in the file"
#define KIND_NUMBER "is not a valid number"

struct _TallGrouper
{
  const TallMapping *mapping; /* not owned */
  const char *const *columns; /* not owned */
  TallRejects *rejects;       /* not owned */
  TallGrouperEmit emit;
  gpointer data;

  TallDigestSet *customers; /* that came before; NULL for orders */

  TallSurvey *survey; /* not owned; NULL for customers */
  TallOrderCursor cursor;
  gboolean open;       /* an order is under construction: */
  TallDraft *draft;    /* NULL once the order is rejected */
  TallLoadItem *item;  /* its rows so far */
  TallTrouble trouble; /* what the survey says of it */
  guint64 failed_line; /* where the row is that it was rejected for; 0: not rejected */
  guint64 gap_line;    /* where an unreadable row came last; 0: none since the last good one */
};

/**
 * tall_grouper_new:
 * @mapping: bound to the file; stays the caller's
 * @columns: the names in the file's header; stay the caller's
 * @survey: (nullable): of the same file; stays the caller's; NULL for customers
 * @emit: called by push and finish for every order or customer
 */
TallGrouper *
tall_grouper_new (const TallMapping *mapping,
                  const char *const *columns,
                  TallSurvey *survey,
                  TallRejects *rejects,
                  TallGrouperEmit emit,
                  gpointer data)
{
  TallGrouper *self = g_new0 (TallGrouper, 1);
  self->mapping = mapping;
  self->columns = columns;
  self->rejects = rejects;
  self->emit = emit;
  self->data = data;
  self->survey = survey;
  if (mapping->kind == TALL_MAPPING_CUSTOMERS)
    self->customers = tall_digest_set_new ();
  else
    tall_order_cursor_init (&self->cursor, mapping);
  return self;
}

static void
close_order (TallGrouper *self)
{
  g_clear_pointer (&self->draft, tall_draft_free);
  g_clear_pointer (&self->item, tall_load_item_free);
  self->open = FALSE;
  self->failed_line = self->gap_line = 0;
}

void
tall_grouper_free (TallGrouper *self)
{
  if (self == NULL)
    return;
  close_order (self);
  tall_digest_set_free (self->customers);
  g_free (self);
}

static void
reject_row (TallGrouper *self, const TallCsvRow *row, const TallRowFault *fault, const char *reason)
{
  TallReject reject = { row->line, fault->column, fault->kind, reason, row->raw };
  tall_rejects_add (self->rejects, &reject);
}

static void
reject_for_sibling (TallGrouper *self, const TallCsvRow *row)
{
  TallRowFault fault = { NULL, KIND_SIBLING };
  g_autofree char *reason =
      g_strdup_printf ("order %s is rejected because of line %" G_GUINT64_FORMAT,
                       self->cursor.order_number, self->failed_line);
  if (row != NULL)
    reject_row (self, row, &fault, reason);
  else
    tall_load_item_reject (self->item, self->rejects, fault.kind, reason);
}

static void
reject_apart (TallGrouper *self, const TallCsvRow *row)
{
  TallRowFault fault = { NULL, KIND_APART };
  g_autofree char *reason =
      g_strdup_printf ("order %s: its lines are not together: lines %" G_GUINT64_FORMAT
                       " and %" G_GUINT64_FORMAT "; sort the file by customer and order number",
                       self->cursor.order_number, self->trouble.first, self->trouble.again);
  reject_row (self, row, &fault, reason);
}

static gboolean
is_apart (const TallGrouper *self)
{
  return self->trouble.again != 0;
}

/* Rejects the order under construction, all rows so far, because of the row in @line. */
static void
fail_order (TallGrouper *self, guint64 line)
{
  if (self->failed_line != 0 || is_apart (self))
    return;
  self->failed_line = line;
  g_clear_pointer (&self->draft, tall_draft_free);
  reject_for_sibling (self, NULL);
}

static void
finish_order (TallGrouper *self)
{
  if (self->open && self->draft != NULL)
    {
      TallLoadItem *item = g_steal_pointer (&self->item);
      item->order = tall_draft_finish (self->draft);
      self->emit (item, self->data);
    }
  close_order (self);
}

/* An order for which the survey has found no trouble is in one piece. */
static void
begin_order (TallGrouper *self, guint64 line)
{
  const TallOrderCursor *cursor = &self->cursor;
  const char *customer = cursor->knows_customer ? cursor->customer_number : NULL;
  finish_order (self);
  self->open = TRUE;
  self->item = tall_load_item_new ();
  tall_survey_begin_order (self->survey, customer, cursor->order_number, line, &self->trouble);
  if (is_apart (self))
    return;
  if (self->trouble.spoiled != 0)
    fail_order (self, self->trouble.spoiled);
  else if (customer != NULL)
    self->draft = tall_draft_new (self->mapping, customer, cursor->order_number);
}

static void
add_row (TallGrouper *self, const TallCsvRow *row)
{
  g_autoptr (GError) error = NULL;
  TallRowFault fault = { NULL, "the order is too large" };
  if (self->item->raw->len + row->raw.len > MAX_ORDER_BYTES)
    g_set_error (&error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
                 "the rows of order %s take more than %d bytes", self->cursor.order_number,
                 MAX_ORDER_BYTES);
  else if (tall_draft_add_row (self->draft, row, &fault, &error))
    {
      tall_load_item_add_row (self->item, row->line, row->raw);
      return;
    }
  reject_row (self, row, &fault, error->message);
  fail_order (self, row->line);
}

/* A row that names its order. If it is bad in itself, @reason and @fault say why. */
static void
push_order_row (TallGrouper *self,
                const TallCsvRow *row,
                const TallRowFault *fault,
                const char *reason)
{
  if (self->gap_line != 0)
    fail_order (self, self->gap_line);
  self->gap_line = 0;

  if (reason != NULL)
    {
      reject_row (self, row, fault, reason);
      fail_order (self, row->line);
    }
  else if (is_apart (self))
    reject_apart (self, row);
  else if (self->failed_line != 0)
    reject_for_sibling (self, row);
  else
    add_row (self, row);
}

static const char *
name_column (TallGrouper *self, gint column)
{
  return column == TALL_CSV_NO_COLUMN ? NULL : self->columns[column];
}

/* Why a row has no valid number of that source; NULL: it has one. */
static char *
describe_number (TallGrouper *self,
                 const TallMappingSource *source,
                 const TallCsvRow *row,
                 TallRowFault *fault)
{
  g_autoptr (GError) error = NULL;
  gboolean of_order = tall_csv_field_is_order_number (source->field);
  const char *text = tall_mapping_get_value (self->mapping, source, row->fields, row->n_fields);
  fault->column = source->column;
  if (text == NULL)
    {
      fault->kind = of_order ? "there is no order number" : "there is no customer number";
      return g_strdup (fault->kind);
    }
  fault->kind = KIND_NUMBER;
  return tall_validate_number (text, of_order ? "order" : "customer", &error)
             ? NULL
             : g_strdup (error->message);
}

/* Why a row of an order is bad; NULL: it is not, on its own. */
static char *
find_fault (TallGrouper *self, const TallCsvRow *row, TallRowFault *fault)
{
  const TallOrderCursor *cursor = &self->cursor;
  *fault = (TallRowFault){ name_column (self, row->column), row->kind };
  if (row->reason != NULL)
    return g_strdup (row->reason);
  if (cursor->row_order == NULL)
    return describe_number (self, cursor->order_source, row, fault);
  if (cursor->row_customer == NULL)
    return describe_number (self, cursor->customer_source, row, fault);
  return NULL;
}

/* An unreadable row that does not clearly belong to the order under construction is in its middle
 * if that goes on after it. */
static void
push_order (TallGrouper *self, const TallCsvRow *row)
{
  TallRowFault fault;
  TallOrderPlace place = tall_order_cursor_step (&self->cursor, row);
  g_autofree char *reason = find_fault (self, row, &fault);
  if (place == TALL_PLACE_STRAY || place == TALL_PLACE_NAMELESS)
    {
      reject_row (self, row, &fault, reason);
      if (self->open)
        self->gap_line = row->line;
      return;
    }
  if (place == TALL_PLACE_NEW)
    begin_order (self, row->line);
  push_order_row (self, row, &fault, reason);
}

/* Remembers a customer. Returns whether it came before. */
static gboolean
came_before (TallGrouper *self, const char *number)
{
  guint8 digest[TALL_MD5_SIZE];
  tall_md5 (tall_slice_str (number), digest);
  return !tall_digest_set_add (self->customers, digest);
}

static TallLoadItem *
make_customer (TallGrouper *self, const TallCsvRow *row, TallRowFault *fault, char **reason)
{
  g_autoptr (GError) error = NULL;
  const TallMappingSource *source =
      tall_order_cursor_find_source (self->mapping, tall_csv_field_is_customer_number);
  *fault = (TallRowFault){ name_column (self, row->column), row->kind };
  *reason =
      row->reason != NULL ? g_strdup (row->reason) : describe_number (self, source, row, fault);
  if (*reason != NULL)
    return NULL;
  const char *number = tall_mapping_get_value (self->mapping, source, row->fields, row->n_fields);
  if (came_before (self, number))
    {
      fault->kind = KIND_TWICE;
      *reason = g_strdup_printf ("customer %s came earlier in this file", number);
      return NULL;
    }
  g_autoptr (TallLoadItem) item = tall_load_item_new ();
  item->customer = tall_row_make_customer (self->mapping, number, row, fault, &error);
  if (item->customer == NULL)
    {
      *reason = g_strdup (error->message);
      return NULL;
    }
  tall_load_item_add_row (item, row->line, row->raw);
  return g_steal_pointer (&item);
}

static void
push_customer (TallGrouper *self, const TallCsvRow *row)
{
  TallRowFault fault;
  g_autofree char *reason = NULL;
  TallLoadItem *item = make_customer (self, row, &fault, &reason);
  if (item != NULL)
    self->emit (item, self->data);
  else
    reject_row (self, row, &fault, reason);
}

/**
 * tall_grouper_push:
 * @row: the next row of the file, good or bad
 */
void
tall_grouper_push (TallGrouper *self, const TallCsvRow *row)
{
  if (self->customers != NULL)
    push_customer (self, row);
  else
    push_order (self, row);
}

/**
 * tall_grouper_finish:
 *
 * The file has ended: emits the last order.
 */
void
tall_grouper_finish (TallGrouper *self)
{
  finish_order (self);
}
