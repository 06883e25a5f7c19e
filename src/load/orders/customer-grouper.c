/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/customer-grouper.h"
#include "load/mapping/survey.h"
#include "tall-error.h"
#include "model/md5.h"
#include "load/orders/order-cursor.h"
#include "load/orders/spool.h"

#define MIB ((gsize)1024 * 1024)
#define SEEN_SIZE (32 * MIB)
#define DOUBTFUL_SIZE (16 * MIB)

#define KIND_TWICE "the customer came earlier in the file"

/* A key of the spool is the customer's number and a NUL byte, then this. Of every row of a doubtful
 * customer there is a mark, and of those that were not emitted at once also the row. */
#define TAIL_SIZE (sizeof (guint32) + sizeof (guint64) + 1) /* u32 file, u64 line, u8 */
#define TAIL_MARK 0
#define TAIL_ROW 1

struct _TallCustomerGrouper
{
  const TallLoadFiles *files;      /* not owned */
  TallRowCheck check;              /* of the file that is being read */
  const TallMappingSource *source; /* of the customer's number */
  TallRejects *rejects;            /* not owned */
  TallAssemblerEmit emit;
  gpointer data;

  TallDigestFilter *seen;     /* customers that came before */
  TallDigestFilter *doubtful; /* those that perhaps came twice; NULL: none */
  gsize doubtful_size;        /* bytes */
  TallSpool *spool;           /* their rows */
  TallSpoolRow codec;
  GByteArray *key;
  GByteArray *group; /* begin of the keys of the customer that is being read from the spool … */
  guint first_file;  /* … and the place of its first row */
  guint64 first_line;
};

/**
 * tall_customer_grouper_new:
 * @files: of customers; stay the caller's
 * @place: where the spool goes; its texts stay the caller's
 * @emit: called by push and finish for every customer
 */
TallCustomerGrouper *
tall_customer_grouper_new (const TallLoadFiles *files,
                           const TallSpoolPlace *place,
                           TallRejects *rejects,
                           TallAssemblerEmit emit,
                           gpointer data)
{
  TallCustomerGrouper *self = g_new0 (TallCustomerGrouper, 1);
  self->files = files;
  self->spool = tall_spool_new (place);
  self->rejects = rejects;
  self->emit = emit;
  self->data = data;
  self->seen = tall_digest_filter_new (SEEN_SIZE);
  self->doubtful_size = DOUBTFUL_SIZE;
  self->key = g_byte_array_new ();
  self->group = g_byte_array_new ();
  tall_spool_row_init (&self->codec);
  tall_customer_grouper_begin_file (self, 0);
  return self;
}

void
tall_customer_grouper_shrink (TallCustomerGrouper *self, gsize bytes)
{
  tall_digest_filter_free (self->seen);
  self->seen = tall_digest_filter_new (bytes);
  self->doubtful_size = bytes;
}

/* The rows that follow are of that file. */
void
tall_customer_grouper_begin_file (TallCustomerGrouper *self, guint file)
{
  const TallLoadFile *begun = tall_load_files_get (self->files, file);
  self->check = (TallRowCheck){ begun->mapping, tall_csv_reader_get_columns (begun->reader) };
  self->source = tall_order_cursor_find_source (begun->mapping, tall_csv_field_is_customer_number);
}

void
tall_customer_grouper_free (TallCustomerGrouper *self)
{
  if (self == NULL)
    return;
  tall_digest_filter_free (self->seen);
  tall_digest_filter_free (self->doubtful);
  tall_spool_free (self->spool);
  tall_spool_row_clear (&self->codec);
  g_byte_array_unref (self->key);
  g_byte_array_unref (self->group);
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

static const char *
get_number (const TallCustomerGrouper *self, const TallCsvRow *row)
{
  return tall_mapping_get_value (self->check.mapping, self->source, row->fields, row->n_fields);
}

static void
emit_row (TallCustomerGrouper *self, const TallCsvRow *row)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallLoadItem) item = tall_load_item_new ();
  TallRowFault fault;
  item->customer =
      tall_row_make_customer (self->check.mapping, get_number (self, row), row, &fault, &error);
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

static gboolean
put (TallCustomerGrouper *self, const TallCsvRow *row, guint8 tail, GError **error)
{
  const char *number = get_number (self, row);
  char delimiter = self->check.mapping->dialect.delimiter;
  tall_bytes_set (self->key, tall_slice (number, strlen (number) + 1));
  tall_bytes_append_u32 (self->key, row->file);
  tall_bytes_append_u64 (self->key, row->line);
  tall_bytes_append_u8 (self->key, tail);
  TallSlice value = tail == TAIL_ROW ? tall_spool_row_encode (&self->codec, row, 0, delimiter)
                                     : tall_slice ("", 0);
  return tall_spool_put (self->spool, tall_slice_array (self->key), value, error);
}

