/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/grouper.h"

#include "load/sql/temp-db.h"
#include "base/fail.h"
#include "tall-limits.h"

/* Rows of one number and of no known customer come before all others of that number. */
enum
{
  NUMBER,
  CUSTOMER, /* empty if it is not known */
  FILE_OF_ROW,
  LINE,
  BLAME, /* line of the row for which the order is rejected; 0: none so far */
  TEXT,  /* of a good row; NULL: the row is rejected already, and rejects its order */
};
#define CREATE "CREATE TABLE t(number, customer, file, line, blame, text); BEGIN"
#define PUT "INSERT INTO t VALUES(?1, ?2, ?3, ?4, ?5, ?6)"
#define READ "SELECT * FROM t ORDER BY number, customer, file, line"

/* Bytes that a row takes beside its text and its order's number, about. */
#define PLACE_SIZE 24

struct _TallOrderSpool
{
  const TallLoadFiles *files; /* not owned */
  TallSpoolPlace place;
  TallTempDb *db; /* NULL: nothing was put */
  sqlite3_stmt *put;
  sqlite3_stmt *read; /* NULL: rows are put */
  gsize bytes;        /* of all rows */
  guint64 n_rows;     /* good ones that were put … */
  guint64 n_read;     /* … and have been assembled */

  /* The order whose rows are read: */
  char number[TALL_MAX_NUMBER_BYTES + 1];
  char customer[TALL_MAX_NUMBER_BYTES + 1];

  char spoiled_number[TALL_MAX_NUMBER_BYTES + 1]; /* of an order that has a row without a customer;
                                                   * empty: none was read … */
  guint64 spoiled_line;                           /* … and the line of that row … */
  const char *spoiled_file;
};

/* @files: whose rows come; stay the caller's. @place: where the rows go; its texts stay the
 * caller's. */
TallOrderSpool *
tall_order_spool_new (const TallLoadFiles *files, const TallSpoolPlace *place)
{
  TallOrderSpool *self = g_new0 (TallOrderSpool, 1);
  self->files = files;
  self->place = *place;
  return self;
}

void
tall_order_spool_free (TallOrderSpool *self)
{
  if (self == NULL)
    return;
  sqlite3_finalize (self->put);
  sqlite3_finalize (self->read);
  tall_temp_db_free (self->db);
  g_free (self);
}

static gboolean
begin (TallOrderSpool *self, GError **error)
{
  if (self->db != NULL)
    return TRUE;
  self->db = tall_temp_db_new (self->place.folder, error);
  if (self->db == NULL || !tall_temp_db_run (self->db, CREATE, error))
    return FALSE;
  self->put = tall_temp_db_prepare (self->db, PUT);
  return TRUE;
}

/* Before the rows take room in the folder. */
static gboolean
announce (TallOrderSpool *self, gsize added, GError **error)
{
  gsize before = self->bytes;
  self->bytes += added;
  if (before > TALL_TEMP_DB_MEMORY || self->bytes <= TALL_TEMP_DB_MEMORY)
    return TRUE;
  if (!tall_temp_folder_check (self->place.folder, error))
    return FALSE;
  if (self->place.announce != NULL)
    self->place.announce (self->place.folder, MAX (self->place.estimate, self->bytes),
                          self->place.data);
  return TRUE;
}

/* Puts a good row aside until its order is complete; or, of a bad row, which is rejected already, a
 * mark, which rejects the order. @customer: (nullable): NULL if a bad row has no valid one. @blame:
 * line of the row for which the order is rejected; 0: none so far. Returns: FALSE with
 * %TALL_ERROR_UNAVAILABLE if the spool takes no more */
