/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-joiner.h"
#include "tall-joined-row.h"
#include "tall-order-cursor.h"
#include "tall-row-check.h"

#define MAX_KEY 1024 /* bytes */
#define TAIL_SIZE (sizeof (guint32) + sizeof (guint64))

/* Keys of the spool are
 *
 *     u8   section: rows that are looked up, then those of orders
 *     u8   kind of file                     in the first section
 *     key  and a NUL byte
 *     u8   kind of file                     in the second: headers come before lines
 *     u32  file
 *     u64  line
 */
#define SECTION_LOOKED_UP 1
#define SECTION_ORDERS 2

struct _TallJoiner
{
  const TallLoadFiles *files; /* not owned */
  const TallJoin *join;       /* not owned */
  TallRejects *rejects;       /* not owned */
  gpointer data;
  TallSpool *spool;
  TallSpoolRow codec;
  TallAssembler *assembler;

  TallRowCheck check; /* of the file that is being read */
  char *last_key;     /* of the row before; NULL: there was none */
  guint64 gap;        /* line of an unreadable row after it; 0: none */
  GByteArray *key;

  GByteArray *group; /* begin of the keys of what is read from the spool */
  TallJoinedRow joined;
  TallRowCheck joined_check;
  gboolean is_open;    /* an order is: it has a header, good or bad */
  gboolean is_failed;  /* it is rejected */
  guint n_lines;       /* it has so many lines, good or bad */
  guint64 header_line; /* where its header is */
  guint header_file;
};

/**
 * tall_joiner_new:
 * @files: stay the caller's
 * @join: of @files; stays the caller's
 * @place: where the rows go; its texts stay the caller's
 * @emit: called by finish for every order
 */
TallJoiner *
tall_joiner_new (const TallLoadFiles *files,
                 const TallJoin *join,
                 const TallSpoolPlace *place,
                 TallRejects *rejects,
                 TallAssemblerEmit emit,
                 gpointer data)
{
  TallJoiner *self = g_new0 (TallJoiner, 1);
  self->files = files;
  self->join = join;
  self->rejects = rejects;
  self->data = data;
  self->spool = tall_spool_new (place);
  self->assembler = tall_assembler_new (rejects, emit, data);
  self->key = g_byte_array_new ();
  self->group = g_byte_array_new ();
  self->joined_check = (TallRowCheck){ join->mapping, (const char *const *)join->columns->pdata };
  tall_spool_row_init (&self->codec);
  tall_joined_row_init (&self->joined, join);
  return self;
}

void
tall_joiner_free (TallJoiner *self)
{
  if (self == NULL)
    return;
  tall_assembler_free (self->assembler);
  tall_spool_free (self->spool);
  tall_spool_row_clear (&self->codec);
  tall_joined_row_clear (&self->joined);
  g_byte_array_unref (self->key);
  g_byte_array_unref (self->group);
  g_free (self->last_key);
  g_free (self);
}

/* The rows that follow are of that file. */
void
tall_joiner_begin_file (TallJoiner *self, guint file)
{
  const TallLoadFile *begun = tall_load_files_get (self->files, file);
  self->check = (TallRowCheck){ begun->mapping, tall_csv_reader_get_columns (begun->reader) };
  g_clear_pointer (&self->last_key, g_free);
}

static char
get_delimiter (const TallJoiner *self, guint file)
{
  return tall_load_files_get (self->files, file)->mapping->dialect.delimiter;
}

static const TallJoinKind *
get_kind (const TallJoiner *self, const TallCsvRow *row)
{
  return &self->join->kinds[tall_load_files_get (self->files, row->file)->kind];
}

/* The key of a row, good or bad; NULL: it has none that can be read. */
static const char *
read_key (const TallJoinKind *kind, const TallCsvRow *row)
{
  if (row->n_fields <= kind->key || row->column == (gint)kind->key)
    return NULL;
  const char *key = row->fields[kind->key];
  return *key != '\0' && strlen (key) <= MAX_KEY ? key : NULL;
}

/* Why a row cannot be joined; NULL: it can. */
static char *
find_fault (TallJoiner *self, const TallCsvRow *row, const char *key, TallRowFault *fault)
{
  const TallJoinKind *kind = get_kind (self, row);
  char *reason = tall_row_check_readable (&self->check, row, fault);
  if (reason != NULL || key != NULL)
    return reason;
  *fault = (TallRowFault){ kind->file->key, "there is no key" };
  if (*row->fields[kind->key] == '\0')
    return g_strdup_printf ("there is no %s", kind->file->key);
  fault->kind = "the key is too long";
  return g_strdup_printf ("the %s is longer than %d bytes", kind->file->key, MAX_KEY);
}