/**
 * tall_customer_grouper_push:
 * @row: the next row of the file, good or bad
 *
 * Returns: FALSE with %TALL_ERROR_UNAVAILABLE if the row cannot be put aside
 */
gboolean
tall_customer_grouper_push (TallCustomerGrouper *self, const TallCsvRow *row, GError **error)
{
  TallRowFault fault;
  g_autofree char *reason = find_fault (self, row, &fault);
  if (reason != NULL)
    {
      reject (self, row, &fault, reason);
      return TRUE;
    }
  guint8 digest[TALL_DIGEST_SIZE];
  tall_md5 (tall_slice_str (get_number (self, row)), digest);
  if (tall_digest_filter_add (self->seen, digest))
    {
      emit_row (self, row);
      return TRUE;
    }
  if (self->doubtful == NULL)
    self->doubtful = tall_digest_filter_new (self->doubtful_size);
  tall_digest_filter_add (self->doubtful, digest);
  return put (self, row, TAIL_ROW, error);
}

/* Marks each row of the doubtful customers in a file. */
static gboolean
mark_rows (TallCustomerGrouper *self, guint file, GError **error)
{
  TallCsvRow row;
  TallCsvStep step;
  TallCsvReader *reader = tall_load_files_get (self->files, file)->reader;
  tall_customer_grouper_begin_file (self, file);
  if (!tall_csv_reader_rewind (reader, error))
    return FALSE;
  while ((step = tall_csv_reader_next (reader, &row, error)) == TALL_CSV_ROW)
    {
      TallRowFault fault;
      guint8 digest[TALL_DIGEST_SIZE];
      g_autofree char *reason = find_fault (self, &row, &fault);
      if (reason != NULL)
        continue;
      tall_md5 (tall_slice_str (get_number (self, &row)), digest);
      if (tall_digest_filter_contains (self->doubtful, digest)
          && !put (self, &row, TAIL_MARK, error))
        return FALSE;
    }
  return step == TALL_CSV_END;
}

static gboolean
read_row (TallCustomerGrouper *self, guint file, TallSlice value, GError **error)
{
  TallCsvRow row;
  guint64 blame;
  TallRowFault fault = { self->source->column, KIND_TWICE };
  if (file >= tall_load_files_count (self->files)
      || !tall_spool_row_decode (&self->codec, value, self->check.mapping->dialect.delimiter, &row,
                                 &blame))
    {
      tall_spool_set_damaged (self->spool, error);
      return FALSE;
    }
  row.file = file;
  row.file_name = tall_load_files_get (self->files, file)->name;
  tall_customer_grouper_begin_file (self, file);
  const char *number = get_number (self, &row);
  g_autofree char *reason = g_strdup_printf ("customer %s came earlier in %s", number,
                                             row.file_name != NULL ? "these files" : "this file");
  if (file == self->first_file && row.line == self->first_line)
    emit_row (self, &row);
  else
    reject (self, &row, &fault, reason);
  return TRUE;
}

static gboolean
read_entry (TallCustomerGrouper *self, TallSlice key, TallSlice value, GError **error)
{
  gsize group_len = key.len - MIN (key.len, TAIL_SIZE);
  TallSlice group = tall_slice (key.data, group_len);
  TallReader tail = tall_reader (tall_slice (key.data + group_len, key.len - group_len));
  guint file = tall_reader_u32 (&tail);
  guint64 line = tall_reader_u64 (&tail);
  if (!tall_slice_equal (group, tall_slice_array (self->group)))
    {
      tall_bytes_set (self->group, group);
      self->first_file = file;
      self->first_line = line;
    }
  return tall_reader_u8 (&tail) == TAIL_MARK || read_row (self, file, value, error);
}

/**
 * tall_customer_grouper_finish:
 * @tick: (nullable): called with the data of @emit for each row of a doubtful customer
 *
 * The files, which were kept before their first rows, have ended: emits, or rejects, the rows whose
 * customers perhaps came before.
 *
 * Returns: FALSE with an error if the file or the spool cannot be read, and if @tick stops it
 */
gboolean
tall_customer_grouper_finish (TallCustomerGrouper *self, TallSpoolTick tick, GError **error)
{
  g_autoptr (GError) local = NULL;
  TallSlice key, value;
  if (tall_spool_count (self->spool) == 0)
    return TRUE;
  for (guint i = 0; i < tall_load_files_count (self->files); i++)
    if (!mark_rows (self, i, error))
      return FALSE;
  if (!tall_spool_seek (self->spool, tall_slice ("", 0), error))
    return FALSE;
  while (tall_spool_next (self->spool, &key, &value, &local))
    if ((tick != NULL && !tick (self->data, error)) || !read_entry (self, key, value, error))
      return FALSE;
  if (local == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}
