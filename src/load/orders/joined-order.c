/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/joined-order.h"
#include "load/orders/join-key.h"
#include "load/orders/joined-row.h"
#include "load/orders/order-cursor.h"
#include "load/orders/row-check.h"

struct _TallJoinedOrder
{
  const TallLoadFiles *files; /* not owned */
  const TallJoin *join;       /* not owned */
  TallSpool *spool;           /* not owned */
  TallAssembler *assembler;   /* not owned */
  GByteArray *spool_key;      /* of what is looked up */
  TallJoinedRow joined;
  TallRowCheck joined_check;

  const char *key;     /* that joins its rows; not owned */
  gboolean is_open;    /* it has a header, good or bad */
  gboolean is_failed;  /* it is rejected */
  guint n_lines;       /* it has so many, good or bad */
  guint64 header_line; /* where its header is */
  guint header_file;
};

/**
 * tall_joined_order_new:
 * @spool: in which rows are looked up; stays the caller's, as the others do
 */
TallJoinedOrder *
tall_joined_order_new (const TallLoadFiles *files,
                       const TallJoin *join,
                       TallSpool *spool,
                       TallAssembler *assembler)
{
  TallJoinedOrder *self = g_new0 (TallJoinedOrder, 1);
  self->files = files;
  self->join = join;
  self->spool = spool;
  self->assembler = assembler;
  self->spool_key = g_byte_array_new ();
  self->joined_check = (TallRowCheck){ join->mapping, (const char *const *)join->columns->pdata };
  tall_joined_row_init (&self->joined, join);
  return self;
}

void
tall_joined_order_free (TallJoinedOrder *self)
{
  if (self == NULL)
    return;
  tall_joined_row_clear (&self->joined);
  g_byte_array_unref (self->spool_key);
  g_free (self);
}

static char
get_delimiter (const TallJoinedOrder *self, guint file)
{
  return tall_load_files_get (self->files, file)->mapping->dialect.delimiter;
}

/* Fetches the row that another looks up. Returns NULL, or why there is none. */
static char *
look_up (TallJoinedOrder *self, guint kind, GError **error)
{
  guint64 blame = 0;
  const TallJoinKind *wanted = &self->join->kinds[kind];
  const char *key =
      tall_joined_row_get_field (&self->joined, (guint)wanted->from, wanted->from_index);
  tall_joined_row_empty (&self->joined, kind);
  if (*key == '\0')
    return NULL;
  g_autoptr (GByteArray) found = g_byte_array_new ();
  tall_join_key_look_up (self->spool_key, (guint8)kind, key);
  if (!tall_spool_find (self->spool, tall_slice_array (self->spool_key), found, error))
    return g_strdup_printf ("%s has no row with %s = %s", wanted->file->name, wanted->file->key,
                            key);
  if (!tall_joined_row_set (&self->joined, kind, tall_slice_array (found), get_delimiter (self, 0),
                            &blame))
    tall_spool_set_damaged (self->spool, error);
  else if (!self->joined.parts[kind].present)
    return g_strdup_printf ("the row of %s with %s = %s is rejected", wanted->file->name,
                            wanted->file->key, key);
  return NULL;
}

/* Fetches what a header, or a line, looks up. */
static char *
look_all_up (TallJoinedOrder *self, gboolean of_line, TallRowFault *fault, GError **error)
{
  char *reason = NULL;
  for (guint i = 0; i < self->join->n_kinds && reason == NULL; i++)
    {
      const TallJoinKind *kind = &self->join->kinds[i];
      if (kind->from < 0 || kind->of_line != of_line)
        continue;
      *fault = (TallRowFault){ kind->file->from_column, "the row that is looked up is missing" };
      reason = look_up (self, i, error);
    }
  return reason;
}

static void
fail (TallJoinedOrder *self, const TallCsvRow *row, guint64 line)
{
  tall_assembler_fail (self->assembler, line, row->file_name);
  self->is_failed = TRUE;
}

/* Opens an order, which is rejected: its rows follow. */
static void
open_failed (TallJoinedOrder *self, const TallCsvRow *row, guint64 line)
{
  tall_assembler_begin (self->assembler, self->join->mapping, NULL, self->key);
  self->is_open = TRUE;
  fail (self, row, line);
}

/* Why a header, with what it looks up, does not make an order; NULL: it does. */
static char *
find_header_fault (TallJoinedOrder *self,
                   const TallCsvRow *joined,
                   TallRowFault *fault,
                   const TallMappingSource **customer,
                   const TallMappingSource **order)
{
  const TallMapping *mapping = self->join->mapping;
  *customer = tall_order_cursor_find_source (mapping, tall_csv_field_is_customer_number);
  *order = tall_order_cursor_find_source (mapping, tall_csv_field_is_order_number);
  char *reason = tall_row_check_number (&self->joined_check, *order, joined, fault);
  return reason != NULL ? reason
                        : tall_row_check_number (&self->joined_check, *customer, joined, fault);
}

static void
begin_order (TallJoinedOrder *self, const TallCsvRow *row, GError **error)
{
  TallCsvRow joined;
  TallRowFault fault = { NULL, NULL };
  const TallMapping *mapping = self->join->mapping;
  const TallMappingSource *customer, *order;
  for (guint i = 0; i < self->join->n_kinds; i++)
    if (i != self->join->headers)
      tall_joined_row_empty (&self->joined, i);
  g_autofree char *reason = look_all_up (self, FALSE, &fault, error);
  if (*error != NULL)
    return;
  tall_joined_row_make (&self->joined, self->join->headers, &joined);
  if (reason == NULL)
    reason = find_header_fault (self, &joined, &fault, &customer, &order);
  if (reason != NULL)
    {
      tall_assembler_reject (self->assembler, row, &fault, reason);
      open_failed (self, row, row->line);
      return;
    }
  tall_assembler_begin (self->assembler, mapping,
                        tall_mapping_get_value (mapping, customer, joined.fields, joined.n_fields),
                        tall_mapping_get_value (mapping, order, joined.fields, joined.n_fields));
  self->is_open = TRUE;
  if (self->join->lines < 0)
    tall_assembler_push (self->assembler, mapping, &joined);
  else
    tall_assembler_add_part (self->assembler, row);
}

