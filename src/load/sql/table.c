/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/sql/query-private.h"

#include <string.h>

/* The files of one kind as a table. */
typedef struct
{
  sqlite3_vtab base;
  TallQuery *query;
  TallQueryTable *table;
} FilesTable;

typedef struct
{
  sqlite3_vtab_cursor base;
  guint file;        /* which of the table's is read */
  gint *places;      /* of the table's columns in that file */
  gboolean ended;    /* all are read */
  gboolean is_first; /* the files are read for the first time in this pass */
  sqlite3_int64 n;   /* rows that came */
} FilesCursor;

/* Returns: (transfer full): a name as SQL quotes it */
char *
tall_query_quote (const char *name)
{
  g_autoptr (GString) text = g_string_new (name);
  g_string_replace (text, "\"", "\"\"", 0);
  return g_strdup_printf ("\"%s\"", text->str);
}

/* `files(2)`: the third table of the query. */
static int
connect_files (sqlite3 *db,
               void *data,
               int n,
               const char *const *words,
               sqlite3_vtab **made,
               char **message G_GNUC_UNUSED)
{
  TallQuery *query = data;
  guint i = n > 3 ? (guint)g_ascii_strtoull (words[3], NULL, 10) : 0;
  TallQueryTable *table = g_ptr_array_index (query->tables, i);
  g_autoptr (GString) sql = g_string_new ("CREATE TABLE x(");
  for (guint k = 0; k < table->columns->len; k++)
    {
      g_autofree char *name = tall_query_quote (g_ptr_array_index (table->columns, k));
      gboolean is_hidden = k >= table->n_columns;
      g_string_append_printf (sql, "%s %s%s%s", name,
                              k == table->n_columns + TALL_HIDDEN_LINE ? "INTEGER" : "TEXT",
                              is_hidden ? " HIDDEN" : "", k + 1 < table->columns->len ? "," : ")");
    }
  int code = sqlite3_declare_vtab (db, sql->str);
  if (code != SQLITE_OK)
    return code;
  FilesTable *self = g_new0 (FilesTable, 1);
  self->query = query;
  self->table = table;
  table->vtab = self;
  *made = &self->base;
  return SQLITE_OK;
}

static int
disconnect (sqlite3_vtab *table)
{
  g_free (table);
  return SQLITE_OK;
}

/* All rows are read; idxNum says which fields of them are needed. They come in the order of their
 * places. */
static int
plan_files (sqlite3_vtab *base, sqlite3_index_info *info)
{
  const FilesTable *self = (FilesTable *)base;
  guint row = self->table->n_columns + TALL_HIDDEN_ROW;
  self->table->uses_row |= (info->colUsed >> MIN (row, 63) & 1) != 0;
  self->table->used |= self->query->is_guarded ? info->colUsed : 0; /* copying uses all */
  info->estimatedCost = 1e6;
  info->estimatedRows = 1000000;
  info->idxNum = 64 - (info->colUsed != 0 ? __builtin_clzll (info->colUsed) : 64);
  info->orderByConsumed = info->nOrderBy == 1 && info->aOrderBy[0].desc == 0
                          && info->aOrderBy[0].iColumn == (int)self->table->n_columns;
  return SQLITE_OK;
}

static int
open_files (sqlite3_vtab *table G_GNUC_UNUSED, sqlite3_vtab_cursor **made)
{
  FilesCursor *self = g_new0 (FilesCursor, 1);
  *made = &self->base;
  return SQLITE_OK;
}

static int
close_files (sqlite3_vtab_cursor *base)
{
  g_free (((FilesCursor *)base)->places);
  g_free (base);
  return SQLITE_OK;
}

static const TallLoadFile *
get_file (const FilesTable *table, guint i)
{
  return tall_load_files_get (table->query->files, g_array_index (table->table->files, guint, i));
}

/* A pipe is whole in its copy when it has been read to its end. */
static gboolean
begin_again (TallQuery *query, TallCsvReader *reader)
{
  TallCsvRow row;
  TallCsvStep step;
  do
    step = tall_csv_reader_next (reader, &row, &query->failure);
  while (step == TALL_CSV_ROW);
  return step == TALL_CSV_END && tall_csv_reader_rewind (reader, &query->failure);
}

