/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"

#include <glib.h>

G_BEGIN_DECLS

/* A column made of others and of texts, such as `First + " " + Last`. Does not change, so that any
 * thread may read it. */
typedef struct _TallCsvComposite TallCsvComposite;

TallCsvComposite *
tall_csv_composite_new (const char *expression, const char *const *columns, char **missing);
void tall_csv_composite_free (TallCsvComposite *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallCsvComposite, tall_csv_composite_free)

gboolean tall_csv_composite_uses (const TallCsvComposite *self, gint column);
void
tall_csv_composite_write (const TallCsvComposite *self, const char *const *fields, GString *text);
gint tall_csv_find_column (const char *const *columns, const char *name);

/* Bytes of the longest row that is read by default. */
#define TALL_CSV_MAX_ROW (1024 * 1024)

/* The problem is the whole row's, not one column's. */
#define TALL_CSV_NO_COLUMN (-1)

typedef enum
{
  TALL_CSV_QUOTES_DOUBLE,
  TALL_CSV_QUOTES_NONE,  /* a quote is a byte like any other */
  TALL_CSV_QUOTES_LOOSE, /* likewise where no field begins */
} TallCsvQuotes;

/* How a CSV file is written, apart from its values. */
typedef struct
{
  char delimiter;       /* what separates fields, such as `,` */
  const char *encoding; /* by a name of iconv; NULL: UTF-8 */
  guint skip_lines;     /* before the header */
  char **columns;       /* their names, where there is no header; NULL: there is one */
  TallCsvQuotes quotes;
  gboolean backslash; /* it makes the byte after it one of the field */
  gboolean pad;       /* a row may have fewer fields than the header: the last ones are empty */
  gboolean trim;      /* spaces around fields are not theirs */
  char **nulls;       /* what a field says that is empty; NULL: nothing */
} TallCsvDialect;

/* One record of the file, or, if it cannot be understood, one line of it. Everything in it belongs
 * to the reader and is valid until its next call. */
typedef struct
{
  guint file;            /* of those that are read together, from 0 … */
  const char *file_name; /* … and its name; NULL: there is only one */
  guint64 line;          /* where the record begins; the header is in line 1 */
  TallSlice raw;         /* its text in UTF-8 without the last line end; bytes that are not UTF-8,
                          * or not of the file's encoding, as they are */
  const char *const *fields; /* n_fields of them, then those made of others; unchecked if @reason
                              * is set */
  guint n_fields;            /* see tall_csv_reader_want() */
  gboolean is_garbled;       /* it is not CSV, so which fields it has is a guess */
  const char *reason;        /* why the row is bad; NULL: it is not */
  const char *kind;          /* the same without what is special to this row; lives forever */
  gint column;               /* which column is bad, from 0, or %TALL_CSV_NO_COLUMN */
} TallCsvRow;

typedef enum
{
  TALL_CSV_ROW,
  TALL_CSV_END,
  TALL_CSV_FAILED,
} TallCsvStep;

/* Reads a CSV file, which may be compressed and of any encoding (RFC 4180:
 * quotes, line ends within quotes) row by row in memory that does not grow with the file. Line ends
 * may be LF, CR LF or CR; a byte order mark and blank lines are skipped, and so is the header where
 * it comes again; spaces are kept. A #TallCsvDialect may say otherwise. A bad row is handed over
 * with its reason, and reading goes on in the line after the one where the row began, so that a
 * quote that is never closed costs one line and not the rest of the file. Not thread-safe. */
typedef struct _TallCsvReader TallCsvReader;

TallCsvReader *tall_csv_reader_open (const char *path,
                                     const TallCsvDialect *dialect,
                                     gsize max_row,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_csv_reader_free (TallCsvReader *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallCsvReader, tall_csv_reader_free)

TallCsvStep tall_csv_reader_next (TallCsvReader *self,
                                  TallCsvRow *row,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_csv_reader_parse (TallCsvReader *self, TallSlice text, TallCsvRow *row);
TallSlice tall_csv_reader_get_field (const TallCsvReader *self, const TallCsvRow *row, guint i);
gboolean tall_csv_reader_check_data (TallCsvReader *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
const char *const *tall_csv_reader_get_columns (TallCsvReader *self);
void tall_csv_reader_set_composites (TallCsvReader *self, GPtrArray *composites);
const char *tall_csv_reader_get_name (TallCsvReader *self);
guint64 tall_csv_reader_get_position (TallCsvReader *self);
guint64 tall_csv_reader_get_size (TallCsvReader *self);
void tall_csv_reader_set_name (TallCsvReader *self, const char *name);
TallSlice tall_csv_reader_get_header (TallCsvReader *self);
void tall_csv_reader_set_file (TallCsvReader *self, guint file, gboolean is_one_of_many);
void tall_csv_reader_set_stop (TallCsvReader *self, const gint *stop);
void tall_csv_reader_set_limit (TallCsvReader *self, guint64 n_rows);
void tall_csv_reader_want (TallCsvReader *self, guint n_fields);
gboolean tall_csv_reader_is_cut (TallCsvReader *self);

gboolean tall_csv_reader_keep (TallCsvReader *self,
                               const char *folder,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_csv_reader_rewind (TallCsvReader *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_csv_reader_has_changed (TallCsvReader *self);

/* For messages: `line 17`, or `line 17 of b.csv` if there are several files. */
static inline char *
tall_csv_describe_line (guint64 line, const char *file_name)
{
  return g_strdup_printf ("line %" G_GUINT64_FORMAT "%s%s", line, file_name != NULL ? " of " : "",
                          file_name != NULL ? file_name : "");
}

G_END_DECLS
