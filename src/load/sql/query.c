/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/sql/query-private.h"

#include "base/text.h"
#include "load/orders/assembler.h"
#include "base/fail.h"

#include <gio/gio.h>
#include <string.h>

#define USUAL_TABLE "csv"
#define CHECK_STEPS 10000
#define MAX_STEPS G_GUINT64_CONSTANT (500000000) /* without a row that is read, or given */
#define MAX_VALUE (64 * 1024 * 1024)             /* bytes of a value, and of a row that is sorted */

static void
table_free (gpointer data)
{
  TallQueryTable *table = data;
  sqlite3_finalize (table->find_text);
  g_free (table->name);
  g_array_unref (table->files);
  g_ptr_array_unref (table->columns);
  g_free (table);
}

/* Names of columns are told apart without regard to case: the second NAME is NAME#2. */
static void
add_column (TallQueryTable *table, const char *name)
{
  g_autofree char *own = g_strdup (name);
  for (guint n = 2, i = 0; i < table->columns->len; i++)
    if (sqlite3_stricmp (g_ptr_array_index (table->columns, i), own) == 0)
      {
        g_free (own);
        own = g_strdup_printf ("%s#%u", name, n++);
        i = G_MAXUINT; /* from the first again */
      }
  g_ptr_array_add (table->columns, g_steal_pointer (&own));
}

static TallQueryTable *
add_table (TallQuery *self, const char *name, const char *const *columns)
{
  TallQueryTable *table = g_new0 (TallQueryTable, 1);
  table->name = g_strdup (name);
  table->files = g_array_new (FALSE, FALSE, sizeof (guint));
  table->columns = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; columns[i] != NULL; i++)
    add_column (table, columns[i]);
  table->n_columns = table->columns->len;
  add_column (table, "line");
  add_column (table, "file");
  add_column (table, "row");
  add_column (table, "tallorder text");
  g_ptr_array_add (self->tables, table);
  return table;
}

static TallQueryTable *
find_table (const TallQuery *self, const char *name)
{
  for (guint i = 0; i < self->tables->len; i++)
    {
      TallQueryTable *table = g_ptr_array_index (self->tables, i);
      if (sqlite3_stricmp (table->name, name) == 0)
        return table;
    }
  return NULL;
}

/* Files of one kind have the same columns, perhaps in another order. */
static gboolean
check_columns (const TallQueryTable *table,
               const char *const *columns,
               const TallLoadFile *file,
               GError **error)
{
  guint n = g_strv_length ((char **)columns);
  for (guint i = 0; i < table->n_columns; i++)
    if (n != table->n_columns
        || tall_csv_find_column (columns, g_ptr_array_index (table->columns, i)) < 0)
      return tall_error_fail_invalid (
          error, "files", "%s has other columns than the first of the files that are %s",
          tall_csv_reader_get_name (file->reader), table->name);
  return TRUE;
}

static gboolean
add_tables (TallQuery *self, GError **error)
{
  for (guint i = 0; i < tall_load_files_count (self->files); i++)
    {
      const TallLoadFile *file = tall_load_files_get (self->files, i);
      const char *name = file->kind_name != NULL ? file->kind_name : USUAL_TABLE;
      const char *const *columns = tall_csv_reader_get_columns (file->reader);
      TallQueryTable *table = find_table (self, name);
      if (table == NULL)
        table = add_table (self, name, columns);
      else if (!check_columns (table, columns, file, error))
        return FALSE;
      g_array_append_val (table->files, i);
      int most = sqlite3_limit (tall_temp_db_get (self->temp), SQLITE_LIMIT_COLUMN, -1);
      if (table->columns->len <= (guint)most)
        continue;
      return tall_error_fail_invalid (error, "files", "%s has %u columns; a query reads up to %u",
                                      tall_csv_reader_get_name (file->reader), table->n_columns,
                                      (guint)most - (table->columns->len - table->n_columns));
    }
  return TRUE;
}