static gboolean
put (TallJoiner *self, const char *key, const TallCsvRow *row, guint64 blame, GError **error)
{
  guint8 kind = (guint8)tall_load_files_get (self->files, row->file)->kind;
  gboolean is_looked_up = self->join->kinds[kind].from >= 0;
  g_byte_array_set_size (self->key, 0);
  tall_bytes_append_u8 (self->key, is_looked_up ? SECTION_LOOKED_UP : SECTION_ORDERS);
  if (is_looked_up)
    tall_bytes_append_u8 (self->key, kind);
  tall_bytes_append (self->key, tall_slice (key, strlen (key) + 1));
  if (!is_looked_up)
    tall_bytes_append_u8 (self->key, kind != self->join->headers);
  tall_bytes_append_u32 (self->key, row->file);
  tall_bytes_append_u64 (self->key, row->line);
  return tall_spool_put (
      self->spool, tall_slice_array (self->key),
      tall_spool_row_encode (&self->codec, row, blame, get_delimiter (self, row->file)), error);
}

/**
 * tall_joiner_push:
 * @row: the next row of the file, good or bad
 *
 * A bad row that names its order rejects that. One that does not belongs to the order whose rows
 * stand before and after it.
 *
 * Returns: FALSE with %TALL_ERROR_UNAVAILABLE if the row cannot be put aside
 */
gboolean
tall_joiner_push (TallJoiner *self, const TallCsvRow *row, GError **error)
{
  TallRowFault fault;
  TallCsvRow checked = *row;
  const char *key = read_key (get_kind (self, row), row);
  g_autofree char *reason = find_fault (self, row, key, &fault);
  checked.reason = reason;
  if (reason != NULL)
    tall_assembler_reject (self->assembler, row, &fault, reason);
  if (key == NULL)
    {
      self->gap = row->line;
      return TRUE;
    }
  guint64 blame = g_strcmp0 (key, self->last_key) == 0 ? self->gap : 0;
  self->gap = 0;
  if (blame == 0)
    {
      g_free (self->last_key);
      self->last_key = g_strdup (key);
    }
  return put (self, key, &checked, blame != 0 || reason == NULL ? blame : row->line, error);
}

/* A row that orders look up: the first of its key counts. */
static void
keep_row (TallJoiner *self, const TallCsvRow *row, gboolean is_first)
{
  TallLoadFile *file = tall_load_files_get (self->files, row->file);
  const char *name = self->join->kinds[file->kind].file->key;
  if (is_first)
    {
      file->n_kept++;
      return;
    }
  TallRowFault fault = { name, "the key came earlier" };
  g_autofree char *reason = g_strdup_printf ("there is an earlier row with this %s", name);
  tall_assembler_reject (self->assembler, row, &fault, reason);
}

