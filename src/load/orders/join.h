/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/store/files.h"

G_BEGIN_DECLS

/**
 * TallJoinKind:
 *
 * One of the files of a mapping, with its place in joined rows.
 */
typedef struct
{
  const TallMappingFile *file;
  const char *const *columns; /* of its header */
  guint n_columns;
  guint start;      /* the first of its columns in a joined row */
  guint key;        /* column, from 0 */
  gint from;        /* which kind looks it up; -1: the order's number joins it … */
  guint from_index; /* … by this column of that kind */
  gboolean of_line; /* it is looked up by lines, or by what lines look up */
} TallJoinKind;

/**
 * TallJoin:
 *
 * How rows of several files become one row, with the columns of all: each is there as FILE:COLUMN,
 * and, where only one file has it, as COLUMN. Does not change, so that any thread may read it.
 */
typedef struct
{
  TallMapping *mapping; /* not owned; bound to the columns of joined rows */
  GPtrArray *columns;   /* of char *; NULL-terminated */
  guint n_columns;      /* with FILE:COLUMN; as many follow as COLUMN */
  guint n_kinds;
  TallJoinKind kinds[TALL_MAPPING_MAX_FILES];
  guint headers; /* which kind has a row for each order … */
  gint lines;    /* … and which has any number; -1: none */
} TallJoin;

TallJoin *tall_join_new (const TallLoadFiles *files, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_join_free (TallJoin *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallJoin, tall_join_free)

gint tall_join_find_kind (const TallJoin *self, const char *column);

G_END_DECLS
