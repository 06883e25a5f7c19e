/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/csv/reader.h"
#include "load/csv/recoder.h"
#include "tall-bytes.h"

#include <csv.h>

G_BEGIN_DECLS

#define TALL_CSV_MARK "\xef\xbb\xbf" /* the byte order mark */
#define TALL_CSV_KIND_NUL "holds a NUL byte"

struct _TallCsvReader
{
  TallCsvLines lines;
  gboolean is_rejects;   /* the file begins as a reject file does */
  char *header;          /* the text of its first record */
  guint file;            /* its place among the files that are read together … */
  const char *file_name; /* … and its name; NULL: there is only one */
  gsize max_row;
  guint64 n_rows;         /* handed over since the first, or the rewind */
  guint64 limit;          /* of them; 0: none */
  TallCsvDialect dialect; /* its texts are not owned */

  struct csv_parser parser;
  gboolean row_done;
  gboolean is_plain;     /* the record was split without the parser */
  GByteArray *text;      /* the fields, each with its NUL */
  GArray *offsets;       /* of gsize: where each field begins in @text */
  GPtrArray *fields;     /* of char *, into @text */
  guint n_wanted;        /* of them, where the parser is not needed */
  char *reason;          /* of the last bad row */
  const char *kind;      /* and its kind */
  GByteArray *cut;       /* the beginning of a row that is too long */
  GByteArray *unmarked;  /* its bytes, if they had marks; NULL: they had none */
  GPtrArray *columns;    /* of char *; NULL-terminated */
  GPtrArray *composites; /* of TallCsvComposite; NULL: none */
  GString *composed;     /* their values, each with its NUL */
};

void tall_csv_reader_reset_parser (TallCsvReader *self);
gboolean tall_csv_reader_split (TallCsvReader *self, gsize stop);
GByteArray *tall_csv_drop_equals (TallSlice line, char delimiter, gboolean in_quotes);
void tall_csv_reader_clean_fields (TallCsvReader *self, TallCsvRow *row);

/* The fields of a record. */
void tall_csv_reader_add_field (void *data, gsize len, gpointer user_data);
void tall_csv_reader_collect_fields (TallCsvReader *self);
void tall_csv_reader_guess_fields (TallCsvReader *self, TallSlice line);
void tall_csv_reader_compose_fields (TallCsvReader *self, TallCsvRow *row);

/**
 * TallCsvShape:
 *
 * What a line has to look like.
 */
typedef struct
{
  char delimiter;
  guint n_fields; /* at least one */
  guint n_wanted; /* of them, from the first on; the others are counted, and not handed over */
} TallCsvShape;

gboolean tall_csv_split_plain (TallSlice line,
                               const TallCsvShape *shape,
                               GByteArray *text,
                               GPtrArray *fields);

G_END_DECLS
