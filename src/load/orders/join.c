/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/join.h"

#include "load/csv/reader.h"
#include "load/mapping/mapping-private.h"
#include "load/orders/order-cursor.h"
#include "tall-error.h"

/* The first file of a kind, whose header the others have, too. */
static const TallLoadFile *
find_first (const TallLoadFiles *files, guint kind)
{
  for (guint i = 0; i < tall_load_files_count (files); i++)
    if (tall_load_files_get (files, i)->kind == kind)
      return tall_load_files_get (files, i);
  return NULL;
}

static gboolean
check_headers (const TallLoadFiles *files, GError **error)
{
  for (guint i = 0; i < tall_load_files_count (files); i++)
    {
      const TallLoadFile *file = tall_load_files_get (files, i);
      const TallLoadFile *first = find_first (files, file->kind);
      if (g_strv_equal (tall_csv_reader_get_columns (file->reader),
                        tall_csv_reader_get_columns (first->reader)))
        continue;
      tall_error_set_invalid (error, "files",
                              "%s has other columns than %s; %s files need the same",
                              tall_csv_reader_get_name (file->reader),
                              tall_csv_reader_get_name (first->reader),
                              tall_mapping_get_file (file->mapping, file->kind)->name);
      return FALSE;
    }
  return TRUE;
}

/* The position of a column that the group of a file names. */
static gboolean
find_column (const TallJoin *self,
             const TallJoinKind *kind,
             const TallJoinKind *of,
             const char *name,
             guint *index,
             GError **error)
{
  gint found = tall_csv_find_column (of->columns, name);
  *index = (guint)found;
  if (found >= 0)
    return TRUE;
  g_autofree char *group = g_strconcat (TALL_MAPPING_FILE_PREFIX, kind->file->name, NULL);
  g_autofree char *list = g_strjoinv (", ", (char **)of->columns);
  return tall_mapping_refuse (self->mapping, group, NULL, error,
                              "%s has no column “%s”; it has: %s", of->file->name, name, list);
}

static gboolean
add_kind (TallJoin *self, const TallLoadFiles *files, guint i, GError **error)
{
  TallJoinKind *kind = &self->kinds[i];
  const TallLoadFile *first = find_first (files, i);
  kind->file = tall_mapping_get_file (self->mapping, i);
  if (first == NULL)
    {
      tall_error_set_invalid (error, "files", "no file is named for %s: %s=FILE", kind->file->name,
                              kind->file->name);
      return FALSE;
    }
  kind->columns = tall_csv_reader_get_columns (first->reader);
  kind->n_columns = g_strv_length ((char **)kind->columns);
  kind->start = self->n_columns;
  kind->from = kind->file->from;
  self->n_columns += kind->n_columns;
  self->n_kinds++;
  if (kind->from < 0 && i > self->headers)
    self->lines = (gint)i;
  kind->of_line = kind->from >= 0 && (kind->from == self->lines || self->kinds[kind->from].of_line);
  return find_column (self, kind, kind, kind->file->key, &kind->key, error)
         && (kind->from < 0
             || find_column (self, kind, &self->kinds[kind->from], kind->file->from_column,
                             &kind->from_index, error));
}

static void
add_columns (TallJoin *self)
{
  for (guint i = 0; i < self->n_kinds; i++)
    for (guint k = 0; k < self->kinds[i].n_columns; k++)
      g_ptr_array_add (self->columns, g_strdup_printf ("%s:%s", self->kinds[i].file->name,
                                                       self->kinds[i].columns[k]));
  for (guint i = 0; i < self->n_kinds; i++)
    for (guint k = 0; k < self->kinds[i].n_columns; k++)
      {
        guint n = 0;
        const char *name = self->kinds[i].columns[k];
        for (guint other = 0; other < self->n_kinds; other++)
          n += tall_csv_find_column (self->kinds[other].columns, name) >= 0;
        const char *qualified = g_ptr_array_index (self->columns, self->kinds[i].start + k);
        g_ptr_array_add (self->columns, g_strdup (n == 1 ? name : qualified));
      }
  g_ptr_array_add (self->columns, NULL);
}

/**
 * tall_join_new:
 * @files: each with its kind; all have mappings with the same files; they stay the caller's
 *
 * Binds the mapping of the first file to the columns of all.
 *
 * Returns: (transfer full): NULL with %TALL_ERROR_INVALID if a file or a column is missing
 */