/* Only what reads our tables, and computes, is allowed. */
static int
authorize (void *data,
           int action,
           const char *first,
           const char *second,
           const char *base G_GNUC_UNUSED,
           const char *inner G_GNUC_UNUSED)
{
  static const char *const tables[] = { "split", "json_each", "json_tree", NULL };
  static const char *const functions[] = { "load_extension", "fts3_tokenizer", "fts5", "eval",
                                           NULL };
  TallQuery *self = data;
  if (!self->is_guarded || action == SQLITE_SELECT || action == SQLITE_RECURSIVE)
    return SQLITE_OK;
  /* Of a table of the query's own that is only counted, there is no column. */
  if (action == SQLITE_READ
      && (*second == '\0' || find_table (self, first) != NULL || g_strv_contains (tables, first)))
    return SQLITE_OK;
  if (action == SQLITE_FUNCTION && !g_strv_contains (functions, second))
    return SQLITE_OK;
  g_free (self->refused);
  if (action == SQLITE_READ)
    self->refused = g_strdup_printf ("it may not read %s", first);
  else if (action == SQLITE_FUNCTION)
    self->refused = g_strdup_printf ("it may not call %s()", second);
  else
    self->refused = g_strdup ("it may be one SELECT, and nothing else");
  return SQLITE_DENY;
}

/* Looks every now and then whether the query is to end. */
static int
on_progress (void *data)
{
  TallQuery *self = data;
  gboolean is_over = self->budget < CHECK_STEPS;
  self->budget -= is_over ? 0 : CHECK_STEPS;
  return is_over || (self->stop != NULL && g_atomic_int_get (self->stop) != 0);
}

/* What is said of a column that is not there: which may be meant, what there is, and what to do. */
static char *
explain_columns (const TallQuery *self, const char *missing)
{
  g_autoptr (GString) list = g_string_new (NULL);
  const char *name = MAX (strrchr (missing, '.'), strrchr (missing, ' ')) + 1;
  const char *near = NULL;
  for (guint i = 0; i < self->tables->len && near == NULL; i++)
    {
      const GPtrArray *columns = ((TallQueryTable *)g_ptr_array_index (self->tables, i))->columns;
      near = tall_text_find_near (name, (const char *const *)columns->pdata, columns->len - 1);
    }
  if (near != NULL)
    g_string_append_printf (list, " (did you mean “%s”?)", near);
  if (g_strv_contains (tall_mapping_presets (), self->mapping->name))
    g_string_append_printf (list, "; --print-map %s >my.sql makes a copy to take it out of",
                            self->mapping->name);
  for (guint i = 0; i < self->tables->len; i++)
    {
      const TallQueryTable *table = g_ptr_array_index (self->tables, i);
      g_string_append_printf (list, "; %s has: ", table->name);
      for (guint k = 0; k < table->n_columns + TALL_HIDDEN_TEXT; k++)
        g_string_append_printf (list, "%s%s", k > 0 ? ", " : "",
                                (const char *)g_ptr_array_index (table->columns, k));
    }
  return g_string_free (g_steal_pointer (&list), FALSE);
}

/* The row that is being read; empty if there is none. */
static char *
describe_row (const TallQuery *self)
{
  if (!self->is_at_row)
    return g_strdup ("");
  const TallLoadFile *file = tall_load_files_get (self->files, self->current.file);
  return g_strdup_printf ("%s, line %" G_GUINT64_FORMAT ": ",
                          tall_csv_reader_get_name (file->reader), self->current.line);
}

/* Says why SQLite has given no row; nothing if @take has ended it. Returns FALSE. */
static gboolean
set_failure (TallQuery *self, GError **error)
{
  sqlite3 *db = tall_temp_db_get (self->temp);
  int code = sqlite3_errcode (db);
  g_autofree char *why = g_strdup (sqlite3_errmsg (db));
  sqlite3_reset (self->statement);
  if (self->failure != NULL)
    g_propagate_error (error, g_steal_pointer (&self->failure));
  else if (self->is_ended)
    return FALSE;
  else if (code == SQLITE_INTERRUPT && self->stop != NULL && g_atomic_int_get (self->stop) != 0)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Stopped within the query, as asked");
  else if (code == SQLITE_INTERRUPT)
    tall_mapping_refuse (self->mapping, NULL, NULL, error,
                         "the query computes for too long without giving a row");
  else if (code == SQLITE_ERROR || code == SQLITE_TOOBIG)
    {
      g_autofree char *place = describe_row (self);
      tall_mapping_refuse (self->mapping, NULL, NULL, error, "%s%s", place, why);
    }
  else
    return tall_temp_db_set_failure (self->temp, error);
  return FALSE;
}

