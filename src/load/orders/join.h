/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/orders/assembler.h"
#include "load/orders/spool.h"
#include "load/store/files.h"
#include "tall-bytes.h"

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

/* Keys of the spool in which files are joined are
 *
 *     u8   section: rows that are looked up, then those of orders
 *     u8   kind of file                     in the first section
 *     key  and a NUL byte
 *     u8   kind of file                     in the second: headers come before lines
 *     u32  file
 *     u64  line
 */
void tall_join_key_look_up (GByteArray *self, guint8 kind, const char *key);
void tall_join_key_make_of_order (GByteArray *self, const char *key, gboolean is_line);
void tall_join_key_append_place (GByteArray *self, guint file, guint64 line);
gboolean tall_join_key_parse (TallSlice self, TallSlice *group, guint *file, guint64 *line)
    G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_join_key_is_looked_up (TallSlice group);

/**
 * TallJoinedRow:
 *
 * One row made of rows of several files, which it keeps. Begin with tall_joined_row_init(). Not
 * thread-safe.
 */
typedef struct
{
  const TallJoin *join; /* not owned */
  struct
  {
    GByteArray *bytes; /* what the spool had */
    TallSpoolRow codec;
    TallCsvRow row;   /* in these two */
    gboolean present; /* FALSE: its columns are empty */
  } parts[TALL_MAPPING_MAX_FILES];
  GPtrArray *fields; /* of const char * */
  GPtrArray *made;   /* of GString: fields that are made of others */
} TallJoinedRow;

void tall_joined_row_init (TallJoinedRow *self, const TallJoin *join);
void tall_joined_row_clear (TallJoinedRow *self);
void tall_joined_row_empty (TallJoinedRow *self, guint kind);
gboolean tall_joined_row_set (TallJoinedRow *self,
                              guint kind,
                              TallSlice bytes,
                              char delimiter,
                              guint64 *blame) G_GNUC_WARN_UNUSED_RESULT;
const char *tall_joined_row_get_field (const TallJoinedRow *self, guint kind, guint column);
void tall_joined_row_make (TallJoinedRow *self, guint kind, TallCsvRow *row);

/**
 * TallJoinedOrder:
 *
 * One order after the other, made of the rows of several files: its header comes first, then its
 * lines, each joined with what it looks up. Not thread-safe.
 */
typedef struct _TallJoinedOrder TallJoinedOrder;

TallJoinedOrder *tall_joined_order_new (const TallLoadFiles *files,
                                        const TallJoin *join,
                                        TallSpool *spool,
                                        TallAssembler *assembler);
void tall_joined_order_free (TallJoinedOrder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallJoinedOrder, tall_joined_order_free)

void tall_joined_order_begin (TallJoinedOrder *self, const char *key);
gboolean tall_joined_order_push (TallJoinedOrder *self,
                                 const TallCsvRow *place,
                                 TallSlice value,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_joined_order_finish (TallJoinedOrder *self);

G_END_DECLS