TallJoin *
tall_join_new (const TallLoadFiles *files, GError **error)
{
  g_autoptr (TallJoin) self = g_new0 (TallJoin, 1);
  self->mapping = tall_load_files_get (files, 0)->mapping;
  self->columns = g_ptr_array_new_with_free_func (g_free);
  self->lines = -1;
  while (tall_mapping_get_file (self->mapping, self->headers)->from >= 0)
    self->headers++;
  for (guint i = 0; i < self->mapping->files->len; i++)
    if (!add_kind (self, files, i, error))
      return NULL;
  add_columns (self);
  if (!check_headers (files, error)
      || !tall_mapping_bind (self->mapping, (const char *const *)self->columns->pdata, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
tall_join_free (TallJoin *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->columns);
  g_free (self);
}

/* Which kind has a column of joined rows; -1: none, as it is made of several. */
gint
tall_join_find_kind (const TallJoin *self, const char *column)
{
  gint found = column != NULL
                   ? tall_csv_find_column ((const char *const *)self->columns->pdata, column)
                   : -1;
  for (guint i = 0; i < self->n_kinds && found >= 0; i++)
    {
      guint at = (guint)found % self->n_columns;
      if (at >= self->kinds[i].start && at < self->kinds[i].start + self->kinds[i].n_columns)
        return (gint)i;
    }
  return -1;
}

#define SECTION_LOOKED_UP 1
#define SECTION_ORDERS 2

#define PLACE_SIZE (sizeof (guint32) + sizeof (guint64))
#define MIN_GROUP 3 /* section, an empty key, kind */

/* What the keys of rows that are looked up by @key begin with. */
void
tall_join_key_look_up (GByteArray *self, guint8 kind, const char *key)
{
  g_byte_array_set_size (self, 0);
  tall_bytes_append_u8 (self, SECTION_LOOKED_UP);
  tall_bytes_append_u8 (self, kind);
  tall_bytes_append (self, tall_slice (key, strlen (key) + 1));
}

/* What the keys of an order's header, or lines, begin with. */
void
tall_join_key_make_of_order (GByteArray *self, const char *key, gboolean is_line)
{
  g_byte_array_set_size (self, 0);
  tall_bytes_append_u8 (self, SECTION_ORDERS);
  tall_bytes_append (self, tall_slice (key, strlen (key) + 1));
  tall_bytes_append_u8 (self, (guint8)is_line);
}

void
tall_join_key_append_place (GByteArray *self, guint file, guint64 line)
{
  tall_bytes_append_u32 (self, file);
  tall_bytes_append_u64 (self, line);
}

/**
 * tall_join_key_parse:
 * @group: (out): all before the place
 *
 * Returns: FALSE if the key is damaged
 */
gboolean
tall_join_key_parse (TallSlice self, TallSlice *group, guint *file, guint64 *line)
{
  if (self.len < PLACE_SIZE + MIN_GROUP)
    return FALSE;
  *group = tall_slice (self.data, self.len - PLACE_SIZE);
  TallReader place = tall_reader (tall_slice (self.data + group->len, PLACE_SIZE));
  *file = tall_reader_u32 (&place);
  *line = tall_reader_u64 (&place);
  return TRUE;
}

gboolean
tall_join_key_is_looked_up (TallSlice group)
{
  return group.data[0] == SECTION_LOOKED_UP;
}

static void
text_free (gpointer text)
{
  g_string_free (text, TRUE);
}

void
tall_joined_row_init (TallJoinedRow *self, const TallJoin *join)
{
  *self = (TallJoinedRow){ .join = join };
  for (guint i = 0; i < join->n_kinds; i++)
    {
      self->parts[i].bytes = g_byte_array_new ();
      tall_spool_row_init (&self->parts[i].codec);
    }
  self->fields = g_ptr_array_new ();
  self->made = g_ptr_array_new_with_free_func (text_free);
  for (guint i = 0; i < join->mapping->composites->len; i++)
    g_ptr_array_add (self->made, g_string_new (NULL));
}

void
tall_joined_row_clear (TallJoinedRow *self)
{
  for (guint i = 0; i < self->join->n_kinds; i++)
    {
      g_byte_array_unref (self->parts[i].bytes);
      tall_spool_row_clear (&self->parts[i].codec);
    }
  g_ptr_array_unref (self->fields);
  g_ptr_array_unref (self->made);
}

/* There is no row of that kind. */
void
tall_joined_row_empty (TallJoinedRow *self, guint kind)
{
  self->parts[kind].present = FALSE;
}

/**
 * tall_joined_row_set:
 * @bytes: of tall_spool_row_encode(); they are copied
 * @blame: (out): as it was encoded
 *
 * Sets the row of one kind. A mark of a bad row has no fields.
 *
 * Returns: FALSE if the bytes are damaged
 */
gboolean
tall_joined_row_set (
    TallJoinedRow *self, guint kind, TallSlice bytes, char delimiter, guint64 *blame)
{
  TallCsvRow *row = &self->parts[kind].row;
  tall_bytes_set (self->parts[kind].bytes, bytes);
  gboolean ok =
      tall_spool_row_decode (&self->parts[kind].codec, tall_slice_array (self->parts[kind].bytes),
                             delimiter, row, blame);
  self->parts[kind].present = ok && row->n_fields >= self->join->kinds[kind].n_columns;
  return ok;
}

/* A field of the row of one kind; empty if there is none. */
const char *
tall_joined_row_get_field (const TallJoinedRow *self, guint kind, guint column)
{
  return self->parts[kind].present ? self->parts[kind].row.fields[column] : "";
}

/**
 * tall_joined_row_make:
 * @kind: whose line and text the row has
 * @row: (out): with the columns of all kinds; valid until the next call
 */
void
tall_joined_row_make (TallJoinedRow *self, guint kind, TallCsvRow *row)
{
  const TallJoin *join = self->join;
  g_ptr_array_set_size (self->fields, 0);
  for (guint twice = 0; twice < 2; twice++)
    for (guint i = 0; i < join->n_kinds; i++)
      for (guint k = 0; k < join->kinds[i].n_columns; k++)
        g_ptr_array_add (self->fields, (gpointer)tall_joined_row_get_field (self, i, k));
  for (guint i = 0; i < self->made->len; i++)
    {
      GString *text = g_ptr_array_index (self->made, i);
      g_string_truncate (text, 0);
      tall_csv_composite_write (g_ptr_array_index (join->mapping->composites, i),
                                (const char *const *)self->fields->pdata, text);
    }
  for (guint i = 0; i < self->made->len; i++)
    g_ptr_array_add (self->fields, ((GString *)g_ptr_array_index (self->made, i))->str);
  *row = self->parts[kind].row;
  row->fields = (const char *const *)self->fields->pdata;
  row->n_fields = self->fields->len;
}

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
