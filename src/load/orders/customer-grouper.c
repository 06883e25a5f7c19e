/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/grouper.h"

#include "load/orders/assembler.h"
#include "load/sql/temp-db.h"
#include "model/canonical.h"
#include "tall-error.h"

#define CREATE "CREATE TABLE t(number TEXT PRIMARY KEY, digest BLOB, n INT) WITHOUT ROWID; BEGIN"

/* Gives how many rows are the same; nothing if this one differs. */
#define INSERT                                                                                     \
  "INSERT INTO t VALUES(?1, ?2, 1) ON CONFLICT DO UPDATE SET n = n + 1 "                           \
  "WHERE digest = excluded.digest RETURNING n"

struct _TallCustomerGrouper
{
  const TallLoadFiles *files;        /* not owned */
  TallRowCheck check;                /* of the file that is being read */
  const TallMappingSource *customer; /* of its number */
  const TallMappingSource *order;    /* of orders that are deleted; NULL: customers are */
  TallRejects *rejects;              /* not owned */
  TallAssemblerEmit emit;
  gpointer data;
  TallTempDb *seen; /* customers that came before, by number; NULL: rows name what is deleted */
  sqlite3_stmt *insert;
  TallLoadItem *named; /* by the last rows; NULL: none */
};

/* @emit: called by push and finish. */
TallCustomerGrouper *
tall_customer_grouper_new_deleting (const TallLoadFiles *files,
                                    TallRejects *rejects,
                                    TallAssemblerEmit emit,
                                    gpointer data)
{
  TallCustomerGrouper *self = g_new0 (TallCustomerGrouper, 1);
  self->files = files;
  self->rejects = rejects;
  self->emit = emit;
  self->data = data;
  tall_customer_grouper_begin_file (self, 0);
  return self;
}

/* @files: of customers; stay the caller's. @folder: (nullable): where the numbers go that do not
 * fit into memory; NULL: where such files usually go. @emit: called by push for every customer.
 * Returns: NULL with an error if there is no memory */
TallCustomerGrouper *
tall_customer_grouper_new (const TallLoadFiles *files,
                           const char *folder,
                           TallRejects *rejects,
                           TallAssemblerEmit emit,
                           gpointer data,
                           GError **error)
{
  g_autoptr (TallTempDb) seen = tall_temp_db_new (folder, error);
  if (seen == NULL || !tall_temp_db_run (seen, CREATE, error))
    return NULL;
  TallCustomerGrouper *self = tall_customer_grouper_new_deleting (files, rejects, emit, data);
  self->seen = g_steal_pointer (&seen);
  self->insert = tall_temp_db_prepare (self->seen, INSERT);
  return self;
}

/* The rows that follow are of that file. */
void
tall_customer_grouper_begin_file (TallCustomerGrouper *self, guint file)
{
  const TallLoadFile *begun = tall_load_files_get (self->files, file);
  self->check = tall_row_check_make (begun);
  self->customer =
      tall_order_cursor_find_source (begun->mapping, tall_csv_field_is_customer_number);
  self->order = tall_order_cursor_find_source (begun->mapping, tall_csv_field_is_order_number);
}

void
tall_customer_grouper_free (TallCustomerGrouper *self)
{
  if (self == NULL)
    return;
  sqlite3_finalize (self->insert);
  tall_temp_db_free (self->seen);
  g_clear_pointer (&self->named, tall_load_item_free);
  g_free (self);
}

/* Why a row has not the numbers that it needs; NULL: it has. */
static char *
find_fault (const TallCustomerGrouper *self, const TallCsvRow *row, TallRowFault *fault)
{
  char *reason = tall_row_check_readable (&self->check, row, fault);
  if (reason == NULL)
    reason = tall_row_check_number (&self->check, self->customer, row, fault);
  if (reason == NULL && self->order != NULL)
    reason = tall_row_check_number (&self->check, self->order, row, fault);
  return reason;
}

/* @count: (out) 1: the customer is new; more: all rows of it are the same so far; 0: it came with
 * another content. Returns: FALSE with an error if the numbers do not go where they should */
static gboolean
count (TallCustomerGrouper *self, const TallCustomer *customer, int *count, GError **error)
{
  guint8 digest[TALL_MD5_SIZE];
  g_autoptr (TallArena) arena = tall_arena_new (0);
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

/* @customer: (transfer full). */
static gboolean
take (TallCustomerGrouper *self, const TallCsvRow *row, TallCustomer *customer, GError **error)
{
  g_autoptr (TallLoadItem) item = tall_load_item_new ();
  int n;
  item->customer = customer;
  if (!count (self, customer, &n, error))
    return FALSE;
  if (n > 0)
    {
      tall_load_item_add_row (item, row);
      g_array_index (item->rows, TallItemRow, 0).is_repeated = n > 1;
      self->emit (g_steal_pointer (&item), self->data);
      return TRUE;
    }
  g_autofree char *reason =
      g_strdup_printf ("customer %s came earlier in %s, and differs", customer->number,
                       row->file_name != NULL ? "these files" : "this file");
  tall_rejects_add_row (self->rejects, row, self->customer->column,
                        "the customer came earlier, and differs", reason);
  return TRUE;
}

/* Emits what the last rows name. */
void
tall_customer_grouper_finish (TallCustomerGrouper *self)
{
  if (self->named != NULL)
    self->emit (g_steal_pointer (&self->named), self->data);
}

/* What the row names is often what the row before names. */
static void
take_named (TallCustomerGrouper *self, const TallCsvRow *row, const char *customer)
{
  const char *order =
      self->order == NULL ? NULL : tall_mapping_read (self->check.mapping, self->order, row);
  const TallLoadItem *named = self->named;
  gboolean is_same =
      named != NULL
      && (order != NULL ? g_str_equal (named->order->order_number, order)
                              && g_str_equal (named->order->customer_number, customer)
                        : g_str_equal (named->customer->number, customer));
  if (!is_same)
    {
      tall_customer_grouper_finish (self);
      self->named = tall_load_item_new ();
      if (order != NULL)
        self->named->order = tall_order_new (customer, order);
      else
        self->named->customer = tall_customer_new (customer);
    }
  tall_load_item_add_row (self->named, row);
}

/* Takes the next row of the file, good or bad. Returns: FALSE with %TALL_ERROR_UNAVAILABLE if the
 * customer's number cannot be kept */
gboolean
tall_customer_grouper_push (TallCustomerGrouper *self, const TallCsvRow *row, GError **error)
{
  TallRowFault fault;
  g_autoptr (GError) cause = NULL;
  g_autofree char *reason = find_fault (self, row, &fault);
  if (reason != NULL)
    {
      tall_rejects_add_row (self->rejects, row, fault.column, fault.kind, reason);
      return TRUE;
    }
  const char *number = tall_mapping_read (self->check.mapping, self->customer, row);
  if (self->seen == NULL)
    {
      take_named (self, row, number);
      return TRUE;
    }
  TallCustomer *customer =
      tall_row_make_customer (self->check.mapping, number, row, &fault, &cause);
  if (customer != NULL)
    return take (self, row, customer, error);
  tall_rejects_add_row (self->rejects, row, fault.column, fault.kind, cause->message);
  return TRUE;
}
