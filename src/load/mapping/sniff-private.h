/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/mapping/mapping.h"
#include "load/mapping/sniff.h"
#include "tall-arena.h"

G_BEGIN_DECLS

/* A rule by which a file is written, other than RFC 4180, as a key of [mapping]. */
typedef struct
{
  const char *key; /* NULL: of RFC 4180 */
  const char *value;
  const char *reason;
  TallCsvDialect dialect;
} TallSampleRule;

/* The first rows of a file, read by the dialect that fits it best; and, of one of several files,
 * how it is probably joined with those before it. */
typedef struct
{
  const char *path;
  const char *name; /* what a query calls the file */
  TallCsvDialect dialect;
  const TallSampleRule *rule;
  const char *encoding_reason;
  const char *const *columns;
  guint n_columns;
  GPtrArray *rows; /* of char **: as many values as columns; only good rows */
  guint n_good;
  guint n_bad; /* rows that cannot be read */

  gint key;  /* the column that joins it; -1: none does */
  gint from; /* the position of the file that names its rows; -1: it is that of the lines */
  guint from_column;
  gboolean is_of_order; /* an order has one row of it */
} TallSample;

/* How the rows of an order agree in a column. */
typedef enum
{
  TALL_SNIFF_SAME,
  TALL_SNIFF_FIRST_ONLY, /* only the first row has a value */
  TALL_SNIFF_DIFFERS,
} TallSniffAgreement;

/* A way to write dates. */
typedef struct
{
  const char *dates; /* as the mapping says it */
  TallDates kind;
  gboolean has_short_years;
  gboolean is_vague; /* other things look like this, too */
} TallSniffDates;

#define TALL_SNIFF_N_DATES 15

/* What a column probably holds. */
typedef struct
{
  const TallSample *file;
  guint i;                   /* in @file */
  const char *name;          /* by which its field may be guessed */
  const TallCsvField *field; /* NULL: none that is known */
  const char *key;           /* as the mapping names that; NULL: as the field is called */
  const char *reason;        /* why */
  TallSniffAgreement rows;
  guint fits[TALL_SNIFF_N_DATES]; /* of a date: so many values are of each form … */
  guint n_filled;                 /* … of so many */
  const TallSniffDates *dates;    /* the likeliest */
  gboolean is_total;              /* a price of all pieces */
  gboolean is_amount;             /* a discount that is not a rate */
  gboolean is_float;              /* a number with `.0` behind it */
} TallSniffColumn;

/* What is guessed. */
typedef struct
{
  TallArena *arena; /* of all that belongs to the guess */
  GPtrArray *files; /* of TallSample: those that are joined before the others */
  TallMappingKind kind;
  TallSniffColumn *columns, *end; /* those of all files that are joined */
  gboolean fills;                 /* the number of an order is only in its first row */
  gboolean is_sql;                /* a .map cannot say it */
  const char *preset;             /* a .map that fits, too; NULL: none does */
  gboolean is_whole;              /* nothing is left to be filled in */
  gboolean is_percent;            /* the discount */
  TallValueFormat numbers;
  const char *numbers_reason;  /* NULL: there are none */
  const TallSniffDates *dates; /* that fit all best */
  const char *dates_reason;    /* NULL: there are none */

  /* What is written: */
  GArray *entries;            /* lines of the mapping */
  GString *attributes, *left; /* names of columns */
} TallSniff;

gboolean tall_sniff_read_files (TallSniff *self,
                                const char *const *paths,
                                const char **names,
                                guint n,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
const char *tall_sniff_get_telling_name (TallSniff *self, const TallSample *file, guint column);

const char *tall_sniff_normalize (TallSniff *self, const char *name);
gint tall_sniff_find_word (const char *words, const char *word);
gint tall_sniff_rate_name (TallSniff *self, const TallCsvField *field, const char *name);
TallSniffColumn *tall_sniff_find (const TallSniff *self, TallCsvScope scope, const char *field);
char *tall_sniff_write (TallSniff *self);

static inline const char *
tall_sample_get (const TallSample *self, guint row, guint column)
{
  return ((char **)g_ptr_array_index (self->rows, row))[column];
}

static inline TallModelKind
tall_sniff_get_kind (const TallSniffColumn *column)
{
  TallModelKind kind =
      column->field != NULL ? tall_model_kind (column->field->field) : TALL_MODEL_LIST;
  return kind == TALL_MODEL_STRUCTS ? TALL_MODEL_DECIMAL : kind; /* an adjustment's amount */
}

G_END_DECLS