/* Finds the table's columns in a file: their order may be another in each. */
static void
begin_file (FilesCursor *self)
{
  const FilesTable *table = (FilesTable *)self->base.pVtab;
  const TallQueryTable *of = table->table;
  if (self->file >= of->files->len)
    {
      self->ended = TRUE;
      return;
    }
  TallCsvReader *reader = get_file (table, self->file)->reader;
  const char *const *first = tall_csv_reader_get_columns (get_file (table, 0)->reader);
  const char *const *columns = tall_csv_reader_get_columns (reader);
  gboolean is_same = g_strv_equal (first, columns);
  for (guint i = 0; i < of->n_columns; i++)
    self->places[i] = is_same ? (gint)i : tall_csv_find_column (columns, first[i]);
  if (is_same && of->n_wanted < 64)
    tall_csv_reader_want (reader, MIN (of->n_wanted, of->n_columns));
}

/* A bad row is handed over, and passed by. */
static int
next_row (sqlite3_vtab_cursor *base)
{
  FilesCursor *self = (FilesCursor *)base;
  const FilesTable *table = (FilesTable *)base->pVtab;
  TallQuery *query = table->query;
  tall_query_settle_refused (query);
  query->is_at_row = FALSE;
  while (!self->ended)
    {
      TallCsvRow *row = &query->current;
      TallCsvStep step =
          tall_csv_reader_next (get_file (table, self->file)->reader, row, &query->failure);
      if (step == TALL_CSV_FAILED)
        return SQLITE_ERROR;
      if (step == TALL_CSV_END)
        {
          self->file++;
          begin_file (self);
          continue;
        }
      query->budget += 100 * 1000;
      query->is_ended |=
          self->is_first && query->take != NULL && !query->take (row, query->data, &query->failure);
      if (query->is_ended)
        return SQLITE_ERROR;
      if (row->reason != NULL)
        continue;
      self->n++;
      query->is_at_row = TRUE;
      break;
    }
  return SQLITE_OK;
}

static int
filter_files (sqlite3_vtab_cursor *base,
              int wanted,
              const char *text G_GNUC_UNUSED,
              int n G_GNUC_UNUSED,
              sqlite3_value **values G_GNUC_UNUSED)
{
  FilesCursor *self = (FilesCursor *)base;
  const FilesTable *table = (FilesTable *)base->pVtab;
  TallQueryTable *of = table->table;
  self->is_first = of->n_scans == 0;
  if (self->places == NULL)
    self->places = g_new0 (gint, of->n_columns + 1);
  for (guint i = 0; i < of->files->len && of->has_been_read; i++)
    if (!begin_again (table->query, get_file (table, i)->reader))
      return SQLITE_ERROR;
  of->has_been_read = TRUE;
  of->n_scans++;
  of->n_wanted = (guint)wanted;
  self->file = 0;
  self->n = 0;
  self->ended = FALSE;
  begin_file (self);
  return next_row (base);
}

static int
is_at_end (sqlite3_vtab_cursor *base)
{
  return ((FilesCursor *)base)->ended;
}

static void
append_json (GString *json, const char *text)
{
  g_string_append_c (json, '"');
  for (; *text != '\0'; text++)
    if (*text == '"' || *text == '\\' || (guint8)*text < ' ')
      g_string_append_printf (json, "\\u%04x", (guint)*text);
    else
      g_string_append_c (json, *text);
  g_string_append_c (json, '"');
}

static void
set_row (const FilesCursor *self, const TallCsvRow *row, sqlite3_context *context)
{
  const TallQueryTable *table = ((FilesTable *)self->base.pVtab)->table;
  g_autoptr (GString) json = g_string_new ("{");
  for (guint i = 0; i < table->n_columns; i++)
    {
      g_string_append (json, i > 0 ? "," : "");
      append_json (json, g_ptr_array_index (table->columns, i));
      g_string_append_c (json, ':');
      append_json (json, row->fields[self->places[i]]);
    }
  g_string_append_c (json, '}');
  sqlite3_result_text (context, json->str, (int)json->len, SQLITE_TRANSIENT);
}

