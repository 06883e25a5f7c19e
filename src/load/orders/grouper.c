/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/grouper.h"

#include "load/sql/temp-db.h"
#include "model/canonical.h"
#include "tall-error.h"

#define CREATE "CREATE TABLE t(number TEXT PRIMARY KEY, digest BLOB, n INT) WITHOUT ROWID; BEGIN"

/* Gives how many rows are the same; nothing if this one differs. */
#define INSERT                                                                                     \
  "INSERT INTO t VALUES(?1, ?2, 1) ON CONFLICT DO UPDATE SET n = n + 1 "                           \
  "WHERE digest = excluded.digest RETURNING n"

struct _TallGrouper
{
  const TallLoadFiles *files; /* not owned */
  const TallLoadFile *file;   /* that is being read */
  TallRejects *rejects;       /* not owned */
  TallAssemblerEmit emit;
  gpointer data;
  TallOrderCursor cursor;

  /* Of orders: */
  TallSurvey *survey;       /* not owned */
  TallAssembler *assembler; /* of the orders that are assembled as they come, then of the others;
                             * NULL: rows are not of orders */
  TallOrderSpool *spool;
  gboolean apart;  /* the rows that are being read go there */
  guint64 gap;     /* where an unreadable row came last; 0: none since the order began */
  guint64 garbled; /* where a row came that is perhaps one of the next order; 0: nowhere */

  /* Of customers: */
  const char *folder; /* not owned */
  TallTempDb *seen;   /* those that came before, by number; NULL: none */
  sqlite3_stmt *insert;

  /* Of what is deleted: */
  gboolean deletes;
  TallLoadItem *named; /* by the last rows; NULL: none */
};

/* @files: stay the caller's. @survey: (nullable): of the same files, of orders; stays the caller's;
 * NULL: rows of an order follow each other. @place: (nullable): where rows are put aside; its texts
 * stay the caller's; NULL: the rows name what is deleted. @emit: called by push and finish for
 * every order or customer. */
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
  self->emit = emit;
  self->data = data;
  self->deletes = place == NULL;
  tall_grouper_begin_file (self, 0);
  if (place != NULL && self->file->mapping->kind == TALL_MAPPING_ORDERS)
    {
      self->assembler = tall_assembler_new (rejects, emit, data);
      self->spool = tall_order_spool_new (files, place);
    }
  else if (place != NULL)
    self->folder = place->folder;
  return self;
}

void
tall_grouper_free (TallGrouper *self)
{
  if (self == NULL)
    return;
  tall_assembler_free (self->assembler);
  tall_order_spool_free (self->spool);
  sqlite3_finalize (self->insert);
  tall_temp_db_free (self->seen);
  tall_load_item_free (self->named);
  g_free (self);
}

/* The rows that follow are of that file. */
void
tall_grouper_begin_file (TallGrouper *self, guint file)
{
  self->file = tall_load_files_get (self->files, file);
  tall_order_cursor_init (&self->cursor, self->file->mapping);
  self->garbled = 0;
}

/* Why a row is bad; NULL: it is not, on its own. The cursor has looked at the numbers of orders. */
static char *
find_fault (const TallGrouper *self, const TallCsvRow *row, TallRowFault *fault)
{
  const TallOrderCursor *cursor = &self->cursor;
  gboolean is_known = self->assembler != NULL;
  char *reason = tall_row_find_fault (self->file, row, fault);
  if (reason == NULL && cursor->order_source != NULL && (!is_known || cursor->row_order == NULL))
    reason = tall_row_find_number_fault (self->file, cursor->order_source, row, fault);
  if (reason == NULL && (!is_known || cursor->row_customer == NULL))
    reason = tall_row_find_number_fault (self->file, cursor->customer_source, row, fault);
  return reason;
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
    tall_assembler_begin (self->assembler, self->file->mapping, customer, cursor->order_number);
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
    tall_assembler_push (self->assembler, self->file->mapping, row);
  return TRUE;
}

static gboolean
push_of_order (TallGrouper *self, const TallCsvRow *row, TallOrderPlace place, GError **error)
{
  if (place == TALL_PLACE_STRAY || place == TALL_PLACE_NAMELESS)
    return push_stray (self, row, error);
  if (place == TALL_PLACE_NEW)
    begin_order (self);
  return push_row (self, row, error);
}

static gboolean
open_seen (TallGrouper *self, GError **error)
{
  if (self->seen != NULL)
    return TRUE;
  g_autoptr (TallTempDb) seen = tall_temp_db_new (self->folder, error);
  if (seen == NULL || !tall_temp_db_run (seen, CREATE, error))
    return FALSE;
  self->insert = tall_temp_db_prepare (seen, INSERT);
  self->seen = g_steal_pointer (&seen);
  return TRUE;
}

/* @count: (out) 1: the customer is new; more: all rows of it are the same so far; 0: it came with
 * another content. Returns: FALSE with an error if the numbers do not go where they should */