static void
reject_second_header (TallJoinedOrder *self, const TallCsvRow *row)
{
  const TallLoadFile *file = tall_load_files_get (self->files, self->header_file);
  TallRowFault fault = { self->join->kinds[self->join->headers].file->key,
                         "the order has another header" };
  g_autofree char *place = tall_csv_describe_line (self->header_line, file->name);
  g_autofree char *reason = g_strdup_printf ("the order has another header in %s", place);
  tall_assembler_reject (self->assembler, row, &fault, reason);
  fail (self, row, row->line);
}

/* @row: of the spool; no fields: a bad one was rejected */
static void
push_header (TallJoinedOrder *self, const TallCsvRow *row, guint64 blame, GError **error)
{
  if (row->n_fields == 0 || blame != 0)
    {
      if (!self->is_open)
        open_failed (self, row, blame);
      else
        fail (self, row, blame);
      if (row->n_fields > 0)
        tall_assembler_add_part (self->assembler, row);
    }
  else if (self->is_open)
    reject_second_header (self, row);
  else
    begin_order (self, row, error);
  self->header_line = row->line;
  self->header_file = row->file;
}

static void
reject_line (TallJoinedOrder *self, const TallCsvRow *row)
{
  const TallMappingFile *headers = self->join->kinds[self->join->headers].file;
  TallRowFault fault = { self->join->kinds[self->join->lines].file->key,
                         "there is no header for the line" };
  g_autofree char *reason =
      g_strdup_printf ("%s has no row with %s = %s", headers->name, headers->key, self->key);
  tall_assembler_reject (self->assembler, row, &fault, reason);
}

/* A value of the header, or of what that looks up, that does not fit is the header's fault. */
static void
add_line (TallJoinedOrder *self, const TallCsvRow *row)
{
  g_autoptr (GError) error = NULL;
  TallCsvRow joined;
  TallRowFault fault;
  const char *header = tall_load_files_get (self->files, self->header_file)->name;
  tall_joined_row_make (&self->joined, (guint)self->join->lines, &joined);
  if (self->is_failed)
    tall_assembler_push (self->assembler, self->join->mapping, &joined);
  if (self->is_failed
      || tall_assembler_try (self->assembler, self->join->mapping, &joined, &fault, &error))
    return;
  gint kind = tall_join_find_kind (self->join, fault.column);
  if (kind < 0 || kind == self->join->lines || self->join->kinds[kind].of_line)
    {
      tall_assembler_reject (self->assembler, row, &fault, error->message);
      fail (self, row, row->line);
      return;
    }
  tall_assembler_blame_first (self->assembler, &fault, error->message, header);
  self->is_failed = TRUE;
  tall_assembler_push (self->assembler, self->join->mapping, &joined);
}

static void
push_line (TallJoinedOrder *self, const TallCsvRow *row, guint64 blame, GError **error)
{
  self->n_lines++;
  if (!self->is_open)
    {
      if (row->n_fields > 0)
        reject_line (self, row);
      return;
    }
  if (blame != 0)
    fail (self, row, blame);
  if (row->n_fields == 0)
    return;
  TallRowFault fault;
  g_autofree char *reason = self->is_failed ? NULL : look_all_up (self, TRUE, &fault, error);
  if (reason != NULL)
    {
      tall_assembler_reject (self->assembler, row, &fault, reason);
      fail (self, row, row->line);
      return;
    }
  add_line (self, row);
}

/* Its rows have ended, if there were any. A header has lines, if the mapping has a file of them. */
void
tall_joined_order_finish (TallJoinedOrder *self)
{
  if (self->is_open && !self->is_failed && self->join->lines >= 0 && self->n_lines == 0)
    {
      const TallMappingFile *lines = self->join->kinds[self->join->lines].file;
      g_autofree char *reason =
          g_strdup_printf ("%s has no row with %s = %s", lines->name, lines->key, self->key);
      tall_assembler_drop (self->assembler, "there is no line for the header", reason);
    }
  tall_assembler_finish (self->assembler);
  self->is_open = self->is_failed = FALSE;
  self->n_lines = 0;
}

/**
 * tall_joined_order_begin:
 * @key: that joins its rows; stays the caller's until the next order begins
 *
 * The one before is finished.
 */
void
tall_joined_order_begin (TallJoinedOrder *self, const char *key)
{
  self->key = key;
}

/**
 * tall_joined_order_push:
 * @place: file and line of the row
 * @value: the row as the spool has it
 *
 * Takes the next row of the order: its header, then its lines.
 *
 * Returns: FALSE with an error if what the spool has is damaged, or cannot be read
 */
gboolean
tall_joined_order_push (TallJoinedOrder *self,
                        const TallCsvRow *place,
                        TallSlice value,
                        GError **error)
{
  guint64 blame;
  guint kind = tall_load_files_get (self->files, place->file)->kind;
  TallCsvRow *row = &self->joined.parts[kind].row;
  if (!tall_joined_row_set (&self->joined, kind, value, get_delimiter (self, place->file), &blame))
    {
      tall_spool_set_damaged (self->spool, error);
      return FALSE;
    }
  row->file = place->file;
  row->file_name = place->file_name;
  if (kind == self->join->headers)
    push_header (self, row, blame, error);
  else
    push_line (self, row, blame, error);
  return *error == NULL;
}