static int
get_column (sqlite3_vtab_cursor *base, sqlite3_context *context, int i)
{
  const FilesCursor *self = (FilesCursor *)base;
  const FilesTable *table = (FilesTable *)base->pVtab;
  const TallCsvRow *row = &table->query->current;
  guint n = table->table->n_columns;
  if ((guint)i < n)
    sqlite3_result_text (context, row->fields[self->places[i]], -1, SQLITE_TRANSIENT);
  else if ((guint)i == n + TALL_HIDDEN_ROW)
    set_row (self, row, context);
  else if ((guint)i == n + TALL_HIDDEN_TEXT)
    sqlite3_result_text (context, (const char *)row->raw.data, (int)row->raw.len, SQLITE_TRANSIENT);
  else if ((guint)i == n + TALL_HIDDEN_LINE)
    sqlite3_result_int64 (context, tall_query_get_place (row));
  else
    sqlite3_result_text (context, tall_csv_reader_get_name (get_file (table, self->file)->reader),
                         -1, SQLITE_TRANSIENT);
  return SQLITE_OK;
}

static int
get_row_id (sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
  *id = ((FilesCursor *)base)->n;
  return SQLITE_OK;
}

/* split(text, separator): the parts of a text, each a row. */
enum
{
  SPLIT_VALUE,
  SPLIT_POSITION,
  SPLIT_TEXT,
  SPLIT_SEPARATOR,
};

typedef struct
{
  sqlite3_vtab_cursor base;
  char **parts; /* NULL-terminated */
  guint i;      /* which is read */
} SplitCursor;

static int
connect_split (sqlite3 *db,
               void *data G_GNUC_UNUSED,
               int n G_GNUC_UNUSED,
               const char *const *words G_GNUC_UNUSED,
               sqlite3_vtab **made,
               char **message G_GNUC_UNUSED)
{
  *made = g_new0 (sqlite3_vtab, 1);
  sqlite3_vtab_config (db, SQLITE_VTAB_INNOCUOUS);
  return sqlite3_declare_vtab (
      db, "CREATE TABLE x(value TEXT, position INTEGER, text HIDDEN, separator HIDDEN)");
}

static int
plan_split (sqlite3_vtab *base G_GNUC_UNUSED, sqlite3_index_info *info)
{
  gint found[2] = { -1, -1 };
  for (int i = 0; i < info->nConstraint; i++)
    if (info->aConstraint[i].iColumn >= SPLIT_TEXT
        && info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ)
      {
        if (!info->aConstraint[i].usable)
          return SQLITE_CONSTRAINT;
        found[info->aConstraint[i].iColumn - SPLIT_TEXT] = i;
      }
  for (int i = 0; i < 2; i++)
    {
      if (found[i] < 0)
        return SQLITE_CONSTRAINT;
      info->aConstraintUsage[found[i]].argvIndex = i + 1;
      info->aConstraintUsage[found[i]].omit = 1;
    }
  info->estimatedCost = 10;
  info->estimatedRows = 4;
  return SQLITE_OK;
}

static int
open_split (sqlite3_vtab *table G_GNUC_UNUSED, sqlite3_vtab_cursor **made)
{
  SplitCursor *self = g_new0 (SplitCursor, 1);
  *made = &self->base;
  return SQLITE_OK;
}

static int
close_split (sqlite3_vtab_cursor *base)
{
  g_strfreev (((SplitCursor *)base)->parts);
  g_free (base);
  return SQLITE_OK;
}

static int
next_part (sqlite3_vtab_cursor *base)
{
  ((SplitCursor *)base)->i++;
  return SQLITE_OK;
}

/* A text that is empty has no parts. */
static int
filter_split (sqlite3_vtab_cursor *base,
              int plan G_GNUC_UNUSED,
              const char *name G_GNUC_UNUSED,
              int n G_GNUC_UNUSED,
              sqlite3_value **values)
{
  SplitCursor *self = (SplitCursor *)base;
  const char *text = (const char *)sqlite3_value_text (values[0]);
  const char *separator = (const char *)sqlite3_value_text (values[1]);
  gboolean is_whole = separator == NULL || *separator == '\0';
  g_strfreev (self->parts);
  self->parts =
      g_strsplit (text != NULL ? text : "", is_whole ? "," : separator, is_whole ? 1 : -1);
  self->i = 0;
  return SQLITE_OK;
}

static int
is_split (sqlite3_vtab_cursor *base)
{
  const SplitCursor *self = (SplitCursor *)base;
  return self->parts[self->i] == NULL;
}