/* Fetches the row that another looks up. Returns NULL, or why there is none. */
static char *
look_up (TallJoiner *self, guint kind, GError **error)
{
  guint64 blame = 0;
  const TallJoinKind *wanted = &self->join->kinds[kind];
  const char *key =
      tall_joined_row_get_field (&self->joined, (guint)wanted->from, wanted->from_index);
  tall_joined_row_empty (&self->joined, kind);
  if (*key == '\0')
    return NULL;
  g_autoptr (GByteArray) found = g_byte_array_new ();
  g_byte_array_set_size (self->key, 0);
  tall_bytes_append_u8 (self->key, SECTION_LOOKED_UP);
  tall_bytes_append_u8 (self->key, (guint8)kind);
  tall_bytes_append (self->key, tall_slice (key, strlen (key) + 1));
  if (!tall_spool_find (self->spool, tall_slice_array (self->key), found, error))
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
look_all_up (TallJoiner *self, gboolean of_line, TallRowFault *fault, GError **error)
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
fail (TallJoiner *self, const TallCsvRow *row, guint64 line)
{
  tall_assembler_fail (self->assembler, line, row->file_name);
  self->is_failed = TRUE;
}

/* Opens an order, which is rejected: its rows follow. */
static void
open_failed (TallJoiner *self, const char *key, const TallCsvRow *row, guint64 line)
{
  tall_assembler_begin (self->assembler, self->join->mapping, NULL, key);
  self->is_open = TRUE;
  fail (self, row, line);
}

/* Why a header, with what it looks up, does not make an order; NULL: it does. */
static char *
find_header_fault (TallJoiner *self,
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
begin_order (TallJoiner *self, const char *key, const TallCsvRow *row, GError **error)
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
      open_failed (self, key, row, row->line);
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
reject_second_header (TallJoiner *self, const TallCsvRow *row)
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
push_header (
    TallJoiner *self, const char *key, const TallCsvRow *row, guint64 blame, GError **error)
{
  if (row->n_fields == 0 || blame != 0)
    {
      if (!self->is_open)
        open_failed (self, key, row, blame);
      else
        fail (self, row, blame);
      if (row->n_fields > 0)
        tall_assembler_add_part (self->assembler, row);
    }
  else if (self->is_open)
    reject_second_header (self, row);
  else
    begin_order (self, key, row, error);
  self->header_line = row->line;
  self->header_file = row->file;
}

static void
reject_line (TallJoiner *self, const TallCsvRow *row, const char *key)
{
  const TallMappingFile *headers = self->join->kinds[self->join->headers].file;
  TallRowFault fault = { self->join->kinds[self->join->lines].file->key,
                         "there is no header for the line" };
  g_autofree char *reason =
      g_strdup_printf ("%s has no row with %s = %s", headers->name, headers->key, key);
  tall_assembler_reject (self->assembler, row, &fault, reason);
}

/* A value of the header, or of what that looks up, that does not fit is the header's fault. */
static void
add_line (TallJoiner *self, const TallCsvRow *row)
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
push_line (TallJoiner *self, const char *key, const TallCsvRow *row, guint64 blame, GError **error)
{
  self->n_lines++;
  if (!self->is_open)
    {
      if (row->n_fields > 0)
        reject_line (self, row, key);
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

/* The rows of an order have ended. A header has lines, if the mapping has a file of them. */
static void
finish_order (TallJoiner *self)
{
  if (self->is_open && !self->is_failed && self->join->lines >= 0 && self->n_lines == 0)
    {
      const TallMappingFile *lines = self->join->kinds[self->join->lines].file;
      const char *key = (const char *)self->group->data + 1;
      g_autofree char *reason =
          g_strdup_printf ("%s has no row with %s = %s", lines->name, lines->key, key);
      tall_assembler_drop (self->assembler, "there is no line for the header", reason);
    }
  tall_assembler_finish (self->assembler);
  self->is_open = self->is_failed = FALSE;
  self->n_lines = 0;
}

/* Returns FALSE with an error if what the spool has is damaged. */
static gboolean
read_order_row (TallJoiner *self, TallSlice group, TallCsvRow *row, TallSlice value, GError **error)
{
  guint64 blame;
  guint kind = tall_load_files_get (self->files, row->file)->kind;
  TallSlice order = tall_slice (group.data, group.len - 1);
  if (!tall_slice_equal (order, tall_slice_array (self->group)))
    {
      finish_order (self);
      tall_bytes_set (self->group, order);
    }
  const char *key = (const char *)self->group->data + 1;
  TallCsvRow *decoded = &self->joined.parts[kind].row;
  if (!tall_joined_row_set (&self->joined, kind, value, get_delimiter (self, row->file), &blame))
    {
      tall_spool_set_damaged (self->spool, error);
      return FALSE;
    }
  decoded->file = row->file;
  decoded->file_name = row->file_name;
  if (kind == self->join->headers)
    push_header (self, key, decoded, blame, error);
  else
    push_line (self, key, decoded, blame, error);
  return *error == NULL;
}

static gboolean
read_kept_row (TallJoiner *self, TallSlice group, TallCsvRow *row, TallSlice value, GError **error)
{
  guint64 blame;
  TallCsvRow decoded;
  gboolean is_first = !tall_slice_equal (group, tall_slice_array (self->group));
  if (!tall_spool_row_decode (&self->codec, value, get_delimiter (self, row->file), &decoded,
                              &blame))
    {
      tall_spool_set_damaged (self->spool, error);
      return FALSE;
    }
  tall_bytes_set (self->group, group);
  decoded.file = row->file;
  decoded.file_name = row->file_name;
  if (decoded.n_fields > 0)
    keep_row (self, &decoded, is_first);
  return TRUE;
}

/* @error is not NULL. */
static gboolean
read_entry (TallJoiner *self, TallSlice key, TallSlice value, GError **error)
{
  TallReader tail = tall_reader (
      tall_slice (key.data + key.len - MIN (key.len, TAIL_SIZE), MIN (key.len, TAIL_SIZE)));
  TallCsvRow row = { .file = tall_reader_u32 (&tail), .line = tall_reader_u64 (&tail) };
  if (key.len < TAIL_SIZE + 3 || row.file >= tall_load_files_count (self->files))
    {
      tall_spool_set_damaged (self->spool, error);
      return FALSE;
    }
  row.file_name = tall_load_files_get (self->files, row.file)->name;
  TallSlice group = tall_slice (key.data, key.len - TAIL_SIZE);
  return key.data[0] == SECTION_LOOKED_UP ? read_kept_row (self, group, &row, value, error)
                                          : read_order_row (self, group, &row, value, error);
}

/**
 * tall_joiner_finish:
 * @tick: (nullable): called with the data of @emit for each row
 *
 * All files have ended: joins their rows.
 *
 * Returns: FALSE with an error if the spool cannot be read, and if @tick stops it
 */
gboolean
tall_joiner_finish (TallJoiner *self, TallSpoolTick tick, GError **error)
{
  g_autoptr (GError) local = NULL;
  TallSlice key, value;
  gboolean ok = tall_spool_seek (self->spool, tall_slice ("", 0), &local);
  while (ok && tall_spool_next (self->spool, &key, &value, &local))
    ok = (tick == NULL || tick (self->data, &local)) && read_entry (self, key, value, &local);
  if (ok && local == NULL)
    finish_order (self);
  if (local != NULL)
    g_propagate_error (error, g_steal_pointer (&local));
  return ok && (error == NULL || *error == NULL);
}
