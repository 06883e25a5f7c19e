/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/spool.h"

#include "load/sql/temp-db.h"
#include "tall-error.h"

/* A row is
 *
 *     u8   form
 *     u64  line
 *     u64  blame
 *     PLAIN:  its text to the end: a delimiter between two fields, as in most rows
 *     FULL:   u32 length of its text, and that; then of each field u32 length, and its text
 *     MARK:   nothing: the row itself was rejected
 */
typedef enum
{
  PLAIN,
  FULL,
  MARK,
} Form;

void
tall_spool_row_init (TallSpoolRow *self)
{
  self->bytes = g_byte_array_new ();
  self->text = g_byte_array_new ();
  self->fields = g_ptr_array_new ();
}

void
tall_spool_row_clear (TallSpoolRow *self)
{
  g_byte_array_unref (self->bytes);
  g_byte_array_unref (self->text);
  g_ptr_array_unref (self->fields);
}

static void
append_text (GByteArray *bytes, TallSlice text)
{
  tall_bytes_append_u32 (bytes, (guint32)text.len);
  tall_bytes_append (bytes, text);
}

/* Whether splitting the raw bytes at each delimiter gives the fields. */
static gboolean
is_plain (const TallCsvRow *row, char delimiter)
{
  gsize at = 0;
  for (guint i = 0; i < row->n_fields; i++)
    {
      gsize len = strlen (row->fields[i]);
      gboolean last = i + 1 == row->n_fields;
      if (row->raw.len - at < len + !last || memcmp (row->raw.data + at, row->fields[i], len) != 0
          || memchr (row->fields[i], delimiter, len) != NULL
          || (!last && row->raw.data[at + len] != (guint8)delimiter))
        return FALSE;
      at += len + !last;
    }
  return row->n_fields > 0 && at == row->raw.len;
}

static void
append_full (GByteArray *bytes, const TallCsvRow *row)
{
  append_text (bytes, row->raw);
  for (guint i = 0; i < row->n_fields; i++)
    append_text (bytes, tall_slice_str (row->fields[i]));
}

/**
 * tall_spool_row_encode:
 * @row: a good row; or a bad one, of which only a mark is kept
 * @blame: line of the row for which the whole order is rejected; 0: none so far
 * @delimiter: of the file
 *
 * Returns: the bytes, which are valid until the next call
 */
TallSlice
tall_spool_row_encode (TallSpoolRow *self, const TallCsvRow *row, guint64 blame, char delimiter)
{
  Form form = row->reason != NULL ? MARK : is_plain (row, delimiter) ? PLAIN : FULL;
  g_byte_array_set_size (self->bytes, 0);
  tall_bytes_append_u8 (self->bytes, (guint8)form);
  tall_bytes_append_u64 (self->bytes, row->line);
  tall_bytes_append_u64 (self->bytes, blame);
  if (form == PLAIN)
    tall_bytes_append (self->bytes, row->raw);
  else if (form == FULL)
    append_full (self->bytes, row);
  return tall_slice_array (self->bytes);
}

static TallSlice
take_text (TallReader *reader)
{
  return tall_reader_take (reader, tall_reader_u32 (reader));
}

/* Adds a field to the texts; the pointers follow when all texts are there. */
static void
add_field (TallSpoolRow *self, TallSlice text)
{
  g_ptr_array_add (self->fields, GSIZE_TO_POINTER (self->text->len));
  tall_bytes_append (self->text, text);
  tall_bytes_append_u8 (self->text, 0);
}

static void
split_raw (TallSpoolRow *self, TallSlice raw, char delimiter)
{
  const guint8 *end = raw.data + raw.len, *stop;
  for (const guint8 *at = raw.data;; at = stop + 1)
    {
      stop = at < end ? memchr (at, delimiter, (gsize)(end - at)) : NULL;
      add_field (self, tall_slice (at, (gsize)((stop != NULL ? stop : end) - at)));
      if (stop == NULL)
        return;
    }
}

/**
 * tall_spool_row_decode:
 * @bytes: of tall_spool_row_encode(); the text of @row lies in them
 * @row: (out): a good row; of a bad one nothing but the line
 * @blame: (out): as it was given
 *
 * Returns: FALSE if these are other bytes
 */