static int
get_part (sqlite3_vtab_cursor *base, sqlite3_context *context, int i)
{
  const SplitCursor *self = (SplitCursor *)base;
  if (i == SPLIT_VALUE)
    sqlite3_result_text (context, self->parts[self->i], -1, SQLITE_TRANSIENT);
  else if (i == SPLIT_POSITION)
    sqlite3_result_int64 (context, self->i + 1);
  return SQLITE_OK;
}

static int
get_part_id (sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
  *id = ((SplitCursor *)base)->i + 1;
  return SQLITE_OK;
}

/* Makes the tables that the query reads. Returns: FALSE with an error if the columns of a file make
 * no table */
gboolean
tall_query_add_tables (TallQuery *self, GError **error)
{
  static const sqlite3_module files = {
    .xCreate = connect_files,
    .xConnect = connect_files,
    .xBestIndex = plan_files,
    .xDisconnect = disconnect,
    .xDestroy = disconnect,
    .xOpen = open_files,
    .xClose = close_files,
    .xFilter = filter_files,
    .xNext = next_row,
    .xEof = is_at_end,
    .xColumn = get_column,
    .xRowid = get_row_id,
  };
  static const sqlite3_module split = {
    .xConnect = connect_split,
    .xBestIndex = plan_split,
    .xDisconnect = disconnect,
    .xOpen = open_split,
    .xClose = close_split,
    .xFilter = filter_split,
    .xNext = next_part,
    .xEof = is_split,
    .xColumn = get_part,
    .xRowid = get_part_id,
  };
  sqlite3 *db = tall_temp_db_get (self->temp);
  sqlite3_create_module (db, "files", &files, self);
  sqlite3_create_module (db, "split", &split, self);
  for (guint i = 0; i < self->tables->len; i++)
    {
      g_autofree char *name =
          tall_query_quote (((TallQueryTable *)g_ptr_array_index (self->tables, i))->name);
      g_autofree char *sql =
          g_strdup_printf ("CREATE VIRTUAL TABLE temp.%s USING files(%u)", name, i);
      if (!tall_temp_db_run (self->temp, sql, error))
        return FALSE;
    }
  /* What SQLite makes when it is first named is made here: later only reading is allowed. */
  return tall_temp_db_run (self->temp,
                           "SELECT 1 FROM split('', ''), json_each('[]'), json_tree('[]')", error);
}

/* Copies a table. What costs is only there if it is used: the row as JSON, and as text. */
static gboolean
copy_table (TallQuery *self, TallQueryTable *table)
{
  guint json = table->n_columns + TALL_HIDDEN_ROW, text = table->n_columns + TALL_HIDDEN_TEXT;
  g_autofree char *name = tall_query_quote (table->name);
  g_autoptr (GString) columns = g_string_new (NULL);
  g_autoptr (GString) types = g_string_new (NULL);
  for (guint i = 0; i < table->columns->len; i++)
    {
      g_autofree char *column = tall_query_quote (g_ptr_array_index (table->columns, i));
      if ((i == json && !table->uses_row) || (i == text && self->line_column < 0))
        continue;
      g_string_append_printf (columns, "%s%s", i > 0 ? ", " : "", column);
      g_string_append_printf (types, "%s%s %s", i > 0 ? ", " : "", column,
                              i == table->n_columns ? "INTEGER PRIMARY KEY" : "TEXT");
    }
  g_autofree char *sql =
      g_strdup_printf ("CREATE TABLE main.%s(%s); INSERT INTO main.%s SELECT %s FROM temp.%s; DROP "
                       "TABLE temp.%s",
                       name, types->str, name, columns->str, name, name);
  if (sqlite3_exec (tall_temp_db_get (self->temp), sql, NULL, NULL, NULL) != SQLITE_OK)
    return FALSE;
  g_autofree char *line =
      tall_query_quote (g_ptr_array_index (table->columns, table->n_columns + TALL_HIDDEN_LINE));
  g_autofree char *wanted = tall_query_quote (g_ptr_array_index (table->columns, text));
  g_autofree char *find =
      g_strdup_printf ("SELECT %s FROM main.%s WHERE %s = ?1", wanted, name, line);
  if (self->line_column >= 0)
    table->find_text = tall_temp_db_prepare (self->temp, find);
  return TRUE;
}

