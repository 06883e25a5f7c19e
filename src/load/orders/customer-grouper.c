/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/customer-grouper.h"

#include "load/orders/order-cursor.h"
#include "load/sql/temp-db.h"
#include "tall-error.h"

struct _TallCustomerGrouper
{
  const TallLoadFiles *files;      /* not owned */
  TallRowCheck check;              /* of the file that is being read */
  const TallMappingSource *source; /* of the customer's number */
  TallRejects *rejects;            /* not owned */
  TallAssemblerEmit emit;
  gpointer data;
  TallTempDb *seen; /* numbers that came before */
  sqlite3_stmt *insert;
};

/**
 * tall_customer_grouper_new:
 * @files: of customers; stay the caller's
 * @folder: (nullable): where the numbers go that do not fit into memory; NULL: where such files
 *   usually go
 * @emit: called by push for every customer
 *
 * Returns: (transfer full): NULL with an error if there is no memory
 */
TallCustomerGrouper *
tall_customer_grouper_new (const TallLoadFiles *files,
                           const char *folder,
                           TallRejects *rejects,
                           TallAssemblerEmit emit,
                           gpointer data,
                           GError **error)
{
  g_autoptr (TallTempDb) seen = tall_temp_db_new (folder, error);
  if (seen == NULL
      || !tall_temp_db_run (seen, "CREATE TABLE t(number TEXT PRIMARY KEY) WITHOUT ROWID; BEGIN",
                            error))
    return NULL;
  TallCustomerGrouper *self = g_new0 (TallCustomerGrouper, 1);
  self->files = files;
  self->rejects = rejects;
  self->emit = emit;
  self->data = data;
  self->seen = g_steal_pointer (&seen);
  self->insert = tall_temp_db_prepare (self->seen, "INSERT OR IGNORE INTO t VALUES(?1)");
  tall_customer_grouper_begin_file (self, 0);
  return self;
}

/* The rows that follow are of that file. */
void
tall_customer_grouper_begin_file (TallCustomerGrouper *self, guint file)
{
  const TallLoadFile *begun = tall_load_files_get (self->files, file);
  self->check = tall_row_check_make (begun);
  self->source = tall_order_cursor_find_source (begun->mapping, tall_csv_field_is_customer_number);
}

void
tall_customer_grouper_free (TallCustomerGrouper *self)
{
  if (self == NULL)
    return;
  sqlite3_finalize (self->insert);
  tall_temp_db_free (self->seen);
  g_free (self);
}

static void
reject (TallCustomerGrouper *self,
        const TallCsvRow *row,
        const TallRowFault *fault,
        const char *reason)
{
  TallReject reject = { row->file, row->line, fault->column, fault->kind, reason, row->raw };
  tall_rejects_add (self->rejects, &reject);
}

static void
emit_row (TallCustomerGrouper *self, const TallCsvRow *row, const char *number)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallLoadItem) item = tall_load_item_new ();
  TallRowFault fault;
  item->customer = tall_row_make_customer (self->check.mapping, number, row, &fault, &error);
  if (item->customer == NULL)
    {
      reject (self, row, &fault, error->message);
      return;
    }
  tall_load_item_add_row (item, row);
  self->emit (g_steal_pointer (&item), self->data);
}

/* Why a row cannot be a customer's; NULL: it can. */
static char *
find_fault (const TallCustomerGrouper *self, const TallCsvRow *row, TallRowFault *fault)
{
  char *reason = tall_row_check_readable (&self->check, row, fault);
  return reason != NULL ? reason : tall_row_check_number (&self->check, self->source, row, fault);
}

/* Returns FALSE with an error if the numbers do not go where they should. */
static gboolean
add_number (TallCustomerGrouper *self, const char *number, gboolean *is_new, GError **error)
{
  sqlite3_bind_text (self->insert, 1, number, -1, SQLITE_STATIC);
  gboolean ok = tall_temp_db_put (self->seen, self->insert, error);
  *is_new = sqlite3_changes (tall_temp_db_get (self->seen)) > 0;
  return ok;
}

/**
 * tall_customer_grouper_push:
 * @row: the next row of the file, good or bad
 *
 * Returns: FALSE with %TALL_ERROR_UNAVAILABLE if the customer's number cannot be kept
 */
gboolean
tall_customer_grouper_push (TallCustomerGrouper *self, const TallCsvRow *row, GError **error)
{
  TallRowFault fault;
  gboolean is_new;
  g_autofree char *reason = find_fault (self, row, &fault);
  if (reason != NULL)
    {
      reject (self, row, &fault, reason);
      return TRUE;
    }
  const char *number =
      tall_mapping_get_value (self->check.mapping, self->source, row->fields, row->n_fields);
  if (!add_number (self, number, &is_new, error))
    return FALSE;
  if (is_new)
    {
      emit_row (self, row, number);
      return TRUE;
    }
  fault = (TallRowFault){ self->source->column, "the customer came earlier in the file" };
  reason = g_strdup_printf ("customer %s came earlier in %s", number,
                            row->file_name != NULL ? "these files" : "this file");
  reject (self, row, &fault, reason);
  return TRUE;
}
