/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/csv/reader.h"

#include <glib.h>
#include <stdio.h>

G_BEGIN_DECLS

/* The reason of a header. */
#define TALL_REJECTS_HEADER "header"

/* How many rows were rejected for one kind of reason in one column. */
typedef struct
{
  char *reason; /* column and kind */
  guint64 n_rows;
  guint first_file;
  guint64 first_line;
  char *first_reason; /* of that line, with its values */
} TallRejectTally;

/* Where rejected rows go: counted by column and kind, and written to the reject file if there is
 * one, as CSV with the columns line, column, reason and row; if there are several files, file is
 * the first column. Before the first row of a file comes its header, with the reason `header`. Rows
 * that the store refuses come when its answer comes, so lines may be a little out of order. Any
 * thread may add at any time. */
typedef struct _TallRejects TallRejects;

TallRejects *tall_rejects_new (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_rejects_free (TallRejects *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallRejects, tall_rejects_free)

void tall_rejects_add_file (TallRejects *self, const char *name, TallSlice header);
void tall_rejects_add (TallRejects *self,
                       const TallCsvRow *row,
                       const char *column,
                       const char *kind,
                       const char *reason);
void tall_rejects_set_limit (TallRejects *self, guint64 max_rows, guint max_percent);
gboolean tall_rejects_check_limit (TallRejects *self,
                                   guint64 rows_read,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
guint64 tall_rejects_get_count (TallRejects *self);
guint64 tall_rejects_get_count_of (TallRejects *self, guint file);
const char *tall_rejects_get_file_name (TallRejects *self, guint file);
gboolean tall_rejects_has_failed (TallRejects *self);
GPtrArray *tall_rejects_get_tally (TallRejects *self);
gboolean tall_rejects_close (TallRejects *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

char *tall_rejects_file_name_temporary (const char *path) G_GNUC_WARN_UNUSED_RESULT;

/* The rows of one file in a reject file, below the header of that file. Each row stands in the line
 * in which it stood in the file; the lines between are blank. */
typedef struct
{
  char *name;   /* of the original; empty if the reject file is of one file */
  FILE *file;   /* owned; without a name */
  guint64 line; /* that is written next */
  gboolean has_header;
} TallRetryFile;

GPtrArray *
tall_retry_unpack (const char *path, const char *folder, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
