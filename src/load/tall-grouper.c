/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-grouper.h"
#include "tall-digest-set.h"
#include "tall-draft.h"
#include "tall-error.h"

/* Bytes of the file that the rows of one order may take: they are kept until it is stored. */
#define MAX_ORDER_BYTES (64 * 1024 * 1024)

#define TALLY_SIBLING "another row of the same order was rejected"
#define TALLY_CAME_BACK "the order came earlier in the file; its rows have to follow each other"

/* The customer of an order number is not known: no number has a control character. */
#define UNKNOWN_CUSTOMER "\001"

struct _TallGrouper
{
  const TallMapping *mapping; /* not owned */
  const char *const *columns; /* not owned */
  TallRejects *rejects;       /* not owned */
  TallGrouperEmit emit;
  gpointer data;
  const TallMappingSource *customer_source;
  const TallMappingSource *order_source; /* NULL for customers */

  TallDigestSet *seen; /* orders, or customers, that began before */
  guint64 n_unknown;   /* of them those whose customer is unknown */

  gboolean open;         /* an order is under construction: */
  char *customer_number; /* NULL: unknown */
  char *order_number;
  TallDraft *draft;    /* NULL once the order is rejected */
  TallLoadItem *item;  /* its rows so far */
  gboolean came_back;  /* the order came earlier */
  guint64 failed_line; /* where the row is that it was rejected for; 0: not rejected */
  guint64 gap_line;    /* where an unreadable row came last; 0: none since the last good one */

  char *suspect_number; /* the order that an unreadable row seems to belong to; NULL: none */
  guint64 suspect_line; /* where that row is */
};

static const TallMappingSource *
find_source (const TallMapping *mapping, TallFieldType type)
{
  for (guint i = 0; i < mapping->sources->len; i++)
    if (tall_mapping_get_source (mapping, i)->field->type == type)
      return tall_mapping_get_source (mapping, i);
  return NULL;
}

/**
 * tall_grouper_new:
 * @mapping: bound to the file; stays the caller's
 * @columns: the names in the file's header; stay the caller's
 * @emit: called by push and finish for every order or customer
 */
TallGrouper *
tall_grouper_new (const TallMapping *mapping,
                  const char *const *columns,
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
  self->customer_source = find_source (mapping, TALL_FIELD_CUSTOMER_NUMBER);
  self->order_source = find_source (mapping, TALL_FIELD_ORDER_NUMBER);
  self->seen = tall_digest_set_new ();
  return self;
}

static void
close_order (TallGrouper *self)
{
  g_clear_pointer (&self->customer_number, g_free);
  g_clear_pointer (&self->order_number, g_free);
  g_clear_pointer (&self->draft, tall_draft_free);
  g_clear_pointer (&self->item, tall_load_item_free);
  self->open = self->came_back = FALSE;
  self->failed_line = self->gap_line = 0;
}

void
tall_grouper_free (TallGrouper *self)
{
  if (self == NULL)
    return;
  close_order (self);
  g_free (self->suspect_number);
  tall_digest_set_free (self->seen);
  g_free (self);
}

static void
reject_row (TallGrouper *self,
            const TallCsvRow *row,
            const char *column,
            const char *reason,
            const char *tally)
{
  TallReject reject = { row->line, column, reason, tally, row->raw };
  tall_rejects_add (self->rejects, &reject);
}

static void
compute_digest (const char *customer, const char *order, guint8 digest[TALL_MD5_SIZE])
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  tall_bytes_append (bytes, tall_slice_str (customer));
  tall_bytes_append_u8 (bytes, 0);
  tall_bytes_append (bytes, tall_slice_str (order));
  tall_md5 (tall_slice_array (bytes), digest);
}

/* Remembers an order. Returns whether it was there before, or may have been. */
static gboolean
remember_order (TallGrouper *self, const char *customer, const char *order)
{
  guint8 digest[TALL_MD5_SIZE];
  gboolean came_back = FALSE;
  if (self->n_unknown > 0 && customer != NULL)
    {
      compute_digest (UNKNOWN_CUSTOMER, order, digest);
      came_back = tall_digest_set_contains (self->seen, digest);
    }
  compute_digest (customer != NULL ? customer : UNKNOWN_CUSTOMER, order, digest);
  gboolean is_new = tall_digest_set_add (self->seen, digest);
  if (is_new && customer == NULL)
    self->n_unknown++;
  return came_back || !is_new;
}

static char *
describe_sibling (TallGrouper *self)
{
  return g_strdup_printf ("order %s is rejected because of line %" G_GUINT64_FORMAT,
                          self->order_number, self->failed_line);
}

/* Rejects the order under construction, all rows so far, because of the row in @line. */
static void
fail_order (TallGrouper *self, guint64 line)
{
  if (self->failed_line != 0)
    return;
  self->failed_line = line;
  g_clear_pointer (&self->draft, tall_draft_free);
  g_autofree char *reason = describe_sibling (self);
  tall_load_item_reject (self->item, self->rejects, reason, TALLY_SIBLING);
}

static void
finish_order (TallGrouper *self)
{
  if (self->open && self->failed_line == 0 && !self->came_back)
    {
      TallLoadItem *item = g_steal_pointer (&self->item);
      item->order = tall_draft_finish (self->draft);
      self->emit (item, self->data);
    }
  close_order (self);
}