/* Prepares what is made of the user's text. @rest: (out): what follows the first statement */
static sqlite3_stmt *
prepare (TallQuery *self, const char *sql, const char **rest, GError **error)
{
  sqlite3_stmt *statement = NULL;
  sqlite3 *db = tall_temp_db_get (self->temp);
  g_clear_pointer (&self->refused, g_free);
  int code = sqlite3_prepare_v2 (db, sql, -1, &statement, rest);
  if (code == SQLITE_OK)
    return statement;
  const char *why = sqlite3_errmsg (db);
  g_autofree char *list =
      g_str_has_prefix (why, "no such column: ") ? explain_columns (self, why) : NULL;
  tall_mapping_refuse (self->mapping, NULL, NULL, error, "%s%s%s",
                       self->refused != NULL ? "the query is refused: " : "",
                       self->refused != NULL ? self->refused : why, list != NULL ? list : "");
  return NULL;
}

/* Whether a text has no statement in it. */
static gboolean
is_empty (TallQuery *self, const char *sql)
{
  g_autoptr (GError) error = NULL;
  while (g_ascii_isspace (*sql) || *sql == ';')
    sql++;
  sqlite3_stmt *statement = prepare (self, sql, NULL, &error);
  sqlite3_finalize (statement);
  return statement == NULL && error == NULL;
}

/* Prepares the statement as it stands in the mapping. */
static gboolean
read_statement (TallQuery *self, GError **error)
{
  const char *text = self->mapping->sql, *rest = NULL;
  sqlite3_stmt *statement = prepare (self, text, &rest, error);
  self->statement = statement;
  if (statement == NULL)
    return error != NULL && *error != NULL
               ? FALSE
               : tall_mapping_refuse (self->mapping, NULL, NULL, error, "there is no SELECT in it");
  if (!is_empty (self, rest))
    return tall_mapping_refuse (self->mapping, NULL, NULL, error,
                                "it has more than one statement; it may be one SELECT");
  if (!sqlite3_stmt_readonly (statement) || sqlite3_column_count (statement) == 0
      || sqlite3_stmt_isexplain (statement) != 0)
    return tall_mapping_refuse (self->mapping, NULL, NULL, error,
                                "it may be one SELECT, and nothing else");
  if (sqlite3_bind_parameter_count (statement) > 0)
    return tall_mapping_refuse (self->mapping, NULL, NULL, error,
                                "%s has no value: a query has no parameters",
                                sqlite3_bind_parameter_name (statement, 1) != NULL
                                    ? sqlite3_bind_parameter_name (statement, 1)
                                    : "?");
  gsize len = (gsize)(rest - text);
  while (len > 0 && (text[len - 1] == ';' || g_ascii_isspace (text[len - 1])))
    len--;
  self->sql = g_strndup (text, len);
  return TRUE;
}

static gboolean
is_table_of_files (const TallQuery *self, const char *p4)
{
  for (guint i = 0; p4 != NULL && i < self->tables->len; i++)
    {
      char text[64];
      const TallQueryTable *table = g_ptr_array_index (self->tables, i);
      if (g_str_equal (sqlite3_snprintf (sizeof text, text, "vtab:%p", table->vtab), p4))
        return TRUE;
    }
  return FALSE;
}

/* Finds in SQLite's plan whether each row comes out before the next is read: nothing is sorted,
 * summed up, or put into a table of SQLite's own that is read again, and one file is read, in one
 * place. */
