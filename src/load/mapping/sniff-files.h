/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/csv/field.h"
#include "load/mapping/mapping.h"
#include "load/mapping/sample.h"
#include "load/mapping/value.h"

G_BEGIN_DECLS

char *tall_sniff_normalize (const char *column);
gboolean tall_sniff_names (const TallCsvField *field, const char *column, guint *rank);

/**
 * TallSniffedDates:
 *
 * How columns write dates, as keys of [mapping].
 */
typedef struct
{
  const char *dates; /* lives forever */
  gboolean has_short_years;
  char *reason; /* owned */
} TallSniffedDates;

/**
 * TallSniffedNumbers:
 *
 * How columns write numbers, as keys of [mapping].
 */
typedef struct
{
  gboolean decimal_comma;
  const char *thousands; /* lives forever; NULL: none */
  const char *negative;  /* lives forever; NULL: by a minus */
  char *signs;           /* owned; NULL: none */
  char *reason;          /* owned */
} TallSniffedNumbers;

gboolean tall_sniff_is_date (const TallSample *sample, guint column);
void tall_sniff_dates (const TallSample *sample, const GArray *columns, TallSniffedDates *found);
void
tall_sniff_numbers (const TallSample *sample, const GArray *columns, TallSniffedNumbers *found);

/**
 * TallSniffedColumn:
 *
 * What a column probably holds.
 */
typedef struct
{
  const TallCsvField *field; /* NULL: none that is known */
  const char *reason;        /* why; lives forever */
  gboolean is_of_order;      /* all rows of an order have the same value */
} TallSniffedColumn;

TallMappingKind tall_sniff_kind (const TallSample *sample);
TallSniffedColumn *tall_sniff_columns (const TallSample *sample, TallMappingKind kind);
gint tall_sniffed_column_find (const TallSample *sample,
                               const TallSniffedColumn *columns,
                               TallCsvScope scope,
                               const char *field);

/**
 * TallSniffFile:
 *
 * One of several files, and how it is probably joined with those before it.
 */
typedef struct
{
  char *path;         /* owned */
  char *name;         /* owned: what the mapping calls it */
  TallSample *sample; /* owned */
  gint key;           /* the column that joins it; -1: none does */
  gint from; /* the position of the file that names its rows; -1: the order's number does */
  guint from_column;
} TallSniffFile;

GPtrArray *tall_sniff_files_read (const char *const *paths,
                                  const char *const *names,
                                  guint n,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *tall_sniff_file_get_full_name (const TallSniffFile *file, guint column);
char *tall_sniff_file_get_telling_name (const TallSniffFile *file, guint column);
GHashTable *tall_sniff_file_index (const TallSniffFile *self, guint column);

static inline TallSniffFile *
tall_sniff_files_get (const GPtrArray *files, guint i)
{
  return g_ptr_array_index (files, i);
}

gboolean tall_sniff_join_find (GPtrArray *files, GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallSample *tall_sniff_join_make_sample (const GPtrArray *files);

G_END_DECLS