static gboolean
count (TallGrouper *self, const TallCustomer *customer, int *count, GError **error)
{
  guint8 digest[TALL_MD5_SIZE];
  g_autoptr (TallArena) arena = tall_arena_new (0);
  if (!open_seen (self, error))
    return FALSE;
  tall_md5 (tall_customer_to_canonical (customer, arena), digest);
  sqlite3_bind_text (self->insert, 1, customer->number, -1, SQLITE_STATIC);
  sqlite3_bind_blob (self->insert, 2, digest, sizeof digest, SQLITE_STATIC);
  int code = sqlite3_step (self->insert);
  *count = code == SQLITE_ROW ? sqlite3_column_int (self->insert, 0) : 0;
  gboolean ok =
      code == SQLITE_ROW || code == SQLITE_DONE || tall_temp_db_set_failure (self->seen, error);
  sqlite3_reset (self->insert);
  return ok;
}

/* Of several rows of a customer the first counts. */
static gboolean
push_customer (TallGrouper *self, const TallCsvRow *row, const char *number, GError **error)
{
  TallRowFault fault;
  int n;
  g_autoptr (GError) cause = NULL;
  g_autoptr (TallLoadItem) item = tall_load_item_new ();
  item->customer = tall_row_make_customer (self->file->mapping, number, row, &fault, &cause);
  if (item->customer == NULL)
    {
      tall_rejects_add (self->rejects, row, fault.column, fault.kind, cause->message);
      return TRUE;
    }
  if (!count (self, item->customer, &n, error))
    return FALSE;
  if (n > 0)
    {
      tall_load_item_add_row (item, row);
      g_array_index (item->rows, TallItemRow, 0).is_repeated = n > 1;
      self->emit (g_steal_pointer (&item), self->data);
      return TRUE;
    }
  g_autofree char *reason = g_strdup_printf ("customer %s came earlier in %s, and differs", number,
                                             row->file_name != NULL ? "these files" : "this file");
  tall_rejects_add (self->rejects, row, self->cursor.customer_source->column,
                    "the customer came earlier, and differs", reason);
  return TRUE;
}

static void
emit_named (TallGrouper *self)
{
  if (self->named != NULL)
    self->emit (g_steal_pointer (&self->named), self->data);
}

/* What the row names is often what the row before names. */
static void
push_named (TallGrouper *self, const TallCsvRow *row, const char *customer)
{
  const TallMappingSource *source = self->cursor.order_source;
  const char *order = source != NULL ? tall_mapping_read (self->file->mapping, source, row) : NULL;
  const TallLoadItem *named = self->named;
  gboolean is_same =
      named != NULL
      && (order != NULL ? g_str_equal (named->order->order_number, order)
                              && g_str_equal (named->order->customer_number, customer)
                        : g_str_equal (named->customer->number, customer));
  if (!is_same)
    {
      emit_named (self);
      self->named = tall_load_item_new ();
      if (order != NULL)
        self->named->order = tall_order_new (customer, order);
      else
        self->named->customer = tall_customer_new (customer);
    }
  tall_load_item_add_row (self->named, row);
}

/* @row: the next row of the file, good or bad. Returns: FALSE with %TALL_ERROR_UNAVAILABLE if the
 * row, or its customer's number, cannot be put aside */
gboolean
tall_grouper_push (TallGrouper *self, const TallCsvRow *row, GError **error)
{
  TallRowFault fault;
  TallCsvRow checked = *row;
  TallOrderPlace place =
      self->assembler != NULL ? tall_order_cursor_step (&self->cursor, row) : TALL_PLACE_NEW;
  g_autofree char *reason = find_fault (self, row, &fault);
  checked.reason = reason;
  if (reason != NULL)
    tall_rejects_add (self->rejects, row, fault.column, fault.kind, reason);
  if (self->assembler != NULL)
    return push_of_order (self, &checked, place, error);
  if (reason != NULL)
    return TRUE;
  const char *customer = tall_mapping_read (self->file->mapping, self->cursor.customer_source, row);
  if (!self->deletes)
    return push_customer (self, row, customer, error);
  push_named (self, row, customer);
  return TRUE;
}

/* The files have ended: emits what is left, and the orders whose rows were put aside. @tick:
 * (nullable): called with the data of @emit for each of these rows. Returns: FALSE with an error if
 * they cannot be read, and if @tick stops it */
gboolean
tall_grouper_finish (TallGrouper *self, TallSpoolTick tick, GError **error)
{
  emit_named (self);
  if (self->assembler == NULL)
    return TRUE;
  tall_assembler_finish (self->assembler);
  return tall_order_spool_drain (self->spool, self->assembler, tick, self->data, error);
}

/* How many of the rows that were put aside have been assembled, and how many there are. */
void
tall_grouper_get_progress (const TallGrouper *self, guint64 *done, guint64 *all)
{
  tall_order_spool_get_progress (self->spool, done, all);
}