static gboolean
look_at_plan (TallQuery *self, GError **error)
{
  static const char *const storing[] = { "SorterOpen", "OpenAutoindex", "AggStep", "AggStep1",
                                         "AggValue",   "AggInverse",    NULL };
  static const char *const reading[] = { "Rewind", "Last", "SeekRowid", "SeekGE", NULL };
  g_autofree char *sql = g_strconcat ("EXPLAIN ", self->sql, NULL);
  sqlite3_stmt *plan = prepare (self, sql, NULL, error);
  if (plan == NULL)
    return FALSE;
  g_autoptr (GHashTable) own = g_hash_table_new (NULL, NULL);
  guint n_places = 0;
  gboolean stores = FALSE;
  while (sqlite3_step (plan) == SQLITE_ROW)
    {
      const char *step = (const char *)sqlite3_column_text (plan, 1);
      gpointer cursor = GINT_TO_POINTER (sqlite3_column_int (plan, 2));
      n_places += g_str_equal (step, "VOpen")
                  && is_table_of_files (self, (const char *)sqlite3_column_text (plan, 5));
      if (g_str_equal (step, "OpenEphemeral"))
        g_hash_table_add (own, cursor);
      stores |= g_strv_contains (storing, step)
                || (g_strv_contains (reading, step) && g_hash_table_contains (own, cursor));
    }
  sqlite3_finalize (plan);
  self->streams = n_places < 2 && self->tables->len == 1 && !stores;
  if (self->streams || !g_regex_match_simple ("\\bnatural\\b", self->sql, G_REGEX_CASELESS, 0))
    return TRUE;
  return tall_mapping_refuse (self->mapping, NULL, NULL, error,
                              "NATURAL JOIN joins by line and file, too; write JOIN … USING (…)");
}

static gboolean
bind_result (TallQuery *self, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  self->line_column = -1;
  for (int i = 0; i < sqlite3_column_count (self->statement); i++)
    {
      const char *name = sqlite3_column_name (self->statement, i);
      if (g_str_equal (name, TALL_MAPPING_LINE))
        self->line_column = i;
      g_ptr_array_add (names, (gpointer)name);
    }
  g_ptr_array_add (names, NULL);
  return tall_mapping_bind_result (self->mapping, (const char *const *)names->pdata, error);
}