/* Copies the rows of all files into tables of the same names, which can be read several times at
 * once. Returns: FALSE as a statement fails */
gboolean
tall_query_stage (TallQuery *self)
{
  for (guint i = 0; i < self->tables->len; i++)
    if (!copy_table (self, g_ptr_array_index (self->tables, i)))
      return FALSE;
  return TRUE;
}

/* @place: of a row of a table that is copied. Returns: (nullable): a statement that gives the row's
 * text, not reset; NULL: there is no such row */
sqlite3_stmt *
tall_query_find_text (TallQuery *self, gint64 place)
{
  guint file = (guint)(place >> TALL_QUERY_FILE_SHIFT);
  for (guint i = 0; i < self->tables->len; i++)
    {
      TallQueryTable *table = g_ptr_array_index (self->tables, i);
      for (guint k = 0; k < table->files->len; k++)
        if (table->find_text != NULL && g_array_index (table->files, guint, k) == file)
          {
            sqlite3_reset (table->find_text);
            sqlite3_bind_int64 (table->find_text, 1, place);
            return sqlite3_step (table->find_text) == SQLITE_ROW ? table->find_text : NULL;
          }
    }
  return NULL;
}

/* A comment, or a text, or the name of a column, as bytes. */
#define WORDS                                                                                      \
  "--[^\n]*|(?s:/\\*.*?(?:\\*/|$))|'((?:[^']|'')*)'|\"((?:[^\"]|\"\")*)\"|"                        \
  "([A-Za-z_\\x80-\\xff][\\w\\x80-\\xff]*)"

/* What a query names. */
typedef struct
{
  GHashTable *names; /* of columns and all else, in small letters */
  GPtrArray *texts;
} Words;

static void
words_clear (Words *self)
{
  g_hash_table_unref (self->names);
  g_ptr_array_unref (self->texts);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Words, words_clear)

static void
find_words (const char *sql, Words *words)
{
  g_autoptr (GRegex) regex = g_regex_new (WORDS, G_REGEX_RAW, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  words->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  words->texts = g_ptr_array_new_with_free_func (g_free);
  g_regex_match (regex, sql, 0, &match);
  for (; g_match_info_matches (match); g_match_info_next (match, NULL))
    {
      int n = g_match_info_get_match_count (match);
      g_autofree char *word = n > 1 ? g_match_info_fetch (match, n - 1) : NULL;
      if (n > 2)
        g_hash_table_add (words->names, g_ascii_strdown (word, -1));
      else if (n == 2)
        g_ptr_array_add (words->texts, g_steal_pointer (&word));
    }
}

/* Whether the query has the name of a column, or, where it looks at rows as JSON, a text that is
 * the name, its path, or a pattern for it. */
static gboolean
has_name (const Words *self, const char *name, gboolean as_text)
{
  g_autofree char *small = g_ascii_strdown (name, -1);
  gboolean found = g_hash_table_contains (self->names, small);
  for (guint i = 0; as_text && i < self->texts->len && !found; i++)
    {
      const char *text = g_ptr_array_index (self->texts, i);
      gsize n_path = g_str_has_prefix (text, "$.") ? strlen ("$.") : 0;
      found = sqlite3_strglob (text + n_path, name) == 0;
    }
  return found;
}

/* The columns of the files of a table that nothing is made of. SQLite knows 63 one by one, and not
 * which members of a row's JSON are looked at. */
GStrv
tall_query_list_unused (const TallQuery *self, const TallQueryTable *table)
{
  g_autoptr (GStrvBuilder) list = g_strv_builder_new ();
  g_auto (Words) words = { NULL };
  find_words (self->sql, &words);
  gboolean uses_row = (table->used >> MIN (table->n_columns + TALL_HIDDEN_ROW, 63) & 1) != 0;
  for (guint i = 0; i < table->n_columns; i++)
    {
      const char *name = g_ptr_array_index (table->columns, i);
      gboolean is_used = (table->used >> MIN (i, 63) & 1) != 0;
      if (i < 63 ? !is_used && !(uses_row && has_name (&words, name, TRUE))
                 : !is_used || !has_name (&words, name, uses_row))
        g_strv_builder_add (list, name);
    }
  return g_strv_builder_end (list);
}