gboolean
tall_spool_row_decode (
    TallSpoolRow *self, TallSlice bytes, char delimiter, TallCsvRow *row, guint64 *blame)
{
  TallReader reader = tall_reader (bytes);
  Form form = (Form)tall_reader_u8 (&reader);
  *row = (TallCsvRow){ .line = tall_reader_u64 (&reader), .column = TALL_CSV_NO_COLUMN };
  *blame = tall_reader_u64 (&reader);
  g_byte_array_set_size (self->text, 0);
  g_ptr_array_set_size (self->fields, 0);
  if (form == PLAIN && !reader.failed)
    {
      row->raw = tall_reader_take (&reader, reader.rest.len);
      split_raw (self, row->raw, delimiter);
    }
  else if (form == FULL)
    row->raw = take_text (&reader);
  while (form == FULL && reader.rest.len > 0 && !reader.failed)
    add_field (self, take_text (&reader));

  for (guint i = 0; i < self->fields->len; i++)
    self->fields->pdata[i] = self->text->data + GPOINTER_TO_SIZE (self->fields->pdata[i]);
  row->fields = (const char *const *)self->fields->pdata;
  row->n_fields = self->fields->len;
  return tall_reader_done (&reader) && form <= MARK;
}

struct _TallSpool
{
  TallTempDb *db; /* NULL: nothing was put */
  sqlite3_stmt *put;
  sqlite3_stmt *read; /* NULL: it is filled */
  TallSpoolPlace place;
  char *folder;
  guint64 count;
  gsize bytes; /* of keys and values */
};

/**
 * tall_spool_new:
 * @place: where it goes; its text is copied
 */
TallSpool *
tall_spool_new (const TallSpoolPlace *place)
{
  TallSpool *self = g_new0 (TallSpool, 1);
  self->place = *place;
  self->folder = g_strdup (place->folder);
  return self;
}

void
tall_spool_free (TallSpool *self)
{
  if (self == NULL)
    return;
  sqlite3_finalize (self->put);
  sqlite3_finalize (self->read);
  tall_temp_db_free (self->db);
  g_free (self->folder);
  g_free (self);
}

static gboolean
begin (TallSpool *self, GError **error)
{
  if (self->db != NULL)
    return TRUE;
  self->db = tall_temp_db_new (self->folder, error);
  if (self->db == NULL
      || !tall_temp_db_run (self->db, "CREATE TABLE t(key BLOB, value BLOB); BEGIN", error))
    return FALSE;
  self->put = tall_temp_db_prepare (self->db, "INSERT INTO t VALUES(?1, ?2)");
  return TRUE;
}

/* Before the rows take room in the folder. */
static gboolean
announce (TallSpool *self, gsize added, GError **error)
{
  gsize before = self->bytes;
  self->bytes += added;
  if (before > TALL_TEMP_DB_MEMORY || self->bytes <= TALL_TEMP_DB_MEMORY)
    return TRUE;
  if (!tall_temp_folder_check (self->folder, error))
    return FALSE;
  if (self->place.announce != NULL)
    self->place.announce (self->folder, MAX (self->place.estimate, self->bytes), self->place.data);
  return TRUE;
}

/**
 * tall_spool_put:
 *
 * Puts an entry. Of several with the same key all stay.
 *
 * Returns: FALSE with %TALL_ERROR_UNAVAILABLE, as when the disk is full
 */
gboolean
tall_spool_put (TallSpool *self, TallSlice key, TallSlice value, GError **error)
{
  if (!begin (self, error) || !announce (self, key.len + value.len, error))
    return FALSE;
  sqlite3_bind_blob64 (self->put, 1, key.data, key.len, SQLITE_STATIC);
  sqlite3_bind_blob64 (self->put, 2, value.data, value.len, SQLITE_STATIC);
  gboolean ok =
      sqlite3_step (self->put) == SQLITE_DONE || tall_temp_db_set_failure (self->db, error);
  sqlite3_reset (self->put);
  self->count++;
  return ok;
}

/**
 * tall_spool_next:
 * @key: (out): of the next entry, in the order of the keys; valid until the next call
 * @value: (out): likewise
 *
 * Nothing can be put any more.
 *
 * Returns: TRUE if there is one; FALSE at the end, and with %TALL_ERROR_UNAVAILABLE after a failure
 */
gboolean
tall_spool_next (TallSpool *self, TallSlice *key, TallSlice *value, GError **error)
{
  if (self->db == NULL)
    return FALSE;
  if (self->read == NULL)
    self->read = tall_temp_db_prepare (self->db, "SELECT key, value FROM t ORDER BY key");
  int code = sqlite3_step (self->read);
  if (code != SQLITE_ROW && code != SQLITE_DONE)
    return tall_temp_db_set_failure (self->db, error);
  for (int i = 0; i < 2 && code == SQLITE_ROW; i++)
    *(i == 0 ? key : value) = tall_slice (sqlite3_column_blob (self->read, i),
                                          (gsize)sqlite3_column_bytes (self->read, i));
  return code == SQLITE_ROW;
}

/* What is read is not what was put. */
void
tall_spool_set_damaged (const TallSpool *self, GError **error)
{
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
               "Rows that were put aside in %s come back damaged; check its disk, or name another "
               "folder with --spool",
               self->folder);
}
