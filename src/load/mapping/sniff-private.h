/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/csv/field.h"
#include "load/mapping/mapping.h"
#include "load/mapping/sample.h"

G_BEGIN_DECLS

#define TALL_SNIFF_NONE (-1)

char *tall_sniff_normalize (const char *column);
gboolean tall_sniff_names (const TallCsvField *field, const char *column, guint *rank);
gboolean tall_sniff_names_total (const char *column);
gboolean tall_sniff_names_amount (const char *column);

GPtrArray *tall_sniff_files_read (const char *const *paths,
                                  const char **names,
                                  guint n,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_sniff_files_join (GPtrArray *files, GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *tall_sniff_get_telling_name (const TallSample *file, guint column);

static inline TallSample *
tall_sniff_files_get (const GPtrArray *files, guint i)
{
  return g_ptr_array_index (files, i);
}

/**
 * TallSniffAgreement:
 * @TALL_SNIFF_FIRST_ONLY: only the first row has a value
 *
 * How the rows of an order agree in a column.
 */
typedef enum
{
  TALL_SNIFF_SAME,
  TALL_SNIFF_FIRST_ONLY,
  TALL_SNIFF_DIFFERS,
} TallSniffAgreement;

/**
 * TallSniffDates:
 *
 * A way to write dates.
 */
typedef struct
{
  const char *dates; /* as the mapping says it */
  TallDates kind;
  gboolean has_short_years;
  gboolean is_telling; /* nothing but a date looks like this */
} TallSniffDates;

#define TALL_SNIFF_N_DATES 15

/**
 * TallSniffColumn:
 *
 * What a column probably holds.
 */
typedef struct
{
  const TallSample *file;
  guint i;                   /* in @file */
  char *name;                /* owned; by which its field may be guessed */
  const TallCsvField *field; /* NULL: none that is known */
  const char *reason;        /* why; lives forever */
  TallSniffAgreement rows;
  guint fits[TALL_SNIFF_N_DATES]; /* of a date: so many values are of each form … */
  guint n_filled;                 /* … of so many */
  const TallSniffDates *dates;    /* the likeliest */
  gboolean is_repeated;           /* an earlier column of the file has the same values */
  gboolean is_total;              /* a price of all pieces */
  gboolean is_amount;             /* a discount that is not a rate */
  gboolean is_float;              /* a number with `.0` behind it */
} TallSniffColumn;

/**
 * TallSniff:
 *
 * What is guessed, and the mapping that is written.
 */
typedef struct
{
  GPtrArray *files; /* of TallSample; not owned */
  TallMappingKind kind;
  GArray *columns;     /* of TallSniffColumn: those of all files that are joined */
  gboolean fills;      /* the number of an order is only in its first row */
  gboolean is_sql;     /* a .map cannot say it */
  const char *preset;  /* a .map that fits, too; NULL: none does */
  gboolean is_whole;   /* nothing is left to be filled in */
  gboolean is_percent; /* the discount */
  TallValueFormat numbers;
  char *signs;                 /* owned; those of @numbers */
  char *numbers_reason;        /* owned; NULL: there are none */
  const TallSniffDates *dates; /* that fit all best */
  char *dates_reason;          /* owned; NULL: there are none */
  GKeyFile *map;               /* owned */
  GString *settings;           /* of a query */
  GString *select;             /* its columns */
  GString *attributes, *left;  /* names of columns */
} TallSniff;

TallSniffColumn *tall_sniff_find (const TallSniff *self, TallCsvScope scope, const char *field);
char *tall_sniff_write (TallSniff *self);

static inline TallSniffColumn *
tall_sniff_get (const TallSniff *self, guint i)
{
  return &g_array_index (self->columns, TallSniffColumn, i);
}

static inline TallModelKind
tall_sniff_get_kind (const TallSniffColumn *column)
{
  return column->field != NULL ? tall_model_kind (column->field->field) : TALL_MODEL_LIST;
}

G_END_DECLS
