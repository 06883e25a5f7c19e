/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/csv/reader.h"
#include "load/csv/lines.h"
#include "tall-bytes.h"

G_BEGIN_DECLS

struct _TallCsvReader
{
  TallCsvLines lines;
  TallCsvDialect dialect; /* its texts are not owned */
  gboolean is_rejects;    /* the file begins as a reject file does */
  char *header;           /* the text of its first record */
  guint file;             /* its place among the files that are read together … */
  const char *file_name;  /* … and its name; NULL: there is only one */
  gsize max_row;
  guint64 n_rows; /* handed over since the first, or the rewind */
  guint64 limit;  /* of them; 0: none */

  /* The record: */
  GByteArray *text;    /* its fields, each with its NUL */
  GArray *offsets;     /* of gsize: where each field begins in @text */
  GPtrArray *fields;   /* of char *, into @text */
  gboolean is_plain;   /* nothing in it has a meaning but delimiters; then there are no @offsets */
  gboolean in_quotes;  /* where splitting stands */
  gboolean was_quoted; /* the field there */
  guint n_wanted;      /* fields of a plain record */
  char *reason;        /* why it is bad; NULL: it is not */
  const char *kind;    /* likewise */
  GByteArray *cut;     /* the beginning of a row that is too long */
  GByteArray *plain;   /* its bytes, if they had marks; NULL: they had none */

  GPtrArray *columns;    /* of char *; NULL-terminated, but empty until the header is read */
  GPtrArray *composites; /* of TallCsvComposite; NULL: none */
  GString *composed;     /* their values, each with its NUL */
};

/* How far a record is split. */
typedef enum
{
  TALL_CSV_WHOLE,
  TALL_CSV_GOES_ON,     /* in the next line */
  TALL_CSV_STRAY_QUOTE, /* it cannot be split */
} TallCsvSplit;

void tall_csv_reader_begin_fields (TallCsvReader *self);
gboolean tall_csv_reader_split_plain (TallCsvReader *self, TallSlice line);
TallCsvSplit tall_csv_reader_split (TallCsvReader *self, TallSlice line);
void tall_csv_reader_guess_fields (TallCsvReader *self, TallSlice line);
void tall_csv_reader_collect_fields (TallCsvReader *self);
void tall_csv_reader_clean_fields (TallCsvReader *self, TallCsvRow *row);
void tall_csv_reader_compose_fields (TallCsvReader *self, TallCsvRow *row);

/* How many columns the header has; 0 before it is read. */
static inline guint
tall_csv_reader_count_columns (const TallCsvReader *self)
{
  return MAX (self->columns->len, 1) - 1;
}

G_END_DECLS