/* The text of a number in @row; NULL, with the reason, if it has none that is valid. */
static const char *
read_number (TallGrouper *self,
             const TallMappingSource *source,
             const TallCsvRow *row,
             const char *what,
             char **reason)
{
  g_autoptr (GError) error = NULL;
  const char *text = tall_mapping_get_value (self->mapping, source, row->fields, row->n_fields);
  if (text == NULL)
    *reason = g_strdup_printf ("there is no %s number", what);
  else if (!tall_validate_number (text, what, &error))
    *reason = g_strdup (error->message);
  else
    return text;
  return NULL;
}

static gboolean
belongs_to_order (TallGrouper *self, const char *customer, const char *order)
{
  return self->open && order != NULL && g_str_equal (order, self->order_number)
         && (customer == NULL || self->customer_number == NULL
             || g_str_equal (customer, self->customer_number));
}

static void
begin_order (TallGrouper *self, const char *customer, const char *order)
{
  finish_order (self);
  self->open = TRUE;
  self->customer_number = g_strdup (customer);
  self->order_number = g_strdup (order);
  self->item = tall_load_item_new ();
  self->came_back = remember_order (self, customer, order);
  if (customer != NULL && !self->came_back)
    self->draft = tall_draft_new (self->mapping, customer, order);

  if (self->suspect_number != NULL && g_str_equal (self->suspect_number, order))
    fail_order (self, self->suspect_line);
  g_clear_pointer (&self->suspect_number, g_free);
}

static void
add_row (TallGrouper *self, const TallCsvRow *row)
{
  g_autoptr (GError) error = NULL;
  const char *column = NULL;
  if (self->item->raw->len + row->raw.len > MAX_ORDER_BYTES)
    g_set_error (&error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
                 "the rows of order %s take more than %d bytes", self->order_number,
                 MAX_ORDER_BYTES);
  else if (tall_draft_add_row (self->draft, row, &column, &error))
    {
      tall_load_item_add_row (self->item, row->line, row->raw);
      return;
    }
  reject_row (self, row, column, error->message, NULL);
  fail_order (self, row->line);
}

/* A row that tells its order, but may still be bad in itself: then @reason and @column say why. */
static void
push_order_row (TallGrouper *self, const TallCsvRow *row, const char *column, const char *reason)
{
  if (self->gap_line != 0)
    fail_order (self, self->gap_line);
  self->gap_line = 0;

  if (reason != NULL)
    {
      reject_row (self, row, column, reason, NULL);
      fail_order (self, row->line);
    }
  else if (self->came_back)
    {
      g_autofree char *text = g_strdup_printf (
          "order %s came earlier in this file; the rows of one order have to follow each other",
          self->order_number);
      reject_row (self, row, NULL, text, TALLY_CAME_BACK);
    }
  else if (self->failed_line != 0)
    {
      g_autofree char *text = describe_sibling (self);
      reject_row (self, row, NULL, text, TALLY_SIBLING);
    }
  else
    add_row (self, row);
}

/* An unreadable row that is not clearly one of the order under construction. If that order goes on
 * after it, the row was in its middle; if the order that it seems to name comes next, it was that
 * one's first. */
static void
push_stray_row (TallGrouper *self, const TallCsvRow *row, const char *order)
{
  reject_row (self, row, NULL, row->reason, NULL);
  if (self->open)
    self->gap_line = row->line;
  g_free (self->suspect_number);
  self->suspect_number = g_strdup (order);
  self->suspect_line = row->line;
}

static const char *
name_column (TallGrouper *self, gint column)
{
  return column == TALL_CSV_NO_COLUMN ? NULL : self->columns[column];
}

static void
push_order (TallGrouper *self, const TallCsvRow *row)
{
  g_autofree char *customer_reason = NULL;
  g_autofree char *order_reason = NULL;
  const char *customer =
      read_number (self, self->customer_source, row, "customer", &customer_reason);
  const char *order = read_number (self, self->order_source, row, "order", &order_reason);
  const char *column = name_column (self, row->column);
  const char *reason = row->reason;
  if (reason == NULL && order == NULL)
    {
      column = self->order_source->column;
      reason = order_reason;
    }
  else if (reason == NULL && customer == NULL)
    {
      column = self->customer_source->column;
      reason = customer_reason;
    }

  gboolean belongs = belongs_to_order (self, customer, order);
  if (row->reason != NULL && column == NULL && !belongs)
    {
      push_stray_row (self, row, order);
      return;
    }
  if (order == NULL)
    {
      reject_row (self, row, column, reason, NULL);
      if (self->open)
        self->gap_line = row->line;
      return;
    }
  if (!belongs)
    begin_order (self, customer, order);
  push_order_row (self, row, column, reason);
}

static void
push_customer (TallGrouper *self, const TallCsvRow *row)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *reason = NULL;
  const char *column = self->customer_source->column;
  if (row->reason != NULL)
    {
      reject_row (self, row, name_column (self, row->column), row->reason, NULL);
      return;
    }
  const char *number = read_number (self, self->customer_source, row, "customer", &reason);
  if (number != NULL && remember_order (self, number, ""))
    reason = g_strdup_printf ("customer %s came earlier in this file", number);
  if (reason != NULL)
    {
      reject_row (self, row, column, reason, NULL);
      return;
    }
  g_autoptr (TallLoadItem) item = tall_load_item_new ();
  item->customer = tall_draft_customer (self->mapping, number, row, &column, &error);
  if (item->customer == NULL)
    {
      reject_row (self, row, column, error->message, NULL);
      return;
    }
  tall_load_item_add_row (item, row->line, row->raw);
  self->emit (g_steal_pointer (&item), self->data);
}

/**
 * tall_grouper_push:
 * @row: the next row of the file, good or bad
 */
void
tall_grouper_push (TallGrouper *self, const TallCsvRow *row)
{
  if (self->order_source == NULL)
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
