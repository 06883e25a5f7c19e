/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/joiner.h"
#include "load/orders/join.h"
#include "load/orders/order-cursor.h"

#define MAX_KEY 1024 /* bytes */

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
  guint64 garbled;    /* of one that is perhaps of the order after it; 0: none */
  GByteArray *key;

  GByteArray *group; /* begin of the keys of what is read from the spool */
  TallJoinedOrder *order;
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
  self->order = tall_joined_order_new (files, join, self->spool, self->assembler);
  tall_spool_row_init (&self->codec);
  return self;
}

void
tall_joiner_free (TallJoiner *self)
{
  if (self == NULL)
    return;
  tall_joined_order_free (self->order);
  tall_assembler_free (self->assembler);
  tall_spool_free (self->spool);
  tall_spool_row_clear (&self->codec);
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
  self->garbled = 0;
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
  if (self->join->kinds[kind].from >= 0)
    tall_join_key_look_up (self->key, kind, key);
  else
    tall_join_key_make_of_order (self->key, key, kind != self->join->headers);
  tall_join_key_append_place (self->key, row->file, row->line);
  return tall_spool_put (
      self->spool, tall_slice_array (self->key),
      tall_spool_row_encode (&self->codec, row, blame, get_delimiter (self, row->file)), error);
}

/* A row that names no order. If a stray quote has hidden the name of a line, it may be one of the
 * order before it or of the one after it. */
static gboolean
push_stray (TallJoiner *self, const TallCsvRow *row, GError **error)
{
  gint kind = (gint)tall_load_files_get (self->files, row->file)->kind;
  self->gap = row->line;
  if (!row->is_garbled || kind != self->join->lines)
    return TRUE;
  self->garbled = row->line;
  return self->last_key == NULL || put (self, self->last_key, row, row->line, error);
}

/* The row that is to blame for what has come before one of this key; 0: none. */
static guint64
take_blame (TallJoiner *self, const char *key)
{
  gboolean same = g_strcmp0 (key, self->last_key) == 0;
  guint64 blame = same ? self->gap : self->garbled;
  self->gap = self->garbled = 0;
  if (!same)
    {
      g_free (self->last_key);
      self->last_key = g_strdup (key);
    }
  return blame;
}

/**
 * tall_joiner_push:
 * @row: the next row of the file, good or bad
 *
 * A bad row that names its order rejects that. One that does not belongs to the order whose rows
 * stand before and after it; if it is no CSV, perhaps to either.
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
    return push_stray (self, &checked, error);
  guint64 blame = take_blame (self, key);
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

/* Returns FALSE with an error if what the spool has is damaged. */
static gboolean
read_order_row (TallJoiner *self, TallSlice group, TallCsvRow *row, TallSlice value, GError **error)
{
  TallSlice order = tall_slice (group.data, group.len - 1);
  if (!tall_slice_equal (order, tall_slice_array (self->group)))
    {
      tall_joined_order_finish (self->order);
      tall_bytes_set (self->group, order);
      tall_joined_order_begin (self->order, (const char *)self->group->data + 1);
    }
  return tall_joined_order_push (self->order, row, value, error);
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
  TallCsvRow row = { .file = 0 };
  TallSlice group;
  if (!tall_join_key_parse (key, &group, &row.file, &row.line)
      || row.file >= tall_load_files_count (self->files))
    {
      tall_spool_set_damaged (self->spool, error);
      return FALSE;
    }
  row.file_name = tall_load_files_get (self->files, row.file)->name;
  return tall_join_key_is_looked_up (group) ? read_kept_row (self, group, &row, value, error)
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
    tall_joined_order_finish (self->order);
  if (local != NULL)
    g_propagate_error (error, g_steal_pointer (&local));
  return ok && (error == NULL || *error == NULL);
}