gboolean
tall_order_spool_put (TallOrderSpool *self,
                      const char *customer,
                      const char *order,
                      const TallCsvRow *row,
                      guint64 blame,
                      GError **error)
{
  gboolean is_good = row->reason == NULL;
  gsize size = strlen (order) + PLACE_SIZE + (is_good ? row->raw.len : 0);
  if (!begin (self, error) || !announce (self, size, error))
    return FALSE;
  self->n_rows += is_good;
  sqlite3_bind_text (self->put, 1 + NUMBER, order, -1, SQLITE_STATIC);
  sqlite3_bind_text (self->put, 1 + CUSTOMER, customer != NULL ? customer : "", -1, SQLITE_STATIC);
  sqlite3_bind_int64 (self->put, 1 + FILE_OF_ROW, row->file);
  sqlite3_bind_int64 (self->put, 1 + LINE, (gint64)row->line);
  sqlite3_bind_int64 (self->put, 1 + BLAME, (gint64)blame);
  if (is_good)
    sqlite3_bind_blob64 (self->put, 1 + TEXT, row->raw.data, row->raw.len, SQLITE_STATIC);
  else
    sqlite3_bind_null (self->put, 1 + TEXT);
  return tall_temp_db_put (self->db, self->put, error);
}

/* What is read is not what was put. */
static gboolean
set_damaged (const TallOrderSpool *self, GError **error)
{
  return tall_error_fail (
      error, TALL_ERROR_DAMAGED,
      "Rows that were put aside in %s come back damaged; check its disk, or name another "
      "folder with --spool",
      self->place.folder);
}

/* Takes the row that was read to its order. A row without a customer spoils all orders of its
 * number.
 */
static gboolean
take_row (TallOrderSpool *self, TallAssembler *assembler, GError **error)
{
  TallCsvRow row;
  const char *number = (const char *)sqlite3_column_text (self->read, NUMBER);
  const char *customer = (const char *)sqlite3_column_text (self->read, CUSTOMER);
  guint64 line = (guint64)sqlite3_column_int64 (self->read, LINE);
  guint64 blame = (guint64)sqlite3_column_int64 (self->read, BLAME);
  guint64 i = (guint64)sqlite3_column_int64 (self->read, FILE_OF_ROW);
  if (number == NULL || customer == NULL || i >= tall_load_files_count (self->files))
    return set_damaged (self, error);
  const TallLoadFile *file = tall_load_files_get (self->files, (guint)i);
  if (!g_str_equal (number, self->number) || !g_str_equal (customer, self->customer))
    {
      g_strlcpy (self->number, number, sizeof self->number);
      g_strlcpy (self->customer, customer, sizeof self->customer);
      tall_assembler_begin (assembler, file->mapping, *customer != '\0' ? customer : NULL, number);
      if (*customer == '\0')
        {
          g_strlcpy (self->spoiled_number, number, sizeof self->spoiled_number);
          self->spoiled_line = line;
          self->spoiled_file = file->name;
        }
      else if (g_str_equal (self->spoiled_number, number))
        tall_assembler_fail (assembler, self->spoiled_line, self->spoiled_file);
    }
  if (blame != 0)
    tall_assembler_fail (assembler, blame, file->name);
  if (sqlite3_column_type (self->read, TEXT) == SQLITE_NULL)
    return TRUE;
  tall_csv_reader_parse (file->reader,
                         tall_slice (sqlite3_column_blob (self->read, TEXT),
                                     (gsize)sqlite3_column_bytes (self->read, TEXT)),
                         &row);
  if (row.reason != NULL)
    return set_damaged (self, error);
  row.line = line;
  tall_assembler_push (assembler, file->mapping, &row);
  self->n_read++;
  return TRUE;
}

/* Assembles all orders. Nothing can be put any more. @tick: (nullable): called with @data. Returns:
 * FALSE with %TALL_ERROR_UNAVAILABLE or %TALL_ERROR_DAMAGED if the spool cannot be read, or, with
 * what @tick says, if that stops it */
gboolean
tall_order_spool_drain (TallOrderSpool *self,
                        TallAssembler *assembler,
                        TallSpoolTick tick,
                        gpointer data,
                        GError **error)
{
  if (self->db == NULL)
    return TRUE;
  int code;
  self->read = tall_temp_db_prepare (self->db, READ);
  while ((code = sqlite3_step (self->read)) == SQLITE_ROW)
    if ((tick != NULL && !tick (data, error)) || !take_row (self, assembler, error))
      return FALSE;
  tall_assembler_finish (assembler);
  return code == SQLITE_DONE || tall_temp_db_set_failure (self->db, error);
}

/* How many rows have been assembled, and how many there are. */
void
tall_order_spool_get_progress (const TallOrderSpool *self, guint64 *done, guint64 *all)
{
  *done = self->n_read;
  *all = self->n_rows;
}
