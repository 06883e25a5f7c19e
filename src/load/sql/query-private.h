/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/sql/query.h"
#include "load/sql/temp-db.h"

G_BEGIN_DECLS

/* `line` of the row in file I is I × 2^40 + line, so that it orders the rows of all files. */
#define TALL_QUERY_FILE_SHIFT 40

static inline gint64
tall_query_get_place (const TallCsvRow *row)
{
  return (gint64)((guint64)row->file << TALL_QUERY_FILE_SHIFT | row->line);
}

/* What a value begins with that says why a function has not given one. As a number it is beyond 64
 * bits: SQLite computes with a floating-point number then, which rejects the row, and makes
 * TALL_QUERY_FAULT_CAST of it where an integer is asked for. */
#define TALL_QUERY_FAULT "\v9223372036854775808 not taken: "
#define TALL_QUERY_FAULT_CAST G_MAXINT64

/* Columns of a table after those of its files. */
typedef enum
{
  TALL_HIDDEN_LINE, /* tall_query_get_place() */
  TALL_HIDDEN_FILE, /* its name */
  TALL_HIDDEN_ROW,  /* the row as a JSON object of texts */
  TALL_HIDDEN_TEXT, /* the row as the file has it; for us alone */
} TallQueryHidden;

/* What a query knows as one table: the files of one kind. */
typedef struct
{
  char *name;              /* `csv`, or as in NAME=FILE */
  sqlite3_stmt *find_text; /* of a row, by its place, once rows are copied; NULL: not needed */
  gpointer vtab;           /* not owned; SQLite's own of it */
  GArray *files;           /* of guint: their places among all */
  GPtrArray *columns;      /* of char *: those of the first file; then those of TallQueryHidden */
  guint n_columns;         /* of a file */
  guint n_scans;           /* that were begun in this pass */
  gboolean has_been_read;  /* its files do not stand before their first rows any more */
  gboolean uses_row;       /* the query looks at rows as JSON */
  guint n_wanted;          /* fields that the query uses, from the first on */
  guint64 used;            /* columns that the query names, a bit each, the last for all others */
} TallQueryTable;

struct _TallQuery
{
  const TallLoadFiles *files; /* not owned; NULL: the query is only checked */
  TallMapping *mapping;       /* not owned */
  TallTempDb *temp;
  char *sql; /* the statement alone */
  sqlite3_stmt *statement;
  GPtrArray *tables; /* of TallQueryTable */
  gboolean streams;  /* a row comes out before the next goes in */
  gboolean is_staged;
  gboolean is_guarded; /* nothing but reading is allowed */
  gint line_column;    /* which has the place of a row; -1: none */
  TallQueryPass pass;

  const gint *stop;
  TallQueryTake take;
  gpointer data;
  guint64 budget;    /* steps of SQLite's machine that are left */
  GError *failure;   /* why a call from SQLite has failed; NULL: it has not */
  char *refused;     /* what the statement may not do; NULL: it was not tried */
  gboolean is_ended; /* by @take, without an error */

  TallCsvRow current; /* where a table that is read stands … */
  gboolean is_at_row; /* … if it does */
  GPtrArray *fields;  /* of const char *, of the result's row */
  guint64 n_rows;     /* of the result */
  GPtrArray *seen;    /* of GByteArray: which lines of each file are in the result, a bit each */

  /* Values that a function has not taken reject their rows, unless they are in a condition: */
  char *pending;     /* why it has not taken one of the current row; NULL: it has taken all */
  guint64 n_refused; /* rows of a file, or, unless it streams, values, with one in a condition … */
  char *refused_first; /* … and why the first was not taken */
  guint64 n_faulty;    /* values of the result that come of one */
};

gboolean tall_query_add_tables (TallQuery *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_query_stage (TallQuery *self) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_query_add_functions (TallQuery *self);
void tall_query_note_refused (TallQuery *self, const char *why);
void tall_query_settle_refused (TallQuery *self);
sqlite3_stmt *tall_query_find_text (TallQuery *self, gint64 place);
GStrv tall_query_list_unused (const TallQuery *self, const TallQueryTable *table);
char *tall_query_quote (const char *name);

G_END_DECLS