static TallQuery *
query_new (TallMapping *mapping, const char *folder, GError **error)
{
  g_autoptr (TallTempDb) temp = tall_temp_db_new (folder, error);
  if (temp == NULL)
    return NULL;
  TallQuery *self = g_new0 (TallQuery, 1);
  self->temp = g_steal_pointer (&temp);
  self->mapping = mapping;
  self->tables = g_ptr_array_new_with_free_func (table_free);
  self->fields = g_ptr_array_new ();
  self->seen = g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  self->budget = MAX_STEPS;
  sqlite3 *db = tall_temp_db_get (self->temp);
  sqlite3_limit (db, SQLITE_LIMIT_LENGTH, MAX_VALUE);
  sqlite3_limit (db, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit (db, SQLITE_LIMIT_TRIGGER_DEPTH, 0);
  sqlite3_limit (db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000);
  sqlite3_db_config (db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config (db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  /* "Name" is a column, or an error, and not a text. */
  sqlite3_db_config (db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
  sqlite3_db_config (db, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
  sqlite3_set_authorizer (db, authorize, self);
  sqlite3_progress_handler (db, CHECK_STEPS, on_progress, self);
  return self;
}

/* Makes what the statement may use, and prepares it: from then on only reading is allowed. */
static gboolean
add_all (TallQuery *self, GError **error)
{
  if (!tall_query_add_functions (self) || !tall_query_add_tables (self, error))
    return FALSE;
  self->is_guarded = TRUE;
  return read_statement (self, error);
}

/* Checks the query, and binds the mapping of the first file to its result. @files: with mappings of
 * one query, before their first rows; stay the caller's. @folder: (nullable): where what does not
 * fit into memory goes; NULL: where such files usually go. Returns: (transfer full): NULL with
 * %TALL_ERROR_INVALID if it is not one that reads these files and gives fields of orders, or
 * customers */
TallQuery *
tall_query_new (const TallLoadFiles *files, const char *folder, GError **error)
{
  g_autoptr (TallQuery) self = query_new (tall_load_files_get (files, 0)->mapping, folder, error);
  if (self == NULL)
    return NULL;
  self->files = files;
  for (guint i = 0; i < tall_load_files_count (files); i++)
    g_ptr_array_add (self->seen, g_byte_array_new ());
  if (!add_tables (self, error) || !add_all (self, error) || !look_at_plan (self, error)
      || !bind_result (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

/* @mapping: a query. @columns: the names in a file's header, NULL-terminated. Returns: whether the
 * query can read such a file alone */
gboolean
tall_sql_fits (const TallMapping *mapping, const char *const *columns)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallQuery) self = query_new ((TallMapping *)mapping, NULL, &error);
  if (self == NULL)
    return FALSE;
  add_table (self, USUAL_TABLE, columns);
  return add_all (self, &error);
}

void
tall_query_free (TallQuery *self)
{
  if (self == NULL)
    return;
  sqlite3_finalize (self->statement);
  g_ptr_array_unref (self->tables);
  tall_temp_db_free (self->temp);
  g_ptr_array_unref (self->fields);
  g_ptr_array_unref (self->seen);
  g_clear_error (&self->failure);
  g_free (self->refused);
  g_free (self->pending);
  g_free (self->refused_first);
  g_free (self->sql);
  g_free (self);
}

/* @stop: (nullable): read atomically; the query ends when it is not 0 any more. @take: (nullable):
 * called with @data for each row of the files, once in a pass. */
void
tall_query_watch (TallQuery *self, const gint *stop, TallQueryTake take, gpointer data)
{
  self->stop = stop;
  self->take = take;
  self->data = data;
}

/* Whether a row of the result comes out before the next row of the file is read. */
gboolean
tall_query_streams (const TallQuery *self)
{
  return self->streams;
}

/* The user's statement as a part of ours. Orders are sorted by their own number first: then rows
 * without a customer stand before all orders of their number. With a WHERE, SQLite does not put a
 * LIMIT of the user behind the sorting. */
static char *
wrap (const TallQuery *self, TallQueryPass pass)
{
  const TallMapping *mapping = self->mapping;
  const TallMappingSource *const keys[] = {
    tall_order_cursor_find_source (mapping, tall_csv_field_is_order_number),
    tall_order_cursor_find_source (mapping, tall_csv_field_is_customer_number),
  };
  g_autoptr (GString) numbers = g_string_new (NULL);
  g_autoptr (GString) order = g_string_new (NULL);
  for (gint i = 0; mapping->columns[i] != NULL; i++)
    {
      g_autofree char *name = tall_query_quote (mapping->columns[i]);
      gboolean is_key = (keys[0] != NULL && keys[0]->index == i) || keys[1]->index == i;
      g_string_append_printf (numbers, "%s%s", i > 0 ? ", " : "", is_key ? name : "NULL");
    }
  for (guint i = keys[0] == NULL; i < G_N_ELEMENTS (keys); i++)
    {
      g_autofree char *name = tall_query_quote (mapping->columns[keys[i]->index]);
      g_string_append_printf (order, "CAST(%s AS TEXT) COLLATE BINARY, ", name);
    }
  if (pass != TALL_QUERY_SORTED)
    return g_strdup_printf ("SELECT %s FROM (\n%s\n)",
                            pass == TALL_QUERY_NUMBERS ? numbers->str : "*", self->sql);
  /* What is looked up where the rows of a file come in their order is at hand. */
  const char *origin = self->streams            ? "tallorder_text(), tallorder_place()"
                       : self->line_column >= 0 ? "tallorder_text(line), line"
                                                : "NULL, NULL";
  return g_strdup_printf ("SELECT *, %s AS tallorder_place FROM (\n%s\n) WHERE 1 ORDER BY "
                          "%stallorder_place",
                          origin, self->sql, order->str);
}

/* What the query gives is as before, once its tables are copies: `*` has more columns then. */
static gboolean
check_columns_of_copy (TallQuery *self, GError **error)
{
  sqlite3_stmt *statement = prepare (self, self->sql, NULL, error);
  if (statement == NULL)
    return FALSE;
  gboolean is_same =
      (guint)sqlite3_column_count (statement) == g_strv_length (self->mapping->columns);
  sqlite3_finalize (statement);
  return is_same
         || tall_mapping_refuse (self->mapping, NULL, NULL, error,
                                 "name the columns of the result, in place of *");
}

/* Runs the query, from the first row on. Returns: FALSE with an error, as tall_query_next(), or
 * without one if @take has ended it */
gboolean
tall_query_begin (TallQuery *self, TallQueryPass pass, GError **error)
{
  sqlite3_finalize (g_steal_pointer (&self->statement));
  for (guint i = 0; i < self->tables->len; i++)
    ((TallQueryTable *)g_ptr_array_index (self->tables, i))->n_scans = 0;
  for (guint i = 0; i < self->seen->len; i++)
    g_byte_array_set_size (g_ptr_array_index (self->seen, i), 0);
  self->pass = pass;
  self->n_rows = 0;
  self->budget = MAX_STEPS;
  self->is_ended = FALSE;
  self->is_at_row = FALSE;
  g_clear_pointer (&self->pending, g_free);
  if (pass != TALL_QUERY_SORTED || !self->streams)
    {
      g_clear_pointer (&self->refused_first, g_free);
      self->n_refused = self->n_faulty = 0;
    }
  if (!self->streams && !self->is_staged)
    {
      self->is_guarded = FALSE;
      self->is_staged = tall_query_stage (self);
      self->is_guarded = TRUE;
      if (!self->is_staged)
        return set_failure (self, error);
      if (!check_columns_of_copy (self, error))
        return FALSE;
    }
  g_autofree char *sql = wrap (self, pass);
  self->statement = prepare (self, sql, NULL, error);
  return self->statement != NULL;
}

/* Where a row comes out before the next goes in, that is one of the current row. @why: a function
 * has not taken a value. */
void
tall_query_note_refused (TallQuery *self, const char *why)
{
  if (self->streams && self->is_at_row && self->pending == NULL)
    self->pending = g_strdup (why);
  else if (!self->streams && self->n_refused++ == 0)
    self->refused_first = g_strdup (why);
}

/* The next row comes: a value that was not taken, and has not rejected its row, was in a condition.
 */
void
tall_query_settle_refused (TallQuery *self)
{
  g_autofree char *why = g_steal_pointer (&self->pending);
  if (why == NULL || self->pass == TALL_QUERY_SORTED || self->n_refused++ > 0)
    return;
  g_autofree char *place = describe_row (self);
  self->refused_first = g_strconcat (place, why, NULL);
}

/* @first: (out) why the first was not taken. Returns: how many rows have a value that a function
 * does not take in a condition, which sees a text there; of a query that does not stream, how many
 * values, if none has rejected a row */
guint64
tall_query_count_refused (const TallQuery *self, const char **first)
{
  *first = self->refused_first;
  return self->streams || self->n_faulty == 0 ? self->n_refused : 0;
}

static void
set_bad (TallCsvRow *row, guint i, const char *kind)
{
  if (row->reason != NULL)
    return;
  row->kind = row->reason = kind;
  row->column = (gint)i;
}

/* A value that comes of one that a function has not given: behind another text, or cast. */
static void
check_taken (TallQuery *self, TallCsvRow *row, guint i, const char *text)
{
  const char *fault = strstr (text, TALL_QUERY_FAULT);
  gboolean is_cast = sqlite3_column_type (self->statement, (int)i) == SQLITE_INTEGER
                     && sqlite3_column_int64 (self->statement, (int)i) == TALL_QUERY_FAULT_CAST;
  if (fault == NULL && !is_cast)
    return;
  g_clear_pointer (&self->pending, g_free);
  self->n_faulty++;
  if (row->reason != NULL)
    return;
  set_bad (row, i, "is not what a function takes");
  row->reason = fault != NULL ? fault + strlen (TALL_QUERY_FAULT)
                              : "a function has not taken a value that this is computed of";
}

static void
read_fields (TallQuery *self, TallCsvRow *row)
{
  guint n = g_strv_length (self->mapping->columns);
  g_ptr_array_set_size (self->fields, (gint)n);
  for (guint i = 0; i < n; i++)
    {
      gboolean is_float = sqlite3_column_type (self->statement, (int)i) == SQLITE_FLOAT;
      const char *text = (const char *)sqlite3_column_text (self->statement, (int)i);
      self->fields->pdata[i] = (gpointer)text;
      if (text == NULL || (gint)i == self->line_column)
        continue;
      check_taken (self, row, i, text);
      gsize len = (gsize)sqlite3_column_bytes (self->statement, (int)i);
      if (is_float)
        set_bad (row, i,
                 "is a floating-point number, which is not exact; compute with number() and "
                 "dec_mul() and their like");
      else if (strlen (text) != len || !tall_text_is_utf8 (tall_slice (text, len)))
        set_bad (row, i, "is not a text in UTF-8");
    }
  row->fields = (const char *const *)self->fields->pdata;
  row->n_fields = n;
}

/* Each line of a file counts once, however many rows are made of it. */
static void
mark_seen (TallQuery *self, guint file, guint64 line)
{
  GByteArray *bits = g_ptr_array_index (self->seen, file);
  guint old = bits->len, needed = (guint)(line / 8) + 1;
  if (needed > old)
    {
      g_byte_array_set_size (bits, needed);
      memset (bits->data + old, 0, needed - old);
    }
  bits->data[line / 8] |= (guint8)(1 << line % 8);
}

static void
set_place (TallQuery *self, gint64 place, TallCsvRow *row)
{
  row->file = (guint)(place >> TALL_QUERY_FILE_SHIFT);
  row->line = (guint64)place & ((G_GUINT64_CONSTANT (1) << TALL_QUERY_FILE_SHIFT) - 1);
  mark_seen (self, row->file, row->line);
}

/* Gives the row its place and its text, as far as they are known. */
static void
find_origin (TallQuery *self, TallCsvRow *row)
{
  int text = (int)row->n_fields, place = text + 1; /* columns that wrap() has added */
  if (self->pass != TALL_QUERY_SORTED && self->is_at_row)
    {
      set_place (self, tall_query_get_place (&self->current), row);
      row->raw = self->current.raw;
    }
  else if (self->pass == TALL_QUERY_SORTED
           && sqlite3_column_type (self->statement, text) != SQLITE_NULL)
    {
      set_place (self, sqlite3_column_int64 (self->statement, place), row);
      row->raw = tall_slice (sqlite3_column_blob (self->statement, text),
                             (gsize)sqlite3_column_bytes (self->statement, text));
    }
}

/* @row: (out caller-allocates): a row of the result. Returns: %TALL_CSV_ROW if there is one,
 * %TALL_CSV_END after the last, %TALL_CSV_FAILED with an error if the query or the reading of a
 * file fails, or is stopped (%G_IO_ERROR_CANCELLED), or without one if @take has ended it */
TallCsvStep
tall_query_next (TallQuery *self, TallCsvRow *row, GError **error)
{
  int code = sqlite3_step (self->statement);
  if (code == SQLITE_DONE)
    return TALL_CSV_END;
  if (code != SQLITE_ROW)
    {
      set_failure (self, error);
      return TALL_CSV_FAILED;
    }
  self->budget = MAX (self->budget, MAX_STEPS);
  *row = (TallCsvRow){ .line = ++self->n_rows,
                       .column = TALL_CSV_NO_COLUMN,
                       .raw = tall_slice ("", 0) };
  read_fields (self, row);
  find_origin (self, row);
  row->file_name = tall_load_files_get (self->files, row->file)->name;
  return TALL_CSV_ROW;
}

/* How many rows the result has had. */
guint64
tall_query_count_rows (const TallQuery *self)
{
  return self->n_rows;
}

/* Says of each file how many of its rows are in the result, and how many the query has left out. Of
 * a file that no row of the result comes from, rows are looked up. */
void
tall_query_sum_up (TallQuery *self)
{
  for (guint i = 0; i < self->tables->len; i++)
    {
      const TallQueryTable *table = g_ptr_array_index (self->tables, i);
      guint64 n_used = 0;
      for (guint k = 0; k < table->files->len; k++)
        {
          guint file = g_array_index (table->files, guint, k);
          const GByteArray *bits = g_ptr_array_index (self->seen, file);
          TallLoadFile *of = tall_load_files_get (self->files, file);
          g_strfreev (of->unused);
          of->unused = tall_query_list_unused (self, table);
          of->n_used = 0;
          for (guint b = 0; b < bits->len; b++)
            of->n_used += (guint)__builtin_popcount (bits->data[b]);
          n_used += of->n_used;
        }
      for (guint k = 0; k < table->files->len; k++)
        {
          TallLoadFile *of =
              tall_load_files_get (self->files, g_array_index (table->files, guint, k));
          guint64 rest = of->n_rows - of->n_bad - of->n_used;
          of->n_left_out = n_used > 0 ? rest : 0;
          of->n_kept = n_used > 0 ? 0 : rest;
        }
    }
}
